# SPDX-License-Identifier: Apache-2.0
"""What a day would have cost: consolidateAfter x budgets x policies, each replayed in virtual time.

    python3 replays.py                               a made day, on threads
    python3 replays.py --executor dask --hours 24    on the workers of a dask cluster
    python3 replays.py --rows rows.csv story.yaml    a trace of one's own, on the pool of this file
"""
from __future__ import annotations

import argparse
import datetime
import itertools
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import karp

from sweep import executor, write_rows

AFTER = ('30s', '5m', '30m')
BUDGETS = ('10%', '50%')
COLUMNS = ('dollars', 'idle_dollars', 'node_hours', 'nodes_most', 'evictions', 'pending_p99')


class Run(NamedTuple):
    """One replay: what a worker is sent."""
    trace: Union[str, Dict[str, Any]]
    after: str
    budget: str
    policies: Sequence[str]
    region: str
    hours: Optional[float]


def pool(after: str, budget: str) -> List[Dict[str, Any]]:
    nodes = {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}
    wanted = [('karpenter.sh/capacity-type', ['on-demand']), ('karpenter.k8s.aws/instance-family', ['m6i', 'c6i', 'r6i'])]
    return [{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'general'}, 'spec': {
        'template': {'spec': {'nodeClassRef': nodes, 'requirements': [
            {'key': key, 'operator': 'In', 'values': values} for key, values in wanted]}},
        'disruption': {'consolidateAfter': after, 'budgets': [{'nodes': budget}]}}},
        {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'},
         'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'role': 'nodes'}}]


def replicas(number: int, hour: int) -> int:
    """A working day: few at night, most at noon, as an autoscaler would have it."""
    return 2 + (number + 1) * max(0, 6 - abs(hour % 24 - 12 - number))


def day(deployments: int = 3, hours: int = 24) -> Dict[str, Any]:
    """A story of Deployments whose peaks follow each other."""
    made = [{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': f'app-{i}'}, 'spec': {
        'replicas': replicas(i, 0), 'selector': {'matchLabels': {'app': f'app-{i}'}}, 'template': {
            'metadata': {'labels': {'app': f'app-{i}'}}, 'spec': {'containers': [{'name': 'main', 'resources': {
                'requests': {'cpu': f'{500 + 250 * i}m', 'memory': f'{1 + i}Gi'}}}]}}}} for i in range(deployments)]
    steps: List[Dict[str, Any]] = []
    for hour in range(1, hours):
        steps.append({'wait': '1h'})
        steps += [{'scale': {'deployment': f'app-{i}', 'replicas': replicas(i, hour)}} for i in range(deployments)
                  if replicas(i, hour) != replicas(i, hour - 1)]
    return {'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': made,
            'steps': steps + [{'wait': '1h'}]}


def replay(run: Run) -> List[Dict[str, Any]]:
    """What a worker does: a row for each policy."""
    until = None if run.hours is None else datetime.timedelta(hours=run.hours)
    found = karp.replay(run.trace, objects=pool(run.after, run.budget), policies=run.policies, region=run.region, until=until)
    return [{'consolidateAfter': run.after, 'budget': run.budget, 'policy': row['policy'], **{name: row[name] for name in COLUMNS}}
            for row in found.table('policies').rows()]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('trace', nargs='?', help='what `karp replay` reads; without one, a day is made')
    parser.add_argument('--policy', nargs='+', default=['karpenter', 'cost'])
    parser.add_argument('--region', default='us-west-2')
    parser.add_argument('--hours', type=float, help='end so long after the beginning')
    parser.add_argument('--executor', choices=('threads', 'dask', 'ray'), default='threads')
    parser.add_argument('--address', default='', help='of a dask or Ray cluster that is there; without one, it is started here')
    parser.add_argument('--rows', help='write the rows there, as CSV')
    given = parser.parse_args(arguments)
    trace = given.trace or day()
    runs = [Run(trace, after, budget, given.policy, given.region, given.hours) for after, budget in itertools.product(AFTER, BUDGETS)]
    rows: List[Dict[str, Any]] = []
    with executor(given.executor, given.address) as workers:
        if workers is None:
            from concurrent.futures import ThreadPoolExecutor
            workers = ThreadPoolExecutor()
        for number, found in enumerate(workers.map(replay, runs), 1):
            rows += found
            print(f'\r{number} of {len(runs)} replays', end='', file=sys.stderr)
    print(file=sys.stderr)
    print(f'{"consolidateAfter":18}{"budget":>7}  {"policy":16}{"$":>9}{"idle $":>9}{"evictions":>11}{"pending p99":>13}')
    for row in rows:
        print(f'{row["consolidateAfter"]:18}{row["budget"]:>7}  {row["policy"]:16}{row["dollars"]:9.2f}{row["idle_dollars"]:9.2f}'
              f'{row["evictions"]:11}{row["pending_p99"]:11.0f} s')
    if given.rows:
        write_rows(rows, given.rows)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
