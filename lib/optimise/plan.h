/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <schedule/options.h>

/* What provision_view() decides with the objective COST. */
karp_status provision_for_cost(const karp_snapshot *seen, const karp_options *options, const karp_objective *objective,
                               const round_changes *changes, karp_decision **out, karp_error *error);
