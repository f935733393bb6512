# SPDX-License-Identifier: Apache-2.0
"""What the tests share: inputs of this repository."""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
from typing import Any, Callable, Dict, List

import pytest

import karp

SOURCE = pathlib.Path(__file__).resolve().parents[3]
QUICKSTART = SOURCE / 'examples/quickstart'
STORIES = SOURCE / 'examples/stories'
TYPES = SOURCE / 'bindings/python/tests/data/types.json'


@pytest.fixture(scope='session')
def quickstart() -> karp.Snapshot:
    return karp.load(QUICKSTART)


@pytest.fixture(scope='session')
def busy() -> karp.Snapshot:
    """Three nodes of a pool, pending pods, and one that fits nowhere."""
    return karp.load(objects(), catalogue=TYPES)


@pytest.fixture(scope='session')
def crowd() -> karp.Snapshot:
    """Pods that are all different: a decision of many steps."""
    return karp.load([pool(), *[pod(f'p-{i}', cpu=f'{100 + i}m') for i in range(1500)]], catalogue=TYPES)


@pytest.fixture(scope='session')
def program() -> Callable[..., str]:
    """Runs `karp` and returns what it prints."""
    path = os.environ.get('KARP')
    if not path:
        pytest.skip('KARP does not name the program')

    def run(*arguments: object) -> str:
        done = subprocess.run([str(path), *map(str, arguments)], cwd=SOURCE, capture_output=True, text=True, check=True)
        return done.stdout
    return run


def snake(value: Any) -> Any:
    """A document with the names of its members in snake case (those that are data, as labels, stay)."""
    if isinstance(value, list):
        return [snake(each) for each in value]
    if not isinstance(value, dict):
        return value
    data = ('labels', 'annotations', 'requests', 'allocatable', 'nodeLabels', 'budgets')
    return {re.sub('(?<=[a-z])[A-Z]', lambda m: '_' + m.group().lower(), key): each if key in data else snake(each)
            for key, each in value.items()}


def pod(name: str, cpu: str = '500m', node: str = '', namespace: str = 'default', **spec: Any) -> Dict[str, Any]:
    made: Dict[str, Any] = {
        'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'namespace': namespace},
        'spec': {'containers': [{'name': 'main', 'resources': {'requests': {'cpu': cpu, 'memory': '256Mi'}}}], **spec}}
    if node:
        made['spec']['nodeName'] = node
        made['metadata']['ownerReferences'] = [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'web', 'uid': 'web',
                                                'controller': True}]
        made['status'] = {'phase': 'Running'}
    return made


def node(name: str, zone: str, instance_type: str = 'large', cpu: str = '4') -> Dict[str, Any]:
    return {
        'apiVersion': 'v1', 'kind': 'Node',
        'metadata': {'name': name, 'labels': {
            'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/arch': 'amd64',
            'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': instance_type,
            'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': name}},
        'spec': {'providerID': f'test:///{name}'},
        'status': {'capacity': {'cpu': cpu, 'memory': '16Gi', 'pods': '110'},
                   'allocatable': {'cpu': cpu, 'memory': '16Gi', 'pods': '110'}}}


def pool(name: str = 'default', **spec: Any) -> Dict[str, Any]:
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name},
            'spec': {'template': {'spec': {
                'nodeClassRef': {'group': 'karpenter.test.sh', 'kind': 'TestNodeClass', 'name': 'default'},
                'requirements': []}},
                'disruption': {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s',
                               'budgets': [{'nodes': '100%'}]}, **spec}}


def objects() -> List[Dict[str, Any]]:
    # Without a class of its own the claim of "odd" would be assumed.
    storage = {'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name': 'disk'}, 'provisioner': 'x.io/disk',
               'volumeBindingMode': 'WaitForFirstConsumer'}
    return [pool(), storage, node('n1', 'zone-a'), node('n2', 'zone-b'), node('n3', 'zone-b'),
            pod('web-0', node='n1'), pod('web-1', node='n2'),
            *[pod(f'new-{i}', cpu='3') for i in range(5)], pod('huge', cpu='900'),
            pod('odd', volumes=[{'name': 'data', 'persistentVolumeClaim': {'claimName': 'nowhere'}}])]

