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
from ._plain import fields
from ._read import Requirement
from ._read import decision_row as row
from ._results import CandidateRow, ChoiceRow, CommandRow, Ignored, Kept, LaunchRow, NodeUseRow, PlacementRow, UnschedulableRow

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


class Choice(ChoiceRow):
    """The offering a launch is priced at: `instance_type`, `zone`, `capacity_type`, `price` per hour; what is `allocatable`
    on it, and the `node_labels` it will carry (both empty but in Launch.choice)."""

    def __init__(self, raw: S.Choice, allocatable: Optional[Dict[str, str]] = None,
                 node_labels: Optional[Dict[str, str]] = None) -> None:
        super().__init__(raw)
        self.allocatable: Dict[str, str] = allocatable or {}
        self.node_labels: Dict[str, str] = node_labels or {}

    def __repr__(self) -> str:
        return f'<karp.Choice {self.instance_type} {self.zone} {self.capacity_type} ${self.price:g}/h>'


def count(handle: native.Handle, what: str) -> int:
    return int(getattr(native.core, f'karp_decision_{what}_count')(handle.live()))


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


class NodeUse(NodeUseRow):
    def __repr__(self) -> str:
        return f'<karp.NodeUse {self.node} {self.instance_type} {self.pods_received} pods received>'


class Launch(LaunchRow):
    @cached_property
    def requirements(self) -> Tuple[Requirement, ...]:
        """What the scheduler left of its labels, by key."""
        raw = self._live()
        return tuple(r for r in read.requirements(raw.requirements, raw.requirement_count) if r.key not in read.TRANSIENT)

    @cached_property
    def choice(self) -> Optional[Choice]:
        """The offering it is priced at. None where any type will do: replacements of static pools."""
        raw = self._live()
        if not raw.choice.instance_type.len:
            return None
        chosen = read.labels(raw.choice_labels, raw.choice_label_count)
        labels = {key: value for key, value in chosen.items() if key not in read.TRANSIENT}
        labels.update(self.labels)
        labels = {**{old: labels[key] for old, key in LEGACY.items() if key in labels}, **labels}
        return Choice(raw.choice, self.allocatable, {key: labels[key] for key in sorted(labels)})

    @cached_property
    def runner_up(self) -> Optional[Choice]:
        """The cheapest offering of the next type. None where there is none, and with explain='none'."""
        raw = self._live().runner_up
        return Choice(raw) if raw.instance_type.len else None

    def __repr__(self) -> str:
        chosen = self.choice
        what = f'{chosen.instance_type} {chosen.zone} ${chosen.price:g}/h' if chosen else 'any type'
        return f'<karp.Launch {self.id} {what}, {len(self.pods)} pods>'


class Placement(PlacementRow):
    def __repr__(self) -> str:
        return f'<karp.Placement {self.node}, {len(self.pods)} pods>'


class Unschedulable(UnschedulableRow):
    def __repr__(self) -> str:
        return f'<karp.Unschedulable {self.pod} {self.code}{", permanent" if self.permanent else ""}>'


class Command(CommandRow):
    def __init__(self, handle: native.Handle, index: int) -> None:
        super().__init__(handle, index)
        self._index = index

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
        for launch in self.replacements:
            moved.extend(launch.pods)
        for placement in self.placements:
            moved.extend(placement.pods)
        return tuple(sorted(moved))

    def begin(self) -> CommandStep:
        """Takes the command out of the decision, to carry it out: Snapshot.step() goes on from there. There is nothing to do yet; look_again says when
        the first step is due. A reboot takes no steps."""
        return begin(self._handle, self._index)

    def __repr__(self) -> str:
        return f'<karp.Command {self.decision} {" ".join(self.nodes)}: {self.reason}, saves ${self.savings:g}/h>'


class Candidate(CandidateRow):
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
        return tuple(Kept.of(raw) for raw in rows)

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
        return tuple(Ignored.of(handle, raw) for raw in rows)

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
