# SPDX-License-Identifier: Apache-2.0
"""Resources that devices serve (DeviceClass.spec.extendedResourceName). Kubernetes 1.37, pkg/scheduler/framework/plugins/dynamicresources
/extendeddynamicresources.go: a pod that requests one gets devices of the class on nodes that have none of it. Profile karp plans so; Karpenter
1.15.0 does not know it."""
import json
import pathlib
import tempfile

from stories import check, equal, finish, run

folder = pathlib.Path(tempfile.mkdtemp())
GPU, IMPLICIT = 'example.com/gpu', 'deviceclass.resource.kubernetes.io/gpu'


def amounts(**more):
    return {'cpu': '16', 'memory': '64Gi', 'pods': '110', **more}


def instance_type(name, price, devices=0, **more):
    """One that brings devices, or has the resource itself."""
    one = {'name': name, 'requirements': [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': [name]}],
           'capacity': amounts(**more), 'offerings': [{'price': price, 'requirements': [
               {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']},
               {'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': ['z1']}]}]}
    if devices:
        one['dynamicResources'] = {'resourceSlices': [{'driver': 'gpu.example.com', 'pool': 'p', 'devices': [{'name': f'd{i}'} for i in range(devices)]}]}
    return one


def device_class(name='gpu', extended=GPU, created='2026-01-01T00:00:00Z', driver='gpu.example.com'):
    return {'apiVersion': 'resource.k8s.io/v1', 'kind': 'DeviceClass', 'metadata': {'name': name, 'creationTimestamp': created},
            'spec': {'extendedResourceName': extended, 'selectors': [{'cel': {'expression': f'device.driver == "{driver}"'}}]}}


def pod(name, count, resource=GPU, init=None, **spec):
    wants = {'requests': {'cpu': '1', resource: str(count)}, 'limits': {resource: str(count)}}
    containers = [{'name': 'c', 'resources': wants}]
    first = [{'name': 'i', 'resources': {'limits': {resource: str(init)}}}] if init else []
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'namespace': 'default'},
            'spec': {'containers': containers, 'initContainers': first, **spec}}


POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {'template': {'spec': {
    'nodeClassRef': {'group': 'x.example.com', 'kind': 'XNodeClass', 'name': 'x'}, 'requirements': []}}}}


def node(name, **more):
    slice_ = {'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceSlice', 'metadata': {'name': f'{name}-gpus'}, 'spec': {
        'driver': 'gpu.example.com', 'nodeName': name, 'pool': {'name': name, 'generation': 1, 'resourceSliceCount': 1},
        'devices': [{'name': 'd0'}, {'name': 'd1'}]}}
    return [{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {'kubernetes.io/hostname': name}},
             'status': {'allocatable': amounts(**more), 'capacity': amounts(**more), 'conditions': [{'type': 'Ready', 'status': 'True'}]}}, slice_]


def planned(types, objects, *words, profile='karp', ignore='false'):
    files = [folder / 'types.json', folder / 'objects.json']
    files[0].write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'catalogues': [{'instanceTypes': types}], 'objects': []}))
    files[1].write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [POOL, *objects]}))
    read = ['-f', files[0], '-f', files[1], '--ignore-dra-requests', ignore, '-o', 'json']
    plan = json.loads(run('plan', '--profile', profile, *words, *read)[0])
    (folder / 'plan.json').write_text(json.dumps(plan))
    equal(json.loads(run('verify', folder / 'plan.json', *read, status=None)[0])['errors'], [], 'verified')
    launches = sorted(f'{launch["choice"]["instanceType"]}: {" ".join(p.split("/")[1] for p in launch["pods"])}' for launch in plan['launches'])
    placed = [f'{p["node"]}: {" ".join(n.split("/")[1] for n in p["pods"])}' for p in plan['placements']]
    return launches + placed + [f'{u["pod"].split("/")[1]} {u["code"]}' for u in plan['unschedulable']]


PLAIN, DEVICES, PLUGIN = instance_type('plain', 1), instance_type('devices', 3, devices=2), instance_type('plugin', 2, **{GPU: '1'})


def launches():
    equal(planned([PLAIN, DEVICES], [device_class(), pod('a', 1)]), ['devices: a'], 'devices of the class')
    equal(planned([PLAIN, DEVICES], [device_class(), pod('a', 1)], profile='karpenter'), ['a TYPE_RESOURCES'], 'Karpenter')
    equal(planned([PLAIN, DEVICES], [device_class(), pod('a', 1)], ignore='true'), ['a TYPE_RESOURCES'], 'without devices')
    equal(planned([PLAIN, DEVICES], [pod('a', 1)]), ['a TYPE_RESOURCES'], 'no class')
    equal(planned([PLAIN, DEVICES], [device_class(driver='other'), pod('a', 1)]), ['a DEVICES'], 'devices of another class')
    five = [pod(f'p{i}', 1) for i in range(5)]
    equal(planned([PLAIN, DEVICES], [device_class(), *five]), ['devices: p0 p1', 'devices: p2 p3', 'devices: p4'], 'two on each')
    equal(planned([PLAIN, DEVICES], [device_class(), pod('a', 3)]), ['a DEVICES'], 'too many')
    equal(planned([PLAIN, DEVICES], [device_class(), pod('a', 1, init=2), pod('b', 1)]), ['devices: a', 'devices: b'], 'an init container asks for more')
    equal(planned([PLAIN, DEVICES], [device_class(), pod('a', 1), pod('b', 1)], '--objective', 'cost'), ['devices: a b'], 'at the least cost')


def own_resource():
    """A node that has the resource itself serves it as ever."""
    equal(planned([DEVICES, PLUGIN], [device_class(), pod('a', 1)]), ['plugin: a'], 'the cheaper one')
    equal(planned([DEVICES, PLUGIN], [device_class(), pod('a', 2)]), ['devices: a'], 'only devices suffice')
    equal(planned([DEVICES, PLUGIN], [device_class(driver='other'), pod('a', 1)]), ['plugin: a'], 'no device')
    both = instance_type('both', 1, devices=2, **{GPU: '1'})
    equal(planned([both], [device_class(), pod('a', 2)]), ['a TYPE_RESOURCES'], 'its devices do not add to it')
    one = instance_type('one', 1, devices=1, **{GPU: '1'})
    equal(planned([one], [device_class(), pod('a', 1, resource=IMPLICIT), pod('b', 1)]), ['one: a', 'one: b'], 'and are not used twice')
    many = [instance_type('many-devices', 1, devices=40), instance_type('many', 5, **{GPU: '40'})]
    equal(planned(many, [device_class(), pod('a', 33)]), ['many: a'], 'a claim has at most 32 devices')
    equal(planned(many, [device_class(), pod('a', 32)]), ['many-devices: a'], '32')


def names():
    equal(planned([DEVICES], [device_class(extended='example.com/other'), pod('a', 1, resource=IMPLICIT)]), ['devices: a'], 'the implicit name')
    old, new = device_class('old', created='2025-01-01T00:00:00Z'), device_class('new', driver='other')
    equal(planned([DEVICES], [old, new, pod('a', 1)]), ['a DEVICES'], 'the newer class counts')
    equal(planned([DEVICES], [new | {'metadata': {'name': 'b'}}, old | {'metadata': {'name': 'a'}}, pod('a', 1)]), ['devices: a'], 'of equal age: by name')


def nodes():
    three = [pod(f'p{i}', 1) for i in range(3)]
    equal(planned([DEVICES], [device_class(), *node('n1'), *three]), ['devices: p2', 'n1: p0 p1'], 'a node with devices')
    equal(planned([DEVICES], [device_class(), *node('n1', **{GPU: '0'}), *three]), ['devices: p2', 'n1: p0 p1'], 'none is 0')
    equal(planned([DEVICES], [device_class(), *node('n1', **{GPU: '1'}), *three]), ['devices: p1 p2', 'n1: p0'], 'a node with the resource')
    claim = {'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceClaim', 'metadata': {
        'name': 'running-extended-resources', 'namespace': 'default', 'annotations': {'resource.kubernetes.io/extended-resource-claim': 'true'}},
        'spec': {'devices': {'requests': [{'name': 'container-0-request-0', 'exactly': {'deviceClassName': 'gpu', 'count': 1}}]}},
        'status': {'allocation': {'devices': {'results': [{'request': 'container-0-request-0', 'driver': 'gpu.example.com', 'pool': 'n1', 'device': 'd0'}]}}}}
    running = pod('running', 1, nodeName='n1') | {'status': {'phase': 'Running'}}
    equal(planned([DEVICES], [device_class(), *node('n1'), running, claim, *three]), ['devices: p1 p2', 'n1: p0'], 'one is allocated')


launches()
own_resource()
names()
nodes()
finish()
