/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result of a finished round. Modules outside lib/schedule read results through this interface. lib/disrupt
 * includes no other headers of lib/schedule than this one, movable.h, pricing.h, provision.h, report.h, and solve.h
 * through report.h.
 */
#pragma once

#include <schedule/report.h>

typedef struct round_result {
    received got;
    final_claim *finals; /* by claim */
    uint32_t *claims; /* claims to be launched, by NodePool and pods */
    uint32_t claim_count;
    bool all_scheduled; /* every running pod that moves was placed */
    uint32_t left_out; /* the first by name of those that were not, or NO_ID */
} round_result;

/* Reads the result of a simulation. The lists are allocated in `data`. false = out of memory. */
bool result_read(scheduler *s, arena *data, round_result *out);

/* What a finished round launches, and the running pods that it leaves without a place. */
typedef struct round_cost {
    double price; /* $/h of the cheapest offering of each launch */
    uint32_t launches, left;
} round_cost;
/* The lists are allocated in `data`. false = out of memory. */
bool result_cost(scheduler *s, arena *data, round_cost *out);

/* preferences.c: has a round note the relaxation steps of its pods in the decision, and reports the preferences of the
 * pods that it placed. Nothing if no pod has any. false = out of memory. */
bool preferences_begin(scheduler *s, karp_decision *d);
bool preferences_report(scheduler *s, karp_decision *d);
/* Appends the preferences of one pod that was placed at this relaxation step; the scheduler needs no round. Texts are
 * in `a`. false = out of memory. */
bool preferences_of_pod(scheduler *s, uint32_t pod_number, uint32_t step, arena *a, preference_rows *out);

/* The type table that a claim is launched from. */
const type_table *result_table(const scheduler *s, uint32_t claim_number);
/* Whether a requirement set of the result allows a capacity type, and the set restricted to that capacity type. */
bool result_allows(const scheduler *s, uint32_t set, uint32_t capacity_type);
uint32_t result_narrowed(scheduler *s, uint32_t set, uint32_t capacity_type);
/* Appends a launch for the claim. *from has the set, types and pods, which disruption may have narrowed. false = out
 * of memory. */
bool result_launch(scheduler *s, karp_decision *d, uint32_t claim_number, launch_source *from);
/* Appends `count` launches of a static NodePool at the price of the cheapest type that it allows, which is what a
 * provider chooses. They request what DaemonSets request, or nothing. The scheduler must have been set up, but needs
 * no round. false = out of memory. */
bool result_static_launches(scheduler *s, karp_decision *d, uint32_t pool, uint64_t count, bool daemons);
/* *full: whether a static NodePool with types can be launched only from reservations without free capacity. `offered`
 * receives those that are available; it has space for as many as the table has offerings. false = out of memory. */
bool result_static_reserved(scheduler *s, uint32_t pool, uint32_t *offered, uint32_t *count, bool *full);
/* Sets a byte for each state node on which virtual pods of capacity buffers were placed. false = out of memory. */
bool result_buffer_nodes(scheduler *s, uint8_t *nodes);

uint64_t scheduler_steps(const scheduler *s); /* steps of the last round */
/* Whether a search for devices was given up, so that the result may be incomplete. */
bool scheduler_gave_up(const scheduler *s);
/* Whether an allocation failed, so that no result of the scheduler is valid. scheduler_fail() records a failed
 * allocation of the caller. */
bool scheduler_failed(const scheduler *s);
void scheduler_fail(scheduler *s);
/* Whether the scheduler can serve a run with these options. If so, it uses them from now on. */
bool scheduler_reuse(scheduler *s, const run_options *how);
