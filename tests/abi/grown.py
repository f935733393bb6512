# SPDX-License-Identifier: Apache-2.0
"""Today's programs on a library of tomorrow, whose every struct that starts with `size` has one field more.

    grown.py    needs $KARP_BUILD, whose compile_commands.json says how the libraries are made

docs/abi.md promises that such a struct may grow at its end. Here it does, in a copy of the headers with which both libraries are
compiled once more; test_callers.c and the programs of `previous` are compiled with today's headers and run on them.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import headers
import previous

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
BUILD = pathlib.Path(os.environ['KARP_BUILD'])
FOLDER = BUILD / 'tests' / 'grown'
FIELD = '    uint64_t one_more;\n'
GROWN_BY = 8
OF = {'libkarp-test.a.p': 'libkarp.so.0', 'libkarp-io-test.a.p': 'libkarp-io.so.0'}


def grow(text):
    """The header with a field more in each struct with `size`, and how many there are."""
    return re.subn(r'(typedef struct (karp_\w+) \{\n    size_t size;.*?\n)(\} \2;)', rf'\1{FIELD}\3', text, flags=re.S)


def write_headers():
    folder = FOLDER / 'include' / 'karp'
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for header in headers.public_headers(SOURCE):
        text, changed = grow(header.read_text())
        count += changed
        if not (folder / header.name).exists() or (folder / header.name).read_text() != text:
            (folder / header.name).write_text(text)
    return count


def compile_one(entry):
    """Compiles a source of the library as the build does, but with the grown headers and quickly. Its object, its library."""
    room, name = pathlib.Path(entry['output']).parts[-2:]
    target = FOLDER / room / name
    target.parent.mkdir(exist_ok=True)
    command = []
    for word in shlex.split(entry['command']):
        if re.match(r'-(O|g|W|fvisibility|fdiagnostics|M[DQF]|D_FORTIFY_SOURCE)', word) or word == entry['output'] or word.endswith('.o.d'):
            continue
        command.append(f'-I{FOLDER}/include' if word == '-I../include' else word)
    at = command.index('-o')
    command[at + 1:at + 1] = [str(target)]
    subprocess.run([*command, '-O0', '-w', '-fvisibility=hidden'], cwd=entry['directory'], check=True)
    return target, OF[room]


def make_libraries():
    entries = [entry for entry in json.loads((BUILD / 'compile_commands.json').read_text())
               if pathlib.Path(entry['output']).parent.name in OF]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, entries))
    compiler = os.environ.get('KARP_CC', 'cc').split()
    for name, needed in (('libkarp.so.0', ['-lm']), ('libkarp-io.so.0', ['-lkarp', '-lyaml', '-ldl', '-lm'])):
        subprocess.run([*compiler, '-shared', '-o', FOLDER / name, f'-Wl,-soname,{name}', f'-L{FOLDER}',
                        *(item for item, library in objects if library == name), *needed], check=True)
        link = FOLDER / name[:-2]
        link.unlink(missing_ok=True)
        link.symlink_to(name)


def run_callers():
    """test_callers.c with today's headers on the grown libraries; what went wrong."""
    binary = FOLDER / 'callers'
    subprocess.run([*os.environ.get('KARP_CC', 'cc').split(), '-std=c11', '-w', '-I', SOURCE / 'include', HERE / 'test_callers.c', '-o', binary,
                    '-L', FOLDER, '-lkarp-io', '-lkarp', '-lcmocka'], check=True)
    done = subprocess.run([binary], env=dict(os.environ, LD_LIBRARY_PATH=str(FOLDER), KARP_GROWN_BY=str(GROWN_BY)), capture_output=True,
                          text=True)
    return [] if done.returncode == 0 else [done.stdout + done.stderr]


def main():
    if not (BUILD / 'lib' / 'libkarp-io.so').exists():
        print('there is no libkarp-io')
        return 77
    count = write_headers()
    make_libraries()
    problems = run_callers()
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
