# SPDX-License-Identifier: Apache-2.0
"""On a terminal, commands that take a while say how far they are: the round of plan --settle, the part of a deadline."""
import json
import pathlib
import sys
import tempfile

from stories import finish, progress

REGION = ('--region', 'us-west-2')
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
    'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '1'}]},
    'template': {'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}}}}}
LABELS = {'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': 'm5.large', 'topology.kubernetes.io/zone': 'us-west-2a',
          'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux'}
OWNER = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'web', 'uid': 'u', 'controller': True}


def node(number):
    """One that is nearly empty, and its pod: a budget of one node a pass takes as many rounds as there are nodes."""
    name, room = f'n{number}', {'cpu': '1930m', 'memory': '7Gi', 'pods': '29'}
    yield {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {**LABELS, 'kubernetes.io/hostname': name}}, 'spec': {'providerID': f'aws:///{number}'},
           'status': {'capacity': room, 'allocatable': room, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}
    requests = {'cpu': f'{300 + 7 * (number % 40)}m', 'memory': '256Mi'}
    yield {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'web-{number}', 'namespace': 'default', 'ownerReferences': [OWNER]},
           'spec': {'nodeName': name, 'containers': [{'name': 'c', 'resources': {'requests': requests}}]}, 'status': {'phase': 'Running'}}


def cluster(folder, nodes):
    path = pathlib.Path(folder, f'{nodes}.json')
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [POOL] + [o for n in range(nodes) for o in node(n)]}))
    return path


with tempfile.TemporaryDirectory() as folder:
    progress(rb'karp: playing rounds \xe2\x80\xa6 round \d+, \d+ s', 'plan', '--settle', cluster(folder, 8000), *REGION)
    progress(rb'karp: planning \xe2\x80\xa6 \d+%, \d+ s', 'repack', cluster(folder, 400), *REGION, '--effort', '10s', '--deadline', '1h')
sys.exit(finish())
