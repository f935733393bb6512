# SPDX-License-Identifier: Apache-2.0
"""The crates karp-sys and karp as they are published: their tests, without any other crate and without a network."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
sys.path.insert(0, str(SOURCE / 'bindings'))
import compilers  # noqa: E402
import stage  # noqa: E402

OLDEST = (1, 77)  # offset_of!, and rust-version of the crates


def reason_to_skip():
    if shutil.which('cargo') is None or shutil.which('cc') is None:
        return 'there is no cargo, or no C compiler'
    said = subprocess.run(['rustc', '--version'], capture_output=True, text=True).stdout.split()
    if len(said) < 2 or tuple(map(int, said[1].split('.')[:2])) < OLDEST:
        return f'Rust is {" ".join(said)}, wanted is {OLDEST}'
    if not list((BUILD / 'lib').glob('libkarp-io.so*')):
        return 'there is no libkarp-io in this build'
    return None


def main():
    skip = reason_to_skip()
    if skip:
        print(skip)
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stage.sources(folder / 'sources', BUILD)
        stage.rust(folder / 'sources', folder)
        if shutil.which('rustfmt'):
            files = [path for path in stage.RUST.rglob('*.rs') if 'target' not in path.parts]
            subprocess.run(['rustfmt', '--check', '--edition', '2021', *files], check=True)
        for crate in ('karp-sys', 'karp'):
            done = subprocess.run(['cargo', 'test', '--offline', '--quiet'], cwd=folder / crate, capture_output=True, text=True,
                                  env={**os.environ, 'CC': compilers.quick(), 'CARGO_TARGET_DIR': str(folder / 'target'), 'LD_LIBRARY_PATH': ''})
            print(done.stdout, done.stderr)
            if done.returncode or 'warning' in done.stderr or 'test result: ok' not in done.stdout:
                return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
