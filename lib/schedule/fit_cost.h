/* SPDX-License-Identifier: Apache-2.0 */
/* karp_fit() for the least cost: the nodes that rules of karp_fit() launch are bought anew, as packing.h of lib/optimise does. */
#ifndef SCHEDULE_FIT_COST_H
#define SCHEDULE_FIT_COST_H

#include <karp/objective.h>
#include <schedule/fit_input.h>

typedef struct fit_copies {
    uint64_t copies;
    uint32_t demand;
} fit_copies;

/* Nodes of one type that are loaded alike. */
typedef struct fit_bought {
    uint64_t nodes;
    uint32_t source;
    const fit_copies *copies; /* on each */
    size_t copies_count;
} fit_bought;

typedef struct fit_purchase {
    karp_context *context;
    const karp_fit_request *request;
    const fit_input *in;
    const uint64_t *placed,
        *bought; /* by demand: copies that have a place, and those of them on nodes launched for them */
    const uint64_t *launched; /* by source: launched for copies, beyond those that are launched in any case */
    arena *data; /* of the answer */
    /* the answer */
    fit_bought *list;
    size_t count; /* 0 = what the rules launch is not dearer */
    karp_cost cost;
} fit_purchase;

#ifndef KARP_NO_FIT
/* Status: OK, NOMEM, UNSUPPORTED. Whoever stops it gets what is found so far. */
karp_status fit_for_cost(fit_purchase *p, karp_error *error);
#endif

#endif
