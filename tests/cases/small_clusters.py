# SPDX-License-Identifier: Apache-2.0
"""Objects of small clusters: two instance types in two zones, nodes of a NodePool with their NodeClaims, pods of a ReplicaSet."""

TYPES = [('small', 2, 0.1), ('large', 8, 0.36)]


def catalogue():
    def offering(zone, price):
        return {'requirements': [{'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': [zone]},
                                 {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}],
                'price': price, 'available': True}
    return [{'name': name,
             'requirements': [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': [name]},
                              {'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': ['a', 'b']},
                              {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']},
                              {'key': 'kubernetes.io/os', 'operator': 'In', 'values': ['linux']},
                              {'key': 'kubernetes.io/arch', 'operator': 'In', 'values': ['amd64']}],
             'capacity': {'cpu': str(cpu), 'memory': f'{4 * cpu}Gi', 'pods': '50'}, 'offerings': [offering(z, price) for z in 'ab']}
            for name, cpu, price in TYPES]


def node(name, kind, cpu):
    labels = {'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': kind, 'topology.kubernetes.io/zone': 'a',
              'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux',
              'kubernetes.io/arch': 'amd64', 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
    amounts = {'cpu': str(cpu), 'memory': f'{4 * cpu}Gi', 'pods': '50'}
    true = [{'type': t, 'status': 'True'} for t in ('Launched', 'Registered', 'Initialized', 'Consolidatable', 'Ready')]
    return [{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels}, 'spec': {'providerID': f'x://{name}'},
             'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}},
            {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': f'c-{name}', 'labels': labels},
             'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}},
             'status': {'nodeName': name, 'providerID': f'x://{name}', 'capacity': amounts, 'allocatable': amounts, 'conditions': true}}]


def pod(name, on, cpu, **metadata):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'labels': {'app': 'web'}, **metadata,
            'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'web', 'uid': 'u', 'controller': True}]},
            'spec': {'nodeName': on, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu}}}]},
            'status': {'phase': 'Running'}}
