# SPDX-License-Identifier: Apache-2.0
"""Every C file is as clang-format 14 with .clang-format writes it; tests/abi/previous keeps headers as they were released."""
import shutil
import subprocess
import sys

import tree

AT_ONCE = 100


def main():
    program = shutil.which('clang-format-14')
    if program is None:
        print('skipped: there is no clang-format-14')
        return 77
    paths = [path for path in tree.files('.c', '.h') if path.parts[:3] != ('tests', 'abi', 'previous')]
    faults = []
    for start in range(0, len(paths), AT_ONCE):
        done = subprocess.run([program, '--dry-run', '--ferror-limit=1', *map(str, paths[start:start + AT_ONCE])],
                              cwd=tree.SOURCE, capture_output=True, text=True, check=True)
        faults += [line for line in done.stderr.splitlines() if 'clang-format-violations' in line]
    return tree.report(faults, len(paths))


if __name__ == '__main__':
    sys.exit(main())
