/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of pods for the bound on plans with a given number of evictions. The bound for whole pods (bound.h) maximises
 * the total worth of all pods. Here the prices come from the cheapest cluster in fractions of nodes, consisting of
 * launches and nodes that stay:
 *
 *   minimise the cost of launches and of nodes that stay
 *   subject to:
 *     every class is served, by contents of launches and of nodes; a node contains its own pods and pods that are moved
 *     to it
 *     a node stays at most once
 *     at most the given number of pods is moved
 *
 * Contents are added as columns when they improve the solution (column generation). The prices that are tried lie
 * between those of the linear program, which oscillate, and the best ones so far. They find new contents, and become
 * the best if they prove a better bound.
 */
#include <optimise/repack.h>

#include <optimise/linear.h>
#include <optimise/whole.h>
#include <string.h>

enum {
    ROUNDS = 100,
    MOST_NUMBERS = 1 << 16,
    MOST_ROWS = 900,
    NODE_BRANCHES = 64,
    CONTENTS_AT_ONCE = 4,
    CHARGES_PART = 100 /* of the work that a proof with charges may take */
};
#define MOST_WORK (UINT64_C(1) << 31) /* for pivots */
#define TOO_DEAR 1.3 /* factor of the initial prices */
#define PAYS 1e-9 /* $/h: smallest gain of a column */
#define NEW_PART 0.5 /* fraction of the linear program's prices in those that are tried */
#define NEAR 0.0005 /* ends when the linear program's cost and the bound differ by less than this fraction */

typedef struct priced_node { /* a node that can contain pods */
    uint32_t evictions;
    double price; /* 0 = it stays in any case */
    size_t first; /* index in prices.classes of its own pods' classes */
    uint32_t count, row; /* row of the problem, if pods can be moved to it; UINT32_MAX = they cannot */
    double space; /* the most that pods on it are worth at the prices that are tried */
} priced_node;

typedef struct prices {
    repacking *r;
    const bound_problem *p;
    uint64_t evictions;
    struct repack_bound tried; /* the bound, in doubles, at the prices that are tried */
    double value; /* bound with the best prices so far */
    whole w; /* contents of the offers; its master has the prices */
    priced_node *places;
    uint32_t place_count, first_place; /* first_place: row of the first */
    uint32_t *classes; /* classes of the places' pods, by zone */
    uint32_t *own; /* by class: the row that its pods serve if they stay */
    linear program; /* rows: classes, pods that stay of classes in zones, places, evictions */
    int64_t *units, *worth, *dearest; /* by class: see repack_value_staying() */
    uint32_t found; /* number of columns found in this round */
} prices;

/* ---- the cluster in numbers -------------------------------------------------------------------------------------- */

/* The nodes that can be removed, in the order of the bound, followed by those that only receive pods. */
static bool fill_places(prices *k)
{
    const repacking *r = k->r;
    const struct repack_bound *b = &r->bound;
    arena *a = &k->w.scratch;
    uint32_t *place_of = arena_array(a, r->seen->node_count + (size_t)1, sizeof *place_of);
    size_t pods = 0;
    for (uint32_t i = 0; i < b->count; i++) pods += b->nodes[i].evictions;
    k->places = arena_array(a, b->count + (size_t)k->p->node_count + 1, sizeof *k->places);
    k->classes = arena_array(a, pods + 1, sizeof *k->classes);
    if (place_of == NULL || k->places == NULL || k->classes == NULL) return false;
    memset(place_of, 0xff, r->seen->node_count * sizeof *place_of);
    pods = 0;
    for (uint32_t i = 0; i < r->p.found.eligible_count && k->place_count < b->count; i++) {
        const candidate *c = &r->p.found.candidates[r->p.found.eligible[i]];
        if (!b->removable[c->node]) continue;
        place_of[c->node] = k->place_count;
        k->places[k->place_count] = (priced_node){ .evictions = c->moving_count,
                                                   .price = b->nodes[k->place_count].price,
                                                   .first = pods,
                                                   .count = c->moving_count,
                                                   .row = UINT32_MAX };
        k->place_count++;
        for (uint32_t m = 0; m < c->moving_count; m++) k->classes[pods++] = repack_class_at(r, c->moving[m], c->node);
    }
    for (uint32_t i = 0; i < k->p->node_count; i++) {
        uint32_t at = place_of[b->facts.question.nodes[i]];
        if (at == UINT32_MAX) at = k->place_count++;
        k->places[at].row = k->p->offer_count + i;
    }
    return true;
}

/* Gives pods of divided classes that stay rows of their own. */
static bool fill_rows(prices *k)
{
    const relaxed *q = &k->r->bound.facts.question;
    k->first_place = q->class_count;
    k->own = arena_array(&k->w.scratch, q->class_count + (size_t)1, sizeof *k->own);
    for (uint32_t c = 0; k->own != NULL && c < q->class_count; c++) {
        bool divided = q->parts != NULL && (q->parts[c] != UINT32_MAX || q->domains[c] != UINT32_MAX);
        k->own[c] = divided ? k->first_place++ : c;
    }
    return k->own != NULL;
}

static bool prices_init(prices *k, repacking *r, uint64_t evictions)
{
    const struct repack_bound *b = &r->bound;
    double part, price;
    *k = (prices){ .r = r, .p = &b->facts.problem, .evictions = evictions, .tried = *b };
    k->value = repack_bound_best(b, evictions, &part, &price);
    if (!whole_init(&k->w, &r->data, k->p, &b->facts.proof, r->objective.effort)) return false;
    size_t n = k->p->class_count + (size_t)1;
    k->units = arena_array(&k->w.scratch, 3 * n, sizeof *k->units);
    k->tried.nodes = arena_copy(&k->w.scratch, b->nodes, b->count * sizeof *b->nodes);
    if (k->units == NULL || k->tried.nodes == NULL) return false;
    k->worth = k->units + n;
    k->dearest = k->worth + n;
    return fill_places(k) && fill_rows(k);
}

/* A pod that stays serves part of one place and part of another. */
static bool add_service(prices *k, uint32_t from, uint32_t to, double part, uint32_t other)
{
    return linear_column_add(&k->program, 0) && linear_entry_add(&k->program, k->own[from], -1) &&
           linear_entry_add(&k->program, to, 1 - part) && (!(part > 0) || linear_entry_add(&k->program, other, part));
}

/* Which places pods of the class, or of its zones, can serve if they stay (repack_bound.c). */
static bool add_services(prices *k, uint32_t class_)
{
    const relaxed *q = &k->r->bound.facts.question;
    uint32_t first = q->parts != NULL ? q->parts[class_] : UINT32_MAX, end = first;
    while (end < q->class_count && q->samples[end] == q->samples[class_]) end++;
    for (uint32_t z = first; z < end; z++) {
        double part = q->surplus[z] / 1e6;
        if (!add_service(k, class_, z, 0, z)) return false;
        for (uint32_t other = first; other <= end; other++) {
            uint32_t to = other < end ? other : class_;
            if (!add_service(k, z, z, part, to) || !add_service(k, z, class_, part, to)) return false;
        }
    }
    return first == UINT32_MAX || add_service(k, class_, class_, 0, class_);
}

/* Pods that choose different zones are places there. */
static bool add_choices(prices *k)
{
    for (uint32_t i = 0; i < k->p->choice_count; i++) {
        const relaxed_choice *x = &k->p->choices[i];
        for (uint32_t d = 0; d < x->domain_count; d++) {
            if (!linear_column_add(&k->program, 0) || !linear_entry_add(&k->program, x->class_, (double)x->pods))
                return false;
            for (uint32_t n = 0; n < x->member_count; n++) {
                uint32_t class_ = x->classes[(size_t)d * x->member_count + n];
                if (!linear_entry_add(&k->program, class_, -(double)x->copies[n])) return false;
            }
        }
    }
    return true;
}

/* Contents of launches that served all pods best. */
static bool add_known(prices *k)
{
    const bound_patterns *known = &k->r->bound_contents;
    for (uint32_t i = 0; i < known->count; i++) {
        const uint32_t *copies = known->copies + (size_t)i * k->p->class_count;
        if (!linear_column_add(&k->program, k->w.m.prices[known->offer[i]])) return false;
        for (uint32_t c = 0; c < k->p->class_count; c++) {
            if (copies[c] > 0 && !linear_entry_add(&k->program, c, copies[c])) return false;
        }
    }
    return true;
}

/* The initial basis: every pod is launched for at a price that is too high, no node stays, and evictions beyond the
 * limit have a price. */
static bool start_program(prices *k)
{
    const struct repack_bound *b = &k->r->bound;
    uint32_t classes = k->p->class_count, last = k->first_place + k->place_count;
    double *need = arena_array(&k->w.scratch, k->first_place + (size_t)1, sizeof *need);
    double staying = -(double)k->evictions;
    if (need == NULL || !linear_init(&k->program, &k->w.scratch, last + 1)) return false;
    for (uint32_t i = 0; i < k->place_count; i++) {
        const priced_node *at = &k->places[i];
        for (uint32_t n = 0; n < at->count; n++) need[k->own[k->classes[at->first + n]]]++;
        linear_start_left_over(&k->program, k->first_place + i, -1);
        staying += at->evictions;
    }
    for (uint32_t i = 0; i < k->p->choice_count; i++) {
        uint32_t class_ = k->p->choices[i].class_;
        need[class_] = (double)k->p->counts[class_];
    }
    for (uint32_t c = 0; c < classes; c++) {
        if (k->own[c] != c) need[c] = (double)k->p->counts[c];
        linear_start(&k->program, c, need[c], TOO_DEAR * (double)b->facts.proof.y[c] / MONEY_UNIT);
    }
    for (uint32_t row = classes; row < k->first_place; row++) linear_start_left_over(&k->program, row, 0);
    if (staying > 0) linear_start(&k->program, last, staying, TOO_DEAR * b->dearest);
    else linear_start_left_over(&k->program, last, staying);
    for (uint32_t c = 0; c < classes; c++) {
        if (!add_services(k, c)) return false;
    }
    return add_choices(k) && add_known(k);
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

static bool add_content(prices *k, const double *copies)
{
    for (uint32_t c = 0; c < k->p->class_count; c++) {
        if (copies[c] > 0.5 && !linear_entry_add(&k->program, c, copies[c])) return false;
    }
    return true;
}

/* *worst: the most that a content of an offer is worth per dollar at the prices that are tried. */
static bool price_offers(prices *k, double *worst)
{
    master *m = &k->w.m;
    m->column_count = 0;
    m->entry_count = 0;
    memcpy(m->y, k->program.y, k->p->class_count * sizeof *m->y);
    if (!whole_price(&k->w, worst)) return false;
    k->found += m->column_count;
    for (uint32_t i = 0; i < m->column_count; i++) {
        const column *c = &m->columns[i];
        if (!linear_column_add(&k->program, m->prices[m->offers[c->offer]])) return false;
        for (uint32_t e = 0; e < c->count; e++) {
            const entry *x = &m->entries[c->first + e];
            if (!linear_entry_add(&k->program, x->class_, x->copies)) return false;
        }
    }
    return true;
}

/* Adds the node with its own pods and this content, if that improves the solution. */
static bool add_staying(prices *k, uint32_t number, const double *copies)
{
    const priced_node *at = &k->places[number];
    uint32_t row = k->first_place + number, last = k->first_place + k->place_count;
    const double *y = k->program.y;
    double worth = y[last] * at->evictions - y[row];
    for (uint32_t c = 0; copies != NULL && c < k->p->class_count; c++) worth += y[c] * copies[c];
    for (uint32_t n = 0; n < at->count; n++) worth += y[k->own[k->classes[at->first + n]]];
    if (!(worth > at->price + PAYS)) return true;
    k->found++;
    bool ok = linear_column_add(&k->program, at->price) && linear_entry_add(&k->program, row, -1) &&
              linear_entry_add(&k->program, last, at->evictions);
    for (uint32_t n = 0; ok && n < at->count; n++)
        ok = linear_entry_add(&k->program, k->own[k->classes[at->first + n]], 1);
    return ok && (copies == NULL || add_content(k, copies));
}

static bool price_place(prices *k, uint32_t number)
{
    priced_node *at = &k->places[number];
    contents *x = &k->w.contents;
    at->space = 0;
    if (at->row == UINT32_MAX) return add_staying(k, number, NULL);
    if (!contents_solve(x, at->row, k->w.m.tried, 0, NODE_BRANCHES)) return false;
    k->w.work += x->steps;
    at->space = x->at_most;
    uint32_t count = 0;
    do {
        if (!add_staying(k, number, x->copies)) return false;
    } while (++count < CONTENTS_AT_ONCE && contents_next(x));
    return true;
}

/* ---- trying prices ----------------------------------------------------------------------------------------------- */

static double dollars(int64_t units) { return (double)units / MONEY_UNIT; }

/* The prices that were tried become the best if they prove a better bound. */
static void compare_prices(prices *k, double worst)
{
    struct repack_bound *b = &k->tried;
    const master *m = &k->w.m;
    double part, price, now;
    if (!(worst > 0)) return;
    for (uint32_t c = 0; c < k->p->class_count; c++) k->units[c] = money_of(m->tried[c] / worst);
    prove_choices(k->p, k->units);
    repack_value_staying(&k->r->bound.facts.question, k->units, k->worth, k->dearest);
    b->fixed_value = 0;
    for (uint32_t c = 0; c < k->p->class_count; c++)
        b->fixed_value += dollars(k->dearest[c] - k->units[c]) * (double)k->p->counts[c];
    for (uint32_t i = 0; i < k->place_count; i++) {
        const priced_node *at = &k->places[i];
        if (i >= b->count) b->fixed_value += at->space / worst;
        if (i >= b->count) continue;
        b->nodes[i].space = at->space / worst;
        b->nodes[i].worth = 0;
        for (uint32_t n = 0; n < at->count; n++) {
            uint32_t c = k->classes[at->first + n];
            b->nodes[i].worth += dollars(k->worth[c]);
            b->fixed_value -= dollars(k->dearest[c] - k->worth[c]);
        }
    }
    now = repack_bound_best(b, k->evictions, &part, &price);
    if (!(now > k->value)) return;
    k->value = now;
    for (uint32_t c = 0; c < k->p->class_count; c++) m->best[c] = m->tried[c] / worst;
}

/* Tries prices, and finds new columns. `part` is the fraction of the linear program's prices in them. */
static bool try_prices(prices *k, double part)
{
    const master *m = &k->w.m;
    double worst;
    for (uint32_t c = 0; c < k->p->class_count; c++)
        m->tried[c] = part * (k->program.y[c] > 0 ? k->program.y[c] : 0) + (1 - part) * m->best[c];
    master_price_choices(m, m->tried);
    k->found = 0;
    if (!price_offers(k, &worst)) return false;
    for (uint32_t i = 0; i < k->place_count; i++) {
        if (!price_place(k, i)) return false;
    }
    compare_prices(k, worst);
    return true;
}

static bool find_prices(prices *k)
{
    if (!start_program(k)) return false;
    uint64_t most = MOST_WORK / ((uint64_t)k->program.rows * k->program.rows);
    for (uint32_t i = 0; i < ROUNDS && k->program.exchanges < most && k->w.work < k->w.most_work; i++) {
        if (repack_must_stop(k->r)) return true;
        if (!linear_solve(&k->program, most) || !try_prices(k, i == 0 ? 0 : NEW_PART)) return false;
        if (k->found == 0 && !try_prices(k, 1)) return false;
        if (k->found == 0 || k->program.cost + k->r->bound.fixed - k->value <= NEAR * k->value) return true;
    }
    return true;
}

/* Proves the best prices. */
static bool take_prices(prices *k, double before)
{
    bound_proof proof;
    double value = before;
    if (!(k->value > before)) return true;
    if (!prove_contents(&k->w.m, &k->w.contents, &k->r->data, &proof) ||
        !repack_bound_take(k->r, &proof, k->evictions, &value))
        return false;
    if (value > before) k->r->tuned_for = k->evictions;
    return true;
}

/* If there are few pods, proves the same prices with the most that contents of each offer are worth. */
static bool take_charges(prices *k)
{
    bound_proof proof;
    master *m = &k->w.m;
    uint64_t work = k->w.most_work / CHARGES_PART;
    if (k->evictions > COUNTS_PODS || k->p->offer_count == 0) return true;
    k->r->counted_for = k->evictions;
    for (uint32_t c = 0; c < k->p->class_count; c++) m->best[c] = dollars(k->r->bound.facts.proof.y[c]);
    if (!prove_charges(m, &k->w.contents, &work, &k->r->data, &proof)) return false;
    return proof.y == NULL || repack_bound_take_whole(k->r, &proof, k->evictions);
}

bool repack_prices_for(repacking *r, uint64_t evictions)
{
    const struct repack_bound *b = &r->bound;
    const bound_problem *p = &b->facts.problem;
    prices k;
    if (r->tuned_for == evictions && evictions > 0) return true;
    if (!b->known || !b->exact || b->count == 0 || p->dims > CASES_DIMS) return true;
    if (p->node_count * (uint64_t)p->class_count > MOST_NUMBERS) return true;
    bool ok = prices_init(&k, r, evictions);
    double before = k.value;
    if (ok && k.first_place + k.place_count < MOST_ROWS)
        ok = find_prices(&k) && take_prices(&k, before) && take_charges(&k);
    linear_free(&k.program);
    arena_free(&k.w.scratch);
    return ok;
}
