# SPDX-License-Identifier: Apache-2.0
"""Objects about devices, as many of them as one likes."""
from traps import pod

API = 'resource.k8s.io/v1'
SETTINGS = {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'settings': {'ignoreDRARequests': False}, 'objects': []}


def device_class(*expressions):
    return {'apiVersion': API, 'kind': 'DeviceClass', 'metadata': {'name': 'gpu'}, 'spec': {'selectors': [{'cel': {'expression': e}} for e in expressions]}}


def resource_slice(name, devices, **where):
    return {'apiVersion': API, 'kind': 'ResourceSlice', 'metadata': {'name': name},
            'spec': {'driver': 'd.io', 'pool': {'name': name, 'generation': 1, 'resourceSliceCount': 1}, 'devices': devices, **(where or {'allNodes': True})}}


def shared_device(name, memory):
    return {'name': name, 'allowMultipleAllocations': True, 'capacity': {'memory': {'value': f'{memory}'}}}


def with_share(i):
    """A pod that takes a unit of a shared device."""
    return with_claim(i, capacity={'requests': {'memory': '1'}})


def with_claim(i, **request):
    exactly = {'deviceClassName': 'gpu', 'count': 1, **request}
    claim = {'apiVersion': API, 'kind': 'ResourceClaim', 'metadata': {'name': f'c{i}', 'namespace': 'default'},
             'spec': {'devices': {'requests': [{'name': 'r', 'exactly': exactly}]}}}
    return claim, pod(f'p{i}', {'resourceClaims': [{'name': 'g', 'resourceClaimName': f'c{i}'}]}, namespace='default')
