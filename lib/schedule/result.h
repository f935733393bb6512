/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a finished round decided, for those who ask a scheduler questions without being part of it: lib/disrupt sees schedulers
 * through this header, pricing.h, solve.h and report.h alone.
 */
#ifndef SCHEDULE_RESULT_H
#define SCHEDULE_RESULT_H

#include <schedule/report.h>

typedef struct round_result {
    received got;
    final_claim *finals; /* by claim */
    uint32_t *claims; /* to be launched, by pool and pods */
    uint32_t claim_count;
    bool all_scheduled; /* every pod that runs now has a place */
    uint32_t left_out; /* the first by name that has none, NO_ID */
} round_result;

/* Reads the result of a simulation (deprovisioning.md §9, step 8: nobody moves to a node that is not initialized, except pods
 * of nodes being deleted). The lists lie in `data`. false = out of memory. */
bool result_read(scheduler *s, arena *data, round_result *out);

/* The types that a claim is launched from. */
const type_table *result_table(const scheduler *s, uint32_t claim_number);
/* Whether a requirement set of the result allows a capacity type, and the set with nothing else allowed. */
bool result_allows(const scheduler *s, uint32_t set, uint32_t capacity_type);
uint32_t result_narrowed(scheduler *s, uint32_t set, uint32_t capacity_type);
/* Appends a launch for the claim; what a disruption may have narrowed (set, types, pods) is in *from. false = out of memory. */
bool result_launch(scheduler *s, karp_decision *d, uint32_t claim_number, launch_source *from);
/* Appends so many launches of a static pool, priced at what a provider picks of all types that the pool allows: the cheapest. They
 * request what DaemonSets do, or nothing. The scheduler has been set up and nothing more. false = out of memory. */
bool result_static_launches(scheduler *s, karp_decision *d, uint32_t pool, uint64_t count, bool daemons);
/* Whether a static pool with types has nothing to launch from but full reservations; those that are available are listed, for
 * which there is room for as many as the table has offerings. false = out of memory. */
bool result_static_reserved(scheduler *s, uint32_t pool, uint32_t *offered, uint32_t *count, bool *full);
/* Sets the bytes of state nodes on which virtual pods of capacity buffers were placed. false = out of memory. */
bool result_buffer_nodes(scheduler *s, uint8_t *nodes);

uint64_t scheduler_steps(const scheduler *s); /* of the last round */
/* Whether a search for devices was given up, so that the result may lack something. */
bool scheduler_gave_up(const scheduler *s);
/* Whether memory was refused, so that nothing the scheduler says counts; scheduler_fail() says so of the caller's own memory. */
bool scheduler_failed(const scheduler *s);
void scheduler_fail(scheduler *s);
/* Whether the scheduler can serve a run with these options, which it then has. */
bool scheduler_reuse(scheduler *s, const run_options *how);

#endif
