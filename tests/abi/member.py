# SPDX-License-Identifier: Apache-2.0
"""A new member of karp_launch needs three places: the struct, where it is filled, and its row.

    member.py    needs $KARP_BUILD, which makes the libraries' one files

Copies of both libraries get a member more in exactly these places. It must then be in plans, in the table of launches, and in Commands that
are written, read and written again.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import grown

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
FOLDER = grown.BUILD / 'tests' / 'member'
FILES = [f'{name}.{end}' for name in grown.LIBRARIES for end in ('c', 'h')]
VALUE = 471104711
# What a line is found by, and the line after it. Both libraries have the row.
PLACES = {
    'struct': (r'    int64_t termination_grace_period;(?=[^}]*\} karp_launch;)', '    int64_t termination_grace_period, one_more;'),
    'filling': (r'row->termination_grace_period=p->termination_grace_period;', rf'\g<0>row->one_more={VALUE};'),
    'row': (r'\{DURATION\("terminationGracePeriod",karp_launch,[^{}]*\}', r'\g<0>,{INT64("oneMore",karp_launch,one_more),COLUMN}'),
}
FOUND = {'struct': 1, 'filling': 1, 'row': 2}


def write_sources():
    """The libraries' one files with the member; how often each place was found."""
    subprocess.run(['ninja', '-C', grown.BUILD, *(f'lib/{file}' for file in FILES)], check=True, stdout=subprocess.DEVNULL)
    FOLDER.mkdir(exist_ok=True)
    found = dict.fromkeys(PLACES, 0)
    for file in FILES:
        text = (grown.BUILD / 'lib' / file).read_text()
        for place, (before, after) in PLACES.items():
            text, count = re.subn(before, after, text)
            found[place] += count
        (FOLDER / file).write_text(text)
    return found


def main():
    if not (grown.BUILD / 'lib' / 'libkarp-io.so').exists() or not shutil.which('ninja'):
        print('there is no libkarp-io, or no ninja')
        return 77
    found = write_sources()
    if found != FOUND:
        print(f'places were found {found}, not {FOUND}')
        return 1
    grown.make_libraries(FOLDER)
    program = FOLDER / 'member'
    subprocess.run([*os.environ.get('KARP_CC', 'cc').split(), '-std=c11', '-w', '-I', FOLDER, HERE / 'consumers' / 'member.c', '-o', program, '-L', FOLDER,
                    '-lkarp-io', '-lkarp'], check=True)
    wanted = [f'plan: {VALUE}', 'table: one_more', f'command: {VALUE}']
    got = subprocess.run([program, SOURCE / 'examples' / 'quickstart'], env=dict(os.environ, LD_LIBRARY_PATH=str(FOLDER)), capture_output=True,
                         text=True).stdout.splitlines()
    print(f'{len(FOUND)} places' if got == wanted else f'{got}, not {wanted}')
    return 0 if got == wanted else 1


if __name__ == '__main__':
    sys.exit(main())
