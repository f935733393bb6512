# SPDX-License-Identifier: Apache-2.0
"""Groups of pods that start together: what a plan says about each, by every way in which clusters state them."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

TYPES = [{'name': 'small', 'labels': {'node.kubernetes.io/instance-type': ['small'], 'kubernetes.io/os': ['linux']},
          'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '20'},
          'offerings': [{'zone': z, 'capacityType': 'on-demand', 'price': p, 'available': True}
                        for z, p in (('a', 1), ('b', 2))]}]


def pool(most='0'):
    """A NodePool that launches at most that many CPUs."""
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'},
            'spec': {'limits': {'cpu': most}, 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}


def node(name, cpu=2, **labels):
    amounts = {'cpu': str(cpu), 'memory': '64Gi', 'pods': '20'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {'kubernetes.io/hostname': name, **labels}},
            'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def pod(name, group='g', cpu=2, **spec):
    given = {'schedulingGroup': {'podGroupName': group}} if group else {}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name},
            'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': str(cpu)}}}], **given, **spec}}


def pods(count, group='g', **spec):
    return [pod(f'{group}-{i}', group, **spec) for i in range(count)]


def gang(least, name='g', key=None, **spec):
    where = {'schedulingConstraints': {'topology': [{'key': key}]}} if key else {}
    return {'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': name},
            'spec': {'schedulingPolicy': {'gang': {'minCount': least}}, **where, **spec}}


def other(api_version, least):
    return {'apiVersion': api_version, 'kind': 'PodGroup', 'metadata': {'name': 'g'}, 'spec': {'minMember': least}}


def labelled(count, least=None, labels=None, annotations=None):
    made = pods(count, None)
    for i, p in enumerate(made):
        p['metadata'] = {'name': f'g-{i}', 'labels': labels or {}, 'annotations': annotations or {}}
    return made


class World:
    def __init__(self, folder):
        self.folder = folder
        self.types = folder / 'types.json'
        self.types.write_text(json.dumps(TYPES))

    def plan(self, *objects, profile='karpenter', most='0', status=0):
        listed = folder_of(self.folder, [pool(most), *objects])
        return json.loads(run('plan', '-f', listed, '--catalogue', self.types, '--profile', profile, '-o', 'json', status=status)[0])


def folder_of(folder, objects):
    listed = folder / 'cluster.json'
    listed.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    return listed


def row(plan):
    return [(g['group'], g['source'], g.get('code'), g['minCount'], g['members'], g['placed']) for g in plan.get('groups', [])]


def sources(world):
    """Every source's way to say that three pods start together, with room for two."""
    nodes = [node('n1'), node('n2')]
    said = {
        'PodGroup': [gang(3), *pods(3)],
        'scheduler-plugins': [other('scheduling.x-k8s.io/v1alpha1', 3), *labelled(3, labels={'scheduling.x-k8s.io/pod-group': 'g'})],
        'Koordinator': [other('scheduling.sigs.k8s.io/v1alpha1', 3), *labelled(3, labels={'pod-group.scheduling.sigs.k8s.io': 'g'})],
        'Volcano': [other('scheduling.volcano.sh/v1beta1', 3), *labelled(3, annotations={'scheduling.k8s.io/group-name': 'g'})],
        'KAI': [other('scheduling.run.ai/v2alpha2', 3), *labelled(3, annotations={'pod-group-name': 'g'})],
        'Kueue': labelled(3, labels={'kueue.x-k8s.io/pod-group-name': 'g'}, annotations={'kueue.x-k8s.io/pod-group-total-count': '3'}),
    }
    for source, objects in said.items():
        equal(row(world.plan(*nodes, *objects)), [('default/g', source, 'GROUP_MINIMUM', 3, 3, 2)], source)
    by_annotation = labelled(3, annotations={'gang.scheduling.koordinator.sh/name': 'g', 'gang.scheduling.koordinator.sh/min-available': '3'})
    equal(row(world.plan(*nodes, *by_annotation)), [('default/g', 'Koordinator', 'GROUP_MINIMUM', 3, 3, 2)], 'Koordinator, annotations alone')
    by_annotation[0]['metadata']['annotations']['gang.scheduling.koordinator.sh/min-available'] = 'three'
    listed = folder_of(world.folder, by_annotation)
    check('min-available' in run('plan', '-f', listed, '--catalogue', world.types, status=1)[1], 'a minimum that is no number')


def notes(world):
    """In profile karpenter the pods are placed one by one, and a note says what becomes of them."""
    plan = world.plan(node('n1'), node('n2'), gang(3), *pods(3))
    equal(sum(len(p['pods']) for p in plan['placements']), 2, 'placed one by one')
    text = ' '.join(plan['warnings'])
    check('1 group of pods: its pods are placed one by one' in text, text)
    check('PodGroup default/g: 2 pods fit, and its minimum is 3: none of its pods is bound' in text, text)
    plan = world.plan(node('n1'), node('n2'), gang(2), *pods(2))
    equal(row(plan), [('default/g', 'PodGroup', None, 2, 2, 2)], 'it fits')
    check('cannot' not in ' '.join(plan['warnings']), plan['warnings'])
    equal(world.plan(node('n1'), pod('alone', None)).get('groups'), None, 'no groups, no member')


def refusals(world):
    """What keeps a group from starting wherever its pods are placed."""
    nodes = [node('n1', rack='r1'), node('n2', rack='r2'), node('n3')]
    here = {'status': {'phase': 'Running'}}
    cases = {
        'GROUP_MISSING': pods(2),
        'GROUP_INCOMPLETE': [gang(3), *pods(2)],
        'GROUP_GATED': [gang(2), *pods(2), pod('g-2', schedulingGates=[{'name': 'wait'}])],
        'GROUP_PRIORITY': [gang(2), pod('g-0', priority=5), pod('g-1', priority=5)],
        'GROUP_DOMAINS': [gang(2, key='rack'), pod('g-0', nodeName='n1') | here, pod('g-1', nodeName='n2') | here, pod('g-2')],
    }
    for code, objects in cases.items():
        equal([g.get('code') for g in world.plan(*nodes, *objects)['groups']], [code], code)
    composite = gang(2, parentCompositePodGroupName='top')
    equal([g.get('code') for g in world.plan(*nodes, composite, *pods(2))['groups']], ['GROUP_MISSING'], 'the composite is missing')


def main():
    with tempfile.TemporaryDirectory() as folder:
        world = World(pathlib.Path(folder))
        sources(world)
        notes(world)
        refusals(world)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
