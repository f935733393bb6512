#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random worlds before Karpenter 1.15.0 as it was published, with its own order of maps and sorts, and before the library.

    unpatched.py ORACLE [--ordered ORACLE] [--from N] [--count N] [--disrupt] [--runs 40] [--save DIR] [--most 10] [--seconds N]

ORACLE is snapshot-1.15 of the shared material, built. Each seed is a world of tests/property with features of more_features.py, or with
--disrupt a pass of disruption over one. Where its answer differs from the library's, the oracle of --ordered is asked, whose maps go by name
(build.py; its sorts are Karpenter's), and then Karpenter again, --runs times. If one of these answers is the library's, maps decided; otherwise
the world is a difference. Exit status: 0 no difference, 1 some.
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import more_features

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get('KARP_BUILD', ROOT / 'build'))
SHARED = pathlib.Path(os.environ.get('KARP_SHARED', ROOT.parent / 'shared'))
KARP = os.environ.get('KARP', str(BUILD / 'karp'))
BATCH = 50


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('oracle')
    parser.add_argument('--ordered')
    parser.add_argument('--from', dest='first', type=int, default=1)
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--disrupt', action='store_true')
    parser.add_argument('--runs', type=int, default=40)
    parser.add_argument('--save')
    parser.add_argument('--most', type=int, default=10)
    parser.add_argument('--seconds', type=int, default=10**9)
    return parser.parse_args()


def comparison():
    spec = importlib.util.spec_from_file_location('check', SHARED / 'conformance' / 'check.py')
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    return check


def make(seed, disrupt):
    printed = subprocess.run([BUILD / 'tests' / 'property' / 'differential', '--print', str(seed)], capture_output=True, check=True)
    world = json.loads(printed.stdout)
    rng = random.Random(f'{seed}-{disrupt}')
    features = more_features.add(rng, world)
    if disrupt:
        more_features.disrupt(rng, world)
    more_features.as_stored(world)
    if not isinstance(world['settings'].get('featureGates'), dict):
        world['settings'].pop('featureGates', None)
    return world, features


def ours(path, world):
    method = world['state'].get('method')
    argv = [KARP, 'disrupt', '--method', method] if method else [KARP, 'plan', '--first-round']
    done = subprocess.run(argv + ['-f', path, '-o', 'json'], capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip().splitlines()[-1:] or [f'exit status {done.returncode}']


def ask(oracle, paths, *more):
    """What it says of each file. A file on which the program ends is asked alone."""
    done = subprocess.run([oracle, *more, *paths], capture_output=True, text=True)
    verdicts = {v['id']: v for v in map(json.loads, done.stdout.splitlines())}
    if len(verdicts) < len(paths) and len(paths) > 1:
        for p in paths:
            verdicts.update(ask(oracle, [p], *more))
    return verdicts


class Tally:
    def __init__(self, chosen):
        self.chosen, self.check = chosen, comparison()
        self.counts, self.differences = collections.Counter(), []

    def difference(self, seed, path, features, why):
        print(f'{seed} ({", ".join(features)}): {why}'[:600], flush=True)
        self.differences.append(seed)
        if self.chosen.save:
            os.makedirs(self.chosen.save, exist_ok=True)
            pathlib.Path(self.chosen.save, f'{seed}.snapshot.json').write_bytes(pathlib.Path(path).read_bytes())

    def judge(self, seed, path, world, features, verdict):
        answer = ours(path, world)
        expected = pathlib.Path(path.replace('.snapshot.json', '.expect.json'))
        if verdict is None or verdict.get('error') or not expected.exists():
            self.counts['not decided by Karpenter'] += 1
            self.counts['  ' + (verdict or {}).get('error', 'it ended')[:70]] += 1
            return
        if isinstance(answer, list):
            self.counts['refused'] += 1
            return self.difference(seed, path, features, answer[0])
        compare = self.check.compare_disruption if self.chosen.disrupt else self.check.compare_plan
        why = compare(json.loads(expected.read_text()), answer)
        if not why:
            self.counts['equal'] += 1
            return
        if self.chosen.ordered:
            ask(self.chosen.ordered, [path], '-write')
            if not compare(json.loads(expected.read_text()), answer):
                self.counts['maps, by name'] += 1
                return
        again = ask(self.chosen.oracle, [path], '-runs', str(self.chosen.runs), '-outcomes').values()
        outcomes = pathlib.Path(path.replace('.snapshot.json', '.outcomes.json'))
        several = json.loads(outcomes.read_text()) if outcomes.exists() else []
        if any(not compare(other, answer) for other in several):
            self.counts['maps, one of its answers'] += 1
        else:
            distinct = next(iter(again), {}).get('distinct')
            self.difference(seed, path, features, f'{distinct} answers in {self.chosen.runs} runs; {"; ".join(why[:3])}')


def main():
    chosen = options()
    tally, begun = Tally(chosen), time.monotonic()
    for first in range(chosen.first, chosen.first + chosen.count, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            batch = {}
            for seed in range(first, min(first + BATCH, chosen.first + chosen.count)):
                world, features = make(seed, chosen.disrupt)
                path = os.path.join(folder, f'{seed}.snapshot.json')
                pathlib.Path(path).write_text(json.dumps(world))
                batch[seed] = path, world, features
                tally.counts.update('with ' + f for f in features + (['devices'] if more_features.of_kind(world, 'ResourceClaim') else []))
            verdicts = ask(chosen.oracle, [b[0] for b in batch.values()], '-write')
            for seed, (path, world, features) in batch.items():
                tally.judge(seed, path, world, features, verdicts.get(str(seed)))
        if len(tally.differences) >= chosen.most or time.monotonic() - begun > chosen.seconds:
            print('stopped after', seed)
            break
    print(json.dumps(tally.counts, indent=1), f'{len(tally.differences)} differences')
    return 1 if tally.differences else 0


if __name__ == '__main__':
    sys.exit(main())
