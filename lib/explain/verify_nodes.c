/* SPDX-License-Identifier: Apache-2.0 */
/* Pods on existing nodes: free capacity. */
#include <explain/verify.h>

#include <string.h>

/* ---- free capacity ---------------------------------------------------------------------------------------------------- */

/* Whether the daemon will run on the node. With Karpenter's quirks, this is not known for daemons with several terms
 * or PreferNoSchedule taints, because it depends on earlier calculations. Such daemons are then not expected. */
static bool daemon_expected(verifier *v, uint32_t daemon, const target *t)
{
    const struct daemon *d = &v->snapshot->daemons[daemon];
    wishes *w = &v->daemon_wishes[daemon];
    if (!daemon_runs(v, d->shape)) return false;
    if (!w->ready) fill_wishes(v, w, d->shape->node_selector, d->required);
    if ((w->count > 1 && v->quirks) || untolerated(v, d->shape->tolerations, t->taints, v->quirks) != NULL)
        return false;
    target bare = *t; /* daemons are checked without the new pods */
    bare.pod_count = 0;
    uint32_t host = label_get(v->snapshot->nodes[t->node].labels, v->snapshot->known.hostname);
    for (uint32_t i = 0; i < w->count; i++) {
        if (labels_satisfy(v, &bare, &w->terms[i], host)) return true;
    }
    return false;
}

/* The capacity reserved for daemons: those that are expected minus those that already run. */
static void reserve_for_daemons(verifier *v, const target *t, int64_t *reserve)
{
    const karp_snapshot *s = v->snapshot;
    const state_node *n = &s->nodes[t->node];
    for (uint32_t i = 0; i < s->daemon_count; i++) {
        if (!daemon_expected(v, i, t)) continue;
        for (uint32_t r = 0; r < s->dims; r++)
            reserve[r] = add_clamped(reserve[r], v->daemon_requests[(size_t)i * s->dims + r]);
    }
    for (uint32_t i = 0; i < n->pod_count; i++) {
        if ((pod_at(&s->raw, n->pods[i])->flags & POD_OF_DAEMON_SET) == 0) continue;
        for (uint32_t r = 0; r < s->dims; r++) reserve[r] = add_clamped(reserve[r], -pod_vector(v, n->pods[i])[r]);
    }
    for (uint32_t r = 0; r < s->dims; r++) reserve[r] = reserve[r] > 0 ? reserve[r] : 0;
}

/* The first resource of the column that the target's new pods request. */
static uint32_t requested_resource(const verifier *v, const target *t, uint32_t column)
{
    for (uint32_t i = 0; i < t->pod_count; i++) {
        resource_list list = pod_shape(v, t->pods[i])->requests;
        for (uint32_t k = 0; k < list.count; k++) {
            if (v->snapshot->column_of[list.items[k].resource] == column && amount_sign(list.items[k].value) > 0)
                return list.items[k].resource;
        }
    }
    return v->snapshot->resource_of[column];
}

static void check_space(verifier *v, const target *t)
{
    const karp_snapshot *s = v->snapshot;
    const state_node *n = &s->nodes[t->node];
    int64_t *wanted = mem_zalloc(v->context, (size_t)s->dims * 2 * sizeof *wanted);
    if (wanted == NULL) {
        v->failed = true;
        return;
    }
    int64_t *reserve = wanted + s->dims;
    for (uint32_t i = 0; i < t->pod_count; i++) {
        for (uint32_t r = 0; r < s->dims; r++) wanted[r] = add_clamped(wanted[r], pod_vector(v, t->pods[i])[r]);
    }
    reserve_for_daemons(v, t, reserve);
    for (uint32_t r = 0; r < s->dims; r++) {
        bool named = resource_list_find(n->allocatable, s->resource_of[r]) != NULL;
        int64_t free_ = named ? add_clamped(n->available[r], -reserve[r]) : 0;
        if (wanted[r] <= 0 || wanted[r] <= free_) continue;
        note(v, KARP_FINDING_RESOURCES, t->name,
             "its %u new pods ask for more %.*s than is free beside its pods and daemons", (unsigned)t->pod_count,
             SHOW(strings_get(&s->raw.resources, requested_resource(v, t, r))));
    }
    mem_free(v->context, wanted, (size_t)s->dims * 2 * sizeof *wanted);
}

void check_node(verifier *v, const target *t)
{
    check_pods_at(v, t);
    check_space(v, t);
    check_node_volumes(v, t);
}
