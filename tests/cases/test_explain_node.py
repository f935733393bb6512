# SPDX-License-Identifier: Apache-2.0
"""What is said of a node that stays: every blocker in turn, the best move that was rejected, and what would have to happen."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

ZONE, TYPE, CAPACITY = 'topology.kubernetes.io/zone', 'node.kubernetes.io/instance-type', 'karpenter.sh/capacity-type'
AMOUNTS = {'cpu': '4', 'memory': '16Gi', 'pods': '20'}


def eligible(lines):
    """The line on when the node may go, without the changes below it."""
    first = next(i for i, line in enumerate(lines) if line.startswith('Eligible'))
    after = next((i for i in range(first, len(lines)) if lines[i].startswith(('A change', 'No change'))), len(lines))
    return ' '.join(line.strip() for line in lines[first:after])


def instance_type(name, price):
    return {'name': name, 'labels': {TYPE: [name], 'kubernetes.io/os': ['linux']}, 'capacity': AMOUNTS,
            'offerings': [{'zone': 'z', 'capacityType': 'on-demand', 'price': price, 'available': True}]}


def pool(policy, budget='100%'):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'},
            'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'n'},
                                           'requirements': [{'key': CAPACITY, 'operator': 'In', 'values': ['on-demand']}]}},
                     'disruption': {'consolidateAfter': '0s', 'consolidationPolicy': policy, 'budgets': [{'nodes': budget}]}}}


def node(name, kind):
    return {'apiVersion': 'v1', 'kind': 'Node',
            'metadata': {'name': name, 'labels': {'karpenter.sh/nodepool': 'pool', TYPE: kind, CAPACITY: 'on-demand', ZONE: 'z'}},
            'spec': {'providerID': 'p-' + name}, 'status': {'capacity': AMOUNTS, 'allocatable': AMOUNTS}}


def pod(name, where, cpu, labels=None):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'labels': labels or {}},
            'spec': {'nodeName': where, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu}}}]},
            'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def guard(allowed):
    return {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'db'},
            'spec': {'selector': {'matchLabels': {'app': 'db'}}, 'maxUnavailable': 1}, 'status': {'disruptionsAllowed': allowed}}


def second_guard():
    return {**guard(1), 'metadata': {'name': 'db-too'}}


def full(policy, *more, kind='dear', **keywords):
    """Two full nodes, each replaceable by one that is a tenth cheaper."""
    return [pool(policy, **keywords), node('a', kind), node('b', kind), *more,
            pod('db-0', 'a', '1', {'app': 'db'}), pod('db-1', 'a', '3', {'app': 'db'}), pod('web', 'b', '4')]


with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    types = folder / 'types.json'
    types.write_text(json.dumps([instance_type('cheap', 0.9), instance_type('dear', 1)]))

    def explain(objects, *more):
        path = folder / 'cluster.json'
        path.write_text('\n'.join(json.dumps(o) for o in objects))
        out, _ = run('explain', 'node', 'a', '-f', path, '--catalogue', types, '--now', '2026-03-01T12:00:00Z', *more)
        if 'json' in more:
            return out
        header, said = out.split('\n\n', 1)
        check(header.startswith('karp explain  cluster.json') and header.endswith('now 2026-03-01T12:00:00Z'), header)
        return said

    shown = explain(full('Balanced', guard(0))).splitlines()
    equal(shown[0], 'a stays. 2 blockers, disrupting it would save $0.100/h.', 'two blockers')
    equal(shown[1], '  pdb default/db allows 0 disruptions (default/db-0, default/db-1)  PDB_BLOCKED', 'first')
    # 0.1 of 2 $/h for 3 of 5: a little less than a twelfth, in doubles
    second = ' '.join(' '.join(shown[2:4]).split())
    check(second.endswith('score 0.08 < 0.50: the saving would have to be 6.1 times as large BALANCED_SCORE'), second)
    check('If it could be disrupted: for those of its 2 pods that fit on no existing node, cheap, z, $0.900/h would be launched; it would save $0.100/h of $1.000 (10%).' in ' '.join(line.strip() for line in shown), shown)
    equal(eligible(shown), 'Eligible: when pdb default/db allows 1, and when the saving is 6.1 times as large', 'what would help')
    answer = json.loads(explain(full('Balanced', guard(0)), '-o', 'json'))
    equal([b['code'] for b in answer['blockers']], ['PDB_BLOCKED', 'BALANCED_SCORE'], 'blockers')
    equal(answer['bestRejectedMove']['savings'], '0.1', 'saving')

    # Two budgets on one pod: both are named, here and by the pass.
    several = full('WhenEmptyOrUnderutilized', guard(1), second_guard())
    shown = explain(several).splitlines()
    equal(shown[0], 'a stays. 1 blocker, disrupting it would save $0.100/h.', 'two budgets')
    equal(' '.join(' '.join(shown[1:3]).split()), 'a pod is covered by several PodDisruptionBudgets: default/db-0 (pdb default/db, default/db-too) PDB_MULTIPLE',
          'two budgets are named')
    equal(eligible(shown), 'Eligible: when no pod on it is covered by more than one PodDisruptionBudget', 'one budget is enough')
    out, _ = run('disrupt', '-f', folder / 'cluster.json', '--catalogue', types, '--now', '2026-03-01T12:00:00Z', '--width', '200')
    check('a  a pod is covered by several PodDisruptionBudgets: default/db-0 (pdb default/db, default/db-too)  PDB_MULTIPLE' in out, out)

    shown = explain(full('WhenEmptyOrUnderutilized', kind='cheap')).splitlines()
    equal(shown[0], 'a stays. 1 blocker.', 'nothing would be saved')
    equal(eligible(shown), 'Eligible: when its pods fit on cheaper nodes', 'cheaper')
    shown = explain(full('WhenEmpty')).splitlines()
    check(eligible(shown).startswith('Eligible: when its pods are gone'), shown)
    # An empty node ends the pass before this one's turn. What is said of this one is what holds when that one is gone: its pod
    # would have fitted there for nothing.
    shown = explain([pool('WhenEmptyOrUnderutilized'), node('a', 'dear'), node('b', 'dear'), pod('web', 'a', '4')]).splitlines()
    equal(shown, ['a stays. 1 blocker, disrupting it would save $0.100/h.',
                  '  another command came first: Emptiness of b  NOT_REACHED_IN_PASS',
                  'If it could be disrupted: for its 1 pod cheap, z, $0.900/h would be launched; it would save $0.100/h', '  of $1.000 (10%).',
                  'Eligible: in a later pass, while the budgets allow one more node; no change is needed'], 'an empty node goes first')
    # It goes with no change, so no change is named: limits play no part in it.
    limited = pool('WhenEmptyOrUnderutilized')
    limited['spec']['limits'] = {'cpu': '100'}
    answer = json.loads(explain([limited, node('a', 'dear'), node('b', 'dear'), pod('web', 'a', '4')], '-o', 'json'))
    equal(answer.get('remedies', []), [], 'nothing needs to change')
    answer = json.loads(explain([pool('WhenEmptyOrUnderutilized'), node('a', 'cheap'), node('b', 'dear'), node('c', 'dear'), pod('web', 'a', '4')],
                                '-o', 'json'))
    equal([(b['code'], b['detail'].split(': ')[-1]) for b in answer['blockers']],
          [('NO_CHEAPER_NODE', 'cheap is the cheapest of 2 types that fit, of 2 that the requirements allow; it costs as much as the node, and a replacement has to be cheaper'), ('NOT_REACHED_IN_PASS', 'Emptiness of b, c')], 'and then it stays')
    # What keeps a node out of several that go together is a reason, too, beside what keeps it alone.
    bound = {**node('d', 'dear'), 'metadata': {'name': 'd', 'labels': {TYPE: 'dear', CAPACITY: 'on-demand', ZONE: 'z'}}}
    several = [pool('WhenEmptyOrUnderutilized', budget='2'), node('a', 'cheap'), node('b', 'dear'), node('c', 'dear'), bound,
               pod('big', 'a', '3600m'), pod('small', 'b', '450m'), pod('small-too', 'c', '450m'), pod('other', 'd', '3')]
    answer = json.loads(explain(several, '-o', 'json'))
    equal([(b['code'], b.get('detail')) for b in answer['blockers']],
          [('NO_CHEAPER_NODE', 'its pods fit on no cheaper node: cheap is the cheapest of 2 types that fit, of 2 that the requirements allow; it costs as much as the node, and a replacement has to be cheaper'), ('BUDGET', "the pool's disruption budgets allow no more nodes: pool: budgets[0] allows 2 of 3 nodes for Underutilized, always; "
                      'other nodes come first in this pass')], 'alone and together')
    out, _ = run('disrupt', '-f', folder / 'cluster.json', '--catalogue', types, '--now', '2026-03-01T12:00:00Z', '-o', 'json')
    equal([k['code'] for k in json.loads(out)['kept'] if k['node'] == 'a'], ['BUDGET'], 'the pass says only that')
    out, _ = run('blockers', '-f', folder / 'cluster.json', '--catalogue', types, '--now', '2026-03-01T12:00:00Z', '-o', 'json')
    equal([(b['kind'], b['nodes']) for b in json.loads(out)['blockers']], [('budget', ['a'])], 'and so does karp blockers')
    # Both say of an empty node why it is not taken.
    late = pool('WhenEmptyOrUnderutilized')
    late['spec']['disruption']['consolidateAfter'] = '1h'
    for objects, code in [([late, node('a', 'dear')], 'NOT_CONSOLIDATABLE'),
                          ([pool('WhenEmptyOrUnderutilized', budget='0'), node('a', 'dear')], 'BUDGET')]:
        if code == 'NOT_CONSOLIDATABLE':
            objects = [*objects, {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim',
                                  'metadata': {'name': 'a', 'labels': objects[1]['metadata']['labels']},
                                  'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'n'}, 'requirements': []},
                                  'status': {'providerID': 'p-a', 'lastPodEventTime': '2026-03-01T11:30:00Z',
                                             'conditions': [{'type': 'Initialized', 'status': 'True'}]}}]
        equal([b['code'] for b in json.loads(explain(objects, '-o', 'json'))['blockers']], [code], 'explain')
        out, _ = run('disrupt', '-f', folder / 'cluster.json', '--catalogue', types, '--now', '2026-03-01T12:00:00Z', '-o', 'json')
        equal([k['code'] for k in json.loads(out)['kept'] if k['node'] == 'a'], [code], 'disrupt')
    # A budget that cannot be read: the pass says so once, the plan beside it too, and nothing moves from an empty node.
    shown = explain([pool('WhenEmptyOrUnderutilized', budget='many'), node('a', 'dear')]).splitlines()
    check('If it could be disrupted: no pod has to move; it would save $1.000/h of $1.000 (100%).' in shown, shown)
    note = 'NodePool pool: spec.disruption.budgets[0] cannot be evaluated (nodes "many"): it allows no disruption'
    for verb in (['disrupt'], ['plan', '--disrupt']):
        for form in ('text', 'json'):
            out, _ = run(*verb, '-f', folder / 'cluster.json', '--catalogue', types, '--now', '2026-03-01T12:00:00Z', '--width', '200', '-o', form)
            said = json.loads(out)['warnings'] if form == 'json' else [line[6:] for line in out.splitlines() if line.startswith('  *   ')]
            equal(said.count(note), 1, f'{verb} as {form}')
    shown = explain(full('WhenEmptyOrUnderutilized', budget='0')).splitlines()
    check(eligible(shown).startswith('Eligible: never, unless the budget changes'), shown)
    shown = explain([pool('WhenEmptyOrUnderutilized'), node('a', 'dear'), pod('web', 'a', '4')]).splitlines()
    equal(shown[:3], ['a is replaced.', '  -/+ a  dear z on-demand   $1.000/h',
                      '      replace, Underutilized (SingleNodeConsolidation)  saves $0.100/h'], 'it goes')
    check('1 pod moves  budget of pool 1  to be validated after 15s' in shown[3], shown)
    # A pending pod needs a node anyway: it is the reason, not what is said of the node that is launched for it.
    waiting = pod('waiting', '', '4')
    del waiting['spec']['nodeName']
    waiting['status'] = {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}
    roomy = [pool('WhenEmptyOrUnderutilized'), node('a', 'cheap'), node('b', 'cheap'), pod('web', 'a', '1'), pod('api', 'b', '1')]
    shown = explain([*roomy, waiting]).splitlines()
    equal(shown, ['a stays. 1 blocker, disrupting it would save $0.900/h.',
                  "  pending pod default/waiting needs a new node, which counts as this one's replacement: its pods fit",
                  '  on no cheaper node  NO_CHEAPER_NODE',
                  'If it could be disrupted: its 1 pod would fit on existing nodes; it would save $0.900/h of', '  $0.900 (100%).',
                  'Eligible: when pending pod default/waiting is scheduled'], 'a pending pod')
    second = json.loads(json.dumps(waiting).replace('"waiting"', '"another"'))
    shown = explain([*roomy, waiting, second]).splitlines()
    check(shown[1].startswith('  pending pods default/another, default/waiting need new nodes'), shown)
    check(explain(roomy).startswith('a is removed.'), 'without it the node is removed')
    # Pods that need two nodes: the first of them is shown, which is that of the larger pod, the other one is counted.
    wide = node('a', 'dear')
    wide['status'] = {'capacity': {**AMOUNTS, 'cpu': '8'}, 'allocatable': {**AMOUNTS, 'cpu': '8'}}
    bound = pod('large', 'a', '3')
    bound['spec']['nodeSelector'] = {TYPE: 'dear'}
    shown = explain([pool('WhenEmptyOrUnderutilized'), wide, bound, pod('small', 'a', '2')]).splitlines()
    equal(shown, ['a stays. 1 blocker.', '  more than one new node would be needed: 2, dear of NodePool pool, cheap of NodePool pool',
                  '  SEVERAL_NODES_NEEDED',
                  'If it could be disrupted: for those of its 2 pods that fit on no existing node, dear, z, $1.000/h', '  and 1 more would be launched; it would cost $0.900/h more.',
                  'Eligible: when one node is enough for its pods'], 'two nodes')
    lonely = explain([pool('WhenEmpty'), {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'a'}, 'spec': {'providerID': 'p'}}])
    check('Eligible' not in lonely and 'NOT_MANAGED' in lonely, lonely)
# A node that is being deleted gives pods no domain of the constraint, so that its removal takes none away.
DELETED = '''apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: n1, labels: {karpenter.sh/nodepool: default}, creationTimestamp: "2026-01-01T00:00:00Z", deletionTimestamp: "2026-01-02T00:00:00Z", finalizers: [karpenter.sh/termination]}
spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: []}
status: {nodeName: n1, providerID: "aws:///us-west-2a/i-1", conditions: [{type: Launched, status: "True"}, {type: Registered, status: "True"}, {type: Initialized, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {karpenter.sh/nodepool: default, karpenter.sh/registered: "true", karpenter.sh/initialized: "true", rack: r7}}
spec: {providerID: aws:///us-west-2a/i-1}
status: {capacity: {cpu: "4", memory: 16Gi, pods: "58"}, allocatable: {cpu: "4", memory: 16Gi, pods: "58"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, labels: {app: web}}
spec:
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}
  containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Gi}}}]
'''
shown = run('explain', 'node', 'n1', '-f', '-', '--region', 'us-west-2', text=DELETED)[0]
check('n1 has not left yet. 1 blocker.' in shown and 'DELETING' in shown and 'It goes when its pods have left and its volumes are detached.' in shown, shown)
sys.exit(finish())
