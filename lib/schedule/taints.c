/* SPDX-License-Identifier: Apache-2.0 */
/* Taints and tolerations (scheduling.md §8). */
#include <schedule/scheduler.h>
#include <schedule/templates.h>

#include <string.h>

/* A decimal integer as the API server admits it for comparison: no '+', no leading zeros. */
static bool canonical_number(const scheduler *s, uint32_t text, int64_t *out)
{
    const string_number *n = &s->snapshot->facts.numbers[text];
    karp_str t = text_of(s->snapshot, text);
    size_t digits = t.len > 0 && t.ptr[0] == '-' ? 1 : 0;
    *out = n->value;
    if (!n->is_number || t.ptr[0] == '+') return false;
    return t.ptr[digits] != '0' || (digits == 0 && t.len == 1);
}

static bool tolerates(const scheduler *s, const toleration *x, const taint *t)
{
    int64_t theirs, ours;
    if (x->effect != NO_TEXT && x->effect != t->effect) return false;
    if (x->key != NO_TEXT && x->key != t->key) return false;
    switch (x->op) {
    case KARP_TOLERATION_EQUAL: return x->value == t->value;
    case KARP_TOLERATION_EXISTS: return true;
    case KARP_TOLERATION_LT:
        return canonical_number(s, t->value, &theirs) && canonical_number(s, x->value, &ours) && theirs < ours;
    case KARP_TOLERATION_GT:
        return canonical_number(s, t->value, &theirs) && canonical_number(s, x->value, &ours) && theirs > ours;
    default: return false;
    }
}

bool taints_tolerated(const scheduler *s, toleration_list tolerations, taint_list taints, uint32_t *first)
{
    for (uint32_t i = 0; i < taints.count; i++) {
        bool ok = false;
        for (uint32_t k = 0; k < tolerations.count && !ok; k++)
            ok = tolerates(s, &tolerations.items[k], &taints.items[i]);
        if (ok) continue;
        if (first != NULL) *first = i;
        return false;
    }
    return true;
}

bool tolerates_prefer_no_schedule(const scheduler *s, toleration_list tolerations)
{
    for (uint32_t i = 0; i < tolerations.count; i++) {
        const toleration *t = &tolerations.items[i];
        if (t->op == KARP_TOLERATION_EXISTS && t->key == NO_TEXT && t->value == NO_TEXT && !t->has_seconds &&
            t->effect == s->snapshot->known.prefer_no_schedule) {
            return true;
        }
    }
    return false;
}

bool add_prefer_no_schedule(scheduler *s, toleration_list *tolerations)
{
    if (tolerates_prefer_no_schedule(s, *tolerations)) return true;
    toleration *items = arena_array(&s->data, tolerations->count + (size_t)1, sizeof *items);
    if (items == NULL) {
        s->failed = true;
        return false;
    }
    if (tolerations->count > 0) memcpy(items, tolerations->items, tolerations->count * sizeof *items);
    items[tolerations->count] = (toleration){
        .key = NO_TEXT, .value = NO_TEXT, .effect = s->snapshot->known.prefer_no_schedule, .op = KARP_TOLERATION_EXISTS
    };
    *tolerations = (toleration_list){ items, tolerations->count + 1 };
    return true;
}
