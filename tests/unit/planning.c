/* SPDX-License-Identifier: Apache-2.0 */
#include "planning.h"

#include <stdio.h>
#include <string.h>

#include <karp/io.h>
#include <support/fault.h>
#include <support/questions.h>

typedef struct page {
    char *text;
    size_t room, length;
} page;

static void __attribute__((format(printf, 2, 3))) put(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(p->text + p->length, p->room - p->length, format, arguments);
    va_end(arguments);
    if (n > 0) p->length += (size_t)n < p->room - p->length ? (size_t)n : p->room - p->length - 1;
}

static void put_str(page *p, karp_str s) { put(p, "%.*s", (int)s.len, s.ptr); }

static bool same(karp_str s, const char *text) { return s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0; }

static void put_pods(page *p, const karp_decision *d, const uint32_t *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        karp_str name = karp_decision_pod_name(d, pods[i]);
        const char *slash = memchr(name.ptr, '/', name.len);
        size_t skip = slash ? (size_t)(slash - name.ptr) + 1 : 0;
        put(p, "%s", i > 0 ? "," : " ");
        put_str(p, (karp_str){ name.ptr + skip, name.len - skip });
    }
}

static void put_launch(page *p, const karp_decision *d, const karp_launch *l)
{
    put(p, "new ");
    put_str(p, l->node_pool);
    put_pods(p, d, l->pods, l->pod_count);
    put(p, " on");
    for (size_t i = 0; i < l->instance_type_count; i++) {
        put(p, "%s", i > 0 ? "," : " ");
        put_str(p, l->instance_types[i]);
    }
    for (size_t i = 0; i < l->requirement_count; i++) {
        if (!same(l->requirements[i].key, "topology.kubernetes.io/zone")) continue;
        put(p, " zone=");
        for (size_t k = 0; k < l->requirements[i].value_count; k++) {
            if (k > 0) put(p, ",");
            put_str(p, l->requirements[i].values[k]);
        }
    }
    for (size_t i = 0; i < l->annotation_count; i++) {
        if (!same(l->annotations[i].key, "karpenter.sh/requested-dra-drivers")) continue;
        put(p, " drivers=");
        put_str(p, l->annotations[i].value);
    }
    put(p, "\n");
}

static void put_plan(page *p, const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_launch_count(d); i++) {
        karp_launch one = { .size = sizeof one };
        assert_int_equal(karp_decision_launch(d, i, &one), KARP_OK);
        put_launch(p, d, &one);
    }
    for (size_t i = 0; i < karp_decision_placement_count(d); i++) {
        karp_placement one = { .size = sizeof one };
        assert_int_equal(karp_decision_placement(d, i, &one), KARP_OK);
        put(p, "node ");
        put_str(p, one.node);
        put_pods(p, d, one.pods, one.pod_count);
        put(p, "\n");
    }
    for (size_t i = 0; i < karp_decision_unschedulable_count(d); i++) {
        karp_unschedulable one = { .size = sizeof one };
        assert_int_equal(karp_decision_unschedulable(d, i, &one), KARP_OK);
        put(p, "no");
        put_pods(p, d, &one.pod, 1);
        put(p, " %s\n", karp_reason_name(one.code));
    }
}

karp_status world_of(karp_context *context, const char *name, const char *text, karp_snapshot **out, karp_error *error)
{
    karp_reader *reader = NULL;
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.lenient = 1; /* Karpenter is asked, whatever the API server thinks of the pods */
    karp_status status = karp_reader_new(context, &options, &reader, error);
    if (status == KARP_OK)
        status = karp_reader_add(reader, (karp_str){ name, strlen(name) }, (karp_str){ text, strlen(text) }, error);
    if (status == KARP_OK) status = karp_reader_finish(reader, out, error);
    karp_reader_free(reader);
    return status;
}

static uint32_t planned_peer; /* version of Karpenter */

static karp_status decide(karp_context *context, const char *yaml, karp_decision **out, karp_error *error)
{
    karp_snapshot *snapshot = NULL;
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.explain = KARP_EXPLAIN_FULL;
    options.peer_version = planned_peer;
    karp_status status = world_of(context, "case", yaml, &snapshot, error);
    if (status == KARP_OK) status = karp_provision(snapshot, &options, out, error);
    karp_snapshot_unref(snapshot);
    return status;
}

karp_status plan_of(karp_context *context, const char *yaml, char *into, size_t room, karp_error *error)
{
    karp_decision *d = NULL;
    page p = { into, room, 0 };
    into[0] = '\0';
    karp_status status = decide(context, yaml, &d, error);
    if (status == KARP_OK) put_plan(&p, d);
    karp_decision_unref(d);
    return status;
}

static void assert_clean(const fault *f)
{
    assert_int_equal(f->live_blocks, 0);
    assert_int_equal(f->wrong_sizes, 0);
}

static karp_status planned(fault *f, size_t fail_at, const char *yaml, char *into, size_t room, karp_error *error)
{
    karp_context *context = fault_context(f);
    assert_non_null(context);
    fault_arm(f, fail_at, false);
    karp_status status = plan_of(context, yaml, into, room, error);
    karp_context_unref(context);
    assert_clean(f);
    return status;
}

void assert_plan(const char *yaml, const char *expected)
{
    fault f = { 0 };
    char text[8192];
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = planned(&f, 0, yaml, text, sizeof text, &error);
    if (status != KARP_OK) print_message("%s %s: %s\n", error.object, error.field, error.message);
    assert_int_equal(status, KARP_OK);
    assert_string_equal(text, expected);
    assert_true(refuse_if_wanted(NULL, &yaml, 1));
}

void assert_plan_of(uint32_t peer_version, const char *yaml, const char *expected)
{
    planned_peer = peer_version;
    assert_plan(yaml, expected);
    planned_peer = KARP_PEER_NEWEST;
}

void assert_plan_fault(const char *yaml, const char *expected)
{
    char text[8192];
    karp_error error;
    assert_plan(yaml, expected);
    for (size_t n = 1;; n++) {
        fault f = { 0 };
        karp_error_init(&error, sizeof error);
        karp_status status = planned(&f, n, yaml, text, sizeof text, &error);
        if (f.refused == 0) break;
        if (status == KARP_OK) continue; /* a refusal that costs nothing but time */
        assert_int_equal(status, KARP_E_NOMEM);
    }
    assert_string_equal(text, expected);
}

void assert_refusal(const char *yaml, const char *code, const char *message)
{
    karp_context *context = NULL;
    karp_decision *d = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(NULL, &context, &error), KARP_OK);
    assert_int_equal(decide(context, yaml, &d, &error), KARP_OK);
    assert_int_equal(karp_decision_unschedulable_count(d), 1);
    karp_unschedulable one = { .size = sizeof one };
    assert_int_equal(karp_decision_unschedulable(d, 0, &one), KARP_OK);
    assert_string_equal(karp_reason_name(one.code), code);
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)one.message.len, one.message.ptr);
    assert_string_equal(text, message);
    karp_decision_unref(d);
    karp_context_unref(context);
}

bool as_expected(size_t number, const char *about, karp_status status, const karp_error *error, const char *expected,
                 const char *found)
{
    if (status == KARP_OK && strcmp(found, expected) == 0) return true;
    print_message("case %zu, %s\n", number, about);
    if (status != KARP_OK)
        print_message("  %s %s %s: %s\n", error->document, error->object, error->field, error->message);
    else print_message("  expected: %s\n  found: %s\n", expected, found);
    return false;
}

karp_context *context_of_case(karp_error *error)
{
    karp_context *context = NULL;
    karp_error_init(error, sizeof *error);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    return context;
}
