/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerations for a value that no taint has, if a taint has a similar value. */
#include <explain/lint.h>

#include <base/context.h>

enum { SHORTEST = 4 }; /* shortest value to compare: short ones are similar to many others */

/* "team-a" and "team-b" are different names, not a misspelling. */
static bool are_variants(karp_str a, karp_str b)
{
    return a.len == b.len && equal_str((karp_str){ a.ptr, a.len - 1 }, (karp_str){ b.ptr, b.len - 1 });
}

/* false = a taint has exactly this value. */
static bool offer_taints(const linting *l, const toleration *t, taint_list taints, nearest *near)
{
    for (uint32_t i = 0; i < taints.count; i++) {
        const taint *has = &taints.items[i];
        if (has->key != t->key) continue;
        if (has->value == t->value) return false;
        karp_str value = text_of(l->snapshot, has->value);
        if (!are_variants(near->wanted, value)) nearest_offer(near, value);
    }
    return true;
}

static bool offer_all(const linting *l, const toleration *t, nearest *near)
{
    const store *raw = &l->snapshot->raw;
    for (size_t p = 0; p < raw->pools.count; p++) {
        if (!offer_taints(l, t, raw->pools.items[p].taints, near) ||
            !offer_taints(l, t, raw->pools.items[p].startup_taints, near))
            return false;
    }
    for (size_t i = 0; i < raw->nodes.count; i++) {
        if (!offer_taints(l, t, raw->nodes.items[i].taints, near)) return false;
    }
    return true;
}

static void check_toleration(linting *l, const lint_group *g, uint32_t index)
{
    const toleration *t = &g->shape->tolerations.items[index];
    nearest near = nearest_to(text_of(l->snapshot, t->value));
    if (t->op != KARP_TOLERATION_EQUAL || near.wanted.len < SHORTEST || l->guesses == MOST_GUESSES) return;
    l->guesses++;
    if (!offer_all(l, t, &near) || near.best.ptr == NULL) return;
    strbuf_adds(&l->field, "spec.tolerations[");
    strbuf_addu(&l->field, index);
    strbuf_addc(&l->field, ']');
    strbuf_adds(&l->text, "no taint ");
    strbuf_addstr(&l->text, text_of(l->snapshot, t->key));
    strbuf_adds(&l->text, " of a NodePool or node has the value ");
    strbuf_addstr(&l->text, near.wanted);
    lint_suggest(l, &near);
    lint_note(l, LINT_UNKNOWN_TAINT, "Pod", pod_name(l->snapshot, g->pod));
}

void lint_tolerations(linting *l)
{
    const store *raw = &l->snapshot->raw;
    lint_groups groups = { 0 };
    lint_group_pods(l, true, &groups);
    for (size_t g = 0; g < groups.count && !l->refused; g++) {
        for (uint32_t i = 0; i < groups.items[g].shape->tolerations.count && !l->refused; i++) {
            check_toleration(l, &groups.items[g], i);
            if (!mem_work(l->snapshot->context, raw->pools.count + raw->nodes.count + 1)) l->refused = true;
        }
    }
    list_free(l->snapshot->context, &groups, sizeof(lint_group));
}
