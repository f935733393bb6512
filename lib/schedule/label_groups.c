/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/label_groups.h>

#include <schedule/scheduler.h>

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

/* The first class that agrees with this one in all but requests, volumes and devices; NO_ID = out of memory. `firsts`: by key. */
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
    map64_init(&s->topology.label_numbers, s->context);
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
    }
    list_free(s->context, &s->topology.label_groups, sizeof(label_group));
    words_free(&s->topology.label_group_keys);
    map64_free(&s->topology.label_numbers);
}

label_list label_group_labels(const scheduler *s, const label_group *k)
{
    const struct words_entry *e = &s->snapshot->raw.projected.entries[k->labels];
    return (label_list){ (const label_pair *)(const void *)e->ptr, e->count / 2 };
}

/* ---- label groups by label ------------------------------------------------------------------------------------------------------ */

/* Numbers the labels that label groups have; counts label groups at [number + 2]. */
static bool count_labels(scheduler *s)
{
    uint32_t labels = 0;
    for (size_t i = 0; i < s->topology.label_groups.count; i++) {
        label_list list = label_group_labels(s, &s->topology.label_groups.items[i]);
        for (uint32_t l = 0; l < list.count; l++) {
            uint64_t pair = pair_key(list.items[l].key, list.items[l].value);
            uint32_t number = map64_get(&s->topology.label_numbers, pair);
            if (number == NO_ID) {
                number = labels++;
                if (!map64_put(&s->topology.label_numbers, pair, number)) return false;
            }
            s->topology.label_first[number + 2]++;
        }
    }
    for (uint32_t n = 2; n < labels + 2; n++) s->topology.label_first[n] += s->topology.label_first[n - 1];
    return true;
}

static bool index_labels(scheduler *s)
{
    size_t pairs = 0;
    for (size_t i = 0; i < s->topology.label_groups.count; i++)
        pairs += label_group_labels(s, &s->topology.label_groups.items[i]).count;
    s->topology.label_first = arena_array(&s->data, pairs + 2, sizeof *s->topology.label_first);
    s->topology.label_groups_of = arena_array(&s->data, pairs + 1, sizeof *s->topology.label_groups_of);
    if (s->topology.label_first == NULL || s->topology.label_groups_of == NULL || !count_labels(s)) return false;
    for (uint32_t i = 0; i < s->topology.label_groups.count; i++) {
        label_list list = label_group_labels(s, &s->topology.label_groups.items[i]);
        for (uint32_t l = 0; l < list.count; l++) {
            uint32_t number = map64_get(&s->topology.label_numbers, pair_key(list.items[l].key, list.items[l].value));
            s->topology.label_groups_of[s->topology.label_first[number + 1]++] = i;
        }
    }
    return true;
}

/* Shortens a list to the label groups with a label, if they are fewer. */
static void narrow(const scheduler *s, uint32_t key, uint32_t value, label_group_list *list)
{
    uint32_t number = map64_get(&s->topology.label_numbers, pair_key(key, value));
    uint32_t first = number != NO_ID ? s->topology.label_first[number] : 0,
             count = number != NO_ID ? s->topology.label_first[number + 1] - first : 0;
    if (count < list->count) *list = (label_group_list){ s->topology.label_groups_of + first, count };
}

label_group_list label_groups_for(scheduler *s, const group *g)
{
    label_group_list list = { NULL, (uint32_t)s->topology.label_groups.count };
    if (g->selects == NULL) return list;
    if (g->selection != NULL && g->selection->label_groups != NULL)
        return (label_group_list){ g->selection->label_groups, g->selection->label_group_count };
    if (s->topology.label_first == NULL && !index_labels(s)) {
        s->failed = true;
        return (label_group_list){ NULL, 0 };
    }
    label_list labels = g->selects->labels;
    for (uint32_t i = 0; i < labels.count; i++) narrow(s, labels.items[i].key, labels.items[i].value, &list);
    for (uint32_t i = 0; i < g->extra.count; i++) narrow(s, g->extra.items[i].key, g->extra.items[i].value, &list);
    for (uint32_t i = 0; i < g->selects->expressions.count; i++) {
        const expression *e = &g->selects->expressions.items[i];
        if (e->op == KARP_OP_IN && e->value_count == 1) narrow(s, e->key, e->values[0], &list);
    }
    return list;
}
