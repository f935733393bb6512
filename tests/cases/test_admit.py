# SPDX-License-Identifier: Apache-2.0
"""karp admit: whether queued workloads start now, after a launch or never, and why."""
import json
import pathlib
import random
import sys
import tempfile

from stories import check, equal, finish, run

TYPES = [{'name': 'small', 'labels': {'node.kubernetes.io/instance-type': ['small'], 'kubernetes.io/os': ['linux'],
                                      'karpenter.sh/capacity-type': ['on-demand', 'spot']},
          'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '20'},
          'offerings': [{'zone': z, 'capacityType': c, 'price': p, 'available': True}
                        for z, c, p in (('a', 'on-demand', 1), ('a', 'spot', 0.5), ('b', 'on-demand', 2), ('b', 'spot', 1))]}]
ZONE = 'topology.kubernetes.io/zone'


def pool(most='6', name='pool'):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name},
            'spec': {'limits': {'cpu': most}, 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}


def node(name, cpu=4, **labels):
    amounts = {'cpu': str(cpu), 'memory': '64Gi', 'pods': '20'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {'kubernetes.io/hostname': name, **labels}},
            'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def template(cpu, **metadata):
    return {'metadata': metadata, 'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': str(cpu)}}}],
                                           'restartPolicy': 'Never'}}


def job(name, pods, cpu=1, suspend=True, **metadata):
    return {'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': name, **metadata},
            'spec': {'parallelism': pods, 'completions': pods, 'suspend': suspend, 'template': template(cpu)}}


def workload(name, *pod_sets, priority=None, metadata=None, status=None):
    spec = {'podSets': list(pod_sets)} | ({'priority': priority} if priority is not None else {})
    return {'apiVersion': 'kueue.x-k8s.io/v1beta1', 'kind': 'Workload', 'metadata': {'name': name, **(metadata or {})},
            'spec': spec} | ({'status': status} if status else {})


def pod_set(count, cpu=1, name='main', **more):
    return {'name': name, 'count': count, 'template': template(cpu), **more}


class Queue:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.input = pathlib.Path(self.folder.name) / 'input.json'
        self.types = pathlib.Path(self.folder.name) / 'types.json'
        self.types.write_text(json.dumps(TYPES))

    def write(self, objects):
        self.input.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))

    def ask(self, verb, objects, *words, status=0):
        self.write(objects)
        out, said = run(verb, self.input, '--catalogue', self.types, *words, status=status)
        return (json.loads(out) if out.startswith('{') else out), said

    def ask_of(self, name, objects, *words, status=0):
        self.write(objects)
        return run('explain', 'group', name, self.input, '--catalogue', self.types, *words, status=status)

    def admit(self, *objects, words=('--flavours', 'none', '--changes', '0'), status=0):
        return self.ask('admit', list(objects), '-o', 'json', *words, status=status)[0]

    def answers(self, *objects, **how):
        return {w['workload'].split('/')[1]: w['answer'] for w in self.admit(*objects, **how)['workloads']}


q = Queue()


# ---- answers -------------------------------------------------------------------------------------------------------------------

def test_answers():
    got = q.admit(pool(), node('n1'), job('a', 3), job('b', 2), job('c', 11), job('d', 3))
    equal([(w['workload'], w['kind'], w['answer'], w['placed'], w['launches'], w['cost'], w['nodes']) for w in got['workloads']],
          [('default/a', 'Job', 'now', 3, 0, 0, ['n1']), ('default/b', 'Job', 'launch', 2, 1, 0.5, ['new-1', 'n1']),
           ('default/c', 'Job', 'never', 0, 0, 0, []), ('default/d', 'Job', 'launch', 3, 1, 0.5, ['new-1', 'new-2'])],
          'in the order of the queue; what does not start takes no room')
    equal(got['summary'], {'now': 1, 'launch': 2, 'never': 1, 'launches': 2, 'cost': 1}, 'the summary')
    equal([w['readyAfter'] for w in got['workloads']], ['0s', '1m0s', '0s', '1m0s'], 'when their nodes are ready')
    never = got['workloads'][2]
    equal((never['code'], never['reason']), ('GROUP_MINIMUM', '5 of 11 fit: NodePool pool has reached its limit cpu 6'), 'why')
    equal(sorted(l['id'] for l in got['launches']), ['new-1', 'new-2'], 'the launches of the whole queue')
    check('startsAlone' not in never, 'it starts with an empty queue neither')


def test_behind():
    got = q.admit(pool('4'), job('a', 3), job('b', 3))['workloads']
    equal([(w['answer'], w.get('startsAlone')) for w in got], [('launch', None), ('never', True)], 'what starts alone')


def test_order():
    old = {'creationTimestamp': '2026-01-01T00:00:00Z'}
    new = {'creationTimestamp': '2026-01-02T00:00:00Z'}
    objects = [pool('4'), workload('late', pod_set(3), metadata=new), workload('early', pod_set(3), metadata=old)]
    equal(list(q.answers(*objects).items()), [('early', 'launch'), ('late', 'never')], 'the older one first')
    objects[1]['spec']['priority'] = 1
    equal(list(q.answers(*objects).items()), [('late', 'launch'), ('early', 'never')], 'the higher priority first')


def test_gate():
    objects = [pool(), node('n1'), job('a', 3), job('b', 2)]
    for word, status in (('never', 0), ('launch', 3)):
        q.ask('admit', objects, '--fail-on', word, status=status)
    q.ask('admit', [*objects, job('c', 30)], '--fail-on', 'never', status=3)
    q.ask('admit', [node('n1'), job('a', 3)], '--fail-on', 'launch', status=0)
    _, said = q.ask('admit', objects, '--fail-on', 'now', status=1)
    check('--fail-on: launch or never' in said, said)
    _, said = q.ask('admit', objects, '--flavours', 'zones', status=1)
    check('--flavours: nodepool, zone, capacity-type, reservation, resource-flavor, all or none' in said, said)


def test_starting_node():
    """A node that is not initialized yet is waited for; nothing is launched."""
    labels = {'karpenter.sh/nodepool': 'pool', 'node.kubernetes.io/instance-type': 'small', ZONE: 'a',
              'karpenter.sh/capacity-type': 'spot', 'karpenter.sh/registered': 'true'}
    starting = node('n1', 2, **labels)
    starting['spec'] = {'providerID': 'x:///1'}
    claim = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': 'c1', 'labels': labels},
             'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': []},
             'status': {'providerID': 'x:///1', 'nodeName': 'n1', 'capacity': starting['status']['capacity'],
                        'allocatable': starting['status']['allocatable'],
                        'conditions': [{'type': 'Launched', 'status': 'True'}, {'type': 'Registered', 'status': 'True'}]}}
    one = q.admit(pool(), starting, claim, job('a', 1))['workloads'][0]
    equal((one['answer'], one['launches'], one['waiting'], one['nodes']), ('launch', 0, 1, ['n1']), 'a node that is starting')


# ---- flavours and changes ------------------------------------------------------------------------------------------------------

def test_flavours():
    got = q.admit(pool(), node('n1'), job('a', 3), job('b', 3), words=('--changes', '0'))['workloads']
    rows = [[(f.get('nodePool', ''), f.get('zone'), f.get('capacityType'), f['answer'], f['launches'], f['cost'])
             for f in w['flavours']] for w in got]
    equal(rows[0], [('pool', 'a', 'on-demand', 'launch', 2, 2), ('pool', 'a', 'spot', 'launch', 2, 1),
                    ('pool', 'b', 'on-demand', 'launch', 2, 4), ('pool', 'b', 'spot', 'launch', 2, 2),
                    ('', None, None, 'now', 0, 0)], 'each flavour beside the others')
    equal(rows[1][4][3:], ('never', 0, 0), 'at its turn: the node outside NodePools has room for one')
    equal(got[1]['flavours'][4]['reason'], '1 of 3 fit: not enough free resources', 'why not')
    by_zone = q.admit(pool(), job('a', 3), words=('--flavours', 'zone', '--changes', '0'))['workloads'][0]['flavours']
    equal([(f['nodePool'], f['zone'], f['cost']) for f in by_zone], [('pool', 'a', 1), ('pool', 'b', 2)], 'by zone alone')
    confined = job('a', 2)
    confined['spec']['template']['spec']['nodeSelector'] = {ZONE: 'b'}
    answers = [f['answer'] for f in q.admit(pool(), confined, words=('--flavours', 'zone', '--changes', '0'))['workloads'][0]['flavours']]
    equal(answers, ['never', 'launch'], 'with a node selector')


def test_changes():
    def changes(*objects):
        return [(c['kind'], c['text']) for c in q.admit(*objects, words=('--flavours', 'none'))['workloads'][0].get('changes', [])]
    got = changes(pool(), job('a', 20))
    equal(got[:2], [('RAISE_LIMIT', 'raise the limit cpu of NodePool pool to 20'), ('LOWER_MINIMUM', 'run 6 of its 20 pods')],
          'the smallest changes')
    group = {'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': 'g'},
             'spec': {'schedulingPolicy': {'gang': {'minCount': 8}}}}
    gang = [group] + [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'g-{i}'},
                       'spec': {**template(1)['spec'], 'schedulingGroup': {'podGroupName': 'g'}}} for i in range(8)]
    check(('LOWER_MINIMUM', 'lower the minimum of default/g from 8 to 6') in changes(pool(), *gang), 'a gang')
    tainted = pool()
    tainted['spec']['template']['spec']['taints'] = [{'key': 'gpu', 'effect': 'NoSchedule'}]
    equal(changes(tainted, job('a', 2))[0], ('TOLERATE', 'tolerate gpu:NoSchedule'), 'a taint')
    equal(changes(pool(), job('a', 2)), [], 'what starts needs none')


def test_not_considered():
    for objects, code in (([], 'NO_NODEPOOLS'), ([pool()], 'INVALID')):
        work = job('a', 2)
        work['spec']['template']['spec']['nodeSelector'] = {'karpenter.sh/no-such-label': 'x'}
        one = q.admit(*objects, work)['workloads'][0]
        check(one['code'] != 'NOT_REACHED' and one['reason'].startswith('0 of 2 fit: '), one)
    check('there is no NodePool' in q.admit(job('a', 2))['workloads'][0]['reason'], 'no NodePool')


# ---- what is queued ------------------------------------------------------------------------------------------------------------

def test_kueue():
    owner = [{'apiVersion': 'batch/v1', 'kind': 'Job', 'name': 'train', 'uid': 'u', 'controller': True}]
    asked = workload('job-train', pod_set(3), metadata={'ownerReferences': owner})
    got = q.admit(pool(), node('n1'), job('train', 3), asked)['workloads']
    equal([(w['kind'], w['workload'], w['answer'], w['pods']) for w in got], [('Workload', 'default/job-train', 'now', 3)],
          'a Workload stands for its Job')
    for condition in ('Admitted', 'Finished'):
        done = workload('w', pod_set(3), status={'conditions': [{'type': condition, 'status': 'True'}]})
        equal(q.answers(pool(), node('n1'), done), {}, condition)
    inactive = workload('w', pod_set(3))
    inactive['spec']['active'] = False
    equal(q.answers(pool(), node('n1'), inactive), {}, 'not active')
    equal(q.answers(pool('4'), workload('w', pod_set(3, name='a'), pod_set(3, name='b'))), {'w': 'never'}, 'all pod sets together')
    equal(q.answers(pool('6'), workload('w', pod_set(3, name='a'), pod_set(3, name='b'))), {'w': 'launch'}, 'if they fit')
    equal(q.answers(pool('4'), workload('w', pod_set(6, minCount=4))), {'w': 'launch'}, 'partial admission')
    reclaimed = workload('w', pod_set(6), status={'reclaimablePods': [{'name': 'main', 'count': 2}]})
    equal(q.answers(pool('4'), reclaimed), {'w': 'launch'}, 'pods that are done')
    plain, _ = q.ask('plan', [pool(), asked], '-o', 'json')
    equal(plain['launches'], [], 'a plan has the pods of controllers, not those of Workloads')


def test_kueue_topology():
    nodes = [node('n1', 2, **{ZONE: 'a', 'rack': 'r1'}), node('n2', 2, **{ZONE: 'a', 'rack': 'r2'}),
             node('n3', 2, **{ZONE: 'b', 'rack': 'r3'})]
    required = {'topologyRequest': {'required': ZONE}}
    one = q.admit(*nodes, workload('w', pod_set(4, **required)))['workloads'][0]
    equal((one['answer'], one['domain'], one['nodes']), ('now', 'a', ['n1', 'n2']), 'one domain of the level')
    equal(q.answers(*nodes, workload('w', pod_set(5, **required))), {'w': 'never'}, 'no domain has room')
    for word in ('preferred', 'unconstrained'):
        value = ZONE if word == 'preferred' else True
        equal(q.answers(*nodes, workload('w', pod_set(5, topologyRequest={word: value}))), {'w': 'now'}, word)
    slices = {'podSetSliceRequiredTopology': 'rack', 'podSetSliceSize': 2}
    equal(q.answers(*nodes, workload('w', pod_set(6, topologyRequest=slices))), {'w': 'now'}, 'slices of two in racks')
    equal(q.answers(*nodes, workload('w', pod_set(6, topologyRequest=slices | {'podSetSliceSize': 3}))), {'w': 'never'},
          'slices of three')
    equal(q.answers(*nodes, workload('w', pod_set(4, topologyRequest=slices | {'required': ZONE}))), {'w': 'now'},
          'slices within a level')
    equal(q.answers(*nodes, workload('w', pod_set(6, topologyRequest=slices | {'required': ZONE}))), {'w': 'never'},
          'too many slices for a level')
    annotated = pod_set(5)
    annotated['template']['metadata']['annotations'] = {'kueue.x-k8s.io/podset-required-topology': ZONE}
    equal(q.answers(*nodes, workload('w', annotated)), {'w': 'never'}, 'by annotation')
    together = {'topologyRequest': {'required': ZONE, 'podSetGroupName': 'all'}}
    pair = workload('w', pod_set(1, 2, 'leader', **together), pod_set(1, 2, 'worker', **together))
    equal(q.answers(nodes[0], nodes[2], pair), {'w': 'never'}, 'two pod sets in one domain')
    equal(q.answers(*nodes, pair), {'w': 'now'}, 'which has room for both')


def test_plain_pods():
    gated = [{'apiVersion': 'v1', 'kind': 'Pod',
              'metadata': {'name': f'p{i}', 'labels': {'kueue.x-k8s.io/pod-group-name': 'g'},
                           'annotations': {'kueue.x-k8s.io/pod-group-total-count': '2'}},
              'spec': {**template(1)['spec'], 'schedulingGates': [{'name': 'kueue.x-k8s.io/admission'}]},
              'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'SchedulingGated'}]}}
             for i in range(2)]
    equal(q.answers(node('n1'), *gated), {'g': 'now'}, 'the gates of Kueue are lifted')
    gated[0]['spec']['schedulingGates'].append({'name': 'mine'})
    equal(q.answers(node('n1'), *gated), {'g': 'never'}, 'other gates are not')
    bare = [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'p{i}'}, 'spec': template(3)['spec']} for i in range(2)]
    equal(q.answers(node('n1'), *bare), {'p0': 'now', 'p1': 'never'}, 'pods without a controller')


def test_other_kinds():
    request = {'apiVersion': 'autoscaling.x-k8s.io/v1', 'kind': 'ProvisioningRequest', 'metadata': {'name': 'r'},
               'spec': {'provisioningClassName': 'best-effort-atomic-scale-up.autoscaling.x-k8s.io',
                        'podSets': [{'podTemplateRef': {'name': 't'}, 'count': 5}]}}
    made = {'apiVersion': 'v1', 'kind': 'PodTemplate', 'metadata': {'name': 't'}, 'template': template(1)}
    got = q.admit(pool(), request, made)['workloads'][0]
    equal((got['kind'], got['answer'], got['launches']), ('ProvisioningRequest', 'launch', 3), 'a ProvisioningRequest')
    planned = json.loads(run('plan', '-', '-o', 'json', text=json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [request]}))[0])
    check(any('ProvisioningRequest r asks for capacity and creates no pods: karp admit answers it' in w for w in planned['warnings']) and not planned.get('problems'),
          f'it is a question: {planned}')
    equal(q.answers(pool('4'), request, made), {'r': 'never'}, 'all of it or nothing')
    for cls, limit, more, wanted in (
            ('best-effort-atomic-scale-up', '100', {}, ('True', 'CapacityIsProvisioned')), ('best-effort-atomic-scale-up', '4', {}, ('False', 'CapacityIsNotFound')),
            ('check-capacity', '100', {}, ('False', 'CapacityIsNotFound')), ('check-capacity', '100', {'noRetry': 'true'}, ('True', 'CapacityIsNotFound'))):
        asked = {**request, 'spec': {**request['spec'], 'provisioningClassName': cls + '.autoscaling.x-k8s.io', 'parameters': more}}
        conditions = q.admit(pool(limit), asked, made)['workloads'][0]['conditions']
        equal([(c['type'], c['status'], c['reason']) for c in conditions],
              [('Accepted', 'True', 'Accepted'), ('Failed' if more else 'Provisioned', *wanted)], f'{cls} {limit} {more}')
    other = {**request, 'spec': {**request['spec'], 'provisioningClassName': 'example.com/other'}}
    check('conditions' not in q.admit(pool(), other, made)['workloads'][0], 'a class of others')
    def labels_of(asked):  # the pods have no labels of the question, which other pods could select
        spread = json.loads(json.dumps(made))
        spread['template']['spec']['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
            {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchExpressions': [{'key': k, 'operator': 'Exists'}]}}
            for k in ('autoscaling.x-k8s.io/provisioning-class-name', 'kueue.x-k8s.io/pod-group-name')]}}
        return q.admit(node('n1', 9), asked, spread)['workloads'][0]['answer']
    equal(labels_of(request), 'now', 'no label of the question')
    missing = q.admit(pool(), request)
    check('PodTemplate t' in missing['problems'][0], missing)
    buffer = {'apiVersion': 'autoscaling.x-k8s.io/v1beta1', 'kind': 'CapacityBuffer', 'metadata': {'name': 'b'},
              'spec': {'podTemplateRef': {'name': 't'}, 'replicas': 3}}
    got = q.admit(pool('2'), buffer, made, words=('--feature-gates', 'CapacityBuffer=true', '--flavours', 'none', '--changes', '0'))
    equal([(w['kind'], w['workload'], w['answer'], w['placed']) for w in got['workloads']],
          [('CapacityBuffer', 'default/b', 'never', 2)], 'a buffer is filled as far as it goes')
    jobs = {'apiVersion': 'jobset.x-k8s.io/v1alpha2', 'kind': 'JobSet', 'metadata': {'name': 's'},
            'spec': {'suspend': True, 'replicatedJobs': [{'name': n, 'replicas': 2, 'template': {'spec': {
                'parallelism': 1, 'completions': 1, 'template': template(1)}}} for n in 'ab']}}
    got = q.admit(pool(), jobs)['workloads']
    equal([(w['kind'], w['answer'], w['pods']) for w in got], [('JobSet', 'launch', 4)], 'a JobSet is one workload')
    web = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'},
           'spec': {'replicas': 9, 'selector': {'matchLabels': {'a': 'b'}},
                    'template': {**template(1, labels={'a': 'b'}), 'spec': {'containers': template(1)['spec']['containers']}}}}
    got = q.admit(pool(), web)['workloads'][0]
    equal((got['kind'], got['answer'], got['placed'], got['reason'].startswith('6 of 9 fit: ')), ('ReplicaSet', 'never', 6, True),
          'pods of a Deployment are placed one by one')


def test_buffer_conditions():
    """What Karpenter says of a buffer; Infeasible, as asked for in kubernetes-sigs/karpenter#3223, whatever is available at the moment."""
    buffer = {'apiVersion': 'autoscaling.x-k8s.io/v1beta1', 'kind': 'CapacityBuffer', 'metadata': {'name': 'b'},
              'spec': {'podTemplateRef': {'name': 't'}, 'replicas': 2}}

    def condition(cpu, *objects, limit='100', available=True, **spec):
        made = {'apiVersion': 'v1', 'kind': 'PodTemplate', 'metadata': {'name': 't'}, 'template': template(cpu)}
        made['template']['spec'].update(spec)
        types = json.loads(json.dumps(TYPES))
        for o in types[0]['offerings']:
            o['available'] = available
        q.types.write_text(json.dumps(types))
        one, = q.admit(pool(limit), *objects, buffer, made, words=('--feature-gates', 'CapacityBuffer=true', '--flavours', 'none', '--changes', '0'))['workloads']
        q.types.write_text(json.dumps(TYPES))
        return one['answer'], [(c['type'], c['status'], c['reason']) for c in one['conditions']][0]
    new, never = ('Provisioning', 'False', 'RequiresNewCapacity'), ('Provisioning', 'False', 'Infeasible')
    equal(condition(1, node('n1')), ('now', ('Provisioning', 'True', 'FitsExistingCapacity')), 'room on a node')
    equal(condition(1), ('launch', new), 'nodes for it')
    equal(condition(1, limit='0'), ('never', new), 'a limit is no matter of offerings')
    equal(condition(1, available=False), ('never', new), '"regardless of availability of those offerings"')
    equal(condition(3), ('never', never), 'larger than every type')
    equal(condition(3, available=False), ('never', never), 'likewise')
    equal(condition(1, nodeSelector={ZONE: 'c'}), ('never', never), 'a zone that nobody offers')
    equal(condition(1, nodeSelector={ZONE: 'b'}, available=False), ('never', new), 'and one that is offered')
    tainted = pool('100', 'other')
    tainted['spec']['template']['spec']['taints'] = [{'key': 'x', 'effect': 'NoSchedule'}]
    equal(condition(1, tainted, nodeSelector={'karpenter.sh/nodepool': 'other'}), ('never', never), 'a taint')
    equal(condition(1, tainted, nodeSelector={'karpenter.sh/nodepool': 'other'}, tolerations=[{'operator': 'Exists'}])[0], 'launch', 'that is tolerated')


def test_bookings():
    """cluster-autoscaler holds what it found for ten minutes, or until its pods run; what is not found in seven days fails."""
    made = {'apiVersion': 'v1', 'kind': 'PodTemplate', 'metadata': {'name': 't'}, 'template': template(1)}
    now = '2026-03-02T12:00:00Z'

    def ask(since, *more, created='2026-03-02T10:00:00Z', kind='check-capacity.autoscaling.x-k8s.io', conditions=('Provisioned',)):
        request = {'apiVersion': 'autoscaling.x-k8s.io/v1', 'kind': 'ProvisioningRequest', 'metadata': {'name': 'r', 'creationTimestamp': created},
                   'spec': {'provisioningClassName': kind, 'podSets': [{'podTemplateRef': {'name': 't'}, 'count': 3}]},
                   'status': {'conditions': [{'type': c, 'status': 'True', 'lastTransitionTime': since} for c in conditions] if since else []}}
        got = q.admit(node('n1'), request, made, *more, job('other', 3, creationTimestamp='2026-03-01T00:00:00Z'), words=('--flavours', 'none', '--changes', '0', '--now', now))
        return ({w['workload'].split('/')[1]: w['answer'] for w in got['workloads']}, got['workloads'],
                [w for w in got.get('warnings', []) if 'BookingExpired' in w])
    answers, rows, notes = ask('2026-03-02T11:51:00Z')
    equal((answers, list(answers), notes), ({'r': 'now', 'other': 'never'}, ['r', 'other'], []), 'what is booked comes first, whatever is older')
    equal((rows[0]['priority'], 'conditions' in rows[0]), (0, False), 'its conditions stay')
    answers, _, notes = ask('2026-03-02T11:49:00Z')
    equal(answers, {'other': 'now'}, 'after ten minutes its room is free')
    check(len(notes) == 1 and 'CapacityReservationTimeExpired' in notes[0], f'{notes}')
    running = [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'p{i}', 'annotations': {'autoscaling.x-k8s.io/consume-provisioning-request': 'r'}},
                'spec': {**template(1)['spec'], 'nodeName': 'n1'}, 'status': {'phase': 'Running'}} for i in range(3)]
    answers, _, notes = ask('2026-03-02T11:55:00Z', *running)
    equal(answers, {'other': 'never'}, 'its pods have the room themselves')
    check(len(notes) == 1 and 'CapacityBookingConsumed' in notes[0], f'{notes}')
    equal(ask('2026-03-02T11:55:00Z', *running[:2])[0], {'r': 'never', 'other': 'never'}, 'as long as one is missing, all are booked')
    equal(ask('2026-03-02T11:51:00Z', conditions=('Provisioned', 'BookingExpired'))[0], {'other': 'now'}, 'what is stated is not noted again')
    equal(ask('2026-03-02T11:51:00Z', kind='example.com/other')[0], {'other': 'now'}, 'a class of others books nothing that is known')
    answers, rows, _ = ask(None, created='2026-02-23T11:00:00Z')
    one = next(r for r in rows if r['workload'] == 'default/r')
    equal((one['answer'], one['code'], [(c['type'], c['status'], c['reason']) for c in one['conditions']]),
          ('never', 'GROUP_REFUSED', [('Accepted', 'True', 'Accepted'), ('Failed', 'True', 'Expired')]), 'after seven days')


# ---- the same as a plan --------------------------------------------------------------------------------------------------------

def world(rng):
    objects = [pool(str(rng.choice((0, 2, 4, 6, 12))))]
    objects += [node(f'n{i}', rng.randrange(1, 5), **{ZONE: rng.choice('ab')}) for i in range(rng.randrange(4))]
    asked = job('asked', rng.randrange(1, 7), rng.choice((0.5, 1, 1, 2, 3)))
    spec = asked['spec']['template']['spec']
    if rng.random() < 0.3:
        spec['nodeSelector'] = {ZONE: rng.choice('abc')}
    if rng.random() < 0.3:
        asked['spec']['template']['metadata'] = {'labels': {'app': 'x'}}
        spec['topologySpreadConstraints'] = [{'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule',
                                              'labelSelector': {'matchLabels': {'app': 'x'}}}]
    return objects, asked


def test_equals_plan():
    """An admission of one workload says what a plan of the cluster with this workload says."""
    seen = set()
    for seed in range(60):
        objects, asked = world(random.Random(seed))
        answer = q.admit(*objects, asked)['workloads'][0]
        asked['spec']['suspend'] = False
        plan, _ = q.ask('plan', [*objects, asked], '-o', 'json', '--profile', 'karp', '--first-round')
        left = len(plan['unschedulable'])
        wanted = 'never' if left else 'launch' if plan['launches'] else 'now'
        seen.add(wanted)
        equal(answer['answer'], wanted, f'seed {seed}')
        if left:
            equal(answer['placed'], 0, f'seed {seed}: nothing is placed of it')
            continue
        cost = sum(float(l['choice']['price']) for l in plan['launches'])
        equal((answer['launches'], round(answer['cost'], 6)), (len(plan['launches']), round(cost, 6)), f'seed {seed}: launches')
        nodes = [l['id'] for l in plan['launches']] + [p['node'] for p in plan['placements']]
        equal(answer['nodes'], nodes, f'seed {seed}: nodes')
    equal(seen, {'now', 'launch', 'never'}, 'all answers occur')


def test_group():
    objects = [pool(), node('n1'), job('a', 3), job('b', 2), job('c', 11), job('d', 3)]
    out, _ = q.ask_of('c', objects)
    check('5 of 11 fit: NodePool pool has reached its limit cpu 6' in out and 'default/a' not in out, out)
    check('it starts if you raise the limit cpu of NodePool pool to' in out and 'NodePool pool, a, spot' in out, out)
    out, _ = q.ask_of('b', objects)
    check('    on new-1 (small, a, spot), n1' in out.splitlines(), out)
    got = json.loads(q.ask_of('d', objects, '-o', 'json')[0])
    whole = q.admit(*objects)
    alone, = got['workloads']
    flavours = alone.pop('flavours')
    equal((alone, got['launches'], len(flavours)), (whole['workloads'][3], whole['launches'], 5), 'as karp admit has it')
    _, said = q.ask_of('cc', objects, status=1)
    check('no group or workload of that name (NAMESPACE/NAME) waits; did you mean default/' in said, said)
    _, said = q.ask_of('other/d', objects, status=1)
    check('did you mean default/d?' in said, said)


def test_group_below():
    """A group below a composite is asked about by its own name; one whose pods all have nodes waits no more."""
    group = {'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': 'lower'},
             'spec': {'schedulingPolicy': {'gang': {'minCount': 1}}, 'parentCompositePodGroupName': 'upper'}}
    upper = {'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'CompositePodGroup', 'metadata': {'name': 'upper'},
             'spec': {'schedulingPolicy': {'gang': {'minGroupCount': 1}}}}
    member = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'p'}, 'status': {'phase': 'Pending'},
              'spec': {**template(1)['spec'], 'schedulingGroup': {'podGroupName': 'lower'}}}
    out, _ = q.ask_of('lower', [pool(), node('n1'), group, upper, member])
    check(any(l.split()[:3] == ['CompositePodGroup', 'default/upper', 'now'] for l in out.splitlines()), out)
    member['spec']['nodeName'] = 'n1'
    _, said = q.ask_of('lower', [pool(), node('n1'), group, upper, member, job('a', 1)], status=1)
    check('no pod of it is pending' in said, said)


def test_waits():
    objects = [pool(), job('a', 1), job('b', 1)]
    for form in ('text', 'markdown'):
        out, _ = q.ask('admit', objects, '-o', form)
        check('\nwaits: no launch of its own; it starts when nodes are ready that are starting' in out, out)
        out, _ = q.ask('admit', objects[:2], '-o', form)
        check('waits' not in out, out)


def test_text():
    out, _ = q.ask('admit', [pool(), node('n1'), job('a', 3), job('c', 9)])
    lines = out.splitlines()
    check(lines[0].startswith('karp admit  ·  profile karp'), lines[0])
    check('2 workloads: 1 can start now, 0 after launching 0 nodes (+$0.00/month (730 h)), 1 never.' in lines, out)
    check(any(l.strip() == 'it starts if you raise the limit cpu of NodePool pool to 8' for l in lines), out)
    table, _ = q.ask('admit', [node('n1'), job('a', 3)], '-o', 'markdown')
    check('| Job default/a | now | 3/3 | 0 |' in table, table)
    empty, _ = q.ask('admit', [node('n1')])
    check('Nothing waits: no pod is pending.' in empty, empty)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith('test_'):
            test()
    return finish()


if __name__ == '__main__':
    sys.exit(main())
