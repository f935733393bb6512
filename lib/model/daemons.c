/* SPDX-License-Identifier: Apache-2.0 */
/* The representative pod of each DaemonSet. */

#include <base/error.h>
#include <model/reuse_pods.h>

static bool is_of(const karp_snapshot *s, const daemon_set *d, const pod *p)
{
    return (p->flags & POD_OF_DAEMON_SET) && p->name_space == d->meta.name_space &&
           store_marks(&s->raw, p)->controller_uid == d->meta.uid;
}

/* Of equally new pods, the first by name. */
static bool newer(const store *raw, const pod *a, const pod *b)
{
    return a->creation != b->creation ? a->creation > b->creation : pods_by_name(raw, a, b) < 0;
}

/* The newest pod of the DaemonSet. NO_ID = none. */
static uint32_t newest_pod(const karp_snapshot *s, const daemon_set *d)
{
    uint32_t best = NO_ID;
    for (uint32_t i = 0; i < s->raw.pods.count; i++) {
        const pod *p = pod_at(&s->raw, i);
        if (is_of(s, d, p) && (best == NO_ID || newer(&s->raw, p, pod_at(&s->raw, best)))) best = i;
    }
    return best;
}

static void fill_daemon(karp_snapshot *s, uint32_t set, uint32_t newest)
{
    const daemon_set *d = &s->raw.daemon_sets.items[set];
    const shape *of_template = &s->raw.shapes.items[d->shape];
    struct daemon *to = &s->daemons[set];
    to->set = set;
    to->name = d->meta.name;
    to->newest = newest;
    to->pod = newest == NO_ID ? store_find(&s->raw, KIND_POD, d->meta.name_space, d->meta.name) : newest;
    to->shape = newest == NO_ID ? of_template : &s->raw.shapes.items[pod_at(&s->raw, newest)->shape];
    /* The controller adds a node affinity to its pods; the template's own affinity is used instead. */
    to->required = of_template->required.count > 0 ? of_template->required : to->shape->required;
}

static bool make_room(karp_snapshot *s)
{
    s->daemon_count = (uint32_t)s->raw.daemon_sets.count;
    s->daemons = arena_array(&s->data, s->daemon_count + (size_t)1, sizeof *s->daemons);
    return s->daemons != NULL;
}

karp_status prepare_daemons(karp_snapshot *s, karp_error *error)
{
    if (!make_room(s)) return fail_nomem(error);
    for (uint32_t i = 0; i < s->daemon_count; i++) fill_daemon(s, i, newest_pod(s, &s->raw.daemon_sets.items[i]));
    return KARP_OK;
}

/* For a snapshot that continues another: the newest pod is usually the same as before, or a fresh one. */
static uint32_t newest_of_kept(const karp_snapshot *s, uint32_t set)
{
    const struct reused_pods *k = s->reused;
    const daemon_set *d = &s->raw.daemon_sets.items[set];
    uint32_t was = k->before->daemons[set].newest, best = NO_ID;
    for (size_t i = 0; i < k->fresh_count; i++) {
        const pod *p = pod_at(&s->raw, k->fresh[i]);
        if (is_of(s, d, p) && (best == NO_ID || newer(&s->raw, p, pod_at(&s->raw, best)))) best = k->fresh[i];
    }
    if (was == NO_ID) return best;
    const pod *old = pod_at(&k->before->raw, was);
    if (best != NO_ID && !newer(&s->raw, old, pod_at(&s->raw, best))) return best;
    return place_gone(k, was) ? newest_pod(s, d) : was;
}

karp_status continue_daemons(karp_snapshot *s, karp_error *error)
{
    if (s->raw.touched & UINT32_C(1) << KIND_DAEMON_SET) return prepare_daemons(s, error);
    if (!make_room(s)) return fail_nomem(error);
    for (uint32_t i = 0; i < s->daemon_count; i++) fill_daemon(s, i, newest_of_kept(s, i));
    return KARP_OK;
}
