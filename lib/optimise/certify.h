/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds as certificates, and certificates held against the snapshot they speak of. */
#ifndef OPTIMISE_CERTIFY_H
#define OPTIMISE_CERTIFY_H

#include <decision/bound_object.h>
#include <optimise/round_bound.h>

/* Of the plans that place the pods of a finished round, whose ladder steps are `steps`. NULL = refused. */
karp_bound *bound_of_round(scheduler *s, const karp_snapshot *seen, const uint16_t *steps, double node_cost);

#endif
