/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes a pod may use: the first plugin that refuses is the reason. */
#include <kube/attempt.h>
#include <kube/pod_class.h>

#include <base/admit.h>

/* ---- what does not change with pods ------------------------------------------------------------------------------ */

static bool tolerates_cordon(const karp_pod *pod)
{
    static const karp_taint cordon = { { "node.kubernetes.io/unschedulable", 32 }, { "", 0 }, { "NoSchedule", 10 } };
    return tolerations_allow(pod->tolerations, pod->toleration_count, &cordon);
}

static bool any_term_matches(const karp_node_term *terms, const kube_fields *fields, size_t count,
                             const kube_node_spec *n)
{
    for (size_t i = 0; i < count; i++) {
        if (kube_term_matches(&terms[i], &fields[i], n)) return true;
    }
    return false;
}

static bool affinity_matches(const kube_class *s, const kube_node_spec *n)
{
    const karp_pod *pod = &s->pod;
    if (!labels_include(n->labels, n->label_count, pod->node_selector, pod->node_selector_count)) return false;
    return !pod->required_node_terms ||
           any_term_matches(pod->required_node_terms, s->required_fields, pod->required_node_term_count, n);
}

static void read_taints(const karp_pod *pod, const kube_node_spec *n, kube_memo *m)
{
    m->tolerated = true;
    m->taints = 0;
    for (size_t i = 0; i < n->taint_count; i++) {
        const karp_taint *taint = &n->taints[i];
        if (tolerations_allow(pod->tolerations, pod->toleration_count, taint)) continue;
        if (str_is(taint->effect, "PreferNoSchedule")) m->taints = (uint16_t)(m->taints + (m->taints < UINT16_MAX));
        else if (str_is(taint->effect, "NoSchedule") || str_is(taint->effect, "NoExecute")) m->tolerated = false;
    }
}

/* What the profile asks of the nodes of every pod. */
static bool added_affinity_matches(const kube_profile *p, const kube_node_spec *n)
{
    return p->required_count == 0 || any_term_matches(p->required, p->required_fields, p->required_count, n);
}

static int64_t weight_of(const karp_node_term *terms, const kube_fields *fields, size_t count, const kube_node_spec *n)
{
    int64_t weight = 0;
    for (size_t i = 0; i < count; i++) {
        if (terms[i].weight && kube_term_matches(&terms[i], &fields[i], n)) weight += terms[i].weight;
    }
    return weight;
}

static void judge(const kube_class *s, const kube_node *n, kube_memo *m)
{
    const kube_profile *p = s->profile;
    const bool *on = p->filters;
    *m = (kube_memo){ .version = n->version, .refusal = KUBE_PLUGINS };
    read_taints(&s->pod, &n->spec, m);
    m->affinity = affinity_matches(s, &n->spec);
    int64_t weight = weight_of(s->pod.preferred_node_terms, s->preferred_fields, s->pod.preferred_node_term_count,
                               &n->spec) +
                     weight_of(p->preferred, p->preferred_fields, p->preferred_count, &n->spec);
    m->preferred = (int32_t)(weight > INT32_MAX ? INT32_MAX : weight);
    bool cordoned = on[KUBE_NODE_UNSCHEDULABLE] && n->spec.unschedulable && !tolerates_cordon(&s->pod);
    if (n->spec.leaving || cordoned) m->refusal = KUBE_NODE_UNSCHEDULABLE;
    else if (on[KUBE_TAINT_TOLERATION] && !m->tolerated) m->refusal = KUBE_TAINT_TOLERATION;
    else if (on[KUBE_NODE_AFFINITY] && !(m->affinity && added_affinity_matches(p, &n->spec)))
        m->refusal = KUBE_NODE_AFFINITY;
}

kube_memo *kube_memo_at(kube_attempt *a, uint32_t node)
{
    kube_cluster *c = a->cluster;
    kube_memo *m = &a->memos[node];
    if (m->version != c->nodes[node].version) judge(&c->classes[a->class_], &c->nodes[node], m);
    return m;
}

/* ---- ports and resources ----------------------------------------------------------------------------------------- */

static bool conflict(const karp_host_port *a, const karp_host_port *b)
{
    return a->port == b->port && equal_str(a->protocol, b->protocol) &&
           (equal_str(a->host_ip, b->host_ip) || str_is(a->host_ip, "0.0.0.0") || str_is(b->host_ip, "0.0.0.0"));
}

static bool ports_taken(const kube_cluster *c, const kube_class *s, const kube_node *n)
{
    if (s->port_count == 0 || n->port_pods == 0) return false;
    for (uint32_t pod = n->first_pod; pod != KUBE_NONE; pod = c->pods[pod].next) {
        const kube_class *other = &c->classes[c->pods[pod].class_];
        for (size_t i = 0; i < other->port_count; i++) {
            for (size_t k = 0; k < s->port_count; k++) {
                if (conflict(&other->ports[i], &s->ports[k])) return true;
            }
        }
    }
    return false;
}

/* Extended resources have a slash in their names, and are not Kubernetes' own. */
static bool is_ignored(const kube_cluster *c, const kube_profile *p, uint32_t resource)
{
    if (!p || resource <= KUBE_MEMORY) return false;
    karp_str name = strings_get(&c->resources, resource), group = str_before(name, '/');
    if (group.len == name.len || str_ends(group, "kubernetes.io")) return false;
    return str_in(name, p->ignored, p->ignored_count) || str_in(group, p->ignored_groups, p->ignored_group_count);
}

/* A request of nothing always fits, even where too much is requested already. `ignoring`: NULL = no resource is. */
static inline uint8_t lack_of(const kube_cluster *c, const kube_class *s, const kube_node *n,
                              const kube_profile *ignoring)
{
    uint8_t code = (int64_t)n->pod_count + 1 > n->allowed_pods ? KUBE_UNSCHEDULABLE : KUBE_FITS;
    for (size_t i = 0; i < s->request_count; i++) {
        uint32_t r = s->requests[i].resource;
        int64_t amount = s->requests[i].amount;
        if (amount <= n->allocatable[r] - n->requested[r] || is_ignored(c, ignoring, r)) continue;
        if (amount > n->allocatable[r]) return KUBE_UNRESOLVABLE;
        code = KUBE_UNSCHEDULABLE;
    }
    return code;
}

/* Most profiles ignore no resource. */
static uint8_t resources_lack(const kube_cluster *c, const kube_class *s, const kube_node *n)
{
    uint8_t code = lack_of(c, s, n, NULL);
    const kube_profile *p = s->profile;
    return code != KUBE_FITS && p->ignored_count + p->ignored_group_count ? lack_of(c, s, n, p) : code;
}

/* ---- all filters ------------------------------------------------------------------------------------------------- */

void kube_filters_begin(kube_attempt *a)
{
    const kube_class *s = &a->cluster->classes[a->class_];
    a->cluster->lines_used = 0;
    a->claims_in_use = s->volume_count && kube_claims_in_use(a->cluster, s);
    a->has_rules = s->hard_count || s->affinity_count || s->anti_count || s->anti_matters;
    if (!a->has_rules) return;
    kube_spread_begin(a);
    kube_affinity_begin(a);
}

static kube_refusal filter_now(kube_attempt *a, uint32_t node)
{
    const kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    const kube_node *n = &c->nodes[node];
    const bool *on = a->filters;
    kube_memo *m = kube_memo_at(a, node);
    kube_refusal r = { KUBE_PLUGINS, KUBE_FITS };
    if (m->refusal != KUBE_PLUGINS) return (kube_refusal){ m->refusal, KUBE_UNRESOLVABLE };
    if (on[KUBE_NODE_PORTS] && ports_taken(c, s, n)) return (kube_refusal){ KUBE_NODE_PORTS, KUBE_UNSCHEDULABLE };
    uint8_t lack = on[KUBE_NODE_RESOURCES_FIT] ? resources_lack(c, s, n) : KUBE_FITS;
    if (lack != KUBE_FITS) {
        m->full = c->marks[node];
        m->lack = lack;
        return (kube_refusal){ KUBE_NODE_RESOURCES_FIT, lack };
    }
    if (s->volume_count) r = kube_volumes_filter(a, node);
    if (r.code == KUBE_FITS && a->has_rules && on[KUBE_POD_TOPOLOGY_SPREAD]) r = kube_spread_filter(a, node);
    if (r.code == KUBE_FITS && !a->skips_affinity && on[KUBE_INTER_POD_AFFINITY]) r = kube_affinity_filter(a, node);
    return r;
}

/* Places, or takes away again, the pods nominated to the node that have at least the pod's priority. */
static size_t move_nominated(kube_attempt *a, uint32_t node, bool place)
{
    kube_cluster *c = a->cluster;
    size_t moved = 0;
    for (size_t i = 0; i < c->nominated.count; i++) {
        uint32_t other = c->nominated.list[i];
        const kube_pod *p = &c->pods[other];
        if (p->nominated != node || other == a->pod || p->priority < c->pods[a->pod].priority) continue;
        if (place) kube_place(c, other, node);
        else kube_displace(c, other);
        moved++;
    }
    if (moved) kube_filters_begin(a);
    return moved;
}

kube_refusal kube_filter(kube_attempt *a, uint32_t node)
{
    kube_cluster *c = a->cluster;
    if (c->nodes[node].nominated) {
        uint64_t events = c->events;
        if (move_nominated(a, node, true)) {
            kube_refusal r = filter_now(a, node);
            (void)move_nominated(a, node, false);
            c->events = events;
            if (r.code != KUBE_FITS) return r;
        }
    }
    return filter_now(a, node);
}
