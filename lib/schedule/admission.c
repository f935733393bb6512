/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/pods.h>

#include <model/label_rules.h>
#include <schedule/movable.h>
#include <schedule/scheduler.h>
#include <string.h>

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

struct complaint {
    scheduler *s;
    strbuf text;
    uint32_t reason;
};

static void complain(struct complaint *c, uint32_t reason, const char *what, karp_str which, const char *why)
{
    if (c->text.len > 0) strbuf_adds(&c->text, "; ");
    strbuf_adds(&c->text, what);
    strbuf_addstr(&c->text, which);
    if (which.len > 0) strbuf_addc(&c->text, ' ');
    strbuf_adds(&c->text, why);
    c->reason = c->reason == KARP_REASON_NONE || c->reason == reason ? reason : KARP_REASON_INVALID_SEVERAL;
}

/* Karpenter rejects pods that require a host name, even that of an existing node. */
static bool names_a_node(const struct complaint *c, uint32_t key)
{
    return !quirk(c->s, 26) && c->s->snapshot->facts.normalized[key] == c->s->snapshot->known.hostname;
}

static void check_selector(struct complaint *c, const shape *h)
{
    const karp_snapshot *s = c->s->snapshot;
    for (uint32_t i = 0; i < h->node_selector.count; i++) {
        label_pair l = h->node_selector.items[i];
        if (names_a_node(c, l.key)) continue;
        const char *why = requirement_wrong(s, l.key, KARP_OP_IN, &l.value, 1, 0);
        if (why != NULL) complain(c, KARP_REASON_INVALID_SELECTOR, "node selector label ", text_of(s, l.key), why);
    }
}

static void check_affinity(struct complaint *c, const shape *h)
{
    const karp_snapshot *s = c->s->snapshot;
    for (uint32_t t = 0; t < h->required.count; t++) {
        const node_term *term = &h->required.items[t];
        if (term->has_fields)
            complain(c, KARP_REASON_INVALID_AFFINITY, "node affinity with matchFields", (karp_str){ NULL, 0 },
                     " is not supported");
        for (uint32_t i = 0; i < term->expressions.count; i++) {
            const expression *e = &term->expressions.items[i];
            if (names_a_node(c, e->key)) continue;
            const char *why = requirement_wrong(s, e->key, e->op, e->values, e->value_count, e->min_values);
            if (why != NULL) complain(c, KARP_REASON_INVALID_AFFINITY, "node affinity label ", text_of(s, e->key), why);
        }
    }
}

/* The error in a claim; NULL = none. */
static const char *wrong_claim(const karp_snapshot *s, uint32_t name_space, uint32_t name)
{
    const store *raw = &s->raw;
    uint32_t i = store_find(raw, KIND_VOLUME_CLAIM, name_space, name);
    if (i == NO_ID) return "does not exist";
    const volume_claim *c = &raw->volume_claims.items[i];
    if (c->meta.deletion != KARP_NO_TIME) return "is being deleted";
    if (c->phase == KARP_CLAIM_LOST) return "is lost";
    if (c->volume != 0) {
        uint32_t v = store_find(raw, KIND_VOLUME, NO_TEXT, c->volume);
        if (v == NO_ID) return "is bound to a volume that does not exist";
        if (raw->volumes_bound.items[v].meta.deletion != KARP_NO_TIME)
            return "is bound to a volume that is being deleted";
        return c->bind_completed
                   ? NULL
                   : "has a volumeName but not the annotation pv.kubernetes.io/bind-completed, so it is not bound yet";
    }
    if (c->storage_class == 0) return "is unbound and names no storage class";
    uint32_t sc = store_find(raw, KIND_STORAGE_CLASS, NO_TEXT, c->storage_class);
    if (sc == NO_ID) return "is unbound and its storage class does not exist";
    return raw->storage_classes.items[sc].binding_mode == KARP_BINDING_IMMEDIATE
               ? "is unbound and its storage class binds immediately"
               : NULL;
}

static void check_volumes(struct complaint *c, const pod *p)
{
    const karp_snapshot *s = c->s->snapshot;
    const struct words_entry *claims = &s->raw.volumes.entries[p->volumes];
    for (uint32_t i = 0; i < claims->count; i++) {
        const char *why = wrong_claim(s, p->name_space, claims->ptr[i]);
        if (why == NULL) continue;
        complain(c, KARP_REASON_INVALID_VOLUME, "persistent volume claim ", name_of(s, claims->ptr[i]), why);
        return; /* the first invalid volume makes the pod invalid */
    }
}

/* Whether the pod requires a node without a NodePool. Karpenter counts its preference of the highest weight as well,
 * whatever the preference policy. */
static bool not_for_karpenter(scheduler *s, const shape *h, bool preferred)
{
    uint32_t key = s->snapshot->known.node_pool;
    bool touched = false;
    for (uint32_t i = 0; i < h->node_selector.count; i++) touched = touched || h->node_selector.items[i].key == key;
    demand d = { EMPTY_SET, NO_ID };
    const node_term *heaviest = NULL;
    for (uint32_t i = 0; i < h->preferred.count && preferred; i++) {
        if (heaviest == NULL || h->preferred.items[i].weight > heaviest->weight) heaviest = &h->preferred.items[i];
    }
    const expression_list lists[2] = { h->required.count > 0 ? h->required.items[0].expressions
                                                             : (expression_list){ NULL, 0 },
                                       heaviest != NULL ? heaviest->expressions : (expression_list){ NULL, 0 } };
    for (size_t l = 0; l < 2; l++) {
        for (uint32_t i = 0; i < lists[l].count; i++) {
            const expression *e = &lists[l].items[i];
            if (e->key != key) continue;
            touched = true;
            uint32_t r = requirement_make(&s->algebra, e->key, e->op, e->values, e->value_count, e->min_values);
            if (r == NO_ID || !demand_add(&s->algebra, &d, r)) return false;
        }
    }
    if (!touched) return false;
    uint32_t selected = label_get(h->node_selector, key);
    if (selected != NO_ID && !demand_add(&s->algebra, &d, requirement_in(&s->algebra, key, selected))) return false;
    uint32_t r = set_get(&s->algebra, d.set, key);
    return r != NO_ID && requirement_op(requirement_get(&s->algebra, r)) == KARP_OP_DOES_NOT_EXIST;
}

/* The reason why a pending pod is invalid; KARP_REASON_NONE when it is valid. *detail receives one line of text, in
 * the arena. */
static uint32_t pod_invalid(scheduler *s, uint32_t pod_number, const char **detail)
{
    const pod *p = pod_at(&s->snapshot->raw, pod_number);
    bool known = bits_test(s->pods.valid_shapes, p->shape);
    if (known && s->snapshot->raw.volumes.entries[p->volumes].count == 0) return KARP_REASON_NONE;
    const shape *h = &s->snapshot->raw.shapes.items[p->shape];
    struct complaint c = { .s = s };
    strbuf_init(&c.text, s->context);
    if (!known && not_for_karpenter(s, h, true)) {
        complain(&c, KARP_REASON_NOT_FOR_KARPENTER, "", (karp_str){ NULL, 0 },
                 not_for_karpenter(s, h, false)
                     ? "configured to not run on a Karpenter provisioned node, by its node selector or required node "
                       "affinity on karpenter.sh/nodepool: only other nodes can take it"
                     : "configured to not run on a Karpenter provisioned node, by a preferred node affinity "
                       "(karpenter.sh/nodepool DoesNotExist): Karpenter takes it as a rule, even if it ignores "
                       "preferences; drop the term");
    }
    if (!known) check_selector(&c, h);
    if (!known) check_affinity(&c, h);
    if (c.reason == KARP_REASON_NONE) bits_set(s->pods.valid_shapes, p->shape);
    check_volumes(&c, p);
    if (c.reason != KARP_REASON_NONE && detail != NULL)
        *detail = c.text.failed ? NULL : arena_string(&s->data, c.text.ptr, c.text.len);
    if (c.text.failed || (c.reason != KARP_REASON_NONE && detail != NULL && *detail == NULL)) s->failed = true;
    strbuf_free(&c.text);
    return c.reason;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static void push_pod(scheduler *s, uint32_t *list, uint32_t *count, uint32_t p)
{
    if (exclusion(&s->pods, p)) return; /* already listed */
    s->pods.excluded[p] = 1;
    list[(*count)++] = p;
}

static bool pending_pod(scheduler *s, uint32_t *pending, uint32_t p, bool plain)
{
    const char *detail = NULL;
    if (!plain && !scheduler_worked(s, 1024)) return false;
    uint32_t reason = plain ? KARP_REASON_NONE : pod_invalid(s, p, &detail);
    if (s->failed || s->algebra.failed) return false;
    if (reason == KARP_REASON_NONE) {
        push_pod(s, pending, &s->pods.pending_count, p);
        return true;
    }
    struct ignored_pod *slot = list_push(s->context, &s->pods.ignored, sizeof *slot);
    if (slot == NULL) return false;
    *slot = (struct ignored_pod){ p, reason, detail };
    return true;
}

/* Upper bound on the number of pods on nodes that are being deleted. */
static size_t leaving_at_most(const karp_snapshot *s)
{
    size_t pods = 1;
    for (uint32_t n = 0; n < s->node_count; n++) pods += s->nodes[n].marked ? s->nodes[n].all_pod_count : 0;
    return pods;
}

/* If every pod of the snapshot is pending and has no field that could be invalid, the snapshot's list is used, and
 * all pods are excluded. */
static bool all_pending(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    if (snapshot->pending_count < snapshot->raw.pods.count ||
        bits_count(snapshot->plain, bits_words(snapshot->pending_count)) < snapshot->pending_count)
        return false;
    s->pods.pending = snapshot->pending;
    s->pods.pending_count = snapshot->pending_count;
    return true;
}

static bool list_pending(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    size_t pods = snapshot->raw.pods.count;
    uint32_t *pending = arena_alloc(&s->data, (pods + 1) * sizeof *pending);
    s->pods.excluded = arena_array(&s->data, pods + 1, 1);
    s->pods.valid_shapes = arena_array(&s->data, bits_words(snapshot->raw.shapes.count) + 1,
                                       sizeof *s->pods.valid_shapes);
    if (pending == NULL || s->pods.excluded == NULL || s->pods.valid_shapes == NULL) return false;
    s->pods.pending = pending;
    if (snapshot->place != NULL && !s->settings.simulation) {
        for (uint32_t i = 0; i < snapshot->place_count; i++)
            push_pod(s, pending, &s->pods.pending_count, snapshot->place[i]);
        return true;
    }
    for (uint32_t i = 0; i < snapshot->pending_count; i++) {
        if (!pending_pod(s, pending, snapshot->pending[i], bits_test(snapshot->plain, snapshot->pending[i])))
            return false;
    }
    /* They come last and are not validated. */
    for (uint32_t p = 0; p < pods && snapshot->raw.buffers.count > 0; p++) {
        if (pod_at(&snapshot->raw, p)->flags & POD_VIRTUAL) push_pod(s, pending, &s->pods.pending_count, p);
    }
    return true;
}

/* Pods that do not exist yet, for the decision's list. */
static bool list_not_created(scheduler *s)
{
    const store *raw = &s->snapshot->raw;
    for (uint32_t p = 0; p < raw->pods.count && raw->not_created; p++) {
        if (!(pod_at(raw, p)->flags & POD_NOT_CREATED)) continue;
        struct ignored_pod *slot = list_push(s->context, &s->pods.ignored, sizeof *slot);
        if (slot == NULL) return false;
        *slot = (struct ignored_pod){ p, KARP_REASON_NOT_CREATED, karp_reason_text(KARP_REASON_NOT_CREATED) };
    }
    return true;
}

bool admission_init(scheduler *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    bool named = snapshot->place != NULL && !s->settings.simulation; /* the input lists the pods to place */
    uint32_t *leaving = arena_alloc(&s->data, leaving_at_most(snapshot) * sizeof *leaving);
    s->pods.displaced = leaving;
    if (leaving == NULL) return false;
    if (named || !all_pending(s)) {
        if (!list_pending(s) || (!s->settings.simulation && !list_not_created(s))) return false;
    }
    if (named) return true;
    const uint8_t *blocking = s->settings.exact_budgets ? budgets_blocking(snapshot, &s->data) : NULL;
    if (s->settings.exact_budgets && blocking == NULL) return false;
    for (uint32_t n = 0; n < snapshot->node_count; n++) {
        if (!snapshot->nodes[n].marked || snapshot->nodes[n].node == NO_ID) continue;
        for (uint32_t i = 0; i < snapshot->nodes[n].all_pod_count; i++) {
            uint32_t p = snapshot->nodes[n].all_pods[i];
            if (pod_currently_reschedulable(snapshot, p, s->settings.now, blocking))
                push_pod(s, leaving, &s->pods.displaced_count, p);
        }
    }
    return true;
}
