/* SPDX-License-Identifier: Apache-2.0 */
/* Initial state of groups: domains of the offered nodes, counts of bound pods. */
#include <base/str.h>
#include <schedule/filters.h>
#include <schedule/label_groups.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>

bool host_allowed(const scheduler *s, uint32_t requirement_id, uint32_t host_text)
{
    if (requirement_id == NO_ID) return true;
    const requirement *r = requirement_get(&s->algebra, requirement_id);
    if (host_text == HOST_ABSENT) return requirement_negative(r);
    return host_text == HOST_FRESH ? requirement_has_fresh(r) : requirement_has(&s->algebra, r, host_text);
}

/* Whether the group counts pods on this Node; only the Node object is considered. */
static bool counts_node(scheduler *s, const group *g, uint32_t node_index)
{
    return !g->selective || filter_matches_node(s, &g->filter, node_index);
}

uint32_t node_label(const scheduler *s, label_list labels, uint32_t key_index)
{
    const uint32_t *normalized = s->snapshot->facts.normalized;
    const domain_key *k = &s->topology.keys[key_index];
    const label_pair *older = NULL;
    uint32_t text = label_get(labels, k->key);
    for (uint32_t i = 0; text == NO_ID && !quirk(s, 34) && i < labels.count; i++) {
        const label_pair *l = &labels.items[i];
        if (normalized[l->key] != k->key) continue;
        if (older == NULL || compare_str(text_of(s->snapshot, l->key), text_of(s->snapshot, older->key)) < 0) older = l;
    }
    return older == NULL ? text : older->value;
}

/* The domain of a Node for a key. Only the host name falls back to the Node's name. NO_ID = none. */
static uint32_t node_domain(scheduler *s, uint32_t key_index, uint32_t node_index)
{
    const node *n = &s->snapshot->raw.nodes.items[node_index];
    uint32_t text = node_label(s, n->meta.labels, key_index);
    if (!s->topology.keys[key_index].is_host) return text == NO_ID ? NO_ID : domain_number(s, key_index, text);
    if (text == NO_ID) {
        karp_str name = name_of(s->snapshot, n->meta.name);
        text = strings_find(&s->snapshot->raw.text, name.ptr, name.len);
    }
    return host_number_of_text(s, text);
}

/* Whether a bound pod is counted on its node. */
static bool counts(const scheduler *s, uint32_t pod_number)
{
    const pod *p = pod_at(&s->snapshot->raw, pod_number);
    return p->phase != KARP_PHASE_SUCCEEDED && p->phase != KARP_PHASE_FAILED;
}

uint32_t seed_of_node(scheduler *s, const group *g, const state_node *n)
{
    if (g->inverse || g->host || n->node == NO_ID || !counts_node(s, g, n->node)) return NO_ID;
    uint32_t text = node_label(s, n->labels, g->key);
    return text == NO_ID ? NO_ID : domain_number(s, g->key, text);
}

/* The required anti-affinity of a bound pod counts by the Node's label alone. */
static uint32_t seed_of_owner(scheduler *s, const group *g, uint32_t pod_number)
{
    const class_state *c = &s->pods.classes[s->snapshot->pod_class[pod_number]];
    uint32_t number = (uint32_t)(g - s->topology.groups.items);
    if (!owns_inverse(c, number)) return NO_ID;
    uint32_t text = node_label(s, s->snapshot->raw.nodes.items[s->snapshot->pod_node[pod_number]].meta.labels, g->key);
    if (text == NO_ID) return NO_ID;
    return g->host ? host_number_of_text(s, text) : domain_number(s, g->key, text);
}

uint32_t seed_of_pod(scheduler *s, const group *g, uint32_t pod_number)
{
    const label_group *k = &s->topology.label_groups.items[label_group_of_pod(s, pod_number)];
    if (!counts(s, pod_number)) return NO_ID;
    if (g->inverse) return seed_of_owner(s, g, pod_number);
    if (pod_at(&s->snapshot->raw, pod_number)->deletion != KARP_NO_TIME) return NO_ID;
    /* A missing selector selects no pod, but here counts every pod of its namespaces. */
    if (g->selects == NULL ? !group_in_namespace(g, k->name_space) : !group_counts(s, g, k)) return NO_ID;
    uint32_t node_index = s->snapshot->pod_node[pod_number];
    return counts_node(s, g, node_index) ? node_domain(s, g->key, node_index) : NO_ID;
}

bool topology_seed(scheduler *s, uint32_t number)
{
    group *g = &s->topology.groups.items[number];
    if (!topology_list_bound(s)) s->failed = true;
    if (s->failed) return false;
    for (uint32_t h = 0; h < s->hosts.count; h++) {
        uint32_t domain = seed_of_node(s, g, &s->snapshot->nodes[s->hosts.items[h].node]);
        if (domain != NO_ID) group_register(s, g, domain);
    }
    label_group_list near = label_groups_for(s, g);
    for (uint32_t i = 0; i < near.count; i++) {
        uint32_t number_of_label_group = label_group_list_at(near, i);
        const uint32_t *first = &s->topology.bound_first[number_of_label_group];
        if (first[0] == first[1]) continue;
        const label_group *k = &s->topology.label_groups.items[number_of_label_group];
        if (g->selects == NULL ? !group_in_namespace(g, k->name_space) : !group_counts(s, g, k)) continue;
        for (uint32_t p = first[0]; p < first[1]; p++) {
            uint32_t node_index = s->snapshot->pod_node[s->topology.bound_pods[p]];
            uint32_t number_of_pod = s->topology.bound_pods[p];
            bool moves = exclusion(&s->pods, number_of_pod) == 1 && leaves_its_count(s, number_of_pod);
            if (moves || !counts_node(s, g, node_index)) continue;
            uint32_t domain = node_domain(s, g->key, node_index);
            if (domain != NO_ID) group_count(s, g, domain);
            if (s->failed) return false;
        }
    }
    return !s->failed;
}
