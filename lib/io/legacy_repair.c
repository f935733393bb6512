/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the controller of --legacy-node-repair does, as notes: it deletes NodeClaims by itself, with the provider's
 * policies of before Karpenter 1.15.
 */
#include <io/clouds.h>
#include <io/notes.h>

static karp_status note(karp_reader *reader, const karp_action *action)
{
    int shown = str_shown(action->object, 100);
    if (action->kind == KARP_ACTION_DELETE_CLAIM)
        return io_warn(reader,
                       "NodeClaim %.*s: its node is unhealthy, and the controller of --legacy-node-repair deletes it",
                       shown, action->object.ptr);
    if (action->kind == KARP_ACTION_BLOCKED)
        return io_warn(
            reader,
            "Node %.*s: unhealthy, but the controller of --legacy-node-repair leaves it, as more than 20 %% of "
            "the NodePool are",
            shown, action->object.ptr);
    return KARP_OK;
}

static karp_status note_repairs(karp_reader *reader, const karp_snapshot *snapshot, uint32_t cloud)
{
    karp_provider *provider = NULL;
    const karp_repair_policy *policies = NULL;
    karp_advice *advice = NULL;
    size_t count = 0;
    karp_status status = io_cloud_open(reader, cloud, &provider);
    if (status == KARP_OK) status = karp_provider_repair_policies(provider, &policies, &count, &reader->error);
    if (status == KARP_OK) status = karp_advise_repair(snapshot, 0, policies, count, &advice, &reader->error);
    for (size_t i = 0; status == KARP_OK && i < karp_advice_action_count(advice); i++) {
        karp_action action = { .size = sizeof action };
        status = karp_advice_action(advice, i, &action);
        if (status == KARP_OK) status = note(reader, &action);
    }
    karp_advice_free(advice);
    return status;
}

karp_status io_legacy_repair_note(karp_reader *reader, const karp_snapshot *snapshot)
{
    bool on = reader->options.legacy_node_repair && (reader->gates.on & KARP_GATE_NODE_REPAIR);
    for (uint32_t i = 0; on && i < reader->clouds.count; i++) {
        karp_status status = reader->clouds.list[i].used ? note_repairs(reader, snapshot, i) : KARP_OK;
        if (status) return status;
    }
    return KARP_OK;
}
