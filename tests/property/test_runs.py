# SPDX-License-Identifier: Apache-2.0
"""Long runs of equal pods of many sizes, as the random worlds of `differential` seldom have them, before the plain scheduler and
the library: what is placed by counting, and claims that are passed over unasked, must decide what one pod after the other does.

    test_runs.py [FROM [COUNT]]
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FROM, COUNT = 1, 24
BUILD = pathlib.Path(os.environ['KARP_BUILD'])
WORLDS = BUILD / 'tests' / 'property' / 'differential'
if not WORLDS.exists():
    print('there are no random worlds')
    sys.exit(77)

ZONE = 'topology.kubernetes.io/zone'


def instance_types(rng):
    """Small ones, so that there are many launches, of which none has most of everything."""
    types = []
    for name, cpu, memory in (('lean', 8, 8), ('even', 6, 20), ('rich', 3, 40), ('tiny', 2, 2)):
        types.append({
            'name': name,
            'requirements': [{'key': ZONE, 'operator': 'In', 'values': ['z1', 'z2']}],
            'capacity': {'cpu': str(cpu), 'memory': f'{memory}Gi', 'pods': str(rng.choice((16, 60)))},
            'offerings': [{'requirements': [{'key': ZONE, 'operator': 'In', 'values': [zone]}], 'available': True,
                           'price': cpu * 0.04 + memory * 0.005} for zone in ('z1', 'z2')]})
    return types


def pool(name, weight, limits):
    spec = {'weight': weight, 'template': {'spec': {'requirements': []}}}
    if limits:
        spec['limits'] = limits
    conditions = [{'type': kind, 'status': 'True', 'reason': kind, 'lastTransitionTime': '2026-11-21T10:00:00Z'}
                  for kind in ('ValidationSucceeded', 'NodeClassReady', 'Ready')]
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name}, 'spec': spec,
            'status': {'conditions': conditions}}


def pod(rng, number, shape):
    spec = {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': shape['cpu'], 'memory': shape['memory']}}}]}
    if shape['zone']:
        spec['nodeSelector'] = {ZONE: shape['zone']}
    if shape['spread']:
        spec['topologySpreadConstraints'] = [{
            'maxSkew': 1, 'topologyKey': shape['spread'], 'whenUnsatisfiable': 'DoNotSchedule',
            'labelSelector': {'matchLabels': {'app': shape['name']}}}]
    return {
        'apiVersion': 'v1', 'kind': 'Pod',
        'metadata': {'name': f'p-{rng.randrange(10 ** 6)}-{number}', 'namespace': 'default', 'uid': f'u-{rng.randrange(10 ** 9)}-{number}',
                     'labels': {'app': shape['name']}, 'creationTimestamp': f'2026-11-20T10:{rng.randrange(3):02d}:00Z'},
        'spec': spec,
        'status': {'phase': 'Pending',
                   'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}}


def world(seed):
    rng = random.Random(seed)
    shapes = []
    for k in range(rng.randrange(18, 30)):
        shapes.append({'name': f's{k}', 'cpu': f'{rng.choice((50, 100, 150, 300, 450, 700, 1100))}m',
                       'memory': f'{rng.choice((64, 128, 300, 700, 1500, 3100))}Mi',
                       'zone': rng.choice((None, None, None, 'z1', 'z2')) if seed % 2 == 0 else None,
                       'spread': rng.choice((None,) * 6 + (ZONE, 'kubernetes.io/hostname')) if seed % 4 == 3 else None})
    pods = [pod(rng, i, shapes[rng.randrange(len(shapes))]) for i in range(18 * len(shapes))]
    pools = [pool('first', 10, {'cpu': str(rng.randrange(20, 120))}), pool('second', 1, {'cpu': '60'} if seed % 3 == 0 else None)]
    return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': '2026-11-21T12:00:00Z',
            'catalogues': [{'instanceTypes': instance_types(rng)}], 'objects': pools + pods}


def spread(rng, apps):
    """A constraint over zones or capacity types, often of the pods of another shape, or of several."""
    rule = {'maxSkew': rng.choice((1, 1, 1, 2, 3, 7)), 'topologyKey': rng.choice((ZONE, ZONE, ZONE, 'karpenter.sh/capacity-type')),
            'whenUnsatisfiable': rng.choice(('DoNotSchedule',) * 5 + ('ScheduleAnyway',)),
            'labelSelector': rng.choice(({'matchLabels': {'app': rng.choice(apps)}}, {'matchLabels': {'team': 't0'}}, {}))}
    if rng.randrange(6) == 0 and rule['whenUnsatisfiable'] == 'DoNotSchedule':
        rule['minDomains'] = rng.randrange(1, 5)
    if rng.randrange(8) == 0:
        rule['nodeTaintsPolicy'] = 'Honor'
    return rule


def node(rng, number):
    zone = rng.choice(('z1', 'z2', 'z3'))
    amounts = {'cpu': str(rng.choice((1, 4, 9))), 'memory': '16Gi', 'pods': '40'}
    return {'apiVersion': 'v1', 'kind': 'Node',
            'metadata': {'name': f'n{number}', 'labels': {'kubernetes.io/hostname': f'n{number}', ZONE: zone}},
            'spec': {'providerID': f'test://n{number}'},
            'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def spread_world(seed):
    """Few shapes with many pods each, which spread over domains by constraints that count each other's pods."""
    rng = random.Random(seed)
    apps = [f's{k}' for k in range(rng.randrange(2, 7))]
    pods = []
    for app in apps:
        shape = {'name': app, 'cpu': f'{rng.choice((50, 150, 450, 1100))}m', 'memory': f'{rng.choice((64, 300, 1500))}Mi',
                 'zone': rng.choice((None,) * 7 + ('z1',)), 'spread': None}
        rules = [spread(rng, [app, app, app] + apps) for _ in range(rng.choice((0, 1, 1, 1, 1, 2)))]
        labels = {'app': app, 'team': rng.choice(('t0', 't1'))}
        beside = rng.randrange(4) == 0
        for i in range(rng.randrange(20, 90)):
            one = pod(rng, i, shape)
            one['metadata']['labels'] = labels
            one['metadata']['name'] += app
            one['metadata']['uid'] += app
            if rules:
                one['spec']['topologySpreadConstraints'] = rules
            if beside:
                one['spec']['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
                    {'topologyKey': rng.choice((ZONE, 'kubernetes.io/hostname')), 'labelSelector': {'matchLabels': {'app': rng.choice(apps)}}}]}}
                beside = rng.randrange(2) == 0  # the first ones, in one place in the queue or another
            pods.append(one)
    types = instance_types(rng)
    for one in types:
        one['requirements'] += [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['spot', 'on-demand']}]
        one['requirements'][0]['values'] = ['z1', 'z2', 'z3']
        one['offerings'] = [{'requirements': [{'key': ZONE, 'operator': 'In', 'values': [zone]},
                                              {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': [kind]}],
                             'available': rng.randrange(8) > 0, 'price': 0.1 + rng.random()}
                            for zone in ('z1', 'z2', 'z3') for kind in ('spot', 'on-demand')]
    pools = [pool('first', 10, {'cpu': str(rng.randrange(20, 120))} if seed % 3 == 0 else None), pool('second', 1, None)]
    nodes = [node(rng, i) for i in range(rng.choice((0, 0, 3, 9)))]
    return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': '2026-11-21T12:00:00Z',
            'catalogues': [{'instanceTypes': types}], 'objects': pools + nodes + pods}


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else FROM
    count = int(sys.argv[2]) if len(sys.argv) > 2 else COUNT
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            for make in world, spread_world:
                path = pathlib.Path(folder) / f'{make.__name__}-{seed}.json'
                path.write_text(json.dumps(make(seed)), encoding='utf-8')
                done = subprocess.run([WORLDS, '--file', path, '--in-process'], capture_output=True, text=True, timeout=300)
                if done.returncode != 0:
                    wrong += 1
                    print(f'{path.stem}: {done.stdout}{done.stderr}')
    print(f'2 × {count} worlds from {first} on, {wrong} parted')
    return wrong != 0


if __name__ == '__main__':
    sys.exit(main())
