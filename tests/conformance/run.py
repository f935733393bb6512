# SPDX-License-Identifier: Apache-2.0
"""Karpenter's own answers: runs the conformance cases, which are kept beside the project and not in it.

    run.py [GLOB]    the cases whose id matches; all of them without GLOB. Skipped when the folder is absent.

Those of conformance/ are Karpenter 1.14's, the others 1.15's: each is decided under its version's profile.

The answers in conformance/ are those of a Karpenter whose sorts were made stable. Where Karpenter 1.15.0 as published always decides
otherwise, answers/ has its decision, with the case's id, which takes the place of the other.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = {'conformance': 'karpenter-1.14', 'conformance-1.15': 'karpenter-1.15', 'conformance-order': 'karpenter-1.15'}


def gather(cases, to):
    """The cases with our answers instead of theirs, as links; the folder."""
    out = to / 'cases'
    out.mkdir()
    for beside in cases.parent.iterdir():
        if beside.name != 'cases':
            (to / beside.name).symlink_to(beside)
    for file in cases.iterdir():
        ours = HERE / 'answers' / file.name
        (out / file.name).symlink_to(ours if ours.is_file() else file)
    return out


def check_folder(check, cases, profile, program):
    karp = f'{sys.executable} {HERE / "as_profile.py"} {profile} {program}'
    with tempfile.TemporaryDirectory() as scratch:
        arguments = ['--karp', karp, '--cases', str(gather(cases, pathlib.Path(scratch)))]
        only = ['--only', sys.argv[1]] if len(sys.argv) > 1 else []
        return subprocess.run([sys.executable, str(check), *arguments, *only], check=False).returncode


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
        worst = max(worst, check_folder(check, shared / folder / 'cases', profile, program))
    return worst


if __name__ == '__main__':
    sys.exit(main())
