/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places pods on new nodes: repeatedly the content of an offer that is worth most per dollar. Offers are tried in the
 * order of their best fractional contents (promise). Pods are added to a node by their worth per size. A resource
 * counts for more as it becomes scarce on the node, so that no resource is left unused.
 */
#include <optimise/packing_state.h>

#include <base/bits.h>
#include <base/context.h>
#include <base/sort.h>
#include <math.h>

enum { BUY_VISITS = 8192, FEW_RATED = 64, CLASS_RATED = 16 };
/* Offers whose promise is lower than the best by this much are tried only when nothing else fits. */
#define PROMISE 0.3
#define BALANCED_MOVES 0.25

/* ---- offers ------------------------------------------------------------------------------------------------------ */

static double promise_of(const packing *k, uint32_t offer) { return k->p->promise != NULL ? k->p->promise[offer] : 1; }

static int by_promise(uint32_t x, uint32_t y, const void *user)
{
    const packing *k = user;
    double a = promise_of(k, x), b = promise_of(k, y);
    return a > b ? -1 : a < b ? 1 : (x > y) - (x < y);
}

/* Whether two offers have about the same proportions of resources. */
static bool same_shape(const packing_problem *p, uint32_t x, uint32_t y)
{
    const int64_t *a = p->spaces + (size_t)x * p->dims, *b = p->spaces + (size_t)y * p->dims;
    for (uint32_t d = 1; d < p->dims; d++) {
        if ((a[d] > 0) != (b[d] > 0)) return false;
        double left = (double)a[d] * (double)b[0], right = (double)b[d] * (double)a[0];
        if (left > right * 1.3 || right > left * 1.3) return false;
    }
    return true;
}

static void find_shapes(packing *k)
{
    for (uint32_t o = 0; o < k->p->offer_count; o++) {
        uint32_t s = 0;
        while (s < k->shape_count && !same_shape(k->p, k->first_of_shape[s], o)) s++;
        if (s == k->shape_count && s < PACKING_SHAPES) k->first_of_shape[k->shape_count++] = o;
        k->shape[o] = s < PACKING_SHAPES ? s : PACKING_SHAPES - 1;
    }
}

void packing_fill_freely(packing *k)
{
    k->balanced = false;
    k->window = k->tries = UINT32_MAX;
}

bool packing_fill_init(packing *k)
{
    const packing_problem *p = k->p;
    size_t classes = p->class_count + (size_t)1, offers = p->offer_count + (size_t)1, dims = p->dims + (size_t)1;
    k->promising = arena_array(&k->data, offers, sizeof *k->promising);
    k->part = arena_array(&k->data, offers * dims, sizeof *k->part);
    k->shape = arena_array(&k->data, offers, sizeof *k->shape);
    k->rated = arena_array(&k->data, classes * PACKING_SHAPES, sizeof *k->rated);
    k->copies = arena_array(&k->data, classes, sizeof *k->copies);
    k->best_copies = arena_array(&k->data, classes, sizeof *k->best_copies);
    k->place = arena_array(&k->data, classes, sizeof *k->place);
    k->candidates = arena_array(&k->data, classes, sizeof *k->candidates);
    k->left = arena_array(&k->data, dims, sizeof *k->left);
    k->rate = arena_array(&k->data, dims, sizeof *k->rate);
    if (k->promising == NULL || k->part == NULL || k->shape == NULL || k->rated == NULL || k->copies == NULL ||
        k->best_copies == NULL || k->place == NULL || k->candidates == NULL || k->left == NULL || k->rate == NULL)
        return false;
    find_shapes(k);
    for (uint32_t o = 0; o < p->offer_count; o++) {
        k->promising[o] = o;
        for (uint32_t d = 0; d < p->dims; d++)
            k->part[(size_t)o * p->dims + d] = p->shares != NULL ? p->shares[(size_t)o * p->dims + d] : 1.0 / p->dims;
    }
    return sort_ids(k->context, k->promising, p->offer_count, by_promise, k);
}

/* ---- filling a node by a fixed order ----------------------------------------------------------------------------- */

static int by_ratio(const void *a, const void *b, const void *user)
{
    const struct rated *x = a, *y = b;
    (void)user;
    return x->ratio < y->ratio;
}

/* The best first, stable. Short lists are sorted by insertion. */
static void sort_rated(packing *k, struct rated *list)
{
    if (k->open_count > FEW_RATED) {
        if (!sort_stable(k->context, list, k->open_count, sizeof *list, by_ratio, NULL)) k->failed = true;
        return;
    }
    for (uint32_t i = 1; i < k->open_count; i++) {
        struct rated r = list[i];
        uint32_t at = i;
        for (; at > 0 && list[at - 1].ratio < r.ratio; at--) list[at] = list[at - 1];
        list[at] = r;
    }
}

/* The size of each class: its requests as shares of a node of the shape. Each resource is weighted by the amount that
 * is still requested. */
static void rate_classes(packing *k, uint32_t shape_number)
{
    const packing_problem *p = k->p;
    const int64_t *space = p->spaces + (size_t)k->first_of_shape[shape_number] * p->dims;
    struct rated *list = k->rated + (size_t)shape_number * p->class_count;
    double total = 0;
    for (uint32_t d = 0; d < p->dims; d++) {
        double requested = 0;
        for (uint32_t i = 0; i < k->open_count; i++) {
            uint32_t c = k->open[i];
            requested += (double)k->rest[c] * (double)p->requests[(size_t)c * p->dims + d];
        }
        k->rate[d] = space[d] > 0 ? requested / (double)space[d] : 0;
        total += k->rate[d];
    }
    for (uint32_t d = 0; d < p->dims; d++)
        k->rate[d] = space[d] > 0 && total > 0 ? k->rate[d] / total / (double)space[d] : 0;
    for (uint32_t i = 0; i < k->open_count; i++) {
        uint32_t c = k->open[i];
        double size = 1e-12;
        for (uint32_t d = 0; d < p->dims; d++) size += k->rate[d] * (double)p->requests[(size_t)c * p->dims + d];
        list[i] = (struct rated){ k->value[c] / size * (1 + 0.15 * chance_part(&k->random)), c };
    }
    sort_rated(k, list);
    k->work += (size_t)k->open_count * (p->dims + 4) + (size_t)k->open_count * k->open_count / 16;
}

/* The number of additional copies of the class that fit on the node, at most as many as are left to place. */
static uint32_t more_of(const packing *k, uint32_t c, uint32_t taken)
{
    const packing_problem *p = k->p;
    const int64_t *r = p->requests + (size_t)c * p->dims;
    uint32_t n = (k->rest[c] < p->limits[c] ? k->rest[c] : p->limits[c]) - taken;
    for (uint32_t d = 0; d < p->dims && n > 0; d++) {
        if (r[d] > 0 && k->left[d] / r[d] < (int64_t)n) n = (uint32_t)(k->left[d] / r[d]);
    }
    return n;
}

/* Adds copies of the class at this index to the current node. Returns their worth. */
static double take(packing *k, uint32_t place, uint32_t n)
{
    const packing_problem *p = k->p;
    uint32_t c = k->open[place];
    const int64_t *r = p->requests + (size_t)c * p->dims;
    k->copies[place] += n;
    for (uint32_t d = 0; d < p->dims; d++) k->left[d] -= r[d] * (int64_t)n;
    if (p->conflicts != NULL) bits_or(k->barred, p->conflicts + c * k->class_words, k->class_words);
    return k->value[c] * n;
}

static bool may_join(const packing *k, uint32_t c, uint32_t offer)
{
    return bits_test(k->p->allowed + c * k->offer_words, offer) &&
           (k->p->conflicts == NULL || !bits_test(k->barred, c));
}

static void open_node(packing *k, uint32_t offer)
{
    memcpy(k->left, k->p->spaces + (size_t)offer * k->p->dims, k->p->dims * sizeof *k->left);
    if (k->p->conflicts != NULL) memset(k->barred, 0, k->class_words * sizeof *k->barred);
    memset(k->copies, 0, k->open_count * sizeof *k->copies);
}

/* Fills a node of the offer with pods to place, the best first (k->copies). Returns their worth. */
static double fill_in_order(packing *k, uint32_t offer)
{
    const struct rated *list = k->rated + (size_t)k->shape[offer] * k->p->class_count;
    double worth = 0;
    open_node(k, offer);
    k->work += k->open_count;
    for (uint32_t i = 0; i < k->open_count; i++) {
        uint32_t c = list[i].class_, n = more_of(k, c, 0);
        if (n > 0 && may_join(k, c, offer)) worth += take(k, k->place[c], n);
    }
    return worth;
}

/* ---- filling a node evenly --------------------------------------------------------------------------------------- */

/* The price of a unit of each resource on the current node, which increases as the resource becomes scarce. */
static void price_left(packing *k, uint32_t offer)
{
    const int64_t *space = k->p->spaces + (size_t)offer * k->p->dims;
    const double *part = k->part + (size_t)offer * k->p->dims;
    for (uint32_t d = 0; d < k->p->dims; d++)
        k->rate[d] = space[d] > 0 ? part[d] / ((double)k->left[d] + 0.02 * (double)space[d]) : 0;
}

/* The index of the class with the highest worth for its share of the free capacity. Classes that no longer fit are
 * removed from the list. UINT32_MAX = none fits. */
static uint32_t best_class(packing *k, uint32_t *count)
{
    const packing_problem *p = k->p;
    uint32_t best = UINT32_MAX, kept = 0;
    double most = -1;
    k->work += *count + *count / 4 + 4;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t place = k->candidates[i], c = k->open[place], n = k->copies[place];
        const int64_t *r = p->requests + (size_t)c * p->dims;
        bool fits = n < k->rest[c] && n < p->limits[c] && (p->conflicts == NULL || !bits_test(k->barred, c));
        double size = 0.01; /* among classes of similar worth, the larger one comes first */
        for (uint32_t d = 0; d < p->dims; d++) {
            fits = fits && r[d] <= k->left[d];
            size += k->rate[d] * (double)r[d];
        }
        if (!fits) continue;
        k->candidates[kept++] = place;
        double ratio = k->value[c] / size;
        if (ratio > most) most = ratio, best = place;
    }
    *count = kept;
    return best;
}

/* At most a third of the free amount of any resource at once, but at least one pod. */
static uint32_t some_of(const packing *k, uint32_t place)
{
    const packing_problem *p = k->p;
    uint32_t c = k->open[place], n = more_of(k, c, k->copies[place]);
    const int64_t *r = p->requests + (size_t)c * p->dims;
    for (uint32_t d = 0; d < p->dims && n > 1; d++) {
        int64_t some = r[d] > 0 ? k->left[d] / 3 / r[d] : n;
        if (some < (int64_t)n) n = some > 1 ? (uint32_t)some : 1;
    }
    return n;
}

/* Like fill_in_order(), with the classes in the window. */
static double fill_evenly(packing *k, uint32_t offer)
{
    uint32_t count = 0, window = k->window < k->open_count ? k->window : k->open_count, best;
    double worth = 0;
    open_node(k, offer);
    for (uint32_t i = 0; i < window; i++) {
        uint32_t place = k->window_from + i < k->open_count ? k->window_from + i : k->window_from + i - k->open_count;
        if (bits_test(k->p->allowed + k->open[place] * k->offer_words, offer)) k->candidates[count++] = place;
    }
    k->work += window / 4;
    for (;;) {
        price_left(k, offer);
        best = best_class(k, &count);
        if (best == UINT32_MAX) return worth;
        worth += take(k, best, some_of(k, best));
    }
}

/* ---- placing all pods -------------------------------------------------------------------------------------------- */

static void find_open(packing *k)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->open_count; i++) {
        uint32_t c = k->open[i];
        if (k->rest[c] == 0) continue;
        k->place[c] = n;
        k->open[n++] = c;
    }
    k->open_count = n;
    k->work += n / 8;
    k->window_from = k->window < n ? chance_below(&k->random, n) : 0;
}

filled *packing_fresh_node(packing *k)
{
    if (k->fresh_count == k->fresh.count) {
        filled *slot = list_push(k->context, &k->fresh, sizeof *slot);
        if (slot == NULL || !packing_node_init(k, slot)) {
            if (slot != NULL) k->fresh.count--;
            return mem_refused_null(&k->failed);
        }
    }
    filled *n = &k->fresh.items[k->fresh_count++];
    n->entries.count = 0;
    memset(n->used, 0, k->p->dims * sizeof *n->used);
    return n;
}

/* The best content of the first k->tries offers, or of one in `sample` of the offers with about the same promise; of
 * all if `sample` is 1: k->best_copies. false = nothing fits. */
static bool best_content(packing *k, uint32_t sample, bool evenly)
{
    const packing_problem *p = k->p;
    double best = -1, part = chance_part(&k->random), least = sample > 1 ? 1 - PROMISE * part * part : 0;
    bool rated[PACKING_SHAPES] = { false };
    for (uint32_t i = sample > 1 ? chance_below(&k->random, sample) : 0;
         i<p->offer_count; i += sample> 1 ? 1 + chance_below(&k->random, 2 * sample - 1) : 1) {
        uint32_t o = k->promising[i], s = k->shape[o];
        if (best > 0 && (i >= k->tries || promise_of(k, o) < least)) break;
        if (!evenly && !rated[s]) rate_classes(k, s);
        rated[s] = true;
        double worth = evenly ? fill_evenly(k, o) : fill_in_order(k, o);
        double score = p->prices[o] > 0 ? worth / p->prices[o] : worth > 0 ? HUGE_VAL : 0;
        if (!(worth > 0) || !(score > best)) continue;
        best = score;
        memcpy(k->best_copies, k->copies, k->open_count * sizeof *k->copies);
    }
    return best > 0;
}

/* Makes a new node with the best content, and returns how many such nodes there can be. 0 = no offer can contain it,
 * or out of memory. */
static uint32_t place_content(packing *k)
{
    filled *n = packing_fresh_node(k);
    uint32_t times = UINT32_MAX;
    for (uint32_t i = 0; n != NULL && i < k->open_count; i++) {
        uint32_t c = k->open[i], copies = k->best_copies[i];
        if (copies == 0) continue;
        if (!packing_node_put(k, n, c, copies)) return 0;
        if (k->rest[c] / copies < times) times = k->rest[c] / copies;
    }
    if (n == NULL) return 0;
    n->offer = packing_cheapest_for(k, n);
    return n->offer != UINT32_MAX ? times : 0;
}

/* Repeats the last new node, `times` times in all. */
static bool repeat_node(packing *k, uint32_t times)
{
    uint32_t first = k->fresh_count - 1;
    for (uint32_t t = 1; t < times; t++) {
        filled *again = packing_fresh_node(k);
        if (again == NULL) return false;
        const filled *like = &k->fresh.items[first];
        again->offer = like->offer;
        for (size_t i = 0; i < like->entries.count; i++) {
            if (!packing_node_put(k, again, like->entries.items[i].class_, like->entries.items[i].copies)) return false;
        }
    }
    k->work += (size_t)times * 8;
    return true;
}

/* For a search with a limit: whether the limit is reached, or the caller wants to stop. */
static bool out_of_work(packing *k)
{
    if (!context_work(k->context, (size_t)k->open_count * CLASS_RATED)) k->failed = true;
    return k->failed || k->context->stop_noted || k->work >= k->most_work;
}

double packing_recreate(packing *k, double most, uint32_t sample)
{
    double cost = 0;
    for (find_open(k); k->open_count > 0; find_open(k)) {
        if (k->most_work != 0 && out_of_work(k)) return HUGE_VAL;
        bool evenly = k->balanced || chance_part(&k->random) < BALANCED_MOVES;
        if (!best_content(k, sample, evenly)) {
            if (sample == 1 && k->window >= k->open_count) return HUGE_VAL;
            sample = 1;
            k->window = UINT32_MAX;
            continue;
        }
        uint32_t times = place_content(k);
        if (times == 0) return HUGE_VAL;
        cost += k->p->prices[k->fresh.items[k->fresh_count - 1].offer] * times;
        if (cost >= most || !repeat_node(k, times)) return HUGE_VAL;
        for (uint32_t i = 0; i < k->open_count; i++) k->rest[k->open[i]] -= times * k->best_copies[i];
    }
    return cost;
}

/* ---- buying for other searches ----------------------------------------------------------------------------------- */

double packing_buy(packing *k, const packing_entry *pods, uint32_t count, double most)
{
    double shake = 0.3 * chance_part(&k->random);
    k->open_count = count;
    k->fresh_count = 0;
    packing_fill_freely(k);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = pods[i].class_;
        k->open[i] = c;
        k->rest[c] = pods[i].copies;
        k->value[c] = k->p->worth[c] * (1 + shake * (chance_part(&k->random) - 0.5));
    }
    uint32_t sample = 1 + (uint32_t)((uint64_t)k->p->offer_count * count / BUY_VISITS);
    double cost = packing_recreate(k, most, sample < 3 ? sample : 3);
    for (uint32_t i = 0; i < count; i++) k->rest[pods[i].class_] = 0;
    return k->failed ? HUGE_VAL : cost;
}

void packing_limit(packing *k, uint64_t steps)
{
    k->most_work = steps > UINT64_MAX / 2 / WORK_A_STEP ? UINT64_MAX : k->work + steps * WORK_A_STEP;
}

uint32_t packing_bought_count(const packing *k) { return k->fresh_count; }

uint32_t packing_bought(const packing *k, uint32_t index, const packing_entry **entries, uint32_t *count)
{
    *entries = k->fresh.items[index].entries.items;
    *count = (uint32_t)k->fresh.items[index].entries.count;
    return k->fresh.items[index].offer;
}
