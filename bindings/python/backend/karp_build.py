# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel and the source archive of the Python package (PEP 517), with the standard library, meson and ninja.

The wheel has the package, libkarp and libkarp-io, and the libraries that libkarp-io needs, so that it runs where neither they
nor a compiler are. It serves every Python 3: the tag is py3-none-PLATFORM. Equal sources and tools give equal bytes.
"""
import gzip
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

import karp_wheel
from karp_wheel import SOURCE, dist_info, metadata, project

LIBRARIES = ('libkarp.so.1', 'libkarp-io.so.1')
BUNDLED = re.compile(r'libyaml\b.*\.so')  # everything else is of every Linux system
LEFT_OUT = ('tests/', 'fuzz/', '.ci/', 'bindings/go/', 'bindings/rust/')  # of the source archive: what building does not need


def get_requires_for_build_wheel(config_settings=None):
    return [name for name, command in (('meson>=1.0.1', 'meson'), ('ninja', 'ninja')) if shutil.which(command) is None]


def get_requires_for_build_sdist(config_settings=None):
    return []


def tag():
    if not sys.platform.startswith('linux'):
        raise SystemExit('wheels of the system that pip runs on are built on Linux')
    return 'py3-none-' + re.sub(r'[-.]', '_', sysconfig.get_platform())


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory, dist_info())
    folder.mkdir()
    (folder / 'METADATA').write_bytes(metadata())
    (folder / 'WHEEL').write_bytes(karp_wheel.wheel_file(tag()))
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


def build(folder):
    """({name in the wheel: path}, the program): the two libraries with what they need that not every system has, and karp."""
    # They find each other, and what is beside them, in their own folder; -s leaves out what only debuggers read.
    run(*meson(), 'setup', folder, SOURCE, '-Dbuildtype=release', '-Ddefault_library=shared', '-Dio=enabled', '-Dcli=enabled',
        '-Dtests=false', '-Dc_link_args=-Wl,-rpath,$ORIGIN:$ORIGIN/../_lib,-s')
    run(*meson(), 'compile', '-C', folder, 'karp:shared_library', 'karp-io:shared_library', 'karp:executable')
    found = {name: (folder / 'lib' / name).resolve() for name in LIBRARIES}
    for line in run('ldd', found['libkarp-io.so.1']).splitlines():
        name, _, path = line.strip().partition(' => ')
        if BUNDLED.match(name):
            found[name] = pathlib.Path(path.split(' (')[0]).resolve()
    return found, folder / 'karp'


def of_others(libraries):
    """The licences of the libraries that were brought in, and what they are."""
    if not any(BUNDLED.match(name) for name in libraries):
        return {}, []
    return karp_wheel.libyaml(run('pkg-config', '--modversion', 'yaml-0.1').strip())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        libraries, program = build(pathlib.Path(folder))
        licences, parts = of_others(libraries)
        return karp_wheel.write(wheel_directory, tag(), libraries, program, licences, parts)


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
