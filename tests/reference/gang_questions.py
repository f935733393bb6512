# SPDX-License-Identifier: Apache-2.0
"""Questions about groups of pods on existing nodes, for kube-scheduler and for the library, and what has to agree in their answers.

A world has one group, or a composite with a few, that is to be placed beside pods that run. `equal` worlds have equal pods in each group,
so that kube-scheduler's order does not matter; `mixed` ones have pods of several sizes, which it tries one after another.
"""
HOST, ZONE, RACK = 'kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'example.com/rack'


def make_pod(rng, group, i, plain):
    return {'name': f'{group}-{i}', 'group': group, **plain}


def make_group(rng, name, mixed, most):
    many = rng.randrange(1, most)
    plain = {'cpu': rng.choice((1, 1, 2, 3)), 'memory': rng.choice((1, 1, 4)), 'zone': rng.choice(('', '', '', 'a', 'b')),
             'apart': rng.random() < 0.2, 'together': rng.choice(('', '', '', '', ZONE)) if not mixed else '', 'tolerates': rng.random() < 0.5}
    pods = []
    for i in range(many):
        own = dict(plain)
        if mixed:
            own |= {'cpu': rng.choice((1, 1, 2, 3)), 'memory': rng.choice((1, 1, 4))}
        pods.append(make_pod(rng, name, i, own))
    group = {'name': name, 'least': max(1, many - rng.choice((0, 0, 0, 1, 2, -1))), 'key': rng.choice(('', '', ZONE, RACK, RACK, HOST))}
    return group, pods


def make(rng, kind):
    """A world; `kind` is "equal" or "mixed"."""
    world = {'kind': kind, 'nodes': [], 'groups': [], 'pods': [], 'composite': None}
    for i in range(rng.randrange(1, 8)):
        world['nodes'].append({'name': f'n{i}', 'cpu': rng.randrange(1, 8), 'memory': rng.choice((4, 8, 16)), 'pods': rng.randrange(1, 7), 'zone': rng.choice('ab'),
                               'rack': rng.choice(('r1', 'r2', 'r3', None)), 'taint': rng.random() < 0.15, 'cordoned': rng.random() < 0.05})
    composite = rng.random() < 0.25
    for i in range(rng.randrange(2, 4) if composite else 1):
        group, pods = make_group(rng, f'g{i}', kind == 'mixed', 4 if composite else 9)
        if composite and kind == 'equal':
            group['key'] = rng.choice(('', '', RACK))
            for p in pods: # groups of a composite take each other's places, unless their pods are equal
                p.update(cpu=1, memory=1, zone='', apart=False, together='', tolerates=False)
        world['groups'].append(group)
        world['pods'] += pods
    if composite:
        world['composite'] = {'least': rng.randrange(1, len(world['groups']) + 1), 'key': rng.choice(('', '', ZONE))}
    fault = rng.random()
    if fault < 0.03:
        rng.choice(world['pods'])['gated'] = True
    elif fault < 0.06:
        rng.choice(world['pods'])['priority'] = 5
    run(rng, world)
    return world


def run(rng, world):
    """Binds some pods of the groups where they fit, and adds pods that only take room."""
    for node in world['nodes']:
        cpu, memory, pods = node['cpu'], node['memory'], node['pods']
        others = [{'name': f'{node["name"]}-{i}', 'cpu': 1, 'memory': 1} for i in range(rng.choice((0, 0, 0, 1, 2)))]
        members = [p for p in world['pods'] if not p.get('node') and not p.get('gated') and not p['zone'] and not p['apart'] and not p['together']]
        if members and not world['composite'] and not node['taint'] and rng.random() < 0.06:
            others.append(rng.choice(members))
        for pod in others:
            if pod['cpu'] <= cpu and pod['memory'] <= memory and pods > 0:
                cpu, memory, pods = cpu - pod['cpu'], memory - pod['memory'], pods - 1
                pod['node'] = node['name']
                if 'group' not in pod:
                    world['pods'].append(pod | {'group': None})


def pod_object(p, number):
    amounts = {'cpu': str(p['cpu']), 'memory': f'{p["memory"]}Gi'}
    spec = {'containers': [{'name': 'c', 'image': 'none', 'resources': {'requests': amounts}}], 'priority': p.get('priority', 0)}
    if p['group']:
        spec['schedulingGroup'] = {'podGroupName': p['group']}
    if p.get('zone'):
        spec['nodeSelector'] = {ZONE: p['zone']}
    if p.get('tolerates'):
        spec['tolerations'] = [{'key': 'only', 'operator': 'Exists'}]
    if p.get('gated'):
        spec['schedulingGates'] = [{'name': 'wait'}]
    terms = {'podAntiAffinity': p.get('apart') and HOST, 'podAffinity': p.get('together')}
    affinity = {k: {'requiredDuringSchedulingIgnoredDuringExecution': [{'topologyKey': key, 'labelSelector': {'matchLabels': {'app': p['group']}}}]}
                for k, key in terms.items() if key}
    if affinity:
        spec['affinity'] = affinity
    if p.get('node'):
        spec['nodeName'] = p['node']
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': p['name'], 'uid': f'u-{number:03}', 'labels': {'app': p['group'] or 'other'},
            'creationTimestamp': f'2026-01-01T00:{number:02}:00Z'}, 'spec': spec, 'status': {'phase': 'Running' if p.get('node') else 'Pending'}}


def objects(world):
    out = []
    for n in world['nodes']:
        amounts = {'cpu': str(n['cpu']), 'memory': f'{n["memory"]}Gi', 'pods': str(n['pods'])}
        spec = {'taints': [{'key': 'only', 'effect': 'NoSchedule'}]} if n['taint'] else {}
        if n['cordoned']:
            spec |= {'unschedulable': True, 'taints': [*spec.get('taints', []), {'key': 'node.kubernetes.io/unschedulable', 'effect': 'NoSchedule'}]}
        out.append({'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': n['name'], 'labels': {HOST: n['name'], ZONE: n['zone'], **({RACK: n['rack']} if n['rack'] else {})}},
                    'spec': spec, 'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}})
    top = world['composite']

    def where(key):
        return {'schedulingConstraints': {'topology': [{'key': key}]}} if key else {}
    beneath = {'workloadRef': {'workloadName': 'w', 'templateName': 't'}, 'parentCompositePodGroupName': 'top'} if top else {}
    if top:
        out.append({'apiVersion': 'scheduling.k8s.io/v1alpha3', 'kind': 'CompositePodGroup', 'metadata': {'name': 'top', 'creationTimestamp': '2026-01-01T00:00:00Z'},
                    'spec': {'schedulingPolicy': {'gang': {'minGroupCount': top['least']}}, 'priority': 0, **where(top['key'])}})
    for i, g in enumerate(world['groups']):
        out.append({'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup', 'metadata': {'name': g['name'], 'creationTimestamp': f'2026-01-01T00:00:{i:02}Z'},
                    'spec': {'schedulingPolicy': {'gang': {'minCount': g['least']}}, 'priority': 0, **where(g['key']), **beneath}})
    return out + [pod_object(p, i) for i, p in enumerate(world['pods'])]


def started(world, bound):
    """By group, how many of its pods are bound now: the numbers on which the answers have to agree."""
    counts = {g['name']: 0 for g in world['groups']}
    for name in bound:
        counts[name.rsplit('-', 1)[0]] += 1
    return counts


def difference(world, theirs, ours, notes):
    """What is wrong with the library's answer beside kube-scheduler's; None = nothing. Both are pods that are bound or placed."""
    there, here = started(world, theirs), started(world, ours)
    if world['composite'] and bool(theirs) == bool(ours): # which other groups start beside its minimum is each one's choice
        return None
    if {k for k, v in there.items() if v} == {k for k, v in here.items() if v} and (world['kind'] == 'mixed' or there == here):
        return None
    more = [k for k in there if here[k] > 0 and there[k] == 0]
    less = [k for k in there if there[k] > 0 and here[k] == 0]
    if not less and more and (any('kube-scheduler' in n for n in notes)):
        return None
    return f'kube-scheduler starts {there}, the plan {here}'
