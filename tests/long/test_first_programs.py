# SPDX-License-Identifier: Apache-2.0
"""First programs in every language, in empty folders, from what .ci/release makes; the release made twice is the same."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE'], 'tests/bindings')))
import consumers  # noqa: E402

import installed  # noqa: E402

NEEDS = {'c': 'cc', 'cpp': 'c++', 'cmake': 'cmake', 'meson': 'meson', 'go': 'go', 'python': 'pip', 'rust': 'cargo'}


def main():
    with tempfile.TemporaryDirectory() as folder, installed.interpreter('ziglang') as python:
        release = pathlib.Path(folder, 'release')
        if subprocess.run([consumers.SOURCE / '.ci/libyaml', f'{folder}/libyaml.tar.gz'], capture_output=True).returncode or python is None:
            print('the source of libyaml or zig cannot be had here')
            return 77
        subprocess.run([consumers.SOURCE / '.ci/release', release, '--libyaml', f'{folder}/libyaml.tar.gz', '--zig', f'{python} -m ziglang'], check=True)
        wrong = []
        for path in sorted(consumers.HERE.iterdir()):
            if shutil.which(NEEDS[path.name]) is None:
                wrong.append(f'{path.name}: there is no {NEEDS[path.name]}')
            elif found := consumers.run(release, path.name):
                wrong.append(found)
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
