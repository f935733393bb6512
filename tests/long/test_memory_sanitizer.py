# SPDX-License-Identifier: Apache-2.0
"""The core under MemorySanitizer: every unit test that reads no documents (the libraries that read them are not instrumented, so
much would be reported that is nothing), and the corpora of the fuzz targets that decide on structs or look at values."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from core_sources import core_files

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ['KARP_BUILD'])
FLAGS = ['-std=c11', '-g', '-O1', '-ffp-contract=off', '-fno-omit-frame-pointer', '-fsanitize=memory', '-fsanitize-memory-track-origins',
         '-D_POSIX_C_SOURCE=200809L', f'-I{SOURCE}/lib', f'-I{SOURCE}/include', f'-I{SOURCE}/tests', f'-I{SOURCE}/tests/unit']
OTHER = re.compile(r'#include [<"](karp/(io|provider|replay)\.h|io/|json/|replay/|providers/|cli/|jansson|reference/)')
SHARED = re.compile(r'#include (?:"|<(support)/)(\w+\.h)[">]')
REPLAYED = {'quantity': [], 'cron': [], 'requirements': ['tests/support/algebra_laws.c'], 'snapshot': ['fuzz/typed_objects.c', 'fuzz/typed_source.c', 'fuzz/harness.c']}


def compiler():
    for name in ('clang-19', 'clang', 'clang-14'):
        if shutil.which(name):
            test = [name, '-fsanitize=memory', '-x', 'c', '-o', '/dev/null', '-']
            if subprocess.run(test, input='int main(void){return 0;}', text=True, capture_output=True, check=False).returncode == 0:
                return name
    return None


def shared(path):
    """The files of the tests that one takes in: headers, and what is declared in them."""
    for folder, name in SHARED.findall(path.read_text()):
        header = SOURCE / 'tests' / folder / name if folder else path.parent / name
        yield from (file for file in (header, header.with_suffix('.c')) if file.exists())


def needs_only_the_core(path):
    seen, left = set(), [path]
    while left:
        file = left.pop()
        if OTHER.search(file.read_text()):
            return False
        seen.add(file)
        left += [other for other in shared(file) if other not in seen]
    return True


def main():
    cc = compiler()
    if cc is None:
        print('no clang with MemorySanitizer')
        return 77
    tables = [BUILD / 'lib' / f'{cloud}_table.c' for cloud in ('ec2', 'azure', 'gcp')]
    if not all(table.exists() for table in tables):
        print('the build has no built-in catalogues')
        return 77
    tests = [p for p in sorted((SOURCE / 'tests' / 'unit').glob('test_*.c')) if needs_only_the_core(p)]
    beside = [*(SOURCE / 'tests' / 'support').glob('*.c'), *(p for p in (SOURCE / 'tests' / 'unit').glob('*.c') if not p.stem.startswith('test_'))]
    support = [p for p in sorted(beside) if needs_only_the_core(p)]
    # Two targets write what was decided: they take what they need of libkarp-io.
    above = [p for module in ('json', 'io', 'replay', 'providers') for p in sorted((SOURCE / 'lib' / module).rglob('*.c')) if p.name != 'entry.c']
    library = [*(SOURCE / 'lib' / file for file in core_files()), SOURCE / 'lib' / 'base' / 'money.c', *above, *tables]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(folder)

        def compiled(path):
            out = folder / ('_'.join(path.parts[-3:]) + '.o')
            subprocess.run([cc, *FLAGS, '-c', str(path), '-o', str(out)], check=True)
            return str(out)

        objects = list(pool.map(compiled, library + support))
        archive = folder / 'core.a'
        subprocess.run(['ar', 'rcs', str(archive), *objects], check=True)

        def run(name, sources, *arguments):
            program = folder / name
            words = [cc, '-fsanitize=memory', *map(compiled, sources), str(archive), '-lcmocka', '-ljansson', '-lyaml', '-lm', '-ldl', '-pthread']
            subprocess.run([*words, '-o', str(program)], check=True)
            return name, subprocess.run([str(program), *map(str, arguments)], cwd=SOURCE, capture_output=True, text=True, check=False,
                                        env={**os.environ, 'MSAN_OPTIONS': 'halt_on_error=1', 'CMOCKA_MESSAGE_OUTPUT': 'TAP'})

        runs = [pool.submit(run, path.stem, [path]) for path in tests]
        for target, more in REPLAYED.items():
            sources = [SOURCE / 'fuzz' / f'{target}.c', SOURCE / 'fuzz' / 'driver.c', *(SOURCE / name for name in more)]
            runs.append(pool.submit(run, target, sources, '-m', 50, SOURCE / 'fuzz' / 'corpora' / target))
        for name, done in (job.result() for job in runs):
            if done.returncode:
                failed += 1
                print(f'{name}: {(done.stderr or done.stdout)[-3000:]}')
    print(f'{len(tests)} unit tests, {len(REPLAYED)} corpora, {failed} failed')
    return 1 if failed or not tests else 0


if __name__ == '__main__':
    sys.exit(main())
