/* SPDX-License-Identifier: Apache-2.0 */
/* Reserved capacity (scheduling.md 25). */
#include <string.h>

#include "memory.h"
#include "scheduler.h"

static struct reservation *find(const struct scheduler *s, const char *id)
{
    for (size_t i = 0; i < s->reservation_count; i++) {
        if (strcmp(s->reservations[i].id, id) == 0) {
            return &s->reservations[i];
        }
    }
    return NULL;
}

static void learn(struct scheduler *s, const struct offering *o)
{
    struct reservation *known = find(s, o->reservation);
    if (known == NULL) {
        s->reservations = ref_push(s->reservations, s->reservation_count, sizeof s->reservations[0]);
        s->reservations[s->reservation_count++] = (struct reservation){ o->reservation, o->reservation_capacity };
    } else if (o->reservation_capacity < known->free) {
        known->free = o->reservation_capacity;
    }
}

void ref_reservations_read(struct scheduler *s)
{
    for (size_t p = 0; p < s->pool_count; p++) {
        for (size_t i = 0; i < s->pools[p].types.count; i++) {
            const struct instance_type *type = s->pools[p].types.items[i];
            for (size_t j = 0; j < type->offering_count; j++) {
                if (type->offerings[j].reserved) {
                    learn(s, &type->offerings[j]);
                }
            }
        }
    }
}

refusal ref_reserve(const struct scheduler *s, const struct claim *claim, struct types types,
                    struct requirements requirements, struct names *ids)
{
    const char **items = NULL;
    size_t count = 0;
    bool any = false, full = false, other = !ref_since(1015);
    *ids = (struct names){ NULL, 0 };
    if (!s->world->reserved_gate) {
        return NULL;
    }
    for (size_t i = 0; i < types.count; i++) {
        for (size_t j = 0; j < types.items[i]->offering_count; j++) {
            const struct offering *o = &types.items[i]->offerings[j];
            if (!ref_offering_usable(o, requirements)) {
                continue;
            }
            other = other || !o->reserved;
            full = full || (ref_since(1015) && o->reserved && o->reservation_capacity <= 0);
            if (!o->reserved || (ref_since(1015) && o->reservation_capacity <= 0)) {
                continue; /* K15-4 */
            }
            any = true;
            const struct reservation *r = find(s, o->reservation);
            if (ref_names_has(claim->held, o->reservation) || (r != NULL && r->free > 0)) {
                items = ref_push(items, count, sizeof *items);
                items[count++] = o->reservation;
            }
        }
    }
    *ids = ref_names_sorted(items, count);
    if (full && !any && !other) {
        return s->world->reserved_fallback ? "RESERVED_FULL" : REFUSED_RESERVED;
    }
    bool refused = !s->world->reserved_fallback && count == 0 && (any || claim->held.count > 0);
    return refused ? REFUSED_RESERVED : NULL;
}

static void change(struct scheduler *s, struct names ids, struct names except, int by)
{
    for (size_t i = 0; i < ids.count; i++) {
        struct reservation *r = find(s, ids.items[i]);
        if (r != NULL && !ref_names_has(except, ids.items[i])) {
            r->free += by;
        }
    }
}

void ref_hold(struct scheduler *s, struct claim *claim, struct names ids)
{
    change(s, ids, claim->held, -1);
    change(s, claim->held, ids, 1);
    claim->held = ids;
}
