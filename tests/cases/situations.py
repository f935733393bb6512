# SPDX-License-Identifier: Apache-2.0
"""Objects of the situations in which people ask why: an EC2 NodePool, nodes, pods and their volumes, as documents of one file."""
import json
import pathlib
import tempfile

from stories import document, run

ZONE, HOST = 'topology.kubernetes.io/zone', 'kubernetes.io/hostname'
TYPE, CAPACITY = 'node.kubernetes.io/instance-type', 'karpenter.sh/capacity-type'
NODE_CLASS = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'std'},
              'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}], 'role': 'nodes'}}
SIZES = {'m6i.large': ('2', '1930m', '7577Mi', '6887Mi', '29'), 'm6i.xlarge': ('4', '3920m', '15155Mi', '14162Mi', '58')}


def term(key, *values, how='In'):
    return {'key': key, 'operator': how, **({'values': list(values)} if values else {})}


def pool(*requirements, name='std', disruption=None, taints=(), **spec):
    """A NodePool of on-demand nodes."""
    kept = {r['key'] for r in requirements}
    wanted = [*([] if CAPACITY in kept else [term(CAPACITY, 'on-demand')]), *requirements]
    node = {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'std'}, 'requirements': wanted}
    if taints:
        node['taints'] = list(taints)
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name},
            'spec': {'template': {'spec': node}, **({'disruption': disruption} if disruption else {}), **spec}}


def node(name, zone='us-west-2a', kind='m6i.large', of='std', labels=None, **spec):
    """A Node of a NodePool, without a NodeClaim."""
    cpu, free, memory, left, pods = SIZES[kind]
    own = {'karpenter.sh/nodepool': of, TYPE: kind, ZONE: zone, CAPACITY: 'on-demand', 'kubernetes.io/arch': 'amd64',
           'kubernetes.io/os': 'linux', HOST: name, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true', **(labels or {})}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': own}, 'spec': {'providerID': f'aws:///{zone}/{name}', **spec},
            'status': {'capacity': {'cpu': cpu, 'memory': memory, 'pods': pods}, 'allocatable': {'cpu': free, 'memory': left, 'pods': pods},
                       'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def claim(of, name=None, **conditions):
    """The NodeClaim of a Node; conditions by name: a status, or (status, time)."""
    told = {'Launched': 'True', 'Registered': 'True', 'Initialized': 'True', **conditions}
    rows = [{'type': k, 'status': v if isinstance(v, str) else v[0], 'lastTransitionTime': '2025-12-31T00:00:00Z' if isinstance(v, str) else v[1]}
            for k, v in told.items()]
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim',
            'metadata': {'name': name or f'claim-{of["metadata"]["name"]}', 'labels': dict(of['metadata']['labels']),
                         'creationTimestamp': '2025-12-31T00:00:00Z'},
            'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'std'}},
            'status': {'nodeName': of['metadata']['name'], 'providerID': of['spec']['providerID'], 'capacity': of['status']['capacity'],
                       'allocatable': of['status']['allocatable'], 'conditions': rows}}


def pod(name, on=None, cpu='500m', memory='512Mi', app=None, labels=None, volume=None, owner='ReplicaSet', annotations=None, **spec):
    """A pod of the namespace shop: pending, or on a node."""
    app = app or name.rsplit('-', 1)[0]
    if on:
        spec['nodeName'] = on
    if volume:
        spec['volumes'] = [{'name': 'd', 'persistentVolumeClaim': {'claimName': volume}}]
    return {'apiVersion': 'v1', 'kind': 'Pod',
            'metadata': {'name': name, 'namespace': 'shop', 'labels': {'app': app, **(labels or {})}, **({'annotations': annotations} if annotations else {}),
                         'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': owner, 'name': app, 'uid': f'u-{app}', 'controller': True}]},
            'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu, 'memory': memory}}}], **spec},
            'status': {'phase': 'Running'} if on else {'phase': 'Pending'}}


def volume(name, zone):
    """A claim that is bound to a volume in the zone."""
    where = {'required': {'nodeSelectorTerms': [{'matchExpressions': [term(ZONE, zone)]}]}}
    return [{'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim',
             'metadata': {'name': name, 'namespace': 'shop', 'annotations': {'pv.kubernetes.io/bind-completed': 'yes'}},
             'spec': {'accessModes': ['ReadWriteOnce'], 'storageClassName': 'gp3', 'volumeName': f'pv-{name}',
                      'resources': {'requests': {'storage': '10Gi'}}}, 'status': {'phase': 'Bound'}},
            {'apiVersion': 'v1', 'kind': 'PersistentVolume', 'metadata': {'name': f'pv-{name}'},
             'spec': {'capacity': {'storage': '10Gi'}, 'accessModes': ['ReadWriteOnce'], 'storageClassName': 'gp3',
                      'claimRef': {'kind': 'PersistentVolumeClaim', 'namespace': 'shop', 'name': name},
                      'csi': {'driver': 'ebs.csi.aws.com', 'volumeHandle': f'vol-{name}'}, 'nodeAffinity': where}}]


STORAGE = {'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name': 'gp3'}, 'provisioner': 'ebs.csi.aws.com',
           'volumeBindingMode': 'WaitForFirstConsumer'}


def spread(app, key=ZONE, how='DoNotSchedule', **more):
    return [{'maxSkew': 1, 'topologyKey': key, 'whenUnsatisfiable': how, 'labelSelector': {'matchLabels': {'app': app}}, **more}]


def affinity(kind, labels, key=ZONE):
    """kind: podAffinity or podAntiAffinity."""
    return {kind: {'requiredDuringSchedulingIgnoredDuringExecution': [{'topologyKey': key, 'labelSelector': {'matchLabels': labels}}]}}


def flat(objects):
    return [o for x in objects for o in (x if isinstance(x, list) else [x])]


def asked(verb, *words, objects, output='json'):
    """What karp says to the words about a cluster of these objects and the node class: a document, or text on one line."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'cluster.json'
        path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [NODE_CLASS, *flat(objects)]}))
        if output == 'json':
            return document(verb, *words, path)
        return ' '.join(run(verb, *words, path, status=None)[0].split())
