/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions of a recording, and what is decided for the cluster just before them. */
#pragma once

#include <io/write_json.h>
#include <replay/recording.h>

enum { TWIN_EQUAL, TWIN_IN_KIND, TWIN_DIFFERENT, TWIN_VERDICTS };
enum { TWIN_LAUNCH, TWIN_REPLACE, TWIN_REMOVE, TWIN_EXPIRY };

/* A node that was launched, or would be. */
typedef struct twin_node {
    karp_str pool, type, capacity_type, zone; /* zone "" = any */
    const karp_str *zones; /* that a plan allows; NULL = only `zone`, or any */
    size_t zone_count;
} twin_node;

typedef struct twin_set {
    twin_node *launched;
    size_t launched_count;
    karp_str *removed; /* names of nodes */
    size_t removed_count;
} twin_set;

typedef struct twin_decision {
    int64_t at;
    uint32_t what, verdict; /* TWIN_* */
    twin_set real, ours;
    karp_str reason; /* of a disruption, as Karpenter states it */
    karp_str why; /* what may explain a difference */
} twin_decision;

typedef struct twin {
    karp_context *context;
    karp_replay_options options; /* complete; so is `decision` */
    karp_options decision;
    recording r;
    arena memory;
    twin_decision *list;
    size_t count, capacity;
    karp_error error;
    bool failed; /* out of memory: what was found is not to be told */
} twin;

/* twin_ask.c: what is decided for the cluster at `at`, without the rows of the decision. */
typedef struct twin_question {
    int64_t at;
    const size_t *left_out; /* rows of NodeClaims that the decision made */
    size_t left_out_count;
    bool recalled; /* as it was when the decision was made that is carried out now */
    bool late; /* with what changed in the same look */
    const karp_str *only; /* the nodes that may be disrupted; NULL = all */
    size_t only_count;
} twin_question;

karp_str twin_keep(twin *w, karp_str text);
/* Whether pods wait for a node then. */
bool twin_pods_wait(twin *w, int64_t at);
/* Sets verdict and `ours`. */
karp_status twin_judge(twin *w, twin_decision *d, const twin_question *q);
int64_t twin_time(const tree *object, const char *member); /* of metadata; KARP_NO_TIME = not stated */
