# SPDX-License-Identifier: Apache-2.0
"""Stories whose steps apply, replace and delete objects: in karp simulate and in karp replay."""
import copy
import json
import pathlib
import tempfile

from stories import check, equal, finish, run, types_of


def pool(*types, **disruption):
    wanted = [('karpenter.sh/capacity-type', 'on-demand'), ('topology.kubernetes.io/zone', 'us-west-2a')]
    requirements = [{'key': key, 'operator': 'In', 'values': [value]} for key, value in wanted]
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
        'template': {'spec': {
            'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
            'requirements': requirements + [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': list(types)}]}},
        'disruption': {'consolidateAfter': 'Never', 'budgets': [{'nodes': '1'}], **disruption}}}


def node_class(**spec):
    return {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'},
            'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}], 'role': 'r', **spec}}


def template(cpu='1'):
    return {'metadata': {'labels': {'app': 'web'}}, 'spec': {'containers': [{'name': 'c', 'image': 'c', 'resources': {'requests': {'cpu': cpu}}}]}}


def workload(kind, name, replicas, cpu='1', **more):
    return {'apiVersion': 'v1' if kind == 'ReplicationController' else 'apps/v1', 'kind': kind, 'metadata': {'name': name}, 'spec': {
        'replicas': replicas, 'selector': {'app': 'web'} if kind == 'ReplicationController' else {'matchLabels': {'app': 'web'}},
        'template': template(cpu), **more}}


def story(*steps, objects=()):
    path = pathlib.Path(folder, 'story.yaml')
    path.write_text(json.dumps({
        'apiVersion': 'karp/v1', 'kind': 'Story', 'region': 'us-west-2', 'steps': list(steps),
        'objects': [pool('m6i.large'), node_class(), workload('Deployment', 'web', 3), *objects]}))
    return path


def told(*steps, objects=()):
    return json.loads(run('simulate', story(*steps, objects=objects), *TYPES, '-o', 'json')[0])


def replayed(*steps, objects=(), words=()):
    return json.loads(run('replay', story(*steps, objects=objects), *TYPES, '-o', 'json', *words)[0])['policies'][0]


def events(simulation, kind):
    return [(e['node'], e.get('detail')) for step in simulation['steps'] for e in step['events'] if e['event'] == kind]


def running(simulation):
    """The pods that are bound last, by node."""
    at = {}
    for node, names in events(simulation, 'bound'):
        at.update({name.split('/')[1]: node for name in names.split()})
    return at


def drift():
    """Replaced NodePools: every node drifts, one at a time by the budget, and what the story launches is of the new type."""
    for change in ('apply', 'replace'):
        played = told({'wait': '5m'}, {change: pool('m7i.large')}, {'wait': '20m'})
        equal([step['step'] for step in played['steps']], ['wait 5m0s', f'{change} NodePool default', 'wait 20m0s'], 'steps')
        equal([kind for _, kind in events(played, 'launched')], ['m6i.large'] * 3 + ['m7i.large'] * 3, 'launched')
        equal([name for name, _ in events(played, 'deleted')], ['default-1', 'default-2', 'default-3'], 'deleted')
        figures = replayed({'wait': '5m'}, {change: pool('m7i.large')}, {'wait': '20m'})
        equal((figures['launches'], figures['endedNodes'], figures['disruptions'].get('Drift')), (6, 3, 3), 'replayed')
    same = told({'wait': '5m'}, {'replace': pool('m6i.large', consolidateAfter='10h')}, {'wait': '20m'})
    equal(len(events(same, 'launched')), 3, 'what is no part of the nodes does not count')
    tagged = copy.deepcopy(pool('m6i.large'))
    tagged['spec']['template']['metadata'] = {'labels': {'team': 'a'}}
    equal(len(events(told({'wait': '5m'}, {'replace': tagged}, {'wait': '20m'}), 'launched')), 6, 'a field of the template does')
    one = [{'wait': '5m'}, {'replace': tagged}, {'wait': '30s'}, {'replace': pool('m6i.large')}, {'wait': '20m'}]
    equal(len(events(told(*one), 'deleted')), 2, 'taken back: the node that had begun goes, and the one launched in between')
    for fields, count in (({'tags': {'a': 'b'}}, 6), ({'role': 'r'}, 3), ({'amiSelectorTerms': [{'alias': 'bottlerocket@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}]}, 3)):
        steps = [{'wait': '5m'}, {'apply': node_class(**fields)}, {'wait': '20m'}]
        equal(len(events(told(*steps), 'launched')), count, fields)
        equal(replayed(*steps)['launches'], count, fields)


def cut():
    """A replay that is interrupted while its nodes drift goes on as if it were not."""
    steps = [{'wait': '5m'}, {'replace': pool('m7i.large')}, {'wait': '20m'}]
    whole, path, half = replayed(*steps), story(*steps), pathlib.Path(folder, 'half.json')
    for at in ('5m', '5m10s', '6m10s', '8m'):
        half.write_text(run('replay', path, *TYPES, '--dump-at', at)[0])
        equal(json.loads(run('replay', path, '--nodepools', half, '-o', 'json')[0])['policies'][0], whole, f'cut at {at}')
    half.write_text(run('replay', path, *TYPES, '--dump-at', '6m10s')[0])
    reasons = {c['reason'] for o in json.loads(half.read_text())['objects'] if o['kind'] == 'NodeClaim'
               for c in o['status']['conditions'] if c['type'] == 'Drifted'}
    equal(reasons, {'NodePoolDrifted'} if 'NodePoolDrifted' in reasons else {'RequirementsDrifted'}, 'why')


def workloads():
    rc, db = workload('ReplicationController', 'rc', 2), workload('StatefulSet', 'db', 2, podManagementPolicy='Parallel')
    more, less = workload('StatefulSet', 'db', 3, podManagementPolicy='Parallel'), workload('ReplicationController', 'rc', 1)
    end = {'wait': '10m'}
    played = told(end, {'apply': [rc, db]}, end)
    equal(sorted(running(played)), ['db-0', 'db-1', 'rc-0', 'rc-1', 'web-0', 'web-1', 'web-2'], 'applied')
    equal(replayed(end, {'apply': [rc, db]}, end)['podsRunning'], 7, 'applied, replayed')
    for steps, left in (([{'apply': more}], 8), ([{'replace': less}], 6), ([{'delete': 'rc/rc'}], 5), ([{'delete': 'sts/default/db'}, {'delete': 'deploy/web'}], 2),
                        ([{'apply': workload('Deployment', 'web', 5)}], 9), ([{'scale': {'deployment': 'web', 'replicas': 6}}, {'apply': workload('Deployment', 'web', 1)}], 5)):
        for before in ([{'apply': [rc, db]}], []):
            objects = () if before else (rc, db)
            equal(replayed(*before, end, *steps, end, objects=objects)['podsRunning'], left, steps)
            totals = told(*before, end, *steps, end, objects=objects)['totals']
            equal((totals['podsRunning'], totals['podsPending']), (left, 0), steps)
    bare = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'bare'}, 'spec': template()['spec']}
    equal(replayed({'apply': bare}, end, {'delete': 'pod/bare'}, end)['podsRunning'], 3, 'a pod')
    # A changed template: all pods are made anew. A new Deployment is scaled like those of the files.
    before, after = told(end, end), told(end, {'apply': workload('Deployment', 'web', 3, cpu='1500m')}, end)
    equal(after['totals']['podStarts'] - before['totals']['podStarts'], 3, 'the pods of another template')
    new = [{'apply': workload('Deployment', 'api', 1)}, end, {'scale': {'deployment': 'api', 'replicas': 4}}, end]
    equal((told(*new)['totals']['podsRunning'], replayed(*new)['podsRunning']), (7, 7), 'a new Deployment')
    # What the API server adds is that of the time.
    limits = {'apiVersion': 'v1', 'kind': 'LimitRange', 'metadata': {'name': 'l'}, 'spec': {'limits': [{'type': 'Container', 'defaultRequest': {'cpu': '1'}}]}}
    idle = workload('ReplicationController', 'rc', 4)
    idle['spec']['template']['spec']['containers'][0].pop('resources')
    equal([len(events(told(*first, {'apply': idle}, end), 'launched')) for first in ([], [{'apply': limits}])], [3, 7], 'a LimitRange')


def others():
    end = {'wait': '10m'}
    budget = {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'b'},
              'spec': {'maxUnavailable': 0, 'selector': {'matchLabels': {'app': 'web'}}}}
    new = {'replace': pool('m7i.large')}
    equal(len(events(told(end, {'apply': budget}, new, end), 'deleted')), 0, 'a budget that allows nothing')
    equal(len(events(told(end, {'apply': budget}, new, end, {'delete': 'pdb/b'}, end), 'deleted')), 3, 'it goes')
    gone = told(end, {'delete': 'nodepool/default'}, end)
    equal((len(events(gone, 'deleted')), gone['totals']['podsPending']), (3, 3), 'a NodePool is deleted with its nodes')
    figures = replayed(end, {'delete': 'nodepool/default'}, end)
    equal((figures['endedNodes'], figures['podsPending']), (3, 3), 'replayed')
    daemon = {'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': 'agent'}, 'spec': {
        'selector': {'matchLabels': {'app': 'agent'}}, 'template': {**template('1'), 'metadata': {'labels': {'app': 'agent'}}}}}
    more = {'scale': {'deployment': 'web', 'replicas': 4}}
    equal(told(end, {'apply': daemon}, more, end)['totals']['podsPending'], 1, 'the next node has no room beside the DaemonSet')
    pathlib.Path(folder, 'new.yaml').write_text(json.dumps(pool('m7i.large')))
    equal(len(events(told(end, {'replace': 'new.yaml'}, end), 'deleted')), 3, 'a file beside the story')


def unclear():
    """What of the applied objects is not understood or not planned is said as for the objects of a plan."""
    misspelt = workload('Deployment', 'api', 2, replicaz=3)
    misspelt['spec']['template']['spec']['nodeSelektor'] = {'a': 'b'}
    heavy = copy.deepcopy(pool('m6i.large'))
    heavy['spec']['weigth'] = 3
    heavy['spec']['template']['spec']['requirments'] = []
    refused = [workload(kind, 'idle', 2) for kind in ('Deployment', 'StatefulSet', 'DaemonSet')]
    for one in refused:
        one['spec'].pop('selector')
    refused[2]['spec'].pop('replicas')
    pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'bare'},
           'spec': {**template()['spec'], 'tolerations': [{'key': 'a', 'operator': 'Exists', 'value': 'b'}]}}
    bounds = {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'b'},
              'spec': {'minAvailable': 1, 'maxUnavailable': 1, 'selector': {}}}
    kept, changed = pathlib.Path(folder, 'kept.json'), pathlib.Path(folder, 'story.yaml')
    kept.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [pool('m6i.large'), workload('Deployment', 'web', 3)]}))
    for one, pods in ((misspelt, 5), (heavy, 3), (bounds, 3), (pod, 3), *((one, 3) for one in refused)):
        changed.write_text(json.dumps(one)) # where the story is, for the same place in the text
        wanted = json.loads(run('plan', kept, *TYPES, *(['--replace', changed] if one is heavy else [changed]), '-o', 'json', status=None)[0])['problems']
        steps = [{'wait': '5m'}, {'apply': one}, {'wait': '5m'}]
        played = told(*steps)
        equal((played['problems'], played['totals']['podsRunning']), (wanted, pods), f'simulate: {one["kind"]}')
        again = json.loads(run('replay', story(*steps), *TYPES, '-o', 'json')[0])
        equal((again['problems'], again['policies'][0]['podsRunning']), (wanted, pods), f'replay: {one["kind"]}')
    # What the API server refuses has no pods when it is scaled, and leaves what was there as it is.
    wrong = workload('Deployment', 'web', 9)
    wrong['spec'].pop('selector')
    scaled = {'scale': {'deployment': 'web', 'replicas': 4}}
    right = {'apply': workload('Deployment', 'web', 2)}
    for steps, first, pods in (((scaled, {'wait': '5m'}), wrong, 0), ((scaled, right, {'wait': '5m'}), wrong, 2),
                               (({'apply': wrong}, {'wait': '5m'}), None, 3), (({'apply': wrong}, scaled, {'wait': '5m'}), None, 4)):
        kept.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [pool('m6i.large'), first or workload('Deployment', 'web', 3)]}))
        changed.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'files': ['kept.json'], 'steps': [{'wait': '5m'}, *steps]}))
        played = json.loads(run('simulate', changed, *TYPES, '-o', 'json')[0])
        again = json.loads(run('replay', changed, *TYPES, '-o', 'json')[0])
        equal((played['totals']['podsRunning'], again['policies'][0]['podsRunning']), (pods, pods), steps)
        equal((len(played['problems']), len(again['problems'])), (1, 1), 'and it is told')
    pathlib.Path(folder, 'new.yaml').write_text(json.dumps(heavy))
    for verb in ('simulate', 'replay'):
        out, _ = run(verb, story({'wait': '5m'}, {'replace': 'new.yaml'}, {'wait': '5m'}), *TYPES)
        check('new.yaml:1: NodePool default: a NodePool has no field spec.weigth' in out and
              out.endswith('INCOMPLETE: 2 parts of the input are not understood\n'), out)
    equal(told({'apply': misspelt}, {'delete': 'deploy/api'}, {'apply': misspelt})['problems'][:2], told({'apply': misspelt})['problems'], 'once')


def wrong():
    other = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'other'}, 'spec': pool('m6i.large')['spec']}
    bad = copy.deepcopy(pool('m6i.large'))
    bad['spec']['weight'] = 'heavy'
    owned = {'apiVersion': 'v1', 'kind': 'Pod', 'spec': template()['spec'],
             'metadata': {'name': 'x', 'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'x', 'uid': '1', 'controller': True}]}}
    for step, words, objects in (
            ({'replace': other}, 'NodePool other: there is none to replace; apply adds it', ()),
            ({'apply': bad}, 'spec.weight', ()),
            ({'apply': {'kind': 'NodePool'}}, 'an object has a kind and a name', ()),
            ({'apply': []}, 'no object', ()),
            ({'apply': {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'n'}}}, 'the nodes of a story are those of its files', ()),
            ({'apply': {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'n'}}}, 'no decision of a story reads it', ()),
            ({'apply': {'apiVersion': 'kafka.strimzi.io/v1beta2', 'kind': 'Kafka', 'metadata': {'name': 'n'}}}, 'no decision of a story reads it', ()),
            ({'apply': workload('Deployment', 'web', 1000001)}, 'more than 1000000 replicas', ()),
            ({'apply': workload('ReplicationController', 'web', 1)}, 'another workload has its name', ()),
            ({'apply': 'absent.yaml'}, 'absent.yaml', ()),
            ({'delete': 'deploy/other'}, 'there is no such object', ()),
            ({'delete': 'web'}, 'expected KIND/NAME or KIND/NAMESPACE/NAME', ()),
            ({'delete': 'pod/x'}, 'its controller would create it again', (owned,)),
            ({'usge': {'deployment': 'web', 'cpu': '1'}}, '"usge" is no step; did you mean usage? expected one of scale', ()),
            ({'wait': '1m', 'aply': other}, '"aply" is no step; did you mean apply?', ()),
            ({'restart': 'web'}, '"restart" is no step; expected one of', ()),
            ({'apply': other, 'wait': '1m'}, 'expected one of scale, wait, expire, interrupt, fail, usage, apply, replace and delete', ())):
        for verb in ('simulate', 'replay'):
            out, error = run(verb, story({'wait': '1m'}, step, objects=objects), *TYPES, status=1)
            check(out == '' and words in error, f'{verb} {step}: {error}')
    _, error = run('simulate', story({'delete': 'deploy/web'}, {'scale': {'deployment': 'web', 'replicas': 1}}), *TYPES, status=1)
    check('steps[1].scale.deployment: no such Deployment' in error, error)


with tempfile.TemporaryDirectory() as folder:
    TYPES = types_of(folder, 'us-west-2', 'm6i.large', 'm7i.large')
    drift()
    cut()
    workloads()
    others()
    unclear()
    wrong()
finish()
