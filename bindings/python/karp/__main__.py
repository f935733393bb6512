# SPDX-License-Identifier: Apache-2.0
"""The program karp, which wheels have inside:   python -m karp plan -f cluster.yaml"""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def program() -> pathlib.Path:
    """The program of this package; with KARP_LIBRARY, as in a build folder, the one beside those libraries."""
    named = os.environ.get('KARP_LIBRARY')
    beside = [pathlib.Path(named).resolve().parent / 'karp'] if named else []
    for path in [*beside, HERE / '_bin' / 'karp', HERE / '_bin' / 'karp.exe']:
        if path.is_file():
            return path
    sys.exit('karp: this package was installed without the program; karp.load() and the rest of the library work')


def main() -> int:
    command = [str(program()), *sys.argv[1:]]
    if os.name == 'posix':
        os.execv(command[0], ['karp', *command[1:]])
    return subprocess.run(command).returncode


if __name__ == '__main__':
    sys.exit(main())
