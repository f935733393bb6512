/* SPDX-License-Identifier: Apache-2.0 */
/* What aws remembers and compares: marks of missing capacity, hashes of classes, drift, defaults, repairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/provider.h>
#include <karp/settings.h>
#include <support/plain.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
static const int64_t second = INT64_C(1000000000);

static karp_provider *open_aws(void)
{
    karp_provider *provider = NULL;
    assert_int_equal(karp_provider_open(context, text_of("aws"), NULL, &provider, NULL), KARP_OK);
    return provider;
}

static karp_provider_class *class_of(karp_provider *provider, const char *document)
{
    karp_provider_class *made = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    if (karp_provider_class_new(provider, text_of("class"), text_of(document), &made, &error) != KARP_OK) {
        fail_msg("%s: %s %s", document, error.field, error.message);
    }
    return made;
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

static size_t available(karp_provider *provider, const karp_provider_class *class_, const char *name)
{
    karp_catalogue *types = NULL;
    size_t count = 0;
    assert_int_equal(karp_provider_catalogue(provider, class_, &types, NULL), KARP_OK);
    for (size_t i = 0; i < karp_catalogue_count(types); i++) {
        const karp_instance_type *t = karp_catalogue_type(types, i);
        for (size_t k = 0; k < t->offering_count && strcmp(t->name.ptr, name) == 0; k++)
            count += t->offerings[k].available;
    }
    karp_catalogue_unref(types);
    return count;
}

static karp_provider_scope scope_of(const char *capacity_type, const char *type, const char *zone)
{
    return (karp_provider_scope){ .size = sizeof(karp_provider_scope),
                                  .capacity_type = text_of(capacity_type),
                                  .instance_type = text_of(type),
                                  .zone = text_of(zone) };
}

static void marks(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    assert_int_equal(available(p, NULL, "m5.large"), 6);
    karp_provider_scope one = scope_of("spot", "m5.large", "us-west-2a");
    assert_int_equal(karp_provider_mark(p, &one, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, NULL, "m5.large"), 5);
    assert_int_equal(available(p, NULL, "m5.xlarge"), 6);
    karp_provider_expire(p, 180 * second - 1);
    assert_int_equal(available(p, NULL, "m5.large"), 5);
    /* Marked again, it lasts three minutes from then. */
    assert_int_equal(karp_provider_mark(p, &one, 100 * second, 0, NULL), KARP_OK);
    karp_provider_expire(p, 180 * second);
    assert_int_equal(available(p, NULL, "m5.large"), 5);
    karp_provider_expire(p, 280 * second);
    assert_int_equal(available(p, NULL, "m5.large"), 6);
    karp_provider_scope spot = scope_of("spot", "", "");
    assert_int_equal(karp_provider_mark(p, &spot, 0, second, NULL), KARP_OK);
    assert_int_equal(available(p, NULL, "m5.large"), 3);
    assert_int_equal(available(p, NULL, "m5.xlarge"), 3);
    karp_provider_expire(p, second);
    assert_int_equal(available(p, NULL, "m5.xlarge"), 6);
    karp_provider_close(p);
}

/* A zone is out when all subnets of the class there are. */
static void marked_subnets(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    karp_provider_class *c = class_of(
        p,
        "{\"status\":{\"subnets\":[{\"id\":\"s-1\",\"zone\":\"us-west-2a\"},{\"id\":\"s-2\",\"zone\":\"us-west-2a\"},"
        "{\"id\":\"s-3\",\"zone\":\"us-west-2b\"}]}}");
    karp_provider_scope subnet = { .size = sizeof subnet, .subnet = text_of("s-1") };
    assert_int_equal(available(p, c, "m5.large"), 4);
    assert_int_equal(karp_provider_mark(p, &subnet, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 4);
    subnet.subnet = text_of("s-2");
    assert_int_equal(karp_provider_mark(p, &subnet, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 2);
    karp_provider_class_free(c);
    karp_provider_close(p);
}

/* With a placement group the mark without one counts, and that of the group and partition. */
static void marked_partitions(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    karp_provider_class *c = class_of(p, "{\"status\":{\"subnets\":[{\"id\":\"s\",\"zone\":\"us-west-2a\"}],"
                                         "\"placementGroup\":{\"id\":\"pg-1\",\"strategy\":"
                                         "\"partition\",\"partitionCount\":3}}}");
    assert_int_equal(available(p, c, "m5.large"), 6);
    karp_provider_scope one = scope_of("spot", "m5.large", "us-west-2a");
    one.group = text_of("pg-2");
    assert_int_equal(karp_provider_mark(p, &one, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 6);
    one.group = text_of("pg-1");
    one.partition = text_of("2");
    assert_int_equal(karp_provider_mark(p, &one, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 5);
    one.partition = text_of("");
    assert_int_equal(karp_provider_mark(p, &one, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 3);
    one = scope_of("on-demand", "m5.large", "us-west-2a");
    assert_int_equal(karp_provider_mark(p, &one, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 0);
    karp_provider_class_free(c);
    karp_provider_close(p);
}

/* A reservation is marked by itself, a zone that launches are shifted away from by its name or id; both till the
 * caller's time. */
static void marked_reservations_and_zones(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    karp_provider_class *c = class_of(p, "{\"status\":{\"subnets\":[{\"id\":\"s\",\"zone\":\"us-west-2a\",\"zoneID\":"
                                         "\"usw2-az1\"},{\"id\":\"t\",\"zone\":\"us-west-2b\"}],"
                                         "\"capacityReservations\":["
                                         "{\"id\":\"cr-1\",\"instanceType\":\"m5.large\",\"availabilityZone\":\"us-"
                                         "west-2a\",\"availableInstanceCount\":2},"
                                         "{\"id\":\"cr-2\",\"instanceType\":\"m5.large\",\"availabilityZone\":\"us-"
                                         "west-2a\",\"availableInstanceCount\":3},"
                                         "{\"id\":\"cr-3\",\"instanceType\":\"m5.large\",\"availabilityZone\":\"us-"
                                         "west-2a\",\"availableInstanceCount\":4,\"state\":\"expiring\"}]}}");
    assert_int_equal(available(p, c, "m5.large"), 6);
    karp_provider_scope one = { .size = sizeof one, .reservation = text_of("cr-1") };
    assert_int_equal(karp_provider_mark(p, &one, 0, 10 * second, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 6); /* it is full, and available (release 1.15.2) */
    one.reservation = text_of("cr-9"); /* of another class */
    assert_int_equal(karp_provider_mark(p, &one, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 6);
    karp_provider_scope broken = scope_of("reserved", "m5.large", "us-west-2a");
    broken.reservation = text_of("cr-2");
    assert_int_equal(karp_provider_mark(p, &broken, 0, 5 * second, NULL), KARP_OK);
    assert_int_equal(available(p, c, "m5.large"), 5); /* that one alone */
    karp_provider_expire(p, 5 * second);
    karp_catalogue *types = NULL;
    assert_int_equal(karp_provider_catalogue(p, c, &types, NULL), KARP_OK);
    for (size_t i = 0; i < karp_catalogue_count(types); i++) {
        const karp_instance_type *t = karp_catalogue_type(types, i);
        if (strcmp(t->name.ptr, "m5.large") != 0) continue;
        assert_int_equal(t->offerings[t->offering_count - 3].reservation_capacity, 0); /* nothing is left in it */
        assert_int_equal(t->offerings[t->offering_count - 2].reservation_capacity, 3);
        assert_int_equal(t->offerings[t->offering_count - 1].available, 0); /* it expires */
    }
    karp_catalogue_unref(types);
    karp_provider_expire(p, 10 * second);
    assert_int_equal(available(p, c, "m5.large"), 6);

    static const char *const names[] = { "us-west-2a", "usw2-az1" };
    for (size_t i = 0; i < COUNT(names); i++) {
        karp_provider_scope zone = scope_of("", "", names[i]);
        assert_int_equal(karp_provider_mark(p, &zone, 0, 3600 * second, NULL), KARP_OK);
        assert_int_equal(available(p, c, "m5.large"), 2); /* reservations of the zone are shifted away from, too */
        assert_int_equal(available(p, NULL, "m5.large"), i == 0 ? 4 : 6); /* without a class nothing is known of ids */
        karp_provider_expire(p, 3600 * second - 1);
        assert_int_equal(available(p, c, "m5.large"), 2);
        karp_provider_expire(p, 3600 * second);
        assert_int_equal(available(p, c, "m5.large"), 6);
    }
    karp_provider_class_free(c);
    karp_provider_close(p);
}

/* Scopes of callers of other versions: an older one ends earlier, what a newer one has more must be empty. */
static void scopes_of_other_versions(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    struct {
        karp_provider_scope known;
        karp_str more;
    } newer = { scope_of("spot", "m5.large", "us-west-2a"), { NULL, 0 } };
    newer.known.size = sizeof newer;
    assert_int_equal(karp_provider_mark(p, &newer.known, 0, second, NULL), KARP_OK);
    assert_int_equal(available(p, NULL, "m5.large"), 5);
    karp_provider_expire(p, second);
    newer.more = text_of("x");
    assert_int_equal(karp_provider_mark(p, &newer.known, 0, 0, NULL), KARP_E_ABI_NEW);
    karp_provider_scope older = scope_of("spot", "m5.large", "us-west-2a");
    older.size = offsetof(karp_provider_scope, reservation);
    older.reservation = text_of("not read");
    assert_int_equal(karp_provider_mark(p, &older, 0, 0, NULL), KARP_OK);
    assert_int_equal(available(p, NULL, "m5.large"), 5);
    karp_provider_close(p);
}

static void bad_marks(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    karp_provider_scope none = { .size = sizeof none }, half = scope_of("spot", "m5.large", ""),
                        family = scope_of("spot", "", "");
    karp_provider_scope partition = scope_of("spot", "m5.large", "us-west-2a"), small = { .size = 8 };
    family.family = text_of("m5");
    partition.partition = text_of("1");
    karp_provider_scope reserved = scope_of("reserved", "", ""), two = { .size = sizeof two },
                        zone = scope_of("", "", "us-west-2a"), typed = scope_of("", "m5.large", "us-west-2a");
    reserved.reservation = two.reservation = text_of("cr-1");
    two.subnet = text_of("s");
    zone.group = text_of("pg-1");
    const karp_provider_scope *bad[] = { &none, &half, &family, &partition, &reserved, &two, &zone, &typed };
    for (size_t i = 0; i < COUNT(bad); i++) assert_int_equal(karp_provider_mark(p, bad[i], 0, 0, NULL), KARP_E_INVALID);
    assert_int_equal(karp_provider_mark(p, &small, 0, 0, NULL), KARP_E_ABI_SIZE);
    karp_provider_scope good = scope_of("spot", "m5.large", "us-west-2a");
    assert_int_equal(karp_provider_mark(p, &good, 0, -1, NULL), KARP_E_INVALID);
    assert_int_equal(karp_provider_mark(p, &good, INT64_MAX, 1, NULL), KARP_E_INVALID);
    assert_int_equal(karp_provider_mark(p, &good, INT64_MAX, 0, NULL), KARP_E_INVALID);
    assert_int_equal(available(p, NULL, "m5.large"), 6);
    karp_provider_close(p);
}

/* ---- hashes ------------------------------------------------------------------------------------------------------ */

static karp_provider_memory *memory;

static const char *hash_of(karp_provider *p, const char *document)
{
    karp_str version, hash;
    karp_provider_class *c = class_of(p, document);
    assert_int_equal(karp_provider_class_hash(p, c, memory, &version, &hash, NULL), KARP_OK);
    assert_string_equal(version.ptr, "libkarp-1");
    karp_provider_class_free(c);
    return hash.ptr;
}

/* Karpenter's own hashes, of whichever version, are compared where the class has one among its annotations. */
static void stated_hashes(void **state)
{
    (void)state;
    static const struct {
        const char *version, *hash, *reason;
    } nodes[] = {
        { "v6", "11", "" }, { "v6", "12", "NodeClassDrift" }, { "v5", "12", "" }, { "v6", "", "" }, { "", "12", "" }
    };
    static const char stated[] = "{\"metadata\":{\"annotations\":{\"karpenter.k8s.aws/ec2nodeclass-hash\":\"11\","
                                 "\"karpenter.k8s.aws/ec2nodeclass-hash-version\":\"v6\"}},\"spec\":{}}";
    static const char *const classes[] = { stated, "{\"spec\":{}}" };
    karp_provider *p = open_aws();
    karp_provider_memory *own = NULL;
    assert_int_equal(karp_provider_memory_new(context, &own, NULL), KARP_OK);
    for (size_t k = 0; k < 2; k++) {
        karp_provider_class *c = NULL;
        assert_int_equal(karp_provider_class_new(p, text_of("c"), text_of(classes[k]), &c, NULL), KARP_OK);
        for (size_t i = 0; i < COUNT(nodes); i++) {
            karp_label annotations[] = {
                { text_of("karpenter.k8s.aws/ec2nodeclass-hash"), text_of(nodes[i].hash) },
                { text_of("karpenter.k8s.aws/ec2nodeclass-hash-version"), text_of(nodes[i].version) },
            };
            karp_label pool = { text_of("karpenter.sh/nodepool"), text_of("default") };
            karp_provider_node node = { .size = sizeof node,
                                        .annotations = annotations,
                                        .annotation_count = 2,
                                        .labels = &pool,
                                        .label_count = 1,
                                        .instance_type = text_of("m5.large") };
            karp_str reason;
            assert_int_equal(karp_provider_drift(p, c, &node, own, &reason, NULL), KARP_OK);
            assert_true(same(reason, text_of(k == 0 ? nodes[i].reason : "")));
        }
        karp_provider_class_free(c);
    }
    karp_provider_memory_free(own);
    karp_provider_close(p);
}

static void hashes(void **state)
{
    (void)state;
    static const char base[] =
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\",\"tags\":{\"a\":\"1\",\"b\":\"2\"},\"kubelet\":{"
        "\"maxPods\":20},"
        "\"blockDeviceMappings\":[{\"deviceName\":\"x\",\"ebs\":{\"volumeSize\":\"100Gi\"}},{\"deviceName\":\"y\"}]}}";
    static const char *const equal[] = {
        /* order of members and of lists; what is empty; what the API server fills in; amounts as they are meant; what
           is not covered */
        "{\"spec\":{\"kubelet\":{\"maxPods\":20},\"tags\":{\"b\":\"2\",\"a\":\"1\"},\"role\":\"r\",\"amiFamily\":"
        "\"AL2023\",\"blockDeviceMappings\":"
        "[{\"deviceName\":\"y\"},{\"ebs\":{\"volumeSize\":\"100Gi\"},\"deviceName\":\"x\"}]}}",
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\",\"tags\":{\"a\":\"1\",\"b\":\"2\"},\"kubelet\":{"
        "\"maxPods\":20},\"userData\":\"\",\"context\":null,"
        "\"networkInterfaces\":[],\"blockDeviceMappings\":[{\"deviceName\":\"x\",\"ebs\":{\"volumeSize\":\"102400Mi\"}}"
        ",{\"deviceName\":\"y\",\"rootVolume\":false}]}}",
        "{\"spec\":{\"amiSelectorTerms\":[{\"alias\":\"al2023@latest\"}],\"role\":\"r\",\"tags\":{\"a\":\"1\",\"b\":"
        "\"2\"},\"kubelet\":{\"maxPods\":20},"
        "\"metadataOptions\":{\"httpTokens\":\"required\",\"httpPutResponseHopLimit\":1},\"subnetSelectorTerms\":[{"
        "\"id\":\"s\"}],"
        "\"blockDeviceMappings\":[{\"deviceName\":\"x\",\"ebs\":{\"volumeSize\":\"100Gi\"}},{\"deviceName\":\"y\"}]}}",
    };
    static const char *const different[] = {
        "{\"spec\":{\"amiFamily\":\"AL2\",\"role\":\"r\"}}",
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\"}}",
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\",\"tags\":{\"a\":\"2\",\"b\":\"1\"}}}",
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"instanceProfile\":\"r\"}}",
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\",\"metadataOptions\":{\"httpTokens\":\"optional\"}}}",
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\",\"blockDeviceMappings\":[{\"deviceName\":\"x\"}]}}",
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\",\"blockDeviceMappings\":[{\"deviceName\":\"x\"},{"
        "\"deviceName\":\"x\"}]}}",
        "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\",\"detailedMonitoring\":true}}",
    };
    karp_provider *p = open_aws();
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    const char *hash = hash_of(p, base);
    for (size_t i = 0; i < COUNT(equal); i++) {
        if (strcmp(hash_of(p, equal[i]), hash) != 0) fail_msg("differs: %s", equal[i]);
    }
    for (size_t i = 0; i < COUNT(different); i++) {
        assert_string_not_equal(hash_of(p, different[i]), hash);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(hash_of(p, different[i]), hash_of(p, different[k]));
    }
    karp_str version, none;
    assert_int_equal(karp_provider_class_hash(p, NULL, memory, &version, &none, NULL), KARP_E_INVALID);
    karp_provider_memory_free(memory);
    karp_provider_close(p);
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

static void drift(void **state)
{
    (void)state;
    static const char document[] = "{\"spec\":{\"amiFamily\":\"AL2023\",\"role\":\"r\"},\"status\":{\"amis\":[{\"id\":"
                                   "\"ami-arm\",\"requirements\":[{\"key\":\"kubernetes.io/arch\",\"operator\":"
                                   "\"In\",\"values\":[\"arm64\"]}]},{\"id\":\"ami-amd\",\"requirements\":[{\"key\":"
                                   "\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":[\"amd64\"]}]}],"
                                   "\"securityGroups\":[{\"id\":\"sg-1\"},{\"id\":\"sg-2\"}],\"subnets\":[{\"id\":\"s-"
                                   "1\",\"zone\":\"us-west-2a\"}],\"capacityReservations\":"
                                   "[{\"id\":\"cr-1\",\"instanceType\":\"m5.large\",\"availabilityZone\":\"us-west-"
                                   "2a\"}],\"placementGroup\":{\"id\":\"pg-1\",\"strategy\":\"spread\"}}}";
    karp_provider *p = open_aws();
    karp_provider_class *c = class_of(p, document);
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    karp_str version, hash, reason;
    assert_int_equal(karp_provider_class_hash(p, c, memory, &version, &hash, NULL), KARP_OK);
    const karp_str groups[] = { text_of("sg-2"), text_of("sg-1") };
    karp_label labels[] = { { text_of("karpenter.sh/nodepool"), text_of("default") },
                            { text_of("karpenter.k8s.aws/placement-group-id"), text_of("pg-1") } };
    karp_label annotations[] = { { text_of("karpenter.k8s.aws/ec2nodeclass-hash-version"), version },
                                 { text_of("karpenter.k8s.aws/ec2nodeclass-hash"), hash } };
    const karp_provider_node good = { .size = sizeof good,
                                      .instance_type = text_of("m5.large"),
                                      .image_id = text_of("ami-amd"),
                                      .subnet_id = text_of("s-1"),
                                      .reservation_id = text_of("cr-1"),
                                      .security_groups = groups,
                                      .security_group_count = 2,
                                      .labels = labels,
                                      .label_count = 2,
                                      .annotations = annotations,
                                      .annotation_count = 2 };
#define DRIFT(node, want)                                                                                              \
    do {                                                                                                               \
        assert_int_equal(karp_provider_drift(p, c, &(node), memory, &reason, NULL), KARP_OK);                          \
        assert_string_equal(reason.ptr, want);                                                                         \
    } while (0)
    DRIFT(good, "");
    karp_provider_node n = good;
    n.instance_type = text_of("m6g.large"); /* which another image is for */
    DRIFT(n, "AMIDrift");
    n = good;
    n.security_group_count = 1;
    DRIFT(n, "SecurityGroupDrift");
    n = good;
    n.subnet_id = text_of("s-9");
    DRIFT(n, "SubnetDrift");
    n = good;
    n.reservation_id = text_of("cr-9");
    DRIFT(n, "CapacityReservationDrift");
    n.reservation_id = text_of("");
    DRIFT(n, "");
    n = good;
    labels[1].value = text_of("pg-9");
    DRIFT(n, "PlacementGroupDrift");
    /* The class comes first; but hashes of another version are not compared. */
    n.subnet_id = text_of("s-9");
    annotations[1].value = text_of("1");
    DRIFT(n, "NodeClassDrift");
    annotations[0].value = text_of("v6");
    DRIFT(n, "SubnetDrift");
    n.label_count = 0;
    DRIFT(n, "");
    assert_int_equal(karp_provider_drift(p, NULL, &good, memory, &reason, NULL), KARP_OK);
    assert_string_equal(reason.ptr, "");
    karp_provider_class_free(c);
    karp_provider_memory_free(memory);
    karp_provider_close(p);
}

/* ---- defaults and repairs ---------------------------------------------------------------------------------------- */

static void pool_defaults(void **state)
{
    (void)state;
    static const struct {
        const char *given;
        size_t added;
    } cases[] = { { NULL, 5 },
                  { "kubernetes.io/arch", 4 },
                  { "karpenter.k8s.aws/instance-generation", 3 },
                  { "node.kubernetes.io/instance-type", 3 },
                  { "topology.kubernetes.io/zone", 5 } };
    karp_provider *p = open_aws();
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const karp_requirement *added = NULL,
                               given = { .key = text_of(cases[i].given ? cases[i].given : ""), .op = KARP_OP_EXISTS };
        size_t count = 0;
        assert_int_equal(karp_provider_pool_defaults(p, &given, cases[i].given != NULL, memory, &added, &count, NULL),
                         KARP_OK);
        assert_int_equal(count, cases[i].added);
    }
    karp_provider_memory_free(memory);
    karp_provider_close(p);
}

static void class_defaults(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    karp_str out;
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    assert_int_equal(karp_provider_class_defaults(
                         p, text_of("c"), text_of("{\"spec\":{\"metadataOptions\":{\"httpTokens\":\"optional\"}}}"),
                         memory, &out, NULL),
                     KARP_OK);
    assert_string_equal(out.ptr, "{\"spec\":{\"metadataOptions\":{\"httpEndpoint\":\"enabled\","
                                 "\"httpProtocolIPv6\":\"disabled\",\"httpPutResponseHopLimit\":1,"
                                 "\"httpTokens\":\"optional\"}}}");
    assert_int_equal(karp_provider_class_defaults(p, text_of("c"), text_of("{\"spec\":{}}"), memory, &out, NULL),
                     KARP_OK);
    assert_non_null(strstr(out.ptr, "\"httpTokens\":\"required\""));
    assert_int_equal(karp_provider_class_defaults(p, text_of("c"), text_of("{"), memory, &out, NULL), KARP_E_INVALID);
    karp_provider_memory_free(memory);
    karp_provider_close(p);
}

static void repairs(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    const karp_repair_policy *list = NULL;
    size_t count = 0;
    assert_int_equal(karp_provider_repair_policies(p, &list, &count, NULL), KARP_OK);
    assert_int_equal(count, 7);
    assert_string_equal(list[1].status.ptr, "Unknown");
    assert_true(list[1].toleration == 1800 * second && list[2].toleration == 600 * second);
    karp_provider_close(p);
}

/* Release 1.15.2, pkg/cloudprovider/cloudprovider.go: RepairPolicies(). */
static void node_repairs(void **state)
{
    (void)state;
    karp_provider *p = open_aws();
    const karp_node_repair *list = NULL;
    size_t count = 0;
    assert_int_equal(karp_provider_node_repairs(p, 0, &list, &count, NULL), KARP_OK);
    assert_int_equal(count, 9);
    size_t fallbacks = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = strstr(list[i].reason.ptr, "XID") != NULL;
        assert_true(list[i].toleration == (known ? 600 : 1800) * second);
        assert_true(list[i].termination_grace_period == (known ? 300 : 600) * second);
        assert_int_equal(list[i].action, KARP_REPAIR_REPLACE);
        if (list[i].reason.len > 0) continue;
        assert_string_equal(list[i].condition.ptr, "AcceleratedHardwareReady");
        fallbacks++;
    }
    assert_int_equal(fallbacks, 1);
    assert_int_equal(karp_provider_node_repairs(p, 1, &list, &count, NULL), KARP_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(list[i].action,
                         strstr(list[i].reason.ptr, "XID(46|") ? KARP_REPAIR_REBOOT : KARP_REPAIR_REPLACE);
    karp_provider_close(p);
    assert_int_equal(karp_provider_node_repairs(NULL, 0, &list, &count, NULL), KARP_E_INVALID);
}

#define KUBELET(map, key, value) "{\"spec\":{\"kubelet\":{\"" map "\":{\"" key "\":\"" value "\"}}}}"

static void bad_classes(void **state)
{
    (void)state;
    static const struct {
        const char *document, *field;
    } cases[] = {
        { "{\"spec\":{\"amiFamily\":\"AL9\"}}", "spec.amiFamily" },
        { "{\"spec\":{\"kubelet\":{\"evictionHard\":{\"memory.available\":\"120%\"}}}}",
          "spec.kubelet.evictionHard[\"memory.available\"]" },
        { "{\"spec\":{\"kubelet\":{\"evictionSoft\":{\"memory.available\":\"5%\"}}}}", "spec.kubelet.evictionSoft" },
        { "{\"spec\":{\"kubelet\":{\"evictionSoftGracePeriod\":{\"memory.available\":\"1m\"}}}}",
          "spec.kubelet.evictionSoftGracePeriod" },
        { "{\"spec\":{\"kubelet\":{\"imageGCHighThresholdPercent\":50,\"imageGCLowThresholdPercent\":60}}}",
          "spec.kubelet.imageGCHighThresholdPercent" },
        { "{\"spec\":{\"kubelet\":{\"imageGCLowThresholdPercent\":101}}}", "spec.kubelet.imageGCLowThresholdPercent" },
        { KUBELET("kubeReserved", "memory", "-1Gi"), "spec.kubelet.kubeReserved[\"memory\"]" },
        { KUBELET("systemReserved", "cpu", "-1"), "spec.kubelet.systemReserved[\"cpu\"]" },
        { KUBELET("systemReserved", "gpu", "1"), "spec.kubelet.systemReserved[\"gpu\"]" },
        { KUBELET("evictionHard", "memory.available", "-5Mi"), "spec.kubelet.evictionHard[\"memory.available\"]" },
        { KUBELET("evictionHard", "memory.available", "%5%"), "spec.kubelet.evictionHard[\"memory.available\"]" },
        { KUBELET("evictionHard", "memory.available", "5%%"), "spec.kubelet.evictionHard[\"memory.available\"]" },
        { KUBELET("evictionHard", "memory.available", "%"), "spec.kubelet.evictionHard[\"memory.available\"]" },
        { KUBELET("evictionHard", "imagefs.available", "x%"), "spec.kubelet.evictionHard[\"imagefs.available\"]" },
        { KUBELET("evictionHard", "memory.free", "5%"), "spec.kubelet.evictionHard[\"memory.free\"]" },
        { "{\"spec\":{\"kubelet\":{\"evictionSoft\":{\"memory.available\":\"five\"},\"evictionSoftGracePeriod\":{"
          "\"memory.available\":\"1m\"}}}}",
          "spec.kubelet.evictionSoft[\"memory.available\"]" },
        { "{\"spec\":{\"kubelet\":{\"evictionSoft\":{\"memory.available\":\"5%\"},\"evictionSoftGracePeriod\":{"
          "\"memory.available\":\"soon\"}}}}",
          "spec.kubelet.evictionSoftGracePeriod[\"memory.available\"]" },
        { "{\"spec\":{\"instanceStorePolicy\":\"RAID5\"}}", "spec.instanceStorePolicy" },
        { "{\"spec\":{\"cpuOptions\":{\"nestedVirtualization\":\"perhaps\"}}}",
          "spec.cpuOptions.nestedVirtualization" },
        { "{\"spec\":{\"networkInterfaces\":[{\"interfaceType\":\"efa-many\"}]}}",
          "spec.networkInterfaces[0].interfaceType" },
        { "{\"spec\":{\"blockDeviceMappings\":[{\"rootVolume\":true},{\"rootVolume\":true}]}}",
          "spec.blockDeviceMappings" },
        { "{\"spec\":{\"amiFamily\":\"AL2\",\"amiSelectorTerms\":[{\"alias\":\"bottlerocket@latest\"}]}}",
          "spec.amiFamily" },
        { "{\"status\":{\"amis\":[{\"id\":\"a\",\"requirements\":[{\"key\":\"k\",\"operator\":\"Is\"}]}]}}",
          "status.amis[0].requirements" },
    };
    karp_provider *p = open_aws();
    for (size_t i = 0; i < COUNT(cases); i++) {
        karp_provider_class *c = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        karp_status status = karp_provider_class_new(p, text_of("class"), text_of(cases[i].document), &c, &error);
        if (status != KARP_E_INVALID || strcmp(error.field, cases[i].field) != 0)
            fail_msg("%s: %s %s", cases[i].document, error.field, error.message);
        assert_null(c);
    }
    /* What the API allows, if it looks like the above. */
    static const char *const good[] = {
        KUBELET("kubeReserved", "memory", "memory_mib * 0.05"), /* an expression */
        KUBELET("evictionHard", "pid.available", "10%"),
        KUBELET("evictionHard", "memory.available", "100%"),
        "{\"spec\":{\"amiFamily\":\"Custom\",\"amiSelectorTerms\":[{\"alias\":\"bottlerocket@latest\"}]}}",
        "{\"spec\":{\"cpuOptions\":{\"nestedVirtualization\":\"disabled\"},\"blockDeviceMappings\":[{\"rootVolume\":"
        "true},{}]}}",
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        karp_provider_class *c = NULL;
        if (karp_provider_class_new(p, text_of("class"), text_of(good[i]), &c, NULL) != KARP_OK)
            fail_msg("%s", good[i]);
        karp_provider_class_free(c);
    }
    static const char *const settings[][2] = { { "reservedENIs", "-1" },           { "reservedENIs", "two" },
                                               { "vmMemoryOverheadPercent", "1" }, { "vmMemoryOverheadPercent", "7,5" },
                                               { "allTypes", "perhaps" },          { "speed", "high" } };
    for (size_t i = 0; i < COUNT(settings); i++) {
        karp_provider *none = NULL;
        const karp_label setting = { text_of(settings[i][0]), text_of(settings[i][1]) };
        karp_provider_options options;
        karp_provider_options_init(&options, sizeof options);
        options.settings = &setting;
        options.setting_count = 1;
        assert_int_equal(karp_provider_open(context, text_of("aws"), &options, &none, NULL), KARP_E_INVALID);
        assert_null(none);
    }
    karp_provider_close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks),
        cmocka_unit_test(marked_subnets),
        cmocka_unit_test(marked_partitions),
        cmocka_unit_test(marked_reservations_and_zones),
        cmocka_unit_test(scopes_of_other_versions),
        cmocka_unit_test(bad_marks),
        cmocka_unit_test(hashes),
        cmocka_unit_test(stated_hashes),
        cmocka_unit_test(drift),
        cmocka_unit_test(pool_defaults),
        cmocka_unit_test(class_defaults),
        cmocka_unit_test(repairs),
        cmocka_unit_test(node_repairs),
        cmocka_unit_test(bad_classes),
    };
    return cmocka_run_group_tests_name("aws state", tests, set_up, tear_down);
}
