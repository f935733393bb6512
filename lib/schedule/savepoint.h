/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Savepoints: placements of a round that are kept or taken back together. They may be nested. A savepoint that is
 * taken back leaves the scheduler as if its pods had never been tried: what nodes and claims have received, topology,
 * limits and reservations. Requirement sets, type sets, views and groups that were created are kept, as between
 * rounds. What classes remember of nodes and claims that rejected them is forgotten.
 */
#pragma once

#include <schedule/claims.h>
#include <schedule/hosts.h>
#include <schedule/rounds.h>

struct saved_host {
    uint32_t host, set, received, port_count;
    size_t volumes;
    const int64_t *taken; /* what the pod that it received requests */
};

struct saved_claim {
    uint32_t number;
    bool first; /* of its entries in the savepoint that is taken back, the last one that was made */
    claim state;
    int64_t *amounts; /* requests and slack */
    uint8_t *binary;
};

struct saving {
    uint32_t depth; /* number of open savepoints */
    uint32_t claims_before; /* number of claims when the innermost one began */
    LIST_OF(struct saved_host) hosts;
    LIST_OF(struct saved_claim) claims;
    LIST_OF(uint32_t) pods; /* that were placed since the outermost one began */
    uint32_t stamp; /* see claim.billed */
    bool devices; /* pods with resource claims (DRA) are placed within the savepoints to come */
};

/* Owned by the caller. */
typedef struct savepoint {
    uint32_t claim_count, next_host, outer_claims, only_claim;
    size_t host_entries, claim_entries, pod_entries, group_count;
    round_mark counts;
    int64_t *amounts; /* of reservations and limits, in the round's arena */
    const struct saved_devices *devices; /* NULL = no pod has resource claims */
} savepoint;

bool savepoint_begin(scheduler *s, savepoint *p); /* false = out of memory */
void savepoint_keep(scheduler *s, const savepoint *p);
bool savepoint_undo(scheduler *s, const savepoint *p); /* false = out of memory */
/* What the launches cost more than when the savepoint began, $/h under the objective. */
double savepoint_cost(scheduler *s, const savepoint *p);
void savepoints_free(scheduler *s);

/* While a savepoint is open (depth > 0): call before the host or claim receives a pod. */
bool savepoint_note_host(scheduler *s, uint32_t host_index, const int64_t *requests);
bool savepoint_note_claim(scheduler *s, uint32_t claim_number);
/* The same, after pods were placed. */
void savepoint_note_pods(scheduler *s, const uint32_t *pods, uint32_t count);
