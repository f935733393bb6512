/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are given as texts, or as the paths of files. */
#pragma once

#include <base/strbuf.h>
#include <karp/replay.h>

/* The text: the given one, or that of the file, whose memory is *file. Initialises *file. */
karp_status document_text(karp_context *context, const karp_replay_document *document, strbuf *file, karp_str *text,
                          karp_error *error);
/* Reads it; `replace`: its objects replace those that were read. */
karp_status document_read(karp_reader *reader, const karp_replay_document *document, bool replace, karp_error *error);

/* Kinds that create no pods, and rules of kinds that do, one a line: for objects that are read from now on. */
karp_status document_rules(karp_reader *reader, karp_str ignored_kinds, karp_str pods_from, karp_error *error);
