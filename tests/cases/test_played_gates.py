# SPDX-License-Identifier: Apache-2.0
"""--fail-on of karp simulate and karp replay: the conditions of karp plan, over the time that is played."""
import json
import pathlib
import sys
import tempfile

from manifests import ASKS, ONE_TYPE
from stories import check, finish, run, types_of

folder = tempfile.TemporaryDirectory()
POOL = (ASKS / 'pool.yaml').read_text()


def story(*objects, wait='1h'):
    path = pathlib.Path(folder.name, 'story.yaml')
    pool = pathlib.Path(folder.name, 'pool.yaml')
    pool.write_text(POOL)
    path.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'files': ['pool.yaml'], 'objects': list(objects), 'steps': [{'wait': wait}]}))
    return path


def web(replicas=1, cpu='1', **spec):
    template = {'metadata': {'labels': {'app': 'web'}}, 'spec': {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': cpu}}}], **spec}}
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'},
            'spec': {'replicas': replicas, 'selector': {'matchLabels': {'app': 'web'}}, 'template': template}}


def both(path, gate, status, said='', types=ONE_TYPE):
    for verb in ('simulate', 'replay'):
        errors = run(verb, path, *types, '--fail-on', gate, status=status)[1]
        check(said in errors, f'{verb} {gate}: {errors}')


both(story(web()), 'unschedulable,cost=$500', 0)
both(story(web()), 'cost=$1', 3, '--fail-on cost: $5')  # a c6a.large costs $55.85 a month
both(story(web(cpu='64')), 'unschedulable', 3, '--fail-on unschedulable: 1 pod is pending at the end')
both(story(web(), {'apiVersion': 'argoproj.io/v1alpha1', 'kind': 'Workflow', 'metadata': {'name': 'etl'}, 'spec': {'templates': [
    {'name': 'a', 'container': {'image': 'x'}}]}}), 'unschedulable', 3, '1 object creates pods that are not planned')
both(story(), 'unschedulable', 3, 'no pod and no node to decide on')
both(story(web()), 'cost=+10%', 1, 'cost=$500')
# Labels of EKS Auto Mode are read as Karpenter's, in stories as in a plan.
both(story(web(nodeSelector={'eks.amazonaws.com/instance-family': 'c6a'})), 'unschedulable', 0, types=types_of(folder.name, 'us-east-1', 'c6a.large'))
check('--dump-at' in run('replay', story(web()), '--dump-at', '5m', '--fail-on', 'notes', status=1)[1], 'a dump has no outcome')
sys.exit(finish())
