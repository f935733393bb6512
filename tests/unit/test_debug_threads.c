/* SPDX-License-Identifier: Apache-2.0 */
/* KARP_DEBUG_THREADS: a call on a builder or a reader that begins before another one has ended. The second call is made
 * by the allocator, in the middle of the first. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>

#include <karp/builder.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/settings.h>

typedef struct intruder {
    karp_builder *builder;
    karp_reader *reader;
    bool busy; /* the second call is being made */
    int calls;
    karp_status found;
    karp_error error;
} intruder;

static karp_status intrude(intruder *i)
{
    karp_pod pod;
    if (i->reader != NULL)
        return karp_reader_add(i->reader, (karp_str){ "second", 6 }, (karp_str){ "{}", 2 }, &i->error);
    karp_pod_init(&pod, sizeof pod);
    pod.meta.name = (karp_str){ "second", 6 };
    karp_status statuses[] = {
        karp_builder_add_pod(i->builder, &pod, &i->error),
        karp_builder_set_settings(i->builder, NULL, NULL),
        karp_builder_set_now(i->builder, 1, NULL),
        karp_builder_set_node_states(i->builder, NULL, 0, NULL),
        karp_builder_set_pods_to_place(i->builder, NULL, 0, NULL),
        karp_builder_remove(i->builder, (karp_str){ "Pod", 3 }, (karp_str){ "default", 7 }, (karp_str){ "first", 5 },
                            NULL),
    };
    for (size_t k = 1; k < sizeof statuses / sizeof *statuses; k++) assert_int_equal(statuses[k], statuses[0]);
    return statuses[0];
}

static void *meddling_alloc(size_t bytes, void *user)
{
    intruder *i = user;
    if ((i->builder != NULL || i->reader != NULL) && !i->busy) {
        i->busy = true;
        i->calls++;
        i->found = intrude(i);
        i->busy = false;
    }
    return malloc(bytes);
}

static void plain_free(void *ptr, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(ptr);
}

static karp_context *watched(intruder *i, uint32_t debug)
{
    karp_allocator allocator = { .size = sizeof allocator, .alloc = meddling_alloc, .free = plain_free, .user = i };
    karp_context_options options;
    karp_context *context = NULL;
    karp_error_init(&i->error, sizeof i->error);
    karp_context_options_init(&options, sizeof options);
    options.allocator = &allocator;
    options.debug = debug;
    assert_int_equal(karp_context_new(&options, &context, NULL), KARP_OK);
    return context;
}

static void test_a_builder_that_two_calls_use(void **state)
{
    (void)state;
    intruder i = { 0 };
    karp_context *context = watched(&i, KARP_DEBUG_THREADS);
    karp_builder *builder = NULL;
    karp_snapshot *snapshot = NULL;
    karp_pod pod;
    assert_int_equal(karp_builder_new(context, &builder, NULL), KARP_OK);
    karp_pod_init(&pod, sizeof pod);
    pod.meta.name = (karp_str){ "first", 5 };
    i.builder = builder;
    karp_status status = karp_builder_add_pod(builder, &pod, NULL);
    i.builder = NULL;
    assert_int_equal(status, KARP_OK);
    assert_true(i.calls > 0);
    assert_int_equal(i.found, KARP_E_STATE);
    assert_string_equal(i.error.message,
                        "another call uses the builder: two threads at once, or a callback during a call");

    /* The builder is as if the second call had not been made, and works on. */
    pod.meta.name = (karp_str){ "second", 6 };
    assert_int_equal(karp_builder_add_pod(builder, &pod, NULL), KARP_OK);
    assert_int_equal(karp_builder_finish(builder, &snapshot, NULL), KARP_OK);
    karp_snapshot_unref(snapshot);
    karp_builder_free(builder);
    karp_context_unref(context);
}

static void test_a_reader_that_two_calls_use(void **state)
{
    (void)state;
    static const char text[] = "apiVersion: v1\nkind: Pod\nmetadata: {name: first}\n";
    intruder i = { 0 };
    karp_context *context = watched(&i, KARP_DEBUG_THREADS);
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
    i.reader = reader;
    karp_status status = karp_reader_add(reader, (karp_str){ "first", 5 }, (karp_str){ text, sizeof text - 1 }, NULL);
    i.reader = NULL;
    assert_int_equal(status, KARP_OK);
    assert_true(i.calls > 0);
    assert_int_equal(i.found, KARP_E_STATE);
    assert_string_equal(i.error.message,
                        "another call uses the reader: two threads at once, or a callback during a call");
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_builder_that_two_calls_use),
        cmocka_unit_test(test_a_reader_that_two_calls_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
