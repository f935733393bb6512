/* SPDX-License-Identifier: Apache-2.0 */
/* Playing a story while memory is refused, and wrong arguments. What stories tell is in tests/cases/test_simulate.py.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/io.h>
#include <support/fault.h>

static const char *const story_text =
    "apiVersion: karp/v1\n"
    "kind: Story\n"
    "objects:\n"
    "- apiVersion: karpenter.sh/v1\n"
    "  kind: NodePool\n"
    "  metadata: {name: pool}\n"
    "  spec:\n"
    "    template: {spec: {nodeClassRef: {group: g, kind: K, name: default}, expireAfter: 10m}}\n"
    "    disruption: {consolidateAfter: 30s, budgets: [{nodes: \"100%\"}]}\n"
    "- apiVersion: apps/v1\n"
    "  kind: Deployment\n"
    "  metadata: {name: app}\n"
    "  spec:\n"
    "    selector: {matchLabels: {a: b}}\n"
    "    template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}\n"
    "steps:\n"
    "- scale: {deployment: app, replicas: 3}\n"
    "- wait: 2m\n"
    "- scale: {deployment: app, replicas: 0}\n"
    "- wait: 2m\n";

static const char *const types_text =
    "[{\"name\":\"t\",\"labels\":{\"node.kubernetes.io/instance-type\":[\"t\"],\"kubernetes.io/os\":[\"linux\"]},"
    "\"capacity\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"20\"},"
    "\"offerings\":[{\"zone\":\"z\",\"capacityType\":\"on-demand\",\"price\":1,\"available\":true}]}]";

typedef struct stage {
    fault fault;
    karp_context *context;
    karp_catalogue *types;
    karp_error error;
    char path[64];
} stage;

static int set_up(void **state)
{
    static stage s;
    memset(&s, 0, sizeof s);
    karp_error_init(&s.error, sizeof s.error);
    s.context = fault_context(&s.fault);
    assert_non_null(s.context);
    assert_int_equal(karp_catalogue_read(s.context, (karp_str){ "types", 5 },
                                         (karp_str){ types_text, strlen(types_text) }, &s.types, &s.error),
                     KARP_OK);
    (void)snprintf(s.path, sizeof s.path, "test-story.%p.yaml", (void *)&s);
    FILE *file = fopen(s.path, "w");
    assert_non_null(file);
    assert_true(fputs(story_text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    stage *s = *state;
    (void)remove(s->path);
    karp_catalogue_unref(s->types);
    karp_context_unref(s->context);
    return s->fault.live_blocks == 0 && s->fault.live_bytes == 0 && s->fault.wrong_sizes == 0 ? 0 : -1;
}

static karp_status play(stage *s, uint32_t format, karp_text *out)
{
    karp_write_options write;
    karp_write_options_init(&write, sizeof write);
    write.format = format;
    return karp_story_play(s->context, s->path, s->types, (karp_str){ NULL, 0 }, NULL, &write, out, &s->error);
}

static void test_played(void **state)
{
    stage *s = *state;
    karp_text text = { 0 };
    karp_status status = play(s, KARP_FORMAT_TEXT, &text);
    if (status != KARP_OK) print_message("%s\n", s->error.message);
    assert_int_equal(status, KARP_OK);
    assert_non_null(strstr(text.ptr, "2026-01-01T00:00:00Z  pool-1 launched: t\n"));
    assert_non_null(
        strstr(text.ptr, "2026-01-01T00:01:00Z  pool-1 bound: default/app-0 default/app-1 default/app-2\n"));
    assert_non_null(strstr(text.ptr, "2026-01-01T00:02:45Z  pool-1 deleted\n"));
    karp_text_free(&text);
    assert_int_equal(play(s, KARP_FORMAT_YAML, &text), KARP_E_UNSUPPORTED);
    assert_int_equal(karp_story_play(NULL, s->path, NULL, (karp_str){ NULL, 0 }, NULL, NULL, &text, &s->error),
                     KARP_E_INVALID);
    assert_int_equal(karp_story_play(s->context, NULL, NULL, (karp_str){ NULL, 0 }, NULL, NULL, &text, &s->error),
                     KARP_E_INVALID);
    assert_int_equal(karp_story_play(s->context, s->path, NULL, (karp_str){ NULL, 0 }, NULL, NULL, NULL, &s->error),
                     KARP_E_INVALID);
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.size = 8;
    assert_int_equal(
        karp_story_play(s->context, s->path, NULL, (karp_str){ NULL, 0 }, &options, NULL, &text, &s->error),
        KARP_E_ABI_SIZE);
    assert_int_equal(
        karp_story_play(s->context, "no-such-story.yaml", NULL, (karp_str){ NULL, 0 }, NULL, NULL, &text, NULL),
        KARP_E_IO);
}

/* Its nodes last a second each. */
static const char *const endless_text =
    "apiVersion: karp/v1\n"
    "kind: Story\n"
    "objects:\n"
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool}, spec: {template: {spec: {expireAfter: 1s, "
    "nodeClassRef: {group: g, kind: K, name: default}, requirements: []}}}}\n"
    "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: app}, spec: {replicas: 3, selector: {matchLabels: {a: "
    "b}}, template: "
    "{metadata: "
    "{labels: {a: b}}, spec: {containers: [{name: c, resources: {requests: {cpu: '1'}}}]}}}}\n"
    "steps:\n"
    "- wait: 10m\n"
    "- wait: 1000h\n";

static void test_bounded_work(void **state)
{
    stage *s = *state;
    karp_text text = { 0 };
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.max_steps = 2000;
    assert_int_equal(
        karp_story_play(s->context, s->path, s->types, (karp_str){ NULL, 0 }, &options, NULL, &text, &s->error),
        KARP_E_LIMIT);
    assert_string_equal(
        s->error.message,
        "more than 2000 steps of work in a story (max_steps): stopped at steps[1], at 2026-01-01T00:01:00Z");
    options.max_steps = 1000000;
    assert_int_equal(
        karp_story_play(s->context, s->path, s->types, (karp_str){ NULL, 0 }, &options, NULL, &text, &s->error),
        KARP_OK);
    karp_text_free(&text);
    FILE *file = fopen(s->path, "w");
    assert_non_null(file);
    assert_true(fputs(endless_text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(play(s, KARP_FORMAT_JSON, &text), KARP_E_LIMIT);
    assert_non_null(
        strstr(s->error.message, "more than 5001000 steps of work in a story (max_steps): stopped at steps[1]"));
    options.max_steps = 20000;
    assert_int_equal(
        karp_story_play(s->context, s->path, s->types, (karp_str){ NULL, 0 }, &options, NULL, &text, &s->error),
        KARP_E_LIMIT);
    assert_non_null(strstr(s->error.message, "stopped at steps[0]"));
}

static void test_refused_memory(void **state)
{
    stage *s = *state;
    size_t blocks = s->fault.live_blocks, bytes = s->fault.live_bytes;
    karp_text text = { 0 };
    fault_arm(&s->fault, 0, false);
    assert_int_equal(play(s, KARP_FORMAT_JSON, &text), KARP_OK);
    char *whole = strdup(text.ptr);
    assert_non_null(whole);
    karp_text_free(&text);
    size_t calls = s->fault.calls, refused = 0;
    assert_true(calls > 1000);
    for (size_t at = 1; at <= calls; at += at < 300 ? 1 : 1 + calls / 300) {
        fault_arm(&s->fault, at, false);
        karp_status status = play(s, KARP_FORMAT_JSON, &text);
        assert_int_equal(s->fault.refused, 1);
        if (status == KARP_OK) {
            /* What only saves work later can be done without. */
            assert_string_equal(text.ptr, whole);
            karp_text_free(&text);
            text = (karp_text){ 0 };
        } else {
            assert_int_equal(status, KARP_E_NOMEM);
            refused++;
        }
        assert_int_equal(s->fault.live_blocks, blocks);
        assert_int_equal(s->fault.live_bytes, bytes);
        assert_null(text.ptr);
    }
    assert_true(refused > 500);
    free(whole);
    fault_arm(&s->fault, 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_played, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bounded_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
