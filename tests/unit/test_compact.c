/* SPDX-License-Identifier: Apache-2.0 */
/* Edited snapshots free what they no longer use, and decide as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <model/snapshot.h>
#include <support/editing.h>
#include <support/fault.h>

#include <karp/builder.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>

static karp_str text_(const char *s) { return (karp_str){ s, strlen(s) }; }

/* ---- the same decisions ------------------------------------------------------------------------------------------ */

/* Adds a pod with a long uid, or removes it. */
static karp_snapshot *filled(karp_snapshot *from, bool add, char *uid, size_t length)
{
    karp_builder *b = NULL;
    karp_snapshot *to = NULL;
    const karp_pod p = { .size = sizeof p,
                         .meta = { .name = text_("filler"), .namespace_ = text_("default"), .uid = { uid, length } },
                         .phase = KARP_PHASE_SUCCEEDED,
                         .termination_grace_seconds = -1 };
    assert_int_equal(karp_snapshot_edit(from, &b, NULL), KARP_OK);
    if (add) assert_int_equal(karp_builder_add_pod(b, &p, NULL), KARP_OK);
    else assert_int_equal(karp_builder_remove(b, text_("Pod"), text_("default"), text_("filler"), NULL), KARP_OK);
    assert_int_equal(karp_builder_finish(b, &to, NULL), KARP_OK);
    karp_builder_free(b);
    karp_snapshot_unref(from);
    return to;
}

/* The snapshot after edits that leave much behind and nothing else. */
static karp_snapshot *compacted(karp_snapshot *from)
{
    enum { LONG = 1 << 22 };
    char *uid = malloc(LONG);
    assert_non_null(uid);
    memset(uid, 'x', LONG);
    karp_snapshot *to = karp_snapshot_ref(from);
    for (int i = 0; i < 3; i++) to = filled(filled(to, true, uid, LONG), false, NULL, 0);
    free(uid);
    assert_int_equal(strings_find(&to->raw.names, "filler", 6), NO_ID);
    return to;
}

static void decide(const karp_snapshot *s, char hashes[2][KARP_DIGEST_TEXT])
{
    karp_decision *d = NULL;
    memset(hashes, 0, 2 * KARP_DIGEST_TEXT);
    for (int i = 0; i < 2; i++) {
        karp_status status = i == 0 ? karp_provision(s, NULL, &d, NULL) : karp_disrupt(s, NULL, &d, NULL);
        if (status == KARP_OK) karp_decision_hash(d, hashes[i]);
        karp_decision_unref(d);
        d = NULL;
    }
}

static void compare(karp_snapshot *before)
{
    char expected[2][KARP_DIGEST_TEXT], mine[2][KARP_DIGEST_TEXT];
    decide(before, expected);
    karp_snapshot *after = compacted(before);
    decide(after, mine);
    assert_memory_equal(mine, expected, sizeof mine);
    assert_int_equal(after->raw.shapes.count, after->raw.shape_keys.count);
    karp_snapshot_unref(after);
}

static size_t compare_folder(karp_context *context, const char *world, const char *path)
{
    char one[1024], more[1024];
    karp_catalogue *types = NULL;
    DIR *folder = opendir(path);
    size_t compared = 0;
    assert_non_null(folder);
    (void)snprintf(more, sizeof more, "%s/types.yaml", world);
    assert_int_equal(karp_catalogue_read_file(context, more, &types, NULL), KARP_OK);
    (void)snprintf(more, sizeof more, "%s/world.yaml", world);
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        karp_reader *reader = NULL;
        karp_snapshot *s = NULL;
        if (strstr(e->d_name, ".yaml") == NULL) continue;
        (void)snprintf(one, sizeof one, "%s/%s", path, e->d_name);
        assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
        assert_int_equal(karp_reader_add_catalogue(reader, types, NULL), KARP_OK);
        if (karp_reader_add_path(reader, more, NULL) == KARP_OK && karp_reader_add_path(reader, one, NULL) == KARP_OK)
            (void)karp_reader_finish(reader, &s, NULL);
        karp_reader_free(reader);
        if (s != NULL) compare(s);
        compared += s != NULL;
        karp_snapshot_unref(s);
    }
    (void)closedir(folder);
    karp_catalogue_unref(types);
    return compared;
}

/* Objects of all kinds. */
static void cases_decide_as_before(void **state)
{
    static const char *const kinds[] = { "volumes", "devices", "existing", "spread",  "affinity",
                                         "daemons", "pools",   "reserved", "versions" };
    static const char *const disruption[] = { "consolidation", "emptiness", "simulation", "budgets", "drift" };
    karp_context *context = NULL;
    size_t compared = 0;
    char path[256];
    (void)state;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        (void)snprintf(path, sizeof path, "tests/cases/scheduling/%s", kinds[i]);
        compared += compare_folder(context, "tests/cases/scheduling", path);
    }
    for (size_t i = 0; i < sizeof disruption / sizeof *disruption; i++) {
        (void)snprintf(path, sizeof path, "tests/cases/disruption/%s", disruption[i]);
        compared += compare_folder(context, "tests/cases/disruption", path);
    }
    compared += compare_folder(context, "tests/cases/scheduling", "tests/data/fault");
    karp_context_unref(context);
    assert_true(compared > 100);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { NODES = 20, PODS = 100 };

static void add_node(karp_builder *b, unsigned number)
{
    char name[64];
    (void)snprintf(name, sizeof name, "node-%u", number);
    const karp_label label = { text_("kubernetes.io/hostname"), text_(name) };
    const karp_resource amounts[] = { { .name = text_("cpu"), .text = text_("8") },
                                      { .name = text_("pods"), .text = text_("10") } };
    const karp_node n = { .size = sizeof n,
                          .meta = { .name = text_(name), .labels = &label, .label_count = 1 },
                          .provider_id = text_(name),
                          .capacity = amounts,
                          .capacity_count = 2,
                          .allocatable = amounts,
                          .allocatable_count = 2 };
    assert_int_equal(karp_builder_add_node(b, &n, NULL), KARP_OK);
}

/* Pods of a Job have labels of their own. Long UIDs make each of them leave much behind. */
static void add_pod(karp_builder *b, unsigned number, unsigned host)
{
    char name[64], on[64], uid[2048];
    (void)snprintf(name, sizeof name, "pod-%u", number);
    (void)snprintf(uid, sizeof uid, "%02047u", number);
    (void)snprintf(on, sizeof on, "node-%u", host);
    const karp_label label = { text_("job"), text_(name) };
    const karp_resource request = { .name = text_("cpu"), .text = text_("1") };
    const karp_container container = { .name = text_("c"), .requests = &request, .request_count = 1 };
    const karp_pod p = { .size = sizeof p,
                         .meta = { .name = text_(name), .uid = text_(uid), .labels = &label, .label_count = 1 },
                         .containers = &container,
                         .container_count = 1,
                         .node_selector = number % 3 == 0 ? &label : NULL,
                         .node_selector_count = number % 3 == 0,
                         .node_name = text_(on),
                         .phase = KARP_PHASE_RUNNING,
                         .termination_grace_seconds = -1 };
    assert_int_equal(karp_builder_add_pod(b, &p, NULL), KARP_OK);
}

/* In each round a Node and ten pods go, and others come under new names. KARP_LONG=1: 10,000 rounds. */
static void memory_stays_flat(void **state)
{
    static fault f;
    size_t most[2] = { 0, 0 };
    unsigned rounds = getenv("KARP_LONG") != NULL ? 10000 : 1200;
    karp_builder *b = NULL;
    karp_snapshot *s = NULL;
    char name[64];
    (void)state;
    karp_context *context = fault_context(&f);
    assert_int_equal(karp_builder_new(context, &b, NULL), KARP_OK);
    for (unsigned i = 0; i < NODES; i++) add_node(b, i);
    for (unsigned i = 0; i < PODS; i++) add_pod(b, i, i % NODES);
    for (unsigned round = 0; round <= rounds; round++) {
        karp_snapshot *before = s;
        assert_int_equal(karp_builder_finish(b, &s, NULL), KARP_OK);
        karp_builder_free(b);
        karp_snapshot_unref(before);
        size_t *half = &most[round > rounds / 2];
        if (f.live_bytes > *half) *half = f.live_bytes;
        assert_int_equal(s->raw.pods.count, PODS);
        assert_int_equal(karp_snapshot_edit(s, &b, NULL), KARP_OK);
        (void)snprintf(name, sizeof name, "node-%u", round);
        assert_int_equal(karp_builder_remove(b, text_("Node"), text_(""), text_(name), NULL), KARP_OK);
        add_node(b, round + NODES);
        for (unsigned i = round * 10; i < round * 10 + 10; i++) {
            (void)snprintf(name, sizeof name, "pod-%u", i);
            assert_int_equal(karp_builder_remove(b, text_("Pod"), text_("default"), text_(name), NULL), KARP_OK);
            add_pod(b, i + PODS, round + 1 + i % (NODES - 1));
        }
    }
    karp_builder_free(b);
    karp_snapshot_unref(s);
    karp_context_unref(context);
    assert_true(most[1] <= most[0] + most[0] / 10);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cases_decide_as_before), cmocka_unit_test(memory_stays_flat) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
