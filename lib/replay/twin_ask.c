/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/twin.h>

#include <io/owner.h>
#include <replay/common.h>

/* ---- objects at an instant --------------------------------------------------------------------------------------- */

int64_t twin_time(const tree *object, const char *member)
{
    int64_t at = KARP_NO_TIME;
    karp_str text = tree_get_text(tree_get(object, "metadata"), member);
    return text.len && karp_time_parse(text, &at) == KARP_OK ? at : KARP_NO_TIME;
}

/* When the condition of this type changed last, or any condition (NULL); KARP_NO_TIME = not stated. */
static int64_t condition_time(const tree *object, const char *type)
{
    const tree *list = tree_get(tree_get(object, "status"), "conditions");
    int64_t latest = KARP_NO_TIME, at = 0;
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        karp_str since = tree_get_text(one, "lastTransitionTime");
        if (type && !str_is(tree_get_text(one, "type"), type)) continue;
        if (since.len && karp_time_parse(since, &at) == KARP_OK && (latest == KARP_NO_TIME || at > latest)) latest = at;
    }
    return latest;
}

static bool is_bound(const tree *pod) { return tree_get_text(tree_get(pod, "spec"), "nodeName").len > 0; }

/* A pod that came to its node after that instant waits for it. The API server states whole seconds, and Karpenter waits
 * a second for more pods: one that was created in the same second came after the decision, in place of an evicted one.
 */
static const tree *pod_at(trees *t, const recording_row *row, int64_t at)
{
    int64_t created = twin_time(row->next, "creationTimestamp"), bound = condition_time(row->next, "PodScheduled");
    if (!row->next) return row->now;
    if (!row->now && created != KARP_NO_TIME && created >= at) return NULL;
    if (!is_bound(row->next) || bound == KARP_NO_TIME || bound <= at) return row->next;
    if (row->now) return row->now;
    tree *pod = tree_copy(t, row->next);
    tree_remove(t, tree_own(t, pod, "spec", TREE_MAP), "nodeName");
    tree_remove(t, pod, "status");
    return pod;
}

/* The version of the object that the decision saw. */
static const tree *object_at(trees *t, const recording_row *row, int64_t at)
{
    if (!row->changed) return row->now;
    const tree *either = row->next ? row->next : row->now;
    if (str_is(tree_get_text(either, "kind"), "Pod")) return pod_at(t, row, at);
    if (!row->now || !row->next) return either;
    int64_t changed = condition_time(row->next, NULL), event = 0;
    karp_str of_pods = tree_get_text(tree_get(row->next, "status"), "lastPodEventTime");
    if (of_pods.len && karp_time_parse(of_pods, &event) == KARP_OK && event > changed) changed = event;
    bool leaves = twin_time(row->next, "deletionTimestamp") != KARP_NO_TIME;
    return changed != KARP_NO_TIME && changed < at && !leaves ? row->next : row->now;
}

/* After what changed in the same look, such as the NodePool that a drift is about, but before the disruption. */
static const tree *object_after(trees *t, const recording_row *row, int64_t at)
{
    karp_str kind = tree_get_text(row->now, "kind");
    if (!row->changed || !row->now || !row->next || str_is(kind, "Pod")) return object_at(t, row, at);
    if (!str_is(kind, "NodeClaim")) return row->next;
    tree *claim = tree_copy(t, row->next), *status = tree_own(t, claim, "status", TREE_MAP);
    const tree *list = tree_get(status, "conditions");
    tree *kept = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < tree_count(list); i++) {
        if (!str_is(tree_get_text(tree_item(list, i), "type"), "DisruptionReason"))
            tree_append(t, kept, tree_item(list, i));
    }
    tree_set(t, status, "conditions", kept);
    tree_remove(t, tree_own(t, claim, "metadata", TREE_MAP), "deletionTimestamp");
    return claim;
}

static const tree *object_of(trees *t, const recording_row *row, const twin_question *q)
{
    if (q->recalled) return row->then;
    return q->late ? object_after(t, row, q->at) : object_at(t, row, q->at);
}

static bool is_left_out(const twin_question *q, size_t row)
{
    for (size_t i = 0; i < q->left_out_count; i++) {
        if (q->left_out[i] == row) return true;
    }
    return false;
}

bool twin_pods_wait(twin *w, int64_t at)
{
    bool waits = false;
    trees t = trees_on(w->context);
    for (size_t i = 0; i < w->r.row_count && !waits; i++) {
        const tree *object = object_at(&t, &w->r.rows[i], at);
        waits = str_is(tree_get_text(object, "kind"), "Pod") && !is_bound(object) && !io_pod_ended(object) &&
                twin_time(object, "deletionTimestamp") == KARP_NO_TIME;
    }
    w->failed = w->failed || t.status != KARP_OK;
    trees_free(&t);
    return waits;
}

/* Others than these may not be disrupted. */
static void protect(trees *t, tree *object, const twin_question *q)
{
    karp_str name = tree_get_text(tree_get(object, "metadata"), "name");
    if (!q->only || !str_is(tree_get_text(object, "kind"), "Node") || str_in(name, q->only, q->only_count)) return;
    tree *metadata = tree_own(t, object, "metadata", TREE_MAP);
    tree_set_text(t, tree_own(t, metadata, "annotations", TREE_MAP), "karpenter.sh/do-not-disrupt", str("true"));
}

static karp_status add_objects(twin *w, const twin_question *q, karp_reader *reader)
{
    karp_status status = KARP_OK;
    io_place place = { .document = io_keep(reader, str("the recording")), .offset = KARP_NO_OFFSET };
    for (size_t i = 0; i < w->r.row_count && !status; i++) {
        const tree *object = object_of(&reader->trees, &w->r.rows[i], q);
        if (!object || is_left_out(q, i) || str_is(tree_get_text(object, "kind"), "Event")) continue;
        tree *copy = tree_deep_copy(&reader->trees, object, false);
        if (!copy || reader->trees.status) return io_reader_nomem(reader);
        protect(&reader->trees, copy, q);
        status = io_read_tree(reader, copy, &place, false);
    }
    return status;
}

/* ---- what Karpenter remembers of nodes -----------------------------------------------------------------------------
 */

typedef struct remembering {
    twin *w;
    const twin_question *q;
    karp_node_state *list;
    size_t count, capacity;
    io_table index, claims; /* name of the state, and of the NodeClaim -> list */
    bool any; /* something to remember */
} remembering;

static karp_node_state *state_of(remembering *m, karp_str name)
{
    uint32_t *number = io_table_at(&m->index, name);
    bool is_new = number && *number == IO_NONE;
    if (!number || (is_new && !grow(m->w->context, (void **)&m->list, &m->capacity, m->count + 1, sizeof *m->list)))
        return NULL;
    if (is_new) {
        *number = (uint32_t)m->count++;
        m->list[*number] = (karp_node_state){ .name = name };
    }
    return &m->list[*number];
}

/* The name of the Node, or of the NodeClaim that has none yet. */
static karp_str name_of_state(const tree *object)
{
    karp_str node = str_is(tree_get_text(object, "kind"), "NodeClaim")
                        ? tree_get_text(tree_get(object, "status"), "nodeName")
                        : (karp_str){ 0 };
    return node.len ? node : tree_get_text(tree_get(object, "metadata"), "name");
}

static bool has_reason(const tree *claim)
{
    const tree *list = tree_get(tree_get(claim, "status"), "conditions");
    bool has = false;
    for (size_t i = 0; i < tree_count(list); i++)
        has = has || (str_is(tree_get_text(tree_item(list, i), "type"), "DisruptionReason") &&
                      str_is(tree_get_text(tree_item(list, i), "status"), "True"));
    return has;
}

/* The NodeClaim of "Pod should schedule on: nodeclaim/NAME, node/NAME", an event of the last 20 s. */
static karp_str nominated_claim(const tree *event, int64_t at)
{
    static const char before[] = "nodeclaim/";
    karp_str since = tree_get_text(event, "lastTimestamp"), text = tree_get_text(event, "message");
    int64_t then = 0;
    if (!str_is(tree_get_text(event, "reason"), "Nominated") || karp_time_parse(since, &then) || then >= at ||
        at - then >= 20 * SECOND)
        return (karp_str){ 0 };
    for (size_t i = 0; i + sizeof before <= text.len; i++) {
        if (memcmp(text.ptr + i, before, sizeof before - 1) != 0) continue;
        karp_str name = { text.ptr + i + sizeof before - 1, 0 };
        while (name.ptr + name.len < text.ptr + text.len && name.ptr[name.len] != ',') name.len++;
        return name;
    }
    return (karp_str){ 0 };
}

static void remember(remembering *m, const tree *object)
{
    karp_str kind = tree_get_text(object, "kind");
    bool claim = str_is(kind, "NodeClaim");
    if (!claim && !str_is(kind, "Node")) return;
    karp_node_state *state = state_of(m, name_of_state(object));
    m->w->failed = m->w->failed || !state;
    if (!state || !claim) return;
    uint32_t *number = io_table_at(&m->claims, tree_get_text(tree_get(object, "metadata"), "name"));
    m->w->failed = m->w->failed || !number;
    if (number) *number = (uint32_t)(state - m->list);
    state->marked_for_deletion = has_reason(object);
    m->any = m->any || state->marked_for_deletion;
}

static void remember_nominations(remembering *m)
{
    for (size_t i = 0; i < m->w->r.row_count; i++) {
        const tree *event = m->q->recalled ? m->w->r.rows[i].then : m->w->r.rows[i].now;
        if (!str_is(tree_get_text(event, "kind"), "Event")) continue;
        karp_str claim = nominated_claim(event, m->q->at);
        uint32_t number = claim.len ? io_table_get(&m->claims, claim) : IO_NONE;
        if (number == IO_NONE) continue;
        m->any = true;
        m->list[number].nominated = 1;
    }
}

/* Nodes that a command under way removes: nothing but a condition says so before they are deleted. And nodes that pods
 * are on their way to, which Karpenter's events tell. */
static karp_status set_states(twin *w, const twin_question *q, karp_reader *reader)
{
    remembering m = { .w = w, .q = q };
    io_table_init(&m.index, w->context);
    io_table_init(&m.claims, w->context);
    for (size_t i = 0; i < w->r.row_count; i++) {
        const tree *object = is_left_out(q, i) ? NULL : object_of(&reader->trees, &w->r.rows[i], q);
        if (object) remember(&m, object);
    }
    if (!w->failed) remember_nominations(&m);
    karp_status status = KARP_OK;
    if (m.any && !w->failed) status = karp_builder_set_node_states(reader->builder, m.list, m.count, &w->error);
    mem_free(w->context, m.list, m.capacity * sizeof *m.list);
    io_table_free(&m.index);
    io_table_free(&m.claims);
    return status;
}

static karp_status snapshot_of(twin *w, const twin_question *q, karp_reader **reader, karp_snapshot **out)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.region = w->options.region;
    options.feature_gates = w->options.feature_gates;
    options.peer_version = w->decision.peer_version;
    options.now = q->at;
    *out = NULL;
    karp_status status = karp_reader_new(w->context, &options, reader, &w->error);
    if (!status && w->options.catalogue) status = karp_reader_add_catalogue(*reader, w->options.catalogue, &w->error);
    if (!status) {
        status = add_objects(w, q, *reader);
        if (status) w->error = (*reader)->error;
    }
    if (!status) status = set_states(w, q, *reader);
    return status ? status : karp_reader_finish(*reader, out, &w->error);
}

/* ---- what is decided --------------------------------------------------------------------------------------------- */

karp_str twin_keep(twin *w, karp_str text)
{
    const char *copy = arena_string(&w->memory, text.ptr, text.len);
    w->failed = w->failed || !copy;
    return copy ? (karp_str){ copy, text.len } : str("");
}

static void keep_zones(twin *w, const karp_launch *l, twin_node *n)
{
    for (size_t i = 0; i < l->requirement_count; i++) {
        const karp_requirement *r = &l->requirements[i];
        if (!str_is(r->key, "topology.kubernetes.io/zone") || r->op != KARP_OP_IN) continue;
        karp_str *zones = arena_alloc(&w->memory, (r->value_count + 1) * sizeof *zones);
        w->failed = w->failed || !zones;
        if (!zones) return;
        for (size_t k = 0; k < r->value_count; k++) zones[k] = twin_keep(w, r->values[k]);
        n->zones = zones;
        n->zone_count = r->value_count;
    }
}

static karp_status keep_launches(twin *w, const karp_decision *d, size_t first, size_t count, twin_set *out)
{
    *out = (twin_set){ .launched = arena_zalloc(&w->memory, (count + 1) * sizeof *out->launched) };
    if (!out->launched) return fail_nomem(&w->error);
    for (size_t i = 0; i < count; i++) {
        karp_launch l = { .size = sizeof l };
        karp_status status = karp_decision_launch(d, first + i, &l);
        if (status) return fail_hidden(&w->error, status);
        twin_node *n = &out->launched[out->launched_count++];
        *n = (twin_node){ .pool = twin_keep(w, l.node_pool),
                          .type = twin_keep(w, l.choice.instance_type),
                          .capacity_type = twin_keep(w, l.choice.capacity_type),
                          .zone = str("") };
        keep_zones(w, &l, n);
    }
    return KARP_OK;
}

static karp_status keep_command(twin *w, const karp_decision *d, const karp_command *c, twin_set *out)
{
    karp_status status = keep_launches(w, d, c->launch_first, c->launch_count, out);
    if (status) return status;
    out->removed = arena_alloc(&w->memory, (c->node_count + 1) * sizeof *out->removed);
    if (!out->removed) return fail_nomem(&w->error);
    for (size_t i = 0; i < c->node_count; i++) out->removed[out->removed_count++] = twin_keep(w, c->nodes[i]);
    return KARP_OK;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static bool is_one(const twin_node *real, const twin_node *plan, bool any_zone)
{
    return equal_str(real->pool, plan->pool) && equal_str(real->type, plan->type) &&
           equal_str(real->capacity_type, plan->capacity_type) &&
           (any_zone || !plan->zones || str_in(real->zone, plan->zones, plan->zone_count));
}

typedef struct matching {
    const twin_set *real, *plan;
    bool any_zone;
    size_t *taken; /* by node of the plan: the real one, plus 1 */
    bool *seen;
} matching;

static bool place(const matching *m, size_t real)
{
    for (size_t k = 0; k < m->plan->launched_count; k++) {
        if (m->seen[k] || !is_one(&m->real->launched[real], &m->plan->launched[k], m->any_zone)) continue;
        m->seen[k] = true;
        if (m->taken[k] != 0 && !place(m, m->taken[k] - 1)) continue;
        m->taken[k] = real + 1;
        return true;
    }
    return false;
}

/* Whether each node that was launched is one of the plan, one for one. */
static bool launches_fit(twin *w, const twin_set *real, const twin_set *plan, bool any_zone)
{
    size_t count = real->launched_count;
    if (count != plan->launched_count) return false;
    matching m = { real, plan, any_zone, arena_zalloc(&w->memory, (count + 1) * sizeof(size_t)), NULL };
    m.seen = arena_alloc(&w->memory, count + 1);
    bool fits = m.taken && m.seen;
    w->failed = w->failed || !fits;
    for (size_t i = 0; i < count && fits; i++) {
        memset(m.seen, 0, count);
        fits = place(&m, i);
    }
    return fits;
}

static bool same_nodes(const twin_set *real, const twin_set *plan)
{
    bool same = real->removed_count == plan->removed_count;
    for (size_t i = 0; i < real->removed_count && same; i++)
        same = str_in(real->removed[i], plan->removed, plan->removed_count);
    return same;
}

static karp_status judge_launch(twin *w, twin_decision *d, const karp_snapshot *snapshot)
{
    karp_decision *plan = NULL;
    karp_status status = karp_provision(snapshot, &w->decision, &plan, &w->error);
    if (!status) status = keep_launches(w, plan, 0, karp_decision_launch_count(plan), &d->ours);
    karp_decision_unref(plan);
    d->verdict = launches_fit(w, &d->real, &d->ours, false)  ? TWIN_EQUAL
                 : launches_fit(w, &d->real, &d->ours, true) ? TWIN_IN_KIND
                                                             : TWIN_DIFFERENT;
    return status;
}

static double cost_of(const karp_decision *d, karp_str node)
{
    for (size_t i = 0; i < karp_decision_candidate_count(d); i++) {
        karp_candidate c = { .size = sizeof c };
        if (karp_decision_candidate(d, i, &c) == KARP_OK && equal_str(c.node, node)) return c.disruption_cost;
    }
    return -1;
}

/* Whether the nodes that were removed cost in sum as little to disrupt as those of the command. */
static bool as_cheap(const twin_decision *d, const karp_decision *pass, const twin_set *command)
{
    double real = 0, ours = 0;
    for (size_t i = 0; i < d->real.removed_count; i++) {
        double cost = cost_of(pass, d->real.removed[i]);
        if (cost < 0) return false;
        real += cost;
    }
    for (size_t i = 0; i < command->removed_count; i++) ours += cost_of(pass, command->removed[i]);
    return command->removed_count == d->real.removed_count && real <= ours;
}

/* Compares the commands of one method; `cheap`: some command has nodes that cost as much. */
static karp_status judge_method(twin *w, twin_decision *d, const karp_snapshot *snapshot, uint32_t method, bool *cheap)
{
    karp_disrupt_options options;
    karp_decision *pass = NULL;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &w->decision;
    options.method = method;
    karp_status status = karp_disrupt(snapshot, &options, &pass, &w->error);
    for (size_t i = 0; !status && i < karp_decision_command_count(pass) && d->verdict != TWIN_EQUAL; i++) {
        karp_command c = { .size = sizeof c };
        twin_set command;
        status = karp_decision_command(pass, i, &c);
        if (status) return fail_hidden(&w->error, status);
        status = keep_command(w, pass, &c, &command);
        if (status) break;
        if (same_nodes(&d->real, &command) && launches_fit(w, &d->real, &command, false)) d->verdict = TWIN_EQUAL;
        *cheap = *cheap || as_cheap(d, pass, &command);
        if (d->ours.removed_count == 0 || d->verdict == TWIN_EQUAL) d->ours = command;
    }
    karp_decision_unref(pass);
    return status;
}

static const uint32_t methods[] = { KARP_METHOD_EMPTINESS, KARP_METHOD_STATIC_DRIFT, KARP_METHOD_DRIFT,
                                    KARP_METHOD_MULTI_NODE, KARP_METHOD_SINGLE_NODE };

static karp_status judge_removal(twin *w, twin_decision *d, const twin_question *q, const karp_snapshot *snapshot)
{
    karp_status status = KARP_OK;
    bool cheap = false;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !status && d->verdict != TWIN_EQUAL; i++)
        status = judge_method(w, d, snapshot, methods[i], &cheap);
    if (status || d->verdict == TWIN_EQUAL || !cheap || q->only) return status;
    /* Would these be removed, were they the only ones that may be? */
    twin_question alone = *q;
    twin_decision again = { .at = d->at, .what = d->what, .verdict = TWIN_DIFFERENT, .real = d->real };
    alone.only = d->real.removed;
    alone.only_count = d->real.removed_count;
    status = twin_judge(w, &again, &alone);
    if (!status && again.verdict == TWIN_EQUAL) d->verdict = TWIN_IN_KIND;
    return status;
}

karp_status twin_judge(twin *w, twin_decision *d, const twin_question *q)
{
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_status status = snapshot_of(w, q, &reader, &snapshot);
    d->verdict = TWIN_DIFFERENT;
    d->ours = (twin_set){ 0 };
    if (!status) status = d->what == TWIN_LAUNCH ? judge_launch(w, d, snapshot) : judge_removal(w, d, q, snapshot);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}
