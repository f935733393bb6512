# SPDX-License-Identifier: Apache-2.0
"""Small things that people tripped over: stories that begin with a wait or are JSON, names in part, words of errors."""
import json
import pathlib
import re
import sys
import tempfile

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
POOL, APP, DUMP = ASKS / 'pool.yaml', ASKS / 'app.yaml', ASKS / 'dump.json'


def launched(path):
    return [event['detail'] for step in json.loads(run('simulate', path, '-o', 'json')[0])['steps']
            for event in step['events'] if event['event'] == 'launched']


# Limits count a launch as its largest type until it is known: the plan says so, the story goes on.
plan = document('plan', ASKS / 'limits-one-round.yaml')
equal((len(plan['launches']), len(plan['unschedulable'])), (2, 4), 'one round')
check(len(plan['warnings']) == 1 and plan['warnings'][0].startswith('4 pods are beyond the limits of NodePools in this round'), plan['warnings'])
equal(document('plan', POOL, APP)['warnings'], [], 'no limits')
six = launched(ASKS / 'limits-story.yaml')
equal(six, ['c6g.large'] * 6, 'six nodes in the end')
equal(launched(ASKS / 'story-begins-with-wait.yaml'), six, 'a story that begins with a wait')

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    # A story's files may be JSON.
    (folder / 'cluster.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [
        {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
         'spec': {'template': {'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
                                        'requirements': []}}}},
        {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web', 'namespace': 'default'},
         'spec': {'replicas': 2, 'selector': {'matchLabels': {'app': 'web'}},
                  'template': {'metadata': {'labels': {'app': 'web'}},
                               'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}}}}]}))
    story = folder / 'story.yaml'
    story.write_text('apiVersion: karp/v1\nkind: Story\nfiles: [cluster.json]\nsteps:\n- wait: 5m\n')
    equal(len(launched(story)), 1, 'JSON')
    # What a catalogue is.
    (folder / 'none.json').write_text('{}')
    _, error = run('plan', POOL, APP, '--catalogue', folder / 'none.json', status=1)
    check('a catalogue is a list of instance types' in error, error)

# A node by any unique part of its name.
equal(document('explain', 'node', '32-24', DUMP)['node'], 'ip-10-0-32-24.us-west-2.compute.internal', 'part of a name')
_, error = run('explain', 'node', 'nowhere', DUMP, status=1)
check('no node of the input has the name nowhere: karp nodes lists them' in error, error)
_, error = run('explain', 'node', 'ip-10-0-32', DUMP, status=1)
check('nodes have that in their names: ip-10-0-32-' in error, error)

# A capacity type that nothing is offered as changes nothing; one that is none is an error.
same = document('whatif', POOL, APP, '--price-factor', 'reserved=2')
equal(same['cost'], document('plan', POOL, APP)['cost'], 'reserved=2')
run('whatif', POOL, APP, '--price-factor', 'resreved=2', status=1)

# The values that stop a pod are not cut.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, 'many.json')
    labels = {'karpenter.k8s.aws/instance-family': 'g5', 'kubernetes.io/arch': 'arm64', 'karpenter.sh/capacity-type': 'spot',
              'karpenter.k8s.aws/instance-category': 'z', 'topology.kubernetes.io/zone': 'us-west-2a'}
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'many'}, 'spec': {
        'nodeSelector': labels, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '900', 'memory': '10Ti'}}}]}}))
    for words in (('plan',), ('explain', 'pod', 'many')):
        text = ' '.join(run(*words, POOL, path)[0].split())
        check('not in karpenter.sh/capacity-type In [on-demand]' in text.replace('| ', '') and '\u2026' not in text, text)

# The clock, later than the input says; and folders in folders.
equal(json.loads(run('dump', DUMP, '--now', '2026-03-02T22:00:00Z', '--now', '+8h')[0])['now'], '2026-03-03T06:00:00Z', 'later')
for wrong in ('+8', '-8h', '+-8h'):
    _, error = run('plan', DUMP, f'--now={wrong}', status=1)
    check('or like +8h' in error, error)
_, error = run('plan', DUMP, '--now', '+2500000h', status=1)
check('beyond the year 2262' in error, error)
with tempfile.TemporaryDirectory() as folder:
    inner = pathlib.Path(folder, 'base', 'apps')
    inner.mkdir(parents=True)
    pathlib.Path(folder, 'pool.yaml').write_text(POOL.read_text())
    (inner / 'app.yaml').write_text(APP.read_text())
    (inner / 'back').symlink_to(folder)
    (inner.parent / '.git').mkdir()
    (inner.parent / '.git' / 'no.yaml').write_text('not: an object')
    equal(len(document('plan', '-f', folder)['launches']), 0, 'this folder alone')
    equal(document('plan', '-R', '-f', folder)['launches'], document('plan', POOL, APP)['launches'], 'folders in it')

# A plan of more launches than a glance takes in begins with totals, within the width; equal names are one entry.
apart = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'apart'}, 'spec': {
    'replicas': 5, 'selector': {'matchLabels': {'app': 'apart'}}, 'template': {'metadata': {'labels': {'app': 'apart'}}, 'spec': {
        'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}],
        'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
            {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels': {'app': 'apart'}}}]}}}}}}
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, 'apart.json').write_text(json.dumps(apart))
    launches = document('plan', POOL, f'{folder}/apart.json')['launches']
    hourly = sum(float(launch['choice']['price']) for launch in launches)
    for width in (40, 100):
        lines = run('plan', POOL, f'{folder}/apart.json', '--width', width)[0].split('\n')
        at = lines.index('Totals')
        totals = ' '.join(' '.join(lines[at:lines.index('Launch')]).split())
        check(f'NodePools 5 × default ${hourly:.4f}'.rstrip('0') + '/h' in totals and f'instance types 5 × {launches[0]["choice"]["instanceType"]} $' in totals, totals)
        check(all(len(line) <= max(width, 60) for line in lines[at:lines.index('Launch')]), 'width')
    check('Totals' not in run('plan', POOL, APP)[0], 'a glance')

# What costs less because pods are down saves nothing.
lost = run('whatif', '--lose-zone', 'us-west-2a', DUMP)[0]
check('pods have no node, so this is not a saving' in ' '.join(lost.split('Plan: ')[1].split()), lost)
marked = run('whatif', '--lose-zone', 'us-west-2a', DUMP, '-o', 'markdown')[0]
check('/month (730 h)); 6 pods have no node, so this is not a saving\n' in marked, marked[-900:])
check('not a saving' not in run('whatif', POOL, APP, '--price-factor', 'on-demand=0.5')[0], 'a saving')

# Nodes by a part of their names.
whole = document('whatif', '--remove', 'ip-10-0-32-24.us-west-2.compute.internal', DUMP)
equal(document('whatif', '--remove', '32-24', DUMP), whole, 'a part of the name')
check(whole['warnings'][-1] == 'what if: without node ip-10-0-32-24.us-west-2.compute.internal', whole['warnings'])
_, error = run('whatif', '--remove', '10-0-32', DUMP, status=1)
check('nodes have that in their names: ip-10-0-32-10' in error, error)
_, error = run('whatif', '--remove', 'nowhere', DUMP, status=1)
check('nowhere' in error, error)
_, error = run('whatif', '--remove', '32-24', '--design', POOL, DUMP)
check('names' not in error, error)

# What NodePools said is written once for all pods that they said the same to, where it is much.
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, 'types.json').write_text(json.dumps([{'name': 't', 'labels': {}, 'capacity': {'cpu': '2', 'memory': '4Gi', 'pods': '9'}, 'offerings': [
        {'zone': 'z', 'capacityType': 'on-demand', 'price': 1}]}]))

    def refused(count):
        pools = [{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': f'p{i}'}, 'spec': {'template': {'spec': {
            'nodeClassRef': {'group': 'g', 'kind': 'k', 'name': 'n'}, 'requirements': []}}}} for i in range(count)]
        pods = [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'q{i:03}'}, 'spec': {'nodeSelector': {'no': f'{i}'}, 'containers': [
            {'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}} for i in range(count)]
        pathlib.Path(folder, 'in.json').write_text('\n'.join(json.dumps(o) for o in pools + pods))
        return document('plan', '-f', f'{folder}/in.json', '--catalogue', f'{folder}/types.json')['unschedulable']
    few, many = refused(20), refused(320)
    check(all(len(u['pools']) == 20 and 'as' not in u for u in few), 'few refusals')
    first, *others = many
    equal((len(many), len(first['pools']), first['pod']), (320, 320, 'default/q000'), 'many refusals')
    equal(others, [{'pod': f'default/q{i:03}', 'code': first['code'], 'permanent': True, 'as': 'default/q000', 'relax': []} for i in range(1, 320)], 'as the first')

# Sums of money in JSON are without the noise of additions.
for words in (('plan', ASKS / 'three-tier', '--objective', 'cost', '--effort', '1000'), ('blockers', DUMP)):
    noisy = re.findall(r'"(?:cost|compatibleCost|now|together|alone)": [0-9]+\.[0-9]{10,}', run(*words, '-o', 'json')[0])
    equal(noisy, [], words[0])

# An option keeps its dashes.
_, error = run('plan', POOL, '--runs', '3', status=1)
check('karp plan: --runs: not an option of this command' in error, error)
FOLDED = """{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {template: {spec: {
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default},
  requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}]}}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {replicas: COUNT, podManagementPolicy: Parallel, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, resources: {requests: {cpu: 1500m}}}]}}}}
"""


def check_folds():
    ask = ('plan', '-f', '-', '--region', 'us-west-2')
    shown = run(*ask, text=FOLDED.replace('COUNT', '5'))[0]
    check('new-{1..5}  5 × m5.large' in shown and '5 pods  default/web-{0..4}' in shown and 'new-1 ' not in shown, shown)
    for text in (run(*ask, text=FOLDED.replace('COUNT', '3'))[0], run(*ask, '-o', 'wide', text=FOLDED.replace('COUNT', '5'))[0]):
        check('new-{' not in text and '+   new-3 ' in text, text)


check_folds()
sys.exit(finish())
