# SPDX-License-Identifier: Apache-2.0
"""karp blockers and karp explain node say the same of every node, and karp lint and karp plan of every pod, over all
cases: those of disruption, those of reports, and Karpenter's own where they are kept beside the project."""
import os
import pathlib
import subprocess
import sys

from stories import check, finish

HERE = pathlib.Path(__file__).resolve().parent
AGREE = pathlib.Path(os.environ['KARP_BUILD']) / 'tests/property/agree'


def cases():
    """A line for each: its name, and its documents."""
    folder = HERE / 'disruption'
    for path in sorted(folder.rglob('*.yaml')):
        if path.parent == folder:
            continue
        words = next((line.split()[2:] for line in path.read_text().splitlines() if line.startswith('# disrupt')), [])
        files = [path]
        files += [] if '--alone' in words else [folder / 'world.yaml']
        named = [f'@{folder / words[i + 1]}' for i, word in enumerate(words) if word == '--catalogue']
        yield path.relative_to(HERE), files + ([] if '--own-types' in words else named or [f'@{folder / "types.yaml"}'])
    for path in sorted((HERE / 'reports').glob('*.yaml')):
        if path.name[0].isdigit():
            yield path.name, [path, f'@{folder / "types.yaml"}']
    shared = pathlib.Path(os.environ.get('KARP_SHARED', HERE / 'nowhere'))
    for path in sorted(shared.glob('conformance*/cases/*.snapshot.json')):
        yield path.name, [path]


if not AGREE.is_file():
    print('the program agree was not built')
    sys.exit(77)
lines = [' '.join(str(word) for word in (name, *files)) for name, files in cases()]
done = subprocess.run([AGREE], input='\n'.join(lines) + '\n', capture_output=True, text=True, check=False)
check(done.returncode == 0, done.stdout[-3000:] + done.stderr)
told = done.stdout.strip().split('\n')[-1].split()
check(int(told[0]) >= 80 and int(told[2]) >= 300, f'too few were looked at: {told}')
sys.exit(finish())
