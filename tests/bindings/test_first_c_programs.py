# SPDX-License-Identifier: Apache-2.0
"""First programs in C and C++ from the one-file release. Those of the other languages: tests/long/test_first_programs.py."""
import pathlib
import shutil
import sys
import tempfile

import compilers
import consumers
from consumers import stage

BUILD = pathlib.Path(consumers.os.environ['KARP_BUILD'])


def main():
    if shutil.which('c++') is None or not (BUILD / 'build.ninja').exists() or not list((BUILD / 'lib').glob('libkarp-io.so*')):
        print('there is no C++ compiler, or no libkarp-io in this build')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        release = pathlib.Path(folder)
        stage.sources(release / 'sources', BUILD)
        stage.one_file(release / 'sources', release)
        # libyaml's source is not part of the tree: here karp-io.c takes the one of the system.
        (release / 'bin').mkdir()
        for name, real in (('cc', compilers.quick()), ('c++', 'c++')):
            compiler = release / 'bin' / name
            compiler.write_text(f'#!/bin/sh\nexec {shutil.which(real)} "$@" $(case " $* " in *" -c "*) ;; *) echo -lyaml;; esac)\n')
            compiler.chmod(0o755)
        path = f'{release}/bin:{consumers.os.environ["PATH"]}'
        wrong = [found for language in ('c', 'cpp') if (found := consumers.run(release, language, PATH=path))]
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
