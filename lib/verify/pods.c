/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods a round has to place, regardless of whether this is possible. */
#include <verify/verify.h>

#include <base/str.h>
#include <base/duration.h>

static bool pending(const pod *p)
{
    bool bars = (p->flags & (POD_NOMINATED | POD_OF_DAEMON_SET | POD_OF_NODE)) != 0;
    return p->node == NO_ID && (p->flags & POD_UNSCHEDULABLE) != 0 && !bars;
}

static bool is_marked_do_not_disrupt(const verifier *v, const pod *p)
{
    uint32_t value = store_marks(&v->snapshot->raw, p)->do_not_disrupt;
    int64_t length;
    if (value == NO_ID) return false;
    karp_str text = text_of(v->snapshot, value);
    if (equal_str(text, str("true"))) return true;
    if (!duration_parse(text.ptr, text.len, &length) || length <= 0) return false;
    return p->start == KARP_NO_TIME || v->now - p->start < length;
}

static bool tolerates_eviction(const verifier *v, const pod *p)
{
    static const char key[] = "karpenter.sh/disrupted", effect[] = "NoSchedule";
    toleration_list list = v->snapshot->raw.shapes.items[p->shape].tolerations;
    for (uint32_t i = 0; i < list.count; i++) {
        const toleration *t = &list.items[i];
        karp_str its_key = text_of(v->snapshot, t->key), its_effect = text_of(v->snapshot, t->effect);
        if ((its_key.len > 0 && !equal_str(its_key, str(key))) ||
            (its_effect.len > 0 && !equal_str(its_effect, str(effect))))
            continue;
        if (t->op == KARP_TOLERATION_EXISTS || (t->op == KARP_TOLERATION_EQUAL && t->value == NO_TEXT)) return true;
    }
    return false;
}

static bool has_text(const karp_int_or_string *field, const char *text)
{
    return field->is_set && field->is_text && equal_str(field->text, str(text));
}

static bool covers(const verifier *v, const disruption_budget *b, const pod *p)
{
    const store *raw = &v->snapshot->raw;
    return b->meta.name_space == p->name_space && b->selects != NULL &&
           selector_matches(b->selects, store_pod_labels(raw, p->labels));
}

/* A number of pods in a budget, or a percentage of `all`, rounded up. false = invalid. */
static bool meant(const karp_int_or_string *field, uint64_t all, uint64_t *out)
{
    uint64_t percent = 0;
    if (!field->is_text) {
        *out = (uint64_t)field->value;
        return field->value >= 0;
    }
    if (field->text.len < 2 || field->text.len > 10 || field->text.ptr[field->text.len - 1] != '%') return false;
    for (size_t i = 0; i + 1 < field->text.len; i++) {
        if (field->text.ptr[i] < '0' || field->text.ptr[i] > '9') return false;
        percent = 10 * percent + (uint64_t)(field->text.ptr[i] - '0');
    }
    *out = percent * all / 100 + (percent * all % 100 != 0);
    return true;
}

/* Whether the budget allows no disruption even if all its pods are healthy, computed as the disruption controller
 * does. */
static bool none_to_spare(const verifier *v, const disruption_budget *b)
{
    const store *raw = &v->snapshot->raw;
    uint64_t all = 0, limit;
    for (size_t i = 0; i < raw->pods.count; i++) {
        const pod *p = pod_at(raw, i);
        all += !pod_over(p) && p->deletion == KARP_NO_TIME && covers(v, b, p);
    }
    if (b->max_unavailable.is_set) return meant(&b->max_unavailable, all, &limit) && limit == 0;
    return b->min_available.is_set && meant(&b->min_available, all, &limit) && limit >= all;
}

/* Computed once for all pods. false = out of memory. */
static bool count_budgets(verifier *v)
{
    const store *raw = &v->snapshot->raw;
    v->spent = verifier_alloc(v, raw->budgets.count + 1, sizeof *v->spent);
    for (size_t i = 0; v->spent != NULL && !v->quirks && i < raw->budgets.count; i++)
        v->spent[i] = none_to_spare(v, &raw->budgets.items[i]);
    return v->spent != NULL;
}

/* Whether several budgets, or one that never allows a disruption, apply to the pod. Karpenter only recognises certain
 * texts of such budgets and does not count pods. */
static bool budgets_forbid(const verifier *v, const pod *p)
{
    const store *raw = &v->snapshot->raw;
    const disruption_budget *only = NULL;
    bool spent = false;
    for (size_t i = 0; i < raw->budgets.count; i++) {
        const disruption_budget *b = &raw->budgets.items[i];
        if (!covers(v, b, p)) continue;
        if (only != NULL) return true;
        only = b;
        spent = v->spent[i];
    }
    if (only == NULL || (only->always_allow && (p->flags & POD_NOT_READY) != 0)) return false;
    bool zero = only->max_unavailable.is_set && !only->max_unavailable.is_text && only->max_unavailable.value == 0;
    return zero || has_text(&only->max_unavailable, "0%") || has_text(&only->min_available, "100%") || spent;
}

/* A pod on a node that is being deleted. */
static bool leaves(const verifier *v, const pod *p)
{
    bool ending = p->deletion != KARP_NO_TIME, live = !pod_over(p) && !ending;
    if ((p->flags & (POD_OF_DAEMON_SET | POD_OF_NODE)) != 0) return false;
    if (!live && !(ending && (p->flags & POD_OF_STATEFUL_SET) != 0)) return false;
    if (!live) return true;
    return !is_marked_do_not_disrupt(v, p) && (tolerates_eviction(v, p) || !budgets_forbid(v, p));
}

bool find_pending(verifier *v)
{
    const karp_snapshot *s = v->snapshot;
    if (s->place != NULL) {
        for (uint32_t i = 0; i < s->place_count; i++) v->waits[s->place[i]] = 1;
        return true;
    }
    if (!count_budgets(v)) return false;
    for (size_t i = 0; i < s->raw.pods.count; i++) v->waits[i] = pending(pod_at(&s->raw, i));
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (!s->nodes[n].marked || s->nodes[n].node == NO_ID) continue;
        for (uint32_t i = 0; i < s->nodes[n].all_pod_count; i++) {
            uint32_t p = s->nodes[n].all_pods[i];
            if (leaves(v, pod_at(&s->raw, p))) v->waits[p] = 1;
        }
    }
    return true;
}
