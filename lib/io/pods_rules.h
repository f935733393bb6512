/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of single kinds in the table of pod_kinds.c, which do what the kinds' operators do. */
#ifndef IO_PODS_RULES_H
#define IO_PODS_RULES_H

#include <io/pods_of.h>

/* ---- pods_jobs.c ------------------------------------------------------------------------------------------------- */

/* A Job's numbers with their defaults; completions −1 = not stated: one success is enough. */
typedef struct io_job_counts {
    int64_t parallelism, completions;
} io_job_counts;

io_job_counts io_job_counts_of(const tree *spec);
/* Whether a Job says how long its pods run, in a label or annotation of its template that kwok reads. */
bool io_job_ends(const tree *spec);
#define IO_JOB_COMPLETES "pod-complete.stage.kwok.x-k8s.io"
#define IO_JOB_FAILS "pod-container-running-failed.stage.kwok.x-k8s.io"
/* How many pods a Job has at the same time after so many have succeeded. */
uint64_t io_job_active(io_job_counts counts, uint64_t succeeded);

void io_make_job_set(io_pods *p);
void io_make_train_job(io_pods *p);
void io_make_leader_worker_set(io_pods *p);
void io_make_training_job(io_pods *p);
void io_make_volcano_job(io_pods *p);
void io_make_scaled_job(io_pods *p);
/* Kinds that start others by a schedule. */
void io_make_cron_job(io_pods *p);
void io_make_by_schedule(io_pods *p);

/* ---- pods_groups.c ----------------------------------------------------------------------------------------------- */

/* The pods of the sets from this one on are a group of another scheduler, which their operator makes if the input lacks
 * it; least 0 = all of them start together. */
void io_pods_as_group(io_pods *p, uint32_t source, size_t first, uint64_t least);

/* The pods are groups as KAI makes them, if it schedules them. */
void io_pods_as_kai(io_pods *p);

/* ---- pods_kueue.c ------------------------------------------------------------------------------------------------ */

void io_make_kueue_workload(io_pods *p);
void io_make_provisioning_request(io_pods *p);

/* ---- pods_ray.c -------------------------------------------------------------------------------------------------- */

void io_make_ray_cluster(io_pods *p);
void io_make_ray_job(io_pods *p);
void io_make_ray_service(io_pods *p);

/* ---- pods_spark.c ------------------------------------------------------------------------------------------------ */

void io_make_spark_application(io_pods *p);

/* ---- pods_serving.c ---------------------------------------------------------------------------------------------- */

void io_make_rollout(io_pods *p);
void io_make_knative(io_pods *p);
void io_make_inference_service(io_pods *p);

#endif
