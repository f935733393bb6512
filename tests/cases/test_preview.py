# SPDX-License-Identifier: Apache-2.0
"""--preview split-claims (kubernetes-sigs/karpenter#3133): launches that their last pods made larger are split where that is cheaper."""
import json
import pathlib

from manifests import POOL, folder, manifest, thing
from stories import check, equal, finish, run

TYPES = {1: 0.10, 2: 0.20, 4: 0.40, 8: 0.80, 16: 1.60, 32: 3.20}  # vCPU: dollars an hour


def instance(cpu, price, memory):
    return {'name': f't{cpu}', 'labels': {'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux'], 'node.kubernetes.io/instance-type': [f't{cpu}']},
            'capacity': {'cpu': str(cpu), 'memory': f'{memory}Gi', 'pods': '110'},
            'offerings': [{'zone': 'us-west-2a', 'capacityType': 'on-demand', 'price': price, 'available': True}]}


def catalogue(types=None, memory=4):
    path = pathlib.Path(folder.name) / 'types.json'
    path.write_text(json.dumps([instance(cpu, price, cpu * memory) for cpu, price in (types or TYPES).items()]))
    return path


def pods(name, count, cpu, **spec):
    labels = {'app': name}
    return thing('apps/v1', 'Deployment', name, spec={'replicas': count, 'selector': {'matchLabels': labels}, 'template': {
        'metadata': {'labels': labels}, 'spec': {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': cpu, 'memory': '1Gi'}}}], **spec}}})


def launches(*objects, preview=True, words=(), types=None):
    """The type of each launch, and how many pods it has."""
    words = [*(['--preview', 'split-claims'] if preview else []), *words]
    plan = json.loads(run('plan', '-o', 'json', POOL, manifest(*objects), '--catalogue', catalogue(types), *words)[0])
    check(not plan['unschedulable'], plan['unschedulable'])
    return sorted((l['instanceTypes'][0], len(l['pods'])) for l in plan['launches'])


def anti(name):
    return {'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
        {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels': {'app': name}}}]}}}


def splits():
    example = [pods('large', 16, '1'), pods('small', 1, '500m')]  # 16.5 of 32 vCPU, the example of the proposal
    equal(launches(*example, preview=False), [('t32', 17)], 'as Karpenter decides')
    equal(launches(*example), [('t1', 1), ('t16', 16)], 'split')
    equal(launches(pods('large', 16, '1')), [('t16', 16)], 'nothing to split')
    equal(launches(pods('large', 1, '16')), [('t16', 1)], 'one pod')
    equal(launches(*example, words=['--profile', 'karpenter-1.14']), [('t1', 1), ('t16', 16)], 'beside any version')
    equal(launches(*example, words=['--profile', 'karp']), [('t1', 1), ('t16', 16)], 'and in profile karp')


def gates():
    example = [pods('large', 16, '1'), pods('small', 1, '500m')]
    equal(launches(*example, types={16: 2.5, 32: 3.2}), [('t32', 17)], 'price: less than 24 % cheaper')
    equal(launches(*example, types={16: 1.6, 32: 3.2}), [('t32', 17)], 'net savings: the others need a node as large')
    equal(launches(pods('a', 1, '9'), pods('b', 1, '8')), [('t32', 2)], 'efficiency: 9 of 16 is 6 points more than 17 of 32')
    # The pods that would lose their place must be able to share a node.
    two = [pods('large', 16, '1'), pods('small', 1, '500m', **anti('small'))]
    equal(launches(*two), [('t32', 17)], 'anti-affinity with its like')
    other = [pods('large', 16, '1'), pods('small', 1, '500m', **anti('nobody'))]
    equal(launches(*other), [('t1', 1), ('t16', 16)], 'anti-affinity with others')
    beside = {'affinity': {'podAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
        {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels': {'app': 'large'}}}]}}}
    equal(launches(pods('large', 16, '1'), pods('small', 1, '500m', **beside)), [('t32', 17)], 'affinity with a pod that stays')


def left_pending():
    """As the proposal has it: pods that are bound to a host of their own kind lose it, and get no other."""
    own = {'affinity': {'podAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
        {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels': {'app': 'own'}}}]}}}
    plan = json.loads(run('plan', '-o', 'json', POOL, manifest(pods('own', 18, '1', **own)), '--catalogue', catalogue(), '--preview', 'split-claims')[0])
    equal([(u['code'], u['pod']) for u in plan['unschedulable']], [('TOPOLOGY', 'default/own-16'), ('TOPOLOGY', 'default/own-17')], 'left pending')


def topology():
    """What was counted for pods that lost their place is taken back: they spread anew."""
    spread = {'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey': 'topology.kubernetes.io/zone', 'whenUnsatisfiable': 'DoNotSchedule',
                                             'labelSelector': {'matchLabels': {'app': 'small'}}}]}
    equal(launches(pods('large', 16, '1'), pods('small', 2, '500m', **spread)), [('t1', 2), ('t16', 16)], 'in one zone')
    port = {'containers': [{'name': 'c', 'image': 'x', 'ports': [{'containerPort': 80, 'hostPort': 80}], 'resources': {'requests': {'cpu': '500m', 'memory': '1Gi'}}}]}
    small = pods('small', 1, '500m')
    small['spec']['template']['spec'].update(port)
    equal(launches(pods('large', 16, '1'), small), [('t1', 1), ('t16', 16)], 'a host port')


def comparing():
    words = [POOL, manifest(pods('large', 16, '1'), pods('small', 1, '500m')), '--catalogue', catalogue()]
    out, _ = run('diff', *words, '--', '--preview', 'split-claims')
    check('option --preview  – → split-claims' in out and '(-46.9%)' in out, out)
    _, said = run('plan', *words, '--preview', 'split', status=1)
    check('no such proposal; there are: split-claims' in said, said)
    run('disrupt', *words, '--preview', 'split-claims')


for part in (splits, gates, left_pending, topology, comparing):
    part()
finish()
