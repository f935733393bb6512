# SPDX-License-Identifier: Apache-2.0
"""Carrying a disruption command out, step by step: what to do now, and when to look again."""
from __future__ import annotations

import ctypes as C
import json
from functools import cached_property
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _native as native
from . import _read as read
from . import _structs as S

NO_TIME = -2**63

OBSERVED = ('FAILED', 'CREATED', 'NOT_CREATED', 'GONE')
PROGRESS = ('wanted', 'created', 'seen', 'initialized')


class Action(NamedTuple):
    """One thing to do: `kind` as ADD_TAINT, MARK_NODE or CREATE_REPLACEMENT (KARP_ACTION_* of karp/lifecycle.h)."""
    kind: str
    object: str
    subject: str = ''
    value: str = ''
    number: int = 0


class Observation(NamedTuple):
    """What became of an action of the step before. `kind`: FAILED (object: the Node or NodeClaim), CREATED (number: index of the
    replacement, object: its NodeClaim), NOT_CREATED (number), GONE (object: the NodeClaim of a replacement)."""
    kind: str
    object: str = ''
    number: int = 0


class CommandNode(NamedTuple):
    """A node that goes."""
    node: str
    claim: str


class Replacement(NamedTuple):
    """A node that takes the place of those that go: `progress` is wanted, created, seen or initialized."""
    node_pool: str
    instance_type: str
    zone: str
    capacity_type: str
    requirements: Tuple[read.Requirement, ...]
    claim: str
    progress: str


def _time(instant: int) -> Optional[str]:
    return None if instant == NO_TIME else native.time_text(instant)


class CommandStep(native.Closable):
    """A command at one moment, and what is to be done then."""

    def __init__(self, handle: native.Handle) -> None:
        super().__init__(handle)

    @property
    def _state(self) -> S.CommandState:
        handle = self._handle
        return read.row(S.CommandState, native.core.karp_step_state, handle.live())

    @property
    def phase(self) -> str:
        """Validating, Starting, Launching, Waiting, Deleting; at the end Done or GivenUp."""
        return (native.core.karp_phase_name(self._state.phase) or b'').decode('ascii')

    @property
    def method(self) -> str:
        return read.method(self._state.method)

    @property
    def reason(self) -> Optional[str]:
        """The code of why it was given up."""
        code = self._state.reason
        return read.reason(code) if code else None

    @property
    def savings(self) -> float:
        """$/h."""
        return float(self._state.savings)

    @property
    def decided(self) -> Optional[str]:
        return _time(self._state.decided)

    @property
    def validate_at(self) -> Optional[str]:
        """None: it is not validated."""
        return _time(self._state.validate_at)

    @property
    def started(self) -> Optional[str]:
        """Since when it is in progress."""
        return _time(self._state.started)

    @cached_property
    def nodes(self) -> Tuple[CommandNode, ...]:
        """Those that go; those that stay after all are dropped."""
        handle, state = self._handle, self._state
        found = tuple(CommandNode(native.text(n.node), native.text(n.claim)) for n in read.array(S.CommandNode, state.nodes, state.node_count))
        handle.live()
        return found

    @cached_property
    def replacements(self) -> Tuple[Replacement, ...]:
        handle, state = self._handle, self._state
        found = tuple(_replacement(r) for r in read.array(S.Replacement, state.replacements, state.replacement_count))
        handle.live()
        return found

    @cached_property
    def receivers(self) -> Tuple[str, ...]:
        """Existing nodes that receive pods."""
        handle, state = self._handle, self._state
        found = read.strings(state.receivers, state.receiver_count)
        handle.live()
        return found

    @cached_property
    def actions(self) -> Tuple[Action, ...]:
        """What to do, in this order. All but the creation of NodeClaims may be repeated without harm."""
        handle = self._handle
        advice = native.core.karp_step_advice(handle.live())
        rows = [read.row(S.Action, native.core.karp_advice_action, advice, i) for i in range(native.core.karp_advice_action_count(advice))]
        found = tuple(Action(read.action(raw.kind), native.text(raw.object), native.text(raw.subject),
                             native.text(raw.value), int(raw.number)) for raw in rows)
        handle.live()
        return found

    @property
    def look_again(self) -> Optional[str]:
        """When the next step is due; None: when something has changed."""
        handle = self._handle
        return _time(native.core.karp_advice_look_again(native.core.karp_step_advice(handle.live())))

    @property
    def finished(self) -> bool:
        """Done or given up."""
        handle = self._handle
        return bool(native.core.karp_advice_finished(native.core.karp_step_advice(handle.live())))

    @property
    def document(self) -> bytes:
        """The state, to be kept and given to Snapshot.step(): a Command document (docs/formats.md)."""
        state = self._state
        written = native.write(native.io.karp_write_command, C.addressof(state), format=native.FORMAT_JSON)
        self._handle.live()
        return written

    def to_dict(self) -> Dict[str, Any]:
        """The document as a dict."""
        document: Dict[str, Any] = json.loads(self.document)
        return document

    def __repr__(self) -> str:
        if self.closed:
            return '<karp.CommandStep, closed>'
        return f'<karp.CommandStep {self.phase}: {" ".join(n.node for n in self.nodes)}, {len(self.actions)} actions>'


def _replacement(raw: S.Replacement) -> Replacement:
    launch = S.Launch.from_address(raw.launch)
    return Replacement(native.text(launch.node_pool), native.text(launch.choice.instance_type), native.text(launch.choice.zone),
                       native.text(launch.choice.capacity_type),
                       read.requirements(launch.claim_requirements, launch.claim_requirement_count), native.text(raw.claim), PROGRESS[raw.progress])


def begin(decision: native.Handle, index: int) -> CommandStep:
    return CommandStep(native.make(native.core.karp_command_begin, native.core.karp_step_free, decision.live(), index))


def step(snapshot: int, command: Union[CommandStep, bytes, Mapping[str, Any]], observed: Iterable[Observation],
         options: S.DisruptOptions) -> CommandStep:
    """The next step; the caller has the snapshot and what `options` points to."""
    seen: List[Tuple[S.Str, bytes]] = []
    rows = []
    for each in observed:
        if each.kind not in OBSERVED:
            raise ValueError(f'observed {each.kind!r}: one of {", ".join(OBSERVED)} is wanted')
        if not 0 <= each.number < 2**32:
            raise ValueError(f'observed number {each.number}: the index of a replacement is wanted')
        seen.append(native.lend(each.object))
        rows.append(S.Observation(1 + OBSERVED.index(each.kind), each.number, seen[-1][0]))
    array = (S.Observation * len(rows))(*rows)
    if isinstance(command, CommandStep):
        kept, state = command._handle, command._state
    else:
        kept, state = _read(command)
    made = CommandStep(native.make(native.core.karp_command_step, native.core.karp_step_free, snapshot, C.byref(state), C.byref(options),
                                   C.addressof(array) if rows else None, len(rows)))
    del kept, seen  # whose texts the call has read
    return made


def _read(command: Union[bytes, Mapping[str, Any]]) -> Tuple[native.Handle, S.CommandState]:
    text = command if isinstance(command, bytes) else json.dumps(command).encode()
    (name, _name), (lent, _text) = native.lend('command'), native.lend(text)
    with native.Context() as context:
        handle = native.make(native.io.karp_command_read, native.io.karp_command_document_free, context.address, name, lent)
    return handle, S.CommandState.from_address(native.io.karp_command_document_state(handle.address))
