# SPDX-License-Identifier: Apache-2.0
"""A selector that leaves pods out (NotIn, DoesNotExist) decides as one that names all others: the library counts the first kind by those
that are left out."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import traps
from traps import HOST, lines, own_node, pod, pool_named

KARP = os.environ['KARP']
REQUIRED, PREFERRED = 'requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'
COMMANDS = ('plan',), ('plan', '--objective', 'cost', '--effort', '10ms'), ('disrupt',), ('repack',), ('whatif', '--remove', 'n0')
OF_THE_INPUT = 'sha256', 'steps', 'selector', 'cause', 'preferred'  # the last three show the selector


def selector(rng, apps, positive):
    """Two selectors of the same pods: by whom they leave out, by whom they name."""
    out = sorted(rng.sample(apps, rng.randint(1, min(3, len(apps) - 1))))
    how = len(''.join(out)) + int(out[0], 16)  # of equal pods there is one selector
    rest = [a for a in apps if a not in out]
    named = {'matchExpressions': [{'key': 'app', 'operator': 'In', 'values': rest}]}
    if how % 2:
        left = {'matchExpressions': [{'key': 'app', 'operator': 'NotIn', 'values': out}]}
    else:
        left = {'matchExpressions': [{'key': f'is-{a}', 'operator': 'DoesNotExist'} for a in out]}
    if how % 3 == 0:
        left['matchExpressions'] += [{'key': 'app', 'operator': 'Exists'}]
    return named if positive else left


def rule(rng, apps, positive):
    kind, own = rng.choice(['podAntiAffinity', 'podAntiAffinity', 'podAffinity', 'spread']), selector(rng, apps, positive)
    if kind == 'spread':
        return {'topologySpreadConstraints': [{'maxSkew': rng.randint(1, 2), 'topologyKey': HOST, 'labelSelector': own,
                                               'whenUnsatisfiable': rng.choice(['DoNotSchedule', 'ScheduleAnyway'])}]}
    term = {'topologyKey': HOST, 'labelSelector': own}
    if rng.random() < 0.4:
        return {'affinity': {kind: {PREFERRED: [{'weight': 1, 'podAffinityTerm': term}]}}}
    return {'affinity': {kind: {REQUIRED: [term]}}}


def cluster(seed, positive):
    rng = random.Random(seed)
    apps = [f'{rng.getrandbits(48):x}' for _ in range(rng.randint(4, 12))]  # no two pairs of which Karpenter takes for one another
    objects = [own_node(i) for i in range(rng.randint(0, 5))]
    nodes = len(objects)
    for i in range(rng.randint(6, 30)):
        app = rng.choice(apps)
        spec = rule(rng, apps, positive) if rng.random() < 0.6 else {}
        spec['containers'] = [{'name': 'c', 'resources': {'requests': {'cpu': rng.choice(['100m', '500m', '1'])}}}]
        if nodes and rng.random() < 0.4:
            spec['nodeName'] = f'n{rng.randrange(nodes)}'
        objects.append(pod(f'p{i}', spec, labels={'app': app, f'is-{app}': 'yes'}, ownerReferences=[
            {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': app, 'uid': app, 'controller': True}]))
    pool = pool_named('pool', {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]})
    return lines(*objects, pool=pool), nodes


def plain(x):
    """Without what tells of the input and of the work."""
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items() if k not in OF_THE_INPUT}
    return [plain(v) for v in x] if isinstance(x, list) else x


def parted(a, b, at=''):
    """Where two documents differ first."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next((found for k in a if (found := parted(a[k], b[k], f'{at}.{k}'))), '')
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((found for i, (x, y) in enumerate(zip(a, b)) if (found := parted(x, y, f'{at}[{i}]'))), '')
    return '' if a == b else f'{at}: {str(a)[:150]} | {str(b)[:150]}'


def answer(folder, text, command):
    folder.joinpath('in').write_text(text, encoding='utf-8')
    done = subprocess.run([KARP, *command, '-f', folder / 'in', '--catalogue', folder / 'types', '-o', 'json', '--explain', 'none'][
        :None if command[0] == 'plan' else -2], capture_output=True, text=True, check=False)
    return done.returncode, plain(json.loads(done.stdout)) if done.stdout else done.stderr


def main():
    first, count = (int(a) for a in sys.argv[1:3]) if len(sys.argv) > 2 else (1, 12)
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.joinpath('types').write_text(json.dumps([traps.instance_type(i) for i in range(1, 6)]), encoding='utf-8')
        for seed in range(first, first + count):
            (left_out, nodes), (named, _) = cluster(seed, False), cluster(seed, True)
            for command in COMMANDS if nodes else COMMANDS[:2]:
                a, b = answer(folder, left_out, command), answer(folder, named, command)
                if a != b:
                    wrong.append(f'{seed} {" ".join(command)}: {parted(a[1], b[1])}')
                if a[0] not in (0, 3):
                    wrong.append(f'{seed} {" ".join(command)}: exit status {a[0]}: {a[1]}')
    print('\n'.join(wrong) if wrong else f'{count} clusters, the same answers')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
