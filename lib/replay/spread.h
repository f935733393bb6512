/* SPDX-License-Identifier: Apache-2.0 */
/* How the figures of a policy spread over several runs, which differ in their seed. */
#pragma once

#include <io/write_json.h>
#include <replay/result.h>

enum { SPREAD_COST, SPREAD_WAIT, SPREAD_EVICTIONS, SPREAD_INTERRUPTIONS, SPREAD_LOST };

/* Makes room for so many runs. false = out of memory. */
bool spread_begin(replay_result *total, karp_context *context, size_t runs);
/* Notes the figures of the next run. */
void spread_add(replay_result *total, const replay_result *run);
/* Sorts them, when all runs are noted. false = out of memory. */
bool spread_end(replay_result *total, karp_context *context);
void spread_free(replay_result *total, karp_context *context);

/* The p-th per cent of the runs, by the nearest rank; 0 if there was one run. */
double spread_at(const replay_result *total, size_t figure, size_t percent);
/* "runs": {…}, a member of an open object; nothing if there was one run. */
void spread_as_json(json_out *j, const replay_result *total);
