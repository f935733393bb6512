# SPDX-License-Identifier: Apache-2.0
"""Carrying plans out on a List of objects: repack plans as a whole, and Karpenter's commands one after the other until it finds none."""
import copy
import json
import pathlib
import subprocess
import tempfile


class Karp:
    """The program, asked about one cluster after another."""

    def __init__(self, program, *options):
        self.program, self.options = program, options
        self.folder = tempfile.TemporaryDirectory()
        self.file = pathlib.Path(self.folder.name) / 'cluster.json'

    def ask(self, verb, listed, *options):
        self.file.write_text(json.dumps(listed))
        said = subprocess.run([self.program, verb, '-f', self.file, *self.options, '-o', 'json', '--compact', *options],
                              capture_output=True, text=True, check=True)
        return json.loads(said.stdout)


def node_of(name, launch):
    """The Node that a launch becomes: of the type that the decision chose."""
    choice = launch['choice']
    labels = {'karpenter.sh/nodepool': launch['nodePool'], 'node.kubernetes.io/instance-type': choice['instanceType'],
              'topology.kubernetes.io/zone': choice['zone'], 'karpenter.sh/capacity-type': choice['capacityType'], 'kubernetes.io/arch': 'amd64',
              'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': name, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels}, 'spec': {'providerID': f'p-{name}'},
            'status': {'capacity': choice['allocatable'], 'allocatable': choice['allocatable'], 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def carry_out(listed, steps, name):
    """The cluster after the steps, whose launches are called NAME-1 and so on; the number of pods that moved."""
    at, made, gone, moved = {}, {}, set(), 0
    nodes = []
    for step in steps:
        gone |= set(step['nodes'])
        for launch in step.get('launches', step.get('replacements', [])):
            made[launch['id']] = f'{name}-{len(made) + 1}'
            nodes.append(node_of(made[launch['id']], launch))
            at.update({pod: made[launch['id']] for pod in launch['pods']})
        for placement in step['placements']:
            at.update({pod: made.get(placement['node'], placement['node']) for pod in placement['pods']})
    items = []
    for item in listed['items']:
        if item['kind'] == 'Node' and item['metadata']['name'] in gone:
            continue
        if item['kind'] == 'Pod' and item['spec'].get('nodeName') in gone:
            item = copy.deepcopy(item)
            item['spec']['nodeName'] = at[f"{item['metadata']['namespace']}/{item['metadata']['name']}"]
            moved += 1
        items.append(item)
    return {**listed, 'items': items + nodes}, moved


def pods_on(listed, nodes):
    return sum(item['kind'] == 'Pod' and item['spec'].get('nodeName') in nodes for item in listed['items'])


def karpenter(karp, listed, *options, most=None, turns=1000):
    """Karpenter's own commands, carried out one by one: the cluster where it ends, its evictions, how many commands. With `most`, it
    ends before the command that would move more pods."""
    evictions = 0
    for turn in range(turns):
        commands = karp.ask('disrupt', listed, *options)['commands']
        if not commands or (most is not None and evictions + pods_on(listed, set(commands[0]['nodes'])) > most):
            return listed, evictions, turn
        listed, moved = carry_out(listed, commands[:1], f'k{turn}')
        evictions += moved
    return listed, evictions, turns


def bound_to(listed, plan, name='n'):
    """The cluster once the launches of a Plan are there, and its pods run on them."""
    nodes, at = [], {}
    for number, launch in enumerate(plan['launches']):
        nodes.append(node_of(f'{name}{number:04d}', launch))
        at.update({pod: f'{name}{number:04d}' for pod in launch['pods']})
    items = []
    for item in listed['items']:
        if item['kind'] == 'Pod':
            item = copy.deepcopy(item)
            item['spec']['nodeName'] = at[f"{item['metadata']['namespace']}/{item['metadata']['name']}"]
            item['status'] = {'phase': 'Running', 'conditions': [{'type': 'PodScheduled', 'status': 'True'}]}
        items.append(item)
    return {**listed, 'items': items + nodes}
