/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions that cluster-autoscaler would set on a ProvisioningRequest, and Karpenter on a CapacityBuffer. */
#pragma once

#include <karp/admit.h>

#include <stdbool.h>

enum { MOST_CONDITIONS = 2 };

typedef struct request_facts {
    karp_str class_name;
    bool no_retry;
    bool refused; /* it has waited for longer than a request may */
    uint32_t verdict; /* the answer */
} request_facts;

/* Lists them. Returns their number; 0 = the class is none of cluster-autoscaler's. */
size_t request_conditions(const request_facts *r, karp_request_condition out[MOST_CONDITIONS]);

/* The same for a capacity buffer with that answer; offered: something could be launched for its pods at some time. */
size_t buffer_conditions(const karp_admitted *row, bool offered, karp_request_condition out[MOST_CONDITIONS]);
