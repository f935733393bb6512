# SPDX-License-Identifier: Apache-2.0
"""ThreadSanitizer: one snapshot on which eight threads decide, one that four edit, and threads that are lent to the library."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))
PROGRAMS = ['tests/unit_tests', 'tests/test_property_parallel']
RUNS = [['tests/unit_tests', 'threads'], ['tests/unit_tests', 'edit_threads'], ['tests/test_property_parallel']]


def main():
    cc = next((name for name in ('clang-19', 'clang', 'gcc') if shutil.which(name)), None)
    if cc is None or not shutil.which('meson') or not shutil.which('ninja'):
        print('a compiler with ThreadSanitizer, meson and ninja are needed')
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['meson', 'setup', folder, str(SOURCE), '-Doptimization=1', '-Db_sanitize=thread', '-Db_lundef=false'], check=True,
                       env={**os.environ, 'CC': cc}, stdout=subprocess.DEVNULL)
        subprocess.run(['ninja', '-C', folder, *PROGRAMS], check=True, stdout=subprocess.DEVNULL)
        for program, *words in RUNS:
            done = subprocess.run([str(pathlib.Path(folder) / program), *words], cwd=SOURCE, capture_output=True, text=True, check=False,
                                  env={**os.environ, 'TSAN_OPTIONS': 'halt_on_error=1', 'CMOCKA_MESSAGE_OUTPUT': 'TAP'})
            if done.returncode:
                failed += 1
                print(f'{" ".join([program, *words])}: {(done.stderr or done.stdout)[-3000:]}')
    print(f'{len(RUNS)} programs, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
