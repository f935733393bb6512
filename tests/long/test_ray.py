# SPDX-License-Identifier: Apache-2.0
"""examples/ray with Ray itself, as pip installs it."""
import os
import pathlib
import subprocess
import sys

import installed

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])


def main():
    if not installed.usable():
        print('there are no shared libraries that this interpreter could load')
        return 77
    with installed.interpreter('ray') as python:
        if python is None:
            print('ray cannot be installed here')
            return 77
        return subprocess.run([str(python), str(SOURCE / 'tests/long/ray_compare.py'), *sys.argv[1:]],
                              env=installed.environment('examples/ray', 'tests/bindings')).returncode


if __name__ == '__main__':
    sys.exit(main())
