# SPDX-License-Identifier: Apache-2.0
"""Replays: the result of `karp replay` as frames, its progress, how it is stopped, and what bad input is told."""
from __future__ import annotations

import datetime
import importlib.util
import json
import pathlib
import pickle
from typing import Any, Callable, Dict, List

import pytest

import karp
from conftest import SOURCE, TYPES, pool

HOURS = datetime.timedelta(hours=4)


def story(**members: Any) -> Dict[str, Any]:
    web = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'}, 'spec': {
        'replicas': 2, 'selector': {'matchLabels': {'app': 'web'}}, 'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': {
            'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1', 'memory': '1Gi'}}}]}}}}
    steps = [{'wait': '1h'}, {'scale': {'deployment': 'web', 'replicas': 6}}, {'wait': '2h'},
             {'scale': {'deployment': 'web', 'replicas': 1}}, {'wait': '1h'}]
    return {'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': [web], 'steps': steps, **members}


def play(**options: Any) -> karp.Replay:
    return karp.replay(story(), **{'objects': pool(), 'catalogue': TYPES, 'boot': 60, 'boot_jitter': 0, **options})


def test_tables() -> None:
    found = play(policies=['karpenter', 'cost'], step=1800)
    assert found.policies == ('karpenter', 'cost') and found.notes == 0
    policies, series = found.table(), found.table('series')
    assert policies['policy'] == ['karpenter', 'cost'] and len(policies) == 2
    document = found.to_dict()['policies'][0]
    assert policies['dollars'][0] == document['dollars'] > 0
    assert policies['pending_max'][0] == document['pendingSeconds']['max'] >= 60
    assert policies['disruptions'][0] == sum(document['disruptions'].values()) and policies['pod_starts'][0] >= 6
    assert len(series) == sum(len(policy['series']['time']) for policy in found.to_dict()['policies'])
    assert {row['policy'] for row in series.rows()} == {'karpenter', 'cost'}
    assert max(series['pods']) == 6 and series['time'][1] - series['time'][0] == 1800
    assert list(series.to_dict()) == list(series.columns) and 'cost_per_hour' in series.columns
    with pytest.raises(ValueError, match="no table 'pods'"):
        found.table('pods')


@pytest.mark.skipif(importlib.util.find_spec('pandas') is None, reason='without pandas')
def test_pandas() -> None:
    frame = play().to_pandas('series')
    assert list(frame.columns)[:2] == ['policy', 'time'] and frame['pods'].max() == 6


@pytest.mark.skipif(importlib.util.find_spec('pyarrow') is None, reason='without pyarrow')
def test_parquet(tmp_path: pathlib.Path) -> None:
    from pyarrow import parquet
    path = tmp_path / 'series.parquet'
    play().table('series').to_parquet(path)
    assert parquet.read_table(path).to_pydict() == play().table('series').to_dict()


@pytest.mark.skipif(importlib.util.find_spec('pyarrow') is None, reason='without pyarrow')
def test_arrow() -> None:
    assert play().table('series').to_arrow().column_names[:2] == ['policy', 'time']


def test_equal_seeds_give_equal_bytes_and_pickles_come_back() -> None:
    first, again = play(seed=7, boot_jitter=30), play(seed=7, boot_jitter=30)
    assert first.to_json() == again.to_json()
    assert pickle.loads(pickle.dumps(first)).to_json() == first.to_json()


def test_it_is_what_the_program_writes(program: Callable[..., str]) -> None:
    day = SOURCE / 'examples/replay/day.yaml'
    written = program('replay', day, '--policy', 'karpenter,karp', '--interruptions', '0.5', '--seed', '3', '--until', '2h', '-o', 'json')
    found = karp.replay(day, policies=('karpenter', 'karp'), interruptions=0.5, seed=3, until=datetime.timedelta(hours=2))
    assert json.loads(written) == found.to_dict() and found.table()['launches'][0] > 0


def test_durations_and_instants() -> None:
    whole = play()
    assert play(until='2026-03-02T04:00:00Z').to_json() == play(until=HOURS).to_json() == whole.to_json()
    assert play(boot=datetime.timedelta(minutes=1)).to_json() == whole.to_json()
    assert play(boot=600).table()['pending_max'] > whole.table()['pending_max']
    for name in ('step', 'boot', 'boot_jitter', 'disruption_interval'):
        with pytest.raises(ValueError, match=name):
            play(**{name: -1})


def test_progress() -> None:
    heard: List[karp.Progress] = []
    play(policies=('karpenter', 'karp'), progress=heard.append)
    assert {each.policy for each in heard} == {'karpenter', 'karp'}
    assert all(0 <= each.done <= 1 for each in heard) and heard[0].now.year == 2026
    first = [each.done for each in heard if each.policy == 'karp']
    assert first == sorted(first) and max(each.pods for each in heard) >= 2


def test_it_can_be_stopped() -> None:
    heard: List[str] = []

    def end(progress: karp.Progress) -> None:
        heard.append(progress.policy)
        raise KeyError(progress.policy)
    with pytest.raises(KeyError, match='karpenter'):
        play(policies=('karpenter', 'karp'), progress=end)
    assert heard == ['karpenter']
    with pytest.raises(karp.CanceledError):
        play(should_stop=lambda: True)


def test_interruptions_by_type() -> None:
    calm = play(interruptions={'no-such-type': 50})
    assert calm.table()['interruptions'] == [0]
    assert play(interruptions={'': 50}).table()['interruptions'][0] > 0
    with pytest.raises(karp.Error):
        play(interruptions=-1)


def test_bad_input() -> None:
    with pytest.raises(karp.InputError) as found:
        karp.replay(b'apiVersion: karp/v1\nkind: Story\nsteps:\n- wait: -1h\n', catalogue=TYPES)
    assert found.value.document == 'input' and 'steps[0].wait' in str(found.value)
    with pytest.raises(karp.Error, match='files: a story that names files is read from a file'):
        karp.replay(story(files=['pool.yaml']), catalogue=TYPES)
    with pytest.raises(karp.FileError):
        karp.replay('no/such/trace.yaml')
    with pytest.raises(karp.Error, match='thrifty'):
        play(policies=['thrifty'])
    with pytest.raises(ValueError, match='policy'):
        play(policies=[])
    with pytest.raises(karp.Error, match='format'):
        play(format='tarot')
    with pytest.raises(karp.Error, match='Karpenter has no feature gate Foo'):
        play(feature_gates='NodeOverlay=false,Foo=true')


def test_repack_plan(tmp_path: pathlib.Path, program: Callable[..., str]) -> None:
    """A plan of karp repack, carried out: what it promised, in the document and in the frame of the policies."""
    sizes = {'cpu': '8', 'memory': '32Gi', 'pods': '58'}
    nodes = [{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': f'n{i}', 'creationTimestamp': '2026-01-01T00:00:00Z', 'labels': {
        'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': 'm6a.2xlarge', 'topology.kubernetes.io/zone': 'us-east-1a',
        'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/hostname': f'n{i}', 'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true'}}, 'status': {'capacity': sizes, 'allocatable': sizes}} for i in range(4)]
    pods = [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'p{i}', 'ownerReferences': [
        {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'w', 'uid': 'w', 'controller': True}]}, 'spec': {
            'nodeName': f'n{i}', 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}} for i in range(4)]
    rules = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
        'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}, 'template': {'spec': {'expireAfter': 'Never', 'nodeClassRef': {
            'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}}}}}
    cluster = tmp_path / 'cluster.json'
    cluster.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [rules, *nodes, *pods]}))
    plan = program('repack', '-f', cluster, '--region', 'us-east-1', '--now', '2026-01-02T00:00:00Z', '-o', 'json')
    (tmp_path / 'plan.json').write_text(plan)
    out = karp.replay((), objects=str(cluster), region='us-east-1', repack=str(tmp_path / 'plan.json'), as_planned=True)
    came, said = out.to_dict()['policies'][0]['repack'], json.loads(plan)
    assert said['steps'] and came['costBefore'] == pytest.approx(said['costBefore'])
    assert (came['costAfter'], came['evictions'], came['pending']) == (pytest.approx(said['costAfter']), said['evictions'], 0)
    assert out.table()['repack_evictions'] == [said['evictions']]
    assert karp.replay((), objects=str(cluster), region='us-east-1', repack=plan.encode(), as_planned=True).to_json() == out.to_json()
    with pytest.raises(ValueError):
        karp.replay((), objects=str(cluster), repack=(plan.encode(), plan.encode()))
