#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the core in one place at a time, and looks whether a test notices:

    tests/long/mutate.py BUILD [--count 500] [--seed 1] [--only GLOB] [--folder DIR] [--list]

BUILD is a build with its tests. The core is compiled once more, so that unit tests and the program take it from a library which
is made anew for each change: one file is compiled. A change is judged by the unit tests, cases and refusals of memory that execute
its line, the quickest first; a test that fails, or takes ten times as long, has noticed. Those that survive are printed; a survivor listed in
equivalent.txt, with the reason why no test can notice it, counts neither way.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ('base', 'model', 'decision', 'schedule', 'disrupt', 'explain')
FLAGS = ['-std=c11', '-fPIC', '-w', '-ffp-contract=off', '-fno-math-errno', f'-I{SOURCE}/lib', f'-I{SOURCE}/include']
MEMORY = 4 << 30

# A token, and what it becomes.
CHANGES = {
    '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'], '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
    '+': ['-'], '-': ['+'], '+=': ['-='], '-=': ['+='], '++': ['--'], '--': ['++'], '|=': ['&='], '&=': ['|='], '!': [''],
    'true': ['false'], 'false': ['true'], 'break': ['continue'], 'continue': ['break'],
}
TOKEN = re.compile(r'''/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|->|<<=?|>>=?|<=|>=|==|!=|&&|\|\||\+\+|--|[-+|&*/%^]=|[A-Za-z_]\w*|'''
                   r'''(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)\w*|[<>+\-!]''', re.S)


class Change:
    """One place of one file, and what stands there instead."""

    def __init__(self, name, text, start, end, new):
        self.name, self.start, self.end, self.new = name, start, end, new
        self.line = text.count('\n', 0, start) + 1
        first, last = text.rfind('\n', 0, start) + 1, text.find('\n', start)
        self.before = text[first:last].strip()
        self.after = (text[first:start] + new + text[end:last]).strip()

    def __str__(self):
        return f'lib/{self.name}:{self.line}\n  - {self.before}\n  + {self.after}'

    def key(self):
        return f'lib/{self.name}', self.before, self.after


def changes_of(name):
    text = (SOURCE / 'lib' / name).read_text()
    for match in TOKEN.finditer(text):
        token = match.group()
        if re.match(r'\s*#', text[text.rfind('\n', 0, match.start()) + 1:]):
            continue
        new = CHANGES.get(token, [])
        if token.isdigit():
            new = [str(int(token) + 1)] + (['0'] if token == '1' else [])
        for words in new:
            yield Change(name, text, match.start(), match.end(), words)


def core_files():
    for room in ROOMS:
        yield from sorted(p.relative_to(SOURCE / 'lib').as_posix() for p in (SOURCE / 'lib' / room).glob('*.c'))


class Bench:
    """Libraries, programs and what each test executes."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.environment = {**os.environ, 'KARP_SOURCE': str(SOURCE), 'KARP_BUILD': str(build), 'KARP': str(build / 'karp'),
                            'KARP_SHARED': '/nonexistent', 'PYTHONDONTWRITEBYTECODE': '1', 'CMOCKA_MESSAGE_OUTPUT': 'STDOUT'}
        self.map = folder / 'all.map'
        self.map.write_text('KARP_0.1 { global: *; };\n')

    def compile(self, compiler, source, target, more=()):
        return subprocess.run([compiler, *FLAGS, *more, '-c', str(source), '-o', str(target)], capture_output=True, check=False).returncode == 0

    def link(self, compiler, objects, folder, more=()):
        folder.mkdir(parents=True, exist_ok=True)
        library = folder / 'libkarp.so.0'
        subprocess.run([compiler, '-shared', *more, '-Wl,-soname,libkarp.so.0', f'-Wl,--version-script={self.map}', '-o', str(library),
                        *map(str, objects), '-lm'], check=True)
        return library

    def core(self, compiler, name, more=()):
        """The whole core: its objects by file, and the folder of the library."""
        objects = {}
        (self.folder / name).mkdir(exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for file in core_files():
                objects[file] = self.folder / name / (file.replace('/', '_') + '.o')
                pool.submit(self.compile, compiler, SOURCE / 'lib' / file, objects[file], more)
        library = self.link(compiler, objects.values(), self.folder / name / 'lib', [word for word in more if word.startswith('-fprofile')])
        return objects, library.parent

    def programs(self, library):
        """The tests in C, linked with the library instead of the archive."""
        (self.folder / 'tests').mkdir(exist_ok=True)
        io = subprocess.run(['pkg-config', '--libs', 'jansson', 'yaml-0.1'], check=True, capture_output=True, text=True).stdout.split()
        for path in sorted((SOURCE / 'tests').glob('unit/test_*.c')) + sorted((SOURCE / 'tests').glob('fault/test_*.c')):
            suite, name = path.parent.name, path.stem[5:]
            objects = [str(p) for p in (self.build / 'tests' / f'test_{suite}_{name}.p').glob('*.o')]
            out = self.folder / 'tests' / f'{suite}-{name}'
            archives = [self.build / 'tests' / f'libtest-{x}.a' for x in ('unit', 'support', 'reference')] + [self.build / 'lib' / 'libkarp-io-test.a']
            subprocess.run(['cc', '-o', str(out), *objects, '-Wl,--start-group', *map(str, archives), '-Wl,--end-group',
                            str(library / 'libkarp.so.0'), '-lcmocka', *io, '-ldl', '-lm', '-pthread'], check=True)
            yield f'{suite} {name}', [str(out)]
        for path in sorted((SOURCE / 'tests' / 'cases').glob('test_*.py')):
            yield f'cases {path.stem[5:]}', [sys.executable, str(path)]

    def run(self, words, library, limit, more=None):
        """Whether the test passes."""
        def bounded():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.setsid()
        process = subprocess.Popen(words, cwd=SOURCE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=bounded,
                                   env={**self.environment, 'LD_LIBRARY_PATH': f'{library}:{self.build}/lib', **(more or {})})
        try:
            return process.wait(limit) in (0, 77)
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                pass
            process.wait()


def executed(bench, tests):
    """By test: its time, and the lines of the core that it executes, by file."""
    _, library = bench.core('clang-19', 'lines', ['-O1', '-fprofile-instr-generate', '-fcoverage-mapping'])
    out = {}
    for name, words in tests.items():
        counts = bench.folder / 'counts'
        shutil.rmtree(counts, ignore_errors=True)
        begun = time.monotonic()
        if not bench.run(words, library, 600, {'LLVM_PROFILE_FILE': f'{counts}/%2m.profraw'}):
            sys.exit(f'{name} fails without a change')
        took = time.monotonic() - begun
        raw = list(counts.glob('*.profraw'))
        lines = collections.defaultdict(set)
        if raw:
            subprocess.run(['llvm-profdata-19', 'merge', '-sparse', '-o', str(counts / 'all'), *map(str, raw)], check=True)
            text = subprocess.run(['llvm-cov-19', 'export', '-format=lcov', str(library / 'libkarp.so.0'), f'-instr-profile={counts}/all'],
                                  check=True, capture_output=True, text=True).stdout
            file = ''
            for row in text.splitlines():
                if row.startswith('SF:'):
                    file = row.rsplit('/lib/', 1)[1] if '/lib/' in row else ''
                elif row.startswith('DA:'):
                    number, count = row[3:].split(',')[:2]
                    if file and count != '0':
                        lines[file].add(int(number))
        out[name] = {'seconds': took, 'lines': {file: sorted(numbers) for file, numbers in lines.items()}}
    return out


def judge(bench, change, objects, tests, known):
    """'killed by TEST', 'survives', 'not reached', or None: it does not compile."""
    text = (SOURCE / 'lib' / change.name).read_text()
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        folder = pathlib.Path(folder)
        (folder / 'room').mkdir()
        source = folder / 'room' / pathlib.Path(change.name).name
        source.write_text(text[:change.start] + change.new + text[change.end:])
        target = folder / 'changed.o'
        if not bench.compile('gcc', source, target, ['-O1', f'-I{SOURCE / "lib" / change.name.split("/")[0]}']):
            return None
        if target.read_bytes() == objects[change.name].read_bytes():
            return 'same code'
        library = bench.link('gcc', [target if file == change.name else path for file, path in objects.items()], folder / 'lib').parent
        reaching = [name for name in tests if change.line in known[name]['lines'].get(change.name, ())]
        for name in sorted(reaching, key=lambda n: known[n]['seconds']):
            if not bench.run(tests[name], library, 15 + 10 * known[name]['seconds']):
                return f'killed by {name}'
    return 'survives' if reaching else 'not reached'


def equivalent():
    """The listed ones: three lines each, file, before and after, with the reason behind the file."""
    listed, rows = {}, (SOURCE / 'tests' / 'long' / 'equivalent.txt').read_text().splitlines()
    for i, row in enumerate(rows):
        if row.startswith('lib/'):
            file, _, reason = row.partition(': ')
            listed[file, rows[i + 1][4:], rows[i + 2][4:]] = reason
    return listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--count', type=int, default=500)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='*')
    parser.add_argument('--folder', type=pathlib.Path, help='kept: what the tests execute is not measured again')
    parser.add_argument('--list', action='store_true', help='the changes alone')
    options = parser.parse_args()
    places = [c for name in core_files() if fnmatch.fnmatch(name, options.only) for c in changes_of(name)]
    random.Random(options.seed).shuffle(places)
    if options.list:
        print(*places[:options.count], sep='\n')
        return 0
    folder = (options.folder or pathlib.Path(tempfile.mkdtemp())).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.build.resolve(), folder)
    objects, library = bench.core('gcc', 'plain', ['-O1'])
    tests = dict(bench.programs(library))
    if not (folder / 'executed.json').exists():
        (folder / 'executed.json').write_text(json.dumps(executed(bench, tests)))
    known = json.loads((folder / 'executed.json').read_text())
    listed, results, survivors = equivalent(), collections.Counter(), []
    try:
        for change in places:
            if results['killed'] + results['survives'] + results['not reached'] + results['equivalent'] >= options.count:
                break
            result = judge(bench, change, objects, tests, known)
            if result is None or result == 'same code':
                results[result or 'does not compile'] += 1
                continue
            if result in ('survives', 'not reached') and change.key() in listed:
                result = 'equivalent'
            results[result.split(' by ')[0]] += 1
            if sum(results.values()) % 50 == 0:
                print(f'{sum(results.values())} tried: {dict(results)}', file=sys.stderr, flush=True)
            if result in ('survives', 'not reached'):
                survivors.append(change)
                print(f'{result}: {change}', flush=True)
    except KeyboardInterrupt:
        print('ended early', file=sys.stderr)
    judged = results['killed'] + len(survivors)
    print(f'{judged + results["equivalent"]} changes (seed {options.seed}): {results["killed"]} killed, {results["survives"]} survive, '
          f'{results["not reached"]} on lines that no test reaches, {results["equivalent"]} listed as equivalent; '
          f'{100 * results["killed"] / max(1, judged):.1f} % killed; left aside: {results["same code"]} with the same code, '
          f'{results["does not compile"]} that do not compile')
    if not options.folder:
        shutil.rmtree(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
