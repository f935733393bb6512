# SPDX-License-Identifier: Apache-2.0
"""Debian packages: a copy of the tree with docs/packaging/debian in it is built by dpkg-buildpackage, lintian has no error and no
warning that the packaging does not answer for, and what the packages install works. Skipped where one of the tools is missing."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
sys.path.insert(0, str(SOURCE / 'bindings'))
sys.dont_write_bytecode = True
import stage  # noqa: E402

PACKAGES = {'libkarp1', 'libkarp-dev', 'karp', 'python3-libkarp'}
TOOLS = ('dpkg-buildpackage', 'dh', 'dh_python3', 'lintian', 'dpkg-deb', 'git')
# There is no bug of Debian's that asks for the package as long as it is not in Debian.
SUPPRESSED = 'initial-upload-closes-no-bugs'


def run(*command, cwd=None, env=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))} has failed:\n{done.stdout[-6000:]}')
    return done.stdout


def copy(folder):
    """The tree as git knows it, with changes that are not committed, as the source that Debian would take, and its packaging."""
    version = stage.version()
    tree = folder / f'libkarp-{version}'
    for name in run('git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', cwd=SOURCE).split('\0'):
        if name and (SOURCE / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, tree / name)
    with tarfile.open(folder / f'libkarp_{version}.orig.tar.gz', 'w:gz') as archive:
        archive.add(tree, tree.name)
    shutil.copytree(SOURCE / 'docs/packaging/debian', tree / 'debian')
    return tree


def check_installed(folder, debs):
    """What debian/tests/installed asks, in a folder in the place of the system."""
    root = folder / 'root'
    for deb in debs:
        run('dpkg-deb', '--extract', deb, root)
    library = next(root.glob('usr/lib/*/libkarp.so.1')).parent
    env = {**os.environ, 'LD_LIBRARY_PATH': str(library), 'PKG_CONFIG_PATH': str(library / 'pkgconfig'), 'PKG_CONFIG_SYSROOT_DIR': str(root),
           'PYTHONPATH': str(root / 'usr/lib/python3/dist-packages'), 'KARP_LIBRARY': str(library), 'PYTHONDONTWRITEBYTECODE': '1'}
    plan = run(root / 'usr/bin/karp', 'plan', '-f', SOURCE / 'examples/quickstart', env=env)
    assert 'Plan: 3 to launch' in plan, plan
    for package, program in (('karp-io', 'shared'), ('karp-io-static', 'static')):
        flags = run('pkg-config', '--cflags', '--libs', package, env=env).split()
        run('cc', SOURCE / 'examples/c/plan.c', '-o', folder / program, *flags, env=env)
        assert '"launches"' in run(folder / program, *sorted((SOURCE / 'examples/quickstart').glob('*.yaml')), env=env)
    run(sys.executable, '-c', 'import karp; s = karp.load(karp.example()); assert karp.verify(s, s.plan())', env=env, cwd=folder)
    assert (root / 'usr/lib/python3/dist-packages/karp/_bin/karp').resolve() == (root / 'usr/bin/karp').resolve(), 'python3 -m karp'


def main():
    keep = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None  # where what was built is put, to look at
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or not pathlib.Path('/etc/debian_version').exists():
        print('not there: ' + ' '.join(missing))
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tree = copy(folder)
        env = {key: value for key, value in os.environ.items() if key not in ('CC', 'CFLAGS', 'KARP_LIBRARY', 'PYTHONPATH')}
        env['DEB_BUILD_OPTIONS'] = 'parallel=2'
        run('dpkg-buildpackage', '--no-sign', '--no-check-builddeps', cwd=tree, env=env)
        debs = sorted(path for path in folder.glob('*.deb') if '-dbgsym_' not in path.name)
        if {path.name.split('_')[0] for path in debs} != PACKAGES:
            sys.exit(f'built are {[path.name for path in debs]}')
        changes = next(folder.glob('*.changes'))
        if keep is not None:
            keep.mkdir(exist_ok=True)
            for path in (path for path in folder.iterdir() if path.is_file()):
                shutil.copy(path, keep)
        said = run('lintian', '--allow-root', '--fail-on', 'error,warning', '--suppress-tags', SUPPRESSED, '--show-overrides', changes)
        print(said, end='')
        for deb in debs:
            print(f'{deb.name}: {deb.stat().st_size} bytes')
        check_installed(folder, debs)
    return 0


if __name__ == '__main__':
    sys.exit(main())
