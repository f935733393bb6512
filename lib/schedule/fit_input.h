/* SPDX-License-Identifier: Apache-2.0 */
/* A request of karp_fit(), checked and copied. Amounts are vectors of 64-bit integers, and labels are numbers. */
#ifndef SCHEDULE_FIT_INPUT_H
#define SCHEDULE_FIT_INPUT_H

#include <karp/fit.h>
#include <model/store.h>

/* What copies can be placed on: existing nodes, then types. */
typedef struct fit_source {
    resource_list amounts;
    const int64_t *space; /* capacity of one node, as a vector */
    label_list labels;
    uint64_t most; /* existing nodes: their number; types: the most that may be launched */
    uint64_t least; /* types: the number that is launched in any case */
    double price;
} fit_source;

typedef struct fit_demand {
    resource_list amounts;
    const int64_t *need; /* request of one copy, as a vector */
    const selector *selects; /* NULL = any */
    uint64_t count, most_per_node;
    uint32_t group;
    int32_t priority;
    int64_t part, whole; /* its size: the largest share of the largest amount that a source has, as a fraction */
} fit_demand;

typedef struct fit_input {
    karp_context *context;
    strings text, resources;
    arena data;
    fit_source *sources;
    fit_demand *demands;
    uint32_t node_count, source_count, demand_count;
    uint32_t dims;
    uint64_t most_launched; /* nodes of all types; UINT64_MAX = any number */
} fit_input;

#ifndef KARP_NO_FIT
/* Call fit_input_free() also after a failure. */
karp_status fit_input_read(fit_input *in, karp_context *context, const karp_fit_request *request, karp_error *error);
void fit_input_free(fit_input *in);
#endif

#endif
