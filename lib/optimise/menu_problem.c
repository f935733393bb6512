/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/menu_problem.h>

bool menu_problem(arena *a, const menu *m, packing_problem *out)
{
    uint32_t *counts = arena_array(a, m->class_count + (size_t)1, sizeof *counts);
    uint32_t *limits = arena_array(a, m->class_count + (size_t)1, sizeof *limits);
    double *prices = arena_array(a, m->offer_count + (size_t)1, sizeof *prices);
    if (counts == NULL || limits == NULL || prices == NULL) return false;
    for (uint32_t c = 0; c < m->class_count; c++) {
        counts[c] = m->classes[c].count;
        limits[c] = m->classes[c].limit;
    }
    for (uint32_t o = 0; o < m->offer_count; o++) prices[o] = m->offers[o].price;
    *out = (packing_problem){ .dims = m->dims,
                              .class_count = m->class_count,
                              .offer_count = m->offer_count,
                              .requests = m->requests,
                              .counts = counts,
                              .limits = limits,
                              .spaces = m->spaces,
                              .prices = prices,
                              .allowed = m->allowed,
                              .conflicts = m->conflicts };
    return packing_rate(a, out);
}

uint32_t menu_types(scheduler *s, const menu *m, uint32_t offer, const policy *p, uint32_t *known)
{
    const menu_offer *o = &m->offers[offer];
    if (known[offer] == 0) known[offer] = 1 + guide_types(s, o->template_, o->offering, p);
    return known[offer] - 1;
}
