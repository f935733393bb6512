/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/prices.h>

#include <math.h>
#include <schedule/scheduler.h>
#include <schedule/templates.h>
#include <schedule/types.h>
#include <string.h>

double labels_price(const karp_snapshot *w, uint32_t pool, label_list labels, bool reservations)
{
    uint32_t type = type_of_labels(w, pool, labels);
    if (type == NO_ID) return 0;
    const type_table *t = &w->tables[w->pool_table[pool]];
    const instance_type *y = &t->types[type];
    uint32_t zone = label_get(labels, w->known.zone), capacity_type = label_get(labels, w->known.capacity_type),
             first = NO_ID;
    uint32_t reservation = reservations && w->raw.reservation_id != NO_TEXT ? label_get(labels, w->raw.reservation_id)
                                                                            : NO_ID;
    for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
        const offering *o = &t->offerings[i];
        if (o->zone != zone || o->capacity_type != capacity_type) continue;
        if (reservation != NO_ID && o->reservation == reservation) return o->price;
        if (first == NO_ID) first = i;
    }
    return first != NO_ID ? t->offerings[first].price : 0;
}

double worst_launch_price(scheduler *s, const type_table *t, uint32_t type, uint32_t set)
{
    const known_text *k = &s->snapshot->known;
    const uint32_t kinds[] = { k->reserved, k->spot, k->on_demand };
    double worst[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
    bool some[3] = { false, false, false };
    const instance_type *y = &t->types[type];
    for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
        const offering *o = &t->offerings[i];
        if (!offering_launchable(s, o) || !offering_compatible(s, o, set)) continue;
        for (size_t c = 0; c < 3; c++) {
            if (o->capacity_type != kinds[c]) continue;
            some[c] = true;
            if (o->price > worst[c]) worst[c] = o->price;
        }
    }
    for (size_t c = 0; c < 3; c++) {
        if (some[c]) return worst[c];
    }
    return HUGE_VAL;
}

uint32_t types_below(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set, double limit)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (worst_launch_price(s, t, types[i], set) < limit) types[kept++] = types[i];
    }
    return kept;
}

/* The position at which the values of one key are enough, or NO_ID. `seen` is scratch by text id. */
static uint32_t enough_at(scheduler *s, const type_table *t, const uint32_t *types, uint32_t count,
                          const requirement *wanted, uint8_t *seen)
{
    uint32_t have = 0, least = wanted->min_values, key = wanted->key;
    memset(seen, 0, s->snapshot->facts.count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = set_get(&s->algebra, t->types[types[i]].set, key);
        const requirement *r = id == NO_ID ? NULL : requirement_get(&s->algebra, id);
        for (uint32_t v = 0; r != NULL && v < r->value_count; v++) {
            if (in_force(s, RULE_ALLOWED_MIN_VALUES) && !requirement_has(&s->algebra, wanted, r->values[v])) continue;
            have += !seen[r->values[v]];
            seen[r->values[v]] = 1;
        }
        if (have >= least) return i;
    }
    return NO_ID;
}

bool min_values_needed(scheduler *s, const type_table *t, const uint32_t *types, uint32_t count, uint32_t set,
                       uint32_t *needed)
{
    size_t n;
    *needed = 0;
    if (!set_has_min_values(s, set)) return true;
    uint8_t *seen = mem_alloc(s->context, s->snapshot->facts.count);
    if (seen == NULL) {
        s->failed = true;
        return false;
    }
    const set_entry *e = set_entries(&s->algebra, set, &n);
    bool met = true;
    for (size_t i = 0; i < n && met; i++) {
        const requirement *r = requirement_get(&s->algebra, e[i].requirement);
        if (r->min_values == 0) continue;
        uint32_t at = enough_at(s, t, types, count, r, seen);
        met = at != NO_ID;
        if (met && at + 1 > *needed) *needed = at + 1;
    }
    if (!met) *needed = count;
    mem_free(s->context, seen, s->snapshot->facts.count);
    return met;
}
