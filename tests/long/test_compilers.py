# SPDX-License-Identifier: Apache-2.0
"""Builds by gcc and clang, without and with optimisation, decide the same: `karp plan` on the text cases, the stories and, where
they are at hand, conformance cases, byte for byte."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))
BUILDS = [(cc, level) for cc in ('gcc', 'clang') for level in ('0', '3')]
EVERY = 5  # of the conformance cases


def build(folder, compiler, level):
    environment = {**os.environ, 'CC': compiler}
    subprocess.run(['meson', 'setup', str(folder), str(SOURCE), f'-Doptimization={level}', '-Dtests=false'], check=True,
                   env=environment, stdout=subprocess.DEVNULL)
    subprocess.run(['ninja', '-C', str(folder), 'karp'], check=True, env=environment, stdout=subprocess.DEVNULL)
    return folder / 'karp'


def inputs():
    """Arguments of karp plan."""
    cases = SOURCE / 'tests' / 'cases' / 'scheduling'
    for path in sorted(cases.glob('*/*.yaml')):
        yield ['-f', path, '-f', cases / 'world.yaml', '--catalogue', cases / 'types.yaml']
    for path in sorted((SOURCE / 'examples' / 'stories').iterdir()):
        yield ['-f', path]
    shared = pathlib.Path(os.environ.get('KARP_SHARED', '')) / 'conformance' / 'cases'
    for path in sorted(shared.glob('*.snapshot.json'))[::EVERY] if shared.is_dir() else []:
        yield ['-f', path]


def answers(program):
    """What comes out, of an input that is an error too: by input."""
    out = {}
    for arguments in inputs():
        for profile in ('karpenter', 'karp'):
            words = ['plan', *map(str, arguments), '--profile', profile, '--explain', 'full', '-o', 'json']
            done = subprocess.run([str(program), *words], capture_output=True, timeout=300)
            out[' '.join(words)] = (done.returncode, hashlib.sha256(done.stdout + done.stderr).hexdigest())
    return out


def main():
    if not shutil.which('meson') or not shutil.which('ninja'):
        print('meson and ninja are needed')
        return 77
    builds = [(cc, level) for cc, level in BUILDS if shutil.which(cc)]
    if len(builds) < 2:
        print('no second compiler')
        return 77
    first, differences = None, 0
    with tempfile.TemporaryDirectory() as folder:
        for compiler, level in builds:
            got = answers(build(pathlib.Path(folder) / f'{compiler}-{level}', compiler, level))
            if first is None:
                first = got
            for words in first:
                if got[words] != first[words]:
                    print(f'{compiler} -O{level}: karp {words}')
                    differences += 1
            print(f'{compiler} -O{level}: {len(got)} plans')
    print(f'{differences} differences')
    return 1 if differences else 0


if __name__ == '__main__':
    sys.exit(main())
