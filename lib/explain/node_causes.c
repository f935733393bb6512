/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/node_causes.h>

#include <base/str.h>
#include <disrupt/budgets.h>
#include <karp/values.h>
#include <base/duration.h>
#include <model/taints.h>
#include <schedule/movable.h>
#include <schedule/report.h>

static const state_node *node_of(const node_cause *c) { return &c->view->snapshot->nodes[c->view->node]; }

static const node_pool *pool_of_node(const node_cause *c)
{
    return &c->view->snapshot->raw.pools.items[node_of(c)->pool];
}

static void add_time(strbuf *b, int64_t instant)
{
    char text[KARP_VALUE_TEXT];
    karp_time_format(instant, text);
    strbuf_adds(b, text);
}

void show_more(strbuf *b, size_t count, size_t named, const char *one, const char *several)
{
    if (count <= named) return;
    strbuf_putu(b, " and ", count - named, "");
    strbuf_adds(b, count - named == 1 ? one : several);
}

/* ---- a node that starts ------------------------------------------------------------------------------------------ */

/* Taints that Kubernetes and Karpenter set by themselves. */
static bool is_of_system(karp_str key)
{
    return str_has_prefix(key, str("node.kubernetes.io/")) || str_has_prefix(key, str("karpenter.sh/")) ||
           str_has_prefix(key, str("node.cloudprovider.kubernetes.io/")) ||
           str_is(key, "ToBeDeletedByClusterAutoscaler");
}

bool taint_declared(const karp_snapshot *s, const node_pool *p, const taint *t)
{
    return has_such_taint(p->taints, t) || has_such_taint(p->startup_taints, t) || is_of_system(text_of(s, t->key));
}

static bool is_startup_taint(const karp_snapshot *s, const state_node *n, const taint *t)
{
    return (n->claim != NO_ID && has_such_taint(s->raw.claims.items[n->claim].startup_taints, t)) ||
           (n->pool != NO_ID && has_such_taint(s->raw.pools.items[n->pool].startup_taints, t));
}

void show_start(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    const state_node *n = &s->nodes[node_number];
    if (n->node == NO_ID) {
        strbuf_adds(b, ": it has not joined the cluster");
        return;
    }
    if (!n->ready) strbuf_adds(b, ": the node is not ready");
    taint_list taints = s->raw.nodes.items[n->node].taints;
    for (uint32_t i = 0; i < taints.count; i++) {
        bool startup = is_startup_taint(s, n, &taints.items[i]);
        if (!startup && !taint_ephemeral(s, &taints.items[i])) continue;
        strbuf_adds(b, startup ? ": its startup taint " : ": its taint ");
        show_taint(s, b, &taints.items[i]);
        bool of_readiness = str_has_prefix(text_of(s, taints.items[i].key), str("node.kubernetes.io/"));
        strbuf_adds(
            b, startup ? " is still there, and Karpenter removes none: the component that it waits for has to remove it"
               : of_readiness ? " is still there, which Kubernetes removes when the node is ready"
                              : " is still there, which the cloud controller has to remove");
    }
}

/* ---- PodDisruptionBudgets ---------------------------------------------------------------------------------------- */

/* A budget allows nothing while too few of its pods are healthy: those that are not count as well, unless its policy
 * says otherwise. */
static void show_unhealthy(strbuf *b, const node_view *v, uint32_t budget_number)
{
    const karp_snapshot *s = v->snapshot;
    const disruption_budget *pdb = &v->view.raw.budgets.items[budget_number];
    const state_node *n = &s->nodes[v->node];
    uint32_t first = NO_ID;
    for (uint32_t i = 0; i < n->all_pod_count && first == NO_ID; i++) {
        bool sick = (pod_at(&s->raw, n->all_pods[i])->flags & POD_NOT_READY) != 0;
        if (sick && node_view_budget_of(v, n->all_pods[i]) == budget_number) first = n->all_pods[i];
    }
    if (first == NO_ID || pdb->always_allow || pdb->current_healthy >= pdb->expected_pods) return;
    strbuf_adds(b, ": ");
    strbuf_addi(b, pdb->current_healthy);
    strbuf_adds(b, " of ");
    strbuf_addi(b, pdb->expected_pods);
    strbuf_adds(b, pdb->expected_pods == 1 ? " pod is healthy (" : " pods are healthy (");
    strbuf_put(b, "", pod_name(s, first),
               " is not): with unhealthyPodEvictionPolicy AlwaysAllow, unhealthy pods could be evicted");
}

static void show_pdb(strbuf *b, const node_view *v, uint32_t budget_number)
{
    const karp_snapshot *s = v->snapshot;
    const disruption_budget *pdb = &v->view.raw.budgets.items[budget_number];
    const state_node *n = &s->nodes[v->node];
    uint32_t count = 0;
    strbuf_adds(b, "pdb ");
    strbuf_addname(b, text_of(s, pdb->meta.name_space), name_of(s, pdb->meta.name));
    strbuf_adds(b, " allows ");
    strbuf_addi(b, pdb->disruptions_allowed);
    strbuf_adds(b, " disruptions (");
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        if (node_view_budget_of(v, n->all_pods[i]) != budget_number || count++ >= MOST_NAMED) continue;
        if (count > 1) strbuf_adds(b, ", ");
        strbuf_addstr(b, pod_name(s, n->all_pods[i]));
    }
    show_more(b, count, MOST_NAMED, " more pod", " more pods");
    strbuf_addc(b, ')');
    show_unhealthy(b, v, budget_number);
}

/* ---- deletion ---------------------------------------------------------------------------------------------------- */

/* base + length, if that is after `now`, else KARP_NO_TIME. */
static int64_t later(int64_t base, int64_t length, int64_t now)
{
    if (base == KARP_NO_TIME || length <= 0) return KARP_NO_TIME;
    int64_t end = instant_after(base, length);
    return end == INT64_MAX || end <= now ? KARP_NO_TIME : end;
}

static const node_claim *claim_of(const karp_snapshot *s, const state_node *n)
{
    return n->claim == NO_ID ? NULL : &s->raw.claims.items[n->claim];
}

/* When the drain ends by force; KARP_NO_TIME = never. */
static int64_t drain_ends(const node_claim *claim, int64_t now)
{
    if (claim == NULL) return KARP_NO_TIME;
    return later(claim->meta.deletion, claim->termination_grace_period, now);
}

/* "shop/a and 2 more (karpenter.sh/do-not-disrupt)": pods that cannot be evicted now, the protected ones before those
 * of PodDisruptionBudgets. false = there are none. */
static bool show_held(strbuf *b, const karp_snapshot *s, const state_node *n, int64_t now, const char *before)
{
    size_t protected_ = 0, by_pdb = 0;
    uint32_t first = NO_ID, first_by_pdb = NO_ID, covering = 0, other;
    bool several = false;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        uint32_t which = n->all_pods[i];
        if (!pod_disruptable(s, pod_at(&s->raw, which), now)) {
            first = protected_++ == 0 ? which : first;
            continue;
        }
        enum pdb_answer answer = pod_pdb_check(s, which, now, PDB_ZERO_DISRUPTIONS, &other);
        if (answer == PDB_ALLOWED) continue;
        if (by_pdb++ == 0) {
            first_by_pdb = which;
            covering = other;
            several = answer == PDB_SEVERAL;
        }
    }
    size_t count = protected_ > 0 ? protected_ : by_pdb;
    if (count == 0) return false;
    strbuf_adds(b, before);
    strbuf_addstr(b, pod_name(s, protected_ > 0 ? first : first_by_pdb));
    show_more(b, count, 1, " more", " more");
    strbuf_adds(b, protected_ > 0 ? " (karpenter.sh/do-not-disrupt)"
                   : several      ? " (more than one PodDisruptionBudget: Kubernetes evicts no such pod)"
                                  : " (PodDisruptionBudget ");
    if (protected_ == 0 && !several)
        strbuf_put(b, "", name_of(s, s->raw.budgets.items[covering].meta.name), " allows no eviction)");
    return true;
}

void show_overruled(strbuf *b, const karp_snapshot *s, uint32_t node_number, const char *method, int64_t now)
{
    const state_node *n = &s->nodes[node_number];
    const node_claim *claim = claim_of(s, n);
    char length[KARP_VALUE_TEXT];
    if (claim == NULL || claim->termination_grace_period == KARP_DURATION_UNSET) return;
    if (!show_held(b, s, n, now, "")) return;
    karp_duration_format(claim->termination_grace_period, length);
    strbuf_adds(b, " cannot be evicted, and would keep the node, but the node has a terminationGracePeriod of ");
    strbuf_adds(b, length);
    strbuf_adds(b, ": so ");
    strbuf_adds(b, method);
    strbuf_adds(b, " takes the node, and deletes such pods when that time is over");
}

/* Whether its expireAfter was the reason of the deletion: Karpenter deletes a claim when that time is over. */
static void show_expired(strbuf *b, const node_claim *claim)
{
    enum { SOON = 600 }; /* seconds */
    char length[KARP_VALUE_TEXT];
    if (claim->meta.creation == KARP_NO_TIME || claim->meta.deletion == KARP_NO_TIME || claim->expire_after <= 0)
        return;
    int64_t due = instant_after(claim->meta.creation, claim->expire_after);
    if (claim->meta.deletion < due || claim->meta.deletion >= instant_after(due, SOON * INT64_C(1000000000))) return;
    karp_duration_format(claim->expire_after, length);
    strbuf_put(b, ", as its expireAfter ", str_short_duration(str(length)), " was over; budgets do not count for that");
}

/* The pods that the drain waits for, and until when. */
static void show_drain(strbuf *b, const karp_snapshot *s, const state_node *n, int64_t now)
{
    const node_claim *claim = claim_of(s, n);
    if (claim != NULL) show_expired(b, claim);
    if (!show_held(b, s, n, now, ": its drain waits for ")) return;
    int64_t end = drain_ends(claim, now);
    if (end != KARP_NO_TIME) {
        strbuf_adds(b, " until ");
        add_time(b, end);
        strbuf_adds(b, " (terminationGracePeriod)");
    } else if (claim == NULL || claim->termination_grace_period == KARP_DURATION_UNSET) {
        strbuf_adds(b, ", without an end, as there is no terminationGracePeriod");
    }
}

/* ---- budgets of NodePools ---------------------------------------------------------------------------------------- */

/* Every NodePool has a row in the decision's budgets. */
static const karp_pool_budget *budget_row(const node_cause *c)
{
    karp_str pool = name_of(c->view->snapshot, pool_of_node(c)->meta.name);
    size_t i = 0;
    while (!equal_str(c->decision->budgets.items[i].node_pool, pool)) i++;
    return &c->decision->budgets.items[i];
}

/* ", always", ", schedule '0 9 * * 1-5' for 8h, until 2026-01-05T17:00:00Z", and what cannot be read */
static void show_window(strbuf *b, const budget *rule, int64_t next_change, int64_t now)
{
    int64_t allowed;
    bool read = budget_allows(rule, 1, now, false, &allowed);
    if (!budget_scheduled(rule)) {
        strbuf_adds(b, ", always");
    } else {
        char length[KARP_VALUE_TEXT];
        strbuf_put(b, ", schedule '", rule->schedule, "'");
        if (rule->duration != KARP_DURATION_UNSET) {
            karp_duration_format(rule->duration, length);
            strbuf_put(b, " for ", str_short_duration(str(length)), "");
        }
    }
    if (!read) {
        strbuf_adds(b, ", as it cannot be read");
    } else if (budget_scheduled(rule) && next_change != KARP_NO_TIME) {
        strbuf_adds(b, ", until ");
        add_time(b, next_change);
    }
}

static const char *busy_text(uint32_t code)
{
    if (code == KARP_BUSY_DELETING) return " is being deleted";
    return code == KARP_BUSY_REBOOTING ? " is rebooting" : " is not ready";
}

/* "std: budgets[0] allows 1 of 4 nodes for Drifted, always; in use: n0 is not ready" */
static void show_pool_budget(strbuf *b, const node_cause *c)
{
    const karp_pool_budget *row = budget_row(c);
    strbuf_put(b, ": ", row->node_pool, "");
    if (row->tightest == KARP_NO_BUDGET) return;
    strbuf_putu(b, ": budgets[", row->tightest, "] allows ");
    strbuf_addi(b, row->allowed);
    strbuf_putu(b, " of ", row->nodes, "");
    strbuf_adds(b, row->nodes == 1 ? " node for " : " nodes for ");
    /* budgets have no reason for expiration */
    strbuf_adds(b, c->method == KARP_METHOD_EXPIRATION ? "expiration" : karp_method_reason(c->method));
    show_window(b, &pool_of_node(c)->budgets[row->tightest], row->next_change, c->decision->now);
    if (row->remaining > 0) strbuf_adds(b, "; other nodes come first in this pass");
    for (size_t i = 0; i < row->busy_count && i < MOST_NAMED; i++) {
        strbuf_adds(b, i == 0 ? "; in use: " : ", ");
        strbuf_addstr(b, row->busy[i].node);
        strbuf_adds(b, busy_text(row->busy[i].code));
        if (row->busy[i].code != KARP_BUSY_DELETING) continue;
        const karp_snapshot *s = c->view->snapshot;
        show_drain(b, s, &s->nodes[state_node_named(s, row->busy[i].node)], c->decision->now);
    }
    show_more(b, row->busy_count, MOST_NAMED, " more node", " more nodes");
}

/* ---- consolidateAfter -------------------------------------------------------------------------------------------- */

/* Karpenter notes at most one event of a node's pods in this time. */
static const int64_t event_distance = INT64_C(10000000000);

static bool close_to(int64_t instant, int64_t event)
{
    if (instant == KARP_NO_TIME) return false;
    int64_t first = instant < event ? instant : event, last = instant < event ? event : instant;
    return last <= instant_after(first, event_distance);
}

/* The pod that was bound to the node or left it at the time of the event; NO_ID = no pod in the input did. */
static uint32_t pod_of_event(const karp_snapshot *s, const state_node *n, int64_t event)
{
    for (uint32_t i = 0; i < s->raw.pods.count; i++) {
        const pod *p = pod_at(&s->raw, i);
        if (p->node == NO_ID || p->node != n->name) continue;
        if (close_to(p->start, event) || close_to(p->creation, event) || close_to(p->deletion, event)) return i;
    }
    return NO_ID;
}

/* The instant from which consolidateAfter counts. A node that reports NOT_CONSOLIDATABLE has a NodeClaim. */
static int64_t counts_from(const karp_snapshot *s, const state_node *n, bool *event)
{
    const node_claim *claim = &s->raw.claims.items[n->claim];
    const condition *up = condition_find(claim->conditions, s->known.initialized_condition);
    *event = claim->last_pod_event != KARP_NO_TIME;
    if (*event) return claim->last_pod_event;
    return up != NULL ? up->since : KARP_NO_TIME;
}

int64_t shielded_until(const karp_snapshot *s, uint32_t node_number)
{
    const state_node *n = &s->nodes[node_number];
    bool event;
    return later(counts_from(s, n, &event), s->raw.pools.items[n->pool].consolidate_after, INT64_MIN);
}

bool wait_is_over(const karp_snapshot *s, uint32_t node_number, int64_t now)
{
    const state_node *n = &s->nodes[node_number];
    bool event;
    if (n->claim == NO_ID || n->pool == NO_ID) return false;
    int64_t after = s->raw.pools.items[n->pool].consolidate_after, since = counts_from(s, n, &event);
    if (since == KARP_NO_TIME || after == KARP_DURATION_NEVER || after < 0) return false;
    return instant_after(since, after) <= now;
}

void show_shielded(strbuf *b, const karp_snapshot *s, uint32_t node_number)
{
    strbuf_put(b, "", name_of(s, s->nodes[node_number].name), " (until ");
    add_time(b, shielded_until(s, node_number));
    strbuf_addc(b, ')');
}

static void show_wait(strbuf *b, const node_cause *c)
{
    const karp_snapshot *s = c->view->snapshot;
    char length[KARP_VALUE_TEXT];
    bool event;
    int64_t since = counts_from(s, node_of(c), &event);
    int64_t after = pool_of_node(c)->consolidate_after;
    if (after == KARP_DURATION_NEVER) {
        strbuf_put(b, ": consolidateAfter is Never in NodePool ", name_of(s, pool_of_node(c)->meta.name), "");
    }
    if (since == KARP_NO_TIME || after == KARP_DURATION_NEVER || after < 0) return;
    karp_duration_format(after, length);
    strbuf_adds(b, ": consolidateAfter ");
    strbuf_adds(b, length);
    strbuf_put(b, " of NodePool ", name_of(s, pool_of_node(c)->meta.name), " counts from ");
    add_time(b, since);
    uint32_t which = event ? pod_of_event(s, node_of(c), since) : NO_ID;
    strbuf_adds(b, event ? ", when a pod last came or went" : ", when the node was initialized");
    if (which != NO_ID) {
        strbuf_put(b, " (", pod_name(s, which), ")");
    }
    if (!wait_is_over(s, c->view->node, c->decision->now)) return;
    strbuf_adds(b, "; that time is over, but the condition is not set. Karpenter's controller sets it: is Karpenter "
                   "running, and is the input up to date?");
}

/* ---- other reasons ----------------------------------------------------------------------------------------------- */

/* terminationGracePeriod lets the eventual methods ignore protected pods, which surprises: consolidation does not. */
static void show_grace_period(strbuf *b, const node_cause *c)
{
    const node_claim *claim = claim_of(c->view->snapshot, node_of(c));
    if (claim == NULL || claim->termination_grace_period == KARP_DURATION_UNSET) return;
    strbuf_adds(b, "; terminationGracePeriod lifts it for drift and expiration, not for consolidation");
}

/* ", of those that node.kubernetes.io/instance-type (7 values) of NodePool std allows" */
static void show_narrowing(strbuf *b, const node_cause *c)
{
    const karp_snapshot *s = c->view->snapshot;
    const node_pool *p = pool_of_node(c);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->requirements.count; i++) {
        const expression *e = &p->requirements.items[i];
        if (e->key == s->known.zone || e->key == s->known.capacity_type || e->key == s->known.os) continue;
        strbuf_adds(b, count++ == 0 ? ", of those that " : " and ");
        strbuf_addstr(b, text_of(s, e->key));
        if (e->value_count <= 1) continue;
        strbuf_putu(b, " (", e->value_count, " values)");
    }
    if (count == 0) return;
    strbuf_put(b, " of NodePool ", name_of(s, p->meta.name), "");
    strbuf_adds(b, count == 1 ? " allows" : " allow");
}

static void show_found(strbuf *b, const node_cause *c)
{
    if (c->row->code == KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES) {
        strbuf_putu(b, ": only ", c->row->found, "");
        strbuf_adds(b, c->row->found == 1 ? " is" : " are");
        strbuf_adds(b, c->row->found == 1 ? " cheaper than the node and fits" : " cheaper than the node and fit");
        show_narrowing(b, c);
    } else if (c->row->found > 0) {
        strbuf_putu(b, ": ", c->row->found, "");
    }
}

/* ", and the node is not empty: shop/web-0 and 2 more of its pods are not pods of a DaemonSet" */
static void show_workload(strbuf *b, const node_cause *c)
{
    const karp_snapshot *s = c->view->snapshot;
    const state_node *n = node_of(c);
    uint32_t first = NO_ID;
    size_t count = 0;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        if (pod_reschedulable(pod_at(&s->raw, n->all_pods[i]))) first = count++ == 0 ? n->all_pods[i] : first;
    }
    if (count == 0) return;
    strbuf_put(b, ", and the node is not empty: ", pod_name(s, first), "");
    show_more(b, count, 1, " more of its pods", " more of its pods");
    strbuf_adds(b, count == 1 ? " is not a DaemonSet's pod" : " are not pods of a DaemonSet");
}

static void show_object(strbuf *b, const node_cause *c)
{
    switch (c->row->code) {
    case KARP_REASON_BUDGET: show_pool_budget(b, c); return;
    case KARP_REASON_NOT_CONSOLIDATABLE: show_wait(b, c); return;
    case KARP_REASON_DELETING: show_drain(b, c->view->snapshot, node_of(c), c->decision->now); return;
    case KARP_REASON_SEVERAL_NODES_NEEDED:
    case KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES: show_found(b, c); return;
    case KARP_REASON_POLICY_WHEN_EMPTY:
    case KARP_REASON_CONSOLIDATION_DISABLED:
        strbuf_put(b, ": NodePool ", name_of(c->view->snapshot, pool_of_node(c)->meta.name), "");
        if (c->row->code == KARP_REASON_POLICY_WHEN_EMPTY) show_workload(b, c);
        return;
    case KARP_REASON_NOT_INITIALIZED: show_start(b, c->view->snapshot, c->view->node); return;
    default: break;
    }
    if (c->row->detail.len == 0) return;
    strbuf_put(b, ": ", c->row->detail, "");
}

void cause_show(strbuf *b, const node_cause *c)
{
    uint32_t code = c->row->code;
    if (code == KARP_REASON_PDB_BLOCKED && c->pod != NO_ID) {
        show_pdb(b, c->view, node_view_budget_of(c->view, c->pod));
    } else {
        strbuf_adds(b, karp_reason_text(code));
        show_object(b, c);
    }
    if (code == KARP_REASON_POD_DO_NOT_DISRUPT || code == KARP_REASON_PDB_BLOCKED || code == KARP_REASON_PDB_MULTIPLE)
        show_grace_period(b, c);
}

int64_t cause_ends(const node_cause *c)
{
    int64_t now = c->decision->now, length = 0;
    bool event;
    switch (c->row->code) {
    case KARP_REASON_NOT_CONSOLIDATABLE:
        return later(counts_from(c->view->snapshot, node_of(c), &event), pool_of_node(c)->consolidate_after, now);
    case KARP_REASON_BUDGET: return budget_row(c)->next_change;
    case KARP_REASON_DELETING: return drain_ends(claim_of(c->view->snapshot, node_of(c)), now);
    case KARP_REASON_POD_DO_NOT_DISRUPT: break;
    default: return KARP_NO_TIME;
    }
    const pod *p = pod_at(&c->view->snapshot->raw, c->pod);
    karp_str text = text_of(c->view->snapshot, store_marks(&c->view->snapshot->raw, p)->do_not_disrupt);
    return duration_parse(text.ptr, text.len, &length) ? later(p->start, length, now) : KARP_NO_TIME;
}

/* ---- several nodes ----------------------------------------------------------------------------------------------- */

uint32_t pods_from_node(const karp_snapshot *s, uint32_t node_number, const uint32_t *pods, size_t count)
{
    uint32_t here = s->nodes[node_number].node, found = 0;
    for (size_t i = 0; i < count && here != NO_ID; i++) found += s->pod_node[pods[i]] == here;
    return found;
}

/* How many launches with pods of the node are like this one, and how many of them come before it. */
static size_t launches_like(const karp_snapshot *s, uint32_t node_number, const karp_decision *d, size_t number,
                            size_t *before)
{
    const karp_launch *l = &d->launches.items[number];
    size_t count = 0;
    *before = 0;
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *other = &d->launches.items[i];
        if (pods_from_node(s, node_number, other->pods, other->pod_count) == 0 ||
            !equal_str(other->choice.instance_type, l->choice.instance_type) ||
            !equal_str(other->node_pool, l->node_pool))
            continue;
        *before += i < number;
        count++;
    }
    return count;
}

void show_launches(strbuf *b, const karp_snapshot *s, uint32_t node_number, const karp_decision *d)
{
    size_t named = 0, kinds = 0, all = 0, before;
    for (size_t i = 0; i < d->launches.count; i++)
        all += pods_from_node(s, node_number, d->launches.items[i].pods, d->launches.items[i].pod_count) > 0;
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        if (pods_from_node(s, node_number, l->pods, l->pod_count) == 0) continue;
        size_t alike = launches_like(s, node_number, d, i, &before);
        if (before > 0 || kinds == MOST_NAMED) continue;
        named += alike;
        strbuf_adds(b, kinds++ == 0 ? "" : ", ");
        if (alike == all && all > 1) {
            strbuf_adds(b, all == 2 ? "both " : "all ");
        } else if (alike > 1) {
            strbuf_putu(b, "", alike, " \xc3\x97 ");
        }
        strbuf_addstr(b, l->choice.instance_type);
        strbuf_put(b, " of NodePool ", l->node_pool, "");
        uint32_t pool = pool_named(s, l->node_pool);
        int32_t weight = pool == NO_ID ? 0 : s->raw.pools.items[pool].weight;
        if (weight <= 0) continue;
        strbuf_adds(b, " (weight ");
        strbuf_addi(b, weight);
        strbuf_addc(b, ')');
    }
    show_more(b, all, named, " more node", " more nodes");
}
