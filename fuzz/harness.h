/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets have in common: limits, a library whose memory is counted, and the end of the process when a promise
 * of the library is broken. */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>

#include <karp/io.h>
#include <karp/karp.h>

/* Enough for anything interesting, too little for a slow run. */
enum { MAX_BYTES = 1 << 18, MAX_MEMORY = 1 << 28, MAX_STEPS = 2000, MAX_SIMULATIONS = 20 };

/* Counts the library's memory, so that a leak shows without a sanitizer. */
typedef struct meter {
    size_t in_use;
    size_t blocks;
} meter;

/* libFuzzer's door; the stand-alone driver calls the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says which promise, and aborts. */
void broken(const char *promise);

karp_str fuzz_str(const char *text);

/* Takes what stands before a byte, which is skipped, from the beginning of *rest; all of it where there is none. */
karp_str fuzz_until(karp_str *rest, char end);

/* A status and what came with it have to agree. */
void check_result(karp_status status, const void *result, const karp_error *error);

/* A context under small limits, on an allocator that counts. */
karp_context *metered_context(meter *m);

/* Everything was given back. */
void check_meter(const meter *m);

#endif
