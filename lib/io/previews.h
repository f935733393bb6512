/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <karp/peer.h>
#include <stdbool.h>

/* Whether the proposal of this name is among the rules that are flipped (karp_options.flip_rules). */
bool io_preview(uint64_t flip_rules, const char *name);
