# SPDX-License-Identifier: Apache-2.0
"""Replays of stories that a real control plane has played: 100 seeds agree with what happened there. docs/twin.md has the table."""
import pathlib
import sys

from stories import check, finish

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'real'))
import agree  # noqa: E402

# Figures that do not agree, and why: docs/twin.md.
KNOWN = {
    ('preempt', 'evictions'), ('fifty', 'p99'),
}


def main():
    told = list(agree.stories(pathlib.Path(agree.__file__).parent / 'recordings'))
    check(len(told) >= 20 and all(len(runs) >= 3 for _, runs in told), f'stories: {[(story.stem, len(runs)) for story, runs in told]}')
    for story, runs in told:
        for name, why in agree.outside(runs, agree.replays(story, runs)).items():
            check((story.stem, name) in KNOWN, f'{story.stem}, {name}: {why}')
    finish()


main()
