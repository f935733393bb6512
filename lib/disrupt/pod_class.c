/* SPDX-License-Identifier: Apache-2.0 */
/* What a pod is to a drain, to disruption and to provisioning. Pure functions. */
#include <base/civil.h>
#include <disrupt/advice.h>

#include <schedule/movable.h>

static const int64_t stuck_after = INT64_C(60) * SECOND_NS;

/* Whether the pod's deletion is overdue by a minute. */
static bool pod_stuck(const pod *p, int64_t now)
{
    return p->deletion != KARP_NO_TIME && instant_after(p->deletion, stuck_after) < now;
}

bool pod_drainable(const karp_snapshot *s, const pod *p, int64_t now)
{
    if (pod_stuck(p, now) || (p->flags & POD_OF_NODE)) return false;
    return !tolerates_disruption(s, s->raw.shapes.items[p->shape].tolerations);
}

static uint32_t bit(bool yes, uint32_t value) { return yes ? value : 0; }

static uint32_t budget_bits(const karp_snapshot *s, uint32_t number, int64_t now)
{
    enum pdb_answer answer = pod_pdb_check(s, number, now, PDB_ZERO_DISRUPTIONS, NULL);
    return bit(answer == PDB_ONE_BLOCKS, KARP_POD_PDB_BLOCKED) | bit(answer == PDB_SEVERAL, KARP_POD_PDB_MULTIPLE) |
           bit(pod_pdb_check(s, number, now, PDB_FULLY_BLOCKING, NULL) == PDB_ONE_BLOCKS, KARP_POD_PDB_CLOSED);
}

karp_status karp_pod_flags(const karp_snapshot *snapshot, size_t number, int64_t now, uint32_t *out)
{
    if (snapshot == NULL || out == NULL) return KARP_E_INVALID;
    if (number >= snapshot->raw.pods.count) return KARP_E_NOT_FOUND;
    if (now == 0) now = snapshot->raw.now;
    const pod *p = pod_at(&snapshot->raw, number);
    uint32_t own = (uint32_t)number;
    bool drainable = pod_drainable(snapshot, p, now);
    *out = bit(pod_over(p), KARP_POD_TERMINAL) | bit(p->deletion != KARP_NO_TIME, KARP_POD_TERMINATING) |
           bit(pod_active(p), KARP_POD_ACTIVE) | bit(p->node != NO_ID, KARP_POD_BOUND) |
           bit((p->flags & POD_OF_DAEMON_SET) != 0, KARP_POD_OF_DAEMON_SET) |
           bit(pod_reschedulable(p), KARP_POD_RESCHEDULABLE) |
           bit(pod_do_not_disrupt(snapshot, p, now), KARP_POD_DO_NOT_DISRUPT) |
           bit(pod_disruptable(snapshot, p, now), KARP_POD_DISRUPTABLE) |
           bit(pod_evictable(snapshot, own, now), KARP_POD_EVICTABLE) | bit(pod_stuck(p, now), KARP_POD_STUCK) |
           bit(drainable, KARP_POD_DRAINABLE) | bit(drainable && !pod_over(p), KARP_POD_WAITING_EVICTION) |
           bit(pod_provisionable(p), KARP_POD_PROVISIONABLE) |
           bit(pod_currently_reschedulable(snapshot, own, now, NULL), KARP_POD_CURRENTLY_RESCHEDULABLE) |
           budget_bits(snapshot, own, now);
    return KARP_OK;
}

karp_str karp_pod_budget(const karp_snapshot *snapshot, size_t number, size_t index)
{
    const karp_str none = { NULL, 0 };
    if (number >= snapshot->raw.pods.count) return none;
    uint32_t after = 0, least; /* in the order of the input */
    do {
        pdb_walk walk = pdbs_of(snapshot, pod_at(&snapshot->raw, number));
        least = NO_ID;
        for (uint32_t i; (i = pdb_next(&walk)) != NO_ID;) {
            if (i >= after && i < least) least = i;
        }
        after = least + 1;
    } while (least != NO_ID && index-- > 0);
    return least == NO_ID ? none : name_of(snapshot, snapshot->raw.budgets.items[least].meta.name);
}
