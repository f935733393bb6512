# SPDX-License-Identifier: Apache-2.0
"""Examples as of each tag of this major version compile with the headers of now, and run with the library of now.

    test_tagged.py [all]    programs in C, C++ and Python; all: also those in Go and Rust
"""
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
sys.path[:0] = [str(SOURCE / 'tests/abi')]
import previous  # noqa: E402
import test_programs  # noqa: E402


def git(*words):
    return subprocess.run(['git', *words], cwd=SOURCE, capture_output=True)


def examples_of(tag, folder):
    """examples/c and tests/examples/programs as they were."""
    archive = git('archive', tag, 'examples/c', 'tests/examples/programs').stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as inside:
        inside.extractall(folder)
    return folder


def problems_of(tag, languages):
    with tempfile.TemporaryDirectory() as name:
        old = examples_of(tag, pathlib.Path(name, 'old'))
        for program in previous.PROGRAMS:
            source = old / f'examples/c/{program}.c'
            if source.exists():
                try:
                    if not previous.run_program(program, SOURCE / 'include', source, name, BUILD / 'lib'):
                        yield f'{tag}: {program}.c prints nothing'
                except subprocess.CalledProcessError as error:
                    yield f'{tag}: {program}.c: {error}'
        test_programs.HERE = old / 'tests/examples/programs'
        for language in languages:
            folder = pathlib.Path(name, language.__name__)
            folder.mkdir()
            found = []
            try:
                test_programs.ask(language.__name__, language(folder), found)
            except subprocess.CalledProcessError as error:
                found.append(str(error))
            yield from (f'{tag}: saving, {problem}' for problem in found)


def main():
    if not list((BUILD / 'lib').glob('libkarp-io.so')):
        print('there are no shared libraries to link')
        return 77
    tags = git('tag', '--list', f'v{test_programs.stage.MAJOR}.*').stdout.decode().split()
    if not tags:
        print('no release is tagged here')
        return 77
    if subprocess.run(['sh', '-c', 'command -v c++'], stdout=subprocess.DEVNULL).returncode:
        print('there is no c++')
        return 77
    languages = [test_programs.in_c, test_programs.in_cpp, test_programs.in_python]
    if sys.argv[1:] == ['all']:
        languages += [test_programs.in_go, test_programs.in_rust]
    problems = [problem for tag in tags for problem in problems_of(tag, languages)]
    print('\n'.join(problems) or f'the examples of {", ".join(tags)} compile and run')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
