# SPDX-License-Identifier: Apache-2.0
"""A plan that is carried out leaves nothing to do.

On the random worlds of `differential`, each launch becomes a Node with its NodeClaim, of the type that the plan is priced at, and
the pods are bound. Planned again and carried out again as long as there is something to do, it comes to an end; no pod that has a
node is placed or spoken of any more; and where nobody was left out, nothing is launched.

Half-way, with NodeClaims that are on their way and pods that still wait, the same is asked of pods that are all alike: everybody
has a place already, and nothing is launched. (Of pods that differ Karpenter does not promise it: packed anew onto nodes of a
given size, in another order, they may need one more; nor where a zone is open until a node runs.)

    test_again.py [FROM [COUNT]]
"""
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FROM, COUNT = 1, 60
BUILD = pathlib.Path(os.environ['KARP_BUILD'])
WORLDS = BUILD / 'tests' / 'property' / 'differential'
if 'KARP' not in os.environ or not WORLDS.exists():
    print('KARP does not name the program, or there are no random worlds')
    sys.exit(77)


def run(*arguments):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        raise RuntimeError(f'{arguments}: exit {done.returncode}: {done.stderr.strip()}')
    return json.loads(done.stdout)


def full_name(pod):
    return f'{pod["metadata"].get("namespace", "default")}/{pod["metadata"]["name"]}'


class World:
    def __init__(self, name, tree, folder):
        self.path = pathlib.Path(folder, f'{name}.json')
        self.tree = tree
        self.round = 0
        self.types = {}
        for i, entry in enumerate(self.tree['catalogues']):
            types = pathlib.Path(folder, 'types.json')
            types.write_text(json.dumps(entry['instanceTypes']))
            for one in run(os.environ['KARP'], 'catalogue', '--catalogue', types, '-o', 'json'):
                self.types.setdefault(one['name'], one)

    def plan(self):
        self.path.write_text(json.dumps(self.tree))
        return run(os.environ['KARP'], 'plan', '-f', self.path, '-o', 'json')

    def carry_out(self, plan):
        """Nodes for the launches, and the pods on them."""
        self.round += 1
        homes = {pod: placement['node'] for placement in plan['placements'] for pod in placement['pods']}
        for launch in plan['launches']:
            name = f'round-{self.round}-{launch["id"]}'
            self.add_node(name, launch)
            homes.update((pod, name) for pod in launch['pods'])
        claims = {o['metadata']['name']: o['status'].get('nodeName', o['metadata']['name'])
                  for o in self.tree['objects'] if o['kind'] == 'NodeClaim'}
        for pod in self.tree['objects']:
            if pod['kind'] == 'Pod' and full_name(pod) in homes:
                node = homes[full_name(pod)]
                pod['spec']['nodeName'] = claims.get(node, node)
                pod['status'] = {'phase': 'Running', 'conditions': [{'type': 'PodScheduled', 'status': 'True'}]}
        state = self.tree.get('state', {})
        if 'pods' in state:
            state['pods'] = [pod for pod in state['pods'] if pod not in homes]
        return homes

    def add_node(self, name, launch):
        labels = {**launch['labels'], **launch['choice']['nodeLabels'], 'kubernetes.io/hostname': name,
                  'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
        kind = self.types[launch['choice']['instanceType']]
        amounts = {'capacity': kind['capacity'], 'allocatable': kind['allocatable']}
        now = self.tree['now']
        conditions = [{'type': t, 'status': 'True', 'lastTransitionTime': now} for t in ('Launched', 'Registered', 'Initialized')]
        meta = {'name': name, 'uid': f'uid-{name}', 'creationTimestamp': now, 'labels': labels}
        self.tree['objects'] += [
            {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': copy.deepcopy(meta),
             'spec': {'requirements': launch['requirements'], 'taints': launch['taints'], 'nodeClassRef': {'group': 'g', 'kind': 'k', 'name': 'n'}},
             'status': {'providerID': f'p-{name}', 'nodeName': name, 'conditions': conditions, **amounts}},
            {'apiVersion': 'v1', 'kind': 'Node', 'metadata': copy.deepcopy(meta),
             'spec': {'providerID': f'p-{name}', 'taints': launch['taints']},
             'status': {'conditions': [{'type': 'Ready', 'status': 'True'}], **amounts}}]
        if 'nodes' in self.tree.get('state', {}):
            self.tree['state']['nodes'].append({'name': name})

    def set_going(self, plan):
        """NodeClaims that have been launched and are no Nodes yet; the pods go on waiting."""
        for launch in plan['launches']:
            self.add_node(launch['id'], launch)
            self.tree['objects'].pop()
            claim = self.tree['objects'][-1]
            claim['status']['conditions'] = [{'type': 'Launched', 'status': 'True'}]
            del claim['status']['nodeName']
            for key in ('karpenter.sh/registered', 'karpenter.sh/initialized', 'kubernetes.io/hostname'):
                del claim['metadata']['labels'][key]


def left(plan):
    return {row['pod'] for row in plan['unschedulable']}


def check(seed, folder):
    """What does not hold, in words."""
    world = World(seed, run(WORLDS, '--print', seed), folder)
    plan, placed = world.plan(), set()
    # Every round places some pod; zonal anti-affinity, where a launch's zone is open, one alone (S-Q16).
    for _ in range(sum(o['kind'] == 'Pod' for o in world.tree['objects']) + 1):
        homes = world.carry_out(plan)
        again = [pod for pod in homes if pod in placed]
        if again:
            yield f'{again} are placed twice'
        placed |= set(homes)
        if not homes:
            break
        before, plan = plan, world.plan()
        spoken_of = placed & (left(plan) | {row['pod'] for row in plan['ignored']})
        if spoken_of:
            yield f'{sorted(spoken_of)} have a node'
        if not left(before) and plan['launches']:
            yield f'nobody was left out, and yet {[launch["pods"] for launch in plan["launches"]]} are launched'
    else:
        yield 'no end'


# ---- pods that are all alike --------------------------------------------------------------------------------------------

def alike(rng):
    """Some nodes with room, a daemon, and pods of one size, in one of the Snapshot's own words."""
    def meta(name, **more):
        return {'name': name, 'uid': f'u-{name}', 'creationTimestamp': '2026-01-01T00:00:00Z', **more}

    def amounts(cpu, memory):
        return {'cpu': f'{cpu}m', 'memory': f'{memory}Mi'}

    types = [{'name': f't{i}', 'labels': {'node.kubernetes.io/instance-type': [f't{i}'], 'kubernetes.io/os': ['linux'], 'kubernetes.io/arch': ['amd64']},
              'capacity': {**amounts(rng.randint(1000, 16000), rng.randint(1000, 64000)), 'pods': str(rng.randint(3, 40))},
              'overhead': {'kubeReserved': amounts(rng.randint(0, 300), rng.randint(0, 500))},
              'offerings': [{'zone': zone, 'capacityType': kind, 'price': round(rng.uniform(0.1, 4), 3)}
                            for zone in ('z1', 'z2') for kind in ('spot', 'on-demand') if rng.random() < 0.8]}
             for i in range(rng.randint(1, 12))]
    ready = [{'type': t, 'status': 'True'} for t in ('ValidationSucceeded', 'NodeClassReady', 'Ready')]
    objects = [{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': meta('default')},
               {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': meta('pool'), 'status': {'conditions': ready},
                'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'k', 'name': 'n'}, 'requirements': []}}}}]
    if rng.random() < 0.6:
        container = {'name': 'c', 'resources': {'requests': amounts(rng.randint(10, 500), rng.randint(10, 500))}}
        objects.append({'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': meta('daemon', namespace='default'),
                        'spec': {'template': {'metadata': {'labels': {'d': 'd'}}, 'spec': {'containers': [container]}}}})
    for i in range(rng.randint(0, 3)):
        room = {**amounts(rng.randint(500, 6000), rng.randint(500, 9000)), 'pods': str(rng.randint(1, 12))}
        objects.append({'apiVersion': 'v1', 'kind': 'Node', 'metadata': meta(f'old-{i}', labels={'kubernetes.io/hostname': f'old-{i}'}),
                        'spec': {'providerID': f'p-old-{i}'}, 'status': {'capacity': room, 'allocatable': room, 'conditions': ready}})
    size = amounts(rng.randint(10, 4000), rng.randint(10, 6000))
    for i in range(rng.randint(1, 60)):
        objects.append({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': meta(f'pod-{i}', namespace='default'),
                        'spec': {'containers': [{'name': 'c', 'resources': {'requests': size}}]},
                        'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}})
    return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': '2026-01-05T12:00:00Z', 'catalogues': [{'instanceTypes': types}], 'objects': objects}


def check_alike(seed, folder):
    world = World(f'alike-{seed}', alike(random.Random(seed)), folder)
    plan = world.plan()
    world.set_going(plan)
    again = world.plan()
    if again['launches']:
        yield f'alike: {[launch["pods"] for launch in again["launches"]]} are launched for once more'
    if left(again) != left(plan):
        yield f'alike: {sorted(left(plan) ^ left(again))} are left out once and not the other time'
    counts = [sorted(len(row['pods']) for key in ('launches', 'placements') for row in p[key]) for p in (plan, again)]
    if sum(counts[0]) != sum(counts[1]):
        yield f'alike: {counts[0]} pods a node, then {counts[1]}'
    LAUNCHED.append(len(plan['launches']))


LAUNCHED = []


def main():
    first, count = (int(a) for a in (sys.argv[1:] + [FROM, COUNT][len(sys.argv) - 1:])[:2])
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            for problem in [*check(seed, folder), *check_alike(seed, folder)]:
                print(f'world {seed}: {problem}')
                bad += 1
    if count >= COUNT and sum(LAUNCHED) < count:
        print(f'only {sum(LAUNCHED)} launches: the worlds of pods that are alike say little')
        bad += 1
    print(f'{count} worlds, {bad} problems')
    return 1 if bad else 0


sys.exit(main())
