/* SPDX-License-Identifier: Apache-2.0 */
/* The pod that stands for each DaemonSet (scheduling.md §12.1). */
#include <model/prepare.h>

#include <base/error.h>
#include <model/kept_pods.h>

/* The newest pod that the set controls in its namespace; the earlier in input order among equally new. NO_ID = none. */
static uint32_t newest_pod(const karp_snapshot *s, const daemon_set *d)
{
    uint32_t best = NO_ID;
    for (uint32_t i = 0; i < s->raw.pods.count; i++) {
        const pod *p = pod_at(&s->raw, i);
        if (!(p->flags & POD_OF_DAEMON_SET) || p->name_space != d->meta.name_space) continue;
        if (store_marks(&s->raw, p)->controller_uid != d->meta.uid) continue;
        if (best == NO_ID || p->creation > pod_at(&s->raw, best)->creation ||
            (p->creation == pod_at(&s->raw, best)->creation && s->pod_rank[i] < s->pod_rank[best])) {
            best = i;
        }
    }
    return best;
}

karp_status prepare_daemons(karp_snapshot *s, karp_error *error)
{
    s->daemon_count = (uint32_t)s->raw.daemon_sets.count;
    s->daemons = arena_array(&s->data, s->daemon_count + (size_t)1, sizeof *s->daemons);
    if (s->daemons == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < s->daemon_count; i++) {
        const daemon_set *d = &s->raw.daemon_sets.items[i];
        const shape *of_template = &s->raw.shapes.items[d->shape];
        uint32_t p = newest_pod(s, d);
        s->daemons[i].set = i;
        s->daemons[i].name = d->meta.name;
        s->daemons[i].newest = p;
        s->daemons[i].pod = p == NO_ID ? store_find(&s->raw, KIND_POD, d->meta.name_space, d->meta.name) : p;
        s->daemons[i].shape = p == NO_ID ? of_template : &s->raw.shapes.items[pod_at(&s->raw, p)->shape];
        /* The controller pins its pods to nodes by affinity; the template's own affinity is what counts. */
        s->daemons[i].required = of_template->required.count > 0 ? of_template->required : s->daemons[i].shape->required;
    }
    return KARP_OK;
}

karp_status continue_daemons(karp_snapshot *s, karp_error *error)
{
    const karp_snapshot *before = s->kept->before;
    s->daemon_count = before->daemon_count;
    s->daemons = arena_array(&s->data, s->daemon_count + (size_t)1, sizeof *s->daemons);
    if (s->daemons == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < s->daemon_count; i++) {
        struct daemon *d = &s->daemons[i];
        *d = before->daemons[i];
        d->shape = s->raw.shapes.items + (d->shape - before->raw.shapes.items);
        if (d->newest == NO_ID) d->pod = store_find(&s->raw, KIND_POD, s->raw.daemon_sets.items[i].meta.name_space, d->name);
    }
    return KARP_OK;
}
