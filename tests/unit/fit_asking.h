/* SPDX-License-Identifier: Apache-2.0 */
/* Asking karp_fit() in tests: a context that counts, one request, and its answer in words. */
#ifndef UNIT_FIT_ASKING_H
#define UNIT_FIT_ASKING_H

#include <karp/fit.h>
#include <support/fault.h>

#define T(text)                                                                                                        \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }

typedef struct fit_world {
    fault fault;
    karp_context *context;
    karp_fit_request request;
    karp_error error;
} fit_world;

/* Before and after each test, which must leave nothing behind. */
int fit_set_up(void **state);
int fit_tear_down(void **state);

/* Makes it the request, ... */
void fit_ask(fit_world *w, const karp_fit_type *types, size_t type_count, const karp_fit_node *nodes, size_t node_count,
             const karp_fit_demand *demands, size_t demand_count);
/* ... and has it answered, which must succeed. To be freed. */
karp_fitting *fit_made(fit_world *w);
/* "0x2:0*4,1*1 new1x3:0*2 | left 1*5 TOO_LARGE!": nodes of existing 0, of new type 1; what each gets; "!" = permanent.
 * In one buffer for all. */
const char *fit_words(const karp_fitting *f);
void assert_fit(fit_world *w, const char *expected);

#endif
