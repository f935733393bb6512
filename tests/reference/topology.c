/* SPDX-License-Identifier: Apache-2.0 */
#include "topology.h"

#include <string.h>

#include "memory.h"

/* ------------------------------------------------------------------------------------------------ universe (14.1) */

static struct universe_key *universe_key(struct topology *t, const char *key)
{
    for (size_t i = 0; i < t->universe_count; i++) {
        if (strcmp(t->universe[i].key, key) == 0) {
            return &t->universe[i];
        }
    }
    t->universe = ref_push(t->universe, t->universe_count, sizeof t->universe[0]);
    t->universe[t->universe_count] = (struct universe_key){ .key = key };
    return &t->universe[t->universe_count++];
}

static void insert(struct topology *t, const char *key, const char *domain, struct taints taints)
{
    struct universe_key *u = universe_key(t, key);
    struct reach *r = NULL;
    for (size_t i = 0; i < u->count && r == NULL; i++) {
        r = strcmp(u->domains[i].name, domain) == 0 ? &u->domains[i] : NULL;
    }
    if (r == NULL) {
        u->domains = ref_push(u->domains, u->count, sizeof u->domains[0]);
        r = &u->domains[u->count++];
        *r = (struct reach){ .name = domain };
    } else if (taints.count == 0) {
        r->count = 0;
        r->taints = NULL;
    } else if (r->count == 1 && r->taints[0].count == 0) {
        return; /* reached without any taint: nothing to add */
    } else if (r->taints[r->count - 1].items == taints.items) {
        return; /* the same pool once more makes no difference */
    }
    r->taints = ref_push(r->taints, r->count, sizeof r->taints[0]);
    r->taints[r->count++] = taints;
}

static void insert_values(struct topology *t, const struct requirement *r, struct taints taints)
{
    for (size_t i = 0; i < r->values.count; i++) {
        insert(t, r->key, r->values.items[i], taints); /* excluded values too: Q-6 */
    }
}

static void build_universe(struct topology *t, const struct domain_source *pools, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < pools[p].types.count; i++) {
            struct requirements all = ref_union(pools[p].base, pools[p].types.items[i]->requirements);
            for (size_t k = 0; k < all.count; k++) {
                insert_values(t, &all.items[k], pools[p].taints);
            }
        }
        for (size_t k = 0; k < pools[p].base.count; k++) {
            if (ref_operator(&pools[p].base.items[k]) == IN) {
                insert_values(t, &pools[p].base.items[k], pools[p].taints);
            }
        }
    }
}

static void add_initial_domains(const struct topology *t, struct group *g, const struct pod *pod, bool ignore_taints)
{
    for (size_t k = 0; k < t->universe_count; k++) {
        const struct universe_key *u = &t->universe[k];
        if (strcmp(u->key, g->key) != 0) {
            continue;
        }
        for (size_t i = 0; i < u->count; i++) {
            bool reached = ignore_taints;
            for (size_t j = 0; j < u->domains[i].count && !reached; j++) {
                reached = ref_tolerates(pod->tolerations, u->domains[i].taints[j]);
            }
            if (reached) {
                ref_group_count(g, u->domains[i].name, 0);
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------ making groups
 * (14.4, 14.6) */

static struct group *new_group(const struct topology *t, enum group_kind kind, const char *key,
                               struct selector selector)
{
    struct group *g = ref_alloc(sizeof *g);
    g->kind = kind;
    g->key = key;
    g->selector = selector;
    g->max_skew = INT32_MAX;
    g->owners = ref_alloc(t->world->pod_count + 1);
    return g;
}

static struct group *spread_group(const struct topology *t, const struct pod *pod, const struct spread *spread)
{
    struct group *g = new_group(t, SPREAD, spread->key, spread->selector);
    for (size_t i = 0; i < spread->match_label_keys.count; i++) {
        const char *key = spread->match_label_keys.items[i], *value = ref_label(pod->labels, key);
        if (value != NULL) {
            ref_selector_require(&g->selector, key, value);
        }
    }
    g->namespaces = ref_names_one(pod->namespace);
    g->max_skew = spread->max_skew;
    g->has_min_domains = spread->has_min_domains;
    g->min_domains = spread->min_domains;
    g->filter = ref_filter_make(pod, spread);
    add_initial_domains(t, g, pod, strcmp(spread->taints_policy, "Ignore") == 0);
    return g;
}

static struct names namespaces_of(const struct world *world, const struct pod *pod, const struct pod_term *term)
{
    struct objects all = ref_objects(world, "Namespace");
    const char **items = ref_alloc((term->namespaces.count + all.count + 1) * sizeof *items);
    size_t count = 0;
    if (term->namespaces.count == 0 && !term->namespace_selector.given) {
        return ref_names_one(pod->namespace);
    }
    for (size_t i = 0; i < term->namespaces.count; i++) {
        items[count++] = term->namespaces.items[i];
    }
    for (size_t i = 0; i < all.count; i++) {
        const json_t *metadata = ref_at(all.items[i], "metadata");
        if (ref_selects(&term->namespace_selector, ref_labels_read(ref_at(metadata, "labels")))) {
            items[count++] = ref_text(metadata, "name");
        }
    }
    return ref_names_sorted(items, count);
}

static struct group *affinity_group(const struct topology *t, const struct pod *pod, enum group_kind kind,
                                    const struct pod_term *term)
{
    struct group *g = new_group(t, kind, term->key, term->selector);
    g->namespaces = namespaces_of(t->world, pod, term);
    add_initial_domains(t, g, pod, false); /* the policy is unset here, so taints are honoured: Q-4 */
    return g;
}

static struct group *alike(struct group *const *list, size_t count, const struct group *g)
{
    for (size_t i = 0; i < count; i++) {
        if (ref_groups_alike(list[i], g)) {
            return list[i];
        }
    }
    return NULL;
}

/** @p node: the Node of a bound pod, or NULL. */
static void add_inverse(struct topology *t, const struct pod *pod, const struct node *node)
{
    for (size_t i = 0; i < pod->anti.count; i++) {
        struct group *g = affinity_group(t, pod, ANTI_AFFINITY, &pod->anti.items[i]);
        struct group *known = alike(t->inverse, t->inverse_count, g);
        const char *domain = node != NULL ? ref_label(node->labels, g->key) : NULL;
        if (known == NULL) {
            t->inverse = ref_push(t->inverse, t->inverse_count, sizeof(struct group *));
            t->inverse[t->inverse_count++] = known = g;
        }
        known->owners[pod->index] = true;
        if (domain != NULL) {
            ref_group_count(known, domain, 1); /* no fall-back to the node's name here */
        }
    }
}

/* ------------------------------------------------------------------------------------------------ seeding (14.3) */

static bool counts(const struct group *g, const struct node *node)
{
    return ref_filter_passes(g, node->taints, ref_requirements_of_labels(node->labels));
}

static void seed(const struct topology *t, struct group *g)
{
    for (size_t i = 0; i < t->node_count; i++) {
        const char *domain = ref_label(t->nodes[i]->labels, g->key); /* of the NodeClaim while unregistered */
        if (t->nodes[i]->node != NULL && domain != NULL && counts(g, t->nodes[i]->node)) {
            ref_group_count(g, domain, 0);
        }
    }
    for (size_t i = 0; i < t->world->pod_count; i++) {
        const struct pod *p = &t->world->pods[i];
        if (!ref_names_has(g->namespaces, p->namespace) || p->terminal || p->terminating || t->excluded[i] ||
            (g->selector.given && !ref_selects(&g->selector, p->labels))) {
            continue;
        }
        const struct node *node = ref_node_named(t->world, p->node_name);
        if (node == NULL) {
            continue;
        }
        const char *domain = ref_label(node->labels, g->key);
        if (domain == NULL && strcmp(g->key, HOSTNAME) == 0) {
            domain = node->name;
        }
        if (domain != NULL && counts(g, node)) {
            ref_group_count(g, domain, 1);
        }
    }
}

static void own(struct topology *t, const struct pod *pod, struct group *g)
{
    struct group *known = alike(t->groups, t->group_count, g);
    if (known == NULL) {
        seed(t, g);
        t->groups = ref_push(t->groups, t->group_count, sizeof(struct group *));
        t->groups[t->group_count++] = known = g;
    }
    known->owners[pod->index] = true;
}

void ref_topology_update(struct topology *t, const struct pod *pod)
{
    const struct pod_terms affinity[] = { pod->affinity, pod->preferred_affinity };
    const struct pod_terms anti[] = { pod->anti, pod->preferred_anti };
    for (size_t i = 0; i < t->group_count; i++) {
        t->groups[i]->owners[pod->index] = false;
    }
    add_inverse(t, pod, NULL);
    for (size_t i = 0; i < pod->spreads.count; i++) {
        const struct spread *s = &pod->spreads.items[i];
        if (!t->world->ignore_preferences || strcmp(s->when, "DoNotSchedule") == 0) {
            own(t, pod, spread_group(t, pod, s));
        }
    }
    for (size_t p = 0; p < (t->world->ignore_preferences ? 1 : 2); p++) {
        for (size_t i = 0; i < affinity[p].count; i++) {
            own(t, pod, affinity_group(t, pod, AFFINITY, &affinity[p].items[i]));
        }
    }
    for (size_t p = 0; p < (t->world->ignore_preferences ? 1 : 2); p++) {
        for (size_t i = 0; i < anti[p].count; i++) {
            own(t, pod, affinity_group(t, pod, ANTI_AFFINITY, &anti[p].items[i]));
        }
    }
}

struct topology *ref_topology_make(const struct world *world, const struct domain_source *pools, size_t pool_count,
                                   const struct state_node *const *nodes, size_t node_count, const bool *excluded)
{
    struct topology *t = ref_alloc(sizeof *t);
    t->world = world;
    t->nodes = nodes;
    t->node_count = node_count;
    t->excluded = excluded;
    build_universe(t, pools, pool_count);
    for (size_t i = 0; i < world->pod_count; i++) {
        const struct node *node = ref_node_named(world, world->pods[i].node_name);
        if (node != NULL && ref_node_is_known(world, node) && !excluded[i] && !world->pods[i].terminal) {
            add_inverse(t, &world->pods[i], node);
        }
    }
    return t;
}

/* ------------------------------------------------------------------------------------------------ use
 * (14.5, 14.7, 14.11) */

void ref_topology_record(struct topology *t, const struct pod *pod, struct taints taints,
                         struct requirements requirements)
{
    for (size_t i = 0; i < t->group_count + t->inverse_count; i++) {
        bool inverse = i >= t->group_count;
        struct group *g = inverse ? t->inverse[i - t->group_count] : t->groups[i];
        struct requirement r = ref_get_or_any(requirements, g->key);
        bool counted = inverse ? g->owners[pod->index]
                               : ref_group_selects(g, pod) && ref_filter_passes(g, taints, requirements);
        bool single = !r.complement && r.values.count == 1;
        for (size_t v = 0; v < r.values.count && counted && (g->kind == ANTI_AFFINITY || single); v++) {
            ref_group_count(g, r.values.items[v], 1);
        }
    }
}

void ref_topology_register(struct topology *t, const char *hostname)
{
    for (size_t i = 0; i < t->group_count + t->inverse_count; i++) {
        struct group *g = i >= t->group_count ? t->inverse[i - t->group_count] : t->groups[i];
        if (strcmp(g->key, HOSTNAME) == 0) {
            ref_group_count(g, hostname, 0);
        }
    }
}

bool ref_topology_narrow(const struct topology *t, const struct pod *pod, struct requirements of_pod,
                         struct requirements of_node, struct requirements *out)
{
    *out = of_node;
    for (size_t i = 0; i < t->group_count + t->inverse_count; i++) {
        bool inverse = i >= t->group_count;
        const struct group *g = inverse ? t->inverse[i - t->group_count] : t->groups[i];
        if (inverse ? !ref_group_selects(g, pod) : !g->owners[pod->index]) {
            continue;
        }
        struct requirement pod_side = ref_get_or_any(of_pod, g->key), node_side = ref_get_or_any(of_node, g->key);
        struct names domains = ref_group_next(g, pod, &pod_side, &node_side);
        if (domains.count == 0) {
            return false;
        }
        *out = ref_union(*out, ref_requirements_one(ref_requirement_in(g->key, domains)));
    }
    return true;
}
