/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a proof in exact arithmetic. It shares no code with what finds one. */
#ifndef OPTIMISE_CERTIFICATE_H
#define OPTIMISE_CERTIFICATE_H

#include <base/amount.h>
#include <optimise/bound.h>

typedef struct proof_fault {
    enum proof_verdict {
        PROOF_HOLDS,
        PROOF_NEGATIVE,
        PROOF_CLASS_TOO_DEAR,
        PROOF_OFFER_TOO_CHEAP,
        PROOF_NOT_COVERED, /* a row without shares that bear what it holds */
        PROOF_OVERFLOW
    } kind;
    uint32_t offer, class_; /* row and class of the inequality that fails, as far as it has them */
} proof_fault;

/* Whether every inequality holds; *value receives what the proof proves, in 10^-12 $/h. */
bool proof_holds(const bound_problem *p, const bound_proof *proof, amount *value, proof_fault *fault);
/* The same; besides what the row of each existing node spends: what pods that come there can be worth at most. */
bool proof_holds_for(const bound_problem *p, const bound_proof *proof, amount *value, amount *spent,
                     proof_fault *fault);

#endif
