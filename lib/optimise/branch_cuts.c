/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices at which so many whole nodes are worth less than all pods. They are those of a linear program that places
 * fractions of the pods on these nodes, which cost nothing, and on others, which cost what they do.
 */
#include <optimise/branch.h>

#include <math.h>
#include <string.h>

enum {
    CUT_ROUNDS = 60,
    CUT_PIVOTS = 100000,
    LEVELS = 3,
    CONTENTS_AT_ONCE = 4,
    MOST_COPIES = 1 << 16,
    MOST_DEEP = 64,
    CHOICES = 3,
    DIVE_PART = 16
};
#define MOST_DIVE (UINT64_C(20000) * CONTENTS_A_STEP)
/* Branches of a content: more of them are tried where fewer do not lead to a proof. */
static const uint32_t cut_branches[LEVELS] = { 1, 32, 1024 };
#define LEAST_LACK 1e-9 /* relative */
#define WORTH_MORE (1 + 1e-7) /* a content enters if it is worth so many times what its node costs */
#define HALF_NODE 0.5
#define NOTHING 1e-7 /* what other nodes cost, $/h, if none are needed */

typedef struct cutting {
    branching *b;
    linear program;
    uint32_t *row_of; /* by place: its row; UINT32_MAX = it has no nodes */
    double *best; /* by place: what its best content is worth beyond its price */
    double *pods; /* by class */
    uint32_t *column; /* by place: that content, among the columns of the master problem */
} cutting;

/* What a node of the place costs at these prices: nothing, while some of the whole ones are left, or as much as one
 * more of them is worth. */
static double price_at(const cutting *k, uint32_t place)
{
    const master *m = &k->b->w->m;
    uint32_t row = k->row_of[place];
    return row != UINT32_MAX ? k->program.y[row] : m->prices[m->offers[place]];
}

/* Begins with a row for each class, whose pods may be placed at what they cost alone, and for each place with nodes. */
__attribute__((cold)) static bool begin(cutting *k, arena *a, const double *nodes, const double *pods)
{
    const master *m = &k->b->w->m;
    uint32_t classes = m->problem->class_count, rows = classes;
    k->row_of = arena_array(a, m->offer_count + (size_t)1, sizeof *k->row_of);
    k->best = arena_array(a, m->offer_count + (size_t)1, sizeof *k->best);
    k->column = arena_array(a, m->offer_count + (size_t)1, sizeof *k->column);
    if (k->row_of == NULL || k->best == NULL || k->column == NULL) return false;
    for (uint32_t i = 0; i < m->offer_count; i++) k->row_of[i] = nodes[i] > HALF_NODE ? rows++ : UINT32_MAX;
    if (!linear_init(&k->program, a, rows)) return false;
    for (uint32_t c = 0; c < classes; c++) {
        double alone = master_alone(m, c);
        linear_start(&k->program, c, alone < HUGE_VAL ? pods[c] : 0, alone < HUGE_VAL ? alone : 0);
    }
    for (uint32_t i = 0; i < m->offer_count; i++) {
        if (k->row_of[i] == UINT32_MAX) continue;
        linear_start_left_over(&k->program, k->row_of[i], -nodes[i]);
        if (!linear_column_add(&k->program, m->prices[m->offers[i]]) || !linear_entry_add(&k->program, k->row_of[i], 1))
            return false;
    }
    return true;
}

/* Adds a content that is a column of the master problem. */
__attribute__((cold)) static bool add_content(cutting *k, const column *x)
{
    const master *m = &k->b->w->m;
    uint32_t row = k->row_of[x->offer];
    if (!linear_column_add(&k->program, row == UINT32_MAX ? m->prices[m->offers[x->offer]] : 0)) return false;
    if (row != UINT32_MAX && !linear_entry_add(&k->program, row, -1)) return false;
    for (uint32_t n = 0; n < x->count; n++) {
        const entry *e = &m->entries[x->first + n];
        if (!linear_entry_add(&k->program, e->class_, e->copies)) return false;
    }
    return true;
}

/* Adds of each place the known content that improves the solution most. *any: there are some. */
static bool add_known(cutting *k, bool *any)
{
    whole *w = k->b->w;
    const master *m = &w->m;
    memset(k->best, 0, m->offer_count * sizeof *k->best);
    for (uint32_t n = 0; n < m->column_count; n++) {
        const column *x = &m->columns[n];
        double worth = 0, price = price_at(k, x->offer);
        for (uint32_t e = 0; e < x->count; e++)
            worth += k->program.y[m->entries[x->first + e].class_] * m->entries[x->first + e].copies;
        w->work += x->count;
        if (!(worth > price * WORTH_MORE + 1e-9) || !(worth - price > k->best[x->offer])) continue;
        k->best[x->offer] = worth - price;
        k->column[x->offer] = n;
    }
    *any = false;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        if (!(k->best[i] > 0)) continue;
        *any = true;
        if (!add_content(k, &m->columns[k->column[i]])) return false;
    }
    return true;
}

/* Pivots until no known content improves the solution. The prices of the classes are `tried` of the master problem
 * then.
 */
static bool solve_known(cutting *k)
{
    whole *w = k->b->w;
    linear *l = &k->program;
    bool any = true;
    while (any) {
        uint64_t had = l->exchanges, work = (uint64_t)l->rows * l->rows + l->entries.count;
        if (!linear_solve(l, CUT_PIVOTS)) return false;
        w->work += (l->exchanges - had + 1) * work / 4;
        if (!add_known(k, &any)) return false;
    }
    for (uint32_t c = 0; c < w->m.problem->class_count; c++) w->m.tried[c] = l->y[c] > 0 ? l->y[c] : 0;
    return true;
}

/* Looks for contents that are worth more than they cost. */
__attribute__((cold)) static bool price_places(cutting *k, uint32_t branches, bool *any)
{
    whole *w = k->b->w;
    master *m = &w->m;
    contents *x = &w->contents;
    *any = false;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        uint32_t kept = 0;
        double price = price_at(k, i);
        knapsack *fractions = &m->knapsacks[i];
        fractions->worth = m->tried;
        uint32_t steps = knapsack_solve(fractions);
        w->work += (steps + (size_t)1) * (fractions->count + fractions->dims);
        if (!master_worked(w->a, m->problem, (steps + (size_t)1) * m->problem->dims)) return false;
        if (!(fractions->value > price * WORTH_MORE + 1e-9)) continue;
        if (!contents_solve(x, m->offers[i], m->tried, price, branches)) return false;
        w->work += x->steps;
        if (!(x->value > price * WORTH_MORE + 1e-9)) continue;
        *any = true;
        master_drop_columns(m);
        do master_keep_known(m, i, w->classes, x->copies, m->problem->class_count);
        while (++kept < CONTENTS_AT_ONCE && contents_next(x));
    }
    return true;
}

/* Looks for contents with so many branches at most until there are no better ones. The prices may then still be too
 * high, for which their proof allows. */
__attribute__((cold)) static bool find_prices(cutting *k, uint32_t branches)
{
    whole *w = k->b->w;
    bool any = true;
    for (uint32_t round = 0; any && round < CUT_ROUNDS && w->work < k->b->most_work; round++) {
        if (!price_places(k, branches, &any) || (any && !solve_known(k))) return false;
    }
    return true;
}

/* Makes a proof of the prices, and keeps it if these nodes are worth less than all pods by it. */
__attribute__((cold)) static bool prove_prices(cutting *k, const double *nodes, enum branch_answer *answer)
{
    branching *b = k->b;
    whole *w = b->w;
    uint32_t places = w->m.offer_count, last = b->tree->proof_count;
    bound_proof proof;
    double worth = 0;
    if (w->work >= b->most_work) return true;
    memcpy(w->m.best, w->m.tried, w->m.problem->class_count * sizeof *w->m.best);
    uint64_t left = b->most_work - w->work;
    if (!prove_charges(&w->m, &w->contents, &left, w->a, &proof)) return false;
    w->work = b->most_work - left;
    if (proof.y == NULL || !branch_add(b, &proof)) return true;
    for (uint32_t i = 0; i < places; i++) worth += b->worth[(size_t)last * places + i] * nodes[i];
    if (worth < b->needed[last] * (1 - LEAST_LACK)) *answer = BRANCH_CUT;
    else b->tree->proof_count--;
    return true;
}

/* Pods and nodes that have no contents yet. */
typedef struct remains {
    double *nodes, *pods; /* by place; by class */
    uint32_t *next; /* by place: the first node without contents */
} remains;

/* Lists the content of a column for so many nodes of its place. false = it is none of a node of these. */
__attribute__((cold)) static bool list_content(const cutting *k, const linear_column *x, double times, remains *left,
                                               bound_fleet *out)
{
    const linear_entry *e = k->program.entries.items + x->first; /* the first is that of the place */
    const master *m = &k->b->w->m;
    uint32_t classes = m->problem->class_count, i = 0;
    while (i < m->offer_count && (k->row_of[i] != e->row || e->row < classes)) i++;
    if (i == m->offer_count || x->count < 2 || !(left->nodes[i] > HALF_NODE)) return false;
    for (; times > 0 && left->nodes[i] > HALF_NODE; times--, left->nodes[i]--) {
        uint32_t *copies = out->copies + (size_t)left->next[i]++ * classes;
        memset(copies, 0, classes * sizeof *copies);
        for (uint32_t n = 1; n < x->count; n++) {
            uint32_t c = e[n].row;
            copies[c] = (uint32_t)(e[n].amount + HALF_NODE);
            left->pods[c] = left->pods[c] > e[n].amount ? left->pods[c] - e[n].amount : 0;
        }
    }
    return true;
}

__attribute__((cold)) static bool copy_remains(const cutting *k, arena *a, const remains *from, remains *out)
{
    const master *m = &k->b->w->m;
    out->nodes = arena_copy(a, from->nodes, m->offer_count * sizeof *out->nodes);
    out->pods = arena_copy(a, from->pods, m->problem->class_count * sizeof *out->pods);
    out->next = arena_copy(a, from->next, m->offer_count * sizeof *out->next);
    return out->nodes != NULL && out->pods != NULL && out->next != NULL;
}

/* The row with the content of which the solution has the highest level, of those below the last one; UINT32_MAX = there
 * is none. */
__attribute__((cold)) static uint32_t next_content(const linear *l, uint32_t last)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t r = 0; r < l->rows; r++) {
        if (l->basis[r] == UINT32_MAX || l->columns.items[l->basis[r]].count < 2 || !(l->level[r] > WHOLE_NODES))
            continue;
        bool below = last == UINT32_MAX || l->level[r] < l->level[last] || (l->level[r] <= l->level[last] && r > last);
        if (below && (best == UINT32_MAX || l->level[r] > l->level[best])) best = r;
    }
    return best;
}

/* A diving heuristic: whole nodes of the solution keep their contents, or else one of a content of which the solution
 * has most. The rest is solved again, of known contents alone. Where that is not possible, another content is tried.
 * false = out of memory, or stopped. *done: all pods have nodes, or there is no work left. */
__attribute__((cold)) static bool dive(const cutting *k, const remains *from, uint64_t most, uint32_t deep,
                                       bound_fleet *out, bool *done)
{
    whole *w = k->b->w;
    cutting now = { .b = k->b };
    remains x;
    double left = 0;
    arena a = arena_on(w->a->context);
    bool ok = copy_remains(k, &a, from, &x) && begin(&now, &a, x.nodes, x.pods) && solve_known(&now);
    const linear *l = &now.program;
    bool fits = ok && !(l->cost > NOTHING), any = false;
    for (uint32_t r = 0; fits && r < l->rows; r++) {
        if (l->basis[r] == UINT32_MAX || !(l->level[r] > 1 - WHOLE_NODES)) continue;
        any = list_content(&now, &l->columns.items[l->basis[r]], floor(l->level[r] + WHOLE_NODES), &x, out) || any;
    }
    for (uint32_t c = 0; fits && c < w->m.problem->class_count; c++) left += x.pods[c];
    *done = (fits && !(left > HALF_NODE)) || w->work > most || deep == MOST_DEEP;
    if (fits && any && !*done) ok = dive(k, &x, most, deep + 1, out, done);
    uint32_t row = UINT32_MAX;
    for (uint32_t n = 0; ok && fits && !any && !*done && n < CHOICES; n++) {
        remains y;
        row = next_content(l, row);
        if (row == UINT32_MAX) break;
        ok = copy_remains(k, &a, &x, &y);
        if (ok && list_content(&now, &l->columns.items[l->basis[row]], 1, &y, out))
            ok = dive(k, &y, most, deep + 1, out, done);
    }
    linear_free(&now.program);
    arena_free(&a);
    return ok;
}

/* Lists the whole nodes for the search of plans. Those that are found when no work is left are not listed, as more
 * effort may not find the same. false = out of memory. */
__attribute__((cold)) static bool list_fleet(const cutting *k, double *nodes)
{
    whole *w = k->b->w;
    const master *m = &w->m;
    bound_trail *t = w->trail;
    double count = 0;
    if (t == NULL || t->fleet_count == MOST_FLEETS || w->work >= k->b->most_work) return true;
    for (uint32_t i = 0; i < m->offer_count; i++) count += nodes[i];
    if (count * m->problem->class_count > (double)MOST_COPIES) return true;
    uint32_t *next = arena_array(&k->b->w->scratch, m->offer_count + (size_t)1, sizeof *next);
    if (next == NULL) return false;
    bound_fleet *out = &t->fleets[t->fleet_count++];
    *out = (bound_fleet){ .steps = w->work / CONTENTS_A_STEP };
    out->offer = arena_array(w->a, (size_t)count + 1, sizeof *out->offer);
    out->copies = arena_array(w->a, (size_t)count * m->problem->class_count + 1, sizeof *out->copies);
    if (out->offer == NULL || out->copies == NULL) return false;
    for (uint32_t i = 0; i < m->offer_count; i++) {
        next[i] = out->count;
        for (double n = 0; n < nodes[i]; n++) out->offer[out->count++] = m->offers[i];
    }
    /* This is no work of the tree, and a small part of it. */
    uint64_t work = w->work, most = work / DIVE_PART < MOST_DIVE ? work / DIVE_PART : MOST_DIVE;
    bool done = false, ok = dive(k, &(remains){ nodes, k->pods, next }, work + most, 0, out, &done);
    w->work = work;
    return ok;
}

__attribute__((cold)) bool branch_cut(branching *b, double *nodes, enum branch_answer *answer)
{
    cutting k = { .b = b };
    uint32_t classes = b->w->m.problem->class_count;
    arena scratch = arena_on(b->w->a->context);
    *answer = BRANCH_UNKNOWN;
    k.pods = arena_array(&scratch, classes + (size_t)1, sizeof *k.pods);
    for (uint32_t c = 0; k.pods != NULL && c < classes; c++) k.pods[c] = (double)b->w->m.counts[c];
    bool ok = k.pods != NULL && begin(&k, &scratch, nodes, k.pods) && solve_known(&k);
    for (size_t i = 0; ok && i < LEVELS && *answer == BRANCH_UNKNOWN; i++) {
        ok = find_prices(&k, cut_branches[i]);
        if (ok && !(k.program.cost > NOTHING)) {
            *answer = BRANCH_FITS;
            ok = list_fleet(&k, nodes);
        } else if (ok && i > 0) ok = prove_prices(&k, nodes, answer);
    }
    linear_free(&k.program);
    arena_free(&scratch);
    return ok;
}
