# SPDX-License-Identifier: Apache-2.0
"""Static NodePools have their nodes in replays, stories and settled plans, and lose those beyond their replicas."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

GATES = '{"apiVersion":"karp/v1","kind":"Snapshot","settings":{"featureGates":{"StaticCapacity":true}}}'
REGION = ('--region', 'us-west-2')
POOLS = '''apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: fixed}
spec:
  replicas: 2
  template:
    spec:
      expireAfter: Never
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: other}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {node.kubernetes.io/instance-type: m5.large}
      containers: [{name: c, resources: {requests: {cpu: 300m}}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: elsewhere, namespace: kube-system}
spec:
  selector: {matchLabels: {app: elsewhere}}
  template:
    metadata: {labels: {app: elsewhere}}
    spec:
      nodeSelector: {kubernetes.io/arch: arm64}
      containers: [{name: c, resources: {requests: {cpu: 500m}}}]
'''
PODS = 'name,start,end,cpu,memory\n' + ''.join(f'{name},2026-03-02T00:00:00Z,2026-03-02T02:00:00Z,{cpu},1Gi\n' for name, cpu in (('a', '1500m'), ('b', '1500m')))


class Folder:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.pods = self.write('pods.csv', PODS)
        self.gates = self.write('gates.json', GATES)
        self.pools = self.write('pools.yaml', POOLS)

    def write(self, name, text):
        path = self.path / name
        path.write_text(text)
        return path

    def replay(self, *arguments, pools=None, pods=None, gates=True):
        on = ('--nodepools', self.gates) if gates else ()
        return run('replay', pods or self.pods, *on, '--nodepools', pools or self.pools, *REGION, *arguments)[0]

    def policy(self, *arguments, **which):
        return json.loads(self.replay('-o', 'json', *arguments, **which))['policies'][0]


def nodes(text):
    return sorted(o['metadata']['name'] for o in json.loads(text)['objects'] if o['kind'] == 'NodeClaim' and 'deletionTimestamp' not in o['metadata'])


def replayed(f):
    """The nodes are there from the start, take pods, and come again when one is gone."""
    both = f.policy()
    equal((both['launches'], both['nodesMost'], both['endedNodes']), (2, 2, 0), 'both nodes, from the start')
    equal(nodes(f.replay('--dump-at', '5m')), ['fixed-1', 'fixed-2'], 'their names')
    off = f.policy(gates=False)
    equal(off['launches'], 1, 'gate off: a node for the two pods')
    check(all(name.startswith('other-') for name in nodes(f.replay('--dump-at', '5m', gates=False))), 'gate off: of the other pool')
    # 1930m allocatable, 300m for the one DaemonSet that runs there.
    larger = f.write('larger.csv', PODS.replace('1500m', '1700m'))
    names = nodes(f.replay('--dump-at', '5m', pods=larger))
    check(names[:2] == ['fixed-1', 'fixed-2'] and len(names) > 2, f'no room beside the DaemonSet: {names}')
    expiring = f.write('expiring.yaml', POOLS.replace('expireAfter: Never', 'expireAfter: 30m', 1))
    equal(f.policy(pools=expiring)['launches'] > 6, True, 'nodes that expired come again')
    limited = f.write('limited.yaml', POOLS.replace('replicas: 2', 'replicas: 2\n  limits: {nodes: 1}', 1))
    equal(len([n for n in nodes(f.replay('--dump-at', '5m', pools=limited)) if n.startswith('fixed')]), 1, 'limits.nodes')
    for pools in (f.pools, expiring):
        whole = f.replay('-o', 'json', pools=pools)
        for at in ('1s', '30m', '61m'):
            cut = f.write('cut.json', f.replay('--dump-at', at, pools=pools))
            equal(run('replay', f.pods, '--nodepools', cut, '-o', 'json')[0], whole, f'cut at {at}')


def surplus(f):
    """A cluster that has more nodes than its static NodePool says."""
    dump = json.loads(f.replay('--dump-at', '5m'))
    dump.pop('replay')
    for o in dump['objects']:
        if o['kind'] == 'NodePool' and o['metadata']['name'] == 'fixed':
            o['spec']['replicas'] = 1
    now = f.write('now.json', json.dumps(dump))
    later = json.loads(run('replay', f.pods, '--nodepools', now, '--dump-at', '20m')[0])
    kept = [o['metadata']['name'] for o in later['objects'] if o['kind'] == 'NodeClaim']
    equal((len([n for n in kept if n.startswith('fixed')]), len(kept)), (1, 2), f'one goes, and its pod gets a node of the other pool: {kept}')
    settled = json.loads(run('plan', '--settle', now, '-o', 'json')[0])
    first = settled['rounds'][0]
    equal((first['method'], first['nodesRemoved'], first['launches']), ('StaticDeprovisioning', 1, 0), 'the first round')
    equal([r['podsLaunchedFor'] for r in settled['rounds'] if r['launches']], [1], 'the pod that ran there gets a node')
    text, _ = run('plan', '--settle', now)
    check(f'StaticDeprovisioning: remove {first["removed"]}\n' in text, text)
    note = 'NodePool fixed: static, with 2 of its 1 nodes; whatever pods are pending, Karpenter terminates 1; karp plan still has these nodes, karp plan --settle terminates them'
    plan = json.loads(run('plan', now, '-o', 'json')[0])
    check(note in plan['warnings'], plan['warnings'])
    story = f.write('story.yaml', 'apiVersion: karp/v1\nkind: Story\nnodeReadyAfter: 60s\nfiles: [now.json]\nsteps:\n- wait: 10m\n')
    steps = json.loads(run('simulate', story, '-o', 'json')[0])['steps']
    commands = [c for d in steps[0]['decisions'] for c in d.get('commands', [])]
    equal([(c['method'], c['reason'], c['nodes']) for c in commands][:1], [('StaticDeprovisioning', 'ScaleDown', [first['removed']])], 'the story')
    equal([e['node'] for e in steps[0]['events'] if e['event'] == 'deleted'], [first['removed']], 'what is deleted')
    check('StaticDeprovisioning' in run('simulate', story)[0], 'as text')


def drift(f):
    """A node that has drifted is replaced by one of a type, whoever carries the command out."""
    dump = json.loads(f.replay('--dump-at', '5m'))
    dump.pop('replay')
    for o in dump['objects']:
        if o['kind'] == 'NodeClaim' and o['metadata']['name'] == 'fixed-1':
            o['status']['conditions'].append({'type': 'Drifted', 'status': 'True', 'reason': 'NodePoolDrifted', 'lastTransitionTime': '2026-03-02T00:01:00Z'})
    now = f.write('drift.json', json.dumps(dump))
    one = json.loads(run('replay', f.pods, '--nodepools', now, '-o', 'json')[0])['policies'][0]
    equal((one['launches'], one['failedLaunches'], one['disruptions'], one['nodesMost']), (1, 0, {'StaticDrift': 1}, 3), 'one replacement, and then the node goes')
    later = json.loads(run('replay', f.pods, '--nodepools', now, '--dump-at', '30m')[0])
    equal([o['metadata']['labels']['node.kubernetes.io/instance-type'] for o in later['objects'] if o['kind'] == 'Node'], 2 * ['m5.large'], 'types')
    settled = json.loads(run('plan', '--settle', now, '-o', 'json')[0])
    equal([(r['method'], r['removed'], r['launched']) for r in settled['rounds']],
          [('StaticDrift', 'fixed-1', '1 \u00d7 m5.large')], 'settled')
    story = f.write('drifting.yaml', 'apiVersion: karp/v1\nkind: Story\nnodeReadyAfter: 60s\nfiles: [drift.json]\nsteps:\n- wait: 30m\n')
    events = json.loads(run('simulate', story, '-o', 'json')[0])['steps'][0]['events']
    equal([(e['event'], e['node'], e.get('detail')) for e in events if e['event'] in ('deleted', 'launched')][:2],
          [('launched', 'fixed-3', 'm5.large'), ('deleted', 'fixed-1', None)], 'the story: it goes when its replacement is ready')
    equal([(e['node'], e.get('detail')) for e in events if e['event'] == 'launched'], [('fixed-3', 'm5.large')], 'one replacement')


    for change in ('gate', 'ready'):
        other = json.loads(now.read_text())
        if change == 'gate':
            other['settings']['featureGates'] = {}
        for o in other['objects']:
            if change == 'ready' and o['kind'] == 'NodePool' and o['metadata']['name'] == 'fixed':
                o['status']['conditions'] = [{'type': 'Ready', 'status': 'False'}]
        closed = f.write('closed.json', json.dumps(other))
        one = json.loads(run('replay', f.pods, '--nodepools', closed, '-o', 'json')[0])['policies'][0]
        equal((one['launches'], one['abandonedDisruptions'], one['disruptions']), (1, 0, {'StaticDrift': 1}), f'the command launches its replacement: {change}')


def changing(replicas, nodes=None, budget='100%', types=('m5.large',), capacity='on-demand', expire='Never', grace=None):
    """A NodePool as dumps of a cluster have it at several times."""
    template = {'expireAfter': expire, 'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
                'requirements': [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': list(types)},
                                 {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': [capacity]}]}
    spec = {'replicas': replicas, 'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': budget}]}, 'template': {'spec': template}}
    if nodes:
        spec['limits'] = {'nodes': nodes}
    if grace:
        template['terminationGracePeriod'] = grace
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'fixed'}, 'spec': spec}


class Dumps:
    """Three pods that fill a node each, and a static NodePool alone that changes at minutes of an hour."""

    def __init__(self, f, pools, gates=None, protected=False):
        self.f = f
        self.gates = f.write('own-gates.json', json.dumps({'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'settings': {
            'featureGates': {'StaticCapacity': True, **(gates or {})}}}))
        annotations = {'karpenter.sh/do-not-disrupt': 'true'} if protected else {}
        owner = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'r', 'uid': 'r', 'controller': True}
        pods = [{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {
            'name': f'p{i}', 'namespace': 'default', 'creationTimestamp': '2026-03-02T10:00:00Z', 'annotations': annotations, 'ownerReferences': [owner]},
                 'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1500m'}}}]}, 'status': {'phase': 'Running'}} for i in range(3)]
        self.files = [f.write(f'at-{minute}.json', json.dumps({
            'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': f'2026-03-02T{10 + minute // 60}:{minute % 60:02}:00Z',
            'objects': pods + ([pool] if pool else [])})) for minute, pool in pools]

    def run(self, *arguments):
        return run('replay', *self.files, '--format', 'dumps', '--nodepools', self.gates, *REGION, '--boot', '60s', '--boot-jitter', '0s', *arguments)[0]

    def expect(self, what, *arguments, **figures):
        one = json.loads(self.run('-o', 'json', *arguments))['policies'][0]
        equal({name: one[name] for name in figures}, figures, what)

    def at(self, instant):
        """Names of nodes, those that are being deleted with a star."""
        objects = json.loads(self.run('--dump-at', instant))['objects']
        return ' '.join(sorted(o['metadata']['name'] + '*' * ('deletionTimestamp' in o['metadata']) for o in objects if o['kind'] == 'NodeClaim'))


def limited(f):
    """Drift, expiry and interruptions under budgets and limits.nodes: every node is replaced by one, and never more are there than may be."""
    newer = ('m6i.large',)

    def drifting(nodes=None, budget='100%', **more):
        return Dumps(f, [(0, changing(3, nodes, budget)), (10, changing(3, nodes, budget, newer)), (40, None)], **more)

    drifting(4).expect('limits.nodes leaves room for one', launches=6, nodesMost=4, endedNodes=3, disruptions={'StaticDrift': 3}, podsRunning=3)
    one = drifting(4)
    equal([one.at(at) for at in ('599s', '606s', '676s', '746s', '812s')],
          ['fixed-1 fixed-2 fixed-3', 'fixed-1* fixed-2 fixed-3 fixed-4', 'fixed-2* fixed-3 fixed-4 fixed-5', 'fixed-3* fixed-4 fixed-5 fixed-6',
           'fixed-4 fixed-5 fixed-6'], 'one after the other')
    drifting(budget='2').expect('a budget of two', launches=6, nodesMost=5, disruptions={'StaticDrift': 3})
    drifting(3).expect('no room: nothing is replaced', launches=3, nodesMost=3, disruptions={}, podsRunning=3)
    first = drifting(3, gates={'TerminateFirstDrift': True})
    first.expect('no room, and the gate TerminateFirstDrift', launches=6, nodesMost=3, endedNodes=3, disruptions={'StaticDrift': 3}, podsRunning=3)
    # Fewer replicas: what is beyond them goes first, and the rest is replaced.
    fewer = Dumps(f, [(0, changing(3)), (10, changing(2, types=newer)), (40, None)])
    # It drains for 5 s, and the others are replaced meanwhile.
    fewer.expect('fewer replicas', launches=5, endedNodes=3, disruptions={'StaticDrift': 2}, nodesMost=5, podsPending=1)
    # Pods that nothing evicts hold the nodes for two minutes; meanwhile there is room for one.
    held = Dumps(f, [(0, changing(3, 4, expire='15m', grace='2m')), (25, None)], protected=True)
    held.expect('expired nodes', launches=6, nodesMost=4, expirations=3, killedPods=3)
    equal([held.at(at) for at in ('901s', '1021s')], ['fixed-1* fixed-2* fixed-3* fixed-4', 'fixed-4 fixed-5 fixed-6'], 'expired nodes')
    # Where an offering cannot be had, a launch gets any other that the NodePool allows. A node that drains has its replacement already.
    spot = Dumps(f, [(0, changing(3, 4, types=('m5.large', 'm6i.large', 'm5a.large'), capacity='spot')), (600, None)])
    spot.expect('interruptions', '--interruptions', '2', '--seed', '3', failedLaunches=0, nodesMost=4)


def alone(f):
    """In a story pods are bound to the nodes of static NodePools where no other NodePool is there to plan for them."""
    pods = Dumps(f, [(0, changing(3, 4)), (10, changing(3, 4, types=('m6i.large',))), (40, None)])
    dump = json.loads(pods.run('--dump-at', '606s'))
    dump.pop('replay')
    f.write('alone.json', json.dumps(dump))
    story = f.write('alone.yaml', 'apiVersion: karp/v1\nkind: Story\nnodeReadyAfter: 60s\nfiles: [alone.json]\nsteps:\n- wait: 30m\n')
    told = json.loads(run('simulate', story, '-o', 'json')[0])
    events = [(e['event'], e['node'], e.get('detail')) for e in told['steps'][0]['events'] if e['event'] in ('launched', 'deleted', 'bound')]
    equal(events[-3:], [('launched', 'fixed-6', 'm6i.large'), ('deleted', 'fixed-3', None), ('bound', 'fixed-6', 'default/p2')], 'the last node')
    equal((len(events), told['totals']['podsPending']), (8, 0), 'events, and pods in the end')


def daemons(f):
    """What DaemonSets request is in the requests of a static pool's launches: of those alone that run on the type."""
    story = f.write('new.yaml', 'apiVersion: karp/v1\nkind: Story\nregion: us-west-2\nstart: "2026-03-02T00:00:00Z"\nfiles: [gates.json, pools.yaml]\nsteps:\n- wait: 10m\n')
    steps = json.loads(run('simulate', story, '-o', 'json')[0])['steps']
    launches = [launch for d in steps[0]['decisions'] for launch in d['launches']]
    equal([(launch['nodePool'], launch['requests']) for launch in launches], 2 * [('fixed', {'cpu': '300m', 'pods': '1'})], 'requests')
    bare = f.write('bare.yaml', pathlib.Path(story).read_text().replace('gates.json, ', ''))
    launched = [sum(len(d['launches']) for d in json.loads(run('simulate', bare, '-o', 'json', *gates)[0])['steps'][0]['decisions'])
                for gates in ((), ('--feature-gates', 'StaticCapacity=true'))]
    equal(launched, [0, 2], 'without the gate, and with it as an option')
    check('Karpenter has no feature gate Foo; gates: ' in run('simulate', bare, '--feature-gates', 'Foo=true', status=1)[1], 'an unknown gate')


with tempfile.TemporaryDirectory() as folder:
    replayed(Folder(folder))
    surplus(Folder(folder))
    drift(Folder(folder))
    limited(Folder(folder))
    alone(Folder(folder))
    daemons(Folder(folder))
sys.exit(finish())
