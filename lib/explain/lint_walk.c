/* SPDX-License-Identifier: Apache-2.0 */
/* The one walk of the rules over pods: a rule looks once at pods that it treats alike. */
#include <explain/lint.h>

static bool counts(const pod *p)
{
    return p->phase != KARP_PHASE_SUCCEEDED && p->phase != KARP_PHASE_FAILED &&
           (p->flags & (POD_OF_DAEMON_SET | POD_OF_NODE)) == 0;
}

uint32_t lint_group_id(const karp_snapshot *s, const pod *p, enum alike alike)
{
    return alike == ALIKE_IN_RULES ? s->raw.shapes.items[p->shape].rules : p->shape;
}

static void add_pod(linting *l, enum alike alike, uint32_t which, uint32_t *mine)
{
    const karp_snapshot *s = l->snapshot;
    lint_groups *out = &l->groups[alike];
    if (*mine == NO_ID) {
        lint_group *g = list_push(s->context, out, sizeof *g);
        if (g == NULL) {
            l->refused = true;
            return;
        }
        *mine = (uint32_t)(out->count - 1);
        *g = (lint_group){ &s->raw.shapes.items[pod_at(&s->raw, which)->shape], which, 0, alike };
    }
    out->items[*mine].count++;
}

static void group_pods(linting *l, enum alike alike)
{
    const karp_snapshot *s = l->snapshot;
    uint32_t ids = 0;
    for (size_t i = 0; i < s->raw.pods.count; i++) {
        uint32_t id = lint_group_id(s, pod_at(&s->raw, i), alike);
        if (id >= ids) ids = id + 1;
    }
    size_t bytes = (ids + (size_t)1) * sizeof(uint32_t);
    uint32_t *group = mem_work(s->context, s->raw.pods.count + 1) ? mem_alloc(s->context, bytes) : NULL;
    if (group == NULL) {
        l->refused = true;
        return;
    }
    memset(group, 0xff, bytes);
    for (size_t i = 0; i < s->raw.pods.count && !l->refused; i++) {
        const pod *p = pod_at(&s->raw, s->by_name[i]);
        if (counts(p)) add_pod(l, alike, s->by_name[i], &group[lint_group_id(s, p, alike)]);
    }
    mem_free(s->context, group, bytes);
    l->grouped[alike] = true;
}

void lint_each_group(linting *l, enum alike alike, void (*rule)(linting *l, const lint_group *g))
{
    if (!l->grouped[alike]) group_pods(l, alike);
    for (size_t g = 0; g < l->groups[alike].count && !l->refused; g++) {
        rule(l, &l->groups[alike].items[g]);
        if (!mem_work(l->snapshot->context, 64)) l->refused = true;
    }
}

void lint_drop_groups(linting *l)
{
    for (size_t i = 0; i < ALIKES; i++) list_free(l->snapshot->context, &l->groups[i], sizeof(lint_group));
}
