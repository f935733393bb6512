# SPDX-License-Identifier: Apache-2.0
"""A List of pods, whose likes are added without a look at each, says what the same pods say as documents of their own: for several
commands, with pods that differ in odd members, right ones and wrong ones.

    test_list_pods.py [FROM [COUNT]]
"""
import copy
import difflib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

FROM, COUNT = 0, 75 # each of ODDITIES once
KARP = os.environ.get('KARP')
if not KARP:
    print('KARP does not name the program')
    sys.exit(77)
ZONE = 'topology.kubernetes.io/zone'
COMMANDS = (('plan', '-o', 'json'), ('plan', '--skip-unknown', '-o', 'json'), ('plan', '--lenient', '-o', 'json'), ('disrupt', '-o', 'json'),
            ('dump',), ('nodes', '-o', 'json'), ('lint', '-o', 'json'), ('top', '-o', 'json'))
TYPES = [{'name': name, 'labels': {'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux']}, 'capacity': {'cpu': cpu, 'memory': memory, 'pods': '29'},
          'offerings': [{'zone': z, 'capacityType': 'on-demand', 'price': price} for z in ('z1', 'z2', 'z3')]}
         for name, cpu, memory, price in (('small', '2', '8Gi', 0.1), ('large', '4', '16Gi', 0.2))]
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'd'},
        'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': []}}}}
AMOUNTS = {'cpu': '4', 'memory': '16Gi', 'pods': '29'}
NODES = [{'apiVersion': 'v1', 'kind': 'Node',
          'metadata': {'name': f'n{i}', 'labels': {ZONE: f'z{i}', 'node.kubernetes.io/instance-type': 'large', 'kubernetes.io/hostname': f'n{i}'}},
          'spec': {'providerID': f'x:///n{i}'},
          'status': {'allocatable': AMOUNTS, 'capacity': AMOUNTS, 'conditions': [{'type': 'Ready', 'status': 'True'}]}} for i in (1, 2, 3)]


def workload(rng, name):
    return {'name': name, 'namespace': rng.choice(('default', 'other')), 'cpu': rng.choice(('250m', '500m', '1')),
            'runs': rng.random() < 0.5, 'spread': rng.random() < 0.4, 'one_node': rng.random() < 0.3}


def pod(rng, w, number):
    """Pods that run have volumes of their own, with names as the API server makes them, but for those whose specs are one."""
    own = w['runs'] and not w['one_node']
    volume = f'kube-api-access-{number if own else 0}'
    spec = {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': w['cpu'], 'memory': '256Mi'}},
                            'volumeMounts': [{'name': volume, 'mountPath': '/var/run'}]}],
            'volumes': [{'name': volume, 'projected': {'sources': [{'serviceAccountToken': {'path': 'token'}}]}}],
            'tolerations': [{'key': 'x', 'operator': 'Exists'}]}
    status = {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}
    if w['spread']:
        spec['topologySpreadConstraints'] = [{'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule',
                                              'labelSelector': {'matchLabels': {'app': w['name']}}}]
    if w['runs']:
        spec['nodeName'] = rng.choice(('n1', 'n2', 'n3')) if own else 'n1'
        status = {'phase': 'Running', 'conditions': [{'type': 'PodScheduled', 'status': 'True'},
                                                     {'type': 'Ready', 'status': 'True', 'lastTransitionTime': '2026-01-01T00:00:00Z'}]}
    metadata = {'name': f'{w["name"]}-{number}', 'namespace': w['namespace'], 'uid': f'uid-{w["name"]}-{number}', 'labels': {'app': w['name']},
                'creationTimestamp': f'2026-01-0{rng.choice((1, 1, 1, 2))}T00:00:00Z', 'annotations': {'a': 'b'},
                'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': w['name'], 'uid': f'rs-{w["name"]}', 'controller': True}]}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': metadata, 'spec': spec, 'status': status}


DAEMON = [{'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'name': 'd', 'uid': 'd', 'controller': True}]
CLAIM = {'name': 'd', 'persistentVolumeClaim': {'claimName': 'c1'}}
SIDECAR = {'name': 'i', 'image': 'y', 'restartPolicy': 'Always', 'resources': {'requests': {'cpu': '70m'}}, 'volumeMounts': []}
RESIZED = [{'name': 'c', 'allocatedResources': {'cpu': '2'}, 'resources': {'requests': {'cpu': '2'}}}]
GONE = object()
# Where a member is, and what it may become.
ODD = (('metadata.uid', GONE, '', 'uid-web-1', 'x' * 300, 7), ('metadata.deletionTimestamp', '2026-01-02T00:00:00Z'), ('metadata.namespace', GONE, '', 'third'),
       ('metadata.creationTimestamp', GONE, None, '', '2026-01-01', '2026-01-01T00:00:00.5Z', 'x', 5), ('metadata.name', GONE, '', 'UPPER', 'web-0', 'a.b'),
       ('metadata.labels.app', 'other', None, 5), ('metadata.annotations', GONE, {'karpenter.sh/do-not-disrupt': 'true'}),
       ('metadata.ownerReferences', GONE, [], None, DAEMON), ('metadata.generateName', 'web-'), ('metadata.finalizers', ['x']),
       ('spec.nodeName', '', None, 'n9', 5, 'n1'), ('spec.containers.0.volumeMounts', None, 5, [], [{'name': 'q'}], 'x'),
       ('spec.volumes.0.name', 'z', 5, None, ''), ('spec.volumes.0', CLAIM), ('spec.schedulingGates', [{'name': 'g'}]), ('spec.unknownField', 1, {}),
       ('spec.containers.0.resources.requests.cpu', '3', '1X', 5, '0', None), ('spec.priority', 5, -1), ('spec.initContainers', [SIDECAR]),
       ('spec.containers.0.ports', [{'containerPort': 80, 'hostPort': 80}]), ('spec.nodeSelector', {ZONE: 'z1'}, {ZONE: 'nowhere'}),
       ('status.phase', 'Succeeded', 'Failed', 'Running', None, 'Odd'), ('status.conditions.0.reason', 'SchedulerError', None, 'x'),
       ('status.nominatedNodeName', 'n1'), ('status.containerStatuses', RESIZED), ('apiVersion', 'v2'), ('status', GONE), ('spec', GONE), ('metadata', GONE))


ODDITIES = [(path, value) for path, *values in ODD for value in values]


def make_odd(one, path, value):
    *above, last = [int(word) if word.isdigit() else word for word in path.split('.')]
    for word in above:
        if isinstance(one, dict) and word not in one:
            return
        one = one[word]
    if one is None:
        return
    if value is not GONE:
        one[last] = copy.deepcopy(value)
    elif last in one:
        del one[last]


def objects(rng, oddity):
    """A pod of each workload is odd in this way, and some may be in others."""
    workloads = [workload(rng, name) for name in ('web', 'api', 'job')[:rng.randint(1, 3)]]
    pods = [[pod(rng, w, i) for i in range(rng.randint(4, 9))] for w in workloads]
    for some in pods:
        make_odd(some[-rng.randint(1, 2)], *oddity)
    pods = sum(pods, [])
    if rng.random() < 0.2:
        rng.shuffle(pods)
    for _ in range(rng.choice((0, 0, 1, 2))):
        make_odd(rng.choice(pods), *rng.choice(ODDITIES))
    rest = [POOL, *NODES]
    return rest + pods if rng.random() < 0.5 else pods + rest


def said(folder, name, text, words):
    """What the command says of the text, without where things are in it, and its digest."""
    path = pathlib.Path(folder, name)
    path.write_text(text)
    done = subprocess.run([KARP, words[0], '-f', path, '--catalogue', pathlib.Path(folder, 'types.json'), *words[1:]], capture_output=True, text=True,
                          timeout=100)
    out = re.sub(r'IN(:\d+)*', 'IN', (done.stdout + done.stderr).replace(str(path), 'IN'))
    out = re.sub(r'"(sha256|digest|cluster|title|input)": "[^"]*"', '', out).replace(name, 'NAME')
    return done.returncode, re.sub(r'items\[\d+\]\.?', '', out)


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else FROM
    count = int(sys.argv[2]) if len(sys.argv) > 2 else COUNT
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'types.json').write_text(json.dumps(TYPES))
        for seed in range(first, first + count):
            rng = random.Random(seed)
            items = objects(rng, ODDITIES[seed % len(ODDITIES)])
            together = json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': items}, indent=rng.choice((None, 2, 4)))
            between, name = ('\n', 'apart.json') if rng.random() < 0.2 else ('\n---\n', 'apart.yaml') # pods of YAML share nothing
            for words in (rng.choice(COMMANDS[:3]), rng.choice(COMMANDS[3:])):
                one, other = said(folder, 'list.json', together, words), said(folder, name, between.join(map(json.dumps, items)) + '\n', words)
                if one[0] < 0 or one != other:
                    differ += 1
                    lines = difflib.unified_diff(one[1].split('\n'), other[1].split('\n'), 'List', 'documents', lineterm='', n=0)
                    print(f'seed {seed}, {" ".join(words)}: exit {one[0]} and {other[0]}', *[line[:400] for line in lines][:8], sep='\n')
    print(f'{count} inputs from {first} on, {differ} differ')
    return differ > 0


sys.exit(main())
