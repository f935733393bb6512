# SPDX-License-Identifier: Apache-2.0
"""Pods that are resized in place: Karpenter 1.15 sums up the largest amounts, Kubernetes from 1.37 on takes the largest sum. Source:
k8s.io/component-helpers 0.36 and 0.37, resource/helpers.go."""
import json
import pathlib
import re
import tempfile

from stories import check, document, equal, finish, run

POOL = pathlib.Path(__file__).parent / 'asks' / 'pool.yaml'
folder = tempfile.TemporaryDirectory()


def manifest(*objects):
    path = pathlib.Path(folder.name) / 'input.json'
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def container(name, cpu, always=False):
    return {'name': name, 'resources': {'requests': {'cpu': cpu} if cpu else {}}, **({'restartPolicy': 'Always'} if always else {})}


def status(name, allocated=None, in_effect=None):
    return {'name': name, **({'allocatedResources': {'cpu': allocated}} if allocated else {}),
            **({'resources': {'requests': {'cpu': in_effect}}} if in_effect else {})}


def pod(name, containers, statuses, init=(), init_statuses=(), reason=None, on='worker'):
    conditions = [{'type': 'PodResizePending', 'status': 'True', 'reason': reason}] if reason else []
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'uid': name},
            'spec': {'nodeName': on, 'containers': containers, 'initContainers': list(init)},
            'status': {'phase': 'Running', 'conditions': conditions, 'containerStatuses': statuses, 'initContainerStatuses': list(init_statuses)}}


def node(cpu='4'):
    room = {'cpu': cpu, 'memory': '8Gi', 'pods': '20'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'worker', 'labels': {
        'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': 'm5.xlarge', 'topology.kubernetes.io/zone': 'us-west-2a',
        'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/arch': 'amd64'}},
        'spec': {'providerID': 'aws:///us-west-2a/i-1'}, 'status': {'allocatable': room, 'capacity': room}}


A_AND_B = [container('a', '1'), container('b', '2')]
# (pod, what Karpenter counts and what Kubernetes does): printed by k8s.io/component-helpers 0.36.3 and 0.37.2, PodRequests() with
# UseStatusResources; None = the same.
GOLDEN = (
    (pod('one-shrinks', A_AND_B, [status('a', '2', '2'), status('b', '1', '1')]), ('4', '3')),
    (pod('both-grow', A_AND_B, [status('a', '500m', '500m'), status('b', '1', '1')]), None),
    (pod('done', A_AND_B, [status('a', '1', '1'), status('b', '2', '2')]), None),
    (pod('allocated-only', [container('a', '500m')], [status('a', '1')]), ('500m', '1')),
    (pod('not-applied', A_AND_B, [status('a', '1', '3'), status('b', '2', '1')]), ('5', '4')),
    (pod('first-container', [container('a', '1')], [], [container('i', '500m')], [status('i', '2', '2')]), ('1', '2')),
    (pod('sidecar', [container('a', '1')], [status('a', '2', '2')], [container('s', '2', True)], [status('s', '1', '1')]), ('4', '3')),
    (pod('infeasible', A_AND_B, [status('a', '500m', '500m'), status('b', '1', '1')], reason='Infeasible'), None),
    (pod('infeasible-unknown', A_AND_B, [status('a', '500m', '500m')], reason='Infeasible'), ('2500m', '500m')),
    (pod('deferred', A_AND_B, [status('a', '2', '2'), status('b', '1', '1')], reason='Deferred'), ('4', '3')),
)


def counts():
    for one, wanted in GOLDEN:
        found = [f for f in document('lint', POOL, manifest(one, node('20')))['findings'] if f['rule'] == 'resize-counts']
        said = [re.search(r'counts cpu (\S+), not (\S+) as', f['text']).groups() for f in found]
        equal(said, [wanted] if wanted else [], one['metadata']['name'])


def waiting(cpu):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'wait'}, 'spec': {'containers': [container('c', cpu)]}}


def explained(one, cpu='900m', room='4'):
    return document('explain', 'pod', 'wait', '-f', manifest(one, node(room), waiting(cpu)), '-f', POOL).get('resize')


def disagree():
    shrinks = GOLDEN[0][0]
    equal(explained(shrinks), 'kube-scheduler may bind the pod to node worker from Kubernetes 1.37 on; default/one-shrinks on it is being '
          'resized, and Karpenter counts cpu 4, not 3: the node is then launched in vain', 'a node in vain')
    check('launched in vain' in re.sub(r'\s+', ' ', run('explain', 'pod', 'wait', '-f', manifest(shrinks, node(), waiting('900m')), '-f', POOL)[0]), 'as text')
    equal(explained(shrinks, room='8'), None, 'it fits either way')
    equal(explained(shrinks, cpu='3'), None, 'it fits neither way')
    equal(explained(GOLDEN[2][0]), None, 'no resize')
    equal(explained(GOLDEN[3][0], cpu='3', room='3900m'), 'from Kubernetes 1.37 on, kube-scheduler may find no room for the pod on node worker; '
          'default/allocated-only on it is being resized, and Karpenter counts cpu 500m, not 1', 'no room')


counts()
disagree()
finish()
