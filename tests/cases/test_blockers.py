# SPDX-License-Identifier: Apache-2.0
"""karp blockers: each thing that holds nodes is named, and worth what the disruption decision saves without it."""
import json
import os
import sys

from stories import check, equal, finish, run

HOUR = 0.192  # m5.xlarge, us-west-2, on-demand


def pool(name='default', disruption='{consolidateAfter: 0s, budgets: [{nodes: "100%"}]}', more=''):
    return f'''
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: {name}}}
spec:
  disruption: {disruption}
{more}  template:
    spec:
      nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}
      requirements:
      - {{key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}}
      - {{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}}
---'''


def node(name, in_pool='default', notes='', consolidatable='True'):
    labels = (f'karpenter.sh/nodepool: {in_pool}, node.kubernetes.io/instance-type: m5.xlarge, topology.kubernetes.io/zone: us-west-2a, '
              'karpenter.sh/capacity-type: on-demand, kubernetes.io/arch: amd64, kubernetes.io/os: linux')
    condition = ''.join(f', {{type: {kind}, status: "{status}", lastTransitionTime: "2026-01-01T00:00:00Z"}}' for kind, status in
                        (('Registered', 'True'), ('Initialized', 'True'), ('Consolidatable', consolidatable)))
    return f'''
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {{name: c-{name}, labels: {{{labels}}}, creationTimestamp: "2026-01-01T00:00:00Z"}}
spec: {{nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}, requirements: []}}
status:
  providerID: aws:///us-west-2a/i-{name}
  capacity: {{cpu: "4", memory: 16Gi, pods: "58"}}
  allocatable: {{cpu: 3920m, memory: 14Gi, pods: "58"}}
  conditions: [{{type: Launched, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}}{condition}]
---
apiVersion: v1
kind: Node
metadata:
  name: {name}
  labels: {{{labels}, kubernetes.io/hostname: {name}, karpenter.sh/registered: "true", karpenter.sh/initialized: "true"}}
  annotations: {{{notes}}}
spec: {{providerID: aws:///us-west-2a/i-{name}}}
status:
  capacity: {{cpu: "4", memory: 16Gi, pods: "58"}}
  allocatable: {{cpu: 3920m, memory: 14Gi, pods: "58"}}
  conditions: [{{type: Ready, status: "True"}}]
---'''


def pod(name, where, app='web', cpu='1', notes='', more=''):
    return f'''
apiVersion: v1
kind: Pod
metadata:
  name: {name}
  labels: {{app: {app}}}
  annotations: {{{notes}}}
  ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}}]
spec: {{nodeName: {where}, containers: [{{name: c, resources: {{requests: {{cpu: "{cpu}", memory: 1Gi}}}}}}]{more}}}
status: {{phase: Running, startTime: "2026-01-01T00:00:00Z"}}
---'''


def pdb(name, app, allowed=0):
    return f'''
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: {name}}}
spec: {{maxUnavailable: 1, selector: {{matchLabels: {{app: {app}}}}}}}
status: {{disruptionsAllowed: {allowed}}}
---'''


def ask(text, *more):
    return run('blockers', '-f', '-', '--now', '2026-01-02T00:00:00Z', '--region', 'us-west-2', *more, text=text)[0]


def blockers(text):
    told = json.loads(ask(text, '-o', 'json'))
    rows = {(row['kind'], row['object']): row for row in told['blockers']}
    return told, rows


def near(got, wanted, what):
    check(abs(got - wanted) < 1e-9, f'{what}: {got}, not {wanted}')


KEEP = 'karpenter.sh/do-not-disrupt: "true"'
# Two nodes whose pods fit on one: each case holds both.
CASES = [
    (('pdb', 'default/web'), pool() + pdb('web', 'web'), '', {}, 2),
    (('pod-annotation', 'default'), pool(), KEEP, {}, 2),
    (('node-annotation', 'default'), pool(), '', {'notes': KEEP}, 0),
    (('budget', 'default'), pool(disruption='{consolidateAfter: 0s, budgets: [{nodes: "0"}]}'), '', {}, 0),
    (('consolidate-after', 'default'), pool(disruption='{consolidateAfter: Never, budgets: [{nodes: "100%"}]}'), '', {}, 0),
    (('consolidate-after', 'default'), pool(disruption='{consolidateAfter: 1h, budgets: [{nodes: "100%"}]}'), '', {'consolidatable': 'False'}, 0),
    (('policy', 'default'), pool(disruption='{consolidateAfter: 0s, consolidationPolicy: WhenEmpty, budgets: [{nodes: "100%"}]}'), '', {}, 0),
]


def check_each():
    free, rows = blockers(pool() + node('n1') + node('n2') + pod('a', 'n1') + pod('b', 'n2'))
    near(free['now'], HOUR, 'nothing holds the nodes')
    equal((rows, free['together']), ({}, 0), 'nothing holds the nodes')
    for key, before, notes, of_node, pods in CASES:
        told, rows = blockers(before + node('n1', **of_node) + node('n2', **of_node) + pod('a', 'n1', notes=notes) + pod('b', 'n2', notes=notes))
        equal(list(rows), [key], f'{key}')
        near(told['now'], 0, f'{key}: as things are')
        for saved in (rows[key]['savings'], told['together']):
            near(saved, HOUR, f'{key}: without it')
        equal((rows[key]['nodes'], rows[key]['pods']), (['n1', 'n2'], pods), f'{key}: what it holds')


def check_budget_in_part():
    """A budget that lets some nodes go holds the others, and is worth what a pass saves more without it."""
    def four(budget):
        text = pool(disruption=f'{{consolidateAfter: 0s, budgets: [{{nodes: "{budget}"}}]}}')
        return blockers(text + ''.join(node(f'n{i}') + pod(f'p{i}', f'n{i}', cpu='900m') for i in range(4)))
    free, none = four('100%')
    equal(none, {}, 'a budget for all nodes')
    told, rows = four('1')
    equal(list(rows), [('budget', 'default')], 'a budget of one node')
    equal(len(rows['budget', 'default']['nodes']), 3, 'nodes that it holds')
    check(told['now'] > 0, told)
    for saved in (rows['budget', 'default']['savings'], told['together']):
        near(saved, free['now'] - told['now'], 'what more would be saved')
        check(saved > 0, told)


def check_several():
    """Two that hold the same nodes save nothing by themselves; two that hold others save what they hold."""
    both = pool() + pdb('web', 'web') + node('n1', notes=KEEP) + node('n2', notes=KEEP) + pod('a', 'n1') + pod('b', 'n2')
    told, rows = blockers(both)
    equal(sorted(rows), [('node-annotation', 'default'), ('pdb', 'default/web')], 'two on the same nodes')
    equal([row['savings'] for row in rows.values()], [0, 0], 'each by itself')
    near(told['together'], HOUR, 'together')
    apart = (pool() + pool('other') + node('n1', notes=KEEP) + node('n2', 'other') + node('n3')
             + pod('b', 'n2', notes=KEEP) + pod('c', 'n3', cpu='3500m', notes=KEEP))
    told, rows = blockers(apart)
    near(rows['node-annotation', 'default']['savings'], HOUR, 'an empty node')
    check(told['together'] >= HOUR, told)


def check_two_budgets():
    """Kubernetes evicts no pod that two budgets cover: each is named, and worth what goes without it."""
    two = pool() + pdb('web', 'web', allowed=1) + pdb('old', 'web', allowed=1) + node('n1') + node('n2') + pod('a', 'n1') + pod('b', 'n2')
    told, rows = blockers(two)
    equal({key: (row['nodes'], row['podNames']) for key, row in rows.items()},
          {('pdb', f'default/{name}'): (['n1', 'n2'], ['default/a', 'default/b']) for name in ('old', 'web')}, 'both budgets')
    near(told['now'], 0, 'two budgets')
    for row in rows.values():
        near(row['savings'], HOUR, 'one of them is enough')
    told, rows = blockers(two.replace('disruptionsAllowed: 1', 'disruptionsAllowed: 0'))
    equal([row['savings'] for row in rows.values()], [0, 0], 'the other one allows nothing')
    near(told['together'], HOUR, 'without both')


def check_topology():
    spread = ', affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}'
    told, rows = blockers(pool() + node('n1') + node('n2') + pod('a', 'n1', more=spread) + pod('b', 'n2', more=spread))
    near(rows['topology', '']['savings'], HOUR, 'anti-affinity')
    equal(len(rows['topology', '']['nodes']), 1, 'what goes without it')
    near(told['now'], 0, 'with it')


def check_limits():
    """A large node with a small pod could be replaced by a smaller one, which the limit does not let come."""
    def large(limits):
        text = (pool(more=limits) + node('n1') + pod('a', 'n1')).replace('values: [m5.xlarge]', 'values: [m5.large, m5.4xlarge]')
        return blockers(text.replace('m5.xlarge', 'm5.4xlarge').replace('cpu: "4"', 'cpu: "16"').replace('3920m', '15890m'))
    told, rows = large('')
    equal(rows, {}, 'no limit')
    near(told['now'], 0.768 - 0.096, 'no limit')
    told, rows = large('  limits: {cpu: 1}\n')
    near(told['now'], 0, 'limit')
    near(rows['limits', '']['savings'], 0.768 - 0.096, 'without the limit')
    equal((list(rows), rows['limits', '']['nodes'], told['together']), ([('limits', '')], ['n1'], rows['limits', '']['savings']), 'limit')


def check_spot():
    """A spot node that is too large, and any type to choose from: the gate for spot nodes is off."""
    text = (pool() + node('n1') + pod('a', 'n1')).replace('on-demand', 'spot').replace('{key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}',
                                                                                    '{key: kubernetes.io/arch, operator: In, values: [amd64]}')
    text = text.replace('m5.xlarge', 'm5.4xlarge').replace('cpu: "4"', 'cpu: "16"').replace('3920m', '15890m')
    told, rows = blockers(text)
    key, = rows
    equal((key[0], told['now'], rows[key]['nodes'], rows[key]['savings'] > 0.1), ('spot-to-spot', 0, ['n1'], True), 'spot to spot')
    near(told['together'], rows[key]['savings'], 'spot to spot')
    # Held by a PodDisruptionBudget as well: neither saves anything alone.
    told, rows = blockers(text + pdb('web', 'web'))
    equal([row['savings'] for row in rows.values()], [0, 0] if len(rows) == 2 else [0], f'two: {rows}')
    check(told['together'] > 0.1, told)


def check_now():
    """What is saved as things are is more than a pass saves that only deletes an empty node, and is said so."""
    text = pool(disruption='{consolidateAfter: 0s, budgets: [{nodes: "1"}]}') + node('n1') + node('n2') + node('empty') + pod('a', 'n1') + pod('b', 'n2')
    told, _ = blockers(text)
    out, _ = run('disrupt', '-f', '-', '--now', '2026-01-02T00:00:00Z', '--region', 'us-west-2', '-o', 'json', text=text)
    pass_ = json.loads(out)
    equal([c['nodes'] for c in pass_['commands']], [['empty']], 'the pass')
    near(told['now'], 0.384, 'emptiness and consolidation, each a pass')
    check('the next passes of emptiness and consolidation save $280.32/month (730 h).' in ask(text), ask(text))


def check_forms():
    text = CASES[0][1] + node('n1') + node('n2') + pod('a', 'n1') + pod('b', 'n2')
    told = ask(text)
    check('As things are, the next passes of emptiness and consolidation save $0.00/month (730 h).' in told, told)
    check(told.startswith('karp blockers  \u00b7  profile karpenter-1.15  \u00b7  catalogue aws us-west-2, prices 2026-07-20\n\nAs things are'), told)
    rows = [' '.join(line.split()) for line in told.splitlines()]
    at = rows.index('blocker of nodes pods saved without it')
    equal(rows[at + 1:], ['pdb default/web 2 2 +$140.16/month', 'n1, n2', 'all together +$140.16/month'], 'the table')
    equal(len({len(line) for line in told.splitlines()[at:] if '/month' in line}), 1, 'columns')
    check('| pdb | default/web | 2 | 2 | +$140.16 |\n| all together | | | | +$140.16 |\n' in ask(text, '-o', 'markdown'), 'markdown')
    out, note = run('blockers', '-f', '-', text=pool())
    check('No blocker that can be lifted keeps it from saving more.' in out, out)
    check('the input has no nodes, so nothing keeps any; kubectl get nodes,nodeclaims,pods -A -o yaml' in note, note)
    check('no nodes' not in run('blockers', '-f', '-', text=text)[1], 'it has nodes')
    run('blockers', '-f', '-', '-o', 'html', text=pool(), status=1)


# What karp explain node calls what karp blockers names.
CODES = {'pdb': {'PDB_BLOCKED', 'PDB_MULTIPLE'}, 'pod-annotation': {'POD_DO_NOT_DISRUPT'}, 'node-annotation': {'NODE_DO_NOT_DISRUPT'},
         'budget': {'BUDGET', 'budget'}, 'consolidate-after': {'NOT_CONSOLIDATABLE', 'CONSOLIDATION_DISABLED'},
         'policy': {'POLICY_WHEN_EMPTY', 'BALANCED_SCORE'}, 'nominated': {'NOMINATED'}, 'spot-to-spot': {'SPOT_TO_SPOT_DISABLED'}}


def agree(*given, text=None):
    """Every node of a row has the row's reason in its own explanation."""
    told = json.loads(run('blockers', *given, '-o', 'json', text=text)[0])
    named = {}
    for row in told['blockers']:
        for name in row['nodes'] if row['kind'] in CODES else []:
            if name not in named:
                why = json.loads(run('explain', 'node', name, *given, '-o', 'json', text=text)[0])
                named[name] = {one['code'] for one in why.get('blockers', [])} | {'budget'} & why.keys()
            check(named[name] & CODES[row['kind']], f"{given}: {name} is of {row['kind']} {row['object']}: {named[name]}")
        check(told['together'] >= row['savings'], f"{given}: {row['kind']} {row['object']} saves more than all together")
    return {(row['kind'], row['object']): row for row in told['blockers']}


def check_explained():
    """A node that several keep is in the row of each; a pass without all of them that takes more nodes for less is not the best."""
    dump = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'asks', 'dump.json')
    rows = agree(dump)
    equal([len(rows[key]['nodes']) for key in (('pdb', 'shop/checkout'), ('pdb', 'db/postgres'), ('spot-to-spot', ''))], [3, 2, 6], 'nodes of each row')
    check(('budget', 'on-demand') not in rows, 'a budget that keeps none by itself, and without which nothing more is saved')
    agree(dump, '--now', '2026-03-02T22:00:00Z')
    listed = json.load(open(dump))
    listed['items'] = [item for item in listed['items'] if item['kind'] != 'Pod' or item['spec'].get('nodeName')]
    rows = agree('-f', '-', '--now', '2026-03-02T22:00:00Z', text=json.dumps(listed))
    check(rows['pod-annotation', 'shop']['savings'] > 0.15, rows)
    told = run('explain', 'node', '32-66', dump)[0]
    check('\n  NodePool on-demand has 5 nodes, and its disruption budgets allow 1 disruption at a time now:\n  the next node may follow when that one is done.\n' in told, told)
    note = '2 nodes belong to no NodePool and are not in the cost (ip-10-0-32-10.us-west-2.compute.internal, ...); by the catalogue they cost $0.192/h'
    equal(json.loads(run('blockers', dump, '-o', 'json')[0])['warnings'], [note], 'notes')
    check(run('blockers', dump, '-o', 'markdown')[0].endswith(f'\n## Notes\n\n- {note}\n'), 'notes of markdown')
    many = pool(disruption='{consolidateAfter: 0s, budgets: [{nodes: "10%"}]}') + pdb('web', 'web') + ''.join(
        node(f'n{i:02}') + pod(f'p{i:02}', f'n{i:02}', app='api' if i % 5 else 'web', cpu='3' if i % 3 else '1', notes='' if i % 7 else KEEP)
        for i in range(20))
    rows = agree('-f', '-', '--now', '2026-01-02T00:00:00Z', '--region', 'us-west-2', text=many)
    equal((len(rows['pdb', 'default/web']['nodes']), rows['pdb', 'default/web']['pods']), (4, 4), 'those with an annotation as well')


def check_passes():
    """Empty nodes go first, and take no pods of others: nothing is saved twice. A budget that only keeps nodes from going together is no row."""
    free = pool(disruption='{consolidateAfter: 0s, budgets: [{nodes: "100%"}]}')
    two = node('e1') + node('n1') + node('n2') + pod('p1', 'n1', cpu='3') + pod('p2', 'n2', cpu='3')
    told = json.loads(run('blockers', '-f', '-', '--region', 'us-west-2', '-o', 'json', text=free + two)[0])
    alone = json.loads(run('disrupt', '-f', '-', '--region', 'us-west-2', '-o', 'json', text=free + two)[0])
    equal(([c['nodes'] for c in alone['commands']], float(told['now'])), ([['e1']], float(alone['commands'][0]['savings'])), 'p1 has no other node than the empty one')
    tight = pool(disruption='{consolidateAfter: 0s, budgets: [{nodes: "1"}]}')
    told = json.loads(run('blockers', '-f', '-', '--region', 'us-west-2', '-o', 'json', text=tight + node('n1') + node('n2') + pod('p1', 'n1', cpu='3') + pod('p2', 'n2', cpu='3'))[0])
    equal(told['blockers'], [], 'no node goes without the budget either')


def check_drain():
    """A node that is being deleted goes when its pods have left: what holds them is a blocker, too."""
    held = node('old').replace('creationTimestamp: "2026-01-01T00:00:00Z"}', 'creationTimestamp: "2026-01-01T00:00:00Z", deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [x]}', 1)
    told, _ = blockers(pool() + held + node('other') + pod('ci-0', 'old', notes=KEEP) + pod('web-0', 'other'))
    equal([(b['kind'], b['object'], b['nodes'], b['podNames']) for b in told['blockers'] if b['kind'] == 'drain'],
          [('drain', 'default', ['old'], ['default/ci-0'])], 'what its drain waits for')
    gone, _ = blockers(pool() + held + node('other') + pod('ci-0', 'old') + pod('web-0', 'other'))
    equal([b for b in gone['blockers'] if b['kind'] == 'drain'], [], 'a drain that goes on')


check_each()
check_explained()
check_budget_in_part()
check_several()
check_two_budgets()
check_topology()
check_limits()
check_spot()
check_now()
check_forms()
check_passes()
check_drain()
sys.exit(finish())
