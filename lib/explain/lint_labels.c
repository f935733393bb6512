/* SPDX-License-Identifier: Apache-2.0 */
/* Required labels and values that no object has, which are usually spelling mistakes. */
#include <explain/lint.h>

#include <base/bits.h>
#include <model/label_rules.h>

enum { SHORTEST = 5 }; /* shortest key to compare: short ones are similar to many others */

void lint_suggest(linting *l, const nearest *near)
{
    if (near->best.ptr == NULL) return;
    strbuf_put(&l->remedy, "", near->best, " may be meant");
}

/* Whether the keys differ only in what stands before the slash: "node.kubernetes.io/instance-family". */
static bool same_name(karp_str a, karp_str b)
{
    (void)str_until(&a, '/');
    (void)str_until(&b, '/');
    return a.len >= SHORTEST && equal_str(a, b);
}

/* The most similar known label. */
static nearest nearest_key(linting *l, karp_str key)
{
    nearest near = nearest_to(key);
    if (key.len < SHORTEST || l->guesses == MOST_GUESSES) return near;
    l->guesses++;
    for (uint32_t id = 1; id < l->snapshot->facts.count; id++) {
        if (l->snapshot->facts.well_known[id] || bits_test(l->known_keys, id))
            nearest_offer(&near, text_of(l->snapshot, id));
    }
    for (uint32_t id = 1; id < l->snapshot->facts.count && near.best.ptr == NULL; id++) {
        if (l->snapshot->facts.well_known[id] && same_name(text_of(l->snapshot, id), key))
            near.best = text_of(l->snapshot, id);
    }
    return near;
}

void lint_suggest_key(linting *l, uint32_t key)
{
    if (lint_key_is_known(l, key)) return;
    nearest near = nearest_key(l, text_of(l->snapshot, key));
    lint_suggest(l, &near);
}

/* Records a key that nothing has, if it is similar to a known key or `must_be_known` is true. */
static void lint_key(linting *l, uint32_t key, bool must_be_known, const char *kind, karp_str named, const char *field)
{
    if (lint_key_is_known(l, key)) return;
    nearest near = nearest_key(l, text_of(l->snapshot, key));
    if (near.best.ptr == NULL && !must_be_known) return;
    strbuf_adds(&l->field, field);
    strbuf_put(&l->text, "no instance type, offering, node or NodePool has the label '", text_of(l->snapshot, key),
               "'");
    lint_suggest(l, &near);
    lint_note(l, LINT_UNKNOWN_LABEL, kind, named);
}

static const uint32_t *column(const uint32_t *keys, uint32_t count, const uint32_t *columns, uint32_t width,
                              uint32_t key)
{
    for (uint32_t i = 0; i < count; i++) {
        if (keys[i] == key) return columns + (size_t)i * width;
    }
    return NULL;
}

/* Marks the values of a type's or offering's requirement that `required` allows; NO_ID = all. */
static uint32_t mark(linting *l, uint32_t of, uint32_t required, uint64_t *seen)
{
    if (of == NO_ID) return 0;
    const requirement *has = requirement_get(&l->algebra, of);
    uint32_t more = 0;
    for (uint32_t i = 0; !has->complement && i < has->value_count; i++) {
        uint32_t v = has->values[i];
        bool counts = required == NO_ID || requirement_has(&l->algebra, requirement_get(&l->algebra, required), v);
        if (!counts || bits_test(seen, v)) continue;
        bits_set(seen, v);
        more++;
    }
    return more;
}

uint32_t lint_mark_values(linting *l, uint32_t pool, uint32_t key, uint32_t required, uint64_t *seen)
{
    const type_table *t = lint_table(l, pool);
    uint32_t set = l->pool_sets[pool], count = 0;
    const uint32_t *of_types = column(t->type_keys, t->type_key_count, t->type_columns, t->type_count, key);
    const uint32_t *of_offerings = column(t->offering_keys, t->offering_key_count, t->offering_columns,
                                          t->offering_count, key);
    if (of_types == NULL && of_offerings == NULL) return mark(l, set_get(&l->algebra, set, key), required, seen);
    for (uint32_t i = 0; i < t->type_count; i++) {
        const instance_type *type = &t->types[i];
        if (!lint_admits(l, t, i, set)) continue;
        if (of_offerings == NULL) count += mark(l, of_types[i], required, seen);
        for (uint32_t k = 0; of_offerings != NULL && k < type->offering_count; k++) {
            uint32_t o = type->offering_first + k;
            if (t->offerings[o].available && set_compatible(&l->algebra, set, t->offerings[o].set, true))
                count += mark(l, of_offerings[o], required, seen);
        }
    }
    return count;
}

static bool some_allows(linting *l, const uint32_t *requirements, uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (requirements[i] != NO_ID &&
            requirement_has(&l->algebra, requirement_get(&l->algebra, requirements[i]), value))
            return true;
    }
    return false;
}

bool lint_has_key(const type_table *t, uint32_t key)
{
    return column(t->type_keys, t->type_key_count, t->type_columns, t->type_count, key) != NULL ||
           column(t->offering_keys, t->offering_key_count, t->offering_columns, t->offering_count, key) != NULL;
}

/* Whether some type of the table has the value. */
static bool lint_has_value(linting *l, const type_table *t, uint32_t key, uint32_t value)
{
    const uint32_t *types = column(t->type_keys, t->type_key_count, t->type_columns, t->type_count, key);
    const uint32_t *offerings = column(t->offering_keys, t->offering_key_count, t->offering_columns, t->offering_count,
                                       key);
    return (types != NULL && some_allows(l, types, t->type_count, value)) ||
           (offerings != NULL && some_allows(l, offerings, t->offering_count, value));
}

/* Whether a type, a node, or a label of a NodePool has the value. *known: some table has the label. */
static bool anything_has(linting *l, uint32_t key, uint32_t value, uint32_t pool, bool *known)
{
    const karp_snapshot *s = l->snapshot;
    *known = false;
    for (uint32_t p = 0; p < s->raw.pools.count; p++) {
        if (s->pool_table[p] == NO_ID || (pool != NO_ID && p != pool)) continue;
        if (!lint_has_key(lint_table(l, p), key)) continue;
        *known = true;
        if (lint_has_value(l, lint_table(l, p), key, value)) return true;
    }
    for (size_t i = 0; pool == NO_ID && i < s->raw.nodes.count; i++) {
        label_list labels = s->raw.nodes.items[i].meta.labels;
        for (uint32_t k = 0; k < labels.count; k++) {
            if (s->facts.normalized[labels.items[k].key] == key && labels.items[k].value == value) return true;
        }
    }
    return false;
}

/* Marks the values in the requirements of types or offerings. */
static void mark_all(linting *l, const uint32_t *requirements, uint32_t count)
{
    for (uint32_t i = 0; requirements != NULL && i < count; i++) (void)mark(l, requirements[i], NO_ID, l->values);
}

/* Collects all existing values of a label. Caches one label at a time, since its values are checked one after the
 * other. */
static void find_values(linting *l, uint32_t key)
{
    const karp_snapshot *s = l->snapshot;
    if (l->values_of == key) return;
    memset(l->values, 0, bits_words(s->facts.count) * sizeof *l->values);
    l->values_of = key;
    for (uint32_t t = 0; t < s->table_count; t++) {
        const type_table *of = &s->tables[t];
        mark_all(l, column(of->type_keys, of->type_key_count, of->type_columns, of->type_count, key), of->type_count);
        mark_all(l, column(of->offering_keys, of->offering_key_count, of->offering_columns, of->offering_count, key),
                 of->offering_count);
    }
    for (size_t i = 0; i < s->raw.nodes.count; i++) {
        label_list labels = s->raw.nodes.items[i].meta.labels;
        for (uint32_t k = 0; k < labels.count; k++) {
            if (s->facts.normalized[labels.items[k].key] == key) bits_set(l->values, labels.items[k].value);
        }
    }
}

/* The most similar existing value of the label. The number of suggestions is limited. */
static nearest nearest_value(linting *l, uint32_t key, uint32_t value)
{
    const karp_snapshot *s = l->snapshot;
    nearest near = nearest_to_value(text_of(s, key), text_of(s, value));
    if (l->guesses == MOST_GUESSES) return near;
    l->guesses++;
    find_values(l, key);
    for (uint32_t id = 1; id < s->facts.count; id++) {
        if (bits_test(l->values, id)) nearest_offer(&near, text_of(s, id));
    }
    return near;
}

/* "the values are us-west-2a, us-west-2b", if they are few. */
static void list_values(linting *l)
{
    enum { FEW = 8 };
    const karp_snapshot *s = l->snapshot;
    uint32_t ids[FEW], count = 0;
    for (uint32_t id = 1; id < s->facts.count && count <= FEW; id++) {
        if (!bits_test(l->values, id)) continue;
        uint32_t at = count < FEW ? count : FEW;
        for (; count < FEW && at > 0 && compare_str(text_of(s, id), text_of(s, ids[at - 1])) < 0; at--)
            ids[at] = ids[at - 1];
        if (count < FEW) ids[at] = id;
        count++;
    }
    if (count == 0 || count > FEW) return;
    strbuf_adds(&l->remedy, count == 1 ? "its only value is " : "its values are ");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) strbuf_adds(&l->remedy, ", ");
        strbuf_addstr(&l->remedy, text_of(s, ids[i]));
    }
}

/* "n2-custom-8-24576" */
static bool is_custom_machine(const linting *l, uint32_t key, uint32_t value)
{
    karp_str text = text_of(l->snapshot, value);
    (void)str_until(&text, '-');
    return key == l->snapshot->known.instance_type && str_starts(text, "custom-");
}

/* "us-west-2-lax-1a" */
static bool is_local_zone(const linting *l, uint32_t key, uint32_t value)
{
    karp_str text = text_of(l->snapshot, value);
    size_t dashes = 0;
    for (size_t i = 0; i < text.len; i++) dashes += text.ptr[i] == '-';
    return key == l->snapshot->known.zone && dashes == 4;
}

static void note_value(linting *l, uint32_t key, uint32_t value, const char *kind, karp_str named, const char *field)
{
    strbuf_adds(&l->field, field);
    strbuf_put(&l->field, "[", text_of(l->snapshot, key), "]");
    strbuf_put(&l->text, "nothing has the value ", text_of(l->snapshot, value), " of ");
    strbuf_addstr(&l->text, text_of(l->snapshot, key));
    nearest near = nearest_value(l, key, value);
    if (!is_custom_machine(l, key, value) && !is_local_zone(l, key, value)) lint_suggest(l, &near);
    if (is_custom_machine(l, key, value))
        strbuf_adds(&l->remedy, "a custom machine type: Karpenter's provider for GCP launches predefined ones only");
    else if (is_local_zone(l, key, value))
        strbuf_adds(&l->remedy,
                    "a local zone: the catalogue has no type that is offered there; choose types that are, and "
                    "state them with --catalogue or --facts");
    else if (near.best.ptr == NULL && l->values_of == key) list_values(l);
    lint_note(l, LINT_UNKNOWN_VALUE, kind, named);
}

/* Records values of a label that no type, node or NodePool has. `pool` limits this to one NodePool; NO_ID = all. */
static void lint_values(linting *l, const expression *e, uint32_t pool, const char *kind, karp_str named,
                        const char *field)
{
    uint32_t key = l->snapshot->facts.normalized[e->key];
    for (uint32_t i = 0; e->op == KARP_OP_IN && i < e->value_count; i++) {
        bool known;
        if (e->value_count > 1 && is_customary_value(text_of(l->snapshot, key), text_of(l->snapshot, e->values[i])))
            continue;
        if (anything_has(l, key, e->values[i], pool, &known) || !known) continue;
        note_value(l, key, e->values[i], kind, named, field);
    }
}

void lint_labels_of_pools(linting *l)
{
    const karp_snapshot *s = l->snapshot;
    for (uint32_t p = 0; p < s->raw.pools.count && !l->refused; p++) {
        const node_pool *pool = &s->raw.pools.items[p];
        karp_str name = name_of(s, pool->meta.name);
        for (uint32_t i = 0; i < pool->requirements.count; i++) {
            const expression *e = &pool->requirements.items[i];
            if (pool_requirement_wrong(s, e) != NULL) continue;
            /* A requirement on a custom key also sets the label on nodes. So the key is compared only with other known
             * keys. */
            bits_clear(l->known_keys, s->facts.normalized[e->key]);
            if (s->pool_table[p] == NO_ID || !lint_has_key(lint_table(l, p), s->facts.normalized[e->key]))
                lint_key(l, e->key, false, "NodePool", name, "spec.template.spec.requirements");
            bits_set(l->known_keys, s->facts.normalized[e->key]);
            lint_values(l, e, p, "NodePool", name, "spec.template.spec.requirements");
        }
    }
}

static void look_at_terms(linting *l, const shape *h, karp_str name)
{
    for (uint32_t i = 0; i < h->required.count; i++) {
        for (uint32_t k = 0; k < h->required.items[i].expressions.count; k++) {
            const expression *e = &h->required.items[i].expressions.items[k];
            bool present = e->op != KARP_OP_NOT_IN && e->op != KARP_OP_DOES_NOT_EXIST;
            lint_key(l, e->key, present, "Pod", name, "spec.affinity.nodeAffinity");
            lint_values(l, e, NO_ID, "Pod", name, "spec.affinity.nodeAffinity");
        }
    }
}

static void look_at_pods(linting *l, const lint_group *g)
{
    const shape *h = g->shape;
    karp_str name = pod_name(l->snapshot, g->pod);
    for (uint32_t i = 0; i < h->node_selector.count; i++) {
        const label_pair *want = &h->node_selector.items[i];
        const expression e = { want->key, KARP_OP_IN, 0, 1, &want->value };
        lint_key(l, want->key, true, "Pod", name, "spec.nodeSelector");
        lint_values(l, &e, NO_ID, "Pod", name, "spec.nodeSelector");
    }
    look_at_terms(l, h, name);
}

void lint_labels_of_pods(linting *l) { lint_each_group(l, ALIKE_IN_RULES, look_at_pods); }
