/* SPDX-License-Identifier: Apache-2.0 */
/* Default topology spread constraints: their selectors come from the objects that select the pod (scheduling.md §15). */
#include <schedule/scheduler.h>
#include <schedule/solve.h>

#include <base/sort.h>

#include <schedule/topology.h>
#include <string.h>

/* The selector under construction. */
struct deduced {
    label_pair *labels;
    uint32_t label_count;
    expression_list expressions;
};

static void set_label(struct deduced *d, label_pair l)
{
    for (uint32_t i = 0; i < d->label_count; i++) {
        if (d->labels[i].key != l.key) continue;
        d->labels[i].value = l.value;
        return;
    }
    d->labels[d->label_count++] = l;
}

static void take_labels(struct deduced *d, label_list list)
{
    for (uint32_t i = 0; i < list.count; i++) set_label(d, list.items[i]);
}

/* matchLabels as In, and the expressions. */
static bool take_expressions(scheduler *s, struct deduced *d, const selector *x)
{
    expression *items = arena_array(&s->data, x->labels.count + x->expressions.count + (size_t)1, sizeof *items);
    uint32_t n = 0;
    if (items == NULL) return false;
    for (uint32_t i = 0; i < x->labels.count; i++) {
        items[n++] = (expression){
            .key = x->labels.items[i].key, .op = KARP_OP_IN, .value_count = 1, .values = &x->labels.items[i].value
        };
    }
    for (uint32_t i = 0; i < x->expressions.count; i++) items[n++] = x->expressions.items[i];
    d->expressions = (expression_list){ items, n };
    return true;
}

static bool deduce(scheduler *s, const pod_class *c, struct deduced *d)
{
    const store *raw = &s->snapshot->raw;
    const struct words_entry *e = &s->snapshot->raw.projected.entries[c->labels];
    label_list labels = { (const label_pair *)(const void *)e->ptr, e->count / 2 };
    const pod_marks *marks = (const pod_marks *)(const void *)raw->mark_keys.entries[c->marks].ptr;
    for (size_t i = 0; i < raw->selecting.count; i++) {
        const selecting *x = &raw->selecting.items[i];
        if (x->meta.name_space != c->name_space || x->selects == NULL) continue;
        if (x->kind == KARP_SELECTS_SERVICE && selector_selects(x->selects, labels)) take_labels(d, x->selects->labels);
    }
    for (size_t i = 0; i < raw->selecting.count; i++) {
        const selecting *x = &raw->selecting.items[i];
        if (x->kind == KARP_SELECTS_SERVICE || x->kind != marks->controller_kind ||
            x->meta.name != marks->controller_name)
            continue;
        if (x->meta.name_space != c->name_space || x->selects == NULL) continue;
        if (x->kind == KARP_SELECTS_REPLICATION_CONTROLLER) take_labels(d, x->selects->labels);
        else if (!take_expressions(s, d, x->selects)) return false;
    }
    return true;
}

static int by_key(const void *x, const void *y, const void *user)
{
    const label_pair *a = x, *b = y;
    (void)user;
    return a->key < b->key ? -1 : a->key > b->key;
}

static size_t selecting_labels(const store *raw)
{
    size_t n = 0;
    for (size_t i = 0; i < raw->selecting.count; i++)
        n += raw->selecting.items[i].selects != NULL ? raw->selecting.items[i].selects->labels.count : 0;
    return n;
}

static bool apply(scheduler *s, uint32_t class_number, size_t most_labels)
{
    spread_list defaults = s->snapshot->raw.default_spread;
    struct deduced d = { .labels = arena_array(&s->data, most_labels + 1, sizeof *d.labels) };
    if (d.labels == NULL || !deduce(s, &s->snapshot->classes[class_number], &d)) return false;
    if (d.label_count == 0 && d.expressions.count == 0) return true;
    selector *x = arena_zalloc(&s->data, sizeof *x);
    spread_constraint *items = arena_array(&s->data, defaults.count, sizeof *items);
    if (x == NULL || items == NULL || !sort_stable(s->context, d.labels, d.label_count, sizeof *d.labels, by_key, NULL))
        return false;
    x->labels = (label_list){ d.labels, d.label_count };
    x->expressions = d.expressions;
    memcpy(items, defaults.items, defaults.count * sizeof *items);
    for (uint32_t i = 0; i < defaults.count; i++) items[i].label_selector = x;
    s->pods.classes[class_number].default_spread = (spread_list){ items, defaults.count };
    return true;
}

bool default_spread_init(scheduler *s)
{
    const karp_snapshot *w = s->snapshot;
    if (w->raw.default_spread.count == 0) return true;
    size_t most_labels = selecting_labels(&w->raw);
    for (uint32_t c = 0; c < w->class_count; c++) {
        if (!w->classes[c].volumes_found || shape_of(w, c)->spread.count > 0) continue;
        if (!apply(s, c, most_labels)) return false;
    }
    return true;
}
