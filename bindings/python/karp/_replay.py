# SPDX-License-Identifier: Apache-2.0
"""Weeks of a cluster's load in virtual time, under several policies (docs/replay.md)."""
from __future__ import annotations

import ctypes as C
import datetime
import json
import re
from importlib import import_module
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as native
from . import _structs as S
from ._catalogue import Catalogue, Types, catalogue as read_catalogue
from ._options import Run, Time, instant, not_negative
from ._snapshot import Source, _parts

Seconds = Union[int, float, datetime.timedelta]
TABLES = ('policies', 'series')


class Progress(NamedTuple):
    """How far a replay has come. `now` is an instant of the trace, `done` its share of the whole, from 0 to 1."""
    policy: str
    now: datetime.datetime
    done: float
    nodes: int
    pods: int


class Frame:
    """Columns of equal length, by name."""

    def __init__(self, columns: Mapping[str, List[Any]]) -> None:
        self.columns = dict(columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, name: str) -> List[Any]:
        return self.columns[name]

    def rows(self) -> List[Dict[str, Any]]:
        return [dict(zip(self.columns, values)) for values in zip(*self.columns.values())]

    def to_dict(self) -> Dict[str, List[Any]]:
        """{name: list of values}"""
        return {name: list(values) for name, values in self.columns.items()}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        return import_module('pandas').DataFrame(self.columns)

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        return import_module('polars').DataFrame(self.columns)

    def to_arrow(self) -> Any:
        """A pyarrow.Table: pyarrow.parquet.write_table() makes a Parquet file of it."""
        return import_module('pyarrow').table(self.columns)

    def to_parquet(self, path: Any) -> None:
        """Writes a Parquet file. Needs pyarrow."""
        import_module('pyarrow.parquet').write_table(self.to_arrow(), path)

    def __repr__(self) -> str:
        return f'<karp.Frame of {len(self)} rows: {", ".join(self.columns)}>'


def _snake(name: str) -> str:
    return re.sub('[A-Z]', lambda match: '_' + match.group().lower(), name)


class Replay:
    """What each policy would have cost, and what the pods would have felt of it. Plain data: it may be pickled."""

    def __init__(self, document: str) -> None:
        self._json = document
        self._read: Dict[str, Any] = json.loads(document)

    @property
    def policies(self) -> Tuple[str, ...]:
        return tuple(policy['policy'] for policy in self._read['policies'])

    @property
    def notes(self) -> int:
        """How many events were left out because they contradict others (lenient=True)."""
        return int(self._read['notes'])

    def table(self, name: str = 'policies') -> Frame:
        """'policies': a row for each, with its dollars, launches, evictions, …; 'series': a row for each policy and point of
        time (seconds since 1970). docs/replay.md has the columns, which are in snake case here."""
        if name not in TABLES:
            raise ValueError(f'no table {name!r}: one of {", ".join(TABLES)} is wanted')
        columns: Dict[str, List[Any]] = {}
        for policy in self._read['policies']:
            row: Dict[str, List[Any]] = {}
            for key, value in policy.items():
                if key == 'pendingSeconds':
                    row.update((f'pending_{_snake(part)}', [seconds]) for part, seconds in value.items())
                elif key == 'repack':
                    row.update((f'repack_{_snake(part)}', [figure]) for part, figure in value.items() if isinstance(figure, (int, float)))
                elif key == 'disruptions':
                    row['disruptions'] = [sum(value.values())]
                elif key != 'series':
                    row[_snake(key)] = [value]
            if name == 'series':
                row = {_snake(key): values for key, values in policy['series'].items()}
                row = {'policy': [policy['policy']] * len(row['time']), **row}
            for key, values in row.items():
                columns.setdefault(key, []).extend(values)
        return Frame(columns)

    def to_pandas(self, name: str = 'policies') -> Any:
        """A table as a pandas.DataFrame."""
        return self.table(name).to_pandas()

    def to_polars(self, name: str = 'policies') -> Any:
        """A table as a polars.DataFrame."""
        return self.table(name).to_polars()

    def to_json(self) -> str:
        """The document that `karp replay -o json` writes."""
        return self._json

    def to_dict(self) -> Dict[str, Any]:
        """That document as dicts and lists."""
        document: Dict[str, Any] = json.loads(self._json)
        return document

    def __repr__(self) -> str:
        costs = ', '.join(f'{policy["policy"]} ${policy["dollars"]:.2f}' for policy in self._read['policies'])
        return f'<karp.Replay: {costs}>'


def _nanoseconds(value: Seconds, what: str) -> int:
    if isinstance(value, datetime.timedelta):
        found = (value.days * 86400 + value.seconds) * 10**9 + value.microseconds * 1000
    else:
        found = value * 10**9 if isinstance(value, int) else round(value * 1e9)
    if not 0 <= found < 2**63:
        raise ValueError(f'{what}={value!r}: a duration of at least 0 is wanted')
    return found


class _Lent:
    """Arrays for a call, with all that they point to."""

    def __init__(self) -> None:
        self.kept: List[Any] = []

    def text(self, value: Union[str, bytes]) -> S.Str:
        lent, data = native.lend(value)
        self.kept.append(data)
        return lent

    def array(self, kind: Any, items: Sequence[Any]) -> Optional[int]:
        made = (kind * len(items))(*items)
        self.kept.append(made)
        return C.addressof(made) if items else None

    def documents(self, source: Source) -> Tuple[Optional[int], int]:
        made = [S.ReplayDocument(self.text(native.path_bytes(part))) if isinstance(part, str)
                else S.ReplayDocument(self.text(part[0]), self.text(part[1])) for part in _parts(source)]
        return self.array(S.ReplayDocument, made), len(made)


def _reporter(run: Run, progress: Callable[[Progress], object]) -> Any:
    def report(raw: Any, user: object) -> None:
        if run._raised is not None:
            return
        try:
            at = raw.contents
            progress(Progress(native.text(at.policy), datetime.datetime.fromtimestamp(at.now / 1e9, datetime.timezone.utc),
                              (at.now - at.begins) / max(1, at.ends - at.begins), at.nodes, at.pods))
        except BaseException as raised:  # it belongs to the caller, not into a C frame
            run._raised = raised
    return S.ReplayReport(report)


def replay(traces: Source, *, objects: Source = (), replace: Source = (), policies: Union[str, Sequence[str]] = ('karpenter',), format: str = '',
           catalogue: Union[None, Catalogue, Types] = None, region: str = '',
           until: Union[None, Time, datetime.timedelta] = None, step: Seconds = 0, seed: int = 0,
           boot: Optional[Seconds] = None, boot_jitter: Optional[Seconds] = None, disruption_interval: Seconds = 0, initialization: Seconds = 0,
           interruptions: Union[float, Mapping[str, float]] = 0.0, most_allocated: bool = False, lenient: bool = False,
           repack: Optional[Source] = None, as_planned: bool = False, feature_gates: str = '',
           scheduler: str = '', scheduler_minor: int = 0, scheduler_config: Optional[Source] = None,
           progress: Optional[Callable[[Progress], object]] = None,
           should_stop: Optional[Callable[[], object]] = None) -> Replay:
    """Replays traces (paths, documents as bytes, stories as dicts) under each of the policies: what `karp replay` does, with
    the same options. `objects` are there from the start; those in `replace` stand for the ones of their names.

    Durations are seconds or timedeltas; 0 and None are the defaults of docs/replay.md. `until` is an instant, or a timedelta from
    the trace's beginning. `interruptions` of a spot node per hour: a number, or one for each instance type, with '' for all
    others. `repack` is a RepackPlan that is carried out, without traces too; `as_planned` puts pods where it says.
    `scheduler` is "kube-scheduler", of version 1.`scheduler_minor` (0 = 36) and with its `scheduler_config`, or "simple".
    `feature_gates` are Karpenter's, as in "NodeOverlay=true,StaticCapacity=true". `progress` is called with a Progress about a hundred times a policy; what it raises ends the replay.
    """
    if isinstance(policies, str):
        policies = (policies,)
    if not policies:
        raise ValueError('at least one policy is wanted')
    rates = interruptions if isinstance(interruptions, Mapping) else {'': interruptions} if interruptions else {}
    types = catalogue if catalogue is None or isinstance(catalogue, Catalogue) else read_catalogue(catalogue)
    lent = _Lent()
    options = S.ReplayOptions()
    native.io.karp_replay_options_init(C.byref(options), C.sizeof(options))
    options.traces, options.trace_count = lent.documents(traces)
    options.objects, options.object_count = lent.documents(objects)
    options.replaced, options.replaced_count = lent.documents(replace)
    options.format, options.region = lent.text(format), lent.text(region)
    options.policies = lent.array(S.Str, [lent.text(name) for name in policies])
    options.policy_count = len(policies)
    if isinstance(until, datetime.timedelta):
        options.until_after = _nanoseconds(until, 'until')
    elif until is not None:
        options.until = instant(until)
    options.step, options.seed = _nanoseconds(step, 'step'), not_negative(seed, 'seed')
    if boot is not None:
        options.boot = _nanoseconds(boot, 'boot')
    if boot_jitter is not None:
        options.boot_jitter = _nanoseconds(boot_jitter, 'boot_jitter')
    options.disruption_interval = _nanoseconds(disruption_interval, 'disruption_interval')
    options.initialization = _nanoseconds(initialization, 'initialization')
    # The last row that fits counts, so that the rate of all others comes first.
    rows = [S.ReplayInterruption(lent.text(name), lent.text(''), rates[name]) for name in sorted(rates)]
    options.interruptions, options.interruption_count = lent.array(S.ReplayInterruption, rows), len(rows)
    options.most_allocated, options.lenient = int(most_allocated), int(lenient)
    if repack is not None:
        options.repack, count = lent.documents(repack)
        if count != 1:
            raise ValueError('one repack plan is wanted')
    options.as_planned = int(as_planned)
    options.feature_gates = lent.text(feature_gates)
    options.scheduler, options.scheduler_minor = lent.text(scheduler), not_negative(scheduler_minor, 'scheduler_minor')
    if scheduler_config is not None:
        options.scheduler_config, count = lent.documents(scheduler_config)
        if count != 1:
            raise ValueError('one configuration of kube-scheduler is wanted')
    if progress is not None and should_stop is None:
        should_stop = bool  # False, so that there is somebody to say that progress() raised
    with Run(should_stop=should_stop) as run:
        options.decision = C.addressof(run.options)
        if progress is not None:
            options.progress = _reporter(run, progress)
        options.catalogue = types._handle.live() if types is not None else None
        document = native.write(native.io.karp_replay, C.addressof(options), format=native.FORMAT_JSON)
    return Replay(document.decode('utf-8'))
