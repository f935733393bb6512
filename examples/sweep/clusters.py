# SPDX-License-Identifier: Apache-2.0
"""Clusters to sweep over: made ones, and variants of any with another policy or other prices."""
from __future__ import annotations

import json
import random
from typing import Any, Dict, List

import karp

CAPACITY_TYPE = 'karpenter.sh/capacity-type'
ZONES = ('a', 'b', 'c')


def types() -> List[Dict[str, Any]]:
    """Twelve types of three shapes, on demand and spot, in three zones."""
    made = []
    for family, memory, price in (('c', 2, 0.0425), ('m', 4, 0.048), ('r', 8, 0.063)):
        for size, cpu in (('large', 2), ('xlarge', 4), ('2xlarge', 8), ('4xlarge', 16)):
            name = f'{family}.{size}'
            offers = [{'zone': zone, 'capacityType': kind, 'price': round(price * cpu * factor, 6), 'available': True}
                      for i, zone in enumerate(ZONES) for kind, factor in (('on-demand', 1.0), ('spot', 0.4 + 0.02 * i))]
            made.append({'name': name, 'labels': {'node.kubernetes.io/instance-type': [name], 'kubernetes.io/arch': ['amd64'],
                                                  'kubernetes.io/os': ['linux']},
                         'capacity': {'cpu': str(cpu), 'memory': f'{cpu * memory}Gi', 'pods': '60'}, 'overhead': {},
                         'offerings': offers})
    return made


def _pool() -> Dict[str, Any]:
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
        'template': {'spec': {'nodeClassRef': {'group': 'example.com', 'kind': 'ExampleNodeClass', 'name': 'default'},
                              'requirements': [{'key': CAPACITY_TYPE, 'operator': 'In', 'values': ['on-demand', 'spot']}]}},
        'disruption': {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}}}


def _node(r: random.Random, name: str, kind: Dict[str, Any]) -> Dict[str, Any]:
    return {'apiVersion': 'v1', 'kind': 'Node',
            'metadata': {'name': name, 'labels': {
                'karpenter.sh/nodepool': 'default', CAPACITY_TYPE: r.choice(['on-demand', 'spot']), 'kubernetes.io/arch': 'amd64',
                'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': kind['name'],
                'topology.kubernetes.io/zone': r.choice(ZONES), 'kubernetes.io/hostname': name}},
            'spec': {'providerID': f'example:///{name}'}, 'status': {'capacity': kind['capacity'], 'allocatable': kind['capacity']}}


def _pod(name: str, app: str, node: str, cpu: int, memory: int) -> Dict[str, Any]:
    return {'apiVersion': 'v1', 'kind': 'Pod',
            'metadata': {'name': name, 'namespace': 'default', 'labels': {'app': app}, 'ownerReferences': [
                {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': app, 'uid': app, 'controller': True}]},
            'spec': {'nodeName': node, 'containers': [
                {'name': 'main', 'resources': {'requests': {'cpu': f'{cpu}m', 'memory': f'{memory}Mi'}}}]},
            'status': {'phase': 'Running'}}


def cluster(seed: int, nodes: int) -> Dict[str, Any]:
    """The canonical document of a cluster that was busier once: no node is empty, few are full."""
    r = random.Random(seed)
    kinds = types()
    objects = [_pool()]
    for i in range(nodes):
        kind = r.choice(kinds)
        name = f'node-{i}'
        objects.append(_node(r, name, kind))
        room = int(int(kind['capacity']['cpu']) * 1000 * r.choice([0.5, 0.7, 0.8, 0.9, 0.95]))
        while room > 0:
            cpu = min(room, r.choice([250, 500, 1000, 1500]))
            room -= cpu
            objects.append(_pod(f'pod-{len(objects)}', f'app-{r.randrange(20)}', name, cpu, cpu))
    return document_of(karp.load(objects, catalogue=kinds))


def document_of(snapshot: karp.Snapshot) -> Dict[str, Any]:
    document: Dict[str, Any] = json.loads(snapshot.dump())
    return document


def _with_policy(each: Dict[str, Any], policy: str) -> Dict[str, Any]:
    if each['kind'] != 'NodePool':
        return each
    spec = each['spec']
    return {**each, 'spec': {**spec, 'disruption': {**spec.get('disruption', {}), 'consolidationPolicy': policy}}}


def _is_spot(offering: Dict[str, Any]) -> bool:
    return offering.get('capacityType') == 'spot' or any(
        each['key'] == CAPACITY_TYPE and each.get('values') == ['spot'] for each in offering.get('requirements', ()))


def variant(document: Dict[str, Any], policy: str, spot: float) -> karp.Snapshot:
    """The same cluster with a consolidation policy for every NodePool and spot prices times a factor."""
    catalogues = [{**each, 'instanceTypes': [
        {**kind, 'offerings': [{**one, 'price': one['price'] * spot} if _is_spot(one) else one for one in kind['offerings']]}
        for kind in each['instanceTypes']]} for each in document['catalogues']]
    return karp.load({**document, 'catalogues': catalogues, 'objects': [_with_policy(each, policy) for each in document['objects']]})
