/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <base/sort.h>
#include <model/address.h>

static void test_addresses(void **state)
{
    static const struct {
        const char *text, *hex;
    } cases[] = {
        { "0.0.0.0", "00000000000000000000ffff00000000" },
        { "10.1.2.255", "00000000000000000000ffff0a0102ff" },
        { "::", "00000000000000000000000000000000" },
        { "::1", "00000000000000000000000000000001" },
        { "1::", "00010000000000000000000000000000" },
        { "1::8", "00010000000000000000000000000008" },
        { "fe80::1:2", "fe800000000000000000000000010002" },
        { "1:2:3:4:5:6:7:8", "00010002000300040005000600070008" },
        { "1:2:3:4:5:6:7::", "00010002000300040005000600070000" },
        { "::2:3:4:5:6:7:8", "00000002000300040005000600070008" },
        { "ABCD::eF01", "abcd000000000000000000000000ef01" },
        { "0001::", "00010000000000000000000000000000" },
        { "::ffff:1.2.3.4", "00000000000000000000ffff01020304" },
        { "::1.2.3.4", "00000000000000000000000001020304" },
        { "1:2:3:4:5:6:1.2.3.4", "00010002000300040005000601020304" },
        { "64:ff9b::1.2.3.4", "0064ff9b000000000000000001020304" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const char digits[] = "0123456789abcdef";
        uint8_t ip[16];
        char hex[33] = "";
        if (!address_parse(str(cases[i].text), ip)) fail_msg("%s is an address", cases[i].text);
        for (size_t j = 0; j < 16; j++) {
            hex[2 * j] = digits[ip[j] >> 4];
            hex[2 * j + 1] = digits[ip[j] & 15];
        }
        assert_string_equal(hex, cases[i].hex);
    }
}

static void test_other_texts(void **state)
{
    static const char *const cases[] = {
        "",
        "x",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.256",
        "01.2.3.4",
        "1.2.3.04",
        "1.2.3.",
        ".1.2.3",
        "1..2.3",
        "1.2.3.4 ",
        " 1.2.3.4",
        "1.2.3.0000",
        "+1.2.3.4",
        ":",
        ":::",
        "1:",
        ":1",
        "1:2",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8:",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "1:2:3:4::5:6:7:8",
        "1::2::3",
        "12345::",
        "g::",
        "::1%eth0",
        "::1.2.3",
        "1:2:3:4:5:6:7:1.2.3.4",
        "1:2:3:4:5:1.2.3.4",
        "1:2:3:4:5:6:1.2.3.4:7",
        "::01.2.3.4",
        "[::1]",
        "1.2.3.4:5",
        "::1.2.3.4.5",
    };
    uint8_t ip[16];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(ip, 1, sizeof ip);
        if (address_parse(str(cases[i]), ip)) fail_msg("\"%s\" is no address", cases[i]);
        for (size_t j = 0; j < 16; j++) assert_int_equal(ip[j], 0);
    }
    assert_false(address_parse((karp_str){ NULL, 0 }, ip));
    assert_false(address_parse((karp_str){ NULL, 3 }, ip));
    assert_false(address_parse((karp_str){ "1.2.3.4\0", 8 }, ip));
    assert_true(address_parse((karp_str){ "1.2.3.45", 7 }, ip));
    assert_int_equal(ip[15], 4);
}

static void test_unspecified(void **state)
{
    static const struct {
        const char *text;
        bool expected;
    } cases[] = { { "0.0.0.0", true },    { "::", true },       { "::ffff:0.0.0.0", true },
                  { "::1", false },       { "0.0.0.1", false }, { "1.0.0.0", false },
                  { "::1.0.0.0", false }, { "1::", false },     { "::fffe:0:0", false } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t ip[16];
        assert_true(address_parse(str(cases[i].text), ip));
        assert_int_equal(address_unspecified(ip), cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_other_texts),
        cmocka_unit_test(test_unspecified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
