# SPDX-License-Identifier: Apache-2.0
"""karp catalogue: the built-in types of a region under a node class, and what it writes read back."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

CLASS = '''apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: mine}
spec:
  amiSelectorTerms: [{alias: bottlerocket@latest}]
  kubelet:
    maxPods: 20
    kubeReserved: {cpu: 500m}
    evictionHard: {memory.available: 5%}
  blockDeviceMappings:
  - {deviceName: /dev/xvdb, ebs: {volumeSize: 100Gi}}
status:
  subnets:
  - {id: s-1, zone: eu-west-1b, zoneID: euw1-az2}
  capacityReservations:
  - {id: cr-1, instanceType: m5.large, availabilityZone: eu-west-1b, availableInstanceCount: 3}
  placementGroup: {id: pg-1, strategy: partition, partitionCount: 2}
'''


def types(*arguments, text=None):
    out, _ = run('catalogue', '-o', 'json', *arguments, text=text)
    return {entry['name']: entry for entry in json.loads(out or '[]')}


def amounts(entry, *names):
    return [entry['allocatable'].get(name) for name in names]


def check_node_class():
    plain, mine = types('--region', 'eu-west-1'), types('-f', '-', text=CLASS)
    equal(sorted(plain), sorted(mine), 'types; the region is that of the subnets')
    equal(amounts(plain['m5.large'], 'cpu', 'memory', 'pods', 'ephemeral-storage', 'vpc.amazonaws.com/pod-eni'),
          ['1930m', '6903Mi', '29', '17Gi', '9'], 'm5.large')
    equal(amounts(mine['m5.large'], 'cpu', 'pods', 'ephemeral-storage'), ['1500m', '20', '89Gi'], 'm5.large under the class')
    equal(mine['m5.large']['overhead']['kubeReserved']['memory'], '475Mi', 'Bottlerocket counts the pods there are')
    zones = {o['zone'] for o in mine['m5.large']['offerings'] if o['available']}
    equal(zones, {'eu-west-1b'}, 'zones of the subnets')
    reserved = [o for o in mine['m5.large']['offerings'] if o['capacityType'] == 'reserved']
    equal([(o['labels']['karpenter.k8s.aws/capacity-reservation-id'], o['reservationCapacity'], o['available'])
           for o in reserved], [(['cr-1'], 3, True)] * 2, 'the reservation, by partition')
    equal(mine['m5.large']['labels']['topology.k8s.aws/zone-id'], ['euw1-az2'], 'zone id')
    old = types('-f', '-', text='apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: x}\n'
                                'spec: {amiFamily: Bottlerocket}\nstatus: {subnets: [{id: s, zone: us-east-1c}]}\n')
    equal({o['zone'] for o in old['m5.large']['offerings'] if o['available']}, {'us-east-1c'}, 'a template of 2022')


def check_options():
    plain = types()
    equal(amounts(types('--reserved-enis', '1')['m5.large'], 'pods', 'memory'), ['20', '6903Mi'], 'a reserved interface')
    equal(types('--vm-memory-overhead', '0')['m5.large']['capacity']['memory'], '8Gi', 'no overhead')
    equal(types('--vm-memory-overhead', '0.5')['m5.large']['capacity']['memory'], '4Gi', 'half of it')
    every = types('--all-types')
    check(len(every) > len(plain) and set(plain) < set(every), f'{len(every)} types, {len(plain)} of them offered')
    check(not any(o['available'] for name in every.keys() - plain.keys() for o in every[name]['offerings']), 'none is available')
    equal(types('--provider', 'aws'), plain, '--provider aws')


def check_read_back(folder):
    for arguments in (['--all-types'], ['-f', folder / 'class.yaml'], ['-f', folder / 'class.yaml', '--reserved-enis', '2']):
        file = folder / 'types.json'
        file.write_text(run('catalogue', '-o', 'json', *arguments)[0])
        again, error = run('catalogue', '--catalogue', file, '-o', 'json')
        equal(error, '', f'notes of {arguments}')
        check(again == file.read_text(), f'what {arguments} writes reads back as something else')
    # Where types are equally good, decisions take the first: their order stays, also in dumps.
    backwards = json.loads(file.read_text())[::-1][:40]
    names = [entry['name'] for entry in backwards]
    file.write_text(json.dumps(backwards))
    equal([entry['name'] for entry in json.loads(run('catalogue', '-o', 'json', '--catalogue', file)[0])], names, 'order')
    dump = json.loads(run('dump', '--catalogue', file, '-f', '-', text=CLASS)[0])
    equal([entry['name'] for entry in dump['catalogues'][0]['instanceTypes']], names, 'order in a dump')


def check_windows():
    """The family changes the system; ARM types have none then."""
    windows = types('-f', '-', text='apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: w}\n'
                                    'spec: {amiFamily: Windows2022}\n')
    equal(windows['m5.large']['labels']['kubernetes.io/os'], ['windows'], 'system')
    equal(windows['m5.large']['labels']['node.kubernetes.io/windows-build'], ['10.0.20348'], 'build')
    equal(amounts(windows['m5.large'], 'memory', 'pods'), ['6012Mi', '110'], 'memory and pods')


def check_wrong(folder):
    two = folder / 'two.yaml'
    two.write_text(CLASS + '---\n' + CLASS.replace('mine', 'other'))
    none = folder / 'none.yaml'
    none.write_text('apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n')
    empty = folder / 'empty.yaml'
    empty.write_text('')
    bad = folder / 'bad.yaml'
    bad.write_text(CLASS.replace('100Gi', 'lots'))
    for arguments, part in ((['-f', two], 'two.yaml:19:1: there are several'), (['-f', none], 'none.yaml: there is no EC2NodeClass'),
                            (['-f', empty], 'empty.yaml: there is no EC2NodeClass'),
                            (['-f', bad], 'bad.yaml:11:'), (['-f', bad], 'EC2NodeClass mine: spec.blockDeviceMappings[0].ebs.volumeSize'),
                            (['-f', folder / 'no-such.yaml'], 'no-such.yaml'), (['-f', folder], str(folder)),
                            (['-f', two, '-f', two], 'one file'), (['--reserved-enis', 'x'], '--reserved-enis'),
                            (['--reserved-enis', '-1'], '--reserved-enis'), (['--vm-memory-overhead', '1'], '--vm-memory-overhead'),
                            (['--vm-memory-overhead', 'x'], '--vm-memory-overhead'), (['--region', 'mars-1'], 'mars-1'),
                            (['--catalogue', bad, '-f', bad], '--catalogue'), (['--catalogue', bad, '--all-types'], '--catalogue')):
        out, error = run('catalogue', *arguments, status=1)
        equal(out, '', f'output of {arguments}')
        check(error.startswith('karp') and part in error, f'{arguments}: {part}: {error}')
    _, error = run('plan', '--all-types', status=1)
    check('not an option of this command' in error, error)


def check_text():
    """Of a type with several special resources the accelerators are named."""
    lines = {line.split()[0]: line for line in run('catalogue', '--region', 'us-west-2', '--width', '120')[0].splitlines()[1:]}
    for name, what in (('p5.48xlarge', '8 nvidia.com/gpu'), ('g5.48xlarge', '8 nvidia.com/gpu'), ('p4d.24xlarge', '8 nvidia.com/gpu'),
                       ('g5.xlarge', '1 nvidia.com/gpu'), ('c6gn.16xlarge', '1 vpc.amazonaws.com/efa')):
        check(what in lines[name], f'{name}: {lines[name]}')


check_node_class()
check_text()
check_options()
check_windows()
with tempfile.TemporaryDirectory() as name:
    there = pathlib.Path(name)
    (there / 'class.yaml').write_text(CLASS)
    check_read_back(there)
    check_wrong(there)
sys.exit(finish())
