# SPDX-License-Identifier: Apache-2.0
"""karp nodes and karp top: what losing a node costs is what whatif decides, and the costs of pods add up to those of the nodes."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile

from small_clusters import catalogue, node, pod
from stories import STORIES, check, equal, finish, run

POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
        'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': []}}}}
SHARED = pathlib.Path(os.environ.get('KARP_SHARED', '/nowhere'))


def near(got, wanted, what):
    check(abs(got - wanted) < 1e-9, f'{what}: {got}, not {wanted}')


def small_cluster(folder):
    """Two nodes: n1 is requested to a quarter of its cpu, n2 to seven eighths."""
    items = [POOL, *node('n1', 'small', 2), *node('n2', 'large', 8), pod('web-6d4f8b9c7-x2x9z', 'n1', '500m'), pod('db-0', 'n2', '6'),
             pod('agent-1', 'n2', '1')]
    items[-3]['metadata']['ownerReferences'][0]['name'] = 'web-6d4f8b9c7'
    items[-1]['metadata']['ownerReferences'] = [{'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'name': 'agent', 'uid': 'd', 'controller': True}]
    (folder / 'list.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': items}))
    (folder / 'types.json').write_text(json.dumps(catalogue()))
    return ['-f', str(folder / 'list.json'), '--catalogue', str(folder / 'types.json'), '--now', '2026-01-02T00:00:00Z']


def tells(verb, *words):
    return json.loads(run(verb, *words, '-o', 'json')[0])


def check_figures(words):
    told = tells('nodes', *words)
    rows = {row['name']: row for row in told['nodes']}
    equal([row['name'] for row in told['nodes']], ['n2', 'n1'], 'the node with more idle cost comes first')
    # n1: a quarter of 2 cores, no memory: the mean share is 1/8 of $0.1.
    near(rows['n1']['idle'], 0.1 * 7 / 8, 'idle of n1')
    # n2: 7 of 8 cores: 7/16 of $0.36.
    near(rows['n2']['idle'], 0.36 * 9 / 16, 'idle of n2')
    equal((rows['n2']['pods'], rows['n2']['daemonPods']), (2, 1), 'pods of n2')
    equal(rows['n1']['state'], 'Ready', 'state')
    near(told['total']['price'], 0.46, 'total')
    top = tells('top', *words)
    costs = {row['name']: row for row in top['workloads']}
    equal({name: row['pods'] for name, row in costs.items()}, {'agent': 1, 'web': 2}, 'workloads')
    near(costs['agent']['cost'], 0.36 / 16, 'one of eight cores, no memory')
    near(top['total']['cost'] + top['total']['idle'], 0.46, 'cost and idle of all workloads')
    check('nodesWithoutRequests' not in top, 'each node has pods')


def check_empty(folder, *words):
    """The price of a node without pods is in the total, and in a row of its own."""
    extra = folder / 'extra.json'
    extra.write_text(json.dumps(node('n3', 'small', 2)[0]))
    top = tells('top', *words, '-f', extra)
    near(top['nodesWithoutRequests'], 0.1, 'an empty node')
    near(top['total']['cost'] + top['total']['idle'], 0.56, 'all nodes')
    check(re.search(r'^1 node without requests +0 ', run('top', *words, '-f', extra)[0], re.M), 'its row')
    check('| 1 node without requests | 0 |' in run('top', *words, '-f', extra, '-o', 'markdown')[0], 'in Markdown')


def check_losses(words, rounds_equal=True):
    """Against one whatif for each node."""
    plan = tells('plan', *words)
    launched = sum(float(launch.get('choice', {}).get('price', 0)) for launch in plan['launches'])
    for row in tells('nodes', *words)['nodes']:
        lost = tells('whatif', *words, '--remove', row['name'])
        near(row['ifLost']['launches'], sum(float(launch.get('choice', {}).get('price', 0)) for launch in lost['launches']) - launched, f'losing {row["name"]}')
        left = sum(pod['pod'] not in {p['pod'] for p in plan['unschedulable']} for pod in lost['unschedulable'])
        equal(row['ifLost']['podsLeftPending'], left, f'pods without a place when {row["name"]} is lost')


def check_outside(folder):
    """A node of no NodePool has its price of the catalogue, as the note on it says."""
    dump = pathlib.Path(__file__).parent / 'asks' / 'dump.json'
    told = tells('nodes', '--no-losses', dump)
    outside = [row for row in told['nodes'] if 'nodePool' not in row]
    equal([(row['instanceType'], row['price']) for row in outside], [('m5.large', 0.096)] * 2, 'two nodes')
    equal(told['total']['nodesWithoutPrice'], 0, 'every node has a price')
    near(told['total']['price'] - 0.192, float(tells('plan', dump)['cost']['before']), 'what decisions count')
    check(any('by the catalogue they cost $0.192/h' in note for note in told['warnings']), told['warnings'])
    check('decisions do not count these nodes in the cost' in ' '.join(run('nodes', dump)[0].split()), 'said')
    copy = folder / 'unknown.json'
    copy.write_text(dump.read_text().replace('"m5.large"', '"m5.unheard"'))
    equal(tells('nodes', '--no-losses', copy)['total']['nodesWithoutPrice'], 2, 'a type that the catalogue lacks')


def check_outputs(words):
    text = run('nodes', *words)[0]
    check('if lost' in text and 'n2' in text, text)
    check('if lost' not in run('nodes', '--no-losses', *words)[0], 'without losses the column is left out')
    rows = list(csv.DictReader(io.StringIO(run('nodes', *words, '-o', 'csv')[0])))
    equal({row['node'] for row in rows}, {'n1', 'n2'}, 'nodes in CSV')
    check(run('nodes', *words, '-o', 'markdown')[0].startswith('| NodePool |'), 'a table in Markdown')
    check(run('top', *words, '-o', 'markdown')[0].startswith('| workload |'), 'a table in Markdown')
    for verb in ('nodes', 'top'):
        said = run(verb, '-f', '-', text='{apiVersion: v1, kind: Namespace, metadata: {name: shop}}')[1]
        check('kubectl get nodes,nodeclaims,pods -A -o yaml' in said, f'{verb}: {said}')
    _, said = run('nodes', '--watch', '-f', '-', status=1, text='')
    check('--watch' in said, said)


with tempfile.TemporaryDirectory() as name:
    cluster = small_cluster(pathlib.Path(name))
    check_figures(cluster)
    check_empty(pathlib.Path(name), *cluster)
    check_losses(cluster)
    check_outputs(cluster)
    check_outside(pathlib.Path(name))
check_losses(['-f', str(STORIES / 'workshop'), '--now', '2026-01-02T00:00:00Z'])
for case in sorted(SHARED.glob('conformance/cases/disrupt-*1.snapshot.json'))[::6]:
    check_losses(['-f', str(case)])
finish()
