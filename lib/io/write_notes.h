/* SPDX-License-Identifier: Apache-2.0 */
/* The notes of a document: those of the caller, then those of the decision, then those of the disruption beside it. The
 * caller's may begin with problems (KARP_PROBLEM), which are listed apart. */
#pragma once

#include "write_decision.h"
#include "write_json.h"
#include "write_text.h"

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
