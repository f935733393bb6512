/* SPDX-License-Identifier: Apache-2.0 */
/* What every part of a scheduler refers to. Amounts are vectors in the snapshot's units, over the resources that some pod requests. */
#ifndef SCHEDULE_COMMON_H
#define SCHEDULE_COMMON_H

#include <karp/schedule.h>
#include <model/peer.h>
#include <model/snapshot.h>

typedef struct scheduler scheduler;

/* What the options and the snapshot's settings come to. */
struct settings {
    const karp_options *options;
    int64_t now;
    uint64_t quirks; /* bit n−1: S-Qn is reproduced */
    uint64_t rules; /* of later versions: bit i for enum peer_rule */
    bool simulation; /* inside a disruption: §32.5 */
    bool exact_budgets; /* see budgets_closed() */
    bool shield; /* consolidateAfter protects nodes */
    bool reserved_fallback;
    bool best_effort_min_values;
    bool ignore_preferences;
    bool tolerate_prefer_no_schedule; /* the last rung of the ladder exists */
};

/* The columns of the snapshot's vectors that the scheduler's are over: those that some pod asks for. CPU, memory and pods come first. */
struct vectors {
    uint32_t dims;
    uint32_t *columns; /* [dims] of the snapshot's */
    uint32_t *resources; /* [dims] resource ids, as snapshot.h has them by column */
    uint32_t *index_of; /* resource id -> index in a vector, NO_ID = nobody requests it */
    int64_t *zero; /* the empty vector */
    int64_t *sum, *most; /* scratch */
};

#endif
