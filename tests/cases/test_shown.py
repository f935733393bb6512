# SPDX-License-Identifier: Apache-2.0
"""What the pages show of the program is what it prints: blocks that begin with "$ karp …", a line "…" for lines left out."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from stories import check, finish

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
ASKS = SOURCE / 'tests/cases/asks'
PAGES = sorted([*SOURCE.glob('*.md'), *SOURCE.glob('docs/*.md'), *SOURCE.glob('examples/**/*.md')])
VERBS = {'plan', 'disrupt', 'explain', 'verify', 'whatif', 'simulate', 'catalogue', 'dump', 'diff', 'repack', 'replay', 'facts', 'lint', 'blockers', 'admit', 'tune'}


def sessions(page):
    """(the command, lines it prints) of every block that begins with a command."""
    for block in re.findall(r'^```(?:console|text|sh)?\n(\$ karp .*?)^```$', page, flags=re.S | re.M):
        for piece in re.split(r'^\$ karp ', block, flags=re.M)[1:]:
            command, *lines = piece.rstrip('\n').split('\n')
            yield command, lines


def printed(command):
    """What a shell shows that has `karp`; a file is written beside copies of the inputs."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / 'asks'
        shutil.copytree(ASKS, folder)
        (folder / 'examples').symlink_to(SOURCE / 'examples')
        program = pathlib.Path(os.environ['KARP'])
        places = f'{program.parent}{os.pathsep}{os.environ["PATH"]}'
        done = subprocess.run(['sh', '-c', f'karp {command}'], cwd=folder, capture_output=True, text=True, check=False,
                              env=dict(os.environ, PATH=places))
    return [line.rstrip() for line in (done.stdout or done.stderr).rstrip('\n').split('\n')]


def same(shown, lines):
    """Whether the lines are those shown, where "…" stands for any number of them."""
    at = 0
    anywhere = False
    for line in shown:
        if line.strip() == '…':
            anywhere = True
            continue
        while anywhere and at < len(lines) and lines[at] != line:
            at += 1
        if at == len(lines) or lines[at] != line:
            return False
        at, anywhere = at + 1, False
    return anywhere or at == len(lines)


seen = set()
for path in PAGES:
    for command, shown in sessions(path.read_text()):
        lines = printed(command)
        check(not shown or same(shown, lines), f'{path.name}: karp {command} prints something else:\n' + '\n'.join(lines))
        seen.update(re.findall(r'^([a-z]+)|\| karp ([a-z]+)', command)[-1] if shown else ())
check(VERBS <= seen, f'no page shows what these print: {VERBS - seen}')
sys.exit(finish())
