/* SPDX-License-Identifier: Apache-2.0 */
/* Passes 2 and 3: nodes to be started (scheduling.md §19–§22). */
#ifndef SCHEDULE_CLAIMS_H
#define SCHEDULE_CLAIMS_H

#include <schedule/scheduler.h>

bool claims_init(scheduler *s);
void claims_free(scheduler *s);

/* Puts the pod on the first open claim that takes it, those with the fewest pods first. */
bool claims_place(scheduler *s, uint32_t pod_number, uint32_t view_number);
/* Opens a claim for the pod from the first template that can; KARP_REASON_NONE on success, else why the last one refused
 * (KARP_REASON_RESERVED: the walk stopped there). */
uint32_t claims_open(scheduler *s, uint32_t pod_number, uint32_t view_number);

/* Why a template refuses to open a claim for the pod; changes nothing. *set: the requirements the attempt came to. */
uint32_t template_refusal(scheduler *s, uint32_t template_number, uint32_t pod_number, uint32_t view_number,
                          uint32_t *set);
/* Why an open claim refuses the pod; changes nothing. */
uint32_t claim_refusal(scheduler *s, uint32_t claim_number, uint32_t pod_number, uint32_t view_number);
/* Parts of taking a pod: which suffix the claim's amounts are printed with, and what the types left could still take. */
void claim_note_families(const scheduler *s, claim *c, const shape *p);
bool claim_measure(scheduler *s, claim *c); /* false = refused memory */
bool template_host_allows(const scheduler *s, const template_ *t, uint32_t requirement_id);
/* reservations.c (§25) */
bool reservations_init(scheduler *s);
void reservations_free(scheduler *s);
/* Which reservations a claim with these fitting variants would hold; KARP_REASON_RESERVED when it may not go on without. */
uint32_t reservations_wanted(scheduler *s, const claim *c, uint32_t template_number, const uint64_t *fitting,
                             uint32_t set, uint32_t **ids, uint32_t *count);
void reservations_hold(scheduler *s, claim *c, uint32_t *ids, uint32_t count);

#endif
