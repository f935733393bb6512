# SPDX-License-Identifier: Apache-2.0
"""A StatefulSet (OrderedReady) that is played creates its pods one after another, as karp plan does."""
import json
import pathlib
import sys
import tempfile

from manifests import ASKS, ONE_TYPE
from stories import check, equal, finish, run

temporary = tempfile.TemporaryDirectory()
folder = pathlib.Path(temporary.name)


def story(policy, replicas=3, steps=({'wait': '10m'},)):
    (folder / 'pool.yaml').write_text((ASKS / 'pool.yaml').read_text())
    template = {'metadata': {'labels': {'app': 'db'}}, 'spec': {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '500m'}}}]}}
    db = {'apiVersion': 'apps/v1', 'kind': 'StatefulSet', 'metadata': {'name': 'db'}, 'spec': {
        'replicas': replicas, 'podManagementPolicy': policy, 'selector': {'matchLabels': {'app': 'db'}}, 'template': template}}
    path = folder / 'story.yaml'
    path.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T08:00:00Z', 'delay': '1m', 'files': ['pool.yaml'], 'objects': [db], 'steps': list(steps)}))
    return path


def replayed(*words):
    return json.loads(run('replay', *words, *ONE_TYPE, '-o', 'json')[0])


def bound(path):
    steps = json.loads(run('simulate', path, *ONE_TYPE, '-o', 'json')[0])['steps']
    return [(event['time'][11:19], event['detail']) for step in steps for event in step['events'] if event['event'] == 'bound']


# The next one is created when the one before it runs; there is room for three on the first node.
equal(bound(story('OrderedReady')), [('08:01:00', 'default/db-0'), ('08:01:00', 'default/db-1'), ('08:01:00', 'default/db-2')], 'one after another')
equal(bound(story('Parallel')), [('08:01:00', 'default/db-0 default/db-1 default/db-2')], 'together')
# As many as need nodes of their own: each waits for the one before it.
five = story('OrderedReady', replicas=7)
equal([time for time, _ in bound(five)], ['08:01:00'] * 3 + ['08:02:00'] * 3 + ['08:03:00'], 'the nodes come one after another')
whole = replayed(five)
equal((whole['policies'][0]['launches'], whole['policies'][0]['podsPending']), (3, 0), 'a replay')
check('not one after another' not in json.dumps(whole), 'a note')
# A replay that is cut and continued comes to the same.
cut = folder / 'cut.json'
cut.write_text(run('replay', five, *ONE_TYPE, '--dump-at', '90s')[0])
held = [o['metadata']['name'] for o in json.loads(cut.read_text())['objects'] if o['kind'] == 'Pod'
        and any(c['type'] == 'Created' for c in o['status']['conditions'])]
equal(held, ['db-4', 'db-5', 'db-6'], 'pods that are not created yet')
equal(replayed(five, '--nodepools', cut)['policies'], whole['policies'], 'continued')
# A pod that gets no node holds all that follow.
big = json.loads(five.read_text())
big['objects'][0]['spec']['template']['spec']['containers'][0]['resources']['requests']['cpu'] = '64'
five.write_text(json.dumps(big))
equal(replayed(five)['policies'][0]['podsPending'], 1, 'the first one waits')
sys.exit(finish())
