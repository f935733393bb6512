/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/report.h>

#include <karp/lint.h>

#include <base/sort.h>
#include <model/label_rules.h>
#include <model/prepare.h>
#include <schedule/devices.h>
#include <schedule/gangs.h>
#include <schedule/movable.h>
#include <schedule/options.h>
#include <schedule/scheduler.h>

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static bool refuse_dropped(scheduler *s, const received *r, uint32_t c)
{
    for (uint32_t i = 0; i < r->claims[c].count; i++) {
        failure *f = list_push(s->context, &s->placement.failures, sizeof *f);
        if (f == NULL) return false;
        *f = (failure){ .pod = r->claims[c].pods[i], .view = NO_ID, .reason = KARP_REASON_MIN_VALUES_TRUNCATED };
    }
    return true;
}

bool report_finalize(scheduler *s, arena *a, const received *r, final_claim **out)
{
    final_claim *list = arena_array(a, s->claims.list.count + 1, sizeof *list);
    final_lists lists;
    bool ok = final_lists_init(&lists, s, a) && list != NULL;
    for (uint32_t c = 0; ok && c < s->claims.list.count; c++)
        ok = claim_finalize(s, c, a, &lists, list) && (!s->claims.list.items[c].dropped || refuse_dropped(s, r, c));
    final_lists_free(&lists);
    *out = list;
    return ok;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Sorted by NodePool name, then by the first pod. Every claim has pods, and no two have the same first pod. */
struct claim_key {
    karp_str pool;
    uint32_t first_pod; /* its position in the order of names */
};

static int by_pool_and_pods(uint32_t x, uint32_t y, const void *user)
{
    const struct claim_key *keys = user, *a = &keys[x], *b = &keys[y];
    if (a->pool.ptr != b->pool.ptr) return compare_str(a->pool, b->pool);
    return a->first_pod < b->first_pod ? -1 : 1;
}

bool report_sort_claims(const scheduler *s, const received *r, uint32_t *claims, size_t count)
{
    const karp_snapshot *snapshot = s->snapshot;
    size_t bytes = (s->claims.list.count + 1) * sizeof(struct claim_key);
    struct claim_key *keys = mem_alloc(s->context, bytes);
    for (size_t i = 0; i < count && keys != NULL; i++) {
        const node_pool *p =
            &snapshot->raw.pools.items[s->templates.items[s->claims.list.items[claims[i]].template_].pool];
        keys[claims[i]] = (struct claim_key){ name_of(snapshot, p->meta.name),
                                              snapshot->pod_rank[r->claims[claims[i]].pods[0]] };
    }
    bool ok = keys != NULL && sort_ids(s->context, claims, count, by_pool_and_pods, keys);
    mem_free(s->context, keys, bytes);
    return ok;
}

/* The claims that are not dropped, in the order of launches. */
static bool order_launches(const scheduler *s, const received *r, uint32_t *order, size_t *count)
{
    size_t n = 0;
    for (uint32_t c = 0; c < s->claims.list.count; c++) {
        if (!s->claims.list.items[c].dropped) order[n++] = c;
    }
    *count = n;
    return report_sort_claims(s, r, order, n);
}

/* like_of has, for the first claim of a kind that was reported, 1 + the index of its launch. */
static bool report_one(scheduler *s, karp_decision *d, const received *r, const final_claim *f, size_t *like_of)
{
    uint32_t c = f->claim;
    if (!scheduler_worked(s, 1024)) return false;
    /* In Karpenter the claims of a template share their annotations: those of the last claim apply to all. */
    bool relaxed = quirk(s, 7) ? s->templates.items[s->claims.list.items[c].template_].last_relaxed
                               : s->claims.list.items[c].relaxed_min_values;
    launch_source from = { .template_ = s->claims.list.items[c].template_,
                           .set = f->set,
                           .types = f->types,
                           .type_count = f->type_count,
                           .list = f->list,
                           .requests = f->requests,
                           .pods = r->claims[c].pods,
                           .pod_count = r->claims[c].count,
                           .relaxed_min_values = relaxed };
    if (!devices_drivers(s, c, &d->data, &from.drivers)) return false;
    if (from.drivers.len == 0) from.same_as = like_of[f->same_as];
    if (!report_launch(s, d, &from)) return false;
    if (from.drivers.len == 0 && from.same_as == 0) like_of[f->same_as] = d->launches.count;
    s->launches.ids[c] = d->launches.items[d->launches.count - 1].id;
    return true;
}

static bool report_launches(scheduler *s, karp_decision *d, const received *r, const final_claim *finals)
{
    size_t n = 0, bytes = (s->claims.list.count + 1) * sizeof(size_t),
           order_bytes = (s->claims.list.count + 1) * sizeof(uint32_t);
    uint32_t *order = mem_alloc(s->context, order_bytes);
    size_t *like_of = mem_zalloc(s->context, bytes);
    s->launches.ids = arena_array(&s->data, s->claims.list.count + 1, sizeof *s->launches.ids);
    bool ok = order != NULL && like_of != NULL && s->launches.ids != NULL && order_launches(s, r, order, &n) &&
              list_reserve_more(d->context, &d->launches, sizeof *d->launches.items, n);
    for (size_t i = 0; ok && i < n; i++) ok = report_one(s, d, r, &finals[order[i]], like_of);
    mem_free(s->context, order, order_bytes);
    mem_free(s->context, like_of, bytes);
    return ok;
}

static int by_node(uint32_t x, uint32_t y, const void *user)
{
    const scheduler *s = user;
    return s->hosts.items[x].node < s->hosts.items[y].node ? -1 : s->hosts.items[x].node > s->hosts.items[y].node;
}

bool report_placements(scheduler *s, karp_decision *d, const received *r)
{
    uint32_t *order = mem_alloc(s->context, (s->hosts.count + (size_t)1) * sizeof *order), n = 0;
    bool ok = order != NULL;
    for (uint32_t h = 0; ok && h < s->hosts.count; h++) {
        if (r->hosts[h].count > 0) order[n++] = h;
    }
    ok = ok && sort_ids(s->context, order, n, by_node, s);
    for (uint32_t i = 0; ok && i < n; i++) {
        karp_placement *row = list_push(d->context, &d->placements, sizeof *row);
        ok = row != NULL;
        if (!ok) break;
        row->size = sizeof *row;
        row->node = name_of(s->snapshot, s->snapshot->nodes[s->hosts.items[order[i]].node].name);
        row->pods = r->hosts[order[i]].pods;
        row->pod_count = r->hosts[order[i]].count;
    }
    mem_free(s->context, order, (s->hosts.count + (size_t)1) * sizeof *order);
    return ok;
}

/* Whether the row is about claims of its own pod: another pod of the class has other claims. Looked at only where each
 * pod is explained. */
static bool names_claims(const scheduler *s, const karp_unschedulable *row, uint32_t pod_number)
{
    const store *raw = &s->snapshot->raw;
    bool named = false;
    if (s->settings.options->explain != KARP_EXPLAIN_FULL) return false;
    if (pod_at(raw, row->pod)->volumes == pod_at(raw, pod_number)->volumes) return false;
    for (size_t t = 0; t < row->topology_count && !named; t++) {
        for (size_t i = 0; i < row->topologies[t].domain_count; i++)
            named = named || row->topologies[t].domains[i].volume.len > 0;
    }
    return named;
}

/* Pods of one class that failed with the same view have equal rows except for their names. */
static bool report_failures(scheduler *s, karp_decision *d)
{
    uint32_t *row_of_view = mem_alloc(s->context, (s->pods.views.count + 1) * sizeof *row_of_view);
    refusal_lists known;
    refusal_lists_init(&known, s->context);
    bool ok = row_of_view != NULL && sort_stable(s->context, s->placement.failures.items, s->placement.failures.count,
                                                 sizeof(failure), by_first_rank, s->snapshot->pod_rank);
    for (size_t i = 0; ok && i < s->pods.views.count; i++) row_of_view[i] = NO_ID;
    for (size_t i = 0; ok && i < s->placement.failures.count; i++) {
        if (!scheduler_worked(s, 128)) ok = false;
        const failure *f = &s->placement.failures.items[i];
        karp_unschedulable row = { .size = sizeof row };
        bool shared = f->view != NO_ID && row_of_view[f->view] != NO_ID &&
                      !names_claims(s, &d->unschedulable.items[row_of_view[f->view]], f->pod);
        if (shared) row = d->unschedulable.items[row_of_view[f->view]];
        else ok = ok && why_unschedulable(s, f, d, &known, &row);
        row.pod = f->pod;
        karp_unschedulable *slot = ok ? list_push(d->context, &d->unschedulable, sizeof *slot) : NULL;
        ok = slot != NULL;
        if (!ok) break;
        *slot = row;
        if (f->view != NO_ID) row_of_view[f->view] = (uint32_t)(d->unschedulable.count - 1);
    }
    refusal_lists_free(&known);
    mem_free(s->context, row_of_view, (s->pods.views.count + 1) * sizeof *row_of_view);
    return ok;
}

static bool report_ignored(scheduler *s, karp_decision *d)
{
    for (size_t i = 0; i < s->pods.ignored.count; i++) {
        karp_ignored *row = list_push(d->context, &d->ignored, sizeof *row);
        const char *detail = s->pods.ignored.items[i].detail;
        if (row == NULL) return false;
        row->size = sizeof *row;
        row->pod = s->pods.ignored.items[i].pod;
        row->code = s->pods.ignored.items[i].reason;
        row->message.len = strlen(detail);
        row->message.ptr = arena_string(&d->data, detail, row->message.len);
        if (row->message.ptr == NULL) return false;
    }
    return true;
}

static const char *why_unusable(const karp_snapshot *s, const node_pool *p)
{
    const condition *ready = condition_find(p->conditions, s->known.ready);
    if (p->replicas >= 0) return "it is static: it has replicas; raise them, or add a NodePool without replicas";
    if (p->meta.deletion != KARP_NO_TIME) return "it is being deleted";
    if (ready == NULL || ready->status != s->known.status_true) return "its condition Ready is not True";
    if (condition_find(p->conditions, s->known.validation_succeeded) == NULL)
        return "it has no condition ValidationSucceeded";
    return "it has no condition NodeClassReady";
}

static bool warn_of_pool(scheduler *s, karp_decision *d, const node_pool *p)
{
    strbuf b = strbuf_on(s->context);
    strbuf_put(&b, "NodePool ", name_of(s->snapshot, p->meta.name), " is passed over: ");
    strbuf_adds(&b, why_unusable(s->snapshot, p));
    bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
    strbuf_free(&b);
    return ok;
}

/* Warns of each NodePool if none is usable; sorted by name, so that the input order does not matter. */
static bool warn_of_unusable(scheduler *s, karp_decision *d)
{
    const karp_snapshot *snapshot = s->snapshot;
    const uint32_t *pools = pools_by_name(snapshot, &s->round.data);
    bool ok = pools != NULL;
    for (size_t i = 0; ok && i < snapshot->raw.pools.count; i++) {
        const node_pool *p = &snapshot->raw.pools.items[pools[i]];
        /* Errors that NodePool validation rejects are reported separately. */
        ok = karp_snapshot_pool_fault(snapshot, name_of(snapshot, p->meta.name), NULL) != NULL || warn_of_pool(s, d, p);
    }
    return ok;
}

static bool report_no_pools(scheduler *s, karp_decision *d)
{
    for (uint32_t i = 0; i < s->pods.count; i++) {
        karp_ignored *row = list_push(d->context, &d->ignored, sizeof *row);
        const char *text = "no dynamic nodepools found";
        if (row == NULL) return false;
        *row = (karp_ignored){ .size = sizeof *row,
                               .pod = s->pods.items[i],
                               .code = KARP_REASON_NO_NODEPOOLS,
                               .message = { text, strlen(text) } };
    }
    return s->pods.count == 0 || warn_of_unusable(s, d);
}

/* Appends " (node.kubernetes.io/instance-type In [p3.8xlarge])" for each list of values that no type has. */
static bool add_unmet(scheduler *s, const template_ *t, strbuf *b)
{
    expression_list all = s->snapshot->raw.pools.items[t->pool].requirements;
    for (uint32_t i = 0; i < all.count; i++) {
        const expression *e = &all.items[i];
        demand one = { EMPTY_SET, NO_ID };
        if (e->op != KARP_OP_IN) continue;
        const uint64_t *mask = demand_of_expressions(&s->algebra, (expression_list){ e, 1 }, &one)
                                   ? types_mask(s, t->table_number, one.set)
                                   : NULL;
        if (mask == NULL) return false;
        if (bits_any(mask, template_words(t))) continue;
        strbuf_put(b, " (", text_of(s->snapshot, e->key), "");
        for (uint32_t k = 0; k < e->value_count; k++) {
            strbuf_adds(b, k == 0 ? " In [" : ", ");
            strbuf_addstr(b, text_of(s->snapshot, e->values[k]));
        }
        strbuf_adds(b, "])");
    }
    return true;
}

static bool warn_of_dropped(scheduler *s, karp_decision *d)
{
    for (uint32_t i = 0; i < s->templates.dropped_count; i++) {
        strbuf b = strbuf_on(s->context);
        strbuf_adds(&b, "NodePool ");
        const template_ *t = &s->templates.dropped[i];
        strbuf_addstr(&b, name_of(s->snapshot, s->snapshot->raw.pools.items[t->pool].meta.name));
        strbuf_adds(&b, t->table == NULL ? ": it has no instance types"
                                         : ": no available instance type meets its requirements");
        bool ok = (t->table == NULL || add_unmet(s, t, &b)) && !b.failed && decision_warn(d, b.ptr, b.len);
        strbuf_free(&b);
        if (!ok) return false;
    }
    return true;
}

/* Karpenter does not use such a NodePool. Here its conditions decide, which may only be defaults. */
static bool warn_of_fault(scheduler *s, karp_decision *d, const node_pool *p, const pool_fault *f)
{
    static const char *const parts[] = { "requirement", "label", "taint", "startup taint" };
    const karp_snapshot *snapshot = s->snapshot;
    strbuf b = strbuf_on(s->context);
    strbuf_put(&b, "NodePool ", name_of(snapshot, p->meta.name), ": Karpenter would not use it: its ");
    strbuf_adds(&b, parts[f->part]);
    strbuf_put(&b, " ", text_of(snapshot, f->key), " ");
    strbuf_adds(&b, f->wrong);
    bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
    strbuf_free(&b);
    return ok;
}

static bool warn_of_pools(scheduler *s, karp_decision *d)
{
    const store *raw = &s->snapshot->raw;
    for (size_t i = 0; i < raw->pools.count; i++) {
        pool_fault fault = { 0 };
        while (pool_next_fault(s->snapshot, &raw->pools.items[i], &fault)) {
            if (!warn_of_fault(s, d, &raw->pools.items[i], &fault)) return false;
        }
    }
    return true;
}

/* Whether a pod is on a node that is not in the input. Such a pod uses no capacity, and topology does not count it. */
static bool is_on_unknown_node(const scheduler *s, uint32_t pod_number)
{
    const pod *p = pod_at(&s->snapshot->raw, pod_number);
    return p->node != NO_ID && s->snapshot->pod_node[pod_number] == NO_ID && p->phase != KARP_PHASE_SUCCEEDED &&
           p->phase != KARP_PHASE_FAILED && !exclusion(&s->pods, pod_number);
}

static bool warn_of_unknown_nodes(scheduler *s, karp_decision *d)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t first = NO_ID, more = 0;
    for (size_t i = 0; i < snapshot->raw.pods.count && snapshot->orphan_pods > 0; i++) {
        if (!is_on_unknown_node(s, snapshot->by_name[i])) continue;
        if (first == NO_ID) first = snapshot->by_name[i];
        else more++;
    }
    if (first == NO_ID) return true;
    strbuf b = strbuf_on(s->context);
    strbuf_put(&b, "Pod ", pod_name(snapshot, first), ": its node ");
    strbuf_put(&b, "", name_of(snapshot, pod_at(&snapshot->raw, first)->node),
               " is not in the input, so the pod counts nowhere");
    if (more > 0) {
        strbuf_putu(&b, " (and ", more, " more like it)");
    }
    bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
    strbuf_free(&b);
    return ok;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static bool fill_nodes(const karp_snapshot *s, const node_changes *changes, karp_decision *d)
{
    if (!list_reserve_more(d->context, &d->nodes, sizeof *d->nodes.items, s->node_count)) return false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        karp_node_use *row = list_push(d->context, &d->nodes, sizeof *row);
        if (row == NULL) return false;
        node_row(s, changes, i, row);
        d->cost_before += row->price;
    }
    return true;
}

bool report_nodes_unchanged(const karp_snapshot *s, karp_decision *d)
{
    static const node_changes none = { NULL, NULL, 0 };
    return fill_nodes(s, &none, d);
}

static bool receive_pods(const scheduler *s)
{
    for (uint32_t h = 0; h < s->hosts.count && !s->placement.in_runs; h++) { /* placements in runs are on claims */
        if (s->hosts.items[h].received > 0) return true;
    }
    return false;
}

/* The node that pod i of the round was placed on; NO_ID = it was not placed on an existing node. */
static uint32_t node_of(const scheduler *s, uint32_t i)
{
    place at = s->placement.places[s->pods.items[i]];
    return at.where == PLACE_HOST ? s->hosts.items[at.target].node : NO_ID;
}

/* Sorts by node, in the order of placement. `first` has a zero for each node and one more. */
static bool list_arrivals(const scheduler *s, arena *a, uint32_t *first, node_changes *out)
{
    uint32_t nodes = s->snapshot->node_count, on;
    for (uint32_t i = 0; i < s->pods.count; i++) {
        if ((on = node_of(s, i)) != NO_ID) first[on + 1]++;
    }
    for (uint32_t n = 0; n < nodes; n++) first[n + 1] += first[n];
    node_arrival *list = arena_alloc(a, first[nodes] * sizeof *list);
    out->arrivals = list;
    out->arrival_count = first[nodes];
    for (uint32_t i = 0; list != NULL && i < s->pods.count; i++) {
        if ((on = node_of(s, i)) != NO_ID) list[first[on]++] = (node_arrival){ on, s->pods.items[i] };
    }
    return list != NULL;
}

/* The list of arrivals is allocated in `a`. */
static bool list_changes(const scheduler *s, arena *a, node_changes *out)
{
    *out = (node_changes){ .scheduled = s->pods.excluded };
    if (!receive_pods(s)) return true;
    size_t bytes = (s->snapshot->node_count + (size_t)1) * sizeof(uint32_t);
    uint32_t *first = mem_zalloc(s->context, bytes);
    bool ok = first != NULL && list_arrivals(s, a, first, out);
    mem_free(s->context, first, bytes);
    return ok;
}

bool report_nodes(scheduler *s, karp_decision *d)
{
    node_changes changes;
    if (!list_changes(s, &d->data, &changes) || !fill_nodes(s->snapshot, &changes, d)) return false;
    d->cost_after = decision_with_launches(d, decision_staying(d));
    return true;
}

/* Lets the decision make the rows itself. A view of the snapshot does not last as long as the decision does. */
static bool report_nodes_later(scheduler *s, karp_decision *d)
{
    size_t pods = s->snapshot->raw.pods.count;
    if (s->snapshot != d->snapshot) return report_nodes(s, d);
    d->nodes_later = true;
    if (s->snapshot->node_count == 0) return true;
    if (!list_changes(s, &d->data, &d->node_changes)) return false;
    if (s->pods.excluded == NULL || pods == 0) return true;
    d->node_changes.scheduled = arena_copy(&d->data, s->pods.excluded, pods);
    return d->node_changes.scheduled != NULL;
}

/* ---- the whole plan ---------------------------------------------------------------------------------------------- */

void report_forget_launches(scheduler *s)
{
    if (s->launches.firsts.count == 0) return;
    words_free(&s->launches.keys);
    words_init(&s->launches.keys, s->context);
    s->launches.firsts.count = 0;
}

karp_status report_plan(scheduler *s, karp_decision *d)
{
    received r;
    final_claim *finals;
    report_forget_launches(s);
    d->profile = s->settings.options->profile;
    d->peer_version = options_peer(s->settings.options);
    d->now = s->settings.now;
    if (s->templates.usable_pools == 0 && s->workloads == NULL && !report_no_pools(s, d)) return KARP_E_NOMEM;
    bool ok = report_ignored(s, d) && drains_note(s->snapshot, d->now, d) && daemons_note(s->snapshot, d) &&
              warn_of_dropped(s, d) && warn_of_pools(s, d) && warn_of_unknown_nodes(s, d) &&
              report_received(s, &d->data, &r) && report_finalize(s, &s->data, &r, &finals) &&
              report_launches(s, d, &r, finals) && report_apart(s, d) && report_placements(s, d, &r) &&
              expired_note(s->snapshot, d) && report_failures(s, d) && report_nodes_later(s, d) && gangs_report(s, d);
    /* a search for the reason of a rejection may have given up */
    d->complete = !s->round.stopped && !devices_gave_up(s);
    return ok && !s->failed && !s->algebra.failed ? KARP_OK : KARP_E_NOMEM;
}
