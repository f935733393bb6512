/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose pods end: their controller creates pods, and what fails is tried again. CronJobs of such Jobs. */
#pragma once

#include <replay/common.h>

typedef struct replay_job_pod {
    uint32_t pod; /* of the engine */
    bool ended;
} replay_job_pod;

typedef struct replay_job {
    kube_job j;
    const trace_job *spec; /* NULL = it does not exist */
    const trace_job *base; /* of the trace: the spec, or that of the CronJob which started it */
    kube_job_pod *seen; /* pods that its controller has not let go of, as it sees them */
    replay_job_pod *pods; /* the same */
    size_t count, seen_capacity, capacity;
    int64_t looks_at; /* INT64_MAX = never */
    uint64_t next; /* number in the name of the next pod */
    uint32_t cron; /* the CronJob that started it; IO_NONE = none */
} replay_job;

typedef struct replay_cron {
    const trace_job *spec; /* NULL = it does not exist */
    int64_t last; /* the time of the schedule that was served last */
    int64_t due; /* the next one; INT64_MAX = none */
    bool waits; /* for its Job to end: it forbids a second one */
} replay_cron;

struct replay_jobs {
    replay_job *list; /* as in the trace, and then those of CronJobs */
    size_t count, capacity;
    replay_cron *crons; /* as in the trace */
    size_t cron_count;
    int64_t due; /* a pod ends or a controller looks then; INT64_MAX = never */
};

/* Makes those of the trace. Errors are in the engine. */
karp_status jobs_begin(engine *e);
void jobs_free(engine *e);
void jobs_take(engine *e, const trace_event *event); /* an event of kind TRACE_JOB */
/* Ends pods, and their controllers look. false = nothing has changed. */
bool jobs_go_on(engine *e);
/* Their state as a document; `pod_row`: the numbers of pods in it. jobs_resume() reads it again. */
tree *jobs_state(const engine *e, trees *t, const uint32_t *pod_row);
void jobs_resume(engine *e, const tree *state);
/* The entry of that number, which is made if it is the next one; NULL = a failure. */
replay_job *jobs_entry(engine *e, size_t number);
/* Adds a pod as its controller sees it. false = a failure. */
bool jobs_list_pod(engine *e, replay_job *job, const kube_job_pod *seen, uint32_t pod, bool ended);
void jobs_plan(engine *e); /* when something happens next */
