# SPDX-License-Identifier: Apache-2.0
"""Sizes, offsets and constants of the public headers stay what they are.

    layout.py            compares what the headers of now yield with layout.txt
    layout.py --write    writes layout.txt anew, after a change that the ABI rules allow (docs/abi.md)

layout.txt is of LP64 (x86-64, arm64 and so on); elsewhere nothing is compared.
"""
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import headers

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent

PREAMBLE = '''#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
'''


def program():
    """A program that prints the layout of every public struct and the value of every public constant."""
    found = headers.public_headers(SOURCE)
    lines = [PREAMBLE + ''.join(f'#include <karp/{header.name}>\n' for header in found), 'int main(void)\n{']
    for header in found:
        for name, fields in headers.structs(header):
            lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
            lines += [f'    printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field in fields]
        lines += [f'    printf("{name} %" PRIdMAX "\\n", (intmax_t){name});' for name in headers.constants(header)]
    return '\n'.join(lines + ['    return 0;', '}', ''])


def printed():
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, 'layout.c'), pathlib.Path(folder, 'layout')
        source.write_text(program())
        compiler = (os.environ.get('KARP_CC') or os.environ.get('CC') or 'cc').split()
        subprocess.run([*compiler, '-std=c11', '-I', str(SOURCE / 'include'), str(source), '-o', str(binary)], check=True)
        return subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout


def check():
    if platform.architecture()[0] != '64bit' or platform.system() == 'Windows':
        return 77
    got, want = printed().splitlines(), (HERE / 'layout.txt').read_text().splitlines()
    problems = [f'was: {line}' for line in want if line not in set(got)]
    problems += [f'now: {line}' for line in got if line not in set(want)]
    print('\n'.join(problems) or f'{len(want)} lines as recorded')
    return 1 if problems else 0


def main():
    if sys.argv[1:] != ['--write']:
        return check()
    (HERE / 'layout.txt').write_text(printed())
    return 0


if __name__ == '__main__':
    sys.exit(main())
