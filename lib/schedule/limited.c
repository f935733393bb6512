/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about a NodePool that would be used first but has reached its limits, so that nodes for its pods are
 * launched from other NodePools.
 */
#include <schedule/report.h>

#include <base/str.h>
#include <base/strbuf.h>
#include <decision/decision.h>
#include <model/quantity.h>
#include <schedule/scheduler.h>

/* The limit that follows `last` by resource name (NO_ID: the first); NO_ID = none. */
static uint32_t next_limit(const karp_snapshot *w, const resource_list *limits, uint32_t last)
{
    uint32_t next = NO_ID;
    for (uint32_t i = 0; i < limits->count; i++) {
        karp_str name = strings_get(&w->raw.resources, limits->items[i].resource);
        if (last != NO_ID && compare_str(name, strings_get(&w->raw.resources, limits->items[last].resource)) <= 0)
            continue;
        if (next == NO_ID || compare_str(name, strings_get(&w->raw.resources, limits->items[next].resource)) < 0)
            next = i;
    }
    return next;
}

void limits_name(const karp_snapshot *w, uint32_t pool, strbuf *out)
{
    const resource_list *limits = &w->raw.pools.items[pool].limits;
    uint32_t first = next_limit(w, limits, NO_ID);
    for (uint32_t i = first; i != NO_ID; i = next_limit(w, limits, i)) {
        char number[QUANTITY_TEXT];
        quantity q = { .value = limits->items[i].value, .binary = limits->items[i].binary };
        strbuf_adds(out, i == first ? "limit " : ", ");
        strbuf_addstr(out, strings_get(&w->raw.resources, limits->items[i].resource));
        strbuf_addc(out, ' ');
        strbuf_add(out, number, quantity_format(q, number));
    }
}

/* The number of pods checked per template: a few are enough to know the result for a hundred equal ones. */
enum { MOST_CHECKED = 64 };

static bool is_limited(scheduler *s, uint32_t template_number)
{
    uint32_t reason;
    return s->templates.limits[s->templates.items[template_number].pool].count > 0 &&
           limits_types(s, template_number, &reason) != s->templates.items[template_number].initial && !s->failed;
}

/* The position of the NodePool among the templates, in the order in which they are tried. */
static uint32_t place_of_pool(const scheduler *s, karp_str pool)
{
    uint32_t t = 0;
    while (t < s->templates.count &&
           !equal_str(name_of(s->snapshot, s->snapshot->raw.pools.items[s->templates.items[t].pool].meta.name), pool))
        t++;
    return t;
}

/* Cached results of classes for one template. */
typedef struct answers {
    uint32_t classes[MOST_CHECKED], count;
    bool limited[MOST_CHECKED];
} answers;

/* Whether only limits exclude the pod. Once the maximum number of checks is reached, the answer is no. */
static bool kept_out(scheduler *s, answers *known, uint32_t template_number, uint32_t pod_number)
{
    uint32_t class_number = s->snapshot->pod_class[pod_number], i = 0;
    while (i < known->count && known->classes[i] != class_number) i++;
    if (i < known->count || i == MOST_CHECKED) return i < known->count && known->limited[i];
    uint32_t v = s->pods.classes[class_number].first_view;
    known->classes[i] = class_number;
    known->limited[i] = v != NO_ID && template_limited(s, template_number, pod_number, v);
    return known->limited[known->count++];
}

/* The first launch that comes from a NodePool tried later, and whose pods are all excluded from the template by
 * limits. If a pod is excluded for another reason, it may have opened the node that the others share. NULL = there is
 * none. */
static const karp_launch *first_kept_out(scheduler *s, const karp_decision *d, uint32_t template_number)
{
    answers known = { .count = 0 };
    uint32_t later = 0;
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        /* Launches are sorted by NodePool. */
        if (i == 0 || !equal_str(l->node_pool, l[-1].node_pool)) later = place_of_pool(s, l->node_pool);
        bool all = later > template_number && later < s->templates.count && l->pod_count > 0;
        for (size_t k = 0; k < l->pod_count && all; k++) all = kept_out(s, &known, template_number, l->pods[k]);
        if (all) return l;
    }
    return NULL;
}

static bool report_template(scheduler *s, karp_decision *d, uint32_t template_number)
{
    const karp_launch *l = first_kept_out(s, d, template_number);
    if (l == NULL) return !s->failed;
    uint32_t pool = s->templates.items[template_number].pool;
    strbuf b;
    strbuf_init(&b, s->context);
    strbuf_adds(&b, "NodePool ");
    strbuf_addstr(&b, name_of(s->snapshot, s->snapshot->raw.pools.items[pool].meta.name));
    strbuf_adds(&b, ": ");
    limits_name(s->snapshot, pool, &b);
    strbuf_adds(&b, " reached in this round, so that other NodePools launch for pods that it would take, first ");
    strbuf_addstr(&b, pod_name(s->snapshot, l->pods[0]));
    strbuf_adds(&b, " (");
    strbuf_addstr(&b, l->node_pool);
    strbuf_addc(&b, ')');
    bool ok = !b.failed && decision_warn(d, b.ptr, b.len);
    strbuf_free(&b);
    return ok;
}

bool report_limited(scheduler *s, karp_decision *d)
{
    bool ok = true;
    for (uint32_t t = 0; ok && t + 1 < s->templates.count && d->launches.count > 0; t++) {
        if (is_limited(s, t)) ok = report_template(s, d, t);
        ok = ok && !s->failed;
    }
    return ok && !s->algebra.failed;
}
