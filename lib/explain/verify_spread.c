/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topology spread constraints with DoNotSchedule. When the last pod of a kind went to a domain, the domain had at most
 * maxSkew more pods than the emptiest one. Minima only grow while pods are placed, so at the end the pods of this kind
 * and those that ran before still cannot exceed the emptiest domain by more than that; pods of other kinds, which may
 * have come later, are not counted against it. Nor is a domain that nobody knew before a pod was placed there: that of
 * a claim without a Node, which no pool can open.
 */
#include <explain/verify_topology.h>

#include <string.h>

typedef struct domain_count {
    uint32_t domain, before, own, others;
    bool used; /* pods of the kind went there */
} domain_count;

typedef struct spread_check {
    verifier *v;
    const spread_constraint *c;
    uint32_t kind;
    const wishes *w;
    uint8_t *selected; /* kinds */
    bool soft_taints; /* count for the nodes it looks at */
    bool unsure; /* pods went to a domain that their node does not state (S-Q36) */
    map64 index; /* domain -> place in domains */
    LIST_OF(domain_count) domains;
    size_t known; /* so many of them, the first, are those of nodes and pools */
} spread_check;

static domain_count *count_of(spread_check *s, uint32_t domain)
{
    uint32_t at = map64_get(&s->index, domain);
    if (at != NO_ID) return &s->domains.items[at];
    at = (uint32_t)s->domains.count;
    domain_count *fresh = list_push(s->v->context, &s->domains, sizeof *fresh);
    if (fresh == NULL || !map64_put(&s->index, domain, at)) {
        s->v->failed = true;
        return NULL;
    }
    fresh->domain = domain;
    return fresh;
}

/* ---- what cannot be judged ------------------------------------------------------------------------------------------------ */

static bool same_labels(label_list x, label_list y)
{
    return x.count == y.count && (x.count == 0 || memcmp(x.items, y.items, x.count * sizeof *x.items) == 0);
}

static bool same_filter(const shape *x, const shape *y, const spread_constraint *a, const spread_constraint *b)
{
    if (a->min_domains != b->min_domains || a->honor_affinity != b->honor_affinity ||
        a->honor_taints != b->honor_taints)
        return false;
    if (!same_labels(x->node_selector, y->node_selector) || x->required.count > 0 || y->required.count > 0)
        return x == y;
    return !a->honor_taints || x == y;
}

/* Karpenter takes constraints that differ only in the nodes they look at for one (S-Q3). */
static bool conflated(const spread_check *s)
{
    const karp_snapshot *w = s->v->snapshot;
    const shape *own = &w->raw.shapes.items[w->classes[s->kind].shape];
    for (uint32_t k = 0; k < w->class_count; k++) {
        const shape *h = &w->raw.shapes.items[w->classes[k].shape];
        if (w->classes[k].name_space != w->classes[s->kind].name_space) continue;
        for (uint32_t i = 0; i < h->spread.count; i++) {
            const spread_constraint *o = &h->spread.items[i];
            if (o->topology_key != s->c->topology_key || o->max_skew != s->c->max_skew || o->label_selector == NULL)
                continue;
            if (!same_labels(o->label_selector->labels, s->c->label_selector->labels)) continue;
            if (!same_filter(own, h, s->c, o)) return true;
        }
    }
    for (uint32_t i = 0; i < w->raw.default_spread.count; i++) {
        const spread_constraint *o = &w->raw.default_spread.items[i];
        if (o->topology_key == s->c->topology_key && o->max_skew == s->c->max_skew) return true;
    }
    return false;
}

/* Whether a pool has a taint that only asks to be avoided: pods come to tolerate such taints then, on nodes too. */
static bool soft_pools(const karp_snapshot *w)
{
    for (uint32_t p = 0; p < w->raw.pools.count; p++) {
        taint_list taints = w->raw.pools.items[p].taints;
        for (uint32_t i = 0; i < taints.count; i++) {
            if (taints.items[i].effect == w->known.prefer_no_schedule) return true;
        }
    }
    return false;
}

/* A pod that gives something up gets a group of its own, which does not know the pods placed before (S-Q5). */
static bool may_change_group(const spread_check *s)
{
    const karp_snapshot *w = s->v->snapshot;
    const shape *own = &w->raw.shapes.items[w->classes[s->kind].shape];
    if (own->required.count > 1) return true;
    return soft_pools(w);
}

/* ---- counting --------------------------------------------------------------------------------------------------------------- */

static bool selects_kind(const spread_check *s, uint32_t kind)
{
    const pod_class *own = &s->v->snapshot->classes[s->kind], *other = &s->v->snapshot->classes[kind];
    label_list mine = kind_labels(s->v, s->kind), theirs = kind_labels(s->v, kind);
    if (own->name_space != other->name_space) return false;
    for (uint32_t i = 0; i < s->c->match_label_key_count; i++) {
        uint32_t value = label_get(mine, s->c->match_label_keys[i]);
        if (value != NO_ID && label_get(theirs, s->c->match_label_keys[i]) != value) return false;
    }
    return selector_matches(s->c->label_selector, theirs);
}

/* Whether a launch that has still to decide on a label may come to meet what is asked. */
static bool may_satisfy(const spread_check *s, const target *t, const rules *asked)
{
    for (uint32_t i = 0; t->is_launch && i < asked->count; i++) {
        const rule *r = &asked->items[i], *have = rules_find(&t->labels, r->key);
        if (have == NULL ? !rule_negative(r) : !rules_agree(&s->v->words, have, r)) return false;
    }
    return t->is_launch;
}

/* Whether the constraint looks at nodes with these labels and taints, for certain or possibly. */
static bool looked_at(const spread_check *s, const target *t, bool certain)
{
    const karp_snapshot *w = s->v->snapshot;
    const shape *own = &w->raw.shapes.items[w->classes[s->kind].shape];
    if (s->c->honor_taints && untolerated(s->v, own->tolerations, t->taints, s->soft_taints) != NULL) return false;
    if (!s->c->honor_affinity) return true;
    uint32_t host = t->is_launch || t->node == NO_ID ? NO_ID : w->nodes[t->node].hostname;
    for (uint32_t i = 0; i < s->w->count; i++) {
        if (labels_satisfy(s->v, t, &s->w->terms[i], host) || (!certain && may_satisfy(s, t, &s->w->terms[i])))
            return true;
    }
    return false;
}

/* The Node object itself, as a target. */
static target node_as_target(verifier *v, uint32_t node_index)
{
    const node *n = &v->snapshot->raw.nodes.items[node_index];
    target t = { .node = v->snapshot->node_of_name[node_index], .pool = NO_ID, .taints = n->taints };
    rules_add_labels(&v->words, &t.labels, n->meta.labels);
    return t;
}

static void count_nodes(spread_check *s)
{
    verifier *v = s->v;
    const karp_snapshot *w = v->snapshot;
    uint32_t key = s->c->topology_key;
    for (uint32_t n = 0; n < w->raw.nodes.count && !v->failed; n++) {
        target t = node_as_target(v, n);
        if (!looked_at(s, &t, true)) continue;
        uint32_t value = t.node == NO_ID || w->nodes[t.node].marked ? NO_ID : label_get(w->nodes[t.node].labels, key);
        if (value != NO_ID) (void)count_of(s, value);
        for (uint32_t i = 0; i < w->bound[n].count && !v->failed; i++) {
            uint32_t pod_number = w->bound[n].items[i];
            if (!s->selected[kind_of(v, pod_number)] || !counts_where_it_runs(v, pod_number)) continue;
            uint32_t domain = bound_domain(v, pod_number, key, true);
            domain_count *d = domain == NO_ID ? NULL : count_of(s, domain);
            if (d != NULL) d->before++;
        }
    }
}

static void count_placed(spread_check *s)
{
    verifier *v = s->v;
    for (uint32_t p = 0; p < v->snapshot->raw.pods.count && !v->failed; p++) {
        bool own = kind_of(v, p) == s->kind;
        if ((!own && !s->selected[kind_of(v, p)]) || !usable_target(v, v->at[p])) continue;
        const target *t = &v->targets[v->at[p]];
        spot_domains d = domains_of(v, t, s->c->topology_key);
        if (d.count != 1) {
            bool imagined = label_imagined(v, t, s->c->topology_key);
            s->unsure = s->unsure || imagined;
            if (own && !imagined)
                note(v, KARP_FINDING_SPREAD, pod_object(v, p), "%.*s has no certain %.*s, over which it must be spread",
                     SHOW(t->name), SHOW(text_of(v->snapshot, s->c->topology_key)));
            continue;
        }
        bool looked = looked_at(s, t, own);
        if (!own && !looked) continue; /* nor is its domain one that the constraint knows */
        domain_count *c = count_of(s, d.one);
        if (c == NULL) return;
        c->used = c->used || own;
        if (!s->selected[kind_of(v, p)] || !looked) continue;
        if (own) c->own++;
        else c->others++;
    }
}

/* Domains that the pools could open. */
static void count_pools(spread_check *s)
{
    verifier *v = s->v;
    const karp_snapshot *w = v->snapshot;
    uint32_t key = s->c->topology_key;
    const shape *own = &w->raw.shapes.items[w->classes[s->kind].shape];
    for (uint32_t p = 0; p < w->raw.pools.count && !v->failed; p++) {
        if (!facts_of_pool(v, p)->open) continue;
        if (s->c->honor_taints && untolerated(v, own->tolerations, w->raw.pools.items[p].taints, false) != NULL)
            continue;
        const rule *base = rules_find(&v->pools[p].base, key);
        const type_table *table = v->pools[p].table;
        for (uint32_t t = 0; t < table->type_count; t++) {
            uint32_t id = set_get(&w->algebra, table->types[t].set, key);
            if (id == NO_ID) continue;
            rule r = rule_of_requirement(requirement_get(&w->algebra, id));
            for (uint32_t i = 0; !r.excludes && i < r.count && !v->failed; i++) {
                if (base == NULL || rule_accepts(&v->words, base, r.values[i])) (void)count_of(s, r.values[i]);
            }
        }
        for (uint32_t i = 0; base != NULL && !base->excludes && i < base->count && !v->failed; i++)
            (void)count_of(s, base->values[i]);
    }
}

/* ---- the verdict ------------------------------------------------------------------------------------------------------------ */

/* How many of its terms allow the domain: which of them the pod was placed by is not known. */
static uint32_t terms_open_to(const spread_check *s, uint32_t key, uint32_t domain)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < s->w->count; i++) {
        const rule *own = rules_find(&s->w->terms[i], key);
        open += own == NULL || rule_accepts(&s->v->words, own, domain);
    }
    return open;
}

static uint32_t least_count(const spread_check *s)
{
    uint32_t key = s->c->topology_key, least = UINT32_MAX, open = 0;
    if (key == s->v->snapshot->known.hostname) return 0; /* a new node is always possible */
    for (size_t i = 0; i < s->domains.count; i++) {
        const domain_count *d = &s->domains.items[i];
        uint32_t total = d->before + d->own + d->others, terms = terms_open_to(s, key, d->domain);
        if (terms > 0) open++;
        if (i < s->known && terms == s->w->count && total < least) least = total;
    }
    return s->c->min_domains > 0 && open < (uint32_t)s->c->min_domains ? 0 : least;
}

/* The first by namespace and name. */
static uint32_t first_of_kind(const karp_snapshot *w, uint32_t kind)
{
    size_t i = 0;
    while (w->pod_class[w->by_name[i]] != kind) i++;
    return w->by_name[i];
}

static void judge(spread_check *s)
{
    verifier *v = s->v;
    uint32_t least = least_count(s);
    for (size_t i = 0; i < s->domains.count; i++) {
        const domain_count *d = &s->domains.items[i];
        int64_t skew = (int64_t)d->before + d->own - least;
        if (!d->used || skew <= s->c->max_skew) continue;
        note(v, KARP_FINDING_SPREAD, pod_object(v, first_of_kind(v->snapshot, s->kind)),
             "%u pods like it in one %.*s, %u in the emptiest, and maxSkew is %d", (unsigned)(d->before + d->own),
             SHOW(text_of(v->snapshot, s->c->topology_key)), (unsigned)least, (int)s->c->max_skew);
        return;
    }
}

static void check_constraint(spread_check *s)
{
    verifier *v = s->v;
    for (uint32_t k = 0; k < v->snapshot->class_count; k++) s->selected[k] = selects_kind(s, k);
    map64_init(&s->index, v->context);
    count_nodes(s);
    if (!v->failed && s->c->topology_key != v->snapshot->known.hostname) count_pools(s);
    s->known = s->domains.count;
    if (!v->failed) count_placed(s);
    if (!v->failed && !s->unsure) judge(s);
    map64_free(&s->index);
    list_free(v->context, &s->domains, sizeof(domain_count));
}

void check_spread_of_kind(verifier *v, uint32_t kind)
{
    const karp_snapshot *w = v->snapshot;
    uint32_t shape_number = w->classes[kind].shape;
    const shape *h = &w->raw.shapes.items[shape_number];
    uint8_t *selected = h->spread.count == 0 ? NULL : mem_alloc(v->context, w->class_count);
    if (h->spread.count == 0) return;
    if (selected == NULL) {
        v->failed = true;
        return;
    }
    for (uint32_t i = 0; i < h->spread.count && !v->failed; i++) {
        spread_check s = { .v = v,
                           .c = &h->spread.items[i],
                           .kind = kind,
                           .w = pod_wishes(v, shape_number),
                           .selected = selected,
                           .soft_taints = !soft_pools(w) };
        if (s.c->schedule_anyway || s.c->label_selector == NULL || !key_as_written(v, s.c->topology_key)) continue;
        if (v->quirks && (conflated(&s) || may_change_group(&s))) continue;
        check_constraint(&s);
    }
    mem_free(v->context, selected, w->class_count);
}
