# SPDX-License-Identifier: Apache-2.0
"""Devices that the aws provider gives its types with the gates DRANVIDIAGPU and DRAEFA, and ResourceClaims made from templates.

Source: aws/karpenter-provider-aws 1.15.2, pkg/cloudprovider/dynamicresources.go, pkg/providers/nvidiadra, efadra and drametadata, and
pkg/controllers/nodeclass/validation.go; Karpenter 1.15.0, pkg/controllers/provisioning/scheduling/dra.go (resolvePodClaims).
"""
import json
import pathlib
import tempfile

from stories import check, document, equal, finish, run

folder = tempfile.TemporaryDirectory()
PLAN = ('--ignore-dra-requests', 'false')
GPU, EFA, BOTH = ('--feature-gates', 'DRANVIDIAGPU=true'), ('--feature-gates', 'DRAEFA=true'), ('--feature-gates', 'DRANVIDIAGPU=true,DRAEFA=true')


def manifest(*objects):
    path = pathlib.Path(folder.name) / 'input.json'
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def pool(*types):
    ask = [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': list(types)}] if types else []
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {'template': {'spec': {
        'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
        'requirements': ask + [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}]}}}}


def node_class(sharing=None):
    annotations = {} if sharing is None else {'karpenter.k8s.aws/nvidia-consumable-capacity': sharing}
    return {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default', 'annotations': annotations},
            'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}], 'role': 'r'}}


def device_class(name, driver):
    return {'apiVersion': 'resource.k8s.io/v1', 'kind': 'DeviceClass', 'metadata': {'name': name},
            'spec': {'selectors': [{'cel': {'expression': f'device.driver == "{driver}"'}}]}}


CLASSES = [device_class('gpu', 'gpu.nvidia.com'), device_class('efa', 'dra.net')]


def template(name, *requests, **more):
    return {'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceClaimTemplate', 'metadata': {'name': name},
            'spec': {'spec': {'devices': {'requests': list(requests), **more}}}}


def request(of='gpu', count=1, select=None, **more):
    selectors = {'selectors': [{'cel': {'expression': select}}]} if select else {}
    return {'name': of, 'exactly': {'deviceClassName': of, 'count': count, **selectors, **more}}


def pod(name='a', *templates):
    names = [f'c{i}' for i in range(len(templates))]
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name}, 'spec': {
        'resourceClaims': [{'name': n, 'resourceClaimTemplateName': t} for n, t in zip(names, templates)],
        'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}, 'claims': [{'name': n} for n in names]}}]}}


def planned(objects, *words):
    plan = document('plan', manifest(*CLASSES, *objects), *words)
    return [launch['choice']['instanceType'] for launch in plan['launches']] + [u['code'] for u in plan['unschedulable']]


def gates():
    two = [pool(), node_class(), template('t', request(count=2)), pod('a', 't')]
    equal(planned(two, *PLAN, *GPU), ['g5g.16xlarge'], 'the cheapest with two GPUs')
    equal(planned(two, *GPU), ['DRA'], 'Karpenter ignores claims by default')
    check(any('--ignore-dra-requests false' in w for w in document('plan', manifest(*CLASSES, *two), *GPU)['warnings']), 'and a note says so')
    equal(planned(two, *PLAN), ['DEVICES'], 'no devices without the gate')
    equal(planned(two, *PLAN, *EFA), ['DEVICES'], 'nor with the other gate')
    network = [pool(), node_class(), template('t', request('efa', 4)), pod('a', 't')]
    equal(planned(network, *PLAN, *GPU), ['DEVICES'], 'EFA interfaces')
    equal(planned(network, *PLAN, *EFA), ['trn1.32xlarge'], 'the cheapest with four')
    together = [pool(), node_class(), template('t', request(count=1), request('efa', 1)), pod('a', 't')]
    equal(planned(together, *PLAN, *BOTH), ['g6.8xlarge'], 'a GPU and an interface')
    check('is no gate' in run('plan', manifest(), '--feature-gates', 'DRAEFA', status=None)[1], 'a gate')


def attributes():
    def of(select, *types):
        return planned([pool(*types), node_class(), template('t', request(select=select)), pod('a', 't')], *PLAN, *GPU)

    equal(of('device.attributes["gpu.nvidia.com"].productName == "NVIDIA L4"'), ['g6.xlarge'], 'by product')
    equal(of('device.attributes["gpu.nvidia.com"].architecture == "Hopper"', 'p5.48xlarge', 'g5.xlarge'), ['p5.48xlarge'], 'by architecture')
    equal(of('device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0', 'g6.xlarge', 'g6e.xlarge'), ['g6e.xlarge'], 'by memory')
    equal(of('device.attributes["gpu.nvidia.com"].cudaComputeCapability.compareTo(semver("8.9.0")) >= 0', 'g4dn.xlarge', 'g6.xlarge'), ['g6.xlarge'], 'by version')
    same = [pool(), node_class(), template('t', request(count=4), constraints=[{'matchAttribute': 'gpu.nvidia.com/driverVersion'}]), pod('a', 't')]
    equal(planned(same, *PLAN, *GPU), ['g4dn.12xlarge'], 'versions that the node will have')


def templates():
    """The controller of ResourceClaims makes one for each pod. Without its entry in the pod's status, Karpenter would see a pod without claims."""
    alone = [pool('g4dn.12xlarge'), node_class(), template('t', request(count=2)), pod('a', 't'), pod('b', 't'), pod('c', 't')]
    plan = document('plan', manifest(*CLASSES, *alone), *PLAN, *GPU)
    equal(sorted(len(launch['pods']) for launch in plan['launches']), [1, 2], 'four GPUs are enough for two claims of two')
    equal(planned([pool(), node_class(), pod('a', 'missing')], *PLAN, *GPU), ['RESOURCE_CLAIM'], 'a template that the input lacks')
    dump = pathlib.Path(folder.name) / 'dump.json'
    dump.write_text(run('dump', manifest(*CLASSES, *alone), *PLAN, *GPU)[0])
    again = document('plan', dump)
    equal(sorted(len(launch['pods']) for launch in again['launches']), [1, 2], 'the dump has claims, devices and settings')


def sharing():
    def share(value, *words, **ask):
        return planned([pool('g6.xlarge'), node_class(value), template('t', request(**ask)), pod('a', 't'), pod('b', 't')], *PLAN, *words)

    equal(share(None, *GPU), ['g6.xlarge', 'g6.xlarge'], 'a GPU for each')
    equal(share('2', *GPU), ['g6.xlarge'], 'two shares')
    equal(share('1', *GPU), ['g6.xlarge', 'g6.xlarge'], 'one share')
    equal(share('2', *GPU, capacity={'requests': {'shares': '2'}}), ['g6.xlarge', 'g6.xlarge'], 'all shares')
    equal(share('memory', *GPU, capacity={'requests': {'memory': '10Gi'}}), ['g6.xlarge'], 'parts of its memory')
    equal(share('memory', *GPU), ['g6.xlarge', 'g6.xlarge'], 'all of its memory by default')
    equal(share('unlimited', *GPU), ['g6.xlarge'], 'none of its memory by default')
    equal(share('disabled', *GPU), ['g6.xlarge', 'g6.xlarge'], 'disabled')
    for value, words, why in (('0', GPU, 'not disabled, memory, unlimited or a number of shares'), ('two', GPU, 'not disabled, memory'),
                              ('2', (), 'needs the gate DRANVIDIAGPU')):
        objects = manifest(*CLASSES, pool(), node_class(value), pod('a'))
        plan = document('plan', objects, *words)
        equal(plan['launches'], [], value)
        check(any('EC2NodeClass default is not ready' in w and why in w for w in plan['warnings']), plan['warnings'])
    check(planned([pool(), node_class('disabled'), pod('a')]) != [], 'nothing is asked for')


def newer():
    """kube-scheduler reads more of devices than Karpenter 1.15.0: taints (k8s.io/dynamic-resource-allocation 0.36, taintPreventsAllocation())
    and fractions of capacity (0.37, DRAFractionalCapacityRange). Karpenter has the device, and uses Quantity.Value(), which rounds up."""
    def decided(device, **ask):
        node_slice = {'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'metadata': {'name': 's'}, 'spec': {
            'driver': 'gpu.nvidia.com', 'allNodes': True, 'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 1}, 'devices': [{'name': 'd', **device}]}}
        plan = document('plan', manifest(*CLASSES, pool('m5.large'), node_class(), node_slice, template('t', request(**ask)), pod('a', 't'), pod('b', 't')), *PLAN)
        return sum(len(launch['pods']) for launch in plan['launches']), [w for w in plan['warnings'] if 'ResourceSlice s' in w]

    placed, notes = decided({'taints': [{'key': 'broken', 'effect': 'NoSchedule'}]})
    equal(placed, 1, 'Karpenter gives a tainted device')
    check(len(notes) == 1 and 'does not read the taints of 1 of its devices' in notes[0], notes)
    equal(decided({'taints': [{'key': 'slow', 'effect': 'None'}]}), (1, []), 'an effect that keeps nothing away')
    rule = {'apiVersion': 'resource.k8s.io/v1', 'kind': 'DeviceTaintRule', 'metadata': {'name': 'r'}, 'spec': {'taint': {'key': 'broken', 'effect': 'NoExecute'}}}
    notes = document('plan', manifest(pool('m5.large'), node_class(), rule), *PLAN)['warnings']
    check(any('DeviceTaintRule of resource.k8s.io/v1: Karpenter 1.15 does not read it' in w for w in notes), notes)
    shared = {'allowMultipleAllocations': True, 'capacity': {'cores': {'value': '1', 'requestPolicy': {
        'default': '500m', 'validRange': {'min': '500m', 'step': '250m'}}}}}
    placed, notes = decided(shared, capacity={'requests': {'cores': '500m'}})
    check(placed == 1 and len(notes) == 1 and 'rounds the minimum and step' in notes[0], (placed, notes))
    shared['capacity']['cores']['requestPolicy'] = {'default': '1', 'validRange': {'min': '1', 'step': '1'}}
    equal(decided(shared, capacity={'requests': {'cores': '1'}}), (1, []), 'whole numbers')


gates()
attributes()
newer()
templates()
sharing()
finish()
