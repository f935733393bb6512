# SPDX-License-Identifier: Apache-2.0
"""Inputs made to hurt: each is a function of how many elements it has, and yields the objects, or the objects and the instance types."""
import json

ZONE = 'topology.kubernetes.io/zone'
HOST = 'kubernetes.io/hostname'
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'},
        'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'k', 'name': 'n1'}, 'requirements': []}}}}
MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n'
LINEAR, PRODUCT = 2.3, 4.6
PLAN = 'plan', '-f', '@in', '--catalogue', '@types', '-o', 'json'
DISRUPT = 'disrupt', *PLAN[1:]
EXPLAIN_POD = 'explain', 'pod', 'p', *PLAN[1:]
EXPLAIN_NODE = 'explain', 'node', 'n0', *PLAN[1:]
REPLAY = 'replay', '@in', '--catalogue', '@types', '--until', '1h', '-o', 'json'
CATALOGUE = 'catalogue', '--catalogue', '@types', '-o', 'json'


def pod(name, spec=None, **metadata):
    container = {'name': 'c', 'resources': {'requests': {'cpu': '1'}}}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, **metadata}, 'spec': {'containers': [container], **(spec or {})}}


def lines(*objects, pool=POOL):
    return '\n'.join(json.dumps(o) for o in (pool, *objects)) + '\n'


def own_label(i):
    return {'matchLabels': {'a': f'v{i}'}}


def node_affinity(**terms):
    return {'affinity': {'nodeAffinity': terms}}


def expression(i):
    return {'matchExpressions': [{'key': 'k', 'operator': 'In', 'values': [f'v{i}']}]}


def pod_term(i):
    return {'topologyKey': ZONE, 'labelSelector': own_label(i)}


def rules_of_its_own(i):
    """A pod whose spread and anti-affinity look at nobody else."""
    own = own_label(i)
    return pod(f'p{i}', {'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': own}],
                         'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
                             {'topologyKey': HOST, 'labelSelector': own}]}}}, labels={'a': f'v{i}'})


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
        *[claimed(i, storageClassName=f's{i % drivers}') for i in range(n)],
        pod('p', {'volumes': [{'name': f'v{i}', 'persistentVolumeClaim': {'claimName': f'c{i}'}} for i in range(n)]}))


def pool_with(n, **template):
    return lines(pod('p', {'tolerations': [{'operator': 'Exists'}]}), pool=pool_named('pool', **template))


def pool_named(name, disruption=None, labels=None, **template):
    """`template`: of its spec."""
    pool = json.loads(json.dumps(POOL))
    pool['metadata']['name'] = name
    pool['spec']['template']['spec'].update(template)
    pool['spec']['template']['metadata'] = {'labels': labels or {}}
    pool['spec'].update({'disruption': disruption} if disruption else {})
    return pool


def daemon_set(i, spec=None, **container):
    container = {'name': 'c', 'resources': {'requests': {'cpu': '1m'}}, **container}
    return {'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': f'd{i}'},
            'spec': {'template': {'metadata': {}, 'spec': {'containers': [container], **(spec or {})}}}}


def own_node(i, cpu='4', **spec):
    """A node of the pool, which may be disrupted."""
    owned = {ZONE: 'z1', HOST: f'n{i}', 'karpenter.sh/nodepool': 'pool', 'karpenter.sh/capacity-type': 'on-demand',
             'node.kubernetes.io/instance-type': 't3', 'karpenter.sh/initialized': 'true', 'karpenter.sh/registered': 'true'}
    amounts = {'cpu': cpu, 'memory': '16Gi', 'pods': '110'}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': f'n{i}', 'labels': owned}, 'spec': {'providerID': f'x{i}', **spec},
            'status': {'allocatable': amounts, 'capacity': amounts}}


def own_claim(i):
    """The NodeClaim of own_node(i), which may be consolidated."""
    node = own_node(i)
    true = [{'type': kind, 'status': 'True', 'lastTransitionTime': '2026-01-01T00:00:00Z'} for kind in ('Launched', 'Registered', 'Initialized', 'Consolidatable')]
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': {'name': f'c{i}', 'labels': node['metadata']['labels']}, 'spec': {'requirements': []},
            'status': {'nodeName': f'n{i}', 'providerID': f'x{i}', 'conditions': true, **node['status']}}


def disrupted(*objects, **disruption):
    return lines(*objects, pool=pool_named('pool', {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s', **disruption}))


def bound(i, on, spec=None, cpu='1m', **metadata):
    return pod(f'q{i}', {'nodeName': f'n{on}', 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu}}}], **(spec or {})}, **metadata)


def budget_of(i, selector):
    return {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': f'b{i}'},
            'spec': {'selector': selector, 'maxUnavailable': 1}, 'status': {'disruptionsAllowed': 1}}


def instance_type(i, zones=('z1', 'z2'), labels=None, capacity=None):
    return {'name': f't{i}', 'labels': {'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux'], **(labels or {})},
            'capacity': {'cpu': str(2 ** (i % 7)), 'memory': f'{4 * 2 ** (i % 7)}Gi', 'pods': '110', **(capacity or {})},
            'offerings': [{'zone': z, 'capacityType': 'on-demand', 'price': 2 ** (i % 7) * 0.1} for z in zones]}


def of_types(*types, text=None):
    return text or lines(pod('p')), json.dumps(types)


def claimed(i, **spec):
    return {'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim', 'metadata': {'name': f'c{i}'}, 'spec': spec}


def with_budgets(n):
    """Pods enough that a comparison of each with every budget would be seen beside the reading of them."""
    return disrupted(own_node(0), own_node(1), *[bound(i, 0, labels={'a': f'v{i}'}) for i in range(5 * n)],
                     *[budget_of(i, own_label(i)) for i in range(5 * n)])


def with_blocking_budgets(n):
    """Each pod of a few nodes has a budget that allows no eviction."""
    never = [{**budget_of(i, own_label(i)), 'status': {'disruptionsAllowed': 0}} for i in range(2 * n)]
    return disrupted(*[make(i) for i in range(4) for make in (own_node, own_claim)], *[bound(i, i % 4, labels={'a': f'v{i}'}) for i in range(2 * n)], *never)


def with_overlays(n):
    """Each of another type's price."""
    overlays = [{'apiVersion': 'karpenter.sh/v1alpha1', 'kind': 'NodeOverlay', 'metadata': {'name': f'o{i}'},
                 'spec': {'weight': i % 1000 + 1, 'requirements': [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': [f't{i}']}],
                          'priceAdjustment': '+1%'}} for i in range(n)]
    return json.dumps({'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'settings': {'featureGates': {'NodeOverlay': True}},
                       'catalogues': [{'instanceTypes': [instance_type(i) for i in range(5)]}], 'objects': [POOL, pod('p'), *overlays]})


AT = 1772409600


def job(name, pods):
    return {'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': name, 'namespace': 'default'}, 'spec': {
        'parallelism': pods, 'completions': pods, 'activeDeadlineSeconds': 60, 'template': {'spec': pod('p')['spec']}}}


def simkube(*applied, lives=None):
    """A trace whose n-th second applies these objects."""
    events = [{'ts': AT + i, 'applied_objs': objects, 'deleted_objs': []} for i, objects in enumerate(([POOL], *applied))]
    return json.dumps({'version': 2, 'config': {'trackedObjects': {}}, 'events': events, 'index': {}, 'pod_lifecycles': lives or {}})


def kubereplay(n):
    """Deployments that are created, each before a scale event of one that was created earlier. A line has one event."""
    def event(kind, i, second, **more):
        return json.dumps({'type': kind, 'kind': 'Deployment', 'key': f'default/d{i}', 'timestamp': f'2026-03-02T00:{second // 60:02}:{second % 60:02}Z', **more})
    deployment = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'spec': {'replicas': 0, 'template': {'spec': pod('p')['spec']}}}
    events = [event('create', i, 2 * i * 1000 // n, deployment={**deployment, 'metadata': {'name': f'd{i}', 'namespace': 'default'}}) for i in range(n)]
    events += [event('scale', i, 2 * i * 1000 // n + 1, replicas=0) for i in range(n)]
    return '{"captured": "x", "events": [\n' + ',\n'.join(events) + ']}'


def story(n):
    deployment = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'app'}, 'spec': {
        'replicas': 0, 'selector': {'matchLabels': {'a': 'b'}}, 'template': {'metadata': {'labels': {'a': 'b'}}, 'spec': pod('p')['spec']}}}
    steps = [{'scale': {'deployment': 'app', 'replicas': n}}, {'wait': '2m'}, {'scale': {'deployment': 'app', 'replicas': 0}}]
    return '# YAML\n' + json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2022-02-13T00:00:00Z', 'nodeReadyAfter': '60s',
                       'objects': [POOL, deployment], 'steps': steps})


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
    'requirements of a pool': lambda n: pool_with(n, requirements=[{'key': f'k{i}', 'operator': 'In', 'values': ['a']} for i in range(n)]),
    'requirements on one key of a pool': lambda n: pool_with(n, requirements=[
        {'key': 'k', 'operator': 'NotIn', 'values': [f'v{i}']} for i in range(n)]),
    'expressions on one key of a pod': lambda n: lines(pod('p', node_affinity(
        requiredDuringSchedulingIgnoredDuringExecution={'nodeSelectorTerms': [
            {'matchExpressions': [{'key': 'k', 'operator': 'NotIn', 'values': [f'v{i}']} for i in range(n)]}]}))),
    'labels of a pool': lambda n: lines(pod('p', {'nodeSelector': labels(n)}), pool=pool_named('pool', labels=labels(n))),
    'taints of a pool': lambda n: pool_with(n, taints=[{'key': f'k{i}', 'effect': 'NoSchedule'} for i in range(n)]),
    'resources': lambda n: lines(pod('p', {'containers': [{'name': 'c', 'resources': {'requests': {f'x.y/r{i}': '1' for i in range(n)}}}]})),
    'containers': lambda n: lines(pod('p', {'containers': [{'name': f'c{i}', 'resources': {'requests': {'cpu': '1m'}}} for i in range(n)]})),
    'volumes': lambda n: lines(pod('p', {'volumes': [{'name': f'v{i}', 'persistentVolumeClaim': {'claimName': f'c{i}'}} for i in range(n)]})),
    'volumes of drivers that a node limits': lambda n: with_volumes(n, n, 1),
    'volumes of one driver that nodes limit': lambda n: with_volumes(n, 1, 100),
    'pods that would rather not share a node': lambda n: lines(*[pod(f'p{i}', {'affinity': {'podAntiAffinity': {
        'preferredDuringSchedulingIgnoredDuringExecution': [{'weight': 1, 'podAffinityTerm': {'topologyKey': HOST, 'labelSelector': own_label(0)}}]}}},
                                                           labels={'a': 'v0'}) for i in range(n)]),
    'nodes, and pods that would rather not share one': lambda n: lines(*[own_node(i) for i in range(n)], *[pod(f'p{i}', {'affinity': {
        'podAntiAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [{'weight': 1, 'podAffinityTerm': {
            'topologyKey': HOST, 'labelSelector': own_label(0)}}]}}}, labels={'a': 'v0'}) for i in range(n)]),
    'pods that differ': lambda n: lines(*[pod(f'p{i}', labels={'a': f'v{i}'}) for i in range(n)]),
    'pods with rules of their own': lambda n: lines(*[rules_of_its_own(i) for i in range(n)]),
    'owners': lambda n: lines(pod('p', ownerReferences=[{'apiVersion': 'v1', 'kind': 'X', 'name': f'{i}', 'uid': f'{i}'} for i in range(n)])),
    'fields that are not known': lambda n: lines(pod('p', {f'x{i}': 1 for i in range(n)})),
    'kinds that are not known': lambda n: lines(*[{'apiVersion': 'v1', 'kind': f'X{i}', 'metadata': {'name': 'x'}} for i in range(n)]),
    'documents': lambda n: '---\n'.join(f'apiVersion: v1\nkind: Pod\nmetadata: {{name: p{i}}}\nspec: {{containers: [{{name: c}}]}}\n'
                                        for i in range(n)),
    'pools': lambda n: lines(*[pool_named(f'p{i}') for i in range(n)], pod('p')),
    'limits of a pool': lambda n: lines(pod('p'), pool={**POOL, 'spec': {**POOL['spec'], 'limits': {f'x.y/r{i}': '5' for i in range(n)}}}),
    'startup taints': lambda n: pool_with(n, startupTaints=[{'key': f'k{i}', 'effect': 'NoSchedule'} for i in range(n)]),
    'DaemonSets': lambda n: lines(*[daemon_set(i) for i in range(n)], pod('p')),
    'DaemonSets that differ': lambda n: lines(
        *[daemon_set(i, {'tolerations': [{'key': f'k{i}', 'operator': 'Exists'}]}) for i in range(n)], pod('p')),
    'DaemonSets with host ports': lambda n: lines(
        *[daemon_set(i, ports=[{'hostPort': i + 1, 'containerPort': 1}]) for i in range(n)], pod('p')),
    'host ports': lambda n: lines(pod('p', {'containers': [{'name': 'c', 'ports': [
        {'hostPort': i + 1, 'containerPort': 1} for i in range(n)]}]})),
    'pods on a node': lambda n: lines(own_node(0), *[bound(i, 0) for i in range(n)], pod('p')),
    'nodes': lambda n: lines(*[own_node(i) for i in range(n)], pod('p')),
    'namespaces of a term': lambda n: lines(pod('p', {'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
        {**pod_term(1), 'namespaces': [f'n{i}' for i in range(n)]}]}}}), pod('q', labels={'a': 'v1'})),
    'equal namespace selectors': lambda n: lines(
        *[{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': f'n{i}', 'labels': {'a': 'b'}}} for i in range(n)],
        *[pod(f'p{i}', {'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
            {'topologyKey': HOST, 'namespaceSelector': {'matchLabels': {'a': 'b'}}, 'labelSelector': own_label(i)}]}}}, namespace=f'n{i}')
          for i in range(n)]),
    'priority classes': lambda n: lines(
        *[{'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'PriorityClass', 'metadata': {'name': f'k{i}'}, 'value': i} for i in range(n)],
        *[pod(f'p{i}', {'priorityClassName': f'k{i}'}) for i in range(n)]),
    'ephemeral volumes': lambda n: lines(
        {'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name': 's'}, 'provisioner': 'ebs'},
        pod('p', {'volumes': [{'name': f'v{i}', 'ephemeral': {'volumeClaimTemplate': {'spec': {'storageClassName': 's'}}}} for i in range(n)]})),
    'topologies of a storage class': lambda n: lines(
        {'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name': 's'}, 'provisioner': 'ebs',
         'allowedTopologies': [{'matchLabelExpressions': [{'key': ZONE, 'values': [f'z{i}']}]} for i in range(n)]},
        claimed(0, storageClassName='s'), pod('p', {'volumes': [{'name': 'v', 'persistentVolumeClaim': {'claimName': 'c0'}}]})),
    'zones of a type': lambda n: of_types(instance_type(1, zones=[f'z{i}' for i in range(n)])),
    'instance types': lambda n: of_types(*[instance_type(i) for i in range(n)]),
    'values of a type': lambda n: of_types(instance_type(1, labels={'k': [f'v{i}' for i in range(n)]})),
    'resources of a type': lambda n: of_types(instance_type(1, capacity={f'x.y/k{i}': '1' for i in range(n)})),
}

# Of other commands than plan.
OTHERS = {
    'budgets of a pool': (DISRUPT, lambda n: disrupted(*[own_node(i) for i in range(3)], budgets=[
        {'nodes': f'{i % 90}%', 'schedule': f'{i % 60} {i % 24} * * *', 'duration': '10m'} for i in range(n)])),
    'values of a schedule': (DISRUPT, lambda n: disrupted(own_node(0), budgets=[
        {'nodes': '1', 'schedule': ','.join(str(i % 60) for i in range(n)) + ' * * * *', 'duration': '10m'}])),
    'PodDisruptionBudgets of one pod': (DISRUPT, lambda n: disrupted(
        own_node(0), own_node(1), bound(0, 0, labels={'a': 'v0'}), *[budget_of(i, own_label(0)) for i in range(n)])),
    'pods that differ on a node': (DISRUPT, lambda n: disrupted(
        own_node(0), own_node(1), *[bound(i, 0, labels={'a': f'v{i}'}) for i in range(n)])),
    'pods with a PodDisruptionBudget each': (DISRUPT, with_budgets),
    'pods with a PodDisruptionBudget each to check': (('lint', *PLAN[1:]), with_budgets),
    'PodDisruptionBudgets that hold nodes': (('blockers', *PLAN[1:]), with_blocking_budgets),
    'PodDisruptionBudgets of a node to explain': (EXPLAIN_NODE, lambda n: disrupted(
        own_node(0), own_node(1), bound(0, 0, labels={'a': 'v0'}), *[budget_of(i, own_label(0)) for i in range(n)])),
    'pods of a node to explain': (EXPLAIN_NODE, lambda n: disrupted(own_node(0), own_node(1), *[
        bound(i, 0, annotations={'karpenter.sh/do-not-disrupt': 'true'}) for i in range(n)])),
    'node selector to explain': (EXPLAIN_POD, lambda n: lines(pod('p', {'nodeSelector': labels(n)}))),
    'OR-terms to explain': (EXPLAIN_POD, lambda n: lines(pod('p', node_affinity(
        requiredDuringSchedulingIgnoredDuringExecution={'nodeSelectorTerms': [expression(i) for i in range(n)]})))),
    'pools to explain': (EXPLAIN_POD, lambda n: lines(
        *[pool_named(f'p{i}', taints=[{'key': f'k{i}', 'effect': 'NoSchedule'}]) for i in range(n)], pod('p', {'nodeSelector': {'x': 'y'}}))),
    'host ports to explain': (EXPLAIN_POD, lambda n: lines(pod('p', {'nodeSelector': {'x': 'y'}, 'containers': [
        {'name': 'c', 'ports': [{'hostPort': i + 1, 'containerPort': 1} for i in range(n)]}]}))),
    'nodes that are gone': (('whatif', *PLAN[1:], '--lose-zone', 'z1'), lambda n: lines(
        *[own_node(i) for i in range(n)], *[bound(i, i) for i in range(n)])),
    'pods of a story': (('simulate', '@in', '--catalogue', '@types', '-o', 'json'), story),
    'pods to verify': (('verify', '@plan', *PLAN[1:]), lambda n: lines(*[pod(f'p{i}', labels={'a': f'v{i}'}) for i in range(n)])),
    'nodes and pods to verify': (('verify', '@plan', *PLAN[1:]), lambda n: lines(
        *[own_node(i) for i in range(n)], *[bound(i, i) for i in range(n)], pod('p'))),
    'scale events in another order than their Deployments': ((*REPLAY, '--nodepools', '@pool'), kubereplay),
    'Jobs beside the lives of others': ((*REPLAY, '--scheduler', 'simple'), lambda n: simkube([job(f'j{i}', 10 * n) for i in range(2)], lives={
        f'batch/v1.Job:default/x{i}': {} for i in range(10 * n)})),
    'lives of one Job': ((*REPLAY, '--scheduler', 'simple'), lambda n: simkube([job('j', 10 * n)], lives={'batch/v1.Job:default/j': {
        f'h{i}': [[AT, AT + 60]] for i in range(10 * n)}})),
    'pools that come one by one': (REPLAY, lambda n: simkube(*[[pool_named(f'p{i}')] for i in range(n)])),
    'pools, and changes of one': (REPLAY, lambda n: simkube([pool_named(f'p{i}') for i in range(n)], *[
        [pool_named('p0', labels={'k': f'v{i}'})] for i in range(n)])),
    'a chain of owners to delete': (('dump', '-f', '@in', '--catalogue', '@types', '--delete', 'rs/r0'), lambda n: lines(*[
        {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'spec': {'replicas': 0}, 'metadata': {'name': f'r{i}', 'ownerReferences': [
            {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': f'r{i - 1}', 'uid': f'u{i - 1}', 'controller': True}]}} for i in range(n)])),
    'instance types to list': (CATALOGUE, lambda n: of_types(*[instance_type(i) for i in range(n)])),
    'instance types of one name to list': (CATALOGUE, lambda n: of_types(*[instance_type(1) for i in range(n)])),
    'zones to list': (CATALOGUE, lambda n: of_types(instance_type(1, zones=[f'z{i}' for i in range(n)]))),
    'values to list': (CATALOGUE, lambda n: of_types(instance_type(1, labels={'k': [f'v{i}' for i in range(n)]}))),
    'resources to list': (CATALOGUE, lambda n: of_types(instance_type(1, capacity={f'x.y/k{i}': '1' for i in range(n)}))),
    'pods to dump': (('dump', *PLAN[1:-2]), lambda n: lines(*[pod(f'p{i}', labels={'a': f'v{i}'}) for i in range(n)])),
    'labels to dump': (('dump', *PLAN[1:-2]), lambda n: lines(pod('p', {'nodeSelector': labels(n)}, labels=labels(n)))),
    'overlays': (('plan', '-f', '@in', '-o', 'json'), with_overlays),
}

# What grows with the product of two lengths, and no faster; the memory of those with LINEAR not even so. A quarter of SIZE is enough.
PRODUCTS = {
    'OR-terms and a node selector': (PLAN, PRODUCT, lambda n: lines(pod('p', {**node_affinity(
        requiredDuringSchedulingIgnoredDuringExecution={'nodeSelectorTerms': [expression(i) for i in range(n)]}), 'nodeSelector': labels(n)}))),
    'taints of a pool and as many tolerations': (PLAN, LINEAR, lambda n: lines(
        pod('p', {'tolerations': [{'key': f'k{i}', 'operator': 'Exists'} for i in reversed(range(n))]}),
        pool=pool_named('pool', taints=[{'key': f'k{i}', 'effect': 'NoSchedule'} for i in range(n)]))),
    'taints of a node and as many tolerations': (PLAN, LINEAR, lambda n: lines(
        own_node(0, taints=[{'key': f'k{i}', 'effect': 'NoSchedule'} for i in range(n)]),
        pod('p', {'tolerations': [{'key': f'k{i}', 'operator': 'Exists'} for i in reversed(range(n))]}))),
    'pools and DaemonSets': (PLAN, LINEAR, lambda n: lines(
        *[pool_named(f'p{i}') for i in range(n)], *[daemon_set(i) for i in range(n)], pod('p'))),
    'kinds of pods and pools': (PLAN, PRODUCT, lambda n: lines(
        *[pool_named(f'p{i}', labels={'k': f'v{i}'}) for i in range(n)], *[pod(f'q{i}', {'nodeSelector': {'k': f'v{i}'}}) for i in range(n)])),
    'labels of a type': (PLAN, LINEAR, lambda n: of_types(instance_type(1, labels={f'k{i}': ['a'] for i in range(n)}))),
    'taints of a pool that a pod does not tolerate': (EXPLAIN_POD, LINEAR, lambda n: lines(
        pod('p'), pool=pool_named('pool', taints=[{'key': f'k{i}', 'effect': 'NoSchedule'} for i in range(n)]))),
}
