# SPDX-License-Identifier: Apache-2.0
"""Nodes and zones that are lost, prices that change: karp whatif on the story's cluster with ten replicas."""
import pathlib
import sys
import tempfile

from stories import STORIES, check, document, equal, files, finish, placed, pods, run

CLUSTER = files('spot-and-on-demand', 'nodepool.yaml', 'cluster.yaml', '4-ten-replicas.yaml')

same = document('whatif', *CLUSTER)
equal(same, document('plan', *CLUSTER), 'without changes')

gone = document('whatif', *CLUSTER, '--remove', 'node1')
equal((gone['launches'], placed(gone)), ([], {'node2': pods('app', range(1, 8))}), 'without node1')
check('what if: without node node1' in gone['warnings'], 'node1 is not noted')
check(float(gone['cost']['delta']) < 0, f'cost without node1: {gone["cost"]}')

zone = document('whatif', *CLUSTER, '--lose-zone', 'us-west-2a')
lost = placed(zone).get('node2', [])
equal([pod for pod in lost if pod.startswith('default/')], pods('app', range(8)), 'us-west-2a is where node1 and initial are')
equal((list(placed(zone)), zone['launches']), (['node2'], []), 'node2 takes them all')

both = document('whatif', *CLUSTER, '--remove', 'node1,node2')
equal([launch['pods'] for launch in both['launches']], [pods('app', range(1, 10))], 'without both')
equal(both['launches'][0]['choice']['capacityType'], 'spot', 'without both')
equal(document('whatif', *CLUSTER, '--remove', 'node1', '--remove', 'node2'), both, 'said in two words')

dear = document('whatif', *CLUSTER, '--remove', 'node1,node2', '--price-factor', 'spot=100')
equal(dear['launches'][0]['choice']['capacityType'], 'on-demand', 'dear spot')
double = document('whatif', *CLUSTER, '--remove', 'node1,node2', '--price-factor', 'all=2')
equal(double['launches'][0]['choice']['instanceType'], both['launches'][0]['choice']['instanceType'], 'all prices twice')
equal(float(double['launches'][0]['choice']['price']), 2 * float(both['launches'][0]['choice']['price']), 'twice the price')
equal(double['cost']['before'], both['cost']['before'], 'today costs what it does')

with tempfile.TemporaryDirectory() as folder:
    more = pathlib.Path(folder) / 'more.yaml'
    more.write_text('apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n'
                    '  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n'
                    '    spec: {containers: [{name: c, resources: {requests: {cpu: 500m}}}]}\n')
    added = document('whatif', *CLUSTER, '--add', more)
    equal(sorted(name for names in placed(added).values() for name in names), pods('web', range(2)), 'added pods')

for wrong, part in ((['--remove', 'node9'], 'node9'), (['--remove', 'node1,'], 'empty name'),
                    (['--lose-zone', 'mars-1a'], 'mars-1a'), (['--price-factor', 'spot'], 'spot=1.3'),
                    (['--price-factor', 'spot=dear'], 'number'), (['--price-factor', 'sport=2'], 'sport'),
                    (['--price-factor', 'spot=-1'], 'number')):
    out, error = run('whatif', *CLUSTER, *wrong, status=1)
    check(out == '' and part in error, f'{wrong}: {error}')
run('whatif', *CLUSTER, '--remove', 'node1,node2', '--detailed-exitcode', status=2)
check(STORIES.is_dir(), 'stories')
sys.exit(finish())
