/* SPDX-License-Identifier: Apache-2.0 */
/* GCP: facts, node classes, launches and nodes. Amounts, labels and choices are held to golden answers:
 * test_clouds_golden.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/provider.h>
#include <providers/cloud_dump.h>
#include <support/fault.h>
#include <support/plain.h>

#define HEAD "karp-facts gcp 1\nas-of 2026-01-01\nregions us-central1:ab europe-west9:abc\n"

static karp_provider *open_with(const char *region, const char *setting, const char *value, karp_status want)
{
    karp_provider *provider = NULL;
    karp_provider_options options;
    const karp_label one = { text_of(setting), text_of(value) };
    karp_provider_options_init(&options, sizeof options);
    options.region = text_of(region);
    options.settings = &one;
    options.setting_count = setting[0] != '\0';
    assert_int_equal(karp_provider_open(context, text_of("gcp"), &options, &provider, NULL), want);
    return provider;
}

static const karp_instance_type *find(const karp_catalogue *types, const char *name)
{
    for (size_t i = 0; i < karp_catalogue_count(types); i++) {
        if (same(karp_catalogue_type(types, i)->name, text_of(name))) return karp_catalogue_type(types, i);
    }
    return NULL;
}

static karp_catalogue *types_of(karp_provider *p, const karp_provider_class *c)
{
    karp_catalogue *types = NULL;
    assert_int_equal(karp_provider_catalogue(p, c, &types, NULL), KARP_OK);
    return types;
}

static karp_provider_class *class_of(karp_provider *p, const char *text)
{
    karp_provider_class *c = NULL;
    assert_int_equal(karp_provider_class_new(p, text_of("class.json"), text_of(text), &c, NULL), KARP_OK);
    return c;
}

static const karp_label *label(const karp_provider_node *node, const char *key)
{
    for (size_t i = 0; i < node->label_count; i++) {
        if (same(node->labels[i].key, text_of(key))) return &node->labels[i];
    }
    return NULL;
}

/* ---- settings and facts ------------------------------------------------------------------------------------------ */

static void settings(void **state)
{
    (void)state;
    karp_provider *p = open_with("us-central1", "zones", "us-central1-a,us-central1-c", KARP_OK);
    karp_catalogue *types = types_of(p, NULL);
    const karp_instance_type *t = find(types, "e2-standard-4");
    assert_int_equal(t->offering_count, 4);
    assert_true(same(t->offerings[2].requirements[1].values[0], text_of("us-central1-c")));
    karp_catalogue_unref(types);
    karp_provider_close(p);
    assert_null(open_with("us-central1", "zones", "us-east1-b", KARP_E_INVALID));
    assert_null(open_with("us-central1", "zones", ",", KARP_E_INVALID));
    assert_null(open_with("us-central1", "prices", "old", KARP_E_INVALID));
    assert_null(open_with("us-central1", "vmMemoryOverheadPercent", "1", KARP_E_INVALID));
    assert_null(open_with("us-central1", "reservedENIs", "1", KARP_E_INVALID));
    assert_null(open_with("a-region-with-a-name-that-is-far-too-long-for-any", "", "", KARP_E_NOT_FOUND));
    /* A region that is not built in needs facts. */
    p = open_with("europe-west9", "", "", KARP_OK);
    assert_int_equal(karp_provider_catalogue(p, NULL, &types, NULL), KARP_E_NOT_FOUND);
    const char table[] = HEAD "e2-standard-4|4|16384|||||/.2/.1\nend 1\n";
    assert_int_equal(karp_provider_load_facts(p, text_of("all"), text_of("f"), text_of(table), NULL), KARP_OK);
    types = types_of(p, NULL);
    assert_int_equal(karp_catalogue_count(types), 1);
    t = find(types, "e2-standard-4");
    assert_int_equal(t->offering_count, 6);
    assert_true(t->offerings[0].price == 0.2 && t->offerings[1].price == 0.1);
    karp_catalogue_unref(types);
    karp_provider_close(p);
}

static void bad_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
        uint32_t line;
    } cases[] = {
        { "", "", 0 },
        { "karp-facts azure 1\n", "", 1 },
        { "karp-facts gcp 2\n", "", 1 },
        { "karp-facts gcp 1\n", "regions", 1 },
        { "karp-facts gcp 1\nwhat is this\n", "", 2 },
        { "karp-facts gcp 1\nregions us-central1:ab :c\nend 0\n", "regions", 2 },
        { "karp-facts gcp 1\nregions us-central1:a9\nend 0\n", "regions", 2 },
        { HEAD "e2-standard-4|4|16384||||/.2/.1|\n", "end", 4 },
        { HEAD "e2-standard-4|4|16384||||/.2/.1|\nend 2\n", "end", 5 },
        { HEAD "e2-standard-4|4|16384||||/.2/.1|\nend 1\nmore\n", "", 6 },
        { HEAD "e2-standard-4|4|16384||||/.2/.1\nend 1\n", "", 4 },
        { HEAD "e2|4|16384||||/.2/.1|\nend 1\n", "name", 4 },
        { HEAD "|4|16384||||/.2/.1|\nend 1\n", "name", 4 },
        { HEAD "e2-standard-4|0|16384||||/.2/.1|\nend 1\n", "vcpus", 4 },
        { HEAD "e2-standard-4|4|16 GiB||||/.2/.1|\nend 1\n", "memory", 4 },
        { HEAD "e2-standard-4|4|16384|x|||/.2/.1|\nend 1\n", "arch", 4 },
        { HEAD "e2-standard-4|4|16384||nvidia-l4||/.2/.1|\nend 1\n", "accelerator", 4 },
        { HEAD "e2-standard-4|4|16384|||x|/.2/.1|\nend 1\n", "local SSD", 4 },
        { HEAD "e2-standard-4|4|16384||||z/.2/.1|\nend 1\n", "zones", 4 },
        { HEAD "e2-standard-4|4|16384||||/-1/.1|\nend 1\n", "on-demand price", 4 },
        { HEAD "e2-standard-4|4|16384||||/.2/cheap|\nend 1\n", "spot price", 4 },
        { HEAD "e2-standard-4|4|16384||||/1/1|\ne2-standard-2|2|8192||||/1/1|\nend 2\n", "name", 5 },
    };
    karp_provider *p = open_with("us-central1", "", "", KARP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(
            karp_provider_load_facts(p, text_of("all"), text_of("facts.txt"), text_of(cases[i].text), &error),
            KARP_E_INVALID);
        assert_string_equal(error.document, "facts.txt");
        assert_string_equal(error.field, cases[i].field);
        assert_int_equal(error.line, cases[i].line);
    }
    /* What was refused changed nothing. */
    karp_catalogue *types = types_of(p, NULL);
    assert_true(karp_catalogue_count(types) > 300);
    karp_catalogue_unref(types);
    assert_int_equal(karp_provider_load_facts(p, text_of("sizes"), text_of("f"), text_of("{}"), NULL), KARP_E_INVALID);
    karp_provider_close(p);
    p = open_with("moon-1", "", "", KARP_OK);
    assert_int_equal(karp_provider_load_facts(p, text_of("all"), text_of("f"), text_of(HEAD "end 0\n"), NULL),
                     KARP_E_NOT_FOUND);
    karp_provider_close(p);
}

#define MACHINE(zone, more)                                                                                            \
    "{\"name\":\"n9-standard-4\",\"guestCpus\":4,\"memoryMb\":16384,\"zone\":\"https://x/zones/" zone "\"" more "}"
#define PRICES(on_demand)                                                                                              \
    "{\"prices\":{\"us-central1\":{\"on_demand\":{\"n9-standard-4\":" on_demand "},\"spot\":{\"n9-standard-4\":0.05}}" \
    "}}"

static karp_status load(karp_provider *p, const char *kind, const char *text)
{
    return karp_provider_load_facts(p, text_of(kind), text_of("file"), text_of(text), NULL);
}

static void what_gcloud_prints(void **state)
{
    (void)state;
    static const char machines[] = "[" MACHINE("us-central1-a", "") "," MACHINE("us-central1-f", "") "," MACHINE(
        "us-east1-b", "") ","
                          "{\"name\":\"g9-standard-8\",\"guestCpus\":8,\"memoryMb\":32768,\"zone\":\"us-central1-b\","
                          "\"architecture\":\"ARM64\",\"bundledLocalSsds\":{\"partitionCount\":2},"
                          "\"accelerators\":[{\"guestAcceleratorType\":\"nvidia-l9\",\"guestAcceleratorCount\":2}]}]";
    karp_provider *p = open_with("us-central1", "", "", KARP_OK);
    karp_catalogue *types = NULL;
    assert_int_equal(load(p, "machine-types", machines), KARP_OK);
    assert_int_equal(karp_provider_catalogue(p, NULL, &types, NULL), KARP_E_NOT_FOUND); /* nothing has a price */
    assert_int_equal(load(p, "prices", PRICES("0.2")), KARP_OK);
    types = types_of(p, NULL);
    assert_int_equal(karp_catalogue_count(types), 1);
    const karp_instance_type *t = find(types, "n9-standard-4");
    assert_true(t->offering_count == 4 && t->offerings[0].price == 0.2 && t->offerings[1].price == 0.05);
    karp_catalogue_unref(types);
    static const struct {
        const char *kind, *text;
    } bad[] = { { "machine-types", "{}" },
                { "machine-types", "[]" },
                { "machine-types", "[1]" },
                { "machine-types", "[" MACHINE("us-east1-b", "") "]" },
                { "machine-types", "[" MACHINE("us-central1-a", ",\"accelerators\":[{}]") "]" },
                { "machine-types", "[{\"name\":\"n9-standard-4\",\"zone\":\"us-central1-a\"}]" },
                { "prices", "{}" },
                { "prices", "{\"prices\":{\"us-east1\":{\"on_demand\":{}}}}" },
                { "prices", "{\"prices\":{\"us-central1\":{}}}" },
                { "prices", PRICES("-1") },
                { "prices", PRICES("\"cheap\"") } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(load(p, bad[i].kind, bad[i].text), KARP_E_INVALID);
    assert_int_equal(load(p, "prices", "no JSON"), KARP_E_INVALID);
    karp_provider_close(p);
}

/* ---- node classes ------------------------------------------------------------------------------------------------ */

static void bad_classes(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *field;
    } cases[] = {
        { "\"disks\":[{\"sizeGiB\":5,\"boot\":true}]", "spec.disks[0].sizeGiB" },
        { "\"disks\":[{\"sizeGiB\":50,\"category\":\"floppy\"}]", "spec.disks[0].category" },
        { "\"disks\":{}", "spec.disks" },
        { "\"disks\":[{},{},{},{},{},{},{},{},{},{},{}]", "spec.disks" },
        { "\"imageFamily\":\"Plan9\"", "spec.imageFamily" },
        { "\"imageSelectorTerms\":[{\"alias\":\"Plan9@latest\"}]", "spec.imageSelectorTerms[0].alias" },
        { "\"imageSelectorTerms\":[{\"alias\":\"Ubuntu\"}]", "spec.imageSelectorTerms[0].alias" },
        { "\"imageSelectorTerms\":[{\"alias\":\"Ubuntu@latest\",\"id\":\"x\"}]", "spec.imageSelectorTerms[0]" },
        { "\"imageSelectorTerms\":[{}]", "spec.imageSelectorTerms[0]" },
        { "\"imageSelectorTerms\":[{\"family\":\"Ubuntu2404\",\"channel\":\"rapid\"}]",
          "spec.imageSelectorTerms[0].channel" },
        { "\"imageSelectorTerms\":[{\"family\":\"Ubuntu2404\"}]", "spec.imageSelectorTerms[0].family" },
        { "\"imageSelectorTerms\":[{\"id\":\"x\",\"channel\":\"rapid\"}]", "spec.imageSelectorTerms[0].family" },
        { "\"gpuDriverVersion\":\"newest\"", "spec.gpuDriverVersion" },
        { "\"confidentialInstanceType\":\"SGX\"", "spec.confidentialInstanceType" },
        { "\"kubeletConfiguration\":{\"maxPods\":-1}", "spec.kubeletConfiguration.maxPods" },
        { "\"kubeletConfiguration\":{\"kubeReserved\":{\"gpu\":\"1\"}}", "spec.kubeletConfiguration.kubeReserved.gpu" },
        { "\"kubeletConfiguration\":{\"systemReserved\":{\"cpu\":\"-1\"}}",
          "spec.kubeletConfiguration.systemReserved.cpu" },
        { "\"kubeletConfiguration\":{\"evictionHard\":{\"memory.available\":\"lots\"}}",
          "spec.kubeletConfiguration.evictionHard.memory.available" },
        { "\"kubeletConfiguration\":{\"evictionHard\":{\"nodefs.available\":\"101%\"}}",
          "spec.kubeletConfiguration.evictionHard.nodefs.available" },
    };
    karp_provider *p = open_with("", "", "", KARP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        karp_provider_class *c = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        (void)snprintf(text, sizeof text, "{\"spec\":{%s}}", cases[i].spec);
        assert_int_equal(karp_provider_class_new(p, text_of("c"), text_of(text), &c, &error), KARP_E_INVALID);
        assert_string_equal(error.field, cases[i].field);
    }
    karp_provider_close(p);
}

static void equal_classes(void **state)
{
    (void)state;
    karp_provider *p = open_with("", "", "", KARP_OK);
    karp_provider_class *a = class_of(p, "{\"spec\":{\"labels\":{\"a\":\"b\"}}}"),
                        *b = class_of(p, "{\"spec\":{\"disks\":[{\"sizeGiB\":50,\"boot\":true}]}}");
    assert_true(karp_provider_class_equal(p, a, NULL));
    assert_false(karp_provider_class_equal(p, a, b));
    karp_provider_class_free(a);
    karp_provider_class_free(b);
    karp_provider_close(p);
}

/* ---- launches and nodes ------------------------------------------------------------------------------------------ */

static void a_node(void **state)
{
    (void)state;
    static const karp_str family = { "g2", 2 };
    const karp_requirement requirement = {
        .key = text_of("karpenter.k8s.gcp/instance-family"), .op = KARP_OP_IN, .values = &family, .value_count = 1
    };
    karp_provider *p = open_with("us-central1", "", "", KARP_OK);
    karp_provider_class *c = class_of(p, "{\"spec\":{\"autoGPUTaint\":true,\"gpuDriverVersion\":\"latest\","
                                         "\"imageSelectorTerms\":[{\"alias\":\"Ubuntu@latest\"}],"
                                         "\"kubeletConfiguration\":{\"maxPods\":32}},"
                                         "\"status\":{\"images\":[{\"sourceImage\":\"projects/x/ubuntu-1\"}]}}");
    karp_provider_memory *memory = NULL;
    karp_provider_candidate picked;
    karp_provider_node node = { .size = sizeof node };
    karp_provider_launch launch = { .size = sizeof launch, .requirements = &requirement, .requirement_count = 1 };
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    assert_int_equal(karp_provider_launch_filter(p, c, memory, &launch, NULL), KARP_OK);
    assert_true(same(launch.capacity_type, text_of("spot")));
    assert_int_equal(karp_provider_launch_pick(p, c, &launch, &picked, NULL), KARP_OK);
    assert_int_equal(karp_provider_launch_node(p, c, &launch, picked, memory, &node, NULL), KARP_OK);
    assert_true(same(node.instance_type, text_of("g2-standard-4")));
    assert_true(same(label(&node, "cloud.google.com/gke-max-pods-per-node")->value, text_of("32")));
    assert_true(same(label(&node, "cloud.google.com/gke-os-distribution")->value, text_of("ubuntu")));
    assert_true(same(label(&node, "cloud.google.com/gke-gpu-driver-version")->value, text_of("latest")));
    assert_true(same(label(&node, "cloud.google.com/gke-cpu-scaling-level")->value, text_of("4")));
    assert_true(same(label(&node, "topology.kubernetes.io/zone")->value, text_of("us-central1-a")));
    assert_true(same(label(&node, "karpenter.sh/capacity-type")->value, text_of("spot")));
    assert_true(node.taint_count == 1 && same(node.taints[0].key, text_of("nvidia.com/gpu")));
    assert_true(same(node.image_id, text_of("projects/x/ubuntu-1")));
    karp_provider_memory_free(memory);
    karp_provider_class_free(c);
    karp_provider_close(p);
}

static bool is_available(karp_provider *p, size_t offering)
{
    karp_catalogue *types = types_of(p, NULL);
    bool answer = find(types, "e2-standard-4")->offerings[offering].available;
    karp_catalogue_unref(types);
    return answer;
}

static void marks(void **state)
{
    (void)state;
    karp_provider *p = open_with("us-central1", "", "", KARP_OK);
    karp_provider_scope scope = { .size = sizeof scope,
                                  .capacity_type = text_of("spot"),
                                  .instance_type = text_of("e2-standard-4"),
                                  .zone = text_of("us-central1-b") };
    assert_int_equal(karp_provider_mark(p, &scope, 0, 0, NULL), KARP_OK);
    assert_true(is_available(p, 1) && is_available(p, 2) && !is_available(p, 3));
    karp_provider_expire(p, INT64_C(1799000000000));
    assert_false(is_available(p, 3));
    karp_provider_expire(p, INT64_C(1800000000000));
    assert_true(is_available(p, 3));
    assert_int_equal(karp_provider_mark(p, &scope, INT64_MAX, 1, NULL), KARP_E_INVALID);
    scope.zone = text_of("");
    assert_int_equal(karp_provider_mark(p, &scope, 0, 0, NULL), KARP_E_INVALID);
    karp_provider_close(p);
}

static void drift(void **state)
{
    (void)state;
    karp_provider *p = open_with("", "", "", KARP_OK);
    karp_provider_class *c = class_of(
        p, "{\"spec\":{\"imageSelectorTerms\":[{\"alias\":\"ContainerOptimizedOS@latest\"}]},"
           "\"status\":{\"images\":[{\"sourceImage\":\"cos/images/c-1\"}]}}");
    karp_provider_memory *memory = NULL;
    karp_str reason;
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    /* The hash is the one of the provider's own code. */
    karp_label annotations[] = {
        { text_of("karpenter.k8s.gcp/gcenodeclass-hash-version"), text_of("v4") },
        { text_of("karpenter.k8s.gcp/gcenodeclass-hash"), text_of("6279565426228090050") },
    };
    karp_provider_node node = { .size = sizeof node,
                                .annotations = annotations,
                                .annotation_count = 2,
                                .image_id = text_of("https://compute/projects/cos/images/c-1") };
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_int_equal(reason.len, 0);
    node.image_id = text_of("https://compute/projects/cos/images/c-0");
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_true(same(reason, text_of("ImageDrift")));
    annotations[1].value = text_of("1");
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_true(same(reason, text_of("NodeClassDrift")));
    annotations[0].value = text_of("v3"); /* of another version: not compared */
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_true(same(reason, text_of("ImageDrift")));
    const karp_repair_policy *policies = NULL;
    size_t count = 0;
    assert_int_equal(karp_provider_repair_policies(p, &policies, &count, NULL), KARP_OK);
    assert_int_equal(count, 6);
    karp_provider_memory_free(memory);
    karp_provider_class_free(c);
    karp_provider_close(p);
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

static karp_status everything(karp_context *own)
{
    static const char node_class[] = "{\"spec\":{\"kubeletConfiguration\":{\"systemReserved\":{\"cpu\":\"1\"}}},"
                                     "\"status\":{\"images\":[{\"sourceImage\":\"x\"}]}}";
    static const char *const kinds[] = { "all", "machine-types", "prices" };
    static const char *const texts[] = { HEAD "e2-standard-4|4|16384||||/.2/.1|\nend 1\n",
                                         "[" MACHINE("us-central1-a", "") "]", PRICES("0.2") };
    karp_provider *p = NULL;
    karp_provider_class *c = NULL;
    karp_catalogue *types = NULL;
    karp_status status = karp_provider_open(own, text_of("gcp"), NULL, &p, NULL);
    for (size_t i = 0; i < 3 && status == KARP_OK; i++)
        status = karp_provider_load_facts(p, text_of(kinds[i]), text_of("f"), text_of(texts[i]), NULL);
    if (status == KARP_OK) status = karp_provider_class_new(p, text_of("c"), text_of(node_class), &c, NULL);
    if (status == KARP_OK) status = karp_provider_catalogue(p, c, &types, NULL);
    karp_catalogue_unref(types);
    karp_provider_class_free(c);
    karp_provider_close(p);
    return status;
}

static void refused_memory(void **state)
{
    (void)state;
    for (size_t at = 1;; at++) {
        static fault f;
        memset(&f, 0, sizeof f);
        karp_context *own = fault_context(&f);
        assert_non_null(own);
        fault_arm(&f, at, at % 2 == 0);
        karp_status status = everything(own);
        bool any = f.refused > 0;
        assert_int_equal(status, any ? KARP_E_NOMEM : KARP_OK);
        karp_context_unref(own);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        if (!any) break;
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) return cloud_dump(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings),    cmocka_unit_test(bad_tables), cmocka_unit_test(what_gcloud_prints),
        cmocka_unit_test(bad_classes), cmocka_unit_test(a_node),     cmocka_unit_test(equal_classes),
        cmocka_unit_test(marks),       cmocka_unit_test(drift),      cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("gcp", tests, set_up, tear_down);
}
