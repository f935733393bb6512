# SPDX-License-Identifier: Apache-2.0
"""Repack plans of random clusters:   test_repack_worlds.py [COUNT [FIRST]]

Of each cluster: `karp verify` accepts every step, the cost falls with each, nodes that Karpenter's rules hold back stay, equal input gives
equal bytes, and once the plan is carried out a second repack finds next to nothing. The last line counts what was found.
"""
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cases'))
from small_clusters import catalogue, node, pod  # noqa: E402

KARP = os.environ['KARP']
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
FIRST = int(sys.argv[2]) if len(sys.argv) > 2 else 1
SIZES = {'small': 2, 'large': 8}


def world(rng):
    """Nodes of two sizes, some nearly empty, pods of a few workloads with the rules that move with them, budgets."""
    budget = rng.choice(['100%', '100%', '50%', '2', '1'])
    items = [{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
              'spec': {'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': budget}]},
                       'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}]
    shapes = [shape(rng, f'app{i}') for i in range(rng.randint(1, 4))]
    number = 0
    for n in range(rng.randint(2, 14)):
        kind = rng.choice(['small', 'small', 'large'])
        parts = node(f'n{n:02}', kind, SIZES[kind])
        parts[0]['metadata']['labels']['topology.kubernetes.io/zone'] = parts[1]['metadata']['labels']['topology.kubernetes.io/zone'] = \
            rng.choice('ab')
        if rng.random() < 0.1:
            parts[0]['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
        items += parts
        left, here = SIZES[kind], set()
        for _ in range(rng.randint(0, 3)):
            form = rng.choice(shapes)
            if form['cpu'] > left or (form['alone'] and form['name'] in here):
                continue
            left -= form['cpu']
            here.add(form['name'])
            items.append(of_shape(form, f'p{number}', f'n{n:02}', rng))
            number += 1
    for form in shapes:
        if rng.random() < 0.4:
            allowed = rng.randint(0, 2)
            items.append({'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': form['name'], 'namespace': 'default'},
                          'spec': {'maxUnavailable': allowed, 'selector': {'matchLabels': {'app': form['name']}}},
                          'status': {'disruptionsAllowed': allowed}})
    return {'apiVersion': 'v1', 'kind': 'List', 'items': items}


def shape(rng, name):
    return {'name': name, 'cpu': rng.choice([0.25, 0.5, 1, 1.5]), 'alone': rng.random() < 0.2, 'zone': rng.random() < 0.2}


def of_shape(form, name, on, rng):
    made = pod(name, on, f'{int(form["cpu"] * 1000)}m')
    made['metadata']['labels'] = {'app': form['name']}
    selector = {'matchLabels': {'app': form['name']}}
    if form['alone']:
        made['spec']['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
            {'labelSelector': selector, 'topologyKey': 'kubernetes.io/hostname'}]}}
    if form['zone']:
        made['spec']['nodeSelector'] = {'kubernetes.io/os': 'linux'}
    if rng.random() < 0.03:
        made['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
    return made


def carried_out(given, plan):
    """The cluster after all steps: each launch is its cheapest type in the first zone it may have."""
    after = copy.deepcopy(given)
    gone = {n for step in plan['steps'] for n in step['nodes']}
    at, launched = {}, []
    for step in plan['steps']:
        for launch in step['launches']:
            kind = min(launch['instanceTypes'], key=lambda t: SIZES[t])
            parts = node(f'made-{launch["id"]}', kind, SIZES[kind])
            zones = [r['values'] for r in launch.get('requirements', []) if r['key'] == 'topology.kubernetes.io/zone' and r['operator'] == 'In']
            for part in parts:
                part['metadata']['labels']['topology.kubernetes.io/zone'] = (zones or [['a']])[0][0]
            launched += parts
            at.update({p: f'made-{launch["id"]}' for p in launch['pods']})
        for placement in step['placements']:
            to = placement['node']
            at.update({p: f'made-{to}' if to.startswith('new-') else to for p in placement['pods']})
    kept = []
    for item in after['items']:
        name = item['metadata']['name']
        if (item['kind'] == 'Node' and name in gone) or (item['kind'] == 'NodeClaim' and item['status']['nodeName'] in gone):
            continue
        if item['kind'] == 'Pod' and f'default/{name}' in at:
            item['spec']['nodeName'] = at[f'default/{name}']
        kept.append(item)
    after['items'] = kept + launched
    return after


def karp(folder, given, verb, *arguments):
    folder.joinpath('cluster.json').write_text(json.dumps(given))
    done = subprocess.run([KARP, *verb, '-f', folder / 'cluster.json', '--catalogue', folder / 'types.json', *arguments],
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def look(seed, folder):
    """What is wrong with this world: a list of sentences; and what a second repack saves of what there is to save, in dollars."""
    given = world(random.Random(seed))
    status, text, error = karp(folder, given, ['repack'], '-o', 'json')
    if status != 0:
        return [f'repack: {error.strip()}'], 0, 0
    plan = json.loads(text)
    faults = [] if karp(folder, given, ['repack'], '-o', 'json')[1] == text else ['another plan the second time']
    folder.joinpath('plan.json').write_text(text)
    status, found, error = karp(folder, given, ['verify', folder / 'plan.json'])
    if status != 0:
        faults.append(f'verify: {[(f["code"], f["object"], f["detail"]) for f in json.loads(found)["errors"]][:3] if found else error}')
    costs = [plan['costBefore'], *(s['costAfter'] for s in plan['steps'])]
    if any(b >= a for a, b in zip(costs, costs[1:])):
        faults.append(f'costs {costs}')
    marked = {i['metadata']['name'] for i in given['items'] if i['kind'] == 'Node' and i['metadata'].get('annotations')}
    if marked & {n for s in plan['steps'] for n in s['nodes']}:
        faults.append('a node that carries do-not-disrupt goes')
    status, text, error = karp(folder, carried_out(given, plan), ['repack'], '-o', 'json')
    if status != 0:
        return [*faults, f'the cluster afterwards: {error.strip()}'], 0, 0
    again = json.loads(text)
    if abs(again['costBefore'] - plan['costAfter']) > 1e-6:
        faults.append(f'it costs {again["costBefore"]} afterwards, not {plan["costAfter"]}')
    return faults, again['costBefore'] - again['costAfter'], plan['costBefore'] - plan['costAfter']


def main():
    wrong, more, saved, plans = 0, 0, 0.0, 0
    second = 0.0
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        folder.joinpath('types.json').write_text(json.dumps(catalogue()))
        for seed in range(FIRST, FIRST + COUNT):
            faults, rest, saving = look(seed, folder)
            plans += saving > 0
            saved += saving
            more += rest > 1e-9
            second += rest
            wrong += bool(faults)
            for fault in faults:
                print(f'world {seed}: {fault}')
    print(f'{COUNT} worlds, {plans} plans that save ${saved:.2f}/h, {wrong} with faults; a second repack saves more in {more}: ${second:.2f}/h')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
