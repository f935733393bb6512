# SPDX-License-Identifier: Apache-2.0
"""The Go module on the libraries of this build: vet, tests, no dependencies, structs as cgo sees them, docs/go.md."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
GO = SOURCE / 'bindings/go'
OLDEST = (1, 24)  # of go.mod: runtime.AddCleanup

sys.path.insert(0, str(SOURCE / 'tests/abi'))
import headers  # noqa: E402


def reason_to_skip():
    if shutil.which('go') is None or shutil.which('pkg-config') is None:
        return 'there is no Go, or no pkg-config'
    said = subprocess.run(['go', 'env', 'GOVERSION'], capture_output=True, text=True, env={**os.environ, 'GOTOOLCHAIN': 'local'}).stdout
    found = re.match(r'go(\d+)\.(\d+)', said)
    if found is None or tuple(map(int, found.groups())) < OLDEST:
        return f'Go is {said.strip()}, wanted is {OLDEST[0]}.{OLDEST[1]}'
    if not list((BUILD / 'lib').glob('libkarp-io.so*')):
        return 'there are no shared libraries to link'
    options = json.loads((BUILD / 'meson-info/intro-buildoptions.json').read_text())
    if any(option['name'] == 'b_sanitize' and option['value'] != 'none' for option in options):
        return 'the libraries are instrumented'
    return None


def environment():
    """The libraries as they stand in the build folder, and nothing from the network."""
    own = {} if os.environ.get('HOME') or os.environ.get('GOCACHE') else {'GOCACHE': str(BUILD / 'go-cache'), 'GOPATH': str(BUILD / 'go-path')}
    return {**os.environ, **own, 'GOTOOLCHAIN': 'local', 'GOFLAGS': '-buildvcs=false -tags=libkarp', 'GOPROXY': 'off', 'CGO_ENABLED': '1',
            'PKG_CONFIG_PATH': str(BUILD / 'meson-uninstalled'), 'LD_LIBRARY_PATH': str(BUILD / 'lib')}


def go(*words, folder=GO, **more):
    print('go', *words, flush=True)
    ended = subprocess.run(['go', *words], cwd=folder, env={**environment(), **more}, text=True, stdout=subprocess.PIPE)
    if ended.returncode != 0:
        sys.exit(f'{ended.stdout}go {words[0]} ended with {ended.returncode}')
    return ended.stdout


def layout_program():
    """Prints sizes and offsets of every public struct, in the words of tests/abi/layout.txt."""
    found = headers.public_headers(SOURCE)
    lines = ['package main', '', '// #cgo pkg-config: karp'] + [f'// #include <karp/{header.name}>' for header in found]
    lines += ['import "C"', '', 'import (', '\t"fmt"', '\t"unsafe"', ')', '', 'func main() {']
    for header in found:
        for name, fields in headers.structs(header):
            lines.append(f'\tvar v_{name} C.{name}')
            lines.append(f'\tfmt.Println("{name}", unsafe.Sizeof(v_{name}))')
            for field in fields:
                seen = '_type' if field == 'type' else field
                lines.append(f'\tfmt.Println("{name}.{field}", unsafe.Offsetof(v_{name}.{seen}))')
    return '\n'.join(lines + ['}', ''])


def layout():
    recorded = set((SOURCE / 'tests/abi/layout.txt').read_text().splitlines())
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'go.mod').write_text('module layout\n\ngo 1.24\n')
        pathlib.Path(folder, 'main.go').write_text(layout_program())
        seen = go('run', '.', folder=folder).splitlines()
    strange = [line for line in seen if line not in recorded]
    print('\n'.join(strange) or f'{len(seen)} sizes and offsets are what C sees')
    return bool(strange) or len(seen) < 100


def programs():
    """The programs of docs/go.md print what the page says."""
    page = (SOURCE / 'docs/go.md').read_text()
    found = re.findall(r'```go\n(package main\n.*?)```.*?```text\n(.*?)```', page, flags=re.S)
    failed = len(found) < 2
    for text, wanted in found:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'go.mod').write_text('module page\n\ngo 1.24\n\nrequire libkarp.dev/go v0.0.0\n\n'
                                                      f'replace libkarp.dev/go => {GO}\n')
            pathlib.Path(folder, 'main.go').write_text(text)
            printed = go('run', '.', str(SOURCE / 'examples/quickstart'), folder=folder)
        if printed != wanted:
            print(f'docs/go.md: a program prints\n{printed}where the page says\n{wanted}')
            failed = True
    return failed


def hashes():
    """The example prints the hash that the one in C does."""
    example = BUILD / 'examples/example-hash'
    if not example.exists():
        return False
    for name in ('examples/quickstart', 'examples/stories/workshop/cluster.yaml'):
        in_c = subprocess.run([example, name], cwd=SOURCE, capture_output=True, text=True).stdout
        in_go = go('run', './examples/hash', str(SOURCE / name))
        if in_c != in_go or len(in_go) != 65:
            print(f'{name}: {in_go.strip()} in Go, {in_c.strip()} in C')
            return True
    return False


def without_cgo():
    """The same package, where every call says what it lacks; what stands in for the files with cgo is as generated."""
    failed = False
    for package, kept in (('.', 'stub_nocgo.go'), ('document', 'document/stub_nocgo.go')):
        if go('run', './internal/stub', package, str(SOURCE / 'include/karp')) != (GO / kept).read_text():
            print(f'bindings/go/{kept} is not what go generate makes')
            failed = True
    go('vet', '-tags', 'karp_nocgo', './...', CGO_ENABLED='0')
    print(go('test', '-tags', 'karp_nocgo', './...', CGO_ENABLED='0'))
    said = subprocess.run(['go', 'build', '.'], cwd=GO, env={**environment(), 'CGO_ENABLED': '0'}, capture_output=True, text=True)
    lines = [line for line in said.stderr.splitlines() if not line.startswith('#')]
    if said.returncode == 0 or len(lines) != 1 or 'set_CGO_ENABLED_1_and_CC_to_a_C_compiler' not in lines[0]:
        print('a build without cgo does not say what to do, but:\n', said.stderr)
        failed = True
    return failed


def unstaged():
    """In the source tree there is no karp.c: the compiler says what to do."""
    said = subprocess.run(['go', 'build', '-tags', '', '.'], cwd=GO, env=environment(), capture_output=True, text=True)
    if said.returncode == 0 or 'build with -tags libkarp, or stage it' not in said.stderr:
        print('a build of the source tree without a tag does not say what to do, but:\n', said.stderr)
        return True
    return False


def main():
    skip = reason_to_skip()
    if skip:
        print(skip)
        return 77
    modules = go('list', '-m', 'all').split()
    if len(modules) != 1:
        print('the package depends on', modules)
        return 1
    go('vet', './...')
    print(go('test', './...'))
    return 1 if without_cgo() or unstaged() or layout() or programs() or hashes() else 0


if __name__ == '__main__':
    sys.exit(main())
