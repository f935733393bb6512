# SPDX-License-Identifier: Apache-2.0
"""Plans for the least cost beside the true optimum:   test_cost_oracle.py [COUNT [FIRST [EFFORT]]]

Random inputs of at most 60 pods are also solved as integer programs by HiGHS (highspy): how many copies of each class the nodes of each
offering hold, node by node, with whole pods. No plan is below the optimum, no bound above it, none dearer than Karpenter's; the last line says
how many plans were optimal. Without highspy nothing is tested (exit status 77).
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import highspy
except ImportError:
    print('highspy is not installed')
    sys.exit(77)

KARP = os.environ['KARP']
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 500
FIRST = int(sys.argv[2]) if len(sys.argv) > 2 else 1
EFFORT = sys.argv[3] if len(sys.argv) > 3 else '100ms'
LEAST_SHARE = 0.9  # of the plans that are optimal, where the optimum is known
SECONDS = 60  # for one integer program
SAME = 1e-6  # sums of prices that differ by less are equal
MOST_PATTERNS = 30000


def among(key, *values):
    return {'key': key, 'operator': 'In', 'values': list(values)}


def world(rng):
    """Classes of pods (thousandths of a CPU, MiB, arch or None, how many, whether each needs a host of its own) and types of one zone."""
    types = []
    for family in range(rng.randint(1, 3)):
        each, of_cpu, arch = rng.choice([2, 4, 8]), rng.uniform(0.03, 0.06), rng.choice(['amd64', 'amd64', 'arm64'])
        for cpus in rng.sample([1, 2, 4, 8], rng.randint(2, 4)):
            price = round(cpus * (of_cpu + 0.004 * each) * rng.uniform(0.97, 1.05), 4)
            types.append({'name': f't{family}.{cpus}', 'cpu': cpus * 1000, 'memory': cpus * each * 1024, 'pods': rng.choice([4, 8, 29]),
                          'arch': arch, 'price': price})
    classes = []
    for _ in range(rng.randint(1, 5)):
        classes.append({'cpu': rng.choice([250, 300, 500, 700, 1000, 1500]), 'memory': rng.choice([256, 512, 1024, 1500, 3000, 5000]),
                        'arch': rng.choice([None, None, None, types[0]['arch']]), 'count': rng.randint(1, 12), 'apart': rng.random() < 0.15})
    return types, classes


# ---- as karp reads it ---------------------------------------------------------------------------------------------------------------


def instance_type(t):
    return {'name': t['name'], 'capacity': {'cpu': f'{t["cpu"]}m', 'memory': f'{t["memory"]}Mi', 'pods': str(t['pods'])},
            'offerings': [{'requirements': [among('topology.kubernetes.io/zone', 'a'), among('karpenter.sh/capacity-type', 'on-demand')],
                           'price': t['price'], 'available': True}],
            'requirements': [among('node.kubernetes.io/instance-type', t['name']), among('kubernetes.io/arch', t['arch']),
                             among('kubernetes.io/os', 'linux'), among('topology.kubernetes.io/zone', 'a'),
                             among('karpenter.sh/capacity-type', 'on-demand')]}


def pods(number, c):
    spec = {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': f'{c["cpu"]}m', 'memory': f'{c["memory"]}Mi'}}}]}
    labels = {'app': f'app-{number}'}
    if c['arch']:
        spec['nodeSelector'] = {'kubernetes.io/arch': c['arch']}
    if c['apart']:
        spec['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
            {'labelSelector': {'matchLabels': labels}, 'topologyKey': 'kubernetes.io/hostname'}]}}
    for i in range(c['count']):
        yield {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'p-{number}-{i}', 'namespace': 'd', 'labels': labels}, 'spec': spec,
               'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}}


def snapshot(types, classes):
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
            'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': []}}},
            'status': {'conditions': [{'type': kind, 'status': 'True'} for kind in ('NodeClassReady', 'ValidationSucceeded', 'Ready')]}}
    return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': '2026-01-01T00:00:00Z', 'settings': {}, 'state': {},
            'catalogues': [{'instanceTypes': [instance_type(t) for t in types]}],
            'objects': [pool, *(p for n, c in enumerate(classes) for p in pods(n, c))]}


def plan(types, classes, folder):
    file = pathlib.Path(folder, 'input.json')
    file.write_text(json.dumps(snapshot(types, classes)))
    said = subprocess.run([KARP, 'plan', '-f', file, '--objective', 'cost', '--effort', EFFORT, '-o', 'json', '--compact'],
                          capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


# ---- as HiGHS does ------------------------------------------------------------------------------------------------------------------


def goes(c, t):
    return c['arch'] in (None, t['arch']) and c['cpu'] <= t['cpu'] and c['memory'] <= t['memory']


def patterns(t, classes):
    """Every content of a node of the type to which nothing can be added."""
    out = []

    def add(number, copies, cpu, memory, left):
        if number == len(classes):
            if any(copies) and not any(fits_more(c, n, cpu, memory, left) for c, n in zip(classes, copies)):
                out.append(tuple(copies))
            return len(out) <= MOST_PATTERNS
        c, n = classes[number], 0
        while True:
            if not add(number + 1, [*copies, n], cpu - n * c['cpu'], memory - n * c['memory'], left - n):
                return False
            n += 1
            if not goes(c, t) or n > most(c) or n * c['cpu'] > cpu or n * c['memory'] > memory or n > left:
                return True

    def most(c):
        return 1 if c['apart'] else c['count']

    def fits_more(c, n, cpu, memory, left):
        return goes(c, t) and n < most(c) and c['cpu'] <= cpu and c['memory'] <= memory and left >= 1

    return out if add(0, [], t['cpu'], t['memory'], t['pods']) else None


def optimum(types, classes):
    """The least that whole nodes for all pods cost; None = too large, or not solved to the end."""
    h = highspy.Highs()
    h.silent()
    h.setOptionValue('time_limit', float(SECONDS))
    h.setOptionValue('mip_rel_gap', 0.0)
    h.setOptionValue('mip_abs_gap', 1e-7)
    h.setOptionValue('threads', 1)
    bought, served = [], [[] for _ in classes]
    for t in types:
        found = patterns(t, classes)
        if found is None:
            return None
        for copies in found:
            bought.append(t['price'] * h.addIntegral(lb=0, ub=60))
            for n, count in enumerate(copies):
                if count:
                    served[n].append((len(bought) - 1, count))
    if len(bought) > MOST_PATTERNS:
        return None
    columns = h.getVariables()
    for c, terms in zip(classes, served):
        h.addConstr(sum(count * columns[i] for i, count in terms) >= c['count'])
    h.minimize(sum(bought))
    if h.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return h.getInfo().objective_function_value


# ---- side by side -------------------------------------------------------------------------------------------------------------------


def main():
    asked, optimal, proven, known, wrong, gaps = 0, 0, 0, 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(FIRST, FIRST + COUNT):
            types, classes = world(random.Random(seed))
            classes = [c for c in classes if any(goes(c, t) for t in types)]
            if not classes:
                continue
            asked += 1
            made = plan(types, classes, folder)
            least, objective = optimum(types, classes), made['objective']
            placed = sum(len(launch['pods']) for launch in made['launches'])
            if placed != sum(c['count'] for c in classes):
                wrong += 1
                print(f'{seed}: {placed} pods are placed of {sum(c["count"] for c in classes)}')
                continue
            if least is None:
                continue
            known += 1
            cost = objective['cost']
            optimal += cost <= least * (1 + SAME)
            proven += objective['provenOptimal']
            gaps.append(100 * (cost / least - 1))
            if cost < least * (1 - SAME) or objective['bound'] > least * (1 + SAME) or cost > objective['compatibleCost'] * (1 + SAME):
                wrong += 1
                print(f'{seed}: plan {cost}, bound {objective["bound"]}, optimum {least}, Karpenter {objective["compatibleCost"]}')
            if 'KARP_ORACLE_SHOW' in os.environ and cost > least * (1 + SAME):
                print(f'{seed}: plan {cost:.4f}, optimum {least:.4f}', flush=True)
    share = optimal / known if known else 0
    print(f'{asked} inputs, optimum known of {known}: {optimal} plans optimal ({100 * share:.1f} %), '
          f'{proven} of them proven by their bound, the others up to {max(gaps, default=0):.1f} % above; {wrong} wrong')
    return wrong > 0 or known == 0 or share < LEAST_SHARE


if __name__ == '__main__':
    sys.exit(main())
