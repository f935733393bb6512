/* SPDX-License-Identifier: Apache-2.0 */
/* The search for changes with which a pod that has no place gets one, for callers that have decided already. */
#pragma once

#include <karp/explain.h>
#include <model/snapshot.h>

/* Searches on the snapshot, or on a view of it, for which `decision` was made with these (checked) options. The caller
 * frees *out; it has remedies alone. */
karp_status find_changes(const karp_snapshot *seen, const karp_options *options, karp_decision *decision,
                         uint32_t pod_number, karp_pod_explanation **out, karp_error *error);
