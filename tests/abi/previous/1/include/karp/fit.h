/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file fit.h  Which nodes to launch for plain demands: for callers without Kubernetes objects (batch systems, Ray,
 * Slurm).
 *
 * A demand is a list of amounts and a number of copies; a type of node is a list of amounts and a price. There are no
 * pods, NodePools or topologies. A thousand equal demands take as long as one. This is not a decision of Karpenter's;
 * its rules are:
 *
 *  1. Demands are placed by descending priority, then by descending size, then in the order of the request. The size
 *     of a demand is the largest share that it takes of a resource: of the most that any node has of it. A group is
 *     placed as a whole or not at all, at the turn of its first member.
 *  2. The copies of a demand go to existing nodes in the order of the request, then to the nodes launched so far in
 *     the order of their launch. Each node receives as many as it holds.
 *  3. For copies that are left, a node of the type with the least price per copy is launched. Of equal types, that
 *     which takes more copies is launched, then the first of the request.
 *  4. A copy without a place is left over, with a reason. If a copy of a group has no place, no copy of it is placed.
 *
 * With the objective COST the nodes of rule 3 are chosen again when everything is placed. The copies on them go to the
 * cheapest nodes that a search finds, which never cost more. Which copies have a place does not change, nor what
 * existing nodes and those of min_nodes receive. The answer then has a bound: no choice costs less.
 *
 * Amounts are exact. Nothing is rounded, and an amount that cannot be counted exactly is an error. Equal requests give
 * equal answers. An answer may be read by several threads at once. Everything in this file is since 1.0.
 */
#ifndef KARP_FIT_H
#define KARP_FIT_H

#include <karp/objective.h>
#include <karp/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A type of node that can be launched. Input only. */
typedef struct karp_fit_type {
    karp_str name; /**< for error messages; may be "" */
    const karp_resource *resources; /**< amounts of a new node; of other resources it has 0 */
    size_t resource_count;
    const karp_label *labels; /**< for the selectors of demands */
    size_t label_count;
    double price; /**< per hour; finite, not negative. A factor on it makes the type preferred or avoided */
    uint64_t max_nodes; /**< how many are launched at most; 0 = any number */
    uint64_t min_nodes; /**< how many are launched in any case, before everything else */
    uint64_t reserved; /**< 0 */
} karp_fit_type;

/** Existing nodes. They cost nothing. Input only. */
typedef struct karp_fit_node {
    karp_str name; /**< for error messages; may be "" */
    const karp_resource *free; /**< free amounts of each of them */
    size_t free_count;
    const karp_label *labels;
    size_t label_count;
    uint64_t count; /**< how many equal nodes these are; 0 = 1 */
    uint64_t reserved; /**< 0 */
} karp_fit_node;

/** Equal demands. Input only. */
typedef struct karp_fit_demand {
    const karp_resource *requests; /**< amounts that each copy requests; may be empty */
    size_t request_count;
    /** labels that the node needs; NULL = any node. Operators In, NotIn, Exists, DoesNotExist */
    const karp_selector *selector;
    uint64_t count; /**< number of copies; 0 = none */
    uint64_t max_per_node; /**< most copies on one node; 0 = any number, 1 = each on a node of its own */
    uint32_t group; /**< demands of the same group are placed all or none; 0 = each copy is placed by itself */
    int32_t priority; /**< higher ones first */
    uint64_t reserved; /**< 0 */
} karp_fit_demand;

/** Everything that karp_fit() reads. All of it may be freed after the call. */
typedef struct karp_fit_request {
    size_t size;
    const karp_fit_type *types;
    size_t type_count;
    const karp_fit_node *nodes;
    size_t node_count;
    const karp_fit_demand *demands;
    size_t demand_count;
    /**
     * A return value other than 0 stops: with KARP_E_CANCELED, or, when everything is placed, with what is found so
     * far. NULL = never.
     */
    int32_t (*should_stop)(void *user);
    void *stop_user; /**< passed to should_stop */
    /** How many nodes of all types are launched at most; 0 = any number. Not less than all min_nodes together. */
    uint64_t max_launches;
    uint32_t objective; /**< KARP_OBJECTIVE_COMPATIBLE: the rules above; KARP_OBJECTIVE_COST: the least cost */
    uint32_t reserved; /**< 0 */
    uint64_t effort; /**< with COST: steps of work (karp_objective); karp_fit_request_init() sets KARP_EFFORT_100MS */
} karp_fit_request;

/** Sets the defaults: the size and the effort of @p request, everything else 0. Since 1.0. */
KARP_API void karp_fit_request_init(karp_fit_request *request, size_t size);

/** Why copies are left over. Values never change. */
enum {
    KARP_FIT_SELECTOR = 1, /**< no type and no existing node has the labels; permanent */
    KARP_FIT_TOO_LARGE = 2, /**< with these labels, no empty node is large enough; permanent for types */
    KARP_FIT_FULL = 3, /**< the nodes are full, and max_nodes or max_launches is reached */
    KARP_FIT_GROUP = 4 /**< another copy of its group has no place */
};

/** The name of a reason, "TOO_LARGE" and so on. "" for any other number. Lives as long as the library. Since 1.0. */
KARP_API const char *karp_fit_reason_name(uint32_t reason);

/** The answer. Immutable; owns everything that it returns. It has one owner, and may be read by several threads. */
typedef struct karp_fitting karp_fitting;

/**
 * Places demands on existing nodes and on nodes to launch, by the rules above. @p request may not be NULL. The work
 * grows with the number of different demands times the number of types. It hardly grows with the number of nodes (more
 * if demands have selectors), and not with counts. The caller owns *@p out (karp_fitting_free()). Errors: UNSUPPORTED
 * (an objective, in a build without cost plans), INVALID (an amount, price or operator; the field is named), RANGE (the
 * amounts of a resource have no common 62-bit scale, or a count or cost is too large), LIMIT, CANCELED, NOMEM, ABI_*.
 * Since 1.0.
 */
KARP_API karp_status karp_fit(karp_context *context, const karp_fit_request *request, karp_fitting **out,
                              karp_error *error);

/** Frees an answer. NULL is allowed. Since 1.0. */
KARP_API void karp_fitting_free(karp_fitting *fitting);

/** How many nodes of type @p type are launched, including min_nodes. 0 beyond the end. Since 1.0. */
KARP_API uint64_t karp_fitting_launches(const karp_fitting *fitting, size_t type);

/** Price per hour of all nodes that are launched. Since 1.0. */
KARP_API double karp_fitting_cost(const karp_fitting *fitting);

/**
 * Fills @p out with the costs of an answer with the objective COST, in the unit of the types' prices and including
 * min_nodes: its cost, the cost of the rules alone (compatible_cost), and a bound. No launches for the copies that have
 * a place cost less than the bound. The gap is negative when no bound is known. Errors: NOT_FOUND (it had another
 * objective), INVALID, ABI_*. Since 1.0.
 */
KARP_API karp_status karp_fitting_objective(const karp_fitting *fitting, karp_cost *out);

/** Copies of a demand on one node. */
typedef struct karp_fit_share {
    uint64_t copies;
    uint32_t demand; /**< index in the request */
    uint32_t reserved; /**< 0 */
} karp_fit_share;

/** Nodes that receive the same copies. */
typedef struct karp_fit_load {
    size_t size;
    uint32_t launched; /**< 1 = new nodes of the type `index`, 0 = existing nodes of the entry `index` */
    uint32_t index; /**< in the types or nodes of the request */
    uint64_t nodes; /**< how many nodes */
    const karp_fit_share *shares; /**< what each of them receives, in the order of placement; empty = nothing */
    size_t share_count;
} karp_fit_load;

/**
 * Number of loads: existing nodes that receive something in the order of the request, then launches in their order.
 * Since 1.0.
 */
KARP_API size_t karp_fitting_load_count(const karp_fitting *fitting);
/** Load @p index, borrowed from @p fitting. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_fitting_load(const karp_fitting *fitting, size_t index, karp_fit_load *out);

/** Copies without a place. */
typedef struct karp_fit_left {
    size_t size;
    uint64_t copies;
    uint32_t demand; /**< index in the request */
    uint32_t reason; /**< KARP_FIT_* */
    uint32_t permanent; /**< 1 = no number of nodes of these types would give them a place */
    uint32_t reserved; /**< 0 */
} karp_fit_left;

/** Number of demands with copies left over, in the order of the request. Since 1.0. */
KARP_API size_t karp_fitting_left_count(const karp_fitting *fitting);
/** Demand @p index of those with copies left over. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_fitting_left(const karp_fitting *fitting, size_t index, karp_fit_left *out);

#ifdef __cplusplus
}
#endif
#endif
