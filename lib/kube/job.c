/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/job.h>

#include <base/sort.h>

#define SECOND INT64_C(1000000000)

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static bool is_active(const kube_job_pod *p)
{
    return !p->terminating && p->phase != KARP_PHASE_SUCCEEDED && p->phase != KARP_PHASE_FAILED;
}

static bool has_failed(const kube_job *j, const kube_job_pod *p)
{
    if (p->phase == KARP_PHASE_FAILED) return true;
    return !j->replaces_failed && p->terminating && p->phase != KARP_PHASE_SUCCEEDED;
}

static bool is_known(const kube_job *j, const kube_job_pod *p)
{
    return !j->indexed || (p->index >= 0 && p->index < j->completions);
}

static bool is_new(const kube_job *j, const kube_job_pod *p) { return !p->counted && is_known(j, p); }

uint32_t kube_judge_failure(const kube_failure_rule *rules, size_t count, int32_t exit_code, const karp_str *conditions,
                            size_t condition_count)
{
    for (size_t i = 0; i < count; i++) {
        const kube_failure_rule *r = &rules[i];
        bool listed = false;
        for (size_t k = 0; k < r->exit_code_count; k++) listed = listed || r->exit_codes[k] == exit_code;
        if (r->exit_code_count && exit_code != 0 && listed != r->other_codes) return r->action;
        for (size_t k = 0; k < r->condition_count * condition_count; k++) {
            if (equal_str(r->conditions[k / condition_count], conditions[k % condition_count])) return r->action;
        }
    }
    return KUBE_POD_COUNTS;
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* 10 s, twice as long after each failure, 10 minutes at most. */
static int64_t backoff_ends(int32_t failures, int64_t last)
{
    const int64_t most = 600 * SECOND;
    int64_t waits = 10 * SECOND;
    if (failures <= 0) return KARP_NO_TIME;
    for (int32_t i = 1; i < failures && waits < most; i++) waits *= 2;
    return last + (waits < most ? waits : most);
}

/* What the pods that have ended since the last look add to the failures in a row. */
static void note_ended(kube_job *j, const kube_job_pod *pods, size_t count)
{
    int64_t success = KARP_NO_TIME, failure = KARP_NO_TIME;
    int32_t failures = 0;
    for (size_t i = 0; i < count; i++) {
        const kube_job_pod *p = &pods[i];
        if (is_new(j, p) && p->phase == KARP_PHASE_SUCCEEDED && (success == KARP_NO_TIME || p->finished > success))
            success = p->finished;
    }
    for (size_t i = 0; i < count; i++) {
        const kube_job_pod *p = &pods[i];
        if (!is_new(j, p) || !has_failed(j, p) || (success != KARP_NO_TIME && p->finished <= success)) continue;
        if (failures++ == 0 || p->finished > failure) failure = p->finished;
    }
    if (success != KARP_NO_TIME) j->in_a_row = 0;
    j->in_a_row += failures;
    if (failures) j->failed_at = failure;
}

/* ---- indexes ----------------------------------------------------------------------------------------------------- */

static void settle_indexes(const kube_job *j, const kube_job_pod *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const kube_job_pod *p = &pods[i];
        if (!is_new(j, p)) continue;
        bool out = has_failed(j, p) && j->index_backoff >= 0 &&
                   (p->verdict == KUBE_POD_FAILS_INDEX || p->failures >= j->index_backoff);
        if (p->phase == KARP_PHASE_SUCCEEDED) j->indexes[p->index] = KUBE_INDEX_DONE;
        else if (out && j->indexes[p->index] == KUBE_INDEX_OPEN) j->indexes[p->index] = KUBE_INDEX_FAILED;
    }
}

static int32_t count_indexes(const kube_job *j, uint8_t state)
{
    int32_t n = 0;
    for (int32_t i = 0; j->indexed && i < j->completions; i++) n += j->indexes[i] == state;
    return n;
}

/* The failed pod that the next one of the index takes over from: it is counted when that one exists. */
static const kube_job_pod *last_failed(const kube_job *j, const kube_job_pod *pods, size_t count, int32_t index)
{
    const kube_job_pod *last = NULL;
    if (j->index_backoff < 0 || j->indexes[index] != KUBE_INDEX_OPEN) return NULL;
    for (size_t i = 0; i < count; i++) {
        const kube_job_pod *p = &pods[i];
        if (p->index == index && !p->counted && (!last || p->failures > last->failures)) last = p;
    }
    return last && has_failed(j, last) ? last : NULL;
}

static bool has_pod(const kube_job *j, const kube_job_pod *pods, size_t count, int32_t index)
{
    for (size_t i = 0; i < count; i++) {
        const kube_job_pod *p = &pods[i];
        if (p->index == index && !p->deleted && (is_active(p) || (j->replaces_failed && p->terminating))) return true;
    }
    return false;
}

static bool rule_is_met(const kube_job *j, const kube_success_rule *r)
{
    int32_t wanted = 0, done = 0;
    for (int32_t i = 0; i < j->completions; i++) {
        bool counts = r->ranges == NULL;
        for (size_t k = 0; k < r->range_count; k++)
            counts = counts || (i >= r->ranges[2 * k] && i <= r->ranges[2 * k + 1]);
        wanted += counts;
        done += counts && j->indexes[i] == KUBE_INDEX_DONE;
    }
    return done >= (r->count > 0 ? r->count : wanted) && done > 0;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static uint32_t fails_by_pods(const kube_job *j, const kube_job_pod *pods, size_t count)
{
    int64_t failed = j->failed;
    for (size_t i = 0; i < count; i++) {
        const kube_job_pod *p = &pods[i];
        if (!is_new(j, p) || !has_failed(j, p)) continue;
        if (p->phase == KARP_PHASE_FAILED && p->verdict == KUBE_POD_FAILS_JOB) return KUBE_JOB_POLICY;
        failed += p->phase != KARP_PHASE_FAILED || p->verdict != KUBE_POD_IGNORED;
    }
    return j->index_backoff < 0 && failed > j->backoff_limit ? KUBE_JOB_BACKOFF : KUBE_JOB_RUNS;
}

static uint32_t fails_by_time(const kube_job *j, int64_t now, int64_t *again)
{
    if (j->deadline < 0 || j->suspended || j->started == KARP_NO_TIME) return KUBE_JOB_RUNS;
    int64_t ends = j->started + j->deadline;
    if (now >= ends) return KUBE_JOB_DEADLINE;
    *again = ends;
    return KUBE_JOB_RUNS;
}

static uint32_t ends_by_indexes(const kube_job *j)
{
    int32_t failed = count_indexes(j, KUBE_INDEX_FAILED), done = count_indexes(j, KUBE_INDEX_DONE);
    if (j->failed_indexes >= 0 && failed > j->failed_indexes) return KUBE_JOB_MANY_INDEXES;
    if (failed > 0 && failed + done >= j->completions) return KUBE_JOB_INDEXES;
    for (size_t i = 0; i < j->success_count; i++) {
        if (rule_is_met(j, &j->successes[i])) return KUBE_JOB_SUCCEEDS;
    }
    return KUBE_JOB_RUNS;
}

static void delete_pod(kube_job *j, kube_job_pod *p)
{
    p->deleted = true;
    j->active--;
    j->terminating++;
    j->ready -= p->ready;
}

static void end_all(kube_job *j, kube_job_pod *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_active(&pods[i])) delete_pod(j, &pods[i]);
    }
}

/* ---- surplus pods ------------------------------------------------------------------------------------------------ */

static int by_surplus(uint32_t a, uint32_t b, const void *user)
{
    const kube_job_pod *list = user, *x = &list[a], *y = &list[b];
    bool waits = x->phase == KARP_PHASE_PENDING, other = y->phase == KARP_PHASE_PENDING;
    if (waits != other) return waits ? -1 : 1;
    if (x->ready != y->ready) return x->ready ? 1 : -1;
    if (x->ready && x->ready_since != y->ready_since) return x->ready_since > y->ready_since ? -1 : 1;
    if (x->created != y->created) return x->created > y->created ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Deletes so many active pods, which then do not count as failed: those beyond the completions and second ones of an
 * index, then those that have run for the shortest time. */
static bool delete_surplus(karp_context *context, kube_job *j, kube_job_pod *pods, size_t count, int32_t surplus)
{
    uint32_t *order = mem_alloc(context, (count + 1) * sizeof *order);
    size_t n = 0, first = 0;
    for (size_t i = 0; order && i < count; i++) {
        bool twice = false;
        if (!is_active(&pods[i])) continue;
        for (size_t k = 0; j->indexed && k < i; k++)
            twice = twice || (is_active(&pods[k]) && pods[k].index == pods[i].index);
        order[n++] = (uint32_t)i;
        if (!twice && is_known(j, &pods[i])) continue;
        order[n - 1] = order[first];
        order[first++] = (uint32_t)i;
    }
    bool fine = order && sort_ids(context, order + first, n - first, by_surplus, pods);
    for (size_t i = 0; fine && i < n && (i < first || surplus > 0); i++, surplus--) {
        delete_pod(j, &pods[order[i]]);
        pods[order[i]].counted = true;
    }
    mem_free(context, order, (count + 1) * sizeof *order);
    return fine;
}

/* ---- new pods ---------------------------------------------------------------------------------------------------- */

static void sooner(int64_t *again, int64_t at)
{
    if (*again == KARP_NO_TIME || at < *again) *again = at;
}

static void create_indexes(kube_job *j, const kube_job_pod *pods, size_t count, int64_t now, int32_t most,
                           kube_job_create *create, void *user, int64_t *again)
{
    int32_t listed = 0;
    for (int32_t i = 0; i < j->completions && listed < most; i++) {
        if (j->indexes[i] != KUBE_INDEX_OPEN || has_pod(j, pods, count, i)) continue;
        const kube_job_pod *before = last_failed(j, pods, count, i);
        int64_t until = before ? backoff_ends(before->failures + 1, before->finished) : KARP_NO_TIME;
        listed++;
        if (until != KARP_NO_TIME && until > now) {
            sooner(again, until);
            continue;
        }
        create(user, i, before ? before->failures + 1 : 0);
        j->active++;
    }
}

static void create_pods(kube_job *j, const kube_job_pod *pods, size_t count, int64_t now, int32_t most,
                        kube_job_create *create, void *user, int64_t *again)
{
    int64_t until = j->index_backoff < 0 ? backoff_ends(j->in_a_row, j->failed_at) : KARP_NO_TIME;
    if (until != KARP_NO_TIME && until > now) {
        sooner(again, until);
        return;
    }
    if (j->indexed) {
        create_indexes(j, pods, count, now, most, create, user, again);
        return;
    }
    for (int32_t i = 0; i < most; i++) create(user, -1, 0);
    j->active += most;
}

static int32_t wanted(const kube_job *j)
{
    if (j->suspended) return 0;
    if (j->completions < 0) return j->succeeded > 0 ? j->active : j->parallelism;
    int32_t lacks = j->completions - j->succeeded;
    return lacks < 0 ? 0 : lacks < j->parallelism ? lacks : j->parallelism;
}

static bool manage(karp_context *context, kube_job *j, kube_job_pod *pods, size_t count, int64_t now,
                   kube_job_create *create, void *user, int64_t *again)
{
    int32_t wants = wanted(j), active = j->active;
    if (!delete_surplus(context, j, pods, count, active > wants ? active - wants : 0)) return false;
    if (j->active < active || j->suspended) return true;
    int32_t lacks = wants - active - (j->replaces_failed ? j->terminating : 0);
    if (lacks > 0) create_pods(j, pods, count, now, lacks, create, user, again);
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void count_pods(kube_job *j, const kube_job_pod *pods, size_t count)
{
    int32_t done = 0;
    j->active = j->ready = j->terminating = 0;
    for (size_t i = 0; i < count; i++) {
        const kube_job_pod *p = &pods[i];
        bool ended = p->phase == KARP_PHASE_SUCCEEDED || p->phase == KARP_PHASE_FAILED;
        j->active += is_active(p);
        j->ready += is_active(p) && p->ready;
        j->terminating += p->terminating && !ended;
        done += is_new(j, p) && p->phase == KARP_PHASE_SUCCEEDED;
    }
    if (j->indexed) j->succeeded = count_indexes(j, KUBE_INDEX_DONE);
    else j->succeeded += done;
}

/* Lets go of pods: those that have ended, and all when the Job ends. A failed pod of an index stays until another one
 * takes over from it. */
static void let_go(kube_job *j, kube_job_pod *pods, size_t count)
{
    bool ends = j->ends != KUBE_JOB_RUNS;
    for (size_t i = 0; i < count; i++) {
        kube_job_pod *p = &pods[i];
        bool failed = has_failed(j, p), done = p->phase == KARP_PHASE_SUCCEEDED;
        if (!is_new(j, p) || (!done && !failed && !ends)) continue;
        if (!ends && j->indexed && failed && last_failed(j, pods, count, p->index) == p) continue;
        bool ignored = p->phase == KARP_PHASE_FAILED && p->verdict == KUBE_POD_IGNORED;
        j->failed += !done && !ignored;
        p->counted = true;
    }
}

/* A Job that goes on starts its time anew. */
static void note_suspension(kube_job *j, int64_t now)
{
    if (j->was_suspended && !j->suspended) j->started = now;
    j->suspends = j->suspends || j->suspended;
    j->was_suspended = j->suspended;
}

bool kube_job_look(karp_context *context, kube_job *j, kube_job_pod *pods, size_t count, int64_t now,
                   kube_job_create *create, void *user, int64_t *again)
{
    bool fine = true;
    *again = KARP_NO_TIME;
    if (j->finished) return true;
    for (size_t i = 0; i < count; i++) pods[i].deleted = false;
    if (j->started == KARP_NO_TIME && !j->suspended) j->started = now;
    note_ended(j, pods, count);
    if (j->indexed) settle_indexes(j, pods, count);
    count_pods(j, pods, count);
    if (!j->ends) j->ends = fails_by_pods(j, pods, count);
    if (!j->ends) j->ends = fails_by_time(j, now, again);
    if (!j->ends && j->indexed) j->ends = ends_by_indexes(j);
    if (j->ends) {
        end_all(j, pods, count);
    } else {
        fine = manage(context, j, pods, count, now, create, user, again);
        bool enough = j->completions < 0 ? j->succeeded > 0 : j->succeeded >= j->completions;
        if (enough && j->active == 0) j->ends = KUBE_JOB_COMPLETE;
        else note_suspension(j, now);
    }
    let_go(j, pods, count);
    j->finished = j->ends && j->terminating == 0;
    return fine;
}
