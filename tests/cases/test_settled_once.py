# SPDX-License-Identifier: Apache-2.0
"""Random clusters: no round of a settlement launches for a pod that an earlier one has placed, and rounds and cost of nodes add up."""
import json
import pathlib
import random
import tempfile

from stories import check, document, finish, types_of

SEEDS = range(60)
ZONES = ['us-west-2a', 'us-west-2b', 'us-west-2c']


def term(name, key):
    return {'topologyKey': key, 'labelSelector': {'matchLabels': {'app': name}}}


def rules(r, name, others):
    """What a pod asks of its place."""
    spec = {}
    key = r.choice(['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type'])
    what = r.randrange(8)
    if what < 3:
        spec['topologySpreadConstraints'] = [{'maxSkew': r.randint(1, 2), 'topologyKey': key, 'labelSelector': {'matchLabels': {'app': name}},
                                              'whenUnsatisfiable': r.choice(['DoNotSchedule', 'ScheduleAnyway'])}]
    elif what == 3:
        spec['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [term(name, key)]}}
    elif what == 4:
        spec['affinity'] = {'podAntiAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [{'weight': 1, 'podAffinityTerm': term(name, key)}]}}
    elif what == 5:
        spec['affinity'] = {'podAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [term(r.choice(others), key)]}}
    elif what == 6:
        spec['affinity'] = {'nodeAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [
            {'weight': 5, 'preference': {'matchExpressions': [{'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': [r.choice(ZONES)]}]}}]}}
    return spec


def workload(r, name, others):
    resources = {'cpu': f'{r.choice([100, 250, 500, 900, 1500, 3000])}m', 'memory': f'{r.choice([128, 512, 1024, 3000])}Mi'}
    container = {'name': 'c', 'image': 'x', 'resources': {'requests': resources}}
    if r.random() < 0.15:
        container['ports'] = [{'containerPort': 80, 'hostPort': 80}]
    spec = {'containers': [container], **rules(r, name, others)}
    kind = r.choice(['Deployment', 'Deployment', 'StatefulSet'])
    return {'apiVersion': 'apps/v1', 'kind': kind, 'metadata': {'name': name},
            'spec': {'replicas': r.randint(1, 7), 'selector': {'matchLabels': {'app': name}},
                     'template': {'metadata': {'labels': {'app': name}}, 'spec': spec}}}


def pool(r, name):
    types = r.sample(['c6a.large', 'm6a.xlarge', 'm6a.2xlarge', 'r6a.large'], r.randint(1, 4))
    needs = [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': types},
             {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': r.choice([['on-demand'], ['spot', 'on-demand']])}]
    spec = {'template': {'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, 'requirements': needs}}}
    if r.random() < 0.5:
        spec['limits'] = {'cpu': str(r.randint(4, 40))}
    spec['weight'] = r.randint(1, 3)
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name}, 'spec': spec}


def world(seed):
    r = random.Random(seed)
    names = [f'w{i}' for i in range(r.randint(2, 5))]
    return [pool(r, f'p{i}') for i in range(r.randint(1, 3))], [workload(r, name, names) for name in names]


several = launched = 0
with tempfile.TemporaryDirectory() as folder:
    types = types_of(folder, 'us-west-2', 'c6a.large', 'm6a.xlarge', 'm6a.2xlarge', 'r6a.large')
    for seed in SEEDS:
        pools, workloads = world(seed)
        path = pathlib.Path(folder, 'world.json')
        path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': pools + workloads}))
        told = document('plan', '--settle', '--no-disrupt', path, *types)
        pods = sum(w['spec']['replicas'] for w in workloads)
        rounds, end = told['rounds'], told['designs'][1]
        for_them = sum(one['podsLaunchedFor'] for one in rounds)
        check(for_them + end['podsLeft'] <= pods, f'seed {seed}: {for_them} launched for and {end["podsLeft"]} left of {pods} pods')
        check(sum(one['launches'] for one in rounds) == end['nodes'], f'seed {seed}: nodes')
        check(all(one['launches'] <= one['podsLaunchedFor'] for one in rounds), f'seed {seed}: a launch without a pod')
        several += len(rounds) > 1
        launched += for_them
check(several >= 10 and launched >= 200, f'worlds of several rounds: {several}, pods: {launched}')
finish()
