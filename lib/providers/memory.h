/* SPDX-License-Identifier: Apache-2.0 */
/* The host's memory for results, and the same interface on a scratch of the host. */
#ifndef PROVIDERS_MEMORY_H
#define PROVIDERS_MEMORY_H

#include <karp/provider.h>
#include <providers/fail.h>
#include <providers/scratch.h>

/* *out is valid until the scratch is freed. */
void memory_of_scratch(scratch *s, karp_provider_memory *out);

/* Takes over a reference to a catalogue, also on failure, and keeps it as long as the memory lives. The memory must be
 * from karp_provider_memory_new(). */
karp_status memory_keep_catalogue(const karp_provider_memory *memory, karp_catalogue *catalogue, karp_error *error);

/* The reverse, for plugins: pieces of the host's memory. A refused allocation sets `failed`. */
void *memory_piece(const karp_provider_memory *memory, size_t count, size_t elem, bool *failed);
karp_str memory_text(const karp_provider_memory *memory, karp_str text, bool *failed); /* NUL-terminated copy */

#endif
