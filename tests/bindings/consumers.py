# SPDX-License-Identifier: Apache-2.0
"""Runs tests/bindings/consumers/LANGUAGE/commands: what somebody types who has an empty folder and a release, five lines at most."""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
HERE = SOURCE / 'tests/bindings/consumers'
WANTED = ['r5a.2xlarge', 'm5a.large', 'c6a.large']  # of examples/quickstart
COMMANDS = 5

sys.path.insert(0, str(SOURCE / 'bindings'))
import stage  # noqa: E402


def environment(release, language, home):
    """That of a user who has no libkarp, whose modules come from the release, and whose Go keeps what it made before."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(('KARP_', 'PKG_CONFIG', 'LD_LIBRARY', 'PYTHON', 'MALLOC_'))}
    return {**kept, 'RELEASE': str(release), 'HERE': str(HERE / language), 'LIBKARP': str(SOURCE), 'QUICKSTART': str(SOURCE / 'examples/quickstart'),
            'GOPROXY': f'file://{release}/goproxy', 'GOSUMDB': 'off', 'GOTOOLCHAIN': 'local', 'GOMODCACHE': f'{home}/modules',
            'GOFLAGS': '-modcacherw', 'CGO_ENABLED': '1', 'CARGO_NET_OFFLINE': 'true'}


def run(release, language, **more):
    """What is wrong with a language's commands; None when they end with the plan of the quickstart."""
    lines = [line for line in (HERE / language / 'commands').read_text().splitlines() if line and not line.startswith('#')]
    if len(lines) > COMMANDS:
        return f'{language}: {len(lines)} commands, where {COMMANDS} are promised'
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        for line in lines:
            done = subprocess.run(['sh', '-ec', line], cwd=folder, env={**environment(release, language, home), **more}, capture_output=True, text=True)
            if done.returncode:
                return f'{language}: {line}\n{done.stdout}{done.stderr}'
    if done.stdout.split() != WANTED:
        return f'{language}: the last command prints {done.stdout!r}'
    print(f'{language}: {len(lines)} commands', flush=True)
    return None
