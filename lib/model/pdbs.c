/* SPDX-License-Identifier: Apache-2.0 */
#include <model/pdbs.h>

#include <base/bisect.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/prepare.h>
#include <model/selector.h>

/* Up to so many budgets are compared with every pod: looking labels up would take longer. */
enum { FEW = 16 };

/* Whether the budget selects the pod. Budgets select only pods of their own namespace. */
static bool pdb_covers(const karp_snapshot *s, const disruption_budget *b, const pod *p)
{
    return b->selects != NULL && b->meta.name_space == p->name_space &&
           selector_selects(b->selects, store_pod_labels(&s->raw, p->labels));
}

/* ---- budgets by a label that their pods have --------------------------------------------------------------------- */

static int by_label(const void *a, const void *b, const void *user)
{
    const pdb_label *x = a, *y = b;
    (void)user;
    if (x->name_space != y->name_space) return x->name_space < y->name_space ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->budget > y->budget) - (x->budget < y->budget);
}

/* The expression whose values a pod must have one of; NULL = none. */
static const expression *expression_in(const selector *x)
{
    for (uint32_t i = 0; i < x->expressions.count; i++) {
        if (x->expressions.items[i].op == KARP_OP_IN) return &x->expressions.items[i];
    }
    return NULL;
}

/* Appends the labels, one of which a pod of the budget has. `out` NULL: only counts them. */
static size_t labels_of(const disruption_budget *b, uint32_t number, bool few, pdb_label *out)
{
    pdb_label one = { b->meta.name_space, NO_ID, NO_ID, number };
    if (b->selects == NULL || !selector_valid(b->selects)) return 0;
    const expression *in = few ? NULL : expression_in(b->selects);
    if (!few && b->selects->labels.count > 0) {
        one.key = b->selects->labels.items[0].key;
        one.value = b->selects->labels.items[0].value;
    } else if (in != NULL) {
        for (uint32_t i = 0; out != NULL && i < in->value_count; i++)
            out[i] = (pdb_label){ one.name_space, in->key, in->values[i], number };
        return in->value_count;
    }
    if (out != NULL) *out = one;
    return 1;
}

karp_status prepare_pdbs(karp_snapshot *s, karp_error *error)
{
    size_t budgets = s->raw.budgets.count, count = 0, kept = 0;
    bool few = budgets <= FEW;
    for (size_t i = 0; i < budgets; i++) count += labels_of(&s->raw.budgets.items[i], (uint32_t)i, few, NULL);
    if (count == 0) return KARP_OK;
    pdb_label *list = arena_array(&s->data, count, sizeof *list);
    if (list == NULL) return fail_nomem(error);
    count = 0;
    for (size_t i = 0; i < budgets; i++) count += labels_of(&s->raw.budgets.items[i], (uint32_t)i, few, &list[count]);
    if (!sort_stable(s->context, list, count, sizeof *list, by_label, NULL)) return fail_nomem(error);
    for (size_t i = 0; i < count; i++) { /* an expression may list a value twice */
        if (kept == 0 || by_label(&list[kept - 1], &list[i], NULL) != 0) list[kept++] = list[i];
    }
    s->pdb_labels = list;
    s->pdb_label_count = kept;
    return KARP_OK;
}

pdb_walk pdbs_of(const karp_snapshot *s, const pod *p)
{
    pdb_walk walk = { .s = s, .p = p, .key = NO_ID, .value = NO_ID, .at = s->pdb_label_count };
    if (walk.at > 0) walk.labels = store_pod_labels(&s->raw, p->labels);
    if (s->raw.budgets.count <= FEW) walk.label = walk.labels.count;
    return walk;
}

/* Goes to the budgets of the next label. */
static void next_label(pdb_walk *w)
{
    bool labelled = w->label < w->labels.count;
    w->key = labelled ? w->labels.items[w->label].key : NO_ID;
    w->value = labelled ? w->labels.items[w->label].value : NO_ID;
    w->label++;
    const pdb_label first = { w->p->name_space, w->key, w->value, 0 };
    bisection b = bisect(w->s->pdb_label_count);
    while (bisecting(&b)) bisect_step(&b, by_label(&w->s->pdb_labels[b.at], &first, NULL) < 0);
    w->at = b.at;
}

uint32_t pdb_next(pdb_walk *w)
{
    const karp_snapshot *s = w->s;
    for (;;) {
        while (w->at < s->pdb_label_count) {
            const pdb_label *one = &s->pdb_labels[w->at];
            if (one->name_space != w->p->name_space || one->key != w->key || one->value != w->value) break;
            w->at++;
            if (pdb_covers(s, &s->raw.budgets.items[one->budget], w->p)) return one->budget;
        }
        if (s->pdb_label_count == 0 || w->label > w->labels.count) return NO_ID;
        next_label(w);
    }
}
