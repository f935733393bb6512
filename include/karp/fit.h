/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file fit.h  What to start for plain demands: for callers that have no Kubernetes objects (batch systems, Ray, Slurm).
 *
 * Demands are amounts times a count, node types are amounts and a price. There are no pods, pools, topologies or names of
 * nodes; a thousand equal demands cost as much as one. It is a fit of its own, not Karpenter's decision; the rules:
 *
 *  1. Units are single demands, or groups of them that are placed whole or not at all. They are taken by descending
 *     priority, then by descending size (the largest part that a demand takes of what any node could give), then in the
 *     order of the request. A group takes the place of its foremost member.
 *  2. The copies of a demand go to existing nodes, in the order of the request, then to those launched so far, in the
 *     order of their launch, as many to each as it holds.
 *  3. For what is left the type is launched whose next node takes copies at the least price per copy; among equals the one
 *     that takes more, then the one listed first.
 *  4. A copy that finds no place is left over, with a reason. A group of which a copy finds no place leaves no trace.
 *
 * With the objective COST the nodes of rule 3 are bought anew once all is placed: the copies on them go to the cheapest nodes
 * that a search finds, never dearer ones; which copies have a place, and what existing nodes and those of min_nodes receive, stays.
 * How cheap it could be at most is told beside it.
 *
 * Amounts are exact: nothing is rounded, and what cannot be counted exactly is an error. Equal requests give equal answers.
 */
#ifndef KARP_FIT_H
#define KARP_FIT_H

#include <karp/objective.h>
#include <karp/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A type of node that can be started. */
typedef struct karp_fit_type {
    karp_str name; /**< for error messages; may be "" */
    const karp_resource *resources; /**< what a new node offers; a resource it does not name is 0 */
    size_t resource_count;
    const karp_label *labels; /**< what selectors of demands look at */
    size_t label_count;
    double price; /**< per hour; finite, not negative. Multiply it by a factor to prefer or avoid a type */
    uint64_t max_nodes; /**< at most so many are launched; 0 = any number */
    uint64_t min_nodes; /**< so many are launched in any case, before everything else */
    uint64_t reserved; /**< 0 */
} karp_fit_type;

/** Nodes that are there already. They cost nothing. */
typedef struct karp_fit_node {
    karp_str name; /**< for error messages; may be "" */
    const karp_resource *free; /**< what is left of each of them */
    size_t free_count;
    const karp_label *labels;
    size_t label_count;
    uint64_t count; /**< so many that are equal; 0 = 1 */
    uint64_t reserved; /**< 0 */
} karp_fit_node;

/** Equal demands. */
typedef struct karp_fit_demand {
    const karp_resource *requests; /**< of each copy; may be empty */
    size_t request_count;
    const karp_selector
        *selector; /**< labels a node needs; NULL = any node. Operators In, NotIn, Exists, DoesNotExist */
    uint64_t count; /**< copies; 0 = none */
    uint64_t max_per_node; /**< copies on one node; 0 = any number, 1 = each on a node of its own */
    uint32_t group; /**< demands of equal numbers are placed all or none; 0 = each copy by itself */
    int32_t priority; /**< higher first */
    uint64_t reserved; /**< 0 */
} karp_fit_demand;

/** Everything karp_fit() reads; all of it may be freed after the call. */
typedef struct karp_fit_request {
    size_t size;
    const karp_fit_type *types;
    size_t type_count;
    const karp_fit_node *nodes;
    size_t node_count;
    const karp_fit_demand *demands;
    size_t demand_count;
    int32_t (*should_stop)(
        void *
            user); /**< non-zero = stop with KARP_E_CANCELED, or once all is placed with what is found so far; NULL = never */
    void *stop_user;
    uint64_t
        max_launches; /**< at most so many nodes of all types together; 0 = any number. Not less than all min_nodes */
    uint32_t objective; /**< KARP_OBJECTIVE_COMPATIBLE: the rules above; KARP_OBJECTIVE_COST: the least cost */
    uint32_t reserved; /**< 0 */
    uint64_t effort; /**< of COST: steps of work as in karp_objective; karp_fit_request_init() sets KARP_EFFORT_100MS */
} karp_fit_request;

/** Sets the size and the effort of @p request; everything else is 0. Since 0.1. */
KARP_API void karp_fit_request_init(karp_fit_request *request, size_t size);

/** Why copies were left over. Values never change. */
enum {
    KARP_FIT_SELECTOR = 1, /**< no type and no node has the labels; permanent */
    KARP_FIT_TOO_LARGE = 2, /**< none of those with the labels is large enough, even when empty; permanent for types */
    KARP_FIT_FULL = 3, /**< the nodes are full and max_nodes or max_launches is reached */
    KARP_FIT_GROUP = 4 /**< another copy of its group found no place */
};

/** "TOO_LARGE" …; "" for a number that is none. Since 0.1. */
KARP_API const char *karp_fit_reason_name(uint32_t reason);

/** The answer: immutable, owns everything it shows; single ownership, may be read by several threads. */
typedef struct karp_fitting karp_fitting;

/**
 * Places demands on existing nodes and on nodes to launch, by the rules above. @p request may not be NULL.
 * The work grows with the number of different demands times that of types, and hardly with that of nodes (more when demands
 * have selectors); it does not grow with counts.
 * Errors: INVALID (an amount, price or operator; the field is named), RANGE (amounts of one resource that have no common
 * 62-bit scale; counts or a cost beyond what can be represented), LIMIT, CANCELED, NOMEM, ABI_*. Since 0.1.
 */
KARP_API karp_status karp_fit(karp_context *context, const karp_fit_request *request, karp_fitting **out,
                              karp_error *error);

/** Frees it. NULL is allowed. Since 0.1. */
KARP_API void karp_fitting_free(karp_fitting *fitting);

/** How many nodes of type @p type to launch, min_nodes included; 0 beyond the end. Since 0.1. */
KARP_API uint64_t karp_fitting_launches(const karp_fitting *fitting, size_t type);

/** Price per hour of everything that is launched. Since 0.1. */
KARP_API double karp_fitting_cost(const karp_fitting *fitting);

/**
 * What an answer of the objective COST says of its cost, in the unit of the types' prices, with the types' min_nodes: its cost, that of
 * the rules alone (compatible_cost), and a bound that no launches go below for the copies that have a place; the gap is negative when
 * no bound is known. Errors: NOT_FOUND (it had another objective), INVALID, ABI_*. Since 0.1.
 */
KARP_API karp_status karp_fitting_objective(const karp_fitting *fitting, karp_cost *out);

/** Copies of one demand on a node. */
typedef struct karp_fit_share {
    uint64_t copies;
    uint32_t demand; /**< index in the request */
    uint32_t reserved; /**< 0 */
} karp_fit_share;

/** Nodes that are loaded alike. */
typedef struct karp_fit_load {
    size_t size;
    uint32_t launched; /**< 1 = new nodes of type `index`, 0 = of the nodes `index` that exist */
    uint32_t index; /**< in the request's types or nodes */
    uint64_t nodes; /**< how many */
    const karp_fit_share *shares; /**< what each of them receives, in the order in which it came; empty = nothing */
    size_t share_count;
} karp_fit_load;

/** Existing nodes that receive something, in the order of the request; then launches, in the order in which they were made. Since 0.1. */
KARP_API size_t karp_fitting_load_count(const karp_fitting *fitting);
/** Fills @p out, whose size must be set; borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 0.1. */
KARP_API karp_status karp_fitting_load(const karp_fitting *fitting, size_t index, karp_fit_load *out);

/** Copies that found no place. */
typedef struct karp_fit_left {
    size_t size;
    uint64_t copies;
    uint32_t demand; /**< index in the request */
    uint32_t reason; /**< KARP_FIT_* */
    uint32_t permanent; /**< 1 = not even with any number of nodes of these types */
    uint32_t reserved;
} karp_fit_left;

/** Demands with copies left over, in the order of the request. Since 0.1. */
KARP_API size_t karp_fitting_left_count(const karp_fitting *fitting);
/** Fills @p out, whose size must be set. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 0.1. */
KARP_API karp_status karp_fitting_left(const karp_fitting *fitting, size_t index, karp_fit_left *out);

#ifdef __cplusplus
}
#endif
#endif
