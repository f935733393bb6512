# SPDX-License-Identifier: Apache-2.0
"""Whether the workloads of a queue could start: now, after nodes are launched, or never."""
from __future__ import annotations

import ctypes as C
from functools import cached_property
from typing import Iterable, Iterator, NamedTuple, Optional, Tuple, Union

from . import _native as native
from . import _read as read
from . import _structs as S
from ._decision import Plan
from ._explain import Remedy, _Explanation

FLAVOURS = {'nodepool': 1, 'zone': 2, 'capacity-type': 4, 'reservation': 8, 'resource-flavor': 16, 'all': 31}


class Flavour(NamedTuple):
    """A workload on one kind of nodes alone; a NodePool of None: nodes without one. A ResourceFlavor of Kueue is a row of its own."""
    node_pool: Optional[str]
    zone: Optional[str]
    capacity_type: Optional[str]
    reservation: Optional[str]
    answer: str
    placed: int
    launches: int
    cost: float
    reason: Optional[str]
    resource_flavor: Optional[str] = None


class Condition(NamedTuple):
    """What cluster-autoscaler would set on a ProvisioningRequest with this answer."""
    type: str
    status: str
    reason: str
    message: str


class Workload(NamedTuple):
    """The answer for one workload: `answer` is now, launch or never. `cost` is that of its launches, $/h; `ready_after` is in
    nanoseconds."""
    workload: str
    kind: str
    answer: str
    code: Optional[str]
    reason: Optional[str]
    starts_alone: bool
    priority: int
    pods: int
    placed: int
    waiting: int
    launches: int
    cost: float
    ready_after: int
    domain: Optional[str]
    nodes: Tuple[str, ...]
    flavours: Tuple[Flavour, ...]
    changes: Tuple[Remedy, ...]
    conditions: Tuple[Condition, ...]


def _answer(verdict: int) -> str:
    return (native.core.karp_admit_name(verdict) or b'').decode('ascii')


def _flavour(raw: S.Flavour) -> Flavour:
    pool, zone, capacity, reservation = (native.text(each) or None
                                         for each in (raw.node_pool, raw.zone, raw.capacity_type, raw.reservation))
    return Flavour(pool, zone, capacity, reservation, _answer(raw.verdict), int(raw.placed), int(raw.launches), float(raw.cost), native.text(raw.detail) or None,
                   native.text(raw.resource_flavor) or None)


def _row(admission: int, index: int) -> Workload:
    raw = read.row(S.Admitted, native.core.karp_admission_at, admission, index)
    flavours = [read.row(S.Flavour, native.core.karp_admission_flavour, admission, index, i) for i in range(raw.flavour_count)]
    changes = [read.row(S.Remedy, native.core.karp_admission_change, admission, index, i) for i in range(raw.change_count)]
    conditions = [read.row(S.RequestCondition, native.core.karp_admission_condition, admission, index, i) for i in range(raw.condition_count)]
    code = (native.core.karp_reason_name(raw.code) or b'').decode('ascii') if raw.code else None
    return Workload(native.text(raw.name), native.text(raw.kind), _answer(raw.verdict), code, native.text(raw.detail) or None,
                    bool(raw.starts_alone), int(raw.priority), int(raw.pods), int(raw.placed), int(raw.waiting), int(raw.launches),
                    float(raw.cost), int(raw.ready_after), native.text(raw.domain) or None, read.strings(raw.nodes, raw.node_count),
                    tuple(map(_flavour, flavours)), tuple(map(Remedy, changes)),
                    tuple(Condition(*map(native.text, (each.type, each.status, each.reason, each.message))) for each in conditions))


class Admission(_Explanation):
    """The answers for a queue, in its order."""

    _writer = native.io.karp_write_admission

    @cached_property
    def workloads(self) -> Tuple[Workload, ...]:
        address = self._handle.live()
        return tuple(_row(address, i) for i in range(native.core.karp_admission_count(address)))

    def __iter__(self) -> Iterator[Workload]:
        return iter(self.workloads)

    def __getitem__(self, name: str) -> Workload:
        """The workload of that name ("namespace/name")."""
        found = [each for each in self.workloads if each.workload == name]
        if not found:
            raise KeyError(name)
        return found[0]

    @cached_property
    def plan(self) -> Plan:
        """The decision for the whole queue, whose launches the workloads name."""
        return Plan(self._decision_handle(native.core.karp_admission_decision), self._digest, self._notes)

    @property
    def outcome(self) -> str:
        return f'{len(self.workloads)} workloads'


def options(common: int, boot: int, flavours: Union[str, Iterable[str]], changes: int) -> S.AdmitOptions:
    made = S.AdmitOptions()
    native.core.karp_admit_options_init(C.byref(made), C.sizeof(made))
    made.common, made.boot, made.most_changes = common, boot, changes
    for name in [flavours] if isinstance(flavours, str) else flavours:
        if name not in FLAVOURS:
            raise ValueError(f'flavours: {name!r} is none of {", ".join(FLAVOURS)}')
        made.flavours |= FLAVOURS[name]
    return made
