# SPDX-License-Identifier: Apache-2.0
"""Snapshots with changes, and rows as plain data."""
import json
import pickle

import pytest

import karp


def pod(name, cpu, **more):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, **more},
            'spec': {'containers': [{'name': 'main', 'resources': {'requests': {'cpu': cpu}}}]}}


@pytest.fixture(scope='module')
def quick():
    return karp.load(karp.example())


def test_apply_and_delete(quick):
    before = quick.sha256
    more = quick.edit(apply=[pod('extra', '100m'), pod('other', '100m')])
    assert set(more.pods) - set(quick.pods) == {'default/extra', 'default/other'}
    assert quick.sha256 == before != more.sha256
    larger = more.edit(apply=pod('extra', '3'), delete='Pod/other')
    assert len(larger.pods) == len(quick.pods) + 1
    assert larger.plan().cost.after > quick.plan().cost.after
    # As if it had been read so.
    assert larger.plan().hash == karp.load([quick.dump(), pod('extra', '3')]).plan().hash
    assert pickle.loads(pickle.dumps(larger)).sha256 == larger.sha256


def test_scale(quick):
    few = quick.edit(scale={'web': 1})
    assert len([name for name in few.pods if name.startswith('default/web-')]) == 1
    assert few.plan().cost.after < quick.plan().cost.after


def test_refused(quick):
    for wrong in ({'delete': 'Pod/nobody'}, {'delete': ['nonsense']}, {'scale': {'nobody': 3}}):
        with pytest.raises(karp.Error):
            quick.edit(**wrong)
    with pytest.raises(ValueError):
        quick.edit(scale={'web': -1})
    with pytest.raises(karp.Error):
        quick.edit(apply=b'{')


def test_rows_are_data(quick):
    plan = quick.plan(disrupt=True)
    rows = [*plan.launches, *plan.placements, *plan.unschedulable, *plan.ignored, *plan.kept, plan.cost, *plan.nodes]
    assert len(rows) > 4
    written = [row.to_dict() for row in rows]
    json.dumps(written)
    kept = pickle.dumps(rows)
    text = [repr(row) for row in rows]
    launch = plan.launches[0]
    assert launch.to_dict()['choice']['price'] == launch.choice.price and launch.to_dict()['pods'] == list(launch.pods)
    assert {key for key in launch.to_dict()} == {'id', 'node_pool', 'node_class', 'pods', 'requests', 'requirements', 'claim_requirements', 'labels', 'annotations',
                                                 'taints', 'startup_taints', 'instance_types', 'expire_after', 'termination_grace_period', 'choice', 'list_price',
                                                 'runner_up', 'apart', 'capacity', 'allocatable'}
    plan.close()
    again = pickle.loads(kept)
    assert [row.to_dict() for row in again] == written and [repr(row) for row in again] == text


def test_commands_are_data(busy):
    gone = busy.disrupt()
    rows = [*gone.commands, *gone.candidates, *gone.kept]
    again = pickle.loads(pickle.dumps(rows))
    assert [row.to_dict() for row in again] == [row.to_dict() for row in rows]
    json.dumps([row.to_dict() for row in rows])
