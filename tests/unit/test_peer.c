/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of Karpenter by number and by name, and the table of the rules they changed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <karp/schedule.h>
#include <model/peer.h>

static bool is(karp_str text, const char *expected)
{
    return text.len == strlen(expected) && memcmp(text.ptr, expected, text.len) == 0;
}

static void names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t profile, version;
    } rows[] = { { "karpenter", KARP_PROFILE_KARPENTER, KARP_PEER_NEWEST },
                 { "karpenter-1.14", KARP_PROFILE_KARPENTER, KARP_PEER_1_14 },
                 { "karpenter-1.15", KARP_PROFILE_KARPENTER, KARP_PEER_1_15 },
                 { "karp", KARP_PROFILE_KARP, KARP_PEER_NEWEST } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t profile = 9, version = 9;
        assert_int_equal(karp_profile_parse((karp_str){ rows[i].name, strlen(rows[i].name) }, &profile, &version),
                         KARP_OK);
        assert_int_equal(profile, rows[i].profile);
        assert_int_equal(version, rows[i].version);
        if (i > 0) assert_string_equal(karp_profile_name(profile, version), rows[i].name);
        assert_string_equal(karp_profile_at(i), rows[i].name);
    }
    assert_null(karp_profile_at(sizeof rows / sizeof *rows));
    static const char *const wrong[] = {
        "", "karpenter-", "karpenter-1.13", "karp-1.14", "Karpenter", "karpenter-1.140"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint32_t profile = 9, version = 9;
        assert_int_equal(karp_profile_parse((karp_str){ wrong[i], strlen(wrong[i]) }, &profile, &version),
                         KARP_E_NOT_FOUND);
        assert_int_equal(profile + version, 18);
    }
    assert_string_equal(karp_peer_version_name(KARP_PEER_1_15), "1.15");
    assert_string_equal(karp_peer_version_name(1013), "");
    assert_string_equal(karp_profile_name(KARP_PROFILE_KARPENTER, KARP_PEER_NEWEST),
                        karp_profile_name(KARP_PROFILE_KARPENTER, peer_version(KARP_PEER_NEWEST)));
    assert_string_equal(karp_profile_name(2, KARP_PEER_1_15), "");
}

static void rules(void **state)
{
    (void)state;
    assert_int_equal(karp_peer_rule_count(), PEER_RULES);
    for (size_t i = 0; i < karp_peer_rule_count(); i++) {
        karp_peer_rule rule = { .size = sizeof rule };
        assert_int_equal(karp_peer_rule_at(i, &rule), KARP_OK);
        assert_true(rule.id.len > 0 && rule.name.len > 0 && rule.text.len > 0);
        bool preview = memcmp(rule.id.ptr, "P-", 2) == 0;
        assert_int_equal(preview, i >= RULE_SPLIT_CLAIMS);
        assert_int_equal(rule.since, preview ? KARP_PEER_PREVIEW : KARP_PEER_1_15);
        assert_int_equal(rule.source.len > 0, preview);
        for (size_t k = 0; k < i; k++) {
            karp_peer_rule other = { .size = sizeof other };
            assert_int_equal(karp_peer_rule_at(k, &other), KARP_OK);
            assert_true(other.id.len != rule.id.len || memcmp(other.id.ptr, rule.id.ptr, rule.id.len) != 0);
        }
    }
    karp_peer_rule row = { .size = sizeof row };
    assert_int_equal(karp_peer_rule_at(RULE_LAUNCHABLE, &row), KARP_OK);
    assert_true(is(row.id, "K15-3"));
    assert_int_equal(karp_peer_rule_at(PEER_RULES, &row), KARP_E_NOT_FOUND);
    assert_int_equal(karp_peer_rule_at(0, NULL), KARP_E_INVALID);
    row.size = 3;
    assert_int_equal(karp_peer_rule_at(0, &row), KARP_E_ABI_SIZE);
}

static void versions(void **state)
{
    (void)state;
    assert_int_equal(peer_rules(KARP_PROFILE_KARPENTER, KARP_PEER_1_14), 0);
    uint64_t released = (UINT64_C(1) << RULE_SPLIT_CLAIMS) - 1, previews = ((UINT64_C(1) << PEER_RULES) - 1) ^ released;
    assert_int_equal(peer_rules(KARP_PROFILE_KARPENTER, KARP_PEER_1_15), released);
    assert_int_equal(peer_rules(KARP_PROFILE_KARP, KARP_PEER_NEWEST) & previews, 0);
    assert_int_equal(peer_rules(KARP_PROFILE_KARP, KARP_PEER_1_14), peer_rules(KARP_PROFILE_KARP, KARP_PEER_1_15));
    assert_int_equal(peer_rules(KARP_PROFILE_KARPENTER, KARP_PEER_NEWEST),
                     peer_rules(KARP_PROFILE_KARPENTER, peer_version(KARP_PEER_NEWEST)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(rules),
        cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
