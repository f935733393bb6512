# SPDX-License-Identifier: Apache-2.0
"""A node that stays: which budget, nodes, pods and events cause it, and when that ends."""
import sys

from situations import CAPACITY, HOST, TYPE, ZONE, affinity, asked, claim, node, pod, pool, spread, term
from stories import check, equal, finish

NOW = ['--now', '2026-01-01T12:00:00Z']
FREELY = {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}


def nodes(*names, **more):
    return [node(n, kind='m6i.xlarge', **more) for n in names]


def explained(name, *objects, more=()):
    told = asked('explain', 'node', name, *NOW, *more, objects=objects)
    return told, asked('explain', 'node', name, *NOW, *more, objects=objects, output='text')


def codes(told):
    return [b['code'] for b in told['blockers']]


def used_by_unready_node():
    """A node that is not ready uses up the budget."""
    ready = nodes('a', 'b', 'c')
    ready[2]['status']['conditions'][0]['status'] = 'False'
    cluster = [pool(disruption={'consolidateAfter': '0s', 'budgets': [{'nodes': '1'}]}), *ready,
               *(claim(n, Consolidatable='True') for n in ready), *(pod(f'web-{n}', n) for n in 'abc')]
    told, said = explained('a', *cluster)
    equal(codes(told), ['BUDGET'], 'the budget')
    check('budgets[0] allows 1 of 3 nodes' in told['blockers'][0]['detail'] and 'c is not ready' in told['blockers'][0]['detail'], told)
    plan = asked('disrupt', *NOW, objects=cluster)
    equal(plan['budgetUse'], {'std': {'budget': 0, 'allowed': 1, 'nodes': 3, 'busy': [{'node': 'c', 'code': 'NOT_READY'}]}}, 'what uses it')
    check('c (not ready)' in asked('disrupt', *NOW, objects=cluster, output='text'), said)


def used_by_stuck_drain():
    """A node that is being deleted, whose pods may not be disrupted: its drain has no end, and it uses up the budget."""
    both = nodes('old', 'new')
    gone = claim(both[0], Consolidatable='True')
    gone['metadata'].update(deletionTimestamp='2026-01-01T11:00:00Z', finalizers=['karpenter.sh/termination'])
    cluster = [pool(disruption={'consolidateAfter': '0s', 'budgets': [{'nodes': '1'}]}), *both, gone, claim(both[1], Consolidatable='True'),
               pod('ci-0', 'old', annotations={'karpenter.sh/do-not-disrupt': 'true'}), pod('web-0', 'new')]
    told, _ = explained('new', *cluster)
    detail = told['blockers'][0]['detail']
    check('old is being deleted' in detail and 'shop/ci-0' in detail and 'without an end' in detail, detail)
    gone['spec']['terminationGracePeriod'] = '2h'
    told, said = explained('old', *cluster)
    equal((codes(told), told['blockers'][0].get('until')), (['DELETING'], '2026-01-01T13:00:00Z'), 'the end of the drain')
    check('has not left yet' in said and 'at the latest from 2026-01-01T13:00:00Z on: pods that are left are deleted before' in said and 'If it could' not in said, said)


def timer():
    """consolidateAfter counts from the last pod that came or went."""
    one, = nodes('a')
    own = claim(one)
    own['status']['lastPodEventTime'] = '2026-01-01T11:50:00Z'
    job = pod('tick-0', 'a', owner='Job')
    job['metadata']['creationTimestamp'] = '2026-01-01T11:50:00Z'
    told, said = explained('a', pool(disruption={'consolidateAfter': '1h', 'budgets': [{'nodes': '100%'}]}), one, own, job)
    detail = told['blockers'][0]['detail']
    check('11:50:00' in detail and 'shop/tick-0' in detail and 'consolidateAfter 1h' in detail, detail)
    equal(told['blockers'][0]['until'], '2026-01-01T12:50:00Z', 'when it ends')
    check('Eligible: from 2026-01-01T12:50:00Z' in said, said)


def drifted():
    """A drifted node has the reason of drift, also in a static NodePool."""
    one, = nodes('a')
    own = claim(one, Drifted='True', Consolidatable='True')
    own['status']['conditions'][-2]['reason'] = 'NodePoolDrifted'
    never = [{'nodes': '0', 'reasons': ['Drifted']}]
    told, said = explained('a', pool(term(TYPE, 'm6i.xlarge'), disruption={'consolidateAfter': '0s', 'budgets': never}), one, own, pod('web-0', 'a', cpu='3000m'))
    equal((told['drift'], told['blockers'][0]['code'], told['blockers'][0]['method']), ('NodePoolDrifted', 'BUDGET', 'Drift'), told)
    check('budgets[0] allows 0 of 1 node for Drifted, always' in told['blockers'][0]['detail'], told)
    check('is drifted (NodePoolDrifted)' in said and 'never' in said, said)
    for schedule, duration, wanted in (('0 9 * * *', '8h', "budgets[0] allows 0 of 1 node for Drifted, schedule '0 9 * * *' for 8h, until 2026-01-01T17:00:00Z"),
                                       ('0 0 * * sat-sun', '24h', "budgets[0] allows 0 of 1 node for Drifted, schedule '0 0 * * sat-sun' for 24h, as it cannot be read")):
        closed = [{'nodes': '0', 'schedule': schedule, 'duration': duration}]
        told, _ = explained('a', pool(term(TYPE, 'm6i.xlarge'), disruption={'consolidateAfter': '0s', 'budgets': closed}), one, own, pod('web-0', 'a', cpu='3000m'))
        check(told['blockers'][0]['detail'].endswith(wanted), told['blockers'][0])
    fixed = pool(disruption={'budgets': [{'nodes': '100%'}]}, replicas=1, limits={'nodes': '1'})
    told, said = explained('a', fixed, one, own, pod('web-0', 'a'), more=['--feature-gates', 'StaticCapacity=true'])
    equal([(b['code'], b['method']) for b in told['blockers']], [('STATIC_LIMIT', 'StaticDrift')], 'the limit of a static pool')


def protected_pods():
    """terminationGracePeriod does not let consolidation disrupt protected pods."""
    one, = nodes('a')
    own = claim(one, Consolidatable='True')
    own['spec']['terminationGracePeriod'] = '1h'
    told, _ = explained('a', pool(disruption=FREELY), one, own, pod('keep-0', 'a', annotations={'karpenter.sh/do-not-disrupt': 'true'}))
    check('terminationGracePeriod' in told['blockers'][0]['detail'], told)


def few_spot_types():
    """How many cheaper spot types there are, and what limits them."""
    one, = nodes('a', labels={CAPACITY: 'spot'})
    types = term(TYPE, 'm6i.large', 'm6i.xlarge', 'm6i.2xlarge', 'c6i.large')
    told, _ = explained('a', pool(term(CAPACITY, 'spot'), types, disruption=FREELY), one, claim(one, Consolidatable='True'),
                        pod('web-0', 'a'), more=['--feature-gates', 'SpotToSpotConsolidation=true'])
    row, = told['blockers']
    equal((row['code'], row['found']), ('SPOT_TO_SPOT_TOO_FEW_TYPES', 2), 'cheaper types')
    check(f'{TYPE} (4 values)' in row['detail'], row)


def two_nodes():
    """The nodes that would be needed, their NodePools and weights."""
    one, = nodes('a', of='large')
    small = pool(term(TYPE, 'm6i.large'), name='small', weight=50)
    large = pool(term(TYPE, 'm6i.xlarge'), name='large', weight=10, disruption=FREELY)
    cluster = [small, large, one, claim(one, Consolidatable='True'), pod('big-0', 'a', cpu='1900m'), pod('web-0', 'a', cpu='1800m')]
    told, _ = explained('a', *cluster)
    row = next(b for b in told['blockers'] if b['code'] == 'SEVERAL_NODES_NEEDED')
    equal(row['found'], 2, 'two nodes')
    check('2, both m6i.large of NodePool small (weight 50)' in row['detail'], row)


def no_place_elsewhere():
    """Why the pod that fits nowhere else does not: what topology says of it, or what refuses a new node."""
    small = pool(term(TYPE, 'm6i.large'), disruption=FREELY, limits={'cpu': '2'})
    here, there = node('a'), node('b')
    told, _ = explained('a', small, here, claim(here, Consolidatable='True'), there, pod('w-0', 'a', cpu='1500m'), pod('w-1', 'b', cpu='1500m'))
    detail = told['blockers'][0]['detail']
    check(codes(told)[0] == 'PODS_WOULD_NOT_SCHEDULE' and 'shop/w-0: NodePool std: ' in detail and 'exceed limits' in detail, detail)
    edge = node('edge', labels={ZONE: ''})
    edge['status']['allocatable'] = {'cpu': '100m', 'memory': '500Mi', 'pods': '20'}
    del edge['metadata']['labels']['karpenter.sh/nodepool']
    rule = spread('cart')
    told, _ = explained('a', pool(term(TYPE, 'm6i.large'), disruption=FREELY), here, claim(here, Consolidatable='True'), edge,
                        *(pod(f'cart-{i}', 'a', cpu='500m', topologySpreadConstraints=rule) for i in range(2)))
    detail = told['blockers'][0]['detail']
    check('shop/cart-' in detail and ZONE in detail and 'node edge' in detail, detail)


def kept_preferences():
    """Preferences count in disruption as well: the reason names the one that keeps the pods off other nodes, and the setting."""
    two = nodes('a', 'b')
    free = pool(term(TYPE, 'm6i.xlarge'), disruption=FREELY)
    soft = spread('web', HOST, 'ScheduleAnyway')
    anti = {'podAntiAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [
        {'weight': 1, 'podAffinityTerm': affinity('podAntiAffinity', {'app': 'web'}, HOST)['podAntiAffinity']['requiredDuringSchedulingIgnoredDuringExecution'][0]}]}}
    for more, kind, word in (({'topologySpreadConstraints': soft}, 'NO_CHEAPER_NODE', 'topology spread (ScheduleAnyway)'), ({'affinity': anti}, 'NO_CHEAPER_NODE', 'pod anti-affinity'),
                             ({'affinity': anti, 'beside': 1}, 'SEVERAL_NODES_NEEDED', 'pod anti-affinity')):
        more = dict(more)
        beside = [pod('web-2', 'a', cpu='300m', **{k: v for k, v in more.items() if k != 'beside'})] if more.pop('beside', 0) else []
        cluster = [free, *two, *(claim(n, Consolidatable='True') for n in two), *(pod(f'web-{i}', 'ab'[i], cpu='300m', **more) for i in range(2)), *beside]
        told, _ = explained('a', *cluster)
        row = told['blockers'][0]
        check(row['code'] == kind and f'shop/web-0 prefers a {word} by {HOST}' in row['detail'], row)
        equal([(r['text'], r.get('instanceType')) for r in told['remedies']], [('ignore preferences of pods (PREFERENCE_POLICY=Ignore)', None)], word)
        equal([len(asked('disrupt', *NOW, *w, objects=cluster)['commands']) for w in ((), ('--preferences', 'ignore'))], [0, 1], 'so it does')
    hard = [pod(f'web-{i}', 'ab'[i], cpu='300m', topologySpreadConstraints=spread('web', HOST)) for i in range(2)]
    told, _ = explained('a', free, *two, *(claim(n, Consolidatable='True') for n in two), *hard)
    check('prefers' not in told['blockers'][0]['detail'] and 'ignore preferences' not in str(told['remedies']), told)


def leaving_nodes():
    """A node that is being deleted has that reason alone, whatever else the pass takes."""
    old, new = node('old'), node('new')
    held = claim(old)
    for o in (old, held):
        o['metadata']['deletionTimestamp'] = '2026-01-01T06:00:00Z'
    told, said = explained('old', pool(disruption=FREELY), old, held, new, claim(new, Consolidatable='True'),
                           pod('keep-0', 'old', annotations={'karpenter.sh/do-not-disrupt': 'true'}))
    equal((codes(told), 'budgets allow' in said, 'another command' in said), (['DELETING'], False, False), said)


def turns():
    """Drifted nodes that only wait for others: until when, by the budgets, and that no budget applies."""
    large = term(TYPE, 'm6i.large')
    few = [node(f'n{i}') for i in range(3)]
    for budgets, wanted in (([{'nodes': '1'}], 'when the command that came first is done, as the budgets allow no more nodes at a time'),
                            ([{'nodes': '2'}], 'in a later pass, while the budgets allow one more node'),
                            ([{'nodes': '1', 'reasons': ['Empty']}], 'No disruption budget of NodePool std applies to drift now')):
        kept = pool(large, disruption={'consolidateAfter': 'Never', 'budgets': budgets})
        told, said = explained('n1', kept, *few, *(claim(n, Drifted='True') for n in few), *(pod(f'w-{i}', f'n{i}', cpu='1500m') for i in range(3)))
        check('NOT_REACHED_IN_PASS' in said and 'CONSOLIDATION' not in said, 'consolidation does not matter')
        check('n1 is drifted and waits for its turn' in said and wanted in said, said)
    # Shortening consolidateAfter of the NodePool lets its other nodes take pods, too.
    pair = nodes('a', 'b')
    slow = pool(term(TYPE, 'm6i.large', 'm6i.xlarge'), disruption={'consolidateAfter': '1h', 'budgets': [{'nodes': '100%'}]})
    fresh = [claim(n, Consolidatable='False') for n in pair]
    for c in fresh:
        c['status']['lastPodEventTime'] = '2026-01-01T11:50:00Z'
    told, _ = explained('a', slow, *pair, *fresh, pod('w-0', 'a'), pod('w-1', 'b'))
    equal([(r['code'], r.get('instanceType'), r['savings']) for r in told['remedies']], [('NOT_CONSOLIDATABLE', None, told['bestRejectedMove']['savings'])], 'as the move says')


def ending_pods():
    """do-not-disrupt of a pod that is being deleted holds no node, which surprises."""
    one = node('a')
    last = pod('job-0', 'a', annotations={'karpenter.sh/do-not-disrupt': 'true'})
    free = pool(disruption=FREELY)
    words = 'shop/job-0 is being deleted: karpenter.sh/do-not-disrupt of such a pod no longer holds the node'
    check(words not in explained('a', free, one, claim(one, Consolidatable='True'), last)[1], 'it runs')
    last['metadata'].update(deletionTimestamp='2026-01-01T18:00:00Z', deletionGracePeriodSeconds=21600)
    said = explained('a', free, one, claim(one, Consolidatable='True'), last)[1]
    check('a is removed.' in said and words in said, said)


no_place_elsewhere()
kept_preferences()
leaving_nodes()
turns()
ending_pods()
used_by_unready_node()
used_by_stuck_drain()
timer()
drifted()
protected_pods()
few_spot_types()
two_nodes()
sys.exit(finish())
