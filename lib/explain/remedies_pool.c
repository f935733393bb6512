/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to NodePools that may make a pod schedulable: limits, values of labels, minValues. */
#include <explain/explain_pod.h>

#include <base/sort.h>
#include <decision/decision.h>
#include <model/label_rules.h>
#include <model/quantity.h>

static void add_pool(const search *s, strbuf *b, uint32_t pool)
{
    strbuf_put(b, " of NodePool ", name_of(s->snapshot, s->snapshot->raw.pools.items[pool].meta.name), "");
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* The limit that suffices for the NodePool's nodes, its other launches, and one node of the resulting type. An
 * estimate, which the caller tries. */
static bool enough(search *s, uint32_t pool, const resource_amount *limit, const karp_remedy *with, amount *out)
{
    const karp_snapshot *snapshot = s->snapshot;
    /* a limit that matters belongs to a NodePool with types */
    const type_table *table = &snapshot->tables[snapshot->pool_table[pool]];
    uint32_t name = strings_find(&snapshot->raw.text, with->choice.instance_type.ptr, with->choice.instance_type.len);
    amount used = amount_whole(0), one = amount_whole(limit->resource == RESOURCE_NODES);
    for (uint32_t i = 0; i < snapshot->node_count; i++) {
        if (snapshot->nodes[i].marked || snapshot->nodes[i].pool != pool) continue;
        if (!amount_add(used, resource_list_get(snapshot->nodes[i].capacity, limit->resource), &used)) return false;
    }
    for (uint32_t t = 0; t < table->type_count; t++) {
        if (table->types[t].name == name)
            one = amount_max(one, resource_list_get(table->types[t].capacity_list, limit->resource));
    }
    amount more = amount_max(used, limit->value);
    return amount_add(more, one, out);
}

/* Sets the limit on the resource of entry `index`; NULL removes it. */
static void set_limit(search *s, uint32_t pool, uint32_t index, const amount *value)
{
    resource_list from = s->snapshot->raw.pools.items[pool].limits;
    resource_amount *items = search_array(s, from.count, sizeof *items);
    uint32_t count = 0;
    if (items == NULL) return;
    for (uint32_t i = 0; i < from.count; i++) {
        if (i == index && value == NULL) continue;
        items[count] = from.items[i];
        if (i == index) items[count].value = *value;
        count++;
    }
    overlay_pool(&s->changed, pool)->limits = (resource_list){ items, count };
}

/* The limit that suffices for the NodePool's nodes and all launches of the last decision that placed the pod. */
static bool enough_for_all(search *s, uint32_t pool, const resource_amount *limit, amount *out)
{
    const karp_snapshot *snapshot = s->snapshot;
    const type_table *table = &snapshot->tables[snapshot->pool_table[pool]];
    karp_str name = pool_name(snapshot, pool);
    *out = amount_whole(0);
    for (uint32_t i = 0; i < snapshot->node_count; i++) {
        if (snapshot->nodes[i].marked || snapshot->nodes[i].pool != pool) continue;
        if (!amount_add(*out, resource_list_get(snapshot->nodes[i].capacity, limit->resource), out)) return false;
    }
    for (size_t i = 0; i < s->last->launches.count; i++) {
        const karp_launch *l = &s->last->launches.items[i];
        uint32_t type = strings_find(&snapshot->raw.text, l->choice.instance_type.ptr, l->choice.instance_type.len);
        amount one = amount_whole(limit->resource == RESOURCE_NODES);
        if (!equal_str(l->node_pool, name)) continue;
        for (uint32_t t = 0; t < table->type_count; t++) {
            if (table->types[t].name == type)
                one = amount_max(one, resource_list_get(table->types[t].capacity_list, limit->resource));
        }
        if (!amount_add(*out, one, out)) return false;
    }
    return amount_cmp(*out, limit->value) > 0;
}

/* Tries the limit with this value, and records it. */
static bool try_limit_of(search *s, uint32_t pool, uint32_t index, amount value, strbuf *text)
{
    const resource_amount *limit = &s->snapshot->raw.pools.items[pool].limits.items[index];
    char number[QUANTITY_TEXT];
    strbuf_clear(text);
    strbuf_put(text, "raise the limit ", strings_get(&s->snapshot->raw.resources, limit->resource), "");
    add_pool(s, text, pool);
    strbuf_adds(text, " to ");
    strbuf_add(text, number, quantity_format((quantity){ .value = value, .binary = limit->binary }, number));
    set_limit(s, pool, index, &value);
    return search_try(s, KARP_REMEDY_RAISE_LIMIT, 1, text) || search_over(s);
}

static void try_limit(search *s, uint32_t pool, uint32_t index, strbuf *text)
{
    const resource_amount *limit = &s->snapshot->raw.pools.items[pool].limits.items[index];
    karp_remedy outcome = { .size = sizeof outcome };
    amount one, all;
    set_limit(s, pool, index, NULL);
    bool helps = search_places(s, &outcome);
    overlay_view_reset(&s->changed);
    if (!helps || search_over(s)) return;
    /* More than one node may be needed: for other pods, which use the added capacity first, and for those of a group.
     */
    bool for_all = enough_for_all(s, pool, limit, &all), for_one = enough(s, pool, limit, &outcome, &one);
    bool smaller = for_all && for_one && amount_cmp(all, one) < 0; /* `one` leaves the rest of the old limit unused */
    if (smaller && try_limit_of(s, pool, index, all, text)) return;
    if (for_one && try_limit_of(s, pool, index, one, text)) return;
    if (for_all && (!for_one || amount_cmp(all, one) > 0) && try_limit_of(s, pool, index, all, text)) return;
    strbuf_clear(text);
    strbuf_put(text, "raise the limit ", strings_get(&s->snapshot->raw.resources, limit->resource), "");
    add_pool(s, text, pool);
    set_limit(s, pool, index, NULL);
    (void)search_try(s, KARP_REMEDY_RAISE_LIMIT, 1, text);
}

/* Names the limits in the text, with the necessary values if these are known; false = they are not. */
static bool name_limits(search *s, uint32_t pool, const karp_remedy *with, resource_amount *items, strbuf *text)
{
    const resource_list *limits = &s->snapshot->raw.pools.items[pool].limits;
    bool known = with != NULL;
    char number[QUANTITY_TEXT];
    strbuf_clear(text);
    strbuf_adds(text, "raise the limits ");
    for (uint32_t i = 0; i < limits->count; i++) {
        items[i] = limits->items[i];
        strbuf_adds(text, i == 0 ? "" : ", ");
        strbuf_addstr(text, strings_get(&s->snapshot->raw.resources, limits->items[i].resource));
        if (!known || !enough(s, pool, &limits->items[i], with, &items[i].value)) {
            known = false;
            continue;
        }
        strbuf_adds(text, " to ");
        strbuf_add(text, number,
                   quantity_format((quantity){ .value = items[i].value, .binary = items[i].binary }, number));
    }
    add_pool(s, text, pool);
    return known;
}

/* All limits of a NodePool together, if changing a single one is not enough. */
static void try_all_limits(search *s, uint32_t pool, strbuf *text)
{
    static const resource_list none = { NULL, 0 };
    const resource_list *limits = &s->snapshot->raw.pools.items[pool].limits;
    karp_remedy outcome = { .size = sizeof outcome };
    resource_amount *items = search_array(s, limits->count, sizeof *items);
    if (items == NULL) return;
    overlay_pool(&s->changed, pool)->limits = none;
    bool helps = search_places(s, &outcome);
    bool known = helps && name_limits(s, pool, &outcome, items, text);
    overlay_view_reset(&s->changed);
    if (!helps || search_over(s)) return;
    if (known) {
        resource_amount *kept = search_array(s, limits->count, sizeof *kept);
        if (kept == NULL) return;
        (void)name_limits(s, pool, &outcome, kept, text);
        overlay_pool(&s->changed, pool)->limits = (resource_list){ kept, limits->count };
        if (search_try(s, KARP_REMEDY_RAISE_LIMIT, limits->count, text) || search_over(s)) return;
    }
    items = search_array(s, limits->count, sizeof *items);
    if (items == NULL) return;
    (void)name_limits(s, pool, NULL, items, text);
    overlay_pool(&s->changed, pool)->limits = none;
    (void)search_try(s, KARP_REMEDY_RAISE_LIMIT, limits->count, text);
}

void try_limits(search *s)
{
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count; p++) {
        uint32_t count = s->snapshot->raw.pools.items[p].limits.count;
        size_t before = s->out->remedies.count;
        for (uint32_t i = 0; i < count && !search_over(s); i++) try_limit(s, p, i, &text);
        if (count > 1 && s->out->remedies.count == before && !search_over(s)) try_all_limits(s, p, &text);
    }
    strbuf_free(&text);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Candidate values for a label: those that the pod names, and for the zone all values of the NodePool's types. */
typedef struct wanted {
    search *s;
    LIST_OF(uint32_t) values;
} wanted;

static void want(wanted *w, uint32_t value)
{
    for (size_t i = 0; i < w->values.count; i++) {
        if (w->values.items[i] == value) return;
    }
    uint32_t *slot = list_push(w->s->snapshot->context, &w->values, sizeof *slot);
    if (slot == NULL) w->s->status = KARP_E_NOMEM;
    else *slot = value;
}

static uint32_t normal(const search *s, uint32_t key) { return s->snapshot->facts.normalized[key]; }

static void want_of_requirement(wanted *w, uint32_t requirement_id)
{
    if (requirement_id == NO_ID) return;
    const requirement *r = requirement_get(&w->s->snapshot->algebra, requirement_id);
    for (uint32_t i = 0; !r->complement && i < r->value_count; i++) want(w, r->values[i]);
}

static void want_by_pod(wanted *w, uint32_t key)
{
    const search *s = w->s;
    const shape *h = &s->snapshot->raw.shapes.items[s->shape];
    const pod_class *c = &s->snapshot->classes[s->snapshot->pod_class[s->pod]];
    for (uint32_t i = 0; i < h->node_selector.count; i++) {
        if (normal(s, h->node_selector.items[i].key) == key) want(w, h->node_selector.items[i].value);
    }
    for (uint32_t t = 0; t < h->required.count; t++) {
        expression_list list = h->required.items[t].expressions;
        for (uint32_t i = 0; i < list.count; i++) {
            for (uint32_t k = 0;
                 normal(s, list.items[i].key) == key && list.items[i].op == KARP_OP_IN && k < list.items[i].value_count;
                 k++) {
                want(w, list.items[i].values[k]);
            }
        }
    }
    for (uint32_t i = 0; i < c->alternative_count; i++)
        want_of_requirement(w, set_get(&s->snapshot->algebra, c->alternatives[i].set, key));
}

static void want_zones(wanted *w, uint32_t pool)
{
    const karp_snapshot *s = w->s->snapshot;
    const type_table *table = s->pool_table[pool] == NO_ID ? NULL : &s->tables[s->pool_table[pool]];
    for (uint32_t o = 0; table != NULL && o < table->offering_count; o++) {
        uint32_t zone = table->offerings[o].zone;
        if (table->offerings[o].available && zone != NO_ID && zone != NO_TEXT) want(w, zone);
    }
}

/* The expression changed to allow the value: added to In, or removed from NotIn. false = it is already allowed. */
static bool allow(search *s, const expression *e, uint32_t value, expression *out)
{
    uint32_t *values = search_array(s, e->value_count + (size_t)1, sizeof *values), count = 0;
    bool listed = false;
    if (values == NULL) return false;
    for (uint32_t i = 0; i < e->value_count; i++) {
        listed = listed || e->values[i] == value;
        if (e->op == KARP_OP_IN || e->values[i] != value) values[count++] = e->values[i];
    }
    if (listed == (e->op == KARP_OP_IN)) return false;
    if (e->op == KARP_OP_IN) values[count++] = value;
    *out = *e;
    out->values = values;
    out->value_count = count;
    if (e->op == KARP_OP_NOT_IN && count == 0) out->op = KARP_OP_EXISTS;
    return true;
}

void replace_expression(search *s, uint32_t pool, uint32_t index, const expression *with)
{
    node_pool *p = overlay_pool(&s->changed, pool);
    uint32_t count = p->requirements.count, n = 0;
    expression *list = search_array(s, count + (size_t)1, sizeof *list);
    if (list == NULL) return;
    for (uint32_t i = 0; i < count; i++) {
        if (i != index) list[n++] = p->requirements.items[i];
        else if (with != NULL) list[n++] = *with;
    }
    if (index >= count && with != NULL) list[n++] = *with;
    p->requirements = (expression_list){ list, n };
}

static void try_value(search *s, uint32_t pool, uint32_t index, uint32_t value, strbuf *text)
{
    const expression *e = &s->snapshot->raw.pools.items[pool].requirements.items[index];
    expression changed;
    if (!allow(s, e, value, &changed)) return;
    replace_expression(s, pool, index, &changed);
    strbuf_clear(text);
    strbuf_put(text, "allow ", text_of(s->snapshot, e->key), "=");
    strbuf_put(text, "", text_of(s->snapshot, value), " in the requirements");
    add_pool(s, text, pool);
    (void)search_try(s, KARP_REMEDY_ALLOW_VALUE, 1, text);
}

/* Whether the NodePool or a type or offering of its table has the label. */
static bool pool_has_key(const search *s, uint32_t pool, uint32_t key)
{
    const karp_snapshot *snapshot = s->snapshot;
    const node_pool *p = &snapshot->raw.pools.items[pool];
    const type_table *table = snapshot->pool_table[pool] == NO_ID ? NULL
                                                                  : &snapshot->tables[snapshot->pool_table[pool]];
    bool known = table == NULL || ids_have(table->type_keys, table->type_key_count, key) ||
                 ids_have(table->offering_keys, table->offering_key_count, key);
    for (uint32_t i = 0; i < p->requirements.count && !known; i++)
        known = normal(s, p->requirements.items[i].key) == key;
    for (uint32_t i = 0; i < p->template_labels.count && !known; i++)
        known = normal(s, p->template_labels.items[i].key) == key;
    return known;
}

static bool is_known(const search *s, uint32_t key)
{
    bool known = s->snapshot->facts.well_known[key];
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count && !known; p++) known = pool_has_key(s, p, key);
    return known;
}

/* A label of the pod's node selector that no NodePool has is added to this one. */
static void try_label(search *s, uint32_t pool, const label_pair *label, strbuf *text)
{
    const expression e = { label->key, KARP_OP_IN, 0, 1, &label->value };
    if (is_known(s, normal(s, label->key)) || pool_label_wrong(s->snapshot, label) != NULL) return;
    replace_expression(s, pool, s->snapshot->raw.pools.items[pool].requirements.count, &e);
    strbuf_clear(text);
    strbuf_put(text, "add the label ", text_of(s->snapshot, label->key), "=");
    strbuf_put(text, "", text_of(s->snapshot, label->value), " to the template");
    add_pool(s, text, pool);
    (void)search_try(s, KARP_REMEDY_ADD_LABEL, 1, text);
}

void try_labels(search *s)
{
    label_list labels = original_shape(s)->node_selector;
    strbuf text = strbuf_on(s->snapshot->context);
    size_t before = s->out->remedies.count;
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count && s->out->remedies.count == before; p++) {
        for (uint32_t i = 0; i < labels.count && !search_over(s); i++) try_label(s, p, &labels.items[i], &text);
    }
    strbuf_free(&text);
}

void try_values(search *s)
{
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count; p++) {
        expression_list list = s->snapshot->raw.pools.items[p].requirements;
        for (uint32_t i = 0; i < list.count && !search_over(s); i++) {
            wanted w = { .s = s };
            uint32_t key = normal(s, list.items[i].key);
            if (list.items[i].op != KARP_OP_IN && list.items[i].op != KARP_OP_NOT_IN) continue;
            want_by_pod(&w, key);
            if (key == s->snapshot->known.zone) want_zones(&w, p);
            for (size_t k = 0; k < w.values.count && !search_over(s); k++) try_value(s, p, i, w.values.items[k], &text);
            list_free(s->snapshot->context, &w.values, sizeof(uint32_t));
        }
    }
    strbuf_free(&text);
}

/* ---- requirements that leave no type ----------------------------------------------------------------------------- */

/* A requirement of a NodePool without types, such as a size that the cloud does not have, is left out. */
static void try_dropped(search *s, uint32_t pool, strbuf *text)
{
    expression_list list = s->snapshot->raw.pools.items[pool].requirements;
    for (uint32_t i = 0; i < list.count && !search_over(s); i++) {
        replace_expression(s, pool, i, NULL);
        strbuf_clear(text);
        strbuf_put(text, "drop or correct the requirement on ", text_of(s->snapshot, list.items[i].key), "");
        add_pool(s, text, pool);
        strbuf_adds(text, ", without which it has types");
        (void)search_try(s, KARP_REMEDY_REMOVE_VALUE, 1, text);
    }
}

void try_unmet(search *s)
{
    const karp_unschedulable *row = search_row(s, s->out->decision);
    strbuf text = strbuf_on(s->snapshot->context);
    for (size_t i = 0; row != NULL && i < row->pool_count; i++) {
        uint32_t pool = pool_named(s->snapshot, row->pools[i].node_pool);
        if (row->pools[i].code == KARP_REASON_NO_TEMPLATES && pool != NO_ID) try_dropped(s, pool, &text);
    }
    strbuf_free(&text);
}

void try_min_values(search *s)
{
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count; p++) {
        expression_list list = s->snapshot->raw.pools.items[p].requirements;
        for (uint32_t i = 0; i < list.count && !search_over(s); i++) {
            expression changed = list.items[i];
            if (changed.min_values == 0) continue;
            changed.min_values = 0;
            replace_expression(s, p, i, &changed);
            strbuf_clear(&text);
            strbuf_put(&text, "drop minValues on ", text_of(s->snapshot, changed.key), "");
            add_pool(s, &text, p);
            (void)search_try(s, KARP_REMEDY_DROP_MIN_VALUES, 1, &text);
        }
    }
    strbuf_free(&text);
}
