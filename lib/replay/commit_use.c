/* SPDX-License-Identifier: Apache-2.0 */
/* The hours that nodes ran on demand, by instance type; and the table of what could be bought. */
#include <replay/cell_table.h>
#include <replay/commit.h>
#include <replay/engine.h>

#include <karp/inspect.h>
#include <math.h>

#define HOUR (3600 * SECOND)

/* ---- offers ------------------------------------------------------------------------------------------------------ */

enum { OFFER_NAME, OFFER_FACTOR, OFFER_FAMILY, OFFER_TYPE, OFFER_TERM, OFFER_COLUMNS };

static karp_status read_offer(cell_table *t, size_t *room, const karp_str *cells)
{
    commit_offer o = { .factor = 0 };
    replay_base *b = &t->r->base;
    if (cells[OFFER_NAME].len == 0) return cell_table_wrong(t, "an offer without a name");
    if (karp_double_parse(cells[OFFER_FACTOR], &o.factor) != KARP_OK || !(o.factor > 0 && o.factor < 1))
        return cell_table_wrong(t, "factor is what is paid of the list price, such as 0.66: more than 0, less than 1");
    if (cells[OFFER_FAMILY].len > 0 && cells[OFFER_TYPE].len > 0)
        return cell_table_wrong(t, "an offer is about a family or an instance type, not both");
    o.name = trace_keep(&b->trace, cells[OFFER_NAME]);
    o.term = trace_keep(&b->trace, cells[OFFER_TERM]);
    o.family = trace_keep(&b->trace, cells[OFFER_FAMILY]);
    o.instance_type = trace_keep(&b->trace, cells[OFFER_TYPE]);
    if (!o.name.ptr || !o.term.ptr || !o.family.ptr || !o.instance_type.ptr ||
        !arena_grow(&b->trace.memory, (void **)&b->offers, room, b->offer_count + 1, sizeof o))
        return fail_nomem(&t->r->error);
    b->offers[b->offer_count++] = o;
    return KARP_OK;
}

karp_status commit_read_offers(replay *r)
{
    static const char *const names[OFFER_COLUMNS] = { "name", "factor", "family", "instance_type", "term" };
    const karp_replay_document *document = r->options.commitment_offers;
    if (!document) return KARP_OK;
    cell_table t = {
        .columns = names,
        .column_count = OFFER_COLUMNS,
        .needed = OFFER_FAMILY,
        .wanted = "a table of offers has the columns name, family or instance_type (if you like), term (if "
                  "you like), factor"
    };
    karp_str cells[OFFER_COLUMNS];
    size_t room = 0;
    karp_status status = cell_table_open(&t, r, document);
    while (cell_table_next(&t, cells, &status)) status = read_offer(&t, &room, cells);
    cell_table_close(&t);
    return status;
}

/* ---- hours ------------------------------------------------------------------------------------------------------- */

static bool ends_with_family(karp_str key) { return str_ends(key, "/instance-family") || str_ends(key, "/sku-family"); }

static void find_family(const engine *e, commit_use *u)
{
    for (size_t i = 0; i < e->base->catalogue_count && !u->family.len; i++) {
        const karp_catalogue *c = e->base->catalogues[i];
        const karp_instance_type *type;
        for (size_t k = 0; (type = karp_catalogue_type(c, k)) != NULL; k++) {
            if (!equal_str(type->name, u->instance_type)) continue;
            for (size_t m = 0; m < type->requirement_count; m++) {
                const karp_requirement *q = &type->requirements[m];
                if (!ends_with_family(q->key) || q->value_count != 1) continue;
                u->family = q->values[0];
                u->family_label = q->key;
            }
            break;
        }
    }
}

static commit_use *use_of(engine *e, struct commit_result *r, karp_str type, bool reserved)
{
    arena *memory = e->commit_memory;
    for (size_t i = 0; i < r->use_count; i++) {
        if (r->uses[i].reserved == reserved && equal_str(r->uses[i].instance_type, type)) return &r->uses[i];
    }
    if (!arena_grow(memory, (void **)&r->uses, &r->use_room, r->use_count + 1, sizeof *r->uses)) return NULL;
    commit_use *u = &r->uses[r->use_count];
    *u = (commit_use){ .reserved = reserved };
    u->instance_type = (karp_str){ arena_string(memory, type.ptr, type.len), type.len };
    u->hours = arena_array(memory, r->hour_count + 1, sizeof *u->hours);
    if (!u->hours || !u->instance_type.ptr) return NULL;
    find_family(e, u);
    r->use_count++;
    return u;
}

static void count_hours(const engine *e, commit_use *u, size_t hours, const replay_node *n)
{
    const int64_t begins = e->trace->begins, from = n->billed, to = n->gone ? n->gone_at : e->now;
    for (int64_t at = from; at < to;) {
        int64_t hour = (at - begins) / HOUR, next = begins + (hour + 1) * HOUR;
        if (next > to) next = to;
        if (hour >= 0 && (size_t)hour < hours) u->hours[hour] += (double)(next - at) / (double)HOUR;
        at = next;
    }
}

static void count_whole(commit_use *u, size_t hours)
{
    u->least = UINT32_MAX;
    for (size_t h = 0; h < hours; h++) {
        double whole = floor(u->hours[h] + 1e-9);
        uint32_t nodes = whole < 4e9 ? (uint32_t)whole : UINT32_MAX;
        if (nodes < u->least) u->least = nodes;
        if (nodes > u->most) u->most = nodes;
    }
}

/* Capacity reservations of the catalogues, used or not. */
static bool list_reservations(engine *e, struct commit_result *r)
{
    for (size_t i = 0; i < e->base->catalogue_count; i++) {
        const karp_instance_type *type;
        for (size_t k = 0; (type = karp_catalogue_type(e->base->catalogues[i], k)) != NULL; k++) {
            int64_t offered = 0;
            for (size_t m = 0; m < type->offering_count; m++) offered += type->offerings[m].reservation_capacity;
            commit_use *u = offered > 0 ? use_of(e, r, type->name, true) : NULL;
            if (offered > 0 && !u) return false;
            if (u && u->offered < offered) u->offered = offered;
        }
    }
    return true;
}

static bool count_nodes(engine *e, struct commit_result *r)
{
    for (size_t i = 0; i < e->nodes.count; i++) {
        const replay_node *n = &e->nodes.list[i];
        bool reserved = str_is(n->capacity_type, "reserved");
        double price = n->list_price > 0 ? n->list_price : n->price;
        if (!reserved && !(str_is(n->capacity_type, "on-demand") && price > 0)) continue;
        commit_use *u = use_of(e, r, n->instance_type, reserved);
        if (!u) return false;
        if (!reserved) u->price = price;
        count_hours(e, u, r->hour_count, n);
    }
    return true;
}

void commit_find(engine *e)
{
    const replay_base *b = e->base;
    if (!e->commit_memory || b->offer_count == 0) return;
    struct commit_result *r = arena_array(e->commit_memory, 1, sizeof *r);
    if (r) r->hour_count = (size_t)((e->now - e->trace->begins) / HOUR); /* whole hours */
    bool fine = r && list_reservations(e, r) && count_nodes(e, r);
    for (size_t i = 0; fine && i < r->use_count; i++) count_whole(&r->uses[i], r->hour_count);
    if (!fine || !commit_best(r, b->offers, b->offer_count, e->commit_memory)) engine_nomem(e);
    else e->meter.result.commitments = r;
}
