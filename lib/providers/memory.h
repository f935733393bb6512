/* SPDX-License-Identifier: Apache-2.0 */
/* The host's memory for results, and the same face on a scratch of the host's own. */
#ifndef PROVIDERS_MEMORY_H
#define PROVIDERS_MEMORY_H

#include <karp/provider.h>
#include <providers/fail.h>
#include <providers/scratch.h>

/* *out serves until the scratch is freed. */
void memory_of_scratch(scratch *s, karp_provider_memory *out);

/* Takes over a hold on a catalogue, also on failure, for as long as the memory lives, which karp_provider_memory_new() made. */
karp_status memory_hold(const karp_provider_memory *memory, karp_catalogue *catalogue, karp_error *error);

/* A plugin's view back: pieces on memory that the host gave. A refusal sets `failed`. */
void *memory_piece(const karp_provider_memory *memory, size_t count, size_t elem, bool *failed);
karp_str memory_text(const karp_provider_memory *memory, karp_str text, bool *failed); /* a NUL-terminated copy */

#endif
