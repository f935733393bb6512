/* SPDX-License-Identifier: Apache-2.0 */
/* Azure: names, facts, node classes, marks and drift. Amounts, labels and choices are held to golden answers:
 * test_clouds_golden.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <providers/azure/types.h> /* before cmocka, whose macros are named as functions in it are */

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/provider.h>
#include <support/fault.h>
#include <support/plain.h>

#define HEAD "karp-facts azure 1\nas-of 2026-01-01\nregions eastus:123 atlantis:\n"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *family, *sub, *features, *accelerator, *version;
        bool constrained;
    } good[] = {
        { "Standard_D2s_v5", "D", "", "s", "", "v5", false },
        { "Standard_E4-2ads_v5", "E", "", "ads", "", "v5", true },
        { "Standard_NC24ads_A100_v4", "N", "C", "ads", "A100", "v4", false },
        { "Standard_NC24", "N", "C", "", "", "", false },
        { "Standard_NC24_Promo", "N", "C", "", "", "", false },
        { "Standard_ND96isr_MI300X_v5", "N", "D", "isr", "", "v5", false },
        { "Standard_ND96isr_H100_v5", "N", "D", "isr", "H100", "v5", false },
        { "Standard_NC144ds_xl_RTXPRO6000BSE_v6", "N", "C", "ds", "RTXPRO6000BSE", "v6", false },
        { "Standard_DC2as_cc_v5", "D", "C", "as", "", "v5", false },
        { "Standard_M416s_8_v2", "M", "", "s", "", "v2", false },
        { "Basic_A1", "A", "", "", "", "", false },
    };
    static const char *const bad[] = { "",           "Standard_",      "Standard_D",
                                       "D2s_v5",     "Standard_D2s_v", "Standard_D2s_v5x",
                                       "Standard_2s" };
    azure_name n;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(azure_name_read(text_of(good[i].name), &n));
        assert_true(same(n.family, text_of(good[i].family)) && same(n.sub, text_of(good[i].sub)));
        assert_true(same(n.features, text_of(good[i].features)) && same(n.version, text_of(good[i].version)));
        assert_true(same(n.accelerator, text_of(good[i].accelerator)));
        assert_int_equal(n.constrained, good[i].constrained);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(azure_name_read(text_of(bad[i]), &n));
    assert_true(azure_name_barred(text_of("Standard_DC2as_v5")) && azure_name_barred(text_of("Standard_B1s")));
    assert_false(azure_name_barred(text_of("Standard_D2s_v5")));
    uint32_t flags;
    assert_true(azure_gpu_find(text_of("Standard_NC24ads_A100_v4"), &flags) && flags & AZURE_GPU_AZURELINUX);
    assert_true(azure_gpu_find(text_of("Standard_NV8ads_V710_v5"), &flags) && flags & AZURE_GPU_AMD);
    assert_false(azure_gpu_find(text_of("Standard_NP10s"), &flags));
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
    assert_int_equal(azure_memory(8.75, 0.075), 7945689497);
}

/* ---- settings and facts ------------------------------------------------------------------------------------------ */

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

static karp_catalogue *types_of(karp_provider *p, const karp_provider_class *c)
{
    karp_catalogue *types = NULL;
    assert_int_equal(karp_provider_catalogue(p, c, &types, NULL), KARP_OK);
    return types;
}

static const karp_instance_type *find(const karp_catalogue *types, const char *name)
{
    for (size_t i = 0; i < karp_catalogue_count(types); i++) {
        if (same(karp_catalogue_type(types, i)->name, text_of(name))) return karp_catalogue_type(types, i);
    }
    return NULL;
}

static const char *pods_of(karp_provider *p)
{
    static char text[64];
    karp_catalogue *types = types_of(p, NULL);
    const karp_instance_type *t = find(types, "Standard_D2s_v5");
    (void)snprintf(text, sizeof text, "%s", t->capacity[2].text.ptr);
    karp_catalogue_unref(types);
    return text;
}

static void settings(void **state)
{
    (void)state;
    static const char *const plugins[][2] = {
        { "azure", "30" }, { "azure-overlay", "250" }, { "none", "250" }, { "kubenet", "110" }
    };
    for (size_t i = 0; i < 4; i++) {
        karp_provider *p = open_with("", "networkPlugin", plugins[i][0], KARP_OK);
        assert_string_equal(pods_of(p), plugins[i][1]);
        karp_provider_close(p);
    }
    assert_null(open_with("", "networkPlugin", "token-ring", KARP_E_INVALID));
    assert_null(open_with("", "vmMemoryOverheadPercent", "1.5", KARP_E_INVALID));
    assert_null(open_with("", "prices", "none", KARP_E_INVALID));
    assert_null(open_with("", "reservedENIs", "1", KARP_E_INVALID));
    assert_null(open_with("a-region-with-a-name-that-is-far-too-long-for-any", "", "", KARP_E_NOT_FOUND));
}

static void prices_by_setting(void **state)
{
    (void)state;
    karp_provider *p = open_with("", "prices", "initial", KARP_OK);
    karp_catalogue *types = types_of(p, NULL);
    const karp_instance_type *t = find(types, "Standard_D2s_v5");
    assert_int_equal(t->offering_count, 8); /* three zones, and none */
    assert_true(t->offerings[0].price == 0.096 && t->offerings[1].price == 0.096);
    karp_catalogue_unref(types);
    karp_provider_close(p);
    p = open_with("", "", "", KARP_OK);
    types = types_of(p, NULL);
    t = find(types, "Standard_D2s_v5");
    assert_true(t->offerings[0].price == 0.096 && t->offerings[1].price < 0.05);
    karp_catalogue_unref(types);
    karp_provider_close(p);
}

static karp_status load(karp_provider *p, const char *kind, const char *text, karp_error *error)
{
    return karp_provider_load_facts(p, text_of(kind), text_of("facts"), text_of(text), error);
}

static void bad_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
        uint32_t line;
    } cases[] = {
        { "karp-facts gcp 1\n", "", 1 },
        { "karp-facts azure 1\nregions eastus:ab\nend 0\n", "regions", 2 },
        { HEAD "Standard_D2s_v5|f|2|8|||||\n", "end", 4 },
        { HEAD "D2s_v5|f|2|8||||/1//|\nend 1\n", "name", 4 },
        { HEAD "Standard_D2s_v5|f|two|8||||/1//|\nend 1\n", "vcpus", 4 },
        { HEAD "Standard_D2s_v5|f|2|-8||||/1//|\nend 1\n", "memory", 4 },
        { HEAD "Standard_D2s_v5|f|2|8|?|||/1//|\nend 1\n", "flags", 4 },
        { HEAD "Standard_D2s_v5|f|2|8||x||/1//|\nend 1\n", "GPUs", 4 },
        { HEAD "Standard_D2s_v5|f|2|8|||x|/1//|\nend 1\n", "ephemeral OS disk", 4 },
        { HEAD "Standard_D2s_v5|f|2|8||||4/1//|\nend 1\n", "zones", 4 },
        { HEAD "Standard_D2s_v5|f|2|8||||/-1//|\nend 1\n", "initial price", 4 },
        { HEAD "Standard_D2s_v5|f|2|8||||/1/x/|\nend 1\n", "on-demand price", 4 },
        { HEAD "Standard_D2s_v5|f|2|8||||/1//-2|\nend 1\n", "spot price", 4 },
        { HEAD "Standard_D2s_v5|f|2|8||||/1//|\nend 7\n", "end", 5 },
    };
    karp_provider *p = open_with("eastus", "", "", KARP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(load(p, "all", cases[i].text, &error), KARP_E_INVALID);
        assert_string_equal(error.field, cases[i].field);
        assert_int_equal(error.line, cases[i].line);
    }
    assert_int_equal(load(p, "machine-types", "[]", NULL), KARP_E_INVALID);
    karp_provider_close(p);
}

/* Ultra disks, a size without zones, one without spot. */
static void places(void **state)
{
    (void)state;
    karp_provider *p = open_with("eastus", "", "", KARP_OK);
    assert_int_equal(load(p, "all",
                          HEAD "Standard_D2s_v5|f|2|8|np12|||12u01/1/2/.5|\n"
                               "Standard_D4s_v5|f|4|16|np12|||-n/1/-/|\nend 2\n",
                          NULL),
                     KARP_OK);
    karp_catalogue *types = types_of(p, NULL);
    const karp_instance_type *t = find(types, "Standard_D2s_v5");
    assert_int_equal(t->offering_count, 6);
    for (size_t i = 0; i < 6; i++) assert_int_equal(t->offerings[i].requirements[5].value_count, i < 4 ? 2 : 1);
    assert_true(t->offerings[0].price == 2 && t->offerings[1].price == 0.5);
    t = find(types, "Standard_D4s_v5");
    assert_int_equal(t->offering_count, 2);
    assert_true(t->offerings[0].price == 999 && t->offerings[0].available && !t->offerings[1].available);
    karp_catalogue_unref(types);
    karp_provider_close(p);
}

#define CAPABILITY(name, value) "{\"name\":\"" name "\",\"value\":\"" value "\"}"
#define SKU(name, location, more)                                                                                      \
    "{\"name\":\"" name "\",\"family\":\"standardDSv9Family\",\"resourceType\":\"virtualMachines\",\"capabilities\":"  \
    "[" CAPABILITY("vCPUs", "4") "," CAPABILITY("MemoryGB", "16") "," CAPABILITY(                                      \
        "LowPriorityCapable",                                                                                          \
        "True") "," CAPABILITY("EphemeralOSDiskSupported",                                                             \
                               "True") "," CAPABILITY("CachedDiskBytes", "53687091200") "],"                           \
                                                                                        "\"locationInfo\":[{"          \
                                                                                        "\"location\":\"" location     \
                                                                                        "\",\"zones\":[\"1\",\"3\"]}"  \
                                                                                        "]" more "}"
#define PRODUCT "Virtual Machines DSv9 Series"
#define ITEM(region, sku, product, price)                                                                              \
    "{\"retailPrice\":" price ",\"armRegionName\":\"" region                                                           \
    "\",\"armSkuName\":\"Standard_D4s_v9\",\"skuName\":\"" sku "\",\"productName\":\"" product                         \
    "\",\"type\":\"Consumption\"}"

#define QUOTA(family, limit, used) "{\"name\":{\"value\":\"" family "\"},\"limit\":" limit ",\"currentValue\":" used "}"

/* A family whose quota is used up has no on-demand offering left; spot has another quota, and other families have
 * theirs. */
static void quotas(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t left;
    } cases[] = { { "[" QUOTA("STANDARDDSV5FAMILY", "\"100\"", "\"98\"") "]", 0 },
                  { "[" QUOTA("standardDSv5Family", "100", "96") "]", 1 },
                  { "[" QUOTA("standardDSv5Family", "10", "96") "," QUOTA("cores", "0", "0") "]", 0 },
                  { "[" QUOTA("standardESv5Family", "0", "0") "]", 1 } };
    karp_provider *p = open_with("eastus", "", "", KARP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(load(p, "quotas", cases[i].text, NULL), KARP_OK);
        karp_catalogue *types = types_of(p, NULL);
        const karp_instance_type *t = find(types, "Standard_D4s_v5");
        for (size_t k = 0; k < t->offering_count; k++)
            assert_int_equal(t->offerings[k].available, k % 2 == 0 ? cases[i].left : 1);
        karp_catalogue_unref(types);
    }
    /* What the subscription may start stays when the sizes are loaded anew. */
    assert_int_equal(load(p, "quotas", cases[0].text, NULL), KARP_OK);
    assert_int_equal(load(p, "all", HEAD "Standard_D4s_v5|standardDSv5Family|4|16|np12|||/1/2/.5|\nend 1\n", NULL),
                     KARP_OK);
    karp_catalogue *types = types_of(p, NULL);
    assert_false(find(types, "Standard_D4s_v5")->offerings[0].available);
    karp_catalogue_unref(types);
    karp_provider_close(p);
}

static void what_azure_prints(void **state)
{
    (void)state;
    karp_provider *p = open_with("eastus", "", "", KARP_OK);
    assert_int_equal(load(p, "sizes",
                          "[" SKU("Standard_D4s_v9", "EastUS", "") "," SKU("Standard_E4s_v9", "westus", "") "," SKU(
                              "Standard_F4s_v9", "eastus", ",\"restrictions\":[{\"type\":\"Location\"}]") "]",
                          NULL),
                     KARP_OK);
    assert_int_equal(
        load(p, "prices",
             "{\"Items\":[" ITEM("eastus", "D4s v9", PRODUCT, "0.2") "," ITEM(
                 "eastus", "D4s v9 Spot", PRODUCT,
                 "0.05") "," ITEM("eastus", "D4s v9", PRODUCT " Windows",
                                  "0.4") "," ITEM("westeurope", "D4s v9", PRODUCT,
                                                  "0.3") "," ITEM("eastus", "D4s v9", "DSv9 Series Cloud Services",
                                                                  "0.384") "," ITEM("eastus", "D4s v9 Low Priority",
                                                                                    PRODUCT, "0.01") "]}",
             NULL),
        KARP_OK);
    karp_catalogue *types = types_of(p, NULL);
    assert_int_equal(karp_catalogue_count(types), 1);
    const karp_instance_type *t = find(types, "Standard_D4s_v9");
    assert_int_equal(t->offering_count, 6);
    assert_true(t->offerings[2].price == 0.2 && t->offerings[3].price == 0.05);
    assert_true(same(t->offerings[4].requirements[1].values[0], text_of("eastus-3")));
    karp_catalogue_unref(types);
    static const struct {
        const char *kind, *text;
    } bad[] = { { "sizes", "{}" },
                { "sizes", "[]" },
                { "sizes", "[" SKU("Standard_E4s_v9", "westus", "") "]" },
                { "sizes", "[" SKU("D4", "eastus", "") "]" },
                { "sizes", "[{\"name\":\"Standard_D4s_v9\",\"locationInfo\":[{\"location\":\"eastus\"}]}]" },
                { "prices", "{}" },
                { "prices", "{\"Items\":[]}" },
                { "prices", "{\"Items\":[{\"armSkuName\":\"a\"}]}" },
                { "prices", "{\"Items\":[" ITEM("eastus", "D4s v9", PRODUCT, "-1") "]}" },
                { "prices", "{\"Items\":[" ITEM("eastus", "D4s v9", PRODUCT, "\"cheap\"") "]}" },
                { "prices", "{\"Items\":[" ITEM("westus", "D4s v9", PRODUCT, "1") "]}" },
                { "prices", "no JSON" },
                { "quotas", "{}" },
                { "quotas", "[{\"limit\":1,\"currentValue\":0}]" },
                { "quotas", "[" QUOTA("F", "\"many\"", "0") "]" },
                { "quotas", "[" QUOTA("F", "1.5", "0") "]" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(load(p, bad[i].kind, bad[i].text, NULL), KARP_E_INVALID);
    karp_provider_close(p);
}

/* ---- marks and drift --------------------------------------------------------------------------------------------- */

static bool is_available(karp_provider *p, const char *name, size_t offering)
{
    karp_catalogue *types = types_of(p, NULL);
    bool answer = find(types, name)->offerings[offering].available;
    karp_catalogue_unref(types);
    return answer;
}

static void marks(void **state)
{
    (void)state;
    karp_provider *p = open_with("", "", "", KARP_OK);
    karp_provider_scope scope = { .size = sizeof scope,
                                  .capacity_type = text_of("on-demand"),
                                  .instance_type = text_of("Standard_D8s_v5") };
    /* Sizes of the family with as many vCPUs or more are gone, too; others, and spot, are not. */
    assert_int_equal(karp_provider_mark(p, &scope, 0, 10, NULL), KARP_OK);
    assert_true(is_available(p, "Standard_D4s_v5", 0) && !is_available(p, "Standard_D8s_v5", 0));
    assert_true(!is_available(p, "Standard_D16s_v5", 0) && is_available(p, "Standard_D16s_v5", 1));
    assert_true(is_available(p, "Standard_E16s_v5", 0));
    karp_provider_expire(p, 10);
    assert_true(is_available(p, "Standard_D16s_v5", 0));
    scope.instance_type = text_of("");
    scope.family = text_of("D");
    assert_int_equal(karp_provider_mark(p, &scope, 0, 10, NULL), KARP_OK);
    assert_true(!is_available(p, "Standard_D2s_v5", 0) && is_available(p, "Standard_E2s_v5", 0));
    scope.family = text_of("");
    assert_int_equal(karp_provider_mark(p, &scope, 0, 10, NULL), KARP_E_INVALID);
    scope.capacity_type = text_of("spot");
    assert_int_equal(karp_provider_mark(p, &scope, 0, 10, NULL), KARP_OK); /* all of it */
    assert_false(is_available(p, "Standard_E2s_v5", 1));
    scope.subnet = text_of("s");
    assert_int_equal(karp_provider_mark(p, &scope, 0, 10, NULL), KARP_E_INVALID);
    karp_provider_close(p);
}

static void drift(void **state)
{
    (void)state;
    karp_provider *p = open_with("", "kubeletIdentityClientID", "me", KARP_OK);
    karp_provider_class *c = NULL;
    karp_provider_memory *memory = NULL;
    karp_str reason;
    const char text[] = "{\"spec\":{},\"status\":{\"kubernetesVersion\":\"1.34.2\",\"images\":[{\"id\":\"image-1\"}]}}";
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    assert_int_equal(karp_provider_class_new(p, text_of("c"), text_of(text), &c, NULL), KARP_OK);
    /* The hash is the one of the provider's own code, of a class with the defaults. */
    karp_label annotations[] = { { text_of("karpenter.azure.com/aksnodeclass-hash-version"), text_of("v3") },
                                 { text_of("karpenter.azure.com/aksnodeclass-hash"),
                                   text_of("11637731675550486674") } };
    karp_label labels[] = { { text_of("kubernetes.azure.com/kubelet-identity-client-id"), text_of("me") } };
    karp_provider_node node = { .size = sizeof node,
                                .annotations = annotations,
                                .annotation_count = 2,
                                .labels = labels,
                                .label_count = 1,
                                .image_id = text_of("image-1") };
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_int_equal(reason.len, 0);
    node.image_id = text_of("image-0");
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_true(same(reason, text_of("ImageDrift")));
    labels[0].value = text_of("another");
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_true(same(reason, text_of("KubeletIdentityDrift")));
    node.kubelet_version = text_of("v1.34.2");
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_true(same(reason, text_of("KubeletIdentityDrift")));
    node.kubelet_version = text_of("v1.33.5");
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_true(same(reason, text_of("K8sVersionDrift")));
    annotations[1].value = text_of("1");
    assert_int_equal(karp_provider_drift(p, c, &node, memory, &reason, NULL), KARP_OK);
    assert_true(same(reason, text_of("NodeClassDrift")));
    karp_provider_class_free(c);
    karp_provider_memory_free(memory);
    karp_provider_close(p);
}

static void bad_classes(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *field;
    } cases[] = { { "\"osDiskSizeGB\":5", "spec.osDiskSizeGB" },
                  { "\"osDiskSizeGB\":4096", "spec.osDiskSizeGB" },
                  { "\"osDiskSizeGB\":\"64\"", "spec.osDiskSizeGB" },
                  { "\"maxPods\":1000", "spec.maxPods" },
                  { "\"maxPods\":-1", "spec.maxPods" },
                  { "\"imageFamily\":\"Plan9\"", "spec.imageFamily" },
                  { "\"fipsMode\":\"maybe\"", "spec.fipsMode" },
                  { "\"fipsMode\":\"FIPS\"", "spec.fipsMode" },
                  { "\"fipsMode\":\"FIPS\",\"imageFamily\":\"Ubuntu2404\"", "spec.fipsMode" },
                  { "\"fipsMode\":\"FIPS\",\"imageFamily\":\"Ubuntu2204\"", "spec.fipsMode" },
                  { "\"gpu\":{\"mode\":\"some\"}", "spec.gpu.mode" },
                  { "\"security\":1", "spec.security" },
                  { "\"security\":{\"encryptionAtHost\":1}", "spec.security.encryptionAtHost" },
                  { "\"security\":{\"trustedLaunch\":{\"vtpm\":\"y\"}}", "spec.security.trustedLaunch.vtpm" },
                  { "\"artifactStreaming\":{\"enabled\":1}", "spec.artifactStreaming.enabled" } };
    karp_provider *p = open_with("", "", "", KARP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        karp_provider_class *c = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        (void)snprintf(text, sizeof text, "{\"spec\":{%s}}", cases[i].spec);
        assert_int_equal(karp_provider_class_new(p, text_of("c"), text_of(text), &c, &error), KARP_E_INVALID);
        assert_string_equal(error.field, cases[i].field);
    }
    karp_provider_close(p);
}

/* ---- refused memory ---------------------------------------------------------------------------------------------- */

static karp_status everything(karp_context *own)
{
    static const char node_class[] = "{\"spec\":{},\"status\":{\"images\":[{\"id\":\"x\"}]}}";
    static const char *const kinds[] = { "all", "sizes", "prices" };
    static const char *const texts[] = { HEAD "Standard_D2s_v5|f|2|8||||/1//|\nend 1\n",
                                         "[" SKU("Standard_D4s_v9", "eastus", "") "]",
                                         "{\"Items\":[" ITEM("eastus", "D4s v9", PRODUCT, "0.2") "]}" };
    karp_provider *p = NULL;
    karp_provider_class *c = NULL;
    karp_catalogue *types = NULL;
    karp_status status = karp_provider_open(own, text_of("azure"), NULL, &p, NULL);
    for (size_t i = 0; i < 3 && status == KARP_OK; i++) status = load(p, kinds[i], texts[i], NULL);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),       cmocka_unit_test(brackets),
        cmocka_unit_test(settings),    cmocka_unit_test(prices_by_setting),
        cmocka_unit_test(bad_tables),  cmocka_unit_test(places),
        cmocka_unit_test(marks),       cmocka_unit_test(what_azure_prints),
        cmocka_unit_test(drift),       cmocka_unit_test(quotas),
        cmocka_unit_test(bad_classes), cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("azure", tests, set_up, tear_down);
}
