# SPDX-License-Identifier: Apache-2.0
"""What changes new pods and is not evaluated: a policy is not understood, a webhook or a sidecar is noted."""
from manifests import APP, POOL, manifest, notes, problems
from stories import check, equal, finish, run


def thing(kind, group, name='one', version='v1', **more):
    return {'apiVersion': f'{group}/{version}', 'kind': kind, 'metadata': {'name': name}, **more}


def kyverno(change, kinds=('Pod',), **match):
    return thing('ClusterPolicy', 'kyverno.io', spec={'rules': [{'name': 'r', 'match': match or {'any': [{'resources': {'kinds': list(kinds)}}]}, **change}]})


def assign(location, kind='Assign', kinds=('Pod',)):
    return thing(kind, 'mutations.gatekeeper.sh', spec={'applyTo': [{'groups': [''], 'kinds': list(kinds), 'versions': ['v1']}], 'location': location})


def mutating(kind, group, expression, resources=('pods',)):
    return thing(kind, group, spec={'matchConstraints': {'resourceRules': [{'apiGroups': [''], 'resources': list(resources)}]},
                                    'mutations': [{'patchType': 'ApplyConfiguration', 'applyConfiguration': {'expression': expression}}]})


SELECTOR = {'mutate': {'patchStrategicMerge': {'spec': {'+(nodeSelector)': {'pool': 'spot'}}}}}
PATCH = {'mutate': {'patchesJson6902': '- op: add\n  path: "/spec/tolerations/-"\n  value: {operator: Exists}'}}
PULL = {'mutate': {'patchStrategicMerge': {'spec': {'containers': [{'(name)': '*', 'imagePullPolicy': 'Always'}]}}}}
CEL = 'Object{spec: Object.spec{priorityClassName: "low"}}'

for policy, field in ((kyverno(SELECTOR), 'nodeSelector'), (kyverno(PATCH), 'tolerations'), (kyverno(SELECTOR, ('apps/v1/Deployment',)), 'nodeSelector'),
                      (kyverno(SELECTOR, resources={'kinds': ['*']}), 'nodeSelector'), (assign('spec.nodeSelector.pool'), 'nodeSelector'),
                      (assign('spec.containers[name:*].resources.limits.cpu', 'ModifySet'), 'resources'),
                      (mutating('MutatingPolicy', 'policies.kyverno.io', CEL), 'priorityClassName'),
                      (mutating('MutatingAdmissionPolicy', 'admissionregistration.k8s.io', CEL, ('deployments',)), 'priorityClassName')):
    said, = problems(policy)
    check(f'{policy["kind"]} one changes {field} of new pods' in said and f'--ignore-kinds {policy["kind"]}.' in said, said)
    files = [POOL, APP, manifest(policy)]
    run('plan', *files, '--fail-on', 'unschedulable', status=3)
    run('plan', *files, '--fail-on', 'unschedulable', '--ignore-kinds', f'{policy["kind"]}.{policy["apiVersion"].split("/")[0]}')

# They change nothing that decisions read, or no pods, or are of a cluster, whose pods are changed already.
of_cluster = kyverno(SELECTOR)
of_cluster['metadata']['uid'] = 'u'
for policy in (kyverno(PULL), kyverno({'validate': {'pattern': {'spec': {'nodeSelector': {'pool': '?*'}}}}}), kyverno(SELECTOR, ('ConfigMap',)),
               assign('spec.containers[name:*].imagePullPolicy'), assign('spec.replicas', kinds=('Widget',)), mutating('MutatingPolicy', 'policies.kyverno.io', CEL, ('services',)),
               of_cluster):
    equal(problems(policy), [], policy)


def webhook(operations=('CREATE',), groups=('',), resources=('pods',)):
    return thing('MutatingWebhookConfiguration', 'admissionregistration.k8s.io', webhooks=[
        {'name': 'pods.example.org', 'rules': [{'operations': list(operations), 'apiGroups': list(groups), 'resources': list(resources)}]}])


for one in (webhook(), webhook(('*',), ('*',), ('*/*',))):
    check('its webhook pods.example.org may change new pods' in notes(one), notes(one))
    equal(problems(one), [], one)
for one in (webhook(('UPDATE',)), webhook(groups=('cert-manager.io',)), webhook(resources=('pods/status',))):
    check('may change new pods' not in notes(one), one)


def deployment(name='web', containers=('c',), **metadata):
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': name}, 'spec': {
        'selector': {'matchLabels': {'app': 'web'}}, 'template': {'metadata': {'labels': {'app': 'web'}, **metadata}, 'spec': {
            'containers': [{'name': c, 'image': 'x', 'resources': {'requests': {'cpu': '1'}}} for c in containers]}}}}


def injected(*objects):
    return [n for n in notes(*objects).split(' | ') if 'sidecar' in n]


LINKERD = {'annotations': {'linkerd.io/inject': 'enabled'}}
said, = injected(deployment(**LINKERD), deployment('second', **LINKERD))
check(said.startswith('Deployment web: linkerd.io/inject: enabled has a sidecar of Linkerd') and 'linkerd inject FILE' in said, said)
said, = injected({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'mesh', 'labels': {'istio-injection': 'enabled'}}})
check(said.startswith('Namespace mesh: istio-injection: enabled has a sidecar of Istio'), said)
equal(injected(deployment(containers=('c', 'linkerd-proxy'), **LINKERD)), [], 'it has the sidecar')
equal(injected(deployment(annotations={'linkerd.io/inject': 'disabled'})), [], 'none is wanted')

# OpenKruise's sidecars.
def sidecars(**container):
    return thing('SidecarSet', 'apps.kruise.io', version='v1alpha1', spec={'selector': {'matchLabels': {'app': 'web'}}, 'containers': [{'name': 'log', 'image': 'x', **container}]})


said, = problems(sidecars(resources={'requests': {'cpu': '1'}}))
check('SidecarSet one changes resources of new pods' in said, said)
equal(problems(sidecars()), [], 'a sidecar without requests')
finish()
