# SPDX-License-Identifier: Apache-2.0
"""programs/saving.*, one program in five languages, written from docs/ alone, print the same: of each input, and of one that is refused.

    test_programs.py [all]    those in C, C++ and Python; all: also Go and Rust, which compile the library
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
sys.path[:0] = [str(SOURCE / 'bindings'), str(SOURCE / 'tests/bindings')]
sys.dont_write_bytecode = True
import compilers  # noqa: E402
import stage  # noqa: E402

HERE = SOURCE / 'tests/examples/programs'
INPUTS = {
    SOURCE / 'examples/quickstart': r'3 nodes to launch\npending ml/train-0 TYPE_RESOURCES\n\$0\.6145/h, the cheapest \$0\.5285/h\n0 commands\n[0-9a-f]{64}\n',
    HERE / 'idle.yaml': r'0 nodes to launch\npending default/too-much TYPE_RESOURCES\n\$0\.0000/h, the cheapest \$0\.0000/h\n1 commands\n[0-9a-f]{64}\n',
}
LIBRARIES = ['-I', SOURCE / 'include', '-L', BUILD / 'lib', '-lkarp-io', '-lkarp']


def run(*words, **more):
    subprocess.run([str(word) for word in words], check=True, **more)


def in_c(folder):
    run(*os.environ.get('KARP_CC', 'cc').split(), '-std=c11', '-Wall', '-Wextra', '-Werror', HERE / 'saving.c', '-o', folder / 'c', *LIBRARIES)
    return [folder / 'c']


def in_cpp(folder):
    run('c++', '-std=c++17', '-Wall', '-Wextra', '-Werror', HERE / 'saving.cpp', '-o', folder / 'cpp', *LIBRARIES)
    return [folder / 'cpp']


def in_python(_):
    return [sys.executable, HERE / 'saving.py']


def in_go(folder):
    (folder / 'go').mkdir()
    shutil.copy(HERE / 'saving.go', folder / 'go/main.go')
    (folder / 'go/go.mod').write_text(f'module saving\n\ngo 1.24\n\nrequire {stage.GO_MODULE} v0.0.0\n\nreplace {stage.GO_MODULE} => {SOURCE}/bindings/go\n')
    environment = {**os.environ, 'PKG_CONFIG_PATH': str(BUILD / 'meson-uninstalled'), 'GOTOOLCHAIN': 'local', 'GOPROXY': 'off', 'CGO_ENABLED': '1'}
    run('go', 'build', '-buildvcs=false', '-tags', 'libkarp', '-o', folder / 'go/saving', '.', cwd=folder / 'go', env=environment)
    return [folder / 'go/saving']


def in_rust(folder):
    stage.sources(folder / 'sources', BUILD)
    stage.rust(folder / 'sources', folder / 'crates')
    (folder / 'rust/src').mkdir(parents=True)
    shutil.copy(HERE / 'saving.rs', folder / 'rust/src/main.rs')
    (folder / 'rust/Cargo.toml').write_text('[package]\nname = "saving"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\nkarp = { path = "../crates/karp" }\n')
    run('cargo', 'build', '--offline', '--quiet', cwd=folder / 'rust', env={**os.environ, 'CC': compilers.quick(), 'CARGO_TARGET_DIR': str(folder / 'target')})
    return [folder / 'target/debug/saving']


def ask(language, program, problems):
    """What it prints of each input."""
    environment = {**os.environ, 'LD_LIBRARY_PATH': str(BUILD / 'lib'), 'KARP_LIBRARY': str(BUILD / 'lib'), 'PYTHONPATH': str(SOURCE / 'bindings/python')}

    def answer(*paths):
        return subprocess.run([*program, *paths], env=environment, capture_output=True, text=True)
    printed = []
    for path, wanted in INPUTS.items():
        done = answer(path)
        printed.append(done.stdout)
        if done.returncode or not re.fullmatch(wanted, done.stdout):
            problems.append(f'{language}, {path.name}: status {done.returncode}\n{done.stdout}{done.stderr}')
    done = answer(*INPUTS)
    if done.returncode != 1 or 'NodePool default' not in done.stderr:
        problems.append(f'{language}: what is there twice: status {done.returncode}\n{done.stdout}{done.stderr}')
    return tuple(printed)


def main():
    languages = {'cc': in_c, 'c++': in_cpp, 'python3': in_python, **({'go': in_go, 'cargo': in_rust} if sys.argv[1:] == ['all'] else {})}
    problems, printed = [], set()
    if not (BUILD / 'lib/libkarp-io.so').exists():
        print('there is no shared libkarp-io in this build')
        return 77
    with tempfile.TemporaryDirectory() as name:
        for tool, build in languages.items():
            if shutil.which(tool) is None:
                print(f'there is no {tool}')
                continue
            printed.add(ask(tool, build(pathlib.Path(name)), problems))
    if len(printed) > 1:
        problems.append(f'they print different things: {printed}')
    print('\n'.join(problems) or f'{len(languages)} languages')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
