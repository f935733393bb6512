/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topology spread constraints with DoNotSchedule. When the last pod of a kind was placed in a domain, the domain had
 * at most maxSkew more pods than the emptiest one. While pods are placed, the minimum only grows. So in the end, the
 * pods of this kind and those that ran before still exceed the emptiest domain by at most maxSkew. Pods of other
 * kinds may have been placed later, so they do not count here. A domain that was unknown before a pod was placed
 * there does not count either: that of a NodeClaim without a Node, which no NodePool can create.
 */
#include <verify/kinds.h>

typedef struct domain_count {
    uint32_t domain, before, own, others;
    uint32_t open; /* number of the kind's terms that allow it; NO_ID = not computed yet */
    bool used; /* pods of the kind were placed there */
} domain_count;

typedef struct spread_check {
    verifier *v;
    const spread_constraint *c;
    uint32_t kind; /* the current kind, of those with equal constraints */
    const wishes *w;
    bool soft_taints; /* PreferNoSchedule taints count for the nodes that are considered */
    /* pods were placed in a domain that their node's labels do not define (S-Q36) */
    bool unsure;
    bool own_unsure; /* this is true for pods of the current kind */
    map64 index; /* domain -> index in `domains` */
    LIST_OF(domain_count) domains;
    size_t known; /* number of domains from nodes and NodePools, which come first */
} spread_check;

static domain_count *count_of(spread_check *s, uint32_t domain)
{
    uint32_t at = map64_get(&s->index, domain);
    if (at != NO_ID) return &s->domains.items[at];
    at = (uint32_t)s->domains.count;
    domain_count *fresh = list_push(s->v->context, &s->domains, sizeof *fresh);
    if (fresh == NULL || !map64_put(&s->index, domain, at)) return mem_refused_null(&s->v->failed);
    *fresh = (domain_count){ .domain = domain, .open = NO_ID };
    return fresh;
}

/* ---- constraints that cannot be checked -------------------------------------------------------------------------- */

/* Constraints that Karpenter treats as one group although they consider different nodes (S-Q3). */
typedef struct sets {
    verifier *v;
    key_builder key;
    words numbers; /* keys without the node filter */
    words filters; /* keys of node filters */
    LIST_OF(struct constraint_set {
        uint32_t filter; /* filter of the first member */
        bool mixed; /* some members have a different filter */
    })
    list; /* by number */
} sets;

static uint32_t set_number(sets *x, uint32_t kind, const spread_constraint *c)
{
    key_add(&x->key, x->v->snapshot->classes[kind].name_space);
    key_add(&x->key, c->topology_key);
    key_add(&x->key, (uint32_t)c->max_skew);
    key_add_labels(&x->key, c->label_selector->labels);
    return key_number(&x->key, &x->numbers);
}

/* The number of the node filter. Shapes are compared as a whole if their node affinity or tolerations count. */
static uint32_t filter_number(sets *x, uint32_t kind, const spread_constraint *c)
{
    uint32_t number = x->v->snapshot->classes[kind].shape;
    const shape *h = &x->v->snapshot->raw.shapes.items[number];
    key_add(&x->key, (uint32_t)c->min_domains);
    key_add(&x->key, (uint32_t)c->honor_affinity | (uint32_t)c->honor_taints << 1);
    key_add(&x->key, h->required.count > 0 || c->honor_taints ? number : NO_ID);
    key_add_labels(&x->key, h->node_selector);
    return key_number(&x->key, &x->filters);
}

static void put_in_set(sets *x, uint32_t kind, const spread_constraint *c)
{
    uint32_t number = set_number(x, kind, c), filter = filter_number(x, kind, c);
    if (x->v->failed) return;
    if (number < x->list.count) {
        if (x->list.items[number].filter != filter) x->list.items[number].mixed = true;
        return;
    }
    struct constraint_set *fresh = list_push(x->v->context, &x->list, sizeof *fresh);
    if (fresh == NULL) x->v->failed = true;
    else *fresh = (struct constraint_set){ .filter = filter };
}

static void sets_fill(sets *x)
{
    const karp_snapshot *s = x->v->snapshot;
    for (uint32_t k = 0; k < s->class_count && !x->v->failed; k++) {
        spread_list list = s->raw.shapes.items[s->classes[k].shape].spread;
        for (uint32_t i = 0; i < list.count; i++) {
            if (list.items[i].label_selector != NULL) put_in_set(x, k, &list.items[i]);
        }
    }
}

static bool conflated(sets *x, const spread_check *s)
{
    const karp_snapshot *snapshot = s->v->snapshot;
    uint32_t number = set_number(x, s->kind, s->c);
    if (number == NO_ID || x->list.items[number].mixed) return true;
    for (uint32_t i = 0; i < snapshot->raw.default_spread.count; i++) {
        const spread_constraint *o = &snapshot->raw.default_spread.items[i];
        if (o->topology_key == s->c->topology_key && o->max_skew == s->c->max_skew) return true;
    }
    return false;
}

/* Whether relaxation may give a pod a new group that does not count the pods placed before (S-Q5). */
static bool may_change_group(const spread_check *s)
{
    const karp_snapshot *snapshot = s->v->snapshot;
    const shape *own = &snapshot->raw.shapes.items[snapshot->classes[s->kind].shape];
    if (own->required.count > 1) return true;
    return s->v->kinds->soft_pools;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

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

static bool select_kinds(const spread_check *s)
{
    kind_list near = kinds_near(s->v, s->v->kinds, s->c->label_selector);
    kinds_select_none(s->v->kinds);
    for (uint32_t i = 0; i < near.count; i++) {
        if (selects_kind(s, near.items[i])) kinds_select(s->v->kinds, near.items[i]);
    }
    return verifier_worked(s->v, near.count * (size_t)32);
}

/* Whether a launch that has not fixed a label yet may still satisfy the rules. */
static bool may_satisfy(const spread_check *s, const target *t, const rules *required)
{
    for (uint32_t i = 0; t->is_launch && i < required->count; i++) {
        const rule *r = &required->items[i], *have = rules_find(&t->labels, r->key);
        if (have == NULL ? !rule_negative(r) : !rules_agree(&s->v->words, have, r)) return false;
    }
    return t->is_launch;
}

static bool taints_admit(const spread_check *s, const target *t)
{
    const shape *own = &s->v->snapshot->raw.shapes.items[s->v->snapshot->classes[s->kind].shape];
    return !s->c->honor_taints || untolerated(s->v, own->tolerations, t->taints, s->soft_taints) == NULL;
}

/* Whether the constraint considers nodes with these labels and taints, certainly or possibly. */
static bool looked_at(const spread_check *s, const target *t, bool certain)
{
    const karp_snapshot *snapshot = s->v->snapshot;
    if (!taints_admit(s, t)) return false;
    if (!s->c->honor_affinity) return true;
    uint32_t host = t->is_launch || t->node == NO_ID ? NO_ID : snapshot->nodes[t->node].hostname;
    for (uint32_t i = 0; i < s->w->count; i++) {
        if (labels_satisfy(s->v, t, &s->w->terms[i], host) || (!certain && may_satisfy(s, t, &s->w->terms[i])))
            return true;
    }
    return false;
}

/* Whether nodes that satisfy the first two may satisfy the third. */
static bool may_be_both(const spread_check *s, const rules *base, const rules *own, const rules *required)
{
    for (uint32_t i = 0; i < required->count; i++) {
        const rule *r = &required->items[i], *first = rules_find(base, r->key), *second = rules_find(own, r->key);
        if (first == NULL && second == NULL && !rule_negative(r) && !word_well_known(&s->v->words, r->key))
            return false;
        if ((first != NULL && !rules_agree(&s->v->words, first, r)) ||
            (second != NULL && !rules_agree(&s->v->words, second, r)))
            return false;
    }
    return true;
}

/* Whether the constraint may have considered the pod's target when the pod was placed there. A launch has been narrowed
 * by the pods that joined it later, and what was counted before stays counted. */
static bool may_have_counted(const spread_check *s, uint32_t p)
{
    verifier *v = s->v;
    const target *t = &v->targets[v->at[p]];
    if (looked_at(s, t, false)) return true;
    if (!t->is_launch || t->pod_count < 2 || !taints_admit(s, t)) return false;
    const wishes *own = pod_wishes(v, pod_at(&v->snapshot->raw, p)->shape);
    const rules *base = &facts_of_pool(v, t->pool)->base;
    for (uint32_t i = 0; i < s->w->count * own->count; i++) {
        if (may_be_both(s, base, &own->terms[i % own->count], &s->w->terms[i / own->count])) return true;
    }
    return false;
}

/* Counts the domains of nodes. A new node with its own host name is always possible, so empty hosts need not be
 * counted. */
static void count_nodes(spread_check *s)
{
    verifier *v = s->v;
    const karp_snapshot *snapshot = v->snapshot;
    for (uint32_t n = 0; n < snapshot->raw.nodes.count && s->c->topology_key != snapshot->known.hostname && !v->failed;
         n++) {
        const target *t = kinds_node(v, v->kinds, n);
        if (t == NULL || !verifier_worked(v, 64)) return;
        if (t->node == NO_ID || snapshot->nodes[t->node].marked || !looked_at(s, t, true)) continue;
        uint32_t value = label_get(snapshot->nodes[t->node].labels, s->c->topology_key);
        if (value != NO_ID) (void)count_of(s, value);
    }
}

static void count_running(spread_check *s)
{
    verifier *v = s->v;
    for (uint32_t i = 0; i < v->kinds->selected_count; i++) {
        kind_list pods = pods_of_kind(v->kinds, v->kinds->selected[i]);
        for (uint32_t k = 0; k < pods.count && !v->failed; k++) {
            uint32_t p = pods.items[k];
            if (!counts_where_it_runs(v, p)) continue;
            const target *t = kinds_node(v, v->kinds, v->snapshot->pod_node[p]);
            uint32_t domain = t == NULL || !looked_at(s, t, true) ? NO_ID
                                                                  : bound_domain(v, p, s->c->topology_key, true);
            domain_count *d = domain == NO_ID ? NULL : count_of(s, domain);
            if (d != NULL) d->before++;
        }
    }
}

/* The domain in which the pod is placed; NO_ID = unknown, which is recorded for the pod's own kind. */
static uint32_t domain_of_pod(spread_check *s, uint32_t p, bool own)
{
    verifier *v = s->v;
    const target *t = &v->targets[v->at[p]];
    spot_domains d = domains_of(v, t, s->c->topology_key);
    if (d.count == 1) return d.one;
    bool imagined = label_imagined(v, t, s->c->topology_key);
    if (own) s->own_unsure = s->own_unsure || imagined;
    else s->unsure = s->unsure || imagined;
    if (own && !imagined)
        note(v, KARP_FINDING_SPREAD, pod_object(v, p), "%.*s has no certain %.*s, over which it must be spread",
             SHOW(t->name), SHOW(text_of(v->snapshot, s->c->topology_key)));
    return NO_ID;
}

/* Counts placed pods as those of other kinds, on nodes that the constraint may consider. */
static void count_placed(spread_check *s)
{
    verifier *v = s->v;
    for (uint32_t i = 0; i < v->kinds->selected_count; i++) {
        kind_list pods = pods_of_kind(v->kinds, v->kinds->selected[i]);
        for (uint32_t k = 0; k < pods.count && !v->failed; k++) {
            uint32_t p = pods.items[k];
            if (!usable_target(v, v->at[p])) continue;
            uint32_t domain = domain_of_pod(s, p, false);
            if (domain == NO_ID || !may_have_counted(s, p)) continue;
            domain_count *c = count_of(s, domain);
            if (c != NULL) c->others++;
        }
    }
}

/* Moves the pods of the current kind from the counts of others to its own count, or back. */
static void count_own(spread_check *s, bool own)
{
    verifier *v = s->v;
    bool selected = v->kinds->is_selected[s->kind] != 0;
    kind_list pods = pods_of_kind(v->kinds, s->kind);
    for (uint32_t i = 0; i < pods.count && !v->failed; i++) {
        uint32_t p = pods.items[i];
        if (!usable_target(v, v->at[p])) continue;
        const target *t = &v->targets[v->at[p]];
        spot_domains d = domains_of(v, t, s->c->topology_key);
        uint32_t domain = own ? domain_of_pod(s, p, true) : d.count == 1 ? d.one : NO_ID;
        domain_count *c = domain == NO_ID ? NULL : count_of(s, domain);
        if (c == NULL) continue;
        c->used = own;
        uint32_t by = own ? 1 : UINT32_MAX;
        if (selected && looked_at(s, t, true)) c->own += by;
        if (selected && may_have_counted(s, p)) c->others -= by;
    }
}

/* Adds the domains that NodePools can create. */
static void count_pools(spread_check *s)
{
    verifier *v = s->v;
    const karp_snapshot *snapshot = v->snapshot;
    uint32_t key = s->c->topology_key;
    const shape *own = &snapshot->raw.shapes.items[snapshot->classes[s->kind].shape];
    for (uint32_t p = 0; p < snapshot->raw.pools.count && !v->failed; p++) {
        if (!facts_of_pool(v, p)->open) continue;
        if (s->c->honor_taints && untolerated(v, own->tolerations, snapshot->raw.pools.items[p].taints, false) != NULL)
            continue;
        const rule *base = rules_find(&v->pools[p].base, key);
        const type_table *table = v->pools[p].table;
        for (uint32_t t = 0; t < table->type_count; t++) {
            uint32_t id = set_get(&snapshot->algebra, table->types[t].set, key);
            if (id == NO_ID) continue;
            rule r = rule_of_requirement(requirement_get(&snapshot->algebra, id));
            for (uint32_t i = 0; !r.excludes && i < r.count && !v->failed; i++) {
                if (base == NULL || rule_accepts(&v->words, base, r.values[i])) (void)count_of(s, r.values[i]);
            }
        }
        for (uint32_t i = 0; base != NULL && !base->excludes && i < base->count && !v->failed; i++)
            (void)count_of(s, base->values[i]);
    }
}

/* ---- the check --------------------------------------------------------------------------------------------------- */

/* The number of its terms that allow the domain. It is not known by which of them a pod was placed. */
static uint32_t terms_open_to(const spread_check *s, domain_count *d)
{
    if (d->open != NO_ID) return d->open;
    d->open = 0;
    for (uint32_t i = 0; i < s->w->count; i++) {
        const rule *own = rules_find(&s->w->terms[i], s->c->topology_key);
        d->open += own == NULL || rule_accepts(&s->v->words, own, d->domain);
    }
    return d->open;
}

static uint32_t least_count(const spread_check *s)
{
    uint32_t least = UINT32_MAX, open = 0;
    if (s->c->topology_key == s->v->snapshot->known.hostname) return 0; /* a new node is always possible */
    for (size_t i = 0; i < s->domains.count; i++) {
        domain_count *d = &s->domains.items[i];
        uint32_t total = d->before + d->own + d->others;
        if (i >= s->known && total == 0 && !d->used) continue; /* only pods of another kind are there */
        uint32_t terms = terms_open_to(s, d);
        if (terms > 0) open++;
        if (i < s->known && terms == s->w->count && total < least) least = total;
    }
    return s->c->min_domains > 0 && open < (uint32_t)s->c->min_domains ? 0 : least;
}

/* The first domain in which too many pods of the kind were placed; NULL = none. */
static const domain_count *crowded(const spread_check *s, uint32_t least)
{
    verifier *v = s->v;
    const domain_count *first = NULL;
    kind_list pods = pods_of_kind(v->kinds, s->kind);
    for (uint32_t i = 0; i < pods.count; i++) {
        if (!usable_target(v, v->at[pods.items[i]])) continue;
        spot_domains spot = domains_of(v, &v->targets[v->at[pods.items[i]]], s->c->topology_key);
        uint32_t at = spot.count == 1 ? map64_get(&s->index, spot.one) : NO_ID;
        const domain_count *d = at == NO_ID ? NULL : &s->domains.items[at];
        if (d == NULL || (int64_t)d->before + d->own - least <= s->c->max_skew) continue;
        if (first == NULL || d < first) first = d;
    }
    return first;
}

static void judge(spread_check *s)
{
    verifier *v = s->v;
    uint32_t least = least_count(s);
    const domain_count *d = crowded(s, least);
    if (d == NULL) return;
    note(v, KARP_FINDING_SPREAD, pod_object(v, pods_of_kind(v->kinds, s->kind).items[0]),
         "%u pods like it in one %.*s, %u in the emptiest, and maxSkew is %d", (unsigned)(d->before + d->own),
         SHOW(text_of(v->snapshot, s->c->topology_key)), (unsigned)least, (int)s->c->max_skew);
}

/* ---- equal constraints ------------------------------------------------------------------------------------------- */

static void key_add_number(key_builder *x, int64_t number)
{
    key_add(x, (uint32_t)(uint64_t)number);
    key_add(x, (uint32_t)((uint64_t)number >> 32));
}

static void key_add_rules(key_builder *x, const rules *list)
{
    key_add(x, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const rule *r = &list->items[i];
        key_add(x, r->key);
        key_add(x, r->excludes);
        key_add_number(x, r->gte);
        key_add_number(x, r->lte);
        key_add(x, r->count);
        for (uint32_t k = 0; k < r->count; k++) key_add(x, r->values[k]);
    }
}

static void key_add_tolerations(key_builder *x, toleration_list list)
{
    key_add(x, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        key_add(x, list.items[i].key);
        key_add(x, list.items[i].op);
        key_add(x, list.items[i].value);
        key_add(x, list.items[i].effect);
    }
}

/* Kinds with equal constraints on the same nodes are checked together, so that many kinds that only differ in size
 * cost no more than one. */
static void add_constraint(constraint_uses *a, uint32_t kind, const spread_constraint *c)
{
    key_builder *key = &a->key;
    verifier *v = key->v;
    const pod_class *own = &v->snapshot->classes[kind];
    const wishes *w = pod_wishes(v, own->shape);
    key_add(key, own->name_space);
    key_add(key, c->topology_key);
    key_add(key, (uint32_t)c->max_skew);
    key_add(key, (uint32_t)c->min_domains);
    key_add(key, (uint32_t)c->honor_affinity | (uint32_t)c->honor_taints << 1);
    key_add_selector(key, c->label_selector);
    key_add(key, c->match_label_key_count);
    for (uint32_t i = 0; i < c->match_label_key_count; i++) {
        key_add(key, c->match_label_keys[i]);
        key_add(key, label_get(kind_labels(v, kind), c->match_label_keys[i]));
    }
    key_add(key, w->count);
    for (uint32_t i = 0; i < w->count; i++) key_add_rules(key, &w->terms[i]);
    if (c->honor_taints) key_add_tolerations(key, v->snapshot->raw.shapes.items[own->shape].tolerations);
    constraint_uses_add(a, (constraint_use){ .kind = kind, .constraint = c });
}

static void check_kind(spread_check *s, uint32_t kind)
{
    s->kind = kind;
    s->own_unsure = false;
    count_own(s, true);
    if (!s->v->failed && !s->unsure && !s->own_unsure) judge(s);
    count_own(s, false);
    (void)verifier_worked(s->v, (s->domains.count + pods_of_kind(s->v->kinds, kind).count) * 8);
}

static void check_same(verifier *v, const constraint_use *list, size_t count)
{
    spread_check s = { .v = v,
                       .c = list->constraint,
                       .kind = list->kind,
                       .w = pod_wishes(v, v->snapshot->classes[list->kind].shape),
                       .soft_taints = !v->kinds->soft_pools };
    if (v->failed || !select_kinds(&s)) return;
    map64_init(&s.index, v->context);
    count_nodes(&s);
    if (!v->failed) count_running(&s);
    if (!v->failed && s.c->topology_key != v->snapshot->known.hostname) count_pools(&s);
    s.known = s.domains.count;
    if (!v->failed) count_placed(&s);
    for (size_t i = 0; i < count && !v->failed; i++) check_kind(&s, list[i].kind);
    map64_free(&s.index);
    list_free(v->context, &s.domains, sizeof(domain_count));
}

static bool places_some(const verifier *v, uint32_t kind)
{
    kind_list pods = pods_of_kind(v->kinds, kind);
    uint32_t i = 0;
    while (i < pods.count && !usable_target(v, v->at[pods.items[i]])) i++;
    return i < pods.count;
}

/* Collects the constraints of the kind that can be checked. */
static void add_kind(constraint_uses *a, sets *all, uint32_t kind)
{
    verifier *v = a->key.v;
    spread_list list = v->snapshot->raw.shapes.items[v->snapshot->classes[kind].shape].spread;
    for (uint32_t i = 0; i < list.count && !v->failed; i++) {
        spread_check s = { .v = v, .c = &list.items[i], .kind = kind };
        if (s.c->schedule_anyway || s.c->label_selector == NULL || !key_as_written(v, s.c->topology_key)) continue;
        if (v->quirks && (conflated(all, &s) || may_change_group(&s))) continue;
        add_constraint(a, kind, s.c);
    }
}

void check_spread(verifier *v)
{
    sets all = { .v = v, .key = { .v = v } };
    constraint_uses a;
    words_init(&all.numbers, v->context);
    words_init(&all.filters, v->context);
    constraint_uses_init(&a, v);
    if (v->quirks) sets_fill(&all);
    for (uint32_t k = 0; k < v->snapshot->class_count && !v->failed; k++) {
        if (v->snapshot->raw.shapes.items[v->snapshot->classes[k].shape].spread.count > 0 && constrained(v, k) &&
            places_some(v, k))
            add_kind(&a, &all, k);
    }
    size_t keys = constraint_uses_group(&a);
    for (size_t i = 0; i < keys && !v->failed; i++) check_same(v, a.ordered + a.first[i], a.first[i + 1] - a.first[i]);
    words_free(&all.numbers);
    words_free(&all.filters);
    key_free(&all.key);
    list_free(v->context, &all.list, sizeof(struct constraint_set));
    constraint_uses_free(&a);
}
