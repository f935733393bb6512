/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/contents.h>

#include <math.h>
#include <string.h>

enum {
    MOST_LABELS = 1 << 19,
    LABELS_A_BRANCH = 128,
    GUESS_WIDTH = 16,
    NEAR_PARTS = 8,
    CELLS = 2048,
    FIRST_BRANCHES = 32
};
#define WHOLE 1e-7 /* tolerance for treating a number as an integer */

/* Makes room for so many branches. false = out of memory. */
static bool room_for_branches(contents *w, uint32_t need)
{
    if (need <= w->reserved) return true;
    size_t reserved = need > FIRST_BRANCHES ? 2 * (size_t)need : FIRST_BRANCHES;
    size_t bytes = sizeof *w->branches + w->p->dims * sizeof *w->shares + sizeof *w->heap;
    branch *branches = arena_items(w->memory, reserved, bytes); /* one block: none is asked for after one is refused */
    if (branches == NULL) return mem_refused(&w->failed);
    double *shares = (double *)(branches + reserved);
    uint32_t *heap = (uint32_t *)(shares + reserved * w->p->dims);
    if (w->reserved > 0) {
        memcpy(branches, w->branches, w->branch_count * sizeof *branches);
        memcpy(shares, w->shares, w->branch_count * (size_t)w->p->dims * sizeof *shares);
        memcpy(heap, w->heap, w->heap_count * sizeof *heap);
    }
    w->branches = branches;
    w->shares = shares;
    w->heap = heap;
    w->reserved = (uint32_t)reserved;
    return true;
}

bool contents_init(contents *w, arena *a, const bound_problem *p, const double *sizes, uint32_t capacity)
{
    size_t n = p->class_count + (size_t)1;
    *w = (contents){ .p = p, .memory = a, .capacity = capacity };
    w->copies = arena_array(a, n, sizeof *w->copies);
    w->tried = arena_array(a, n, sizeof *w->tried);
    w->density = arena_array(a, n, sizeof *w->density);
    w->most = arena_array(a, n, sizeof *w->most);
    w->low = arena_array(a, n, sizeof *w->low);
    w->high = arena_array(a, n, sizeof *w->high);
    w->order = arena_array(a, n, sizeof *w->order);
    w->rates = arena_array(a, p->dims + (size_t)1, sizeof *w->rates);
    w->left = arena_array(a, p->dims + (size_t)1, sizeof *w->left);
    if (!room_for_branches(w, 1) || w->copies == NULL || w->tried == NULL || w->density == NULL || w->most == NULL ||
        w->low == NULL || w->high == NULL || w->order == NULL || w->left == NULL || w->rates == NULL ||
        !labels_init(&w->labels, a, p, sizes, MOST_LABELS) || !knapsack_init(&w->k, a, p->dims, p->class_count))
        return false;
    w->k.stride = p->dims;
    w->k.sizes = sizes;
    return knapsack_alloc(&w->k, a, p->dims, p->class_count);
}

/* ---- heap of branches that are not split, by at_most ------------------------------------------------------------- */

static bool larger(const contents *w, uint32_t x, uint32_t y)
{
    double a = w->branches[x].at_most, b = w->branches[y].at_most;
    return a > b || (a >= b && x < y);
}

static void heap_push(contents *w, uint32_t b)
{
    uint32_t at = w->heap_count++;
    for (; at > 0 && larger(w, b, w->heap[(at - 1) / 2]); at = (at - 1) / 2) w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = b;
}

static void heap_pop(contents *w)
{
    uint32_t last = w->heap[--w->heap_count], at = 0;
    while (2 * at + 1 < w->heap_count) {
        uint32_t next = 2 * at + 1;
        if (next + 1 < w->heap_count && larger(w, w->heap[next + 1], w->heap[next])) next++;
        if (!larger(w, w->heap[next], last)) break;
        w->heap[at] = w->heap[next];
        at = next;
    }
    w->heap[at] = last;
}

/* ---- one branch -------------------------------------------------------------------------------------------------- */

/* Sets the copies that the branch allows, and the capacity that is left with the fewest of them; false = the branch
 * has no content. */
static bool open_box(contents *w, uint32_t number)
{
    const bound_problem *p = w->p;
    const int64_t *capacity = p->capacity + (size_t)w->row * p->dims;
    memset(w->low, 0, p->class_count * sizeof *w->low);
    memcpy(w->high, w->most, p->class_count * sizeof *w->high);
    for (uint32_t b = number; b != 0; b = w->branches[b].parent) {
        const branch *x = &w->branches[b];
        if (x->low > w->low[x->class_]) w->low[x->class_] = x->low;
        if (x->high < w->high[x->class_]) w->high[x->class_] = x->high;
    }
    for (uint32_t d = 0; d < p->dims; d++) w->left[d] = capacity[d] > 0 ? capacity[d] : 0;
    for (uint32_t i = 0; i < w->order_count; i++) {
        uint32_t c = w->order[i];
        if (w->low[c] > w->high[c]) return false;
        for (uint32_t d = 0; w->low[c] > 0 && d < p->dims; d++) {
            int64_t takes = p->requests[(size_t)c * p->dims + d] * w->low[c]; /* at most the capacity */
            if (takes > w->left[d]) return false;
            w->left[d] -= takes;
        }
    }
    return true;
}

/* The number of additional copies of the class that fit, at most `most`. */
static int64_t more_of(const contents *w, uint32_t c, int64_t most)
{
    const int64_t *request = w->p->requests + (size_t)c * w->p->dims;
    for (uint32_t d = 0; d < w->p->dims && most > 0; d++) {
        if (request[d] * most > w->left[d])
            most = w->left[d] / request[d]; /* at most the capacity: larger requests were excluded */
    }
    return most;
}

/* The knapsack of the free capacity. */
static void fill_knapsack(contents *w)
{
    knapsack *k = &w->k;
    k->dims = k->count = 0;
    for (uint32_t d = 0; d < w->p->dims; d++) {
        if (w->left[d] == 0) continue;
        k->dim_of[k->dims] = d;
        k->capacity[k->dims++] = (double)w->left[d];
    }
    for (uint32_t i = 0; i < w->order_count; i++) {
        uint32_t c = w->order[i];
        int64_t more = more_of(w, c, w->high[c] - w->low[c]);
        if (more == 0) continue;
        k->items[k->count] = c;
        k->most[k->count++] = (double)more;
    }
    k->worth = w->worth;
    k->solved = 0;
    w->steps += w->order_count + 1;
}

/* Rounds the solution of the knapsack to a whole content, and records it if it is the best so far. */
static void round_down(contents *w)
{
    const bound_problem *p = w->p;
    const knapsack *k = &w->k;
    double value = 0;
    for (uint32_t i = 0; i < w->order_count; i++) w->tried[w->order[i]] = (double)w->low[w->order[i]];
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t c = k->items[i];
        int64_t copies = more_of(w, c, (int64_t)(k->copies[i] + WHOLE));
        w->tried[c] += (double)copies;
        for (uint32_t d = 0; d < p->dims; d++) w->left[d] -= p->requests[(size_t)c * p->dims + d] * copies;
    }
    for (uint32_t i = 0; i < w->order_count; i++) {
        uint32_t c = w->order[i];
        int64_t copies = more_of(w, c, w->high[c] - (int64_t)w->tried[c]);
        w->tried[c] += (double)copies;
        for (uint32_t d = 0; d < p->dims; d++) w->left[d] -= p->requests[(size_t)c * p->dims + d] * copies;
        value += w->worth[c] * w->tried[c];
    }
    w->steps += 2 * w->order_count;
    if (!(value > w->value)) return;
    w->value = value;
    memcpy(w->copies, w->tried, p->class_count * sizeof *w->copies);
}

/* Chooses the class to split by: the one whose fractional copies are worth most. Rounds to the nearer integer. */
static void choose_split(contents *w, branch *b)
{
    const knapsack *k = &w->k;
    double most = 0;
    b->split = UINT32_MAX;
    for (uint32_t i = 0; i < k->dims; i++) {
        uint32_t item = k->basis[i];
        if (item >= k->count) continue;
        double part = k->copies[item] - floor(k->copies[item]);
        if (part < WHOLE || part > 1 - WHOLE) continue;
        double score = (part < 0.5 ? part : 1 - part) * w->worth[k->items[item]];
        if (b->split != UINT32_MAX && !(score > most)) continue;
        most = score;
        b->split = k->items[item];
        b->part = (double)w->low[b->split] + k->copies[item];
    }
}

static void look_at(contents *w, uint32_t number)
{
    branch *b = &w->branches[number];
    double *shares = w->shares + (size_t)number * w->p->dims, base = 0;
    const int64_t *capacity = w->p->capacity + (size_t)w->row * w->p->dims;
    memset(shares, 0, w->p->dims * sizeof *shares);
    b->below = 0;
    b->split = UINT32_MAX;
    b->at_most = -1;
    if (!open_box(w, number)) return;
    for (uint32_t i = 0; i < w->order_count; i++) base += w->worth[w->order[i]] * (double)w->low[w->order[i]];
    fill_knapsack(w);
    w->steps += (1 + knapsack_solve(&w->k)) * (w->k.count + w->k.dims);
    for (uint32_t d = 0; d < w->k.dims; d++) shares[w->k.dim_of[d]] = w->k.rate[d] * (double)capacity[w->k.dim_of[d]];
    b->at_most = base + w->k.value;
    b->deep = number == 0 ? 0 : w->branches[b->parent].deep + 1;
    if (b->deep < CASES_DEEP) choose_split(w, b);
    round_down(w);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static bool prepare_labels(contents *w, double enough, uint32_t cells)
{
    const label_node n = { .capacity = w->p->capacity + (size_t)w->row * w->p->dims,
                           .rates = w->rates,
                           .classes = w->order,
                           .class_count = w->order_count,
                           .most = w->most,
                           .worth = w->worth,
                           .enough = enough,
                           .cells = cells };
    memset(w->rates, 0, w->p->dims * sizeof *w->rates);
    for (uint32_t i = 0; i < w->k.dims; i++) w->rates[w->k.dim_of[i]] = w->k.rate[i];
    bool ok = labels_prepare(&w->labels, &n);
    w->steps += (uint32_t)w->labels.steps;
    return ok;
}

static bool run_labels(contents *w, double enough, uint32_t limit, uint32_t width)
{
    w->labels.steps = 0;
    bool ok = labels_solve(&w->labels, enough, limit, width, &w->value, w->copies);
    w->steps += (uint32_t)w->labels.steps;
    return ok;
}

/* The upper bound of the first branch, or that of the tables. */
static double highest(const contents *w)
{
    double top = w->branches[0].at_most;
    const completions *x = &w->labels.completions;
    double worth = x->table_count > 0 ? completions_worth(x, 0, 0) : top;
    return worth < top ? worth : top;
}

/* Looks for the best content by labels: first for a good one with few labels, then for one that is worth nearly the
 * upper bound, of which there are few. The upper bound falls with every search that finds none. false = there were too
 * many labels before the best was found. */
static bool solve_by_labels(contents *w, double enough, uint32_t most)
{
    double least = enough > w->value ? enough : w->value, top = w->branches[0].at_most, first = least;
    uint32_t limit = most < MOST_LABELS / LABELS_A_BRANCH ? most * LABELS_A_BRANCH : MOST_LABELS;
    w->at_most = top > w->value ? top : w->value;
    if (w->at_most <= least * (1 + 1e-11) || !prepare_labels(w, least, limit < CELLS ? limit : CELLS))
        return w->at_most <= least * (1 + 1e-11);
    if (!run_labels(w, first, MOST_LABELS, GUESS_WIDTH) && w->labels.failed) return false;
    w->listed = w->value > first;
    if (w->listed) least = w->value;
    top = highest(w);
    for (uint32_t part = top > least ? 1 : NEAR_PARTS; part <= NEAR_PARTS; part++) {
        double before = w->value, goal = part == NEAR_PARTS ? least : top - (top - least) * part / (double)NEAR_PARTS;
        if (!run_labels(w, goal, limit, 0)) {
            if (w->listed && !w->labels.failed) (void)run_labels(w, first, MOST_LABELS, GUESS_WIDTH);
            return false;
        }
        w->by_labels = true;
        bool better = w->value > before;
        w->at_most = better ? w->value : goal;
        if (better) return true;
    }
    return true;
}

bool contents_next(contents *w)
{
    w->listed = w->listed && labels_next(&w->labels, &w->value, w->copies);
    return w->listed;
}

/* ---- all branches ------------------------------------------------------------------------------------------------ */

static void order_classes(contents *w)
{
    const bound_problem *p = w->p;
    const int64_t *capacity = p->capacity + (size_t)w->row * p->dims;
    w->order_count = 0;
    for (uint32_t c = 0; c < p->class_count; c++) {
        w->copies[c] = w->tried[c] = 0;
        w->most[c] = w->worth[c] > 0 ? bound_copies(p, w->row, c) : 0;
        if (w->most[c] == 0 || w->most[c] == COPIES_ANY) continue;
        double size = 1e-12;
        for (uint32_t d = 0; d < p->dims; d++) {
            int64_t request = p->requests[(size_t)c * p->dims + d];
            if (request > 0) size += (double)request / (double)capacity[d];
        }
        w->density[c] = w->worth[c] / size;
        uint32_t at = w->order_count++;
        for (; at > 0 && w->density[w->order[at - 1]] < w->density[c]; at--) w->order[at] = w->order[at - 1];
        w->order[at] = c;
    }
    w->steps += p->class_count + w->order_count * w->order_count / 16;
}

/* false = out of memory */
static bool split(contents *w, uint32_t number)
{
    if (!room_for_branches(w, w->branch_count + 2)) return false;
    branch *b = &w->branches[number];
    int64_t low = (int64_t)floor(b->part);
    b->below = w->branch_count;
    w->branches[w->branch_count] = (branch){ .parent = number, .class_ = b->split, .low = 0, .high = low };
    w->branches[w->branch_count + 1] = (branch){
        .parent = number, .class_ = b->split, .low = low + 1, .high = w->most[b->split]
    };
    for (uint32_t i = 0; i < 2; i++) {
        look_at(w, w->branch_count);
        heap_push(w, w->branch_count++);
    }
    return true;
}

static void solve(contents *w, double enough, uint32_t most)
{
    w->steps = w->heap_count = 0;
    w->value = 0;
    w->branch_count = 1;
    w->branches[0] = (branch){ .parent = 0 };
    if (most > w->capacity) most = w->capacity;
    order_classes(w);
    w->by_labels = w->listed = false;
    look_at(w, 0);
    if (most > 1 && (solve_by_labels(w, enough, most) || w->by_labels || w->labels.failed)) return;
    heap_push(w, 0);
    for (;;) {
        uint32_t top = w->heap[0];
        const branch *b = &w->branches[top];
        w->at_most = b->at_most > w->value ? b->at_most : w->value;
        double least = enough > w->value ? enough : w->value;
        if (b->at_most <= least * (1 + 1e-11) || b->split == UINT32_MAX || w->branch_count + 2 > most) return;
        heap_pop(w);
        if (!split(w, top)) return;
    }
}

bool contents_solve(contents *w, uint32_t row, const double *worth, double enough, uint32_t most)
{
    w->row = row;
    w->worth = worth;
    solve(w, enough, most);
    return !w->failed && !w->labels.failed && mem_work(w->memory->context, (size_t)w->steps * w->p->dims);
}
