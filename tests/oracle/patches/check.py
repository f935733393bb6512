#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The patches of karp diff -o patch before Kubernetes' own structs and strategic merge (main.go).

    check.py

Workloads of every kind, with several containers, sidecars and limits, get requests from a table, from VerticalPodAutoscalers and with
each treatment of limits. The patched workloads then have to be the input of which karp makes, by itself, what it makes of the old input
with --requests recommended, and nothing but amounts may differ in them. Exit status: 0 they are, 1 they are not, 77 Go or a module cannot be had.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KARP = os.environ.get('KARP', str(HERE.parents[2] / 'build' / 'karp'))
ASKS = HERE.parents[1] / 'cases' / 'asks'
MODULE = 'module patches\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/api v0.36.3\n\tk8s.io/apimachinery v0.36.3\n\tsigs.k8s.io/yaml v1.6.0\n)\n'


def build(folder):
    """The program, or the end with 77."""
    (folder / 'main.go').write_bytes((HERE / 'main.go').read_bytes())
    (folder / 'go.mod').write_text(MODULE)
    try:
        done = subprocess.run(['go', 'build', '-o', 'patches', '.'], cwd=folder, capture_output=True, text=True, env=os.environ | {'GOFLAGS': '-mod=mod'})
    except OSError as error:
        done = error
    if getattr(done, 'returncode', 1) != 0:
        print('patches:', str(getattr(done, 'stderr', done)).strip()[-400:])
        sys.exit(77)
    return folder / 'patches'


def karp(*words):
    done = subprocess.run([KARP, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def container(name, cpu, memory, limits=None, **more):
    return {'name': name, 'image': f'registry/{name}:1', 'env': [{'name': 'A', 'value': 'b'}], 'ports': [{'containerPort': 80}],
            'resources': {'requests': {'cpu': cpu, 'memory': memory, 'ephemeral-storage': '1Gi'}, **({'limits': limits} if limits else {})}, **more}


def pods(name):
    spec = {'containers': [container('main', '1', '2Gi', {'cpu': '2', 'memory': '2Gi'}), container('beside', '200m', '256Mi'), container('left', '50m', '64Mi')],
            'initContainers': [container('first', '10m', '16Mi'), container('mesh', '100m', '128Mi', {'memory': '256Mi'}, restartPolicy='Always')]}
    return {'metadata': {'labels': {'app': name}}, 'spec': spec}


def workload(kind, name, **spec):
    version = 'v1' if kind == 'ReplicationController' else 'apps/v1'
    selector = {'app': name} if version == 'v1' else {'matchLabels': {'app': name}}
    return {'apiVersion': version, 'kind': kind, 'metadata': {'name': name, 'namespace': 'shop', 'labels': {'team': 'x'}},
            'spec': {'selector': selector, 'template': pods(name), **spec}}


def cron(name):
    template = pods(name)
    template['spec']['restartPolicy'] = 'Never'
    return {'apiVersion': 'batch/v1', 'kind': 'CronJob', 'metadata': {'name': name, 'namespace': 'shop'},
            'spec': {'schedule': '0 * * * *', 'jobTemplate': {'spec': {'template': template}}}}


def vertical(of):
    rows = [{'containerName': 'main', 'target': {'cpu': '1500m', 'memory': '262144k'}}, {'containerName': 'mesh', 'target': {'memory': '64Mi'}}]
    return {'apiVersion': 'autoscaling.k8s.io/v1', 'kind': 'VerticalPodAutoscaler', 'metadata': {'name': of['metadata']['name'], 'namespace': 'shop'},
            'spec': {'targetRef': {'apiVersion': of['apiVersion'], 'kind': of['kind'], 'name': of['metadata']['name']}, 'updatePolicy': {'updateMode': 'Off'}},
            'status': {'recommendation': {'containerRecommendations': rows}}}


def without_amounts(objects):
    """The objects but for cpu and memory of their containers."""
    kept = copy.deepcopy(objects)
    for o in kept:
        spec = o['spec']['jobTemplate']['spec'] if o['kind'] == 'CronJob' else o['spec']
        for c in spec['template']['spec']['containers'] + spec['template']['spec']['initContainers']:
            for part in c['resources'].values():
                part.pop('cpu', None)
                part.pop('memory', None)
            c['resources'] = {k: v for k, v in c['resources'].items() if v}
    return kept


def resources(objects):
    """Of each pod that karp makes of the input."""
    return {(o['metadata']['name'], c['name']): c['resources'] for o in objects if o['kind'] == 'Pod'
            for c in o['spec']['containers'] + o['spec'].get('initContainers', [])}


def check(program, folder, workloads, beside, words):
    given, patched = folder / 'given.json', folder / 'patched.json'
    types = '--catalogue', ASKS / 'type.json'
    save = lambda path, objects: path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    save(given, workloads + beside)
    how = ('--requests', 'recommended', *words)
    text = karp('diff', '-o', 'patch', ASKS / 'pool.yaml', given, '--', *how, *types)
    documents = text.split('---\n')[1:]
    assert len(documents) == len(workloads), text
    done = subprocess.run([program], input=json.dumps({'objects': workloads, 'patches': documents}), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + text
    result = json.loads(done.stdout)
    assert without_amounts(result) == without_amounts(workloads), 'more than amounts has changed'
    assert result != workloads
    save(patched, result + beside)
    dump = lambda path, *more: resources(json.loads(karp('dump', ASKS / 'pool.yaml', path, *types, *more))['objects'])
    wanted = dump(given, *how)
    assert dump(patched) == wanted and wanted, (dump(patched), wanted)
    return len(documents)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = build(folder)
        workloads = [workload('Deployment', 'api', replicas=3), workload('StatefulSet', 'db', serviceName='db', replicas=2, podManagementPolicy='Parallel'),
                     workload('DaemonSet', 'agent'), workload('ReplicaSet', 'plain', replicas=1), workload('ReplicationController', 'old', replicas=1), cron('nightly')]
        usage = folder / 'usage.csv'
        rows = [f'shop,{o["metadata"]["name"]},{o["kind"]},{c},{cpu},{memory}' for o in workloads
                for c, cpu, memory in (('main', 0.3, 3 << 30), ('beside', 0.7, 1 << 20), ('mesh', 0.01, 512 << 20))]
        usage.write_text('namespace,owner,kind,container,cpu,memory\n' + '\n'.join(rows) + '\n')
        count = 0
        for limits in ('ratio', 'keep'):
            count += check(program, folder, workloads, [], ['--usage', usage, '--limits', limits])
            count += check(program, folder, workloads, [vertical(o) for o in workloads], ['--limits', limits])
        print(f'{count} patches apply')


main()
