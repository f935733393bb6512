/* SPDX-License-Identifier: Apache-2.0 */
#include <settle/carry_out.h>

#include <base/bits.h>
#include <base/strbuf.h>
#include <base/error.h>
#include <disrupt/advice.h>
#include <karp/builder.h>
#include <karp/peer.h>
#include <model/selector.h>
#include <model/store_pods.h>

karp_status outcome_nomem(outcome *o) { return fail_nomem(o->error); }

static const store *raw(const outcome *o) { return &o->before->raw; }

static bool is_gone(const outcome *o, uint32_t name) { return name != NO_ID && bits_test(o->gone, name); }

/* ---- what the decision says -------------------------------------------------------------------------------------- */

static uint32_t name_id(const outcome *o, karp_str name) { return strings_find(&raw(o)->names, name.ptr, name.len); }

/* Nodes that are being deleted have ended by then; their pods have been planned for. */
static void take_deleted(outcome *o)
{
    for (size_t i = 0; i < raw(o)->nodes.count; i++) {
        const object *meta = &raw(o)->nodes.items[i].meta;
        if (meta->deletion != KARP_NO_TIME) bits_set(o->gone, meta->name);
    }
    for (size_t i = 0; i < o->before->node_count; i++) {
        const state_node *n = &o->before->nodes[i];
        if (!n->marked) continue;
        if (n->node != NO_ID) bits_set(o->gone, raw(o)->nodes.items[n->node].meta.name);
        else bits_set(o->gone, raw(o)->claims.items[n->claim].meta.name);
    }
}

static karp_status take_commands(outcome *o, const karp_decision *decision)
{
    for (size_t i = 0; i < karp_decision_command_count(decision); i++) {
        karp_command c = { .size = sizeof c };
        if (karp_decision_command(decision, i, &c) != KARP_OK) return fail_hidden(o->error, KARP_E_INTERNAL);
        for (size_t k = 0; k < c.node_count && c.decision != KARP_COMMAND_REBOOT; k++) {
            uint32_t name = name_id(o, c.nodes[k]);
            if (name != NO_ID) bits_set(o->gone, name);
        }
    }
    return KARP_OK;
}

static karp_status take_lost(outcome *o)
{
    for (size_t i = 0; i < o->lost_count; i++) {
        uint32_t name = name_id(o, o->lost[i]);
        if (name == NO_ID || (store_find(raw(o), KIND_NODE, NO_TEXT, name) == NO_ID &&
                              store_find(raw(o), KIND_NODE_CLAIM, NO_TEXT, name) == NO_ID)) {
            int shown = str_shown(o->lost[i], 200);
            return fail(o->error, KARP_E_NOT_FOUND, "no such node: %.*s", shown, o->lost[i].ptr);
        }
        bits_set(o->gone, name);
    }
    return KARP_OK;
}

/* A node that has not joined the cluster cannot have pods yet. */
static karp_status take_placements(outcome *o, const karp_decision *decision)
{
    for (size_t i = 0; i < karp_decision_placement_count(decision); i++) {
        karp_placement p = { .size = sizeof p };
        if (karp_decision_placement(decision, i, &p) != KARP_OK) return fail_hidden(o->error, KARP_E_INTERNAL);
        uint32_t name = name_id(o, p.node);
        if (name == NO_ID || store_find(raw(o), KIND_NODE, NO_TEXT, name) == NO_ID) continue;
        bits_set(o->touched, name);
        for (size_t k = 0; k < p.pod_count; k++) o->node_of[p.pods[k]] = name_of(o->before, name);
    }
    return KARP_OK;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static bool was_evicted(const pod *p)
{
    return !pod_over(p) && p->deletion == KARP_NO_TIME && !(p->flags & (POD_OF_DAEMON_SET | POD_OF_NODE));
}

static karp_status set_pod(outcome *o, uint32_t number, const karp_pod_status *status)
{
    const pod *p = pod_at(raw(o), number);
    return karp_builder_set_pod_status(o->builder, text_of(o->before, p->name_space), name_of(o->before, p->name),
                                       status, o->error);
}

static karp_status bind_pod(outcome *o, uint32_t number)
{
    const karp_condition ready = {
        .type = str("Ready"), .status = str("True"), .reason = str("Ready"), .last_transition = o->now
    };
    const karp_pod_status status = { .size = sizeof status,
                                     .node_name = o->node_of[number],
                                     .conditions = &ready,
                                     .condition_count = 1,
                                     .start_time = o->now,
                                     .deletion = pod_at(raw(o), number)->deletion,
                                     .phase = KARP_PHASE_RUNNING };
    return set_pod(o, number, &status);
}

/* A controller creates the pod, or creates it anew. Without this condition Karpenter would ignore it. */
static karp_status create_pod(outcome *o, uint32_t number)
{
    const karp_condition pending = {
        .type = str("PodScheduled"), .status = str("False"), .reason = str("Unschedulable"), .last_transition = o->now
    };
    const karp_pod_status status = {
        .size = sizeof status, .conditions = &pending, .condition_count = 1, .phase = KARP_PHASE_PENDING
    };
    return set_pod(o, number, &status);
}

static bool runs_then(const outcome *o, uint32_t number);

/* The number of the pod before "db-3" in its StatefulSet, "db-2"; NO_ID = there is none. */
static uint32_t pod_before(const outcome *o, const pod *p)
{
    char text[260];
    karp_str name = name_of(o->before, p->name);
    uint64_t number = 0;
    size_t digits = 0;
    while (digits < name.len && digits < 18 && is_digit(name.ptr[name.len - 1 - digits])) digits++;
    for (size_t i = name.len - digits; i < name.len; i++) number = number * 10 + (uint64_t)(name.ptr[i] - '0');
    if (digits == 0 || number == 0 || name.len - digits > sizeof text - 20) return NO_ID;
    size_t length = name.len - digits;
    memcpy(text, name.ptr, length);
    length += write_digits(text + length, number - 1);
    uint32_t id = name_id(o, (karp_str){ text, length });
    return id == NO_ID ? NO_ID : store_find_pod(raw(o), p->name_space, id);
}

static bool is_created_then(const outcome *o, const pod *p)
{
    if (!(p->flags & POD_NOT_CREATED)) return false;
    uint32_t before = pod_before(o, p);
    return before == NO_ID || (!(pod_at(raw(o), before)->flags & POD_NOT_CREATED) && runs_then(o, before));
}

static karp_status change_pods(outcome *o)
{
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < raw(o)->pods.count && status == KARP_OK; i++) {
        const pod *p = pod_at(raw(o), i);
        bool homeless = is_gone(o, p->node);
        if (p->flags & POD_VIRTUAL) continue;
        o->ends[i] = homeless && !was_evicted(p);
        if (o->ends[i])
            status = karp_builder_remove(o->builder, str("Pod"), text_of(o->before, p->name_space),
                                         name_of(o->before, p->name), o->error);
        else if (o->node_of[i].ptr != NULL) status = bind_pod(o, i);
        else if (homeless || is_created_then(o, p)) status = create_pod(o, i);
        if (status == KARP_OK && homeless && !o->ends[i] && !builder_create_again(o->builder, p->name_space, p->name))
            status = outcome_nomem(o);
    }
    return status;
}

/* ---- PodDisruptionBudgets ---------------------------------------------------------------------------------------- */

static bool runs_then(const outcome *o, uint32_t number)
{
    const pod *p = pod_at(raw(o), number);
    if (o->node_of[number].ptr != NULL) return true;
    return !is_gone(o, p->node) && p->phase == KARP_PHASE_RUNNING && !(p->flags & POD_NOT_READY);
}

static bool counts(const outcome *o, const disruption_budget *b, uint32_t number)
{
    const pod *p = pod_at(raw(o), number);
    if (o->ends[number] || (p->flags & POD_VIRTUAL) || p->name_space != b->meta.name_space || pod_over(p) ||
        (p->deletion != KARP_NO_TIME && !is_gone(o, p->node)))
        return false;
    return b->selects != NULL && selector_selects(b->selects, store_pod_labels(raw(o), p->labels));
}

static karp_status count_budget(outcome *o, uint32_t index)
{
    disruption_budget b = raw(o)->budgets.items[index];
    uint32_t expected = 0, healthy = 0;
    for (uint32_t i = 0; i < raw(o)->pods.count; i++) {
        if (!counts(o, &b, i)) continue;
        expected++;
        healthy += runs_then(o, i);
    }
    b.expected_pods = (int32_t)expected;
    b.current_healthy = (int32_t)healthy;
    b.disruptions_allowed = evictions_left(pods_to_stay(&b.min_available, &b.max_unavailable, expected), expected,
                                           healthy);
    return builder_set_budget(o->builder, index, &b) ? KARP_OK : outcome_nomem(o);
}

/* Where pods were not healthy yet, the controller of budgets counts them again. */
static karp_status change_budgets(outcome *o)
{
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < raw(o)->budgets.count && status == KARP_OK; i++) {
        const disruption_budget *b = &raw(o)->budgets.items[i];
        if (b->current_healthy < b->expected_pods) status = count_budget(o, i);
    }
    return status;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static karp_status remove_object(outcome *o, const char *kind, uint32_t name)
{
    return karp_builder_remove(o->builder, str(kind), (karp_str){ "", 0 }, name_of(o->before, name), o->error);
}

static karp_status remove_nodes(outcome *o)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < raw(o)->nodes.count && status == KARP_OK; i++) {
        uint32_t name = raw(o)->nodes.items[i].meta.name;
        if (is_gone(o, name)) status = remove_object(o, "Node", name);
    }
    for (size_t i = 0; i < raw(o)->csi_nodes.count && status == KARP_OK; i++) {
        uint32_t name = raw(o)->csi_nodes.items[i].meta.name;
        if (is_gone(o, name)) status = remove_object(o, "CSINode", name);
    }
    return status;
}

/* Whether the controller of NodeClaims has the claim as consolidatable now. */
static bool is_consolidatable(const outcome *o, const node_claim *c, int64_t event)
{
    uint32_t index = pool_of_labels(o->before, c->meta.labels);
    if (index == NO_ID || raw(o)->pools.items[index].replicas >= 0) return false;
    int64_t from;
    return claim_consolidatable(o->before, c, &raw(o)->pools.items[index], event, o->now, &from);
}

/* The claim's conditions with Consolidatable as it is now; NULL = out of memory. */
static karp_condition *conditions_now(outcome *o, const node_claim *c, bool consolidatable, size_t *count)
{
    karp_condition *list = arena_array(&o->memory, c->conditions.count + (size_t)1, sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < c->conditions.count && list != NULL; i++) {
        const condition *own = &c->conditions.items[i];
        if (own->type == o->before->known.consolidatable) continue;
        list[(*count)++] = (karp_condition){ .type = text_of(o->before, own->type),
                                             .status = text_of(o->before, own->status),
                                             .reason = text_of(o->before, own->reason),
                                             .last_transition = own->since };
    }
    if (list != NULL && consolidatable)
        list[(*count)++] = (karp_condition){ .type = str("Consolidatable"),
                                             .status = str("True"),
                                             .reason = str("Consolidatable"),
                                             .last_transition = o->now };
    return list;
}

static karp_status change_claim(outcome *o, const node_claim *c, bool touched)
{
    int64_t event = touched ? o->now : c->last_pod_event;
    bool consolidatable = is_consolidatable(o, c, event);
    bool is_already = condition_is_true(o->before, c->conditions, "Consolidatable");
    if (c->conditions.count == 0 || (!touched && consolidatable == is_already)) return KARP_OK;
    karp_node_claim_status now = { .size = sizeof now, .last_pod_event = event, .deletion = c->meta.deletion };
    now.conditions = conditions_now(o, c, consolidatable, &now.condition_count);
    if (now.conditions == NULL) return outcome_nomem(o);
    return karp_builder_set_node_claim_status(o->builder, name_of(o->before, c->meta.name), &now, o->error);
}

/* The claim of a command's node is being deleted from then on. */
static karp_status begin_to_delete(outcome *o, const node_claim *c)
{
    karp_node_claim_status now = { .size = sizeof now, .last_pod_event = c->last_pod_event, .deletion = o->now };
    if (c->meta.deletion != KARP_NO_TIME) return KARP_OK;
    now.conditions = conditions_now(o, c, condition_is_true(o->before, c->conditions, "Consolidatable"),
                                    &now.condition_count);
    if (now.conditions == NULL) return outcome_nomem(o);
    return karp_builder_set_node_claim_status(o->builder, name_of(o->before, c->meta.name), &now, o->error);
}

static karp_status change_claims(outcome *o)
{
    karp_status status = KARP_OK;
    uint32_t *node_of = arena_array(&o->memory, raw(o)->claims.count + (size_t)1, sizeof *node_of);
    if (node_of == NULL) return outcome_nomem(o);
    memset(node_of, 0xff, raw(o)->claims.count * sizeof *node_of);
    for (size_t i = 0; i < o->before->node_count; i++) {
        const state_node *n = &o->before->nodes[i];
        if (n->claim != NO_ID && n->node != NO_ID) node_of[n->claim] = raw(o)->nodes.items[n->node].meta.name;
    }
    for (size_t i = 0; i < raw(o)->claims.count && status == KARP_OK; i++) {
        const node_claim *c = &raw(o)->claims.items[i];
        bool goes = is_gone(o, node_of[i]) || is_gone(o, c->meta.name);
        if (o->begins) status = goes ? begin_to_delete(o, c) : KARP_OK;
        else if (goes) status = remove_object(o, "NodeClaim", c->meta.name);
        else status = change_claim(o, c, node_of[i] != NO_ID && bits_test(o->touched, node_of[i]));
    }
    return status;
}

/* ---- reservations ------------------------------------------------------------------------------------------------ */

karp_status take_reserved(outcome *o, const karp_label *labels, size_t count, int64_t instances)
{
    uint32_t version = o->decision_count > 0 ? karp_decision_peer_version(o->decisions[0]) : KARP_PEER_NEWEST;
    return karp_builder_take_reserved(o->builder, labels, count, instances, version, o->error);
}

/* Nodes that end return their instances. */
static karp_status return_reserved(outcome *o)
{
    const karp_snapshot *s = o->before;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < s->node_count && status == KARP_OK; i++) {
        const state_node *n = &s->nodes[i];
        if (n->capacity_type != s->known.reserved || !is_gone(o, n->name)) continue;
        uint32_t id = label_get(n->labels, s->raw.reservation_id);
        const karp_label labels[] = { { text_of(s, s->known.capacity_type), str("reserved") },
                                      { text_of(s, s->raw.reservation_id), id == NO_ID ? str("") : text_of(s, id) } };
        status = take_reserved(o, labels, 2, -1);
    }
    return status;
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

static karp_status learn(outcome *o)
{
    size_t names = bits_words(raw(o)->names.count), pods = raw(o)->pods.count;
    o->gone = arena_array(&o->memory, names + 1, sizeof *o->gone);
    o->touched = arena_array(&o->memory, names + 1, sizeof *o->touched);
    o->node_of = arena_array(&o->memory, pods + 1, sizeof *o->node_of);
    o->ends = arena_array(&o->memory, pods + 1, sizeof *o->ends);
    if (o->gone == NULL || o->touched == NULL || o->node_of == NULL || o->ends == NULL) return outcome_nomem(o);
    if (o->decision_count > 0 && !o->begins) take_deleted(o);
    karp_status status = take_lost(o);
    if (status == KARP_OK) status = name_launches(o);
    for (size_t i = 0; i < o->decision_count && status == KARP_OK; i++) {
        const karp_decision *d = o->decisions[i];
        status = karp_decision_command_count(d) > 0 ? take_commands(o, d) : take_placements(o, d);
    }
    return status;
}

static karp_status carry_out(outcome *o)
{
    karp_status status = learn(o);
    if (status != KARP_OK) return status;
    builder_forget_state(o->builder);
    status = karp_builder_set_now(o->builder, o->now, o->error);
    if (status == KARP_OK && !o->begins) status = change_pods(o);
    if (status == KARP_OK && !o->begins) status = change_budgets(o);
    if (status == KARP_OK && !o->begins) status = remove_nodes(o);
    if (status == KARP_OK) status = change_claims(o);
    if (status == KARP_OK && !o->begins) status = return_reserved(o);
    return status == KARP_OK ? carry_out_launches(o) : status;
}

karp_status karp_snapshot_after(const karp_snapshot *before, const karp_decision *decision, int64_t now,
                                karp_snapshot **out, karp_error *error)
{
    if (before == NULL || out == NULL) return fail_null(error, "before or out");
    return snapshot_after(before, &decision, decision != NULL, false, now, out, error);
}

/* Makes the snapshot that the outcome describes. */
static karp_status make(outcome *o, karp_snapshot **out, karp_error *error)
{
    karp_error own = { .size = sizeof own };
    o->error = error != NULL ? error : &own;
    karp_status status = karp_snapshot_edit(o->before, &o->builder, o->error);
    if (status != KARP_OK) return status;
    arena_init(&o->memory, o->before->context);
    status = carry_out(o);
    if (status == KARP_OK) status = karp_builder_finish(o->builder, out, o->error);
    arena_free(&o->memory);
    karp_builder_free(o->builder);
    return status;
}

karp_status snapshot_after(const karp_snapshot *before, const karp_decision *const *decisions, size_t count,
                           bool begins, int64_t now, karp_snapshot **out, karp_error *error)
{
    if (now < before->raw.now) return fail(error, KARP_E_INVALID, "now is before the snapshot's time");
    outcome o = { .before = before, .decisions = decisions, .decision_count = count, .begins = begins, .now = now };
    return make(&o, out, error);
}

karp_status karp_snapshot_without(const karp_snapshot *before, const karp_str *nodes, size_t count, karp_snapshot **out,
                                  karp_error *error)
{
    if (before == NULL || out == NULL || (nodes == NULL && count > 0)) return fail_null(error, "before, nodes or out");
    outcome o = { .before = before, .lost = nodes, .lost_count = count, .now = before->raw.now };
    return make(&o, out, error);
}
