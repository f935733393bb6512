/* SPDX-License-Identifier: Apache-2.0 */
/* The changes of requests in documents: write_request_rows.c. */
#pragma once

#include <io/encode.h>
#include <karp/requests.h>

/* The member "requests": those that are worth most first. `saved`: of each change, in $/h; NULL = unknown, and in the
 * order of the changes. Nothing without changes. */
void requests_as_json(const encoder *e, const karp_reader *reader, const double *saved);
/* A section of text with a line for each, without what they are worth. Nothing without changes. */
void requests_as_text(write_buffer *b, const karp_reader *reader);
