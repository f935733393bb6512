/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spread, pod affinity and anti-affinity, judged by where every pod ends up. Placing pods one by one, a scheduler may end
 * with counts that no single look at the end explains, so each check counts only what holds in every order.
 */
#include <explain/verify_topology.h>

#include <base/bits.h>
#include <string.h>

/* ---- kinds of pods ------------------------------------------------------------------------------------------------------ */

/* Pods that no constraint can tell apart. */
uint32_t kind_of(const verifier *v, uint32_t pod_number) { return v->snapshot->pod_class[pod_number]; }

/* Whether Karpenter could look the pod's volumes up: it forgets the constraints of others (S-Q2). */
bool constrained(const verifier *v, uint32_t kind) { return v->snapshot->classes[kind].volumes_found || !v->quirks; }

label_list kind_labels(const verifier *v, uint32_t kind)
{
    const struct words_entry *e = &v->snapshot->raw.projected.entries[v->snapshot->classes[kind].labels];
    return (label_list){ (const label_pair *)(const void *)e->ptr, e->count / 2 };
}

/* ---- domains ------------------------------------------------------------------------------------------------------------ */

/* A launch is a host of its own, with a number after those of all words. */
static uint32_t launch_host(const verifier *v, const target *t) { return UINT32_MAX - 2 - (uint32_t)(t - v->targets); }

/* The domain of a pod that runs already; NO_ID = none. */
uint32_t bound_domain(const verifier *v, uint32_t pod_number, uint32_t key, bool name_serves)
{
    const node *n = &v->snapshot->raw.nodes.items[v->snapshot->pod_node[pod_number]];
    uint32_t value = label_get(n->meta.labels, key);
    if (value != NO_ID || key != v->snapshot->known.hostname || !name_serves) return value;
    karp_str name = name_of(v->snapshot, n->meta.name);
    return strings_find(&v->snapshot->raw.text, name.ptr, name.len);
}

/* The domains a target may be in. none: it has no such label; open: it may be anywhere. */
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

/* Pods that count where they run: alive, staying, and not to be placed anew. */
bool counts_where_it_runs(const verifier *v, uint32_t pod_number)
{
    const struct pod *p = pod_at(&v->snapshot->raw, pod_number);
    return v->snapshot->pod_node[pod_number] != NO_ID && !pod_over(p) && p->deletion == KARP_NO_TIME &&
           !v->waits[pod_number];
}

/* ---- whom a term selects ------------------------------------------------------------------------------------------------ */

static bool in_namespaces(const verifier *v, const pod_term *t, uint32_t own, uint32_t name_space)
{
    const store *raw = &v->snapshot->raw;
    if (t->namespace_selector == NULL && t->namespace_count == 0) return name_space == own;
    for (uint32_t i = 0; i < t->namespace_count; i++) {
        if (t->namespaces[i] == name_space) return true;
    }
    karp_str wanted = text_of(v->snapshot, name_space);
    uint32_t name = t->namespace_selector == NULL ? NO_ID : strings_find(&raw->names, wanted.ptr, wanted.len);
    for (size_t i = 0; name != NO_ID && i < raw->namespaces.count; i++) {
        if (raw->namespaces.items[i].name == name)
            return selector_matches(t->namespace_selector, raw->namespaces.items[i].labels);
    }
    return false;
}

/* Marks the kinds that the term of a pod in namespace `own` selects; it has a selector. */
static void select_by_term(const verifier *v, const pod_term *t, uint32_t own, uint8_t *selected)
{
    for (uint32_t k = 0; k < v->snapshot->class_count; k++) {
        selected[k] = in_namespaces(v, t, own, v->snapshot->classes[k].name_space) &&
                      selector_matches(t->label_selector, kind_labels(v, k));
    }
}

/* A key that stands for another one is looked up as written, where nothing has it (S-Q34). */
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

/* Whether the scheduler may have believed that the target has the label although it has not: Karpenter takes excluded
 * values for domains (S-Q6), takes what a pod excludes on an existing node for the node's own word on that label, and takes
 * two constraints whose domains have nothing in common for a wish that the label be absent. */
bool label_imagined(const verifier *v, const target *t, uint32_t key)
{
    const rule *r = rules_find(&t->labels, key);
    if (!v->quirks) return false;
    if (t->is_launch) return r != NULL && !r->excludes && r->count == 0;
    if (excluded_by_pods(v, t, key, true)) return true;
    for (uint32_t i = 0; i < t->pod_count; i++) {
        if (constraints_on(pod_shape(v, t->pods[i]), key) > 1) return true;
    }
    for (size_t i = 0; i < v->snapshot->raw.shapes.count; i++) { /* anti-affinity of others is a constraint, too */
        if (terms_on(v->snapshot->raw.shapes.items[i].required_anti, key) > 0) return true;
    }
    return false;
}

/* ---- who is in a domain --------------------------------------------------------------------------------------------------- */

/* Up to two pods a domain: one of them is always another pod than the one that asks. */
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

static void company_add(company *c, uint32_t domain, uint32_t pod_number)
{
    if (domain == NO_ID || c->v->failed) return;
    map64 *into = map64_get(&c->first, domain) == NO_ID ? &c->first : &c->second;
    if (map64_get(into, domain) == NO_ID && !map64_put(into, domain, pod_number)) c->v->failed = true;
}

static void company_add_all(company *c, const spot_domains *d, uint32_t pod_number)
{
    for (uint32_t i = 0; i < d->count; i++) company_add(c, d->values != NULL ? d->values[i] : d->one, pod_number);
}

/* Another pod in the domain, or NO_ID. */
static uint32_t company_of(const company *c, uint32_t domain, uint32_t pod_number)
{
    uint32_t other = map64_get(&c->first, domain);
    return other == pod_number ? map64_get(&c->second, domain) : other;
}

/* ---- affinity ------------------------------------------------------------------------------------------------------------- */

typedef struct affinity_check {
    verifier *v;
    const pod_term *term;
    uint32_t kind; /* of the pods whose term it is */
    const uint8_t *selected; /* kinds */
    bool relaxable; /* its node terms may differ between its pods: less can be said */
    bool runs_somewhere; /* a selected pod runs in a domain that the kind may use */
    company others; /* selected pods that run, or are of another kind */
} affinity_check;

static void find_others(affinity_check *c)
{
    verifier *v = c->v;
    const wishes *w = pod_wishes(v, v->snapshot->classes[c->kind].shape);
    const rule *own = rules_find(&w->terms[0], c->term->topology_key);
    for (uint32_t p = 0; p < v->snapshot->raw.pods.count && !v->failed; p++) {
        if (!c->selected[kind_of(v, p)]) continue;
        if (counts_where_it_runs(v, p)) {
            uint32_t domain = bound_domain(v, p, c->term->topology_key, true);
            company_add(&c->others, domain, p);
            c->runs_somewhere = c->runs_somewhere ||
                                (domain != NO_ID && (own == NULL || rule_accepts(&v->words, own, domain)));
        } else if (usable_target(v, v->at[p]) && kind_of(v, p) != c->kind) {
            spot_domains d = domains_of(v, &v->targets[v->at[p]], c->term->topology_key);
            company_add_all(&c->others, &d, p);
        }
    }
}

/* Domains without company are fine for the first pod that selects itself, and for all that join it. */
static void check_affinity(affinity_check *c)
{
    verifier *v = c->v;
    uint32_t key = c->term->topology_key, alone = NO_ID;
    company_init(&c->others, v);
    find_others(c);
    for (uint32_t i = 0; i < v->snapshot->raw.pods.count && !v->failed; i++) {
        uint32_t p = v->snapshot->by_name[i];
        if (kind_of(v, p) != c->kind || !usable_target(v, v->at[p])) continue;
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
            uint32_t domain = d.values != NULL ? d.values[k] : d.one;
            if (company_of(&c->others, domain, p) != NO_ID) continue;
            bool may_start = c->relaxable || ((alone == NO_ID || alone == domain) && !c->runs_somewhere);
            if (c->selected[c->kind] && d.count == 1 && may_start) {
                alone = domain;
                continue;
            }
            note(v, KARP_FINDING_AFFINITY, pod_object(v, p),
                 "on %.*s no pod that its required pod affinity selects is in the same %.*s", SHOW(t->name),
                 SHOW(text_of(v->snapshot, key)));
            break;
        }
    }
    company_free(&c->others);
}

/* ---- anti-affinity --------------------------------------------------------------------------------------------------------- */

/* Whether the launch's domain was certain from the moment the pod came, whatever came later. */
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

/* The selected pods by domain, and by target for domains that are not certain. */
static void find_barred(verifier *v, uint32_t kind, uint32_t key, const uint8_t *selected, company *by_domain,
                        company *by_target)
{
    for (uint32_t i = 0; i < v->snapshot->raw.pods.count && !v->failed; i++) {
        uint32_t p = v->snapshot->by_name[i];
        if (!selected[kind_of(v, p)]) continue;
        if (counts_where_it_runs(v, p)) {
            company_add(by_domain, bound_domain(v, p, key, true), p);
        } else if (usable_target(v, v->at[p])) {
            const target *t = &v->targets[v->at[p]];
            spot_domains d = domains_of(v, t, key);
            if (kind_of(v, p) == kind || (d.count == 1 && certain_domain(v, t, p, key)))
                company_add_all(by_domain, &d, p);
            if (d.count > 0) company_add(by_target, v->at[p], p);
        }
    }
}

/* The term of pods that the plan places, against pods that run and pods that it places. One finding a pod is enough. */
static void check_anti(verifier *v, uint32_t kind, const pod_term *term, const uint8_t *selected)
{
    uint32_t key = term->topology_key;
    company by_domain, by_target;
    company_init(&by_domain, v);
    company_init(&by_target, v);
    find_barred(v, kind, key, selected, &by_domain, &by_target);
    for (uint32_t i = 0; i < v->snapshot->raw.pods.count && !v->failed; i++) {
        uint32_t p = v->snapshot->by_name[i];
        if (kind_of(v, p) != kind || !usable_target(v, v->at[p])) continue;
        spot_domains d = domains_of(v, &v->targets[v->at[p]], key);
        uint32_t other = d.count > 0 ? company_of(&by_target, v->at[p], p) : NO_ID;
        for (uint32_t k = 0; k < d.count && other == NO_ID; k++)
            other = company_of(&by_domain, d.values != NULL ? d.values[k] : d.one, p);
        if (other != NO_ID) note_together(v, p, other, key);
    }
    company_free(&by_domain);
    company_free(&by_target);
}

/* Pods that run and whose terms bar others, on Nodes that are known. A node without the host name label is not protected by its
 * name. */
static bool bars_where_it_runs(const verifier *v, uint32_t pod_number)
{
    const karp_snapshot *w = v->snapshot;
    uint32_t n = w->pod_node[pod_number];
    if (n == NO_ID || pod_over(pod_at(&w->raw, pod_number)) || v->waits[pod_number]) return false;
    return node_is_told(w, &w->raw.nodes.items[n]) && (w->lost == NULL || !bits_test(w->lost, n));
}

/* The term of pods of the kind that run, against the pods that the plan places. */
static void check_anti_of_bound(verifier *v, uint32_t kind, const pod_term *term, const uint8_t *selected)
{
    company owners;
    company_init(&owners, v);
    for (uint32_t p = 0; p < v->snapshot->raw.pods.count && !v->failed; p++) {
        if (kind_of(v, p) == kind && bars_where_it_runs(v, p))
            company_add(&owners, bound_domain(v, p, term->topology_key, false), p);
    }
    for (uint32_t i = 0; i < v->snapshot->raw.pods.count && !v->failed && owners.first.count > 0; i++) {
        uint32_t p = v->snapshot->by_name[i], owner = NO_ID;
        if (!selected[kind_of(v, p)] || !usable_target(v, v->at[p])) continue;
        spot_domains d = domains_of(v, &v->targets[v->at[p]], term->topology_key);
        for (uint32_t k = 0; k < d.count && owner == NO_ID; k++)
            owner = company_of(&owners, d.values != NULL ? d.values[k] : d.one, p);
        if (owner != NO_ID) note_together(v, p, owner, term->topology_key);
    }
    company_free(&owners);
}

/* ---- all of them ------------------------------------------------------------------------------------------------------------ */

static void check_terms_of_kind(verifier *v, uint32_t kind, uint8_t *selected)
{
    const shape *h = &v->snapshot->raw.shapes.items[v->snapshot->classes[kind].shape];
    uint32_t own = v->snapshot->classes[kind].name_space;
    for (uint32_t i = 0; i < h->required_affinity.count && !v->failed; i++) {
        affinity_check c = { .v = v,
                             .term = &h->required_affinity.items[i],
                             .kind = kind,
                             .selected = selected,
                             .relaxable = h->required.count > 1 };
        if (c.term->label_selector == NULL || !key_as_written(v, c.term->topology_key)) continue;
        select_by_term(v, c.term, own, selected);
        check_affinity(&c);
    }
    for (uint32_t i = 0; i < h->required_anti.count && !v->failed; i++) {
        const pod_term *term = &h->required_anti.items[i];
        if (term->label_selector == NULL || !key_as_written(v, term->topology_key)) continue;
        select_by_term(v, term, own, selected);
        check_anti(v, kind, term, selected);
    }
}

static void check_bound_kind(verifier *v, uint32_t kind, uint8_t *selected)
{
    pod_term_list anti = v->snapshot->raw.shapes.items[v->snapshot->classes[kind].shape].required_anti;
    for (uint32_t i = 0; i < anti.count && !v->failed; i++) {
        if (anti.items[i].label_selector == NULL || !key_as_written(v, anti.items[i].topology_key)) continue;
        select_by_term(v, &anti.items[i], v->snapshot->classes[kind].name_space, selected);
        check_anti_of_bound(v, kind, &anti.items[i], selected);
    }
}

void check_topology(verifier *v)
{
    enum { PLACED = 1, RUNS = 2 };
    const karp_snapshot *s = v->snapshot;
    size_t kinds = s->class_count + (size_t)1;
    uint8_t *have = mem_zalloc(v->context, 2 * kinds), *selected = have == NULL ? NULL : have + kinds;
    if (have == NULL) {
        v->failed = true;
        return;
    }
    for (uint32_t p = 0; p < s->raw.pods.count; p++) {
        if (usable_target(v, v->at[p])) have[kind_of(v, p)] |= PLACED;
        if (bars_where_it_runs(v, p)) have[kind_of(v, p)] |= RUNS;
    }
    for (uint32_t k = 0; k < s->class_count && !v->failed; k++) {
        if ((have[k] & PLACED) != 0 && constrained(v, k)) {
            check_terms_of_kind(v, k, selected);
            check_spread_of_kind(v, k);
        }
        if ((have[k] & RUNS) != 0) check_bound_kind(v, k, selected);
    }
    mem_free(v->context, have, 2 * kinds);
}
