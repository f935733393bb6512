#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far plans for the least cost are above their bounds, for pods of a GPU trace.

    python3 tests/bench/gpu_trace.py build/karp FOLDER [--sizes 100,300,1000,4000,8152] [--variants plain,zone-spot]
        [--lists default] [--effort 1s]

FOLDER has the lists of pods of the trace (csv of cluster-trace-gpu-v2023 in github.com/alibaba/clusterdata): the lists cpu250, default
and multigpu50 are used. So many pods are drawn from each with seed 1, some of them more than once if the list is shorter. They are
planned on the types of a cost instance with GPUs that comes with the conformance cases. Variants: plain; spot (spot and on demand);
mixed (the same, where every other Deployment wants on demand); zone (each Deployment of up to 40 equal pods is spread over zones); host
(at most two of them on a node); or several of these joined by '-'. "all" are three ways to spread by three capacity types. A second
table has the distances by variant and size: the highest of the lists.
"""
import argparse
import collections
import csv
import gzip
import itertools
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

BASE = pathlib.Path(__file__).resolve().parents[3] / 'shared' / 'cost' / 'openb-gpu-1500.snapshot.json.gz'
LISTS = ['cpu250', 'default', 'multigpu50']
ON_DEMAND = {'karpenter.sh/capacity-type': 'on-demand'}
SPREADS = {'zone': ('topology.kubernetes.io/zone', 1), 'host': ('kubernetes.io/hostname', 2)}


def pod_of(number, row, seen, variant):
    kind = f"a-{row['cpu_milli']}-{row['memory_mib']}-{row['num_gpu']}"
    seen[kind] += 1
    deployment = seen[kind] // 40
    labels = {'app': f'{kind}-{deployment}'}
    requests = {'cpu': f"{row['cpu_milli']}m", 'memory': f"{row['memory_mib']}Mi"}
    if int(row['num_gpu']) > 0:
        requests['nvidia.com/gpu'] = row['num_gpu']
    spread = [{'maxSkew': skew, 'topologyKey': key, 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {'matchLabels': labels}}
              for name, (key, skew) in SPREADS.items() if name in variant]
    return {'apiVersion': 'v1', 'kind': 'Pod',
            'metadata': {'name': f'p{number}', 'namespace': 'openb', 'labels': labels, 'creationTimestamp': '2025-12-31T00:00:00Z'},
            'spec': {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': requests}}],
                     'nodeSelector': ON_DEMAND if 'mixed' in variant and (list(seen).index(kind) + deployment) % 2 else {},
                     'topologySpreadConstraints': spread},
            'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}}


def drawn(rows, size):
    rng = random.Random(1)
    return rng.sample(rows, size) if size <= len(rows) else rng.sample(rows, len(rows)) + rng.choices(rows, k=size - len(rows))


def instance(base, rows, size, variant):
    document = json.loads(base)
    objects = [o for o in document['objects'] if o['kind'] != 'Pod']
    for o in objects:
        for requirement in o['spec']['template']['spec']['requirements'] if o['kind'] == 'NodePool' else []:
            if requirement['key'] == 'karpenter.sh/capacity-type':
                requirement['values'] = ['spot', 'on-demand'] if {'spot', 'mixed'} & set(variant) else requirement['values']
    seen = collections.Counter()
    for number, row in enumerate(drawn(rows, size)):
        objects.append(pod_of(number, row, seen, variant))
    document['objects'] = objects
    return document


def main():
    given = argparse.ArgumentParser()
    given.add_argument('karp')
    given.add_argument('folder', type=pathlib.Path)
    given.add_argument('--sizes', default='100,300,1000,4000,8152')
    given.add_argument('--variants', default='plain,zone-spot')
    given.add_argument('--lists', default=','.join(LISTS))
    given.add_argument('--effort', default='1s')
    given = given.parse_args()
    if not BASE.exists():
        sys.exit('the instance whose types are used is not here')
    variants = given.variants.split(',')
    if variants == ['all']:
        variants = ['-'.join(filter(None, words)) or 'plain' for words in itertools.product(('', 'zone', 'host'), ('', 'spot', 'mixed'))]
    base, gaps, worst = gzip.decompress(BASE.read_bytes()), [], collections.defaultdict(float)
    sizes = list(map(int, given.sizes.split(',')))
    for name in given.lists.split(','):
        rows = list(csv.DictReader((given.folder / f'openb_pod_list_{name}.csv').open()))
        for size in sizes:
            for variant in variants:
                with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
                    json.dump(instance(base, rows, size, variant.split('-')), file)
                    file.flush()
                    answer = subprocess.run([given.karp, 'plan', '-f', file.name, '--objective', 'cost', '--effort', given.effort,
                                             '-o', 'json'], capture_output=True, text=True, check=True).stdout
                found = json.loads(answer)['objective']
                gaps.append(found['cost'] / found['bound'] - 1)
                worst[variant, size] = max(worst[variant, size], gaps[-1])
                print(f"| {name}, {size} pods, {variant} | {found['compatibleCost']:.3f} | {found['bound']:.3f} | {found['cost']:.3f} | "
                      f'{gaps[-1]:.2%} |', flush=True)
    for variant in variants:
        print(f'| {variant} | ' + ' | '.join(f'{worst[variant, size]:.2%}' for size in sizes) + ' |')
    print(f'median {statistics.median(gaps):.2%}, worst {max(gaps):.2%}')


if __name__ == '__main__':
    main()
