# SPDX-License-Identifier: Apache-2.0
"""A repack plan that a replay carries out: what comes out is what the plan promised where pods land as planned; where kube-scheduler puts them
elsewhere, or the cluster changes, a step that does not hold is told with its reason and what is left is planned again."""
import copy
import json
import pathlib
import sys
import tempfile

from repacking import cluster
from small_clusters import catalogue, node, pod
from stories import check, equal, finish, run

NOW = ('--now', '2026-01-02T00:00:00Z')
EFFORT = ('--effort', '50000')
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
        'spec': {'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '1'}]},
                 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'expireAfter': '24h'}}}}
PRICES = {'small': 0.1, 'large': 0.36}


def written(folder, name, value):
    file = pathlib.Path(folder, name)
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def played(listed, plan, types, *options):
    out, _ = run('replay', '--nodepools', listed, '--repack', plan, *types, *options, '-o', 'json')
    return json.loads(out)


def falling(result, what):
    """Every step that was carried out left a cheaper cluster; it began no earlier than the one before it ended."""
    costs = [result['costBefore']] + [s['costAfter'] for s in result['steps'] if s['done']]
    check(all(a > b for a, b in zip(costs, costs[1:])), f'{what}: {costs}')
    check(all(a['ends'] <= b['begins'] for a, b in zip(result['steps'], result['steps'][1:])), f'{what}: one after the other')
    equal(costs[-1], result['costAfter'], f'{what}: the last')
    equal(result['stepsDone'], len(costs) - 1, f'{what}: steps that were carried out')


def as_promised(folder):
    """Fleets whose pods land where the plan puts them: dollars, evictions and steps are the plan's, and nothing is pending."""
    types = ('--region', 'us-east-1')
    for name, spread, seed in (('plain', False, 7), ('spread', True, 15)):
        file = written(folder, f'{name}.json', cluster(20, seed, spread))
        plan = json.loads(run('repack', '-f', file, *types, *NOW, *EFFORT, '-o', 'json')[0])
        planned = written(folder, f'{name}-plan.json', plan)
        replay = played(file, planned, types, '--as-planned')
        policy = replay['policies'][0]
        result = policy['repack']
        for key in ('costBefore', 'costAfter'):
            check(abs(result[key] - plan[key]) < 1e-6, f'{name}: {key} {result[key]}, not {plan[key]}')
        equal((result['evictions'], result['pending'], result['plans']), (plan['evictions'], 0, 1), name)
        equal([(s['nodes'], s['launches'], s['evictions'], s['done']) for s in result['steps']],
              [(len(s['nodes']), len(s['launches']), s['evictions'], True) for s in plan['steps']], f'{name}: steps')
        check(all(abs(a['costAfter'] - b['costAfter']) < 1e-6 for a, b in zip(result['steps'], plan['steps'])), f'{name}: costs')
        equal((replay['ends'], result['promisedEvictions']), (result['ends'], plan['evictions']), f'{name}: it ends with the plan')
        equal((policy['evictions'], policy['launches'], policy['disruptions']),
              (plan['evictions'], sum(len(s['launches']) for s in plan['steps']), {'Repack': len(plan['steps'])}), f'{name}: figures')
        falling(result, name)
        free = played(file, planned, types)['policies'][0]['repack']
        equal(free['stepsDone'], sum(s['done'] for s in free['steps']), f'{name}, kube-scheduler: steps that were carried out')
        check(free['pending'] == 0 and free['costAfter'] < 0.85 * free['costBefore'], f'{name}, kube-scheduler: {free["costAfter"]}')
        check(free['plans'] - 1 <= sum(not s['done'] for s in free['steps']), f'{name}: a plan is made anew when a step is refused')
        check(all(s.get('reason') for s in free['steps'] if not s['done']), f'{name}: reasons')
        written(folder, 'after.json', run('replay', '--nodepools', file, '--repack', planned, *types, '--as-planned', '--dump-at', '6h')[0])
        again = json.loads(run('repack', '-f', pathlib.Path(folder, 'after.json'), *EFFORT, '-o', 'json')[0])
        check(abs(again['costBefore'] - plan['costAfter']) < 1e-6, f'{name}: the dump costs {again["costBefore"]}')
        check(again['costBefore'] - again['costAfter'] < 0.02 * plan['costBefore'], f'{name}: a second repack saves {again["costAfter"]}')


def launched_late(folder):
    """The scheduler places pods of the first step that wants a launch elsewhere: it is made in the step whose pods need it."""
    types = ('--region', 'us-east-1')
    for seed in (21, 35):
        file = written(folder, 'late.json', cluster(20, seed, True))
        plan = json.loads(run('repack', '-f', file, *types, *NOW, '--effort', '20000', '-o', 'json')[0])
        run('verify', written(folder, 'late-plan.json', plan), '-f', file, *types, *NOW)


def lasting(name):
    """A node that was there yesterday, and that nothing but the plan ends."""
    both = node(name, 'small', 2)
    for item in both:
        item['metadata']['creationTimestamp'] = '2026-01-01T00:00:00Z'
    both[1]['spec']['expireAfter'] = 'Never'
    return both


def small(pods):
    """Four nodes of two processors; of each pod its node and what it asks for."""
    items = [POOL]
    for i in range(4):
        items += lasting(f'n{i}')
    return {'apiVersion': 'v1', 'kind': 'List', 'items': items + [pod(f'p{i}', on, cpu) for i, (on, cpu) in enumerate(pods)]}


def seconds(time):
    return int(time[11:13]) * 3600 + int(time[14:16]) * 60 + float(time[17:-1])


def timing(folder, types):
    """15 s of thinking before the first step, none before the others; a node drains for 5 s; nodes wait for their launch to be ready."""
    listed = small([('n0', '500m'), ('n1', '500m'), ('n2', '250m'), ('n3', '250m')])
    file = written(folder, 'small.json', listed)
    plan = json.loads(run('repack', '-f', file, *types, *NOW, *EFFORT, '-o', 'json')[0])
    equal([(len(s['nodes']), len(s['launches'])) for s in plan['steps']], [(1, 0)] * 3, 'three nodes go one by one')
    planned = written(folder, 'small-plan.json', plan)
    result = played(file, planned, types, '--as-planned')['policies'][0]['repack']
    equal([seconds(s['ends']) for s in result['steps']], [20, 25, 30], 'when')
    text = run('replay', '--nodepools', file, '--repack', planned, *types, '--as-planned')[0]
    for line in ('Repack plan', '  0:00:20  step 1 of 3: 1 node removed, 0 launched, 1 eviction, then $0.300/h',
                 '  promised  $0.400/h to $0.100/h with 3 evictions', '  came out  $0.400/h to $0.100/h with 3 evictions, 0 pods pending'):
        check(line in text.splitlines(), f'{line!r} in {text}')
    both = run('replay', '--nodepools', file, '--repack', planned, *types, '--policy', 'karpenter,karp')[0]
    check('Repack plan, karpenter\n' in both and 'Repack plan, karp\n' in both, 'each policy carries it out')
    return file, planned, plan


def launching(folder, types):
    """Three nodes become one: it is there before they go, and it has room for the pods of all steps."""
    items = [{**POOL, 'spec': {**POOL['spec'], 'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}}}]
    for i in range(5):
        items += lasting(f'n{i}')
    items += [pod(f'p{i}', f'n{i}', '1500m') for i in range(5)]
    file = written(folder, 'launching.json', {'apiVersion': 'v1', 'kind': 'List', 'items': items})
    plan = json.loads(run('repack', '-f', file, *types, *NOW, *EFFORT, '-o', 'json')[0])
    check(any(s['launches'] for s in plan['steps']), f'something is launched: {plan["steps"]}')
    planned = written(folder, 'launching-plan.json', plan)
    replay = played(file, planned, types, '--as-planned', '--boot', '40s', '--boot-jitter', '0s')['policies'][0]
    result = replay['repack']
    equal((result['costAfter'], result['evictions'], result['pending']), (plan['costAfter'], plan['evictions'], 0), 'launching')
    equal(seconds(result['steps'][0]['ends']), 60, 'validated, then booted, then drained')
    equal(replay['pendingSeconds']['max'], 0, 'pods wait for nothing')
    late = played(file, planned, types, '--until', '30s')['policies'][0]['repack']
    check('ends' not in late and not late['steps'][-1]['done'] and 'ends' not in late['steps'][-1], f'cut short: {late}')


def changes(folder, types, file, planned, plan):
    """A node that is not there any more, and a pod that takes the space of a step: told, and planned anew."""
    gone = copy.deepcopy(plan)
    gone['steps'][0]['nodes'] = ['n9']
    result = played(file, written(folder, 'gone.json', gone), types)['policies'][0]['repack']
    equal([(s['plan'], s['done'], s.get('reason')) for s in result['steps']][0], (1, False, 'CHURN'), 'a node that does not exist')
    check(result['plans'] == 2 and result['costAfter'] < result['costBefore'], f'planned anew: {result}')
    trace = written(folder, 'more.csv', 'name,start,end,duration,cpu,memory\nbig,1767312005,,,1400m,1Gi\nsecond,1767312005,,,1400m,1Gi\nthird,1767312005,,,1400m,1Gi\n')
    out = run('replay', trace, '--nodepools', file, '--repack', planned, *types, '--until', '2h', '-o', 'json', status=None)[0]
    result = json.loads(out)['policies'][0]['repack']
    refused = [s for s in result['steps'] if not s['done']]
    check(refused and refused[0]['reason'] in ('SCHEDULING', 'NO_CHEAPER_NODE'), f'pods that take the space: {result["steps"]}')
    equal(result['pending'], 0, 'all of them run')


def faults(folder, types, file, planned):
    no_cluster = written(folder, 'pool.json', POOL)
    for words, said in (((no_cluster, planned), 'the objects have no nodes'),
                        ((file, written(folder, 'plan.json', {'kind': 'Plan'})), 'not a RepackPlan'),
                        ((file, written(folder, 'text.json', 'nothing')), 'text.json'),
                        ((file, pathlib.Path(folder, 'absent.json')), 'absent.json')):
        error = run('replay', '--nodepools', words[0], '--repack', words[1], *types, status=1)[1]
        check(said in error, f'{said!r} in {error!r}')
    without = json.loads(pathlib.Path(folder, 'launching-plan.json').read_text())
    launch = next(s['launches'][0] for s in without['steps'] if s['launches'])
    del launch['choice']
    error = run('replay', '--nodepools', pathlib.Path(folder, 'launching.json'), '--repack', written(folder, 'without.json', without), *types,
                status=1)[1]
    check('without.json:1:' in error and 'steps[0].launches[0].choice' in error, error)


def main():
    with tempfile.TemporaryDirectory() as folder:
        as_promised(folder)
        launched_late(folder)
        types = ('--catalogue', written(folder, 'types.json', catalogue()))
        file, planned, plan = timing(folder, types)
        launching(folder, types)
        changes(folder, types, file, planned, plan)
        faults(folder, types, file, planned)
    sys.exit(finish())


if __name__ == '__main__':
    main()
