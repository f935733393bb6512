/* SPDX-License-Identifier: Apache-2.0 */
/* The expressions that select devices. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <model/cel.h>
#include <model/quantity.h>
#include <support/fault.h>

#define T(text)                                                                                                        \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const cel_attribute attributes[] = {
    { T("gpu.example.com"), T("model"), T("H100"), 0, CEL_TEXT },
    { T("gpu.example.com"), T("memory"), { NULL, 0 }, 80, CEL_INTEGER },
    { T("gpu.example.com"), T("ecc"), { NULL, 0 }, 1, CEL_BOOLEAN },
    { T("gpu.example.com"), T("driverVersion"), T("1.20.3-beta.2+build"), 0, CEL_VERSION },
    { T("gpu.example.com"), T("broken"), T("1.2"), 0, CEL_VERSION },
    { T("other.example.com"), T("numa"), { NULL, 0 }, -1, CEL_INTEGER },
};

static cel_device device(cel_capacity *capacity)
{
    quantity q;
    assert_int_equal(quantity_parse("80Gi", 4, &q), QUANTITY_OK);
    *capacity = (cel_capacity){ T("gpu.example.com"), T("memory"), q.value };
    return (cel_device){ T("gpu.example.com"), attributes, capacity, COUNT(attributes), 1, true };
}

typedef struct example {
    const char *text;
    uint32_t compiled, says;
} example;

#define YES(text)                                                                                                      \
    {                                                                                                                  \
        text, CEL_COMPILED, CEL_YES                                                                                    \
    }
#define NO(text)                                                                                                       \
    {                                                                                                                  \
        text, CEL_COMPILED, CEL_NO                                                                                     \
    }
#define ERROR(text)                                                                                                    \
    {                                                                                                                  \
        text, CEL_COMPILED, CEL_ERROR                                                                                  \
    }
#define WRONG(text)                                                                                                    \
    {                                                                                                                  \
        text, CEL_WRONG, 0                                                                                             \
    }
#define BEYOND(text)                                                                                                   \
    {                                                                                                                  \
        text, CEL_BEYOND, 0                                                                                            \
    }
#define A "device.attributes[\"gpu.example.com\"]"
#define C "device.capacity[\"gpu.example.com\"]"

static void run(const example *list, size_t count)
{
    fault f = { 0 };
    karp_context *context = fault_context(&f);
    cel_capacity capacity;
    cel_device d = device(&capacity);
    for (size_t i = 0; i < count; i++) {
        arena a;
        const cel_node *root = NULL;
        arena_init(&a, context);
        uint32_t status = cel_compile(&a, (karp_str){ list[i].text, strlen(list[i].text) }, &root);
        uint32_t says = status == CEL_COMPILED ? cel_matches(root, &d) : 0;
        if (status != list[i].compiled || says != list[i].says) {
            print_message("%s: compiled %u, says %u\n", list[i].text, (unsigned)status, (unsigned)says);
        }
        assert_int_equal(status, list[i].compiled);
        assert_int_equal(says, list[i].says);
        arena_free(&a);
    }
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
}

static void members(void **state)
{
    (void)state;
    static const example list[] = {
        YES("device.driver == \"gpu.example.com\""),
        NO("device.driver == 'nic.example.com'"),
        YES("device.driver != 'x'"),
        YES(A ".model == \"H100\""),
        NO(A ".model == \"A100\""),
        YES(A "['model'] == 'H100'"),
        YES(A ".memory > 40"),
        NO(A ".memory > 80"),
        YES(A ".memory >= 80 && " A ".memory <= 80"),
        YES(A ".ecc"),
        YES(A ".ecc == true"),
        NO("!" A ".ecc"),
        YES("device.attributes['other.example.com'].numa == -1"),
        YES("device.allowMultipleAllocations == true"),
        YES(C ".memory.isGreaterThan(quantity(\"40Gi\"))"),
        NO(C ".memory.isGreaterThan(quantity('80Gi'))"),
        YES(C ".memory.compareTo(quantity('80Gi')) == 0"),
        YES(C ".memory == quantity('81920Mi')"),
        NO(C ".memory.isLessThan(quantity('80Gi'))"),
        ERROR(A ".missing == 'x'"),
        ERROR("device.attributes['nowhere'].x == 1"),
        ERROR(C ".missing == quantity('1')"),
        ERROR(A ".broken == semver('1.2.0')"),
        YES("has(" A ".model)"),
        NO("has(" A ".missing)"),
        NO("has(device.attributes['nowhere'].x)"),
        YES("'gpu.example.com' in device.attributes"),
        NO("'nowhere' in device.attributes"),
        YES("'model' in " A),
        NO("'x' in " A),
        YES("device.attributes[?'nowhere'].?x.orValue(7) == 7"),
        YES(A ".?model.orValue('') == 'H100'"),
        NO(A ".?missing.hasValue()"),
        YES(A ".?model.hasValue()"),
        YES("optional.of(1).value() == 1"),
        ERROR("optional.none().value() == 1"),
        ERROR(A ".model"),
        YES("size(" A ") == 5"),
        WRONG("device.name == 'x'"),
        WRONG("device['driver'] == 'x'"),
        WRONG("nothing == 1"),
        WRONG("device.driver.x == 1"),
    };
    run(list, COUNT(list));
}

static void operators(void **state)
{
    (void)state;
    static const example list[] = {
        YES("true"),
        NO("false"),
        YES("1 + 2 * 3 == 7"),
        YES("(1 + 2) * 3 == 9"),
        YES("7 / 2 == 3 && 7 % 2 == 1 && -7 / 2 == -3"),
        /* from the left */
        YES("7 - 4 - 2 == 1"),
        YES("16 / 4 / 2 == 2"),
        YES("17 % 7 % 2 == 1"),
        YES("2 * 7 % 4 == 2"),
        YES("1 < 2 == true"),
        YES("1.5 + 1.5 == 3.0"),
        YES("0x10 == 16 && 3u < 4u"),
        YES("1 < 2.5 && 3u > 2 && 2 < 3u"),
        ERROR("1 / 0 == 1"),
        ERROR("9223372036854775807 + 1 > 0"),
        ERROR("5u - 6u == 0u"),
        YES("true ? true : false"),
        NO("false ? true : false"),
        YES("'a' < 'b'"),
        YES("false < true"),
        YES("true || 1 / 0 == 1"),
        YES("1 / 0 == 1 || true"),
        NO("false && 1 / 0 == 1"),
        NO("1 / 0 == 1 && false"),
        ERROR("1 / 0 == 1 || false"),
        YES("!(1 == 2)"),
        YES("!!true"),
        NO("!!!true"),
        YES("- -1 == 1"),
        YES("'a' in ['b', 'a']"),
        NO("'a' in []"),
        YES("dyn(1) == dyn(1u)"),
        NO("dyn(1) == dyn('1')"),
        YES("dyn(9007199254740993) != dyn(9007199254740992.0)"),
        YES("dyn(-1) < dyn(1u)"),
        YES("null == null"),
        YES("int(2.9) == 2"),
        YES("[1, 2, 3].all(x, x > 0)"),
        NO("[1, 2, 3].all(x, x > 1)"),
        YES("[1, 2].exists(x, x == 2)"),
        NO("[1, 2].exists(x, x == 3)"),
        YES("[1, 2].exists_one(x, x == 2)"),
        NO("[2, 2].exists_one(x, x == 2)"),
        YES("['H100', 'H200'].exists(m, " A ".model == m)"),
        YES("cel.bind(g, " A ", g.model == 'H100' && g.ecc)"),
        YES("[1].all(device, device == 1)"),
        WRONG("all == all"),
        WRONG("1 == 'a'"),
        WRONG("1 + 'a' == 2"),
        WRONG("!1"),
        WRONG("-'a' == 1"),
        WRONG("1 && true"),
        WRONG("true ? 1 : 'a'"),
        WRONG("device.driver"),
        WRONG("1"),
        WRONG("[1, 'a'].exists(x, true)"),
        WRONG("1 in ['a'] ? 1 : 2"),
        WRONG("1 in 2"),
        WRONG("device.driver > 1"),
        WRONG("quantity('1') < quantity('2')"),
        WRONG("1 == 1u"),
        WRONG("[1].all(1, true)"),
        WRONG("1.5 % 2.0 == 0.0"),
    };
    run(list, COUNT(list));
}

static void functions(void **state)
{
    (void)state;
    static const example list[] = {
        YES("device.driver.startsWith('gpu')"),
        NO("device.driver.startsWith('gpu.example.com.')"),
        YES("device.driver.endsWith('.com')"),
        YES("device.driver.contains('example')"),
        NO("device.driver.contains('examples')"),
        YES("device.driver.contains('')"),
        YES("size('äö') == 2 && 'abc'.size() == 3"),
        /* the first and last characters of each length in UTF-8 */
        YES("'\\u007f\\u0080\\u07ff\\u0800\\uffff\\U00010000\\U0010ffff' == "
            "'\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf'"),
        WRONG("'\\U00110000' == ''"),
        YES("optional.of(1) == optional.of(1)"),
        NO("optional.of(1) == optional.of(2)"),
        YES("optional.none() == optional.none()"),
        NO("optional.of(0) == optional.none()"),
        NO("optional.of('') == optional.none()"),
        NO("optional.none() == optional.of(false)"),
        NO("optional.none() == optional.of(null)"),
        /* so many arguments and no more */
        WRONG("quantity('1').add() == quantity('1')"),
        WRONG("quantity('1').add(quantity('1'), quantity('1')) == quantity('3')"),
        WRONG("quantity('1').sub() == quantity('1')"),
        WRONG("quantity('1').sub(quantity('1'), quantity('1')) == quantity('1')"),
        WRONG("quantity('1').sign(1) == 1"),
        WRONG("quantity('1').compareTo() == 0"),
        WRONG("quantity('1').compareTo(quantity('1'), quantity('1')) == 0"),
        WRONG("quantity('1').isLessThan()"),
        WRONG("quantity('1').isGreaterThan(quantity('1'), quantity('1'))"),
        WRONG("'a'.startsWith()"),
        WRONG("'a'.endsWith('a', 'a')"),
        WRONG("'a'.contains()"),
        WRONG("size() == 0"),
        WRONG("size('a', 'b') == 1"),
        NO("optional.of(1) == optional.none()"),
        NO("optional.none() == optional.of(1)"),
        YES("size([1, 2]) == 2"),
        ERROR(A ".memory.startsWith('x')"),
        YES(A ".driverVersion.isGreaterThan(semver('1.20.2'))"),
        YES(A ".driverVersion.isLessThan(semver('1.20.3'))"),
        YES(A ".driverVersion.compareTo(semver('1.20.3-beta.11')) < 0"),
        YES(A ".driverVersion == semver('1.20.3-beta.2')"),
        YES(A ".driverVersion.major() == 1"),
        YES(A ".driverVersion.minor() == 20 && " A ".driverVersion.patch() == 3"),
        WRONG("semver('1.0.0-alpha') < semver('1.0.0')"),
        YES("semver('1.0.0-alpha.1').isGreaterThan(semver('1.0.0-alpha'))"),
        YES("semver('1.0.0-alpha').isGreaterThan(semver('1.0.0-1'))"),
        YES("isSemver('1.2.3') && !isSemver('v1.2.3') && !isSemver('1.2') && !isSemver('01.2.3') && "
            "!isSemver('1.2.3-01') && !isSemver('1.2.3-')"),
        YES("isSemver('v1.2', true) && semver('v01.2', true) == semver('1.2.0')"),
        ERROR("semver('x').major() == 1"),
        ERROR("semver('99999999999999999999.0.0').major() == 1"),
        YES("quantity('1Gi').isGreaterThan(quantity('1G'))"),
        YES("quantity('1').add(quantity('500m')) == quantity('1500m')"),
        YES("quantity('2').sub(1) == quantity('1')"),
        YES("quantity('-1').sign() == -1"),
        YES("quantity('1').isInteger() && !quantity('1500m').isInteger()"),
        YES("quantity('1k').asInteger() == 1000"),
        ERROR("quantity('1m').asInteger() == 0"),
        YES("quantity('1500m').asApproximateFloat() == 1.5"),
        YES("isQuantity('1Gi') && !isQuantity('1GB')"),
        ERROR("quantity('1GB') == quantity('1')"),
        ERROR("semver('1.0.0').compareTo(dyn(quantity('1'))) == 0"),
        WRONG("semver('1.0.0').compareTo(quantity('1')) == 0"),
        WRONG("quantity(1) == quantity('1')"),
        WRONG("quantity() == quantity('1')"),
        WRONG("has(device)"),
        WRONG("has()"),
        BEYOND("device.driver.matches('gpu.*')"),
        BEYOND("device.driver.lowerAscii() == 'x'"),
        BEYOND("duration('1s') == duration('1s')"),
        BEYOND("'a' + 'b' == 'ab'"),
        BEYOND("{'a': 1}['a'] == 1"),
        BEYOND("[1, 2][0] == 1"),
        BEYOND("[1, 2].map(x, x) == [1, 2]"),
        BEYOND("type(1) == int"),
        BEYOND("b'a' == b'a'"),
        BEYOND("a.B{c: 1} == a.B{}"),
        BEYOND(A ".all(k, k != '')"),
        BEYOND("cel.bind(x, [1], true)"),
        BEYOND("1 in dyn([1])"),
    };
    run(list, COUNT(list));
}

static void grammar(void **state)
{
    (void)state;
    static const example list[] = {
        WRONG(""),
        WRONG("this is not valid CEL"),
        WRONG("1 +"),
        WRONG("(true"),
        WRONG("true)"),
        WRONG("'open"),
        WRONG("\"a\nb\" == ''"),
        WRONG("a..b"),
        WRONG("device."),
        WRONG("true &"),
        WRONG("1 = 1"),
        WRONG("f(,)"),
        WRONG("f(1,)"),
        WRONG("for == 1"),
        WRONG("'\\z' == ''"),
        WRONG("'\\u12' == ''"),
        WRONG("'\\ud800' == ''"),
        WRONG("0x == 0"),
        BEYOND("9223372036854775808 > 0"),
        WRONG("99999999999999999999 > 0"),
        WRONG("[1, 2 == 1"),
        WRONG("device.attributes['a' == 1"),
        WRONG("#"),
        WRONG("{'a': }"),
        WRONG("1e == 1"),
        YES(" true // a comment"),
        YES("'\\x41\\101\\u0041\\U00000041\\n' == 'AAAA\\n'"),
        YES("r'\\n' == '\\\\n'"),
        YES("'''a'b\n''' == 'a\\'b\\n'"),
        YES("\"\\\"\" == '\"'"),
        YES("1e3 == 1000.0"),
        YES(".5 < 1.0"),
        YES("true\n\t&&\r\nfalse == false"),
        YES(".device.driver == 'gpu.example.com'"),
        BEYOND("-9223372036854775808 < 0"),
        BEYOND("[?1, 2] == [1]"),
    };
    run(list, COUNT(list));
}

static void arithmetic(void **state)
{
    (void)state;
    static const example list[] = {
        YES("7 - 2 == 5 && 2 * 3 == 6"),
        ERROR("-9223372036854775807 - 2 == 0"),
        ERROR("9223372036854775807 * 2 == 0"),
        ERROR("(-9223372036854775807 - 1) / -1 == 0"),
        ERROR("(-9223372036854775807 - 1) % -1 == 0"),
        YES("(-9223372036854775807 - 1) / 1 < 0"),
        YES("6 / -1 == -6"),
        YES("2u + 3u == 5u && 3u - 2u == 1u && 2u * 3u == 6u && 7u / 2u == 3u && 7u % 2u == 1u"),
        ERROR("1u / 0u == 1u"),
        ERROR("1u % 0u == 1u"),
        ERROR("18446744073709551615u + 1u == 0u"),
        ERROR("18446744073709551615u * 2u == 0u"),
        YES("1.5 - 1.0 == 0.5 && 1.5 * 2.0 == 3.0 && 3.0 / 2.0 == 1.5"),
        ERROR("dyn(1) + dyn(1u) == dyn(2)"),
        ERROR("dyn('a') - dyn('b') == dyn(0)"),
        ERROR("dyn(1.5) % dyn(2.0) == dyn(0.0)"),
        ERROR("dyn(true) + dyn(true) == dyn(2)"),
        YES("-(1.5) == -1.5"),
        ERROR("-dyn('a') == dyn(1)"),
        ERROR("-(-9223372036854775807 - 1) > 0"),
        ERROR("-(1 / 0) == 1"),
        ERROR("1 / 0 + 1 == 1"),
        ERROR("1 + 1 / 0 == 1"),
        ERROR("!dyn(1)"),
        ERROR("dyn(1) ? true : false"),
        ERROR("dyn(1) && true"),
        NO("dyn(1) && false"),
        YES("dyn(1) || true"),
        ERROR("dyn(1) || false"),
        ERROR("true && dyn(1)"),
        YES("int(3) == 3 && int(3u) == 3 && int(-2.9) == -2"),
        ERROR("int(18446744073709551615u) == 1"),
        ERROR("int(1e19) == 1"),
        ERROR("int(-1e19) == 1"),
        ERROR("int(dyn('1')) == 1"),
    };
    run(list, COUNT(list));
}

static void orders(void **state)
{
    (void)state;
    static const example list[] = {
        YES("1 < 1e300 && 1 > -1e300 && 1u > -1e300 && 1e300 > 1"),
        YES("1 > -1.5 && -1 < 1.5 && -2 < -1.5 && -2 > -2.5"),
        YES("2u < 2.5 && 2.5 > 2u && 2 < 2.5 && 2.5 > 2"),
        YES("18446744073709551615u > 9223372036854775807"),
        YES("dyn(1u) > dyn(-1)"),
        YES("dyn(1) < dyn(2) && dyn(1.5) < dyn(2.5) && dyn('a') < dyn('b')"),
        YES("dyn(2.0) == dyn(2)"),
        NO("0.0 / 0.0 < 1.0"),
        NO("1 < 0.0 / 0.0"),
        NO("0.0 / 0.0 >= 1"),
        NO("0.0 / 0.0 == 0.0 / 0.0"),
        NO("dyn(0.0 / 0.0) == dyn(1)"),
        YES("2.5 >= 2.5 && 2.5 <= 2.5"),
        ERROR("dyn(1) < dyn('a')"),
        ERROR("dyn(null) < dyn(null)"),
        ERROR("dyn(true) < dyn(1)"),
        NO("dyn(true) == dyn('true')"),
        YES("false < true && !(true < false)"),
        YES("dyn('a') in ['a']"),
        ERROR("1 / 0 in [1]"),
        ERROR("2 in [1 / 0]"),
        YES("1 in [1, 2] && !(3 in [1, 2])"),
        YES("'gpu.example.com' in device.capacity"),
        NO("'x' in device.capacity"),
        YES("'memory' in " C),
        NO("'x' in " C),
        ERROR("dyn(1) in device.attributes"),
        BEYOND("'a' in dyn(1)"),
        NO("[0, 2].all(x, 1 / x == 1)"),
        ERROR("[0].all(x, 1 / x == 1)"),
        YES("[0, 1].exists(x, 1 / x == 1)"),
        ERROR("[0, 2].exists(x, 1 / x == 1)"),
        ERROR("[0, 1].exists_one(x, 1 / x == 1)"),
        ERROR("[1].all(x, dyn(x))"),
        YES("[].all(x, false)"),
        NO("[].exists(x, true)"),
    };
    run(list, COUNT(list));
}

/* Optional members, and those of values whose type is known late. */
static void late(void **state)
{
    (void)state;
    static const example list[] = {
        YES("has(device.driver)"),
        NO("has(device.attributes[?'nowhere'].x)"),
        YES("has(device.attributes[?'gpu.example.com'].model)"),
        ERROR("has(dyn(1).x)"),
        ERROR("dyn(1).x == dyn(1)"),
        ERROR("device.attributes[dyn(1)].x == 1"),
        YES("device.?driver.orValue('') == 'gpu.example.com'"),
        YES("size(" C ") == 1"),
        YES(C "[?'memory'].hasValue()"),
        YES("device.capacity[?'gpu.example.com'].?memory.hasValue()"),
        NO("device.capacity[?'nowhere'].?memory.hasValue()"),
        ERROR("dyn(1).hasValue()"),
        YES("optional.none().or(optional.of(1)).value() == 1"),
        YES("optional.of(2).or(optional.of(1)).value() == 2"),
        YES("optional.of(2).orValue(3) == 2"),
        YES("optional.none() == optional.none()"),
        NO("optional.of(1) == optional.none()"),
        NO("optional.none() == optional.of(1)"),
        YES("optional.of(1) == optional.of(1)"),
        NO("optional.of(1) == optional.of(2)"),
        NO("dyn(optional.of(1)) == dyn(1)"),
        ERROR("dyn(optional.of(1)) < dyn(1)"),
        ERROR("dyn(1) < dyn(optional.of(1))"),
        ERROR("dyn(optional.of(1)) + dyn(1) == dyn(2)"),
        ERROR("dyn(1).startsWith('a')"),
        ERROR("'a'.startsWith(dyn(1))"),
        ERROR("size(dyn(1)) == 1"),
        ERROR("'a'.contains(dyn(1 / 0))"),
        ERROR("quantity('1').add(dyn('1')) == quantity('2')"),
        ERROR("dyn(1).sign() == 1"),
        YES("quantity('0').sign() == 0 && quantity('2').sign() == 1"),
        YES("quantity('2').add(1) == quantity('3')"),
        ERROR("dyn('a').major() == 1"),
        ERROR("semver(dyn(1)) == semver('1.0.0')"),
        ERROR("dyn(1).compareTo(dyn(2)) == 0"),
        ERROR("dyn(quantity('1')).isLessThan(dyn(semver('1.0.0')))"),
        YES("semver('1.2.3').compareTo(semver('1.2.3')) == 0"),
        YES("quantity('1').compareTo(quantity('2')) == -1"),
    };
    run(list, COUNT(list));
}

static void versions(void **state)
{
    (void)state;
    static const example list[] = {
        YES("semver('2.0.0').isGreaterThan(semver('1.9.9')) && semver('1.3.0').isGreaterThan(semver('1.2.9'))"),
        YES("semver('1.0.0') == semver('1.0.0+b')"),
        YES("semver('1.0.0').isGreaterThan(semver('1.0.0-a')) && semver('1.0.0-a').isLessThan(semver('1.0.0'))"),
        YES("semver('1.0.0-1').isLessThan(semver('1.0.0-a'))"),
        YES("semver('1.0.0-a').isLessThan(semver('1.0.0-a.b')) && "
            "semver('1.0.0-a.b').isGreaterThan(semver('1.0.0-a'))"),
        YES("semver('1.0.0-2').isLessThan(semver('1.0.0-10'))"),
        YES("semver('1.0.0-2').isLessThan(semver('1.0.0-3')) && semver('1.0.0-A').isLessThan(semver('1.0.0-a')) && "
            "semver('1.0.0-a').isLessThan(semver('1.0.0-ab'))"),
        NO("isSemver('1.2.3-a.')"),
        NO("isSemver('1.2.3-a..b')"),
        NO("isSemver('1.2.3-a_b')"),
        NO("isSemver('1.2.3+')"),
        NO("isSemver('1.2.3x')"),
        NO("isSemver('1.2.3.4')"),
        NO("isSemver('')"),
        NO("isSemver('a.b.c')"),
        NO("isSemver('1..3')"),
        NO("isSemver('1.2.3-a{')"),
        NO("isSemver('1.2.3-a[')"),
        NO("isSemver('1.2.3-a:')"),
        YES("isSemver('1.2.3-0a-Zz9+x.01')"),
        YES("isSemver('1', true) && isSemver('v1.2.3', true) && !isSemver('v1.2.3', false) && !isSemver('', true) && "
            "!isSemver('v', true)"),
        ERROR("semver('18446744073709551615.0.0').major() == 1"),
        YES("semver('9223372036854775807.0.0').major() == 9223372036854775807"),
        ERROR("semver('1.0.0', dyn(1)) == semver('1.0.1')"),
    };
    run(list, COUNT(list));
}

/* Spelling of constants, and what is refused before anything is evaluated. */
static void spelling(void **state)
{
    (void)state;
    static const example list[] = {
        YES("0X1f == 31 && 0xAb == 171"),
        YES("1.5e+3 == 1500.0 && 1E-2 < 1.0"),
        WRONG("1e999 > 0.0"),
        WRONG("99999999999999999999u > 0u"),
        YES("5U == 5u"),
        YES("'\\u00e4' == 'ä'"),
        YES("'\\U0001F600' == '😀'"),
        YES("'\\u20ac' == '€'"),
        WRONG("'\\U00110000' == ''"),
        WRONG("'\\xg0' == ''"),
        WRONG("'\\118' == ''"),
        YES("'\\X41' == 'A'"),
        YES("\"\"\"a\"\"b\"\"\" == 'a\"\"b'"),
        WRONG("'''open"),
        YES("R'\\n' == r'\\n'"),
        BEYOND("rb'a' == b'a'"),
        YES("true // ends here\n"),
        YES("true\f"),
        WRONG("cel.bind(x, 1) == 1"),
        WRONG("cel.bind(1, 1, true)"),
        BEYOND("cel.index(1) == 1"),
        WRONG("optional.of() == 1"),
        WRONG("optional.none(1) == 1"),
        WRONG("[1].all(x)"),
        WRONG("[1].all(x, 1)"),
        WRONG("(1).all(x, true)"),
        WRONG("has(device.?driver)"),
        WRONG("has(device.driver, 1)"),
        WRONG("'a'.startsWith('a', 'b')"),
        WRONG("(1).startsWith('a')"),
        BEYOND("[1] == [1]"),
        BEYOND("device == device"),
        WRONG("device.attributes[1].x == 1"),
        WRONG("1 + true == 1"),
        WRONG("true + 1 == 1"),
        WRONG("1 ? true : false"),
        WRONG("-true == 1"),
        WRONG("-1u == 1"),
        WRONG("1 < true"),
        WRONG("null < null"),
        WRONG("true || 1"),
        YES("(true ? dyn(1) : 2) == 1"),
        YES("(false ? 1 : dyn(2)) == dyn(2)"),
        WRONG("device.1 == 1"),
        WRONG("device.?1 == 1"),
        YES("null != dyn(1)"),
        WRONG("1 in device.attributes"),
        BEYOND("[1] in [[1]]"),
        WRONG("device[['a']] == 1"),
        YES("1 == 1 ? true : 1 / 0 == 1"),
        WRONG("true ? : false"),
        WRONG("true ? true"),
        WRONG("!"),
        WRONG("(1).x == 1"),
    };
    run(list, COUNT(list));
}

/* What comes together seldom. */
static void corners(void **state)
{
    (void)state;
    static const example list[] = {
        /* types */
        WRONG("device.attributes[['a']].x == 1"),
        WRONG("device.driver.?x.hasValue()"),
        BEYOND("[1][?0].hasValue()"),
        ERROR("dyn(1).?x.hasValue()"),
        ERROR("dyn(device)['driver'] == 'x'"),
        YES("[1].all(x, cel.bind(y, x, y > 0))"),
        BEYOND("[1].all(cel, cel.bind(y, 1, true))"),
        BEYOND("optional.ofNonZeroValue(1).hasValue()"),
        YES("[1, 2].existsOne(x, x == 2)"),
        BEYOND("dyn(1).all(x, true)"),
        WRONG("(1).compareTo(1) == 0"),
        BEYOND("1 in (true ? dyn(1) : [2])"),
        BEYOND("1 in (true ? [1] : dyn(2))"),
        NO("null == 1"),
        NO("1 == null"),
        BEYOND("dyn(1) == device"),
        WRONG("dyn(1) < quantity('1')"),
        BEYOND("1 in ([1] + [2])"),
        BEYOND("1 in (dyn(1) + [2])"),
        WRONG("dyn(1) % 2.0 == dyn(0)"),
        WRONG("nothing in [1]"),
        /* values */
        ERROR("!optional.of(true)"),
        ERROR("optional.of(true) ? true : false"),
        ERROR("optional.of(1 / 0).hasValue()"),
        ERROR("optional.of(optional.of(1)).value() == 1"),
        ERROR("optional.of(quantity('1')).compareTo(quantity('1')) == 0"),
        ERROR("quantity('1').compareTo(optional.of(quantity('1'))) == 0"),
        ERROR("dyn(1) + dyn(optional.of(1)) == dyn(2)"),
        ERROR("quantity('170000E').add(quantity('170000000000E')).sign() == 1 && "
              "quantity('170000000000E').add(quantity('170000000000E')).sign() == 1"),
        ERROR("quantity('-170000000000E').sub(quantity('170000000000E')).sign() == -1"),
        ERROR("'x' in device.attributes[dyn(1)]"),
        ERROR("'x' in (false ? device.attributes : dyn(1))"),
        ERROR("'x' in (false ? device.attributes : dyn(device.attributes[?'gpu.example.com']))"),
        NO("1.0 < 0.0 / 0.0"),
        YES("!isSemver('1-2.3')"),
        YES("semver('1.0.0--').isLessThan(semver('1.0.0-a'))"),
        YES("semver('1.0.0-10').isGreaterThan(semver('1.0.0-2'))"),
        /* spelling */
        WRONG("1.x == 1"),
        YES("1000.0 == 1e3"),
        WRONG("9223372036854775809 > 0"),
        WRONG("'a\\"),
        WRONG("'a\rb' == ''"),
        WRONG("'\\4' == ''"),
        WRONG("rr'a' == ''"),
        WRONG("bb'a' == ''"),
        BEYOND("br'a' == b'a'"),
        YES("r\"a\" == 'a'"),
        YES("[1].all(x1, x1 == 1)"),
        WRONG("(1){a: 1} == 1"),
        WRONG("a.?b{c: 1} == 1"),
        WRONG("f(1).y{c: 1} == 1"),
        WRONG(".(1) == 1"),
        YES("1 in [1, 2,]"),
        BEYOND("{'a': 1, 'b': 2}.size() == 2"),
    };
    run(list, COUNT(list));
}

/* Depth and length are bounded, whatever is written. */
static void bounds(void **state)
{
    (void)state;
    static char text[70000];
    size_t n = 0;
    while (n < 3000) text[n++] = '(';
    text[n++] = '1';
    text[n] = '\0';
    run(&(example)BEYOND(text), 1);
    memset(text, '!', 5000);
    memcpy(text + 5000, "true", 5);
    run(&(example)YES(text), 1);
    n = 0;
    for (int i = 0; i < 100; i++) n += (size_t)sprintf(text + n, "%strue", i > 0 ? "&&" : "");
    run(&(example)YES(text), 1);
    n = 0;
    for (int i = 0; i < 5000; i++) n += (size_t)sprintf(text + n, "%strue", i > 0 ? "||" : "");
    run(&(example)BEYOND(text), 1);
    text[0] = 'a';
    for (n = 1; n < 62000; n += 2) memcpy(text + n, ".a", 3);
    run(&(example)BEYOND(text), 1);
    memset(text, ' ', 69000);
    memcpy(text + 69000, "true", 5);
    run(&(example)BEYOND(text), 1);
    n = (size_t)sprintf(text, "[");
    for (int i = 0; i < 400; i++) n += (size_t)sprintf(text + n, "%s%d", i > 0 ? "," : "", i);
    n += (size_t)sprintf(text + n, "].all(x, [");
    for (int i = 0; i < 400; i++) n += (size_t)sprintf(text + n, "%s%d", i > 0 ? "," : "", i);
    (void)sprintf(text + n, "].exists(y, x == y))");
    run(&(example)ERROR(text), 1); /* too many steps */
}

static void refused_memory(void **state)
{
    (void)state;
    static const char text[] =
        "cel.bind(g, device.attributes['gpu.example.com'], g.model in ['A', 'H100'] && g.memory > 40)";
    for (size_t n = 1;; n++) {
        fault f = { 0 };
        karp_context *context = fault_context(&f);
        arena a;
        const cel_node *root = NULL;
        arena_init(&a, context);
        fault_arm(&f, n, false);
        uint32_t status = cel_compile(&a, (karp_str){ text, sizeof text - 1 }, &root);
        assert_int_equal(status, f.refused > 0 ? CEL_REFUSED : CEL_COMPILED);
        arena_free(&a);
        karp_context_unref(context);
        assert_int_equal(f.live_blocks, 0);
        if (f.refused == 0) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members),    cmocka_unit_test(operators), cmocka_unit_test(functions),
        cmocka_unit_test(arithmetic), cmocka_unit_test(orders),    cmocka_unit_test(late),
        cmocka_unit_test(versions),   cmocka_unit_test(spelling),  cmocka_unit_test(corners),
        cmocka_unit_test(grammar),    cmocka_unit_test(bounds),    cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("cel", tests, NULL, NULL);
}
