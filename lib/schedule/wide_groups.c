/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/wide_groups.h>

#include <base/sort.h>
#include <schedule/scheduler.h>
#include <string.h>

static bool leaves_out(const expression *e) { return e->op == KARP_OP_NOT_IN || e->op == KARP_OP_DOES_NOT_EXIST; }

static uint32_t count_left_out(const selector *x)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->expressions.count; i++) count += leaves_out(&x->expressions.items[i]);
    return count;
}

/* A group created during a round does not count what the round has already placed, but its wide group might. */
static bool may_widen(const scheduler *s, const group *g)
{
    bool late = s->round.solving && !g->inverse && quirk(s, 5);
    return g->kind != GROUP_WIDE && g->host && !g->selective && !late && g->selects != NULL &&
           selector_valid(g->selects) && count_left_out(g->selects) > 0;
}

/* The selector without expressions that exclude pods; NULL = out of memory. */
static const selector *wide_selector(scheduler *s, const selector *x)
{
    static const selector all = { { NULL, 0 }, { NULL, 0 } };
    uint32_t count = x->expressions.count - count_left_out(x), n = 0;
    if (count == 0 && x->labels.count == 0) return &all;
    selector *wide = arena_alloc(&s->data, sizeof *wide);
    expression *kept = arena_array(&s->data, count + (size_t)1, sizeof *kept);
    if (wide == NULL || kept == NULL) return NULL;
    for (uint32_t i = 0; i < x->expressions.count; i++) {
        if (!leaves_out(&x->expressions.items[i])) kept[n++] = x->expressions.items[i];
    }
    *wide = (selector){ x->labels, { kept, n } };
    return wide;
}

static uint32_t wide_group_of(scheduler *s, const group *g, toleration_list tolerations)
{
    group wide = { .kind = GROUP_WIDE,
                   .inverse = g->inverse,
                   .max_skew = INT32_MAX,
                   .key = g->key,
                   .selects = wide_selector(s, g->selects),
                   .extra = g->extra,
                   .namespaces = g->namespaces,
                   .namespace_count = g->namespace_count,
                   .namespace_list = g->namespace_list };
    if (wide.selects == NULL) {
        s->failed = true;
        return NO_ID;
    }
    return group_obtain(s, &wide, tolerations);
}

/* Lists the label groups that the wide group selects and this group does not. `most`: upper bound on their number. */
static bool list_left_out(scheduler *s, group *g, uint32_t most)
{
    uint32_t *numbers = arena_array(&s->data, most + (size_t)1, sizeof *numbers);
    size_t count = numbers == NULL ? 0 : label_groups_left_out(s, g->selects, most, numbers), kept = 0;
    if (numbers == NULL || s->failed || !sort_numbers_once(s->context, numbers, &count)) {
        s->failed = true;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!scheduler_worked(s, 64)) return false;
        if (group_counts(s, g, &s->topology.label_groups.items[numbers[i]])) numbers[kept++] = numbers[i];
    }
    g->left_out = (label_group_list){ numbers, (uint32_t)kept };
    return true;
}

bool group_widen(scheduler *s, group *wanted, toleration_list tolerations)
{
    wanted->wider = NO_ID;
    if (!may_widen(s, wanted)) return true;
    uint32_t near = label_groups_for(s, wanted).count; /* size of the list that the group itself would need */
    uint32_t most = s->failed ? 0 : label_groups_left_out(s, wanted->selects, near / 2, NULL);
    if (s->failed) return false;
    if (most > near / 2) return true;
    uint32_t wide = wide_group_of(s, wanted, tolerations);
    if (wide == NO_ID) return false;
    wanted->wider = wide;
    return list_left_out(s, wanted, most);
}

bool group_counts(const scheduler *s, const group *g, const label_group *k)
{
    if (g->wider == NO_ID) return group_selects(s, g, k);
    return group_selects(s, &s->topology.groups.items[g->wider], k) && !group_selects(s, g, k);
}
