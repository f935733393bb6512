# SPDX-License-Identifier: Apache-2.0
"""Writes what of the bindings is made from the public headers:

    generate.py            Go's structs and their writer (go/structs.txt says what is special of them), its versions of
                           Karpenter and methods, the stubs for programs without cgo, Python's structs; the signatures in
                           docs/rust.md
    generate.py --check    compares them with what is there

Go's files are formatted by gofmt, and the stubs are printed by a program in Go: without Go nothing is written. --check compares
without regard to space, and leaves the stubs to tests/bindings/test_go.py.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import go_structs
import headers
import python_structs
import rust_signatures

HERE = pathlib.Path(__file__).resolve().parent


def formatted(text):
    return subprocess.run(['gofmt'], input=text, capture_output=True, text=True, check=True).stdout if shutil.which('gofmt') else text


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
    made = {**{path: formatted(text) for path, text in go_structs.files(structs).items()}, HERE / 'go/numbers.go': formatted(constants()),
            python_structs.PACKAGE / '_structs.py': python_structs.text(structs), rust_signatures.PAGE: rust_signatures.page()}
    if not check and not shutil.which('gofmt'):
        sys.exit('gofmt is needed, which comes with Go')
    stale = []
    for path, text in made.items():
        if check and path.read_text(encoding='utf-8').split() != text.split():
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
