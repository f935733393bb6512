# SPDX-License-Identifier: Apache-2.0
"""Churned clusters to repack, and what every step of a plan has to keep, in plain arithmetic that shares nothing with the planner."""
import collections
import random

ZONES = ('us-east-1a', 'us-east-1b', 'us-east-1c')
TYPES = (('m6a.2xlarge', 8, 32), ('c6a.2xlarge', 8, 16), ('r6a.xlarge', 4, 32), ('m6a.4xlarge', 16, 64))


def _pool(budget):
    wanted = (('karpenter.k8s.aws/instance-category', 'In', ['c', 'm', 'r']), ('kubernetes.io/arch', 'In', ['amd64']),
              ('karpenter.sh/capacity-type', 'In', ['on-demand']), ('karpenter.k8s.aws/instance-generation', 'Gt', ['5']))
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
        'disruption': {'budgets': [{'nodes': budget}], 'consolidateAfter': '0s', 'consolidationPolicy': 'WhenEmptyOrUnderutilized'},
        'template': {'spec': {'expireAfter': 'Never', 'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
                              'requirements': [{'key': k, 'operator': o, 'values': v} for k, o, v in wanted]}}}}


def _node(name, number, kind):
    labels = {'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': kind[0], 'kubernetes.io/arch': 'amd64',
              'topology.kubernetes.io/zone': ZONES[number % 3], 'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/os': 'linux',
              'kubernetes.io/hostname': name, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels}, 'spec': {'providerID': f'p-{number}'},
            'status': {'capacity': {'cpu': str(kind[1]), 'memory': f'{kind[2]}Gi', 'pods': '58'},
                       'allocatable': {'cpu': f'{kind[1] * 1000 - 100}m', 'memory': f'{kind[2] - 1}Gi', 'pods': '58'},
                       'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def cluster(nodes, seed=7, spread=False, budget='10%', pods_a_node=10):
    """A List: nodes of four types in three zones, each with about ten pods of 60 workloads, which leave a third of them free."""
    chance, number = random.Random(seed), 0
    apps = [(chance.choice([100, 200, 250, 500, 750, 1000, 1500, 2000]), chance.choice([256, 512, 1024, 2048, 4096, 6144])) for _ in range(60)]
    items = [_pool(budget), {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'}, 'spec': {}}]
    for i in range(nodes):
        kind, name = chance.choice(TYPES), f'n{i:05d}'
        items.append(_node(name, i, kind))
        cpu, memory = kind[1] * 1000 - 400, (kind[2] - 2) * 1024
        for _ in range(pods_a_node):
            app = chance.randrange(60)
            if apps[app][0] > cpu or apps[app][1] > memory:
                continue
            cpu, memory, number = cpu - apps[app][0], memory - apps[app][1], number + 1
            spec = {'nodeName': name, 'containers': [{'name': 'c', 'resources': {
                'requests': {'cpu': f'{apps[app][0]}m', 'memory': f'{apps[app][1]}Mi'}}}]}
            if spread and app % 4 == 0:
                spec['topologySpreadConstraints'] = [{'labelSelector': {'matchLabels': {'app': f'a{app}'}}, 'maxSkew': 2,
                                                      'topologyKey': 'topology.kubernetes.io/zone', 'whenUnsatisfiable': 'DoNotSchedule'}]
            owner = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': f'a{app}', 'uid': f'a{app}', 'controller': True}
            items.append({'apiVersion': 'v1', 'kind': 'Pod', 'spec': spec,
                          'metadata': {'name': f'p{number}', 'namespace': 'default', 'labels': {'app': f'a{app}'}, 'ownerReferences': [owner]},
                          'status': {'phase': 'Running', 'conditions': [{'type': 'PodScheduled', 'status': 'True'}]}})
    return {'apiVersion': 'v1', 'kind': 'List', 'items': items}


def pending(nodes, seed=7, budget='10%', most_cpu=17):
    """A List: about ten pending pods for each node of at most `most_cpu` processors that Karpenter launches for them."""
    listed, chance = cluster(nodes, seed, budget=budget), random.Random(seed)
    items = [item for item in listed['items'] if item['kind'] != 'Node']
    items[0]['spec']['template']['spec']['requirements'].append({'key': 'karpenter.k8s.aws/instance-cpu', 'operator': 'Lt', 'values': [str(most_cpu)]})
    pods = [item for item in items if item['kind'] == 'Pod']
    chance.shuffle(pods)
    for item in pods:
        del item['spec']['nodeName']
        item['status'] = {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}
    return {**listed, 'items': items[:2] + pods}


def churned(listed, part=0.5, seed=7):
    """The cluster when so many of its pods are gone."""
    chance = random.Random(seed)
    return {**listed, 'items': [item for item in listed['items'] if item['kind'] != 'Pod' or chance.random() >= part]}


def _amount(text):
    for unit, factor in (('Ki', 1024), ('Mi', 1024 ** 2), ('Gi', 1024 ** 3), ('Ti', 1024 ** 4), ('m', 0.001)):
        if str(text).endswith(unit):
            return float(str(text)[:-len(unit)]) * factor
    return float(text)


def _requests(pod):
    asked = collections.Counter({'pods': 1})
    for container in pod['spec']['containers']:
        for name, amount in container['resources']['requests'].items():
            asked[name] += _amount(amount)
    return asked


class World:
    """The cluster as the steps leave it."""

    def __init__(self, listed):
        self.pods, self.nodes, self.where, self.moved, self.faults = {}, {}, {}, set(), []
        for item in listed['items']:
            if item['kind'] == 'Node':
                self.nodes[item['metadata']['name']] = {
                    'has': {k: _amount(v) for k, v in item['status']['allocatable'].items()},
                    'zone': item['metadata']['labels']['topology.kubernetes.io/zone'], 'pods': set()}
        for item in listed['items']:
            if item['kind'] == 'Pod':
                name = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
                self.pods[name], self.where[name] = item, item['spec']['nodeName']
                self.nodes[item['spec']['nodeName']]['pods'].add(name)
        self.asked = {name: _requests(pod) for name, pod in self.pods.items()}

    def _check(self, good, what):
        if not good:
            self.faults.append(what)

    def skews(self):
        counts = collections.defaultdict(collections.Counter)
        for name, node in self.where.items():
            if 'topologySpreadConstraints' in self.pods[name]['spec']:
                counts[self.pods[name]['metadata']['labels']['app']][self.nodes[node]['zone']] += 1
        return {app: max(c[z] for z in ZONES) - min(c[z] for z in ZONES) for app, c in counts.items()}

    def step(self, number, step, at_once=None):
        before, received = self.skews(), set()
        moving = set().union(*(self.nodes[n]['pods'] for n in step['nodes']))
        for launch in step['launches']:
            has = {k: _amount(v) for k, v in launch['choice']['allocatable'].items()}
            self.nodes[launch['id']] = {'has': has, 'zone': launch['choice']['zone'], 'pods': set()}
        places = [(x['id'], x['pods']) for x in step['launches']] + [(x['node'], x['pods']) for x in step['placements']]
        for node, pods in places:
            self._check(node in self.nodes and node not in step['nodes'], f'step {number}: {node} takes no pods')
            for pod in pods:
                self._check(pod in moving and pod not in received and pod not in self.moved, f'step {number}: {pod} moves')
                received.add(pod)
                self.where[pod] = node
                self.nodes[node]['pods'].add(pod)
        self._check(received == moving and len(moving) == step['evictions'], f'step {number}: who moves')
        self._check(at_once is None or len(step['nodes']) <= at_once, f'step {number}: {len(step["nodes"])} nodes at once')
        self.moved |= received
        for node in step['nodes']:
            del self.nodes[node]
        for node, _ in places:
            used = sum((self.asked[pod] for pod in self.nodes[node]['pods']), collections.Counter())
            self._check(all(v <= self.nodes[node]['has'].get(k, 0) + 1e-6 for k, v in used.items()), f'step {number}: {node} is too full')
        for app, skew in self.skews().items():
            self._check(skew <= max(2, before.get(app, 0)), f'step {number}: {app} has a skew of {skew}')


def faults(listed, plan, at_once=None):
    """What is wrong with a RepackPlan of this cluster."""
    world, cost = World(listed), plan['costBefore']
    for number, step in enumerate(plan['steps'], 1):
        world.step(number, step, at_once)
        world._check(step['costAfter'] < cost and abs(cost - step['saving'] - step['costAfter']) < 1e-6, f'step {number}: its cost')
        cost = step['costAfter']
    curve = plan['curve']
    world._check(abs(cost - plan['costAfter']) < 1e-6 and plan['bound'] <= cost * (1 + 1e-9), 'the cost after')
    world._check(all(x['evictions'] < y['evictions'] and x['cost'] > y['cost'] for x, y in zip(curve, curve[1:])), 'the curve')
    world._check(all(x['bound'] <= x['cost'] * (1 + 1e-9) for x in curve), 'a bound of the curve')
    return world.faults
