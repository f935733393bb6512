# SPDX-License-Identifier: Apache-2.0
"""Tables of the Python package in pandas, polars and pyarrow as pip installs them: what they hold, and what 100,000 rows cost."""
import os
import pathlib
import subprocess
import sys

import installed

PACKAGE = pathlib.Path(os.environ['KARP_SOURCE'], 'bindings/python')


def main():
    if not installed.usable():
        print('there are no shared libraries that this interpreter could load')
        return 77
    with installed.interpreter('pandas', 'polars', 'pyarrow', 'pytest') as python:
        if python is None:
            print('pandas, polars and pyarrow cannot be installed here')
            return 77
        for words in (['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--strict-markers', '-rs', PACKAGE / 'tests/test_frames.py'],
                      [PACKAGE / 'bench/bench.py', '--check']):
            done = subprocess.run([str(python), *map(str, words)], env=installed.environment(), stdout=subprocess.PIPE, text=True)
            print(done.stdout, flush=True)
            # With all of them there, nothing is passed over.
            if done.returncode or 'skipped' in done.stdout:
                return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
