/* SPDX-License-Identifier: Apache-2.0 */
/* Pods: spread constraints that make some of them unschedulable, and requests that fit no instance type well. */
#include <explain/lint.h>

#include <base/bits.h>
#include <model/prepare.h>

void lint_add_left(linting *l, uint32_t left, const lint_group *g)
{
    strbuf_putu(&l->text, ": the plan leaves ", left, " of ");
    strbuf_plural(&l->text, g->count, " pod", " pods");
    strbuf_adds(&l->text, " pending");
}

/* ---- spread ------------------------------------------------------------------------------------------------------ */

/* Whether nodes for pods can be launched from the NodePool. It need not be ready: other notes report that. */
static bool serves_pods(const node_pool *p) { return p->replicas < 0 && p->meta.deletion == KARP_NO_TIME; }

/* Without any NodePool and node the possible values are unknown. */
bool lint_has_nodes(const linting *l)
{
    const store *raw = &l->snapshot->raw;
    bool some = raw->nodes.count > 0;
    for (size_t p = 0; p < raw->pools.count && !some; p++)
        some = l->pool_sets[p] != NO_ID && serves_pods(&raw->pools.items[p]);
    return some;
}

uint32_t lint_mark_nodes(linting *l, uint32_t key, uint64_t *seen)
{
    const karp_snapshot *s = l->snapshot;
    uint32_t count = 0;
    for (size_t i = 0; i < s->raw.nodes.count; i++) {
        label_list labels = s->raw.nodes.items[i].meta.labels;
        for (uint32_t k = 0; k < labels.count; k++) {
            if (s->facts.normalized[labels.items[k].key] != key || bits_test(seen, labels.items[k].value)) continue;
            bits_set(seen, labels.items[k].value);
            count++;
        }
    }
    return count;
}

static uint32_t count_domains(linting *l, uint32_t key)
{
    const karp_snapshot *s = l->snapshot;
    uint32_t count = 0;
    memset(l->seen, 0, bits_words(s->facts.count) * sizeof *l->seen);
    for (uint32_t p = 0; p < s->raw.pools.count; p++) {
        if (l->pool_sets[p] != NO_ID && serves_pods(&s->raw.pools.items[p]))
            count += lint_mark_values(l, p, key, NO_ID, l->seen);
    }
    return count + lint_mark_nodes(l, key, l->seen);
}

static void check_spread(linting *l, const lint_group *g, uint32_t index)
{
    const spread_constraint *c = &g->shape->spread.items[index];
    uint32_t key = l->snapshot->facts.normalized[c->topology_key];
    if (c->schedule_anyway || key == l->snapshot->known.hostname) return;
    uint32_t domains = count_domains(l, key), wanted = c->min_domains > 0 ? (uint32_t)c->min_domains : 1;
    uint64_t most = (uint64_t)domains * (uint32_t)(c->max_skew > 0 ? c->max_skew : 0);
    uint32_t left = domains >= wanted || most >= g->count ? 0 : lint_left_pending(l, g, NULL);
    if (left == 0) return;
    strbuf_putu(&l->field, "spec.topologySpreadConstraints[", index, "]");
    strbuf_put(&l->text, "", text_of(l->snapshot, key), " has ");
    strbuf_addu(&l->text, domains);
    strbuf_adds(&l->text, domains == 1 ? " value" : " values");
    if (c->min_domains > 0) {
        strbuf_putu(&l->text, " where minDomains asks for ", wanted, "");
    }
    lint_add_left(l, left, g);
    strbuf_adds(&l->remedy, domains == 0 ? "no node could have the label; spread over another"
                                         : "allow more values in the NodePools, or lower minDomains");
    lint_note(l, LINT_SPREAD_CANNOT_HOLD, "Pod", pod_name(l->snapshot, g->pod));
}

static void check_spreads(linting *l, const lint_group *g)
{
    for (uint32_t i = 0; i < g->shape->spread.count && !l->refused; i++) {
        check_spread(l, g, i);
        if (!mem_work(l->snapshot->context, 1024)) l->refused = true;
    }
}

void lint_spread(linting *l)
{
    if (lint_has_nodes(l)) lint_each_group(l, ALIKE_IN_RULES, check_spreads);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

enum { MANY_PODS = 3 }; /* fewer pods are placed in the free capacity of other pods' nodes */
#define ENOUGH 0.8 /* the fraction of a node from which on it is used well */

/* The type whose full nodes are the cheapest for a group of such pods. */
typedef struct filling {
    double each; /* cost of a pod on a node that such pods fill */
    const instance_type *type; /* NULL = none takes them */
    uint64_t pods; /* number of pods on the node */
    bool full; /* the group is large enough for it */
    bool by_pod_limit; /* its pod limit allows no more, other resources would */
    uint32_t dim; /* the resource that is used most, other than places for pods */
    double used; /* the fraction of it that is used */
} filling;

static double least_price(linting *l, const type_table *table, const instance_type *t, uint32_t set)
{
    double least = -1;
    for (uint32_t i = 0; i < t->offering_count; i++) {
        const offering *o = &table->offerings[t->offering_first + i];
        if (!o->available || (least >= 0 && o->price >= least)) continue;
        if (set_compatible(&l->algebra, set, o->set, true)) least = o->price;
    }
    return least;
}

/* Compares a node of the type that as many of `count` such pods use as fit there. The last node of the group may have
 * fewer: what it leaves unused says nothing about the requests. */
static void fill_type(linting *l, const type_table *table, uint32_t type, uint32_t set, const int64_t *requests,
                      size_t count, filling *best)
{
    const instance_type *t = &table->types[type];
    if (t->variant_count == 0 || !set_agree(&l->algebra, t->set, set)) return;
    const int64_t *has = table->variants[t->variant_first].allocatable;
    double price = least_price(l, table, t, set), part = 0;
    uint64_t others = UINT64_MAX, places = UINT64_MAX;
    uint32_t dim = 0;
    for (uint32_t r = 0; r < l->snapshot->dims; r++) {
        if (requests[r] <= 0) continue;
        if (has[r] < requests[r]) return;
        uint64_t n = (uint64_t)(has[r] / requests[r]);
        if (l->snapshot->resource_of[r] == RESOURCE_PODS) {
            places = n;
            continue;
        }
        if (n < others) others = n;
        if ((double)requests[r] / (double)has[r] <= part) continue;
        part = (double)requests[r] / (double)has[r];
        dim = r;
    }
    uint64_t most = places < others ? places : others, pods = most < count ? most : count;
    if (price <= 0 || part <= 0 || (best->type != NULL && price / (double)pods >= best->each)) return;
    *best = (filling){ price / (double)pods, t, pods, most <= count, places < others, dim, part * (double)pods };
}

/* The requirements of a node of the NodePool for such pods; NO_ID = none is possible. Only the first term of node
 * affinity is used. */
static uint32_t set_for(linting *l, uint32_t pool, const shape *h)
{
    demand d = { EMPTY_SET, NO_ID };
    bool made = demand_of_labels(&l->algebra, h->node_selector, &d);
    if (made && h->required.count > 0) made = demand_of_expressions(&l->algebra, h->required.items[0].expressions, &d);
    if (!made) l->refused = true;
    if (!made || !set_compatible(&l->algebra, l->pool_sets[pool], d.set, true)) return NO_ID;
    return set_meet(&l->algebra, l->pool_sets[pool], d.set);
}

static void check_requests(linting *l, const lint_group *g)
{
    const karp_snapshot *s = l->snapshot;
    const shape *h = g->shape;
    filling best = { 0 };
    if (g->count < MANY_PODS || h->required_anti.count > 0 || h->ports.count > 0 || h->has_claims) return;
    if (!mem_work(s->context, 4096)) l->refused = true;
    for (uint32_t p = 0; p < s->raw.pools.count; p++) {
        if (l->pool_sets[p] == NO_ID || !pool_usable(s, &s->raw.pools.items[p])) continue;
        uint32_t set = set_for(l, p, h);
        for (uint32_t t = 0; set != NO_ID && t < lint_table(l, p)->type_count; t++)
            fill_type(l, lint_table(l, p), t, set, s->classes[s->pod_class[g->pod]].requests, g->count, &best);
    }
    if (best.type == NULL || !best.full || best.used > ENOUGH || lint_left_pending(l, g, NULL) > 0) return;
    bool limited = best.by_pod_limit;
    strbuf_adds(&l->field, "spec.containers[*].resources.requests");
    strbuf_adds(&l->text,
                limited ? "the pod limit is reached long before cpu and memory: the cheapest for such pods, "
                        : "such pods leave much of the nodes for them unused: the cheapest instance type for them, ");
    strbuf_put(&l->text, "", text_of(s, best.type->name), " with ");
    strbuf_plural(&l->text, best.pods > UINT32_MAX ? UINT32_MAX : (uint32_t)best.pods, " pod", " pods");
    strbuf_putu(&l->text, ", leaves ", (uint64_t)(100 * (1 - best.used) + 0.5), "");
    strbuf_put(&l->text, "% of its ", strings_get(&s->raw.resources, s->resource_of[best.dim]),
               " unused, unless other pods fill it");
    strbuf_adds(&l->remedy, limited
                                ? "allow types with more addresses, or raise the kubelet's maxPods (prefix delegation)"
                                : "request a little less, or allow other instance types");
    lint_note(l, limited ? LINT_POD_LIMIT_BINDS : LINT_STRANDED_CAPACITY, "Pod", pod_name(s, g->pod));
}

void lint_requests(linting *l) { lint_each_group(l, ALIKE_IN_ALL, check_requests); }

/* ---- tolerations ------------------------------------------------------------------------------------------------- */

/* Tolerations for a value that no taint has, if a taint has a similar value. */
enum { SHORTEST = 4 }; /* shortest value to compare: short ones are similar to many others */

/* "team-a" and "team-b" are different names, not a misspelling. */
static bool are_variants(karp_str a, karp_str b)
{
    return a.len == b.len && equal_str((karp_str){ a.ptr, a.len - 1 }, (karp_str){ b.ptr, b.len - 1 });
}

/* false = a taint has exactly this value. */
static bool offer_taints(const linting *l, const toleration *t, taint_list taints, nearest *near)
{
    for (uint32_t i = 0; i < taints.count; i++) {
        const taint *has = &taints.items[i];
        if (has->key != t->key) continue;
        if (has->value == t->value) return false;
        karp_str value = text_of(l->snapshot, has->value);
        if (!are_variants(near->wanted, value)) nearest_offer(near, value);
    }
    return true;
}

static bool offer_all(const linting *l, const toleration *t, nearest *near)
{
    const store *raw = &l->snapshot->raw;
    for (size_t p = 0; p < raw->pools.count; p++) {
        if (!offer_taints(l, t, raw->pools.items[p].taints, near) ||
            !offer_taints(l, t, raw->pools.items[p].startup_taints, near))
            return false;
    }
    for (size_t i = 0; i < raw->nodes.count; i++) {
        if (!offer_taints(l, t, raw->nodes.items[i].taints, near)) return false;
    }
    return true;
}

static void check_toleration(linting *l, const lint_group *g, uint32_t index)
{
    const toleration *t = &g->shape->tolerations.items[index];
    nearest near = nearest_to(text_of(l->snapshot, t->value));
    if (t->op != KARP_TOLERATION_EQUAL || near.wanted.len < SHORTEST || l->guesses == MOST_GUESSES) return;
    l->guesses++;
    if (!offer_all(l, t, &near) || near.best.ptr == NULL) return;
    strbuf_putu(&l->field, "spec.tolerations[", index, "]");
    strbuf_put(&l->text, "no taint ", text_of(l->snapshot, t->key), " of a NodePool or node has the value ");
    strbuf_addstr(&l->text, near.wanted);
    lint_suggest(l, &near);
    lint_note(l, LINT_UNKNOWN_TAINT, "Pod", pod_name(l->snapshot, g->pod));
}

static void check_tolerations(linting *l, const lint_group *g)
{
    const store *raw = &l->snapshot->raw;
    for (uint32_t i = 0; i < g->shape->tolerations.count && !l->refused; i++) {
        check_toleration(l, g, i);
        if (!mem_work(l->snapshot->context, raw->pools.count + raw->nodes.count + 1)) l->refused = true;
    }
}

void lint_tolerations(linting *l) { lint_each_group(l, ALIKE_IN_RULES, check_tolerations); }
