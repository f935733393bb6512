# SPDX-License-Identifier: Apache-2.0
"""The options of decisions, and how one is stopped: by a function of the caller, or by Ctrl-C."""
from __future__ import annotations

import ctypes as C
import datetime
import signal
import threading
from types import FrameType
from typing import Callable, Optional, Union

from . import _native as native
from . import _structs as S

Time = Union[str, int, datetime.datetime]
Stop = Callable[[], object]

def _profiles() -> 'tuple[str, ...]':
    found: 'list[str]' = []
    while (name := native.core.karp_profile_at(len(found))) is not None:
        found.append(name.decode('ascii'))
    return tuple(found)


PROFILES = _profiles()
CLAIM_ORDERS = ('default', 'peer', 'stable')
EXPLAIN = ('summary', 'none', 'full')
OBJECTIVES = ('compatible', 'cost')
PREFERENCES = ('respect', 'ignore')
PRICE_SLACK, IGNORE_PREFERENCES, IGNORE_WEIGHTS = 1, 2, 4
EFFORTS = {'10ms': 10000, '100ms': 100000, '1s': 1000000, '10s': 10000000}
OF_PASS = 1


def _methods() -> 'dict[str, int]':
    found: 'dict[str, int]' = {}
    number = 1
    while (name := native.core.karp_method_name(number)) != b'':
        if native.core.karp_method_flags(number) & OF_PASS:
            found[name.decode('ascii')] = number
        number += 1
    return found


METHODS = _methods()
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def instant(value: Time) -> int:
    """Nanoseconds since 1970: of RFC 3339 text, of a datetime with a time zone, or as they are."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError('a datetime needs a time zone here')
        since = value - EPOCH
        nanoseconds = ((since.days * 86400 + since.seconds) * 10**6 + since.microseconds) * 1000
    elif isinstance(value, str):
        out = C.c_int64()
        lent, kept = native.lend(value)
        if native.core.karp_time_parse(lent, C.byref(out)):
            raise ValueError(f'{value!r} is not a time like 2026-11-21T10:00:00Z')
        nanoseconds = out.value
    else:
        nanoseconds = value
    if not -2**63 < nanoseconds < 2**63:
        raise ValueError('a time between the years 1678 and 2261 is wanted')
    return nanoseconds or 1  # zero would mean "not given"; a nanosecond later is the same to every rule


def one_of(value: str, words: 'tuple[str, ...]', what: str) -> int:
    if value not in words:
        raise ValueError(f'{what}={value!r}: one of {", ".join(words)} is wanted')
    return words.index(value)


def profile_of(name: str) -> 'tuple[int, int]':
    """The profile's number, and the version of Karpenter."""
    one_of(name, PROFILES, 'profile')
    profile, version = C.c_uint32(), C.c_uint32()
    lent, _kept = native.lend(name)
    native.core.karp_profile_parse(lent, C.byref(profile), C.byref(version))
    return profile.value, version.value


def not_negative(value: int, what: str) -> int:
    if not 0 <= value < 2**64:
        raise ValueError(f'{what}={value!r}: a number of at least 0 is wanted')
    return value


def steps_of(effort: Union[int, str]) -> int:
    if isinstance(effort, str) and effort not in EFFORTS:
        raise ValueError(f'effort={effort!r}: a number of steps, or one of {", ".join(EFFORTS)} is wanted')
    return not_negative(EFFORTS[effort] if isinstance(effort, str) else effort, 'effort')


class Run:
    """with Run(...) as run: the options of one call, and the ways to stop it.

    The library asks every so often whether to stop. What the caller's function raises is raised again when the call is over.
    In the main thread Ctrl-C stops the call: while it lasts, SIGINT is only noted, for an exception in the middle of a
    callback would be lost.
    """

    def __init__(self, *, now: Optional[Time] = None, profile: str = 'karpenter', explain: str = 'summary',
                 claim_order: str = 'default', max_steps: int = 0, keep_partial: bool = True, should_stop: Optional[Callable[[], object]] = None) -> None:
        self.options = S.Options()
        native.core.karp_options_init(C.byref(self.options), C.sizeof(self.options))
        self.options.now = instant(now) if now is not None else 0
        self.options.profile, self.options.peer_version = profile_of(profile)
        self.options.explain = one_of(explain, EXPLAIN, 'explain')
        self.options.claim_order = one_of(claim_order, CLAIM_ORDERS, 'claim_order')
        self.options.max_steps = not_negative(max_steps, 'max_steps')
        self.options.keep_partial = int(keep_partial)
        self._should_stop = should_stop
        self._raised: Optional[BaseException] = None
        self._interrupted = False
        self._watching = False
        if should_stop is not None and not callable(should_stop):
            raise TypeError('should_stop is a function without parameters')

    def aim(self, objective: str, effort: Union[int, str], node_cost: float, spot_factor: float = 1, price_slack: Optional[float] = None,
            preferences: str = 'respect', ignore_weights: bool = False) -> None:
        """What a launch decision aims at."""
        if not spot_factor > 0:
            raise ValueError(f'spot_factor={spot_factor!r}: a number above 0 is wanted')
        self._objective = S.Objective()
        native.core.karp_objective_init(C.byref(self._objective), C.sizeof(self._objective))
        self._objective.kind = one_of(objective, OBJECTIVES, 'objective')
        self._objective.effort = steps_of(effort)
        self._objective.node_cost, self._objective.spot_factor = node_cost, spot_factor
        if price_slack is not None:
            self._objective.price_slack = price_slack
        self._objective.flags = ((PRICE_SLACK if price_slack is not None else 0)
                                 + (IGNORE_PREFERENCES if one_of(preferences, PREFERENCES, 'preferences') else 0)
                                 + (IGNORE_WEIGHTS if ignore_weights else 0))
        self.options.objective = C.addressof(self._objective)

    def disrupt(self, method: Optional[str], max_simulations: int) -> S.DisruptOptions:
        out = S.DisruptOptions()
        native.core.karp_disrupt_options_init(C.byref(out), C.sizeof(out))
        out.common = C.addressof(self.options)  # this run outlives the call
        out.method = 0 if method is None else METHODS[tuple(METHODS)[one_of(method, tuple(METHODS), 'method')]]
        out.max_simulations = not_negative(max_simulations, 'max_simulations')
        return out

    def __enter__(self) -> 'Run':
        self._watching = (threading.current_thread() is threading.main_thread()
                          and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        if self._watching:
            signal.signal(signal.SIGINT, self._note)
        if self._watching or self._should_stop is not None:
            self._callback = S.ShouldStop(self._poll)
            self.options.should_stop = self._callback
        return self

    def _note(self, number: int, frame: Optional[FrameType]) -> None:
        self._interrupted = True

    def _poll(self, user: object) -> int:
        if self._raised is None and not self._interrupted and self._should_stop is not None:
            try:
                return int(bool(self._should_stop()))
            except BaseException as raised:  # it belongs to the caller, not into a C frame
                self._raised = raised
        return int(self._interrupted or self._raised is not None)

    def __exit__(self, kind: Optional[type], *_: object) -> None:
        if self._watching:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._raised is not None:
            raise self._raised
        if self._interrupted:
            raise KeyboardInterrupt
