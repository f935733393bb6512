# SPDX-License-Identifier: Apache-2.0
"""How large a recording is: what is much alike is recorded as what differs. A day of 1,000 nodes is less than 64 MB, and readers see the same objects."""
import copy
import json
import pathlib
import tempfile

import test_record
from stories import check, equal, finish, run, types_of

NODES, PODS, TURNS = 40, 1200, 60  # of the cluster here; pods that come and go between two looks
DAY = {'nodes': 1000, 'pods': 30000, 'came': 40000, 'launched': 3000}  # of the day: pods that came and went, nodes that were launched
CONDITIONS = ('PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled')


def pod(number, node, second, created=None):
    workload = f'service-{number % 25}-7d9c8b6f54'
    time = f'2026-11-20T10:00:{second:02d}Z'
    conditions = [{'type': kind, 'status': 'True', 'lastProbeTime': None, 'lastTransitionTime': time} for kind in CONDITIONS] if node else \
        [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable', 'message': '0/40 nodes are available: 40 Insufficient cpu.', 'lastTransitionTime': time}]
    tolerations = [{'key': f'node.kubernetes.io/{key}', 'operator': 'Exists', 'effect': 'NoExecute', 'tolerationSeconds': 300} for key in ('not-ready', 'unreachable')]
    container = {'name': 'main', 'image': 'registry/main:1', 'resources': {'requests': {'cpu': '500m', 'memory': '1Gi'}, 'limits': {'memory': '1Gi'}},
                 'env': [{'name': 'A', 'value': 'b'}], 'ports': [{'containerPort': 8080, 'protocol': 'TCP'}]}
    spread = {'maxSkew': 1, 'topologyKey': 'topology.kubernetes.io/zone', 'whenUnsatisfiable': 'ScheduleAnyway', 'labelSelector': {'matchLabels': {'app': workload[:10]}}}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {
        'name': f'{workload}-{number:05x}', 'namespace': 'shop', 'uid': f'0fb5c3b2-9d5e-4f6a-8c1d-{number:012x}', 'creationTimestamp': created or time, 'generateName': f'{workload}-',
        'labels': {'app': workload[:10], 'pod-template-hash': '7d9c8b6f54'}, 'annotations': {'prometheus.io/scrape': 'true'},
        'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': workload, 'uid': f'5e5e-{number % 25}', 'controller': True, 'blockOwnerDeletion': True}]},
        'spec': {'containers': [container], 'tolerations': tolerations, 'topologySpreadConstraints': [spread], 'serviceAccountName': 'default', 'schedulerName': 'default-scheduler',
                 'restartPolicy': 'Always', 'dnsPolicy': 'ClusterFirst', 'priority': 0, **({'nodeName': node} if node else {})},
        'status': {'phase': 'Running' if node else 'Pending', 'conditions': conditions, **({'startTime': time} if node else {})}}


def node(number, second):
    name = f'ip-10-0-{number // 250}-{number % 250}.ec2.internal'
    labels = {'karpenter.sh/nodepool': 'general', 'karpenter.sh/capacity-type': 'spot', 'node.kubernetes.io/instance-type': 'm5.4xlarge', 'topology.kubernetes.io/zone': 'us-west-2a',
              'kubernetes.io/hostname': name, **{f'karpenter.k8s.aws/instance-{word}': 'm5' for word in ('family', 'category', 'generation', 'size', 'cpu', 'memory', 'hypervisor')}}
    amounts = {'cpu': '15890m', 'memory': '57691Mi', 'pods': '234', 'ephemeral-storage': '18242267924'}
    beats = [{'type': kind, 'status': 'False', 'reason': 'KubeletHas', 'message': 'kubelet has it', 'lastHeartbeatTime': f'2026-11-20T10:00:{second:02d}Z',
              'lastTransitionTime': '2026-11-20T09:00:00Z'} for kind in ('MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready')]
    claim = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': f'general-{number:05x}', 'labels': labels},
             'spec': {'requirements': [{'key': key, 'operator': 'In', 'values': [value]} for key, value in labels.items()]},
             'status': {'capacity': amounts, 'allocatable': amounts, 'nodeName': name, 'providerID': f'aws:///us-west-2a/i-{number:017x}',
                        'lastPodEventTime': f'2026-11-20T10:00:{second:02d}Z', 'conditions': [{**one, 'lastHeartbeatTime': None} for one in beats]}}
    return [{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels, 'uid': f'uid-{number}'}, 'spec': {'providerID': f'aws:///us-west-2a/i-{number:017x}'},
             'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': beats}}, claim]


def name_of(number):
    return f'ip-10-0-0-{number % NODES}.ec2.internal'


def states():
    """A cluster; nothing but heartbeats and pod events on NodeClaims; new pods; their nodes; other pods that are gone."""
    nodes = [one for i in range(NODES) for one in node(i, 0)]
    later = [one for i in range(NODES) for one in node(i, 30)]
    pods = [pod(i, name_of(i), 0) for i in range(PODS)]
    new = [pod(PODS + i, None, 30) for i in range(TURNS)]
    bound = [pod(PODS + i, name_of(i), 40, '2026-11-20T10:00:30Z') for i in range(TURNS)]
    more = later + [one for i in range(NODES, NODES + 5) for one in node(i, 40)]
    fixed = [test_record.POOL, test_record.CLASS]
    return [{'objects': fixed + list(group)} for group in (nodes + pods, later + pods, later + pods + new, later + pods + bound, later + pods[TURNS:] + bound, more + pods[TURNS:] + bound)]


def merged(base, patch):
    if not isinstance(patch, dict):
        return patch
    out = dict(base) if isinstance(base, dict) else {}
    for name, value in patch.items():
        if value is None:
            out.pop(name, None)
        else:
            out[name] = merged(out.get(name), value)
    return out


def key(one):
    return f"{one['kind']}/{one['metadata'].get('namespace', 'default')}/{one['metadata']['name']}"


def expanded(lines):
    """The objects after the last line, as docs/recordings.md says."""
    now = {}
    for line in lines:
        was = dict(now)
        if 'objects' in line:
            now = {}
        for one in line.get('objects', []) + line.get('changed', []):
            now[key(one)] = one
        for entry in line.get('patched', []):
            known = {**was, **now}
            now[entry['object']] = merged(copy.deepcopy(known[entry.get('like', entry['object'])]), entry['patch'])
        for one in line.get('gone', []):
            del now[one]
    return now


def main(folder):
    test_record.folder = folder
    test_record.stub(folder)
    path, whole = folder / 'day.jsonl', folder / 'whole.jsonl'
    steps = states()
    test_record.record(path, '--looks', str(len(steps)), states=steps)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    sizes = [len(line) for line in path.read_text().splitlines()]
    check(len(lines) == len(steps), f'{len(lines)} lines')
    # The same objects as those of a recording that begins with the last state, and readers see them.
    test_record.record(whole, '--looks', '1', states=steps[-1:])
    last = expanded([json.loads(line) for line in whole.read_text().splitlines()])
    equal(len(last), len(steps[-1]['objects']), 'all objects')
    equal(expanded(lines), last, 'what the lines come to')
    words = (*types_of(folder, 'us-west-2', 'm5.4xlarge'), '--region', 'us-west-2', '-o', 'json')
    equal(json.loads(run('replay', path, *words)[0])['pods'], PODS + TURNS, 'the pods of a recording that is replayed')
    run('twin', path, *words[:-2])
    # A day: its cluster, which each part repeats, and what changes.
    first, events, came, bound, went, launched = sizes
    each = {'cluster': first / (PODS + 2 * NODES), 'event': events / NODES, 'pod': (came + bound + went) / TURNS, 'node': launched / 5}
    events_of_a_day = 2 * DAY['came']  # at most one for each pod that comes, and one for each that goes
    day = DAY['pods'] * each['cluster'] + 2 * DAY['nodes'] * each['cluster'] + events_of_a_day * each['event'] + DAY['came'] * each['pod'] + DAY['launched'] * each['node']
    print({name: round(value) for name, value in each.items()}, f'{day / 1e6:.1f} MB')
    check(day < 64e6, f'a day of {DAY["nodes"]} nodes: {day / 1e6:.1f} MB; {each}')


with tempfile.TemporaryDirectory() as made:
    main(pathlib.Path(made))
finish()
