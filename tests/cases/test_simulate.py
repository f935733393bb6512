# SPDX-License-Identifier: Apache-2.0
"""The story of spot and on-demand nodes played on a clock, and what a wrong story is told."""
import json
import pathlib
import re
import sys
import tempfile

from stories import STORIES, check, equal, finish, label, placed, pods, run

ASKS = pathlib.Path(__file__).parent / 'asks'
STORY = STORIES / 'spot-and-on-demand' / 'story.yaml'


def play(path):
    return json.loads(run('simulate', path, '-o', 'json')[0])['steps']


def launches(step):
    return [launch for plan in step['decisions'] if plan['kind'] == 'Plan' for launch in plan['launches']]


def events(step, *wanted):
    return [(e['time'][11:19], e['event'], e['node']) for e in step['events'] if e['event'] in wanted]


def check_launch(step, numbers, cpus):
    found = launches(step)
    equal([launch['pods'] for launch in found], [pods('app', numbers)], f'{step["step"]}: launches')
    equal([(launch['choice']['capacityType'], label(launch, 'karpenter.k8s.aws/instance-cpu')) for launch in found],
          [('spot', cpus)], f'{step["step"]}: what is launched')


def bound(step):
    out = {}
    for e in step['events']:
        if e['event'] == 'bound':
            out.setdefault(e['node'], []).extend(e['detail'].split())
    return {node: sorted(names) for node, names in out.items()}


def tell_old():
    one, _, five, ready1, twenty, ready2, ten, first, fewer, second, none, empty = steps = play(STORY)
    equal((launches(one), bound(one)), ([], {'initial': ['default/app-0']}), 'one replica')
    check_launch(five, range(1, 5), '4')
    equal((bound(five), bound(ready1)), ({}, {'default-1': pods('app', range(1, 5))}), 'the first node')
    equal(events(ready1, 'ready'), [('00:02:00', 'ready', 'default-1')], 'a minute later')
    check_launch(twenty, range(8, 20), '8')
    equal(bound(twenty), {'default-1': pods('app', (5, 6, 7))}, 'room on the first node')
    equal(bound(ready2), {'default-2': pods('app', range(8, 20))}, 'the second node')
    equal((ten['decisions'], ten['events']), ([], []), 'ten replicas')
    equal(events(first, 'expired', 'launched', 'deleted'),
          [('00:31:00', 'expired', 'default-1'), ('00:31:00', 'deleted', 'default-1')], 'the first node expires')
    equal([placed(plan) for plan in first['decisions']], [{'default-2': pods('app', range(1, 8))}], 'its pods')
    equal(fewer['decisions'], [], 'five replicas')
    check_launch(second, range(1, 5), '4')
    equal(events(second, 'expired', 'launched', 'ready', 'deleted'),
          [('00:42:00', 'expired', 'default-2'), ('00:42:00', 'launched', 'default-3'), ('00:43:00', 'ready', 'default-3'),
           ('00:43:00', 'deleted', 'default-2')], 'the second node waits for its replacement')
    equal((none['decisions'], none['events']), ([], []), 'no replicas')
    equal([(c['method'], c['nodes']) for plan in empty['decisions'] for c in plan['commands']],
          [('Emptiness', ['default-3'])], 'the empty node')
    equal(events(empty, 'deleted'), [('00:45:30', 'deleted', 'default-3')], 'after 30 s')
    check(all(plan['unschedulable'] == [] for step in steps for plan in step['decisions'] if plan['kind'] == 'Plan'),
          'every pod has a place')


def tell_new(folder):
    """Under today's rules a node that expires does not wait, and a deletion is validated 15 s later."""
    text = STORY.read_text().replace('semantics: v1alpha5\n', '')
    for name in ('nodepool.yaml', 'cluster.yaml'):
        (folder / name).write_text((STORY.parent / name).read_text())
    story = folder / 'story.yaml'
    story.write_text(text.replace('provisioner.yaml', 'nodepool.yaml'))
    *_, second, _, empty = play(story)
    equal(events(second, 'expired', 'launched', 'ready', 'deleted'),
          [('00:42:00', 'expired', 'default-2'), ('00:42:00', 'launched', 'default-3'), ('00:42:00', 'deleted', 'default-2'),
           ('00:43:00', 'ready', 'default-3')], 'the second node does not wait')
    equal(events(empty, 'deleted'), [('00:45:45', 'deleted', 'default-3')], 'validated')
    story.write_text(text.replace('provisioner.yaml', 'nodepool.yaml').replace('- wait: 15m', '- expire: default-2\n- wait: 1s'))
    expired = play(story)[7]
    equal(expired['step'], 'expire default-2', 'a step')
    equal(events(expired, 'expired', 'deleted'), [('00:17:00', 'expired', 'default-2'), ('00:17:00', 'deleted', 'default-2')],
          'expired on demand')


GRACEFUL = """
apiVersion: karp/v1
kind: Story
start: "2026-03-02T00:00:00Z"
semantics: {rules}
region: us-west-2
objects:
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {{name: pool}}
  spec:
    template: {{spec: {{nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}, expireAfter: 10m}}}}
    disruption: {{consolidateAfter: Never, budgets: {budgets}}}
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {{name: pdb, namespace: default}}
  spec: {{selector: {{matchLabels: {{app: app}}}}, {pdb}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {{name: app}}
  spec:
    replicas: 0
    selector: {{matchLabels: {{app: app}}}}
    template:
      metadata: {{labels: {{app: app}}, annotations: {{{annotations}}}}}
      spec: {{containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]}}
steps:
- scale: {{deployment: app, replicas: 2}}
- wait: 30m
- scale: {{deployment: app, replicas: {then}}}
- wait: 5m
"""


def tell_graceful(folder):
    """What holds an expired node back before 1.0, and does not today. The node starts at 00:00 and is ready at 00:01."""
    path = folder / 'graceful.yaml'

    def expiries(budgets='[{nodes: "1"}]', pdb='maxUnavailable: 1', annotations='', then=2, rules='v1alpha5'):
        path.write_text(GRACEFUL.format(budgets=budgets, pdb=pdb, annotations=annotations, then=then, rules=rules))
        found = [e for step in play(path) for e in step['events'] if e['event'] in ('expired', 'blocked')]
        return [(e['time'][11:16], e['event'], e.get('detail', '')) for e in found if e['node'] == 'pool-1']

    expired = [('00:10', 'expired', '')]
    protected = 'karpenter.sh/do-not-disrupt: "true"'
    equal(expiries(), expired, 'nothing in the way')
    equal(expiries(annotations=protected), [('00:10', 'blocked', 'default/app-0')], 'protected pods')
    equal(expiries(annotations=protected, then=0), [('00:10', 'blocked', 'default/app-0'), ('00:30', 'expired', '')],
          'until they are gone')
    equal(expiries(annotations='karpenter.sh/do-not-disrupt: 19m30s'),
          [('00:10', 'blocked', 'default/app-0'), ('00:20', 'expired', '')], 'protected for a time')
    equal(expiries(annotations='karpenter.sh/do-not-disrupt: soon'), expired, 'no protection')
    equal(expiries(pdb='maxUnavailable: 0'), [('00:10', 'blocked', 'default/app-0 (pdb default/pdb)')], 'a PodDisruptionBudget')
    equal(expiries(pdb='minAvailable: 1'), expired, 'a PodDisruptionBudget with room')
    equal(expiries(pdb='minAvailable: 2', then=0), [('00:10', 'blocked', 'default/app-0 (pdb default/pdb)'), ('00:30', 'expired', '')],
          'a PodDisruptionBudget, until its pods are gone')
    equal(expiries(budgets='[{nodes: "0"}]'), [('00:10', 'blocked', 'pool')], 'a budget')
    equal(expiries(budgets='[{nodes: "0", schedule: "0 0 * * *", duration: 25m}]'),
          [('00:10', 'blocked', 'pool'), ('00:25', 'expired', '')], 'a budget, until its window closes')
    equal(expiries(budgets='[{nodes: "0", reasons: [Drifted]}]'), expired, 'a budget for something else')
    equal(expiries(annotations=protected, pdb='maxUnavailable: 0', budgets='[{nodes: "0"}]', rules='v1'), expired, 'today')


def tell_wrong(folder):
    text = STORY.read_text()
    for name in ('provisioner.yaml', 'cluster.yaml'):
        (folder / name).write_text((STORY.parent / name).read_text())
    story = folder / 'wrong.yaml'
    for old, new, part in (
            ('kind: Story', 'kind: Tale', 'Story'), ('60s', 'soon', 'nodeReadyAfter'), ('v1alpha5\nfiles', 'v2\nfiles', 'semantics'),
            ('cluster.yaml', 'no-such.yaml', 'no-such.yaml'), ('wait: 1m', 'wait: -1m', 'steps[1].wait'),
            ('wait: 1m', '{wait: 1m, expire: x}', 'steps[1]'), ('wait: 1m', 'sleep: 1m', 'steps[1]'),
            ('wait: 1m', 'expire: default-9', 'default-9'), ('app, replicas: 5', 'web, replicas: 5', 'no such Deployment'),
            ('replicas: 5}', 'replicas: -5}', 'steps[2].scale.replicas'), ('start: "2022', 'start: "20x2', 'start'),
            ('- wait: 1m\n', '- {', ''), ('files: [provisioner.yaml', 'files: [3', 'files[0]')):
        check(old in text, f'the story has no {old}')
        story.write_text(text.replace(old, new, 1))
        out, error = run('simulate', story, status=1)
        check(out == '' and error.startswith('karp: ') and part in error, f'{new}: {error}')
        if part.startswith(('steps[', 'files[', 'nodeReadyAfter', 'semantics', 'start')):
            check(re.match(rf'karp: {re.escape(str(story))}:\d+:\d+: {re.escape(part)}', error), f'{new} has no place: {error}')
    story.write_text(text.replace('wait: 1m', 'wait: -1m', 1))
    line = next(i for i, one in enumerate(story.read_text().splitlines(), 1) if '-1m' in one)
    check(f'wrong.yaml:{line}:9: steps[1].wait: not a duration' in run('simulate', story, status=1)[1], 'the line of a step')
    run('simulate', folder / 'none.yaml', status=1)
    run('simulate', status=1)


def tell_static(folder):
    """A static NodePool has its nodes before any pod comes, and keeps them when the pods go."""
    (folder / 'static.yaml').write_text((ASKS / 'gates-off.yaml').read_text().split('---')[0])
    (folder / 'gates.yaml').write_text((ASKS / 'gates.json').read_text())
    path = folder / 'static-story.yaml'
    path.write_text('apiVersion: karp/v1\nkind: Story\nstart: "2026-03-02T00:00:00Z"\nnodeReadyAfter: 60s\n'
                    'files: [gates.yaml, static.yaml]\nsteps:\n- wait: 1h\n- wait: 8h\n')
    steps = play(path)
    equal([len(decision['launches']) for step in steps for decision in step['decisions']], [3], 'three nodes, once')
    check('catalogue aws us-west-2, prices 2026-07-20\n' in run('simulate', path)[0], 'a Snapshot of settings alone has no instance types')
    equal([event['node'] for event in steps[0]['events'] if event['event'] == 'launched'], ['static-1', 'static-2', 'static-3'], 'launched')


def tell_totals(folder):
    """What the story of spot and on-demand nodes comes to, in every format; and a story that begins with a dump."""
    text = run('simulate', STORY, '-o', 'json')[0]
    totals = json.loads(text)['totals']
    equal((totals['launches'], totals['endedNodes'], totals['expirations'], totals['evictions'], totals['podsPending']), (3, 3, 2, 11, 0), 'totals')
    # Three nodes: 00:01 to 00:31, 00:12 to 00:43, 00:42 to 00:45:30; the documents' own one from 00:00 to the end.
    own = (30 + 31 + 3.5) / 60
    lasts = sum(int(s['step'].split()[1].split('m')[0]) for s in json.loads(text)['steps'] if s['step'].startswith('wait')) / 60
    check(abs(totals['nodeHours'] - own - lasts) < 1e-5, f'node-hours: {totals["nodeHours"]}, {own + lasts}')
    equal(totals['pendingSeconds'], {'p50': 60, 'p99': 60, 'max': 60}, 'pending')
    check('\n== totals\ncost ' in run('simulate', STORY)[0], 'totals as text')
    rows = run('simulate', STORY, '-o', 'csv')[0].splitlines()
    check(rows[0].startswith('policy,time,costPerHour,dollars,nodes') and abs(float(rows[-1].split(',')[3]) - totals['dollars']) < 1e-5, 'series')
    page = run('simulate', STORY, '-o', 'html')[0]
    check('<svg' in page and '<title>karp simulate' in page and '<td data-l="cost">$' in page, 'curves, with money as everywhere')
    check('<meta name="viewport" content="width=device-width' in page and '@media(max-width:600px)' in page, 'for phones, too')
    dump = folder / 'dump.json'
    dump.write_text(run('replay', STORIES.parent / 'replay' / 'day.yaml', '--dump-at', '12h')[0])
    story = folder / 'goes-on.yaml'
    story.write_text('apiVersion: karp/v1\nkind: Story\nstart: "2026-03-02T12:00:00Z"\nfiles: [dump.json]\nsteps:\n- wait: 2h\n')
    nodes = sum(o['kind'] == 'Node' for o in json.loads(dump.read_text())['objects'])
    totals = json.loads(run('simulate', story, '-o', 'json')[0])['totals']
    replayed = json.loads(run('replay', story, '-o', 'json')[0])['policies'][0]
    equal((nodes <= totals['nodesMost'], totals['podsPending'], totals['podsRunning']), (True, 0, replayed['podsRunning']), 'a dump goes on')
    check(abs(totals['dollars'] - replayed['dollars']) < 0.2, f'{totals}, {replayed}')


tell_old()
with tempfile.TemporaryDirectory() as place:
    tell_new(pathlib.Path(place))
    tell_totals(pathlib.Path(place))
    tell_static(pathlib.Path(place))
    tell_graceful(pathlib.Path(place))
    tell_wrong(pathlib.Path(place))
shown, _ = run('simulate', STORY)
check(shown.startswith('karp simulate  \u00b7  profile karpenter-1.15  \u00b7  catalogue aws us-west-2, prices 2026-07-20\n\n== scale default/app to 1') and 'default-3 deleted' in shown, 'text')
equal(run('simulate', STORY)[0], shown, 'played again')

# Pods and workloads of every kind take part, not only Deployments.
KINDS = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}
  volumeClaimTemplates: [{metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {parallelism: 2, completions: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}
---
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: train}
spec:
  headGroupSpec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}
  workerGroupSpecs: [{groupName: w, replicas: 2, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: lone}
spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}
"""
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, 'story.yaml')
    pathlib.Path(folder, 'kinds.yaml').write_text(KINDS)
    path.write_text('apiVersion: karp/v1\nkind: Story\n' + f'files: [{ASKS / "pool.yaml"}, kinds.yaml]\nsteps: [{{wait: 10m}}]\n')
    told = json.loads(run('simulate', path, '-o', 'json')[0])
    wanted = {'db-0', 'db-1', 'db-2', 'once-0', 'once-1', 'train-head-0', 'train-w-worker-0', 'train-w-worker-1', 'lone'}
    equal({name.split('/')[1] for names in bound(told['steps'][0]).values() for name in names}, wanted, 'every pod runs')
    check(any('how long the pods of Jobs run is not known' in w for w in told['warnings']), told['warnings'])
    # A replay of them, from a story, from a load or beside another trace.
    load, table = pathlib.Path(folder, 'load.yaml'), pathlib.Path(folder, 'pods.csv')
    load.write_text('apiVersion: karp/v1\nkind: Load\n' + f'files: [{ASKS / "pool.yaml"}, kinds.yaml]\nlength: 10m\n'
                    'deployments: [{name: app, replicas: {least: 1, most: 1}, cpu: 1}]\n')
    table.write_text('name,start,end,cpu\nown,2026-03-02T08:00:00Z,2026-03-02T08:10:00Z,500m\n')
    for words, count in (([path], 9), ([load], 10), ([table, '--nodepools', ASKS / 'pool.yaml', '--nodepools', pathlib.Path(folder, 'kinds.yaml')], 10)):
        played = json.loads(run('replay', *words, '-o', 'json')[0])
        figures = played['policies'][0]
        equal((played['pods'], figures['podsRunning'] + figures['podsEnded'], figures['podsPending']), (count, count, 0), words[0].name)
        equal(played['warnings'], told['warnings'], 'the same notes')
sys.exit(finish())
