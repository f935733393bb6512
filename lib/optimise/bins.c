/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as lists of nodes, and how fractions of nodes are rounded to such lists. */
#include <optimise/packing.h>

#include <base/bits.h>
#include <math.h>
#include <optimise/bound.h>
#include <string.h>

packing_bin *packing_add_bin(karp_context *context, packing_bins *b, uint32_t offer)
{
    packing_bin *slot = list_push(context, &b->list, sizeof *slot);
    if (slot != NULL) *slot = (packing_bin){ .offer = offer };
    return slot;
}

bool packing_add_entry(karp_context *context, packing_bin *b, uint32_t class_, uint32_t copies)
{
    packing_entry *slot = list_push(context, &b->entries, sizeof *slot);
    if (slot != NULL) *slot = (packing_entry){ class_, copies };
    return slot != NULL;
}

bool packing_copy_bin(karp_context *context, packing_bins *b, uint32_t offer, const packing_entry *entries,
                      size_t count)
{
    packing_bin *to = packing_add_bin(context, b, offer);
    for (size_t e = 0; to != NULL && e < count; e++) {
        if (!packing_add_entry(context, to, entries[e].class_, entries[e].copies)) return false;
    }
    return to != NULL;
}

void packing_bins_free(karp_context *context, packing_bins *b)
{
    for (size_t i = 0; i < b->list.count; i++)
        list_free(context, &b->list.items[i].entries, sizeof *b->list.items[i].entries.items);
    list_free(context, &b->list, sizeof *b->list.items);
    *b = (packing_bins){ .cost = HUGE_VAL };
}

/* ---- rounding fractions of nodes --------------------------------------------------------------------------------- */

enum { ROUNDINGS = 4, DIVES = 64, DIVE_PARTS = 8 };
#define MOSTLY 0.95 /* parts of the pods of a pattern */
#define HALF 0.5

typedef struct rounding {
    const packing_problem *p;
    const packing_patterns *from;
    karp_context *context;
    packing_bins bins;
    uint32_t *rest, *order; /* by class; patterns, those closest to a whole node first */
    uint64_t *barred; /* classes that conflict with the current node */
} rounding;

/* Selects copies of the group's classes for a node, from those that are left. Returns their number. */
static uint32_t take_group(rounding *r, packing_bin *b, uint32_t group, uint32_t copies, bool *ok)
{
    size_t words_ = bits_words(r->p->class_count);
    uint32_t taken = 0;
    for (uint32_t c = 0; c < r->p->class_count && taken < copies; c++) {
        uint32_t n = copies - taken;
        if (r->from->group_of[c] != group || bits_test(r->barred, c)) continue;
        if (r->rest[c] < n) n = r->rest[c];
        if (r->p->limits[c] < n) n = r->p->limits[c];
        if (n == 0) continue;
        *ok = *ok && packing_add_entry(r->context, b, c, n);
        if (r->p->conflicts != NULL) bits_or(r->barred, r->p->conflicts + c * words_, words_);
        r->rest[c] -= n;
        taken += n;
    }
    return taken;
}

static void drop_last(rounding *r)
{
    packing_bin *b = &r->bins.list.items[--r->bins.list.count];
    for (size_t e = 0; e < b->entries.count; e++) r->rest[b->entries.items[e].class_] += b->entries.items[e].copies;
    list_free(r->context, &b->entries, sizeof *b->entries.items);
}

/* Adds a node of the pattern if at least the fraction `least` of its pods is left. false = out of memory. */
static bool add_node(rounding *r, uint32_t pattern, double least, bool *added)
{
    const uint32_t *copies = r->from->copies + (size_t)pattern * r->from->group_count;
    packing_bin *b = packing_add_bin(r->context, &r->bins, r->from->offer[pattern]);
    uint32_t wanted = 0, taken = 0;
    bool ok = b != NULL;
    memset(r->barred, 0, bits_words(r->p->class_count) * sizeof *r->barred);
    for (uint32_t g = 0; ok && g < r->from->group_count; g++) {
        if (copies[g] == 0) continue;
        wanted += copies[g];
        taken += take_group(r, b, g, copies[g], &ok);
    }
    *added = ok && taken > 0 && (double)taken >= least * (double)wanted;
    if (ok && !*added) drop_last(r);
    return ok;
}

static double fraction_of(const rounding *r, uint32_t pattern)
{
    return r->from->nodes[pattern] - floor(r->from->nodes[pattern]);
}

static void order_patterns(rounding *r)
{
    for (uint32_t i = 0; i < r->from->count; i++) {
        uint32_t at = i;
        for (; at > 0 && fraction_of(r, r->order[at - 1]) < fraction_of(r, i); at--) r->order[at] = r->order[at - 1];
        r->order[at] = i;
    }
}

static bool buy_whole(rounding *r)
{
    for (uint32_t i = 0; i < r->from->count; i++) {
        bool added = true;
        for (double n = 1; added && n <= r->from->nodes[i] + 1e-6; n++) {
            if (!add_node(r, i, 0.9, &added)) return false;
        }
    }
    return true;
}

/* Buys one more node of each pattern of which at least this fraction is wanted, while at least the fraction `least` of
 * its pods is left. */
static bool buy_parts(rounding *r, double part, double least)
{
    bool added;
    for (uint32_t i = 0; i < r->from->count; i++) {
        if (fraction_of(r, r->order[i]) >= part && !add_node(r, r->order[i], least, &added)) return false;
    }
    return true;
}

static bool round_to(rounding *r, double part)
{
    memcpy(r->rest, r->p->counts, r->p->class_count * sizeof *r->rest);
    return buy_whole(r) && buy_parts(r, part, MOSTLY);
}

/* A diving heuristic: buys the whole nodes among those that the bound buys for the remaining pods, or the largest
 * fractions if there are none, and repeats this for the pods that are left then. Memory of a bound in `a` is released
 * after it is used. */
static bool dive(rounding *r, arena *a, uint64_t steps)
{
    packing_patterns all = *r->from;
    all.holds = true;
    memcpy(r->rest, r->p->counts, r->p->class_count * sizeof *r->rest);
    for (uint32_t i = 0; i < DIVES; i++) {
        packing_problem left = *r->p;
        packing_patterns patterns = *r->from; /* at first those of all pods */
        arena_mark mark = arena_get_mark(a);
        left.counts = r->rest;
        if (i > 0 && !packing_find_patterns(a, &left, &all, NULL, steps / DIVE_PARTS, &patterns)) return false;
        if (i > 0) steps -= steps / DIVE_PARTS;
        r->from = &patterns;
        size_t had = r->bins.list.count;
        order_patterns(r);
        bool ok = buy_whole(r);
        for (double part = 0.8; ok && part > 0.1 && r->bins.list.count == had; part -= 0.2)
            ok = buy_parts(r, part, MOSTLY);
        /* rules that the patterns do not know may keep a part of them from being placed */
        for (uint32_t n = 0; ok && n < r->from->count && r->bins.list.count == had; n++) {
            bool added;
            ok = add_node(r, r->order[n], HALF, &added);
        }
        arena_release(a, mark);
        if (!ok || r->bins.list.count == had) return ok;
    }
    return true;
}

bool packing_round(packing *k, karp_context *context, const packing_problem *p, const packing_patterns *from, arena *a,
                   uint64_t steps)
{
    static const double parts[ROUNDINGS] = { 0.25, 0.5, 0.75, 1 };
    rounding r = { .p = p, .from = from, .context = context };
    size_t rest = (p->class_count + (size_t)1) * sizeof *r.rest, order = PATTERNS_A_CLASS * rest;
    size_t barred = (bits_words(p->class_count) + 1) * sizeof *r.barred;
    r.rest = mem_alloc(context, rest);
    r.order = mem_alloc(context, order);
    r.barred = mem_alloc(context, barred);
    bool ok = r.rest != NULL && r.order != NULL && r.barred != NULL;
    if (ok) order_patterns(&r);
    for (uint32_t i = 0; ok && i < ROUNDINGS; i++) {
        ok = round_to(&r, parts[i]) && packing_complete(k, &r.bins);
        packing_bins_free(context, &r.bins);
    }
    ok = ok && dive(&r, a, steps) && packing_complete(k, &r.bins);
    packing_bins_free(context, &r.bins);
    mem_free(context, r.rest, rest);
    mem_free(context, r.order, order);
    mem_free(context, r.barred, barred);
    return ok;
}
