# SPDX-License-Identifier: Apache-2.0
"""Random small clusters with groups of pods in both disruption modes, before the disruption methods and a search that tries everything.

Of a group in mode all a command disrupts every pod or none, and each pod that it moves has a place beside the others of its group. Drift
removes a drifted node, with those that have to go with it, exactly when the search finds places for all their pods. Every command is
verified by karp verify.

    test_gang_disruption.py [--from SEED] [--count WORLDS]
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).parents[2]))
sys.path[:0] = [str(SOURCE / 'tests' / 'reference'), str(SOURCE / 'tests' / 'property')]
import test_gang_cost as costs # noqa: E402
import test_gang_worlds as worlds # noqa: E402

METHODS = 'Drift', 'SingleNodeConsolidation', 'MultiNodeConsolidation'
SINCE = '2026-01-01T00:00:00Z'


def make(rng):
    nodes = {f'm{i}': {'cpu': worlds.TYPE_CPU, 'pods': worlds.TYPE_PODS, 'labels': {worlds.ZONE: rng.choice('ab')}, 'drifted': rng.random() < 0.4,
                       'stays': rng.random() < 0.15} for i in range(rng.randrange(2, 6))}
    group = {'name': 'g', 'key': rng.choice((None, worlds.ZONE)), 'all': rng.random() < 0.8, 'priority': 0}
    world = {'nodes': nodes, 'groups': {'g': group}, 'pods': {}, 'budget': rng.choice(('1', '100%', '100%')), 'pools': {}}
    launches = rng.random() < 0.3
    world['pools']['pool'] = {'limit': 1000 if launches else 0, 'racks': None}
    zone = rng.choice('ab')
    for name, node in nodes.items():
        for _ in range(rng.randrange(worlds.TYPE_CPU + 1)):
            mine = rng.random() < 0.5 and (not group['key'] or node['labels'][worlds.ZONE] == zone)
            pod = {'name': f'{"g" if mine else "o"}-{len(world["pods"])}', 'group': 'g' if mine else None, 'cpu': 1, 'selector': {}, 'apart': False,
                   'app': 'x', 'gated': False, 'priority': 0, 'node': name}
            world['pods'][pod['name']] = pod
    members = sum(p['group'] == 'g' for p in world['pods'].values())
    group['least'] = max(1, members - rng.choice((0, 0, 1)))
    return world


def objects(world):
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'}, 'spec': {
        'limits': {'cpu': str(world['pools']['pool']['limit'])}, 'disruption': {'budgets': [{'nodes': world['budget']}], 'consolidateAfter': '0s'},
        'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}
    out = [pool]
    for name, n in world['nodes'].items():
        labels = {worlds.HOST: name, **n['labels'], 'karpenter.sh/nodepool': 'pool', 'node.kubernetes.io/instance-type': 'one', 'karpenter.sh/registered': 'true',
                  'karpenter.sh/capacity-type': 'on-demand', 'karpenter.sh/initialized': 'true'}
        amounts = {'cpu': str(n['cpu']), 'memory': '64Gi', 'pods': str(n['pods'])}
        notes = {'annotations': {'karpenter.sh/do-not-disrupt': 'true'}} if n['stays'] else {}
        told = ['Launched', 'Registered', 'Initialized', 'Consolidatable'] + ['Drifted'] * n['drifted']
        out.append({'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels, **notes}, 'spec': {'providerID': f'p://{name}'},
                    'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}})
        out.append({'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': f'c-{name}', 'labels': labels, 'creationTimestamp': SINCE},
                    'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': []},
                    'status': {'providerID': f'p://{name}', 'nodeName': name, 'capacity': amounts, 'allocatable': amounts,
                               'conditions': [{'type': t, 'status': 'True', 'lastTransitionTime': SINCE} for t in told]}})
    g = world['groups']['g']
    where = {'schedulingConstraints': {'topology': [{'key': g['key']}]}} if g['key'] else {}
    out.append({'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': 'g'}, 'spec': {
        'schedulingPolicy': {'gang': {'minCount': g['least']}}, 'disruptionMode': {'all' if g['all'] else 'single': {}}, 'priority': 0, **where}})
    for p in world['pods'].values():
        spec = {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}], 'priority': 0, 'nodeName': p['node']}
        if p['group']:
            spec['schedulingGroup'] = {'podGroupName': 'g'}
        owner = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'r', 'uid': 'u', 'controller': True}
        out.append({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': p['name'], 'uid': f'u-{p["name"]}', 'ownerReferences': [owner], 'creationTimestamp': SINCE},
                    'spec': spec, 'status': {'phase': 'Running'}})
    return out


def goes_with(world, name):
    """The nodes that go together with this one."""
    holds = {p['node'] for p in world['pods'].values() if p['group']}
    return holds if world['groups']['g']['all'] and name in holds else {name}


def on(world, names):
    return [p for p in world['pods'].values() if p['node'] in names]


def can_go(world, names):
    """Whether all pods of these nodes have places elsewhere."""
    moved = on(world, names)
    rest = dict(world, nodes={n: v for n, v in world['nodes'].items() if n not in names},
                pods={n: dict(p, node=None) if p in moved else p for n, p in world['pods'].items()})
    return costs.cheapest(rest, [dict(p, node=None) for p in moved]) is not None


def karp(verb, folder, *words):
    done = subprocess.run([os.environ['KARP'], verb, *words, '-f', folder / 'cluster.json', '--catalogue', folder / 'types.json', '--now', '2026-01-02T00:00:00Z'],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 3), f'karp {verb}: exit {done.returncode}: {done.stdout}{done.stderr}'
    return done.stdout


def check(seed, folder, tally):
    world = make(random.Random(seed))
    (folder / 'cluster.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects(world)}))
    for method in METHODS:
        text = karp('disrupt', folder, '--profile', 'karp', '--method', method, '-o', 'json')
        commands = json.loads(text)['commands']
        (folder / 'plan.json').write_text(text)
        karp('verify', folder, folder / 'plan.json')
        for command in commands:
            names = set(command['nodes'])
            assert all(goes_with(world, n) <= names for n in names), f'{method} removes {sorted(names)}, and a part of the group stays'
            assert not any(world['nodes'][n]['stays'] for n in names), f'{method} removes {sorted(names)}, one of which stays'
            assert can_go(world, names), f'{method} removes {sorted(names)}, whose pods have no places'
            tally['together'] += len(names) > 1 and method != 'MultiNodeConsolidation'
        tally['commands'] += len(commands)
        if method != 'Drift':
            continue
        due = [n for n, v in world['nodes'].items() if v['drifted'] and not any(world['nodes'][x]['stays'] for x in goes_with(world, n)) and
               (world['budget'] != '1' or len(goes_with(world, n)) == 1)]
        # Pods without a group may take the places of those that have one.
        sure = [n for n in due if can_go(world, goes_with(world, n)) and len({p['group'] for p in on(world, goes_with(world, n))}) < 2]
        assert commands or not sure, f'drift leaves {sure[0]}, whose pods have places'
        assert not commands or set(commands[0]['nodes']) & set(due), f'drift removes {commands[0]["nodes"]}, and none of them is due'


def main():
    words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    first, count, tally = int(words.get('--from', 1)), int(words.get('--count', 60)), {'commands': 0, 'together': 0}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / 'types.json').write_text(json.dumps(worlds.CATALOGUE))
        for seed in range(first, first + count):
            try:
                check(seed, folder, tally)
            except AssertionError as error:
                print(f'world {seed}: {error}')
                return 1
    print(f'{count} worlds, {tally["commands"]} commands; {tally["together"]} of drift and single-node consolidation for several nodes')
    return 0 if tally['together'] else 1


if __name__ == '__main__':
    sys.exit(main())
