# SPDX-License-Identifier: Apache-2.0
"""What karp does not understand of an input is a problem: no gate passes, and the last line says that the answer is incomplete."""
import pathlib
import re

from manifests import APP, CLASS, POOL, folder, manifest, problems, thing
from stories import check, document, equal, finish, run

FINE = {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '1'}}}]}
ONCE = {**FINE, 'restartPolicy': 'Never'}


def template(spec=FINE):
    return {'metadata': {'labels': {'a': 'b'}}, 'spec': spec}


def workload(version, kind, name, **spec):
    return thing(version, kind, name, spec={'selector': {'matchLabels': {'a': 'b'}}, 'template': template(), **spec})


# One object of each kind whose fields are known, the path of a field that it does not have, and the field that is meant.
FIELDS = [
    (thing('v1', 'Pod', 'a', spec={**FINE, 'nodeSelecter': {}}), 'spec.nodeSelecter', 'nodeSelector'),
    (thing('v1', 'Pod', 'b', spec={**FINE, 'volumes': [{'name': 'd', 'persistentVolumeClame': {}}]}), 'spec.volumes[0].persistentVolumeClame', 'persistentVolumeClaim'),
    (thing('v1', 'Pod', 'd', metadata={'lables': {}}, spec=FINE), 'metadata.lables', 'labels'),
    (workload('apps/v1', 'Deployment', 'a', replica=3), 'spec.replica', 'replicas'),
    (workload('apps/v1', 'Deployment', 'b', parallelism=3), 'spec.parallelism', None),
    (workload('apps/v1', 'ReplicaSet', 'rs', replica=3), 'spec.replica', 'replicas'),
    (workload('apps/v1', 'StatefulSet', 'ss', volumeClaimTemplate=[]), 'spec.volumeClaimTemplate', 'volumeClaimTemplates'),
    (workload('apps/v1', 'StatefulSet', 'st', volumeClaimTemplates=[{'metadata': {'name': 'd'}, 'spec': {'accessModes': ['ReadWriteOnce'], 'storageClass': 'gp3'}}]), 'spec.volumeClaimTemplates[0].spec.storageClass', None),
    (workload('apps/v1', 'DaemonSet', 'ds', replicas=3), 'spec.replicas', None),
    (thing('v1', 'ReplicationController', 'rc', spec={'replica': 2, 'template': template()}), 'spec.replica', 'replicas'),
    (thing('batch/v1', 'Job', 'j', spec={'replicas': 3, 'template': template(ONCE)}), 'spec.replicas', None),
    (thing('batch/v1', 'CronJob', 'cj', spec={'schedule': '0 3 * * *', 'jobTemplate': {'spec': {'paralelism': 3, 'template': template(ONCE)}}}),
     'spec.jobTemplate.spec.paralelism', 'parallelism'),
    (thing('v1', 'PodTemplate', 'pt', template=template({**FINE, 'affinty': {}})), 'template.spec.affinty', 'affinity'),
    (thing('argoproj.io/v1alpha1', 'Rollout', 'r', spec={'replica': 3, 'template': template()}), 'spec.replica', 'replicas'),
    (thing('argoproj.io/v1alpha1', 'Rollout', 's', spec={'template': template({**FINE, 'toleration': []})}), 'spec.template.spec.toleration', 'tolerations'),
    (thing('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'l', spec={'leaderWorkerTemplate': {'workerTemplate': template({**FINE, 'overhad': {}})}}),
     'spec.leaderWorkerTemplate.workerTemplate.spec.overhad', 'overhead'),
    (thing('batch.volcano.sh/v1alpha1', 'Job', 'v', spec={'tasks': [{'name': 't', 'replica': 2, 'template': template(ONCE)}]}), 'spec.tasks[0].replica', 'replicas'),
    (thing('karpenter.sh/v1', 'NodePool', 'n', spec={'weigth': 5, 'template': {'spec': {'requirements': [], 'nodeClassRef': {
        'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}}}}), 'spec.weigth', 'weight'),
    (thing('karpenter.sh/v1alpha1', 'NodeOverlay', 'o', spec={'requirements': [], 'prices': '0.1'}), 'spec.prices', 'price'),
    (thing('autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer', 'cb', spec={'replica': 1, 'podTemplateRef': {'name': 'pt'}}), 'spec.replica', 'replicas'),
    (thing('policy/v1', 'PodDisruptionBudget', 'pdb', spec={'minAvailible': 1, 'selector': {}}), 'spec.minAvailible', 'minAvailable'),
    (thing('autoscaling/v2', 'HorizontalPodAutoscaler', 'h', spec={'minReplica': 9, 'maxReplicas': 10, 'scaleTargetRef': {'kind': 'Deployment', 'name': 'a'}}), 'spec.minReplica', 'minReplicas'),
    (thing('keda.sh/v1alpha1', 'ScaledObject', 'so', spec={'minReplicas': 9, 'scaleTargetRef': {'name': 'b'}, 'triggers': []}), 'spec.minReplicas', None),
    (thing('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', 'vpa', spec={'targetref': {}}), 'spec.targetref', 'targetRef'),
    (thing('v1', 'LimitRange', 'lr', spec={'limits': [{'type': 'Container', 'defaultRequests': {'cpu': '1'}}]}), 'spec.limits[0].defaultRequests', 'defaultRequest'),
    (thing('v1', 'ResourceQuota', 'q', spec={'hards': {'pods': '1'}}), 'spec.hards', 'hard'),
    (thing('v1', 'PersistentVolumeClaim', 'c', spec={'storageClasName': 'gp3'}), 'spec.storageClasName', 'storageClassName'),
    (thing('v1', 'PersistentVolume', 'pv', spec={'capacity': {}, 'nodeAfinity': {}}), 'spec.nodeAfinity', 'nodeAffinity'),
    (thing('storage.k8s.io/v1', 'StorageClass', 'sc', provisioner='p', volumeBindingmode='WaitForFirstConsumer'), 'volumeBindingmode', 'volumeBindingMode'),
    (thing('scheduling.k8s.io/v1', 'PriorityClass', 'pc', values=5), 'values', 'value'),
    (thing('node.k8s.io/v1', 'RuntimeClass', 'k', handler='k', overhead={'podfixed': {'cpu': '1'}}), 'overhead.podfixed', 'podFixed'),
    (thing('v1', 'Service', 'svc', spec={'selectors': {'a': 'b'}}), 'spec.selectors', 'selector'),
    (thing('v1', 'Node', 'node', status={'allocateable': {}}), 'status.allocateable', 'allocatable'),
    (thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'e', spec={**CLASS, 'amiFamly': 'AL2'}), 'spec.amiFamly', 'amiFamily'),
    (thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'f', spec={**CLASS, 'instanceStorPolicy': 'RAID0'}), 'spec.instanceStorPolicy', 'instanceStorePolicy'),
    (thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'k', spec={**CLASS, 'kubelet': {'maxPodz': 20, 'memoryManagerPolicy': 'None'}}), 'spec.kubelet.maxPodz', 'maxPods'),
    (thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'm', spec={**CLASS, 'blockDeviceMapping': []}), 'spec.blockDeviceMapping', 'blockDeviceMappings'),
    (thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'v', spec={**CLASS, 'blockDeviceMappings': [{'ebs': {'volumeSyze': '9Gi'}}]}),
     'spec.blockDeviceMappings[0].ebs.volumeSyze', 'volumeSize'),
    (thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'w', metadata={'annotation': {}}, spec=CLASS), 'metadata.annotation', 'annotations'),
    (thing('karpenter.azure.com/v1beta1', 'AKSNodeClass', 'i', spec={'imageFamly': 'AzureLinux'}), 'spec.imageFamly', 'imageFamily'),
    (thing('karpenter.azure.com/v1beta1', 'AKSNodeClass', 'p', spec={'kubelet': {'maxPods': 20}}), 'spec.kubelet.maxPods', None),
    (thing('karpenter.k8s.gcp/v1alpha1', 'GCENodeClass', 't', spec={'imageSelectorTerm': []}), 'spec.imageSelectorTerm', 'imageSelectorTerms'),
    (thing('karpenter.k8s.gcp/v1alpha1', 'GCENodeClass', 'd', spec={'disks': [{'sizeGib': 20, 'sizeGiB': 20}]}), 'spec.disks[0].sizeGib', 'sizeGiB'),
]

# Versions and kinds that do not exist, and what is said of them.
KINDS = [
    (workload('apps/v7', 'Deployment', 'future'), 'Deployment of apps/v7 is no known version: it is read as one of apps/v1'),
    (thing('v1', 'Podd', 'p'), 'Podd of v1 is not read; did you mean Pod of v1?'),
    (thing('policy/v1', 'PodDisruptionBugdet', 'p'), 'PodDisruptionBugdet of policy/v1 is not read; did you mean PodDisruptionBudget of policy/v1?'),
    (thing('apps/v1', 'PersistentVolumeClaim', 'p'), 'PersistentVolumeClaim of apps/v1 is not read; did you mean PersistentVolumeClaim of v1?'),
    (thing('karpenter.k8s.aws/v1', 'NodePool', 'p'), 'NodePool of karpenter.k8s.aws/v1 is not read; did you mean NodePool of karpenter.sh/v1?'),
    (thing('v1', 'Gadget', 'p'), 'Gadget of v1 is no known kind of Kubernetes'),
]

# Understood: kinds of others, those of Kubernetes without an effect, former versions, and what a cluster has stored.
UNDERSTOOD = [thing('cert-manager.io/v1', 'Certificate', 'g', spec={}), thing('hypershift.openshift.io/v1beta1', 'NodePool', 'h', spec={}),
              thing('core.oam.dev/v1', 'TraitDefinition', 'w', spec={}), thing('v1', 'ConfigMap', 'c', data={}), thing('networking.k8s.io/v1', 'Ingress', 'i', spec={}),
              workload('apps/v1beta2', 'Deployment', 'former'), thing('rbac.authorization.k8s.io/v1', 'ClusterRole', 'r', rules=[]),
              *(thing('serving.knative.dev/v1', kind, 'serves', spec={'template': {'spec': {
                  'containerConcurrency': 10, 'timeoutSeconds': 300, 'responseStartTimeoutSeconds': 9, 'idleTimeoutSeconds': 9, **FINE}}}) for kind in ('Service', 'Configuration')),
              {**workload('apps/v1', 'Deployment', 'stored', replica=3), 'metadata': {'name': 'stored', 'uid': 'u'}}]

told = problems(*[row[0] for row in FIELDS], *[row[0] for row in KINDS])
for one, field, meant in FIELDS:
    article = 'an' if one['kind'][0] in 'AE' else 'a'
    ending = f'{one["kind"]} {one["metadata"]["name"]}: {article} {one["kind"]} has no field {field}: ignored' + (f'; did you mean {meant}?' if meant else '')
    found = [t for t in told if t.startswith('not understood: ') and f'{one["kind"]} {one["metadata"]["name"]}: ' in t]
    check(len(found) == 1 and (found[0].endswith(ending) if meant else ending in found[0]), f'{ending}: {found}')
for one, wanted in KINDS:
    check(f'not understood: {wanted}' in told, f'{wanted}: {told}')
equal(len(told), len(FIELDS) + len(KINDS), 'nothing else')
equal(problems(*UNDERSTOOD), [], 'understood')

# NodePools that name a kind of node class that its group or the input does not have, and node classes of such a kind.
def pool_of(group, kind, name='mine'):
    spec = {'requirements': [], 'nodeClassRef': {'group': group, 'kind': kind, 'name': name}}
    return thing('karpenter.sh/v1', 'NodePool', 'p', spec={'template': {'spec': spec}})


MINE = thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'mine', spec=CLASS)
for kind, meant in (('EC2NodeClas', 'EC2NodeClass'), ('AKSNodeClass', 'EC2NodeClass')):
    found = problems(pool_of('karpenter.k8s.aws', kind), MINE)
    check(len(found) == 1 and f'NodePool p: spec.template.spec.nodeClassRef.kind: karpenter.k8s.aws has no kind {kind}: ignored; did you mean {meant}?' in found[0], f'{kind}: {found}')
equal(problems(pool_of('karpenter.k8s.aws', 'EC2NodeClass'), MINE), [], 'the kind of the group')
for version, kind, meant in (('karpenter.k8s.aws/v1', 'EC2NodeClas', 'EC2NodeClass'), ('karpenter.azure.com/v1beta1', 'EC2NodeClass', 'AKSNodeClass')):
    equal(problems(thing(version, kind, 'mine', spec={})), [f'not understood: {kind} of {version} is not read; did you mean {meant}?'], kind)
error = run('plan', manifest(pool_of('karpenter.k8s.awz', 'EC2NodeClass')), APP, status=1)[1]
check('karpenter.k8s.awz is the group of no provider that is known; did you mean karpenter.k8s.aws?' in error, error)
for kind, count in (('ThingNodeClass', 0), ('OtherNodeClass', 1)):
    found = problems(pool_of('example.com', kind), thing('example.com/v1', 'ThingNodeClass', 'mine', spec={}))
    equal([text.endswith('OtherNodeClass mine is not in the input, which has one of the kind ThingNodeClass; did you mean ThingNodeClass?') for text in found], [True] * count, str(found))

# Values that are placeholders of a template, where the API server takes any text or none, and texts that are templates of other programs.
unrendered = lambda name, spec, **metadata: thing('apps/v1', 'Deployment', name, metadata, spec={'selector': {'matchLabels': {'a': 'b'}}, 'template': template(spec)})
for given, wanted in (
        (unrendered('t', {'containers': [{'name': 'c', 'image': '{{ .Values.image }}'}]}),
         'Deployment t is of a template of Helm, not rendered: helm template CHART | karp plan -f - (image is "{{ .Values.image }}")'),
        (unrendered('t', FINE, labels={'release': '{{ .Release.Name }}'}), '(release is "{{ .Release.Name }}")'),
        (unrendered('t', {**FINE, 'nodeSelector': {'pool': '${POOL}'}}), 'a template whose values are not filled in (pool is "${POOL}")'),
        (unrendered('t', {**FINE, 'priorityClassName': '{{ priority }}'}), '(priorityClassName is "{{ priority }}")'),
        (unrendered('t', {'containers': [{'name': 'c', 'image': '<IMAGE>'}]}), '(image is "<IMAGE>")'),
        (unrendered('t', {'containers': [{'name': 'c', 'image': '<your-account>.dkr.ecr/app'}]}), '(image is "<your-account>.dkr.ecr/app")'),
        (unrendered('t', {'containers': [{'name': 'c', 'image': '$REGISTRY/app:1'}]}), '(image is "$REGISTRY/app:1")'),
        (unrendered('t', {'containers': [{'name': 'c', 'image': 'gcr.io/__PROJECT_ID__/app'}]}), '(image is "gcr.io/__PROJECT_ID__/app")')):
    check(any(wanted in text for text in problems(given)), f'{wanted}: {problems(given)}')
others = '{{ $labels.pod }} {{ .Values }} ${HOME} $(POD_NAME)'
equal(problems(unrendered('t', {'containers': [{**FINE['containers'][0], 'args': [others], 'command': [others], 'env': [{'name': 'A', 'value': others}]}]}, annotations={'a': others}),
               thing('v1', 'ConfigMap', 'c', data={'a': others}), unrendered('stored', {'containers': [{'name': 'c', 'image': '$(IMAGE)'}]}, uid='u')), [], 'templates of other programs')

for image in ('a__b/app', '__a__/app', 'app$x', 'a_B__C/app', 'a>b'):
    equal(problems(unrendered('fine', {'containers': [{'name': 'c', 'image': image}]})), [], image)

# Every gate of every command, the last line, and each format.
wrong = manifest(FIELDS[3][0])
LAST = 'INCOMPLETE: 1 part of the input is not understood\n'
story = pathlib.Path(folder.name) / 'story.yaml'
story.write_text(f'apiVersion: karp/v1\nkind: Story\nregion: us-west-2\nfiles: [{POOL.resolve()}, {wrong}]\nsteps: [{{wait: 5m}}]\n')
for words in (['plan', POOL, wrong], ['plan', '--settle', POOL, wrong], ['disrupt', POOL, wrong], ['explain', 'pod', 'a-0', POOL, wrong], ['simulate', story], ['replay', story]):
    out, _ = run(*words)
    check(out.endswith(LAST), f'{words}: {out[-300:]}')
for gate in ('unschedulable', 'notes', 'cost=$100000'):
    check('1 part of the input is not understood' in run('plan', POOL, wrong, '--fail-on', gate, status=3)[1], gate)
run('disrupt', POOL, wrong, '--fail-on', 'cost=$100000', status=3)
run('diff', POOL, wrong, '--fail-on', 'cost=$100000', '--', POOL, APP, status=3)
run('diff', POOL, APP, '--fail-on', 'cost=$100000', '--', POOL, wrong, status=3)
run('whatif', POOL, wrong, '--scale', 'a=2', '--fail-on', 'cost=$100000', status=3)
run('lint', POOL, wrong, '--fail-on', 'error', status=3)
run('admit', POOL, wrong, '--fail-on', 'never', status=3)
equal([(f['rule'], f['severity']) for f in document('lint', POOL, wrong)['findings'] if 'replica' in f['text']], [('not-understood', 'error')], 'lint')
check('\nNot understood\n  !   ' in run('plan', POOL, wrong)[0], 'text')
check('**Not understood**\n\n- ' in run('plan', POOL, wrong, '-o', 'markdown')[0], 'Markdown')
check('not understood: ' in run('plan', POOL, wrong, '-o', 'html')[0], 'HTML')
check('karp: not understood: ' in run('plan', '-q', POOL, wrong, '-o', 'csv')[1], 'CSV')

# A dump keeps what was not understood or planned, without the names of files, and so does a dump of the dump.
dumped, again = pathlib.Path(folder.name) / 'understood.json', pathlib.Path(folder.name) / 'again.json'
unclear = manifest(FIELDS[3][0], thing('v1', 'Podd', 'p'), pool_of('', 'EC2NodeClass'), workload('apps/v1', 'Deployment', 'refused', strategy={'type': 'Never'}),
                   thing('kafka.strimzi.io/v1', 'Kafka', 'k', spec={}))
dumped.write_text(run('dump', POOL, APP, unclear)[0])
again.write_text(run('dump', dumped)[0])
equal(again.read_text(), dumped.read_text(), 'a dump of the dump')
answers = [document('plan', POOL, APP, unclear), document('plan', dumped), document('plan', again)]
without = lambda texts: sorted(re.sub(r'default/|( \()?[^ (]*\.json:\d+(: |\))', '', text) for text in texts)
equal(len(answers[0]['problems']), 5, 'problems')
for answer in answers[1:]:
    equal(without(answer['problems']), without(answers[0]['problems']), 'the problems of a dump')
    equal(answer['input']['sha256'], answers[0]['input']['sha256'], 'the digest is without problems')
run('plan', dumped, '--fail-on', 'unschedulable', status=3)

# Without a pod template, or with one that has no containers, an object of any kind has no pods: the API server refuses it.
EMPTY = [
    ('apps/v1', 'Deployment', {'template': None}), ('apps/v1', 'ReplicaSet', {'template': None}), ('apps/v1', 'StatefulSet', {'template': None}),
    ('apps/v1', 'DaemonSet', {'template': None}), ('v1', 'ReplicationController', {'template': None}), ('batch/v1', 'Job', {'template': None}), ('v1', 'Pod', None),
    ('argoproj.io/v1alpha1', 'Rollout', {'template': None}), ('batch.volcano.sh/v1alpha1', 'Job', {'tasks': [{'name': 't', 'replicas': 1, 'template': None}]}),
    ('jobset.x-k8s.io/v1alpha2', 'JobSet', {'replicatedJobs': [{'name': 'w', 'template': {'spec': {'template': None}}}]}),
    ('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', {'leaderWorkerTemplate': {'workerTemplate': None}}),
    ('ray.io/v1', 'RayCluster', {'headGroupSpec': {'template': None}}), ('kubeflow.org/v1', 'PyTorchJob', {'pytorchReplicaSpecs': {'Worker': {'template': None}}}),
    ('serving.knative.dev/v1', 'Service', {'template': None}), ('keda.sh/v1alpha1', 'ScaledJob', {'minReplicaCount': 1, 'jobTargetRef': {'template': None}}),
]


def with_template(value, given):
    """The value with `given` for each None; None = without the member."""
    if isinstance(value, dict):
        return {key: with_template(one, given) for key, one in value.items() if one is not None or given is not None}
    return [with_template(one, given) for one in value] if isinstance(value, list) else given if value is None else value


for given in (None, {'metadata': {}, 'spec': {'containers': []}}, {'spec': {}}):
    made = []
    for number, (version, kind, spec) in enumerate(EMPTY):
        body = given['spec'] if kind == 'Pod' and given else {} if kind == 'Pod' else with_template(spec, given)
        made.append(thing(version, kind, f'e{number}', spec=body))
    told = problems(*made)
    for one in made:
        mine = [t for t in told if one['metadata']['name'] in t.split(' has ')[0].replace('default/', '').split()]
        check(len(mine) == 1 and ('no pod template' in mine[0] or 'no containers' in mine[0]), f'{one}: {mine}')
finish()
