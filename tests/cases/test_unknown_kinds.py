# SPDX-License-Identifier: Apache-2.0
"""Kinds of which nothing is known are not understood, whatever else the input has. Only of kinds that are known to create no pods karp says that they
have no effect."""
import os
import pathlib
import re

from manifests import APP, POOL, manifest, problems
from stories import check, document, equal, finish, run


def thing(kind, group, name='t', **more):
    return {'apiVersion': f'{group}/v1', 'kind': kind, 'metadata': {'name': name}, **more}


FARM = thing('Farm', 'example.com', 'f', spec={'size': 3})
SPEC = {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '1'}}}]}


def unknown():
    text, = problems(FARM, thing('Farm', 'example.com', 'g'))
    check(text.startswith('not understood: ') and 'input.json:1: kind Farm of example.com is not known (f): whether it creates pods is not known; '
          '--pods-from Farm.example.com=/PATH/OF/TEMPLATE says where its pods are, --ignore-kinds Farm.example.com that it has none' in text, text)
    input_ = [POOL, APP, manifest(FARM)]
    for verb in (['plan'], ['plan', '--settle'], ['disrupt'], ['lint']):
        gate = 'error' if verb == ['lint'] else 'unschedulable' if verb[0] == 'plan' else 'cost=$100000'
        run(*verb, *input_, '--fail-on', gate, status=3)
        run(*verb, *input_, '--ignore-kinds', 'Farm.example.com', '--fail-on', gate)
    check('INCOMPLETE: 1 part of the input is not understood' in run('plan', *input_)[0], 'the last line')
    run('diff', *input_, '--fail-on', 'cost=$100000', '--', '--delete', 'Farm/f', status=3)
    # A dump keeps it; deleting the object helps, and so do its pods.
    dump = input_[-1].with_name('dump.json')
    dump.write_text(run('dump', *input_)[0])
    run('plan', dump, '--fail-on', 'unschedulable', status=3)
    run('plan', *input_, '--delete', 'Farm/f', '--fail-on', 'unschedulable')
    pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'f-0', 'ownerReferences': [
        {'apiVersion': 'example.com/v1', 'kind': 'Farm', 'name': 'f', 'uid': 'u', 'controller': True}]}, 'spec': SPEC}
    equal(problems(FARM, pod), [], 'its pod')


def ignored():
    both = [FARM, thing('Barn', 'example.com'), thing('Barn', 'example.org')]
    equal(len(problems(*both)), 3, 'three kinds')
    equal(len(problems(*both, words=['--ignore-kinds', 'Farm.example.com,Barn.example.org'])), 1, 'two names')
    equal(len(problems(*both, words=['--ignore-kinds', '*.example.com'])), 1, 'a group')
    equal(len(problems(*both, words=['--ignore-kinds', 'Far.example.com'])), 3, 'another name')
    told = document('plan', POOL, APP, manifest(FARM), '--ignore-kinds', 'Farm.example.com')['warnings']
    check('Farm of example.com/v1 is left out (--ignore-kinds)' in told, told)
    # A kind that is known to create pods, or looks like it.
    equal(problems(thing('Kafka', 'kafka.strimzi.io'), words=['--ignore-kinds', 'Kafka.kafka.strimzi.io']), [], 'an operator')
    for wrong, why in (('Farm', 'is Kind.group'), ('Deployment.apps', 'is read'), ('RayCluster.ray.io', 'is read'), ('a.b,,', 'is Kind.group')):
        check(why in run('plan', POOL, '--ignore-kinds', wrong, status=1)[1], wrong)


def known():
    for kind, group in (('Certificate', 'cert-manager.io'), ('HTTPRoute', 'gateway.networking.k8s.io'), ('VirtualService', 'networking.istio.io'),
                        ('ServiceMonitor', 'monitoring.coreos.com'), ('PodMonitor', 'monitoring.gke.io'), ('ChaosExperiment', 'litmuschaos.io'), ('Bucket', 's3.aws.upbound.io'), ('Table', 'dynamodb.services.k8s.aws'),
                        ('KubeadmControlPlane', 'controlplane.cluster.x-k8s.io'), ('VerticalPodAutoscalerCheckpoint', 'autoscaling.k8s.io'), ('Role', 'rbac.authorization.k8s.io')):
        equal(problems(thing(kind, group)), [], kind)
    # Templates that other objects use.
    for kind, group, spec in (('SandboxTemplate', 'extensions.agents.x-k8s.io', {'podTemplate': {'spec': SPEC}}), ('PreBackupPod', 'k8up.io', {'pod': {'spec': SPEC}}),
                              ('ResourceGraphDefinition', 'kro.run', {'resources': [{'template': {'spec': {'template': {'spec': SPEC}}}}]})):
        equal(problems(thing(kind, group, spec=spec)), [], kind)
    # Operators whose objects look like settings, and a kind of a group that is otherwise harmless.
    makers = (('ProxyGroup', 'tailscale.com'), ('SandboxClaim', 'extensions.agents.x-k8s.io'), ('ClusterObservability', 'opentelemetry.io'), ('JuiceFSRuntime', 'data.fluid.io'),
              ('Seaweed', 'seaweed.seaweedfs.com'), ('TenantControlPlane', 'kamaji.clastix.io'), ('Cluster', 'k3k.io'), ('OpenLibertyApplication', 'apps.openliberty.io'),
              ('LVMCluster', 'lvm.topolvm.io'), ('SandboxAgent', 'kagent.dev'), ('Stack', 'pulumi.com'), ('Plan', 'upgrade.cattle.io'), ('ReplicationSource', 'volsync.backube'),
              ('Backup', 'k8up.io'), ('Restore', 'k8s.mariadb.com'), ('HyperConverged', 'hco.kubevirt.io'), ('Site', 'skupper.io'), ('Klusterlet', 'operator.open-cluster-management.io'),
              ('CoreProvider', 'operator.cluster.x-k8s.io'), ('Terraform', 'infra.contrib.fluxcd.io'), ('JobRun', 'emrcontainers.services.k8s.aws'), ('RolloutManager', 'argoproj.io'),
              ('ChaosEngine', 'litmuschaos.io'))
    told = problems(*[thing(kind, group, 'o', spec={}) for kind, group in makers])
    equal([text.split(' creates')[0] for text in told], [f'{kind} o' for kind, _ in makers], 'operators')


def autoscalers():
    """Those that are not modelled, unless the pods or the replicas of their target are stated."""
    ref = {'scaleTargetRef': {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'web'}}
    web = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'}, 'spec': {
        'selector': {'matchLabels': {'app': 'web'}}, 'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': SPEC}}}
    for kind, group in (('HTTPScaledObject', 'http.keda.sh'), ('CronHorizontalPodAutoscaler', 'autoscaling.alibabacloud.com')):
        scaler = thing(kind, group, spec=ref)
        check(f'{kind} t changes the replicas of Deployment web, which is not modelled' in problems(web, scaler)[0], kind)
        for words in (['--replicas-from', 'spec'], ['--scale', 'web=2'], ['--ignore-kinds', f'{kind}.{group}']):
            equal(problems(web, scaler, words=words), [], words)
        equal(problems(scaler), [], 'no target')
        check('changes the replicas of workloads' in problems(web, thing(kind, group, spec={}))[0], 'any target')


def tables():
    """They are searched by halves."""
    for name in ('pod_maker_kinds', 'harmless_kinds'):
        text = (pathlib.Path(os.environ['KARP_SOURCE']) / 'lib/io' / f'{name}.c').read_text()
        groups = re.findall(r'^    \{ "([^"]+)"', text, re.M)
        check(len(groups) > 200, name)
        equal(groups, sorted(groups), name)


for test in (unknown, ignored, known, autoscalers, tables):
    test()
finish()
