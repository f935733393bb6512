#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the core in one place at a time, and looks whether a test notices:

    tests/long/mutate.py BUILD [--count 500] [--seed 1] [--only GLOB] [--folder DIR [--again]] [--slowest S] [--jobs N] [--list]

BUILD is a build with its tests. The core is compiled once more, so that unit tests and the program take it from a library which
is made anew for each change: one file is compiled. A change is judged by the unit tests, cases and refusals of memory that execute
its line, the quickest and most particular first; a test that fails, or takes five times as long, has noticed. When none does, the
most particular ones are run with address and undefined-behaviour sanitizers, as CI runs them. Those that survive are printed; a
survivor listed in equivalent.txt, with the reason why no test can notice it, counts neither way.

What a change came to is remembered in the folder. --again asks about those that were not noticed the tests that have not been asked:
new ones, changed ones, and slow ones that a first run left out with --slowest. The sample is drawn by a hash of the changed line: it
stays the same when other lines change.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import functools
import hashlib
import json
import math
import pathlib
import re
import sys
import tempfile
import threading

from core_sources import core_files
from mutation_bench import Bench, SOURCE

# A token, and what it becomes.
CHANGES = {
    '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'], '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
    '+': ['-'], '-': ['+'], '+=': ['-='], '-=': ['+='], '++': ['--'], '--': ['++'], '|=': ['&='], '&=': ['|='], '!': [''],
    'true': ['false'], 'false': ['true'], 'break': ['continue'], 'continue': ['break'],
}
TOKEN = re.compile(r'''/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|->|<<=?|>>=?|<=|>=|==|!=|&&|\|\||\+\+|--|[-+|&*/%^]=|[A-Za-z_]\w*|'''
                   r'''(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)\w*|[<>+\-!]''', re.S)


# With sanitizers so many tests are run, of those that do not take longer.
CHECKED_TESTS, CHECKED_SECONDS = 12, 0.1


class Change:
    """One place of one file, and what stands there instead."""

    def __init__(self, name, text, start, end, new):
        self.name, self.start, self.end, self.new = name, start, end, new
        self.line = text.count('\n', 0, start) + 1
        first, last = text.rfind('\n', 0, start) + 1, text.find('\n', start)
        self.before = text[first:last].strip()
        self.after = (text[first:start] + new + text[end:last]).strip()
        self.ordinal = 0

    def __str__(self):
        return f'lib/{self.name}:{self.line}\n  - {self.before}\n  + {self.after}'

    def text(self):
        text = (SOURCE / 'lib' / self.name).read_text()
        return text[:self.start] + self.new + text[self.end:]

    def listing(self):
        return f'lib/{self.name}', self.before, self.after

    def key(self):
        """What it is remembered by."""
        return '\n'.join([self.name, self.before, self.after, str(self.ordinal)])


def changes_of(name):
    text, seen = (SOURCE / 'lib' / name).read_text(), collections.Counter()
    for match in TOKEN.finditer(text):
        token = match.group()
        if re.match(r'\s*#', text[text.rfind('\n', 0, match.start()) + 1:]):
            continue
        new = CHANGES.get(token, [])
        if token.isdigit():
            sign = text[match.start() - 1] == '-' # of a comparison: -2 means the same
            new = ([] if sign else [str(int(token) + 1)]) + (['0'] if token == '1' else [])
        for words in new:
            change = Change(name, text, match.start(), match.end(), words)
            change.ordinal = seen[change.listing()]
            seen[change.listing()] += 1
            yield change


def sample(seed, only):
    """All changes, in an order that a seed gives."""
    changes = [change for name in core_files() if fnmatch.fnmatch(name, only) for change in changes_of(name)]
    return sorted(changes, key=lambda change: hashlib.sha256(f'{seed}\n{change.key()}'.encode()).digest())


class Memory:
    """What changes came to: by key, the result, and the tests that did not notice, with their digests. In lines of a file; the last counts."""

    def __init__(self, folder):
        self.path, self.lock, self.rows = folder / 'results.jsonl', threading.Lock(), {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                row = json.loads(line)
                self.rows[row['key']] = row

    def add(self, row):
        with self.lock:
            self.rows[row['key']] = row
            with self.path.open('a') as file:
                file.write(json.dumps(row) + '\n')


def noticed(bench, tests, library, passed, checked):
    """The name of the first test that fails. What passes is added to `passed`."""
    for test in tests:
        name = test.name + ' with sanitizers' * checked
        if passed.get(name) == test.digest:
            continue
        if not bench.run(test, library, (10 + 50 * test.seconds) if checked else 2 + 5 * test.seconds, checked=checked)[0]:
            return name
        passed[name] = test.digest
    return None


def judge(bench, change, passed, slowest):
    """'killed by TEST', 'survives', 'not reached', 'same code' or 'does not compile'."""
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        folder, text = pathlib.Path(folder), change.text()
        library = bench.changed(change.name, text, folder)
        if not library:
            return 'does not compile' if library is None else 'same code'
        reaching = [test for test in bench.tests if test.executes(change.name, change.line, bench.counted.get(change.name, ()))]
        name = noticed(bench, [test for test in reaching if test.seconds <= slowest], library, passed, False)
        if name is None and bench.same_optimised(change.name, text, folder):
            return 'same code'
        if name is None and reaching:
            quick = [test for test in reaching if test.seconds <= CHECKED_SECONDS and test.lines is not None]
            name = noticed(bench, quick[:CHECKED_TESTS], bench.changed(change.name, text, folder, True), passed, True)
        if name is not None:
            return f'killed by {name}'
    return 'survives' if reaching else 'not reached'


def equivalent():
    """The listed ones: three lines each, file, before and after, with the reason behind the file. A row whose line is gone is an error:
    it would excuse the change of a line that may come."""
    listed, rows = {}, (SOURCE / 'tests' / 'long' / 'equivalent.txt').read_text().splitlines()
    for i, row in enumerate(rows):
        if row.startswith('lib/'):
            file, _, reason = row.partition(': ')
            listed[file, rows[i + 1][4:], rows[i + 2][4:]] = reason
    stale = [f'{file}: {before}' for file, before, _ in listed if before not in lines_of(file)]
    if stale:
        raise SystemExit('\n'.join(['rows of tests/long/equivalent.txt without a line:', *stale]))
    return listed


@functools.lru_cache
def lines_of(file):
    path = SOURCE / file
    return {line.strip() for line in path.read_text().splitlines()} if path.is_file() else set()


class Count:
    """How many came to what, and which were not noticed."""

    def __init__(self):
        self.results, self.left, self.listed = collections.Counter(), [], equivalent()

    def add(self, change, result):
        if result in ('survives', 'not reached') and change.listing() in self.listed:
            result = 'equivalent'
        self.results[result.split(' by ')[0]] += 1
        if result in ('survives', 'not reached'):
            self.left.append(change)
            print(f'{result}: {change}', flush=True)
        if sum(self.results.values()) % 50 == 0:
            print(f'{sum(self.results.values())} tried: {dict(self.results)}', file=sys.stderr, flush=True)

    def places(self):
        return sum(self.results[name] for name in ('killed', 'survives', 'not reached', 'equivalent'))

    def report(self, seed):
        judged = self.results['killed'] + len(self.left)
        modules = collections.Counter(change.name.split('/')[0] for change in self.left)
        print(f'{self.places()} changes (seed {seed}): {self.results["killed"]} killed, {self.results["survives"]} survive, '
              f'{self.results["not reached"]} on lines that no test reaches, {self.results["equivalent"]} listed as equivalent; '
              f'{100 * self.results["killed"] / max(1, judged):.1f} % killed; left aside: {self.results["same code"]} with the same code, '
              f'{self.results["does not compile"]} that do not compile; not noticed by module: {dict(modules)}')


def try_all(bench, changes, options):
    """Judges changes until so many count, several at a time, and counts in the order of the sample."""
    memory, count = Memory(bench.folder), Count()

    def result_of(change):
        row = memory.rows.get(change.key())
        if row and not (options.again and row['result'] in ('survives', 'not reached')):
            return row['result']
        passed = row['passed'] if row else {}
        result = judge(bench, change, passed, options.slowest)
        memory.add({'key': change.key(), 'result': result, 'passed': {} if result.startswith('killed') else passed})
        return result

    waiting, rest = collections.deque(), iter(changes)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            while count.places() < options.count:
                while len(waiting) < 2 * options.jobs and (change := next(rest, None)):
                    waiting.append((change, pool.submit(result_of, change)))
                if not waiting:
                    break
                change, future = waiting.popleft()
                count.add(change, future.result())
        except KeyboardInterrupt:
            print('ended early', file=sys.stderr)
        for _, future in waiting:
            future.cancel()
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--count', type=int, default=500)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='*')
    parser.add_argument('--folder', type=pathlib.Path, help='kept, with what was found')
    parser.add_argument('--again', action='store_true', help='ask the tests that were not asked about changes that were not noticed')
    parser.add_argument('--slowest', type=float, default=math.inf, help='leave out tests that take more seconds of the processor')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--list', action='store_true', help='the changes alone')
    options = parser.parse_args()
    changes = sample(options.seed, options.only)
    if options.list:
        print(*changes[:options.count], sep='\n')
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(options.build.resolve(), folder, options.jobs)
        bench.measure(not options.again)
        try_all(bench, changes, options).report(options.seed)
    return 0


if __name__ == '__main__':
    sys.exit(main())
