# SPDX-License-Identifier: Apache-2.0
"""Commands that are carried out step by step; catalogues at other prices."""
from __future__ import annotations

import json
from typing import Set

import pytest

import karp
from karp import Observation, Offering, PriceRule, Requirement
from karp.objects import Budget, InstanceType, Node, NodePool, Pod

TYPES = [InstanceType(name, {'cpu': cpu, 'memory': '16Gi', 'pods': 60}, [Offering('a', 'on-demand', price), Offering('a', 'spot', price / 4)])
         for name, cpu, price in (('large', 8, 0.8), ('small', 2, 0.2))]


def cluster(*names: str) -> karp.Snapshot:
    """Large nodes, of which the first has a pod that a small one would do for."""
    born = '2026-01-01T00:00:00Z'
    nodes = [Node(name, {'cpu': 8, 'memory': '16Gi', 'pods': 60}, instance_type='large', zone='a', capacity_type='on-demand', pool='default', created=born)
             for name in names]
    on_demand = Requirement('karpenter.sh/capacity-type', 'In', ('on-demand',))
    pool = NodePool('default', [on_demand], consolidation_policy='WhenEmptyOrUnderutilized', consolidate_after='0s', budgets=[Budget('100%')])
    return karp.load([pool, *nodes, Pod('web', {'cpu': 1}, node='half', owner='web', created=born)], catalogue=TYPES, now='2026-01-01T02:00:00Z')


def test_an_empty_node() -> None:
    snapshot = cluster('half', 'idle')
    [command] = snapshot.disrupt(method='Emptiness').commands
    begun = command.begin()
    assert begun.phase == 'Validating' and begun.actions == () and not begun.finished and begun.reason is None
    assert begun.look_again == begun.validate_at and begun.started is None and begun.decided == '2026-01-01T02:00:00Z'
    assert [n.node for n in begun.nodes] == ['idle'] and begun.replacements == () and begun.receivers == ()
    step, seen = begun, set()  # type: karp.CommandStep, Set[str]
    while not step.finished:
        step = snapshot.step(step, now=begun.validate_at)
        seen |= {action.kind for action in step.actions}
    assert step.phase == 'Done' and {'ADD_TAINT', 'MARK_NODE', 'DELETE_CLAIM'} <= seen
    assert step.savings == begun.savings == pytest.approx(0.8) and 'Done: idle' in repr(step)
    assert snapshot.step(step).finished, 'the end stays the end'
    step.close()
    with pytest.raises(karp.ClosedError):
        step.phase


def test_a_replacement() -> None:
    snapshot = cluster('half')
    [command] = snapshot.disrupt(method='SingleNodeConsolidation').commands
    assert command.decision == 'replace'
    step = command.begin()
    due = step.validate_at
    [wanted] = step.replacements
    assert (wanted.node_pool, wanted.instance_type, wanted.claim, wanted.progress) == ('default', 'small', '', 'wanted')
    while not any(action.kind == 'CREATE_REPLACEMENT' for action in step.actions):
        document = step.document
        assert json.loads(document) == step.to_dict()
        step = snapshot.step(document, now=due)
        assert not step.finished, step.reason
    [action] = [a for a in step.actions if a.kind == 'CREATE_REPLACEMENT']
    assert action.object == 'default' and action.number == 0
    going = snapshot.step(step.to_dict(), [Observation('CREATED', 'new', 0)], now=due)
    assert going.phase == 'Waiting' and going.started == due and going.replacements[0].claim == 'new'
    assert {'MARK_NODE'} <= {a.kind for a in going.actions}
    failed = snapshot.step(step, [Observation('NOT_CREATED', number=0)], now=due)
    assert failed.phase == 'GivenUp' and failed.reason and failed.finished


def test_what_is_no_command() -> None:
    snapshot = cluster('half', 'idle')
    [command] = snapshot.disrupt(method='Emptiness').commands
    with pytest.raises(karp.InputError):
        snapshot.step(b'{"phase": "Somewhere"}')
    with pytest.raises(ValueError, match='SEEN'):
        snapshot.step(command.begin(), [Observation('SEEN')])
    with pytest.raises(ValueError, match='index'):
        snapshot.step(command.begin(), [Observation('CREATED', 'x', -1)])
    with pytest.raises(karp.InputError):
        snapshot.step(command.begin(), [Observation('CREATED', 'x', 7)])


def test_other_prices() -> None:
    listed = karp.catalogue(TYPES)
    dearer = listed.reprice(PriceRule([Requirement('karpenter.sh/capacity-type', 'In', ('spot',))], factor=2, per_node=0.1), PriceRule(per_vcpu=0.01))
    assert [o.price for o in dearer['small'].offerings] == pytest.approx([0.22, 0.22]) and [o.price for o in listed['small'].offerings] == [0.2, 0.05]
    assert listed.reprice().to_json() == listed.to_json()
    paid = [karp.load([NodePool('default'), Pod('web', {'cpu': 1})], catalogue=c).plan().cost.after for c in (listed, dearer)]
    assert paid == pytest.approx([0.05, 0.22])
    for wrong in (PriceRule(factor=-1), PriceRule(per_node=float('nan')), PriceRule([Requirement('', 'Exists')])):
        with pytest.raises(karp.InputError):
            listed.reprice(wrong)
    with pytest.raises(ValueError, match='Near'):
        listed.reprice(PriceRule([Requirement('a', 'Near', ('b',))]))
