/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the device module: the state of a run, and of one allocation. */
#ifndef SCHEDULE_DEVICE_RUN_H
#define SCHEDULE_DEVICE_RUN_H

#include <model/device_world.h>
#include <schedule/devices.h>

enum { MOST_DEVICES = 32 }; /* of one resource claim */

/* ---- the ledger --------------------------------------------------------------------------------------------------------------- */

/* What amounts are counted of. The first two are the cluster's, charged at the most that any type of a candidate takes; the
 * others belong to one type of one candidate. */
enum ledger_kind { OF_COUNTER, OF_DIMENSION, OF_TYPE_COUNTER, OF_TYPE_DIMENSION };

typedef struct entry {
    uint32_t type; /* of the candidate's types */
    uint32_t kind, id;
    amount value;
} entry;

/* An exclusive device that a candidate holds for one of its types. */
typedef struct holding {
    uint32_t type, identity;
    bool of_type; /* a device the type brings */
} holding;

/* A set of slices that a candidate reaches in one pool. */
typedef struct pool_view {
    uint32_t pool;
    bool invalid, incomplete;
    bool hidden_consumers; /* devices out of reach take from its counters */
    const uint32_t *slices;
    uint32_t slice_count;
} pool_view;
typedef struct pool_views {
    const pool_view *items;
    uint32_t count;
} pool_views;

typedef struct candidate {
    LIST_OF(entry) entries;
    LIST_OF(holding) holdings;
    pool_views pools; /* as of the last commit */
} candidate;

/* What a resource claim got in this run, for one type of its candidate. */
typedef struct claim_share {
    uint32_t type;
    demand requirements;
    bool has_requirements;
    const uint32_t *drivers; /* texts, by device */
    uint32_t driver_count;
} claim_share;

typedef struct claim_state {
    bool allocated, of_type; /* of_type: some device is one that a type brings */
    uint32_t candidate;
    demand total;
    bool has_total;
    claim_share *shares;
    uint32_t share_count;
} claim_state;

/* What is known of a pool for any caller. */
typedef struct pool_facts {
    int64_t generation;
    bool known, incomplete, invalid;
    bool names_differ; /* of all its devices */
} pool_facts;

/* ---- one allocation --------------------------------------------------------------------------------------------------------------- */

typedef struct live_request {
    const device_request *given;
    uint32_t parent; /* name of the request itself */
    const uint32_t *programs; /* selectors */
    uint32_t program_count;
    id_list all; /* mode All: the cluster's devices */
    id_list *all_of_type; /* mode All: by type of the candidate */
    struct live_request *alternatives;
    uint32_t alternative_count;
} live_request;

typedef struct live_constraint {
    const device_constraint *given;
    uint32_t count; /* devices added */
    const device_attribute *value; /* of the first, unless bound */
    bool bound;
    uint32_t first; /* identity */
} live_constraint;

typedef struct live_claim {
    uint32_t claim; /* world claim */
    live_request *requests;
    uint32_t request_count;
    live_constraint *constraints;
    uint32_t constraint_count;
    uint8_t *over_limit; /* by type: its devices would be too many (the cluster's alone are not) */
} live_claim;

/* A device chosen by the search. */
typedef struct chosen {
    uint32_t claim, device;
    const device_request *request;
} chosen;

/* The outcome for one type. */
typedef struct type_outcome {
    uint32_t type;
    const chosen *devices;
    uint32_t device_count;
    const entry *entries; /* type as above */
    uint32_t entry_count;
} type_outcome;

/* Who asks: a host with its one type, or a claim with all of its. */
typedef struct asking {
    uint32_t number; /* candidate: hosts first, then claims */
    uint32_t node; /* names id of the Node, NO_ID = none yet */
    uint32_t host_text; /* for requirements on the host name */
    uint32_t set; /* requirements */
    const uint32_t *types; /* table indices in order; a host's type that is not known is NO_ID */
    const uint32_t *kits; /* what each brings, NO_ID = nothing */
    const uint32_t *bonds; /* the kit with the bindings of each, likewise */
    const uint8_t *brings; /* whether that is any device */
    uint32_t type_count;
} asking;

typedef struct allocation {
    asking who;
    live_claim *claims;
    uint32_t claim_count;
    pool_views pools; /* at the start … */
    uint32_t pools_set; /* … and the requirements they were filtered by */
    uint32_t set; /* R: grows with each type that succeeds */
    type_outcome *outcomes;
    uint32_t outcome_count;
    uint32_t total; /* what the devices of all types ask for; R when nothing was to be allocated */
    bool every_type; /* nothing was to be allocated: no type is ruled out */
    bool ready; /* there is something to commit */
} allocation;

/* What a search has found to be equal, and what has failed in it (device_twins.c). */
typedef struct twin_table {
    words kinds;
    map64 kind_of; /* device -> kind */
    map64 names; /* identity of a type's device -> 1, or 2 for more */
    map64 failed; /* (depth, kind) -> the frame in which it failed */
    LIST_OF(uint32_t) words; /* of one device, while it is described */
    bool names_known;
} twin_table;

struct devices {
    const struct device_world *world;
    arena scratch; /* of one allocation */
    uint8_t *slice_in; /* by slice: its node, if any, is offered */
    pool_facts *pools;
    id_list common_pools; /* those that more than one node may reach a slice of … */
    id_list node_slices; /* … and the slices of the others: by node, then pool */
    uint8_t *name_seen; /* by identity; clear between uses */
    uint8_t *taken; /* by identity: exclusively allocated in the cluster */
    amount *used; /* by dimension: consumed in the cluster and charged in this run */
    amount *remaining; /* by counter of a valid pool */
    uint32_t *counter_pool; /* by counter */
    uint32_t *holder; /* by identity: the candidate that holds it, NO_ID = none */
    uint32_t *holds; /* by identity: for how many types */
    claim_state *claims;
    LIST_OF(candidate) candidates;
    map64 candidate_of; /* number -> index */
    uint8_t *moving; /* by names id: the uid of a pod that leaves its node */
    uint8_t ***matches; /* what selectors say, by program, then ANSWERS_OF_PAGE devices: see device_matches() */
    allocation now;
    uint64_t search_steps; /* of this allocation */
    uint64_t polled_at; /* … when the caller was asked whether to stop */
    uint64_t round_steps; /* of all allocations of the round */
    uint64_t slices_seen; /* by all of them */
    bool out_of_steps;
    bool gave_up; /* in this round, some search ended without an answer */
    twin_table twins;
};

/* ---- between the files ---------------------------------------------------------------------------------------------------------------- */

/* device_pools.c */
bool pools_init(scheduler *s);
bool pools_gather(scheduler *s, const asking *who, uint32_t set, pool_views *out);
bool pools_filter(scheduler *s, pool_views from, const asking *who, uint32_t set, pool_views *out);
/* Looking at so many options, or slices, counts as one step of a search. */
enum { LOOKS_A_STEP = 64 };

/* Whether the candidate can be where the demand says. */
bool reaches(scheduler *s, const asking *who, uint32_t set, demand d);

/* device_requests.c: false = the claim cannot be served (or `failed`). */
bool requests_prepare(scheduler *s, allocation *a, uint32_t claim, live_claim *out);
/* CEL_YES, CEL_NO or CEL_ERROR: all selectors of a request. */
uint32_t device_matches(scheduler *s, uint32_t number, const live_request *r);
/* The compiled selector; NULL when it is of no use. */
const struct selector_program *program_of(const scheduler *s, uint32_t text);

/* device_search.c: what a constraint compares of a device, and how a type's devices are bound; NULL = nothing. */
const device_attribute *attribute_of(const scheduler *s, const world_device *w, uint32_t name);
const bond *bond_of(const scheduler *s, const allocation *a, uint32_t index, uint32_t attribute, uint32_t identity);

/* device_twins.c: devices of one kind differ in nothing that the search for type `index` looks at, but whether they are taken.
 * Known until the next twins_begin(). */
uint32_t device_kind(scheduler *s, const allocation *a, uint32_t index, uint32_t number);
void twins_init(scheduler *s);
void twins_begin(scheduler *s);
void twins_free(scheduler *s);

/* device_search.c: whether so much was searched in the round that nothing is searched any more. */
bool searches_ended(const scheduler *s);
/* device_search.c: the search for type `index` of the candidate; on success an outcome is added. */
bool search_type(scheduler *s, allocation *a, uint32_t index);

/* device_ledger.c */
bool ledger_init(scheduler *s);
void ledger_free(scheduler *s); /* what a round holds beside its arena */
const candidate *ledger_find(const scheduler *s, uint32_t number);
/* Whether it is the cluster's, exclusive and had by somebody else than the candidate. */
static inline bool device_had(const struct devices *d, uint32_t identity, uint32_t number)
{
    return d->taken[identity] || (d->holder[identity] != NO_ID && d->holder[identity] != number);
}
bool device_free(const scheduler *s, const asking *who, uint32_t index, uint32_t number);
/* What is committed for the type of the candidate. */
amount ledger_committed(const candidate *c, uint32_t type, enum ledger_kind kind, uint32_t id);
void ledger_commit(scheduler *s);
/* These types (table indices) of a candidate that has committed give everything back. */
void ledger_release(scheduler *s, uint32_t number, const uint32_t *released, uint32_t count);

#endif
