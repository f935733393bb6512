#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays stories on a real control plane now, and holds replays and decisions to what happens: not part of continuous integration.

    meson test -C build --setup all --suite real

KARP_PLANE is the folder with the programs of plane.py, which are built there unless they are (build/plane). STORIES names stories of recordings/ (budgets cron stays).
"""
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'cases')]
from stories import check, finish  # noqa: E402


def main():
    if not shutil.which('go') or not shutil.which('openssl'):
        sys.exit(77)
    import agree
    import decisions
    import record

    programs = pathlib.Path(os.environ.get('KARP_PLANE', pathlib.Path(os.environ.get('KARP_BUILD', 'build'), 'plane'))).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        names = os.environ.get('STORIES', 'budgets cron stays').split()
        for name in (*(f'{story}.yaml' for story in names), 'types.json'):
            shutil.copy(HERE / 'recordings' / name, folder)
        kubectl = shutil.which('kubectl')
        if kubectl:
            os.environ['RECORD_WITH'] = os.environ['KARP']
        record.record_all(programs, [folder / f'{name}.yaml' for name in names], folder, runs=1, at_once=len(names))
        for story, runs in agree.stories(folder):
            check(not runs[0]['spoiled'], f"{story.stem}: the machine has too much else to do: {runs[0]['late']}")
            ours = agree.replays(story, runs)
            for name, part, more in (('dollars', .05, 0), ('nodeHours', .05, 0), ('launches', 0, 1)):  # one run is not their median
                least, most = min(one[name] for one in ours) * (1 - part) - more, max(one[name] for one in ours) * (1 + part) + more
                check(least <= runs[0][name] <= most, f'{story.stem}, {name}: {runs[0][name]}, predicted {least} to {most}')
            counts = decisions.judged(story.with_suffix('.1.jsonl.gz'), folder / 'types.json', folder / 'lines.jsonl')
            check(counts[decisions.DIFFERENT] == 0, f'{story.stem}: {decisions.said(counts)}')
            if kubectl:
                same = decisions.asked(story.with_suffix('.1.karp.jsonl'), folder / 'types.json')
                check(same == (counts[decisions.EQUAL], counts[decisions.IN_KIND], counts[decisions.DIFFERENT]), f'{story.stem}, as karp recorded it: {same}, not {counts}')
    finish()


main()
