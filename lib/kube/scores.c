/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the feasible nodes is best. */
#include <kube/attempt.h>

#include <math.h>

enum { MOST_SCORE = 100 };

/* ---- resources --------------------------------------------------------------------------------------------------- */

typedef struct shares {
    int64_t allocatable, before, used; /* before: requested without the pod; used: with it */
} shares;

/* Nothing if the pod does not ask for the extended resource. Requests of pods without any are those that the scheduler
 * counts for them; `real`: their own. */
static shares share(const kube_cluster *c, const kube_class *s, const kube_node *n, karp_str name, bool real)
{
    uint32_t r = strings_find(&c->resources, name.ptr, name.len);
    if (r == NO_ID) return (shares){ 0, 0, 0 };
    shares out = { n->allocatable[r], n->requested[r], n->requested[r] };
    int64_t own = 0;
    if (r <= KUBE_MEMORY && !real) {
        out.used = n->nonzero[r] + s->scored[r];
        return out;
    }
    for (size_t i = 0; i < s->request_count; i++) {
        if (s->requests[i].resource == r) own = s->requests[i].amount;
    }
    if (own == 0 && r > KUBE_MEMORY && !str_is(name, "ephemeral-storage")) return (shares){ 0, 0, 0 };
    out.used += own;
    return out;
}

/* The score between the points next to the utilization. */
static int64_t on_shape(const kube_profile *p, int64_t utilization)
{
    for (size_t i = 0; i < p->shape_count; i++) {
        const kube_point *to = &p->shape[i];
        if (utilization > to->utilization) continue;
        if (i == 0) return to->score;
        const kube_point *from = &p->shape[i - 1];
        return from->score +
               (to->score - from->score) * (utilization - from->utilization) / (to->utilization - from->utilization);
    }
    return p->shape_count ? p->shape[p->shape_count - 1].score : 0;
}

static int64_t of_resource(const kube_profile *p, shares v)
{
    bool over = v.used > v.allocatable;
    switch (p->strategy) {
    case KUBE_LEAST_ALLOCATED: return over ? 0 : (v.allocatable - v.used) * MOST_SCORE / v.allocatable;
    case KUBE_MOST_ALLOCATED: return over ? MOST_SCORE : v.used * MOST_SCORE / v.allocatable;
    default: return on_shape(p, over ? 100 : v.used * 100 / v.allocatable);
    }
}

static int64_t fit_score(const kube_cluster *c, const kube_class *s, const kube_node *n)
{
    const kube_profile *p = s->profile;
    int64_t sum = 0, weights = 0;
    for (size_t i = 0; i < p->resource_count; i++) {
        shares v = share(c, s, n, p->resources[i].name, false);
        if (v.allocatable <= 0) continue;
        int64_t score = of_resource(p, v);
        if (p->strategy == KUBE_REQUESTED_TO_CAPACITY && score <= 0) continue;
        sum += score * p->resources[i].weight;
        weights += p->resources[i].weight;
    }
    if (weights == 0) return 0;
    if (p->strategy == KUBE_REQUESTED_TO_CAPACITY) return (int64_t)round((double)sum / (double)weights);
    return sum / weights;
}

/* How far from each other the requested fractions of resources are. */
static int64_t balance(const kube_cluster *c, const kube_class *s, const kube_node *n, bool with)
{
    const kube_profile *p = s->profile;
    double fractions[KUBE_RESOURCES_MOST], sum = 0, deviation = 0;
    size_t count = 0;
    for (size_t i = 0; i < p->balanced_count && count < KUBE_RESOURCES_MOST; i++) {
        shares v = share(c, s, n, p->balanced[i].name, true);
        if (v.allocatable <= 0) continue;
        double fraction = (double)(with ? v.used : v.before) / (double)v.allocatable;
        fractions[count] = fraction > 1 ? 1 : fraction;
        sum += fractions[count++];
    }
    if (count == 2) deviation = fabs((fractions[0] - fractions[1]) / 2);
    for (size_t i = 0; i < count && count > 2; i++) {
        double off = fractions[i] - sum / (double)count;
        deviation += off * off;
    }
    if (count > 2) deviation = sqrt(deviation / (double)count);
    return (int64_t)((1 - deviation) * (double)MOST_SCORE);
}

static int64_t balance_score(const kube_cluster *c, const kube_class *s, const kube_node *n)
{
    int64_t after = balance(c, s, n, true);
    if (c->profiles->minor < 36) return after;
    return 50 + (50 + after - balance(c, s, n, false)) / 2;
}

static int64_t image_score(const kube_cluster *c, const kube_class *s, const kube_node *n, size_t nodes)
{
    const int64_t mebi = 1024 * 1024, least = 23 * mebi;
    size_t counted = c->profiles->minor < 37 ? s->container_count : s->image_count;
    int64_t most = 1000 * mebi * (int64_t)counted, sum = 0;
    for (size_t i = 0; i < s->image_count; i++) {
        uint32_t image = s->images[i];
        bool has = false;
        for (size_t k = 0; k < n->spec.image_count && !has; k++) has = n->spec.images[k].name == image;
        if (!has) continue;
        double spread = (double)c->image_states[image].nodes / (double)nodes;
        sum += (int64_t)((double)c->image_states[image].size * spread);
    }
    if (sum < least) sum = least;
    if (sum > most) sum = most;
    return most > least ? MOST_SCORE * (sum - least) / (most - least) : 0;
}

/* ---- all plugins ------------------------------------------------------------------------------------------------- */

/* As a percentage of the largest score, or what remains of it. */
static void scale(const int64_t *raw, int64_t *normalized, size_t count, bool reverse)
{
    int64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        if (raw[i] > most) most = raw[i];
    }
    for (size_t i = 0; i < count; i++) {
        int64_t part = most ? MOST_SCORE * raw[i] / most : 0;
        normalized[i] = reverse ? MOST_SCORE - part : part;
    }
}

typedef struct sheet {
    kube_attempt *a;
    int64_t *raw, *normalized;
    kube_show_scores *show;
    void *user;
} sheet;

static void add(const sheet *t, uint32_t plugin, const int64_t *normalized)
{
    int64_t weight = t->a->cluster->classes[t->a->class_].profile->weights[plugin];
    for (size_t i = 0; i < t->a->feasible_count; i++) t->a->totals[i] += weight * normalized[i];
    if (t->show) t->show(t->user, plugin, t->raw, normalized);
}

/* TaintToleration or NodeAffinity. */
static void score_memos(const sheet *t, uint32_t plugin)
{
    bool of_taints = plugin == KUBE_TAINT_TOLERATION;
    for (size_t i = 0; i < t->a->feasible_count; i++) {
        const kube_memo *m = kube_memo_at(t->a, t->a->feasible[i]);
        t->raw[i] = of_taints ? m->taints : m->preferred;
    }
    scale(t->raw, t->normalized, t->a->feasible_count, of_taints);
    add(t, plugin, t->normalized);
}

static void score_images(const sheet *t, const kube_class *s)
{
    size_t nodes;
    (void)kube_order(t->a->cluster, &nodes);
    for (size_t i = 0; i < t->a->feasible_count; i++)
        t->raw[i] = image_score(t->a->cluster, s, &t->a->cluster->nodes[t->a->feasible[i]], nodes);
    add(t, KUBE_IMAGE_LOCALITY, t->raw);
}

/* Resources of a node that has not changed since keep their score. */
static void score_resources(const sheet *t, const kube_class *s)
{
    kube_cluster *c = t->a->cluster;
    const int64_t *weights = s->profile->weights;
    for (size_t i = 0; i < t->a->feasible_count; i++) {
        const kube_node *n = &c->nodes[t->a->feasible[i]];
        kube_memo *m = kube_memo_at(t->a, t->a->feasible[i]);
        if (m->generation != n->generation) {
            int64_t fit = weights[KUBE_NODE_RESOURCES_FIT] ? fit_score(c, s, n) : 0;
            bool balances = weights[KUBE_BALANCED_ALLOCATION] && s->balances;
            int64_t even = balances ? balance_score(c, s, n) : 0;
            m->score = weights[KUBE_NODE_RESOURCES_FIT] * fit + weights[KUBE_BALANCED_ALLOCATION] * even;
            m->generation = n->generation;
        }
        t->a->totals[i] += m->score;
    }
}

static void show_resources(const sheet *t, const kube_class *s)
{
    kube_cluster *c = t->a->cluster;
    const int64_t *weights = s->profile->weights;
    bool balances = weights[KUBE_BALANCED_ALLOCATION] && s->balances;
    for (size_t i = 0; i < t->a->feasible_count; i++) t->raw[i] = fit_score(c, s, &c->nodes[t->a->feasible[i]]);
    if (weights[KUBE_NODE_RESOURCES_FIT]) t->show(t->user, KUBE_NODE_RESOURCES_FIT, t->raw, t->raw);
    for (size_t i = 0; i < t->a->feasible_count && balances; i++)
        t->raw[i] = balance_score(c, s, &c->nodes[t->a->feasible[i]]);
    if (balances) t->show(t->user, KUBE_BALANCED_ALLOCATION, t->raw, t->raw);
}

void kube_attempt_score(kube_attempt *a, kube_show_scores *show, void *user)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    const int64_t *weights = s->profile->weights;
    sheet t = { .a = a, .show = show, .user = user };
    size_t first;
    if (!grow(c->context, (void **)&a->totals, &a->total_capacity, a->feasible_count + 1, sizeof *a->totals) ||
        !kube_lines_take(c, 2, 0, &first)) {
        kube_nomem(c);
        return;
    }
    t.raw = kube_line(c, first);
    t.normalized = kube_line(c, first + 1);
    memset(a->totals, 0, a->feasible_count * sizeof *a->totals);
    if (weights[KUBE_TAINT_TOLERATION]) score_memos(&t, KUBE_TAINT_TOLERATION);
    bool prefers = s->pod.preferred_node_term_count || s->profile->preferred_count;
    if (weights[KUBE_NODE_AFFINITY] && prefers) score_memos(&t, KUBE_NODE_AFFINITY);
    if (weights[KUBE_POD_TOPOLOGY_SPREAD] && kube_spread_score(a, t.raw, t.normalized))
        add(&t, KUBE_POD_TOPOLOGY_SPREAD, t.normalized);
    if (weights[KUBE_INTER_POD_AFFINITY] && kube_affinity_score(a, t.raw, t.normalized))
        add(&t, KUBE_INTER_POD_AFFINITY, t.normalized);
    if (weights[KUBE_IMAGE_LOCALITY] && (show || c->image_capacity)) score_images(&t, s);
    score_resources(&t, s);
    if (show) show_resources(&t, s);
}
