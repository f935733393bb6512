# SPDX-License-Identifier: Apache-2.0
"""A command whose memory is refused somewhere says so and exits with 1, or answers as it does otherwise."""
import os
import pathlib
import subprocess
import sys
import tempfile

from stories import SOURCE, check, finish

PRELOADED = os.environ.get('KARP_REFUSE', '')
if not PRELOADED:
    print('the build has sanitizers, which take the place of malloc()')
    sys.exit(77)
QUICKSTART = SOURCE / 'examples/quickstart'
SOME, LAST = 16, 8
ASKS = pathlib.Path(__file__).parent / 'asks'
COMMANDS = (('--version',), ('completion', 'bash'), ('completion', 'zsh'), ('completion', 'fish'),
            ('plan', QUICKSTART, '-o', 'json'), ('plan', ASKS / 'scaled-over-rounds.yaml'), ('plan', QUICKSTART, '-o', 'html'),
            ('plan', QUICKSTART, '--settle', '-o', 'json'), ('diff', QUICKSTART, '-o', 'json', '--', '--scale', 'web=5', '--delete', 'nodepool/none'),
            ('diff', ASKS / 'dump.json', '-o', 'json', '--', '--scale', 'report=10', '--delete', 'nodepool/spot'),
            ('diff', ASKS / 'dump.json', '--', '--scale', 'report=10', '--delete', 'nodepool/spot'),
            ('whatif', QUICKSTART, '--design', QUICKSTART, '-o', 'json'), ('explain', 'pod', QUICKSTART, '-o', 'json'),
            ('lint', QUICKSTART, '-o', 'json'), ('nodes', ASKS / 'dump.json', '-o', 'json'), ('disrupt', ASKS / 'dump.json', '-o', 'json'),
            ('blockers', ASKS / 'dump.json', '-o', 'json'), ('dump', QUICKSTART), ('catalogue', '-o', 'json'),
            ('admit', SOURCE / 'examples/queue', '-o', 'json'), ('admit', SOURCE / 'examples/queue'))


def answer(words, folder, at=0):
    count = folder / 'count'
    count.write_text('')
    done = subprocess.run([os.environ['KARP'], *map(str, words)], capture_output=True, timeout=120, check=False,
                          env={**os.environ, 'LD_PRELOAD': PRELOADED, 'REFUSE_AT': str(at), 'REFUSE_COUNT': str(count)})
    return done, int(count.read_text() or 0)


def places(count):
    """Some of all allocations, and the last ones, which write the answer."""
    step = max(1, count // SOME)
    return sorted({*range(1, count + 1, step), *range(max(1, count - LAST), count + 1)})


with tempfile.TemporaryDirectory() as name:
    for words in COMMANDS:
        whole, count = answer(words, pathlib.Path(name))
        title = ' '.join(str(word).rpartition('/')[2] for word in words)
        if whole.returncode not in (0, 1) or count == 0:
            check(False, f'{title}: exit {whole.returncode}, {count} allocations')
        for at in places(count):
            done, _ = answer(words, pathlib.Path(name), at)
            same = (done.returncode, done.stdout) == (whole.returncode, whole.stdout)
            said = done.returncode == 1 and done.stderr.strip() != b''
            check(same or said, f'{title}: allocation {at} of {count} is refused: exit {done.returncode}, {len(done.stdout)} bytes of '
                                f'{len(whole.stdout)}, {done.stderr[-200:]!r}')
finish()
