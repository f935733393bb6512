/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/prices.h>

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
