# SPDX-License-Identifier: Apache-2.0
"""karp tune against a plain exhaustive search: the NodePool of every design of a grid is written here, and karp plan --settle or karp replay is asked what it comes to."""
import concurrent.futures
import csv
import copy
import itertools
import json
import os
import pathlib
import random
import sys

from stories import check, document, equal, run

WHOLE = sys.argv[1:] == ['whole']  # the long suite: whole workloads, grids of hundreds
PATIENCE = 3000 if WHOLE else 100  # seconds until a search is given up
KEYS = {'capacity-type': 'karpenter.sh/capacity-type', 'instance-family': 'karpenter.k8s.aws/instance-family', 'instance-size': 'karpenter.k8s.aws/instance-size',
        'instance-category': 'karpenter.k8s.aws/instance-category', 'zone': 'topology.kubernetes.io/zone'}
NODE_CLASS = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'},
              'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'role': 'nodes'}}


def pool(disruption, **required):
    """A NodePool; `required` has values by the name of an axis with _ for -."""
    requirements = [{'key': KEYS[name.replace('_', '-')], 'operator': 'In', 'values': values} for name, values in required.items()]
    requirements.append({'key': 'kubernetes.io/arch', 'operator': 'In', 'values': ['amd64']})
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
            'spec': {'template': {'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, 'requirements': requirements}},
                     'disruption': disruption}}


def designed(given, changes):
    """The NodePool with these values of axes."""
    made = copy.deepcopy(given)
    spec, disruption = made['spec']['template']['spec'], made['spec']['disruption']
    for name, value in changes.items():
        if name in KEYS:
            spec['requirements'] = [r for r in spec['requirements'] if r['key'] != KEYS[name]]
            if value != 'any':
                spec['requirements'].append({'key': KEYS[name], 'operator': 'In', 'values': value.split('+')})
        elif name == 'budget':
            disruption['budgets'] = [{'nodes': value}]
        else:
            disruption[name] = value
    return made


def save(folder, name, *objects):
    path = pathlib.Path(folder, name)
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def settled(arguments):
    plan = document('plan', '--settle', *arguments)
    last = plan['designs'][-1]
    return last['cost']['perHour'], last['podsLeft'], sum(r['nodesRemoved'] for r in plan['rounds'])


def replayed(arguments):
    one = document('replay', *arguments)['policies'][0]
    return one['dollars'], one['podsUnplaced'], one['evictions']


def search(folder, given, axes, ask, arguments):
    """What every design of the grid comes to, by its changes: (cost, pods left, evictions or nodes removed)."""
    grid = [dict(chosen) for chosen in itertools.product(*([(name, None), *((name, value) for value in values)] for name, values in axes.items()))]
    grid = [{name: value for name, value in chosen.items() if value is not None} for chosen in grid]

    def one(numbered):
        number, changes = numbered
        return ask([*arguments, '--replace', save(folder, f'design-{number}.json', designed(given, changes))])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(zip(grid, threads.map(one, enumerate(grid))))


def compare(folder, what, given, axes, ask, arguments, tuned):
    """Asks both searches, and for the designs that karp tune tries by itself, too."""
    found = search(folder, given, axes, ask, arguments)
    left = min(figures[1] for _, figures in found)
    allowed = [(changes, figures) for changes, figures in found if figures[1] == left]
    now, least = found[0][1][0], min(figures[0] for _, figures in allowed)
    check(least < now * 0.98, f'{what}: the grid has something to find')
    check(len({figures for _, figures in found}) > min(len(found) // 4, 10), f'{what}: designs differ')
    words = [*tuned, *(word for name, values in axes.items() for word in ('--axis', f'{name}={",".join(values)}'))]
    cost = 'perHour' if ask is settled else 'dollars'
    whole = document('tune', *words, '--designs', '1000', patience=PATIENCE)
    equal((whole['grid'], len(whole['designs'])), (len(found), len(found)), f'{what}: the whole grid')
    listed = {json.dumps({c['name']: c['value'] for c in d['changes']}, sort_keys=True): d for d in whole['designs']}
    for changes, figures in found:
        d = listed[json.dumps(changes, sort_keys=True)]
        equal((d[cost], d['podsLeft'], d['nodesRemoved' if ask is settled else 'evictions']), figures, f'{what}: {changes}')
    best = whole['designs'][whole['best']]
    equal(best[cost], least, f'{what}: what the best design costs')
    equal(min(figures[2] for _, figures in allowed if figures[0] == least), best['nodesRemoved' if ask is settled else 'evictions'], f'{what}: of equal cost, the fewest evictions')
    patch = pathlib.Path(folder, 'best.yaml')
    patch.write_text(run('tune', *words, '--designs', '1000', '-o', 'yaml', patience=PATIENCE)[0])
    equal(ask([*arguments, '--replace', patch])[0], least, f'{what}: the NodePools that are written')
    usual = document('tune', *words, patience=PATIENCE)
    tried = usual['designs'][usual['best']][cost]
    saved = (now - tried) / (now - least)
    check(saved > 0.9, f'{what}: {len(usual["designs"])} designs of {len(found)} save {saved:.0%} of what the whole grid does')
    print(f'{what}: {len(found)} designs, ${now:.2f} as it is, ${least:.2f} the least of all ({1 - least / now:.1%} less); {len(usual["designs"])} designs: ${tried:.2f}')
    return patch


# ---- charts with usage

# Requests of the workloads of 152 charts with their default values, without Jobs: bitnami/charts, commit 5165628, and prometheus-community/helm-charts, commit
# cf408a2 (both Apache-2.0). How many of them there are, kind, replicas, and millicores and MiB of each container.
CHARTS = '''
6 DaemonSet 1 0:0
1 DaemonSet 1 100:0
7 DaemonSet 1 100:128
3 DaemonSet 1 100:128 100:128
1 DaemonSet 1 250:256 250:256
1 DaemonSet 1 10:0
1 DaemonSet 1 30:120
1 DaemonSet 1 500:512
1 DaemonSet 1 50:50
26 Deployment 1 0:0
2 Deployment 1 1000:2048
1 Deployment 1 1000:2048 100:128
3 Deployment 1 1000:3072
1 Deployment 1 1000:3072 500:512
77 Deployment 1 100:128
1 Deployment 1 100:128 100:128
2 Deployment 1 100:64
27 Deployment 1 250:256
5 Deployment 1 500:1024
19 Deployment 1 500:512
1 Deployment 1 500:512 500:512
2 Deployment 2 250:256
1 Deployment 2 500:1024 100:128
5 StatefulSet 1 1000:2048
3 StatefulSet 1 1000:3072
47 StatefulSet 1 100:128
12 StatefulSet 1 250:256
4 StatefulSet 1 500:1024
19 StatefulSet 1 500:512
1 StatefulSet 2 100:128
5 StatefulSet 2 500:1024
5 StatefulSet 2 500:512
3 StatefulSet 3 100:128
4 StatefulSet 3 250:256
3 StatefulSet 3 500:1024
4 StatefulSet 3 500:512
2 StatefulSet 6 100:128
'''


def workload(name, kind, replicas, containers):
    spec = {'selector': {'matchLabels': {'app': name}},
            'template': {'metadata': {'labels': {'app': name}}, 'spec': {'containers': [
                {'name': f'c{i}', 'image': 'x', 'resources': {'requests': {'cpu': f'{cpu}m', 'memory': f'{memory}Mi'}}} for i, (cpu, memory) in enumerate(containers)]}}}
    if kind != 'DaemonSet':
        spec['replicas'] = replicas
    if kind == 'StatefulSet':
        spec['serviceName'] = name
    return {'apiVersion': 'apps/v1', 'kind': kind, 'metadata': {'name': name}, 'spec': spec}


def charts(every=1):
    """Each `every`-th of the workloads of the charts, the DaemonSets among them."""
    found = []
    for line in CHARTS.split('\n')[1:-1]:
        count, kind, replicas, *containers = line.split()
        found += [(kind, int(replicas), [tuple(map(int, c.split(':'))) for c in containers])] * int(count)
    return [workload(f'{kind.lower()}-{i}', kind, replicas, containers) for i, (kind, replicas, containers) in enumerate(found) if i % every == 0]


def usage(objects, path):
    """What they use, made up: between a tenth of what they request and half as much again, in 24 samples."""
    draw = random.Random(58)
    with open(path, 'w', newline='') as file:
        table = csv.writer(file)
        table.writerow(('owner', 'kind', 'container', 'time', 'cpu', 'memory'))
        for one in objects:
            for container in one['spec']['template']['spec']['containers']:
                requests = container['resources']['requests']
                cpu, memory = int(requests['cpu'][:-1]) or 50, int(requests['memory'][:-2]) or 64
                level, use = draw.uniform(0.1, 1.0), draw.uniform(0.3, 1.2)
                for hour in range(24):
                    table.writerow((one['metadata']['name'], one['kind'], container['name'], f'2026-03-02T{hour:02}:00:00Z',
                                    f'{cpu * level * draw.uniform(0.5, 1.5) / 1000:.4f}', int(memory * use * draw.uniform(0.9, 1.1)) * 2 ** 20))
    return path
