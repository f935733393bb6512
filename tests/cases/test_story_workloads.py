# SPDX-License-Identifier: Apache-2.0
"""Deployments and other workloads of a story have the pods that a plan has: autoscalers, admission, refusals, hooks, generated names."""
import json
import pathlib
import tempfile

from manifests import POOL, thing
from stories import check, equal, finish, run, types_of


def deployment(name, cpu='1', labels=None, metadata=None, **more):
    return thing('apps/v1', 'Deployment', name, metadata, spec={'selector': {'matchLabels': {'app': name}}, **more, 'template': {
        'metadata': {'labels': labels or {'app': name}}, 'spec': {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': cpu}}}]}}})


def pod(name, metadata=None, cpu='6', **more):
    return thing('v1', 'Pod', name, metadata, spec={'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': cpu}}}], **more})


def scaler(target, least):
    return thing('autoscaling/v2', 'HorizontalPodAutoscaler', target, spec={
        'scaleTargetRef': {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': target}, 'minReplicas': least, 'maxReplicas': 9})


API, WEB, WORKER = deployment('api'), deployment('web', replicas=2), deployment('worker')
JOB = thing('batch/v1', 'Job', 'x', spec={'parallelism': 2, 'completions': 2, 'template': {'spec': {'restartPolicy': 'Never', 'containers': API['spec']['template']['spec']['containers']}}})
JOB['metadata'] = {'generateName': 'job-'}
CASES = {
    'as they are': [API, WEB],
    'an autoscaler': [API, scaler('api', 5)],
    'two of them': [API, scaler('api', 3), WEB, scaler('web', 4)],
    'a ScaledObject': [API, thing('keda.sh/v1alpha1', 'ScaledObject', 'api', spec={'scaleTargetRef': {'name': 'api'}, 'minReplicaCount': 4, 'triggers': []})],
    'a LimitRange': [WEB, thing('v1', 'LimitRange', 'l', spec={'limits': [{'type': 'Container', 'defaultRequest': {'memory': '3Gi'}}]})],
    'what the API server refuses': [API, deployment('bad', labels={'app': 'worse'}, replicas=3)],
    'a hook': [API, deployment('check', metadata={'annotations': {'helm.sh/hook': 'test'}})],
    'a pod that is a hook': [API, pod('check', {'annotations': {'helm.sh/hook': 'test'}})],
    'a pod that the API server refuses': [API, pod('bad', cpu='9'), thing('v1', 'LimitRange', 'l', spec={'limits': [{'type': 'Container', 'max': {'cpu': '4'}}]})],
    'a gated pod': [API, pod('gated', schedulingGates=[{'name': 'example.com/wait'}])],
    'generated names': [API, JOB, {**WORKER, 'metadata': {'generateName': 'worker-'}}],
    'what exists': [{**API, 'metadata': {'name': 'api', 'uid': 'u'}}, WEB],
}

with tempfile.TemporaryDirectory() as folder:
    TYPES = types_of(folder, 'us-west-2', 'm6i.large', 'm6i.xlarge', 'm6i.2xlarge', 'm6i.4xlarge')
    for name, objects in CASES.items():
        file, story = pathlib.Path(folder, 'objects.json'), pathlib.Path(folder, 'story.yaml')
        file.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
        story.write_text(f'apiVersion: karp/v1\nkind: Story\nregion: us-west-2\nfiles: [{POOL.resolve()}, objects.json]\nsteps: [{{wait: 5m}}]\n')
        plan = json.loads(run('plan', POOL, file, *TYPES, '-o', 'json')[0])
        wanted = sorted((launch['choice']['instanceType'], sorted(launch['pods'])) for launch in plan['launches'])
        told = json.loads(run('simulate', story, *TYPES, '-o', 'json')[0])
        first = next(d for step in told['steps'] for d in step['decisions'] if d['launches'])
        equal(sorted((launch['choice']['instanceType'], sorted(launch['pods'])) for launch in first['launches']), wanted, f'simulate: {name}')
        again = json.loads(run('replay', story, *TYPES, '-o', 'json')[0])
        pods = sum(len(names) for _, names in wanted)
        equal((again['policies'][0]['podStarts'], again['policies'][0]['launches']), (pods, len(wanted)), f'replay: {name}')
        check(pods > 0 and told.get('problems', []) == again.get('problems', []) == plan.get('problems', []), f'{name}: what is said')
    # A story of standard input is the same as one of a file, whether it is YAML or JSON.
    files = [str(POOL.resolve()), str(file)]
    as_json = json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'region': 'us-west-2', 'files': files, 'steps': [{'wait': '5m'}]})
    as_yaml = f'apiVersion: karp/v1\nkind: Story\nregion: us-west-2\nfiles: {files}\nsteps: [{{wait: 5m}}]\n'
    for text in (as_json, as_yaml):
        story.write_text(text)
        wanted = json.loads(run('replay', story, *TYPES, '-o', 'json')[0])
        for path in ('-', '/dev/stdin'):
            equal(json.loads(run('replay', path, *TYPES, '-o', 'json', text=text)[0]), wanted, f'{path}: {text[:20]}')
        equal(json.loads(run('simulate', '-', *TYPES, '-o', 'json', text=text)[0])['totals'], json.loads(run('simulate', story, *TYPES, '-o', 'json')[0])['totals'], 'simulate')
finish()
