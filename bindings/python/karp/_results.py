# SPDX-License-Identifier: Apache-2.0
# Made by bindings/generate.py from the headers and the records; not edited by hand.
"""What a decision shows, row by row. Members have the names of docs/formats.md in snake case."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import _native as native
from . import _read as read
from . import _structs as S
from ._plain import Plain, Row, fields
from ._read import Requirement, Taint


class ChoiceRow(Plain):
    """The offering a launch is priced at."""

    def __init__(self, raw: Any) -> None:
        self.instance_type: str = native.text(raw.instance_type)
        self.zone: str = native.text(raw.zone)
        self.capacity_type: str = native.text(raw.capacity_type)
        self.price: float = float(raw.price)


class NodeClassRef(NamedTuple):
    """The node class of a launch."""
    group: str
    kind: str
    name: str

    @classmethod
    def of(cls, raw: Any) -> 'NodeClassRef':
        return cls(native.text(raw.group), native.text(raw.kind), native.text(raw.name))

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class LaunchRow(Row):
    """A node to start: one NodeClaim."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        raw = read.decision_row(handle, S.Launch, 'launch', index)
        super().__init__(handle, raw)

    @cached_property
    def id(self) -> str:
        """"new-1": unique within the decision."""
        raw = self._live()
        return native.text(raw.id)

    @cached_property
    def node_pool(self) -> str:
        raw = self._live()
        return native.text(raw.node_pool)

    @cached_property
    def node_class(self) -> NodeClassRef:
        raw = self._live()
        return NodeClassRef.of(raw.node_class)

    @cached_property
    def pods(self) -> Tuple[str, ...]:
        """"namespace/name", by name."""
        raw = self._live()
        return read.pod_names(self._handle, read.numbers(raw.pods, raw.pod_count))

    @cached_property
    def requests(self) -> Dict[str, str]:
        """Of its pods and of the DaemonSets on it, by resource name; canonical text."""
        raw = self._live()
        return read.resources(raw.requests, raw.request_count)

    @cached_property
    def claim_requirements(self) -> Tuple[Requirement, ...]:
        """The NodeClaim's: the same with instance types and capacity types."""
        raw = self._live()
        return read.requirements(raw.claim_requirements, raw.claim_requirement_count)

    @cached_property
    def labels(self) -> Dict[str, str]:
        """Of the NodeClaim, by key."""
        raw = self._live()
        return read.labels(raw.labels, raw.label_count)

    @cached_property
    def annotations(self) -> Dict[str, str]:
        """Of the NodeClaim, by key."""
        raw = self._live()
        return read.labels(raw.annotations, raw.annotation_count)

    @cached_property
    def taints(self) -> Tuple[Taint, ...]:
        raw = self._live()
        return read.taints(raw.taints, raw.taint_count)

    @cached_property
    def startup_taints(self) -> Tuple[Taint, ...]:
        raw = self._live()
        return read.taints(raw.startup_taints, raw.startup_taint_count)

    @cached_property
    def instance_types(self) -> Tuple[str, ...]:
        """Cheapest first, at most 600; none for static NodePools."""
        raw = self._live()
        return read.strings(raw.instance_types, raw.instance_type_count)

    @cached_property
    def expire_after(self) -> Optional[str]:
        raw = self._live()
        return read.duration(raw.expire_after)

    @cached_property
    def termination_grace_period(self) -> Optional[str]:
        raw = self._live()
        return read.duration(raw.termination_grace_period)

    @cached_property
    def list_price(self) -> float:
        """The price of choice before a NodeOverlay changed it; 0 = none did. Since 1.0."""
        raw = self._live()
        return float(raw.list_price)

    @cached_property
    def apart(self) -> str:
        """The rule by which pods like one of its pods get nodes of their own: "one pod like it for each node: host port
        80 is free once on a node"; "" = there is none or no other such pod, or explain level none. Since 1.0."""
        raw = self._live()
        return native.text(raw.apart)

    @cached_property
    def capacity(self) -> Dict[str, str]:
        """Of the chosen type, canonical text."""
        raw = self._live()
        return read.resources(raw.capacity, raw.capacity_count)

    @cached_property
    def allocatable(self) -> Dict[str, str]:
        """Of the chosen type, canonical text."""
        raw = self._live()
        return read.resources(raw.allocatable, raw.allocatable_count)


class PlacementRow(Row):
    """Pods that go to a node that exists."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        raw = read.decision_row(handle, S.Placement, 'placement', index)
        super().__init__(handle, raw)
        self.node: str = native.text(raw.node)

    @cached_property
    def pods(self) -> Tuple[str, ...]:
        """"namespace/name", by name."""
        raw = self._live()
        return read.pod_names(self._handle, read.numbers(raw.pods, raw.pod_count))


class Funnel(NamedTuple):
    """The types of a PoolRefusal."""
    start: int
    requirements: int
    resources: int
    offerings: int

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class PoolRefusal(NamedTuple):
    """Why a NodePool does not take a pod, with the number of instance types left after each step."""
    node_pool: str
    code: str
    detail: str
    types: Funnel

    @classmethod
    def of(cls, raw: Any) -> 'PoolRefusal':
        return cls(native.text(raw.node_pool), read.name('karp_reason_name', raw.code), native.text(raw.detail), Funnel(int(raw.types_start),
                   int(raw.types_requirements), int(raw.types_resources), int(raw.types_offerings)))

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class TargetRefusal(NamedTuple):
    """What a node, or a launch, said to a pod (explain level full)."""
    target: str
    is_launch: bool
    code: str

    @classmethod
    def of(cls, raw: Any) -> 'TargetRefusal':
        return cls(native.text(raw.target), bool(raw.is_launch), read.name('karp_reason_name', raw.code))

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class TopologyDomain(NamedTuple):
    """A value of a topology key, with the number of pods that the constraint counts there."""
    value: str
    pods: int
    code: str
    detail: str
    nodes: int
    node: str
    node_pools: int
    node_pool: str
    named: bool
    minimum: bool
    pod: str
    volume: str

    @classmethod
    def of(cls, raw: Any) -> 'TopologyDomain':
        return cls(native.text(raw.value), int(raw.count), read.name('karp_domain_name', raw.code), native.text(raw.detail), int(raw.node_count),
                   native.text(raw.node), int(raw.pool_count), native.text(raw.node_pool), bool(raw.named), bool(raw.minimum), native.text(raw.pod),
                   native.text(raw.volume))

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class Topology(NamedTuple):
    """A spread constraint, affinity or anti-affinity that keeps a pod from domains."""
    kind: str
    key: str
    selector: str
    selects_itself: bool
    max_skew: int
    min_domains: int
    minimum: int
    cause: str
    domains: Tuple[TopologyDomain, ...]
    domain_total: int

    @classmethod
    def of(cls, raw: Any) -> 'Topology':
        return cls(read.name('karp_topology_name', raw.kind), native.text(raw.key), native.text(raw.selector), bool(raw.selects_itself),
                   int(raw.max_skew), int(raw.min_domains), int(raw.minimum), native.text(raw.cause), tuple(TopologyDomain.of(each) for each in
                   read.array(S.TopologyDomain, raw.domains, raw.domain_count)), int(raw.domain_total))

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class UnschedulableRow(Row):
    """A pod that fits nowhere."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        raw = read.decision_row(handle, S.Unschedulable, 'unschedulable', index)
        super().__init__(handle, raw)
        self.pod: str = read.pod_names(handle, (raw.pod,))[0]
        self.code: str = read.name('karp_reason_name', raw.code)
        self.permanent: bool = bool(raw.permanent)
        self.message: str = native.text(raw.message)
        self.pools: Tuple[PoolRefusal, ...] = tuple(PoolRefusal.of(each) for each in read.array(S.PoolRefusal, raw.pools, raw.pool_count))
        self.topologies: Tuple[Topology, ...] = tuple(Topology.of(each) for each in read.array(S.Topology, raw.topologies, raw.topology_count))
        self.targets: Tuple[TargetRefusal, ...] = tuple(TargetRefusal.of(each) for each in read.array(S.TargetRefusal, raw.targets, raw.target_count))
        self.relax: Tuple[str, ...] = read.strings(raw.relaxed, raw.relaxed_count)


class Ignored(NamedTuple):
    """A pod that was not considered."""
    pod: str
    code: str
    message: str

    @classmethod
    def of(cls, handle: native.Handle, raw: Any) -> 'Ignored':
        return cls(read.pod_names(handle, (raw.pod,))[0], read.name('karp_reason_name', raw.code), native.text(raw.message))

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class NodeUseRow(Row):
    """A node that was there before: amounts in cores and bytes, the pods placed now included."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        raw = read.decision_row(handle, S.NodeUse, 'node', index)
        super().__init__(handle, raw)
        self.node: str = native.text(raw.node)
        self.node_pool: str = native.text(raw.node_pool)
        self.instance_type: str = native.text(raw.instance_type)
        self.zone: str = native.text(raw.zone)
        self.capacity_type: str = native.text(raw.capacity_type)
        self.price: float = float(raw.price)
        self.cpu_requested: float = float(raw.cpu_requested)
        self.cpu_allocatable: float = float(raw.cpu_allocatable)
        self.memory_requested: float = float(raw.memory_requested)
        self.memory_allocatable: float = float(raw.memory_allocatable)
        self.marked: bool = bool(raw.marked)
        self.pods_received: int = int(raw.pods_received)


class CandidateRepair(NamedTuple):
    """What repair would do with a node, and why."""
    action: str
    condition: str
    reason: str
    fallback: bool
    escalated: bool
    score: float
    eligible_at: Optional[str]
    termination_grace_period: Optional[str]

    @classmethod
    def of(cls, raw: Any) -> 'CandidateRepair':
        return cls({0: 'ReplaceNode', 1: 'RebootNode'}.get(raw.action, ''), native.text(raw.condition), native.text(raw.reason), bool(raw.fallback),
                   bool(raw.escalated), float(raw.score), native.time_text(raw.eligible_at) if raw.eligible_at != native.NO_TIME else None,
                   read.duration(raw.termination_grace_period))

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class CandidateRow(Row):
    """A node that was looked at; its pods are those that would have to move."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        raw = read.decision_row(handle, S.Candidate, 'candidate', index)
        super().__init__(handle, raw)
        self.node: str = native.text(raw.node)
        self.node_pool: str = native.text(raw.node_pool)
        self.price: float = float(raw.price)
        self.disruption_cost: float = float(raw.disruption_cost)
        self.reschedule_disruption_cost: float = float(raw.reschedule_cost)
        self.repair: Optional[CandidateRepair] = CandidateRepair.of(S.CandidateRepair.from_address(raw.repair)) if raw.repair else None

    @cached_property
    def pods(self) -> Tuple[str, ...]:
        """"namespace/name", by name."""
        raw = self._live()
        return read.pod_names(self._handle, read.numbers(raw.pods, raw.pod_count))


class CommandRow(Row):
    """Nodes that go together, and what comes in their place."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        raw = read.decision_row(handle, S.Command, 'command', index)
        super().__init__(handle, raw)
        self.method: str = read.name('karp_method_name', raw.method)
        self.reason: str = read.name('karp_method_reason', raw.method)
        self.decision: str = {0: 'delete', 1: 'replace', 2: 'terminate-first', 3: 'reboot'}.get(raw.decision, '')
        self.terminate_first_reason: Optional[str] = {1: 'no-reserved-capacity', 2: 'static-at-limit'}.get(raw.terminate_first)
        self.termination_grace_period: Optional[str] = read.duration(raw.termination_grace_period)
        self.replaces: bool = bool(raw.replaces)
        self.nodes: Tuple[str, ...] = read.strings(raw.nodes, raw.node_count)
        self.savings: float = float(raw.savings)
        self.replacement_unavailable: bool = bool(raw.replacement_unavailable)
        self.expired: bool = bool(raw.expired)
        self.score: Optional[float] = float(raw.score) if raw.score >= 0 else None
        self.validate_after: Optional[str] = read.duration(raw.validate_after) if raw.validate_after > 0 else None


class Kept(NamedTuple):
    """A node that stays, and why."""
    node: str
    code: str
    detail: str
    found: Optional[int]

    @classmethod
    def of(cls, raw: Any) -> 'Kept':
        return cls(native.text(raw.node), read.name('karp_reason_name', raw.code), native.text(raw.detail), int(raw.found) or None)

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)
