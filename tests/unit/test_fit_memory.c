/* SPDX-License-Identifier: Apache-2.0 */
/* karp_fit() while memory is refused: so many demands and types that most lists take a block of their own. */
#include "fit_asking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { DEMANDS = 3000, TYPES = 300 };

static void test_refused(void **state)
{
    static karp_fit_demand demands[DEMANDS];
    static karp_fit_type types[TYPES];
    static karp_resource few[] = { { .name = T("cpu"), .text = T("1") } },
                         many[] = { { .name = T("cpu"), .text = T("4") } };
    fit_world *w = *state;
    for (size_t i = 0; i < DEMANDS; i++)
        demands[i] = (karp_fit_demand){ .requests = few, .request_count = 1, .count = 1 };
    for (size_t i = 0; i < TYPES; i++)
        types[i] = (karp_fit_type){ .name = T(""), .resources = many, .resource_count = 1, .price = 1 };
    fit_ask(w, types, TYPES, NULL, 0, demands, DEMANDS);
    size_t blocks = w->fault.live_blocks, bytes = w->fault.live_bytes;
    for (size_t at = 1;; at++) {
        karp_fitting *f = NULL;
        fault_arm(&w->fault, at, false);
        karp_status status = karp_fit(w->context, &w->request, &f, &w->error);
        bool refused = w->fault.refused > 0;
        fault_arm(&w->fault, 0, false);
        if (!refused) {
            assert_int_equal(status, KARP_OK);
            karp_fitting_free(f);
            assert_true(at > 10);
            break;
        }
        assert_int_equal(status, KARP_E_NOMEM);
        assert_null(f);
        assert_int_equal(w->fault.live_blocks, blocks);
        assert_int_equal(w->fault.live_bytes, bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_refused, fit_set_up, fit_tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
