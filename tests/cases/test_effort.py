# SPDX-License-Identifier: Apache-2.0
"""A cost plan takes about the work that was asked for, in instructions: the first round of prices, too, which looks at every type."""
import json
import os
import pathlib
import sys
import tempfile

import growth
from stories import check, finish
from traps import instance_type, lines, pod

STEPS = 10_000           # of effort: --effort 10ms
OWN_STEPS = 5_000        # that the bound takes beside these
MOST = 200_000           # instructions of a step, of which a plan of this kind takes 40,000 to 75,000
TYPES = 60


def type_of(i):
    """None of them can take the place of another."""
    cpus, gib = 2 + i % 30, 4 + i * 37 % 97
    return {**instance_type(i, zones=(), capacity={'cpu': str(cpus), 'memory': f'{gib}Gi'}),
            'offerings': [{'zone': 'z1', 'capacityType': 'on-demand', 'price': (cpus * 40 + gib * 5) / 1000}]}


def pod_of(i):
    requests = {'cpu': f'{150 + i * 211 % 1900}m', 'memory': f'{300 + i * 997 % 7001}Mi'}
    return pod(f'p{i}', {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': requests}}]})


def instructions(folder, kinds):
    pods = pathlib.Path(folder, f'{kinds}.json')
    pods.write_text(lines(*map(pod_of, range(kinds))))
    types = pathlib.Path(folder, 'types.json')
    types.write_text(json.dumps([type_of(i) for i in range(TYPES)]))
    words = ['plan', '-f', str(pods), '--catalogue', str(types), '--objective', 'cost', '--effort', str(STEPS), '-o', 'json']
    status, counted, error = growth.run_counted(words)
    check(status == 0, f'{kinds} kinds: exit {status}: {error}')
    return counted


if not growth.available() or b'__asan_init' in pathlib.Path(os.environ['KARP']).read_bytes():
    print('valgrind is not installed, or the build has sanitizers')
    sys.exit(77)
with tempfile.TemporaryDirectory() as own:
    for count in (30, 60):
        taken = instructions(own, count) // (STEPS + OWN_STEPS)
        check(0 < taken <= MOST, f'{count} kinds of pods: a step takes {taken} instructions, at most {MOST} are allowed')
        print(f'{count} kinds: {taken} instructions a step')
finish()
