/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a proof in exact arithmetic. Shares no code with the search for proofs. */
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
        PROOF_NOT_COVERED, /* a row without shares whose covering row does not cover it */
        PROOF_OVERFLOW
    } kind;
    uint32_t offer, class_; /* row and class of the violated inequality, if it has them */
} proof_fault;

/* Whether every inequality holds. *value receives the proven bound, in 10^-12 $/h. */
bool proof_holds(const bound_problem *p, const bound_proof *proof, amount *value, proof_fault *fault);
/* The same, and also the charge of each existing node's row, which is the most that pods placed there can be worth. */
bool proof_holds_for(const bound_problem *p, const bound_proof *proof, amount *value, amount *spent,
                     proof_fault *fault);

#endif
