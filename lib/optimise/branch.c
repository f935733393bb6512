/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/branch.h>

#include <math.h>
#include <string.h>

enum {
    MOST_BOXES = 1 << 14,
    FIRST_BOXES = 64,
    BOX_PIVOTS = 1000,
    COLUMNS_AT_ONCE = 8,
    AT_ONCE = 4 /* numbers of a linear program that count as one operation */
};
#define DEAR 1000 /* what a lack of worth costs */
#define HALF 0.5
#define RISE 1e-9 /* relative: costs that differ by less are equal */

/* ---- inequalities ------------------------------------------------------------------------------------------------ */

__attribute__((cold)) bool branch_add(branching *b, const bound_proof *proof)
{
    const bound_problem *p = b->w->m.problem;
    bound_tree *t = b->tree;
    uint32_t n = t->proof_count, places = b->w->m.offer_count;
    if (n == TREE_PROOFS) return false;
    double needed = 0;
    for (uint32_t c = 0; c < p->class_count; c++) needed += (double)proof->y[c] * (double)p->counts[c];
    for (uint32_t i = 0; i < proof->share_count; i++) {
        amount charge;
        if (!proof_charge(p, proof, i, &charge)) return false;
        double most = amount_double(charge) * (double)AMOUNT_NANO;
        if (i < places) b->worth[(size_t)n * places + i] = most / MONEY_UNIT;
        else if (p->removable == NULL || !p->removable[i - places]) needed -= most;
    }
    b->needed[n] = needed / MONEY_UNIT;
    t->proofs[t->proof_count++] = *proof;
    return true;
}

/* ---- heap of boxes that are not divided, the cheapest first, and of equal ones the smallest -----------------------
 */

static bool sooner(const branching *b, uint32_t x, uint32_t y)
{
    double a = b->boxes[x].least, c = b->boxes[y].least;
    if (fabs(a - c) > RISE * c) return a < c;
    return b->boxes[x].deep > b->boxes[y].deep || (b->boxes[x].deep == b->boxes[y].deep && x < y);
}

static void heap_push(branching *b, uint32_t x)
{
    uint32_t at = b->heap_count++;
    for (; at > 0 && sooner(b, x, b->heap[(at - 1) / 2]); at = (at - 1) / 2) b->heap[at] = b->heap[(at - 1) / 2];
    b->heap[at] = x;
}

static uint32_t heap_pop(branching *b)
{
    uint32_t first = b->heap[0], last = b->heap[--b->heap_count], at = 0;
    while (2 * at + 1 < b->heap_count) {
        uint32_t next = 2 * at + 1;
        if (next + 1 < b->heap_count && sooner(b, b->heap[next + 1], b->heap[next])) next++;
        if (!sooner(b, b->heap[next], last)) break;
        b->heap[at] = b->heap[next];
        at = next;
    }
    b->heap[at] = last;
    return first;
}

/* Makes room for two more boxes. false = too many, or out of memory. */
__attribute__((cold)) static bool make_room(branching *b)
{
    if (b->box_count + 2 <= b->reserved) return true;
    uint32_t reserved = b->reserved == 0 ? FIRST_BOXES : 2 * b->reserved;
    if (reserved > MOST_BOXES) return false;
    counts_box *boxes = arena_array(&b->w->scratch, reserved, sizeof *boxes);
    uint32_t *heap = arena_array(&b->w->scratch, reserved, sizeof *heap);
    b->failed = boxes == NULL || heap == NULL;
    if (b->failed) return false;
    if (b->box_count > 0) memcpy(boxes, b->boxes, b->box_count * sizeof *boxes);
    if (b->heap_count > 0) memcpy(heap, b->heap, b->heap_count * sizeof *heap);
    b->boxes = boxes;
    b->heap = heap;
    b->reserved = reserved;
    return true;
}

/* ---- a box ------------------------------------------------------------------------------------------------------- */

__attribute__((cold)) static void open_box(branching *b, uint32_t number)
{
    uint32_t places = b->w->m.offer_count;
    for (uint32_t i = 0; i < places; i++) b->low[i] = 0, b->high[i] = INT64_MAX;
    for (uint32_t n = number; n != 0; n = b->boxes[n].parent) {
        const counts_box *x = &b->boxes[n];
        if (x->low > b->low[x->place]) b->low[x->place] = x->low;
        if (x->high < b->high[x->place]) b->high[x->place] = x->high;
    }
}

static double cost_of(const branching *b, uint32_t place)
{
    const master *m = &b->w->m;
    return m->prices[m->offers[place]];
}

/* What a node of the place costs beyond what the inequalities pay for it. */
static double beyond(const branching *b, const linear *l, uint32_t place)
{
    uint32_t places = b->w->m.offer_count;
    double out = cost_of(b, place);
    for (uint32_t k = 0; k < b->tree->proof_count; k++) out -= l->y[k] * b->worth[(size_t)k * places + place];
    return out;
}

/* Adds the column of a place, with the row of its limit if it has one. */
static bool add_column(const branching *b, linear *l, uint32_t place, uint32_t limit)
{
    uint32_t places = b->w->m.offer_count;
    bool ok = linear_column_add(l, cost_of(b, place));
    for (uint32_t k = 0; ok && k < b->tree->proof_count; k++)
        ok = linear_entry_add(l, k, b->worth[(size_t)k * places + place]);
    return ok && (limit == UINT32_MAX || linear_entry_add(l, limit, -1));
}

/* The linear program of a box: a row for each inequality, and for each place with a limit. */
typedef struct box_program {
    linear l;
    uint32_t *place_of, *limit_of; /* by column; by place: its row */
    bool *has_column; /* by place */
    uint32_t columns;
} box_program;

__attribute__((cold)) static bool begin_program(branching *b, arena *a, box_program *x)
{
    uint32_t places = b->w->m.offer_count, proofs = b->tree->proof_count, rows = proofs;
    x->place_of = arena_array(a, places + (size_t)1, sizeof *x->place_of);
    x->limit_of = arena_array(a, places + (size_t)1, sizeof *x->limit_of);
    x->has_column = arena_array(a, places + (size_t)1, sizeof *x->has_column);
    if (x->place_of == NULL || x->limit_of == NULL || x->has_column == NULL) return false;
    for (uint32_t i = 0; i < places; i++)
        x->limit_of[i] = b->is_limited[i] && b->high[i] > b->low[i] && b->high[i] < INT64_MAX ? rows++ : UINT32_MAX;
    if (!linear_init(&x->l, a, rows)) return false;
    for (uint32_t k = 0; k < proofs; k++) {
        double need = b->needed[k];
        for (uint32_t i = 0; i < places; i++) need -= b->worth[(size_t)k * places + i] * (double)b->low[i];
        if (need > 0) linear_start(&x->l, k, need, DEAR);
        else linear_start_left_over(&x->l, k, need);
    }
    for (uint32_t i = 0; i < places; i++) {
        if (x->limit_of[i] != UINT32_MAX)
            linear_start_left_over(&x->l, x->limit_of[i], (double)(b->low[i] - b->high[i]));
    }
    return true;
}

/* Adds a column. */
static bool add_place(branching *b, box_program *x, uint32_t i)
{
    x->has_column[i] = true;
    x->place_of[x->columns++] = i;
    return add_column(b, &x->l, i, x->limit_of[i]);
}

/* Adds the columns of the places that were bought once. */
static bool add_bought(branching *b, box_program *x)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < b->w->m.offer_count; i++) {
        if (b->was_bought[i] && b->high[i] > b->low[i]) ok = add_place(b, x, i);
    }
    return ok;
}

/* Adds some columns that improve the solution, those that improve it most. */
static bool add_better(branching *b, box_program *x)
{
    uint32_t best[COLUMNS_AT_ONCE], count = 0;
    double gains[COLUMNS_AT_ONCE];
    for (uint32_t i = 0; i < b->w->m.offer_count; i++) {
        if (x->has_column[i] || b->high[i] == b->low[i]) continue;
        double paid = x->limit_of[i] == UINT32_MAX ? 0 : x->l.y[x->limit_of[i]], gain = -beyond(b, &x->l, i) - paid;
        if (!(gain > RISE) || (count == COLUMNS_AT_ONCE && !(gain > gains[count - 1]))) continue;
        uint32_t at = count < COLUMNS_AT_ONCE ? count++ : count - 1;
        for (; at > 0 && gains[at - 1] < gain; at--) best[at] = best[at - 1], gains[at] = gains[at - 1];
        best[at] = i;
        gains[at] = gain;
    }
    bool ok = true;
    for (uint32_t n = 0; ok && n < count; n++) ok = add_place(b, x, best[n]);
    return ok;
}

static bool solve_program(branching *b, box_program *x)
{
    linear *l = &x->l;
    bool ok = add_bought(b, x);
    for (uint32_t had = UINT32_MAX; ok && had != x->columns;) {
        uint64_t pivots = l->exchanges;
        had = x->columns;
        ok = linear_solve(l, BOX_PIVOTS);
        b->w->work += (l->exchanges - pivots + 1) * (l->entries.count + 2 * (uint64_t)l->rows * l->rows) / AT_ONCE;
        ok = ok && add_better(b, x);
        b->w->work += (uint64_t)b->w->m.offer_count * b->tree->proof_count / AT_ONCE;
    }
    return ok;
}

/* Keeps the weights of the solution, and what they prove. */
__attribute__((cold)) static bool keep_weights(branching *b, counts_box *box, const linear *l)
{
    uint32_t proofs = b->tree->proof_count, n = 0, places = b->w->m.offer_count;
    tree_weight weights[TREE_PROOFS];
    double least = 0;
    for (uint32_t k = 0; k < proofs; k++) {
        int64_t weight = l->y[k] > 0 ? (int64_t)(l->y[k] * (double)KARP_CERTIFICATE_PARTS) : 0;
        least += l->y[k] > 0 ? l->y[k] * b->needed[k] : 0;
        if (weight > 0) weights[n++] = (tree_weight){ k, weight };
    }
    for (uint32_t i = 0; i < places; i++) {
        double more = beyond(b, l, i);
        int64_t copies = more < 0 ? b->high[i] : b->low[i];
        if (copies != INT64_MAX) least += more * (double)copies;
    }
    if (!(least > box->least)) return true;
    box->least = least;
    box->weight_count = n;
    box->weights = arena_copy(b->w->a, weights, n * sizeof *weights);
    return box->weights != NULL;
}

/* Solves the linear program of the box that is open. *again: it has more nodes of a place than it may. */
__attribute__((cold)) static bool solve_once(branching *b, counts_box *box, bool *again)
{
    uint32_t places = b->w->m.offer_count;
    box_program x = { .columns = 0 };
    arena scratch = arena_on(b->w->a->context);
    bool ok = begin_program(b, &scratch, &x) && solve_program(b, &x);
    *again = false;
    for (uint32_t i = 0; ok && i < places; i++) b->nodes[i] = (double)b->low[i];
    for (uint32_t r = 0; ok && r < x.l.rows; r++) {
        if (x.l.basis[r] == UINT32_MAX) continue;
        uint32_t i = x.place_of[x.l.basis[r]];
        b->nodes[i] += x.l.level[r];
        b->was_bought[i] = true;
    }
    for (uint32_t i = 0; ok && i < places; i++) {
        if (b->high[i] == INT64_MAX || b->is_limited[i] || !(b->nodes[i] > (double)b->high[i] + WHOLE_NODES)) continue;
        *again = b->is_limited[i] = true;
    }
    ok = ok && keep_weights(b, box, &x.l);
    linear_free(&x.l);
    arena_free(&scratch);
    return ok;
}

/* Solves a box, and finds the place whose number of nodes is furthest from a whole one. */
__attribute__((cold)) static bool solve_box(branching *b, uint32_t number)
{
    counts_box *box = &b->boxes[number];
    double most = 0;
    bool again = true;
    open_box(b, number);
    while (again) {
        if (!solve_once(b, box, &again)) return false;
    }
    box->seen = b->tree->proof_count;
    box->split = UINT32_MAX;
    for (uint32_t i = 0; i < b->w->m.offer_count; i++) {
        double part = b->nodes[i] - floor(b->nodes[i]);
        if (part > HALF) part = 1 - part;
        if (part < WHOLE_NODES || !(part * cost_of(b, i) > most)) continue;
        most = part * cost_of(b, i);
        box->split = i;
        box->part = b->nodes[i];
    }
    return true;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Divides a box. false = there are too many, or out of memory. */
__attribute__((cold)) static bool divide(branching *b, uint32_t number)
{
    if (b->boxes[number].deep + 1 >= TREE_DEEP || !make_room(b)) return false;
    counts_box *box = &b->boxes[number], child = *box;
    int64_t low = (int64_t)floor(box->part);
    child.parent = number;
    child.place = box->split;
    child.seen = 0;
    child.deep++;
    child.below = 0;
    child.low = 0;
    child.high = low;
    box->below = b->box_count;
    b->boxes[b->box_count] = child;
    child.low = low + 1;
    child.high = INT64_MAX;
    b->boxes[b->box_count + 1] = child;
    heap_push(b, b->box_count);
    heap_push(b, b->box_count + 1);
    b->box_count += 2;
    return true;
}

/* ---- whole nodes ------------------------------------------------------------------------------------------------- */

/* What is still needed of each inequality beside whole nodes: `left`, by proof. false = nothing is. */
static bool note_left(const branching *b, const double *nodes, double *left)
{
    uint32_t places = b->w->m.offer_count;
    bool any = false;
    for (uint32_t k = 0; k < b->tree->proof_count; k++) {
        left[k] = b->needed[k];
        for (uint32_t i = 0; i < places; i++) left[k] -= nodes[i] > 0 ? b->worth[(size_t)k * places + i] * nodes[i] : 0;
        any = any || left[k] > RISE * b->needed[k];
    }
    b->w->work += (uint64_t)places * b->tree->proof_count / AT_ONCE;
    return any;
}

/* The cheapest place of which one node more is enough; UINT32_MAX = there is none. */
static uint32_t cheapest_last(const branching *b, const double *left)
{
    uint32_t best = UINT32_MAX, places = b->w->m.offer_count;
    for (uint32_t i = 0; i < places; i++) {
        bool enough = best == UINT32_MAX || cost_of(b, i) < cost_of(b, best);
        for (uint32_t k = 0; enough && k < b->tree->proof_count; k++)
            enough = b->worth[(size_t)k * places + i] >= left[k] - RISE * b->needed[k];
        if (enough) best = i;
    }
    b->w->work += places;
    return best;
}

/* Rounds the numbers of nodes to whole ones that satisfy all inequalities: down, and then some up, those closest to
 * that first, and one node more. The cheapest such are written to `whole_nodes`. Returns their cost. */
static double round_nodes(branching *b)
{
    uint32_t places = b->w->m.offer_count, last;
    double left[TREE_PROOFS], cost = 0, best = HUGE_VAL;
    for (uint32_t i = 0; i < places; i++) {
        b->rounded[i] = floor(b->nodes[i] + WHOLE_NODES);
        cost += b->rounded[i] * cost_of(b, i);
    }
    for (bool more = true; more;) {
        more = note_left(b, b->rounded, left);
        last = more ? cheapest_last(b, left) : UINT32_MAX;
        double total = !more ? cost : last != UINT32_MAX ? cost + cost_of(b, last) : HUGE_VAL;
        if (total < best) {
            best = total;
            memcpy(b->whole_nodes, b->rounded, places * sizeof *b->rounded);
            if (last != UINT32_MAX) b->whole_nodes[last]++;
        }
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < places; i++) {
            double part = b->nodes[i] - b->rounded[i];
            if (part > WHOLE_NODES && (next == UINT32_MAX || part > b->nodes[next] - b->rounded[next])) next = i;
        }
        more = more && next != UINT32_MAX;
        if (!more) break;
        b->rounded[next]++;
        cost += cost_of(b, next);
    }
    return best;
}

/* Rounds the solution of a box. Where the whole nodes cannot hold the pods, that becomes an inequality, and the box is
 * solved again. false = out of memory, or stopped. */
__attribute__((cold)) static bool try_whole(branching *b, uint32_t number)
{
    enum branch_answer answer = BRANCH_CUT;
    while (answer == BRANCH_CUT) {
        if (!solve_box(b, number)) return false;
        double cost = round_nodes(b);
        if (!(cost < b->upper * (1 - RISE)) || b->tree->proof_count == TREE_PROOFS) return true;
        if (!branch_cut(b, b->whole_nodes, &answer)) return false;
        if (answer == BRANCH_FITS) b->upper = cost;
    }
    return true;
}

/* Looks at boxes in the order of what they cost at least, until that is what whole nodes that can hold the pods in
 * fractions cost. false = out of memory, or stopped. */
__attribute__((cold)) static bool look_at_boxes(branching *b)
{
    whole *w = b->w;
    bool more = make_room(b);
    if (!more) return !b->failed;
    b->upper = HUGE_VAL;
    b->boxes[0] = (counts_box){ .parent = 0 };
    b->box_count = 1;
    heap_push(b, 0);
    while (more && w->work < b->most_work) {
        uint32_t number = heap_pop(b);
        const counts_box *box = &b->boxes[number];
        more = box->least < b->upper * (1 - RISE);
        if (more && box->seen != b->tree->proof_count && !try_whole(b, number)) return false;
        if (!more || (b->heap_count > 0 && sooner(b, b->heap[0], number))) {
            heap_push(b, number);
            continue;
        }
        more = box->split != UINT32_MAX && divide(b, number);
        if (!more) heap_push(b, number);
    }
    return !b->failed;
}

/* The boxes in the order of a tree. */
__attribute__((cold)) static bool list_boxes(branching *b)
{
    bound_tree *t = b->tree;
    uint32_t *next = arena_array(&b->w->scratch, b->box_count + (size_t)1, sizeof *next), count = 1;
    tree_node *nodes = arena_array(b->w->a, b->box_count, sizeof *nodes);
    if (next == NULL || nodes == NULL) return false;
    next[0] = 0;
    while (count > 0) {
        const counts_box *x = &b->boxes[next[--count]];
        tree_node *out = &nodes[t->node_count++];
        *out = (tree_node){ KARP_CERTIFICATE_LEAF, 0, x->weights, x->weight_count };
        if (x->below == 0) continue;
        *out = (tree_node){ b->boxes[x->below].place, b->boxes[x->below].high, NULL, 0 };
        next[count++] = x->below + 1;
        next[count++] = x->below;
    }
    t->nodes = nodes;
    return true;
}

/* The contents that the bound buys are known, too. */
__attribute__((cold)) static void keep_basis(whole *w)
{
    const master *m = &w->m;
    size_t classes = m->problem->class_count;
    for (size_t i = 0; i < classes; i++) {
        master_drop_columns(&w->m);
        if (m->bought[i] != UINT32_MAX)
            master_keep_known(&w->m, m->bought[i], w->classes, m->content + i * classes, (uint32_t)classes);
    }
}

__attribute__((cold)) bool branch_grow(whole *w, bound_charges *charges)
{
    uint32_t places = w->m.offer_count;
    arena *s = &w->scratch;
    branching b = { .w = w, .tree = &charges->tree, .most_work = w->most_work };
    b.tree->proofs = arena_array(w->a, TREE_PROOFS, sizeof *b.tree->proofs);
    b.needed = arena_array(s, TREE_PROOFS, sizeof *b.needed);
    b.worth = arena_array(s, (size_t)TREE_PROOFS * places + 1, sizeof *b.worth);
    b.low = arena_array(s, places + (size_t)1, sizeof *b.low);
    b.high = arena_array(s, places + (size_t)1, sizeof *b.high);
    b.nodes = arena_array(s, places + (size_t)1, sizeof *b.nodes);
    b.rounded = arena_array(s, places + (size_t)1, sizeof *b.rounded);
    b.whole_nodes = arena_array(s, places + (size_t)1, sizeof *b.whole_nodes);
    b.was_bought = arena_array(s, places + (size_t)1, sizeof *b.was_bought);
    b.is_limited = arena_array(s, places + (size_t)1, sizeof *b.is_limited);
    if (b.tree->proofs == NULL || b.needed == NULL || b.worth == NULL || b.low == NULL || b.high == NULL ||
        b.nodes == NULL || b.rounded == NULL || b.whole_nodes == NULL || b.was_bought == NULL || b.is_limited == NULL)
        return false;
    for (uint32_t i = 0; i < charges->count; i++) (void)branch_add(&b, &charges->proofs[i]);
    if (b.tree->proof_count == 0 || w->work >= w->most_work) return true;
    keep_basis(w);
    return look_at_boxes(&b) && list_boxes(&b);
}
