# SPDX-License-Identifier: Apache-2.0
"""karp.c and karp-io.c by zig's C compiler for Linux (glibc, musl), macOS and Windows, and for all but the last the program: C11
without a warning. macOS and Windows for one processor each, or with the argument `all` (suite long) all for x86-64 and arm64. Skipped where zig
(`pip install ziglang`) is missing. What is made for those systems is opened by
tests/long/test_wheels.py."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
sys.path.insert(0, str(SOURCE / 'bindings'))
import stage  # noqa: E402

TARGETS = [f'{cpu}-{system}' for system in ('linux-gnu', 'linux-musl', 'macos', 'windows-gnu') for cpu in ('x86_64', 'aarch64')]
USUAL = ['aarch64-macos', 'x86_64-windows-gnu']  # each processor; Linux is what the other tests compile for
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wsign-conversion', '-Wstrict-prototypes', '-Werror']
QUICKLY = ['-O0', '-g0', '-fno-sanitize=undefined'] # nobody runs what is made; zig adds both of itself


def zig():
    if importlib.util.find_spec('ziglang'):
        return [sys.executable, '-m', 'ziglang']
    return ['zig'] if shutil.which('zig') else None


def sources(folder):
    """What is compiled, and the yaml.h of this system, which declares the same on every other."""
    names = [name for name in ('karp.c', 'karp-io.c') if subprocess.run(['ninja', '-C', BUILD, f'lib/{name}'], capture_output=True).returncode == 0]
    for name in names:
        shutil.copy(BUILD / 'lib' / name, folder)
        shutil.copy((BUILD / 'lib' / name).with_suffix('.h'), folder)
    if 'karp-io.c' in names:
        stage.cli(folder)
        names.append('karp-cli.c')
    found = subprocess.run(['pkg-config', '--variable=includedir', 'yaml-0.1'], capture_output=True, text=True).stdout.strip()
    if found:
        shutil.copy(pathlib.Path(found, 'yaml.h'), folder)
    return [name for name in names if name != 'karp-io.c' or found]


def main():
    compiler = zig()
    if compiler is None or not shutil.which('ninja'):
        print('there is no zig (pip install ziglang), or no ninja')
        return 77
    targets = TARGETS if 'all' in sys.argv[1:] else USUAL
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, 'ZIG_LOCAL_CACHE_DIR': str(folder / 'cache')}  # what was compiled before says no warnings
        names = sources(folder)
        for target in targets:
            for source in names if 'windows' not in target else names[:2]:
                done = subprocess.run([*compiler, 'cc', '-target', target, '-std=c11', *QUICKLY, *WARNINGS, '-I.', '-c', source, '-o', 'made.o'], cwd=folder,
                                      env=environment, capture_output=True, text=True)
                if done.returncode or done.stderr:
                    wrong += 1
                    print(f'{source} for {target}:\n{done.stderr[:2000]}', flush=True)
        print(' '.join([*targets, *names]))
    return 1 if wrong or not names else 0


if __name__ == '__main__':
    sys.exit(main())
