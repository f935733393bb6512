/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/why_topology.h>

#include <base/str.h>
#include <model/prepare.h>
#include <schedule/claims.h>
#include <schedule/scheduler.h>
#include <schedule/templates.h>

enum { DOMAINS_LISTED = 64 };

/* ---- NodePools that only topology keeps from the pod ------------------------------------------------------------- */

static bool add_way(refused_pod *p, uint32_t template_number, uint32_t types, demand d)
{
    scheduler *s = p->s;
    uint32_t base = set_meet(&s->algebra, s->templates.items[template_number].set, p->v.full.set);
    if (set_compatible(&s->algebra, base, d.set, true))
        p->ways[p->way_count++] = (way){ template_number, set_meet(&s->algebra, base, d.set), types };
    return !s->algebra.failed;
}

/* What the template says to the pod if topology rejects nothing. */
static uint32_t refusal_without_topology(const refused_pod *p, uint32_t template_number)
{
    uint32_t set;
    p->s->round.there = true;
    uint32_t reason = template_refusal(p->s, template_number, p->pod, p->view_number, &set);
    p->s->round.there = false;
    return reason;
}

static bool find_ways(refused_pod *p)
{
    static const demand unconstrained = { EMPTY_SET, NO_ID };
    scheduler *s = p->s;
    const pod_class *k = &s->snapshot->classes[p->v.class_];
    size_t each = k->alternative_count > 0 ? k->alternative_count : 1;
    p->ways = arena_array(&s->data, s->templates.count * each + 1, sizeof *p->ways);
    if (p->ways == NULL) return false;
    for (uint32_t t = 0; t < s->templates.count; t++) {
        uint32_t reason, types = limits_types(s, t, &reason);
        if (!scheduler_worked(s, 256)) return false;
        if (types == NO_ID || refusal_without_topology(p, t) != KARP_REASON_NONE) continue;
        for (uint32_t i = 0; i < k->alternative_count; i++) {
            if (!add_way(p, t, types, k->alternatives[i])) return false;
        }
        if (k->alternative_count == 0 && !add_way(p, t, types, unconstrained)) return false;
    }
    return !s->failed;
}

/* ---- a group ----------------------------------------------------------------------------------------------------- */

/* The masks that do not depend on the group's counts. */
static bool find_masks(refused_pod *p, refusing_group *q)
{
    scheduler *s = p->s;
    const domain_key *k = &s->topology.keys[q->g->key];
    const pod_class *c = &s->snapshot->classes[p->v.class_];
    size_t words_ = bits_words(k->count);
    q->own = domain_mask(s, q->g->key, set_get(&s->algebra, p->v.strict.set, k->key));
    q->there = arena_array(&s->data, words_ + 1, sizeof *q->there);
    q->chosen = arena_array(&s->data, words_ + 1, sizeof *q->chosen);
    if (c->alternative_count > 0) q->volumes = arena_array(&s->data, words_ + 1, sizeof *q->volumes);
    if (q->own == NULL || q->there == NULL || q->chosen == NULL || (c->alternative_count > 0 && q->volumes == NULL))
        return false;
    for (uint32_t i = 0; i < p->way_count; i++) {
        const uint64_t *mask = domain_mask(s, q->g->key, set_get(&s->algebra, p->ways[i].set, k->key));
        if (mask == NULL) return false;
        bits_or(q->there, mask, words_);
    }
    for (uint32_t i = 0; i < c->alternative_count; i++) {
        const uint64_t *mask = domain_mask(s, q->g->key, set_get(&s->algebra, c->alternatives[i].set, k->key));
        if (mask == NULL) return false;
        bits_or(q->volumes, mask, words_);
    }
    return true;
}

static bool look_at_group(refused_pod *p, refusing_group *q)
{
    scheduler *s = p->s;
    const group *g = q->g;
    if (g->kind != GROUP_SPREAD && (q->pods = domain_pods(s, p->facts, q->number)) == NULL) return false;
    if (g->host) return true;
    q->sources = domain_sources(s, p->facts, g->key);
    if (q->sources == NULL || !find_masks(p, q)) return false;
    size_t count = s->topology.keys[g->key].count;
    if (!scheduler_worked(s, count * 64)) return false;
    topology_choose(s, g, q->own, q->there, q->self, q->chosen);
    if (g->kind == GROUP_SPREAD) q->least = spread_least(g, q->own, count);
    q->occupied = group_occupied(g, q->own, count);
    return true;
}

/* Whether a node for the pod could be launched in the domain if topology allowed it. */
static bool launchable(refused_pod *p, const refusing_group *q, uint32_t domain)
{
    scheduler *s = p->s;
    const domain_key *k = &s->topology.keys[q->g->key];
    if (k->values[domain] == NO_TEXT) return false; /* an empty value is no domain to choose */
    uint32_t wanted = requirement_in(&s->algebra, k->key, k->values[domain]);
    for (uint32_t i = 0; i < p->way_count && wanted != NO_ID; i++) {
        uint32_t have = set_get(&s->algebra, p->ways[i].set, k->key);
        if (have != NO_ID && !requirement_overlap(&s->algebra, have, wanted)) continue;
        uint32_t set = set_add(&s->algebra, p->ways[i].set, wanted);
        if (template_takes(s, p->ways[i].template_, p->ways[i].types, p->view_number, set)) return true;
    }
    return false;
}

static uint32_t refusal_of(const refusing_group *q, uint32_t domain)
{
    switch (q->g->kind) {
    case GROUP_ANTI: return KARP_DOMAIN_TAKEN;
    case GROUP_AFFINITY: return q->occupied || !q->self ? KARP_DOMAIN_NO_POD : KARP_DOMAIN_NOT_CHOSEN;
    default: break;
    }
    bool above = q->g->counts[domain] + (int64_t)q->self - q->least > q->g->max_skew;
    return above ? KARP_DOMAIN_SKEW : KARP_DOMAIN_NOT_CHOSEN;
}

static uint32_t code_of(refused_pod *p, const refusing_group *q, uint32_t domain)
{
    if (!bits_test(q->own, domain)) return KARP_DOMAIN_SELECTOR;
    if (q->volumes != NULL && !bits_test(q->volumes, domain)) return KARP_DOMAIN_VOLUME;
    if (!launchable(p, q, domain)) return KARP_DOMAIN_NO_NODE;
    return bits_test(q->chosen, domain) ? KARP_DOMAIN_ALLOWED : refusal_of(q, domain);
}

/* ---- the rows of its domains ------------------------------------------------------------------------------------- */

/* Moves the text into the decision. */
static karp_str keep(refused_pod *p, strbuf *b)
{
    karp_str text;
    if (strbuf_move(b, &p->d->data, &text)) return text;
    p->s->failed = true;
    return (karp_str){ "", 0 };
}

/* The first claim of the pod whose volume excludes the domain. */
static karp_str excluding_volume(refused_pod *p, const refusing_group *q, uint32_t domain)
{
    const karp_snapshot *s = p->s->snapshot;
    const domain_key *k = &p->s->topology.keys[q->g->key];
    const pod *of = pod_at(&s->raw, p->pod);
    const struct words_entry *claims = &s->raw.volumes.entries[of->volumes];
    karp_str name = { "", 0 };
    for (uint32_t i = 0; i < claims->count && name.len == 0; i++) {
        if (!claim_excludes(s, of->name_space, claims->ptr[i], k->normalized, k->values[domain])) continue;
        strbuf b = strbuf_on(p->s->context);
        strbuf_addname(&b, text_of(s, of->name_space), name_of(s, claims->ptr[i]));
        name = keep(p, &b);
    }
    return name;
}

static void finish_domain(refused_pod *p, const refusing_group *q, uint32_t domain, karp_topology_domain *row)
{
    const group *span = domain_span(p->s, q->g);
    if (q->pods != NULL && domain - span->base < span->capacity) {
        uint32_t first = q->pods[domain - span->base].pod;
        if (first != NO_ID) row->pod = pod_name(p->s->snapshot, first);
    }
    strbuf b = strbuf_on(p->s->context);
    domain_detail(p, q, domain, row, &b);
    row->detail = keep(p, &b);
}

static void fill_domain(refused_pod *p, const refusing_group *q, uint32_t domain, karp_topology_domain *row)
{
    const karp_snapshot *s = p->s->snapshot;
    static const karp_str none = { "", 0 };
    const domain_source *from = &q->sources[domain];
    *row = (karp_topology_domain){ .value = text_of(s, p->s->topology.keys[q->g->key].values[domain]),
                                   .count = (uint32_t)q->g->counts[domain],
                                   .code = code_of(p, q, domain),
                                   .named = from->named,
                                   .node_count = from->node_count,
                                   .pool_count = from->pool_count,
                                   .node = none,
                                   .node_pool = none,
                                   .pod = none,
                                   .volume = none };
    if (from->node != NO_ID) row->node = name_of(s, s->nodes[from->node].name);
    if (from->pool != NO_ID) row->node_pool = pool_name(s, from->pool);
    if (row->code == KARP_DOMAIN_VOLUME) row->volume = excluding_volume(p, q, domain);
    row->minimum = q->g->kind == GROUP_SPREAD && bits_test(q->own, domain) && q->g->counts[domain] <= q->least;
    finish_domain(p, q, domain, row);
}

/* A node or launch with a pod that the affinity selects. */
static void fill_host(refused_pod *p, const refusing_group *q, uint32_t number, karp_topology_domain *row)
{
    scheduler *s = p->s;
    static const karp_str none = { "", 0 };
    const group *span = domain_span(s, q->g);
    counted_pod there = q->pods[number - span->base];
    uint32_t text = s->topology.host_text[number];
    bool own = host_allowed(s, p->v.strict.host, text == NO_ID ? HOST_FRESH : text);
    *row = (karp_topology_domain){ .count = (uint32_t)pods_on_host(s, q->g, number),
                                   .code = own ? KARP_DOMAIN_NO_NODE : KARP_DOMAIN_SELECTOR,
                                   .node = none,
                                   .node_pool = none,
                                   .pod = none,
                                   .volume = none };
    if (text != NO_ID) {
        row->value = row->node = text_of(s->snapshot, text);
        row->node_count = 1;
    } else {
        row->value = there.claim != NO_ID && s->launches.ids != NULL ? s->launches.ids[there.claim] : str("a launch");
    }
    finish_domain(p, q, number, row);
}

/* The domains to list, in the order of their names. Of too many, those in use come first. *total counts all. */
static uint32_t list_domains(const refused_pod *p, const refusing_group *q, uint32_t *list, size_t *total)
{
    const scheduler *s = p->s;
    const group *g = q->g;
    const domain_key *k = &s->topology.keys[g->key];
    uint32_t n = 0, known = 0;
    for (uint32_t d = 0; d < k->count; d++) known += group_knows(g, d);
    *total = known;
    for (int unused = 0; unused < 2; unused++) {
        for (uint32_t d = 0; d < k->count && n < DOMAINS_LISTED; d++) {
            bool used = group_knows(g, d) && (g->counts[d] > 0 || known <= DOMAINS_LISTED);
            if (group_knows(g, d) && used == !unused) list[n++] = d;
        }
    }
    for (uint32_t i = 1; i < n; i++) { /* few, and each list is short */
        uint32_t moved = list[i], at = i;
        for (; at > 0 && s->snapshot->facts.rank[k->values[list[at - 1]]] > s->snapshot->facts.rank[k->values[moved]];
             at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
    return n;
}

static uint32_t list_hosts(const refused_pod *p, const refusing_group *q, uint32_t *list, size_t *total)
{
    const group *span = domain_span(p->s, q->g);
    uint32_t n = 0;
    *total = 0;
    for (uint32_t h = span->base; h - span->base < span->capacity && h < p->s->topology.next_host_number; h++) {
        if (pods_on_host(p->s, q->g, h) <= 0) continue;
        ++*total;
        if (n < DOMAINS_LISTED) list[n++] = h;
    }
    return n;
}

/* ---- the row ----------------------------------------------------------------------------------------------------- */

static uint32_t kind_of(const group *g)
{
    if (g->inverse) return KARP_TOPOLOGY_ANTI_AFFINITY_OF_OTHERS;
    return g->kind == GROUP_SPREAD     ? KARP_TOPOLOGY_SPREAD
           : g->kind == GROUP_AFFINITY ? KARP_TOPOLOGY_AFFINITY
                                       : KARP_TOPOLOGY_ANTI_AFFINITY;
}

/* Whether the group rules out a domain in which the pod could be otherwise. */
static bool refuses(const refusing_group *q, const karp_topology_domain *rows, uint32_t count)
{
    bool refused = q->g->host || count == 0;
    for (uint32_t i = 0; i < count; i++) {
        bool open = rows[i].code == KARP_DOMAIN_ALLOWED;
        refused = refused || (!open && rows[i].code != KARP_DOMAIN_SELECTOR && rows[i].code != KARP_DOMAIN_VOLUME &&
                              rows[i].code != KARP_DOMAIN_NO_NODE);
    }
    /* an affinity whose pods are all where this one cannot be */
    return refused || (q->g->kind == GROUP_AFFINITY && q->occupied);
}

/* Whether the pod's own anti-affinity says the same as that of the other pods. */
static bool repeats(const karp_unschedulable *row, const karp_topology *last)
{
    for (size_t i = 0; i < row->topology_count && last->kind == KARP_TOPOLOGY_ANTI_AFFINITY_OF_OTHERS; i++) {
        const karp_topology *t = &row->topologies[i];
        if (t->kind == KARP_TOPOLOGY_ANTI_AFFINITY && equal_str(t->key, last->key) &&
            equal_str(t->selector, last->selector))
            return true;
    }
    return false;
}

static bool add_group(refused_pod *p, uint32_t number, bool self, karp_unschedulable *row)
{
    scheduler *s = p->s;
    uint32_t list[DOMAINS_LISTED];
    refusing_group q = { .g = &s->topology.groups.items[number], .number = number, .self = self, .listed = list };
    karp_topology *out = (karp_topology *)(uintptr_t)&row->topologies[row->topology_count];
    /* a new node is always free for these */
    if (q.g->host && (q.g->kind != GROUP_AFFINITY || q.g->inverse)) return true;
    if (!look_at_group(p, &q)) return false;
    *out = (karp_topology){ .kind = kind_of(q.g),
                            .selects_itself = self,
                            .key = text_of(s->snapshot, s->topology.keys[q.g->key].key),
                            .max_skew = q.g->kind == GROUP_SPREAD ? q.g->max_skew : 0,
                            .min_domains = q.g->min_domains,
                            .minimum = q.least == SPREAD_NO_DOMAIN ? 0 : q.least };
    out->domain_count = q.g->host ? list_hosts(p, &q, list, &out->domain_total)
                                  : list_domains(p, &q, list, &out->domain_total);
    karp_topology_domain *rows = arena_array(&p->d->data, out->domain_count + 1, sizeof *rows);
    if (rows == NULL) return false;
    for (size_t i = 0; i < out->domain_count; i++) (q.g->host ? fill_host : fill_domain)(p, &q, list[i], &rows[i]);
    out->domains = rows;
    if (!refuses(&q, rows, (uint32_t)out->domain_count)) return !s->failed;
    strbuf b = strbuf_on(s->context);
    show_selector(s, &b, q.g->selects, q.g->extra);
    out->selector = keep(p, &b);
    topology_cause(p, &q, out, &b);
    out->cause = keep(p, &b);
    if (!repeats(row, out)) row->topology_count++;
    return !s->failed;
}

bool why_topology(scheduler *s, domain_facts *facts, const failure *f, karp_decision *d, karp_unschedulable *row)
{
    refused_pod p = { s, d, facts, f->pod, f->view, s->pods.views.items[f->view], NULL, 0 };
    const label_group *k = &s->topology.label_groups.items[s->pods.classes[p.v.class_].label_group];
    size_t most = p.v.owned_count + (size_t)k->barred_count;
    if (!p.v.updated || most == 0) return true;
    if (!find_ways(&p)) return false;
    if (p.way_count == 0) return true;
    row->topologies = arena_array(&d->data, most + 1, sizeof *row->topologies);
    if (row->topologies == NULL) return false;
    for (uint32_t i = 0; i < p.v.owned_count; i++) {
        if (!add_group(&p, p.v.owned[i].group, p.v.owned[i].self, row)) return false;
    }
    for (uint32_t i = 0; i < k->barred_count; i++) {
        if (!add_group(&p, k->barred_by[i], false, row)) return false;
    }
    if (row->topology_count > 0) row->permanent = 0; /* counts change as pods come and go */
    return !s->failed && !s->algebra.failed;
}
