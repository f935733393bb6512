# SPDX-License-Identifier: Apache-2.0
"""examples/sweep on threads: its rows are what each snapshot, and each replay, answers by itself."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])


def check(folder):
    import clusters
    import sweep
    made = [clusters.cluster(seed, 12) for seed in range(2)]
    assert clusters.cluster(1, 12) == made[1] and made[0] != made[1]
    paths = [folder / f'{i}.json' for i in range(2)]
    for path, document in zip(paths, made):
        path.write_text(json.dumps(document))
    assert sweep.main([*map(str, paths), '--prices', '0.5', '2', '--rows', str(folder / 'rows.csv')]) == 0
    with open(folder / 'rows.csv', encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(sweep.POLICIES) * 2 * len(sweep.METHODS)
    for row in rows:
        document = made[paths.index(folder / row['cluster'])]
        snapshot = clusters.variant(document, row['policy'], float(row['spot']))
        passed = snapshot.disrupt(method=row['method'])
        assert row['sha256'] == snapshot.sha256 and float(row['cost_after']) == passed.cost.after
        assert int(row['moves']) == sum(len(command.pods) for command in passed.commands)
    by_policy = {policy: [row for row in rows if row['policy'] == policy] for policy in sweep.POLICIES}
    assert all(int(row['moves']) == 0 for row in by_policy['WhenEmpty'])
    assert any(float(row['cost_after']) < float(row['cost_before']) for row in by_policy['WhenEmptyOrUnderutilized'])
    # Prices are other prices.
    assert len({row['cost_before'] for row in by_policy['WhenEmpty'] if row['cluster'] == '0.json'}) == 2
    # Without files clusters are made.
    assert sweep.main(['--made', '1', '--nodes', '4', '--prices', '1']) == 0


def check_replays(folder):
    import karp
    import replays
    path = folder / 'replays.csv'
    assert replays.main(['--hours', '9', '--policy', 'karpenter', '--rows', str(path)]) == 0
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    assert [(row['consolidateAfter'], row['budget']) for row in rows] == [(a, b) for a in replays.AFTER for b in replays.BUDGETS]
    last = karp.replay(replays.day(), objects=replays.pool('30m', '50%'), region='us-west-2', until='2026-03-02T09:00:00Z').table()
    assert float(rows[-1]['dollars']) == last['dollars'][0] > 0 and int(rows[-1]['evictions']) == last['evictions'][0]


def main():
    library = next((BUILD / 'lib').glob('libkarp-io.so.1'), None)
    if library is None or b'__asan_init' in library.read_bytes():
        print('there are no shared libraries that this interpreter could load')
        return 77
    if 'KARP_LIBRARY' not in os.environ:
        paths = [SOURCE / 'bindings/python', SOURCE / 'examples/sweep']
        environment = {**os.environ, 'KARP_LIBRARY': str(BUILD / 'lib'), 'PYTHONPATH': os.pathsep.join(map(str, paths))}
        return subprocess.run([sys.executable, __file__], env=environment).returncode
    with tempfile.TemporaryDirectory() as folder:
        check(pathlib.Path(folder))
        check_replays(pathlib.Path(folder))
    return 0


if __name__ == '__main__':
    sys.exit(main())
