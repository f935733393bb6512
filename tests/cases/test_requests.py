# SPDX-License-Identifier: Apache-2.0
"""--requests recommended: what VerticalPodAutoscalers, tables of usage, KRR and Goldilocks recommend, and what becomes of pods that run."""
import json
import pathlib
import tempfile

from manifests import ASKS, ONE_TYPE, POOL, manifest, thing
from stories import check, document, equal, finish, run

RECOMMENDED = ('--requests', 'recommended')
folder = pathlib.Path(tempfile.mkdtemp())


def table(name, text):
    path = folder / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def container(name='c', requests=None, limits=None, **more):
    return {'name': name, 'image': 'x', 'resources': {'requests': requests or {}, 'limits': limits or {}}, **more}


def workload(*containers, kind='Deployment', name='api', **spec):
    labels = {'app': name}
    return thing('apps/v1', kind, name, {'namespace': 'shop'}, spec={
        'replicas': 2, 'podManagementPolicy': 'Parallel', 'selector': {'matchLabels': labels},
        'template': {'metadata': {'labels': labels}, 'spec': {'containers': list(containers), **spec}}})


def vertical(*recommendations, name='api', kind='Deployment', policies=None, metadata=None):
    spec = {'targetRef': {'apiVersion': 'apps/v1', 'kind': kind, 'name': name}, 'updatePolicy': {'updateMode': 'Off'}}
    if policies:
        spec['resourcePolicy'] = {'containerPolicies': policies}
    return thing('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', name, {'namespace': 'shop', **(metadata or {})}, spec=spec,
                 status={'recommendation': {'containerRecommendations': list(recommendations)}})


def recommended(target, name='c', **bounds):
    return {'containerName': name, 'target': target, **bounds}


def resources(*objects, words=(), pod='api-0', container_=0):
    """What a container of the pod requests and may use, of the cluster that karp makes of the input."""
    made = json.loads(run('dump', POOL, manifest(*objects), *RECOMMENDED, *ONE_TYPE, *words)[0])['objects']
    found = [o for o in made if o['kind'] == 'Pod' and o['metadata']['name'] == pod]
    return found[0]['spec']['containers'][container_]['resources'] if found else None


def requests(*objects, **how):
    return resources(*objects, **how)['requests']


def difference(*objects, words=()):
    return json.loads(run('diff', '-o', 'json', POOL, manifest(*objects), '--', *RECOMMENDED, *words)[0])['differences'][0]


API = workload(container(requests={'cpu': '1', 'memory': '2Gi'}, limits={'cpu': '2', 'memory': '2Gi'}))


def verticals():
    equal(requests(API, vertical(recommended({'cpu': '250m', 'memory': '262144k'}))), {'cpu': '250m', 'memory': '250Mi'}, 'plain bytes')
    for text, wanted in (('262144000', '250Mi'), ('250.00Mi', '250Mi'), ('1.23Gi', '1320702444'), ('536870912500m', '536870913'), ('128974848000m', '123Mi')):
        equal(requests(API, vertical(recommended({'memory': text}))), {'cpu': '1', 'memory': wanted}, text)
    equal(resources(API, vertical(recommended({'cpu': '250m', 'memory': '1Gi'})))['limits'], {'cpu': '500m', 'memory': '1Gi'}, 'limits keep the ratio')
    equal(resources(API, vertical(recommended({'cpu': '250m'})), words=['--limits', 'keep'])['limits'], {'cpu': '2', 'memory': '2Gi'}, '--limits keep')
    equal(resources(API, vertical(recommended({'cpu': '3'})), words=['--limits', 'keep'])['limits']['cpu'], '3', 'not below the request')
    only = [{'containerName': '*', 'controlledValues': 'RequestsOnly'}]
    equal(resources(API, vertical(recommended({'cpu': '250m'}), policies=only))['limits']['cpu'], '2', 'RequestsOnly')
    odd = workload(container(requests={'cpu': '300m'}, limits={'cpu': '1'}))
    equal(resources(odd, vertical(recommended({'cpu': '100m'})))['limits']['cpu'], '333m', 'rounded down, as the autoscaler does')
    bare = workload(container(limits={'cpu': '2'}))
    equal(resources(bare, vertical(recommended({'cpu': '100m'}))), {'requests': {'cpu': '100m'}, 'limits': {'cpu': '100m'}}, 'a limit is the request')
    policies = [{'containerName': 'c', 'minAllowed': {'cpu': '400m'}, 'maxAllowed': {'memory': '100Mi'}}]
    equal(requests(API, vertical(recommended({'cpu': '250m', 'memory': '1Gi'}), policies=policies)), {'cpu': '400m', 'memory': '100Mi'}, 'what is allowed')
    policies = [{'containerName': '*', 'controlledResources': ['memory']}]
    equal(requests(API, vertical(recommended({'cpu': '250m', 'memory': '1Gi'}), policies=policies)), {'cpu': '1', 'memory': '1Gi'}, 'controlled resources')
    both = vertical(recommended({'cpu': '5m'}), recommended({'cpu': '6m'}, name='d'), policies=[{'containerName': 'd', 'mode': 'Off'}])
    equal(requests(workload(container(), container('d', {'cpu': '7m'})), both, container_=1), {'cpu': '7m'}, 'mode Off')
    bounds = vertical(recommended({'cpu': '250m'}, lowerBound={'cpu': '100m'}, upperBound={'cpu': '900m'}))
    equal([requests(API, bounds, words=['--cpu', rule])['cpu'] for rule in ('lower', 'upper', 'target+10%', 'keep', 'target,min=300m', 'target,max=30m', 'p95')],
          ['100m', '900m', '275m', '1', '300m', '30m', '250m'], 'rules')
    old = vertical(recommended({'cpu': '20m'}), metadata={'creationTimestamp': '2025-01-01T00:00:00Z', 'name': 'old'})
    equal(requests(API, vertical(recommended({'cpu': '10m'})), old)['cpu'], '20m', 'the oldest of two')
    sidecar = workload(container(), initContainers=[container('s', {'cpu': '1'}, restartPolicy='Always'), container('i', {'cpu': '1'})])
    made = difference(sidecar, vertical(recommended({'cpu': '5m'}, name='s'), recommended({'cpu': '5m'}, name='i')))['requests']
    equal([c['container'] for c in made], ['s'], 'sidecars, not other init containers')


def usage():
    rows = ''.join(f'shop,api-{i % 2},c,{i},{i / 1000},{i}Mi\n' for i in range(1, 101))
    by = lambda *rules: requests(API, words=['--usage', table('u.csv', 'namespace,pod,container,time,cpu,memory\n' + rows), *rules])
    equal(by(), {'cpu': '95m', 'memory': '115Mi'}, 'p95 and max+15%')
    equal([by('--cpu', rule)['cpu'] for rule in ('p50', 'p99.9', 'max', 'p1', 'p0.5', 'mean', 'p95+12.5%')],
          ['50m', '100m', '100m', '1m', '1m', '51m', '107m'], 'statistics')
    equal(by('--memory', 'p50,min=1Gi')['memory'], '1Gi', 'a floor')
    equal(requests(API, vertical(recommended({'cpu': '1m', 'memory': '7Mi'})), words=['--usage', table('u.csv', 'namespace,pod,cpu\nshop,api-0,0.3\n')]),
          {'cpu': '300m', 'memory': '7Mi'}, 'what is used comes before a VerticalPodAutoscaler, and needs no container if there is one')
    for owner in ('api', 'Deployment/api', 'deployment/api'):
        equal(requests(API, words=['--usage', table('u.csv', f'namespace,owner,container,cpu\nshop,{owner},c,0.2\n')])['cpu'], '200m', owner)
    equal(requests(API, words=['--usage', table('u.csv', '# made by hand\npod,container,cpu\n"shop/api-6d4f8b9c7-x7k2p",c,"0.4"\n')])['cpu'], '400m', 'a pod that is gone')
    top = 'NAMESPACE   POD     NAME   CPU(cores)   MEMORY(bytes)\nshop        api-0   c      300m         <unknown>\nshop   api-1   c   100m   2Mi\n'
    equal(requests(API, words=['--usage', table('top.txt', top)]), {'cpu': '300m', 'memory': '3Mi'}, 'kubectl top --containers')
    equal(requests(API, words=['--usage', table('top.txt', 'NAMESPACE  NAME   CPU(cores)   MEMORY(bytes)\nshop  api-0  5m  1Mi\n           ___  ____\n  5m 1Mi\n')])['cpu'], '5m',
          'kubectl top, of pods')
    said = ' | '.join(document('plan', POOL, manifest(API), *RECOMMENDED, '--usage', table('top.txt', 'POD  NAME  CPU(cores)  MEMORY(bytes)\napi-0  c  5m  1Mi\n'))['warnings'])
    check('default/api-0' in said and 'kubectl top pod -A --containers' in said, f'without namespaces: {said}')
    series = [{'metric': {'namespace': 'shop', 'pod': 'api-0', 'container': 'c'}, 'values': [[1, '0.25'], [2, 'NaN'], [3, '1.5e-05']]},
              {'metric': {'namespace': 'shop', 'pod': 'api-0', 'container': 'POD'}, 'values': [[1, '9']]}]
    answer = {'status': 'success', 'data': {'resultType': 'matrix', 'result': series}}
    equal(requests(API, words=['--usage', f'cpu={table("p.json", answer)}'])['cpu'], '250m', 'Prometheus')
    named = {'status': 'success', 'data': {'result': [{'metric': {'__name__': 'container_memory_working_set_bytes', 'namespace': 'shop', 'pod': 'api-0', 'container': 'c'},
                                                       'value': [1, '104857600']}]}}
    equal(requests(API, words=['--usage', table('p.json', named), '--memory', 'max'])['memory'], '100Mi', 'by the name of the metric')
    krr = {'scans': [{'object': {'name': 'api', 'container': 'c', 'namespace': 'shop', 'kind': 'Deployment'},
                      'recommended': {'requests': {'cpu': {'value': 0.0101}, 'memory': {'value': '?'}}}}]}
    equal(requests(API, words=['--usage', table('k.json', krr)]), {'cpu': '11m', 'memory': '2Gi'}, 'KRR')
    goldilocks = {'Namespaces': {'shop': {'namespace': 'shop', 'workloads': {'api': {'controllerType': 'Deployment', 'controllerName': 'api', 'containers': {
        'c': {'containerName': 'c', 'target': {'cpu': '25m'}, 'upperBound': {'cpu': '1'}}}}}}}}
    equal([requests(API, words=['--usage', table('g.json', goldilocks), '--cpu', rule])['cpu'] for rule in ('target', 'upper')], ['25m', '1'], 'Goldilocks')


def refused():
    wrong = {'': 'is empty', 'a,b\n1,2\n': 'has no column pod or owner', 'pod,time\na,1\n': 'no column cpu or memory', 'pod,cpu\n': 'has no rows',
             'pod,cpu,cpu\na,1,1\n': 'names a column twice', 'pod,cpu\napi-0,-1\n': 'u.csv:2:1', 'pod,cpu\napi-0,much\n': 'cpu: is no amount of 0 or more',
             'pod,cpu\n"a,1\n': 'a quote without its end', 'pod,cpu\n,1\n': 'pod: is empty', '{"a": 1}': 'neither Prometheus', '{"a"': 'not JSON',
             '{"status":"error"}': 'Prometheus refused the query',
             json.dumps([{'metric': {'__name__': 'container_cpu_usage_seconds_total', 'pod': 'api-0'}, 'value': [1, '7']}]): 'is a counter of seconds',
             json.dumps([{'metric': {'pod': 'api-0'}, 'value': [1, '7']}]): 'does not say whether',
             json.dumps([{'metric': {'node': 'n', '__name__': 'cpu'}, 'value': [1, '7']}]): 'no label pod or workload'}
    for text, why in wrong.items():
        _, said = run('plan', POOL, manifest(API), *RECOMMENDED, *ONE_TYPE, '--usage', table('u.csv', text), status=1)
        check(why in said, (text, said))
    for rule in ('p0', 'p101', 'p', 'median', 'max+', 'max+15', 'max+x%', 'p95,min', 'p95,least=1', 'p95,min=5,max=4', 'p1.2345', 'p95,min=x'):
        _, said = run('plan', POOL, manifest(API), *RECOMMENDED, '--cpu', rule, status=1)
        check('is no rule for cpu' in said, (rule, said))
    for words in (('--usage', 'x'), ('--cpu', 'p95'), ('--memory', 'max')):
        check('is for --requests recommended' in run('plan', POOL, manifest(API), *words, status=1)[1], words)
        check('is for --requests recommended' in run('diff', POOL, manifest(API), '--', *words, status=1)[1], words)
    check('nothing recommends requests' in run('plan', POOL, manifest(API), *RECOMMENDED, status=1)[1], 'nothing')
    check('exactly one of the sides' in run('diff', '-o', 'patch', POOL, manifest(API), '--', '--scale', 'api=3', status=1)[1], '-o patch')
    bad = vertical(recommended({'cpu': 'much'}))
    check('VerticalPodAutoscaler shop/api' in run('plan', POOL, manifest(API, bad), *RECOMMENDED, status=1)[1], 'a quantity')
    wrong = workload(container(requests={'cpu': 'much'}))
    check('requests.cpu' in run('plan', POOL, manifest(wrong, vertical(recommended({'cpu': '1'}))), *RECOMMENDED, status=1)[1], 'a mistake that would be replaced')
    said = ' | '.join(document('plan', POOL, manifest(API, vertical(recommended({'cpu': '1m'}, name='other')), vertical(name='none')), *RECOMMENDED)['warnings'])
    check('recommendations for 1 container (first other of Deployment shop/api) have no effect' in said, said)
    check('VerticalPodAutoscaler none: has no recommendation yet' in said, said)


def in_place():
    """A node with 4 cores: pods that shrink make room for those that grow, in the order of priority and age."""
    owner = lambda kind, name: [{'apiVersion': 'apps/v1', 'kind': kind, 'name': name, 'uid': 'u', 'controller': True}]
    node = thing('v1', 'Node', 'n', {'labels': {'kubernetes.io/hostname': 'n'}}, spec={'providerID': 'aws:///us-west-2a/i-1'},
                 status={'allocatable': {'cpu': '4', 'memory': '8Gi', 'pods': '20'}, 'capacity': {'cpu': '4', 'memory': '8Gi', 'pods': '20'},
                         'conditions': [{'type': 'Ready', 'status': 'True'}]})

    def pod(name, workload_, cpu, hour, priority=0, **status):
        return thing('v1', 'Pod', name, {'namespace': 'shop', 'uid': name, 'creationTimestamp': f'2026-01-01T{hour:02}:00:00Z', 'ownerReferences': owner('StatefulSet', workload_)},
                     spec={'nodeName': 'n', 'priority': priority, 'containers': [container(requests={'cpu': cpu})]},
                     status={'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'True'}], **status})

    def after(*pods, **amounts):
        rows = ''.join(f'shop,StatefulSet/{name},c,{cpu}\n' for name, cpu in amounts.items())
        words = ['--usage', table('u.csv', 'namespace,owner,container,cpu\n' + rows), '--cpu', 'max']
        made = json.loads(run('dump', POOL, manifest(node, *pods), *RECOMMENDED, *ONE_TYPE, *words)[0])['objects']
        return {o['metadata']['name']: (o['spec'].get('nodeName', ''), o['spec']['containers'][0]['resources']['requests']['cpu']) for o in made if o['kind'] == 'Pod'}

    three = [pod('a-0', 'a', '1', 1), pod('b-0', 'b', '1', 2), pod('c-0', 'c', '2', 3)]
    equal(after(*three, a='1500m', b='1500m'), {'a-0': ('', '1500m'), 'b-0': ('', '1500m'), 'c-0': ('n', '2')}, 'no room')
    equal(after(*three, a='1500m', b='1500m', c='1500m'), {'a-0': ('n', '1500m'), 'b-0': ('', '1500m'), 'c-0': ('n', '1500m')}, 'the older one')
    first = [three[0], pod('b-0', 'b', '1', 2, priority=5), three[2]]
    equal(after(*first, a='1500m', b='1500m', c='1500m')['b-0'], ('n', '1500m'), 'the one of higher priority')
    alone = pod('a-0', 'a', '1', 1)
    alone['metadata'].pop('ownerReferences')
    rows = table('u.csv', 'namespace,pod,cpu\nshop,a-0,9\n')
    made = json.loads(run('dump', POOL, manifest(node, alone), *RECOMMENDED, *ONE_TYPE, '--usage', rows)[0])['objects']
    equal([o['spec'].get('nodeName') for o in made if o['kind'] == 'Pod'], ['n'], 'nobody would create it again')
    resizing = pod('a-0', 'a', '2', 1, containerStatuses=[{'name': 'c', 'resources': {'requests': {'cpu': '3'}}, 'allocatedResources': {'cpu': '3'}}])
    made = json.loads(run('dump', POOL, manifest(node, resizing), *RECOMMENDED, *ONE_TYPE, '--usage', table('u.csv', 'namespace,owner,cpu\nshop,a,0.5\n'))[0])['objects']
    equal([o['status']['containerStatuses'] for o in made if o['kind'] == 'Pod'], [[{'name': 'c'}]], 'the resize is done')
    equal(after(pod('a-0', 'a', '1', 1), a='5'), {'a-0': ('', '5')}, 'larger than its node')
    words = ['--usage', table('u.csv', 'namespace,owner,container,cpu\nshop,a,c,1.5\nshop,b,c,1.5\nshop,c,c,9\n')]
    found = difference(node, *three, words=words)['requests']
    equal({c['name']: (c['resized'], c['deferred'], c['infeasible'], c['notResizable']) for c in found}, {'a': (0, 1, 0, 0), 'b': (0, 1, 0, 0), 'c': (0, 0, 1, 0)}, 'in place')
    best = pod('a-0', 'a', '1', 1)
    best['spec']['containers'][0]['resources'] = {}
    equal(difference(node, best, words=words)['requests'][0]['notResizable'], 1, 'BestEffort stays BestEffort')


def patches():
    db = workload(container(requests={'cpu': '1'}), container('d', {'cpu': '100m'}), kind='StatefulSet', name='db')
    rows = 'namespace,owner,kind,container,cpu\nshop,api,Deployment,c,0.1\nshop,db,StatefulSet,c,0.2\nshop,db,StatefulSet,d,0.3\n'
    out, _ = run('diff', '-o', 'patch', POOL, manifest(API, db), '--', *RECOMMENDED, *ONE_TYPE, '--usage', table('u.csv', rows))
    first, second = out.split('---\n')[1:]
    check(first.startswith('# StatefulSet shop/db: requests worth $') or first.startswith('# Deployment shop/api: requests worth $'), first)
    saved = [float(text.split('worth ')[1].split('/month')[0].replace('$', '').replace(',', '')) for text in (first, second)]
    equal(saved, sorted(saved, reverse=True), 'those that are worth most first')
    found = difference(API, db, words=['--usage', folder / 'u.csv'])['requests']
    equal([c['savedPerHour'] for c in found], sorted((c['savedPerHour'] for c in found), reverse=True), 'the same order')
    check(all(line in out for line in ('apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: "db"\n  namespace: "shop"\n',
                                       '      - name: "d"\n        resources:\n          requests:\n            cpu: "300m"\n')), out)
    applied = run('plan', POOL, manifest(API, db), '-o', 'json')[0], run('plan', POOL, manifest(API, db), *RECOMMENDED, *ONE_TYPE, '--usage', folder / 'u.csv', '-o', 'json')[0]
    check(applied[0] != applied[1], 'the plan follows')
    job = thing('batch/v1', 'Job', 'once', {'namespace': 'shop'}, spec={'template': {'spec': {'restartPolicy': 'Never', 'containers': [container()]}}})
    out, _ = run('diff', '-o', 'patch', POOL, manifest(job), '--', *RECOMMENDED, *ONE_TYPE, '--usage', table('u.csv', 'namespace,owner,cpu\nshop,once,0.1\n'))
    check('The template of a Job cannot be changed' in out, out)


def dumps():
    """A cluster that runs: requests of pods follow their workloads, and the tables name the pods."""
    found = json.loads(run('diff', '--settle', '-o', 'json', ASKS / 'dump.json', '--', *RECOMMENDED, *ONE_TYPE, '--usage', ASKS / 'top.txt')[0])
    requests_ = {(c['kind'], c['name']): c for c in found['differences'][0]['requests']}
    equal(sorted(requests_), [('DaemonSet', 'datadog-agent'), ('Deployment', 'api'), ('Deployment', 'frontend'), ('Deployment', 'worker'), ('StatefulSet', 'postgres')], 'workloads')
    equal([requests_['Deployment', 'worker'][key] for key in ('pods', 'resized', 'deferred')], [2, 1, 1], 'one of two fits where it is')
    check(found['designs'][1]['cost']['perHour'] < found['designs'][0]['cost']['perHour'], 'it saves')
    for verb in (['plan'], ['disrupt'], ['repack'], ['nodes', '--no-losses'], ['dump']):
        run(*verb, ASKS / 'dump.json', *RECOMMENDED, *ONE_TYPE, '--usage', ASKS / 'top.txt')


for part in (verticals, usage, refused, in_place, patches, dumps):
    part()
finish()
