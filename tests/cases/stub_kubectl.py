# SPDX-License-Identifier: Apache-2.0
"""Stands in for kubectl: shows the objects of a file, or fails as kubectl does. STUB names a folder with cluster.json, and
behaviour.json with what goes wrong; what it is called with goes to calls.jsonl there."""
import json
import os
import pathlib
import sys

RESOURCES = {
    'Pod': 'pods', 'Node': 'nodes', 'NodePool': 'nodepools.karpenter.sh', 'NodeClaim': 'nodeclaims.karpenter.sh',
    'DaemonSet': 'daemonsets.apps', 'Namespace': 'namespaces', 'PodDisruptionBudget': 'poddisruptionbudgets.policy',
    'PriorityClass': 'priorityclasses.scheduling.k8s.io', 'PersistentVolume': 'persistentvolumes',
    'PersistentVolumeClaim': 'persistentvolumeclaims', 'StorageClass': 'storageclasses.storage.k8s.io',
    'EC2NodeClass': 'ec2nodeclasses.karpenter.k8s.aws', 'Secret': 'secrets', 'Deployment': 'deployments.apps',
    'OddNodeClass': '--odd=nodeclasses.example.com',
}


def fail(*lines):
    print(*lines, sep='\n', file=sys.stderr)
    sys.exit(1)


def misbehave(how):
    if 'says' in how:
        fail(*how['says'])
    if how.get('hangs'):
        import time
        time.sleep(600)
    while how.get('warns_without_end'):
        sys.stderr.write('Warning: it goes on\n' * 10000)
    if 'bytes_of_error' in how:
        sys.stderr.buffer.write(bytes(how['bytes_of_error']))
        sys.exit(1)
    if how.get('dies'):
        os.kill(os.getpid(), 9)
    if how.get('leaves_a_child'):
        import subprocess
        child = subprocess.Popen(['sleep', '600'])
        with open(pathlib.Path(os.environ['STUB'], 'children'), 'a', encoding='utf-8') as children:
            print(child.pid, file=children)
    if how.get('warns'):
        for i in range(20000):
            print(f'Warning: v{i} is deprecated in some version and will go in a later one', file=sys.stderr)


def show(folder, how, names):
    refused = [name for name in names if name in how.get('forbidden', ())]
    items = [each for each in json.loads((folder / 'cluster.json').read_text())['objects']
             if RESOURCES.get(each['kind']) in set(names) - set(refused)]
    if how.get('pods') and 'pods' in names:
        one = next(each for each in items if not each['spec'].get('nodeName'))
        items = [{**one, 'metadata': {**one['metadata'], 'name': f'many-{i}', 'uid': f'many-{i}'}} for i in range(how['pods'])]
    text = json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': items}, indent=4)
    sys.stdout.write(text[:how.get('bytes', len(text))])
    sys.stdout.flush()
    if refused:
        fail(*[f'Error from server (Forbidden): {name} is forbidden: User "jane" cannot list resource' for name in refused])


def main():
    folder = pathlib.Path(os.environ['STUB'])
    how = json.loads((folder / 'behaviour.json').read_text())
    with open(folder / 'calls.jsonl', 'a', encoding='utf-8') as calls:
        print(json.dumps(sys.argv[1:]), file=calls)
    if sys.stdin.read():
        fail('there is something on standard input')
    verb = sys.argv[1]
    misbehave(how.get(verb, {}))
    if verb == 'api-resources':
        print(*[name for name in RESOURCES.values() if name not in how.get('absent', ())], sep='\n')
        if how.get('partial'):
            fail('error: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is down')
    else:
        show(folder, {**how, **how.get('get', {})}, sys.argv[2].split(','))


main()
