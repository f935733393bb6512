#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bounds of repack plans whose pods are spread over zones, compared with all plans: test_repack_zones.py [--count 60] [--from 1]

Small random clusters: nodes of two sizes in two or three zones with different prices, and pods of two Deployments that are equal but for
their labels, spread with maxSkew 1 but running anywhere. All orders of removing nodes are tried, and all zones that each moved pod may
then take (one with the fewest of its Deployment). What the pods of a zone cost at last, on free space and on launches, is the least of all
ways to place them. No bound is above the least cost, and no plan below it. In sum the plans cost little more than the least: pods that
move are expected in the zones where the scheduler places them."""
import argparse
import functools
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

KARP = os.environ.get('KARP', 'build/karp')
ZONE, KIND = 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type'
SLACK = 1e-6
MOST = 1.04  # of the least cost, in sum


def one(key, *values):
    return {'key': key, 'operator': 'In', 'values': list(values)}


def types_of(prices):
    """{(size, zone): price} as a catalogue. Each node has room for `size` pods."""
    for size in sorted({s for s, _ in prices}):
        zones = [z for s, z in prices if s == size]
        yield {'name': f't{size}', 'capacity': {'cpu': str(size), 'memory': '64Gi', 'pods': '20'}, 'overhead': {},
               'offerings': [{'requirements': [one(ZONE, z), one(KIND, 'on-demand')], 'price': prices[size, z], 'available': True} for z in zones],
               'requirements': [one('node.kubernetes.io/instance-type', f't{size}'), one('kubernetes.io/arch', 'amd64'),
                                one('kubernetes.io/os', 'linux'), one(ZONE, *zones), one(KIND, 'on-demand')]}


def world_of(rng):
    """The zones, {(size, zone): price}, nodes as (size, zone, [Deployment of each pod])."""
    zones = ['a', 'b', 'c'][:rng.randint(2, 3)]
    prices = {(size, z): round(size * rng.uniform(0.7, 1.3), 3) for size in (2, 3) for z in zones}
    nodes = [(size := rng.choice([2, 3]), rng.choice(zones), [rng.choice('xy') for _ in range(rng.randint(1, size))]) for _ in range(rng.randint(3, 4))]
    return zones, prices, nodes


def objects(nodes):
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
        'disruption': {'budgets': [{'nodes': '100%'}], 'consolidateAfter': '0s', 'consolidationPolicy': 'WhenEmptyOrUnderutilized'},
        'template': {'spec': {'expireAfter': 'Never', 'nodeClassRef': {'group': 'karpenter.kwok.sh', 'kind': 'KWOKNodeClass', 'name': 'default'},
                              'requirements': []}}}}
    yield pool
    for number, (size, zone, pods) in enumerate(nodes):
        name, has = f'n{number}', {'cpu': str(size), 'memory': '64Gi', 'pods': '20'}
        labels = {'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': f't{size}', ZONE: zone, KIND: 'on-demand',
                  'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': name,
                  'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
        yield {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels}, 'spec': {'providerID': f'p-{name}'},
               'status': {'capacity': has, 'allocatable': has, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}
        for i, app in enumerate(pods):
            spread = {'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {'matchLabels': {'app': app}}}
            owner = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': app, 'uid': app, 'controller': True}
            yield {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'{app}-{number}-{i}', 'namespace': 'd', 'labels': {'app': app},
                                                                   'ownerReferences': [owner]},
                   'spec': {'nodeName': name, 'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '1'}}}],
                            'topologySpreadConstraints': [spread]},
                   'status': {'phase': 'Running', 'conditions': [{'type': 'PodScheduled', 'status': 'True'}]}}


def orders(nodes):
    """All ways to remove them in steps."""
    if not nodes:
        yield []
    for count in range(1, len(nodes) + 1):
        for step in itertools.combinations(nodes, count):
            for rest in orders([n for n in nodes if n not in step]):
                yield [step, *rest]


def ends(zones, nodes, order):
    """All numbers of moved pods by zone after the steps, in the order of `zones`."""
    def place(counts, moved, pods):
        if not pods:
            return {(counts, moved)}
        app, rest = pods[0], pods[1:]
        have = [dict(counts)[app, z] for z in zones]
        found = set()
        for i, z in enumerate(zones):
            if have[i] == min(have):
                after = tuple(((a, w), n + ((a, w) == (app, z))) for (a, w), n in counts)
                found |= place(after, moved[:i] + (moved[i] + 1,) + moved[i + 1:], rest)
        return found

    begin = {(a, z): sum(zone == z and pods.count(a) for _, zone, pods in nodes) for a in 'xy' for z in zones}
    states = {(tuple(begin.items()), (0,) * len(zones))}
    for step in order:
        then = set()
        for counts, moved in states:
            left = dict(counts)
            for n in step:
                for app in nodes[n][2]:
                    left[app, nodes[n][1]] -= 1
            pods = ''.join(app for n in step for app in nodes[n][2])
            for way in {pods, ''.join(sorted(pods)), ''.join(sorted(pods, reverse=True))}:
                then |= place(tuple(left.items()), moved, way)
        states = then
    return {moved for _, moved in states}


def least_costs(zones, prices, nodes):
    """By number of evictions: the least cost of a plan with exactly so many."""
    @functools.lru_cache(None)
    def launches(zone, pods):
        return 0 if pods <= 0 else min(p + launches(zone, pods - s) for (s, z), p in prices.items() if z == zone)

    least = {}
    for count in range(len(nodes) + 1):
        for gone in itertools.combinations(range(len(nodes)), count):
            stay = [n for i, n in enumerate(nodes) if i not in gone]
            evictions, cost = sum(len(nodes[i][2]) for i in gone), sum(prices[s, z] for s, z, _ in stay)
            for moved in set().union(*(ends(zones, nodes, order) for order in orders(list(gone)))):
                more = 0
                for zone, pods in zip(zones, moved):
                    free = sum(s - len(p) for s, z, p in stay if z == zone)
                    more += launches(zone, pods - free)
                least[evictions] = min(least.get(evictions, 1e9), cost + more)
    return least


def check(seed, folder):
    rng = random.Random(seed)
    zones, prices, nodes = world_of(rng)
    path, types = os.path.join(folder, 'cluster.json'), os.path.join(folder, 'types.json')
    with open(path, 'w', encoding='utf-8') as f:
        json.dump({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects(nodes))}, f)
    with open(types, 'w', encoding='utf-8') as f:
        json.dump(list(types_of(prices)), f)
    said = subprocess.run([KARP, 'repack', '-f', path, '--catalogue', types, '--now', '2026-01-02T00:00:00Z', '--effort', '100ms', '-o', 'json'],
                          capture_output=True, text=True, check=True)
    plan, least = json.loads(said.stdout), least_costs(zones, prices, nodes)
    faults = []
    for point in [*plan['curve'], {'evictions': plan['evictions'], 'bound': plan['bound']}]:
        best = min(cost for evictions, cost in least.items() if evictions <= point['evictions'])
        if point['bound'] > best + SLACK:
            faults.append(f"a bound of {point['bound']} with {point['evictions']} evictions, and a plan costs {best}")
    if plan['costAfter'] < min(least.values()) - SLACK:
        faults.append(f"a plan of {plan['costAfter']}, and the least is {min(least.values())}")
    return faults, plan['bound'], min(least.values()), plan['costAfter']


def main():
    given = argparse.ArgumentParser()
    given.add_argument('--count', type=int, default=60)
    given.add_argument('--from', type=int, default=1, dest='first')
    given = given.parse_args()
    wrong, sums = 0, [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.first, given.first + given.count):
            faults, *figures = check(seed, folder)
            sums = [a + b for a, b in zip(sums, figures)]
            wrong += bool(faults)
            for fault in faults:
                print(f'# cluster {seed}: {fault}')
    if sums[2] > MOST * sums[1]:
        print(f'# the plans cost {sums[2] / sums[1]:.1%} of the least')
        wrong += 1
    print(f'1..1\n{"not ok" if wrong else "ok"} 1 - {given.count} clusters: bounds {sums[0]:.2f}, least {sums[1]:.2f}, plans {sums[2]:.2f}, {wrong} wrong')
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main())
