/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds as certificates, and certificates held against the snapshot they speak of. */
#ifndef OPTIMISE_CERTIFY_H
#define OPTIMISE_CERTIFY_H

#include <decision/bound_object.h>
#include <optimise/round_bound.h>

/* Of the plans that place the pods of a finished round, whose ladder steps are `steps`. CANCELED = should_stop of the options, or else
 * of the context, ended it; NOMEM = memory was refused. */
karp_status bound_of_round(scheduler *s, const karp_snapshot *seen, const karp_options *options, const uint16_t *steps,
                           double node_cost, karp_bound **out);

#endif
