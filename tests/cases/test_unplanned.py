# SPDX-License-Identifier: Apache-2.0
"""Objects that create pods which are not planned: they are listed apart, and no gate passes."""
import json
import pathlib

from manifests import APP, POOL, folder, manifest, problems
from stories import check, document, equal, finish, run

SPEC = {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '1'}}}]}


def thing(kind, group, name='train', **more):
    return {'apiVersion': f'{group}/v1', 'kind': kind, 'metadata': {'name': name}, **more}


def owned(by, kind='Pod', version='v1', **more):
    return {'apiVersion': version, 'kind': kind, 'metadata': {'name': f'{by["metadata"]["name"]}-0', 'ownerReferences': [
        {'apiVersion': by['apiVersion'], 'kind': by['kind'], 'name': by['metadata']['name'], 'uid': 'u', 'controller': True}]}, **more}


WIDGET = thing('Widget', 'example.com', spec={'replicas': 3, 'jobs': [{'template': {'spec': SPEC}}]})
KAFKA = thing('Kafka', 'kafka.strimzi.io', 'events', spec={'kafka': {'replicas': 3}})

# Where it is, and why.
said, = problems(WIDGET)
check(said.startswith('Widget train creates pods that are not planned (') and said.endswith(
    'its pod template is /spec/jobs/*/template (--pods-from Widget.example.com=/spec/jobs/*/template, and after a comma the path of the number of pods)'), said)
check('input.json:1)' in said, said)
said, = problems(KAFKA)
check(said.startswith('Kafka events creates pods') and 'its operator decides on them' in said, said)
said, = problems(thing('HelmRelease', 'helm.toolkit.fluxcd.io', spec={}))
check('helm template' in said, said)
# An operator that nobody knows, by the resources of its containers; patterns of policies are none.
said, = problems(thing('Connect', 'platform.example.com', spec={'podTemplate': {'resources': {'limits': {'memory': '1Gi'}}}}))
check(said.startswith('Connect train creates pods') and 'its operator decides on them' in said, said)
for one in (thing('Topic', 'example.com', spec={'replicas': 3, 'partitions': 12}), thing('Rule', 'example.com', spec={'resources': {'limits': {'memory': '?*'}}}),
            thing('Rule', 'example.com', spec={'resources': ['pods']})):
    check('is not known' in problems(one)[0], one)
for one in (thing('KafkaTopic', 'kafka.strimzi.io', spec={'replicas': 3, 'partitions': 12}), thing('Policy', 'kyverno.io', spec={'resources': {'limits': {'memory': '1Gi'}}})):
    equal(problems(one), [], one)

# Text: a section of its own and the last line, in every answer; standard error where there is no room.
for words in (['plan'], ['plan', '--settle'], ['disrupt'], ['explain', 'pod', 'inflate-0'], ['diff', POOL, APP, manifest(WIDGET, KAFKA), '--', '--scale', 'inflate=1']):
    files = [] if words[0] == 'diff' else [POOL, APP, manifest(WIDGET, KAFKA)]
    lines = run(*words, *files)[0].splitlines()
    check(lines[-1].startswith('INCOMPLETE: ') and lines[-1].endswith('2 objects create pods that are not planned'), (words, lines[-1]))
text = run('plan', POOL, APP, manifest(WIDGET))[0]
check('\nNot planned\n  !   Widget train creates pods' in text and text.endswith('\nINCOMPLETE: 1 object creates pods that are not planned\n'), text)
check('**Not planned**' in run('plan', POOL, APP, manifest(WIDGET), '-o', 'markdown')[0], 'Markdown')
check('not planned' in run('plan', POOL, APP, manifest(WIDGET), '-o', 'html')[0], 'HTML')
check('karp_unplanned_objects 1\n' in run('plan', POOL, APP, manifest(WIDGET), '-o', 'prometheus')[0], 'Prometheus')
for form in ('csv', 'yaml', 'json-log', 'prometheus'):
    check('karp: Widget train creates pods' in run('plan', '-q', POOL, APP, manifest(WIDGET), '-o', form)[1], form)

# Gates: whatever they are about.
for gate in ('unschedulable', 'notes', 'cost=$100000'):
    _, error = run('plan', POOL, APP, manifest(WIDGET), '--fail-on', gate, status=3)
    check('--fail-on: 1 object creates pods that are not planned' in error, error)
    run('plan', '--settle', POOL, APP, manifest(WIDGET), '--fail-on', gate, status=3)
run('diff', POOL, APP, manifest(WIDGET), '--fail-on', 'cost=$100000', '--', '--delete', 'Widget/train', status=3)
run('disrupt', POOL, APP, manifest(WIDGET), '--fail-on', 'cost=$100000', status=3)
run('plan', POOL, APP, '--fail-on', 'unschedulable,cost=$100000')
finding, = [f for f in document('lint', POOL, manifest(WIDGET))['findings'] if f['rule'] == 'unplanned']
equal(finding['severity'], 'error', 'lint')
run('lint', POOL, manifest(WIDGET), '--fail-on', 'error', status=3)

# Nothing to decide on.
_, error = run('plan', POOL, '--fail-on', 'unschedulable', status=3)
check('no pod and no node to decide on' in error, error)
for stuck in ({'spec': SPEC, 'status': {'phase': 'Succeeded'}}, {'spec': {**SPEC, 'schedulingGates': [{'name': 'example.com/quota'}]}}):
    alone = manifest({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'alone'}, **stuck})
    for words in (['plan'], ['plan', '--settle']):
        check('no pod and no node to decide on' in run(*words, POOL, alone, '--fail-on', 'unschedulable', status=3)[1], stuck)
    run('plan', POOL, APP, alone, '--fail-on', 'unschedulable')
run('plan', POOL)

# Operators whose objects have no pod template.
operated = (('couchbase.com', 'CouchbaseCluster'), ('datadoghq.com', 'DatadogAgent'), ('k8s.keycloak.org', 'Keycloak'), ('numaflow.numaproj.io', 'Pipeline'),
            ('sparkoperator.k8s.io', 'SparkConnect'), ('temporal.io', 'TemporalCluster'), ('milvus.io', 'Milvus'), ('actions.github.com', 'AutoscalingRunnerSet'),
            ('operator.victoriametrics.com', 'VLCluster'), ('kubedb.com', 'Postgres'), ('platform.confluent.io', 'Kafka'), ('trino.stackable.tech', 'TrinoCluster'),
            ('vault.banzaicloud.com', 'Vault'), ('hyperspike.io', 'Valkey'), ('slinky.slurm.net', 'NodeSet'), ('mysql.oracle.com', 'InnoDBCluster'), ('tensorboard.kubeflow.org', 'Tensorboard'))
told = problems(*[{'apiVersion': f'{group}/v1', 'kind': kind, 'metadata': {'name': 'o'}, 'spec': {}} for group, kind in operated])
equal([text.split(' creates')[0] for text in told], [f'{kind} o' for _, kind in operated], 'operators')

nameless = {'apiVersion': 'argoproj.io/v1alpha1', 'kind': 'Workflow', 'metadata': {}, 'spec': {}}
check(problems(nameless)[0].startswith('Workflow without a name creates pods'), problems(nameless))

# A known operator completes the templates of its objects, so they are not advised as rules.
search = thing('Elasticsearch', 'elasticsearch.k8s.elastic.co', spec={'nodeSets': [{'name': 'n', 'count': 3, 'podTemplate': {'spec': {'containers': [{'name': 'elasticsearch', 'resources': {}}]}}}]})
check('its operator decides on them' in problems(search)[0] and '--pods-from' not in problems(search)[0], problems(search))

# Unknown kinds with a number of replicas, and with what pods have; replicas of topics, streams and machines are none.
counted = [thing('Ledger', 'example.com', spec={name: 3, more: value}) for name, more, value in (('replicas', 'image', 'x'), ('instances', 'storage', {'size': '1Gi'}), ('replicaCount', 'version', '1.2'))]
equal([len(problems(one)) for one in counted], [1, 1, 1], 'replicas')
check('is not known' in problems(thing('Ledger', 'example.com', spec={'replicas': 0, 'image': 'x'}))[0], 'no replicas')
for one in (thing('KafkaTopic', 'kafka.strimzi.io', spec={'replicas': 3, 'version': '1'}),
            thing('Stream', 'jetstream.nats.io', spec={'replicas': 3, 'storage': 'file'}), thing('KubeadmControlPlane', 'controlplane.cluster.x-k8s.io', spec={'replicas': 3, 'version': '1'})):
    equal(problems(one), [], str(one))

# The controllers of some classes of Gateways run proxies for them.
gateway = lambda name, **more: thing('Gateway', 'gateway.networking.k8s.io', spec={'gatewayClassName': name, **more})
equal([len(problems(gateway(name))) for name in ('istio-waypoint', 'eg', 'gke-l7-rilb', 'cilium')], [1, 1, 0, 0], 'Gateways')
equal(problems(gateway('istio', addresses=[{'value': 'ingress.istio-gateways.svc.cluster.local', 'type': 'Hostname'}])), [], 'a proxy that runs already')

# What was made of it is in the input; or it makes nothing.
equal(problems(WIDGET, owned(WIDGET, spec=SPEC)), [], 'its pod')
equal(problems(WIDGET, owned(WIDGET, 'Gadget', 'example.com/v1'), words=['--ignore-kinds', 'Gadget.example.com']), [], 'an object in between')
check('kind Gadget of example.com is not known' in problems(WIDGET, owned(WIDGET, 'Gadget', 'example.com/v1'))[0], 'an unknown one in between')
equal(len(problems(WIDGET, owned(thing('Widget', 'example.com', 'another'), spec=SPEC))), 1, "another one's pod")
live = json.loads(json.dumps(KAFKA))
live['metadata']['uid'] = 'k'
pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'events-0', 'uid': 'p', 'labels': {'strimzi.io/cluster': 'events'}}, 'spec': SPEC}
equal(problems(live, pod), [], 'of a cluster, with its pods')
equal(len(problems(live)), 1, 'of a cluster, without')
equal(len(problems(KAFKA, pod)), 1, 'a manifest')
equal(problems(thing('WorkflowTemplate', 'argoproj.io', spec={'templates': [SPEC]}), thing('AppProject', 'argoproj.io', spec={'size': 3})), [], 'others')
equal(problems({**WIDGET, 'metadata': {'generateName': 'a-'}}, {**WIDGET, 'metadata': {'generateName': 'b-'}})[1].split(' creates')[0], 'Widget b-1', 'generated names')

# A dump keeps them, and deleting one helps.
dumped = pathlib.Path(folder.name) / 'dump.json'
dumped.write_text(run('dump', POOL, APP, manifest(WIDGET, KAFKA))[0])
equal(len(document('plan', dumped)['problems']), 2, 'a dump')
equal(document('plan', POOL, APP, manifest(WIDGET), '--delete', 'Widget/train').get('problems'), None, 'deleted')
finish()
