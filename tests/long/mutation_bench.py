# SPDX-License-Identifier: Apache-2.0
"""What tests/long/mutate.py works with: the core compiled once more, tests that take it from there, and what each of them executes."""
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

from core_sources import core_files

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ['-std=c11', '-fPIC', '-w', '-ffp-contract=off', '-fno-math-errno', f'-I{SOURCE}/lib', f'-I{SOURCE}/include']
MEMORY = 2 << 30
PLAIN, CHECKED = ['-O1'], ['-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']
# They are about the modules above the core, and take longer than all others together.
ABOVE = {'bench', 'catalogue', 'command_line', 'field_tour', 'hostile', 'kubectl', 'node_classes', 'providers', 'simulate'}


def digest(*paths):
    state = hashlib.sha256()
    for path in paths:
        state.update(path.read_bytes())
    return state.hexdigest()[:16]


def fresh(target, sources):
    """Whether it has been made of these already."""
    return target.exists() and all(target.stat().st_mtime > path.stat().st_mtime for path in sources)


def linked(flags):
    return [word for word in flags if word.startswith(('-fprofile', '-fsanitize'))]


class Test:
    """A program. `seconds` of the processor without a change; `lines` of each file of the core that it executes."""

    def __init__(self, name, words, sources):
        self.name, self.words, self.digest = name, words, digest(*sources)
        self.seconds, self.lines, self.files = 0.1, None, {} # until they are measured

    def executes(self, file, line, counted):
        """By line, where lines are counted (not in a table) and the file is what it was when that was measured; else any of the file."""
        if self.lines is None:
            return True
        lines = self.lines.get(file)
        return bool(lines) and (line in lines or (counted and line not in counted) or self.files[file] != digest(SOURCE / 'lib' / file))

    def cost(self):
        """The quick ones first, and those that execute little else."""
        return 0 if self.lines is None else (0.01 + self.seconds) * (100 + sum(map(len, self.lines.values())))


class Bench:
    """Libraries and programs, in a folder."""

    def __init__(self, build, folder, jobs):
        self.build, self.folder, self.jobs = build, folder, jobs
        self.environment = {**os.environ, 'KARP_SOURCE': str(SOURCE), 'KARP_BUILD': str(build), 'KARP': str(build / 'karp'),
                            'KARP_SHARED': '/nonexistent', 'PYTHONDONTWRITEBYTECODE': '1', 'CMOCKA_MESSAGE_OUTPUT': 'STDOUT'}
        self.map = folder / 'all.map'
        self.map.write_text('KARP_0.1 { global: *; };\n')
        self.counted = {} # by file, the lines that coverage counts
        self.objects, self.library = self.core('gcc', 'plain', PLAIN)
        self.checked, _ = self.core('gcc', 'checked', CHECKED)
        self.runtime = subprocess.run(['gcc', '-print-file-name=libasan.so'], check=True, capture_output=True, text=True).stdout.strip()
        self.tests = list(self.programs())

    def compile(self, compiler, source, target, more=()):
        return subprocess.run([compiler, *FLAGS, *more, '-c', str(source), '-o', str(target)], capture_output=True, check=False).returncode == 0

    def link(self, compiler, objects, folder, more=()):
        """The folder of the library."""
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([compiler, '-shared', *more, '-Wl,-soname,libkarp.so.1', f'-Wl,--version-script={self.map}',
                        '-o', str(folder / 'libkarp.so.1'), *map(str, objects), '-lm'], check=True)
        return folder

    def core(self, compiler, name, more):
        """The whole core: its objects by file, and the folder of the library."""
        (self.folder / name).mkdir(exist_ok=True)
        objects = {file: self.folder / name / (file.replace('/', '_') + '.o') for file in core_files()}
        headers = [*(SOURCE / 'lib').rglob('*.h'), *(SOURCE / 'include').rglob('*.h')]
        wanted = [file for file, target in objects.items() if not fresh(target, [SOURCE / 'lib' / file, *headers])]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda file: self.compile(compiler, SOURCE / 'lib' / file, objects[file], more), wanted))
        return objects, self.link(compiler, objects.values(), self.folder / name / 'lib', linked(more))

    def programs(self):
        """The tests in C, linked with the library instead of the archive; the cases."""
        (self.folder / 'tests').mkdir(exist_ok=True)
        io = subprocess.run(['pkg-config', '--libs', 'jansson', 'yaml-0.1'], check=True, capture_output=True, text=True).stdout.split()
        archives = [self.build / 'tests' / f'libtest-{x}.a' for x in ('unit', 'support', 'reference')] + [self.build / 'lib' / 'libkarp-io-test.a']

        def program(name, objects):
            out = self.folder / 'tests' / name
            if not fresh(out, objects + archives):
                subprocess.run(['cc', '-o', str(out), *map(str, objects), '-Wl,--start-group', *map(str, archives), '-Wl,--end-group',
                                str(self.library / 'libkarp.so.1'), '-lcmocka', *io, '-ldl', '-lm', '-pthread'], check=True)
            return str(out)

        unit_tests = program('unit_tests', [*self.build.glob('tests/unit_tests.p/*.o'), *self.build.glob('tests/libtest-unit-*.a.p/*.o')])
        for path in sorted((SOURCE / 'tests').glob('unit/test_*.c')) + sorted((SOURCE / 'tests').glob('fault/test_*.c')):
            suite, name = path.parent.name, path.stem[5:]
            alone = list((self.build / 'tests' / f'test_{suite}_{name}.p').glob('*.o'))
            yield Test(f'{suite} {name}', [program(f'{suite}-{name}', alone)] if alone else [unit_tests, name], [path])
        data = sorted(p for p in (SOURCE / 'tests' / 'cases').rglob('*') if p.suffix == '.yaml')
        for path in sorted((SOURCE / 'tests' / 'cases').glob('test_*.py')):
            if path.stem[5:] not in ABOVE:
                yield Test(f'cases {path.stem[5:]}', [sys.executable, str(path)], [path, *data])

    def run(self, test, library, seconds, more=None, checked=False):
        """Whether the test passes within so many seconds of the processor, and how many it took."""
        limits = ['prlimit', *([] if checked else [f'--as={MEMORY}']), f'--cpu={math.ceil(seconds)}', '--core=0', '--']
        if checked: # the program itself is not compiled so, and the sanitizer claims terabytes of addresses
            more = {'LD_PRELOAD': self.runtime, 'ASAN_OPTIONS': f'detect_leaks=0:hard_rss_limit_mb={MEMORY >> 20}'}
        process = subprocess.Popen([*limits, *test.words], cwd=SOURCE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   env={**self.environment, 'LD_LIBRARY_PATH': f'{library}:{self.build}/lib', **(more or {})})
        clock = threading.Timer(60 + 60 * seconds, os.killpg, [process.pid, 9])
        clock.start()
        _, status, usage = os.wait4(process.pid, 0)
        clock.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        return process.returncode in (0, 77), usage.ru_utime + usage.ru_stime

    def measure(self, new):
        """What each test executes, remembered in executed.json. Tests that are new are measured, or taken to execute everything."""
        memory = self.folder / 'executed.json'
        known = json.loads(memory.read_text()) if memory.exists() else {}
        wanted = [test for test in self.tests if known.get(test.name, {}).get('digest') != test.digest]
        if new and wanted:
            _, library = self.core('clang-19', 'lines', ['-O1', '-fprofile-instr-generate', '-fcoverage-mapping'])
            files = {file: digest(SOURCE / 'lib' / file) for file in core_files()}
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                for test, (seconds, lines) in zip(wanted, pool.map(lambda t: self.executed(t, library), wanted)):
                    known[test.name] = {'digest': test.digest, 'seconds': seconds, 'lines': lines, 'files': {f: files[f] for f in lines}}
            known['counted'] = {**known.get('counted', {}), **{file: sorted(lines) for file, lines in self.counted.items()}}
            memory.write_text(json.dumps(known))
        self.counted = {file: set(lines) for file, lines in known.get('counted', {}).items()}
        for test in self.tests:
            row = known.get(test.name)
            if row:
                test.seconds = row['seconds']
            if row and row['digest'] == test.digest:
                test.files, test.lines = row['files'], {file: set(lines) for file, lines in row['lines'].items()}
        self.tests.sort(key=Test.cost)

    def executed(self, test, library):
        with tempfile.TemporaryDirectory(dir=self.folder) as counts:
            passed, seconds = self.run(test, library, 600, {'LLVM_PROFILE_FILE': f'{counts}/%2m.profraw'})
            if not passed:
                sys.exit(f'{test.name} fails without a change')
            raw = list(map(str, pathlib.Path(counts).glob('*.profraw')))
            lines = collections.defaultdict(list)
            if not raw:
                return seconds, lines
            subprocess.run(['llvm-profdata-19', 'merge', '-sparse', '-o', f'{counts}/all', *raw], check=True)
            text = subprocess.run(['llvm-cov-19', 'export', '-format=lcov', str(library / 'libkarp.so.1'), f'-instr-profile={counts}/all'],
                                  check=True, capture_output=True, text=True).stdout
        file = ''
        for row in text.splitlines():
            if row.startswith('SF:'):
                file = row.rsplit('/lib/', 1)[1] if '/lib/' in row else ''
            elif row.startswith('DA:') and file.endswith('.c'):
                line = int(row[3:].split(',')[0])
                self.counted.setdefault(file, set()).add(line)
                if not row.endswith(',0'):
                    lines[file].append(line)
        return seconds, lines

    def changed(self, file, text, folder, checked=False):
        """The folder of a library in which the file reads so; None when it does not compile, '' when the code is the same."""
        module, flags, objects = SOURCE / 'lib' / file.split('/')[0], CHECKED if checked else PLAIN, self.checked if checked else self.objects
        source, target = folder / pathlib.Path(file).name, folder / f'changed{checked:d}.o'
        source.write_text(text)
        if not self.compile('gcc', source, target, [*flags, f'-I{module}']):
            return None
        if target.read_bytes() == objects[file].read_bytes():
            return ''
        return self.link('gcc', [target if f == file else path for f, path in objects.items()], folder / f'lib{checked:d}', linked(flags))

    def same_optimised(self, file, text, folder):
        """Whether the compiler, asked for more, finds no difference."""
        module, found = SOURCE / 'lib' / file.split('/')[0], []
        source, target = folder / pathlib.Path(file).name, folder / 'optimised.o'
        for words in (text, (SOURCE / 'lib' / file).read_text()):
            source.write_text(words)
            self.compile('gcc', source, target, ['-O2', f'-I{module}'])
            found.append(target.read_bytes())
        return found[0] == found[1]
