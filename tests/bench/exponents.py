# SPDX-License-Identifier: Apache-2.0
"""How the work of commands grows: pods, shapes of pods, instance types, nodes and zones are doubled, one at a time.

    KARP=build/karp KARP_COUNTED=build/tests/counted python3 tests/bench/exponents.py [COMMAND...]

A table of exponents of instructions: 0 = the work stays as it is, 1 = it grows with the number of things, 2 = with its square. What the
same input with one of the things takes is left out; "-" is a difference of less than a million instructions. disrupt has its pods on the
nodes, which they fill; for the others they are pending, and each node has four more. In a replay no node is disrupted. Needs valgrind.
Exit status 1 where an exponent is above 1.1.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'cases'))
import growth  # noqa: E402
from traps import HOST, ZONE, instance_type, pod, pool_named  # noqa: E402

SIZES = {'pods': 2000, 'shapes': 40, 'types': 100, 'nodes': 100, 'zones': 4}
INPUT = '-f', '@in', '--catalogue', '@types', '-o', 'json'
COMMANDS = {
    'plan': ('plan', *INPUT),
    'disrupt': ('disrupt', *INPUT),
    'explain': ('explain', 'pod', 'p0', *INPUT),
    'verify': ('verify', '@plan', *INPUT),
    'replay': ('replay', '@trace', '--nodepools', '@pools', '--catalogue', '@types', '--until', '30m', '-o', 'json'),
}
NOISE = 1_000_000
MOST = 1.1


def cpu_of(shape):
    """In thousandths."""
    return 100 + shape * 37 % 400


def spec_of(shape):
    """Every second shape is spread over zones, every fifth keeps its pods apart."""
    own = {'matchLabels': {'app': f'a{shape}'}}
    spec = {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': f'{cpu_of(shape)}m', 'memory': f'{128 + shape * 64 % 1024}Mi'}}}]}
    if shape % 2 == 0:
        spec['topologySpreadConstraints'] = [{'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': own}]
    if shape % 5 == 1:
        spec['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [{'topologyKey': HOST, 'labelSelector': own}]}}
    return spec


def one_pod(i, name, shapes, **spec):
    return pod(name, {**spec_of(i % shapes), **spec}, labels={'app': f'a{i % shapes}'})


def nodes_of(count, shapes, zones, each):
    """Each has so many pods, which fill it where they are more than four."""
    for i in range(count):
        cpu = 8000 if each == 4 else 50 + sum(cpu_of((i + k * 7) % shapes) for k in range(each))
        labels = {ZONE: f'z{i % zones}', HOST: f'n{i}', 'karpenter.sh/nodepool': 'pool', 'node.kubernetes.io/instance-type': 't0',
                  'karpenter.sh/capacity-type': 'on-demand', 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
        amounts = {'cpu': f'{cpu}m', 'memory': f'{max(32, each)}Gi', 'pods': '4000'}
        yield {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': f'n{i}', 'labels': labels}, 'spec': {'providerID': f'x{i}'},
               'status': {'allocatable': amounts, 'capacity': amounts}}
        yield {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': f'n{i}', 'labels': labels}, 'spec': {'nodeClassRef': {
            'group': 'g', 'kind': 'k', 'name': 'n1'}, 'requirements': []}, 'status': {'providerID': f'x{i}', 'nodeName': f'n{i}', 'capacity': amounts,
                                                                                  'allocatable': amounts, 'conditions': [
                {'type': kind, 'status': 'True', 'lastTransitionTime': '2026-03-01T00:00:00Z'}
                for kind in ('Launched', 'Registered', 'Initialized', 'Consolidatable')]}}
        for k in range(each):
            yield one_pod(i + k * 7, f'b{i}-{k}', shapes, nodeName=f'n{i}')


def inputs(command, pods, shapes, types, nodes, zones):
    """The files of an input, by the name after the @."""
    pool = pool_named('pool', {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]})
    quiet = pool_named('pool', {'consolidationPolicy': 'WhenEmpty', 'consolidateAfter': 'Never'})
    bound = command == 'disrupt'
    objects = [pool, *nodes_of(nodes, shapes, zones, -(-pods // nodes) if bound else 4),
               *(one_pod(i, f'p{i}', shapes) for i in range(0 if bound else pods))]
    rows = (f'p{i},{60 + i % 300},{900 + i % 600},{cpu_of(i % shapes)}m\n' for i in range(pods))
    catalogue = [instance_type(i, zones=[f'z{k}' for k in range(zones)]) for i in range(types)]
    return {'in': '\n'.join(map(json.dumps, objects)), 'pools': json.dumps(quiet), 'types': json.dumps(catalogue),
            'trace': 'name,start,end,cpu\n' + ''.join(rows)}


def instructions(command, size):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in inputs(command, **size).items():
            pathlib.Path(folder, name).write_text(text, encoding='utf-8')

        def words(of):
            return [f'{folder}/{word[1:]}' if word.startswith('@') else word for word in of]
        if '@plan' in COMMANDS[command]:
            plan = subprocess.run([growth.os.environ['KARP'], *words(COMMANDS['plan'])], capture_output=True, check=True)
            pathlib.Path(folder, 'plan').write_bytes(plan.stdout)
        status, counted, error = growth.run_counted(words(COMMANDS[command]))
        if status != 0:
            sys.exit(f'{command} {size}: exit status {status}: {error}')
        return counted


def exponent(command, what, usual):
    least = instructions(command, {**SIZES, what: 1})
    twice = instructions(command, {**SIZES, what: 2 * SIZES[what]})
    if twice - usual < NOISE:
        return 0
    if usual - least < NOISE:
        return math.log2(twice / usual)
    return math.log((twice - least) / (usual - least), (2 * SIZES[what] - 1) / (SIZES[what] - 1))


def main():
    if not growth.available():
        print('valgrind is not installed')
        return 77
    wrong = []
    print('| command | instructions | ' + ' | '.join(SIZES) + ' |\n|---|---|' + '---|' * len(SIZES))
    for command in sys.argv[1:] or COMMANDS:
        usual = instructions(command, SIZES)
        found = {what: exponent(command, what, usual) for what in SIZES}
        print(f'| {command} | {usual / 1e6:,.0f} M | ' + ' | '.join(f'{e:.2f}' if e else '-' for e in found.values()) + ' |', flush=True)
        wrong += [f'{command}, {what}: {e:.2f}' for what, e in found.items() if e > MOST]
    print('\n'.join(f'above {MOST}: {line}' for line in wrong), end='\n' if wrong else '')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
