# SPDX-License-Identifier: Apache-2.0
"""A program that needs a function of a later release does not start with the library of now.   newer.py LIBRARY

A library of later is made up: it has a function of now, one more in a version node of its own, and an unstable one in the node of its minor
version. A program that calls one of these two is refused by the loader, which names the node; it does not end in the middle of a call. A
program that calls only what there is runs.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import previous

MAP = '''{now} {{ global: karp_version; local: *; }};
KARP_99.0 {{ global: karp_of_later; }} {now};
KARP_UNSTABLE_99.0 {{ global: karp_list_nodes; }};
'''
LATER = 'const char *karp_version(void) { return "99"; }\nint karp_of_later(void) { return 7; }\nint karp_list_nodes(void) { return 7; }\n'
PROGRAMS = {
    'needs_later': 'const char *karp_version(void);\nint karp_of_later(void);\nint main(void) { return karp_version()[0] + karp_of_later() == 0; }\n',
    'needs_unstable': 'const char *karp_version(void);\nint karp_list_nodes(void);\nint main(void) { return karp_version()[0] + karp_list_nodes() == 0; }\n',
    'needs_now': 'const char *karp_version(void);\nint main(void) { return karp_version()[0] == 0; }\n',
}


def main():
    library = pathlib.Path(sys.argv[1])
    node = next(symbol.split('@')[-1] for symbol in previous.exported(library) if symbol.startswith('karp_version@'))
    cc = os.environ.get('KARP_CC', 'cc').split()
    said = {}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / 'later.map').write_text(MAP.format(now=node))
        (root / 'later.c').write_text(LATER)
        subprocess.run([*cc, '-shared', '-fPIC', f'-Wl,-soname,libkarp.so.{previous.version()[0]}', f'-Wl,--version-script={root}/later.map', root / 'later.c', '-o', root / 'libkarp.so'], check=True)
        for name, text in PROGRAMS.items():
            (root / f'{name}.c').write_text(text)
            subprocess.run([*cc, root / f'{name}.c', '-o', root / name, '-L', root, '-lkarp'], check=True)
            done = subprocess.run([root / name], env=dict(os.environ, LD_LIBRARY_PATH=str(library.parent)), capture_output=True, text=True)
            said[name] = done.returncode, done.stderr
    refused = all(said[name][0] != 0 and node in said[name][1] for name, node in (('needs_later', 'KARP_99.0'), ('needs_unstable', 'KARP_UNSTABLE_99.0')))
    if not refused or said['needs_now'][0] != 0:
        print(said)
        return 1
    print('the loader refuses what is newer')
    return 0


if __name__ == '__main__':
    sys.exit(main())
