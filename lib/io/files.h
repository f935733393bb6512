/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and reads files and streams. Files that a reader is given are read by io_read_path() (io/reader.h). */
#ifndef IO_FILES_H
#define IO_FILES_H

#include <stdio.h>

#include <io/table.h>

/* Reads a file, or standard input ("-"), into `text`. The function initialises `text`, and the caller frees it even
 * after a failure. A file longer than the context's limit is read to just beyond the limit. Errors: IO, NOMEM. */
karp_status io_whole_file(karp_context *context, const char *path, strbuf *text, karp_error *error);

/* Appends the rest of a stream to `text` and a NUL after it. Reading stops just beyond `most` bytes. Errors: IO, whose
 * reason is errno, and NOMEM. */
karp_status io_read_stream(karp_context *context, FILE *file, uint64_t most, strbuf *text);

/* Opens a regular file for reading. Opening a FIFO could block, and a device could be endless. Files that the program
 * was started with (/dev/stdin, /dev/fd/3) may be of any type. NULL = it cannot be read; errno is the reason, 0 = it
 * is of another type. */
FILE *io_open_file(const char *path);

#endif
