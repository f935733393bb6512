# SPDX-License-Identifier: Apache-2.0
"""examples/repack-controller in C and Go print what docs/repack.md shows."""
import os
import pathlib
import re
import subprocess
import sys

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
sys.path.insert(0, str(SOURCE / 'tests/bindings'))
import test_go  # noqa: E402

EXAMPLE = SOURCE / 'examples/repack-controller'


def output(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    return done.stdout if done.returncode == 0 else f'status {done.returncode}: {done.stderr}'


def main():
    page = (SOURCE / 'docs/repack.md').read_text().partition('## When a step fails')[2]
    wanted = re.search(r'```text\n(.*?)```', page, flags=re.S).group(1)
    found = {'C': output([BUILD / 'examples/example-repack-controller'])}
    skipped = test_go.reason_to_skip()
    if skipped is None:
        found['Go'] = output(['go', 'run', '.'], cwd=EXAMPLE / 'go', env=test_go.environment())
        unformatted = subprocess.run(['gofmt', '-l', EXAMPLE / 'go'], capture_output=True, text=True, check=True).stdout
        vetted = subprocess.run(['go', 'vet', '.'], cwd=EXAMPLE / 'go', env=test_go.environment()).returncode == 0
        if unformatted or not vetted:
            print('gofmt or go vet has something to say', unformatted)
            return 1
    wrong = [name for name, text in found.items() if text != wanted]
    for name in wrong:
        print(f'{name} prints otherwise than docs/repack.md:\n{found[name]}')
    print(f'{len(found) - len(wrong)} programs as in docs/repack.md' + (f'; without Go: {skipped}' if skipped else ''))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
