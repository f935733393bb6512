#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the playground, one page that holds everything:   build.py OUT.html [--libyaml SOURCE] [--build BUILD] [--clang COMMAND]

It takes clang and lld with a C library for WASI: on Debian clang, lld, wasi-libc and libclang-rt-14-dev-wasm32. SOURCE is the folder or
the archive of libyaml's source; .ci/libyaml gets it. --build names a build folder that is there. The same input gives the same page.
"""
import argparse
import base64
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path[:0] = [str(SOURCE / 'bindings')]
sys.dont_write_bytecode = True
import stage  # noqa: E402

EXAMPLES = {'quickstart': SOURCE / 'examples/quickstart', 'spare-nodes': HERE / 'spare-nodes'}
LARGEST = 2_000_000  # bytes of the page when a web server compresses it
# The program reads deep documents: the C library's own 64 KiB of stack are too few.
FLAGS = ['--target=wasm32-wasi', '-std=c11', '-Os', '-DNDEBUG', '-D_POSIX_C_SOURCE=200809L', '-D_WASI_EMULATED_PROCESS_CLOCKS', '-ffp-contract=off', '-fno-math-errno']
LINK = ['-s', '-Wl,-z,stack-size=4194304', '-lwasi-emulated-process-clocks', '-lm']


def program(folder, clang):
    """karp for WASI: the one-file library and program that are in the folder."""
    sources = [*[folder / name for name in ('karp.c', 'karp-io.c', 'karp-cli.c')], HERE / 'guard.c']
    # Below the data the end of the stack is the end of the memory; zig puts it there by itself.
    first = [] if any('zig' in word for word in clang) else ['-Wl,--stack-first']
    with tempfile.TemporaryDirectory() as made:
        out = pathlib.Path(made, 'karp.wasm')
        subprocess.run([*clang, *FLAGS, f'-I{folder}', '-o', out, *sources, *LINK, *first], check=True)
        return out.read_bytes()


def examples():
    for name, folder in EXAMPLES.items():
        yield {'name': name, 'files': [{'name': path.name, 'text': path.read_text(encoding='utf-8')} for path in sorted(folder.glob('*.yaml'))]}


def page(wasm):
    script = (HERE / 'page.js').read_text(encoding='utf-8')
    given = {'worker': (HERE / 'wasi.js').read_text(encoding='utf-8'), 'examples': list(examples())}
    parts = {
        'HASH': 'sha256-' + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        'PROGRAM': base64.b64encode(gzip.compress(wasm, 9, mtime=0)).decode(),
        'GIVEN': json.dumps(given).replace('<', '\\u003c'),
        'SCRIPT': script,
        'LIBYAML': stage.YAML_LICENCE.read_text(encoding='utf-8'),
    }
    return re.sub(r'@([A-Z]+)@', lambda found: parts[found.group(1)], (HERE / 'page.html').read_text(encoding='utf-8'))


def make(out, clang, libyaml, build=None):
    """Writes the page; gives its size, and that when it is compressed."""
    with tempfile.TemporaryDirectory() as folder:
        stage.sources(pathlib.Path(folder), build, libyaml)
        text = page(program(pathlib.Path(folder), clang)).encode()
    out.write_bytes(text)
    return len(text), len(gzip.compress(text, 9))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('--libyaml', type=pathlib.Path)
    parser.add_argument('--build', type=pathlib.Path)
    parser.add_argument('--clang', default='clang', help='the command')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        yaml = given.libyaml or pathlib.Path(folder, 'libyaml.tar.gz')
        if given.libyaml is None:
            subprocess.run([SOURCE / '.ci/libyaml', yaml], check=True)
        whole, packed = make(given.out, given.clang.split(), yaml, given.build)
    print(f'{given.out}: {whole} bytes, {packed} compressed')
    return 0 if packed <= LARGEST else f'it may have {LARGEST}'


if __name__ == '__main__':
    sys.exit(main())
