# SPDX-License-Identifier: Apache-2.0
"""plan --settle: rounds until nothing more is launched, then consolidation, in virtual time."""
import json
import pathlib
import tempfile

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
LIMITS, TIERS, DUMP = ASKS / 'limits-one-round.yaml', ASKS / 'three-tier', ASKS / 'dump.json'


def hourly(document):
    return [design['cost']['perHour'] for design in document['designs']]


# A limit that counts launches as their largest type lets two more in each round, then one.
settled = document('plan', '--settle', LIMITS)
equal([r['launches'] for r in settled['rounds']], [2, 2, 1, 1], 'rounds')
equal([r['podsLeft'] for r in settled['rounds']], [4, 2, 1, 0], 'pods left')
equal(hourly(settled), [0.136, 0.408], 'first round and settled')
equal(settled['designs'][1]['instanceTypes'], [{'name': 'c6g.large', 'nodes': 6, 'perHour': 0.408}], 'six nodes')
run('plan', LIMITS, '--fail-on', 'unschedulable')
run('plan', LIMITS, '--fail-on', 'unschedulable', '--first-round', status=3)
run('plan', '--settle', LIMITS, '--fail-on', 'unschedulable')
run('plan', '--settle', LIMITS, '--fail-on', 'cost=$200', status=3)
run('plan', '--settle', LIMITS, '--detailed-exitcode', status=2)
check(any('karp plan --settle plays the rounds' in w for w in document('plan', LIMITS)['warnings']), 'a plan says what is left')

# Types whose requirements do not name them have their price as nodes, too.
plain = document('plan', '--settle', ASKS / 'pool.yaml', ASKS / 'app.yaml', '--catalogue', ASKS / 'type.json')
equal(hourly(plain), [0.3825, 0.3825], 'five nodes of a type without a label of its name')
equal([t['name'] for t in plain['designs'][1]['instanceTypes']], ['c6a.large'], 'its name')

# Consolidation follows the launches, and only then.
tiers = document('plan', '--settle', TIERS)
first, last = hourly(tiers)
equal((first, last), (8.0717, 7.1265), 'first round and settled')
equal(tiers['designs'][1]['cpu']['requested'], 50, 'pods of nodes that went are placed anew: none is lost')
equal(tiers['rounds'][0]['method'], '', 'launches come first')
check({r['method'] for r in tiers['rounds'][1:]} <= {'SingleNodeConsolidation', 'MultiNodeConsolidation', 'Emptiness'}, 'then consolidation')
check(all(a['time'] <= b['time'] for a, b in zip(tiers['rounds'], tiers['rounds'][1:])), 'in the order of time')
equal([d['podsLeft'] for d in tiers['designs']], [0, 0], 'every pod has its node')
only = document('plan', '--settle', '--no-disrupt', TIERS)
equal(only['rounds'], tiers['rounds'][:1], 'without consolidation, nothing more is launched for pods that have their node')

# A dump: its own nodes are consolidated, daemons go with them, a budget's window is waited for.
dump = document('plan', '--settle', DUMP)
removed = ' '.join(r['removed'] for r in dump['rounds'])
check('ip-10-0-32-24.us-west-2.compute.internal' in removed, removed)
check(dump['rounds'][1]['time'] >= '2026-03-02T18:00:00Z', 'the budgets close disruption until 18:00')
check(hourly(dump)[1] < hourly(dump)[0], hourly(dump))
equal(document('plan', '--settle', DUMP), dump, 'the same again')

# Static NodePools get their nodes first: as many as limits.nodes lets, and none while they are not ready.
GATES = (ASKS / 'gates.json', ASKS / 'pool.yaml')
STATIC = (ASKS / 'gates-off.yaml').read_text()
with tempfile.TemporaryDirectory() as name:
    for part, count, note in (('replicas: 3', 3, 'Karpenter launches 3;'), ('replicas: 3\n  limits: {nodes: 2}', 2, 'Karpenter launches 2 (limits.nodes);')):
        path = pathlib.Path(name) / 'static.yaml'
        path.write_text(STATIC.replace('replicas: 3', part))
        rounds = document('plan', '--settle', *GATES, path)['rounds']
        equal((rounds[0]['method'], rounds[0]['launched'], len([r for r in rounds if r['method'] == 'StaticProvisioning'])),
              ('StaticProvisioning', f'{count} \u00d7 m5.large', 1), part)
        check(note in run('plan', '--width', '1000', *GATES, path)[0], note)
        text, _ = run('plan', '--settle', *GATES, path)
        check(f'launch {count} \u00d7 m5.large for static NodePools\n' in text, text)
    path.write_text(STATIC.replace('spec:\n  replicas: 3', 'status: {conditions: [{type: Ready, status: "False"}]}\nspec:\n  replicas: 3'))
    rounds = document('plan', '--settle', *GATES, path)['rounds']
    equal([r['method'] for r in rounds if r['method'] == 'StaticProvisioning'], [], 'not ready')
    check('Karpenter launches 0, as its condition Ready is not True;' in run('plan', '--width', '1000', *GATES, path)[0], 'not ready')

    # Nodes of static NodePools come before the first decision on pods, and a note says what plans leave out.
    path.write_text(STATIC)
    text, error = run('plan', '--settle', *GATES, path)
    check('\nRound 2 $' in text and 'karp plan leaves these nodes out, karp plan --settle launches them' in error, text + error)
    rounds = document('plan', '--settle', *GATES, path)
    equal([d['name'] for d in rounds['designs']], ['round 2', 'settled'], 'which round is compared')

# Notes on the input, and nodes that are not in the cost.
note = '2 nodes belong to no NodePool and are not in the cost (ip-10-0-32-10.us-west-2.compute.internal, ...); by the catalogue they cost $0.192/h'
equal(dump['warnings'], [note], 'JSON has the notes')
text, _ = run('plan', '--settle', DUMP, '-o', 'markdown')
check(text.endswith(f'\n\n## Notes\n\n- {note}\n'), text)
text, error = run('plan', '--settle', DUMP)
check(note not in text and note in error, text)
check('     2 \u00d7 m5.large  $0.192/h by the catalogue, not in the cost\n' in text, text)
objects = json.loads(pathlib.Path(DUMP).read_text())
for old, new, shown in (('m5.large', 'm6a.large', '     1 \u00d7 m6a.large  $0.0864/h by the catalogue, not in the cost\n     1 \u00d7 m5.large'),
                        ('m5.large', 'x9.large', '     1 \u00d7 x9.large  $/h unknown\n'), ('us-west-2a', 'us-west-2x', '     2 \u00d7 m5.large  $/h unknown\n'),
                        ('m5.large', 'm6a.xlarge', '     4 \u00d7 m6a.xlarge  $0.5184/h, $0.1728/h by the catalogue, not in the cost\n')):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'dump.json')
        other = json.loads(json.dumps(objects))
        first = next(item for item in other['items'] if item['kind'] == 'Node' and 'karpenter.sh/nodepool' not in item['metadata']['labels'])
        first['metadata']['labels'] = {key: value.replace(old, new) for key, value in first['metadata']['labels'].items()}
        path.write_text(json.dumps(other))
        said = run('plan', '--settle', path)[0]
        check(all(line in said for line in shown.splitlines(True)), f'{new}: {said}')
# What decisions note is told, too.
with tempfile.TemporaryDirectory() as folder:
    gone = pathlib.Path(folder, 'gone.yaml')
    gone.write_text((ASKS / 'pool.yaml').read_text().replace('values: [amd64]', 'values: [s390x]'))
    note = 'NodePool default: no available instance type meets its requirements (kubernetes.io/arch In [s390x])'
    equal(document('plan', '--settle', gone, ASKS / 'app.yaml')['warnings'], [note], 'in JSON')
    check(note in run('plan', '--settle', gone, ASKS / 'app.yaml')[1], 'beside the text')
    run('plan', '--settle', gone, ASKS / 'app.yaml', '--fail-on', 'notes', status=3)
    sides = json.loads(run('diff', gone, ASKS / 'app.yaml', '-o', 'json', '--', '--scale', 'inflate=3')[0])['designs']
    equal([side['warnings'] for side in sides], [[note], [note]], 'karp diff')
    equal(run('diff', gone, ASKS / 'app.yaml', '--', '--scale', 'inflate=3')[1].count(note), 1, 'once')

text, _ = run('plan', '--settle', LIMITS)
check(text.startswith('karp plan --settle  \u00b7  profile karpenter-1.15  \u00b7  catalogue aws us-west-2, prices 2026-07-20\n\n'
                      'First round $0.136/h, settled $0.408/h (+$0.272/h, +$198.56/month (730 h))\n'), text)
check('     6 \u00d7 c6g.large  $0.408/h\n' in text, text)
text, _ = run('plan', '--settle', LIMITS, '-o', 'markdown')
check(text.startswith('# First round') and '\n## Rounds, from 2026-01-01T00:00:00Z on\n' in text and '| nodes | 2 | 6 (+4) |' in text, text)
for width in (80, 100):
    text, _ = run('plan', '--settle', TIERS, '--width', width)
    check(max(map(len, text.splitlines())) <= width, f'{width}: {text}')
_, error = run('plan', '--settle', LIMITS, '-o', 'html', status=1)
check('--settle: can be written as text, json or markdown only' in error, error)
# What a plan costs is what all its rounds cost: twice the pods, twice the price.
SCALED = ASKS / 'scaled-over-rounds.yaml'
plan = document('plan', SCALED)
equal(plan['cost']['after'], '0.068', 'the first round')
equal(plan['settledCost'], {'before': '0', 'after': '0.17', 'delta': '0.17', 'rounds': 3, 'podsLeft': 0, 'settled': True}, 'all rounds')
equal(float(plan['settledCost']['after']), hourly(document('plan', '--settle', '--no-disrupt', SCALED))[1], 'as --settle has it')
check('settledCost' not in document('plan', '--first-round', SCALED), '--first-round')
text, _ = run('plan', SCALED, '--width', '1000')
check('\nAll rounds: $0.000/h -> $0.170/h  (+$0.170/h, +$124.10/month (730 h)); settled after 3 rounds, 0 pods left\n' in text, text)
check('All rounds' not in run('plan', '--first-round', SCALED)[0], 'one round')
check('\nAll rounds: **$0.170/h** (+$124.10/month (730 h)), settled after 3 rounds, 0 pods left\n' in run('plan', SCALED, '-o', 'markdown')[0], 'markdown')
check('karp_cost_dollars_per_hour{when="settled"} 0.17\n' in run('plan', SCALED, '-o', 'prometheus')[0], 'prometheus')
run('plan', SCALED, '--fail-on', 'cost=$100', status=3)
run('plan', SCALED, '--fail-on', 'cost=$100', '--first-round')
check('give one of the two' in run('plan', SCALED, '--first-round', '--settle', status=1)[1], 'both options')
two = json.loads(run('diff', SCALED, '-o', 'json', '--', '--scale', 'web=10')[0])['designs']
equal([d['cost']['perMonth'] for d in two], [124.1, 248.2], 'five pods, and ten')
equal([(d['nodes'], d['launches'], d['podsPlaced'], d['podsLeft']) for d in two], [(5, 5, 5, 0), (10, 10, 10, 0)], 'and their nodes')
run('diff', SCALED, '--fail-on', 'cost=+10%', '--', '--scale', 'web=10', status=3)
once = json.loads(run('diff', SCALED, '--first-round', '-o', 'json', '--', '--scale', 'web=10')[0])['designs']
equal([d['cost']['perMonth'] for d in once], [49.64, 49.64], 'the first round of both')
side = json.loads(run('diff', SCALED, '-o', 'json', '--', '--first-round')[0])['designs']
equal([d['cost']['perMonth'] for d in side], [124.1, 49.64], 'the first round of one side')
for words, noted in (([], True), (['--first-round'], False)):
    changed = document('whatif', SCALED, '--price-factor', 'all=2', *words)
    equal(any('the cost is that of one round' in note for note in changed['warnings']), noted, f'whatif with a change {words}')
with tempfile.TemporaryDirectory() as folder:
    base, more = pathlib.Path(folder, 'base.json'), pathlib.Path(folder, 'more.yaml')
    base.write_text(run('plan', SCALED, '-o', 'json')[0])
    more.write_text(SCALED.read_text().replace('replicas: 5', 'replicas: 10'))
    run('plan', SCALED, '--fail-on', 'cost=+10%', '--baseline', base)
    run('plan', more, '--fail-on', 'cost=+10%', '--baseline', base, status=3)
    _, error = run('whatif', SCALED, '--design', more, '--fail-on', 'cost=+10%', status=3)
    check('$248.20/month (730 h) is more than $136.51/month' in error, error)

# Where a plan has no settled cost, its cost is that.
for name in ('dump.json', 'app.yaml'):
    files = [ASKS / name] if name == 'dump.json' else [ASKS / 'pool.yaml', ASKS / name]
    plan, rounds = document('plan', *files), document('plan', '--settle', '--no-disrupt', *files)
    cost = float(plan.get('settledCost', plan['cost'])['after'])
    check(abs(cost - hourly(rounds)[1]) < 1e-9, f'{name}: {cost}, {hourly(rounds)}')

# A StatefulSet creates a pod when the one before it is ready: each gets a node of its own, unless one has room.
ORDERED = (ASKS / 'pool.yaml').read_text() + """
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 5
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, resources: {requests: {cpu: 1500m, memory: 2Gi}}}]}
"""
TOGETHER = ORDERED.replace('serviceName', 'podManagementPolicy: Parallel\n  serviceName')


def ordered(text, *words, name='input.yaml'):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_text(text)
        return document(*words, path)


plan = ordered(ORDERED, 'plan')
equal([launch['pods'] for launch in plan['launches']], [['default/db-0']], 'the first pod alone')
equal({row['pod']: row['code'] for row in plan['ignored']}, {f'default/db-{i}': 'NOT_CREATED' for i in range(1, 5)}, 'the others')
played = ordered(ORDERED, 'plan', '--settle', '--no-disrupt')
equal([(r['launches'], r['podsLeft']) for r in played['rounds']], [(1, 4), (1, 3), (1, 2), (1, 1), (1, 0)], 'a round for each pod')
equal(played['designs'][1]['nodes'], 5, 'five nodes')
equal((plan['settledCost']['rounds'], plan['settledCost']['podsLeft'], plan['settledCost']['settled']), (5, 0, True), 'settled')
check(abs(float(plan['settledCost']['after']) - 5 * float(plan['cost']['after'])) < 1e-9, plan['settledCost'])
parallel = ordered(TOGETHER, 'plan')
equal([len(launch['pods']) for launch in parallel['launches']], [5], 'one node for all')
check('ignored' not in parallel or not parallel['ignored'], 'nothing is left out')
wide = ORDERED.replace('1500m', '400m').replace('spec: {containers', 'spec: {nodeSelector: {node.kubernetes.io/instance-type: m6i.large}, containers')
roomy = ordered(wide, 'plan', '--settle', '--no-disrupt')
equal(([r['launches'] for r in roomy['rounds']], roomy['designs'][1]['podsLeft']), ([1, 1], 0), 'three on the first node, two on the second')
never = ordered(ORDERED.replace('1500m', '900'), 'plan')
equal((never['settledCost']['podsLeft'], len(never['unschedulable'])), (5, 1), 'a pod that fits nowhere holds up the others')
many = ordered(ORDERED.replace('replicas: 5', 'replicas: 101'), 'plan')
check(sum(len(launch['pods']) for launch in many['launches']) == 101 and any('planned together' in w for w in many['warnings']), many['warnings'])
with tempfile.TemporaryDirectory() as folder:
    path, stuck = pathlib.Path(folder, 'db.yaml'), pathlib.Path(folder, 'stuck.yaml')
    path.write_text(ORDERED)
    stuck.write_text(ORDERED.replace('1500m', '900'))
    run('plan', path, '--fail-on', 'unschedulable')
    run('plan', path, '--fail-on', 'unschedulable', '--first-round')
    run('plan', stuck, '--fail-on', 'unschedulable', status=3)
    check('creates it when the pod before it is ready' in ' '.join(run('explain', 'pod', 'db-3', path)[0].split()), 'explained')
    cut = pathlib.Path(folder, 'dump.json')
    cut.write_text(run('dump', path)[0])
    equal(document('plan', cut)['settledCost'], plan['settledCost'], 'a dump goes on the same way')
    held = [p for p in json.loads(cut.read_text())['objects'] if p['kind'] == 'Pod']
    equal([c['type'] for p in held for c in p['status']['conditions']], ['PodScheduled'] + ['Created'] * 4, 'conditions')
    two = json.loads(run('diff', path, '-o', 'json', '--', '--scale', 'db=10')[0])['designs']
    equal([d['nodes'] for d in two], [5, 10], 'a side of karp diff')
raise SystemExit(finish())
