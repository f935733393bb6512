# SPDX-License-Identifier: Apache-2.0
"""Plans for the least cost with groups of pods, before an exhaustive search: bound <= cheapest plan <= the plan.

The cheapest plan places the same pods, keeps each group in one domain, and respects limits, racks and zones. Plan and certificate are
verified by karp verify, and the certificate by tests/reference/certificate.py as well.

    test_gang_cost.py [--from SEED] [--count WORLDS]
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
import certificate # noqa: E402
import gangs # noqa: E402
import test_gang_worlds as worlds # noqa: E402

PRICES = {'a': 1, 'b': 2}
MOST_PODS = 7


def cheapest(world, placed):
    """The least cost of launches with which all these pods have a place; None = more than the search can tell."""
    nodes = [gangs.Bin(n['cpu'], n['pods'], {worlds.HOST: name, **n['labels']}) for name, n in world['nodes'].items()]
    where = {b.labels[worlds.HOST]: b for b in nodes}
    domains = {}
    for pod in world['pods'].values():
        if pod['node']:
            where[pod['node']].put(pod)
            key = pod['group'] and world['groups'][pod['group']]['key']
            if key:
                domains[pod['group']] = where[pod['node']].labels.get(key)
    left = {name: p['limit'] for name, p in world['pools'].items()}
    best = [None]

    def fits(b, pod):
        key = pod['group'] and world['groups'][pod['group']]['key']
        if not b.takes(pod, None):
            return False
        value = b.labels.get(key) if key else None
        return not key or (bool(value) and domains.get(pod['group'], value) == value)

    def put(bins, b, rest, pod, cost):
        key = pod['group'] and world['groups'][pod['group']]['key']
        fresh = bool(key) and pod['group'] not in domains
        if fresh:
            domains[pod['group']] = b.labels[key]
        b.put(pod)
        place(bins, rest, cost)
        b.take_back(pod)
        if fresh:
            del domains[pod['group']]

    def place(bins, pods, cost):
        if best[0] is not None and cost >= best[0]:
            return
        if not pods:
            best[0] = cost
            return
        pod, rest, tried = pods[0], pods[1:], set()
        for b in bins:
            like = (b.cpu, b.pods, tuple(sorted((k, str(v)) for k, v in b.labels.items())), tuple(sorted(b.tags)))
            if like not in tried and fits(b, pod):
                tried.add(like)
                put(bins, b, rest, pod, cost)
        for name, pool in world['pools'].items():
            if left[name] < worlds.TYPE_CPU:
                continue
            for zone in 'ab':
                for rack in pool['racks'] or [None]:
                    new = gangs.Bin(worlds.TYPE_CPU, worlds.TYPE_PODS, {worlds.ZONE: zone, worlds.HOST: f'new-{len(bins)}', **({worlds.RACK: rack} if rack else {})})
                    if fits(new, pod):
                        left[name] -= worlds.TYPE_CPU
                        put([*bins, new], new, rest, pod, cost + PRICES[zone])
                        left[name] += worlds.TYPE_CPU
    place(nodes, placed, 0)
    return best[0]


def karp(*words):
    done = subprocess.run([os.environ['KARP'], *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 3), f'karp {words[0]}: exit {done.returncode}: {done.stdout}{done.stderr}'
    return done.stdout


def refuse_more(proof, given):
    """Whoever checks it refuses a certificate that claims more, of all or of a group of pods. Returns how many were tried."""
    good = json.loads(proof.read_text())
    more = [dict(good, value=good['value'] + 1)]
    for g in good.get('groups', []):
        if g['domains']:
            classes = [dict(c) for c in good['classes']]
            classes[g['class']]['price'] += 1
            more.append(dict(good, classes=classes))
    for one in more:
        proof.write_text(json.dumps(one))
        done = subprocess.run([os.environ['KARP'], 'verify', *map(str, given), '--certificate', proof, '--profile', 'karp'], capture_output=True, text=True, timeout=60)
        assert done.returncode == 1, f'karp verify accepts a certificate that claims more: {done.stdout}{done.stderr}'
        assert certificate.refusal(one) is not None, 'certificate.py accepts a certificate that claims more'
    return len(more) - 1


def check(seed, folder):
    """The bound, the least cost and the plan's, or None if the plan launches nothing."""
    world = worlds.make(random.Random(seed))
    cluster, proof = folder / 'cluster.json', folder / 'proof.json'
    proof.unlink(missing_ok=True)
    cluster.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': worlds.objects(world)}))
    given = '-f', cluster, '--catalogue', folder / 'types.json'
    plan = json.loads(karp('plan', *given, '--profile', 'karp', '--objective', 'cost', '--certificate', proof, '-o', 'json'))
    names = [worlds.bare(n) for row in plan['launches'] + plan['placements'] for n in row['pods']]
    found, groups = plan.get('objective') or {}, 0
    if not plan['launches'] or len(names) > MOST_PODS:
        return None
    worlds.check(world, plan)
    (folder / 'plan.json').write_text(json.dumps(plan))
    done = subprocess.run([os.environ['KARP'], 'verify', folder / 'plan.json', *given], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f'karp verify: {done.stdout}{done.stderr}'
    if proof.exists():
        held = json.loads(karp('verify', *given, '--certificate', proof, '--profile', 'karp', '-o', 'json'))
        assert held['holds'], f'karp verify --certificate: {held}'
        done = subprocess.run([sys.executable, SOURCE / 'tests' / 'reference' / 'certificate.py', proof], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f'certificate.py: {done.stdout}{done.stderr}'
        groups = refuse_more(proof, given)
    cost = sum(float(row['choice']['price']) for row in plan['launches'])
    least = cheapest(world, sorted((world['pods'][n] for n in names), key=lambda p: -p['cpu']))
    bound = found.get('bound')
    assert least is not None, 'the search finds no place for what the plan places'
    assert least <= cost + 1e-9, f'the search needs {least}, the plan {cost}'
    assert bound is None or float(bound) <= least + 1e-9, f'the bound {bound} is above the cheapest plan, {least}'
    return float(bound) if bound is not None else None, least, cost, groups


def check_many(folder, pods, groups):
    """Groups whose one kind of pods is cheap in one zone, and the other kind in the other: too many for a search of all plans."""
    kinds = {'cpu': '4'}, {'cpu': '1', 'example.com/gpu': '1'}
    items = [{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'}, 'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}]
    for g in range(groups):
        items.append({'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': f'g{g}'}, 'spec': {
            'schedulingPolicy': {'gang': {'minCount': 2 * pods}}, 'schedulingConstraints': {'topology': [{'key': worlds.ZONE}]}}})
        for i in range(2 * pods):
            amounts = {'requests': kinds[i % 2], 'limits': {k: v for k, v in kinds[i % 2].items() if k != 'cpu'}}
            items.append({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'g{g}-{i}', 'uid': f'u-{g}-{i}'}, 'status': {'phase': 'Pending'}, 'spec': {
                'schedulingGroup': {'podGroupName': f'g{g}'}, 'containers': [{'name': 'c', 'resources': amounts}]}})
    (folder / 'cluster.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': items}))
    types = [dict(worlds.CATALOGUE[0], name=name, labels=worlds.CATALOGUE[0]['labels'] | {'node.kubernetes.io/instance-type': [name]}, capacity={'memory': '64Gi', 'pods': '20', **has},
                  offerings=[{'zone': z, 'capacityType': 'on-demand', 'price': p, 'available': True} for z, p in zip('ab', prices)])
             for name, has, prices in (('cpu', {'cpu': '4'}, (10, 1)), ('gpu', {'cpu': '2', 'example.com/gpu': '1'}, (1, 10)))]
    (folder / 'two.json').write_text(json.dumps(types))
    proof, given = folder / 'proof.json', ('-f', folder / 'cluster.json', '--catalogue', folder / 'two.json', '--profile', 'karp')
    found = json.loads(karp('plan', *given, '--objective', 'cost', '--certificate', proof, '-o', 'json'))['objective']
    assert found['cost'] == 11 * pods * groups and found['gap'] < 1e-9, f'{groups} groups of {2 * pods} pods: {found}'
    assert json.loads(karp('verify', *given[:-2], '--certificate', proof, '--profile', 'karp', '-o', 'json'))['holds']
    assert certificate.refusal(json.loads(proof.read_text())) is None
    refuse_more(proof, given[:-2])


def main():
    words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    first, count = int(words.get('--from', 1)), int(words.get('--count', 60))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / 'types.json').write_text(json.dumps(worlds.CATALOGUE))
        check_many(folder, 200, 1)
        check_many(folder, 8, 40)
        for seed in range(first, first + count):
            try:
                row = check(seed, folder)
            except AssertionError as error:
                print(f'world {seed}: {error}')
                return 1
            rows += [row] if row else []
    with_bound = [r for r in rows if r[0] is not None]
    best, tight = sum(r[1] == r[2] for r in rows), sum(r[0] >= r[1] - 1e-9 for r in with_bound)
    print(f'{count} worlds, {len(rows)} with launches: {best} plans are the cheapest; {len(with_bound)} bounds, {tight} of them tight; '
          f'{sum(r[3] for r in rows)} groups with a choice of domains; sums: bounds {sum(r[0] for r in with_bound):.2f}, cheapest {sum(r[1] for r in with_bound)}, plans {sum(r[2] for r in with_bound)}')
    if not with_bound or sum(r[0] for r in with_bound) < 0.9 * sum(r[1] for r in with_bound) or not any(r[3] for r in rows):
        print('no world has launches and a bound, no group has a choice, or the bounds are far below the cheapest plans')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
