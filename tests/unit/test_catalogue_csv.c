/* SPDX-License-Identifier: Apache-2.0 */
/* Price lists: one machine a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <support/fault.h>
#include <support/plain.h>

#define HEAD "name,cpu,memory,pods,zones,price\n"

static karp_status read_list(karp_context *own, const char *text, karp_catalogue **out, karp_error *error)
{
    *out = NULL;
    return karp_catalogue_read(own, text_of("machines.csv"), text_of(text), out, error);
}

static const char whole[] = "# ours\r\n\n price , name,zones,pods,memory,cpu,spot,arch,ephemeral-storage\r\n"
                            "0.61,r640,rack-1;rack-2 ,250,192Gi,32,,,\r\n"
                            "1.10,\"pi, small\",\"rack-2, rack-1\",110,8Gi,4,0.2,arm64,64G";

static void a_list(void **state)
{
    (void)state;
    karp_catalogue *c = NULL;
    assert_int_equal(read_list(context, whole, &c, NULL), KARP_OK);
    assert_int_equal(karp_catalogue_count(c), 2);
    const karp_instance_type *t = karp_catalogue_type(c, 1);
    assert_true(same(t->name, text_of("pi, small")));
    assert_int_equal(t->offering_count, 4);
    assert_int_equal(t->capacity_count, 4);
    t = karp_catalogue_type(c, 0);
    assert_true(same(t->name, text_of("r640")));
    assert_int_equal(t->offering_count, 2);
    assert_true(t->offerings[1].price == 0.61 && t->offerings[1].available);
    assert_int_equal(t->capacity_count, 3);
    karp_catalogue_unref(c);
}

static void bad_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
        uint32_t line;
    } cases[] = {
        { "", "", 0 },
        { "name,cpu,memory,pods,zones\n", "price", 1 },
        { "name,name\n", "", 1 },
        { "name,colour\n", "", 1 },
        { HEAD "a,1,2Gi,3,z\n", "price", 2 },
        { HEAD "a,1,2Gi,3,,1\n", "zones", 2 },
        { HEAD "a,1,2Gi,3,z;z,1\n", "zones", 2 },
        { HEAD "a,1,2Gi,3,z,1,9\n", "", 2 },
        { HEAD "a,1,2Gi,3,\"z,1\n", "", 2 },
        { HEAD "a,1,2Gi,3,\"z\"y,1\n", "", 2 },
        { HEAD "#\na,one,2Gi,3,z,1\n", "capacity.cpu", 3 },
        { HEAD "a,1,2Gi,3,z,-1\n", "offerings[0].price", 2 },
        { HEAD "a,1,2Gi,3,z,cheap\n", "offerings[0].price", 2 },
        { HEAD ",,,,,,,,,,,,,,,,,,,,,,\n", "", 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karp_catalogue *c = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(read_list(context, cases[i].text, &c, &error), KARP_E_INVALID);
        assert_string_equal(error.field, cases[i].field);
        assert_int_equal(error.line, cases[i].line);
        assert_string_equal(error.document, "machines.csv");
        assert_null(c);
    }
}

static void refused_memory(void **state)
{
    (void)state;
    for (size_t at = 1;; at++) {
        static fault f;
        memset(&f, 0, sizeof f);
        karp_context *own = fault_context(&f);
        karp_catalogue *c = NULL;
        fault_arm(&f, at, at % 2 == 0);
        karp_status status = read_list(own, whole, &c, NULL);
        bool any = f.refused > 0;
        assert_int_equal(status, any ? KARP_E_NOMEM : KARP_OK);
        karp_catalogue_unref(c);
        karp_context_unref(own);
        assert_int_equal(f.live_blocks, 0);
        if (!any) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list),
        cmocka_unit_test(bad_lists),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests_name("catalogue_csv", tests, set_up, tear_down);
}
