/* SPDX-License-Identifier: Apache-2.0 */
/* Lent threads change nothing but the time: decisions with 1, 2 and 8 of them are those without, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <support/random.h>

#include "things.h"

enum { MOST_THREADS = 8 };

/* A pool of its own for every call: threads that take the next index until none is left. */
struct lending {
    size_t threads, calls;
};

struct work {
    size_t count;
    atomic_size_t next;
    void (*body)(size_t index, void *data);
    void *data;
};

static void *worker(void *user)
{
    struct work *w = user;
    for (size_t i = atomic_fetch_add(&w->next, 1); i < w->count; i = atomic_fetch_add(&w->next, 1)) w->body(i, w->data);
    return NULL;
}

static void lend(size_t count, void (*body)(size_t index, void *data), void *data, void *user)
{
    struct lending *l = user;
    struct work w = { .count = count, .body = body, .data = data };
    pthread_t threads[MOST_THREADS];
    atomic_init(&w.next, 0);
    l->calls++;
    for (size_t i = 1; i < l->threads; i++) {
        if (pthread_create(&threads[i], NULL, worker, &w) != 0) abort();
    }
    (void)worker(&w);
    for (size_t i = 1; i < l->threads; i++) (void)pthread_join(threads[i], NULL);
}

/* Consolidation one node at a time over the world, as text; to be freed with karp_text_free(). */
static karp_text disruption_of(struct lending *lending, const unsigned *variants, uint64_t max_simulations)
{
    static world w;
    karp_error error;
    karp_context_options context;
    karp_disrupt_options options;
    karp_decision *decision = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_error_init(&error, sizeof error);
    karp_context_options_init(&context, sizeof context);
    if (lending != NULL) {
        context.parallel_for = lend;
        context.parallel_user = lending;
    }
    must(karp_context_new(&context, &w.context, &error), &error);
    w.catalogue = make_catalogue(w.context);
    memcpy(w.variants, variants, sizeof w.variants);
    karp_snapshot *snapshot = build_afresh(&w);
    karp_disrupt_options_init(&options, sizeof options);
    options.method = KARP_METHOD_SINGLE_NODE;
    options.max_simulations = max_simulations;
    must(karp_disrupt(snapshot, &options, &decision, &error), &error);
    must(karp_write_disruption(w.context, decision, NULL, &text, &error), &error);
    karp_decision_unref(decision);
    karp_snapshot_unref(snapshot);
    karp_catalogue_unref(w.catalogue);
    karp_context_unref(w.context);
    return text;
}

/* A node each for pods that no other has room for, and nothing that is cheaper; but for a small pod, whose node may go.
 */
static unsigned variant_of_full(unsigned thing, unsigned seed)
{
    if (thing < PODS) return thing >= NODES ? 0 : 1 + thing * 15 + (thing == seed % NODES ? 0 : 9);
    if (thing < PODS + 2 * NODES) return 1 + 15; /* a node of 4 cores like any other */
    return thing < PODS + 2 * NODES + POOLS ? 1 + 2 : 0;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    static const uint64_t budgets[] = { 0, 6, 13 }; /* of simulations; 0 = none */
    size_t calls = 0, limited = 0, found = 0;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        unsigned variants[THINGS];
        uint64_t random = seed;
        for (unsigned i = 0; i < THINGS; i++)
            variants[i] = seed % 2 == 0 ? variant_of_full(i, (unsigned)seed)
                                        : 1 + (unsigned)random_below(&random, 1000);
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            karp_text alone = disruption_of(NULL, variants, budgets[b]);
            for (size_t threads = 1; threads <= MOST_THREADS; threads = threads == 1 ? 2 : threads * 4) {
                struct lending lending = { .threads = threads };
                karp_text lent = disruption_of(&lending, variants, budgets[b]);
                assert_string_equal(lent.ptr, alone.ptr);
                karp_text_free(&lent);
                calls += lending.calls;
                limited += budgets[b] > 0 ? lending.calls : 0;
            }
            found += strstr(alone.ptr, "\"savings\"") != NULL;
            karp_text_free(&alone);
        }
    }
    assert_true(calls > 20); /* threads were asked for */
    assert_true(limited > 20);
    assert_true(found > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_change_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
