/* SPDX-License-Identifier: Apache-2.0 */
/* A Job: which pods are created and deleted, what counts as a failure, and when it ends. One look of its controller. */
#pragma once

#include <karp/objects.h>
#include <stdbool.h>

/* What podFailurePolicy says of a pod that failed. */
enum { KUBE_POD_COUNTS, KUBE_POD_IGNORED, KUBE_POD_FAILS_JOB, KUBE_POD_FAILS_INDEX };

/* A rule: one of both patterns. */
typedef struct kube_failure_rule {
    uint32_t action; /* KUBE_POD_* */
    const int32_t *exit_codes;
    size_t exit_code_count;
    bool other_codes; /* operator NotIn */
    const karp_str *conditions; /* that are True */
    size_t condition_count;
} kube_failure_rule;

/* successPolicy: of these indexes so many. */
typedef struct kube_success_rule {
    const int32_t *ranges; /* pairs of the first and the last index; NULL = all */
    size_t range_count;
    int32_t count; /* 0 = all of them */
} kube_success_rule;

typedef struct kube_job_pod {
    int32_t index; /* -1 = the Job is not Indexed */
    uint32_t phase; /* KARP_PHASE_* */
    bool ready, terminating;
    uint32_t verdict; /* KUBE_POD_*, of a failed one */
    int32_t failures; /* of its index before it */
    int64_t created, ready_since, finished; /* finished: or began to terminate */
    bool counted; /* the controller has counted it, and lets go of it */
    bool deleted; /* not read: it is deleted in this look */
} kube_job_pod;

/* Why a Job ends. */
enum {
    KUBE_JOB_RUNS,
    KUBE_JOB_COMPLETE,
    KUBE_JOB_SUCCEEDS, /* by its successPolicy */
    KUBE_JOB_POLICY, /* the first of the failures: podFailurePolicy */
    KUBE_JOB_BACKOFF,
    KUBE_JOB_DEADLINE,
    KUBE_JOB_MANY_INDEXES, /* maxFailedIndexes */
    KUBE_JOB_INDEXES /* all are done, and some failed */
};

enum { KUBE_INDEX_OPEN, KUBE_INDEX_DONE, KUBE_INDEX_FAILED };

typedef struct kube_job {
    int32_t parallelism, completions; /* completions -1 = any one */
    int32_t backoff_limit, index_backoff, failed_indexes; /* the last two: -1 = not stated */
    int64_t deadline; /* activeDeadlineSeconds; -1 = not stated */
    bool indexed, suspended;
    bool replaces_failed; /* podReplacementPolicy Failed, as with a podFailurePolicy */
    const kube_success_rule *successes;
    size_t success_count;

    uint8_t *indexes; /* KUBE_INDEX_*, as many as completions, if it is Indexed */
    int64_t started; /* KARP_NO_TIME = not yet */
    int32_t active, ready, terminating, succeeded, failed;
    int32_t in_a_row; /* failures since the last success */
    int64_t failed_at; /* the last of them */
    uint32_t ends; /* KUBE_JOB_* */
    bool finished; /* no pod is left that terminates */
    bool was_suspended, suspends; /* suspends: it has been suspended at some time */
} kube_job;

/* Creates a pod of the index, which has failed so often. The pods of the look stay where they are. */
typedef void kube_job_create(void *user, int32_t index, int32_t failures);

/* What the rules say of a failed pod. */
uint32_t kube_judge_failure(const kube_failure_rule *rules, size_t count, int32_t exit_code, const karp_str *conditions,
                            size_t condition_count);
/* `again`: when it wants to look again even if nothing happens; KARP_NO_TIME = never. false = out of memory. */
bool kube_job_look(karp_context *context, kube_job *j, kube_job_pod *pods, size_t count, int64_t now,
                   kube_job_create *create, void *user, int64_t *again);
