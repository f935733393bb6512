# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel and the source archive of the Python package (PEP 517), with the standard library, meson and ninja.

The wheel has the package, libkarp and libkarp-io, and the libraries that libkarp-io needs, so that it runs where neither they
nor a compiler are. It serves every Python 3: the tag is py3-none-PLATFORM. Equal sources and tools give equal bytes.
"""
import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = SOURCE / 'bindings/python/karp'
LIBRARIES = ('libkarp.so.0', 'libkarp-io.so.0')
BUNDLED = re.compile(r'libyaml\b.*\.so')  # everything else is of every Linux system
EPOCH = (1980, 1, 1, 0, 0, 0)
LEFT_OUT = ('tests/', 'fuzz/', '.ci/', 'bindings/go/')  # of the source archive: what building does not need


def project():
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    return tomllib.loads((SOURCE / 'pyproject.toml').read_text(encoding='utf-8'))['project']


def get_requires_for_build_wheel(config_settings=None):
    return [name for name, command in (('meson>=1.0.1', 'meson'), ('ninja', 'ninja')) if shutil.which(command) is None]


def get_requires_for_build_sdist(config_settings=None):
    return []


def metadata():
    p = project()
    lines = ['Metadata-Version: 2.1', f'Name: {p["name"]}', f'Version: {p["version"]}', f'Summary: {p["description"]}',
             f'License: {p["license"]["text"]}', f'Keywords: {",".join(p["keywords"])}',
             f'Requires-Python: {p["requires-python"]}', *[f'Classifier: {each}' for each in p['classifiers']],
             'Description-Content-Type: text/markdown', '', (SOURCE / p['readme']).read_text(encoding='utf-8')]
    return '\n'.join(lines).encode('utf-8')


def tag():
    if not sys.platform.startswith('linux'):
        raise SystemExit('wheels of karp are built on Linux')
    return 'py3-none-' + re.sub(r'[-.]', '_', sysconfig.get_platform())


def wheel_file():
    return f'Wheel-Version: 1.0\nGenerator: karp_build\nRoot-Is-Purelib: false\nTag: {tag()}\n'.encode()


def dist_info():
    p = project()
    return f'{p["name"]}-{p["version"]}.dist-info'


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory, dist_info())
    folder.mkdir()
    (folder / 'METADATA').write_bytes(metadata())
    (folder / 'WHEEL').write_bytes(wheel_file())
    return folder.name


def run(*command):
    done = subprocess.run([str(part) for part in command], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        raise SystemExit(f'{command[0]} has failed')
    return done.stdout


def meson():
    """The program, or the module that pip has put beside this."""
    return ['meson'] if shutil.which('meson') else [sys.executable, '-m', 'mesonbuild.mesonmain']


def build_libraries(folder):
    """{name in the wheel: path}: the two libraries, and those they need that not every system has."""
    # The libraries find each other, and what is beside them, in their own folder; -s leaves out what only debuggers read.
    run(*meson(), 'setup', folder, SOURCE, '-Dbuildtype=release', '-Ddefault_library=shared', '-Dio=enabled', '-Dcli=disabled',
        '-Dtests=false', '-Dc_link_args=-Wl,-rpath,$ORIGIN,-s')
    run(*meson(), 'compile', '-C', folder, 'karp:shared_library', 'karp-io:shared_library')
    found = {name: (folder / 'lib' / name).resolve() for name in LIBRARIES}
    for line in run('ldd', found['libkarp-io.so.0']).splitlines():
        name, _, path = line.strip().partition(' => ')
        if BUNDLED.match(name):
            found[name] = pathlib.Path(path.split(' (')[0]).resolve()
    return found


def contents(folder):
    """{path in the wheel: bytes}"""
    files = {}
    for path in sorted(PACKAGE.iterdir()):
        if path.suffix in ('.py', '.typed'):
            files[f'karp/{path.name}'] = path.read_bytes()
    for path in sorted((SOURCE / 'examples/quickstart').iterdir()):
        files[f'karp/_example/{path.name}'] = path.read_bytes()
    for name, path in build_libraries(folder).items():
        files[f'karp/_lib/{name}'] = path.read_bytes()
        copyright = pathlib.Path('/usr/share/doc', name.replace('.so.', ''), 'copyright')
        if copyright.is_file():
            files[f'{dist_info()}/licenses/{name}.txt'] = copyright.read_bytes()
    files[f'{dist_info()}/METADATA'] = metadata()
    files[f'{dist_info()}/WHEEL'] = wheel_file()
    files[f'{dist_info()}/licenses/LICENSE'] = (SOURCE / 'LICENSE').read_bytes()
    return files


def record(files):
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        lines.append(f'{path},sha256={digest},{len(data)}\n')
    return ''.join(lines + [f'{dist_info()}/RECORD,,\n']).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    p = project()
    name = f'{p["name"]}-{p["version"]}-{tag()}.whl'
    with tempfile.TemporaryDirectory() as folder:
        files = contents(pathlib.Path(folder))
    files[f'{dist_info()}/RECORD'] = record(files)
    with zipfile.ZipFile(os.path.join(wheel_directory, name), 'w', zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if '/_lib/' in path else 0o644) << 16
            archive.writestr(entry, data)
    return name


def source_files():
    """What git knows of; without git, as in an unpacked archive, what is there."""
    if (SOURCE / '.git').exists() and shutil.which('git'):
        names = run('git', 'ls-files', '-z').split('\0')
    else:
        names = [path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob('*')
                 if path.is_file() and not re.search(r'(^|/)(build[^/]*|__pycache__|subprojects)/', path.as_posix()
                                                     [len(SOURCE.as_posix()):].lstrip('/'))]
    return sorted(name for name in names if name and not name.startswith(LEFT_OUT) and name != 'PKG-INFO'
                  and (SOURCE / name).is_file())


def build_sdist(sdist_directory, config_settings=None):
    p = project()
    base = f'{p["name"]}-{p["version"]}'
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode='w', format=tarfile.PAX_FORMAT) as archive:
        for name in [*source_files(), 'PKG-INFO']:
            data = metadata() if name == 'PKG-INFO' else (SOURCE / name).read_bytes()
            entry = tarfile.TarInfo(f'{base}/{name}')
            entry.size, entry.mode = len(data), 0o755 if name != 'PKG-INFO' and os.access(SOURCE / name, os.X_OK) else 0o644
            archive.addfile(entry, io.BytesIO(data))
    with open(os.path.join(sdist_directory, base + '.tar.gz'), 'wb') as out:
        with gzip.GzipFile(fileobj=out, mode='wb', filename='', mtime=0) as packed:
            packed.write(raw.getvalue())
    return base + '.tar.gz'
