# SPDX-License-Identifier: Apache-2.0
"""Nodes drift when their NodePool or node class is replaced: disrupt, explain, diff, whatif --design and a dump show it."""
import json
import pathlib
import tempfile

from small_clusters import catalogue, node, pod
from stories import check, equal, finish, run

REF = {'group': 'g.example', 'kind': 'TestNodeClass', 'name': 'd'}
CLASS = {'apiVersion': 'g.example/v1', 'kind': 'TestNodeClass', 'metadata': {'name': 'd'}, 'spec': {'role': 'r', 'subnetSelectorTerms': [{'id': 's-1'}]}}


def pool(requirements=(), labels=None, **disruption):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
            'spec': {'disruption': {'consolidateAfter': 'Never', 'budgets': [{'nodes': '1'}], **disruption},
                     'template': {'metadata': {'labels': labels or {}},
                                  'spec': {'nodeClassRef': REF, 'requirements': list(requirements)}}}}


def need(key, *values):
    return {'key': key, 'operator': 'In', 'values': list(values)}


def objects():
    nodes = [*node('n1', 'small', 2), *node('n2', 'small', 2)]
    for claim in nodes[1::2]:
        claim['spec']['nodeClassRef'] = REF
    return [CLASS, *nodes, pod('a', 'n1', '1'), pod('b', 'n2', '1')]


class Files:
    def __init__(self, folder):
        self.folder = folder

    def write(self, name, *items):
        path = self.folder / f'{name}.json'
        path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(items)}))
        return str(path)


def drifted(document):
    """The nodes that a disruption pass finds drifted: those that it replaces, and those that come after."""
    return {name for command in document['commands'] if command['reason'] == 'Drifted' for name in command['nodes']}


def reasons(dump):
    return {o['metadata']['name']: c['reason'] for o in dump['objects'] if o['kind'] == 'NodeClaim'
            for c in o['status']['conditions'] if c['type'] == 'Drifted'}


def check_change(files, types, before, after, reason, what):
    """Both nodes have the reason, or none where it is None."""
    old = files.write('old', before, *objects())
    words = ['-f', old, '--replace', files.write('new', *after), '--catalogue', types, '--now', '2026-01-02T00:00:00Z']
    dump = json.loads(run('dump', *words)[0])
    equal(reasons(dump), {'c-n1': reason, 'c-n2': reason} if reason else {}, what)
    whole = files.folder / 'dump.json'
    whole.write_text(json.dumps(dump))
    for question in (words, ['-f', str(whole)]):
        told = json.loads(run('disrupt', *question, '--method', 'Drift', '-o', 'json')[0])
        equal(drifted(told), {'n1'} if reason else set(), f'{what}: what a pass replaces, with a budget of one node')
    if reason:
        notes = run('plan', *words)[1] + run('plan', *words)[0]
        check('2 nodes drift' in notes and reason in notes, f'{what}: no note of it: {notes}')


with tempfile.TemporaryDirectory() as name:
    files = Files(pathlib.Path(name))
    types = pathlib.Path(name, 'types.json')
    types.write_text(json.dumps(catalogue()))
    types = str(types)
    large = need('node.kubernetes.io/instance-type', 'large')
    check_change(files, types, pool(), [pool([large])], 'RequirementsDrifted', 'a requirement that the nodes do not meet')
    check_change(files, types, pool(), [pool([need('node.kubernetes.io/instance-type', 'small', 'large')])], None, 'a requirement that they meet')
    check_change(files, types, pool(), [pool([need('example.com/tier', 'a', 'b')])], 'RequirementsDrifted', 'a label that the nodes do not have')
    check_change(files, types, pool(), [pool(labels={'team': 'x'})], 'NodePoolDrifted', 'a label of the template')
    check_change(files, types, pool(), [pool(consolidationPolicy='WhenEmpty')], None, 'the disruption settings')
    check_change(files, types, pool(), [{**CLASS, 'spec': {**CLASS['spec'], 'role': 'other'}}], 'NodeClassDrift', 'a field of the node class')
    check_change(files, types, pool(), [{**CLASS, 'spec': {**CLASS['spec'], 'subnetSelectorTerms': []}}], None, 'what the node class selects')
    check_change(files, types, pool(), [pool()], None, 'the same NodePool')
    # What is there counts, not what was replaced in between.
    old, new = files.write('old', pool(), *objects()), files.write('new', pool([large]))
    words = ['-f', old, '--replace', new, '--replace', files.write('back', pool()), '--catalogue', types]
    equal(reasons(json.loads(run('dump', *words)[0])), {}, 'replaced, and replaced back')
    # A story's first step changes the cluster that it begins with, whether it has waited before or not.
    files.write('old', pool(), *objects(), {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'}, 'spec': {
        'replicas': 1, 'selector': {'matchLabels': {'app': 'w'}}, 'template': {'metadata': {'labels': {'app': 'w'}}, 'spec': {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '1'}}}]}}}})
    story = pathlib.Path(name, 'story.json')
    for first in ([], [{'wait': '1m'}]):
        for begins in ({}, {'start': '2026-03-01T00:00:00Z'}):
            steps = [*first, {'replace': 'new.json'}, {'wait': '1h'}]
            story.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'files': ['old.json'], 'steps': steps, **begins}))
            told = json.loads(run('simulate', str(story), '--catalogue', types, '-o', 'json')[0])['totals']
            again = json.loads(run('replay', str(story), '--catalogue', types, '-o', 'json')[0])['policies'][0]
            equal([again[k] for k in ('launches', 'evictions')], [told[k] for k in ('launches', 'evictions')], f'replay as simulate: {steps}')
            check(again['evictions'] > 1 and again['launches'] > 0, f'the nodes drift in a replay: {again}')
finish()
