# SPDX-License-Identifier: Apache-2.0
"""CapacityBuffers in replays and stories: room is launched for them, pods that arrive take it at once, and it is made good."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, one_type_pool, run

# m5.large has room for one pod of 1 CPU beside its system reserve: each of the buffer's pods has a node of its own.
BUFFER = '''
---
{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}}
---
{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: room}, spec: {podTemplateRef: {name: t}},
 status: {replicas: 2, conditions: [{type: ReadyForProvisioning, status: "True"}]}}
'''
TRACE = '''name,start,end,cpu
early,2026-03-02T00:00:40Z,2026-03-02T03:00:00Z,"1"
late,2026-03-02T01:00:00Z,2026-03-02T02:00:00Z,"1"
'''
STORY = '''apiVersion: karp/v1
kind: Story
start: "2026-03-02T00:00:00Z"
nodeReadyAfter: 60s
files: [cluster.yaml]
objects:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}}
steps:
- wait: 1h
- scale: {deployment: web, replicas: 1}
- wait: 1h
'''
GATE = ('--feature-gates', 'CapacityBuffer=true')


def replayed(folder):
    trace, cluster = folder / 'trace.csv', folder / 'cluster.yaml'
    trace.write_text(TRACE)
    words = ('replay', trace, '--nodepools', cluster, *GATE, '-o', 'json')
    whole = json.loads(run(*words)[0])
    one = whole['policies'][0]
    series = one['series']
    nodes = series['nodes']  # by the minute, from 00:00:40 on
    equal(nodes[30], 3, 'a node for the pod, two for the buffer')
    equal(nodes[90], 4, 'the pod that came has taken one, and the buffer has a new one')
    equal(one['pendingSeconds']['p50'], 0, 'the pod that came did not wait')
    equal(nodes[170], 3, 'and that node goes after it')
    # The bound pods and the wait for the next look at the buffers are part of what a dump keeps.
    for at in ('5s', '61m', '110m'):
        rest = folder / 'rest.json'
        rest.write_text(run(*words[:-2], '--dump-at', at)[0])
        again = json.loads(run('replay', trace, '--nodepools', rest, *GATE, '-o', 'json')[0])
        equal(again['policies'], whole['policies'], f'the rest from {at} on')
    without = json.loads(run(*words[:4], '-o', 'json')[0])
    equal(max(without['policies'][0]['series']['nodes']), 2, 'with the gate off')


def told(folder):
    story = folder / 'story.yaml'
    story.write_text(STORY)
    steps = json.loads(run('simulate', story, *GATE, '-o', 'json')[0])['steps']
    events = [[(e['event'], e['node']) for e in step['events']] for step in steps]
    equal(sum(what == 'launched' for what, _ in events[0]), 2, 'nodes for the buffer, before there is any pod')
    at = {what: time for what, time in ((e['event'], e['time']) for e in steps[1]['events']) if what != 'ready'}
    equal(at, {'bound': '2026-03-02T01:00:00Z', 'launched': '2026-03-02T01:00:00Z'},
          'the pod takes the room of the buffer at once, and a node is launched to make it good')


# A buffer that is not filled again, for pods with its labels.
ONE_SHOT = BUFFER.replace('template: {spec:', 'template: {metadata: {labels: {app: web}}, spec:') \
    .replace('spec: {podTemplateRef: {name: t}}', 'spec: {podTemplateRef: {name: t}, refillStrategy: none}') \
    .replace('metadata: {name: room}', 'metadata: {name: room, creationTimestamp: "2026-03-02T00:00:00Z"}')
PREVIEW = (*GATE, '--preview', 'one-shot-buffers')


def consumed(folder):
    """kubernetes-sigs/karpenter#3257: bound pods with the buffer's labels consume it, and what they have consumed is not made good."""
    (folder / 'cluster.yaml').write_text(one_type_pool('m5.large') + ONE_SHOT)
    story = folder / 'story.yaml'
    for replicas, launched, after in ((1, 0, 'one of two is left'), (2, 0, 'all of it is used'), (3, 1, 'a node for the third pod alone')):
        story.write_text(STORY.replace('replicas: 1}', f'replicas: {replicas}}}'))
        steps = json.loads(run('simulate', story, *PREVIEW, '-o', 'json')[0])['steps']
        equal([sum(e['event'] == 'launched' for e in step['events']) for step in steps], [2, launched, *[0] * (len(steps) - 2)], after)
    # A pod that goes gives nothing back.
    story.write_text(STORY.replace('- scale: {deployment: web, replicas: 1}', '- scale: {deployment: web, replicas: 1}\n- wait: 10m\n- scale: {deployment: web, replicas: 0}\n- wait: 10m\n- scale: {deployment: web, replicas: 1}'))
    steps = json.loads(run('simulate', story, *PREVIEW, '-o', 'json')[0])['steps']
    equal(sum(e['event'] == 'launched' for step in steps[1:] for e in step['events']), 1, 'the mark is the largest number of pods at one time')
    trace = folder / 'trace.csv'
    trace.write_text(TRACE.replace('cpu\n', 'cpu,labels\n').replace('"1"\n', '"1",app=web\n'))
    words = ('replay', trace, '--nodepools', folder / 'cluster.yaml', *PREVIEW, '-o', 'json')
    whole = json.loads(run(*words)[0])
    nodes = whole['policies'][0]['series']['nodes']
    equal((nodes[30], nodes[90]), (2, 2), 'the first pod has taken one of two nodes, the second pod the other')
    for at in ('61m', '110m'):
        rest = folder / 'rest.json'
        rest.write_text(run(*words[:-2], '--dump-at', at)[0])
        again = json.loads(run('replay', trace, '--nodepools', rest, *PREVIEW, '-o', 'json')[0])
        equal(again['policies'], whole['policies'], f'the rest from {at} on')
    unlabelled = folder / 'cluster.yaml'
    unlabelled.write_text(one_type_pool('m5.large') + ONE_SHOT.replace('metadata: {labels: {app: web}}, ', ''))
    nodes = json.loads(run(*words)[0])['policies'][0]['series']['nodes']
    equal((nodes[30], nodes[90]), (3, 4), 'a template without labels selects no pods')


def expired(folder):
    """After the fill deadline its pods are gone, and so are the nodes that nobody uses."""
    (folder / 'cluster.yaml').write_text(one_type_pool('m5.large') + ONE_SHOT.replace('refillStrategy: none', 'refillStrategy: none, fillDeadlineSeconds: 1800'))
    trace = folder / 'trace.csv'
    trace.write_text(TRACE)
    nodes = json.loads(run('replay', trace, '--nodepools', folder / 'cluster.yaml', *PREVIEW, '-o', 'json')[0])['policies'][0]['series']['nodes']
    equal((nodes[25], nodes[45]), (3, 1), 'two nodes are held for half an hour')
    words = ('replay', trace, '--nodepools', folder / 'cluster.yaml', *PREVIEW, '-o', 'json')
    rest = folder / 'rest.json'
    rest.write_text(run(*words[:-2], '--dump-at', '20m')[0])
    again = json.loads(run('replay', trace, '--nodepools', rest, *PREVIEW, '-o', 'json')[0])
    equal(again['policies'][0]['series']['nodes'][45], 1, 'a dump that is gone on from knows the deadline')
    story = folder / 'story.yaml'
    story.write_text(STORY)
    steps = json.loads(run('simulate', story, *PREVIEW, '-o', 'json')[0])['steps']
    gone = [e['time'] for e in steps[0]['events'] if e['event'] == 'deleted']
    equal((len(gone), gone and min(gone) >= '2026-03-02T00:30:00Z'), (2, True), 'likewise in a story')


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / 'cluster.yaml').write_text(one_type_pool('m5.large') + BUFFER)
        replayed(folder)
        told(folder)
        consumed(folder)
        expired(folder)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
