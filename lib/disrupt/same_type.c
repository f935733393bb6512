/* SPDX-License-Identifier: Apache-2.0 */
/* Replacing nodes of types A, A, B by another A would be the same as deleting the others alone (deprovisioning.md §16). */
#include <disrupt/consolidate.h>

#include <math.h>
#include <schedule/pricing.h>

static uint32_t type_name(const pass *p, const candidate *c)
{
    return p->snapshot->tables[p->snapshot->pool_table[c->pool]].types[c->type].name;
}

static bool held_at(scheduler *s, const pass *p, const candidate *c, double *price)
{
    const karp_snapshot *w = p->snapshot;
    return cheapest_of_labels(s, &w->tables[w->pool_table[c->pool]], c->type, w->nodes[c->node].labels, price);
}

/* The least price at which a candidate of the type is held; 0 when no offering agrees, infinite when no candidate is of it. */
static double price_of_kind(scheduler *s, const pass *p, const command *c, uint32_t name)
{
    double least = HUGE_VAL, one = 0.0;
    bool used = false, priced = false;
    for (uint32_t i = 0; i < c->candidate_count; i++) {
        const candidate *x = &p->candidates[c->candidates[i]];
        if (type_name(p, x) != name) continue;
        used = true;
        if (!held_at(s, p, x, &one)) continue;
        priced = true;
        if (one < least) least = one;
    }
    return used && !priced ? 0.0 : least;
}

bool same_type_filter(const pass *p, const command *c, replacement *r)
{
    scheduler *s = c->simulation->s;
    const type_table *t = result_table(s, r->claim);
    double limit = HUGE_VAL;
    uint32_t kept = 0, needed;
    uint32_t *types = arena_array(&c->simulation->data, r->type_count + (size_t)1, sizeof *types);
    if (types == NULL) {
        scheduler_fail(s);
        return false;
    }
    for (uint32_t i = 0; i < r->type_count; i++) {
        double one = price_of_kind(s, p, c, t->types[r->types[i]].name);
        if (one < limit) limit = one;
    }
    for (uint32_t i = 0; i < r->type_count; i++) types[i] = r->types[i];
    kept = types_below(s, t, types, r->type_count, r->set, limit);
    r->types = types;
    r->type_count = kept;
    return kept > 0 && min_values_needed(s, t, types, kept, r->set, &needed);
}
