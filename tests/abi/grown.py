# SPDX-License-Identifier: Apache-2.0
"""Today's programs on a library of tomorrow, whose every struct that starts with `size` has one field more.

    grown.py    needs $KARP_BUILD, which makes the libraries' one files

docs/abi.md promises that such a struct may grow at its end. Here it does, in a copy of karp.h and karp-io.h with which both libraries are
compiled once more; the tests of callers and the programs of `previous` are compiled with today's headers and run on them.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import previous

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(SOURCE / 'tests' / 'bindings'))
import compilers  # noqa: E402

BUILD = pathlib.Path(os.environ['KARP_BUILD'])
FOLDER = BUILD / 'tests' / 'grown'
FIELD = '    uint64_t one_more;\n'
GROWN_BY = 8
LIBRARIES = {'karp': ['-lm'], 'karp-io': ['-lkarp', '-lyaml', '-ldl', '-lm']}


def grow(text):
    """The header with a field more in each struct with `size`, and how many there are."""
    return re.subn(r'(typedef struct (karp_\w+) \{\n    size_t size;.*?\n)(\} \2;)', rf'\1{FIELD}\3', text, flags=re.S)


def write_sources():
    """The one files, and their headers with the structs grown; how many structs those are."""
    FOLDER.mkdir(exist_ok=True)
    files = [f'{name}.{end}' for name in LIBRARIES for end in ('c', 'h')]
    subprocess.run(['ninja', '-C', BUILD, *(f'lib/{file}' for file in files)], check=True, stdout=subprocess.DEVNULL)
    count = 0
    for file in files:
        text = (BUILD / 'lib' / file).read_text()
        if file.endswith('.h'):
            text, changed = grow(text)
            count += changed
        (FOLDER / file).write_text(text)
    return count


def write_changed(folder, places):
    """The libraries' one files in this folder, with each place {name: (pattern, replacement, how often it is there)} changed. Fails where a place
    is not there."""
    files = [f'{name}.{end}' for name in LIBRARIES for end in ('c', 'h')]
    subprocess.run(['ninja', '-C', BUILD, *(f'lib/{file}' for file in files)], check=True, stdout=subprocess.DEVNULL)
    folder.mkdir(exist_ok=True)
    found = dict.fromkeys(places, 0)
    for file in files:
        text = (BUILD / 'lib' / file).read_text()
        for place, (before, after, _) in places.items():
            text, count = re.subn(before, after, text, flags=re.S)
            found[place] += count
        (folder / file).write_text(text)
    wanted = {place: count for place, (*_, count) in places.items()}
    if found != wanted:
        sys.exit(f'places were found {found}, not {wanted}')


def make_libraries(folder):
    """Both libraries from the one files in this folder."""
    compiler = [compilers.quick()]
    for name, needed in LIBRARIES.items():
        library = folder / f'lib{name}.so.1'
        subprocess.run([*compiler, '-std=c11', '-O0', '-w', '-fPIC', '-fvisibility=hidden', '-shared', folder / f'{name}.c', '-o', library,
                        f'-Wl,-soname,{library.name}', f'-L{folder}', *needed], check=True)
        link = library.with_suffix('')
        link.unlink(missing_ok=True)
        link.symlink_to(library.name)


def run_callers(name):
    """A test of callers with today's headers on the grown libraries; what went wrong."""
    binary = FOLDER / name
    subprocess.run([*os.environ.get('KARP_CC', 'cc').split(), '-std=c11', '-w', '-I', SOURCE / 'include', '-I', SOURCE / 'tests',
                    HERE / f'test_{name}.c', HERE / 'callers.c', '-o', binary, '-L', FOLDER, '-lkarp-io', '-lkarp', '-lcmocka'], check=True)
    done = subprocess.run([binary], env=dict(os.environ, LD_LIBRARY_PATH=str(FOLDER), KARP_GROWN_BY=str(GROWN_BY)), capture_output=True,
                          text=True)
    return [] if done.returncode == 0 else [done.stdout + done.stderr]


def main():
    if not (BUILD / 'lib' / 'libkarp-io.so').exists():
        print('there is no libkarp-io')
        return 77
    if not shutil.which('ninja'):
        print('there is no ninja')
        return 77
    count = write_sources()
    make_libraries(FOLDER)
    problems = run_callers('callers') + run_callers('callers_more') + run_callers('callers_rest')
    before = previous.header_sets()[-1]
    for name in previous.PROGRAMS:
        program = [name, SOURCE / 'include', before / f'{name}.c', FOLDER]
        got, wanted = previous.run_program(*program, FOLDER), previous.run_program(*program, BUILD / 'lib')
        if got != wanted or not got:
            problems.append(f'{name}: on the grown library it prints\n{got}on that of now\n{wanted}')
    print('\n'.join(problems) or f'{count} structs have grown')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
