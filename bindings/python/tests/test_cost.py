# SPDX-License-Identifier: Apache-2.0
"""Plans for the least cost."""
from __future__ import annotations

import pytest

import karp
from karp import Offering, Requirement
from karp.objects import InstanceType, NodePool, Pod

TYPES = [InstanceType('big', {'cpu': 16, 'memory': '64Gi', 'pods': 60}, [Offering('a', 'on-demand', 9)]),
         InstanceType('small', {'cpu': 4, 'memory': '16Gi', 'pods': 60}, [Offering('a', 'on-demand', 1), Offering('a', 'spot', 0.8)]),
         InstanceType('near', {'cpu': 4, 'memory': '16Gi', 'pods': 60}, [Offering('a', 'on-demand', 1.1), Offering('a', 'spot', 0.9)])]


@pytest.fixture(scope='module')
def eight() -> karp.Snapshot:
    pool = NodePool('default', [Requirement('karpenter.sh/capacity-type', 'In', ('on-demand', 'spot'))])
    return karp.load([pool, *[Pod(f'p{i}', {'cpu': 2}) for i in range(8)]], catalogue=TYPES, now='2026-01-01T00:00:00Z')


def test_figures(eight: karp.Snapshot) -> None:
    assert eight.plan().objective is None
    plan = eight.plan(objective='cost', effort='10ms')
    figures = plan.objective
    assert figures is not None and figures.bound is not None and figures.gap is not None
    assert figures.cost == pytest.approx(3.2) and figures.compatible_cost >= figures.cost >= figures.bound > 0
    assert figures.effort == 10000 and not figures.stopped
    assert [launch.choice.instance_type for launch in plan.launches] == ['small'] * 4
    none = eight.plan(objective='cost', effort=0).objective
    assert none is not None and none.cost == none.compatible_cost and none.bound is not None and none.bound <= figures.bound


def test_what_else_is_said(eight: karp.Snapshot) -> None:
    def plan(**more: object) -> karp.Plan:
        return eight.plan(objective='cost', effort=10000, **more)  # type: ignore[arg-type]

    def cost(**more: object) -> float:
        figures = plan(**more).objective
        assert figures is not None
        return figures.cost
    assert cost(node_cost=1) == pytest.approx(7.2)
    assert cost(spot_factor=2) == pytest.approx(4) and plan(spot_factor=2).launches[0].choice.capacity_type == 'on-demand'
    assert cost(spot_factor=0.5) == pytest.approx(1.6)
    assert cost(preferences='ignore', ignore_weights=True) == pytest.approx(3.2)
    assert {len(launch.instance_types) for launch in plan().launches} == {2}  # spot: 15 %
    assert {len(launch.instance_types) for launch in plan(price_slack=0).launches} == {1}
    for wrong in ({'node_cost': -1}, {'node_cost': float('nan')}, {'spot_factor': float('inf')}, {'price_slack': -0.1}):
        with pytest.raises(karp.InputError, match=next(iter(wrong))):
            plan(**wrong)
    for wrong in ({'spot_factor': 0}, {'preferences': 'some'}, {'effort': 'lots'}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            eight.plan(objective='cost', **wrong)  # type: ignore[arg-type]


def test_what_if(eight: karp.Snapshot) -> None:
    figures = eight.what_if(objective='cost', effort=10000).objective
    assert figures is not None and figures.cost == pytest.approx(3.2)
