/* SPDX-License-Identifier: Apache-2.0 */
/* What is there before the round: domains of the nodes offered, counts of bound pods (scheduling.md §14.3). */
#include <schedule/templates.h>
#include <schedule/topology.h>

bool host_allowed(const scheduler *s, uint32_t requirement_id, uint32_t host_text)
{
    if (requirement_id == NO_ID) return true;
    const requirement *r = requirement_get(&s->algebra, requirement_id);
    if (host_text == HOST_ABSENT) return requirement_negative(r);
    return host_text == HOST_FRESH ? requirement_has_fresh(r) : requirement_has(&s->algebra, r, host_text);
}

bool filter_matches(scheduler *s, const node_filter *f, taint_list taints, uint32_t set, uint32_t host_text)
{
    if (f->honor_affinity && f->entry_count > 0) {
        bool some = false;
        for (uint32_t i = 0; i < f->entry_count && !some; i++) {
            some = host_allowed(s, f->entries[i].host, host_text) && set_compatible(&s->algebra, set, f->entries[i].set, false);
        }
        if (!some) return false;
    }
    return !f->honor_taints || taints_tolerated(s, f->tolerations, taints, NULL);
}

/* Whether the group counts pods on this Node, judged by the Node object alone. */
static bool counts_node(scheduler *s, const group *g, uint32_t node_index)
{
    const node *n = &s->snapshot->raw.nodes.items[node_index];
    return !g->has_filter ||
           filter_matches(s, &g->filter, n->taints, s->snapshot->node_sets[node_index], label_get(n->meta.labels, s->snapshot->known.hostname));
}

/* The domain of a Node for a key; only the host name falls back to the Node's name. NO_ID = none. */
static uint32_t node_domain(scheduler *s, uint32_t key_index, uint32_t node_index)
{
    const node *n = &s->snapshot->raw.nodes.items[node_index];
    uint32_t text = label_get(n->meta.labels, s->keys[key_index].key);
    if (!s->keys[key_index].is_host) return text == NO_ID ? NO_ID : domain_number(s, key_index, text);
    if (text == NO_ID) {
        karp_str name = name_of(s->snapshot, n->meta.name);
        text = strings_find(&s->snapshot->raw.text, name.ptr, name.len);
    }
    return host_number_of_text(s, text);
}

static bool seed_offered(scheduler *s, uint32_t number)
{
    for (uint32_t h = 0; h < s->host_count; h++) {
        group *g = &s->groups.items[number];
        const state_node *n = &s->snapshot->nodes[s->hosts[h].node];
        if (n->node == NO_ID || !counts_node(s, g, n->node)) continue;
        uint32_t text = label_get(n->labels, s->keys[g->key].key);
        if (text == NO_ID) continue;
        uint32_t domain = domain_number(s, g->key, text);
        if (domain == NO_ID) return false;
        group_register(s, g, domain);
    }
    return true;
}

bool topology_seed(scheduler *s, uint32_t number)
{
    group *g = &s->groups.items[number];
    if (!s->keys[g->key].is_host && !seed_offered(s, number)) return false;
    for (uint32_t i = 0; i < s->kins.count; i++) {
        const kin *k = &s->kins.items[i];
        /* A nil selector selects no pod, yet counts every pod of its namespaces here. */
        bool counted = g->selects == NULL ? group_in_namespace(g, k->name_space) : group_selects(s, g, k);
        if (!counted) continue;
        for (uint32_t p = s->kin_first[i]; p < s->kin_first[i + 1]; p++) {
            uint32_t pod_index = s->kin_pods[p], node_index = s->snapshot->pod_node[pod_index];
            if (s->excluded[pod_index] || !counts_node(s, g, node_index)) continue;
            uint32_t domain = node_domain(s, g->key, node_index);
            if (domain != NO_ID) group_count(s, g, domain);
            if (s->failed) return false;
        }
    }
    return !s->failed;
}
