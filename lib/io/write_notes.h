/* SPDX-License-Identifier: Apache-2.0 */
/* The notes of a document: those of the caller, then those of the decision, then those of the disruption beside it. The
 * caller's may begin with problems (KARP_PROBLEM), which are listed apart. */
#pragma once

#include "write_decision.h"
#include "write_json.h"
#include "write_text.h"
#include <io/encode.h>

/* The problems among the caller's notes, without KARP_PROBLEM. */
size_t problem_count(const karp_write_options *options);
karp_str problem_at(const karp_write_options *options, size_t index);
/* Whether the problem is that something is not understood. */
bool problem_is_unknown(const karp_write_options *options, size_t index);
/* "INCOMPLETE: 2 objects create pods that are not planned", or nothing. */
void put_incomplete(write_buffer *b, const karp_write_options *options);

/* The other notes. The job's decision may be NULL. */
size_t note_count(const write_job *job);
karp_str note_at(const write_job *job, size_t index);

/* The sections "Not planned" and "Notes" of text. */
void notes_section(const text_out *t, const write_job *job);
/* The same as lists in Markdown. */
void notes_as_markdown(const write_job *job);
/* "problems", if there are any, and "warnings". */
void notes_as_json(json_out *j, const write_job *job);

/* What became of the preferences of pods: a member of Plans and PodExplanations, and a section of their text. */

/* Those of the options, which have a cost, or else of the decision; nothing if there are none. */
void preferences_as_json(const encoder *e);
void preferences_as_text(const text_out *t, const write_job *job);
void preferences_as_markdown(const write_job *job);
void preferences_as_html(const write_job *job);

/* The part of a Plan about groups of pods. */

void groups_as_json(json_out *j, const write_job *job);
void groups_as_text(const text_out *t, const write_job *job);

/* "PodGroup default/g: 3 of 3 pods placed, minimum 3": what became of it. */
enum { GROUP_WORDS = 600 };
void group_in_words(const karp_group_outcome *g, char text[GROUP_WORDS]);
/* What keeps it from starting; "" = it starts. */
karp_str group_why_not(const karp_group_outcome *g);

/* The rounds of Helm's hooks that come before the release: each has a plan of its own. */

/* The section "Before the release"; nothing without rounds. */
void hooks_section(const text_out *t, const write_job *job);
/* The same as a list in Markdown. */
void hooks_as_markdown(const write_job *job);
/* The same in a page. */
void hooks_as_html(const write_job *job);
/* "hookRounds". `e` is at the members of the plan. */
void hooks_as_json(const encoder *e, const write_job *job);
