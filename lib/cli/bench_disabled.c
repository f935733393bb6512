/* SPDX-License-Identifier: Apache-2.0 */
/* karp bench in a program that is built without the tests. */
#include "bench.h"

const bench_inputs *const bench_named = NULL;
