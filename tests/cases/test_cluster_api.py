# SPDX-License-Identifier: Apache-2.0
"""Cluster API: MachineDeployments are instance types, by their annotations and labels.

Source: kubernetes-sigs/karpenter-provider-cluster-api v0.2.0, pkg/cloudprovider/cloudprovider.go (machineDeploymentToInstanceType,
capacityResourceListFromAnnotations, nodeLabelsFromMachineDeployment, isBelowMaxSize), pkg/providers/machinedeployment (List).
"""
import json
import pathlib
import tempfile

from stories import check, document, equal, finish, run

folder = tempfile.TemporaryDirectory()
CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io/'
ZONE, TYPE = 'topology.kubernetes.io/zone', 'node.kubernetes.io/instance-type'


def manifest(*objects):
    path = pathlib.Path(folder.name) / 'input.json'
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def pool(name='default', node_class='small', *requirements, group='karpenter.cluster.x-k8s.io', kind='ClusterAPINodeClass'):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name}, 'spec': {'template': {'spec': {
        'nodeClassRef': {'group': group, 'kind': kind, 'name': node_class}, 'requirements': list(requirements)}}}}


def node_class(name='small', **spec):
    return {'apiVersion': 'karpenter.cluster.x-k8s.io/v1alpha1', 'kind': 'ClusterAPINodeClass', 'metadata': {'name': name}, 'spec': spec}


def machines(name, cpu='4', labels=None, member=True, replicas=1, machine_labels=None, **annotations):
    stated = {CAPACITY + 'cpu': cpu, CAPACITY + 'memory': '16Gi', CAPACITY + 'maxPods': '110',
              CAPACITY + 'labels': f'{TYPE}={name},{ZONE}=z1,kubernetes.io/arch=amd64'}
    own = {'node.cluster.x-k8s.io/karpenter-member': ''} if member else {}
    return {'apiVersion': 'cluster.x-k8s.io/v1beta1', 'kind': 'MachineDeployment', 'metadata': {
        'name': f'md-{name}', 'namespace': 'capi', 'labels': {**own, **(labels or {})},
        'annotations': {**stated, **{k if '/' in k else CAPACITY + k.replace('_', '-'): v for k, v in annotations.items()}}},
        'spec': {'replicas': replicas, 'template': {'metadata': {'labels': machine_labels or {}}}}}


def pod(cpu='1', **spec):
    requests = {'cpu': cpu, **spec.pop('requests', {})}
    resources = {'requests': requests, 'limits': {key: amount for key, amount in requests.items() if '/' in key}}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'a'}, 'spec': {'containers': [{'name': 'c', 'resources': resources}], **spec}}


def planned(*objects):
    plan = document('plan', manifest(*objects))
    return [(launch['choice']['instanceType'], launch['choice']['zone']) for launch in plan['launches']] + [u['code'] for u in plan['unschedulable']]


def types():
    both = [pool(), node_class(), machines('m4'), machines('m8', '8')]
    equal(planned(*both, pod('6')), [('m8', 'z1')], 'capacity')
    equal(planned(*both, pod('9')), ['TYPE_RESOURCES'], 'none is large enough')
    equal(planned(*both, pod('4')), [('m4', 'z1')], 'no overhead')
    equal(planned(pool(), node_class(), machines('m4'), machines('g', gpu_count='2', gpu_type='example.com/gpu'), pod(requests={'example.com/gpu': '2'})),
          [('g', 'z1')], 'GPUs')
    equal(planned(pool(), node_class(), machines('g', gpu_count='2'), pod(requests={'example.com/gpu': '1'})), ['TYPE_RESOURCES'], 'a count needs a type')
    zone = machines('m4', labels={}, **{CAPACITY + 'labels': f'{TYPE}=m4,{ZONE}=z2'})
    equal(planned(pool(), node_class(), zone, pod(nodeSelector={ZONE: 'z2'})), [('m4', 'z2')], 'labels of the annotation')
    unnamed = machines('x', **{CAPACITY + 'labels': ''})
    equal(planned(pool(), node_class(), unnamed, pod()), [('md-x', '')], 'a type without a name has that of its MachineDeployment')
    copied = machines('m4', machine_labels={'node-role.kubernetes.io/worker': '', 'team.node.cluster.x-k8s.io/name': 'a', 'other': 'b'})
    catalogue = json.loads(run('dump', manifest(pool(), node_class(), copied))[0])['catalogues'][0]['instanceTypes'][0]
    keys = set(catalogue['labels'])
    check('node-role.kubernetes.io/worker' in keys and 'team.node.cluster.x-k8s.io/name' in keys and 'other' not in keys, keys)


def selected():
    a, b = machines('m4', labels={'set': 'a'}), machines('m8', '8', labels={'set': 'b'})
    only = node_class(scalableResourceSelector={'matchLabels': {'set': 'a'}})
    equal(planned(pool(), only, a, b, pod('6')), ['TYPE_RESOURCES'], 'the selector')
    equal(planned(pool(), only, a, b, pod('3')), [('m4', 'z1')], 'what it selects')
    equal(planned(pool(), node_class(), machines('m4', member=False), b, pod('3')), [('m8', 'z1')], 'members alone')
    equal(planned(pool(), node_class(), machines('m4', replicas=3, **{'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '3'}), pod()),
          ['NO_TEMPLATES'], 'it has its maximum')
    equal(planned(pool(), node_class(), machines('m4', replicas=2, **{'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '3'}), pod()),
          [('m4', 'z1')], 'one below it')
    notes = document('plan', manifest(pool(), a, b, pod()))['warnings']
    check(any('ClusterAPINodeClass small is not in the input' in w for w in notes), notes)


def beside():
    aws = pool('cloud', 'default', group='karpenter.k8s.aws', kind='EC2NodeClass')
    plan = document('plan', manifest(pool(), node_class(), machines('m4'), aws, pod('6')))
    equal([launch['nodePool'] for launch in plan['launches']], ['cloud'], 'a pool of a cloud has its types, and the other one has not')


def taints():
    """The provider has no code that reads this annotation: createNodeClaimFromMachineDeployment() leaves taints for later."""
    plan = document('plan', manifest(pool(), node_class(), machines('m4', taints='gpu=true:NoSchedule'), pod()))
    equal([launch['choice']['instanceType'] for launch in plan['launches']], ['m4'], 'as the provider')
    check(any('MachineDeployment md-m4: the provider of Cluster API does not read' in w for w in plan['warnings']), plan['warnings'])


def refused():
    error = run('plan', manifest(pool(), node_class(), machines('m4', cpu='four'), pod()), status=1)[1]
    check('MachineDeployment capi/md-m4' in error and 'cpu is "four", no quantity' in error, error)
    check('(node class of karpenter.cluster.x-k8s.io, kind ClusterAPINodeClass) is not built in' in run('plan', manifest(pool(), node_class(), pod()), status=1)[1],
          'without MachineDeployments')


types()
selected()
beside()
taints()
refused()
finish()
