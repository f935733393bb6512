#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far replays are from recordings of a real control plane: docs/twin.md. A folder has types.json, stories STORY.yaml and recorded runs
STORY.N.json: `boot` and `seconds` of the run, `dollars`, `nodeHours`, `launches`, `evictions` if they were counted, and `nodes` or `samples`, the number of
nodes over time. record.py writes them.

    KARP=build/karp python3 tests/real/agree.py [FOLDER] [--seeds 20] [-- OPTIONS OF karp replay]
    KARP=build/karp python3 tests/real/agree.py --page docs/twin.md

The second form writes the table of the page, and the curves below it, anew.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import record

FIGURES = ('dollars', 'nodeHours', 'launches', 'evictions')
STEP = 2


def curve(points, seconds):
    """The number of nodes every other second: each point is the time and the number from then on."""
    counts, i = [], 0
    for time in range(0, int(seconds), STEP):
        while i + 1 < len(points) and points[i + 1][0] <= time:
            i += 1
        counts.append(points[i][1])
    return counts


def apart(a, b):
    return sum(abs(x - y) for x, y in zip(a, b)) / max(1, min(len(a), len(b)))


def recorded(story):
    runs = [json.loads(path.read_text()) for path in sorted(story.parent.glob(story.stem + '.[0-9]*.json'))]
    for one in runs:
        one['curve'] = curve(one.get('nodes') if isinstance(one.get('nodes'), list) else one['samples'], one['seconds'])
    return runs


def predicted(story, runs, seed, options=()):
    """One replay, with the distance of its curve to the nearest run. A node needs two seconds after its registration."""
    done = subprocess.run([os.environ['KARP'], 'replay', story, '--catalogue', story.parent / 'types.json', '--boot', f"{runs[0]['boot'] + 2}s",
                           '--boot-jitter', '0s', '--step', f'{STEP}s', '--seed', str(seed), '-o', 'json', '--feature-gates', record.gates_of(story), *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    one = json.loads(done.stdout)['policies'][0]
    times = one['series']['time']
    mine = curve([[t - times[0], n] for t, n in zip(times, one['series']['nodes'])], runs[0]['seconds'])
    return {**{name: one[name] for name in FIGURES}, 'curve': mine, 'apart': min(apart(mine, r['curve']) for r in runs)}


def stories(folder):
    for story in sorted(pathlib.Path(folder).glob('*.yaml')):
        runs = recorded(story)
        if runs:
            yield story, runs


def span(values, digits):
    texts = [f'{value:.{digits}f}' for value in values]
    least, most = min(texts, key=float), max(texts, key=float)
    return least if least == most else f'{least} to {most}'


def columns(ours):
    return ' | '.join(span([o[name] for o in ours], digits) for name, digits in (('dollars', 3), ('nodeHours', 2), ('launches', 0), ('evictions', 0), ('apart', 2)))


def drawn(counts, most):
    """A character for every 16 s: the height is the number of nodes."""
    return ''.join('▁▂▃▄▅▆▇█'[min(7, round(7 * counts[i] / most))] for i in range(0, len(counts), 8))


def table(folder):
    lines, curves = ['| story | | dollars | node-hours | launches | evictions | nodes differ by |', '|---|---|---|---|---|---|---|'], []
    for story, runs in stories(folder):
        said = next(line for line in story.read_text().splitlines() if line.startswith('#'))[1:].strip()
        listed = ' | '.join(', '.join(f'{one[name]:{form}}' for one in runs if name in one) for name, form in zip(FIGURES, ('.4f', '.3f', 'd', 'd')))
        lines.append(f'| {said} | recorded, {len(runs)} run{"s" * (len(runs) > 1)} | {listed} | |')
        ours = [predicted(story, runs, seed) for seed in range(1, 21)]
        simple = [predicted(story, runs, seed, ('--scheduler', 'simple')) for seed in range(1, 4)]
        lines += [f'| | predicted, seeds 1 to 20 | {columns(ours)} |', f'| | `--scheduler simple`, seeds 1 to 3 | {columns(simple)} |']
        most = max(max(one['curve']) for one in runs + ours[:1])
        curves += [f'{story.stem}, up to {most} nodes', *(f'recorded   {drawn(one["curve"], most)}' for one in runs), f'predicted  {drawn(ours[0]["curve"], most)}', '']
    return [*lines, '', 'The nodes over time, a character for every 16 s; predicted with seed 1:', '', '```text', *curves[:-1], '```']


def write_page(path, folder):
    """Replaces what is from the table to the end of the curves."""
    before, rest = path.read_text().split('| story |', 1)
    after = rest.split('```\n', 1)[1] if '```text' in rest.split('\n## ', 1)[0] else rest[rest.index('\n\n') + 1:]
    path.write_text(before + '\n'.join(table(folder)) + '\n' + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('.')[0])
    parser.add_argument('folder', nargs='?', default=pathlib.Path(__file__).parent / 'recordings')
    parser.add_argument('--seeds', type=int, default=20)
    parser.add_argument('--page', type=pathlib.Path)
    parser.add_argument('options', nargs='*')
    arguments = parser.parse_args()
    if arguments.page:
        write_page(arguments.page, arguments.folder)
        return
    for story, runs in stories(arguments.folder):
        print(f'{story.stem}: recorded')
        for one in runs:
            print('  ' + ', '.join(f'{name} {one[name]:.4g}' for name in FIGURES if name in one))
        ours = [predicted(story, runs, seed, arguments.options) for seed in range(1, arguments.seeds + 1)]
        print(f'  predicted, {len(ours)} seeds')
        for name in (*FIGURES, 'apart'):
            values = [one[name] for one in ours]
            print(f'  {name} {min(values):.4g} to {max(values):.4g}, mean {sum(values) / len(values):.4g}')


if __name__ == '__main__':
    main()
