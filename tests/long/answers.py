# SPDX-License-Identifier: Apache-2.0
"""What a build of `karp` answers to the text cases, the stories and, where they are at hand, conformance cases."""
import hashlib
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))


def build(folder, compiler, options):
    """Builds the program alone; the path of it."""
    environment = {**os.environ, **({'CC': compiler} if compiler else {})}
    subprocess.run(['meson', 'setup', str(folder), str(SOURCE), '-Dtests=false', *options], check=True, env=environment,
                   stdout=subprocess.DEVNULL)
    subprocess.run(['ninja', '-C', str(folder), 'karp'], check=True, env=environment, stdout=subprocess.DEVNULL)
    return folder / 'karp'


def inputs(every):
    """Arguments of karp plan; of the conformance cases one in so many."""
    cases = SOURCE / 'tests' / 'cases' / 'scheduling'
    for path in sorted(cases.glob('*/*.yaml')):
        yield ['-f', path, '-f', cases / 'world.yaml', '--catalogue', cases / 'types.yaml']
    for path in sorted((SOURCE / 'examples' / 'stories').iterdir()):
        yield ['-f', path]
    shared = pathlib.Path(os.environ.get('KARP_SHARED', '')) / 'conformance' / 'cases'
    for path in sorted(shared.glob('*.snapshot.json'))[::every] if shared.is_dir() else []:
        yield ['-f', path]


def answers(command, every):
    """What comes out, of an input that is an error too: by input."""
    out = {}
    for arguments in inputs(every):
        for profile in ('karpenter', 'karp'):
            words = ['plan', *map(str, arguments), '--profile', profile, '--explain', 'full', '-o', 'json']
            done = subprocess.run([*map(str, command), *words], capture_output=True, timeout=300)
            out[' '.join(words)] = (done.returncode, hashlib.sha256(done.stdout + done.stderr).hexdigest())
    return out


def differences(name, expected, got):
    """Prints where two builds part; how often they do."""
    parted = [words for words in expected if got[words] != expected[words]]
    for words in parted:
        print(f'{name}: karp {words}')
    print(f'{name}: {len(got)} plans, {len(parted)} differences')
    return len(parted)
