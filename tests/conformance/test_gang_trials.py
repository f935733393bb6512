# SPDX-License-Identifier: Apache-2.0
"""Situations with groups of pods that a real kube-scheduler was asked (trials/…/gangs beside this repository): profile karp places the same
pods in the same domains wherever the scheduler finds a plan, and what differs is listed with its cause."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SHARED = pathlib.Path(os.environ.get('KARP_SHARED', pathlib.Path(__file__).parents[2] / '..' / 'shared'))
FOLDER = next(iter(sorted(SHARED.glob('trials/*/gangs'))), None)
if FOLDER is None or 'KARP' not in os.environ:
    print('no situations')
    sys.exit(77)
try:
    import yaml
except ImportError:
    print('no yaml')
    sys.exit(77)

GREEDY, PREEMPTION, LATER = 'the scheduler is greedy', 'plans evict nobody', 'it depends on when pods came'
DIFFER = {('14', 0): GREEDY, ('24', 0): GREEDY, ('33', 0): GREEDY, ('19', 0): LATER, ('60', 0): LATER,
          ('20', 0): 'the scheduler of a pod is not read', ('36', 0): 'the gate is off there'} | \
    {(n, 1): PREEMPTION for n in ('37', '39', '40', '41', '49')}
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'},
        'spec': {'limits': {'cpu': '0'}, 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}
TYPES = [{'name': 'small', 'labels': {'node.kubernetes.io/instance-type': ['small'], 'kubernetes.io/os': ['linux']},
          'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '20'},
          'offerings': [{'zone': 'other', 'capacityType': 'on-demand', 'price': 1, 'available': True}]}]


def step_of(document):
    return int(document.get('metadata', {}).get('annotations', {}).get('trial/step', '0'))


def placed(objects, folder):
    (folder / 'cluster.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [*objects, POOL]}))
    (folder / 'types.json').write_text(json.dumps(TYPES))
    done = subprocess.run([os.environ['KARP'], 'plan', '-f', folder / 'cluster.json', '--catalogue', folder / 'types.json', '--profile', 'karp',
                           '-o', 'json'], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 3), done.stderr
    return {p.split('/')[-1]: row['node'] for row in json.loads(done.stdout)['placements'] for p in row['pods']}


def compare(path, folder):
    """The differences in the steps that need no action of their own."""
    documents = [d for d in yaml.safe_load_all(path.read_text()) if d]
    number, before, out = path.name[:2], {}, []
    if any(d['kind'] in ('Job',) for d in documents):
        return 0, []
    acted = min((step_of(d) for d in documents if d['kind'] == 'Action'), default=99)
    told = yaml.safe_load(path.with_name(path.stem + '.out.yaml').read_text())['steps']
    for n, outcome in enumerate(told[:acted]):
        objects = [json.loads(json.dumps(d)) for d in documents if step_of(d) <= n and d['kind'] != 'Action']
        bound = {}
        for i, d in enumerate(objects):
            d['metadata'].setdefault('creationTimestamp', f'2026-11-29T00:{i // 60:02}:{i % 60:02}Z')
            if d['kind'] == 'Pod':
                name = d['metadata']['name']
                if name in before:
                    d['spec'].setdefault('nodeName', before[name])
                if 'nodeName' in d['spec']:
                    bound[name] = d['spec']['nodeName']
                    d['status'] = {'phase': 'Running'}
        before = {k: v.split(' ')[0] for k, v in outcome['bound'].items()}
        want = {k: v for k, v in before.items() if k not in bound}
        got = placed(objects, folder)
        same = set(got) == set(want) and sorted(re.sub(r'\d', '', v) for v in got.values()) == sorted(re.sub(r'\d', '', v) for v in want.values())
        if same == ((number, n) in DIFFER):
            out.append(f'{path.name}, step {n}: {want} there, {got} here, {DIFFER.get((number, n), "which should agree")}')
    return min(acted, len(told)), out


def main():
    steps, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(p for p in FOLDER.glob('*.yaml') if not p.name.endswith('.out.yaml')):
            count, found = compare(path, pathlib.Path(folder))
            steps, wrong = steps + count, wrong + found
    print('\n'.join(wrong) or f'{steps} steps as in the cluster, or with a known cause')
    return 1 if wrong or not steps else 0


if __name__ == '__main__':
    sys.exit(main())
