/* SPDX-License-Identifier: Apache-2.0 */
/* Azure: another cloud's arithmetic and names, behind the same table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <karp/provider.h>
#include <providers/azure/azure.h>
#include <support/plain.h>

static void names(void **state)
{
    (void)state;
    azure_name n;
    assert_true(azure_name_read("Standard_E4-2ads_v5", &n));
    assert_true(same(n.family, text_of("E")) && same(n.features, text_of("ads")) && same(n.version, text_of("5")));
    assert_true(n.vcpus == 4 && n.used == 2 && n.premium && n.local_disk && !n.arm64);
    assert_true(azure_name_read("Standard_NC24", &n));
    assert_true(same(n.family, text_of("NC")) && n.used == 24 && same(n.version, text_of("1")));
    assert_true(azure_name_read("Standard_D2ps_v5", &n) && n.arm64);
    static const char *const bad[] = { "",         "Standard_",        "Standard_D",      "Standard_D2s_v",
                                       "Basic_A1", "Standard_D2s_v5x", "Standard_D0s_v5", "Standard_D4-0s_v5" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(azure_name_read(bad[i], &n));
    for (size_t i = 0; i < azure_size_count; i++) {
        assert_true(azure_name_read(azure_sizes[i].name, &n));
        assert_int_equal(n.vcpus, azure_sizes[i].vcpus);
        assert_int_equal(n.local_disk, azure_sizes[i].temporary_gb > 0);
        if (i > 0) assert_true(strcmp(azure_sizes[i - 1].name, azure_sizes[i].name) < 0);
    }
}

/* 6/4/2/1 % of the cores at 1, 2 and 4; 25/20/10/6/2 % of the memory at 4, 8, 16 and 128 GiB. */
static void brackets(void **state)
{
    (void)state;
    static const struct {
        int64_t vcpus, milli;
    } cores[] = { { 1, 60 }, { 2, 100 }, { 4, 140 }, { 8, 180 }, { 64, 740 } };
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        assert_int_equal(azure_reserved_cpu(cores[i].vcpus), cores[i].milli);
    static const struct {
        double gib;
        int64_t mib;
    } memory[] = { { 4, 1024 }, { 8, 1843 }, { 16, 2662 }, { 32, 3645 }, { 128, 9543 }, { 256, 12165 } };
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        assert_int_equal(azure_reserved_memory(memory[i].gib), memory[i].mib);
    assert_int_equal(azure_memory(8, 0.075), 7945689497);
}

static karp_provider *open_with(const char *region, const char *setting, const char *value, karp_status want)
{
    karp_provider *provider = NULL;
    karp_provider_options options;
    const karp_label one = { text_of(setting), text_of(value) };
    karp_provider_options_init(&options, sizeof options);
    options.region = text_of(region);
    options.settings = &one;
    options.setting_count = setting[0] != '\0';
    assert_int_equal(karp_provider_open(context, text_of("azure"), &options, &provider, NULL), want);
    return provider;
}

static const karp_instance_type *find(const karp_catalogue *types, const char *name, size_t *index)
{
    for (*index = 0; *index < karp_catalogue_count(types); ++*index) {
        if (strcmp(karp_catalogue_type(types, *index)->name.ptr, name) == 0) return karp_catalogue_type(types, *index);
    }
    fail_msg("no %s", name);
    abort();
}

static const char *amount(const karp_resource *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name.ptr, name) == 0) return list[i].text.ptr;
    }
    return "";
}

static const char *allocatable(karp_provider *provider, const karp_provider_class *class_, const char *type,
                               const char *resource)
{
    static char text[64];
    karp_catalogue *types = NULL;
    size_t index, count;
    assert_int_equal(karp_provider_catalogue(provider, class_, &types, NULL), KARP_OK);
    (void)find(types, type, &index);
    const karp_resource *list = karp_catalogue_allocatable(types, index, &count);
    (void)snprintf(text, sizeof text, "%s", amount(list, count, resource));
    karp_catalogue_unref(types);
    return text;
}

static void amounts(void **state)
{
    (void)state;
    karp_provider *p = open_with("", "", "", KARP_OK);
    karp_provider_class *c = NULL;
    assert_string_equal(allocatable(p, NULL, "Standard_D2s_v5", "cpu"), "1900m");
    assert_string_equal(allocatable(p, NULL, "Standard_D2s_v5", "memory"),
                        "5226731929"); /* 7945689497 - 1843Mi - 750Mi */
    assert_string_equal(allocatable(p, NULL, "Standard_D2s_v5", "pods"), "250");
    assert_string_equal(allocatable(p, NULL, "Standard_D2s_v5", "ephemeral-storage"), "128G");
    assert_int_equal(
        karp_provider_class_new(p, text_of("c"),
                                text_of("{\"spec\":{\"maxPods\":30,\"osDiskSizeGB\":64,\"imageFamily\":\"Ubuntu\"}}"),
                                &c, NULL),
        KARP_OK);
    assert_string_equal(allocatable(p, c, "Standard_D2s_v5", "pods"), "30");
    assert_string_equal(allocatable(p, c, "Standard_D2s_v5", "ephemeral-storage"), "64G");
    karp_provider_class_free(c);
    karp_provider_close(p);
    p = open_with("", "networkPlugin", "kubenet", KARP_OK);
    assert_string_equal(allocatable(p, NULL, "Standard_D2s_v5", "pods"), "110");
    karp_provider_close(p);
    p = open_with("", "vmMemoryOverheadPercent", "0.5", KARP_OK);
    assert_string_equal(allocatable(p, NULL, "Standard_E2s_v5", "memory"), "5012193280"); /* 8Gi - 2662Mi - 750Mi */
    karp_provider_close(p);
}

/* Zones have numbers behind the region; a price that is not known is dear, but to be had. */
static void offerings(void **state)
{
    (void)state;
    karp_provider *p = open_with("westeurope", "", "", KARP_OK);
    karp_catalogue *types = NULL;
    karp_error error;
    size_t index;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_provider_catalogue(p, NULL, &types, NULL), KARP_OK);
    const karp_instance_type *t = find(types, "Standard_D2s_v5", &index);
    assert_int_equal(t->offering_count, 6);
    assert_string_equal(t->offerings[2].requirements[1].values[0].ptr, "westeurope-2");
    for (size_t i = 0; i < 6; i++) assert_true(t->offerings[i].price == 999 && t->offerings[i].available);
    karp_catalogue_unref(types);
#define ITEM(region, sku, product, price)                                                                              \
    "{\"armRegionName\":\"" region "\",\"armSkuName\":\"Standard_D2s_v5\",\"skuName\":\"" sku                          \
    "\",\"productName\":\"" product "\",\"type\":"                                                                     \
    "\"Consumption\",\"retailPrice\":" price "}"
    static const char prices[] = "{\"Items\":[" ITEM(
        "westeurope", "D2s v5", "Virtual Machines Dsv5 Series",
        "0.115") "," ITEM("westeurope", "D2s v5 Spot", "Virtual Machines Dsv5 Series",
                          "0.0123") "," ITEM("westeurope", "D2s v5", "Virtual Machines Dsv5 Series Windows",
                                             "0.2") "," ITEM("eastus", "D2s v5", "Virtual Machines Dsv5 Series",
                                                             "0.096") "," ITEM("westeurope", "D2s v5 Low Priority",
                                                                               "Virtual Machines Dsv5 Series",
                                                                               "0.02") "]}";
    assert_int_equal(karp_provider_load_facts(p, text_of("prices"), text_of("p.json"), text_of(prices), NULL), KARP_OK);
    assert_int_equal(karp_provider_catalogue(p, NULL, &types, NULL), KARP_OK);
    t = find(types, "Standard_D2s_v5", &index);
    assert_true(t->offerings[0].price == 0.115 && t->offerings[1].price == 0.0123);
    karp_catalogue_unref(types);
    static const char *const bad[] = { "{}", "{\"Items\":[]}", "{\"Items\":[{\"armSkuName\":\"a\"}]}",
                                       "{\"Items\":[{\"retailPrice\":-1}]}",
                                       "{\"Items\":[{\"retailPrice\":\"cheap\"}]}" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(karp_provider_load_facts(p, text_of("prices"), text_of("p.json"), text_of(bad[i]), &error),
                         KARP_E_INVALID);
    }
    assert_int_equal(karp_provider_load_facts(p, text_of("prices"), text_of("p.json"), text_of("no JSON"), &error),
                     KARP_E_SYNTAX);
    assert_int_equal(karp_provider_load_facts(p, text_of("sizes"), text_of("p.json"), text_of("{}"), &error),
                     KARP_E_INVALID);
    karp_provider_close(p);
}

static void marks_by_family(void **state)
{
    (void)state;
    karp_provider *p = open_with("", "", "", KARP_OK);
    karp_provider_scope family = { .size = sizeof family,
                                   .capacity_type = text_of("on-demand"),
                                   .family = text_of("D") };
    assert_int_equal(karp_provider_mark(p, &family, 0, 10, NULL), KARP_OK);
    karp_catalogue *types = NULL;
    size_t index;
    assert_int_equal(karp_provider_catalogue(p, NULL, &types, NULL), KARP_OK);
    assert_false(find(types, "Standard_D2s_v5", &index)->offerings[0].available);
    assert_true(find(types, "Standard_D2s_v5", &index)->offerings[1].available); /* spot has a quota of its own */
    assert_true(find(types, "Standard_E2s_v5", &index)->offerings[0].available);
    karp_catalogue_unref(types);
    karp_provider_expire(p, 10);
    assert_int_equal(karp_provider_catalogue(p, NULL, &types, NULL), KARP_OK);
    assert_true(find(types, "Standard_D2s_v5", &index)->offerings[0].available);
    karp_catalogue_unref(types);
    family.subnet = text_of("s");
    assert_int_equal(karp_provider_mark(p, &family, 0, 10, NULL), KARP_E_INVALID);
    karp_provider_close(p);
}

static void drift(void **state)
{
    (void)state;
    karp_provider *p = open_with("", "", "", KARP_OK);
    karp_provider_class *a = NULL, *b = NULL;
    karp_provider_memory *memory = NULL;
    karp_str version, hash, other, reason;
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    assert_int_equal(karp_provider_class_new(
                         p, text_of("c"),
                         text_of("{\"metadata\":{\"name\":\"a\"},\"spec\":{\"maxPods\":30,\"tags\":{\"x\":\"1\"}}}"),
                         &a, NULL),
                     KARP_OK);
    assert_int_equal(karp_provider_class_new(
                         p, text_of("c"),
                         text_of("{\"metadata\":{\"name\":\"b\"},\"spec\":{\"tags\":{\"x\":\"1\"},\"maxPods\":30}}"),
                         &b, NULL),
                     KARP_OK);
    assert_int_equal(karp_provider_class_hash(p, a, memory, &version, &hash, NULL), KARP_OK);
    assert_int_equal(karp_provider_class_hash(p, b, memory, &version, &other, NULL), KARP_OK);
    assert_true(same(hash, other));
    karp_label annotations[] = { { text_of("karpenter.azure.com/aksnodeclass-hash-version"), version },
                                 { text_of("karpenter.azure.com/aksnodeclass-hash"), hash } };
    karp_provider_node node = { .size = sizeof node, .annotations = annotations, .annotation_count = 2 };
    assert_int_equal(karp_provider_drift(p, a, &node, memory, &reason, NULL), KARP_OK);
    assert_int_equal(reason.len, 0);
    annotations[1].value = text_of("1");
    assert_int_equal(karp_provider_drift(p, a, &node, memory, &reason, NULL), KARP_OK);
    assert_string_equal(reason.ptr, "NodeClassDrift");
    karp_provider_class_free(a);
    karp_provider_class_free(b);
    karp_provider_memory_free(memory);
    karp_provider_close(p);
}

static void bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *document, *field;
    } cases[] = { { "{\"spec\":{\"osDiskSizeGB\":5}}", "spec.osDiskSizeGB" },
                  { "{\"spec\":{\"osDiskSizeGB\":\"64\"}}", "spec.osDiskSizeGB" },
                  { "{\"spec\":{\"maxPods\":1000}}", "spec.maxPods" },
                  { "{\"spec\":{\"maxPods\":-1}}", "spec.maxPods" },
                  { "{\"spec\":{\"imageFamily\":\"Plan9\"}}", "spec.imageFamily" } };
    karp_provider *p = open_with("", "", "", KARP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_provider_class *c = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_provider_class_new(p, text_of("c"), text_of(cases[i].document), &c, &error),
                         KARP_E_INVALID);
        assert_string_equal(error.field, cases[i].field);
    }
    karp_provider_close(p);
    assert_null(open_with("", "networkPlugin", "token-ring", KARP_E_INVALID));
    assert_null(open_with("", "vmMemoryOverheadPercent", "1.5", KARP_E_INVALID));
    assert_null(open_with("", "reservedENIs", "1", KARP_E_INVALID));
    assert_null(open_with("a-region-with-a-name-that-is-far-too-long", "", "", KARP_E_NOT_FOUND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),     cmocka_unit_test(brackets),        cmocka_unit_test(amounts),
        cmocka_unit_test(offerings), cmocka_unit_test(marks_by_family), cmocka_unit_test(drift),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests_name("azure", tests, set_up, tear_down);
}
