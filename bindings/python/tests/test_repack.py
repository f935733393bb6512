# SPDX-License-Identifier: Apache-2.0
"""Repack plans: a cheaper cluster for the same pods."""
from __future__ import annotations

import json
import pathlib
from typing import Callable

import pytest

import karp
from karp import Offering, Requirement
from karp.objects import Budget, InstanceType, Node, NodePool, Pod

TYPES = [InstanceType(name, {'cpu': cpu, 'memory': '16Gi', 'pods': 60}, [Offering('a', 'on-demand', price)])
         for name, cpu, price in (('large', 8, 0.8), ('small', 2, 0.3))]
BORN, NOW = '2026-01-01T00:00:00Z', '2026-01-01T02:00:00Z'


@pytest.fixture(scope='module')
def thin() -> karp.Snapshot:
    """Six large nodes with a pod of one core each, which one of them could hold."""
    nodes = [Node(f'n{i}', {'cpu': 8, 'memory': '16Gi', 'pods': 60}, instance_type='large', zone='a', capacity_type='on-demand',
                  pool='default', created=BORN) for i in range(6)]
    pool = NodePool('default', [Requirement('karpenter.sh/capacity-type', 'In', ('on-demand',))],
                    consolidation_policy='WhenEmptyOrUnderutilized', consolidate_after='0s', budgets=[Budget('100%')])
    pods = [Pod(f'p{i}', {'cpu': 1}, node=f'n{i}', owner='web', created=BORN) for i in range(6)]
    return karp.load([pool, *nodes, *pods], catalogue=TYPES, now=NOW)


def test_all_move_together(thin: karp.Snapshot) -> None:
    plan = thin.repack(effort=1000)
    assert (plan.cost.before, plan.cost.after) == (pytest.approx(4.8), pytest.approx(0.8))
    assert (plan.evictions, plan.pods, plan.stopped) == (5, 6, False)
    assert 0 < plan.bound <= plan.cost.after + 1e-9
    assert sum(s.saving for s in plan.steps) == pytest.approx(4.0) and plan.steps[-1].total_evictions == 5
    assert [s.cost_after for s in plan.steps] == sorted((s.cost_after for s in plan.steps), reverse=True)
    assert all(s.command.method == 'Repack' for s in plan.steps) and len(plan.commands) == len(plan.steps)
    assert plan.curve[0].evictions == 0 and plan.curve[-1].cost == pytest.approx(0.8)
    assert all(p.bound <= p.cost + 1e-9 for p in plan.curve)
    document = plan.to_dict()
    assert document['kind'] == 'RepackPlan' and document['evictions'] == 5 and 'RepackPlan' in repr(plan)


def test_limits(thin: karp.Snapshot) -> None:
    assert thin.repack(effort=1000, max_evictions=2).evictions == 2
    assert thin.repack(effort=1000, max_evictions='50%').evictions == 3
    assert len(thin.repack(effort=1000, max_steps=1).steps) == 1
    assert thin.repack(effort=1000, min_saving_per_eviction=1).steps == ()
    with pytest.raises(karp.Error):
        thin.repack(max_evictions='101%')
    with pytest.raises(karp.Error):
        thin.repack(min_saving=-1)


def test_a_step_is_a_command(thin: karp.Snapshot) -> None:
    step = thin.repack(effort=1000, max_evictions=1).steps[0].command.begin()
    assert step.phase == 'Validating' and len(step.nodes) == 1 and step.replacements == ()
    step = thin.step(step, now=step.validate_at)
    assert not step.finished and 'ADD_TAINT' in {action.kind for action in step.actions}


def test_the_program_says_the_same(thin: karp.Snapshot, program: Callable[..., str], tmp_path: pathlib.Path) -> None:
    file = tmp_path / 'world.json'
    file.write_bytes(thin.dump())
    said = json.loads(program('repack', '-f', file, '--now', NOW, '--effort', '1000', '-o', 'json'))
    assert said['steps'] == thin.repack(effort=1000).to_dict()['steps']


def test_pods_that_may_not_share_a_node() -> None:
    """Required anti-affinity about host names: two pods of a kind never come to one node, and so three nodes stay for three of them."""
    apart = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
        {'labelSelector': {'matchLabels': {'app': 'apart'}}, 'topologyKey': 'kubernetes.io/hostname'}]}}
    nodes = [Node(f'n{i}', {'cpu': 8, 'memory': '16Gi', 'pods': 60}, instance_type='large', zone='a', capacity_type='on-demand', pool='default',
                  created=BORN) for i in range(6)]
    pool = NodePool('default', [Requirement('karpenter.sh/capacity-type', 'In', ('on-demand',))],
                    consolidation_policy='WhenEmptyOrUnderutilized', consolidate_after='0s', budgets=[Budget('100%')])
    pods = [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {
        'name': f'p{i}', 'namespace': 'default', 'creationTimestamp': BORN, 'labels': {'app': 'apart' if i < 3 else 'web'},
        'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'w', 'uid': 'w', 'controller': True}]}, 'spec': {
            'nodeName': f'n{i}', 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}], **({'affinity': apart} if i < 3 else {})},
        'status': {'phase': 'Running'}} for i in range(6)]
    plan = karp.load([pool, *nodes, *pods], catalogue=TYPES, now=NOW).repack(effort=1000)
    at = {f'default/p{i}': f'n{i}' for i in range(6)}
    for step in plan.steps:
        at.update({pod: launch.id for launch in step.command.replacements for pod in launch.pods})
        at.update({pod: placement.node for placement in step.command.placements for pod in placement.pods})
    assert len({at[f'default/p{i}'] for i in range(3)}) == 3, at
    assert plan.cost.after < plan.cost.before
