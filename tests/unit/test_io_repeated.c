/* SPDX-License-Identifier: Apache-2.0 */
/* Pods of one workload, whose equal values are parsed once: what is read is the same as of every pod by itself. */
#include "io_reading.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <support/random.h>

enum { PODS = 120, ROOM = 300000 };

static uint64_t numbers;

static uint64_t below(uint64_t n) { return random_below(&numbers, n); }

/* Mostly the first text, which most pods then have in common; sometimes one of the others. */
static const char *mostly(const char *const *texts)
{
    size_t count = 0;
    while (texts[count]) count++;
    return below(4) ? texts[0] : texts[below(count)];
}

#define MOSTLY(...) mostly((const char *const[]){ __VA_ARGS__, NULL })

static size_t write_pod(char *into, size_t room, int number)
{
    int set = (int)below(4);
    const char *port = MOSTLY("", ",\"protocol\":\"UDP\"", ",\"hostPort\":80", ",\"protocol\":null");
    const char *host = MOSTLY("", "\"hostNetwork\":true,", "\"hostNetwork\":false,");
    const char *node = MOSTLY("", "\"nodeName\":\"n\",", "\"priorityClassName\":\"high\",", "\"priority\":null,",
                              "\"priorityClassName\":\"system-node-critical\",", "\"containres\":1,",
                              "\"schedulingGates\":[{\"name\":\"g\"}],");
    const char *labels = MOSTLY("", ",\"tier\":\"web\"", ",\"app\":\"other\"");
    const char *selector = MOSTLY("", "\"nodeSelector\":{\"kubernetes.io/arch\":\"arm64\"},",
                                  "\"nodeSelector\":{\"karpenter.sh/provisioner-name\":\"d\"},",
                                  "\"nodeSelector\":{\"eks.amazonaws.com/instance-family\":\"m5\"},");
    const char *env = MOSTLY("[{\"name\":\"A\",\"value\":\"1\"}]", "[{\"name\":\"A\",\"value\":\"2\"}]", "[]", "null");
    const char *status = MOSTLY(
        "{\"phase\":\"Pending\"}", "{\"phase\":null,\"conditions\":[]}", "{\"conditions\":null}", "{}",
        "{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}]}",
        "{\"phase\":\"Running\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\"}]}");
    const char *tolerations = MOSTLY("[{\"key\":\"a\",\"operator\":\"Exists\"}]",
                                     "[{\"key\":\"a\",\"value\":\"\\u0062\"}]", "[]");
    const char *kind = MOSTLY("\"kind\":\"Pod\"", "\"kind\":\"Node\",\"kind\":\"Pod\"");
    const char *affinity = MOSTLY(
        "{}",
        "{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
        "\"topologyKey\":\"eks.amazonaws.com/instance-size\",\"labelSelector\":{\"matchLabels\":{"
        "\"app\":\"x\"}}}]}}",
        "{\"nodeAffinity\":{}}");
    int length = snprintf(into, room,
                          "{\"apiVersion\":\"v1\",%s,\"metadata\":{\"name\":\"p%03d\",\"labels\":{\"app\":\"a%d\"%s},"
                          "\"ownerReferences\":[{"
                          "\"apiVersion\":\"apps/"
                          "v1\",\"kind\":\"ReplicaSet\",\"name\":\"a%d-5d4f9\",\"uid\":\"u%d\",\"controller\":true}]},"
                          "\"spec\":{%s%s%s\"affinity\":%s,\"containers\":[{\"name\":\"main\",\"env\":%s,\"ports\":[{"
                          "\"containerPort\":80%s}],"
                          "\"resources\":{\"requests\":{\"cpu\":\"%d00m\"}}}],\"tolerations\":%s},\"status\":%s}",
                          kind, number, set, labels, set, set, host, node, selector, affinity, env, port, set + 1,
                          tolerations, status);
    assert_true(length > 0 && (size_t)length < room);
    return (size_t)length;
}

static const char class[] =
    "{\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"high\"},"
    "\"value\":7}";
/* With it old labels are renamed. */
static const char provisioner[] =
    "{\"apiVersion\":\"karpenter.sh/v1alpha5\",\"kind\":\"Provisioner\",\"metadata\":{\"name\":\"d\"},"
    "\"spec\":{}}";

/* The same pods as a List, and as documents of their own, which share nothing. Every pod has the same line in both. */
static void write_pods(bool old, char *list, char *documents)
{
    size_t used = (size_t)snprintf(list, ROOM, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[%s,\n",
                                   old ? provisioner : class);
    size_t own = (size_t)snprintf(documents, ROOM, "%s\n", old ? provisioner : class);
    for (int i = 0; i < PODS; i++) {
        char pod[2000];
        size_t length = write_pod(pod, sizeof pod, i);
        assert_true(used + length + 10 < ROOM);
        used += (size_t)snprintf(list + used, ROOM - used, "%s%s\n", pod, i + 1 < PODS ? "," : "]}");
        own += (size_t)snprintf(documents + own, ROOM - own, "%s\n", pod);
    }
}

static void expect_same(const reading *a, const reading *b)
{
    assert_read(a);
    assert_read(b);
    assert_string_equal(a->warnings, b->warnings);
    assert_string_equal(a->digest, b->digest);
    assert_true(json_equal(a->dump, b->dump));
    assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
}

static void test_same(void **state)
{
    (void)state;
    char *list = malloc(ROOM), *documents = malloc(ROOM);
    assert_true(list && documents);
    for (int round = 0; round < 40; round++) {
        karp_reader_options options;
        karp_reader_options_init(&options, sizeof options);
        options.strict = (uint32_t)(round % 4 == 3);
        numbers = (uint64_t)round;
        write_pods(round % 4 == 2, list, documents);
        reading together = read_texts(&options, "pods", list, NULL),
                apart = read_texts(&options, "pods", documents, NULL);
        expect_same(&together, &apart);
        assert_int_equal(together.counts.pods, PODS);
        /* Its dump, which is a Snapshot. */
        char *dump = json_dumps(together.dump, 0);
        reading again = read_texts(NULL, "pods", dump, NULL);
        assert_read(&again);
        assert_string_equal(again.digest, together.digest);
        assert_true(json_equal(again.dump, together.dump));
        free(dump);
        reading_free(&together);
        reading_free(&apart);
        reading_free(&again);
    }
    free(list);
    free(documents);
}

#define WORKLOAD                                                                                                       \
    "\"labels\":{\"app\":\"a\"},\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\"}]}"
#define FIRST(kind)                                                                                                    \
    "{\"apiVersion\":\"v1\"," kind ",\"metadata\":{\"name\":\"a\"," WORKLOAD ",\n\"spec\":{\n\"containers\":[{\n"      \
    "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":\"k\"}]}}"
#define LIST(items) "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n" items "]}"

/* What is wrong with the second pod is said at its own line, also in or behind what it has in common with the first. */
static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *second, *field;
        uint32_t line;
    } cases[] = {
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"," WORKLOAD
          ",\n\"spec\":{\n\"containers\":[{\n"
          "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":\"k\"}]},\n\"status\":{\n\"phase\":"
          "\n7}}",
          "status.phase", 12 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"," WORKLOAD
          ",\n\"spec\":{\n\"containers\":[{\n"
          "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"tolerations\":[{\"key\":\"k\"}],\n\"nodeSelector\":{"
          "\n\"k\":1}}}",
          "spec.nodeSelector.k", 11 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"," WORKLOAD
          ",\n\"spec\":{\n\"containers\":[{\n"
          "\"resources\":{\"requests\":{\n\"cpu\":\"x\"}}}],\"tolerations\":[{\"key\":\"k\"}]}}",
          "spec.containers[0].resources.requests.cpu", 10 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\n\"name\":\"a\"," WORKLOAD ",\"spec\":{}}",
          "metadata.name", 7 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4000];
        snprintf(text, sizeof text, LIST("%s,\n%s"), FIRST("\"kind\":\"Pod\""), cases[i].second);
        reading r = read_text(text);
        if (r.error.line != cases[i].line || strcmp(r.error.field, cases[i].field) != 0)
            fail_msg("case %zu: line %u, field %s: %s", i, (unsigned)r.error.line, r.error.field, r.error.message);
        assert_string_equal(r.error.object, i == 3 ? "Pod default/a" : "Pod default/b");
    }
}

/* A note names the line of the field that is unknown, in a value that was kept before. */
static void test_notes(void **state)
{
    (void)state;
    reading r = read_text(
        LIST(FIRST("\"kind\":\"Pod\"") ",\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                                       "\"b\"},\"spec\":{\"containers\":[{\n\"resources\":{\n\"request\":{}}}]}}"));
    assert_read(&r);
    assert_non_null(strstr(r.warnings, "input:8: Pod b: a Pod has no field spec.containers[0].resources.request"));
    reading_free(&r);
}

/* An object whose kind is a Pod's first and then another one is of the other kind. */
static void test_last_kind(void **state)
{
    (void)state;
    reading r = read_text(
        LIST(FIRST("\"kind\":\"Pod\"") ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"kind\":\"Namespace\",\"metadata\":{"
                                       "\"name\":\"n\",\"labels\":{\"app\":\"a\"}}}"));
    assert_read(&r);
    assert_int_equal(r.counts.pods, 1);
    assert_string_equal(text_at(object_of(&r, "Namespace", NULL, "n"), "metadata/labels/app"), "a");
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_last_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
