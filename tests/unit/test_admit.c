/* SPDX-License-Identifier: Apache-2.0 */
/* What requirements, selectors and tolerations admit: the rules of Kubernetes for each operator, and for what is no
 * number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <base/admit.h>
#include <base/str.h>

static bool one(uint32_t op, const char *wanted, const char *value)
{
    karp_str text = str(wanted), has = str(value);
    const karp_requirement r = { .key = str("k"), .op = op, .values = &text, .value_count = wanted != NULL };
    return requirement_allows(&r, value ? &has : NULL);
}

static void test_operators(void **state)
{
    (void)state;
    static const struct {
        uint32_t op;
        const char *wanted, *value;
        bool allowed;
    } rows[] = {
        { KARP_OP_IN, "a", "a", true },
        { KARP_OP_IN, "a", "b", false },
        { KARP_OP_IN, "a", NULL, false },
        { KARP_OP_IN, "", "", true },
        { KARP_OP_NOT_IN, "a", "a", false },
        { KARP_OP_NOT_IN, "a", "b", true },
        { KARP_OP_NOT_IN, "a", NULL, true },
        { KARP_OP_EXISTS, NULL, "", true },
        { KARP_OP_EXISTS, NULL, NULL, false },
        { KARP_OP_DOES_NOT_EXIST, NULL, "", false },
        { KARP_OP_DOES_NOT_EXIST, NULL, NULL, true },
        { KARP_OP_GT, "5", "6", true },
        { KARP_OP_GT, "5", "5", false },
        { KARP_OP_GT, "05", "+6", true }, /* as Go's Atoi reads them */
        { KARP_OP_GT, "5", "6.5", false },
        { KARP_OP_GT, "5", "6k", false },
        { KARP_OP_GT, "5", NULL, false },
        { KARP_OP_GT, NULL, "6", false },
        { KARP_OP_GT, "-1", "0", true },
        { KARP_OP_GT, "9223372036854775807", "9223372036854775807", false },
        { KARP_OP_GT, "1", "9223372036854775808", false },
        { KARP_OP_LT, "5", "4", true },
        { KARP_OP_LT, "5", "5", false },
        { KARP_OP_LT, "9007199254740993", "9007199254740992", true }, /* the same number as doubles */
        { KARP_OP_GTE, "5", "5", true },
        { KARP_OP_GTE, "5", "4", false },
        { KARP_OP_LTE, "5", "5", true },
        { KARP_OP_LTE, "5", "6", false },
        { KARP_OP_UNKNOWN, "5", "5", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (one(rows[i].op, rows[i].wanted, rows[i].value) != rows[i].allowed) fail_msg("row %zu", i);
    }
}

static void test_selectors(void **state)
{
    (void)state;
    const karp_str x[] = { str("x") };
    const karp_label labels[] = { { str("app"), str("web") }, { str("tier"), str("x") } };
    const karp_requirement tier = { .key = str("tier"), .op = KARP_OP_IN, .values = x, .value_count = 1 };
    karp_selector s = { .match_labels = labels, .match_label_count = 1, .expressions = &tier, .expression_count = 1 };
    assert_true(selector_admits(&s, labels, 2));
    assert_false(selector_admits(&s, labels, 1));
    assert_false(selector_admits(&s, labels + 1, 1));
    assert_true(selector_admits(&(karp_selector){ 0 }, NULL, 0));
}

static void test_tolerations(void **state)
{
    (void)state;
    static const struct {
        uint32_t op;
        const char *key, *wanted, *effect;
        bool tolerated;
    } rows[] = {
        { KARP_TOLERATION_EQUAL, "sla", "950", "", true },
        { KARP_TOLERATION_EQUAL, "sla", "951", "", false },
        { KARP_TOLERATION_EQUAL, "", "950", "", true }, /* an empty key is every key, whatever the operator */
        { KARP_TOLERATION_EXISTS, "sla", "", "NoSchedule", true },
        { KARP_TOLERATION_EXISTS, "sla", "", "NoExecute", false },
        { KARP_TOLERATION_EXISTS, "other", "", "", false },
        { KARP_TOLERATION_EXISTS, "", "", "", true },
        { KARP_TOLERATION_GT, "sla", "900", "", true },
        { KARP_TOLERATION_GT, "sla", "950", "", false },
        { KARP_TOLERATION_GT, "sla", "-900", "", true },
        { KARP_TOLERATION_GT, "sla", "0", "", true },
        { KARP_TOLERATION_GT, "sla", "00", "", false },
        { KARP_TOLERATION_GT, "sla", "-0", "", false },
        { KARP_TOLERATION_GT, "sla", "-", "", false },
        { KARP_TOLERATION_GT, "sla", "", "", false },
        { KARP_TOLERATION_LT, "sla", "951", "", true },
        { KARP_TOLERATION_LT, "sla", "+951", "", false },
        { KARP_TOLERATION_LT, "sla", "0951", "", false },
        { KARP_TOLERATION_LT, "sla", "9223372036854775807", "", true },
        { KARP_TOLERATION_LT, "sla", "9223372036854775808", "", false },
        { KARP_TOLERATION_UNKNOWN, "sla", "950", "", false },
    };
    const karp_taint taint = { .key = str("sla"), .value = str("950"), .effect = str("NoSchedule") };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const karp_toleration t = {
            .key = str(rows[i].key), .value = str(rows[i].wanted), .effect = str(rows[i].effect), .op = rows[i].op
        };
        if (tolerations_allow(&t, 1, &taint) != rows[i].tolerated) fail_msg("row %zu", i);
    }
    assert_false(tolerations_allow(NULL, 0, &taint));
}

/* Requirements of a launch and of a type: NotIn and DoesNotExist agree, and bounds without a common number do not. */
static void test_agreement(void **state)
{
    (void)state;
    const karp_str five = str("5"), most = str("9223372036854775807"), x = str("x");
    const karp_requirement has = { .key = str("k"), .op = KARP_OP_IN, .values = &five, .value_count = 1 },
                           none = { .key = str("k"), .op = KARP_OP_DOES_NOT_EXIST },
                           not_x = { .key = str("k"), .op = KARP_OP_NOT_IN, .values = &x, .value_count = 1 },
                           above = { .key = str("k"), .op = KARP_OP_GT, .values = &most, .value_count = 1 },
                           at_least = { .key = str("k"), .op = KARP_OP_GTE, .values = &five, .value_count = 1 },
                           other = { .key = str("other"), .op = KARP_OP_DOES_NOT_EXIST };
    assert_true(requirements_agree(&at_least, 1, &has, 1));
    assert_false(requirements_agree(&above, 1, &has, 1));
    assert_false(requirements_agree(&above, 1, &at_least, 1));
    assert_true(requirements_agree(&not_x, 1, &none, 1));
    assert_false(requirements_agree(&at_least, 1, &none, 1));
    assert_true(requirements_agree(&other, 1, &has, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_tolerations),
        cmocka_unit_test(test_agreement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
