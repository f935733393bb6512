/* SPDX-License-Identifier: Apache-2.0 */
/*
 * karp_fit() for the least cost: instead of the nodes that the rules of karp_fit() launch, it chooses new ones as
 * lib/optimise/packing.h does.
 */
#ifndef SCHEDULE_FIT_COST_H
#define SCHEDULE_FIT_COST_H

#include <karp/objective.h>
#include <schedule/fit_input.h>

typedef struct fit_copies {
    uint64_t copies;
    uint32_t demand;
} fit_copies;

/* Nodes of one type with equal contents. */
typedef struct fit_bought {
    uint64_t nodes;
    uint32_t source;
    const fit_copies *copies; /* the copies on each node */
    size_t copies_count;
} fit_bought;

typedef struct fit_purchase {
    karp_context *context;
    const karp_fit_request *request;
    const fit_input *in;
    const uint64_t *placed, *bought; /* by demand: all placed copies, and those of them on nodes launched for them */
    /* by source: nodes launched for copies, without the minimum that is launched in any case */
    const uint64_t *launched;
    arena *data; /* arena of the result */
    /* The result. */
    fit_bought *list;
    size_t count; /* 0 = the nodes that the rules launch are at most as expensive */
    karp_cost cost;
} fit_purchase;

#ifndef KARP_NO_FIT
/* Status: OK, NOMEM, UNSUPPORTED. When the caller stops it, the result is the best found so far. */
karp_status fit_for_cost(fit_purchase *p, karp_error *error);
#endif

#endif
