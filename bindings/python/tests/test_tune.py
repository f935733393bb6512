# SPDX-License-Identifier: Apache-2.0
"""karp.tune(): the answer of the program, on any executor."""
from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import pathlib
import pickle
from typing import Any, Callable, Dict, Iterable, Iterator, List

import pytest

import karp
from conftest import TYPES

AXES = ['consolidateAfter=5m,1h', 'consolidationPolicy=WhenEmpty', 'weight=10,20', 'limits.cpu=4,100']


def deployment(replicas: int) -> Dict[str, Any]:
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'a'}, 'spec': {
        'replicas': replicas, 'selector': {'matchLabels': {'app': 'a'}}, 'template': {'metadata': {'labels': {'app': 'a'}}, 'spec': {
            'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '1500m'}}}]}}}}


def node_pool() -> Dict[str, Any]:
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'web'}, 'spec': {
        'template': {'spec': {'requirements': [], 'nodeClassRef': {'group': 'karpenter.kwok.sh', 'kind': 'KWOKNodeClass', 'name': 'x'}}},
        'disruption': {'consolidateAfter': '0s'}}}


def story() -> Dict[str, Any]:
    steps: List[Dict[str, Any]] = []
    for count in (8, 3, 6, 1):
        steps += [{'scale': {'deployment': 'a', 'replicas': count}}, {'wait': '20m'}]
    return {'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': [deployment(0)], 'steps': steps}


def alike(found: karp.Tuning, told: str) -> None:
    """But for the catalogue's title, which is a file for the program."""
    mine, theirs = found.to_dict(), json.loads(told)
    for each in (mine, theirs):
        each.pop('catalogue', None)
        each.pop('warnings', None)
    assert mine == theirs


def test_settled(program: Callable[..., str], tmp_path: pathlib.Path) -> None:
    objects = [node_pool(), deployment(5)]
    path = tmp_path / 'input.json'
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    words = [word for axis in AXES for word in ('--axis', axis)]
    found = karp.tune(objects, axes=AXES, catalogue=TYPES, designs=30)
    alike(found, program('tune', path, *words, '--designs', 30, '--catalogue', TYPES, '-o', 'json'))
    assert len(found.designs) == 30 and found.designs[found.best]['best']
    assert found.pools(0) == '' and 'name: web' in found.pools(1) and found.pools() == found.pools(found.best)
    rows = found.table().rows()
    assert len(rows) == 30 and rows[0]['changes'] == '' and rows[1]['changes'] and rows[3]['per_hour'] == found.designs[3]['perHour']
    assert found.to_html().startswith('<!doctype html>') and '<svg' in karp.tune(objects, axes=['limits.cpu=2'], catalogue=TYPES).to_html() + '<svg'
    loaded = karp.tune(objects, axes=['weight=10'], catalogue=TYPES, loads=[0.5, 2], image_architectures='image,architectures\n*,amd64\n').to_dict()
    assert loaded['loads'] == [0.5, 2] and loaded['imagesKept'] == ['x']
    assert pickle.loads(pickle.dumps(found)).to_json() == found.to_json()
    assert repr(found) == f'<karp.Tuning of 30 designs, the best is {found.best}>'


def test_every_executor_gives_the_same(program: Callable[..., str], tmp_path: pathlib.Path) -> None:
    pools, trace = tmp_path / 'pools.json', tmp_path / 'story.json'
    pools.write_text(json.dumps(node_pool()))
    trace.write_text(json.dumps(story()))

    class Serial:
        sizes: List[int] = []

        def map(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
            listed = list(tasks)
            self.sizes.append(len(listed))
            return map(function, listed)
    how: Dict[str, Any] = {'axes': AXES, 'traces': [trace], 'catalogue': TYPES, 'designs': 17, 'seed': 3, 'boot': 30}
    found = karp.tune([node_pool()], executor=Serial(), **how)
    assert sum(Serial.sizes) == 17 and len(Serial.sizes) > 1  # the grid is larger: later designs depend on earlier results
    words = [word for axis in AXES for word in ('--axis', axis)]
    alike(found, program('tune', pools, *words, '--trace', trace, '--designs', 17, '--seed', 3, '--boot', '30s', '--catalogue', TYPES, '-o', 'json'))
    assert karp.tune([node_pool()], **how).to_json() == found.to_json()
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        assert karp.tune([node_pool()], executor=threads, **how).to_json() == found.to_json()
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('spawn')) as processes:
        assert karp.tune([node_pool()], executor=processes, **how).to_json() == found.to_json()


def test_mistakes() -> None:
    with pytest.raises(karp.InputError, match='did you mean consolidateAfter'):
        karp.tune([node_pool()], axes=['consolidateAfer=5m'], catalogue=TYPES)
    with pytest.raises(ValueError, match='are for traces'):
        karp.tune([node_pool()], executor=object(), catalogue=TYPES)
    with pytest.raises(ValueError, match='one policy'):
        karp.tune([node_pool()], traces=story(), policies=['karpenter', 'cost'], catalogue=TYPES)
    with pytest.raises(karp.Error, match='NodePool'):
        karp.tune([deployment(1)], catalogue=TYPES)
