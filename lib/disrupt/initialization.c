/* SPDX-License-Identifier: Apache-2.0 */
/* When a registered node is initialised. */
#include <disrupt/advice.h>

#include <model/taints.h>

static bool startup_taint_left(const node *n, const node_claim *c)
{
    for (uint32_t i = 0; i < n->taints.count; i++) {
        if (has_such_taint(c->startup_taints, &n->taints.items[i])) return true;
    }
    return false;
}

static bool ephemeral_taint_left(const karp_snapshot *s, const node *n)
{
    for (uint32_t i = 0; i < n->taints.count; i++) {
        if (taint_ephemeral(s, &n->taints.items[i])) return true;
    }
    return false;
}

/* Whether a requested resource is still missing, such as devices before their plugin runs. */
static bool resource_missing(const node *n, const node_claim *c)
{
    for (uint32_t i = 0; i < c->requests.count; i++) {
        if (amount_sign(c->requests.items[i].value) == 0) continue;
        if (amount_sign(resource_list_get(n->allocatable, c->requests.items[i].resource)) == 0) return true;
    }
    return false;
}

/* The reason why the node is not initialised; NULL = it is. */
static const char *not_initialized_because(const karp_snapshot *s, const node *n, const node_claim *c)
{
    if (!condition_is_true(s, n->conditions, "Ready")) return "NodeNotReady";
    if (startup_taint_left(n, c)) return "StartupTaintsExist";
    if (ephemeral_taint_left(s, n)) return "KnownEphemeralTaintsExist";
    return resource_missing(n, c) ? "ResourceNotRegistered" : NULL;
}

karp_status karp_advise_initialization(const karp_snapshot *snapshot, int64_t now, karp_advice **out, karp_error *error)
{
    karp_advice *a = NULL;
    karp_status status = advice_start(snapshot, now, out, &a, error);
    if (status != KARP_OK) return status;
    for (uint32_t i = 0; i < snapshot->node_count && !a->failed; i++) {
        const state_node *n = &snapshot->nodes[i];
        if (n->claim == NO_ID || n->node == NO_ID) continue;
        const node_claim *c = &snapshot->raw.claims.items[n->claim];
        if (c->meta.deletion != KARP_NO_TIME || !condition_is_true(snapshot, c->conditions, "Registered")) continue;
        if (condition_is_true(snapshot, c->conditions, "Initialized")) continue; /* this condition is permanent */
        const char *why = not_initialized_because(snapshot, &snapshot->raw.nodes.items[n->node], c);
        karp_action action = { .kind = KARP_ACTION_SET_CONDITION,
                               .object = claim_name(snapshot, n->claim),
                               .subject = str("Initialized"),
                               .value = str("Initialized") };
        if (why != NULL)
            action = (karp_action){
                .kind = KARP_ACTION_BLOCKED,
                .object_kind = KARP_MEANS_NODE_CLAIM,
                .object = action.object,
                .subject = action.subject,
                .value = str(why),
            };
        advise(a, action);
    }
    return advice_finish(a, out, error);
}
