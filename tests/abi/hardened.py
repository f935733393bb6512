# SPDX-License-Identifier: Apache-2.0
"""What is built by default has the guards of compiler and linker.

    hardened.py READELF FORTIFIED PROTECTED BINARY... -- ARCHIVE...

Read from the binaries, not from the flags: relocations that are read-only once loaded (full RELRO), no executable stack,
position independence, stack protector; the checked functions of libc where FORTIFIED is 1; in every object of the archives the
mark of control-flow protection where PROTECTED is 1. (A linked binary has that mark only where the C library's own start files
have it.)
"""
import re
import subprocess
import sys

CHECKED = re.compile(r'\b__(mem|str|stp|v?snprintf|v?fprintf|v?printf|v?asprintf|read|fread|fgets|realpath|fdelt)\w*_chk\b')


def read(readelf, option, path):
    return subprocess.run([readelf, option, '-W', path], capture_output=True, text=True, check=True).stdout


def missing(readelf, path, fortified):
    """What a linked binary lacks."""
    segments, dynamic, symbols = (read(readelf, option, path) for option in ('-l', '-d', '--dyn-syms'))
    stack = re.search(r'GNU_STACK.* ([RWE ]{3}) 0x', segments)
    relocations = re.search(r'There are no relocations', read(readelf, '-r', path))
    lacks = []
    if 'GNU_RELRO' not in segments:
        lacks.append('read-only relocations (GNU_RELRO)')
    if not relocations and not re.search(r'BIND_NOW|\(FLAGS_1\).*\bNOW\b', dynamic):
        lacks.append('immediate binding (BIND_NOW)')
    if not stack or 'E' in stack.group(1):
        lacks.append('a stack that is not executable (GNU_STACK)')
    if 'Elf file type is DYN' not in segments:
        lacks.append('position independence')
    if '__stack_chk_fail' not in symbols:
        lacks.append('stack protector')
    if fortified and not CHECKED.search(symbols):
        lacks.append('checked functions of libc (_FORTIFY_SOURCE)')
    return lacks


def unprotected(readelf, archive):
    """Objects without the mark of control-flow protection; readelf names each object before its notes."""
    notes = re.split(r'^File: ', read(readelf, '-n', archive), flags=re.M)[1:]
    bad = [part.split('\n', 1)[0] for part in notes if not ('IBT' in part and 'SHSTK' in part)]
    return bad if notes else [archive + ' has no objects']


def main():
    readelf, fortified, protected, *rest = sys.argv[1:]
    split = rest.index('--')
    problems = [f'{path}: lacks {what}' for path in rest[:split] for what in missing(readelf, path, fortified == '1')]
    if protected == '1':
        problems += [f'{name}: no control-flow protection' for path in rest[split + 1:] for name in unprotected(readelf, path)]
    print('\n'.join(problems) or f'{split} binaries have every guard')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
