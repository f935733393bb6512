/* SPDX-License-Identifier: Apache-2.0 */
/* When pods were last bound to a node or left it: status.lastPodEventTime. */
#include <base/civil.h>
#include <disrupt/advice.h>

#include <base/error.h>
#include <disrupt/pass.h>

static const int64_t least_apart = INT64_C(10) * SECOND_NS;

static const pod *pod_before(const karp_snapshot *before, const karp_snapshot *s, const pod *p)
{
    karp_str name_space = text_of(s, p->name_space), name = name_of(s, p->name);
    uint32_t space = strings_find(&before->raw.text, name_space.ptr, name_space.len),
             id = strings_find(&before->raw.names, name.ptr, name.len);
    uint32_t at = space == NO_ID || id == NO_ID ? NO_ID : store_find(&before->raw, KIND_POD, space, id);
    const pod *old = at == NO_ID ? NULL : pod_at(&before->raw, at);
    bool same = old != NULL && old->uid_len == p->uid_len &&
                (p->uid_len == 0 || memcmp(old->uid, p->uid, p->uid_len) == 0);
    return same ? old : NULL; /* another pod with the same name is a new pod */
}

/* Whether the pod was bound to its node, reached a terminal phase there, or started to terminate. */
static bool happened(const karp_snapshot *before, const karp_snapshot *s, const pod *p)
{
    const pod *old = before == NULL ? NULL : pod_before(before, s, p);
    if (old == NULL || old->node == NO_ID) return true;
    return (pod_over(p) && !pod_over(old)) || (p->deletion != KARP_NO_TIME && old->deletion == KARP_NO_TIME);
}

static bool some_event(const karp_snapshot *before, const karp_snapshot *s, const state_node *n)
{
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        if (!(p->flags & POD_OF_DAEMON_SET) && happened(before, s, p)) return true;
    }
    return false;
}

karp_status karp_advise_pod_events(const karp_snapshot *before, const karp_snapshot *snapshot,
                                   const karp_disrupt_options *options, karp_advice **out, karp_error *error)
{
    pass p;
    uint32_t method;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the advice are needed");
    karp_status status = pass_start(&p, snapshot, options, &method, error);
    if (status != KARP_OK) return status;
    bool look = before != NULL || pass_quirk(&p, 15);
    karp_advice *a = NULL;
    status = advice_start(snapshot, p.now, out, &a, error);
    pass_end(&p);
    if (status != KARP_OK) return status;
    for (uint32_t i = 0; i < snapshot->node_count && look && !a->failed; i++) {
        const state_node *n = &snapshot->nodes[i];
        if (n->claim == NO_ID || n->node == NO_ID) continue;
        int64_t last = snapshot->raw.claims.items[n->claim].last_pod_event;
        if (last != KARP_NO_TIME && instant_after(last, least_apart) > a->now) continue;
        if (some_event(before, snapshot, n))
            advise(a, (karp_action){
                          .kind = KARP_ACTION_POD_EVENT, .object = claim_name(snapshot, n->claim), .number = a->now });
    }
    return advice_finish(a, out, error);
}
