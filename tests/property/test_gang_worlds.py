# SPDX-License-Identifier: Apache-2.0
"""Random small clusters with groups of pods, before the library and the plain reference (tests/reference/gangs.py).

A group that the plan starts has its minimum in one domain. Of any other group no pod is placed, and the reference, which tries
everything, finds no place for its minimum beside what the plan places. The order of the input does not matter.

    test_gang_worlds.py [--from SEED] [--count WORLDS]
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(SOURCE / 'tests' / 'reference'))
import gangs # noqa: E402

if 'KARP' not in os.environ:
    print('KARP does not name the program')
    sys.exit(77)
HOST, ZONE, RACK = 'kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'example.com/rack'
TYPE_CPU, TYPE_PODS = 4, 6


def make_pod(rng, name, group, world):
    return {'name': name, 'group': group['name'] if group else None, 'cpu': rng.choice((1, 1, 1, 2, 2, 3)),
            'selector': {ZONE: rng.choice('ab')} if rng.random() < 0.1 else {},
            'apart': bool(group and group['apart']), 'app': group['name'] if group else name,
            'gated': rng.random() < 0.02, 'priority': group['pods_priority'] if group else rng.choice((0, 0, 5)),
            'node': rng.choice(sorted(world['nodes'])) if world['nodes'] and rng.random() < 0.12 else None}


def make(rng):
    world = {'nodes': {}, 'pools': {}, 'groups': {}, 'pods': {}}
    for i in range(rng.randrange(6)):
        labels = {ZONE: rng.choice('ab')} | ({RACK: rng.choice(('r1', 'r2', ''))} if rng.random() < 0.8 else {})
        world['nodes'][f'n{i}'] = {'cpu': rng.randrange(1, 7), 'pods': rng.randrange(2, 7), 'labels': labels}
    for i in range(rng.randrange(1, 3)):
        racks = rng.choice((None, None, ['r1'], ['r1', 'r2'], ['r3']))
        world['pools'][f'pool{i}'] = {'limit': rng.choice((0, 0, 4, 6, 8, 12)), 'racks': racks}
    for i in range(rng.choice((1, 1, 1, 2, 3))):
        many = rng.randrange(1, 9 if i == 0 else 5)
        priority = rng.choice((0, 0, 5))
        group = {'name': f'g{i}', 'least': max(1, many - rng.choice((0, 0, 1, 2, -1))), 'priority': priority,
                 'pods_priority': priority if rng.random() < 0.95 else 7, 'apart': rng.random() < 0.15,
                 'key': rng.choice((None, None, ZONE, RACK, RACK, HOST))}
        world['groups'][group['name']] = group
        for k in range(many):
            pod = make_pod(rng, f'{group["name"]}-{k}', group, world)
            world['pods'][pod['name']] = pod
    for i in range(rng.randrange(3)):
        pod = make_pod(rng, f'p{i}', None, world)
        world['pods'][pod['name']] = pod
    unload(world)
    return world


def unload(world):
    """Bound pods that their nodes cannot hold are not bound."""
    for name, node in world['nodes'].items():
        cpu, pods = node['cpu'], node['pods']
        seen = set()
        for pod in world['pods'].values():
            if pod['node'] != name:
                continue
            if pod['gated'] or pod['cpu'] > cpu or pods < 1 or pod['app'] in seen or \
                    any(node['labels'].get(k) != v for k, v in pod['selector'].items()):
                pod['node'] = None
                continue
            cpu, pods = cpu - pod['cpu'], pods - 1
            if pod['apart']:
                seen.add(pod['app'])


def objects(world):
    out = []
    for name, p in world['pools'].items():
        need = [{'key': RACK, 'operator': 'In', 'values': p['racks']}] if p['racks'] else []
        out.append({'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name}, 'spec': {'limits': {'cpu': str(p['limit'])}, 'template': {
            'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': need}}}})
    for name, n in world['nodes'].items():
        amounts = {'cpu': str(n['cpu']), 'memory': '64Gi', 'pods': str(n['pods'])}
        out.append({'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {HOST: name, **n['labels']}},
                    'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}})
    for name, g in world['groups'].items():
        where = {'schedulingConstraints': {'topology': [{'key': g['key']}]}} if g['key'] else {}
        out.append({'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': name}, 'spec': {
            'schedulingPolicy': {'gang': {'minCount': g['least']}}, 'priority': g['priority'], **where}})
    for name, p in world['pods'].items():
        spec = {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': str(p['cpu'])}}}], 'priority': p['priority']}
        if p['group']:
            spec['schedulingGroup'] = {'podGroupName': p['group']}
        if p['selector']:
            spec['nodeSelector'] = p['selector']
        if p['gated']:
            spec['schedulingGates'] = [{'name': 'wait'}]
        if p['apart']:
            spec['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
                {'topologyKey': HOST, 'labelSelector': {'matchLabels': {'app': p['app']}}}]}}
        if p['node']:
            spec['nodeName'] = p['node']
        out.append({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'uid': 'u-' + name, 'creationTimestamp': '2026-01-01T00:00:00Z', 'labels': {'app': p['app']}}, 'spec': spec,
                    'status': {'phase': 'Running' if p['node'] else 'Pending'}})
    return out


CATALOGUE = [{'name': 'one', 'labels': {'node.kubernetes.io/instance-type': ['one'], 'kubernetes.io/os': ['linux'], 'kubernetes.io/arch': ['amd64']},
              'capacity': {'cpu': str(TYPE_CPU), 'memory': '64Gi', 'pods': str(TYPE_PODS)},
              'offerings': [{'zone': z, 'capacityType': 'on-demand', 'price': p, 'available': True} for z, p in (('a', 1), ('b', 2))]}]


def plan_of(listed, folder):
    (folder / 'cluster.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': listed}))
    done = subprocess.run([os.environ['KARP'], 'plan', '-f', folder / 'cluster.json', '--catalogue', folder / 'types.json', '--profile', 'karp',
                           '-o', 'json'], capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 3):
        raise AssertionError(f'exit {done.returncode}: {done.stderr}')
    return json.loads(done.stdout)


def verify(plan, folder):
    (folder / 'plan.json').write_text(json.dumps(plan))
    done = subprocess.run([os.environ['KARP'], 'verify', folder / 'plan.json', '-f', folder / 'cluster.json', '--catalogue', folder / 'types.json'],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f'karp verify: {done.stdout}{done.stderr}'


def bare(name):
    return name.split('/')[-1]


def bins_of(world, plan):
    """The nodes and launches with what is left of them, the NodePools, and the place of each pod."""
    nodes = {name: gangs.Bin(n['cpu'], n['pods'], {HOST: name, **n['labels']}) for name, n in world['nodes'].items()}
    pools = [{'cpu': TYPE_CPU, 'pods': TYPE_PODS, 'left': p['limit'], 'name': name,
              'labels': [{ZONE: z, **({RACK: r} if r else {})} for z in 'ab' for r in p['racks'] or [None]]} for name, p in world['pools'].items()]
    places = {}
    for pod in world['pods'].values():
        if pod['node']:
            nodes[pod['node']].put(pod)
    for row in plan['placements']:
        for name in row['pods']:
            pod = world['pods'][bare(name)]
            assert nodes[row['node']].takes(pod, None), f'{name} does not fit on {row["node"]}'
            nodes[row['node']].put(pod)
            places[bare(name)] = nodes[row['node']]
    launched = []
    for row in plan['launches']:
        wants = {r['key']: r.get('values', []) for r in row['requirements'] if r['operator'] == 'In'}
        pool = next(p for p in pools if p['name'] == row['nodePool'])
        pool['left'] -= TYPE_CPU
        assert pool['left'] >= 0, f'NodePool {pool["name"]} is beyond its limit'
        fits = [x for x in pool['labels'] if all(x.get(k) in v for k, v in wants.items() if k in (ZONE, RACK))]
        one = gangs.Bin(TYPE_CPU, TYPE_PODS, {k: fits[0].get(k) if len({x.get(k) for x in fits}) == 1 else None for k in (ZONE, RACK)} | {HOST: row['name'] if 'name' in row else str(len(launched))})
        one.options = fits
        for name in row['pods']:
            pod = world['pods'][bare(name)]
            assert pod['cpu'] <= one.cpu and one.pods > 0 and not (pod['apart'] and pod['app'] in one.tags), f'{name} does not fit on a launch'
            one.put(pod)
            places[bare(name)] = one
        launched.append(one)
    return nodes, launched, pools, places


def check(world, plan):
    nodes, launched, pools, places = bins_of(world, plan)
    rows = {bare(g['group']): g for g in plan.get('groups', [])}
    for name, g in world['groups'].items():
        members = [p for p in world['pods'].values() if p['group'] == name]
        waiting = [p for p in members if not p['node'] and not p['gated']]
        placed = [p for p in members if p['name'] in places]
        bound = [p for p in members if p['node']]
        if placed:
            assert gangs.refusal(g, members) is None, f'{name} starts in spite of {gangs.refusal(g, members)}'
            assert len(placed) + len(bound) >= g['least'], f'{name}: {len(placed)} + {len(bound)} of {g["least"]}'
            if g['key']:
                where = {b.labels.get(g['key']) for b in [places[p['name']] for p in placed] + [nodes[p['node']] for p in bound]}
                assert len(where) == 1 and where != {None} and where != {''}, f'{name} is in {where}'
            continue
        if not waiting:
            continue
        assert name in rows, f'{name} has no row'
        refused = gangs.refusal(g, members)
        if refused:
            assert rows[name].get('code') == refused, f'{name}: {rows[name].get("code")}, not {refused}'
            continue
        assert not gangs.can_start(g, members, [*nodes.values(), *launched], pools), f'{name} could start'


def world_check(seed, folder):
    rng = random.Random(seed)
    world = make(rng)
    listed = objects(world)
    plan = plan_of(listed, folder)
    check(world, plan)
    if seed % 5 == 0:
        verify(plan, folder)
    if seed % 4 == 0:
        rng.shuffle(listed)
        again = plan_of(listed, folder)
        assert json.dumps([again['launches'], again['placements'], again.get('groups')]) == \
            json.dumps([plan['launches'], plan['placements'], plan.get('groups')]), 'the order of the input matters'
    return sum('code' not in g for g in plan.get('groups', [])), len(plan.get('groups', []))


def main():
    words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    first, count, starts, rows = int(words.get('--from', 1)), int(words.get('--count', 300)), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / 'types.json').write_text(json.dumps(CATALOGUE))
        for seed in range(first, first + count):
            try:
                started, all_rows = world_check(seed, folder)
            except AssertionError as error:
                print(f'world {seed}: {error}')
                return 1
            starts, rows = starts + started, rows + all_rows
    print(f'{count} worlds, {rows} groups, {starts} of them start')
    return 0


if __name__ == '__main__':
    sys.exit(main())
