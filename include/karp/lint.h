/* SPDX-License-Identifier: Apache-2.0 */
/** @file lint.h  What is wrong, or is likely to be, in NodePools, pods and budgets, before anything is decided. */
#ifndef KARP_LINT_H
#define KARP_LINT_H

#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How bad a finding is. Numbers and names never change. */
enum {
    KARP_LINT_INFO = 0, /**< worth to know */
    KARP_LINT_WARNING = 1, /**< hardly meant so */
    KARP_LINT_ERROR = 2 /**< cannot work */
};

/** "info", "warning", "error"; "unknown" for a number that is none. Since 0.1. */
KARP_API const char *karp_lint_severity_name(uint32_t severity);

/** A rule; docs/lint.md has an example of each. Texts are static. Since 0.1. */
typedef struct karp_lint_rule {
    size_t size;
    const char *name; /**< "no-instance-type": never changes */
    const char *summary; /**< one line of English */
    uint32_t severity; /**< KARP_LINT_* */
    uint32_t reserved; /**< 0 */
} karp_lint_rule;

/** Rule @p index, from 0, in the order of names. The size of @p out must be set. Errors: NOT_FOUND beyond the last, ABI_SIZE.
 * Any thread. Since 0.1. */
KARP_API karp_status karp_lint_rule_at(size_t index, karp_lint_rule *out);

/** One thing that was found. Texts belong to the result. Since 0.1. */
typedef struct karp_lint_finding {
    size_t size;
    const char *rule; /**< the name of a rule */
    uint32_t severity; /**< KARP_LINT_* */
    uint32_t reserved; /**< 0 */
    karp_str kind; /**< "NodePool" */
    karp_str object; /**< "default", "shop/web-0": the first one, where it is about equal pods */
    karp_str field; /**< "spec.limits.cpu"; "" = the object as a whole */
    karp_str text; /**< English: what is wrong, with the values */
    karp_str remedy; /**< English: what to do; "" = nothing to say */
} karp_lint_finding;

/** What was found in a snapshot; immutable, usable from several threads. Since 0.1. */
typedef struct karp_lint karp_lint;

/**
 * Looks at every NodePool, pod and PodDisruptionBudget of the snapshot by all rules. Nothing is decided. Findings come by kind,
 * object, rule and field. Errors: NOMEM, LIMIT, CANCELED. The result is the caller's, and outlives the snapshot. Since 0.1.
 */
KARP_API karp_status karp_lint_snapshot(const karp_snapshot *snapshot, karp_lint **out, karp_error *error);
/** Frees it. NULL is allowed. Since 0.1. */
KARP_API void karp_lint_free(karp_lint *lint);
/** How many findings there are. Since 0.1. */
KARP_API size_t karp_lint_count(const karp_lint *lint);
/** Finding @p index, borrowed. The size of @p out must be set. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 0.1. */
KARP_API karp_status karp_lint_at(const karp_lint *lint, size_t index, karp_lint_finding *out);

/**
 * What Karpenter's validation refuses first in the NodePool of that name, among its requirements, the labels of its template and
 * its taints: static text that follows the key in a sentence; @p key (may be NULL) receives the key, borrowed from @p snapshot.
 * NULL = nothing, or no such pool.
 * Decisions go by the pool's conditions alone. Any thread. Since 0.1.
 */
KARP_API const char *karp_snapshot_pool_fault(const karp_snapshot *snapshot, karp_str pool, karp_str *key);

#ifdef __cplusplus
}
#endif
#endif
