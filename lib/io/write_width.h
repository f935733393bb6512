/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the width of text: longer lines are broken at spaces. */
#ifndef IO_WRITE_WIDTH_H
#define IO_WRITE_WIDTH_H

#include "write_buffer.h"

enum { FOLD_USUAL = 100, FOLD_NEVER = 1000 }; /* FOLD_NEVER: from this width on nothing is broken (-o wide) */

bool text_is_wider(karp_str text, size_t width);
/* Appends the text with its long lines broken. Only parts without spaces can exceed the width. */
void text_fold(write_buffer *out, karp_str text, size_t width);
/* The same for the text in the buffer. */
void text_fold_buffer(write_buffer *b, size_t width);

#endif
