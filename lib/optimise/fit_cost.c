/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/fit_cost.h>

#include <base/bits.h>
#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <math.h>
#include <model/selector.h>
#include <optimise/bound.h>
#include <optimise/packing.h>

#ifndef KARP_NO_FIT

enum { POLL_EVERY = 10000, ROUNDS = 400 };
#define TOLERANCE 0.001 /* relative to the fluid optimum */
#define MOST_NODES 200000 /* most nodes that are bought individually */
#define MOST_COPIES 20000000

typedef struct buyer {
    fit_purchase *p;
    arena work;
    uint32_t *demands, class_count; /* by class */
    uint32_t *sources, offer_count; /* by offer, in the order of price */
    int64_t *requests;
    packing_problem problem;
    packing *packing;
} buyer;

static bool must_stop(const fit_purchase *p)
{
    return p->request->should_stop != NULL && p->request->should_stop(p->request->stop_user) != 0;
}

static bool suits(const fit_purchase *p, uint32_t number, uint32_t source)
{
    const selector *selects = p->in->demands[number].selects;
    return selects == NULL || selector_selects(selects, p->in->sources[source].labels);
}

/* Demands with copies that count. */
static bool list_classes(buyer *b, const uint64_t *copies)
{
    const fit_input *in = b->p->in;
    size_t dims = in->dims;
    b->class_count = 0;
    b->demands = arena_array(&b->work, in->demand_count + (size_t)1, sizeof *b->demands);
    b->requests = arena_array(&b->work, (in->demand_count + (size_t)1) * (dims + 1), sizeof *b->requests);
    if (b->demands == NULL || b->requests == NULL) return false;
    for (uint32_t d = 0; d < in->demand_count; d++) {
        if (copies[d] == 0) continue;
        if (dims > 0) memcpy(b->requests + b->class_count * dims, in->demands[d].need, dims * sizeof *b->requests);
        b->demands[b->class_count++] = d;
    }
    return true;
}

/* ---- the bound --------------------------------------------------------------------------------------------------- */

/* Lists the types that may be launched, and the nodes that exist in any case: existing ones, and the minimum of each
 * type. */
static bool list_rows(buyer *b, uint64_t *nodes, bound_problem *out)
{
    const fit_input *in = b->p->in;
    b->sources = arena_array(&b->work, 2 * (size_t)in->source_count + 1, sizeof *b->sources);
    if (b->sources == NULL) return false;
    for (uint32_t s = in->node_count; s < in->source_count; s++) {
        if (in->sources[s].most > in->sources[s].least) b->sources[out->offer_count++] = s;
    }
    for (uint32_t s = 0; s < in->source_count; s++) {
        uint64_t count = s < in->node_count ? in->sources[s].most : in->sources[s].least;
        if (count == 0) continue;
        nodes[out->node_count] = count;
        b->sources[out->offer_count + out->node_count++] = s;
    }
    return true;
}

static bool make_bound_problem(buyer *b, uint64_t *nodes, bound_problem *out)
{
    const fit_purchase *p = b->p;
    if (!list_classes(b, p->placed) || !list_rows(b, nodes, out)) return false;
    size_t rows = (size_t)out->offer_count + out->node_count, dims = p->in->dims, width = bits_words(b->class_count);
    int64_t *counts = arena_array(&b->work, b->class_count + (size_t)1, sizeof *counts);
    int64_t *bought = arena_array(&b->work, b->class_count + (size_t)1, sizeof *bought);
    int64_t *limits = arena_array(&b->work, b->class_count + (size_t)1, sizeof *limits);
    int64_t *capacity = arena_array(&b->work, rows * dims + 1, sizeof *capacity);
    int64_t *costs = arena_array(&b->work, out->offer_count + (size_t)1, sizeof *costs);
    uint64_t *allowed = arena_array(&b->work, rows * width + 1, sizeof *allowed);
    if (counts == NULL || bought == NULL || limits == NULL || capacity == NULL || costs == NULL || allowed == NULL)
        return false;
    for (uint32_t c = 0; c < b->class_count; c++) {
        uint32_t d = b->demands[c];
        uint64_t limit = p->in->demands[d].most_per_node;
        if (p->placed[d] > INT64_MAX / 2) return true; /* no bound for so many copies */
        counts[c] = (int64_t)p->placed[d];
        bought[c] = (int64_t)p->bought[d];
        limits[c] = limit > INT64_MAX / 2 ? COPIES_ANY : (int64_t)limit;
    }
    for (size_t row = 0; row < rows; row++) {
        const fit_source *source = &p->in->sources[b->sources[row]];
        if (dims > 0) memcpy(capacity + row * dims, source->space, dims * sizeof *capacity);
        if (row < out->offer_count) costs[row] = money_of(source->price);
        for (uint32_t c = 0; c < b->class_count; c++) {
            if (suits(p, b->demands[c], b->sources[row])) bits_set(allowed + row * width, c);
        }
    }
    out->dims = p->in->dims;
    out->class_count = b->class_count;
    out->requests = b->requests;
    out->counts = counts;
    out->bought = bought;
    out->limits = limits;
    out->capacity = capacity;
    out->costs = costs;
    out->allowed = allowed;
    return true;
}

/* The bound that the proof proves. Nodes that exist in any case are charged like their row, each. */
static double proven(buyer *b, const bound_problem *problem, const bound_proof *proof, const uint64_t *nodes)
{
    amount value, sum, *spent = arena_array(&b->work, problem->node_count + (size_t)1, sizeof *spent);
    proof_fault fault;
    if (spent == NULL || !proof_holds_for(b->work.context, problem, proof, &value, spent, &fault)) return 0;
    for (uint32_t e = 0; e < problem->node_count; e++) {
        if (!amount_mul(spent[e], nodes[e] - 1, &sum) || !amount_sub(value, sum, &value)) return 0;
    }
    return amount_sign(value) <= 0 ? 0 : amount_double(value) / (MONEY_UNIT / AMOUNT_NANO) * (1 - 1e-15);
}

/* The price of nodes that are launched in any case. */
static double fixed_cost(const fit_purchase *p)
{
    double sum = 0;
    for (uint32_t s = p->in->node_count; s < p->in->source_count; s++)
        sum += p->in->sources[s].price * (double)p->in->sources[s].least;
    return sum;
}

/* false = out of memory; *stopped = the caller wanted to stop. */
static bool find_bound(buyer *b, bool *stopped)
{
    fit_purchase *p = b->p;
    karp_context run;
    arena work;
    bound_problem problem = { .dims = 0 };
    bound_proof proof;
    uint64_t *nodes = arena_array(&b->work, 2 * (size_t)p->in->source_count + 1, sizeof *nodes);
    if (nodes == NULL || !make_bound_problem(b, nodes, &problem)) return false;
    p->cost.bound = fixed_cost(p);
    if (problem.class_count == 0 || problem.offer_count == 0) return true;
    context_begin_run(&run, p->context, p->request->should_stop, p->request->stop_user);
    arena_init(&work, &run);
    bool ok = bound_fluid(&work, &problem, TOLERANCE, ROUNDS, &proof);
    if (ok) p->cost.bound += proven(b, &problem, &proof, nodes);
    *stopped = !ok && run.stop_noted;
    arena_free(&work);
    return ok || *stopped;
}

/* ---- buying ------------------------------------------------------------------------------------------------------ */

static int by_price(uint32_t x, uint32_t y, const void *user)
{
    const fit_input *in = user;
    double a = in->sources[in->node_count + x].price, b = in->sources[in->node_count + y].price;
    return a < b ? -1 : a > b;
}

/* Sorts types by price, then in the order of the request. */
static bool list_offers(buyer *b)
{
    const fit_input *in = b->p->in;
    uint32_t types = in->source_count - in->node_count;
    b->offer_count = 0;
    b->sources = arena_array(&b->work, types + (size_t)1, sizeof *b->sources);
    if (b->sources == NULL) return false;
    for (uint32_t t = 0; t < types; t++) {
        if (in->sources[in->node_count + t].most > in->sources[in->node_count + t].least)
            b->sources[b->offer_count++] = t;
    }
    if (!sort_ids(b->p->context, b->sources, b->offer_count, by_price, in)) return false;
    for (uint32_t o = 0; o < b->offer_count; o++) b->sources[o] += in->node_count;
    return true;
}

static bool make_problem(buyer *b)
{
    const fit_purchase *p = b->p;
    if (!list_classes(b, p->bought) || !list_offers(b)) return false;
    size_t dims = p->in->dims, width = bits_words(b->offer_count);
    uint32_t *counts = arena_array(&b->work, b->class_count + (size_t)1, sizeof *counts);
    uint32_t *limits = arena_array(&b->work, b->class_count + (size_t)1, sizeof *limits);
    int64_t *spaces = arena_array(&b->work, b->offer_count * dims + 1, sizeof *spaces);
    double *prices = arena_array(&b->work, b->offer_count + (size_t)1, sizeof *prices);
    uint64_t *allowed = arena_array(&b->work, b->class_count * width + 1, sizeof *allowed);
    if (counts == NULL || limits == NULL || spaces == NULL || prices == NULL || allowed == NULL) return false;
    for (uint32_t o = 0; o < b->offer_count; o++) {
        const fit_source *source = &p->in->sources[b->sources[o]];
        prices[o] = source->price;
        if (dims > 0) memcpy(spaces + o * dims, source->space, dims * sizeof *spaces);
    }
    for (uint32_t c = 0; c < b->class_count; c++) {
        uint64_t limit = p->in->demands[b->demands[c]].most_per_node;
        counts[c] = (uint32_t)p->bought[b->demands[c]];
        limits[c] = limit < counts[c] ? (uint32_t)limit : counts[c];
        for (uint32_t o = 0; o < b->offer_count; o++) {
            if (suits(p, b->demands[c], b->sources[o])) bits_set(allowed + c * width, o);
        }
    }
    b->problem = (packing_problem){ .dims = p->in->dims,
                                    .class_count = b->class_count,
                                    .offer_count = b->offer_count,
                                    .requests = b->requests,
                                    .counts = counts,
                                    .limits = limits,
                                    .spaces = spaces,
                                    .prices = prices,
                                    .allowed = allowed };
    return packing_rate(&b->work, &b->problem);
}

/* The cost of all launches with these bins. It is infinite if some type is bought too often. Negative = out of memory.
 */
static double cost_with(buyer *b, const packing_bins *bins)
{
    const fit_input *in = b->p->in;
    double sum = 0;
    uint64_t all = bins->list.count;
    uint64_t *nodes = arena_array(&b->work, in->source_count + (size_t)1, sizeof *nodes); /* by source */
    if (nodes == NULL) return -1;
    for (size_t i = 0; i < bins->list.count; i++) nodes[b->sources[bins->list.items[i].offer]]++;
    for (uint32_t s = in->node_count; s < in->source_count; s++) {
        const fit_source *source = &in->sources[s];
        if (nodes[s] > source->most - source->least) return HUGE_VAL;
        all += source->least;
        sum += source->price * (double)(nodes[s] + source->least);
    }
    return all <= in->most_launched ? sum : HUGE_VAL;
}

static int by_class(uint32_t x, uint32_t y, const void *user)
{
    const packing_entry *e = user;
    return e[x].class_ < e[y].class_ ? -1 : e[x].class_ > e[y].class_;
}

/* The copies on one node, by demand. */
static bool show_bin(buyer *b, const packing_bin *bin, fit_bought *out)
{
    size_t n = bin->entries.count;
    uint32_t *order = arena_array(&b->work, n + 1, sizeof *order);
    fit_copies *copies = arena_array(b->p->data, n + 1, sizeof *copies);
    if (order == NULL || copies == NULL) return false;
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    if (!sort_ids(b->p->context, order, (uint32_t)n, by_class, bin->entries.items)) return false;
    for (size_t i = 0; i < n; i++) {
        const packing_entry *e = &bin->entries.items[order[i]];
        copies[i] = (fit_copies){ e->copies, b->demands[e->class_] };
    }
    *out = (fit_bought){ 1, b->sources[bin->offer], copies, n };
    return true;
}

static int by_load(uint32_t x, uint32_t y, const void *user)
{
    const fit_bought *a = (const fit_bought *)user + x, *b = (const fit_bought *)user + y;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    if (a->copies_count != b->copies_count) return a->copies_count > b->copies_count ? -1 : 1;
    for (size_t i = 0; i < a->copies_count; i++) {
        if (a->copies[i].demand != b->copies[i].demand) return a->copies[i].demand < b->copies[i].demand ? -1 : 1;
        if (a->copies[i].copies != b->copies[i].copies) return a->copies[i].copies > b->copies[i].copies ? -1 : 1;
    }
    return 0;
}

/* Nodes with equal contents become one row. */
static bool show(buyer *b, const packing_bins *bins)
{
    fit_purchase *p = b->p;
    size_t n = bins->list.count;
    fit_bought *all = arena_array(&b->work, n + 1, sizeof *all);
    uint32_t *order = arena_array(&b->work, n + 1, sizeof *order);
    p->list = arena_array(p->data, n + 1, sizeof *p->list);
    if (all == NULL || order == NULL || p->list == NULL) return false;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        if (!show_bin(b, &bins->list.items[i], &all[i])) return false;
    }
    if (!sort_ids(p->context, order, (uint32_t)n, by_load, all)) return false;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && by_load(order[i - 1], order[i], all) == 0) p->list[p->count - 1].nodes++;
        else p->list[p->count++] = all[order[i]];
    }
    return true;
}

/* Whether there are few enough nodes to be bought individually. */
static bool countable(const fit_purchase *p)
{
    uint64_t nodes = 0, copies = 0;
    for (uint32_t s = p->in->node_count; s < p->in->source_count; s++) {
        if (p->launched[s] > MOST_NODES) return false;
        nodes += p->launched[s];
    }
    for (uint32_t d = 0; d < p->in->demand_count; d++) {
        if (p->bought[d] > MOST_COPIES) return false;
        copies += p->bought[d];
    }
    return nodes > 0 && nodes <= MOST_NODES && copies <= MOST_COPIES;
}

static bool buy(buyer *b)
{
    fit_purchase *p = b->p;
    if (!make_problem(b)) return false;
    b->packing = packing_begin(p->context, &b->problem, NULL);
    if (b->packing == NULL) return false;
    uint64_t effort = p->request->effort, stop = effort < POLL_EVERY ? effort : POLL_EVERY;
    for (;;) {
        if (!packing_search(b->packing, stop)) return false;
        if (stop == effort) break;
        if (must_stop(p)) {
            p->cost.stopped = 1;
            break;
        }
        stop = effort - stop > POLL_EVERY ? stop + POLL_EVERY : effort;
    }
    p->cost.steps = packing_steps(b->packing);
    const packing_bins *best = packing_best(b->packing);
    double cost = isfinite(best->cost) ? cost_with(b, best) : HUGE_VAL;
    if (cost < 0) return false;
    if (!(cost < p->cost.compatible_cost)) return true;
    p->cost.cost = cost;
    return show(b, best);
}

karp_status fit_for_cost(fit_purchase *p, karp_error *error)
{
    buyer b = { .p = p };
    bool stopped = false;
    arena_init(&b.work, p->context);
    bool ok = find_bound(&b, &stopped);
    p->cost.stopped = stopped;
    if (ok && !stopped && p->request->effort > 0 && countable(p)) ok = buy(&b);
    packing_end(b.packing);
    arena_free(&b.work);
    return ok ? KARP_OK : fail_nomem(error);
}

#endif
