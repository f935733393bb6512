# SPDX-License-Identifier: Apache-2.0
"""Wheels for other systems, made by zig's C compiler: what they have inside, what they need of the system, that they are the same when
made twice, and for this system that they work. Those that cannot run here are opened."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

import installed

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
sys.path.insert(0, str(SOURCE / 'bindings'))
import stage  # noqa: E402

OF_EVERY_LINUX = {'libc.so.6', 'libm.so.6', 'libdl.so.2', 'ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1', 'libc.so', 'libkarp.so.1', 'libkarp-io.so.1'}
LARGEST = 1_200_000
MACHINES = {'x86_64': 62, 'aarch64': 183}  # e_machine
CPUS = {'x86_64': 0x01000007, 'arm64': 0x0100000c}
TRY = 'import karp; s = karp.load(karp.example()); p = s.plan(); assert karp.verify(s, p); print([l.choice.instance_type for l in p.launches])'
problems = []


def check_elf(platform, path):
    head = path.read_bytes()[:20]
    if struct.unpack('<H', head[18:20])[0] != MACHINES[platform.rsplit('linux_', 1)[1].split('_', 2)[2]]:
        problems.append(f'{platform}: {path.name} is for another machine')
    said = subprocess.run(['readelf', '-d', '-V', '--dyn-syms', '-W', path], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r'\(NEEDED\).*\[(.*)\]', said))
    if needed - OF_EVERY_LINUX:
        problems.append(f'{platform}: {path.name} needs {needed - OF_EVERY_LINUX}')
    asked = [tuple(map(int, version.split('.'))) for version in re.findall(r'GLIBC_(\d+\.\d+)', said)]
    if 'manylinux' in platform and max(asked) > (2, 28):
        problems.append(f'{platform}: {path.name} asks for GLIBC {max(asked)}')
    shown = [line.split()[-1] for line in said.splitlines() if re.search(r'(FUNC|OBJECT)\s+GLOBAL\s+DEFAULT\s+\d', line)]
    if path.suffix == '.1' and (not shown or any(not name.startswith('karp_') for name in shown)):
        problems.append(f'{platform}: {path.name} shows {[name for name in shown if not name.startswith("karp_")][:5]}')


def check_one(platform, path):
    """A library or the program, by the format of the system."""
    if 'linux' in platform:
        check_elf(platform, path)
        return
    data = path.read_bytes()
    if platform.startswith('macosx'):
        magic, cpu = struct.unpack('<II', data[:8])
        if magic != 0xfeedfacf or cpu != CPUS[platform.split('_', 3)[3]]:
            problems.append(f'{platform}: {path.name} is for another machine')
    elif data[:2] != b'MZ':
        problems.append(f'{platform}: {path.name} is no library of Windows')
    if b'karp_reader_new\0' not in data and 'io' in path.name:
        problems.append(f'{platform}: {path.name} does not name karp_reader_new')


def check_papers(wheel, archive):
    """Licences of everything inside, and the list of it; of those for Linux what auditwheel says of the name."""
    names = set(archive.namelist())
    info = next(name for name in names if name.endswith('.dist-info/METADATA')).rpartition('/')[0]
    stated = re.findall(r'^License-File: (.*)$', archive.read(f'{info}/METADATA').decode(), re.M)
    if not {'LICENSE', 'notice.md', 'libyaml.txt'} <= set(stated) or any(f'{info}/licenses/{name}' not in names for name in stated):
        problems.append(f'{wheel.name}: licences are {stated}')
    inside = json.loads(archive.read(f'{info}/sboms/libkarp.spdx.json'))
    if not {'libkarp', 'libyaml'} <= {part['name'] for part in inside['packages']}:
        problems.append(f'{wheel.name}: the list of what is inside lacks a part')


def check_audited(wheel, python):
    tag = wheel.stem.split('-')[-1]
    said = subprocess.run([python, '-m', 'auditwheel', 'show', wheel], capture_output=True, text=True)
    if said.returncode or tag not in said.stdout:
        problems.append(f'{wheel.name}: auditwheel says\n{said.stdout}{said.stderr}')


def check_musl(wheel, folder):
    """The program of a wheel for musl, where musl's loader is (package musl of Debian)."""
    if not pathlib.Path('/lib/ld-musl-x86_64.so.1').exists():
        print(f'{wheel.name}: there is no musl to run it')
        return
    program = folder / 'karp/_bin/karp'
    program.chmod(0o755)
    said = subprocess.run([program, 'plan', '-f', SOURCE / 'examples/quickstart'], capture_output=True, text=True)
    if said.returncode or 'Plan: 3 to launch' not in said.stdout:
        problems.append(f'{wheel.name}: the program says {said.stdout}{said.stderr}')


def check(wheel, python):
    platform = wheel.stem.split('-')[-1]
    if wheel.stat().st_size > LARGEST:
        problems.append(f'{wheel.name} has {wheel.stat().st_size} bytes')
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        check_papers(wheel, archive)
        if 'manylinux' in platform:
            check_audited(wheel, python)  # it knows musl's C library by Alpine's name alone; musl's loader takes libc.so for itself as well
        inside = sorted(pathlib.Path(folder).glob('karp/_lib/*')) + sorted(pathlib.Path(folder).glob('karp/_bin/*'))
        if len(inside) != (2 if platform.startswith('win') else 3):
            problems.append(f'{wheel.name} has {[path.name for path in inside]}')
        for path in inside:
            check_one(platform, path)
        if platform == 'musllinux_1_2_x86_64' and os.uname().machine == 'x86_64':
            check_musl(wheel, pathlib.Path(folder))
    print(f'{wheel.name}: {wheel.stat().st_size} bytes', flush=True)


def main():
    if shutil.which('readelf') is None:
        print('there is no readelf')
        return 77
    for name in ('PYTHONPATH', 'KARP_LIBRARY', 'LD_LIBRARY_PATH'):  # the libraries of the build are not those of the wheels
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as name, installed.interpreter('ziglang', 'auditwheel') as python:
        folder = pathlib.Path(name)
        if python is None or subprocess.run([SOURCE / '.ci/libyaml', folder / 'libyaml.tar.gz'], capture_output=True).returncode:
            print('ziglang, auditwheel or the source of libyaml cannot be had here')
            return 77
        stage.sources(folder / 'sources', libyaml=folder / 'libyaml.tar.gz')
        zig = [str(python), '-m', 'ziglang']
        stage.at_once(stage.wheels(folder / 'sources', folder / 'wheels', None, zig))
        for wheel in sorted((folder / 'wheels').glob('*.whl')):
            check(wheel, python)
        native = next((folder / 'wheels').glob('*manylinux*x86_64.whl'))
        os.environ['ZIG_LOCAL_CACHE_DIR'] = str(folder / 'cache')  # nothing is taken from the first time
        stage.at_once(stage.wheels(folder / 'sources', folder / 'again', ['manylinux_2_28_x86_64'], zig))
        if (folder / 'again' / native.name).read_bytes() != native.read_bytes():
            problems.append(f'{native.name} made twice is not the same')
        subprocess.run([sys.executable, '-m', 'venv', folder / 'user'], check=True)
        user = folder / 'user/bin/python'
        subprocess.run([user, '-m', 'pip', 'install', '-q', '--no-index', native], check=True)
        subprocess.run([user, '-c', TRY], check=True, cwd=folder)
        subprocess.run([user, '-m', 'karp', 'plan', '-f', SOURCE / 'examples/quickstart'], check=True, cwd=folder)
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
