# SPDX-License-Identifier: Apache-2.0
"""No line of text is wider than was asked for. What has no space to be broken at stays whole; what `karp facts` prints is for a shell."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import tempfile
import termios

from stories import SOURCE, check, equal, finish

ASKS = pathlib.Path(__file__).parent / 'asks'
DUMP, POOL, TIERS = ASKS / 'dump.json', ASKS / 'pool.yaml', ASKS / 'three-tier'
QUICK, DAY = SOURCE / 'examples/quickstart', SOURCE / 'examples/replay/day.yaml'
STORIES = SOURCE / 'examples/stories'
NIGHT = ['--now', '2026-03-02T22:00:00Z']
CHEAP = ['--objective', 'cost', '--effort', '2000']
VERBS = ('plan disrupt explain verify whatif simulate catalogue dump bench diff repack replay facts lint blockers completion').split()

ANSWERS = [
    ['plan', QUICK], ['plan', TIERS], ['plan', DUMP], ['plan', DUMP, '--explain', 'full'], ['plan', DUMP, '--disrupt', *NIGHT],
    ['plan', '--settle', TIERS], ['plan', '--settle', DUMP], ['plan', ASKS / 'limits-one-round.yaml'],
    ['plan', ASKS / 'gates.json', POOL, ASKS / 'gates-off.yaml'], ['plan', POOL, ASKS / 'gates-off.yaml'],
    ['plan', ASKS / 'pool-restricted-label.yaml', ASKS / 'app.yaml'], ['plan', ASKS / 'pool-auto-mode.yaml', ASKS / 'app.yaml'],
    ['plan', POOL, ASKS / 'app-wrong-kind.yaml'], ['plan', ASKS / 'pool-v1beta1.yaml', ASKS / 'app.yaml'],
    ['plan', *CHEAP, QUICK], ['plan', *CHEAP, TIERS], ['plan', *CHEAP, DUMP],
    ['disrupt', DUMP], ['disrupt', DUMP, *NIGHT], ['disrupt', DUMP, *NIGHT, '--profile', 'karp', '--method', 'Repack'],
    ['repack', DUMP, *NIGHT, '--effort', '2000'],
    ['explain', 'pod', 'shop/api-17', TIERS], ['explain', 'pod', 'ml/train-6d4f8b9c7-shfbd', DUMP],
    ['explain', 'pod', 'inflate-0', POOL, ASKS / 'pool-not-ready.yaml', ASKS / 'app-wants-spot.yaml'],
    ['explain', 'deployment', 'shop/api', TIERS], ['explain', 'node', 'ip-10-0-32-24', DUMP], ['explain', 'node', 'ip-10-0-32-45', DUMP, *NIGHT],
    ['blockers', DUMP], ['blockers', DUMP, *NIGHT], ['lint', DUMP], ['lint', TIERS], ['lint', ASKS / 'pool-restricted-label.yaml'],
    ['diff', TIERS, '--', '--replace', ASKS / 'dear-pools.yaml', '--', '--scale', 'shop/api=3', '--', '--delete', 'NodePool/spot'],
    ['diff', DUMP, '--profile', 'karpenter-1.14', '--profile', 'karpenter-1.15'],
    ['whatif', DUMP, '--lose-zone', 'us-west-2a'], ['whatif', DUMP, '--price-factor', 'spot=3'],
    ['whatif', TIERS, '--design', ASKS / 'dear-pools.yaml'], ['whatif', DUMP, '--remove', 'ip-10-0-32-45.us-west-2.compute.internal'],
    ['simulate', ASKS / 'day-story.yaml'], ['simulate', STORIES / 'spot-and-on-demand/story.yaml'],
    ['replay', DAY, '--policy', 'karpenter,karpenter-1.14,karpenter-1.15,karp,cost'], ['catalogue', '--region', 'us-west-2'],
    ['--help'], ['--version'], *([verb, '--help'] for verb in VERBS),
]


def run(words, columns):
    done = subprocess.run([os.environ['KARP'], *map(str, words)], capture_output=True, text=True, timeout=200,
                          env={**os.environ, 'NO_COLOR': '1', 'COLUMNS': str(columns)})
    check(done.returncode == 0, f'karp {" ".join(map(str, words))}: {done.stderr}')
    check(done.stdout != '', f'karp {words}: nothing is printed')
    return done.stdout.split('\n')


def unbreakable(line):
    """One word, behind the indent or a mark like "->"."""
    return re.fullmatch(r' *([-+~!*>/]{1,3} +)?\S+', line) is not None


def within(lines, columns, what):
    for line in lines:
        check(len(line) <= columns or unbreakable(line), f'{columns} columns, {what}: {len(line)}: {line}')


def widest(words, columns):
    within(run(words, columns), columns, f'karp {" ".join(map(str, words))}')


def verify(columns):
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder) / 'plan.json'
        plan.write_text('\n'.join(run(['plan', TIERS, '-o', 'json'], columns)))
        proof = pathlib.Path(folder) / 'proof.json'
        run(['plan', *CHEAP, TIERS, '--certificate', proof, '-o', 'json'], columns)
        for words in (['verify', plan, TIERS, '-o', 'text'], ['verify', '--certificate', proof, TIERS, '-o', 'text']):
            widest(words, columns)


def same_words(words):
    """Nothing is lost where lines are broken: apart from bars, of whole tables the words are those of the wide text."""
    def flat(columns):
        return re.sub('[█░· \n]+', ' ', '\n'.join(run(words, columns)))
    equal(flat(80), flat(400), f'words of {words}')


def on_a_terminal(columns, *words):
    """The lines on a terminal of that size."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k != 'COLUMNS'}
    with subprocess.Popen([os.environ['KARP'], *map(str, words)], stdout=follower, stderr=subprocess.DEVNULL, env={**environment, 'NO_COLOR': '1'}) as child:
        os.close(follower)
        text = b''
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError: # the other end is closed
                piece = b''
            if not piece:
                break
            text += piece
        equal(child.wait(), 0, f'on a terminal of {columns} columns')
    os.close(leader)
    return text.decode().replace('\r', '').split('\n')


for words in ANSWERS:
    for columns in (100, 80):
        widest(words, columns)
verify(80)
for words in (['disrupt', DUMP], ['plan', DUMP, '--disrupt', *NIGHT], ['repack', DUMP, *NIGHT, '--effort', '2000']):
    widest(words, 60)
for words in (['--help'], ['--version'], *([verb, '--help'] for verb in VERBS)):
    widest(words, 60)
for words in (['disrupt', DUMP], ['explain', 'node', 'ip-10-0-32-45', DUMP], ['explain', 'pod', 'shop/api-17', TIERS]):
    same_words(words)
within(run(['plan', DUMP, '--width', '60'], 80), 60, '--width goes before COLUMNS')
check(max(map(len, run(['plan', DUMP, '-o', 'wide'], 80))) > 100, '-o wide breaks nothing')
wide, narrow = on_a_terminal(120, 'explain', 'node', 'ip-10-0-32-45', DUMP), on_a_terminal(60, 'plan', DUMP)
within(wide, 120, 'a terminal')
check(max(map(len, wide)) > 100, 'all of a wide terminal')
within(narrow, 60, 'a terminal')
raise SystemExit(finish())
