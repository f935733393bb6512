/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of types. They are used only when a claim is finished, or when disruption compares prices. */
#include <schedule/pricing.h>

#include <base/go_sort.h>
#include <base/sort.h>
#include <math.h>
#include <model/prepare.h>
#include <schedule/scheduler.h>

struct by_price {
    const scheduler *s;
    const type_table *table;
    const double *prices;
};

static int cheaper(uint32_t x, uint32_t y, const void *user)
{
    const struct by_price *b = user;
    if (b->prices[x] != b->prices[y]) return b->prices[x] < b->prices[y] ? -1 : 1;
    const uint32_t *rank = b->s->snapshot->facts.rank;
    uint32_t rx = rank[b->table->types[x].name], ry = rank[b->table->types[y].name];
    return rx < ry ? -1 : rx > ry;
}

/* The capacity type's index in the table's list, as a bit. */
static uint64_t capacity_type_bit(const type_table *t, uint32_t capacity_type)
{
    uint32_t i = 0;
    while (i < t->capacity_type_count && t->capacity_types[i] != capacity_type) i++;
    return i < t->capacity_type_count ? UINT64_C(1) << (i % 64) : 0;
}

/* The offerings that a claim with these requirements could be launched as, and the number of their capacity types. */
static bool list_offered(scheduler *s, const type_table *t, uint32_t set, struct price_order *o)
{
    uint64_t kinds = 0;
    uint32_t last = NO_ID, table = (uint32_t)(t - s->snapshot->tables);
    const struct pool_template *given = pool_template_of(s->snapshot, table, set);
    if (given != NULL && t->reserved_count == 0) { /* and no stop request has to be polled for */
        o->offered = given->offered;
        o->capacity_types = given->capacity_types;
        return true;
    }
    uint64_t *offered = arena_array(&s->data, bits_words(t->offering_count) + 1, sizeof *offered);
    if (offered == NULL || !types_offered(s, table, set, offered)) return false;
    for (size_t i = bits_next(offered, t->offering_count, 0); i < t->offering_count;
         i = bits_next(offered, t->offering_count, i + 1)) {
        const offering *f = &t->offerings[i];
        if (t->reserved_count > 0 && !offering_launchable(s, f)) bits_clear(offered, i);
        else if (f->capacity_type != last) kinds |= capacity_type_bit(t, last = f->capacity_type);
    }
    o->offered = offered;
    o->capacity_types = t->capacity_type_count > 64 ? t->capacity_type_count : (uint32_t)bits_count(&kinds, 1);
    return true;
}

static struct price_order *price_order_of(scheduler *s, const type_table *t, uint32_t set)
{
    uint64_t key = pair_key((uint32_t)(t - s->snapshot->tables), set);
    uint32_t known = map64_get(&s->types.price_order_of, key);
    if (known != NO_ID) return &s->types.price_orders.items[known];
    struct price_order *o = list_push(s->context, &s->types.price_orders, sizeof *o);
    if (o != NULL) o->prices = arena_alloc(&s->data, (t->type_count + (size_t)1) * sizeof *o->prices);
    /* It can be found when it is whole. */
    bool ok = o != NULL && o->prices != NULL && list_offered(s, t, set, o) &&
              map64_put(&s->types.price_order_of, key, (uint32_t)(s->types.price_orders.count - 1));
    if (!ok) s->failed = true;
    return ok ? o : NULL;
}

const uint64_t *offerings_offered(scheduler *s, const type_table *t, uint32_t set)
{
    const struct price_order *o = price_order_of(s, t, set);
    return o == NULL ? NULL : o->offered;
}

static double least_price(const type_table *t, const struct price_order *o, uint32_t type)
{
    const instance_type *y = &t->types[type];
    double least = 1.7976931348623157e308;
    for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
        if (bits_test(o->offered, i) && t->offerings[i].price < least) least = t->offerings[i].price;
    }
    return least;
}

static bool sort_by_price(scheduler *s, const type_table *t, const struct price_order *o, uint32_t *types,
                          uint32_t count)
{
    struct by_price user = { s, t, o->prices };
    for (uint32_t i = 0; i < count; i++) o->prices[types[i]] = least_price(t, o, types[i]);
    return sort_ids(s->context, types, count, cheaper, &user);
}

/* Computes o->types. */
static bool order_all(scheduler *s, const type_table *t, struct price_order *o)
{
    if (o->types != NULL) return true;
    o->types = arena_array(&s->data, t->type_count + (size_t)1, sizeof *o->types);
    if (o->types == NULL) return false;
    for (uint32_t i = 0; i < t->type_count; i++) o->types[i] = i;
    return sort_by_price(s, t, o, o->types, t->type_count);
}

double cost_of_price(const karp_objective *aim, double price, bool is_spot)
{
    double factor = is_spot && aim->spot_factor > 0 ? aim->spot_factor : 1;
    return price * factor + aim->node_cost;
}

static bool cheapest(scheduler *s, const type_table *t, uint32_t type, uint32_t set, bool left, uint32_t *best)
{
    const uint32_t *rank = s->snapshot->facts.rank;
    const instance_type *y = &t->types[type];
    *best = NO_ID;
    for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
        const offering *o = &t->offerings[i];
        if (!offering_launchable(s, o) || (left && !reservation_left(s, o)) || !offering_compatible(s, o, set))
            continue;
        if (*best == NO_ID || o->price < t->offerings[*best].price) {
            *best = i;
            continue;
        }
        const offering *b = &t->offerings[*best];
        if (o->price != b->price || o->zone == NO_ID || b->zone == NO_ID || o->capacity_type == NO_ID ||
            b->capacity_type == NO_ID)
            continue;
        if (rank[o->zone] < rank[b->zone] || (o->zone == b->zone && rank[o->capacity_type] < rank[b->capacity_type]))
            *best = i;
    }
    return *best != NO_ID;
}

bool cheapest_offering(scheduler *s, const type_table *t, uint32_t type, uint32_t set, uint32_t *best)
{
    return cheapest(s, t, type, set, false, best);
}

bool cheapest_left(scheduler *s, const type_table *t, uint32_t type, uint32_t set, uint32_t *best)
{
    return cheapest(s, t, type, set, true, best);
}

/* Keeps the first type with each name. */
static uint32_t drop_repeated_names(scheduler *s, const type_table *t, uint32_t *list, uint32_t count)
{
    uint8_t *seen = mem_zalloc(s->context, s->snapshot->facts.count);
    uint32_t kept = 0;
    if (seen == NULL) {
        s->failed = true;
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = t->types[list[i]].name;
        if (!seen[name]) list[kept++] = list[i];
        seen[name] = 1;
    }
    mem_free(s->context, seen, s->snapshot->facts.count);
    return kept;
}

static bool type_kept(const instance_type *y, const uint64_t *fitting)
{
    for (uint32_t v = y->variant_first; v < y->variant_first + y->variant_count; v++) {
        if (bits_test(fitting, v)) return true;
    }
    return false;
}

/* Up to so many types are sorted separately, without sorting all. */
enum { FEW_TYPES = 64 };

uint32_t *types_by_price(scheduler *s, const type_table *t, const uint64_t *fitting, uint32_t set, arena *a,
                         uint32_t *count)
{
    struct price_order *o = price_order_of(s, t, set);
    size_t most = bits_count(fitting, bits_words(t->variant_count));
    uint32_t *list = o == NULL ? NULL : arena_array(a, most + 1, sizeof *list), n = 0;
    bool few = most <= FEW_TYPES, ok = list != NULL && (few || order_all(s, t, o));
    *count = 0;
    if (ok && few) n = types_of_variants(t, fitting, list);
    for (uint32_t i = 0; ok && !few && i < t->type_count && n < most; i++) {
        if (type_kept(&t->types[o->types[i]], fitting)) list[n++] = o->types[i];
    }
    if (!ok || (few && !sort_by_price(s, t, o, list, n))) return mem_refused_null(&s->failed);
    *count = t->repeated_names ? drop_repeated_names(s, t, list, n) : n;
    return list;
}

uint32_t capacity_types_offered(const scheduler *s, const type_table *t, uint32_t set)
{
    uint32_t known = map64_get(&s->types.price_order_of, pair_key((uint32_t)(t - s->snapshot->tables), set));
    return known == NO_ID ? t->capacity_type_count : s->types.price_orders.items[known].capacity_types;
}

bool order_by_price(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set)
{
    const struct price_order *o = price_order_of(s, t, set);
    return o != NULL && sort_by_price(s, t, o, types, count);
}

bool peer_order_by_price(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t set)
{
    const struct price_order *o = price_order_of(s, t, set);
    size_t bytes = count * sizeof(uint64_t) + t->type_count * sizeof(uint32_t);
    uint64_t *slots = o == NULL || !sort_by_price(s, t, o, types, count) ? NULL : mem_alloc(s->context, bytes + 1);
    if (slots == NULL) return false;
    uint32_t *rank_of = (uint32_t *)(slots + count), rank = 0;
    for (uint32_t i = 0; i < count; i++) {
        rank += i > 0 && o->prices[types[i]] > o->prices[types[i - 1]];
        rank_of[types[i]] = rank;
    }
    bool ok = sort_numbers(s->context, types, count);
    for (uint32_t i = 0; i < count; i++) slots[i] = (uint64_t)rank_of[types[i]] << 32 | types[i];
    if (ok) go_sort(slots, count);
    for (uint32_t i = 0; i < count && ok; i++) types[i] = (uint32_t)slots[i];
    mem_free(s->context, slots, bytes + 1);
    return ok;
}

bool cut_by_price(scheduler *s, const type_table *t, uint32_t *types, uint32_t count, uint32_t most, uint32_t set)
{
    return count <= most || (peer_order_by_price(s, t, types, count, set) && order_by_price(s, t, types, most, set) &&
                             order_by_price(s, t, types + most, count - most, set));
}

bool cheapest_of_labels(scheduler *s, const type_table *t, uint32_t type, label_list labels, double *price)
{
    const instance_type *y = &t->types[type];
    uint32_t set = set_of_labels(&s->algebra, labels, NULL);
    bool some = false;
    if (set == NO_ID) return false;
    for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
        const offering *o = &t->offerings[i];
        if (!offering_compatible(s, o, set)) continue;
        if (!some || o->price < *price) *price = o->price;
        some = true;
    }
    return some;
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

/* The index at which the values of one key suffice, or NO_ID. `seen` is scratch by text id. */
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
    if (seen == NULL) return mem_refused(&s->failed);
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
