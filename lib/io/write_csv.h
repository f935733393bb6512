/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_WRITE_CSV_H
#define IO_WRITE_CSV_H

#include "write_buffer.h"

/* What a spreadsheet would take for a formula begins with an apostrophe; characters that are not seen become question marks. */
void csv_field(write_buffer *b, karp_str text);

#endif
