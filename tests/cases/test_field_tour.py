# SPDX-License-Identifier: Apache-2.0
"""Every field of a Provisioner and an AWSNodeTemplate: what acts, acts; what does not, is named."""
import sys

from stories import check, document, equal, files, finish, label, pods, run

WITHOUT_EFFECT = ('clusterDNS', 'containerRuntime', 'evictionSoftGracePeriod', 'evictionMaxPodGracePeriod',
                  'imageGCHighThresholdPercent', 'imageGCLowThresholdPercent', 'cpuCFSQuota', 'subnetSelector',
                  'securityGroupSelector', 'tags')


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

    told = '\n'.join(plan['warnings'])
    for field in WITHOUT_EFFECT:
        check(field in told, f'{field} has no effect, and nothing says so')
    for field in ('maxPods', 'podsPerCore', 'weight', 'ttlSecondsUntilExpired', 'startupTaints'):
        check(field not in told, f'{field} is said to have no effect')


def check_right_sized():
    answer = document('disrupt', *files('field-tour', 'right-sized.yaml'), '--now', '2023-02-26T12:00:00Z')
    equal(len(answer.get('commands', [])), 1, 'commands')
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
check_right_sized()
check_bad_list()
sys.exit(finish())
