/* SPDX-License-Identifier: Apache-2.0 */
/* AWS's label tables, equal node classes, and karp_catalogue_aws(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <providers/aws/plugin.h>
#include <support/fault.h>
#include <support/plain.h>
#include <support/node_class.h>

static bool listed(const karp_str *list, size_t count, karp_str text)
{
    for (size_t i = 0; i < count; i++) {
        if (same(list[i], text)) return true;
    }
    return false;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static const char everything[] =
    "{\"spec\":{\"amiFamily\":\"AL2023\"},\"status\":{\"subnets\":[{\"zone\":\"us-west-2a\",\"zoneID\":\"usw2-az1\"}],"
    "\"placementGroup\":{\"id\":\"pg\",\"strategy\":\"partition\",\"partitionCount\":2}}}";

/* Every label of a type or an offering is known, and every known label is one of theirs. */
static void known_labels(void **state)
{
    (void)state;
    static const char *const of_karpenter[] = {
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "node.kubernetes.io/instance-type",
        "kubernetes.io/arch",
        "kubernetes.io/os",
        "karpenter.sh/capacity-type",
        "node.kubernetes.io/windows-build",
    };
    enum { THEIRS = sizeof of_karpenter / sizeof *of_karpenter };
    karp_str theirs[THEIRS];
    for (size_t i = 0; i < THEIRS; i++) theirs[i] = text_of(of_karpenter[i]);
    karp_provider_labels tables = { .size = sizeof tables };
    aws_label_tables(&tables);
    bool used[64] = { false };
    assert_true(tables.well_known_count <= 64);
    scratch s;
    scratch_init(&s, context);
    aws_node_class node_class;
    assert_int_equal(read_node_class(&s, text_of(everything), &node_class, NULL), KARP_OK);
    aws_settings settings = aws_settings_default();
    aws_facts facts;
    aws_marks none = { .list = NULL };
    assert_int_equal(aws_facts_init(&facts, context, text_of("us-west-2"), NULL), KARP_OK);
    const karp_instance_type *types = NULL;
    size_t count = 0;
    assert_int_equal(aws_instance_types(&s, &facts, &none, &settings, &node_class, &types, &count, NULL), KARP_OK);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < types[i].requirement_count; k++) {
            karp_str key = types[i].requirements[k].key;
            if (!listed(tables.well_known, tables.well_known_count, key) && !listed(theirs, THEIRS, key)) {
                fail_msg("%s: %s is not well known", types[i].name.ptr, key.ptr);
            }
            for (size_t w = 0; w < tables.well_known_count; w++) used[w] = used[w] || same(tables.well_known[w], key);
        }
        for (size_t o = 0; o < types[i].offering_count; o++) {
            for (size_t k = 0; k < types[i].offerings[o].requirement_count; k++) {
                karp_str key = types[i].offerings[o].requirements[k].key;
                assert_true(listed(tables.well_known, tables.well_known_count, key) || listed(theirs, THEIRS, key));
            }
        }
    }
    for (size_t w = 0; w < tables.well_known_count; w++) {
        if (!used[w]) fail_msg("no type has %s", tables.well_known[w].ptr);
        if (w > 0) assert_true(strcmp(tables.well_known[w - 1].ptr, tables.well_known[w].ptr) < 0);
        assert_false(listed(theirs, THEIRS, tables.well_known[w]));
    }
    assert_true(listed(tables.well_known, tables.well_known_count, tables.reservation_id));
    scratch_free(&s);
    aws_facts_free(&facts);
}

/* ---- equality ---------------------------------------------------------------------------------------------------- */

#define KUBELET(text) "{\"spec\":{\"kubelet\":{" text "}}}"
#define STATUS(text) "{\"status\":{" text "}}"

static bool equal(const char *a, const char *b)
{
    scratch s;
    aws_node_class x, y;
    scratch_init(&s, context);
    assert_int_equal(read_node_class(&s, text_of(a), &x, NULL), KARP_OK);
    assert_int_equal(read_node_class(&s, text_of(b), &y, NULL), KARP_OK);
    bool result = aws_node_class_equal(&x, &y);
    assert_int_equal(aws_node_class_equal(&y, &x), result);
    assert_true(aws_node_class_equal(&x, &x));
    scratch_free(&s);
    return result;
}

static void equal_classes(void **state)
{
    (void)state;
    static const char *const different[] = {
        "{\"spec\":{\"amiFamily\":\"AL2023\"}}",
        "{\"spec\":{\"amiFamily\":\"Bottlerocket\"}}",
        KUBELET("\"maxPods\":0"),
        KUBELET("\"maxPods\":7"),
        KUBELET("\"podsPerCore\":7"),
        KUBELET("\"kubeReserved\":{\"cpu\":\"1\"}"),
        KUBELET("\"kubeReserved\":{\"cpu\":\"2\"}"),
        KUBELET("\"kubeReserved\":{\"pid\":\"1\"}"),
        KUBELET("\"systemReserved\":{\"cpu\":\"1\"}"),
        KUBELET("\"evictionHard\":{\"memory.available\":\"1%\"}"),
        KUBELET("\"evictionHard\":{\"nodefs.available\":\"1%\"}"),
        "{\"spec\":{\"instanceStorePolicy\":\"RAID0\"}}",
        "{\"spec\":{\"blockDeviceMappings\":[{\"deviceName\":\"/dev/xvda\",\"ebs\":{\"volumeSize\":\"30Gi\"}}]}}",
        "{\"spec\":{\"blockDeviceMappings\":[{\"deviceName\":\"/dev/xvdb\",\"ebs\":{\"volumeSize\":\"30Gi\"}}]}}",
        "{\"spec\":{\"blockDeviceMappings\":[{\"deviceName\":\"/dev/"
        "xvdb\",\"rootVolume\":true,\"ebs\":{\"volumeSize\":\"30Gi\"}}]}}",
        "{\"spec\":{\"networkInterfaces\":[]}}",
        "{\"spec\":{\"networkInterfaces\":[{\"networkCardIndex\":0}]}}",
        "{\"spec\":{\"networkInterfaces\":[{\"networkCardIndex\":1}]}}",
        "{\"spec\":{\"networkInterfaces\":[{\"deviceIndex\":1}]}}",
        "{\"spec\":{\"networkInterfaces\":[{\"interfaceType\":\"efa-only\"}]}}",
        "{\"spec\":{\"connectionTracking\":{}}}",
        "{\"spec\":{\"cpuOptions\":{\"nestedVirtualization\":\"enabled\"}}}",
        STATUS("\"subnets\":[{\"zone\":\"us-west-2a\"}]"),
        STATUS("\"subnets\":[{\"zone\":\"us-west-2b\"}]"),
        STATUS("\"subnets\":[{\"zone\":\"us-west-2b\",\"id\":\"subnet-1\"}]"), /* it may be marked */
        STATUS("\"subnets\":[{\"zone\":\"us-west-2b\",\"zoneID\":\"usw2-az2\"}]"),
        STATUS("\"capacityReservations\":[{\"id\":\"a\",\"availabilityZone\":\"us-west-2a\"}]"),
        STATUS("\"capacityReservations\":[{\"id\":\"b\",\"availabilityZone\":\"us-west-2a\"}]"),
        STATUS("\"capacityReservations\":[{\"id\":\"b\",\"availabilityZone\":\"us-west-2b\"}]"),
        STATUS("\"capacityReservations\":[{\"id\":\"b\",\"availabilityZone\":\"us-west-2b\",\"instanceType\":\"m5."
               "large\"}]"),
        STATUS("\"capacityReservations\":[{\"id\":\"b\",\"availabilityZone\":\"us-west-2b\",\"reservationType\":"
               "\"capacity-block\"}]"),
        STATUS("\"capacityReservations\":[{\"id\":\"b\",\"availabilityZone\":\"us-west-2b\",\"availableInstanceCount\":"
               "1}]"),
        STATUS("\"capacityReservations\":[{\"id\":\"b\",\"availabilityZone\":\"us-west-2b\",\"interruptible\":true}]"),
        STATUS("\"capacityReservations\":[{\"id\":\"b\",\"availabilityZone\":\"us-west-2b\",\"state\":\"expiring\"}]"),
        STATUS("\"placementGroup\":{\"id\":\"a\"}"),
        STATUS("\"placementGroup\":{\"id\":\"b\"}"),
        STATUS("\"placementGroup\":{\"id\":\"b\",\"strategy\":\"partition\"}"),
        STATUS("\"placementGroup\":{\"id\":\"b\",\"strategy\":\"partition\",\"partitionCount\":2}"),
    };
    enum { COUNT = sizeof different / sizeof *different };
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < COUNT; k++) {
            if (equal(different[i], different[k]) != (i == k)) fail_msg("%s and %s", different[i], different[k]);
        }
    }
    /* What changes no instance type does not count. */
    assert_true(equal("{}", "{\"spec\":{\"amiFamily\":\"AL2023\",\"tags\":{\"a\":\"b\"},\"role\":\"r\"}}"));
    assert_true(
        equal("{\"spec\":{\"amiSelectorTerms\":[{\"alias\":\"al2@v1\"}]}}", "{\"spec\":{\"amiFamily\":\"AL2\"}}"));
    assert_true(equal(KUBELET("\"clusterDNS\":[\"1.1.1.1\"]"), "{}"));
}

/* ---- karp_catalogue_aws() ---------------------------------------------------------------------------------------- */

static const char document[] = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: c}\nspec:\n"
                               "  kubelet: {maxPods: 7}\nstatus:\n  subnets: [{zone: us-east-1a}]\n";

static void options_of_catalogues(void **state)
{
    (void)state;
    karp_catalogue *catalogue = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_catalogue_aws(context, NULL, &catalogue, &error), KARP_OK);
    const size_t usual = karp_catalogue_count(catalogue);
    karp_catalogue_unref(catalogue);

    karp_catalogue_options options;
    karp_catalogue_options_init(&options, sizeof options);
    assert_true(options.vm_memory_overhead_percent == 0.075);
    options.region = text_of("us-west-2");
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_OK);
    assert_int_equal(karp_catalogue_count(catalogue), usual);
    karp_catalogue_unref(catalogue);
    options.region = text_of("mars-1");
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_NOT_FOUND);
    options.region = text_of("");
    options.reserved_enis = -1;
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_INVALID);
    assert_string_equal(error.field, "reservedENIs");
    options.reserved_enis = 0;
    options.vm_memory_overhead_percent = 1;
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_INVALID);
    options.vm_memory_overhead_percent = 0;
    options.reserved = 1;
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_ABI_NEW);
    options.reserved = 0;
    options.size = 7;
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_ABI_SIZE);
    options.size = sizeof options - 8;
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_ABI_SIZE);

    /* A later version's caller. */
    struct {
        karp_catalogue_options options;
        uint64_t more;
    } newer;
    karp_catalogue_options_init(&newer.options, sizeof newer);
    newer.more = 1;
    assert_int_equal(karp_catalogue_aws(context, &newer.options, &catalogue, &error), KARP_E_ABI_NEW);
    newer.more = 0;
    newer.options.node_class = text_of(document);
    assert_int_equal(karp_catalogue_aws(context, &newer.options, &catalogue, &error), KARP_OK);
    const karp_instance_type *first = karp_catalogue_type(catalogue, 0);
    for (size_t i = 0; i < first->requirement_count; i++) {
        if (!same(first->requirements[i].key, text_of("topology.kubernetes.io/region"))) continue;
        assert_string_equal(first->requirements[i].values[0].ptr, "us-east-1");
    }
    for (size_t i = 0; i < first->capacity_count; i++) {
        if (same(first->capacity[i].name, text_of("pods"))) assert_string_equal(first->capacity[i].text.ptr, "7");
    }
    karp_catalogue_unref(catalogue);
}

static void errors_name_the_place(void **state)
{
    (void)state;
    static const char bad[] = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: c}\nspec:\n"
                              "  networkInterfaces:\n  - {networkCardIndex: 0}\n  - deviceIndex: -4\n";
    karp_catalogue *catalogue = NULL;
    karp_catalogue_options options;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_catalogue_options_init(&options, sizeof options);
    options.node_class = text_of(bad);
    options.node_class_name = text_of("class.yaml");
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_INVALID);
    assert_string_equal(error.document, "class.yaml");
    assert_int_equal(error.line, 7);
    assert_string_equal(error.object, "EC2NodeClass c");
    assert_string_equal(error.field, "spec.networkInterfaces[1].deviceIndex");
    options.node_class = text_of("{\"kind\": ");
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_SYNTAX);
}

static void refused_memory(void **state)
{
    (void)state;
    fault f;
    memset(&f, 0, sizeof f);
    karp_context *own = fault_context(&f);
    assert_non_null(own);
    karp_catalogue_options options;
    karp_catalogue_options_init(&options, sizeof options);
    options.node_class = text_of(document);
    for (int keep = 0; keep < 2; keep++) {
        karp_status status = KARP_E_NOMEM;
        for (size_t at = 1; status != KARP_OK; at += at < 60 ? 1 : at / 8) {
            karp_catalogue *catalogue = NULL;
            size_t live = f.live_blocks;
            fault_arm(&f, at, keep);
            status = karp_catalogue_aws(own, &options, &catalogue, NULL);
            fault_arm(&f, 0, false);
            if (status != KARP_OK) assert_int_equal(status, KARP_E_NOMEM);
            karp_catalogue_unref(catalogue);
            assert_int_equal(f.live_blocks, live);
        }
    }
    karp_context_unref(own);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_labels),          cmocka_unit_test(equal_classes),
        cmocka_unit_test(options_of_catalogues), cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("aws classes", tests, set_up, tear_down);
}
