/* SPDX-License-Identifier: Apache-2.0 */
/* A file's text. */
#ifndef IO_WHOLE_FILE_H
#define IO_WHOLE_FILE_H

#include <stdio.h>

#include <io/table.h>

/* Reads a file, or standard input ("-"), into `text`, which is made here and freed by the caller whatever happens. A file that
 * is longer than the context's limit is read to just beyond it. Errors: IO, NOMEM. */
karp_status io_whole_file(karp_context *context, const char *path, strbuf *text, karp_error *error);

/* Opens a file to read, a regular one alone: a FIFO would be waited for, a device could go on for ever. What the program was handed
 * open (/dev/stdin, /dev/fd/3) may be of any kind. NULL = it cannot be read; errno says why, 0 = it is of another kind. */
FILE *io_open_file(const char *path);

#endif
