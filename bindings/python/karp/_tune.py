# SPDX-License-Identifier: Apache-2.0
"""Searches designs of NodePools: what other requirements, consolidation, budgets and limits would cost (docs/tune.md)."""
from __future__ import annotations

import ctypes as C
import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _native as native
from . import _structs as S
from ._catalogue import Catalogue, Types, catalogue as read_catalogue
from ._compare import ALL
from ._errors import LibraryError
from ._options import not_negative
from ._replay import Frame, Seconds, _Lent, _nanoseconds, _snake, replay
from ._snapshot import Source, _read
from ._version import __version__

NOT_FOUND, STATE = -8, -10


class Tuning:
    """The designs that were tried, and which of them are worth a look. Plain data: it may be pickled."""

    def __init__(self, document: bytes, page: bytes, pools: Sequence[bytes]) -> None:
        self._json, self._page = document.decode('utf-8'), page.decode('utf-8')
        self._read: Dict[str, Any] = json.loads(self._json)
        self._pools = tuple(text.decode('utf-8') for text in pools)

    @property
    def best(self) -> int:
        """The number of the best design; 0, the input as it is, if no other is better, or none is within the caps."""
        return int(self._read['best'])

    @property
    def designs(self) -> List[Dict[str, Any]]:
        """What docs/formats.md says of each, by number."""
        found: List[Dict[str, Any]] = self._read['designs']
        return found

    def pools(self, design: Optional[int] = None) -> str:
        """The NodePools that the design changes (the best one's without a number), as YAML for kubectl apply; "" if it changes none."""
        return self._pools[self.best if design is None else design]

    def table(self) -> Frame:
        """A row for each design: its number, its changes as text, and its figures, in snake case."""
        rows = [{_snake(key): value if key != 'changes' else ', '.join(f'{c["nodePool"]}{c["nodePool"] and ": "}{c["name"]} {c["value"]}' for c in value)
                 for key, value in design.items()} for design in self.designs]
        return Frame({key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)})

    def to_json(self) -> str:
        """The document that `karp tune -o json` writes."""
        return self._json

    def to_dict(self) -> Dict[str, Any]:
        """That document as dicts and lists."""
        document: Dict[str, Any] = json.loads(self._json)
        return document

    def to_html(self) -> str:
        """The page that `karp tune -o html` writes."""
        return self._page

    def __repr__(self) -> str:
        return f'<karp.Tuning of {len(self.designs)} designs, the best is {self.best}>'


def _replayed(task: Tuple[str, Source, Source, bytes, Dict[str, Any]]) -> Tuple[str, str]:
    """What a worker does: plain values in, plain values out."""
    version, traces, objects, pools, options = task
    if version != __version__:
        raise LibraryError(f'karp {version} searches, but this worker has karp {__version__}: results would not compare')
    return __version__, replay(traces, objects=objects, replace=[pools] if pools else (), **options).to_json()


def _pools_of(tune: native.Handle, design: int) -> bytes:
    out = S.Text()
    native.call(native.io.karp_tune_pools, tune.address, design, C.byref(out))
    return native.take_text(out)


def _ready(tune: native.Handle) -> List[int]:
    """The next designs, until one depends on results that are not there."""
    found: List[int] = []
    design = C.c_size_t()
    while True:
        status = native.io.karp_tune_next_ready(tune.address, C.byref(design))
        if status in (NOT_FOUND, STATE):
            return found
        native.check(status)
        found.append(design.value)


def _replay_all(tune: native.Handle, traces: Source, objects: Source, executor: Any, options: Dict[str, Any]) -> None:
    while True:
        designs = _ready(tune)
        if not designs:
            return
        tasks = [(__version__, traces, objects, _pools_of(tune, design), options) for design in designs]
        for design, (version, result) in zip(designs, executor.map(_replayed, tasks)):
            if version != __version__:
                raise LibraryError(f'a worker has karp {version}, not {__version__}: results do not compare')
            lent, kept = native.lend(result)
            native.call(native.io.karp_tune_set_replay, tune.address, design, lent)
            del kept


def _settle_all(tune: native.Handle) -> None:
    options, tried = S.SettleOptions(), C.c_size_t(1)
    native.core.karp_settle_options_init(C.byref(options), C.sizeof(options))
    options.disrupt = ALL
    while tried.value:
        native.call(native.io.karp_tune_settle, tune.address, C.byref(options), C.byref(tried))
    native.call(native.io.karp_tune_floor, tune.address, None, C.byref(C.c_double()))


def tune(objects: Source, *, axes: Sequence[str] = (), caps: Sequence[str] = (), designs: int = 0, seed: int = 0,
         traces: Optional[Source] = None, restart_loss: Seconds = 0, loads: Sequence[float] = (), image_architectures: str = '', executor: Any = None,
         catalogue: Union[None, Catalogue, Types] = None, region: str = '', **options: Any) -> Tuning:
    """Searches for NodePools that cost less: what `karp tune` does, with the same words for `axes` and `caps`.

    Without `traces` each design of the NodePools in `objects` is settled, by threads. With them it is replayed, with the `options` of
    karp.replay(), by an `executor` with map(): of concurrent.futures, a multiprocessing Pool, dask's client.get_executor(pure=False),
    ray.util.multiprocessing.Pool; threads without one. The result is the same, whatever the executor. `loads` are factors of the pods that settled
    designs are judged by, `image_architectures` is the table of that option, as text.
    """
    if traces is None and (executor is not None or options or restart_loss):
        raise ValueError('an executor, restart_loss and options of replays are for traces')
    if 'policies' in options and not isinstance(options['policies'], str):
        raise ValueError('one policy is wanted')
    types = catalogue if catalogue is None or isinstance(catalogue, Catalogue) else read_catalogue(catalogue)
    world = _read(objects, [types] if types is not None else [], None, False, region, '', '')
    lent, how = _Lent(), S.TuneOptions()
    native.io.karp_tune_options_init(C.byref(how), C.sizeof(how))
    how.axes, how.axis_count = lent.array(S.Str, [lent.text(axis) for axis in axes]), len(axes)
    how.caps, how.cap_count = lent.array(S.Str, [lent.text(cap) for cap in caps]), len(caps)
    how.most_designs, how.seed = not_negative(designs, 'designs'), not_negative(seed, 'seed')
    if image_architectures:
        how.image_architectures = lent.text(image_architectures)
    how.loads, how.load_count = lent.array(C.c_double, loads), len(loads)
    how.restart_loss, how.replay = _nanoseconds(restart_loss, 'restart_loss'), int(traces is not None)
    with native.Context(threads=True) as context:
        search = native.make(native.io.karp_tune_new, native.io.karp_tune_free, context.address, world.reader.address, C.byref(how))
        if traces is None:
            _settle_all(search)
        else:
            _replay(search, traces, objects, executor, {**options, 'catalogue': types, 'region': region, 'seed': seed})
    document = native.write(native.io.karp_write_tune, search.address, format=native.FORMAT_JSON, warnings=world.warnings)
    page = native.write(native.io.karp_write_tune, search.address, format=native.FORMAT_HTML, warnings=world.warnings)
    return Tuning(document, page, [_pools_of(search, i) for i in range(native.io.karp_tune_design_count(search.address))])


def _replay(search: native.Handle, traces: Source, objects: Source, executor: Any, options: Dict[str, Any]) -> None:
    """Streams are read once; a Catalogue is shared by threads, and pickled for others."""
    if executor is not None:
        _replay_all(search, traces, objects, executor, options)
        return
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        _replay_all(search, traces, objects, threads, options)
