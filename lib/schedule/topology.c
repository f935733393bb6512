/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up topology, and counts pods where they are placed. */
#include <schedule/placement.h>
#include <schedule/rounds.h>
#include <schedule/topology.h>
#include <schedule/scheduler.h>

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

static bool counts_where_it_is(const scheduler *s, uint32_t pod_index)
{
    const pod *p = pod_at(&s->snapshot->raw, pod_index);
    return s->snapshot->pod_node[pod_index] != NO_ID && p->phase != KARP_PHASE_SUCCEEDED &&
           p->phase != KARP_PHASE_FAILED && p->deletion == KARP_NO_TIME;
}

/* Groups bound pods by label group, for seeding. */
bool topology_list_bound(scheduler *s)
{
    if (s->topology.bound_first != NULL) return true;
    size_t pods = s->snapshot->raw.nodes.count > 0 ? s->snapshot->raw.pods.count : 0,
           label_groups = s->topology.label_groups.count;
    uint32_t *first = arena_array(&s->data, label_groups + 2, sizeof *first);
    s->topology.bound_first = first;
    if (first == NULL) return false;
    for (uint32_t i = 0; i < pods; i++) {
        if (counts_where_it_is(s, i)) first[label_group_of_pod(s, i) + 2]++;
    }
    for (size_t i = 2; i < label_groups + 2; i++) first[i] += first[i - 1];
    uint32_t *bound = arena_array(&s->data, first[label_groups + 1] + (size_t)1, sizeof *bound);
    s->topology.bound_pods = bound;
    if (bound == NULL) return false;
    for (uint32_t i = 0; i < pods; i++) {
        if (counts_where_it_is(s, i)) bound[first[label_group_of_pod(s, i) + 1]++] = i;
    }
    return true;
}

/* Numbers every Node's host name now, so that all later numbers belong to claims. */
static bool number_nodes(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    for (size_t i = 0; i < snapshot->raw.nodes.count; i++) {
        uint32_t at = snapshot->node_of_name[i];
        const state_node *state = at < snapshot->node_count && snapshot->nodes[at].node == i ? &snapshot->nodes[at]
                                                                                             : NULL;
        if (state != NULL && state->host_is_name && !state->marked) continue; /* hosts_init() has numbered it */
        const node *n = &s->snapshot->raw.nodes.items[i];
        uint32_t text = label_get(n->meta.labels, s->snapshot->known.hostname);
        karp_str name = name_of(s->snapshot, n->meta.name);
        if (text != NO_ID && host_number_of_text(s, text) == NO_ID) return false;
        if (host_number_of_text(s, strings_find(&s->snapshot->raw.text, name.ptr, name.len)) == NO_ID) return false;
    }
    return true;
}

/* Registers the required anti-affinity of bound pods that stay, on nodes that count. Uses only the Node's
 * label, without a fallback. */
static bool register_bound(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    bool some = false;
    for (uint32_t c = 0; c < snapshot->class_count; c++) some = some || shape_of(snapshot, c)->required_anti.count > 0;
    for (size_t i = 0; some && i < snapshot->raw.pods.count && snapshot->raw.nodes.count > 0; i++) {
        uint32_t p = snapshot->by_name[i], class_number = snapshot->pod_class[p];
        if (snapshot->pod_node[p] == NO_ID || (exclusion(&s->pods, p) && leaves_its_count(s, p))) continue;
        const pod *q = pod_at(&snapshot->raw, p);
        const shape *h = shape_of(snapshot, class_number);
        if (h->required_anti.count == 0) continue;
        const node *n = &snapshot->raw.nodes.items[snapshot->pod_node[p]];
        if (q->phase == KARP_PHASE_SUCCEEDED || q->phase == KARP_PHASE_FAILED || !node_is_known(snapshot, n)) continue;
        if (snapshot->lost != NULL && bits_test(snapshot->lost, snapshot->pod_node[p])) continue;
        if (!topology_register_inverse(s, class_number, h->tolerations)) return false;
        for (uint32_t k = 0; k < s->pods.classes[class_number].inverse_count; k++) {
            group *g = &s->topology.groups.items[s->pods.classes[class_number].inverse_owned[k]];
            uint32_t text = node_label(s, n->meta.labels, g->key);
            if (text == NO_ID) continue;
            uint32_t domain = s->topology.keys[g->key].is_host ? host_number_of_text(s, text)
                                                               : domain_number(s, g->key, text);
            if (domain == NO_ID) return false;
            group_count(s, g, domain);
        }
    }
    return !s->failed;
}

bool topology_init(scheduler *s)
{
    words_init(&s->topology.group_keys, s->context);
    words_init(&s->topology.filter_keys, s->context);
    map64_init(&s->topology.group_of_identity, s->context);
    map64_init(&s->topology.namespace_lists, s->context);
    map64_init(&s->topology.key_numbers, s->context);
    return label_groups_init(s) && number_nodes(s) && register_bound(s);
}

void topology_free(scheduler *s)
{
    for (uint32_t i = 0; i < s->topology.key_count; i++) {
        domain_key *k = &s->topology.keys[i];
        mem_free(s->context, k->values, k->capacity * sizeof *k->values);
        mem_free(s->context, k->universe, k->universe_capacity * sizeof *k->universe);
        map64_free(&k->numbers);
        map64_free(&k->masks);
        list_free(s->context, &k->mask_list, sizeof(uint64_t *));
    }
    mem_free(s->context, s->topology.keys, s->topology.key_capacity * sizeof *s->topology.keys);
    for (size_t i = 0; i < s->topology.groups.count; i++) {
        group *g = &s->topology.groups.items[i];
        mem_free(s->context, g->counts, g->capacity * sizeof *g->counts);
        if (!g->host) mem_free(s->context, g->sources, g->capacity * sizeof *g->sources);
    }
    list_free(s->context, &s->topology.groups, sizeof(group));
    label_groups_free(s);
    words_free(&s->topology.group_keys);
    words_free(&s->topology.filter_keys);
    list_free(s->context, &s->topology.parts, sizeof(uint32_t));
    map64_free(&s->topology.group_of_identity);
    map64_free(&s->topology.namespace_lists);
    map64_free(&s->topology.key_numbers);
    mem_free(s->context, s->topology.host_text, s->topology.host_text_capacity * sizeof *s->topology.host_text);
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

static void count_values(scheduler *s, uint32_t number, uint32_t set, bool only_single)
{
    uint32_t id = set_get(&s->algebra, set, s->topology.keys[s->topology.groups.items[number].key].key);
    if (id == NO_ID) return;
    const requirement *r = requirement_get(&s->algebra, id);
    if (only_single && (r->complement || r->value_count != 1)) return;
    for (uint32_t i = 0; i < r->value_count; i++) {
        uint32_t domain = domain_number(s, s->topology.groups.items[number].key, r->values[i]);
        if (domain != NO_ID) round_count(s, number, domain);
    }
}

static void record_in(scheduler *s, uint32_t number, const pod_place *at)
{
    const group *g = &s->topology.groups.items[number];
    if (g->selective && !filter_matches(s, &g->filter, at->taints, at->set, at->host_text)) return;
    if (g->host) round_count(s, number, at->host);
    else count_values(s, number, at->set, g->kind != GROUP_ANTI);
}

void topology_count_placed(scheduler *s, uint32_t number)
{
    if (!placement_settle(s)) return;
    for (uint32_t i = 0; i < s->pods.count && !s->failed; i++) {
        place p = s->placement.places[s->pods.items[i]];
        const label_group *k = &s->topology.label_groups.items[label_group_of_pod(s, s->pods.items[i])];
        pod_place at = { .set = EMPTY_SET };
        if (!scheduler_worked(s, 64)) return;
        if (p.where == PLACE_NONE || !group_counts(s, &s->topology.groups.items[number], k)) continue;
        if (p.where == PLACE_HOST) {
            const state_node *n = &s->snapshot->nodes[s->hosts.items[p.target].node];
            at = (pod_place){ .set = s->hosts.items[p.target].set,
                              .host = s->hosts.items[p.target].number,
                              .host_text = n->hostname,
                              .taints = taints_of_node(s, n) };
        } else {
            const claim *c = &s->claims.list.items[p.target];
            at = (pod_place){ .set = c->set,
                              .host = c->number,
                              .host_text = HOST_FRESH,
                              .taints = s->templates.items[c->template_].taints };
        }
        record_in(s, number, &at);
    }
}

void topology_record(scheduler *s, const view *v, const pod_place *at)
{
    const label_group *k = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    const class_state *c = &s->pods.classes[v->class_];
    bool many = k->counted_count >= COUNTED_TOGETHER;
    if (many && !round_count_hosts(s, c->label_group, at->host)) return;
    for (uint32_t i = 0; i < k->counted_count; i++) {
        if (many && counts_every_host(&s->topology.groups.items[k->counted_by[i]])) continue;
        record_in(s, k->counted_by[i], at);
    }
    for (uint32_t i = 0; i < c->inverse_count; i++) {
        if (s->topology.groups.items[c->inverse_owned[i]].host) round_count(s, c->inverse_owned[i], at->host);
        else count_values(s, c->inverse_owned[i], at->set, false);
    }
}
