/* SPDX-License-Identifier: Apache-2.0 */
/* What all parts of a replay need: resources, the numbers of pods and nodes, the common start of all policies. */
#pragma once

#include <karp/replay.h>
#include <replay/trace.h>

#define REPLAY_NONE UINT32_MAX /* instead of the number of a pod, node or command */
#define SECOND INT64_C(1000000000)
/* Times of a replay are at most so many nanoseconds after 1970 (in 2116), so that the sum of two never overflows. */
#define REPLAY_LATEST (INT64_C(1) << 62)

/* Resources that some pod requests. Amounts are whole numbers: billionths of a core, thousandths of anything else. */
enum { RESOURCES_MOST = 16 };
enum { RESOURCE_CPU, RESOURCE_MEMORY, RESOURCE_PODS };

typedef struct engine engine; /* engine.h */

/* A node that exists at the start of the replay. */
typedef struct replay_given {
    karp_str name;
    const tree *node, *claim; /* one of them may be NULL */
    double price;
    int64_t created;
    uint32_t row; /* in the saved state of the cluster; 0 without one */
} replay_given;

/* The common start of all policies. */
typedef struct replay_base {
    karp_context *context;
    trace trace;
    karp_reader *reader; /* owns the trees; does not decode them */
    tree *objects; /* all objects of the documents */
    tree *head; /* of their Snapshot: catalogues, settings and labels; NULL = none */
    const karp_replay_options *options;
    replay_given *given; /* by age */
    size_t given_count;
    karp_catalogue **catalogues; /* of the objects, with their pools: those that launches choose from */
    const karp_str **catalogue_pools; /* by catalogue; none = all pools */
    size_t *catalogue_pool_counts;
    size_t catalogue_count;
    int64_t starts; /* the time of the cluster; KARP_NO_TIME = no cluster */
    const tree *state; /* of the replay that dumped the cluster; NULL = a new replay */
    const karp_str *notes; /* notes on the objects, in the trace's memory */
    size_t note_count;
    karp_str licences; /* of systems whose licences the prices lack; in the trace's memory */
    karp_str title; /* name of the instance types in headers */
    uint64_t earlier_pods; /* pods that the trace had created before the dump */
    const struct kube_config *scheduler; /* the configuration of kube-scheduler; NULL = the default one */
    karp_str repack_name, repack_text; /* the plan to carry out; ptr NULL = none */
    bool ends_with_plan; /* nothing else ends the replay */
    struct commit_offer *offers; /* savings plans and reserved instances that could be bought */
    size_t offer_count;
    size_t resumed_pods; /* the trace's first events are this many pods of that state, in its order */
} replay_base;
