# SPDX-License-Identifier: Apache-2.0
"""What consolidation would save, and how many pods it would move for that: policies x spot prices
x clusters, each for several nodes at once and for one.

    python3 sweep.py                                     four made clusters, on threads
    python3 sweep.py --executor dask prod.json test.json clusters of one's own (karp dump), on the workers of a dask cluster
    python3 sweep.py --rows rows.csv --plot plot.png     the rows as a table; cost against moves (needs matplotlib)
"""
from __future__ import annotations

import argparse
import contextlib
import csv
import itertools
import pathlib
import sys
from typing import Any, Dict, Iterator, List, Sequence

import karp

import clusters

POLICIES = ('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced')
METHODS = ('MultiNodeConsolidation', 'SingleNodeConsolidation')
COLUMNS = ('cost_before', 'cost_after', 'nodes', 'launches', 'moves')


def points(documents: Sequence[Dict[str, Any]], names: Sequence[str], prices: Sequence[float]) -> List[karp.Point]:
    """Points of one snapshot stand together: a worker is sent each snapshot of a task once."""
    made = []
    for (document, name), policy, spot in itertools.product(zip(documents, names), POLICIES, prices):
        snapshot = clusters.variant(document, policy, spot)
        made += [karp.Point(snapshot, disrupt=True, options={'method': method}, label=(name, policy, spot, method)) for method in METHODS]
    return made


@contextlib.contextmanager
def executor(engine: str, address: str) -> Iterator[Any]:
    """Where the work is done: anything with map()."""
    if engine == 'threads':
        yield None
    elif engine == 'dask':
        from dask.distributed import Client, LocalCluster
        local = contextlib.nullcontext(address) if address else LocalCluster(threads_per_worker=1, dashboard_address=None)
        with local as cluster, Client(cluster) as client:
            yield client.get_executor(pure=False)
    else:
        import ray
        from ray.util.multiprocessing import Pool
        ray.init(address=address or None, include_dashboard=False, log_to_driver=False)
        try:
            with Pool() as pool:
                yield pool
        finally:
            ray.shutdown()


def flat(row: Dict[str, Any]) -> Dict[str, Any]:
    name, policy, spot, method = row['label']
    return {'cluster': name, 'policy': policy, 'spot': spot, 'method': method, **{column: row[column] for column in COLUMNS},
            'sha256': row['sha256'], 'version': row['version']}


def write_rows(rows: Sequence[Dict[str, Any]], path: str) -> None:
    """Numbers as Python shows them: equal bits are equal text."""
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def print_table(rows: Sequence[Dict[str, Any]]) -> None:
    print(f'{"policy":26}{"method":25}{"spot":>5}{"$/h before":>12}{"$/h after":>11}{"saved":>7}{"moves":>7}{"nodes":>7}')

    def key(row: Dict[str, Any]) -> Any:
        return POLICIES.index(row['policy']), row['method'], row['spot']
    for (policy, method, spot), group in itertools.groupby(sorted(rows, key=key), key=key):
        some = list(group)
        before, after = (sum(row[name] for row in some) for name in ('cost_before', 'cost_after'))
        moves, nodes = (sum(row[name] for row in some) for name in ('moves', 'nodes'))
        saved = 1 - after / before if before else 0.0
        print(f'{POLICIES[policy]:26}{method:25}{spot:5.2f}{before:12.3f}{after:11.3f}{saved:7.1%}{moves:7}{nodes:7}')


def plot(rows: Sequence[Dict[str, Any]], path: str) -> None:
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for policy, marker in zip(POLICIES, 'o^s'):
        some = [row for row in rows if row['policy'] == policy]
        axes.scatter([row['moves'] for row in some], [row['cost_after'] / (row['cost_before'] or 1) for row in some], marker=marker,
                     s=[40 * row['spot'] for row in some], alpha=0.7, label=policy)
    axes.set_xlabel('pods moved by the next disruption')
    axes.set_ylabel('cost after, as a part of the cost before')
    axes.legend(title='size: factor of spot prices')
    figure.savefig(path, dpi=120)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('cluster', nargs='*', help='what `karp -f` reads; without any, clusters are made')
    parser.add_argument('--made', type=int, default=4, help='how many clusters to make')
    parser.add_argument('--nodes', type=int, default=60, help='nodes of a made cluster')
    parser.add_argument('--prices', type=float, nargs='+', default=[0.7, 1.0, 1.3], help='factors of spot prices')
    parser.add_argument('--executor', choices=('threads', 'dask', 'ray'), default='threads')
    parser.add_argument('--address', default='', help='of a dask or Ray cluster that is there; without one, it is started here')
    parser.add_argument('--rows', help='write the rows there, as CSV')
    parser.add_argument('--plot', help='draw cost against moves there')
    given = parser.parse_args(arguments)
    documents = [clusters.document_of(karp.load(path)) for path in given.cluster]
    names = [pathlib.Path(path).name for path in given.cluster]
    if not documents:
        documents = [clusters.cluster(seed, given.nodes) for seed in range(given.made)]
        names = [f'made-{seed}' for seed in range(given.made)]
    wanted = points(documents, names, given.prices)
    with executor(given.executor, given.address) as pool:
        rows = [flat(row) for row in karp.sweep(wanted, columns=COLUMNS, executor=pool)]
    print_table(rows)
    if given.rows:
        write_rows(rows, given.rows)
    if given.plot:
        plot(rows, given.plot)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
