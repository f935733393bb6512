/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the pod's own constraints that keep their sense: the key that was meant, and domains in which all of them
 * can hold. */
#include <explain/explain_pod.h>

#include <base/str.h>
#include <schedule/report.h>

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* The label that the key stands for, if the key has no domain; NO_ID = none. */
static uint32_t meant_by(const search *s, const karp_unschedulable *row, uint32_t key)
{
    karp_str name = text_of(s->snapshot, key);
    for (size_t i = 0; i < row->topology_count; i++) {
        const karp_topology *t = &row->topologies[i];
        if (t->domain_total > 0 || !equal_str(t->key, name)) continue;
        karp_str meant = topology_key_meant(name);
        return meant.len == 0 ? NO_ID : search_text_id(s, meant);
    }
    return NO_ID;
}

static void try_key(search *s, uint32_t from, uint32_t to, const char *where)
{
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_adds(&text, "use ");
    add_word(s, &text, to);
    strbuf_adds(&text, " instead of ");
    add_word(s, &text, from);
    strbuf_adds(&text, where);
    (void)search_try(s, KARP_REMEDY_CORRECT_KEY, 1, &text);
    strbuf_free(&text);
}

static void try_keys_of_terms(search *s, const karp_unschedulable *row, pod_term_list list, pod_term_list *changed,
                              const char *where)
{
    for (uint32_t i = 0; i < list.count && !search_over(s); i++) {
        uint32_t meant = meant_by(s, row, list.items[i].topology_key);
        pod_term *items = meant == NO_ID ? NULL : search_copy(s, list.items, list.count, sizeof *items);
        if (meant == NO_ID) continue;
        if (items == NULL) return;
        items[i].topology_key = meant;
        changed->items = items;
        try_key(s, list.items[i].topology_key, meant, where);
    }
}

static void try_keys_of_spread(search *s, const karp_unschedulable *row)
{
    spread_list list = original_shape(s)->spread;
    for (uint32_t i = 0; i < list.count && !search_over(s); i++) {
        uint32_t meant = list.items[i].schedule_anyway ? NO_ID : meant_by(s, row, list.items[i].topology_key);
        if (meant == NO_ID) continue;
        spread_constraint *items = search_copy(s, list.items, list.count, sizeof *items);
        if (items == NULL) return;
        items[i].topology_key = meant;
        overlay_shape(&s->changed, s->shape)->spread.items = items;
        try_key(s, list.items[i].topology_key, meant, " in the topology spread");
    }
}

/* ---- domains ----------------------------------------------------------------------------------------------------- */

/* Makes every term of the pod's required node affinity require the values; a term of its own if there is none. */
static bool require_values(search *s, uint32_t key, const uint32_t *values, uint32_t count)
{
    node_term_list had = original_shape(s)->required;
    uint32_t terms = had.count > 0 ? had.count : 1;
    node_term *list = search_array(s, terms, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < terms; i++) {
        expression_list own = had.count > 0 ? had.items[i].expressions : (expression_list){ NULL, 0 };
        expression *all = search_array(s, own.count + (size_t)1, sizeof *all);
        if (all == NULL) break;
        if (had.count > 0) list[i] = had.items[i];
        for (uint32_t k = 0; k < own.count; k++) all[k] = own.items[k];
        all[own.count] = (expression){ .key = key, .op = KARP_OP_IN, .values = values, .value_count = count };
        list[i].expressions = (expression_list){ all, own.count + 1 };
        if (i + 1 < terms) continue;
        overlay_shape(&s->changed, s->shape)->required = (node_term_list){ list, terms };
        return true;
    }
    return false;
}

static bool is_allowed(const karp_topology_domain *d) { return d->code == KARP_DOMAIN_ALLOWED; }

static bool can_take(const karp_topology_domain *d)
{
    return d->code == KARP_DOMAIN_ALLOWED || d->code == KARP_DOMAIN_SKEW || d->code == KARP_DOMAIN_NOT_CHOSEN;
}

/* Requires those of the constraint's domains. */
static void try_domains_of(search *s, const karp_topology *t, bool (*takes)(const karp_topology_domain *),
                           const char *why)
{
    uint32_t key = search_text_id(s, t->key), count = 0;
    uint32_t *values = search_array(s, t->domain_count + 1, sizeof *values);
    if (values == NULL || key == NO_ID) return;
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_put(&text, "require ", t->key, "");
    for (size_t i = 0; i < t->domain_count; i++) {
        karp_str value = t->domains[i].value;
        uint32_t id = search_text_id(s, value);
        if (!takes(&t->domains[i]) || id == NO_ID || value.len == 0) continue;
        strbuf_adds(&text, count == 0 ? " In " : ",");
        strbuf_addstr(&text, value);
        values[count++] = id;
    }
    strbuf_adds(&text, why);
    if (count > 0 && count < t->domain_total && require_values(s, key, values, count))
        (void)search_try(s, KARP_REMEDY_REQUIRE_DOMAINS, 1, &text);
    strbuf_free(&text);
}

/* A spread chooses one domain, whatever other constraints on the same key say: so it has to choose among theirs. */
static void try_domains(search *s, const karp_unschedulable *row)
{
    for (size_t i = 0; i < row->topology_count; i++) {
        const karp_topology *t = &row->topologies[i];
        bool beside = false;
        for (size_t k = 0; k < row->topology_count; k++)
            beside = beside ||
                     (row->topologies[k].kind == KARP_TOPOLOGY_SPREAD && equal_str(row->topologies[k].key, t->key));
        const char *why = t->kind == KARP_TOPOLOGY_AFFINITY ? ", where the pods to join are"
                                                            : ", which its other constraint allows";
        if (t->kind != KARP_TOPOLOGY_SPREAD && beside && !search_over(s)) try_domains_of(s, t, is_allowed, why);
    }
}

/* A spread counts only the domains that the pod's node affinity allows: then those that cannot take the pod do not hold
 * the minimum down. */
static void try_minimum_of_others(search *s, const karp_unschedulable *row)
{
    for (size_t i = 0; i < row->topology_count && !search_over(s); i++) {
        if (row->topologies[i].kind == KARP_TOPOLOGY_SPREAD)
            try_domains_of(s, &row->topologies[i], can_take, ", so that the spread counts no other domains");
    }
}

void try_own_topology(search *s)
{
    const shape *h = original_shape(s);
    const karp_unschedulable *row = search_row(s, s->out->decision);
    shape *changed = overlay_shape(&s->changed, s->shape);
    if (row == NULL || row->topology_count == 0) return;
    try_keys_of_spread(s, row);
    try_keys_of_terms(s, row, h->required_affinity, &changed->required_affinity, " in the pod affinity");
    try_keys_of_terms(s, row, h->required_anti, &changed->required_anti, " in the pod anti-affinity");
    try_domains(s, row);
    if (s->out->remedies.count == 0) try_minimum_of_others(s, row);
}
