# SPDX-License-Identifier: Apache-2.0
"""Static analysis of the core without a finding: gcc -fanalyzer, clang-tidy (.clang-tidy), cppcheck. What is not installed is left
out; a suppression stands beside its line or in .clang-tidy, with the reason. A file may take five minutes of the processor.

    test_static_analysis.py [TOOL...] [--files GLOB...]    gcc, clang-tidy, cppcheck; files below lib/
"""
import argparse
import concurrent.futures
import os
import pathlib
import resource
import shutil
import subprocess
import sys

from core_sources import MODULES

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))
FLAGS = ['-std=c11', f'-I{SOURCE}/include', f'-I{SOURCE}/lib']
ANALYZER = ['-O2', '-fanalyzer', '-Werror', '-c', '-o', '/dev/null']
# What gcc's analyzer reports and cannot be, by file.
KNOWN = {
    # command_rows() makes the run that static replacements are shown with whenever a command has one.
    'disrupt/rows.c': ['-Wno-analyzer-null-dereference'],
    # A requirement without values has none to compare: value_count is 0 exactly where values is NULL.
    'model/requirement.c': ['-Wno-analyzer-null-argument'],
}
# returnDanglingLifetime: lists go by value, the elements do not; cppcheck takes a pointer to one for a pointer into the list.
CPPCHECK = ['--suppress=returnDanglingLifetime', '--std=c11', '--quiet', '--error-exitcode=1', '--inline-suppr', '--enable=warning,performance,portability']
MOST_SECONDS = 300  # of the processor, for a file


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def first(*names):
    return next((name for name in names if shutil.which(name)), None)


def tools():
    if first('gcc'):
        yield 'gcc', lambda path: ['gcc', *FLAGS, *ANALYZER, *KNOWN.get(f'{path.parent.name}/{path.name}', []), path]
    tidy = first('clang-tidy-19', 'clang-tidy')
    if tidy:
        yield 'clang-tidy', lambda path: [tidy, '--quiet', path, '--', *FLAGS]
    if first('cppcheck'):
        yield 'cppcheck', lambda path: ['cppcheck', *CPPCHECK, *FLAGS[1:], path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('tools', nargs='*', default=[])
    parser.add_argument('--files', nargs='*', default=[f'{module}/*.c' for module in MODULES])
    options = parser.parse_args()
    files = sorted(path for glob in options.files for path in (SOURCE / 'lib').glob(glob))
    chosen = [(name, words) for name, words in tools() if not options.tools or name in options.tools]
    if not chosen:
        print('none of the tools is installed')
        return 77
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, words in chosen:
            runs = pool.map(lambda path, words=words: subprocess.run([str(w) for w in words(path)], cwd=SOURCE, text=True, capture_output=True,
                                                                     check=False, preexec_fn=limit), files)
            found = 0
            for path, done in zip(files, runs):
                if done.returncode:
                    found += 1
                    ended = f' ended by signal {-done.returncode}' if done.returncode < 0 else ''
                    print(f'{name}: {path.relative_to(SOURCE)}{ended}\n{(done.stdout + done.stderr)[:3000]}', flush=True)
            print(f'{name}: {len(files)} files, findings in {found}', flush=True)
            failed += found
    return 1 if failed or not files else 0


if __name__ == '__main__':
    sys.exit(main())
