# SPDX-License-Identifier: Apache-2.0
"""Inputs of test_growth.py for what is not a plan of Kubernetes objects: traces and loads, prices, facts, stories, certificates, and the
commands that read them. Each gives a dictionary of files, by the name that the command has after its @."""
import json

import traps
from traps import HOST, bound, budget_of, daemon_set, disrupted, instance_type, lines, own_label, own_node, pod, pool_named

INPUT = '-f', '@in', '--catalogue', '@types', '-o', 'json'
REPLAY = 'replay', '@trace', '--nodepools', '@in', '--catalogue', '@types', '--until', '30m', '-o', 'json'
SIZED = 'plan', *INPUT, '--requests', 'recommended'
COST = 'plan', *INPUT, '--objective', 'cost', '--effort', '1000'
AZURE = 'catalogue', '--provider', 'azure', '--region', 'japaneast', '--facts', '@facts', '-o', 'json'
LINEAR, SQUARE = 1.2, 2.1
START = 1772409600 # 2026-03-02
QUIET = lines(pool=pool_named('pool', {'consolidationPolicy': 'WhenEmpty', 'consolidateAfter': 'Never'})) # nothing is disrupted


def sized(i):
    return pod(f'p{i}', {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': f'{i + 1}m'}}}]}, labels={'a': f'v{i}'})


def template(cpu='1'):
    return {'metadata': {'labels': {'a': 'b'}}, 'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu}}}]}}


def deployment(name, replicas, cpu='1'):
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': name, 'namespace': 'default'},
            'spec': {'replicas': replicas, 'template': template(cpu)}}


def load(**members):
    return {'in': QUIET, 'trace': json.dumps({'apiVersion': 'karp/v1', 'kind': 'Load', 'start': '2026-03-02T00:00:00Z', 'length': '30m', **members})}


def deployments(n):
    return load(deployments=[{'name': f'd{i}', 'replicas': {'least': 1, 'most': 2}, 'cpu': '100m', 'memory': '1Mi'} for i in range(n)])


def cron_jobs(n):
    return load(cronJobs=[{'name': f'j{i}', 'schedule': f'{i % 30} * * * *', 'parallelism': 1, 'duration': '5m', 'cpu': '100m', 'memory': '1Mi'}
                          for i in range(n)])


def simkube(events):
    tracked = {'apps/v1.Deployment': {'podSpecTemplatePath': '/spec/template'}}
    return {'in': QUIET, 'trace': json.dumps({'version': 2, 'config': {'trackedObjects': tracked}, 'events': events, 'index': {}, 'pod_lifecycles': {}})}


def workloads(n):
    return simkube([{'ts': START, 'applied_objs': [deployment(f'd{i}', 1, '100m') for i in range(n)], 'deleted_objs': []}])


def changes(n):
    """Of one Deployment, a second apart, half of which change how many pods it has and half nothing."""
    return simkube([{'ts': START + i, 'applied_objs': [deployment('d', 1 + i // 2 % 3)], 'deleted_objs': []} for i in range(n)])


def table_of_pods(n):
    return {'in': QUIET, 'trace': 'name,start,end,cpu\n' + ''.join(f'p{i},{60 + i % 600},{1200 + i % 300},{i % 900 + 1}m\n' for i in range(n))}


def rules(n):
    rule = {'requirements': [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': ['t1']}], 'factor': 1}
    return {'in': lines(pod('p')), 'prices': json.dumps({'apiVersion': 'karp/v1', 'kind': 'Prices', 'metadata': {'name': 'x'}, 'spec': {
        'rules': [{'name': f'r{i}', **rule} for i in range(n)]}})}


def rules_and_types(n):
    return {**rules(n), 'types': json.dumps([instance_type(i) for i in range(n)])}


def facts(n):
    rows = [f'Standard_D{i:05}_v9|standardDSv9Family|2|8|p12|||//.125/.025' for i in range(n)]
    return {'facts': '\n'.join(['karp-facts azure 1', 'regions japaneast:13', *rows, f'end {n}', ''])}


def sizes(n):
    size = {'resourceType': 'virtualMachines', 'family': 'standardDSv9Family', 'locationInfo': [{'location': 'japaneast', 'zones': ['1', '3']}],
            'capabilities': [{'name': k, 'value': v} for k, v in (('vCPUs', '2'), ('MemoryGB', '8'), ('HyperVGenerations', 'V1,V2'),
                                                                  ('PremiumIO', 'True'), ('LowPriorityCapable', 'True'))]}
    price = {'armRegionName': 'japaneast', 'productName': 'D', 'meterName': 'D', 'type': 'Consumption', 'retailPrice': 0.125}
    return {'sizes': json.dumps([{**size, 'name': f'Standard_D{i}_v9'} for i in range(n)]),
            'prices': json.dumps([{'Items': [{**price, 'armSkuName': f'Standard_D{i}_v9', 'skuName': f'D{i} v9'} for i in range(n)]}, {'Items': []}])}


def used(n, *more, per_node=4):
    """Nodes of 4 CPU with small pods, which consolidation may disrupt."""
    return disrupted(*[own_node(i) for i in range(n)], *[bound(i, i // per_node, cpu='100m', labels={'a': f'v{i}'}) for i in range(per_node * n)], *more,
                     budgets=[{'nodes': '100%'}])


def apart(n):
    """On each of n nodes seven pods that may not be beside each other anew, all of different sizes."""
    rule = {'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [{'topologyKey': HOST, 'labelSelector': own_label(0)}]}}}
    return disrupted(*[own_node(i) for i in range(n)], *[bound(i, i % n, rule, cpu=f'{100 + i}m', labels={'a': 'v0', 'me': f'{i}'}) for i in range(7 * n)],
                     budgets=[{'nodes': '100%'}])


def held(n):
    """Nodes, each with a pod that a PodDisruptionBudget of its own holds."""
    return used(n, *[{**budget_of(i, own_label(i)), 'status': {'disruptionsAllowed': 0}} for i in range(n)], per_node=1)


def two_inputs(n):
    changed = [pod(f'p{i}', {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '2'}}}]}, labels={'a': f'v{i}'}) for i in range(n)]
    return {'in': lines(*[sized(i) for i in range(n)]), 'other': '\n'.join(map(json.dumps, changed)) + '\n'}


def queue(n):
    """Workloads of Kueue that wait, of which each has two pods."""
    sets = [{'name': 'main', 'count': 2, 'template': template('100m')}]
    return lines(*[{'apiVersion': 'kueue.x-k8s.io/v1beta1', 'kind': 'Workload', 'metadata': {'name': f'w{i}', 'namespace': 'default'},
                    'spec': {'podSets': sets}} for i in range(n)])


def used_amounts(n):
    """Deployments, and what a container of each uses: as a table, and as Prometheus prints it."""
    labels = lambda i: {'namespace': 'default', 'pod': f'd{i}-6d4f8b9c7-x7k2p', 'container': 'c', '__name__': 'container_memory_working_set_bytes'}
    return {'in': lines(*[deployment(f'd{i}', 1, '500m') for i in range(n)]),
            'table': 'namespace,owner,container,cpu\n' + ''.join(f'default,d{i},c,0.2\n' for i in range(n)),
            'metrics': json.dumps([{'metric': labels(i), 'value': [1, '1000000']} for i in range(n)])}


def recommended(n):
    """Deployments with a VerticalPodAutoscaler each."""
    target = lambda i: {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': f'd{i}'}
    return lines(*[deployment(f'd{i}', 1, '500m') for i in range(n)],
                 *[{'apiVersion': 'autoscaling.k8s.io/v1', 'kind': 'VerticalPodAutoscaler', 'metadata': {'name': f'v{i}', 'namespace': 'default'},
                    'spec': {'targetRef': target(i)}, 'status': {'recommendation': {'containerRecommendations': [{'containerName': 'c', 'target': {'cpu': '200m'}}]}}}
                   for i in range(n)])


def price_list(n):
    return {'list.csv': 'name,cpu,memory,pods,zones,price\n' + ''.join(f't{i},2,8Gi,20,z1 z2,0.{i + 1}\n' for i in range(n))}


def full_list(n):
    return {'list': json.dumps([instance_type(i) for i in range(n)])}


def story(n):
    """Steps that scale one Deployment."""
    steps = [step for i in range(n) for step in ({'scale': {'deployment': 'd', 'replicas': 1 + i % 3}}, {'wait': '1m'})]
    return {'in.json': '\n---\n'.join((*QUIET.splitlines(), json.dumps(deployment('d', 1, '100m')))),
            'story': json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'files': ['in.json'], 'steps': steps})}


def owners(n):
    """ReplicaSets, each owned by the one before."""
    chain = lambda i: [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': f'r{i - 1}', 'uid': f'u{i - 1}', 'controller': True}]
    return lines(*[{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'spec': {'replicas': 0},
                    'metadata': {'name': f'r{i}', 'namespace': 'default', 'uid': f'u{i}', 'ownerReferences': chain(i) if i else []}} for i in range(n)])


def at(seconds):
    return f'2026-03-02T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z'


def recording(n):
    """Deployments that are created and then scaled, as kubereplay records them."""
    created = [{'type': 'create', 'kind': 'Deployment', 'key': f'default/d{i}', 'timestamp': at(2 * i), 'deployment': deployment(f'd{i}', 1, '100m')} for i in range(n)]
    scaled = [{'type': 'scale', 'kind': 'Deployment', 'key': f'default/d{i}', 'timestamp': at(2 * i + 1), 'replicas': 2} for i in range(n)]
    return {'in': QUIET, 'trace': json.dumps({'captured': 'x', 'events': created + scaled})}


# name -> command, size, exponents of instructions and memory, input, as TRAPS of test_growth.py.
VERBS = {
    'a load of Deployments, replayed': (REPLAY, 400, LINEAR, LINEAR, deployments),
    'a load of CronJobs, replayed': (REPLAY, 400, LINEAR, LINEAR, cron_jobs),
    'Deployments of a SimKube trace, replayed': (REPLAY, 300, LINEAR, LINEAR, workloads),
    'changes of a SimKube trace, replayed': (REPLAY, 400, LINEAR, LINEAR, changes),
    'a table of pods that are created one by one, replayed': (REPLAY, 400, SQUARE, LINEAR, table_of_pods),
    'Deployments of a recording, replayed': (REPLAY, 1500, LINEAR, LINEAR, recording),
    'steps of a story': (('simulate', '@story', '--catalogue', '@types', '-o', 'json'), 200, LINEAR, LINEAR, story),
    'workloads that wait, admitted': (('admit', *INPUT), 1000, SQUARE, LINEAR, queue),
    'a table of usage': ((*SIZED, '--usage', '@table'), 1000, LINEAR, LINEAR, used_amounts),
    'metrics of usage': ((*SIZED, '--usage', '@metrics'), 1000, LINEAR, LINEAR, used_amounts),
    'VerticalPodAutoscalers': (SIZED, 1000, LINEAR, LINEAR, recommended),
    'instance types of a price list': (('catalogue', '--catalogue', '@list.csv', '-o', 'json'), 2000, LINEAR, LINEAR, price_list),
    'instance types of a document': (('catalogue', '--catalogue', '@list', '-o', 'json'), 2000, LINEAR, LINEAR, full_list),
    'a chain of owners, deleted': (('dump', *INPUT[:4], '--delete', 'rs/r0'), 4000, LINEAR, LINEAR, owners),
    'nodes, listed': (('nodes', *INPUT), 200, SQUARE, LINEAR, used),
    'rules of Prices': (('plan', *INPUT, '--prices', '@prices'), 4000, LINEAR, LINEAR, rules),
    'rules of Prices and types': (('plan', *INPUT, '--prices', '@prices'), 500, SQUARE, LINEAR, rules_and_types),
    'instance types of a table of facts': (AZURE, 2000, LINEAR, LINEAR, facts),
    "output of a cloud's command-line tool, converted to a table of facts": (
        ('facts', '--provider', 'azure', '--region', 'japaneast', '--facts', 'sizes=@sizes', '--facts', 'prices=@prices'), 1000, LINEAR, LINEAR, sizes),
    'nodes, repacked': (('repack', *INPUT, '--effort', '1000'), 150, 1.5, LINEAR, used),
    'nodes and pods with anti-affinity to each other, repacked': (('repack', *INPUT, '--effort', '1000'), 25, 1.5, LINEAR, apart),
    'pods of two inputs that differ': (('diff', *INPUT, '--', '--replace', '@other'), 1000, LINEAR, LINEAR, two_inputs),
    'nodes, settled': (('plan', *INPUT, '--settle'), 50, SQUARE, LINEAR, used),
    'pods, settled': (('plan', *INPUT, '--settle'), 500, LINEAR, LINEAR, lambda n: lines(*[sized(i) for i in range(n)])),
    'pods, linted': (('lint', *INPUT), 3000, LINEAR, LINEAR, lambda n: lines(*[pod(f'p{i}', {'nodeSelector': {f'k{i}': 'v'}}) for i in range(n)])),
    'NodePools, linted': (('lint', *INPUT), 1500, LINEAR, LINEAR, lambda n: lines(*[pool_named(f'p{i}', taints=[{'key': f'k{i}', 'effect': 'NoSchedule'}])
                                                                                   for i in range(n)])),
    'DaemonSets and NodePools, linted': (('lint', *INPUT), 400, SQUARE, LINEAR, lambda n: lines(
        *[pool_named(f'p{i}') for i in range(n)], *[daemon_set(i) for i in range(n)])),
    'PodDisruptionBudgets, linted': (('lint', *INPUT), 500, LINEAR, LINEAR, held),
    'PodDisruptionBudgets that block nodes, as blockers': (('blockers', *INPUT), 200, LINEAR, LINEAR, held),
    'pods that differ, with a certificate': ((*COST, '--certificate', '@out'), 200, SQUARE, SQUARE, lambda n: lines(*[sized(i) for i in range(n)])),
    'pods that differ, whose certificate is verified': (('verify', '--certificate', '@proof', *INPUT), 200, SQUARE, SQUARE,
                                                        lambda n: lines(*[sized(i) for i in range(n)])),
}
# What a command needs made before it, by the name after the @, and whether the answer itself is that file.
BEFORE = {'@plan': (traps.PLAN, True), '@proof': ((*COST, '--certificate', '@proof'), False)}
