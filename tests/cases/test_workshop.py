# SPDX-License-Identifier: Apache-2.0
"""Five pods of 1Gi, four types: the workshop's reader is asked to guess, the answer is m5.large."""
import json
import sys

from stories import check, document, equal, files, finish, label, pods, run

INPUT = files('workshop', 'cluster.yaml')
ALLOCATABLE = {'cpu': '1930m', 'memory': '6903Mi', 'pods': '29', 'ephemeral-storage': '17Gi',
               'vpc.amazonaws.com/pod-eni': '9'}
# What `kubectl get node -o json` shows in the text, without what only a running machine has.
LABELS = {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/instance-type': 'm5.large',
    'beta.kubernetes.io/os': 'linux',
    'failure-domain.beta.kubernetes.io/region': 'us-west-2',
    'failure-domain.beta.kubernetes.io/zone': 'us-west-2a',
    'karpenter.k8s.aws/instance-category': 'm',
    'karpenter.k8s.aws/instance-cpu': '2',
    'karpenter.k8s.aws/instance-family': 'm5',
    'karpenter.k8s.aws/instance-generation': '5',
    'karpenter.k8s.aws/instance-hypervisor': 'nitro',
    'karpenter.k8s.aws/instance-memory': '8192',
    'karpenter.k8s.aws/instance-size': 'large',
    'karpenter.sh/capacity-type': 'on-demand',
    'karpenter.sh/nodepool': 'default',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/region': 'us-west-2',
    'topology.kubernetes.io/zone': 'us-west-2a',
    'type': 'karpenter',
}


def check_plan():
    plan = document('plan', *INPUT)
    equal(len(plan['launches']), 1, 'launches')
    equal(plan['placements'], [], 'placements')
    equal(plan['unschedulable'], [], 'unschedulable')
    launch = plan['launches'][0]
    equal(launch['pods'], pods('inflate', range(5), 'other'), 'pods')
    equal(launch['instanceTypes'], ['m5.large', 'r5.large', 'm5.xlarge'], 'types, cheapest first')
    choice = launch['choice']
    equal((choice['instanceType'], choice['zone'], choice['capacityType'], choice['price']),
          ('m5.large', 'us-west-2a', 'on-demand', '0.096'), 'choice')
    equal({k: choice['allocatable'].get(k) for k in ALLOCATABLE}, ALLOCATABLE, 'allocatable')
    equal({k: label(launch, k) for k in LABELS}, LABELS, 'labels')
    equal(plan['cost'], {'before': '0', 'after': '0.096', 'delta': '0.096'}, 'cost')


def check_record():
    out, _ = run('plan', *INPUT, '-o', 'json-log', '--now', '2023-11-16T22:32:00.413Z')
    records = [json.loads(line) for line in out.splitlines()]
    equal(len(records), 1, 'records')
    record = records[0]
    provider_id = record.pop('provider-id')
    start, digits = provider_id.rsplit('-', 1)
    equal(start, 'aws:///us-west-2a/i', 'provider id')
    check(len(digits) == 17 and not set(digits) - set('0123456789abcdef'), f'provider id {provider_id}')
    equal(record.pop('allocatable'), ALLOCATABLE, 'allocatable of the record')
    equal(record, {'level': 'INFO', 'time': '2023-11-16T22:32:00.413Z', 'logger': 'controller.nodeclaim.lifecycle',
                   'message': 'launched nodeclaim', 'nodeclaim': 'default-1', 'nodepool': 'default',
                   'instance-type': 'm5.large', 'zone': 'us-west-2a', 'capacity-type': 'on-demand'}, 'record')
    again, _ = run('plan', *INPUT, '-o', 'json-log', '--now', '2023-11-16T22:32:00.413Z')
    equal(again, out, 'the same record again')


def check_claim():
    out, _ = run('plan', *INPUT, '-o', 'yaml')
    for line in ('kind: NodeClaim', '  name: default-1', '    type: karpenter', '  expireAfter: 72h0m0s',
                 '    - m5.large', '      memory: 5Gi', '      pods: "5"'):
        check(line in out.splitlines(), f'the NodeClaim has no line {line!r}:\n{out}')
    check('c5.large' not in out, 'c5.large has too little memory')


def check_text():
    out, _ = run('plan', *INPUT)
    for part in ('m5.large us-west-2a on-demand', '5 pods  other/inflate-{0..4}', '$0.096/h',
                 'Plan: 1 to launch', '5 of 5 pods placed, 0 unschedulable.', 'Cost: $0.000/h -> $0.096/h'):
        check(part in out, f'no {part!r} in the text:\n{out}')


check_plan()
check_record()
check_claim()
check_text()
sys.exit(finish())
