# SPDX-License-Identifier: Apache-2.0
"""The Python package's pytest suite, or a part of it, on the libraries of this build."""
import importlib.util
import os
import pathlib
import subprocess
import sys


def run(*wanted):
    source, build = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
    if importlib.util.find_spec('pytest') is None:
        print('there is no pytest')
        return 77
    library = next((build / 'lib').glob('libkarp-io.so.1'), None)
    if library is None:
        print('there are no shared libraries to load')
        return 77
    if b'__asan_init' in library.read_bytes():
        print('an interpreter without sanitizers cannot load libraries with them')
        return 77
    package = source / 'bindings/python'
    environment = {**os.environ, 'KARP_LIBRARY': str(build / 'lib'), 'PYTHONPATH': str(package)}
    return subprocess.run([sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', *wanted],
                          cwd=package, env=environment).returncode
