# SPDX-License-Identifier: Apache-2.0
"""karp.fit(): demands and node types without Kubernetes objects."""
from __future__ import annotations

import decimal

import pytest

import karp
from karp import Demand, Node, NodeType

TYPES = {'g5.8xlarge': NodeType({'CPU': 32, 'GPU': 1, 'memory': '128Gi'}, price=2.448),
         'm5.large': NodeType({'CPU': 2, 'memory': '8Gi'}, price=0.096, labels={'zone': 'a'})}


def test_a_batch_of_equal_bundles() -> None:
    """The request of which Ray's own scheduler takes minutes."""
    found = karp.fit([{'CPU': 16, 'GPU': 1}] * 9838, TYPES, groups='all-or-nothing')
    assert found and found.launch == {'g5.8xlarge': 9838} and not found.permanent
    assert found.cost_per_hour == pytest.approx(9838 * 2.448)
    assert found.loads == (karp.Load('g5.8xlarge', None, 9838, ((0, 1),)),)


def test_equal_or_not_is_the_same_answer() -> None:
    together = karp.fit([Demand({'CPU': 1}, count=7)], TYPES)
    assert karp.fit([{'CPU': 1}] * 7, TYPES) == together
    assert karp.fit([{'CPU': 1} for _ in range(7)], TYPES) == together
    assert together.launch == {'m5.large': 4}


def test_amounts_are_exact() -> None:
    third = {'a': NodeType({'x': '1'}, price=1)}
    assert karp.fit([{'x': 0.1}] * 10, third).launch == {'a': 1}
    assert karp.fit([{'x': decimal.Decimal('0.1')}] * 10, third).launch == {'a': 1}
    assert karp.fit([{'x': '100m'}] * 11, third).launch == {'a': 2}
    with pytest.raises(karp.InputError) as caught:
        karp.fit([{'x': 'lots'}], third)
    assert caught.value.field
    with pytest.raises(karp.InputError):
        karp.fit([{'x': float('nan')}], third)


def test_groups_and_what_is_left() -> None:
    types = {'a': NodeType({'x': 1}, price=1, max=3)}
    found = karp.fit([{'x': 1}] * 5, types)
    assert not found and found.left == (karp.Left(0, 2, 'FULL', False),) and found.launch == {'a': 3}
    found = karp.fit([{'x': 1}] * 5, types, groups='all-or-nothing')
    assert found.launch == {} and found.left[0].copies == 5 and not found.permanent
    found = karp.fit([{'x': 1}, {'x': 1}, {'x': 2}, {'x': 1}], types, groups=['g', 'h', 'h', None])
    assert found.launch == {'a': 2} and {(each.demand, each.reason) for each in found.left} == {(1, 'GROUP'), (2, 'TOO_LARGE')}
    assert found.permanent
    with pytest.raises(ValueError, match='2 demands, but 1 groups'):
        karp.fit([{'x': 1}] * 2, types, groups=['g'])
    with pytest.raises(ValueError, match='all-or-nothing'):
        karp.fit([{'x': 1}], types, groups='some')


def test_all_types_together() -> None:
    types = {'a': NodeType({'x': 1}, price=1, max=3), 'b': NodeType({'x': 1}, price=2)}
    assert karp.fit([{'x': 1}] * 9, types, max_launches=5).launch == {'a': 3, 'b': 2}
    assert karp.fit([{'x': 1}] * 9, types, max_launches=0).launch == {}
    assert karp.fit([{'x': 1}], types, nodes=[Node({'x': 1})], max_launches=0)
    with pytest.raises(ValueError, match='max_launches'):
        karp.fit([{'x': 1}], types, max_launches=-1)
    with pytest.raises(karp.InputError, match='max_launches'):
        karp.fit([], {'a': NodeType({'x': 1}, min=2)}, max_launches=1)


def test_labels_nodes_and_bounds() -> None:
    found = karp.fit([Demand({'CPU': 1}, count=2, selector={'zone': ['a', 'b']}, max_per_node=1)], TYPES)
    assert found.launch == {'m5.large': 2}
    found = karp.fit([Demand({'CPU': 1}, selector={'zone': 'c'})], TYPES)
    assert found.left == (karp.Left(0, 1, 'SELECTOR', True),)
    found = karp.fit([Demand({'CPU': 1}, count=5)], TYPES, nodes=[Node({'CPU': 1}, count=0), Node({'CPU': 2}, count=2)])
    assert found.launch == {'m5.large': 1}
    assert [(load.node, load.nodes) for load in found.loads if load.type is None] == [(1, 2)]
    assert karp.fit([], {'a': NodeType({'x': 1}, price=2, min=3)}).cost_per_hour == 6
    assert karp.fit([{'x': 1}], {'a': NodeType({'x': 1}, max=0), 'b': NodeType({'x': 1}, price=9)}).launch == {'b': 1}
    first = karp.fit([Demand({'x': 1}, priority=1), Demand({'x': 2}, priority=9)], {'a': NodeType({'x': 2}, max=1)})
    assert [each.demand for each in first.left] == [0]
    for wrong in (NodeType({'x': 1}, min=2, max=1), NodeType({'x': 1}, min=-1)):
        with pytest.raises(ValueError):
            karp.fit([{'x': 1}], {'a': wrong})
    for demand in (Demand({'x': 1}, count=-1), Demand({'x': 1}, max_per_node=0)):
        with pytest.raises(ValueError):
            karp.fit([demand], {'a': NodeType({'x': 1})})


def test_the_least_cost() -> None:
    """Rule 3 takes one demand after the other; the objective looks at all of them."""
    types = {'large': NodeType({'CPU': 10}, price=10), 'small': NodeType({'CPU': 7}, price=6.5), 'four': NodeType({'CPU': 4}, price=4.5)}
    demands = [Demand({'CPU': 4}, count=6), Demand({'CPU': 3}, count=6)]
    rules = karp.fit(demands, types)
    assert rules.objective is None
    found = karp.fit(demands, types, objective='cost', effort=10000)
    figures = found.objective
    assert figures is not None and figures.bound is not None
    assert found.launch == {'small': 6} and found.cost_per_hour == figures.cost == pytest.approx(39)
    assert figures.compatible_cost == rules.cost_per_hour >= figures.cost >= figures.bound > 0
    assert karp.fit(demands, types, objective='cost', effort=0).launch == rules.launch
    with pytest.raises(ValueError, match='objective'):
        karp.fit(demands, types, objective='cheap')
    with pytest.raises(ValueError, match='effort'):
        karp.fit(demands, types, objective='cost', effort='forever')
