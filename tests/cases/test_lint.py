# SPDX-License-Identifier: Apache-2.0
"""karp lint: every rule finds its example in docs/lint.md, and nothing when the example is mended."""
import json
import pathlib
import re
import sys
import tempfile

from stories import check, equal, finish, run

REGION = ('--region', 'us-west-2')

# What makes each example good: (text, its replacement).
MENDED = {
    'anti-affinity-cannot-hold': ('replicas: 9', 'replicas: 2'),
    'budget-never-active': ('31 2', '31 3'),
    'budget-never-allows': ('nodes: "0"', 'nodes: "1"'),
    'budget-no-limit': ('100%', '20%'),
    'budget-no-reason': ('reasons: []', 'reasons: [Drifted]'),
    'budget-not-for-expiry': ('720h', 'Never'),
    'budget-reason-unlimited': ('Underutilized, Empty', 'Underutilized, Empty, Drifted'),
    'consolidation-never-starts': ('60m', '5m'),
    'costly-preference': ('kubernetes.io/hostname', 'topology.kubernetes.io/zone'),
    'group-key-unknown': ('zones', 'zone'),
    'group-never-starts': ('nvidia.com/gpu: 6', 'nvidia.com/gpu: 8'),
    'group-priority-differs': ('priority: 1000', 'priority: 0'),
    'group-too-small': ('replicas: 2', 'replicas: 3'),
    'job-may-be-disrupted': ('annotations: {}', 'annotations: {karpenter.sh/do-not-disrupt: "true"}'),
    'limit-below-launch': ('cpu: 4', 'cpu: 8'),
    'max-pods-above-addresses': ('maxPods: 110', 'maxPods: 29'),
    'memory-overcommit': ('limits: {memory: 4Gi}', 'limits: {memory: 1536Mi}'),
    'min-values-unmet': ('minValues: 3', 'minValues: 2'),
    'no-instance-type': ('values: [m5]', 'values: [m6g]'),
    'no-requests': ('resources: {}', 'resources: {requests: {cpu: 1}}'),
    'node-class-missing': ('defualt', 'default'),
    'nodes-limit-exceeded': ('nodes: 2', 'nodes: 3'),
    'not-placed': ('cpu: 3', 'cpu: 1'),
    'overlay-void': ('name: dear}\nspec: {weight: 10', 'name: dear}\nspec: {weight: 20'),
    'pdb-never-allows': ('maxUnavailable: 0', 'maxUnavailable: 1'),
    'pdb-overlap': ('part-of: shop}}}', 'part-of: bank}}}'),
    'pdb-selects-nothing': ('app: wbe', 'app: web'),
    'pod-limit-binds': ('memory: 32Mi', 'memory: 320Mi'),
    'pool-refused': ('famly', 'family'),
    'pool-shadowed': ('weight: 50', 'weight: 5'),
    'reservation-excluded': ('[on-demand]', '[on-demand, reserved]'),
    'resize-counts': ('{cpu: 2}, resources: {requests: {cpu: 2}}', '{cpu: 1}, resources: {requests: {cpu: 1}}'),
    'selector-misses-itself': ('app: wbe', 'app: web'),
    'spread-cannot-hold': ('minDomains: 3', 'minDomains: 2'),
    'stranded-capacity': ('cpu: 2200m', 'cpu: 1900m'),
    'tiny-memory': ('512m', '512Mi'),
    'too-many-volumes': ('replicas: 40', 'replicas: 20'),
    'undeclared-taint': ('example.com', 'node.kubernetes.io'),
    'unknown-label': ('zones', 'zone'),
    'unknown-taint': ('serach', 'search'),
    'unknown-value': ('m5.lrage', 'm5.xlarge'),
}


def findings(text, *arguments):
    out, _ = run('lint', '-f', '-', *REGION, '-o', 'json', *arguments, text=text)
    return json.loads(out)


def examples():
    text = pathlib.Path(__file__).parents[2].joinpath('docs/lint.md').read_text()
    return {rule: (severity, example) for rule, severity, example in
            re.findall(r'^## (\S+)\n\n\*(\w+)\*.*?```yaml\n(.*?)```', text, re.M | re.S)}


def check_rules():
    told = examples()
    equal(sorted(told), sorted(MENDED), 'the rules of docs/lint.md')
    sarif = json.loads(run('lint', '-f', '-', *REGION, '--format', 'sarif', text=told['limit-below-launch'][1])[0])
    driver = sarif['runs'][0]['tool']['driver']
    equal([r['id'] for r in driver['rules']], sorted(MENDED) + ['unplanned', 'not-understood', 'input-note'], 'the rules of the library')
    levels = {r['id']: r['defaultConfiguration']['level'] for r in driver['rules']}
    equal([(r['ruleId'], r['level']) for r in sarif['runs'][0]['results']], [('limit-below-launch', 'error'), ('input-note', 'warning')], 'results of SARIF')
    for rule, (severity, example) in told.items():
        found = [f for f in findings(example)['findings'] if f['rule'] == rule]
        check(found and all(f['severity'] == severity and f['text'] for f in found), f'{rule}: {found}')
        equal(levels[rule], 'note' if severity == 'info' else severity, f'{rule}: the level')
        old, new = MENDED[rule]
        check(old in example, f'{rule}: {old}')
        mended = findings(example.replace(old, new))['findings']
        equal([f for f in mended if f['rule'] == rule], [], f'{rule}: mended')


def check_few_pods():
    """The cheapest type for three pods is not one that 131 of them would fill."""
    few = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec: {template: {spec: {nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: default},
  requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, resources: {requests: {cpu: 900m, memory: 1Gi}}}]}
"""
    out, _ = run('lint', '-f', '-', '-o', 'json', text=few)
    told, = (json.dumps(f) for f in json.loads(out)['findings'] if f['rule'] == 'stranded-capacity')
    check('Standard_B2pls_v2 with 1 pod' in told, told)


def check_texts():
    example = examples()['unknown-value'][1]
    equal(findings(example)['findings'][0]['remedy'], 'm5.large may be meant', 'the nearest value')
    found = findings(examples()['unknown-label'][1])['findings'][0]
    equal(found['remedy'], 'topology.kubernetes.io/zone may be meant', 'the nearest label')
    equal(findings(examples()['node-class-missing'][1])['findings'][0]['remedy'], 'default may be meant', 'the nearest node class')
    # A cluster without reservations, or without Windows, may list them.
    usual = example.replace('requirements: [', 'requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [reserved, spot, on-demand]}, ')
    check('reserved' in usual, usual)
    equal(findings(usual), findings(example), 'reserved, beside others')
    example = examples()['unknown-taint'][1]
    found = next(f for f in findings(example)['findings'] if f['rule'] == 'unknown-taint')
    equal((found['kind'], found['object'], found['field'], found['text'], found['remedy']),
          ('Pod', 'default/index-0', 'spec.tolerations[0]', 'no taint team of a NodePool or node has the value serach', 'search may be meant'),
          'a toleration that is misspelt')
    for other in ('value: searcx', 'value: payments'):  # another name, and nothing like it
        equal([f for f in findings(example.replace('value: serach', other))['findings'] if f['rule'] == 'unknown-taint'], [], other)
    example = examples()['unknown-value'][1]
    found = findings(examples()['no-instance-type'][1])['findings'][0]
    check(found['remedy'].startswith('without the requirement on karpenter.k8s.aws/instance-family there are '), found)
    pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeSelector: {team: red}, containers: [{name: c, image: x}]}\n---\n'
    found = next(f for f in findings(pod + example)['findings'] if f['rule'] == 'unknown-label')
    equal((found['rule'], found['kind'], found['object'], found['field']), ('unknown-label', 'Pod', 'default/p', 'spec.nodeSelector'),
          'a label that nothing has')
    equal(found['text'], "no instance type, offering, node or NodePool has the label 'team'", 'the key is quoted')


SPREAD = '''---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 40
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
      containers: [{name: c, resources: {requests: {cpu: 1}}}]
'''


def refused(*, requirements='', labels='', taints='', startup=''):
    """Field and reason of each part that is refused; nothing else but notes may be found."""
    pool = (f'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: p}}\nspec:\n  template:\n    metadata: {{labels: {{{labels}}}}}\n'
            f'    spec: {{requirements: [{requirements}], taints: [{taints}], startupTaints: [{startup}], '
            'nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}}\n')
    found = [f for f in findings(pool + SPREAD)['findings'] if f['rule'] not in ('input-note', 'stranded-capacity')]
    equal({(f['rule'], f['severity'], f['object']) for f in found} - {('pool-refused', 'error', 'p')}, set(), 'what follows from a refused pool')
    return [(f['field'], f['text'].split('nothing is launched from it: ')[1]) for f in found]


def check_refused():
    restricted = 'is restricted; specify a well known label or a custom label that does not use a restricted domain'
    spec = 'spec.template.spec'
    equal(refused(), [], 'a good pool')
    equal(refused(requirements='{key: karpenter.sh/foo, operator: In, values: [a]}'),
          [(f'{spec}.requirements[karpenter.sh/foo]', f'karpenter.sh/foo {restricted}')], 'a restricted domain')
    equal(refused(requirements='{key: karpenter.sh/nodepool, operator: In, values: [p]}, {key: example.com/a, operator: Gt, values: [a]}'),
          [(f'{spec}.requirements[example.com/a]', 'example.com/a needs one non-negative integer'),
           (f'{spec}.requirements[karpenter.sh/nodepool]', 'karpenter.sh/nodepool is restricted, as each NodePool sets it itself')],
          'no number, and the label of the pool')
    equal(refused(requirements='{key: topology.kubernetes.io/zone, operator: In, values: []}'),
          [(f'{spec}.requirements[topology.kubernetes.io/zone]', 'topology.kubernetes.io/zone has too few values')], 'no values')
    equal(refused(labels='kubernetes.io/hostname: a, "a b": c, example.com/c: "-", d: ""'),
          [('spec.template.metadata.labels[a b]', 'a b is not a qualified name'),
           ('spec.template.metadata.labels[example.com/c]', 'example.com/c has an invalid value'),
           ('spec.template.metadata.labels[kubernetes.io/hostname]', f'kubernetes.io/hostname {restricted}')], 'labels')
    equal(refused(taints='{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}, {key: b, value: "x y", effect: NoSchedule}, {key: c, effect: Never}',
                  startup='{key: a, value: other, effect: NoExecute}'),
          [(f'{spec}.startupTaints[0]', 'a is there twice with the same effect'),
           (f'{spec}.taints[2]', 'b has an invalid value'),
           (f'{spec}.taints[3]', 'c has an effect that is not NoSchedule, PreferNoSchedule or NoExecute')], 'taints')
    example = examples()['pool-refused'][1]
    found = findings(example)['findings'][0]
    equal((found['rule'], found['remedy']), ('pool-refused', 'karpenter.k8s.aws/instance-family may be meant'), 'the label that is meant')
    plan = json.loads(run('plan', '-f', '-', *REGION, '-o', 'json', text=example.replace('karpenter.k8s.aws/instance-famly', 'a').replace(
        '  template:\n', '  template:\n    metadata: {labels: {karpenter.sh/b: c}}\n') + SPREAD)[0])
    check('NodePool default: Karpenter would not use it: its label karpenter.sh/b ' + restricted in plan['warnings'], plan['warnings'])
    equal((plan['launches'], len(plan['ignored'])), ([], 40), 'a label that is refused')
    text, _ = run('lint', '-f', '-', *REGION, text=example)
    check(text.startswith('error    NodePool default  spec.template.spec.requirements[karpenter.k8s.aws/instance-famly]\n') and '[pool-refused]' in text, text)
    run('lint', '-f', '-', *REGION, '--fail-on', 'error', text=example, status=3)
    sarif = json.loads(run('lint', '-f', '-', *REGION, '-o', 'sarif', text=example)[0])['runs'][0]['results'][0]
    equal((sarif['ruleId'], sarif['level'], sarif['locations'][0]['logicalLocations'][0]['fullyQualifiedName']),
          ('pool-refused', 'error', 'NodePool/default/spec.template.spec.requirements[karpenter.k8s.aws/instance-famly]'), 'SARIF')
    equal(findings(SPREAD.removeprefix('---'))['findings'], [], 'a workload alone')


def check_same_plan():
    """How many pods stay pending is what the plan says of the same input."""
    for rule in ('spread-cannot-hold', 'anti-affinity-cannot-hold'):
        example = examples()[rule][1]
        left = len(json.loads(run('plan', '-f', '-', *REGION, '-o', 'json', text=example)[0])['unschedulable'])
        found = next(f for f in findings(example)['findings'] if f['rule'] == rule)
        check(left > 0 and f'the plan leaves {left} of ' in found['text'], f'{rule}: {found["text"]}, and the plan leaves {left}')
    example = examples()['nodes-limit-exceeded'][1]
    notes = json.loads(run('plan', '-f', '-', *REGION, '-o', 'json', text=example)[0])['warnings']
    check(any('3 nodes are more than limits.nodes 2' in n for n in notes), notes)
    mended = json.loads(run('plan', '-f', '-', *REGION, '-o', 'json', text=example.replace('nodes: 2', 'nodes: 3'))[0])
    check(not any('limits.nodes' in n for n in mended.get('warnings', [])), mended)
    example = examples()['anti-affinity-cannot-hold'][1]
    check('replicas: 9' in example, example)
    unready = example.replace('spec:\n  template: {spec', 'spec:\n  limits: {cpu: 0}\n  template: {spec', 1)
    left = len(json.loads(run('plan', '-f', '-', *REGION, '-o', 'json', text=unready)[0])['unschedulable'])
    found = next(f for f in findings(unready)['findings'] if f['rule'] == 'anti-affinity-cannot-hold')
    equal((left, 'leaves 9 of 9 pods' in found['text']), (9, True), 'a limit leaves all of them pending')


def check_promises():
    """No rule promises a node to pods that the plan leaves pending; each count is of the pods that the finding names."""
    for rule, words in (('stranded-capacity', ''), ('pod-limit-binds', ''), ('costly-preference', ''), ('no-requests', 'may share')):
        example = examples()[rule][1]
        full = re.sub(r'(kind: NodePool\n.*\nspec:)\n', r'\1\n  limits: {cpu: 0}\n', example, count=1)
        check(full != example, f'{rule}: {example}')
        check(json.loads(run('plan', '-f', '-', *REGION, '-o', 'json', text=full)[0])['unschedulable'] != [], f'{rule}: the limit binds')
        equal([f['text'] for f in findings(full)['findings'] if f['rule'] == rule and words in f['text']], [], f'{rule}: promised')
    apart = examples()['anti-affinity-cannot-hold'][1]
    one = apart[apart.index('apiVersion: apps/v1'):].split('\n---')[0]
    other = one.replace('name: web', 'name: more', 1).replace('replicas: 9', 'replicas: 4').replace('cpu: 500m', 'cpu: 600m', 1)
    check('cpu: 600m' in other, other)
    found = [f['text'] for f in findings(f'{apart}\n---\n{other}')['findings'] if f['rule'] == 'anti-affinity-cannot-hold']
    check(len(found) == 2 and any('of 4 pods pending' in t for t in found), found)
    for text in found:
        left, of = re.search(r'leaves (\d+) of (\d+) pods', text).groups()
        check(0 < int(left) <= int(of), text)


def check_costs():
    example = examples()['costly-preference'][1]
    found = next(f for f in findings(example)['findings'] if f['rule'] == 'costly-preference')
    plan, other = (float(json.loads(run('plan', '-f', '-', *REGION, '-o', 'json', text=settings + example)[0])['cost']['after']) for settings in
                   ('', 'apiVersion: karp/v1\nkind: Snapshot\nsettings: {preferencePolicy: Ignore}\n---\n'))
    check(other < plan and f'costs ${plan * 730:.0f} a month, and ${other * 730:.0f} without' in found['text'], found['text'])


def check_forms():
    example = examples()['limit-below-launch'][1]
    text, _ = run('lint', '-f', '-', *REGION, text=example)
    check('error    NodePool default  spec.limits.cpu' in text and text.endswith('2 findings: 1 error, 1 warning.\n'), text)
    table, _ = run('lint', '-f', '-', *REGION, '-o', 'markdown', text=example)
    check('| error | `limit-below-launch` | NodePool default | spec.limits.cpu |' in table, table)
    for severity, status in (('error', 3), ('warning', 3), ('info', 3)):
        run('lint', '-f', '-', *REGION, '--fail-on', severity, text=example, status=status)
    run('lint', '-f', '-', *REGION, '--fail-on', 'error', text=examples()['unknown-value'][1])
    run('lint', '-f', '-', *REGION, '--fail-on', 'warning', text=examples()['unknown-value'][1], status=3)
    _, error = run('lint', '-f', '-', '--fail-on', 'some', text=example, status=1)
    check('info, warning or error' in error, error)
    note = 'apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: t}\n'
    rules = [f['rule'] for f in findings(note)['findings']]
    equal(rules, ['input-note'], 'a note of the reader')
    run('lint', '-f', '-', '--fail-on', 'error', text=note)
    run('lint', '-f', '-', '--fail-on', 'warning', text=note, status=3)
    pool = examples()['unknown-value'][1]
    pools = '\n---\n'.join(pool.replace('name: default', f'name: pool-{n}', 1) for n in range(3))
    for one in (pool, pools):
        check('no instance type or offering has' in run('plan', '-f', '-', *REGION, '-o', 'json', text=one)[0], 'karp plan notes it')
        found = json.dumps(findings(one))
        check('unknown-value' in found and 'no instance type or offering has' not in found, f'karp lint reports it once: {found}')
    clean = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n'
    equal(run('lint', '-f', '-', text=clean)[0], 'Nothing found.\n', 'nothing wrong')
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'pool.yaml').write_text(example)
        sarif = json.loads(run('lint', f'{folder}/pool.yaml', *REGION, '-o', 'sarif')[0])
        place = sarif['runs'][0]['results'][0]['locations'][0]
        equal(place['physicalLocation']['artifactLocation']['uri'], 'pool.yaml', 'the file')
        equal(place['logicalLocations'][0]['fullyQualifiedName'], 'NodePool/default/spec.limits.cpu', 'the place')


def check_truths():
    """What is said of a pool does not contradict itself, and names what is wrong."""
    spec = '{requirements: [], nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}'
    pool = f'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: default}}\nspec: {{template: {{spec: {spec}}}, disruption: {{budgets: []}}}}\n'
    schedule = '[{nodes: "1", schedule: "61 8 * * *", duration: 10h}]'
    rules = [f['rule'] for f in findings(pool.replace('budgets: []', f'budgets: {schedule}'))['findings']]
    check('budget-never-active' in rules and 'budget-reason-unlimited' not in rules, f'a budget whose schedule cannot be read allows no node: {rules}')
    rules = [f['rule'] for f in findings(pool.replace('budgets: []', f'budgets: {schedule.replace("61", "1")}'))['findings']]
    check('budget-reason-unlimited' in rules, f'one that can be read does so at its times: {rules}')
    for values, least, said in (('spot, on-demand, reserved', 4, 'lists fewer known values than its minValues'), ('sport', 1, 'lists no known value')):
        asked = f'requirements: [{{key: karpenter.sh/capacity-type, operator: In, values: [{values}], minValues: {least}}}]'
        texts = [f['text'] for f in findings(pool.replace('requirements: []', asked))['findings'] if f['rule'] == 'pool-refused']
        check(len(texts) == 1 and said in texts[0], f'{values}: {texts}')


check_rules()
check_truths()
check_texts()
check_few_pods()
check_refused()
check_same_plan()
check_promises()
check_costs()
check_forms()
sys.exit(finish())
