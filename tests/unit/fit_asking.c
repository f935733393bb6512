/* SPDX-License-Identifier: Apache-2.0 */
#include "fit_asking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

int fit_set_up(void **state)
{
    static fit_world w;
    memset(&w, 0, sizeof w);
    w.context = fault_context(&w.fault);
    karp_fit_request_init(&w.request, sizeof w.request);
    karp_error_init(&w.error, sizeof w.error);
    *state = &w;
    return w.context != NULL ? 0 : -1;
}

int fit_tear_down(void **state)
{
    fit_world *w = *state;
    karp_context_unref(w->context);
    return w->fault.live_blocks == 0 && w->fault.wrong_sizes == 0 ? 0 : -1;
}

void fit_ask(fit_world *w, const karp_fit_type *types, size_t type_count, const karp_fit_node *nodes, size_t node_count,
             const karp_fit_demand *demands, size_t demand_count)
{
    w->request.types = types;
    w->request.type_count = type_count;
    w->request.nodes = nodes;
    w->request.node_count = node_count;
    w->request.demands = demands;
    w->request.demand_count = demand_count;
}

karp_fitting *fit_made(fit_world *w)
{
    karp_fitting *f = NULL;
    karp_status status = karp_fit(w->context, &w->request, &f, &w->error);
    if (status != KARP_OK) fail_msg("%s %s: %s", w->error.object, w->error.field, w->error.message);
    return f;
}

const char *fit_words(const karp_fitting *f)
{
    static char text[2048];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < karp_fitting_load_count(f); i++) {
        karp_fit_load l = { .size = sizeof l };
        assert_int_equal(karp_fitting_load(f, i, &l), KARP_OK);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%ux%llu:", i > 0 ? " " : "", l.launched ? "new" : "",
                              l.index, (unsigned long long)l.nodes);
        for (size_t k = 0; k < l.share_count; k++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u*%llu", k > 0 ? "," : "", l.shares[k].demand,
                                  (unsigned long long)l.shares[k].copies);
        }
        assert_true(n < sizeof text);
    }
    for (size_t i = 0; i < karp_fitting_left_count(f); i++) {
        karp_fit_left l = { .size = sizeof l };
        assert_int_equal(karp_fitting_left(f, i, &l), KARP_OK);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u*%llu %s%s",
                              i > 0   ? ", "
                              : n > 0 ? " | left "
                                      : "left ",
                              l.demand, (unsigned long long)l.copies, karp_fit_reason_name(l.reason),
                              l.permanent ? "!" : "");
        assert_true(n < sizeof text);
    }
    return text;
}

void assert_fit(fit_world *w, const char *expected)
{
    karp_fitting *f = fit_made(w);
    assert_string_equal(fit_words(f), expected);
    karp_fitting_free(f);
}
