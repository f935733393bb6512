/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/places.h>

/* So many runs, and one for every so many pods: with more of them an array is smaller. */
enum { FEW_RUNS = 16, PODS_A_RUN = 4 };

bool places_begin_round(scheduler *s)
{
    s->runs.count = 0;
    s->in_runs = !s->simulation && s->pod_count == s->snapshot->raw.pods.count;
    return s->in_runs || places_settle(s);
}

void places_clear(scheduler *s)
{
    for (uint32_t i = 0; i < s->pod_count && s->places != NULL; i++) s->places[s->pods[i]] = (place){ 0, PLACE_NONE };
}

bool places_settle(scheduler *s)
{
    const uint32_t *queue = s->snapshot->queue;
    if (s->places == NULL) s->places = arena_array(&s->data, s->snapshot->raw.pods.count + 1, sizeof *s->places);
    if (s->places == NULL) {
        s->failed = true;
        return false;
    }
    for (size_t i = 0; i < s->runs.count && s->in_runs; i++) {
        const pod_run *r = &s->runs.items[i];
        for (uint32_t k = 0; k < r->count; k++) s->places[queue[r->first + k]] = (place){ r->target, PLACE_CLAIM };
    }
    s->in_runs = false;
    return true;
}

/* Notes a run, if there is to be one more. */
static bool note(scheduler *s, pod_run run)
{
    if (!s->in_runs || s->runs.count >= FEW_RUNS + s->pod_count / PODS_A_RUN) return false;
    pod_run *last = s->runs.count > 0 ? &s->runs.items[s->runs.count - 1] : NULL;
    if (last != NULL && last->target == run.target && last->first + last->count == run.first) {
        last->count += run.count;
        return true;
    }
    pod_run *slot = list_push(s->context, &s->runs, sizeof *slot);
    if (slot == NULL) s->failed = true;
    else *slot = run;
    return true;
}

void places_put(scheduler *s, uint32_t pod_number, place at)
{
    s->went = at.where;
    bool noted = at.where == PLACE_CLAIM && note(s, (pod_run){ s->snapshot->queue_rank[pod_number], 1, at.target });
    if (!noted && !s->failed && (!s->in_runs || places_settle(s))) s->places[pod_number] = at;
}

void places_put_run(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t claim_number)
{
    s->went = PLACE_CLAIM;
    if (note(s, (pod_run){ first, count, claim_number }) || s->failed || (s->in_runs && !places_settle(s))) return;
    for (uint32_t i = 0; i < count; i++) s->places[pods[i]] = (place){ claim_number, PLACE_CLAIM };
}

place places_get(scheduler *s, uint32_t pod_number)
{
    return !s->in_runs || places_settle(s) ? s->places[pod_number] : (place){ 0, PLACE_NONE };
}
