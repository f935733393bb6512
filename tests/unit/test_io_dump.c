/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical Snapshot and its digest; SHA-256; files and directories; memory that is refused. */
#include "io_reading.h"

#include <karp/values.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <support/fault.h>

static void test_sha256(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *hex;
    } vectors[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    };
    karp_digest s;
    char hex[KARP_DIGEST_TEXT];
    for (size_t i = 0; i < 3; i++) {
        karp_digest_init(&s, sizeof s);
        karp_digest_add(&s, vectors[i].text, strlen(vectors[i].text));
        karp_digest_text(&s, hex);
        assert_string_equal(hex, vectors[i].hex);
    }
    /* A million times "a", in pieces of every size up to 200. */
    char as[200];
    memset(as, 'a', sizeof as);
    karp_digest_init(&s, sizeof s);
    for (size_t left = 1000000, piece = 1; left; piece = piece % sizeof as + 1) {
        size_t n = piece < left ? piece : left;
        karp_digest_add(&s, as, n);
        left -= n;
    }
    karp_digest_text(&s, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    /* Many blocks at once are added as block after block is. */
    char many[64 * 200 + 5], at_once[KARP_DIGEST_TEXT];
    for (size_t i = 0; i < sizeof many; i++) many[i] = (char)(i * 31 + i / 64);
    for (size_t ahead = 0; ahead < 3; ahead++) {
        karp_digest_init(&s, sizeof s);
        for (size_t i = 0; i < sizeof many; i++) karp_digest_add(&s, many + i, 1);
        karp_digest_text(&s, hex);
        karp_digest_init(&s, sizeof s);
        karp_digest_add(&s, many, ahead);
        karp_digest_add(&s, many + ahead, sizeof many - ahead);
        karp_digest_text(&s, at_once);
        assert_string_equal(at_once, hex);
    }
}

static char *dump_of(const reading *r)
{
    char *text = json_dumps(r->dump, 0);
    assert_non_null(text);
    return text;
}

static const char *const mixed =
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {limits: {cpu: 0.1, memory: 1e6}}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {karpenter.sh/nodepool: p}}}\n---\n"
    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2, selector: {}, template: {spec: "
    "{containers: "
    "[{name: c}]}}, volumeClaimTemplates: "
    "[{metadata: {name: d}}]}}\n---\n"
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: {}, template: "
    "{metadata: "
    "{annotations: {t: \"a\\u00e9\\t\\\"\"}}, spec: {containers: [{name: c}]}}}}\n---\n"
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 1, selector: "
    "{}}}\n---\n"
    "{apiVersion: autoscaling.x-k8s.io/v1alpha1, kind: CapacityBuffer, metadata: {name: cb}, spec: {replicas: 2, "
    "scalableRef: {kind: Deployment, name: web}}}\n---\n"
    "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: x}}\n---\n"
    "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, status: {}}\n";

/* A dump reads back to the same dump. */
static void test_dump_of_a_dump(void **state)
{
    (void)state;
    reading first = read_text(mixed);
    assert_read(&first);
    char *text = dump_of(&first);
    reading second = read_text(text);
    assert_read(&second);
    char *again = dump_of(&second);
    assert_string_equal(text, again);
    assert_string_equal(first.digest, second.digest);
    assert_int_equal(first.counts.pods, 4);
    assert_int_equal(second.counts.pods, 4);
    assert_int_equal(second.counts.nodes, first.counts.nodes);
    free(text);
    free(again);
    reading_free(&first);
    reading_free(&second);
}

/* With the catalogues that the document has. */
static karp_reader *read_catalogues(const char *text, karp_text *dump)
{
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_reader_new(context, &options, &reader, NULL), KARP_OK);
    assert_int_equal(karp_reader_add(reader, (karp_str){ "input", 5 }, (karp_str){ text, strlen(text) }, NULL),
                     KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_reader_dump(reader, dump, NULL), KARP_OK);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    return reader;
}

/* Types keep their order, as decisions take the first of equally good ones; so do types of one name. */
static void test_types_keep_their_order(void **state)
{
    (void)state;
    char document[2000] = "apiVersion: karp/v1\nkind: Snapshot\nobjects: []\ncatalogues:\n- instanceTypes:\n";
    for (unsigned i = 0; i < 12; i++) {
        size_t n = strlen(document);
        (void)snprintf(document + n, sizeof document - n,
                       "  - {name: %s, capacity: {cpu: %u}, labels: {}, offerings: []}\n", i % 3 == 1 ? "x" : "t",
                       i + 1);
    }
    karp_text dump, again;
    karp_reader *first = read_catalogues(document, &dump), *second = read_catalogues(dump.ptr, &again);
    json_t *tree = json_loads(dump.ptr, 0, NULL);
    for (unsigned i = 0; i < 12; i++) {
        char path[80], cpu[12];
        (void)snprintf(path, sizeof path, "catalogues/0/instanceTypes/%u/capacity/cpu", i);
        (void)snprintf(cpu, sizeof cpu, "%u", i + 1);
        assert_string_equal(text_at(tree, path), cpu);
    }
    assert_string_equal(dump.ptr, again.ptr);
    assert_string_equal(karp_reader_digest(first).ptr, karp_reader_digest(second).ptr);
    json_decref(tree);
    karp_text_free(&dump);
    karp_text_free(&again);
    karp_reader_free(first);
    karp_reader_free(second);
}

/* Resources that Kubernetes does not know are dumped by name, in whatever order the types name them first. */
static void test_order_of_resources_does_not_matter(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "apiVersion: karp/v1\nkind: Snapshot\ncatalogues:\n- instanceTypes:\n"
        "  - {name: b, capacity: {example.com/c: 1, cpu: 4, example.com/b: 2}, labels: {}, offerings: [],"
        " overhead: {kubeReserved: {example.com/c: 1, cpu: 1, example.com/b: 1}}}\n"
        "  - {name: a, capacity: {example.com/c: 3, example.com/a: 2}, labels: {}, offerings: []}\n",
        "apiVersion: karp/v1\nkind: Snapshot\ncatalogues:\n- instanceTypes:\n"
        "  - {name: b, capacity: {example.com/b: 2, example.com/c: 1, cpu: 4}, labels: {}, offerings: [],"
        " overhead: {kubeReserved: {cpu: 1, example.com/b: 1, example.com/c: 1}}}\n"
        "  - {name: a, capacity: {example.com/a: 2, example.com/c: 3}, labels: {}, offerings: []}\n",
    };
    karp_text dump[2];
    karp_reader *reader[2];
    for (size_t i = 0; i < 2; i++) reader[i] = read_catalogues(documents[i], &dump[i]);
    assert_string_equal(dump[0].ptr, dump[1].ptr);
    assert_string_equal(karp_reader_digest(reader[0]).ptr, karp_reader_digest(reader[1]).ptr);
    assert_non_null(strstr(dump[0].ptr, "\"capacity\":{\"example.com/a\":\"2\",\"example.com/c\":"));
    for (size_t i = 0; i < 2; i++) {
        karp_text_free(&dump[i]);
        karp_reader_free(reader[i]);
    }
}

/* The digest is worked out when it is asked for: without memory it is not there, and the next who asks gets it. */
static void test_digest_without_memory(void **state)
{
    (void)state;
    fault f = { 0 };
    karp_context *context = fault_context(&f);
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    assert_int_equal(karp_reader_new(context, &options, &reader, NULL), KARP_OK);
    karp_catalogue *none = NULL;
    assert_int_equal(karp_catalogue_new(context, NULL, 0, &none, NULL), KARP_OK);
    assert_int_equal(karp_reader_add_catalogue(reader, none, NULL), KARP_OK);
    karp_catalogue_unref(none);
    assert_int_equal(karp_reader_add(reader, (karp_str){ "mixed", 5 }, (karp_str){ mixed, strlen(mixed) }, NULL),
                     KARP_OK);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    reading plain = read_text(mixed);
    size_t refused = 0;
    for (karp_str digest = { "", 0 }; digest.len == 0; refused++) {
        fault_arm(&f, refused + 1, false);
        digest = karp_reader_digest(reader);
        assert_true(digest.len == 64 || f.refused == 1);
    }
    assert_true(refused > 2);
    fault_arm(&f, 0, false);
    assert_string_equal(karp_reader_digest(reader).ptr, plain.digest);
    /* It is that of the dump. */
    karp_text text = { NULL, 0, NULL };
    char computed[KARP_DIGEST_TEXT];
    karp_digest sha;
    karp_digest_init(&sha, sizeof sha);
    assert_int_equal(karp_reader_dump(reader, &text, NULL), KARP_OK);
    karp_digest_add(&sha, text.ptr, text.len);
    karp_digest_text(&sha, computed);
    karp_text_free(&text);
    assert_string_equal(computed, plain.digest);
    reading_free(&plain);
    karp_reader_free(reader);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

static void test_order_does_not_matter(void **state)
{
    (void)state;
    static const char one[] =
        "{\"apiVersion\":\"karp/"
        "v1\",\"kind\":\"Snapshot\",\"objects\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\","
        "\"labels\":{\"x\":\"1\",\"a\":\"2\"}}},"
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"z\"}},{\"apiVersion\":\"v1\",\"kind\":"
        "\"Pod\",\"metadata\":{\"name\":\"a\"}}],\"now\":\"2026-01-02T00:00:00Z\"}";
    static const char two[] = "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-01-02T00:00:00.000Z\nobjects:\n- {kind: "
                              "Pod, apiVersion: v1, metadata: {name: a}}\n"
                              "- {kind: Pod, apiVersion: v1, metadata: {labels: {a: '2', x: '1'}, name: b}}\n- {kind: "
                              "Node, apiVersion: v1, metadata: {name: z}}\n";
    reading a = read_text(one), b = read_text(two);
    assert_read(&a);
    assert_read(&b);
    assert_string_equal(a.digest, b.digest);
    assert_string_equal(text_at(a.dump, "objects/0/kind"), "Node");
    assert_string_equal(text_at(a.dump, "objects/1/metadata/name"), "a");
    reading_free(&a);
    reading_free(&b);
}

static void test_only_kept_documents_are_dumped(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_catalogue *none = NULL;
    karp_snapshot *snapshot = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_new(context, NULL, 0, &none, NULL), KARP_OK);
    assert_int_equal(karp_reader_add_catalogue(reader, none, NULL), KARP_OK);
    karp_catalogue_unref(none);
    /* The context may go first. */
    karp_context_unref(context);
    assert_int_equal(karp_reader_dump(reader, &text, &error), KARP_E_STATE);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_OK);
    assert_int_equal(karp_reader_dump(reader, &text, &error), KARP_E_STATE);
    assert_int_equal(karp_reader_digest(reader).len, 0);
    assert_int_equal(karp_reader_finish(reader, &snapshot, NULL), KARP_E_STATE);
    assert_null(karp_reader_warning(reader, 0).ptr);
    karp_reader_free(reader);
    karp_snapshot_unref(snapshot);
    karp_reader_free(NULL);
}

static void test_options(void **state)
{
    (void)state;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    struct {
        karp_reader_options options;
        uint64_t later;
    } larger;
    memset(&larger, 0, sizeof larger);
    larger.options.size = sizeof larger;
    assert_int_equal(karp_reader_new(context, &larger.options, &reader, NULL), KARP_OK);
    karp_reader_free(reader);
    larger.later = 1;
    assert_int_equal(karp_reader_new(context, &larger.options, &reader, NULL), KARP_E_ABI_NEW);
    larger.options.size = 8;
    assert_int_equal(karp_reader_new(context, &larger.options, &reader, NULL), KARP_E_ABI_SIZE);
    larger.options.size = 0;
    assert_int_equal(karp_reader_new(context, &larger.options, &reader, NULL), KARP_E_ABI_SIZE);
    karp_context_unref(context);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static karp_status read_path(const char *path, karp_snapshot_counts *counts, karp_error *error)
{
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_reader_new(context, NULL, &reader, NULL), KARP_OK);
    karp_status status = karp_reader_add_path(reader, path, error);
    if (status == KARP_OK) {
        status = karp_reader_finish(reader, &snapshot, error);
        assert_int_equal(status, KARP_OK);
        counts->size = sizeof *counts;
        karp_snapshot_get_counts(snapshot, counts);
    }
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return status;
}

static void test_files_and_directories(void **state)
{
    (void)state;
    char directory[] = "/tmp/karp-io-XXXXXX", path[128];
    karp_snapshot_counts counts;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_non_null(mkdtemp(directory));
    static const char *const names[] = { "b.yaml", "a.json", "c.yml", "types.list", "README" };
    static const char *const texts[] = {
        "{apiVersion: v1, kind: Pod, metadata: {name: b}}",
        "{\"apiVersion\":\"karp/"
        "v1\",\"kind\":\"Snapshot\",\"catalogues\":[{\"nodePools\":[\"p\"],\"path\":\"types.list\"}],\"objects\":["
        "{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"p\"}}]}",
        "# nothing\n",
        "[{\"name\":\"t1\",\"labels\":{\"node.kubernetes.io/"
        "instance-type\":[\"t1\"]},\"capacity\":{\"cpu\":\"1\"},\"offerings\":[{\"zone\":\"z\",\"capacityType\":"
        "\"spot\",\"price\":0.1,\"available\":true}]}]",
        "not read",
    };
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        write_file(path, texts[i]);
    }
    snprintf(path, sizeof path, "%s/dir.yaml", directory);
    assert_int_equal(mkdir(path, 0700), 0);
    karp_status status = read_path(directory, &counts, &error);
    if (status) fail_msg("%s %s: %s", error.document, error.field, error.message);
    assert_int_equal(counts.pods, 1);
    assert_int_equal(counts.instance_types, 1);

    snprintf(path, sizeof path, "%s/a.json", directory);
    assert_int_equal(read_path(path, &counts, &error), KARP_OK);
    snprintf(path, sizeof path, "%s/none.json", directory);
    assert_int_equal(read_path(path, &counts, &error), KARP_E_IO);
    assert_string_equal(error.document, path);

    snprintf(path, sizeof path, "%s/dir.yaml", directory);
    assert_int_equal(rmdir(path), 0);
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(directory), 0);
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

static karp_status read_under(karp_context *context, const char *name, const char *text, karp_error *error)
{
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.keep_documents = 1;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_catalogue *none = NULL;
    karp_text dump = { NULL, 0, NULL };
    karp_status status = karp_reader_new(context, &options, &reader, error);
    if (status == KARP_OK) status = karp_catalogue_new(context, NULL, 0, &none, error);
    if (status == KARP_OK) status = karp_reader_add_catalogue(reader, none, error);
    if (status == KARP_OK)
        status = karp_reader_add(reader, (karp_str){ name, strlen(name) }, (karp_str){ text, strlen(text) }, error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, error);
    if (status == KARP_OK) status = karp_reader_dump(reader, &dump, error);
    karp_text_free(&dump);
    karp_catalogue_unref(none);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    return status;
}

static const char *const old_objects =
    "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: p}, spec: {providerRef: {name: t}, "
    "kubeletConfiguration: {maxPods: 5, clusterDNS: [x]}, ttlSecondsAfterEmpty: 3}}\n---\n"
    "{apiVersion: karpenter.k8s.aws/v1alpha1, kind: AWSNodeTemplate, metadata: {name: t}, spec: {subnetSelector: {a: "
    "'b,c'}}}\n---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {karpenter.sh/provisioner-name: p}}}\n";

static const char *const stated = "{\"apiVersion\":\"karp/"
                                  "v1\",\"kind\":\"Snapshot\",\"settings\":{\"preferencePolicy\":\"Ignore\"},\"state\":"
                                  "{\"nodes\":[{\"name\":\"n\"}],\"pods\":[\"default/a\"]},"
                                  "\"catalogues\":[{\"nodePools\":[\"p\"],\"instanceTypes\":[]}],\"objects\":[{"
                                  "\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}]}";

static void test_refused_memory(void **state)
{
    (void)state;
    const char *const texts[] = { mixed, old_objects, stated };
    for (size_t i = 0; i < 3; i++) {
        for (int keep = 0; keep < 2; keep++) {
            fault f;
            memset(&f, 0, sizeof f);
            karp_context *context = fault_context(&f);
            assert_non_null(context);
            size_t idle = f.live_blocks;
            karp_status status = KARP_E_NOMEM;
            for (size_t n = 1; status == KARP_E_NOMEM; n++) {
                karp_error error;
                karp_error_init(&error, sizeof error);
                fault_arm(&f, n, keep);
                status = read_under(context, "t", texts[i], &error);
                fault_arm(&f, 0, false);
                if (status != KARP_OK) {
                    assert_int_equal(status, KARP_E_NOMEM);
                    assert_int_equal(error.status, KARP_E_NOMEM);
                    assert_string_not_equal(error.message, "");
                }
                assert_int_equal(f.live_blocks, idle);
                assert_true(n < 100000);
            }
            assert_int_equal(status, KARP_OK);
            assert_int_equal(f.wrong_sizes, 0);
            karp_context_unref(context);
            assert_int_equal(f.live_blocks, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_dump_of_a_dump),
        cmocka_unit_test(test_types_keep_their_order),
        cmocka_unit_test(test_order_of_resources_does_not_matter),
        cmocka_unit_test(test_digest_without_memory),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_only_kept_documents_are_dumped),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_files_and_directories),
        cmocka_unit_test(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
