/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of pods about host names and ports: they give equal pods nodes of their own, however much room there is. */
#include <model/selector.h>
#include <schedule/report.h>
#include <schedule/scheduler.h>

static bool keeps_itself_off(const karp_snapshot *w, const pod *p, const pod_term *t)
{
    return w->facts.normalized[t->topology_key] == w->known.hostname && t->label_selector != NULL &&
           selector_valid(t->label_selector) &&
           selector_selects(t->label_selector, store_pod_labels(&w->raw, p->labels));
}

bool show_apart(const karp_snapshot *w, uint32_t pod_number, strbuf *b)
{
    const pod *p = pod_at(&w->raw, pod_number);
    const shape *h = &w->raw.shapes.items[p->shape];
    bool anti = false;
    for (uint32_t i = 0; i < h->required_anti.count && !anti; i++)
        anti = keeps_itself_off(w, p, &h->required_anti.items[i]);
    if (!anti && h->ports.count == 0) return false;
    strbuf_adds(b, "one pod like it for each node: ");
    if (anti) strbuf_adds(b, "its required pod anti-affinity by kubernetes.io/hostname selects itself");
    if (h->ports.count == 0) return true;
    strbuf_adds(b, anti ? ", and host port " : "host port ");
    strbuf_addi(b, h->ports.items[0].port);
    strbuf_adds(b, " is free once on a node");
    return true;
}

/* The pods of a shape, and the text of those that have these labels, which it was made for last. */
typedef struct apart_shape {
    uint32_t pods, labels;
    bool told;
    karp_str text;
} apart_shape;

/* The text for the launch: that of its first pod with such a rule, if there are more pods like it. */
static bool name_apart(scheduler *s, karp_decision *d, apart_shape *shapes, karp_launch *l)
{
    const karp_snapshot *w = s->snapshot;
    for (size_t i = 0; i < l->pod_count && l->apart.len == 0; i++) {
        const pod *p = pod_at(&w->raw, l->pods[i]);
        const shape *h = &w->raw.shapes.items[p->shape];
        apart_shape *of = &shapes[p->shape];
        if (of->pods < 2 || h->ports.count + h->required_anti.count == 0) continue;
        if (!of->told || of->labels != p->labels) {
            strbuf b = strbuf_on(s->context);
            of->text = (karp_str){ NULL, 0 };
            bool ok = !show_apart(w, l->pods[i], &b) ? !b.failed : strbuf_move(&b, &d->data, &of->text);
            strbuf_free(&b);
            if (!ok) return false;
            of->told = true;
            of->labels = p->labels;
        }
        l->apart = of->text;
    }
    return true;
}

static bool any_rule(const karp_snapshot *w)
{
    for (size_t i = 0; i < w->raw.shapes.count; i++) {
        const shape *h = &w->raw.shapes.items[i];
        if (h->ports.count + h->required_anti.count > 0) return true;
    }
    return false;
}

bool report_apart(scheduler *s, karp_decision *d)
{
    if (s->settings.options->explain == KARP_EXPLAIN_NONE || !any_rule(s->snapshot)) return true;
    apart_shape *shapes = arena_array(&s->data, s->snapshot->raw.shapes.count + (size_t)1, sizeof *shapes);
    bool ok = shapes != NULL;
    for (uint32_t i = 0; ok && i < s->pods.count; i++)
        shapes[pod_at(&s->snapshot->raw, s->pods.items[i])->shape].pods++;
    for (size_t i = 0; ok && i < d->launches.count; i++) ok = name_apart(s, d, shapes, &d->launches.items[i]);
    return ok;
}
