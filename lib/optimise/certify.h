/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds as certificates, and certificates held against the snapshot they speak of. */
#ifndef OPTIMISE_CERTIFY_H
#define OPTIMISE_CERTIFY_H

#include <decision/bound_object.h>
#include <karp/objective.h>
#include <optimise/certificate.h>
#include <optimise/round_bound.h>

/* Of the plans that place the pods of a finished round, whose ladder steps are `steps`. CANCELED = should_stop of the options, or else
 * of the context, ended it; NOMEM = memory was refused. */
karp_status bound_of_round(scheduler *s, const karp_snapshot *seen, const karp_options *options, const uint16_t *steps,
                           const karp_objective *aim, karp_bound **out);

/* What the certificate says of the snapshot, and its proof when there is one; the lists lie in `a`. false = refused. */
bool certificate_fill(const karp_snapshot *seen, scheduler *s, const round_bound *b, arena *a, karp_certificate *out);
/* The proof of a certificate, when it says of the snapshot what the problem does. */
karp_status certificate_proof(scheduler *s, const karp_snapshot *seen, const round_bound *b, const karp_certificate *c,
                              arena *a, bound_proof *out, karp_error *error);
karp_status certificate_differs(karp_error *error, const char *what, size_t index);
/* Why the proof does not hold. */
karp_status certificate_fault(karp_error *error, const proof_fault *fault);
/* repack.c: as karp_certificate_check(), of a repack plan. */
karp_status repack_certificate_check(const karp_snapshot *snapshot, const karp_options *options,
                                     const karp_certificate *c, karp_error *error);

#endif
