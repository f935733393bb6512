# SPDX-License-Identifier: Apache-2.0
"""A step that changes the template of a Deployment makes a rolling update, in karp simulate and in karp replay."""
import json
import pathlib
import tempfile

from stories import check, equal, finish, run, types_of

HEAD = '''{apiVersion: karp/v1, kind: Story, region: us-west-2, nodeReadyAfter: 1m, objects: [
{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: a}, spec: {disruption: {consolidateAfter: Never}, template: {spec: {
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}, requirements: [
  {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}, {key: topology.kubernetes.io/zone, operator: In, values: [us-west-2a]}]}}}},
{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: a}, spec: {role: r, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}},
'''
END = {'wait': '10m'}


def web(replicas, version='1', **spec):
    """A pod takes a node of m6i.large for itself."""
    container = {'name': 'c', 'image': f'web:{version}', 'resources': {'requests': {'cpu': '1'}}}
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'}, 'spec': {
        'replicas': replicas, 'selector': {'matchLabels': {'app': 'web'}}, **spec,
        'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': {'containers': [container]}}}}


def rolling(surge, unavailable, **more):
    return {'strategy': {'rollingUpdate': {'maxSurge': surge, 'maxUnavailable': unavailable}}, **more}


def story(*steps, replicas=4, objects=()):
    path = pathlib.Path(folder, 'story.yaml')
    path.write_text(HEAD + ',\n'.join(json.dumps(o) for o in (web(replicas), *objects)) + f'],\nsteps: {json.dumps([END, *steps])}}}\n')
    return path


def told(*steps, **more):
    return json.loads(run('simulate', story(*steps, **more), *TYPES, '-o', 'json')[0])


def replayed(*steps, words=(), **more):
    return json.loads(run('replay', story(*steps, **more), *TYPES, '-o', 'json', '--boot-jitter', '0s', *words)[0])['policies'][0]


def bound(simulation):
    """How many pods are bound, by the minute of the story and its seconds."""
    counts = {}
    for step in simulation['steps']:
        for event in step['events']:
            if event['event'] == 'bound':
                counts[event['time'][14:19]] = counts.get(event['time'][14:19], 0) + len(event['detail'].split())
    del counts['01:00'] # the first pods
    return counts


def strategies():
    for spec, when, most in (
            ({}, {'10:00': 4}, (5, 4)),  # 25 %: a node for the second new pod, unless Karpenter comes after the others have gone
            (rolling(1, 0), {'11:00': 4}, 5),
            (rolling('50%', 0), {'11:00': 4}, 6),
            (rolling('100%', 0), {'11:00': 4}, 8),
            (rolling(0, 1), {'10:00': 4}, 4),
            ({'strategy': {'type': 'Recreate'}}, {'10:00': 4}, 4),
            (rolling(0, 1, minReadySeconds=90), {'10:00': 1, '11:30': 1, '13:00': 1, '14:30': 1}, 4),
            (rolling(0, '50%', minReadySeconds=90), {'10:00': 2, '11:30': 2}, 4)):
        steps = [{'apply': web(4, '2', **spec)}, END]
        simulation, one = told(*steps), replayed(*steps)
        equal(bound(simulation), when, spec)
        equal((simulation['totals']['nodesMost'], one['nodesMost']), most if isinstance(most, tuple) else (most, most), spec)
        for figures in (simulation['totals'], one):
            equal([figures[key] for key in ('podStarts', 'podsRunning', 'podsPending', 'evictions')], [8, 4, 0, 0], spec)


def changes():
    new = {'apply': web(4, '2', **rolling(0, 1, minReadySeconds=60))}
    # Replicas change while two pods are new, and everything goes on with that number.
    for replicas in (6, 2, 0):
        steps = [new, {'wait': '70s'}, {'scale': {'deployment': 'web', 'replicas': replicas}}, {'wait': '20m'}]
        equal((told(*steps)['totals']['podsRunning'], replayed(*steps)['podsRunning']), (replicas, replicas), f'scaled to {replicas}')
    # Back again: pods of the first template that still run stay.
    back = [new, {'wait': '70s'}, {'apply': web(4, **rolling(0, 1, minReadySeconds=60))}, {'wait': '20m'}]
    equal((told(*back)['totals']['podStarts'], replayed(*back)['podStarts']), (8, 8), 'back')
    # A pause stops it, and scaling goes on. The next change goes on from there.
    paused = [new, {'wait': '70s'}, {'apply': web(4, '2', paused=True, **rolling(0, 1, minReadySeconds=60))}, {'wait': '20m'}]
    equal((told(*paused)['totals']['podStarts'], replayed(*paused)['podStarts']), (6, 6), 'paused')
    resumed = [*paused, new, {'wait': '20m'}]
    equal((told(*resumed)['totals']['podStarts'], replayed(*resumed)['podStarts']), (8, 8), 'resumed')
    # Deleted, and applied anew.
    gone = [new, {'wait': '70s'}, {'delete': 'deploy/web'}, {'wait': '5m'}, {'apply': web(3, '3')}, END]
    equal((told(*gone)['totals']['podsRunning'], replayed(*gone)['podsRunning']), (3, 3), 'deleted and applied')
    # Pods that cannot run keep most of the old ones.
    heavy = web(4, '2')
    heavy['spec']['template']['spec']['containers'][0]['resources']['requests']['cpu'] = '900'
    equal([replayed({'apply': heavy}, END)[key] for key in ('podsRunning', 'podsPending')], [3, 2], 'stuck')
    heavy['spec'].update(rolling(1, 2))
    equal([replayed({'apply': heavy}, END)[key] for key in ('podsRunning', 'podsPending')], [2, 3], 'stuck, with two that may be missing')


def resumed():
    """A dump in the middle of a rollout goes on to the same end."""
    steps = [{'apply': web(4, '2', **rolling(1, 1, minReadySeconds=60))}, {'wait': '3m'}, {'scale': {'deployment': 'web', 'replicas': 7}}, {'wait': '20m'}]
    whole = replayed(*steps)
    for at in ('9m', '10m', '11m30s', '13m', '14m10s'):
        then = pathlib.Path(folder, 'then.json')
        then.write_text(run('replay', story(*steps), *TYPES, '--boot-jitter', '0s', '--dump-at', at)[0])
        equal(replayed(*steps, words=('--nodepools', then)), whole, f'resumed at {at}')


def autoscaled():
    """A HorizontalPodAutoscaler asks for replicas of a Deployment that is rolling."""
    scaler = {'apiVersion': 'autoscaling/v2', 'kind': 'HorizontalPodAutoscaler', 'metadata': {'name': 'web'}, 'spec': {
        'scaleTargetRef': {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'web'}, 'minReplicas': 1, 'maxReplicas': 9,
        'metrics': [{'type': 'Resource', 'resource': {'name': 'cpu', 'target': {'type': 'Utilization', 'averageUtilization': 50}}}]}}
    steps = [{'apply': web(4, '2', **rolling(0, 1, minReadySeconds=30))}, {'usage': {'deployment': 'web', 'cpu': 3}}, {'wait': '20m'}]
    equal((told(*steps, objects=[scaler])['totals']['podsRunning'], replayed(*steps, objects=[scaler])['podsRunning']), (6, 6), 'autoscaled')


def wrong():
    for spec, field in ((rolling('a', 1), 'maxSurge'), (rolling(0, 0), 'maxUnavailable'), (rolling(1, '200%'), 'maxUnavailable'), (rolling(2147483647, 1), 'more than 1000000 pods'), (rolling('1001%', 1), 'maxSurge'),
                        ({'strategy': {'type': 'Rolling'}}, 'spec.strategy.type'), ({'minReadySeconds': -1}, 'minReadySeconds')):
        for verb in ('simulate', 'replay'):
            out, error = run(verb, story({'apply': web(4, '2', **spec)}, END), *TYPES, status=None)
            # What the API server refuses is a problem, and the Deployment stays as it was; other values are errors.
            refused = 'as the API server refuses it' in ' '.join((out + error).split())
            check(('steps[1].apply' in error or refused) and field in out + error, f'{verb}: {field}: {error}')


with tempfile.TemporaryDirectory() as folder:
    TYPES = types_of(folder, 'us-west-2', 'm6i.large')
    strategies()
    changes()
    resumed()
    autoscaled()
    wrong()
finish()
