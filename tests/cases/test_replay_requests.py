# SPDX-License-Identifier: Apache-2.0
"""karp replay --requests recommended: pods of traces, stories, dumps and objects request what is recommended, and nobody else does."""
import json
import pathlib
import tempfile

from manifests import POOL, manifest, thing
from stories import check, equal, finish, run

RECOMMENDED = ('--requests', 'recommended')
folder = pathlib.Path(tempfile.mkdtemp())
CSV = 'name,namespace,start,end,cpu,memory,owner\n' + ''.join(
    f'{name},shop,0,7200,{cpu},1Gi,{owner}\n' for name, cpu, owner in (('api-0', 4, 'api'), ('x1', 4, 'api'), ('one', 2, 'other'), ('two', 1, '')))


def file(name, text):
    path = folder / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def workload(kind='Deployment', name='api', cpu='4', **spec):
    return thing('apps/v1', kind, name, {'namespace': 'shop'}, spec={'selector': {'matchLabels': {'app': name}}, **spec, 'template': {
        'metadata': {'labels': {'app': name}}, 'spec': {'containers': [{'name': 'main', 'resources': {'requests': {'cpu': cpu, 'memory': '1Gi'}}}]}}})


def vertical(cpu, kind='Deployment', name='api'):
    return thing('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', name, {'namespace': 'shop'},
                 spec={'targetRef': {'apiVersion': 'apps/v1', 'kind': kind, 'name': name}, 'updatePolicy': {'updateMode': 'Off'}},
                 status={'recommendation': {'containerRecommendations': [{'containerName': 'main', 'target': {'cpu': cpu}}]}})


def replay(trace, *objects, words=(), pool=POOL):
    more = ['--nodepools', manifest(*objects)] if objects else []
    return json.loads(run('replay', trace, '--nodepools', pool, *more, '-o', 'json', '--until', '1h', *words)[0])


def sizes(trace, *objects, words=()):
    """What pods request an hour later: by name."""
    dump = run('replay', trace, '--nodepools', POOL, *(['--nodepools', manifest(*objects)] if objects else []), '--dump-at', '30m', *RECOMMENDED, *words)[0] or '{"objects": []}'
    return {o['metadata']['name']: o['spec']['containers'][0]['resources']['requests']['cpu'] for o in json.loads(dump)['objects'] if o['kind'] == 'Pod'}


def rows(result):
    return {(r['kind'], r['name']): (r['cpu'].get('before'), r['cpu']['after'], r['pods']) for r in result['requests']}


def tables():
    trace = file('pods.csv', CSV)
    by_pod = file('top.csv', 'namespace,pod,container,cpu\nshop,api-0,main,0.5\nshop,x1,main,0.7\n')
    by_owner = file('owner.csv', 'namespace,owner,container,cpu\nshop,api,main,0.7\n')
    for usage in (by_pod, by_owner):
        words = ['--usage', usage, '--cpu', 'max']
        equal(sizes(trace, words=words), {'api-0': '700m', 'x1': '700m', 'one': '2', 'two': '1'}, usage.name)
        equal(rows(replay(trace, words=[*RECOMMENDED, *words])), {('Deployment', 'api'): ('4', '700m', 2)}, 'rows of ' + usage.name)
    before, after = replay(trace), replay(trace, words=[*RECOMMENDED, '--usage', by_owner])
    check(after['policies'][0]['dollars'] < before['policies'][0]['dollars'], 'smaller pods cost less')
    check('requests' not in before, 'nothing without the option')
    text = run('replay', trace, '--nodepools', POOL, *RECOMMENDED, '--usage', by_owner)[0]
    check('Deployment shop/api, container main: cpu 4 → 700m; 2 pods' in text, text)
    strangers = file('strangers.csv', 'namespace,pod,container,cpu\nshop,nobody-0,main,0.5\nshop,api-0,main,0.5\n')
    notes = replay(trace, words=[*RECOMMENDED, '--usage', strangers])['warnings']
    check(any('usage of 1 name (first shop/nobody-0) is of no workload' in n for n in notes), notes)


def objects():
    """Workloads, pods without a node and DaemonSets of the objects; what a VerticalPodAutoscaler recommends."""
    trace = file('none.csv', 'name,start,end,cpu\nlater,60,3600,100m\n')
    api = workload(replicas=2)
    pods = sizes(trace, api, vertical('500m'))
    equal(sorted(pods.values()), ['100m', '500m', '500m'], 'pods of a Deployment')
    agent = workload('DaemonSet', 'agent')
    launched = replay(trace, agent, vertical('1', 'DaemonSet', 'agent'), words=RECOMMENDED)
    check(launched['policies'][0]['dollars'] < replay(trace, agent)['policies'][0]['dollars'], 'a smaller DaemonSet leaves smaller nodes')
    pod = thing('v1', 'Pod', 'web', {'namespace': 'shop', 'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'StatefulSet', 'name': 'web', 'uid': 'w', 'controller': True}]},
                spec={'containers': [{'name': 'main', 'resources': {'requests': {'cpu': '4'}}}]})
    equal(sizes(trace, pod, vertical('250m', 'StatefulSet', 'web'))['web'], '250m', 'a pod of the objects')


def stories():
    story = {'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': [workload(replicas=1), vertical('500m')],
             'steps': [{'wait': '10m'}, {'scale': {'namespace': 'shop', 'deployment': 'api', 'replicas': 3}}, {'wait': '1h'}]}
    equal(sorted(sizes(file('story.yaml', story)).values()), ['500m'] * 3, 'pods of a story')


def dumps():
    def dump(now, *names):
        owner = [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'api-6d4f8b9c7', 'uid': 'x', 'controller': True}]
        pods = [thing('v1', 'Pod', n, {'namespace': 'shop', 'ownerReferences': owner},
                      spec={'containers': [{'name': 'main', 'resources': {'requests': {'cpu': '4'}}}]}) for n in names]
        return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': now, 'objects': [vertical('500m'), *pods]}
    first = file('first.json', dump('2026-03-02T00:00:00Z', 'api-6d4f8b9c7-aaaaa'))
    second = file('second.json', dump('2026-03-02T00:20:00Z', 'api-6d4f8b9c7-aaaaa', 'api-6d4f8b9c7-bbbbb'))
    result = json.loads(run('replay', first, second, '--nodepools', POOL, '-o', 'json', *RECOMMENDED)[0])
    equal(rows(result), {('Deployment', 'api'): ('4', '500m', 2)}, 'pods of dumps')


def errors():
    trace = file('pods.csv', CSV)
    check('nothing recommends requests' in run('replay', trace, '--nodepools', POOL, *RECOMMENDED, status=1)[1], 'nothing is recommended')
    check('is for --requests recommended' in run('replay', trace, '--nodepools', POOL, '--cpu', 'p95', status=1)[1], 'a rule alone')
    run('replay', trace, '--nodepools', POOL, *RECOMMENDED, '--cpu', 'p9x5', status=1)
    run('replay', trace, '--nodepools', POOL, *RECOMMENDED, '--usage', folder / 'missing.csv', status=1)


def resumed():
    """A replay that is cut and goes on has the result of one that is not."""
    trace, usage = file('pods.csv', CSV), file('owner.csv', 'namespace,owner,container,cpu\nshop,api,main,0.7\n')
    words = [*RECOMMENDED, '--usage', usage]
    whole = json.loads(run('replay', trace, '--nodepools', POOL, '-o', 'json', *words)[0])
    cut = file('cut.json', run('replay', trace, '--nodepools', POOL, '--dump-at', '30m', *words)[0])
    rest = json.loads(run('replay', trace, '--nodepools', cut, '-o', 'json', *words)[0])
    equal(rest['policies'][0], whole['policies'][0], 'figures')


for case in (tables, objects, stories, dumps, errors, resumed):
    case()
finish()
