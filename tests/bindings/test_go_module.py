# SPDX-License-Identifier: Apache-2.0
"""The Go module as it is published: a consumer gets it from a module proxy of files, and builds and runs with no libkarp installed."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import compilers
import test_go

SOURCE, BUILD = test_go.SOURCE, test_go.BUILD
STAGE = SOURCE / 'bindings/stage.py'


def staged(folder):
    """The one file and a module proxy made of it."""
    sources, proxy = folder / 'sources', folder / 'proxy'
    subprocess.run([sys.executable, STAGE, 'sources', sources, '--build', BUILD], check=True)
    subprocess.run([sys.executable, STAGE, 'goproxy', sources, proxy], check=True)
    return proxy


def digest(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob('*') if path.is_file()}


def main():
    skip = test_go.reason_to_skip()
    if skip:
        print(skip)
        return 77
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        folder = pathlib.Path(first)
        proxy = staged(folder)
        if digest(proxy) != digest(staged(pathlib.Path(second))):
            print('the module made twice is not the same')
            return 1
        shutil.copytree(SOURCE / 'tests/bindings/go-consumer', folder / 'consumer')
        # libyaml's source is not part of the tree: here karp-io.c takes the one of the system. Optimising is not what is tested.
        environment = {**test_go.environment(), 'GOFLAGS': '-mod=mod -modcacherw', 'GOPROXY': f'file://{proxy}', 'GOSUMDB': 'off',
                       'GOMODCACHE': str(folder / 'modules'), 'CC': compilers.quick(), 'CGO_CFLAGS': '-O0', 'CGO_LDFLAGS': '-lyaml',
                       'PKG_CONFIG_LIBDIR': str(folder), 'PKG_CONFIG_PATH': str(folder), 'LD_LIBRARY_PATH': ''}
        for program, asked, wanted in (('.', [SOURCE / 'examples/quickstart'], 'new-1 r5a.2xlarge us-west-2b'),
                                       ('./memory', [], 'start m.large for [default/web-0 default/web-1]')):
            done = subprocess.run(['go', 'run', program, *asked], cwd=folder / 'consumer', env=environment, capture_output=True, text=True)
            print(done.stdout, done.stderr)
            if done.returncode != 0 or not done.stdout.startswith(wanted):
                return 1
    return 0


if __name__ == '__main__':
    os.environ.setdefault('GOTOOLCHAIN', 'local')
    sys.exit(main())
