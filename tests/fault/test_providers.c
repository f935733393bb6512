/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refused memory in everything that providers read: node classes, facts of every kind, a cloud's answer, fields for
 * plugins. Each request is refused once, and once together with all that follow. The answer is KARP_E_NOMEM or the same
 * as with memory, never another: a hash that differs would be drift.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <karp/provider.h>
#include <support/fault.h>

enum { MOST_REQUESTS = 5000, ANSWER = 4096 };

static karp_str text_of(const char *text) { return (karp_str){ text, strlen(text) }; }

static const char node_class[] =
    "{\"apiVersion\":\"karpenter.k8s.aws/v1\",\"kind\":\"EC2NodeClass\",\"metadata\":{\"name\":\"d\"},\"spec\":{"
    "\"amiSelectorTerms\":[{\"alias\":\"al2023@latest\"}],\"role\":\"r\",\"userData\":\"a\\nb \\u00e9\","
    "\"tags\":{\"team\":\"a\",\"cost/center\":\"7\"},\"instanceStorePolicy\":\"RAID0\","
    "\"blockDeviceMappings\":[{\"deviceName\":\"/dev/xvda\",\"rootVolume\":true,\"ebs\":{\"volumeSize\":\"100Gi\","
    "\"iops\":3000,\"encrypted\":true}}],"
    "\"networkInterfaces\":[{\"networkCardIndex\":0,\"deviceIndex\":0,\"interfaceType\":\"interface\"}],"
    "\"kubelet\":{\"maxPods\":50,\"kubeReserved\":{\"cpu\":\"100m\",\"memory\":\"1Gi\"},\"systemReserved\":{\"cpu\":1},"
    "\"evictionHard\":{\"memory.available\":\"5%\",\"nodefs.available\":\"10%\"},"
    "\"evictionSoft\":{\"memory.available\":\"1Gi\"},\"evictionSoftGracePeriod\":{\"memory.available\":\"2m\"}},"
    "\"metadataOptions\":{\"httpTokens\":\"required\"},\"cpuOptions\":{\"nestedVirtualization\":\"enabled\"}},"
    "\"status\":{\"subnets\":[{\"id\":\"s-1\",\"zone\":\"us-west-2a\",\"zoneID\":\"usw2-az1\","
    "\"availableIPAddressCount\":100}],\"securityGroups\":[{\"id\":\"sg-1\"}],"
    "\"amis\":[{\"id\":\"ami-1\",\"requirements\":[{\"key\":\"kubernetes.io/arch\",\"operator\":\"In\","
    "\"values\":[\"amd64\"]}]}],\"capacityReservations\":[{\"id\":\"cr-1\",\"availabilityZone\":\"us-west-2a\","
    "\"instanceType\":\"m5.large\",\"ownerID\":\"1\",\"instanceMatchCriteria\":\"open\",\"availableInstanceCount\":2}]}"
    "}";

static const struct {
    const char *kind, *text;
} facts[] = {
    { "spot-prices",
      "{\"SpotPriceHistory\":[{\"AvailabilityZone\":\"us-west-2a\",\"InstanceType\":\"m5.large\","
      "\"ProductDescription\":\"Linux/UNIX\",\"SpotPrice\":\"0.031\",\"Timestamp\":\"2026-01-01T00:00:00Z\"}]}" },
    { "on-demand-prices",
      "{\"PriceList\":[\"{\\\"product\\\":{\\\"productFamily\\\":\\\"Compute Instance\\\",\\\"attributes\\\":{"
      "\\\"instanceType\\\":\\\"m5.large\\\",\\\"regionCode\\\":\\\"us-west-2\\\",\\\"operatingSystem\\\":"
      "\\\"Linux\\\","
      "\\\"preInstalledSw\\\":\\\"NA\\\",\\\"capacitystatus\\\":\\\"Used\\\",\\\"operation\\\":\\\"RunInstances\\\","
      "\\\"tenancy\\\":\\\"Shared\\\"}},\\\"terms\\\":{\\\"OnDemand\\\":{\\\"t\\\":{\\\"priceDimensions\\\":{\\\"d\\\":"
      "{"
      "\\\"pricePerUnit\\\":{\\\"USD\\\":\\\"0.077\\\"}}}}}}}\"]}" },
    { "offerings", "{\"InstanceTypeOfferings\":[{\"InstanceType\":\"m5.large\",\"Location\":\"us-west-2a\","
                   "\"LocationType\":\"availability-zone\"}]}" },
    { "limits", "{\"m5.large\":{\"isTrunkingCompatible\":true,\"branchInterface\":9,\"ipv4PerInterface\":8}}" },
    { "discovered-memory", "{\"m5.large\":[{\"memory\":\"7000Mi\",\"images\":[\"ami-1\"]}]}" },
    { "types", "{\"InstanceTypes\":[{\"InstanceType\":\"m5.large\",\"VCpuInfo\":{\"DefaultVCpus\":2},"
               "\"MemoryInfo\":{\"SizeInMiB\":8192},\"ProcessorInfo\":{\"SupportedArchitectures\":[\"x86_64\"],"
               "\"SustainedClockSpeedInGhz\":3.1},\"NetworkInfo\":{\"MaximumNetworkInterfaces\":3,"
               "\"Ipv4AddressesPerInterface\":10},\"SupportedUsageClasses\":[\"on-demand\",\"spot\"]}]}" },
};

/* What a call answers, as text; and what it needs beforehand. */
typedef karp_status (*question)(karp_provider *provider, size_t number, char answer[ANSWER]);

static karp_status ask_class(karp_provider *provider, size_t number, char answer[ANSWER])
{
    karp_provider_class *c = NULL;
    karp_provider_memory *memory = NULL;
    karp_str version, hash;
    (void)number;
    karp_status status = karp_provider_class_new(provider, text_of("class"), text_of(node_class), &c, NULL);
    if (status != KARP_OK) return status;
    karp_context *plain = NULL;
    assert_int_equal(karp_context_new(NULL, &plain, NULL), KARP_OK);
    assert_int_equal(karp_provider_memory_new(plain, &memory, NULL), KARP_OK);
    status = karp_provider_class_hash(provider, c, memory, &version, &hash, NULL);
    if (status == KARP_OK) (void)snprintf(answer, ANSWER, "%s %s", version.ptr, hash.ptr);
    karp_provider_class_free(c);
    karp_provider_memory_free(memory);
    karp_context_unref(plain);
    return status;
}

static karp_status ask_defaults(karp_provider *provider, size_t number, char answer[ANSWER])
{
    karp_context *plain = NULL;
    karp_provider_memory *memory = NULL;
    karp_str out;
    (void)number;
    assert_int_equal(karp_context_new(NULL, &plain, NULL), KARP_OK);
    assert_int_equal(karp_provider_memory_new(plain, &memory, NULL), KARP_OK);
    karp_status status = karp_provider_class_defaults(provider, text_of("class"), text_of(node_class), memory, &out,
                                                      NULL);
    if (status == KARP_OK) (void)snprintf(answer, ANSWER, "%.*s", (int)out.len, out.ptr);
    karp_provider_memory_free(memory);
    karp_context_unref(plain);
    return status;
}

static karp_status ask_facts(karp_provider *provider, size_t number, char answer[ANSWER])
{
    karp_status status = karp_provider_load_facts(provider, text_of(facts[number].kind), text_of("facts"),
                                                  text_of(facts[number].text), NULL);
    if (status == KARP_OK) (void)snprintf(answer, ANSWER, "taken");
    return status;
}

static karp_status ask_answer(karp_provider *provider, size_t number, char answer[ANSWER])
{
    static const char said[] = "{\"Instances\":[{\"InstanceIds\":[\"i-1\"],\"InstanceType\":\"m5.large\","
                               "\"LaunchTemplateAndOverrides\":{\"Overrides\":{\"AvailabilityZone\":\"us-west-2a\","
                               "\"ImageId\":\"ami-1\",\"SubnetId\":\"s-1\"}}}],\"Errors\":[{\"ErrorCode\":"
                               "\"InsufficientInstanceCapacity\",\"LaunchTemplateAndOverrides\":{\"Overrides\":{"
                               "\"InstanceType\":\"m5.xlarge\",\"AvailabilityZone\":\"us-west-2b\"}}}]}";
    const karp_provider_launch launch = { .size = sizeof launch, .capacity_type = { "spot", 4 } };
    karp_provider_node node = { .size = sizeof node };
    karp_context *plain = NULL;
    karp_provider_memory *memory = NULL;
    (void)number;
    assert_int_equal(karp_context_new(NULL, &plain, NULL), KARP_OK);
    assert_int_equal(karp_provider_memory_new(plain, &memory, NULL), KARP_OK);
    karp_status status = karp_provider_launch_result(provider, NULL, &launch, text_of(said), 1000, memory, &node, NULL);
    if (status == KARP_OK)
        (void)snprintf(answer, ANSWER, "%s %s %s", node.provider_id.ptr, node.image_id.ptr, node.subnet_id.ptr);
    karp_provider_memory_free(memory);
    karp_context_unref(plain);
    return status;
}

/* Asks with request `fail_at` refused, of a provider of its own; false = no request was refused any more. */
static bool refused(question ask, size_t number, size_t fail_at, bool keep_failing, const char *expected)
{
    static fault f;
    char answer[ANSWER] = "";
    karp_provider *provider = NULL;
    memset(&f, 0, sizeof f);
    karp_context *context = fault_context(&f);
    assert_non_null(context);
    assert_int_equal(karp_provider_open(context, text_of("aws"), NULL, &provider, NULL), KARP_OK);
    fault_arm(&f, fail_at, keep_failing);
    karp_status status = ask(provider, number, answer);
    bool any = f.refused > 0;
    fault_arm(&f, 0, false);
    if (status != KARP_E_NOMEM) {
        assert_int_equal(status, KARP_OK);
        assert_string_equal(answer, expected);
    }
    karp_provider_close(provider);
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
    return any;
}

static void refuse_all(question ask, size_t number)
{
    char expected[ANSWER] = "";
    karp_context *context = NULL;
    karp_provider *provider = NULL;
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_provider_open(context, text_of("aws"), NULL, &provider, NULL), KARP_OK);
    assert_int_equal(ask(provider, number, expected), KARP_OK);
    assert_true(expected[0] != '\0');
    karp_provider_close(provider);
    karp_context_unref(context);
    for (int keep = 0; keep < 2; keep++) {
        size_t at = 1;
        while (at < MOST_REQUESTS && refused(ask, number, at, keep, expected)) at++;
        assert_true(at > 2 && at < MOST_REQUESTS);
    }
}

static void test_node_class(void **state)
{
    (void)state;
    refuse_all(ask_class, 0);
}

static void test_defaults(void **state)
{
    (void)state;
    refuse_all(ask_defaults, 0);
}

static void test_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) refuse_all(ask_facts, i);
}

static void test_answer(void **state)
{
    (void)state;
    refuse_all(ask_answer, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_node_class),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
