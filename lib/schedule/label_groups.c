/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/label_groups.h>

#include <base/sort.h>
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

/* ---- label groups by label --------------------------------------------------------------------------------------- */

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
    if (x->first == NULL || x->label_groups == NULL || !count_labels(s, x, by_key)) return mem_refused(&s->failed);
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

/* The number of label groups with a label that the selector excludes, if it is at most `most`; some may be counted
 * more than once. Their numbers are written to `out`, in no particular order, unless it is NULL. A result above
 * `most` means that there are more. Sets s->failed when out of memory. */
static uint32_t label_groups_left_out(scheduler *s, const selector *x, uint32_t most, uint32_t *out)
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

/* ---- wide groups ------------------------------------------------------------------------------------------------- */

/*
 * For groups about host names that select nearly all pods ("those without the label x").
 *
 * Such a group is stored as a difference. Its wide group has the same selector without NotIn and DoesNotExist, and is
 * shared by all groups of this kind. The group itself counts the pods that it excludes from the wide group. So its
 * counts, its lists and the work of a placement are proportional to the length of its selector. For a wide inverse
 * group (anti-affinity of other pods) the count of a host is the number of its narrower groups that have a pod there.
 */

static bool leaves_out(const expression *e) { return e->op == KARP_OP_NOT_IN || e->op == KARP_OP_DOES_NOT_EXIST; }

static uint32_t count_left_out(const selector *x)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->expressions.count; i++) count += leaves_out(&x->expressions.items[i]);
    return count;
}

/* A group created during a round does not count what the round has already placed, but its wide group might. */
static bool may_widen(const scheduler *s, const group *g)
{
    bool late = s->round.solving && !g->inverse && quirk(s, 5);
    return g->kind != GROUP_WIDE && g->host && !g->selective && !late && g->selects != NULL &&
           selector_valid(g->selects) && count_left_out(g->selects) > 0;
}

/* The selector without expressions that exclude pods; NULL = out of memory. */
static const selector *wide_selector(scheduler *s, const selector *x)
{
    static const selector all = { { NULL, 0 }, { NULL, 0 } };
    uint32_t count = x->expressions.count - count_left_out(x), n = 0;
    if (count == 0 && x->labels.count == 0) return &all;
    selector *wide = arena_alloc(&s->data, sizeof *wide);
    expression *kept = arena_array(&s->data, count + (size_t)1, sizeof *kept);
    if (wide == NULL || kept == NULL) return NULL;
    for (uint32_t i = 0; i < x->expressions.count; i++) {
        if (!leaves_out(&x->expressions.items[i])) kept[n++] = x->expressions.items[i];
    }
    *wide = (selector){ x->labels, { kept, n } };
    return wide;
}

static uint32_t wide_group_of(scheduler *s, const group *g, toleration_list tolerations)
{
    group wide = { .kind = GROUP_WIDE,
                   .inverse = g->inverse,
                   .max_skew = INT32_MAX,
                   .key = g->key,
                   .selects = wide_selector(s, g->selects),
                   .extra = g->extra,
                   .namespaces = g->namespaces,
                   .namespace_count = g->namespace_count,
                   .namespace_list = g->namespace_list };
    if (wide.selects == NULL) return mem_refused_id(&s->failed);
    return group_obtain(s, &wide, tolerations);
}

/* Lists the label groups that the wide group selects and this group does not. `most`: upper bound on their number. */
static bool list_left_out(scheduler *s, group *g, uint32_t most)
{
    uint32_t *numbers = arena_array(&s->data, most + (size_t)1, sizeof *numbers);
    size_t count = numbers == NULL ? 0 : label_groups_left_out(s, g->selects, most, numbers), kept = 0;
    if (numbers == NULL || s->failed || !sort_numbers_once(s->context, numbers, &count)) return mem_refused(&s->failed);
    for (size_t i = 0; i < count; i++) {
        if (!scheduler_worked(s, 64)) return false;
        if (group_counts(s, g, &s->topology.label_groups.items[numbers[i]])) numbers[kept++] = numbers[i];
    }
    g->left_out = (label_group_list){ numbers, (uint32_t)kept };
    return true;
}

bool group_widen(scheduler *s, group *wanted, toleration_list tolerations)
{
    wanted->wider = NO_ID;
    if (!may_widen(s, wanted)) return true;
    uint32_t near = label_groups_for(s, wanted).count; /* size of the list that the group itself would need */
    uint32_t most = s->failed ? 0 : label_groups_left_out(s, wanted->selects, near / 2, NULL);
    if (s->failed) return false;
    if (most > near / 2) return true;
    uint32_t wide = wide_group_of(s, wanted, tolerations);
    if (wide == NO_ID) return false;
    wanted->wider = wide;
    return list_left_out(s, wanted, most);
}

bool group_counts(const scheduler *s, const group *g, const label_group *k)
{
    if (g->wider == NO_ID) return group_selects(s, g, k);
    return group_selects(s, &s->topology.groups.items[g->wider], k) && !group_selects(s, g, k);
}
