# SPDX-License-Identifier: Apache-2.0
"""What repack plans come to when they are carried out, step by step in virtual time, beside what they promise.

    python3 tests/bench/repack_replays.py build/karp [--nodes 20] [--seeds 5] [--write FOLDER]

Each fleet (repacking.cluster) is repacked and replayed three times: pods land as planned, where kube-scheduler puts them, and where it puts them
when it fills nodes up. A row a fleet: dollars an hour and evictions. `--write` leaves the clusters and plans there.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from repacking import cluster  # noqa: E402

given = argparse.ArgumentParser(description=__doc__)
given.add_argument('karp')
given.add_argument('--nodes', type=int, default=20)
given.add_argument('--seeds', type=int, default=5)
given.add_argument('--write')
given = given.parse_args()
REGION = ('--region', 'us-east-1')
WAYS = (('as planned', ('--as-planned',)), ('kube-scheduler', ()), ('MostAllocated', ('--most-allocated',)))


def ask(*arguments):
    return subprocess.run([given.karp, *arguments], capture_output=True, text=True, check=True).stdout


def main():
    print('| fleet | before | promised | ' + ' | '.join(name for name, _ in WAYS) + ' |')
    print('|---' * (3 + len(WAYS)) + '|')
    with tempfile.TemporaryDirectory() as own:
        folder = pathlib.Path(given.write or own)
        for seed in range(7, 7 + given.seeds):
            file, plan = folder / f'cluster-{seed}.json', folder / f'plan-{seed}.json'
            file.write_text(json.dumps(cluster(given.nodes, seed)))
            plan.write_text(ask('repack', '-f', file, *REGION, '--now', '2026-01-02T00:00:00Z', '-o', 'json'))
            said = json.loads(plan.read_text())
            cells = [f'{said["costBefore"]:.2f}', f'{said["costAfter"]:.2f}, {said["evictions"]}']
            for _, options in WAYS:
                replay = json.loads(ask('replay', '--nodepools', file, '--repack', plan, *REGION, *options, '-o', 'json'))
                came = replay['policies'][0]['repack']
                refused = sum(not step['done'] for step in came['steps'])
                cells.append(f'{came["costAfter"]:.2f}, {came["evictions"]}' + (f' ({refused} refused)' if refused else ''))
            print(f'| {seed} | ' + ' | '.join(cells) + ' |', flush=True)


if __name__ == '__main__':
    main()
