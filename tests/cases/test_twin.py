# SPDX-License-Identifier: Apache-2.0
"""Replays of stories that a real control plane has played: on average they cost what it cost. docs/twin.md has the table."""
import pathlib
import sys

from stories import check, finish

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'real'))
import agree  # noqa: E402

SEEDS = 10


def main():
    told = list(agree.stories(pathlib.Path(agree.__file__).parent / 'recordings'))
    check(len(told) == 2, f'stories: {[story.stem for story, _ in told]}')
    for story, runs in told:
        ours = [agree.predicted(story, runs, seed) for seed in range(1, SEEDS + 1)]
        # Predictions differ among themselves as runs do, so that their mean is compared with the span of the runs.
        for name, beyond in (('dollars', .02), ('nodeHours', .06), ('launches', .05)):
            mean = sum(one[name] for one in ours) / SEEDS
            recorded = [one[name] for one in runs]
            check(min(recorded) * (1 - beyond) <= mean <= max(recorded) * (1 + beyond), f'{story.stem}, {name}: {mean:.4f}, recorded {recorded}')
        nearest = min(one['apart'] for one in ours)
        check(nearest < .75, f'{story.stem}: the nearest curve of nodes is {nearest:.2f} nodes apart')
    finish()


main()
