# SPDX-License-Identifier: Apache-2.0
"""Answers side by side: two versions of Karpenter, designs by their plans, and the rounds of a settlement."""
from __future__ import annotations

import contextlib
import ctypes as C
import json
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple

from . import _native as native
from . import _structs as S
from ._options import METHODS, Run, Stop, one_of, profile_of

if TYPE_CHECKING:
    from ._snapshot import Snapshot, _World

ALL, LAUNCHES = 1, 0  # KARP_SETTLE_*


class Document(Mapping[str, Any]):
    """A document as plain data: its members by name. It may be pickled."""

    def __init__(self, text: str, shown: str = '') -> None:
        self._text, self._shown = text, shown
        self._read: Dict[str, Any] = json.loads(text)

    def __getitem__(self, name: str) -> Any:
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)

    def to_json(self) -> str:
        """The document that `-o json` writes."""
        return self._text

    def to_dict(self) -> Dict[str, Any]:
        document: Dict[str, Any] = json.loads(self._text)
        return document

    def __repr__(self) -> str:
        return f'<karp.{type(self).__name__}: {", ".join(self)}>'


class Diff(Document):
    """What two profiles decide differently, as `karp diff` with two profiles lists it (docs/versions.md)."""

    KINDS = ('launches', 'placements', 'refusals', 'commands', 'kept')

    @property
    def count(self) -> int:
        return sum(len(self[kind]) for kind in self.KINDS)

    def to_text(self) -> str:
        """What `karp diff` prints."""
        return self._shown

    __str__ = to_text


class Comparison(Document):
    """Designs by their plans, as `karp diff A -- B` compares them: 'designs' and 'differences'."""


class Settlement(Document):
    """The 'rounds' of a cluster until nothing changes, and its two 'designs': the first round, and the settled cluster."""


def settlement(snapshot: native.Handle, run: Run, disrupt: int = LAUNCHES, boot: float = 0) -> native.Handle:
    """The rounds of a snapshot, as the library has them."""
    options = S.SettleOptions()
    native.core.karp_settle_options_init(C.byref(options), C.sizeof(options))
    options.common, options.disrupt, options.boot = C.addressof(run.options), disrupt, round(boot * 1e9)
    return native.make(native.core.karp_settle, native.core.karp_settlement_free, snapshot.address, C.byref(options))


def _document(function: Any, address: int, world: Optional[_World] = None, format: int = native.FORMAT_JSON) -> str:
    return native.write(function, address, format=format, warnings=world.warnings if world else ()).decode('utf-8')


def settle(world: _World, run: Run, disrupt: bool, boot: float) -> Settlement:
    made = settlement(world.snapshot, run, ALL if disrupt else LAUNCHES, boot)
    return Settlement(_document(native.io.karp_write_settlement, made.address, world))


def diff(world: _World, run: Run, profiles: Tuple[str, str], method: Optional[str]) -> Diff:
    sides = (S.DiffSide * 2)()
    kept: List[object] = []
    for side, profile in zip(sides, profiles):
        options = S.Options.from_buffer_copy(run.options)
        options.profile, options.peer_version = profile_of(profile)
        side.size, side.snapshot, side.options = C.sizeof(side), world.snapshot.address, C.addressof(options)
        side.method = 0 if method is None else METHODS[tuple(METHODS)[one_of(method, tuple(METHODS), 'method')]]
        side.name, name = native.lend(profile)
        kept += [options, name]
    with native.Context() as context:
        made = native.make(native.io.karp_compare_decisions, native.io.karp_diff_free, context.address, C.byref(sides[0]), C.byref(sides[1]))
    return Diff(_document(native.io.karp_write_diff, made.address), _document(native.io.karp_write_diff, made.address, format=native.FORMAT_TEXT))


def compare(designs: Mapping[str, Snapshot], *, profile: str = 'karpenter', should_stop: Optional[Stop] = None) -> Comparison:
    """Plans for each design, given by name, and compares the others with the first: nodes, cost and use of each, the fields of objects
    that differ, and the pods that are elsewhere. Where further rounds launch more nodes, their outcome counts, as in `karp diff A -- B`."""
    worlds = [snapshot._open() for snapshot in designs.values()]
    given = (S.Design * len(worlds))()
    kept: List[object] = []
    with contextlib.ExitStack() as stack, Run(profile=profile, should_stop=should_stop) as run, native.Context() as context:
        for lock in sorted({id(world.lock): world.lock for world in worlds}.items()):
            stack.enter_context(lock[1])  # a reader is for one thread at a time
        for design, name, world in zip(given, designs, worlds):
            plan = native.make(native.core.karp_provision, native.core.karp_decision_unref, world.snapshot.address, C.byref(run.options))
            lent: List[Tuple[S.Str, bytes]] = [native.lend(warning) for warning in world.warnings]
            warnings = (S.Str * len(lent))(*[pair[0] for pair in lent])
            design.size, design.reader, design.snapshot, design.plan = C.sizeof(design), world.reader.address, world.snapshot.address, plan.address
            design.name, said = native.lend(name)
            design.warnings, design.warning_count = C.addressof(warnings), len(lent)
            kept += [plan, lent, warnings, said]
            if native.core.karp_more_rounds(world.snapshot.address, plan.address):
                settled = settlement(world.snapshot, run)
                design.settlement = settled.address
                kept.append(settled)
        made = native.make(native.io.karp_compare_designs, native.io.karp_comparison_free, context.address, C.byref(given) if worlds else None, len(worlds))
        text = _document(native.io.karp_write_comparison, made.address)
        del made  # before what it refers to
    return Comparison(text)
