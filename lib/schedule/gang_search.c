/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/gang_search.h>

#include <schedule/claims.h>
#include <schedule/hosts.h>
#include <schedule/loop.h>
#include <schedule/savepoint.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <string.h>

/* Attempts to place one pod, for one group and for all groups of a round; and the members that a search is for. */
enum { MOST_STEPS = 20000, MOST_STEPS_OF_ALL = 200000, MOST_MEMBERS = 64 };

typedef struct searching {
    scheduler *s;
    uint32_t *pods, count; /* by class, those of a class in the order of the queue */
    uint32_t least;
    uint64_t steps;
    bool gave_up;
} searching;

/* Targets are numbered: existing nodes, then claims, then a new claim of each template, and last no place at all. */
static uint32_t new_claims(const scheduler *s) { return NO_ID - 1 - s->templates.count; }

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

static bool put_at(scheduler *s, uint32_t pod_number, uint32_t view_number, uint32_t target)
{
    bool one = s->within.launches == LAUNCHES_ONE, none = s->within.launches == LAUNCHES_NONE;
    if (target < s->hosts.count) return hosts_place_on(s, target, pod_number, view_number);
    if (none) return false;
    if (target < new_claims(s)) {
        uint32_t number = target - s->hosts.count;
        return (!one || s->within.claim == number) && claims_put(s, number, pod_number, view_number);
    }
    if (one && s->within.claim != NO_ID) return false;
    return claims_open_as(s, target - new_claims(s), NO_ID, EMPTY_SET, pod_number, view_number) == KARP_REASON_NONE;
}

/* Places the pod there under any step of its ladder. */
static bool put_pod(searching *q, uint32_t pod_number, uint32_t target)
{
    scheduler *s = q->s;
    uint32_t class_number = s->snapshot->pod_class[pod_number], view_number = view_of_class(s, class_number);
    class_begin_round(s, &s->pods.classes[class_number]);
    while (view_number != NO_ID && view_number != LAST_VIEW && !s->failed) {
        if (!topology_update(s, view_number)) return false;
        q->steps++;
        s->round.steps++;
        if (put_at(s, pod_number, view_number, target)) {
            s->round.version++;
            return !s->failed;
        }
        view_number = view_relax(s, view_number);
    }
    return false;
}

bool gang_put(scheduler *s, uint32_t pod_number, uint32_t host_index)
{
    searching q = { .s = s };
    return put_pod(&q, pod_number, host_index);
}

/* The next target from this one on that may take a pod; NO_ID - 1 = none but no place at all. */
static uint32_t next_target(const scheduler *s, uint32_t from)
{
    if (from < s->hosts.count) {
        size_t at = bits_next(s->hosts.offered, s->hosts.count, from);
        if (at < s->hosts.count) return (uint32_t)at;
        from = s->hosts.count;
    }
    if (from >= s->hosts.count + s->claims.list.count && from < new_claims(s)) return new_claims(s);
    return from;
}

/* Whether another node with the same free capacity, labels and taints was tried before, and counts make no
 * difference. */
static bool same_as_tried(const scheduler *s, uint32_t target, const uint32_t *tried, uint32_t tried_count)
{
    if (target >= s->hosts.count || s->topology.groups.count > 0) return false;
    const host *h = &s->hosts.items[target];
    const state_node *n = &s->snapshot->nodes[h->node];
    for (uint32_t i = 0; i < tried_count; i++) {
        const host *o = &s->hosts.items[tried[i]];
        const state_node *other = &s->snapshot->nodes[o->node];
        bool plain = !h->ports_loaded && !o->ports_loaded && !s->volumes.limited;
        if (plain && h->set == o->set && n->taints.items == other->taints.items &&
            n->taints.count == other->taints.count && memcmp(h->left, o->left, s->vectors.dims * sizeof *h->left) == 0)
            return true;
    }
    return false;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static bool over(searching *q)
{
    scheduler *s = q->s;
    if (q->steps < MOST_STEPS && s->gangs->searched + q->steps < MOST_STEPS_OF_ALL) return s->failed;
    q->gave_up = true;
    return true;
}

static bool search_from(searching *q, uint32_t at, uint32_t placed, uint32_t last_target);

/* Goes on with the pod at this target. */
static bool try_target(searching *q, uint32_t at, uint32_t placed, uint32_t target)
{
    scheduler *s = q->s;
    savepoint p;
    uint32_t claims = (uint32_t)s->claims.list.count;
    if (!savepoint_begin(s, &p)) return false;
    if (put_pod(q, q->pods[at], target)) {
        uint32_t reached = target < new_claims(s) ? target : s->hosts.count + claims;
        if (search_from(q, at + 1, placed + 1, reached)) {
            savepoint_keep(s, &p);
            return true;
        }
    }
    (void)savepoint_undo(s, &p);
    return false;
}

/* Places the pods from this one on. Of pods of one class a later one gets no earlier target: they are equal. */
static bool search_from(searching *q, uint32_t at, uint32_t placed, uint32_t last_target)
{
    enum { TRIED = 16 };
    scheduler *s = q->s;
    uint32_t tried[TRIED], tried_count = 0, from = 0;
    if (placed >= q->least) return true;
    if (placed + (q->count - at) < q->least || over(q)) return false;
    const uint32_t *class_of = s->snapshot->pod_class;
    if (at > 0 && class_of[q->pods[at]] == class_of[q->pods[at - 1]]) from = last_target;
    for (uint32_t t = next_target(s, from); t < NO_ID - 1; t = next_target(s, t + 1)) {
        if (same_as_tried(s, t, tried, tried_count)) continue;
        if (t < s->hosts.count && tried_count < TRIED) tried[tried_count++] = t;
        if (try_target(q, at, placed, t)) return true;
        if (over(q)) return false;
    }
    return search_from(q, at + 1, placed, NO_ID - 1);
}

/* ---- before and after -------------------------------------------------------------------------------------------- */

/* Whether a pod of the class fits anywhere while none of the others is placed. */
static bool fits_alone(searching *q, uint32_t pod_number)
{
    scheduler *s = q->s;
    savepoint p;
    uint32_t one = pod_number;
    if (!savepoint_begin(s, &p)) return false;
    bool fits = loop_place(s, &one, 1) == 0;
    return savepoint_undo(s, &p) && fits;
}

/* Lists the members to place whose class fits alone, class by class. false = too few, or no search is made. */
static bool list_pods(searching *q, const member_group *g)
{
    scheduler *s = q->s;
    const uint32_t *class_of = s->snapshot->pod_class;
    uint32_t *left = arena_array(&s->round.data, g->pod_count + (size_t)1, sizeof *left), count = 0;
    q->pods = arena_array(&s->round.data, g->pod_count + (size_t)1, sizeof *q->pods);
    if (left == NULL || q->pods == NULL) return mem_refused(&s->failed);
    for (uint32_t i = 0; i < g->pod_count; i++) {
        if (exclusion(&s->pods, g->pods[i]) == 0 || placement_get(s, g->pods[i]).where != PLACE_NONE) continue;
        left[count++] = g->pods[i];
    }
    q->gave_up = count > MOST_MEMBERS;
    if (q->gave_up) return false;
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        if (left[i] == NO_ID) continue;
        uint32_t class_number = class_of[left[i]];
        bool fits = fits_alone(q, left[i]);
        for (uint32_t k = i; k < count; k++) {
            if (left[k] == NO_ID || class_of[left[k]] != class_number) continue;
            if (fits) q->pods[q->count++] = left[k];
            left[k] = NO_ID;
        }
    }
    return q->count >= q->least && !s->failed;
}

uint32_t gang_search(scheduler *s, const member_group *g, uint32_t least, gang_result *r)
{
    searching q = { .s = s, .least = least };
    if (s->failed || s->round.stopped) return 0;
    r->gave_up = s->gangs->searched >= MOST_STEPS_OF_ALL;
    if (r->gave_up) return 0;
    if (!list_pods(&q, g)) {
        r->gave_up = q.gave_up;
        return 0;
    }
    s->round.solving = true;
    bool found = search_from(&q, 0, 0, 0);
    s->round.solving = false;
    s->gangs->searched += q.steps;
    r->gave_up = q.gave_up && !found;
    if (!found || s->failed) return 0;
    r->now.searched = true;
    uint32_t left = 0, placed = 0;
    for (uint32_t i = 0; i < q.count; i++) {
        if (placement_get(s, q.pods[i]).where == PLACE_NONE) q.pods[left++] = q.pods[i];
        else placed++;
    }
    return placed + left - loop_place(s, q.pods, left);
}
