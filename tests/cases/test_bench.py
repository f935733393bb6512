# SPDX-License-Identifier: Apache-2.0
"""What karp bench measures is made from fixed seeds: its decisions are always the same, and so are their prices."""
import json
import sys

from stories import STORIES, check, equal, finish, run

NUMBERS = ('read_ms', 'prepare_ms', 'solve_ms', 'emit_ms')


def bench(*names):
    words = [word for name in names for word in ('--input', name)]
    return json.loads(run('bench', '--json', '--runs', '2', *words)[0])['results']


listed, _ = run('bench', '--list')
families = [line.split()[0].removesuffix('N') for line in listed.splitlines()[:-1]]
check(len(families) >= 11 and 'b1-' in families and 'b6-mixed-' in families, f'families: {families}')
names = [family + ('50' if family.startswith('b4') else '200') for family in families]
first = bench(*names)
equal([row['input'] for row in first], names, 'order')
for row, again in zip(first, bench(*names)):
    for number in NUMBERS:
        check(row[number] >= 0, f'{row["input"]}: {number} {row[number]}')
    check(row['peak_bytes'] > 1 << 20, f'{row["input"]}: peak_bytes {row["peak_bytes"]}')
    facts = {key: value for key, value in row.items() if key not in NUMBERS and key != 'peak_bytes'}
    equal(facts, {key: value for key, value in again.items() if key in facts}, f'{row["input"]} made again')
by_name = {row['input']: row for row in first}
for name in names:
    row = by_name[name]
    if name.startswith('b4'):
        equal(row['nodes'], 50, f'{name}: nodes')
        equal(row['commands'], 0 if 'idle' in name else 1, f'{name}: commands')
        check((row['savings'] > 0) == (row['commands'] > 0), f'{name}: savings {row["savings"]}')
    elif not name.startswith('b3'):
        check(row['pods'] == 200 and row['launches'] > 0 and row['price'] > 0, f'{name}: {row}')
equal(by_name['b1-200']['launches'] >= 40, True, 'b1: the fifth that bars itself from its hosts')
equal(by_name['b2-anti-200']['launches'], 20, 'b2-anti: one host for each of a kind')

file, = bench(STORIES.parent / 'quickstart' / 'workloads.yaml')
check(file['pods'] > 0, 'a file')
text, _ = run('bench', '--runs', '1', '--input', 'b1-50')
equal(len(text.splitlines()), 2, 'rows of text')
for wrong in (['--input', 'b1-0'], ['--input', 'b1-'], ['--input', 'b9-10'], ['--input', 'b1-10000001'], [], ['--runs', '0']):
    out, error = run('bench', *wrong, status=1)
    check(error.startswith('karp'), f'{wrong}: {error}')
sys.exit(finish())
