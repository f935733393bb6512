/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocating devices (dra.md) to pods while they are placed. A candidate is a host or a claim. For each of its
 * instance types a search looks for devices that satisfy the pod's resource claims. Devices allocated to one pod are
 * not available to the next.
 *
 *   devices.c         initial state, classification, the functions for hosts and claims
 *   device_pools.c    which slices a candidate can reach
 *   device_requests.c requests: validated, and expanded for mode All
 *   device_search.c   the search for one instance type
 *   device_try.c      adding one device to it: counters, capacity, constraints
 *   device_twins.c    devices that are interchangeable in a search
 *   device_ledger.c   which candidate has reserved what; commit and release
 */
#pragma once

#include <schedule/claims.h>

/* s->devices stays NULL when no pod uses resource claims, or when they are ignored. */
bool devices_init(scheduler *s);
/* Computes the devices of the cluster and which of them are in use. Call when the round's nodes and pods are known. */
bool devices_begin_round(scheduler *s);
void devices_free(scheduler *s);

/* The reason why a pod of the class, which has resource claims, cannot be placed on any node. KARP_REASON_NONE = it
 * may be possible. */
uint32_t devices_refuse(scheduler *s, uint32_t class_number);

/* KARP_REASON_NONE when the host has devices for the class's claims, otherwise the reason why not. */
uint32_t devices_on_host(scheduler *s, uint32_t host_index, uint32_t class_number);
/* The same for a claim, before the pod is added to it. *set, the requirements with the pod, is narrowed by the
 * requirements of the devices. */
uint32_t devices_on_claim(scheduler *s, const claim *c, uint32_t class_number, uint32_t *set);
/* The subset of types whose search succeeded; NO_ID when `failed`. */
uint32_t devices_keep(scheduler *s, uint32_t types);

/* Commits the allocation that devices_on_host() found. */
void devices_take_host(scheduler *s);
/* Commits the allocation that devices_on_claim() found. The claim already has the pod. The devices of types that it
 * no longer has are released. */
void devices_take_claim(scheduler *s, const claim *c);

/* device_save.c: a copy of what is held, in the round's arena, and going back to it. NULL and false = out of memory. */
const struct saved_devices *devices_save(scheduler *s);
bool devices_restore(scheduler *s, const struct saved_devices *from);

/* Whether a search of this round ended without a result. The decision may then differ from the one of a complete
 * search. */
bool devices_gave_up(const scheduler *s);

/* The drivers of the devices that the claim's pods received, "a.example.com,b.example.com", in the arena; len 0 =
 * none. */
bool devices_drivers(scheduler *s, uint32_t claim_number, arena *a, karp_str *out);
/* Why devices_refuse() rejected the class: a CEL expression that is not supported, or a ResourceClaim that does not
 * exist. */
karp_str devices_unknown_expression(const scheduler *s, uint32_t class_number);
karp_str devices_missing_claim(const scheduler *s, uint32_t class_number);
