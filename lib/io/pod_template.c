/* SPDX-License-Identifier: Apache-2.0 */

#include <io/groups.h>
#include <io/notes.h>
#include <io/verticals.h>

void io_pod_templates_init(io_pod_templates *p, karp_context *context)
{
    memset(p, 0, sizeof *p);
    p->added = NO_ID;
    words_init(&p->keys, context);
    map64_init(&p->surveyed, context);
    map64_init(&p->written, context);
    map64_init(&p->recipes, context);
    map64_init(&p->owned, context);
    arena_init(&p->memory, context);
    trees_init(&p->specs, context);
}

void io_pod_templates_clear(io_pod_templates *p)
{
    karp_context *context = p->memory.context;
    mem_free(context, p->list, p->capacity * sizeof *p->list);
    words_free(&p->keys);
    map64_free(&p->surveyed);
    map64_free(&p->written);
    map64_free(&p->recipes);
    map64_free(&p->owned);
    mem_free(context, p->owners, p->owner_capacity * sizeof *p->owners);
    arena_free(&p->memory);
    trees_free(&p->specs);
    io_pod_templates_init(p, context);
}

/* ---- what pods share --------------------------------------------------------------------------------------------- */

uint64_t io_shared_address(const tree *value)
{
    if (!value->repeated || value->capacity > 0 || value->count == 0) return 0;
    return (uint64_t)(uintptr_t)(value->type == TREE_MAP ? (const void *)value->of.members
                                                         : (const void *)value->of.items);
}

enum { SHARED_VALUES = 4 };

/* Finds what the pod shares: all but its own parts, or all but these and the spec, if it has an owner. *out stays NULL
 * for a pod that may share nothing. false = out of memory. */
static bool find_template(karp_reader *reader, const tree *root, io_pod_template **out)
{
    io_pod_templates *p = &reader->pod_templates;
    const tree *metadata = tree_get(root, "metadata"), *spec = tree_get(root, "spec");
    const tree *const values[SHARED_VALUES] = { spec, tree_get(metadata, "labels"), tree_get(metadata, "annotations"),
                                                tree_get(metadata, "ownerReferences") };
    uint64_t key[SHARED_VALUES];
    uint32_t parts[2 * SHARED_VALUES];
    if (!spec) return true;
    for (size_t i = 0; i < SHARED_VALUES; i++) {
        key[i] = values[i] ? io_shared_address(values[i]) : 0;
        if (values[i] && key[i] == 0 && i > 0) return true;
    }
    if (key[0] == 0 && key[SHARED_VALUES - 1] == 0) return true;
    memcpy(parts, key, sizeof key);
    size_t before = p->keys.count;
    uint32_t id = words_add(&p->keys, parts, 2 * SHARED_VALUES);
    if (id == NO_ID || !grow(reader->context, (void **)&p->list, &p->capacity, p->keys.count, sizeof *p->list))
        return false;
    if (id == before) p->list[id] = (io_pod_template){ .pod = NULL };
    *out = &p->list[id];
    return true;
}

/* Whether all that the pod has in its spec is the same for every pod with this spec. */
static bool can_be_shared(const karp_pod *pod)
{
    bool ephemeral = false;
    for (size_t i = 0; i < pod->volume_count; i++)
        ephemeral = ephemeral || pod->volumes[i].kind == KARP_VOLUME_EPHEMERAL;
    return !ephemeral && pod->resource_claim_count == 0 && pod->group_source != KARP_GROUP_YUNIKORN;
}

/* Whether the status changes the requests. */
static bool has_resources(const karp_pod *pod)
{
    for (size_t i = 0; i < pod->condition_count; i++) {
        if (str_is(pod->conditions[i].type, "PodResizePending")) return true;
    }
    for (size_t i = 0; i < pod->container_status_count; i++) {
        const karp_container_status *s = &pod->container_statuses[i];
        if (s->has_resources || s->request_count > 0 || s->allocated_count > 0) return true;
    }
    return false;
}

enum { MOST_STATUSES = 4, MOST_SPECS = 4 }; /* of a template, that are kept */

static bool keep_status(karp_reader *reader, const tree *root, io_pod_template *t)
{
    io_decoder d;
    karp_pod *kept = arena_alloc(&reader->pod_templates.memory, sizeof *kept);
    if (!kept) return false;
    *kept = *t->pod;
    io_decoder_init(&d, &reader->pod_templates.memory);
    io_decode_pod_status(&d, root, kept);
    t->with_status = kept;
    t->statuses++;
    return d.status == KARP_OK; /* it was decoded before, so that nothing but memory can fail */
}

static uint64_t status_address(const tree *root)
{
    const tree *status = tree_get(root, "status");
    return status ? io_shared_address(status) : 0;
}

/* Keeps a spec that is the pod's own. Returns the pod with the copy; NULL = out of memory. */
static const tree *keep_spec(trees *t, const tree *root, const tree *spec, io_pod_template *of)
{
    tree *kept = io_keep_spec(t, spec), *copy = tree_copy(t, root);
    tree_set(t, copy, "spec", kept);
    of->spec = kept;
    of->specs++;
    return t->status == KARP_OK ? copy : NULL;
}

/* Makes a template of a pod that was added, and keeps its status. */
static karp_status make_template(karp_reader *reader, const tree *root, karp_str namespace_, io_pod_template *t)
{
    io_decoder d;
    arena *memory = &reader->pod_templates.memory;
    t->pod = t->with_status = NULL;
    const tree *spec = tree_get(root, "spec");
    if (spec && io_shared_address(spec) == 0) root = keep_spec(&reader->pod_templates.specs, root, spec, t);
    if (!root) return io_reader_nomem(reader);
    karp_pod *pod = arena_alloc(memory, sizeof *pod);
    const char *space = arena_string(memory, namespace_.ptr, namespace_.len);
    if (!pod || !space) return io_reader_nomem(reader);
    io_decoder_init(&d, memory);
    io_decode_shared_pod(&d, root, pod);
    if (d.status) return io_reader_nomem(reader); /* it was decoded before, so that nothing else can fail */
    pod->meta.namespace_ = (karp_str){ space, namespace_.len };
    karp_status status = io_group_of_pod(reader, &d, root, pod);
    io_predict_pod(reader, &d, root, pod);
    if (d.status) return io_reader_nomem(reader);
    if (status == KARP_OK) status = karp_builder_add_pod_template(reader->builder, pod, &t->number, &reader->error);
    if (status) return status;
    t->pod = pod;
    t->status = status_address(root);
    if (t->status == 0) return KARP_OK;
    reader->pod_templates.added = (uint32_t)(t - reader->pod_templates.list);
    return keep_status(reader, root, t) ? KARP_OK : io_reader_nomem(reader);
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static karp_status note_pod(karp_reader *reader, const karp_pod *pod)
{
    karp_status status = io_note_invalid_pod(reader, pod);
    io_pending_add(reader, pod);
    return status;
}

karp_templated_pod io_own_part(const karp_pod *pod)
{
    return (karp_templated_pod){
        .size = sizeof(karp_templated_pod),
        .name = pod->meta.name,
        .uid = pod->meta.uid,
        .node_name = pod->node_name,
        .nominated_node_name = pod->nominated_node_name,
        .creation = pod->meta.creation,
        .deletion = pod->meta.deletion,
        .start_time = pod->start_time,
        .conditions = pod->conditions,
        .condition_count = pod->condition_count,
        .phase = pod->phase,
    };
}

static karp_status add_templated(karp_reader *reader, const karp_pod *pod, uint32_t number)
{
    const karp_templated_pod own = io_own_part(pod);
    karp_status status = note_pod(reader, pod);
    return status ? status : karp_builder_add_templated_pod(reader->builder, number, &own, &reader->error);
}

/* Pods of a workload that wait usually have one status, which is decoded once. */
static bool decode_own(karp_reader *reader, io_decoder *d, const tree *root, io_pod_template *t, karp_pod *pod)
{
    uint64_t address = status_address(root);
    bool again = address && address == t->status;
    if (again && !t->with_status && t->statuses < MOST_STATUSES && !keep_status(reader, root, t)) return false;
    bool known = again && t->with_status;
    *pod = known ? *t->with_status : *t->pod;
    pod->meta.namespace_ = (karp_str){ "", 0 };
    io_decode_own_meta(d, root, pod);
    if (t->spec) pod->node_name = io_string(d, tree_get(root, "spec"), "nodeName");
    if (known) return true;
    io_decode_pod_status(d, root, pod);
    t->status = d->status == KARP_OK ? address : 0;
    t->with_status = NULL;
    return true;
}

karp_status io_add_pod(karp_reader *reader, io_decoder *d, const tree *root)
{
    karp_pod pod;
    io_pod_template *t = NULL;
    if (!find_template(reader, root, &t)) return io_reader_nomem(reader);
    reader->pod_templates.added = NO_ID;
    bool other = t && t->spec && !io_same_spec(tree_get(root, "spec"), t->spec);
    if (t && t->pod && !other) {
        if (!decode_own(reader, d, root, t, &pod)) return io_reader_nomem(reader);
        if (d->status && t->spec) io_decoder_init(d, d->arena); /* the whole pod tells what is wrong first */
        else if (d->status) return d->status;
        else if (equal_str(pod.meta.namespace_, t->pod->meta.namespace_) && !has_resources(&pod)) {
            if (t->with_status) reader->pod_templates.added = (uint32_t)(t - reader->pod_templates.list);
            return add_templated(reader, &pod, t->number);
        }
    }
    io_decode_pod(d, root, &pod);
    io_predict_pod(reader, d, root, &pod);
    if (d->status) return d->status;
    karp_status status = io_group_of_pod(reader, d, root, &pod);
    if (status == KARP_OK) status = note_pod(reader, &pod);
    if (status == KARP_OK) status = io_retired_labels(reader, pod.node_selector, pod.node_selector_count);
    if (status == KARP_OK) status = karp_builder_add_pod(reader->builder, &pod, &reader->error);
    bool wanted = t && (!t->pod || (other && t->specs < MOST_SPECS)) && (t->met++ > 0 || reader->pod_templates.more);
    if (status || !wanted || !can_be_shared(&pod) || has_resources(&pod)) return status;
    return make_template(reader, root, pod.meta.namespace_, t);
}
