# SPDX-License-Identifier: Apache-2.0
"""karp tune finds the best NodePool for a generated load with noise, which it replays with each of them."""
import json
import pathlib
import tempfile

import tune_grids as grids
from stories import finish, types_of

folder = tempfile.mkdtemp()
SIZES = ('large', 'xlarge', '2xlarge', '4xlarge')
words = types_of(folder, 'us-west-2', *(f'{family}.{size}' for family in ('m5', 'c5', 'm6a', 'c6a', 'r6a') for size in SIZES))
own = grids.pool({'consolidateAfter': '30m', 'consolidationPolicy': 'WhenEmpty', 'budgets': [{'nodes': '10%'}]},
                 capacity_type=['on-demand'], instance_family=['m5'], instance_size=['2xlarge', '4xlarge'])


def rises(name, least, most, peak, noise, **requests):
    return {'name': name, 'copies': 4 if grids.WHOLE else 1, 'replicas': {'least': least, 'most': most, 'peak': peak, 'noise': noise, 'weekend': 0.4}, **requests}


load = pathlib.Path(folder, 'load.json')
load.write_text(json.dumps({
    'apiVersion': 'karp/v1', 'kind': 'Load', 'start': '2026-03-02T00:00:00Z', 'length': '168h' if grids.WHOLE else '12h', 'seed': 58, 'nodeReadyAfter': '60s', 'objects': [],
    'deployments': [rises('web', 3, 14, '11:00', 0.3, cpu='500m', memory='1Gi'), rises('search', 2, 8, '15:00', 0.2, cpu='1500m', memory='2Gi'),
                    rises('cache', 2, 6, '08:00', 0.1, cpu='400m', memory='3Gi')],
    'cronJobs': [{'name': 'report', 'schedule': '15 */2 * * *', 'parallelism': 6, 'duration': '20m', 'noise': 0.4, 'cpu': '2', 'memory': '4Gi'}]}))
pools = grids.save(folder, 'pools.json', own, grids.NODE_CLASS)
axes = {'instance-family': ['m6a+c6a+r6a', 'any'], 'instance-size': ['any'], 'consolidationPolicy': ['WhenEmptyOrUnderutilized'], 'consolidateAfter': ['2m']}
if grids.WHOLE:
    axes = {**axes, 'instance-family': ['m6a', 'm6a+c6a+r6a', 'any'], 'instance-size': ['large+xlarge', 'any'], 'consolidateAfter': ['0s', '2m'], 'budget': ['100%']}
grids.compare(folder, 'a week' if grids.WHOLE else 'half a day', own, axes, grids.replayed, [load, '--nodepools', pools, *words], [pools, '--trace', load, *words])
finish()
