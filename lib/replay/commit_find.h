/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <replay/commit.h>

/* Finds the best set of offers for each term from the hours of r->uses. false = out of memory. */
bool commit_best(struct commit_result *r, const commit_offer *offers, size_t count, arena *memory);
