/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/attempt.h>

void kube_attempt_init(kube_attempt *a, kube_cluster *c) { *a = (kube_attempt){ .cluster = c }; }

void kube_attempt_free(kube_attempt *a)
{
    if (!a->cluster) return;
    karp_context *x = a->cluster->context;
    mem_free(x, a->feasible, a->feasible_capacity * sizeof *a->feasible);
    mem_free(x, a->totals, a->total_capacity * sizeof *a->totals);
    mem_free(x, a->refusals, a->refusal_capacity * sizeof *a->refusals);
    mem_free(x, a->only, a->only_capacity * sizeof *a->only);
    mem_free(x, a->victims, a->victim_capacity * sizeof *a->victims);
    mem_free(x, a->candidates, a->candidate_capacity * sizeof *a->candidates);
}

/* ---- scratch space ----------------------------------------------------------------------------------------------- */

/* Nodes have come since the lines were made: they are made anew. */
static void widen_lines(kube_cluster *c, size_t width)
{
    for (size_t i = 0; i < c->line_count; i++) mem_free(c->context, c->lines[i], c->line_size * sizeof **c->lines);
    c->line_count = 0;
    c->line_size = width + width / 2;
}

bool kube_lines_take(kube_cluster *c, size_t count, int64_t value, size_t *first)
{
    size_t width = c->node_count + KUBE_LINE_MORE;
    *first = c->lines_used;
    if (width > c->line_size && c->lines_used == 0) widen_lines(c, width);
    if (width > c->line_size ||
        !grow(c->context, (void **)&c->lines, &c->line_capacity, c->lines_used + count, sizeof *c->lines))
        return kube_nomem(c);
    for (; c->lines_used < *first + count; c->lines_used++) {
        if (c->lines_used == c->line_count) {
            c->lines[c->line_count] = mem_alloc(c->context, c->line_size * sizeof **c->lines);
            if (!c->lines[c->line_count]) return kube_nomem(c);
            c->line_count++;
        }
        int64_t *line = c->lines[c->lines_used];
        for (size_t i = 0; i < width; i++) line[i] = value;
    }
    return true;
}

/* ---- memos ------------------------------------------------------------------------------------------------------- */

/* Memos of classes that are not scheduled now make room for others. */
static kube_memo *memos_of(kube_cluster *c, uint32_t class_)
{
    size_t kept = KUBE_MEMOS;
    while (kept > KUBE_LEAST_MEMOS && kept * c->node_count > KUBE_MEMOS_OF_ALL) kept /= 2;
    kube_memos *m = &c->memos[class_ % kept];
    size_t had = m->capacity;
    if (!grow(c->context, (void **)&m->list, &m->capacity, c->node_count + 1, sizeof *m->list)) {
        kube_nomem(c);
        return NULL;
    }
    if (m->class_ != class_) had = 0;
    memset(m->list + had, 0, (m->capacity - had) * sizeof *m->list);
    m->class_ = class_;
    return m->list;
}

/* ---- the attempt ------------------------------------------------------------------------------------------------- */

static void find_only(kube_attempt *a)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    size_t count;
    const uint32_t *order = kube_order(c, &count);
    a->only_count = 0;
    if (!s->restricted) return;
    if (!grow(c->context, (void **)&a->only, &a->only_capacity, count + 1, sizeof *a->only)) {
        kube_nomem(c);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (str_in(c->nodes[order[i]].spec.name, s->only, s->only_count)) a->only[a->only_count++] = order[i];
    }
}

void kube_attempt_begin(kube_attempt *a, uint32_t pod)
{
    kube_cluster *c = a->cluster;
    a->pod = pod;
    a->class_ = c->pods[pod].class_;
    a->before = (kube_refusal){ KUBE_PLUGINS, KUBE_FITS };
    a->memos = memos_of(c, a->class_);
    a->feasible_count = a->examined = 0;
    const kube_class *s = &c->classes[a->class_];
    a->filters = s->profile->filters;
    if (c->status) return;
    find_only(a);
    if (s->restricted && s->only_count == 0) a->before = (kube_refusal){ KUBE_NODE_AFFINITY, KUBE_UNRESOLVABLE };
    else if (s->volume_count) a->before = kube_volumes_begin(a);
    if (a->before.code != KUBE_FITS) return;
    kube_filters_begin(a);
    a->skips_affinity = !a->has_rules || (s->affinity_count == 0 && s->anti_count == 0 && !a->any_existing);
}

/* How many feasible nodes are enough: percentageOfNodesToScore. */
static size_t enough(const kube_profile *p, size_t nodes)
{
    enum { LEAST_NODES = 100, LEAST_PERCENTAGE = 5 };
    if (nodes < LEAST_NODES) return nodes;
    size_t percentage = p->percentage > 0 ? (size_t)p->percentage : 0;
    if (percentage == 0) percentage = nodes / 125 < 50 - LEAST_PERCENTAGE ? 50 - nodes / 125 : LEAST_PERCENTAGE;
    if (percentage >= 100) return nodes;
    size_t count = nodes * percentage / 100;
    return count < LEAST_NODES ? LEAST_NODES : count;
}

/* Most nodes are full for most pods, and stay so until they or their pods change. */
static bool still_full(const kube_attempt *a, uint32_t node, kube_refusal *r)
{
    const kube_memo *m = &a->memos[node];
    uint64_t mark = a->cluster->marks[node];
    *r = (kube_refusal){ KUBE_NODE_RESOURCES_FIT, m->lack };
    return mark != 0 && m->full == mark;
}

static void examine(kube_attempt *a, uint32_t node)
{
    kube_refusal r;
    if (!still_full(a, node, &r)) r = kube_filter(a, node);
    if (a->keep_refusals) a->refusals[node] = r;
    a->examined++;
    if (r.code == KUBE_FITS) a->feasible[a->feasible_count++] = node;
}

void kube_attempt_filter(kube_attempt *a, bool all)
{
    kube_cluster *c = a->cluster;
    const kube_class *s = &c->classes[a->class_];
    size_t total, count, target;
    const uint32_t *order = kube_order(c, &total);
    bool ok = grow(c->context, (void **)&a->feasible, &a->feasible_capacity, total + 1, sizeof *a->feasible) &&
              grow(c->context, (void **)&a->refusals, &a->refusal_capacity, c->node_count + 1, sizeof *a->refusals);
    if (!ok) kube_nomem(c);
    a->feasible_count = a->examined = 0;
    for (size_t i = 0; ok && a->keep_refusals && i < c->node_count; i++)
        a->refusals[i] = (kube_refusal){ KUBE_PLUGINS, KUBE_FITS };
    if (c->status || a->before.code != KUBE_FITS || total == 0) return;
    count = total;
    if (s->restricted) {
        order = a->only;
        count = a->only_count;
    }
    target = all ? count : enough(s->profile, count);
    size_t from = all || count == 0 ? 0 : c->start % count;
    for (size_t i = 0, at = from; i < count && a->feasible_count <= target && !c->status; i++) {
        examine(a, order[at]);
        at = at + 1 == count ? 0 : at + 1;
    }
    /* One feasible node more than enough ends the walk, and is left for the next one. */
    if (a->feasible_count > target) {
        a->feasible_count--;
        a->examined--;
    }
    if (!all) c->start = (c->start + a->examined) % total;
}

/* ---- choice ------------------------------------------------------------------------------------------------------ */

/* Go's container/heap, with the node of the highest score on top: what is on top among equal scores depends on how it
 * is made. */
static size_t top_of_heap(const int64_t *totals, uint32_t *heap, size_t count)
{
    for (size_t i = 0; i < count; i++) heap[i] = (uint32_t)i;
    for (size_t k = count / 2; k > 0; k--) {
        for (size_t i = k - 1, child = 2 * i + 1; child < count; child = 2 * i + 1) {
            if (child + 1 < count && totals[heap[child + 1]] > totals[heap[child]]) child++;
            if (totals[heap[child]] <= totals[heap[i]]) break;
            uint32_t other = heap[i];
            heap[i] = heap[child];
            heap[child] = other;
            i = child;
        }
    }
    return heap[0];
}

size_t kube_attempt_best(kube_attempt *a, uint64_t random)
{
    kube_cluster *c = a->cluster;
    int64_t most = INT64_MIN;
    size_t ties = 0, best = 0;
    for (size_t i = 0; i < a->feasible_count; i++) {
        if (a->totals[i] > most) {
            most = a->totals[i];
            ties = 0;
            best = i;
        }
        ties += a->totals[i] == most;
    }
    if (ties <= 1) return best;
    if (c->profiles->minor >= 35) {
        if (grow(c->context, (void **)&a->only, &a->only_capacity, a->feasible_count, sizeof *a->only))
            return top_of_heap(a->totals, a->only, a->feasible_count);
        kube_nomem(c);
        return best;
    }
    size_t chosen = (size_t)(random % ties);
    for (size_t i = 0; i < a->feasible_count; i++) {
        if (a->totals[i] == most && chosen-- == 0) return i;
    }
    return best;
}

uint32_t kube_schedule(kube_attempt *a, uint32_t pod, uint64_t random)
{
    kube_cluster *c = a->cluster;
    kube_attempt_begin(a, pod);
    uint32_t meant = c->pods[pod].nominated;
    if (c->status) return KUBE_NONE;
    if (meant != KUBE_NONE && a->before.code == KUBE_FITS && kube_filter(a, meant).code == KUBE_FITS) return meant;
    kube_attempt_filter(a, false);
    if (c->status || a->feasible_count == 0) return KUBE_NONE;
    if (a->feasible_count == 1) return a->feasible[0];
    kube_attempt_score(a, NULL, NULL);
    return c->status ? KUBE_NONE : a->feasible[kube_attempt_best(a, random)];
}
