/* SPDX-License-Identifier: Apache-2.0 */
/* karp_find_blockers(): repeats the disruption decision without the reasons that block the disruption of nodes. */

#include <base/bits.h>
#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <explain/finder.h>
#include <explain/move_savings.h>
#include <explain/node_causes.h>
#include <schedule/options.h>

const char *karp_blocker_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        "",           "pdb",       "pod-annotation", "node-annotation", "budget",     "consolidate-after",
        "policy",     "nominated", "spot-to-spot",   "limits",          "topology",   "several-nodes",
        "spot-types", "drain",     "unknown-type",   "not-initialized", "no-nodepool"
    };
    return kind < sizeof names / sizeof *names ? names[kind] : "";
}

static uint32_t kind_of(uint32_t code)
{
    switch (code) {
    case KARP_REASON_PDB_MULTIPLE:
    case KARP_REASON_PDB_BLOCKED: return KARP_BLOCKER_PDB;
    case KARP_REASON_POD_DO_NOT_DISRUPT: return KARP_BLOCKER_POD_ANNOTATION;
    case KARP_REASON_NODE_DO_NOT_DISRUPT: return KARP_BLOCKER_NODE_ANNOTATION;
    case KARP_REASON_BUDGET: return KARP_BLOCKER_BUDGET;
    case KARP_REASON_NOT_CONSOLIDATABLE:
    case KARP_REASON_CONSOLIDATION_DISABLED: return KARP_BLOCKER_CONSOLIDATE_AFTER;
    case KARP_REASON_POLICY_WHEN_EMPTY:
    case KARP_REASON_BALANCED_SCORE: return KARP_BLOCKER_POLICY;
    case KARP_REASON_NOMINATED: return KARP_BLOCKER_NOMINATED;
    case KARP_REASON_SPOT_TO_SPOT_DISABLED: return KARP_BLOCKER_SPOT_TO_SPOT;
    case KARP_REASON_SEVERAL_NODES_NEEDED: return KARP_BLOCKER_SEVERAL_NODES;
    case KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES: return KARP_BLOCKER_SPOT_TYPES;
    case KARP_REASON_INSTANCE_TYPE_NOT_FOUND:
    case KARP_REASON_NO_CAPACITY_TYPE:
    case KARP_REASON_NO_ZONE: return KARP_BLOCKER_UNKNOWN_TYPE;
    case KARP_REASON_NO_NODE:
    case KARP_REASON_NOT_INITIALIZED: return KARP_BLOCKER_NOT_INITIALIZED;
    case KARP_REASON_NODEPOOL_NOT_FOUND: return KARP_BLOCKER_NO_NODE_POOL;
    default: return 0;
    }
}

/* Rules of consolidation itself, drains that have begun, and nodes that are no candidates, which nothing can lift. */
static bool is_rule(uint32_t kind) { return kind >= KARP_BLOCKER_SEVERAL_NODES; }

/* What is found by looking at pods, without a pass. */
static bool of_pods(uint32_t kind) { return kind == KARP_BLOCKER_PDB || kind == KARP_BLOCKER_POD_ANNOTATION; }

/* Limits and topology block no node by themselves. */
static bool of_cluster(uint32_t kind) { return kind == KARP_BLOCKER_LIMITS || kind == KARP_BLOCKER_TOPOLOGY; }

/* ---- views ------------------------------------------------------------------------------------------------------- */

/* A view of the whole cluster, in which any node can be disrupted. */
static bool open_view(const finder *f, node_view *v)
{
    if (!node_view_init(v, f->snapshot, 0)) return false;
    for (uint32_t i = 0; i < f->snapshot->node_count; i++) v->view.nodes[i].nominated = f->snapshot->nodes[i].nominated;
    return true;
}

static void apply(node_view *v, const lift *one)
{
    v->node = one->node;
    (void)node_view_lift(v, one->code, one->pod);
}

/* ---- blockers of nodes ------------------------------------------------------------------------------------------- */

/* ptr NULL = out of memory */
static karp_str object_of(finder *f, const node_view *v, const lift *one, uint32_t kind)
{
    const karp_snapshot *s = f->snapshot;
    const state_node *n = &s->nodes[one->node];
    if (kind == KARP_BLOCKER_PDB) {
        uint32_t number = one->pod == NO_ID ? NO_ID : node_view_budget_of(v, one->pod);
        return number == NO_ID ? str("") : pdb_name(f, &s->raw.budgets.items[number]);
    }
    if (kind == KARP_BLOCKER_POD_ANNOTATION)
        return one->pod == NO_ID ? str("") : text_of(s, pod_at(&s->raw, one->pod)->name_space);
    bool of_pool = kind != KARP_BLOCKER_SPOT_TO_SPOT && n->pool != NO_ID;
    return of_pool ? pool_name(s, n->pool) : str("");
}

uint32_t holder_of(finder *f, uint32_t kind, karp_str named)
{
    for (size_t i = 0; i < f->holders.count; i++) {
        if (f->holders.items[i].kind == kind && equal_str(f->holders.items[i].object, named)) return (uint32_t)i;
    }
    return new_holder(f, kind, named);
}

uint32_t new_holder(finder *f, uint32_t kind, karp_str named)
{
    uint64_t *nodes = arena_array(&f->out->data, f->snapshot->node_count / 64 + (size_t)1, sizeof *nodes);
    holder *h = nodes == NULL || named.ptr == NULL ? NULL : list_push(f->out->context, &f->holders, sizeof *h);
    if (h == NULL) return NO_ID;
    char *copy = arena_string(&f->out->data, named.ptr, named.len);
    *h = (holder){ .kind = kind, .object = { copy, named.len }, .nodes = nodes, .budget = NO_ID };
    return copy == NULL ? NO_ID : (uint32_t)(f->holders.count - 1);
}

bool add_lift(finder *f, lift one)
{
    lift *slot = list_push(f->out->context, &f->lifts, sizeof *slot);
    if (slot != NULL) *slot = one;
    return slot != NULL;
}

bool add_pod(finder *f, holder *h, uint32_t pod_number)
{
    uint32_t *slot = list_push(f->out->context, &h->pods, sizeof *slot);
    if (slot != NULL) *slot = pod_number;
    return slot != NULL;
}

/* Multi-node consolidation speaks about several nodes at once: what it says keeps none of them by itself, except for a
 * budget. */
static bool keeps_alone(uint32_t method, uint32_t kind)
{
    return method != KARP_METHOD_MULTI_NODE || kind == KARP_BLOCKER_BUDGET;
}

/* Whether the node is deleted whatever keeps it from disruption. */
static bool goes_anyway(const finder *f, uint32_t number)
{
    int64_t end = f->options.expire_gracefully != 0 ? KARP_NO_TIME : node_expires(f->snapshot, number);
    return end != KARP_NO_TIME && end <= f->now;
}

static bool note_lift(finder *f, const node_view *v, uint32_t method, const karp_kept *row)
{
    uint32_t kind = kind_of(row->code), number = state_node_named(f->snapshot, row->node);
    if (number != NO_ID && goes_anyway(f, number)) return true;
    if (kind == 0 || number == NO_ID || f->snapshot->nodes[number].claim == NO_ID || is_static(f, number)) return true;
    lift one = { .code = row->code, .node = number, .pod = node_view_pod_of(f->snapshot, number, row->detail) };
    if (f->snapshot->nodes[number].pool == NO_ID && kind >= KARP_BLOCKER_BUDGET && kind <= KARP_BLOCKER_POLICY)
        return true;
    one.holder = holder_of(f, kind, object_of(f, v, &one, kind));
    if (one.holder == NO_ID) return false;
    holder *h = &f->holders.items[one.holder];
    if (keeps_alone(method, kind)) bits_set(h->nodes, number);
    if (is_rule(kind)) return true; /* nothing to lift */
    return add_lift(f, one) && (one.pod == NO_ID || add_pod(f, h, one.pod));
}

enum { MOST_ROUNDS = 100, MOST_LOOKS = 200 };

/* Whether the reason of single-node consolidation is its last word on the node. */
static bool is_final(const karp_kept *row)
{
    uint32_t kind = kind_of(row->code);
    return row->code != KARP_REASON_NOT_REACHED_IN_PASS && row->code != KARP_REASON_EMPTY_NODE &&
           (kind == 0 || is_rule(kind));
}

/* Notes the reasons of one pass, and which nodes are decided: those that go, and those that stay for good. */
static bool note_pass(finder *f, const node_view *v, uint32_t method, const karp_decision *d, uint64_t *decided)
{
    bool ok = true;
    for (size_t i = 0; ok && i < d->kept.count; i++) {
        uint32_t number = state_node_named(f->snapshot, d->kept.items[i].node);
        if (number == NO_ID || bits_test(decided, number)) continue;
        ok = note_lift(f, v, method, &d->kept.items[i]);
        if (method == KARP_METHOD_SINGLE_NODE && is_final(&d->kept.items[i])) bits_set(decided, number);
    }
    size_t width = f->snapshot->node_count / 64 + (size_t)1;
    memset(f->going, 0, width * sizeof *f->going);
    if (method != KARP_METHOD_MULTI_NODE) mark_nodes(f, d);
    bits_or(decided, f->going, width);
    return ok;
}

/* Nodes that are nominated are no candidates, but receive pods. */
static void leave_out(node_view *v, const uint64_t *decided)
{
    for (uint32_t n = 0; n < v->view.node_count; n++)
        v->view.nodes[n].nominated = v->view.nodes[n].nominated || bits_test(decided, n);
}

/* Some reasons only show after others were removed. So each round removes the reasons that the previous one reported.
 * Single-node consolidation ends at its first command, so nodes that are decided are left out of further rounds. */
static karp_status find_lifts(finder *f, node_view *v, karp_error *error)
{
    size_t width = f->snapshot->node_count / 64 + (size_t)1;
    uint64_t *decided = arena_copy(&v->data, f->going_now, width * sizeof *decided);
    uint64_t *before = arena_array(&v->data, width, sizeof *before);
    karp_status status = decided != NULL && before != NULL ? KARP_OK : fail_nomem(error);
    bool more = true;
    for (int round = 0; round < MOST_LOOKS && more && status == KARP_OK; round++) {
        size_t from = f->lifts.count;
        memcpy(before, decided, width * sizeof *before);
        for (size_t m = 0; m < CONSOLIDATIONS && status == KARP_OK; m++) {
            karp_decision *d = NULL;
            double saved;
            uint32_t method = consolidations[m];
            status = run_method(f, v, method, true, &saved, &d, error);
            size_t first = f->lifts.count;
            if (status == KARP_OK && !note_pass(f, v, method, d, decided)) status = fail_nomem(error);
            karp_decision_unref(d);
            for (size_t i = first; status == KARP_OK && i < f->lifts.count; i++) apply(v, &f->lifts.items[i]);
        }
        leave_out(v, decided);
        more = round == 0 || f->lifts.count > from || memcmp(before, decided, width * sizeof *before) != 0;
        if (v->refused) status = fail_nomem(error);
    }
    return status;
}

/* ---- nodes blocked by one blocker alone -------------------------------------------------------------------------- */

static void mark_kept(finder *f, const node_view *v, const karp_decision *d, uint32_t number, uint64_t *nodes)
{
    const holder *h = &f->holders.items[number];
    for (size_t i = 0; i < d->kept.count; i++) {
        const karp_kept *row = &d->kept.items[i];
        uint32_t n = state_node_named(f->snapshot, row->node);
        if (kind_of(row->code) != h->kind || n == NO_ID || f->snapshot->nodes[n].claim == NO_ID) continue;
        lift one = { .node = n, .pod = NO_ID }; /* no kind of of_pods() comes here */
        if (equal_str(object_of(f, v, &one, h->kind), h->object)) bits_set(nodes, n);
    }
}

/* Finds the nodes that the holder blocks, including those whose reason is hidden by other reasons. Single-node
 * consolidation ends at its first command, so nodes examined before are excluded until no new one appears. For a
 * NodePool budget, multi-node consolidation reports the reason as well. */
static karp_status find_nodes(finder *f, uint32_t number, karp_error *error)
{
    holder *h = &f->holders.items[number];
    size_t width = f->snapshot->node_count / 64 + (size_t)1;
    node_view v;
    bool ok = open_view(f, &v), more = true, some = false;
    if (ok) node_view_remove_commands(&v, f->empties);
    uint64_t *nodes = arena_array(&f->out->data, width, sizeof *nodes);
    for (size_t i = 0; ok && i < f->lifts.count; i++) {
        if (f->lifts.items[i].holder != number) apply(&v, &f->lifts.items[i]);
    }
    karp_status status = ok && nodes != NULL && !v.refused ? KARP_OK : fail_nomem(error);
    for (int round = 0; round < MOST_ROUNDS && more && status == KARP_OK; round++) {
        memset(f->going, 0, width * sizeof *f->going);
        for (size_t m = 0; m < CONSOLIDATIONS && status == KARP_OK; m++) {
            karp_decision *d = NULL;
            double saved;
            if (consolidations[m] == KARP_METHOD_MULTI_NODE && h->kind != KARP_BLOCKER_BUDGET) continue;
            status = run_method(f, &v, consolidations[m], true, &saved, &d, error);
            if (status == KARP_OK) mark_kept(f, &v, d, number, nodes);
            if (status == KARP_OK) mark_nodes(f, d);
            karp_decision_unref(d);
        }
        more = false;
        for (uint32_t n = 0; n < f->snapshot->node_count; n++) {
            bool goes = bits_test(f->going, n);
            more = more || goes;
            v.view.nodes[n].nominated = v.view.nodes[n].nominated || goes || bits_test(nodes, n);
        }
        more = more && (h->kind == KARP_BLOCKER_SPOT_TO_SPOT || h->kind == KARP_BLOCKER_POLICY);
    }
    for (size_t i = 0; i < width && status == KARP_OK; i++) some = some || (nodes[i] & ~f->going_now[i]) != 0;
    for (size_t i = 0; i < width && some; i++)
        h->nodes[i] = ((h->kind == KARP_BLOCKER_BUDGET ? 0 : h->nodes[i]) | nodes[i]) & ~f->going_now[i];
    node_view_free(&v);
    return status;
}

/* ---- savings ----------------------------------------------------------------------------------------------------- */

/* Only these nodes may be disrupted, so that savings from other nodes do not count. */
static void keep_others(const finder *f, node_view *v, const uint64_t *nodes)
{
    for (uint32_t i = 0; i < f->snapshot->node_count; i++) {
        if (!bits_test(nodes, i)) v->view.nodes[i].nominated = true;
    }
}

static bool lift_kind(node_view *v, uint32_t kind)
{
    if (kind == KARP_BLOCKER_LIMITS) node_view_lift_limits(v);
    return kind != KARP_BLOCKER_TOPOLOGY || node_view_lift_topology(v);
}

/* These kinds do not block specific nodes: a budget limits the number of nodes, and limits and topology block none by
 * themselves. Their saving is the additional saving of a pass over all nodes without them. */
static bool of_whole_pass(uint32_t kind) { return kind == KARP_BLOCKER_BUDGET || of_cluster(kind); }

static double more_than_now(const finder *f, double saved) { return saved > f->out->now ? saved - f->out->now : 0; }

/* What the nodes would save each, at the most this many. */
enum { MOST_MOVES = 64 };

static bool held_by_gate(const finder *f, uint32_t which)
{
    bool held = false;
    for (size_t i = 0; i < f->holders.count && !held; i++)
        held = f->holders.items[i].kind == KARP_BLOCKER_SPOT_TO_SPOT && bits_test(f->holders.items[i].nodes, which);
    return held;
}

static karp_status without_rule(finder *f, holder *h, karp_error *error)
{
    karp_status status = KARP_OK;
    uint32_t tried = 0;
    for (uint32_t n = 0; n < f->snapshot->node_count && status == KARP_OK; n++) {
        double saved = 0;
        if (!bits_test(h->nodes, n)) continue;
        bool goes = bits_test(f->going_now, n);
        bool drains = h->kind == KARP_BLOCKER_DRAIN;
        bool gated = h->kind == KARP_BLOCKER_SPOT_TYPES && held_by_gate(f, n); /* nothing goes without that alone */
        double *most = gated ? &h->behind : &h->savings;
        if (!goes && (drains || tried++ < MOST_MOVES))
            status = move_savings(f->snapshot, f->options.common, n, f->going_now, &f->launched, &saved, error);
        if (drains && saved > 0) h->savings += saved;
        else if (!drains && saved > *most) *most = saved; /* one command moves the pods of one node */
    }
    return status;
}

/* A cluster may have as many budgets as nodes: they share one view, and each opens the nodes that it keeps. */
static karp_status without_budget(finder *f, holder *h, karp_error *error)
{
    node_view *v = &f->closed;
    size_t count = f->snapshot->node_count;
    if (!f->opened) {
        f->opened = true;
        if (!open_view(f, v)) return fail_nomem(error);
        for (size_t n = 0; n < count; n++) v->view.nodes[n].nominated = true;
    }
    disruption_budget *b = &v->view.raw.budgets.items[h->budget];
    const selector *selects = b->selects;
    b->selects = NULL;
    for (size_t n = bits_next(h->nodes, count, 0); n < count; n = bits_next(h->nodes, count, n + 1))
        v->view.nodes[n].nominated = f->snapshot->nodes[n].nominated;
    karp_status status = savings_of(f, v, &h->savings, error);
    for (size_t n = bits_next(h->nodes, count, 0); n < count; n = bits_next(h->nodes, count, n + 1))
        v->view.nodes[n].nominated = true;
    b->selects = selects;
    return status;
}

/* For limits and topology: their nodes are those that are removed without them and stay with them. */
static karp_status without_one(finder *f, uint32_t number, karp_error *error)
{
    node_view v;
    double saved = 0;
    holder *h = &f->holders.items[number];
    if (is_rule(h->kind)) return without_rule(f, h, error);
    if (held_by_others(f, h)) return KARP_OK;
    if (h->budget != NO_ID) return without_budget(f, h, error);
    bool holds_none = of_cluster(h->kind), ok = open_view(f, &v);
    if (ok && !of_whole_pass(h->kind)) keep_others(f, &v, h->nodes);
    for (size_t i = 0; ok && i < f->lifts.count; i++) {
        if (f->lifts.items[i].holder == number) apply(&v, &f->lifts.items[i]);
    }
    ok = ok && lift_kind(&v, h->kind) && !v.refused;
    karp_status status = ok ? savings_of(f, &v, &saved, error) : fail_nomem(error);
    h->savings = of_whole_pass(h->kind) ? more_than_now(f, saved) : saved;
    size_t width = f->snapshot->node_count / 64 + (size_t)1;
    for (size_t i = 0; i < width && holds_none && status == KARP_OK && h->savings > 0; i++)
        h->nodes[i] = f->going[i] & ~f->going_now[i];
    node_view_free(&v);
    return status;
}

/* The saving without any blockers, over all blocked nodes; over all nodes if a budget is among the blockers.
 * Multi-node consolidation combines as many nodes as possible in one command, which may save less than a command with
 * fewer. Whatever one row saves is also possible without all blockers, so the result is at least that. */
static karp_status without_all(finder *f, node_view *v, karp_error *error)
{
    size_t width = f->snapshot->node_count / 64 + (size_t)1;
    uint64_t *held = arena_array(&v->data, width, sizeof *held);
    bool ok = held != NULL, whole_pass = false;
    for (size_t k = 0; k < f->holders.count && ok; k++) {
        whole_pass = whole_pass || f->holders.items[k].kind == KARP_BLOCKER_BUDGET;
        bits_or(held, f->holders.items[k].nodes, width);
        ok = lift_kind(v, f->holders.items[k].kind);
    }
    if (!ok) return fail_nomem(error);
    if (!whole_pass) keep_others(f, v, held);
    karp_status status = savings_of(f, v, &f->out->together, error);
    if (whole_pass) f->out->together = more_than_now(f, f->out->together);
    for (size_t k = 0; k < f->holders.count; k++) {
        if (f->holders.items[k].kind == KARP_BLOCKER_DRAIN) f->out->together += f->holders.items[k].savings;
    }
    for (size_t k = 0; k < f->holders.count; k++) {
        const holder *h = &f->holders.items[k];
        double most = h->behind > h->savings ? h->behind : h->savings;
        if (most > f->out->together) f->out->together = most;
    }
    return status;
}

static int by_worth(const void *a, const void *b, const void *user)
{
    const karp_savings_blocker *x = a, *y = b;
    (void)user;
    if (x->savings > y->savings || x->savings < y->savings) return x->savings > y->savings ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return compare_str(x->object, y->object);
}

/* The names of the holder's pods, sorted; NULL = out of memory. */
static const karp_str *names_of_pods(finder *f, const holder *h)
{
    karp_str *names = arena_array(&f->out->data, h->pods.count + 1, sizeof *names);
    bool ok = names != NULL;
    for (size_t i = 0; i < h->pods.count && ok; i++) {
        karp_str name = pod_name(f->snapshot, h->pods.items[i]);
        names[i] = (karp_str){ arena_string(&f->out->data, name.ptr, name.len), name.len };
        ok = names[i].ptr != NULL;
    }
    ok = ok && sort_stable(f->out->context, names, h->pods.count, sizeof *names, by_text, NULL);
    return ok ? names : NULL;
}

/* Whether all blockers together keep more than one of them: then a row that saves nothing may be part of it. */
static bool adds_up(const finder *f)
{
    double most = 0;
    for (size_t i = 0; i < f->holders.count; i++) {
        const holder *h = &f->holders.items[i];
        double own = h->behind > h->savings ? h->behind : h->savings;
        most = own > most ? own : most;
    }
    return f->out->together > most;
}

/* Whether the budgets of its NodePool have room: then they keep no node by itself. */
static bool has_room(const finder *f, const holder *h)
{
    uint32_t pool = pool_named(f->snapshot, h->object);
    return pool != NO_ID && !bits_test(f->shut, pool);
}

/* Limits and topology are left out if nothing would be saved, and so are budgets that only keep nodes from going
 * together. */
static bool make_rows(finder *f)
{
    bool matters = adds_up(f) || bits_any(f->going_now, f->snapshot->node_count / 64 + (size_t)1);
    const karp_snapshot *s = f->snapshot;
    size_t width = s->node_count / 64 + (size_t)1;
    for (size_t i = 0; i < f->holders.count; i++) {
        const holder *h = &f->holders.items[i];
        size_t count = 0, unpriced = 0;
        bool idle = of_cluster(h->kind) || (h->kind == KARP_BLOCKER_BUDGET && !matters && has_room(f, h));
        if (!(h->savings > 0) && (idle || !bits_any(h->nodes, width))) continue;
        for (size_t n = bits_next(h->nodes, s->node_count, 0); n < s->node_count;
             n = bits_next(h->nodes, s->node_count, n + 1))
            count++;
        karp_str *nodes = arena_array(&f->out->data, count + 1, sizeof *nodes);
        const karp_str *pods = names_of_pods(f, h);
        bool ok = nodes != NULL && pods != NULL;
        karp_savings_blocker *row = ok ? list_push(f->out->context, &f->out->rows, sizeof *row) : NULL;
        if (row == NULL) return false;
        count = 0;
        for (size_t n = bits_next(h->nodes, s->node_count, 0); n < s->node_count;
             n = bits_next(h->nodes, s->node_count, n + 1)) {
            karp_str name = name_of(s, s->nodes[n].name);
            unpriced += !(node_price(s, &s->nodes[n]) > 0);
            nodes[count].ptr = arena_string(&f->out->data, name.ptr, name.len);
            nodes[count].len = name.len;
            if (nodes[count++].ptr == NULL) return false;
        }
        *row = (karp_savings_blocker){ .size = sizeof *row,
                                       .kind = h->kind,
                                       .object = h->object,
                                       .nodes = nodes,
                                       .node_count = count,
                                       .pod_count = h->pods.count,
                                       .pods = pods,
                                       .unpriced_count = unpriced,
                                       .savings = h->savings };
    }
    return sort_stable(f->out->context, f->out->rows.items, f->out->rows.count, sizeof(karp_savings_blocker), by_worth,
                       NULL);
}

/* The NodePools whose budgets have no room for any node, by the budgets of consolidation. */
static void note_shut(finder *f, const karp_decision *d)
{
    for (size_t i = 0; i < d->budgets.count; i++) {
        uint32_t pool = pool_named(f->snapshot, d->budgets.items[i].node_pool);
        if (pool != NO_ID && d->budgets.items[i].remaining <= 0) bits_set(f->shut, pool);
    }
}

/* What holds nodes by their pods is seen without a pass for each of them. */
static karp_status look_at_pods(finder *f, node_view *v, karp_error *error)
{
    karp_decision *d = NULL;
    double saved;
    karp_status status = run_method(f, v, KARP_METHOD_SINGLE_NODE, true, &saved, &d, error);
    if (status == KARP_OK) {
        f->now = d->now;
        note_shut(f, d);
        if (!hold_by_pods(f, v, d) || !hold_by_drain(f)) status = fail_nomem(error);
    }
    karp_decision_unref(d);
    return status;
}

static karp_status find_all(finder *f, karp_error *error)
{
    size_t width = f->snapshot->node_count / 64 + (size_t)1;
    node_view all, now, looks;
    f->going = arena_array(&f->out->data, width, sizeof *f->going);
    f->going_now = arena_array(&f->out->data, width, sizeof *f->going_now);
    f->shared = arena_array(&f->out->data, width, sizeof *f->shared);
    bool ok = open_view(f, &now) && f->going != NULL && f->going_now != NULL && f->shared != NULL;
    double saved;
    f->shut = arena_array(&f->out->data, f->snapshot->raw.pools.count / 64 + (size_t)1, sizeof *f->shut);
    ok = ok && f->shut != NULL;
    karp_status status = ok ? savings_of(f, &now, &f->out->now, error) : fail_nomem(error);
    if (status == KARP_OK) status = run_method(f, &now, KARP_METHOD_EMPTINESS, false, &saved, &f->empties, error);
    node_view_free(&now);
    if (status != KARP_OK) return status;
    memcpy(f->going_now, f->going, width * sizeof *f->going);
    f->launched = -1;
    ok = open_view(f, &looks);
    if (ok) node_view_remove_commands(&looks, f->empties);
    if (ok) status = look_at_pods(f, &looks, error);
    if (status == KARP_OK) status = ok ? find_lifts(f, &looks, error) : fail_nomem(error);
    node_view_free(&looks);
    if (status != KARP_OK) return status;
    status = open_view(f, &all) ? KARP_OK : fail_nomem(error);
    for (size_t i = 0; i < f->lifts.count && status == KARP_OK; i++) apply(&all, &f->lifts.items[i]);
    for (uint32_t i = 0; i < f->holders.count && status == KARP_OK; i++)
        status = is_rule(f->holders.items[i].kind) || of_pods(f->holders.items[i].kind) ? KARP_OK
                                                                                        : find_nodes(f, i, error);
    if (status == KARP_OK && node_view_some_limits(f->snapshot) && holder_of(f, KARP_BLOCKER_LIMITS, str("")) == NO_ID)
        status = fail_nomem(error);
    if (status == KARP_OK && node_view_some_topology(f->snapshot) &&
        holder_of(f, KARP_BLOCKER_TOPOLOGY, str("")) == NO_ID)
        status = fail_nomem(error);
    if (status == KARP_OK && !count_holders(f)) status = fail_nomem(error);
    for (uint32_t i = 0; i < f->holders.count && status == KARP_OK; i++) status = without_one(f, i, error);
    if (status == KARP_OK && all.refused) status = fail_nomem(error);
    if (status == KARP_OK && f->holders.count > 0) status = without_all(f, &all, error);
    node_view_free(&all);
    return status == KARP_OK && !make_rows(f) ? fail_nomem(error) : status;
}

karp_status karp_find_blockers(const karp_snapshot *snapshot, const karp_disrupt_options *options, karp_blockers **out,
                               karp_error *error)
{
    karp_disrupt_options checked;
    karp_options common;
    karp_snapshot remaining;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the blockers are needed");
    karp_status status = disrupt_options_check(options, &checked, &common, error);
    if (status != KARP_OK) return status;
    common.explain = KARP_EXPLAIN_FULL;
    common.keep_partial = 0;
    finder f = { .snapshot = options_view(&common, snapshot, &remaining), .options = checked };
    f.out = made_new(snapshot->context, sizeof *f.out);
    if (f.out == NULL) return context_nomem(snapshot->context, error);
    f.out->profile = common.profile;
    f.out->peer_version = options_peer(&common);
    status = find_all(&f, error);
    if (f.opened) node_view_free(&f.closed);
    karp_decision_unref(f.empties);
    list_free(f.out->context, &f.lifts, sizeof(lift));
    for (size_t i = 0; i < f.holders.count; i++) list_free(f.out->context, &f.holders.items[i].pods, sizeof(uint32_t));
    list_free(f.out->context, &f.holders, sizeof(holder));
    if (status == KARP_OK) {
        *out = f.out;
        return KARP_OK;
    }
    karp_blockers_free(f.out);
    return status == KARP_E_NOMEM ? context_refusal(snapshot->context, status, error) : status;
}

void karp_blockers_free(karp_blockers *blockers)
{
    if (blockers == NULL) return;
    list_free(blockers->context, &blockers->rows, sizeof(karp_savings_blocker));
    made_free(blockers, sizeof *blockers);
}

size_t karp_blockers_count(const karp_blockers *blockers) { return blockers == NULL ? 0 : blockers->rows.count; }

karp_status karp_blockers_at(const karp_blockers *blockers, size_t index, karp_savings_blocker *out)
{
    if (blockers == NULL || index >= blockers->rows.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &blockers->rows.items[index], sizeof *out, SIZE_THROUGH(karp_savings_blocker, savings));
}

uint32_t karp_blockers_profile(const karp_blockers *blockers) { return blockers == NULL ? 0 : blockers->profile; }

uint32_t karp_blockers_peer_version(const karp_blockers *blockers)
{
    return blockers == NULL ? 0 : blockers->peer_version;
}

double karp_blockers_savings_now(const karp_blockers *blockers) { return blockers == NULL ? 0 : blockers->now; }

double karp_blockers_savings_together(const karp_blockers *blockers)
{
    return blockers == NULL ? 0 : blockers->together;
}
