# SPDX-License-Identifier: Apache-2.0
"""Commands agree on random small clusters: what one answer says, another one does not deny.

    test_commands_agree.py [--from SEED] [--count N]

plan, disrupt, lint, and explain of every node and pod: a node that goes in the pass goes in its explanation, a node that stays has a
reason, pods that the plan leaves are explained as left and are not passed over by lint, a pass that removes a node to which the plan
gives a pod says so, and a cause names the zone and the limit that decide.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile

from situations import HOST, NODE_CLASS, STORAGE, TYPE, ZONE, claim, flat, node, pod, pool, spread, term, volume
from stories import check, equal, finish

NOW = ('--now', '2026-01-01T12:00:00Z')
BUDGETS = {'nodes': '100%'}, {'nodes': '1'}, {'nodes': '0', 'reasons': ['Drifted']}, {'nodes': '50%', 'reasons': ['Empty']}
# Rules that say why pods are left.
TOLD = {'not-placed', 'unknown-label', 'unknown-value', 'spread-cannot-hold', 'anti-affinity-cannot-hold', 'limit-below-launch', 'no-instance-type'}


def pools_of(r):
    for i in range(r.randint(1, 2)):
        rules = {'consolidateAfter': '0s', 'budgets': [r.choice(BUDGETS)], **({'consolidationPolicy': 'WhenEmpty'} if r.random() < .3 else {})}
        limits = {'limits': {'cpu': str(r.randint(4, 12)), 'memory': '64Gi'}} if r.random() < .3 else {}
        types = r.sample(['m6i.large', 'm6i.xlarge', 'm6i.2xlarge'], r.randint(1, 3))
        yield pool(term(TYPE, *types), name=f'p{i}', disruption=rules, weight=r.randint(1, 9), **limits)


def nodes_of(r, pools):
    for i in range(r.randint(0, 4)):
        one = node(f'n{i}', zone=r.choice(['us-west-2a', 'us-west-2b']), kind=r.choice(['m6i.large', 'm6i.xlarge']), of=r.choice(pools)['metadata']['name'])
        its = claim(one, **r.choice([{}, {'Consolidatable': 'True'}, {'Consolidatable': 'True'}, {'Consolidatable': 'True', 'Drifted': 'True'}]))
        yield from (one, its)
        for k in range(r.randint(0, 3)):
            kept = {'karpenter.sh/do-not-disrupt': 'true'} if r.random() < .15 else None
            yield pod(f'{r.choice("abc")}-{i}{k}', f'n{i}', cpu=r.choice(['100m', '400m']), annotations=kept)


def pending_of(r):
    for k in range(r.randint(0, 5)):
        rules = {'topologySpreadConstraints': spread('q', r.choice([ZONE, HOST]))} if r.random() < .25 else {}
        if r.random() < .15:
            rules['nodeSelector'] = {'team': 'x'}
        bound = r.random() < .25
        if bound:
            yield volume(f'd{k}', r.choice(['us-west-2a', 'us-west-2c']))
        yield pod(f'q-{k}', cpu=r.choice(['200m', '1500m', '3', '9']), volume=f'd{k}' if bound else None, **rules)


def world(seed):
    r = random.Random(seed)
    pools = list(pools_of(r))
    return flat([NODE_CLASS, STORAGE, *pools, *nodes_of(r, pools), *pending_of(r)])


def told(path, *words):
    done = subprocess.run([os.environ['KARP'], *words, path, *NOW, '-o', 'json', '-q'], capture_output=True, text=True, timeout=100)
    check(done.returncode == 0 or done.stdout.startswith('{'), f'{words}: {done.stderr}')
    return json.loads(done.stdout) if done.stdout.startswith('{') else {}


def look_at_nodes(seed, path, objects, passed):
    goes = {n for c in passed['commands'] for n in c['nodes']}
    for name in (o['metadata']['name'] for o in objects if o['kind'] == 'Node'):
        one = told(path, 'explain', 'node', name)
        equal(one['outcome'], 'disrupted' if name in goes else 'kept', f'world {seed}: {name} in its explanation and in the pass')
        check(one['outcome'] == 'disrupted' or one['blockers'], f'world {seed}: {name} stays without a reason')


def look_at_pods(seed, path, objects, left):
    for o in objects:
        if o['kind'] != 'Pod' or 'nodeName' in o['spec']:
            continue
        name = f'shop/{o["metadata"]["name"]}'
        one = told(path, 'explain', 'pod', name)
        equal(one['outcome'] == 'unschedulable', name in left, f'world {seed}: {name} in its explanation and in the plan')
        refused = ' '.join(p['detail'] for p in one.get('unschedulable', {}).get('pools', []))
        for cause in one.get('causes', []):
            if cause['kind'] == 'volumes' and one['outcome'] == 'launch':
                check(one['launch']['choice']['zone'] in cause['text'], f'world {seed}: {name}: {cause}')
            check(cause['kind'] != 'limits' or 'limit' in refused, f'world {seed}: {name}: {cause}')


def look(seed, folder):
    objects, path = world(seed), str(pathlib.Path(folder) / 'world.json')
    pathlib.Path(path).write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    plan, passed, lint = (told(path, verb) for verb in ('plan', 'disrupt', 'lint'))
    left = {u['pod'] for u in plan['unschedulable']}
    rules = {f['rule'] for f in lint['findings'] if f['severity'] != 'info'}
    check(not left or rules & TOLD, f'world {seed}: lint says nothing of {left}: {rules}')
    check(left or 'not-placed' not in rules, f'world {seed}: lint leaves pods that the plan places')
    both = {n for c in passed['commands'] for n in c['nodes']} & {p['node'] for p in plan['placements']}
    equal(bool(both), any('nominates' in w for w in passed['warnings']), f'world {seed}: nodes that go and get pods')
    look_at_nodes(seed, path, objects, passed)
    look_at_pods(seed, path, objects, left)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--from', type=int, default=100, dest='first')
    parser.add_argument('--count', type=int, default=6)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.first, asked.first + asked.count):
            look(seed, folder)
    finish()


main()
