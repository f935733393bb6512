# SPDX-License-Identifier: Apache-2.0
"""What karp.load() takes, and what it says about what is wrong."""
from __future__ import annotations

import datetime
import gc
import hashlib
import json
import pathlib
import pickle
import weakref
from typing import Any, List

import pytest

import karp
from conftest import QUICKSTART, TYPES, objects, pod, pool
from karp import _snapshot


def test_all_ways_in_are_one(tmp_path: pathlib.Path) -> None:
    listed = karp.load(objects(), catalogue=TYPES)
    document = json.dumps({'kind': 'List', 'apiVersion': 'v1', 'items': objects()}).encode()
    path = tmp_path / 'cluster.json'
    path.write_bytes(document)
    ways = [document, path, str(path), {'kind': 'List', 'apiVersion': 'v1', 'items': objects()},
            [path], [*objects()[:3], json.dumps({'kind': 'List', 'apiVersion': 'v1', 'items': objects()[3:]}).encode()]]
    for way in ways:
        assert karp.load(way, catalogue=TYPES).sha256 == listed.sha256
    assert karp.load(listed.dump()).sha256 == listed.sha256


def test_catalogue_may_be_anything_that_is_one() -> None:
    entries = json.loads(TYPES.read_text())
    made = karp.catalogue(entries)
    ways = [TYPES, str(TYPES), TYPES.read_bytes(), entries, made, [made]]
    digests = {karp.load(objects(), catalogue=way).sha256 for way in ways}
    assert len(digests) == 1
    halves = [karp.catalogue(entries[:1]), karp.catalogue(entries[1:])]
    assert karp.load(objects(), catalogue=halves).counts.instance_types == 2


def test_counts_names_clock() -> None:
    snapshot = karp.load(objects(), catalogue=TYPES, now='2026-11-21T10:00:00Z')
    assert snapshot.counts.pods == len(snapshot.pods) == 9
    assert snapshot.nodes == ('n1', 'n2', 'n3')
    assert snapshot.now == '2026-11-21T10:00:00Z'
    same = datetime.datetime(2026, 11, 21, 11, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
    assert karp.load(objects(), catalogue=TYPES, now=same).sha256 == snapshot.sha256
    with pytest.raises(ValueError, match='time zone'):
        karp.load(objects(), now=datetime.datetime(2026, 11, 21))
    with pytest.raises(ValueError, match='not a time'):
        karp.load(objects(), now='yesterday')


def test_a_profile_has_the_providers_of_its_time() -> None:
    kind = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'}, 'spec': {
        'role': 'r', 'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}]}, 'status': {
            'subnets': [{'id': 's', 'zone': 'us-west-2a', 'zoneID': 'usw2-az1'}], 'capacityReservations': [
                {'id': 'cr-1', 'instanceType': 'm5.large', 'availabilityZone': 'us-west-2a', 'availableInstanceCount': 0}]}}
    template = {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, 'requirements': [
        {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['reserved']}]}
    reserved = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {'template': {'spec': template}}}
    found = {name: karp.load([reserved, kind, pod('a')], region='us-west-2', profile=name).plan(profile=name).unschedulable[0].code
             for name in ('karpenter-1.14', 'karpenter')}
    assert found['karpenter-1.14'] != found['karpenter'], found
    with pytest.raises(ValueError, match='profile'):
        karp.load([], profile='karpenter-0.1')


def test_strict_fills_nothing_in() -> None:
    assert len(karp.load([pool(), pod('a')], catalogue=TYPES).plan().launches) == 1
    assert not karp.load([pool(), pod('a')], catalogue=TYPES, strict=True).plan().launches


def test_errors_say_where(tmp_path: pathlib.Path) -> None:
    path = tmp_path / 'pods.yaml'
    path.write_text('apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec:\n  containers:\n'
                    '  - name: main\n    resources:\n      requests: {cpu: lots}\n')
    with pytest.raises(karp.InputError) as caught:
        karp.load(path)
    error = caught.value
    assert (error.status, error.document, error.line) == ('KARP_E_INVALID', str(path), 8)
    assert error.column is not None and error.column > 1
    assert (error.object, error.field) == ('Pod shop/web', 'spec.containers[0].resources.requests.cpu')
    assert '"lots"' in error.reason
    assert str(error) == f'{path}:8:{error.column}: {error.object}: {error.field}: {error.reason}'
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is karp.InputError and vars(again) == vars(error) and str(again) == str(error)


@pytest.mark.parametrize('document, kind, status', [
    (b'{"kind": ', karp.InputError, 'KARP_E_SYNTAX'),
    (b'a: [', karp.InputError, 'KARP_E_SYNTAX'),
    (b'\xff\xfe', karp.InputError, 'KARP_E_SYNTAX'),
    (b'{"kind":"Pod","x":' + b'[' * 1000 + b']' * 1000 + b'}', karp.LimitError, 'KARP_E_LIMIT'),
    ([pod('a'), pod('a')], karp.InputError, 'KARP_E_DUPLICATE'),
    ([pod('a', cpu='1e40')], karp.InputError, 'KARP_E_RANGE'),
])
def test_bad_documents(document: object, kind: 'type[karp.Error]', status: str) -> None:
    with pytest.raises(kind) as caught:
        karp.load(document)  # type: ignore[arg-type]
    assert caught.value.status == status and caught.value.reason


def test_bad_arguments(tmp_path: pathlib.Path) -> None:
    with pytest.raises(karp.FileError) as caught:
        karp.load(tmp_path / 'nothing.yaml')
    assert 'nothing.yaml' in str(caught.value)
    with pytest.raises(karp.InputError, match='NUL'):
        karp.load('a\0b')
    with pytest.raises(TypeError, match='int'):
        karp.load(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match='int'):
        karp.load([7])  # type: ignore[list-item]
    with pytest.raises(karp.NotFoundError):
        karp.catalogue(region='mars-north-1')
    with pytest.raises(TypeError, match='built-in'):
        karp.catalogue(TYPES, region='us-east-1')
    with pytest.raises(karp.InputError) as named:
        karp.catalogue(b'[{"name": 7}]')
    assert named.value.document == 'catalogue'


def test_the_digest_is_worked_out_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: List[int] = []
    dump = _snapshot._dump

    def counted(*given: Any) -> bytes:
        made.append(1)
        return dump(*given)
    monkeypatch.setattr(_snapshot, '_dump', counted)
    snapshot = karp.load(objects(), catalogue=TYPES)
    plan, other = snapshot.plan(), snapshot.disrupt()
    assert plan.launches and not made
    wanted = hashlib.sha256(snapshot.dump()).hexdigest()
    made.clear()
    assert plan.sha256 == other.sha256 == snapshot.sha256 == wanted and len(made) == 1
    # What is closed holds no documents for it, and plans still tell it.
    snapshot = karp.load(objects(), catalogue=TYPES)
    reader = weakref.ref(snapshot._open().reader)
    plan = snapshot.plan()
    snapshot.close()
    gc.collect()
    assert reader() is None and plan.sha256 == wanted and len(made) == 2
    # Nor is it worked out for nobody.
    karp.load(objects(), catalogue=TYPES).close()
    assert len(made) == 2
    # A plan alone can still be asked.
    assert karp.load(objects(), catalogue=TYPES).plan().sha256 == wanted


def test_what_is_closed_says_so(quickstart: karp.Snapshot) -> None:
    snapshot = karp.load(QUICKSTART)
    plan = snapshot.plan(disrupt=True)
    launch, command_source = plan.launches[0], plan.disruption
    snapshot.close()
    snapshot.close()
    assert snapshot.closed and repr(snapshot) == '<karp.Snapshot, closed>'
    uses = [lambda: snapshot.plan(), lambda: snapshot.disrupt(), lambda: snapshot.what_if(), lambda: snapshot.sha256,
            lambda: snapshot.explain(pod='ml/train-0'), lambda: snapshot.counts, lambda: snapshot.pods, lambda: snapshot.nodes,
            lambda: snapshot.now, lambda: snapshot.dump(), lambda: snapshot.warnings, lambda: karp.verify(snapshot, plan),
            lambda: pickle.dumps(snapshot), lambda: snapshot.__enter__()]
    for use in uses:
        with pytest.raises(karp.ClosedError):
            use()
    # A decision outlives its snapshot.
    gc.collect()
    assert launch.pods and plan.cost.after > 0
    plan.close()
    plan.close()
    assert plan.closed and command_source is not None and command_source.closed
    uses = [lambda: plan.launches, lambda: plan.placements, lambda: plan.unschedulable, lambda: plan.ignored,
            lambda: plan.cost, lambda: plan.nodes, lambda: plan.now, lambda: plan.to_json(), lambda: plan.to_text(),
            lambda: plan.warnings, lambda: plan.complete, lambda: plan.profile, lambda: launch.id, lambda: launch.requests,
            lambda: launch.instance_types, lambda: launch.choice, lambda: karp.verify(quickstart, plan),
            lambda: command_source.commands, lambda: plan.__enter__()]
    for use in uses:
        with pytest.raises(karp.ClosedError):
            use()
    assert repr(plan) == '<karp.Plan, closed>'
    catalogue = karp.catalogue(TYPES)
    catalogue.close()
    with pytest.raises(karp.ClosedError):
        karp.load(objects(), catalogue=catalogue)
    with pytest.raises(karp.ClosedError):
        len(catalogue)
    for explanation in (quickstart.explain(pod='ml/train-0'), quickstart.explain(node='system')):
        explanation.close()
        with pytest.raises(karp.ClosedError):
            explanation.to_text()
        assert 'closed' in repr(explanation)


def test_context_managers() -> None:
    with karp.load(QUICKSTART) as snapshot, snapshot.plan() as plan:
        assert plan.launches
    assert snapshot.closed and plan.closed


def test_many_are_freed() -> None:
    """Rows do not keep plans alive in a circle: memory goes with the last name."""
    import weakref
    plan = karp.load(QUICKSTART).plan()
    assert plan.launches[0].choice and plan.nodes
    handle = weakref.ref(plan._handle)
    gc.disable()
    try:
        del plan
        assert handle() is None
    finally:
        gc.enable()
