# SPDX-License-Identifier: Apache-2.0
"""Nodes that karp repack leaves alone because where their pods may go is more than numbers: they stay, and it says why; the others go.
Volumes that nodes take few of are the scheduler's to count: their pods move as far as the limit allows."""
import json
import pathlib
import sys
import tempfile

from small_clusters import catalogue, node, pod
from stories import check, equal, finish, run

WHY = 'more than amounts of resources'
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
        'spec': {'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]},
                 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}


def beside_its_kind(name, on):
    made = pod(name, on, '250m')
    made['metadata']['labels'] = {'app': 'together'}
    made['spec']['affinity'] = {'podAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
        {'labelSelector': {'matchLabels': {'app': 'together'}}, 'topologyKey': 'kubernetes.io/hostname'}]}}
    return [made]


def with_device(name, on):
    made = pod(name, on, '250m')
    made['spec']['resourceClaims'] = [{'name': 'gpu', 'resourceClaimName': 'gpu'}]
    claim = {'apiVersion': 'resource.k8s.io/v1', 'kind': 'ResourceClaim', 'metadata': {'name': 'gpu', 'namespace': 'default', 'uid': 'r'},
             'spec': {'devices': {'requests': [{'name': 'gpu', 'exactly': {'deviceClassName': 'gpu'}}]}}, 'status': {}}
    return [made, claim]


def with_volumes():
    """Each of four pods has a volume, and the driver says that a node takes two."""
    objects = []
    for i in range(4):
        made = pod(f'v{i}', f'n{i}', '250m')
        made['spec']['volumes'] = [{'name': 'v', 'persistentVolumeClaim': {'claimName': f'data{i}'}}]
        objects += [made,
                    {'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim', 'metadata': {'name': f'data{i}', 'namespace': 'default'},
                     'spec': {'accessModes': ['ReadWriteOnce'], 'volumeName': f'pv{i}', 'storageClassName': 'fast'}, 'status': {'phase': 'Bound'}},
                    {'apiVersion': 'v1', 'kind': 'PersistentVolume', 'metadata': {'name': f'pv{i}'},
                     'spec': {'csi': {'driver': 'ebs.csi.aws.com', 'volumeHandle': f'v{i}'}, 'storageClassName': 'fast',
                              'claimRef': {'name': f'data{i}', 'namespace': 'default'}}},
                    {'apiVersion': 'storage.k8s.io/v1', 'kind': 'CSINode', 'metadata': {'name': f'n{i}'},
                     'spec': {'drivers': [{'name': 'ebs.csi.aws.com', 'nodeID': f'n{i}', 'allocatable': {'count': 2}}]}}]
    return objects


def kept(folder, objects):
    items = [POOL]
    for i in range(4):
        items += node(f'n{i}', 'small', 2)
    items += [pod(f'p{i}', f'n{i}', '250m') for i in range(1, 4)] + objects
    file = folder / 'cluster.json'
    file.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': items}))
    (folder / 'types.json').write_text(json.dumps(catalogue()))
    out, _ = run('repack', '-f', file, '--catalogue', folder / 'types.json', '--now', '2026-01-02T00:00:00Z', '-o', 'json')
    plan = json.loads(out)
    return plan, {row['node']: row for row in plan['kept']}


def main():
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        plan, rows = kept(folder, [pod('p0', 'n0', '250m')])
        check(not any(WHY in json.dumps(row) for row in rows.values()), f'plain pods: {rows}')
        equal(len({n for s in plan['steps'] for n in s['nodes']}), 3, 'of plain pods three nodes go')
        plan, rows = kept(folder, beside_its_kind('own', 'n0'))
        gone = {n for s in plan['steps'] for n in s['nodes']}
        check(len(gone) == 3 and 'n0' not in gone and WHY in rows['n0']['detail'], f'affinity: {gone} go, {rows}')
        plan, rows = kept(folder, with_device('own', 'n0'))
        gone = {n for s in plan['steps'] for n in s['nodes']}
        check(len(gone) == 3 and rows['n0']['code'] == 'PODS_WOULD_NOT_SCHEDULE', f'device: {gone} go, {rows}')
        plan, rows = kept(folder, with_volumes())
        gone, came = {n for s in plan['steps'] for n in s['nodes']}, {}
        for row in (row for s in plan['steps'] for row in s['placements']):
            came[row['node']] = came.get(row['node'], 0) + sum(name.startswith('default/v') for name in row['pods'])
        check(len(gone) == 2 and all(n <= 1 for n in came.values()), f'volumes: {gone} go, {came}')
        (folder / 'plan.json').write_text(json.dumps(plan))
        run('verify', folder / 'plan.json', '-f', folder / 'cluster.json', '--catalogue', folder / 'types.json', '--now', '2026-01-02T00:00:00Z')


main()
sys.exit(finish())
