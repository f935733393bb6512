# SPDX-License-Identifier: Apache-2.0
"""--preview NAME: what proposals to Karpenter would decide."""
import json
import pathlib
import random

import small_clusters as small
from manifests import CLASS, POOL, folder, manifest, thing
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
    equal(run('diff', *words, '--preview', 'split-claims')[0], out, 'the short form')
    both = run('diff', *words, '--preview', 'split-claims', '--preview', 'most-allocated')[0]
    check('(-46.9%)' in both, both)
    _, said = run('plan', *words, '--preview', 'split', status=1)
    check('no such proposal; there are: split-claims' in said, said)
    run('disrupt', *words, '--preview', 'split-claims')


# ---- most-allocated, least-allocated (#3201) --------------------------------------------------------------------------

def existing(name, cpu, ready=True):
    """A node of 8 cores whose pods request so many."""
    labels = {'kubernetes.io/hostname': name, 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/zone': 'us-west-2a'}
    node = thing('v1', 'Node', name, {'labels': labels}, spec={'providerID': f'aws:///us-west-2a/{name}'},
                 status={'allocatable': {'cpu': '8', 'memory': '32Gi', 'pods': '110'}, 'capacity': {'cpu': '8', 'memory': '32Gi', 'pods': '110'},
                         'conditions': [{'type': 'Ready', 'status': 'True' if ready else 'False'}]})
    pod = thing('v1', 'Pod', f'on-{name}', {'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': name, 'uid': name, 'controller': True}]},
                spec={'nodeName': name, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu, 'memory': '1Gi'}}}]}, status={'phase': 'Running'})
    return [node, pod]


def placement():
    cluster = [*existing('a', '2'), *existing('b', '5'), *existing('c', '1')]
    def node(*words):
        plan = json.loads(run('plan', '-o', 'json', POOL, manifest(*cluster, pods('web', 1, '1')), '--catalogue', catalogue(), *words)[0])
        return [p['node'] for p in plan['placements']]
    equal(node(), ['a'], 'as Karpenter decides: by name')
    equal(node('--preview', 'most-allocated'), ['b'], 'the fullest first')
    equal(node('--preview', 'least-allocated'), ['c'], 'the emptiest first')
    check('exclude each other' in run('plan', POOL, manifest(*cluster), '--catalogue', catalogue(), '--preview', 'most-allocated', '--preview', 'least-allocated', status=1)[1], 'both')


# ---- price-expression (#3004) -----------------------------------------------------------------------------------------

def overlay(expression, name='costs', **more):
    return thing('karpenter.sh/v1alpha1', 'NodeOverlay', name, spec={'weight': 10, 'requirements': [
        {'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': ['t4']}], 'priceExpression': expression, **more})


GATE = ['--feature-gates', 'NodeOverlay=true']


def price(expression, *words, status=0, **more):
    out, said = run('plan', '-o', 'json', POOL, manifest(overlay(expression, **more), pods('web', 1, '3')), '--catalogue', catalogue(), *GATE,
                    '--preview', 'price-expression', *words, status=status)
    return said if status else round(float(json.loads(out)['launches'][0]['choice']['price']), 6)


def expressions():
    for text, wanted in (('(self.price * 0.9 + 0.05) * 1.03', 0.4223), ('self.price * 0.9 * 1.03 + 0.05', 0.4208), ('0.50', 0.5), ('1', 0.8),
                         ('self.price - -0.1', 0.5), ('self.price/2.0', 0.2), ('1 / 2', 0), (' ( self.price )', 0.4), ('self.price * (1.0 - 0.10 + 0.03) + 0.05', 0.422),
                         ('1e-1', 0.1), ('.25', 0.25)):
        equal(price(text), wanted, text)
    for text, wanted in (('self.price * 2', 'write 2.0'), ('self.price * (1 - 0.10 + 0.03) + 0.05', 'write 2.0'), ('self.price *', 'a value is missing'),
                         ('(self.price', 'not closed'), ('self.price > 0.1 ? 0.1 : 0.2', 'are evaluated'), ('math.greatest(self.price, 0.1)', 'are evaluated'),
                         ('self.price / 0.0', 'not a finite number'), ('1 / 0', 'divided by 0'), ('self.zone', 'are evaluated'),
                         ('9223372036854775807 + 1', 'too large'), ('0x10', 'without a suffix'), ('3u', 'without a suffix'), ('1.2.3', 'not written as CEL does'),
                         ('(' * 100, 'nested too deeply'), ('"free"', 'are evaluated')):
        said = price(text, status=1)
        check(wanted in said and 'spec.priceExpression' in said and 'costs' in said, f'{text}: {said}')
    check('exclude each other' in price('self.price', status=1, priceAdjustment='-10%'), 'beside an adjustment')
    # A negative price is a preference: t4 comes before t1, which costs 0.1. An adjustment ends at 0.
    def choice(pod_cpu, *words, **spec):
        objects = [thing('karpenter.sh/v1alpha1', 'NodeOverlay', 'o', spec={'requirements': [
            {'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': ['t4']}], **spec}), pods('web', 1, pod_cpu)]
        plan = json.loads(run('plan', '-o', 'json', POOL, manifest(*objects), '--catalogue', catalogue(), *GATE, '--preview', 'price-expression', *words)[0])
        return [(l['choice']['instanceType'], float(l['choice']['price'])) for l in plan['launches']], plan['cost']['after']
    equal(choice('500m', priceExpression='self.price - 1.0'), ([('t4', -0.6)], '-0.6'), 'a negative price')
    equal(choice('500m', priceAdjustment='-1.0')[0], [('t4', 0.0)], 'an adjustment')
    equal(choice('5', priceExpression='self.price - 1.0')[0], [('t8', 0.8)], 'where it does not fit')
    said = price('self.price - 1.0', '--objective', 'cost', status=1)
    check('t4 the price -0.6' in said and 'negative prices' in said, said)
    plan = json.loads(run('plan', '-o', 'json', POOL, manifest(overlay('0.01'), pods('web', 1, '3')), '--catalogue', catalogue(), *GATE)[0])
    check(any('priceExpression' in p for p in plan.get('problems', [])), plan.get('problems'))
    equal(plan['launches'][0]['choice']['price'], '0.4', 'without the preview it is not understood')
    trace = pathlib.Path(folder.name) / 'trace.csv'
    trace.write_text('name,start,end,cpu,memory\nweb,0,3600,3,1Gi\n')
    words = ['replay', trace, '--nodepools', POOL, '--nodepools', manifest(overlay('self.price * 0.5')), '--catalogue', catalogue(), *GATE, '-o', 'json']
    whole, half = (json.loads(run(*words, *more)[0])['policies'][0]['dollars'] for more in ([], ['--preview', 'price-expression']))
    equal(round(half / whole, 3), 0.5, 'in a replay')


# ---- one-shot-buffers (#3257) -----------------------------------------------------------------------------------------

def one_shot():
    template = thing('v1', 'PodTemplate', 't', template={'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}})

    def pods_of(status=(), *words, preview=True, **spec):
        ready = [{'type': 'ReadyForProvisioning', 'status': 'True', 'lastTransitionTime': '2026-01-01T00:00:00Z'}]
        conditions = ready + [{'type': t, 'status': 'True', 'lastTransitionTime': '2026-01-01T00:00:00Z'} for t in status if isinstance(t, str)]
        consumed = [n for n in status if isinstance(n, int)]
        buffer = thing('autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer', 'b', spec={'podTemplateRef': {'name': 't'}, 'replicas': 5, 'refillStrategy': 'none', **spec},
                       status={'replicas': 5, 'conditions': conditions, **({'consumedReplicas': consumed[0]} if consumed else {})})
        out = json.loads(run('plan', '-o', 'json', POOL, manifest(template, buffer), '--catalogue', catalogue(), '--feature-gates', 'CapacityBuffer=true',
                             '--now', '2026-01-01T01:00:00Z', *(('--preview', 'one-shot-buffers') if preview else ()), status=None)[0])
        return sum(len(n['pods']) for n in out['launches']), out
    equal(pods_of(preview=False)[0], 5, 'without the preview')
    check('refillStrategy' in json.dumps(pods_of(preview=False)[1].get('problems')), 'a field that is not understood')
    equal([pods_of(s)[0] for s in ((), (2,), (9,), ('Fulfilled',), ('Expired',))], [5, 3, 0, 0, 0], 'what is left')
    equal([pods_of(refillStrategy='recreate')[0], pods_of((2,), refillStrategy='recreate')[0]], [5, 5], 'the default refills')
    equal([pods_of(fillDeadlineSeconds=n)[0] for n in (3600, 3601)], [0, 5], 'the deadline')


# ---- vpa-prediction (#3235) -------------------------------------------------------------------------------------------

RECREATED = thing('karpenter.sh/v1', 'NodePool', 'default', spec={'template': {'spec': {
    'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
    'requirements': [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}]}},
    'disruption': {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}})
NODE_CLASS = thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'default', spec=CLASS)
SET = thing('apps/v1', 'ReplicaSet', 'web-abc', {'uid': 's', 'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'web', 'uid': 'd', 'controller': True}]},
            spec={'replicas': 1, 'selector': {'matchLabels': {'app': 'web'}}, 'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': {'containers': [{'name': 'c'}]}}})


def bound(name, on, owner, kind='ReplicaSet', **requests):
    return thing('v1', 'Pod', name, {'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': kind, 'name': owner, 'uid': owner, 'controller': True}]},
                 spec={'nodeName': on, 'containers': [{'name': 'c', 'resources': {'requests': {'memory': '1Gi', **requests}}}]}, status={'phase': 'Running'})


def vertical(target, name='v', of='Deployment/web', mode='Recreate', created='2026-01-01T00:00:00Z', **spec):
    kind, workload = of.split('/')
    return thing('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', name, {'creationTimestamp': created},
                 spec={'targetRef': {'apiVersion': 'apps/v1', 'kind': kind, 'name': workload}, 'updatePolicy': {'updateMode': mode}, **spec},
                 status={'recommendation': {'containerRecommendations': [{'containerName': 'c', 'target': target}]}})


def policy(**spec):
    return {'resourcePolicy': {'containerPolicies': [{'containerName': '*', **spec}]}}


def recreated(*objects, preview=True, verb='disrupt', words=()):
    path = pathlib.Path(folder.name) / 'small.json'
    path.write_text(json.dumps(small.catalogue()))
    nodes = [*small.node('a', 'small', 2), *small.node('b', 'large', 8)]
    words = [*words, *(['--preview', 'vpa-prediction'] if preview else [])]
    return run(verb, *words, '-o', 'json', '-f', manifest(NODE_CLASS, RECREATED, *nodes, SET, *objects), '--catalogue', path)[0]


def removed(*objects, **more):
    """The nodes that a pass removes: a (2 cores) if web, its only pod, fits on b, which has 2 cores left of 8, less 'other'."""
    return [n for c in json.loads(recreated(*objects, **more))['commands'] for n in c['nodes']]


def predictions():
    web, other = bound('w', 'a', 'web-abc', cpu='1'), bound('o', 'b', 'other', cpu='6')
    equal(removed(web, other, vertical({'cpu': '3'}), preview=False), ['a'], 'as Karpenter decides: 1 of 2 cores')
    for target, gone in (('3', []), ('2001m', []), ('2', ['a']), ('2000m', ['a'])):
        equal(removed(web, other, vertical({'cpu': target})), gone, f'{target} of 2 cores')
    big = bound('w', 'a', 'web-abc', cpu='1900m')
    full = bound('o', 'b', 'other', cpu='7')
    equal(removed(big, full), [], '1.9 of 1 core')
    equal(removed(big, full, vertical({'cpu': '500m'})), ['a'], 'half of 1 core')
    for mode, gone in (('Off', []), ('Initial', ['a']), ('InPlaceOrRecreate', ['a']), ('Auto', ['a'])):
        equal(removed(big, full, vertical({'cpu': '500m'}, mode=mode)), gone, mode)
    equal(removed(big, full, vertical({'cpu': '500m'}, **policy(mode='Off'))), [], 'the container is off')
    equal(removed(big, full, vertical({'cpu': '500m'}, **policy(controlledResources=['memory']))), [], 'only memory')
    equal(removed(big, full, vertical({'cpu': '500m'}, **policy(minAllowed={'cpu': '1100m'}))), [], 'at least 1.1')
    equal(removed(big, full, vertical({'cpu': '5'}, **policy(maxAllowed={'cpu': '900m'}))), ['a'], 'at most 0.9')
    for boost, gone in (({'type': 'Factor', 'factor': 2}, ['a']), ({'type': 'Factor', 'factor': 3}, []), ({'type': 'Factor', 'factor': 1}, ['a']),
                        ({'type': 'Quantity', 'quantity': '500m'}, ['a']), ({'type': 'Quantity', 'quantity': '501m'}, [])):
        equal(removed(big, full, vertical({'cpu': '500m'}, startupBoost={'cpu': boost})), gone, f'{boost}')
    equal(removed(big, full, vertical({'cpu': '500m'}), vertical({'cpu': '2'}, 'u', created='2025-12-31T00:00:00Z')), [], 'the older one')
    equal(removed(big, full, vertical({'cpu': '500m'}), vertical({'cpu': '2'}, 'u', mode='Off', created='2025-12-31T00:00:00Z')), ['a'], 'an older one that is off')
    equal(removed(big, full, vertical({'cpu': '500m'}), vertical({'cpu': '2'}, 'u')), [], 'of equal age the first by name')
    # b has 32 GiB, of which other leaves 31.
    for memory, gone in (('33285996544', ['a']), ('31Gi', ['a']), ('33285996544001m', []), ('33285997k', [])):
        equal(removed(web, other, vertical({'memory': memory})), gone, f'{memory} of 31 GiB')
    for kind in ('StatefulSet', 'ReplicaSet', 'Job', 'CronJob'):
        own = bound('w', 'a', 'db', kind=kind, cpu='1900m')
        equal(removed(own, full, vertical({'cpu': '500m'}, of=f'{kind}/db')), ['a'], kind)
    equal(removed(bound('w', 'a', 'r', kind='Rollout', cpu='1900m'), full, vertical({'cpu': '500m'}, of='Rollout/r')), [], 'a kind that is not recognised')
    said = run('plan', POOL, manifest(vertical({'cpu': 'much'}), pods('web', 1, '1')), '--catalogue', catalogue(), '--preview', 'vpa-prediction', status=1)[1]
    check('much is no amount' in said and 'VerticalPodAutoscaler' in said, said)


def predicted_daemons():
    """A new node reserves what is predicted for a DaemonSet; b keeps what its pod requests."""
    template = {'metadata': {'labels': {'app': 'log'}}, 'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '100m'}}}]}}
    log = thing('apps/v1', 'DaemonSet', 'log', {'uid': 'log'}, spec={'selector': {'matchLabels': {'app': 'log'}}, 'template': template})
    pods_of = [bound(f'l-{n}', n, 'log', kind='DaemonSet', cpu='100m') for n in 'ab']
    web = bound('w', 'b', 'web-abc', cpu='1500m')  # b is replaced by a small node: 1.5 and 0.1 of 2 cores; a has 1 core left
    held = bound('o', 'a', 'other', cpu='900m')
    held['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
    def replaced(*more):
        return [n for c in json.loads(recreated(log, *pods_of, web, held, *more))['commands'] for n in c['nodes'] if c['replacements']]
    equal(replaced(), ['b'], '1.6 of 2 cores')
    equal(replaced(vertical({'cpu': '500m'}, of='DaemonSet/log')), ['b'], '2 of 2 cores')
    equal(replaced(vertical({'cpu': '501m'}, of='DaemonSet/log')), [], '2.001 of 2 cores')
    other = bound('o', 'b', 'other', cpu='5900m')
    equal(removed(log, *pods_of, bound('w', 'a', 'web-abc', cpu='1900m'), other, vertical({'cpu': '3'}, of='DaemonSet/log')), ['a'], 'of b 2 cores are left all the same')


def predicted_all_over():
    web, other = bound('w', 'a', 'web-abc', cpu='1'), bound('o', 'b', 'other', cpu='6')
    up = vertical({'cpu': '3'})
    said = recreated(web, other, up, verb='explain', words=['node', 'a'])
    check('default/w with cpu 3 instead of 1' in said and 'would fit on existing' not in said, said)
    check('default/w' not in json.dumps(json.loads(recreated(web, other, up, verb='explain', words=['node', 'a'], preview=False)).get('facts', [])), 'without the preview')
    # Commands are verified with the preview they were made with.
    big, full = bound('w', 'a', 'web-abc', cpu='1900m'), bound('o', 'b', 'other', cpu='7')
    commands = pathlib.Path(folder.name) / 'commands.json'
    commands.write_text(recreated(big, full, vertical({'cpu': '500m'})))
    words = ['-f', manifest(NODE_CLASS, RECREATED, *small.node('a', 'small', 2), *small.node('b', 'large', 8), SET, big, full, vertical({'cpu': '500m'})),
             '--catalogue', pathlib.Path(folder.name) / 'small.json']
    run('verify', commands, *words, '--preview', 'vpa-prediction')
    check('RESOURCES' in run('verify', commands, *words, status=None)[0], 'without it, the pod does not fit')
    # Settled, the pod requests what was predicted: 7.5 of 8 cores.
    out, _ = run('diff', '--settle', *words, '--', '--preview', 'vpa-prediction')
    check('What differs in B' in out and '94%' in out, out)
    # A launch for a pending pod does not change.
    waits = pods('web', 1, '1')
    equal([l['instanceTypes'][0] for l in json.loads(run('plan', '-o', 'json', POOL, manifest(waits, vertical({'cpu': '3'})), '--catalogue', catalogue(),
                                                         '--preview', 'vpa-prediction')[0])['launches']], ['t1'], 'of t1 and t4')
    # In a replay: web runs on a small node; when other gets a large one, web would fit there with 1 core, not with 3.
    story = pathlib.Path(folder.name) / 'story.json'
    story.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': [
        NODE_CLASS, RECREATED, vertical({'cpu': '3'}), pods('web', 1, '1'), {**pods('other', 0, '5900m')}],
        'steps': [{'wait': '10m'}, {'scale': {'deployment': 'other', 'replicas': 1}}, {'wait': '60m'}]}))
    evicted = [json.loads(run('replay', story, '--catalogue', words[3], '-o', 'json', *more)[0])['policies'][0]['evictions']
               for more in ([], ['--preview', 'vpa-prediction'])]
    equal(evicted, [1, 0], 'evictions')


def as_if_they_had_them():
    """What is decided with predictions is what is decided where the pods have these requests, and their nodes as much room as before."""
    draw = random.Random(58)

    def world(predicted):
        objects = []
        for number, (kind, cores, on) in enumerate(nodes):
            more = sum(then - now for now, then in on) if predicted else 0
            node, claim = small.node(f'n{number}', kind, cores)
            node['status']['allocatable'] = {**node['status']['allocatable'], 'cpu': f'{cores * 1000 + more}m'}
            objects += [node, claim]
            for k, (now, then) in enumerate(on):
                name = f'w{number}-{k}'
                objects.append(bound(f'{name}-0', f'n{number}', name, kind='StatefulSet', cpu=f'{then if predicted else now}m'))
                if not predicted and now != then:
                    objects.append(vertical({'cpu': f'{then}m'}, name, of=f'StatefulSet/{name}'))
        for name, now, then in pending:
            waits = bound(name, '', name[:-2], kind='StatefulSet', cpu=f'{then if predicted else now}m')
            del waits['spec']['nodeName']
            waits['status'] = {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}
            objects += [waits] if predicted else [waits, vertical({'cpu': f'{then}m'}, name[:-2], of=f'StatefulSet/{name[:-2]}')]
        return objects

    path = pathlib.Path(folder.name) / 'small.json'
    path.write_text(json.dumps(small.catalogue()))
    commanded = 0
    for number in range(30):
        nodes, pending = [], []
        for _ in range(draw.randint(2, 5)):
            kind, cores = draw.choice((('small', 2), ('large', 8)))
            on, left = [], cores * 1000
            while left > 200 and len(on) < 4 and draw.random() < .8:
                now = draw.randrange(100, left + 1, 100)
                left -= now
                on.append((now, draw.choice((now, draw.randrange(100, 3000, 100)))))
            nodes.append((kind, cores, on))
        if draw.random() < .3:
            pending.append(('late-0', draw.randrange(100, 2000, 100), draw.randrange(100, 2000, 100)))
        answers = []
        for predicted in (False, True):
            out = json.loads(run('disrupt', '-o', 'json', '-f', manifest(NODE_CLASS, RECREATED, *world(predicted)), '--catalogue', path,
                                 *([] if predicted else ['--preview', 'vpa-prediction']))[0])
            answers.append([out['commands'], out['kept'], out['cost']])
            if out['commands'] and not predicted:
                commands = pathlib.Path(folder.name) / 'commands.json'
                commands.write_text(json.dumps(out))
                run('verify', commands, '-f', pathlib.Path(folder.name) / 'input.json', '--catalogue', path, '--preview', 'vpa-prediction')
        commanded += len(answers[0][0]) > 0
        equal(answers[0], answers[1], f'world {number}')
    check(8 < commanded < 30, f'{commanded} worlds with commands')


for part in (splits, gates, left_pending, topology, comparing, placement, expressions, one_shot, predictions, predicted_daemons, predicted_all_over,
             as_if_they_had_them):
    part()
finish()
