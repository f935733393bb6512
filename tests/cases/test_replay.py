# SPDX-License-Identifier: Apache-2.0
"""Replays on the command line: what a small story comes to under two policies, in every format; and what bad input is told."""
import json
import math
import pathlib
import re
import sys
import tempfile

from stories import SOURCE, check, equal, finish, one_type_pool, progress, run

DUMP = pathlib.Path(__file__).parent / 'asks' / 'dump.json'

POOL = one_type_pool('m5.large')
# One pod takes a node for itself; five minutes after its end the node is gone.
STORY = '''apiVersion: karp/v1
kind: Story
start: "2026-03-02T00:00:00Z"
nodeReadyAfter: 60s
files: [pool.yaml]
objects:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    replicas: 0
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {containers: [{name: c, resources: {requests: {cpu: "1", memory: 1Gi}}}]}
steps:
- scale: {deployment: web, replicas: 2}
- wait: 1h
- scale: {deployment: web, replicas: 1}
- wait: 1h
- scale: {deployment: web, replicas: 0}
- wait: 1h
'''


def tell(folder):
    story = folder / 'story.yaml'
    story.write_text(STORY)
    (folder / 'pool.yaml').write_text(POOL)
    text = run('replay', story, '--policy', 'karpenter,cost', '-o', 'json')[0]
    equal(run('replay', story, '--policy', 'karpenter,cost', '-o', 'json')[0], text, 'the same again')
    result = json.loads(text)
    equal([p['policy'] for p in result['policies']], ['karpenter', 'cost'], 'policies')
    equal(result['catalogue'], {'name': 'us-west-2', 'prices': '2026-07-20'}, 'the region, and the date of its prices')
    one = result['policies'][0]
    # Two nodes from 00:00:01 (the batch); one until 01:01:24.33 (a minute empty, 4.33 s until the next pass, 15 s of validation, 5 s of
    # draining), the other until 02:01:24.33.
    hours = (3683.33 + 7283.33) / 3600
    equal(round(one['nodeHours'], 4), round(hours, 4), 'node-hours')
    price = [line for line in run('catalogue', '--region', 'us-west-2', '-o', 'csv')[0].splitlines() if line.startswith('m5.large,')]
    check(price, 'the catalogue has the type')
    equal((one['launches'], one['evictions'], one['podStarts'], one['podsEnded']), (2, 0, 2, 2), 'counts')
    # Nodes are ready after 61 s. Without any node, kube-scheduler tries pods after 2, 5, 10, 19, 30, 41, 52, 63 s.
    equal(one['pendingSeconds'], {'p50': 63, 'p99': 63, 'max': 63}, 'pending')
    equal(one['disruptions'], {'Emptiness': 2}, 'disruptions')
    series = one['series']
    equal({len(v) for v in series.values()}, {len(series['time'])}, 'columns of one length')
    equal((max(series['nodes']), series['nodes'][-1]), (2, 0), 'nodes')
    csv = run('replay', story, '-o', 'csv')[0].splitlines()
    equal((csv[0].split(',')[:4], len(csv)), (['policy', 'time', 'costPerHour', 'dollars'], 1 + len(series['time'])), 'csv')
    page = run('replay', story, '--policy', 'karpenter,cost', '-o', 'html')[0]
    equal((page.count('<svg'), page.count('<path'), '<script' in page, 'http' in page.replace('http-equiv', '')), (3, 6, False, False), 'page')
    equal(len(re.findall(r'<path class="l s1 e1"', page)), 3, 'a curve upon an equal one is dashed')
    check('cost' in run('replay', story)[0], 'text')
    snapshot = folder / 'dump.json'
    snapshot.write_text(run('replay', story, '--dump-at', '30s')[0])
    plan = json.loads(run('plan', snapshot, '-o', 'json')[0])
    equal((len(plan['launches']), len(plan['unschedulable'])), (0, 0), 'the nodes that are starting have room for the pods')
    equal(json.loads(run('replay', story, '--until', '30m', '-o', 'json')[0])['ends'], '2026-03-02T00:30:00Z', 'until')
    for option in ('--until', '--dump-at'):
        check('after the beginning' in run('replay', story, option, '0s', status=1)[1], f'{option} 0s')


def tell_gates(folder):
    """Feature gates: without them an overlay, a buffer and a static pool do nothing; a dump keeps them."""
    objects = folder / 'gates.yaml'
    objects.write_text((pathlib.Path(__file__).parent / 'asks' / 'gates-off.yaml').read_text().replace('instance-family, operator: In, values: [m5]', 'instance-size, operator: Exists'))
    words = ['replay', folder / 'story.yaml', '--nodepools', objects]
    plain, gates = bill(words), ['--feature-gates', 'StaticCapacity=true,NodeOverlay=true']
    gated = bill([*words, *gates])
    equal((max(plain['series']['nodes']), max(gated['series']['nodes'])), (2, 3), 'a static pool')
    equal((plain['series']['nodes'][-1], gated['series']['nodes'][-1]), (0, 3), 'which keeps its nodes')
    overlaid = bill([*words, '--feature-gates', 'NodeOverlay=true'])
    check(abs(overlaid['dollars'] - 0.4 * plain['dollars']) < 1e-6, f'an overlay: {overlaid["dollars"]} of {plain["dollars"]}')
    cut = folder / 'cut.json'
    cut.write_text(run(*words, *gates, '--dump-at', '90m')[0])
    equal(json.loads(cut.read_text())['settings'], {'featureGates': {'NodeOverlay': True, 'StaticCapacity': True}}, 'a dump has them')
    equal(bill(['replay', folder / 'story.yaml', '--nodepools', cut]), gated, 'and goes on with them')
    for wrong, said in (('StaticCapacity', 'StaticCapacity is no gate=true or gate=false'), ('Foo=true', 'Karpenter has no feature gate Foo; gates: '), ('NodeOverlays=true', 'did you mean NodeOverlay?'),
                        ('CapacityBuffer=true', 'no CapacityBuffers with their feature gate on')):
        out, error = run(*words, '--feature-gates', wrong, status=1)
        check(out == '' and said in error, error)


def bill(words):
    return json.loads(run(*words, '-o', 'json')[0])['policies'][0]


def tell_table(folder):
    table = folder / 'pods.csv'
    table.write_text('name,start,end,duration,cpu,memory,labels\n'
                     'a,0,3600,,1,1Gi,app=a\nb,2026-01-01T00:30:00Z,,10m,500m,"512Mi",app=b;tier=x\n')
    words = ['replay', table, '--nodepools', folder / 'pool.yaml', '--region', 'us-west-2', '--until', '3h', '-o', 'json']
    text = run(*words)[0]
    one = json.loads(text)['policies'][0]
    # The second pod runs beside the first; a quarter of an hour after both are gone the node is, too.
    equal((one['launches'], one['podStarts'], one['podsEnded'], one['series']['nodes'][-1]), (1, 2, 2, 0), 'a table')
    before, after = folder / 'before.json', folder / 'after.json'
    before.write_text(text)
    after.write_text(run(*words, '--boot', '10m')[0])
    equal(run('diff', before, before)[0], 'karpenter\n  no difference\n', 'a replay and itself')
    said = run('diff', before, after)[0]
    check('pendingSeconds.max' in said and 'nodeHours' not in said.split('pendingSeconds')[1], said)
    figures = json.loads(run('diff', before, after, '-o', 'json')[0])['policies'][0]['figures']
    check({'figure': 'max', 'group': 'pendingSeconds'}.items() <= figures[-3].items() or any(f['figure'] == 'max' for f in figures), 'figures')
    run('diff', before, after, '--detailed-exitcode', status=2)
    check('not a Replay' in run('diff', before, folder / 'plan.json', status=1)[1], 'another document')
    error = run('diff', folder / 'story.yaml', folder / 'story.yaml', status=1)[1].splitlines()
    check('story.yaml:1:1: ' in error[0], f'inputs without --: the error first: {error}')
    equal(error[1:], ['karp: hint: two files are taken for results of karp replay -o json; inputs are compared as A -- B'], 'then what to do')
    for line, words in (('a,soon,,,1,1Gi,', 'pods.csv:2: start: not a time'), ('a,0,-5,,1,1Gi,', 'end: the pod ends before'),
                        ('a,0,,-5,1,1Gi,', 'duration: not a duration'), ('a,0,,,much,1Gi,', 'cpu: not an amount'),
                        ('a,0,,', 'pods.csv:2: fewer cells'), ('a,0,,,1,1Gi,"app=a', 'pods.csv:2: labels: a quote without its end'), (',0,,,,,', 'name: a pod without'), ('a,0,,,1,1Gi,x', 'labels: not labels'),
                        ('a,0,,,,,\na,5,,,,,', 'pods.csv:3: Pod default/a: a pod is created that exists already')):
        table.write_text(f'name,start,end,duration,cpu,memory,labels\n{line}\n')
        refused(words, table, '--nodepools', folder / 'pool.yaml')
        notes = json.loads(run('replay', table, '--nodepools', folder / 'pool.yaml', '--lenient', '--until', '1h', '-o', 'json')[0])['notes']
        equal(notes, 1, f'{line}: a note')


def tell_openb(folder):
    table = folder / 'openb.csv'
    head = 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n'
    # One runs for ten minutes from its start, one was never scheduled and is given up after a minute, one asks for a GPU.
    table.write_text(head + 'p-0,1000,1024,0,0,,LS,Running,0,630,30\np-1,500,512,0,0,,BE,Pending,0,60,\n'
                     'p-2,500,512,1,460,T4|P100,BE,Failed,100,400,100\n')
    words = ['replay', table, '--nodepools', folder / 'pool.yaml', '--region', 'us-west-2', '--boot', '2m', '--boot-jitter', '0s',
             '--until', '1h', '-o', 'json']
    text = run(*words)[0]
    one = json.loads(text)['policies'][0]
    equal((json.loads(text)['pods'], one['launches'], one['podStarts'], one['podsEnded'], one['podsPending']), (3, 1, 1, 1, 1), 'openb')
    equal(one['pendingSeconds']['max'] > 3000, True, 'no type of the pool has a GPU')
    equal(run(*words, '--format', 'openb')[0], text, 'the format by its name')
    for line, words in (('p,x,1,0,,,,,0,9,1', 'openb.csv:2: cpu_milli: not a number'), ('p,-1,1,0,,,,,0,9,1', 'cpu_milli: not a number'),
                        ('p,1,1,0,,,,,5,9,1', 'scheduled_time: the pod is scheduled before'),
                        ('p,1,1,0,,,,,5,3,', 'deletion_time: the pod ends before it begins'),
                        ('p,1,1,0,,,,,0,3,5', 'deletion_time: the pod ends before it is scheduled'),
                        ('p,1,1,0,,,,,0,3,soon', 'scheduled_time: not a time'), ('p,1,1', 'openb.csv:2: fewer cells')):
        table.write_text(head + line + '\n')
        refused(words, table, '--nodepools', folder / 'pool.yaml')
    table.write_text(head.replace('qos', 'mood'))
    refused('openb_pod_list does not have', table, '--nodepools', folder / 'pool.yaml')
    table.write_text('name,cpu_milli\n')
    refused('creation_time: a column that is needed', table, '--nodepools', folder / 'pool.yaml')


def refused(words, *arguments):
    said = run('replay', *arguments, status=1)[1]
    check(words in said, f'{arguments}: {said.strip()} has not: {words}')


def tell_start(folder):
    """A replay begins with the cluster of a dump, and the trace goes on from there: its own, or that of kubectl."""
    table = folder / 'cut.csv'
    table.write_text('name,start,end,duration,cpu,memory\n' + ''.join(
        f'p{i},{i * 157 % 9000},{i * 157 % 9000 + 2500 if i % 2 else ""},{"" if i % 2 else f"{i * 31 % 4000}s"},{500 + i % 3 * 500}m,1Gi\n' for i in range(70)))
    words = ['replay', table, '--region', 'us-west-2', '--step', '1m', '-o', 'json', '--until']
    whole, first = (json.loads(run(*words, t, '--nodepools', folder / 'pool.yaml')[0]) for t in ('4h', '90m'))
    dump = folder / 'cut.json'
    dump.write_text(run('replay', table, '--region', 'us-west-2', '--nodepools', folder / 'pool.yaml', '--dump-at', '90m')[0])
    equal(run(*words, '4h', '--nodepools', dump)[0], run(*words, '4h', '--nodepools', folder / 'pool.yaml')[0], 'with its state, as if there had been no cut')
    bare = json.loads(dump.read_text())
    del bare['replay']
    dump.write_text(json.dumps(bare))
    rest = json.loads(run(*words, '150m', '--nodepools', dump)[0])
    one, two, both = (r['policies'][0] for r in (first, rest, whole))
    equal((rest['begins'], rest['ends']), (first['ends'], whole['ends']), 'goes on from the cut')
    for figure in ('costPerHour', 'nodes', 'pods', 'pending', 'cpuRequested', 'cpu', 'memory'):
        equal(two['series'][figure][0], one['series'][figure][-1], f'{figure} at the cut')
    equal(one['podsEnded'] + two['podsEnded'], both['podsEnded'], 'every pod ends')
    check(one['series']['pods'][-1] > 5, 'pods at the cut')
    equal(two['podsRunning'], both['podsRunning'], 'pods at the end')
    check(abs(one['dollars'] + two['dollars'] - both['dollars']) < .02 * both['dollars'], 'the bill of both parts')
    table.write_text('name,start,end,cpu\nx,2026-03-02T09:10:00Z,2026-03-02T12:00:00Z,2\n')
    text = run('replay', table, '--nodepools', DUMP, '--until', '10m', '-o', 'json')[0]
    one = json.loads(text)['policies'][0]
    given = json.loads(DUMP.read_text())['items']
    equal(one['series']['nodes'][0], sum(o['kind'] == 'Node' for o in given), 'the nodes of a cluster')
    before = json.loads(run('plan', DUMP, '-o', 'json')[0])
    equal(one['launches'], len(before['launches']), 'what its plan launches')
    equal(one['series']['costPerHour'][0], float(before['cost']['before']), 'cost')
    table.write_text('name,start,end,cpu\nx,0,5,2\n')
    refused('ends before the time of the cluster', table, '--nodepools', DUMP)
    # A story goes on from its own dump.
    story = folder / 'story.yaml'
    dump.write_text(run('replay', story, '--dump-at', '30m')[0])
    equal(run('replay', story, '--nodepools', dump, '-o', 'json')[0], run('replay', story, '-o', 'json')[0], 'a story')
    bare = json.loads(dump.read_text())
    del bare['replay']
    dump.write_text(json.dumps(bare))
    whole = json.loads(run('replay', story, '--nodepools', dump, '-o', 'json')[0])
    equal((whole['begins'], whole['policies'][0]['launches'], whole['policies'][0]['podsEnded']), ('2026-03-02T00:30:00Z', 0, 2), 'a story')
    # A node that no NodePool has takes pods, and costs nothing.
    node = folder / 'node.yaml'
    node.write_text('apiVersion: v1\nkind: Node\nmetadata: {name: own, labels: {kubernetes.io/hostname: own}}\n'
                    'status: {capacity: {cpu: 4, memory: 16Gi, pods: 50}, allocatable: {cpu: 4, memory: 16Gi, pods: 50}}\n')
    table.write_text('name,start,end,cpu\nx,2026-01-01T00:10:00Z,2026-01-01T01:00:00Z,2\n')
    one = json.loads(run('replay', table, '--nodepools', folder / 'pool.yaml', '--nodepools', node, '--region', 'us-west-2', '-o', 'json')[0])['policies'][0]
    equal((one['launches'], one['podStarts'], one['dollars']), (0, 1, 0), 'a node of nobody')


# Four pods for one node, which has a taint and labels with numbers.
NUMBERS = '''apiVersion: karp/v1
kind: Load
start: "2026-03-02T00:00:00Z"
length: 1h
seed: 1
region: us-west-2
files: [tainted.yaml]
deployments:
- name: web
  replicas: {least: 4, most: 4, noise: 0}
  template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m, memory: 100Mi}}}], RULE}}
'''


def tell_numbers(folder):
    """Nodes of a replay take the pods that decisions launch them for, whatever compares numbers."""
    (folder / 'tainted.yaml').write_text(one_type_pool('m5.large').replace(
        'spec:\n      node', 'metadata: {labels: {team/rank: "07"}}\n    spec:\n      taints: [{key: sla, value: "950", effect: NoSchedule}]\n      node'))
    tolerated = 'tolerations: [{key: sla, operator: Exists}]'
    rank = '{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: team/rank, operator: OP}]}]}}'
    for rule, launches in ((tolerated, 1), ('tolerations: [{key: sla, operator: Gt, value: "900"}]', 1),
                           ('tolerations: [{key: sla, operator: Lt, value: "951", effect: NoSchedule}]', 1),
                           ('tolerations: [{key: sla, operator: Gt, value: "950"}]', 0),
                           ('tolerations: [{key: sla, operator: Gt, value: "0900"}]', 0),
                           ('tolerations: [{operator: Exists, effect: NoExecute}]', 0),
                           (f'{tolerated}, affinity: {{nodeAffinity: {rank}}}'.replace('OP', 'Gt, values: ["6"]'), 1),
                           (f'{tolerated}, affinity: {{nodeAffinity: {rank}}}'.replace('OP', 'Lt, values: ["6"]'), 0)):
        load = folder / 'numbers.yaml'
        load.write_text(NUMBERS.replace('RULE', rule))
        one = json.loads(run('replay', load, '-o', 'json')[0])['policies'][0]
        equal((one['launches'], one['series']['pending'][-1]), (launches, 0 if launches else 4), rule)


# Nodes that are bought, interrupted, replaced and drained all the time.
BUSY = '''apiVersion: karp/v1
kind: Load
start: "2026-03-02T00:00:00Z"
length: 3h
step: 2m
nodeReadyAfter: 50s
region: us-west-2
objects:
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: default}
  spec:
    disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 1m, budgets: [{nodes: "3"}]}
    template:
      spec:
        expireAfter: 100m
        terminationGracePeriod: 10m
        nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
        requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}
        - {key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ["5"]}
- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {maxUnavailable: 2, selector: {matchLabels: {app: web-0}}}}
deployments:
- {name: web, copies: 3, cpu: 700m, memory: 1Gi, replicas: {least: 2, most: 14, peak: "02:00", noise: .4}}
cronJobs:
- {name: job, schedule: "*/7 * * * *", parallelism: 3, duration: 4m, cpu: 1500m, memory: 2Gi}
'''


def tell_cuts(folder):
    """A replay that is cut at any instant goes on from its dump as if nothing had been: equal bytes."""
    busy, dump = folder / 'busy.yaml', folder / 'busy.json'
    busy.write_text(BUSY)
    under_way, interruptions = set(), 0
    for policy in ('karpenter', 'cost+repack'):
        words = ['replay', busy, '--policy', policy, '--interruptions', '.4', '--seed', '11', '-o', 'json']
        whole = run(*words)[0]
        interruptions += json.loads(whole)['policies'][0]['interruptions']
        for cut in ('1s', '5300.25s', '8340.25s') if policy == 'karpenter' else ('90m',):
            dump.write_text(run(*words, '--dump-at', cut)[0])
            state = json.loads(dump.read_text())['replay']
            under_way |= {name for name in ('commands', 'waiting', 'losses', 'events') if state[name]} | {'starting' for n in state['nodes'] if 'ready' not in n}
            equal(run(*words, '--nodepools', dump)[0], whole, f'{policy}, cut at {cut}')
    check({'commands', 'losses', 'events', 'starting', 'waiting'} <= under_way, f'much is under way: {under_way}')
    check(interruptions > 3, 'interruptions')
    # Cut twice.
    again = folder / 'again.json'
    again.write_text(run(*words, '--nodepools', dump, '--dump-at', '2h40m')[0])
    equal(run(*words, '--nodepools', again)[0], whole, 'cut twice')
    text = dump.read_text()
    for change, words in ((lambda d: d['replay'].update(version=2), 'replay.version'),
                          (lambda d: d['replay'].pop('begins'), 'without begins'),
                          (lambda d: d['replay']['nodes'][0].update(price='x'), 'replay.price'),
                          (lambda d: d['replay']['events'][0].__setitem__(2, 10 ** 6), 'replay.events'),
                          (lambda d: d['replay']['events'][0].__setitem__(1, 2 ** 32 + d['replay']['events'][0][1]), 'replay.events'),
                          (lambda d: d['replay']['nodes'][0].update(number=-1), 'replay.number'),
                          (lambda d: d['replay']['pods'].pop(), 'does not know it'),
                          (lambda d: d['objects'].remove(next(o for o in d['objects'] if o['kind'] == 'Pod')), 'replay.pods'),
                          (lambda d: d['replay']['meter'].pop('waits') and d['replay']['meter'].pop('sums'), 'replay.sums')):
        changed = json.loads(text)
        change(changed)
        dump.write_text(json.dumps(changed))
        refused(words, busy, '--nodepools', dump)


def tell_interruptions(folder):
    """An offering whose node was interrupted is not asked for again for three minutes, and then is."""
    table, pool = folder / 'spot.csv', folder / 'spot.yaml'
    table.write_text('name,start,end,cpu,memory\nx,0,,1,1Gi\n')
    pool.write_text(POOL.replace('on-demand', 'spot'))
    zones = {}
    for at in ('10s', '1m', '3m', '5m'):
        dumped = json.loads(run('replay', table, '--nodepools', pool, '--region', 'us-west-2', '--boot-jitter', '0s', '--interruptions', '30', '--seed', '3',
                                '--until', '20m', '--dump-at', at)[0])
        zones.update({o['metadata']['name']: o['metadata']['labels']['topology.kubernetes.io/zone'] for o in dumped['objects'] if o['kind'] == 'NodeClaim'})
    equal(len(zones), 4, f'four nodes: {zones}')
    equal((len({zones[f'default-{i}'] for i in (1, 2, 3)}), zones['default-4']), (3, zones['default-1']), f'zones: {zones}')


def tell_runs(folder):
    """Several runs are replays with seeds that follow each other; rates from a table are as those of the command line."""
    table, pool, rates = folder / 'spot.csv', folder / 'spot.yaml', folder / 'rates.csv'
    table.write_text('name,start,end,cpu,memory\nx,0,,1,1Gi\n')
    pool.write_text(POOL.replace('on-demand', 'spot'))
    words = ['replay', table, '--nodepools', pool, '--region', 'us-west-2', '--until', '6h']
    rated = [*words, '--interruptions', 'm5.large=2']
    seeds = [bill([*rated, '--seed', seed]) for seed in (5, 6, 7)]
    many = bill([*rated, '--seed', '5', '--runs', '3'])
    spread = many.pop('runs')
    equal(many, seeds[0], 'the figures are those of the first run')
    for figure, value in (('dollars', lambda p: p['dollars']), ('pendingSecondsP99', lambda p: p['pendingSeconds']['p99']), ('interruptions', lambda p: p['interruptions'])):
        ordered = sorted(map(value, seeds))
        equal(spread[figure], {'p50': ordered[1], 'p95': ordered[2], 'max': ordered[2]}, figure)
    check(spread['count'] == 3 and len({p['interruptions'] for p in seeds}) > 1, spread)
    text = run(*rated, '--seed', '5', '--runs', '3')[0]
    check(re.search(r'^runs +3$', text, re.M) and re.search(r'^interrupted, p95 +\d+$', text, re.M) and 'cost, p50' in text, text)
    check('cost, p50' not in run(*rated)[0], 'one run has no spread')
    rates.write_text('per_hour,instance_type,zone\n9,m5.large,\n2,m5.large,us-west-2a\n"2","m5.large",us-west-2b\n2,m5.large,us-west-2c\n2,m5.large,us-west-2d\n\n')
    equal(bill([*words, '--interruption-rates', rates, '--seed', '5']), seeds[0], 'a table')
    equal(bill([*words, '--interruption-rates', rates, '--interruptions', '0', '--seed', '5'])['interruptions'], 0, 'the command line comes after it')
    for wrong, said in (('type,per_hour\nm5.large,1\n', 'rates.csv:1: '), ('instance_type,per_hour\nm5.large,often\n', 'rates.csv:2: '), ('instance_type,per_hour\nm5.large,1,2\n', 'more cells')):
        rates.write_text(wrong)
        check(said in run(*words, '--interruption-rates', rates, status=1)[1], wrong)
    rates.write_text('# rates of 2026-07-20\ninstance_type,per_hour\nm5.large,2\n')
    notes = json.loads(run(*words, '--interruption-rates', rates, '--seed', '5', '-o', 'json')[0])['warnings']
    check(any('rates.csv: rates of 2026-07-20' in n for n in notes), notes)
    advisor = folder / 'advisor.json'
    for band, monthly in enumerate((0.025, 0.075, 0.125, 0.175, 0.25)):
        data = {'spot_advisor': {'us-west-2': {'Linux': {'m5.large': {'s': 60, 'r': band}}, 'Windows': {}}, 'eu-west-1': {'Linux': {'m5.large': {'s': 60, 'r': 0}}}}}
        advisor.write_text(json.dumps(data))
        rate = -math.log1p(-monthly) / 730
        long = [*words[:-1], '4000h', '--seed', '8']
        equal(bill([*long, '--interruption-rates', advisor]), bill([*long, '--interruptions', f'm5.large={rate!r}']), f'band {band} of the advisor')
    notes = json.loads(run(*words, '--interruption-rates', advisor, '-o', 'json')[0])['warnings']
    check(any('Spot Instance Advisor, Linux, us-west-2' in n and 'no date' in n for n in notes), notes)
    for wrong, said in (({}, 'without spot_advisor'), ({'spot_advisor': {'eu-west-1': {}}}, 'no Linux types'), ({'spot_advisor': {'us-west-2': {'Linux': {'m5.large': {'r': 5}}}}}, 'r from 0 to 4')):
        advisor.write_text(json.dumps(wrong))
        refused = run(*words, '--interruption-rates', advisor, status=1)[1]
        check(said in refused and 'advisor.json' in refused, refused)
    check('from 1 to 10000' in run(*words, '--runs', '0', status=1)[1], 'runs')


def tell_wrong(folder):
    story = folder / 'story.yaml'
    for change, words in (('expire: web', 'steps[1].expire: a replay has its own nodes'), ('wait: 900000h', 'lasts too long'),
                          ('wait: -1h', 'not a duration')):
        wrong = folder / 'wrong.yaml'
        wrong.write_text(STORY.replace('wait: 1h', change, 1) if change[0] == 'e' else STORY.replace('wait: 1h', change))
        refused(words, wrong)
    refused('no such policy: dear', story, '--policy', 'dear')
    refused('needs a trace', '--nodepools', folder / 'pool.yaml')
    refused('not a duration', story, '--boot', 'soon')
    refused('rate per hour', story, '--interruptions', 'm5.large=often')
    refused('is not in the replay', story, '--dump-at', '4h')
    bare = folder / 'bare.yaml'
    bare.write_text(STORY.replace('files: [pool.yaml]', ''))
    refused('needs a NodePool', bare)


def tell_progress():
    """On a terminal a replay that takes a while says how much of it is done."""
    words = ['replay', SOURCE / 'examples/replay/day.yaml', '--until', '20000h', '--policy', 'karpenter,karp']
    progress(rb'karp: replaying \xe2\x80\xa6 \d+%, \d+ s', *words)


with tempfile.TemporaryDirectory() as name:
    tell(pathlib.Path(name))
    (pathlib.Path(name) / 'plan.json').write_text('{"kind": "Plan"}')
    tell_table(pathlib.Path(name))
    tell_openb(pathlib.Path(name))
    tell_start(pathlib.Path(name))
    tell_cuts(pathlib.Path(name))
    tell_interruptions(pathlib.Path(name))
    tell_runs(pathlib.Path(name))
    tell_numbers(pathlib.Path(name))
    tell_wrong(pathlib.Path(name))
tell_progress()
sys.exit(finish())
