/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocating devices (dra.md) to pods as they are placed. A candidate is a host or a claim; each of its instance types is
 * searched for a way to serve the pod's resource claims, and what one pod took is out of reach for the next.
 *
 *     devices.c         seeds, classification, the calls of hosts and claims
 *     device_pools.c    which slices a candidate reaches
 *     device_requests.c requests, checked and with the devices that mode All takes
 *     device_search.c   the search for one instance type
 *     device_twins.c    devices that are equal to it
 *     device_ledger.c   what is taken, by whom; commit and release
 */
#ifndef SCHEDULE_DEVICES_H
#define SCHEDULE_DEVICES_H

#include <schedule/claims.h>

/* s->devices stays NULL when no pod uses resource claims, or they are ignored. */
bool devices_init(scheduler *s);
/* What the cluster has and what is taken of it, once the round's nodes and pods are known. */
bool devices_begin_round(scheduler *s);
void devices_free(scheduler *s);

/* Why a pod of the class, which has resource claims, cannot be placed anywhere; KARP_REASON_NONE: it may be. */
uint32_t devices_refuse(scheduler *s, uint32_t class_number);

/* Whether the host has devices for the class's claims: KARP_REASON_NONE, or why not. */
uint32_t devices_on_host(scheduler *s, uint32_t host_index, uint32_t class_number);
/* The same for a claim, before the pod is merged into it. *set, the requirements with the pod, is tightened by what the
 * devices ask for. */
uint32_t devices_on_claim(scheduler *s, const claim *c, uint32_t class_number, uint32_t *set);
/* Leaves the types whose search succeeded; NO_ID when `failed`. */
uint32_t devices_keep(scheduler *s, uint32_t types);

/* Makes what the last of the two calls above found final. */
void devices_take_host(scheduler *s);
/* The claim has the pod by now; types that it can no longer be give their devices back. */
void devices_take_claim(scheduler *s, const claim *c);

/* Whether in this round a search ended without an answer, so that the decision is not the one there would be. */
bool devices_gave_up(const scheduler *s);

/* The drivers of the devices a claim's pods got, "a.example.com,b.example.com", in the arena; len 0 = none. */
bool devices_drivers(scheduler *s, uint32_t claim_number, arena *a, karp_str *out);
/* What devices_refuse() refused the class for: an expression that is not evaluated here, a claim that does not exist. */
karp_str devices_unknown_expression(const scheduler *s, uint32_t class_number);
karp_str devices_missing_claim(const scheduler *s, uint32_t class_number);

#endif
