/* SPDX-License-Identifier: Apache-2.0 */
/** @file questions.h  Everything that can be asked of a snapshot, asked while memory is refused. */
#ifndef SUPPORT_QUESTIONS_H
#define SUPPORT_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether a document is meant by its path (.yaml or .json), not by its text. */
bool document_is_path(const char *document);

/**
 * Asks everything of a snapshot of these documents with the N-th allocation refused, once and from then on. @p
 * catalogue: NULL = the documents have their own. @p most 0: all N; else so many of each question, the first ones and
 * others at equal distances. The answer has to be the same as without refusals, or KARP_E_NOMEM; nothing may leak. How
 * many were refused; 0, with a message, when one of this does not hold or the documents cannot be read.
 */
size_t refuse_questions(const char *catalogue, const char *const *documents, size_t document_count, uint32_t profile,
                        size_t most);

/**
 * The same for tests that have documents anyway: does nothing unless the environment variable KARP_REFUSALS says how
 * many allocations of each question to refuse. False when something did not hold.
 */
bool refuse_if_wanted(const char *catalogue, const char *const *documents, size_t document_count);

#endif
