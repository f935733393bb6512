# SPDX-License-Identifier: Apache-2.0
"""A million random texts that look like quantities and as many pairs that look like versions: the library accepts, orders and
writes them as Kubernetes' own code does (tests/oracle/texts). The arguments are another seed and count."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get('KARP_BUILD', SOURCE / 'build'))
SEED, COUNT = '20260105', '1000000'


def main():
    seed, count = sys.argv[1:] or (SEED, COUNT)
    if shutil.which('go') is None:
        print('there is no Go')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        peer = os.path.join(folder, 'texts')
        oracle = SOURCE / 'tests' / 'oracle'
        for name in (oracle / 'texts' / 'main.go', oracle / '_1.14' / 'go.mod', oracle / '_1.14' / 'go.sum'):
            shutil.copy(name, folder)
        built = subprocess.run(['go', 'build', '-o', peer, '.'], cwd=folder, capture_output=True, text=True)
        if built.returncode:
            print(built.stderr)
            return 77
        with subprocess.Popen([peer, seed, count], stdout=subprocess.PIPE) as asked:
            checked = subprocess.run([BUILD / 'tests' / 'check_texts'], stdin=asked.stdout, check=False)
        return max(asked.returncode, checked.returncode)


if __name__ == '__main__':
    sys.exit(main())
