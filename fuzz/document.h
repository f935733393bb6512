/* SPDX-License-Identifier: Apache-2.0 */
/* What the document targets have in common. */
#ifndef FUZZ_DOCUMENT_H
#define FUZZ_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>

/* Reads the bytes as a document of this name, decides on what they hold and writes the decisions out, under small
 * limits. Ends the process when a promise of the library is broken: a block that was not given back, a result together
 * with an error, a dump that does not read back as the same input. */
void fuzz_document(const char *name, const uint8_t *data, size_t size);

#endif
