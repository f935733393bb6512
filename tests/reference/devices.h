/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file devices.h  Dynamic resource allocation (scheduling.md 27; a D with a number is a section of its detailed
 * specification).
 *
 * Nothing is summed up in advance: what is left of a counter or of a capacity is counted from the devices taken.
 */
#ifndef REFERENCE_DEVICES_H
#define REFERENCE_DEVICES_H

#include "scheduler.h"

/* ------------------------------------------------------------------------------------------------ what there is (D1)
 */

struct device_id {
    const char *driver, *pool, *device;
    bool template; /* of an instance type: nobody has published it yet */
};

/** A dimension of capacity. */
struct dimension {
    const char *name;
    amount value;
    const json_t *policy; /* requestPolicy, or NULL */
};

/** What a device takes of one set of shared counters. */
struct consumption {
    const char *set;
    struct resources counters;
};

struct device {
    struct device_id id;
    const json_t *attributes;
    struct dimension *dimensions;
    size_t dimension_count;
    bool shared; /* allowMultipleAllocations */
    struct consumption *consumes;
    size_t consumes_count;
    bool has_topology; /* reached only from nodes that meet these */
    struct requirements topology;
};

struct device_list {
    const struct device **items;
    size_t count;
};

/** The whole of a shared counter. Each set also has an entry without a name. */
struct budget {
    const char *driver, *pool, *set, *name;
    amount total;
};

struct budgets {
    struct budget *items;
    size_t count;
};

/** What a node of an instance type is going to publish. */
struct type_devices {
    struct device_list devices;
    struct budgets budgets;
    const json_t *bindings;
};

/** A published slice. */
struct slice {
    const char *name, *driver, *pool, *node_name; /* node_name: "" for none */
    int64_t generation, slice_count;
    bool all_nodes, has_selector;
    struct requirements *terms; /* of its node selector, any of */
    size_t term_count;
    const json_t *counters; /* NULL: it has devices instead */
    struct device_list devices;
};

struct slices {
    const struct slice **items;
    size_t count;
};

/** Slices of one driver and pool, as a candidate sees them (D4). */
struct device_pool {
    const char *driver, *name;
    struct slices all, slices; /* of the newest generation; those that the candidate reaches */
    struct device_list devices;
    size_t elsewhere; /* devices that the candidate does not reach, but whose counters count */
    struct budgets budgets;
    bool incomplete, invalid;
};

/** By driver, then name. */
struct device_pools {
    const struct device_pool **items;
    size_t count;
};

/* device_slices.c */
bool ref_same_device(const struct device_id *a, const struct device_id *b);
void ref_device_push(struct device_list *list, const struct device *device);
/** Quantities that stand as `{name: {value: quantity}}`. */
struct resources ref_values_read(const json_t *object);
amount ref_quantity_at(const json_t *object, const char *key);
/** Adds the counters of one set. */
struct budgets ref_budgets_read(struct budgets onto, const char *driver, const char *pool, const json_t *set);
const struct slice *ref_slice_read(const json_t *doc);
/** All terms of a node selector together (D5, D4). */
struct requirements ref_all_terms(const json_t *selector);

/* device_pools.c */
struct device_pools ref_device_pools(struct slices slices, struct requirements requirements, const char *node_name);
struct device_pools ref_device_pools_narrow(struct device_pools pools, struct requirements requirements,
                                            const char *node_name);
const struct device_pool *ref_device_pool(struct device_pools pools, const char *driver, const char *name);

/* cel.c */
enum { CEL_NO, CEL_YES, CEL_FAILS };
bool ref_cel_parses(const char *expression);
int ref_cel_matches(const char *expression, const struct device *device);

/* ------------------------------------------------------------------------------------------------ what is asked for
 * (D6) */

struct request_name {
    const char *parent, *sub; /* sub: NULL unless it is one of firstAvailable */
};

struct request {
    struct request_name name;
    struct request *alternatives; /* firstAvailable */
    size_t alternative_count;
    struct names selectors; /* in order */
    bool all;
    size_t count; /* 0 with `all` */
    struct resources capacity;
    struct device_list published; /* with `all`: those that match */
    struct device_list *of_type; /* with `all`: by type of the candidate */
    bool *in_table; /* with `all`: the type is counted with its devices */
};

/** matchAttribute. */
struct constraint {
    struct names requests; /* empty: all */
    const char *attribute;
    const json_t *value; /* of the first device; NULL: none, or by bindings */
    struct device_id first;
    size_t added;
    bool by_bindings;
};

struct wanted_claim {
    const json_t *doc;
    struct request *requests;
    size_t request_count;
    struct constraint *constraints;
    size_t constraint_count;
};

/* ------------------------------------------------------------------------------------------------ where (D3) */

struct candidate_type {
    const char *name;
    const struct instance_type *known; /* NULL if the pool does not have it */
    struct device_list brings;
};

struct candidate {
    const char *id, *node_name, *pool; /* node_name: "" for none */
    struct requirements requirements;
    struct candidate_type *types;
    size_t type_count;
};

/* device_requests.c */
refusal ref_want(const struct scheduler *s, const struct candidate *candidate, struct device_pools pools,
                 const json_t *claim, struct wanted_claim *out);
/** CEL_FAILS if a selector cannot be evaluated. */
int ref_device_matches(struct names selectors, const struct device *device);

/* device_constraints.c */
bool ref_constraint_add(struct constraint *c, const struct candidate_type *type, const struct request_name *name,
                        const struct device *device);
void ref_constraint_remove(struct constraint *c, const struct request_name *name);

/* ------------------------------------------------------------------------------------------------ what is taken (D9)
 */

struct taken {
    const struct device *device;
    size_t claim; /* among those that are searched for */
    struct resources consumed; /* of a shared device */
};

/** What one candidate takes if it becomes one type. */
struct share {
    const char *candidate, *type;
    struct taken *items;
    size_t count;
};

struct shares {
    struct share *items;
    size_t count;
};

struct contribution {
    const char *type;
    struct requirements requirements;
};

/** A claim that got its devices in this round. */
struct held_claim {
    const json_t *doc;
    const char *candidate;
    struct contribution *contributions;
    size_t contribution_count;
    struct requirements total;
    bool template; /* some device is of an instance type */
};

/** A shared device and what claims of the cluster use of it. */
struct shared_use {
    struct device_id id;
    struct resources consumed;
};

/** The pools of a candidate as its last commitment left them. */
struct remembered_pools {
    const char *candidate;
    struct device_pools pools;
};

/** The state of a round. */
struct devices {
    struct slices slices;
    struct device_id *held; /* by claims of the cluster */
    size_t held_count;
    struct shared_use *shared;
    size_t shared_count;
    struct budgets budgets; /* less what claims of the cluster take */
    struct shares shares;
    struct held_claim *claims;
    size_t claim_count;
    struct remembered_pools *pools;
    size_t pool_count;
};

/* device_seeds.c */
bool ref_claim_is_moving(const struct world *world, const json_t *claim);

/* device_amounts.c */
/** What a request takes of a shared device; false if the device does not have it (D8). */
bool ref_consumed(const struct device *device, struct resources wanted, struct resources *out);
bool ref_is_held(const struct devices *d, const struct candidate *candidate, const char *type,
                 const struct device_id *id);
amount ref_capacity_used(const struct devices *d, const struct candidate *candidate, const char *type,
                         const struct device_id *id, const char *dimension);
/** What earlier pods left of a counter; false if there is no such counter. */
bool ref_counter_left(const struct devices *d, const struct candidate *candidate, const struct candidate_type *type,
                      const struct device_id *id, const char *set, const char *name, amount *left);
bool ref_has_counters(const struct devices *d, const struct candidate_type *type, const struct device_id *id);
/** Sums over devices that were taken. */
amount ref_counter_of(const struct taken *items, size_t count, const struct device_id *id, const char *set,
                      const char *name);
amount ref_capacity_of(const struct taken *items, size_t count, const struct device_id *id, const char *dimension);
/** Whole units, away from zero. */
amount ref_whole(amount value);

/* ------------------------------------------------------------------------------------------------ the search (D7) */

struct allocation {
    const char *candidate;
    const char **types; /* that have what is wanted */
    size_t type_count;
    struct requirements requirements;
    bool commits; /* false: every claim had its devices before */
    struct share *shares;
    struct held_claim *claims;
    size_t claim_count;
    struct device_pools pools;
};

/** Whether an answer of a selector is taken for that of every device of the same name. */
bool ref_remembers_selectors(void);

/* device_search.c */
bool ref_device_search(const struct scheduler *s, const struct candidate *candidate, struct device_pools pools,
                       struct wanted_claim *claims, size_t claim_count, struct requirements requirements,
                       struct allocation *out);

#endif
