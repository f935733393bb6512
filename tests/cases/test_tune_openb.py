# SPDX-License-Identifier: Apache-2.0
"""karp tune finds the best NodePool for Alibaba's trace of GPU clusters, cluster-trace-gpu-v2023 of https://github.com/alibaba/clusterdata, which is not
part of the project since no licence is stated for it: KARP_OPENB names its table openb_pod_list_default.csv."""
import os
import pathlib
import sys
import tempfile

import tune_grids as grids
from stories import finish, types_of

if 'KARP_OPENB' not in os.environ:
    print('KARP_OPENB does not name the table openb_pod_list_default.csv')
    sys.exit(77)
folder = tempfile.mkdtemp()
names = [f'{family}.{size}' for family in ('g4dn', 'g5', 'g6', 'm5', 'c5', 'm6a', 'r6a') for size in ('xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge', '24xlarge', '48xlarge')]
words = types_of(folder, 'us-west-2', *names, 'p3.8xlarge', 'p3.16xlarge', 'g4dn.metal')
own = grids.pool({'consolidateAfter': '1h', 'consolidationPolicy': 'WhenEmpty', 'budgets': [{'nodes': '100%'}]},
                 capacity_type=['on-demand'], instance_family=['g5', 'm5'])
# The last two fifths of the trace are most of its pods. Those that begin after the first 117 days:
header, *rows = pathlib.Path(os.environ['KARP_OPENB']).read_text().splitlines()
fields = header.split(',')
begins = fields.index('creation_time')
late = [row for row in rows if int(row.split(',')[begins]) >= 117 * 86400]
kept = late if grids.WHOLE else late[:200]
trace = pathlib.Path(folder, 'openb.csv')
trace.write_text('\n'.join([header, *kept]) + '\n')
pools = grids.save(folder, 'pools.json', own, grids.NODE_CLASS)
axes = {'instance-family': ['g4dn+m5', 'any'], 'consolidationPolicy': ['WhenEmptyOrUnderutilized'], 'consolidateAfter': ['5m']}
if grids.WHOLE:
    axes = {**axes, 'instance-family': ['g4dn+m5', 'g4dn+m6a', 'g4dn+g5+g6+m6a+r6a', 'any'], 'instance-size': ['xlarge+2xlarge+4xlarge+8xlarge+12xlarge+16xlarge+24xlarge'],
            'capacity-type': ['spot+on-demand']}
grids.compare(folder, f'openb, {len(kept)} pods', own, axes, grids.replayed, [trace, '--nodepools', pools, *words], [pools, '--trace', trace, *words])
finish()
