/* SPDX-License-Identifier: Apache-2.0 */
/* Why a domain cannot receive a pod, and what a constraint's result depends on, in English. */
#include <schedule/why_topology.h>

#include <base/str.h>
#include <schedule/claims.h>
#include <schedule/hosts.h>
#include <schedule/scheduler.h>

static void add_value(strbuf *b, karp_str value)
{
    if (value.len == 0) strbuf_adds(b, "\"\"");
    else strbuf_addstr(b, value);
}

/* ---- one domain -------------------------------------------------------------------------------------------------- */

/* The host of a state node; NO_ID = pods cannot be placed on it. */
static uint32_t host_of(const scheduler *s, karp_str name)
{
    uint32_t n = state_node_named(s->snapshot, name);
    return n == NO_ID ? NO_ID : s->hosts.of_node[n];
}

static const char takes[] = "another of its topology rules, or a rule of a pod there, excludes it";

/* What a node says to the pod, topology aside. */
static const char *refusal_of_node(refused_pod *p, karp_str name)
{
    uint32_t h = host_of(p->s, name);
    if (h == NO_ID) return "no pods can be placed there";
    if (!host_stays(p->s, h)) return "it is removed";
    p->s->round.there = true;
    uint32_t reason = host_refusal(p->s, h, p->pod, p->view_number);
    p->s->round.there = false;
    return reason == KARP_REASON_NONE ? takes : karp_reason_text(reason);
}

static void say_node(refused_pod *p, const karp_topology_domain *row, strbuf *b)
{
    if (row->node_count == 0) return;
    strbuf_put(b, "node ", row->node, ": ");
    const char *why = refusal_of_node(p, row->node);
    strbuf_adds(b, why == takes && row->value.len == 0
                       ? "it has room, but Karpenter takes the empty value for no domain"
                       : why);
    if (row->node_count == 1) return;
    strbuf_putu(b, "; ", row->node_count - 1, "");
    strbuf_adds(b, row->node_count == 2 ? " more node" : " more nodes");
}

static void say_no_node(refused_pod *p, const refusing_group *q, uint32_t domain, const karp_topology_domain *row,
                        strbuf *b)
{
    if (q->g->host) {
        counted_pod at = q->pods[domain - domain_span(p->s, q->g)->base];
        if (at.claim == NO_ID) {
            strbuf_adds(b, refusal_of_node(p, row->node));
            return;
        }
        p->s->round.there = true;
        strbuf_adds(b, karp_reason_text(claim_refusal(p->s, at.claim, p->pod, p->view_number)));
        p->s->round.there = false;
        return;
    }
    if (row->named) {
        strbuf_adds(b, row->pool_count > 1 ? "only NodePools such as " : "only NodePool ");
        strbuf_addstr(b, row->node_pool);
        strbuf_adds(b, row->pool_count > 1 ? " name it, and none can launch a node for the pod there"
                                           : " names it, and it can launch no node for the pod there");
    } else {
        strbuf_adds(b, row->pool_count > 0   ? "no NodePool can launch a node for the pod there"
                       : row->value.len == 0 ? "it is the empty value of a node's label, for which nothing is launched"
                                             : "no NodePool launches nodes there");
    }
    if (row->node_count > 0) strbuf_adds(b, "; ");
    say_node(p, row, b);
}

/* The values that the volumes allow, "us-west-2a or us-west-2b". */
static void say_allowed(const refused_pod *p, const refusing_group *q, strbuf *b)
{
    const domain_key *k = &p->s->topology.keys[q->g->key];
    size_t shown = 0, all = bits_count(q->volumes, bits_words(k->count));
    for (size_t d = bits_next(q->volumes, k->count, 0); d < k->count && shown < 4;
         d = bits_next(q->volumes, k->count, d + 1), shown++) {
        strbuf_adds(b, shown == 0 ? "" : " or ");
        add_value(b, text_of(p->s->snapshot, k->values[d]));
    }
    if (all == 0) strbuf_adds(b, "another domain");
    if (all > shown) strbuf_adds(b, " or others");
}

static void say_volume(const refused_pod *p, const refusing_group *q, const karp_topology_domain *row, strbuf *b)
{
    if (row->volume.len == 0) {
        strbuf_adds(b, "its volumes together exclude it");
        return;
    }
    strbuf_put(b, "claim ", row->volume, " has its volume in ");
    say_allowed(p, q, b);
}

static void say_skew(const refusing_group *q, const karp_topology_domain *row, strbuf *b)
{
    strbuf_putu(b, "", row->count + (uint64_t)q->self, " pods would exceed the minimum of ");
    strbuf_addi(b, q->least);
    strbuf_adds(b, " by more than ");
    strbuf_addi(b, q->g->max_skew);
}

/* The number of domains that the launch of a counted pod can still be in; 1 = its domain is known. */
static size_t open_domains(const refused_pod *p, const refusing_group *q, uint32_t domain)
{
    const group *span = domain_span(p->s, q->g);
    uint32_t c = q->pods[domain - span->base].claim;
    if (c == NO_ID || q->g->host) return 1;
    uint32_t id = set_get(&p->s->algebra, p->s->claims.list.items[c].set, p->s->topology.keys[q->g->key].key);
    return id == NO_ID ? 1 : requirement_get(&p->s->algebra, id)->value_count;
}

static void say_taken(const refused_pod *p, const refusing_group *q, uint32_t domain, const karp_topology_domain *row,
                      strbuf *b)
{
    size_t open = open_domains(p, q, domain);
    strbuf_put(b, "taken by ", row->pod, "");
    if (open <= 1) return;
    strbuf_putu(b, ", whose new node may be in any of ", open, " domains");
}

static void say_other_choice(const refused_pod *p, const refusing_group *q, strbuf *b)
{
    const domain_key *k = &p->s->topology.keys[q->g->key];
    size_t d = bits_next(q->chosen, k->count, 0);
    if (d == k->count) {
        bool empty = false;
        for (size_t i = 0; i < k->count; i++) empty = empty || text_of(p->s->snapshot, k->values[i]).len == 0;
        strbuf_adds(
            b, empty ? "karp chooses no domain, as the empty value comes first by name; Karpenter takes any of those "
                       "with the fewest pods at random, and may place the pod"
                     : "no domain is chosen");
        return;
    }
    add_value(b, text_of(p->s->snapshot, k->values[d]));
    strbuf_adds(b, q->g->kind == GROUP_SPREAD
                       ? " is tried, one of those with the fewest pods; where several have as few, Karpenter takes "
                         "any of them at random, and karp the first by name"
                       : " is tried to start in, the first by name; Karpenter takes any at random");
}

void domain_detail(refused_pod *p, const refusing_group *q, uint32_t domain, const karp_topology_domain *row, strbuf *b)
{
    switch (row->code) {
    case KARP_DOMAIN_SELECTOR: strbuf_adds(b, "the pod's node selector or node affinity excludes it"); return;
    case KARP_DOMAIN_VOLUME: say_volume(p, q, row, b); return;
    case KARP_DOMAIN_NO_NODE: say_no_node(p, q, domain, row, b); return;
    case KARP_DOMAIN_SKEW: say_skew(q, row, b); return;
    case KARP_DOMAIN_NO_POD: strbuf_adds(b, "no pod to join"); return;
    case KARP_DOMAIN_TAKEN: say_taken(p, q, domain, row, b); return;
    case KARP_DOMAIN_NOT_CHOSEN: say_other_choice(p, q, b); return;
    default: return;
    }
}

/* ---- the cause --------------------------------------------------------------------------------------------------- */

/* A row whose code is none of the group's own: the domain would be allowed, but the pod cannot be there. */
static bool outside(const karp_topology_domain *d)
{
    return d->code == KARP_DOMAIN_VOLUME || d->code == KARP_DOMAIN_NO_NODE;
}

static uint32_t with_code(const karp_topology *row, uint32_t code)
{
    uint32_t n = 0;
    for (size_t i = 0; i < row->domain_count; i++) n += row->domains[i].code == code;
    return n;
}

karp_str topology_key_meant(karp_str key)
{
    static const char *const labels[] = { LABEL_HOSTNAME, LABEL_ZONE, LABEL_REGION };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (equal_str(str_after_last(key, '/'), str_after_last(str(labels[i]), '/')) && !str_is(key, labels[i]))
            return str(labels[i]);
    }
    return str("");
}

static void say_no_domain(const karp_topology *row, strbuf *b)
{
    if (row->key.len == 0) {
        strbuf_adds(b, "its topologyKey is empty: there is no domain");
        return;
    }
    strbuf_put(b, "no node has the label ", row->key,
               ", and no NodePool or instance type names a value of it: there is no domain");
    karp_str meant = topology_key_meant(row->key);
    strbuf_adds(b, meant.len > 0 ? "; the label is " : "");
    strbuf_addstr(b, meant);
}

/* ", and its pod affinity on KEY rules it out": the only other constraint on the key, where no other pod has one. */
static void say_other_constraint(const refused_pod *p, const refusing_group *q, strbuf *b)
{
    const scheduler *s = p->s;
    const group *other = NULL;
    uint32_t count = s->topology.label_groups.items[s->pods.classes[p->v.class_].label_group].barred_count;
    for (uint32_t i = 0; i < p->v.owned_count; i++) {
        const group *g = &s->topology.groups.items[p->v.owned[i].group];
        if (p->v.owned[i].group == q->number || g->key != q->g->key) continue;
        other = g;
        count++;
    }
    if (other == NULL || count != 1) {
        strbuf_adds(b, ", and another constraint rules it out");
        return;
    }
    strbuf_adds(b, other->kind == GROUP_SPREAD     ? ", and its spread on "
                   : other->kind == GROUP_AFFINITY ? ", and its pod affinity on "
                                                   : ", and its pod anti-affinity on ");
    strbuf_put(b, "", text_of(s->snapshot, s->topology.keys[other->key].key), " rules it out");
}

static void cause_of_spread(const refused_pod *p, const refusing_group *q, const karp_topology *row, strbuf *b)
{
    const karp_topology_domain *lowest = NULL;
    size_t lower = 0, usable = 0;
    if (row->domain_total == 0) {
        say_no_domain(row, b);
        return;
    }
    for (size_t i = 0; i < row->domain_count; i++) {
        const karp_topology_domain *d = &row->domains[i];
        usable += d->code != KARP_DOMAIN_SELECTOR;
        if (!d->minimum || !outside(d)) continue;
        if (lowest == NULL) lowest = d;
        lower++;
    }
    if (!q->self) {
        strbuf_put(b, "its selector ", row->selector, " does not select the pod itself; ");
    }
    bool few = row->min_domains > 0 && usable < (size_t)row->min_domains;
    if (few) {
        strbuf_adds(b, "minDomains is ");
        strbuf_addi(b, row->min_domains);
        strbuf_putu(b, ", and the pod's requirements leave ", usable, "");
        strbuf_adds(b, usable == 1 ? " domain, so the minimum counts as 0" : " domains, so the minimum counts as 0");
    } else if (lowest != NULL) {
        add_value(b, lowest->value);
        strbuf_putu(b, " has the fewest pods, ", lowest->count, "");
        strbuf_put(b, ", and cannot take this one: ", lowest->detail, "");
        if (lower > 1) {
            strbuf_putu(b, "; ", lower - 1, "");
            strbuf_adds(b, lower == 2 ? " more domain is like it" : " more domains are like it");
        }
    } else if (with_code(row, KARP_DOMAIN_ALLOWED) > 0) {
        strbuf_adds(b, "Karpenter chooses one domain before it looks at other constraints: ");
        say_other_choice(p, q, b);
        say_other_constraint(p, q, b);
        return;
    } else if (q->least == SPREAD_NO_DOMAIN) {
        strbuf_adds(b, "the pod's node selector or node affinity excludes every domain");
        return;
    } else {
        strbuf_adds(b, "no domain that can take the pod is within maxSkew of the minimum of ");
        strbuf_addi(b, q->least);
    }
    if (with_code(row, KARP_DOMAIN_SKEW) == 0) return;
    strbuf_adds(b, few ? "; a domain may have at most " : "; so the domains that can take the pod may have at most ");
    strbuf_addi(b, q->least + row->max_skew);
}

/* A pod that the group selects and that is unschedulable as well, other than this one; NO_ID = none. */
static uint32_t failed_partner(const refused_pod *p, const refusing_group *q)
{
    const scheduler *s = p->s;
    uint32_t first = NO_ID;
    for (size_t i = 0; i < s->placement.failures.count; i++) {
        uint32_t other = s->placement.failures.items[i].pod;
        if (other == p->pod || (first != NO_ID && s->snapshot->pod_rank[other] > s->snapshot->pod_rank[first]))
            continue;
        if (group_selects(s, q->g, &s->topology.label_groups.items[label_group_of_pod(s, other)])) first = other;
    }
    return first;
}

/* ", or a pod in us-west-2c", ", or a pod in 2 other domains" */
static void say_others_to_join(const karp_topology *row, const karp_topology_domain *joined, strbuf *b)
{
    const karp_topology_domain *last = NULL;
    uint32_t some = 0;
    for (size_t i = 0; i < row->domain_count; i++) {
        if (row->domains[i].count == 0 || &row->domains[i] == joined) continue;
        last = &row->domains[i];
        some++;
    }
    if (some == 0) return;
    strbuf_adds(b, ", or a pod in ");
    if (some == 1) add_value(b, last->value);
    else strbuf_addu(b, some);
    strbuf_adds(b, some == 1 ? "" : " other domains");
}

static void cause_of_affinity(const refused_pod *p, const refusing_group *q, const karp_topology *row, strbuf *b)
{
    const karp_topology_domain *joined = NULL;
    for (size_t i = 0; i < row->domain_count; i++) {
        const karp_topology_domain *d = &row->domains[i];
        if (d->count > 0 && (joined == NULL || (joined->code == KARP_DOMAIN_SELECTOR && d->code != joined->code)))
            joined = d;
    }
    if (joined != NULL) {
        strbuf_put(b, "the pod has to join ", joined->pod, "");
        strbuf_adds(b, q->g->host ? " on " : " in ");
        add_value(b, joined->value);
        say_others_to_join(row, joined, b);
        if (joined->code == KARP_DOMAIN_ALLOWED) say_other_constraint(p, q, b);
        else strbuf_adds(b, ", but: ");
        strbuf_addstr(b, joined->detail);
        if (q->g->host)
            strbuf_adds(b, "; a new node has no such pod (those of DaemonSets do not count before they run)");
        return;
    }
    uint32_t partner = failed_partner(p, q);
    if (partner != NO_ID && !q->self) {
        strbuf_put(b, "it has to join ", pod_name(p->s->snapshot, partner), ", which is unschedulable itself");
    } else if (!q->self) {
        strbuf_put(b, "its selector ", row->selector, " selects no pod that has a node");
    } else {
        strbuf_adds(b, "there is no pod to join yet, and ");
        say_other_choice(p, q, b);
        for (size_t i = 0; i < row->domain_count && !q->g->host; i++) {
            const karp_topology_domain *d = &row->domains[i];
            if (!outside(d) || d->detail.len == 0) continue;
            strbuf_adds(b, "; ");
            add_value(b, d->value);
            strbuf_put(b, ": ", d->detail, "");
            return;
        }
    }
}

static void cause_of_anti_affinity(const refused_pod *p, const refusing_group *q, const karp_topology *row, strbuf *b)
{
    const karp_topology_domain *taken = NULL;
    if (row->domain_total == 0) {
        say_no_domain(row, b);
        return;
    }
    for (size_t i = 0; i < row->domain_count && taken == NULL; i++) {
        if (row->domains[i].code == KARP_DOMAIN_TAKEN) taken = &row->domains[i];
    }
    if (taken == NULL) return;
    size_t open = open_domains(p, q, q->listed[taken - row->domains]);
    strbuf_addstr(b, taken->pod);
    if (open > 1) {
        strbuf_putu(b, " takes all ", open,
                    " domains until its new node is launched in one of them; then another pod can follow");
        return;
    }
    strbuf_adds(b, q->g->inverse ? " has an anti-affinity that excludes the pod from " : " is in ");
    add_value(b, taken->value);
    uint32_t others = with_code(row, KARP_DOMAIN_TAKEN) - 1;
    if (others > 0) {
        strbuf_putu(b, ", and ", others, "");
        strbuf_adds(b, others == 1 ? " other domain is taken, too" : " other domains are taken, too");
    }
    strbuf_adds(b, with_code(row, KARP_DOMAIN_ALLOWED) == 0 ? ": no domain is left for the pod" : "");
}

void topology_cause(refused_pod *p, const refusing_group *q, const karp_topology *row, strbuf *b)
{
    if (q->g->kind == GROUP_SPREAD) cause_of_spread(p, q, row, b);
    else if (q->g->kind == GROUP_AFFINITY) cause_of_affinity(p, q, row, b);
    else cause_of_anti_affinity(p, q, row, b);
}
