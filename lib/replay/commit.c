/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The set of commitments that costs least. What is paid in an hour follows from the amounts: reserved instances cover
 * nodes of their type, then plans of a family what is left of it, then plans of any type; of equal ones the cheaper
 * first. That is convex in each amount, so an amount is best where its next step no longer pays. The amounts are
 * improved one after the other until none gets better.
 */
#include <replay/commit.h>

#include <math.h>

typedef struct search {
    const struct commit_result *r;
    const commit_offer **offers; /* of the term, in the order in which they cover */
    double *amounts; /* $/h of what is covered at list prices, or instances */
    size_t count;
    double *left; /* by use, $ at list prices: of the hour that is counted */
    double *steps; /* scratch space */
    karp_context *context;
    bool refused;
} search;

enum { ROUNDS = 50 };
#define LEAST 1e-9 /* $ that count as a difference */

static bool covers(const commit_offer *o, const commit_use *u)
{
    if (u->reserved) return false;
    if (o->instance_type.len) return equal_str(o->instance_type, u->instance_type);
    return o->family.len == 0 || equal_str(o->family, u->family);
}

/* Reserved instances, families, any. */
static int breadth(const commit_offer *o) { return o->instance_type.len ? 0 : o->family.len ? 1 : 2; }

static int covers_before(const void *a, const void *b, const void *user)
{
    const commit_offer *const *x = a, *const *y = b;
    (void)user;
    int order = breadth(*x) - breadth(*y);
    return order ? order : ((*x)->factor > (*y)->factor) - ((*x)->factor < (*y)->factor);
}

/* The list price of what an amount of the offer covers at most in an hour. */
static double covered_most(const search *s, size_t k)
{
    const commit_offer *o = s->offers[k];
    double price = 0;
    for (size_t u = 0; o->instance_type.len && u < s->r->use_count; u++) {
        if (covers(o, &s->r->uses[u])) price = s->r->uses[u].price;
    }
    return s->amounts[k] * (o->instance_type.len ? price : 1);
}

static void begin_hour(const search *s, size_t hour)
{
    for (size_t u = 0; u < s->r->use_count; u++) s->left[u] = s->r->uses[u].hours[hour] * s->r->uses[u].price;
}

/* What the offer covers of what is left, at list prices. */
static double take(const search *s, size_t k, double most)
{
    double taken = 0;
    for (size_t u = 0; u < s->r->use_count && taken < most; u++) {
        if (!covers(s->offers[k], &s->r->uses[u])) continue;
        double part = fmin(s->left[u], most - taken);
        s->left[u] -= part;
        taken += part;
    }
    return taken;
}

/* $ of all hours. */
static double cost_of(const search *s)
{
    double paid = 0;
    for (size_t k = 0; k < s->count; k++) paid += covered_most(s, k) * s->offers[k]->factor * (double)s->r->hour_count;
    for (size_t h = 0; h < s->r->hour_count; h++) {
        begin_hour(s, h);
        for (size_t k = 0; k < s->count; k++) (void)take(s, k, covered_most(s, k));
        for (size_t u = 0; u < s->r->use_count; u++) paid += s->left[u];
    }
    return paid;
}

/* The amounts at which what an hour needs of the offer is just covered, in ascending order: one of them is best. */
static size_t list_steps(const search *s, size_t k, double *steps)
{
    size_t count = 0;
    const search one = { .r = s->r, .offers = s->offers + k, .amounts = &(double){ 1 }, .count = 1 };
    double price = covered_most(&one, 0);
    steps[count++] = 0;
    for (size_t h = 0; h < s->r->hour_count && price > 0; h++) {
        begin_hour(s, h);
        for (size_t j = 0; j < k; j++) (void)take(s, j, covered_most(s, j));
        double needs = take(s, k, (double)INFINITY) / price;
        if (!s->offers[k]->instance_type.len) {
            steps[count++] = needs;
            continue;
        }
        steps[count++] = floor(needs + 1e-9); /* whole instances: the best is beside what is just covered */
        steps[count++] = ceil(needs - 1e-9);
    }
    return count;
}

/* Sets the best amount of the offer, with the others as they are. */
static void optimise(search *s, size_t k)
{
    size_t count = list_steps(s, k, s->steps), low = 0, high = count - 1;
    s->refused = s->refused || !sort_stable(s->context, s->steps, count, sizeof *s->steps, by_double, NULL);
    while (low < high) {
        size_t middle = (low + high) / 2, next = middle + 1;
        while (next < high && !(s->steps[next] > s->steps[middle])) next++;
        s->amounts[k] = s->steps[middle];
        double here = cost_of(s);
        s->amounts[k] = s->steps[next];
        if (cost_of(s) < here - LEAST) low = next;
        else high = middle;
    }
    s->amounts[k] = s->steps[low];
}

/* Buys nothing of `second`, then the best of `first`, then of `second`: one may stand for the other, so that neither
 * gets better alone. Equal ones: only that. Keeps what costs less. */
static bool attempt(search *s, size_t first, size_t second, double *best)
{
    const double had = s->amounts[first], other = s->amounts[second];
    if (first != second) s->amounts[second] = 0;
    optimise(s, first);
    if (first != second) optimise(s, second);
    double cost = cost_of(s);
    if (cost < *best - LEAST) {
        *best = cost;
        return true;
    }
    s->amounts[second] = other;
    s->amounts[first] = had;
    return false;
}

static bool overlap(const search *s, size_t a, size_t b)
{
    bool both = false;
    for (size_t u = 0; u < s->r->use_count && !both && breadth(s->offers[a]) != breadth(s->offers[b]); u++)
        both = covers(s->offers[a], &s->r->uses[u]) && covers(s->offers[b], &s->r->uses[u]);
    return both;
}

static bool improve_all(search *s, double *best)
{
    bool better = false;
    for (size_t k = 0; k < s->count && !s->refused; k++) better = attempt(s, k, k, best) || better;
    for (size_t a = 0; a < s->count; a++) {
        for (size_t b = 0; b < s->count && !s->refused; b++)
            better = (overlap(s, a, b) && attempt(s, a, b, best)) || better;
    }
    return better;
}

static void describe(search *s, commit_set *out, arena *memory, bool *fine)
{
    out->plans = arena_array(memory, s->count + 1, sizeof *out->plans);
    *fine = out->plans != NULL;
    for (size_t k = 0; k < s->count && *fine; k++) {
        const double most = covered_most(s, k);
        double used = 0, fully = 0, hours = (double)s->r->hour_count;
        if (!(most > 0)) continue;
        for (size_t h = 0; h < s->r->hour_count; h++) {
            begin_hour(s, h);
            for (size_t j = 0; j < k; j++) (void)take(s, j, covered_most(s, j));
            double part = take(s, k, most);
            used += part / most;
            fully += part >= most * (1 - 1e-9);
        }
        const double factor = s->offers[k]->factor;
        out->plans[out->count++] = (commit_plan){ .offer = s->offers[k],
                                                  .amount = s->offers[k]->instance_type.len ? s->amounts[k]
                                                                                            : s->amounts[k] * factor,
                                                  .paid = most * factor * hours,
                                                  .used = used / hours,
                                                  .fully = fully / hours };
    }
}

static bool best_of_term(struct commit_result *r, const commit_offer *offers, size_t count, karp_str term,
                         arena *memory)
{
    search s = { .r = r, .context = memory->context };
    commit_set *out = &r->sets[r->set_count];
    s.offers = arena_array(memory, count, sizeof *s.offers);
    s.amounts = arena_array(memory, count, sizeof *s.amounts);
    s.left = arena_array(memory, r->use_count + 1, sizeof *s.left);
    s.steps = arena_array(memory, 2 * r->hour_count + 1, sizeof *s.steps);
    if (!s.offers || !s.amounts || !s.left || !s.steps) return false;
    for (size_t i = 0; i < count; i++) {
        if (equal_str(offers[i].term, term)) s.offers[s.count++] = &offers[i];
    }
    if (!sort_stable(memory->context, s.offers, s.count, sizeof *s.offers, covers_before, NULL)) return false;
    *out = (commit_set){ .term = term, .dollars = cost_of(&s) };
    bool fine = true;
    for (size_t round = 0; round < ROUNDS && improve_all(&s, &out->dollars); round++) {
    }
    describe(&s, out, memory, &fine);
    r->set_count++;
    return fine && !s.refused;
}

bool commit_best(struct commit_result *r, const commit_offer *offers, size_t count, arena *memory)
{
    r->sets = arena_array(memory, count + 1, sizeof *r->sets);
    for (size_t u = 0; u < r->use_count; u++) {
        for (size_t h = 0; h < r->hour_count; h++) r->dollars += r->uses[u].hours[h] * r->uses[u].price;
    }
    bool fine = r->sets != NULL;
    for (size_t i = 0; i < count && fine; i++) {
        bool known = false;
        for (size_t k = 0; k < r->set_count; k++) known = known || equal_str(r->sets[k].term, offers[i].term);
        if (!known) fine = best_of_term(r, offers, count, offers[i].term, memory);
    }
    return fine;
}
