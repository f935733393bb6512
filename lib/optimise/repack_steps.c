/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/repack_steps.h>

#include <base/sort.h>
#include <math.h>

enum {
    WINDOW = 256,
    BINS_LOOKED_AT = 64,
    MOST_STAGES = 100,
    FEW_BATCHES = 10,
    MANY_BATCHES = 50,
    LEAST_BATCH = 4,
    BATCH_STEPS = 2000,
    BINS_A_NODE = 4
};

/* A place for pods of a class: a host, or a bin that is launched. */
typedef struct target {
    uint32_t host, bin; /* one of the two; the other is UINT32_MAX */
    uint32_t left;
} target;

typedef struct targets {
    LIST_OF(target) list;
    size_t head; /* targets before this one are full */
    uint64_t left;
} targets;

typedef struct maker {
    karp_context *context;
    const repack_problem *p;
    const repack_plan *plan;
    const repack_pods *pods;
    const repack_limits *limits;
    repack_steps *out;
    arena data;
    targets *of; /* by class */
    uint32_t *first_bin, *bins; /* by class: the bins that contain it */
    uint32_t *rest; /* by class: pods of the current node without a place */
    uint32_t bin_capacity;
    uint32_t batches; /* not 0: steps choose their own launches; about this many steps */
    uint32_t *waiting; /* nodes that have not been removed yet */
    uint32_t waiting_count;
    step_budget budget;
    repack_stage stage;
} maker;

/* ---- targets of the plan ----------------------------------------------------------------------------------------- */

static bool add_target(maker *k, uint32_t class_, target t)
{
    targets *list = &k->of[class_];
    target *slot = list_push(k->context, &list->list, sizeof *slot);
    if (slot == NULL) return false;
    *slot = t;
    list->left += t.left;
    return true;
}

static bool find_bins(maker *k)
{
    uint32_t classes = k->p->launches.class_count;
    size_t all = 0;
    k->first_bin = arena_array(&k->data, classes + (size_t)2, sizeof *k->first_bin);
    for (size_t b = 0; b < k->out->bins.list.count; b++) all += k->out->bins.list.items[b].entries.count;
    k->bins = arena_array(&k->data, all + 1, sizeof *k->bins);
    if (k->first_bin == NULL || k->bins == NULL) return false;
    for (size_t b = 0; b < k->out->bins.list.count; b++) {
        const packing_bin *bin = &k->out->bins.list.items[b];
        for (size_t e = 0; e < bin->entries.count; e++) k->first_bin[bin->entries.items[e].class_ + 2]++;
    }
    for (uint32_t c = 0; c < classes; c++) k->first_bin[c + 2] += k->first_bin[c + 1];
    for (size_t b = 0; b < k->out->bins.list.count; b++) {
        const packing_bin *bin = &k->out->bins.list.items[b];
        for (size_t e = 0; e < bin->entries.count; e++)
            k->bins[k->first_bin[bin->entries.items[e].class_ + 1]++] = (uint32_t)b;
    }
    return true;
}

static uint32_t bin_has(const packing_bin *b, uint32_t class_)
{
    for (size_t e = 0; e < b->entries.count; e++) {
        if (b->entries.items[e].class_ == class_) return b->entries.items[e].copies;
    }
    return 0;
}

/* ---- one node ---------------------------------------------------------------------------------------------------- */

/* The approximate saving of removing the node now: pods without a place cost their worth. */
static double marginal(const maker *k, uint32_t which)
{
    const repack_node *n = &k->p->nodes[which];
    double saving = n->price;
    for (uint32_t i = 0; i < n->entry_count; i++) {
        uint64_t left = k->of[n->entries[i].class_].left;
        if (n->entries[i].copies > left)
            saving -= k->p->launches.worth[n->entries[i].class_] * (double)(n->entries[i].copies - left);
    }
    return saving;
}

static double ratio(double saving, uint64_t evictions)
{
    return evictions > 0 ? saving / (double)evictions : saving > 0 ? HUGE_VAL : saving;
}

/* The best of the waiting nodes within the step's budgets, as an index in `waiting`. */
static uint32_t choose(maker *k)
{
    uint32_t best = UINT32_MAX, seen = 0;
    double best_ratio = -HUGE_VAL;
    for (uint32_t i = 0; i < k->waiting_count && seen < WINDOW; i++) {
        const repack_node *n = &k->p->nodes[k->waiting[i]];
        if (!step_budget_allows(&k->budget, k->waiting[i])) continue;
        seen++;
        double r = ratio(marginal(k, k->waiting[i]), n->evictions);
        if (best == UINT32_MAX || r > best_ratio) best = i, best_ratio = r;
    }
    return best;
}

/* The launch that serves most of the remaining pods for its price, among those with pods of the class. */
static uint32_t choose_bin(const maker *k, const repack_node *n, uint32_t class_)
{
    uint32_t best = UINT32_MAX, seen = 0;
    double best_score = -1;
    for (uint32_t i = k->first_bin[class_]; i < k->first_bin[class_ + 1] && seen < BINS_LOOKED_AT; i++) {
        uint32_t b = k->bins[i];
        if (k->out->stage_of_bin[b] != UINT32_MAX) continue;
        const packing_bin *bin = &k->out->bins.list.items[b];
        double score = 0, price = k->p->launches.prices[bin->offer];
        for (uint32_t e = 0; e < n->entry_count; e++) {
            uint32_t c = n->entries[e].class_, has = k->rest[c] > 0 ? bin_has(bin, c) : 0;
            score += k->p->launches.worth[c] * (has < k->rest[c] ? has : k->rest[c]);
        }
        score = price > 0 ? score / price : HUGE_VAL;
        if (best == UINT32_MAX || score > best_score) best = b, best_score = score;
        seen++;
    }
    return best;
}

static bool launch(maker *k, uint32_t bin)
{
    const packing_bin *b = &k->out->bins.list.items[bin];
    k->out->stage_of_bin[bin] = (uint32_t)k->out->stages.count;
    k->stage.saving -= k->p->launches.prices[b->offer];
    for (size_t e = 0; e < b->entries.count; e++) {
        uint32_t c = b->entries.items[e].class_;
        uint32_t served = k->rest[c] < b->entries.items[e].copies ? k->rest[c] : b->entries.items[e].copies;
        k->rest[c] -= served;
        if (!add_target(k, c, (target){ UINT32_MAX, bin, b->entries.items[e].copies })) return false;
    }
    return true;
}

static void send(maker *k, uint32_t pod_number)
{
    targets *t = &k->of[k->pods->class_of[pod_number]];
    while (t->head < t->list.count && t->list.items[t->head].left == 0) t->head++;
    if (t->head == t->list.count) return; /* never true: the plan has a place for each */
    target *to = &t->list.items[t->head];
    to->left--;
    t->left--;
    k->out->host_of[pod_number] = to->host;
    k->out->bin_of[pod_number] = to->bin;
    k->out->stage_of[pod_number] = (uint32_t)k->out->stages.count;
}

static bool remove_node(maker *k, uint32_t place)
{
    uint32_t which = k->waiting[place];
    const repack_node *n = &k->p->nodes[which];
    memmove(&k->waiting[place], &k->waiting[place + 1], (k->waiting_count - place - 1) * sizeof *k->waiting);
    k->waiting_count--;
    for (uint32_t i = 0; i < n->entry_count; i++) {
        uint64_t left = k->of[n->entries[i].class_].left;
        k->rest[n->entries[i].class_] = n->entries[i].copies > left ? n->entries[i].copies - (uint32_t)left : 0;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < n->entry_count; i++) {
        while (ok && k->rest[n->entries[i].class_] > 0) {
            uint32_t bin = choose_bin(k, n, n->entries[i].class_);
            if (bin == UINT32_MAX) break; /* never true likewise */
            ok = launch(k, bin);
        }
    }
    for (uint32_t i = 0; i < n->entry_count; i++) k->rest[n->entries[i].class_] = 0;
    for (uint32_t i = 0; ok && i < k->pods->counts[which]; i++) send(k, k->pods->pods[which][i]);
    uint32_t *slot = ok ? list_push(k->context, &k->out->order, sizeof *slot) : NULL;
    if (slot == NULL) return false;
    *slot = which;
    k->stage.count++;
    k->stage.saving += n->price;
    k->stage.evictions += n->evictions;
    step_budget_count(&k->budget, which, 1);
    return true;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void count_nodes(maker *k, const repack_stage *s)
{
    for (uint32_t i = 0; i < s->count; i++) step_budget_count(&k->budget, k->out->order.items[s->first + i], 1);
}

/* Whether one step may do what two steps do. */
static bool within_budgets(maker *k, const repack_stage *x, const repack_stage *y)
{
    step_budget_clear(&k->budget);
    count_nodes(k, x);
    count_nodes(k, y);
    return step_budget_kept(&k->budget);
}

/* Joins the step `at` with the next one. Pods and launches are renumbered at the end. */
static void join(maker *k, size_t at)
{
    repack_stage *s = k->out->stages.items;
    s[at].count += s[at + 1].count;
    s[at].evictions += s[at + 1].evictions;
    s[at].saving += s[at + 1].saving;
    memmove(&s[at + 1], &s[at + 2], (k->out->stages.count - at - 2) * sizeof *s);
    k->out->stages.count--;
}

/* Joins the last step with the one before if it saves more per eviction. */
static void join_rising(maker *k)
{
    for (size_t n = k->out->stages.count; n >= 2; n = k->out->stages.count) {
        const repack_stage *x = &k->out->stages.items[n - 2], *y = &k->out->stages.items[n - 1];
        if (!(ratio(y->saving, y->evictions) > ratio(x->saving, x->evictions)) || !within_budgets(k, x, y)) return;
        join(k, n - 2);
    }
}

static void join_to(maker *k, uint64_t most)
{
    for (bool some = true; some && k->out->stages.count > most;) {
        some = false;
        for (size_t at = 0; at + 1 < k->out->stages.count && k->out->stages.count > most; at++) {
            if (!within_budgets(k, &k->out->stages.items[at], &k->out->stages.items[at + 1])) continue;
            join(k, at);
            some = true;
        }
    }
}

static int by_price_a_pod(uint32_t x, uint32_t y, const void *user)
{
    const repack_node *nodes = user;
    double a = ratio(nodes[x].price, nodes[x].evictions), b = ratio(nodes[y].price, nodes[y].evictions);
    return a > b ? -1 : a < b;
}

/* Adds the packing to the launches of the current step. */
static bool take_bins(maker *k, const packing_bins *from)
{
    for (size_t b = 0; b < from->list.count; b++) {
        const packing_bin *bin = &from->list.items[b];
        if (k->out->bins.list.count == k->bin_capacity) return false;
        uint32_t number = (uint32_t)k->out->bins.list.count;
        packing_bin *to = packing_add_bin(k->context, &k->out->bins, bin->offer);
        for (size_t e = 0; to != NULL && e < bin->entries.count; e++) {
            if (!packing_add_entry(k->context, to, bin->entries.items[e].class_, bin->entries.items[e].copies) ||
                !add_target(k, bin->entries.items[e].class_,
                            (target){ UINT32_MAX, number, bin->entries.items[e].copies }))
                return false;
        }
        if (to == NULL) return false;
        k->out->stage_of_bin[number] = (uint32_t)k->out->stages.count;
        k->stage.saving -= k->p->launches.prices[bin->offer];
    }
    return true;
}

/* Buys new nodes for what the batch, the last nodes of the order, needs beyond existing space. *bought: there are
 * some. */
static bool buy_for_batch(maker *k, bool *bought)
{
    packing_problem need = k->p->launches;
    uint32_t *counts = arena_array(&k->data, need.class_count + (size_t)1, sizeof *counts);
    uint64_t all = 0;
    if (counts == NULL) return false;
    for (uint32_t i = k->stage.first; i < k->out->order.count; i++) {
        const repack_node *n = &k->p->nodes[k->out->order.items[i]];
        for (uint32_t e = 0; e < n->entry_count; e++) counts[n->entries[e].class_] += n->entries[e].copies;
    }
    for (uint32_t c = 0; c < need.class_count; c++) {
        uint64_t left = k->of[c].left;
        counts[c] = counts[c] > left ? counts[c] - (uint32_t)left : 0;
        all += counts[c];
    }
    *bought = true;
    if (all == 0) return true;
    need.counts = counts;
    packing *found = packing_begin(k->context, &need, NULL);
    bool ok = found != NULL && packing_search(found, BATCH_STEPS);
    *bought = ok && packing_best(found)->cost < HUGE_VAL;
    if (*bought) ok = take_bins(k, packing_best(found));
    packing_end(found);
    return ok;
}

/* A step that chooses its own launches, for a batch of nodes. */
static bool next_batch(maker *k, bool *ended)
{
    uint32_t wanted = (uint32_t)k->plan->removed.count / k->batches;
    if (wanted < LEAST_BATCH) wanted = LEAST_BATCH;
    k->stage = (repack_stage){ .first = (uint32_t)k->out->order.count };
    step_budget_clear(&k->budget);
    for (; k->stage.count < wanted; k->stage.count++) {
        uint32_t place = choose(k);
        if (place == UINT32_MAX) break;
        uint32_t which = k->waiting[place], *slot = list_push(k->context, &k->out->order, sizeof *slot);
        if (slot == NULL) return false;
        *slot = which;
        memmove(&k->waiting[place], &k->waiting[place + 1], (k->waiting_count - place - 1) * sizeof *k->waiting);
        k->waiting_count--;
        step_budget_count(&k->budget, which, 1);
        k->stage.saving += k->p->nodes[which].price;
        k->stage.evictions += k->p->nodes[which].evictions;
    }
    bool bought = false;
    *ended = k->stage.count == 0;
    if (*ended) return true;
    if (!buy_for_batch(k, &bought)) return false;
    *ended = !bought || !step_pays(k->limits, k->stage.saving, k->stage.evictions);
    for (uint32_t i = k->stage.first; i < k->out->order.count && !*ended; i++) {
        uint32_t which = k->out->order.items[i];
        for (uint32_t e = 0; e < k->pods->counts[which]; e++) send(k, k->pods->pods[which][e]);
    }
    repack_stage *stage = *ended ? NULL : list_push(k->context, &k->out->stages, sizeof *stage);
    if (stage != NULL) *stage = k->stage;
    return *ended || stage != NULL;
}

/* *ended: no further step pays. */
static bool next_stage(maker *k, bool *ended)
{
    if (k->batches > 0) return next_batch(k, ended);
    k->stage = (repack_stage){ .first = (uint32_t)k->out->order.count };
    step_budget_clear(&k->budget);
    do {
        uint32_t place = choose(k);
        *ended = place == UINT32_MAX;
        if (*ended) return true;
        if (!remove_node(k, place)) return false;
    } while (!step_pays(k->limits, k->stage.saving, k->stage.evictions));
    repack_stage *slot = list_push(k->context, &k->out->stages, sizeof *slot);
    if (slot == NULL) return false;
    *slot = k->stage;
    return true;
}

/* Renumbers the steps of pods and launches after joining. Launches and pods without a step are dropped. */
static void renumber(maker *k, const uint32_t *stage_before)
{
    repack_steps *o = k->out;
    for (size_t b = 0; b < k->out->bins.list.count; b++) {
        uint32_t s = o->stage_of_bin[b];
        o->stage_of_bin[b] = s == UINT32_MAX ? s : stage_before[s];
    }
    for (size_t p = 0; p < k->pods->all; p++) {
        if (o->stage_of[p] != UINT32_MAX) o->stage_of[p] = stage_before[o->stage_of[p]];
    }
}

static bool make_stages(maker *k)
{
    bool ended = false;
    /* by original step: its first node */
    LIST_OF(uint32_t) firsts = { .count = 0 };
    bool ok = true;
    uint32_t made = 0;
    while (ok && !ended && k->waiting_count > 0) {
        ok = next_stage(k, &ended);
        if (!ok || ended) break;
        uint32_t *slot = list_push(k->context, &firsts, sizeof *slot);
        ok = slot != NULL;
        if (ok) *slot = k->stage.first;
        made++;
    }
    uint32_t *after = ok ? arena_array(&k->data, made + (size_t)2, sizeof *after) : NULL;
    ok = after != NULL;
    if (ok) {
        for (size_t i = 0; i < made; i++) after[i] = firsts.items[i];
        k->out->order.count = made == 0 ? 0 : k->stage.first; /* a step that did not pay is dropped */
        if (!ended && made > 0) k->out->order.count = k->stage.first + k->stage.count;
    }
    list_free(k->context, &firsts, sizeof *firsts.items);
    if (!ok) return false;
    /* Joins from the front, so that each step is compared with all that was joined before. */
    size_t all = k->out->stages.count;
    repack_stage *list = arena_array(&k->data, all + 1, sizeof *list);
    if (list == NULL) return false;
    if (all > 0) memcpy(list, k->out->stages.items, all * sizeof *list);
    k->out->stages.count = 0;
    for (size_t i = 0; i < all; i++) {
        k->out->stages.items[k->out->stages.count++] = list[i];
        join_rising(k);
    }
    join_to(k, k->limits->max_steps < MOST_STAGES ? k->limits->max_steps : MOST_STAGES);
    for (uint32_t i = 0, s = 0; i < made; i++) {
        while (s + 1 < k->out->stages.count && k->out->stages.items[s + 1].first <= after[i]) s++;
        after[i] = s;
    }
    after[made] = after[made + 1] = (uint32_t)k->out->stages.count; /* no step */
    renumber(k, after);
    return true;
}

static bool copy_bins(maker *k)
{
    for (size_t b = 0; b < k->plan->bins.list.count; b++) {
        const packing_bin *from = &k->plan->bins.list.items[b];
        if (!packing_copy_bin(k->context, &k->out->bins, from->offer, from->entries.items, from->entries.count))
            return false;
    }
    return true;
}

bool repack_steps_alloc(repack_steps *s, size_t pods, size_t bins)
{
    size_t of_pods = (pods + 1) * sizeof *s->host_of, of_bins = (bins + 1) * sizeof *s->stage_of_bin;
    s->stage_of_bin = arena_alloc(&s->data, of_bins);
    s->host_of = arena_alloc(&s->data, of_pods);
    s->bin_of = arena_alloc(&s->data, of_pods);
    s->stage_of = arena_alloc(&s->data, of_pods);
    if (s->stage_of_bin == NULL || s->host_of == NULL || s->bin_of == NULL || s->stage_of == NULL) return false;
    memset(s->stage_of_bin, 0xff, of_bins);
    memset(s->host_of, 0xff, of_pods);
    memset(s->bin_of, 0xff, of_pods);
    memset(s->stage_of, 0xff, of_pods);
    return true;
}

static bool begin_steps(maker *k)
{
    const repack_problem *p = k->p;
    if (k->batches == 0 && !copy_bins(k)) return false;
    size_t bins = k->out->bins.list.count + 1;
    if (k->batches > 0) bins = p->node_count * (size_t)BINS_A_NODE + 1;
    k->bin_capacity = (uint32_t)bins - 1;
    k->of = arena_array(&k->data, p->launches.class_count + (size_t)1, sizeof *k->of);
    k->rest = arena_array(&k->data, p->launches.class_count + (size_t)1, sizeof *k->rest);
    k->waiting = arena_array(&k->data, p->node_count + (size_t)1, sizeof *k->waiting);
    if (k->of == NULL || k->rest == NULL || k->waiting == NULL ||
        !step_budget_init(&k->budget, &k->data, p, k->pods, k->limits) ||
        !repack_steps_alloc(k->out, k->pods->all, bins - 1) || !find_bins(k))
        return false;
    for (size_t i = 0; i < k->plan->puts.count; i++) {
        const repack_put *x = &k->plan->puts.items[i];
        if (!add_target(k, x->class_, (target){ x->host, UINT32_MAX, x->copies })) return false;
    }
    for (size_t i = 0; i < k->plan->removed.count; i++) k->waiting[k->waiting_count++] = k->plan->removed.items[i];
    return sort_ids(k->context, k->waiting, k->waiting_count, by_price_a_pod, p->nodes);
}

static bool make_steps(maker *k)
{
    *k->out = (repack_steps){ .stages = { .count = 0 } };
    arena_init(&k->data, k->context);
    arena_init(&k->out->data, k->context);
    bool ok = begin_steps(k) && make_stages(k);
    for (uint32_t c = 0; k->of != NULL && c < k->p->launches.class_count; c++)
        list_free(k->context, &k->of[c].list, sizeof *k->of[c].list.items);
    arena_free(&k->data);
    if (ok) repack_steps_cut(k->out, k->limits->max_steps < UINT32_MAX ? (uint32_t)k->limits->max_steps : UINT32_MAX);
    else repack_steps_free(k->context, k->out);
    return ok;
}

static double saving_of(const repack_steps *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->stages.count; i++) sum += s->stages.items[i].saving;
    return sum;
}

bool repack_steps_make(karp_context *context, const repack_problem *p, const repack_plan *plan, const repack_pods *pods,
                       const repack_limits *limits, repack_steps *out)
{
    static const uint32_t batches[] = { 0, FEW_BATCHES, MANY_BATCHES };
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        repack_steps other;
        maker k = { .context = context, .p = p, .plan = plan, .pods = pods, .limits = limits, .out = &other };
        k.batches = batches[i];
        if (!make_steps(&k)) {
            if (i > 0) repack_steps_free(context, out);
            return false;
        }
        bool better = i == 0 || saving_of(&other) > saving_of(out);
        repack_steps worse = better ? *out : other;
        if (better) *out = other;
        if (i > 0) repack_steps_free(context, &worse);
        if (saving_of(out) >= plan->saving - 1e-6) break;
    }
    return true;
}

void repack_steps_cut(repack_steps *s, uint32_t count)
{
    if (s->stages.count > count) s->stages.count = count;
    const repack_stage *last = s->stages.count > 0 ? &s->stages.items[s->stages.count - 1] : NULL;
    s->order.count = last == NULL ? 0 : last->first + last->count;
}

void repack_steps_free(karp_context *context, repack_steps *s)
{
    list_free(context, &s->order, sizeof *s->order.items);
    list_free(context, &s->stages, sizeof *s->stages.items);
    packing_bins_free(context, &s->bins);
    arena_free(&s->data);
    *s = (repack_steps){ .stages = { .count = 0 } };
}
