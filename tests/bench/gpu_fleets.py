#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far repack plans of GPU fleets end above their bounds.

    python3 tests/bench/gpu_fleets.py build/karp FOLDER [--sizes 100,300,1000,4000] [--variants plain,zone-spot] [--effort 1s] [--budget 100%]

The pods are those of gpu_trace.py, which says what FOLDER has. Karpenter launches nodes for all of them, and then half of the pods end.
The first figure is for a plan without a limit of evictions. For the second, Karpenter's own commands are carried out one by one until it
finds none (up to --most-played pods; 0 = never), and a plan is made with at most as many evictions.
"""
import argparse
import csv
import gzip
import itertools
import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from gpu_trace import BASE, LISTS, instance  # noqa: E402
from repacking import churned  # noqa: E402
from trajectory import Karp, bound_to, karpenter  # noqa: E402


def fleet(karp, base, rows, size, variant, budget):
    document = instance(base, rows, size, variant)
    for item in document['objects']:
        if item['kind'] == 'NodePool':
            item['spec']['disruption'] = {'budgets': [{'nodes': budget}], 'consolidateAfter': '0s', 'consolidationPolicy': 'WhenEmptyOrUnderutilized'}
        elif item['kind'] == 'Pod':
            owner = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': item['metadata']['labels']['app'], 'uid': 'u', 'controller': True}
            item['metadata']['ownerReferences'] = [owner]
    listed = {'apiVersion': 'v1', 'kind': 'List', 'items': document['objects']}
    listed = churned(bound_to(listed, karp.ask('plan', listed)))
    running = {item['spec']['nodeName'] for item in listed['items'] if item['kind'] == 'Pod'}
    return {**listed, 'items': [item for item in listed['items'] if item['kind'] != 'Node' or item['metadata']['name'] in running]}


def main():
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument('karp')
    given.add_argument('folder', type=pathlib.Path)
    given.add_argument('--sizes', default='100,300,1000,4000')
    given.add_argument('--variants', default='plain,zone-spot')
    given.add_argument('--effort', default='1s')
    given.add_argument('--budget', default='100%')
    given.add_argument('--most-played', type=int, default=1000)
    given.add_argument('--lists', default=','.join(LISTS))
    given = given.parse_args()
    if not BASE.exists():
        sys.exit('the instance whose types are used is not here')
    base, gaps, limited = gzip.decompress(BASE.read_bytes()), [], []
    with tempfile.NamedTemporaryFile('w', suffix='.json') as types:
        json.dump(json.loads(base)['catalogues'][0]['instanceTypes'], types)
        types.flush()
        karp = Karp(given.karp, '--catalogue', types.name, '--now', '2026-01-02T00:00:00Z')
        for name, size, variant in itertools.product(given.lists.split(','), map(int, given.sizes.split(',')), given.variants.split(',')):
            rows = list(csv.DictReader((given.folder / f'openb_pod_list_{name}.csv').open()))
            listed = fleet(karp, base, rows, size, variant.split('-'), given.budget)
            plan = karp.ask('repack', listed, '--effort', given.effort)
            gaps.append(plan['costAfter'] / plan['bound'] - 1)
            line = (f"| {name}, {plan['pods']} pods of {size}, {variant} | {plan['costBefore']:.3f} | {plan['bound']:.3f} | {plan['costAfter']:.3f} | "
                    f'{gaps[-1]:.2%} |')
            if size <= given.most_played:
                end, evictions, _ = karpenter(karp, listed)
                cost = karp.ask('repack', end, '--effort', '1')['costBefore']
                plan = karp.ask('repack', listed, '--effort', given.effort, '--max-evictions', str(evictions))
                limited.append(plan['costAfter'] / plan['bound'] - 1)
                line += f" {cost:.3f} with {evictions} | {plan['bound']:.3f} | {plan['costAfter']:.3f} with {plan['evictions']} | {limited[-1]:.2%} |"
            print(line, flush=True)
    print(f'all: median {statistics.median(gaps):.2%}, worst {max(gaps):.2%}')
    if limited:
        print(f"with Karpenter's number of evictions: median {statistics.median(limited):.2%}, worst {max(limited):.2%}")


if __name__ == '__main__':
    main()
