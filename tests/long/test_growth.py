# SPDX-License-Identifier: Apache-2.0
"""How fast the cost of an input grows that is made of N different things: instructions and peak memory at SIZE and twice SIZE, less
what one thing costs. Exponents (1 = as the input, 2 = with its square) stay at or below those written here, which SECURITY.md
explains. `--table` prints them as docs/verification.md has them; tests/cases/test_hostile.py holds many more that are all linear."""
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(SOURCE / 'tests' / 'cases'))
import growth  # noqa: E402
import growth_verbs  # noqa: E402
import many_devices  # noqa: E402
import traps  # noqa: E402
from traps import DISRUPT, HOST, PLAN, ZONE, lines, own_label, own_node, pod, pool_named  # noqa: E402

REQUIRED, PREFERRED = 'requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'
VERIFY = ('verify', '@plan', *PLAN[1:])
LINEAR, SQUARE = 1.2, 2.1
SLACK = 0.05


def sized(i, **more):
    """A pod that asks for more than the one before."""
    return pod(f'p{i}', {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': f'{i + 1}m', **more.pop('requests', {})}}}], **more.pop('spec', {})}, **more)


def spread(key, labels):
    return {'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey': key, 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {'matchLabels': labels}}]}


def apart(selector, preferred=False):
    term = {'topologyKey': HOST, 'labelSelector': selector}
    return {'affinity': {'podAntiAffinity': {PREFERRED: [{'weight': 1, 'podAffinityTerm': term}]} if preferred else {REQUIRED: [term]}}}


def zones(n):
    return json.dumps([traps.instance_type(i, zones=[f'z{k}' for k in range(n)]) for i in range(5)])


def services(n):
    default = {'podTopologySpread': {'defaultConstraints': [{'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'ScheduleAnyway'}]}}
    return lines({'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'settings': {'schedulerConfig': default}, 'objects': []},
                 *[{'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': f's{i}'}, 'spec': {'selector': {'a': f'v{i}'}}} for i in range(n)],
                 *[pod(f'p{i}', labels={'a': f'v{i}'}) for i in range(n)])


def reservations(n):
    each = traps.instance_type(0)
    each['offerings'] = [{'zone': 'z1', 'capacityType': 'reserved', 'price': 0.01, 'reservationID': f'r{i}', 'reservationCapacity': 1} for i in range(n)]
    return lines(*[pod(f'p{i}') for i in range(n)]), json.dumps([each])


def claims(n):
    amounts = {'cpu': '4', 'pods': '10'}
    return lines(*[{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': f'c{i}', 'labels': {'karpenter.sh/nodepool': 'pool'}},
                    'spec': {'nodeClassRef': {'group': 'g', 'kind': 'k', 'name': 'n1'}, 'requirements': []},
                    'status': {'allocatable': amounts, 'capacity': amounts}} for i in range(n)], *[pod(f'p{i}') for i in range(n)])


def host_port(i):
    made = sized(i)
    made['spec']['containers'][0]['ports'] = [{'containerPort': 80, 'hostPort': 80}]
    return made


def above(i):
    term = {'matchExpressions': [{'key': 'example.com/size', 'operator': 'Gt', 'values': [str(i)]}]}
    return pod(f'p{i}', traps.node_affinity(**{REQUIRED: {'nodeSelectorTerms': [term]}}))


def chain(key):
    def after(i):
        return {'affinity': {'podAffinity': {REQUIRED: [{'topologyKey': key, 'labelSelector': own_label(i - 1)}]}}} if i else {}
    return lambda n: lines(*[sized(i, spec=after(i), labels={'a': f'v{i}'}) for i in range(n)])


def sharers(n):
    return lines(many_devices.SETTINGS, many_devices.device_class(), many_devices.resource_slice('s', [many_devices.shared_device('d', n)]),
                 *[o for i in range(n) for o in many_devices.with_share(i)])


def large_types(n, devices=0):
    """Types for any number of pods, which come with so many devices."""
    made = [traps.instance_type(i, capacity={'cpu': '1000', 'pods': '1000'}) for i in range(n)]
    own = [{'driver': 'd.io', 'pool': 'p', 'devices': [{'name': f'd{i}'} for i in range(devices)]}]
    return json.dumps([{**one, 'dynamicResources': {'resourceSlices': own}} if devices else one for one in made])


def nowhere(i):
    return sized(i, spec={'nodeSelector': {'q': f'{i}'}})


# name -> command, size, exponents of instructions and memory, input. A name with "and" or "×" is of two things that both grow.
TRAPS = {
    # What these ask for together grows with the square, and so does the number of launches.
    'pods that differ in size': (PLAN, 4000, 1.3, LINEAR, lambda n: lines(*[sized(i) for i in range(n)])),
    'pods spread over as many hosts': (PLAN, 1000, LINEAR, LINEAR, lambda n: lines(*[pod(f'p{i}', spread(HOST, {'a': 'b'}), labels={'a': 'b'}) for i in range(n)])),
    'pods spread over as many zones': (PLAN, 300, SQUARE, LINEAR, lambda n: (lines(*[pod(f'p{i}', spread(ZONE, {'a': 'b'}), labels={'a': 'b'}) for i in range(n)]), zones(n))),
    'pods that differ, spread over as many zones': (PLAN, 300, SQUARE, LINEAR, lambda n: (lines(*[sized(i, spec=spread(ZONE, {'a': 'b'}), labels={'a': 'b'}) for i in range(n)]), zones(n))),
    'Services and pods, default spread': (PLAN, 2000, LINEAR, LINEAR, services),
    'a chain of pod affinities by zone': (PLAN, 1000, LINEAR, LINEAR, chain(ZONE)),
    'a chain of pod affinities by host': (PLAN, 1000, LINEAR, LINEAR, chain(HOST)),
    'pods with self anti-affinity': (PLAN, 1000, LINEAR, LINEAR, lambda n: lines(*[pod(f'p{i}', apart(own_label(i)), labels={'a': f'v{i}'}) for i in range(n)])),
    'pods with anti-affinity to each other': (PLAN, 1000, LINEAR, LINEAR, lambda n: lines(*[sized(i, spec=apart({'matchLabels': {'a': 'b'}}), labels={'a': 'b'}) for i in range(n)])),
    'pods with preferred anti-affinity': (PLAN, 2000, LINEAR, LINEAR, lambda n: lines(*[pod(f'p{i}', apart(own_label(0), True), labels={'a': 'v0'}) for i in range(n)])),
    'pods with anti-affinity to pods without a label': (PLAN, 1000, LINEAR, LINEAR, lambda n: lines(*[
        pod(f'p{i}', apart({'matchExpressions': [{'key': f'k{i}', 'operator': 'DoesNotExist'}]}), labels={f'k{i}': 'b'}) for i in range(n)])),
    'pods with anti-affinity to pods without a label, one step': ((*PLAN, '--max-steps', '1'), 1500, LINEAR, LINEAR, lambda n: lines(*[
        pod(f'p{i}', apart({'matchExpressions': [{'key': f'k{i}', 'operator': 'DoesNotExist'}]}), labels={f'k{i}': 'b'}) for i in range(n)])),
    'devices and pods that request one each': (PLAN, 1000, 1.5, LINEAR, lambda n: lines(
        many_devices.SETTINGS, many_devices.device_class(), many_devices.resource_slice('s', [{'name': f'd{i}'} for i in range(n)]),
        *[o for i in range(n) for o in many_devices.with_claim(i)])),
    'shared devices and pods that request one each': (PLAN, 500, SQUARE, LINEAR, lambda n: lines(
        many_devices.SETTINGS, many_devices.device_class(), many_devices.resource_slice('s', [many_devices.shared_device(f'd{i}', 1) for i in range(n)]),
        *[o for i in range(n) for o in many_devices.with_share(i)])),
    'types, and pods that share a device': (PLAN, 300, LINEAR, LINEAR, lambda n: (sharers(40), large_types(n))),
    'types and pods, which share a device': (PLAN, 100, SQUARE, SQUARE, lambda n: (sharers(n), large_types(n))),
    'devices of a type and pods that request one each': (PLAN, 100, SQUARE, LINEAR, lambda n: (
        lines(many_devices.SETTINGS, many_devices.device_class(), *[o for i in range(n) for o in many_devices.with_claim(i)]), large_types(5, n))),
    'nodes with a device, and pods that cannot use them': (PLAN, 200, SQUARE, LINEAR, lambda n: lines(
        many_devices.SETTINGS, many_devices.device_class('device.driver == "other"'), *[own_node(i) for i in range(n)],
        *[many_devices.resource_slice(f's{i}', [{'name': 'a'}], nodeName=f'n{i}') for i in range(n)],
        *[o for i in range(n) for o in many_devices.with_claim(i)])),
    'pods and reservations': (PLAN, 500, SQUARE, LINEAR, reservations),
    'pods with a host port': (PLAN, 1000, SQUARE, LINEAR, lambda n: lines(*[host_port(i) for i in range(n)])),
    'pods that request a resource each': (PLAN, 2000, LINEAR, LINEAR, lambda n: lines(*[sized(i, requests={f'x.y/r{i}': '1'}) for i in range(n)])),
    'types and pods with a resource each': (PLAN, 300, SQUARE, SQUARE, lambda n: (
        lines(*[sized(i, requests={f'x.y/r{i}': '1'}) for i in range(n)]), json.dumps([traps.instance_type(i, capacity={f'x.y/r{i}': '1'}) for i in range(n)]))),
    'NodeClaims without a node, and pods': (PLAN, 2000, LINEAR, LINEAR, claims),
    'nodes and pods that fit on none': (PLAN, 600, SQUARE, LINEAR, lambda n: lines(*[own_node(i) for i in range(n)], *[sized(9000 + i) for i in range(n)])),
    'pods with a Gt requirement each': (PLAN, 2000, LINEAR, LINEAR, lambda n: lines(*[above(i) for i in range(n)])),
    'unschedulable pods and pools': (PLAN, 150, SQUARE, SQUARE, lambda n: lines(*[pool_named(f'p{i}') for i in range(n)], *[nowhere(i) for i in range(n)])),
    'unschedulable pods and pools, as a page': ((*PLAN[:-1], 'html'), 150, SQUARE, SQUARE, lambda n: lines(*[pool_named(f'p{i}') for i in range(n)], *[nowhere(i) for i in range(n)])),
    'pods and PodDisruptionBudgets': (DISRUPT, 500, SQUARE, SQUARE, lambda n: lines(
        *[own_node(i) for i in range(10)], *[traps.bound(i, i % 10, labels={f'a{i}': 'b'}) for i in range(n)],
        *[traps.budget_of(i, {'matchExpressions': [{'key': f'a{i}', 'operator': 'DoesNotExist'}]}) for i in range(n)])),
    'pods with anti-affinity to each other, verified': (VERIFY, 1000, LINEAR, LINEAR, lambda n: lines(*[
        sized(i, spec=apart({'matchLabels': {'a': 'b'}}), labels={'a': 'b'}) for i in range(n)])),
    'pods with self anti-affinity, verified': (VERIFY, 1000, LINEAR, LINEAR, lambda n: lines(*[
        pod(f'p{i}', apart(own_label(i)), labels={'a': f'v{i}'}) for i in range(n)])),
    'pods with affinity to each other, verified': (VERIFY, 1000, LINEAR, LINEAR, lambda n: lines(*[
        sized(i, spec={'affinity': {'podAffinity': {REQUIRED: [{'topologyKey': ZONE, 'labelSelector': {'matchLabels': {'a': 'b'}}}]}}}, labels={'a': 'b'}) for i in range(n)])),
    'pods that differ, spread over as many hosts, verified': (VERIFY, 1000, LINEAR, LINEAR, lambda n: lines(*[
        sized(i, spec=spread(HOST, {'a': 'b'}), labels={'a': 'b'}) for i in range(n)])),
    'pods that differ, spread over as many zones, verified': (VERIFY, 300, SQUARE, LINEAR, lambda n: (
        lines(*[sized(i, spec=spread(ZONE, {'a': 'b'}), labels={'a': 'b'}) for i in range(n)]), zones(n))),
    'pods with anti-affinity to pods without a label, verified': (VERIFY, 500, SQUARE, LINEAR, lambda n: lines(*[
        pod(f'p{i}', apart({'matchExpressions': [{'key': f'k{i}', 'operator': 'DoesNotExist'}]}), labels={f'k{i}': 'b'}) for i in range(n)])),
    'pods spread over as many hosts, verified': (VERIFY, 1000, LINEAR, LINEAR, lambda n: lines(*[pod(f'p{i}', spread(HOST, {'a': 'b'}), labels={'a': 'b'}) for i in range(n)])),
}


TRAPS.update(growth_verbs.VERBS)


def files(trap, n):
    text = trap(n)
    text = text if isinstance(text, (dict, tuple)) else (text,)
    made = text if isinstance(text, dict) else dict(zip(('in', 'types'), text))
    return {'types': json.dumps([traps.instance_type(i) for i in range(1, 6)]), **made}


def cost(name, n):
    command, _, _, _, trap = TRAPS[name]
    with tempfile.TemporaryDirectory() as folder:
        for part, content in files(trap, n).items():
            pathlib.Path(folder, part).write_text(content, encoding='utf-8')

        def words(of):
            return [a.replace('@', f'{folder}/') for a in of]

        for made, (before, answer) in growth_verbs.BEFORE.items():
            if made in command:
                with open(f'{folder}/{made[1:]}' if answer else os.devnull, 'wb') as out:
                    subprocess.run([os.environ['KARP'], *words(before)], stdout=out, check=True)
        return growth.cost(words(command))


def grown(name):
    size = TRAPS[name][1]
    least, few, many = (cost(name, n) for n in (1, size, 2 * size))
    more = growth.ratios(growth.beyond(few, least), growth.beyond(many, least))
    return many, [max(0.0, math.log2(max(r, 1))) for r in more]


def main():
    table, only = '--table' in sys.argv, [a for a in sys.argv[1:] if not a.startswith('-')]
    if not growth.available():
        print('skipped: there is no valgrind')
        return 77
    names = [name for name in TRAPS if not only or name in only]
    if table:
        print('| input | N | instructions of 2 N | ^ | memory of 2 N | ^ |\n|---|---|---|---|---|---|')
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (many, found) in zip(names, pool.map(grown, names)):
            _, size, *most, _ = TRAPS[name]
            wrong += [f'{name}: {what} grow with the power {e:.2f} (at most {m})' for what, e, m in zip(('instructions', 'bytes'), found, most) if e > m + SLACK]
            wrong += [f'{name}: exit status {many.status}: {many.error}'] if many.status else []
            if table:
                print(f'| {name} | {size:,} | {many.instructions / 1e6:,.0f} M | {found[0]:.1f} | {many.megabytes:.0f} MB | {found[1]:.1f} |', flush=True)
    print('\n'.join(wrong) if wrong or table else f'{len(names)} inputs grow as they should')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
