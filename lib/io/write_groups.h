/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a Plan about groups of pods. */
#pragma once

#include "write_decision.h"
#include "write_json.h"
#include "write_text.h"

void groups_as_json(json_out *j, const write_job *job);
void groups_as_text(const text_out *t, const write_job *job);

/* "PodGroup default/g: 3 of 3 pods placed, minimum 3": what became of it. */
enum { GROUP_WORDS = 600 };
void group_in_words(const karp_group_outcome *g, char text[GROUP_WORDS]);
/* What keeps it from starting; "" = it starts. */
karp_str group_why_not(const karp_group_outcome *g);
