# SPDX-License-Identifier: Apache-2.0
"""Kubernetes' controllers: the models give the answers of the real ones (../shared/twin/controllers), and those of
tests/cases/kube-scheduler/controllers.jsonl."""
import collections
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile

PATHS = [os.path.join(os.environ['KARP_SOURCE'], 'tests/cases/kube-scheduler/controllers.jsonl'),
         *sorted(glob.glob(os.path.join(os.environ['KARP_SHARED'], 'twin/controllers/*.jsonl')))]

# Why no model answers.
NOT_MODELLED = {
    'cronjob': 'test_cron_jobs.py asks karp replay',
}


def replicaset(case, order):
    """Where the order of the controller's cache matters, one of its possible answers."""
    expect = case['expect']
    count = min(case['in']['delete'], len(order))
    sets = [sorted(expect['delete'])] if expect['setIsFixed'] else [sorted(s) for s in expect['possibleSets']]
    if sorted(order[:count]) not in sets:
        return f'{order[:count]}, really {expect["delete"]}'
    return f'order {order}, really {expect["order"]}' if expect['orderIsFixed'] and order != expect['order'] else None


def budgets(real):
    return {name: [b['condition'] == 'False SyncFailed', *(b[k] for k in ('expectedPods', 'desiredHealthy', 'currentHealthy', 'disruptionsAllowed'))]
            for name, b in real.items()}


def pdb(case, ours):
    expect = case['expect']
    if ours['before'] != budgets(expect['before']):
        return f'before: {ours["before"]}, really {expect["before"]}'
    for (code, after), real in zip(ours['evictions'], expect['evictions'], strict=True):
        if [code, after] != [real['code'], budgets(real['after'])]:
            return f'{real["pod"]}: {code} {after}, really {real}'
    return None


def hpa(case, ours):
    for i, (step, real) in enumerate(zip(ours, case['expect'], strict=True)):
        wanted = [real['from'], real['to'], real.get('utilization', -1), real.get('averageMilli', -1)]
        # The status keeps what was seen before where nothing is measured, and failed metrics leave nothing.
        if step[:2] != wanted[:2] or (step[3] >= 0 and step != wanted):
            return f'look {i}: {step}, really {wanted}'
    return None


def frames(ours, really):
    """Both as lists of [second, state], of which only changes count: the real trace also has those of conditions."""
    def changes(list_):
        return [frame for i, frame in enumerate(list_) if i == 0 or frame[1] != list_[i - 1][1]]
    for mine, real in itertools.zip_longest(changes(ours), changes(really)):
        if mine != real:
            return f'{mine}, really {real}'
    return None


def deployment(case, ours):
    keys = ('template', 'size', 'pods', 'ready', 'available', 'terminating')
    return frames(ours, [[frame['t'], [[one[key] for key in keys] for one in frame['state']['sets']]] for frame in case['expect']])


def states(case, ours):
    return frames(ours, [[frame['t'], frame['state']] for frame in case['expect']])


def job(case, ours):
    absent = {'completedIndexes': '', 'failedIndexes': ''}
    return frames(ours, [[frame['t'], {**absent, **frame['state']}] for frame in case['expect']['trace']])


JUDGES = {'replicaset': replicaset, 'pdb': pdb, 'hpa': hpa, 'deployment': deployment, 'statefulset': states, 'podgarbage': states, 'job': job}


def main():
    cases, counts = [], collections.Counter()
    for path in PATHS:
        if os.path.exists(path):
            with open(path, encoding='utf-8') as lines:
                cases += [json.loads(line) for line in lines]
    unknown = {case['kind'] for case in cases} - set(JUDGES) - set(NOT_MODELLED)
    if unknown:
        sys.exit(f'kinds without a model or a reason: {unknown}')
    left_out = collections.Counter(case['kind'] for case in cases if case['kind'] in NOT_MODELLED)
    cases = [case for case in cases if case['kind'] in JUDGES]
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        json.dump({'cases': cases}, f)
        f.flush()
        done = subprocess.run([os.environ['KARP_KUBE_ANSWERS'], f.name], capture_output=True, text=True, check=True, timeout=60)
    problems = []
    rows = done.stdout.splitlines()
    if len(rows) != len(cases):
        sys.exit(f'{len(rows)} answers to {len(cases)} questions')
    for case, line in zip(cases, rows):
        counts[case['kind']] += 1
        problem = JUDGES[case['kind']](case, json.loads(line))
        if problem:
            problems.append(f'{case["name"]}: {problem}')
    print('\n'.join(problems[:20]))
    print(', '.join(f'{n} {kind}' for kind, n in sorted(counts.items())), f'and {len(problems)} differences')
    for kind, n in sorted(left_out.items()):
        print(f'{n} {kind} not modelled: {NOT_MODELLED[kind]}')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
