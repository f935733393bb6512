# SPDX-License-Identifier: Apache-2.0
"""What an engine costs beside the decisions: processor time of all processes, less that of the tasks themselves.

    python3 overhead.py dask [--check]       --check: fail above 15 % of the decisions

Chunks take 0.2 s, as karp.sweep() makes them by itself. Snapshots are read by the workers before, as in a sweep that lasts; that
they travel with each task is part of the measure. What the engine does by the clock, work or not, is measured while it has none,
and counted for as long as the work takes when all processors are free. Rows are compared with serial ones.
"""
from __future__ import annotations

import functools
import os
import sys
import time
from typing import Any, Iterator, Tuple

import psutil  # comes with dask

import karp

import clusters
import sweep

MOST = 0.15
CHUNK_SECONDS = 0.2
IDLE_SECONDS = 3.0
SECONDS = 4.0


def processor_time() -> float:
    """Of this process and all below it."""
    here = psutil.Process()
    total = 0.0
    for process in [here, *here.children(recursive=True)]:
        try:
            times = process.cpu_times()
            total += times.user + times.system
        except psutil.Error:
            pass
    return total


def idle_rate() -> float:
    began, clock = processor_time(), time.monotonic()
    time.sleep(IDLE_SECONDS)
    return (processor_time() - began) / (time.monotonic() - clock)


def timed(function: Any, task: Any) -> Tuple[Any, float]:
    began = time.thread_time()
    result = function(task)
    return result, time.thread_time() - began


class Timed:
    """An executor, or none: the tasks one after the other; and how long all tasks took."""

    def __init__(self, executor: Any = None) -> None:
        self.map_of = executor.map if executor is not None else map
        self.seconds = 0.0
        self.tasks = 0

    def map(self, function: Any, tasks: Any) -> Iterator[Any]:
        for result, seconds in self.map_of(functools.partial(timed, function), tasks):
            self.seconds += seconds
            self.tasks += 1
            yield result


def main(engine: str, check: bool) -> int:
    documents = [clusters.cluster(seed, 40) for seed in range(2)]
    few = [point for point in sweep.points(documents, ['a', 'b'], [1.0]) if point.label[1] != 'WhenEmpty']
    alone = Timed()
    karp.sweep(few * 20, executor=alone, chunk=len(few))
    each = alone.seconds / (alone.tasks * len(few))
    points = few * max(1, round(SECONDS / each / len(few)))
    chunk = max(1, round(CHUNK_SECONDS / each))
    wanted = karp.sweep(points, executor=Timed(), chunk=chunk)
    best = 1.0
    workers = os.cpu_count() or 1
    with sweep.executor(engine, '') as executor:
        karp.sweep(few * 8, executor=executor, chunk=1)
        for _ in range(3):
            idle = idle_rate()
            timing = Timed(executor)
            began, clock = processor_time(), time.monotonic()
            rows = karp.sweep(points, executor=timing, chunk=chunk)
            beside = processor_time() - began - timing.seconds - idle * (time.monotonic() - clock)
            overhead = max(0.0, beside) / timing.seconds + idle / workers
            assert rows == wanted, 'the engine has other rows'
            best = min(best, overhead)
            print(f'{len(points)} points, {timing.tasks} tasks of {timing.seconds / timing.tasks * 1e3:.0f} ms on {engine}: '
                  f'{overhead:.1%} beside the decisions, {overhead * timing.seconds / len(points) * 1e6:.0f} us a point '
                  f'({idle / workers:.1%} by the clock)', flush=True)
    if check and best > MOST:
        print(f'more than {MOST:.0%}')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else 'dask', '--check' in sys.argv))
