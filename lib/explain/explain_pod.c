/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/changes.h>
#include <explain/explain_pod.h>
#include <verify/verify.h>

#include <base/context.h>
#include <base/error.h>
#include <base/nearest.h>
#include <base/sort.h>
#include <model/prepare.h>
#include <provision/provision.h>
#include <schedule/movable.h>

/* ---- changed views ----------------------------------------------------------------------------------------------- */

bool overlay_view_init(overlay_view *o, const karp_snapshot *snapshot)
{
    const store *raw = &snapshot->raw;
    memset(o, 0, sizeof *o);
    o->snapshot = snapshot;
    arena_init(&o->data, snapshot->context);
    snapshot_borrow(&o->view, snapshot);
    shape *shapes = arena_array(&o->data, raw->shapes.count + 1, sizeof *shapes);
    node_pool *pools = arena_array(&o->data, raw->pools.count + 1, sizeof *pools);
    pod_class *classes = arena_array(&o->data, snapshot->class_count + (size_t)1, sizeof *classes);
    if (shapes == NULL || pools == NULL || classes == NULL) return false;
    o->view.raw.shapes.items = shapes;
    o->view.raw.pools.items = pools;
    o->view.classes = classes;
    overlay_view_reset(o);
    return true;
}

void overlay_view_free(overlay_view *o) { arena_free(&o->data); }

void overlay_view_reset(overlay_view *o)
{
    const karp_snapshot *s = o->snapshot;
    memcpy(o->view.raw.shapes.items, s->raw.shapes.items, s->raw.shapes.count * sizeof(shape));
    if (s->raw.pools.count > 0)
        memcpy(o->view.raw.pools.items, s->raw.pools.items, s->raw.pools.count * sizeof(node_pool));
    for (size_t i = 0; o->unlimited && i < s->raw.pools.count; i++) o->view.raw.pools.items[i].limits.count = 0;
    memcpy(o->view.classes, s->classes, s->class_count * sizeof(pod_class));
    o->view.nodes = s->nodes;
    o->view.raw.nodes.items = s->raw.nodes.items;
}

shape *overlay_shape(overlay_view *o, uint32_t number) { return &o->view.raw.shapes.items[number]; }

shape *overlay_class_shape(overlay_view *o, uint32_t class_number)
{
    uint32_t spare = (uint32_t)o->snapshot->raw.shapes.count; /* the array has room for one more */
    o->view.raw.shapes.items[spare] = o->view.raw.shapes.items[o->view.classes[class_number].shape];
    o->view.classes[class_number].shape = spare;
    return &o->view.raw.shapes.items[spare];
}

node_pool *overlay_pool(overlay_view *o, uint32_t number) { return &o->view.raw.pools.items[number]; }

/* Changes the amount of one resource in a list, which stays sorted. */
static bool replace_amount(overlay_view *o, resource_list *list, uint32_t resource, int64_t units)
{
    resource_amount *items = arena_copy(&o->data, list->items, list->count * sizeof *items);
    amount value;
    if (items == NULL) return false;
    (void)amount_mul(o->snapshot->units[resource], (uint64_t)units,
                     &value); /* less than the original request, so it cannot overflow */
    for (uint32_t i = 0; i < list->count; i++) {
        if (items[i].resource == resource) items[i].value = value;
    }
    list->items = items;
    return true;
}

bool overlay_request(overlay_view *o, uint32_t shape_number, uint32_t resource, int64_t units)
{
    const karp_snapshot *s = o->snapshot;
    if (!replace_amount(o, &overlay_shape(o, shape_number)->requests, resource, units)) return false;
    for (uint32_t i = 0; i < s->class_count; i++) {
        if (s->classes[i].shape != shape_number) continue;
        int64_t *vector = arena_copy(&o->data, s->classes[i].requests, s->dims * sizeof *vector);
        if (vector == NULL) return false;
        if (s->column_of[resource] == s->nowhere) vector[s->nowhere] -= units == 0;
        else vector[s->column_of[resource]] = units;
        o->view.classes[i].requests = vector;
    }
    return true;
}

bool overlay_resizes(overlay_view *o, bool *any)
{
    const karp_snapshot *s = o->snapshot;
    *any = false;
    for (uint32_t i = 0; i < s->class_count; i++) {
        const resource_list newer = beside_of(&s->raw.shapes.items[s->classes[i].shape]).newer;
        if (newer.count == 0) continue;
        int64_t *vector = arena_array(&o->data, s->dims, sizeof *vector);
        if (vector == NULL) return false;
        vector_of(s, newer, vector);
        o->view.classes[i].requests = vector;
        overlay_shape(o, s->classes[i].shape)->requests = newer;
        *any = true;
    }
    if (!*any) return true;
    state_node *nodes = arena_copy(&o->data, s->nodes, s->node_count * sizeof *nodes);
    bool ok = nodes != NULL;
    for (uint32_t i = 0; ok && i < s->node_count; i++) ok = state_node_load(&o->view, &nodes[i], &o->data);
    if (ok) o->view.nodes = nodes;
    return ok;
}

/* The labels without one key. */
static bool drop_label(overlay_view *o, label_list *labels, uint32_t key)
{
    label_pair *left = arena_array(&o->data, labels->count + (size_t)1, sizeof *left);
    uint32_t n = 0;
    if (left == NULL) return false;
    for (uint32_t i = 0; i < labels->count; i++) {
        if (o->snapshot->facts.normalized[labels->items[i].key] != key) left[n++] = labels->items[i];
    }
    *labels = (label_list){ left, n };
    return true;
}

bool overlay_remove_label(overlay_view *o, uint32_t state_node_number, uint32_t key)
{
    const karp_snapshot *s = o->snapshot;
    if (o->view.nodes == s->nodes) { /* nothing has been changed yet */
        state_node *nodes = arena_copy(&o->data, s->nodes, s->node_count * sizeof *nodes);
        node *given = arena_copy(&o->data, s->raw.nodes.items, s->raw.nodes.count * sizeof *given);
        if (nodes == NULL || given == NULL) return false;
        o->view.nodes = nodes;
        o->view.raw.nodes.items = given;
    }
    state_node *n = &o->view.nodes[state_node_number];
    return drop_label(o, &n->labels, key) &&
           (n->node == NO_ID || drop_label(o, &o->view.raw.nodes.items[n->node].meta.labels, key));
}

karp_status overlay_decide(const overlay_view *o, const karp_options *options, karp_decision **out, karp_error *error)
{
    static const round_changes none = { .removed_count = 0 };
    return provision_view(&o->view, options, &none, out, error);
}

/* Rounds with many pods are slow, so fewer of them are allowed. */
enum { MOST_ROUNDS = 96, FEWEST_ROUNDS = 12, PODS_IN_ALL = 400000, NAME_SHOWN = 100 };

static const char *const remedy_names[] = {
    "UNKNOWN",      "TOLERATE",      "DROP_SELECTOR", "DROP_TOPOLOGY",    "DROP_PORT",
    "REQUEST_LESS", "RAISE_LIMIT",   "ALLOW_VALUE",   "DROP_MIN_VALUES",  "REMOVE_VALUE",
    "REMOVE_LABEL", "PIN_PARTNER",   "EXCLUDE_VALUE", "CORRECT_SELECTOR", "DROP_MIN_DOMAINS",
    "ADD_LABEL",    "LOWER_MINIMUM", "SWITCH_GATE",   "CORRECT_KEY",      "REQUIRE_DOMAINS",
};

const char *karp_remedy_name(uint32_t kind)
{
    return kind < sizeof remedy_names / sizeof *remedy_names ? remedy_names[kind] : remedy_names[0];
}

/* ---- one round --------------------------------------------------------------------------------------------------- */

const karp_unschedulable *search_row(const search *s, const karp_decision *d)
{
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        if (d->unschedulable.items[i].pod == s->pod) return &d->unschedulable.items[i];
    }
    return NULL;
}

void *search_memory(search *s, void *memory)
{
    if (memory == NULL) s->status = KARP_E_NOMEM;
    return memory;
}

void *search_array(search *s, size_t count, size_t bytes)
{
    return search_memory(s, arena_array(&s->changed.data, count, bytes));
}

void *search_copy(search *s, const void *from, size_t count, size_t bytes)
{
    return search_memory(s, arena_copy(&s->changed.data, from, count * bytes));
}

karp_str search_keep(search *s, karp_str text)
{
    char *copy = search_memory(s, arena_string(&s->out->data, text.ptr, text.len));
    return (karp_str){ copy, copy == NULL ? 0 : text.len };
}

uint32_t search_text_id(const search *s, karp_str text)
{
    return strings_find(&s->snapshot->raw.text, text.ptr, text.len);
}

karp_choice search_keep_choice(search *s, const karp_choice *c)
{
    return (karp_choice){ search_keep(s, c->instance_type), search_keep(s, c->zone), search_keep(s, c->capacity_type),
                          c->price };
}

/* The place of the pod in the decision; false = it is unschedulable. */
static bool outcome(search *s, const karp_decision *d, karp_remedy *where)
{
    static const karp_str nothing = { "", 0 };
    where->node = where->node_pool = nothing;
    where->choice = (karp_choice){ nothing, nothing, nothing, 0 };
    for (size_t i = 0; i < d->placements.count; i++) {
        const karp_placement *p = &d->placements.items[i];
        if (!ids_have(p->pods, p->pod_count, s->pod)) continue;
        where->node = search_keep(s, p->node);
        return true;
    }
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        if (!ids_have(l->pods, l->pod_count, s->pod)) continue;
        where->node_pool = search_keep(s, l->node_pool);
        where->choice = search_keep_choice(s, &l->choice);
        return true;
    }
    return false;
}

bool search_over(const search *s) { return s->status != KARP_OK || s->rounds == 0; }

karp_decision *search_decide(search *s)
{
    karp_decision *d = NULL;
    if (search_over(s)) return NULL;
    s->rounds--;
    s->out->tried++;
    s->status = overlay_decide(&s->changed, s->options, &d, s->error);
    return s->status == KARP_OK ? d : NULL;
}

bool search_places(search *s, karp_remedy *where)
{
    karp_decision *d = search_decide(s);
    if (d == NULL) return false;
    bool placed = d->complete && d->unschedulable.count < s->waiting && outcome(s, d, where);
    if (placed) {
        karp_decision_unref(s->last);
        s->last = d;
    } else karp_decision_unref(d);
    return placed && s->status == KARP_OK;
}

bool search_outcome(search *s, karp_remedy *where)
{
    karp_decision *d = NULL;
    s->status = overlay_decide(&s->changed, s->options, &d, s->error);
    if (s->status != KARP_OK) return false;
    bool placed = outcome(s, d, where);
    karp_decision_unref(d);
    return placed;
}

/* The change of a view without limits needs those of the NodePool that launches the node to be raised, too. */
static karp_str keep_with_limits(search *s, karp_remedy *row, const strbuf *text)
{
    uint32_t pool = row->node_pool.len > 0 ? pool_named(s->snapshot, row->node_pool) : NO_ID;
    strbuf both = strbuf_on(s->snapshot->context);
    strbuf_addstr(&both, (karp_str){ text->ptr, text->len });
    if (pool != NO_ID && s->snapshot->raw.pools.items[pool].limits.count > 0) {
        strbuf_put(&both, ", and raise the limits of NodePool ", row->node_pool, "");
        row->changes++;
    }
    karp_str kept;
    if (!strbuf_move(&both, &s->out->data, &kept)) s->status = KARP_E_NOMEM;
    return kept;
}

bool search_try(search *s, uint32_t kind, uint32_t changes, const strbuf *text)
{
    karp_remedy row = { .size = sizeof row, .kind = kind, .changes = changes };
    bool placed = search_places(s, &row);
    overlay_view_reset(&s->changed);
    if (text->failed) s->status = KARP_E_NOMEM;
    if (!placed || s->status != KARP_OK) return false;
    row.text = s->changed.unlimited ? keep_with_limits(s, &row, text)
                                    : search_keep(s, (karp_str){ text->ptr, text->len });
    if (s->status != KARP_OK) return false;
    karp_remedy *slot = search_memory(s, list_push(s->out->context, &s->out->remedies, sizeof *slot));
    if (slot != NULL) *slot = row;
    return slot != NULL;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* A change of what causes the refusal comes before one that drops a wish of the pod; topology is dropped last. A limit
 * that is raised alone is the cause. */
static uint32_t ease(uint32_t kind)
{
    if (kind == KARP_REMEDY_RAISE_LIMIT) return 0;
    if (kind >= KARP_REMEDY_REMOVE_VALUE && kind != KARP_REMEDY_LOWER_MINIMUM)
        return 1 + kind - KARP_REMEDY_REMOVE_VALUE;
    return 100 + (kind == KARP_REMEDY_DROP_TOPOLOGY ? 100 : kind);
}

/* Sorts by number of changes, then the easier kind, then existing nodes first, then cost. */
static int smaller(const void *x, const void *y, const void *user)
{
    const karp_remedy *a = x, *b = y;
    int order = (a->changes > b->changes) - (a->changes < b->changes);
    (void)user;
    if (order == 0) order = (ease(a->kind) > ease(b->kind)) - (ease(a->kind) < ease(b->kind));
    if (order == 0) order = (b->node.len > 0) - (a->node.len > 0);
    if (order == 0) order = (a->choice.price > b->choice.price) - (a->choice.price < b->choice.price);
    return order;
}

static bool found_single(const search *s)
{
    for (size_t i = 0; i < s->out->remedies.count; i++) {
        if (s->out->remedies.items[i].changes == 1) return true;
    }
    return false;
}

/* Every kind is tried completely. If rounds are expensive, the first kind that helps ends the search, because later
 * ones need at least as many changes. */
void look_for_remedies(search *s)
{
    static void (*const kinds[])(search *) = { try_topology_causes, try_own_topology, try_labels,     try_tolerations,
                                               try_selectors,       try_ports,        try_requests,   try_limits,
                                               try_values,          try_unmet,        try_min_values, try_topology,
                                               try_minimum,         try_all_selectors };
    bool dear = s->rounds < MOST_ROUNDS;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !search_over(s); k++) {
        bool found = found_single(s);
        if (found && (dear || kinds[k] == try_all_selectors)) break;
        kinds[k](s);
    }
    if (s->rounds == 0) s->out->bounded = true;
    karp_pod_explanation *e = s->out;
    if (s->status != KARP_OK) return;
    if (!sort_stable(e->context, e->remedies.items, e->remedies.count, sizeof(karp_remedy), smaller, NULL))
        s->status = KARP_E_NOMEM;
}

static karp_status search_run(karp_pod_explanation *e, const karp_snapshot *snapshot, const karp_options *options,
                              void (*look)(search *), karp_error *error)
{
    search s = { .out = e,
                 .snapshot = snapshot,
                 .options = options,
                 .pod = e->pod,
                 .shape = pod_at(&snapshot->raw, e->pod)->shape,
                 .waiting = e->decision->unschedulable.count,
                 .rounds = MOST_ROUNDS,
                 .status = KARP_OK,
                 .error = error };
    size_t pods = snapshot->raw.pods.count;
    if (PODS_IN_ALL / pods < MOST_ROUNDS)
        s.rounds = PODS_IN_ALL / pods < FEWEST_ROUNDS ? FEWEST_ROUNDS : (uint32_t)(PODS_IN_ALL / pods);
    karp_remedy now = { .size = sizeof now };
    (void)outcome(&s, e->decision, &now);
    if (overlay_view_init(&s.changed, snapshot)) compare_resizes(&s, &now);
    else s.status = KARP_E_NOMEM;
    if (s.status == KARP_OK) look(&s);
    if (e->refused) s.status = KARP_E_NOMEM;
    karp_decision_unref(s.last);
    overlay_view_free(&s.changed);
    return s.status == KARP_E_NOMEM ? fail_nomem(error) : s.status;
}

/* ---- the pod ----------------------------------------------------------------------------------------------------- */

/* The number of a pod that the decision is about; NO_ID = it is not. *waits: it is unschedulable. */
static uint32_t find_pod(const karp_decision *d, karp_str name, bool *waits)
{
    *waits = false;
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        if (!equal_str(karp_decision_pod_name(d, d->unschedulable.items[i].pod), name)) continue;
        *waits = true;
        return d->unschedulable.items[i].pod;
    }
    for (size_t i = 0; i < d->ignored.count; i++) {
        if (equal_str(karp_decision_pod_name(d, d->ignored.items[i].pod), name)) return d->ignored.items[i].pod;
    }
    for (size_t i = 0; i < d->placements.count; i++) {
        for (size_t k = 0; k < d->placements.items[i].pod_count; k++) {
            if (equal_str(karp_decision_pod_name(d, d->placements.items[i].pods[k]), name))
                return d->placements.items[i].pods[k];
        }
    }
    for (size_t i = 0; i < d->launches.count; i++) {
        for (size_t k = 0; k < d->launches.items[i].pod_count; k++) {
            if (equal_str(karp_decision_pod_name(d, d->launches.items[i].pods[k]), name))
                return d->launches.items[i].pods[k];
        }
    }
    return NO_ID;
}

/* Whether a controller would give pods of a workload of this name such a name: "web-0" of "web". */
static bool begins_so(karp_str longer, karp_str name)
{
    return longer.len > name.len && str_has_prefix(longer, name) && longer.ptr[name.len] == '-';
}

/* The first pod, by name, that has the name, or begins with it, whatever the namespace; "" = none. */
static karp_str namesake(const karp_snapshot *s, karp_str name, bool begins)
{
    karp_str wanted = str_after(name, '/');
    for (uint32_t i = 0; i < s->raw.pods.count; i++) {
        karp_str other = pod_name(s, s->by_name[i]), base = str_after(other, '/');
        if (begins ? begins_so(base, wanted) : equal_str(base, wanted)) return other;
    }
    return (karp_str){ "", 0 };
}

/* A pod of a workload of that name, or else one with a similar name; "" = none. */
static karp_str similar(const karp_snapshot *s, karp_str name)
{
    nearest meant = { .wanted = name, .distance = 2 }; /* two letters may be wrong */
    for (uint32_t i = 0; i < s->raw.pods.count; i++) {
        karp_str other = pod_name(s, s->by_name[i]);
        if (begins_so(other, name)) return other;
        nearest_offer(&meant, other);
    }
    return meant.best.ptr != NULL ? meant.best : (karp_str){ "", 0 };
}

static karp_status of_daemon_set(const karp_snapshot *s, uint32_t pod_number, karp_error *error)
{
    strbuf b = strbuf_on(s->context);
    bool lacks = show_no_room(s, pod_number, &b);
    karp_str text = { b.failed || b.ptr == NULL ? "" : b.ptr, b.failed ? 0 : b.len };
    karp_status status =
        lacks ? fail(error, KARP_E_NOT_FOUND,
                     "%.*s; Karpenter launches no node for a DaemonSet's pod: a higher priority lets it preempt others",
                     str_shown(text, 160), text.ptr)
              : fail(error, KARP_E_NOT_FOUND,
                     "the pod is a DaemonSet's: Karpenter launches no node for it, and replaces none that has no room "
                     "for it; new nodes are chosen with room, and a higher priority lets it preempt other pods");
    strbuf_free(&b);
    return status;
}

/* The reason why the decision is not about the pod. */
static karp_status not_pending(const karp_snapshot *s, karp_str name, karp_error *error)
{
    for (uint32_t i = 0; i < s->raw.pods.count; i++) {
        if (!equal_str(pod_name(s, i), name)) continue;
        const pod *p = pod_at(&s->raw, i);
        if (pod_over(p)) return fail(error, KARP_E_NOT_FOUND, "the pod has ended and needs no node");
        if ((p->flags & POD_OF_DAEMON_SET) != 0) return of_daemon_set(s, i, error);
        if (s->pod_node[i] != NO_ID) {
            karp_str on = name_of(s, s->raw.nodes.items[s->pod_node[i]].meta.name);
            return fail(error, KARP_E_NOT_FOUND, "the pod is on node %.*s: karp explain node %.*s says why that stays",
                        str_shown(on, 100), on.ptr, str_shown(on, 100), on.ptr);
        }
        if (store_marks(&s->raw, p)->gated)
            return fail(error, KARP_E_NOT_FOUND,
                        "the pod is gated: Karpenter launches no node for it before its scheduling gates are removed; "
                        "without spec.schedulingGates this command says where it would go");
        return fail(error, KARP_E_NOT_FOUND,
                    "the pod is not pending for Karpenter: it has no condition PodScheduled=False of reason "
                    "Unschedulable, or a node is nominated for it");
    }
    karp_str other = namesake(s, name, false);
    if (other.len == 0) other = similar(s, name);
    if (other.len == 0) other = namesake(s, name, true);
    if (other.len == 0) return fail(error, KARP_E_NOT_FOUND, "there is no pod of that name (NAMESPACE/NAME)");
    return fail(error, KARP_E_NOT_FOUND, "there is no pod of that name (NAMESPACE/NAME); did you mean %.*s?",
                other.len < NAME_SHOWN ? (int)other.len : NAME_SHOWN, other.ptr);
}

/* What is about the cluster or the number of pods comes before what the pods would have to do without. */
static int smaller_of_workload(const void *x, const void *y, const void *user)
{
    const karp_remedy *a = x, *b = y;
    bool less = a->kind == KARP_REMEDY_REQUEST_LESS, other = b->kind == KARP_REMEDY_REQUEST_LESS;
    if (a->changes != b->changes || less == other) return smaller(x, y, user);
    return less ? 1 : -1;
}

karp_status find_changes(const karp_snapshot *seen, const karp_options *options, karp_decision *decision,
                         uint32_t pod_number, karp_pod_explanation **out, karp_error *error)
{
    karp_options brief = *options;
    karp_pod_explanation *e = made_new(seen->context, sizeof *e);
    if (e == NULL) return fail_nomem(error);
    e->decision = karp_decision_ref(decision);
    e->pod = pod_number;
    brief.explain = KARP_EXPLAIN_NONE;
    karp_status status = search_run(e, seen, &brief, look_for_remedies, error);
    if (status == KARP_OK &&
        !sort_stable(e->context, e->remedies.items, e->remedies.count, sizeof(karp_remedy), smaller_of_workload, NULL))
        status = fail_nomem(error);
    if (status == KARP_OK) *out = e;
    else karp_pod_explanation_free(e);
    return status;
}

static void look_at_waiting(search *s)
{
    try_gate(s);
    if (s->status == KARP_OK) look_for_remedies(s);
    if (s->status == KARP_OK) find_limit_causes(s);
    if (s->status == KARP_OK) volume_causes(s);
}

static void look_at_placed(search *s)
{
    try_alternatives(s);
    if (s->status == KARP_OK) find_placement_causes(s);
}

/* NO_ID in e->pod = the decision is not about the pod. */
static karp_status explain_pending(karp_pod_explanation *e, const karp_snapshot *snapshot, const karp_options *options,
                                   karp_str pod_name, karp_error *error)
{
    karp_options full = *options, brief = *options;
    karp_snapshot view;
    bool waits;
    const karp_snapshot *seen = options_view(options, snapshot, &view);
    full.explain = KARP_EXPLAIN_FULL;
    karp_status status = karp_provision(seen, &full, &e->decision, error);
    if (status != KARP_OK) return status;
    e->pod = find_pod(e->decision, pod_name, &waits);
    if (e->pod == NO_ID || !e->decision->complete) return KARP_OK;
    /* the reasons of other NodePools are part of the result */
    brief.explain = waits ? KARP_EXPLAIN_NONE : KARP_EXPLAIN_SUMMARY;
    return search_run(e, seen, &brief, waits ? look_at_waiting : look_at_placed, error);
}

/* ---- running pods ------------------------------------------------------------------------------------------------ */

/* The snapshot in which the pod has just been evicted. */
static karp_status evict(const karp_snapshot *snapshot, karp_str name, karp_snapshot **out, karp_error *error)
{
    static const karp_condition waiting = { .type = { "PodScheduled", 12 },
                                            .status = { "False", 5 },
                                            .reason = { "Unschedulable", 13 } };
    const karp_pod_status pending = {
        .size = sizeof pending, .conditions = &waiting, .condition_count = 1, .phase = KARP_PHASE_PENDING
    };
    karp_str own = str_after(name, '/'), space = { name.ptr, name.len - own.len - 1 };
    karp_builder *builder = NULL;
    karp_status status = karp_snapshot_edit(snapshot, &builder, error);
    if (status == KARP_OK) status = karp_builder_set_pod_status(builder, space, own, &pending, error);
    if (status == KARP_OK) status = karp_builder_finish(builder, out, error);
    karp_builder_free(builder);
    return status;
}

static karp_status explain_running(karp_pod_explanation *e, const karp_snapshot *snapshot, const karp_options *options,
                                   karp_str pod_name, uint32_t pod_number, karp_error *error)
{
    karp_snapshot view;
    const karp_snapshot *seen = options_view(options, snapshot, &view);
    int64_t now = e->decision->now;
    karp_decision_unref(e->decision);
    e->decision = NULL;
    add_running(e, seen, pod_number, now);
    shared_node_cause(e, seen, pod_number);
    overcommit_cause(e, seen, pod_number);
    karp_status status = e->refused ? fail_nomem(error) : evict(snapshot, pod_name, &e->evicted, error);
    if (status == KARP_OK) status = explain_pending(e, e->evicted, options, pod_name, error);
    if (status == KARP_OK) status = add_replacement(e, seen, options, pod_number, error);
    if (e->pod == NO_ID) e->pod = pod_number; /* Karpenter does not place it: a DaemonSet's, for example */
    return status;
}

static karp_status explain(karp_pod_explanation *e, const karp_snapshot *snapshot, const karp_options *options,
                           karp_str pod_name, karp_error *error)
{
    karp_status status = explain_pending(e, snapshot, options, pod_name, error);
    if (status != KARP_OK || e->pod != NO_ID) return status;
    uint32_t running = verify_find_pod(snapshot, pod_name);
    const pod *p = running == NO_ID ? NULL : pod_at(&snapshot->raw, running);
    if (p == NULL || p->node == NO_ID || pod_over(p)) return not_pending(snapshot, pod_name, error);
    return explain_running(e, snapshot, options, pod_name, running, error);
}

karp_status karp_explain_pod(const karp_snapshot *snapshot, const karp_options *options, karp_str pod_name,
                             karp_pod_explanation **out, karp_error *error)
{
    if (!str_given(pod_name)) return fail_null(error, "pod_name");
    karp_options checked;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the explanation are needed");
    karp_status status = options_check(options, &checked, error);
    if (status != KARP_OK) return status;
    checked.size = sizeof checked;
    karp_pod_explanation *e = made_new(snapshot->context, sizeof *e);
    if (e == NULL) return context_nomem(snapshot->context, error);
    status = explain(e, snapshot, &checked, pod_name, error);
    if (status == KARP_OK) {
        *out = e;
        return KARP_OK;
    }
    karp_pod_explanation_free(e);
    return context_refusal(snapshot->context, status, error);
}

void karp_pod_explanation_free(karp_pod_explanation *explanation)
{
    if (explanation == NULL) return;
    karp_decision_unref(explanation->decision);
    list_free(explanation->context, &explanation->remedies, sizeof(karp_remedy));
    list_free(explanation->context, &explanation->alternatives, sizeof(karp_alternative));
    list_free(explanation->context, &explanation->causes, sizeof(karp_placement_cause));
    karp_snapshot_unref(explanation->evicted);
    made_free(explanation, sizeof *explanation);
}

const char *karp_placement_cause_name(uint32_t kind)
{
    static const char *const names[] = { "UNKNOWN", "running",    "existingNodes", "order",      "type",
                                         "fullest", "daemonSets", "today",         "limits",     "apart",
                                         "pool",    "volumes",    "behindLimits",  "overcommit", "topology" };
    return names[kind <= KARP_PLACEMENT_TOPOLOGY ? kind : 0];
}

uint32_t karp_pod_explanation_running(const karp_pod_explanation *explanation) { return explanation->evicted != NULL; }

size_t karp_pod_explanation_cause_count(const karp_pod_explanation *explanation) { return explanation->causes.count; }

karp_status karp_pod_explanation_cause(const karp_pod_explanation *explanation, size_t index, karp_placement_cause *out)
{
    if (index >= explanation->causes.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &explanation->causes.items[index], sizeof *out, SIZE_THROUGH(karp_placement_cause, text));
}

karp_str karp_pod_explanation_pod(const karp_pod_explanation *explanation)
{
    return karp_decision_pod_name(explanation->decision, explanation->pod);
}

const karp_decision *karp_pod_explanation_decision(const karp_pod_explanation *explanation)
{
    return explanation->decision;
}

size_t karp_pod_explanation_remedy_count(const karp_pod_explanation *explanation)
{
    return explanation->remedies.count;
}

karp_status karp_pod_explanation_remedy(const karp_pod_explanation *explanation, size_t index, karp_remedy *out)
{
    if (index >= explanation->remedies.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &explanation->remedies.items[index], sizeof *out, SIZE_THROUGH(karp_remedy, choice));
}

karp_str karp_pod_explanation_resize(const karp_pod_explanation *explanation) { return explanation->resize; }

uint32_t karp_pod_explanation_tried(const karp_pod_explanation *explanation) { return explanation->tried; }

uint32_t karp_pod_explanation_bounded(const karp_pod_explanation *explanation) { return explanation->bounded; }
