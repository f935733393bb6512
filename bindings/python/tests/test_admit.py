# SPDX-License-Identifier: Apache-2.0
"""Whether queued workloads could start."""
from __future__ import annotations

import pickle

import pytest

import karp
from conftest import SOURCE

QUEUE = SOURCE / 'examples/queue'


def test_answers() -> None:
    asked = karp.load(QUEUE, queued=True).admit(flavours='zone')
    assert [(each.workload, each.answer, each.launches) for each in asked] == [
        ('default/report', 'now', 0), ('default/train-small', 'launch', 2), ('default/train-large', 'never', 0)]
    large = asked['default/train-large']
    assert (large.code, large.starts_alone) == ('GROUP_MINIMUM', False)
    assert large.changes[0].text == 'raise the limit nvidia.com/gpu of NodePool gpu to 10'
    assert [(f.node_pool, f.zone, f.answer) for f in asked['default/report'].flavours] == [
        ('gpu', 'us-west-2a', 'launch'), ('gpu', 'us-west-2b', 'launch'), (None, 'us-west-2a', 'now')]
    assert set(asked['default/train-small'].nodes) == {launch.id for launch in asked.plan.launches}
    assert asked['default/train-small'].cost == pytest.approx(sum(launch.choice.price for launch in asked.plan.launches))
    assert asked['default/train-small'].ready_after == 60 * 10**9
    document = asked.to_dict()
    assert [row['answer'] for row in document['workloads']] == [each.answer for each in asked.workloads]
    assert 'can start now' in asked.to_text()
    with pytest.raises(KeyError):
        asked['default/other']


def test_one_workload() -> None:
    queued = karp.load(QUEUE, queued=True)
    one, = queued.admit(only='default/train-large', flavours='nodepool')
    assert (one.answer, len(one.flavours), bool(one.changes)) == ('never', 2, True)
    assert not any(each.flavours for each in queued.admit(flavours='nodepool', flavours_up_to=2))
    assert all(each.flavours for each in queued.admit(flavours='nodepool', flavours_up_to=3))
    with pytest.raises(karp.Error, match='did you mean default/report'):
        queued.admit(only='default/reprot')


def test_what_is_queued() -> None:
    assert karp.load(QUEUE).admit().workloads == ()
    queued = karp.load(QUEUE, queued=True)
    for use in (queued.dump, lambda: pickle.dumps(queued)):
        with pytest.raises(ValueError, match='queued=True'):
            use()
    with pytest.raises(ValueError, match='flavours'):
        queued.admit(flavours=['zones'])
