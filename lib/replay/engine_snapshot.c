/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster as a snapshot: changes since the last one are applied to it (karp_snapshot_edit()). It is built anew when
 * objects or available offerings have changed, and from time to time to free the memory of removed rows.
 */
#include <base/labels.h>
#include <karp/inspect.h>
#include <karp/library.h>
#include <replay/document.h>
#include <replay/engine.h>

/* The number of removed rows that still use memory before a new snapshot is worth its time. */
enum { MOST_STALE_ROWS = 100000 };

#define CONDITION(type, when)                                                                                          \
    (karp_condition) { { type, sizeof type - 1 }, { "True", 4 }, { type, sizeof type - 1 }, when }

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static karp_meta node_meta(const replay_node *n)
{
    return (karp_meta){ .name = n->name, .labels = n->labels, .label_count = n->label_count, .creation = n->created };
}

enum { MOST_CONDITIONS = 6 };

static karp_node_claim_status claim_status(const engine *e, const replay_node *n,
                                           karp_condition conditions[MOST_CONDITIONS])
{
    size_t count = 0;
    int64_t initialization = e->options->initialization;
    conditions[count++] = CONDITION("Launched", n->created);
    if (n->ready) {
        conditions[count++] = CONDITION("Registered", n->ready_at);
        if (!n->initializing) conditions[count++] = CONDITION("Initialized", n->ready_at + initialization);
        if (!n->initializing) conditions[count++] = CONDITION("Ready", n->ready_at + initialization);
    }
    /* A nominated node is no candidate, whatever its conditions are. */
    if (n->consolidatable && !n->nominated) conditions[count++] = CONDITION("Consolidatable", n->ready_at);
    if (n->drifted && !n->nominated) {
        conditions[count] = CONDITION("Drifted", n->drifted_at);
        if (n->drift_reason.len) conditions[count].reason = n->drift_reason;
        count++;
    }
    return (karp_node_claim_status){ .size = sizeof(karp_node_claim_status),
                                     .conditions = conditions,
                                     .condition_count = count,
                                     .last_pod_event = n->last_event,
                                     .deletion = n->deleting || n->tainted ? n->deleted_at : KARP_NO_TIME };
}

static karp_status add_claim(engine *e, karp_builder *builder, const replay_node *n)
{
    karp_condition conditions[MOST_CONDITIONS];
    karp_node_claim_status status = claim_status(e, n, conditions);
    karp_node_claim claim;
    karp_node_claim_init(&claim, sizeof claim);
    claim.meta = node_meta(n);
    if (!n->ready) claim.meta.label_count -= 1; /* the hostname is only known once the node is ready */
    claim.meta.annotations = n->annotations;
    claim.meta.annotation_count = n->annotation_count;
    claim.meta.deletion = status.deletion;
    claim.provider_id = n->name;
    claim.node_class = n->node_class;
    claim.taints = n->taints;
    claim.taint_count = n->taint_count;
    claim.startup_taints = n->startup_taints;
    claim.startup_taint_count = n->startup_taint_count;
    claim.capacity = n->capacity;
    claim.capacity_count = n->capacity_count;
    claim.allocatable = n->resources;
    claim.allocatable_count = n->resource_count;
    claim.expire_after = n->expire_after;
    claim.termination_grace_period = n->termination_grace_period;
    claim.last_pod_event = status.last_pod_event;
    claim.conditions = status.conditions;
    claim.condition_count = status.condition_count;
    return karp_builder_add_node_claim(builder, &claim, &e->error);
}

static karp_status add_node(engine *e, karp_builder *builder, const replay_node *n)
{
    static const karp_str unknown = { "Unknown", 7 }, silent = { "NodeStatusUnknown", 17 };
    karp_condition ready = CONDITION("Ready", n->health_since ? n->health_since : n->ready_at);
    if (n->unready) ready.status = unknown;
    if (n->unready) ready.reason = silent;
    karp_taint taints[RESOURCES_MOST];
    karp_node node;
    karp_node_init(&node, sizeof node);
    node.meta = node_meta(n);
    node.provider_id = n->name;
    node.taints = n->node_taints;
    node.taint_count = n->node_taint_count;
    if ((n->tainted || n->deleting) && n->node_taint_count < RESOURCES_MOST) {
        if (n->node_taint_count) memcpy(taints, n->node_taints, n->node_taint_count * sizeof *taints);
        taints[n->node_taint_count] = (karp_taint){ { "karpenter.sh/disrupted", 22 }, { "", 0 }, { "NoSchedule", 10 } };
        node.taints = taints;
        node.taint_count = n->node_taint_count + 1;
    }
    node.capacity = n->capacity;
    node.capacity_count = n->capacity_count;
    node.allocatable = n->resources;
    node.allocatable_count = n->resource_count;
    node.conditions = &ready;
    node.condition_count = 1;
    return karp_builder_add_node(builder, &node, &e->error);
}

/* Only the status of a claim changes while it is in the snapshot, and its labels when the node becomes ready. */
static karp_status edit_claim(engine *e, karp_builder *builder, const replay_node *n)
{
    static const karp_str none = { "", 0 };
    karp_condition conditions[MOST_CONDITIONS];
    karp_status status = KARP_OK;
    bool stays = !n->gone && !n->unmanaged;
    if (n->claim_in_snapshot) e->objects.rows_since_rebuild++;
    if (n->claim_in_snapshot && stays && n->node_in_snapshot == n->ready) {
        karp_node_claim_status now = claim_status(e, n, conditions);
        return karp_builder_set_node_claim_status(builder, n->name, &now, &e->error);
    }
    if (n->claim_in_snapshot) status = karp_builder_remove(builder, str("NodeClaim"), none, n->name, &e->error);
    return status || !stays ? status : add_claim(e, builder, n);
}

static karp_status edit_node(engine *e, karp_builder *builder, replay_node *n)
{
    static const karp_str none = { "", 0 };
    karp_status status = edit_claim(e, builder, n);
    bool disrupted = n->tainted || n->deleting,
         same_node = n->node_in_snapshot && !n->gone && disrupted == n->shown_disrupted &&
                     n->unready == n->shown_unready && n->evicts == n->shown_evicts;
    if (n->node_in_snapshot && !same_node && !status)
        status = karp_builder_remove(builder, str("Node"), none, n->name, &e->error);
    n->claim_in_snapshot = !n->gone && !n->unmanaged;
    n->node_in_snapshot = !n->gone && n->ready;
    n->shown_disrupted = disrupted;
    n->shown_unready = n->unready;
    n->shown_evicts = n->evicts;
    if (n->node_in_snapshot && !same_node && !status) status = add_node(e, builder, n);
    n->dirty = false;
    if (n->gone) arena_free(&n->memory);
    return status;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static karp_status template_of(engine *e, karp_builder *builder, replay_shape *s)
{
    if (s->has_template) return KARP_OK;
    s->has_template = true;
    karp_pod pod = s->pod;
    pod.priority = s->priority;
    pod.has_priority = s->priority != 0;
    return karp_builder_add_pod_template(builder, &pod, &s->template_, &e->error);
}

/* UIDs of a story's pods: in the order of their creation, after those that its objects get by default. */
static karp_str numbered(char uid[37], uint64_t number)
{
    for (size_t i = 35; number && uid[i] != '-'; i--, number /= 10) uid[i] = (char)('0' + number % 10);
    return str(uid);
}

static karp_status add_pod(engine *e, karp_builder *builder, const replay_pod *p)
{
    static const karp_str scheduled = { "PodScheduled", 12 };
    replay_shape *s = &e->pods.shapes[p->shape];
    karp_condition conditions[2] = { { scheduled, { "False", 5 }, str(shape_waits(s)), p->waits_since },
                                     { .last_transition = 0 } };
    karp_templated_pod pod;
    karp_status status = template_of(e, builder, s);
    if (status) return status;
    karp_templated_pod_init(&pod, sizeof pod);
    pod.name = pod.uid = p->name; /* pods of the same time are sorted by their UIDs */
    char uid[] = "00000000-0000-4000-8000-000000000000";
    if (e->played) pod.uid = numbered(uid, tree_count(e->objects.documents) + (size_t)(p - e->pods.list) + 1);
    pod.creation = p->created;
    pod.phase = KARP_PHASE_PENDING;
    pod.conditions = conditions;
    pod.condition_count = 1;
    if (p->state == POD_RUNNING) {
        pod.node_name = e->nodes.list[p->node].name;
        pod.phase = KARP_PHASE_RUNNING;
        pod.start_time = p->started;
        conditions[0] = CONDITION("PodScheduled", p->started);
        conditions[1] = CONDITION("Ready", p->started);
        if (e->nodes.list[p->node].unready) conditions[1].status = str("False");
        pod.condition_count = 2;
    }
    return karp_builder_add_templated_pod(builder, s->template_, &pod, &e->error);
}

static karp_status edit_pod(engine *e, karp_builder *builder, replay_pod *p)
{
    karp_status status = KARP_OK;
    if (p->in_snapshot) {
        status = karp_builder_remove(builder, str("Pod"), p->namespace_, p->name, &e->error);
        e->objects.rows_since_rebuild++;
    }
    p->dirty = false;
    p->in_snapshot = p->state == POD_PENDING || p->state == POD_RUNNING;
    return status || !p->in_snapshot ? status : add_pod(e, builder, p);
}

static karp_status edit_budgets(engine *e, karp_builder *builder)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < e->budgets.count && !status; i++) {
        replay_budget *b = &e->budgets.list[i];
        if (b->shown == b->allowed) continue;
        status = karp_builder_remove(builder, str("PodDisruptionBudget"), b->object.meta.namespace_,
                                     b->object.meta.name, &e->error);
        b->object.disruptions_allowed = b->shown = b->allowed;
        if (!status) status = karp_builder_add_pod_disruption_budget(builder, &b->object, &e->error);
    }
    return status;
}

/* ---- a new snapshot ---------------------------------------------------------------------------------------------- */

/* The catalogue without the offerings that Karpenter has seen fail. */
static karp_status known_catalogue(engine *e, karp_catalogue **out)
{
    karp_catalogue *all = e->options->catalogue;
    size_t count = karp_catalogue_count(all);
    bool any = false;
    for (size_t i = 0; i < e->losses.count; i++)
        any = any || (e->losses.list[i].known && !e->losses.list[i].interrupted);
    if (!any) {
        *out = karp_catalogue_ref(all);
        return KARP_OK;
    }
    arena memory = arena_on(e->context);
    karp_instance_type *types = arena_alloc(&memory, count * sizeof *types + 1);
    for (size_t i = 0; types && i < count; i++) {
        types[i] = *karp_catalogue_type(all, i);
        karp_offering *offerings = arena_alloc(&memory, types[i].offering_count * sizeof *offerings + 1);
        if (!offerings) {
            types = NULL;
            break;
        }
        if (types[i].offering_count) memcpy(offerings, types[i].offerings, types[i].offering_count * sizeof *offerings);
        types[i].offerings = offerings;
        for (size_t k = 0; k < types[i].offering_count; k++) {
            karp_str zone = { "", 0 }, capacity = { "", 0 };
            for (size_t r = 0; r < offerings[k].requirement_count; r++) {
                const karp_requirement *q = &offerings[k].requirements[r];
                if (q->value_count != 1) continue;
                if (str_is(q->key, LABEL_ZONE)) zone = q->values[0];
                if (str_is(q->key, LABEL_CAPACITY_TYPE)) capacity = q->values[0];
            }
            for (size_t l = 0; l < e->losses.count; l++) {
                if (e->losses.list[l].known && !e->losses.list[l].interrupted &&
                    loss_applies(&e->losses.list[l], types[i].name, zone, capacity))
                    offerings[k].available = 0;
            }
        }
    }
    karp_status status = types ? karp_catalogue_new(e->context, types, count, out, &e->error) : fail_nomem(&e->error);
    arena_free(&memory);
    return status;
}

/* A Namespace without labels of its own is not given to readers, which add one for every namespace that is used. So it
 * makes no difference whether the input had it, or a dump that the replay goes on from. */
static bool says_only_its_name(const tree *object)
{
    const tree *metadata = tree_get(object, "metadata"), *labels = tree_get(metadata, "labels");
    size_t own = tree_count(labels) - (tree_get(labels, "kubernetes.io/metadata.name") != NULL);
    return str_is(tree_get_text(object, "kind"), "Namespace") && own == 0 && !tree_get(metadata, "annotations") &&
           !tree_get(metadata, "deletionTimestamp");
}

/* Appends the object. In a dump, it says how many instances of its reservations are free at that time. */
static void write_document(engine *e, bool dumped, const tree *object, strbuf *text)
{
    trees t = trees_on(e->context);
    tree *own = dumped && reservations_of(object) && e->reservations.count > 0 ? tree_copy(&t, object) : NULL;
    if (own) reservations_state(e, &t, own);
    tree_write(text, own ? own : object);
    strbuf_addc(text, '\n');
    text->failed = text->failed || t.status != KARP_OK;
    trees_free(&t);
}

karp_status engine_reader(engine *e, bool keep_documents, karp_reader **out)
{
    karp_reader_options options;
    karp_reader *reader = NULL;
    karp_catalogue *catalogue = NULL;
    strbuf text = strbuf_on(e->context);
    karp_reader_options_init(&options, sizeof options);
    options.previews = e->decision.flip_rules;
    karp_str name = str(e->played ? "the story's cluster" : "the objects of the replay");
    options.now = e->now;
    options.region = e->options->region.len ? e->options->region : e->trace->region;
    options.feature_gates = e->options->feature_gates;
    options.peer_version = e->decision.profile == KARP_PROFILE_KARPENTER ? e->decision.peer_version : KARP_PEER_NEWEST;
    options.keep_documents = keep_documents;
    karp_status status = karp_reader_new(e->context, &options, &reader, &e->error);
    /* What rules make is among the objects, beside what it was made of. */
    if (!status) status = document_rules(reader, e->trace->ignored_kinds, str(""), &e->error);
    if (!status && e->options->catalogue) status = known_catalogue(e, &catalogue);
    if (!status && catalogue) status = karp_reader_add_catalogue(reader, catalogue, &e->error);
    if (!status && e->base->head) {
        tree_write(&text, e->base->head);
        strbuf_addc(&text, '\n');
    }
    for (size_t i = 0; i < tree_count(e->objects.documents) && !status; i++) {
        if (says_only_its_name(tree_item(e->objects.documents, i))) continue;
        write_document(e, keep_documents, tree_item(e->objects.documents, i), &text);
        if (text.failed) status = fail_nomem(&e->error);
    }
    if (!status && text.len) status = karp_reader_add(reader, name, (karp_str){ text.ptr, text.len }, &e->error);
    strbuf_free(&text);
    karp_catalogue_unref(catalogue);
    if (status) karp_reader_free(reader);
    else *out = reader;
    return status;
}

static karp_status build_afresh(engine *e)
{
    karp_reader *reader = NULL;
    karp_snapshot *fresh = NULL;
    karp_status status = engine_reader(e, false, &reader);
    if (!status) status = karp_reader_finish(reader, &fresh, &e->error);
    karp_reader_free(reader);
    if (!status) status = buffers_read(e, fresh);
    if (status) {
        karp_snapshot_unref(fresh);
        return status;
    }
    karp_snapshot_unref(e->objects.snapshot);
    e->objects.snapshot = fresh;
    e->objects.stale = false;
    e->objects.rows_since_rebuild = 0;
    e->objects.dirty_pod_count = e->objects.dirty_node_count = 0;
    for (size_t i = 0; i < e->pods.count; i++) {
        e->pods.list[i].in_snapshot = e->pods.list[i].dirty = false;
        if (e->pods.list[i].state != POD_GONE) pod_touch(e, (uint32_t)i);
    }
    for (size_t i = 0; i < e->nodes.count; i++) {
        e->nodes.list[i].claim_in_snapshot = e->nodes.list[i].node_in_snapshot = e->nodes.list[i].dirty = false;
        if (!e->nodes.list[i].gone) node_touch(e, (uint32_t)i);
    }
    for (size_t i = 0; i < e->budgets.count; i++) e->budgets.list[i].shown = -1;
    for (size_t i = 0; i < e->reservations.count; i++) e->reservations.list[i].shown = 0;
    for (size_t i = 0; i < e->pods.shape_count; i++) e->pods.shapes[i].has_template = false;
    return e->status;
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

/* Adds nodes before pods and removes them after pods, because a bound pod without its node changes decisions. New pods
 * reuse the numbers of removed pods. */
static karp_status edit_rows(engine *e, karp_builder *builder)
{
    karp_status status = karp_builder_set_now(builder, e->now, &e->error);
    for (size_t i = 0; i < e->objects.dirty_node_count && !status; i++) {
        replay_node *n = &e->nodes.list[e->objects.dirty_nodes[i]];
        if (!n->gone) status = edit_node(e, builder, n);
    }
    for (size_t i = 0; i < e->objects.dirty_pod_count && !status; i++)
        status = edit_pod(e, builder, &e->pods.list[e->objects.dirty_pods[i]]);
    for (size_t i = 0; i < e->objects.dirty_node_count && !status; i++) {
        replay_node *n = &e->nodes.list[e->objects.dirty_nodes[i]];
        if (n->gone && n->dirty) status = edit_node(e, builder, n);
    }
    if (!status) status = edit_budgets(e, builder);
    if (!status) status = reservations_show(e, builder);
    e->objects.dirty_pod_count = e->objects.dirty_node_count = 0;
    return status;
}

karp_snapshot *engine_snapshot(engine *e)
{
    karp_builder *builder = NULL;
    karp_snapshot *edited = NULL;
    uint64_t changes = e->disruption.changes;
    buffers_consume(e);
    if (e->status) return NULL;
    karp_status status = e->objects.stale || e->objects.rows_since_rebuild > MOST_STALE_ROWS ? build_afresh(e)
                                                                                             : KARP_OK;
    e->disruption.changes = changes;
    if (!status) status = karp_snapshot_edit(e->objects.snapshot, &builder, &e->error);
    /* Unless a decision has the snapshot, the builder is its only owner now and changes it in place where it can. */
    karp_snapshot_unref(e->objects.snapshot);
    e->objects.snapshot = NULL;
    if (!status) status = edit_rows(e, builder);
    if (!status) status = karp_builder_finish(builder, &edited, &e->error);
    karp_builder_free(builder);
    if (status) {
        keep_failure(&e->status, status);
        return NULL;
    }
    e->objects.snapshot = edited;
    return edited;
}
