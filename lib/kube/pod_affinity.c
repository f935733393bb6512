/* SPDX-License-Identifier: Apache-2.0 */
/* InterPodAffinity. */
#include <kube/attempt.h>

/* Adds the pods of a counter, times a weight, to their domains. true = there were some. */
static bool add_domains(const kube_cluster *c, uint32_t key, const kube_counter *pods, int64_t weight, int64_t *line)
{
    bool any = false;
    for (size_t i = 0; i < pods->count; i++) {
        uint32_t domain = kube_domain(c, key, pods->list[i].node);
        if (domain == KUBE_NONE) continue;
        line[domain] += weight * pods->list[i].all;
        any = true;
    }
    return any;
}

/* ---- filter ------------------------------------------------------------------------------------------------------ */

void kube_affinity_begin(kube_attempt *a)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    bool ok = kube_lines_take(c, s->affinity_count, 0, &a->affinity) && kube_lines_take(c, s->anti_count, 0, &a->anti);
    if (!ok || (s->anti_matters && !kube_lines_take(c, c->key_count, 0, &a->existing))) return;
    a->any_affinity = a->any_existing = false;
    for (size_t i = 0; i < s->affinity_count; i++) {
        const kube_counter *pods = &c->groups[s->affinity_group].pods;
        if (add_domains(c, c->terms[s->affinity[i]].key, pods, 1, kube_line(c, a->affinity + i)))
            a->any_affinity = true;
    }
    for (size_t i = 0; i < s->anti_count; i++) {
        const kube_term *t = &c->terms[s->anti[i]];
        (void)add_domains(c, t->key, &c->groups[t->group].pods, 1, kube_line(c, a->anti + i));
    }
    for (size_t i = 0; i < s->groups.count && s->anti_matters; i++) {
        for (uint32_t n = c->groups[s->groups.list[i]].first_term; n != KUBE_NONE; n = c->terms[n].next) {
            const kube_term *t = &c->terms[n];
            if (t->kind != KUBE_REQUIRED_ANTI) continue;
            if (add_domains(c, t->key, &t->holders, 1, kube_line(c, a->existing + t->key))) a->any_existing = true;
        }
    }
}

/* The first pod of a group that selects itself goes anywhere. */
static bool near_enough(const kube_attempt *a, const kube_class *s, uint32_t node)
{
    const kube_cluster *c = a->cluster;
    bool all = true;
    for (size_t i = 0; i < s->affinity_count; i++) {
        uint32_t domain = kube_domain(c, c->terms[s->affinity[i]].key, node);
        if (domain == KUBE_NONE) return false;
        all = all && kube_line(c, a->affinity + i)[domain] > 0;
    }
    return all || (!a->any_affinity && s->selects_itself);
}

kube_refusal kube_affinity_filter(const kube_attempt *a, uint32_t node)
{
    const kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    const kube_refusal refused = { KUBE_INTER_POD_AFFINITY, KUBE_UNSCHEDULABLE };
    if (!near_enough(a, s, node)) return (kube_refusal){ KUBE_INTER_POD_AFFINITY, KUBE_UNRESOLVABLE };
    for (size_t i = 0; i < s->anti_count; i++) {
        uint32_t domain = kube_domain(c, c->terms[s->anti[i]].key, node);
        if (domain != KUBE_NONE && kube_line(c, a->anti + i)[domain] > 0) return refused;
    }
    for (size_t key = 0; key < c->key_count && s->anti_matters; key++) {
        uint32_t domain = kube_domain(c, (uint32_t)key, node);
        if (domain != KUBE_NONE && kube_line(c, a->existing + key)[domain] > 0) return refused;
    }
    return (kube_refusal){ KUBE_PLUGINS, KUBE_FITS };
}

/* ---- score ------------------------------------------------------------------------------------------------------- */

/* What the terms of both sides add to each domain, by key. false = there is nothing to add. */
static bool add_terms(kube_attempt *a, size_t first)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    bool any = false;
    for (size_t i = 0; i < s->preferred_count; i++) {
        const kube_term *t = &c->terms[s->preferred[i]];
        if (add_domains(c, t->key, &c->groups[t->group].pods, t->weight, kube_line(c, first + t->key))) any = true;
    }
    for (size_t i = 0; i < s->groups.count && s->score_matters; i++) {
        for (uint32_t n = c->groups[s->groups.list[i]].first_term; n != KUBE_NONE; n = c->terms[n].next) {
            const kube_term *t = &c->terms[n];
            int64_t weight = t->kind == KUBE_REQUIRED_AFFINITY ? s->profile->hard_affinity_weight : t->weight;
            if (t->kind == KUBE_REQUIRED_ANTI || weight == 0) continue;
            if (add_domains(c, t->key, &t->holders, weight, kube_line(c, first + t->key))) any = true;
        }
    }
    return any;
}

bool kube_affinity_score(kube_attempt *a, int64_t *raw, int64_t *normalized)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    size_t first;
    int64_t least = INT64_MAX, most = INT64_MIN;
    bool others = s->score_matters && (s->preferred_count || !s->profile->ignores_preferred);
    if ((s->preferred_count == 0 && !others) || !kube_lines_take(c, c->key_count, 0, &first) || !add_terms(a, first))
        return false;
    for (size_t i = 0; i < a->feasible_count; i++) {
        raw[i] = 0;
        for (size_t key = 0; key < c->key_count; key++) {
            uint32_t domain = kube_domain(c, (uint32_t)key, a->feasible[i]);
            if (domain != KUBE_NONE) raw[i] += kube_line(c, first + key)[domain];
        }
        if (raw[i] < least) least = raw[i];
        if (raw[i] > most) most = raw[i];
    }
    for (size_t i = 0; i < a->feasible_count; i++)
        normalized[i] = most > least ? (int64_t)(100 * ((double)(raw[i] - least) / (double)(most - least))) : 0;
    return true;
}
