/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose pods end: their controller creates pods, and what fails is tried again. */
#ifndef REPLAY_ENGINE_JOBS_H
#define REPLAY_ENGINE_JOBS_H

#include <replay/common.h>

typedef struct replay_job_pod {
    uint32_t pod; /* of the engine */
    bool ended;
} replay_job_pod;

typedef struct replay_job {
    kube_job j;
    const trace_job *spec; /* NULL = it does not exist */
    kube_job_pod *seen; /* pods that its controller has not let go of, as it sees them */
    replay_job_pod *pods; /* the same */
    size_t count, seen_capacity, capacity;
    int64_t looks_at; /* INT64_MAX = never */
    uint64_t next; /* number in the name of the next pod */
} replay_job;

struct replay_jobs {
    replay_job *list; /* as in the trace */
    size_t count;
    int64_t due; /* a pod ends or a controller looks then; INT64_MAX = never */
};

/* Makes those of the trace. Errors are in the engine. */
karp_status jobs_begin(engine *e);
void jobs_free(engine *e);
void jobs_take(engine *e, const trace_event *event); /* an event of kind TRACE_JOB */
/* Ends pods, and their controllers look. false = nothing has changed. */
bool jobs_go_on(engine *e);
/* Whether some Job exists: its state is not saved. */
bool jobs_any(const engine *e);

#endif
