# SPDX-License-Identifier: Apache-2.0
"""100,000 cron expressions: the library, a plain reference written from the description of the grammar, and, where Go and its
module are at hand, the parser that Karpenter uses agree on what is refused and on the next four hits."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import cron_reference

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get('KARP_BUILD', SOURCE / 'build'))
COUNT, SEED = 100000, 20260105


def answer(line):
    return line.split('" error ')[0]


def peer(folder, pairs):
    """The lines of the peer's parser; None without Go or its module."""
    program = folder / 'cron_peer'
    environment = {**os.environ, 'GOFLAGS': '-mod=mod', 'GOPROXY': 'off', 'GOTOOLCHAIN': 'local'}
    if shutil.which('go') is None or subprocess.run(['go', 'build', '-o', str(program), '.'], env=environment, capture_output=True,
                                                    cwd=SOURCE / 'tests' / 'long' / 'cron_peer').returncode:
        return None
    asked = ''.join(f'{start.strftime("%Y-%m-%dT%H:%M:%SZ")}\t{text}\n' for text, start in pairs)
    return subprocess.run([str(program)], input=asked, capture_output=True, text=True, check=True).stdout.split('\n')[:-1]


def compare(folder, pairs, lines):
    """0 = the library says what the lines say."""
    path = folder / 'lines.txt'
    path.write_text('\n'.join(lines) + '\n')
    done = subprocess.run([str(BUILD / 'tests' / 'unit_tests'), 'cron'], cwd=SOURCE, capture_output=True, text=True,
                          env={**os.environ, 'KARP_CRON_LINES': str(path)})
    if done.returncode:
        print(done.stdout, done.stderr)
    return done.returncode


def main(arguments):
    if arguments[:1] == ['--golden']:  # what tests/data/golden/cron-peer.txt is made of
        pairs = cron_reference.make(int(arguments[1]), SEED + 1)
        with tempfile.TemporaryDirectory() as place:
            print('\n'.join(peer(pathlib.Path(place), pairs)))
        return 0
    pairs = cron_reference.make(COUNT, SEED)
    lines = [cron_reference.line(*pair) for pair in pairs]
    refused = sum('" error ' in line for line in lines)
    print(f'{COUNT} expressions, {refused} of them wrong')
    if not COUNT // 20 < refused < COUNT // 2:
        print('too few or too many are wrong')
        return 1
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        theirs = peer(folder, pairs)
        print('the peer is not at hand' if theirs is None else 'and what the peer says')
        different = [pair for pair in zip(lines, theirs or lines) if answer(pair[0]) != answer(pair[1])]
        for mine, other in different[:10]:
            print(f'reference: {mine}\npeer:      {other}')
        return 1 if different or len(lines) != len(theirs or lines) else compare(folder, pairs, lines)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
