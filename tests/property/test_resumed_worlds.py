# SPDX-License-Identifier: Apache-2.0
"""A replay that is interrupted goes on as if it had not been: on random clusters, under random traces, from the dump of any instant
on, the result has equal bytes, and so has the dump of a later instant.

    test_resumed_worlds.py [--from SEED] [--count N]
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

WORLDS, CUTS = 6, 4
# A Namespace that only the dump names; victims of a preemption that started at the same instant; victims that ran from the start;
# a NodePool that a trace applies again as it was; a node that leaves, and with it the emptiest domain of a spread; the nodes for which
# the pods of a command's node are planned, when that node has gone.
FOUND = 900031, 900130, 930040, 940007, 3106033, 3106199
NOW = 1767312000 # 2026-01-02T00:00:00Z
ZONE, KIND, HOST = 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type', 'kubernetes.io/hostname'
TYPES = {'t1': (1000, 0.05), 't2': (2000, 0.1), 't4': (4000, 0.19), 't8': (8000, 0.4)}
CLASS = {'group': 'karpenter.test', 'kind': 'TestNodeClass', 'name': 'default'}


def instant(seconds):
    """In RFC 3339; `seconds` count from the instant of the cluster."""
    whole = NOW + seconds
    days, rest = divmod(whole - 1767225600, 86400)
    return f'2026-01-{days + 1:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z'


def catalogue():
    return [{'name': name, 'capacity': {'cpu': f'{cpu}m', 'memory': f'{4 * cpu}Mi', 'pods': '12'},
             'labels': {'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux']},
             'offerings': [{'zone': zone, 'capacityType': kind, 'price': round(price * (0.4 if kind == 'spot' else 1), 4)}
                           for zone in ('z1', 'z2') for kind in ('on-demand', 'spot')]} for name, (cpu, price) in TYPES.items()]


# ---- objects

def meta(name, rng, **more):
    return {'name': name, 'uid': 'u-' + name, 'creationTimestamp': instant(-rng.randrange(1, 80000)), **more}


def pool(name, rng, static=False):
    spec = {'nodeClassRef': CLASS, 'requirements': []}
    if rng.random() < .5:
        spec['requirements'].append({'key': KIND, 'operator': 'In', 'values': rng.choice((['spot'], ['on-demand'], ['spot', 'on-demand']))})
    if rng.random() < .2:
        spec['taints'] = [{'key': 'team', 'value': 'x', 'effect': 'NoSchedule'}]
    if rng.random() < .2:
        spec['startupTaints'] = [{'key': 'boot', 'effect': 'NoSchedule'}]
    if rng.random() < .4:
        spec['expireAfter'] = rng.choice(('30m', '3h', '26h', 'Never'))
    if rng.random() < .4:
        spec['terminationGracePeriod'] = rng.choice(('30s', '10m'))
    whole = {'template': {'metadata': {'labels': {'tier': rng.choice('ab')}}, 'spec': spec}}
    if static:
        whole['replicas'] = rng.randrange(1, 4)
    else:
        whole['weight'] = rng.randrange(1, 4)
        if rng.random() < .3:
            whole['limits'] = {'cpu': str(rng.randrange(4, 40))}
        if rng.random() < .7:
            whole['disruption'] = {'consolidateAfter': rng.choice(('0s', '30s', '3m', '20m', 'Never')),
                                   'consolidationPolicy': rng.choice(('WhenEmpty', 'WhenEmptyOrUnderutilized', 'WhenEmptyOrUnderutilized')),
                                   'budgets': [{'nodes': rng.choice(('1', '3', '50%', '100%'))}]}
            if rng.random() < .3:
                whole['disruption']['budgets'].append({'nodes': '0', 'schedule': '*/30 * * * *', 'duration': '11m'})
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': meta(name, rng), 'spec': whole}


def node(name, of, rng):
    """A node with its claim; a machine that has not registered has only the claim."""
    kind, (cpu, _) = rng.choice(list(TYPES.items()))
    ready, leaving = rng.random() < .85, rng.random() < .1
    labels = {'karpenter.sh/nodepool': of['metadata']['name'], 'node.kubernetes.io/instance-type': kind, ZONE: rng.choice(('z1', 'z2')),
              KIND: rng.choice(('spot', 'on-demand')), HOST: name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64',
              **of['spec']['template']['metadata']['labels']}
    amounts = {'cpu': f'{cpu}m', 'memory': f'{4 * cpu}Mi', 'pods': '12'}
    given = {'providerID': f'x://{name}', 'taints': of['spec']['template']['spec'].get('taints', [])}
    made = {'metadata': meta(name, rng, labels=labels)}
    true = ['Launched', *(['Registered', 'Initialized', 'Ready'] if ready else []), *rng.choice(([], [], ['Drifted'], ['Consolidatable']))]
    claim = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', **json.loads(json.dumps(made)),
             'spec': {'nodeClassRef': CLASS, 'expireAfter': rng.choice(('Never', '24h', '10m', '2h')), 'taints': given['taints'], 'requirements': []},
             'status': {'providerID': f'x://{name}', 'capacity': amounts, 'allocatable': amounts,
                        'conditions': [{'type': t, 'status': 'True', 'lastTransitionTime': instant(-rng.randrange(1, 900))} for t in true]}}
    if rng.random() < .3:
        claim['spec']['terminationGracePeriod'] = '7m'
    if leaving:
        claim['metadata']['deletionTimestamp'] = instant(-5)
    if not ready:
        return [claim]
    claim['status']['nodeName'] = name
    made['metadata']['labels'] |= {'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
    return [claim, {'apiVersion': 'v1', 'kind': 'Node', **made, 'spec': given,
                    'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}]


def selector(rng):
    return rng.choice(({'matchLabels': {'app': rng.choice('abc')}}, {'matchExpressions': [{'key': 'app', 'operator': 'In', 'values': ['a', 'b']}]},
                       {'matchExpressions': [{'key': 'part', 'operator': 'Exists'}]}, {}))


def template(rng):
    spec = {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': rng.choice(('100m', '400m', '900m', '1500m', '3')),
                                                                    'memory': rng.choice(('64Mi', '700Mi', '2Gi'))}}}]}
    affinity = {}
    required = 'requiredDuringSchedulingIgnoredDuringExecution'
    if rng.random() < .2:
        affinity['podAntiAffinity'] = {required: [{'topologyKey': rng.choice((ZONE, HOST)), 'labelSelector': selector(rng)}]}
    if rng.random() < .1:
        affinity['podAffinity'] = {required: [{'topologyKey': ZONE, 'labelSelector': selector(rng)}]}
    if rng.random() < .15:
        affinity['podAntiAffinity'] = {'preferredDuringSchedulingIgnoredDuringExecution': [
            {'weight': 5, 'podAffinityTerm': {'topologyKey': HOST, 'labelSelector': selector(rng)}}]}
    if affinity:
        spec['affinity'] = affinity
    if rng.random() < .2:
        spec['topologySpreadConstraints'] = [{'maxSkew': 1, 'topologyKey': rng.choice((ZONE, HOST, KIND)), 'labelSelector': selector(rng),
                                              'whenUnsatisfiable': rng.choice(('DoNotSchedule', 'ScheduleAnyway'))}]
    if rng.random() < .2:
        spec['nodeSelector'] = rng.choice(({ZONE: 'z1'}, {'tier': 'a'}, {KIND: 'spot'}))
    if rng.random() < .3:
        spec['tolerations'] = [{'key': 'team', 'operator': 'Exists'}]
    if rng.random() < .15:
        spec['priorityClassName'] = 'high'
    if rng.random() < .1:
        spec['containers'][0]['ports'] = [{'hostPort': 8080, 'containerPort': 8080}]
    metadata = {'labels': {'app': rng.choice('abc'), **rng.choice(({}, {}, {'part': 'x'}, {'apps.kubernetes.io/pod-index': '0'}))}}
    notes = rng.choice(({}, {}, {}, {'karpenter.sh/do-not-disrupt': 'true'}, {'controller.kubernetes.io/pod-deletion-cost': '7'}, {'example.com/x': 'y'}))
    return {'metadata': {**metadata, **({'annotations': notes} if notes else {})}, 'spec': spec}


def own_pod(name, rng, nodes):
    """Running on one of these nodes, or pending."""
    made = template(rng)
    owner = [{'apiVersion': 'apps/v1', 'kind': rng.choice(('ReplicaSet', 'ReplicaSet', 'StatefulSet', 'DaemonSet')), 'name': 'w', 'uid': 'w', 'controller': True}]
    own = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': meta(name, rng, namespace='default', **made['metadata']), 'spec': made['spec'],
           'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable', 'lastTransitionTime': instant(-9)}]}}
    if rng.random() < .85:
        own['metadata']['ownerReferences'] = owner
    if nodes and rng.random() < .7:
        own['spec']['nodeName'] = rng.choice(nodes)
        own['status'] = {'phase': 'Running', 'startTime': instant(-rng.randrange(1, 4000))}
    elif owner[0]['kind'] == 'DaemonSet':
        own['metadata'].pop('ownerReferences', None)
    return own


def workload(name, rng):
    labels = template(rng)
    return {'apiVersion': 'apps/v1', 'kind': rng.choice(('Deployment', 'StatefulSet', 'ReplicaSet')), 'metadata': meta(name, rng, namespace='default'),
            'spec': {'replicas': rng.randrange(0, 5), 'selector': {'matchLabels': {'app': labels['metadata']['labels']['app']}}, 'template': labels}}


def budget(name, rng):
    return {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': meta(name, rng, namespace='default'),
            'spec': {rng.choice(('maxUnavailable', 'minAvailable')): rng.choice((0, 1, '30%', '60%')), 'selector': selector(rng)}}


def cluster(rng):
    pools = [pool(f'pool{i}', rng, static=rng.random() < .15) for i in range(rng.randrange(1, 4))]
    objects = [*pools, {'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'PriorityClass', 'metadata': meta('high', rng), 'value': 100}]
    nodes = []
    if rng.random() < .7:
        for i in range(rng.randrange(0, 7)):
            # Names as a replay gives them, too.
            name = rng.choice((f'n{i}', f'{pools[0]["metadata"]["name"]}-{i + 1}'))
            made = node(name, rng.choice(pools), rng)
            objects += made
            nodes += [name] if len(made) == 2 else []
        objects += [own_pod(f'own{i}', rng, nodes) for i in range(rng.randrange(0, 12))]
    objects += [workload(f'w{i}', rng) for i in range(rng.randrange(0, 4))]
    objects += [budget(f'c{i}', rng) for i in range(rng.randrange(0, 3))]
    if rng.random() < .3:
        objects.append({'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': meta('ds', rng, namespace='kube-system'),
                        'spec': {'selector': {'matchLabels': {'d': 's'}}, 'template': {'metadata': {'labels': {'d': 's'}}, 'spec': {
                            'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '50m'}}}]}}}})
    return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': instant(0), 'settings': {'featureGates': {'StaticCapacity': True}},
            'catalogues': [{'types': catalogue()}], 'objects': objects}, pools


# ---- traces

def load(rng):
    deployments = [{'name': f'd{i}', 'copies': rng.randrange(1, 3), 'template': template(rng),
                    'replicas': {'least': rng.randrange(0, 3), 'most': rng.randrange(3, 9), 'peak': rng.choice(('00:00', '01:00', '14:00')), 'noise': rng.random()}}
                   for i in range(rng.randrange(1, 4))]
    jobs = [{'name': f'j{i}', 'schedule': rng.choice(('*/7 * * * *', '*/13 * * * *', '5 * * * *')), 'parallelism': rng.randrange(1, 5),
             'duration': rng.choice(('40s', '7m', '1h')), 'noise': rng.random(), 'template': template(rng)} for i in range(rng.randrange(0, 3))]
    return {'apiVersion': 'karp/v1', 'kind': 'Load', 'start': instant(rng.choice((0, 0, -1800))), 'length': f'{rng.randrange(40, 180)}m',
            'step': rng.choice(('90s', '5m', '10m')), 'seed': rng.randrange(100), 'deployments': deployments, 'cronJobs': jobs}


def story_of_objects(rng, pools):
    """SimKube's: templates, NodePools and budgets change; workloads are deleted and come again."""
    events, there, at = [{'ts': NOW, 'applied_objs': [], 'deleted_objs': []}], {}, 1
    for _ in range(rng.randrange(3, 25)):
        applied, deleted, what = [], [], rng.random()
        if what < .6:
            one = workload(f'k{rng.randrange(4)}', rng)
            one['kind'] = there.get(one['metadata']['name'], one)['kind'] if one['metadata']['name'] in there else one['kind']
            there[one['metadata']['name']] = one
            applied.append(one)
        elif what < .7 and there:
            deleted.append(there.pop(rng.choice(sorted(there))))
        elif what < .8:
            applied.append({'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': f'job{at}', 'namespace': 'default'},
                            'spec': {'parallelism': 2, 'completions': 5, 'template': template(rng)}})
        elif what < .93:
            of = rng.choice(pools)
            changed = pool(of['metadata']['name'], rng)
            if 'replicas' in of['spec']:
                changed = {**of, 'spec': {**of['spec'], 'replicas': rng.randrange(4)}}
            applied.append(changed)
        else:
            applied.append(budget(f'b{at}-{len(events)}', rng))
        events.append({'ts': NOW + at, 'applied_objs': applied, 'deleted_objs': deleted})
        at += rng.randrange(0, 900)
    events.append({'ts': NOW + at, 'applied_objs': [], 'deleted_objs': []})
    return {'version': 2, 'config': {'trackedObjects': {}}, 'events': events, 'index': {},
            'pod_lifecycles': {f'batch/v1.Job:default/job{k}': {'1': [[NOW + k, NOW + k + 300]]} for k in range(at)
                               if any(o['metadata']['name'] == f'job{k}' for e in events for o in e['applied_objs'])}}


def table(rng):
    """Pods whose names come again."""
    rows, busy = ['name,start,end,duration,cpu,memory,labels,owner'], {}
    for _ in range(rng.randrange(5, 70)):
        name, start = f'p{rng.randrange(20)}', rng.randrange(0, 7000)
        end = start + rng.randrange(1, 3000)
        if any(start <= b and a <= end for a, b in busy.get(name, ())):
            continue
        busy.setdefault(name, []).append((start, end))
        rows.append(f'{name},{NOW + start},{NOW + end},{rng.choice(("", "90s", "10m"))},{rng.choice(("200m", "1", "3"))},{rng.choice(("", "1Gi"))},app={rng.choice("abc")},{rng.choice(("", "w"))}')
    return '\n'.join(rows) + '\n'


def make(seed, folder):
    """The words of a replay, and how long it takes."""
    rng = random.Random(seed)
    objects, pools = cluster(rng)
    kind = rng.choice(('load', 'load', 'objects', 'table'))
    trace = folder / ('trace.csv' if kind == 'table' else 'trace.json')
    text = table(rng) if kind == 'table' else json.dumps(load(rng) if kind == 'load' else story_of_objects(rng, pools))
    trace.write_text(text, encoding='utf-8')
    (folder / 'cluster.json').write_text(json.dumps(objects), encoding='utf-8')
    (folder / 'types.json').write_text(json.dumps(catalogue()), encoding='utf-8')
    words = ['--catalogue', str(folder / 'types.json'), '--policy', rng.choice(('karpenter', 'karpenter', 'karpenter-1.14', 'karp', 'cost', 'cost+repack')),
             '--seed', str(seed), '--feature-gates', 'StaticCapacity=true', '--until', f'{rng.randrange(1200, 9000)}s']
    words += rng.choice(([], ['--interruptions', '0.5'], ['--interruptions', '3']))
    words += rng.choice(([], [], ['--boot', '0s', '--boot-jitter', '0s'], ['--boot', '3m']))
    words += rng.choice(([], [], ['--most-allocated'], ['--disruption-interval', '1m']))
    words += ['--lenient']
    return trace, words


def replay(trace, objects, words, *more):
    done = subprocess.run([os.environ['KARP'], 'replay', str(trace), '--nodepools', str(objects), *words, *more, '--quiet'], capture_output=True, check=False, timeout=300)
    if done.returncode:
        raise AssertionError(f'{" ".join(more)}: exit status {done.returncode}: {done.stderr.decode()}')
    return done.stdout


def moment_of(text):
    """What a dump says, without the names and times that the reader gives objects that have none."""
    dump = json.loads(text)
    for one in dump['objects']:
        one['metadata'].pop('uid', None)
        if one['kind'] not in ('Pod', 'Node', 'NodeClaim'):
            one['metadata'].pop('creationTimestamp', None)
    return dump


def try_world(seed, cuts):
    """What went wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace, words = make(seed, folder)
        objects, dump = folder / 'cluster.json', folder / 'dump.json'
        until = words.index('--until')
        end = int(words[until + 1][:-1])
        try:
            whole = replay(trace, objects, words, '-o', 'json')
        except AssertionError as error:
            return [f'world {seed}: {error}']
        begins = json.loads(whole)['begins']
        rng = random.Random(seed + .5)
        for _ in range(cuts):
            cut = rng.choice((rng.randrange(1, end), rng.randrange(1, 300), rng.randrange(1, end) // 60 * 60 + 60))
            if cut > end:
                continue
            later = rng.randrange(cut, end + 1)
            last = words[:until] + words[until + 2:]
            try:
                dump.write_bytes(replay(trace, objects, words, '--dump-at', f'{cut}s'))
                ending = ['--until', json.loads(whole)['ends']]
                assert begins, 'begins'
                if replay(trace, dump, last, *ending, '-o', 'json') != whole:
                    wrong.append(f'world {seed}, cut at {cut}s: another result')
                moment = f'{json.loads(dump.read_text())["now"]}'
                then = replay(trace, objects, words, '--dump-at', f'{later}s')
                if moment_of(replay(trace, dump, last, *ending, '--dump-at', json.loads(then)['now'])) != moment_of(then):
                    wrong.append(f'world {seed}, cut at {cut}s ({moment}), dumped at {later}s: another dump')
            except AssertionError as error:
                wrong.append(f'world {seed}, cut at {cut}s: {error}')
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--from', type=int, default=1, dest='first')
    parser.add_argument('--count', type=int, default=WORLDS)
    parser.add_argument('--cuts', type=int, default=CUTS)
    given = parser.parse_args()
    worlds = [*range(given.first, given.first + given.count), *FOUND]
    wrong = [line for seed in worlds for line in try_world(seed, given.cuts)]
    print('\n'.join(wrong) or f'{len(worlds)} worlds, {given.cuts} cuts each: as if there had been none')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
