/* SPDX-License-Identifier: Apache-2.0 */
/** @file lint.h  Mistakes and likely mistakes in NodePools, pods and budgets. */
#ifndef KARP_LINT_H
#define KARP_LINT_H

#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How bad a finding is. Numbers and names never change. */
enum {
    KARP_LINT_INFO = 0, /**< worth knowing */
    KARP_LINT_WARNING = 1, /**< probably a mistake */
    KARP_LINT_ERROR = 2 /**< cannot work */
};

/** "info", "warning", "error"; "unknown" for any other number. Since 1.0. */
KARP_API const char *karp_lint_severity_name(uint32_t severity);

/** A rule; docs/lint.md has an example of each. Texts are static. Since 1.0. */
typedef struct karp_lint_rule {
    size_t size;
    const char *name; /**< "no-instance-type": never changes */
    const char *summary; /**< one line of English */
    uint32_t severity; /**< KARP_LINT_* */
    uint32_t reserved; /**< 0 */
} karp_lint_rule;

/** Rule @p index, from 0, in the order of names. The size of @p out must be set. Errors: NOT_FOUND beyond the last,
 * ABI_SIZE. Any thread. Since 1.0. */
KARP_API karp_status karp_lint_rule_at(size_t index, karp_lint_rule *out);

/** One finding. Texts are borrowed from the result. Since 1.0. */
typedef struct karp_lint_finding {
    size_t size;
    const char *rule; /**< the name of a rule */
    uint32_t severity; /**< KARP_LINT_* */
    uint32_t reserved; /**< 0 */
    karp_str kind; /**< "NodePool" */
    karp_str object; /**< "default", "shop/web-0": of equal pods the first one */
    karp_str field; /**< "spec.limits.cpu"; "" = the whole object */
    karp_str text; /**< English: what is wrong, with the values */
    karp_str remedy; /**< English: what to do; "" = unknown */
} karp_lint_finding;

/** The findings in a snapshot; immutable, may be read by several threads. Since 1.0. */
typedef struct karp_lint karp_lint;

/**
 * Checks every NodePool, pod and PodDisruptionBudget of the snapshot by all rules. Findings are ordered by kind,
 * object, rule and field. Errors: RANGE, NOMEM, LIMIT, CANCELED. The result is the caller's, and outlives the snapshot.
 * Since 1.0.
 */
KARP_API karp_status karp_lint_snapshot(const karp_snapshot *snapshot, karp_lint **out, karp_error *error);
/** Frees it. NULL is allowed. Since 1.0. */
KARP_API void karp_lint_free(karp_lint *lint);
/** How many findings there are. Since 1.0. */
KARP_API size_t karp_lint_count(const karp_lint *lint);
/** Finding @p index, borrowed. The size of @p out must be set. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0.
 */
KARP_API karp_status karp_lint_at(const karp_lint *lint, size_t index, karp_lint_finding *out);

/**
 * What Karpenter's validation refuses first in the NodePool of that name, among its requirements, the labels of its
 * template and its taints: static text that follows the key in a sentence; @p key (may be NULL) receives the key,
 * borrowed from @p snapshot. NULL = nothing, or no such pool. Decisions use only the pool's conditions. Any thread.
 * Since 1.0.
 */
KARP_API const char *karp_snapshot_pool_fault(const karp_snapshot *snapshot, karp_str pool, karp_str *key);

#ifdef __cplusplus
}
#endif
#endif
