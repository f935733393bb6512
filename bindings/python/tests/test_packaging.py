# SPDX-License-Identifier: Apache-2.0
"""What a wheel has beside the code, and the program as a module. That wheels install and run is tried by tests/long/test_wheel*.py."""
import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

import karp

BACKEND = pathlib.Path(__file__).resolve().parents[1] / 'backend'


@pytest.fixture
def backend():
    sys.path.insert(0, str(BACKEND))
    pytest.importorskip('tomllib' if sys.version_info >= (3, 11) else 'tomli')
    import karp_wheel
    yield karp_wheel
    sys.path.remove(str(BACKEND))


def test_wheel(backend, tmp_path):
    library, program = tmp_path / 'libkarp.so.1', tmp_path / 'karp'
    library.write_bytes(b'library')
    program.write_bytes(b'program')
    licences, parts = backend.libyaml('0.2.5')
    made = []
    for folder in ('first', 'second'):
        (tmp_path / folder).mkdir()
        name = backend.write(tmp_path / folder, 'py3-none-one.two', {library.name: library}, program, licences, parts)
        made.append((tmp_path / folder / name).read_bytes())
    assert made[0] == made[1]
    assert name == f'libkarp-{karp.__version__}-py3-none-one.two.whl'
    with zipfile.ZipFile(tmp_path / 'first' / name) as archive:
        files = {entry.filename: archive.read(entry) for entry in archive.infolist()}
        assert archive.getinfo('karp/_bin/karp').external_attr >> 16 == 0o100755
    info = f'libkarp-{karp.__version__}.dist-info'
    assert files['karp/_lib/libkarp.so.1'] == b'library'
    assert b'MIT' not in files[f'{info}/licenses/LICENSE'] and b'Kirill Simonov' in files[f'{info}/licenses/libyaml.txt']
    head = files[f'{info}/METADATA'].decode().split('\n\n')[0].splitlines()
    assert {'Name: libkarp', 'License-Expression: Apache-2.0 AND MIT', 'License-File: libyaml.txt'} <= set(head)
    assert any(line.startswith('Project-URL: ') for line in head)
    assert files[f'{info}/WHEEL'].decode().splitlines()[-2:] == ['Tag: py3-none-one', 'Tag: py3-none-two']
    assert files[f'{info}/entry_points.txt'] == b'[console_scripts]\nkarp = karp.__main__:main\n'
    sbom = json.loads(files[f'{info}/sboms/libkarp.spdx.json'])
    assert [(part['name'], part['licenseDeclared']) for part in sbom['packages']] == [('libkarp', 'Apache-2.0'), ('libyaml', 'MIT')]
    for line in files[f'{info}/RECORD'].decode().splitlines():
        path, digest, size = line.split(',')
        if digest:
            data = files[path]
            assert digest == 'sha256=' + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode() and int(size) == len(data)


@pytest.mark.skipif(not (pathlib.Path(os.environ.get('KARP_LIBRARY', '/nowhere')).resolve().parent / 'karp').is_file(), reason='the program is not built')
def test_program():
    def run(*words):
        return subprocess.run([sys.executable, '-m', 'karp', *words], capture_output=True, text=True)
    assert run('--version').stdout.splitlines()[0] == 'karp ' + karp.__version__.replace('rc', '-rc')
    said = run('plan', '-f', str(karp.example()))
    assert said.returncode == 0 and 'r5a.2xlarge' in said.stdout
    assert run('nothing').returncode not in (0, None)


def test_without_program(tmp_path):
    code = 'import pathlib, karp.__main__ as m; m.HERE = pathlib.Path("/nowhere"); import os; os.environ.pop("KARP_LIBRARY", None); m.main()'
    said = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert said.returncode == 1 and 'without the program' in said.stderr
