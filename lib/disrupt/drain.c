/* SPDX-License-Identifier: Apache-2.0 */
/* Draining a node that is being deleted: group by group, forcibly only at the deadline. */
#include <disrupt/advice.h>

#include <base/error.h>
#include <base/strbuf.h>
#include <disrupt/pass.h>
#include <karp/values.h>
#include <model/instant.h>
#include <schedule/movable.h>

static const int64_t step = SECOND_NS, least_drain = INT64_C(5) * SECOND_NS;

enum { GROUPS = 4 };

struct draining {
    karp_advice *a;
    int64_t deadline; /* KARP_NO_TIME = none */
};

/* Whether the drain waits for the pod. */
static bool holds(const struct draining *d, const pod *p)
{
    return !pod_over(p) && pod_drainable(d->a->snapshot, p, d->a->now);
}

/* Whether the pod would not end by the deadline with its own grace period. */
static bool by_force(const struct draining *d, const pod *p)
{
    int64_t grace = d->a->snapshot->raw.shapes.items[p->shape].grace_seconds;
    if (d->deadline == KARP_NO_TIME) return false;
    if (p->deletion != KARP_NO_TIME) return p->deletion > d->deadline;
    if (grace < 0) return false;
    int64_t length = grace > INT64_MAX / SECOND_NS ? INT64_MAX : grace * SECOND_NS;
    return d->a->now > instant_after(d->deadline, -length);
}

static uint32_t group_of_pod(const karp_snapshot *s, const pod *p)
{
    return (s->raw.shapes.items[p->shape].critical ? 2u : 0u) + ((p->flags & POD_OF_DAEMON_SET) ? 1u : 0u);
}

static void ask(struct draining *d, uint32_t pod_number, bool force)
{
    const karp_snapshot *s = d->a->snapshot;
    const pod *p = pod_at(&s->raw, pod_number);
    karp_action action = { .kind = KARP_ACTION_EVICT, .object = pod_name(s, pod_number) };
    if (force) {
        int64_t left = d->deadline > d->a->now ? (d->deadline - d->a->now) / SECOND_NS : 0;
        action.kind = KARP_ACTION_FORCE_DELETE;
        action.number = left > 1 ? left : 1;
    } else if (!pod_active(p)) {
        return; /* already terminating */
    } else if (!pod_evictable(s, pod_number, d->a->now)) {
        action.kind = KARP_ACTION_BLOCKED;
        action.object_kind = KARP_MEANS_POD;
        action.value = str("DoNotDisrupt");
    }
    advise(d->a, action);
}

int64_t drain_held(const karp_snapshot *s, const state_node *n)
{
    int64_t grace = n->claim == NO_ID ? KARP_DURATION_UNSET : s->raw.claims.items[n->claim].termination_grace_period;
    if (grace == KARP_DURATION_UNSET) return 0;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        if (pod_holds_drain(s, n->all_pods[i], karp_snapshot_now(s))) return grace;
    }
    return 0;
}

bool held_note(const pass *p, karp_decision *d)
{
    uint64_t count = 0;
    int64_t longest = 0;
    strbuf text;
    char length[KARP_VALUE_TEXT];
    strbuf_init(&text, d->context);
    for (size_t i = 0; i < p->found.commands.count; i++) {
        const command *c = &p->found.commands.items[i];
        for (uint32_t k = 0; k < c->candidate_count && c->decision != KARP_COMMAND_REBOOT; k++) {
            const state_node *n = &p->snapshot->nodes[p->found.candidates[c->candidates[k]].node];
            int64_t grace = drain_held(p->snapshot, n);
            longest = grace > longest ? grace : longest;
            if (grace > 0 && count++ == 0) strbuf_addstr(&text, name_of(p->snapshot, n->name));
        }
    }
    if (count == 0) return true; /* nothing was allocated */
    karp_duration_format(longest, length);
    if (count > 1) strbuf_adds(&text, " and ");
    if (count > 1) strbuf_addu(&text, count - 1);
    if (count > 1) strbuf_adds(&text, " more");
    strbuf_put(&text, ": pods that cannot be evicted stay until terminationGracePeriod is over (",
               str_short_duration(str(length)), "");
    strbuf_adds(&text,
                "), and need a place only then: until then the node costs on, and that place is in no figure of the "
                "command");
    bool ok = !text.failed && decision_warn(d, text.ptr, text.len);
    strbuf_free(&text);
    return ok;
}

bool advise_evictions(karp_advice *a, const state_node *n, int64_t deadline)
{
    struct draining own = { a, deadline }, *d = &own;
    const karp_snapshot *s = d->a->snapshot;
    uint32_t first = GROUPS;
    bool waiting = false;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        if (!holds(d, p)) continue;
        waiting = true;
        if (by_force(d, p)) ask(d, n->all_pods[i], true);
        else if (group_of_pod(s, p) < first) first = group_of_pod(s, p);
    }
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        if (holds(d, p) && !by_force(d, p) && group_of_pod(s, p) == first) ask(d, n->all_pods[i], false);
    }
    return !waiting;
}

/* A node is drained when no pod is left, and not before five seconds after the first look at it. */
static void conclude(struct draining *d, uint32_t claim_number, bool nobody)
{
    karp_advice *a = d->a;
    const karp_snapshot *s = a->snapshot;
    if (claim_number == NO_ID) {
        a->finished = nobody;
    } else {
        condition_list list = s->raw.claims.items[claim_number].conditions;
        const condition *c = condition_named(s, list, "Drained");
        bool done = c != NULL && c->status == s->known.status_true;
        bool waited = c != NULL && c->since != KARP_NO_TIME && instant_after(c->since, least_drain) <= a->now;
        a->finished = nobody && (done || waited);
        karp_action action = { .kind = KARP_ACTION_SET_CONDITION,
                               .object = claim_name(s, claim_number),
                               .subject = str("Drained"),
                               .value = str(a->finished ? "Drained" : "Draining") };
        if (a->finished ? !done : c == NULL) advise(a, action);
    }
    if (!a->finished) advice_look_again(a, instant_after(a->now, step));
}

/* Starts the advice about a node that is being deleted. Status: OK, NOMEM, NOT_FOUND, INVALID. */
static karp_status begin_drain(const karp_snapshot *snapshot, karp_str node_name, int64_t now, karp_advice **out,
                               struct draining *d, const state_node **found, karp_error *error)
{
    karp_status status = advice_start(snapshot, now, out, &d->a, error);
    if (status != KARP_OK) return status;
    const state_node *n = NULL;
    for (uint32_t i = 0; i < snapshot->node_count && n == NULL; i++) {
        const state_node *one = &snapshot->nodes[i];
        if (one->node != NO_ID &&
            equal_str(name_of(snapshot, snapshot->raw.nodes.items[one->node].meta.name), node_name))
            n = one;
    }
    *found = n;
    d->deadline = KARP_NO_TIME;
    karp_str text = { NULL, 0 };
    if (n == NULL) status = fail(error, KARP_E_NOT_FOUND, "there is no such node");
    else if (n->claim != NO_ID)
        text = annotation(snapshot, &snapshot->raw.claims.items[n->claim].meta,
                          "karpenter.sh/nodeclaim-termination-timestamp");
    if (text.ptr != NULL && !instant_parse(text.ptr, text.len, &d->deadline))
        status = fail(error, KARP_E_INVALID, "the termination timestamp of the node's claim is no time");
    if (status != KARP_OK) karp_advice_free(d->a);
    return status;
}

karp_status karp_advise_drain(const karp_snapshot *snapshot, karp_str node_name, int64_t now, karp_advice **out,
                              karp_error *error)
{
    if (!str_given(node_name)) return fail_null(error, "node_name");
    struct draining d;
    const state_node *n;
    karp_status status = begin_drain(snapshot, node_name, now, out, &d, &n, error);
    if (status != KARP_OK) return status;
    conclude(&d, n->claim, advise_evictions(d.a, n, d.deadline));
    return advice_finish(d.a, out, error);
}

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

/* Whether a pod that the drain does not wait for uses the volume, so that it is never detached. */
static bool held_to_the_end(const karp_advice *a, const state_node *n, karp_str volume_name)
{
    const karp_snapshot *s = a->snapshot;
    for (uint32_t i = 0; i < n->all_pod_count; i++) {
        const pod *p = pod_at(&s->raw, n->all_pods[i]);
        if (pod_drainable(a->snapshot, p, a->now)) continue;
        const struct words_entry *claims = &s->raw.volumes.entries[p->volumes];
        for (uint32_t k = 0; k < claims->count; k++) {
            uint32_t c = store_find(&s->raw, KIND_VOLUME_CLAIM, p->name_space, claims->ptr[k]);
            uint32_t volume_id = c == NO_ID ? 0 : s->raw.volume_claims.items[c].volume;
            if (volume_id != 0 && equal_str(name_of(s, volume_id), volume_name)) return true;
        }
    }
    return false;
}

karp_status karp_advise_detachment(const karp_snapshot *snapshot, karp_str node_name, int64_t now,
                                   const karp_str *volumes, size_t volume_count, karp_advice **out, karp_error *error)
{
    if (!str_given(node_name)) return fail_null(error, "node_name");
    struct draining d;
    const state_node *n;
    if (snapshot == NULL || out == NULL || (volumes == NULL && volume_count > 0))
        return fail(error, KARP_E_INVALID, "a snapshot, the volumes and a place for the advice are needed");
    karp_status status = begin_drain(snapshot, node_name, now, out, &d, &n, error);
    if (status != KARP_OK) return status;
    bool waits = false, late = d.deadline != KARP_NO_TIME && d.a->now > d.deadline;
    for (size_t i = 0; i < volume_count; i++)
        waits = waits || (volumes[i].len > 0 && !held_to_the_end(d.a, n, volumes[i]));
    d.a->finished = !waits || late;
    if (n->claim != NO_ID && !waits &&
        !condition_is_true(snapshot, snapshot->raw.claims.items[n->claim].conditions, "VolumesDetached")) {
        advise(d.a, (karp_action){ .kind = KARP_ACTION_SET_CONDITION,
                                   .object = claim_name(snapshot, n->claim),
                                   .subject = str("VolumesDetached"),
                                   .value = str("VolumesDetached") });
    }
    if (!d.a->finished) advice_look_again(d.a, instant_after(d.a->now, step));
    return advice_finish(d.a, out, error);
}
