# SPDX-License-Identifier: Apache-2.0
"""karp repack on churned clusters: cost, bound, evictions, seconds and memory, and what is wrong with any step (nothing should be).

    python3 tests/bench/repack.py build/karp [--nodes 30,300,1000,10000] [--effort 100ms] [--spread] [--budget 10%]
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from repacking import cluster, faults  # noqa: E402

given = argparse.ArgumentParser(description=__doc__)
given.add_argument('karp')
given.add_argument('--nodes', default='30,300,1000,10000')
given.add_argument('--effort', default='100ms')
given.add_argument('--budget', default='10%')
given.add_argument('--spread', action='store_true')
given = given.parse_args()
wrong = 0
for nodes in map(int, given.nodes.split(',')):
    listed = cluster(nodes, spread=given.spread, budget=given.budget)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'cluster.json'
        file.write_text(json.dumps(listed))
        begun = time.monotonic()
        said = subprocess.run([given.karp, 'repack', '-f', file, '--region', 'us-east-1', '--effort', given.effort, '-o', 'json', '--compact'],
                              capture_output=True, text=True, check=True)
        seconds = time.monotonic() - begun
    plan = json.loads(said.stdout)
    found = faults(listed, plan)
    wrong += len(found)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f'{nodes} nodes, {plan["pods"]} pods: {plan["costBefore"]:.2f} -> {plan["costAfter"]:.2f} $/h in {len(plan["steps"])} steps with '
          f'{plan["evictions"]} evictions, {100 * (plan["costAfter"] / plan["bound"] - 1):.1f} % above the bound; '
          f'{seconds:.1f} s, {memory:.0f} MiB so far{"; " + found[0] if found else ""}', flush=True)
sys.exit(wrong > 0)
