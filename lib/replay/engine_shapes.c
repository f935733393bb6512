/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of pods. Requests and priority of a shape are read from a snapshot, so they are the same as in decisions. */
#include <replay/engine_shapes.h>

#include <base/admit.h>
#include <io/fill.h>
#include <io/verticals.h>
#include <math.h>

#include <karp/columns.h>
#include <karp/inspect.h>

#define SHAPE_NAME "replay-shape-"

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

uint32_t engine_resource(engine *e, karp_str name)
{
    uint32_t id = strings_find(&e->resource_names, name.ptr, name.len);
    if (id != NO_ID || e->resources_settled) return id;
    if (e->resource_names.count == RESOURCES_MOST) {
        if (!e->status)
            e->status = fail(&e->error, KARP_E_LIMIT, "pods ask for more than %d resources", (int)RESOURCES_MOST);
        return REPLAY_NONE;
    }
    id = strings_add(&e->resource_names, name.ptr, name.len);
    if (id == NO_ID) engine_nomem(e);
    return id;
}

int64_t engine_whole(double amount, uint32_t resource)
{
    double scaled = amount * (resource == RESOURCE_CPU ? 1e9 : 1e3);
    return scaled > 9e18 ? INT64_C(9000000000000000000) : scaled < 0 ? 0 : (int64_t)llround(scaled);
}

int64_t engine_amount(const karp_resource *r, uint32_t resource)
{
    double value = 0;
    if (r->text.ptr) (void)karp_quantity_double(r->text, &value);
    else value = (double)r->value * pow(10, r->scale);
    return engine_whole(value, resource);
}

/* ---- which nodes admit a shape ----------------------------------------------------------------------------------- */

static bool any_term(const karp_pod *pod, const replay_kind *kind)
{
    for (size_t i = 0; i < pod->required_node_term_count; i++) {
        const karp_node_term *term = &pod->required_node_terms[i];
        if (term->expression_count > 0 &&
            labels_meet(kind->labels, kind->label_count, term->expressions, term->expression_count))
            return true;
    }
    return pod->required_node_terms == NULL;
}

static bool admits(const karp_pod *pod, const replay_kind *kind)
{
    for (size_t i = 0; i < kind->taint_count; i++) {
        if (!str_is(kind->taints[i].effect, "PreferNoSchedule") &&
            !tolerations_allow(pod->tolerations, pod->toleration_count, &kind->taints[i]))
            return false;
    }
    return labels_include(kind->labels, kind->label_count, pod->node_selector, pod->node_selector_count) &&
           any_term(pod, kind);
}

bool shape_judge(engine *e, uint32_t shape, uint32_t kind)
{
    replay_shape *s = &e->pods.shapes[shape];
    if (kind >= s->admit_capacity) {
        size_t had = s->admit_capacity;
        if (!grow(e->context, (void **)&s->admits, &s->admit_capacity, kind + 1, 1)) {
            engine_nomem(e);
            return false;
        }
        memset(s->admits + had, 0, s->admit_capacity - had);
    }
    if (s->admits[kind] == 0) s->admits[kind] = admits(&s->pod, &e->nodes.kinds[kind]) ? 1 : 2;
    return s->admits[kind] == 1;
}

/* ---- shapes that the engine can judge ---------------------------------------------------------------------------- */

static bool names_hosts(const karp_pod *pod)
{
    if (label_value(pod->node_selector, pod->node_selector_count, str(LABEL_HOSTNAME))) return true;
    for (size_t i = 0; i < pod->required_node_term_count; i++) {
        const karp_node_term *term = &pod->required_node_terms[i];
        if (term->has_fields || requirement_find(term->expressions, term->expression_count, str(LABEL_HOSTNAME)))
            return true;
    }
    return false;
}

static bool has_ports(const karp_pod *pod)
{
    for (size_t i = 0; i < pod->container_count; i++) {
        for (size_t k = 0; k < pod->containers[i].port_count; k++) {
            if (pod->containers[i].ports[k].port) return true;
        }
    }
    return false;
}

static bool needs_nothing_of_other_pods(const karp_pod *pod)
{
    bool plain = pod->required_affinity_count == 0 && pod->required_anti_affinity_count == 0 &&
                 pod->resource_claim_count == 0 && !has_ports(pod) && !names_hosts(pod);
    for (size_t i = 0; i < pod->spread_count; i++)
        plain = plain && pod->spread[i].when_unsatisfiable != KARP_DO_NOT_SCHEDULE;
    for (size_t i = 0; i < pod->volume_count; i++) plain = plain && pod->volumes[i].kind == KARP_VOLUME_OTHER;
    return plain;
}

/* Whether other pods' anti-affinity may select pods of the shape: an expression counts as a match. */
static bool may_select(const karp_selector *s, const karp_meta *meta)
{
    return labels_include(meta->labels, meta->label_count, s->match_labels, s->match_label_count);
}

static size_t anti_affinity_terms(const engine *e)
{
    size_t count = 0;
    for (size_t i = 0; i < e->pods.shape_count; i++) count += e->pods.shapes[i].pod.required_anti_affinity_count;
    return count;
}

/* The selectors of the shapes, and those that the state of the replay has. */
static bool list_anti_affinity(engine *e)
{
    const tree *earlier = tree_get(e->base->state, "antiAffinity");
    size_t most = anti_affinity_terms(e) + tree_count(earlier);
    karp_selector *made = arena_zalloc(&e->memory, (tree_count(earlier) + 1) * sizeof *made);
    const karp_selector **list = arena_alloc(&e->memory, (most + 1) * sizeof *list);
    if (!made || !list) return false;
    e->pods.kept_away = list;
    for (size_t i = 0; i < e->pods.shape_count; i++) {
        const karp_pod *by = &e->pods.shapes[i].pod;
        for (size_t k = 0; k < by->required_anti_affinity_count; k++) {
            const karp_selector *selector = by->required_anti_affinity[k].label_selector;
            if (selector) list[e->pods.kept_away_count++] = selector;
        }
    }
    for (size_t i = 0; i < tree_count(earlier); i++) {
        const tree *labels = tree_item(earlier, i);
        size_t count = tree_is(labels, TREE_MAP) ? tree_count(labels) : 0;
        karp_label *own = arena_alloc(&e->memory, (count + 1) * sizeof *own);
        if (!own) return false;
        for (size_t k = 0; k < count; k++) {
            const tree_member *member = tree_member_at(labels, k);
            own[k] = (karp_label){ tree_member_name(member), tree_text(member->value) };
        }
        made[i].match_labels = own;
        made[i].match_label_count = count;
        list[e->pods.kept_away_count++] = &made[i];
    }
    return true;
}

/* Pods that may be selected by another pod's anti-affinity are left to karp_provision(), together with those pods. */
static void note_kept_away(engine *e)
{
    for (size_t i = 0; i < e->pods.shape_count; i++) {
        replay_shape *s = &e->pods.shapes[i];
        for (size_t k = 0; k < e->pods.kept_away_count && s->plain; k++)
            s->plain = !may_select(e->pods.kept_away[k], &s->pod.meta);
        s->plain = s->plain || s->scheduled;
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool is_protected(const karp_meta *meta)
{
    const karp_str *value = label_value(meta->annotations, meta->annotation_count, str("karpenter.sh/do-not-disrupt"));
    return value && str_is(*value, "true");
}

static karp_status decode_shape(engine *e, karp_reader *reader, replay_shape *s, tree **object)
{
    io_decoder d;
    karp_status status = tree_read(&e->objects.shapes_memory, str("a pod of the trace"), s->text, object, &e->error);
    if (status) return status;
    tree *metadata = tree_get_or_make(&e->objects.shapes_memory, *object, "metadata");
    io_fill_ports(&e->objects.shapes_memory, tree_get(*object, "spec"));
    char name[40] = SHAPE_NAME;
    size_t length = sizeof SHAPE_NAME - 1;
    length += write_digits(name + length, (uint64_t)(s - e->pods.shapes));
    tree_set_text(&e->objects.shapes_memory, metadata, "name", (karp_str){ name, length });
    tree_set_text(&e->objects.shapes_memory, *object, "apiVersion", str("v1"));
    tree_set_text(&e->objects.shapes_memory, *object, "kind", str("Pod"));
    if (e->objects.shapes_memory.status) return fail_nomem(&e->error);
    io_decoder_init(&d, &e->memory);
    io_decode_pod(&d, *object, &s->pod);
    io_predict_pod(reader, &d, *object, &s->pod);
    if (d.status) {
        e->error = d.error;
        char field[sizeof e->error.field];
        io_path_text(d.path, d.depth, field, sizeof field);
        error_set_field(&e->error, "%s", field);
        error_set_object(&e->error, "Pod", tree_get_text(metadata, "namespace"), (karp_str){ "of the trace", 12 });
        return d.status;
    }
    if (s->pod.meta.namespace_.len == 0) s->pod.meta.namespace_ = str("default");
    s->owned = s->pod.meta.owner_count > 0;
    s->protected_ = is_protected(&s->pod.meta);
    s->plain = needs_nothing_of_other_pods(&s->pod);
    return KARP_OK;
}

/* Shapes of one controller may differ: those of a dump have what was filled in. */
static void find_group(engine *e, uint32_t shape)
{
    replay_shape *s = &e->pods.shapes[shape];
    s->group = shape;
    for (size_t i = 0; i < s->pod.meta.owner_count; i++) {
        const karp_owner *owner = &s->pod.meta.owners[i];
        if (!owner->controller) continue;
        s->one_by_one = str_is(owner->kind, "StatefulSet");
        karp_str key = engine_key(e, owner->kind, s->pod.meta.namespace_, owner->name);
        uint32_t *group = key.len ? io_table_at(&e->pods.groups, key) : NULL;
        if (!group) engine_nomem(e);
        else if (*group == IO_NONE) *group = shape;
        else s->group = *group;
        return;
    }
}

/* Adds the shapes as pods, with their numbers as names, in addition to the objects. */
static karp_status add_shapes(engine *e, karp_reader *reader)
{
    karp_status status = io_settle_predictions(reader);
    if (status) e->error = reader->error;
    for (size_t i = 0; i < e->pods.shape_count && !status; i++) {
        tree *object = NULL;
        strbuf text;
        e->pods.shapes[i] = (replay_shape){ .text = strings_get(&e->trace->shapes, (uint32_t)i),
                                            .first_pod = REPLAY_NONE,
                                            .first_held = REPLAY_NONE,
                                            .last_held = REPLAY_NONE };
        status = decode_shape(e, reader, &e->pods.shapes[i], &object);
        if (!status) find_group(e, (uint32_t)i);
        if (!status) binding_shape(e, (uint32_t)i, object);
        if (!status) status = e->status;
        if (status) return status;
        strbuf_init(&text, e->context);
        tree_write(&text, object);
        status = text.failed
                     ? fail_nomem(&e->error)
                     : karp_reader_add(reader, str("a pod of the trace"), (karp_str){ text.ptr, text.len }, &e->error);
        strbuf_free(&text);
    }
    return status;
}

/* The shape whose pod is row `row`; NULL = the row is not a shape. */
static replay_shape *shape_of_row(engine *e, const karp_snapshot *snapshot, size_t row)
{
    karp_str name = karp_snapshot_pod_name(snapshot, row);
    size_t slash = 0;
    while (slash < name.len && name.ptr[slash] != '/') slash++;
    size_t digits = slash + sizeof SHAPE_NAME;
    if (digits >= name.len + 1 || memcmp(name.ptr + slash + 1, SHAPE_NAME, sizeof SHAPE_NAME - 1) != 0) return NULL;
    uint64_t number = 0;
    for (size_t i = digits; i < name.len; i++) number = number * 10 + (uint64_t)(name.ptr[i] - '0');
    return number < e->pods.shape_count ? &e->pods.shapes[number] : NULL;
}

static karp_status read_column(engine *e, const karp_snapshot *snapshot, const karp_column *column, uint32_t resource)
{
    for (size_t row = 0; row < column->row_count; row++) {
        replay_shape *s = shape_of_row(e, snapshot, row);
        if (!s && (e->played || buffer_requests(e, karp_snapshot_pod_name(snapshot, row)))) continue;
        if (!s)
            return fail(&e->error, KARP_E_UNSUPPORTED, "the objects of a replay have no pods: pods come from a trace");
        if (resource == REPLAY_NONE) s->priority = (int32_t)((const int64_t *)column->values)[row];
        else s->requests[resource] = engine_whole(((const double *)column->values)[row], resource);
        if (resource != REPLAY_NONE && s->requests[resource]) s->requests[RESOURCE_PODS] = 1000;
    }
    return KARP_OK;
}

/* Reads requests and priorities from the snapshot's table of pods. */
static karp_status read_requests(engine *e, const karp_snapshot *snapshot)
{
    karp_table *table = NULL;
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_PODS, &table, &e->error);
    for (size_t i = 0; !status && i < karp_table_column_count(table); i++) {
        karp_column column = { .size = sizeof column };
        status = karp_table_column(table, i, &column);
        karp_str name = column.name;
        if (status) break;
        if (str_is(name, "priority")) status = read_column(e, snapshot, &column, REPLAY_NONE);
        if (!str_starts(name, "requests.")) continue;
        uint32_t resource = engine_resource(e, (karp_str){ name.ptr + 9, name.len - 9 });
        status = e->status ? e->status : read_column(e, snapshot, &column, resource);
    }
    karp_table_free(table);
    for (size_t i = 0; i < e->pods.shape_count; i++) e->pods.shapes[i].requests[RESOURCE_PODS] = 1000;
    return status;
}

karp_status engine_shapes(engine *e)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_snapshot_counts counts = { .size = sizeof counts };
    e->pods.shapes = mem_zalloc(e->context, e->trace->shapes.count * sizeof *e->pods.shapes);
    e->pods.shape_count = e->pods.shapes ? e->trace->shapes.count : 0;
    (void)engine_resource(e, str("cpu"));
    (void)engine_resource(e, str("memory"));
    (void)engine_resource(e, str("pods"));
    if (!e->pods.shapes) engine_nomem(e);
    if (e->status) return e->status;
    karp_status status = binding_begin(e);
    if (!status) status = engine_reader(e, false, &reader);
    if (!status) status = add_shapes(e, reader);
    if (!status) status = karp_reader_finish(reader, &snapshot, &e->error);
    if (!status) status = buffers_read(e, snapshot);
    if (!status) status = read_requests(e, snapshot);
    if (!status) {
        karp_snapshot_get_counts(snapshot, &counts);
        if (counts.nodes && !e->played)
            status = fail(&e->error, KARP_E_UNSUPPORTED,
                          "the objects of a replay have no nodes: a replay begins without any");
    }
    if (!status && !list_anti_affinity(e)) status = fail_nomem(&e->error);
    if (!status) {
        note_kept_away(e);
        e->resources_settled = true;
        e->pods.ordered = true;
        for (size_t i = 1; i < e->pods.shape_count; i++)
            e->pods.ordered = e->pods.ordered && e->pods.shapes[i].priority == e->pods.shapes[0].priority;
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}
