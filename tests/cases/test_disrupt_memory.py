# SPDX-License-Identifier: Apache-2.0
"""karp disrupt --memory-in and --memory-out: a pass after a pass."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

TYPES = [{'name': 't1', 'labels': {'node.kubernetes.io/instance-type': ['t1'], 'kubernetes.io/os': ['linux']},
          'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '20'},
          'offerings': [{'zone': 'z', 'capacityType': 'on-demand', 'price': 1, 'available': True}]}]
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'},
        'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'n'}, 'requirements': []}},
                 'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}}}


def node(name):
    return {'apiVersion': 'v1', 'kind': 'Node',
            'metadata': {'name': name, 'labels': {
                'karpenter.sh/nodepool': 'pool', 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true',
                'node.kubernetes.io/instance-type': 't1', 'karpenter.sh/capacity-type': 'on-demand',
                'topology.kubernetes.io/zone': 'z'}},
            'spec': {'providerID': 'p-' + name},
            'status': {'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '20'},
                       'allocatable': {'cpu': '2', 'memory': '8Gi', 'pods': '20'}}}


def pod(name, where):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'uid': name},
            'spec': {'nodeName': where, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1500m'}}}]},
            'status': {'phase': 'Running'}}


def write(path, objects):
    path.write_text('\n'.join(json.dumps(o) for o in objects))
    return path


with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    types = folder / 'types.json'
    types.write_text(json.dumps(TYPES))
    cluster = [POOL, node('a'), node('b'), pod('one', 'a'), pod('two', 'b')]
    files = write(folder / 'cluster.json', cluster), write(folder / 'later.json', [*cluster, pod('three', 'b')])
    memory = folder / 'memory.json'

    def decide(time, *more, path=files[0], status=0):
        out, error = run('disrupt', '-f', path, '--catalogue', types, '--now', f'2026-03-01T12:{time}Z', '-o', 'json',
                         *more, status=status)
        return (json.loads(out) if out else None), error

    def codes(answer):
        return [(row['node'], row['code']) for row in answer['kept']]

    alone, _ = decide('00:00')
    check(alone['simulations'] > 0, 'a pass by itself')
    first, _ = decide('00:00', '--memory-out', memory)
    equal(first, alone, 'a first pass with a memory')
    kept = json.loads(memory.read_text())
    equal((kept['kind'], kept['changed'], kept['marks'], kept['unseenNodePools']),
          ('DisruptionMemory', '2026-03-01T12:00:00Z',
           {'MultiNodeConsolidation': '2026-03-01T12:00:00Z', 'SingleNodeConsolidation': '2026-03-01T12:00:00Z'}, []),
          'what it leaves')
    check(len(kept['seen']) == 16, 'digest')

    second, _ = decide('04:59.9', '--memory-in', memory, '--memory-out', memory)
    equal((second['simulations'], codes(second)), (0, [('a', 'NOTHING_CHANGED'), ('b', 'NOTHING_CHANGED')]), 'a second pass')
    equal(json.loads(memory.read_text()), kept, 'nothing has changed')
    third, _ = decide('05:00', '--memory-in', memory)
    equal(third['simulations'], alone['simulations'], 'after five minutes')
    equal(json.loads(memory.read_text()), kept, '--memory-in alone writes nothing')
    changed, _ = decide('01:00.5', '--memory-in', memory, '--memory-out', memory, path=files[1])
    check(changed['simulations'] > 0, 'a pod more')
    equal(json.loads(memory.read_text())['changed'], '2026-03-01T12:01:00.5Z', 'a pod more')
    text, _ = run('disrupt', '-f', files[1], '--catalogue', types, '--now', '2026-03-01T12:01:01Z', '--memory-in', memory)
    check('nothing has changed since  NOTHING_CHANGED' in ' '.join(text.split('\n')), text)

    for wrong, part in (('', 'not JSON'), ('[]', 'an object'), ('{}', 'kind'), ('{"kind": "Plan"}', 'kind'),
                        ('{"kind": "DisruptionMemory", "changed": "today"}', 'changed'),
                        ('{"kind": "DisruptionMemory", "seen": "12"}', 'seen'),
                        ('{"kind": "DisruptionMemory", "seen": "00000000000000xx"}', 'seen'),
                        ('{"kind": "DisruptionMemory", "marks": []}', 'marks'),
                        ('{"kind": "DisruptionMemory",\n"marks": {"Emptiness": 3}}', '2:'),
                        ('{"kind": "DisruptionMemory", "unseenNodePools": [1]}', 'unseenNodePools'),
                        ('{"kind": "DisruptionMemory"} x', 'not JSON')):
        memory.write_text(wrong)
        _, error = decide('00:00', '--memory-in', memory, status=1)
        check(str(memory) in error and part in error, f'{wrong}: {error}')
    _, error = decide('00:00', '--memory-in', folder / 'none', status=1)
    check('cannot be opened' in error, error)
    out, error = run('disrupt', '-f', files[0], '--catalogue', types, '--memory-out', folder / 'no' / 'such', status=1)
    check('No such file' in error, error)
    memory.write_text('{"kind": "DisruptionMemory", "marks": null, "changed": null}')
    equal(decide('00:00', '--memory-in', memory)[0], alone, 'an empty memory')
sys.exit(finish())
