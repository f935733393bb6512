# SPDX-License-Identifier: Apache-2.0
"""Pods, NodePools, nodes and instance types as dataclasses: karp.load(), Snapshot.edit() and karp.catalogue() take them as they take dicts.

    from karp.objects import InstanceType, NodePool, Pod
    karp.load([NodePool('default'), Pod('web-0', {'cpu': '500m', 'memory': '1Gi'})]).plan()

Each has the fields that decisions ask for most. What else an object can have goes into `more`, which is merged into the manifest.
"""
from __future__ import annotations

import decimal
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._read import Offering, Requirement, Taint

__all__ = ['Budget', 'InstanceType', 'Node', 'NodePool', 'Object', 'Offering', 'Pod', 'Requirement', 'Spread', 'Taint', 'Toleration']

Amount = Union[int, float, str, decimal.Decimal]
Amounts = Mapping[str, Amount]
Labels = Mapping[str, str]
Manifest = Dict[str, Any]
ZONE, CAPACITY_TYPE = 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type'


def _amounts(given: Amounts) -> Dict[str, str]:
    return {name: str(amount) for name, amount in given.items()}


def _given(**members: Any) -> Manifest:
    """Those that say something."""
    return {name: value for name, value in members.items() if value not in (None, '', [], {}, ())}


def _over(manifest: Manifest, more: Mapping[str, Any]) -> Manifest:
    """Maps are joined, everything else is replaced."""
    for name, value in more.items():
        there = manifest.get(name)
        manifest[name] = _over(dict(there), value) if isinstance(there, Mapping) and isinstance(value, Mapping) else value
    return manifest


def _requirement(given: Requirement) -> Manifest:
    return _given(key=given.key, operator=given.operator, values=list(given.values), minValues=given.min_values)


def _places(given: Offering) -> List[Manifest]:
    stated = [Requirement(key, 'In', (value,)) for key, value in ((ZONE, given.zone), (CAPACITY_TYPE, given.capacity_type)) if value]
    return [_requirement(each) for each in [*stated, *(each for each in given.requirements if each.key not in (ZONE, CAPACITY_TYPE))]]


class Object:
    """What has a manifest."""

    def manifest(self) -> Manifest:
        """As Kubernetes writes it."""
        raise NotImplementedError


@dataclass(frozen=True)
class Toleration:
    """Without a value: of the taint whatever its value is. Without a key: of every taint."""
    key: str = ''
    value: Optional[str] = None
    effect: str = ''

    def manifest(self) -> Manifest:
        return {**_given(key=self.key, effect=self.effect), **({'operator': 'Exists'} if self.value is None else {'operator': 'Equal', 'value': self.value})}


@dataclass(frozen=True)
class Spread:
    """A topology spread constraint: of the pods with these labels no domain has `max_skew` more than another."""
    topology_key: str
    labels: Labels
    max_skew: int = 1
    required: bool = True

    def manifest(self) -> Manifest:
        return {'topologyKey': self.topology_key, 'maxSkew': self.max_skew, 'whenUnsatisfiable': 'DoNotSchedule' if self.required else 'ScheduleAnyway',
                'labelSelector': {'matchLabels': dict(self.labels)}}


@dataclass(frozen=True)
class Pod(Object):
    """A pod: pending, or bound to `node`. `requests` are those of its one container; `affinity` is what labels its node has to have,
    beside `node_selector`; `owner` names the ReplicaSet that would make it anew, without which its node may not go."""
    name: str
    requests: Amounts = field(default_factory=dict)
    namespace: str = 'default'
    labels: Labels = field(default_factory=dict)
    annotations: Labels = field(default_factory=dict)
    node_selector: Labels = field(default_factory=dict)
    affinity: Sequence[Requirement] = ()
    tolerations: Sequence[Toleration] = ()
    spread: Sequence[Spread] = ()
    priority: Optional[int] = None
    node: str = ''
    owner: str = ''
    created: str = ''
    more: Mapping[str, Any] = field(default_factory=dict)

    def manifest(self) -> Manifest:
        owner = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': self.owner, 'uid': self.owner, 'controller': True}
        terms = [{'matchExpressions': [_requirement(each) for each in self.affinity]}]
        metadata = _given(name=self.name, namespace=self.namespace, labels=dict(self.labels), annotations=dict(self.annotations),
                          creationTimestamp=self.created, ownerReferences=[owner] if self.owner else None)
        spec = _given(nodeName=self.node, nodeSelector=dict(self.node_selector), priority=self.priority,
                      affinity={'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': terms}}} if self.affinity else None,
                      tolerations=[each.manifest() for each in self.tolerations], topologySpreadConstraints=[each.manifest() for each in self.spread],
                      containers=[{'name': 'main', 'resources': {'requests': _amounts(self.requests)}}])
        manifest = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': metadata, 'spec': spec}
        if self.node:
            manifest['status'] = {'phase': 'Running'}
        return _over(manifest, self.more)


@dataclass(frozen=True)
class Budget:
    """How many nodes of a NodePool can be disrupted at once: a number, or a part ("10%"); for some reasons, or at some times only."""
    nodes: Union[int, str] = '10%'
    reasons: Sequence[str] = ()
    schedule: str = ''
    duration: str = ''

    def manifest(self) -> Manifest:
        return {'nodes': str(self.nodes), **_given(reasons=list(self.reasons), schedule=self.schedule, duration=self.duration)}


@dataclass(frozen=True)
class NodePool(Object):
    """Which nodes can be launched, and when they are disrupted. What is not given is what an API server sets."""
    name: str
    requirements: Sequence[Requirement] = ()
    labels: Labels = field(default_factory=dict)
    taints: Sequence[Taint] = ()
    limits: Amounts = field(default_factory=dict)
    weight: Optional[int] = None
    replicas: Optional[int] = None
    consolidation_policy: str = ''
    consolidate_after: str = ''
    budgets: Sequence[Budget] = ()
    expire_after: str = ''
    node_class: Tuple[str, str, str] = ('karpenter.k8s.aws', 'EC2NodeClass', 'default')  # group, kind, name
    more: Mapping[str, Any] = field(default_factory=dict)

    def manifest(self) -> Manifest:
        group, kind, name = self.node_class
        template = _given(nodeClassRef={'group': group, 'kind': kind, 'name': name}, requirements=[_requirement(each) for each in self.requirements],
                          taints=[_given(key=each.key, value=each.value, effect=each.effect) for each in self.taints], expireAfter=self.expire_after)
        disruption = _given(consolidationPolicy=self.consolidation_policy, consolidateAfter=self.consolidate_after,
                            budgets=[each.manifest() for each in self.budgets])
        spec = _given(template={**_given(metadata=_given(labels=dict(self.labels))), 'spec': template}, disruption=disruption,
                      limits=_amounts(self.limits), weight=self.weight, replicas=self.replicas)
        return _over({'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': self.name}, 'spec': spec}, self.more)


@dataclass(frozen=True)
class Node(Object):
    """A node that has joined the cluster. With `pool` it is one that Karpenter launched; without, nobody removes it."""
    name: str
    allocatable: Amounts
    instance_type: str = ''
    zone: str = ''
    capacity_type: str = ''
    pool: str = ''
    capacity: Optional[Amounts] = None
    arch: str = 'amd64'
    os: str = 'linux'
    labels: Labels = field(default_factory=dict)
    taints: Sequence[Taint] = ()
    created: str = ''
    ready: bool = True
    more: Mapping[str, Any] = field(default_factory=dict)

    def manifest(self) -> Manifest:
        labels = {'kubernetes.io/hostname': self.name, 'kubernetes.io/arch': self.arch, 'kubernetes.io/os': self.os}
        if self.pool:
            labels.update({'karpenter.sh/nodepool': self.pool, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'})
        labels.update(_given(**{'node.kubernetes.io/instance-type': self.instance_type, ZONE: self.zone, CAPACITY_TYPE: self.capacity_type}))
        labels.update(self.labels)
        status = {'capacity': _amounts(self.allocatable if self.capacity is None else self.capacity), 'allocatable': _amounts(self.allocatable),
                  'conditions': [{'type': 'Ready', 'status': 'True' if self.ready else 'False'}]}
        taints = [_given(key=each.key, value=each.value, effect=each.effect) for each in self.taints]
        manifest = {'apiVersion': 'v1', 'kind': 'Node', 'metadata': _given(name=self.name, labels=labels, creationTimestamp=self.created),
                    'spec': _given(taints=taints), 'status': status}
        return _over(manifest, self.more)


@dataclass(frozen=True)
class InstanceType(Object):
    """A type that can be launched, for karp.catalogue() and `catalogue=`. `overhead` is what pods cannot have of its capacity."""
    name: str
    capacity: Amounts
    offerings: Sequence[Offering] = ()
    arch: str = 'amd64'
    os: Sequence[str] = ('linux',)
    labels: Mapping[str, Union[str, Sequence[str]]] = field(default_factory=dict)
    overhead: Amounts = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    def manifest(self) -> Manifest:
        labels: Dict[str, List[str]] = {'node.kubernetes.io/instance-type': [self.name], 'kubernetes.io/arch': [self.arch], 'kubernetes.io/os': list(self.os)}
        labels.update({key: [value] if isinstance(value, str) else list(value) for key, value in self.labels.items()})
        offerings = [{'requirements': _places(each), 'price': each.price, 'available': each.available} for each in self.offerings]
        return _over({'name': self.name, 'labels': labels, 'capacity': _amounts(self.capacity),
                      'overhead': {'kubeReserved': _amounts(self.overhead)} if self.overhead else {}, 'offerings': offerings}, self.more)
