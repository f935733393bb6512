/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/label_groups.h>

#include <schedule/scheduler.h>
#include <schedule/topology.h>

/* The number of the class's label group; NO_ID = out of memory. */
static uint32_t label_group_of(scheduler *s, const pod_class *k)
{
    uint32_t key[] = { k->name_space, k->labels };
    uint32_t id = words_add(&s->topology.label_group_keys, key, sizeof key / sizeof *key);
    if (id == NO_ID || id < s->topology.label_groups.count) return id;
    label_group *fresh = list_push(s->context, &s->topology.label_groups, sizeof *fresh);
    if (fresh == NULL) return NO_ID;
    *fresh = (label_group){ .name_space = k->name_space, .labels = k->labels };
    return id;
}

/* The first class that is equal in everything but requests, volumes and devices; NO_ID = out of memory. `firsts` is
 * by key. */
static uint32_t class_like(const scheduler *s, uint32_t class_number, words *keys, uint32_t *firsts)
{
    const pod_class *k = &s->snapshot->classes[class_number];
    uint32_t key[] = { shape_of(s->snapshot, class_number)->rules, k->name_space, k->labels, k->marks,
                       k->volumes_found };
    size_t known = keys->count;
    uint32_t id = words_add(keys, key, sizeof key / sizeof *key);
    if (id == NO_ID) return NO_ID;
    if (id == known) firsts[id] = class_number;
    return firsts[id];
}

bool label_groups_init(scheduler *s)
{
    words keys;
    uint32_t count = s->snapshot->class_count, *firsts = mem_alloc(s->context, count * sizeof *firsts);
    words_init(&s->topology.label_group_keys, s->context);
    map64_init(&s->topology.by_label.numbers, s->context);
    map64_init(&s->topology.by_key.numbers, s->context);
    words_init(&keys, s->context);
    bool ok = firsts != NULL;
    for (uint32_t c = 0; ok && c < count; c++) {
        uint32_t like = class_like(s, c, &keys, firsts);
        uint32_t number = like == NO_ID || like < c ? NO_ID : label_group_of(s, &s->snapshot->classes[c]);
        if (like < c) number = s->pods.classes[like].label_group;
        s->pods.classes[c].like = like;
        s->pods.classes[c].label_group = number;
        ok = number != NO_ID;
    }
    words_free(&keys);
    mem_free(s->context, firsts, count * sizeof *firsts);
    return ok;
}

void label_groups_free(scheduler *s)
{
    for (size_t i = 0; i < s->topology.label_groups.count; i++) {
        label_group *k = &s->topology.label_groups.items[i];
        mem_free(s->context, k->counted_by, k->counted_capacity * sizeof *k->counted_by);
        mem_free(s->context, k->barred_by, k->barred_capacity * sizeof *k->barred_by);
        mem_free(s->context, k->spared_by, k->spared_capacity * sizeof *k->spared_by);
    }
    list_free(s->context, &s->topology.label_groups, sizeof(label_group));
    words_free(&s->topology.label_group_keys);
    map64_free(&s->topology.by_label.numbers);
    map64_free(&s->topology.by_key.numbers);
}

label_list label_group_labels(const scheduler *s, const label_group *k)
{
    const struct words_entry *e = &s->snapshot->raw.projected.entries[k->labels];
    return (label_list){ (const label_pair *)(const void *)e->ptr, e->count / 2 };
}

/* ---- label groups by label ------------------------------------------------------------------------------------------------------ */

/* The number of a label, or of a key with any value (NO_ID). */
static uint32_t label_number(const struct label_index *x, uint32_t key, uint32_t value)
{
    return map64_get(&x->numbers, pair_key(key, value));
}

static uint32_t indexed_value(const label_pair *label, bool by_key) { return by_key ? NO_ID : label->value; }

/* Numbers the labels of label groups, and counts the label groups at [number + 2]. */
static bool count_labels(scheduler *s, struct label_index *x, bool by_key)
{
    uint32_t labels = 0;
    for (size_t i = 0; i < s->topology.label_groups.count; i++) {
        label_list list = label_group_labels(s, &s->topology.label_groups.items[i]);
        for (uint32_t l = 0; l < list.count; l++) {
            uint32_t value = indexed_value(&list.items[l], by_key), number = label_number(x, list.items[l].key, value);
            if (number == NO_ID) {
                number = labels++;
                if (!map64_put(&x->numbers, pair_key(list.items[l].key, value), number)) return false;
            }
            x->first[number + 2]++;
        }
    }
    for (uint32_t n = 2; n < labels + 2; n++) x->first[n] += x->first[n - 1];
    return true;
}

/* Builds the index on first use. */
static bool index_labels(scheduler *s, struct label_index *x, bool by_key)
{
    size_t pairs = 0;
    if (x->first != NULL) return true;
    for (size_t i = 0; i < s->topology.label_groups.count; i++)
        pairs += label_group_labels(s, &s->topology.label_groups.items[i]).count;
    x->first = arena_array(&s->data, pairs + 2, sizeof *x->first);
    x->label_groups = arena_array(&s->data, pairs + 1, sizeof *x->label_groups);
    if (x->first == NULL || x->label_groups == NULL || !count_labels(s, x, by_key)) {
        s->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < s->topology.label_groups.count; i++) {
        label_list list = label_group_labels(s, &s->topology.label_groups.items[i]);
        for (uint32_t l = 0; l < list.count; l++) {
            uint32_t number = label_number(x, list.items[l].key, indexed_value(&list.items[l], by_key));
            x->label_groups[x->first[number + 1]++] = i;
        }
    }
    return true;
}

static label_group_list with_label(const struct label_index *x, uint32_t key, uint32_t value)
{
    uint32_t number = label_number(x, key, value);
    if (number == NO_ID) return (label_group_list){ x->label_groups, 0 };
    return (label_group_list){ x->label_groups + x->first[number], x->first[number + 1] - x->first[number] };
}

/* Replaces a list by the label groups with a label, if they are fewer. */
static void narrow(const scheduler *s, uint32_t key, uint32_t value, label_group_list *list)
{
    label_group_list those = with_label(&s->topology.by_label, key, value);
    if (those.count < list->count) *list = those;
}

label_group_list label_groups_for(scheduler *s, const group *g)
{
    label_group_list list = { NULL, (uint32_t)s->topology.label_groups.count };
    if (g->selects == NULL) return list;
    if (g->wider != NO_ID) return g->left_out;
    if (g->selection != NULL && g->selection->label_groups != NULL)
        return (label_group_list){ g->selection->label_groups, g->selection->label_group_count };
    if (!index_labels(s, &s->topology.by_label, false)) return (label_group_list){ NULL, 0 };
    label_list labels = g->selects->labels;
    for (uint32_t i = 0; i < labels.count; i++) narrow(s, labels.items[i].key, labels.items[i].value, &list);
    for (uint32_t i = 0; i < g->extra.count; i++) narrow(s, g->extra.items[i].key, g->extra.items[i].value, &list);
    for (uint32_t i = 0; i < g->selects->expressions.count; i++) {
        const expression *e = &g->selects->expressions.items[i];
        if (e->op == KARP_OP_IN && e->value_count == 1) narrow(s, e->key, e->values[0], &list);
    }
    return list;
}

uint32_t label_groups_left_out(scheduler *s, const selector *x, uint32_t most, uint32_t *out)
{
    uint32_t count = 0;
    if (!index_labels(s, &s->topology.by_label, false) || !index_labels(s, &s->topology.by_key, true)) return 0;
    for (uint32_t i = 0; i < x->expressions.count; i++) {
        const expression *e = &x->expressions.items[i];
        bool whatever = e->op == KARP_OP_DOES_NOT_EXIST;
        if (!whatever && e->op != KARP_OP_NOT_IN) continue;
        for (uint32_t v = 0; v < (whatever ? 1 : e->value_count); v++) {
            label_group_list those = whatever ? with_label(&s->topology.by_key, e->key, NO_ID)
                                              : with_label(&s->topology.by_label, e->key, e->values[v]);
            if (those.count > most - count) return most + 1;
            for (uint32_t n = 0; n < those.count && out != NULL; n++) out[count + n] = label_group_list_at(those, n);
            count += those.count;
        }
    }
    return count;
}
