# SPDX-License-Identifier: Apache-2.0
"""karp diff: what two versions of Karpenter decide differently, and by which rule, in every format."""
import json
import os
import subprocess
import sys
import tempfile

KARP = os.environ.get('KARP')
BOTH = ['--profile', 'karpenter-1.14', '--profile', 'karpenter-1.15']
READY = [{'type': kind, 'status': 'True'} for kind in ('Ready', 'ValidationSucceeded', 'NodeClassReady')]
ZONE, TYPE, CAPACITY = 'topology.kubernetes.io/zone', 'node.kubernetes.io/instance-type', 'karpenter.sh/capacity-type'


def machine(name, price, **more):
    return {'name': name, 'capacity': {'cpu': '4', 'memory': '16Gi', 'pods': '10'},
            'labels': {TYPE: [name], ZONE: ['a'], CAPACITY: ['on-demand']},
            'offerings': [{'zone': 'a', 'capacityType': 'on-demand', 'price': price}], **more}


def pod(name, volume=None, node=None, **annotations):
    spec = {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}
    status = {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}
    if volume:
        spec['volumes'] = [{'name': 'v', 'persistentVolumeClaim': {'claimName': volume}}]
    if node:
        spec['nodeName'], status = node, {'phase': 'Running'}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'spec': spec, 'status': status,
            'metadata': {'name': name, 'namespace': 'default', 'uid': name, 'annotations': annotations}}


def world(machines, objects, **more):
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
            'spec': {'disruption': {'consolidateAfter': '0s', 'consolidationPolicy': 'WhenEmptyOrUnderutilized',
                                    'budgets': [{'nodes': '100%'}]},
                     'template': {'spec': {'nodeClassRef': {'group': 'karpenter.kwok.sh', 'kind': 'KWOKNodeClass', 'name': 'default'},
                                           'requirements': []}}},
            'status': {'conditions': READY}}
    return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': '2026-11-21T12:00:00Z', 'settings': {},
            'catalogues': [{'instanceTypes': machines}], 'objects': [pool, *objects], **more}


def volumes():
    """Two volumes do not fit on the cheaper type (K15-1)."""
    claims = [{'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim', 'metadata': {'name': name, 'namespace': 'default'},
               'spec': {'storageClassName': 's'}} for name in ('x', 'y')]
    storage = {'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name': 's'}, 'provisioner': 'd',
               'volumeBindingMode': 'WaitForFirstConsumer'}
    both = pod('p', 'x')
    both['spec']['volumes'].append({'name': 'w', 'persistentVolumeClaim': {'claimName': 'y'}})
    return world([machine('one', 1, volumeAttachmentLimits={'d': 1}), machine('two', 2)], [storage, *claims, both])


def node(name, **annotations):
    labels = {'kubernetes.io/hostname': name, 'karpenter.sh/nodepool': 'default', 'karpenter.sh/registered': 'true',
              'karpenter.sh/initialized': 'true', TYPE: 'one', ZONE: 'a', CAPACITY: 'on-demand'}
    amounts = {'cpu': '4', 'memory': '16Gi', 'pods': '10'}
    conditions = [{'type': kind, 'status': 'True', 'lastTransitionTime': '2026-11-20T12:00:00Z'}
                  for kind in ('Launched', 'Registered', 'Initialized', 'Consolidatable', 'Drifted')]
    return [{'apiVersion': 'v1', 'kind': 'Node', 'spec': {'providerID': f'x://{name}'},
             'metadata': {'name': name, 'labels': labels, 'annotations': annotations, 'creationTimestamp': '2026-11-20T12:00:00Z'},
             'status': {'capacity': amounts, 'allocatable': amounts,
                        'conditions': [{'type': 'Ready', 'status': 'False', 'reason': 'KubeletNotReady',
                                        'lastTransitionTime': '2026-11-21T10:00:00Z'} if name == 'sick' else
                                       {'type': 'Ready', 'status': 'True', 'lastTransitionTime': '2026-11-20T12:00:00Z'}]}},
            {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': f'nc-{name}', 'labels': labels,
                                                                              'creationTimestamp': '2026-11-20T12:00:00Z'},
             'spec': {'nodeClassRef': {'group': 'karpenter.kwok.sh', 'kind': 'KWOKNodeClass', 'name': 'default'}, 'requirements': []},
             'status': {'providerID': f'x://{name}', 'conditions': conditions, 'capacity': amounts, 'allocatable': amounts}}]


def costs():
    """Which of two nodes goes is said by an annotation that 1.14 does not know (K15-6)."""
    bound = [pod('a', node='n1', **{'karpenter.sh/disruption-cost': '2000000000'}), pod('b', node='n2')]
    return world([machine('one', 1)], [*node('n1'), *node('n2'), *bound], state={'method': 'SingleNodeConsolidation'})


def sick():
    """A node that is not ready is repaired (K15-8)."""
    settings = {'featureGates': {'NodeRepair': True}, 'repairPolicies': [
        {'conditionType': 'Ready', 'conditionStatus': 'False', 'tolerationDuration': '30m', 'priority': 10, 'action': 'ReplaceNode'}]}
    well = [one for i in range(5) for one in node(f'n{i}')]
    return world([machine('one', 1)], [*node('sick'), *well], settings=settings, state={'method': 'Repair'})


def crowd():
    """Three nodes of four cores with a pod of one core each: Karpenter's pass takes one step, a repack all."""
    pods = [pod(f'p{i}', node=f'n{i}') for i in range(3)]
    return world([machine('one', 1)], [*node('n0'), *node('n1'), *node('n2'), *pods], state={'method': 'Repack'})


def run(document, *arguments, status=0, verb='diff'):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'world.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(document, file)
        done = subprocess.run([KARP, verb, *arguments, '-f', path], capture_output=True, text=True, check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stdout + (done.stderr if status == 1 else '')


def differences(document):
    found = json.loads(run(document, *BOTH, '-o', 'json'))
    assert (found['kind'], found['before'], found['after']) == ('Diff', 'karpenter-1.14', 'karpenter-1.15')
    return found


def main():
    if not KARP:
        return 77
    launch, = differences(volumes())['launches']
    assert launch['subject'] == 'default: default/p' and launch['rules'] == ['K15-1'], launch
    assert launch['before'].startswith('one a on-demand $1.000/h, of 2 types: one two'), launch
    assert launch['after'].startswith('two a on-demand $2.000/h, of 1 type: two'), launch
    commands = differences(costs())['commands']
    assert [(c['subject'], c['rules'], c['before'] is None) for c in commands] == [
        ('n1', ['K15-6'], False), ('n2', ['K15-6'], True)], commands
    repaired, = differences(sick())['commands']
    assert (repaired['subject'], repaired['before'], repaired['after'], repaired['rules']) == (
        'sick', None, 'delete, Unhealthy (Repair)', ['K15-8']), repaired
    both = ('--profile', 'karpenter', '--profile', 'karp')
    for method in ((), ('--method', 'Repack')):
        found = json.loads(run(crowd(), *both, *method, '-o', 'json'))['commands']
        repacked = [c for c in found if c['after'] and '(Repack)' in c['after']]
        assert repacked and not any(c['before'] and '(Repack)' in c['before'] for c in found), found
    assert 'has no such method' in run(crowd(), *BOTH, status=1)
    steps = json.loads(run(crowd(), '--profile', 'karp', '-o', 'json', verb='disrupt'))['commands']
    assert steps and all(c['method'] == 'Repack' for c in steps), steps
    assert '--profile karp' in run(crowd(), verb='disrupt', status=1)
    text = run(volumes(), *BOTH, '--detailed-exitcode', status=2)
    assert 'default: default/p  (K15-1 launch-volumes)' in text and text.endswith('1 launch differs.\n'), text
    assert run(volumes(), *BOTH, '-o', 'markdown').startswith('# karpenter-1.14 \u2192 karpenter-1.15\n\n## Launches\n\n- **default'), text
    assert run(volumes(), '--profile', 'karpenter', '--profile', 'karpenter-1.15', '--detailed-exitcode').endswith('Nothing differs.\n')
    run(volumes(), '--profile', 'karpenter-1.14', status=1)
    run(volumes(), '--profile', 'karpenter-1.13', '--profile', 'karpenter-1.15', status=1)
    return 0


if __name__ == '__main__':
    sys.exit(main())
