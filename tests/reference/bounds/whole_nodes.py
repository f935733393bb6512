# SPDX-License-Identifier: Apache-2.0
"""What whole nodes cost that are charged as much as all pods cost."""
import heapq

from bounds.rows import charge_of

MOST_SUMS = 1 << 13  # of costs of nodes


def sums_of_nodes(nodes, slack):
    """Sums of some of the nodes, each there once, as (cost, -worth): those that cost less than others that are worth as much, if what can be
    added to them may suffice. None = there are too many."""
    gain, sums = sum(max(0, worth - cost) for cost, worth in nodes), [(0, 0)]
    for cost, worth in nodes:
        gain -= max(0, worth - cost)
        kept = []
        for x in sorted(sums + [(a + cost, b - worth) for a, b in sums]):
            if x[0] + x[1] - gain < slack and (not kept or x[1] < kept[-1][1]):
                kept.append(x)
        if len(kept) > MOST_SUMS:
            return None
        sums = kept
    return sums


def least_nodes(c, needed, enough, nodes=()):
    """The least that so many nodes cost as are charged what is needed, or `enough` if that is less. Sums of costs are visited in their order;
    one is kept if it is charged more than all before it, and what is still needed is not too much. Of `nodes` (cost, worth) there is one
    each. 0 = there are too many."""
    kinds, most, kept = [], 0, 0
    for cost, charge in sorted(((c['offerings'][row['of']]['cost'], -charge_of(row, c)) for row in c['rows'] if row['of'] < len(c['offerings']))):
        if -charge > most:
            most = -charge
            kinds.append((cost, most))
    waiting, most = sums_of_nodes(nodes, enough - needed), -1
    if waiting is None:
        return 0
    while waiting:
        cost, charge = heapq.heappop(waiting)
        if cost >= enough:
            break
        if -charge >= needed:
            return cost
        if -charge > most and cost + needed + charge < enough:
            most = -charge
            kept += 1
            if kept > MOST_SUMS:
                return 0
            for more, worth in kinds:
                heapq.heappush(waiting, (cost + more, charge - worth))
    return enough
