/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file certificate.h  A lower bound on the cost of any plan, and its proof (docs/cost.md).
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_CERTIFICATE_H
#define KARP_CERTIFICATE_H

#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The unit of money in certificates is 10^-12 $/h. */
#define KARP_MONEY_PER_DOLLAR 1000000000000.0

/** Pods that are alike to every rule of the proof. Amounts are in units of their resource. */
typedef struct karp_certificate_class {
    karp_str pod; /**< "namespace/name" of one of them */
    int64_t count; /**< how many there are */
    int64_t price; /**< the least that each costs according to the proof; 10^-12 $/h */
    int64_t limit; /**< how many of them one node may hold; 0 = any number */
    const int64_t *requests; /**< by resource */
} karp_certificate_class;

/**
 * The pods of a class are all in one zone: they are so many of the pods of a workload that is spread over zones as any
 * plan has there. Since 1.0.
 */
typedef struct karp_certificate_zone {
    uint32_t class_number;
    /**
     * In a certificate of a repack plan: of pods of its constraints that run in the zone, at most so many millionths
     * are more than have to be there; else 0.
     */
    uint32_t surplus;
    karp_str zone;
} karp_certificate_zone;

/** What a pod of a class is worth on a node beyond its part of the shares. */
typedef struct karp_certificate_extra {
    uint32_t class_number;
    uint32_t reserved; /**< zero */
    int64_t amount; /**< 10^-12 $/h */
} karp_certificate_extra;

/** The prices of a node: of its resources, and of pods of a class beyond their resources. */
typedef struct karp_certificate_row {
    uint32_t of; /**< the offering, or offer_count + the existing node, whose resources they are */
    uint32_t extra_count;
    const int64_t *capacity; /**< by resource: what the node has for pods */
    /** By resource: what all of it is worth, 10^-12 $/h. If the row has cases, the sum says what no content is worth
     * more than; for an offering that is its cost if the sum is 0. */
    const int64_t *shares;
    const karp_certificate_extra *extras; /**< of classes of which the node may hold only a limited number */
    const uint64_t *classes; /**< bit c: pods of class c can be placed there */
} karp_certificate_row;

/** An offering that may be launched. */
typedef struct karp_certificate_offer {
    karp_str node_pool, instance_type, zone, capacity_type;
    int64_t cost; /**< 10^-12 $/h, with what a node costs beside its price */
    uint32_t row; /**< the row with its prices: its own, or that of an offering that is as large and costs no more */
    uint32_t reserved; /**< zero */
} karp_certificate_offer;

/** A resource that pods request. */
typedef struct karp_certificate_resource {
    karp_str name;
    karp_str unit; /**< the unit of its amounts: a quantity */
} karp_certificate_resource;

/** An existing node: its free resources cost nothing. */
typedef struct karp_certificate_node {
    karp_str name;
    uint32_t row;
    uint32_t reserved; /**< zero */
} karp_certificate_node;

/** Pods of one class on a node. Since 1.0. */
typedef struct karp_certificate_copies {
    uint32_t class_number;
    uint32_t count;
} karp_certificate_copies;

/** The node takes no pods: it is not among the nodes of the certificate. Since 1.0. */
#define KARP_CERTIFICATE_NO_NODE UINT32_MAX

/** A node of the cluster that a repack plan is of. Since 1.0. */
typedef struct karp_certificate_member {
    karp_str name;
    int64_t cost; /**< 10^-12 $/h, with what a node costs beside its price */
    uint32_t node; /**< its number among the nodes of the certificate; KARP_CERTIFICATE_NO_NODE = it has none */
    uint32_t removable; /**< 1 = a plan may remove it; its pods are then evicted */
    size_t pod_count;
    const karp_certificate_copies *pods; /**< of a node that may be removed: all pods that would be evicted */
} karp_certificate_member;

/** The case that has shares. Since 1.0. */
#define KARP_CERTIFICATE_NO_CLASS UINT32_MAX
/** The case says that no whole pods in it are worth more than the offering costs. Since 1.0. */
#define KARP_CERTIFICATE_CONTENTS (UINT32_MAX - 1)

/**
 * A case of what one node may hold, by the number of pods of a class. Such a case is followed by the contents with at
 * most `copies` pods of the class, and then by those with more. A case that is not divided further has shares. Added to
 * the shares is what each pod is worth above its part of them; where the contents have a least number of its class,
 * also what it is worth below. The sum is at most what the offering costs.
 *
 * Or such a case is KARP_CERTIFICATE_CONTENTS, and all that a node may hold in it is looked at: no whole pods are worth
 * more than the offering costs. It is given as one or more entries, each with shares, which bound what can be added to
 * a part of the pods and so save work. `copies` is the number of entries in the first of them (at most 4), and 0 in
 * the others. Since 1.0.
 */
typedef struct karp_certificate_case {
    uint32_t row; /**< the row whose node it is */
    uint32_t class_number; /**< KARP_CERTIFICATE_NO_CLASS, KARP_CERTIFICATE_CONTENTS = not divided further */
    int64_t copies; /**< the number of pods of the class at which the case is divided; the number of entries */
    const int64_t *shares; /**< by resource, 10^-12 $/h; NULL = the case is divided by copies */
} karp_certificate_case;

/** A domain that a group of pods may be in. Since 1.0. */
typedef struct karp_certificate_domain {
    karp_str domain; /**< a value of the topology key; of a spread constraint several, separated by commas */
    const uint32_t *classes; /**< in the order of the group's pods: their classes there */
} karp_certificate_domain;

/**
 * Groups of pods that are alike, each of which is in one domain of its topology key. Their own class has as many copies
 * as they have pods, and goes nowhere: its price times the pods of a group is at most what these cost in each of the
 * domains. Where the key is the host name there are no domains: a copy of the class is all pods of a group. Without a
 * group they are pods of as many spread constraints, beyond those that each domain has: each pod is in another domain,
 * and every set of so many domains is one here. Since 1.0.
 */
typedef struct karp_certificate_choice {
    karp_str group; /**< "namespace/name" of one of them; empty = pods of a spread constraint */
    karp_str topology_key;
    uint32_t class_number;
    uint32_t count; /**< how many groups there are */
    size_t pod_count, domain_count;
    const karp_certificate_copies *pods; /**< of one group: the classes they would have anywhere. Not counted there */
    const karp_certificate_domain *domains;
} karp_certificate_choice;

/** Further prices of pods, which are as valid as those of the classes. Since 1.0. */
typedef struct karp_certificate_prices {
    const int64_t *prices; /**< by class */
    const karp_certificate_row *rows; /**< those of the certificate, with shares and extras for these prices */
    size_t case_count;
    const karp_certificate_case *cases;
} karp_certificate_prices;

/** What the weights of a leaf are parts of. */
#define KARP_CERTIFICATE_PARTS INT64_C(1000000000000)
/** The branch is a leaf. Since 1.0. */
#define KARP_CERTIFICATE_LEAF UINT32_MAX

/** A part of the inequality of some prices: the nodes of a plan are worth at least what all pods cost. Since 1.0. */
typedef struct karp_certificate_weight {
    uint32_t prices; /**< 0 = those of the classes; else the number of the further prices, from 1 on */
    uint32_t reserved; /**< zero */
    int64_t weight; /**< in parts of KARP_CERTIFICATE_PARTS, not negative */
} karp_certificate_weight;

/**
 * A node of a tree over how many nodes a plan has of the offerings of a row. An inner one is followed by the tree for
 * at most `nodes` of them, and then by that for more. A leaf has weights. The inequalities, added up by these, say what
 * the nodes of its plans cost at least. Since 1.0.
 */
typedef struct karp_certificate_branch {
    uint32_t row; /**< KARP_CERTIFICATE_LEAF = a leaf */
    uint32_t weight_count;
    int64_t nodes;
    const karp_certificate_weight *weights;
} karp_certificate_branch;

/** The whole, of which parts are stated in millionths. */
#define KARP_CERTIFICATE_WHOLE 1000000

/** A bound for plans with at most so many evictions. Since 1.0. */
typedef struct karp_certificate_point {
    uint64_t evictions;
    int64_t part; /**< the factor of the prices of pods and of free resources: millionths, 0 … 1,000,000 */
    int64_t eviction_price; /**< 10^-12 $/h */
    int64_t value; /**< no plan with at most so many evictions ends with a lower cost; 10^-12 $/h */
} karp_certificate_point;

/**
 * The proof that no plan for these pods costs less than `value`. In each row, the price of a pod of each class that may
 * run there is at most its part of the shares and its extra. Shares and extras together are at most the cost of the
 * row's offerings. So the pods of a node never cost more than the node. `value` is the price of all pods, less what
 * existing nodes can hold of it. Where fractions of pods would prove little, a row has cases instead.
 *
 * The proof of a repack plan (member_count > 0) also has the costs and the pods of the cluster's nodes. A node that is
 * removed costs at least the price of its pods; one that is kept costs its own cost, less the shares and extras of its
 * row. Evictions have a price, less that of the evictions allowed. The sum over all nodes of the lower of the two
 * bounds the cost of the cluster after any plan. `value` is that of the last point. Filled in by the library, or by the
 * reader of a certificate. Everything in it is borrowed.
 */
typedef struct karp_certificate {
    size_t size;
    int64_t value; /**< 10^-12 $/h */
    double node_cost; /**< what any node costs beside its price, $/h */
    size_t resource_count, class_count, row_count, offer_count, node_count;
    const karp_certificate_resource *resources;
    const karp_certificate_class *classes;
    const karp_certificate_row *rows;
    const karp_certificate_offer *offers;
    const karp_certificate_node *nodes;
    size_t member_count, point_count; /**< of a repack plan; else 0 */
    const karp_certificate_member *members; /**< all nodes of the cluster */
    const karp_certificate_point *points;
    uint32_t ignore_budgets, ignore_consolidate_after; /**< as the options of karp_repack() were */
    size_t case_count; /**< 0 = every row holds by its shares and extras */
    const karp_certificate_case *cases; /**< by row; those of a row stand for its prices and extras */
    double spot_factor; /**< what prices of spot are multiplied by; 0 is as 1 */
    uint32_t ignore_preferences; /**< 1 = preferences do not count */
    uint32_t reserved; /**< zero */
    size_t zone_count;
    const karp_certificate_zone *zones; /**< of classes whose pods are in one zone, by class */
    size_t choice_count;
    const karp_certificate_choice *choices; /**< groups of pods that are in one domain each */
    size_t prices_count, branch_count; /**< 0 = there is no tree */
    const karp_certificate_prices *prices;
    const karp_certificate_branch *branches; /**< a tree, which proves more than prices alone */
} karp_certificate;

/** A bound with its certificate. Immutable; any number of threads may read it. */
typedef struct karp_bound karp_bound;

/**
 * A lower bound on the cost of every plan that places the pods of Karpenter's plan and keeps the preferences that it
 * keeps. Of the options' objective, node_cost, spot_factor, the flag IGNORE_PREFERENCES and the effort are used; half
 * as many steps are spent on the bound of whole pods. With the flag, the pods are those that Karpenter places
 * when it ignores preferences. The caller frees *@p out. Errors: NOMEM, CANCELED, INVALID, RANGE, UNSUPPORTED (a
 * negative price), ABI_*. Since 1.0.
 */
KARP_API karp_status karp_cost_bound(const karp_snapshot *snapshot, const karp_options *options, karp_bound **out,
                                     karp_error *error);
/** The bound in $/h, rounded down. Since 1.0. */
KARP_API double karp_bound_value(const karp_bound *bound);
/** The proof; it lives as long as the bound. Since 1.0. */
KARP_API const karp_certificate *karp_bound_certificate(const karp_bound *bound);
/** Frees it. NULL is allowed. Since 1.0. */
KARP_API void karp_bound_free(karp_bound *bound);

/**
 * The proof of the bound of karp_decision_cost(), or of the bounds of karp_repack() if its options ask for it; NULL
 * when the decision has none. It lives as long as the decision. Since 1.0.
 */
KARP_API const karp_certificate *karp_decision_certificate(const karp_decision *decision);

/**
 * Checks that the certificate proves its value for this snapshot under these options, in exact arithmetic: whole
 * numbers, each part rounded down. Its pods, offerings and nodes have to match the snapshot. Any input is safe. Errors:
 * INVALID (it does not hold, and why), NOMEM, CANCELED, RANGE, UNSUPPORTED (a negative price), ABI_*. Since 1.0.
 */
KARP_API karp_status karp_certificate_check(const karp_snapshot *snapshot, const karp_options *options,
                                            const karp_certificate *certificate, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
