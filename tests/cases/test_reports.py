# SPDX-License-Identifier: Apache-2.0
"""Situations that people reported in public (tests/cases/reports): the answer names the cause on which a person would act."""
import json
import pathlib
import re
import sys
import tempfile

import situations
from situations import asked, node, pod, pool, term
from stories import check, equal, finish, run

FOLDER = pathlib.Path(__file__).with_name('reports')
REGION = ('--region', 'us-west-2')


def ask(verb, name, *more, status=0):
    """The document and the text, in one line, that the command answers for the input."""
    first, rest = (verb, ()) if isinstance(verb, str) else (verb[0], verb[1:])
    given = (first, *rest, '-f', FOLDER / f'{name}.yaml', *REGION, *more)
    document, _ = run(*given, '-o', 'json', status=status)
    text, _ = run(*given, status=status)
    return json.loads(document), ' '.join(text.split())


def lint(name, rule, *wanted, more=()):
    """The one finding of the rule has these words."""
    found = [f for f in ask('lint', name, *more)[0]['findings'] if f['rule'] == rule]
    equal(len(found), 1, f'{name}: {rule}')
    for word in wanted:
        check(found and word in found[0]['text'] + found[0]['remedy'], f'{name}: {rule}: {word}: {found}')


def limit_of_nodes():
    told, _ = ask('plan', '01-limit-of-nodes')
    check(any('6 nodes' in w and 'limits.nodes 3' in w and 'frozen' in w for w in told['warnings']), told['warnings'])
    lint('01-limit-of-nodes', 'nodes-limit-exceeded', '6 nodes', 'limit of 3')


def rules_of_consolidation():
    told, said = ask('blockers', '06-spot-few-cheaper-types', '--feature-gates', 'SpotToSpotConsolidation=true')
    equal([(b['kind'], b['object'], b['nodes']) for b in told['blockers']], [('spot-types', 'workers', ['w1'])], 'few cheaper types')
    check(float(told['blockers'][0]['savings']) > 0 and 'w1' in said, said)
    told, said = ask('blockers', '10-two-pools-small-first')
    equal([(b['kind'], b['object'], b['nodes']) for b in told['blockers']], [('several-nodes', 'large', ['big'])], 'several nodes')
    told, said = ask('blockers', '50-two-budgets-one-pod')
    row = next(b for b in told['blockers'] if b['kind'] == 'pdb')
    equal((row['pods'], row['podNames']), (1, ['shop/q-0']), 'the pod by name')
    check('pods: shop/q-0' in ask('blockers', '50-two-budgets-one-pod', '--width', '1000')[1], 'and in wide text')


def rules_of_lint():
    lint('16-timer-never-runs-out', 'consolidation-never-starts', 'shop/tick-0', '4 of 4 nodes', more=('--now', '2026-01-05T12:00:00Z'))
    lint('17-cni-taint-not-declared', 'undeclared-taint', 'startupTaints', 'std')
    lint('22-reservation-not-asked-for', 'reservation-excluded', '3 free instances of m6i.2xlarge', 'reserved')
    lint('25-many-volumes', 'too-many-volumes', '40 volumes of ebs.csi.aws.com', 'm6i.4xlarge', 'at most 28')
    lint('34-soft-anti-affinity', 'costly-preference', '$841', '$140', '12 pods')
    lint('39-small-pods-pod-limit', 'pod-limit-binds', 'm6i.large with 29 pods')
    lint('44-max-pods-above-addresses', 'max-pods-above-addresses', 'm6i.large take 110 pods', 'addresses for 29', 'prefixes')
    other = ask(('explain', 'pod', 'shop/mix-4'), '40-spot-on-demand-split')[0]['alternatives'][0]
    check(other['nodePool'] == 'spot' and other['detail'].startswith('capacity-spread: 1 has the fewest pods, 0, and cannot take this one'), other)
    for name, pod_, wanted in (('25-many-volumes', 'disk-0', 'its pods have 40 volumes of ebs.csi.aws.com'), ('44-max-pods-above-addresses', 'tiny-0', 'addresses for 29')):
        texts = [c['text'] for c in ask(('explain', 'pod', f'shop/{pod_}'), name)[0]['causes']]
        check(any(wanted in t for t in texts), texts)
    lint('50-two-budgets-one-pod', 'pdb-overlap', 'by-chart', 'shop/q-0')
    lint('51-overlays-of-equal-weight', 'overlay-void', 'weight 10', 'such as b', more=('--feature-gates', 'NodeOverlay=true'))


def preferences():
    """Which preferences are kept, narrow the types, or are dropped; for how many pods; what they cost."""
    told, said = ask('plan', '34-soft-anti-affinity')
    equal([(p['kind'], p['pods'], p['kept'], p['dropped']) for p in told['preferences']], [('podAntiAffinity', 12, 12, 0)], 'all kept')
    respect, ignore = (float(told['preferenceCost'][k]) * 730 for k in ('respect', 'ignore'))
    equal((round(respect), round(ignore)), (841, 140), 'what it costs')
    check('$840.96' in said and '$140.16' in said and 'kubernetes.io/hostname of app=hello' in said, said)
    without, _ = ask('plan', '34-soft-anti-affinity', '--preferences', 'ignore')
    equal((len(without['launches']), 'preferences' in without), (1, False), 'one node without it')
    equal(ask(('explain', 'pod', 'shop/hello-0'), '34-soft-anti-affinity')[0]['preferences'][0]['kept'], 1, 'of one pod')
    told, said = ask('plan', '13-prefers-new-generation')
    equal([(p['preferred'], p['kept'], p['dropped']) for p in told['preferences']],
          [('karpenter.k8s.aws/instance-generation In [7]', 3, 0), ('karpenter.k8s.aws/instance-generation In [6]', 0, 0)], 'the heaviest alone')
    check('kept as a requirement of the nodes' in said, said)
    told, said = ask('plan', '03-stale-zone-in-other-pool')
    soft = [p for p in told['preferences'] if p['kind'] == 'topologySpread'][0]
    equal((soft['pods'], soft['kept'], soft['dropped']), (6, 3, 3), 'ScheduleAnyway')
    check('dropped for 3 pods' in said and 'leftover' in said and 'us-west-2q' in said, said)
    dump = json.loads(run('dump', '-f', FOLDER / '34-soft-anti-affinity.yaml', *REGION, '--preferences', 'ignore')[0])
    equal(dump['settings'], {'preferencePolicy': 'Ignore'}, 'the policy in a dump')
    found = ask('lint', '34-soft-anti-affinity', '--preferences', 'ignore')[0]['findings']
    equal([f['rule'] for f in found if f['rule'] == 'costly-preference'], [], 'it costs nothing then')


def preferences_elsewhere():
    """What became of preferences in other commands and formats; a search that is stopped says what it did not find."""
    name = '34-soft-anti-affinity'
    fate = 'kept for all 4 pods'
    told, said = ask('whatif', name, '--scale', 'hello=4')
    equal([(p['kept'], p['dropped']) for p in told['preferences']], [(4, 0)], 'of a changed cluster')
    check(fate in said and fate in run('whatif', '-f', FOLDER / f'{name}.yaml', *REGION, '--scale', 'hello=4', '-o', 'markdown')[0], said)
    check(fate in run('whatif', '-f', FOLDER / f'{name}.yaml', *REGION, '--scale', 'hello=4', '-o', 'html')[0], 'in a page')
    lost, _ = ask('whatif', name, '--unavailable', 'm6i.large')
    equal(('preferenceCost' in lost, 'preferenceCost' in told), (False, True), 'the cost without preferences is of the cluster as it is read')
    part, said = ask('plan', name, '--max-steps', '5')
    equal(sorted(part['preferenceCost']), ['respect'], 'the budget of steps is over')
    check('was not found in time' in said, said)
    with tempfile.TemporaryDirectory() as folder:
        story = pathlib.Path(folder) / 'story.yaml'
        story.write_text(f'apiVersion: karp/v1\nkind: Story\nfiles: [{FOLDER / name}.yaml]\nsteps:\n- wait: 5m\n')
        cost = {}
        for word in ('respect', 'ignore'):
            told = json.loads(run('simulate', story, *REGION, '--preferences', word, '-o', 'json')[0])
            first = told['steps'][0]['decisions'][0]
            cost[word] = (len(first['launches']), 'preferences' in first)
        equal(cost, {'respect': (12, True), 'ignore': (1, False)}, 'a story')
        out = json.loads(run('replay', story, *REGION, '--preferences', 'ignore', '-o', 'json')[0])
        equal(out['policies'][0]['launches'], 1, 'a replay')
        equal('preferences' in out['policies'][0], False, 'ignored ones are not counted')
        out = json.loads(run('replay', story, *REGION, '-o', 'json')[0])
        equal(out['policies'][0]['preferences'], {'kept': 12, 'dropped': 0}, 'counts of a replay')
        check('preferences kept 12' in ' '.join(run('replay', story, *REGION)[0].split()), 'and in its text')
        story.write_text(story.read_text().replace(name, '03-stale-zone-in-other-pool'))
        out = json.loads(run('replay', story, *REGION, '-o', 'json')[0])
        check(out['policies'][0]['preferences']['dropped'] >= 3, out['policies'][0]['preferences'])


def causes(name, pod, **more):
    told, said = ask(('explain', 'pod', pod), name, **more)
    return {kind: ' | '.join(c['text'] for c in told['causes'] if c['kind'] == kind) for kind in {c['kind'] for c in told['causes']}}, said


def placed_pods():
    """What existing nodes lack, why the type, what fills the node, DaemonSets by name; existing nodes come before weights."""
    found, said = causes('15-weight-is-for-new-nodes', 'shop/job-0')
    check('existing nodes come before any NodePool' in found['order'] and 'od1' in said, found)
    found, _ = causes('17-cni-taint-not-declared', 'shop/web-0')
    equal(found['existingNodes'], '1 existing node does not take it: taint node.cilium.io/agent-not-ready=true:NoSchedule, which NodePool std '
          'does not declare, is not tolerated; if something removes the taint, it belongs in startupTaints (fresh)', 'the existing node')
    check('next cheaper one, m6i.large, lacks cpu (3000m requested, 1930m there)' in found['type'], found)
    found, _ = causes('08-daemonset-per-type', 'shop/api-0')
    equal(found['daemonSets'], 'DaemonSets on the node: kube-system/cache-small (cpu 500m, memory 512Mi)', 'of the type')
    found, _ = causes('39-small-pods-pod-limit', 'shop/tiny-0')
    check('pods 58 of 58' in found['fullest'] and 'lacks pods (58 requested, 29 there)' in found['type'], found)
    equal(found['daemonSets'].count('kube-system/d'), 3, 'three DaemonSets')
    plan = ask('plan', '39b-one-type')[1]
    check('DaemonSets included' not in plan and 'DaemonSets included' in ask('plan', '39-small-pods-pod-limit')[1], 'only where there are some')


def running_pods():
    """Where it runs, where it would go, and what would be launched today; no error."""
    told, said = ask(('explain', 'pod', 'shop/p-0'), '16-timer-never-runs-out')
    equal((told['running'], told['outcome'], told['node']), (True, 'node', 'n0'), 'it would come back')
    check('shop/p-0 runs. If it were evicted now, it would go to the node n0.' in said and 'm6i.xlarge, us-west-2a, on-demand, of NodePool std' in said, said)
    found, _ = causes('16-timer-never-runs-out', 'shop/p-0')
    check('would fit on another existing node' in found['today'], found)
    found, said = causes('06-spot-few-cheaper-types', 'shop/celery-0')
    check('the pod would get a new one' in found['today'] and 'is the cheapest of' in found['today'], found)


def unavailable():
    """What becomes of the plan if nothing can be launched of a type: everywhere, in a zone, or there of a capacity type."""
    def asked(*given):
        told, said = ask('whatif', '13-prefers-new-generation', *given)
        return [(item['choice']['instanceType'], item['choice']['zone']) for item in told['launches']], said
    name = 'm7i.2xlarge'
    equal(asked()[0], [(name, 'us-west-2a')], 'as things are')
    gone, said = asked('--unavailable', name)
    check(gone != [] and gone[0][0] != name and f'what if: nothing available of {name}' in said, gone)
    moved, _ = asked('--unavailable', f'{name}/us-west-2a')
    equal(moved, [(name, 'us-west-2b')], 'in another zone')
    equal(asked('--unavailable', f'{name}/us-west-2a/on-demand')[0], moved, 'of its capacity type')
    equal(asked('--unavailable', f'{name}/us-west-2a/spot')[0], [(name, 'us-west-2a')], 'of another capacity type')
    equal(asked('--unavailable', '*/us-west-2a/on-demand')[0], moved, 'of every type there')
    for wrong in ('m7i.2xlrage', f'{name}/us-west-2q', f'{name}/us-west-2a/spot/more', '/us-west-2a'):
        _, error = run('whatif', '-f', FOLDER / '13-prefers-new-generation.yaml', *REGION, '--unavailable', wrong, status=1)
        check(('no such' in error or 'has no offering in us-west-2q' in error) and wrong.split('/')[0] in error and ('2xlrage' not in wrong or 'did you mean m7i.2xlarge?' in error), error)


def refused_pods():
    told, said = ask('plan', '22-reservation-not-asked-for')
    check(any('capacity types exclude 3 free instances of m6i.2xlarge' in w and 'add reserved' in w for w in told['warnings']), told['warnings'])
    _, said = ask('plan', '51-overlays-of-equal-weight', '--feature-gates', 'NodeOverlay=true')
    check('$0.1152/h' in said and 'by a NodeOverlay; list $0.192/h' in said, said)
    _, said = ask(('explain', 'pod', 'shop/dpdk-0'), '24-hugepages')
    check('NodeOverlay huge: not used' in said and '--feature-gates NodeOverlay=true' in said, said)
    told, said = ask('plan', '12-prefers-no-karpenter-node')
    check(all('by a preferred node affinity' in i['message'] and 'drop the term' in i['message'] for i in told['ignored']), told['ignored'])
    told, said = ask('plan', '05-static-full', '--feature-gates', 'StaticCapacity=true')
    check(any('gateways is passed over: it is static' in w and 'raise them, or add a NodePool' in w for w in told['warnings']), told['warnings'])
    daemon = 'apiVersion: v1\nkind: Pod\nmetadata: {name: d-x, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u}]}\nspec: {containers: []}\n'
    _, error = run('explain', 'pod', 'd-x', '-f', '-', *REGION, text=daemon, status=1)
    check("the pod is a DaemonSet's: Karpenter launches no node for it" in error, error)
    wide = (FOLDER / '08-daemonset-per-type.yaml').read_text().replace('cpu: 3, memory: 4Gi', 'cpu: 300, memory: 4Gi')
    check('cpu: 300' in wide, wide)
    told = json.loads(run('explain', 'pod', 'shop/api-0', '-f', '-', *REGION, '-o', 'json', text=wide)[0])
    check([c for c in told['causes'] if c['kind'] == 'daemonSets' and 'kube-system/cache-small (cpu 500m, memory 512Mi)' in c['text']], told['causes'])
    found, said = causes('43-limit-below-usage', 'shop/more-0')
    check('cpu: limit 4, in use 8' in found['limits'] and 'raise the limit cpu' in said, found)


def constraint(kind, labels):
    term = {'topologyKey': situations.HOST, 'labelSelector': {'matchLabels': labels}}
    return {kind: {'requiredDuringSchedulingIgnoredDuringExecution': [term]}}


def told_of(kind, *words, objects):
    told = asked(*words, objects=objects)
    return ' | '.join(c['text'] for c in told['causes'] if c['kind'] == kind)


def left_over(large):
    """What the machine, the system and DaemonSets leave; a limit that leaves too little; a clock that starts again; two pods that share a node."""
    daemon = {'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': 'agent', 'namespace': 'kube-system'}, 'spec': {
        'selector': {'matchLabels': {'app': 'agent'}}, 'template': {'metadata': {'labels': {'app': 'agent'}}, 'spec': {
            'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '100m', 'memory': '500Mi'}}}]}}}}
    said = told_of('type', 'explain', 'pod', 'shop/big-0', objects=[large, daemon, pod('big-0', cpu='1', memory='14Gi')])
    check('have at most 13662Mi memory for pods, and the pod requests 14Gi: m6i.xlarge has 16Gi, less 1229Mi for the virtual machine itself' in said and
          '993Mi for the system and the kubelet, 500Mi for DaemonSets' in said, said)
    said = told_of('type', 'explain', 'pod', 'shop/big-0', objects=[large, daemon, pod('big-0', cpu='3900m')])
    check('at most 3820m cpu for pods, and the pod requests 3900m: m6i.xlarge has 4, less 80m for the system and the kubelet, 100m for DaemonSets' in said, said)
    full = node('f1', kind='m6i.xlarge', of='first')
    pools = [pool(term(situations.TYPE, 'm6i.xlarge'), name='first', weight=50, limits={'cpu': '7'}), pool(term(situations.TYPE, 'm6i.xlarge'), name='second')]
    text = json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [situations.NODE_CLASS, *pools, full, pod('x-0', 'f1', cpu='3'), pod('y-0', cpu='3')]})
    said = ' '.join(run('explain', 'pod', 'shop/y-0', '-f', '-', *REGION, text=text)[0].split())
    check('limit cpu 7 leaves too little for a node that takes them, so that' in said and 'in use cpu 4 too little of it is left' in said, said)
    host = situations.spread('web', situations.HOST)
    both = [large, node('n1'), node('n2'), *(pod(f'web-{i}', on, topologySpreadConstraints=host) for i, on in enumerate(('n1', 'n2', 'n1')))]
    said = told_of('apart', 'explain', 'pod', 'shop/web-2', objects=both)
    check('shares the node with shop/web-0, which its topology spread' in said and 'only a required pod anti-affinity keeps them apart' in said, said)
    static = [pool(term(situations.TYPE, 'm6i.large'), name='gw', replicas=2), pod('gw-0')]
    notes = asked('plan', objects=static)['warnings']
    check(any('pending pods do not make it larger' in n for n in notes), notes)
    said = ask(('explain', 'node', 'n0'), '16-timer-never-runs-out')[1]
    check('unless a pod comes or goes before, which starts consolidateAfter again' in said, said)
    never = node('n1')
    why = asked('explain', 'node', 'n1', objects=[pool(disruption={'consolidateAfter': 'Never'}), never, situations.claim(never)])['blockers']
    equal([(b['code'], b['detail']) for b in why], [('CONSOLIDATION_DISABLED', 'consolidateAfter is Never: NodePool std')], 'one cause, once')


def threads():
    """Kinds of further threads: what keeps pods apart, what is too little or too large, and budgets that end with their schedules."""
    large = pool(term(situations.TYPE, 'm6i.large', 'm6i.xlarge'))
    alone = [large, pod('web-0', affinity=constraint('podAntiAffinity', {'app': 'web'}))]
    check('required pod anti-affinity' in told_of('apart', 'explain', 'pod', 'shop/web-0', objects=alone), 'a node for each pod')
    spread = situations.spread('web', situations.HOST)
    check('topology spread' in told_of('apart', 'explain', 'pod', 'shop/web-0', objects=[large, pod('web-0', topologySpreadConstraints=spread)]), 'by nodes')
    edge = pod('edge-0')
    edge['spec']['containers'][0]['ports'] = [{'containerPort': 80, 'hostPort': 8080}]
    check('host port 8080' in told_of('apart', 'explain', 'pod', 'shop/edge-0', objects=[large, edge]), 'a host port')
    more = pod('edge-1')
    more['spec'] = edge['spec']
    launches = asked('plan', objects=[large, edge, more])['launches']
    equal(['host port 8080' in x.get('apart', '') for x in launches], [True, True], 'plan names it, too')
    check('apart' not in asked('plan', objects=[large, edge])['launches'][0], 'one such pod')
    equal(told_of('apart', 'explain', 'pod', 'shop/web-0', objects=[large, pod('web-0')]), '', 'nothing keeps it apart')
    full = [large, node('n1'), pod('fill-0', 'n1', memory='6Gi'), pod('new-0', cpu='100m', memory='2Gi')]
    check('not enough free memory (n1)' in told_of('existingNodes', 'explain', 'pod', 'shop/new-0', objects=full), 'which resource')
    check('at most 14162Mi memory' in told_of('type', 'explain', 'pod', 'shop/big-0', objects=[large, pod('big-0', memory='20Gi')]), 'the largest type')
    gpu = pod('gpu-0')
    gpu['spec']['containers'][0]['resources'] = {'limits': {'nvidia.com/gpu': 1}}
    check('no type of NodePool std has nvidia.com/gpu' in told_of('type', 'explain', 'pod', 'shop/gpu-0', objects=[large, gpu]), 'no GPU')
    bound = pool(term('karpenter.k8s.aws/instance-family', 'm6id'), term('karpenter.k8s.aws/instance-cpu', '40', how='Gt'))
    said = told_of('type', 'explain', 'pod', 'shop/web-0', objects=[bound, pod('web-0')])
    check('m6id.12xlarge is the cheapest' in said and 'the next cheaper one' not in said, f'a bound in the requirements: {said}')
    label = asked('explain', 'pod', 'shop/web-0', objects=[large, pod('web-0', nodeSelector={'example.com/team': 'red'})])
    equal([r['kind'] for r in label['remedies']], ['ADD_LABEL', 'DROP_SELECTOR'], 'the label first')
    gone = asked('explain', 'pod', 'shop/web-0', objects=[large, situations.STORAGE, pod('web-0', volume='lost')])
    equal(gone['causes'] if 'causes' in gone else [], [], 'no cause of a placement that there is not')
    held = node('n1', kind='m6i.xlarge')
    both = [pool(term(situations.TYPE, 'm6i.large', 'm6i.xlarge'), disruption={'consolidateAfter': '0s'}), held,
            situations.claim(held, Consolidatable='True'), pod('a-0', 'n1', cpu='1500m'), pod('b-0', 'n1', cpu='1500m')]
    detail = asked('explain', 'node', 'n1', objects=both)['blockers'][0]['detail']
    check('m6i.large, lacks cpu (3000m requested, 1930m there); a node is replaced by at most one' in detail, detail)
    late = {'nodes': '0', 'schedule': '0 9 * * mon-fri', 'duration': '8h'}
    found = asked('lint', objects=[pool(disruption={'budgets': [late]})])['findings']
    check([f for f in found if f['rule'] == 'budget-reason-unlimited' and 'outside the schedules' in f['text']], found)
    found = asked('lint', objects=[pool(disruption={'budgets': [{'nodes': '10%'}, {**late, 'schedule': '0 0 * * sat-sun'}]})])['findings']
    check([f for f in found if f['rule'] == 'budget-never-active' and 'SAT,SUN' in f['remedy']], found)
    left_over(large)
    gated = pod('gate-0', schedulingGates=[{'name': 'example.com/wait'}])
    _, error = run('explain', 'pod', 'shop/gate-0', '-f', '-', *REGION, text=json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [situations.NODE_CLASS, large, gated]}), status=1)
    check('gates are removed (example.com/wait)' in error, error)


def launched(told):
    return sorted((i['choice']['instanceType'], len(i['pods'])) for i in told['launches'])


def replaced_pools():
    """A NodePool that is replaced: how many nodes drift, how many at a time, what it costs after; and the next pass."""
    given = ('--replace', FOLDER / '20b-pool-after.yaml')
    for verb in (('disrupt',), ('plan', '--settle'), ('explain', 'node', 'n1')):
        said = ask(verb, '20-new-requirement-drift', *given)[1]
        check('Drift: 3 nodes drift, 1 at a time by budget' in said and '$0.576/h after' in said, said)
    said = ask(('explain', 'node', 'n1'), '20-new-requirement-drift', *given)[1]
    check('is drifted' in said and 'RequirementsDrifted' in said, said)
    settled = json.loads(run('plan', '--settle', '-f', FOLDER / '20-new-requirement-drift.yaml', *REGION, *given, '-o', 'json')[0])
    check('m6i.xlarge' in json.dumps(settled), settled)
    large = pool(term(situations.TYPE, 'm6i.large'), disruption={'consolidateAfter': 'Never', 'budgets': [{'nodes': '100%'}]})
    nodes = [node(f'n{i}') for i in range(3)]
    objects = [large, *nodes, *(situations.claim(n, Drifted='True') for n in nodes), *(pod(f'w-{i}', f'n{i}', cpu='1500m') for i in range(3))]
    text = json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [situations.NODE_CLASS, *objects]})
    said = ' '.join(run('explain', 'node', 'n2', '-f', '-', *REGION, text=text)[0].split())
    check('in a later pass, while the budgets allow one more node' in said and '3 nodes drift, all at once' in said, said)
    rounds = run('plan', '--settle', '-f', '-', *REGION, text=text)[0]
    check(all(f'+0s $0.288/h Drift: remove n{i}' in ' '.join(rounds.split()) for i in range(3)), rounds)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'nodes.json').write_text(text)
        story = pathlib.Path(folder, 'story.yaml')
        story.write_text('apiVersion: karp/v1\nkind: Story\nfiles: [nodes.json]\nsteps:\n- wait: 5m\n')
        told = run('simulate', story, *REGION)[0]
        check([f'n{i} deleted' in told for i in range(3)] == [True] * 3, told)


def rest_of_reports():
    """What a person would act on, of the reports in which the decision was not in doubt."""
    told, _ = ask('plan', '09-heavy-daemonset-small-nodes', '--scale', 'worker=16')
    equal(launched(told), [('c6i.4xlarge', 16)], 'one node, and one heavy DaemonSet pod')
    found, _ = causes('09-heavy-daemonset-small-nodes', 'shop/worker-0')
    check('kube-system/agent (cpu 1, memory 512Mi)' in found['daemonSets'], found)
    slices = [pool(term('karpenter.k8s.aws/instance-family', 'g6')), *(pod(f'g-{i}') for i in range(4))]
    for p in slices[1:]:
        p['spec']['containers'][0]['resources'] = {'limits': {'nvidia.com/gpu': 1}}
    text = (FOLDER / '11b-overlay-for-slices.yaml').read_text() + '\n---\n' + json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [situations.NODE_CLASS, *slices]})
    for gate, kind in (('false', 'g6.12xlarge'), ('true', 'g6.xlarge')):
        told = json.loads(run('plan', '-f', '-', *REGION, '-o', 'json', '--feature-gates', f'NodeOverlay={gate}', text=text)[0])
        equal(launched(told), [(kind, 4)], f'GPUs in slices: {gate}')
        equal(any('slices: not used, as the feature gate NodeOverlay is off' in w for w in told['warnings']) if 'warnings' in told else False,
              gate == 'false', told.get('warnings'))
    found, said = causes('24-hugepages', 'shop/dpdk-0')
    check('no type of NodePool std has hugepages-2Mi' in found['type'] and '--feature-gates NodeOverlay=true' in said, said)
    check('works: switch on the feature gate NodeOverlay -> m6i.2xlarge' in said and 'or: do not request hugepages-2Mi' in said, said)
    _, said = ask(('explain', 'pod', 'shop/dpdk-0'), '24-hugepages', '--preferences', 'ignore')
    check('works: switch on the feature gate NodeOverlay -> m6i.2xlarge' in said, said)
    told, _ = ask('plan', '24-hugepages', '--feature-gates', 'NodeOverlay=true')
    equal(launched(told), [('m6i.2xlarge', 1)], 'with the overlay')
    told, _ = ask('disrupt', '21-pending-pod-elsewhere')
    equal([c['nodes'] for c in told['commands']], [['n0']], 'a pod that fits nowhere does not keep nodes')
    told, said = ask(('explain', 'node', 'n0'), '23-one-replica-pdb')
    check('is drifted (NodeClassDrift), but stays' in said and 'pdb shop/pg-primary allows 0 disruptions (shop/pg-1)' in said, said)
    lint('23-one-replica-pdb', 'pdb-never-allows', 'covers all of them', 'run one more')
    told, _ = ask('plan', '29-rolling-update-spread')
    equal([(r['node'], len(r['pods'])) for r in told['placements']], [('na', 1), ('nb', 1), ('nc', 1)], 'a new pod for each zone')
    told, _ = ask('plan', '40-spot-on-demand-split')
    equal({k: sum(len(i['pods']) for i in told['launches'] if i['choice']['capacityType'] == k) for k in ('spot', 'on-demand')}, {'spot': 8, 'on-demand': 2}, 'a split by a label')
    told, said = ask('plan', '28b-limitrange-for-pods')
    check('LimitRange shop/defaults gives containers the requests that they do not state' in said and '(Deployment bare: cpu 500m, memory 256Mi)' in said, said)
    equal(launched(told), [('m6i.2xlarge', 15), ('m6i.xlarge', 5)], 'what LimitRange gives pods of a template')
    told, _ = ask('plan', '28c-daemon-pod-with-defaults')
    equal(launched(told), [('m6i.4xlarge', 1)], 'what LimitRange gave the pod of a DaemonSet')


def other_clouds():
    """The class of the NodePools says which cloud is meant; the plan says which it took, its region and the date of its prices."""
    for name, cloud, wanted, date in (('26-azure-spot-os-disk', 'azure eastus', 'Standard_D4ds_v4', '2026-08'), ('45-gcp-without-provider', 'gcp us-central1', 'e2-highcpu-4', '2026-08-06')):
        document, _ = run('plan', '-f', FOLDER / f'{name}.yaml', '-o', 'json')
        text = ' '.join(run('plan', '-f', FOLDER / f'{name}.yaml')[0].split())
        equal(launched(json.loads(document)), [(wanted, 2)], name)
        check(f'catalogue {cloud}, prices {date}' in text and 'EC2NodeClass' not in text, text)
    for verb in (('plan',), ('disrupt',), ('plan', '--settle'), ('plan', '--objective', 'cost'), ('repack',), ('nodes',), ('top',), ('blockers',)):
        for name in ('10-two-pools-small-first', '26-azure-spot-os-disk', '45-gcp-without-provider'):
            text = ' '.join(run(*verb, '-f', FOLDER / f'{name}.yaml')[0].split('\n')[:3])
            check(re.search(r'catalogue (aws us-west-2|azure eastus|gcp us-central1), prices 20\d\d-\d\d', text), f'{verb} {name}: {text}')
    wrong = ' '.join(run('plan', '-f', FOLDER / '26-azure-spot-os-disk.yaml', '--provider', 'aws')[0].split())
    check('nodeClassRef is of kind AKSNodeClass, not EC2NodeClass' in wrong, wrong)


def headings_of_designs():
    """Names of designs that are longer than their columns do not run into each other."""
    with tempfile.TemporaryDirectory() as folder:
        names = [f'{letter}-design-with-quite-a-long-name.yaml' for letter in 'ab']
        for name in names:
            pathlib.Path(folder, name).write_text((FOLDER / '20b-pool-after.yaml').read_text())
        out = run('whatif', '-f', FOLDER / '34-soft-anti-affinity.yaml', *REGION, *(w for n in names for w in ('--design', f'{folder}/{n}')))[0].split('\n')
    at = next(i for i, line in enumerate(out) if line.strip() == 'as it is')
    equal([line.strip() for line in out[at:at + 3]], ['as it is', *names], 'a line for each')
    ends = [i + 1 for i, c in enumerate(out[at + 3]) if c != ' ' and (i + 1 == len(out[at + 3]) or out[at + 3][i + 1:i + 2] == ' ')][-3:]
    equal([len(line) for line in out[at:at + 3]], ends, 'at the ends of their columns')


headings_of_designs()
limit_of_nodes()
replaced_pools()
rest_of_reports()
other_clouds()
threads()
unavailable()
refused_pods()
preferences()
preferences_elsewhere()
placed_pods()
running_pods()
rules_of_consolidation()
rules_of_lint()
check('A preference is given up only for a pod that cannot be placed with it' in ask('plan', '13-prefers-new-generation')[1], 'when it is given up')
sys.exit(finish())
