# SPDX-License-Identifier: Apache-2.0
"""Clouds that are not built in: the error names them, and a first catalogue is made of their nodes."""
import json
import pathlib
import tempfile

from stories import check, equal, finish, run

folder = pathlib.Path(tempfile.mkdtemp())


def write(name, *objects):
    path = folder / name
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def pool(group, kind):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {'template': {'spec': {
        'nodeClassRef': {'group': group, 'kind': kind, 'name': 'default'}}}}}


def pod(cpu):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'a'}, 'spec': {
        'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu}}}]}}


def node(name, kind='VM.Flex', zone='AD-1', memory='30Gi', more=(), **labels):
    capacity = {'cpu': '4', 'memory': '32Gi', 'pods': '110'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {
        'node.kubernetes.io/instance-type': kind, 'topology.kubernetes.io/zone': zone, 'kubernetes.io/arch': 'amd64', 'team': 'a',
        'karpenter.sh/nodepool': 'default', **labels}},
        'status': {'capacity': {**capacity, **dict(more)}, 'allocatable': {**capacity, 'cpu': '3900m', 'memory': memory, **dict(more)}}}


def named():
    for group, kind, cloud in (('oci.oraclecloud.com', 'OCINodeClass', 'Oracle Cloud'), ('karpenter.proxmox.sinextra.dev', 'ProxmoxNodeClass', 'Proxmox'),
                               ('karpenter.cluster.x-k8s.io', 'ClusterAPINodeClass', 'Cluster API'), ('example.com', 'ANodeClass', 'the provider')):
        error = run('plan', write('pool.json', pool(group, kind), pod('1')), status=1)[1]
        check(f'{cloud} (node class of {group}, kind {kind}) is not built in: give its instance types with --catalogue FILE' in error, error)
        check('karp catalogue --from-nodes -f NODES' in error and '--provider FILE.so' in error, error)


def made():
    gpu = {'nvidia.com/gpu': '2'}
    nodes = write('nodes.json', node('n1', **{'oci.oraclecloud.com/flex-shape': 'true', 'oci.oraclecloud.com/fault-domain': 'F1'}),
                  node('n2', memory='29Gi', team='b', **{'oci.oraclecloud.com/flex-shape': 'true', 'oci.oraclecloud.com/fault-domain': 'F2'}),
                  node('n3', zone='AD-2', more=gpu.items(), **{'karpenter.sh/capacity-type': 'spot', 'oci.oraclecloud.com/flex-shape': 'true'}),
                  node('n4', kind='BM.1'), {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'n5'}})
    out, notes = run('catalogue', '--from-nodes', '-f', nodes, '-o', 'json')
    types = {t['name']: t for t in json.loads(out)}
    equal(sorted(types), ['BM.1', 'VM.Flex'], 'types')
    flex = types['VM.Flex']
    equal({k: v for k, v in flex['labels'].items() if k.startswith('oci')}, {'oci.oraclecloud.com/flex-shape': ['true']}, 'labels of the cloud that all share')
    check('team' not in flex['labels'] and 'karpenter.sh/nodepool' not in flex['labels'], 'labels of NodePools')
    equal(flex['labels']['kubernetes.io/arch'], ['amd64'], 'the architecture')
    equal(flex['allocatable'], {'cpu': '3900m', 'memory': '29Gi', 'nvidia.com/gpu': '2', 'pods': '110'}, 'the least, and devices')
    equal(flex['capacity']['memory'], '32Gi', 'capacity')
    equal(sorted((o['zone'], o['capacityType'], o['price']) for o in flex['offerings']), [('AD-1', 'on-demand', None), ('AD-2', 'spot', None)], 'offerings')
    shown = run('catalogue', '--from-nodes', '-f', nodes)[0].splitlines()
    check(all(row.split()[-2:] in (['unknown', '-'], ['unknown', 'unknown']) for row in shown[1:-1]) and len(shown) == 4, shown)
    equal({row.split(',')[4] for row in run('catalogue', '--from-nodes', '-f', nodes, '-o', 'csv')[0].splitlines()[1:]}, {''}, 'unknown prices')
    again = write('types.json', *types.values())
    again.write_text(out)
    equal(run('catalogue', '--catalogue', again, '-o', 'json')[0], out, 'read again')
    check('offerings without a price, which cost nothing: 3' in notes and 'which are left out: 1' in notes, notes)

    prices = folder / 'prices.yaml'
    prices.write_text('apiVersion: karp/v1\nkind: Prices\nmetadata: {name: p}\nspec:\n  rules:\n  - requirements: '
                      '[{key: node.kubernetes.io/instance-type, operator: In, values: [BM.1]}]\n    perNode: 2\n'
                      '  - requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [VM.Flex]}]\n    perNode: 0.5\n')
    out, notes = run('catalogue', '--from-nodes', '-f', nodes, '--prices', prices, '-o', 'json')
    check('without a price' not in notes, notes)
    catalogue = folder / 'types.json'
    catalogue.write_text(out)
    plan = json.loads(run('plan', '--catalogue', catalogue, write('pool.json', pool('oci.oraclecloud.com', 'OCINodeClass'), pod('3')), '-o', 'json')[0])
    equal([(l['choice']['instanceType'], l['choice']['price']) for l in plan['launches']], [('VM.Flex', '0.5')], 'a plan with it')


def refused():
    check('no node of the input has the labels' in run('catalogue', '--from-nodes', '-f', write('none.json', pod('1')), status=1)[1], 'no node')
    check('give the nodes with -f' in run('catalogue', '--from-nodes', status=1)[1], 'no file')
    check('goes with --from-nodes' in run('catalogue', '--prices', 'x', status=1)[1], '--prices alone')


def extended_resource():
    """Kubernetes 1.37, pkg/scheduler/framework/plugins/dynamicresources: such a request is met by devices. Karpenter 1.15.0 has no code for it."""
    one = {'apiVersion': 'resource.k8s.io/v1', 'kind': 'DeviceClass', 'metadata': {'name': 'gpu.nvidia.com'}, 'spec': {'extendedResourceName': 'nvidia.com/gpu'}}
    plan = json.loads(run('plan', write('class.json', one, pool('karpenter.k8s.aws', 'EC2NodeClass'), pod('1')), '-o', 'json')[0])
    check(any('DeviceClass gpu.nvidia.com: kube-scheduler gives pods that request its extendedResourceName nvidia.com/gpu devices' in w for w in plan['warnings']), plan['warnings'])


named()
made()
refused()
extended_resource()
finish()
