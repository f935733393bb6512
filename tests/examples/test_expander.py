# SPDX-License-Identifier: Apache-2.0
"""examples/karp-expander on the libraries of this build: vet, format, tests. Its modules come from Go's cache, else its proxy."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE'], 'tests/bindings')))
import test_go  # noqa: E402

EXPANDER = test_go.SOURCE / 'examples/karp-expander'


def modules_missing():
    """Whether what the program and its tests import cannot be had, with this Go."""
    for proxy in ({'GOPROXY': 'off'}, {'GOPROXY': os.environ.get('GOPROXY', '')}):
        try:
            asked = subprocess.run(['go', 'list', '-deps', '-test', './...'], cwd=EXPANDER, env={**test_go.environment(), **proxy},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return 'karp-expander: its modules do not arrive'
        if asked.returncode == 0:
            return None
    return f'karp-expander: its modules cannot be had here, or take a newer Go: {asked.stderr.strip()[-300:]}'


def reason_to_skip():
    return test_go.reason_to_skip() or modules_missing()


def go(*words, **more):
    """Runs Go there; what it prints is the test's output, most of all when it fails."""
    print('go', *words, flush=True)
    return subprocess.run(['go', *words], cwd=EXPANDER, env={**test_go.environment(), **more}).returncode == 0


def main():
    skip = reason_to_skip()
    if skip:
        print(skip)
        return 77
    unformatted = subprocess.run(['gofmt', '-l', str(EXPANDER), str(test_go.GO)], capture_output=True, text=True, check=True).stdout
    if unformatted:
        print('gofmt would change', unformatted)
        return 1
    return 0 if go('vet', './...') and go('test', './...') else 1


if __name__ == '__main__':
    sys.exit(main())
