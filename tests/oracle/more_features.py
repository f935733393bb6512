# SPDX-License-Identifier: Apache-2.0
"""What the makers of random worlds leave out, added to a Snapshot: NodeOverlays, CapacityBuffers, static NodePools, volume limits of
types, reservations and their minValues; and passes of disruption over a world that was made for launches."""

METHODS = ['Emptiness', 'Drift', 'StaticDrift', 'MultiNodeConsolidation', 'SingleNodeConsolidation']
ZONE, CAPACITY_TYPE, TYPE = 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type', 'node.kubernetes.io/instance-type'


def meta(rng, name, **more):
    return {'name': name, 'uid': f'more-{rng.getrandbits(48):012x}', 'creationTimestamp': '2026-11-20T11:00:00Z', **more}


def of_kind(world, kind):
    return [o for o in world['objects'] if o['kind'] == kind]


def gate(world, name):
    gates = world['settings'].get('featureGates')
    if not isinstance(gates, dict):
        gates = world['settings']['featureGates'] = {}
    gates[name] = True


def types_of(world):
    return [t for c in world['catalogues'] for t in c.get('instanceTypes', [])]


def value_of(list_of, key):
    return next((r['values'] for r in list_of if r['key'] == key and r['operator'] == 'In'), [])


def add_overlays(rng, world):
    types = types_of(world)
    gate(world, 'NodeOverlay')
    for i in range(rng.randint(1, 3) if types else 0):
        t = rng.choice(types)
        key = rng.choice([TYPE, ZONE, CAPACITY_TYPE, 'karpenter.sh/nodepool'])
        values = [p['metadata']['name'] for p in of_kind(world, 'NodePool')] if key == 'karpenter.sh/nodepool' else value_of(t['requirements'], key)
        if not values:
            continue
        spec = {'requirements': [{'key': key, 'operator': rng.choice(['In', 'In', 'NotIn']), 'values': [rng.choice(values)]}]}
        what = rng.choice(['price', 'adjust', 'capacity', 'both'])
        if what == 'price':
            spec['price'] = rng.choice(['0.01', '0.3', '2.5'])
        if what in ('adjust', 'both'):
            spec['priceAdjustment'] = rng.choice(['+10%', '-25%', '-0.05', '+1.5', '-100%'])
        if what in ('capacity', 'both'):
            spec['capacity'] = {rng.choice(['example.com/slot', 'hugepages-2Mi']): rng.choice(['2', '64Mi'])}
        if rng.random() < 0.6:
            spec['weight'] = rng.randint(1, 3)
        world['objects'].append({'apiVersion': 'karpenter.sh/v1alpha1', 'kind': 'NodeOverlay', 'metadata': meta(rng, f'overlay-{i}'), 'spec': spec})


def add_buffers(rng, world):
    # The oracle knows no buffers where the state of nodes, or what else Karpenter itself chooses, is stated.
    stated = set(world['state']) - {'nodes'} or any(len(n) > 1 for n in world['state'].get('nodes', []))
    if stated or world['settings'].get('reservedOfferingMode') == 'Fallback':
        return
    world['state'].pop('nodes', None)
    gate(world, 'CapacityBuffer')
    for i in range(rng.randint(1, 2)):
        name, many = f'buffer-{i}', rng.choice([1, 2, 5, 11, 14])
        requests = {'cpu': rng.choice(['200m', '1', '2500m']), 'memory': rng.choice(['128Mi', '1Gi'])}
        spec = {'containers': [{'name': 'c', 'image': 'c', 'resources': {'requests': requests}}]}
        if rng.random() < 0.3:
            spec['topologySpreadConstraints'] = [{'maxSkew': 1, 'topologyKey': 'kubernetes.io/hostname', 'whenUnsatisfiable': 'DoNotSchedule',
                                                  'labelSelector': {'matchLabels': {'buffer': name}}}]
        world['objects'] += [
            {'apiVersion': 'v1', 'kind': 'PodTemplate', 'metadata': meta(rng, name, namespace='default'),
             'template': {'metadata': {'labels': {'buffer': name}}, 'spec': spec}},
            {'apiVersion': 'autoscaling.x-k8s.io/v1beta1', 'kind': 'CapacityBuffer', 'metadata': meta(rng, name, namespace='default'),
             'spec': {'podTemplateRef': {'name': name}, 'replicas': many},
             'status': {'podTemplateRef': {'name': name}, 'replicas': many, 'conditions': [
                 {'type': 'ReadyForProvisioning', 'status': 'True', 'reason': 'Ready', 'message': '', 'lastTransitionTime': '2026-11-20T12:00:00Z'}]}}]


def fix_a_pool(rng, world):
    pools = of_kind(world, 'NodePool')
    if pools:
        gate(world, 'StaticCapacity')
        spec = rng.choice(pools)['spec']
        spec['replicas'] = rng.randint(0, 5)
        spec.pop('weight', None)
        spec.pop('limits', None)


def limit_volumes(rng, world):
    drivers = sorted({o['provisioner'] for o in of_kind(world, 'StorageClass')} | {
        o['spec']['csi']['driver'] for o in of_kind(world, 'PersistentVolume') if 'csi' in o['spec']})
    for t in types_of(world):
        if drivers and rng.random() < 0.6:
            t['volumeAttachmentLimits'] = {rng.choice(drivers): rng.choice([0, 1, 2, 4])}


def reserve(rng, world):
    key = world.get('labels', {}).get('reservationID')
    if not key:
        return
    gate(world, 'ReservedCapacity')
    types = [t for t in types_of(world) if t['offerings']]
    for t in rng.sample(types, min(3, len(types))):
        for i in range(rng.randint(1, 2)):
            first = rng.choice(t['offerings'])
            zone, left = value_of(first['requirements'], ZONE), rng.choice([0, 0, 1, 2, 5])
            if not zone:
                continue
            name = rng.choice([f'more-{t["name"]}-{i}', 'more-shared'])
            t['offerings'].append({'requirements': [{'key': CAPACITY_TYPE, 'operator': 'In', 'values': ['reserved']}, {'key': ZONE, 'operator': 'In', 'values': zone},
                                                    {'key': key, 'operator': 'In', 'values': [name]}],
                                   'price': round(first['price'] / 1e7, 12), 'available': left > 0 or rng.random() < 0.7, 'reservationCapacity': left})
            for r in t['requirements']:
                if r['key'] == CAPACITY_TYPE and r['operator'] == 'In' and 'reserved' not in r['values']:
                    r['values'] = r['values'] + ['reserved']
                if r['key'] == key:
                    r['operator'], r['values'] = 'In', sorted(set(r.get('values', []) + [name]))
            if not any(r['key'] == key for r in t['requirements']):
                t['requirements'].append({'key': key, 'operator': 'In', 'values': [name]})
    for p in of_kind(world, 'NodePool'):
        requirements = p['spec']['template']['spec']['requirements']
        if rng.random() < 0.2 and not any(r['key'] == key for r in requirements):
            requirements.append({'key': key, 'operator': 'Exists', 'minValues': rng.randint(1, 2)})


FEATURES = {'overlays': add_overlays, 'buffers': add_buffers, 'static': fix_a_pool, 'volumes': limit_volumes, 'reserved': reserve}


def add(rng, world):
    """Some of them; which ones."""
    chosen = [name for name in FEATURES if rng.random() < 0.35]
    for name in chosen:
        FEATURES[name](rng, world)
    return chosen


def disrupt(rng, world):
    """The world as a pass of disruption finds it."""
    # No round of launches was before: no node is known to have the spare capacity of a buffer, which emptiness looks at.
    world['state']['method'] = rng.choice(METHODS[1:] if of_kind(world, 'CapacityBuffer') else METHODS)
    world['state'].pop('pods', None)
    world['state'].pop('consolidationSimulation', None)
    for p in of_kind(world, 'NodePool'):
        p['spec']['disruption'] = {'consolidateAfter': '0s', 'budgets': [{'nodes': rng.choice(['100%', '100%', '2'])}],
                                   'consolidationPolicy': rng.choice(['WhenEmptyOrUnderutilized'] * 4 + ['WhenEmpty'])}
    for c in of_kind(world, 'NodeClaim'):
        conditions = c.setdefault('status', {}).setdefault('conditions', [])
        for name, likely in (('Initialized', 0.9), ('Registered', 0.9), ('Consolidatable', 0.9), ('Drifted', 0.4)):
            if rng.random() < likely and not any(x['type'] == name for x in conditions):
                conditions.append({'type': name, 'status': 'True', 'reason': name, 'message': '',
                                   'lastTransitionTime': f'2026-11-21T0{rng.randint(0, 9)}:00:00Z'})


def state_requests(pod):
    """The requests that the API server adds to limits: of containers, then of the pod."""
    spec = pod['spec']
    asked = set()
    for c in spec.get('containers', []) + spec.get('initContainers', []):
        resources = c.get('resources', {})
        if resources.get('limits'):
            resources['requests'] = {**resources['limits'], **resources.get('requests', {})}
        asked.update(r for r in resources.get('requests', {}) if not r.startswith('hugepages-'))
    whole = spec.get('resources') or {}
    if whole.get('limits'):
        whole['requests'] = {**{r: q for r, q in whole['limits'].items() if r not in asked}, **whole.get('requests', {})}


def as_stored(world):
    """What the oracle of the shared material takes for granted. It lists the types of some pools before those of all."""
    world['catalogues'].sort(key=lambda c: not c.get('nodePools'))
    for pod in of_kind(world, 'Pod'):
        state_requests(pod)
