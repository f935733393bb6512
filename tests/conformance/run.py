# SPDX-License-Identifier: Apache-2.0
"""Karpenter's own answers: runs the conformance cases, which are kept beside the project and not in it.

    run.py [GLOB]    the cases whose id matches; all of them without GLOB. Skipped when the folder is absent.

Those of conformance/ are Karpenter 1.14's, those of conformance-1.15/ are 1.15's: each is decided under its version's profile.
"""
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = {'conformance': 'karpenter-1.14', 'conformance-1.15': 'karpenter-1.15'}


def main():
    shared = pathlib.Path(os.environ['KARP_SHARED'])
    check = shared / 'conformance' / 'check.py'
    program = os.environ.get('KARP')
    if not check.is_file():
        print(f'{shared}: no conformance cases')
        return SKIPPED
    if not program:
        print('the program karp was not built')
        return SKIPPED
    worst = 0
    for folder, profile in FOLDERS.items():
        if not (shared / folder / 'cases').is_dir():
            continue
        karp = f'{sys.executable} {HERE / "as_profile.py"} {profile} {program}'
        arguments = ['--karp', karp, '--cases', str(shared / folder / 'cases'), *(['--only', sys.argv[1]] if len(sys.argv) > 1 else [])]
        worst = max(worst, subprocess.run([sys.executable, str(check), *arguments], check=False).returncode)
    return worst


if __name__ == '__main__':
    sys.exit(main())
