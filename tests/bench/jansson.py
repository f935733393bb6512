# SPDX-License-Identifier: Apache-2.0
"""Instructions for reading pods that a program holds as json_t: as they are, and printed and parsed.   jansson.py PROGRAM [PODS]

The first are at most 0.6 of the second. Both are counted up to the snapshot.
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MOST = 0.6


def counted(program, way, pods):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', '--toggle-collect=measured', program, way, pods],
                          capture_output=True, text=True)
    found = re.search(r'Collected : (\d+)', done.stderr)
    return (int(found.group(1)), done.stdout) if done.returncode == 0 and found else (0, done.stdout + done.stderr)


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    if not shutil.which('valgrind') or platform.machine() != 'x86_64' or b'__asan_init' in pathlib.Path(program).read_bytes():
        return 77
    with tempfile.TemporaryDirectory() as folder:
        pods = pathlib.Path(folder, 'pods.json')
        pods.write_text(subprocess.run(['awk', '-v', f'n={count}', '-v', 'form=list', '-f', HERE / 'pods.awk'], capture_output=True, text=True, check=True).stdout)
        printed, said = counted(program, 'printed', pods)
        direct, also_said = counted(program, 'json', pods)
    if not printed or said != also_said or f'{count} pods' not in said:
        print(said, also_said)
        return 1
    print(f'{count} pods: {direct} instructions, printed and parsed {printed}: {direct / printed:.2f}')
    return 0 if direct <= MOST * printed else 1


if __name__ == '__main__':
    sys.exit(main())
