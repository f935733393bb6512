/* SPDX-License-Identifier: Apache-2.0 */
/* PodTopologySpread. */
#include <kube/attempt.h>

#include <math.h>

static uint32_t domain_of(const kube_cluster *c, const kube_constraint *k, uint32_t node)
{
    return kube_domain(c, k->key, node);
}

/* Whether the pods of the node count for the constraint. */
static bool counts(kube_attempt *a, const kube_constraint *k, const kube_constraint *all, size_t count, uint32_t node)
{
    const kube_cluster *c = a->cluster;
    for (size_t i = 0; i < count && !k->any_key; i++) {
        if (domain_of(c, &all[i], node) == KUBE_NONE) return false;
    }
    if (!k->honors_affinity && !k->honors_taints) return true;
    const kube_memo *m = kube_memo_at(a, node);
    return (m->affinity || !k->honors_affinity) && (m->tolerated || !k->honors_taints);
}

/* ---- filter ------------------------------------------------------------------------------------------------------ */

/* A domain of a hard constraint exists where a node that counts has it: its line has the number of pods, or -1. */
static void count_domains(kube_attempt *a, size_t i)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    const kube_constraint *k = &s->hard[i];
    int64_t *line = kube_line(c, a->hard + i), domains = 0, least = INT64_MAX;
    size_t nodes;
    const uint32_t *order = kube_order(c, &nodes);
    for (size_t n = 0; n < nodes; n++) {
        if (counts(a, k, s->hard, s->hard_count, order[n])) line[domain_of(c, k, order[n])] = 0;
    }
    const kube_group *g = &c->groups[k->group];
    for (size_t n = 0; n < g->pods.count && !g->empty; n++) {
        uint32_t node = g->pods.list[n].node;
        if (counts(a, k, s->hard, s->hard_count, node)) line[domain_of(c, k, node)] += g->pods.list[n].live;
    }
    for (size_t d = 0; d < c->node_count; d++) {
        if (line[d] < 0) continue;
        domains++;
        if (line[d] < least) least = line[d];
    }
    *kube_line_more(c, a->hard + i, KUBE_LINE_LEAST) = domains < k->min_domains ? 0 : least;
}

void kube_spread_begin(kube_attempt *a)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    if (!kube_lines_take(c, s->hard_count, -1, &a->hard)) return;
    for (size_t i = 0; i < s->hard_count; i++) count_domains(a, i);
}

kube_refusal kube_spread_filter(const kube_attempt *a, uint32_t node)
{
    const kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    for (size_t i = 0; i < s->hard_count; i++) {
        const kube_constraint *k = &s->hard[i];
        uint32_t domain = domain_of(c, k, node);
        if (domain == KUBE_NONE) return (kube_refusal){ KUBE_POD_TOPOLOGY_SPREAD, KUBE_UNRESOLVABLE };
        int64_t pods = kube_line(c, a->hard + i)[domain], least = *kube_line_more(c, a->hard + i, KUBE_LINE_LEAST);
        if ((pods > 0 ? pods : 0) + k->selects_self - least > k->max_skew)
            return (kube_refusal){ KUBE_POD_TOPOLOGY_SPREAD, KUBE_UNSCHEDULABLE };
    }
    return (kube_refusal){ KUBE_PLUGINS, KUBE_FITS };
}

/* ---- score ------------------------------------------------------------------------------------------------------- */

static bool lacks_a_key(const kube_cluster *c, const kube_class *s, uint32_t node)
{
    for (size_t i = 0; i < s->soft_count; i++) {
        if (!s->soft[i].any_key && domain_of(c, &s->soft[i], node) == KUBE_NONE) return true;
    }
    return false;
}

/* Nodes without the key of a default constraint have a domain of their own. */
static size_t place_of(const kube_cluster *c, uint32_t domain)
{
    return domain == KUBE_NONE ? c->node_count + KUBE_LINE_MISSING : domain;
}

/* Counts the pods of a constraint by domain of the feasible nodes, and returns the weight of the constraint. By host,
 * the pods of each node are counted, wherever it belongs. */
static double count_soft(kube_attempt *a, const kube_constraint *k, int64_t *line, const bool *ignored,
                         size_t not_ignored)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    const kube_group *g = &c->groups[k->group];
    const uint32_t *domains = c->keys[k->key].domain;
    bool hostname = c->keys[k->key].hostname;
    size_t size = not_ignored;
    if (!hostname) {
        size = 0;
        for (size_t i = 0; i < a->feasible_count; i++) {
            if (ignored[i]) continue;
            int64_t *at = &line[place_of(c, domains[a->feasible[i]])];
            size += *at < 0;
            *at = 0;
        }
    }
    for (size_t i = 0; i < g->pods.count && !g->empty; i++) {
        uint32_t node = g->pods.list[i].node;
        if (hostname) {
            line[node] = g->pods.list[i].live;
            continue;
        }
        int64_t *at = &line[place_of(c, domains[node])];
        if (*at >= 0 && counts(a, k, s->soft, s->soft_count, node)) *at += g->pods.list[i].live;
    }
    return log((double)(size + 2));
}

static void normalize(const kube_attempt *a, const int64_t *raw, int64_t *normalized, const bool *ignored)
{
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < a->feasible_count; i++) {
        if (ignored[i]) continue;
        if (raw[i] < least) least = raw[i];
        if (raw[i] > most) most = raw[i];
    }
    for (size_t i = 0; i < a->feasible_count; i++) {
        if (ignored[i]) normalized[i] = 0;
        else normalized[i] = most ? 100 * (most + least - raw[i]) / most : 100;
    }
}

/* Adds what one constraint gives to the scores of the feasible nodes. */
static void add_parts(const kube_attempt *a, const kube_constraint *k, const int64_t *line, double weight,
                      const bool *ignored, double *sums)
{
    const kube_key *key = &a->cluster->keys[k->key];
    const uint32_t *domains = key->domain;
    bool hostname = key->hostname;
    double fixed = (double)(k->max_skew - 1);
    for (size_t i = 0; i < a->feasible_count; i++) {
        uint32_t node = a->feasible[i], domain = domains[node];
        if (ignored[i] || domain == KUBE_NONE) continue;
        int64_t pods = line[hostname ? node : domain];
        sums[i] += (double)(pods > 0 ? pods : 0) * weight + fixed;
    }
}

bool kube_spread_score(kube_attempt *a, int64_t *raw, int64_t *normalized)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    size_t first, not_ignored = 0;
    if (s->soft_count == 0 || !kube_lines_take(c, s->soft_count, -1, &first)) return false;
    bool *ignored = mem_alloc(c->context, a->feasible_count);
    double *sums = mem_alloc(c->context, a->feasible_count * sizeof *sums);
    if (ignored && sums) {
        for (size_t i = 0; i < a->feasible_count; i++) {
            ignored[i] = lacks_a_key(c, s, a->feasible[i]);
            not_ignored += !ignored[i];
            sums[i] = 0;
        }
        for (size_t k = 0; k < s->soft_count; k++) {
            int64_t *line = kube_line(c, first + k);
            double weight = count_soft(a, &s->soft[k], line, ignored, not_ignored);
            add_parts(a, &s->soft[k], line, weight, ignored, sums);
        }
        for (size_t i = 0; i < a->feasible_count; i++) raw[i] = (int64_t)round(sums[i]);
        normalize(a, raw, normalized, ignored);
    } else kube_nomem(c);
    mem_free(c->context, ignored, a->feasible_count);
    mem_free(c->context, sums, a->feasible_count * sizeof *sums);
    return true;
}
