/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of traces. A reader adds what its document says to a trace; trace_finish() is called when all have been read. */
#ifndef REPLAY_TRACE_READ_H
#define REPLAY_TRACE_READ_H

#include <karp/replay.h>
#include <replay/trace.h>

/* Reads a document in the named format, "" = told by what it says. Errors: those of karp_replay(). */
karp_status trace_read(trace *t, karp_str format, const karp_replay_document *document, bool lenient,
                       karp_error *error);

/* ---- formats ------------------------------------------------------------------------------------------------------------- */

/* trace_story.c: a file of karp simulate; the steps that scale and wait. */
karp_status trace_read_story(trace *t, const karp_replay_document *document, karp_error *error);

/* trace_csv.c: a table of pods; `alibaba`: with the columns of Alibaba's openb_pod_list. */
karp_status trace_read_csv(trace *t, bool alibaba, karp_str name, karp_str text, bool lenient, karp_error *error);

#endif
