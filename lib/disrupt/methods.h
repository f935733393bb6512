/* SPDX-License-Identifier: Apache-2.0 */
/* What a disruption method does in a pass. */
#pragma once

#include <disrupt/pass.h>

typedef uint32_t eligible_function(const pass *p, const candidate *c);
/* Appends commands, or records in `stays` why there are none. Status: OK, NOMEM. */
typedef karp_status method_function(pass *p, karp_error *error);
typedef bool offered_function(const pass *p);

typedef struct disrupt_method {
    uint32_t number; /* KARP_METHOD_* */
    uint32_t budget; /* KARP_BUDGET_*; 0 = no reason that a budget could name */
    uint32_t claims; /* CLAIM_* */
    bool eventual, static_pools; /* METHOD_* */
    eligible_function *eligible; /* KARP_REASON_NONE, or why the candidate is kept */
    method_function *run; /* NULL = no method of a pass */
    offered_function *offered; /* NULL = always */
} disrupt_method;

/* The method of this place in the order of a pass; NULL beyond the end. */
const disrupt_method *method_at(size_t index);
/* The method of a number that is known. */
const disrupt_method *method_numbered(uint32_t method);
/* Looks at nodes for this method from now on. */
void pass_set_method(pass *p, uint32_t method);

/* ---- the functions of the rows, each in the file of its method --------------------------------------------------- */

eligible_function eligible_for_repair, eligible_expired, eligible_empty, eligible_static, eligible_drifted;
eligible_function eligible_to_consolidate, eligible_to_repack; /* candidates.c */
method_function method_repair, method_emptiness, method_static_drift, method_drift, method_multi_node;
method_function method_single_node;
offered_function expiration_offered;
/* Whether the rule is in force, the feature gate is on, and there are policies. */
offered_function repair_offered;
