# SPDX-License-Identifier: Apache-2.0
"""Whatever makes pods is planned for: for each kind, the pods that its operator would create, and what they request."""
import json
import pathlib
import re
import tempfile

from manifests import POOL, manifest, notes, problems, read_pods as dumped, thing
from stories import check, document, equal, finish, run


def spec(cpu='1', **more):
    return {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': cpu}}}], **more}


def template(cpu='1', **more):
    return {'metadata': {'labels': {'a': 'b'}}, 'spec': spec(cpu, **more)}


def once(cpu='1', **more):
    """The template of a Job."""
    return template(cpu, restartPolicy='Never', **more)


def requests(pod):
    """'c=1 autoscaler=500m/512Mi init=200m/256Mi'"""
    parts = []
    for where, mark in (('containers', ''), ('initContainers', 'init:')):
        for c in pod['spec'].get(where, []):
            asked = c.get('resources', {}).get('requests', {})
            parts.append(f'{mark}{c["name"]}=' + '/'.join(str(asked[r]) for r in ('cpu', 'memory') if r in asked))
    return ' '.join(parts)


def pods(*objects, words=()):
    return {p['metadata']['name']: requests(p) for p in dumped(*objects, words=words)}


def named(name, count, what='c=1', first=0):
    return {f'{name}-{i}': what for i in range(first, first + count)}


def labels(pod, *keys):
    return [pod['metadata']['labels'].get(k) for k in keys]


def simple():
    equal(pods(thing('v1', 'ReplicationController', 'rc', spec={'replicas': 3, 'selector': {'a': 'b'}, 'template': template()})), named('rc', 3), 'rc')
    equal(pods(thing('apps.kruise.io/v1alpha1', 'CloneSet', spec={'replicas': 2, 'template': template()})), named('train', 2), 'CloneSet')
    equal(pods(thing('apps.openshift.io/v1', 'DeploymentConfig', spec={'replicas': 2, 'template': template()})), named('train', 2), 'DeploymentConfig')
    equal(pods(thing('argoproj.io/v1alpha1', 'Experiment', spec={'templates': [{'name': 'base', 'template': template()}]})), named('train-base', 1), 'Experiment')


def rollout():
    checkout = thing('argoproj.io/v1alpha1', 'Rollout', 'checkout', spec={
        'replicas': 20, 'selector': {'matchLabels': {'a': 'b'}}, 'strategy': {'canary': {}}, 'template': template()})
    equal(pods(checkout), named('checkout', 20), 'Rollout')
    run('plan', POOL, manifest(checkout), '--fail-on', 'unschedulable,notes')
    equal(pods(checkout, words=['--scale', 'checkout=3']), named('checkout', 3), 'scaled')
    equal(len(pods(thing('argoproj.io/v1alpha1', 'Rollout', spec={'template': template()}))), 1, 'without replicas')
    pod = dumped(checkout)[0]
    owner = pod['metadata']['ownerReferences'][0]
    check(owner['kind'] == 'ReplicaSet' and pod['metadata']['labels']['rollouts-pod-template-hash'] == owner['name'][len('checkout-'):], pod)
    ref = thing('argoproj.io/v1alpha1', 'Rollout', 'web', spec={'replicas': 2, 'workloadRef': {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'web'}})
    web = thing('apps/v1', 'Deployment', 'web', spec={'replicas': 1, 'selector': {'matchLabels': {'a': 'b'}}, 'template': template('2')})
    equal(pods(ref, web), {**named('web', 2, 'c=2'), **named('web-deployment', 1, 'c=2')}, 'by reference')
    equal(pods(web, ref), {**named('web', 1, 'c=2'), **named('web-rollout', 2, 'c=2')}, 'the other way round')
    said, = problems(ref)
    check('its pod template is that of Deployment web, which is not in the input' in said, said)
    # What a cluster has is not added again.
    replica_set = thing('apps/v1', 'ReplicaSet', 'checkout-abc', {'ownerReferences': [
        {'apiVersion': 'argoproj.io/v1alpha1', 'kind': 'Rollout', 'name': 'checkout', 'uid': 'u', 'controller': True}]},
        spec={'replicas': 1, 'selector': {'matchLabels': {'a': 'b'}}, 'template': template()})
    equal(pods(checkout, replica_set), named('checkout-abc', 1), 'with its ReplicaSet')


def ray():
    cluster = {'headGroupSpec': {'template': template()}, 'workerGroupSpecs': [
        {'groupName': 'small', 'replicas': 1, 'minReplicas': 2, 'maxReplicas': 5, 'template': template('2')},
        {'groupName': 'big', 'replicas': 9, 'minReplicas': 0, 'maxReplicas': 3, 'numOfHosts': 2, 'template': template('8')},
        {'groupName': 'off', 'replicas': 4, 'suspend': True, 'template': template()}]}
    init = ' init:wait-gcs-ready=200m/256Mi'
    workers = {**named('train-small-worker', 2, 'c=2' + init), **named('train-big-worker', 6, 'c=8' + init)}
    alone = thing('ray.io/v1', 'RayCluster', spec=cluster)
    equal(pods(alone), {**named('train-head', 1), **workers}, 'RayCluster')
    equal(labels(dumped(alone)[0], 'ray.io/cluster', 'ray.io/node-type', 'ray.io/group'), ['train', 'worker', 'big'], 'labels')
    scaled = {**cluster, 'enableInTreeAutoscaling': True}
    equal(pods(thing('ray.io/v1', 'RayCluster', spec=scaled))['train-head-0'], 'c=1 autoscaler=500m/512Mi', 'autoscaler')
    scaled['autoscalerOptions'] = {'resources': {'requests': {'cpu': '1', 'memory': '1Gi'}}}
    equal(pods(thing('ray.io/v1', 'RayCluster', spec=scaled))['train-head-0'], 'c=1 autoscaler=1/1Gi', 'its resources')
    equal(pods(thing('ray.io/v1', 'RayCluster', spec={**cluster, 'suspend': True})), {}, 'suspended')
    submitter = named('train-submitter', 1, 'ray-job-submitter=500m/200Mi')
    equal(pods(thing('ray.io/v1', 'RayJob', spec={'rayClusterSpec': cluster})), {**named('train-head', 1), **workers, **submitter}, 'RayJob')
    equal(pods(thing('ray.io/v1', 'RayJob', spec={'rayClusterSpec': cluster, 'submissionMode': 'HTTPMode'})), {**named('train-head', 1), **workers}, 'HTTP')
    equal(pods(thing('ray.io/v1', 'RayJob', spec={'rayClusterSpec': cluster, 'submissionMode': 'SidecarMode'}))['train-head-0'],
          'c=1 ray-job-submitter=500m/200Mi', 'sidecar')
    equal(pods(thing('ray.io/v1', 'RayService', spec={'rayClusterConfig': cluster})), {**named('train-head', 1), **workers}, 'RayService')
    check('suspended (spec.suspend)' in notes(thing('ray.io/v1', 'RayJob', spec={'suspend': True, 'rayClusterSpec': cluster})), 'RayJob suspended')
    # A mistake in a group is found where it is.
    wrong = json.loads(json.dumps(alone))
    wrong['spec']['workerGroupSpecs'][1]['replicas'] = 'many'
    _, error = run('plan', POOL, manifest(wrong), status=1)
    check('RayCluster' in error and 'spec.workerGroupSpecs[1].replicas' in error, error)
    wrong['spec']['workerGroupSpecs'][1] = {'groupName': 'x', 'template': {'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': 'lots'}}}]}}}
    _, error = run('plan', POOL, manifest(wrong), status=1)
    check('spec.workerGroupSpecs[1].template.spec.containers[0].resources.requests' in error, error)


def spark():
    def app(driver=None, executor=None, **more):
        return thing('sparkoperator.k8s.io/v1beta2', 'SparkApplication', spec={'type': 'Scala', 'driver': driver or {}, 'executor': executor or {}, **more})

    def sizes(*arguments, **more):
        return [next(iter(p['spec']['containers']))['resources']['requests'] for p in dumped(app(*arguments, **more))]

    one = {'cpu': '1', 'memory': '1408Mi'}
    equal(sizes(), [one, one], 'defaults: 1 core, 1g and at least 384m')
    equal(sorted(pods(app())), ['train-driver-0', 'train-exec-1'], 'names')
    equal(sizes({'cores': 2, 'memory': '8g'}, {'instances': 3, 'cores': 4, 'coreRequest': '3500m', 'memory': '16g', 'memoryOverhead': '2g'}),
          [{'cpu': '2', 'memory': '9011Mi'}] + [{'cpu': '3500m', 'memory': '18432Mi'}] * 3, 'driver and executors')
    equal(sizes(type='Python', executor={'memory': '512m'})[1], {'cpu': '1', 'memory': '896Mi'}, 'outside the JVM, at least 384m')
    equal(sizes({'memory': '4g'}, type='Python')[0], {'cpu': '1', 'memory': '5734Mi'}, '0.4 of it')
    equal(sizes({'memory': '4g'}, memoryOverheadFactor='0.2')[0], {'cpu': '1', 'memory': '4915Mi'}, 'a factor')
    conf = {'spark.executor.instances': '2', 'spark.executor.memory': '2048', 'spark.memory.offHeap.enabled': 'true', 'spark.memory.offHeap.size': '1g',
            'spark.kubernetes.node.selector.pool': 'x'}
    equal(sizes(sparkConf=conf)[1:], [{'cpu': '1', 'memory': '3456Mi'}] * 2, 'sparkConf')
    equal([p['spec']['nodeSelector'] for p in dumped(app(sparkConf=conf))], [{'pool': 'x'}] * 3, 'node selectors')
    equal(len(sizes(dynamicAllocation={'enabled': True, 'initialExecutors': 2, 'minExecutors': 4, 'maxExecutors': 9})), 5, 'dynamic allocation')
    gpu = dumped(app(executor={'gpu': {'name': 'nvidia.com/gpu', 'quantity': 2}}))[1]
    equal(gpu['spec']['containers'][0]['resources']['limits']['nvidia.com/gpu'], 2, 'GPU')
    equal(labels(gpu, 'spark-role'), ['executor'], 'role')
    said, = problems(app({'memory': '8Gi'}))
    check('memory 8Gi is no size that Spark reads' in said, said)


def jobs():
    def job_set(**job):
        return thing('jobset.x-k8s.io/v1alpha2', 'JobSet', spec={'replicatedJobs': [
            {'name': 'w', 'replicas': 2, 'template': {'spec': {'template': template(), **job}}}]})

    equal(pods(job_set(parallelism=3, completions=3)), {**named('train-w-0', 3), **named('train-w-1', 3)}, 'JobSet')
    equal(len(pods(job_set(parallelism=5, completions=2))), 4, 'no more than completions')
    equal(len(pods(job_set())), 2, 'neither is stated')
    equal(pods(job_set(parallelism=3)), {}, 'parallelism alone')
    check('Indexed, which need completions' in notes(job_set(parallelism=3)), 'and it is said')
    equal(len(pods(job_set(parallelism=3, completionMode='NonIndexed'))), 6, 'not indexed')
    exclusive = job_set(parallelism=1, completions=1)
    exclusive['metadata']['annotations'] = {'alpha.jobset.sigs.k8s.io/exclusive-topology': 'kubernetes.io/hostname'}
    plan = document('plan', POOL, manifest(exclusive))
    equal([len(launch['pods']) for launch in plan['launches']], [1, 1], 'each Job on a node of its own')

    def workers(**more):
        return thing('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', spec={'leaderWorkerTemplate': {'workerTemplate': template('2'), **more}, 'replicas': 2})
    def kept_apart(*objects):
        plan = document('plan', POOL, manifest(*objects))
        return sorted(sorted(name.split('/')[1] for name in launch['pods']) for launch in plan['launches'])

    high = thing('scheduling.k8s.io/v1', 'PriorityClass', 'high', value=9)
    other = job_set(parallelism=1, completions=1)
    other['metadata'] = {'name': 'other', 'annotations': exclusive['metadata']['annotations']}
    other['spec']['replicatedJobs'][0]['replicas'] = 1
    equal(len(kept_apart(exclusive, other)), 3, 'Jobs of two JobSets')
    other['spec']['replicatedJobs'][0]['template']['spec']['template']['spec']['priorityClassName'] = 'high'
    equal(len(kept_apart(exclusive, other, high)), 2, 'Jobs of another priority may share the node')

    def apart(topology='kubernetes.io/hostname', kind='exclusive-topology', **more):
        made = workers(**more)
        made['metadata']['annotations'] = {f'leaderworkerset.sigs.k8s.io/{kind}': topology}
        return made
    equal(kept_apart(apart(size=2)), [['train-0', 'train-0-1'], ['train-1', 'train-1-1']], 'each group on a node of its own')
    elsewhere = apart(size=2)
    elsewhere['metadata']['namespace'] = 'elsewhere'
    equal(len(kept_apart(apart(size=2), elsewhere)), 2, 'a set in another namespace may share it')
    for policy, parts in (({'subGroupSize': 2}, [['train-0', 'train-0-1', 'train-0-2'], ['train-0-3', 'train-0-4']]),
                          ({'subGroupSize': 2, 'subGroupPolicyType': 'LeaderExcluded'}, [['train-0-1', 'train-0-2'], ['train-0-3', 'train-0-4']])):
        found = kept_apart({**apart(kind='subgroup-exclusive-topology', size=5, subGroupPolicy=policy), 'spec': {
            **apart(size=5, subGroupPolicy=policy)['spec'], 'replicas': 1}})
        equal([[name for name in launch if policy.get('subGroupPolicyType') is None or name != 'train-0'] for launch in found], parts, policy)
    equal(pods(workers(size=3)), {**named('train', 2, 'c=2'), **named('train-0', 2, 'c=2', 1), **named('train-1', 2, 'c=2', 1)}, 'LeaderWorkerSet')
    equal(pods(workers(size=2, leaderTemplate=template('1')))['train-0'], 'c=1', 'leader')
    equal(len(pods(workers(size=4), words=['--scale', 'train=3'])), 12, 'scaled')

    def kubeflow(kind, field, version='kubeflow.org/v1', **specs):
        return thing(version, kind, spec={field: {r: {'template': template(), **({} if n is None else {'replicas': n})} for r, n in specs.items()}})
    equal(pods(kubeflow('TFJob', 'tfReplicaSpecs', PS=1, Worker=2)), {**named('train-ps', 1), **named('train-worker', 2)}, 'TFJob')
    for kind, field in (('PyTorchJob', 'pytorchReplicaSpecs'), ('XGBoostJob', 'xgbReplicaSpecs'), ('PaddleJob', 'paddleReplicaSpecs'), ('JAXJob', 'jaxReplicaSpecs')):
        equal(pods(kubeflow(kind, field, Worker=None)), named('train-worker', 1), kind)
    for version in ('kubeflow.org/v1', 'kubeflow.org/v2beta1'):
        equal(pods(kubeflow('MPIJob', 'mpiReplicaSpecs', version, Launcher=1, Worker=2)), {**named('train-launcher', 1), **named('train-worker', 2)}, 'MPIJob')
    bare = kubeflow('MPIJob', 'mpiReplicaSpecs', 'kubeflow.org/v2beta1', Launcher=None, Worker=None)
    equal(pods(bare), named('train-launcher', 1), 'MPIJob without a number')
    check('its Worker states no replicas, so there are no workers' in notes(bare), 'and it is said')

    volcano = thing('batch.volcano.sh/v1alpha1', 'Job', spec={'minAvailable': 3, 'tasks': [
        {'name': 'ps', 'replicas': 1, 'template': template()}, {'replicas': 2, 'template': template('2')}]})
    equal(pods(volcano), {**named('train-ps', 1), **named('train-default1', 2, 'c=2')}, 'Volcano')
    plain = thing('batch/v1', 'Job', spec={'template': once()})
    equal(len(pods(volcano, plain)), 4, 'a Job of Volcano and one of Kubernetes')
    task, refused = {'name': 'ps', 'replicas': 2, 'template': template()}, "so Volcano's webhook refuses it"
    for wrong, why in (({'minAvailable': 3, 'tasks': [task]}, 'its minAvailable, 3, is more than the 2 replicas of its tasks'),
                       ({'tasks': [{**task, 'minAvailable': 3}]}, 'task ps has minAvailable 3 and 2 replicas'),
                       ({'tasks': [task], 'policies': [{'event': 'PodFailed', 'action': 'RestartJob'}, {'events': ['PodEvicted', 'PodFailed'], 'action': 'AbortJob'}]},
                        'two of its policies are about the same event'),
                       ({'tasks': [task, task]}, 'two of its tasks are named ps'),
                       ({'tasks': [{**task, 'policies': [{'event': '*', 'action': 'RestartJob'}, {'event': 'PodEvicted', 'action': 'AbortJob'}]}]},
                        'its policies are about * and another event')):
        job = thing('batch.volcano.sh/v1alpha1', 'Job', spec=wrong)
        found = problems(job)
        check(len(found) == 1 and f'Job train is not planned, as the API server refuses it ' in found[0] and f'{why}, {refused}' in found[0], (wrong, found))
        equal(pods(job), {}, why)
    fine = {'minAvailable': 2, 'tasks': [task], 'policies': [{'event': 'PodFailed', 'action': 'RestartJob'}, {'events': ['PodEvicted'], 'action': 'AbortJob'}]}
    equal(problems(thing('batch.volcano.sh/v1alpha1', 'Job', spec=fine)), [], 'policies that it accepts')
    # Beyond 1.2 times the nodes that exist a Job has no pods: said, and planned as if it had.
    node = thing('v1', 'Node', 'n', status={'allocatable': {'cpu': '5', 'memory': '16Gi', 'pods': '110'}})
    taken = thing('v1', 'Pod', 'p', spec={**spec('2'), 'nodeName': 'n'}, status={'phase': 'Running'})
    for least, count, others, waits in ((2, 2, [], '0 and 0 is used'), (4, 4, [node], None), (7, 7, [node], '5 and 0 is used'), (1, 7, [node], None),
                                        (6, 7, [node], None), (5, 5, [node, taken], '5 and 2 is used'), (4, 4, [node, taken], None)):
        job = thing('batch.volcano.sh/v1alpha1', 'Job', spec={'minAvailable': least, 'tasks': [{'name': 'ps', 'replicas': count, 'template': template()}]})
        said = notes(job, *others)
        equal(f'needs at least fits into 1.2 times the nodes that exist (its overcommit plugin): cpu {least}, while the nodes have {waits}' in said
              if waits else 'overcommit' in said, waits is not None, f'{least} of {count}: {said}')
    two = [thing('batch.volcano.sh/v1alpha1', 'Job', name, spec={'tasks': [{'name': 'ps', 'replicas': 4, 'template': template()}]}) for name in 'ab']
    said = notes(node, *two)
    check('Job b: Volcano creates' in said and 'Job a: Volcano creates' not in said, said)

    scaled = thing('keda.sh/v1alpha1', 'ScaledJob', spec={'jobTargetRef': {'parallelism': 2, 'template': template()}, 'minReplicaCount': 3, 'maxReplicaCount': 10})
    equal(len(pods(scaled)), 6, 'ScaledJob')
    check('3 Jobs (minReplicaCount) are planned; its triggers may start up to 10' in notes(scaled), notes(scaled))

    runtime = thing('trainer.kubeflow.org/v1alpha1', 'ClusterTrainingRuntime', 'torch', spec={'mlPolicy': {'numNodes': 1}, 'template': {'spec': {'replicatedJobs': [
        {'name': 'node', 'template': {'metadata': {'labels': {'trainer.kubeflow.org/trainjob-ancestor-step': 'trainer'}},
                                      'spec': {'template': {'spec': {'containers': [{'name': 'node'}]}}}}}]}}})
    job = thing('trainer.kubeflow.org/v1alpha1', 'TrainJob', spec={'runtimeRef': {'name': 'torch'}, 'trainer': {
        'numNodes': 3, 'resourcesPerNode': {'requests': {'cpu': '4', 'memory': '8Gi'}}}})
    equal(pods(job, runtime), named('train-node-0', 3, 'node=4/8Gi'), 'TrainJob')
    said, = problems(job)
    check('kubectl get ClusterTrainingRuntime torch -o yaml' in said, said)


def quoted():
    """A count in quotes is a text, which no operator takes."""
    jobs = lambda **one: thing('jobset.x-k8s.io/v1alpha2', 'JobSet', spec={'replicatedJobs': [{'name': 'w', 'replicas': 1, 'template': {'spec': {'template': once()}}, **one}]})
    for given, field in ((jobs(replicas='2'), 'spec.replicatedJobs[0].replicas'),
                         (jobs(template={'spec': {'parallelism': '2', 'template': once()}}), 'spec.replicatedJobs[0].template.spec.parallelism'),
                         (thing('keda.sh/v1alpha1', 'ScaledJob', spec={'jobTargetRef': {'completions': '2', 'template': template()}, 'minReplicaCount': 3}), 'spec.jobTargetRef.completions'),
                         (thing('sparkoperator.k8s.io/v1beta2', 'SparkApplication', spec={'driver': {'cores': '1'}, 'executor': {'instances': 2}}), 'spec.driver.cores'),
                         (thing('batch.volcano.sh/v1alpha1', 'Job', spec={'tasks': [{'name': 'a', 'replicas': '2', 'template': template()}]}), 'spec.tasks[0].replicas')):
        error = run('plan', POOL, manifest(given), status=1)[1]
        check(field in error and 'whole number' in error, (field, error))
    service = thing('serving.knative.dev/v1', 'Service', spec={'template': {'metadata': {'annotations': {'autoscaling.knative.dev/min-scale': 'three'}}, 'spec': spec()}})
    check('min-scale is "three", which is no whole number' in problems(service)[0], problems(service))


def serving():
    def service(annotations=None):
        return thing('serving.knative.dev/v1', 'Service', 'hello', spec={'template': {'metadata': {'annotations': annotations or {}}, 'spec': spec()}})
    equal(pods(service({'autoscaling.knative.dev/min-scale': '5'})), named('hello', 5, 'c=1 queue-proxy=25m'), 'min-scale')
    said = notes(service({'autoscaling.knative.dev/min-scale': '5'}))
    check('5 pods are planned (initial-scale 1, min-scale 5)' in said and 'queue-proxy that requests cpu 25m by default' in said, said)
    equal(len(pods(service())), 1, 'initial-scale')
    equal(len(pods(service({'autoscaling.knative.dev/initialScale': '3'}))), 3, 'as it was spelt before')
    equal(pods(service(), thing('v1', 'Service', 'hello', spec={'selector': {'a': 'b'}})), named('hello', 1, 'c=1 queue-proxy=25m'), 'and a Service of Kubernetes')

    def inference(predictor, mode=None):
        return thing('serving.kserve.io/v1beta1', 'InferenceService', 'iris', {'annotations': {'serving.kserve.io/deploymentMode': mode} if mode else {}},
                     spec={'predictor': predictor})
    model = {'model': {'modelFormat': {'name': 'sklearn'}, 'storageUri': 'gs://x'}, 'minReplicas': 2, 'nodeSelector': {'x': 'y'}}
    storage = ' init:storage-initializer=100m/100Mi'
    equal(pods(inference(model, 'RawDeployment')), named('iris-predictor', 2, 'kserve-container=1/2Gi' + storage), 'InferenceService')
    for empty in ({}, {'alibi': {'type': 'AnchorText', 'resources': {'requests': {'memory': '6Gi'}}}}):
        said, = problems({**inference(model), 'spec': {'predictor': model, 'explainer': empty}})
        check('its explainer has neither a model of a known kind nor containers' in said, said)
    equal(dumped(inference(model))[0]['spec']['nodeSelector'], {'x': 'y'}, 'node selector')
    equal(pods(inference(model))['iris-predictor-0'], 'kserve-container=1/2Gi queue-proxy=25m' + storage, 'as Knative deploys it')
    own = {'containers': [{'name': 'mine', 'resources': {'requests': {'cpu': '3'}}}], 'minReplicas': 0}
    equal(pods(inference(own, 'Standard')), named('iris-predictor', 1, 'mine=3/2Gi'), 'own container')
    check('ModelMesh' in problems(inference(model, 'ModelMesh'))[0], 'ModelMesh')


def by_schedule():
    cron = thing('batch/v1', 'CronJob', 'cj', spec={'schedule': '0 3 * * *', 'jobTemplate': {'spec': {'parallelism': 4, 'template': template('2')}}})
    equal(pods(cron), {}, 'CronJob')
    check('CronJob cj: it has no pods before its time, then 4 a run' in notes(cron), notes(cron))
    check('(and 1 more with a schedule)' in notes(cron, thing('argoproj.io/v1alpha1', 'CronWorkflow', spec={'schedule': '@daily'})), 'two')


def counts():
    def job(**spec):
        return thing('batch/v1', 'Job', 'a', spec={'template': once(), **spec})
    idle = job(parallelism=0)
    check('Job a: parallelism 0, so no pods; without it they are planned for' in notes(idle), 'no parallelism')
    over = {**idle, 'status': {'conditions': [{'type': 'Complete', 'status': 'True'}]}}
    check('parallelism 0' not in notes(over), 'a Job that has ended')
    paused = thing('apps/v1', 'Deployment', 'p', spec={'replicas': 2, 'paused': True, 'selector': {'matchLabels': {'a': 'b'}}, 'template': template()})
    check('Deployment p: paused (spec.paused): a new one creates no pods before it is resumed; they are planned as if it ran' in notes(paused), 'paused')
    check('paused' not in notes({**paused, 'status': {'replicas': 2}}), 'one that ran before it was paused')
    for kind in ('Deployment', 'StatefulSet', 'ReplicaSet'):
        gone = thing('apps/v1', kind, 'gone', {'deletionTimestamp': '2026-01-01T00:00:00Z'},
                     spec={'replicas': 3, 'selector': {'matchLabels': {'a': 'b'}}, 'template': template()})
        equal(pods(gone), {}, kind)
        check(f'{kind} gone: being deleted (deletionTimestamp), so it creates no pods' in notes(gone), kind)
    equal(len(pods(job(parallelism=5, completions=2))), 2, 'no more than completions')
    equal([len(pods(job(parallelism=3, completions=10))), len(pods(job())), len(pods(job(parallelism=3))), len(pods(job(completions=9)))], [3, 1, 3, 1], 'Jobs')
    equal(len(pods({**job(parallelism=3, completions=10), 'status': {'succeeded': 8}})), 2, 'what is left')
    equal(len(pods({**job(parallelism=3), 'status': {'succeeded': 1}})), 0, 'one success is enough')
    equal(len(pods(job(parallelism=5, completions=7, completionMode='Indexed', backoffLimitPerIndex=1))), 5, 'indexed')
    done = [thing('v1', 'Pod', f'a-x{i}', {'ownerReferences': [{'apiVersion': 'batch/v1', 'kind': 'Job', 'name': 'a', 'uid': 'u', 'controller': True}]},
                  spec=spec(), status={'phase': 'Succeeded'}) for i in range(3)]
    equal(len(pods(job(parallelism=5, completions=7), *done)), 3 + 4, 'pods that have succeeded')

    api = thing('apps/v1', 'Deployment', 'api', {'namespace': 'shop'}, spec={'selector': {'matchLabels': {'a': 'b'}}, 'template': template()})
    hpa = thing('autoscaling/v2', 'HorizontalPodAutoscaler', 'api', {'namespace': 'shop'}, spec={
        'scaleTargetRef': {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'api'}, 'minReplicas': 10, 'maxReplicas': 40})
    scaled = thing('keda.sh/v1alpha1', 'ScaledObject', 'api', {'namespace': 'shop'}, spec={
        'scaleTargetRef': {'name': 'api'}, 'minReplicaCount': 10, 'maxReplicaCount': 40})
    for by in ((hpa,), (scaled,), (hpa, scaled), (scaled, hpa)):
        equal(len(pods(api, *by)), 10, 'its minimum')
        equal([len(pods(*by, api, words=['--replicas-from', w])) for w in ('spec', 'hpa-min', 'hpa-max')], [1, 10, 40], '--replicas-from')
    check('Deployment shop/api: 10 replicas instead of 1, by minReplicas 10 of HorizontalPodAutoscaler api' in notes(api, hpa), notes(api, hpa))
    check('by minReplicaCount 10 of ScaledObject api' in notes(api, scaled), notes(api, scaled))

    def replicas(count):
        return {**api, 'spec': {**api['spec'], 'replicas': count}}
    equal([len(pods(replicas(n), hpa)) for n in (0, 20, 50)], [0, 20, 40], 'off, within the bounds, and above')
    equal(len(pods(replicas(0), scaled)), 10, 'KEDA scales from 0')
    equal(len(pods(api, hpa, words=['--scale', 'api=3'])), 3, '--scale')
    paused = json.loads(json.dumps(scaled))
    paused['metadata']['annotations'] = {'autoscaling.keda.sh/paused-replicas': '4'}
    equal(len(pods(api, paused)), 4, 'paused')
    running = thing('v1', 'Pod', 'api-abc-x', {'namespace': 'shop', 'labels': {'pod-template-hash': 'abc'}, 'ownerReferences': [
        {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'api-abc', 'uid': 'u', 'controller': True}]}, spec=spec())
    equal(len(pods(replicas(1), hpa, running)), 1, 'pods of the input count')
    web = thing('argoproj.io/v1alpha1', 'Rollout', 'api', {'namespace': 'shop'}, spec={'template': template()})
    by = json.loads(json.dumps(hpa))
    by['spec']['scaleTargetRef'] = {'apiVersion': 'argoproj.io/v1alpha1', 'kind': 'Rollout', 'name': 'api'}
    equal(len(pods(web, by)), 10, 'a Rollout')
    vertical = thing('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', 'api', {'namespace': 'shop'}, spec={
        'targetRef': {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'api'}, 'updatePolicy': {'updateMode': 'Auto'}},
        status={'recommendation': {'containerRecommendations': [{'containerName': 'c', 'target': {'cpu': '50m', 'memory': '128Mi'}}]}})
    check('recommends cpu 50m, memory 128Mi for container c of Deployment api; the requests of its template are planned' in notes(api, vertical), notes(api, vertical))
    web = thing('apps/v1', 'Deployment', 'web', spec={'replicas': 3, 'selector': {'matchLabels': {'app': 'web'}}, 'template': {
        'metadata': {'labels': {'app': 'web'}}, 'spec': spec()}})
    scaler = thing('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', spec={'minReplicas': 2, 'maxReplicas': 5, 'scaleTargetRef': {
        'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'web'}})
    for count, wanted in ((20, 'above the maximum 5'), (1, 'below the minimum 2'), (5, ''), (2, ''), (0, '')):
        words = ['--scale', f'web={count}']
        said = [n for n in notes(web, scaler, words=words).split(' | ') if '--scale' in n]
        equal([f'--scale {count} is {wanted} of HorizontalPodAutoscaler web, which would change it' in n for n in said], [True] * bool(wanted), f'{count}: {said}')
        equal(len(pods(web, scaler, words=words)), count, 'what is asked for is planned')
    huge = {**web, 'spec': {**web['spec'], 'replicas': 2000000000}}
    check('more pods than the limit of 10000000; --scale web=N plans N of them' in run('plan', POOL, manifest(huge), status=1)[1], 'the next command')


def bounds_of_operators():
    """Operators that scale by themselves have bounds, too: --replicas-from takes them."""
    def counted(made, words):
        return [len(pods(made, words=['--replicas-from', w])) for w in words.split()]
    groups = [{'groupName': 'w', 'replicas': 2, 'minReplicas': 1, 'maxReplicas': 4, 'template': template()}]
    def ray(groups, **more):
        return thing('ray.io/v1', 'RayCluster', spec={'headGroupSpec': {'template': template()}, 'workerGroupSpecs': groups, **more})
    scaled = ray(groups, enableInTreeAutoscaling=True)
    equal(counted(scaled, 'spec hpa-min hpa-max'), [3, 2, 5], 'RayCluster')
    equal(counted(ray(groups), 'spec hpa-min hpa-max'), [3, 3, 3], 'without autoscaling')
    open_ended = ray([{k: v for k, v in groups[0].items() if k != 'maxReplicas'}], enableInTreeAutoscaling=True)
    equal(counted(open_ended, 'hpa-max'), [3], 'no maximum')
    said, _ = run('plan', POOL, manifest(open_ended), '--replicas-from', 'hpa-max')
    check('states no maximum' in ' '.join(said.split()) and '2147483647' not in said, said)
    knative = thing('serving.knative.dev/v1', 'Service', spec={'template': {'metadata': {'annotations': {
        'autoscaling.knative.dev/min-scale': '2', 'autoscaling.knative.dev/max-scale': '6', 'autoscaling.knative.dev/initial-scale': '3'}}, 'spec': spec()}})
    equal(counted(knative, 'spec hpa-min hpa-max'), [3, 2, 6], 'Knative')
    served = thing('serving.kserve.io/v1beta1', 'InferenceService', spec={'predictor': {'minReplicas': 2, 'maxReplicas': 5, **spec()}})
    equal(counted(served, 'spec hpa-min hpa-max'), [2, 2, 5], 'InferenceService')
    spark = thing('sparkoperator.k8s.io/v1beta2', 'SparkApplication', spec={'driver': {'cores': 1}, 'executor': {'cores': 1}, 'dynamicAllocation': {
        'enabled': True, 'initialExecutors': 3, 'minExecutors': 2, 'maxExecutors': 7}})
    equal(counted(spark, 'spec hpa-min hpa-max'), [4, 3, 8], 'SparkApplication')
    jobs = thing('keda.sh/v1alpha1', 'ScaledJob', spec={'jobTargetRef': {'template': template()}, 'maxReplicaCount': 6})
    equal(counted(jobs, 'spec hpa-min hpa-max'), [0, 0, 6], 'ScaledJob')
    api = thing('apps/v1', 'Deployment', 'api', spec={'replicas': 2, 'selector': {'matchLabels': {'a': 'b'}}, 'template': template()})
    hpa = thing('autoscaling/v2', 'HorizontalPodAutoscaler', 'api', spec={'scaleTargetRef': {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'api'}})
    equal(len(pods(api, hpa, words=['--replicas-from', 'hpa-max'])), 2, 'an autoscaler without a maximum')


def scaling():
    """--scale sets the number of pods wherever the kind has one; where it has none, the error says so."""
    farm = thing('example.com/v1', 'Farm', 'farm', spec={'template': template(), 'size': {'count': 2}})
    rule = ['--pods-from', 'Farm.example.com=/spec/template,/spec/size/count']
    equal(len(pods(farm, words=[*rule, '--scale', 'farm=5'])), 5, 'by the path of a rule')
    equal(len(pods(farm, words=[*rule, '--scale', 'Farm/farm=0'])), 0, 'by kind and name')
    equal(document('whatif', POOL, manifest(farm), *rule, '--scale', 'farm=5')['warnings'], ['what if: Farm default/farm: spec.size.count 2 \u2192 5'], 'note')
    ray = thing('ray.io/v1', 'RayCluster', spec={'headGroupSpec': {'template': template()}})
    cron = thing('batch/v1', 'CronJob', spec={'schedule': '0 3 * * *', 'jobTemplate': {'spec': {'template': template()}}})
    daemons = thing('apps/v1', 'DaemonSet', spec={'selector': {'matchLabels': {'a': 'b'}}, 'template': template()})
    for made in (ray, cron, daemons):
        for name in ('train', f'{made["kind"]}/train', f'{made["kind"]}/default/train'):
            _, error = run('plan', POOL, manifest(made), '--scale', f'{name}=3', status=1)
            check(f'{made["kind"]} default/train cannot be scaled' in error, error)
    _, error = run('plan', POOL, manifest(ray), '--scale', 'other=3', status=1)
    check('other: the input has no such object' in error, error)


def own_rules():
    farm = thing('example.com/v1beta3', 'Farm', 'farm', spec={'template': template(), 'groups': [
        {'name': 'a', 'size': 2, 'template': template('2')}, {'name': 'b', 'template': template('3')}], 'replicas': 3})
    check('--pods-from Farm.example.com=/spec/template' in problems(farm)[0], problems(farm))
    deep = thing('example.com/v1', 'Farm', 'deep')
    inner = deep
    for _ in range(55):
        inner['a'] = inner = {}
    inner['template'] = {'spec': {**spec(), 'affinitee': {}}}
    equal(pods(deep, words=['--pods-from', 'Farm.example.com=' + '/a' * 55]), {}, 'nested more deeply than a path is shown')
    rule = lambda text: pods(farm, words=['--pods-from', f'Farm.example.com={text}'])
    equal(rule('/spec/template'), named('farm', 1), 'one pod')
    equal(rule('/spec/template,/spec/replicas'), named('farm', 3), 'with a number')
    equal(sorted(rule('/spec/groups/*/template,/spec/groups/*/size').values()), ['c=2', 'c=2', 'c=3'], 'elements')
    run('plan', POOL, manifest(farm), '--pods-from', 'Farm.example.com=/spec/template', '--fail-on', 'unschedulable')
    equal(rule('/spec/template/spec'), named('farm', 1), 'a pod spec')
    words = lambda text: ['--pods-from', f'Farm.example.com={text}']
    check('no pod template at /spec/pod' in problems(farm, words=words('/spec/pod'))[0], 'nothing at the path')
    check('/spec/groups is no pod template' in problems(farm, words=words('/spec/groups'))[0], 'something else at the path')
    check('no number of pods at /spec/count, so one is planned' in notes(farm, words=words('/spec/template,/spec/count')), 'no number')
    for wrong in ('Farm', 'Farm=/spec/template', 'Farm.example.com=spec', 'Farm.example.com=/spec/', 'Deployment.apps=/spec/template',
                  'Farm.example.com=/spec/template,', 'Farm.example.com=/spec/a/*/template,/spec/b/*/size', 'Farm.example.com=/' + 'x' * 200):
        _, error = run('plan', POOL, manifest(farm), '--pods-from', wrong, status=1)
        check('a rule is Kind.group=/path/of/template' in error, (wrong, error))
    big = thing('ray.io/v1', 'RayCluster', 'ray', spec={'template': template('7')})
    equal(pods(big, words=['--pods-from', 'RayCluster.ray.io=/spec/template']), named('ray', 1, 'c=7'), 'before the rule of the table')
    # A story, and a replay of it, state such rules themselves.
    other = thing('example.com/v1', 'Ledger', 'books', spec={})
    with tempfile.TemporaryDirectory() as at:
        story = pathlib.Path(at) / 'story.yaml'
        told = lambda more: {'apiVersion': 'karp/v1', 'kind': 'Story', 'region': 'us-west-2', 'files': [str(POOL.resolve())], 'objects': [farm, other],
                             'steps': [{'wait': '5m'}], **more}
        for verb in ('simulate', 'replay'):
            story.write_text(json.dumps(told({})))
            check('INCOMPLETE: 1 object creates pods that are not planned; 1 part' in run(verb, story)[0], verb)
            story.write_text(json.dumps(told({'ignoredKinds': 'Ledger.example.com', 'podsFrom': ['Farm.example.com=/spec/groups/*/template,/spec/groups/*/size']})))
            played = run(verb, story, '--fail-on', 'unschedulable')[0]
            check('INCOMPLETE' not in played and re.search(r'launches +1', played), played)
            # The options of the line win.
            played = run(verb, story, '--pods-from', 'Farm.example.com=/spec/template', '--ignore-kinds', 'Other.example.com')[0]
            check('INCOMPLETE: 1 part of the input' in played, played)
            story.write_text(json.dumps(told({})))
            same = run(verb, story, '--pods-from', 'Farm.example.com=/spec/groups/*/template,/spec/groups/*/size', '--ignore-kinds', 'Ledger.example.com',
                       '--fail-on', 'unschedulable')[0]
            check('INCOMPLETE' not in same and re.search(r'launches +1', same), same)
            check('a rule is Kind.group=' in run(verb, story, '--pods-from', 'Farm', status=1)[1], verb)
        for wrong, why in (({'ignoredKinds': 'Ledger'}, 'a kind to ignore is Kind.group'), ({'podsFrom': ['Farm']}, 'a rule is Kind.group=')):
            story.write_text(json.dumps(told(wrong)))
            check(why in run('simulate', story, status=1)[1], why)


def before_release(hook, chart):
    """A plan has a round for the hooks that come before: of standard input, too, which can be read only once."""
    rounds = lambda *objects: [(r['phases'], [p for l in r['launches'] for p in l['pods']], len(r['unschedulable']))
                               for r in document('plan', POOL, manifest(*objects)).get('hookRounds', [])]
    stuck = hook('Job', 'stuck', 'pre-upgrade', template=template('1', nodeSelector={'moon': '1'}, restartPolicy='Never'))
    equal(rounds(*chart), [('pre-install, pre-upgrade', ['default/pre-0'], 0)], 'one for both')
    equal(rounds(*chart, stuck), [('pre-install', ['default/pre-0'], 0), ('pre-upgrade', ['default/pre-0'], 1)], 'one for each')
    equal(rounds(chart[0], stuck), [('pre-upgrade', [], 1)], 'one alone')
    equal((rounds(chart[0]), rounds(chart[0], chart[-1])), ([], []), 'none')
    path = manifest(*chart, stuck)
    answers = [run('plan', POOL, '-f', path)[0], run('plan', POOL, '-f', '-', text=path.read_text())[0]]
    check(answers[0] == answers[1] and '  +   pre-install: 1 pod on 1 ' in answers[0], answers)
    # The pool from a file that can be read only once, which has no hooks itself.
    check('  +   pre-install: 1 pod on 1 ' in run('plan', '-f', '-', '-f', path, text=POOL.read_text())[0], 'the pool on standard input')
    for form in ('markdown', 'html'):
        check('pre-install: 1 pod on 1 ' in run('plan', POOL, path, '-o', form)[0], form)
    check('a pod of a Helm hook gets no node' in run('plan', POOL, path, '--fail-on', 'unschedulable', status=3)[1], 'a gate')
    run('plan', POOL, manifest(*chart), '--fail-on', 'unschedulable,cost=$1000')
    path = manifest(*chart, stuck)
    settled = lambda *words, status=0: run('plan', '--settle', POOL, path, *words, status=status)
    for form in ('text', 'markdown'):
        told = settled('-o', form)[0]
        check("Before the release, Helm's hooks" in told and 'pre-install: 1 node to launch, $' in told, told)
        check('pre-upgrade: 1 node to launch, $' in told and '; 1 pod gets no node' in told, told)
    equal(json.loads(settled('-o', 'json')[0])['hookRounds'], document('plan', POOL, path)['hookRounds'], 'settled')
    check('a pod of a Helm hook gets no node' in settled('--fail-on', 'unschedulable', status=3)[1], 'a gate of the settled plan')
    # What if, and side by side.
    path = manifest(*chart, stuck)
    told = run('whatif', POOL, path, '--price-factor', 'all=2')[0]
    check('  +   pre-install: 1 pod on 1 ' in told, told)
    equal([r['phases'] for r in document('whatif', POOL, path, '--lose-zone', 'us-west-2a')['hookRounds']], ['pre-install', 'pre-upgrade'], 'whatif')
    twice = [2 * sum(float(l['choice']['price']) for l in r['launches']) for r in document('plan', POOL, path)['hookRounds']]
    double = [sum(float(l['choice']['price']) for l in r['launches']) for r in document('whatif', POOL, path, '--price-factor', 'all=2')['hookRounds']]
    check(all(abs(a - b) < 1e-6 for a, b in zip(twice, double, strict=True)), f'with the changes: {twice}, {double}')
    gate = '--fail-on', 'unschedulable'
    check('a pod of a Helm hook gets no node' in run('whatif', POOL, path, '--price-factor', 'all=2', *gate, status=3)[1], 'a gate of whatif')
    for words in (('diff', POOL, path, *gate, '--', '--scale', 'app=2'), ('whatif', POOL, path, *gate, '--design', POOL)):
        error = run(*words, status=3)[1]
        check(": before the release, Helm's hooks of pre-upgrade: 1 node to launch, $" in error and '; 1 pod gets no node' in error, error)
        check('a pod of a Helm hook gets no node' in error, error)
    run('diff', POOL, manifest(*chart), *gate, '--', '--scale', 'app=2')
    error = run('diff', POOL, '-f', '-', '--', POOL, text=manifest(*chart).read_text())[1]
    check('names what can be read only once' in error, error)


def helm_hooks():
    hook = lambda kind, name, phases, **body: thing({'Pod': 'v1', 'Job': 'batch/v1'}[kind], kind, name, {'annotations': {'helm.sh/hook': phases}}, spec=body)
    chart = [thing('apps/v1', 'Deployment', 'app', spec={'selector': {'matchLabels': {'a': 'b'}}, 'template': template()}),
             hook('Pod', 'app-test', 'test', **spec('8')), hook('Job', 'pre', 'pre-install, pre-upgrade', template=once('4')),
             hook('Job', 'predel', 'pre-delete', template=once('16')), hook('Job', 'after', 'post-install', template=once('2'))]
    equal(pods(*chart), named('app', 1), 'without hooks')
    for what in ('Pod app-test: a Helm hook (test), which an install does not run', 'Job predel: a Helm hook (pre-delete)',
                 'runs and ends before the other objects are created', '--hooks pre-install', '--hooks post-install'):
        check(what in notes(*chart), (what, notes(*chart)))
    equal(pods(*chart, words=['--hooks', 'pre-install']), named('pre', 1, 'c=4'), 'the round before')
    equal(pods(*chart, words=['--hooks', 'Post-Install']), named('after', 1, 'c=2'), 'Helm ignores the case of letters')
    for word, ending in (('pre-instal', '; did you mean pre-install?\n'), ('post-upgrade', 'pre-upgrade, pre-delete, test')):
        error = run('plan', POOL, manifest(*chart), '--hooks', word, status=1)[1]
        check(f'no Helm hook of {word} creates pods; the input has hooks of pre-install, post-install, pre-upgrade, pre-delete, test' in error and ending in error, error)
    check('creates pods; the input has no such hooks' in run('plan', POOL, manifest(chart[0]), '--hooks', 'pre-install', status=1)[1], 'no hooks at all')
    wrong = hook('Job', 'wrong', 'post-install, pre-instal', template=once('2'))
    for words in ([], ['--hooks', 'post-install']):
        told = problems(*chart, wrong, words=words)
        equal(told, ['not understood: Job wrong: metadata.annotations["helm.sh/hook"]: Helm has no hooks of pre-instal and skips the object: left out; did you mean pre-install?'], str(words))
    before_release(hook, chart)
    chart[2]['metadata']['uid'] = 'u'
    equal(len(pods(*chart)), 2, 'a Job that runs in a cluster')


for part in (counts, simple, rollout, ray, spark, jobs, quoted, serving, by_schedule, bounds_of_operators, scaling, own_rules, helm_hooks):
    part()
finish()
