/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and reads files and streams. Files that a reader is given are read by io_read_path() (io/reader.h). */
#pragma once

#include <io/table.h>

/* Reads a file, or standard input ("-"), into `text`. The function initialises `text`, and the caller frees it even
 * after a failure. A file longer than the context's limit is read to just beyond the limit. Errors: IO, NOMEM. */
karp_status io_whole_file(karp_context *context, karp_str path, strbuf *text, karp_error *error);

/* Whether what is read from the path is gone then: standard input, a pipe. */
bool io_reads_once(const char *path);
