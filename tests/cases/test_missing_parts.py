# SPDX-License-Identifier: Apache-2.0
"""What an input refers to and lacks is told, with a name that may have been meant, and gates do not pass without it."""
import json
import pathlib
import sys
import tempfile

from manifests import ONE_TYPE, POOL, manifest, notes, problems, thing
from stories import check, document, equal, finish, run


def web(name='web', requests=None, **more):
    amounts = requests or {'cpu': '1'}
    return thing('apps/v1', 'Deployment', name, spec={'replicas': 1, 'selector': {'matchLabels': {'app': name}}, 'template': {
        'metadata': {'labels': {'app': name}}, 'spec': {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': amounts, 'limits': amounts}}]}}}, **more)


def autoscaler(target, kind='Deployment', **metadata):
    return thing('autoscaling/v2', 'HorizontalPodAutoscaler', 'load', metadata, spec={
        'scaleTargetRef': {'apiVersion': 'apps/v1', 'kind': kind, 'name': target}, 'minReplicas': 3, 'maxReplicas': 5})


def scaled_object(target):
    return thing('keda.sh/v1alpha1', 'ScaledObject', 'queue', spec={'scaleTargetRef': {'name': target}, 'minReplicaCount': 3})


# Targets of autoscalers.
told = problems(web(), autoscaler('wbe'))
equal(len(told), 1, told)
check('it scales Deployment wbe, which is not in the input; did you mean web?' in told[0], told)
equal(len(problems(web(), scaled_object('other'))), 1, 'a ScaledObject')
run('plan', POOL, manifest(web(), autoscaler('wbe')), *ONE_TYPE, '--fail-on', 'unschedulable', status=3)
equal(problems(web(), autoscaler('web')), [], 'a target that is there')
# One that a cluster has left behind scales nothing.
equal(problems(web(), autoscaler('gone', uid='3b8a4c9e-7d0f-4a51-9d7e-2f6c1b0a8d11')), [], 'of a cluster')
check('it scales Deployment gone, which is not in the input' in notes(web(), autoscaler('gone', uid='3b8a4c9e-7d0f-4a51-9d7e-2f6c1b0a8d11')), 'noted')
# Resources.
check('no instance type has the resource memroy; did you mean memory?' in notes(web(requests={'memroy': '1Gi'}), words=['--lenient']), 'memory')
gpu = json.loads(pathlib.Path(ONE_TYPE[1]).read_text())
gpu[0]['capacity']['nvidia.com/gpu'] = '1'
with tempfile.TemporaryDirectory() as folder:
    types = pathlib.Path(folder, 'types.json')
    types.write_text(json.dumps(gpu))
    asked = ' '.join(document('plan', POOL, manifest(web(requests={'nvidia.com/gpus': '1'})), '--catalogue', types)['warnings'])
    check('Deployment default/web: no instance type has the resource nvidia.com/gpus; did you mean nvidia.com/gpu?' in asked, asked)
    asked = ' '.join(document('plan', POOL, manifest(web(requests={'nvidia.com/gpu': '1'})), '--catalogue', types)['warnings'])
    check('has the resource' not in asked, asked)
# Files below a directory.
with tempfile.TemporaryDirectory() as folder:
    below = pathlib.Path(folder, 'apps', 'web')
    below.mkdir(parents=True)
    pathlib.Path(folder, 'pool.yaml').write_text(POOL.read_text())
    (below / 'web.json').write_text(json.dumps(web()))
    said = run('plan', folder, *ONE_TYPE, '-o', 'json')[0]
    check('1 file with objects in its subdirectory (apps) is not read; -R reads it' in ' '.join(json.loads(said)['problems']), said)
    run('plan', folder, *ONE_TYPE, '--fail-on', 'notes', status=3)
    check('problems' not in document('plan', folder, '-R', *ONE_TYPE), 'with -R')
    (below / 'web.json').write_text('[1]')
    check('problems' not in document('plan', folder, *ONE_TYPE), 'no objects')
# Objects that options name.
for words in (['--scale', 'wbe=3'], ['--delete', 'Deployment/wbe'], ['--scale', 'deploy/default/wbe=3']):
    said = run('plan', POOL, manifest(web()), *ONE_TYPE, *words, status=1)[1]
    check('the input has no such object; did you mean web?' in said, said)
# A recording.
with tempfile.TemporaryDirectory() as folder:
    recording = pathlib.Path(folder, 'cluster.jsonl')
    recording.write_text('{"kind": "Recording", "now": "2026-03-02T08:00:00Z", "objects": []}\n')
    said = run('plan', recording, status=1)[1]
    check(f'a recording of karp record: karp replay {recording}' in said, said)
# Two regions in one input: the types of one are used, and the NodePool of the other is named.
def pool(name, zone):
    return thing('karpenter.sh/v1', 'NodePool', name, spec={'template': {'spec': {
        'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
        'requirements': [{'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': [zone]}]}}})


told = document('plan', manifest(pool('east', 'us-east-1a'), pool('west', 'us-west-2a'), web()))['problems']
check('NodePool west is in region us-west-2 (topology.kubernetes.io/zone), and the types and prices of us-east-1 are used' in ' '.join(told), told)
equal(len(told), 1, told)
check('problems' not in document('plan', manifest(pool('east', 'us-east-1a'), pool('more', 'us-east-1b'), web())), 'one region')
# A disk of a GCENodeClass that is as large as its image.
disks = {'disks': [{'category': 'pd-balanced', 'sizeGiB': 60, 'boot': True}, {'category': 'pd-balanced', 'secondaryBootMode': 'CONTAINER_IMAGE_CACHE'}]}
gce = thing('karpenter.k8s.gcp/v1alpha1', 'GCENodeClass', 'default', spec={'imageSelectorTerms': [{'alias': 'ContainerOptimizedOS@latest'}], **disks})
of_gce = thing('karpenter.sh/v1', 'NodePool', 'general', spec={'template': {'spec': {'requirements': [], 'nodeClassRef': {
    'group': 'karpenter.k8s.gcp', 'kind': 'GCENodeClass', 'name': 'default'}}}})
equal(len(document('plan', manifest(of_gce, gce, web()))['launches']), 1, 'a disk without a size')
# Options that have no effect.
check('decided on in profile karp' in run('explain', 'group', 'train', POOL, '--profile', 'karpenter', status=1)[1], 'a profile')
sys.exit(finish())
