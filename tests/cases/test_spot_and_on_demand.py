# SPDX-License-Identifier: Apache-2.0
"""One Deployment, scaled up and down; nodes expire. Told with the Provisioner of 2022 and with a NodePool."""
import sys

from stories import check, document, equal, files, finish, label, placed, pods


def plan(pool, step):
    return document('plan', *files('spot-and-on-demand', pool, 'cluster.yaml', step))


def check_launch(answer, numbers, cpus, what):
    equal(len(answer['launches']), 1, f'{what}: launches')
    for launch in answer['launches']:
        equal(launch['pods'], pods('app', numbers), f'{what}: pods')
        equal(launch['choice']['capacityType'], 'spot', f'{what}: capacity type')
        equal(label(launch, 'karpenter.k8s.aws/instance-cpu'), cpus, f'{what}: vCPUs')
    equal(answer['unschedulable'], [], f'{what}: unschedulable')


def tell(pool):
    one = plan(pool, '1-one-replica.yaml')
    equal((one['launches'], placed(one)), ([], {'initial': ['default/app-0']}), f'{pool}: one replica')

    five = plan(pool, '2-five-replicas.yaml')
    check_launch(five, range(1, 5), '4', f'{pool}: five replicas')
    equal(five['launches'][0]['requests'], {'cpu': '2125m', 'memory': '2Gi', 'pods': '6'}, f'{pool}: with daemons')
    equal(placed(five), {}, f'{pool}: five replicas')

    twenty = plan(pool, '3-twenty-replicas.yaml')
    check_launch(twenty, range(8, 20), '8', f'{pool}: twenty replicas')
    equal(placed(twenty), {'node1': pods('app', (5, 6, 7))}, f'{pool}: twenty replicas')

    ten = plan(pool, '4-ten-replicas.yaml')
    equal((ten['launches'], placed(ten)), ([], {}), f'{pool}: ten replicas')

    expired = plan(pool, '5-node1-expires.yaml')
    equal((expired['launches'], placed(expired)), ([], {'node2': pods('app', range(1, 8))}), f'{pool}: node1 expires')

    smaller = plan(pool, '6-node2-expires.yaml')
    check_launch(smaller, range(1, 5), '4', f'{pool}: node2 expires')

    for now, commands in (('2022-02-13T00:41:10Z', []), ('2022-02-13T00:50:00Z', [('Emptiness', 'delete', ['node3'])])):
        answer = document('disrupt', *files('spot-and-on-demand', pool, 'cluster.yaml', '7-no-replicas.yaml'),
                          '--now', now)
        equal([(c['method'], c['decision'], c['nodes']) for c in answer.get('commands', [])], commands, f'{pool}: {now}')
    none = plan(pool, '7-no-replicas.yaml')
    equal(none['launches'], [], f'{pool}: no replicas')


tell('provisioner.yaml')
tell('nodepool.yaml')
check(True, 'told')
sys.exit(finish())
