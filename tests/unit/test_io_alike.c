/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods are added without a look, because one before them was like them. That the snapshot is the same is tested
 * in test_io_repeated.c. */
#include <io/reader.h> /* before cmocka, which has a macro of the name fail */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define POD(name, spec, status)                                                                                        \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\",\"namespace\":\"x\",\"uid\":\"u" name \
    "\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},"                                                              \
    "\"spec\":{\"containers\":[{\"name\":\"c\"}]" spec "},\"status\":{\"phase\":\"Pending\"" status "}}"
#define PODS(spec, status)                                                                                             \
    POD("a", spec, status) "," POD("b", spec, status) "," POD("c", spec, status) "," POD("d", spec, status)
#define TRIED ",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\"}]"

/* How many pods of the List are like one that needed nothing. */
static size_t read_alike(const char *pods, const char *behind, bool queued)
{
    char text[6000];
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_reader_options options;
    karp_snapshot *snapshot = NULL;
    size_t count = 0;
    snprintf(text, sizeof text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[%s%s]}", pods, behind);
    karp_reader_options_init(&options, sizeof options);
    options.queued = queued;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_reader_new(context, &options, &reader, NULL), KARP_OK);
    assert_int_equal(karp_reader_add(reader, str("pods"), str(text), NULL), KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    for (size_t i = 0; i < reader->deferred_count; i++) {
        uint32_t like = reader->deferred[i].like;
        count += like != NO_ID && reader->pod_likes.list[like].again != NULL;
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return count;
}

static void test_alike(void **state)
{
    (void)state;
    assert_int_equal(read_alike(PODS("", TRIED), "", false), 4);
    assert_int_equal(
        read_alike(PODS(",\"nodeName\":\"n\"", TRIED ",\"startTime\":\"2026-01-01T00:00:00Z\""), "", false), 4);
}

#define CLASS(more)                                                                                                    \
    ",{\"apiVersion\":\"scheduling.k8s.io/"                                                                            \
    "v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"k\"},\"value\":3" more "}"

static void test_filled_in(void **state)
{
    (void)state;
    assert_int_equal(read_alike(PODS("", ""), "", false), 0); /* they lack a condition */
    assert_int_equal(read_alike(PODS("", TRIED), CLASS(""), false), 4);
    assert_int_equal(read_alike(PODS("", TRIED), CLASS(",\"globalDefault\":true"), false), 0);
    assert_int_equal(read_alike(PODS(",\"priorityClassName\":\"k\"", TRIED), CLASS(""), false), 0);
    assert_int_equal(read_alike(PODS(",\"schedulingGates\":[{\"name\":\"g\"}]", TRIED), "", false), 0);
    assert_int_equal(
        read_alike(PODS(",\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"q\"}}]", TRIED), "",
                   false),
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_alike), cmocka_unit_test(test_filled_in) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
