# SPDX-License-Identifier: Apache-2.0
"""karp.objects: dataclasses where dicts are taken; memory of passes; which nodes can be removed."""
import json

import pytest

import karp
from karp.objects import Budget, InstanceType, Node, NodePool, Object, Offering, Pod, Requirement, Spread, Taint, Toleration

ON_DEMAND = Requirement('karpenter.sh/capacity-type', 'In', ('on-demand',))
LARGE = InstanceType('large', {'cpu': 4, 'memory': '16Gi', 'pods': 60}, [Offering('a', 'on-demand', 0.2), Offering('b', 'spot', 0.1)], overhead={'cpu': '100m'})


def test_a_plan_of_typed_objects():
    snapshot = karp.load([NodePool('default', [ON_DEMAND], limits={'cpu': 100}), Pod('one', {'cpu': 3}), Pod('two', {'cpu': '3900m'}), Pod('three', {'cpu': 4})],
                         catalogue=[LARGE])
    plan = snapshot.plan()
    assert {(each.choice.instance_type, each.choice.zone) for each in plan.launches} == {('large', 'a')}
    assert sorted(pod for launch in plan.launches for pod in launch.pods) == ['default/one', 'default/two']
    assert [left.pod for left in plan.unschedulable] == ['default/three'], 'the overhead is taken off'


def test_every_field_is_read():
    """Nothing that the dataclasses write is unknown to the reader, and each field bears on the decision."""
    pool = NodePool('special', [ON_DEMAND], labels={'team': 'a'}, taints=[Taint('only', 'a', 'NoSchedule')], limits={'cpu': 8}, weight=5,
                    consolidation_policy='WhenEmpty', consolidate_after='30s', budgets=[Budget(1, ['Empty']), Budget('50%', schedule='@daily', duration='1h')], expire_after='72h')
    pods = [Pod(f'web-{i}', {'cpu': 1}, labels={'app': 'web'}, annotations={'karpenter.sh/do-not-disrupt': 'true'}, node_selector={'team': 'a'}, affinity=[ON_DEMAND],
                tolerations=[Toleration('only', 'a')], spread=[Spread('kubernetes.io/hostname', {'app': 'web'})], priority=7, owner='web') for i in range(2)]
    snapshot = karp.load([pool, *pods], catalogue=[LARGE])
    ignored = [note for note in snapshot.warnings if 'EC2NodeClass' not in note and 'ReplicaSet' not in note and 'uid' not in note]
    assert ignored == []
    plan = snapshot.plan()
    assert len(plan.launches) == 2 and not plan.unschedulable, 'one of them on each host'
    without = karp.load([pool, Pod('web-0', {'cpu': 1}, node_selector={'team': 'a'})], catalogue=[LARGE]).plan()
    assert without.unschedulable and not without.launches, 'the taint is not tolerated'


def test_nodes_that_can_be_removed():
    nodes = [Node(f'n{i}', {'cpu': 4, 'memory': '16Gi', 'pods': 60}, instance_type='large', zone='a', capacity_type='on-demand', pool='default',
                  created='2026-01-01T00:00:00Z') for i in (1, 2)]
    pods = [Pod('web', {'cpu': 1}, node='n1', owner='web', created='2026-01-01T00:00:00Z')]
    pool = NodePool('default', [ON_DEMAND], consolidation_policy='WhenEmptyOrUnderutilized', consolidate_after='0s', budgets=[Budget('100%')])
    snapshot = karp.load([pool, *nodes, *pods], catalogue=[LARGE], now='2026-01-01T02:00:00Z')
    assert [command.nodes for command in snapshot.disrupt().commands] == [('n2',)]
    held = snapshot.disrupt(in_progress=['n2'])
    assert not any('n2' in command.nodes for command in held.commands)
    assert snapshot.disrupt().memory is None
    first = snapshot.disrupt(memory=b'', in_progress=['n2'])
    assert json.loads(first.memory)
    again = snapshot.disrupt(memory=json.loads(first.memory), in_progress=['n2'])
    assert again.hash == snapshot.disrupt(memory=first.memory, in_progress=['n2']).hash
    with pytest.raises(karp.InputError):
        snapshot.disrupt(memory=b'{"changed": "soon"}')


def test_more_and_edit():
    pod = Pod('one', {'cpu': 1}, more={'spec': {'runtimeClassName': 'x'}, 'metadata': {'labels': {'a': 'b'}}})
    assert pod.manifest()['spec']['runtimeClassName'] == 'x' and pod.manifest()['spec']['containers']
    quick = karp.load(karp.example())
    assert 'default/one' in quick.edit(apply=Pod('one', {'cpu': 1})).pods
    assert quick.edit(apply=[Pod('one', {'cpu': 1})]).plan().hash == quick.edit(apply=[Pod('one', {'cpu': 1}).manifest()]).plan().hash
    with pytest.raises(karp.InputError, match='lots') as caught:
        karp.load([Pod('one', {'cpu': 'lots'})])
    assert caught.value.object == 'Pod default/one'
    with pytest.raises(NotImplementedError):
        Object().manifest()
    assert [each.name for each in karp.catalogue([LARGE])] == ['large']


def test_machines_that_are_idle():
    machines = [karp.Node({'CPU': 4}, count=3), karp.Node({'CPU': 8}), karp.Node({'CPU': 1}, count=0)]
    assert karp.fit([karp.Demand({'CPU': 1}, count=5)], {}, nodes=machines).idle == {0: 1, 1: 1}
    assert karp.fit([], {}, nodes=machines).idle == {0: 3, 1: 1}
    assert karp.fit([karp.Demand({'CPU': 1}, count=20)], {}, nodes=machines).idle == {}
