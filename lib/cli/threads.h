/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that the program lends to the library (karp_context_options.parallel_for). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Calls the body with every index, on at most *user threads (uint64_t); 0 = one for each processor. */
void threads_run(size_t count, void (*body)(size_t index, void *data), void *data, void *user);
