/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a new scheduler, reported as a decision. karp_provision(), what-if and explanations use it. */
#pragma once

#include <schedule/options.h>

/* Decides on a snapshot or a view of it. The decision refers to the snapshot. */
karp_status provision_view(const karp_snapshot *seen, const karp_options *options, const round_changes *changes,
                           karp_decision **out, karp_error *error);
