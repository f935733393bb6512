# SPDX-License-Identifier: Apache-2.0
"""No internal function is named like one of the C library or libyaml.   clashes.py NM LIBRARY ARCHIVE...

In a shared library hidden names clash with nobody. In a static link, and inside the archive itself, the wrong one of two
would be called.
"""
import re
import subprocess
import sys


def defined(nm, path, *options):
    lines = subprocess.run([nm, *options, '--defined-only', path], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return {words[2].split('@')[0] for words in map(str.split, lines) if len(words) == 3 and words[1] in 'TDBRVW'}


def needed(library):
    """Paths of the shared libraries that a library needs, our own excepted."""
    listed = subprocess.run(['ldd', library], capture_output=True, text=True)
    return [path for name, path in re.findall(r'^\s*(\S+) => (/\S+)', listed.stdout, flags=re.M)
            if not name.startswith('libkarp')]


def main():
    nm, library, *archives = sys.argv[1:]
    own = {name for archive in archives for name in defined(nm, archive)}
    others = needed(library)
    if not others or not own:
        print('nothing to compare')
        return 77
    clashes = [f'{name}: also in {path}' for path in others for name in sorted(own & defined(nm, path, '-D'))
               if not name.startswith('__')]
    print('\n'.join(clashes) or f'{len(own)} names, none of them in {", ".join(others)}')
    return 1 if clashes else 0


if __name__ == '__main__':
    sys.exit(main())
