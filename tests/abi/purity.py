# SPDX-License-Identifier: Apache-2.0
"""The core asks nothing of the process it is in and keeps no state.   purity.py NM SIZE ARCHIVE

Its objects may refer to no function outside the list below (no file, socket, clock, environment, locale, thread or
exit), and may have no writable data.
"""
import re
import subprocess
import sys

ALLOWED = set('''
    memchr memcmp memcpy memmove memset strchr strcmp strlen
    malloc realloc free
    vsnprintf
    ceil fabs floor fmod frexp ldexp nextafter pow round sqrt trunc
'''.split())
# What compilers put in by themselves: hardened forms of the above, long division, the linker's table.
COMPILER = re.compile(r'^(_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__(u|)(div|mod|divmod|mul)[dt]i[34]|'
                      r'__(popcount|clz|ctz)[dt]i2|__(memcpy|memmove|memset|vsnprintf)_chk)$')
INSTRUMENTED = re.compile(r'^__(asan|ubsan|msan|tsan|sanitizer|sancov|gcov|llvm_profile|hwasan)')


def symbols(nm, archive):
    undefined, defined = {}, set()
    member = '?'
    for line in subprocess.run([nm, archive], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if line.endswith(':'):
            member = line[:-1]
        elif len(words) == 2 and words[0] in 'Uw':
            undefined.setdefault(words[1], member)
        elif len(words) == 3:
            defined.add(words[2])
    return {name: where for name, where in undefined.items() if name not in defined}, defined


def writable_sections(size, archive):
    found = []
    member = '?'
    for line in subprocess.run([size, '-A', archive], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if line.endswith('):'):
            member = words[0]
        elif len(words) == 3 and re.match(r'^\.(t?data|t?bss)', words[0]) and words[1] != '0':
            if not words[0].startswith('.data.rel.ro'):
                found.append(f'{member}: {words[1]} bytes of writable data in {words[0]}')
    return found


def main():
    nm, size, archive = sys.argv[1:]
    undefined, defined = symbols(nm, archive)
    if any(INSTRUMENTED.match(name) for name in undefined):
        print('built with instrumentation')
        return 77
    problems = [f'{where}: uses {name}' for name, where in sorted(undefined.items())
                if name not in ALLOWED and not COMPILER.match(name)]
    problems += writable_sections(size, archive)
    if not defined:
        problems.append('the archive is empty')
    print('\n'.join(problems) or f'{len(undefined)} outside names, all allowed')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
