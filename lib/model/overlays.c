/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NodeOverlays. The changes that overlays make to a NodePool's types are collected by type name
 * and offering. Then the NodePool's catalogues are made again with these changes. NodePools that no overlay matches
 * use the original catalogues.
 */
#include <model/translate.h>

#include <base/error.h>
#include <base/sort.h>
#include <math.h>
#include <model/label_rules.h>
#include <model/prepare.h>
#include <model/price_expression.h>
#include <model/quantity.h>

/* The price of offerings with one requirement set, of types with one name. */
typedef struct price_update {
    const overlay *by; /* the first overlay, in order, that set it */
    int32_t lowest; /* weight of the last overlay that would have set it */
} price_update;

/* The changes to the types with one name. */
typedef struct type_update {
    resource_list capacity; /* in the store's resource ids */
    resource_list last; /* capacity of the last overlay with a capacity */
    int32_t lowest; /* weight of that overlay */
} type_update;

typedef struct pool_updates {
    map64 type_of; /* type name (text) -> types */
    map64 price_of; /* (type name, offering's set) -> prices */
    LIST_OF(type_update) types;
    LIST_OF(price_update) prices;
} pool_updates;

typedef struct overlaying {
    karp_snapshot *s;
    struct translation *translations; /* by catalogue */
    struct catalogue_sets {
        uint32_t *types, *offerings;
    } * known; /* by catalogue; the offerings of all types in order */
    pool_updates *pools;
    uint32_t *sets; /* scratch for the offerings of one type */
    const overlay **suppliers; /* valid overlays that supply prices, in order */
    size_t supplier_count;
    bool refused;
    const overlay *without; /* an overlay whose expression has no price for some offering; NULL = none */
    const char *why; /* it has none */
    double price; /* of that offering */
} overlaying;

/* ---- validation and order ---------------------------------------------------------------------------------------- */

/* The text is not empty. */
static bool is_adjustment(karp_str text, bool *adjusts, bool *percent, double *value)
{
    *adjusts = text.ptr[0] == '+' || text.ptr[0] == '-';
    bool negative = *adjusts && text.ptr[0] == '-';
    if (*adjusts) {
        text.ptr++;
        text.len--;
    }
    *percent = *adjusts && text.len > 0 && text.ptr[text.len - 1] == '%';
    if (*percent) text.len--;
    if (text.len == 0 || text.ptr[0] == '+' || text.ptr[0] == '-' || karp_double_parse(text, value) != KARP_OK)
        return false;
    if (negative) *value = -*value;
    return true;
}

static karp_str price_of(const overlay *o)
{
    return o->price.len > 0 ? o->price : o->price_adjustment.len > 0 ? o->price_adjustment : o->price_expression;
}

static bool valid(const karp_snapshot *s, const overlay *o)
{
    static const char *const own[] = { "cpu", "memory", "ephemeral-storage", "pods" };
    bool adjusts, percent;
    double value;
    for (uint32_t i = 0; i < o->requirements.count; i++) {
        const expression *e = &o->requirements.items[i];
        if (requirement_wrong(s, e->key, e->op, e->values, e->value_count, 0) != NULL) return false;
        if (e->op == KARP_OP_NOT_IN && e->value_count == 0) return false;
    }
    for (uint32_t i = 0; i < o->capacity.count; i++) {
        karp_str name = strings_get(&s->raw.resources, o->capacity.items[i].resource);
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
            if (equal_str(name, str(own[k]))) return false;
        }
    }
    return o->price_expression.len > 0 || price_of(o).len == 0 ||
           is_adjustment(price_of(o), &adjusts, &percent, &value);
}

/* By descending weight; equal weights by descending name. */
static int by_weight(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    const overlay *a = &s->raw.overlays.items[x], *b = &s->raw.overlays.items[y];
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    return -compare_str(name_of(s, a->meta.name), name_of(s, b->meta.name));
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* The labels and requirements that every node of the NodePool has. */
static uint32_t pool_set(overlaying *w, uint32_t pool)
{
    karp_snapshot *s = w->s;
    uint32_t set = set_of_labels(&s->algebra, s->raw.pools.items[pool].template_labels, NULL);
    if (set == NO_ID) return EMPTY_SET;
    return set_add(&s->algebra, set, requirement_in(&s->algebra, s->known.node_pool, s->pool_names[pool].name));
}

/* Calls `see` for each type of the NodePool with a matching offering. sets[] has the requirement sets of the matching
 * ones, in order. false = `see` returned false. */
typedef bool (*see_type)(overlaying *w, uint32_t pool, const overlay *o, uint32_t name, const uint32_t *sets,
                         uint32_t count);

static bool match(overlaying *w, uint32_t pool, const overlay *o, see_type see)
{
    karp_snapshot *s = w->s;
    demand wanted = { EMPTY_SET, NO_ID };
    uint32_t base = pool_set(w, pool);
    if (!demand_of_expressions(&s->algebra, o->requirements, &wanted)) w->refused = true;
    for (uint32_t u = 0; u < s->pool_catalogues[pool].count && !w->refused; u++) {
        uint32_t index = s->pool_catalogues[pool].items[u];
        const karp_catalogue *c = s->catalogues[index];
        const uint32_t *offered = w->known[index].offerings;
        for (uint32_t t = 0; t < c->count && !w->refused; offered += c->types[t++].offering_count) {
            const catalogue_type *type = &c->types[t];
            if (!mem_work(s->context, type->offering_count + (size_t)8)) w->refused = true;
            uint32_t n = 0, set = set_meet(&s->algebra, base, w->known[index].types[t]);
            if (!set_compatible(&s->algebra, set, wanted.set, false)) continue;
            for (uint32_t i = 0; i < type->offering_count; i++) {
                if (set_compatible(&s->algebra, wanted.set, offered[i], true)) w->sets[n++] = offered[i];
            }
            uint32_t name = w->translations[index].text[type->name];
            if (n > 0 && !w->refused && !see(w, pool, o, name, w->sets, n)) return false;
        }
    }
    return !w->refused;
}

/* ---- conflicts --------------------------------------------------------------------------------------------------- */

static bool no_conflict(overlaying *w, uint32_t pool, const overlay *o, uint32_t name, const uint32_t *sets,
                        uint32_t count)
{
    const pool_updates *p = &w->pools[pool];
    uint32_t known = map64_get(&p->type_of, name);
    if (known == NO_ID) return true;
    for (uint32_t i = 0; i < count && price_of(o).len > 0; i++) {
        uint32_t price = map64_get(&p->price_of, pair_key(name, sets[i]));
        if (price != NO_ID && p->prices.items[price].lowest == o->weight) return false;
    }
    const type_update *t = &p->types.items[known];
    for (uint32_t i = 0; i < o->capacity.count && t->lowest == o->weight; i++) {
        if (resource_list_find(t->last, o->capacity.items[i].resource) != NULL) return false;
    }
    return true;
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

static type_update *update_of(overlaying *w, pool_updates *p, uint32_t name)
{
    uint32_t known = map64_get(&p->type_of, name);
    if (known != NO_ID) return &p->types.items[known];
    type_update *t = list_push(w->s->context, &p->types, sizeof *t);
    if (t == NULL || !map64_put(&p->type_of, name, (uint32_t)(p->types.count - 1))) w->refused = true;
    return w->refused ? NULL : t;
}

static bool set_price(overlaying *w, pool_updates *p, const overlay *o, uint32_t name, uint32_t set)
{
    uint32_t known = map64_get(&p->price_of, pair_key(name, set));
    if (known != NO_ID) {
        p->prices.items[known].lowest = o->weight;
        return true;
    }
    price_update *u = list_push(w->s->context, &p->prices, sizeof *u);
    if (u == NULL || !map64_put(&p->price_of, pair_key(name, set), (uint32_t)(p->prices.count - 1))) {
        w->refused = true;
        return false;
    }
    *u = (price_update){ o, o->weight };
    return true;
}

static bool collect(overlaying *w, uint32_t pool, const overlay *o, uint32_t name, const uint32_t *sets, uint32_t count)
{
    pool_updates *p = &w->pools[pool];
    if (price_of(o).len == 0 && o->capacity.count == 0) return true;
    type_update *t = update_of(w, p, name);
    if (t == NULL) return false;
    if (o->capacity.count > 0) {
        /* Values of an overlay of higher weight are kept. */
        if (resource_list_override(&w->s->data, o->capacity, t->capacity, &t->capacity) != KARP_OK) w->refused = true;
        t->last = o->capacity;
        t->lowest = o->weight;
    }
    for (uint32_t i = 0; i < count && price_of(o).len > 0 && !w->refused; i++) {
        if (!set_price(w, p, o, name, sets[i])) return false;
    }
    return !w->refused;
}

/* Whether a provider uses the overlay's price for a type without a known price. The overlay must have a price and
 * select types by name only. */
static bool supplies(const overlaying *w, const overlay *o)
{
    bool adjusts, percent;
    double value;
    if (o->price.len == 0 || !is_adjustment(o->price, &adjusts, &percent, &value) || adjusts) return false;
    return o->requirements.count == 1 && o->requirements.items[0].key == w->s->known.instance_type &&
           o->requirements.items[0].op == KARP_OP_IN;
}

/* An overlay applies to all NodePools or to none. */
static void apply_overlay(overlaying *w, overlay *o)
{
    uint32_t pools = (uint32_t)w->s->raw.pools.count;
    for (uint32_t p = 0; p < pools; p++) {
        o->is_void = !match(w, p, o, no_conflict) && !w->refused;
        if (o->is_void || w->refused) return;
    }
    if (supplies(w, o)) w->suppliers[w->supplier_count++] = o;
    for (uint32_t p = 0; p < pools && !w->refused; p++) (void)match(w, p, o, collect);
}

/* ---- new catalogues ---------------------------------------------------------------------------------------------- */

static double adjusted(double price, karp_str change)
{
    bool adjusts, percent;
    double value = 0;
    (void)is_adjustment(change, &adjusts, &percent, &value); /* always succeeds, because the overlay is valid */
    double result = !adjusts ? value : percent ? price * (1 + value / 100) : price + value;
    if (!isfinite(result)) return price;
    return result >= 0 ? result : 0;
}

/* The price that the overlay makes of the cloud's. */
static double overlaid_price(overlaying *w, const overlay *by, double price)
{
    double result = price;
    const char *why;
    bool beyond;
    if (by->price_expression.len == 0) return adjusted(price, price_of(by));
    if (price_evaluate(by->price_expression, price, &result, &why, &beyond)) return result;
    if (w->without == NULL) {
        w->without = by;
        w->why = why;
        w->price = price;
    }
    return price;
}

/* The offering gets the missing price from the first overlay, by weight, that names the type. */
static void supply_price(const overlaying *w, uint32_t name, karp_offering *o)
{
    for (size_t k = 0; k < w->supplier_count; k++) {
        const expression *types = &w->suppliers[k]->requirements.items[0];
        uint32_t i = 0;
        while (i < types->value_count && types->values[i] != name) i++;
        if (i == types->value_count) continue;
        o->price = adjusted(o->price, w->suppliers[k]->price);
        o->available = 1;
        o->awaits_price = 0;
        return;
    }
}

static const karp_offering *overlaid_offerings(overlaying *w, arena *a, uint32_t index, const catalogue_type *type,
                                               const uint32_t *sets, const pool_updates *p)
{
    karp_offering *list = arena_array(a, type->offering_count + (size_t)1, sizeof *list);
    uint32_t name = w->translations[index].text[type->name];
    if (list == NULL) return NULL;
    for (uint32_t i = 0; i < type->offering_count; i++) {
        list[i] = type->shown.offerings[i];
        if (list[i].awaits_price && !list[i].available) supply_price(w, name, &list[i]);
        uint32_t known = map64_get(&p->price_of, pair_key(name, sets[i]));
        if (known == NO_ID) continue;
        list[i].price = overlaid_price(w, p->prices.items[known].by, list[i].price);
        list[i].price_from_overlay = 1;
        list[i].capacity_override = NULL; /* the offering is made again, without its overrides */
        list[i].capacity_override_count = 0;
        list[i].has_capacity_override = 0;
        list[i].overhead_override = NULL;
    }
    return list;
}

static const karp_resource *overlaid_capacity(const karp_snapshot *s, arena *a, const karp_instance_type *type,
                                              resource_list more, size_t *count)
{
    karp_resource *list = arena_array(a, type->capacity_count + (size_t)more.count + 1, sizeof *list);
    size_t n = type->capacity_count;
    if (list == NULL) return NULL;
    if (n > 0) memcpy(list, type->capacity, n * sizeof *list);
    for (uint32_t i = 0; i < more.count; i++) {
        char text[QUANTITY_TEXT];
        size_t length = quantity_format((quantity){ .value = more.items[i].value, .binary = more.items[i].binary },
                                        text),
               at = 0;
        karp_str name = strings_get(&s->raw.resources, more.items[i].resource);
        while (at < n && !equal_str(list[at].name, name)) at++;
        list[at] = (karp_resource){ .name = name, .text = { arena_string(a, text, length), length } };
        if (list[at].text.ptr == NULL) return NULL;
        if (at == n) n++;
    }
    *count = n;
    return list;
}

/* The type's offerings are in the same order in the catalogue that was made of `from`'s. */
static bool keep_list_prices(karp_catalogue *made, uint32_t type, const catalogue_type *from)
{
    double *prices = arena_array(&made->data, from->offering_count + (size_t)1, sizeof *prices);
    if (prices == NULL) return false;
    for (uint32_t i = 0; i < from->offering_count; i++) prices[i] = from->shown.offerings[i].price;
    made->types[type].list_prices = prices;
    return true;
}

static karp_status without_price(const overlaying *w, karp_error *error)
{
    karp_status status = fail(error, KARP_E_INVALID, "for the price %g: %s", w->price, w->why);
    error_set_object(error, "NodeOverlay", (karp_str){ "", 0 }, name_of(w->s, w->without->meta.name));
    error_set_field(error, "spec.priceExpression");
    return status;
}

/* The catalogue as the NodePool sees it; *out stays NULL when nothing of it is changed. */
static karp_status overlaid(overlaying *w, arena *a, uint32_t pool, uint32_t index, karp_catalogue **out,
                            karp_error *error)
{
    const karp_catalogue *c = w->s->catalogues[index];
    const pool_updates *p = &w->pools[pool];
    karp_instance_type *types = arena_array(a, c->count + (size_t)1, sizeof *types);
    const uint32_t *sets = w->known[index].offerings;
    bool touched = false;
    if (types == NULL) return fail_nomem(error);
    for (uint32_t t = 0; t < c->count; sets += c->types[t++].offering_count) {
        types[t] = c->types[t].shown;
        uint32_t known = map64_get(&p->type_of, w->translations[index].text[c->types[t].name]);
        if (known == NO_ID) continue;
        const type_update *u = &p->types.items[known];
        touched = true;
        types[t].offerings = overlaid_offerings(w, a, index, &c->types[t], sets, p);
        types[t].capacity_from_overlay = u->capacity.count > 0;
        if (u->capacity.count > 0)
            types[t].capacity = overlaid_capacity(w->s, a, &c->types[t].shown, u->capacity, &types[t].capacity_count);
        if (types[t].offerings == NULL || (u->capacity.count > 0 && types[t].capacity == NULL))
            return fail_nomem(error);
    }
    if (w->without != NULL) return without_price(w, error);
    if (!touched) return KARP_OK;
    karp_status status = catalogue_overlaid(w->s->context, types, c->count, out, error);
    for (uint32_t t = 0; t < c->count && status == KARP_OK; t++) {
        /* Before 1.15 such types have no devices and no volume limits (Q-11, K15-7). */
        bool changed = map64_get(&p->type_of, w->translations[index].text[c->types[t].name]) != NO_ID;
        (*out)->types[t].overlaid = changed;
        if (changed && !keep_list_prices(*out, t, &c->types[t])) status = fail_nomem(error);
    }
    if (status == KARP_OK || *out == NULL) return status;
    karp_catalogue_unref(*out);
    *out = NULL;
    return status;
}

static karp_status remake(overlaying *w, uint32_t pool, karp_error *error)
{
    karp_snapshot *s = w->s;
    if (w->pools[pool].types.count == 0) return KARP_OK;
    for (uint32_t u = 0; u < s->pool_catalogues[pool].count; u++) {
        karp_catalogue *made = NULL;
        arena a = arena_on(s->context);
        karp_status status = overlaid(w, &a, pool, s->pool_catalogues[pool].items[u], &made, error);
        arena_free(&a);
        if (status != KARP_OK) return status;
        if (made == NULL) continue;
        s->pool_catalogues[pool].items[u] = s->catalogue_count;
        s->catalogues[s->catalogue_count++] = made;
    }
    return KARP_OK;
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static bool uses(const store *raw, const catalogue_use *use, uint32_t pool)
{
    if (use->pool_count == 0) return true;
    for (uint32_t i = 0; i < use->pool_count; i++) {
        if (use->pools[i] == raw->pools.items[pool].meta.name) return true;
    }
    return false;
}

/* Lists the catalogues as given. */
static bool list_catalogues(karp_snapshot *s, bool overlays)
{
    store *raw = &s->raw;
    size_t given = raw->catalogues.count, pools = raw->pools.count, most = given, lists;
    if (overlays && (!size_mul(given, pools, &most) || !size_add(most, given, &most))) return false;
    if (!size_mul(given, pools, &lists)) return false;
    s->catalogues = arena_array(&s->data, most + 1, sizeof(karp_catalogue *));
    s->pool_catalogues = arena_array(&s->data, pools + 1, sizeof *s->pool_catalogues);
    uint32_t *items = arena_array(&s->data, lists + 1, sizeof *items);
    if (s->catalogues == NULL || s->pool_catalogues == NULL || items == NULL) return false;
    s->catalogue_count = s->catalogues_given = (uint32_t)given;
    for (size_t i = 0; i < given; i++) s->catalogues[i] = raw->catalogues.items[i].catalogue;
    for (uint32_t p = 0; p < pools; p++) {
        s->pool_catalogues[p].items = items + p * given;
        for (uint32_t u = 0; u < given; u++) {
            if (uses(raw, &raw->catalogues.items[u], p)) s->pool_catalogues[p].items[s->pool_catalogues[p].count++] = u;
        }
    }
    return true;
}

static bool find_sets(overlaying *w, uint32_t index)
{
    karp_snapshot *s = w->s;
    const karp_catalogue *c = s->catalogues[index];
    uint32_t *types = arena_array(&s->data, c->count + (size_t)1, sizeof *types), n = 0;
    uint32_t *offerings = arena_array(&s->data, (size_t)c->offering_total + 1, sizeof *offerings);
    if (types == NULL || offerings == NULL) return false;
    for (uint32_t t = 0; t < c->count; t++) {
        const catalogue_type *type = &c->types[t];
        types[t] = translate_set(s, &w->translations[index], type->requirements);
        if (types[t] == NO_ID) return false;
        for (uint32_t i = 0; i < type->offering_count; i++) {
            offerings[n] = translate_set(s, &w->translations[index], type->offerings[i].requirements);
            if (offerings[n++] == NO_ID) return false;
        }
    }
    w->known[index] = (struct catalogue_sets){ types, offerings };
    return true;
}

static bool begin_overlays(overlaying *w, karp_snapshot *s)
{
    uint32_t most = 0;
    w->translations = arena_array(&s->data, s->catalogue_count + (size_t)1, sizeof *w->translations);
    w->pools = arena_array(&s->data, s->raw.pools.count + 1, sizeof *w->pools);
    w->known = arena_array(&s->data, s->catalogue_count + (size_t)1, sizeof *w->known);
    if (w->translations == NULL || w->pools == NULL || w->known == NULL) return false;
    for (size_t p = 0; p < s->raw.pools.count; p++) {
        map64_init(&w->pools[p].type_of, s->context);
        map64_init(&w->pools[p].price_of, s->context);
    }
    for (uint32_t i = 0; i < s->catalogue_count; i++) {
        if (!translate(s, s->catalogues[i], &w->translations[i]) || !find_sets(w, i)) return false;
        for (uint32_t t = 0; t < s->catalogues[i]->count; t++) {
            if (s->catalogues[i]->types[t].offering_count > most) most = s->catalogues[i]->types[t].offering_count;
        }
    }
    w->sets = arena_array(&s->data, most + (size_t)1, sizeof *w->sets);
    return w->sets != NULL;
}

static void end(overlaying *w)
{
    for (size_t p = 0; w->pools != NULL && p < w->s->raw.pools.count; p++) {
        map64_free(&w->pools[p].type_of);
        map64_free(&w->pools[p].price_of);
        list_free(w->s->context, &w->pools[p].types, sizeof(type_update));
        list_free(w->s->context, &w->pools[p].prices, sizeof(price_update));
    }
}

static karp_status lay_over(overlaying *w, karp_error *error)
{
    karp_snapshot *s = w->s;
    size_t n = s->raw.overlays.count;
    uint32_t *order = arena_array(&s->data, n, sizeof *order);
    w->suppliers = arena_array(&s->data, n, sizeof *w->suppliers);
    if (order == NULL || w->suppliers == NULL || !begin_overlays(w, s)) return fail_nomem(error);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    if (!sort_ids(s->context, order, n, by_weight, s)) return fail_nomem(error);
    for (size_t i = 0; i < n && !w->refused; i++) {
        overlay *o = &s->raw.overlays.items[order[i]];
        if (valid(s, o)) apply_overlay(w, o);
    }
    if (w->refused || s->algebra.failed) return fail_nomem(error);
    for (uint32_t p = 0; p < s->raw.pools.count; p++) {
        karp_status status = remake(w, p, error);
        if (status != KARP_OK) return status;
    }
    return KARP_OK;
}

karp_status prepare_catalogues(karp_snapshot *s, karp_error *error)
{
    bool overlays = s->raw.overlays.count > 0 && (s->raw.settings.gates & KARP_GATE_NODE_OVERLAY) != 0;
    if (!list_catalogues(s, overlays)) return fail_nomem(error);
    if (!overlays) return KARP_OK;
    overlaying w = { .s = s };
    karp_status status = lay_over(&w, error);
    end(&w);
    return status;
}

void forget_catalogues(karp_snapshot *s)
{
    for (uint32_t i = s->catalogues_given; i < s->catalogue_count; i++) karp_catalogue_unref(s->catalogues[i]);
}
