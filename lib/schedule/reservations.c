/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reserved capacity. A claim uses at most one instance of each reservation that it might be
 * launched from.
 */
#include <schedule/claims.h>

#include <schedule/report.h>
#include <schedule/scheduler.h>
#include <schedule/templates.h>
#include <schedule/types.h>

/* Whether nodes can be launched from a table. Reservations of unusable NodePools do not count. */
static bool serves(const scheduler *s, uint32_t table)
{
    const karp_snapshot *snapshot = s->snapshot;
    for (uint32_t p = 0; p < snapshot->raw.pools.count; p++) {
        if (snapshot->pool_table[p] == table && pool_usable(snapshot, &snapshot->raw.pools.items[p])) return true;
    }
    return false;
}

bool reservations_add(scheduler *s, const type_table *t)
{
    struct reservations *r = &s->reservations;
    for (uint32_t i = 0; t->reserved_count > 0 && i < t->offering_count; i++) {
        const offering *o = &t->offerings[i];
        if (o->capacity_type != s->snapshot->known.reserved) continue;
        uint32_t number = map64_get(&r->numbers, o->reservation);
        if (number == NO_ID) {
            number = r->count++;
            if (!map64_put(&r->numbers, o->reservation, number)) return false;
            r->left[number] = o->reservation_capacity;
            r->texts[number] = o->reservation;
        }
        if (o->reservation_capacity < r->left[number]) r->left[number] = o->reservation_capacity;
        r->initial[number] = r->left[number];
    }
    return true;
}

bool reservations_init(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    struct reservations *r = &s->reservations;
    size_t most = 0;
    map64_init(&r->numbers, s->context);
    for (uint32_t t = 0; t < snapshot->table_count; t++) most += snapshot->tables[t].reserved_count;
    r->left = arena_array(&s->data, most + 1, sizeof *r->left);
    r->initial = arena_array(&s->data, most + 1, sizeof *r->initial);
    r->texts = arena_array(&s->data, most + 1, sizeof *r->texts);
    r->listed = arena_array(&s->data, most + 1, 2 * sizeof *r->listed);
    if (r->left == NULL || r->initial == NULL || r->texts == NULL || r->listed == NULL) return false;
    r->held = r->listed + most + 1;
    for (uint32_t t = 0; t < snapshot->table_count; t++) {
        if (snapshot->tables[t].reserved_count > 0 && serves(s, t) && !reservations_add(s, &snapshot->tables[t]))
            return false;
    }
    for (uint32_t i = 0; i < r->credit_count; i++) {
        uint32_t number = map64_get(&r->numbers, r->credits[i].reservation);
        if (number != NO_ID) r->initial[number] = r->left[number] += r->credits[i].slots;
    }
    return true;
}

static int64_t credit_of(const scheduler *s, uint32_t reservation)
{
    int64_t slots = 0;
    for (uint32_t i = 0; i < s->reservations.credit_count; i++) {
        if (s->reservations.credits[i].reservation == reservation) slots += s->reservations.credits[i].slots;
    }
    return slots;
}

void reservations_free(scheduler *s) { map64_free(&s->reservations.numbers); }

/* Marks numbers as listed. Until the next call, marks[id] == the result means that id is listed. */
static uint32_t mark(struct reservations *r, uint32_t *marks, const uint32_t *ids, uint32_t count)
{
    r->stamp++;
    for (uint32_t i = 0; i < count; i++) marks[ids[i]] = r->stamp;
    return r->stamp;
}

/* Whether the reservation has no free capacity and none is freed (K15-4). Before 1.15 such a reservation was treated
 * like any other. */
static bool is_full(const scheduler *s, const offering *o)
{
    return in_force(s, RULE_FULL_RESERVATIONS) && o->reservation_capacity <= 0 && credit_of(s, o->reservation) <= 0;
}

uint32_t reservations_wanted(scheduler *s, const claim *c, uint32_t template_number, const uint64_t *fitting,
                             uint32_t set, uint32_t **ids, uint32_t *count)
{
    const type_table *table = s->templates.items[template_number].table;
    struct reservations *r = &s->reservations;
    uint32_t *list = arena_array(&s->round.data, r->count + (size_t)1, sizeof *list), n = 0, last = NO_ID;
    /* a reservation with capacity, one without, an offering that is not reserved */
    bool some = false, full = false, other = !in_force(s, RULE_FULL_RESERVATIONS);
    if (list == NULL) {
        s->failed = true;
        return KARP_REASON_NOT_REACHED;
    }
    uint32_t held = mark(r, r->held, c->reserved, c->reserved_count), listed = mark(r, r->listed, NULL, 0);
    size_t width = table->variant_count;
    for (size_t v = bits_next(fitting, width, 0); v < width; v = bits_next(fitting, width, v + 1)) {
        if (table->variants[v].type == last) continue;
        last = table->variants[v].type;
        const instance_type *type = &table->types[last];
        for (uint32_t i = 0; i < type->offering_count; i++) {
            const offering *o = &table->offerings[type->offering_first + i];
            bool reserved = o->capacity_type == s->snapshot->known.reserved;
            if (!o->available || (!reserved && other) || !offering_compatible(s, o, set)) continue;
            other = other || !reserved;
            if (!reserved) continue;
            if (is_full(s, o)) {
                full = true;
                continue;
            }
            uint32_t id = map64_get(&r->numbers, o->reservation);
            some = true;
            if ((r->held[id] != held && r->left[id] <= 0) || r->listed[id] == listed) continue;
            r->listed[id] = listed;
            list[n++] = id;
        }
    }
    *ids = list;
    *count = n;
    /* Where nothing but reservations is allowed and other launches hold them all, Karpenter falls back to a launch that
     * none is left for. */
    bool none_left = some && n == 0 && s->settings.options->profile == KARP_PROFILE_KARP;
    if (!other && (none_left || (full && !some)))
        return s->settings.reserved_fallback ? KARP_REASON_RESERVED_FULL : KARP_REASON_RESERVED;
    if (s->settings.reserved_fallback || n > 0) return KARP_REASON_NONE;
    return some || c->reserved_count > 0 ? KARP_REASON_RESERVED : KARP_REASON_NONE;
}

void reservations_hold(scheduler *s, claim *c, uint32_t *ids, uint32_t count)
{
    struct reservations *r = &s->reservations;
    for (uint32_t i = 0; i < count; i++) r->left[ids[i]]--;
    for (uint32_t i = 0; i < c->reserved_count; i++) r->left[c->reserved[i]]++;
    c->reserved = ids;
    c->reserved_count = count;
}

bool reservation_left(const scheduler *s, const offering *o)
{
    bool reserved = o->capacity_type == s->snapshot->known.reserved;
    uint32_t number = reserved ? map64_get(&s->reservations.numbers, o->reservation) : NO_ID;
    return number == NO_ID || s->reservations.left[number] > 0;
}

void reservation_use_one(scheduler *s, const offering *o)
{
    bool reserved = o->capacity_type == s->snapshot->known.reserved;
    uint32_t number = reserved ? map64_get(&s->reservations.numbers, o->reservation) : NO_ID;
    if (number != NO_ID) s->reservations.left[number]--;
}

/* ---- reservations that a NodePool excludes ----------------------------------------------------------------------- */

const offering *reservation_excluded(algebra *a, const karp_snapshot *s, const type_table *table, uint32_t set)
{
    uint32_t wider = set_remove(a, set, s->known.capacity_type);
    const offering *found = NULL;
    for (uint32_t i = 0; table->has_reservations && i < table->offering_count; i++) {
        const offering *o = &table->offerings[i];
        if (o->capacity_type != s->known.reserved || !o->available || o->reservation_capacity <= 0) continue;
        if (set_compatible(a, set, o->set, true)) return NULL; /* it is used */
        if (found == NULL && set_agree(a, table->types[o->type].set, wider) && set_compatible(a, wider, o->set, true))
            found = o;
    }
    return found;
}

bool report_reservations(scheduler *s, karp_decision *d)
{
    const karp_snapshot *snapshot = s->snapshot;
    bool ok = true;
    for (uint32_t t = 0; ok && t < s->templates.count; t++) {
        const template_ *from = &s->templates.items[t];
        karp_str name = pool_name(snapshot, from->pool);
        const offering *o = from->table->has_reservations && launches_of(d, name) > 0
                                ? reservation_excluded(&s->algebra, snapshot, from->table, from->set)
                                : NULL;
        if (o == NULL) continue;
        strbuf b = strbuf_on(s->context);
        strbuf_put(&b, "NodePool ", name,
                   " does not use a capacity reservation of its node class: its capacity types exclude ");
        strbuf_addi(&b, o->reservation_capacity);
        strbuf_adds(&b, o->reservation_capacity == 1 ? " free instance of " : " free instances of ");
        strbuf_put(&b, "", text_of(snapshot, from->table->types[o->type].name), " (add reserved to them)");
        ok = !b.failed && decision_warn(d, b.ptr, b.len);
        strbuf_free(&b);
    }
    return ok && !s->algebra.failed;
}
