# SPDX-License-Identifier: Apache-2.0
"""Input made to hurt: what grows too fast is refused by a limit, and what is read costs about as much as it is long.

Each trap is set twice, the second time four times as large. Processor time (of the program alone, so other load matters little) and
memory may grow with it, but not as the square would. SECURITY.md says what does grow faster.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from stories import check, equal, finish, run

ZONE = 'topology.kubernetes.io/zone'
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'},
        'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'k', 'name': 'n1'}, 'requirements': []}}}}
MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n'
LEAST_SECONDS, LEAST_MEGABYTES = 0.1, 60
# A build with AddressSanitizer keeps what was freed; here that would count as memory of the program.
ENVIRONMENT = {**os.environ, 'ASAN_OPTIONS': ':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'), 'quarantine_size_mb=1']))}


def pod(name, spec=None, **metadata):
    container = {'name': 'c', 'resources': {'requests': {'cpu': '1'}}}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, **metadata}, 'spec': {'containers': [container], **(spec or {})}}


def lines(*objects, pool=POOL):
    return '\n'.join(json.dumps(o) for o in (pool, *objects)) + '\n'


def node_affinity(**terms):
    return {'affinity': {'nodeAffinity': terms}}


def expression(i):
    return {'matchExpressions': [{'key': 'k', 'operator': 'In', 'values': [f'v{i}']}]}


def pod_term(i):
    return {'topologyKey': ZONE, 'labelSelector': {'matchLabels': {'a': f'v{i}'}}}


def rules_of_its_own(i):
    """A pod whose spread and anti-affinity look at nobody else."""
    own = {'matchLabels': {'a': f'v{i}'}}
    return pod(f'p{i}', {'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': own}],
                         'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
                             {'topologyKey': 'kubernetes.io/hostname', 'labelSelector': own}]}}}, labels={'a': f'v{i}'})


def beside_a_spread(n, key='k', keys=(), values=('b',), **spec):
    """A pod with n OR-terms, each of which is one step, and has a topology group of its own."""
    spread = {'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule', 'nodeTaintsPolicy': 'Honor', 'matchLabelKeys': list(keys),
              'labelSelector': {'matchExpressions': [{'key': 'a', 'operator': 'In', 'values': list(values)}]}}
    terms = [{'matchExpressions': [{'key': key.format(i), 'operator': 'In', 'values': [f'v{i}']}]} for i in range(n)]
    affinity = node_affinity(requiredDuringSchedulingIgnoredDuringExecution={'nodeSelectorTerms': terms})
    return pod('p', {'topologySpreadConstraints': [spread], **affinity, **spec}, labels={'a': 'b', **{k: 'v' for k in keys}})


def node(i):
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': f'n{i}', 'labels': {ZONE: 'z1', 'a': f'v{i}'}}, 'spec': {'providerID': f'x{i}'},
            'status': {'allocatable': {'cpu': '4', 'pods': '10'}}}


def with_volumes(n, drivers, nodes):
    """A pod with n claims of so many drivers, each of which every node limits."""
    limits = [{'name': f'd{i}', 'nodeID': 'x', 'allocatable': {'count': 5}} for i in range(drivers)]
    return lines(
        *[node(i) for i in range(nodes)],
        *[{'apiVersion': 'storage.k8s.io/v1', 'kind': 'CSINode', 'metadata': {'name': f'n{i}'}, 'spec': {'drivers': limits}} for i in range(nodes)],
        *[{'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name': f's{i}'}, 'provisioner': f'd{i}',
           'volumeBindingMode': 'WaitForFirstConsumer'} for i in range(drivers)],
        *[{'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim', 'metadata': {'name': f'c{i}'}, 'spec': {'storageClassName': f's{i % drivers}'}}
          for i in range(n)],
        pod('p', {'volumes': [{'name': f'v{i}', 'persistentVolumeClaim': {'claimName': f'c{i}'}} for i in range(n)]}))


def pool_with(n, **template):
    pool = json.loads(json.dumps(POOL))
    pool['spec']['template']['spec'].update(template)
    return lines(pod('p', {'tolerations': [{'operator': 'Exists'}]}), pool=pool)


def labels(n):
    return {f'l{i}': 'v' for i in range(n)}


TRAPS = {
    'anchors': lambda n: MAP + ''.join(f'  k{i}: &a{i} v\n' for i in range(n)) + ''.join(f'  m{i}: *a{i}\n' for i in range(n)),
    'one anchor again and again': lambda n: MAP + ''.join(f'  k{i}: &a v\n  m{i}: *a\n' for i in range(n)),
    'labels of a node that a pod asks for': lambda n: lines(
        {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'n1', 'labels': labels(n)}, 'spec': {'providerID': 'x'},
         'status': {'allocatable': {'cpu': '4', 'pods': '10'}}}, pod('p', {'nodeSelector': labels(n)})),
    'labels of pods': lambda n: lines(*[pod(f'p{k}', labels=labels(n)) for k in range(3)]),
    'OR-terms': lambda n: lines(pod('p', node_affinity(
        requiredDuringSchedulingIgnoredDuringExecution={'nodeSelectorTerms': [expression(i) for i in range(n)]}))),
    'OR-terms beside a spread': lambda n: lines(beside_a_spread(n)),
    'OR-terms of keys of their own beside a spread': lambda n: lines(beside_a_spread(n, 'k{}')),
    'OR-terms beside a spread, and nodes': lambda n: lines(
        beside_a_spread(n), *[node(i) for i in range(20)],
        *[pod(f'q{i}', {'nodeName': f'n{i}'}, labels={'a': 'b'}) for i in range(20)]),
    'OR-terms beside a spread, and tolerations': lambda n: lines(
        beside_a_spread(n, tolerations=[{'key': f'k{i}', 'operator': 'Exists'} for i in range(n)])),
    'OR-terms beside a spread that selects many': lambda n: lines(beside_a_spread(n, values=['b', *(f'v{i}' for i in range(n))])),
    'OR-terms beside a spread by many labels': lambda n: lines(beside_a_spread(n, keys=list(labels(n)))),
    'preferences': lambda n: lines(pod('p', node_affinity(
        preferredDuringSchedulingIgnoredDuringExecution=[{'weight': 1 + i % 100, 'preference': expression(i)} for i in range(n)]))),
    'anti-affinities': lambda n: lines(pod('p', {'affinity': {'podAntiAffinity': {
        'requiredDuringSchedulingIgnoredDuringExecution': [pod_term(i) for i in range(n)]}}}), pod('q', labels={'a': 'v1'})),
    'tolerations': lambda n: lines(pod('p', {'tolerations': [{'key': f'k{i}', 'operator': 'Exists'} for i in range(n)]})),
    'values of one requirement': lambda n: pool_with(n, requirements=[
        {'key': ZONE, 'operator': 'In', 'values': [f'v{i}' for i in range(n)] + ['z1']}]),
    'taints of a pool': lambda n: pool_with(n, taints=[{'key': f'k{i}', 'effect': 'NoSchedule'} for i in range(n)]),
    'resources': lambda n: lines(pod('p', {'containers': [{'name': 'c', 'resources': {'requests': {f'x.y/r{i}': '1' for i in range(n)}}}]})),
    'containers': lambda n: lines(pod('p', {'containers': [{'name': f'c{i}', 'resources': {'requests': {'cpu': '1m'}}} for i in range(n)]})),
    'volumes': lambda n: lines(pod('p', {'volumes': [{'name': f'v{i}', 'persistentVolumeClaim': {'claimName': f'c{i}'}} for i in range(n)]})),
    'volumes of drivers that a node limits': lambda n: with_volumes(n, n, 1),
    'volumes of one driver that nodes limit': lambda n: with_volumes(n, 1, 100),
    'pods that differ': lambda n: lines(*[pod(f'p{i}', labels={'a': f'v{i}'}) for i in range(n)]),
    'pods with rules of their own': lambda n: lines(*[rules_of_its_own(i) for i in range(n)]),
    'owners': lambda n: lines(pod('p', ownerReferences=[{'apiVersion': 'v1', 'kind': 'X', 'name': f'{i}', 'uid': f'{i}'} for i in range(n)])),
    'fields that are not known': lambda n: lines(pod('p', {f'x{i}': 1 for i in range(n)})),
    'kinds that are not known': lambda n: lines(*[{'apiVersion': 'v1', 'kind': f'X{i}', 'metadata': {'name': 'x'}} for i in range(n)]),
    'documents': lambda n: '---\n'.join(f'apiVersion: v1\nkind: Pod\nmetadata: {{name: p{i}}}\nspec: {{containers: [{{name: c}}]}}\n'
                                        for i in range(n)),
}

# What grows with the product of two lengths, and no faster.
PRODUCTS = {
    'OR-terms and a node selector': lambda n: lines(pod('p', {**node_affinity(
        requiredDuringSchedulingIgnoredDuringExecution={'nodeSelectorTerms': [expression(i) for i in range(n)]}), 'nodeSelector': labels(n)})),
}

# What is asked about the pod "p".
EXPLAINED = {
    'taints of a pool that a pod does not tolerate': lambda n: lines(pod('p'), pool=json.loads(pool_with(
        n, taints=[{'key': f'k{i}', 'effect': 'NoSchedule'} for i in range(n)]).splitlines()[0])),
}


def cost(text, folder, command=('plan',)):
    """Exit status, seconds, megabytes."""
    path = pathlib.Path(folder, 'trap')
    path.write_text(text)
    program = subprocess.Popen([os.environ['KARP'], *command, '-f', str(path), '--catalogue', str(pathlib.Path(folder, 'types.json')), '-o', 'json'],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)))
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    return program.returncode, used.ru_utime, used.ru_maxrss / 1024


def check_growth():
    types = [{'name': f't{i}', 'labels': {'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux']},
              'capacity': {'cpu': str(2 ** i), 'memory': f'{4 * 2 ** i}Gi', 'pods': '110'},
              'offerings': [{'zone': z, 'capacityType': 'on-demand', 'price': 2 ** i * 0.1} for z in ('z1', 'z2')]} for i in range(1, 6)]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'types.json').write_text(json.dumps(types))
        for traps, sizes, most, command in ((TRAPS, (2500, 10000), 10, ('plan',)), (PRODUCTS, (1000, 4000), 40, ('plan',)),
                                            (EXPLAINED, (2500, 10000), 10, ('explain', 'pod', 'p'))):
            for name, trap in traps.items():
                few, many = (cost(trap(n), folder, command) for n in sizes)
                equal((few[0], many[0]), (0, 0), f'{name}: exit statuses')
                check(many[1] < most * max(few[1], LEAST_SECONDS), f'{name}: {few[1]:.2f} s, and four times as many {many[1]:.2f} s')
                check(many[2] < most * max(few[2], LEAST_MEGABYTES) / 4, f'{name}: {few[2]:.0f} MB, and four times as many {many[2]:.0f} MB')


def check_limits():
    bomb = MAP + '  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n' + ''.join(
        f'  a{i}: &a{i} [{", ".join([f"*a{i - 1}"] * 10)}]\n' for i in range(1, 12))
    for text, part in ((bomb, 'aliases expand'), ('a: ' + '[' * 100000, 'nested deeper'), ('{"a":' + '[' * 100000, 'nested deeper'),
                       ('{"a":' * 100000, 'nested deeper'), (MAP + '  a: &a [*a]\n', '')):
        _, error = run('plan', '-f', '-', text=text, status=1)
        check(error.startswith('karp: -:') and part in error, f'{part}: {error[:100]}')


def check_numbers():
    """The ends of the integers are errors that name the field, or mean what they say."""
    def workload(replicas):
        return f'apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec: {{replicas: {replicas}, template: {{spec: {{containers: []}}}}}}\n'

    def asking(amount):
        return json.dumps(pod('p', {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': amount}}}]}))

    for text, part in ((workload(2147483647), 'limit'), (workload(2147483648), 'spec.replicas'), (workload(-1), 'spec.replicas'),
                       (workload('99999999999999999999'), 'spec.replicas'), (asking('1e40'), 'requests'), (asking('-1n'), 'requests'),
                       (json.dumps(pod('p', {'priority': 2 ** 31})), 'priority'),
                       (json.dumps(pod('p', {'terminationGracePeriodSeconds': 2 ** 63 - 1})), None)):
        if part is None:
            run('plan', '-f', '-', text=text)
        else:
            _, error = run('plan', '-f', '-', text=text, status=1)
            check(part in error, f'{text[:120]}: {error}')
    for amount in ('0', '1n', '0.000000001'):
        run('plan', '-f', '-', text=asking(amount))
    for amount in ('9223372036854775807', '9223372036854775807m', '8Ei'): # beside the catalogue's millionths of a core
        _, error = run('plan', '-f', '-', text=asking(amount), status=1)
        check('too much in size to be counted exactly' in error, f'{amount}: {error}')
    budgets = [{'nodes': n} for n in ('2147483648%', '-2147483649%', '9223372036854775807', '-9223372036854775808')]
    run('disrupt', '-f', '-', text=json.dumps({**POOL, 'spec': {**POOL['spec'], 'disruption': {'budgets': budgets}}}))


check_growth()
check_limits()
check_numbers()
sys.exit(finish())
