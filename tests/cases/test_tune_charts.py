# SPDX-License-Identifier: Apache-2.0
"""karp tune finds the best NodePool for the workloads of 152 public charts, as they request and as they use; a replay of a day then costs as much less."""
import json
import pathlib
import tempfile

import tune_grids as grids
from stories import check, finish, types_of

folder = tempfile.mkdtemp()
FAMILIES = ('m5', 'c5', 'r5', 'm6a', 'c6a', 'r6a', 't3a')
words = types_of(folder, 'us-west-2', *(f'{family}.{size}' for family in FAMILIES for size in ('large', 'xlarge', '2xlarge', '4xlarge', '8xlarge')))
own = grids.pool({'consolidateAfter': '0s', 'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'budgets': [{'nodes': '100%'}]},
                 capacity_type=['on-demand'], instance_family=['m5', 'c5', 'r5'], instance_size=['xlarge', '2xlarge', '4xlarge', '8xlarge'])
workloads = grids.charts(1 if grids.WHOLE else 4)
now = grids.save(folder, 'charts.json', own, grids.NODE_CLASS, *workloads)
use = grids.usage(workloads, f'{folder}/usage.csv')
axes = {'instance-family': ['m6a+c6a+r6a', 'c6a', 't3a+m6a', 'any'], 'instance-size': ['large', 'large+xlarge', '2xlarge', 'any'], 'consolidationPolicy': ['WhenEmpty']}
if grids.WHOLE:
    axes['instance-family'] += ['r6a', 'm6a', 'c5+c6a', 'm5+m6a']
    axes['instance-size'] += ['xlarge', '8xlarge', '4xlarge']
    axes['capacity-type'] = ['spot+on-demand']

story = pathlib.Path(folder, 'day.json')
story.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': [], 'steps': [{'wait': '24h'}]}))
for what, sizes in (('charts', ()), ('charts as they use', ('--requests', 'recommended', '--usage', use))):
    best = grids.compare(folder, what, own, axes, grids.settled, [now, *words, *sizes], [now, *words, *sizes])
    day = [story, '--nodepools', now, *words, *sizes]
    dollars, left, _ = grids.replayed(day)
    lower, leaves, _ = grids.replayed([*day, '--replace', best])
    promised = 1 - grids.settled([now, *words, *sizes, '--replace', best])[0] / grids.settled([now, *words, *sizes])[0]
    check(abs((1 - lower / dollars) - promised) < 0.05 and leaves <= left, f'{what}: ${dollars} and ${lower} in a day, {promised:.1%} promised')
    print(f'{what}: ${dollars:.2f} and ${lower:.2f} in a day that is replayed, {1 - lower / dollars:.1%} less; {promised:.1%} promised')
finish()
