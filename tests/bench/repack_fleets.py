# SPDX-License-Identifier: Apache-2.0
"""How far above the bound Karpenter's consolidation ends on churned fleets, and how far a repack plan that moves no more pods.

    python3 tests/bench/repack_fleets.py build/karp [--nodes 20,50,100,200,500] [--effort 100ms] [--budget 10%] [--seeds 1]

Two kinds of fleets: `random` has random placement (repacking.cluster). For `churned` Karpenter launched nodes for all pods, and then half of the
pods were deleted. Karpenter's commands are executed one by one until it finds none. Both final costs are compared with the bound of the repack plan
for its evictions. If a plan uses fewer evictions than Karpenter, it is executed and the cluster is repacked again with the rest, as a controller would
do: pods move at most once in one plan. Exit status 1 if the final cost is above Karpenter's, or more pods were moved.
"""
import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from repacking import churned, cluster, faults, pending  # noqa: E402
from trajectory import Karp, bound_to, carry_out, karpenter  # noqa: E402

given = argparse.ArgumentParser(description=__doc__)
given.add_argument('karp')
given.add_argument('--nodes', default='20,50,100,200,500')
given.add_argument('--effort', default='100ms')
given.add_argument('--budget', default='10%')
given.add_argument('--seeds', type=int, default=1)
given = given.parse_args()
karp = Karp(given.karp, '--region', 'us-east-1', '--now', '2026-01-02T00:00:00Z')
wrong, over = 0, {'random': [], 'churned': []}


def fleet(kind, nodes, seed):
    if kind == 'random':
        return cluster(nodes, seed, budget=given.budget)
    listed = pending(2 * nodes, seed, given.budget)
    return churned(bound_to(listed, karp.ask('plan', listed)), seed=seed)


def again(listed, plan, most):
    """Where more plans end, with what the first leaves of the evictions: the cost, and the evictions of all."""
    cost, evictions = plan['costAfter'], plan['evictions']
    while plan['steps'] and evictions < most:
        listed, _ = carry_out(listed, plan['steps'], f'again-{evictions}')
        plan = karp.ask('repack', listed, '--effort', given.effort, '--max-evictions', str(most - evictions))
        cost, evictions = plan['costAfter'], evictions + plan['evictions']
    return cost, evictions


for seed in range(7, 7 + given.seeds):
    for nodes in map(int, given.nodes.split(',')):
        for kind in over:
            listed = fleet(kind, nodes, seed)
            end, evictions, commands = karpenter(karp, listed)
            cost = karp.ask('repack', end, '--effort', '1')['costBefore']
            plan = karp.ask('repack', listed, '--effort', given.effort, '--max-evictions', str(evictions))
            found = faults(listed, plan)
            there = sum(item['kind'] == 'Node' for item in listed['items'])
            last, all_evictions = again(listed, plan, evictions)
            if last > cost * (1 + 1e-9) or all_evictions > evictions:
                found.append('worse than Karpenter')
            wrong += len(found)
            gap, peer = (100 * (x / plan['bound'] - 1) for x in (plan['costAfter'], cost))
            over[kind].append(gap)
            print(f'{kind}, {there} nodes, {plan["pods"]} pods: {plan["costBefore"]:.2f} $/h; Karpenter {cost:.2f} with {evictions} evictions in '
                  f'{commands} commands, {peer:.1f} % above the bound; repack {plan["costAfter"]:.2f} with {plan["evictions"]} in '
                  f'{len(plan["steps"])} steps, {gap:.1f} %'
                  f'{f"; again: {last:.2f} with {all_evictions}" if last < plan["costAfter"] - 1e-9 else ""}{"; " + found[0] if found else ""}', flush=True)
for kind, gaps in over.items():
    print(f'{kind}: repack plans end {statistics.median(gaps):.1f} % above the bound in the median, {max(gaps):.1f} % at worst')
sys.exit(wrong > 0)
