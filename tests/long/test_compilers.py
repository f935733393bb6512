# SPDX-License-Identifier: Apache-2.0
"""Builds by gcc and clang, without and with optimisation, and with unsigned char, decide the same, byte for byte."""
import pathlib
import shutil
import sys
import tempfile

from answers import answers, build, differences

BUILDS = [('gcc', ['-Doptimization=0']), ('gcc', ['-Doptimization=3']), ('gcc', ['-Doptimization=2', '-Dc_args=-funsigned-char']),
          ('clang', ['-Doptimization=0']), ('clang', ['-Doptimization=3'])]
EVERY = 5  # of the conformance cases


def main():
    if not shutil.which('meson') or not shutil.which('ninja'):
        print('meson and ninja are needed')
        return 77
    builds = [(cc, options) for cc, options in BUILDS if shutil.which(cc)]
    if len({cc for cc, _ in builds}) < 2:
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
