# SPDX-License-Identifier: Apache-2.0
"""Karpenter's own answers: runs the conformance cases, which are kept beside the project and not in it.

    run.py [GLOB]    the cases whose id matches; all of them without GLOB. Skipped when the folder is absent.
"""
import os
import pathlib
import subprocess
import sys

SKIPPED = 77


def main():
    folder = pathlib.Path(os.environ['KARP_SHARED']) / 'conformance'
    program = os.environ.get('KARP')
    if not (folder / 'check.py').is_file() or not (folder / 'cases').is_dir():
        print(f'{folder}: no conformance cases')
        return SKIPPED
    if not program:
        print('the program karp was not built')
        return SKIPPED
    arguments = ['--karp', program, '--cases', str(folder / 'cases')]
    if len(sys.argv) > 1:
        arguments += ['--only', sys.argv[1]]
    return subprocess.run([sys.executable, str(folder / 'check.py'), *arguments]).returncode


if __name__ == '__main__':
    sys.exit(main())
