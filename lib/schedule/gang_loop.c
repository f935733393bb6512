/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/gang_loop.h>

#include <karp/groups.h>

#include <base/sort.h>
#include <schedule/gang_domains.h>
#include <schedule/gang_peer.h>
#include <schedule/gang_search.h>
#include <schedule/gang_why.h>
#include <schedule/loop.h>
#include <schedule/savepoint.h>
#include <schedule/scheduler.h>
#include <schedule/workloads.h>
#include <string.h>

/* A pod without a group, or the topmost composite of a group, or a group without one. */
typedef struct unit {
    int32_t priority;
    uint32_t rank; /* in the queue, of its first pod */
    uint32_t pod; /* without a group */
    uint32_t group; /* NO_ID = none */
} unit;

typedef struct gang_loop {
    scheduler *s;
    const struct group_index *all;
    gang_result *results; /* by group */
    uint32_t *first_child, *next_child; /* by group: those of a composite by age, then by name; NO_ID = none */
    unit *units;
    uint32_t unit_count;
    uint32_t *batch; /* scratch: pods */
    int64_t *wanted; /* scratch: a vector */
    enum { PEER_NOT, PEER_BEST, PEER_WORST } peer; /* groups are tried as kube-scheduler does; nothing of that stays */
} gang_loop;

/* How good a domain is for a group: more groups of a composite, then more pods, then lower cost. */
typedef struct gang_score {
    uint32_t groups, pods;
    uint32_t required,
        required_start; /* of a composite: groups without which it does not start, and those that start */
    uint32_t all_pods; /* of a composite: pods below it that count, if that matters */
    bool all; /* nothing is left to place */
    double cost;
} gang_score;

bool gang_loop_applies(const scheduler *s)
{
    return s->settings.options->profile == KARP_PROFILE_KARP && s->snapshot->groups != NULL;
}

static bool is_placed(scheduler *s, uint32_t pod_number) { return placement_get(s, pod_number).where != PLACE_NONE; }

/* ---- units ------------------------------------------------------------------------------------------------------- */

enum { DEEPEST = 8 }; /* composites above a group: Kubernetes allows 4 */

static uint32_t root_of(const gang_loop *l, uint32_t id)
{
    for (uint32_t depth = 0; depth < DEEPEST && l->all->items[id].parent != NO_ID; depth++)
        id = l->all->items[id].parent;
    return id;
}

static int by_priority(const void *x, const void *y, const void *user)
{
    const unit *a = x, *b = y;
    (void)user;
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* In a queue of workloads, pods that lose their node come first. */
static void enter_queue(const group_turn *turns, unit *u)
{
    u->priority = u->group == NO_ID ? INT32_MAX : turns[u->group].priority;
    if (u->group != NO_ID) u->rank = turns[u->group].rank;
}

static size_t most_units(const gang_loop *l)
{
    size_t count = l->all->count;
    for (uint32_t i = 0; i < l->s->pods.count; i++) count += l->all->of_pod[l->s->pods.items[i]] == NO_ID;
    return count;
}

static bool list_units(gang_loop *l)
{
    scheduler *s = l->s;
    const karp_snapshot *w = s->snapshot;
    l->units = arena_array(&s->round.data, most_units(l) + 1, sizeof *l->units);
    l->batch = arena_array(&s->round.data, s->pods.count + (size_t)1, sizeof *l->batch);
    l->wanted = arena_array(&s->round.data, s->vectors.dims + (size_t)1, sizeof *l->wanted);
    uint32_t *unit_of = arena_array(&s->round.data, l->all->count + (size_t)1, sizeof *unit_of); /* 1 + the unit */
    if (l->units == NULL || l->batch == NULL || l->wanted == NULL || unit_of == NULL) return false;
    for (uint32_t i = 0; i < s->pods.count; i++) {
        uint32_t p = s->pods.items[i], id = l->all->of_pod[p], rank = w->queue_rank[p];
        const shape *h = shape_of(w, w->pod_class[p]);
        if (is_placed(s, p)) continue; /* by a guide */
        if (id != NO_ID) id = root_of(l, id);
        if (id != NO_ID && unit_of[id] != 0) {
            unit *u = &l->units[unit_of[id] - 1];
            if (rank < u->rank && l->all->turns == NULL) u->rank = rank;
            continue;
        }
        unit *u = &l->units[l->unit_count++];
        *u = (unit){ .priority = h->has_priority ? h->priority : 0, .rank = rank, .pod = p, .group = id };
        if (l->all->turns != NULL) enter_queue(l->all->turns, u);
        if (id != NO_ID) unit_of[id] = l->unit_count;
    }
    return sort_stable(s->context, l->units, l->unit_count, sizeof *l->units, by_priority, NULL);
}

static int by_age(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *w = user;
    const pod_group *a = group_object(w, &w->groups->items[x]), *b = group_object(w, &w->groups->items[y]);
    int64_t one = a == NULL ? 0 : a->meta.creation, other = b == NULL ? 0 : b->meta.creation;
    return one < other ? -1 : one > other;
}

static bool list_children(gang_loop *l)
{
    scheduler *s = l->s;
    uint32_t count = l->all->count;
    uint32_t *order = arena_array(&s->round.data, count + (size_t)1, sizeof *order);
    l->first_child = arena_array(&s->round.data, count + (size_t)1, sizeof *l->first_child);
    l->next_child = arena_array(&s->round.data, count + (size_t)1, sizeof *l->next_child);
    if (order == NULL || l->first_child == NULL || l->next_child == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        l->first_child[i] = NO_ID;
    }
    bool some = false;
    for (uint32_t i = 0; i < count; i++) some = some || l->all->items[i].parent != NO_ID;
    if (some && !sort_ids(s->context, order, count, by_age, s->snapshot)) return false; /* equal ages: by name */
    for (uint32_t i = count; i-- > 0;) {
        uint32_t parent = l->all->items[order[i]].parent;
        if (l->all->items[root_of(l, order[i])].parent != NO_ID) { /* a circle, or too deep */
            l->results[order[i]].reason = KARP_REASON_GROUP_MISSING;
            parent = NO_ID;
        }
        l->next_child[order[i]] = parent == NO_ID ? NO_ID : l->first_child[parent];
        if (parent != NO_ID) l->first_child[parent] = order[i];
    }
    return true;
}

/* ---- one place --------------------------------------------------------------------------------------------------- */

static bool try_group(gang_loop *l, uint32_t id, uint32_t depth);

/* Lists the members that are to be placed, in the order of the queue. */
static uint32_t list_left(gang_loop *l, uint32_t id)
{
    const member_group *g = &l->all->items[id];
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        if (exclusion(&l->s->pods, g->pods[i]) != 0 && !is_placed(l->s, g->pods[i])) l->batch[count++] = g->pods[i];
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

static bool place_children(gang_loop *l, uint32_t id, uint32_t depth, gang_score *score)
{
    const pod_group *o = group_object(l->s->snapshot, &l->all->items[id]);
    uint32_t starts = 0, children = 0;
    for (uint32_t c = l->first_child[id]; c != NO_ID && !l->s->failed; c = l->next_child[c]) {
        const member_group *g = &l->all->items[c];
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
    score->all = score->all && starts == children;
    if (o == NULL || starts < (uint32_t)o->min_count || score->required_start < score->required) return false;
    if (o->min_pods > 0) {
        const gang_count n = count_below(l, id);
        score->all_pods = n.bound + n.succeeded + n.placed;
    }
    return score->all_pods >= (uint32_t)o->min_pods && score->pods > 0;
}

/* What was noted of the group and of those below it becomes final, or is taken back with a savepoint. */
static void settle(gang_loop *l, uint32_t id, bool final)
{
    gang_result *r = &l->results[id];
    if (final) r->kept = r->now;
    else r->now = r->kept;
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) settle(l, c, final);
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
    settle(l, id, false);
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
        settle(l, id, false);
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
    r->reason = depth > DEEPEST ? KARP_REASON_GROUP_MISSING
                : g->composite  ? gang_refusal_composite(s, g, &n)
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

/* Whether all pods of the group and of those below it are placed. */
static bool is_done(gang_loop *l, uint32_t id)
{
    const member_group *g = &l->all->items[id];
    bool done = true;
    for (uint32_t i = 0; i < g->pod_count && done; i++)
        done = exclusion(&l->s->pods, g->pods[i]) == 0 || is_placed(l->s, g->pods[i]);
    for (uint32_t c = l->first_child[id]; c != NO_ID && done; c = l->next_child[c]) done = is_done(l, c);
    return done;
}

/* Whether some pod of the group, or of those below it, has resource claims. */
static bool uses_devices(const gang_loop *l, uint32_t id)
{
    const member_group *g = &l->all->items[id];
    bool uses = false;
    for (uint32_t i = 0; i < g->pod_count && !uses; i++)
        uses = class_needs_devices(l->s, l->s->snapshot->pod_class[g->pods[i]]);
    for (uint32_t c = l->first_child[id]; c != NO_ID && !uses; c = l->next_child[c]) uses = uses_devices(l, c);
    return uses;
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
        settle(l, id, false);
        if (!savepoint_undo(s, &p)) return false;
    }
    return true;
}

/* Places the group, or nothing of it. The groups of a composite may take each other's places: then they get those that
 * kube-scheduler would give them. */
static bool try_root(gang_loop *l, uint32_t id, bool *lacks)
{
    uint32_t way;
    if (!find_peer_way(l, id, &way, lacks)) return false;
    bool placed = try_group(l, id, 0);
    if (placed || way == PEER_NOT || l->s->failed || l->s->round.stopped) return placed;
    settle(l, id, false);
    return try_peer(l, id, way);
}

/* ---- workloads of a queue ---------------------------------------------------------------------------------------- */

/* Counts the pods of the workload that have a place, and those that wait for its node. Returns whether all have one. */
static bool count_places(gang_loop *l, uint32_t id, workload_try *t)
{
    scheduler *s = l->s;
    const member_group *g = &l->all->items[id];
    bool all = true;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        if (exclusion(&s->pods, g->pods[i]) == 0) continue;
        place at = placement_get(s, g->pods[i]);
        bool ready = at.where == PLACE_HOST && s->snapshot->nodes[s->hosts.items[at.target].node].initialized;
        all = all && at.where != PLACE_NONE;
        t->placed += at.where != PLACE_NONE;
        t->waiting += at.where != PLACE_NONE && !ready;
    }
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) all = count_places(l, c, t) && all;
    return all;
}

static const char *why_not(gang_loop *l, uint32_t id)
{
    scheduler *s = l->s;
    strbuf b = strbuf_on(s->context);
    if (l->results[id].try_count > 0) gang_add_tries(&l->results[id], &b);
    const char *text = b.failed ? NULL : arena_string(s->workloads->data, b.len > 0 ? b.ptr : "", b.len);
    if (text == NULL) s->failed = true;
    strbuf_free(&b);
    return text;
}

/* Places the workload, and notes what that takes since the savepoint. */
static bool try_workload(gang_loop *l, uint32_t id, const savepoint *p, workload_try *t)
{
    scheduler *s = l->s;
    const queued *own = &s->workloads->items[id];
    bool lacks, placed = try_root(l, id, &lacks);
    *t = (workload_try){ .launches = (uint32_t)s->claims.list.count - p->claim_count, .why = "" };
    bool all = count_places(l, id, t);
    if (placed && !s->failed) t->cost = savepoint_cost(s, p);
    t->starts = l->results[id].reason == KARP_REASON_NONE && (all || !own->whole);
    if (!t->starts && !s->failed) t->why = why_not(l, id);
    return placed;
}

/* Finds out what becomes of the workload on the nodes of the domain; NULL = on all. Nothing stays placed. */
static bool try_and_undo(gang_loop *l, uint32_t id, const gang_domain *domain, workload_try *t)
{
    scheduler *s = l->s;
    savepoint p;
    outside before;
    *t = (workload_try){ .why = "" };
    if (!savepoint_begin(s, &p)) return false;
    bool inside = domain == NULL || gang_enter(s, domain, &before);
    if (inside) (void)try_workload(l, id, &p, t);
    if (domain != NULL) gang_leave(s, &before);
    settle(l, id, false);
    return savepoint_undo(s, &p);
}

static bool try_flavours(gang_loop *l, uint32_t id)
{
    struct workloads *w = l->s->workloads;
    queued *own = &w->items[id];
    if (!workloads_find_flavours(l->s)) return false;
    own->flavours = arena_array(w->data, w->flavour_count + (size_t)1, sizeof *own->flavours);
    if (own->flavours == NULL) l->s->failed = true;
    for (uint32_t i = 0; i < w->flavour_count && !l->s->failed && !l->s->round.stopped; i++) {
        if (!try_and_undo(l, id, w->flavours[i].domain, &own->flavours[i])) return false;
    }
    return !l->s->failed;
}

/* A pod that did not fit when its group was tried last. */
static uint32_t first_left(const gang_loop *l, uint32_t id)
{
    const gang_result *r = &l->results[id];
    uint32_t pod_number = NO_ID;
    for (uint32_t i = 0; i < r->try_count && i < MOST_TRIES && pod_number == NO_ID; i++) pod_number = r->tries[i].pod;
    for (uint32_t c = l->first_child[id]; c != NO_ID && pod_number == NO_ID; c = l->next_child[c])
        pod_number = first_left(l, c);
    return pod_number;
}

/* The turn of a workload; it may have several, if pods that are placed later are what it waits for. */
static bool take_turn(gang_loop *l, uint32_t id)
{
    scheduler *s = l->s;
    queued *own = &s->workloads->items[id];
    workload_try t;
    savepoint p;
    if (s->workloads->alone) {
        if (own->alone && try_and_undo(l, id, NULL, &t)) own->starts_alone = t.starts;
        return false;
    }
    if (!own->tried && own->asked && !try_flavours(l, id)) return false;
    if (!savepoint_begin(s, &p)) return false;
    workload_try before = own->now;
    bool placed = try_workload(l, id, &p, &own->now);
    own->now.launches += before.launches;
    own->now.cost += before.cost;
    if (own->tried) own->now.why = before.why; /* what was lacking at its turn, not after the whole queue */
    else own->left = own->now.starts ? NO_ID : first_left(l, id);
    own->tried = true;
    savepoint_keep(s, &p);
    return placed;
}

/* Places the unit's group, or nothing of it. */
static bool try_unit(gang_loop *l, uint32_t id)
{
    if (is_done(l, id)) return false;
    l->s->saving.devices = uses_devices(l, id);
    size_t claims = l->s->claims.list.count;
    bool lacks = false, placed = l->s->workloads == NULL ? try_root(l, id, &lacks) : take_turn(l, id);
    /* On nodes that do not exist yet it is not known what kube-scheduler does. */
    if (placed && lacks && l->s->claims.list.count == claims) l->results[id].now.ordered = true;
    settle(l, id, placed);
    return placed;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Places the units once, in order. Returns whether something was placed. */
static bool turn(gang_loop *l)
{
    scheduler *s = l->s;
    bool progress = false;
    for (uint32_t i = 0; i < l->unit_count && !s->failed && !s->round.stopped;) {
        const unit *u = &l->units[i];
        uint32_t count = 0;
        if (u->group != NO_ID) {
            progress = try_unit(l, u->group) || progress;
            i++;
            continue;
        }
        for (; i < l->unit_count && l->units[i].group == NO_ID && l->units[i].priority == u->priority; i++) {
            if (!is_placed(s, l->units[i].pod)) l->batch[count++] = l->units[i].pod;
        }
        progress = loop_place(s, l->batch, count) < count || progress;
    }
    return progress;
}

/* Why a pod of a group was not placed: what keeps its group or a composite above it from starting, or, if the group
 * starts without the pod, the pod's own reason. */
static bool fail_pod(gang_loop *l, uint32_t pod_number)
{
    scheduler *s = l->s;
    uint32_t id = l->all->of_pod[pod_number];
    const pod_group *o = group_object(s->snapshot, &l->all->items[id]);
    if (l->results[id].reason != KARP_REASON_NONE) return loop_fail(s, pod_number, NO_ID, l->results[id].reason);
    for (uint32_t depth = 0, above = l->all->items[id].parent; above != NO_ID && depth < DEEPEST; depth++) {
        if (l->results[above].reason != KARP_REASON_NONE)
            return loop_fail(s, pod_number, NO_ID, KARP_REASON_GROUP_COMPOSITE);
        above = l->all->items[above].parent;
    }
    bool confined = o != NULL && o->topology_key != NO_TEXT;
    return confined ? loop_fail(s, pod_number, NO_ID, KARP_REASON_GROUP_DOMAIN_FULL) : loop_fail_left(s, pod_number);
}

static bool fail_pods(gang_loop *l)
{
    scheduler *s = l->s;
    bool ok = true;
    for (uint32_t i = 0; i < s->pods.count && ok; i++) {
        uint32_t p = s->pods.items[i];
        if (is_placed(s, p)) continue;
        ok = l->all->of_pod[p] == NO_ID || s->round.stopped ? loop_fail_left(s, p) : fail_pod(l, p);
    }
    return ok && !s->failed;
}

bool gang_loop_run(scheduler *s)
{
    gang_loop l = { .s = s, .all = s->snapshot->groups };
    s->gangs = arena_array(&s->round.data, 1, sizeof *s->gangs);
    l.results = arena_array(&s->round.data, l.all->count + (size_t)1, sizeof *l.results);
    if (s->gangs == NULL || l.results == NULL) return false;
    s->gangs->results = l.results;
    if (!placement_settle(s) || !list_units(&l) || !list_children(&l)) return false;
    while (turn(&l) && !s->round.stopped && !s->failed) {
    }
    return !s->failed && fail_pods(&l);
}
