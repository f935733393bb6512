/* SPDX-License-Identifier: Apache-2.0 */
/* karp_catalogue_reprice(): rules that cannot be, prices that leave a double's range, and what stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/karp.h>
#include <karp/prices.h>

#define T(text)                                                                                                        \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }

static karp_context *context;
static karp_catalogue *list;

static int set_up(void **state)
{
    (void)state;
    static const karp_str a = T("a"), spot = T("spot"), big = T("8");
    static const karp_requirement of_type[] = {
        { .key = T("size"), .op = KARP_OP_IN, .values = &big, .value_count = 1 }
    };
    static const karp_requirement of_offer[] = {
        { .key = T("zone"), .op = KARP_OP_IN, .values = &a, .value_count = 1 },
        { .key = T("kind"), .op = KARP_OP_IN, .values = &spot, .value_count = 1 }
    };
    static const karp_resource amounts[] = { { .name = T("cpu"), .text = T("1500m") } };
    static const karp_offering offers[] = {
        { .requirements = of_offer, .requirement_count = 2, .price = 2, .available = 1 },
        { .requirements = of_offer, .requirement_count = 1, .price = 3, .awaits_price = 1 }
    };
    static const karp_instance_type type = { .size = sizeof type,
                                             .name = T("t"),
                                             .requirements = of_type,
                                             .requirement_count = 1,
                                             .capacity = amounts,
                                             .capacity_count = 1,
                                             .offerings = offers,
                                             .offering_count = 2 };
    assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_new(context, &type, 1, &list, NULL), KARP_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    karp_catalogue_unref(list);
    karp_context_unref(context);
    return 0;
}

/* The price of the first offering under one rule with one requirement. */
static double priced(const karp_requirement *wanted, double factor, double per_node, double per_vcpu)
{
    const karp_price_rule rule = { wanted, wanted != NULL, factor, per_node, per_vcpu };
    karp_catalogue *out = NULL;
    assert_int_equal(karp_catalogue_reprice(context, list, &rule, 1, &out, NULL), KARP_OK);
    const karp_instance_type *type = karp_catalogue_type(out, 0);
    double price = type->offerings[0].price;
    /* What has no price gets none, and the list is as it was. */
    assert_true(type->offerings[1].price == 3 && type->offerings[1].awaits_price == 1);
    assert_true(karp_catalogue_type(list, 0)->offerings[0].price == 2);
    assert_int_equal(type->capacity_count, 1);
    karp_catalogue_unref(out);
    return price;
}

static void test_amounts(void **state)
{
    (void)state;
    assert_true(priced(NULL, 1, 0, 0) == 2);
    assert_true(priced(NULL, 0, 0, 0) == 0);
    assert_true(priced(NULL, 0.5, 1, 2) == 0.5 * 2 + 1 + 2 * 1.5);
}

static void test_operators(void **state)
{
    (void)state;
    static const karp_str spot = T("spot"), other = T("b"), seven = T("7"), nine = T("9");
    const struct {
        const char *key;
        uint32_t op;
        const karp_str *value;
        int about;
    } rows[] = {
        { "kind", KARP_OP_IN, &spot, 1 },
        { "kind", KARP_OP_IN, &other, 0 },
        { "kind", KARP_OP_NOT_IN, &spot, 0 },
        { "zone", KARP_OP_NOT_IN, &other, 1 },
        { "none", KARP_OP_NOT_IN, &other, 1 },
        { "none", KARP_OP_IN, &other, 0 },
        { "none", KARP_OP_EXISTS, NULL, 0 },
        { "zone", KARP_OP_EXISTS, NULL, 1 },
        { "zone", KARP_OP_DOES_NOT_EXIST, NULL, 0 },
        { "none", KARP_OP_DOES_NOT_EXIST, NULL, 1 },
        { "size", KARP_OP_GT, &seven, 1 },
        { "size", KARP_OP_GT, &nine, 0 },
        { "size", KARP_OP_LT, &nine, 1 },
        { "size", KARP_OP_LT, &seven, 0 },
        { "zone", KARP_OP_GT, &seven, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const karp_requirement wanted = { .key = { rows[i].key, strlen(rows[i].key) },
                                          .op = rows[i].op,
                                          .values = rows[i].value,
                                          .value_count = rows[i].value != NULL };
        if (priced(&wanted, 10, 0, 0) != (rows[i].about ? 20.0 : 2.0)) fail_msg("row %zu", i);
    }
}

static void refused(karp_price_rule rule, size_t count, karp_status expected)
{
    karp_catalogue *out = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    assert_int_equal(karp_catalogue_reprice(context, list, count ? &rule : NULL, count ? count : 1, &out, &error),
                     expected);
    assert_null(out);
    assert_string_not_equal(error.message, "");
}

static void test_refused(void **state)
{
    (void)state;
    static const karp_str word = T("x"), fraction = T("0.5");
    const karp_requirement bad[] = {
        { .key = T("k"), .op = KARP_OP_GT, .values = &word, .value_count = 1 },
        { .key = T("k"), .op = KARP_OP_GT, .values = &fraction, .value_count = 1 },
        { .key = T("k"), .op = KARP_OP_GTE, .values = &word, .value_count = 1 },
        { .key = T("k"), .op = KARP_OP_EXISTS, .values = &word, .value_count = 1 },
        { .key = T("k"), .op = KARP_OP_IN },
        { .key = T("k"), .op = KARP_OP_IN, .value_count = 1 },
        { .op = KARP_OP_EXISTS },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused((karp_price_rule){ &bad[i], 1, 1, 0, 0 }, 1, KARP_E_INVALID);
    refused((karp_price_rule){ NULL, 1, 1, 0, 0 }, 1, KARP_E_INVALID);
    refused((karp_price_rule){ NULL, 0, -1, 0, 0 }, 1, KARP_E_INVALID);
    refused((karp_price_rule){ NULL, 0, 1, KARP_MOST_PRICE * 2, 0 }, 1, KARP_E_INVALID);
    refused((karp_price_rule){ NULL, 0, 1, 0, 0.0 / 0.0 }, 1, KARP_E_INVALID);
    refused((karp_price_rule){ NULL, 0, 1, 0, 0 }, 0, KARP_E_INVALID); /* counted, not given */
    karp_price_rule many[60];
    karp_catalogue *out = NULL;
    for (size_t i = 0; i < 60; i++) many[i] = (karp_price_rule){ NULL, 0, KARP_MOST_PRICE, 0, 0 };
    assert_int_equal(karp_catalogue_reprice(context, list, many, 60, &out, NULL), KARP_E_RANGE);
    assert_int_equal(karp_catalogue_reprice(context, NULL, many, 1, &out, NULL), KARP_E_INVALID);
    assert_null(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
