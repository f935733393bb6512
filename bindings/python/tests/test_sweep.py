# SPDX-License-Identifier: Apache-2.0
"""Sweeps: the same rows on any executor; snapshots travel as documents and are read once a process."""
from __future__ import annotations

import concurrent.futures
import multiprocessing
import pickle
from typing import Any, Callable, Iterable, Iterator, List

import pytest

import karp
from conftest import TYPES, objects, pod
from karp import _snapshot, _sweep


@pytest.fixture(scope='module')
def points() -> List[karp.Point]:
    snapshots = [karp.load(objects()[:-i or None], catalogue=TYPES) for i in range(3)]
    made = [karp.Point(snapshot, price={'spot': factor}, label=(number, factor))
            for number, snapshot in enumerate(snapshots) for factor in (0.7, 1.0, 1.3)]
    made += [karp.Point(snapshots[0], remove=['n1']), karp.Point(snapshots[0], lose_zone='zone-a'),
             karp.Point(snapshots[0], add=pod('late')), karp.Point(snapshots[1], disrupt=True),
             karp.Point(snapshots[1], options={'profile': 'karp'})]
    return made


def reads(_: object) -> int:
    return _snapshot.reads


def test_rows(points: List[karp.Point]) -> None:
    rows = karp.sweep(points)
    assert [row['label'] for row in rows] == [point.label for point in points]
    plain = points[1].snapshot.what_if(price={'spot': 1.0})
    row = rows[1]
    assert (row['cost_before'], row['cost_after']) == (plain.cost.before, plain.cost.after)
    assert row['launches'] == len(plain.launches) and row['nodes'] == 3 + len(plain.launches)
    assert row['unschedulable'] == 1 and row['complete'] is True and row['moves'] == 5
    assert row['sha256'] == points[1].snapshot.sha256 and row['version'] == karp.__version__
    assert rows[9]['nodes'] == 2 + rows[9]['launches']
    gone = points[12].snapshot.disrupt()
    assert rows[12]['nodes'] == 3 - sum(len(c.nodes) for c in gone.commands)
    only = karp.sweep(points[:1], columns=['cost_after'])
    assert set(only[0]) == {'label', 'cost_after', 'sha256', 'version'}
    assert karp.sweep([]) == []
    assert karp.sweep([points[0].snapshot])[0]['label'] is None


def test_every_executor_gives_the_same(points: List[karp.Point]) -> None:
    rows = karp.sweep(points)

    class Serial:
        def map(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
            return map(function, tasks)
    assert karp.sweep(points, executor=Serial()) == rows
    for chunk in (1, 3, 100):
        assert karp.sweep(points, executor=Serial(), chunk=chunk) == rows
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        assert karp.sweep(points, executor=threads, chunk=2) == rows
    spawn = multiprocessing.get_context('spawn')
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as processes:
        assert karp.sweep(points, executor=processes, chunk=2) == rows
        # One process, three snapshots: each is read once, however many tasks it comes with. (The point that adds a pod reads
        # its own.)
        assert list(processes.map(reads, [0])) == [3]


def test_pickles_are_documents(points: List[karp.Point]) -> None:
    snapshot = points[0].snapshot
    data = pickle.dumps(snapshot)
    before = _snapshot.reads
    one, two = pickle.loads(data), pickle.loads(data)
    assert _snapshot.reads <= before + 1 and one.sha256 == two.sha256 == snapshot.sha256
    assert one.plan().to_json() == snapshot.plan().to_json()
    one.close()
    assert two.plan().launches and pickle.loads(data).plan().launches
    assert snapshot.dump() == two.dump()
    catalogue = karp.catalogue(TYPES)
    assert pickle.loads(pickle.dumps(catalogue)).to_json() == catalogue.to_json()
    for unpickled in (snapshot.plan(), snapshot.explain(node='n1')):
        with pytest.raises(TypeError, match='send the Snapshot'):
            pickle.dumps(unpickled)


def test_what_is_sent_often_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written: List[int] = []
    dump = _snapshot._dump

    def counted(*given: Any) -> bytes:
        written.append(1)
        return dump(*given)
    monkeypatch.setattr(_snapshot, '_dump', counted)
    made = [karp.load([*objects(), pod(f'more-{i}')], catalogue=TYPES) for i in range(_snapshot.SENT)]
    digests = [snapshot.sha256 for snapshot in made]
    written.clear()
    data = [pickle.dumps(snapshot) for _ in range(5) for snapshot in made]
    assert len(written) == len(made) and data[:len(made)] == data[-len(made):]
    assert [pickle.loads(each).sha256 for each in data[:len(made)]] == digests
    # No more than some are kept.
    pickle.dumps(karp.load([*objects(), pod('last')], catalogue=TYPES))
    assert len(_snapshot._sent) == _snapshot.SENT and digests[0] not in _snapshot._sent


def test_other_versions_are_refused(points: List[karp.Point], monkeypatch: pytest.MonkeyPatch) -> None:
    function, (version, digest, document) = points[0].snapshot.__reduce__()  # type: ignore[misc]
    with pytest.raises(karp.LibraryError, match='karp 9.9.9'):
        function('9.9.9', digest, document)  # type: ignore[operator]
    with pytest.raises(karp.LibraryError, match='9.9.9'):
        _sweep._work(('9.9.9', ('nodes',), []))

    class Old:
        def map(self, function: object, tasks: Iterable[Any]) -> Iterator[Any]:
            return iter([('0.0.1', [])])
    with pytest.raises(karp.LibraryError, match='0.0.1'):
        karp.sweep(points, executor=Old())


def test_wrong_points(points: List[karp.Point]) -> None:
    with pytest.raises(ValueError, match='no column'):
        karp.sweep(points, columns=['beauty'])
    with pytest.raises(ValueError, match='chunk'):
        karp.sweep(points, chunk=0)
    with pytest.raises(ValueError, match='disrupt=True'):
        karp.sweep([karp.Point(points[0].snapshot, disrupt=True, remove='n1')])


def test_threads_share_a_snapshot(points: List[karp.Point]) -> None:
    snapshot = points[0].snapshot
    wanted = snapshot.plan().to_json()
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: snapshot.plan().to_json(), range(40))) == {wanted}


def test_closing_while_others_decide() -> None:
    """A close() never pulls the memory from under a call."""
    for _ in range(5):
        snapshot = karp.load(objects(), catalogue=TYPES)

        def decide(_: int) -> bool:
            try:
                return len(snapshot.plan().to_json()) > 0
            except karp.ClosedError:
                return False
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            running = [threads.submit(decide, i) for i in range(12)]
            snapshot.close()
            for each in running:
                each.result()
