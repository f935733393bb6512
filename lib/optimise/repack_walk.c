/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/repack_walk_state.h>

#include <math.h>
#include <string.h>

enum { LOOKED_AT = 6, MOST_STEPS = 100, MOST_BINS = 4, PATIENCE = 300, TOGETHER = 4 };

#define SLACK 0.1 /* fraction of the price of a node */

/* Whether the step may also remove this node. */
static bool allowed(repack_walk *w, uint32_t which, uint64_t evictions)
{
    return evictions + w->p->nodes[which].evictions <= w->most && step_budget_allows(&w->budget, which);
}

/* The best node to add to the step, as an index in `waiting`; UINT32_MAX = none is allowed. */
static uint32_t choose(repack_walk *w, uint32_t *nodes, uint32_t count, uint64_t evictions)
{
    size_t puts = w->now.puts.count, bins = w->now.bins.count;
    uint32_t best = UINT32_MAX, at = w->waiting_count > 0 ? chance_below(&w->random, w->waiting_count) : 0, seen = 0;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < w->waiting_count && seen < LOOKED_AT && !w->failed; i++) {
        uint32_t place = (at + i) % w->waiting_count;
        double saving;
        if (!allowed(w, w->waiting[place], evictions)) continue;
        seen++;
        nodes[count] = w->waiting[place];
        double value = walk_try(w, nodes, count + 1, &saving);
        walk_take_back(w, puts, bins);
        value += fabs(value) * 0.2 * (chance_part(&w->random) - 0.5);
        if (saving > 1e-9) value += 1e-3; /* a step that already pays is preferred */
        if (value > most) most = value, best = place;
    }
    return best;
}

static void forget(repack_walk *w, uint32_t place)
{
    memmove(&w->waiting[place], &w->waiting[place + 1], (w->waiting_count - place - 1) * sizeof *w->waiting);
    w->waiting_count--;
}

static bool note_leg(repack_walk *w, leg x, const uint32_t *nodes)
{
    leg *slot = list_push(w->context, &w->now.legs, sizeof *slot);
    if (slot == NULL) return false;
    *slot = x;
    for (uint32_t i = 0; i < x.nodes; i++) {
        uint32_t *next = list_push(w->context, &w->now.order, sizeof *next);
        if (next == NULL) return false;
        *next = nodes[i];
    }
    w->now.saving += x.saving;
    w->now.evictions += x.evictions;
    return true;
}

/* Makes the next step: adds nodes until it pays. If it does not, its first node stays. */
static bool next_leg(repack_walk *w)
{
    uint32_t nodes[TOGETHER + 1], first = UINT32_MAX;
    leg x = { .first_node = (uint32_t)w->now.order.count,
              .first_put = (uint32_t)w->now.puts.count,
              .first_bin = (uint32_t)w->now.bins.count };
    step_budget_clear(&w->budget);
    while (x.nodes < TOGETHER && !w->failed) {
        uint32_t place = choose(w, nodes, x.nodes, w->now.evictions + x.evictions);
        if (place == UINT32_MAX) break;
        uint32_t which = w->waiting[place];
        nodes[x.nodes++] = which;
        if (first == UINT32_MAX) first = which;
        x.evictions += w->p->nodes[which].evictions;
        step_budget_count(&w->budget, which, 1);
        forget(w, place);
        double value = walk_try(w, nodes, x.nodes, &x.saving);
        if (value > -HUGE_VAL && step_pays(w->limits, x.saving, x.evictions)) {
            x.puts = (uint32_t)w->now.puts.count - x.first_put;
            x.bins = (uint32_t)w->now.bins.count - x.first_bin;
            return note_leg(w, x, nodes) || !(w->failed = true);
        }
        walk_take_back(w, x.first_put, x.first_bin);
    }
    for (uint32_t i = 1; i < x.nodes; i++) w->waiting[w->waiting_count++] = nodes[i];
    if (x.nodes == 0) w->waiting_count = 0; /* no node may be removed any more */
    return !w->failed;
}

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

static void clear(attempt *a)
{
    a->order.count = a->puts.count = a->bins.count = a->legs.count = 0;
    a->saving = 0;
    a->evictions = 0;
}

/* Repeats the first steps of at_hand. */
static bool repeat(repack_walk *w, uint32_t legs)
{
    const attempt *from = &w->at_hand;
    for (uint32_t i = 0; i < legs; i++) {
        const leg *x = &from->legs.items[i];
        uint32_t place;
        for (uint32_t b = 0; b < x->bins; b++) {
            if (!walk_launch(w, from->bins.items[x->first_bin + b], &place)) return false;
        }
        for (uint32_t k = 0; k < x->puts; k++) {
            const put *q = &from->puts.items[x->first_put + k];
            uint32_t which = q->place < w->p->host_count ? w->p->node_of_host[q->place] : UINT32_MAX;
            if (which != UINT32_MAX) w->chosen[which] = false; /* it has received pods */
            if (!walk_put(w, q->place, q->class_, q->copies)) return false;
        }
        for (uint32_t n = 0; n < x->nodes; n++) w->chosen[from->order.items[x->first_node + n]] = true;
        if (!note_leg(w, *x, from->order.items + x->first_node)) return !(w->failed = true);
    }
    return true;
}

static void walk(repack_walk *w, uint32_t legs)
{
    const repack_problem *p = w->p;
    size_t dims = p->launches.dims;
    uint64_t steps = w->limits->max_steps < MOST_STEPS ? w->limits->max_steps : MOST_STEPS;
    clear(&w->now);
    memcpy(w->free, p->left, p->host_count * dims * sizeof *w->free);
    if (!repeat(w, legs)) return;
    w->waiting_count = 0;
    for (uint32_t i = 0; i < p->node_count; i++) {
        if (w->chosen[i]) w->waiting[w->waiting_count++] = i;
    }
    for (size_t i = 0; i < w->now.order.count; i++) {
        uint32_t at = 0;
        while (at < w->waiting_count && w->waiting[at] != w->now.order.items[i]) at++;
        if (at < w->waiting_count) forget(w, at);
    }
    w->part = chance_part(&w->random);
    w->per_pod = (chance_next(&w->random) >> 63) != 0;
    w->larger = (chance_next(&w->random) >> 63) != 0 ? 1 : 1 + 2 * chance_part(&w->random);
    w->bins_first = (chance_next(&w->random) >> 63) != 0;
    while (w->waiting_count > 0 && w->now.legs.count < steps && w->work < w->end && next_leg(w)) {
    }
}

/* Adds some nodes to those that may be removed, and drops some. */
static void change(repack_walk *w)
{
    uint32_t n = w->p->node_count;
    memset(w->chosen, 0, n * sizeof *w->chosen);
    for (size_t i = 0; i < w->at_hand.order.count; i++) w->chosen[w->at_hand.order.items[i]] = true;
    for (uint32_t i = chance_below(&w->random, 4); i > 0; i--) {
        uint32_t which = chance_below(&w->random, n);
        w->chosen[which] = !w->chosen[which] && !w->fixed[which];
    }
}

static void copy_items(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) memcpy(to, from, count * size);
}

static bool copy_attempt(repack_walk *w, const attempt *from, attempt *to)
{
    clear(to);
    if (!list_reserve_more(w->context, &to->order, sizeof *to->order.items, from->order.count) ||
        !list_reserve_more(w->context, &to->puts, sizeof *to->puts.items, from->puts.count) ||
        !list_reserve_more(w->context, &to->bins, sizeof *to->bins.items, from->bins.count) ||
        !list_reserve_more(w->context, &to->legs, sizeof *to->legs.items, from->legs.count))
        return !(w->failed = true);
    copy_items(to->order.items, from->order.items, from->order.count, sizeof *to->order.items);
    copy_items(to->puts.items, from->puts.items, from->puts.count, sizeof *to->puts.items);
    copy_items(to->bins.items, from->bins.items, from->bins.count, sizeof *to->bins.items);
    copy_items(to->legs.items, from->legs.items, from->legs.count, sizeof *to->legs.items);
    to->order.count = from->order.count;
    to->puts.count = from->puts.count;
    to->bins.count = from->bins.count;
    to->legs.count = from->legs.count;
    to->saving = from->saving;
    to->evictions = from->evictions;
    return true;
}

/* The new attempt replaces at_hand unless it saves much less. After a number of attempts without improvement,
 * continues from the best one. */
static void judge(repack_walk *w)
{
    double slack = w->slack * chance_part(&w->random);
    if (w->now.saving > w->at_hand.saving - slack) {
        attempt old = w->at_hand;
        w->at_hand = w->now;
        w->now = old;
    }
    w->stale++;
    if (w->at_hand.saving > w->best.saving + 1e-9) {
        w->stale = 0;
        (void)copy_attempt(w, &w->at_hand, &w->best);
    } else if (w->stale > PATIENCE) {
        w->stale = 0;
        (void)copy_attempt(w, &w->best, &w->at_hand);
    }
}

/* Adds a copy of the class to the put of the current step. */
static bool count_put(repack_walk *w, uint32_t first, uint32_t place, uint32_t c)
{
    for (size_t i = first; i < w->now.puts.count; i++) {
        put *x = &w->now.puts.items[i];
        if (x->place == place && x->class_ == c) return ++x->copies > 0;
    }
    put *slot = list_push(w->context, &w->now.puts, sizeof *slot);
    if (slot != NULL) *slot = (put){ place, c, 1 };
    return slot != NULL;
}

/* Converts the stage to a step of the attempt. `number` has the bins in the order in which they are launched. */
static bool take_stage(repack_walk *w, const repack_steps *s, uint32_t which, uint32_t *number)
{
    const repack_stage *stage = &s->stages.items[which];
    const uint32_t *nodes = s->order.items + stage->first;
    leg x = { (uint32_t)w->now.order.count,
              stage->count,
              (uint32_t)w->now.puts.count,
              0,
              (uint32_t)w->now.bins.count,
              0,
              stage->evictions,
              stage->saving };
    for (size_t b = 0; b < s->bins.list.count; b++) {
        if (s->stage_of_bin[b] != which) continue;
        number[b] = w->p->host_count + (uint32_t)w->now.bins.count;
        uint32_t *slot = list_push(w->context, &w->now.bins, sizeof *slot);
        if (slot == NULL) return false;
        *slot = s->bins.list.items[b].offer;
    }
    for (uint32_t i = 0; i < stage->count; i++) {
        for (uint32_t k = 0; k < w->pods->counts[nodes[i]]; k++) {
            uint32_t p = w->pods->pods[nodes[i]][k];
            uint32_t place = s->host_of[p] != UINT32_MAX ? s->host_of[p] : number[s->bin_of[p]];
            if (!count_put(w, x.first_put, place, w->pods->class_of[p])) return false;
        }
    }
    x.puts = (uint32_t)w->now.puts.count - x.first_put;
    x.bins = (uint32_t)w->now.bins.count - x.first_bin;
    return note_leg(w, x, nodes);
}

bool repack_walk_take(repack_walk *w, const repack_steps *steps)
{
    for (size_t i = 0; i < steps->order.count; i++) {
        if (w->fixed[steps->order.items[i]]) return true;
    }
    uint32_t *number = arena_array(&w->data, steps->bins.list.count + 1, sizeof *number);
    clear(&w->now);
    for (uint32_t i = 0; number != NULL && i < steps->stages.count && !w->failed; i++) {
        if (!take_stage(w, steps, i, number)) w->failed = true;
    }
    if (number == NULL || w->failed) return false;
    judge(w);
    return true;
}

uint64_t repack_walk_work(const repack_walk *w) { return w->work / WORK_A_STEP + packing_steps(w->packing); }

double repack_walk_saving(const repack_walk *w) { return w->best.saving; }

bool repack_walk_run(repack_walk *w, const repack_plan *from, uint64_t most, uint64_t steps)
{
    uint64_t start = repack_walk_work(w);
    uint32_t legs = 0;
    w->most = most;
    w->end = w->work + steps * WORK_A_STEP;
    memset(w->chosen, 0, w->p->node_count * sizeof *w->chosen);
    for (size_t i = 0; i < from->removed.count; i++)
        w->chosen[from->removed.items[i]] = !w->fixed[from->removed.items[i]];
    while (!w->failed && repack_walk_work(w) - start < steps) {
        walk(w, legs);
        if (!w->failed) judge(w);
        w->work += w->p->node_count;
        change(w);
        legs = w->at_hand.legs.count > 0 ? chance_below(&w->random, (uint32_t)w->at_hand.legs.count) : 0;
    }
    return !w->failed;
}

void repack_walk_keep(repack_walk *w, uint32_t which)
{
    w->fixed[which] = true;
    clear(&w->at_hand);
    for (size_t i = 0; i < w->best.order.count; i++) {
        if (w->best.order.items[i] != which) continue;
        clear(&w->best);
        return;
    }
    (void)copy_attempt(w, &w->best, &w->at_hand);
}

/* ---- creating and freeing ---------------------------------------------------------------------------------------- */

static void free_attempt(karp_context *context, attempt *a)
{
    list_free(context, &a->order, sizeof *a->order.items);
    list_free(context, &a->puts, sizeof *a->puts.items);
    list_free(context, &a->bins, sizeof *a->bins.items);
    list_free(context, &a->legs, sizeof *a->legs.items);
}

/* Determines the order of classes, the tolerance for worse attempts, and the scale of resources. */
static void measure(repack_walk *w)
{
    const packing_problem *l = &w->p->launches;
    for (uint32_t c = 0; c < l->class_count; c++) {
        uint32_t at = c;
        for (; at > 0 && l->worth[w->rank[at - 1]] < l->worth[c]; at--) w->rank[at] = w->rank[at - 1];
        w->rank[at] = c;
    }
    for (uint32_t i = 0; i < w->p->node_count; i++) w->slack += SLACK * w->p->nodes[i].price / w->p->node_count;
    for (uint32_t d = 0; d < l->dims; d++) {
        double sum = 0;
        for (uint32_t o = 0; o < l->offer_count; o++) sum += (double)l->spaces[(size_t)o * l->dims + d];
        w->scale[d] = sum > 0 ? l->offer_count / sum : 0;
    }
}

static bool make_arrays(repack_walk *w)
{
    const packing_problem *l = &w->p->launches;
    size_t nodes = w->p->node_count + (size_t)1, classes = l->class_count + (size_t)1;
    w->free_places = w->p->host_count + nodes * MOST_BINS;
    w->fixed = arena_array(&w->data, nodes, sizeof *w->fixed);
    w->chosen = arena_array(&w->data, nodes, sizeof *w->chosen);
    w->waiting = arena_array(&w->data, nodes + TOGETHER, sizeof *w->waiting);
    w->free = arena_array(&w->data, w->free_places * l->dims + 1, sizeof *w->free);
    w->scale = arena_array(&w->data, l->dims + (size_t)1, sizeof *w->scale);
    w->used = arena_array(&w->data, l->dims + (size_t)1, sizeof *w->used);
    w->demand = arena_array(&w->data, classes, sizeof *w->demand);
    w->rank = arena_array(&w->data, classes, sizeof *w->rank);
    w->wanted = arena_array(&w->data, classes, sizeof *w->wanted);
    return w->fixed != NULL && w->chosen != NULL && w->waiting != NULL && w->free != NULL && w->scale != NULL &&
           w->used != NULL && w->demand != NULL && w->rank != NULL && w->wanted != NULL &&
           step_budget_init(&w->budget, &w->data, w->p, w->pods, w->limits);
}

repack_walk *repack_walk_begin(karp_context *context, const repack_problem *p, const repack_pods *pods,
                               const repack_limits *limits)
{
    repack_walk *w = mem_zalloc(context, sizeof *w);
    if (w == NULL) return NULL;
    w->context = context;
    w->p = p;
    w->pods = pods;
    w->limits = limits;
    w->random = UINT64_C(0x9e3779b97f4a7c15);
    arena_init(&w->data, context);
    w->packing = packing_begin(context, &p->launches, NULL);
    if (w->packing == NULL || !make_arrays(w)) {
        repack_walk_end(w);
        return NULL;
    }
    measure(w);
    return w;
}

void repack_walk_end(repack_walk *w)
{
    if (w == NULL) return;
    packing_end(w->packing);
    free_attempt(w->context, &w->now);
    free_attempt(w->context, &w->at_hand);
    free_attempt(w->context, &w->best);
    arena_free(&w->data);
    mem_free(w->context, w, sizeof *w);
}
