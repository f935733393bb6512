# SPDX-License-Identifier: Apache-2.0
"""Repack plans that move a tenth of the pods, beside the true optimum:   test_repack_oracle.py [COUNT [FIRST [EFFORT]]]

Random clusters of 8 to 40 nodes are also solved by HiGHS (highspy): which nodes go, how many pods of each class come to each node that stays, and
how many nodes of each content are launched, in whole numbers. No plan saves more than the optimum, and no bound is above what it leaves. The last lines say
which share of the optimal saving the plans have, and which share Karpenter's own commands, carried out until the next would move too many pods. Where
HiGHS does not come to an end nothing is known, and nothing is counted. Without highspy nothing is tested (exit status 77).
"""
import json
import os
import pathlib
import random
import statistics
import sys

try:
    import highspy
except ImportError:
    print('highspy is not installed')
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from test_cost_oracle import instance_type, patterns  # noqa: E402
from trajectory import Karp, karpenter  # noqa: E402

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 100
FIRST = int(sys.argv[2]) if len(sys.argv) > 2 else 1
EFFORT = sys.argv[3] if len(sys.argv) > 3 else '100ms'
LEAST_MEDIAN, LEAST_SHARE = 0.95, 0.85
SECONDS = 20  # for one integer program
SAME = 1e-6


def world(rng):
    """Types (as in test_cost_oracle), classes of pods, and by node its type and how many pods of each class it has."""
    types = []
    for family in range(rng.randint(1, 3)):
        each, of_cpu = rng.choice([2, 4, 8]), rng.uniform(0.03, 0.06)
        for cpus in rng.sample([2, 4, 8], rng.randint(1, 3)):
            price = round(cpus * (of_cpu + 0.004 * each) * rng.uniform(0.97, 1.05), 4)
            types.append({'name': f't{family}.{cpus}', 'cpu': cpus * 1000, 'memory': cpus * each * 1024, 'pods': 29, 'arch': 'amd64', 'price': price})
    classes = [{'cpu': rng.choice([250, 300, 500, 700, 1000, 1500]), 'memory': rng.choice([256, 512, 1024, 1500, 3000]), 'arch': None, 'count': 0,
                'apart': False} for _ in range(rng.randint(2, 6))]
    nodes = []
    for _ in range(rng.randint(8, 40)):
        t, copies = rng.choice(types), [0] * len(classes)
        fill = rng.uniform(0.1, 0.9)
        cpu, memory = t['cpu'] * fill, t['memory'] * fill
        for _ in range(12):
            c = rng.randrange(len(classes))
            if classes[c]['cpu'] <= cpu and classes[c]['memory'] <= memory:
                cpu, memory, copies[c] = cpu - classes[c]['cpu'], memory - classes[c]['memory'], copies[c] + 1
        if any(copies):
            nodes.append((t, copies))
    return types, classes, nodes


def listed(classes, nodes):
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
            'spec': {'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]},
                     'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}
    items, number = [pool], 0
    for n, (t, copies) in enumerate(nodes):
        name = f'n{n:02d}'
        labels = {'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': t['name'], 'topology.kubernetes.io/zone': 'a',
                  'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64',
                  'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
        has = {'cpu': f'{t["cpu"]}m', 'memory': f'{t["memory"]}Mi', 'pods': str(t['pods'])}
        items.append({'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels}, 'spec': {'providerID': f'x-{name}'},
                      'status': {'capacity': has, 'allocatable': has, 'conditions': [{'type': 'Ready', 'status': 'True'}]}})
        for c, count in enumerate(copies):
            for _ in range(count):
                number += 1
                asked = {'cpu': f'{classes[c]["cpu"]}m', 'memory': f'{classes[c]["memory"]}Mi'}
                owner = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': f'a{c}', 'uid': f'a{c}', 'controller': True}
                items.append({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'p{number}', 'namespace': 'default', 'labels': {'app': f'a{c}'},
                                                                               'ownerReferences': [owner]},
                              'spec': {'nodeName': name, 'containers': [{'name': 'c', 'resources': {'requests': asked}}]}, 'status': {'phase': 'Running'}})
    return {'apiVersion': 'v1', 'kind': 'List', 'items': items}


def optimum(types, classes, nodes, most):
    """The most that can be saved by moving so many pods; None = it is not known."""
    h = highspy.Highs()
    h.silent()
    for option, value in (('time_limit', float(SECONDS)), ('mip_rel_gap', 0.0), ('mip_abs_gap', 1e-7), ('threads', 1)):
        h.setOptionValue(option, value)
    gone = [h.addBinary() for _ in nodes]
    saved, served = [t['price'] * x for (t, _), x in zip(nodes, gone)], [[] for _ in classes]
    for (t, copies), x in zip(nodes, gone):
        come = [h.addIntegral(lb=0, ub=most) for _ in classes]
        for key in ('cpu', 'memory'):
            free = t[key] - sum(n * c[key] for n, c in zip(copies, classes))
            h.addConstr(sum(c[key] * y for c, y in zip(classes, come)) + free * x <= free)
        free = t['pods'] - sum(copies)
        h.addConstr(sum(come) + free * x <= free)
        for c, y in enumerate(come):
            served[c].append(y)
    some = [{**c, 'count': min(most, sum(copies[i] for _, copies in nodes))} for i, c in enumerate(classes)]
    for t in types:
        found = patterns(t, some)
        if found is None:
            return None
        for content in found:
            z = h.addIntegral(lb=0, ub=most)
            saved.append(-t['price'] * z)
            for c, n in enumerate(content):
                if n:
                    served[c].append(n * z)
    for c, terms in enumerate(served):
        h.addConstr(sum(terms) - sum(copies[c] * x for (_, copies), x in zip(nodes, gone)) >= 0)
    h.addConstr(sum(sum(copies) * x for (_, copies), x in zip(nodes, gone)) <= most)
    h.maximize(sum(saved))
    if h.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return h.getInfo().objective_function_value


def look(seed):
    """The share of the optimal saving that the plan has, and Karpenter's; what is wrong. None = nothing is known, or nothing can be saved."""
    types, classes, nodes = world(random.Random(seed))
    cluster, pods = listed(classes, nodes), sum(sum(copies) for _, copies in nodes)
    most = pods // 10
    karp = Karp(os.environ['KARP'], '--now', '2026-01-02T00:00:00Z')
    file = pathlib.Path(karp.folder.name, 'types.json')
    file.write_text(json.dumps([instance_type(t) for t in types]))
    karp.options += ('--catalogue', file)
    plan = karp.ask('repack', cluster, '--effort', EFFORT, '--max-evictions', str(most))
    best = optimum(types, classes, nodes, most) if most else None
    if best is None:
        return None
    saving, wrong = plan['costBefore'] - plan['costAfter'], []
    if saving > best + SAME or plan['bound'] > plan['costBefore'] - best + SAME or plan['evictions'] > most:
        wrong.append(f'{seed}: saves {saving}, the optimum is {best}, bound {plan["bound"]}, before {plan["costBefore"]}')
    if best < SAME:
        return None if not wrong else (1.0, 1.0, wrong)
    end, _, _ = karpenter(karp, cluster, '--method', 'SingleNodeConsolidation', most=most)
    peer = plan['costBefore'] - karp.ask('repack', end, '--effort', '1')['costBefore']
    return saving / best, peer / best, wrong


def main():
    shares, peers, faults = [], [], []
    for seed in range(FIRST, FIRST + COUNT):
        found = look(seed)
        if found is None:
            continue
        shares.append(found[0])
        peers.append(found[1])
        faults += found[2]
        if 'KARP_ORACLE_SHOW' in os.environ:
            print(f'{seed}: {100 * found[0]:.1f} % of the optimal saving, Karpenter {100 * found[1]:.1f} %', flush=True)
    for fault in faults:
        print(fault)
    if not shares:
        print('no optimum is known')
        return 1
    for name, list_ in (('repack plans have', shares), ("Karpenter's order has", peers)):
        print(f'{COUNT} clusters, optimum known of {len(list_)}: {name} {100 * statistics.median(list_):.1f} % of the optimal saving in the median, '
              f'{100 * min(list_):.1f} % at worst')
    return bool(faults) or statistics.median(shares) < LEAST_MEDIAN or min(shares) < LEAST_SHARE


if __name__ == '__main__':
    sys.exit(main())
