# SPDX-License-Identifier: Apache-2.0
"""Interpreters with packages from the registry that pip is set up for, for tests of examples that use them."""
import contextlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile


def has(python, packages):
    code = 'import importlib.util, sys; sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))'
    return subprocess.run([str(python), '-I', '-c', code, *packages], stderr=subprocess.DEVNULL).returncode == 0


@contextlib.contextmanager
def interpreter(*packages):
    """One that has the packages: this one, that of KARP_PYTHON, or a new environment; None when they cannot be had."""
    for python in (os.environ.get('KARP_PYTHON'), sys.executable):
        if python and has(python, packages):
            yield python
            return
    if importlib.util.find_spec('ensurepip') is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        python = pathlib.Path(folder, 'bin/python')
        environment = {name: value for name, value in os.environ.items() if name not in ('PYTHONPATH', 'KARP_LIBRARY')}
        made = subprocess.run([sys.executable, '-m', 'venv', folder], env=environment).returncode == 0
        made = made and subprocess.run([str(python), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', *packages],
                                       env=environment).returncode == 0
        yield python if made else None


def environment(*folders):
    """Of a program that uses the Python package on the libraries of this build, and modules of the folders."""
    source, build = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
    paths = [source / 'bindings/python', *[source / each for each in folders]]
    return {**os.environ, 'KARP_LIBRARY': str(build / 'lib'), 'PYTHONPATH': os.pathsep.join(map(str, paths))}


def usable():
    """Whether an interpreter without sanitizers can load the libraries of this build."""
    library = next(pathlib.Path(os.environ['KARP_BUILD'], 'lib').glob('libkarp-io.so.1'), None)
    return library is not None and b'__asan_init' not in library.read_bytes()
