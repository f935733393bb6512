/* SPDX-License-Identifier: Apache-2.0 */
/* Termination of claims and nodes, before and after the drain. */
#include <disrupt/advice.h>

#include <model/instant.h>

static const int64_t step = INT64_C(5) * SECOND_NS;
static const char termination_key[] = "karpenter.sh/nodeclaim-termination-timestamp",
                  finalizer[] = "karpenter.sh/termination";

struct ending {
    karp_advice *a;
    const map64 *alive; /* provider ids of existing instances */
};

static bool instance_gone(const struct ending *e, uint32_t provider_id)
{
    return map64_get(e->alive, provider_id) == NO_ID;
}

/* Sets the deadline. It is set only once, even if the pool changes later. */
static void set_deadline(karp_advice *a, uint32_t claim_number)
{
    const karp_snapshot *s = a->snapshot;
    const node_claim *c = &s->raw.claims.items[claim_number];
    char text[INSTANT_TEXT];
    if (c->termination_grace_period == KARP_DURATION_UNSET || annotation(s, &c->meta, termination_key).ptr != NULL)
        return;
    size_t length = instant_format(
        floor_divide(instant_after(c->meta.deletion, c->termination_grace_period), SECOND_NS) * SECOND_NS, text);
    advise(a, (karp_action){ .kind = KARP_ACTION_ANNOTATE_CLAIM,
                             .object = claim_name(s, claim_number),
                             .subject = str(termination_key),
                             .value = advice_text(a, text, length) });
}

/* Deletes the Nodes of a registered claim first; true = there are some. */
static bool nodes_first(karp_advice *a, const node_claim *c)
{
    const karp_snapshot *s = a->snapshot;
    bool some = false;
    if (!condition_is_true(s, c->conditions, "Registered")) return false;
    for (uint32_t i = 0; i < s->raw.nodes.count; i++) {
        const node *n = &s->raw.nodes.items[i];
        if (n->provider_id == 0 || n->provider_id != c->provider_id) continue;
        some = true;
        if (n->meta.deletion == KARP_NO_TIME)
            advise(a, (karp_action){ .kind = KARP_ACTION_DELETE_NODE, .object = name_of(s, n->meta.name) });
    }
    return some;
}

static void end_claim(const struct ending *e, uint32_t claim_number)
{
    karp_advice *a = e->a;
    const karp_snapshot *s = a->snapshot;
    const node_claim *c = &s->raw.claims.items[claim_number];
    karp_str name = claim_name(s, claim_number);
    if (c->meta.deletion == KARP_NO_TIME) return;
    set_deadline(a, claim_number);
    if (nodes_first(a, c)) return;
    if (c->provider_id == 0 || instance_gone(e, c->provider_id)) {
        advise(a, (karp_action){ .kind = KARP_ACTION_REMOVE_FINALIZER, .object = name, .subject = str(finalizer) });
        return;
    }
    advise(a, (karp_action){ .kind = KARP_ACTION_DELETE_INSTANCE, .object = name });
    if (!condition_is_true(s, c->conditions, "InstanceTerminating")) {
        advise(a, (karp_action){ .kind = KARP_ACTION_SET_CONDITION,
                                 .object = name,
                                 .subject = str("InstanceTerminating"),
                                 .value = str("InstanceTerminating") });
    }
    advice_look_again(a, instant_after(a->now, step));
}

/* The claim of a node; NO_ID = none or several. */
static uint32_t only_claim(const karp_snapshot *s, const node *n)
{
    uint32_t found = NO_ID;
    for (uint32_t i = 0; i < s->raw.claims.count && n->provider_id != 0; i++) {
        if (s->raw.claims.items[i].provider_id != n->provider_id) continue;
        if (found != NO_ID) return NO_ID;
        found = i;
    }
    return found;
}

static void end_node(const struct ending *e, uint32_t node_number)
{
    const karp_snapshot *s = e->a->snapshot;
    const node *n = &s->raw.nodes.items[node_number];
    if (n->meta.deletion == KARP_NO_TIME || label_get(n->meta.labels, s->known.node_pool) == NO_ID) return;
    uint32_t claim = only_claim(s, n);
    if (claim != NO_ID && s->raw.claims.items[claim].meta.deletion == KARP_NO_TIME) {
        advise(e->a, (karp_action){ .kind = KARP_ACTION_DELETE_CLAIM,
                                    .object = claim_name(s, claim),
                                    .value = str("NodeDeleted") });
    }
    bool lost = n->provider_id != 0 && instance_gone(e, n->provider_id) &&
                !condition_is_true(s, n->conditions, "Ready");
    if (lost)
        advise(e->a, (karp_action){ .kind = KARP_ACTION_REMOVE_FINALIZER,
                                    .object_kind = KARP_MEANS_NODE,
                                    .object = name_of(s, n->meta.name),
                                    .subject = str(finalizer),
                                    .value = str("InstanceGone") });
}

karp_status karp_advise_termination(const karp_snapshot *snapshot, int64_t now, const karp_str *provider_ids,
                                    size_t provider_id_count, karp_advice **out, karp_error *error)
{
    map64 alive;
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, now, out, &a, error);
    if (status != KARP_OK) return status;
    if (!names_known(snapshot, provider_ids, provider_ids != NULL ? provider_id_count : 0, &alive)) a->failed = true;
    const struct ending e = { a, &alive };
    for (uint32_t i = 0; i < snapshot->raw.claims.count && !a->failed; i++) end_claim(&e, i);
    for (uint32_t i = 0; i < snapshot->raw.nodes.count && !a->failed; i++) end_node(&e, i);
    map64_free(&alive);
    return advice_finish(a, out, error);
}
