/* SPDX-License-Identifier: Apache-2.0 */
#include <model/agreement.h>

#include <base/bits.h>

void mark_agreeing_types(algebra *a, const type_table *t, uint32_t k, uint32_t required, uint64_t *variants)
{
    const key_values *by = &t->type_values[k];
    for (uint32_t g = 0; g < by->count; g++) {
        if (by->values[g] != NO_ID && !requirement_agree(a, required, by->values[g])) continue;
        for (uint32_t i = by->first[g]; i < by->first[g + 1]; i++) {
            const instance_type *y = &t->types[by->items[i]];
            for (uint32_t v = 0; v < y->variant_count; v++) bits_set(variants, y->variant_first + v);
        }
    }
}

bool offering_key_agrees(const karp_snapshot *w, algebra *a, uint32_t key, uint32_t required, uint32_t have)
{
    if (have == NO_ID) return true;
    if (required == NO_ID) return w->facts.well_known[key] || requirement_negative(requirement_get(a, have));
    return requirement_agree(a, required, have);
}

void mark_agreeing_offerings(const karp_snapshot *w, algebra *a, const type_table *t, uint32_t k, uint32_t required,
                             uint64_t *offerings)
{
    const key_values *by = &t->offering_values[k];
    for (uint32_t g = 0; g < by->count; g++) {
        if (!offering_key_agrees(w, a, t->offering_keys[k], required, by->values[g])) continue;
        for (uint32_t i = by->first[g]; i < by->first[g + 1]; i++) bits_set(offerings, by->items[i]);
    }
}

void mark_available(const type_table *t, uint64_t *offerings)
{
    for (uint32_t i = 0; i < t->offering_count; i++) {
        if (t->offerings[i].available) bits_set(offerings, i);
    }
}
