/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of pods about host names and ports: they give equal pods nodes of their own, however much room there is. */
#include <schedule/report.h>
#include <schedule/scheduler.h>

static bool keeps_itself_off(const karp_snapshot *s, const pod *p, const pod_term *t)
{
    return s->facts.normalized[t->topology_key] == s->known.hostname && t->label_selector != NULL &&
           selector_valid(t->label_selector) &&
           selector_selects(t->label_selector, store_pod_labels(&s->raw, p->labels));
}

bool show_apart(const karp_snapshot *s, uint32_t pod_number, strbuf *b)
{
    const pod *p = pod_at(&s->raw, pod_number);
    const shape *h = &s->raw.shapes.items[p->shape];
    bool anti = false;
    for (uint32_t i = 0; i < h->required_anti.count && !anti; i++)
        anti = keeps_itself_off(s, p, &h->required_anti.items[i]);
    if (!anti && h->ports.count == 0) return false;
    strbuf_adds(b, "one pod like it for each node: ");
    if (anti) strbuf_adds(b, "its required pod anti-affinity by kubernetes.io/hostname selects itself");
    if (h->ports.count == 0) return true;
    strbuf_adds(b, anti ? ", and host port " : "host port ");
    strbuf_addi(b, h->ports.items[0].port);
    strbuf_adds(b, " is free once on a node");
    return true;
}

/* The pods of a class, and the text for them. */
typedef struct apart_class {
    bool ruled; /* there is such a rule, and more pods of the shape */
    bool told; /* `text` is made */
    karp_str text;
} apart_class;

static bool has_rule(const shape *h) { return h->ports.count + h->required_anti.count > 0; }

static bool any_rule(const karp_snapshot *s)
{
    for (size_t i = 0; i < s->raw.shapes.count; i++) {
        if (has_rule(&s->raw.shapes.items[i])) return true;
    }
    return false;
}

/* The classes of the snapshot, of which some may be ruled; NULL = out of memory. */
static apart_class *find_ruled(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    apart_class *classes = arena_array(&s->round.data, snapshot->class_count + (size_t)1, sizeof *classes);
    uint32_t *of_shape = arena_array(&s->round.data, snapshot->raw.shapes.count + 1, sizeof *of_shape);
    if (classes == NULL || of_shape == NULL) return NULL;
    for (uint32_t i = 0; i < s->pods.count; i++)
        of_shape[snapshot->classes[snapshot->pod_class[s->pods.items[i]]].shape]++;
    for (uint32_t k = 0; k < snapshot->class_count; k++)
        classes[k].ruled = of_shape[snapshot->classes[k].shape] > 1 && has_rule(shape_of(snapshot, k));
    return classes;
}

/* The text for the launch: that of its first pod with such a rule, if there are more pods like it. */
static bool name_apart(scheduler *s, karp_decision *d, apart_class *classes, karp_launch *l)
{
    for (size_t i = 0; i < l->pod_count && l->apart.len == 0; i++) {
        apart_class *k = &classes[s->snapshot->pod_class[l->pods[i]]];
        if (!k->ruled) continue;
        if (!k->told) {
            strbuf b = strbuf_on(s->context);
            bool ok = !show_apart(s->snapshot, l->pods[i], &b) ? !b.failed : strbuf_move(&b, &d->data, &k->text);
            strbuf_free(&b);
            if (!ok) return false;
            k->told = true;
        }
        l->apart = k->text;
    }
    return true;
}

bool report_apart(scheduler *s, karp_decision *d)
{
    if (s->settings.options->explain == KARP_EXPLAIN_NONE || !any_rule(s->snapshot)) return true;
    apart_class *classes = find_ruled(s);
    bool ok = classes != NULL;
    for (size_t i = 0; ok && i < d->launches.count; i++) ok = name_apart(s, d, classes, &d->launches.items[i]);
    return ok;
}
