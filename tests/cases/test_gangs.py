# SPDX-License-Identifier: Apache-2.0
"""Groups of pods that start together: what a plan says about each, by every way in which clusters state them."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

TYPES = [{'name': 'small', 'labels': {'node.kubernetes.io/instance-type': ['small'], 'kubernetes.io/os': ['linux']},
          'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '20'},
          'offerings': [{'zone': z, 'capacityType': 'on-demand', 'price': p, 'available': True}
                        for z, p in (('a', 1), ('b', 2))]}]


def pool(most='0'):
    """A NodePool that launches at most that many CPUs."""
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'},
            'spec': {'limits': {'cpu': most}, 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}


def node(name, cpu=2, **labels):
    amounts = {'cpu': str(cpu), 'memory': '64Gi', 'pods': '20'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {'kubernetes.io/hostname': name, **labels}},
            'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def pod(name, group='g', cpu=2, **spec):
    given = {'schedulingGroup': {'podGroupName': group}} if group else {}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name},
            'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': str(cpu)}}}], **given, **spec}}


def pods(count, group='g', **spec):
    return [pod(f'{group}-{i}', group, **spec) for i in range(count)]


def gang(least, name='g', key=None, **spec):
    where = {'schedulingConstraints': {'topology': [{'key': key}]}} if key else {}
    return {'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': name},
            'spec': {'schedulingPolicy': {'gang': {'minCount': least}}, **where, **spec}}


def other(api_version, least):
    return {'apiVersion': api_version, 'kind': 'PodGroup', 'metadata': {'name': 'g'}, 'spec': {'minMember': least}}


def labelled(count, least=None, labels=None, annotations=None):
    made = pods(count, None)
    for i, p in enumerate(made):
        p['metadata'] = {'name': f'g-{i}', 'labels': labels or {}, 'annotations': annotations or {}}
    return made


class World:
    def __init__(self, folder):
        self.folder = folder
        self.types = folder / 'types.json'
        self.types.write_text(json.dumps(TYPES))

    def plan(self, *objects, profile='karpenter', most='0', status=0):
        listed = folder_of(self.folder, [pool(most), *objects])
        return json.loads(run('plan', '-f', listed, '--catalogue', self.types, '--profile', profile, '-o', 'json', status=status)[0])


def folder_of(folder, objects):
    listed = folder / 'cluster.json'
    listed.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    return listed


def row(plan):
    return [(g['group'], g['source'], g.get('code'), g['minCount'], g['members'], g['placed']) for g in plan.get('groups', [])]


def sources(world):
    """Every source's way to say that three pods start together, with room for two."""
    nodes = [node('n1'), node('n2')]
    said = {
        'PodGroup': [gang(3), *pods(3)],
        'scheduler-plugins': [other('scheduling.x-k8s.io/v1alpha1', 3), *labelled(3, labels={'scheduling.x-k8s.io/pod-group': 'g'})],
        'Koordinator': [other('scheduling.sigs.k8s.io/v1alpha1', 3), *labelled(3, labels={'pod-group.scheduling.sigs.k8s.io': 'g'})],
        'Volcano': [other('scheduling.volcano.sh/v1beta1', 3), *labelled(3, annotations={'scheduling.k8s.io/group-name': 'g'})],
        'KAI': [other('scheduling.run.ai/v2alpha2', 3), *labelled(3, annotations={'pod-group-name': 'g'})],
        'Kueue': labelled(3, labels={'kueue.x-k8s.io/pod-group-name': 'g'}, annotations={'kueue.x-k8s.io/pod-group-total-count': '3'}),
    }
    for source, objects in said.items():
        equal(row(world.plan(*nodes, *objects)), [('default/g', source, 'GROUP_MINIMUM', 3, 3, 2)], source)
    by_annotation = labelled(3, annotations={'gang.scheduling.koordinator.sh/name': 'g', 'gang.scheduling.koordinator.sh/min-available': '3'})
    equal(row(world.plan(*nodes, *by_annotation)), [('default/g', 'Koordinator', 'GROUP_MINIMUM', 3, 3, 2)], 'Koordinator, annotations alone')
    by_annotation[0]['metadata']['annotations']['gang.scheduling.koordinator.sh/min-available'] = 'three'
    listed = folder_of(world.folder, by_annotation)
    check('min-available' in run('plan', '-f', listed, '--catalogue', world.types, status=1)[1], 'a minimum that is no number')


def parts(world):
    """Groups within groups, as Volcano and KAI state them, and groups that YuniKorn and Kubernetes 1.35 state elsewhere."""
    nodes = [node(f'n{i}') for i in range(4)]

    def volcano(least, **policy):
        made = other('scheduling.volcano.sh/v1beta1', least)
        made['spec']['subGroupPolicy'] = [{'name': 'stage', 'matchLabelKeys': ['stage'], **policy}]
        return made

    def staged(*stages, key='stage'):
        made = labelled(len(stages), annotations={'scheduling.k8s.io/group-name': 'g'})
        for p, stage in zip(made, stages):
            p['metadata']['labels'] = {key: stage, 'role': 'worker'} if stage else {}
        return made

    def codes(plan):
        return {g['group']: g.get('code') for g in plan['groups']}, sum(len(p['pods']) for p in plan['placements'])
    aabbcc = staged(*'aabbcc')
    equal(codes(world.plan(*nodes, volcano(4, subGroupSize=2, minSubGroups=2), *aabbcc, profile='karp')),
          ({'default/g': None, 'default/g.stage': None, 'default/g.stage.a': None, 'default/g.stage.b': None, 'default/g.stage.c': 'GROUP_MINIMUM'}, 4),
          'two of three parts')
    plan = world.plan(*nodes, volcano(4, subGroupSize=2, minSubGroups=3), *aabbcc, profile='karp')
    equal((codes(plan)[1], {g['group']: g['detail'] for g in plan['groups'] if g['group'] in ('default/g', 'default/g.stage')}),
          (0, {'default/g': '0 of 1 groups start', 'default/g.stage': '2 of 3 groups start'}), 'all three parts')
    equal(codes(world.plan(*nodes, volcano(5, subGroupSize=2, minSubGroups=1), *aabbcc, profile='karp'))[1], 0, 'minMember counts all pods')
    equal(codes(world.plan(*nodes[:3], volcano(3, subGroupSize=2), *staged('a', 'b', 'b', ''), profile='karp'))[1], 3, 'a pod of no part is on its own')
    equal(codes(world.plan(*nodes, volcano(3, subGroupSize=3, matchLabelKeys=[]), *staged(*'aab'), profile='karp')), ({'default/g': None}, 3),
          'without matchLabelKeys the policy does nothing')
    chosen = volcano(1, subGroupSize=2, labelSelector={'matchLabels': {'role': 'worker'}})
    equal(codes(world.plan(*nodes, chosen, *staged('a', '', 'a'), profile='karp'))[1], 3, 'labelSelector')
    spread = other('scheduling.volcano.sh/v1beta1', 3)
    for mode, told in (('hard', True), ('soft', False)):
        spread['spec']['networkTopology'] = {'mode': mode, 'highestTierAllowed': 1}
        plan = world.plan(*nodes, spread, *labelled(3, annotations={'scheduling.k8s.io/group-name': 'g'}), profile='karp', status=None)
        equal('network topology is not read' in json.dumps(plan), told, mode)
    kai = other('scheduling.run.ai/v2alpha2', 3)
    kai['spec'] |= {'topologyConstraint': {'requiredTopologyLevel': 'rack'}, 'subGroups': [
        {'name': 'decode', 'minMember': 2}, {'name': 'prefill', 'minMember': 1, 'parent': 'all'}, {'name': 'all', 'minMember': 1}]}
    members = labelled(3, annotations={'pod-group-name': 'g'})
    for p, name in zip(members, ('decode', 'decode', 'prefill')):
        p['metadata']['labels'] = {'kai.scheduler/subgroup-name': name}
    racks = [node(f'n{i}', rack='ab'[i % 2]) for i in range(5)]
    equal((codes(world.plan(*racks, kai, *members, profile='karp'))[1], codes(world.plan(*racks[:4], kai, *members, profile='karp'))[1]), (3, 0),
          'KAI: one rack for all subgroups')
    workload = {'apiVersion': 'scheduling.k8s.io/v1alpha1', 'kind': 'Workload', 'metadata': {'name': 'w'},
                'spec': {'podGroups': [{'name': 'g', 'policy': {'gang': {'minCount': 3}}}, {'name': 'h', 'policy': {'basic': {}}}]}}
    referring = [pod(f'g-{i}', None, workloadRef={'name': 'w', 'podGroup': 'g', 'podGroupReplicaKey': 'r'}) for i in range(3)]
    plan = world.plan(*nodes[:2], workload, *referring, profile='karp')
    equal(row(plan), [('default/w.g.r', 'workloadRef', 'GROUP_MINIMUM', 3, 3, 0)], 'workloadRef')
    check('newer clusters drop the field' in ' '.join(plan['warnings']), plan['warnings'])
    equal(row(world.plan(*nodes[:2], *referring, profile='karp'))[0][2], 'GROUP_MISSING', 'workloadRef without a Workload')
    groups = json.dumps([{'name': 'driver', 'minMember': 1, 'minResource': {'cpu': '2'}}, {'name': 'worker', 'minMember': 2, 'minResource': {'cpu': '2'}}])

    def yuni(name, task, **more):
        made = pod(name, None)
        made['metadata'] = {'name': name, 'labels': {'applicationId': 'app'}, 'annotations': {'yunikorn.apache.org/task-group-name': task, **more}}
        return made
    app = [yuni('d', 'driver', **{'yunikorn.apache.org/task-groups': groups}), yuni('w-0', 'worker'), yuni('w-1', 'worker')]
    equal(codes(world.plan(*nodes[:2], *app, profile='karp')),
          ({'default/app.driver': None, 'default/app.worker': 'GROUP_MINIMUM', 'default/app': 'GROUP_MINIMUM'}, 0), 'YuniKorn: all task groups')
    equal(codes(world.plan(*nodes[:3], *app, profile='karp'))[1], 3, 'YuniKorn: they fit')
    stand_in = [yuni(f'tg-{i}', 'worker', **{'yunikorn.apache.org/placeholder': 'true'}) for i in range(2)]
    plan = world.plan(*nodes[:3], *app, *stand_in, profile='karp')
    equal(sorted(p for r in plan['placements'] for p in r['pods']), ['default/d', 'default/tg-0', 'default/tg-1'], 'placeholders are counted once')
    plan = world.plan(*nodes[:2], yuni('d', 'driver', **{'yunikorn.apache.org/task-groups': '[{'}), yuni('w-0', 'worker'), profile='karp')
    check(codes_of(plan) == [] and 'is not a list of task groups in JSON' in ' '.join(plan['warnings']), plan['warnings'])


def codes_of(plan):
    return [g.get('code') for g in plan.get('groups', [])]


def notes(world):
    """In profile karpenter the pods are placed one by one, and a note says what becomes of them."""
    plan = world.plan(node('n1'), node('n2'), gang(3), *pods(3))
    equal(sum(len(p['pods']) for p in plan['placements']), 2, 'placed one by one')
    text = ' '.join(plan['warnings'])
    check('1 group of pods: its pods are placed one by one' in text, text)
    check('PodGroup default/g: 2 pods fit, and its minimum is 3: none of its pods is bound' in text, text)
    plan = world.plan(node('n1'), node('n2'), gang(2), *pods(2))
    equal(row(plan), [('default/g', 'PodGroup', None, 2, 2, 2)], 'it fits')
    check('cannot' not in ' '.join(plan['warnings']), plan['warnings'])
    equal(world.plan(node('n1'), pod('alone', None)).get('groups'), None, 'no groups, no member')


def as_page(world):
    """The HTML page of a plan has its groups, those that cannot start first."""
    listed = folder_of(world.folder, [pool(), *[node(f'n{i}') for i in range(3)], gang(2, 'a'), *pods(2, 'a'), gang(2, 'b'), *pods(2, 'b')])
    page = run('plan', '-f', listed, '--catalogue', world.types, '--profile', 'karp', '-o', 'html', status=None)[0]
    check('! PodGroup default/b: 0 of 2 pods placed, minimum 2; it cannot start: 1 of 2 fit' in page, 'one that cannot start')
    check('<div>PodGroup default/a: 2 of 2 pods placed, minimum 2</div>' in page, 'one that starts')


def refusals(world):
    """What keeps a group from starting wherever its pods are placed."""
    nodes = [node('n1', rack='r1'), node('n2', rack='r2'), node('n3')]
    here = {'status': {'phase': 'Running'}}
    cases = {
        'GROUP_MISSING': pods(2),
        'GROUP_INCOMPLETE': [gang(3), *pods(2)],
        'GROUP_GATED': [gang(2), *pods(2), pod('g-2', schedulingGates=[{'name': 'wait'}])],
        'GROUP_PRIORITY': [gang(2), pod('g-0', priority=5), pod('g-1', priority=5)],
        'GROUP_DOMAINS': [gang(2, key='rack'), pod('g-0', nodeName='n1') | here, pod('g-1', nodeName='n2') | here, pod('g-2')],
    }
    for code, objects in cases.items():
        equal([g.get('code') for g in world.plan(*nodes, *objects)['groups']], [code], code)
    composite = gang(2, parentCompositePodGroupName='top')
    equal([g.get('code') for g in world.plan(*nodes, composite, *pods(2))['groups']], ['GROUP_MISSING'], 'the composite is missing')


def whole(world):
    """In profile karp a group is placed as a whole or not at all."""
    two = [node('n1'), node('n2')]
    plan = world.plan(*two, gang(3), *pods(3), profile='karp')
    equal((row(plan), plan['placements'], plan['launches']), ([('default/g', 'PodGroup', 'GROUP_MINIMUM', 3, 3, 0)], [], []), 'one short')
    equal(plan['groups'][0]['detail'], '2 of 3 fit: NodePool pool has reached its limit cpu 0', 'one short, why')
    equal({u['code'] for u in plan['unschedulable']}, {'GROUP_MINIMUM'}, 'one short, its pods')
    plan = world.plan(*two, gang(3), *pods(3), pod('alone', None), profile='karp')
    equal([p['pods'] for p in plan['placements']], [['default/alone']], 'others use the room')
    plan = world.plan(*two, gang(3), *pods(5), profile='karp', most='2')
    equal((row(plan)[0][5], len(plan['launches'])), (3, 1), 'more than the minimum, with a launch')
    plan = world.plan(*two, gang(3), *pods(3), profile='karp', most='1')
    equal(plan['launches'], [], 'nothing is launched for a group that cannot start')
    plan = world.plan(*two, gang(2, 'a', priority=5), gang(2, 'b'), *pods(2, 'a', priority=5), *pods(2, 'b'), profile='karp')
    equal([r[2] for r in row(plan)], [None, 'GROUP_MINIMUM'], 'the higher priority comes first')
    plan = world.plan(node('small', 2), node('large', 4), gang(2), pod('g-0', cpu=2), pod('g-1', cpu=4), profile='karp')
    equal(row(plan)[0][2], None, 'large pods first')


def in_domains(world):
    here = {'status': {'phase': 'Running'}}
    nodes = [node('a1', rack='a'), node('a2', rack='a'), node('b1', rack='b'), node('none'), node('empty', rack='')]
    plan = world.plan(*nodes, gang(2, key='rack'), *pods(2), profile='karp')
    equal((plan['groups'][0]['domain'], [p['node'] for p in plan['placements']]), ('a', ['a1', 'a2']), 'one rack')
    plan = world.plan(*nodes, gang(3, key='rack'), *pods(3), profile='karp')
    equal(plan['groups'][0]['detail'], 'in b 1 of 3 fit: no node has room for more, and no NodePool launches one that could; '
          'in a 2 of 3 fit: no node has room for more, and no NodePool launches one that could', 'domain by domain')
    plan = world.plan(*nodes, gang(2, key='rack'), pod('g-0', cpu=1, nodeName='b1') | here, pod('g-1', cpu=1), pod('g-2', cpu=1), profile='karp')
    equal((row(plan)[0][2:], plan['groups'][0]['domain']), ((None, 2, 3, 1), 'b'), 'bound pods fix the domain')
    equal([u['code'] for u in plan['unschedulable']], ['GROUP_DOMAIN_FULL'], 'and the rest has to wait for room there')
    zone = 'topology.kubernetes.io/zone'
    plan = world.plan(gang(3, key=zone), *pods(3), profile='karp', most='100')
    equal(([r['values'] for n in plan['launches'] for r in n['requirements'] if r['key'] == zone], plan['groups'][0]['domain']),
          ([['a'], ['a'], ['a']], 'a'), 'the cheaper zone')
    plan = world.plan(gang(3, key=zone), *pods(2), pod('g-2', nodeSelector={zone: 'b'}), profile='karp', most='100')
    equal(plan['groups'][0]['domain'], 'b', 'the zone of all pods')
    plan = world.plan(gang(2, key='rack'), *pods(2), profile='karp', most='100')
    equal(plan['groups'][0]['detail'], 'no node is in a domain of rack that its pods can use', 'a key that nothing has')
    plan = world.plan(node('n1', 4), gang(2, key='kubernetes.io/hostname'), *pods(2), profile='karp')
    equal(plan['groups'][0]['domain'], 'n1', 'one node for all')
    basic = gang(1, key='rack')
    basic['spec']['schedulingPolicy'] = {'basic': {}}
    check('the pod that it sees first' in ' '.join(world.plan(*nodes, basic, *pods(2), profile='karp')['warnings']), 'basic, with a topology')


def composites(world):
    """Groups of groups, with the rule of the composite."""
    top = {'apiVersion': 'scheduling.k8s.io/v1alpha3', 'kind': 'CompositePodGroup', 'metadata': {'name': 'top'},
           'spec': {'schedulingPolicy': {'gang': {'minGroupCount': 2}}}}
    under = [gang(2, n, parentCompositePodGroupName='top') for n in 'ab'] + [p for n in 'ab' for p in pods(2, n)]
    plan = world.plan(*[node(f'n{i}') for i in range(3)], top, *under, profile='karp')
    equal([(g['group'], g['source'], g.get('code')) for g in plan['groups']],
          [('default/a', 'PodGroup', None), ('default/b', 'PodGroup', 'GROUP_MINIMUM'), ('default/top', 'CompositePodGroup', 'GROUP_MINIMUM')], 'one of two')
    equal((plan['placements'], {u['code'] for u in plan['unschedulable']}), ([], {'GROUP_COMPOSITE', 'GROUP_MINIMUM'}), 'nothing of it')
    plan = world.plan(*[node(f'n{i}') for i in range(4)], top, *under, profile='karp')
    equal((sum(len(p['pods']) for p in plan['placements']), plan['groups'][2]['placed']), (4, 2), 'both')
    newer = world.plan(*[node(f'n{i}') for i in range(4)], top | {'apiVersion': 'scheduling.k8s.io/v1beta1'}, *under, profile='karp')
    equal((newer['groups'], newer['placements']), (plan['groups'], plan['placements']), 'Kubernetes 1.38 has composites in v1beta1 as well')
    circle = [{**top, 'metadata': {'name': n}, 'spec': {**top['spec'], 'parentCompositePodGroupName': o}} for n, o in (('x', 'y'), ('y', 'x'))]
    plan = world.plan(node('n1'), *circle, gang(1, parentCompositePodGroupName='x'), *pods(1), profile='karp')
    equal((plan['groups'][0].get('code'), plan['placements']), ('GROUP_MISSING', []), 'a circle')


def newer(world):
    """What Kubernetes 1.38 refuses, a plan for a cluster of 1.37 notes."""
    def top(**spec):
        return {'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'CompositePodGroup', 'metadata': {'name': 'top'},
                'spec': {'schedulingPolicy': {'gang': {'minGroupCount': 1}}, **spec}}
    basic = {'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': 'g'}, 'spec': {'schedulingPolicy': {'basic': {}}}}

    def noted(*objects):
        return [w.split(': ', 1)[1].split(': from')[0] for w in world.plan(node('n1'), *objects, *pods(1), profile='karp', status=None)['warnings'] if '1.38' in w]
    def with_(group, **spec):
        return {**group, 'spec': {**group['spec'], **spec}}
    below = {'parentCompositePodGroupName': 'top'}
    equal(noted(gang(1)), [], 'a gang')
    equal(noted(with_(basic, disruptionMode={'all': {}})), ['its disruption mode is "all", and it is no gang'], 'a basic group in mode all')
    equal(noted(with_(basic, disruptionMode={'single': {}})), [], 'or in mode single')
    equal(noted(top(), with_(basic, **below)), ['it is a gang, and a group below it is none'], 'a basic group in a gang of groups')
    equal(noted(top(), gang(1, **below)), [], 'gangs in a gang')
    equal(noted(top(disruptionMode={'all': {}}), gang(1, **below)), ['its disruption mode is "all", and that of a group below it is not'], 'modes that differ')
    equal(noted(top(disruptionMode={'all': {}}), gang(1, disruptionMode={'all': {}}, **below)), [], 'modes that agree')
    equal(noted(with_(basic, disruptionMode={'all': {}}), pod('x', 'g', 9)), ['its disruption mode is "all", and it is no gang'], 'as far as the plan starts it')


def searches(world):
    """A greedy order may take the only place that another pod can use."""
    nodes = [node('n1', 3), node('n2', 4)]
    given = [pod('g-0', cpu=3), pod('g-1', cpu=2), pod('g-2', cpu=2)]
    plan = world.plan(node('x', 4), node('y', 3), gang(3), *given, profile='karp')
    equal(row(plan)[0][2], None, 'another place for the first pod')
    check('kube-scheduler places its pods one after another' in ' '.join(plan['warnings']), plan['warnings'])
    plan = world.plan(*nodes, gang(3), *given, profile='karp')
    check('these places depend on the order of its pods' in ' '.join(plan['warnings']), 'the largest pod first, on the node that it leaves emptier')
    plan = world.plan(node('n1', 6), node('n2', 6), gang(3), *given, profile='karp')
    check('kube-scheduler' not in ' '.join(plan['warnings']), 'nothing to note')
    others = [node(f't{i}', 20, rack='t') for i in range(4)]
    for least in (60, 70): # the search ends at 64 pods
        some = [pod(f'g-{i}', cpu=1, nodeSelector={'rack': 't'}) for i in range(3, least)]
        trio = [p | {'spec': p['spec'] | {'nodeSelector': {'rack': 's'}}} for p in given]
        plan = world.plan(node('x', 4, rack='s'), node('y', 3, rack='s'), *others, gang(least), *trio, *some, profile='karp')
        detail = plan['groups'][0].get('detail', '')
        equal((row(plan)[0][2], 'not all other places were tried' in detail), (None, False) if least == 60 else ('GROUP_MINIMUM', True), f'{least}: {detail}')


def with_devices(world):
    """A group that is taken back gives its devices back."""
    def claimed(name, group):
        return [{'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceClaim', 'metadata': {'name': name, 'namespace': 'default'},
                 'spec': {'devices': {'requests': [{'name': 'r', 'exactly': {'deviceClassName': 'gpu', 'count': 1}}]}}},
                pod(name, group, 1, resourceClaims=[{'name': 'c', 'resourceClaimName': name}])]
    gpus = [{'apiVersion': 'resource.k8s.io/v1', 'kind': 'DeviceClass', 'metadata': {'name': 'gpu'}, 'spec': {}},
            {'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'metadata': {'name': 's'}, 'spec': {
                'driver': 'd.io', 'nodeName': 'n1', 'pool': {'name': 's', 'generation': 1, 'resourceSliceCount': 1}, 'devices': [{'name': 'a'}, {'name': 'b'}]}},
            {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'settings': {'ignoreDRARequests': False}, 'objects': []}, node('n1', 8)]
    many = [o for i in range(3) for o in claimed(f'g-{i}', 'g')]
    alone = [o for i in range(2) for o in claimed(f'z-{i}', None)]
    plan = world.plan(*gpus, gang(3), *many, *alone, profile='karp')
    equal([p['pods'] for p in plan['placements']], [['default/z-0', 'default/z-1']], 'two devices are left')
    plan = world.plan(*gpus, gang(2), *many, *alone, profile='karp')
    equal((row(plan)[0][5], len(plan['placements'][0]['pods'])), (2, 2), 'the group has them')


def verified(world):
    """The verifier knows groups by itself: it finds what is wrong with a plan of somebody else."""
    def faults(plan, *objects):
        (world.folder / 'plan.json').write_text(json.dumps(plan))
        listed = folder_of(world.folder, [pool(), *objects])
        out, _ = run('verify', world.folder / 'plan.json', '-f', listed, '--catalogue', world.types, status=None)
        return [(e['code'], e['object'], e['detail']) for e in json.loads(out)['errors']]
    nodes = [node('n1', rack='a'), node('n2', rack='b'), node('n3', rack='b')]
    here = {'status': {'phase': 'Running'}}

    def moved(to, *objects):
        """The plan of Karpenter, as one of profile karp with its pods on other nodes."""
        plan = world.plan(*nodes, *objects)
        plan['profile'] = 'karp'
        names = sorted(p for row in plan['placements'] for p in row['pods']) + [u['pod'] for u in plan['unschedulable']]
        plan['placements'] = [{'node': n, 'pods': [p]} for n, p in zip(to, names)]
        plan['unschedulable'] = [{'pod': p} for p in names[len(to):]]
        return plan
    for what, to, objects, detail in (
            ('too few', ['n1', 'n2'], [gang(3), *pods(3)], 'it starts with 2 pods, and its minimum is 3'),
            ('two racks', ['n1', 'n2'], [gang(2, key='rack'), *pods(2)], 'its pods are in more than one domain of rack'),
            ('away from the bound one', ['n2'], [gang(2, key='rack'), pod('g-0', cpu=1, nodeName='n1') | here, pod('g-1')],
             'its pods are in more than one domain of rack'),
            ('another priority', ['n1', 'n2'], [gang(2), *pods(2, priority=3)], 'it starts, although a pod of it differs from it in priority'),
            ('no group', ['n1', 'n2'], pods(2), 'it starts, although it or the one above it does not exist')):
        equal([e for e in faults(moved(to, *objects), *nodes, *objects) if e[0] == 'GROUP'], [('GROUP', 'group default/g', detail)], what)
    good = [gang(2, key='rack'), *pods(2)]
    equal(faults(world.plan(*nodes, *good, profile='karp'), *nodes, *good), [], 'a good plan')
    top = {'apiVersion': 'scheduling.k8s.io/v1alpha3', 'kind': 'CompositePodGroup', 'metadata': {'name': 'top'},
           'spec': {'schedulingPolicy': {'gang': {'minGroupCount': 2}}}}
    under = [top] + [gang(1, n, parentCompositePodGroupName='top') for n in 'ab'] + [p for n in 'ab' for p in pods(1, n)]
    equal(faults(moved(['n1'], *under), *nodes, *under), [('GROUP', 'composite group default/top', 'it starts with 1 groups, and its minimum is 2')], 'a composite')


def managed(name, cpu=8):
    """A node of the NodePool with its NodeClaim, ready to be consolidated."""
    labels = {'kubernetes.io/hostname': name, 'karpenter.sh/nodepool': 'pool', 'node.kubernetes.io/instance-type': 'small', 'karpenter.sh/capacity-type': 'on-demand',
              'topology.kubernetes.io/zone': 'a', 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
    made = node(name, cpu, **labels)
    made['spec'] = {'providerID': f'p://{name}'}
    done = [{'type': t, 'status': 'True', 'lastTransitionTime': '2026-01-01T00:00:00Z'} for t in ('Launched', 'Registered', 'Initialized', 'Consolidatable')]
    claim = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': f'c-{name}', 'labels': labels, 'creationTimestamp': '2026-01-01T00:00:00Z'},
             'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': []},
             'status': {'providerID': f'p://{name}', 'nodeName': name, 'conditions': done, 'capacity': made['status']['capacity'],
                        'allocatable': made['status']['allocatable']}}
    return [made, claim]


def disruption(world):
    """A group keeps its minimum, and one in mode all is disrupted as a whole or not at all."""
    def removed(profile, *objects, method='SingleNodeConsolidation', given=None):
        listed = folder_of(world.folder, [given or pool('100'), *managed('m1'), *managed('m2'), *managed('m3'), *objects])
        plan = json.loads(run('disrupt', '-f', listed, '--catalogue', world.types, '--profile', profile, '--method', method,
                              '--now', '2026-01-02T00:00:00Z', '-o', 'json', status=None)[0])
        return [n for k in plan['commands'] for n in k['nodes']], {k['node']: k.get('code') for k in plan.get('kept', [])}
    here = {'status': {'phase': 'Running'}}

    def running(count, on, **spec):
        return [pod(f'g-{i}', cpu=1, nodeName=on[i % len(on)], **spec) | here for i in range(count)]
    owner = {'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'r', 'uid': 'u', 'controller': True}]}

    def owned(pods_):
        for p in pods_:
            p['metadata'].update(owner)
        return pods_
    equal([[o['spec']['disruptionMode'] for o in json.loads(run('dump', '-f', '-', text=json.dumps(gang(2, disruptionMode=word)))[0])['objects'] if o['kind'] == 'PodGroup'] for word in ('Pod', 'PodGroup')],
          [['Pod'], ['PodGroup']], 'the words of v1alpha2')
    whole, single = gang(2, disruptionMode={'all': {}}), gang(2, disruptionMode={'single': {}})
    two = owned(running(2, ['m1', 'm2'])) + owned([pod('other', None, 1, nodeName='m3') | here])
    equal(len(removed('karpenter', whole, *two)[0]), 1, 'Karpenter knows no groups')
    equal(len(removed('karp', single, *two)[0]), 1, 'mode single')
    names, kept = removed('karp', whole, *two)
    equal((names, kept.get('m1'), kept.get('m2')), (['m3'], 'BUDGET', 'BUDGET'), 'mode all, on two nodes, and a budget for one')
    names, kept = removed('karp', whole, *owned(running(2, ['m1'])), *owned([pod('o2', None, 1, nodeName='m2') | here, pod('o3', None, 1, nodeName='m3') | here]))
    equal((len(names), 'GROUP_ELSEWHERE' in kept.values()), (1, False), 'mode all, on one node')
    # Several nodes with a whole group go together, or none of them.
    wide = pool('100')
    wide['spec']['disruption'] = {'budgets': [{'nodes': '100%'}]}
    multi = {'method': 'MultiNodeConsolidation', 'given': wide}
    names, _ = removed('karp', whole, *owned(running(2, ['m1', 'm2'])), *owned([pod('other', None, 1, nodeName='m3') | here]), **multi)
    equal(sorted(names)[:2], ['m1', 'm2'], 'both nodes of the group')
    busy = [pod('other', None, 6, nodeName='m3') | here]
    busy[0]['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
    names, kept = removed('karp', whole, *owned(running(2, ['m1', 'm2'])), *busy, given=wide)
    equal(sorted(names), ['m1', 'm2'], 'single-node consolidation removes both nodes of the group')
    listed = folder_of(world.folder, [wide, *managed('m1'), *managed('m2'), *managed('m3'), whole, *owned(running(2, ['m1', 'm2'])), *busy])
    how = '-f', listed, '--catalogue', world.types, '--now', '2026-01-02T00:00:00Z'
    plan = json.loads(run('disrupt', *how, '--profile', 'karp', '--method', 'SingleNodeConsolidation', '-o', 'json', status=None)[0])

    def verified():
        saved = world.folder / 'plan.json'
        saved.write_text(json.dumps(plan))
        return json.loads(run('verify', saved, *how, status=None)[0])['errors']
    equal(verified(), [], 'karp verify accepts the command for both nodes')
    command = plan['commands'][0]
    command['nodes'] = ['m1']
    for row in [*command.get('placements', []), *command.get('launches', []), *command.get('replacements', [])]:
        row['pods'] = [p for p in row.get('pods', []) if p.endswith('g-0')]
    found = [e for e in verified() if e['code'] == 'GROUP']
    check(len(found) == 1 and 'disrupts 1 of its pods and leaves 1' in found[0]['detail'], f'and none for a part of a group in mode all: {found}')
    tight = pool('100')
    tight['spec']['disruption'] = {'budgets': [{'nodes': '1'}]}
    names, kept = removed('karp', whole, *owned(running(2, ['m1', 'm2'])), *owned([pod('other', None, 1, nodeName='m3') | here]), **(multi | {'given': tight}))
    equal((names, 'GROUP_ELSEWHERE' in kept.values()), ([], True), 'a budget for one of them')
    held = owned(running(2, ['m1', 'm2']))
    held[1]['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
    names, kept = removed('karp', whole, *held, *owned([pod('other', None, 1, nodeName='m3') | here]), **multi)
    equal((names, kept['m1'], kept['m2']), ([], 'GROUP_ELSEWHERE', 'POD_DO_NOT_DISRUPT'), 'one of its nodes has to stay')
    three = owned([pod(f'g-{i}', cpu=7, nodeName=f'm{i + 1}') | here for i in range(3)])
    equal(removed('karp', gang(3, disruptionMode={'all': {}}), *three, **multi)[0], [], 'no room for all of it elsewhere')
    finished = owned(running(3, ['m1', 'm2']))
    finished[2]['status'] = {'phase': 'Succeeded'}
    names, kept = removed('karp', gang(3), *finished)
    check('m1' not in names and 'm2' not in names, f'one that finished does not count, so no pod may move: {names}')


def repacking(world):
    """Bound pods hold their group in its domain, so karp repack moves the others only inside it, and a drifted node goes with the whole group or
    not at all."""
    here = {'status': {'phase': 'Running'}}

    def in_zone(name, zone, *conditions):
        made = managed(name)
        for o in made:
            o['metadata']['labels']['topology.kubernetes.io/zone'] = zone
        made[1]['status']['conditions'] = [*made[1]['status']['conditions'], *({'type': c, 'status': 'True'} for c in conditions)]
        return made

    def running(*places, group='g'):
        owner = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'r', 'uid': 'u', 'controller': True}
        out = [pod(f'{group or "o"}-{i}', group, cpu, nodeName=on) | here for i, (on, cpu) in enumerate(places)]
        for p in out:
            p['metadata']['ownerReferences'] = [owner]
        return out
    types = world.folder / 'zones.json'
    types.write_text(json.dumps([TYPES[0] | {'capacity': {'cpu': '8', 'memory': '64Gi', 'pods': '20'},
                                             'offerings': [{'zone': z, 'capacityType': 'on-demand', 'price': 1, 'available': True} for z in 'ab']}]))

    def moves(*objects, verb=('repack',), budget=None):
        given = pool('100')
        if budget:
            given['spec']['disruption'] = {'budgets': [{'nodes': budget}]}
        listed = folder_of(world.folder, [given, *objects])
        out = run(*verb, '-f', listed, '--catalogue', types, '--profile', 'karp', '--now', '2026-01-02T00:00:00Z', '-o', 'json', status=None)[0]
        plan = json.loads(out)
        return sorted((p.split('/')[-1], row['node']) for k in plan.get('commands', plan.get('steps')) for row in k.get('placements', []) for p in row['pods'])
    zone = {'schedulingConstraints': {'topology': [{'key': 'topology.kubernetes.io/zone'}]}}
    nodes = *in_zone('m1', 'a'), *in_zone('m2', 'a'), *in_zone('m3', 'b')
    full = *nodes, *running(('m1', 1), ('m2', 1)), *running(('m1', 7), ('m3', 7), group=None)
    equal(moves(gang(2), *full), [('g-1', 'm3')], 'without a topology key a pod moves to the other zone')
    equal(moves(gang(2, **zone), *full), [('o-1', 'm2')], 'with one it stays, and the other pod moves')
    above = {'apiVersion': 'scheduling.k8s.io/v1alpha3', 'kind': 'CompositePodGroup', 'metadata': {'name': 'top'},
             'spec': {'schedulingPolicy': {'gang': {'minGroupCount': 1}}, **zone}}
    equal(moves(above, gang(2, parentCompositePodGroupName='top'), *full), [('o-1', 'm2')], 'the key of the composite above')
    room = *nodes, *running(('m1', 1), ('m2', 1)), *running(('m1', 5), ('m3', 8), group=None)
    equal(moves(gang(2, **zone), *room), [('g-1', 'm1')], 'inside the zone a pod moves')
    drift = ('disrupt', '--method', 'Drift')
    whole = gang(2, disruptionMode={'all': {}}, **zone)
    drifted = *in_zone('m1', 'a'), *in_zone('m2', 'a', 'Drifted'), *in_zone('m3', 'b')
    equal(moves(whole, *drifted, *running(('m2', 1), ('m2', 1)), *running(('m1', 7), ('m3', 1), group=None), verb=drift), [('g-0', 'm3'), ('g-1', 'm3')],
          'drift moves the whole group to another zone')
    apart = *running(('m1', 1), ('m2', 1)), *running(('m3', 1), group=None)
    equal(moves(whole, *drifted, *apart, verb=drift), [], 'drift moves no part of a group in mode all')
    equal(moves(whole, *drifted, *apart, verb=drift, budget='100%'), [('g-0', 'm3'), ('g-1', 'm3')], 'but all of it, with the node that has not drifted')
    equal(moves(whole, *in_zone('m1', 'a', 'Drifted'), *drifted[2:], *apart, verb=drift, budget='100%'), [('g-0', 'm3'), ('g-1', 'm3')], 'once, if both have')
    apart[0]['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
    equal(moves(whole, *drifted, *apart, verb=drift, budget='100%'), [], 'or nothing, if one node has to stay')


def made_by_controllers(world):
    """Objects whose controllers make a group of their pods: three pods with room for two, and what lowers the minimum."""
    spec = pod('', None)['spec'] | {'restartPolicy': 'Never'}
    template = {'spec': spec}
    high = {'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'PriorityClass', 'metadata': {'name': 'high'}, 'value': 7}
    runtime = {'apiVersion': 'trainer.kubeflow.org/v1alpha1', 'kind': 'ClusterTrainingRuntime', 'metadata': {'name': 'rt'},
               'spec': {'podGroupPolicy': {'coscheduling': {}}, 'template': {'spec': {'replicatedJobs': [
                   {'name': 'node', 'template': {'spec': {'template': template}}}]}}}}

    def thing(version, kind, spec, **metadata):
        return {'apiVersion': version, 'kind': kind, 'metadata': {'name': 'g', **metadata}, 'spec': spec}

    def job(gang_policy):
        return thing('batch/v1', 'Job', {'parallelism': 3, 'completions': 3, 'scheduling': {'schedulingPolicy': {'gang': gang_policy}},
                                         'template': {'spec': spec | {'priorityClassName': 'high'}}})

    def volcano(**more):
        return thing('batch.volcano.sh/v1alpha1', 'Job', {'tasks': [{'name': 'a', 'replicas': 3, 'template': template}], **more})

    def mpi(policy):
        return thing('kubeflow.org/v2beta1', 'MPIJob', {'runPolicy': {'schedulingPolicy': policy} if policy is not None else {}, 'mpiReplicaSpecs': {
            'Launcher': {'template': template}, 'Worker': {'replicas': 2, 'template': template}}})

    ray_spec = {'headGroupSpec': {'template': template}, 'workerGroupSpecs': [{'groupName': 'w', 'replicas': 2, 'template': template}]}
    train = thing('trainer.kubeflow.org/v1alpha1', 'TrainJob', {'runtimeRef': {'name': 'rt'}, 'trainer': {'numNodes': 3}})
    marked = {'labels': {'ray.io/gang-scheduling-enabled': ''}}
    for source, objects, least in (
            ('PodGroup', [high, job({})], 3), ('PodGroup', [high, job({'minCount': 2})], 2),
            ('Volcano', [volcano()], 3), ('Volcano', [volcano(minAvailable=2)], 2),
            ('scheduler-plugins', [mpi({})], 3), ('scheduler-plugins', [mpi({'minAvailable': 2})], 2),
            ('scheduler-plugins', [runtime, train], 3),
            ('scheduler-plugins', [thing('ray.io/v1', 'RayCluster', ray_spec, **marked)], 3),
            ('scheduler-plugins', [thing('ray.io/v1', 'RayJob', {'submissionMode': 'HTTPMode', 'rayClusterSpec': ray_spec}, **marked)], 3)):
        starts = least == 2
        wanted = [('default/g', source, None if starts else 'GROUP_MINIMUM', least, 3, 2 if starts else 0)]
        equal(row(world.plan(node('n1'), node('n2'), *objects, profile='karp', status=None)), wanted, objects[-1])
    def in_kai(made, template_):
        template_['spec'] = template_['spec'] | {'schedulerName': 'kai-scheduler'}
        return json.loads(json.dumps(made)), template_['spec'].pop('schedulerName')
    jobs = [{'name': n, 'replicas': 1, 'template': {'spec': {'parallelism': 2, 'completions': 2, 'template': template}}} for n in 'ab']
    job_set = thing('jobset.x-k8s.io/v1alpha2', 'JobSet', {'replicatedJobs': jobs})
    workers = thing('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', {'replicas': 2, 'leaderWorkerTemplate': {'size': 2, 'workerTemplate': template}})
    for made, wanted in ((mpi(None), {'default/g': 3}), (job_set, {'default/g-a': 2, 'default/g-b': 2}), (workers, {'default/g-0': 2, 'default/g-1': 2}),
                         (thing('batch/v1', 'Job', {'parallelism': 3, 'completions': 3, 'template': template}), {})):
        plan = world.plan(node('n1'), node('n2'), in_kai(made, template)[0], profile='karp', status=None)
        equal({g['group']: g['minCount'] for g in plan.get('groups', [])}, wanted, made)
        check(all(g['source'] == 'KAI' for g in plan.get('groups', [])), made)
    for plain in (mpi(None), thing('ray.io/v1', 'RayCluster', ray_spec)):
        equal(row(world.plan(node('n1'), node('n2'), plain, profile='karp', status=None)), [], f'no group: {plain}')
    theirs = [gang(2), high, job({})]
    theirs[0]['spec']['priority'] = 7
    equal(row(world.plan(node('n1'), node('n2'), *theirs, profile='karp', status=None))[0][3], 2, 'the group is in the input')


def main():
    with tempfile.TemporaryDirectory() as folder:
        world = World(pathlib.Path(folder))
        sources(world)
        parts(world)
        made_by_controllers(world)
        notes(world)
        as_page(world)
        refusals(world)
        whole(world)
        in_domains(world)
        composites(world)
        newer(world)
        searches(world)
        with_devices(world)
        verified(world)
        disruption(world)
        repacking(world)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
