/* SPDX-License-Identifier: Apache-2.0 */
/* DefaultPreemption: which pods of lower priority make room. */
#include <kube/attempt.h>

#include <base/admit.h>

/* A pod that may be preempted. */
typedef struct likely {
    uint32_t pod;
    int32_t priority;
    int64_t started;
    uint32_t number; /* the caller's: pods that started at the same instant have an order that does not depend on what
                        was tried */
    bool violates; /* a budget */
} likely;

const char *kube_preemption_refusal(kube_attempt *a)
{
    const kube_cluster *c = a->cluster;
    const kube_pod *p = &c->pods[a->pod];
    if (!c->classes[a->class_].profile->filters[KUBE_DEFAULT_PREEMPTION]) return "preemption is disabled";
    if (c->classes[a->class_].never_preempts) return "not eligible due to preemptionPolicy=Never.";
    if (p->nominated == KUBE_NONE) return NULL;
    if (a->before.code == KUBE_UNRESOLVABLE || a->refusals[p->nominated].code == KUBE_UNRESOLVABLE) return NULL;
    for (uint32_t other = c->nodes[p->nominated].first_pod; other != KUBE_NONE; other = c->pods[other].next) {
        if (c->pods[other].priority < p->priority && c->pods[other].preempted)
            return "not eligible due to a terminating pod on the nominated node.";
    }
    return NULL;
}

static int by_importance(const void *a, const void *b, const void *user)
{
    const likely *x = a, *y = b;
    (void)user;
    if (x->priority != y->priority) return x->priority > y->priority ? -1 : 1;
    int64_t x_started = x->started == KARP_NO_TIME ? INT64_MAX : x->started,
            y_started = y->started == KARP_NO_TIME ? INT64_MAX : y->started;
    if (x_started != y_started) return x_started < y_started ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool protects(const kube_budget *b, const kube_pod *p, const karp_meta *meta)
{
    if (!b->selector || b->selector->match_label_count + b->selector->expression_count == 0 || meta->label_count == 0)
        return false;
    return equal_str(b->namespace_, meta->namespace_) &&
           selector_admits(b->selector, meta->labels, meta->label_count) &&
           !str_in(p->name, b->disrupted, b->disrupted_count);
}

/* Counts the budgets down over all pods of lower priority, also over those that stay in the end. */
static bool mark_violations(kube_cluster *c, likely *list, size_t count)
{
    int64_t *left = mem_alloc(c->context, (c->budget_count + 1) * sizeof *left);
    if (!left) return false;
    for (size_t i = 0; i < c->budget_count; i++) left[i] = c->budgets[i].allowed;
    for (size_t k = 0; k < count; k++) {
        const kube_pod *p = &c->pods[list[k].pod];
        for (size_t i = 0; i < c->budget_count; i++) {
            if (protects(&c->budgets[i], p, &c->classes[p->class_].pod.meta) && --left[i] < 0) list[k].violates = true;
        }
    }
    mem_free(c->context, left, (c->budget_count + 1) * sizeof *left);
    return true;
}

/* Without the list, only counts. */
static size_t list_lower(const kube_attempt *a, uint32_t node, likely *list)
{
    const kube_cluster *c = a->cluster;
    size_t count = 0;
    for (uint32_t pod = c->nodes[node].first_pod; pod != KUBE_NONE; pod = c->pods[pod].next) {
        if (c->pods[pod].priority >= c->pods[a->pod].priority) continue;
        if (list)
            list[count] = (likely){ pod, c->pods[pod].priority, c->pods[pod].started, c->pods[pod].number, false };
        count++;
    }
    return count;
}

/* Puts pods back as long as the new pod still fits: first those that a budget protects. The others are victims. */
static bool reprieve(kube_attempt *a, uint32_t node, likely *list, size_t count, kube_candidate *out)
{
    kube_cluster *c = a->cluster;
    if (!grow(c->context, (void **)&a->victims, &a->victim_capacity, a->victim_count + count, sizeof *a->victims))
        return false;
    bool *stays = mem_alloc(c->context, count * sizeof *stays);
    if (!stays) return false;
    for (int protect = 1; protect >= 0; protect--) {
        for (size_t i = 0; i < count; i++) {
            if (list[i].violates != (protect == 1)) continue;
            kube_place(c, list[i].pod, node);
            kube_filters_begin(a);
            stays[i] = kube_filter(a, node).code == KUBE_FITS;
            if (stays[i]) continue;
            kube_displace(c, list[i].pod);
            out->violations += list[i].violates;
        }
    }
    *out = (kube_candidate){ .node = node, .first = a->victim_count, .violations = out->violations };
    for (size_t i = 0; i < count; i++) {
        if (!stays[i]) a->victims[a->victim_count++] = list[i].pod;
    }
    out->count = a->victim_count - out->first;
    mem_free(c->context, stays, count * sizeof *stays);
    return true;
}

/* false = the node is no candidate, or a failure */
static bool try_node(kube_attempt *a, uint32_t node, kube_candidate *out)
{
    kube_cluster *c = a->cluster;
    size_t count = list_lower(a, node, NULL);
    likely *list = count ? mem_alloc(c->context, count * sizeof *list) : NULL;
    bool found = false;
    *out = (kube_candidate){ .node = node };
    if (count == 0) return false;
    if (!list || list_lower(a, node, list) != count ||
        !sort_stable(c->context, list, count, sizeof *list, by_importance, NULL) || !mark_violations(c, list, count)) {
        mem_free(c->context, list, list ? count * sizeof *list : 0);
        kube_nomem(c);
        return false;
    }
    for (size_t i = 0; i < count; i++) kube_displace(c, list[i].pod);
    kube_filters_begin(a);
    found = kube_filter(a, node).code == KUBE_FITS;
    if (found && !reprieve(a, node, list, count, out)) kube_nomem(c);
    for (size_t i = 0; i < count; i++) {
        if (c->pods[list[i].pod].node == KUBE_NONE) kube_place(c, list[i].pod, node);
    }
    mem_free(c->context, list, count * sizeof *list);
    return found && !c->status;
}

kube_candidate *kube_preemption_candidates(kube_attempt *a, size_t *count)
{
    kube_cluster *c = a->cluster;
    size_t nodes, tried = 0, peaceful = 0;
    uint64_t events = c->events;
    *count = a->victim_count = 0;
    if (a->before.code == KUBE_UNRESOLVABLE) return NULL;
    const uint32_t *order = kube_order(c, &nodes);
    for (size_t i = 0; i < nodes; i++) tried += a->refusals[order[i]].code == KUBE_UNSCHEDULABLE;
    const kube_profile *p = c->classes[a->class_].profile;
    size_t enough = tried * p->candidates_percentage / 100;
    if (enough < p->candidates_least) enough = p->candidates_least;
    for (size_t i = 0; i < nodes && !c->status && !(*count >= enough && peaceful); i++) {
        kube_candidate one;
        if (a->refusals[order[i]].code != KUBE_UNSCHEDULABLE || !try_node(a, order[i], &one)) continue;
        if (!grow(c->context, (void **)&a->candidates, &a->candidate_capacity, *count + 1, sizeof *a->candidates)) {
            kube_nomem(c);
            break;
        }
        a->candidates[(*count)++] = one;
        peaceful += one.violations == 0;
    }
    c->events = events;
    return a->candidates;
}

/* ---- the best candidate ------------------------------------------------------------------------------------------ */

static int64_t sum_of_priorities(const kube_attempt *a, const kube_candidate *x)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->count; i++)
        sum += a->cluster->pods[a->victims[x->first + i]].priority + (INT64_C(1) << 31);
    return sum;
}

/* The earliest start of the victims of the highest priority. */
static int64_t earliest(const kube_attempt *a, const kube_candidate *x)
{
    int64_t first = INT64_MAX;
    const uint32_t *victims = a->victims + x->first;
    for (size_t i = 0; i < x->count; i++) {
        const kube_pod *p = &a->cluster->pods[victims[i]];
        if (p->priority != a->cluster->pods[victims[0]].priority || p->started == KARP_NO_TIME) continue;
        if (p->started < first) first = p->started;
    }
    return first;
}

static int compare(int64_t x, int64_t y) { return x < y ? 1 : x > y ? -1 : 0; }

int kube_compare_candidates(const kube_attempt *a, const kube_candidate *x, const kube_candidate *y)
{
    const kube_pod *pods = a->cluster->pods;
    int order = compare(x->violations, y->violations);
    if (!order && x->count && y->count)
        order = compare(pods[a->victims[x->first]].priority, pods[a->victims[y->first]].priority);
    if (!order) order = compare(sum_of_priorities(a, x), sum_of_priorities(a, y));
    if (!order) order = compare((int64_t)x->count, (int64_t)y->count);
    if (!order) order = -compare(earliest(a, x), earliest(a, y));
    return order;
}
