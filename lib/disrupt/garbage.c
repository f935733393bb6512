/* SPDX-License-Identifier: Apache-2.0 */
/* Clean-up: claims without an instance, marks of forgotten commands. */
#include <base/civil.h>
#include <disrupt/advice.h>

static const int64_t period = INT64_C(120) * SECOND_NS;

static bool node_ready(const karp_snapshot *s, uint32_t state_node_number)
{
    if (state_node_number == NO_ID || s->nodes[state_node_number].node == NO_ID) return false;
    return condition_is_true(s, s->raw.nodes.items[s->nodes[state_node_number].node].conditions, "Ready");
}

karp_status karp_advise_garbage(const karp_snapshot *snapshot, int64_t now, const karp_str *provider_ids,
                                size_t provider_id_count, karp_advice **out, karp_error *error)
{
    map64 alive;
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, now, out, &a, error);
    if (status != KARP_OK) return status;
    uint32_t *nodes = nodes_of_claims(a);
    if (!names_known(snapshot, provider_ids, provider_ids != NULL ? provider_id_count : 0, &alive)) a->failed = true;
    for (uint32_t i = 0; i < snapshot->raw.claims.count && !a->failed && nodes != NULL; i++) {
        const node_claim *c = &snapshot->raw.claims.items[i];
        if (c->meta.deletion != KARP_NO_TIME || !condition_is_true(snapshot, c->conditions, "Registered")) continue;
        if (map64_get(&alive, c->provider_id) != NO_ID || node_ready(snapshot, nodes[i])) continue;
        advise(a, (karp_action){ .kind = KARP_ACTION_DELETE_CLAIM,
                                 .object = claim_name(snapshot, i),
                                 .value = str("InstanceGone") });
    }
    map64_free(&alive);
    advice_look_again(a, instant_after(a->now, period));
    return advice_finish(a, out, error);
}

/* ---- left-over marks --------------------------------------------------------------------------------------------- */

static void clean(karp_advice *a, const state_node *n)
{
    const karp_snapshot *s = a->snapshot;
    const node *own = n->node == NO_ID ? NULL : &s->raw.nodes.items[n->node];
    for (uint32_t i = 0; own != NULL && own->meta.deletion == KARP_NO_TIME && i < own->taints.count; i++) {
        if (own->taints.items[i].key != s->known.disrupted || own->taints.items[i].effect != s->known.no_schedule)
            continue;
        advise(a, (karp_action){ .kind = KARP_ACTION_REMOVE_TAINT,
                                 .object = name_of(s, own->meta.name),
                                 .subject = text_of(s, s->known.disrupted) });
        break;
    }
    if (n->claim == NO_ID || !n->initialized) return;
    if (condition_named(s, s->raw.claims.items[n->claim].conditions, "DisruptionReason") == NULL) return;
    advise(a, (karp_action){ .kind = KARP_ACTION_CLEAR_CONDITION,
                             .object = claim_name(s, n->claim),
                             .subject = str("DisruptionReason") });
}

karp_status karp_advise_cleanup(const karp_snapshot *snapshot, const karp_str *in_progress, size_t in_progress_count,
                                karp_advice **out, karp_error *error)
{
    map64 busy;
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, 0, out, &a, error);
    if (status != KARP_OK) return status;
    if (!names_known(snapshot, in_progress, in_progress != NULL ? in_progress_count : 0, &busy)) a->failed = true;
    for (uint32_t i = 0; i < snapshot->node_count && !a->failed; i++) {
        if (!snapshot->nodes[i].marked && map64_get(&busy, snapshot->nodes[i].name) == NO_ID)
            clean(a, &snapshot->nodes[i]);
    }
    map64_free(&busy);
    return advice_finish(a, out, error);
}
