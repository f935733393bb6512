/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in EC2's own JSON, in place of the built-in ones; and those that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/provider.h>
#include <support/fault.h>
#include <support/plain.h>

#define TYPE(more)                                                                                                     \
    "{\"InstanceTypes\":[{\"InstanceType\":\"zz9.large\",\"SupportedUsageClasses\":[\"on-demand\",\"spot\"],"          \
    "\"Hypervisor\":\"nitro\"," more "}]}"
#define PROCESSOR                                                                                                      \
    "\"ProcessorInfo\":{\"SupportedArchitectures\":[\"x86_64\"],\"SustainedClockSpeedInGhz\":3.1,\"Manufacturer\":"    \
    "\"Intel\"}"
#define CPUS "\"VCpuInfo\":{\"DefaultVCpus\":2}"
#define MEMORY "\"MemoryInfo\":{\"SizeInMiB\":8192}"
#define NETWORK                                                                                                        \
    "\"NetworkInfo\":{\"MaximumNetworkInterfaces\":3,\"Ipv4AddressesPerInterface\":10,\"DefaultNetworkCardIndex\":0,"  \
    "\"NetworkCards\":["                                                                                               \
    "{\"NetworkCardIndex\":0,\"MaximumNetworkInterfaces\":3}],\"EncryptionInTransitSupported\":true}"
#define GOOD TYPE(PROCESSOR "," CPUS "," MEMORY "," NETWORK)
#define OFFERS                                                                                                         \
    "{\"InstanceTypeOfferings\":[{\"InstanceType\":\"zz9.large\",\"LocationType\":\"availability-zone\",\"Location\":" \
    "\"ap-south-1b\"},{\"InstanceType\":\"zz9.large\",\"LocationType\":\"availability-zone\",\"Location\":\"ap-south-" \
    "1a\"}]}"
#define PRODUCT(family, system, tenancy, usd)                                                                          \
    "{\"product\":{\"productFamily\":\"" family                                                                        \
    "\",\"attributes\":{\"instanceType\":\"zz9.large\",\"operatingSystem\":\"" system "\",\"tenancy\":\"" tenancy      \
    "\",\"regionCode\":\"ap-south-1\",\"preInstalledSw\":\"NA\",\"capacitystatus\":\"Used\"}},\"terms\":{"             \
    "\"OnDemand\":{"                                                                                                   \
    "\"A\":{\"priceDimensions\":{\"B\":{\"pricePerUnit\":{\"USD\":\"" usd "\"}}}}}}}"
#define SPOT(zone, price, time)                                                                                        \
    "{\"AvailabilityZone\":\"" zone                                                                                    \
    "\",\"InstanceType\":\"zz9.large\",\"ProductDescription\":\"Linux/UNIX\",\"SpotPrice\":\"" price                   \
    "\",\"Timestamp\":\"" time "\"}"

static karp_provider *open_in(const char *region)
{
    karp_provider *provider = NULL;
    karp_provider_options options;
    karp_provider_options_init(&options, sizeof options);
    options.region = text_of(region);
    assert_int_equal(karp_provider_open(context, text_of("aws"), &options, &provider, NULL), KARP_OK);
    return provider;
}

static void load(karp_provider *provider, const char *kind, const char *text)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    if (karp_provider_load_facts(provider, text_of(kind), text_of("facts.json"), text_of(text), &error) != KARP_OK) {
        fail_msg("%s: %s: %s", kind, error.field, error.message);
    }
}

static const karp_instance_type *only(karp_provider *provider, karp_catalogue **types)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_catalogue_unref(*types);
    if (karp_provider_catalogue(provider, NULL, types, &error) != KARP_OK) fail_msg("%s", error.message);
    assert_int_equal(karp_catalogue_count(*types), 1);
    return karp_catalogue_type(*types, 0);
}

static const char *value_of(const karp_requirement *list, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].key.ptr, key) == 0) return list[i].value_count ? list[i].values[0].ptr : "";
    }
    fail_msg("no %s", key);
    return NULL;
}

static const char *amount_of(const karp_instance_type *t, const char *name)
{
    for (size_t i = 0; i < t->capacity_count; i++) {
        if (strcmp(t->capacity[i].name.ptr, name) == 0) return t->capacity[i].text.ptr;
    }
    return "";
}

/* A region that nothing is built in for, from its files alone: zones by name, prices as they come. */
static void region_from_files(void **state)
{
    (void)state;
    karp_provider *provider = open_in("ap-south-1");
    karp_catalogue *types = NULL;
    assert_int_equal(karp_provider_catalogue(provider, NULL, &types, NULL), KARP_E_NOT_FOUND);
    load(provider, "types", GOOD);
    load(provider, "offerings", OFFERS);
    const karp_instance_type *t = only(provider, &types);
    assert_int_equal(t->offering_count, 4);
    for (size_t i = 0; i < 4; i++) assert_true(!t->offerings[i].available && t->offerings[i].awaits_price);
    load(provider, "on-demand-prices",
         "{\"PriceList\":[" PRODUCT("Compute Instance", "Windows", "Shared", "9") "," PRODUCT(
             "Compute Instance", "Linux", "Dedicated", "8") "," PRODUCT("Compute Instance", "Linux", "Shared",
                                                                        "0.1") "]}");
    t = only(provider, &types);
    assert_string_equal(t->name.ptr, "zz9.large");
    assert_int_equal(t->offering_count, 4);
    static const char *const zones[] = { "ap-south-1a", "ap-south-1a", "ap-south-1b", "ap-south-1b" };
    for (size_t i = 0; i < 4; i++) {
        const karp_offering *o = &t->offerings[i];
        assert_string_equal(value_of(o->requirements, o->requirement_count, "topology.kubernetes.io/zone"), zones[i]);
        assert_true(o->price == 0.1 && o->available); /* spot, too, before its prices are known */
    }
    assert_string_equal(amount_of(t, "memory"), "7577Mi");
    assert_string_equal(amount_of(t, "pods"), "29");
    assert_string_equal(
        value_of(t->requirements, t->requirement_count, "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz"),
        "3100");
    /* The latest entry counts; a zone without one has no price. */
    load(provider, "spot-prices",
         "{\"SpotPriceHistory\":[" SPOT("ap-south-1b", "0.05", "2026-01-02T00:00:00Z") "," SPOT(
             "ap-south-1b", "0.01", "2026-01-01T00:00:00Z") "]}");
    t = only(provider, &types);
    assert_true(!t->offerings[1].available && t->offerings[1].awaits_price);
    assert_true(t->offerings[3].available && t->offerings[3].price == 0.05);
    load(provider, "limits",
         "{\"zz9.large\":{\"isTrunkingCompatible\":true,\"branchInterface\":9,\"ipv4PerInterface\":10}}");
    load(provider, "discovered-memory", "{\"zz9.large\":\"7000Mi\"}");
    t = only(provider, &types);
    assert_string_equal(amount_of(t, "memory"), "7000Mi");
    assert_string_equal(amount_of(t, "vpc.amazonaws.com/pod-eni"), "9");
    load(provider, "discovered-memory", "{\"zz9.large\":\"7100Mi\",\"other\":\"1Gi\"}"); /* the least that was seen */
    assert_string_equal(amount_of(only(provider, &types), "memory"), "7000Mi");
    karp_catalogue_unref(types);
    karp_provider_close(provider);
}

static const char *memory_under(karp_provider *p, const char *node_class, karp_catalogue **types)
{
    karp_provider_class *c = NULL;
    assert_int_equal(karp_provider_class_new(p, text_of("class"), text_of(node_class), &c, NULL), KARP_OK);
    karp_catalogue_unref(*types);
    assert_int_equal(karp_provider_catalogue(p, c, types, NULL), KARP_OK);
    karp_provider_class_free(c);
    for (size_t i = 0; i < karp_catalogue_count(*types); i++) {
        const karp_instance_type *t = karp_catalogue_type(*types, i);
        if (strcmp(t->name.ptr, "m5.large") == 0) return amount_of(t, "memory");
    }
    fail_msg("no m5.large");
    return NULL;
}

#define IMAGES(list) "{\"spec\":{\"amiFamily\":\"AL2\"},\"status\":{\"amis\":[" list "]}}"

/* What was seen counts for classes with just these images, in whatever order. */
static void memory_by_images(void **state)
{
    (void)state;
    karp_provider *p = open_in("us-west-2");
    karp_catalogue *types = NULL;
    load(p, "discovered-memory",
         "{\"m5.large\":[{\"images\":[\"ami-1\",\"ami-2\"],\"memory\":\"7500Mi\"},{\"images\":[\"ami-3\"],\"memory\":"
         "\"7600Mi\"},"
         "{\"images\":[\"ami-3\"],\"memory\":\"7610Mi\"}]}");
    assert_string_equal(memory_under(p, IMAGES(""), &types), "7577Mi");
    assert_string_equal(memory_under(p, IMAGES("{\"id\":\"ami-1\"}"), &types), "7577Mi");
    assert_string_equal(memory_under(p, IMAGES("{\"id\":\"ami-2\"},{\"id\":\"ami-1\"}"), &types), "7500Mi");
    assert_string_equal(memory_under(p, IMAGES("{\"id\":\"ami-1\"},{\"id\":\"ami-2\"},{\"id\":\"ami-3\"}"), &types),
                        "7577Mi");
    assert_string_equal(memory_under(p, IMAGES("{\"id\":\"ami-3\"}"), &types), "7600Mi");
    load(p, "discovered-memory", "{\"m5.large\":\"7550Mi\"}"); /* whatever the images; what was known stays */
    assert_string_equal(memory_under(p, IMAGES("{\"id\":\"ami-3\"}"), &types), "7550Mi");
    assert_string_equal(memory_under(p, IMAGES("{\"id\":\"ami-1\"},{\"id\":\"ami-2\"}"), &types), "7500Mi");
    karp_catalogue_unref(types);
    karp_provider_close(p);
}

/* A class fits types with ENA and its kind of placement group; descriptions tell which have them. */
static void bounds_of_types(void **state)
{
    (void)state;
    static const char *const classes[] = {
        "{\"spec\":{\"networkInterfaces\":[{\"networkCardIndex\":0,\"deviceIndex\":0}]}}",
        "{\"spec\":{\"networkInterfaces\":[]}}",
        "{\"spec\":{\"cpuOptions\":{\"nestedVirtualization\":\"enabled\"}}}",
        "{\"status\":{\"placementGroup\":{\"id\":\"pg\",\"strategy\":\"partition\",\"partitionCount\":1}}}",
        "{\"status\":{\"placementGroup\":{\"id\":\"pg\",\"strategy\":\"spread\"}}}",
    };
    for (size_t able = 0; able < 2; able++) {
        karp_provider *p = open_in("ap-south-1");
        load(p, "types",
             able ? TYPE("\"ProcessorInfo\":{\"SupportedArchitectures\":[\"x86_64\"],\"SupportedFeatures\":[\"amd-sev-"
                         "snp\",\"nested-virtualization\"]}," CPUS "," MEMORY "," NETWORK
                         ",\"PlacementGroupInfo\":{\"SupportedStrategies\":[\"partition\",\"spread\"]}")
                  : TYPE(PROCESSOR "," CPUS "," MEMORY
                                   ",\"NetworkInfo\":{\"MaximumNetworkInterfaces\":3,\"Ipv4AddressesPerInterface\":10,"
                                   "\"EnaSupport\":\"unsupported\"},\"PlacementGroupInfo\":{\"SupportedStrategies\":["
                                   "\"cluster\"]}"));
        load(p, "offerings", OFFERS);
        load(p, "on-demand-prices", "{\"PriceList\":[" PRODUCT("Compute Instance", "Linux", "Shared", "0.1") "]}");
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
            karp_provider_class *c = NULL;
            karp_catalogue *types = NULL;
            assert_int_equal(karp_provider_class_new(p, text_of("class"), text_of(classes[i]), &c, NULL), KARP_OK);
            assert_int_equal(karp_provider_catalogue(p, c, &types, NULL), KARP_OK);
            assert_int_equal(karp_catalogue_type(types, 0)->offerings[0].available, able);
            karp_catalogue_unref(types);
            karp_provider_class_free(c);
        }
        karp_provider_close(p);
    }
}

/* New facts of a region that is built in: what they do not tell stays. */
static void partly(void **state)
{
    (void)state;
    karp_provider *provider = open_in("us-west-2");
    karp_catalogue *before = NULL, *after = NULL;
    assert_int_equal(karp_provider_catalogue(provider, NULL, &before, NULL), KARP_OK);
    load(provider, "offerings",
         "{\"InstanceTypeOfferings\":[{\"InstanceType\":\"m5.large\",\"Location\":\"us-west-2b\"}]}");
    const karp_instance_type *t = only(provider, &after);
    assert_true(karp_catalogue_count(before) > 1000); /* the old one is its holder's own */
    assert_string_equal(t->name.ptr, "m5.large");
    assert_int_equal(t->offering_count, 2);
    assert_true(t->offerings[0].price == 0.096);
    assert_true(t->offerings[1].price > 0 && t->offerings[1].price < 0.096); /* the spot price of that zone */
    karp_catalogue_unref(before);
    karp_catalogue_unref(after);
    karp_provider_close(provider);
}

/* Each network card has its own number of interfaces; an index that is no card's fits no class that uses it. */
static void network_cards(void **state)
{
    (void)state;
    static const char cards[] = "\"NetworkInfo\":{\"MaximumNetworkInterfaces\":9,\"Ipv4AddressesPerInterface\":10,"
                                "\"DefaultNetworkCardIndex\":0,"
                                "\"EfaInfo\":{\"MaximumEfaInterfaces\":2},\"NetworkCards\":[{\"NetworkCardIndex\":0,"
                                "\"MaximumNetworkInterfaces\":3},"
                                "{\"NetworkCardIndex\":1,\"MaximumNetworkInterfaces\":1},{\"NetworkCardIndex\":3,"
                                "\"MaximumNetworkInterfaces\":2}]}";
    static const struct {
        const char *interfaces, *pods;
        int fits;
    } cases[] = {
        { "{\"networkCardIndex\":0,\"deviceIndex\":2}", "29", 1 },
        { "{\"networkCardIndex\":0,\"deviceIndex\":3}", "29", 0 },
        { "{\"networkCardIndex\":1,\"deviceIndex\":0}", "29", 1 },
        { "{\"networkCardIndex\":1,\"deviceIndex\":1}", "29", 0 },
        { "{\"networkCardIndex\":2,\"deviceIndex\":0}", "29", 0 },
        { "{\"networkCardIndex\":3,\"deviceIndex\":1}", "29", 0 }, /* three cards have the indices 0 to 2 */
        /* Pods have the addresses of the default card; what is for EFA alone there has none, elsewhere it takes none
           away. */
        { "{\"networkCardIndex\":0,\"deviceIndex\":1,\"interfaceType\":\"efa-only\"}", "20", 1 },
        { "{\"networkCardIndex\":1,\"deviceIndex\":0,\"interfaceType\":\"efa-only\"}", "29", 1 },
    };
    char facts[2048];
    karp_provider *p = open_in("ap-south-1");
    snprintf(facts, sizeof facts, TYPE(PROCESSOR "," CPUS "," MEMORY ",%s"), cards);
    load(p, "types", facts);
    load(p, "offerings", OFFERS);
    load(p, "on-demand-prices", "{\"PriceList\":[" PRODUCT("Compute Instance", "Linux", "Shared", "0.1") "]}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char document[512];
        karp_provider_class *c = NULL;
        karp_catalogue *types = NULL;
        snprintf(document, sizeof document,
                 "{\"spec\":{\"networkInterfaces\":[%s]},\"status\":{\"subnets\":[{\"id\":\"s\",\"zone\":\"ap-south-"
                 "1a\"}]}}",
                 cases[i].interfaces);
        assert_int_equal(karp_provider_class_new(p, text_of("class"), text_of(document), &c, NULL), KARP_OK);
        assert_int_equal(karp_provider_catalogue(p, c, &types, NULL), KARP_OK);
        const karp_instance_type *t = karp_catalogue_type(types, 0);
        if ((int)t->offerings[0].available != cases[i].fits) fail_msg("%s", cases[i].interfaces);
        assert_string_equal(amount_of(t, "pods"), cases[i].pods);
        karp_catalogue_unref(types);
        karp_provider_class_free(c);
    }
    karp_provider_close(p);
}

static void bad_facts(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *text, *field;
    } cases[] = {
        { "colours", "{}", "kind" },
        { "types", "[]", "" },
        { "types", "{", "" },
        { "types", "{}", "InstanceTypes" },
        { "types", "{\"InstanceTypes\":[1]}", "InstanceTypes[0]" },
        { "types", TYPE(PROCESSOR "," MEMORY "," NETWORK), "InstanceTypes[0].VCpuInfo" },
        { "types", TYPE(PROCESSOR ",\"VCpuInfo\":{\"DefaultVCpus\":-2}," MEMORY "," NETWORK),
          "InstanceTypes[0].DefaultVCpus" },
        { "types", TYPE(PROCESSOR ",\"VCpuInfo\":{\"DefaultVCpus\":\"2\"}," MEMORY "," NETWORK),
          "InstanceTypes[0].DefaultVCpus" },
        { "types", TYPE(PROCESSOR "," CPUS ",\"MemoryInfo\":{}," NETWORK), "InstanceTypes[0].SizeInMiB" },
        { "types", TYPE(PROCESSOR "," CPUS "," MEMORY), "InstanceTypes[0].NetworkInfo" },
        { "types",
          TYPE(PROCESSOR "," CPUS "," MEMORY
                         ",\"NetworkInfo\":{\"MaximumNetworkInterfaces\":3,\"Ipv4AddressesPerInterface\":70000}"),
          "InstanceTypes[0].NetworkInfo" },
        { "types",
          TYPE(PROCESSOR
               "," CPUS "," MEMORY
               ",\"NetworkInfo\":{\"MaximumNetworkInterfaces\":3,\"Ipv4AddressesPerInterface\":10,\"NetworkCards\":["
               "{\"NetworkCardIndex\":64,\"MaximumNetworkInterfaces\":3}]}"),
          "InstanceTypes[0].NetworkInfo.NetworkCards" },
        { "types", TYPE(CPUS "," MEMORY "," NETWORK), "InstanceTypes[0].ProcessorInfo" },
        { "types",
          TYPE(PROCESSOR "," CPUS "," MEMORY "," NETWORK ",\"GpuInfo\":{\"Gpus\":[{\"Name\":\"T4\",\"Count\":-1}]}"),
          "InstanceTypes[0].Count" },
        { "types", TYPE(PROCESSOR "," CPUS "," MEMORY "," NETWORK ",\"InstanceStorageInfo\":{\"TotalSizeInGB\":-75}"),
          "InstanceTypes[0].TotalSizeInGB" },
        { "offerings", "{}", "InstanceTypeOfferings" },
        { "offerings", "{\"InstanceTypeOfferings\":[{\"Location\":\"us-west-2a\"}]}",
          "InstanceTypeOfferings[0].InstanceType" },
        { "offerings", "{\"InstanceTypeOfferings\":[{\"InstanceType\":\"m5.large\",\"Location\":\"eu-west-1a\"}]}",
          "InstanceTypeOfferings[0].Location" },
        { "offerings",
          "{\"InstanceTypeOfferings\":[{\"InstanceType\":\"m5.large\",\"LocationType\":\"region\",\"Location\":\"us-"
          "west-2a\"}]}",
          "InstanceTypeOfferings[0].LocationType" },
        { "on-demand-prices", "{\"PriceList\":[]}", "PriceList" },
        { "on-demand-prices", "{}", "products" },
        { "on-demand-prices", "{\"PriceList\":[\"no JSON\"]}", "PriceList[0]" },
        { "spot-prices", "{}", "SpotPriceHistory" },
        { "spot-prices",
          "{\"SpotPriceHistory\":[{\"InstanceType\":\"m5.large\",\"AvailabilityZone\":\"us-west-2a\",\"SpotPrice\":\"-"
          "1\"}]}",
          "SpotPriceHistory[0].SpotPrice" },
        { "spot-prices", "{\"SpotPriceHistory\":[{\"InstanceType\":\"m5.large\",\"AvailabilityZone\":\"us-west-2a\"}]}",
          "SpotPriceHistory[0].SpotPrice" },
        { "limits", "{\"m5.large\":{\"branchInterface\":-1}}", "m5.large.branchInterface" },
        { "discovered-memory", "{\"m5.large\":\"lots\"}", "m5.large" },
        { "discovered-memory", "{\"m5.large\":\"-1Gi\"}", "m5.large" },
        { "discovered-memory", "{\"m5.large\":[{\"memory\":\"1Gi\"}]}", "m5.large[0].images" },
        { "discovered-memory", "{\"m5.large\":[{\"images\":[7],\"memory\":\"1Gi\"}]}", "m5.large[0].images" },
        { "discovered-memory", "{\"m5.large\":[{\"images\":[\"a\"],\"memory\":\"0\"}]}", "m5.large[0].memory" },
    };
    karp_provider *provider = open_in("us-west-2");
    karp_catalogue *before = NULL, *after = NULL;
    assert_int_equal(karp_provider_catalogue(provider, NULL, &before, NULL), KARP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_error error;
        karp_error_init(&error, sizeof error);
        karp_status status = karp_provider_load_facts(provider, text_of(cases[i].kind), text_of("facts.json"),
                                                      text_of(cases[i].text), &error);
        if (status != KARP_E_INVALID || strcmp(error.field, cases[i].field) != 0 ||
            strcmp(error.document, "facts.json") != 0) {
            fail_msg("%s %s: %s, %s %s", cases[i].kind, cases[i].text, karp_status_name(status), error.field,
                     error.message);
        }
    }
    /* None of it left a trace. */
    assert_int_equal(karp_provider_catalogue(provider, NULL, &after, NULL), KARP_OK);
    assert_ptr_equal(before, after);
    karp_catalogue_unref(before);
    karp_catalogue_unref(after);
    karp_provider_close(provider);
}

static void refused_memory(void **state)
{
    (void)state;
    static const char seen[] = "{\"zz9.large\":[{\"images\":[\"ami-1\"],\"memory\":\"7000Mi\"}]}";
    fault f;
    memset(&f, 0, sizeof f);
    karp_context *own = fault_context(&f);
    for (int keep = 0; keep < 2; keep++) {
        karp_status status = KARP_E_NOMEM;
        for (size_t at = 1; status != KARP_OK; at += at < 16 ? 1 : at / 4) {
            karp_provider *provider = NULL;
            size_t live = f.live_blocks;
            fault_arm(&f, at, keep);
            status = karp_provider_open(own, text_of("aws"), NULL, &provider, NULL);
            if (status == KARP_OK)
                status = karp_provider_load_facts(provider, text_of("types"), text_of("f"), text_of(GOOD), NULL);
            if (status == KARP_OK)
                status = karp_provider_load_facts(provider, text_of("discovered-memory"), text_of("f"), text_of(seen),
                                                  NULL);
            if (status == KARP_OK)
                status = karp_provider_load_facts(provider, text_of("discovered-memory"), text_of("f"), text_of(seen),
                                                  NULL);
            fault_arm(&f, 0, false);
            if (status != KARP_OK) assert_int_equal(status, KARP_E_NOMEM);
            karp_provider_close(provider);
            assert_int_equal(f.live_blocks, live);
        }
    }
    karp_context_unref(own);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

/* Facts of types, of which none is for this scheduler, leave no types, also when more facts follow: not those that are
 * built in. */
static void no_types(void **state)
{
    (void)state;
    karp_provider *provider = open_in("us-west-2");
    karp_catalogue *types = NULL;
    load(provider, "types",
         TYPE("\"ProcessorInfo\":{\"SupportedArchitectures\":[\"i386\"]}," CPUS "," MEMORY "," NETWORK));
    load(provider, "spot-prices", "{\"SpotPriceHistory\":[" SPOT("us-west-2b", "0.05", "2026-01-02T00:00:00Z") "]}");
    assert_int_equal(karp_provider_catalogue(provider, NULL, &types, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_count(types), 0);
    karp_catalogue_unref(types);
    karp_provider_close(provider);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(region_from_files), cmocka_unit_test(memory_by_images),
                                        cmocka_unit_test(bounds_of_types),   cmocka_unit_test(partly),
                                        cmocka_unit_test(network_cards),     cmocka_unit_test(bad_facts),
                                        cmocka_unit_test(refused_memory),    cmocka_unit_test(no_types) };
    return cmocka_run_group_tests_name("aws facts", tests, set_up, tear_down);
}
