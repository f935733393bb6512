/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Default topology spread constraints. Their selectors are derived from the objects that select the pod.
 */
#include <schedule/scheduler.h>
#include <schedule/solve.h>

#include <base/sort.h>

/* The selector being built. */
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

/* Adds matchLabels as In, and the expressions. */
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

/* ---- Services by label ------------------------------------------------------------------------------------------- */

/* An index of Services by label. Each Service is listed under the rarest label that it requires, so that a class
 * checks only Services under its own labels. */
typedef struct services {
    map64 numbers; /* (key, value) -> number of a label */
    uint32_t *first; /* [labels + 1] into `of` */
    uint32_t *of; /* indices in raw.selecting, ascending */
    uint32_t *found; /* Services for the current class; has space for all */
    uint32_t everybody; /* the label number for Services that require no label */
} services;

static bool is_service(const selecting *x) { return x->kind == KARP_SELECTS_SERVICE && x->selects != NULL; }

static bool number_labels(services *v, const store *raw, uint32_t *counts)
{
    for (size_t i = 0; i < raw->selecting.count; i++) {
        const selecting *x = &raw->selecting.items[i];
        for (uint32_t l = 0; is_service(x) && l < x->selects->labels.count; l++) {
            uint64_t pair = pair_key(x->selects->labels.items[l].key, x->selects->labels.items[l].value);
            uint32_t number = map64_get(&v->numbers, pair);
            if (number == NO_ID && !map64_put(&v->numbers, pair, number = v->everybody++)) return false;
            counts[number]++;
        }
    }
    return true;
}

static uint32_t rarest_label(const services *v, const selecting *x, const uint32_t *counts)
{
    uint32_t best = v->everybody;
    for (uint32_t l = 0; l < x->selects->labels.count; l++) {
        const label_pair *p = &x->selects->labels.items[l];
        uint32_t number = map64_get(&v->numbers, pair_key(p->key, p->value));
        if (best == v->everybody || counts[number] < counts[best]) best = number;
    }
    return best;
}

/* The lists are allocated in the scheduler's memory. false = out of memory. */
static bool index_services(scheduler *s, services *v, size_t most_labels)
{
    const store *raw = &s->snapshot->raw;
    size_t count = raw->selecting.count;
    uint32_t *counts = arena_array(&s->data, most_labels + 1, sizeof *counts);
    uint32_t *label = arena_array(&s->data, count + 1, sizeof *label);
    v->first = arena_array(&s->data, most_labels + 3, sizeof *v->first);
    v->of = arena_array(&s->data, count + 1, sizeof *v->of);
    v->found = arena_array(&s->data, count + 1, sizeof *v->found);
    if (counts == NULL || label == NULL || v->first == NULL || v->of == NULL || v->found == NULL) return false;
    if (!number_labels(v, raw, counts)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_service(&raw->selecting.items[i])) continue;
        label[i] = rarest_label(v, &raw->selecting.items[i], counts);
        v->first[label[i] + 2]++;
    }
    for (uint32_t n = 2; n <= v->everybody + 2; n++) v->first[n] += v->first[n - 1];
    for (uint32_t i = 0; i < count; i++) {
        if (is_service(&raw->selecting.items[i])) v->of[v->first[label[i] + 1]++] = i;
    }
    return true;
}

static uint32_t take_number(const services *v, uint32_t number, uint32_t n)
{
    for (uint32_t i = v->first[number]; i < v->first[number + 1]; i++) v->found[n++] = v->of[i];
    return n;
}

/* Writes all Services that may select these labels to v->found, in input order, and returns their number. NO_ID = out
 * of memory. */
static uint32_t services_for(scheduler *s, const services *v, label_list labels)
{
    uint32_t n = take_number(v, v->everybody, 0);
    for (uint32_t i = 0; i < labels.count; i++) {
        uint32_t number = map64_get(&v->numbers, pair_key(labels.items[i].key, labels.items[i].value));
        if (number != NO_ID) n = take_number(v, number, n);
    }
    if (!scheduler_worked(s, (n + labels.count) * (size_t)8) || !sort_numbers(s->context, v->found, n)) return NO_ID;
    return n;
}

/* ---- one class --------------------------------------------------------------------------------------------------- */

static bool take_controller(scheduler *s, const pod_class *c, struct deduced *d)
{
    const store *raw = &s->snapshot->raw;
    const pod_marks *marks = (const pod_marks *)(const void *)raw->mark_keys.entries[c->marks].ptr;
    if (marks->controller_kind == KARP_SELECTS_SERVICE) return true;
    uint32_t i = store_find_selecting(raw, marks->controller_kind, c->name_space, marks->controller_name);
    if (i == NO_ID || raw->selecting.items[i].selects == NULL) return true;
    if (marks->controller_kind != KARP_SELECTS_REPLICATION_CONTROLLER)
        return take_expressions(s, d, raw->selecting.items[i].selects);
    take_labels(d, raw->selecting.items[i].selects->labels);
    return true;
}

static bool deduce(scheduler *s, const services *v, const pod_class *c, struct deduced *d)
{
    const store *raw = &s->snapshot->raw;
    const struct words_entry *e = &raw->projected.entries[c->labels];
    label_list labels = { (const label_pair *)(const void *)e->ptr, e->count / 2 };
    uint32_t n = services_for(s, v, labels);
    for (uint32_t i = 0; n != NO_ID && i < n; i++) {
        const selecting *x = &raw->selecting.items[v->found[i]];
        if (x->meta.name_space == c->name_space && selector_selects(x->selects, labels))
            take_labels(d, x->selects->labels);
    }
    return n != NO_ID && take_controller(s, c, d);
}

static size_t selecting_labels(const store *raw)
{
    size_t n = 0;
    for (size_t i = 0; i < raw->selecting.count; i++)
        n += raw->selecting.items[i].selects != NULL ? raw->selecting.items[i].selects->labels.count : 0;
    return n;
}

/* `labels_of_all` has space for the labels of all Services. */
static bool apply(scheduler *s, const services *v, uint32_t class_number, label_pair *labels_of_all)
{
    spread_list defaults = s->snapshot->raw.default_spread;
    struct deduced d = { .labels = labels_of_all };
    if (!deduce(s, v, &s->snapshot->classes[class_number], &d)) return false;
    if (d.label_count == 0 && d.expressions.count == 0) return true;
    selector *x = arena_zalloc(&s->data, sizeof *x);
    spread_constraint *items = arena_array(&s->data, defaults.count, sizeof *items);
    if (x == NULL || items == NULL ||
        !sort_stable(s->context, labels_of_all, d.label_count, sizeof *labels_of_all, by_number, NULL))
        return false;
    label_pair *labels = arena_array(&s->data, d.label_count + (size_t)1, sizeof *labels);
    if (labels == NULL) return false;
    for (uint32_t i = 0; i < d.label_count; i++) labels[i] = labels_of_all[i];
    x->labels = (label_list){ labels, d.label_count };
    x->expressions = d.expressions;
    memcpy(items, defaults.items, defaults.count * sizeof *items);
    for (uint32_t i = 0; i < defaults.count; i++) items[i].label_selector = x;
    s->pods.classes[class_number].default_spread = (spread_list){ items, defaults.count };
    return true;
}

bool default_spread_init(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    if (snapshot->raw.default_spread.count == 0) return true;
    size_t most_labels = selecting_labels(&snapshot->raw);
    services v = { .everybody = 0 };
    map64_init(&v.numbers, s->context);
    label_pair *labels_of_all = arena_array(&s->data, most_labels + 1, sizeof *labels_of_all);
    bool ok = labels_of_all != NULL && index_services(s, &v, most_labels);
    for (uint32_t c = 0; ok && c < snapshot->class_count; c++) {
        if (snapshot->classes[c].volumes_found && shape_of(snapshot, c)->spread.count == 0)
            ok = apply(s, &v, c, labels_of_all);
    }
    map64_free(&v.numbers);
    return ok;
}
