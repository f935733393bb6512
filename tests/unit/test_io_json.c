/* SPDX-License-Identifier: Apache-2.0 */
/* JSON documents: lists, lines, Snapshots; where errors are said to be. */
#include "io_reading.h"

#include <stdio.h>
#include <stdlib.h>

#define POD(name) "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\"}}"

static void test_one_document(void **state)
{
    (void)state;
    reading r = read_text(POD("a"));
    assert_read(&r);
    assert_int_equal(r.counts.pods, 1);
    assert_non_null(object_of(&r, "Pod", "default", "a"));
    reading_free(&r);
}

static void test_one_per_line(void **state)
{
    (void)state;
    reading r = read_text("\xEF\xBB\xBF" POD("a") "\n" POD("b") "\n\n" POD("c") " " POD("d"));
    assert_read(&r);
    assert_int_equal(r.counts.pods, 4);
    reading_free(&r);
}

static void test_lists(void **state)
{
    (void)state;
    /* `kind` behind `items`; a typed list whose items do not repeat their kind; a list in a list. */
    reading r = read_text("{\"apiVersion\":\"v1\",\"items\":[" POD("a") "," POD(
        "b") "],\"kind\":\"List\"}\n"
             "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"c\"}}]}"
             "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":"
             "[" POD("d") "]}]}"
                          "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":null}{\"kind\":\"List\",\"apiVersion\":"
                          "\"v1\",\"items\":[]}");
    assert_read(&r);
    assert_int_equal(r.counts.pods, 4);
    assert_string_equal(text_at(object_of(&r, "Pod", "default", "c"), "apiVersion"), "v1");
    reading_free(&r);
}

static void test_syntax_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        karp_status status;
        uint32_t line;
    } cases[] = {
        { "{", KARP_E_SYNTAX, 1 },
        { "{\"kind\":\"Pod\"", KARP_E_SYNTAX, 1 },
        { "{\"kind\":\"Pod}", KARP_E_SYNTAX, 1 },
        { "{\"a\":1}}", KARP_E_INVALID, 1 },
        { POD("a") "\n}", KARP_E_SYNTAX, 2 },
        { "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n" POD("a") "\n" POD("b") "]}", KARP_E_SYNTAX, 3 },
        { "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n" POD("a") ",\n{\"kind\" \"Pod\"}]}", KARP_E_SYNTAX,
          3 },
        { "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":{}}", KARP_E_INVALID, 1 },
        { "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n\n1]}", KARP_E_INVALID, 3 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\"metadata\":{\"name\":\"\\u0000\"}}", KARP_E_SYNTAX, 2 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\"metadata\":{\"name\":\"\xFF\"}}", KARP_E_SYNTAX, 2 },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\"x\":99999999999999999999}", KARP_E_RANGE, 2 },
        { "[1]", KARP_E_INVALID, 1 },
        { "{\"kind\":\"Pod\"}", KARP_E_INVALID, 1 },
        { "{\"apiVersion\":\"v1\"}", KARP_E_INVALID, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reading r = read_texts(NULL, "x.json", cases[i].text, NULL);
        assert_refused(&r, cases[i].status, cases[i].line, NULL);
        assert_string_equal(r.error.document, "x.json");
        reading_free(&r);
    }
}

static void test_field_errors(void **state)
{
    (void)state;
    reading r = read_text("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-0\"},\n\"spec\":{"
                          "\"containers\":[{\"name\":\"a\"},\n"
                          "{\"resources\":{\"requests\":{\"memory\":1,\n  \"cpu\":\"1x\"}}}]}}");
    assert_refused(&r, KARP_E_INVALID, 4, "spec.containers[1].resources.requests.cpu");
    assert_string_equal(r.error.object, "Pod default/web-0");
    assert_int_equal(r.error.column, 9);
    reading_free(&r);

    static const struct {
        const char *text;
        const char *field;
    } cases[] = {
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{}}", "metadata.name" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":[]}", "metadata" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"labels\":{\"b\":1}}}",
          "metadata.labels.b" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"priority\":1.5}}",
          "spec.priority" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"priority\":3000000000}}",
          "spec.priority" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"status\":{\"phase\":\"Waiting\"}}",
          "status.phase" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"today\"}}",
          "metadata.creationTimestamp" },
        { "{\"apiVersion\":\"karpenter.sh/"
          "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"disruption\":{\"consolidateAfter\":"
          "\"soon\"}}}",
          "spec.disruption.consolidateAfter" },
        { "{\"apiVersion\":\"karpenter.sh/"
          "v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"disruption\":{\"budgets\":[{"
          "\"reasons\":[\"Empty\",\"Bored\"]}]}}}",
          "spec.disruption.budgets[0].reasons[1]" },
        { "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"},\"status\":{\"capacity\":{\"cpu\":{}}"
          "}}",
          "status.capacity.cpu" },
        { "{\"apiVersion\":\"apps/"
          "v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"replicas\":-1}}",
          "spec.replicas" },
        { "{\"apiVersion\":\"apps/"
          "v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"selector\":[]}}",
          "spec.selector" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        r = read_text(cases[i].text);
        assert_refused(&r, KARP_E_INVALID, 1, cases[i].field);
        reading_free(&r);
    }
}

/* What a pod may get wrong without the input being wrong: the pod is judged, not the document. */
static void test_unknown_operators_are_read(void **state)
{
    (void)state;
    reading r = read_leniently(
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"tolerations\":[{"
        "\"operator\":\"Sometimes\"}],"
        "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"
        "[{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Near\"}]}]}}}}}");
    assert_read(&r);
    assert_int_equal(r.counts.pods, 1);
    reading_free(&r);
}

static void test_every_truncation(void **state)
{
    (void)state;
    static const char whole[] =
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":"
        "{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"\\u00e9\\\\\"}]}}]}";
    for (size_t n = 1; n + 1 < sizeof whole; n++) {
        char part[sizeof whole];
        memcpy(part, whole, n);
        part[n] = '\0';
        reading r = read_texts(NULL, "x.json", part, NULL);
        assert_int_equal(r.status, KARP_E_SYNTAX);
        reading_free(&r);
    }
    reading r = read_texts(NULL, "x.json", whole, NULL);
    assert_read(&r);
    reading_free(&r);
}

static void test_depth(void **state)
{
    (void)state;
    for (size_t depth = 99; depth <= 101; depth++) {
        char text[512] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"x\":";
        size_t n = strlen(text);
        memset(text + n, '[', depth - 1);
        memset(text + n + depth - 1, ']', depth - 1);
        text[n + 2 * (depth - 1)] = '}';
        reading r = read_text(text);
        if (depth <= 100) assert_read(&r);
        else assert_refused(&r, KARP_E_LIMIT, 1, NULL);
        reading_free(&r);
    }
}

static void test_large_scalar(void **state)
{
    (void)state;
    static const char head[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"annotations\":{\"x\":\"";
    static const char tail[] = "\"}}}";
    size_t large = 10 * 1024 * 1024;
    char *text = malloc(sizeof head + large + sizeof tail);
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, 'y', large);
    memcpy(text + sizeof head - 1 + large, tail, sizeof tail);
    reading r = read_text(text);
    assert_read(&r);
    assert_int_equal(strlen(text_at(object_of(&r, "Pod", "default", "a"), "metadata/annotations/x")), large);
    reading_free(&r);
    free(text);
}

static void test_unknown_kinds_warn_once(void **state)
{
    (void)state;
    reading r = read_text(
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\"}}\n"
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"b\"}}\n"
        "{\"apiVersion\":\"serving.example.dev/v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"b\"}}\n"
        "{\"apiVersion\":\"x.example/v1\",\"kind\":\"FancyNodeClass\",\"metadata\":{\"name\":\"c\"}}");
    assert_read(&r);
    assert_int_equal(r.warning_count, 2);
    assert_non_null(strstr(r.warnings, "Secret"));
    assert_non_null(strstr(r.warnings, "serving.example.dev"));
    assert_non_null(object_of(&r, "FancyNodeClass", NULL, "c"));
    reading_free(&r);
}

static void test_duplicates(void **state)
{
    (void)state;
    reading r = read_text(POD("a") "\n" POD("a"));
    assert_refused(&r, KARP_E_DUPLICATE, 2, NULL);
    assert_string_equal(r.error.object, "Pod default/a");
    reading_free(&r);
}

/* ---- Snapshot ---------------------------------------------------------------------------------------------------- */

#define STATED_POD(name)                                                                                               \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\",\"namespace\":\"n\"}}"

static void test_snapshot_members_in_any_order(void **state)
{
    (void)state;
    reading r = read_text("{\"objects\":[" STATED_POD("a") "," STATED_POD(
        "b") ",{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":"
             "{\"name\":\"rs\"},\"spec\":{\"replicas\":5,\"template\":{}}}],\"state\":{\"pods\":[\"n/"
             "b\"],\"method\":\"Drift\","
             "\"nodes\":[]},\"settings\":{\"featureGates\":{\"NodeOverlay\":true},\"ignoreDRARequests\":false},"
             "\"labels\":{\"wellKnown\":[\"x/"
             "y\"]},\"now\":\"2026-11-21T02:55:10Z\",\"kind\":\"Snapshot\",\"apiVersion\":\"karp/v1\"}");
    assert_read(&r);
    assert_int_equal(r.counts.pods, 2);
    assert_int_equal(r.counts.pods_to_place, 1);
    assert_int_equal(r.method, KARP_METHOD_DRIFT);
    assert_string_equal(text_at(r.dump, "now"), "2026-11-21T02:55:10Z");
    assert_true(json_is_true(at(r.dump, "settings/featureGates/NodeOverlay")));
    assert_string_equal(text_at(r.dump, "labels/wellKnown/0"), "x/y");
    /* Nothing is filled in. */
    assert_null(at(object_of(&r, "Pod", "n", "a"), "metadata/uid"));
    assert_null(at(object_of(&r, "Pod", "n", "a"), "status"));
    assert_int_equal(object_count(&r, "Namespace"), 0);
    reading_free(&r);
}

static void test_snapshot_errors(void **state)
{
    (void)state;
    static const struct {
        const char *member;
        const char *field;
    } cases[] = {
        { "\"now\":\"yesterday\"", "now" },
        { "\"now\":5", "now" },
        { "\"settings\":[]", "settings" },
        { "\"settings\":{\"preferencePolicy\":\"Maybe\"}", "settings.preferencePolicy" },
        { "\"settings\":{\"featureGates\":{\"NodeRepair\":1}}", "settings.featureGates.NodeRepair" },
        { "\"labels\":{\"wellKnown\":[1]}", "labels.wellKnown[0]" },
        { "\"state\":{\"method\":\"Guessing\"}", "state.method" },
        { "\"state\":{\"nodes\":[{}]}", "state.nodes[0].name" },
        { "\"catalogues\":[{}]", "catalogues[0]" },
        { "\"catalogues\":[{\"path\":\"a.json\",\"instanceTypes\":[]}]", "catalogues[0]" },
        { "\"catalogues\":[{\"path\":\"a.json\"}]", "catalogues[0].path" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"apiVersion\":\"karp/v1\",\"kind\":\"Snapshot\",\n%s}", cases[i].member);
        karp_context *context = NULL;
        karp_reader *reader = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
        assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
        assert_int_equal(karp_reader_add(reader, (karp_str){ "s", 1 }, (karp_str){ text, strlen(text) }, &error),
                         KARP_E_INVALID);
        assert_string_equal(error.field, cases[i].field);
        assert_string_equal(error.object, "Snapshot");
        assert_int_equal(error.line, 2);
        karp_reader_free(reader);
        karp_context_unref(context);
    }
}

static void test_snapshot_slips_warn(void **state)
{
    (void)state;
    reading r = read_text("{\"apiVersion\":\"karp/"
                          "v1\",\"kind\":\"Snapshot\",\"settings\":{\"preferencesPolicy\":\"Ignore\",\"featureGates\":{"
                          "\"Overlay\":true}}}");
    assert_read(&r);
    assert_int_equal(r.warning_count, 2);
    assert_non_null(strstr(r.warnings, "settings.preferencesPolicy"));
    assert_non_null(strstr(r.warnings, "settings.featureGates.Overlay"));
    reading_free(&r);
}

static void test_only_one_snapshot(void **state)
{
    (void)state;
    reading r = read_text(
        "{\"apiVersion\":\"karp/v1\",\"kind\":\"Snapshot\"}\n{\"apiVersion\":\"karp/v1\",\"kind\":\"Snapshot\"}");
    assert_refused(&r, KARP_E_DUPLICATE, 2, NULL);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_document),
        cmocka_unit_test(test_one_per_line),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_field_errors),
        cmocka_unit_test(test_unknown_operators_are_read),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_large_scalar),
        cmocka_unit_test(test_unknown_kinds_warn_once),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_snapshot_members_in_any_order),
        cmocka_unit_test(test_snapshot_errors),
        cmocka_unit_test(test_snapshot_slips_warn),
        cmocka_unit_test(test_only_one_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
