/* SPDX-License-Identifier: Apache-2.0 */
/* The seed of a context's hash tables decides nothing: decisions under other seeds are the same, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <karp/library.h>

#include <support/random.h>

#include "things.h"

/* What is decided on the world under a seed; to be freed with free(). */
static char *decisions_under(uint64_t hash_seed, const unsigned *variants)
{
    static world w;
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.hash_seed = hash_seed;
    must(karp_context_new(&options, &w.context, NULL), NULL);
    uint64_t used = karp_context_get_options(w.context)->hash_seed;
    assert_true(hash_seed == 0 ? used != 0 : used == hash_seed);
    w.catalogue = make_catalogue(w.context);
    memcpy(w.variants, variants, sizeof w.variants);
    karp_snapshot *snapshot = build_afresh(&w);
    char *text = decisions_on(&w, snapshot);
    karp_snapshot_unref(snapshot);
    karp_catalogue_unref(w.catalogue);
    karp_context_unref(w.context);
    return text;
}

static void seeds_decide_nothing(void **state)
{
    static const uint64_t seeds[] = { 0, 2, UINT64_C(0x8000000000000000), UINT64_MAX, UINT64_C(0x123456789abcdef1) };
    (void)state;
    size_t launched = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        unsigned variants[THINGS];
        uint64_t random = seed;
        for (unsigned i = 0; i < THINGS; i++)
            variants[i] = random_below(&random, 4) > 0 ? 1 + (unsigned)random_below(&random, 1000) : 0;
        char *first = decisions_under(1, variants);
        launched += strstr(first, "new-1") != NULL;
        for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
            char *other = decisions_under(seeds[i], variants);
            assert_string_equal(other, first);
            free(other);
        }
        free(first);
    }
    assert_true(launched > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(seeds_decide_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
