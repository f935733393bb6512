# SPDX-License-Identifier: Apache-2.0
"""Builds by gcc and each clang there is, at every level of optimisation, and with unsigned char, decide the same, byte for byte."""
import pathlib
import shutil
import sys
import tempfile

from answers import answers, build, differences

CLANGS = [name for name in ('clang-14', 'clang-19') if shutil.which(name)] or ['clang']
BUILDS = [('gcc', [f'-Doptimization={level}']) for level in range(4)]
BUILDS += [(clang, [f'-Doptimization={level}']) for clang in CLANGS for level in range(4)]
BUILDS += [(compiler, ['-Doptimization=2', '-Dc_args=-funsigned-char']) for compiler in ('gcc', CLANGS[-1])]
EVERY = 5  # of the conformance cases


def main():
    if not shutil.which('meson') or not shutil.which('ninja'):
        print('meson and ninja are needed')
        return 77
    builds = [(cc, options) for cc, options in BUILDS if shutil.which(cc)]
    if not any(cc != 'gcc' for cc, _ in builds):
        print('no second compiler')
        return 77
    first, parted = None, 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (compiler, options) in enumerate(builds):
            got = answers([build(pathlib.Path(folder) / str(number), compiler, options)], EVERY)
            first = first or got
            parted += differences(' '.join([compiler, *options]), first, got)
    return 1 if parted else 0


if __name__ == '__main__':
    sys.exit(main())
