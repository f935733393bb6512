/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/gang_place.h>

#include <base/str.h>

#include <schedule/gang_domains.h>
#include <schedule/gang_peer.h>
#include <schedule/gang_search.h>
#include <schedule/gang_why.h>
#include <schedule/loop.h>
#include <schedule/savepoint.h>
#include <schedule/scheduler.h>

/* How good a domain is for a group: more groups of a composite, then more pods, then lower cost. */
typedef struct gang_score {
    uint32_t groups, pods;
    uint32_t required,
        required_start; /* of a composite: groups without which it does not start, and those that start */
    uint32_t all_pods; /* of a composite: pods below it that count, if that matters */
    bool all; /* nothing is left to place */
    double cost;
} gang_score;

bool gang_is_placed(scheduler *s, uint32_t pod_number) { return placement_get(s, pod_number).where != PLACE_NONE; }

/* ---- one place --------------------------------------------------------------------------------------------------- */

static bool try_group(gang_loop *l, uint32_t id, uint32_t depth);

/* Lists the members that are to be placed, in the order of the queue. */
static uint32_t list_left(gang_loop *l, uint32_t id)
{
    const member_group *g = &l->all->items[id];
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        if (exclusion(&l->s->pods, g->pods[i]) != 0 && !gang_is_placed(l->s, g->pods[i]))
            l->batch[count++] = g->pods[i];
    }
    return count;
}

/* Places as many of the pods as fit. false = fewer than the minimum. */
static bool place_pods(gang_loop *l, uint32_t id, const gang_domain *domain, gang_score *score)
{
    scheduler *s = l->s;
    const member_group *g = &l->all->items[id];
    const gang_count n = l->results[id].before;
    savepoint p;
    uint32_t there = n.bound + n.succeeded + n.placed, count = list_left(l, id);
    if (!savepoint_begin(s, &p)) return false;
    uint32_t placed = l->peer ? gang_peer_place(s, l->batch, count, l->peer == PEER_WORST)
                              : count - loop_place(s, l->batch, count);
    if (there + placed >= n.least || s->failed || s->round.stopped) {
        savepoint_keep(s, &p);
    } else if (l->peer) {
        placed = 0;
        if (!savepoint_undo(s, &p)) return false;
    } else {
        const gang_try t = { .fit = there + placed, .least = n.least, .unit = " fit" };
        gang_note_try(s, g, &l->results[id], domain, &t);
        if (!savepoint_undo(s, &p)) return false;
        placed = gang_search(s, g, n.least - there, &l->results[id]);
    }
    score->pods += placed;
    score->all = score->all && placed == count;
    return there + placed >= n.least && placed > 0;
}

/* The pods of the group and of those below it that have a place. */
static uint32_t placed_below(gang_loop *l, uint32_t id)
{
    uint32_t count = gang_counts(l->s, &l->all->items[id]).placed;
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) count += placed_below(l, c);
    return count;
}

/* The pods of the group and of those below it. */
static gang_count count_below(gang_loop *l, uint32_t id)
{
    gang_count n = gang_counts(l->s, &l->all->items[id]);
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) {
        const gang_count below = count_below(l, c);
        n.members += below.members;
        n.counted += below.counted;
        n.succeeded += below.succeeded;
        n.bound += below.bound;
        n.placed += below.placed;
    }
    return n;
}

static bool is_required(const gang_loop *l, uint32_t id)
{
    const pod_group *o = group_object(l->s->snapshot, &l->all->items[id]);
    return o != NULL && o->required;
}

uint32_t gang_taken(gang_loop *l, uint32_t id)
{
    uint32_t c = l->first_child[id];
    while (c != NO_ID && placed_below(l, c) == 0) c = l->next_child[c];
    return c;
}

/* Whether the alternative is one of those that are asked for. */
static bool may_take(const gang_loop *l, uint32_t id)
{
    const pod_group *o = group_object(l->s->snapshot, &l->all->items[id]);
    return l->flavor == NO_TEXT || (o != NULL && o->resource_flavor == l->flavor);
}

static bool place_children(gang_loop *l, uint32_t id, uint32_t depth, gang_score *score)
{
    const pod_group *o = group_object(l->s->snapshot, &l->all->items[id]);
    uint32_t starts = 0, children = 0;
    bool one = o != NULL && o->one_of;
    uint32_t taken = one ? gang_taken(l, id) : NO_ID;
    for (uint32_t c = l->first_child[id]; c != NO_ID && !l->s->failed; c = l->next_child[c]) {
        const member_group *g = &l->all->items[c];
        if (one && (starts > 0 || (taken != NO_ID && taken != c) || !may_take(l, c))) continue;
        gang_count before = gang_counts(l->s, g);
        uint32_t placed = placed_below(l, c);
        bool running = !g->composite && before.bound + before.succeeded + before.placed >= before.least;
        bool nothing = !g->composite && before.to_place == before.placed;
        bool ok = (nothing && running) || try_group(l, c, depth + 1) || running;
        starts += ok;
        children++;
        score->required += is_required(l, c);
        score->required_start += ok && is_required(l, c);
        if (ok) score->pods += placed_below(l, c) - placed;
    }
    score->groups += starts;
    score->all = score->all && (one ? starts > 0 : starts == children);
    if (o == NULL || starts < (uint32_t)o->min_count || score->required_start < score->required) return false;
    if (o->min_pods > 0) {
        const gang_count n = count_below(l, id);
        score->all_pods = n.bound + n.succeeded + n.placed;
    }
    return score->all_pods >= (uint32_t)o->min_pods && score->pods > 0;
}

/* What was noted of the group and of those below it becomes final, or is taken back with a savepoint. */
void gang_settle(gang_loop *l, uint32_t id, bool final)
{
    gang_result *r = &l->results[id];
    if (final) r->kept = r->now;
    else r->now = r->kept;
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) gang_settle(l, c, final);
}

/* Notes what a composite lacked. */
static void note_composite(gang_loop *l, uint32_t id, const gang_domain *domain, const gang_score *score)
{
    const member_group *g = &l->all->items[id];
    const pod_group *o = group_object(l->s->snapshot, g);
    gang_try t = { .fit = score->groups, .least = gang_counts(l->s, g).least, .unit = " groups start" };
    if (score->groups >= t.least && score->required_start < score->required)
        t = (gang_try){ .fit = score->required_start, .least = score->required, .unit = " required groups start" };
    else if (score->groups >= t.least && o != NULL && o->min_pods > 0)
        t = (gang_try){ .fit = score->all_pods, .least = (uint32_t)o->min_pods, .unit = " pods fit" };
    gang_note_try(l->s, g, &l->results[id], domain, &t);
}

/* Places the group in the domain; NULL = anywhere. On success the savepoint is open, and the caller keeps it or takes
 * it back. */
static bool attempt(gang_loop *l, uint32_t id, uint32_t depth, const gang_domain *domain, savepoint *p,
                    gang_score *score)
{
    scheduler *s = l->s;
    outside before;
    bool composite = l->all->items[id].composite;
    *score = (gang_score){ .all = true };
    if (!savepoint_begin(s, p)) return false;
    bool inside = domain == NULL || gang_enter(s, domain, &before);
    bool ok = inside && (composite ? place_children(l, id, depth, score) : place_pods(l, id, domain, score));
    if (!ok && inside && composite && !l->peer) note_composite(l, id, domain, score);
    if (domain != NULL) gang_leave(s, &before);
    if (ok && !s->failed) {
        score->cost = domain == NULL ? 0 : savepoint_cost(s, p);
        return !s->failed;
    }
    gang_settle(l, id, false);
    (void)savepoint_undo(s, p);
    return false;
}

static bool attempt_at(gang_loop *l, uint32_t id, uint32_t depth, const gang_domains *domains, uint32_t number,
                       savepoint *p, gang_score *score)
{
    gang_domain one = gang_domain_at(domains, number);
    return attempt(l, id, depth, &one, p, score);
}

/* ---- the choice of a domain -------------------------------------------------------------------------------------- */

static bool better(const gang_score *a, const gang_score *b)
{
    if (a->groups != b->groups) return a->groups > b->groups;
    if (a->pods != b->pods) return a->pods > b->pods;
    return a->cost < b->cost; /* equal: the one that comes first */
}

/* The requests of the pods that are to be placed, of groups below as well. */
static void add_wanted(gang_loop *l, uint32_t id)
{
    const scheduler *s = l->s;
    uint32_t count = list_left(l, id);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t *r = s->pods.classes[s->snapshot->pod_class[l->batch[i]]].requests;
        for (uint32_t d = 0; d < s->vectors.dims; d++) l->wanted[d] += r[d];
    }
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) add_wanted(l, c);
}

static bool keep(gang_loop *l, uint32_t id, const gang_domains *domains, uint32_t number, const savepoint *p)
{
    gang_result *r = &l->results[id];
    gang_domain one = gang_domain_at(domains, number);
    bool opened = one.value == NO_ID && one.claim == NO_ID; /* from now on it is that claim */
    r->now.domain = opened ? domains->count + p->claim_count : number;
    r->now.domain_name = one.value == NO_ID ? str("a node to be launched") : text_of(l->s->snapshot, one.value);
    savepoint_keep(l->s, p);
    return true;
}

/* `only`: the number of the only domain that is possible; NO_ID = all are. */
static bool choose_domain(gang_loop *l, uint32_t id, uint32_t depth, gang_domains *domains, uint32_t only)
{
    gang_score best = { 0 }, score;
    uint32_t chosen = NO_ID;
    savepoint p;
    memset(l->wanted, 0, l->s->vectors.dims * sizeof *l->wanted);
    add_wanted(l, id);
    const uint32_t *order = gang_domains_order(l->s, domains, depth, l->wanted);
    uint32_t count = gang_domain_count(l->s, domains);
    for (uint32_t i = 0; order != NULL && i < count && !l->s->failed && !l->s->round.stopped; i++) {
        uint32_t number = i < domains->count ? order[i] : i;
        if ((only != NO_ID && number != only) || !attempt_at(l, id, depth, domains, number, &p, &score)) continue;
        bool perfect = score.all && !(score.cost > 0), last = only != NO_ID || i + 1 == count;
        bool improves = chosen == NO_ID || better(&score, &best);
        if (perfect || (last && improves)) return keep(l, id, domains, number, &p); /* nothing is better */
        if (improves) {
            chosen = number;
            best = score;
        }
        gang_settle(l, id, false);
        if (!savepoint_undo(l->s, &p)) return false;
    }
    return chosen != NO_ID && !l->s->failed && attempt_at(l, id, depth, domains, chosen, &p, &score) &&
           keep(l, id, domains, chosen, &p);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The domain of the bound pods of the group and of those below it. *one becomes false when there are several. */
static uint32_t bound_domain(const gang_loop *l, uint32_t id, uint32_t key, uint32_t found, bool *one)
{
    bool own = true;
    uint32_t domain = gang_bound_domain(l->s, &l->all->items[id], key, &own);
    *one = *one && own && (domain == NO_ID || found == NO_ID || domain == found);
    if (domain != NO_ID) found = domain;
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) found = bound_domain(l, c, key, found, one);
    return found;
}

/* Places the group in one domain of its topology key. */
static bool try_domains(gang_loop *l, uint32_t id, uint32_t depth, uint32_t key)
{
    gang_result *r = &l->results[id];
    bool one = true;
    gang_domains *domains = gang_domains_of(l->s, key);
    uint32_t bound = bound_domain(l, id, key, NO_ID, &one), only = r->now.started ? r->now.domain : NO_ID;
    r->reason = one ? KARP_REASON_GROUP_MINIMUM : KARP_REASON_GROUP_DOMAINS;
    if (!one || domains == NULL) return false;
    for (uint32_t i = 0; i < domains->count && bound != NO_ID && only == NO_ID; i++) {
        if (domains->items[i].value == bound) only = i;
    }
    return (bound == NO_ID || only != NO_ID) && choose_domain(l, id, depth, domains, only);
}

static bool try_anywhere(gang_loop *l, uint32_t id, uint32_t depth)
{
    gang_score score;
    savepoint p;
    l->results[id].reason = KARP_REASON_GROUP_MINIMUM;
    if (!attempt(l, id, depth, NULL, &p, &score)) return false;
    savepoint_keep(l->s, &p);
    return true;
}

/* Whether the group has its minimum already, so that its other pods only fail for reasons of their own. */
static bool has_minimum(scheduler *s, const member_group *g)
{
    gang_count n = gang_counts(s, g);
    return !g->composite && n.bound + n.succeeded + n.placed >= n.least;
}

/* A tree of groups is one entry of kube-scheduler's queue: it schedules nothing of it if one pod has a priority of its
 * own. */
static bool priorities_differ(const gang_loop *l, uint32_t id)
{
    const member_group *g = &l->all->items[id];
    bool differ = g->source == KARP_GROUP_KUBERNETES && !g->composite && gang_priorities_differ(l->s, g);
    for (uint32_t c = l->first_child[id]; c != NO_ID && !differ; c = l->next_child[c]) differ = priorities_differ(l, c);
    return differ;
}

/* Places the group, or nothing of it. */
static bool try_group(gang_loop *l, uint32_t id, uint32_t depth)
{
    scheduler *s = l->s;
    gang_result *r = &l->results[id];
    const member_group *g = &l->all->items[id];
    const pod_group *o = group_object(s->snapshot, g);
    gang_count n = count_below(l, id);
    r->before = n;
    r->reason = depth > MOST_COMPOSITES              ? KARP_REASON_GROUP_MISSING
                : o != NULL && o->refused != NO_TEXT ? KARP_REASON_GROUP_REFUSED
                : g->composite                       ? gang_refusal_composite(s, g, &n)
                                                     : gang_refusal(s, g, &n);
    if (g->composite && r->reason == KARP_REASON_NONE && priorities_differ(l, id))
        r->reason = KARP_REASON_GROUP_PRIORITY;
    if (r->reason != KARP_REASON_NONE || o == NULL) return false;
    r->try_count = 0;
    bool ok = o->topology_key == NO_TEXT ? try_anywhere(l, id, depth) : try_domains(l, id, depth, o->topology_key);
    if (ok) r->now.started = true;
    if (ok || (r->reason == KARP_REASON_GROUP_MINIMUM && (r->kept.started || has_minimum(s, g))))
        r->reason = KARP_REASON_NONE;
    return ok;
}

/* ---- kube-scheduler's places ------------------------------------------------------------------------------------- */

/* The pods that are left of the group and of those below it; *differ: some are of several classes. */
static uint32_t left_below(gang_loop *l, uint32_t id, uint32_t *class_number, bool *differ)
{
    uint32_t count = list_left(l, id);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = l->s->snapshot->pod_class[l->batch[i]];
        *differ = *differ || (*class_number != NO_ID && *class_number != own);
        *class_number = own;
    }
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c])
        count += left_below(l, c, class_number, differ);
    return count;
}

/* Whether kube-scheduler's order and choice of nodes may make a difference for the group, on existing nodes. Where that
 * would take long to find out, it does not. */
static bool peer_differs(gang_loop *l, uint32_t id)
{
    const member_group *g = &l->all->items[id];
    uint32_t class_number = NO_ID;
    bool differ = g->composite;
    uint32_t pods = left_below(l, id, &class_number, &differ);
    return g->source == KARP_GROUP_KUBERNETES && differ && gang_peer_can(l->s, pods);
}

/* Places the group as kube-scheduler does, or nothing of it. */
static bool try_peer(gang_loop *l, uint32_t id, uint32_t way)
{
    l->peer = way;
    bool starts = try_group(l, id, 0);
    l->peer = PEER_NOT;
    return starts;
}

/* Finds a way of kube-scheduler's in which the group starts; PEER_NOT = none. *lacks: there is one in which it does not
 * start. */
static bool find_peer_way(gang_loop *l, uint32_t id, uint32_t *way, bool *lacks)
{
    scheduler *s = l->s;
    savepoint p;
    *way = PEER_NOT;
    *lacks = false;
    if (!peer_differs(l, id)) return true;
    uint32_t last = l->all->items[id].composite ? PEER_WORST : PEER_BEST;
    for (uint32_t w = PEER_BEST; w <= last; w++) {
        if (!savepoint_begin(s, &p)) return false;
        if (!try_peer(l, id, w)) *lacks = true;
        else if (*way == PEER_NOT) *way = w;
        gang_settle(l, id, false);
        if (!savepoint_undo(s, &p)) return false;
    }
    return true;
}

/* Places the group, or nothing of it. The groups of a composite may take each other's places: then they get those that
 * kube-scheduler would give them. */
bool gang_place(gang_loop *l, uint32_t id, bool *lacks)
{
    uint32_t way;
    if (!find_peer_way(l, id, &way, lacks)) return false;
    bool placed = try_group(l, id, 0);
    if (placed || way == PEER_NOT || l->s->failed || l->s->round.stopped) return placed;
    gang_settle(l, id, false);
    return try_peer(l, id, way);
}
