# SPDX-License-Identifier: Apache-2.0
"""Decisions as objects: Plan and DisruptionPlan, with the members of the documents of docs/formats.md in snake case.

Rows are read from the library when they are asked for, so that a plan with thousands of launches costs nothing before.
"""
from __future__ import annotations

import ctypes as C
import json
from functools import cached_property
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as native
from . import _read as read
from . import _structs as S
from ._command import CommandStep, begin
from ._digest import Digest
from ._frames import Table, table
from ._plain import Plain, fields
from ._read import Requirement, Taint

# What the kubelet and the cloud's controller still add beside the labels of today.
LEGACY = {
    'beta.kubernetes.io/arch': 'kubernetes.io/arch',
    'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
    'beta.kubernetes.io/os': 'kubernetes.io/os',
    'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
    'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
}


TABLES = (('pods', 1), ('launches', 2), ('placements', 3), ('unschedulable', 4), ('refusals', 5), ('ignored', 6), ('nodes', 7),
          ('candidates', 8), ('commands', 9), ('kept', 10))


class Cost(NamedTuple):
    """Dollars per hour of the nodes that are known."""
    before: float
    after: float
    delta: float

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class Objective(NamedTuple):
    """What a plan for the least cost says of it, $/h of the launches; `bound` and `gap` are None when no bound is known."""
    cost: float
    compatible_cost: float
    bound: Optional[float]
    gap: Optional[float]
    steps: int
    effort: int
    compatible_launches: int
    stopped: bool
    optimal: bool

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


def objective_of(ask: Any, address: Any) -> Optional[Objective]:
    """The figures; None when it had another objective."""
    c = S.Cost(size=C.sizeof(S.Cost))
    if ask(address, C.byref(c)) != 0:
        return None
    known = c.gap >= 0
    return Objective(c.cost, c.compatible_cost, c.bound if known else None, c.gap if known else None, c.steps, c.effort,
                     c.compatible_launches, bool(c.stopped), bool(c.optimal))


class Choice(Plain):
    """The offering a launch is priced at: `instance_type`, `zone`, `capacity_type`, `price` per hour; what is `allocatable`
    on it, and the `node_labels` it will carry (both empty but in Launch.choice)."""

    def __init__(self, raw: S.Choice, allocatable: Optional[Dict[str, str]] = None,
                 node_labels: Optional[Dict[str, str]] = None) -> None:
        self.instance_type = native.text(raw.instance_type)
        self.zone = native.text(raw.zone)
        self.capacity_type = native.text(raw.capacity_type)
        self.price = float(raw.price)
        self.allocatable: Dict[str, str] = allocatable or {}
        self.node_labels: Dict[str, str] = node_labels or {}

    def __repr__(self) -> str:
        return f'<karp.Choice {self.instance_type} {self.zone} {self.capacity_type} ${self.price:g}/h>'


def count(handle: native.Handle, what: str) -> int:
    return int(getattr(native.core, f'karp_decision_{what}_count')(handle.live()))


def row(handle: native.Handle, kind: Any, what: str, index: int) -> Any:
    """A struct that points into the decision: to be used while the handle is held."""
    return read.row(kind, getattr(native.core, f'karp_decision_{what}'), handle.live(), index)


def pod_names(handle: native.Handle, indices: Sequence[int]) -> Tuple[str, ...]:
    name, at, address = native.core.karp_decision_pod_name, C.string_at, handle.live()
    found = []
    for index in indices:
        s = name(address, index)
        found.append(at(s.ptr, s.len).decode('utf-8', 'replace'))
    return tuple(found)


class Decision(native.Closable):
    """What every decision has."""

    _profile_names = ('karpenter', 'karp')

    def __init__(self, handle: native.Handle, digest: Union[str, Digest] = '', warnings: Sequence[str] = ()) -> None:
        super().__init__(handle)
        self._digest = digest
        self._notes = native.Notes.of(warnings)

    @property
    def now(self) -> str:
        """The instant it was made for, RFC 3339."""
        return native.time_text(native.core.karp_decision_now(self._handle.live()))

    @property
    def sha256(self) -> str:
        """Of the canonical input ("input.sha256" of the documents)."""
        return str(self._digest)

    @property
    def hash(self) -> str:
        """64 hex digits of what was decided: equal in every language and version (docs/decision-hash.md)."""
        handle, room = self._handle, C.create_string_buffer(65)
        native.core.karp_decision_hash(handle.live(), room)
        return room.value.decode('ascii')

    @property
    def profile(self) -> str:
        number = int(native.core.karp_decision_profile(self._handle.live()))
        return self._profile_names[number] if number < len(self._profile_names) else str(number)

    @property
    def peer_version(self) -> str:
        """The version of Karpenter whose rules it was made by, such as "1.15"."""
        number = native.core.karp_decision_peer_version(self._handle.live())
        return bytes(native.core.karp_peer_version_name(number)).decode('ascii')

    @property
    def complete(self) -> bool:
        """False when a budget ended the work before everything was looked at."""
        return bool(native.core.karp_decision_complete(self._handle.live()))

    @property
    def cost(self) -> Cost:
        handle = self._handle
        before = float(native.core.karp_decision_cost_before(handle.live()))
        after = float(native.core.karp_decision_cost_after(handle.live()))
        return Cost(before, after, after - before)

    @property
    def objective(self) -> Optional[Objective]:
        """The figures of a plan with objective='cost'; else None."""
        return objective_of(native.core.karp_decision_cost, self._handle.live())

    @property
    def warnings(self) -> Tuple[str, ...]:
        """Notes on the input, then on the decision."""
        handle = self._handle
        most = native.core.karp_decision_warning_count(handle.live())
        return self._notes + tuple(native.text(native.core.karp_decision_warning(handle.live(), i)) for i in range(most))

    @cached_property
    def nodes(self) -> 'Tuple[NodeUse, ...]':
        """The nodes that were there before, by name, as they are after the decision."""
        return tuple(NodeUse(self._handle, i) for i in range(count(self._handle, 'node')))

    def table(self, name: str = 'pods') -> Table:
        """Whole columns: pods, launches, placements, unschedulable, refusals, ignored, nodes; of a DisruptionPlan also
        candidates, commands, kept (docs/columns.md)."""
        handle = self._handle
        return table(native.core.karp_decision_table, handle.live(), TABLES, name)

    def to_pandas(self, name: str = 'pods') -> Any:
        """A table as a pandas.DataFrame."""
        return self.table(name).to_pandas()

    def to_polars(self, name: str = 'pods') -> Any:
        """A table as a polars.DataFrame."""
        return self.table(name).to_polars()

    def _write(self, format: int, **options: Any) -> bytes:
        raise NotImplementedError

    def to_json(self, compact: bool = False) -> str:
        """The document that `karp -o json` writes."""
        return self._write(native.FORMAT_JSON, compact=compact).decode('utf-8')

    def to_dict(self) -> Dict[str, Any]:
        """The same, read again. Its prices are strings, as there."""
        document: Dict[str, Any] = json.loads(self._write(native.FORMAT_JSON, compact=True))
        return document

    def to_text(self, width: int = 100, color: bool = False) -> str:
        """What `karp` prints."""
        return self._write(native.FORMAT_TEXT, width=width, color=color).decode('utf-8')

    def to_html(self, title: str = '', catalogue: str = '') -> str:
        """The page that `karp -o html` writes: the nodes before and after, in one file that loads nothing."""
        return self._write(native.FORMAT_HTML, title=title, catalogue=catalogue).decode('utf-8')

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Dict[str, str]:
        return {'text/html': self.to_html(), 'text/plain': self.to_text()}

    __str__ = to_text


class NodeUse(Plain):
    """A node that was there before: amounts in cores and bytes, the pods placed now included; `price` is 0 when unknown."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        raw = row(handle, S.NodeUse, 'node', index)
        self.node = native.text(raw.node)
        self.node_pool = native.text(raw.node_pool)
        self.instance_type = native.text(raw.instance_type)
        self.zone = native.text(raw.zone)
        self.capacity_type = native.text(raw.capacity_type)
        self.price = float(raw.price)
        self.cpu_requested = float(raw.cpu_requested)
        self.cpu_allocatable = float(raw.cpu_allocatable)
        self.memory_requested = float(raw.memory_requested)
        self.memory_allocatable = float(raw.memory_allocatable)
        self.marked = bool(raw.marked)
        self.pods_received = int(raw.pods_received)

    def __repr__(self) -> str:
        return f'<karp.NodeUse {self.node} {self.instance_type} {self.pods_received} pods received>'


class Row(Plain):
    """A row of a decision: lists are read when asked for."""

    def __init__(self, handle: native.Handle, raw: Any) -> None:
        self._handle = handle
        self._raw = raw

    def _live(self) -> Any:
        """The struct, whose pointers lead into the decision: only while that is open."""
        self._handle.live()
        return self._raw

    @cached_property
    def pods(self) -> Tuple[str, ...]:
        """"namespace/name", by name."""
        raw = self._live()
        return pod_names(self._handle, read.numbers(raw.pods, raw.pod_count))


class Launch(Row):
    """A node to start."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        super().__init__(handle, row(handle, S.Launch, 'launch', index))

    def _list(self, reader: Any, name: str, count: str) -> Any:
        raw = self._live()
        return reader(getattr(raw, name), getattr(raw, count))

    @cached_property
    def id(self) -> str:
        return native.text(self._live().id)

    @cached_property
    def node_pool(self) -> str:
        return native.text(self._live().node_pool)

    @cached_property
    def requests(self) -> Dict[str, str]:
        """Of its pods and of the DaemonSets that will run there."""
        found: Dict[str, str] = self._list(read.resources, 'requests', 'request_count')
        return found

    @cached_property
    def requirements(self) -> Tuple[Requirement, ...]:
        """What the scheduler left of its labels, by key."""
        return tuple(r for r in self._list(read.requirements, 'requirements', 'requirement_count')
                     if r.key not in read.TRANSIENT)

    @cached_property
    def labels(self) -> Dict[str, str]:
        found: Dict[str, str] = self._list(read.labels, 'labels', 'label_count')
        return found

    @cached_property
    def annotations(self) -> Dict[str, str]:
        found: Dict[str, str] = self._list(read.labels, 'annotations', 'annotation_count')
        return found

    @cached_property
    def taints(self) -> Tuple[Taint, ...]:
        found: Tuple[Taint, ...] = self._list(read.taints, 'taints', 'taint_count')
        return found

    @cached_property
    def startup_taints(self) -> Tuple[Taint, ...]:
        found: Tuple[Taint, ...] = self._list(read.taints, 'startup_taints', 'startup_taint_count')
        return found

    @cached_property
    def instance_types(self) -> Tuple[str, ...]:
        """The types that would be sent, the cheapest first."""
        found: Tuple[str, ...] = self._list(read.strings, 'instance_types', 'instance_type_count')
        return found

    @cached_property
    def choice(self) -> Optional[Choice]:
        """The offering it is priced at. None where any type will do: replacements of static pools."""
        if not self._live().choice.instance_type.len:
            return None
        labels = dict(self._list(read.labels, 'choice_labels', 'choice_label_count'))
        labels = {key: value for key, value in labels.items() if key not in read.TRANSIENT}
        labels.update(self.labels)
        labels = {**{old: labels[key] for old, key in LEGACY.items() if key in labels}, **labels}
        return Choice(self._live().choice, self._list(read.resources, 'allocatable', 'allocatable_count'),
                      {key: labels[key] for key in sorted(labels)})

    @cached_property
    def runner_up(self) -> Optional[Choice]:
        """The cheapest offering of the next type. None where there is none, and with explain='none'."""
        raw = self._live().runner_up
        return Choice(raw) if raw.instance_type.len else None

    def __repr__(self) -> str:
        chosen = self.choice
        what = f'{chosen.instance_type} {chosen.zone} ${chosen.price:g}/h' if chosen else 'any type'
        return f'<karp.Launch {self.id} {what}, {len(self.pods)} pods>'


class Placement(Row):
    """Pods that go to a node that exists."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        super().__init__(handle, row(handle, S.Placement, 'placement', index))
        self.node = native.text(self._raw.node)

    def __repr__(self) -> str:
        return f'<karp.Placement {self.node}, {len(self.pods)} pods>'


class Funnel(NamedTuple):
    """How many instance types were left after each step."""
    start: int
    requirements: int
    resources: int
    offerings: int

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class PoolRefusal(NamedTuple):
    """Why one NodePool does not take a pod."""
    node_pool: str
    code: str
    detail: str
    types: Funnel

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class TargetRefusal(NamedTuple):
    """What a node, or a launch, said to a pod (explain='full')."""
    target: str
    is_launch: bool
    code: str

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class TopologyDomain(NamedTuple):
    """A value of a topology key: the pods that the constraint counts there, where the value comes from, and why it cannot
    receive the pod (`code` "ALLOWED": it can)."""
    value: str
    pods: int
    code: str
    detail: str
    named: bool
    minimum: bool
    nodes: int
    node_pools: int
    node: str
    node_pool: str
    pod: str
    volume: str

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

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


def _domain(d: Any) -> TopologyDomain:
    return TopologyDomain(native.text(d.value), d.count, native.core.karp_domain_name(d.code).decode('ascii'), native.text(d.detail),
                          bool(d.named), bool(d.minimum), d.node_count, d.pool_count, native.text(d.node),
                          native.text(d.node_pool), native.text(d.pod), native.text(d.volume))


def _topology(t: Any) -> Topology:
    domains = tuple(_domain(d) for d in read.array(S.TopologyDomain, t.domains, t.domain_count))
    return Topology(native.core.karp_topology_name(t.kind).decode('ascii'), native.text(t.key), native.text(t.selector),
                    bool(t.selects_itself), t.max_skew, t.min_domains, t.minimum, native.text(t.cause), domains, t.domain_total)


class Unschedulable(Plain):
    """A pod that fits nowhere. `code` is one of docs/reasons.md; `permanent` says that waiting cannot help; `relax` lists
    the preferences that were given up in vain; `topologies` are the constraints that rule out domains."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        raw = row(handle, S.Unschedulable, 'unschedulable', index)
        self.pod = pod_names(handle, (raw.pod,))[0]
        self.code = read.reason(raw.code)
        self.permanent = bool(raw.permanent)
        self.message = native.text(raw.message)
        self.pools = tuple(
            PoolRefusal(native.text(p.node_pool), read.reason(p.code), native.text(p.detail),
                        Funnel(p.types_start, p.types_requirements, p.types_resources, p.types_offerings))
            for p in read.array(S.PoolRefusal, raw.pools, raw.pool_count))
        self.targets = tuple(TargetRefusal(native.text(t.target), bool(t.is_launch), read.reason(t.code))
                             for t in read.array(S.TargetRefusal, raw.targets, raw.target_count))
        self.relax = read.strings(raw.relaxed, raw.relaxed_count)
        self.topologies = tuple(_topology(t) for t in read.array(S.Topology, raw.topologies, raw.topology_count))

    def __repr__(self) -> str:
        return f'<karp.Unschedulable {self.pod} {self.code}{", permanent" if self.permanent else ""}>'


class Ignored(NamedTuple):
    """A pod that was not considered."""
    pod: str
    code: str
    message: str

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class Kept(NamedTuple):
    """A node that stays, and why."""
    node: str
    code: str
    detail: str

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class Command(Row):
    """Nodes that go together, and what comes in their place."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        super().__init__(handle, row(handle, S.Command, 'command', index))
        self._index = index
        raw = self._raw
        self.method = read.method(raw.method)
        self.reason = read.method_reason(raw.method)
        self.decision = ('delete', 'replace', 'terminate-first', 'reboot')[raw.decision]
        self.terminate_first_reason = (None, 'no-reserved-capacity', 'static-at-limit')[raw.terminate_first]
        self.nodes = read.strings(raw.nodes, raw.node_count)
        self.savings = float(raw.savings)
        self.replacement_unavailable = raw.replacement_unavailable != 0
        self.score = float(raw.score) if raw.score >= 0 else None
        self.validate_after = native.duration_text(raw.validate_after) if raw.validate_after > 0 else None

    @cached_property
    def replacements(self) -> Tuple[Launch, ...]:
        first = self._raw.launch_first
        return tuple(Launch(self._handle, i) for i in range(first, first + self._raw.launch_count))

    @cached_property
    def placements(self) -> Tuple[Placement, ...]:
        first = self._raw.placement_first
        return tuple(Placement(self._handle, i) for i in range(first, first + self._raw.placement_count))

    @cached_property
    def pods(self) -> Tuple[str, ...]:
        """Those that move."""
        moved: List[str] = []
        for place in (*self.replacements, *self.placements):
            moved.extend(place.pods)
        return tuple(sorted(moved))

    def begin(self) -> CommandStep:
        """Takes the command out of the decision, to carry it out: Snapshot.step() goes on from there. There is nothing to do yet; look_again says when
        the first step is due. A reboot takes no steps."""
        return begin(self._handle, self._index)

    def __repr__(self) -> str:
        return f'<karp.Command {self.decision} {" ".join(self.nodes)}: {self.reason}, saves ${self.savings:g}/h>'


class Candidate(Row):
    """A node that was looked at; `pods` are those that would have to move."""

    def __init__(self, handle: native.Handle, index: int) -> None:
        super().__init__(handle, row(handle, S.Candidate, 'candidate', index))
        self.node = native.text(self._raw.node)
        self.node_pool = native.text(self._raw.node_pool)
        self.price = float(self._raw.price)
        self.disruption_cost = float(self._raw.disruption_cost)
        self.reschedule_disruption_cost = float(self._raw.reschedule_cost)

    def __repr__(self) -> str:
        return f'<karp.Candidate {self.node} ${self.price:g}/h, {len(self.pods)} pods>'


class MethodError(NamedTuple):
    """Why a method could not be evaluated."""
    code: str
    message: str

    def to_dict(self) -> Dict[str, Any]:
        return fields(self)


class DisruptionPlan(Decision):
    """Which nodes Karpenter would remove: the answer of one disruption pass."""

    @property
    def _header(self) -> S.Disruption:
        handle = self._handle
        return read.row(S.Disruption, native.core.karp_decision_disruption, handle.live())

    @property
    def method(self) -> str:
        """The method that answered, or the last one asked when none found anything."""
        return read.method(self._header.method)

    @property
    def reason(self) -> str:
        return read.method_reason(self._header.method)

    @property
    def simulations(self) -> int:
        return int(self._header.simulations)

    @property
    def error(self) -> Optional[MethodError]:
        """None when the method could be evaluated."""
        handle, header = self._handle, self._header
        handle.live()
        found = MethodError(native.text(header.error_code), native.text(header.error_message))
        return found if found.code else None

    @property
    def memory(self) -> Optional[bytes]:
        """What the next pass is to be given, a document; None when this one was given nothing."""
        handle, raw = self._handle, S.Memory(size=C.sizeof(S.Memory))
        status = native.core.karp_decision_memory(handle.live(), C.byref(raw))
        return native.write(native.io.karp_write_memory, C.addressof(raw), format=native.FORMAT_JSON) if status == 0 else None

    @cached_property
    def budgets(self) -> Dict[str, int]:
        """How many nodes of each NodePool may still go for this reason."""
        handle = self._handle
        rows = [row(handle, S.PoolBudget, 'budget', i) for i in range(count(handle, 'budget'))]
        found = {native.text(raw.node_pool): int(raw.remaining) for raw in rows}
        return found

    @cached_property
    def candidates(self) -> Tuple[Candidate, ...]:
        return tuple(Candidate(self._handle, i) for i in range(count(self._handle, 'candidate')))

    @cached_property
    def commands(self) -> Tuple[Command, ...]:
        return tuple(Command(self._handle, i) for i in range(count(self._handle, 'command')))

    @cached_property
    def kept(self) -> Tuple[Kept, ...]:
        handle = self._handle
        rows = [row(handle, S.Kept, 'kept', i) for i in range(count(handle, 'kept'))]
        found = tuple(Kept(native.text(raw.node), read.reason(raw.code), native.text(raw.detail)) for raw in rows)
        return found

    def _write(self, format: int, **options: Any) -> bytes:
        handle = self._handle
        return native.write(native.io.karp_write_disruption, handle.live(), format=format, digest=self.sha256,
                            warnings=self._notes, **options)

    def __repr__(self) -> str:
        if self.closed:
            return '<karp.DisruptionPlan, closed>'
        nodes = sum(len(command.nodes) for command in self.commands)
        return f'<karp.DisruptionPlan {self.method}: {nodes} nodes removed, {self.cost.delta:+.4g} $/h>'


class Step(NamedTuple):
    """One step of a repack plan: the command to carry out, and what it comes to. Costs are $/h."""
    command: Command
    saving: float
    total_saving: float
    cost_after: float
    evictions: int
    total_evictions: int


class CurvePoint(NamedTuple):
    """The least cost that was found for so many evictions; no plan with so many goes below the bound."""
    evictions: int
    cost: float
    bound: float


class RepackPlan(DisruptionPlan):
    """From the cluster there is to a cheaper one, step by step."""

    @property
    def _figures(self) -> S.RepackCost:
        handle = self._handle
        return read.row(S.RepackCost, native.core.karp_decision_repack, handle.live())

    @property
    def bound(self) -> float:
        """No plan with so many evictions ends with less, $/h; 0 when none is known."""
        return float(self._figures.bound)

    @property
    def evictions(self) -> int:
        return int(self._figures.evictions)

    @property
    def pods(self) -> int:
        """Pods that could move, on all nodes."""
        return int(self._figures.pods)

    @property
    def stopped(self) -> bool:
        return bool(self._figures.stopped)

    @cached_property
    def steps(self) -> Tuple[Step, ...]:
        handle, found = self._handle, []
        for i, command in enumerate(self.commands):
            raw = read.row(S.RepackStep, native.core.karp_decision_repack_step, handle.live(), i)
            found.append(Step(command, raw.saving, raw.total_saving, raw.cost_after, int(raw.evictions), int(raw.total_evictions)))
        return tuple(found)

    @cached_property
    def curve(self) -> Tuple[CurvePoint, ...]:
        handle = self._handle
        most = int(native.core.karp_decision_repack_point_count(handle.live()))
        rows = [read.row(S.RepackPoint, native.core.karp_decision_repack_point, handle.live(), i) for i in range(most)]
        return tuple(CurvePoint(int(raw.evictions), raw.cost, raw.bound) for raw in rows)

    def _write(self, format: int, **options: Any) -> bytes:
        handle = self._handle
        return native.write(native.io.karp_write_repack, handle.live(), format=format, digest=self.sha256,
                            warnings=self._notes, **options)

    def __repr__(self) -> str:
        if self.closed:
            return '<karp.RepackPlan, closed>'
        return f'<karp.RepackPlan {len(self.commands)} steps, {self.evictions} evictions, {self.cost.delta:+.4g} $/h>'


class Plan(Decision):
    """Which nodes to start for which pods, which pods go to nodes that exist, and which fit nowhere."""

    def __init__(self, handle: native.Handle, digest: Union[str, Digest] = '', warnings: Sequence[str] = (),
                 disruption: Optional[DisruptionPlan] = None, settle: Optional[Callable[[], native.Handle]] = None) -> None:
        super().__init__(handle, digest, warnings)
        self._disruption = disruption
        self._settle = settle  # further rounds, if any would launch more
        self._settlement: Optional[native.Handle] = None

    def close(self) -> None:
        if self._disruption is not None:
            self._disruption.close()
        super().close()

    @cached_property
    def launches(self) -> Tuple[Launch, ...]:
        """By NodePool, then by pods."""
        return tuple(Launch(self._handle, i) for i in range(count(self._handle, 'launch')))

    @cached_property
    def placements(self) -> Tuple[Placement, ...]:
        """By node."""
        return tuple(Placement(self._handle, i) for i in range(count(self._handle, 'placement')))

    @cached_property
    def unschedulable(self) -> Tuple[Unschedulable, ...]:
        """By pod."""
        return tuple(Unschedulable(self._handle, i) for i in range(count(self._handle, 'unschedulable')))

    @cached_property
    def ignored(self) -> Tuple[Ignored, ...]:
        handle = self._handle
        rows = [row(handle, S.Ignored, 'ignored', i) for i in range(count(handle, 'ignored'))]
        found = tuple(Ignored(pod_names(handle, (raw.pod,))[0], read.reason(raw.code), native.text(raw.message)) for raw in rows)
        return found

    @property
    def disruption(self) -> Optional[DisruptionPlan]:
        """With plan(disrupt=True): what disrupt() answers on the same snapshot."""
        return self._disruption

    @property
    def disruptions(self) -> Tuple[Command, ...]:
        return self._disruption.commands if self._disruption else ()

    @property
    def kept(self) -> Tuple[Kept, ...]:
        return self._disruption.kept if self._disruption else ()

    def _write(self, format: int, **options: Any) -> bytes:
        handle, other = self._handle, self._disruption._handle if self._disruption else None
        live = handle.live()
        if self._settle is not None and format != native.FORMAT_YAML:
            self._settlement, self._settle = self._settle(), None
        settled = self._settlement
        return native.write(native.io.karp_write_plan, live, other.live() if other else None, format=format,
                            digest=self.sha256, warnings=self._notes, settlement=settled.address if settled else None, **options)

    def to_yaml(self) -> str:
        """The NodeClaims that would be created."""
        return self._write(native.FORMAT_YAML).decode('utf-8')

    def __iter__(self) -> Iterator[Launch]:
        return iter(self.launches)

    def __repr__(self) -> str:
        if self.closed:
            return '<karp.Plan, closed>'
        launches, failed, cost = count(self._handle, 'launch'), count(self._handle, 'unschedulable'), self.cost
        return f'<karp.Plan {launches} to launch, {failed} unschedulable, ${cost.before:.4g}/h -> ${cost.after:.4g}/h>'
