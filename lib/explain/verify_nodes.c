/* SPDX-License-Identifier: Apache-2.0 */
/* Pods on existing nodes: room, and volumes that can be attached. */
#include <explain/verify.h>

#include <base/hash.h>
#include <string.h>

/* ---- room ------------------------------------------------------------------------------------------------------------ */

/* Whether the daemon will run on the node. Which of several terms Karpenter still looks at, and whether soft taints keep a
 * daemon away, depends on its history, so with its quirks such a daemon is not insisted on. */
static bool daemon_expected(verifier *v, uint32_t daemon, const target *t)
{
    const struct daemon *d = &v->snapshot->daemons[daemon];
    wishes *w = &v->daemon_wishes[daemon];
    if (!daemon_runs(v, d->shape)) return false;
    if (!w->ready) fill_wishes(v, w, d->shape->node_selector, d->required);
    if ((w->count > 1 && v->quirks) || untolerated(v, d->shape->tolerations, t->taints, v->quirks) != NULL)
        return false;
    target bare = *t; /* daemons saw the node before the pods came */
    bare.pod_count = 0;
    uint32_t host = label_get(v->snapshot->nodes[t->node].labels, v->snapshot->known.hostname);
    for (uint32_t i = 0; i < w->count; i++) {
        if (labels_satisfy(v, &bare, &w->terms[i], host)) return true;
    }
    return false;
}

/* Room for daemons that are still to come: those expected, less those that run already. */
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

static void check_room(verifier *v, const target *t)
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
        bool named = resource_list_find(n->allocatable, r) != NULL;
        int64_t free_ = named ? add_clamped(n->available[r], -reserve[r]) : 0;
        if (wanted[r] <= 0 || wanted[r] <= free_) continue;
        note(v, KARP_FINDING_RESOURCES, t->name,
             "its %u new pods ask for more %.*s than is free beside its pods and daemons", (unsigned)t->pod_count,
             SHOW(strings_get(&s->raw.resources, r)));
    }
    mem_free(v->context, wanted, (size_t)s->dims * 2 * sizeof *wanted);
}

/* ---- volumes --------------------------------------------------------------------------------------------------------- */

/* The claim's driver; NO_TEXT = it counts against none. *found turns false when a bound claim's volume is missing. */
static uint32_t driver_of(const store *raw, uint32_t name_space, uint32_t claim_name, bool *found)
{
    uint32_t c = store_find(raw, KIND_VOLUME_CLAIM, name_space, claim_name);
    if (c == NO_ID) return NO_TEXT;
    const volume_claim *claim = &raw->volume_claims.items[c];
    if (claim->volume != 0) {
        uint32_t bound = store_find(raw, KIND_VOLUME, NO_TEXT, claim->volume);
        *found = *found && bound != NO_ID;
        return bound == NO_ID ? NO_TEXT : raw->volumes_bound.items[bound].driver;
    }
    uint32_t class_ = claim->storage_class == 0 ? NO_ID
                                                : store_find(raw, KIND_STORAGE_CLASS, NO_TEXT, claim->storage_class);
    return class_ == NO_ID ? NO_TEXT : raw->storage_classes.items[class_].driver;
}

/* Counts the pod's claims of the driver that are not in `held` yet. */
static uint32_t hold_claims(verifier *v, map64 *held, uint32_t pod_number, uint32_t driver)
{
    const store *raw = &v->snapshot->raw;
    const struct pod *p = pod_at(raw, pod_number);
    const struct words_entry *claims = &raw->volumes.entries[p->volumes];
    uint32_t fresh = 0;
    bool found = true;
    for (uint32_t i = 0; i < claims->count; i++) (void)driver_of(raw, p->name_space, claims->ptr[i], &found);
    for (uint32_t i = 0; i < claims->count && found; i++) {
        uint64_t key = pair_key(p->name_space, claims->ptr[i]);
        if (driver_of(raw, p->name_space, claims->ptr[i], &found) != driver || map64_get(held, key) != NO_ID) continue;
        if (!map64_put(held, key, 1)) v->failed = true;
        fresh++;
    }
    return fresh;
}

static void check_attachments(verifier *v, const target *t)
{
    const karp_snapshot *s = v->snapshot;
    const state_node *n = &s->nodes[t->node];
    if (n->node == NO_ID) return;
    uint32_t found = store_find(&s->raw, KIND_CSI_NODE, NO_TEXT, s->raw.nodes.items[n->node].meta.name);
    if (found == NO_ID) return;
    const csi_node *c = &s->raw.csi_nodes.items[found];
    for (uint32_t l = 0; l < c->limit_count && !v->failed; l++) {
        if (c->limits[l].has_count != 1) continue;
        map64 held;
        uint32_t total = 0, fresh = 0;
        map64_init(&held, v->context);
        for (uint32_t i = 0; i < n->pod_count; i++) total += hold_claims(v, &held, n->pods[i], c->limits[l].driver);
        for (uint32_t i = 0; i < t->pod_count; i++) fresh += hold_claims(v, &held, t->pods[i], c->limits[l].driver);
        map64_free(&held);
        if (fresh == 0 || (int64_t)total + fresh <= c->limits[l].count) continue;
        note(v, KARP_FINDING_VOLUME_LIMIT, t->name, "%u volumes of %.*s, and it can attach %d",
             (unsigned)(total + fresh), SHOW(text_of(s, c->limits[l].driver)), (int)c->limits[l].count);
    }
}

void check_node(verifier *v, const target *t)
{
    check_pods_at(v, t);
    check_room(v, t);
    check_attachments(v, t);
}
