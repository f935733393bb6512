/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>

#include <replay/schedule.h>

enum { STOPPED = 143 }; /* the exit code of a container that is told to stop */

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* Another entry of the list; NULL = out of memory. */
static replay_job *new_entry(engine *e, uint32_t number)
{
    struct replay_jobs *jobs = &e->jobs;
    if (!grow(e->context, (void **)&jobs->list, &jobs->capacity, jobs->count + 1, sizeof *jobs->list)) {
        engine_nomem(e);
        return NULL;
    }
    jobs->list[jobs->count] = (replay_job){ .looks_at = INT64_MAX, .cron = number };
    return &jobs->list[jobs->count++];
}

karp_status jobs_begin(engine *e)
{
    e->jobs.due = INT64_MAX;
    e->jobs.cron_count = e->trace->cron_kinds;
    e->jobs.crons = arena_zalloc(&e->memory, (e->jobs.cron_count + 1) * sizeof *e->jobs.crons);
    if (!e->jobs.crons) return fail_nomem(&e->error);
    for (size_t i = 0; i < e->jobs.cron_count; i++) e->jobs.crons[i].due = INT64_MAX;
    for (uint32_t i = 0; i < e->trace->job_kinds; i++) {
        if (!new_entry(e, IO_NONE)) return e->status;
    }
    return KARP_OK;
}

void jobs_free(engine *e)
{
    for (size_t i = 0; i < e->jobs.count; i++) {
        replay_job *job = &e->jobs.list[i];
        mem_free(e->context, job->seen, job->seen_capacity * sizeof *job->seen);
        mem_free(e->context, job->pods, job->capacity * sizeof *job->pods);
    }
    mem_free(e->context, e->jobs.list, e->jobs.capacity * sizeof *e->jobs.list);
}

replay_job *jobs_entry(engine *e, size_t number)
{
    return number < e->jobs.count ? &e->jobs.list[number] : new_entry(e, IO_NONE);
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static void remove_pod(engine *e, uint32_t pod)
{
    if (pod == REPLAY_NONE) return; /* it ended before the replay went on */
    const replay_pod *p = &e->pods.list[pod];
    trace_event event = { .at = e->now, .kind = TRACE_POD_DELETED, .shape = p->shape, .of.pod.name = p->name };
    if (p->state != POD_GONE) pod_delete(e, &event);
}

static void look_at(replay_job *job, int64_t at)
{
    if (at < job->looks_at) job->looks_at = at;
}

/* The controller learns of pods, and gathers what happens to them for a second. */
static void note_end(const engine *e, replay_job *job, size_t i, uint32_t phase, uint32_t verdict)
{
    kube_job_pod *seen = &job->seen[i];
    job->pods[i].ended = true;
    seen->phase = phase;
    seen->verdict = verdict;
    seen->ready = false;
    seen->finished = e->now;
    look_at(job, e->now + SECOND);
}

/* kwok's stages may take a random time. */
static int64_t ends_at(const engine *e, const trace_job *spec, uint32_t pod)
{
    int64_t more = spec->lasts_most > spec->lasts ? spec->lasts_most - spec->lasts : 0;
    if (more) more = (int64_t)(engine_random(e, pod, 77) % (uint64_t)more);
    if (e->nodes.list[e->pods.list[pod].node].silent) return INT64_MAX; /* nobody hears of it */
    return e->pods.list[pod].started + spec->lasts + more;
}

/* What has become of one of its pods. A pod that was evicted has failed. */
static bool follow_pod(engine *e, replay_job *job, size_t i)
{
    static const karp_str disrupted = { "DisruptionTarget", 16 };
    const trace_job *spec = job->spec;
    uint32_t pod = job->pods[i].pod;
    if (job->pods[i].ended) return false;
    const replay_pod *p = &e->pods.list[pod];
    if (p->state == POD_GONE) {
        note_end(e, job, i, KARP_PHASE_FAILED,
                 kube_judge_failure(spec->rules, spec->rule_count, STOPPED, &disrupted, 1));
        return true;
    }
    bool runs = p->state == POD_RUNNING;
    job->seen[i].phase = runs ? KARP_PHASE_RUNNING : KARP_PHASE_PENDING;
    job->seen[i].ready = runs;
    job->seen[i].ready_since = p->started;
    if (!runs || ends_at(e, spec, pod) > e->now) return false;
    uint32_t verdict = kube_judge_failure(spec->rules, spec->rule_count, spec->exit_code, NULL, 0);
    note_end(e, job, i, spec->exit_code ? KARP_PHASE_FAILED : KARP_PHASE_SUCCEEDED, verdict);
    pod_end(e, pod);
    return true;
}

/* Pods that its controller has counted, or deleted, are nothing to it any more. */
static void let_go(replay_job *job)
{
    size_t kept = 0;
    for (size_t i = 0; i < job->count; i++) {
        if (job->seen[i].counted && job->pods[i].ended) continue;
        job->seen[kept] = job->seen[i];
        job->pods[kept++] = job->pods[i];
    }
    job->count = kept;
}

/* ---- a look ------------------------------------------------------------------------------------------------------ */

typedef struct looking {
    engine *e;
    const trace_job *spec;
    kube_job_pod *made;
    size_t count, capacity;
} looking;

static void note_creation(void *user, int32_t index, int32_t failures)
{
    looking *l = user;
    engine *e = l->e;
    if (!grow(e->context, (void **)&l->made, &l->capacity, l->count + 1, sizeof *l->made)) {
        engine_nomem(e);
        return;
    }
    l->made[l->count++] = (kube_job_pod){
        .index = index, .phase = KARP_PHASE_PENDING, .failures = failures, .created = e->now
    };
}

bool jobs_list_pod(engine *e, replay_job *job, const kube_job_pod *seen, uint32_t pod, bool ended)
{
    if (!grow(e->context, (void **)&job->seen, &job->seen_capacity, job->count + 1, sizeof *job->seen) ||
        !grow(e->context, (void **)&job->pods, &job->capacity, job->count + 1, sizeof *job->pods)) {
        engine_nomem(e);
        return false;
    }
    job->seen[job->count] = *seen;
    job->pods[job->count++] = (replay_job_pod){ .pod = pod, .ended = ended };
    return true;
}

static void add_pod(engine *e, replay_job *job, const kube_job_pod *made)
{
    const trace_job *spec = job->spec;
    replicas_add(e, spec->shape, 0, spec->name, &job->next);
    if (e->status) return;
    e->pods.list[e->pods.count - 1].ends_once = true;
    (void)jobs_list_pod(e, job, made, (uint32_t)e->pods.count - 1, false);
}

static bool look(engine *e, replay_job *job)
{
    looking l = { .e = e, .spec = job->spec };
    int64_t again = KARP_NO_TIME;
    bool changed = false;
    job->looks_at = INT64_MAX;
    if (!kube_job_look(e->context, &job->j, job->seen, job->count, e->now, note_creation, &l, &again)) engine_nomem(e);
    if (again != KARP_NO_TIME) look_at(job, again > e->now ? again : e->now + SECOND);
    for (size_t i = 0; i < job->count && !e->status; i++) {
        if (!job->seen[i].deleted) continue;
        job->seen[i].counted = job->pods[i].ended = changed = true;
        remove_pod(e, job->pods[i].pod);
        look_at(job, e->now + SECOND);
    }
    let_go(job);
    for (size_t i = 0; i < l.count && !e->status; i++) add_pod(e, job, &l.made[i]);
    changed = changed || l.count > 0;
    mem_free(e->context, l.made, l.capacity * sizeof *l.made);
    return changed;
}

/* ---- a Job ------------------------------------------------------------------------------------------------------- */

static void begin(engine *e, replay_job *job, const trace_job *spec)
{
    kube_job was = job->j;
    bool is_new = job->spec == NULL;
    job->j = spec->j;
    job->spec = job->base = spec;
    look_at(job, e->now);
    if (is_new) {
        job->j.indexes = arena_zalloc(&e->memory, spec->j.indexed ? (size_t)spec->j.completions + 1 : 1);
        if (!job->j.indexes) engine_nomem(e);
        return;
    }
    job->j = was;
    job->j.parallelism = spec->j.parallelism;
    job->j.suspended = spec->j.suspended;
    job->j.deadline = spec->j.deadline;
    job->j.backoff_limit = spec->j.backoff_limit;
}

static void end_job(engine *e, replay_job *job)
{
    for (size_t i = 0; i < job->count && !e->status; i++) remove_pod(e, job->pods[i].pod);
    job->count = 0;
    job->spec = NULL;
    job->looks_at = INT64_MAX;
}

/* ---- CronJobs ---------------------------------------------------------------------------------------------------- */

/* One of the CronJob that has not ended; NULL = there is none. */
static replay_job *active_of(const engine *e, size_t number)
{
    for (size_t i = 0; i < e->jobs.count; i++) {
        replay_job *job = &e->jobs.list[i];
        if (job->cron == number && job->spec && !job->j.finished) return job;
    }
    return NULL;
}

/* An entry for a Job of the CronJob: one whose Job is gone, or another. */
static replay_job *entry_for(engine *e, uint32_t number)
{
    for (size_t i = e->trace->job_kinds; i < e->jobs.count; i++) {
        replay_job *job = &e->jobs.list[i];
        if (job->spec && !(job->j.finished && job->count == 0)) continue;
        job->spec = NULL;
        job->j = (kube_job){ 0 };
        job->cron = number;
        return job;
    }
    return new_entry(e, number);
}

/* A Job with the time of the schedule in its name, in minutes. */
static void start_job(engine *e, uint32_t number, int64_t due)
{
    trace_job *spec = arena_alloc(&e->memory, sizeof *spec);
    replay_job *job = spec ? entry_for(e, number) : NULL;
    strbuf name = strbuf_on(e->context);
    if (job) {
        *spec = *e->jobs.crons[number].spec;
        strbuf_addstr(&name, spec->name);
        strbuf_addc(&name, '-');
        strbuf_addu(&name, (uint64_t)(due / (60 * SECOND)));
        spec->name = name.failed ? (karp_str){ 0 }
                                 : (karp_str){ arena_string(&e->memory, name.ptr, name.len), name.len };
    }
    if (!job || !spec->name.ptr) engine_nomem(e);
    else begin(e, job, spec);
    if (!e->status) job->base = e->jobs.crons[number].spec;
    strbuf_free(&name);
}

/* Its controller looks. Of the times that were missed only the last one counts. */
static bool look_by_schedule(engine *e, uint32_t number)
{
    replay_cron *its = &e->jobs.crons[number];
    const trace_cron *spec = its->spec->cron;
    int64_t after = spec->deadline && e->now - spec->deadline > its->last ? e->now - spec->deadline : its->last;
    int64_t due = spec->suspended ? KARP_NO_TIME : schedule_last(e->context, spec->when, after, e->now);
    its->due = spec->suspended ? INT64_MAX : schedule_next(e->context, spec->when, e->now);
    its->waits = due != KARP_NO_TIME && spec->forbids && active_of(e, number);
    if (due == KARP_NO_TIME || its->waits) return false;
    for (replay_job *job; spec->replaces && (job = active_of(e, number));) end_job(e, job);
    its->last = due;
    start_job(e, number, due);
    return true;
}

static bool crons_go_on(engine *e)
{
    bool changed = false;
    for (uint32_t i = 0; i < e->jobs.cron_count && !e->status; i++) {
        const replay_cron *its = &e->jobs.crons[i];
        if (its->spec && (its->due <= e->now || (its->waits && !active_of(e, i))))
            changed = look_by_schedule(e, i) || changed;
        if (its->due < e->jobs.due) e->jobs.due = its->due;
    }
    return changed;
}

/* With the CronJob its Jobs go. One that is there from the start is older. */
static void take_cron(engine *e, const trace_job *spec, bool deleted)
{
    replay_cron *its = &e->jobs.crons[spec->job];
    if (!its->spec)
        its->last = spec->cron->last != KARP_NO_TIME ? spec->cron->last : e->now - (e->now == e->trace->begins);
    its->spec = deleted ? NULL : spec;
    its->due = deleted ? INT64_MAX : e->now;
    for (replay_job *job; deleted && (job = active_of(e, spec->job));) end_job(e, job);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

void jobs_take(engine *e, const trace_event *event)
{
    const trace_job *spec = &e->trace->jobs[event->of.job.spec];
    e->jobs.due = e->now;
    if (spec->cron) take_cron(e, spec, event->of.job.deleted);
    else if (event->of.job.deleted) end_job(e, &e->jobs.list[spec->job]);
    else begin(e, &e->jobs.list[spec->job], spec);
}

static int64_t next_of(const engine *e, const replay_job *job)
{
    int64_t next = job->looks_at;
    for (size_t i = 0; i < job->count; i++) {
        uint32_t pod = job->pods[i].pod;
        if (job->pods[i].ended || e->pods.list[pod].state != POD_RUNNING) continue;
        int64_t ends = ends_at(e, job->spec, pod);
        if (ends < next) next = ends;
    }
    return next;
}

void jobs_plan(engine *e)
{
    e->jobs.due = INT64_MAX;
    for (size_t k = 0; k < e->jobs.count; k++) {
        int64_t next = e->jobs.list[k].spec ? next_of(e, &e->jobs.list[k]) : INT64_MAX;
        if (next < e->jobs.due) e->jobs.due = next;
    }
    for (size_t i = 0; i < e->jobs.cron_count; i++) {
        if (e->jobs.crons[i].due < e->jobs.due) e->jobs.due = e->jobs.crons[i].due;
    }
}

bool jobs_go_on(engine *e)
{
    bool changed = false;
    e->jobs.due = INT64_MAX;
    for (size_t k = 0; k < e->jobs.count && !e->status; k++) {
        replay_job *job = &e->jobs.list[k];
        if (!job->spec) continue;
        for (size_t i = 0; i < job->count && !e->status; i++) changed = follow_pod(e, job, i) || changed;
        if (job->looks_at <= e->now) changed = look(e, job) || changed;
        int64_t next = next_of(e, job);
        if (next < e->jobs.due) e->jobs.due = next;
    }
    changed = crons_go_on(e) || changed;
    return changed && !e->status;
}
