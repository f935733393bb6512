# SPDX-License-Identifier: Apache-2.0
"""Decisions as objects say what the documents say, and what the program prints."""
from __future__ import annotations

import json
import math
import os
import pathlib
import pickle
import signal
from typing import Any, Callable, Dict, Iterable, List

import pytest

import karp
from conftest import QUICKSTART, SOURCE, STORIES, TYPES, objects, pod, pool, snake

SHARED = pathlib.Path(os.environ.get('KARP_SHARED') or SOURCE.parent / 'shared')


def requirement(r: karp.Requirement) -> Dict[str, Any]:
    out: Dict[str, Any] = {'key': r.key, 'operator': r.operator}
    if r.values:
        out['values'] = list(r.values)
    if r.min_values is not None:
        out['min_values'] = r.min_values
    return out


def taint(t: karp.Taint) -> Dict[str, Any]:
    return {'key': t.key, **({'value': t.value} if t.value else {}), 'effect': t.effect}


def offer(choice: karp.Choice) -> Dict[str, Any]:
    return {'instance_type': choice.instance_type, 'zone': choice.zone, 'capacity_type': choice.capacity_type,
            'price': choice.price}


def launch(row: karp.Launch) -> Dict[str, Any]:
    out: Dict[str, Any] = {
        'id': row.id, 'node_pool': row.node_pool, 'pods': list(row.pods), 'requests': row.requests,
        'requirements': [requirement(r) for r in row.requirements], 'labels': row.labels, 'annotations': row.annotations,
        'taints': [taint(t) for t in row.taints], 'startup_taints': [taint(t) for t in row.startup_taints],
        'instance_types': list(row.instance_types)}
    if row.choice:
        c = row.choice
        out['choice'] = {**offer(c), 'allocatable': c.allocatable, 'node_labels': c.node_labels}
    if row.runner_up:
        out['runner_up'] = offer(row.runner_up)
    return out


def command(row: karp.Command) -> Dict[str, Any]:
    out: Dict[str, Any] = {
        'method': row.method, 'reason': row.reason, 'decision': row.decision, 'nodes': list(row.nodes),
        'replacements': [launch(each) for each in row.replacements],
        'placements': [{'node': each.node, 'pods': list(each.pods)} for each in row.placements], 'savings': row.savings}
    if row.score is not None:
        out['score'] = row.score
    if row.validate_after is not None:
        out['validate_after'] = row.validate_after
    return out


def unschedulable(row: karp.Unschedulable) -> Dict[str, Any]:
    out: Dict[str, Any] = {
        'pod': row.pod, 'code': row.code, 'permanent': row.permanent, 'message': row.message,
        'pools': [{**p._asdict(), 'types': p.types._asdict()} for p in row.pools], 'relax': list(row.relax)}
    if row.targets:
        out['targets'] = [{'launch' if t.is_launch else 'node': t.target, 'code': t.code} for t in row.targets]
    return out


def within(part: Any, whole: Any, where: str = '') -> None:
    """Everything of `part` is in `whole`. (Documents may be extended; what objects have must be in them.)"""
    if isinstance(part, dict) and isinstance(whole, dict):
        for key, value in part.items():
            assert key in whole, f'{where}.{key} is not in the document'
            within(value, whole[key], f'{where}.{key}')
    elif isinstance(part, list) and isinstance(whole, list):
        assert len(part) == len(whole), where
        for i, (a, b) in enumerate(zip(part, whole)):
            within(a, b, f'{where}[{i}]')
    elif isinstance(part, float) and isinstance(whole, (int, float)):  # sums are written without the noise of additions
        assert abs(part - whole) <= 1e-12 * max(1.0, abs(part)), where
    else:
        assert part == whole, where


# What a plan and a launch have had from the beginning.
PLAN = {'input', 'profile', 'complete', 'launches', 'placements', 'unschedulable', 'ignored', 'cost', 'warnings'}
LAUNCH = {'id', 'node_pool', 'pods', 'requests', 'requirements', 'labels', 'annotations', 'taints', 'startup_taints',
          'instance_types', 'choice'}


def header(decision: 'karp.Plan | karp.DisruptionPlan') -> Dict[str, Any]:
    return {'input': {'now': decision.now, 'sha256': decision.sha256}, 'profile': decision.profile,
            'complete': decision.complete, 'cost': decision.cost._asdict(), 'warnings': list(decision.warnings)}


def kept(rows: Iterable[karp.Kept]) -> List[Dict[str, Any]]:
    return [{name: value for name, value in row._asdict().items() if value is not None} for row in rows]


def as_document(plan: karp.Plan) -> Dict[str, Any]:
    out = {**header(plan), 'launches': [launch(row) for row in plan.launches],
           'placements': [{'node': row.node, 'pods': list(row.pods)} for row in plan.placements],
           'unschedulable': [unschedulable(row) for row in plan.unschedulable],
           'ignored': [row._asdict() for row in plan.ignored]}
    if plan.disruption:
        out.update(disruptions=[command(row) for row in plan.disruptions], kept=kept(plan.kept))
    return out


def as_disruption(plan: karp.DisruptionPlan) -> Dict[str, Any]:
    out = {**header(plan), 'method': plan.method, 'reason': plan.reason, 'simulations': plan.simulations,
           'budgets': plan.budgets, 'commands': [command(row) for row in plan.commands], 'kept': kept(plan.kept),
           'candidates': [{'node': c.node, 'node_pool': c.node_pool, 'price': c.price, 'disruption_cost': c.disruption_cost,
                           'reschedule_disruption_cost': c.reschedule_disruption_cost, 'pods': list(c.pods)}
                          for c in plan.candidates]}
    if plan.error:
        out['error'] = plan.error._asdict()
    return out


def prices_as_numbers(value: Any, key: str = '') -> Any:
    """Prices are text in documents, for other readers' sake, and numbers here."""
    if isinstance(value, dict):
        return {k: prices_as_numbers(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [prices_as_numbers(each) for each in value]
    if key in ('price', 'savings', 'before', 'after', 'delta') and isinstance(value, str):
        return float(value)
    return value


def document_of(decision: 'karp.Plan | karp.DisruptionPlan') -> Dict[str, Any]:
    document = decision.to_dict()
    for key in ('apiVersion', 'kind', 'engine'):
        del document[key]
    out: Dict[str, Any] = snake(prices_as_numbers(document))
    return out


def compare(snapshot: karp.Snapshot, **options: Any) -> None:
    plan = snapshot.plan(disrupt=True, explain='full', **options)
    within(as_document(plan), document_of(plan))
    assert PLAN <= set(as_document(plan)) and all(LAUNCH <= set(row) for row in as_document(plan)['launches'] if 'choice' in row)
    disruption = snapshot.disrupt(**options)
    within(as_disruption(disruption), document_of(disruption))
    assert not karp.verify(snapshot, plan).errors


@pytest.mark.parametrize('path', [
    QUICKSTART, STORIES / 'workshop', STORIES / 'field-tour/provisioners.yaml', STORIES / 'zones/affinity.yaml'])
def test_objects_mirror_documents(path: pathlib.Path) -> None:
    more = {'affinity.yaml': ['nodes.yaml', 'nodepool.yaml'], 'provisioners.yaml': ['workloads.yaml']}
    extra = [path.parent / name for name in more.get(path.name, [])]
    compare(karp.load([path, *extra]))


def test_objects_mirror_documents_of_a_busy_cluster(busy: karp.Snapshot) -> None:
    compare(busy)
    compare(busy, profile='karp')
    plan = busy.plan()
    assert [row.pod for row in plan.unschedulable] == ['default/huge'] and plan.unschedulable[0].permanent
    assert plan.placements and plan.launches and plan.launches[0].choice
    assert plan.cost.delta == plan.cost.after - plan.cost.before > 0
    assert len(plan.nodes) == 3 and sum(row.pods_received for row in plan.nodes) == sum(len(p.pods) for p in plan.placements)


def test_objects_mirror_documents_of_the_cases() -> None:
    cases = sorted((SHARED / 'conformance/cases').glob('*.snapshot.json'))
    if not cases:
        pytest.skip('there are no conformance cases beside the source')
    for path in cases[::40]:
        with karp.load(path) as snapshot:
            plan = snapshot.plan()
            within(as_document(plan), document_of(plan), path.name)
            disruption = snapshot.disrupt()
            within(as_disruption(disruption), document_of(disruption), path.name)


def test_as_the_program_prints(program: Callable[..., str], tmp_path: pathlib.Path) -> None:
    path = tmp_path / 'cluster.json'
    path.write_text(json.dumps({'kind': 'List', 'apiVersion': 'v1', 'items': objects()}))
    snapshot = karp.load(path, catalogue=TYPES)
    same = ('-f', path, '--catalogue', TYPES)
    assert snapshot.plan().to_json() == program('plan', *same, '-o', 'json')
    assert snapshot.plan(disrupt=True).to_json() == program('plan', '--disrupt', *same, '-o', 'json')
    assert snapshot.plan().to_yaml() == program('plan', *same, '-o', 'yaml')
    # The program decides on pending pods as well, and says which node of the pass they nominate.
    said = json.loads(program('disrupt', *same, '-o', 'json'))
    assert [note.split(': ')[0] for note in said.pop('warnings')] == ['provisioning gives pending pod default/new-2 to n3']
    assert said == {key: value for key, value in json.loads(snapshot.disrupt().to_json()).items() if key != 'warnings'}
    assert (snapshot.plan(disrupt=True).to_html(title='cluster.json', catalogue='types.json')
            == program('plan', '--disrupt', *same, '-o', 'html'))
    assert snapshot.disrupt(method='Drift').to_json() == program('disrupt', '--method', 'Drift', *same, '-o', 'json')
    assert snapshot.dump().decode() == program('dump', *same)
    over = SOURCE / 'tests/cases/asks/scaled-over-rounds.yaml'
    rounds = karp.load(over)
    with rounds.plan() as plan:
        rounds.close()
        text = plan.to_json()
        assert json.loads(text)['settledCost'] == json.loads(program('plan', '-f', over, '-o', 'json'))['settledCost']
        assert plan.to_json() == text and rounds.closed
    assert snapshot.explain(node='n1').to_json() == program('explain', 'node', 'n1', *same, '-o', 'json')
    assert snapshot.explain(pod='default/huge').to_json() == program('explain', 'pod', 'default/huge', *same, '-o', 'json')
    assert (snapshot.what_if(remove='n1', lose_zone=['zone-b'], price={'spot': 2, 'all': 0.5}).to_json()
            == program('whatif', '--remove', 'n1', '--lose-zone', 'zone-b', '--price-factor', 'spot=2,all=0.5', *same,
                       '-o', 'json'))
    assert karp.catalogue(TYPES).to_json() == program('catalogue', '--catalogue', TYPES, '-o', 'json')
    assert karp.catalogue(TYPES).to_csv() == program('catalogue', '--catalogue', TYPES, '-o', 'csv')


def test_expiration() -> None:
    old = [pool(template={'spec': {**pool()['spec']['template']['spec'], 'expireAfter': '720h'}}), *objects()[1:]]
    for each in old:
        if each['kind'] == 'Node':
            each['metadata']['creationTimestamp'] = '2025-01-01T00:00:00Z'
    snapshot = karp.load(old, catalogue=TYPES, now='2026-11-21T00:00:00Z')
    assert snapshot.disrupt(method='Expiration').method == 'Expiration'
    first = snapshot.disrupt(expire_gracefully=True)
    assert first.method == 'Expiration' and first.reason == 'Expired' and first.commands
    assert snapshot.disrupt().method != 'Expiration'


def test_what_if(busy: karp.Snapshot) -> None:
    plain = busy.plan()
    assert busy.what_if().to_dict()['launches'] == plain.to_dict()['launches']
    fewer = busy.what_if(remove=['n1', 'n2'])
    assert {row.node for row in fewer.nodes if row.marked} == {'n1', 'n2'}
    assert len(fewer.launches) > len(plain.launches)
    assert busy.what_if(price=2).cost.after == pytest.approx(2 * plain.cost.after)
    lost = busy.what_if(lose_zone='zone-b')
    assert all(row.choice and row.choice.zone == 'zone-a' for row in lost.launches)
    more = busy.what_if(add=[pod('late-0', cpu='1900m'), pod('late-1', cpu='1900m')])
    assert {'default/late-0', 'default/late-1'} <= {name for row in (*more.launches, *more.placements) for name in row.pods}
    with pytest.raises(karp.NotFoundError, match='n9'):
        busy.what_if(remove='n9')
    with pytest.raises(karp.NotFoundError):
        busy.what_if(lose_zone='zone-z')
    with pytest.raises(karp.InputError):
        busy.what_if(price={'spot': math.nan})
    with pytest.raises(karp.InputError):
        busy.what_if(price=-1)


def test_added_objects_count_as_if_they_had_been_there(busy: karp.Snapshot) -> None:
    late = pod('late-0', cpu='1900m')
    whole = karp.load([*objects(), late], catalogue=TYPES)

    def said(plan: karp.Plan) -> Any:
        return [(row.pods, row.choice and row.choice.instance_type) for row in plan.launches], [
            (row.node, row.pods) for row in plan.placements]
    assert said(busy.what_if(add=late)) == said(whole.plan())


def test_explain(busy: karp.Snapshot, quickstart: karp.Snapshot) -> None:
    why = busy.explain(pod='default/huge')
    assert (why.outcome, why.code, why.launch, why.node) == ('unschedulable', 'TYPE_RESOURCES', None, None)
    document = why.to_dict()
    assert [r.text for r in why.remedies] == [r['text'] for r in document['remedies']]
    assert [r.kind for r in why.remedies] == [r['kind'] for r in document['remedies']]
    assert (why.tried, why.bounded) == (document['tried'], document['bounded'])
    remedy = quickstart.explain(pod='ml/train-0').remedies[0]
    assert remedy.kind == 'REQUEST_LESS' and remedy.choice and remedy.choice.price > 0
    for name in busy.plan().placements[0].pods:
        assert busy.explain(pod=name).outcome == 'node'
    for row in busy.plan().launches:
        assert busy.explain(pod=row.pods[0]).launch == row.id
    assert busy.explain(pod='default/odd').outcome == 'ignored'
    kept_node = busy.explain(node='n1')
    document = kept_node.to_dict()
    assert kept_node.outcome == document['outcome']
    assert [b.code for b in kept_node.blockers] == [b['code'] for b in document['blockers']]
    move = kept_node.best_rejected_move
    assert (move is None) == ('bestRejectedMove' not in document)
    assert [(c.text, c.instance_type) for c in kept_node.changes] == [(r['text'], r.get('instanceType')) for r in document['remedies']]
    assert (kept_node.expired, kept_node.drift) == (document.get('expired', False), document.get('drift'))
    assert set(kept_node.facts) <= set(document.get('warnings', []))
    assert kept_node.plan.method == busy.disrupt().method
    with pytest.raises(karp.NotFoundError):
        busy.explain(pod='default/nobody')
    with pytest.raises(karp.NotFoundError):
        busy.explain(node='nowhere')
    with pytest.raises(TypeError):
        busy.explain()  # type: ignore[call-overload]


def test_verify_finds_what_is_wrong(busy: karp.Snapshot) -> None:
    plan = busy.plan()
    assert karp.verify(busy, plan) and karp.verify(busy, plan.to_json()) and karp.verify(busy, plan.to_dict())
    wrong = plan.to_dict()
    wrong['placements'][0]['pods'].append('default/huge')
    found = karp.verify(busy, wrong)
    assert not found and 'RESOURCES' in {error.code for error in found.errors}
    with pytest.raises(karp.InputError):
        karp.verify(busy, b'{"launches": 7}')
    with pytest.raises(karp.InputError):
        karp.verify(busy, b'nothing')


def test_stopping(busy: karp.Snapshot, crowd: karp.Snapshot) -> None:
    assert busy.plan(max_steps=1).complete is False
    with pytest.raises(karp.CanceledError):
        busy.plan(max_steps=1, keep_partial=False)
    with pytest.raises(karp.CanceledError):
        crowd.plan(should_stop=lambda: True, keep_partial=False)
    assert crowd.plan(should_stop=lambda: True).complete is False

    class Own(Exception):
        pass

    def give_up() -> bool:
        raise Own
    with pytest.raises(Own):
        crowd.plan(should_stop=give_up)
    asked: List[int] = []
    assert crowd.plan(should_stop=lambda: asked.append(1)).complete and asked


def test_ctrl_c(crowd: karp.Snapshot) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        crowd.plan(should_stop=lambda: signal.raise_signal(signal.SIGINT))
    assert signal.getsignal(signal.SIGINT) is before
    assert crowd.plan().complete


@pytest.mark.parametrize('options', [{'profile': 'borg'}, {'explain': 'loudly'}, {'max_steps': -1}, {'method': 'Magic'}])
def test_options_are_checked(busy: karp.Snapshot, options: Dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        busy.disrupt(**options)


def test_catalogue() -> None:
    catalogue = karp.catalogue(TYPES)
    assert len(catalogue) == 2 and [t.name for t in catalogue] == ['small', 'large']
    small = catalogue['small']
    assert small.price == 0.04 and small.capacity['cpu'] == '2'
    assert {(o.zone, o.capacity_type, o.price) for o in small.offerings} == {
        ('zone-a', 'on-demand', 0.1), ('zone-b', 'on-demand', 0.1), ('zone-b', 'spot', 0.04)}
    with pytest.raises(KeyError):
        catalogue['huge']
    west = karp.catalogue(region='us-west-2', reserved_enis=1)
    assert {t['name']: t['allocatable'] for t in west.to_dict()} == {t.name: t.allocatable for t in west.types}
    assert karp.quantity(west['m5.large'].allocatable['cpu']) == 1.93
    with pytest.raises(karp.InputError):
        karp.quantity('much')


def test_notebooks_get_a_page_and_a_text(quickstart: karp.Snapshot) -> None:
    plan = quickstart.plan()
    assert str(plan) == plan.to_text() and 'Plan: 3 to launch' in str(plan)
    assert plan._repr_html_() == plan.to_html() == plan._repr_mimebundle_()['text/html']
    assert '+ new-1' in plan.to_html() and plan.to_html().startswith('<!doctype html>')
    assert 'cluster &lt;1&gt;' in plan.to_html(title='cluster <1>')
    assert len(plan.to_html()) < 200_000
    assert 'karp disrupt' in quickstart.disrupt().to_html()
    assert '\x1b[' in plan.to_text(color=True) and '\x1b[' not in plan.to_text()


@pytest.mark.parametrize('profile, version, launches', [('karpenter', '1.15', 0), ('karpenter-1.15', '1.15', 0), ('karpenter-1.14', '1.14', 1), ('karp', '1.15', 0)])
def test_versions_of_karpenter(profile: str, version: str, launches: int) -> None:
    """A pool wants two zones to choose from, and the pod allows one: since 1.15 that is one zone."""
    cases = SOURCE / 'tests/cases/scheduling'
    with karp.load([cases / 'versions/allowed-min-values.yaml', cases / 'two-zones.yaml'], catalogue=cases / 'types.yaml') as snapshot:
        plan = snapshot.plan(profile=profile)
        assert (plan.peer_version, len(plan.launches)) == (version, launches)


def test_unknown_versions() -> None:
    with karp.load(QUICKSTART) as snapshot, pytest.raises(ValueError):
        snapshot.plan(profile='karpenter-1.13')


def test_documents_say_what_prices_lack() -> None:
    """As the program's do; also after the snapshot was sent, as prices are part of what is sent."""
    wanted = pool('win')
    wanted['spec']['template']['spec']['requirements'] = [{'key': 'kubernetes.io/os', 'operator': 'In', 'values': ['windows']}]
    with karp.load([wanted, pod('web', cpu='1')], provider='aws') as snapshot:
        plan = snapshot.plan()
        assert plan.to_dict()['cost']['withoutLicences'] == 'Windows'
        assert plan.to_dict()['input']['clouds'][0]['provider'] == 'aws'
        assert 'Without licences of Windows.' in plan.to_text()
        assert pickle.loads(pickle.dumps(snapshot)).plan().to_dict()['cost']['withoutLicences'] == 'Windows'
