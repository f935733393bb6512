# SPDX-License-Identifier: Apache-2.0
"""examples/sweep on another engine than threads: the same rows, to the byte, and what else it promises."""
import os
import pathlib
import subprocess
import tempfile

import installed

SWEEP = pathlib.Path(os.environ['KARP_SOURCE'], 'examples/sweep')


def compare(engine, packages, then=None):
    """Runs the example on threads and on the engine, which the packages make; `then` gets the interpreter and a folder."""
    if not installed.usable():
        print('there are no shared libraries that this interpreter could load')
        return 77
    with installed.interpreter(*packages) as python, tempfile.TemporaryDirectory() as folder:
        if python is None:
            print(f'{", ".join(packages)}: cannot be installed here')
            return 77
        rows = {}
        for name in ('threads', engine):
            path = pathlib.Path(folder, f'{name}.csv')
            run(python, folder, 'sweep.py', '--nodes', '30', '--executor', name, '--rows', path)
            rows[name] = path.read_bytes()
        assert rows['threads'].count(b'\n') == 73 and rows[engine] == rows['threads']
        print(f'72 rows on threads and on {engine}: the same bytes')
        if then:
            then(python, pathlib.Path(folder))
    return 0


def run(python, home, program, *arguments):
    """What engines keep of themselves goes to `home`."""
    environment = {**installed.environment('examples/sweep'), 'HOME': str(home)}
    subprocess.run([str(python), str(SWEEP / program), *map(str, arguments)], env=environment, check=True)
