# SPDX-License-Identifier: Apache-2.0
"""Refused memory, beyond the quick tests: the documents of unit tests and text cases, every question, a fixed sample of the
allocations of each answer, once and from then on.

    test_refusals.py [MOST]    so many allocations of each question (40); 0 = all of them
"""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get('KARP_BUILD', SOURCE / 'build'))
os.environ.setdefault('KARP', str(BUILD / 'karp'))
sys.path.insert(0, str(SOURCE / 'tests' / 'cases'))

from text_case import command, read_case  # noqa: E402


class Run:
    """The arguments of one command line of a case; what is expected does not matter here."""

    def __init__(self, arguments):
        self.arguments = arguments

    def expect(self, line):
        pass


def documents(words):
    """The catalogue ("-" = none) and the documents among the words of a command line."""
    catalogue, files, before = '-', [], ''
    for word in words:
        if before == '--catalogue':
            catalogue = word
        elif before == '-f' or (word.endswith('.yaml') and not before.startswith('--')):
            files.append(word)
        before = word
    return catalogue, files


def cases():
    """Each combination of documents once."""
    seen = set()
    for folder, verb in (('scheduling', 'plan'), ('disruption', 'disrupt')):
        root = SOURCE / 'tests' / 'cases' / folder
        for path in sorted(root.glob('*/*.yaml')):
            for run in read_case(path, verb, Run):
                catalogue, files = documents(command(root, path, verb, list(run.arguments)))
                if (catalogue, *files) not in seen:
                    seen.add((catalogue, *files))
                    yield catalogue, files


def unit_tests():
    """Those that read documents by helpers that refuse when they are told to."""
    for path in sorted((SOURCE / 'tests' / 'unit').glob('test_*.c')):
        if any(f'#include "{helper}.h"' in path.read_text() for helper in ('deciding', 'planning')):
            yield [BUILD / 'tests' / 'unit_tests', path.stem[5:]]


def holds(name, words, environment=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900, cwd=SOURCE,
                          env={**os.environ, **(environment or {})})
    # A document that cannot be read is a case of its own.
    if done.returncode != 0 and 'KARP_E_' not in done.stderr:
        print(f'{name}: {done.stderr[-2000:]}')
        return False
    return True


def main():
    most = sys.argv[1] if len(sys.argv) > 1 else '40'
    program = BUILD / 'tests' / 'test_fault_questions'
    if not program.exists():
        print('the tests are not built')
        return 77
    ran = failed = 0
    for catalogue, files in cases():
        for profile in ('karpenter', 'karp'):
            ran += 1
            failed += not holds(' '.join(files), [program, most, profile, catalogue, *files])
    for test in unit_tests():
        ran += 1
        failed += not holds(test[1], test, {'KARP_REFUSALS': most})
    print(f'{ran} inputs, {failed} failed')
    return 1 if failed or not ran else 0


if __name__ == '__main__':
    sys.exit(main())
