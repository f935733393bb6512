# SPDX-License-Identifier: Apache-2.0
"""A cluster as it is at one instant, and the questions that can be asked about it."""
from __future__ import annotations

import ctypes as C
import functools
import json
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload

from . import _native as native
from . import _read as read
from . import _structs as S
from ._admit import Admission
from ._admit import options as admit_options
from ._catalogue import Catalogue, Types, catalogue as read_catalogue
from ._command import CommandStep, Observation, step
from ._compare import Diff, Settlement, diff, settle, settlement
from ._decision import DisruptionPlan, Plan, RepackPlan
from ._digest import Digest
from ._errors import ClosedError, LibraryError
from ._explain import NodeExplanation, PodExplanation, Verification, findings
from ._frames import Table, table
from ._options import Run, Stop, Time, instant, profile_of
from ._provider import Provider
from ._version import __version__
from .objects import Object

Part = Union[str, 'os.PathLike[str]', bytes, Mapping[str, Any], Object]
Source = Union[Part, Sequence[Part]]
Catalogues = Union[Catalogue, Types, Sequence[Catalogue]]


class Counts(NamedTuple):
    """What a snapshot holds. `pod_classes`: kinds of pods that no decision can tell apart."""
    pods: int
    pods_to_place: int
    pod_classes: int
    nodes: int
    node_pools: int
    instance_types: int
    offerings: int


class _World:
    """The snapshot with the reader that made it. Shared by what was unpickled from the same bytes."""

    def __init__(self, snapshot: native.Handle, reader: native.Handle, queued: bool) -> None:
        self.snapshot, self.reader, self.queued = snapshot, reader, queued
        self.warnings = native.notes(reader)
        self.lock = threading.Lock()  # a reader is for one thread at a time
        self.dump = functools.partial(_dump, reader, self.lock)
        self.digest = Digest(self.dump)


def _dump(reader: native.Handle, lock: threading.Lock) -> bytes:
    """(No method: it is held by the digest, which the world holds.)"""
    out = S.Text()
    with lock:
        native.call(native.io.karp_reader_dump, reader.address, C.byref(out))
    return native.take_text(out)


def _objects(mappings: Sequence[Mapping[str, Any]]) -> bytes:
    if len(mappings) == 1:
        return json.dumps(mappings[0]).encode()
    return json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(mappings)}).encode()


def _parts(source: Source) -> List[Union[Tuple[str, bytes], str]]:
    """What the reader is given one after the other: paths, and documents with names for errors. Neighbouring objects
    become one list."""
    given: Sequence[Part] = [source] if isinstance(source, (str, bytes, os.PathLike, Mapping, Object)) else source
    parts: List[Union[Tuple[str, bytes], str]] = []
    together: List[Mapping[str, Any]] = []
    for part in given:
        if isinstance(part, (Mapping, Object)):
            together.append(part.manifest() if isinstance(part, Object) else part)
            continue
        if together:
            parts.append(('objects', _objects(together)))
            together = []
        if isinstance(part, (bytes, bytearray, memoryview)):
            parts.append(('input', bytes(part)))
        elif isinstance(part, (str, os.PathLike)):
            parts.append(os.fspath(part))
        else:
            raise TypeError(f'a path, bytes, a dict, an object of karp.objects, or a list of them is wanted, not {type(part).__name__}')
    if together:
        parts.append(('objects', _objects(together)))
    return parts


def _give(reader: native.Handle, source: Source, path_call: Any, text_call: Any) -> None:
    """Every part of the source to one of the reader's calls."""
    for part in _parts(source):
        if isinstance(part, str):
            native.call(path_call, reader.address, native.path_bytes(part))
        else:
            name, kept_name = native.lend(part[0])
            document, kept_document = native.lend(part[1])
            native.call(text_call, reader.address, name, document)


@dataclass(frozen=True)
class _Edits:
    """Changes that are applied to what was read."""
    apply: Optional[Source]
    delete: Sequence[str]
    scale: Mapping[str, int]

    def make(self, reader: native.Handle) -> None:
        if self.apply is not None:
            _give(reader, self.apply, native.io.karp_reader_replace_path, native.io.karp_reader_replace)
        for name in self.delete:
            lent, kept = native.lend(name)
            native.call(native.io.karp_reader_delete, reader.address, lent)
        for name, replicas in self.scale.items():
            lent, kept = native.lend(name)
            if replicas < 0:
                raise ValueError(f'{name}: {replicas} replicas')
            native.call(native.io.karp_reader_scale, reader.address, lent, replicas)


def _read(source: Source, catalogues: Sequence[Catalogue], now: Optional[Time], strict: bool, region: str, provider: Union[str, Provider],
          base_directory: str, edits: Optional[_Edits] = None, queued: bool = False, peer_version: int = 0) -> _World:
    options = S.ReaderOptions()
    native.io.karp_reader_options_init(C.byref(options), C.sizeof(options))
    options.strict, options.keep_documents, options.editable = int(strict), 1, int(edits is not None)
    options.now, options.queued = instant(now) if now is not None else 0, int(queued)
    options.peer_version = peer_version
    options.region, kept_region = native.lend(region)
    options.provider, kept_provider = native.lend(provider if isinstance(provider, str) else '')
    options.base_directory, kept_directory = native.lend(base_directory)
    with native.Context() as context:
        opened = None if isinstance(provider, str) else provider._open(context)
        free: Callable[[int], None] = native.io.karp_reader_free
        if opened is not None:
            free = native.first(free, opened)
        reader = native.make(native.io.karp_reader_new, free, context.address, C.byref(options))
        if opened is not None:
            native.call(native.io.karp_reader_set_provider, reader.address, opened.address)
        for each in catalogues:
            native.call(native.io.karp_reader_add_catalogue, reader.address, each._handle.live())
        _give(reader, source, native.io.karp_reader_add_path, native.io.karp_reader_add)
        if edits is not None:
            edits.make(reader)
        snapshot = native.make(native.io.karp_reader_finish, native.core.karp_snapshot_unref, reader.address)
    return _World(snapshot, reader, queued)


def load(source: Source, *, catalogue: Optional[Catalogues] = None, now: Optional[Time] = None, strict: bool = False,
         region: str = '', provider: Union[str, Provider] = '', base_directory: Union[str, 'os.PathLike[str]'] = '',
         queued: bool = False, profile: str = 'karpenter') -> 'Snapshot':
    """Reads a cluster: Kubernetes objects, workloads, Lists, Snapshots.

    `source` is a path (a file, a directory, "-" for standard input), a document as bytes (YAML or JSON), an object as a dict
    or as one of karp.objects, or a list of any of them. `catalogue` gives the instance types to every NodePool: a Catalogue, what karp.catalogue() takes,
    or a list of Catalogues; without it the input's own serve, else the built-in ones of `region`. `provider`: the name of a cloud, a
    plugin's path, or a Provider, which has a region of its own. `now` is the clock where
    the input does not say; `strict` fills nothing in; `base_directory` is what relative paths in documents start from.
    `queued`: what waits for admission is read as if it were admitted, for admit(): suspended workloads, Workloads of Kueue,
    ProvisioningRequests. Such a snapshot has no document and cannot be edited or pickled. `profile`:
    an older version of Karpenter has the providers of its time; plan() and the others take it as well.
    """
    given: Sequence[Catalogue] = ()
    if isinstance(catalogue, Catalogue):
        given = [catalogue]
    elif isinstance(catalogue, Sequence) and catalogue and all(isinstance(each, Catalogue) for each in catalogue):
        given = [each for each in catalogue if isinstance(each, Catalogue)]
    elif catalogue is not None:
        given = [read_catalogue(catalogue)]  # type: ignore[arg-type]  # not a list of Catalogues: seen above
    return Snapshot(_read(source, given, now, strict, region, provider, os.fspath(base_directory), queued=queued,
                          peer_version=profile_of(profile)[1]))


class Snapshot:
    """A cluster at one instant; immutable, and usable from several threads at once.

    It pickles as one document, and a process that receives it several times reads it once.
    """

    def __init__(self, world: _World) -> None:
        self._world: Optional[_World] = world

    def _open(self) -> _World:
        world = self._world
        if world is None:
            raise ClosedError('this Snapshot is closed')
        return world

    # ---- what it is

    @property
    def closed(self) -> bool:
        return self._world is None

    def close(self) -> None:
        """Gives the memory back, as soon as no call uses it. Decisions made from it stay. Can be called again."""
        world, self._world = self._world, None
        if world is not None and world.digest.shown:
            str(world.digest)  # decisions that stay would hold the documents for it

    def __enter__(self) -> 'Snapshot':
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def now(self) -> str:
        """Its clock, RFC 3339."""
        world = self._open()
        return native.time_text(native.core.karp_snapshot_now(world.snapshot.address))

    @property
    def sha256(self) -> str:
        """Of the canonical document, dump(): equal for equal input, however it was spelt."""
        return str(self._open().digest)

    @property
    def warnings(self) -> Tuple[str, ...]:
        """Notes on what was read: unknown kinds, fields without effect."""
        return self._open().warnings

    @property
    def counts(self) -> Counts:
        world = self._open()
        raw = S.SnapshotCounts(size=C.sizeof(S.SnapshotCounts))
        native.core.karp_snapshot_get_counts(world.snapshot.address, C.byref(raw))
        return Counts(*(int(getattr(raw, name)) for name in Counts._fields))

    @property
    def pods(self) -> Tuple[str, ...]:
        """All pods, "namespace/name", in the order of the input."""
        world, name = self._open(), native.core.karp_snapshot_pod_name
        return tuple(native.text(name(world.snapshot.address, i)) for i in range(self.counts.pods))

    @property
    def nodes(self) -> Tuple[str, ...]:
        """The nodes the scheduler knows, by name."""
        world, name = self._open(), native.core.karp_snapshot_node_name
        return tuple(native.text(name(world.snapshot.address, i)) for i in range(self.counts.nodes))

    def table(self, name: str = 'pods') -> Table:
        """Whole columns: pods or nodes (docs/columns.md)."""
        world = self._open()
        return table(native.core.karp_snapshot_table, world.snapshot.address, (('pods', 101), ('nodes', 102)), name)

    def to_pandas(self, name: str = 'pods') -> Any:
        """A table as a pandas.DataFrame."""
        return self.table(name).to_pandas()

    def to_polars(self, name: str = 'pods') -> Any:
        """A table as a polars.DataFrame."""
        return self.table(name).to_polars()

    def dump(self) -> bytes:
        """The canonical Snapshot, as JSON: the whole input in one document, catalogues included. load() reads it."""
        world = self._open()
        if world.queued:
            raise ValueError('a snapshot that was loaded with queued=True has no document: what it asks about exists in it alone')
        return world.dump()

    def __repr__(self) -> str:
        if self.closed:
            return '<karp.Snapshot, closed>'
        counts = self.counts
        return f'<karp.Snapshot {counts.pods} pods ({counts.pods_to_place} to place), {counts.nodes} nodes, {self.now}>'

    def __reduce__(self) -> Tuple[object, ...]:
        world = self._open()
        if world.queued:
            self.dump()  # says why there is none
        digest = str(world.digest)
        return _unpickle, (__version__, digest, _document(digest, world))

    # ---- changes

    def edit(self, *, apply: Optional[Source] = None, delete: Union[str, Iterable[str]] = (), scale: Optional[Mapping[str, int]] = None,
             now: Optional[Time] = None) -> 'Snapshot':
        """A snapshot of this one's objects with changes; this one stays as it is.

        `apply`: objects that come, as load() takes them; one of the same kind, namespace and name gives way, and a workload's pods
        follow. `delete`: "KIND/NAME" or "KIND/NAMESPACE/NAME", with what a cluster would delete along with it. `scale`: another
        number of replicas for each "NAME", "KIND/NAME" or "KIND/NAMESPACE/NAME" of a workload. In this order.
        """
        edits = _Edits(apply, [delete] if isinstance(delete, str) else list(delete), dict(scale or {}))
        return Snapshot(_read(self.dump(), (), now, False, '', '', '', edits))

    # ---- questions

    def plan(self, *, disrupt: bool = False, now: Optional[Time] = None, profile: str = 'karpenter',
             explain: str = 'summary', max_steps: int = 0, keep_partial: bool = True,
             should_stop: Optional[Stop] = None, objective: str = 'compatible', effort: Union[int, str] = '100ms',
             node_cost: float = 0, spot_factor: float = 1, price_slack: Optional[float] = None, preferences: str = 'respect',
             ignore_weights: bool = False, claim_order: str = 'default') -> Plan:
        """Which nodes to start, for which pods; which pods go to nodes that exist; which fit nowhere, and why.

        `disrupt`: also say which nodes can be removed; those that the plan gives pods stay. `profile`: 'karpenter', or 'karp' with
        its known defects off. `explain`: 'none', 'summary' or 'full'. `max_steps`: attempts to place a pod after which it stops; `should_stop` is asked now
        and then. What is stopped is marked as not complete, or with keep_partial=False a CanceledError. `claim_order`: nodes to
        launch with equally many pods are tried in the order of Karpenter ('peer') or of their last pods ('stable').
        `objective`: 'compatible' decides as Karpenter does, 'cost' for the cheapest nodes that do; then `effort` is a number of steps,
        or '10ms', '100ms', '1s' or '10s', and `node_cost` what any node costs beside its price, $/h. `spot_factor` is what prices of
        spot are multiplied by, `price_slack` how much more a listed type may cost (None: 0, and 0.15 for spot). `preferences`:
        'respect' those that Karpenter's plan keeps, or 'ignore' all; `ignore_weights`: money decides between NodePools.
        """
        world = self._open()

        def begin() -> Run:
            run = Run(now=now, profile=profile, explain=explain, max_steps=max_steps, keep_partial=keep_partial,
                      should_stop=should_stop, claim_order=claim_order)
            run.aim(objective, effort, node_cost, spot_factor, price_slack, preferences, ignore_weights)
            return run

        def settle_later(kept: native.Handle = world.snapshot) -> native.Handle:
            with begin() as run:
                return settlement(kept, run)

        with begin() as run:
            decision = native.make(native.core.karp_provision, native.core.karp_decision_unref, world.snapshot.address,
                                   C.byref(run.options))
            disruption = None
            if disrupt:
                options, names = run.disrupt(None, 0), _nominated(decision)
                options.nominated, options.nominated_count = C.addressof(names), len(names)
                disruption = self._disrupt(world, options)
        more = native.core.karp_more_rounds(world.snapshot.address, decision.address)
        return Plan(decision, world.digest.lend(), world.warnings, disruption, settle_later if more else None)

    @staticmethod
    def _disrupt(world: _World, options: S.DisruptOptions) -> DisruptionPlan:
        return DisruptionPlan(native.make(native.core.karp_disrupt, native.core.karp_decision_unref,
                                          world.snapshot.address, C.byref(options)), world.digest.lend(), world.warnings)

    def disrupt(self, *, method: Optional[str] = None, max_simulations: int = 0, expire_gracefully: bool = False,
                memory: Union[None, bytes, Mapping[str, Any]] = None, in_progress: Iterable[str] = (), now: Optional[Time] = None, profile: str = 'karpenter', explain: str = 'summary', max_steps: int = 0,
                keep_partial: bool = True, should_stop: Optional[Stop] = None, claim_order: str = 'default') -> DisruptionPlan:
        """Which nodes Karpenter would remove, and what replaces them: one disruption pass.

        `method` asks only one, such as Emptiness or MultiNodeConsolidation; without it the input's own choice, else all in
        Karpenter's order, Expiration only with `expire_gracefully`.
        `memory`: what the pass before has found, its DisruptionPlan.memory; b'' begins one. `in_progress`: nodes of commands that are
        being carried out. The other options are those of plan().
        """
        world = self._open()
        with Run(now=now, profile=profile, explain=explain, max_steps=max_steps, keep_partial=keep_partial,
                 should_stop=should_stop, claim_order=claim_order) as run:
            options = run.disrupt(method, max_simulations)
            options.expire_gracefully = int(expire_gracefully)
            if method is None:
                options.method = native.io.karp_reader_method(world.reader.address)
            lent = [native.lend(name) for name in in_progress]
            names = (S.Str * len(lent))(*(name for name, _ in lent))
            if lent:
                options.in_progress, options.in_progress_count = C.addressof(names), len(lent)
            before = S.Memory()
            document = _remember(memory, before)
            if memory is not None:
                options.memory = C.addressof(before)
            found = self._disrupt(world, options)
            del document  # whose texts `before` has shown
            return found

    def repack(self, *, max_evictions: Union[None, int, str] = None, max_steps: Optional[int] = None, min_saving: float = 0,
               min_saving_per_eviction: float = 0, ignore_budgets: bool = False, ignore_consolidate_after: bool = False,
               effort: Union[int, str] = '100ms', node_cost: float = 0, now: Optional[Time] = None, profile: str = 'karpenter',
               keep_partial: bool = True, should_stop: Optional[Stop] = None, price_slack: Optional[float] = None,
               ignore_weights: bool = False) -> RepackPlan:
        """A cheaper cluster for the same pods, in steps that each pay (docs/repack.md).

        `max_evictions`: pods that may move, or '10%' of all; `max_steps`: steps at most; `min_saving` and `min_saving_per_eviction`:
        what each step has to save, $/h. `effort`, `node_cost`, `price_slack` and `ignore_weights` as in plan().
        """
        world = self._open()
        with Run(now=now, profile=profile, explain='summary', max_steps=0, keep_partial=keep_partial,
                 should_stop=should_stop) as run:
            run.aim('cost', effort, node_cost, 1, price_slack, 'respect', ignore_weights)
            options = S.RepackOptions()
            native.core.karp_repack_options_init(C.byref(options), C.sizeof(options))
            options.common = C.addressof(run.options)
            if isinstance(max_evictions, str):
                options.max_evicted_percent = float(max_evictions.rstrip('%'))
            elif max_evictions is not None:
                options.max_evictions = max_evictions
            if max_steps is not None:
                options.max_steps = max_steps
            options.min_saving, options.min_saving_per_eviction = min_saving, min_saving_per_eviction
            options.ignore_budgets, options.ignore_consolidate_after = int(ignore_budgets), int(ignore_consolidate_after)
            decision = native.make(native.core.karp_repack, native.core.karp_decision_unref, world.snapshot.address,
                                   C.byref(options))
        return RepackPlan(decision, world.digest.lend(), world.warnings)

    def step(self, command: Union[CommandStep, bytes, Mapping[str, Any]], observed: Iterable[Observation] = (), *, in_progress: Iterable[str] = (),
             now: Optional[Time] = None, profile: str = 'karpenter', should_stop: Optional[Stop] = None) -> CommandStep:
        """One step of a command that is carried out, looked at with this snapshot, which is newer than that of the step before.

        `command`: the step before, or its document. `observed`: what became of the actions that it advised, as far as the snapshot cannot
        tell; an action that is not mentioned was done. `in_progress`: nodes of all other commands that are being carried out.
        """
        world = self._open()
        with Run(now=now, profile=profile, should_stop=should_stop) as run:
            options = run.disrupt(None, 0)
            lent = [native.lend(name) for name in in_progress]
            names = (S.Str * len(lent))(*(name for name, _ in lent))
            if lent:
                options.in_progress, options.in_progress_count = C.addressof(names), len(lent)
            return step(world.snapshot.address, command, observed, options)

    def what_if(self, *, remove: Union[str, Iterable[str]] = (), add: Optional[Source] = None,
                lose_zone: Union[str, Iterable[str]] = (), price: Union[None, float, Mapping[str, float]] = None,
                now: Optional[Time] = None, profile: str = 'karpenter', explain: str = 'summary', max_steps: int = 0,
                keep_partial: bool = True, should_stop: Optional[Stop] = None, objective: str = 'compatible', effort: Union[int, str] = '100ms',
                node_cost: float = 0, spot_factor: float = 1, price_slack: Optional[float] = None, preferences: str = 'respect',
                ignore_weights: bool = False, claim_order: str = 'default') -> Plan:
        """The plan for a cluster with all changes applied to it at once.

        `remove`: nodes that are gone. `lose_zone`: zones that are gone. `price`: a factor for all prices, or one for each
        capacity type, {'spot': 1.3}. `add`: objects that come, as load() takes them; names of nodes to remove may be among
        them. cost.before is the cost today, cost.after that after the changes, at the new prices.
        `objective` and what follows it: as in plan().
        """
        if add is not None:
            parts: List[Part] = [self.dump()]
            parts += [add] if isinstance(add, (str, bytes, os.PathLike, Mapping, Object)) else list(add)
            return load(parts).what_if(remove=remove, lose_zone=lose_zone, price=price, now=now, profile=profile,
                                       explain=explain, max_steps=max_steps, keep_partial=keep_partial,
                                       should_stop=should_stop, objective=objective, effort=effort, node_cost=node_cost,
                                       spot_factor=spot_factor, price_slack=price_slack, preferences=preferences,
                                       ignore_weights=ignore_weights, claim_order=claim_order)
        world = self._open()
        wanted = [(1, name, 0.0) for name in ([remove] if isinstance(remove, str) else remove)]
        wanted += [(2, name, 0.0) for name in ([lose_zone] if isinstance(lose_zone, str) else lose_zone)]
        if price is not None:
            factors = price if isinstance(price, Mapping) else {'': price}
            wanted += [(3, '' if name == 'all' else name, float(factor)) for name, factor in factors.items()]
        lent = [native.lend(name) for _, name, _ in wanted]
        changes = (S.Change * len(wanted))(*[S.Change(name[0], factor, kind)
                                             for name, (kind, _, factor) in zip(lent, wanted)])
        with Run(now=now, profile=profile, explain=explain, max_steps=max_steps, keep_partial=keep_partial,
                 should_stop=should_stop, claim_order=claim_order) as run:
            run.aim(objective, effort, node_cost, spot_factor, price_slack, preferences, ignore_weights)
            decision = native.make(native.core.karp_what_if, native.core.karp_decision_unref, world.snapshot.address,
                                   C.addressof(changes) if wanted else None, len(wanted), C.byref(run.options))
        return Plan(decision, world.digest.lend(), world.warnings)

    def admit(self, *, boot: float = 60, flavours: Union[str, Iterable[str]] = (), flavours_up_to: int = 0, changes: int = 3,
              only: str = '', now: Optional[Time] = None, should_stop: Optional[Stop] = None) -> Admission:
        """Whether each workload that waits can start now, after nodes are launched for it, or never (docs/admit.md); decided with
        profile karp. load(…, queued=True) reads suspended Jobs and Workloads of Kueue as well.

        `boot`: seconds until a launched node is ready. `flavours`: 'nodepool', 'zone', 'capacity-type', 'reservation' or 'all', or
        some of them: each workload is also tried on each of these alone; with `flavours_up_to`, only if the queue has at most so
        many workloads. `changes`: for how many workloads that never start the smallest change is looked for. `only`: the answer
        is about the workload or group of this name ("namespace/name") alone; the whole queue is decided on all the same.
        """
        world = self._open()
        with Run(now=now, profile='karp', should_stop=should_stop) as run:
            asked = admit_options(C.addressof(run.options), round(boot * 1e9), flavours, changes)
            name = native.lend(only)
            asked.flavours_up_to, asked.only = flavours_up_to, name[0]
            return Admission(native.make(native.core.karp_admit, native.core.karp_admission_free, world.snapshot.address,
                                         C.byref(asked)), 'the queue', world.digest.lend(), world.warnings)

    def settle(self, *, disrupt: bool = True, boot: float = 0, profile: str = 'karpenter', should_stop: Optional[Stop] = None) -> Settlement:
        """What the cluster comes to: decisions are carried out in virtual time until nothing changes. `disrupt`: with disruption passes,
        else launches alone. `boot`: seconds until a launched node takes pods (0: 60)."""
        world = self._open()
        with Run(profile=profile, should_stop=should_stop) as run:
            return settle(world, run, disrupt, boot)

    def diff(self, before: str, after: str, *, method: Optional[str] = None, now: Optional[Time] = None, max_steps: int = 0,
             should_stop: Optional[Stop] = None) -> Diff:
        """What two profiles decide differently, 'karpenter-1.14' and 'karpenter-1.15' for instance: launches, placements, refusals, and
        one disruption pass (of that `method` alone); and which rule of the newer version makes each difference."""
        world = self._open()
        with Run(now=now, max_steps=max_steps, should_stop=should_stop) as run:
            return diff(world, run, (before, after), method)

    @overload
    def explain(self, *, pod: str, node: None = None, now: Optional[Time] = None, profile: str = 'karpenter',
                should_stop: Optional[Stop] = None) -> PodExplanation: ...

    @overload
    def explain(self, *, pod: None = None, node: str, now: Optional[Time] = None, profile: str = 'karpenter',
                should_stop: Optional[Stop] = None) -> NodeExplanation: ...

    def explain(self, *, pod: Optional[str] = None, node: Optional[str] = None, now: Optional[Time] = None,
                profile: str = 'karpenter', should_stop: Optional[Stop] = None) -> Union[PodExplanation, NodeExplanation]:
        """Why a pod ("namespace/name") goes where it goes or nowhere, and what would place it: a PodExplanation. Or why a node
        stays: a NodeExplanation."""
        if (pod is None) == (node is None):
            raise TypeError('either pod= or node= is wanted')
        world = self._open()
        subject = pod if pod is not None else node
        assert subject is not None
        name, kept = native.lend(subject)
        with Run(now=now, profile=profile, explain='full', should_stop=should_stop) as run:
            if pod is not None:
                return PodExplanation(native.make(native.core.karp_explain_pod, native.core.karp_pod_explanation_free,
                                                  world.snapshot.address, C.byref(run.options), name),
                                      pod, world.digest.lend(), world.warnings)
            options = run.disrupt(None, 0)
            options.method = native.io.karp_reader_method(world.reader.address)
            return NodeExplanation(native.make(native.core.karp_explain_node, native.core.karp_node_explanation_free,
                                               world.snapshot.address, C.byref(options), name),
                                   subject, world.digest.lend(), world.warnings)


# ---- checking ------------------------------------------------------------------------------------------------------


def verify(snapshot: Snapshot, plan: Union[Plan, str, bytes, Mapping[str, Any]]) -> Verification:
    """Whether a plan keeps every constraint of the pods it places: one of this library, or a Plan document of anybody's, as a
    dict or JSON. The check shares no code with the scheduler."""
    world = snapshot._open()
    free = native.core.karp_verification_free
    if isinstance(plan, Plan):
        decision = plan._handle
        return findings(native.make(native.core.karp_verify_decision, free, world.snapshot.address, decision.live()))
    name, kept_name = native.lend('plan')
    text, kept_text = native.lend(plan if isinstance(plan, (str, bytes)) else json.dumps(plan))
    with native.Context() as context:
        document = native.make(native.io.karp_plan_read, native.io.karp_plan_document_free, context.address, name, text)
        return findings(native.make(native.core.karp_verify, free, world.snapshot.address,
                                    native.io.karp_plan_document_plan(document.address)))


# ---- pickles -------------------------------------------------------------------------------------------------------

SENT = 4  # documents that a process remembers because it has just sent them: tasks of a sweep come with the same ones
_sent: 'OrderedDict[str, bytes]' = OrderedDict()


def _remember(memory: Union[None, bytes, Mapping[str, Any]], out: S.Memory) -> Optional[native.Handle]:
    """Reads a memory, which stays as long as the handle."""
    native.core.karp_memory_init(C.byref(out), C.sizeof(out))
    if not memory:
        return None
    text = memory if isinstance(memory, bytes) else json.dumps(memory).encode()
    (name, _name), (lent, _text) = native.lend('memory'), native.lend(text)
    with native.Context() as context:
        handle = native.make(native.io.karp_memory_read, native.io.karp_memory_document_free, context.address, name, lent)
    C.memmove(C.byref(out), native.io.karp_memory_document_memory(handle.address), C.sizeof(out))
    return handle


def _nominated(plan: native.Handle) -> 'C.Array[S.Str]':
    """The nodes that a plan gives pods: Karpenter nominates them, and a nominated node is no candidate."""
    count = native.core.karp_decision_placement_count(plan.address)
    names: 'C.Array[S.Str]' = (S.Str * count)(*(read.decision_row(plan, S.Placement, 'placement', i).node for i in range(count)))
    return names


def _document(digest: str, world: _World) -> bytes:
    with _cache_lock:
        document = _sent.get(digest)
    if document is None:
        document = world.dump()
    with _cache_lock:
        _sent[digest] = document
        _sent.move_to_end(digest)
        while len(_sent) > SENT:
            _sent.popitem(last=False)
    return document


CACHED = 64  # snapshots that a process remembers because it was sent them
_cache: 'OrderedDict[str, _World]' = OrderedDict()
_cache_lock = threading.Lock()
reads = 0  # how often a pickled snapshot had to be read in this process


def _unpickle(version: str, digest: str, document: bytes) -> Snapshot:
    """Reads a document once per process, however often it arrives."""
    global reads
    if version != __version__:
        raise LibraryError(f'a Snapshot of karp {version} has arrived at karp {__version__}: results would not compare')
    with _cache_lock:
        world = _cache.get(digest)
        if world is None:
            world = _read(document, (), None, False, '', '', '')
            world.digest.know(digest)
            reads += 1
            _cache[digest] = world
            while len(_cache) > CACHED:
                _cache.popitem(last=False)
        _cache.move_to_end(digest)
    return Snapshot(world)
