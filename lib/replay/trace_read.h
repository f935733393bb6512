/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of traces. A reader adds its document's events to a trace; trace_finish() is called after all documents. */
#pragma once

#include <karp/replay.h>
#include <replay/trace.h>

/* Reads a document in the named format, "" = detected from the content. Errors: those of karp_replay(). */
karp_status trace_read(trace *t, karp_str format, const karp_replay_document *document, bool lenient,
                       karp_error *error);

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* trace_story.c: a file of karp simulate, of which only the scale and wait steps are used; or a document of kind Load
 * (trace_load.c). `text`: what was read of it. */
karp_status trace_read_story(trace *t, const karp_replay_document *document, karp_str text, karp_error *error);

/* trace_csv.c: a table of pods; `alibaba`: with the columns of Alibaba's openb_pod_list. */
karp_status trace_read_csv(trace *t, bool alibaba, karp_str name, karp_str text, bool lenient, karp_error *error);

/* trace_simkube.c: SimKube's exported traces of version 2, JSON or MessagePack. */
karp_status trace_read_simkube(trace *t, karp_str name, karp_str text, bool lenient, karp_error *error);

/* trace_kubereplay.c: kubereplay's replay.json. */
karp_status trace_read_kubereplay(trace *t, karp_str name, karp_str text, bool lenient, karp_error *error);

/* trace_dumps.c: a dump of a cluster; several are read in the order of their times. */
karp_status trace_read_dump(trace *t, karp_str name, karp_str text, bool lenient, karp_error *error);

/* Likewise: a recording, whose lines are dumps or what has changed. Its last line may be incomplete. */
karp_status trace_read_recording(trace *t, karp_str name, karp_str text, bool lenient, karp_error *error);

/* trace_azure.c: a table of Azure's packing trace, vmType or vm. `machine`: "CORES:MEMORY", of which its amounts are
 * fractions. */
karp_status trace_read_azure(trace *t, karp_str machine, karp_str name, karp_str text, bool lenient, karp_error *error);

/* trace_load.c: adds the load of a document of kind Load, from which the story was read. Errors are in story.error. */
struct story;
karp_status trace_generate_load(trace *t, struct story *s);
/* trace_msgpack.c. Errors: SYNTAX, NOMEM. */
karp_status trace_unpack(trees *t, karp_str name, karp_str text, tree **out, karp_error *error);
