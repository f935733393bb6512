#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far replays are from recordings of a real control plane: docs/twin.md. A folder has types.json, stories STORY.yaml and recorded runs
STORY.N.json: `boot` and `seconds` of the run, `dollars`, `nodeHours`, `launches`, `evictions` if they were counted, and `nodes` or `samples`, the number of
nodes over time. record.py writes them. From STORY.N.jsonl.gz beside them come the nodes and how long pods waited.

    KARP=build/karp python3 tests/real/agree.py [FOLDER] [--seeds 100] [-- OPTIONS OF karp replay]
    KARP=build/karp python3 tests/real/agree.py --page docs/twin.md

The second form writes the table of the page, and the curves below it, anew.
"""
import argparse
import concurrent.futures
import datetime
import gzip
import itertools
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

# How far the median of the seeds may be from the span of the runs, and a run from the span of the seeds: a part, and so many.
WITHIN = {'dollars': (.02, 0), 'nodeHours': (.02, 0), 'launches': (0, 1), 'evictions': (.05, 0), 'p50': (0, 2), 'p99': (0, 2)}
CURVE = .25  # by how many nodes the curve of the median seed may be farther from the nearest run than runs are from each other
FIGURES = ('dollars', 'nodeHours', 'launches', 'evictions', 'p50', 'p99')
STEP = 2
LOOK = .25  # seconds between two lines of a recording
SEEDS = 100
UNTIL_INITIALIZED = 1  # seconds from the registration of a node, which takes pods at once: Karpenter pauses so long


def gates_of(path):
    """Feature gates of Karpenter that a story states in a comment: `# feature gates: StaticCapacity=true`."""
    return next(iter(re.findall('^# feature gates: (.*)$', path.read_text(), re.M)), '')


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


def registered(one):
    """Whether a NodeClaim has been registered."""
    return any(c['type'] == 'Registered' and c['status'] == 'True' for c in one.get('status', {}).get('conditions', []))


def seen(path, begins):
    """The number of nodes over time, and how long each pod waited and each node took until it was registered, from a recording."""
    now, points, waits, boots = set(), [[0, 0]], {}, {}
    with gzip.open(path, 'rt') as lines:
        for line in map(json.loads, lines):
            at = max(0, datetime.datetime.fromisoformat(line['now'].replace('Z', '+00:00')).timestamp() - begins)
            for one in line.get('objects', []) + line.get('changed', []):
                meta = one['metadata']
                if one['kind'] == 'NodeClaim':
                    now.add(meta['name'])
                    boot = boots.setdefault(meta['name'], [at, None])
                    if registered(one) and boot[1] is None:
                        boot[1] = at
                elif one['kind'] == 'Pod' and not any(owner['kind'] == 'DaemonSet' for owner in meta.get('ownerReferences', [])):
                    wait = waits.setdefault(meta['name'], [at, None])
                    if one['spec'].get('nodeName') and wait[1] is None:
                        wait[1] = at
            for name in line.get('gone', []):
                kind, *_, name = name.split('/')
                if kind == 'NodeClaim':
                    now.discard(name)
                elif kind == 'Pod' and name in waits and waits[name][1] is None:
                    waits[name][1] = at
            points.append([at, len(now)])
    return points, [(at if ended is None else ended) - begun for begun, ended in waits.values()], [ended - begun for begun, ended in boots.values() if ended]


def rank(values, part):
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]


def recorded(story):
    runs = []
    for path in sorted(story.parent.glob(story.stem + '.[0-9]*.json')):
        one = json.loads(path.read_text())
        nodes = one.get('nodes') if isinstance(one.get('nodes'), list) else one['samples']
        lines = path.with_suffix('.jsonl.gz')
        if lines.exists():
            nodes, waits, one['boots'] = seen(lines, one['begins'])
            one.update(p50=rank(waits, .5), p99=rank(waits, .99))
        one['curve'] = curve(nodes, one['seconds'])
        runs.append(one)
    return runs


def boot_of(runs):
    """How long nodes take until they are registered, which a replay is told: the median, as exact as looks are. The busier a machine is, the longer."""
    boots = [boot for one in runs for boot in one.get('boots', ())]
    return round(statistics.median(boots) / LOOK) * LOOK if boots else runs[0]['boot']


def predicted(story, runs, seed, options=()):
    """One replay, with the distance of its curve to the nearest run. A node takes pods when it registers."""
    done = subprocess.run([os.environ['KARP'], 'replay', story, '--catalogue', story.parent / 'types.json', '--boot', f'{boot_of(runs):.2f}s',
                           '--boot-jitter', '0s', '--initialization', f'{UNTIL_INITIALIZED}s', '--step', f'{STEP}s', '--seed', str(seed), '-o', 'json', '--feature-gates', gates_of(story), *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    one = json.loads(done.stdout)['policies'][0]
    times = one['series']['time']
    mine = curve([[t - times[0], n] for t, n in zip(times, one['series']['nodes'])], runs[0]['seconds'])
    one.update(one['pendingSeconds'])
    return {**{name: one[name] for name in FIGURES}, 'curve': mine, 'apart': min(apart(mine, r['curve']) for r in runs)}


def stories(folder):
    for story in sorted(pathlib.Path(folder).glob('*.yaml')):
        runs = recorded(story)
        if runs:
            yield story, runs


def replays(story, runs, seeds=SEEDS, options=()):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda seed: predicted(story, runs, seed, options), range(1, seeds + 1)))


def outside(runs, ours):
    """Figures in which the predictions do not agree with the runs, by name, each with what is wrong."""
    found = {}
    for name, (part, more) in WITHIN.items():
        real, mine = ([one[name] for one in some if name in one] for some in (runs, ours))
        near = lambda value, of: min(of) * (1 - part) - more <= value <= max(of) * (1 + part) + more
        if real and not near(statistics.median(mine), real):
            found[name] = f'the median of the seeds is {statistics.median(mine):.4g}, the runs have {min(real):.4g} to {max(real):.4g}'
        elif not all(near(value, mine) for value in real):
            found[name] = f'the seeds have {min(mine):.4g} to {max(mine):.4g}, the runs {min(real):.4g} to {max(real):.4g}'
    among = max((apart(a['curve'], b['curve']) for a, b in itertools.combinations(runs, 2)), default=0)
    off = statistics.median(one['apart'] for one in ours)
    if off > among + CURVE:
        found['apart'] = f'nodes differ by {off:.2f}, in runs by {among:.2f}'
    return found


def span(values, digits):
    """The median, and from where to where."""
    least, middle, most = (f'{value:.{digits}f}' for value in (min(values), statistics.median(values), max(values)))
    return middle if least == most else f'{middle} ({least} to {most})'


DIGITS = (('dollars', 4), ('nodeHours', 3), ('launches', 0), ('evictions', 0), ('p50', 0), ('p99', 0))


def columns(ours):
    return ' | '.join(span([o[name] for o in ours], digits) for name, digits in (*DIGITS, ('apart', 2)))


def drawn(counts, most):
    """A character for every 16 s: the height is the number of nodes."""
    return ''.join('▁▂▃▄▅▆▇█'[min(7, round(7 * counts[i] / most))] for i in range(0, len(counts), 8))


def table(folder):
    lines = ['| story | | dollars | node-hours | launches | evictions | pending p50 | p99 | nodes differ by |', '|---|---|---|---|---|---|---|---|---|']
    curves, wrong, agreeing, total = [], [], 0, 0
    for story, runs in stories(folder):
        said = next(line for line in story.read_text().splitlines() if line.startswith('#'))[1:].strip()
        listed = ' | '.join(', '.join(f'{one[name]:.{digits}f}' for one in runs if name in one) for name, digits in DIGITS)
        pairs = [apart(a['curve'], b['curve']) for a, b in itertools.combinations(runs, 2)]
        lines.append(f'| {said} | recorded, {len(runs)} run{"s" * (len(runs) > 1)} | {listed} | {max(pairs, default=0):.2f} |')
        ours, simple = replays(story, runs), replays(story, runs, 3, ('--scheduler', 'simple'))
        lines += [f'| | predicted, {SEEDS} seeds | {columns(ours)} |', f'| | `--scheduler simple`, 3 seeds | {columns(simple)} |']
        most = max(max(one['curve']) for one in runs + ours[:1])
        curves += [f'{story.stem}, up to {most} nodes', *(f'recorded   {drawn(one["curve"], most)}' for one in runs), f'predicted  {drawn(ours[0]["curve"], most)}', '']
        found = outside(runs, ours)
        wrong += [f'- {story.stem}, {name}: {why}' for name, why in found.items()]
        agreeing += len(WITHIN) + 1 - len(found)
        total += len(WITHIN) + 1
    return [*lines, '', f'Of {total} figures, {agreeing} agree. Outside:', '', *wrong, '', 'The nodes over time, a character for every 16 s; predicted with seed 1:', '', '```text', *curves[:-1], '```']


def write_page(path, folder):
    """Replaces what is from the table to the end of the curves."""
    before, rest = path.read_text().split('| story |', 1)
    after = rest.split('```\n', 1)[1] if '```text' in rest.split('\n## ', 1)[0] else rest[rest.index('\n\n') + 1:]
    path.write_text(before + '\n'.join(table(folder)) + '\n' + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('.')[0])
    parser.add_argument('folder', nargs='?', default=pathlib.Path(__file__).parent / 'recordings')
    parser.add_argument('--seeds', type=int, default=SEEDS)
    parser.add_argument('--page', type=pathlib.Path)
    parser.add_argument('options', nargs='*')
    arguments = parser.parse_args()
    if arguments.page:
        write_page(arguments.page, arguments.folder)
        return
    for story, runs in stories(arguments.folder):
        ours = replays(story, runs, arguments.seeds, arguments.options)
        print(f'{story.stem}: {len(runs)} runs, {len(ours)} seeds')
        for name, digits in DIGITS:
            print(f'  {name}: recorded ' + ', '.join(f'{one[name]:.{digits}f}' for one in runs if name in one) + '; predicted ' + span([one[name] for one in ours], digits))
        print('  nodes differ by ' + span([one['apart'] for one in ours], 2))
        for name, why in outside(runs, ours).items():
            print(f'  OUTSIDE {name}: {why}')


if __name__ == '__main__':
    main()
