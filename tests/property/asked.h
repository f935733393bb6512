/* SPDX-License-Identifier: Apache-2.0 */
/** @file asked.h  Another scheduler, in a process of its own: a Snapshot a line in, a Plan a line out. */
#ifndef PROPERTY_ASKED_H
#define PROPERTY_ASKED_H

#include <stdbool.h>

struct asked;

/** Starts @p program in the folder @p directory; NULL if it cannot be started. */
struct asked *asked_start(const char *program, const char *directory);

/**
 * Its answer to a Snapshot (one line), to be freed with free(); NULL if it ended or @p text has several lines.
 * @p covered is cleared if the answer is that it cannot decide such a world, @p failed set if it tried and failed; the
 * answer then says why.
 */
char *asked_plan(struct asked *asked, const char *text, bool *covered, bool *failed);

/** Ends it. */
void asked_end(struct asked *asked);

#endif
