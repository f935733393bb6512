# SPDX-License-Identifier: Apache-2.0
"""Many decisions: over clusters, changes and options, on threads, processes or machines."""
from __future__ import annotations

import math
import os
import time
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._decision import DisruptionPlan, Plan
from ._errors import LibraryError
from ._snapshot import Snapshot, Source
from ._version import __version__

CHUNK_SECONDS = 0.2  # what a task should take at least, so that handing it over does not matter

COLUMNS = ('cost_before', 'cost_after', 'nodes', 'launches', 'moves', 'unschedulable', 'complete')


class Point(NamedTuple):
    """One decision of a sweep: the changes are those of Snapshot.what_if(), `disrupt` asks Snapshot.disrupt() instead of
    plan(); `options` go to the call; `label` comes back in the row."""
    snapshot: Snapshot
    remove: Union[str, Sequence[str]] = ()
    lose_zone: Union[str, Sequence[str]] = ()
    price: Union[None, float, Mapping[str, float]] = None
    add: Optional[Source] = None
    disrupt: bool = False
    options: Mapping[str, Any] = {}
    label: Any = None


def _decide(point: Point) -> Union[Plan, DisruptionPlan]:
    changed = bool(point.remove or point.lose_zone or point.add is not None) or point.price is not None
    if not point.disrupt:
        if not changed:
            return point.snapshot.plan(**point.options)
        return point.snapshot.what_if(remove=point.remove, lose_zone=point.lose_zone, price=point.price, add=point.add,
                                      **point.options)
    if changed:
        raise ValueError('changes are for plans: a Point with disrupt=True has none')
    return point.snapshot.disrupt(**point.options)


def _row(point: Point, columns: Sequence[str]) -> Tuple[Any, ...]:
    with _decide(point) as decision:
        cost = decision.cost
        plan = decision if isinstance(decision, Plan) else None
        commands = decision.commands if isinstance(decision, DisruptionPlan) else ()
        values: Dict[str, Any] = {'cost_before': cost.before, 'cost_after': cost.after, 'complete': decision.complete}
        if 'nodes' in columns or 'launches' in columns:
            launches = len(plan.launches) if plan else sum(len(command.replacements) for command in commands)
            gone = {name for command in commands for name in command.nodes}
            values['launches'] = launches
            values['nodes'] = launches + sum(not node.marked and node.node not in gone for node in decision.nodes)
        if 'moves' in columns:
            placed = [*(row.pods for row in plan.launches), *(row.pods for row in plan.placements)] if plan else []
            values['moves'] = sum(len(pods) for pods in placed) + sum(len(command.pods) for command in commands)
        if 'unschedulable' in columns:
            values['unschedulable'] = len(plan.unschedulable) if plan else 0
        return tuple(values[name] for name in columns)


def _work(task: Tuple[str, Tuple[str, ...], List[Point]]) -> Tuple[str, List[Tuple[Any, ...]]]:
    """What a worker does: plain values in, plain values out."""
    version, columns, points = task
    if version != __version__:
        raise LibraryError(f'karp {version} sweeps, but this worker has karp {__version__}: results would not compare')
    return __version__, [_row(point, columns) for point in points]


def sweep(points: Iterable[Union[Point, Snapshot]], *, columns: Sequence[str] = COLUMNS, executor: Any = None,
          chunk: Optional[int] = None) -> List[Dict[str, Any]]:
    """A row for each point, in their order: label, the columns, and what they were computed from: the snapshot's `sha256` and
    the `version`. pandas.DataFrame(rows) is a frame.

    `executor` is anything with map(): of concurrent.futures, a multiprocessing Pool, dask's client.get_executor(pure=False),
    ray.util.multiprocessing.Pool. Without it, threads: they share the snapshots. `chunk` points make a task; without it
    as many as take 0.2 s, judged by the first. Rows are the same, bit for bit, whatever the executor; a time limit would end
    that, so that points have max_steps.
    """
    wanted = tuple(columns)
    unknown = [name for name in wanted if name not in COLUMNS]
    if unknown:
        raise ValueError(f'no column {unknown[0]!r}: some of {", ".join(COLUMNS)} are wanted')
    if chunk is not None and chunk < 1:
        raise ValueError('chunk is at least 1')
    given = [Point(point) if isinstance(point, Snapshot) else point for point in points]
    if not given:
        return []
    began = time.thread_time()  # a decision is made in the thread that asks, and others may be busy
    rows = [_row(given[0], wanted)]
    rest = given[1:]
    if chunk is None:
        most = max(1, math.ceil(len(rest) / (2 * (os.cpu_count() or 1))))
        chunk = min(most, math.ceil(CHUNK_SECONDS / max(time.thread_time() - began, 1e-6)))
    tasks = [(__version__, wanted, rest[i:i + chunk]) for i in range(0, len(rest), chunk)]
    for version, found in _mapped(executor, tasks):
        if version != __version__:
            raise LibraryError(f'a worker has karp {version}, not {__version__}: results do not compare')
        rows += found
    return [{'label': point.label, **dict(zip(wanted, row)), 'sha256': point.snapshot.sha256, 'version': __version__}
            for point, row in zip(given, rows)]


def _mapped(executor: Any, tasks: List[Any]) -> Iterable[Tuple[str, List[Tuple[Any, ...]]]]:
    if executor is not None:
        yield from executor.map(_work, tasks)
        return
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor() as threads:
        yield from threads.map(_work, tasks)
