/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the device module: the state of a run and of one allocation. */
#pragma once

#include <model/device_index.h>
#include <schedule/devices.h>

enum { MOST_DEVICES = 32 }; /* for one resource claim */

/* ---- the ledger -------------------------------------------------------------------------------------------------- */

/* What an amount is counted against. The first two belong to the cluster; a candidate is charged the maximum over its
 * types. The others belong to one type of one candidate. */
enum ledger_kind { OF_COUNTER, OF_DIMENSION, OF_TYPE_COUNTER, OF_TYPE_DIMENSION };

/* An amount that the devices of a search consume. */
typedef struct entry {
    uint32_t kind, id;
    amount value;
} entry;

/* An exclusive device that a candidate has reserved for one of its types. */
typedef struct holding {
    uint32_t identity;
    bool of_type; /* the device comes with the type */
    uint32_t next; /* the next holding for the same type, NO_ID = none */
} holding;

/* What a candidate has committed of one counter or dimension. */
typedef struct account {
    uint32_t kind, id;
    uint32_t first; /* its first posting */
    amount charged; /* the maximum over the types; only for the kinds of the cluster */
} account;

/* The part of an account for one type. */
typedef struct posting {
    uint32_t account;
    uint32_t next, next_of_type; /* the next posting of the same account and for the same type, NO_ID = none */
    amount value; /* 0 after a release */
} posting;

/* Bits: of the devices with one driver, pool and name, the one of the cluster and the one that comes with the type. */
enum held { HELD_OF_CLUSTER = 1, HELD_OF_TYPE = 2 };

/* The slices of one pool that a candidate can reach. */
typedef struct pool_view {
    uint32_t pool;
    bool invalid, incomplete;
    bool hidden_consumers; /* devices out of reach consume its counters */
    const uint32_t *slices;
    uint32_t slice_count;
} pool_view;
typedef struct pool_views {
    const pool_view *items;
    uint32_t count;
} pool_views;

typedef struct candidate {
    LIST_OF(account) accounts;
    LIST_OF(posting) postings;
    LIST_OF(holding) holdings;
    map64 account_of; /* (kind, id) -> account */
    map64 posting_of; /* (account, type) -> posting */
    map64 postings_of, holdings_of; /* type -> its first posting and holding, NO_ID = none */
    map64 held; /* (type, identity) -> which devices of this name are reserved: enum held */
    pool_views pools; /* after the last commit */
} candidate;

/* What was allocated to a resource claim in this run, for one type of its candidate. */
typedef struct claim_share {
    uint32_t type;
    demand requirements;
    bool has_requirements;
    const uint32_t *drivers; /* text ids, by device */
    uint32_t driver_count;
} claim_share;

typedef struct claim_state {
    bool allocated, of_type; /* of_type: some device comes with a type */
    uint32_t candidate;
    demand total;
    bool has_total;
    claim_share *shares;
    uint32_t share_count;
} claim_state;

/* Facts about a pool that are the same for every candidate. */
typedef struct pool_facts {
    int64_t generation;
    bool known, incomplete, invalid;
    bool names_differ; /* all its devices have different names */
} pool_facts;

/* ---- one allocation ---------------------------------------------------------------------------------------------- */

typedef struct live_request {
    const device_request *given;
    uint32_t number; /* unique among the requests and alternatives of an allocation */
    uint32_t parent; /* name of the top-level request */
    const uint32_t *programs; /* selectors */
    uint32_t program_count;
    id_list all; /* mode All: the devices of the cluster */
    id_list *all_of_type; /* mode All: by type of the candidate, the devices that come with it */
    struct live_request *alternatives;
    uint32_t alternative_count;
} live_request;

typedef struct live_constraint {
    const device_constraint *given;
    uint32_t count; /* number of devices added */
    const device_attribute *value; /* value of the first device, unless bound */
    bool bound;
    uint32_t first; /* identity of the first device */
} live_constraint;

typedef struct live_claim {
    uint32_t claim; /* number of the claim in the device index; NO_ID = it stands for a resource that devices serve */
    const uint8_t *not_for; /* by type: it has the resource itself; NULL = devices for all types */
    live_request *requests;
    uint32_t request_count;
    live_constraint *constraints;
    uint32_t constraint_count;
    uint8_t *over_limit; /* by type: its devices would exceed the limit (those of the cluster alone do not) */
} live_claim;

/* A device that the search chose. */
typedef struct chosen {
    uint32_t claim, device;
    const device_request *request;
} chosen;

/* The result for one type. */
typedef struct type_outcome {
    uint32_t type;
    const chosen *devices;
    uint32_t device_count;
    const entry *entries;
    uint32_t entry_count;
} type_outcome;

/* The candidate that requests devices: a host with its one type, or a claim with all its types. */
typedef struct asking {
    uint32_t number; /* candidate: hosts first, then claims */
    uint32_t node; /* names id of the Node, NO_ID = not launched yet */
    uint32_t host_text; /* for requirements on the host name */
    uint32_t set; /* requirements */
    const uint32_t *types; /* table indices in order; NO_ID for a host's type that is unknown */
    const uint32_t *device_sets; /* by type: the set of devices that comes with it, NO_ID = none */
    const uint32_t *bindings; /* by type: the set that has its attribute bindings, NO_ID = none */
    const uint8_t *has_devices; /* by type: whether its set has any device */
    uint32_t type_count;
    const template_ *from; /* of the claim; NULL = it is a host */
    const state_node *state; /* of the host */
} asking;

typedef struct allocation {
    asking who;
    const candidate *had; /* what it had committed before the search, NULL = nothing */
    live_claim *resource_claims;
    uint32_t claim_count;
    uint32_t request_count; /* of all claims, alternatives included */
    pool_views pools; /* pools at the start */
    uint32_t pools_set; /* the requirements by which `pools` were filtered */
    uint32_t set; /* R: narrowed by each type that succeeds */
    type_outcome *outcomes;
    uint32_t outcome_count;
    uint32_t total; /* the requirements of the devices of all types; R when nothing had to be allocated */
    bool every_type; /* nothing had to be allocated, so no type is excluded */
    bool ready; /* there is something to commit */
} allocation;

/* What device_answers.h remembers: see there. */
typedef struct remembered_answer {
    uint32_t answer; /* CEL_YES or CEL_NO; CEL_ERROR = not known */
    uint32_t visited; /* when it was last asked for */
} remembered_answer;
typedef struct answer_memory {
    map64 place; /* (identity of the device, number of the request) -> index of `items` */
    LIST_OF(remembered_answer) items;
    uint32_t time; /* number of visits so far */
} answer_memory;

/* Devices that a search found to be equal, and the kinds that failed in it (device_twins.c). */
typedef struct twin_table {
    words kinds;
    map64 kind_of; /* device -> kind */
    map64 names; /* identity of a device that comes with a type -> 1, or 2 for more than one */
    map64 failed; /* (depth, kind) -> the search frame in which it failed */
    map64 failed_with; /* (depth, kind) -> the device with which it failed there, if answers are remembered */
    LIST_OF(uint32_t) words; /* the description of one device, while it is made */
    bool names_known;
} twin_table;

struct devices {
    const struct device_index *index;
    arena scratch; /* for one allocation */
    uint8_t *slice_in; /* by slice: whether its node is offered in this round, or it has no node */
    pool_facts *pools;
    id_list common_pools; /* pools with slices that more than one node can reach */
    id_list node_slices; /* slices of the other pools, by node, then pool */
    uint8_t *name_seen; /* by identity; all clear between uses */
    uint8_t *taken; /* by identity: exclusively allocated in the cluster */
    amount *used; /* by dimension: consumed in the cluster, plus what this run was charged */
    amount *remaining; /* by counter of a valid pool */
    uint32_t *counter_pool; /* by counter */
    uint32_t *holder; /* by identity: the candidate that has reserved it, NO_ID = none */
    uint32_t *holds; /* by identity: for how many types it is reserved */
    claim_state *resource_claims;
    LIST_OF(candidate) candidates;
    map64 candidate_of; /* number -> index */
    uint8_t *moving; /* by names id: the uid of a pod that is leaving its node */
    /* cached results of selectors, by program, then by page of ANSWERS_OF_PAGE devices: see device_matches() */
    uint8_t ***matches;
    allocation now;
    uint64_t search_steps; /* of this allocation */
    uint64_t polled_at; /* search_steps when should_stop was last called */
    uint64_t round_steps; /* of all allocations of the round */
    uint64_t slices_seen; /* in all allocations of the round */
    bool out_of_steps;
    bool gave_up; /* some search of this round ended without a result */
    twin_table twins;
    answer_memory answers;
};

/* ---- functions of the files -------------------------------------------------------------------------------------- */

/* device_pools.c */
bool pools_init(scheduler *s);
bool pools_gather(scheduler *s, const asking *who, uint32_t set, pool_views *out);
bool pools_filter(scheduler *s, pool_views from, const asking *who, uint32_t set, pool_views *out);
/* Number of options or slices examined that count as one step of a search. */
enum { LOOKS_A_STEP = 64 };

/* Whether the candidate can satisfy the requirements of the demand. */
bool reaches(scheduler *s, const asking *who, uint32_t set, demand d);

/* device_requests.c: false = the claim cannot be served (or `failed`). */
bool requests_prepare(scheduler *s, allocation *a, uint32_t claim, live_claim *out);
/* For a resource that the class requests and that devices serve. false = `failed`. */
bool requests_imply(scheduler *s, allocation *a, uint32_t class_number, uint32_t d, live_claim *out);
/* Evaluates all selectors of a request: CEL_YES, CEL_NO or CEL_ERROR. */
uint32_t device_matches(scheduler *s, uint32_t number, const live_request *r);
/* The compiled selector; NULL when it cannot be used. */
const struct selector_program *program_of(const scheduler *s, uint32_t text);

/* device_try.c: the value that a constraint compares for a device, and the binding of a type's device; NULL =
 * none. */
const device_attribute *attribute_of(const scheduler *s, const indexed_device *w, uint32_t name);
const binding *binding_of(const scheduler *s, const allocation *a, uint32_t index, uint32_t attribute,
                          uint32_t identity);

/* device_twins.c: devices of one kind are equal in everything that the search for type `index` reads, except whether
 * they are allocated. Valid until the next twins_begin(). */
uint32_t device_kind(scheduler *s, const allocation *a, uint32_t index, uint32_t number);
/* Devices of a type may have the same name, and are then allocated together. Such devices are equal to no other. */
bool name_repeated(scheduler *s, const allocation *a, uint32_t index, uint32_t number);
void twins_init(scheduler *s);
void twins_begin(scheduler *s);
void twins_free(scheduler *s);

/* device_search.c: whether the round's searches used up its steps, so that no further search is made. */
bool searches_ended(const scheduler *s);
/* device_search.c: searches devices for type `index` of the candidate. Adds an outcome on success. */
bool search_type(scheduler *s, allocation *a, uint32_t index);

/* device_ledger.c */
bool ledger_init(scheduler *s);
void candidate_free(scheduler *s, candidate *c);
void ledger_free(scheduler *s); /* frees memory of the round that is not in its arena */
const candidate *ledger_find(const scheduler *s, uint32_t number);
/* Whether an exclusive device of the cluster is allocated or reserved by another candidate. */
static inline bool device_had(const struct devices *d, uint32_t identity, uint32_t number)
{
    return d->taken[identity] || (d->holder[identity] != NO_ID && d->holder[identity] != number);
}
/* Whether an exclusive device is available for the candidate's type `index`. */
bool device_free(const struct devices *d, const allocation *a, uint32_t index, const indexed_device *w);
/* The amount committed for the candidate's type `index`. */
amount ledger_committed(const allocation *a, uint32_t index, enum ledger_kind kind, uint32_t id);
void ledger_commit(scheduler *s);
/* Returns everything that the candidate has committed for these types (table indices). */
void ledger_release(scheduler *s, uint32_t number, const uint32_t *released, uint32_t count);

/* One step of the search for devices (dra.md D7, D8): adds a device to those that were chosen, or removes the last one
 * again. */

/* The position of the search: a slot of a request to be filled, or an alternative to be chosen. */
typedef struct position {
    uint32_t claim, request, slot;
    const live_request *alternative; /* the chosen alternative; NULL = the request itself */
} position;

typedef struct search_frame {
    position at;
    bool choosing; /* an alternative is being chosen, not a device */
    uint32_t next; /* the next option: an alternative, or an index in `pool` */
    uint32_t pool, slice;
    pool_views pools; /* when the frame was created */
    uint32_t pools_set; /* the requirements by which `pools` was filtered */
    uint32_t number; /* unique number of the frame; 0 is not used */
    bool some_failed; /* some kind of device failed in this search_frame */
    uint32_t began; /* answers_time() when the frame was created */
    arena_mark scratch; /* when the frame was created */
    /* Changes of the current option. */
    bool taken;
    uint32_t device, entries, constraints;
    uint32_t set;
} search_frame;

typedef struct search {
    scheduler *s;
    struct devices *d;
    allocation *a;
    uint32_t index, device_set; /* of the type; device_set NO_ID = no devices come with it */
    search_frame *frames;
    size_t depth, capacity;
    chosen *devices;
    size_t device_capacity;
    uint32_t device_count;
    entry *entries; /* amounts that the chosen devices consume */
    size_t entry_count, entry_capacity;
    pool_views pools;
    uint32_t pools_set; /* the requirements by which they were filtered */
    uint32_t set;
    uint32_t frame_count; /* number of frames created so far */
    uint32_t looked; /* number of options visited */
    uint32_t looks; /* of these, so many are not yet counted as a try */
} search;

/* The request at a position, or the alternative that was chosen for it. */
const live_request *request_at(const search *x, const position *p);
/* Whether the counters and the devices of mode All suffice for the type, as far as this is known before the search. */
bool all_devices_feasible(const search *x);
bool constraint_applies(const live_constraint *c, const live_request *r);
bool pool_exhausted(const search *x, uint32_t pool);
/* For a device that the search leaves out: whether it could be tried. If so, that counts as a visit (device_answers.h).
 */
bool note_visit(search *x, search_frame *f, uint32_t number);
/* Adds the device if it is available and its counters, capacity and constraints allow it. */
bool add_device(search *x, search_frame *f, uint32_t number);
/* Undoes it. Nothing happens if the frame has no device. */
void remove_device(search *x, search_frame *f);
