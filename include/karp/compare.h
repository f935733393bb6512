/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file compare.h  Answers side by side: what two versions of Karpenter decide differently, designs of a cluster by
 * their plans, and the rounds of a settlement as a document (docs/versions.md; docs/formats.md, "Designs side by side",
 * "Settled").
 *
 * Everything in this file is since 1.0.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_COMPARE_H
#define KARP_COMPARE_H

#include <karp/io.h>
#include <karp/settle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- two ways to decide ------------------------------------------------------------------------------------------ */

/** A side: a cluster, and how it is decided on. */
typedef struct karp_diff_side {
    size_t size;
    karp_str name; /**< as documents show it, such as "karpenter-1.14" */
    const karp_snapshot *snapshot;
    const karp_options *options; /**< of all decisions; NULL = the defaults */
    uint32_t method; /**< of the disruption pass: KARP_METHOD_*; KARP_METHOD_REPACK = the steps of karp_repack() */
    uint32_t reserved; /**< 0 */
} karp_diff_side;

/** What a difference is about. Numbers never change. */
enum {
    KARP_DIFFERENCE_LAUNCH = 0, /**< the NodePool and the pods of a launch */
    KARP_DIFFERENCE_PLACEMENT = 1, /**< a pod on an existing node */
    KARP_DIFFERENCE_REFUSAL = 2, /**< a pod that is unschedulable or not considered */
    KARP_DIFFERENCE_COMMAND = 3, /**< the nodes of a disruption command */
    KARP_DIFFERENCE_NODE = 4 /**< a node that stays */
};

/** An answer that only one side gives, or that differs. Texts are borrowed. */
typedef struct karp_difference {
    size_t size;
    uint32_t kind; /**< KARP_DIFFERENCE_* */
    uint32_t reserved; /**< 0 */
    karp_str subject; /**< what it is about: "default: shop/web-0 shop/web-1", "shop/web-0", "node-7" */
    karp_str before; /**< the first side's answer; {NULL,0} = it says nothing about the subject */
    karp_str after; /**< the same of the second side */
    /** rules that make the difference, each by itself, with the bits of karp_options.flip_rules; 0 = none does */
    uint64_t rules;
} karp_difference;

/** The differences of two sides. Immutable: several threads may read it. */
typedef struct karp_diff karp_diff;

/**
 * Decides both sides, on launches and on one disruption pass, and finds what differs. Where the rules of Karpenter that
 * the sides follow differ, each of these rules is switched by itself on both sides, to find the differences that it
 * makes. The caller owns *@p out (karp_diff_free()). Errors: INVALID, those of karp_provision(), karp_disrupt() and
 * karp_repack(), ABI_*. Any thread; the work is that of two decisions, and of two more for each rule.
 */
KARP_API karp_status karp_compare_decisions(karp_context *context, const karp_diff_side *before,
                                            const karp_diff_side *after, karp_diff **out, karp_error *error);
/** NULL is allowed. */
KARP_API void karp_diff_free(karp_diff *diff);
/** How many differences there are. */
KARP_API size_t karp_diff_count(const karp_diff *diff);
/** Difference @p index, by kind, subject and answer. Errors: NOT_FOUND beyond the end, INVALID, ABI_SIZE. */
KARP_API karp_status karp_diff_at(const karp_diff *diff, size_t index, karp_difference *out);
/** The rules that only one side follows, with the bits of karp_options.flip_rules. */
KARP_API uint64_t karp_diff_rules(const karp_diff *diff);
/** Writes a Diff. Formats: JSON, TEXT, MARKDOWN. */
KARP_API karp_status karp_write_diff(karp_context *context, const karp_diff *diff, const karp_write_options *options,
                                     karp_text *out, karp_error *error);

/* ---- designs ----------------------------------------------------------------------------------------------------- */

/** What a design would come to with one of its differences alone. */
typedef struct karp_design_alone {
    double price; /**< $/h */
    size_t pods_left;
    size_t known; /**< 0 = the difference cannot be applied alone */
} karp_design_alone;

/** A design: a cluster and its plan. What it refers to outlives the comparison. */
typedef struct karp_design {
    size_t size;
    karp_str name;
    /** that has read the cluster, with keep_documents where fields are compared; NULL = the cluster is the first's */
    karp_reader *reader;
    const karp_snapshot *snapshot; /**< whose pods run; NULL = only pods of the plan are compared */
    const karp_decision *plan; /**< of karp_provision() or karp_what_if() */
    const karp_settlement *settlement; /**< what the plan comes to; NULL = the plan is the only round */
    const karp_drift *drift; /**< of the nodes that the design makes drift; NULL = none */
    /** notes; those that begin with KARP_PROBLEM come first and are listed apart */
    const karp_str *warnings;
    size_t warning_count;
    const karp_design_alone *alone; /**< for each field that differs from the first design; NULL = not computed */
    size_t alone_count;
    const double *saved; /**< of karp_reader_price_requests(); NULL = requests do not change */
    size_t saved_count;
} karp_design;

/** The nodes of a NodePool, a zone, a capacity type or an instance type. */
typedef struct karp_design_group {
    karp_str name; /**< "" = nodes outside NodePools */
    size_t nodes;
    double price; /**< $/h of all of them */
} karp_design_group;

/** What a design comes to. Texts and lists are borrowed. */
typedef struct karp_design_totals {
    size_t size;
    karp_str name; /**< of the design */
    size_t nodes; /**< that exist or are launched, without those that are removed */
    size_t launches;
    size_t pods_placed;
    size_t pods_left; /**< pending pods without a node */
    double price; /**< $/h of all nodes */
    double spot_price; /**< $/h of spot nodes */
    double cpu_requested; /**< cores */
    double cpu_allocatable;
    double memory_requested; /**< bytes */
    double memory_allocatable;
    const karp_design_group *node_pools; /**< each list by name */
    size_t node_pool_count;
    const karp_design_group *zones;
    size_t zone_count;
    const karp_design_group *capacity_types;
    size_t capacity_type_count;
    const karp_design_group *instance_types;
    size_t instance_type_count;
} karp_design_totals;

/** A pod that is elsewhere in a design than in the first one. Texts are borrowed; {NULL,0} = the pod is not there. */
typedef struct karp_design_move {
    size_t size;
    karp_str pod;
    karp_str before; /**< "node worker-3", "new m7i.large us-west-2a spot of pool default", "no node: …" */
    karp_str after;
    karp_str group_before; /**< the same without instance type and zone, by which moves are summed up */
    karp_str group_after;
} karp_design_move;

/** A field that differs from the first design. Texts are borrowed. */
typedef struct karp_design_field {
    size_t size;
    karp_str object; /**< "NodePool spot" */
    karp_str field; /**< "spec.limits.cpu"; "" = the whole object */
    karp_str before; /**< JSON; "" = absent */
    karp_str after;
    double alone_price; /**< $/h of the first design with this difference alone */
    size_t alone_left; /**< the pods that it leaves */
    uint32_t alone; /**< 0 = neither is known */
    uint32_t reserved; /**< 0 */
} karp_design_field;

/** Designs, and how each differs from the first. Immutable: several threads may read it. */
typedef struct karp_comparison karp_comparison;

/**
 * Adds up each design, and compares the others with the first: pods that move, and fields of objects that people write,
 * where both have readers. @p designs is an array of @p count structs of one size, which is copied; what they refer to
 * is not. The caller owns *@p out (karp_comparison_free()). Errors: INVALID (no design; one without a plan; a reader
 * that is not finished), those of the getters of decisions, NOMEM, ABI_*. One thread at a time for each reader.
 */
KARP_API karp_status karp_compare_designs(karp_context *context, const karp_design *designs, size_t count,
                                          karp_comparison **out, karp_error *error);
/**
 * Compares the settled cluster ("settled") with the first decision on pods ("first round", or "round 2" where static
 * NodePools came before). @p settlement outlives the comparison. Errors: as of karp_compare_designs().
 */
KARP_API karp_status karp_compare_settlement(karp_context *context, const karp_settlement *settlement,
                                             karp_comparison **out, karp_error *error);
/** NULL is allowed. */
KARP_API void karp_comparison_free(karp_comparison *comparison);
/** The totals of design @p design. Errors: NOT_FOUND beyond the end, INVALID, ABI_SIZE. */
KARP_API karp_status karp_comparison_totals(const karp_comparison *comparison, size_t design, karp_design_totals *out);
/** How many pods of design @p design move; 0 of the first, and beyond the end. */
KARP_API size_t karp_comparison_move_count(const karp_comparison *comparison, size_t design);
/** Move @p index, by the names of pods. Errors: NOT_FOUND beyond the end, INVALID, ABI_SIZE. */
KARP_API karp_status karp_comparison_move(const karp_comparison *comparison, size_t design, size_t index,
                                          karp_design_move *out);
/** How many fields of manifests differ in design @p design; 0 of the first, and beyond the end. */
KARP_API size_t karp_comparison_field_count(const karp_comparison *comparison, size_t design);
/** Field @p index, by kind and name of the object. Errors: NOT_FOUND beyond the end, INVALID, ABI_SIZE. */
KARP_API karp_status karp_comparison_field(const karp_comparison *comparison, size_t design, size_t index,
                                           karp_design_field *out);
/** Writes a Comparison. Format: JSON. Of the options, `compact` and `values` are read. */
KARP_API karp_status karp_write_comparison(karp_context *context, const karp_comparison *comparison,
                                           const karp_write_options *options, karp_text *out, karp_error *error);
/** Writes a Settlement: the rounds, and its first and last decision as designs. Format: JSON. */
KARP_API karp_status karp_write_settlement(karp_context *context, const karp_settlement *settlement,
                                           const karp_write_options *options, karp_text *out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
