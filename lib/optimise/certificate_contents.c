/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that no content of a node in whole pods is worth more than the node costs, by looking at all of them: the
 * classes are added one after another, and partial contents are kept by load. One is dropped if no completion of it
 * can be worth more than the cost, by any of the given shares or by tables made from them (certificate_rest.h), or if
 * another has no more load and is worth no less. Shares only save work: the answer does not depend on them.
 */
#include <optimise/certificate.h>

#include <base/sort.h>

enum { MOST_CONTENTS = 1 << 19, FRONT = 16 };
static const int64_t most_money = INT64_MAX / 4;

typedef struct content {
    uint64_t load; /* a field of bits for each resource */
    int64_t worth;
    int64_t top[CASE_PRICES]; /* upper bounds on the worth of its completions, by shares */
} content;

typedef struct content_list {
    content *items;
    size_t capacity, count;
} content_list;

typedef struct look {
    karp_context *context;
    const bound_problem *p;
    const content_claim *claim;
    const int64_t *capacity;
    uint32_t *classes, class_count; /* those that can be added, largest first */
    int64_t *gains; /* [shares * class]: price minus charge */
    uint64_t *loads; /* by class */
    double *sizes; /* by class */
    uint64_t full, guards;
    rest_form form;
    rest_tables rest;
    content_list now, layer, merged;
} look;

static int64_t request_of(const look *l, uint32_t c, uint32_t d) { return l->p->requests[(size_t)c * l->p->dims + d]; }

/* *sum += a × b; false = more than the most money. */
static bool add_money(int64_t *sum, int64_t a, int64_t b)
{
    amount product, total;
    int64_t out;
    if (!amount_mul(amount_from(a), (uint64_t)b, &product) || !amount_add(product, amount_from(*sum), &total))
        return false;
    if (!amount_scale(total, amount_from(1), &out) || out > most_money || out < -most_money) return false;
    *sum = out;
    return true;
}

/* ---- prices ------------------------------------------------------------------------------------------------------ */

/* The price of a pod minus its charge by the shares, each part rounded down; false = overflow. */
static bool find_gain(const look *l, uint32_t c, const int64_t *shares, int64_t *out)
{
    *out = l->claim->y[c];
    for (uint32_t d = 0; d < l->p->dims; d++) {
        amount part;
        uint64_t rest;
        int64_t charge;
        if (shares[d] == 0 || request_of(l, c, d) == 0) continue;
        if (l->capacity[d] <= 0 || !amount_mul(amount_from(shares[d]), (uint64_t)request_of(l, c, d), &part))
            return false;
        amount_divide(part, (uint64_t)l->capacity[d], &part, &rest);
        if (!amount_scale(part, amount_from(1), &charge) || charge > most_money) return false;
        if (!add_money(out, -charge, 1)) return false;
    }
    return true;
}

/* The content with the fewest copies, and the bounds on all others. false = overflow. */
static bool first_content(look *l, content *out)
{
    const content_claim *k = l->claim;
    for (uint32_t c = 0; c < l->p->class_count; c++) {
        if (!add_money(&out->worth, k->y[c], k->low[c])) return false;
    }
    for (uint32_t v = 0; v < k->share_count; v++) {
        const int64_t *shares = k->shares + (size_t)v * l->p->dims;
        int64_t *gains = l->gains + (size_t)v * l->p->class_count, most = 0;
        for (uint32_t d = 0; d < l->p->dims; d++) {
            if (!add_money(&out->top[v], shares[d], 1)) return false;
        }
        for (uint32_t c = 0; c < l->p->class_count; c++) {
            if (k->high[c] == 0 || k->y[c] == 0) continue;
            if (!find_gain(l, c, shares, &gains[c])) return false;
            if (!add_money(&out->top[v], gains[c], gains[c] > 0 ? k->high[c] : k->low[c])) return false;
            if (!add_money(&most, gains[c] > 0 ? gains[c] : -gains[c], k->high[c])) return false;
        }
    }
    return true;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Whether contents that fit by resource `by` also fit by resource d. If this is wrong by rounding, more contents are
 * looked at than there are. */
static bool follows(const look *l, uint32_t d, uint32_t by)
{
    for (uint32_t i = 0; i < l->class_count; i++) {
        uint32_t c = l->classes[i];
        if ((double)request_of(l, c, d) * (double)l->capacity[by] >
            (double)request_of(l, c, by) * (double)l->capacity[d])
            return false;
    }
    return true;
}

/* The price of so many units of the resource by the first shares, rounded down. */
static int64_t unit_price(const look *l, uint32_t d, int64_t units)
{
    amount product, price;
    uint64_t left;
    int64_t out;
    if (l->claim->share_count == 0 || !amount_mul(amount_from(l->claim->shares[d]), (uint64_t)units, &product))
        return 0;
    amount_divide(product, (uint64_t)l->capacity[d], &price, &left);
    return amount_scale(price, amount_from(1), &out) ? out : 0;
}

/* Makes a field for the resource; false = it does not fit. */
static bool add_field(look *l, uint32_t d, uint32_t *at, content *first)
{
    int64_t unit = 0, taken = 0;
    for (uint32_t i = 0; i < l->class_count; i++) unit = common_divisor(unit, request_of(l, l->classes[i], d));
    if (unit == 0) return true;
    for (uint32_t c = 0; c < l->p->class_count; c++) taken += request_of(l, c, d) * l->claim->low[c];
    uint64_t full = (uint64_t)((l->capacity[d] - taken) / unit);
    uint32_t bits = 1;
    while (bits < 63 && full >> bits != 0) bits++;
    if (*at + bits + 1 > 64 || l->form.count == REST_FIELDS) return false;
    uint32_t n = l->form.count++;
    l->form.at[n] = *at;
    l->form.bits[n] = bits;
    l->form.full[n] = full;
    l->form.rates[n] = unit_price(l, d, unit);
    l->full |= full << *at;
    l->guards |= UINT64_C(1) << (*at + bits);
    for (uint32_t i = 0; i < l->class_count; i++) {
        uint64_t request = (uint64_t)(request_of(l, l->classes[i], d) / unit);
        l->loads[l->classes[i]] |= (request > full ? full + 1 : request) << *at;
    }
    first->load = 0; /* the fewest copies are taken from the full load */
    *at += bits + 1;
    return true;
}

static bool make_fields(look *l, content *first)
{
    uint32_t at = 0;
    for (uint32_t d = 0; d < l->p->dims; d++) {
        bool needed = l->capacity[d] > 0;
        for (uint32_t by = 0; needed && by < l->p->dims; by++) {
            bool other = by != d && l->capacity[by] > 0 && follows(l, d, by);
            needed = !other || (by > d && follows(l, by, d)); /* of two that follow from each other, the first */
        }
        if (needed && !add_field(l, d, &at, first)) return false;
    }
    return true;
}

static bool within(const look *l, uint64_t load, uint64_t other)
{
    return (((other | l->guards) - load) & l->guards) == l->guards;
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

static bool push(look *l, content_list *list, const content *x)
{
    if (list->count == MOST_CONTENTS || *l->claim->budget == 0) return false;
    --*l->claim->budget;
    if (list->count == list->capacity &&
        !grow(l->context, (void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return false;
    list->items[list->count++] = *x;
    return true;
}

static bool too_many(const look *l)
{
    return l->merged.count == MOST_CONTENTS || l->layer.count == MOST_CONTENTS || *l->claim->budget == 0;
}

/* Whether no completion by the classes from a certain one on is worth more than the cost. With a class: not with more
 * copies of it either. */
static bool hopeless(const look *l, const content *x, uint32_t from, uint32_t c)
{
    int64_t most = rest_worth(&l->rest, from, x->load);
    if (most < INT64_MAX && x->worth + most <= l->claim->cost) return true;
    for (uint32_t v = 0; v < l->claim->share_count; v++) {
        if (x->top[v] > l->claim->cost) continue;
        if (c == UINT32_MAX || l->gains[(size_t)v * l->p->class_count + c] <= 0) return true;
    }
    return false;
}

/* Adds one more copy of a class to each content of the layer. */
static void next_layer(look *l, uint32_t number)
{
    uint32_t c = l->classes[number];
    size_t kept = 0;
    for (size_t i = 0; i < l->layer.count; i++) {
        content x = l->layer.items[i];
        x.load += l->loads[c];
        if (!within(l, x.load, l->full)) continue;
        x.worth += l->claim->y[c];
        for (uint32_t v = 0; v < l->claim->share_count; v++) x.top[v] += l->gains[(size_t)v * l->p->class_count + c];
        if (!hopeless(l, &x, number, c)) l->layer.items[kept++] = x;
    }
    l->layer.count = kept;
}

/* Merges the layer into the contents by load, without those that are dropped. They are completed by the classes from
 * this one on. false = too many, or out of memory. */
static bool merge_layer(look *l, uint32_t from)
{
    size_t i = 0, k = 0, front[FRONT], fronts = 0, turn = 0;
    l->merged.count = 0;
    while (i < l->now.count || k < l->layer.count) {
        const content *a = i < l->now.count ? &l->now.items[i] : NULL,
                      *b = k < l->layer.count ? &l->layer.items[k] : NULL;
        bool first = b == NULL || (a != NULL && (a->load < b->load || (a->load == b->load && a->worth >= b->worth)));
        const content *x = first ? a : b;
        i += first;
        k += !first;
        bool drop = hopeless(l, x, from, UINT32_MAX);
        for (size_t f = 0; !drop && f < fronts; f++) {
            const content *y = &l->merged.items[front[f]];
            drop = y->worth >= x->worth && within(l, y->load, x->load);
        }
        if (drop) continue;
        front[fronts < FRONT ? fronts : turn % FRONT] = l->merged.count;
        if (fronts < FRONT) fronts++;
        else turn++;
        if (!push(l, &l->merged, x)) return false;
    }
    content_list swap = l->now;
    l->now = l->merged;
    l->merged = swap;
    return mem_work(l->context, l->now.count * sizeof *l->now.items);
}

/* Adds all numbers of copies of a class. */
static bool add_class(look *l, uint32_t number)
{
    uint32_t c = l->classes[number];
    int64_t room = l->claim->high[c] - l->claim->low[c];
    l->layer.count = 0;
    for (size_t i = 0; i < l->now.count; i++) {
        content *x = &l->now.items[i];
        for (uint32_t v = 0; v < l->claim->share_count; v++) {
            int64_t gain = l->gains[(size_t)v * l->p->class_count + c];
            if (gain > 0) x->top[v] -= gain * room; /* within what first_content() has added up */
        }
        if (!push(l, &l->layer, x)) return false;
    }
    for (int64_t n = 0; n < room && l->layer.count > 0; n++) {
        next_layer(l, number);
        if (!merge_layer(l, number + 1)) return false;
    }
    return true;
}

/* Orders the classes: those that request the resource with the fewest units first, then by size. */
static bool order_classes(look *l)
{
    uint32_t scarce = UINT32_MAX;
    int64_t fewest = 64;
    for (uint32_t d = 0; d < l->p->dims; d++) {
        int64_t unit = 0;
        for (uint32_t i = 0; i < l->class_count; i++) unit = common_divisor(unit, request_of(l, l->classes[i], d));
        if (unit == 0 || l->capacity[d] <= 0 || l->capacity[d] / unit >= fewest) continue;
        fewest = l->capacity[d] / unit;
        scarce = d;
    }
    for (uint32_t i = 0; i < l->class_count; i++) {
        uint32_t c = l->classes[i];
        double size = scarce != UINT32_MAX && request_of(l, c, scarce) > 0 ? (double)l->p->dims : 0;
        for (uint32_t d = 0; d < l->p->dims; d++) {
            if (request_of(l, c, d) > 0) size += (double)request_of(l, c, d) / (double)l->capacity[d];
        }
        l->sizes[c] = size;
    }
    return sort_ids(l->context, l->classes, l->class_count, by_falling, l->sizes);
}

/* Makes the tables of what can still be added. false = out of memory. */
static bool make_rest(look *l, arena *a)
{
    int64_t *room = arena_array(a, l->p->class_count + (size_t)1, sizeof *room);
    for (uint32_t c = 0; room != NULL && c < l->p->class_count; c++) room[c] = l->claim->high[c] - l->claim->low[c];
    const rest_classes classes = { l->classes, l->class_count, l->loads, l->claim->y, room };
    return room != NULL && rest_make(a, &l->rest, &l->form, &classes);
}

static enum proof_verdict look_at_all(look *l, arena *a)
{
    content first = { .load = 0 };
    for (uint32_t c = 0; c < l->p->class_count; c++) {
        if (l->claim->y[c] == 0 || l->claim->high[c] == 0) continue;
        if (l->claim->high[c] == COPIES_ANY) return PROOF_OFFER_TOO_CHEAP;
        if (l->claim->high[c] > l->claim->low[c]) l->classes[l->class_count++] = c;
    }
    if (!first_content(l, &first)) return PROOF_OVERFLOW;
    if (!order_classes(l)) return PROOF_NO_MEMORY;
    if (!make_fields(l, &first)) return PROOF_TOO_MUCH;
    if (!make_rest(l, a) || !push(l, &l->now, &first)) return PROOF_NO_MEMORY;
    for (uint32_t i = 0; i < l->class_count; i++) {
        if (!add_class(l, i)) return too_many(l) ? PROOF_TOO_MUCH : PROOF_NO_MEMORY;
    }
    for (size_t i = 0; i < l->now.count; i++) {
        if (l->now.items[i].worth > l->claim->cost) return PROOF_OFFER_TOO_CHEAP;
    }
    return PROOF_HOLDS;
}

enum proof_verdict contents_hold(karp_context *context, const bound_problem *p, const content_claim *claim)
{
    look l = { .context = context, .p = p, .claim = claim, .capacity = p->capacity + (size_t)claim->row * p->dims };
    size_t n = p->class_count + (size_t)1;
    arena a = arena_on(context);
    l.classes = arena_array(&a, n, sizeof *l.classes);
    l.gains = arena_array(&a, n * CASE_PRICES, sizeof *l.gains);
    l.loads = arena_array(&a, n, sizeof *l.loads);
    l.sizes = arena_array(&a, n, sizeof *l.sizes);
    bool ok = l.classes != NULL && l.gains != NULL && l.loads != NULL && l.sizes != NULL;
    enum proof_verdict verdict = ok ? look_at_all(&l, &a) : PROOF_NO_MEMORY;
    content_list *lists[] = { &l.now, &l.layer, &l.merged };
    for (size_t i = 0; i < 3; i++) mem_free(context, lists[i]->items, lists[i]->capacity * sizeof *lists[i]->items);
    arena_free(&a);
    return verdict;
}
