/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/placement.h>

#include <schedule/savepoint.h>
#include <schedule/scheduler.h>

/* Most runs: a fixed number, plus one for every few pods. With more runs, the record by pod is smaller. */
enum { FEW_RUNS = 16, PODS_A_RUN = 4 };

bool placement_begin_round(scheduler *s)
{
    s->placement.runs.count = 0;
    s->placement.in_runs = !s->settings.simulation && s->pods.count == s->snapshot->raw.pods.count;
    return s->placement.in_runs || placement_settle(s);
}

void placement_clear(scheduler *s)
{
    for (uint32_t i = 0; i < s->pods.count && s->placement.places != NULL; i++)
        s->placement.places[s->pods.items[i]] = (place){ 0, PLACE_NONE };
}

bool placement_settle(scheduler *s)
{
    const uint32_t *queue = s->snapshot->queue;
    if (s->placement.places == NULL)
        s->placement.places = arena_array(&s->data, s->snapshot->raw.pods.count + 1, sizeof *s->placement.places);
    if (s->placement.places == NULL) return mem_refused(&s->failed);
    for (size_t i = 0; i < s->placement.runs.count && s->placement.in_runs; i++) {
        const pod_run *r = &s->placement.runs.items[i];
        for (uint32_t k = 0; k < r->count; k++)
            s->placement.places[queue[r->first + k]] = (place){ r->target, PLACE_CLAIM };
    }
    s->placement.in_runs = false;
    return true;
}

/* Records a run, if there may be one more. */
static bool note(scheduler *s, pod_run run)
{
    if (!s->placement.in_runs || s->placement.runs.count >= FEW_RUNS + s->pods.count / PODS_A_RUN) return false;
    pod_run *last = s->placement.runs.count > 0 ? &s->placement.runs.items[s->placement.runs.count - 1] : NULL;
    if (last != NULL && last->target == run.target && last->first + last->count == run.first) {
        last->count += run.count;
        return true;
    }
    pod_run *slot = list_push(s->context, &s->placement.runs, sizeof *slot);
    if (slot == NULL) s->failed = true;
    else *slot = run;
    return true;
}

void placement_put(scheduler *s, uint32_t pod_number, place at)
{
    s->placement.last_where = at.where;
    bool noted = at.where == PLACE_CLAIM && note(s, (pod_run){ s->snapshot->queue_rank[pod_number], 1, at.target });
    if (!noted && !s->failed && (!s->placement.in_runs || placement_settle(s))) s->placement.places[pod_number] = at;
    if (s->saving.depth > 0) savepoint_note_pods(s, &pod_number, 1);
}

void placement_put_run(scheduler *s, const uint32_t *pods, uint32_t first, uint32_t count, uint32_t claim_number)
{
    s->placement.last_where = PLACE_CLAIM;
    if (s->saving.depth > 0) savepoint_note_pods(s, pods, count);
    if (note(s, (pod_run){ first, count, claim_number }) || s->failed || (s->placement.in_runs && !placement_settle(s)))
        return;
    for (uint32_t i = 0; i < count; i++) s->placement.places[pods[i]] = (place){ claim_number, PLACE_CLAIM };
}

place placement_get(scheduler *s, uint32_t pod_number)
{
    return !s->placement.in_runs || placement_settle(s) ? s->placement.places[pod_number] : (place){ 0, PLACE_NONE };
}
