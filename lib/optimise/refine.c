/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refines the best plan so far. The round's choices are converted to numbers (menu.h), and a packing search looks for
 * a cheaper solution (packing.h). The scheduler then checks that solution: it admits each pod at its place or rejects
 * it. Plans are checked at fixed numbers of steps, so that more effort includes all checks of less effort.
 */
#include <optimise/search.h>

#include <base/context.h>
#include <base/error.h>
#include <math.h>
#include <optimise/fleet.h>

enum { FIRST_PATTERNS = 5000, PATTERN_PART = 2, FLEET_PART = 6 };
/* the first stop with patterns; parts of the steps for them, and for sets of nodes */
#define AHEAD 0.998 /* a search leads if its best plan costs less than this part of the other's */

typedef struct refining {
    search *q;
    menu menu; /* its lists are allocated in the search's arena, because guides point to them */
    packing_problem problem;
    packing_bins from;
    packing *packing;
    packing_problem second_problem; /* the same, with the worth of pods from the bound for whole pods */
    packing *second; /* a search that starts from the nodes that the bound for whole pods would buy; NULL = none */
    packing_patterns patterns; /* of the second search */
    fleet *fleet; /* a search among sets of nodes; NULL = none */
    uint32_t tried; /* sets of nodes of the bound that were tried */
    uint64_t main_goal, second_goal; /* number of steps of both searches */
    uint64_t pattern_steps; /* number of steps for making the patterns of the second search */
    uint32_t *types; /* by offer: see menu_types() */
    struct staying {
        uint32_t template_, types;
    } * staying; /* by claim */
    double checked_cost; /* cost of the packing that the scheduler checked last */
} refining;

/* ---- the problem ------------------------------------------------------------------------------------------------- */

static bool make_problem(refining *r)
{
    r->types = arena_array(&r->q->data, r->menu.offer_count + (size_t)1, sizeof *r->types);
    return r->types != NULL && menu_problem(&r->q->data, &r->menu, &r->problem);
}

/* Converts the pods of the claims to bins. */
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

/* ---- checking a plan --------------------------------------------------------------------------------------------- */

void guided_plan_free(guided_plan *g)
{
    if (g->context == NULL) return;
    mem_free(g->context, g->guide.slots, g->slot_capacity * sizeof *g->guide.slots);
    mem_free(g->context, g->slot_of, g->pod_capacity * sizeof *g->slot_of);
    *g = (guided_plan){ .context = NULL };
}

static uint32_t types_of(refining *r, uint32_t offer)
{
    return menu_types(r->q->s, &r->menu, offer, &r->q->guided, r->types);
}

/* Converts the packing to a guide, with a slot for each node and for each claim that stays. */
static bool make_guide(refining *r, const packing_bins *bins, guided_plan *g)
{
    const menu *m = &r->menu;
    size_t pods = r->q->seen->raw.pods.count;
    karp_context *context = r->q->seen->context;
    *g = (guided_plan){ .context = context,
                        .slot_capacity = m->claim_count + bins->list.count + 1,
                        .pod_capacity = pods + 1 };
    g->guide.slots = mem_alloc(context, g->slot_capacity * sizeof *g->guide.slots);
    g->slot_of = mem_alloc(context, g->pod_capacity * sizeof *g->slot_of);
    uint32_t *used = mem_zalloc(context, (m->class_count + (size_t)1) * sizeof *used);
    bool ok = g->guide.slots != NULL && g->slot_of != NULL && used != NULL;
    for (uint32_t c = 0; ok && c < m->claim_count; c++)
        g->guide.slots[c] = (guide_slot){ r->staying[c].template_, r->staying[c].types, 0, UINT32_MAX };
    for (size_t p = 0; ok && p < pods; p++) g->slot_of[p] = m->class_of[p] == UINT32_MAX ? m->claim_of[p] : UINT32_MAX;
    for (size_t b = 0; ok && b < bins->list.count; b++) {
        const packing_bin *bin = &bins->list.items[b];
        uint32_t slot = m->claim_count + (uint32_t)b, set = 0;
        bool roams = false;
        for (size_t e = 0; e < bin->entries.count; e++) {
            const packing_entry *x = &bin->entries.items[e];
            const menu_class *c = &m->classes[x->class_];
            set = guide_meet(r->q->s, set, c->pin);
            roams = roams || c->roams;
            for (uint32_t i = 0; i < x->copies; i++) g->slot_of[c->pods[used[x->class_]++]] = slot;
        }
        const menu_offer *o = &m->offers[bin->offer];
        if (roams) set = guide_meet_zone(r->q->s, set, o->template_, o->offering);
        /* If spot prices are weighted, the capacity type is fixed. By price alone it might be the other one. */
        if (r->q->weighs_spot) set = guide_meet_capacity_type(r->q->s, set, o->template_, o->offering);
        g->guide.slots[slot] = (guide_slot){ o->template_, types_of(r, bin->offer), set, UINT32_MAX };
    }
    mem_free(context, used, (m->class_count + (size_t)1) * sizeof *used);
    g->guide.slot_count = (uint32_t)g->slot_capacity - 1;
    g->guide.slot_of = g->slot_of;
    g->guide.host_of = m->host_of;
    g->guide.steps = r->q->steps_begun;
    return ok && !scheduler_failed(r->q->s);
}

/* The cheapest of the searches' best packings. */
static const packing_bins *best_of(const refining *r)
{
    const packing_bins *a = packing_best(r->packing), *b = r->second != NULL ? packing_best(r->second) : a;
    if (b->cost < a->cost) a = b;
    return r->fleet != NULL && fleet_best(r->fleet)->cost < a->cost ? fleet_best(r->fleet) : a;
}

/* Lets the scheduler check the best packing, which becomes the best plan if it is cheaper. */
static karp_status check_best(refining *r)
{
    search *q = r->q;
    const packing_bins *bins = best_of(r);
    guided_plan g;
    if (!(bins->cost < r->checked_cost)) return KARP_OK;
    r->checked_cost = bins->cost;
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

/* ---- the search -------------------------------------------------------------------------------------------------- */

uint64_t search_stop_after(uint64_t stop)
{
    uint64_t power = FIRST_STOP;
    while (stop / power >= 10) power *= 10;
    return stop / power < 2 ? 2 * power : stop / power < 5 ? 5 * power : 10 * power;
}

/* The offer of the menu that is this one; UINT32_MAX = the menu does not have it. */
static uint32_t offer_in_menu(const menu *m, const relaxed_offer *o)
{
    uint32_t n = 0;
    while (n < m->offer_count && (m->offers[n].template_ != o->template_ || m->offers[n].offering != o->offering)) n++;
    return n < m->offer_count ? n : UINT32_MAX;
}

/* Contents of nodes of the bound as those of the menu. false = out of memory. */
__attribute__((cold)) static bool contents_in_menu(refining *r, uint32_t count, const uint32_t *offers,
                                                   const uint32_t *copies, packing_contents *out)
{
    const round_trail *t = &r->q->trail;
    uint32_t *offer = arena_array(&r->q->data, count + (size_t)1, sizeof *offer);
    uint32_t *class_of = arena_array(&r->q->data, t->class_count + (size_t)1, sizeof *class_of);
    if (offer == NULL || class_of == NULL) return false;
    for (uint32_t n = 0; n < count; n++) offer[n] = offer_in_menu(&r->menu, &t->offers[offers[n]]);
    for (uint32_t k = 0; k < t->class_count; k++) class_of[k] = r->menu.class_of[t->samples[k]];
    *out = (packing_contents){ count, offer, copies, t->class_count, class_of };
    return true;
}

/* What the bound buys at the stop. false = out of memory. */
__attribute__((cold)) static bool bound_contents(refining *r, uint64_t stop, packing_contents *out)
{
    const bound_trail *x = &r->q->trail.solutions;
    uint32_t i = 0;
    *out = (packing_contents){ .count = 0 };
    while (i < x->count && x->stops[i] != stop) i++;
    if (i == x->count || r->q->trail.samples == NULL) return true;
    return contents_in_menu(r, x->at[i].count, x->at[i].offer, x->at[i].copies, out);
}

/* Whether the stop is 1, 10, 100 … thousand steps. */
static bool is_power(uint64_t stop)
{
    while (stop % 10 == 0) stop /= 10;
    return stop == 1;
}

/* Makes patterns from the bound for whole pods, in `steps` steps, beginning with those made before. Some stops begin
 * with other prices, so that the patterns are not always the same. */
__attribute__((cold)) static bool buy_patterns(refining *r, uint64_t stop, uint64_t steps)
{
    karp_context *context = r->q->seen->context;
    packing_patterns patterns, *known = r->patterns.count > 0 ? &r->patterns : NULL;
    packing_contents others;
    r->patterns.holds = !is_power(stop);
    if (!bound_contents(r, stop, &others) ||
        !packing_find_patterns(&r->q->data, &r->problem, known, &others, steps / 2, &patterns))
        return false;
    if (patterns.count == 0) return true;
    r->patterns = patterns;
    r->pattern_steps += steps;
    r->second_problem = r->problem;
    r->second_problem.worth = patterns.worth;
    if (r->second == NULL) r->second = packing_begin(context, &r->second_problem, NULL);
    return r->second != NULL &&
           packing_round(r->second, context, &r->second_problem, &patterns, &r->q->data, steps / 2);
}

/* Whether a search is so far ahead that the other will hardly catch up. */
static bool leads(const packing *x, const packing *y) { return packing_best(x)->cost < packing_best(y)->cost * AHEAD; }

/* The part of so many steps for the second search. */
static uint64_t second_part(const refining *r, uint64_t steps)
{
    if (r->second == NULL) return 0;
    if (leads(r->second, r->packing)) return steps - steps / 8;
    return leads(r->packing, r->second) ? steps / 8 : steps / 2;
}

/* Lets all pods be packed onto the sets of nodes that the bound has found by the stop, until so many steps are done.
 * false = out of memory. */
__attribute__((cold)) static bool try_fleets(refining *r, uint64_t stop, uint64_t steps)
{
    const bound_trail *x = &r->q->trail.solutions;
    uint32_t from = r->tried;
    while (r->tried < x->fleet_count && x->fleets[r->tried].steps <= round_bound_effort(stop) + stop) r->tried++;
    for (uint32_t i = r->tried; i-- > from && fleet_steps(r->fleet) < steps;) { /* the cheapest first */
        const bound_fleet *y = &x->fleets[i];
        packing_contents nodes;
        if (!contents_in_menu(r, y->count, y->offer, y->copies, &nodes) || !fleet_try(r->fleet, &nodes)) return false;
    }
    return true;
}

/* Looks for cheaper sets of nodes than those of the best plan, in so many steps. false = out of memory. */
__attribute__((cold)) static bool find_fleets(refining *r, uint64_t stop, uint64_t steps)
{
    if (r->fleet == NULL) r->fleet = fleet_begin(r->q->seen->context, &r->problem);
    if (r->fleet == NULL || !fleet_start(r->fleet, best_of(r))) return false;
    steps += fleet_steps(r->fleet);
    return try_fleets(r, stop, steps) && fleet_search(r->fleet, steps);
}

/* Continues to `stop` steps, of which a part is for patterns. The searches get half of the others each, or the one that
 * leads gets most of them. Sets of nodes are looked for in addition, in a small part of the steps. */
static bool search_to(refining *r, uint64_t from, uint64_t stop)
{
    uint64_t steps = stop - from, patterns = r->pattern_steps;
    if (stop >= FIRST_PATTERNS &&
        (!find_fleets(r, stop, steps / FLEET_PART) || !buy_patterns(r, stop, steps / PATTERN_PART)))
        return false;
    steps -= r->pattern_steps - patterns;
    uint64_t second = second_part(r, steps);
    r->main_goal += steps - second;
    r->second_goal += second;
    return packing_search(r->packing, r->main_goal) && (r->second == NULL || packing_search(r->second, r->second_goal));
}

/* Whether no plan costs less, so that there is nothing to look for. */
static bool is_proven(const search *q)
{
    return q->bound != NULL && q->best.cost <= karp_bound_value(q->bound) * (1 + OPTIMAL_GAP);
}

static karp_status search_stops(refining *r)
{
    search *q = r->q;
    for (uint64_t from = 0, stop = FIRST_STOP; stop <= q->objective->effort && !is_proven(q);
         from = stop, stop = search_stop_after(stop)) {
        if (search_must_stop(q)) {
            q->stopped = true;
            return KARP_OK;
        }
        if (!search_to(r, from, stop)) return fail_nomem(q->error);
        q->steps = packing_steps(r->packing) + r->pattern_steps + (r->second != NULL ? packing_steps(r->second) : 0);
        karp_status status = check_best(r);
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
    if (!menu_make(q->s, &r->q->data, q->steps_begun, q->objective, &r->menu)) return fail_nomem(q->error);
    if (r->menu.class_count == 0 || r->menu.offer_count == 0) return KARP_OK;
    if (!note_staying(r) || !make_problem(r) || !make_bins(r)) return fail_nomem(q->error);
    r->packing = packing_begin(q->seen->context, &r->problem, &r->from);
    if (r->packing == NULL) return fail_nomem(q->error);
    /* If the offers differ from those that the plan was made of, its own nodes may be available for less than its
     * cost. */
    bool others = q->weighs_spot || (q->objective->flags & KARP_COST_IGNORE_WEIGHTS) != 0;
    for (uint32_t c = 0; c < r->menu.class_count; c++) others = others || r->menu.classes[c].roams;
    r->checked_cost = others ? HUGE_VAL : packing_best(r->packing)->cost;
    return search_stops(r);
}

karp_status search_refine(search *q)
{
    refining r = { .q = q };
    karp_status status = refine(&r);
    packing_end(r.packing);
    packing_end(r.second);
    fleet_end(r.fleet);
    packing_bins_free(q->seen->context, &r.from);
    return status;
}
