/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/whole_groups.h>

#include <decision/methods.h>
#include <base/sort.h>
#include <model/groups.h>

/* The topmost group in mode "all" among the group and those above it, which decides; NO_ID = none. */
static uint32_t whole_of(const karp_snapshot *s, uint32_t number)
{
    uint32_t found = NO_ID;
    for (uint32_t depth = 0; number != NO_ID && depth <= MOST_COMPOSITES; depth++) {
        const pod_group *o = group_object(s, &s->groups->items[number]);
        if (o != NULL && o->disruption_all) found = number;
        number = s->groups->items[number].parent;
    }
    return found;
}

bool whole_groups_find(pass *p)
{
    const karp_snapshot *s = p->snapshot;
    if (s->groups == NULL || p->options.profile != KARP_PROFILE_KARP) return true;
    uint32_t *node_of = arena_array(&p->lasting, s->groups->count + (size_t)1, sizeof *node_of); /* 1 + the node */
    p->nodes.scattered = arena_array(&p->lasting, s->groups->count + (size_t)1, sizeof *p->nodes.scattered);
    if (node_of == NULL || p->nodes.scattered == NULL) return false;
    for (uint32_t i = 0; i < s->groups->count; i++) {
        const member_group *g = &s->groups->items[i];
        uint32_t whole = whole_of(s, i);
        for (uint32_t k = 0; whole != NO_ID && k < g->pod_count; k++) {
            uint32_t on = s->pod_node[g->pods[k]];
            if (on == NO_ID) continue;
            if (node_of[whole] == 0) node_of[whole] = on + 1;
            else if (node_of[whole] != on + 1) p->nodes.scattered[whole] = true;
        }
    }
    return true;
}

/* The scattered group that the pod is in; NO_ID = none. */
static uint32_t scattered_of(const pass *p, uint32_t pod_number)
{
    const karp_snapshot *s = p->snapshot;
    uint32_t number = p->nodes.scattered == NULL ? NO_ID : s->groups->of_pod[pod_number],
             whole = number == NO_ID ? NO_ID : whole_of(s, number);
    return whole != NO_ID && p->nodes.scattered[whole] ? whole : NO_ID;
}

uint32_t whole_groups_pod(const pass *p, const state_node *n)
{
    for (uint32_t i = 0; i < n->pod_count && p->nodes.scattered != NULL; i++) {
        if (scattered_of(p, n->pods[i]) != NO_ID) return n->pods[i];
    }
    return NO_ID;
}

static bool share(const pass *p, const state_node *a, const state_node *b)
{
    for (uint32_t i = 0; i < a->pod_count && p->nodes.scattered != NULL; i++) {
        uint32_t whole = scattered_of(p, a->pods[i]);
        for (uint32_t k = 0; whole != NO_ID && k < b->pod_count; k++) {
            if (scattered_of(p, b->pods[k]) == whole) return true;
        }
    }
    return false;
}

__attribute__((cold)) void whole_groups_take(const pass *p, const uint32_t *order, uint32_t count, uint32_t at,
                                             uint8_t *taken, uint32_t *out, uint32_t *n)
{
    uint32_t first = *n;
    taken[at] = 1;
    out[(*n)++] = order[at];
    for (uint32_t i = first; i < *n; i++) {
        if (whole_groups_pod(p, candidate_node(p, out[i])) == NO_ID) continue;
        for (uint32_t k = 0; k < count; k++) {
            if (taken[k] || !share(p, candidate_node(p, out[i]), candidate_node(p, order[k]))) continue;
            taken[k] = 1;
            out[(*n)++] = order[k];
        }
    }
}

__attribute__((cold)) bool whole_groups_complete(pass *p, const uint32_t *candidates, uint32_t count, bool *complete)
{
    const karp_snapshot *s = p->snapshot;
    uint8_t *in = arena_array(&p->data, s->raw.nodes.count + (size_t)1, 1),
            *touched = arena_array(&p->data, s->groups->count + (size_t)1, 1);
    if (in == NULL || touched == NULL) return false;
    *complete = true;
    for (uint32_t i = 0; i < count; i++) {
        const state_node *n = &s->nodes[p->found.candidates[candidates[i]].node];
        in[n->node] = 1;
        for (uint32_t k = 0; k < n->pod_count; k++) {
            uint32_t whole = scattered_of(p, n->pods[k]);
            if (whole != NO_ID) touched[whole] = 1;
        }
    }
    for (uint32_t i = 0; i < s->groups->count; i++) {
        const member_group *g = &s->groups->items[i];
        uint32_t whole = whole_of(s, i);
        for (uint32_t k = 0; whole != NO_ID && touched[whole] && k < g->pod_count; k++)
            *complete = *complete && (s->pod_node[g->pods[k]] == NO_ID || in[s->pod_node[g->pods[k]]]);
    }
    return true;
}

bool whole_groups_together(const pass *p)
{
    return p->method == KARP_METHOD_MULTI_NODE || p->method == KARP_METHOD_SINGLE_NODE ||
           p->method == KARP_METHOD_DRIFT || p->method == KARP_METHOD_EXPIRATION;
}

__attribute__((cold)) bool whole_groups_keep(pass *p, const departure *d, uint32_t code, karp_str detail)
{
    bool ok = true;
    for (uint32_t i = 0; i < d->count && ok; i++)
        ok = pass_keep(p, p->found.candidates[d->candidates[i]].node, code, detail);
    return ok;
}

/* The NodePool whose budget allows fewer nodes than these; NULL = none. */
static const candidate *beyond_budget(const pass *p, const departure *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const candidate *c = &p->found.candidates[d->candidates[i]];
        int64_t going = 0;
        for (uint32_t k = 0; k < d->count; k++) going += p->found.candidates[d->candidates[k]].pool == c->pool;
        if (going > p->budgets.remaining[c->pool]) return c;
    }
    return NULL;
}

__attribute__((cold)) bool whole_groups_departure(pass *p, const uint32_t *number, const uint32_t *order,
                                                  uint32_t count, departure *out)
{
    *out = (departure){ number, 1 };
    uint32_t which = whole_groups_pod(p, candidate_node(p, *number)), at = 0, n = 0;
    if (which == NO_ID) return true;
    uint32_t *list = arena_array(&p->data, count + (size_t)1, sizeof *list);
    uint8_t *taken = arena_array(&p->data, count + (size_t)1, 1);
    bool complete, ok = true;
    if (list == NULL || taken == NULL) return false;
    while (order[at] != *number) at++;
    whole_groups_take(p, order, count, at, taken, list, &n);
    *out = (departure){ list, 0 };
    for (uint32_t i = 1; i < n; i++) {
        if (list[i] < *number && ids_have(p->found.eligible, p->found.eligible_count, list[i])) return true;
    }
    if (!whole_groups_complete(p, list, n, &complete)) return false;
    const departure all = { list, n };
    const candidate *beyond = complete ? beyond_budget(p, &all) : NULL;
    if (!complete) ok = whole_groups_keep(p, &all, KARP_REASON_GROUP_ELSEWHERE, pod_name(p->snapshot, which));
    if (beyond != NULL) {
        p->budgets.constrained = true;
        ok = whole_groups_keep(p, &all, KARP_REASON_BUDGET, name_of(p->snapshot, pool_of(p, beyond)->meta.name));
    }
    if (complete && beyond == NULL) out->count = n;
    return ok;
}
