#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures which branches and conditions (MC/DC) of the core the tests reach:

    tests/long/coverage.py BUILD [--suites unit,cases,...] [--refusals N] [--missing FILE] [--keep]

Builds into BUILD with clang's source coverage, runs the suites and tests/long/test_refusals.py N, and prints a table by room, and by
file for those that have to be whole. --missing writes what was not reached, a line each; --keep uses the counts that BUILD has already.

Left out of account are decisions that only a refused allocation or a damaged argument takes, where they stand alone: they are
counted as defensive, and listed under --missing as such. What such a line looks like is said in DEFENSIVE below. They are tested
nonetheless (tests/fault); being reached by one more refusal says little.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ('base', 'model', 'decision', 'schedule', 'disrupt', 'explain')
WHOLE = ('model/quantity.c', 'base/amount.c', 'model/requirement.c', 'model/requirement_set.c', 'schedule/topology.c', 'schedule/groups.c',
         'schedule/domains.c')
SUITES = 'unit,cases,fault,property,providers,fuzz-regression'
# A branch that was marked: its line, or the one before, says why it cannot be taken.
MARK = re.compile(r'/\* never: ')


class Count:
    """Branches and conditions: all, and those not reached."""

    def __init__(self):
        self.branches = self.missed_branches = self.conditions = self.missed_conditions = self.defensive = 0

    def add(self, other):
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name):
        def share(missed, all_):
            return f'{100 - 100 * missed / all_:6.2f} %' if all_ else '       –'
        return (f'{name:32} {self.branches:6} {share(self.missed_branches, self.branches)} {self.conditions:6} '
                f'{share(self.missed_conditions, self.conditions)} {self.defensive:5}')


def tool(name):
    for candidate in (f'{name}-19', name):
        if shutil.which(candidate):
            return candidate
    sys.exit(f'{name} is needed (clang 19)')


def run(words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


def measure(build, suites, refusals):
    if not (build / 'build.ninja').exists():
        flags = '-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc'
        run(['meson', 'setup', build, SOURCE, '-Doptimization=1', '-Db_lundef=false', '-Db_ndebug=true', f'-Dc_args={flags}',
             '-Dc_link_args=-fprofile-instr-generate'], env={**os.environ, 'CC': os.environ.get('CC', 'clang-19')}, stdout=subprocess.DEVNULL)
    run(['ninja', '-C', build], stdout=subprocess.DEVNULL)
    counts = build / 'counts'
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir()
    words = [word for suite in suites.split(',') for word in ('--suite', suite)]
    # %m: programs with the same code add to one file.
    done = subprocess.run(['meson', 'test', '-C', str(build), '--no-rebuild', '-t', '10', '--print-errorlogs', *words],
                          env={**os.environ, 'LLVM_PROFILE_FILE': f'{counts}/%4m.profraw'})
    if done.returncode:
        sys.exit('tests failed')
    run([sys.executable, SOURCE / 'tests' / 'long' / 'test_refusals.py', refusals],
        env={**os.environ, 'LLVM_PROFILE_FILE': f'{counts}/%4m.profraw', 'KARP_SOURCE': str(SOURCE), 'KARP_BUILD': str(build)})


def export(build):
    merged = build / 'counts.profdata'
    run([tool('llvm-profdata'), 'merge', '-sparse', '-o', merged, *sorted((build / 'counts').glob('*.profraw'))], stderr=subprocess.DEVNULL)
    library = sorted((build / 'lib').glob('libkarp.so.*.*.*'))[0]
    done = run([tool('llvm-cov'), 'export', '-skip-functions', library, f'-instr-profile={merged}'], capture_output=True)
    return json.loads(done.stdout)['data'][0]['files']


def marked(lines, number):
    return any(MARK.search(lines[n - 1]) for n in (number - 1, number) if 0 < n <= len(lines))


def count_file(name, file, lines, missing):
    c = Count()
    for line, column, _, _, true, false, *_ in file['branches']:
        for way, count in (('true', true), ('false', false)):
            if count == 0 and marked(lines, line):
                c.defensive += 1
                missing.append(f'{name}:{line}:{column} never {way}: marked: {lines[line - 1].strip()}')
                continue
            c.branches += 1
            if count == 0:
                c.missed_branches += 1
                missing.append(f'{name}:{line}:{column} never {way}: {lines[line - 1].strip()}')
    for record in file.get('mcdc_records', []):
        for number, shown in enumerate(record[-1]):
            if not shown and marked(lines, record[0]):
                continue
            c.conditions += 1
            if not shown:
                c.missed_conditions += 1
                missing.append(f'{name}:{record[0]}:{record[1]} condition {number + 1} shown to matter by no pair: {lines[record[0] - 1].strip()}')
    return c


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--suites', default=SUITES)
    parser.add_argument('--refusals', default='150')
    parser.add_argument('--missing', type=pathlib.Path)
    parser.add_argument('--keep', action='store_true')
    options = parser.parse_args()
    build = options.build.resolve()
    if not options.keep:
        measure(build, options.suites, options.refusals)
    rooms, files, missing = collections.defaultdict(Count), {}, []
    for file in export(build):
        path = pathlib.Path(file['filename'])
        try:
            name = path.resolve().relative_to(SOURCE / 'lib').as_posix()
        except ValueError:
            continue
        if name.split('/')[0] in ROOMS:
            files[name] = count_file(name, file, path.read_text().split('\n'), missing)
            rooms[name.split('/')[0]].add(files[name])
    print(f'{"":32} branch reached  condition shown  defensive')
    total = Count()
    for room in ROOMS:
        total.add(rooms[room])
        print(rooms[room].row(f'lib/{room}'))
    print(total.row('core'))
    for name in WHOLE:
        print(files[name].row(f'lib/{name}'))
    if options.missing:
        options.missing.write_text('\n'.join(missing) + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
