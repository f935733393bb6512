/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations that every part of a scheduler uses. Amounts are vectors in the snapshot's units, over the resources
 * that some pod requests.
 */
#pragma once

#include <karp/schedule.h>
#include <model/peer.h>
#include <model/snapshot.h>

typedef struct scheduler scheduler;

/* Derived from the options and the snapshot's settings. */
struct settings {
    const karp_options *options;
    int64_t now;
    uint64_t quirks; /* bit n−1: S-Qn is reproduced */
    uint64_t rules; /* rules of later versions that are in force: bit i for enum peer_rule */
    bool simulation; /* part of a disruption simulation */
    bool exact_budgets; /* see budgets_blocking() */
    bool shield; /* consolidateAfter protects nodes */
    bool reserved_fallback;
    bool best_effort_min_values;
    bool ignore_preferences;
    bool peer_order; /* open claims are in the order of Karpenter's slice */
    bool tolerate_prefer_no_schedule; /* the last step of the relaxation ladder is enabled */
};

/* The scheduler's vectors have only those columns of the snapshot's vectors that some pod requests. CPU, memory and
 * pods come first. */
struct vectors {
    uint32_t dims;
    uint32_t *columns; /* [dims]: columns of the snapshot's vectors */
    uint32_t *resources; /* [dims]: resource ids, in the numbering of snapshot.h's columns */
    uint32_t *index_of; /* resource id -> index in a vector, NO_ID = not requested by any pod */
    uint32_t
        *device_class; /* [dims]: the DeviceClass whose devices serve the resource, NO_ID = none; NULL = no resource */
    int64_t *zero; /* a vector of zeros */
    int64_t *sum, *most; /* scratch */
};
