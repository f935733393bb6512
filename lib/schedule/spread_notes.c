/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on spread constraints whose selector misses the pods that have them: they spread nothing, which nobody sees in
 * where the pods go. */
#include <base/sort.h>
#include <schedule/report.h>
#include <schedule/scheduler.h>

/* Pods of one shape with such a constraint. */
typedef struct missed {
    uint32_t first, count, constraint; /* the first pod by name; count 0 = none */
} missed;

enum { NOT_LOOKED, NOT_MISSED, MISSED }; /* of a class; MISSED + the number of the constraint */

bool spread_counts(const karp_snapshot *s, uint32_t pod_number, const spread_constraint *c)
{
    const selector *x = c->label_selector;
    label_list labels = store_pod_labels(&s->raw, pod_at(&s->raw, pod_number)->labels);
    return x != NULL && (!selector_valid(x) || selector_selects(x, labels));
}

/* MISSED + the first constraint that does not count the pod itself. */
static uint32_t misses_itself(const karp_snapshot *s, uint32_t pod_number)
{
    spread_list list = s->raw.shapes.items[pod_at(&s->raw, pod_number)->shape].spread;
    for (uint32_t i = 0; i < list.count; i++) {
        if (!spread_counts(s, pod_number, &list.items[i])) return MISSED + i;
    }
    return NOT_MISSED;
}

/* " does not spread such pods, as its labelSelector asks for app=web, which they do not have". Of few pieces: there may
 * be a note for each second pod. */
static void show_why(strbuf *b, const karp_snapshot *s, const missed *m, const selector *x)
{
    label_list labels = store_pod_labels(&s->raw, pod_at(&s->raw, m->first)->labels);
    for (uint32_t i = 0; x != NULL && i < x->labels.count; i++) {
        const label_pair *l = &x->labels.items[i];
        if (label_get(labels, l->key) == l->value) continue;
        strbuf_put(b, " does not spread such pods, as its labelSelector asks for ", text_of(s, l->key), "=");
        strbuf_addstr(b, text_of(s, l->value));
        strbuf_adds(b, ", which they do not have");
        return;
    }
    strbuf_adds(b, x == NULL ? " does not spread such pods, as it has no labelSelector, and so counts no pod"
                             : " does not spread such pods, as its labelSelector does not select them");
}

/* `b` is for the text of any note. */
static bool note_missed(const karp_snapshot *s, karp_decision *d, strbuf *b, const missed *m)
{
    spread_list list = s->raw.shapes.items[pod_at(&s->raw, m->first)->shape].spread;
    const spread_constraint *c = &list.items[m->constraint];
    strbuf_clear(b);
    strbuf_adds(b, "Pod ");
    strbuf_addstr(b, pod_name(s, m->first));
    if (m->count > 1) {
        strbuf_putu(b, " and ", m->count - 1, "");
        strbuf_adds(b, m->count == 2 ? " more pod like it" : " more pods like it");
    }
    strbuf_adds(b, ": the topology spread by ");
    strbuf_addstr(b, text_of(s, c->topology_key));
    for (uint32_t i = m->constraint + 1; i < list.count; i++) {
        if (!spread_counts(s, m->first, &list.items[i]))
            strbuf_put(b, " and by ", text_of(s, list.items[i].topology_key), "");
    }
    show_why(b, s, m, c->label_selector);
    return !b->failed && decision_warn(d, b->ptr, b->len);
}

static bool any_spread(const karp_snapshot *s)
{
    for (size_t i = 0; i < s->raw.shapes.count; i++) {
        if (s->raw.shapes.items[i].spread.count > 0) return true;
    }
    return false;
}

bool report_selectors(scheduler *s, karp_decision *d)
{
    const karp_snapshot *snapshot = s->snapshot;
    if (!any_spread(snapshot)) return true;
    missed *of_shape = arena_array(&s->round.data, snapshot->raw.shapes.count + (size_t)1, sizeof *of_shape);
    uint32_t *found = arena_array(&s->round.data, snapshot->class_count + (size_t)1, sizeof *found); /* by class */
    size_t count = 0;
    bool ok = of_shape != NULL && found != NULL;
    const uint32_t *pods = s->pods.items, *class_of = snapshot->pod_class, pod_count = ok ? s->pods.count : 0;
    for (uint32_t i = 0; i < pod_count; i++) {
        uint32_t number = pods[i], class_number = class_of[number];
        if (found[class_number] == NOT_MISSED) continue;
        if (found[class_number] == NOT_LOOKED) found[class_number] = misses_itself(snapshot, number);
        if (found[class_number] == NOT_MISSED) continue;
        missed *m = &of_shape[snapshot->classes[class_number].shape];
        if (m->count++ > 0 && snapshot->pod_rank[number] > snapshot->pod_rank[m->first]) continue;
        m->first = number;
        m->constraint = found[class_number] - MISSED;
    }
    for (size_t i = 0; ok && i < snapshot->raw.shapes.count; i++) {
        if (of_shape[i].count > 0) of_shape[count++] = of_shape[i];
    }
    ok = ok && sort_stable(s->context, of_shape, count, sizeof *of_shape, by_first_rank, snapshot->pod_rank);
    strbuf b = strbuf_on(s->context);
    for (size_t i = 0; ok && i < count; i++) ok = note_missed(snapshot, d, &b, &of_shape[i]);
    strbuf_free(&b);
    return ok;
}
