/* SPDX-License-Identifier: Apache-2.0 */
/* Why a node stays: everything that blocks its disruption, and what would happen to its pods. */
#include <base/money.h>

#include <base/bits.h>
#include <base/context.h>
#include <base/error.h>
#include <disrupt/advice.h>
#include <explain/market.h>
#include <explain/move_savings.h>
#include <explain/node_causes.h>
#include <explain/node_remedies.h>
#include <model/drifted.h>
#include <model/peer.h>
#include <karp/what_if.h>
#include <schedule/movable.h>
#include <schedule/options.h>

enum { MOST_BLOCKERS = 100 };

struct karp_node_explanation {
    karp_context *context;
    arena data;
    karp_decision *decision;
    uint32_t node; /* its state node in the current view */
    karp_str name; /* its name, in memory of the decision */
    karp_str drift; /* see drift_reason() */
    karp_str overruled;
    karp_str facts[9]; /* the first fact_count; the last one is never used */
    size_t fact_count;
    bool disrupted, expired, has_move;
    bool by_preference; /* see node_remedies */
    bool refused; /* an allocation for a text failed */
    karp_move move;
    LIST_OF(karp_blocker) blockers;
    LIST_OF(karp_node_remedy) remedies;
    uint32_t tried;
};

/* ---- reasons of a pass ------------------------------------------------------------------------------------------- */

static bool named_by_command(const karp_decision *d, karp_str name)
{
    for (size_t i = 0; i < d->commands.count; i++) {
        if (str_in(name, d->commands.items[i].nodes, d->commands.items[i].node_count)) return true;
    }
    return false;
}

static const karp_kept *kept_row(const karp_decision *d, karp_str name)
{
    for (size_t i = 0; i < d->kept.count; i++) {
        if (equal_str(d->kept.items[i].node, name)) return &d->kept.items[i];
    }
    return NULL;
}

/* Whether another method has the same reason. */
static bool listed(const karp_node_explanation *e, uint32_t code, karp_str detail)
{
    for (size_t i = 0; i < e->blockers.count; i++) {
        const karp_blocker *b = &e->blockers.items[i];
        if (b->code == code && equal_str(b->detail, detail)) return true;
    }
    return false;
}

/* consolidateAfter Never is one cause, though a pass has two reasons for it. */
static bool never_consolidated(const karp_node_explanation *e, const node_cause *c)
{
    bool listed_ = false;
    for (size_t i = 0; i < e->blockers.count; i++)
        listed_ = listed_ || e->blockers.items[i].code == KARP_REASON_CONSOLIDATION_DISABLED;
    const state_node *n = &c->view->snapshot->nodes[c->view->node];
    return listed_ && c->row->code == KARP_REASON_NOT_CONSOLIDATABLE && n->pool != NO_ID &&
           c->view->snapshot->raw.pools.items[n->pool].consolidate_after == KARP_DURATION_NEVER;
}

/* Whether the reason is about where the node's pods go. */
static bool about_places(uint32_t code)
{
    return code == KARP_REASON_NO_CHEAPER_NODE || code == KARP_REASON_SEVERAL_NODES_NEEDED ||
           code == KARP_REASON_PODS_WOULD_NOT_SCHEDULE || code == KARP_REASON_SAME_TYPE;
}

/* A NodePool that consolidates empty nodes only compares no prices. */
static bool beside_policy(const karp_node_explanation *e, uint32_t code)
{
    bool empty_only = false;
    for (size_t i = 0; i < e->blockers.count; i++)
        empty_only = empty_only || e->blockers.items[i].code == KARP_REASON_POLICY_WHEN_EMPTY;
    return empty_only && code == KARP_REASON_NO_CHEAPER_NODE;
}

static bool add_blocker(karp_node_explanation *e, const node_cause *c)
{
    if (never_consolidated(e, c) || beside_policy(e, c->row->code)) return true;
    strbuf text = strbuf_on(e->context);
    cause_show(&text, c);
    if (!text.failed && listed(e, c->row->code, (karp_str){ text.ptr, text.len })) {
        strbuf_free(&text);
        return true;
    }
    karp_blocker *slot = text.failed ? NULL : list_push(e->context, &e->blockers, sizeof *slot);
    char *copy = slot == NULL ? NULL : arena_string(&e->data, text.ptr, text.len);
    if (copy != NULL) {
        *slot = (karp_blocker){ .size = sizeof *slot,
                                .code = c->row->code,
                                .method = c->method,
                                .found = c->row->found,
                                .detail = { copy, text.len },
                                .until = cause_ends(c) };
    }
    strbuf_free(&text);
    return copy != NULL;
}

/* Runs one decision in which only this node can be disrupted. *again: repeat, because the reason was removed or
 * another method has to decide. */
static karp_status look(karp_node_explanation *e, node_view *v, karp_disrupt_options *options, bool *again,
                        karp_error *error)
{
    karp_decision *d = NULL;
    *again = false;
    karp_status status = karp_disrupt(&v->view, options, &d, error);
    if (status != KARP_OK) return status;
    const karp_kept *row = kept_row(d, name_of(v->snapshot, v->snapshot->nodes[v->node].name));
    uint32_t pod_number = row == NULL ? NO_ID : node_view_pod_of(v->snapshot, v->node, row->detail);
    bool ok = true;
    if (row != NULL && row->code == KARP_REASON_EMPTY_NODE) { /* consolidation reports this; emptiness does not */
        options->method = KARP_METHOD_EMPTINESS;
        *again = true;
    } else if (row != NULL) {
        ok = add_blocker(e, &(node_cause){ v, d, row, pod_number, options->method });
        *again = ok && node_view_lift(v, row->code, pod_number);
        ok = ok && !v->refused;
    }
    karp_decision_unref(d);
    return ok ? KARP_OK : fail_nomem(error);
}

/* ---- other commands of the pass ---------------------------------------------------------------------------------- */

/* Whether the pass removed empty nodes, so that the node can be explained without them. */
static bool empties_first(const karp_node_explanation *e, const karp_disrupt_options *given)
{
    return given->method == KARP_METHOD_ANY && e->decision->commands.count > 0 &&
           e->decision->disruption.method == KARP_METHOD_EMPTINESS;
}

/* "Emptiness of a, b and 3 more nodes" */
static void show_commands(strbuf *b, const karp_decision *d)
{
    size_t count = 0;
    strbuf_adds(b, karp_method_name(d->disruption.method));
    for (size_t i = 0; i < d->commands.count; i++) {
        for (size_t k = 0; k < d->commands.items[i].node_count; k++) {
            if (count++ >= MOST_NAMED) continue;
            strbuf_adds(b, count == 1 ? " of " : ", ");
            strbuf_addstr(b, d->commands.items[i].nodes[k]);
        }
    }
    show_more(b, count, MOST_NAMED, " more node", " more nodes");
}

/* `beside`: why the command does not take this node as well; NULL = it was not tried. */
static bool add_first(karp_node_explanation *e, const node_view *v, const karp_kept *beside)
{
    strbuf text = strbuf_on(e->context);
    show_commands(&text, e->decision);
    if (beside != NULL) strbuf_adds(&text, "; with this node as well: ");
    if (beside != NULL) strbuf_adds(&text, karp_reason_text(beside->code));
    karp_kept row = { .size = sizeof row, .code = KARP_REASON_NOT_REACHED_IN_PASS, .detail = { text.ptr, text.len } };
    bool ok = !text.failed &&
              add_blocker(e, &(node_cause){ v, e->decision, &row, NO_ID, e->decision->disruption.method });
    strbuf_free(&text);
    return ok;
}

static bool add_of_row(karp_node_explanation *e, const node_view *v, const karp_kept *row)
{
    uint32_t pod_number = node_view_pod_of(v->snapshot, e->node, row->detail);
    return add_blocker(e, &(node_cause){ v, e->decision, row, pod_number, e->decision->disruption.method });
}

/* The node could be disrupted alone. Then the reason that the pass reported applies, unless another method had
 * precedence. */
static bool add_of_pass(karp_node_explanation *e, const node_view *v)
{
    const karp_kept *row = kept_row(e->decision, e->name);
    if (row == NULL) return true; /* never: a node that stays has a row */
    bool turn = row->code == KARP_REASON_NOT_DRIFTED || row->code == KARP_REASON_NOT_REACHED_IN_PASS;
    bool several = e->decision->disruption.method == KARP_METHOD_MULTI_NODE;
    if ((turn || several) && e->decision->commands.count > 0) return add_first(e, v, turn ? NULL : row);
    return add_of_row(e, v, row);
}

/* The looks are at this node alone. A pass may have another reason for not choosing it together with others. */
static bool add_of_several(karp_node_explanation *e, const node_view *v)
{
    const karp_kept *row = kept_row(e->decision, e->name);
    if (row == NULL || e->decision->disruption.method != KARP_METHOD_MULTI_NODE) return true;
    bool turn = row->code == KARP_REASON_NOT_REACHED_IN_PASS || row->code == KARP_REASON_EMPTY_NODE;
    for (size_t i = 0; i < e->blockers.count && !turn; i++) turn = e->blockers.items[i].code == row->code;
    return turn || add_of_row(e, v, row);
}

/* The methods that could take the node, in the order of a pass. */
static size_t methods_of(const karp_snapshot *s, const karp_node_explanation *e, uint32_t asked, uint32_t out[2])
{
    const state_node *n = &s->nodes[e->node];
    bool is_static = n->pool != NO_ID && s->raw.pools.items[n->pool].replicas >= 0;
    size_t count = 0;
    if (asked != KARP_METHOD_ANY && asked != KARP_METHOD_MULTI_NODE) {
        out[count++] = asked;
        return count;
    }
    if (e->drift.len > 0) out[count++] = is_static ? KARP_METHOD_STATIC_DRIFT : KARP_METHOD_DRIFT;
    if (count == 0 || !is_static) out[count++] = KARP_METHOD_SINGLE_NODE;
    return count;
}

/* The reasons of one method. */
static karp_status find_of_method(karp_node_explanation *e, const karp_snapshot *s, const karp_disrupt_options *given,
                                  uint32_t method, karp_error *error)
{
    karp_disrupt_options options = *given;
    node_view v;
    bool again = true, leaves = s->nodes[e->node].marked, first = empties_first(e, given);
    size_t before = e->blockers.count;
    karp_status status = node_view_init(&v, s, e->node) ? KARP_OK : fail_nomem(error);
    if (status == KARP_OK && first) node_view_remove_commands(&v, e->decision);
    options.method = method;
    for (int i = 0; i < MOST_BLOCKERS && status == KARP_OK && again; i++) status = look(e, &v, &options, &again, error);
    if (status == KARP_OK && before == 0 && first && !leaves && !add_first(e, &v, NULL)) status = fail_nomem(error);
    if (status == KARP_OK && before == 0 && !leaves &&
        !(e->blockers.count == 0 ? add_of_pass(e, &v) : add_of_several(e, &v)))
        status = fail_nomem(error);
    node_view_free(&v);
    return status;
}

static karp_status find_blockers(karp_node_explanation *e, const karp_snapshot *s, const karp_disrupt_options *given,
                                 karp_error *error)
{
    uint32_t methods[2];
    size_t count = methods_of(s, e, given->method, methods);
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) status = find_of_method(e, s, given, methods[i], error);
    return status;
}

/* ---- moving the pods --------------------------------------------------------------------------------------------- */

static karp_str keep(karp_node_explanation *e, karp_str text)
{
    const char *copy = arena_string(&e->data, text.ptr, text.len);
    e->refused |= copy == NULL;
    return (karp_str){ copy, text.len };
}

/* Whether a pod of the node has no place in the decision. */
static bool strands_pods(const karp_snapshot *s, uint32_t node_number, const karp_decision *d)
{
    bool stranded = false;
    for (size_t i = 0; i < d->unschedulable.count && !stranded; i++)
        stranded = pods_from_node(s, node_number, &d->unschedulable.items[i].pod, 1) > 0;
    for (size_t i = 0; i < d->ignored.count && !stranded; i++)
        stranded = pods_from_node(s, node_number, &d->ignored.items[i].pod, 1) > 0;
    return stranded;
}

static void read_move(karp_node_explanation *e, const karp_snapshot *s, const karp_decision *d)
{
    karp_move *m = &e->move;
    double started = 0;
    *m = (karp_move){ .size = sizeof *m, .node_pool = { "", 0 }, .choice = { { "", 0 }, { "", 0 }, { "", 0 }, 0 } };
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use row = { .size = sizeof row };
        if (karp_decision_node(d, i, &row) == KARP_OK && equal_str(row.node, name_of(s, s->nodes[e->node].name)))
            m->price = row.price;
    }
    for (size_t i = 0; i < d->placements.count; i++)
        m->moved += pods_from_node(s, e->node, d->placements.items[i].pods, d->placements.items[i].pod_count);
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        uint32_t own = pods_from_node(s, e->node, l->pods, l->pod_count);
        if (own == 0) continue;
        m->moved += own;
        started += l->choice.price;
        if (m->launches++ > 0) continue;
        m->node_pool = keep(e, l->node_pool);
        m->choice = (karp_choice){ keep(e, l->choice.instance_type), keep(e, l->choice.zone),
                                   keep(e, l->choice.capacity_type), l->choice.price };
    }
    m->savings = has_price(m->price) ? m->price - started : 0;
    e->has_move = true;
}

/* ---- pending pods ------------------------------------------------------------------------------------------------ */

/* Whether the reason is about the replacement of the node. */
static bool about_replacement(uint32_t code, uint32_t launches)
{
    switch (code) {
    case KARP_REASON_SEVERAL_NODES_NEEDED: return launches <= 1;
    case KARP_REASON_NO_CHEAPER_NODE:
    case KARP_REASON_MIN_VALUES_BY_PRICE:
    case KARP_REASON_SPOT_TO_SPOT_DISABLED:
    case KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES:
    case KARP_REASON_SAME_TYPE: return launches == 0;
    default: return false;
    }
}

/* Lists the pending pods for which nodes are launched without a pod of this node: "pending pod a/b", "pending pods
 * a/b, a/c and 3 more". Returns their number. */
static uint32_t show_pending(strbuf *b, const karp_node_explanation *e, const karp_snapshot *s, const karp_decision *d)
{
    uint32_t all = 0;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t count = 0;
        if (pass == 1) strbuf_adds(b, all == 1 ? "pending pod " : "pending pods ");
        for (size_t i = 0; i < d->launches.count; i++) {
            const karp_launch *l = &d->launches.items[i];
            if (pods_from_node(s, e->node, l->pods, l->pod_count) > 0) continue;
            for (size_t k = 0; k < l->pod_count; k++, count++) {
                if (pass == 0 || count >= MOST_NAMED) continue;
                if (count > 0) strbuf_adds(b, ", ");
                strbuf_addstr(b, pod_name(s, l->pods[k]));
            }
        }
        all = count;
        if (all == 0) return 0;
    }
    show_more(b, all, MOST_NAMED, " more", " more");
    return all;
}

/* Why no cheaper type does: "its pods fit on no cheaper node: m6i.xlarge is the cheapest of …". */
static bool name_type(karp_node_explanation *e, const karp_snapshot *s, const karp_decision *d)
{
    const karp_launch *l = NULL;
    bool ok = true;
    for (size_t i = 0; i < d->launches.count && l == NULL && e->move.launches == 1; i++) {
        if (pods_from_node(s, e->node, d->launches.items[i].pods, d->launches.items[i].pod_count) > 0)
            l = &d->launches.items[i];
    }
    for (size_t i = 0; i < e->blockers.count && l != NULL; i++) {
        karp_blocker *blocker = &e->blockers.items[i];
        if (blocker->code != KARP_REASON_NO_CHEAPER_NODE) continue;
        strbuf text = strbuf_on(e->context);
        strbuf_put(&text, "", blocker->detail, ": ");
        bool lacks = false;
        ok = ok && show_launch_type(e->context, &e->data, s, l, &text, &lacks);
        if (lacks) strbuf_adds(&text, "; a node is replaced by at most one");
        if (e->move.savings > -0.000001 && e->move.savings < 0.000001)
            strbuf_adds(&text, "; it costs as much as the node, and a replacement has to be cheaper");
        ok = strbuf_move(&text, &e->data, &blocker->detail) && ok;
    }
    return ok;
}

/* Nodes that would take its pods, if consolidateAfter did not keep pods of other nodes off them. */
static bool name_shielded(karp_node_explanation *e, const karp_snapshot *s, const karp_decision *d)
{
    bool ok = true;
    for (size_t i = 0; i < e->blockers.count && e->move.launches == 0; i++) {
        karp_blocker *blocker = &e->blockers.items[i];
        uint32_t count = 0;
        if (blocker->code != KARP_REASON_NO_CHEAPER_NODE) continue;
        strbuf text = strbuf_on(e->context);
        strbuf_addstr(&text, blocker->detail);
        for (size_t k = 0; k < d->placements.count && count < MOST_NAMED; k++) {
            const karp_placement *p = &d->placements.items[k];
            uint32_t number = state_node_named(s, p->node);
            if (pods_from_node(s, e->node, p->pods, p->pod_count) == 0 || number == NO_ID ||
                !under_consolidate_after(s, &s->nodes[number], e->decision->now))
                continue;
            strbuf_adds(&text, count++ == 0
                                   ? ": consolidateAfter, which counts from the last pod event, also keeps them off "
                                   : ", ");
            show_shielded(&text, s, number);
            if (blocker->until == KARP_NO_TIME) blocker->until = shielded_until(s, number);
        }
        ok = strbuf_move(&text, &e->data, &blocker->detail) && ok;
    }
    return ok;
}

/* Which nodes SEVERAL_NODES_NEEDED is about. */
static bool name_launches(karp_node_explanation *e, const karp_snapshot *s, const karp_decision *d)
{
    bool ok = true;
    for (size_t i = 0; i < e->blockers.count && e->move.launches > 1; i++) {
        karp_blocker *blocker = &e->blockers.items[i];
        if (blocker->code != KARP_REASON_SEVERAL_NODES_NEEDED) continue;
        strbuf text = strbuf_on(e->context);
        strbuf_put(&text, "", blocker->detail, ", ");
        show_launches(&text, s, e->node, d);
        ok = strbuf_move(&text, &e->data, &blocker->detail) && ok;
    }
    return ok;
}

/* Pending pods that need a new node are part of the simulation of every node, and nodes launched for them count as
 * replacements. Then a reason about the replacement is caused by them. */
static bool blame_pending(karp_node_explanation *e, const karp_snapshot *s, const karp_decision *d)
{
    size_t kept = 0;
    bool named = false;
    strbuf text = strbuf_on(e->context);
    uint32_t pods = show_pending(&text, e, s, d);
    strbuf_adds(&text, pods == 1 ? " needs a new node, which counts as this one's replacement: "
                                 : " need new nodes, which count as this one's replacement: ");
    size_t length = text.len;
    for (size_t i = 0; i < e->blockers.count && pods > 0; i++) {
        karp_blocker blocker = e->blockers.items[i];
        bool about = about_replacement(blocker.code, e->move.launches);
        if (about && named) continue;
        if (about) {
            strbuf_addstr(&text, blocker.detail);
            blocker.detail = keep(e, (karp_str){ text.ptr, text.failed ? 0 : text.len });
            named = true;
        }
        e->blockers.items[kept++] = blocker;
    }
    if (pods > 0) e->blockers.count = kept;
    bool ok = !text.failed && length > 0;
    strbuf_free(&text);
    return ok;
}

/* The preference that keeps the pods off other nodes, if the node goes without preferences. */
static bool name_preference(karp_node_explanation *e, const karp_snapshot *s)
{
    bool ok = true;
    for (size_t i = 0; i < e->blockers.count && e->by_preference; i++) {
        karp_blocker *blocker = &e->blockers.items[i];
        if (!about_places(blocker->code)) continue;
        strbuf text = strbuf_on(e->context);
        (void)show_preference(&text, s, e->node);
        strbuf_put(&text,
                   ", which counts as a rule while it can be kept: without preferences the node goes; with them ",
                   blocker->detail, "");
        ok = strbuf_move(&text, &e->data, &blocker->detail) && ok;
    }
    return ok;
}

/* The first pod of the node that has no place; else one of a node that is being deleted (*on): such pods are part of
 * every simulation, and keep all nodes if they have no place. NULL = there is none. Source: Karpenter 1.15,
 * SimulateScheduling(). */
static const karp_unschedulable *without_place(const karp_node_explanation *e, const karp_snapshot *s,
                                               const karp_decision *d, uint32_t *on)
{
    const karp_unschedulable *leaving = NULL;
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        const karp_unschedulable *row = &d->unschedulable.items[i];
        uint32_t name = pod_at(&s->raw, row->pod)->node;
        uint32_t number = name == NO_ID ? NO_ID : state_node_named(s, name_of(s, name));
        if (number == e->node) return row;
        if (number == NO_ID || !s->nodes[number].marked || leaving != NULL) continue;
        leaving = row;
        *on = number;
    }
    return leaving;
}

/* Why the pod that has no place elsewhere has none. */
static bool name_unplaced(karp_node_explanation *e, const karp_snapshot *s, const karp_decision *d)
{
    uint32_t on = e->node;
    const karp_unschedulable *row = without_place(e, s, d, &on);
    bool ok = true;
    for (size_t i = 0; i < e->blockers.count && row != NULL; i++) {
        karp_blocker *blocker = &e->blockers.items[i];
        if (blocker->code != KARP_REASON_PODS_WOULD_NOT_SCHEDULE) continue;
        strbuf text = strbuf_on(e->context);
        strbuf_adds(&text, karp_reason_text(blocker->code));
        strbuf_put(&text, ": ", pod_name(s, row->pod), "");
        if (on != e->node)
            strbuf_put(&text, " is on ", name_of(s, s->nodes[on].name),
                       ", which is being deleted, and has no other place; until it has, no node with pods is "
                       "consolidated or replaced for drift");
        strbuf_adds(&text, ": ");
        show_unplaced(&text, row);
        ok = strbuf_move(&text, &e->data, &blocker->detail) && ok;
    }
    return ok;
}

/* The node, and, if `others`, the nodes of the pass's commands, which go before it. NULL = out of memory. */
static const karp_change *removals(karp_node_explanation *e, const karp_snapshot *s, bool others, size_t *count)
{
    const karp_decision *d = e->decision;
    size_t most = 1;
    for (size_t i = 0; others && i < d->commands.count; i++) most += d->commands.items[i].node_count;
    karp_change *list = arena_array(&e->data, most, sizeof *list);
    if (list == NULL) return NULL;
    *count = 0;
    list[(*count)++] = (karp_change){ .kind = KARP_CHANGE_REMOVE_NODE, .name = name_of(s, s->nodes[e->node].name) };
    for (size_t i = 0; others && i < d->commands.count; i++) {
        const karp_command *c = &d->commands.items[i];
        for (size_t k = 0; k < c->node_count; k++)
            list[(*count)++] = (karp_change){ .kind = KARP_CHANGE_REMOVE_NODE, .name = c->nodes[k] };
    }
    return list;
}

/* Whether launches have pods of other nodes, or pending pods: then their prices are not what the move costs. */
static bool shares_launches(const karp_node_explanation *e, const karp_snapshot *s, const karp_decision *d)
{
    bool shares = false;
    for (size_t i = 0; i < d->launches.count && !shares; i++) {
        const karp_launch *l = &d->launches.items[i];
        shares = pods_from_node(s, e->node, l->pods, l->pod_count) < l->pod_count;
    }
    return shares;
}

/* What the move saves beside the changes of the others. */
static karp_status count_savings(karp_node_explanation *e, const karp_snapshot *s, const karp_options *options,
                                 const karp_change *changes, size_t count, karp_error *error)
{
    double before = -1;
    uint64_t *gone = arena_array(&e->data, s->node_count / 64 + (size_t)1, sizeof *gone);
    if (gone == NULL) return fail_nomem(error);
    for (size_t i = 1; i < count; i++) {
        uint32_t number = state_node_named(s, changes[i].name);
        if (number != NO_ID) bits_set(gone, number);
    }
    return move_savings(s, options, e->node, gone, &before, &e->move.savings, error);
}

static bool predicts(const karp_options *options) { return rule_of(options_rules(options), RULE_VPA_PREDICTION); }

static karp_status find_move(karp_node_explanation *e, const karp_snapshot *s, const karp_disrupt_options *given,
                             karp_error *error)
{
    karp_options options = *given->common;
    karp_decision *d = NULL;
    size_t count;
    if (s->nodes[e->node].claim == NO_ID) return KARP_OK;
    bool several = e->decision->disruption.method == KARP_METHOD_MULTI_NODE;
    const karp_change *changes = removals(e, s, several || empties_first(e, given), &count);
    if (changes == NULL) return fail_nomem(error);
    options.explain = KARP_EXPLAIN_FULL;
    karp_snapshot predicted;
    const karp_snapshot *seen = predicts(&options) ? snapshot_predicted(s, &e->data, &predicted) : s;
    if (seen == NULL) return fail_nomem(error);
    karp_status status = karp_what_if(seen, changes, count, &options, &d, error);
    if (status != KARP_OK) return status;
    if (!strands_pods(s, e->node, d)) {
        read_move(e, s, d);
        if (has_price(e->move.price) && shares_launches(e, s, d))
            status = count_savings(e, seen, &options, changes, count, error);
        e->refused = e->refused || !name_launches(e, s, d) || !name_type(e, s, d) || !name_shielded(e, s, d) ||
                     !blame_pending(e, s, d);
    }
    e->refused = e->refused || !name_unplaced(e, s, d) || !name_preference(e, s);
    karp_decision_unref(d);
    return e->refused ? fail_nomem(error) : status;
}

/* ---- the node ---------------------------------------------------------------------------------------------------- */

static bool add_overruled(karp_node_explanation *e, const karp_snapshot *s)
{
    strbuf text = strbuf_on(e->context);
    show_overruled(&text, s, e->node, karp_method_name(e->decision->disruption.method), e->decision->now);
    return strbuf_move(&text, &e->data, &e->overruled);
}

/* Keeps the text, unless it is empty, and clears it. */
static bool keep_fact(karp_node_explanation *e, strbuf *text)
{
    if (!strbuf_move(text, &e->data, &e->facts[e->fact_count])) return false;
    e->fact_count += e->facts[e->fact_count].len > 0;
    strbuf_init(text, e->context);
    return true;
}

static void show_memory(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    (void)show_overcommit_of_node(b, s, node_number);
}

/* What holds beside the reasons: expiration, NodePool limits that nodes outlast, pods that end, limits of pods, and
 * what has to do with drift. */
static bool add_facts(karp_node_explanation *e, const karp_snapshot *s, const karp_disrupt_options *options)
{
    enum { ANY, PREDICTED, DRIFTED, IMAGE, CONDITIONS };
    static const struct {
        uint32_t when;
        void (*show)(strbuf *b, const karp_snapshot *s, uint32_t node_number);
    } rows[] = { { ANY, show_over_limit },        { ANY, show_ending },
                 { PREDICTED, show_predicted },   { ANY, show_memory },
                 { IMAGE, show_latest_image },    { DRIFTED, show_policy },
                 { DRIFTED, show_default_budget } };
    const bool now[CONDITIONS] = { [ANY] = true,
                                   [PREDICTED] = predicts(options->common),
                                   [DRIFTED] = e->drift.len > 0,
                                   [IMAGE] = str_is(e->drift, "AMIDrift") };
    strbuf text = strbuf_on(e->context);
    if (options->expire_gracefully == 0) { /* else a pass decides */
        e->expired = node_expired(s, e->node, e->decision->now);
        show_expiry(&text, s, e->node, e->decision->now);
    }
    bool ok = keep_fact(e, &text);
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++) {
        if (now[rows[i].when]) rows[i].show(&text, s, e->node);
        ok = keep_fact(e, &text);
    }
    return ok;
}

/* The nodes of its NodePool that count as disrupted already. */
static size_t busy_nodes(const karp_node_explanation *e, const karp_snapshot *s)
{
    uint32_t pool = s->nodes[e->node].pool;
    karp_pool_budget row = { .size = sizeof row };
    for (size_t i = 0; pool != NO_ID && karp_decision_budget(e->decision, i, &row) == KARP_OK; i++) {
        if (equal_str(row.node_pool, name_of(s, s->raw.pools.items[pool].meta.name))) return row.busy_count;
    }
    return 0;
}

static karp_status find_remedies(karp_node_explanation *e, const karp_snapshot *s, const karp_disrupt_options *options,
                                 karp_error *error)
{
    node_remedies r = { .context = e->context,
                        .data = &e->data,
                        .snapshot = s,
                        .node = e->node,
                        .options = options,
                        .blockers = e->blockers.items,
                        .busy = busy_nodes(e, s),
                        .blocker_count = e->blockers.count,
                        .before = empties_first(e, options) ? e->decision : NULL };
    karp_status status = find_node_remedies(&r, error);
    e->remedies.items = r.found.items;
    e->remedies.count = r.found.count;
    e->remedies.capacity = r.found.capacity;
    e->tried = r.tried;
    e->by_preference = r.by_preference;
    return status;
}

static karp_status explain(karp_node_explanation *e, const karp_snapshot *s, const karp_disrupt_options *options,
                           karp_error *error)
{
    e->name = name_of(s, s->nodes[e->node].name);
    karp_status status = karp_disrupt(s, options, &e->decision, error);
    if (status != KARP_OK) return status;
    e->disrupted = named_by_command(e->decision, e->name);
    e->drift = keep(e, drift_reason(s, &s->nodes[e->node]));
    if (e->refused || !add_facts(e, s, options)) return fail_nomem(error);
    if (e->disrupted) return add_overruled(e, s) ? KARP_OK : fail_nomem(error);
    status = find_blockers(e, s, options, error);
    if (status == KARP_OK) status = find_remedies(e, s, options, error);
    return status == KARP_OK ? find_move(e, s, options, error) : status;
}

/* The state node of the NodeClaim of that name; NO_ID = there is none. */
static uint32_t node_of_claim(const karp_snapshot *s, karp_str name)
{
    uint32_t claim = claim_named(s, name);
    for (uint32_t n = 0; n < s->node_count && claim != NO_ID; n++) {
        if (s->nodes[n].claim == claim) return n;
    }
    return NO_ID;
}

karp_status karp_explain_node(const karp_snapshot *snapshot, const karp_disrupt_options *options, karp_str node_name,
                              karp_node_explanation **out, karp_error *error)
{
    if (!str_given(node_name)) return fail_null(error, "node_name");
    karp_disrupt_options checked;
    karp_options common;
    karp_snapshot view;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the explanation are needed");
    karp_status status = disrupt_options_check(options, &checked, &common, error);
    if (status != KARP_OK) return status;
    const karp_snapshot *known = options_view(&common, snapshot, &view);
    uint32_t number = state_node_named(known, node_name);
    if (number == NO_ID) number = node_of_claim(known, node_name);
    if (number == NO_ID && state_node_named(snapshot, node_name) != NO_ID)
        return fail(error, KARP_E_NOT_FOUND, "Karpenter does not know the node: the volume of a pod on it is gone");
    if (number == NO_ID) return fail(error, KARP_E_NOT_FOUND, "no node of that name");
    karp_node_explanation *e = made_new(snapshot->context, sizeof *e);
    if (e == NULL) return context_nomem(snapshot->context, error);
    e->node = number;
    status = explain(e, known, &checked, error);
    if (status == KARP_OK) {
        *out = e;
        return KARP_OK;
    }
    karp_node_explanation_free(e);
    return context_refusal(snapshot->context, status, error);
}

void karp_node_explanation_free(karp_node_explanation *explanation)
{
    if (explanation == NULL) return;
    karp_decision_unref(explanation->decision);
    list_free(explanation->context, &explanation->blockers, sizeof(karp_blocker));
    list_free(explanation->context, &explanation->remedies, sizeof(karp_node_remedy));
    made_free(explanation, sizeof *explanation);
}

karp_str karp_node_explanation_node(const karp_node_explanation *explanation) { return explanation->name; }

const karp_decision *karp_node_explanation_decision(const karp_node_explanation *explanation)
{
    return explanation->decision;
}

uint32_t karp_node_explanation_disrupted(const karp_node_explanation *explanation) { return explanation->disrupted; }

uint32_t karp_node_explanation_expired(const karp_node_explanation *explanation) { return explanation->expired; }

karp_str karp_node_explanation_drift(const karp_node_explanation *explanation) { return explanation->drift; }

karp_str karp_node_explanation_overruled(const karp_node_explanation *explanation) { return explanation->overruled; }

size_t karp_node_explanation_fact_count(const karp_node_explanation *explanation) { return explanation->fact_count; }

karp_str karp_node_explanation_fact(const karp_node_explanation *explanation, size_t index)
{
    return index < explanation->fact_count ? explanation->facts[index] : (karp_str){ "", 0 };
}

size_t karp_node_explanation_blocker_count(const karp_node_explanation *explanation)
{
    return explanation->blockers.count;
}

karp_status karp_node_explanation_blocker(const karp_node_explanation *explanation, size_t index, karp_blocker *out)
{
    if (index >= explanation->blockers.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &explanation->blockers.items[index], sizeof *out, SIZE_THROUGH(karp_blocker, until));
}

karp_status karp_node_explanation_move(const karp_node_explanation *explanation, karp_move *out)
{
    return explanation->has_move ? struct_give(out, &explanation->move, sizeof *out, SIZE_THROUGH(karp_move, choice))
                                 : KARP_E_NOT_FOUND;
}

size_t karp_node_explanation_remedy_count(const karp_node_explanation *explanation)
{
    return explanation->remedies.count;
}

karp_status karp_node_explanation_remedy(const karp_node_explanation *explanation, size_t index, karp_node_remedy *out)
{
    if (index >= explanation->remedies.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &explanation->remedies.items[index], sizeof *out, SIZE_THROUGH(karp_node_remedy, savings));
}

uint32_t karp_node_explanation_tried(const karp_node_explanation *explanation) { return explanation->tried; }
