# SPDX-License-Identifier: Apache-2.0
"""docs/python.md and examples/python: what they show, works."""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

import karp
from conftest import QUICKSTART, SOURCE

PAGE = SOURCE / 'docs/python.md'
BLOCK = re.compile(r'^```python([^\n]*)\n(.*?)^```$', flags=re.S | re.M)


def blocks(kind: str) -> str:
    return '\n'.join(body for label, body in BLOCK.findall(PAGE.read_text()) if label.strip() in ('', kind))


def test_every_block_of_the_page_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SOURCE)  # paths on the page are of a clone
    names: 'dict[str, object]' = {}
    exec(compile(blocks(''), str(PAGE), 'exec'), names)
    printed = capsys.readouterr().out
    for expected in ('r5a.2xlarge us-west-2b', 'ml/train-0 TYPE_RESOURCES True', '<karp.Choice large a on-demand $0.2/h>',
                     'POD_MISSING', "{'gpu': 9838} 24083.424 False",
                     'Pod default/web spec.containers[0].resources.requests.cpu "lots" is not a quantity'):
        assert expected in printed, printed


def test_blocks_for_pandas_run() -> None:
    pytest.importorskip('pandas')
    exec(compile(blocks('pandas'), str(PAGE), 'exec'), {})


def test_the_example_prints_the_hash_that_c_prints() -> None:
    environment = {**os.environ, 'PYTHONPATH': str(SOURCE / 'bindings/python')}
    printed = subprocess.run([sys.executable, str(SOURCE / 'examples/python/plan.py'), str(QUICKSTART)], env=environment,
                             capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed[-1] == karp.load(QUICKSTART).plan().hash and re.fullmatch('[0-9a-f]{64}', printed[-1])
    build = os.environ.get('KARP_BUILD')
    program = pathlib.Path(build or '', 'examples/example-hash')
    if not build or not program.is_file():
        pytest.skip('the examples in C are not built')
    assert subprocess.run([str(program), str(QUICKSTART)], capture_output=True, text=True,
                          check=True).stdout.strip() == printed[-1]


def test_the_example_says_what_is_wrong(tmp_path: pathlib.Path) -> None:
    environment = {**os.environ, 'PYTHONPATH': str(SOURCE / 'bindings/python')}
    done = subprocess.run([sys.executable, str(SOURCE / 'examples/python/plan.py'), str(tmp_path / 'nothing')],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and 'nothing' in done.stderr and 'Traceback' not in done.stderr


def test_example_is_the_quick_start() -> None:
    assert karp.load(karp.example()).sha256 == karp.load(QUICKSTART).sha256
