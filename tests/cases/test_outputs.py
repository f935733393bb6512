# SPDX-License-Identifier: Apache-2.0
"""Decisions as CSV and as Prometheus' text, wide text, and what is said on standard error with -q and -v."""
import csv
import io
import json
import pathlib
import re
import sys
import tempfile

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
DUMP, POOL = ASKS / 'dump.json', ASKS / 'pool.yaml'


def table(*words):
    return list(csv.DictReader(io.StringIO(run(*words, '-o', 'csv')[0])))


def samples(*words):
    """The samples of Prometheus' text format, each of a family that was declared before it."""
    found, declared = {}, set()
    for line in run(*words, '-o', 'prometheus')[0].splitlines():
        if line.startswith('#'):
            declared.add(line.split()[2])
            continue
        parts = re.fullmatch(r'([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})? (-?[0-9.e+-]+)', line)
        check(parts and parts[1] in declared, line)
        if parts:
            check((parts[1], parts[2]) not in found, f'twice: {line}')
            found[parts[1], parts[2]] = float(parts[3])
    return found


def of(found, name):
    return sum(value for (family, _), value in found.items() if family == name)


# A plan: one row for each pod, as in its JSON.
plan = document('plan', DUMP)
rows = {row['pod']: row for row in table('plan', DUMP)}
for key, outcome, name in (('launches', 'launch', 'id'), ('placements', 'node', 'node')):
    for target in plan[key]:
        for pod in target['pods']:
            equal((rows[pod]['outcome'], rows[pod]['target']), (outcome, target[name]), pod)
launch, = plan['launches']
row = rows[launch['pods'][0]]
equal([row[k] for k in ('node_pool', 'instance_type', 'zone', 'capacity_type', 'price')],
      [launch['nodePool'], *(launch['choice'][k] for k in ('instanceType', 'zone', 'capacityType', 'price'))], 'a launch')
refused, = plan['unschedulable']
equal((rows[refused['pod']]['outcome'], rows[refused['pod']]['code']), ('unschedulable', refused['code']), 'a refusal')
equal(len(rows), sum(len(t['pods']) for key in ('launches', 'placements') for t in plan[key]) + 1, 'rows')
_, error = run('plan', DUMP, '--disrupt', '-o', 'csv', status=1)
check('a row for each pod' in error, error)

# A disruption: one row for each node.
calm = '--delete', 'pod/batch/report-6d4f8b9c7-jh2v6', '--now', '2026-03-02T22:00:00Z'
disruption = document('disrupt', DUMP, *calm)
nodes = table('disrupt', DUMP, *calm)
command, = disruption['commands']
equal([r['node'] for r in nodes if r['action'] == 'delete'], command['nodes'], 'nodes that go')
equal(sum(float(r['saving'] or 0) for r in nodes), float(command['savings']), 'savings')
equal([(r['node'], r['code']) for r in nodes if r['action'] == 'keep'], [(k['node'], k['code']) for k in disruption['kept']], 'nodes that stay')

# Totals.
found = samples('plan', DUMP)
equal([found['karp_cost_dollars_per_hour', f'{{when="{w}"}}'] for w in ('before', 'after')], [float(plan['cost'][w]) for w in ('before', 'after')], 'cost')
equal([of(found, name) for name in ('karp_nodes', 'karp_launches', 'karp_notes', 'karp_pods')], [13, 1, 1, 4], 'totals')
tiers = document('plan', ASKS / 'three-tier')
found = samples('plan', ASKS / 'three-tier')
equal(of(found, 'karp_launches'), len(tiers['launches']), 'launches')
check(abs(of(found, 'karp_launch_dollars_per_hour') - float(tiers['cost']['after'])) < 1e-9, 'their cost')
with tempfile.TemporaryDirectory() as folder:
    # Three times 0.096 is 0.28800000000000003 in doubles.
    one = pathlib.Path(folder, 'one.yaml')
    one.write_text(POOL.read_text().replace('key: kubernetes.io/arch, operator: In, values: [amd64]', 'key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]'))
    found = samples('plan', one, ASKS / 'app.yaml', '--scale', 'inflate=3')
    equal(of(found, 'karp_launches'), 3, 'launches')
    equal((of(found, 'karp_launch_dollars_per_hour'), found['karp_cost_dollars_per_hour', '{when="after"}']), (0.288, 0.288), 'sums without the noise of additions')
found = samples('disrupt', DUMP, *calm)
equal([of(found, n) for n in ('karp_disrupted_nodes', 'karp_nodes_kept')], [2, 11], 'a disruption')
check(abs(of(found, 'karp_disruption_savings_dollars_per_hour') - float(command['savings'])) < 1e-9, 'savings')
run('plan', DUMP, '--disrupt', '-o', 'prometheus')
run('whatif', DUMP, '--lose-zone', 'us-west-2a', '-o', 'markdown')

# Names are one field, and one label, whatever is in them.
with tempfile.TemporaryDirectory() as folder:
    zone = 'a"\\,b'
    pathlib.Path(folder, 'types.json').write_text(json.dumps([{'name': '=t', 'labels': {}, 'capacity': {'cpu': '2', 'memory': '4Gi', 'pods': '9'}, 'offerings': [
        {'zone': zone, 'capacityType': 'on-demand', 'price': 1}]}]))
    pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'p'}, 'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}}
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'n'}, 'spec': {'template': {'spec': {
        'nodeClassRef': {'group': 'g', 'kind': 'k', 'name': 'n'}, 'requirements': []}}}}
    pathlib.Path(folder, 'in.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [pod, pool]}))
    words = 'plan', f'{folder}/in.json', '--catalogue', f'{folder}/types.json'
    row, = table(*words)
    equal((row['instance_type'], row['zone']), ("'=t", zone), 'a name that a spreadsheet would compute')
    equal(of(samples(*words), 'karp_launches'), 1, 'a label with quotes')

# Every document names the region of the types and the date of their prices, once.
TIERS = ASKS / 'three-tier'
PRICES = {'name': 'us-west-2', 'prices': '2026-07-20'}
for words in (['plan', TIERS], ['disrupt', DUMP], ['explain', 'pod', 'shop/api-17', TIERS], ['explain', 'pod', 'ml/train-6d4f8b9c7-shfbd', DUMP],
              ['explain', 'node', 'ip-10-0-32-45', DUMP], ['repack', '--effort', '500', DUMP]):
    equal(document(*words)['input']['catalogue'], PRICES, f'{words[0]}: catalogue')
for words in (['blockers', DUMP], ['plan', '--settle', ASKS / 'limits-one-round.yaml'], ['simulate', ASKS / 'limits-story.yaml'], ['lint', DUMP]):
    got = document(*words)
    equal((got['catalogue'], got['engine']['name']), (PRICES, 'libkarp'), f'{words[0]}: catalogue')
    peer = got['designs'][0] if words[1] == '--settle' else got
    equal(peer['peerVersion'], '1.15', f'{words[0]}: whose decisions')
got = document('replay', ASKS / 'limits-story.yaml')
equal((got['engine']['name'], got['peerVersion']), ('libkarp', '1.15'), 'replay: whose decisions')
equal([document('blockers', DUMP, '--profile', p)['peerVersion'] for p in ('karpenter', 'karpenter-1.14')], ['1.15', '1.14'], 'blockers: versions')
sides = json.loads(run('diff', TIERS, '-o', 'json', '--', '--replace', ASKS / 'dear-pools.yaml')[0])['designs']
equal([side['catalogue'] for side in sides], [PRICES, PRICES], 'diff: catalogues')
equal([(side['profile'], side['peerVersion']) for side in sides], [('karpenter', '1.15')] * 2, 'diff: profiles')

# Wide text wraps nothing; -q says nothing beside the answer, -v what was read.
wide = run('plan', DUMP, '-o', 'wide')[0]
check(max(map(len, wide.splitlines())) > 300 and '\u2026' not in wide, 'wide')
out, error = run('plan', DUMP, '-o', 'yaml')
check('note' in error, 'notes')
equal(run('plan', '-q', DUMP, '-o', 'yaml'), (out, ''), 'quiet')
out, error = run('plan', '-v', DUMP)
equal(out, run('plan', DUMP)[0], 'verbose')
check(error.startswith('karp: read: 3 NodePools, 13 nodes, ') and error.endswith(' of us-west-2\n'), error)
sys.exit(finish())
