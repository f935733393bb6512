# SPDX-License-Identifier: Apache-2.0
"""Two versions of Karpenter, designs and settlements side by side."""
from __future__ import annotations

import json
import pickle

import pytest

import karp


def test_settles() -> None:
    world = karp.load(karp.example())
    settled = world.settle()
    assert settled['kind'] == 'Settlement' and [design['name'] for design in settled['designs']] == ['first round', 'settled']
    assert settled['rounds'][0]['launches'] == len(world.plan().launches)
    assert world.settle(disrupt=False, boot=5)['rounds'][0] == settled['rounds'][0]
    assert json.loads(settled.to_json()) == settled.to_dict() == dict(pickle.loads(pickle.dumps(settled)))


def test_profiles_differ() -> None:
    world = karp.load(karp.example())
    assert world.diff('karpenter', 'karpenter').count == 0
    found = world.diff('karpenter-1.14', 'karpenter-1.15')
    assert (found['before'], found['after']) == ('karpenter-1.14', 'karpenter-1.15') and found['rules']
    assert found.count == sum(len(found[kind]) for kind in karp.Diff.KINDS)
    assert str(found).startswith('karp diff  karpenter-1.14')
    with pytest.raises(ValueError):
        world.diff('karpenter', 'karpenter-1')
    with pytest.raises(ValueError):
        world.diff('karpenter', 'karp', method='None')


def test_designs() -> None:
    world = karp.load(karp.example())
    other = world.edit(scale={'web': 1})
    found = karp.compare({'as it is': world, 'smaller': other, 'the same': world})
    first, second, third = found['designs']
    assert [design['name'] for design in found['designs']] == ['as it is', 'smaller', 'the same']
    assert first['cost']['perHour'] > second['cost']['perHour'] > 0 and third['nodes'] == first['nodes']
    smaller, same = found['differences']
    assert [(row['object'], row['field'], row['before'], row['after']) for row in smaller['fields']] == [('Deployment default/web', 'spec.replicas', 6, 1)]
    assert {row['change'] for row in smaller['moves']} >= {'deleted'} and same['fields'] == same['moves'] == []
    with pytest.raises(karp.InputError):
        karp.compare({})
    other.close()
    with pytest.raises(karp.ClosedError):
        karp.compare({'closed': other})
