# SPDX-License-Identifier: Apache-2.0
"""What karp bench measures is made from fixed seeds: its decisions are always the same, and so are their prices."""
import json
import sys

from stories import STORIES, check, equal, finish, run

NUMBERS = ('read_ms', 'prepare_ms', 'solve_ms', 'emit_ms', 'pods_per_second')
STAGES = ('read', 'prepare', 'solve', 'emit')
NODES = ('b4', 'b5', 'b7-bound', 'b7-node')  # N is a number of nodes


def bench(*names):
    words = [word for name in names for word in ('--input', name)]
    return json.loads(run('bench', '--json', '--runs', '2', *words)[0])['results']


listed, _ = run('bench', '--list')
families = [line.split()[0].removesuffix('N') for line in listed.splitlines()[:-1]]
check(len(families) == 34 and 'b1-' in families and 'b6-mixed-' in families, f'families: {families}')
names = [family + ('50' if family.startswith(NODES) else '200') for family in families]
first = bench(*names)
equal([row['input'] for row in first], names, 'order')
for row, again in zip(first, bench(*names)):
    for number in NUMBERS:
        check(row[number] >= 0, f'{row["input"]}: {number} {row[number]}')
    check(row['peak_bytes'] > 1 << 20, f'{row["input"]}: peak_bytes {row["peak_bytes"]}')
    for stage in STAGES:
        check(row[f'{stage}_allocations'] > 0, f'{row["input"]}: {stage}_allocations {row[f"{stage}_allocations"]}')
    facts = {key: value for key, value in row.items()
             if key not in NUMBERS and key != 'peak_bytes' and not key.endswith('_allocations')}
    equal(facts, {key: value for key, value in again.items() if key in facts}, f'{row["input"]} made again')
by_name = {row['input']: row for row in first}
for name in names:
    row = by_name[name]
    if name.startswith('b5'):
        equal((row['nodes'], row['decisions']), (50, 50 if 'nodes' in name else 3), f'{name}: what is asked')
    elif name.startswith('b4'):
        equal(row['nodes'], 50, f'{name}: nodes')
        equal(row['commands'], 0 if 'idle' in name else 1, f'{name}: commands')
        check((row['savings'] > 0) == (row['commands'] > 0), f'{name}: savings {row["savings"]}')
    elif name.startswith(('b7-bound', 'b7-node')):
        equal((row['nodes'], row['launches']), (50, 0), f'{name}: nodes in use')
    elif name.startswith('c2'):
        check(row['pods'] > 200 and row['launches'] > 0 and row['price'] > 0, f'{name}: {row}')
    elif not name.startswith(('b3', 'b9', 'b-admit')):
        check(row['pods'] == 200 and row['launches'] > 0 and row['price'] > 0, f'{name}: {row}')
equal(by_name['b1-200']['launches'] >= 40, True, 'b1: the fifth that bars itself from its hosts')
equal((by_name['b3-wide-200']['nodes'], by_name['b3-200']['nodes'], by_name['b9-gang-200']['nodes']), (5000, 300, 5000), 'b3, b9: nodes')
equal(by_name['b7-edit-200']['pods'], 200, 'b7: one pod is replaced')
many, = bench('b6-few-20000')
check(many['read_allocations'] < 2000, f'reading asks for memory {many["read_allocations"]} times, for 20,000 pods')
equal(by_name['b2-anti-200']['launches'], 20, 'b2-anti: one host for each of a kind')
equal((by_name['b8-required-one-200']['launches'], by_name['b8-preferred-one-200']['launches']), (200, 200), 'b8: a host for each')
equal(by_name['b8-preferred-anti-200']['launches'], 20, 'b8: as b2-anti, where the preference can be kept')
check(by_name['b8-preferred-never-200']['launches'] < 20, 'b8: what cannot be kept is given up, pod affinity first, as Karpenter does')
equal(by_name['b8-preferred-zone-200']['price'], by_name['b2-zone-200']['price'], 'b8: zones')

file, = bench(STORIES.parent / 'quickstart' / 'workloads.yaml')
check(file['pods'] > 0, 'a file')
text, _ = run('bench', '--runs', '1', '--input', 'b1-50')
equal(len(text.splitlines()), 2, 'rows of text')
for wrong in (['--input', 'b1-0'], ['--input', 'b1-'], ['--input', 'b9-10'], ['--input', 'b1-10000001'], [], ['--runs', '0']):
    out, error = run('bench', *wrong, status=1)
    check(error.startswith('karp'), f'{wrong}: {error}')
sys.exit(finish())
