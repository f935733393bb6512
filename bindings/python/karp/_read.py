# SPDX-License-Identifier: Apache-2.0
"""Arrays of the library's structs as Python values."""
from __future__ import annotations

import ctypes as C
from functools import lru_cache
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Type, TypeVar

from . import _native as native
from . import _structs as S

T = TypeVar('T', bound=C.Structure)

OPERATORS = ('?', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte')
MIN_VALUES_ZERO = 2**32 - 1
DURATION_UNSET, DURATION_NEVER = -2**63, 2**63 - 1
# Keys that exist only while a decision is made, and the host name, which nobody knows yet.
TRANSIENT = frozenset(('kubernetes.io/hostname', 'karpenter.sh/registered', 'karpenter.sh/initialized'))


class Requirement(NamedTuple):
    """What a label has to be: `operator` is In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte or Lte."""
    key: str
    operator: str
    values: Tuple[str, ...] = ()
    min_values: Optional[int] = None


class Taint(NamedTuple):
    key: str
    value: str
    effect: str


class Offering(NamedTuple):
    """One way to buy an instance type."""
    zone: str
    capacity_type: str
    price: float
    available: bool = True
    requirements: Tuple[Requirement, ...] = ()


def array(kind: Type[T], address: Optional[int], count: int) -> 'C.Array[T]':
    return (kind * count).from_address(address) if address and count else (kind * 0)()


def strings(address: Optional[int], count: int) -> Tuple[str, ...]:
    at = C.string_at
    return tuple(at(s.ptr, s.len).decode('utf-8', 'replace') if s.len else '' for s in array(S.Str, address, count))


def numbers(address: Optional[int], count: int) -> List[int]:
    return (C.c_uint32 * count).from_address(address)[:] if address and count else []


def resources(address: Optional[int], count: int) -> Dict[str, str]:
    return {native.text(r.name): native.text(r.text) for r in array(S.Resource, address, count)}


def labels(address: Optional[int], count: int) -> Dict[str, str]:
    return {native.text(label.key): native.text(label.value) for label in array(S.Label, address, count)}


def taints(address: Optional[int], count: int) -> Tuple[Taint, ...]:
    return tuple(Taint(native.text(t.key), native.text(t.value), native.text(t.effect))
                 for t in array(S.Taint, address, count))


def requirements(address: Optional[int], count: int) -> Tuple[Requirement, ...]:
    found = []
    for r in array(S.Requirement, address, count):
        least = None if r.min_values == 0 else 0 if r.min_values == MIN_VALUES_ZERO else r.min_values
        operator = OPERATORS[r.op] if r.op < len(OPERATORS) else '?'
        found.append(Requirement(native.text(r.key), operator, strings(r.values, r.value_count), least))
    return tuple(found)


class Lent:
    """Values for the library to read, as long as this lives."""

    def __init__(self) -> None:
        self._kept: List[object] = []

    def text(self, value: str) -> S.Str:
        lent, kept = native.lend(value)
        self._kept.append(kept)
        return lent

    def requirements(self, given: Sequence[Requirement]) -> Tuple[Optional[int], int]:
        """Address and count."""
        rows = (S.Requirement * len(given))()
        for row_, r in zip(rows, given):
            if r.operator not in OPERATORS[1:]:
                raise ValueError(f'operator {r.operator!r}: one of {", ".join(OPERATORS[1:])} is wanted')
            values = (S.Str * len(r.values))(*(self.text(value) for value in r.values))
            self._kept.append(values)
            row_.key, row_.op, row_.values, row_.value_count = self.text(r.key), OPERATORS.index(r.operator), C.addressof(values) if r.values else None, len(r.values)
        self._kept.append(rows)
        return (C.addressof(rows), len(given)) if given else (None, 0)


def row(kind: Type[T], getter: Any, *arguments: object) -> T:
    """A struct that a getter fills."""
    out = kind(size=C.sizeof(kind))
    native.check(getter(*arguments, C.byref(out)))
    return out


def decision_row(handle: native.Handle, kind: Type[T], what: str, index: int) -> T:
    """A struct that points into the decision: to be used while the handle is held."""
    return row(kind, getattr(native.core, f'karp_decision_{what}'), handle.live(), index)


def pod_names(handle: native.Handle, indices: Sequence[int]) -> Tuple[str, ...]:
    name, at, address = native.core.karp_decision_pod_name, C.string_at, handle.live()
    found = []
    for index in indices:
        s = name(address, index)
        found.append(at(s.ptr, s.len).decode('utf-8', 'replace'))
    return tuple(found)


def duration(nanoseconds: int) -> Optional[str]:
    """None = absent."""
    return None if nanoseconds == DURATION_UNSET else 'Never' if nanoseconds == DURATION_NEVER else native.duration_text(nanoseconds)


@lru_cache(maxsize=None)
def name(of: str, number: int) -> str:
    """What the library calls it."""
    return (getattr(native.core, of)(number) or b'').decode('ascii')


@lru_cache(maxsize=None)
def action(kind: int) -> str:
    return C.string_at(row(S.ActionMeaning, native.core.karp_action_describe, kind).name).decode('ascii')


@lru_cache(maxsize=None)
def reason(code: int) -> str:
    return (native.core.karp_reason_name(code) or b'').decode('ascii')


@lru_cache(maxsize=None)
def method(number: int) -> str:
    return (native.core.karp_method_name(number) or b'').decode('ascii')


@lru_cache(maxsize=None)
def method_reason(number: int) -> str:
    return (native.core.karp_method_reason(number) or b'').decode('ascii')
