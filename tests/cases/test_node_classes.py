# SPDX-License-Identifier: Apache-2.0
"""Node classes and label tables of the built-in provider: what they change, and what is said of them."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, files, finish, run

CLASS = '''
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: %s}
spec:
  amiSelectorTerms: [{alias: al2023@latest}]
'''
POOL = '''
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %s}
spec:
  template:
    metadata: {labels: {pool: %s}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: %s}
      requirements:
      - {key: node.kubernetes.io/instance-type, operator: In, values: [%s]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [%s]}
'''
POD = '''
---
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  nodeSelector: {%s}
  containers: [{name: c, image: c, resources: {requests: {cpu: 100m}}}]
'''


def pool(name, node_class, types='m5.large', capacity='on-demand'):
    return POOL % (name, name, node_class, types, capacity)


def plan(text, *options):
    out, _ = run('plan', '-f', '-', '-o', 'json', *options, text=text)
    return json.loads(out or '{"launches": [], "warnings": []}')


def allocatable(node_class, *options):
    # a family that is named has images of its own: an alias of another one is refused
    head = (CLASS % 'mine').replace('alias: al2023@latest', 'id: ami-1') if 'amiFamily' in node_class else CLASS % 'mine'
    answer = plan(head + node_class + pool('p', 'mine') + POD % ('a', 'pool: p'), *options)
    equal(len(answer['launches']), 1, f'launches under {node_class}')
    return answer['launches'][0]['choice']['allocatable'] if answer['launches'] else {}


def check_settings():
    plain = {'cpu': '1930m', 'memory': '6903Mi', 'pods': '29', 'ephemeral-storage': '17Gi', 'vpc.amazonaws.com/pod-eni': '9'}
    for node_class, change in (
            ('', {}),
            ('  kubelet: {maxPods: 110}\n', {'pods': '110'}),
            ('  kubelet: {podsPerCore: 4}\n', {'pods': '8'}),
            ('  kubelet: {kubeReserved: {cpu: 200m, pid: "100"}, systemReserved: {memory: 100Mi, ephemeral-storage: 2Gi}}\n',
             {'cpu': '1800m', 'memory': '6803Mi', 'ephemeral-storage': '15Gi'}),
            ('  kubelet: {evictionHard: {memory.available: 5%, nodefs.available: 10.5%}}\n',
             {'memory': '6945924710', 'ephemeral-storage': '18146236825'}),
            ('  amiFamily: Bottlerocket\n  kubelet: {maxPods: 20}\n', {'pods': '20', 'memory': '7002Mi'}),
            ('  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 100Gi}}]\n', {'ephemeral-storage': '89Gi'}),
            ('  blockDeviceMappings: [{deviceName: /dev/sdz, rootVolume: true, ebs: {volumeSize: 40Gi}}]\n',
             {'ephemeral-storage': '35Gi'})):
        equal(allocatable(node_class), {**plain, **change}, f'under {node_class}')
    disks = CLASS % 'mine' + '  instanceStorePolicy: RAID0\n' + pool('p', 'mine', 'm5d.large') + POD % ('a', 'pool: p')
    equal(plan(disks)['launches'][0]['choice']['allocatable']['ephemeral-storage'], '66426258176', 'RAID0')


def check_zones():
    subnets = 'status: {subnets: [{id: s, zone: %s, zoneID: %s}]}\n'
    text = CLASS % 'mine' + subnets % ('us-west-2c', 'usw2-az3') + pool('p', 'mine') + POD % ('a', 'pool: p')
    launch = plan(text)['launches'][0]
    equal(launch['choice']['zone'], 'us-west-2c', 'zone of the subnet')
    equal(launch['choice']['nodeLabels'].get('topology.k8s.aws/zone-id'), 'usw2-az3', 'its id')
    # the region is that of the subnets when nothing else tells
    text = CLASS % 'mine' + subnets % ('eu-west-1b', 'euw1-az2') + pool('p', 'mine') + POD % ('a', 'pool: p')
    equal(plan(text)['launches'][0]['choice']['zone'], 'eu-west-1b', 'region of the subnet')
    answer = plan(text, '--region', 'us-east-1')
    equal(answer['launches'], [], 'subnets of another region')
    check(any('none of its subnets is in us-east-1' in line for line in answer['warnings']), f'{answer["warnings"]}')
    # … or that of a label, a requirement, or the option
    for region, extra, options in (('eu-west-1', POD % ('b', 'topology.kubernetes.io/zone: eu-west-1a'), ()),
                                   ('us-east-1', POD % ('b', 'topology.kubernetes.io/region: us-east-1'), ()),
                                   ('eu-west-1', '', ('--region', 'eu-west-1')), ('us-west-2', '', ())):
        launches = plan(pool('p', 'default') + POD % ('a', 'pool: p') + extra, *options)['launches']
        equal({l['choice']['nodeLabels']['topology.kubernetes.io/region'] for l in launches}, {region}, f'{region} {options}')


def check_reservations():
    text = CLASS % 'mine' + ('status: {capacityReservations: [{id: cr-1, instanceType: m5.large, availabilityZone: us-west-2b, '
                             'availableInstanceCount: 1}]}\n')
    text += pool('p', 'mine', capacity='on-demand, reserved') + POD % ('a', 'pool: p')
    choice = plan(text)['launches'][0]['choice']
    equal((choice['capacityType'], choice['zone'], choice['price']), ('reserved', 'us-west-2b', '9.6e-9'), 'reservation')
    equal(choice['nodeLabels'].get('karpenter.k8s.aws/capacity-reservation-id'), 'cr-1', 'its id')


def check_each_pool_its_own():
    text = CLASS % 'one' + '  kubelet: {maxPods: 11}\n' + CLASS % 'two' + '  kubelet: {maxPods: 22}\n'
    text += CLASS % 'same' + '  kubelet: {maxPods: 11, clusterDNS: [10.0.0.1]}\n  tags: {a: b}\n'
    for name, node_class in (('a', 'one'), ('b', 'two'), ('c', 'same'), ('d', 'gone')):
        text += pool(name, node_class) + POD % (f'pod-{name}', f'pool: {name}')
    text += ('\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {karpenter.sh/nodepool: b, '
             'node.kubernetes.io/instance-type: m5.large, topology.kubernetes.io/zone: us-west-2a, '
             'karpenter.sh/capacity-type: on-demand}}\n')
    answer = plan(text, '--region', 'us-west-2')
    got = {l['nodePool']: l['choice']['allocatable']['pods'] for l in answer['launches']}
    equal(got, {'a': '11', 'c': '11', 'd': '29'}, 'pods of each pool')
    equal([p['node'] for p in answer['placements']], ['n1'], 'the node of pool b')
    notes = [line for line in answer['warnings'] if 'NodeClass' in line]
    check(len(notes) == 1 and 'EC2NodeClass gone is not in the input' in notes[0], f'{notes}')

    dump = json.loads(run('dump', '-f', '-', text=text)[0])
    equal([c['nodePools'] for c in dump['catalogues']], [['a', 'c'], ['b'], ['d']], 'equal classes share a catalogue')
    node = next(o for o in dump['objects'] if o['kind'] == 'Node')
    equal(node['status']['allocatable']['pods'], '22', 'a sketched node is of its own pool')
    # the Snapshot has everything: it plans the same
    again = plan(json.dumps(dump))
    equal(again['launches'], answer['launches'], 'from the Snapshot')
    equal(again['input']['sha256'], answer['input']['sha256'], 'digest of the Snapshot')
    # --provider puts the built-in types in place of the Snapshot's, node classes included
    dump['catalogues'] = [{'instanceTypes': []}]
    equal(plan(json.dumps(dump))['launches'], [], 'without types')
    equal(plan(json.dumps(dump), '--provider', 'aws')['launches'], answer['launches'], '--provider aws')
    # the order of the input does not show
    parts = text.split('\n---\n')
    turned = plan('\n---\n'.join(parts[:1] + parts[:0:-1]), '--region', 'us-west-2')
    equal([(l['nodePool'], l['choice']) for l in turned['launches']], [(l['nodePool'], l['choice']) for l in answer['launches']],
          'another order')


def check_labels():
    """AWS's labels may be asked for although no pool names them; other labels may not."""
    for selector, fits in (('karpenter.k8s.aws/instance-family: m5', True), ('karpenter.k8s.aws/instance-family: c5', False),
                           ('topology.ebs.csi.aws.com/zone: us-west-2b', True), ('example.com/family: m5', False),
                           ('karpenter.k8s.aws/nonsense: m5', False)):
        answer = plan(pool('p', 'default') + POD % ('a', selector))
        equal(len(answer['launches']), 1 if fits else 0, selector)
    labels = json.loads(run('dump', '-f', '-', text=pool('p', 'default'))[0])['labels']
    equal(labels['restrictedDomains'], ['karpenter.k8s.aws'], 'restricted domains')
    equal(labels['reservationID'], 'karpenter.k8s.aws/capacity-reservation-id', 'reservations')
    equal(labels['normalized'], {'topology.ebs.csi.aws.com/zone': 'topology.kubernetes.io/zone'}, 'normalised')
    check('topology.k8s.aws/zone-id' in labels['wellKnown'] and len(labels['wellKnown']) > 25, 'well known')
    # a Snapshot states its own
    bare = {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'objects': []}
    equal(json.loads(run('dump', '-f', '-', text=json.dumps(bare))[0])['labels'], {}, 'labels of a Snapshot')


def check_kwok(folder):
    """What a file's offerings state is well known; AWS's tables come with AWS's pools, or when they are asked for."""
    types = folder / 'types.json'
    types.write_text(json.dumps([{
        'name': 'm-4x-amd64-linux', 'architecture': 'amd64', 'operatingSystems': ['linux'],
        'resources': {'cpu': '4', 'memory': '16Gi', 'pods': '110'},
        'offerings': [{'Price': 0.1, 'Available': True, 'Requirements': [
            {'key': key, 'operator': 'In', 'values': [value]} for key, value in
            (('topology.kubernetes.io/zone', 'zone-a'), ('karpenter.sh/capacity-type', 'spot'), ('example.com/rack', 'r1'))]}]}]))
    foreign = pool('p', 'default', 'm-4x-amd64-linux', 'spot').replace('karpenter.k8s.aws', 'karpenter.kwok.sh')
    foreign = foreign.replace('EC2NodeClass', 'KWOKNodeClass')
    for selector, fits in (('example.com/rack: r1', True), ('example.com/rack: r2', False), ('example.com/row: r1', False),
                           ('karpenter.kwok.sh/instance-family: m', True)):
        answer = plan(foreign + POD % ('a', selector), '--catalogue', types)
        equal(len(answer['launches']), 1 if fits else 0, f'kwok: {selector}')
        equal(answer['warnings'], [], 'notes')
    for text, options, domain in ((foreign, (), 'karpenter.kwok.sh'), (foreign, ('--provider', 'aws'), 'karpenter.k8s.aws'),
                                  (foreign.replace('karpenter.kwok.sh, kind', 'karpenter.k8s.aws, kind'), (), 'karpenter.k8s.aws')):
        out, _ = run('dump', '-f', '-', '--catalogue', types, *options, text=text)
        labels = json.loads(out)['labels']
        check('example.com/rack' in labels['wellKnown'], f'{options}: {labels}')
        equal(labels['restrictedDomains'], [domain], f'tables with {options}')
        equal(sorted(labels['wellKnown']), labels['wellKnown'], 'order')
    misspelt = plan(foreign.replace('karpenter.kwok.sh', 'karpenter.kwok.s') + POD % ('a', 'pool: p'), '--catalogue', types)
    check('karpenter.kwok.s is the group of no provider that is known; did you mean karpenter.kwok.sh?' in str(misspelt['problems']), misspelt['problems'])
    # without a catalogue, its own types; those of a group that nobody knows are not known either
    equal([one['choice']['instanceType'] for one in plan(foreign + POD % ('a', 'pool: p'))['launches']], ['m-4x-amd64-linux'], 'own types')
    unknown = foreign.replace('karpenter.kwok.sh', 'karpenter.example.com').replace('KWOKNodeClass', 'ShedNodeClass')
    error = run('plan', '-f', '-', text=unknown + POD % ('a', 'pool: p'), status=1)[1]
    check('NodePool p: spec.template.spec.nodeClassRef: ' in error and 'karpenter.example.com, kind ShedNodeClass' in error, error)


def check_errors():
    """File, line, object and field."""
    for text, place, what in (
            (CLASS % 'bad' + '  kubelet:\n    maxPods: -1\n', ':9:', 'EC2NodeClass bad: spec.kubelet.maxPods'),
            (CLASS % 'bad' + '  blockDeviceMappings:\n  - deviceName: /dev/xvda\n    ebs:\n      volumeSize: much\n', ':11:',
             'EC2NodeClass bad: spec.blockDeviceMappings[0].ebs.volumeSize'),
            (CLASS % 'bad' + '  kubelet:\n    evictionHard:\n      imagefs.available: 1%\n      nodefs.available: 1O%\n', ':11:',
             'EC2NodeClass bad: spec.kubelet.evictionHard["nodefs.available"]'),
            (CLASS % 'bad' + 'status:\n  subnets:\n  - zone: us-west-2a\n  - zone: [us-west-2b]\n', ':11:',
             'EC2NodeClass bad: status.subnets[1].zone'),
            ('apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: old}\nspec:\n  kubeletConfiguration:\n'
             '    evictionHard:\n      memory.available: some\n', ':7:',
             'Provisioner old: spec.kubeletConfiguration.evictionHard["memory.available"]'),
            ('apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: old}\nspec:\n  provider:\n'
             '    blockDeviceMappings:\n    - ebs: {volumeSize: big}\n', ':7:',
             'Provisioner old: spec.provider.blockDeviceMappings[0].ebs.volumeSize')):
        out, error = run('plan', '-f', '-', status=1, text=text)
        equal(out, '', 'output')
        check(error.startswith('karp: -:') and place in error and what in error, f'{place} {what}: {error}')
    # the class is not looked at when other types are given
    snapshot = {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'catalogues': [{'instanceTypes': []}], 'objects': [
        {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'x'}, 'spec': {'kubelet': 7}}]}
    run('plan', '-f', '-', text=json.dumps(snapshot))
    _, error = run('plan', '-f', '-', '--provider', 'aws', status=1, text=json.dumps(snapshot))
    check('EC2NodeClass x: spec.kubelet' in error, error)


def check_limit():
    """So many classes that their types would fill the memory."""
    text = ''.join(CLASS % f'c{i}' + f'  kubelet: {{maxPods: {i}}}\n' + pool(f'p{i}', f'c{i}') for i in range(90))
    _, error = run('plan', '-f', '-', status=1, text=text)
    check('90 node classes' in error, error)


def check_workshop():
    """The node of the workshop, whatever form its node class has."""
    answer = json.loads(run('plan', *files('workshop', 'cluster.yaml'), '-o', 'json')[0])
    equal(answer['warnings'], [], 'notes')


if __name__ == '__main__':
    check_settings()
    check_zones()
    check_reservations()
    check_each_pool_its_own()
    check_labels()
    with tempfile.TemporaryDirectory() as name:
        check_kwok(pathlib.Path(name))
    check_errors()
    check_limit()
    check_workshop()
    sys.exit(finish())
