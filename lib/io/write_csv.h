/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_WRITE_CSV_H
#define IO_WRITE_CSV_H

#include "write_buffer.h"

/* Writes a field. An apostrophe is put before a text that a spreadsheet would take for a formula. Invisible characters
 * become question marks. */
void csv_field(write_buffer *b, karp_str text);

#endif
