# SPDX-License-Identifier: Apache-2.0
"""The package and the libraries fit: layouts, names, versions; and it says so when they do not."""
from __future__ import annotations

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
from typing import Dict

import pytest

import karp
from conftest import SOURCE
from karp import _native, _structs

PACKAGE = SOURCE / 'bindings/python'


def recorded() -> Dict[str, int]:
    lines = (SOURCE / 'tests/abi/layout.txt').read_text().split('\n')
    return {name: int(value) for name, value in (line.rsplit(' ', 1) for line in lines if line)}


def c_name(name: str) -> str:
    return 'karp' + re.sub('([A-Z])', lambda m: '_' + m.group().lower(), name)


def structs() -> Dict[str, type]:
    return {name: value for name, value in vars(_structs).items()
            if isinstance(value, type) and issubclass(value, ctypes.Structure)}


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason='layout.txt is of 64-bit systems')
def test_structs_are_those_of_the_headers() -> None:
    layout = recorded()
    checked = 0
    for name, struct in structs().items():
        fields = {field: getattr(struct, field).offset for field, *_ in struct._fields_}  # type: ignore[attr-defined]
        recorded_fields = {key.split('.')[1]: value for key, value in layout.items() if key.startswith(c_name(name) + '.')}
        if 'size' in fields and len(fields) < len(recorded_fields):
            # A struct that states its size may have grown since; what is known of it is its beginning.
            assert fields == dict(list(recorded_fields.items())[:len(fields)]), name
            assert ctypes.sizeof(struct) <= layout[c_name(name)], name
        else:
            assert fields == recorded_fields and ctypes.sizeof(struct) == layout[c_name(name)], name
        checked += 1
    assert checked > 25


def test_constants_are_those_of_the_headers() -> None:
    layout = recorded()
    for name in ('JSON', 'TEXT', 'YAML', 'JSON_LOG', 'HTML', 'CSV'):
        assert getattr(_native, 'FORMAT_' + name) == layout['KARP_FORMAT_' + name]
    from karp import _options, _read
    operators = ('UNKNOWN', 'IN', 'NOT_IN', 'EXISTS', 'DOES_NOT_EXIST', 'GT', 'LT', 'GTE', 'LTE')
    assert [layout['KARP_OP_' + name] for name in operators] == list(range(len(_read.OPERATORS)))
    methods = ('EMPTINESS', 'STATIC_DRIFT', 'DRIFT', 'MULTI_NODE', 'SINGLE_NODE', 'EXPIRATION', 'REPAIR')
    assert [layout['KARP_METHOD_' + name] for name in methods] == list(_options.METHODS.values())
    assert [_read.method(number) for number in _options.METHODS.values()] == list(_options.METHODS)
    assert _options.OF_PASS == layout['KARP_METHOD_FLAG_PASS']
    assert [layout['KARP_EXPLAIN_' + name.upper()] for name in _options.EXPLAIN] == [0, 1, 2]
    assert _options.PROFILES[0] == 'karpenter' and _options.PROFILES[-1] == 'karp'
    versions = {name for name in layout if name.startswith('KARP_PEER_')} - {'KARP_PEER_NEWEST', 'KARP_PEER_PREVIEW'}
    assert len(_options.PROFILES) == 2 + len(versions)
    versions = [(layout['KARP_PROFILE_' + name.split('-')[0].upper()],
                 layout['KARP_PEER_' + (name.split('-') + ['newest'])[1].upper().replace('.', '_')]) for name in _options.PROFILES]
    assert [_options.profile_of(name) for name in _options.PROFILES] == versions


def test_functions_are_exported() -> None:
    core, io = ((SOURCE / 'lib' / name).read_text() for name in ('libkarp.map', 'libkarp-io.map'))
    assert all(f' {name};' in core for name in _native.CORE)
    assert all(f' {name};' in io for name in _native.IO)


def test_version_is_that_of_the_header() -> None:
    header = (SOURCE / 'include/karp/version.h').read_text()
    parts = [re.search(rf'KARP_VERSION_{part} (\d+)', header) for part in ('MAJOR', 'MINOR', 'PATCH')]
    stage = re.search(r'KARP_VERSION_STAGE "-?(\w*)"', header)
    assert stage and karp.__version__ == '.'.join(part.group(1) for part in parts if part) + stage.group(1)


def test_which_versions_fit() -> None:
    assert _native.fits(0x000100, (0, 1, 0)) and _native.fits(0x000109, (0, 1, 0))
    assert not _native.fits(0x000200, (0, 1, 0)) and not _native.fits(0x000000, (0, 1, 0))
    assert not _native.fits(0x010000, (0, 1, 0))
    assert _native.fits(0x010203, (1, 2, 9)) and _native.fits(0x010500, (1, 2, 0))
    assert not _native.fits(0x010100, (1, 2, 0)) and not _native.fits(0x020200, (1, 2, 0))


def import_with(library: object) -> 'subprocess.CompletedProcess[str]':
    environment = {**os.environ, 'KARP_LIBRARY': str(library), 'PYTHONPATH': str(PACKAGE)}
    code = 'import karp\ntry:\n    karp.load([]).plan()\nexcept ImportError as error:\n    print(error)'
    return subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True)


def test_nothing_there(tmp_path: pathlib.Path) -> None:
    done = import_with(tmp_path)
    assert done.returncode == 1 and 'LibraryError: KARP_LIBRARY' in done.stderr and str(tmp_path) in done.stderr
    done = import_with(tmp_path / 'libkarp.so.1')
    assert done.returncode == 1 and 'LibraryError: libkarp and libkarp-io were not found' in done.stderr


@pytest.mark.skipif(shutil.which('cc') is None, reason='there is no compiler')
@pytest.mark.parametrize('source, said', [
    ('int other(void) { return 0; }', 'is not libkarp'),
    ('const char *karp_version(void) { return "0.2.0"; } unsigned karp_version_number(void) { return 0x000200; }',
     'is libkarp 0.2.0, but this package is karp 1.0.0'),
    ('const char *karp_version(void) { return "1.0.7"; } unsigned karp_version_number(void) { return 0x010007; }',
     'lacks karp_status_name'),
])
def test_wrong_libraries(tmp_path: pathlib.Path, source: str, said: str) -> None:
    (tmp_path / 'x.c').write_text(source)
    for name in ('libkarp.so.1', 'libkarp-io.so.1'):
        subprocess.run(['cc', '-shared', '-fPIC', '-o', str(tmp_path / name), str(tmp_path / 'x.c')], check=True)
    done = import_with(tmp_path)
    assert done.returncode == 1 and 'LibraryError' in done.stderr and said in done.stderr, done.stderr


def test_a_file_or_its_folder_names_the_library() -> None:
    path = pathlib.Path(karp.library_path)
    for way in (path, path.parent):
        assert import_with(way).returncode == 0


def test_nothing_is_imported_that_was_not_asked_for() -> None:
    code = textwrap.dedent('''
        import sys, karp
        karp.load([]).plan().to_json()
        print([name for name in ('numpy', 'pandas', 'polars', 'pyarrow', 'concurrent.futures') if name in sys.modules])
    ''')
    done = subprocess.run([sys.executable, '-c', code], env={**os.environ, 'PYTHONPATH': str(PACKAGE)}, capture_output=True,
                          text=True, check=True)
    assert done.stdout == '[]\n'
