# SPDX-License-Identifier: Apache-2.0
"""First programs in every language, in empty folders, from what .ci/release makes; the release made twice is the same. Its programs for
Linux say what every other says: the one for arm64 where qemu-user-static is installed."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE'], 'tests/bindings')))
import consumers  # noqa: E402

import installed  # noqa: E402

NEEDS = {'c': 'cc', 'cpp': 'c++', 'cmake': 'cmake', 'meson': 'meson', 'go': 'go', 'python': 'pip', 'rust': 'cargo'}


def check_program(release, system, runner):
    """What is wrong with the plan of a program of the release."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(next(release.glob(f'programs/kubectl-karp-*-{system}.tar.gz'))) as archive:
            archive.extractall(folder)
        program = pathlib.Path(folder, 'kubectl-karp').rename(pathlib.Path(folder, 'karp'))  # by its own name it asks a cluster
        asked = ['plan', '-f', consumers.SOURCE / 'examples/quickstart', '-o', 'json']
        made = subprocess.run([*runner, program, *asked], capture_output=True)
    wanted = subprocess.run([os.environ['KARP'], *asked], capture_output=True, check=True)
    print(f'program for {system}: {len(made.stdout)} bytes', flush=True)
    return None if made.returncode == 0 and made.stdout == wanted.stdout else f'the program for {system} answers otherwise: {made.stderr.decode()}'


def main():
    os.environ.pop('LD_LIBRARY_PATH', None)  # the libraries of the build are not those of the release
    with tempfile.TemporaryDirectory() as folder, installed.interpreter('ziglang') as python:
        release = pathlib.Path(folder, 'release')
        if subprocess.run([consumers.SOURCE / '.ci/libyaml', f'{folder}/libyaml.tar.gz'], capture_output=True).returncode or python is None:
            print('the source of libyaml or zig cannot be had here')
            return 77
        subprocess.run([consumers.SOURCE / '.ci/release', release, '--libyaml', f'{folder}/libyaml.tar.gz', '--zig', f'{python} -m ziglang', *([] if shutil.which('dh_python3') else ['--no-debs'])], check=True)
        wrong = []
        for path in sorted(consumers.HERE.iterdir()):
            if shutil.which(NEEDS[path.name]) is None:
                wrong.append(f'{path.name}: there is no {NEEDS[path.name]}')
            elif found := consumers.run(release, path.name):
                wrong.append(found)
        for system, runner in (('linux-amd64', ''), ('linux-arm64', 'qemu-aarch64-static')):
            if os.uname().machine == 'x86_64' and (not runner or shutil.which(runner)):
                wrong += filter(None, [check_program(release, system, [runner] if runner else [])])
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
