# SPDX-License-Identifier: Apache-2.0
"""A new member of karp_launch needs three places: the struct, where it is filled, and its row.

    member.py    needs $KARP_BUILD, which makes the libraries' one files

Copies of both libraries get a member more in exactly these places. It must then be in plans, in the table of launches, and in Commands that
are written, read and written again.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import grown

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
FOLDER = grown.BUILD / 'tests' / 'member'
VALUE = 471104711
# What a line is found by, the line after it, and in how many files it is: both libraries have the row.
PLACES = {
    'struct': (r'    int64_t termination_grace_period;(?=[^}]*\} karp_launch;)', '    int64_t termination_grace_period, one_more;', 1),
    'filling': (r'row->termination_grace_period=p->termination_grace_period;', rf'\g<0>row->one_more={VALUE};', 1),
    'row': (r'\{DURATION\("terminationGracePeriod",karp_launch,[^{}]*\}', r'\g<0>,{INT64("oneMore",karp_launch,one_more),COLUMN}', 2),
}


def main():
    if not (grown.BUILD / 'lib' / 'libkarp-io.so').exists() or not shutil.which('ninja'):
        print('there is no libkarp-io, or no ninja')
        return 77
    grown.write_changed(FOLDER, PLACES)
    grown.make_libraries(FOLDER)
    program = FOLDER / 'member'
    subprocess.run([*os.environ.get('KARP_CC', 'cc').split(), '-std=c11', '-w', '-I', FOLDER, HERE / 'consumers' / 'member.c', '-o', program, '-L', FOLDER,
                    '-lkarp-io', '-lkarp'], check=True)
    wanted = [f'plan: {VALUE}', 'table: one_more', f'command: {VALUE}']
    got = subprocess.run([program, SOURCE / 'examples' / 'quickstart'], env=dict(os.environ, LD_LIBRARY_PATH=str(FOLDER)), capture_output=True,
                         text=True).stdout.splitlines()
    print(f'{len(PLACES)} places' if got == wanted else f'{got}, not {wanted}')
    return 0 if got == wanted else 1


if __name__ == '__main__':
    sys.exit(main())
