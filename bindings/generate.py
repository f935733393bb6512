# SPDX-License-Identifier: Apache-2.0
"""Writes what of the bindings is made from the public headers:

    generate.py            Go's structs and their writer (go/structs.txt says what is special of them), its versions of
                           Karpenter and methods, the stubs for programs without cgo, Python's structs; the signatures in
                           docs/rust.md; what decisions show, in Go, Python and Rust (results.py: of the rows of lib/records)
    generate.py --check    compares them with what is there

Go's files are formatted by gofmt, Rust's by rustfmt, and the stubs are printed by a program in Go: without these nothing is written. --check
compares without regard to space, and leaves the stubs to tests/bindings/test_go.py.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import go_structs
import headers
import python_structs
import results
import rust_signatures

HERE = pathlib.Path(__file__).resolve().parent


FORMATTERS = {'.go': ['gofmt'], '.rs': ['rustfmt', '--edition', '2021', '--config-path', str(HERE / 'rust')]}


def formatted(path, text):
    words = FORMATTERS.get(path.suffix)
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout if words and shutil.which(words[0]) else text


def spaceless(text):
    """Without what formatters change."""
    return re.sub(r',(?=[)}\]])', '', re.sub(r'\s', '', text))


def constants():
    """Go's versions of Karpenter, methods of disruption, and actions."""
    made = go_structs.HEAD.replace(' and structs.txt', '')
    for header, prefix, comment in (('decision', 'Peer', 'Versions of Karpenter, for Options.PeerVersion.'), ('disrupt', 'Method', 'Methods of disruption.'),
                                    ('lifecycle', 'Action', 'Kinds of an Action: what its members are is said with each in karp/lifecycle.h.'),
                                    ('lifecycle', 'Means', 'What the Object of an Action is, and what its other members are.')):
        found = re.findall(rf'KARP_{prefix.upper()}_((?!NEWEST|FLAG)\w+) = (\d+)', (headers.INCLUDE / f'{header}.h').read_text(encoding='utf-8'))
        lines = [f'{prefix}{name if name[0].isdigit() else go_structs.camel(name.lower())} uint32 = {number}\n' for name, number in found]
        made += f'// {comment}\nconst (\n{"".join(lines)})\n\n'
    return made


def write_stubs():
    for package in ('.', 'document'):
        made = subprocess.run(['go', 'run', './internal/stub', package, str(headers.INCLUDE)], cwd=HERE / 'go', capture_output=True, text=True, check=True)
        (HERE / 'go' / package / 'stub_nocgo.go').write_text(made.stdout, encoding='utf-8')


def main():
    check = sys.argv[1:] == ['--check']
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    structs = headers.structs()
    made = {**go_structs.files(structs), **results.files(structs), HERE / 'go/numbers.go': constants()}
    made = {path: formatted(path, text) for path, text in made.items()}
    if not check and not all(shutil.which(name) for name in ('gofmt', 'rustfmt')):
        sys.exit('gofmt and rustfmt are needed, which come with Go and Rust')
    for path, text in made.items():  # what follows reads these
        if not check:
            path.write_text(text, encoding='utf-8')
    made |= {python_structs.PACKAGE / '_structs.py': python_structs.text(structs), rust_signatures.PAGE: rust_signatures.page()}
    stale = []
    for path, text in made.items():
        if check and (not path.exists() or spaceless(path.read_text(encoding='utf-8')) != spaceless(text)):
            stale.append(path)
        elif not check:
            path.write_text(text, encoding='utf-8')
    if not check:
        write_stubs()
    for path in stale:
        print(f'{path.relative_to(HERE.parent)} is not what bindings/generate.py makes')
    return bool(stale)


if __name__ == '__main__':
    sys.exit(main())
