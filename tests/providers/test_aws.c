/* SPDX-License-Identifier: Apache-2.0 */
/* AWS's instance types: worked examples of the provider's arithmetic, node classes, offerings. With arguments the
 * program is aws_dump(). */
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
#include <providers/aws_dump.h>
#include <support/fault.h>
#include <support/plain.h>
#include <support/node_class.h>

static karp_catalogue *catalogue_of(const char *region, const char *document)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    scratch s;
    scratch_init(&s, context);
    aws_node_class node_class;
    if (read_node_class(&s, text_of(document), &node_class, &error) != KARP_OK) {
        fail_msg("%s: %s %s", document, error.field, error.message);
    }
    aws_settings settings = aws_settings_default();
    karp_catalogue *catalogue = NULL;
    if (aws_catalogue_of(context, text_of(region), &settings, &node_class, &catalogue, &error) != KARP_OK) {
        fail_msg("%s: %s %s", document, error.field, error.message);
    }
    scratch_free(&s);
    return catalogue;
}

static size_t index_of(const karp_catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < karp_catalogue_count(catalogue); i++) {
        if (strcmp(karp_catalogue_type(catalogue, i)->name.ptr, name) == 0) return i;
    }
    fail_msg("no %s", name);
    return 0;
}

static const karp_instance_type *type_of(const karp_catalogue *catalogue, const char *name)
{
    return karp_catalogue_type(catalogue, index_of(catalogue, name));
}

static void assert_amount(const char *what, const karp_resource *list, size_t count, const char *name, const char *want)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name.ptr, name) != 0) continue;
        int32_t order = 1;
        assert_int_equal(karp_quantity_compare(list[i].text, text_of(want), &order), KARP_OK);
        if (order != 0) fail_msg("%s: %s is %s, not %s", what, name, list[i].text.ptr, want);
        return;
    }
    if (strcmp(want, "0") != 0) fail_msg("%s: no %s", what, name);
}

static void assert_capacity(const karp_catalogue *catalogue, const char *type, const char *resource, const char *want)
{
    const karp_instance_type *t = type_of(catalogue, type);
    assert_amount(type, t->capacity, t->capacity_count, resource, want);
}

static void assert_allocatable(const karp_catalogue *catalogue, const char *type, const char *resource,
                               const char *want)
{
    size_t count = 0;
    const karp_resource *list = karp_catalogue_allocatable(catalogue, index_of(catalogue, type), &count);
    assert_amount(type, list, count, resource, want);
}

static const char *requirement(const karp_requirement *list, size_t count, const char *key)
{
    static char shown[512];
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].key.ptr, key) != 0) continue;
        if (list[i].op == KARP_OP_DOES_NOT_EXIST) return "-";
        assert_int_equal(list[i].op, KARP_OP_IN);
        size_t n = 0;
        shown[0] = '\0';
        for (size_t k = 0; k < list[i].value_count && n < sizeof shown; k++) {
            n += (size_t)snprintf(shown + n, sizeof shown - n, "%s%s", k ? "," : "", list[i].values[k].ptr);
        }
        return shown;
    }
    return "absent";
}

static const char *label(const karp_catalogue *catalogue, const char *type, const char *key)
{
    const karp_instance_type *t = type_of(catalogue, type);
    return requirement(t->requirements, t->requirement_count, key);
}

static const char *offering_label(const karp_offering *o, const char *key)
{
    return requirement(o->requirements, o->requirement_count, key);
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static void plain_types(void **state)
{
    (void)state;
    static const struct {
        const char *type, *cpu, *memory, *pods, *pod_eni;
    } cases[] = {
        { "m5.large", "1930m", "6903Mi", "29", "9" },  { "m5.xlarge", "3920m", "14162Mi", "58", "18" },
        { "c5.large", "1930m", "3114Mi", "29", "9" },  { "r5.large", "1930m", "14481Mi", "29", "9" },
        { "t3.medium", "1930m", "3246Mi", "17", "0" }, { "m6g.large", "1930m", "6844Mi", "29", "9" },
    };
    karp_catalogue *catalogue = catalogue_of("us-west-2", "{}");
    karp_catalogue_unref(catalogue);
    catalogue = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"AL2\"}}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_allocatable(catalogue, cases[i].type, "cpu", cases[i].cpu);
        assert_allocatable(catalogue, cases[i].type, "memory", cases[i].memory);
        assert_allocatable(catalogue, cases[i].type, "pods", cases[i].pods);
        assert_allocatable(catalogue, cases[i].type, "ephemeral-storage", "17Gi");
        assert_capacity(catalogue, cases[i].type, "vpc.amazonaws.com/pod-eni", cases[i].pod_eni);
    }
    assert_string_equal(label(catalogue, "m5.large", "karpenter.k8s.aws/instance-category"), "m");
    assert_string_equal(label(catalogue, "m5.large", "karpenter.k8s.aws/instance-generation"), "5");
    assert_string_equal(label(catalogue, "m5.large", "karpenter.k8s.aws/instance-local-nvme"), "-");
    assert_string_equal(label(catalogue, "u-6tb1.56xlarge", "karpenter.k8s.aws/instance-category"), "u");
    assert_string_equal(label(catalogue, "u-6tb1.56xlarge", "karpenter.k8s.aws/instance-generation"), "1");
    assert_string_equal(label(catalogue, "m7i-flex.large", "karpenter.k8s.aws/instance-capability-flex"), "true");
    assert_string_equal(label(catalogue, "inf1.xlarge", "karpenter.k8s.aws/instance-accelerator-manufacturer"), "aws");
    assert_string_equal(label(catalogue, "m5.large", "topology.k8s.aws/zone-id"), "absent");
    karp_catalogue_unref(catalogue);
}

typedef struct disk_case {
    const char *spec, *type, *capacity, *allocatable;
} disk_case;

static void disks(void **state)
{
    (void)state;
#define DISK(name, size) "{\"deviceName\":\"/dev/" name "\",\"ebs\":{\"volumeSize\":\"" size "\"}}"
#define ROOT(name, size) "{\"deviceName\":\"/dev/" name "\",\"ebs\":{\"volumeSize\":\"" size "\"},\"rootVolume\":true}"
#define BARE(name) "{\"deviceName\":\"/dev/" name "\",\"ebs\":{\"snapshotID\":\"snap-1\"}}"
#define SPEC(family, disks) "\"amiFamily\":\"" family "\",\"blockDeviceMappings\":[" disks "]"
    static const disk_case cases[] = {
        { SPEC("AL2023", DISK("xvda", "30Gi") "," ROOT("xvdb", "100Gi")), "m5.large", "107374182400", "95563022336" },
        { SPEC("AL2023", DISK("xvda", "30Gi") "," DISK("xvdz", "100Gi")), "m5.large", "32212254720", "27917287424" },
        { SPEC("AL2023", BARE("xvda") "," DISK("xvdz", "100Gi")), "m5.large", "21474836480", "18253611008" },
        { SPEC("AL2023", DISK("xvdz", "100Gi")), "m5.large", "21474836480", "18253611008" },
        { SPEC("Bottlerocket", DISK("xvdb", "50G")), "m5.large", "50000000000", "43926258176" },
        { SPEC("Bottlerocket", DISK("xvda", "4Gi")), "m5.large", "21474836480", "18253611008" },
        { SPEC("Custom", DISK("xvda", "30Gi") "," DISK("xvdc", "60Gi")), "m5.large", "64424509440", "56908316672" },
        { SPEC("Custom", DISK("xvda", "30Gi") "," BARE("xvdc")), "m5.large", "21474836480", "18253611008" },
        { SPEC("Custom", ""), "m5.large", "21474836480", "18253611008" },
        { SPEC("Windows2022", ""), "m5.large", "53687091200", "47244640256" },
        { "\"instanceStorePolicy\":\"RAID0\"", "m5.large", "21474836480", "18253611008" },
        { "\"instanceStorePolicy\":\"RAID0\"," SPEC("AL2023", ROOT("xvda", "300Gi")), "m5d.large", "75000000000",
          "66426258176" },
        { "\"kubelet\":{\"evictionHard\":{\"memory.available\":\"5%\",\"nodefs.available\":\"10.5%\"}}," SPEC("AL2023",
                                                                                                              ""),
          "m5.large", "21474836480", "18146236825" },
        { "\"kubelet\":{\"evictionHard\":{\"imagefs.available\":\"15%\"}}," SPEC("AL2023", ""), "m5.large",
          "21474836480", "18253611008" },
        { "\"kubelet\":{\"evictionHard\":{\"nodefs.available\":\"100%\"}}," SPEC("AL2023", ""), "m5.large",
          "21474836480", "20401094656" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char document[1024];
        snprintf(document, sizeof document, "{\"spec\":{%s}}", cases[i].spec);
        karp_catalogue *catalogue = catalogue_of("us-east-1", document);
        assert_capacity(catalogue, cases[i].type, "ephemeral-storage", cases[i].capacity);
        assert_allocatable(catalogue, cases[i].type, "ephemeral-storage", cases[i].allocatable);
        karp_catalogue_unref(catalogue);
    }
}

static void kubelet(void **state)
{
    (void)state;
    karp_catalogue *c = catalogue_of(
        "us-west-2", "{\"spec\":{\"amiSelectorTerms\":[{\"id\":\"ami-1\"},{\"alias\":\"al2023@latest\"}],\"kubelet\":{"
                     "\"kubeReserved\":{\"cpu\":\"200m\",\"pid\":\"100\"},"
                     "\"systemReserved\":{\"memory\":\"100Mi\",\"ephemeral-storage\":\"2Gi\",\"cpu\":\"vcpus * 2\"},"
                     "\"maxPods\":\"max_pods - 1\"}}}");
    assert_allocatable(c, "m5.large", "cpu", "1800m");
    assert_allocatable(c, "m5.large", "memory", "6803Mi");
    assert_allocatable(c, "m5.large", "ephemeral-storage", "16106127360");
    assert_allocatable(c, "m5.large", "pods", "29"); /* expressions are dropped */
    karp_catalogue_unref(c);

    c = catalogue_of("us-west-2",
                     "{\"spec\":{\"amiFamily\":\"AL2\",\"kubelet\":{\"systemReserved\":{\"memory\":\"1Gi\"}}}}");
    assert_allocatable(c, "t3.nano", "memory", "-950Mi");
    karp_catalogue_unref(c);

    c = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"AL2023\",\"kubelet\":{\"evictionHard\":{"
                                  "\"memory.available\":\"5%\"}}}}");
    assert_allocatable(c, "m5.large", "memory", "6945924710");
    karp_catalogue_unref(c);

    /* Bottlerocket reserves by the pods that it may run, the others by their interfaces. */
    c = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"Bottlerocket\",\"kubelet\":{\"maxPods\":110}}}");
    assert_allocatable(c, "m5.large", "memory", "6012Mi");
    karp_catalogue_unref(c);
    c = catalogue_of("us-west-2",
                     "{\"spec\":{\"amiFamily\":\"AL2023\",\"kubelet\":{\"maxPods\":110,\"podsPerCore\":10}}}");
    assert_allocatable(c, "m5.large", "memory", "6903Mi");
    assert_allocatable(c, "m5.large", "pods", "20");
    karp_catalogue_unref(c);
    c = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"Windows2022\"}}");
    assert_allocatable(c, "m5.large", "memory", "6012Mi");
    assert_allocatable(c, "m5.large", "pods", "110");
    assert_capacity(c, "m5.large", "vpc.amazonaws.com/PrivateIPv4Address", "9");
    assert_string_equal(label(c, "m5.large", "kubernetes.io/os"), "windows");
    assert_string_equal(label(c, "m6g.large", "kubernetes.io/os"), "");
    assert_string_equal(label(c, "m5.large", "node.kubernetes.io/windows-build"), "10.0.20348");
    karp_catalogue_unref(c);
}

static void interfaces(void **state)
{
    (void)state;
    karp_catalogue *c = catalogue_of("us-west-2",
                                     "{\"spec\":{\"amiFamily\":\"AL2023\",\"networkInterfaces\":["
                                     "{\"networkCardIndex\":0,\"deviceIndex\":0,\"interfaceType\":\"interface\"},"
                                     "{\"networkCardIndex\":0,\"deviceIndex\":1,\"interfaceType\":\"efa-only\"},"
                                     "{\"networkCardIndex\":1,\"deviceIndex\":1,\"interfaceType\":\"efa-only\"}]}}");
    assert_allocatable(c, "p5.48xlarge", "pods", "51");
    assert_allocatable(c, "p5.48xlarge", "memory", "1938949Mi");
    assert_allocatable(c, "p5.48xlarge", "vpc.amazonaws.com/efa", "2");
    assert_int_equal(type_of(c, "p5.48xlarge")->offerings[0].available, 1);
    assert_int_equal(type_of(c, "m5.large")->offerings[0].available, 0); /* one card, no EFA */
    karp_catalogue_unref(c);
    c = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"AL2023\",\"networkInterfaces\":[]}}");
    assert_allocatable(c, "p5.48xlarge", "pods", "100");
    assert_allocatable(c, "p5.48xlarge", "memory", "1938410Mi");
    assert_allocatable(c, "p5.48xlarge", "vpc.amazonaws.com/efa", "0");
    karp_catalogue_unref(c);
}

/* ---- offerings --------------------------------------------------------------------------------------------------- */

static void offerings(void **state)
{
    (void)state;
    karp_catalogue *c = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"AL2023\"}}");
    const karp_instance_type *m5 = type_of(c, "m5.large");
    assert_int_equal(m5->offering_count, 6);
    assert_true(m5->offerings[0].price == 0.096);
    assert_true(m5->offerings[1].price == 0.0358);
    assert_string_equal(offering_label(&m5->offerings[1], "karpenter.sh/capacity-type"), "spot");
    assert_string_equal(offering_label(&m5->offerings[1], "topology.kubernetes.io/zone"), "us-west-2a");
    assert_string_equal(offering_label(&m5->offerings[1], "karpenter.k8s.aws/capacity-reservation-id"), "-");
    assert_string_equal(label(c, "m5.large", "topology.kubernetes.io/zone"), "us-west-2a,us-west-2b,us-west-2c");
    assert_int_equal(type_of(c, "a1.large")->offerings[0].available, 0);
    karp_catalogue_unref(c);
    c = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"AL2\"}}");
    assert_int_equal(type_of(c, "a1.large")->offerings[0].available, 1);
    karp_catalogue_unref(c);
    c = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"AL2\",\"connectionTracking\":{}}}");
    assert_int_equal(type_of(c, "m5.large")->offerings[0].available, 1);
    assert_int_equal(type_of(c, "m4.large")->offerings[0].available, 0); /* xen */
    karp_catalogue_unref(c);
}

/* Subnets decide where launches may go; the region's other zones are known, but closed. */
static void subnets_and_reservations(void **state)
{
    (void)state;
    karp_catalogue *c = catalogue_of(
        "us-west-2", "{\"spec\":{\"amiFamily\":\"AL2023\"},\"status\":{"
                     "\"subnets\":[{\"id\":\"s1\",\"zone\":\"us-west-2d\",\"zoneID\":\"usw2-az4\"},"
                     "{\"id\":\"s2\",\"zone\":\"us-west-2b\",\"zoneID\":\"usw2-az2\"},{\"id\":\"s3\",\"zone\":\"us-"
                     "west-2-lax-1a\"}],"
                     "\"capacityReservations\":["
                     "{\"id\":\"cr-1\",\"instanceType\":\"m5.large\",\"availabilityZone\":\"us-west-2b\","
                     "\"availableInstanceCount\":3},"
                     "{\"id\":\"cr-2\",\"instanceType\":\"m5.large\",\"availabilityZone\":\"us-west-2a\","
                     "\"availableInstanceCount\":3,"
                     "\"reservationType\":\"capacity-block\",\"interruptible\":true},"
                     "{\"id\":\"cr-3\",\"instanceType\":\"c5.large\",\"availabilityZone\":\"us-west-2b\"}]}}");
    const karp_instance_type *m5 = type_of(c, "m5.large");
    assert_string_equal(label(c, "m5.large", "topology.kubernetes.io/zone"), "us-west-2b,us-west-2d");
    assert_string_equal(label(c, "m5.large", "topology.k8s.aws/zone-id"), "usw2-az2,usw2-az4");
    assert_string_equal(label(c, "m5.large", "karpenter.sh/capacity-type"), "on-demand,spot,reserved");
    assert_string_equal(label(c, "m5.large", "karpenter.k8s.aws/capacity-reservation-id"), "cr-1,cr-2");
    assert_string_equal(label(c, "m5.large", "karpenter.k8s.aws/capacity-reservation-type"), "default,capacity-block");
    assert_string_equal(label(c, "r5.large", "karpenter.k8s.aws/capacity-reservation-id"), "-");
    assert_int_equal(m5->offering_count, 10);
    assert_int_equal(m5->offerings[0].available, 0);
    assert_int_equal(m5->offerings[2].available, 1);
    assert_string_equal(offering_label(&m5->offerings[0], "topology.k8s.aws/zone-id"), "absent");
    assert_string_equal(offering_label(&m5->offerings[2], "topology.k8s.aws/zone-id"), "usw2-az2");
    const karp_offering *first = &m5->offerings[8], *second = &m5->offerings[9];
    assert_true(first->price == 0.096 / 10000000.0);
    assert_int_equal(first->available, 1);
    assert_int_equal(first->reservation_capacity, 3);
    assert_string_equal(offering_label(first, "karpenter.sh/capacity-type"), "reserved");
    assert_string_equal(offering_label(first, "karpenter.k8s.aws/capacity-reservation-id"), "cr-1");
    assert_string_equal(offering_label(first, "karpenter.k8s.aws/capacity-reservation-interruptible"), "false");
    assert_string_equal(offering_label(first, "topology.k8s.aws/zone-id"), "usw2-az2");
    assert_int_equal(second->available, 0); /* no subnet in its zone */
    assert_string_equal(offering_label(second, "karpenter.k8s.aws/capacity-reservation-interruptible"), "true");
    const karp_instance_type *c5 = type_of(c, "c5.large");
    const karp_offering *full = &c5->offerings[c5->offering_count - 1];
    assert_int_equal(full->available, 1); /* nothing is left in it: release 1.15.2 keeps it available */
    assert_int_equal(full->reservation_capacity, 0);
    karp_catalogue_unref(c);
}

static void placement_groups(void **state)
{
    (void)state;
    karp_catalogue *c = catalogue_of("us-west-2",
                                     "{\"spec\":{\"amiFamily\":\"AL2023\"},\"status\":{\"placementGroup\":{"
                                     "\"id\":\"pg-1\",\"strategy\":\"partition\",\"partitionCount\":3}}}");
    const karp_instance_type *m5 = type_of(c, "m5.large");
    assert_string_equal(label(c, "m5.large", "karpenter.k8s.aws/placement-group-id"), "pg-1");
    assert_string_equal(label(c, "m5.large", "karpenter.k8s.aws/placement-group-partition"), "1,2,3");
    assert_int_equal(m5->offering_count, 18);
    assert_string_equal(offering_label(&m5->offerings[4], "karpenter.k8s.aws/placement-group-partition"), "2");
    assert_int_equal(type_of(c, "t3.medium")->offerings[0].available, 1);
    karp_catalogue_unref(c);
    c = catalogue_of("us-west-2", "{\"spec\":{\"amiFamily\":\"AL2023\"},\"status\":{\"placementGroup\":{"
                                  "\"id\":\"pg-1\",\"strategy\":\"cluster\"}}}");
    assert_int_equal(type_of(c, "m5.large")->offerings[0].available, 1);
    assert_int_equal(type_of(c, "t3.medium")->offerings[0].available, 0);
    karp_catalogue_unref(c);
}

/* ---- errors and memory ------------------------------------------------------------------------------------------- */

static void bad_node_classes(void **state)
{
    (void)state;
    static const struct {
        const char *document;
        karp_status status;
        const char *field;
    } cases[] = {
        { "", KARP_E_SYNTAX, "" },
        { "{", KARP_E_SYNTAX, "" },
        { "[]", KARP_E_INVALID, "" },
        { "{\"spec\":1}", KARP_E_INVALID, "spec" },
        { "{\"spec\":{\"amiFamily\":1}}", KARP_E_INVALID, "spec.amiFamily" },
        { "{\"spec\":{\"amiSelectorTerms\":[{\"alias\":\"al9@latest\"}]}}", KARP_E_INVALID,
          "spec.amiSelectorTerms[0].alias" },
        { "{\"spec\":{\"kubelet\":[]}}", KARP_E_INVALID, "spec.kubelet" },
        { "{\"spec\":{\"kubelet\":{\"maxPods\":-1}}}", KARP_E_INVALID, "spec.kubelet.maxPods" },
        { "{\"spec\":{\"kubelet\":{\"maxPods\":1e3}}}", KARP_E_INVALID, "spec.kubelet.maxPods" },
        { "{\"spec\":{\"kubelet\":{\"podsPerCore\":4294967296}}}", KARP_E_INVALID, "spec.kubelet.podsPerCore" },
        { "{\"spec\":{\"kubelet\":{\"kubeReserved\":{\"cpu\":true}}}}", KARP_E_INVALID,
          "spec.kubelet.kubeReserved[\"cpu\"]" },
        { "{\"spec\":{\"kubelet\":{\"evictionHard\":{\"memory.available\":\"x%\"}}}}", KARP_E_INVALID,
          "spec.kubelet.evictionHard[\"memory.available\"]" },
        { "{\"spec\":{\"kubelet\":{\"evictionHard\":{\"nodefs.available\":\"-5%\"}}}}", KARP_E_INVALID,
          "spec.kubelet.evictionHard[\"nodefs.available\"]" },
        { "{\"spec\":{\"blockDeviceMappings\":{}}}", KARP_E_INVALID, "spec.blockDeviceMappings" },
        { "{\"spec\":{\"blockDeviceMappings\":[{\"ebs\":{\"volumeSize\":\"big\"}}]}}", KARP_E_INVALID,
          "spec.blockDeviceMappings[0].ebs.volumeSize" },
        { "{\"spec\":{\"networkInterfaces\":[{},{\"networkCardIndex\":\"0\"}]}}", KARP_E_INVALID,
          "spec.networkInterfaces[1].networkCardIndex" },
        { "{\"status\":{\"subnets\":[{\"zone\":7}]}}", KARP_E_INVALID, "status.subnets[0].zone" },
        { "{\"status\":{\"capacityReservations\":[{\"id\":\"cr\"}]}}", KARP_E_INVALID,
          "status.capacityReservations[0]" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_error error;
        karp_error_init(&error, sizeof error);
        scratch s;
        scratch_init(&s, context);
        aws_node_class node_class;
        karp_status status = read_node_class(&s, text_of(cases[i].document), &node_class, &error);
        scratch_free(&s);
        if (status != cases[i].status || strcmp(error.field, cases[i].field) != 0) {
            fail_msg("%s: %s, %s %s", cases[i].document, karp_status_name(status), error.field, error.message);
        }
    }
}

static void bad_settings(void **state)
{
    (void)state;
    karp_catalogue *catalogue = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_catalogue_options options;
    karp_catalogue_options_init(&options, sizeof options);
    options.region = text_of("moon-1");
    assert_int_equal(karp_catalogue_aws(context, &options, &catalogue, &error), KARP_E_NOT_FOUND);
    assert_string_equal(error.field, "region");
    aws_settings settings = aws_settings_default();
    settings.options.vm_memory_overhead = 1;
    assert_int_equal(aws_catalogue_of(context, text_of("us-east-1"), &settings, NULL, &catalogue, NULL),
                     KARP_E_INVALID);
    settings = aws_settings_default();
    settings.options.reserved_enis = -1;
    assert_int_equal(aws_catalogue_of(context, text_of("us-east-1"), &settings, NULL, &catalogue, NULL),
                     KARP_E_INVALID);
    assert_null(catalogue);
}

/* Every zone of the region has an offering of every capacity type, whether the type is there or not, and whether it has
 * a price. */
static void zones_without_the_type(void **state)
{
    (void)state;
    static const char *const zones[] = { "us-west-2a", "us-west-2b", "us-west-2c" };
    karp_catalogue *c = catalogue_of("us-west-2", "{}");
    const karp_instance_type *some = type_of(c, "c5ad.2xlarge"), *unpriced = type_of(c, "p5e.48xlarge");
    size_t absent = 0;
    assert_int_equal(some->offering_count, 6);
    for (size_t i = 0; i < 6; i++) {
        const karp_offering *o = &some->offerings[i];
        assert_string_equal(offering_label(o, "topology.kubernetes.io/zone"), zones[i / 2]);
        assert_string_equal(offering_label(o, "karpenter.sh/capacity-type"), i % 2 ? "spot" : "on-demand");
        bool there = strstr(label(c, "c5ad.2xlarge", "topology.kubernetes.io/zone"), zones[i / 2]) != NULL;
        assert_int_equal(o->available, there);
        assert_int_equal(o->awaits_price, 0);
        if (i % 2 == 0) assert_true(o->price == some->offerings[0].price && o->price > 0); /* of the region */
        absent += !there;
    }
    assert_int_equal(absent, 2);
    assert_string_equal(label(c, "p5e.48xlarge", "topology.kubernetes.io/zone"), "us-west-2c");
    for (size_t i = 0; i < unpriced->offering_count; i++) {
        const karp_offering *o = &unpriced->offerings[i];
        assert_true(!o->available && o->price == 0);
        assert_int_equal(o->awaits_price, strcmp(offering_label(o, "topology.kubernetes.io/zone"), "us-west-2c") == 0);
    }
    karp_catalogue_unref(c);
    /* A class that cannot go there waits for nothing. */
    c = catalogue_of("us-west-2", "{\"status\":{\"subnets\":[{\"id\":\"s\",\"zone\":\"us-west-2a\"}]}}");
    unpriced = type_of(c, "p5e.48xlarge");
    assert_int_equal(unpriced->offering_count, 8); /* of us-west-2d, too */
    for (size_t i = 0; i < 8; i++)
        assert_false(unpriced->offerings[i].available || unpriced->offerings[i].awaits_price);
    karp_catalogue_unref(c);
}

/* More interfaces reserved than there are: no pods, and no wrap. */
static void many_reserved_interfaces(void **state)
{
    (void)state;
    aws_settings settings = aws_settings_default();
    settings.options.reserved_enis = INT64_MAX;
    settings.all_types = true;
    karp_catalogue *c = NULL;
    assert_int_equal(aws_catalogue_of(context, text_of("eu-west-1"), &settings, NULL, &c, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_count(c), ec2_row_count);
    assert_capacity(c, "m5.large", "pods", "0");
    assert_string_equal(label(c, "p5.48xlarge", "topology.kubernetes.io/zone"), ""); /* not offered in Ireland */
    for (size_t i = 0; i < type_of(c, "p5.48xlarge")->offering_count; i++)
        assert_false(type_of(c, "p5.48xlarge")->offerings[i].available);
    karp_catalogue_unref(c);
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
    options.region = text_of("eu-west-1");
    for (int keep = 0; keep < 2; keep++) {
        karp_status status = KARP_E_NOMEM;
        for (size_t at = 1; status != KARP_OK; at += at < 16 ? 1 : at / 8) {
            karp_catalogue *catalogue = NULL;
            karp_error error;
            karp_error_init(&error, sizeof error);
            size_t live = f.live_blocks;
            fault_arm(&f, at, keep);
            status = karp_catalogue_aws(own, &options, &catalogue, &error);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_types),
        cmocka_unit_test(disks),
        cmocka_unit_test(kubelet),
        cmocka_unit_test(interfaces),
        cmocka_unit_test(offerings),
        cmocka_unit_test(subnets_and_reservations),
        cmocka_unit_test(placement_groups),
        cmocka_unit_test(bad_node_classes),
        cmocka_unit_test(bad_settings),
        cmocka_unit_test(zones_without_the_type),
        cmocka_unit_test(many_reserved_interfaces),
        cmocka_unit_test(refused_memory),
    };
    if (argc > 1) return aws_dump(argc, argv);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
