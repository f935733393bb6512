/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/market.h>
#include <math.h>

#include <base/str.h>
#include <model/quantity.h>

static bool read_bound(market *m, uint32_t key, const karp_requirement *r)
{
    quantity number;
    bool lower = r->op == KARP_OP_GT || r->op == KARP_OP_GTE;
    if (!lower && r->op != KARP_OP_LT && r->op != KARP_OP_LTE) return false;
    if (r->value_count != 1 || m->bound_count == MOST_BOUNDS ||
        quantity_parse(r->values[0].ptr, r->values[0].len, &number) != 0)
        return false;
    int64_t value = (int64_t)amount_double(number.value);
    m->bounds[m->bound_count++] = (bound){ key, lower ? value + (r->op == KARP_OP_GT) : INT64_MIN,
                                           lower ? INT64_MAX : value - (r->op == KARP_OP_LT) };
    return true;
}

/* Whether the type has a number within each bound. */
static bool is_within(market *m, const instance_type *t)
{
    bool within = true;
    for (uint32_t i = 0; i < m->bound_count && within; i++) {
        uint32_t id = set_get(&m->algebra, t->set, m->bounds[i].key);
        const requirement *r = id == NO_ID ? NULL : requirement_get(&m->algebra, id);
        within = r == NULL || r->complement;
        for (uint32_t k = 0; r != NULL && !r->complement && k < r->value_count && !within; k++) {
            const string_number *n = &m->algebra.facts->numbers[r->values[k]];
            within = n->is_number && n->value >= m->bounds[i].least && n->value <= m->bounds[i].most;
        }
    }
    return within;
}

/* The launch's requirements as a set. All their keys and values are texts of the snapshot; others are left out. */
static bool read_set(arena *a, const karp_snapshot *s, const karp_launch *l, karp_str without, market *m)
{
    demand d = { EMPTY_SET, NO_ID };
    for (size_t i = 0; i < l->requirement_count; i++) {
        const karp_requirement *r = &l->requirements[i];
        expression x = { .key = strings_find(&s->raw.text, r->key.ptr, r->key.len), .op = r->op };
        if (equal_str(r->key, without)) continue;
        uint32_t *values = arena_array(a, r->value_count + 1, sizeof *values);
        if (values == NULL) return false;
        for (size_t k = 0; k < r->value_count; k++) {
            uint32_t value = strings_find(&s->raw.text, r->values[k].ptr, r->values[k].len);
            if (value != NO_ID) values[x.value_count++] = value;
        }
        x.values = values;
        if (x.key != NO_ID && read_bound(m, x.key, r)) continue;
        if (x.key == NO_ID || (r->value_count > 0 && x.value_count == 0)) continue;
        if (!demand_of_expressions(&m->algebra, (expression_list){ &x, 1 }, &d)) return false;
    }
    m->set = d.set;
    return true;
}

static bool read_requests(arena *a, const karp_snapshot *s, const karp_launch *l, market *m)
{
    resource_amount *list = arena_array(a, l->request_count + 1, sizeof *list);
    uint32_t count = 0;
    if (list == NULL) return false;
    for (size_t i = 0; i < l->request_count; i++) {
        quantity q;
        const karp_resource *r = &l->requests[i];
        uint32_t resource = strings_find(&s->raw.resources, r->name.ptr, r->name.len);
        if (resource == NO_ID || quantity_parse(r->text.ptr, r->text.len, &q) != 0) continue;
        list[count++] = (resource_amount){ .resource = resource, .value = q.value, .binary = q.binary };
    }
    m->requests = (resource_list){ list, count };
    return true;
}

double market_price(market *m, uint32_t type)
{
    const instance_type *t = &m->table->types[type];
    double least = HUGE_VAL;
    if (!set_agree(&m->algebra, t->set, m->set) || !is_within(m, t)) return least;
    for (uint32_t i = 0; i < t->offering_count; i++) {
        const offering *o = &m->table->offerings[t->offering_first + i];
        if (!o->available || o->price >= least) continue;
        if (set_compatible(&m->algebra, m->set, o->set, true)) least = o->price;
    }
    return least;
}

bool is_bytes(const karp_snapshot *s, uint32_t resource)
{
    return resource == RESOURCE_MEMORY || str_is(strings_get(&s->raw.resources, resource), "ephemeral-storage") ||
           resource_is_hugepages(&s->raw.resources, resource);
}

void add_quantity(strbuf *b, amount value, bool binary)
{
    char number[QUANTITY_TEXT];
    strbuf_add(b, number, quantity_format((quantity){ .value = value, .binary = binary }, number));
}

/* The unit in which both amounts are whole numbers although one of them has a smaller unit than the other; NULL = each
 * is written by itself. */
static const char *common_unit(amount a, amount b, bool binary, int64_t *first, int64_t *second)
{
    amount unit = binary ? amount_whole(1 << 20) : amount_from(AMOUNT_NANO / 1000);
    int64_t larger = binary ? 1024 : 1000;
    if (!amount_scale(a, unit, first) || !amount_scale(b, unit, second)) return NULL;
    if ((*first % larger == 0) == (*second % larger == 0)) return NULL;
    return binary ? "Mi" : "m";
}

void add_quantities(strbuf *b, amount value, const char *between, amount other, bool binary)
{
    int64_t first, second;
    const char *unit = common_unit(value, other, binary, &first, &second);
    if (unit != NULL) {
        strbuf_addi(b, first);
        strbuf_adds(b, unit);
    } else {
        add_quantity(b, value, binary);
    }
    strbuf_adds(b, between);
    if (unit != NULL) {
        strbuf_addi(b, second);
        strbuf_adds(b, unit);
    } else {
        add_quantity(b, other, binary);
    }
}

bool market_lacking(const market *m, uint32_t type)
{
    const instance_type *t = &m->table->types[type];
    for (uint32_t i = 0; i < m->requests.count; i++) {
        const resource_amount *r = &m->requests.items[i];
        if (amount_cmp(r->value, resource_list_get(t->allocatable_list, r->resource)) > 0) return true;
    }
    return false;
}

uint32_t market_launched(const karp_snapshot *s, const market *m, const karp_launch *l)
{
    uint32_t type = 0;
    while (type < m->table->type_count && !equal_str(text_of(s, m->table->types[type].name), l->choice.instance_type))
        type++;
    return type;
}

/* "cpu (2600m requested, 1100m of it by DaemonSets, 1930m there)" for each resource of which the type has too little */
static void show_lacking(const karp_snapshot *s, market *m, const karp_launch *l, uint32_t type, strbuf *b)
{
    uint32_t count = 0, own = market_launched(s, m, l);
    for (uint32_t i = 0; i < m->requests.count; i++) {
        const resource_amount *r = &m->requests.items[i];
        amount has = resource_list_get(m->table->types[type].allocatable_list, r->resource);
        amount daemons = own == m->table->type_count || r->resource == RESOURCE_PODS
                             ? amount_from(0)
                             : daemons_on(s, m, &s->raw.pools.items[pool_named(s, l->node_pool)], own, r->resource);
        if (amount_cmp(r->value, has) <= 0) continue;
        if (count++ > 0) strbuf_adds(b, " and ");
        strbuf_put(b, "", strings_get(&s->raw.resources, r->resource), " (");
        if (amount_sign(daemons) > 0) {
            add_quantities(b, r->value, " requested, ", daemons, r->binary);
            strbuf_adds(b, " of it by DaemonSets, ");
            add_quantity(b, has, r->binary);
        } else {
            add_quantities(b, r->value, " requested, ", has, r->binary);
        }
        strbuf_adds(b, " there)");
    }
}

bool market_show_type(const karp_snapshot *s, market *m, const karp_launch *l, strbuf *b)
{
    uint32_t allowed = 0, fitting = 0, cheaper = NO_ID;
    double best = -HUGE_VAL;
    for (uint32_t t = 0; t < m->table->type_count; t++) {
        double price = market_price(m, t);
        if (price >= HUGE_VAL) continue;
        bool fits = !market_lacking(m, t);
        allowed++;
        fitting += fits;
        if (fits || price >= l->choice.price || price <= best) continue;
        best = price;
        cheaper = t;
    }
    strbuf_addstr(b, l->choice.instance_type);
    if (allowed == 1) {
        strbuf_adds(b, " is the only available type that the requirements allow");
        return false;
    }
    if (fitting > 1) {
        strbuf_putu(b, " is the cheapest of ", fitting, " types that fit, of ");
    } else {
        strbuf_adds(b, " is the only type that fits, of ");
    }
    strbuf_putu(b, "", allowed, " that the requirements allow");
    if (cheaper == NO_ID) return false;
    strbuf_put(b, "; the next cheaper one, ", text_of(s, m->table->types[cheaper].name), ", lacks ");
    show_lacking(s, m, l, cheaper, b);
    return true;
}

bool market_of(karp_context *context, arena *a, const karp_snapshot *s, const karp_launch *l, karp_str without,
               market *m, bool *refused)
{
    uint32_t pool = pool_named(s, l->node_pool);
    if (l->choice.instance_type.len == 0 || pool == NO_ID || s->pool_table[pool] == NO_ID) return false;
    *m = (market){ .set = EMPTY_SET, .table = &s->tables[s->pool_table[pool]] };
    bool ok = algebra_init(&m->algebra, context, &s->facts, &s->algebra);
    if (ok && read_set(a, s, l, without, m) && read_requests(a, s, l, m)) return true;
    if (ok) algebra_free(&m->algebra);
    *refused = true;
    return false;
}

bool show_launch_type(karp_context *context, arena *a, const karp_snapshot *s, const karp_launch *l, strbuf *b,
                      bool *lacks)
{
    market m;
    bool refused = false;
    if (!market_of(context, a, s, l, (karp_str){ "", 0 }, &m, &refused)) return !refused;
    *lacks = market_show_type(s, &m, l, b);
    refused = m.algebra.failed;
    algebra_free(&m.algebra);
    return !refused;
}

double amount_named(const karp_resource *list, size_t count, karp_str name, karp_str *text)
{
    for (size_t i = 0; i < count; i++) {
        quantity q;
        if (!equal_str(list[i].name, name) || quantity_parse(list[i].text.ptr, list[i].text.len, &q) != 0) continue;
        *text = list[i].text;
        return amount_double(q.value);
    }
    return 0;
}

bool launch_fullest(const karp_launch *l, launch_use *out)
{
    *out = (launch_use){ .part = -1 };
    for (size_t i = 0; i < l->request_count; i++) {
        karp_str has = { "", 0 }, asked = has;
        double a = amount_named(l->allocatable, l->allocatable_count, l->requests[i].name, &has);
        double r = amount_named(l->requests, l->request_count, l->requests[i].name, &asked);
        if (!(a > 0) || r / a <= out->part) continue;
        *out = (launch_use){ l->requests[i].name, asked, has, r / a };
    }
    return out->part >= 0;
}
