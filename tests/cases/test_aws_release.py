# SPDX-License-Identifier: Apache-2.0
"""What release 1.15.2 of the aws provider does otherwise than 1.14: repair by reasons, enclaves, expressions of the kubelet's settings, and
reservations without a free instance."""
import json
import pathlib
import re
import tempfile

from stories import check, document, equal, finish, run

folder = tempfile.TemporaryDirectory()
XID = {'transient': 'NvidiaXID63Error', 'fatal': 'NvidiaXID79Error', 'unknown': 'NvidiaXID13Error'}


def manifest(*objects):
    path = pathlib.Path(folder.name) / 'input.json'
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def pool(**template):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {'template': {'spec': {
        'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, **template}}}}


def node_class(**spec):
    return {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'},
            'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}], 'role': 'r', **spec}}


def pod(name='a', **spec):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name}, 'spec': {
        'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}], **spec}}


def broken(reason, minutes):
    room = {'cpu': '4', 'memory': '16Gi', 'pods': '20'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'gpu', 'labels': {
        'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': 'g5.xlarge', 'topology.kubernetes.io/zone': 'us-west-2a',
        'karpenter.sh/capacity-type': 'on-demand'}}, 'spec': {'providerID': 'aws:///us-west-2a/i-1'}, 'status': {
            'allocatable': room, 'capacity': room, 'conditions': [{'type': 'Ready', 'status': 'True'}, {
                'type': 'AcceleratedHardwareReady', 'status': 'False', 'reason': reason,
                'lastTransitionTime': f'2026-01-05T11:{60 - minutes}:00Z'}]}}


def repaired(reason, minutes, gates):
    plan = document('disrupt', manifest(pool(), node_class(), broken(reason, minutes)), '--now', '2026-01-05T12:00:00Z',
                    '--method', 'Repair', '--feature-gates', gates)
    return [c['decision'] for c in plan.get('commands', [])]


def repair():
    on, reboot = 'NodeRepair=true', 'NodeRepair=true,RebootForRepair=true'
    equal(repaired(XID['fatal'], 15, on), ['delete'], 'a fatal fault after 10 minutes')
    equal(repaired(XID['fatal'], 15, reboot), ['delete'], 'a reboot would not clear it')
    equal(repaired(XID['transient'], 15, on), ['delete'], 'one that a reboot clears')
    equal(repaired(XID['transient'], 15, reboot), ['reboot'], 'with the gate')
    equal(repaired(XID['transient'], 5, reboot), [], 'not yet')
    equal(repaired(XID['unknown'], 15, on), [], 'an unknown one has 30 minutes')
    equal(repaired(XID['unknown'], 35, on), ['delete'], 'an unknown one')
    equal(repaired(XID['fatal'], 15, 'NodeRepair=false'), [], 'the gate')
    whole = manifest(pool(), node_class(), broken(XID['fatal'], 15))
    words = ('--now', '2026-01-05T12:00:00Z', '--feature-gates', on)
    dump = pathlib.Path(folder.name) / 'dump.json'
    dump.write_text(run('dump', whole, *words)[0])
    equal(len(json.loads(dump.read_text())['settings']['repairPolicies']), 9, 'the dump has the policies')
    again = document('disrupt', dump, '--method', 'Repair')
    equal([c['decision'] for c in again['commands']], ['delete'], 'and is decided alike')
    azure = {**pool(), 'spec': {'template': {'spec': {'nodeClassRef': {'group': 'karpenter.azure.com', 'kind': 'AKSNodeClass', 'name': 'x'}}}}}
    check(any('no repair policies' in w for w in document('plan', manifest(azure, pod()), '--feature-gates', on)['warnings']), 'azure')


def legacy():
    """WithLegacyRepairPolicies(): the list of before 1.15, and the controller that deletes NodeClaims by itself."""
    def notes(minutes, *words, nodes=1):
        broken_nodes = [json.loads(json.dumps(broken(XID['unknown'], minutes)).replace('"gpu"', f'"gpu-{i}"').replace('i-1', f'i-{i}')) for i in range(nodes)]
        plan = document('disrupt', manifest(pool(), node_class(), *broken_nodes), '--now', '2026-01-05T12:00:00Z', *words)
        return [c for c in plan['commands'] if c.get('reason') == 'Unhealthy'], [w for w in plan['warnings'] if '--legacy-node-repair' in w]

    on = ('--legacy-node-repair', '--feature-gates', 'NodeRepair=true')
    equal(notes(15, *on), ([], ['NodeClaim gpu-0: its node is unhealthy, and the controller of --legacy-node-repair deletes it']), 'any fault after 10 minutes')
    equal(notes(5, *on), ([], []), 'not yet')
    equal(notes(15, '--legacy-node-repair'), ([], []), 'the gate')
    equal(len(notes(15, *on, nodes=3)[1]), 3, 'a note on each')
    check('leaves it, as more than 20 %' in notes(15, *on, nodes=3)[1][0], 'too many')
    equal(json.loads(run('dump', manifest(pool(), node_class()), *on)[0])['settings']['legacyNodeRepair'], True, 'the dump has the setting')


def launched(*objects):
    return [launch['choice']['instanceType'] for launch in document('plan', manifest(*objects))['launches']]


def classes():
    cheap = pool(requirements=[{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']},
                               {'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': ['t3.medium', 'm5.large', 'm5.xlarge', 'c8i.xlarge']}])
    equal(launched(cheap, node_class(), pod()), ['t3.medium'], 'any type')
    equal(launched(cheap, node_class(enclaveOptions={'enabled': True}), pod()), ['c8i.xlarge'], 'types with Nitro Enclaves')
    equal(launched(cheap, node_class(enclaveOptions={'enabled': False}), pod()), ['t3.medium'], 'not enabled')
    other = document('plan', manifest(cheap, node_class(), pod(nodeSelector={'karpenter.k8s.aws/nitro-sandbox': 'true'})))
    equal(len(other['ignored']), 1, 'a label that was never released')
    equal(launched(cheap, node_class(cpuOptions={'nestedVirtualization': 'enabled'}), pod()), ['c8i.xlarge'], 'nested virtualisation')


def expressions():
    for kubelet, where in (({'maxPods': 'vcpus * 10'}, 'maxPods'), ({'kubeReserved': {'cpu': '100x'}}, 'kubeReserved["cpu"]'),
                           ({'systemReserved': {'memory': 'max_pods * 11'}}, 'systemReserved["memory"]')):
        objects = manifest(pool(), node_class(kubelet=kubelet), pod())
        plan = document('plan', objects)
        equal(plan['launches'], [], where)
        check(any(f'EC2NodeClass default is not ready, and its NodePools launch nothing: spec.kubelet.{where} is' in w for w in plan['warnings']), where)
        error = run('plan', objects, '--feature-gates', 'NodeClassCEL=true', status=None)
        check('is an expression, which karp does not evaluate' in error[1], error[1])
    equal(len(launched(pool(), node_class(kubelet={'kubeReserved': {'cpu': '100m'}, 'maxPods': 20}), pod())), 1, 'quantities')


def reservations():
    """Release 1.15.2, pkg/providers/instancetype/offering/reserved_capacity_resolver.go: available is health alone. The core of 1.15 waits for
    a reservation that only is full (K15-4), and takes what else there is."""
    def reserved(left, **status):
        return {**node_class(), 'status': {'capacityReservations': [{
            'id': 'cr-1', 'instanceType': 'm5.large', 'availabilityZone': 'us-west-2a', 'availableInstanceCount': left, **status}], 'subnets': [
                {'id': 's', 'zone': 'us-west-2a', 'zoneID': 'usw2-az1'}]}}

    def decided(left, types, *words, **status):
        kinds = pool(requirements=[{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': types},
                                   {'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': ['m5.large']}])
        plan = document('plan', manifest(kinds, reserved(left, **status), pod()), *words)
        return [launch['choice']['capacityType'] for launch in plan['launches']] + [u['code'] for u in plan['unschedulable']]

    equal(decided(1, ['reserved']), ['reserved'], 'a free instance')
    equal(decided(1, ['reserved', 'on-demand']), ['reserved'], 'a free instance comes first')
    equal(decided(0, ['reserved']), ['RESERVED'], 'full: it is waited for')
    equal(decided(0, ['reserved'], state='expiring'), ['NO_TEMPLATES'], 'not available')
    equal(decided(0, ['reserved', 'on-demand']), ['on-demand'], 'something else')
    old = ('--profile', 'karpenter-1.14')
    equal(decided(0, ['reserved'], *old), ['NO_TEMPLATES'], '1.14.3: it is not available')
    equal(decided(0, ['reserved', 'on-demand'], *old), ['on-demand'], '1.14.3: something else')
    equal(decided(0, ['reserved'], *old, '--set', 'reservedENIs=1'), ['NO_TEMPLATES'], 'beside another setting')
    equal(decided(0, ['reserved'], *old, '--set', 'release=1.15.2'), ['RESERVED'], 'another release')
    equal(decided(0, ['reserved'], '--set', 'release=1.14.3'), ['NO_TEMPLATES'], '1.15 with the older release')
    both = pool(requirements=[{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['reserved']}])
    compared = document('diff', manifest(both, reserved(0), pod()), '--profile', 'karpenter-1.14', '--profile', 'karpenter-1.15')
    check('NO_TEMPLATES' in json.dumps(compared) and 'RESERVED' in json.dumps(compared), 'each version has its release')
    # A replay reads as its policy decides: under 1.15 a pod waits for the reservation, and under 1.14 it goes to the other pool.
    first, second = pool(requirements=both['spec']['template']['spec']['requirements']), pool()
    first['spec']['weight'], second['metadata']['name'] = 10, 'second'
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'story.json')
        path.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'region': 'us-west-2',
                                    'objects': [first, second, reserved(0)], 'steps': [{'apply': [pod()]}, {'wait': '10m'}]}))
        waits = {p['policy']: p['launches'] for p in document('replay', path, '--policy', 'karpenter-1.14,karpenter-1.15,karpenter')['policies']}
        equal(waits, {'karpenter-1.14': 1, 'karpenter-1.15': 0, 'karpenter': 0}, 'replay')
        played = ['second-1 launched' in run('simulate', path, '--profile', f'karpenter-1.{minor}')[0] for minor in (14, 15)]
        equal(played, [True, False], 'simulate')
    check('release: must be 1.14.3 or 1.15.2' in run('plan', manifest(pool(), pod()), '--set', 'release=2', status=None)[1], 'a release')


def played():
    """Stories and replays have the release of their version, too: without a free instance, the reservation of 1.14.3 is no offering to wait for."""
    kinds = pool(requirements=[{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['reserved', 'on-demand']},
                               {'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': ['m5.large']}])
    full = {**node_class(), 'status': {'capacityReservations': [{'id': 'cr-1', 'instanceType': 'm5.large', 'availabilityZone': 'us-west-2a', 'availableInstanceCount': 0}],
                                       'subnets': [{'id': 's', 'zone': 'us-west-2a', 'zoneID': 'usw2-az1'}]}}
    web = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'}, 'spec': {'replicas': 0, 'selector': {'matchLabels': {'app': 'web'}}, 'template': {
        'metadata': {'labels': {'app': 'web'}}, 'spec': pod()['spec']}}}
    path = pathlib.Path(folder.name) / 'story.json'
    path.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'region': 'us-west-2', 'start': '2026-01-05T12:00:00Z', 'objects': [kinds, full, web],
                                'steps': [{'scale': {'deployment': 'web', 'replicas': 1}}, {'wait': '5m'}]}))
    for version in ('karpenter-1.14', 'karpenter'):
        equal(document('simulate', path, '--profile', version)['totals']['launches'], 1, f'simulate: {version}')
    equal([p['launches'] for p in document('replay', path, '--policy', 'karpenter-1.14,karpenter')['policies']], [1, 1], 'replay')


def retired():
    """moto 5.1.22 (March 2026) still describes p3.2xlarge, and 5.2.5 does not."""
    types = {'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': ['p2.xlarge', 'm5.large', 'p3dn.24xlarge', 'i3.large', 'u7i-12tb.224xlarge']}
    families = {'key': 'karpenter.k8s.aws/instance-family', 'operator': 'In', 'values': ['g4ad', 'm5']}
    world = manifest(pool(requirements=[types, families]), node_class(), pod(nodeSelector={'node.kubernetes.io/instance-type': 'p3.2xlarge'}))
    notes = [w for w in document('plan', world)['warnings'] if ' is retired: ' in w]
    equal(notes, ['instance type g4ad is retired: EC2 described g4ad in March 2026, and no longer in October 2026',
                  'instance type p2.xlarge is retired: EC2 described p2 in February 2025, and no longer in October 2026',
                  'instance type p3.2xlarge is retired: EC2 described p3 in March 2026, and no longer in October 2026'], 'a plan')
    check('p3.2xlarge is retired' in ' '.join(run('lint', world, status=None)[0].split()), 'lint')
    check('retired types, which have no row' in ' '.join(run('--version')[0].split()), 'the facts')
    own = json.dumps({'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'catalogues': [{'instanceTypes': []}], 'objects': []})
    (pathlib.Path(folder.name) / 'own.json').write_text(own)
    check(not any(' is retired: ' in w for w in document('plan', world, pathlib.Path(folder.name) / 'own.json')['warnings']), 'types of its own')
    source = pathlib.Path(__file__).resolve().parents[2] / 'lib' / 'providers' / 'aws'
    rows = re.findall(r'TEXT\("(.*?)"\)', (source / 'retired.c').read_text())
    names = [line.split('|')[0] for line in (source / 'data' / 'ec2.txt').read_text().splitlines() if '|' in line]
    equal([n for n in names if n in rows or n.split('.')[0] in rows], [], 'a type is in the table or retired')


repair()
legacy()
retired()
reservations()
played()
classes()
expressions()
finish()
