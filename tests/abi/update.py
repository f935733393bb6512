# SPDX-License-Identifier: Apache-2.0
"""Writes what is made from the public headers, and what the checks of the interface compare with.

    update.py               layout.txt and, by bindings/generate.py, what the bindings have of the headers, after a change that
                            docs/abi.md allows
    update.py --release     also a new folder in previous/: headers, programs, manifest and dumps, from the libraries in build/
                            (or $KARP_BUILD), when a version is released: from then on it is what must keep working
    update.py --break       the same after a change that breaks callers on purpose: the folders of before are taken away
"""
import os
import pathlib
import shutil
import subprocess
import sys

import dump
import headers
import layout
import previous

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent


def manifest(libraries):
    return ''.join(f'{library} {symbol}\n' for library in previous.LIBRARIES
                   for symbol in sorted(previous.exported(previous.path_of(library, libraries))))


def release(broken):
    libraries = pathlib.Path(os.environ.get('KARP_BUILD') or SOURCE / 'build') / 'lib'
    last = int(previous.header_sets()[-1].name)
    if broken:
        shutil.rmtree(previous.PREVIOUS)
        last = 0
    folder = previous.PREVIOUS / str(last + 1)
    (folder / 'include' / 'karp').mkdir(parents=True)
    for header in [*headers.public_headers(SOURCE), SOURCE / 'include/jansson/karp/jansson.h']:
        shutil.copy(header, folder / 'include' / 'karp')
    for name in previous.PROGRAMS:
        shutil.copy(SOURCE / 'examples' / 'c' / f'{name}.c', folder)
    shutil.copy(HERE / 'layout.txt', folder)
    (folder / 'symbols.txt').write_text(manifest(libraries))
    for library in ('libkarp', 'libkarp-io'):
        dump.write(libraries / f'{library}.so')


def main():
    (HERE / 'layout.txt').write_text(layout.printed())
    subprocess.run([sys.executable, str(SOURCE / 'bindings/generate.py')], check=True)
    if sys.argv[1:] in (['--release'], ['--break']):
        release(sys.argv[1] == '--break')
    elif sys.argv[1:]:
        sys.exit(__doc__)
    return 0


if __name__ == '__main__':
    sys.exit(main())
