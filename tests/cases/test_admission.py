# SPDX-License-Identifier: Apache-2.0
"""What the API server would add to pods that are created, what it would refuse, and amounts that look like mistakes."""
import json

from manifests import POOL, manifest, notes, problems, read as objects, read_pods as pods, thing
from stories import check, document, equal, finish, run


def container(**resources):
    return {'name': 'c', 'image': 'x', **({'resources': resources} if resources else {})}


def deployment(name, spec, replicas=1, labels=None, **more):
    return thing('apps/v1', 'Deployment', name, {'namespace': 'shop'}, spec={
        'replicas': replicas, 'selector': {'matchLabels': {'app': name}},
        'template': {'metadata': {'labels': labels or {'app': name}}, 'spec': spec}, **more})


def without(made, member):
    del made['spec'][member]
    return made


def limits(name='defaults', **item):
    return thing('v1', 'LimitRange', name, {'namespace': 'shop'}, spec={'limits': [{'type': 'Container', **item}]})


def limit_ranges():
    bare = deployment('bare', {'containers': [container()]})
    asked = lambda *given: pods(*given)[0]['spec']['containers'][0].get('resources', {})
    equal(asked(bare, limits(defaultRequest={'cpu': '500m'}, default={'cpu': '1', 'memory': '1Gi'})),
          {'limits': {'cpu': '1', 'memory': '1Gi'}, 'requests': {'cpu': '500m', 'memory': '1Gi'}}, 'defaults')
    equal(asked(bare, limits(max={'cpu': '2'})), {'limits': {'cpu': '2'}, 'requests': {'cpu': '2'}}, 'the maximum is the default')
    equal(asked(bare, limits(min={'cpu': '200m'}))['requests'], {'cpu': '200m'}, 'the minimum, if there is nothing else')
    limited = deployment('bare', {'containers': [container(limits={'cpu': '4'})]})
    equal(asked(limited, limits(defaultRequest={'cpu': '1'}))['requests'], {'cpu': '4'}, 'a limit is the request before')
    two = limits('b', defaultRequest={'cpu': '3'}), limits('a', defaultRequest={'cpu': '1', 'memory': '1Gi'})
    equal(asked(bare, *two)['requests'], {'cpu': '1', 'memory': '1Gi'}, 'the first by name')
    other = limits(defaultRequest={'cpu': '1'})
    other['metadata']['namespace'] = 'bank'
    equal(asked(bare, other), {}, 'another namespace')
    alone = thing('v1', 'Pod', 'alone', {'namespace': 'shop'}, spec={'containers': [container()]})
    equal(asked(alone, limits(defaultRequest={'cpu': '1'}))['requests'], {'cpu': '1'}, 'a pod that is created')
    alone['metadata']['uid'] = 'u'
    equal(asked(alone, limits(defaultRequest={'cpu': '1'})), {}, 'a pod that exists')
    daemons = thing('apps/v1', 'DaemonSet', 'agent', {'namespace': 'shop'}, spec={
        'selector': {'matchLabels': {'app': 'a'}}, 'template': {'metadata': {'labels': {'app': 'a'}}, 'spec': {'containers': [container()]}}})
    check('DaemonSet agent: Karpenter counts its template' in notes(bare, daemons, limits(defaultRequest={'cpu': '1'})), 'DaemonSet')


def pod_level():
    spec = {'resources': {'limits': {'cpu': '4'}}, 'containers': [container()]}
    node = thing('v1', 'Node', 'n', status={'nodeInfo': {'kubeletVersion': 'v1.37.1-eks-0123456'}})
    of = lambda *given: document('plan', POOL, manifest(deployment('p', spec), limits(defaultRequest={'cpu': '1'}), *given))
    equal([launch['requests']['cpu'] for launch in of()['launches']], ['4'], '1.36: the pod-level limit')
    equal([launch['requests']['cpu'] for launch in of(node)['launches']], ['1'], '1.37: what the LimitRange gave')


def runtime_classes():
    kata = thing('node.k8s.io/v1', 'RuntimeClass', 'kata', handler='kata', overhead={'podFixed': {'cpu': '250m'}}, scheduling={
        'nodeSelector': {'kata': 'true'}, 'tolerations': [{'key': 'kata', 'operator': 'Exists'}]})
    boxed = deployment('boxed', {'runtimeClassName': 'kata', 'containers': [container(requests={'cpu': '1'})]}, 2)
    spec = pods(boxed, kata)[1]['spec']
    equal((spec['overhead'], spec['nodeSelector'], spec['tolerations']),
          ({'cpu': '250m'}, {'kata': 'true'}, [{'key': 'kata', 'operator': 'Exists'}]), 'RuntimeClass')
    check('RuntimeClass kata is not in the input' in notes(boxed), notes(boxed))
    urgent = thing('scheduling.k8s.io/v1', 'PriorityClass', 'urgent', value=7)
    for name, said, ending in (('urgent', [], ''), ('system-node-critical', [], ''), ('urgnt', ['PriorityClass urgnt is not in the input, so the pods that name it have the priority 0; '], 'does not have it'),
                               ('system-node-critcal', ['PriorityClass system-node-critcal is not in the input'], '; did you mean system-node-critical?')):
        pod = thing('v1', 'Pod', 'ranked', spec={'priorityClassName': name, 'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '1'}}}]})
        told = notes(urgent, pod)
        check(told.count('PriorityClass') == len(said) and all(text in told for text in said) and ending in told, f'{name}: {told}')
    boxed['spec']['template']['spec']['nodeSelector'] = {'kata': 'false'}
    check('needs the node label kata=true' in problems(boxed, kata)[0], problems(boxed, kata))


def quotas():
    quota = thing('v1', 'ResourceQuota', 'q', {'namespace': 'shop'}, spec={'hard': {'pods': '3', 'requests.cpu': '2'}})
    web = deployment('web', {'containers': [container(requests={'cpu': '500m'})]}, 8)
    check('ResourceQuota shop/q refuses 5 of the 8 pods' in notes(web, quota), notes(web, quota))
    big = deployment('web', {'containers': [container(requests={'cpu': '1'})]}, 8)
    check('refuses 6 of the 8 pods' in notes(big, quota), notes(big, quota))
    there = thing('v1', 'Pod', 'there', {'namespace': 'shop', 'uid': 'u'}, spec={'nodeName': 'n', 'containers': [container()]})
    check('refuses 6 of the 8 pods' in notes(web, quota, there), notes(web, quota, there))
    check('ResourceQuota' not in notes(deployment('web', {'containers': [container(requests={'cpu': '500m'})]}, 3), quota), 'room for all')
    # A quota counts limits, too, and refuses pods that do not state what it counts.
    capped = thing('v1', 'ResourceQuota', 'q', {'namespace': 'shop'}, spec={'hard': {'limits.cpu': '4', 'limits.memory': '3Gi'}})
    of_limits = lambda **limits: deployment('web', {'containers': [container(limits=limits)]}, 8)
    found = notes(of_limits(cpu='1', memory='512Mi'), capped)
    check('refuses 4 of the 8 pods that are created in its namespace (limits.cpu 4, limits.memory 3Gi)' in found, found)
    check('refuses 5 of the 8 pods' in notes(of_limits(cpu='1m', memory='1Gi'), capped), 'memory')
    check('refuses 8 of the 8 pods' in notes(of_limits(cpu='1m'), capped), 'no limit of memory')
    check('refuses 8 of the 8 pods' in notes(deployment('web', {'containers': [container(requests={'cpu': '1m', 'memory': '1Mi'})]}, 8), capped), 'requests alone')
    check('refuses 3 of the 3 pods' in notes(deployment('web', {'containers': [container()]}, 3), quota), 'no request')
    default = limits(default={'cpu': '1', 'memory': '512Mi'})
    check('refuses 4 of the 8 pods' in notes(of_limits(), capped, default), 'what a LimitRange fills in')


def namespaces():
    shop = thing('v1', 'Namespace', 'shop', {'annotations': {'scheduler.alpha.kubernetes.io/node-selector': 'team=a'}})
    check('PodNodeSelector' in notes(shop, deployment('web', {'containers': [container()]})), notes(shop))


def storage_classes():
    classes = [thing('storage.k8s.io/v1', 'StorageClass', name, {'creationTimestamp': f'2025-01-0{day}T00:00:00Z', 'annotations': {f'storageclass{beta}.kubernetes.io/is-default-class': 'true'}},
                     provisioner='ebs.csi.aws.com', volumeBindingMode='WaitForFirstConsumer')
               for name, day, beta in (('a', 1, ''), ('c', 2, ''), ('b', 2, '.beta'))]
    claim = thing('v1', 'PersistentVolumeClaim', 'data', {'namespace': 'shop'}, spec={'accessModes': ['ReadWriteOnce']})
    made = [o for o in objects(*classes, claim) if o['kind'] == 'PersistentVolumeClaim'][0]
    equal(made['spec']['storageClassName'], 'b', 'the newest default, then the first by name')


def budgets():
    bare = [thing('v1', 'Pod', f'p{i}', {'namespace': 'shop', 'labels': {'app': 'p'}}, spec={'nodeName': 'n', 'containers': [container()]}) for i in range(3)]
    allowed = lambda **spec: [o for o in objects(*bare, thing('policy/v1', 'PodDisruptionBudget', 'b', {'namespace': 'shop'}, spec={
        'selector': {'matchLabels': {'app': 'p'}}, **spec})) if o['kind'] == 'PodDisruptionBudget'][0]['status']['disruptionsAllowed']
    equal((allowed(minAvailable='0%'), allowed(maxUnavailable='50%'), allowed(minAvailable=1)), (0, 0, 2), 'pods without a controller')


def pod_limits():
    two = lambda *shapes: deployment('web', {'containers': [{**container(**shape), 'name': f'c{i}'} for i, shape in enumerate(shapes)]})
    whole = {**limits(), 'spec': {'limits': [{'type': 'Pod', 'max': {'cpu': '3'}, 'min': {'cpu': '1'}}]}}
    cores = lambda limit, request=None: {'limits': {'cpu': limit}, 'requests': {'cpu': request or limit}}
    ratio = limits(maxLimitRequestRatio={'cpu': '2'})
    for given, by, wanted in (
            (two(cores('2'), cores('2')), whole, 'the maximum cpu of a pod is 3, not 4'), (two(cores('500m')), whole, 'the minimum cpu of a pod is 1, not 500m'),
            (two({'requests': {'cpu': '2'}}), whole, 'the maximum cpu of a pod is 3, and it states none'), (two(cores('1'), cores('2')), whole, None),
            (two(cores('2', '100m')), ratio, 'the limit of cpu of a container is at most 2 times its request, not 20 times'), (two(cores('2', '1')), ratio, None),
            (two({'requests': {'cpu': '1'}}), ratio, 'at most 2 times its request, and it states no limit')):
        found = problems(given, by)
        check(len(found) == (wanted is not None) and (not wanted or wanted in found[0]), (wanted, found))
        equal(len(pods(given, by)), 0 if wanted else 1, str(wanted))
    # A LimitRange also completes the pods of a DaemonSet, before it bounds them.
    agents = thing('apps/v1', 'DaemonSet', 'agent', {'namespace': 'shop'}, spec={
        'selector': {'matchLabels': {'app': 'a'}}, 'template': {'metadata': {'labels': {'app': 'a'}}, 'spec': {'containers': [container()]}}})
    equal(problems(agents, limits(max={'cpu': '2'}), {**whole, 'metadata': {'name': 'pods', 'namespace': 'shop'}}), [], 'DaemonSet')


def bounds():
    """Objects that bound pods, with values that the API server refuses: the error is about them, wherever they are in the input."""
    web = deployment('web', {'containers': [container()]})
    ranges = lambda **item: {**limits(), 'spec': {'limits': [{'type': 'Container', **item}]}}
    for given, wanted in (
            (ranges(defaultRequest={'cpu': 'lots'}), 'LimitRange shop/defaults: its spec.limits[0].defaultRequest has "lots" of cpu, which is no quantity'),
            (ranges(type='Containers'), 'its spec.limits[0] has the type "Containers", which is not Container, Pod or PersistentVolumeClaim'),
            (ranges(type='Pod', default={'cpu': '1'}), 'its spec.limits[0] has a default, although its type is Pod'),
            (ranges(min={'cpu': '3'}, max={'cpu': '1'}), 'its spec.limits[0] has min cpu 3, more than max cpu 1'),
            (ranges(default={'cpu': '1'}, defaultRequest={'cpu': '2'}), 'has defaultRequest cpu 2, more than default cpu 1'),
            (ranges(maxLimitRequestRatio={'cpu': '0.5'}), 'has the maxLimitRequestRatio 0.5, less than 1'),
            (thing('node.k8s.io/v1', 'RuntimeClass', 'k', handler='k', overhead={'podFixed': {'cpu': '250q'}}), 'RuntimeClass k: its overhead.podFixed has "250q" of cpu'),
            (thing('v1', 'ResourceQuota', 'q', spec={'hard': {'pods': 'ten'}}), 'ResourceQuota default/q: its spec.hard has "ten" of pods'),
            (thing('v1', 'PersistentVolumeClaim', 'c', spec={'resources': {'requests': {'storage': 'huge'}}}), 'its spec.resources.requests has "huge" of storage'),
            (thing('apps/v1', 'Deployment', 'p', {'namespace': 'My_NS'}, spec=web['spec']), 'Deployment My_NS/p: metadata.namespace: a namespace is a DNS label'),
            (thing('keda.sh/v1alpha1', 'ScaledObject', 'p', {'namespace': 'My_NS'}, spec={'scaleTargetRef': {'name': 'x'}}),
             'input.json:1:424: ScaledObject My_NS/p: metadata.namespace: a namespace is a DNS label')):
        error = run('plan', POOL, manifest(web, given), status=1)[1]
        check(wanted in error, (wanted, error))


def refused():
    fine = {'containers': [container(requests={'cpu': '1'})]}
    for what, given in (
            ('do not have app=web of its selector', deployment('web', fine, labels={'app': 'shop'})),
            ('requests cpu 2, more than its limit 1', deployment('web', {'containers': [container(requests={'cpu': '2'}, limits={'cpu': '1'})]})),
            ('they have to be equal', deployment('web', {'containers': [container(requests={'nvidia.com/gpu': '1'}, limits={'nvidia.com/gpu': '2'})]})),
            ('requests nvidia.com/gpu without a limit, which has to be equal', deployment('web', {'containers': [container(requests={'nvidia.com/gpu': '1'})]})),
            ('requests hugepages-2Mi without a limit', deployment('web', {'containers': [container(requests={'hugepages-2Mi': '4Mi'})]})),
            ('has two ports named http', deployment('web', {'containers': [{**container(), 'ports': [{'name': 'http', 'containerPort': 80}, {'name': 'http', 'containerPort': 81}]}]})),
            ('it has no selector', without(deployment('web', fine), 'selector')),
            ('restartPolicy of its pods is Always by default', thing('batch/v1', 'Job', 'web', {'namespace': 'shop'}, spec={'template': {'spec': dict(fine)}})),
            ('example.com/thing 0.5, which is no whole number', deployment('web', {'containers': [container(requests={'example.com/thing': '0.5'}, limits={'example.com/thing': '0.5'})]})),
            ('two containers are named c', deployment('web', {'containers': [container(), container()]})),
            ('mounts volume data', deployment('web', {'containers': [{**container(), 'volumeMounts': [{'name': 'data', 'mountPath': '/d'}]}]})),
            ('restartPolicy of its pods is Never', deployment('web', {**fine, 'restartPolicy': 'Never'})),
            ('although the operator is Exists', deployment('web', {**fine, 'tolerations': [{'key': 'a', 'operator': 'Exists', 'value': 'b'}]})),
    ):
        found = problems(given)
        check(len(found) == 1 and what in found[0] and 'the API server refuses it' in found[0], (what, found))
        equal(len(pods(given)), 0, 'not planned')
        equal(len(pods(given, words=['--lenient'])), 1, 'lenient')
        run('plan', POOL, manifest(given), '--fail-on', 'unschedulable', status=3)
        findings = json.loads(run('lint', POOL, manifest(given), '-o', 'json', status=None)[0])['findings']
        equal([f['severity'] for f in findings if what in f['text']], ['error'], f'lint: {what}')
        given['metadata']['uid'] = 'u'
        equal(len(pods(given)), 1, 'what a cluster has was not refused')
    old = {**without(deployment('web', fine), 'selector'), 'apiVersion': 'apps/v1beta1'}
    equal((problems(old), len(pods(old))), ([], 1), 'v1beta1 takes the labels of its pods as its selector')
    check('it has no selector' in problems({**old, 'apiVersion': 'apps/v1beta2'})[0], 'v1beta2 does not')
    check('it has no selector' in problems({**old, 'spec': {'template': {'spec': fine}}})[0], 'v1beta1 without labels')
    check('the maximum cpu of a container is 1, not 2' in problems(deployment('web', {'containers': [container(limits={'cpu': '2'})]}), limits(max={'cpu': '1'}))[0], 'LimitRange')
    claims = thing('apps/v1', 'StatefulSet', 'db', spec={
        'selector': {'matchLabels': {'a': 'b'}}, 'volumeClaimTemplates': [{'metadata': {'name': 'data'}, 'spec': {'accessModes': ['ReadWriteOnce']}}],
        'template': {'metadata': {'labels': {'a': 'b'}}, 'spec': {'containers': [{**container(), 'volumeMounts': [{'name': 'data', 'mountPath': '/d'}]}]}}})
    equal(problems(claims), [], 'a volume of a claim template')


def read_all_the_same():
    """What the API server refuses and decisions do not hang on: read, and no gate passes."""
    pool = lambda **ref: thing('karpenter.sh/v1', 'NodePool', 'other', spec={'template': {'spec': {'requirements': [], 'nodeClassRef': ref}}})
    budget = thing('policy/v1', 'PodDisruptionBudget', 'b', spec={'minAvailable': 1, 'maxUnavailable': 1, 'selector': {}})
    scaler = thing('autoscaling/v2', 'HorizontalPodAutoscaler', 'h', {'namespace': 'shop'}, spec={'minReplicas': 5, 'maxReplicas': 2, 'scaleTargetRef': {'kind': 'Deployment', 'name': 'web'}})
    negative = thing('policy/v1', 'PodDisruptionBudget', 'b', spec={'minAvailable': -1, 'selector': {}})
    for given, wanted in ((negative, 'its spec.minAvailable is -1, less than 0'), (scaler, 'its minReplicas is 5, more than its maxReplicas 2'), (pool(kind='EC2NodeClass', name='default'), 'NodePool other: the API server refuses it: its nodeClassRef has no group'),
                          (pool(group='karpenter.k8s.aws', name='default'), 'its nodeClassRef has no kind'), (budget, 'it has both minAvailable and maxUnavailable')):
        found = problems(given, deployment('web', {'containers': [container()]}))
        check(len(found) == 1 and wanted in found[0] and found[0].startswith('not understood: '), found)
    equal(problems({**pool(name='default'), 'apiVersion': 'karpenter.sh/v1beta1'}), [], 'v1beta1 needs the name alone')
    equal(problems(pool(group='karpenter.k8s.aws', kind='EC2NodeClass', name='default')), [], 'a whole reference')


def amounts():
    half = deployment('web', {'containers': [container(requests={'memory': '512m', 'cpu': '500Mi'})]})
    found = notes(half)
    check('memory 512m, which is 0.512 bytes; 512Mi may be meant' in found and 'cpu 500Mi, which is 524288000 cores; 500m may be meant' in found, found)


for test in (limit_ranges, pod_limits, pod_level, runtime_classes, quotas, namespaces, storage_classes, budgets, bounds, refused, read_all_the_same, amounts):
    test()
finish()
