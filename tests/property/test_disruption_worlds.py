# SPDX-License-Identifier: Apache-2.0
"""What holds for the answer of every disruption pass, on small random clusters.

Every node has one fate; budgets are kept; nodes with pods that block stay; what moves has a place with room for it; the order
of the input does not matter; and applying the answers again and again comes to an end, at a cost that never rises.

    test_disruption_worlds.py [SEED]    one cluster alone
"""
import json
import os
import random
import subprocess
import sys
import tempfile

WORLDS, MOST_PASSES = 40, 30
NOW = '2026-01-05T12:00:00Z'
METHODS = ['Emptiness', 'Drift', 'MultiNodeConsolidation', 'SingleNodeConsolidation']
TYPES = {'t1': (1000, 0.05), 't2': (2000, 0.1), 't4': (4000, 0.19), 't8': (8000, 0.4)}
CLASS = {'group': 'karpenter.test', 'kind': 'TestNodeClass', 'name': 'default'}


def catalogue():
    return [{'name': name, 'capacity': {'cpu': f'{cpu}m', 'memory': '64Gi', 'pods': '20'},
             'labels': {'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux']},
             'offerings': [{'zone': zone, 'capacityType': kind, 'price': round(price * (0.4 if kind == 'spot' else 1), 4)}
                           for zone in ('z1', 'z2') for kind in ('on-demand', 'spot')]} for name, (cpu, price) in TYPES.items()]


def meta(name, **more):
    return {'name': name, 'uid': 'u-' + name, 'creationTimestamp': '2026-01-01T00:00:00Z', **more}


def node(name, pool, kind, zone, capacity, rng=None):
    labels = {'karpenter.sh/nodepool': pool, 'node.kubernetes.io/instance-type': kind, 'topology.kubernetes.io/zone': zone,
              'karpenter.sh/capacity-type': capacity}
    conditions = [{'type': t, 'status': 'True', 'lastTransitionTime': '2026-01-02T00:00:00Z'} for t in ('Launched', 'Registered', 'Initialized')]
    spec, annotations = {}, {}
    if rng is None or rng.random() < 0.9:
        conditions.append({'type': 'Consolidatable', 'status': 'True', 'lastTransitionTime': '2026-01-03T00:00:00Z'})
    if rng and rng.random() < 0.3:
        conditions.append({'type': 'Drifted', 'status': 'True', 'lastTransitionTime': f'2026-01-0{rng.randint(1, 4)}T00:00:00Z'})
    if rng and rng.random() < 0.3:
        spec['terminationGracePeriod'] = '1h'
    if rng and rng.random() < 0.1:
        annotations['karpenter.sh/do-not-disrupt'] = 'true'
    return [{'apiVersion': 'v1', 'kind': 'Node', 'metadata': meta(name, labels=labels, annotations=annotations)},
            {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': meta(name, labels=labels), 'spec': spec, 'status': {'conditions': conditions}}]


def pod(name, on, cpu, rng):
    annotations, labels = {}, {}
    if rng.random() < 0.06:
        annotations['karpenter.sh/do-not-disrupt'] = 'true'
    if rng.random() < 0.06:
        labels['guarded'] = 'yes'
    if rng.random() < 0.2:
        annotations['controller.kubernetes.io/pod-deletion-cost'] = rng.choice(['-134217728', '1000000', '2147483647'])
    spec = {'nodeName': on, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': f'{cpu}m'}}}]}
    if rng.random() < 0.15:
        spec['nodeSelector'] = {'topology.kubernetes.io/zone': rng.choice(['z1', 'z2'])}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': meta(name, namespace='default', annotations=annotations, labels=labels), 'spec': spec}


def world(seed):
    rng = random.Random(seed)
    docs = [{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': meta('default')},
            {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': meta('guard', namespace='default'),
             'spec': {'selector': {'matchLabels': {'guarded': 'yes'}}, 'maxUnavailable': 0}, 'status': {'disruptionsAllowed': 0}}]
    pools = ['east', 'west'][:rng.randint(1, 2)]
    for name in pools:
        docs.append({'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': meta(name),
                     'spec': {'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': rng.choice(['1', '2', '50%', '100%'])}],
                                             'consolidationPolicy': rng.choice(['WhenEmptyOrUnderutilized'] * 3 + ['Balanced', 'WhenEmpty'])},
                              'template': {'spec': {'nodeClassRef': CLASS, 'requirements': [], 'expireAfter': 'Never'}}}})
    for i in range(rng.randint(2, 6)):
        kind = rng.choice(list(TYPES))
        docs += node(f'n{i}', rng.choice(pools), kind, rng.choice(['z1', 'z2']), rng.choice(['on-demand', 'on-demand', 'spot']), rng)
        left = TYPES[kind][0]
        for k in range(rng.randint(0, 4)):
            cpu = rng.choice([100, 250, 500, 900])
            if cpu <= left and rng.random() < 0.8:
                docs.append(pod(f'p{i}-{k}', f'n{i}', cpu, rng))
                left -= cpu
    for p in docs:  # who wants a zone runs there
        if p['kind'] == 'Pod' and 'nodeSelector' in p['spec']:
            where = next(d for d in docs if d['kind'] == 'Node' and d['metadata']['name'] == p['spec']['nodeName'])
            p['spec']['nodeSelector']['topology.kubernetes.io/zone'] = where['metadata']['labels']['topology.kubernetes.io/zone']
    return docs


def disrupt(docs, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        types, objects = os.path.join(folder, 'types.json'), os.path.join(folder, 'objects.json')
        with open(types, 'w') as f:
            json.dump(catalogue(), f)
        with open(objects, 'w') as f:
            f.writelines(json.dumps(d) + '\n' for d in docs)
        done = subprocess.run([os.environ['KARP'], 'disrupt', '-f', objects, '--catalogue', types, '--now', NOW, '-o', 'json', *arguments],
                              capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def of_kind(docs, kind):
    return [d for d in docs if d['kind'] == kind]


def cpu_of(p):
    return int(p['spec']['containers'][0]['resources']['requests']['cpu'][:-1])


def pool_of(docs, name):
    return next(n['metadata']['labels']['karpenter.sh/nodepool'] for n in of_kind(docs, 'Node') if n['metadata']['name'] == name)


def blocked(docs, name, method):
    claim = next(c for c in of_kind(docs, 'NodeClaim') if c['metadata']['name'] == name)
    own = next(n for n in of_kind(docs, 'Node') if n['metadata']['name'] == name)
    if own['metadata'].get('annotations', {}).get('karpenter.sh/do-not-disrupt') == 'true':
        return True
    if method == 'Drift' and 'terminationGracePeriod' in claim['spec']:
        return False
    return any('karpenter.sh/do-not-disrupt' in p['metadata']['annotations'] or 'guarded' in p['metadata']['labels']
               for p in of_kind(docs, 'Pod') if p['spec']['nodeName'] == name)


def stuck(p):
    """It has no place elsewhere, though its node may go for drift."""
    return 'karpenter.sh/do-not-disrupt' in p['metadata']['annotations'] or 'guarded' in p['metadata']['labels']


def moves(docs, command):
    """Pod -> the node or launch it goes to, with the room that is left there."""
    pods = {'default/' + p['metadata']['name']: p for p in of_kind(docs, 'Pod')}
    where = {}
    for place in command['placements']:
        assert place['node'] not in command['nodes'], 'a pod goes to a node that goes'
        where.update({name: place['node'] for name in place['pods']})
        kind = next(n['metadata']['labels']['node.kubernetes.io/instance-type'] for n in of_kind(docs, 'Node') if n['metadata']['name'] == place['node'])
        there = [p for p in pods.values() if p['spec']['nodeName'] == place['node']] + [pods[name] for name in place['pods']]
        assert sum(map(cpu_of, there)) <= TYPES[kind][0] and len(there) <= 20, f'{place["node"]} is too small'
    for launch in command['replacements']:
        where.update({name: launch['id'] for name in launch['pods']})
        for kind in launch['instanceTypes']:
            assert sum(cpu_of(pods[name]) for name in launch['pods']) <= TYPES[kind][0], f'{kind} is too small'
    return where


def check_command(docs, command):
    method = command['method']
    for name in command['nodes']:
        assert not blocked(docs, name, method), f'{name} goes although a pod blocks'
    if method == 'Emptiness':
        return
    where = moves(docs, command)
    for p in of_kind(docs, 'Pod'):
        if p['spec']['nodeName'] in command['nodes'] and not stuck(p):
            assert 'default/' + p['metadata']['name'] in where, f'{p["metadata"]["name"]} has no place'


def check_plan(docs, plan):
    going = [name for c in plan['commands'] for name in c['nodes']]
    fates = sorted(going + [k['node'] for k in plan['kept']])
    assert fates == sorted(n['metadata']['name'] for n in of_kind(docs, 'Node')), f'fates are {fates}'
    assert all(k['code'] for k in plan['kept'])
    for pool, left in plan['budgets'].items():
        assert sum(pool_of(docs, name) == pool for name in going) <= left, f'the budget of {pool} is not kept'
    for c in plan['commands']:
        check_command(docs, c)


def price(docs):
    kinds = [n['metadata']['labels'] for n in of_kind(docs, 'Node')]
    return sum(TYPES[k['node.kubernetes.io/instance-type']][1] * (0.4 if k['karpenter.sh/capacity-type'] == 'spot' else 1) for k in kinds)


def apply(docs, command, number):
    """The cluster afterwards: nodes are gone, new ones are there, pods have moved; nothing else happens."""
    where = moves(docs, command)
    for k, launch in enumerate(command['replacements']):
        choice, name = launch['choice'], f'm{number}-{k}'
        docs = docs + node(name, launch['nodePool'], choice['instanceType'], choice['zone'], choice['capacityType'])
        where = {p: name if at == launch['id'] else at for p, at in where.items()}
    out = []
    for d in docs:
        if d['kind'] in ('Node', 'NodeClaim') and d['metadata']['name'] in command['nodes']:
            continue
        if d['kind'] == 'Pod' and 'default/' + d['metadata']['name'] in where:
            d = dict(d, spec=dict(d['spec'], nodeName=where['default/' + d['metadata']['name']]))
        if d['kind'] == 'Pod' and d['spec']['nodeName'] in command['nodes']:
            continue  # its node was called empty: nobody asked where it goes
        out.append(d)
    return out


def check_end(docs):
    """Consolidation comes to an end, and never makes the cluster dearer."""
    undrifted = [dict(d, status={'conditions': [c for c in d['status']['conditions'] if c['type'] != 'Drifted']}) if d['kind'] == 'NodeClaim' else d
                 for d in docs]
    for number in range(MOST_PASSES):
        plan = json.loads(disrupt(undrifted))
        if not plan['commands']:
            return
        before = price(undrifted)
        for c in plan['commands']:
            undrifted = apply(undrifted, c, number)
        assert price(undrifted) <= before + 1e-9, f'{before} became {price(undrifted)}'
    raise AssertionError('there is no end')


def check_world(seed):
    docs = world(seed)
    for method in METHODS:
        check_plan(docs, json.loads(disrupt(docs, '--method', method)))
    answer = disrupt(docs)
    check_plan(docs, json.loads(answer))
    shuffled = list(docs)
    random.Random(seed + 1).shuffle(shuffled)
    assert disrupt(shuffled) == answer, 'the order of the input matters'
    check_end(docs)
    return len(json.loads(answer)['commands'])


def main():
    if 'KARP' not in os.environ:
        print('KARP does not name the program')
        return 77
    seeds = [int(sys.argv[1])] if len(sys.argv) > 1 else range(WORLDS)
    failures = commands = 0
    for seed in seeds:
        try:
            commands += check_world(seed)
        except AssertionError as error:
            failures += 1
            print(f'world {seed}: {error}')
    print(f'{len(seeds)} clusters, {commands} commands, {failures} failures')
    return 1 if failures or not commands else 0


if __name__ == '__main__':
    sys.exit(main())
