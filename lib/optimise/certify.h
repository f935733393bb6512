/* SPDX-License-Identifier: Apache-2.0 */
/* The bound on the plans of a round, its certificate, and checking a certificate against its snapshot. */
#pragma once

#include <decision/decision.h>
#include <optimise/bound.h>
#include <schedule/relaxed.h>

/* Lower bound on the cost of plans that place the same pods as a finished round. */
typedef struct round_bound {
    relaxed question;
    bound_problem problem;
    bound_proof proof;
    bound_tree tree; /* its first proof is `proof`; without nodes, the value is that of the proof */
    double node_cost, spot_factor;
    bool ignores_preferences;
    int64_t value; /* in 10^-12 $/h; at least 0 */
} round_bound;

/* What the problem knows of domains. */
typedef struct bound_parts {
    int32_t most_skew; /* classes are divided by zones for spread constraints with at most this maxSkew; 0 = none are */
    bool choices; /* groups of pods have choices of domains */
} bound_parts;

/* Makes the problem without a proof. Costs include the additional cost of a node. The lists are allocated in `a`. false
 * = out of memory. */
bool round_problem(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, const bound_parts *parts,
                   round_bound *out);
/* Limits the copies of a class on a node to the number of its pods. A bound without this limit is also valid with it.
 * In fractions it improves little and takes longer. false = out of memory. */
bool round_problem_limits(arena *a, round_bound *out);
/* Steps of work for the bound, beyond the fluid bound, for a search with this effort. */
uint64_t round_bound_effort(uint64_t effort);

/* What the bound's master problem buys when a search for plans has done so many steps of its effort. */
typedef struct round_trail {
    bound_trail solutions; /* by stop of the search */
    uint32_t class_count;
    uint32_t *samples; /* by class of the solutions: a pod */
    relaxed_offer *offers; /* by offer of the solutions */
} round_trail;

/* The bound on plans that place the pods of a finished round; `steps` has their ladder steps. `trail` has the stops and
 * receives the rest, which is allocated in `keep`; NULL = not wanted. CANCELED = stopped by should_stop of the options,
 * or else of the context. NOMEM = out of memory. */
karp_status bound_of_round(scheduler *s, const karp_snapshot *seen, const karp_options *options, const uint16_t *steps,
                           const karp_objective *aim, round_trail *trail, arena *keep, karp_bound **out);

/* Fills the certificate's description of the snapshot, and its proof if there is one. The lists are allocated in `a`.
 * false = out of memory. */
bool certificate_fill(const karp_snapshot *seen, scheduler *s, const round_bound *b, arena *a, karp_certificate *out);
/* Reads the proof of a certificate, after checking that the certificate describes the snapshot as the problem does. The
 * problem gets the capacity that the certificate states. */
karp_status certificate_proof(scheduler *s, const karp_snapshot *seen, round_bound *b, const karp_certificate *c,
                              arena *a, bound_proof *out, karp_error *error);
/* certify_proofs.c: fills the certificate's rows and tree. false = out of memory. */
bool certificate_list_proofs(const round_bound *b, arena *a, karp_certificate *out);
/* Reads the proof of the certificate's own rows in the form that the checker uses. */
karp_status certificate_read_proof(const karp_certificate *c, const bound_problem *p, arena *a, bound_proof *out,
                                   karp_error *error);
/* Checks that the tree of the certificate, whose own proof holds, proves its value. */
karp_status certificate_judge_tree(arena *a, const karp_certificate *c, const bound_problem *p,
                                   const bound_proof *proof, karp_error *error);
/* The bound becomes what the tree proves, if that is more. false = out of memory, or stopped. */
bool certificate_take_tree(arena *a, const bound_tree *from, round_bound *out);
/* Reads the tree of a certificate, whose own proof is the first, and checks that all of its proofs hold. */
karp_status certificate_read_tree(arena *a, const karp_certificate *c, const bound_problem *p, const bound_proof *proof,
                                  bound_tree *out, karp_error *error);
/* *out: the tree with the proof `own` as its first, and without others that no leaf uses; it has no nodes if they are
 * too many. false = out of memory. */
bool certificate_choose_proofs(arena *a, const bound_tree *from, const bound_proof *own, bound_tree *out);
/* *out receives the bound that the proof proves; 0 = none. false = out of memory, or stopped. */
bool certificate_find_value(karp_context *context, const bound_problem *p, const bound_proof *proof, int64_t *out);
karp_status certificate_differs(karp_error *error, const char *what, size_t index);
/* An error that describes why the proof is invalid. */
karp_status certificate_fault(karp_error *error, const proof_fault *fault);
/* repack.c: karp_certificate_check() for a repack plan. */
karp_status repack_certificate_check(const karp_snapshot *snapshot, const karp_options *options,
                                     const karp_certificate *c, karp_error *error);
