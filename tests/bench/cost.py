# SPDX-License-Identifier: Apache-2.0
"""How far plans for the least cost are above what is proven, and Karpenter's plans beside them.

    python3 tests/bench/cost.py build/karp [--instances 60] [--pods 300,1000] [--efforts 10ms,100ms,1s] [--known FOLDER] [--only PART,...]

Parts: general (seeded mixes of pods on the c, m and r types of us-east-1, a third with selectors), anti (1,000 pods, at most one of a Deployment
on a host, 20 and 100 types; the optimum beside it where highspy is installed), zone (1,000 pods spread over three zones), large (100,000 pods
of 1,000 Deployments, and the most memory that a plan took), known (instances whose best plan is known, where they are). Exit
status 1: a plan below its bound, dearer than Karpenter's, or dearer with more effort.
"""
import argparse
import gzip
import json
import math
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

try:
    import highspy
except ImportError:
    highspy = None

PARTS = ['general', 'anti', 'zone', 'large', 'known']
KNOWN = pathlib.Path(__file__).resolve().parents[3] / 'shared' / 'cost'
NODE_CLASS = {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}
ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c']


def among(key, *values):
    return {'key': key, 'operator': 'In', 'values': list(values)}


GENERAL = [among('karpenter.k8s.aws/instance-category', 'c', 'm', 'r'), among('karpenter.sh/capacity-type', 'on-demand'),
           {'key': 'karpenter.k8s.aws/instance-generation', 'operator': 'Gt', 'values': ['2']}]


def pool(*more):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
            'spec': {'template': {'spec': {'nodeClassRef': NODE_CLASS, 'requirements': [*GENERAL, *more]}}}}


def deployment(name, replicas, cpu, memory, **spec):
    """cpu in thousandths, memory in MiB."""
    requests = {'cpu': f'{cpu}m', 'memory': f'{memory}Mi'}
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': name, 'namespace': 'default'}, 'spec': {
        'replicas': replicas, 'selector': {'matchLabels': {'app': name}}, 'template': {'metadata': {'labels': {'app': name}}, 'spec': {
            'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': requests}}], **spec}}}}


def shape(rng):
    """Requests as services make them: a quarter of a core in the middle, two to four GiB a core, both with long tails."""
    cpu = min(max(round(math.exp(rng.gauss(math.log(300), 1.1)) / 10) * 10, 20), 12000)
    memory = min(max(round(cpu * math.exp(rng.gauss(math.log(2.6), 0.8)) / 16) * 16, 32), 60000)
    return cpu, memory


def selector(rng):
    return {'nodeSelector': rng.choice([{'kubernetes.io/arch': 'amd64'}, {'karpenter.k8s.aws/instance-category': rng.choice('cmr')},
                                        {'karpenter.k8s.aws/instance-generation': rng.choice('678')}])}


def general(seed, pods):
    rng = random.Random(seed)
    count = rng.randint(10, 60)
    weights = [rng.paretovariate(1.2) for _ in range(count)]
    return [pool(), *(deployment(f'app-{i}', math.ceil(pods * w / sum(weights)), *shape(rng), **(selector(rng) if rng.random() < 0.33 else {}))
                      for i, w in enumerate(weights))]


def apart(name):
    return {'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
        {'labelSelector': {'matchLabels': {'app': name}}, 'topologyKey': 'kubernetes.io/hostname'}]}}}


def over_zones(name):
    return {'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey': 'topology.kubernetes.io/zone', 'whenUnsatisfiable': 'DoNotSchedule',
                                           'labelSelector': {'matchLabels': {'app': name}}}]}


def ten_shapes():
    rng = random.Random(1)
    return [shape(rng) for _ in range(10)]


def ten_deployments(rule, *more):
    return [pool(*more), *(deployment(f'app-{i}', 100, *s, **rule(f'app-{i}')) for i, s in enumerate(ten_shapes()))]


class Bench:
    def __init__(self, karp, efforts, folder):
        self.karp, self.efforts, self.folder, self.wrong = karp, efforts, folder, 0

    def plans(self, name, file, *more):
        """The `objective` of the plan at each effort."""
        out = []
        for effort in self.efforts:
            command = [self.karp, 'plan', '-f', file, *more, '--objective', 'cost', '--effort', effort, '-o', 'json', '--compact']
            out.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)['objective'])
        costs = [o['cost'] for o in out]
        for o in out:
            if o['cost'] < o['bound'] * (1 - 1e-9) or o['cost'] > o['compatibleCost'] * (1 + 1e-9):
                self.fault(name, f'{o["cost"]} is below the bound {o["bound"]} or above Karpenter\'s {o["compatibleCost"]}')
        if any(b > a * (1 + 1e-9) for a, b in zip(costs, costs[1:])):
            self.fault(name, f'more effort is dearer: {costs}')
        return out

    def fault(self, name, text):
        self.wrong += 1
        print(f'WRONG {name}: {text}', flush=True)

    def listed(self, name, objects, *more):
        file = self.folder / f'{name}.json'
        file.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
        return self.plans(name, file, *more)


def above(costs, bounds):
    return [100 * (c / b - 1) for c, b in zip(costs, bounds) if b > 0]


def spread(parts):
    """Median and 90th percentile."""
    last = sorted(parts)[max(math.ceil(0.9 * len(parts)) - 1, 0)]
    return f'{statistics.median(parts):.1f} / {last:.1f}'


def run_general(bench, given):
    for pods in map(int, given.pods.split(',')):
        all_plans = [bench.listed(f'general-{pods}-{seed}', general(seed, pods), '--region', 'us-east-1') for seed in range(1, given.instances + 1)]
        bounds = [plans[-1]['bound'] for plans in all_plans]
        cells = [spread(above([plans[i]['cost'] for plans in all_plans], bounds)) for i in range(len(bench.efforts))]
        karpenter = spread(above([plans[0]['compatibleCost'] for plans in all_plans], bounds))
        print(f'| general, {pods} pods, {len(bounds)} instances: % above the bound | {karpenter} | {" | ".join(cells)} |', flush=True)


def over(cost, than):
    part = 100 * (cost / than - 1)
    return f'{cost:.3f} ({part if abs(part) >= 0.05 else 0:+.1f} %)'


def one_row(text, plans):
    bound = plans[-1]['bound']
    cells = ' | '.join(over(o['cost'], bound) for o in plans)
    print(f'| {text}: bound {bound:.3f} $/h | {over(plans[0]["compatibleCost"], bound)} | {cells} |', flush=True)


def cheapest_sets(types, shapes):
    """What the cheapest node costs that holds one pod of each of a set of shapes, by the set's bits."""
    out = {}
    for t in types:
        prices = [o['price'] for o in t['offerings'] if o['available'] and o['capacityType'] == 'on-demand']
        cpu, memory = amount(t['allocatable']['cpu']) * 1000, amount(t['allocatable']['memory']) / 2**20
        for bits in range(1, 1 << len(shapes)):
            here = [s for i, s in enumerate(shapes) if bits >> i & 1]
            if prices and sum(s[0] for s in here) <= cpu and sum(s[1] for s in here) <= memory and len(here) <= int(t['allocatable']['pods']):
                out[bits] = min(min(prices), out.get(bits, math.inf))
    return out


def amount(text):
    units = {'m': 1e-3, 'Ki': 2**10, 'Mi': 2**20, 'Gi': 2**30}
    unit = next((u for u in units if text.endswith(u)), '')
    return float(text.removesuffix(unit)) * units.get(unit, 1)


def optimum_apart(types, shapes, each):
    """The least that nodes cost which hold each shape so often, at most once on a node."""
    h = highspy.Highs()
    h.silent()
    prices = cheapest_sets(types, shapes)
    nodes = {bits: h.addIntegral(lb=0, ub=each) for bits in prices}
    for i in range(len(shapes)):
        h.addConstr(sum(n for bits, n in nodes.items() if bits >> i & 1) >= each)
    h.minimize(sum(prices[bits] * n for bits, n in nodes.items()))
    return h.getInfo().objective_function_value


def run_anti(bench, _):
    said = subprocess.run([bench.karp, 'catalogue', '--region', 'us-east-1', '-o', 'json'], capture_output=True, text=True, check=True)
    types = {t['name']: t for t in json.loads(said.stdout)}
    names = sorted(types)
    names = [n for n in names if n[0] in 'cmr' and n[1].isdigit() and int(n[1]) > 2 and 'metal' not in n]
    for count in (20, 100):
        some = names[::len(names) // count][:count]
        plans = bench.listed(f'anti-{count}', ten_deployments(apart, among('node.kubernetes.io/instance-type', *some)), '--region', 'us-east-1')
        optimum = f', optimum {optimum_apart([types[n] for n in some], ten_shapes(), 100):.2f}' if highspy else ''
        one_row(f'one pod per host, 1,000 pods, {count} types{optimum}', plans)


def run_zone(bench, _):
    plans = bench.listed('zone', ten_deployments(over_zones, among('topology.kubernetes.io/zone', *ZONES)), '--region', 'us-east-1')
    one_row('spread over 3 zones, 1,000 pods', plans)


def run_large(bench, _):
    rng = random.Random(7)
    plans = bench.listed('large', [pool(), *(deployment(f'app-{i}', 100, *shape(rng)) for i in range(1000))], '--region', 'us-east-1')
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    one_row(f'100,000 pods, 1,000 Deployments, {memory:.0f} MiB at most', plans)


def run_known(bench, given):
    folder = pathlib.Path(given.known)
    if not (folder / 'index.json').is_file():
        print('(no instances with known plans here)')
        return
    for known in json.loads((folder / 'index.json').read_text())['instances']:
        if known['kind'] != 'plan':
            continue
        file = bench.folder / 'known.json'
        file.write_bytes(gzip.decompress((folder / known['file']).read_bytes()))
        plans, best = bench.plans(known['name'], file), known['best_known']
        cells = ' | '.join(over(o['cost'], best) for o in plans)
        print(f'| {known["name"]}: best known {best:.3f} $/h | {over(plans[0]["compatibleCost"], best)} | {cells} |', flush=True)


def main():
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument('karp')
    given.add_argument('--instances', type=int, default=60)
    given.add_argument('--pods', default='300,1000')
    given.add_argument('--efforts', default='10ms,100ms,1s')
    given.add_argument('--known', default=KNOWN)
    given.add_argument('--only', default=','.join(PARTS))
    given = given.parse_args()
    efforts = given.efforts.split(',')
    print(f'| | Karpenter | {" | ".join(efforts)} |\n|---|{"---|" * (1 + len(efforts))}', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given.karp, efforts, pathlib.Path(folder))
        for part in given.only.split(','):
            {'general': run_general, 'anti': run_anti, 'zone': run_zone, 'large': run_large, 'known': run_known}[part](bench, given)
    return bench.wrong > 0


if __name__ == '__main__':
    sys.exit(main())
