# SPDX-License-Identifier: Apache-2.0
"""Traces in the formats of others, and the load that is made up: what a small one comes to, and what bad input is told."""
import json
import pathlib
import struct
import sys
import tempfile

from stories import STORIES, check, equal, finish, one_type_pool, run

POOL = one_type_pool('m5.2xlarge')
LOAD = (STORIES.parent / 'replay' / 'load.yaml').read_text()


class Folder:
    def __init__(self, place):
        self.place = pathlib.Path(place)
        (self.place / 'pool.yaml').write_text(POOL)

    def file(self, name, content):
        path = self.place / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def replay(self, *words):
        text = run('replay', *words, '--nodepools', self.place / 'pool.yaml', '--region', 'us-west-2', '-o', 'json')[0]
        return json.loads(text), json.loads(text)['policies'][0]

    def refused(self, said, *words):
        error = run('replay', *words, '--nodepools', self.place / 'pool.yaml', '--region', 'us-west-2', status=1)[1]
        check(said in error, f'{error.strip()} has not: {said}')

    def noted(self, count, *words):
        equal(self.replay(*words, '--lenient', '--until', '1h')[0]['notes'], count, f'notes of {words[0]}')


def template(cpu):
    return {'metadata': {'labels': {'app': 'a'}}, 'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu}}}]}}


def deployment(name, replicas, cpu='1'):
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': name, 'namespace': 'default'},
            'spec': {'replicas': replicas, 'selector': {'matchLabels': {'app': 'a'}}, 'template': template(cpu)}}


def job(name, spec):
    return {'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': name, 'namespace': 'default'}, 'spec': {'template': template('1'), **spec}}


def simkube(objects, lives):
    return {'version': 2, 'config': {'trackedObjects': {}}, 'index': {}, 'pod_lifecycles': lives,
            'events': [{'ts': 1772409600, 'applied_objs': objects, 'deleted_objs': []}]}


def pack(value):
    """MessagePack of what a trace has, keys that are no text too."""
    if value is None or isinstance(value, bool):
        return {None: b'\xc0', False: b'\xc2', True: b'\xc3'}[value]
    if isinstance(value, int):
        return struct.pack('>Bq', 0xd3, value) if value < 0 or value >= 2**63 else struct.pack('B', value) if value < 128 else struct.pack('>BQ', 0xcf, value)
    if isinstance(value, float):
        return struct.pack('>Bd', 0xcb, value)
    if isinstance(value, str):
        data = value.encode()
        return (struct.pack('B', 0xa0 | len(data)) if len(data) < 32 else struct.pack('>BH', 0xda, len(data))) + data
    if isinstance(value, (list, tuple)):
        return (struct.pack('B', 0x90 | len(value)) if len(value) < 16 else struct.pack('>BH', 0xdc, len(value))) + b''.join(map(pack, value))
    head = struct.pack('B', 0x80 | len(value)) if len(value) < 16 else struct.pack('>BH', 0xde, len(value))
    return head + b''.join(pack(k) + pack(v) for k, v in value.items())


def tell_simkube(f):
    ts = 1772409600
    trace = {'version': 2, 'config': {'trackedObjects': {'apps/v1.Deployment': {'podSpecTemplatePath': '/spec/template'},
                                                         'x.io/v1.Fleet': {'podSpecTemplatePath': '/spec/pod'}}},
             'events': [
                 {'ts': ts, 'applied_objs': [deployment('web', 3), {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'c'}}],
                  'deleted_objs': [{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'before'}}]},
                 {'ts': ts + 600, 'applied_objs': [deployment('web', 5), job('j', {'completions': 4, 'parallelism': 2})], 'deleted_objs': []},
                 {'ts': ts + 1200, 'applied_objs': [deployment('web', 5, '2'), {
                     'apiVersion': 'x.io/v1', 'kind': 'Fleet', 'metadata': {'name': 'ships', 'namespace': 'sea'},
                     'spec': {'replicas': 2, 'pod': template('1')}}], 'deleted_objs': []},
                 {'ts': ts + 3600, 'applied_objs': [], 'deleted_objs': [deployment('web', 5)]}],
             'index': {}, 'pod_lifecycles': {'batch/v1.Job:default/j': {'77': [{'start_ts': ts + 610, 'end_ts': ts + 910}] * 4}}}
    path = f.file('trace.json', trace)
    whole, one = f.replay(path, '--until', '2h')
    # Five of the first template, five of the second, four of the Job, and the two of a kind of its own.
    equal((whole['pods'], one['podStarts'] >= 16, one['podsRunning'], one['podsPending']), (16, True, 2, 0), 'pods')
    equal((whole['begins'], one['podsEnded']), ('2026-03-02T00:00:00Z', 14), 'what ended')
    packed = dict(trace, pod_lifecycles={('batch/v1.Job', 'default/j'): {77: [{'start_ts': ts + 610, 'end_ts': ts + 910}] * 4}})
    data = pack(packed)
    equal(f.replay(f.file('trace.sktrace', data), '--until', '2h'), (whole, one), 'MessagePack')
    f.refused('trace.cut: MessagePack, byte ', f.file('trace.cut', data[:len(data) // 2]))
    f.refused('something follows', f.file('trace.more', data + b'\x01'))
    f.refused('trace.half:', f.file('trace.half', path.read_text()[:900]), '--format', 'simkube')
    f.refused('version: expected a SimKube trace of version 2', f.file('v1.json', dict(trace, version=1)))
    f.refused('events: a SimKube trace has events', f.file('none.json', {'version': 2, 'config': {'trackedObjects': {}}}), '--format', 'simkube')
    back = dict(trace, events=[trace['events'][1], trace['events'][0]])
    f.refused('back.json:', f.file('back.json', back))
    f.refused('ts: time goes back', f.file('back.json', back))
    f.noted(1, f.file('back.json', back))
    f.refused('back.sktrace: events[1].ts: time goes back', f.file('back.sktrace', pack(dict(packed, events=back['events']))))
    for owner, lives, said in (('batch/v1.Job:default/j', {'start_ts': ts + 9, 'end_ts': ts}, 'pod_lifecycles: a pod ends before'),
                               ('batch/v1.Job:default/j', {'Finished': [ts, 'late']}, 'pod_lifecycles: not a number of seconds')):
        wrong = dict(trace, pod_lifecycles={owner: {'77': [lives]}})
        f.refused(said, f.file('lives.json', wrong))
        f.noted(1, f.file('lives.json', wrong))
    lost = dict(trace, events=trace['events'] + [{'ts': ts + 3700, 'applied_objs': [], 'deleted_objs': [deployment('web', 5)]}])
    f.refused('deleted_objs: a workload is deleted that does not exist', f.file('gone.json', lost))
    f.noted(1, f.file('gone.json', lost))
    wrong = json.loads(json.dumps(trace))
    wrong['events'][0]['applied_objs'][0]['spec']['replicas'] = -1
    f.refused('replicas: not a number from 0 to 1000000', f.file('wrong.json', wrong))
    f.noted(1, f.file('wrong.json', wrong))


def tell_lives(f):
    """The lives of pods are those of their owner's kind, and repeated; workloads of one name have pods of their own. Source: SimKube, traces of
    version 2: ExportedTrace.lookup_pod_lifecycle() takes number `seq % length` of the kind, the name and the hash of the pod."""
    one = {'completions': 3, 'parallelism': 3}
    lives = {'batch/v1.Job:default/d': {'1': [[0, 60]], '2': [[0, 7200]]}, 'apps/v1.Deployment:default/d': {'3': [[0, 6]]}}
    for objects, ended in (([job('d', one)], 2), ([job('d', one), deployment('d', 2)], 2), ([deployment('d', 2), job('d', one)], 2),
                           ([job('other.d', one)], 0)):
        whole, played = f.replay(f.file('lives.json', simkube(objects, lives)), '--until', '1h')
        pods = sum(o['spec'].get('replicas', 3) for o in objects)
        equal((whole['pods'], played['podsEnded'], played['podsPending']), (pods, ended, 0), [o['metadata']['name'] for o in objects])


def tell_far(f):
    """Times that a replay cannot count are errors, never another time."""
    last = job('j', {'completions': 100, 'activeDeadlineSeconds': 299999999})
    f.refused('spec.completions: the last pods start more than 292 years after 1970', f.file('far.json', simkube([last], {})))
    f.refused('the replay begins before 1970, or after 2115', f.file('far.csv', 'name,start,end\np,8999999999,\n'), '--until', '87600h')
    late = LOAD.replace('2026-03-02', '2261-12-31')
    f.refused('start: before 1970, or after 2115', f.file('late.yaml', late))
    load = f.file('load.yaml', LOAD)
    state = f.place / 'state.json'
    state.write_text(run('replay', load, '--dump-at', '2026-03-02T06:00:00Z', '-o', 'json')[0])
    for field in ('billedSince', 'created', 'lastPodEvent'):
        cut = json.loads(state.read_text())
        nodes = cut['replay']['nodes']
        nodes[0][field] = -2**63
        said = f'the state of the replay does not fit: {field}'
        error = run('replay', load, '--nodepools', f.file('cut.json', cut), status=1)[1]
        check(said in error, f'{error.strip()} has not: {said}')


def tell_kubereplay(f):
    def event(minute, what, kind, key, **more):
        return {'type': what, 'kind': kind, 'key': key, 'timestamp': f'2026-03-02T10:{minute:02}:00Z', **more}

    web = dict(deployment('web', 2), status={})
    del web['kind'], web['apiVersion']
    log = {'cluster': 'c', 'captured': '2026-03-02T12:00:00Z', 'events': [
        event(0, 'create', 'Deployment', 'default/web', deployment=web),
        event(20, 'create', 'Job', 'default/j', job=job('j', {'completions': 3, 'activeDeadlineSeconds': 60})),
        event(10, 'scale', 'Deployment', 'default/web', replicas=4),
        event(40, 'delete', 'Deployment', 'default/web')]}
    whole, one = f.replay(f.file('replay.json', log), '--until', '2h')
    equal((whole['begins'], whole['pods'], one['podsEnded'], one['podsRunning']), ('2026-03-02T10:00:00Z', 7, 7, 0), 'kubereplay')
    for change, said in (({'timestamp': 'soon'}, 'timestamp: not a time'), ({'kind': 'Cat'}, 'kind: not Deployment or Job'),
                         ({'type': 'fold'}, 'type: not create'), ({'deployment': None}, 'deployment: a workload is created')):
        wrong = dict(log, events=[{**log['events'][0], **change}])
        f.refused('wrong.json:', f.file('wrong.json', wrong))
        f.refused(said, f.file('wrong.json', wrong))
    lost = dict(log, events=log['events'] + [event(50, 'scale', 'Deployment', 'default/web', replicas=1), event(51, 'scale', 'Deployment', 'web', replicas=1)])
    gone = dict(log, events=log['events'] + [event(50, 'delete', 'Deployment', 'default/web')])
    f.refused('key: a workload is deleted that does not exist', f.file('gone.json', gone))
    f.noted(1, f.file('gone.json', gone))
    early = dict(log, events=[event(20, 'create', 'Job', 'default/j', job=job('j', {'activeDeadlineSeconds': -5}))])
    f.refused('activeDeadlineSeconds: not a number of seconds', f.file('early.json', early))
    f.noted(1, f.file('early.json', early))
    f.refused('cut.json:1:301: not JSON', f.file('cut.json', json.dumps(log)[:300]), '--format', 'kubereplay')
    f.refused('key: a workload is scaled that does not exist', f.file('lost.json', lost))
    f.noted(2, f.file('lost.json', lost))


def tell_dumps(f):
    def dump(time, *names):
        pods = [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': n, 'namespace': 'default', 'creationTimestamp': made,
                                                                'labels': {'app': 'a'}, 'ownerReferences': [
                                                                    {'apiVersion': 'apps/v1', 'kind': owner, 'name': 'r', 'uid': 'r', 'controller': True}]},
                 'spec': {**template('1')['spec'], 'nodeName': 'somewhere', 'volumes': [{'name': 'kube-api-access', 'projected': {'sources': []}}]},
                 'status': {'phase': phase}} for n, made, owner, phase in names]
        return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': time, 'objects': pods}

    made = '2026-03-02T09:00:00Z'
    late = '2026-03-02T10:20:00Z'
    rs, ds = 'ReplicaSet', 'DaemonSet'
    first = f.file('d1.json', dump('2026-03-02T10:00:00Z', ('a', made, rs, 'Running'), ('b', made, rs, 'Running'), ('d', made, ds, 'Running')))
    second = f.file('d2.json', dump('2026-03-02T10:30:00Z', ('a', made, rs, 'Running'), ('c', late, rs, 'Pending'), ('e', late, rs, 'Succeeded')))
    third = f.file('d3.json', {'apiVersion': 'v1', 'kind': 'List', 'items': dump('', ('c', late, rs, 'Running'), ('f', '2026-03-02T11:00:00Z', rs, 'Pending'))['objects']})
    whole, one = f.replay(first, second, third, '--step', '1m')
    equal((whole['begins'], whole['ends'], whole['pods']), ('2026-03-02T10:00:00Z', '2026-03-02T11:00:00Z', 4), 'dumps')
    pods = dict(zip(one['series']['time'], map(sum, zip(one['series']['pods'], one['series']['pending']))))
    start = min(pods)
    equal([pods[start + 60 * m] for m in (0, 19, 25, 30, 59, 60)], [2, 2, 3, 2, 2, 2], 'pods of each minute')
    # node classes of any cloud: 30 pods of nodes with at most 11
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'p'}, 'spec': {'template': {'spec': {
        'nodeClassRef': {'group': 'karpenter.azure.com', 'kind': 'AKSNodeClass', 'name': 'default'},
        'requirements': [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}]}}}}
    node_class = {'apiVersion': 'karpenter.azure.com/v1beta1', 'kind': 'AKSNodeClass', 'metadata': {'name': 'default'}, 'spec': {'maxPods': 11}}
    many = [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'w{n}', 'creationTimestamp': made}, 'spec': template('10m')['spec']} for n in range(30)]
    dumps = [f.file(f'aks{hour}.json', {**dump(f'2026-03-02T{hour}:00:00Z'), 'objects': [pool, node_class, *many]}) for hour in (10, 11)]
    done = json.loads(run('replay', *dumps, '--format', 'dumps', '-o', 'json')[0])
    equal(done['policies'][0]['launches'], 3, 'the node class of the dumps')
    f.refused('now: time goes back', second, first)
    f.refused('now: not a time', f.file('bad.json', dump('noon')))
    twice = f.file('bad.json', dump('2026-03-02T10:00:00Z', ('a', made, rs, 'Running'), ('a', made, rs, 'Running')))
    f.refused('metadata.name: the pod is in this dump already', twice)
    f.noted(1, twice)
    f.refused('cut.json:', f.file('cut.json', first.read_text()[:300]), '--format', 'dumps')
    f.refused('items: a dump is', f.file('bad.json', {'kind': 'Snapshot'}), '--format', 'dumps')


def tell_azure(f):
    types = f.file('vmType.csv', 'id,vmTypeId,machineId,core,memory,hdd,ssd,nic\n0,0,0,0.03125,0.015625,0,0.1,0\n1,0,1,0.5,0.5,0,0.1,0\n2,1,0,0.0625,0.03125,,0.2,0\n')
    vms = f.file('vm.csv', 'vmId,tenantId,vmTypeId,priority,starttime,endtime\n7,1,0,0,-2.5,0.0208333\n8,1,1,1,0.0104166,\n9,2,0,1,0.0104166,NULL\n')
    whole, one = f.replay(types, vms, '--until', '1h', '--format', 'azure-packing')
    equal((whole['pods'], one['podsEnded'], one['podsRunning']), (3, 1, 2), 'VMs')
    # Two of 64 cores and 8 GiB of 512, four and sixteen.
    equal(one['series']['cpuRequested'][-1], 6, 'cores')
    equal(f.replay(types, vms, '--until', '1h')[0], whole, 'told by its first line')
    equal(f.replay(types, vms, '--until', '1h', '--format', 'azure-packing:32:128Gi')[1]['series']['cpuRequested'][-1], 3, 'a smaller machine')
    f.refused('vm.csv:2: vmTypeId: a type that', vms)
    f.refused('a machine is given as', types, vms, '--format', 'azure-packing:lots')
    for line, said in (('7,1,0,0,soon,', 'vm2.csv:2: starttime: not a number'), ('7,1,0,0,1,0.5', 'endtime: the VM ends before'), ('7,1', 'not as many cells')):
        bad = f.file('vm2.csv', f'vmId,tenantId,vmTypeId,priority,starttime,endtime\n{line}\n')
        f.refused(said, types, bad)
        f.noted(1, types, f.file('vm2.csv', bad.read_text() + '9,1,0,0,0,\n'))
    f.refused('core: not a part', f.file('t.csv', 'vmTypeId,core,memory\n0,2,1\n'), '--format', 'azure-packing')
    f.refused('neither the table', f.file('t.csv', 'vmTypeId,core\n0,2\n'))


def tell_load(f):
    path = f.file('load.yaml', LOAD.replace('48h', '6h'))
    text = run('replay', path, '-o', 'json')[0]
    equal(run('replay', path, '-o', 'json')[0], text, 'equal seeds')
    whole = json.loads(text)
    equal((whole['begins'], whole['ends']), ('2026-03-02T00:00:00Z', '2026-03-02T06:00:00Z'), 'length')
    check(run('replay', f.file('other.yaml', path.read_text().replace('seed: 1', 'seed: 2')), '-o', 'json')[0] != text, 'another seed')
    plain = LOAD[:LOAD.index('cronJobs:')].replace('noise: 0.1, weekend: 0.5', 'weekend: 0.5').replace('48h', '16h').replace('copies: 3', 'copies: 2')
    one = json.loads(run('replay', f.file('plain.yaml', plain), '--step', '1h', '-o', 'json')[0])['policies'][0]['series']
    running = [a + b for a, b in zip(one['pods'], one['pending'])]
    # Lowest at 02:00, when the most of the last five minutes is just above 4.
    equal((running[2], running[14]), (2 * 5, 2 * 20), 'lowest and highest')
    weekend = plain.replace('2026-03-02', '2026-03-07')
    one = json.loads(run('replay', f.file('weekend.yaml', weekend), '--step', '1h', '-o', 'json')[0])['policies'][0]['series']
    equal((one['pods'][2], one['pods'][14]), (2 * 5, 2 * 12), 'a weekend')
    jobs = LOAD[:LOAD.index('deployments:')] + LOAD[LOAD.index('cronJobs:'):]
    whole = json.loads(run('replay', f.file('jobs.yaml', jobs), '-o', 'json')[0])
    equal((whole['pods'], whole['policies'][0]['podsEnded']), (24 * 6, 24 * 6), 'every second hour')
    for schedule, runs in (('0 0 * * *', 2), ('0 12 2 * 3', 1), ('0 6,18 * 3 1-5', 4), ('*/30 9-10 * * 0', 0), ('5/20 0 * * *', 6)):
        whole = json.loads(run('replay', f.file('jobs.yaml', jobs.replace('15 */2 * * *', schedule)), '-o', 'json')[0])
        equal(whole['pods'], runs * 6, schedule)
    for old, new, said in (('length: 48h', 'length: long', 'length: not a duration'), ('least: 4', 'least: -1', 'deployments[0].replicas.least: not a number'),
                           ('most: 20', 'most: 2', 'deployments[0].replicas.most: below least'), ('peak: "14:00"', 'peak: noon', 'replicas.peak: not a time'),
                           ('noise: 0.1', 'noise: 7', 'replicas.noise: not a number from 0 to 1'), ('15 */2', '99 */2', 'cronJobs[0].schedule: not a schedule'),
                           ('parallelism: 6', 'parallelism: x', 'cronJobs[0].parallelism: not a number'), ('- name: web', '- copie: 2', 'deployments[0].copie: no such field; did you mean copies?'),
                           ('- name: web\n  ', '- ', 'deployments[0].name: expected a name'), ('seed: 1', 'sead: 1', 'bad.yaml:7:7: sead: no such field; did you mean seed?'),
                           ('least: 4', 'leest: 4', 'deployments[0].replicas.leest: no such field; did you mean least?'),
                           ('duration: 20m', 'duration: -1m', 'cronJobs[0].duration: not a duration'), ('step', 'step', '')):
        if said:
            error = run('replay', f.file('bad.yaml', LOAD.replace(old, new)), status=1)[1]
            check(said in error, f'{error.strip()} has not: {said}')
    check('karp replay reads a Load' in run('simulate', path, status=1)[1], 'karp simulate')


def tell_story(f):
    """A story in JSON, with what the formats of others are known by in its objects."""
    web = deployment('web', 2)
    web['metadata']['annotations'] = {'captured': 'applied_objs', 'events': '"trackedObjects": {"instanceTypes": ['}
    web['spec']['template']['spec']['volumes'] = [{'name': 'v', 'configMap': {'name': 'items', 'items': [{'key': 'k', 'path': 'p'}]}}]
    story = {'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': [web], 'steps': [{'wait': '1h'}]}
    equal(f.replay(f.file('story.json', story))[0]['pods'], 2, 'pods of a story in JSON')


with tempfile.TemporaryDirectory() as name:
    folder = Folder(name)
    for tell in (tell_simkube, tell_lives, tell_far, tell_kubereplay, tell_dumps, tell_azure, tell_load, tell_story):
        tell(folder)
    folder.refused('no such format', folder.file('x.csv', 'name,start\n'), '--format', 'tape')
sys.exit(finish())
