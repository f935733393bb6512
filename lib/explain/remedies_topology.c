/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of what keeps a pod from a domain: of NodePools and nodes that make domains known, of the pod that it has to
 * join, and of its own constraints. */
#include <explain/explain_pod.h>

#include <base/sort.h>

/* ---- domains that no node can be in ------------------------------------------------------------------------------ */

/* Tries what was changed, or undoes it if nothing was or memory ran out. */
static void try_changes(search *s, uint32_t kind, uint32_t changes, strbuf *text)
{
    if (changes > 0 && s->status == KARP_OK) (void)search_try(s, kind, changes, text);
    else overlay_view_reset(&s->changed);
    strbuf_free(text);
}

/* Adds the NodePool that is changed next. */
static void name_pool(const search *s, strbuf *text, uint32_t pool_number, uint32_t changes)
{
    strbuf_adds(text, changes > 0 ? " and " : "");
    strbuf_addstr(text, pool_name(s->snapshot, pool_number));
}

/* The NodePool's requirement on the key that lists the value; NO_ID = none. */
static uint32_t requirement_listing(const search *s, uint32_t pool_number, uint32_t key, uint32_t value)
{
    expression_list list = s->snapshot->raw.pools.items[pool_number].requirements;
    for (uint32_t i = 0; i < list.count; i++) {
        const expression *e = &list.items[i];
        if (s->snapshot->facts.normalized[e->key] == key && e->op == KARP_OP_IN &&
            ids_have(e->values, e->value_count, value))
            return i;
    }
    return NO_ID;
}

/* Removes the value from every NodePool that names it. */
static void try_value_removed(search *s, const karp_topology *t, const karp_topology_domain *d)
{
    uint32_t key = search_text_id(s, t->key), value = search_text_id(s, d->value), changes = 0;
    if (key == NO_ID || value == NO_ID) return;
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_put(&text, "remove ", d->value, " from the requirements of NodePool ");
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count && s->status == KARP_OK; p++) {
        uint32_t index = requirement_listing(s, p, key, value);
        if (index == NO_ID) continue;
        const expression *e = &s->snapshot->raw.pools.items[p].requirements.items[index];
        expression left = *e;
        uint32_t *values = search_array(s, e->value_count, sizeof *values);
        if (values == NULL) break;
        left.value_count = 0;
        for (uint32_t v = 0; v < e->value_count; v++) {
            if (e->values[v] != value) values[left.value_count++] = e->values[v];
        }
        left.values = values;
        replace_expression(s, p, index, left.value_count > 0 ? &left : NULL);
        name_pool(s, &text, p, changes++);
        strbuf_adds(&text, left.value_count > 0 ? "" : ", with the requirement, which has no other value");
    }
    try_changes(s, KARP_REMEDY_REMOVE_VALUE, changes, &text);
}

/* Removes the label from the nodes that have this value. */
static void try_label_removed(search *s, const karp_topology *t, const karp_topology_domain *d)
{
    uint32_t key = search_text_id(s, t->key), value = search_text_id(s, d->value), changes = 0;
    if (key == NO_ID) return;
    if (d->value.len == 0) value = NO_TEXT;
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_put(&text, "remove the label ", t->key, "");
    strbuf_adds(&text, d->value.len == 0 ? ", or give it a value, on node " : ", or correct it, on node ");
    for (uint32_t n = 0; n < s->snapshot->node_count && s->status == KARP_OK; n++) {
        const state_node *node_ = &s->snapshot->nodes[n];
        if (label_get(node_->labels, key) != value) continue;
        if (!overlay_remove_label(&s->changed, n, key)) s->status = KARP_E_NOMEM;
        if (changes++ > 0) continue;
        strbuf_addstr(&text, name_of(s->snapshot, node_->name));
    }
    if (changes > 1) {
        strbuf_putu(&text, " and ", changes - 1, "");
        strbuf_adds(&text, changes == 2 ? " other" : " others");
    }
    try_changes(s, KARP_REMEDY_REMOVE_LABEL, changes, &text);
}

/* Excludes the value in all NodePools that could launch nodes there. */
static void try_value_excluded(search *s, const karp_topology *t, const karp_topology_domain *d)
{
    uint32_t key = search_text_id(s, t->key), changes = 0;
    uint32_t *value = search_array(s, 1, sizeof *value);
    if (value == NULL || key == NO_ID) return;
    *value = search_text_id(s, d->value);
    const expression not_in = { .key = key, .op = KARP_OP_NOT_IN, .values = value, .value_count = 1 };
    if (*value == NO_ID) return;
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_put(&text, "exclude ", d->value, " (");
    strbuf_put(&text, "", t->key, " NotIn) in NodePool ");
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count && s->status == KARP_OK; p++) {
        if (!pool_usable(s->snapshot, &s->snapshot->raw.pools.items[p])) continue;
        replace_expression(s, p, s->snapshot->raw.pools.items[p].requirements.count, &not_in);
        name_pool(s, &text, p, changes++);
    }
    try_changes(s, KARP_REMEDY_EXCLUDE_VALUE, changes, &text);
}

/* ---- the pod that it has to join --------------------------------------------------------------------------------- */

static uint32_t pod_named(const search *s, karp_str name)
{
    for (uint32_t i = 0; i < s->snapshot->pending_count; i++) {
        if (equal_str(pod_name(s->snapshot, s->snapshot->pending[i]), name)) return s->snapshot->pending[i];
    }
    return NO_ID;
}

/* Makes the other pod require a domain in which both can be. It has to be pending, too. */
static void try_partner(search *s, const karp_topology *t, karp_str partner, karp_str domain)
{
    uint32_t key = search_text_id(s, t->key), value = search_text_id(s, domain), other = pod_named(s, partner);
    if (key == NO_ID || value == NO_ID || other == NO_ID) return;
    uint32_t class_number = s->snapshot->pod_class[other];
    if (class_number == s->snapshot->pod_class[s->pod]) return;
    if (!select_label(s, overlay_class_shape(&s->changed, class_number), key, value)) return;
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_put(&text, "start ", pod_name(s->snapshot, s->pod), " before ");
    strbuf_addstr(&text, partner);
    strbuf_put(&text, ", or give the latter the node selector ", t->key, "=");
    strbuf_addstr(&text, domain);
    (void)search_try(s, KARP_REMEDY_PIN_PARTNER, 1, &text);
    strbuf_free(&text);
}

static void try_partners(search *s, const karp_topology *t)
{
    for (size_t i = 0; i < t->domain_count; i++) {
        const karp_topology_domain *joined = &t->domains[i];
        if (joined->count == 0 || joined->code == KARP_DOMAIN_ALLOWED) continue;
        for (size_t k = 0; k < t->domain_count && !search_over(s); k++) {
            if (t->domains[k].code == KARP_DOMAIN_NO_POD) try_partner(s, t, joined->pod, t->domains[k].value);
        }
        return;
    }
}

/* ---- its own constraints ----------------------------------------------------------------------------------------- */

/* A copy of the pod's spread constraints in the view; NULL = out of memory. */
static spread_constraint *own_spread(search *s)
{
    const shape *h = original_shape(s);
    spread_constraint *list = search_copy(s, h->spread.items, h->spread.count, sizeof *list);
    if (list != NULL) overlay_shape(&s->changed, s->shape)->spread.items = list;
    return list;
}

/* The selector with the pod's own values for the labels that it names; NULL = the pod lacks one, or nothing differs. */
static selector *with_own_values(search *s, const selector *x, strbuf *text)
{
    label_list labels = store_pod_labels(&s->snapshot->raw, pod_at(&s->snapshot->raw, s->pod)->labels);
    selector *changed = search_array(s, 1, sizeof *changed);
    label_pair *items = search_array(s, x->labels.count + (size_t)1, sizeof *items);
    uint32_t differs = 0;
    if (changed == NULL || items == NULL) return NULL;
    for (uint32_t i = 0; i < x->labels.count; i++) {
        items[i] = x->labels.items[i];
        items[i].value = label_get(labels, items[i].key);
        if (items[i].value == NO_ID) return NULL;
        if (items[i].value == x->labels.items[i].value) continue;
        strbuf_adds(text, differs++ > 0 ? ", and " : "");
        add_word(s, text, items[i].key);
        strbuf_addc(text, '=');
        add_word(s, text, items[i].value);
        strbuf_adds(text, " instead of ");
        add_word(s, text, x->labels.items[i].value);
    }
    *changed = *x;
    changed->labels.items = items;
    return differs > 0 ? changed : NULL;
}

static void try_selectors_corrected(search *s)
{
    const shape *h = original_shape(s);
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t i = 0; i < h->spread.count && !search_over(s); i++) {
        if (h->spread.items[i].label_selector == NULL || h->spread.items[i].schedule_anyway) continue;
        strbuf_clear(&text);
        strbuf_adds(&text, "correct the selector of the spread constraint on ");
        add_word(s, &text, h->spread.items[i].topology_key);
        strbuf_adds(&text, ": ");
        selector *right = with_own_values(s, h->spread.items[i].label_selector, &text);
        spread_constraint *list = right == NULL ? NULL : own_spread(s);
        if (list == NULL) continue;
        list[i].label_selector = right;
        (void)search_try(s, KARP_REMEDY_CORRECT_SELECTOR, 1, &text);
    }
    strbuf_free(&text);
}

static void try_min_domains(search *s)
{
    const shape *h = original_shape(s);
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t i = 0; i < h->spread.count && !search_over(s); i++) {
        spread_constraint *list = h->spread.items[i].min_domains > 1 ? own_spread(s) : NULL;
        if (list == NULL) continue;
        list[i].min_domains = 0;
        strbuf_clear(&text);
        strbuf_adds(&text, "drop minDomains of the spread constraint on ");
        add_word(s, &text, h->spread.items[i].topology_key);
        (void)search_try(s, KARP_REMEDY_DROP_MIN_DOMAINS, 1, &text);
    }
    strbuf_free(&text);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* A domain that has the fewest pods, or is to be started in, but cannot take the pod. */
static void try_domain(search *s, const karp_topology *t, const karp_topology_domain *d)
{
    bool starts = t->kind == KARP_TOPOLOGY_AFFINITY && d->count == 0;
    if (!d->minimum && !starts) return;
    if (d->code == KARP_DOMAIN_NO_NODE && d->named) try_value_removed(s, t, d);
    else if (d->code == KARP_DOMAIN_NO_NODE && d->pool_count == 0) try_label_removed(s, t, d);
    else if (d->code == KARP_DOMAIN_VOLUME && d->node_count == 0) try_value_excluded(s, t, d);
}

void try_topology_causes(search *s)
{
    enum { DOMAINS_TRIED = 6 };
    const karp_unschedulable *row = search_row(s, s->out->decision);
    if (row == NULL || row->topology_count == 0) return;
    for (size_t i = 0; i < row->topology_count; i++) {
        const karp_topology *t = &row->topologies[i];
        size_t before = s->out->tried;
        for (size_t k = 0; k < t->domain_count && !search_over(s) && s->out->tried - before < DOMAINS_TRIED; k++)
            try_domain(s, t, &t->domains[k]);
        if (t->kind == KARP_TOPOLOGY_AFFINITY) try_partners(s, t);
    }
    try_selectors_corrected(s);
    try_min_domains(s);
}

/* ---- without a constraint ---------------------------------------------------------------------------------------- */

/* Whether another spread constraint has the same key. */
static bool shares_key(spread_list list, uint32_t index)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (i != index && list.items[i].topology_key == list.items[index].topology_key) return true;
    }
    return false;
}

/* " (app=web,tier=front)" */
static void add_labels(const search *s, strbuf *b, const selector *x)
{
    for (uint32_t i = 0; x != NULL && i < x->labels.count; i++) {
        strbuf_adds(b, i == 0 ? " (" : ",");
        add_word(s, b, x->labels.items[i].key);
        strbuf_addc(b, '=');
        add_word(s, b, x->labels.items[i].value);
    }
    if (x != NULL && x->labels.count > 0) strbuf_addc(b, ')');
}

static void try_terms(search *s, pod_term_list list, pod_term_list *changed, const char *what)
{
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t i = 0; i < list.count && !search_over(s); i++) {
        pod_term_list left = { list_without(s, list.items, list.count, sizeof(pod_term), i), list.count - 1 };
        if (left.items == NULL) break;
        *changed = left;
        strbuf_clear(&text);
        strbuf_adds(&text, what);
        add_word(s, &text, list.items[i].topology_key);
        (void)search_try(s, KARP_REMEDY_DROP_TOPOLOGY, 1, &text);
    }
    strbuf_free(&text);
}

void try_topology(search *s)
{
    const shape *h = original_shape(s);
    shape *changed = overlay_shape(&s->changed, s->shape);
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t i = 0; i < h->spread.count && !search_over(s); i++) {
        if (h->spread.items[i].schedule_anyway) continue;
        spread_list left = { list_without(s, h->spread.items, h->spread.count, sizeof(spread_constraint), i),
                             h->spread.count - 1 };
        if (left.items == NULL) break;
        changed->spread = left;
        strbuf_clear(&text);
        strbuf_adds(&text, "drop the spread constraint on ");
        add_word(s, &text, h->spread.items[i].topology_key);
        if (shares_key(h->spread, i)) add_labels(s, &text, h->spread.items[i].label_selector);
        (void)search_try(s, KARP_REMEDY_DROP_TOPOLOGY, 1, &text);
    }
    strbuf_free(&text);
    try_terms(s, h->required_affinity, &changed->required_affinity, "drop the pod affinity on ");
    try_terms(s, h->required_anti, &changed->required_anti, "drop the pod anti-affinity on ");
}
