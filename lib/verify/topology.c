/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spread, pod affinity and anti-affinity, checked in the final state. A scheduler that places pods one by one may
 * reach counts that the final state alone does not explain. So each check only uses what is true for every order of
 * placements.
 */
#include <verify/kinds.h>
#include <base/sort.h>

#include <base/bits.h>
#include <base/str.h>

/* ---- kinds of pods ----------------------------------------------------------------------------------------------- */

/* The kind of a pod: pods that no constraint distinguishes. */
uint32_t kind_of(const verifier *v, uint32_t pod_number) { return v->snapshot->pod_class[pod_number]; }

/* Whether Karpenter could look up the pod's volumes. If not, it ignores the pod's constraints (S-Q2). */
bool constrained(const verifier *v, uint32_t kind) { return v->snapshot->classes[kind].volumes_found || !v->quirks; }

label_list kind_labels(const verifier *v, uint32_t kind)
{
    const struct words_entry *e = &v->snapshot->raw.projected.entries[v->snapshot->classes[kind].labels];
    return (label_list){ (const label_pair *)(const void *)e->ptr, e->count / 2 };
}

/* ---- domains ----------------------------------------------------------------------------------------------------- */

/* A launch is a host of its own, with a number above all text ids. */
static uint32_t launch_host(const verifier *v, const target *t) { return UINT32_MAX - 2 - (uint32_t)(t - v->targets); }

/* The value of the label of a Node. In profile karp an older name of the key serves as well: the first of several, as
 * the key itself does not settle it. */
static uint32_t node_value(const verifier *v, label_list labels, uint32_t key)
{
    uint32_t value = label_get(labels, key), older = NO_ID;
    for (uint32_t i = 0; value == NO_ID && !v->quirks && i < labels.count; i++) {
        if (word_key(&v->words, labels.items[i].key) != key) continue;
        if (older != NO_ID &&
            compare_str(word_text(&v->words, labels.items[i].key), word_text(&v->words, labels.items[older].key)) > 0)
            continue;
        older = i;
    }
    return older == NO_ID ? value : labels.items[older].value;
}

/* The domain of a running pod; NO_ID = none. */
uint32_t bound_domain(const verifier *v, uint32_t pod_number, uint32_t key, bool name_serves)
{
    const node *n = &v->snapshot->raw.nodes.items[v->snapshot->pod_node[pod_number]];
    uint32_t value = node_value(v, n->meta.labels, key);
    if (value != NO_ID || key != v->snapshot->known.hostname || !name_serves) return value;
    karp_str name = name_of(v->snapshot, n->meta.name);
    return strings_find(&v->snapshot->raw.text, name.ptr, name.len);
}

/* The possible domains of a target: count 0 = it has no such label, open = any value. */
spot_domains domains_of(const verifier *v, const target *t, uint32_t key)
{
    spot_domains d = { .count = 0 };
    if (key == v->snapshot->known.hostname) {
        d.one = t->is_launch ? launch_host(v, t) : v->snapshot->nodes[t->node].hostname;
        d.count = 1;
        return d;
    }
    const rule *r = rules_find(&t->labels, key);
    if (r == NULL) return d;
    if (r->excludes) {
        d.open = true;
        return d;
    }
    d.values = r->values;
    d.count = r->count;
    d.one = r->count > 0 ? r->values[0] : NO_ID;
    return d;
}

bool usable_target(const verifier *v, uint32_t number)
{
    if (number == NO_ID) return false;
    const target *t = &v->targets[number];
    return t->is_launch ? t->pool != NO_ID : t->node != NO_ID;
}

/* Whether a pod counts on its current node: it runs, is not being deleted, and is not placed again. */
bool counts_where_it_runs(const verifier *v, uint32_t pod_number)
{
    const struct pod *p = pod_at(&v->snapshot->raw, pod_number);
    return v->snapshot->pod_node[pod_number] != NO_ID && !pod_over(p) && p->deletion == KARP_NO_TIME &&
           !v->waits[pod_number];
}

/* ---- selected kinds ---------------------------------------------------------------------------------------------- */

static bool in_namespaces(const verifier *v, const pod_term *t, uint32_t own, uint32_t name_space)
{
    const store *raw = &v->snapshot->raw;
    if (t->namespace_selector == NULL && t->namespace_count == 0) return name_space == own;
    if (ids_have(t->namespaces, t->namespace_count, name_space)) return true;
    karp_str wanted = text_of(v->snapshot, name_space);
    uint32_t name = t->namespace_selector == NULL ? NO_ID : strings_find(&raw->names, wanted.ptr, wanted.len);
    for (size_t i = 0; name != NO_ID && i < raw->namespaces.count; i++) {
        if (raw->namespaces.items[i].name == name)
            return selector_matches(t->namespace_selector, raw->namespaces.items[i].labels);
    }
    return false;
}

/* The kinds that the term of a pod in namespace `own` selects. The term must have a selector. */
static bool select_by_term(verifier *v, const pod_term *t, uint32_t own)
{
    kind_list near = kinds_near(v, v->kinds, t->label_selector);
    kinds_select_none(v->kinds);
    for (uint32_t i = 0; i < near.count; i++) {
        uint32_t kind = near.items[i];
        if (in_namespaces(v, t, own, v->snapshot->classes[kind].name_space) &&
            selector_matches(t->label_selector, kind_labels(v, kind)))
            kinds_select(v->kinds, kind);
    }
    return verifier_worked(v, near.count * (size_t)32);
}

/* Whether the key is normalized. An older key is looked up as written, so that no node has it (S-Q34). */
bool key_as_written(const verifier *v, uint32_t key) { return word_key(&v->words, key) == key; }

static uint32_t terms_on(pod_term_list list, uint32_t key)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list.count; i++) count += list.items[i].topology_key == key;
    return count;
}

static uint32_t constraints_on(const shape *h, uint32_t key)
{
    uint32_t count = terms_on(h->required_affinity, key) + terms_on(h->preferred_affinity, key) +
                     terms_on(h->required_anti, key) + terms_on(h->preferred_anti, key);
    for (uint32_t i = 0; i < h->spread.count; i++) count += h->spread.items[i].topology_key == key;
    return count;
}

/* Whether the scheduler may have assumed a label that the target does not have. Karpenter treats excluded values as
 * domains (S-Q6). It treats a label whose values a pod excludes on an existing node as a label of the node. And it
 * treats two constraints without a common domain as a requirement that the label is absent. */
bool label_imagined(const verifier *v, const target *t, uint32_t key)
{
    const rule *r = rules_find(&t->labels, key);
    if (!v->quirks) return false;
    if (t->is_launch) return r != NULL && !r->excludes && r->count == 0;
    if (excluded_by_pods(v, t, key, true)) return true;
    for (uint32_t i = 0; i < t->pod_count; i++) {
        if (constraints_on(pod_shape(v, t->pods[i]), key) > 1) return true;
    }
    return map64_get(&v->kinds->anti_keys, key) != NO_ID; /* anti-affinity of other pods is a constraint, too */
}

/* ---- equal terms ------------------------------------------------------------------------------------------------- */

enum { AFFINITY, ANTI, ANTI_OF_BOUND };

static void add_term(constraint_uses *a, uint32_t role, uint32_t kind, const pod_term *t)
{
    if (t->label_selector == NULL || !key_as_written(a->key.v, t->topology_key)) return;
    key_add(&a->key, role);
    key_add(&a->key, t->topology_key);
    key_add(&a->key, a->key.v->snapshot->classes[kind].name_space);
    key_add(&a->key, t->namespace_count);
    for (uint32_t i = 0; i < t->namespace_count; i++) key_add(&a->key, t->namespaces[i]);
    key_add_selector(&a->key, t->namespace_selector);
    key_add_selector(&a->key, t->label_selector);
    constraint_uses_add(a, (constraint_use){ .kind = kind, .term = t });
}

/* ---- affinity ---------------------------------------------------------------------------------------------------- */

/* The selected pods in a domain that make it valid for another kind: running pods, and placed pods of other kinds. */
typedef struct neighbours {
    map64 runs; /* by domain: a selected pod runs there */
    LIST_OF(uint32_t) domains_that_run;
    map64 first, second; /* by domain: two kinds of selected pods that are placed there */
} neighbours;

static void add_running(verifier *v, neighbours *n, uint32_t domain)
{
    if (domain == NO_ID || map64_get(&n->runs, domain) != NO_ID) return;
    uint32_t *place = list_push(v->context, &n->domains_that_run, sizeof *place);
    if (place == NULL || !map64_put(&n->runs, domain, 1)) v->failed = true;
    else *place = domain;
}

static void add_kind(verifier *v, neighbours *n, uint32_t domain, uint32_t kind)
{
    uint32_t first = map64_get(&n->first, domain);
    if (first == kind || (first != NO_ID && map64_get(&n->second, domain) != NO_ID)) return;
    if (!map64_put(first == NO_ID ? &n->first : &n->second, domain, kind)) v->failed = true;
}

static void find_neighbours(verifier *v, uint32_t key, neighbours *n)
{
    for (uint32_t i = 0; i < v->kinds->selected_count; i++) {
        uint32_t kind = v->kinds->selected[i];
        kind_list pods = pods_of_kind(v->kinds, kind);
        for (uint32_t k = 0; k < pods.count && !v->failed; k++) {
            uint32_t p = pods.items[k];
            if (counts_where_it_runs(v, p)) {
                add_running(v, n, bound_domain(v, p, key, true));
            } else if (usable_target(v, v->at[p])) {
                spot_domains d = domains_of(v, &v->targets[v->at[p]], key);
                for (uint32_t x = 0; x < d.count; x++) add_kind(v, n, domain_at(&d, x), kind);
            }
        }
    }
}

static bool has_neighbour(const neighbours *n, uint32_t domain, uint32_t kind)
{
    uint32_t first = map64_get(&n->first, domain);
    return map64_get(&n->runs, domain) != NO_ID ||
           (first == kind ? map64_get(&n->second, domain) != NO_ID : first != NO_ID);
}

/* Whether a selected pod runs in a domain that the kind can use. */
static bool runs_somewhere(verifier *v, const neighbours *n, uint32_t kind, uint32_t key)
{
    const rule *own = rules_find(&pod_wishes(v, v->snapshot->classes[kind].shape)->terms[0], key);
    if (own == NULL) return n->domains_that_run.count > 0;
    for (size_t i = 0; i < n->domains_that_run.count; i++) {
        if (rule_accepts(&v->words, own, n->domains_that_run.items[i])) return true;
    }
    return false;
}

/* A domain without selected pods is valid for the first pod that selects itself, and for all that join it. */
static void check_affinity_of(verifier *v, const constraint_use *a, const neighbours *n)
{
    uint32_t key = a->term->topology_key, alone = NO_ID;
    bool runs = runs_somewhere(v, n, a->kind, key);
    /* With several node terms, pods may be placed by different ones, so that less can be checked. */
    bool relaxable = v->snapshot->raw.shapes.items[v->snapshot->classes[a->kind].shape].required.count > 1;
    kind_list pods = pods_of_kind(v->kinds, a->kind);
    for (uint32_t i = 0; i < pods.count && !v->failed; i++) {
        uint32_t p = pods.items[i];
        if (!usable_target(v, v->at[p])) continue;
        const target *t = &v->targets[v->at[p]];
        spot_domains d = domains_of(v, t, key);
        if (d.count == 0 && label_imagined(v, t, key)) continue;
        if (d.count == 0) {
            note(v, KARP_FINDING_AFFINITY, pod_object(v, p),
                 "%.*s has no certain %.*s, which its pod affinity is about", SHOW(t->name),
                 SHOW(text_of(v->snapshot, key)));
            continue;
        }
        for (uint32_t k = 0; k < d.count; k++) {
            uint32_t domain = domain_at(&d, k);
            if (has_neighbour(n, domain, a->kind)) continue;
            bool may_start = relaxable || ((alone == NO_ID || alone == domain) && !runs);
            if (v->kinds->is_selected[a->kind] && d.count == 1 && may_start) {
                alone = domain;
                continue;
            }
            note(v, KARP_FINDING_AFFINITY, pod_object(v, p),
                 "on %.*s no pod that its required pod affinity selects is in the same %.*s", SHOW(t->name),
                 SHOW(text_of(v->snapshot, key)));
            break;
        }
    }
}

static void check_affinity(verifier *v, const constraint_use *list, size_t count)
{
    neighbours n;
    memset(&n.domains_that_run, 0, sizeof n.domains_that_run);
    map64_init(&n.runs, v->context);
    map64_init(&n.first, v->context);
    map64_init(&n.second, v->context);
    find_neighbours(v, list->term->topology_key, &n);
    for (size_t i = 0; i < count && !v->failed; i++) check_affinity_of(v, &list[i], &n);
    map64_free(&n.runs);
    map64_free(&n.first);
    map64_free(&n.second);
    list_free(v->context, &n.domains_that_run, sizeof(uint32_t));
}

/* ---- anti-affinity ----------------------------------------------------------------------------------------------- */

/* The first two pods of a domain by namespace and name. At least one of them differs from the pod that is checked. */
typedef struct company {
    verifier *v;
    map64 first, second; /* domain -> pod */
} company;

static void company_init(company *c, verifier *v)
{
    c->v = v;
    map64_init(&c->first, v->context);
    map64_init(&c->second, v->context);
}

static void company_free(company *c)
{
    map64_free(&c->first);
    map64_free(&c->second);
}

/* Either may be NO_ID. */
static bool comes_before(const verifier *v, uint32_t x, uint32_t y)
{
    return x != NO_ID && (y == NO_ID || v->snapshot->pod_rank[x] < v->snapshot->pod_rank[y]);
}

static void company_add(company *c, uint32_t domain, uint32_t pod_number)
{
    if (domain == NO_ID || c->v->failed) return;
    uint32_t first = map64_get(&c->first, domain), later = pod_number;
    if (comes_before(c->v, pod_number, first)) {
        if (!map64_put(&c->first, domain, pod_number)) c->v->failed = true;
        later = first;
    }
    if (later == NO_ID || !comes_before(c->v, later, map64_get(&c->second, domain))) return;
    if (!map64_put(&c->second, domain, later)) c->v->failed = true;
}

static void company_add_all(company *c, const spot_domains *d, uint32_t pod_number)
{
    for (uint32_t i = 0; i < d->count; i++) company_add(c, domain_at(d, i), pod_number);
}

/* Another pod in the domain, or NO_ID. */
static uint32_t company_of(const company *c, uint32_t domain, uint32_t pod_number)
{
    uint32_t other = map64_get(&c->first, domain);
    return other == pod_number ? map64_get(&c->second, domain) : other;
}

/* Whether the launch's domain was fixed when the pod was placed, regardless of later pods. */
static bool certain_domain(const verifier *v, const target *t, uint32_t pod_number, uint32_t key)
{
    if (!t->is_launch || key == v->snapshot->known.hostname) return true;
    const rule *base = rules_find(&v->pools[t->pool].base, key);
    if (base != NULL && !base->excludes && base->count == 1) return true;
    const wishes *w = &v->wishes[pod_at(&v->snapshot->raw, pod_number)->shape];
    const rule *own = w->count == 1 ? rules_find(&w->terms[0], key) : NULL;
    return own != NULL && !own->excludes && own->count == 1;
}

static void note_together(verifier *v, uint32_t pod_number, uint32_t other, uint32_t key)
{
    note(v, KARP_FINDING_ANTI_AFFINITY, pod_object(v, pod_number),
         "on %.*s it shares its %.*s with pod %.*s, and a required anti-affinity forbids that",
         SHOW(v->targets[v->at[pod_number]].name), SHOW(text_of(v->snapshot, key)), SHOW(pod_name(v->snapshot, other)));
}

/* Adds the selected pods to those by domain, if the domain is certain for all, and to those by target. */
static void find_barred(verifier *v, uint32_t key, company *by_domain, company *by_target)
{
    for (uint32_t i = 0; i < v->kinds->selected_count; i++) {
        kind_list pods = pods_of_kind(v->kinds, v->kinds->selected[i]);
        for (uint32_t k = 0; k < pods.count && !v->failed; k++) {
            uint32_t p = pods.items[k];
            if (counts_where_it_runs(v, p)) {
                company_add(by_domain, bound_domain(v, p, key, true), p);
            } else if (usable_target(v, v->at[p])) {
                const target *t = &v->targets[v->at[p]];
                spot_domains d = domains_of(v, t, key);
                if (d.count == 1 && certain_domain(v, t, p, key)) company_add_all(by_domain, &d, p);
                if (d.count > 0) company_add(by_target, v->at[p], p);
            }
        }
    }
}

/* Adds the pods of the kind with domains that are only certain among themselves. */
static void find_own(verifier *v, const constraint_use *a, company *own)
{
    uint32_t key = a->term->topology_key;
    kind_list pods = pods_of_kind(v->kinds, a->kind);
    for (uint32_t k = 0; v->kinds->is_selected[a->kind] && k < pods.count && !v->failed; k++) {
        uint32_t p = pods.items[k];
        if (counts_where_it_runs(v, p) || !usable_target(v, v->at[p])) continue;
        const target *t = &v->targets[v->at[p]];
        spot_domains d = domains_of(v, t, key);
        if (d.count != 1 || !certain_domain(v, t, p, key)) company_add_all(own, &d, p);
    }
}

static void check_anti_of(verifier *v, const constraint_use *a, const company *by_domain, const company *by_target)
{
    uint32_t key = a->term->topology_key;
    kind_list pods = pods_of_kind(v->kinds, a->kind);
    company own;
    company_init(&own, v);
    find_own(v, a, &own);
    for (uint32_t i = 0; i < pods.count && !v->failed; i++) {
        uint32_t p = pods.items[i];
        if (!usable_target(v, v->at[p])) continue;
        spot_domains d = domains_of(v, &v->targets[v->at[p]], key);
        uint32_t other = d.count > 0 ? company_of(by_target, v->at[p], p) : NO_ID;
        for (uint32_t k = 0; k < d.count && other == NO_ID; k++) {
            uint32_t alike = company_of(&own, domain_at(&d, k), p);
            other = company_of(by_domain, domain_at(&d, k), p);
            if (comes_before(v, alike, other)) other = alike;
        }
        if (other != NO_ID) note_together(v, p, other, key);
    }
    company_free(&own);
}

/* Checks the term of pods that the plan places, against running and placed pods. One finding per pod is reported. */
static void check_anti(verifier *v, const constraint_use *list, size_t count)
{
    company by_domain, by_target;
    company_init(&by_domain, v);
    company_init(&by_target, v);
    find_barred(v, list->term->topology_key, &by_domain, &by_target);
    for (size_t i = 0; i < count && !v->failed; i++) check_anti_of(v, &list[i], &by_domain, &by_target);
    company_free(&by_domain);
    company_free(&by_target);
}

/* Whether the anti-affinity of a running pod applies: its Node must be known. A Node without the host name label does
 * not count by its name. */
static bool bars_where_it_runs(const verifier *v, uint32_t pod_number)
{
    const karp_snapshot *s = v->snapshot;
    uint32_t n = s->pod_node[pod_number];
    if (n == NO_ID || pod_over(pod_at(&s->raw, pod_number)) || v->waits[pod_number]) return false;
    return node_is_known(s, &s->raw.nodes.items[n]) && (s->lost == NULL || !bits_test(s->lost, n));
}

/* Checks the term of running pods against the pods that the plan places. */
static void check_anti_of_bound(verifier *v, const constraint_use *list, size_t count)
{
    uint32_t key = list->term->topology_key;
    company owners;
    company_init(&owners, v);
    for (size_t i = 0; i < count; i++) {
        kind_list pods = pods_of_kind(v->kinds, list[i].kind);
        for (uint32_t k = 0; k < pods.count && !v->failed; k++) {
            if (bars_where_it_runs(v, pods.items[k]))
                company_add(&owners, bound_domain(v, pods.items[k], key, false), pods.items[k]);
        }
    }
    for (uint32_t i = 0; i < v->kinds->selected_count && owners.first.count > 0; i++) {
        kind_list pods = pods_of_kind(v->kinds, v->kinds->selected[i]);
        for (uint32_t k = 0; k < pods.count && !v->failed; k++) {
            uint32_t p = pods.items[k], owner = NO_ID;
            if (!usable_target(v, v->at[p])) continue;
            spot_domains d = domains_of(v, &v->targets[v->at[p]], key);
            for (uint32_t x = 0; x < d.count && owner == NO_ID; x++) owner = company_of(&owners, domain_at(&d, x), p);
            if (owner != NO_ID) note_together(v, p, owner, key);
        }
    }
    company_free(&owners);
}

/* ---- all checks -------------------------------------------------------------------------------------------------- */

static void add_terms(constraint_uses *a, uint32_t role, uint32_t kind, pod_term_list list)
{
    for (uint32_t i = 0; i < list.count && !a->key.v->failed; i++) add_term(a, role, kind, &list.items[i]);
}

static void check_terms(verifier *v)
{
    const karp_snapshot *s = v->snapshot;
    constraint_uses a;
    constraint_uses_init(&a, v);
    for (uint32_t role = AFFINITY; role <= ANTI_OF_BOUND; role++) {
        for (uint32_t k = 0; k < s->class_count && !v->failed; k++) {
            const shape *h = &s->raw.shapes.items[s->classes[k].shape];
            kind_list pods = pods_of_kind(v->kinds, k);
            bool concerned = false;
            for (uint32_t i = 0; i < pods.count && !concerned; i++)
                concerned = role == ANTI_OF_BOUND ? bars_where_it_runs(v, pods.items[i])
                                                  : usable_target(v, v->at[pods.items[i]]);
            if (concerned && (role == ANTI_OF_BOUND || constrained(v, k)))
                add_terms(&a, role, k, role == AFFINITY ? h->required_affinity : h->required_anti);
        }
    }
    size_t keys = constraint_uses_group(&a);
    for (size_t i = 0; i < keys && !v->failed; i++) {
        const constraint_use *list = a.ordered + a.first[i];
        size_t count = a.first[i + 1] - a.first[i];
        uint32_t role = a.keys.entries[i].ptr[0];
        if (!select_by_term(v, list->term, s->classes[list->kind].name_space)) break;
        if (role == AFFINITY) check_affinity(v, list, count);
        else if (role == ANTI) check_anti(v, list, count);
        else check_anti_of_bound(v, list, count);
    }
    constraint_uses_free(&a);
}

void check_topology(verifier *v)
{
    kinds k;
    v->kinds = &k;
    if (kinds_init(v, &k)) {
        check_terms(v);
        check_spread(v);
    }
    kinds_free(&k);
    v->kinds = NULL;
}
