# SPDX-License-Identifier: Apache-2.0
"""Equal launches are one row in the text of repack plans and disruptions, as they are in that of plans, and many begin with totals."""
import json
import pathlib
import tempfile

import small_clusters as sc
from stories import check, equal, finish, run

POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
    'disruption': {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]},
    'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': []}}}}
APART = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
    {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels': {'app': 'web'}}}]}}


def cluster(nodes, pods_each, drifted=False):
    """Large nodes with pods of which each new node takes one."""
    objects = [POOL]
    for n in range(nodes):
        node, claim = sc.node(f'n{n}', 'large', 8)
        if drifted:
            claim['status']['conditions'].append({'type': 'Drifted', 'status': 'True', 'lastTransitionTime': '2026-01-01T00:00:00Z'})
        objects += [node, claim]
        for k in range(pods_each):
            pod = sc.pod(f'web-{n * pods_each + k}', f'n{n}', '1')
            pod['spec']['affinity'] = APART
            objects.append(pod)
    return objects


def shown(folder, verb, objects, *words):
    path, types = pathlib.Path(folder) / 'cluster.json', pathlib.Path(folder) / 'types.json'
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    types.write_text(json.dumps(sc.catalogue()))
    return run(verb, path, '--catalogue', types, '--now', '2026-01-02T00:00:00Z', *words)[0]


def rows(text):
    return [line.strip() for line in text.splitlines() if line.strip().startswith('->')]


with tempfile.TemporaryDirectory() as name:
    # A repack plan of one step: its launches are one row, their totals come first.
    sc.TYPES[0] = ('small', 2, 0.05)
    text = shown(name, 'repack', cluster(1, 5), '--profile', 'karp')
    equal(rows(text), ['-> 5 \u00d7 small a on-demand  $0.250/h'], 'a step')
    check('5 pods  default/web-{0..4}' in text, text)
    head = text.split('Step 1')[0]
    check('Totals' in head and 'NodePools       5 \u00d7 default $0.250/h' in head and 'instance types  5 \u00d7 small $0.250/h' in head, head)
    # Steps are carried out one by one, so each has its own; up to three launches stay apart.
    text = shown(name, 'repack', cluster(2, 3), '--profile', 'karp')
    equal(rows(text), ['-> small a on-demand  $0.050/h'] * 6, 'two steps')
    check('6 \u00d7 small $0.300/h' in text, text)
    # A disruption, and as wide as it gets.
    dear = cluster(1, 5, drifted=True)
    text = shown(name, 'disrupt', dear, '--method', 'Drift')
    equal(rows(text), ['-> 5 \u00d7 small a on-demand  $0.250/h'], 'a drifted node')
    check('instance types  5 \u00d7 small $0.250/h' in text.split('Candidates')[0], text)
    text = shown(name, 'disrupt', dear, '--method', 'Drift', '-o', 'wide')
    equal(rows(text), ['-> small a on-demand  $0.050/h'] * 5, 'wide')
    # What costs more saves nothing.
    sc.TYPES[0] = ('small', 2, 0.1)
    text = shown(name, 'disrupt', dear, '--method', 'Drift')
    check('(Drift)  costs $0.140/h more' in text and '$-' not in text, text)
    check('Totals' not in shown(name, 'disrupt', cluster(1, 3, drifted=True), '--method', 'Drift'), 'a glance')
    # Pods share a row of what does not fit only if as many types are left for them at each step.
    limited = json.loads(json.dumps(POOL))
    limited['spec']['limits'] = {'cpu': '1'}
    waiting = []
    for k, cpu in enumerate(('1', '1', '90')):
        pod = sc.pod(f'web-{k}', None, cpu)
        pod['spec'].pop('nodeName', None)
        pod['status'] = {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}
        waiting.append(pod)
    text = ' '.join(shown(name, 'plan', [limited, *waiting]).split())
    check('!   default/web-{0,1}' in shown(name, 'plan', [limited, *waiting]) and '0 by resources)' in text and 'with an offering)' in text, text)
raise SystemExit(finish())
