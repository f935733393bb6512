/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the best plan of the portfolio to numbers (menu.h), from these to a cheaper packing (packing.h), and from that back to the
 * scheduler, which admits every pod where it is to go, or says no. Plans are asked for at fixed numbers of steps, so that more
 * effort has asked for everything that less effort has.
 */
#include <optimise/search.h>

#include <base/bits.h>
#include <base/context.h>
#include <base/error.h>
#include <math.h>
#include <optimise/bound.h>
#include <optimise/packing.h>
#include <string.h>

enum { FLUID_ROUNDS = 400, FEW_ROUNDS = 20, FLUID_CLASSES = 100 };
#define FLUID_TOLERANCE 0.001
#define LEAST_WORTH 1e-6 /* of a pod that only takes what is left over */

typedef struct refining {
    search *q;
    menu menu; /* its lists lie in the search's arena, where guides read them */
    packing_problem problem;
    packing_bins from;
    packing *packing;
    double *worth;
    uint32_t *types; /* by offer: typeset + 1, 0 = not asked for yet */
    struct staying {
        uint32_t template_, types;
    } * staying; /* by claim */
    double asked; /* the cost of the packing that was asked for last */
} refining;

/* ---- worth ---------------------------------------------------------------------------------------------------------------- */

/* Classes with about the same proportions, on the same offers, are one for the fluid problem, whose work grows with their square. */
typedef struct groups {
    uint32_t *of; /* by class */
    uint32_t *first; /* by group: the class that stands for it */
    uint32_t count;
    double *total; /* by resource: of all pods */
} groups;

/* The power of 1.5 next to the ratio. (No logarithm: those differ between C libraries.) */
static int power_of(double ratio)
{
    int power = 0;
    for (; ratio > 1.25 && power < 20; power++) ratio /= 1.5;
    for (; ratio < 0.8 && power > -20; power--) ratio *= 1.5;
    return power;
}

static double share_of(const refining *r, const groups *g, uint32_t c, uint32_t d)
{
    double request = (double)r->problem.requests[(size_t)c * r->problem.dims + d];
    return g->total[d] > 0 ? request / g->total[d] : 0;
}

static bool alike(const refining *r, const groups *g, uint32_t x, uint32_t y, bool whatever_size)
{
    const packing_problem *p = &r->problem;
    size_t words_ = bits_words(p->offer_count);
    if ((p->limits[x] == UINT32_MAX) != (p->limits[y] == UINT32_MAX)) return false;
    if (memcmp(p->allowed + x * words_, p->allowed + y * words_, words_ * sizeof *p->allowed) != 0) return false;
    double a = share_of(r, g, x, 0), b = share_of(r, g, y, 0);
    for (uint32_t d = 0; d < p->dims; d++) {
        double q = share_of(r, g, x, d), s = share_of(r, g, y, d);
        if ((q > 0) != (s > 0)) return false;
        if (q > 0 && a > 0 && b > 0 && power_of(q / a) != power_of(s / b)) return false;
        if (!whatever_size && q != s) return false;
    }
    return whatever_size || p->limits[x] == p->limits[y];
}

static bool find_groups(refining *r, groups *g)
{
    const packing_problem *p = &r->problem;
    g->of = arena_array(&r->q->data, p->class_count + (size_t)1, sizeof *g->of);
    g->first = arena_array(&r->q->data, p->class_count + (size_t)1, sizeof *g->first);
    g->total = arena_array(&r->q->data, p->dims + (size_t)1, sizeof *g->total);
    if (g->of == NULL || g->first == NULL || g->total == NULL) return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        for (uint32_t d = 0; d < p->dims; d++)
            g->total[d] += (double)p->requests[(size_t)c * p->dims + d] * p->counts[c];
    }
    for (uint32_t c = 0; c < p->class_count; c++) {
        uint32_t n = 0;
        while (n < g->count && !alike(r, g, g->first[n], c, p->class_count > FLUID_CLASSES)) n++;
        g->of[c] = n;
        if (n == g->count) g->first[g->count++] = c;
    }
    return true;
}

static int64_t cost_units(double price)
{
    double units = floor(price * MONEY_UNIT);
    return !(units > 0) ? 0 : units < (double)MONEY_MOST ? (int64_t)units : MONEY_MOST;
}

/* The fluid problem of the groups: a pod of each is the average of its classes'. false = refused. */
static bool fluid_problem(refining *r, const groups *g, bound_problem *b)
{
    const packing_problem *p = &r->problem;
    arena *a = &r->q->data;
    size_t words_ = bits_words(g->count);
    int64_t *requests = arena_array(a, (size_t)g->count * p->dims + 1, sizeof *requests);
    int64_t *counts = arena_array(a, g->count + (size_t)1, sizeof *counts);
    int64_t *limits = arena_array(a, g->count + (size_t)1, sizeof *limits);
    int64_t *costs = arena_array(a, p->offer_count + (size_t)1, sizeof *costs);
    uint64_t *allowed = arena_array(a, p->offer_count * words_ + 1, sizeof *allowed);
    double *sums = arena_array(a, (size_t)g->count * p->dims + 1, sizeof *sums);
    if (requests == NULL || counts == NULL || limits == NULL || costs == NULL || allowed == NULL || sums == NULL)
        return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        uint32_t n = g->of[c];
        counts[n] += p->counts[c];
        limits[n] = p->limits[c] == UINT32_MAX ? COPIES_ANY : limits[n] + p->limits[c];
        for (uint32_t d = 0; d < p->dims; d++)
            sums[(size_t)n * p->dims + d] += (double)p->requests[(size_t)c * p->dims + d] * p->counts[c];
    }
    for (uint32_t n = 0; n < g->count; n++) {
        for (uint32_t d = 0; d < p->dims; d++) {
            double each = sums[(size_t)n * p->dims + d] / (double)counts[n];
            requests[(size_t)n * p->dims + d] = each > 0 && each < 1 ? 1 : (int64_t)each;
        }
        for (size_t o = 0; o < p->offer_count; o++) {
            if (bits_test(p->allowed + g->first[n] * bits_words(p->offer_count), o)) bits_set(allowed + o * words_, n);
        }
    }
    for (uint32_t o = 0; o < p->offer_count; o++) costs[o] = cost_units(p->prices[o]);
    *b = (bound_problem){ .dims = p->dims,
                          .class_count = g->count,
                          .offer_count = p->offer_count,
                          .requests = requests,
                          .counts = counts,
                          .limits = limits,
                          .capacity = p->rooms,
                          .costs = costs,
                          .allowed = allowed };
    return true;
}

/* How large a pod is beside all that is asked for. */
static double size_of(const refining *r, const groups *g, const int64_t *requests)
{
    double size = 0;
    for (uint32_t d = 0; d < r->problem.dims; d++) size += g->total[d] > 0 ? (double)requests[d] / g->total[d] : 0;
    return size;
}

static bool find_worth(refining *r)
{
    const packing_problem *p = &r->problem;
    groups g = { .count = 0 };
    bound_problem b;
    bound_proof proof;
    r->worth = arena_array(&r->q->data, p->class_count + (size_t)1, sizeof *r->worth);
    if (r->worth == NULL || !find_groups(r, &g) || !fluid_problem(r, &g, &b)) return false;
    uint32_t rounds = g.count <= FLUID_CLASSES ? FLUID_ROUNDS : FEW_ROUNDS;
    if (!bound_fluid(&r->q->data, &b, FLUID_TOLERANCE, rounds, &proof)) return false;
    for (uint32_t c = 0; c < p->class_count; c++) {
        double whole = size_of(r, &g, b.requests + (size_t)g.of[c] * p->dims);
        double part = whole > 0 ? size_of(r, &g, p->requests + (size_t)c * p->dims) / whole : 1;
        r->worth[c] = (double)proof.y[g.of[c]] / MONEY_UNIT * part;
        if (!(r->worth[c] > LEAST_WORTH)) r->worth[c] = LEAST_WORTH;
    }
    return true;
}

/* ---- the problem ------------------------------------------------------------------------------------------------------------ */

static bool make_problem(refining *r)
{
    const menu *m = &r->menu;
    uint32_t *counts = arena_array(&r->q->data, m->class_count + (size_t)1, sizeof *counts);
    uint32_t *limits = arena_array(&r->q->data, m->class_count + (size_t)1, sizeof *limits);
    double *prices = arena_array(&r->q->data, m->offer_count + (size_t)1, sizeof *prices);
    r->types = arena_array(&r->q->data, m->offer_count + (size_t)1, sizeof *r->types);
    if (counts == NULL || limits == NULL || prices == NULL || r->types == NULL) return false;
    for (uint32_t c = 0; c < m->class_count; c++) {
        counts[c] = m->classes[c].count;
        limits[c] = m->classes[c].limit;
    }
    for (uint32_t o = 0; o < m->offer_count; o++) prices[o] = m->offers[o].price;
    r->problem = (packing_problem){ .dims = m->dims,
                                    .class_count = m->class_count,
                                    .offer_count = m->offer_count,
                                    .requests = m->requests,
                                    .counts = counts,
                                    .limits = limits,
                                    .rooms = m->rooms,
                                    .prices = prices,
                                    .allowed = m->allowed,
                                    .conflicts = m->conflicts };
    if (!find_worth(r)) return false;
    r->problem.worth = r->worth;
    return true;
}

/* Which pods are on which claim, as bins. */
static bool make_bins(refining *r)
{
    const menu *m = &r->menu;
    karp_context *context = r->q->seen->context;
    uint32_t *bin_of = arena_alloc(&r->q->data, (m->claim_count + (size_t)1) * sizeof *bin_of);
    if (bin_of == NULL) return false;
    for (uint32_t c = 0; c < m->claim_count; c++) {
        bin_of[c] = (uint32_t)r->from.list.count;
        if (!m->claims[c].stays && packing_add_bin(context, &r->from, 0) == NULL) return false;
    }
    for (uint32_t c = 0; c < m->class_count; c++) {
        for (uint32_t i = 0; i < m->classes[c].count; i++) {
            packing_bin *b = &r->from.list.items[bin_of[m->claim_of[m->classes[c].pods[i]]]];
            packing_entry *last = b->entries.count > 0 ? &b->entries.items[b->entries.count - 1] : NULL;
            if (last != NULL && last->class_ == c) last->copies++;
            else if (!packing_add_entry(context, b, c, 1)) return false;
        }
    }
    return true;
}

static bool note_staying(refining *r)
{
    const menu *m = &r->menu;
    r->staying = arena_array(&r->q->data, m->claim_count + (size_t)1, sizeof *r->staying);
    for (uint32_t c = 0; c < m->claim_count && r->staying != NULL; c++) {
        r->staying[c] = (struct staying){ guide_claim_template(r->q->s, c), guide_claim_types(r->q->s, c) };
    }
    return r->staying != NULL;
}

/* ---- asking for a plan --------------------------------------------------------------------------------------------------------- */

void guided_plan_free(guided_plan *g)
{
    if (g->context == NULL) return;
    mem_free(g->context, g->guide.slots, g->slot_room * sizeof *g->guide.slots);
    mem_free(g->context, g->slot_of, g->pod_room * sizeof *g->slot_of);
    *g = (guided_plan){ .context = NULL };
}

static uint32_t types_of(refining *r, uint32_t offer)
{
    const menu_offer *o = &r->menu.offers[offer];
    if (r->types[offer] == 0) r->types[offer] = 1 + guide_types(r->q->s, o->template_, o->offering);
    return r->types[offer] - 1;
}

/* The packing as a guide: a slot for each node of it, and for each claim that stays. */
static bool make_guide(refining *r, const packing_bins *bins, guided_plan *g)
{
    const menu *m = &r->menu;
    size_t pods = r->q->seen->raw.pods.count;
    karp_context *context = r->q->seen->context;
    *g = (guided_plan){ .context = context, .slot_room = m->claim_count + bins->list.count + 1, .pod_room = pods + 1 };
    g->guide.slots = mem_alloc(context, g->slot_room * sizeof *g->guide.slots);
    g->slot_of = mem_alloc(context, g->pod_room * sizeof *g->slot_of);
    uint32_t *used = mem_zalloc(context, (m->class_count + (size_t)1) * sizeof *used);
    bool ok = g->guide.slots != NULL && g->slot_of != NULL && used != NULL;
    for (uint32_t c = 0; ok && c < m->claim_count; c++)
        g->guide.slots[c] = (guide_slot){ r->staying[c].template_, r->staying[c].types, 0, UINT32_MAX };
    for (size_t p = 0; ok && p < pods; p++) g->slot_of[p] = m->class_of[p] == UINT32_MAX ? m->claim_of[p] : UINT32_MAX;
    for (size_t b = 0; ok && b < bins->list.count; b++) {
        const packing_bin *bin = &bins->list.items[b];
        uint32_t slot = m->claim_count + (uint32_t)b, set = 0;
        for (size_t e = 0; e < bin->entries.count; e++) {
            const packing_entry *x = &bin->entries.items[e];
            const menu_class *c = &m->classes[x->class_];
            set = guide_meet(r->q->s, set, c->pin);
            for (uint32_t i = 0; i < x->copies; i++) g->slot_of[c->pods[used[x->class_]++]] = slot;
        }
        g->guide.slots[slot] = (guide_slot){ m->offers[bin->offer].template_, types_of(r, bin->offer), set,
                                             UINT32_MAX };
    }
    mem_free(context, used, (m->class_count + (size_t)1) * sizeof *used);
    g->guide.slot_count = (uint32_t)g->slot_room - 1;
    g->guide.slot_of = g->slot_of;
    g->guide.host_of = m->host_of;
    g->guide.steps = r->q->steps_begun;
    return ok && !scheduler_failed(r->q->s);
}

/* Asks the scheduler for the best packing; it is the best plan from then on when it is cheaper. */
static karp_status ask_for(refining *r)
{
    search *q = r->q;
    const packing_bins *bins = packing_best(r->packing);
    guided_plan g;
    if (!(bins->cost < r->asked)) return KARP_OK;
    r->asked = bins->cost;
    karp_status status = make_guide(r, bins, &g) ? KARP_OK : fail_nomem(q->error);
    if (status == KARP_OK) status = search_round(q, &q->guided, &g.guide, q->options);
    if (status == KARP_OK && search_better(q, &status)) {
        q->best_is = PLAN_GUIDED;
        guided_plan_free(&q->best_guided);
        q->best_guided = g;
        g.context = NULL;
    }
    guided_plan_free(&g);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------------------------------------------- */

/* The next of 1, 2, 5, 10, 20, … thousand. */
static uint64_t next_stop(uint64_t stop)
{
    uint64_t power = 1000;
    while (stop / power >= 10) power *= 10;
    return stop / power < 2 ? 2 * power : stop / power < 5 ? 5 * power : 10 * power;
}

static karp_status search_stops(refining *r)
{
    search *q = r->q;
    for (uint64_t stop = 1000; stop <= q->objective->effort; stop = next_stop(stop)) {
        if (search_asked_to_stop(q)) {
            q->stopped = true;
            return KARP_OK;
        }
        if (!packing_search(r->packing, stop)) return fail_nomem(q->error);
        q->steps = packing_steps(r->packing);
        karp_status status = ask_for(r);
        if (status == KARP_E_CANCELED) {
            q->stopped = true;
            return KARP_OK;
        }
        if (status != KARP_OK) return status;
        if (stop > UINT64_MAX / 10) break;
    }
    return KARP_OK;
}

static karp_status refine(refining *r)
{
    search *q = r->q;
    karp_status status = search_replay(q, q->options);
    if (status == KARP_E_CANCELED) q->stopped = true;
    if (status != KARP_OK) return status == KARP_E_CANCELED ? KARP_OK : status;
    memcpy(q->steps_begun, q->steps_now, q->seen->raw.pods.count * sizeof *q->steps_begun);
    if (!menu_make(q->s, &r->q->data, q->steps_begun, q->objective->node_cost, &r->menu)) return fail_nomem(q->error);
    if (r->menu.class_count == 0 || r->menu.offer_count == 0) return KARP_OK;
    if (!note_staying(r) || !make_problem(r) || !make_bins(r)) return fail_nomem(q->error);
    r->packing = packing_begin(q->seen->context, &r->problem, &r->from);
    if (r->packing == NULL) return fail_nomem(q->error);
    r->asked = packing_best(r->packing)->cost;
    return search_stops(r);
}

karp_status search_refine(search *q)
{
    refining r = { .q = q };
    karp_status status = refine(&r);
    packing_end(r.packing);
    packing_bins_free(q->seen->context, &r.from);
    return status;
}
