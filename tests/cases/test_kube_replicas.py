# SPDX-License-Identifier: Apache-2.0
"""Which pods a ReplicaSet deletes: the model gives the answers of Kubernetes' controller (../shared/twin/controllers), and those of
tests/cases/kube-scheduler/replicas.jsonl. Where the order of the controller's cache matters, one of its possible answers."""
import json
import os
import subprocess
import sys
import tempfile

PATHS = [os.path.join(os.environ['KARP_SOURCE'], 'tests/cases/kube-scheduler/replicas.jsonl'),
         os.path.join(os.environ['KARP_SHARED'], 'twin/controllers/replicaset.jsonl')]


def main():
    cases = []
    for path in PATHS:
        if os.path.exists(path):
            with open(path, encoding='utf-8') as lines:
                cases += [json.loads(line) for line in lines]
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        json.dump({'cases': cases}, f)
        f.flush()
        done = subprocess.run([os.environ['KARP_KUBE_ANSWERS'], f.name], capture_output=True, text=True, check=True, timeout=60)
    problems, several = [], 0
    rows = done.stdout.splitlines()
    if len(rows) != len(cases):
        sys.exit(f'{len(rows)} answers to {len(cases)} questions')
    for case, line in zip(cases, rows):
        order, expect = json.loads(line), case['expect']
        count = min(case['in']['delete'], len(order))
        sets = [sorted(expect['delete'])] if expect['setIsFixed'] else [sorted(s) for s in expect['possibleSets']]
        several += not expect['setIsFixed']
        if sorted(order[:count]) not in sets:
            problems.append(f'{case["name"]}: {order[:count]}, really {expect["delete"]}')
        if expect['orderIsFixed'] and order != expect['order']:
            problems.append(f'{case["name"]}: order {order}, really {expect["order"]}')
    print('\n'.join(problems[:20]))
    print(f'{len(cases)} cases, {several} of them with several answers, {len(problems)} differences')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
