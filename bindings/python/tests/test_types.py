# SPDX-License-Identifier: Apache-2.0
"""mypy --strict finds nothing in the package and in typed.py, which uses it as users do; and it notices wrong use."""
from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
from typing import List

import pytest

from conftest import SOURCE

PACKAGE = SOURCE / 'bindings/python'


@pytest.fixture(scope='module')
def cache(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp('mypy')


def mypy(cache: pathlib.Path, *arguments: object) -> 'subprocess.CompletedProcess[str]':
    if importlib.util.find_spec('mypy') is not None:
        program: List[str] = [sys.executable, '-m', 'mypy']
    elif shutil.which('mypy'):
        program = ['mypy']
    else:
        pytest.skip('there is no mypy')
    environment = {**os.environ, 'MYPYPATH': str(PACKAGE)}
    return subprocess.run([*program, '--strict', '--cache-dir', str(cache), *map(str, arguments)], cwd=PACKAGE,
                          env=environment, capture_output=True, text=True)


def test_package_and_its_use(cache: pathlib.Path) -> None:
    done = mypy(cache, 'karp', 'tests/typed.py')
    assert done.returncode == 0, done.stdout


def test_wrong_use_is_noticed(cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / 'wrong.py'
    path.write_text('import karp\n'
                    'karp.load("x").plan(profil="karp")\n'
                    'karp.load("x").plan().launches[0].choice.price\n'  # it may be None
                    'karp.load("x").explain()\n'
                    'karp.fit([], {"a": 7})\n')
    done = mypy(cache, path)
    assert done.returncode == 1
    assert all(f'wrong.py:{line}: error' in done.stdout for line in (2, 3, 4, 5)), done.stdout
