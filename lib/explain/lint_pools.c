/* SPDX-License-Identifier: Apache-2.0 */
/* NodePools: whether nodes can be launched from them, and whether they ever will be. */
#include <explain/lint.h>

#include <base/bits.h>
#include <model/label_rules.h>
#include <model/quantity.h>

static uint32_t count_admitted(linting *l, uint32_t pool, uint32_t set)
{
    const type_table *table = lint_table(l, pool);
    uint32_t count = 0;
    for (uint32_t t = 0; t < table->type_count; t++) count += lint_admits(l, table, t, set);
    return count;
}

/* ---- validation -------------------------------------------------------------------------------------------------- */

/* "spec.template.spec.requirements[KEY]". For taints a key may be repeated. */
static void report_part(linting *l, const pool_fault *f)
{
    static const char *const parts[] = { "spec.template.spec.requirements[", "spec.template.metadata.labels[",
                                         "spec.template.spec.taints[", "spec.template.spec.startupTaints[" };
    strbuf_adds(&l->field, parts[f->part]);
    if (f->part == POOL_REQUIREMENT || f->part == POOL_LABEL) strbuf_addstr(&l->field, text_of(l->snapshot, f->key));
    else strbuf_addu(&l->field, f->index);
    strbuf_addc(&l->field, ']');
}

static void check_faults(linting *l, uint32_t pool)
{
    const node_pool *p = &l->snapshot->raw.pools.items[pool];
    pool_fault fault = { 0 };
    while (!l->refused && pool_next_fault(l->snapshot, p, &fault)) {
        report_part(l, &fault);
        strbuf_put(&l->text, "Karpenter's validation refuses the NodePool, so nothing is launched from it: ",
                   text_of(l->snapshot, fault.key), "");
        strbuf_addc(&l->text, ' ');
        strbuf_adds(&l->text, fault.wrong);
        uint32_t key = l->snapshot->facts.normalized[fault.key];
        bool own = bits_test(l->known_keys, key); /* the key is known only because of this requirement or label */
        if (fault.part == POOL_REQUIREMENT || fault.part == POOL_LABEL) {
            bits_clear(l->known_keys, key);
            lint_suggest_key(l, key);
        }
        if (own) bits_set(l->known_keys, key);
        lint_note(l, LINT_POOL_REFUSED, "NodePool", pool_name(l->snapshot, pool));
        if (!mem_work(l->snapshot->context, 64)) l->refused = true;
    }
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* Names the single requirement without which instance types remain. */
static void name_blocking_requirement(linting *l, uint32_t pool)
{
    size_t n;
    const set_entry *e = set_entries(&l->algebra, l->pool_sets[pool], &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t key = e[i].key, without = set_remove(&l->algebra, l->pool_sets[pool], key);
        uint32_t count = count_admitted(l, pool, without);
        e = set_entries(&l->algebra, l->pool_sets[pool], &n); /* the entries may have moved */
        if (count == 0) continue;
        strbuf_put(&l->remedy, "without the requirement on ", text_of(l->snapshot, key), " there are ");
        strbuf_addu(&l->remedy, count);
        return;
    }
    strbuf_adds(&l->remedy, "no single requirement is the reason; ask for less");
}

static void no_types(linting *l, uint32_t pool)
{
    strbuf_adds(&l->field, "spec.template.spec.requirements");
    strbuf_putu(&l->text, "none of ", lint_table(l, pool)->type_count,
                " instance types with their offerings meets the requirements");
    name_blocking_requirement(l, pool);
    lint_note(l, LINT_NO_INSTANCE_TYPE, "NodePool", pool_name(l->snapshot, pool));
}

static void check_limit(linting *l, uint32_t pool, const resource_amount *limit)
{
    const type_table *table = lint_table(l, pool);
    const instance_type *least = NULL;
    amount smallest = amount_from(0);
    for (uint32_t t = 0; t < table->type_count; t++) {
        if (!lint_admits(l, table, t, l->pool_sets[pool])) continue;
        amount has = limit->resource == RESOURCE_NODES
                         ? amount_whole(1)
                         : resource_list_get(table->types[t].capacity_list, limit->resource);
        if (least != NULL && amount_cmp(has, smallest) >= 0) continue;
        least = &table->types[t];
        smallest = has;
    }
    if (least == NULL || amount_cmp(limit->value, smallest) >= 0) return;
    char number[QUANTITY_TEXT];
    karp_str resource = strings_get(&l->snapshot->raw.resources, limit->resource);
    strbuf_put(&l->field, "spec.limits.", resource, "");
    size_t length = quantity_format((quantity){ .value = limit->value, .binary = limit->binary }, number);
    strbuf_adds(&l->text, "the limit of ");
    strbuf_add(&l->text, number, length);
    length = quantity_format((quantity){ .value = smallest, .binary = limit->binary }, number);
    if (limit->resource == RESOURCE_NODES) strbuf_adds(&l->text, " nodes allows no launch");
    else {
        strbuf_put(&l->text, " is less than the smallest type that is allowed has (", text_of(l->snapshot, least->name),
                   ": ");
        strbuf_add(&l->text, number, length);
        strbuf_adds(&l->text, "): nothing is ever launched");
    }
    strbuf_adds(&l->remedy, "raise it to at least ");
    strbuf_add(&l->remedy, number, length);
    lint_note(l, LINT_LIMIT_BELOW_LAUNCH, "NodePool", pool_name(l->snapshot, pool));
}

/* Names the type that has the fewest addresses. */
static void check_addresses(linting *l, uint32_t pool)
{
    const type_table *table = lint_table(l, pool);
    const instance_type *least = NULL;
    char number[QUANTITY_TEXT];
    for (uint32_t t = 0; t < table->type_count; t++) {
        const instance_type *type = &table->types[t];
        if (type->pod_addresses == 0 || (least != NULL && type->pod_addresses >= least->pod_addresses)) continue;
        if (lint_admits(l, table, t, l->pool_sets[pool])) least = type;
    }
    if (least == NULL) return;
    const quantity pods = { .value = resource_list_get(least->capacity_list, RESOURCE_PODS) };
    strbuf_adds(&l->field, "spec.template.spec.nodeClassRef");
    strbuf_put(&l->text, "maxPods of the node class lets ", text_of(l->snapshot, least->name), " take ");
    strbuf_add(&l->text, number, quantity_format(pods, number));
    strbuf_putu(&l->text, " pods, and its network interfaces have addresses for ", least->pod_addresses,
                ": the others wait in ContainerCreating");
    strbuf_adds(&l->remedy, "have the VPC CNI assign prefixes (ENABLE_PREFIX_DELEGATION), or lower maxPods");
    lint_note(l, LINT_MAX_PODS_ABOVE_ADDRESSES, "NodePool", pool_name(l->snapshot, pool));
}

/* ---- minValues --------------------------------------------------------------------------------------------------- */

static void check_min_values(linting *l, uint32_t pool, uint32_t required, uint64_t *seen)
{
    const requirement *r = requirement_get(&l->algebra, required);
    uint32_t key = r->key, wanted = r->min_values;
    memset(seen, 0, bits_words(l->snapshot->facts.count) * sizeof *seen);
    uint32_t count = lint_mark_values(l, pool, key, required, seen);
    if (count >= wanted) return;
    strbuf_put(&l->field, "spec.template.spec.requirements[", text_of(l->snapshot, key), "].minValues");
    strbuf_putu(&l->text, "asks for ", wanted, " values, and the types that are allowed have ");
    strbuf_addu(&l->text, count);
    strbuf_adds(&l->remedy, "ask for fewer, or allow more types");
    lint_note(l, LINT_MIN_VALUES_UNMET, "NodePool", pool_name(l->snapshot, pool));
}

static void check_all_min_values(linting *l, uint32_t pool)
{
    uint64_t *seen = arena_array(&l->algebra.data, bits_words(l->snapshot->facts.count) + 1, sizeof *seen);
    size_t n;
    if (seen == NULL) {
        l->refused = true;
        return;
    }
    for (size_t i = 0;; i++) {
        const set_entry *e = set_entries(&l->algebra, l->pool_sets[pool], &n);
        if (i >= n) return;
        if (requirement_get(&l->algebra, e[i].requirement)->min_values > 0)
            check_min_values(l, pool, e[i].requirement, seen);
    }
}

/* If the input has no node class of the provider, node classes were probably left out. */
static void check_class(linting *l, uint32_t pool)
{
    const store *raw = &l->snapshot->raw;
    const node_pool *p = &raw->pools.items[pool];
    karp_str wanted = text_of(l->snapshot, p->class_name);
    nearest near = nearest_to(wanted);
    bool other_kind = false, some = false;
    for (size_t i = 0; i < raw->node_classes.count; i++) {
        const node_class *c = &raw->node_classes.items[i];
        if (c->group != p->class_group) continue;
        some = true;
        karp_str name = name_of(l->snapshot, c->meta.name);
        if (c->kind == p->class_kind) nearest_offer(&near, name);
        if (!equal_str(name, wanted)) continue;
        if (c->kind == p->class_kind) return;
        other_kind = true;
    }
    if (!some) return;
    strbuf_adds(&l->field, "spec.template.spec.nodeClassRef");
    strbuf_addstr(&l->text, text_of(l->snapshot, p->class_kind));
    strbuf_put(&l->text, " ", wanted, "");
    strbuf_adds(&l->text, other_kind ? " is not in the input; there is one of that name and of another kind"
                                     : " is not in the input");
    if (!other_kind) lint_suggest(l, &near);
    lint_note(l, LINT_NODE_CLASS_MISSING, "NodePool", pool_name(l->snapshot, pool));
}

/* ---- NodePools that are never used ------------------------------------------------------------------------------- */

static bool has_taint(taint_list list, const taint *wanted)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const taint *t = &list.items[i];
        if (t->key == wanted->key && t->value == wanted->value && t->effect == wanted->effect) return true;
    }
    return false;
}

/* Whether nodes of both NodePools have the same values for the label, or the label comes from types and offerings. */
static bool same_elsewhere(const linting *l, const set_entry *mine, uint32_t other, const type_table *table)
{
    const known_text *k = &l->snapshot->known;
    return mine->key == k->node_pool || lint_has_key(table, mine->key) ||
           set_get(&l->algebra, other, mine->key) == mine->requirement;
}

static bool takes_all(linting *l, uint32_t heavy, uint32_t pool)
{
    const type_table *table = lint_table(l, pool);
    size_t n;
    const set_entry *e = set_entries(&l->algebra, l->pool_sets[pool], &n);
    for (size_t i = 0; i < n; i++) {
        if (!same_elsewhere(l, &e[i], l->pool_sets[heavy], table)) return false;
    }
    for (uint32_t t = 0; t < table->type_count; t++) {
        if (!lint_admits(l, table, t, l->pool_sets[pool])) continue;
        const instance_type *type = &table->types[t];
        if (!set_agree(&l->algebra, type->set, l->pool_sets[heavy])) return false;
        for (uint32_t i = 0; i < type->offering_count; i++) {
            const offering *o = &table->offerings[type->offering_first + i];
            if (o->available && set_compatible(&l->algebra, l->pool_sets[pool], o->set, true) &&
                !set_compatible(&l->algebra, l->pool_sets[heavy], o->set, true))
                return false;
        }
    }
    return true;
}

/* Whether some pod requires the NodePool by name. */
static bool selected_by_name(const linting *l, uint32_t pool)
{
    const store *raw = &l->snapshot->raw;
    uint32_t key = l->snapshot->known.node_pool, name = l->snapshot->pool_names[pool].name;
    for (size_t i = 0; i < raw->shapes.count; i++) {
        const shape *h = &raw->shapes.items[i];
        for (uint32_t k = 0; k < h->node_selector.count; k++) {
            if (h->node_selector.items[k].key == key && h->node_selector.items[k].value == name) return true;
        }
        for (uint32_t k = 0; k < h->required.count; k++) {
            for (uint32_t x = 0; x < h->required.items[k].expressions.count; x++) {
                if (h->required.items[k].expressions.items[x].key == key) return true;
            }
        }
    }
    return false;
}

static bool shadows(linting *l, uint32_t heavy, uint32_t pool)
{
    const store *raw = &l->snapshot->raw;
    const node_pool *h = &raw->pools.items[heavy], *p = &raw->pools.items[pool];
    if (h->weight <= p->weight || h->replicas >= 0 || h->limits.count > 0 || l->pool_sets[heavy] == NO_ID) return false;
    if (!pool_usable(l->snapshot, h) || l->snapshot->pool_table[heavy] != l->snapshot->pool_table[pool]) return false;
    for (uint32_t i = 0; i < h->taints.count; i++) {
        if (!has_taint(p->taints, &h->taints.items[i])) return false;
    }
    return !selected_by_name(l, pool) && takes_all(l, heavy, pool);
}

static void check_shadow(linting *l, uint32_t pool)
{
    const store *raw = &l->snapshot->raw;
    if (raw->pools.items[pool].replicas >= 0) return;
    for (uint32_t h = 0; h < raw->pools.count; h++) {
        if (h == pool || !shadows(l, h, pool)) continue;
        strbuf_adds(&l->field, "spec.weight");
        strbuf_put(&l->text, "every node it could launch is launched from NodePool ", pool_name(l->snapshot, h),
                   ", which has a higher weight and no limits");
        strbuf_adds(&l->remedy, "give it the higher weight, or the other one limits or a taint");
        lint_note(l, LINT_POOL_SHADOWED, "NodePool", pool_name(l->snapshot, pool));
        return;
    }
}

void lint_pools(linting *l)
{
    const store *raw = &l->snapshot->raw;
    for (uint32_t p = 0; p < raw->pools.count && !l->refused; p++) {
        if (!mem_work(l->snapshot->context,
                      l->pool_sets[p] == NO_ID ? 1 : lint_table(l, p)->offering_count + (size_t)1)) {
            l->refused = true;
            return;
        }
        check_faults(l, p);
        check_class(l, p);
        if (l->pool_sets[p] == NO_ID || lint_table(l, p)->type_count == 0) continue;
        if (count_admitted(l, p, l->pool_sets[p]) == 0) {
            no_types(l, p);
            continue;
        }
        for (uint32_t i = 0; i < raw->pools.items[p].limits.count; i++)
            check_limit(l, p, &raw->pools.items[p].limits.items[i]);
        check_addresses(l, p);
        check_all_min_values(l, p);
        check_shadow(l, p);
    }
}
