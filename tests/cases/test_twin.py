# SPDX-License-Identifier: Apache-2.0
"""Replays of stories that a real control plane has played: the seeds cover what happened there. docs/twin.md has the table."""
import pathlib
import sys

from stories import check, finish

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'real'))
import agree  # noqa: E402

SEEDS = 20
BEYOND = {'dollars': .02, 'nodeHours': .02, 'launches': 0, 'evictions': 0}  # the seeds' span is widened by this part
MORE = {'evictions': 2}  # and by so many


def main():
    told = list(agree.stories(pathlib.Path(agree.__file__).parent / 'recordings'))
    check(len(told) >= 11, f'stories: {[story.stem for story, _ in told]}')
    for story, runs in told:
        ours = [agree.predicted(story, runs, seed) for seed in range(1, SEEDS + 1)]
        for name, beyond in BEYOND.items():
            least, most = min(one[name] for one in ours), max(one[name] for one in ours)
            for one in runs:
                check(name not in one or least * (1 - beyond) - MORE.get(name, 0) <= one[name] <= most * (1 + beyond) + MORE.get(name, 0), f'{story.stem}, {name}: {least} to {most}, recorded {one.get(name)}')
            mean = sum(one[name] for one in ours) / SEEDS
            if name in ('dollars', 'launches'):
                recorded = [one[name] for one in runs]
                check(min(recorded) * .91 <= mean <= max(recorded) * 1.09 or name == 'launches' and abs(mean - recorded[0]) < 1.1, f'{story.stem}, {name}: mean {mean}')
        nearest = min(one['apart'] for one in ours)
        check(nearest < .5, f'{story.stem}: the nearest curve of nodes is {nearest:.2f} nodes apart')
    finish()


main()
