/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of every cloud as one text: written, read again, and told how they are had. */
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

static karp_provider *open_in(karp_context *own, const char *name, const char *region)
{
    karp_provider *provider = NULL;
    karp_provider_options options;
    karp_provider_options_init(&options, sizeof options);
    options.region = text_of(region);
    assert_int_equal(karp_provider_open(own, text_of(name), &options, &provider, NULL), KARP_OK);
    return provider;
}

static void load(karp_provider *p, const char *kind, const char *text)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    if (karp_provider_load_facts(p, text_of(kind), text_of("file"), text_of(text), &error) != KARP_OK)
        fail_msg("%s: line %u: %s: %s: %s", kind, error.line, error.object, error.field, error.message);
}

static karp_str write(karp_provider *p, karp_provider_memory *memory)
{
    karp_str text = { "", 0 };
    karp_error error;
    karp_error_init(&error, sizeof error);
    if (karp_provider_write_facts(p, memory, &text, &error) != KARP_OK) fail_msg("%s: %s", error.field, error.message);
    return text;
}

static void assert_same_types(karp_provider *a, karp_provider *b)
{
    karp_catalogue *x = NULL, *y = NULL;
    assert_int_equal(karp_provider_catalogue(a, NULL, &x, NULL), KARP_OK);
    assert_int_equal(karp_provider_catalogue(b, NULL, &y, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_count(x), karp_catalogue_count(y));
    for (size_t i = 0; i < karp_catalogue_count(x); i++) {
        const karp_instance_type *s = karp_catalogue_type(x, i), *t = karp_catalogue_type(y, i);
        assert_true(same(s->name, t->name));
        assert_int_equal(s->requirement_count, t->requirement_count);
        assert_int_equal(s->capacity_count, t->capacity_count);
        assert_int_equal(s->offering_count, t->offering_count);
        for (size_t k = 0; k < s->offering_count; k++) {
            assert_true(s->offerings[k].price == t->offerings[k].price);
            assert_int_equal(s->offerings[k].available, t->offerings[k].available);
        }
    }
    karp_catalogue_unref(x);
    karp_catalogue_unref(y);
}

/* What is built in, written and read, is the same facts and the same text. */
static void there_and_back(void **state)
{
    (void)state;
    static const char *const regions[][2] = {
        { "aws", "us-west-2" }, { "aws", "eu-west-1" },   { "azure", "eastus" },
        { "azure", "westus2" }, { "gcp", "us-central1" }, { "gcp", "europe-west1" },
    };
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        karp_provider_memory *memory = NULL;
        assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
        karp_provider *a = open_in(context, regions[i][0], regions[i][1]);
        karp_provider *b = open_in(context, regions[i][0], regions[i][1]);
        karp_str first = write(a, memory);
        assert_true(first.len > 10000 && first.len < 300000);
        assert_int_equal(karp_provider_load_facts(b, text_of("all"), text_of("file"), first, NULL), KARP_OK);
        karp_str second = write(b, memory);
        assert_int_equal(first.len, second.len);
        assert_memory_equal(first.ptr, second.ptr, first.len);
        assert_same_types(a, b);
        karp_provider_close(a);
        karp_provider_close(b);
        karp_provider_memory_free(memory);
    }
}

#define EC2_TYPE                                                                                                       \
    "{\"InstanceTypes\":[{\"InstanceType\":\"zz9.large\",\"SupportedUsageClasses\":[\"on-demand\",\"spot\"],"          \
    "\"Hypervisor\":\"nitro\",\"ProcessorInfo\":{\"SupportedArchitectures\":[\"arm64\"],\"Manufacturer\":\"A B\","     \
    "\"SupportedFeatures\":[\"nested-virtualization\"]},\"VCpuInfo\":{\"DefaultVCpus\":2},\"MemoryInfo\":{"            \
    "\"SizeInMiB\":8192},\"GpuInfo\":{\"Gpus\":[{\"Name\":\"G1\",\"Manufacturer\":\"M\",\"Count\":1,\"MemoryInfo\":{"  \
    "\"SizeInMiB\":1024}}]},\"PlacementGroupInfo\":{\"SupportedStrategies\":[\"cluster\"]},\"NetworkInfo\":{"          \
    "\"MaximumNetworkInterfaces\":3,\"Ipv4AddressesPerInterface\":10,\"EnaSupport\":\"unsupported\",\"NetworkCards\":" \
    "[{\"NetworkCardIndex\":0,\"MaximumNetworkInterfaces\":3},{\"NetworkCardIndex\":2,\"MaximumNetworkInterfaces\":1"  \
    "}]}}]}"
#define EC2_OFFERS(zone)                                                                                               \
    "{\"InstanceTypeOfferings\":[{\"InstanceType\":\"zz9.large\",\"Location\":\"" zone                                 \
    "\"},{\"InstanceType\":\"zz9.large\",\"Location\":\"ap-south-1c\"}]}"
#define EC2_PRICES                                                                                                     \
    "{\"PriceList\":[{\"product\":{\"attributes\":{\"instanceType\":\"zz9.large\",\"regionCode\":\"ap-south-1\"}},"    \
    "\"terms\":{\"OnDemand\":{\"A\":{\"priceDimensions\":{\"B\":{\"pricePerUnit\":{\"USD\":\"0.0000001234567890123\""  \
    "}}}}}}}]}"
#define EC2_SPOT                                                                                                       \
    "{\"SpotPriceHistory\":[{\"AvailabilityZone\":\"ap-south-1c\",\"InstanceType\":\"zz9.large\",\"SpotPrice\":"       \
    "\"0.05\"}]}"

/* From the answers of EC2 to a table of a region that is not built in; all that they tell is in it. */
static void from_answers(void **state)
{
    (void)state;
    static const char want[] = "regions ap-south-1:ac\n"
                               "zz9.large|2|8192|AkosNPSE|A B||nitro|3|10|2||||||"
                               "|gpu:M:G1:1:1024|3,0,1|/1.234567890123e-7/,.05\nend 1\n";
    karp_provider_memory *memory = NULL;
    karp_str text = { "", 0 };
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    karp_provider *p = open_in(context, "aws", "ap-south-1");
    assert_int_equal(karp_provider_write_facts(p, memory, &text, &error), KARP_E_NOT_FOUND);
    assert_string_equal(error.field, "offerings");
    assert_string_equal(error.message, "no zone of ap-south-1 is known");
    load(p, "types", EC2_TYPE);
    load(p, "offerings", EC2_OFFERS("ap-south-1a"));
    assert_int_equal(karp_provider_write_facts(p, memory, &text, &error), KARP_E_NOT_FOUND);
    assert_string_equal(error.field, "on-demand-prices");
    load(p, "on-demand-prices", EC2_PRICES);
    load(p, "spot-prices", EC2_SPOT);
    text = write(p, memory);
    assert_true(text.len > sizeof want);
    assert_string_equal(text.ptr + text.len - (sizeof want - 1), want);
    assert_non_null(strstr(text.ptr, "source a file of types\nsource a file of offerings\n"));
    karp_provider *q = open_in(context, "aws", "ap-south-1");
    assert_int_equal(karp_provider_load_facts(q, text_of("all"), text_of("file"), text, NULL), KARP_OK);
    assert_same_types(p, q);
    karp_provider_close(q);
    /* A local zone is named. */
    load(p, "offerings", EC2_OFFERS("ap-south-1-ccu-1a"));
    assert_non_null(strstr(write(p, memory).ptr, "ap-south-1-ccu-1a"));
    karp_provider_close(p);
    karp_provider_memory_free(memory);
}

/* A name that would end the cell or the line is refused, and not written. */
static void texts_that_break_tables(void **state)
{
    (void)state;
    karp_provider_memory *memory = NULL;
    karp_str text = { "", 0 };
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    karp_provider *p = open_in(context, "gcp", "us-central1");
    load(p, "machine-types", "[{\"name\":\"n9-a|b\",\"guestCpus\":4,\"memoryMb\":1,\"zone\":\"us-central1-a\"}]");
    load(p, "prices", "{\"prices\":{\"us-central1\":{\"on_demand\":{\"n9-a|b\":1}}}}");
    assert_int_equal(karp_provider_write_facts(p, memory, &text, &error), KARP_E_INVALID);
    assert_string_equal(error.message, "a table of facts cannot have the text \"n9-a|b\"");
    karp_provider_close(p);
    karp_provider_memory_free(memory);
}

#define EC2_HEAD "karp-facts aws 1\nregions us-west-2:ab us-east-1:c\n"
#define EC2_ROW(vcpus, flags, devices, cards, offer)                                                                   \
    EC2_HEAD "m5.large|" vcpus "|8192|" flags "|Intel|3100|nitro|3|10|1||||||"                                         \
             "|" devices "|" cards "|" offer "|\nend 1\n"

static void bad_ec2_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
        uint32_t line;
    } cases[] = {
        { "karp-facts gcp 1\nregions us-west-2:ab\nend 0\n", "", 1 },
        { "karp-facts aws 1\nregions us-west-2:a9\nend 0\n", "regions", 2 },
        { EC2_HEAD "end 0\n", "", 0 },
        { EC2_HEAD "m5.large|2\nend 1\n", "", 3 },
        { EC2_ROW("0", "os", "", "", "/.1/"), "vcpus", 3 },
        { EC2_ROW("-2", "os", "", "", "/.1/"), "vcpus", 3 },
        { EC2_ROW("2", "oz", "", "", "/.1/"), "flags", 3 },
        { EC2_ROW("2", "os", "gpu:M:G", "", "/.1/"), "devices", 3 },
        { EC2_ROW("2", "os", "tpu:M:G:1:1", "", "/.1/"), "devices", 3 },
        { EC2_ROW("2", "os", "", "3,x", "/.1/"), "interfaces by card", 3 },
        { EC2_ROW("2", "os", "", "", "c/.1/"), "zones", 3 },
        { EC2_ROW("2", "os", "", "", "/-.1/"), "on-demand price", 3 },
        { EC2_ROW("2", "os", "", "", "/nan/"), "on-demand price", 3 },
        { EC2_ROW("2", "os", "", "", "/1e999/"), "on-demand price", 3 },
        { EC2_ROW("2", "os", "", "", "/.1/.1"), "spot price", 3 },
        { EC2_ROW("2", "os", "", "", "/.1/.1,.2,.3"), "spot price", 3 },
        { EC2_ROW("2", "os", "", "", "-/.1/.1"), "spot price", 3 },
        { EC2_ROW("2", "os", "", "", "/.1/.1,cheap"), "spot price", 3 },
    };
    karp_provider *p = open_in(context, "aws", "us-west-2");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_provider_load_facts(p, text_of("all"), text_of("f.txt"), text_of(cases[i].text), &error),
                         KARP_E_INVALID);
        assert_string_equal(error.document, "f.txt");
        assert_string_equal(error.field, cases[i].field);
        assert_int_equal(error.line, cases[i].line);
    }
    load(p, "all", EC2_ROW("2", "os", "", "", "/.1/.05,"));
    karp_catalogue *types = NULL;
    assert_int_equal(karp_provider_catalogue(p, NULL, &types, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_count(types), 1);
    karp_catalogue_unref(types);
    karp_provider_close(p);
}

/* The commands have the region; what no command could have is refused. */
static void how_they_are_had(void **state)
{
    (void)state;
    static const char *const wanted[][3] = {
        { "aws", "eu-south-2", "aws ec2 describe-instance-types --region eu-south-2 --output json" },
        { "azure", "japaneast", "az vm list-skus --location japaneast --resource-type virtualMachines --output json" },
        { "gcp", "asia-east1", "gcloud compute machine-types list --filter=\"zone~^asia-east1-\" --format=json" },
    };
    karp_provider_memory *memory = NULL;
    assert_int_equal(karp_provider_memory_new(context, &memory, NULL), KARP_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        karp_provider_facts_info info = { .size = sizeof info };
        karp_provider *p = open_in(context, wanted[i][0], wanted[i][1]);
        assert_int_equal(karp_provider_get_facts_info(p, memory, &info, NULL), KARP_OK);
        assert_true(info.kind_count >= 2 && info.sources.len > 0 && info.as_of.len > 0 && info.built_in.len > 0);
        assert_string_equal(info.kinds[0].command.ptr, wanted[i][2]);
        karp_provider_close(p);
        p = open_in(context, wanted[i][0], "x;rm");
        info = (karp_provider_facts_info){ .size = sizeof info };
        assert_int_equal(karp_provider_get_facts_info(p, memory, &info, NULL), KARP_E_NOT_FOUND);
        karp_provider_close(p);
    }
    karp_provider *p = open_in(context, "file", "");
    karp_provider_facts_info info = { .size = sizeof info };
    karp_str text;
    assert_int_equal(karp_provider_get_facts_info(p, memory, &info, NULL), KARP_E_UNSUPPORTED);
    assert_int_equal(karp_provider_write_facts(p, memory, &text, NULL), KARP_E_UNSUPPORTED);
    karp_provider_close(p);
    karp_provider_memory_free(memory);
}

static karp_status everything(karp_context *own)
{
    karp_provider *p = NULL;
    karp_provider_memory *memory = NULL;
    karp_str text = { "", 0 };
    karp_status status = karp_provider_open(own, text_of("aws"), NULL, &p, NULL);
    if (status == KARP_OK)
        status = karp_provider_load_facts(p, text_of("all"), text_of("f"),
                                          text_of(EC2_ROW("2", "os", "", "", "/.1/.05,")), NULL);
    if (status == KARP_OK) status = karp_provider_memory_new(own, &memory, NULL);
    if (status == KARP_OK) status = karp_provider_write_facts(p, memory, &text, NULL);
    karp_provider_memory_free(memory);
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
        cmocka_unit_test(there_and_back), cmocka_unit_test(from_answers),     cmocka_unit_test(texts_that_break_tables),
        cmocka_unit_test(bad_ec2_tables), cmocka_unit_test(how_they_are_had), cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("facts", tests, set_up, tear_down);
}
