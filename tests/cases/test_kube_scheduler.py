# SPDX-License-Identifier: Apache-2.0
"""The model of kube-scheduler gives the answers of the real one: which nodes a pod may use and why not the others, every
score, the chosen node, whom it preempts, and the whole sequence when all pods are scheduled. A few worlds are in
tests/cases/kube-scheduler, more beside the repository (../shared/twin/scheduler)."""
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.environ['KARP_KUBE_ANSWERS']
HERE = os.path.join(os.environ['KARP_SOURCE'], 'tests/cases/kube-scheduler')
SHARED = os.path.join(os.environ['KARP_SHARED'], 'twin/scheduler/worlds')
CONFIGURATIONS = os.path.join(HERE, 'configurations.json') # one world under several: test_scheduler_config.py
# The sequences are made without DynamicResources, which adds nothing to pods without claims.
SILENT = {'DynamicResources'}


def read(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as f:
        return json.load(f)


def ask(world, *configuration):
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        json.dump({'objects': world['objects']}, f)
        f.flush()
        done = subprocess.run([PROGRAM, f.name, *configuration], capture_output=True, text=True, check=False, timeout=20)
    if done.returncode:
        return done.stderr, []
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [r for r in rows if 'pod' in r], [r for r in rows if 'bind' in r]


def differs(ours, real):
    """What differs in the answers about one pod."""
    def check(what, a, b):
        return [f'{what}: {a}, really {b}'] if a != b else []
    if real.get('gated') or ours.get('gated'):
        return check('gated', bool(ours.get('gated')), bool(real.get('gated')))
    before = real.get('rejectedBeforeNodes')
    out = check('before', ours.get('before'), [before['plugin'], before['code']] if before else None)
    out += check('feasible', sorted(ours['feasible']), real['feasible'])
    out += check('infeasible', ours['infeasible'], {i['node']: [i['plugin'], i['code']] for i in real.get('infeasible') or []} if not before else {})
    for plugin in sorted(set(real.get('scorePlugins', [])) - SILENT | {k[6:] for k in ours if k.startswith('score ')}):
        scores = {node: s['plugins'][plugin][:2] for node, s in real.get('scores', {}).items() if plugin in s['plugins']}
        out += check(plugin, ours.get(f'score {plugin}', {}), scores)
    out += check('total', ours.get('totals', {}), {node: s['total'] for node, s in real.get('scores', {}).items()})
    out += check('pick', ours.get('pick'), real.get('schedulerPick') or (real['feasible'][0] if real['feasible'] else None))
    preemption = real.get('preemption')
    if preemption is not None and not before:
        out += check('not eligible', bool(ours.get('notEligible')), bool(preemption.get('notEligible')))
        wanted = {c['node']: {'victims': c['victims'], 'violations': c.get('pdbViolations', 0)} for c in preemption.get('candidates') or []}
        out += check('candidates', ours.get('candidates', {}), wanted)
        out += check('best', sorted(ours.get('best', [])), preemption.get('best') or [])
    return out


def sequence(rows):
    out = []
    for r in rows:
        victims = r.get('victims') or []
        out.append((r['pod'], r.get('node') or None, r.get('nominated') or None, victims))
    return out


def our_sequence(rows):
    out = []
    for r in rows:
        nominated = r.get('nominated')
        node = next(iter(nominated)) if nominated else None
        out.append((r['bind'], r.get('node'), node, nominated[node]['victims'] if node else []))
    return out


def main():
    paths = sorted(set(glob.glob(os.path.join(HERE, '*.json'))) - {CONFIGURATIONS}) + sorted(glob.glob(os.path.join(SHARED, '*.json.gz')))
    if not paths:
        return 77
    problems, pods = [], 0
    for path in paths:
        world = read(path)
        name = os.path.basename(path).split('.')[0]
        ours, bound = ask(world)
        real = world['answers']['evaluate'].get('pods') or []
        if isinstance(ours, str) or [p['pod'] for p in ours] != [p['pod'] for p in real]:
            problems.append(f'{name}: {ours if isinstance(ours, str) else "other pods"}')
            continue
        pods += len(real)
        for a, b in zip(ours, real):
            problems += [f'{name} {a["pod"]} {d}' for d in differs(a, b)]
        a, b = our_sequence(bound), sequence(world['answers']['bind'].get('bindings') or [])
        if a != b:
            problems.append(f'{name} sequence: {next(x for x in zip(a + [None], b + [None]) if x[0] != x[1])}')
    print('\n'.join(problems[:60]))
    print(f'{len(paths)} worlds, {pods} pods, {len(problems)} differences')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
