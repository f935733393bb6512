#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random worlds before Karpenter itself and before the library: compare.py [OPTION...]

    --from N, --count N    the seeds (1, 1000)
    --file WORLD.json      this Snapshot instead; may be repeated
    --cases                the text cases of tests/cases/scheduling instead, as `karp dump` writes them
    --most N               ends after so many differences (10)
    --shrink, --save DIR   makes each world on which they part small, and keeps it as DIR/SEED.json
    --oracle PROGRAM       the oracle, built before; without it, it is built
    --peer 1.14|1.15       the version of Karpenter that the oracle asks, and whose profile the library decides by (1.15)

Exit status: 0 no difference, 1 some, 2 trouble, 77 where Go or Karpenter's module cannot be had.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import build

ROOT = os.path.dirname(os.path.dirname(build.HERE))
BUILD = os.environ.get('KARP_BUILD', os.path.join(ROOT, 'build'))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--from', dest='first', type=int, default=1)
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--file', action='append', default=[])
    parser.add_argument('--cases', action='store_true')
    parser.add_argument('--most', type=int, default=10)
    parser.add_argument('--shrink', action='store_true')
    parser.add_argument('--save')
    parser.add_argument('--oracle')
    parser.add_argument('--peer', choices=['1.14', '1.15'], default='1.15')
    return parser.parse_args()


def ask(command, paths):
    sys.stdout.flush()
    return max(subprocess.run(command + ['--file', path], check=False).returncode for path in paths)


def dumped_cases(folder):
    """A file in the folder for every case: its input with the options of its first run."""
    sys.path.insert(0, os.path.join(ROOT, 'tests', 'cases'))
    import text_case  # pylint: disable=import-outside-toplevel

    class Run:
        def __init__(self, arguments):
            self.arguments = arguments

        def expect(self, line):
            """What has to come out is not asked for here."""

    os.environ.setdefault('KARP', os.path.join(BUILD, 'karp'))
    cases = text_case.pathlib.Path(ROOT, 'tests', 'cases', 'scheduling')
    for path in sorted(p for p in cases.rglob('*.yaml') if p.parent != cases):
        first = text_case.read_case(path, 'plan', Run)[0]
        command = text_case.command(cases, path, 'dump', first.arguments)[:-2]
        name = os.path.join(folder, f'{path.parent.name}-{path.stem}.json')
        with open(name, 'w', encoding='utf-8') as f:
            if subprocess.run(command, stdout=f, stderr=subprocess.PIPE, check=False).returncode == 0:
                yield name
            else:
                print(f'{path.name}: cannot be dumped')


def main():
    chosen = options()
    oracle = os.path.abspath(chosen.oracle) if chosen.oracle else build.build(os.path.join(BUILD, 'tests', 'oracle-' + chosen.peer), chosen.peer)
    if oracle is None:
        return 77
    command = [os.path.join(BUILD, 'tests', 'property', 'differential'), '--ask', oracle, '--peer', chosen.peer]
    command += ['--shrink'] if chosen.shrink else []
    if chosen.save:
        os.makedirs(chosen.save, exist_ok=True)
        command += ['--save', chosen.save]
    if chosen.cases:
        with tempfile.TemporaryDirectory() as folder:
            chosen.file = list(dumped_cases(folder))
            print(f'{len(chosen.file)} cases')
            return ask(command, chosen.file)
    if not chosen.file:
        seeds = ['--from', str(chosen.first), '--count', str(chosen.count), '--most', str(chosen.most)]
        return subprocess.run(command + seeds, check=False).returncode
    return ask(command, chosen.file)


if __name__ == '__main__':
    sys.exit(main())
