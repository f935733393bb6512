# SPDX-License-Identifier: Apache-2.0
"""Programs built with the headers of before run on the library of now and say the same.   previous.py LIBRARY...

previous/N/ holds headers, programs and exported functions as they were when `update.py --release` was run the N-th time since the
interface was broken on purpose last. All of them are tried: what ever was promised is still kept.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PREVIOUS = HERE / 'previous'
SOURCE = HERE.parent.parent
INPUT = SOURCE / 'examples' / 'quickstart'
PROGRAMS = {'controller': ['karp'], 'fit': ['karp'], 'incremental': ['karp'], 'hash': ['karp-io', 'karp'], 'memory': ['karp-io', 'karp'], 'plan': ['karp-io', 'karp'],
            'threads': ['karp-io', 'karp'], 'whatif': ['karp-io', 'karp']}
WORDS = {'whatif': ['system', 'us-west-2a']}  # before the input
LIBRARIES = {'libkarp': '.', 'libkarp-io': '.', 'libkarp-jansson': 'jansson'}  # where they are in the build


def run_program(name, include, source, folder, libraries):
    """What a program prints that sees `include` and runs on the libraries."""
    binary = pathlib.Path(folder, name)
    subprocess.run([*os.environ.get('KARP_CC', 'cc').split(), '-std=c11', '-I', include, source, '-o', binary, '-L', libraries,
                    *(f'-l{library}' for library in PROGRAMS[name])], check=True)
    arguments = [*WORDS.get(name, []), INPUT] if 'karp-io' in PROGRAMS[name] else []
    return subprocess.run([binary, *arguments], env=dict(os.environ, LD_LIBRARY_PATH=str(libraries)), capture_output=True,
                          text=True, check=True).stdout


def exported(library):
    """Functions with their version nodes."""
    listed = subprocess.run(['nm', '-D', '--defined-only', '--with-symbol-versions', library], capture_output=True, text=True).stdout
    return set(re.findall(r' T (karp_\S+)$', listed, flags=re.M))


def header_sets():
    """The folders of previous/, the oldest first."""
    return sorted((path for path in PREVIOUS.iterdir() if path.is_dir()), key=lambda path: int(path.name))


def still_exported(before, libraries):
    """Functions of the stored manifest that the libraries do not export under the same version node any more."""
    promised = {}
    for line in (before / 'symbols.txt').read_text().splitlines():
        library, symbol = line.split()
        promised.setdefault(library, set()).add(symbol)
    for library, symbols in promised.items():
        if path_of(library, libraries).exists():
            for symbol in sorted(symbols - exported(path_of(library, libraries))):
                yield f'{library}: {symbol} of {before.name} is gone'


def path_of(library, libraries):
    return libraries / LIBRARIES[library] / f'{library}.so'


def version():
    """Major and minor version, and "" or "-rc1"."""
    text = (SOURCE / 'include/karp/version.h').read_text()
    return (*(int(part) for part in re.findall(r'KARP_VERSION_(?:MAJOR|MINOR) (\d+)', text)), re.search(r'KARP_VERSION_STAGE "([^"]*)"', text).group(1))


def late(before, libraries):
    """Functions that came after a release and are in a version node which it had, so that its loader would not miss them. A candidate of a release
    can still get them."""
    for library in LIBRARIES:
        path = path_of(library, libraries)
        if version()[2] or not path.exists():
            continue
        promised = {line.split()[1] for line in (before / 'symbols.txt').read_text().splitlines() if line.startswith(library + ' ')}
        nodes = {symbol.split('@')[-1] for symbol in promised}
        yield from (f'{library}: {symbol} is newer than {before.name}, which has this node already' for symbol in sorted(exported(path) - promised)
                    if symbol.split('@')[-1] in nodes)


def compare(before, libraries):
    """What the programs of one header set print otherwise than with the headers of now."""
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            if 'karp-io' in PROGRAMS[name] and not (libraries / 'libkarp-io.so').exists():
                continue
            got = run_program(name, before / 'include', before / f'{name}.c', folder, libraries)
            # What it prints may follow decisions; what it prints with the headers of now is the measure.
            wanted = run_program(name, SOURCE / 'include', before / f'{name}.c', folder, libraries)
            if got != wanted or not got:
                yield f'{name}: with the headers of {before.name} it prints\n{got}with those of now\n{wanted}'


def main():
    libraries = pathlib.Path(sys.argv[1]).parent
    sets = header_sets()
    problems = [] if sets else ['there are no previous headers']
    for before in sets:
        problems += [*still_exported(before, libraries), *compare(before, libraries)]
    problems += late(sets[-1], libraries) if sets else []
    print('\n'.join(problems) or f'{len(PROGRAMS)} programs with {len(sets)} sets of headers')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
