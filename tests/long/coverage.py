#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures which branches and conditions (MC/DC) of the core the tests reach:

    tests/long/coverage.py BUILD [--suites unit,cases,...] [--missing FILE] [--keep]

Builds into BUILD with clang's source coverage, runs the suites, and prints a table by module, and by file for those that have to be whole.
--missing writes what was not reached, a line each; --keep uses the counts that BUILD has already.

Refused memory is not left out of account: in this build each place that asks for memory is refused some, in children of the tests
(refuse_places.c). So what checks for it has to be reached as everything else has.

Left out is what is marked in its line, or in a comment of its own above: "never: " and the reason. Those that are not reached and
marked so are counted in the last two columns, branches and conditions, and listed under --missing.
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

from core_sources import MODULES

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WHOLE = ('model/quantity.c', 'base/amount.c', 'model/requirement.c', 'model/requirement_set.c', 'schedule/topology.c', 'schedule/topology_admit.c', 'schedule/groups.c',
         'schedule/domains.c')
SUITES = 'unit,cases,fault,property,providers,fuzz-regression'
# What may be refused, of lib/base.
REQUESTS = ('mem_alloc', 'mem_zalloc', 'mem_realloc', 'grow', 'arena_alloc', 'arena_alloc_aligned', 'arena_zalloc', 'arena_array', 'arena_copy',
            'arena_string', 'size_add', 'size_mul', 'sort_stable', 'sort_ids', 'strings_add', 'words_add', 'map64_put')
# One of each of those files, for wrapped names alone do not bring in the archive members that have them.
NEIGHBOURS = ('mem_free', 'strings_init', 'equal_str')
PLACES = 1 << 24
# A branch that was marked: its line, or the one before, says why it cannot be taken.
MARK = re.compile(r'/\* never: ')


class Count:
    """Branches and conditions: all, those not reached, and those left out because they are marked."""

    def __init__(self):
        self.branches = self.missed_branches = self.marked_branches = 0
        self.conditions = self.missed_conditions = self.marked_conditions = 0

    def add(self, other):
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name):
        def share(missed, all_):
            return f'{100 - 100 * missed / all_:6.2f} %' if all_ else '       –'
        return (f'{name:32} {self.branches:6} {share(self.missed_branches, self.branches)} {self.conditions:6} '
                f'{share(self.missed_conditions, self.conditions)} {self.marked_branches:5} {self.marked_conditions:3}')


def tool(name):
    for candidate in (f'{name}-19', name):
        if shutil.which(candidate):
            return candidate
    sys.exit(f'{name} is needed (clang 19)')


def run(words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


def set_up(build):
    """Every program of the build refuses memory where refuse_places.c says so; that walks the frames of the stack."""
    compiler = os.environ.get('CC', 'clang-19')
    build.mkdir(parents=True, exist_ok=True)
    refuse = build / 'refuse_places.o'
    run([compiler, '-c', '-O1', '-fPIC', '-Wall', '-Wextra', '-fno-omit-frame-pointer', f'-I{SOURCE}/lib', f'-I{SOURCE}/include',
         SOURCE / 'tests/long/refuse_places.c', '-o', refuse])
    if not (build / 'build.ninja').exists():
        flags = '-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -fno-omit-frame-pointer -fno-optimize-sibling-calls'
        link = ' '.join(['-fprofile-instr-generate', *(['-fuse-ld=gold'] if shutil.which('ld.gold') else []), str(refuse), *(f'-Wl,--wrap={name}' for name in REQUESTS),
                         *(f'-Wl,-u,{name}' for name in NEIGHBOURS)])
        cache = 'ccache ' if shutil.which('ccache') else ''
        run(['meson', 'setup', build, SOURCE, '-Doptimization=1', '-Ddebug=false', '-Db_lundef=false', '-Db_ndebug=true', f'-Dc_args={flags}',
             f'-Dc_link_args={link}'], env={**os.environ, 'CC': cache + compiler}, stdout=subprocess.DEVNULL)
    run(['ninja', '-C', build], stdout=subprocess.DEVNULL)


def measure(build, suites):
    set_up(build)
    counts = build / 'counts'
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir()
    places = build / 'places'
    places.write_bytes(bytes(PLACES))
    crashes = build / 'places.crashes'
    crashes.unlink(missing_ok=True)
    # %m: programs with the same code add to one file.
    environment = {**os.environ, 'LLVM_PROFILE_FILE': f'{counts}/%4m.profraw', 'KARP_PLACES': str(places), 'KARP_PLACES_OF': str(build)}
    failed = False
    # Of suite abi only what calls functions: each with NULL for every argument.
    for words in ([word for suite in suites.split(',') for word in ('--suite', suite)], ['--suite', 'abi', 'nulls']):
        done = subprocess.run(['meson', 'test', '-C', str(build), '--no-rebuild', '-t', '10', '--print-errorlogs', *words], env=environment)
        failed = failed or done.returncode != 0
    print(f'{PLACES - places.read_bytes().count(0)} places were refused memory')
    if failed:
        print('tests failed')
    if crashes.exists():
        print(f'refused memory crashed a program: {crashes.read_text()}')
    return not failed and not crashes.exists()


def export(build):
    merged = build / 'counts.profdata'
    run([tool('llvm-profdata'), 'merge', '-sparse', '-o', merged, *sorted((build / 'counts').glob('*.profraw'))], stderr=subprocess.DEVNULL)
    library = sorted((build / 'lib').glob('libkarp.so.*.*.*'))[0]
    done = run([tool('llvm-cov'), 'export', '-skip-functions', library, f'-instr-profile={merged}'], capture_output=True)
    return json.loads(done.stdout)['data'][0]['files']


def marked(lines, number):
    before = lines[number - 2].strip() if number > 1 else ''
    return bool(MARK.search(lines[number - 1]) or (before.startswith('/*') and MARK.search(before)))


def branches_of(file):
    """(line, column): how often true and false. An inline function of a header is listed once for each file that has it."""
    found = {}
    for line, column, _, _, true, false, *_ in file['branches']:
        before = found.get((line, column), (0, 0))
        found[line, column] = (before[0] + true, before[1] + false)
    return found


def conditions_of(file):
    """(line, column): which conditions were shown."""
    found = {}
    for record in file.get('mcdc_records', []):
        before = found.get((record[0], record[1]), [False] * len(record[-1]))
        found[record[0], record[1]] = [a or b for a, b in zip(before, record[-1])]
    return found


def count_file(name, file, lines, missing):
    c = Count()
    for (line, column), (true, false) in branches_of(file).items():
        for way, count in (('true', true), ('false', false)):
            if count == 0 and marked(lines, line):
                c.marked_branches += 1
                missing.append(f'{name}:{line}:{column} never {way}: marked: {lines[line - 1].strip()}')
                continue
            c.branches += 1
            if count == 0:
                c.missed_branches += 1
                missing.append(f'{name}:{line}:{column} never {way}: {lines[line - 1].strip()}')
    for (line, column), conditions in conditions_of(file).items():
        for number, shown in enumerate(conditions):
            if not shown and marked(lines, line):
                c.marked_conditions += 1
                continue
            c.conditions += 1
            if not shown:
                c.missed_conditions += 1
                missing.append(f'{name}:{line}:{column} condition {number + 1} shown to matter by no pair: {lines[line - 1].strip()}')
    return c


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--suites', default=SUITES)
    parser.add_argument('--missing', type=pathlib.Path)
    parser.add_argument('--keep', action='store_true')
    options = parser.parse_args()
    build = options.build.resolve()
    good = options.keep or measure(build, options.suites)
    modules, files, missing = collections.defaultdict(Count), {}, []
    for file in export(build):
        path = pathlib.Path(file['filename'])
        try:
            name = path.resolve().relative_to(SOURCE / 'lib').as_posix()
        except ValueError:
            continue
        if name.split('/')[0] in MODULES:
            files[name] = count_file(name, file, path.read_text().split('\n'), missing)
            modules[name.split('/')[0]].add(files[name])
    print(f'{"":32} branch reached  condition shown  marked')
    total = Count()
    for module in MODULES:
        total.add(modules[module])
        print(modules[module].row(f'lib/{module}'))
    print(total.row('core'))
    for name in WHOLE:
        print(files[name].row(f'lib/{name}'))
    if options.missing:
        options.missing.write_text('\n'.join(missing) + '\n')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
