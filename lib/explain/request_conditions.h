/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions that cluster-autoscaler would set on a ProvisioningRequest. */
#pragma once

#include <karp/admit.h>

#include <stdbool.h>

enum { MOST_CONDITIONS = 2 };

/* Lists them for a request of the class, with the answer. Returns their number; 0 = the class is none of
 * cluster-autoscaler's. */
size_t request_conditions(karp_str class_name, bool no_retry, uint32_t verdict,
                          karp_request_condition out[MOST_CONDITIONS]);
