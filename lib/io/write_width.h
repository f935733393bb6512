/* SPDX-License-Identifier: Apache-2.0 */
/* What text is never wider than: lines that are longer are broken where there are spaces. */
#ifndef IO_WRITE_WIDTH_H
#define IO_WRITE_WIDTH_H

#include "write_buffer.h"

enum { FOLD_USUAL = 100, FOLD_NEVER = 1000 }; /* columns from which on nothing is broken: -o wide */

bool text_is_wider(karp_str text, size_t width);
/* Adds the text, its long lines broken. Only what has no space stays beyond the width. */
void text_fold(write_buffer *out, karp_str text, size_t width);
/* The same for what the buffer holds. */
void text_fold_buffer(write_buffer *b, size_t width);

#endif
