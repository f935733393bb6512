/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The movable pods as a problem in numbers: launches, nodes with their pods, and the limits that PodDisruptionBudgets
 * set for a step.
 */
#include <optimise/repack.h>

#include <base/bits.h>
#include <base/error.h>
#include <base/str.h>
#include <math.h>
#include <schedule/movable.h>

static bool make_launches(repacking *r)
{
    r->types = arena_array(&r->data, r->menu.offer_count + (size_t)1, sizeof *r->types);
    return r->types != NULL && menu_problem(&r->data, &r->menu, &r->problem.launches);
}

/* The number of pods of each class on the node. */
static bool list_entries(repacking *r, const menu_home *home, repack_node *out)
{
    packing_entry *list = arena_array(&r->data, home->count + (size_t)1, sizeof *list);
    uint32_t n = 0;
    if (list == NULL) return false;
    for (uint32_t k = 0; k < home->count; k++) {
        uint32_t c = r->menu.class_of[home->pods[k]], i = 0;
        while (i < n && list[i].class_ != c) i++;
        if (i == n) list[n++] = (packing_entry){ c, 0 };
        list[i].copies++;
    }
    out->entries = list;
    out->entry_count = n;
    out->evictions = home->count;
    return true;
}

static bool make_nodes(repacking *r)
{
    repack_problem *q = &r->problem;
    size_t nodes = r->home_count + (size_t)1;
    repack_node *list = arena_array(&r->data, nodes, sizeof *list);
    uint32_t *host_of_node = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *host_of_node);
    uint32_t *node_of_host = arena_array(&r->data, r->hosts.count + (size_t)1, sizeof *node_of_host);
    const uint32_t **pods = arena_array(&r->data, nodes, sizeof *pods);
    uint32_t *counts = arena_array(&r->data, nodes, sizeof *counts), n = 0;
    if (list == NULL || host_of_node == NULL || node_of_host == NULL || pods == NULL || counts == NULL) return false;
    memset(host_of_node, 0xff, r->seen->node_count * sizeof *host_of_node);
    memset(node_of_host, 0xff, r->hosts.count * sizeof *node_of_host);
    for (uint32_t h = 0; h < r->hosts.count; h++) host_of_node[r->hosts.node[h]] = h;
    for (uint32_t i = 0; i < r->home_count; i++) {
        if (r->menu.claims[i].stays) {
            if (!pass_keep(&r->p, r->homes[i].node, KARP_REASON_PODS_WOULD_NOT_SCHEDULE,
                           str("where some pod fits depends on more than amounts of resources")))
                return false;
            continue;
        }
        uint32_t host = host_of_node[r->homes[i].node];
        list[n].host = host;
        list[n].pool = r->p.found.candidates[r->candidate_of[i]].pool;
        list[n].price = node_price(r->seen, &r->seen->nodes[r->homes[i].node]) + r->objective.node_cost;
        if (!list_entries(r, &r->homes[i], &list[n])) return false;
        if (host != UINT32_MAX) node_of_host[host] = n;
        pods[n] = r->homes[i].pods;
        counts[n] = r->homes[i].count;
        r->candidate_of[n++] = r->candidate_of[i];
    }
    q->nodes = list;
    q->node_count = n;
    q->node_of_host = node_of_host;
    r->pods = (repack_pods){
        .pods = pods, .counts = counts, .class_of = r->menu.class_of, .all = r->seen->raw.pods.count
    };
    return true;
}

/* The average price of the nodes that one step removes; infinite if budgets allow removing all of them. */
static double price_of_step(const repacking *r)
{
    const repack_problem *q = &r->problem;
    bool limited = false;
    double sum = 0;
    for (uint32_t pool = 0; pool < r->seen->raw.pools.count; pool++) {
        double price = 0;
        int64_t count = 0, at_once = r->p.budgets.remaining[pool];
        for (uint32_t i = 0; i < q->node_count; i++) {
            if (q->nodes[i].pool == pool) count++, price += q->nodes[i].price;
        }
        limited = limited || at_once < count;
        if (count > 0) sum += at_once < count ? price / (double)count * (double)at_once : price;
    }
    return limited && r->options.ignore_budgets == 0 ? sum : HUGE_VAL;
}

/* The nodes of one step have to pay for a launch. More expensive launches are left out if a class has others. */
static bool limit_launches(repacking *r)
{
    packing_problem *l = &r->small_launches.launches;
    r->small_launches = r->problem;
    size_t words_ = bits_words(l->offer_count);
    double most = price_of_step(r);
    uint32_t cheap = l->offer_count;
    while (cheap > 0 && l->prices[cheap - 1] > most) cheap--;
    if (cheap == l->offer_count) return true;
    uint64_t *allowed = arena_copy(&r->data, l->allowed, l->class_count * words_ * sizeof *allowed);
    if (allowed == NULL) return false;
    for (size_t c = 0; c < l->class_count; c++) {
        if (bits_next(allowed + c * words_, cheap, 0) >= cheap) continue;
        for (uint32_t o = cheap; o < l->offer_count; o++) bits_clear(allowed + c * words_, o);
    }
    l->allowed = allowed;
    return true;
}

/* Determines the PodDisruptionBudget against which each movable pod counts, and how many of its pods a step may move.
 * The disruption pass has already excluded pods with several budgets and pods whose budget allows no disruption. */
static bool count_budgets(repacking *r)
{
    const store *raw = &r->seen->raw;
    if (raw->budgets.count == 0) return true;
    uint32_t *budget_of = arena_array(&r->data, raw->pods.count + 1, sizeof *budget_of);
    r->evictions_at_once = arena_array(&r->data, raw->budgets.count + 1, sizeof *r->evictions_at_once);
    if (budget_of == NULL || r->evictions_at_once == NULL) return false;
    memset(budget_of, 0xff, raw->pods.count * sizeof *budget_of);
    for (size_t b = 0; b < raw->budgets.count; b++) {
        int64_t allowed = raw->budgets.items[b].disruptions_allowed;
        r->evictions_at_once[b] = allowed > 0 ? allowed : INT64_MAX;
    }
    for (uint32_t n = 0; n < r->problem.node_count; n++) {
        if (!mem_work(r->context, r->pods.counts[n] + (size_t)1)) return false;
        for (uint32_t i = 0; i < r->pods.counts[n]; i++) {
            uint32_t pod_number = r->pods.pods[n][i], last = NO_ID;
            const pod *moving = pod_at(raw, pod_number);
            pdb_walk walk = pdbs_of(r->seen, moving);
            for (uint32_t b; (b = pdb_next(&walk)) != NO_ID;) {
                bool unhealthy = raw->budgets.items[b].always_allow && (moving->flags & POD_NOT_READY) != 0;
                if (!unhealthy && (last == NO_ID || b > last)) last = b;
            }
            budget_of[pod_number] = last;
        }
    }
    r->pods.budget_of = budget_of;
    return true;
}

karp_status repack_numbers(repacking *r)
{
    repack_problem *q = &r->problem;
    const menu_hosts *hosts = &r->hosts;
    karp_status status = repack_new_round(r, NULL, 0, NULL, 0, NULL);
    if (status != KARP_OK) return status;
    if (!menu_hosts_make(r->s, &r->data, &r->menu, &r->hosts) || !make_launches(r) || !make_nodes(r) ||
        !count_budgets(r))
        return fail_nomem(r->error);
    r->takes_pods = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *r->takes_pods);
    if (r->takes_pods == NULL) return fail_nomem(r->error);
    for (uint32_t i = 0; i < hosts->count; i++) r->takes_pods[hosts->host[i]] = true;
    q->host_count = hosts->count;
    q->left = hosts->left;
    q->host_allowed = hosts->allowed;
    q->alone = hosts->alone;
    double tie = 1e-7; /* of equally cheap plans, the one with fewer evictions is better */
    q->per_eviction = r->options.min_saving_per_eviction > tie ? r->options.min_saving_per_eviction : tie;
    return limit_launches(r) ? KARP_OK : fail_nomem(r->error);
}
