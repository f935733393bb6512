/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/gang_loop.h>

#include <base/sort.h>
#include <schedule/gang_place.h>
#include <schedule/loop.h>
#include <schedule/savepoint.h>
#include <schedule/scheduler.h>

/* A pod without a group, or the topmost composite of a group, or a group without one. */
typedef struct unit {
    int32_t priority;
    uint32_t rank; /* in the queue, of its first pod */
    uint32_t pod; /* without a group */
    uint32_t group; /* NO_ID = none */
} unit;

bool gang_loop_applies(const scheduler *s)
{
    return s->settings.options->profile == KARP_PROFILE_KARP && s->snapshot->groups != NULL;
}

static uint32_t root_of(const gang_loop *l, uint32_t id)
{
    for (uint32_t depth = 0; depth < MOST_COMPOSITES && l->all->items[id].parent != NO_ID; depth++)
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
    const karp_snapshot *snapshot = s->snapshot;
    l->units = arena_array(&s->round.data, most_units(l) + 1, sizeof *l->units);
    l->batch = arena_array(&s->round.data, s->pods.count + (size_t)1, sizeof *l->batch);
    l->wanted = arena_array(&s->round.data, s->vectors.dims + (size_t)1, sizeof *l->wanted);
    uint32_t *unit_of = arena_array(&s->round.data, l->all->count + (size_t)1, sizeof *unit_of); /* 1 + the unit */
    if (l->units == NULL || l->batch == NULL || l->wanted == NULL || unit_of == NULL) return false;
    for (uint32_t i = 0; i < s->pods.count; i++) {
        uint32_t p = s->pods.items[i], id = l->all->of_pod[p], rank = snapshot->queue_rank[p];
        const shape *h = shape_of(snapshot, snapshot->pod_class[p]);
        if (gang_is_placed(s, p)) continue; /* by a guide */
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
    const karp_snapshot *s = user;
    const pod_group *a = group_object(s, &s->groups->items[x]), *b = group_object(s, &s->groups->items[y]);
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

/* ---- one unit ---------------------------------------------------------------------------------------------------- */

/* Whether all pods of the group and of those below it are placed. */
static bool is_done(gang_loop *l, uint32_t id)
{
    const member_group *g = &l->all->items[id];
    const pod_group *o = group_object(l->s->snapshot, g);
    bool done = true;
    uint32_t taken = o != NULL && o->one_of ? gang_taken(l, id) : NO_ID;
    for (uint32_t i = 0; i < g->pod_count && done; i++)
        done = exclusion(&l->s->pods, g->pods[i]) == 0 || gang_is_placed(l->s, g->pods[i]);
    for (uint32_t c = l->first_child[id]; c != NO_ID && done; c = l->next_child[c])
        done = (taken != NO_ID && taken != c) || is_done(l, c);
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

/* Places the unit's group, or nothing of it. */
static bool try_unit(gang_loop *l, uint32_t id)
{
    if (is_done(l, id)) return false;
    l->s->saving.devices = uses_devices(l, id);
    size_t claims = l->s->claims.list.count;
    bool lacks = false, placed = l->s->workloads == NULL ? gang_place(l, id, &lacks) : gang_take_turn(l, id);
    /* On nodes that do not exist yet it is not known what kube-scheduler does. */
    if (placed && lacks && l->s->claims.list.count == claims) l->results[id].now.ordered = true;
    gang_settle(l, id, placed);
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
            if (!gang_is_placed(s, l->units[i].pod)) l->batch[count++] = l->units[i].pod;
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
    for (uint32_t depth = 0, above = l->all->items[id].parent; above != NO_ID && depth < MOST_COMPOSITES; depth++) {
        if (l->results[above].reason != KARP_REASON_NONE)
            return loop_fail(s, pod_number, NO_ID, KARP_REASON_GROUP_COMPOSITE);
        above = l->all->items[above].parent;
    }
    bool confined = o != NULL && o->topology_key != NO_TEXT;
    return confined ? loop_fail(s, pod_number, NO_ID, KARP_REASON_GROUP_DOMAIN_FULL) : loop_fail_left(s, pod_number);
}

/* Marks the groups that were not taken among alternatives: their pods need no place. NULL = out of memory. */
static uint8_t *find_spare(gang_loop *l)
{
    uint8_t *spare = arena_array(&l->s->round.data, l->all->count + (size_t)1, 1);
    for (uint32_t i = 0; i < l->all->count && spare != NULL; i++) {
        const pod_group *o = group_object(l->s->snapshot, &l->all->items[i]);
        uint32_t taken = o != NULL && o->one_of ? gang_taken(l, i) : NO_ID;
        for (uint32_t c = l->first_child[i]; c != NO_ID && taken != NO_ID; c = l->next_child[c]) spare[c] = c != taken;
    }
    return spare;
}

static bool is_spare(const gang_loop *l, const uint8_t *spare, uint32_t pod_number)
{
    uint32_t id = l->all->of_pod[pod_number];
    for (uint32_t depth = 0; id != NO_ID && depth <= MOST_COMPOSITES; depth++) {
        if (spare[id]) return true;
        id = l->all->items[id].parent;
    }
    return false;
}

static bool fail_pods(gang_loop *l)
{
    scheduler *s = l->s;
    const uint8_t *spare = find_spare(l);
    bool ok = spare != NULL;
    for (uint32_t i = 0; i < s->pods.count && ok; i++) {
        uint32_t p = s->pods.items[i];
        if (gang_is_placed(s, p) || is_spare(l, spare, p)) continue;
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
