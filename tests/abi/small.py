# SPDX-License-Identifier: Apache-2.0
"""libkarp is small and needs the C library alone.   small.py LIBRARY"""
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 28 << 16  # bytes, stripped: 1.75 MiB
ALLOWED = re.compile(r'^lib[cm]\.so\.\d+$|^ld-linux.*\.so\.\d+$|^libgcc_s\.so\.1$')


def main():
    library = sys.argv[1]
    if not shutil.which('strip') or not shutil.which('readelf'):
        print('there is no strip or readelf')
        return 77
    dynamic = subprocess.run(['readelf', '-dW', library], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r'\(NEEDED\).*\[(.*)\]', dynamic)
    if any(re.match(r'lib(asan|ubsan|tsan|clang_rt)', name) for name in needed):
        print('built with instrumentation')
        return 77
    problems = [f'it needs {name}' for name in needed if not ALLOWED.match(name)]
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(['strip', '-o', stripped.name, library], check=True)
        size = len(open(stripped.name, 'rb').read())
    if size > MOST:
        problems.append(f'stripped it has {size} bytes, more than {MOST}')
    print('\n'.join(problems) or f'{size} bytes, needs {", ".join(needed)}')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
