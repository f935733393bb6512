# SPDX-License-Identifier: Apache-2.0
"""--replace, --delete and --scale: changes laid over what was read, be it files, a dump of a cluster or a Snapshot."""
import json
import pathlib
import sys
import tempfile

from stories import check, document, equal, finish, placed, run

ASKS = pathlib.Path(__file__).parent / 'asks'
DUMP = ASKS / 'dump.json'
POOLS = ASKS / 'three-tier' / 'nodepools.yaml'
REPORT = ASKS / 'report-scaled.yaml'


def planned(plan):
    """Names of all pods placed."""
    return [name for p in plan['placements'] + plan['launches'] for name in p['pods']]


def of(plan, prefix):
    return sorted(name for name in planned(plan) if name.startswith(prefix))


def deployment(name, replicas, cpu='100m', space='default', uid=None, **spec):
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': name, 'namespace': space, **({'uid': uid} if uid else {})},
            'spec': {'replicas': replicas, 'selector': {'matchLabels': {'app': name}},
                     'template': {'metadata': {'labels': {'app': name}},
                                  'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu}}}], **spec}}}}


# Equal objects: without --replace an error that says what to type, with it the later ones count.
_, error = run('plan', '-f', DUMP, '-f', POOLS, status=1)
check('the object is in the input already' in error and f'use --replace {ASKS / "three-tier" / "nodepools.yaml"} instead of -f' in error, error)
before = document('plan', DUMP)
after = document('plan', DUMP, '--replace', POOLS)
equal([l['pods'] for l in after['launches']], [l['pods'] for l in before['launches']], 'the same pools')
equal(document('plan', DUMP, '--replace', REPORT), document('plan', DUMP, REPORT, '--replace', REPORT), 'added or replaced')

# Pods of a dump and the Deployment that owns them are counted once.
for way in ([REPORT], ['--scale', 'report=10'], ['--scale', 'batch/report=10'], ['--scale', 'deployment/report=10'],
            ['--scale', 'deploy/batch/report=10'], ['--replace', REPORT]):
    equal(len(of(document('plan', DUMP, *way), 'batch/report')), 10, f'{way}')
equal(len(of(document('plan', DUMP, '--scale', 'report=1'), 'batch/report')), 1, 'scaled down')
equal(len(of(document('plan', DUMP, '--scale', 'report=0'), 'batch/report')), 0, 'scaled to none')

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)

    def file(name, *objects):
        path = folder / name
        path.write_text('\n'.join(json.dumps(o) for o in objects))
        return path

    # What is replaced and deleted is left out, which is said; what is deleted alone is not.
    said = 'NodePool spot is replaced and deleted: it is left out'
    check(said in document('plan', DUMP, '--replace', POOLS, '--delete', 'nodepool/spot')['warnings'], 'replaced and deleted')
    check(said in document('plan', ASKS / 'pool.yaml', '--replace', POOLS, '--delete', 'nodepool/spot')['warnings'], 'added and deleted')
    check(said not in document('plan', DUMP, '--delete', 'nodepool/spot').get('warnings', []), 'only deleted')

    # Directories inside one are read with -R; without, their files are counted.
    for name in ('tree/b/x.yaml', 'tree/a/y.yaml', 'tree/.git/z.yaml', 'one/c/z.yaml'):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(deployment(name[-6], 1)))
    for name in ('tree', 'one'):
        (folder / name / 'pool.yaml').write_text((ASKS / 'pool.yaml').read_text())
    equal(document('plan', folder / 'tree')['problems'], [f'not understood: {folder}/tree: 2 files with objects in its subdirectories (a, ...) are not read; -R reads them'], 'two')
    equal(document('plan', folder / 'one')['problems'], [f'not understood: {folder}/one: 1 file with objects in its subdirectory (c) is not read; -R reads it'], 'one')
    recursively = document('plan', '-R', folder / 'tree')
    equal((recursively.get('warnings', []), len(planned(recursively))), ([], 2), 'recursively')

    # A Snapshot takes changes as files do.
    snapshot = folder / 'snapshot.json'
    snapshot.write_text(run('dump', DUMP)[0])
    for way in (['--scale', 'report=10'], ['--delete', 'nodepool/spot'], ['--replace', REPORT],
                ['--delete', 'node/ip-10-0-32-24.us-west-2.compute.internal'], ['--delete', 'deploy/report']):
        # Files have a default region, a Snapshot its catalogue.
        one, other = document('plan', DUMP, *way), document('plan', snapshot, *way)
        equal([l['pods'] for l in other['launches']], [l['pods'] for l in one['launches']], f'Snapshot {way}')
        equal(other['cost'], one['cost'], f'Snapshot {way}')

    # A Deployment with its ReplicaSet, whose name tells nothing, and pods.
    names = [f'web-x-{i}' for i in range(4)]
    owner = lambda kind, name: [{'apiVersion': 'apps/v1', 'kind': kind, 'name': name, 'uid': name, 'controller': True}]
    spec = {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '100m'}}}]}
    pods = [{'apiVersion': 'v1', 'kind': 'Pod', 'spec': spec,
             'metadata': {'name': n, 'namespace': 'default', 'labels': {'app': 'web'}, 'ownerReferences': owner('ReplicaSet', 'odd')}}
            for n in names]
    pods[1]['metadata']['annotations'] = {'controller.kubernetes.io/pod-deletion-cost': '-5'}
    sets = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet',
            'metadata': {'name': 'odd', 'namespace': 'default', 'ownerReferences': owner('Deployment', 'web')},
            'spec': {**deployment('web', 4)['spec']}}
    cluster = file('web.json', deployment('web', 4), sets, *pods)
    pool = ASKS / 'pool.yaml'
    equal(sorted(planned(document('plan', pool, cluster))), [f'default/{n}' for n in names], 'counted once')
    equal(len(planned(document('plan', pool, cluster, '--scale', 'web=6'))), 6, 'two more')
    equal(sorted(planned(document('plan', pool, cluster, '--scale', 'web=3'))),
          [f'default/web-x-{i}' for i in (0, 2, 3)], 'the cheapest to delete goes')
    equal(planned(document('plan', pool, cluster, '--delete', 'deployment/web')), [], 'the pods go with it')
    emptied = document('plan', pool, cluster, '--delete', 'ns/default', '--replace',
                       file('ns.json', {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'default'}}))
    equal((planned(emptied), emptied['warnings'][:1]), ([], ['Namespace default is replaced and deleted: it is left out']), 'nothing left')

    # kubectl apply: the number stays where the new text names none; another template makes the pods anew, and that is noted.
    bare = deployment('web', 0)
    del bare['spec']['replicas']
    same = document('plan', pool, cluster, '--replace', file('same.json', bare))
    equal((sorted(planned(same)), same['warnings']), ([f'default/{n}' for n in names], []), 'nothing changes')
    larger = document('plan', pool, cluster, '--replace', file('larger.json', deployment('web', 5, cpu='2')))
    equal((sorted(planned(larger)), larger['warnings']),
          ([f'default/web-{i}' for i in range(5)],
           ['Deployment default/web: its pod template changes, so its 4 pods are recreated']), 'another template')
    moved = document('plan', pool, file('pin.json', deployment('pin', 1, nodeSelector={'disk': 'ssd'})),
                     '--replace', file('unpin.json', deployment('pin', 1)))
    equal(len(planned(moved)), 1, 'a selector is taken away')

    # Names that are none, or mean several.
    two = file('two.json', deployment('api', 1, space='a'), deployment('api', 1, space='b'))
    equal(len(planned(document('plan', pool, two, '--scale', 'a/api=3'))), 4, 'the one in a')
    for wrong, part in ((['--scale', 'api=3'], 'api: the input has a and b'), (['--delete', 'deploy/api'], 'the input has a and b'),
                        (['--scale', 'appi=3'], 'appi: the input has no such object'), (['--delete', 'Deploymnt/a/api'], 'no such object; did you mean Deployment?'), (['--scale', 'api'], 'expected WORKLOAD=N'),
                        (['--scale', 'api=-1'], 'expected WORKLOAD=N'), (['--scale', 'a/api=99999999999'], 'replicas'),
                        (['--delete', 'api'], 'KIND/NAME'), (['--delete', 'a/b/c/d'], 'KIND/NAME'),
                        (['--delete', 'node/none'], 'node/none: the input has no such object'),
                        (['--replace', 'nowhere.yaml'], 'nowhere.yaml')):
        out, error = run('plan', pool, two, *wrong, status=1)
        check(out == '' and part in error, f'{wrong}: {error}')

# A node that is deleted: its NodeClaim goes, pods with a controller are pending, those of DaemonSets end.
name = 'ip-10-0-32-24.us-west-2.compute.internal'
kept = json.loads(run('dump', DUMP)[0])
gone = json.loads(run('dump', DUMP, '--delete', f'node/{name}')[0])
on = [o for o in kept['objects'] if o['kind'] == 'Pod' and o['spec'].get('nodeName') == name]
daemons = [o for o in on if o['metadata']['ownerReferences'][0]['kind'] == 'DaemonSet']
equal(len(kept['objects']) - len(gone['objects']), 2 + len(daemons), 'node, claim and pods of DaemonSets')
check(len(on) > len(daemons), f'{len(on)} pods, {len(daemons)} of DaemonSets')
left = {o['metadata']['name']: o for o in gone['objects'] if o['kind'] == 'Pod'}
for pod in on:
    if pod not in daemons:
        check('nodeName' not in left[pod['metadata']['name']]['spec'], pod['metadata']['name'])
# A NodePool: its nodes go with it.
gone = json.loads(run('dump', DUMP, '--delete', 'nodepool/spot')[0])
check(not any('spot' == o['metadata'].get('labels', {}).get('karpenter.sh/nodepool') for o in gone['objects']), 'nodes of spot')
sys.exit(finish())
