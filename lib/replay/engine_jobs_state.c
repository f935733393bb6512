/* SPDX-License-Identifier: Apache-2.0 */
/* The state of Jobs and CronJobs in the document of a replay that goes on later. */
#include <replay/engine.h>
#include <replay/engine_state.h>
#include <replay/state_rows.h>

static const char what[] = "jobs";

/* Numbers in a list. Times that are none, or never come, are the ends of what a state may have. */
enum { JOB_NUMBERS = 15, POD_NUMBERS = 11, CRON_NUMBERS = 3, MOST_NUMBERS = 15 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static tree *list_of(trees *t, const int64_t *numbers, size_t count)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++) {
        int64_t n = numbers[i] > REPLAY_LATEST ? REPLAY_LATEST : numbers[i];
        tree_append(t, list, tree_new_integer(t, n < -REPLAY_LATEST ? -REPLAY_LATEST : n));
    }
    return list;
}

static tree *numbers_of(trees *t, const replay_job *job)
{
    const kube_job *j = &job->j;
    const int64_t all[JOB_NUMBERS] = { job->looks_at, (int64_t)job->next, job->cron,      j->started,
                                       j->active,     j->ready,           j->terminating, j->succeeded,
                                       j->failed,     j->in_a_row,        j->failed_at,   j->ends,
                                       j->finished,   j->was_suspended,   j->suspends };
    return list_of(t, all, JOB_NUMBERS);
}

static tree *pod_of(trees *t, const kube_job_pod *p, bool ended)
{
    const int64_t all[POD_NUMBERS] = { p->index,   p->phase,       p->ready,    p->terminating, p->verdict, p->failures,
                                       p->created, p->ready_since, p->finished, p->counted,     ended };
    return list_of(t, all, POD_NUMBERS);
}

static tree *job_state(const engine *e, trees *t, const replay_job *job, const uint32_t *pod_row)
{
    tree *one = tree_new(t, TREE_MAP), *pods = tree_new(t, TREE_LIST), *indexes = tree_new(t, TREE_LIST);
    if (!job->spec) return one;
    tree_set(t, one, "spec", tree_new_integer(t, job->base - e->trace->jobs));
    tree_set_text(t, one, "name", job->spec->name);
    tree_set(t, one, "state", numbers_of(t, job));
    for (size_t i = 0; i < job->count; i++) {
        uint32_t number = job->pods[i].pod, row = number == REPLAY_NONE ? REPLAY_NONE : pod_row[number];
        tree *pod = pod_of(t, &job->seen[i], job->pods[i].ended);
        if (row != REPLAY_NONE) tree_append(t, pod, tree_new_integer(t, (int64_t)row));
        tree_append(t, pods, pod);
    }
    for (int32_t i = 0; job->j.indexed && i < job->j.completions; i++)
        tree_append(t, indexes, tree_new_integer(t, job->j.indexes[i]));
    tree_set(t, one, "pods", pods);
    if (job->j.indexed) tree_set(t, one, "indexes", indexes);
    return one;
}

tree *jobs_state(const engine *e, trees *t, const uint32_t *pod_row)
{
    tree *out = tree_new(t, TREE_MAP), *jobs = tree_new(t, TREE_LIST), *crons = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < e->jobs.count; i++) tree_append(t, jobs, job_state(e, t, &e->jobs.list[i], pod_row));
    for (size_t i = 0; i < e->jobs.cron_count; i++) {
        const replay_cron *its = &e->jobs.crons[i];
        const int64_t all[CRON_NUMBERS] = { its->last, its->due, its->waits };
        tree *one = list_of(t, all, CRON_NUMBERS);
        if (its->spec) tree_append(t, one, tree_new_integer(t, its->spec - e->trace->jobs));
        tree_append(t, crons, one);
    }
    tree_set(t, out, "jobs", jobs);
    tree_set(t, out, "cronJobs", crons);
    return out;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void numbers_in(engine *e, const tree *list, size_t count, int64_t out[MOST_NUMBERS])
{
    for (size_t i = 0; i < count; i++) {
        out[i] = state_number(e, tree_item(list, i), what);
        if (out[i] == REPLAY_LATEST) out[i] = INT64_MAX;
        if (out[i] == -REPLAY_LATEST) out[i] = KARP_NO_TIME;
    }
}

static const trace_job *spec_at(engine *e, const tree *value, bool cron)
{
    uint64_t number = state_count(e, value, UINT32_MAX, what);
    if (!e->status && (number >= e->trace->job_count || (e->trace->jobs[number].cron != NULL) != cron))
        state_refuse(e, what);
    return e->status ? NULL : &e->trace->jobs[number];
}

static void resume_pods(engine *e, replay_job *job, const tree *list)
{
    for (size_t i = 0; i < tree_count(list) && !e->status; i++) {
        const tree *row = tree_item(list, i);
        int64_t n[MOST_NUMBERS];
        numbers_in(e, row, POD_NUMBERS, n);
        const kube_job_pod seen = { .index = (int32_t)n[0],
                                    .phase = (uint32_t)n[1],
                                    .ready = n[2] != 0,
                                    .terminating = n[3] != 0,
                                    .verdict = (uint32_t)n[4],
                                    .failures = (int32_t)n[5],
                                    .created = n[6],
                                    .ready_since = n[7],
                                    .finished = n[8],
                                    .counted = n[9] != 0 };
        const tree *number = tree_item(row, POD_NUMBERS);
        bool ended = n[10] != 0;
        uint64_t pod = number ? state_count(e, number, UINT32_MAX, what) : REPLAY_NONE;
        if (e->status) return;
        bool fits = seen.index >= -1 && (!job->j.indexed || seen.index < job->j.completions);
        if (!fits || (number ? pod >= e->pods.count : !ended)) state_refuse(e, what);
        else if (jobs_list_pod(e, job, &seen, (uint32_t)pod, ended) && number) e->pods.list[pod].ends_once = true;
    }
}

/* The indexes of one that is Indexed. */
static void resume_indexes(engine *e, replay_job *job, const tree *list)
{
    size_t count = job->j.indexed ? (size_t)job->j.completions : 0;
    job->j.indexes = arena_zalloc(&e->memory, count + 1);
    if (!job->j.indexes) engine_nomem(e);
    else if (tree_count(list) != count) state_refuse(e, what);
    for (size_t i = 0; i < count && !e->status; i++)
        job->j.indexes[i] = (uint8_t)state_count(e, tree_item(list, i), KUBE_INDEX_FAILED, what);
}

static void resume_numbers(engine *e, replay_job *job, const tree *list)
{
    int64_t n[MOST_NUMBERS];
    kube_job *j = &job->j;
    numbers_in(e, list, JOB_NUMBERS, n);
    job->looks_at = n[0];
    job->next = (uint64_t)n[1];
    job->cron = (uint32_t)n[2];
    j->started = n[3];
    j->active = (int32_t)n[4];
    j->ready = (int32_t)n[5];
    j->terminating = (int32_t)n[6];
    j->succeeded = (int32_t)n[7];
    j->failed = (int32_t)n[8];
    j->in_a_row = (int32_t)n[9];
    j->failed_at = n[10];
    j->ends = (uint32_t)n[11];
    j->finished = n[12] != 0;
    j->was_suspended = n[13] != 0;
    j->suspends = n[14] != 0;
}

static void resume_job(engine *e, size_t number, const tree *state)
{
    bool cron = number >= e->trace->job_kinds;
    replay_job *job = jobs_entry(e, number);
    if (!job || tree_count(state) == 0) return;
    const trace_job *base = spec_at(e, tree_get(state, "spec"), cron);
    trace_job *spec = base ? arena_alloc(&e->memory, sizeof *spec) : NULL;
    if (!base) return;
    if (!spec) {
        engine_nomem(e);
        return;
    }
    *spec = *base;
    if (cron) spec->name = engine_text(e, tree_get_text(state, "name"));
    job->base = base;
    job->spec = cron ? spec : base;
    job->j = base->j;
    resume_numbers(e, job, tree_get(state, "state"));
    if (!e->status && cron && job->cron >= e->jobs.cron_count) state_refuse(e, what);
    resume_indexes(e, job, tree_get(state, "indexes"));
    resume_pods(e, job, tree_get(state, "pods"));
}

static void resume_cron(engine *e, replay_cron *its, const tree *state)
{
    const tree *spec = tree_item(state, CRON_NUMBERS);
    int64_t n[MOST_NUMBERS];
    numbers_in(e, state, CRON_NUMBERS, n);
    its->last = n[0];
    its->due = n[1];
    its->waits = n[2] != 0;
    its->spec = spec ? spec_at(e, spec, true) : NULL;
}

void jobs_resume(engine *e, const tree *state)
{
    const tree *given = tree_get(state, what), *jobs = tree_get(given, "jobs"), *crons = tree_get(given, "cronJobs");
    if (!given) return;
    if (tree_count(jobs) < e->trace->job_kinds || tree_count(crons) != e->jobs.cron_count) state_refuse(e, what);
    for (size_t i = 0; i < tree_count(jobs) && !e->status; i++) resume_job(e, i, tree_item(jobs, i));
    for (size_t i = 0; i < tree_count(crons) && !e->status; i++) resume_cron(e, &e->jobs.crons[i], tree_item(crons, i));
    if (!e->status) jobs_plan(e);
}
