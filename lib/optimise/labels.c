/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/labels.h>

#include <math.h>
#include <string.h>

enum { MOST_RUNS = 1024, FRONT = 24, FRONT_BLOCK = 8, FIRST_ROOM = 1 << 7 };
#define SAME (1 + 1e-11) /* worths within this factor count as equal */

/* Makes room for `need` labels, or the most that are allowed. false = out of memory. */
static bool room_for_labels(labels *l, uint32_t need)
{
    if (need > l->capacity) need = l->capacity;
    if (need <= l->reserved) return true;
    uint32_t reserved = l->reserved < l->capacity / 2 ? 2 * l->reserved : l->capacity;
    if (reserved < need) reserved = need;
    size_t bytes = 3 * sizeof *l->list + sizeof *l->open; /* one block: none is asked for after one that is refused */
    label *list = arena_items(l->memory, reserved, bytes);
    if (list == NULL) return mem_refused(&l->failed);
    label *next = list + reserved;
    uint32_t *open = (uint32_t *)(next + 2 * (size_t)reserved);
    if (l->reserved > 0) {
        memcpy(list, l->list, l->count * sizeof *list);
        memcpy(next, l->next, l->next_count * sizeof *next);
        memcpy(open, l->open, l->open_count * sizeof *open);
    }
    l->list = list;
    l->next = next;
    l->merged = next + reserved;
    l->open = open;
    l->reserved = reserved;
    return true;
}

bool labels_init(labels *l, arena *a, const bound_problem *p, const double *sizes, uint32_t capacity)
{
    size_t n = p->class_count + (size_t)1;
    *l = (labels){ .p = p, .memory = a, .capacity = capacity };
    l->run_first = arena_array(a, MOST_RUNS + 2, sizeof *l->run_first);
    l->items = arena_array(a, n, sizeof *l->items);
    l->size = arena_array(a, n, sizeof *l->size);
    l->gain = arena_array(a, n * LABEL_PRICES, sizeof *l->gain);
    l->rates = arena_array(a, p->dims * (size_t)LABEL_PRICES + 1, sizeof *l->rates);
    if (!knapsack_init(&l->k, a, p->dims, p->class_count) || !knapsack_alloc(&l->k, a, p->dims, p->class_count) ||
        !completions_init(&l->completions, a, p->class_count))
        return false;
    l->k.stride = p->dims;
    l->k.sizes = sizes;
    l->load = arena_array(a, n, sizeof *l->load);
    return room_for_labels(l, FIRST_ROOM) && l->run_first != NULL && l->items != NULL && l->size != NULL &&
           l->gain != NULL && l->rates != NULL && l->load != NULL;
}

/* ---- the loads --------------------------------------------------------------------------------------------------- */

static int64_t request_of(const labels *l, uint32_t c, uint32_t d)
{
    return l->p->requests[(size_t)c * l->p->dims + d];
}

/* Whether whatever fits by resource `by` also fits by resource d. */
static bool follows(const labels *l, const label_node *n, uint32_t d, uint32_t by)
{
    for (uint32_t i = 0; i < l->item_count; i++) {
        double part = (double)request_of(l, l->items[i], d) / (double)n->capacity[d];
        if (part > 0 && part > (double)request_of(l, l->items[i], by) / (double)n->capacity[by]) return false;
    }
    return true;
}

/* Adds a field for the resource; false = it does not fit. */
static bool add_field(labels *l, const label_node *n, uint32_t d)
{
    load_form *f = &l->form;
    int64_t unit = 0;
    for (uint32_t i = 0; i < l->item_count; i++) unit = common_divisor(unit, request_of(l, l->items[i], d));
    if (unit == 0) return true;
    uint32_t bits = 0, at = f->count > 0 ? f->at[f->count - 1] : 0;
    if (f->count > 0) at += f->bits[f->count - 1] + 1;
    uint64_t full = (uint64_t)(n->capacity[d] / unit);
    while (bits < 63 && full >> bits != 0) bits++;
    if (at + bits + 1 > 64 || f->count == LOAD_FIELDS) return false;
    l->full |= full << at;
    l->guards |= UINT64_C(1) << (at + bits);
    for (uint32_t i = 0; i < l->item_count; i++)
        l->load[l->items[i]] |= (uint64_t)(request_of(l, l->items[i], d) / unit) << at;
    f->at[f->count] = at;
    f->bits[f->count] = bits;
    f->full[f->count] = full;
    f->rates[f->count++] = n->rates[d] * (double)unit;
    return true;
}

/* Makes a field for each resource that can limit the contents: first those with a price. */
static bool make_fields(labels *l, const label_node *n)
{
    l->full = l->guards = 0;
    l->form.count = 0;
    for (uint32_t i = 0; i < l->item_count; i++) l->load[l->items[i]] = 0;
    for (uint32_t d = 0; d < l->p->dims; d++) {
        if (n->rates[d] > 0 && n->capacity[d] > 0 && !add_field(l, n, d)) return false;
    }
    for (uint32_t d = 0; d < l->p->dims; d++) {
        if (n->rates[d] > 0 || n->capacity[d] <= 0) continue;
        bool open = true;
        for (uint32_t by = 0; open && by < l->p->dims; by++)
            open = by == d || n->capacity[by] <= 0 || (n->rates[by] <= 0 && by > d) || !follows(l, n, d, by);
        if (open && !add_field(l, n, d)) return false;
    }
    return true;
}

static bool fits(const labels *l, uint64_t load) { return (((l->full | l->guards) - load) & l->guards) == l->guards; }

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* The resource with the fewest units: its classes come first. */
static uint32_t scarcest(const labels *l, const label_node *n)
{
    uint32_t best = UINT32_MAX;
    int64_t least = 64;
    for (uint32_t d = 0; d < l->p->dims; d++) {
        int64_t unit = 0;
        for (uint32_t i = 0; i < n->class_count; i++) unit = common_divisor(unit, request_of(l, n->classes[i], d));
        if (unit == 0 || n->capacity[d] <= 0 || n->capacity[d] / unit >= least) continue;
        least = n->capacity[d] / unit;
        best = d;
    }
    return best;
}

/* Sorts the classes by size, the largest first, those that request the scarcest resource before the others. */
static void choose_items(labels *l, const label_node *n)
{
    uint32_t scarce = scarcest(l, n);
    l->item_count = 0;
    for (uint32_t i = 0; i < n->class_count; i++) {
        uint32_t c = n->classes[i];
        double size = 0;
        for (uint32_t d = 0; d < l->p->dims; d++) {
            int64_t request = request_of(l, c, d);
            if (request > 0) size += (double)request / (double)n->capacity[d];
        }
        if (scarce != UINT32_MAX && request_of(l, c, scarce) > 0) size += (double)l->p->dims;
        l->size[c] = size;
        uint32_t at = l->item_count++;
        for (; at > 0 && l->size[l->items[at - 1]] < l->size[c]; at--) l->items[at] = l->items[at - 1];
        l->items[at] = c;
    }
    l->steps += n->class_count * (uint64_t)n->class_count / 16;
}

/* Fills in the gains of the classes from this item on at the prices. Returns the upper bound on their contents. */
static double fill_gains(labels *l, const label_node *n, uint32_t price, uint32_t from)
{
    const double *rates = l->rates + (size_t)price * l->p->dims;
    double *gain = l->gain + (size_t)price * l->p->class_count, total = 0;
    for (uint32_t d = 0; d < l->p->dims; d++) total += n->capacity[d] > 0 ? rates[d] * (double)n->capacity[d] : 0;
    for (uint32_t i = 0; i < l->item_count; i++) {
        uint32_t c = l->items[i];
        gain[c] = n->worth[c];
        for (uint32_t d = 0; d < l->p->dims; d++) gain[c] -= rates[d] * (double)request_of(l, c, d);
        if (gain[c] > 0 && i >= from) total += gain[c] * (double)n->most[c];
    }
    l->steps += l->item_count;
    return total;
}

/* Adds the prices at which the contents of the classes from this item on are worth the least. */
static void add_prices(labels *l, const label_node *n, uint32_t from)
{
    knapsack *k = &l->k;
    if (from >= l->item_count || l->price_count == LABEL_PRICES) return;
    k->dims = k->count = 0;
    for (uint32_t d = 0; d < l->p->dims; d++) {
        if (n->capacity[d] <= 0) continue;
        k->dim_of[k->dims] = d;
        k->capacity[k->dims++] = (double)n->capacity[d];
    }
    for (uint32_t i = from; i < l->item_count; i++) {
        k->items[k->count] = l->items[i];
        k->most[k->count++] = (double)n->most[l->items[i]];
    }
    k->worth = n->worth;
    k->solved = 0;
    l->steps += (1 + knapsack_solve(k)) * (k->count + k->dims);
    double *rates = l->rates + (size_t)l->price_count++ * l->p->dims;
    memset(rates, 0, l->p->dims * sizeof *rates);
    for (uint32_t d = 0; d < k->dims; d++) rates[k->dim_of[d]] = k->rate[d];
}

/* Chooses prices for all classes, and for those that come late. */
static void choose_prices(labels *l, const label_node *n)
{
    uint32_t late = 0;
    while (late < l->item_count && l->size[l->items[late]] > (double)l->p->dims) late++;
    memcpy(l->rates, n->rates, l->p->dims * sizeof *l->rates);
    l->price_count = 1;
    if (late > 0) add_prices(l, n, late);
    add_prices(l, n, late > 0 ? late / 2 : l->item_count / 3);
    add_prices(l, n, late > 0 ? late + (l->item_count - late) / 2 : 2 * l->item_count / 3);
}

/* Drops the classes that are in no content that is worth enough. */
static void drop_items(labels *l, const label_node *n, double at_most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->item_count; i++) {
        if (at_most + l->gain[l->items[i]] > n->enough * SAME || l->gain[l->items[i]] >= 0)
            l->items[count++] = l->items[i];
    }
    l->item_count = count;
}

/* Whether completions by the classes from this item on can be worth more than enough. */
static bool may_reach(labels *l, uint32_t from, label *x, double enough)
{
    x->top = x->at_most[0];
    for (uint32_t v = 1; v < l->price_count; v++) x->top = x->at_most[v] < x->top ? x->at_most[v] : x->top;
    if (l->completions.table_count == 0) return true;
    double most = x->worth + completions_worth(&l->completions, from, x->load);
    x->top = most < x->top ? most : x->top;
    l->steps += l->completions.table_count;
    return most > enough;
}

/* Adds the continuations by 0, 1, 2 … copies of an item: a run for each. false = too many, or out of
 * memory. */
static bool continue_stage(labels *l, uint32_t item, uint32_t first, double enough, uint32_t *runs)
{
    const label_node *n = &l->node;
    uint32_t c = l->items[item];
    double gain[LABEL_PRICES], missed[LABEL_PRICES];
    for (uint32_t v = 0; v < l->price_count; v++) {
        gain[v] = l->gain[(size_t)v * l->p->class_count + c];
        missed[v] = gain[v] > 0 ? gain[v] * (double)n->most[c] : 0;
    }
    l->open_count = l->count - first;
    for (uint32_t i = 0; i < l->open_count; i++) l->open[i] = first + i;
    l->next_count = *runs = 0;
    for (int64_t k = 0; k <= n->most[c] && l->open_count > 0; k++) {
        uint64_t load = l->load[c] * (uint64_t)k;
        uint32_t had = l->next_count, left = 0;
        if (*runs == MOST_RUNS || !room_for_labels(l, had + l->open_count)) return false;
        l->run_first[(*runs)++] = had;
        l->steps += l->open_count;
        for (uint32_t i = 0; i < l->open_count; i++) {
            const label *x = &l->list[l->open[i]];
            if (!fits(l, x->load + load)) continue;
            if (l->next_count == l->limit) return false;
            label *to = &l->next[l->next_count];
            bool ends = false, hopeless = false;
            for (uint32_t v = 0; v < l->price_count; v++) {
                to->at_most[v] = x->at_most[v] + (gain[v] * (double)k - missed[v]);
                bool low = !(to->at_most[v] > enough);
                ends = ends || low;
                hopeless = hopeless || (low && gain[v] <= 0);
            }
            if (hopeless) continue;
            l->open[left++] = l->open[i];
            to->load = x->load + load;
            to->worth = x->worth + n->worth[c] * (double)k;
            if (ends || !may_reach(l, item + 1, to, enough)) continue;
            to->parent = l->open[left - 1];
            to->copies = (uint32_t)k;
            l->next_count++;
        }
        if (had == l->next_count) --*runs;
        l->open_count = left;
    }
    l->run_first[*runs] = l->next_count;
    return true;
}

static bool before(const label *a, const label *b)
{
    if (a->load != b->load) return a->load < b->load;
    return a->worth > b->worth;
}

static void merge(const label *from, label *to, uint32_t first, uint32_t middle, uint32_t end)
{
    uint32_t i = first, k = middle;
    for (uint32_t at = first; at < end; at++) {
        if (i < middle && (k == end || !before(&from[k], &from[i]))) to[at] = from[i++];
        else to[at] = from[k++];
    }
}

/* Merges the runs, which are sorted, into one. */
static void merge_runs(labels *l, uint32_t runs)
{
    while (runs > 1) {
        uint32_t left = 0;
        for (uint32_t r = 0; r < runs; r += 2) {
            uint32_t first = l->run_first[r], middle = l->run_first[r + 1];
            uint32_t end = r + 2 <= runs ? l->run_first[r + 2] : middle;
            merge(l->next, l->merged, first, middle, end);
            l->run_first[left++] = first;
        }
        l->run_first[left] = l->next_count;
        l->steps += l->next_count;
        runs = left;
        label *swap = l->next;
        l->next = l->merged;
        l->merged = swap;
    }
}

/* Labels that may dominate others, apart from the list so that they are compared quickly. */
typedef struct front {
    uint64_t load[FRONT];
    double worth[FRONT];
    uint32_t count, turn;
} front;

static bool beaten(const labels *l, const front *f, const label *x)
{
    uint64_t guards = l->guards;
    for (uint32_t from = 0; from < f->count; from += FRONT_BLOCK) {
        uint32_t any = 0; /* without branches, so that it is fast */
        for (uint32_t i = from; i < from + FRONT_BLOCK; i++) {
            uint64_t spare = ((x->load | guards) - f->load[i]) & guards;
            any |= (uint32_t)(spare == guards) & (uint32_t)(f->worth[i] >= x->worth);
        }
        if (any != 0) return true;
    }
    return false;
}

/* Appends the labels that no other one dominates. false = too many, or out of memory. */
static bool keep_best(labels *l)
{
    front f = { .count = 0 };
    if (!room_for_labels(l, l->count + l->next_count)) return false;
    for (uint32_t i = 0; i < FRONT; i++) f.worth[i] = -1;
    for (uint32_t i = 0; i < l->next_count; i++) {
        const label *x = &l->next[i];
        l->steps += f.count / 4;
        if (beaten(l, &f, x)) continue;
        if (l->count == l->limit) return false;
        uint32_t at = f.count < FRONT ? f.count++ : f.turn++ % FRONT;
        f.load[at] = x->load;
        f.worth[at] = x->worth;
        l->list[l->count++] = *x;
    }
    l->steps += l->next_count;
    return true;
}

/* Keeps one label of each of `width` equal parts of the stage. */
static void thin_out(labels *l, uint32_t first, uint32_t width)
{
    uint32_t count = l->count - first, kept = first;
    if (width == 0 || count <= width) return;
    for (uint32_t part = 0; part < width; part++) {
        uint32_t from = first + (uint32_t)((uint64_t)count * part / width);
        uint32_t to = first + (uint32_t)((uint64_t)count * (part + 1) / width), best = from;
        for (uint32_t i = from + 1; i < to; i++) {
            const label *x = &l->list[i], *y = &l->list[best];
            if (x->top > y->top || (x->top >= y->top && x->worth > y->worth)) best = i;
        }
        l->list[kept++] = l->list[best];
    }
    l->count = kept;
}

static void take_content(const labels *l, uint32_t best, double *copies)
{
    memset(copies, 0, l->p->class_count * sizeof *copies);
    for (uint32_t i = l->item_count; i-- > 0; best = l->list[best].parent) copies[l->items[i]] = l->list[best].copies;
}

bool labels_next(labels *l, double *below, double *copies)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = l->last; i < l->count; i++) {
        const label *x = &l->list[i];
        if (x->worth < *below * (1 - 1e-9) && (best == UINT32_MAX || x->worth > l->list[best].worth)) best = i;
    }
    l->steps += l->count - l->last;
    if (best == UINT32_MAX) return false;
    *below = l->list[best].worth;
    take_content(l, best, copies);
    return true;
}

bool labels_prepare(labels *l, const label_node *n)
{
    l->node = *n;
    l->steps = n->class_count;
    choose_items(l, n);
    choose_prices(l, n);
    drop_items(l, n, fill_gains(l, n, 0, 0));
    if (!make_fields(l, n)) return false;
    l->first = (label){ .load = 0 };
    for (uint32_t v = 0; v < l->price_count; v++) l->first.at_most[v] = fill_gains(l, n, v, 0);
    completion_classes classes = { l->items, l->item_count, l->load, n->worth, n->most };
    completions_make(&l->completions, &l->form, &classes, n->cells);
    l->steps += l->completions.work;
    return true;
}

bool labels_solve(labels *l, double enough, uint32_t limit, uint32_t width, double *value, double *copies)
{
    uint32_t best = UINT32_MAX, first = 0, runs;
    enough *= SAME;
    l->limit = limit < l->capacity ? limit : l->capacity;
    l->list[0] = l->first;
    l->count = 1;
    for (uint32_t i = 0; i < l->item_count; i++) {
        uint32_t end = l->count;
        if (!continue_stage(l, i, first, enough, &runs)) return false;
        merge_runs(l, runs);
        if (!keep_best(l)) return false;
        thin_out(l, end, width);
        first = end;
    }
    for (uint32_t i = first; i < l->count; i++) {
        if (l->list[i].worth > (best == UINT32_MAX ? enough : l->list[best].worth)) best = i;
    }
    l->last = first;
    if (best == UINT32_MAX) return true;
    *value = l->list[best].worth;
    take_content(l, best, copies);
    return true;
}
