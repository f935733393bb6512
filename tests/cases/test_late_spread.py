# SPDX-License-Identifier: Apache-2.0
"""Spread constraints that only come up when a pod gives an OR-term up (S-Q5), in plans that take many rounds: the first round does not count
what it has placed before them, the later ones do. Whatever the rounds before have left behind, plans for the least cost and repack plans verify,
their certificates hold, and nobody loses."""
import json
import pathlib
import sys
import tempfile

from small_clusters import catalogue, node, pod
from stories import check, equal, finish, run

ZONE = 'topology.kubernetes.io/zone'
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
        'spec': {'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]},
                 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}


def late(name, on, app, cpu='250m'):
    """The first term names a label that nothing has; the second one is another filter of the spread."""
    made = pod(name, on, cpu)
    made['metadata']['labels'] = {'app': app}
    made['spec']['affinity'] = {'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [
        {'matchExpressions': [{'key': 'nowhere.io/known', 'operator': 'Exists'}]},
        {'matchExpressions': [{'key': ZONE, 'operator': 'In', 'values': ['a', 'b']}]}]}}}
    made['spec']['topologySpreadConstraints'] = [{'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule',
                                                  'labelSelector': {'matchLabels': {'app': app}}}]
    return made


def pending(made):
    del made['spec']['nodeName']
    made['status'] = {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}
    return made


def pinned(name, app):
    made = pending(pod(name, '', '500m'))
    made['metadata']['labels'] = {'app': app}
    made['spec']['nodeSelector'] = {ZONE: 'a'}
    return made


def sound(folder, verb, items, *more):
    """The plan, which verifies, and whose proof holds."""
    file, proof = folder / 'there.json', folder / 'proof.json'
    file.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': items}))
    there = ('-f', file, '--catalogue', folder / 'types.json', '--now', '2026-01-02T00:00:00Z')
    out, _ = run(verb, *there, '-o', 'json', '--certificate', proof, *more)
    (folder / 'plan.json').write_text(out)
    run('verify', folder / 'plan.json', *there)
    run('verify', '--certificate', proof, *there)
    return json.loads(out)


def main():
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        (folder / 'types.json').write_text(json.dumps(catalogue()))
        waiting = [POOL] + [pinned(f'pin{i}', f'app{i % 3}') for i in range(9)]
        waiting += [pending(late(f'late{i}', '', f'app{i % 3}', '700m')) for i in range(18)]
        plan = sound(folder, 'plan', waiting, '--objective', 'cost')
        figures = plan['objective']
        equal(sum(len(x['pods']) for x in plan['launches']), 27, 'pods that are placed')
        check(figures['bound'] <= figures['cost'] < figures['compatibleCost'], f'several rounds have come to something: {figures}')
        running = [POOL]
        for i in range(8):
            host = node(f'n{i}', 'small', 2)
            host[0]['metadata']['labels'][ZONE] = 'ab'[i % 2]
            running += host + [late(f'p{i}', f'n{i}', f'app{i // 4}'), pod(f'q{i}', f'n{i}', '250m')]
        plan = sound(folder, 'repack', running)
        check(plan['costAfter'] < plan['costBefore'], f"a repack plan saves something: {plan['costBefore']} {plan['costAfter']}")


main()
sys.exit(finish())
