# SPDX-License-Identifier: Apache-2.0
"""Manifests are planned as the API server and the controllers would store them: label keys of affinity, replicas of CapacityBuffers, and
the fields of the newest Kubernetes."""
import json
import pathlib
import re
import tempfile

from manifests import ONE_TYPE, POOL, manifest
from stories import check, document, equal, finish, run

GATE = ('--feature-gates', 'CapacityBuffer=true')


def thing(version, kind, name, **body):
    return {'apiVersion': version, 'kind': kind, 'metadata': {'name': name, 'namespace': 'shop', **body.pop('metadata', {})}, **body}


def containers(cpu='1', **more):
    return [{'name': 'c', 'resources': {'requests': {'cpu': cpu}}, **more}]


# ---- matchLabelKeys and mismatchLabelKeys: Kubernetes 1.37, pkg/registry/core/pod/strategy.go

def term(**more):
    return {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels': {'app': 'web'}}, **more}


def web(affinity, replicas=2, kind='Deployment', **labels):
    labels = {'app': 'web', **labels}
    return thing('apps/v1', kind, '-'.join(labels.values()), spec={
        'replicas': replicas, 'selector': {'matchLabels': labels},
        'template': {'metadata': {'labels': labels}, 'spec': {'containers': containers('100m'), 'affinity': affinity}}})


def nodes(*objects, words=()):
    return len(document('plan', POOL, manifest(*objects), *words).get('launches', []))


def dumped(kind, *objects, words=()):
    return [o for o in json.loads(run('dump', POOL, manifest(*objects), *ONE_TYPE, *words)[0])['objects'] if o['kind'] == kind]


def label_keys():
    apart = lambda one: {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [one]}}
    # Three Deployments of two pods, of which only those of one Deployment keep apart.
    three = lambda one: [web(apart(one), team=team) for team in ('a', 'b', 'c')]
    equal(nodes(*three(term())), 6, 'all six keep apart')
    equal(nodes(*three(term(matchLabelKeys=['team']))), 2, 'a pod keeps from the pods with its team only')
    equal(nodes(*three(term(matchLabelKeys=['pod-template-hash']))), 2, 'the label that the Deployment adds')
    equal(nodes(*three(term(mismatchLabelKeys=['team']))), 3, 'a pod keeps from the pods of other teams')
    equal(nodes(*three(term(matchLabelKeys=['absent']))), 6, 'a key that the pod lacks changes nothing')
    equal(nodes(*three({'topologyKey': 'kubernetes.io/hostname', 'matchLabelKeys': ['team']}), words=('--lenient',)), 1, 'no selector selects nothing')
    each = [web(apart(term(matchLabelKeys=['apps.kubernetes.io/pod-index'])), replicas=3, kind='StatefulSet')]
    equal(nodes(*each), 1, 'the label of each pod of a StatefulSet')

    def selectors(pods, kind, which):
        terms = [t.get('podAffinityTerm', t) for p in pods for t in p['spec']['affinity'][kind][which]]
        return [t['labelSelector'].get('matchExpressions') for t in terms]
    keyed = {'podAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [
        {'weight': 1, 'podAffinityTerm': term(matchLabelKeys=['team'], mismatchLabelKeys=['app'])}]}}
    expected = [{'key': 'team', 'operator': 'In', 'values': ['a']}, {'key': 'app', 'operator': 'NotIn', 'values': ['web']}]
    alone = thing('v1', 'Pod', 'alone', metadata={'labels': {'app': 'web', 'team': 'a'}}, spec={'containers': containers(), 'affinity': keyed})
    soft = 'preferredDuringSchedulingIgnoredDuringExecution'
    equal(selectors(dumped('Pod', alone), 'podAffinity', soft), [expected], 'a pod, and preferred terms')
    equal(selectors(dumped('Pod', web(keyed, team='a')), 'podAffinity', soft), [expected] * 2, 'pods of one template')
    alone['metadata']['uid'] = 'u'
    equal(selectors(dumped('Pod', alone), 'podAffinity', soft), [None], 'a pod that an API server has stored')
    del alone['metadata']['uid']
    equal(selectors(dumped('Pod', alone, words=('--strict',)), 'podAffinity', soft), [None], '--strict')


# ---- CapacityBuffers: Karpenter 1.15.0, pkg/controllers/capacitybuffer

def buffer(ref, **spec):
    return thing('autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer', 'room', spec={**ref, **spec})


TEMPLATE = {'podTemplateRef': {'name': 't'}}
WEB = {'scalableRef': {'apiGroup': 'apps', 'kind': 'Deployment', 'name': 'web'}}


def replicas(ref, scaled=10, spec=None, **given):
    owner = web({}, replicas=scaled)
    if spec: owner['spec']['template']['spec'] = spec
    template = thing('v1', 'PodTemplate', 't', template={'spec': spec or {'containers': containers('100m')}})
    one = dumped('CapacityBuffer', owner, template, buffer(ref, **given), words=GATE)[0]
    return one.get('status', {}).get('replicas')


def buffers():
    equal(replicas(TEMPLATE, replicas=3), 3, 'replicas')
    equal(replicas(WEB, percentage=25), 3, 'a percentage is rounded up')
    equal(replicas(WEB, percentage=1), 1, 'at least one')
    equal(replicas(WEB, percentage=0), 0, 'none of 0 %')
    equal(replicas(WEB, scaled=0, percentage=50), 0, 'none of a workload without pods')
    equal(replicas(WEB, replicas=2, percentage=50), 5, 'the larger of both')
    equal(replicas(WEB, replicas=7, percentage=50), 7, 'the larger of both')
    equal(replicas(TEMPLATE, replicas=2, percentage=500), 2, 'a percentage needs a workload')
    equal(replicas(WEB, percentage=50, limits={'cpu': '350m'}), 3, 'limits cap')
    equal(replicas(WEB, replicas=1, limits={'cpu': '350m'}), 1, 'and only cap')
    equal(replicas(TEMPLATE, limits={'cpu': '2'}), 20, 'limits alone suffice')
    equal(replicas(WEB, scaled=0, percentage=50, limits={'cpu': '300m'}), 3, 'limits alone: the percentage does not count')
    equal(replicas(TEMPLATE, limits={'cpu': '300m', 'memory': '1Gi'}), 3, '0.3 by 0.1, and a resource that the pod does not ask for')
    equal(replicas(TEMPLATE, replicas=4, limits={'memory': '1Gi'}), 4, 'limits of nothing that the pod asks for')
    equal(replicas(TEMPLATE, limits={'memory': '1Gi'}), 0, 'and no size')
    # As in the controller: templates get no requests from limits, sidecars and init containers count, and so does the overhead.
    limited = [{'name': 'c', 'resources': {'limits': {'cpu': '100m'}}}]
    equal(replicas(TEMPLATE, replicas=4, limits={'cpu': '100m'}, spec={'containers': limited}), 4, 'a limit in a template is no request')
    sidecar = {**containers('200m')[0], 'name': 's', 'restartPolicy': 'Always'}
    first = {**containers('500m')[0], 'name': 'i'}
    spec = {'containers': containers('100m'), 'initContainers': [sidecar, first], 'overhead': {'cpu': '50m'}}
    equal(replicas(TEMPLATE, limits={'cpu': '1500m'}, spec=spec), 2, '700m with the sidecar, and 50m')
    spec['resources'] = {'requests': {'cpu': '100m'}}
    equal(replicas(TEMPLATE, limits={'cpu': '1500m'}, spec=spec), 10, 'pod-level requests replace the sum')

    warned = lambda *objects: ' | '.join(document('plan', POOL, manifest(*objects), *GATE)['warnings'])
    check('CapacityBuffer room: the input has no PodTemplate t' in warned(buffer(TEMPLATE, replicas=1)), 'no template')
    other = {'scalableRef': {'apiGroup': 'argoproj.io', 'kind': 'Rollout', 'name': 'web'}}
    check('the input has no Rollout web of a kind that Karpenter reads' in warned(buffer(other, replicas=1)), 'another group')
    check('neither podTemplateRef nor scalableRef' in warned(buffer({}, replicas=1)), 'no reference')


# ---- fields of Kubernetes 1.38 (k8s.io/api 0.38.0-beta.0) in the structs whose names karp checks

FIELDS = '''
apps/v1 DaemonSet spec: minReadySeconds revisionHistoryLimit selector template updateStrategy
apps/v1 Deployment spec: minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector strategy template
apps/v1 ReplicaSet spec: minReadySeconds replicas selector template
apps/v1 StatefulSet spec: minReadySeconds ordinals persistentVolumeClaimRetentionPolicy podManagementPolicy replicas revisionHistoryLimit
  selector serviceName template updateStrategy volumeClaimTemplates
batch/v1 Job spec: activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector
  maxFailedIndexes parallelism podFailurePolicy podReplacementPolicy scheduling selector successPolicy suspend template
  ttlSecondsAfterFinished
policy/v1 PodDisruptionBudget spec: maxUnavailable minAvailable selector unhealthyPodEvictionPolicy
v1 Pod spec: activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks
  ephemeralContainers evictionResponders hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets
  initContainers nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims resources
  restartPolicy runtimeClassName schedulerName schedulingGates schedulingGroup securityContext serviceAccount serviceAccountName
  setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes
v1 Pod spec.affinity: nodeAffinity podAffinity podAntiAffinity
v1 Pod spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]: labelSelector matchLabelKeys mismatchLabelKeys
  namespaceSelector namespaces topologyKey
v1 Pod spec.containers[]: args command envFrom env image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy
  resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy
  tty volumeDevices volumeMounts workingDir
v1 Pod spec.containers[].ports[]: containerPort hostIP hostPort name protocol
v1 Pod spec.containers[].resources: claims limits requests
v1 Pod spec.resources: claims limits requests
v1 Pod spec.tolerations[]: effect key operator tolerationSeconds value
v1 Pod spec.topologySpreadConstraints[]: labelSelector matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey
  whenUnsatisfiable
'''


def nested(path, value):
    for step in reversed(path.split('.')):
        value = {step.removesuffix('[]'): [value] if step.endswith('[]') else value}
    return value


def fields():
    objects = []
    for line in re.sub(r'\n  ', ' ', FIELDS).strip().split('\n'):
        (version, kind, path), names = line.split(':')[0].split(), line.split(':')[1].split()
        objects.append(thing(version, kind, f'f{len(objects)}', **nested(path, dict.fromkeys(names))))
    for one in objects:
        done = run('plan', manifest(one), status=None)
        equal(re.findall(r'has no field \S+', done[0] + done[1]), [], one)
    misspelt = thing('v1', 'Pod', 'p', spec={'containers': containers(), 'evictionResponder': [], 'workloadRef': {'name': 'w'}})
    answer = document('plan', POOL, manifest(misspelt))
    text = answer['problems']
    check(any('no field spec.evictionResponder: ignored; did you mean evictionResponders?' in w for w in text), text)
    check(any('workloadRef, as in Kubernetes 1.35; newer clusters drop the field' in w for w in answer['warnings']), answer['warnings'])
    gang = thing('batch/v1', 'Job', 'train', spec={'parallelism': 2, 'scheduling': {'schedulingPolicy': {'gang': {'minCount': 2}}},
                                                  'template': {'spec': {'restartPolicy': 'Never', 'containers': containers()}}})
    check(any('Job train: its pods are a gang of 2 at least' in w for w in document('plan', POOL, manifest(gang))['warnings']), 'gang of a Job')


def claims():
    """A NodeClaim that a cluster has was made of the template of its time; a new one is completed by that of now."""
    of_pool = {'metadata': {'name': 'n', 'labels': {'karpenter.sh/nodepool': 'std'}}}
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'std'}, 'spec': {'template': {'spec': {
        'terminationGracePeriod': '1h', 'taints': [{'key': 'a', 'effect': 'NoSchedule'}]}}}}
    claim = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', **of_pool, 'spec': {}, 'status': {'capacity': {'cpu': '2'}, 'allocatable': {'cpu': '2'}}}
    new = dumped('NodeClaim', pool, claim)[0]['spec']
    equal((new.get('terminationGracePeriod'), len(new.get('taints', []))), ('1h', 1), 'a new claim')
    taken = lambda *objects: [w for w in document('disrupt', manifest(*objects))['warnings'] if 'take terminationGracePeriod' in w]
    equal(len(taken(pool, claim)), 1, 'which is said')
    check('take terminationGracePeriod 1h from NodePool std' in taken(pool, claim)[0], taken(pool, claim))
    own = {**claim, 'spec': {'terminationGracePeriod': '2h'}}
    equal(taken(pool, own), [], 'of one that states it nothing is taken')
    claim['metadata'] = {**of_pool['metadata'], 'uid': 'u', 'resourceVersion': '7', 'creationTimestamp': '2026-01-01T00:00:00Z'}
    old = dumped('NodeClaim', pool, claim)[0]['spec']
    equal((old.get('terminationGracePeriod'), old.get('taints', [])), (None, []), 'a claim of a cluster')
    equal(taken(pool, claim), [], 'a claim of a cluster')


label_keys()
buffers()
fields()
claims()
finish()
