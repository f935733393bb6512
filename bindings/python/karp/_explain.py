# SPDX-License-Identifier: Apache-2.0
"""Why a pod waits and what would place it; why a node stays; what is wrong with a plan."""
from __future__ import annotations

import json
from functools import cached_property
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple

from . import _native as native
from . import _read as read
from . import _structs as S
from ._decision import Choice, DisruptionPlan, Plan
from ._digest import Digest


def _choice(raw: S.Choice) -> Optional[Choice]:
    return Choice(raw) if raw.instance_type.len else None


class Remedy:
    """A change with which the pod has a place while no other pod loses one: `kind` is TOLERATE, DROP_SELECTOR, DROP_TOPOLOGY,
    DROP_PORT, REQUEST_LESS (of the pod), RAISE_LIMIT, ALLOW_VALUE or DROP_MIN_VALUES (of a NodePool)."""

    def __init__(self, raw: S.Remedy) -> None:
        self.kind = (native.core.karp_remedy_name(raw.kind) or b'').decode('ascii')
        self.changes = int(raw.changes)
        self.text = native.text(raw.text)
        self.node_pool = native.text(raw.node_pool) or None
        self.node = native.text(raw.node) or None
        self.choice = _choice(raw.choice)

    def __repr__(self) -> str:
        return f'<karp.Remedy {self.kind}: {self.text}>'


class _Explanation(native.Closable):
    _writer: Callable[..., int]

    def __init__(self, handle: native.Handle, subject: str, digest: Digest, warnings: Sequence[str]) -> None:
        super().__init__(handle)
        self._subject, self._digest = subject, digest
        self._notes = native.Notes.of(warnings)

    def _write(self, format: int, **options: Any) -> bytes:
        handle = self._handle
        return native.write(type(self)._writer, handle.live(), format=format, digest=str(self._digest), warnings=self._notes,
                            **options)

    def to_json(self, compact: bool = False) -> str:
        """The document that `karp explain -o json` writes."""
        return self._write(native.FORMAT_JSON, compact=compact).decode('utf-8')

    def to_dict(self) -> Dict[str, Any]:
        document: Dict[str, Any] = json.loads(self.to_json(compact=True))
        return document

    def to_text(self, width: int = 100, color: bool = False) -> str:
        """What `karp explain` prints."""
        return self._write(native.FORMAT_TEXT, width=width, color=color).decode('utf-8')

    __str__ = to_text

    @property
    def outcome(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f'<karp.{type(self).__name__} {self._subject}: {"closed" if self.closed else self.outcome}>'

    def _decision_handle(self, getter: Callable[[int], int]) -> native.Handle:
        """The decision inside, held on its own."""
        handle = self._handle
        inner = native.core.karp_decision_ref(getter(handle.live()))
        return native.Handle(inner, native.core.karp_decision_unref)


class PodExplanation(_Explanation):
    """What there is to say about one pod. `outcome` is launch, node, unschedulable or ignored."""

    _writer = native.io.karp_write_pod_explanation

    @property
    def pod(self) -> str:
        return self._subject

    @cached_property
    def plan(self) -> Plan:
        """The decision the pod is part of."""
        return Plan(self._decision_handle(native.core.karp_pod_explanation_decision), self._digest, self._notes)

    @cached_property
    def _found(self) -> Tuple[str, Any]:
        """Where the pod is in the plan."""
        plan = self.plan
        places: Tuple[Tuple[str, Tuple[Any, ...]], ...] = (('launch', plan.launches), ('node', plan.placements))
        for what, rows in places:
            for row in rows:
                if self._subject in row.pods:
                    return what, row
        for failed in plan.unschedulable:
            if failed.pod == self._subject:
                return 'unschedulable', failed
        return 'ignored', next((row for row in plan.ignored if row.pod == self._subject), None)

    @property
    def outcome(self) -> str:
        self._handle.live()
        return self._found[0]

    @property
    def node(self) -> Optional[str]:
        """The node that exists and takes it."""
        return self._found[1].node if self.outcome == 'node' else None

    @property
    def launch(self) -> Optional[str]:
        """The id of the launch that takes it."""
        return self._found[1].id if self.outcome == 'launch' else None

    @property
    def code(self) -> Optional[str]:
        """Why it is placed nowhere."""
        return self._found[1].code if self.outcome in ('unschedulable', 'ignored') and self._found[1] else None

    @property
    def message(self) -> Optional[str]:
        return self._found[1].message if self.outcome in ('unschedulable', 'ignored') and self._found[1] else None

    @cached_property
    def remedies(self) -> Tuple[Remedy, ...]:
        """What would place it, the smallest change first."""
        handle = self._handle
        rows = [read.row(S.Remedy, native.core.karp_pod_explanation_remedy, handle.live(), i)
                for i in range(native.core.karp_pod_explanation_remedy_count(handle.live()))]
        return tuple(Remedy(row) for row in rows)

    @property
    def tried(self) -> int:
        """How many changes were tried."""
        handle = self._handle
        return int(native.core.karp_pod_explanation_tried(handle.live()))

    @property
    def bounded(self) -> bool:
        """Whether some were left untried."""
        handle = self._handle
        return bool(native.core.karp_pod_explanation_bounded(handle.live()))


class Blocker(NamedTuple):
    """One reason why a node stays; `until` (RFC 3339) where it ends by itself."""
    code: str
    detail: str
    until: Optional[str]


class Move(NamedTuple):
    """What would become of the pods of a node if it went now."""
    price: float
    savings: float
    pods_moved: int
    launches: int
    node_pool: Optional[str]
    choice: Optional[Choice]


class NodeChange(NamedTuple):
    """A change after which a node that stays would go; `instance_type` of its replacement, None = it is deleted."""
    text: str
    instance_type: Optional[str]
    savings: float


class NodeExplanation(_Explanation):
    """What there is to say about one node. `outcome` is disrupted or kept."""

    _writer = native.io.karp_write_node_explanation

    @property
    def node(self) -> str:
        return self._subject

    @cached_property
    def plan(self) -> DisruptionPlan:
        """The pass."""
        return DisruptionPlan(self._decision_handle(native.core.karp_node_explanation_decision), self._digest, self._notes)

    @property
    def outcome(self) -> str:
        handle = self._handle
        return 'disrupted' if native.core.karp_node_explanation_disrupted(handle.live()) else 'kept'

    @property
    def expired(self) -> bool:
        """Its expireAfter is over: Karpenter deletes it, whatever a pass decides."""
        return bool(native.core.karp_node_explanation_expired(self._handle.live()))

    @property
    def drift(self) -> Optional[str]:
        """Why it is drifted; None = it is not."""
        return native.text(native.core.karp_node_explanation_drift(self._handle.live())) or None

    @cached_property
    def facts(self) -> Tuple[str, ...]:
        """What holds besides, whatever a pass decides."""
        handle = self._handle.live()
        return tuple(native.text(native.core.karp_node_explanation_fact(handle, i))
                     for i in range(native.core.karp_node_explanation_fact_count(handle)))

    @cached_property
    def changes(self) -> Tuple[NodeChange, ...]:
        """Changes after each of which it would go."""
        handle = self._handle
        rows = [read.row(S.NodeRemedy, native.core.karp_node_explanation_remedy, handle.live(), i)
                for i in range(native.core.karp_node_explanation_remedy_count(handle.live()))]
        return tuple(NodeChange(native.text(row.text), native.text(row.instance_type) or None, row.savings)
                     for row in rows)

    @cached_property
    def blockers(self) -> Tuple[Blocker, ...]:
        """Everything that keeps it; none when it goes."""
        handle = self._handle
        rows = [read.row(S.Blocker, native.core.karp_node_explanation_blocker, handle.live(), i)
                for i in range(native.core.karp_node_explanation_blocker_count(handle.live()))]
        return tuple(Blocker(read.reason(row.code), native.text(row.detail),
                             None if row.until == native.NO_TIME else native.time_text(row.until)) for row in rows)

    @cached_property
    def best_rejected_move(self) -> Optional[Move]:
        """None where its pods could not all be rescheduled."""
        handle = self._handle
        try:
            raw = read.row(S.Move, native.core.karp_node_explanation_move, handle.live())
        except LookupError:
            return None
        return Move(raw.price, raw.savings, raw.moved, raw.launches, native.text(raw.node_pool) or None,
                    _choice(raw.choice))


class Finding(NamedTuple):
    """Something that is wrong with a plan; `code` is one of the closed list of docs/formats.md."""
    code: str
    object: str
    detail: str


class Verification:
    """What a check found: true when nothing is wrong."""

    def __init__(self, errors: Tuple[Finding, ...]) -> None:
        self.errors = errors

    def __bool__(self) -> bool:
        return not self.errors

    def __len__(self) -> int:
        return len(self.errors)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.errors)

    def __repr__(self) -> str:
        return f'<karp.Verification {"nothing wrong" if self else f"{len(self.errors)} errors"}>'


def findings(handle: native.Handle) -> Verification:
    rows = [read.row(S.Finding, native.core.karp_verification_at, handle.live(), i)
            for i in range(native.core.karp_verification_count(handle.live()))]
    return Verification(tuple(Finding((native.core.karp_finding_name(row.code) or b'').decode('ascii'),
                                      native.text(row.object), native.text(row.detail)) for row in rows))
