#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""certificates.py KARP COUNT [repack|tree]: certificates of random worlds hold for `karp verify --certificate` and for the checker in
tests/reference, and COUNT random mutations of them that claim more are refused by both (C-12). With repack: those of repack plans; with
tree: those that have a tree over numbers of nodes."""
import copy
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
import certificate  # noqa: E402
from bounds.numbers import Refused  # noqa: E402
from bounds.prices import spaces_of  # noqa: E402
from bounds.repacking import point_proves  # noqa: E402

WORLDS = 10
ZONES = ['a', 'b', 'c']


def one(key, *values):
    return {'key': key, 'operator': 'In', 'values': list(values)}


def instance_type(rng, number):
    cpus = 2**rng.randint(1, 5)
    kind = rng.choice(['on-demand', 'spot'])
    price = round(cpus * rng.uniform(0.03, 0.07), 4)
    name = f't{number}.{cpus}'
    offerings = [{'requirements': [one('topology.kubernetes.io/zone', z), one('karpenter.sh/capacity-type', kind)],
                  'price': round(price * rng.uniform(0.9, 1.1), 4), 'available': rng.random() < 0.9} for z in ZONES]
    return {'name': name, 'capacity': {'cpu': str(cpus), 'memory': f'{cpus * rng.choice([2, 4, 8])}Gi', 'pods': '58'},
            'overhead': {'kubeReserved': {'cpu': '80m', 'memory': '300Mi'}}, 'offerings': offerings,
            'requirements': [one('node.kubernetes.io/instance-type', name), one('kubernetes.io/arch', rng.choice(['amd64', 'arm64'])),
                             one('kubernetes.io/os', 'linux'), one('topology.kubernetes.io/zone', *ZONES),
                             one('karpenter.sh/capacity-type', kind)]}


def pods(rng, spread):
    for app in range(rng.randint(3, 8)):
        spec = {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {
            'cpu': f'{rng.choice([50, 100, 250, 500, 1500, 3000])}m', 'memory': f'{rng.randint(1, 40) * 128}Mi'}}}]}
        labels = {'app': f'app-{app}'}
        if rng.random() < 0.3:
            spec['nodeSelector'] = {'kubernetes.io/arch': rng.choice(['amd64', 'arm64'])}
        if rng.random() < 0.3:
            spec['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
                {'labelSelector': {'matchLabels': labels}, 'topologyKey': 'kubernetes.io/hostname'}]}}
        if rng.random() < 0.3:
            spec['tolerations'] = [{'key': 'team', 'operator': 'Exists'}]
        if spread and rng.random() < 0.3:
            spec['topologySpreadConstraints'] = [{'maxSkew': 1, 'topologyKey': 'topology.kubernetes.io/zone',
                                                  'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {'matchLabels': labels}}]
        for i in range(rng.randint(1, 12)):
            yield {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'p-{app}-{i}', 'namespace': 'd', 'labels': labels},
                   'spec': spec, 'status': {'phase': 'Pending', 'conditions': [
                       {'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}}


def pool(name, **spec):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name},
            'spec': {'template': {'spec': {'nodeClassRef': {'group': 'karpenter.kwok.sh', 'kind': 'KWOKNodeClass', 'name': 'default'},
                                           'requirements': [], **spec}}},
            'status': {'conditions': [{'type': t, 'status': 'True'} for t in ['NodeClassReady', 'ValidationSucceeded', 'Ready']]}}


def world(rng, spread=False):
    daemon = {'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': 'agent', 'namespace': 'd'}, 'spec': {
        'selector': {'matchLabels': {'ds': 'agent'}}, 'template': {'metadata': {'labels': {'ds': 'agent'}}, 'spec': {
            'tolerations': [{'operator': 'Exists'}],
            'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '60m', 'memory': '64Mi'}}}]}}}}
    return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': '2026-01-01T00:00:00Z',
            'catalogues': [{'instanceTypes': [instance_type(rng, n) for n in range(15)]}],
            'objects': [pool('general'), pool('team', taints=[{'key': 'team', 'value': 'x', 'effect': 'NoSchedule'}]), daemon,
                        *pods(rng, spread)], 'settings': {}, 'state': {}}


def node(rng, number, type_, of_pool):
    offering = rng.choice(type_['offerings'])
    (zone,), (kind,) = (r['values'] for r in offering['requirements'])
    name, (arch,) = f'n-{number}', next(r['values'] for r in type_['requirements'] if r['key'] == 'kubernetes.io/arch')
    cpus, gib = int(type_['capacity']['cpu']), int(type_['capacity']['memory'][:-2])
    labels = {'karpenter.sh/nodepool': of_pool, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true',
              'karpenter.sh/capacity-type': kind, 'topology.kubernetes.io/zone': zone, 'kubernetes.io/arch': arch,
              'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': name, 'node.kubernetes.io/instance-type': type_['name']}
    allocatable = {'cpu': f'{cpus * 1000 - 80}m', 'memory': f'{gib * 1024 - 300}Mi', 'pods': '58'}
    taints = [{'key': 'team', 'value': 'x', 'effect': 'NoSchedule'}] if of_pool == 'team' else []
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels},
            'spec': {'providerID': f'i-{number}', 'taints': taints},
            'status': {'capacity': type_['capacity'], 'allocatable': allocatable, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def claim(node_):
    meta, status = node_['metadata'], node_['status']
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': meta['name'], 'labels': meta['labels']},
            'spec': {'nodeClassRef': {'group': 'karpenter.kwok.sh', 'kind': 'KWOKNodeClass', 'name': 'default'}, 'requirements': [],
                     'taints': node_['spec']['taints']},
            'status': {'nodeName': meta['name'], 'providerID': node_['spec']['providerID'], 'capacity': status['capacity'],
                       'allocatable': status['allocatable'], 'conditions': [
                           {'type': t, 'status': 'True', 'reason': t, 'lastTransitionTime': '2025-12-01T00:00:00Z'}
                           for t in ['Launched', 'Registered', 'Initialized', 'Consolidatable', 'Ready']]}}


def churned(rng):
    """A world whose pods are on nodes that are far too many."""
    w = world(rng, spread=True)
    types = w['catalogues'][0]['instanceTypes']
    disruption = {'budgets': [{'nodes': '100%'}], 'consolidateAfter': '0s', 'consolidationPolicy': 'WhenEmptyOrUnderutilized'}
    w['objects'][0]['spec']['disruption'] = w['objects'][1]['spec']['disruption'] = disruption
    nodes = [node(rng, i, rng.choice(types), rng.choice(['general', 'general', 'team'])) for i in range(rng.randint(15, 30))]
    objects, left = [o for o in w['objects'] if o['kind'] != 'Pod'], {}
    for n in nodes:
        space = n['status']['allocatable']
        left[n['metadata']['name']] = [int(space['cpu'][:-1]) - 60, int(space['memory'][:-2]) - 64]
    for p in (o for o in w['objects'] if o['kind'] == 'Pod'):
        asked = p['spec']['containers'][0]['resources']['requests']
        cpu, memory, arch = int(asked['cpu'][:-1]), int(asked['memory'][:-2]), (p['spec'].get('nodeSelector') or {}).get('kubernetes.io/arch')
        fits = [n for n in nodes if left[n['metadata']['name']][0] >= cpu and left[n['metadata']['name']][1] >= memory and
                arch in (None, n['metadata']['labels']['kubernetes.io/arch']) and
                ('tolerations' in p['spec'] or not n['spec']['taints']) and
                ('affinity' not in p['spec'] or not any(o['kind'] == 'Pod' and o['spec']['nodeName'] == n['metadata']['name'] and
                                                        o['metadata']['labels'] == p['metadata']['labels'] for o in objects))]
        if not fits:
            continue
        name = rng.choice(fits)['metadata']['name']
        left[name][0] -= cpu
        left[name][1] -= memory
        p['spec'] = dict(p['spec'], nodeName=name)
        p['status'] = {'phase': 'Running', 'conditions': [{'type': 'PodScheduled', 'status': 'True'}, {'type': 'Ready', 'status': 'True'}]}
        p['metadata']['ownerReferences'] = [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'r', 'uid': 'u', 'controller': True}]
        if rng.random() < 0.05:
            p['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
        objects.append(p)
    w['objects'] = objects + nodes + [claim(n) for n in nodes]
    return w


# ---- mutations -----------------------------------------------------------------------------------------------------------------


def recount(c):
    """The value becomes what the mutated numbers come to."""
    c['value'] = sum(x['price'] * x['count'] for x in c['classes'])


def priced(c, rng):
    return rng.choice([x for x in c['classes'] if x['price'] > 0] or c['classes'])  # none has, where all pods fit nodes that stay


def claim_value(c, rng):
    c['value'] += rng.choice([1, 1000, c['value'] // 100 + 1, c['value'] * 2])


def dearer_class(c, rng):
    priced(c, rng)['price'] += rng.choice([1, 1000, 10**9, 10**15]) + 10**4  # more than what is rounded away
    recount(c)


def more_pods(c, rng):
    priced(c, rng)['count'] += rng.randint(1, 100)
    recount(c)


def scale(c, factor):
    for x in c['classes']:
        x['price'] = int(x['price'] * factor)
    for row in c['rows']:
        row['shares'] = [int(s * factor) + 1 for s in row['shares']]
        row['extras'] = [[n, int(a * factor) + 1] for n, a in row['extras']]


def dearer_rows(c, rng):
    scale(c, rng.uniform(1.01, 3))
    recount(c)


def dearer_offerings(c, rng):
    factor = rng.uniform(1.01, 3)
    scale(c, factor)
    for o in c['offerings']:
        o['cost'] = int(o['cost'] * (factor + 0.01)) + 100
    recount(c)


def smaller_nodes(c, rng):
    factor = rng.uniform(1.01, 1.5)
    for x in c['classes']:
        x['price'] = int(x['price'] * factor)
    for row in c['rows']:
        row['capacity'] = [int(a / factor / 1.01) if a > 0 else a for a in row['capacity']]
    recount(c)


def goes_nowhere_else(c, rng):
    class_ = priced(c, rng)
    number = c['classes'].index(class_)
    for row in c['rows']:
        row['classes'] = [n for n in row['classes'] if n != number]
    dearest = max(range(len(c['rows'])), key=lambda i: c['offerings'][c['rows'][i]['of']]['cost'])
    c['rows'][dearest]['classes'] = sorted(c['rows'][dearest]['classes'] + [number])
    class_['price'] = class_['price'] * 2 + 10
    recount(c)


def larger_pods(c, rng):
    class_ = priced(c, rng)
    class_['requests'] = [r * 2 for r in class_['requests']]
    class_['price'] = class_['price'] * 2 - 10
    recount(c)


def fewer_offerings(c, rng):
    row = rng.randrange(len(c['rows']))
    keep = [o for o in c['offerings'] if o['row'] != row]
    if not keep or len(c['rows']) < 2:
        return claim_value(c, rng)
    kept = [i for i, o in enumerate(c['offerings']) if o['row'] != row]
    c['offerings'] = keep
    c['rows'] = [dict(r, of=kept.index(r['of'])) for i, r in enumerate(c['rows']) if i != row]
    for o in keep:
        o['row'] -= o['row'] > row
    claim_value(c, rng)
    return None


def with_cases(c, rng):
    """A row that has cases; failing that, any."""
    return rng.choice([r for r in c['rows'] if r.get('cases')] or c['rows'])


def fewer_cases(c, rng):
    row, shares = with_cases(c, rng), [0 for _ in c['resources']]
    cases = row.get('cases') or [{'shares': shares}]
    row['cases'] = rng.choice([cases[:-1], cases[1:], cases[-1:], [{'shares': shares}], [{'class': 0, 'copies': 10**9}, {'shares': shares}]])
    dearer_class(c, rng)


def shifted_case(c, rng):
    splits = [x for r in c['rows'] for x in r.get('cases') or [] if 'class' in x]
    if not splits:
        return dearer_class(c, rng)
    for x in rng.sample(splits, min(len(splits), 3)):
        x['copies'] = max(0, x['copies'] + rng.choice([-1, 1, 100, 2**62]))
    dearer_class(c, rng)
    return None


def cheaper_shares(c, rng):
    for row in c['rows']:
        for x in row.get('cases') or []:
            if 'shares' in x:
                x['shares'] = [int(s * rng.uniform(0, 1)) for s in x['shares']]
    dearer_class(c, rng)


def empty_case(c, rng):
    """All contents are said to be those that cannot be."""
    row, shares = with_cases(c, rng), [0 for _ in c['resources']]
    row['cases'] = [{'class': rng.randrange(len(c['classes'])), 'copies': rng.choice([0, 10**6, 2**62])}, {'shares': shares}, {'shares': shares}]
    dearer_class(c, rng)


def leaf(c, rng):
    """The place of a leaf of the tree; None = there is no tree."""
    return rng.choice([i for i, b in enumerate(c.get('branches', [])) if 'weights' in b] or [None])


def missing_leaf(c, rng):
    at = leaf(c, rng)
    if at is None:
        return claim_value(c, rng)
    c['branches'] = rng.choice([c['branches'][:at] + c['branches'][at + 1:], c['branches'][:-1], c['branches'] + c['branches'][at:at + 1]])
    return None


def lighter_leaf(c, rng):
    at = leaf(c, rng)
    if at is None:
        return claim_value(c, rng)
    for weight in c['branches'][at]['weights']:
        weight[1] = int(weight[1] * rng.uniform(0, 0.9))
    c['value'] += c['value'] // 10**6 + 1
    return None


def wrong_side(c, rng):
    splits = [b for b in c.get('branches', []) if 'row' in b]
    if not splits:
        return claim_value(c, rng)
    split = rng.choice(splits)
    split.update(rng.choice([{'nodes': split['nodes'] + 1}, {'nodes': max(split['nodes'] - 1, 0)}, {'row': (split['row'] + 1) % len(c['rows'])}]))
    c['value'] += c['value'] // 10**6 + 1
    return None


def dearer_further(c, rng):
    """Further prices that are no longer what the rows pay."""
    if not c.get('prices'):
        return claim_value(c, rng)
    prices = rng.choice(c['prices'])
    prices['classes'] = [int(y * 1.1) + 10**4 for y in prices['classes']]
    c['value'] += c['value'] // 10**6 + 1
    return None


TREE_KINDS = [missing_leaf, lighter_leaf, wrong_side, dearer_further]
KINDS = [fewer_cases, shifted_case, cheaper_shares, empty_case, claim_value, dearer_class, more_pods, dearer_rows, dearer_offerings, smaller_nodes, goes_nowhere_else, larger_pods,
         fewer_offerings]


# ---- of repack plans ------------------------------------------------------------------------------------------------------------


def prove(c):
    """All points and the value become what the mutated numbers come to, if they come to something."""
    try:
        spaces = spaces_of(c)
    except Refused:
        return
    for p in c['points']:
        p['value'] = max(0, int(point_proves(c, p, spaces)))
    c['value'] = c['points'][-1]['value']


def claim_point(c, rng):
    rng.choice(c['points'])['value'] += rng.choice([1, 1000, 10**9, 10**15])


def claim_last(c, rng):
    c['points'][-1]['value'] += rng.choice([1, 1000, 10**9, 10**15])
    c['value'] = c['points'][-1]['value']


def dearer_nodes(c, rng):
    rng.choice(c['cluster'])['cost'] += rng.choice([1000, 10**6, 10**10])  # more than what is rounded away
    prove(c)


def may_not_go(c, rng):
    rng.choice([m for m in c['cluster'] if 'pods' in m]).pop('pods')
    prove(c)


def without_space(c, rng):
    rng.choice([m for m in c['cluster'] if 'node' in m]).pop('node')
    prove(c)


def smaller_space(c, rng):
    row = rng.choice([r for r in c['rows'] if r['of'] >= len(c['offerings']) and max(r['capacity']) > 1])
    row['capacity'] = [x // 2 for x in row['capacity']]
    row['shares'] = [x // 2 for x in row['shares']]
    prove(c)


def more_on_node(c, rng):
    member = rng.choice([m for m in c['cluster'] if m.get('pods')])
    rng.choice(member['pods'])[1] += rng.randint(1, 5)
    prove(c)


def nowhere_on_nodes(c, rng):
    row = rng.choice([r for r in c['rows'] if r['of'] >= len(c['offerings']) and r['classes']])
    row['classes'] = []
    row['shares'] = [0 for _ in row['shares']]
    row['extras'] = []
    row.pop('cases', None)
    prove(c)


def cheaper_space(c, rng):
    row = rng.choice([r for r in c['rows'] if r['of'] >= len(c['offerings']) and sum(r['shares']) > 0 and 'cases' in r] or [None])
    if row is None:
        return claim_last(c, rng)
    row['shares'] = [x * 9 // 10 for x in row['shares']]
    prove(c)


def less_surplus(c, rng):
    class_ = rng.choice([x for x in c['classes'] if 'surplus' in x] or [None])
    if class_ is None:
        return claim_last(c, rng)
    class_['surplus'] //= 2
    prove(c)


def fewer_evictions(c, rng):
    point = rng.choice([p for p in c['points'] if p['evictionPrice'] > 0 and p['evictions'] > 0] or c['points'])
    point['evictions'] = max(0, point['evictions'] - 1)
    point['value'] += point['evictionPrice'] + 1


def negative_price(c, rng):
    point = rng.choice(c['points'])
    point['evictionPrice'] = -10**15
    point['value'] *= 2


def larger_part(c, rng):
    point = rng.choice(c['points'])
    point['part'] = 1000001 + rng.randrange(10**6)
    point['value'] *= 2


def fewer_nodes(c, rng):
    del c['cluster'][rng.randrange(len(c['cluster']))]
    claim_last(c, rng)


def dearer_pods(c, rng):
    priced(c, rng)['price'] += rng.choice([1000, 10**9, 10**12])
    claim_last(c, rng)


REPACK_KINDS = [claim_point, claim_last, dearer_nodes, may_not_go, without_space, smaller_space, more_on_node, nowhere_on_nodes, cheaper_space, less_surplus,
                fewer_evictions, negative_price, larger_part, fewer_nodes, dearer_pods]


def claims_more(mutant, good):
    return mutant['value'] > good['value'] or any(
        any(p['evictions'] <= q['evictions'] and q['value'] > p['value'] for p in good['points']) for q in mutant['points'])


# ---- the test --------------------------------------------------------------------------------------------------------------------


def verify(karp, snapshot, path, document):
    with open(path, 'w', encoding='utf-8') as f:
        json.dump(document, f)
    run = subprocess.run([karp, 'verify', '--certificate', path, '-f', snapshot, '-o', 'json'], capture_output=True, text=True)
    if run.returncode < 0 or (run.returncode != 0 and not run.stdout and not run.stderr):
        raise RuntimeError(f'karp ended with {run.returncode}: {run.stderr}')
    return run.returncode == 0 and json.loads(run.stdout)['holds']


def many(rng):
    """A world of more pods, all of them large, whose nodes are few."""
    w = world(rng)
    w['objects'] = [o for o in w['objects'] if o['kind'] != 'Pod']
    for app in range(12):
        spec = {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {
            'cpu': f'{rng.choice([700, 1100, 1700, 2300, 2900, 3700])}m', 'memory': f'{rng.randint(4, 40) * 128}Mi'}}}]}
        w['objects'] += [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'p-{app}-{i}', 'namespace': 'd', 'labels': {}}, 'spec': spec,
                          'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}}
                         for i in range(rng.randint(4, 14))]
    return w


def certified(karp, mode, snapshot, path):
    how = {'repack': ['repack', '--effort', '30000'], 'tree': ['plan', '--objective', 'cost', '--effort', '30000']}
    command = [karp, *how.get(mode, ['plan', '--objective', 'cost', '--effort', '0']), '-f', snapshot, '--certificate', path, '-o', 'json']
    plan = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    with open(path, encoding='utf-8') as f:
        found = json.load(f)
    if mode != 'repack':
        return found, [(0, float(plan['objective']['cost']))]
    return found, [(0, plan['costBefore']), (plan['evictions'], plan['costAfter'])] + [(p['evictions'], p['cost']) for p in plan['curve']]


def may_be_true(mutant, good, known):
    """Without effort, plans of whole nodes are not looked at, and whole nodes are not counted for every point. What that proves above the value
    that prices prove is no fault, up to the cost of a plan that is known (evictions, cost)."""
    def rest(c):
        return {**c, 'value': 0, 'points': [{**p, 'value': 0, 'evictions': 0} for p in c.get('points', [])]}

    def may(value, evictions):
        return value <= round(min(cost for moved, cost in known if moved <= evictions) * 1e12)
    points = mutant.get('points', [{'evictions': 0}])
    return rest(mutant) == rest(good) and may(mutant['value'], points[-1]['evictions']) and all(may(p['value'], p['evictions']) for p in points if 'value' in p)


def main():
    karp, count, mode = sys.argv[1], int(sys.argv[2]), (sys.argv[3:] or ['plain'])[0]
    repack, make = mode == 'repack', {'repack': churned, 'tree': many}.get(mode, world)
    kinds = {'repack': REPACK_KINDS, 'tree': TREE_KINDS}.get(mode, KINDS)
    bad = done = trees = 0
    with tempfile.TemporaryDirectory() as folder:
        snapshot, path = os.path.join(folder, 'world.json'), os.path.join(folder, 'certificate.json')
        for seed in range(WORLDS):
            rng = random.Random(seed)
            w = make(rng)
            with open(snapshot, 'w', encoding='utf-8') as f:
                json.dump(w, f)
            good, known = certified(karp, mode, snapshot, path)
            trees += 'branches' in good
            if mode == 'tree' and 'branches' not in good:
                continue
            why = certificate.refusal(good, w)
            if why is not None or not verify(karp, snapshot, path, good) or good['value'] <= 0:
                print(f'# world {seed}: its own certificate is refused: {why}')
                bad += 1
            for _ in range(count // WORLDS):
                mutant = copy.deepcopy(good)
                kind = rng.choice(kinds)
                kind(mutant, rng)
                done += 1
                if not (claims_more(mutant, good) if repack else mutant['value'] > good['value']):
                    (claim_last if repack else claim_value)(mutant, rng)
                if may_be_true(mutant, good, known):
                    continue
                for who, holds in (('karp', verify(karp, snapshot, path, mutant)),
                                   ('the reference', certificate.refusal(mutant, w) is None)):
                    if holds:
                        print(f'# world {seed}, {kind.__name__}: accepted by {who}')
                        bad += 1
    if mode in ('tree', 'repack') and trees < 3:
        print(f'# only {trees} worlds have a tree')
        bad += 1
    print(f'1..1\n{"not ok" if bad else "ok"} 1 - {done} certificates that claim more, {bad} faults')
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
