# SPDX-License-Identifier: Apache-2.0
"""What Python adds: decisions, frames, plain demands. Medians of processor time, so that other work does not count.

    KARP_LIBRARY=build/lib PYTHONPATH=bindings/python python3 bindings/python/bench/bench.py [--runs 9] [--check]

--check fails when a figure of docs/python.md is missed. Without pandas or polars their rows are left out.
"""
import argparse
import importlib.util
import json
import statistics
import sys
import time

import karp

KINDS = [('250m', '512Mi'), ('500m', '1Gi'), ('1', '1Gi'), ('1', '4Gi'), ('1500m', '2Gi'), ('2', '4Gi'), ('2', '16Gi'),
         ('3', '6Gi'), ('4', '8Gi'), ('7', '28Gi')]
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
        'spec': {'template': {'spec': {
            'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
            'requirements': [{'key': 'karpenter.k8s.aws/instance-category', 'operator': 'In', 'values': ['c', 'm', 'r']}]}}}}


def cluster(pods):
    made = [POOL]
    for i in range(pods):
        cpu, memory = KINDS[i % len(KINDS)]
        made.append({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'web-{i}', 'namespace': f'team-{i % 7}',
                                                                    'labels': {'app': f'web-{i % len(KINDS)}'}},
                     'spec': {'containers': [{'name': 'main', 'resources': {'requests': {'cpu': cpu, 'memory': memory}}}]}})
    return json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': made}).encode()


def decide(snapshot):
    """A decision, and everything that a caller acts on."""
    with snapshot.plan() as plan:
        return [(launch.node_pool, launch.choice.instance_type, launch.choice.price, launch.instance_types[:60], launch.pods)
                for launch in plan.launches], plan.cost


def median(runs, function):
    took = []
    for _ in range(runs):
        began = time.process_time()
        function()
        took.append((time.process_time() - began) * 1000)
    return statistics.median(took)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--runs', type=int, default=9)
    parser.add_argument('--check', action='store_true')
    options = parser.parse_args()
    rows = []
    document = cluster(1000)
    catalogue = karp.catalogue(region='us-west-2')
    small = karp.load(document, catalogue=catalogue)
    rows.append(('read 1,000 pods (JSON) into a snapshot', median(options.runs, lambda: karp.load(document, catalogue=catalogue)),
                 None))
    rows.append(('decide on 1,000 pods', median(options.runs, lambda: small.plan().close()), 10))
    rows.append(('decide on 1,000 pods and read every launch', median(options.runs, lambda: decide(small)), 10))
    large = karp.load(cluster(100_000), catalogue=catalogue)
    plan = large.plan()
    for module, frame in (('pandas', lambda source: source.to_pandas('pods')), ('polars', lambda source: source.to_polars('pods'))):
        if importlib.util.find_spec(module):
            assert len(frame(large)) == 100_000
            rows.append((f'100,000 pods of a snapshot to {module}', median(options.runs, lambda: frame(large)), 50))
            rows.append((f'100,000 pods of a plan to {module}', median(options.runs, lambda: frame(plan)), 50))
    types = {'g5.8xlarge': karp.NodeType({'CPU': 32, 'GPU': 1}, price=2.448), 'm5.large': karp.NodeType({'CPU': 2}, price=0.096)}
    rows.append(('fit 9,838 equal bundles', median(options.runs, lambda: karp.fit(
        [{'CPU': 16, 'GPU': 1}] * 9838, types, groups='all-or-nothing')), 10))
    missed = [name for name, took, most in rows if most is not None and took > most]
    for name, took, most in rows:
        print(f'{took:9.2f} ms  {"" if most is None else f"(at most {most})":14}  {name}')
    if options.check and missed:
        print('missed:', '; '.join(missed))
    return 1 if options.check and missed else 0


if __name__ == '__main__':
    sys.exit(main())
