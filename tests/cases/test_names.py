# SPDX-License-Identifier: Apache-2.0
"""Names as the API server validates them, and plans in which a Node and a NodeClaim have one name."""
import json
import pathlib
import sys
import tempfile

from small_clusters import catalogue, node, pod
from stories import check, equal, finish, run

RULES = {'name': 'a name is a DNS subdomain', 'namespace': 'a namespace is a DNS label'}


def made(kind='Pod', **metadata):
    return {'apiVersion': 'v1', 'kind': kind, 'metadata': metadata, 'spec': {'containers': [{'name': 'c', 'image': 'x'}]}}


def check_rules():
    long = '.'.join(['a' * 63] * 3) + '.' + 'b' * 61
    good = [{'name': name} for name in ('a', 'a.b', '0-1.x--y', 'a' * 253, long)] + [{'name': 'a', 'namespace': 'n' * 63}]
    bad = [('name', {'name': name}) for name in ('a/b', 'A', 'a_b', '-a', 'a-', '.a', 'a.', 'a..b', 'a.-b', ' a', 'a\n', 'é', '%', 'a' * 254)]
    bad += [('namespace', {'name': 'a', 'namespace': name}) for name in ('a/b', 'a.b', 'n' * 64, '-', 'N')]
    for metadata in good:
        run('plan', '-f', '-', text=json.dumps(made(**metadata)))
    for field, metadata in bad:
        _, error = run('plan', '-f', '-', text=json.dumps(made(**metadata)), status=1)
        check(f'metadata.{field}: {RULES[field]}' in error, f'{metadata}: {error}')
    _, error = run('plan', '-f', '-', text=json.dumps(made('Namespace', name='a.b')), status=1)
    check(f'metadata.name: {RULES["namespace"]}' in error, error)


def check_twice():
    """Objects of one kind, namespace and name are an error, whether decisions use the kind or not."""
    for kind, metadata in (('DeviceClass', {'name': 'gpu'}), ('ResourceClaimTemplate', {'name': 'gpu', 'namespace': 'ml'}),
                           ('ResourceClaimTemplate', {'name': 'gpu'})):
        object_ = {'apiVersion': 'resource.k8s.io/v1', 'kind': kind, 'metadata': metadata, 'spec': {}}
        run('plan', '-f', '-', text=json.dumps(object_))
        other = {**object_, 'metadata': {**metadata, 'name': 'other'}}
        run('plan', '-f', '-', text='\n'.join(json.dumps(o) for o in (object_, other)))
        _, error = run('plan', '-f', '-', text='\n'.join(json.dumps(o) for o in (object_, object_)), status=1)
        check(f'{kind} ' in error and 'metadata.name: the object is in the input already' in error, f'{metadata}: {error}')


def check_one_name_of_two():
    """The claim is of another node, which has not come up; the pods go there."""
    full, claim = node('target', 'small', 2)
    claim['metadata']['name'] = 'target'
    claim['status'].pop('nodeName')
    claim['status'].update(providerID='x://other', capacity={'cpu': '8', 'memory': '32Gi', 'pods': '50'},
                           allocatable={'cpu': '8', 'memory': '32Gi', 'pods': '50'})
    del full['metadata']['labels']['karpenter.sh/nodepool']
    waiting = [pod(f'new-{i}', '', '3') for i in range(2)]
    for each in waiting:
        del each['spec']['nodeName'], each['status']
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
            'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        folder.joinpath('types.json').write_text(json.dumps(catalogue()))
        folder.joinpath('c.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [
            pool, full, claim, pod('old', 'target', '1900m'), *waiting]}))
        given = '-f', folder / 'c.json', '--catalogue', folder / 'types.json'
        plan = run('plan', *given, '-o', 'json')[0]
        equal([sorted(p['pods']) for p in json.loads(plan)['placements']], [['default/new-0', 'default/new-1']], 'where the pods go')
        folder.joinpath('plan.json').write_text(plan)
        equal(json.loads(run('verify', folder / 'plan.json', *given, '-o', 'json')[0])['errors'], [], 'findings')


check_rules()
check_twice()
check_one_name_of_two()
sys.exit(finish())
