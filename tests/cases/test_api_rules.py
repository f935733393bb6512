# SPDX-License-Identifier: Apache-2.0
"""What the API server refuses in pods and workloads is not planned, and each problem names the field."""
import json

from manifests import CLASS, POOL, manifest, problems, read_pods as pods, thing
from stories import check, equal, finish, run

CONTAINER = {'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '1'}}}
SPREAD = {'maxSkew': 1, 'topologyKey': 'kubernetes.io/hostname', 'whenUnsatisfiable': 'ScheduleAnyway', 'labelSelector': {'matchLabels': {'app': 'web'}}}
TERM = {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels': {'app': 'web'}}}
REQUIRED, PREFERRED = 'requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'


def node(terms):
    return {'affinity': {'nodeAffinity': {REQUIRED: {'nodeSelectorTerms': terms}}}}


def needs(**one):
    return node([{'matchExpressions': [{'key': 'kubernetes.io/arch', **one}]}])


def tolerates(**one):
    return {'tolerations': [one]}


# Members of a pod's spec, and what is said of them.
PODS = [
    ({'restartPolicy': 'OnFail'}, 'restartPolicy of its pods is OnFail, not Always'),
    ({'dnsPolicy': 'ClusterFirt'}, 'spec.dnsPolicy of its pods is "ClusterFirt", which is not ClusterFirst, ClusterFirstWithHostNet, Default or None'),
    ({'dnsPolicy': 'None'}, 'has the dnsPolicy None, which needs dnsConfig.nameservers'),
    ({'preemptionPolicy': 'Sometimes'}, 'spec.preemptionPolicy of its pods is "Sometimes"'),
    ({'activeDeadlineSeconds': 5}, 'spec.template.spec.activeDeadlineSeconds is not allowed in pods that run on'),
    ({'nodeSelector': {'bad key!': 'x'}}, 'spec.nodeSelector of its pods has the key "bad key!", which is no valid key of a label'),
    ({'nodeSelector': {'a': 'b c'}}, 'spec.nodeSelector.a of its pods is "b c", which is no valid value of a label'),
    ({'hostname': 'a.b'}, 'spec.hostname of its pods is "a.b", which is no DNS label'),
    ({'runtimeClassName': 'Kata'}, 'spec.runtimeClassName of its pods is "Kata", which is no DNS subdomain'),
    ({'os': {'name': 'macos'}}, 'spec.os.name of its pods is "macos", which is not linux or windows'),
    ({'os': {'name': 'windows'}, 'hostPID': True}, 'has hostPID, which a pod with the os.name windows cannot have'),
    ({'schedulingGates': [{'name': 'a/b/c'}]}, 'spec.schedulingGates[0].name of its pods is "a/b/c"'),
    (tolerates(key='a', operator='Equals', value='b'), 'spec.tolerations[0].operator of its pods is "Equals", which is not Equal, Exists, Gt or Lt'),
    (tolerates(key='a', operator='Exists', effect='NoSchedul'), 'spec.tolerations[0].effect of its pods is "NoSchedul"'),
    (tolerates(operator='Equal', value='b'), 'has no key, which needs the operator Exists'),
    (tolerates(key='a', value='b c'), 'has the value "b c", which is no valid value of a label'),
    (tolerates(key='a', operator='Gt', value='05'), 'has the value "05", which is no decimal number'),
    (tolerates(key='a', operator='Exists', effect='NoSchedule', tolerationSeconds=5), 'has tolerationSeconds, although the effect is not NoExecute'),
    ({'topologySpreadConstraints': [SPREAD, {**SPREAD, 'maxSkew': 2}]}, 'have two constraints of kubernetes.io/hostname with whenUnsatisfiable ScheduleAnyway'),
    ({'topologySpreadConstraints': [{**SPREAD, 'minDomains': 2}]}, 'has minDomains, although whenUnsatisfiable is ScheduleAnyway'),
    ({'topologySpreadConstraints': [{**SPREAD, 'labelSelector': {'matchExpressions': [{'key': 'a', 'operator': 'Gt', 'values': ['1']}]}}]},
     'has the operator Gt, which is none of In NotIn Exists DoesNotExist'),
    ({'topologySpreadConstraints': [{**SPREAD, 'labelSelector': {'matchLabels': {'app': 'web'}}, 'matchLabelKeys': ['app']}]},
     'has app both in matchLabelKeys and in the labelSelector'),
    ({'runtimeClassName': ''}, 'spec.runtimeClassName of its pods is "", which is no name'),
    ({'hostAliases': [{'ip': 'gateway', 'hostnames': ['a']}]}, 'spec.hostAliases[0].ip of its pods is "gateway", which is no IP address'),
    (node([]), 'nodeSelectorTerms of its pods is empty'),
    (needs(operator='In', values=[]), 'has no values, although the operator is In'),
    (needs(operator='Exists', values=['amd64']), 'has values, although the operator is Exists'),
    (needs(operator='Gt', values=['1', '2']), 'needs one value, as the operator is Gt'),
    (needs(operator='In', values=['a b']), 'matchExpressions[0].values[0] of its pods is "a b"'),
    ({'affinity': {'nodeAffinity': {PREFERRED: [{'weight': 200, 'preference': {'matchExpressions': [{'key': 'a', 'operator': 'Exists'}]}}]}}},
     f'spec.affinity.nodeAffinity.{PREFERRED}[0].weight of its pods is 200, more than 100'),
    ({'affinity': {'podAntiAffinity': {PREFERRED: [{'weight': 0, 'podAffinityTerm': TERM}]}}}, '[0].weight of its pods is 0, less than 1'),
    ({'affinity': {'podAffinity': {REQUIRED: [{'labelSelector': {}}]}}}, '[0].topologyKey of its pods is missing'),
    ({'affinity': {'podAffinity': {REQUIRED: [{'topologyKey': 'a', 'namespaces': ['My_NS'], 'labelSelector': {}}]}}}, '[0].namespaces[0] of its pods is "My_NS"'),
    ({'securityContext': {'seccompProfile': {}}}, 'spec.securityContext.seccompProfile.type of its pods is missing'),
    ({'volumes': [{'name': 'V_x', 'emptyDir': {}}]}, 'spec.volumes[0].name of its pods is "V_x", which is no DNS label'),
    ({'volumes': [{'name': 'v', 'emptyDir': {}, 'hostPath': {'path': '/'}}]}, 'spec.volumes[0] of its pods has 2 sources instead of one'),
    ({'volumes': [{'name': 'v', 'configMap': {'items': []}}]}, 'spec.volumes[0].configMap.name of its pods is missing'),
    ({'initContainers': [CONTAINER]}, 'has an init container and a container with the name c'),
    ({'initContainers': [{**CONTAINER, 'name': 'i', 'readinessProbe': {'tcpSocket': {'port': 80}}}]},
     'spec.initContainers[0] of its pods has a readinessProbe, which needs the restartPolicy Always in an init container'),
    ({'hostNetwork': True, 'containers': [{**CONTAINER, 'ports': [{'containerPort': 80, 'hostPort': 81}]}]}, 'has hostNetwork, and the hostPort 81 for containerPort 80'),
    ({'containers': [{**CONTAINER, 'name': n, 'ports': [{'containerPort': p, 'hostPort': 99}]} for n, p in (('c', 1), ('d', 2))]},
     'spec of its pods has two containers with the host port 99'),
]
# Members of a container.
CONTAINERS = [
    ({'name': 'C_Upper'}, 'name of its pods is "C_Upper", which is no DNS label'),
    ({'imagePullPolicy': 'Allways'}, 'imagePullPolicy of its pods is "Allways", which is not Always, IfNotPresent or Never'),
    ({'terminationMessagePolicy': 'Log'}, 'terminationMessagePolicy of its pods is "Log", which is not File or FallbackToLogsOnError'),
    ({'args': ['--port', 80]}, 'args[1] of its pods is 80, which is no text without quotes'),
    ({'env': [{'name': 'A', 'value': True}]}, 'env[0].value of its pods is true, which is no text without quotes'),
    ({'env': [{'value': 'x'}]}, 'env[0].name of its pods is missing'),
    ({'env': [{'name': 'A', 'value': 'x', 'valueFrom': {'fieldRef': {'fieldPath': 'metadata.name'}}}]}, 'env[0] of its pods has both value and valueFrom'),
    ({'env': [{'name': 'A', 'valueFrom': {}}]}, 'env[0].valueFrom of its pods has none of fieldRef'),
    ({'ports': [{'containerPort': 80, 'protocol': 'HTTP'}]}, 'ports[0].protocol of its pods is "HTTP", which is not TCP, UDP or SCTP'),
    ({'ports': [{'containerPort': 80, 'name': 'prometheus-metrics-port'}]}, 'ports[0].name of its pods is "prometheus-metrics-port", which is no name of a port'),
    ({'ports': [{'name': 'http'}]}, 'ports[0].containerPort of its pods is missing'),
    ({'volumeMounts': [{'name': 'v'}]}, 'volumeMounts[0].mountPath of its pods is missing'),
    ({'volumeMounts': [{'name': 'v', 'mountPath': '/d'}] * 2}, 'volumeMounts of its pods have two mounts at /d'),
    ({'volumeMounts': [{'name': 'v', 'mountPath': '/d', 'subPath': 'a', 'subPathExpr': '$(B)'}]}, 'volumeMounts[0] of its pods has both subPath and subPathExpr'),
    ({'volumeMounts': [{'name': 'v', 'mountPath': '/d', 'mountPropagation': 'Bidirectional'}]}, ' of its pods has the mountPropagation Bidirectional, which needs privileged: true'),
    ({'securityContext': {'capabilities': {'add': ['CAP_SYS_ADMIN']}, 'allowPrivilegeEscalation': False}},
     'securityContext of its pods has the capability CAP_SYS_ADMIN, although allowPrivilegeEscalation is false'),
    ({'resizePolicy': [{'resourceName': 'gpu', 'restartPolicy': 'NotRequired'}]}, 'resizePolicy[0].resourceName of its pods is "gpu", which is not cpu or memory'),
    ({'securityContext': {'privileged': True, 'allowPrivilegeEscalation': False}}, 'securityContext of its pods is privileged, although allowPrivilegeEscalation is false'),
    ({'livenessProbe': {'periodSeconds': 3}}, 'livenessProbe of its pods has none of exec httpGet tcpSocket grpc'),
    ({'livenessProbe': {'successThreshold': 2, 'exec': {'command': ['x']}}}, 'livenessProbe of its pods has the successThreshold 2 instead of 1'),
    ({'readinessProbe': {'httpGet': {'path': '/'}}}, 'readinessProbe.httpGet.port of its pods is missing'),
    ({'readinessProbe': {'httpGet': {'port': 70000}}}, 'readinessProbe.httpGet.port of its pods is 70000, more than 65535'),
    ({'readinessProbe': {'initialDelaySeconds': '5s', 'exec': {'command': ['x']}}}, 'readinessProbe.initialDelaySeconds of its pods is "5s", which is no whole number'),
    ({'lifecycle': {'preStop': {'exec': {}}}}, 'lifecycle.preStop.exec.command of its pods is missing'),
]


def job(**spec):
    return 'Job', {'parallelism': 1, **spec, 'template': {'spec': {'restartPolicy': 'Never', 'containers': [CONTAINER]}}}


def of_apps(kind, **spec):
    return kind, {'selector': {'matchLabels': {'app': 'web'}}, 'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': {'containers': [CONTAINER]}}, **spec}


# Specs of workloads.
WORKLOADS = [
    (job(completionMode='Indexed'), 'its spec has the completionMode Indexed, which needs completions'),
    (job(completions=1, completionMode='Index'), 'its spec.completionMode is "Index", which is not NonIndexed or Indexed'),
    (job(completions=1, backoffLimitPerIndex=2), 'its spec has backoffLimitPerIndex, which needs the completionMode Indexed'),
    (job(completions=1, completionMode='Indexed', maxFailedIndexes=2), 'its spec has maxFailedIndexes without backoffLimitPerIndex'),
    (job(selector={'matchLabels': {'app': 'web'}}), 'its spec has a selector, which needs manualSelector: true'),
    (job(podFailurePolicy={'rules': []}, podReplacementPolicy='TerminatingOrFailed'), 'its spec has a podFailurePolicy, which needs the podReplacementPolicy Failed'),
    (of_apps('DaemonSet', updateStrategy={'rollingUpdate': {'maxSurge': 1}}), 'its spec.updateStrategy has a maxSurge, which needs the maxUnavailable 0'),
    (of_apps('StatefulSet', updateStrategy={'rollingUpdate': {'maxUnavailable': '0%'}}), 'its spec.updateStrategy.rollingUpdate.maxUnavailable is 0'),
    (job(backoffLimit=-1), 'its spec.backoffLimit is -1, less than 0'),
    (of_apps('Deployment', strategy={'type': 'Rolling'}), 'its spec.strategy.type is "Rolling", which is not Recreate or RollingUpdate'),
    (of_apps('Deployment', strategy={'type': 'Recreate', 'rollingUpdate': {'maxSurge': 1}}), 'its spec.strategy has rollingUpdate, although its type is Recreate'),
    (of_apps('Deployment', strategy={'rollingUpdate': {'maxSurge': 0, 'maxUnavailable': '0%'}}), 'its spec.strategy has the maxUnavailable 0 and the maxSurge 0'),
    (of_apps('Deployment', strategy={'rollingUpdate': {'maxSurge': '25'}}), 'its spec.strategy.rollingUpdate.maxSurge is "25", which is neither a whole number nor a percentage'),
    (of_apps('DaemonSet', updateStrategy={'type': 'Never'}), 'its spec.updateStrategy.type is "Never"'),
    (of_apps('StatefulSet', podManagementPolicy='Paralel'), 'its spec.podManagementPolicy is "Paralel", which is not OrderedReady or Parallel'),
    (of_apps('StatefulSet', volumeClaimTemplates=[{'metadata': {'name': 'd'}, 'spec': {'resources': {'requests': {'storage': '1Gi'}}}}]),
     'its spec.volumeClaimTemplates[0].spec.accessModes is missing'),
]
VERSIONS = {'Job': 'batch/v1'}
# All of it in one pod that the API server takes.
FINE = {
    'restartPolicy': 'Always', 'dnsPolicy': 'None', 'dnsConfig': {'nameservers': ['10.0.0.10']}, 'hostname': 'a', 'os': {'name': 'linux'}, 'preemptionPolicy': 'Never',
    'nodeSelector': {'example.com/a': '', 'b': '1'}, 'tolerations': [{'operator': 'Exists'}, {'key': 'a', 'operator': 'Gt', 'value': '-5'}, {'key': 'b', 'effect': 'NoExecute', 'tolerationSeconds': 5}],
    'topologySpreadConstraints': [SPREAD, {**SPREAD, 'whenUnsatisfiable': 'DoNotSchedule', 'minDomains': 1, 'matchLabelKeys': ['pod-template-hash']}],
    'affinity': {**node([{'matchExpressions': [{'key': 'a', 'operator': 'NotIn', 'values': ['']}, {'key': 'c', 'operator': 'Lt', 'values': ['5']}]}])['affinity'],
                 'podAffinity': {PREFERRED: [{'weight': 100, 'podAffinityTerm': TERM}]}},
    'securityContext': {'runAsUser': 0, 'seccompProfile': {'type': 'RuntimeDefault'}, 'fsGroupChangePolicy': 'Always'},
    'volumes': [{'name': 'v'}, {'name': 'w', 'emptyDir': {'medium': 'Memory'}}, {'name': 'h', 'hostPath': {'path': '/', 'type': ''}}],
    'initContainers': [{**CONTAINER, 'name': 'side', 'restartPolicy': 'Always', 'startupProbe': {'grpc': {'port': 1}}, 'ports': [{'containerPort': 9, 'hostPort': 9}]}],
    'containers': [{**CONTAINER, 'command': ['sh', '-c', ''], 'imagePullPolicy': 'Never', 'env': [{'name': 'a.b-c', 'value': ''}, {'name': 'N', 'valueFrom': {'fieldRef': {'fieldPath': 'spec.nodeName'}}}],
                    'ports': [{'containerPort': 53, 'hostPort': 53, 'protocol': p, 'name': f'dns-{p.lower()}'} for p in ('TCP', 'UDP', 'SCTP')],
                    'volumeMounts': [{'name': 'v', 'mountPath': '/v'}, {'name': 'v', 'mountPath': '/v2', 'mountPropagation': 'None'}],
                    'livenessProbe': {'httpGet': {'port': 'dns-tcp', 'scheme': 'HTTPS'}, 'successThreshold': 1, 'terminationGracePeriodSeconds': 5},
                    'readinessProbe': {'exec': {'command': ['x']}, 'successThreshold': 3}, 'lifecycle': {'preStop': {'sleep': {'seconds': 5}}}}],
}


def deployment(name, spec, labels=None):
    return thing('apps/v1', 'Deployment', name, spec={'selector': {'matchLabels': {'app': 'web'}}, 'template': {
        'metadata': {'labels': {'app': 'web', **(labels or {})}}, 'spec': spec}})


def inputs():
    """(object, what is said of it)"""
    for at, (spec, wanted) in enumerate(PODS):
        yield deployment(f'pod-{at}', {'containers': [CONTAINER], **spec}), wanted
    for at, (more, wanted) in enumerate(CONTAINERS):
        yield deployment(f'container-{at}', {'containers': [{**CONTAINER, **more}], 'volumes': [{'name': 'v'}]}), 'spec.containers[0]' + ('' if wanted.startswith(' ') else '.') + wanted
    for at, ((kind, spec), wanted) in enumerate(WORKLOADS):
        yield thing('batch/v1' if kind == 'Job' else 'apps/v1', kind, f'workload-{at}', spec=spec), wanted
    yield deployment('labels', {'containers': [CONTAINER]}, labels={'v': 'a b'}), 'metadata.labels.v of its pods is "a b", which is no valid value of a label'
    yield {**deployment('annotated', {'containers': [CONTAINER]}), 'metadata': {'name': 'annotated', 'annotations': {'a b': 'x'}}}, 'its metadata.annotations has the key "a b"'
    yield thing('batch/v1', 'Job', 'j' * 64, spec=job()[1]), 'its name has 64 characters, and a label of its pods gets too long with more than 63'
    yield thing('apps/v1', 'StatefulSet', 'a.b', spec=of_apps('StatefulSet')[1]), 'its metadata.name is "a.b", which is no DNS label'
    yield thing('v1', 'Pod', 'alone', spec={'containers': [CONTAINER], 'dnsPolicy': 'First'}), 'its spec.dnsPolicy is "First"'


GIVEN = list(inputs())
everything = manifest(*(one for one, _ in GIVEN))
told = problems(*(one for one, _ in GIVEN))
for one, wanted in GIVEN:
    start = f'{one["kind"]} {one["metadata"]["name"]} is not planned, as the API server refuses it '
    found = [t for t in told if t.startswith(start)]
    check(len(found) == 1 and wanted in found[0], f'{wanted}: {found}')
equal(len(told), len(GIVEN), 'nothing else')
equal(pods(*(one for one, _ in GIVEN)), [], 'no pods')
findings = json.loads(run('lint', POOL, everything, '-o', 'json', status=None)[0])['findings']
equal(sum(f['severity'] == 'error' for f in findings), len(GIVEN), 'lint')

claim = deployment('claim', {'containers': [CONTAINER], 'volumes': [{'name': 'v', 'persistentVolumeClaim': {'claimName': 'YOUR-CLAIM'}}]})
check('is "YOUR-CLAIM", and no PersistentVolumeClaim can have this name' in problems(claim)[0], 'claim')

# --lenient plans them, pods of a cluster exist, and what the API server takes is no problem.
equal(problems(*(one for one, _ in GIVEN), words=('--lenient',)), [], '--lenient')
stored = thing('v1', 'Pod', 'alone', {'uid': 'u'}, spec={'containers': [CONTAINER], 'dnsPolicy': 'First'}, status={'phase': 'Pending'})
WINDOWS = {'os': {'name': 'windows'}, 'hostPID': False, 'securityContext': {'sysctls': []}, 'containers': [
    {**CONTAINER, 'livenessProbe': {'exec': {'command': ['x']}, 'successThreshold': 0}}],
    'volumes': [{'name': 'v'}], 'hostAliases': [{'ip': 'fd00::1'}, {'ip': '10.0.0.1'}]}
service = thing('serving.knative.dev/v1', 'Service', 'probed', spec={'template': {'spec': {'containers': [{**CONTAINER, 'livenessProbe': {'httpGet': {'path': '/'}}, 'readinessProbe': {}}]}}})
agent = thing('apps/v1', 'DaemonSet', 'agent', spec={**of_apps('DaemonSet')[1], 'updateStrategy': {'type': 'OnDelete', 'rollingUpdate': {'maxUnavailable': 1}}})
empty = thing('batch/v1', 'Job', 'empty', spec={**job()[1], 'selector': {}})
equal(problems(service, agent, empty, deployment('windows', WINDOWS)), [], 'refused wrongly once')
fine = [deployment('fine', FINE), thing('v1', 'Pod', 'also', spec={**FINE, 'activeDeadlineSeconds': 9}), stored]
equal(problems(*fine), [], 'valid')
equal(len(pods(*fine)), len(fine), 'pods')

# Node classes are read all the same; those of a cluster have a status.
def of_class(**change):
    return thing('karpenter.k8s.aws/v1', 'EC2NodeClass', 'mine', spec={k: v for k, v in {**CLASS, **change}.items() if v is not None})


for change, wanted in (({'role': None}, 'its spec has neither role nor instanceProfile'),
                       ({'instanceProfile': 'p'}, 'its spec has both role and instanceProfile'),
                       ({'subnetSelectorTerms': None}, 'its spec.subnetSelectorTerms is missing'),
                       ({'subnetSelectorTerms': []}, 'its spec.subnetSelectorTerms is empty'),
                       ({'subnetSelectorTerms': [{'id': 'subnet-1'}, {}]}, 'its spec.subnetSelectorTerms[1] has none of the fields id tags'),
                       ({'subnetSelectorTerms': [{'id': 'subnet-1', 'tags': {'a': 'b'}}]}, 'its spec.subnetSelectorTerms[0] has an id and other fields besides'),
                       ({'securityGroupSelectorTerms': None}, 'its spec.securityGroupSelectorTerms is missing'),
                       ({'amiSelectorTerms': None, 'amiFamily': 'AL2023'}, 'its spec.amiSelectorTerms is missing'),
                       ({'amiSelectorTerms': [{'id': 'ami-1'}]}, 'its spec has neither an amiFamily nor an alias of one'),
                       ({'amiSelectorTerms': [{'owner': 'self'}], 'amiFamily': 'AL2'}, 'its spec.amiSelectorTerms[0] has none of the fields alias id name')):
    found = problems(of_class(**change))
    check(len(found) == 1 and f'EC2NodeClass mine: the API server refuses it: {wanted}' in found[0], f'{wanted}: {found}')
    equal(problems({**of_class(**change), 'status': {'subnets': []}}), [], 'of a cluster')
for change in ({}, {'role': None, 'instanceProfile': 'p'}, {'amiSelectorTerms': [{'id': 'ami-1'}], 'amiFamily': 'AL2'}):
    equal(problems(of_class(**change)), [], str(change))
before = {**of_class(amiSelectorTerms=None, amiFamily='AL2'), 'apiVersion': 'karpenter.k8s.aws/v1beta1'}
equal(problems(before), [], 'v1beta1 needs no terms of images')

# Pod Security levels of namespaces.
def levelled(level, spec, enforce='enforce'):
    space = thing('v1', 'Namespace', 'safe', {'labels': {f'pod-security.kubernetes.io/{enforce}': level}})
    return space, {**deployment('web', spec), 'metadata': {'name': 'web', 'namespace': 'safe'}}


def secured(**context):
    return {**CONTAINER, 'securityContext': context}


SAFE = {'allowPrivilegeEscalation': False, 'capabilities': {'drop': ['ALL']}, 'runAsNonRoot': True, 'seccompProfile': {'type': 'RuntimeDefault'}}
without = lambda name: secured(**{k: v for k, v in SAFE.items() if k != name})
for level, spec, wanted in (
        ('baseline', {'hostNetwork': True, 'containers': [CONTAINER]}, 'hostNetwork of its pods is true'),
        ('baseline', {'containers': [secured(privileged=True)]}, 'containers[0].securityContext.privileged of its pods is true'),
        ('baseline', {'containers': [CONTAINER], 'initContainers': [{**secured(capabilities={'add': ['SYS_ADMIN']}), 'name': 'i'}]}, 'initContainers[0].securityContext.capabilities.add[0] of its pods is "SYS_ADMIN"'),
        ('baseline', {'containers': [{**CONTAINER, 'ports': [{'containerPort': 80, 'hostPort': 80}]}]}, 'containers[0].ports[0].hostPort of its pods is 80'),
        ('baseline', {'containers': [CONTAINER], 'volumes': [{'name': 'v', 'hostPath': {'path': '/'}}]}, 'volumes[0].hostPath of its pods is not allowed'),
        ('baseline', {'containers': [CONTAINER], 'securityContext': {'seccompProfile': {'type': 'Unconfined'}}}, 'securityContext.seccompProfile.type of its pods is Unconfined'),
        ('baseline', {'containers': [CONTAINER], 'securityContext': {'sysctls': [{'name': 'kernel.msgmax', 'value': '1'}]}}, 'sysctls[0].name of its pods is "kernel.msgmax"'),
        ('restricted', {'containers': [secured(privileged=True)]}, 'privileged of its pods is true'),
        ('restricted', {'containers': [without('runAsNonRoot')]}, 'containers[0] of its pods does not set runAsNonRoot: true'),
        ('restricted', {'containers': [without('allowPrivilegeEscalation')]}, 'does not set allowPrivilegeEscalation: false'),
        ('restricted', {'containers': [without('capabilities')]}, 'does not drop ALL capabilities'),
        ('restricted', {'containers': [without('seccompProfile')]}, 'has no seccompProfile'),
        ('restricted', {'containers': [secured(**SAFE)], 'securityContext': {'runAsUser': 0}}, 'securityContext.runAsUser of its pods is 0'),
        ('restricted', {'containers': [secured(**SAFE)], 'volumes': [{'name': 'v', 'nfs': {'server': 's', 'path': '/'}}]}, 'volumes[0] of its pods is of another kind than configMap')):
    said, = problems(*levelled(level, spec))
    check(f'namespace safe enforces the Pod Security level {level}: ' in said and wanted in said, f'{wanted}: {said}')
    equal(problems(*levelled(level, spec), words=('--lenient',)), [], '--lenient')
    equal(problems(*levelled(level, spec, 'warn')), [], 'a warning')
for level, spec in (('restricted', {'containers': [secured(**SAFE)], 'volumes': [{'name': 'v', 'emptyDir': {}}]}),
                    ('restricted', {'containers': [without('runAsNonRoot')], 'securityContext': {'runAsNonRoot': True}}),
                    ('restricted', {'os': {'name': 'windows'}, 'containers': [secured(runAsNonRoot=True)]}),
                    ('baseline', {'containers': [secured(runAsUser=0, capabilities={'add': ['CHOWN']})], 'volumes': [{'name': 'v', 'emptyDir': {}}]}),
                    ('privileged', {'hostPID': True, 'containers': [secured(privileged=True)]})):
    equal(problems(*levelled(level, spec)), [], f'{level}: {spec}')
finish()
