/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <string.h>

#include "memory.h"

/* ------------------------------------------------------------------------------------------------ node filter (14.2)
 */

struct node_filter ref_filter_make(const struct pod *pod, const struct spread *spread)
{
    struct requirements selector = ref_requirements_of_labels(pod->node_selector);
    struct node_filter out = {
        .taints_policy = spread->taints_policy,
        .affinity_policy = spread->affinity_policy,
        .tolerations = pod->tolerations,
        .any_of = ref_alloc((pod->required_nodes.count + 1) * sizeof *out.any_of),
    };
    for (size_t i = 0; i < pod->required_nodes.count; i++) {
        struct requirements term = ref_requirements(pod->required_nodes.items[i].expressions);
        out.any_of[out.count++] = ref_union(selector, term);
    }
    if (out.count == 0) {
        out.any_of[out.count++] = selector;
    }
    return out;
}

bool ref_filter_passes(const struct group *group, struct taints taints, struct requirements requirements)
{
    const struct node_filter *f = &group->filter;
    if (group->kind != SPREAD) {
        return true;
    }
    bool any = strcmp(f->affinity_policy, "Honor") != 0;
    for (size_t i = 0; i < f->count && !any; i++) {
        any = ref_compatible(requirements, f->any_of[i], false);
    }
    return any && (strcmp(f->taints_policy, "Honor") != 0 || ref_tolerates(f->tolerations, taints));
}

/* ------------------------------------------------------------------------------------------------ identity */

/** Texts that occur an odd number of times: equal members cancel in pairs. */
static struct names odd_tolerations(struct tolerations list)
{
    struct names out = { ref_alloc((list.count + 1) * sizeof(char *)), 0 };
    for (size_t i = 0; i < list.count; i++) {
        const struct toleration *t = &list.items[i];
        out.items[out.count++] = ref_format("%s|%s|%s|%s|%d|%lld", t->key, t->op, t->value, t->effect, t->has_seconds,
                                            (long long)t->seconds);
    }
    return ref_odd(out);
}

/** Of the requirements only keys and minValues are part of the identity. */
static struct names odd_entries(const struct node_filter *f)
{
    struct names out = { ref_alloc((f->count + 1) * sizeof(char *)), 0 };
    for (size_t i = 0; i < f->count; i++) {
        const char *text = "";
        for (size_t j = 0; j < f->any_of[i].count; j++) {
            const struct requirement *r = &f->any_of[i].items[j];
            text = ref_format("%s|%s|%d|%lld", text, r->key, r->has_min, (long long)r->min);
        }
        out.items[out.count++] = text;
    }
    return ref_odd(out);
}

static bool filters_alike(const struct node_filter *a, const struct node_filter *b)
{
    return strcmp(a->taints_policy, b->taints_policy) == 0 && strcmp(a->affinity_policy, b->affinity_policy) == 0 &&
           ref_names_equal(odd_tolerations(a->tolerations), odd_tolerations(b->tolerations)) &&
           ref_names_equal(odd_entries(a), odd_entries(b));
}

bool ref_groups_alike(const struct group *a, const struct group *b)
{
    return a->kind == b->kind && strcmp(a->key, b->key) == 0 && a->max_skew == b->max_skew &&
           ref_names_equal(a->namespaces, b->namespaces) && ref_selectors_alike(&a->selector, &b->selector) &&
           (a->kind != SPREAD || filters_alike(&a->filter, &b->filter));
}

bool ref_group_selects(const struct group *group, const struct pod *pod)
{
    return ref_names_has(group->namespaces, pod->namespace) && ref_selects(&group->selector, pod->labels);
}

/* ------------------------------------------------------------------------------------------------ domains */

static const struct domain *find(const struct group *group, const char *name)
{
    for (size_t i = 0; i < group->domain_count; i++) {
        if (strcmp(group->domains[i].name, name) == 0) {
            return &group->domains[i];
        }
    }
    return NULL;
}

static int64_t count_of(const struct group *group, const char *name)
{
    const struct domain *d = find(group, name);
    return d != NULL ? d->count : 0;
}

void ref_group_count(struct group *group, const char *name, int64_t by)
{
    size_t i = 0;
    while (i < group->domain_count && strcmp(group->domains[i].name, name) < 0) {
        i++;
    }
    if (i < group->domain_count && strcmp(group->domains[i].name, name) == 0) {
        group->domains[i].count += by;
        return;
    }
    group->domains = ref_push(group->domains, group->domain_count, sizeof group->domains[0]);
    memmove(group->domains + i + 1, group->domains + i, (group->domain_count - i) * sizeof group->domains[0]);
    group->domains[i] = (struct domain){ name, by };
    group->domain_count++;
}

/* ------------------------------------------------------------------------------------------------ next domain */

/** The host, if the group is about hosts and the node is a certain one. */
static const char *single_host(const struct group *group, const struct requirement *of_node)
{
    bool single = strcmp(group->key, HOSTNAME) == 0 && !of_node->complement && of_node->values.count == 1;
    return single ? of_node->values.items[0] : NULL;
}

static struct names one_if(bool ok, const char *name) { return ok ? ref_names_one(name) : (struct names){ NULL, 0 }; }

/** (14.8) The least used domain, the first by name. */
static struct names next_spread(const struct group *group, const struct pod *pod, const struct requirement *of_pod,
                                const struct requirement *of_node)
{
    int64_t self = ref_group_selects(group, pod) ? 1 : 0, least = INT32_MAX, allowed = 0;
    const char *host = single_host(group, of_node);
    const struct domain *best = NULL;
    if (host != NULL) {
        return one_if(count_of(group, host) + self <= group->max_skew, host);
    }
    for (size_t i = 0; i < group->domain_count; i++) {
        const struct domain *d = &group->domains[i];
        if (ref_has(of_pod, d->name)) {
            allowed++;
            least = d->count < least ? d->count : least;
        }
    }
    if (strcmp(group->key, HOSTNAME) == 0 || (group->has_min_domains && allowed < group->min_domains)) {
        least = 0;
    }
    for (size_t i = 0; i < group->domain_count; i++) {
        const struct domain *d = &group->domains[i];
        if (ref_has(of_node, d->name) && d->count + self - least <= group->max_skew &&
            (best == NULL || d->count < best->count)) {
            best = d;
        }
    }
    return one_if(best != NULL && *best->name != '\0', best != NULL ? best->name : ""); /* an empty name is none */
}

/** (14.9) Where matching pods are; the first of them may start anywhere. */
static struct names next_affinity(const struct group *group, const struct pod *pod, const struct requirement *of_pod,
                                  const struct requirement *of_node)
{
    struct names taken = { ref_alloc((group->domain_count + 1) * sizeof(char *)), 0 };
    bool may_start = ref_group_selects(group, pod);
    const char *host = single_host(group, of_node), *of_both = NULL, *of_mine = NULL;
    for (size_t i = 0; i < group->domain_count; i++) {
        const struct domain *d = &group->domains[i];
        bool by_pod = ref_has(of_pod, d->name), by_both = by_pod && ref_has(of_node, d->name);
        may_start = may_start && !(d->count > 0 && by_pod);
        if (d->count > 0 && by_both) {
            taken.items[taken.count++] = d->name;
        }
        of_both = by_both && of_both == NULL ? d->name : of_both;
        of_mine = by_pod && of_mine == NULL ? d->name : of_mine;
    }
    if (host != NULL) {
        return one_if(ref_has(of_pod, host) && (count_of(group, host) > 0 || may_start), host);
    }
    if (taken.count > 0 || !may_start) {
        return taken;
    }
    return of_both != NULL ? ref_names_one(of_both) : one_if(of_mine != NULL, of_mine);
}

/** (14.10) Every empty domain. */
static struct names next_anti(const struct group *group, const struct requirement *of_pod,
                              const struct requirement *of_node)
{
    struct names out = { ref_alloc((group->domain_count + 1) * sizeof(char *)), 0 };
    const char *host = single_host(group, of_node);
    if (host != NULL) {
        return one_if(count_of(group, host) == 0, host);
    }
    for (size_t i = 0; i < group->domain_count; i++) {
        const struct domain *d = &group->domains[i];
        if (d->count == 0 && ref_has(of_pod, d->name) && ref_has(of_node, d->name)) {
            out.items[out.count++] = d->name;
        }
    }
    return out;
}

struct names ref_group_next(const struct group *group, const struct pod *pod, const struct requirement *of_pod,
                            const struct requirement *of_node)
{
    switch (group->kind) {
    case SPREAD: return next_spread(group, pod, of_pod, of_node);
    case AFFINITY: return next_affinity(group, pod, of_pod, of_node);
    case ANTI_AFFINITY: return next_anti(group, of_pod, of_node);
    }
    return (struct names){ NULL, 0 };
}
