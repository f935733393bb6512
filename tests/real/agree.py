#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far replays are from recordings of a real control plane: docs/twin.md. A folder has types.json, stories STORY.yaml and recorded runs
STORY.N.json: `boot` and `seconds` of the run, `dollars`, `nodeHours`, `launches`, and `nodes` or `samples`, the number of nodes over time.

    KARP=build/karp python3 tests/real/agree.py [FOLDER] [--seeds 20] [-- OPTIONS OF karp replay]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

FIGURES = ('dollars', 'nodeHours', 'launches')
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
                           '--boot-jitter', '0s', '--step', f'{STEP}s', '--seed', str(seed), '-o', 'json', *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    one = json.loads(done.stdout)['policies'][0]
    times = one['series']['time']
    mine = curve([[t - times[0], n] for t, n in zip(times, one['series']['nodes'])], runs[0]['seconds'])
    return {**{name: one[name] for name in FIGURES}, 'apart': min(apart(mine, r['curve']) for r in runs)}


def stories(folder):
    for story in sorted(pathlib.Path(folder).glob('*.yaml')):
        runs = recorded(story)
        if runs:
            yield story, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('.')[0])
    parser.add_argument('folder', nargs='?', default=pathlib.Path(__file__).parent / 'recordings')
    parser.add_argument('--seeds', type=int, default=20)
    parser.add_argument('options', nargs='*')
    arguments = parser.parse_args()
    for story, runs in stories(arguments.folder):
        print(f'{story.stem}: recorded')
        for one in runs:
            print('  ' + ', '.join(f'{name} {one[name]:.4g}' for name in FIGURES))
        ours = [predicted(story, runs, seed, arguments.options) for seed in range(1, arguments.seeds + 1)]
        print(f'  predicted, {len(ours)} seeds')
        for name in (*FIGURES, 'apart'):
            values = [one[name] for one in ours]
            print(f'  {name} {min(values):.4g} to {max(values):.4g}, mean {sum(values) / len(values):.4g}')


if __name__ == '__main__':
    main()
