/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of single kinds in the table of pod_kinds.c, which do what the kinds' operators do. */
#pragma once

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
/* The same under another name than that of the object. */
void io_pods_as_named_group(io_pods *p, uint32_t source, karp_str name, size_t first, uint64_t least);

/* The pods are groups as KAI makes them, if it schedules them. */
void io_pods_as_kai(io_pods *p);

/* ---- pods_kueue.c ------------------------------------------------------------------------------------------------ */

void io_make_kueue_workload(io_pods *p);
/* The local queue of Kueue that an object is in; "" = none. */
karp_str io_kueue_queue(const tree *object);
/* The sets become the pod sets of Workloads, if Kueue manages the object: there is a question about its admission. */
void io_pods_as_kueue(io_pods *p);

/* ---- kueue_flavors.c --------------------------------------------------------------------------------------------- */

/* What a pod set asks of Kueue, as far as it decides on its ResourceFlavors. */
typedef struct io_kueue_asks {
    const tree *template_; /* of its pods */
    bool topology; /* it has a topology request */
    karp_str levels[2]; /* the levels that it names; "" = none */
} io_kueue_asks;

enum { IO_KUEUE_GROUPS = 8 };

/* A choice of ResourceFlavors: one of each resource group of which the pods request something. */
typedef struct io_kueue_choice {
    karp_str name, part; /* those of the flavours, joined by +, and for names of objects by a point */
    karp_str refused; /* why Kueue does not assign them; "" = it does */
    const tree *flavors[IO_KUEUE_GROUPS];
    size_t count;
    const tree *levels; /* of their topology; NULL = there is none */
} io_kueue_choice;

typedef struct io_kueue_choices {
    const tree *queue; /* the ClusterQueue */
    const tree *lists[IO_KUEUE_GROUPS]; /* flavours of the resource groups */
    size_t list_count;
    uint64_t count; /* of choices */
    karp_str refused; /* why the queue admits none of them; "" = it may */
    bool topology_alone; /* all flavours of the queue have a topology */
} io_kueue_choices;

/* Finds the ClusterQueue of a local queue. false = it is not in the input, which is noted. */
bool io_kueue_find_queue(io_pods *p, karp_str local_queue, io_kueue_choices *out);
/* Lists the resource groups of the queue that the pods use. */
void io_kueue_list(io_pods *p, const io_kueue_asks *asks, io_kueue_choices *c);
/* Choice `number`, in the order in which Kueue tries them. */
io_kueue_choice io_kueue_choice_at(io_pods *p, const io_kueue_choices *c, const io_kueue_asks *asks, uint64_t number);
/* What Kueue adds to the pods when it admits them. */
void io_kueue_apply(io_pods *p, const io_pod_set *set, const io_kueue_choice *choice);

/* ---- pods_requests.c --------------------------------------------------------------------------------------------- */

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
