# SPDX-License-Identifier: Apache-2.0
"""Pods that want to be together, pods that would rather not, and volumes that cannot move: six small nodes, two zones."""
import sys

from stories import check, document, equal, files, finish, label, placed, pods

ZONE_A = {'ip-10-0-0-126', 'ip-10-0-0-193', 'ip-10-0-0-35'}
ZONE_B = {'ip-10-0-1-12', 'ip-10-0-1-73', 'ip-10-0-3-30'}


def zone_of(node):
    return 'eu-west-1a' if node in ZONE_A else 'eu-west-1b'


def plan(*names):
    return document('plan', *files('zones', *names), '--region', 'eu-west-1')


def everything(answer):
    both = answer['launches'] + answer['placements']
    return sorted(pod for part in both for pod in part['pods'])


def together(pool):
    answer = plan(pool, 'nodes.yaml', 'affinity.yaml')
    equal(everything(answer), pods('inflate', range(8)), f'{pool}: together')
    zones = {zone_of(node) for node in placed(answer)} | {l['choice']['zone'] for l in answer['launches']}
    equal(len(zones), 1, f'{pool}: zones {zones}')
    equal(sorted(map(len, placed(answer).values())), [1, 1, 1], f'{pool}: three nodes of that zone have room')
    equal(len(answer['launches']), 1, f'{pool}: launches')
    for launch in answer['launches']:
        equal(len(launch['pods']), 5, f'{pool}: the rest')
        equal(label(launch, 'karpenter.k8s.aws/instance-cpu'), '8', f'{pool}: vCPUs')
        equal(launch['choice']['capacityType'], 'spot', f'{pool}: capacity type')


def apart(pool):
    answer = plan(pool, 'nodes.yaml', 'anti-affinity.yaml')
    equal(everything(answer), pods('inflate', range(8)), f'{pool}: apart')
    equal(set(placed(answer)), ZONE_A | ZONE_B, f'{pool}: every node takes one')
    equal(len(answer['launches']), 1, f'{pool}: no node for each pod')
    for launch in answer['launches']:
        equal(len(launch['pods']), 2, f'{pool}: what is left')
        equal(label(launch, 'karpenter.k8s.aws/instance-cpu'), '4', f'{pool}: vCPUs')


def volumes(pool):
    answer = plan(pool, 'nodes.yaml', 'volumes.yaml')
    equal(everything(answer), pods('express', range(20)), f'{pool}: replicas with volumes')
    check(set(placed(answer)) <= ZONE_A, f'{pool}: {placed(answer)}')
    equal({l['choice']['zone'] for l in answer['launches']}, {'eu-west-1a'}, f'{pool}: zone of the volumes')

    answer = plan(pool, 'nodes.yaml', 'bound-volumes.yaml')
    zones = {pod: zone_of(node) for node, there in placed(answer).items() for pod in there}
    zones.update((pod, l['choice']['zone']) for l in answer['launches'] for pod in l['pods'])
    equal(zones, {'default/store-0': 'eu-west-1a', 'default/store-1': 'eu-west-1c'}, f'{pool}: bound volumes')


for spelling in ('provisioner.yaml', 'nodepool.yaml'):
    together(spelling)
    apart(spelling)
    volumes(spelling)
sys.exit(finish())
