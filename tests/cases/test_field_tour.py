# SPDX-License-Identifier: Apache-2.0
"""Every field of a Provisioner and an AWSNodeTemplate: what acts, acts; what does not, is named."""
import json
import math
import re
import sys

from stories import STORIES, check, document, equal, files, finish, label, pods, run

WITHOUT_EFFECT = ('clusterDNS', 'containerRuntime', 'evictionSoft', 'evictionSoftGracePeriod', 'evictionMaxPodGracePeriod',
                  'imageGCHighThresholdPercent', 'imageGCLowThresholdPercent', 'cpuCFSQuota', 'subnetSelector',
                  'securityGroupSelector', 'tags')


MI = 2 ** 20
PROVISIONERS = (STORIES / 'field-tour' / 'provisioners.yaml').read_text()
WORKLOADS = files('field-tour', 'workloads.yaml')


def memory_capacity(launch):
    """Bytes that AWS's provider gives a node of the type: less what Graviton's kernel and the hypervisor keep."""
    mib = int(label(launch, 'karpenter.k8s.aws/instance-memory'))
    mib -= 64 if label(launch, 'kubernetes.io/arch') == 'arm64' else 0
    return (mib - math.ceil(mib * 0.075)) * MI


def check_plan():
    plan = document('plan', *files('field-tour', 'provisioners.yaml', 'workloads.yaml'))
    launches = {launch['nodePool']: launch for launch in plan['launches']}
    equal(sorted(launches), ['general', 'special'], 'pools')
    equal(plan['unschedulable'], [], 'unschedulable')

    special = launches['special']
    equal(special['pods'], pods('special', range(2)), 'pods of the pool that is asked first')
    equal(special['taints'], [{'key': 'example.com/special-taint', 'effect': 'NoSchedule'}], 'taints')
    equal(special['startupTaints'], [{'key': 'example.com/another-taint', 'effect': 'NoSchedule'}], 'startup taints')
    equal(special['choice']['capacityType'], 'on-demand', 'capacity type')
    equal(label(special, 'karpenter.k8s.aws/instance-category'), 'm', 'category')
    equal(label(special, 'kubernetes.io/arch'), 'amd64', 'arch: the old default')

    general = launches['general']
    equal(general['pods'], pods('plain', range(5)), 'pods of the general pool')
    equal(general['labels'].get('billing-team'), 'my-team', 'label')
    equal(general['annotations'].get('example.com/owner'), 'my-team', 'annotation')
    cpus = label(general, 'karpenter.k8s.aws/instance-cpu')
    check(cpus in ('4', '8', '16', '32'), f'{cpus} vCPUs')
    check(label(general, 'karpenter.k8s.aws/instance-category') in ('c', 'm', 'r'), 'category')
    check(int(label(general, 'karpenter.k8s.aws/instance-generation')) > 2, 'generation')
    equal(label(general, 'karpenter.k8s.aws/instance-hypervisor'), 'nitro', 'hypervisor')
    check(general['choice']['zone'] in ('us-west-2a', 'us-west-2b'), 'zone')
    equal(general['choice']['capacityType'], 'spot', 'capacity type')
    # the kubelet's settings: two pods a core, and 300m of CPU for the system
    allocatable = general['choice']['allocatable']
    equal(allocatable['pods'], str(min(20, 2 * int(cpus))), 'maxPods, podsPerCore')
    equal(allocatable['cpu'], f'{int(cpus) * 1000 - 300}m', 'systemReserved, kubeReserved')

    # evictionHard is a part of the capacity: 5 % of the memory, a tenth of the disk
    capacity = memory_capacity(general)
    equal(int(allocatable['memory']), capacity - 200 * MI - math.ceil(capacity / 100 * 5), 'memory')
    equal(allocatable['ephemeral-storage'], '14Gi', 'ephemeral-storage: 20Gi less 4Gi reserved and a tenth')

    told = '\n'.join(plan['warnings'])
    for field in WITHOUT_EFFECT:
        check(f'{field} has no effect' in told, f'{field} has no effect, and nothing says so')
    for kind, now in (('Provisioner', 'a NodePool'), ('AWSNodeTemplate', 'an EC2NodeClass')):
        check(f'{kind} is of Karpenter before 0.32: it is read as {now}' in told, kind)
    equal(len(plan['warnings']), len(WITHOUT_EFFECT) + 2, 'warnings')
    for field in ('maxPods', 'podsPerCore', 'weight', 'ttlSecondsUntilExpired', 'startupTaints'):
        check(field not in told, f'{field} is said to have no effect')


def changed(old, new, count=1):
    """The Provisioners with one thing changed."""
    found = len(re.findall(old, PROVISIONERS, flags=re.M))
    check(found >= 1, f'{old!r} is not in the story')
    return re.sub(old, new, PROVISIONERS, count=count, flags=re.M)


def plan_of(text):
    """The plan, and its launches by pool."""
    out, _ = run('plan', '-f', '-', *WORKLOADS, '-o', 'json', text=text)
    plan = json.loads(out)
    return plan, {launch['nodePool']: launch for launch in plan['launches']}


def check_requirements():
    """Each requirement narrows the choice."""
    for old, new, key, want in (
            (r'values: \[c, m, r\]', 'values: [r]', 'karpenter.k8s.aws/instance-category', 'r'),
            (r'"4", "8", "16", "32"', '"16"', 'karpenter.k8s.aws/instance-cpu', '16'),
            (r'values: \[nitro\]', 'values: [xen]', 'karpenter.k8s.aws/instance-hypervisor', 'xen'),
            (r'values: \["2"\]', 'values: ["7"]', 'karpenter.k8s.aws/instance-generation', '8'),
            (r'us-west-2a, us-west-2b', 'us-west-2c', 'topology.kubernetes.io/zone', 'us-west-2c'),
            (r'values: \[arm64, amd64\]', 'values: [arm64]', 'kubernetes.io/arch', 'arm64'),
            (r'values: \[spot, on-demand\]', 'values: [on-demand]', 'karpenter.sh/capacity-type', 'on-demand')):
        _, launches = plan_of(changed(old, new))
        equal(label(launches['general'], key), want, f'{key} narrowed')
    # what the webhook of that time added: without it ARM would be cheaper
    _, launches = plan_of(changed(r'operator: In, values: \[m\]\}', 'operator: In, values: [m]}\n  '
                                  '- {key: kubernetes.io/arch, operator: Exists}'))
    equal(label(launches['special'], 'kubernetes.io/arch'), 'arm64', 'no default when arch is constrained')


def check_kubelet():
    """Each setting of the kubelet that acts changes what can be allocated."""
    def allocatable(old, new):
        launch = plan_of(changed(old, new))[1]['general']
        return launch, launch['choice']['allocatable']

    launch, amounts = allocatable('podsPerCore: 2', 'podsPerCore: 3')
    equal(amounts['pods'], str(min(20, 3 * int(label(launch, 'karpenter.k8s.aws/instance-cpu')))), 'podsPerCore')
    launch, amounts = allocatable('    podsPerCore: 2\n', '')
    equal(amounts['pods'], '20', 'maxPods alone')
    launch, amounts = allocatable('maxPods: 20', 'maxPods: 6')
    equal(amounts['pods'], '6', 'maxPods')
    for old, new, what in (('systemReserved: .cpu: 100m', 'systemReserved: {cpu: 150m', 'systemReserved'),
                           ('kubeReserved: .cpu: 200m', 'kubeReserved: {cpu: 250m', 'kubeReserved')):
        launch, amounts = allocatable(old, new)
        equal(amounts['cpu'], f'{int(label(launch, "karpenter.k8s.aws/instance-cpu")) * 1000 - 350}m', what)
    launch, amounts = allocatable(r'evictionHard:\n      memory.available: 5%', 'evictionHard:\n      memory.available: 10%')
    capacity = memory_capacity(launch)
    equal(int(amounts['memory']), capacity - 200 * MI - math.ceil(capacity / 100 * 10), 'evictionHard, memory')
    launch, amounts = allocatable('nodefs.available: 10%', 'nodefs.available: 5Gi')
    equal(amounts['ephemeral-storage'], '11Gi', 'evictionHard, disk')


def check_pools():
    """Labels, taints, limits, weights, templates."""
    plan, launches = plan_of(changed('billing-team: my-team', 'billing-team: their-team'))
    equal(launches['general']['labels'].get('billing-team'), 'their-team', 'labels')
    plan, launches = plan_of(changed('owner: my-team', 'owner: their-team'))
    equal(launches['general']['annotations'].get('example.com/owner'), 'their-team', 'annotations')
    plan, launches = plan_of(changed(r'  taints:\n.*\n', ''))
    equal(sorted(launches), ['special'], 'without the taint all go to the pool that is asked first')
    plan, launches = plan_of(changed(r'  startupTaints:\n.*\n', ''))
    equal(launches['special']['startupTaints'], [], 'startupTaints')
    plan, launches = plan_of(changed('ttlSecondsUntilExpired: 2592000', 'ttlSecondsUntilExpired: 2592000\n  weight: 20'))
    equal(sorted(launches), ['general'], 'weight: the general pool is asked first')
    plan, launches = plan_of(changed('cpu: "1000"', 'cpu: "1"'))
    equal(sorted(launches), ['special'], 'limits')
    equal(len(plan['unschedulable']), 5, 'pods beyond the limits')
    # the template of both: its family of images and its disk
    text = changed('spec:\n  subnetSelector:', 'spec:\n  amiFamily: Bottlerocket\n  blockDeviceMappings:\n'
                   '  - {deviceName: /dev/xvdb, ebs: {volumeSize: 50Gi}}\n  subnetSelector:')
    plan, launches = plan_of(text)
    equal(launches['special']['choice']['allocatable']['ephemeral-storage'], '44Gi', 'blockDeviceMappings')
    equal(launches['general']['choice']['allocatable']['ephemeral-storage'], '41Gi', 'blockDeviceMappings and kubelet')
    equal(launches['general']['choice']['allocatable']['pods'], '20', 'Bottlerocket knows no podsPerCore')
    plan, launches = plan_of(text.replace('    name: template\n', '    name: another\n'))
    equal(launches['special']['choice']['allocatable']['ephemeral-storage'], '17Gi', 'providerRef')
    check(any('EC2NodeClass another is not in the input' in line for line in plan['warnings']), 'a template that is not there')


def check_ends():
    """When nodes end: in the NodeClaims, and in what may go."""
    for old, new, want in (('ttlSecondsUntilExpired: 2592000', 'ttlSecondsUntilExpired: 3600', '1h0m0s'),
                           ('  ttlSecondsUntilExpired: 2592000\n', '', 'Never')):
        out, _ = run('plan', '-f', '-', *WORKLOADS, '-o', 'yaml', text=changed(old, new))
        claim = out.split('---')[0]
        check(f'expireAfter: {want}\n' in claim, f'expireAfter {want}: {claim}')
    node = ('---\napiVersion: v1\nkind: Node\nmetadata:\n  name: idle\n  creationTimestamp: "2023-02-26T08:00:00Z"\n  labels: '
            '{karpenter.sh/provisioner-name: special, node.kubernetes.io/instance-type: m5.large, kubernetes.io/arch: amd64, '
            'kubernetes.io/os: linux, topology.kubernetes.io/zone: us-west-2a, karpenter.sh/capacity-type: on-demand}\n'
            'spec: {providerID: "aws:///us-west-2a/i-idle", taints: [{key: example.com/special-taint, effect: NoSchedule}]}\n')
    for now, text, want in (('2023-02-26T08:00:10Z', PROVISIONERS, []),
                            ('2023-02-26T09:00:00Z', PROVISIONERS, [('delete', ['idle'])]),
                            ('2023-02-26T09:00:00Z', changed('  ttlSecondsAfterEmpty: 30\n', ''), [])):
        out, _ = run('disrupt', '-f', '-', '-o', 'json', '--now', now, text=text + node)
        commands = [(c['decision'], c['nodes']) for c in json.loads(out)['commands']]
        equal(commands, want, f'ttlSecondsAfterEmpty at {now}')


def check_idle():
    """What has no effect: without it the plan is the same but for the notes."""
    def bare(text):
        plan = plan_of(text)[0]
        return {key: plan[key] for key in ('launches', 'placements', 'unschedulable', 'cost')}, plan['warnings']

    before, warnings = bare(PROVISIONERS)
    # soft thresholds and their grace periods go together: one without the other is a mistake
    together = 'evictionSoft(?:GracePeriod)?'
    for field in [f for f in WITHOUT_EFFECT if not f.startswith('evictionSoft')] + [together]:
        indent = 4 if field not in ('subnetSelector', 'securityGroupSelector', 'tags') else 2
        count = 2 if field == together else 1
        text = changed(rf'^ {{{indent}}}{field}:.*\n(?: {{{indent + 1},}}.*\n)*', '', count)
        after, left = bare(text)
        equal(after, before, f'the plan without {field}')
        equal(len(left), len(warnings) - count, f'notes without {field}')
    out = run('plan', '-f', '-', *WORKLOADS, status=1, text=changed(r'^    evictionSoftGracePeriod:.*\n(?: {5,}.*\n)*', ''))[1]
    check('evictionSoft' in out and 'grace period' in out, f'thresholds without grace periods: {out}')


def check_right_sized():
    answer = document('disrupt', *files('field-tour', 'right-sized.yaml'), '--now', '2023-02-26T12:00:00Z')
    equal(len(answer.get('commands', [])), 1, 'commands')
    off = (STORIES / 'field-tour' / 'right-sized.yaml').read_text().replace('enabled: true', 'enabled: false')
    still, _ = run('disrupt', '-f', '-', '-o', 'json', '--now', '2023-02-26T12:00:00Z', text=off)
    equal(json.loads(still)['commands'], [], 'without consolidation')
    for command in answer.get('commands', []):
        moved = [p for part in command['replacements'] + command['placements'] for p in part['pods']]
        left = 2 - len(command['nodes']) + len(command['replacements'])
        equal(left, 1, 'nodes afterwards')
        check(set(moved) <= {'default/service-left', 'default/service-right'} and moved, f'{moved} move')
        check(float(command['savings']) > 0, 'it saves nothing')


def check_bad_list():
    """The text has a list item that is not YAML: the error says where."""
    text = ('apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata:\n  name: x\nspec:\n  requirements:\n'
            '  - key: topology.kubernetes.io/zone\n    operator: In\n    values:\n    - "us-west-2a", "us-west-2b"\n')
    out, error = run('plan', '-f', '-', status=1, text=text)
    equal(out, '', 'output')
    check(error.startswith('karp: ') and ':10:' in error, f'the error names no line: {error}')


check_plan()
check_requirements()
check_kubelet()
check_pools()
check_ends()
check_idle()
check_right_sized()
check_bad_list()
sys.exit(finish())
