# SPDX-License-Identifier: Apache-2.0
"""An answer names what a person would act on: limits that bind, why a node drifts, what a node that leaves waits for, a budget without the reason, a plan that a pass contradicts."""
import json
import pathlib
import tempfile

from situations import CAPACITY, NODE_CLASS, STORAGE, TYPE, ZONE, asked, claim, node, pod, pool, spread, term, volume
from stories import check, equal, finish, run

NOW = ('--now', '2026-01-01T12:00:00Z')
LARGE, SIZES = term(TYPE, 'm6i.large'), term(TYPE, 'm6i.large', 'm6i.xlarge')
FREE = {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}


def limits_that_bind():
    """A limit with room for another node is no reason; if only all of them together are, each is named."""
    def full(**limits):
        nodes = [node(f'n{i}') for i in range(4)]
        return [pool(SIZES, limits=limits), *nodes, *(claim(n) for n in nodes), *(pod(f'web-{i}', f'n{i}', cpu='1500m') for i in range(4)), pod('new-0', cpu='1500m')]
    for limits, named in (({'cpu': '8', 'memory': '128Gi'}, 'cpu'), ({'cpu': '80', 'memory': '32Gi'}, 'memory'), ({'cpu': '8', 'memory': '32Gi'}, 'cpu, memory')):
        told = asked('explain', 'pod', 'shop/new-0', objects=full(**limits))
        equal([p['detail'] for p in told['unschedulable']['pools']], [f'all available instance types exceed limits for nodepool ({named})'], limits)
        cause = ' '.join(c['text'] for c in told['causes'] if c['kind'] == 'limits')
        equal([word for word in ('cpu: limit', 'memory: limit') if word in cause], [f'{word}: limit' for word in named.split(', ')], cause)


def offerings_that_are_gone():
    """Types that are large enough, but are not offered where the volume is, are not too small."""
    here = [pool(SIZES), STORAGE, volume('data', 'us-west-2c'), pod('db-0', volume='data')]
    said = asked('whatif', '--lose-zone', 'us-west-2c', objects=here, output='text')
    check('no instance type that is large enough has an offering' in said and 'and none has an offering' not in said, said)


def drifted_nodes():
    one = node('n1')
    for reason, means in (('AMIDrift', 'a budget of 0 nodes with the reason Drifted holds the nodes'), ('SecurityGroupDrift', 'something else attaches groups to instances'),
                          ('NodePoolDrifted', 'the template of its NodePool has changed'), ('Custom', None)):
        its = claim(one, Drifted='True')
        its['status']['conditions'][-1]['reason'] = reason
        for extra in ([], [pod('web-0', 'n1', annotations={'karpenter.sh/do-not-disrupt': 'true'})]):
            notes = asked('explain', 'node', 'n1', *NOW, objects=[pool(SIZES, disruption=FREE), one, its, *extra]).get('warnings', [])
            equal(any(n.startswith(f'{reason}: ') and means in n for n in notes) if means else not any('Custom' in n for n in notes), True, (reason, notes))


def leaving_node():
    """A node without pods that has not gone waits for its volumes."""
    one = node('n1')
    its = claim(one)
    its['metadata']['deletionTimestamp'] = '2026-01-01T09:00:00Z'

    def attached(number, on):
        return {'apiVersion': 'storage.k8s.io/v1', 'kind': 'VolumeAttachment', 'metadata': {'name': f'csi-{number}'},
                'spec': {'attacher': 'ebs.csi.aws.com', 'nodeName': on, 'source': {'persistentVolumeName': f'pv-{number}'}}, 'status': {'attached': True}}
    there = [pool(SIZES), one, its, attached(1, 'n1'), attached(2, 'n1'), attached(3, 'n2')]
    said = asked('explain', 'node', 'n1', *NOW, objects=there, output='text')
    check('It goes when its pods have left and its volumes are detached.' in said, said)
    check('volume pv-1 and 1 more is still attached to it' in said and 'nothing ends the wait, as the NodeClaim has no terminationGracePeriod' in said and 'no effect' not in said, said)
    its['spec']['terminationGracePeriod'] = '1h'
    check('or after its terminationGracePeriod of 1h' in asked('explain', 'node', 'n1', *NOW, objects=there, output='text'), 'an end')
    del its['metadata']['deletionTimestamp']
    equal([w for w in asked('plan', *NOW, objects=there).get('warnings', []) if 'ttach' in w], [], 'a node that stays waits for nothing')


def reasons_of_budgets():
    """A node goes although a budget allows none: it is for other reasons."""
    none = [{'nodes': '0', 'reasons': ['Drifted', 'Underutilized']}]
    one = node('n1')
    said = asked('explain', 'node', 'n1', *NOW, objects=[pool(LARGE, disruption={**FREE, 'budgets': none}), one, claim(one, Consolidatable='True')], output='text')
    check('n1 is removed.' in said and 'no disruption budget of std limits Empty: its budgets are for other reasons' in said, said)
    said = asked('explain', 'node', 'n1', *NOW, objects=[pool(LARGE, disruption=FREE), one, claim(one, Consolidatable='True')], output='text')
    check('no disruption budget' not in said, said)


def only_empty_nodes():
    """A pool that consolidates empty nodes only: that the pods would fit on no cheaper node does not matter."""
    one = node('n1')
    policy = {'consolidationPolicy': 'WhenEmpty', 'consolidateAfter': '30s'}
    said = asked('explain', 'node', 'n1', *NOW, objects=[pool(LARGE, disruption=policy), one, claim(one, Consolidatable='True'), pod('typha-0', 'n1')], output='text')
    check('Eligible: when its pods are gone' in said and 'and when its pods fit' not in said, said)


def nominated_nodes():
    """A pass that removes a node to which a plan gives a pending pod says so; karp plan --disrupt keeps it."""
    idle, busy = node('idle'), node('busy')
    there = [pool(LARGE, disruption=FREE), idle, claim(idle, Consolidatable='True'), busy, claim(busy, Consolidatable='True'), pod('run-0', 'busy', cpu='1800m')]
    means = 'provisioning gives pending pod shop/new-0 to idle: then Karpenter nominates the node, and does not disrupt it for 20 s'
    for words in (('disrupt',), ('explain', 'node', 'idle')):
        told = asked(*words, *NOW, objects=[*there, pod('new-0')])
        check(any(w.startswith(means) for w in told.get('warnings', [])), (words, told.get('warnings')))
        for other in ([], [pod('new-0', nodeSelector={'team': 'x'})]):
            told = asked(*words, *NOW, objects=[*there, *other])
            equal([w for w in told.get('warnings', []) if 'nominates' in w], [], 'no pod goes there')
    both = asked('plan', '--disrupt', *NOW, objects=[*there, pod('new-0')])
    equal([k['code'] for k in both['kept'] if k['node'] == 'idle'], ['NOMINATED'], both['kept'])


def what_is_unavailable():
    """Capacity that is short is an option where people ask why."""
    here = [pool(SIZES), pod('web-0')]
    told = asked('explain', 'pod', 'shop/web-0', '--unavailable', 'm6i.large', objects=here)
    equal(told['launch']['choice']['instanceType'], 'm6i.xlarge', 'the next one')
    check(any('the only available type that the requirements allow' in c['text'] for c in told['causes']), told['causes'])
    check('as if nothing could be launched of m6i.large' in told['warnings'], told['warnings'])
    zones = asked('explain', 'pod', 'shop/web-0', '--unavailable', 'm6i.large/us-west-2a', '--unavailable', '*/us-west-2b/on-demand', objects=here)
    equal((zones['launch']['choice']['instanceType'], zones['launch']['choice']['zone']), ('m6i.large', 'us-west-2c'), zones['launch'])
    spot = pool(SIZES, term(CAPACITY, 'spot', 'on-demand'), disruption=FREE)
    one = node('n1', labels={CAPACITY: 'spot'})
    its = claim(one, Drifted='True')
    told = asked('disrupt', *NOW, '--unavailable', '*/*/spot', objects=[spot, one, its, pod('web-0', 'n1')])
    equal([r['choice']['capacityType'] for c in told['commands'] for r in c['replacements']], ['on-demand'], told['commands'])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'cluster.json'
        path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [NODE_CLASS, *here]}))
        for word, means in (('m6i.lage', 'did you mean m6i.large?'), ('m6i.large/us-west-9z', 'no instance type has the offering'), ('a/b/c/d', 'expected TYPE[/ZONE[/CAPACITY]]')):
            said = run('explain', 'pod', 'shop/web-0', path, '--unavailable', word, status=1)[1]
            check(means in said, said)


def volumes_choose():
    """Where a volume is decides the zone of its pod: no spread chooses it, and a type is not too small."""
    constraint = spread('es', minDomains=2)
    there = [pool(SIZES, term(ZONE, 'us-west-2a', 'us-west-2b')), STORAGE, node('na'), pod('es-0', 'na', cpu='1500m', topologySpreadConstraints=constraint),
             volume('d1', 'us-west-2b'), pod('es-1', cpu='1500m', volume='d1', topologySpreadConstraints=constraint)]
    causes = asked('explain', 'pod', 'shop/es-1', objects=there)['causes']
    check(any(c['kind'] == 'volumes' and c['text'] == 'claim shop/d1 has its volume in us-west-2b, and the pod can run nowhere else' for c in causes), causes)
    equal([c for c in causes if c['kind'] == 'topology'], [], 'the volume chooses')
    free = [*there[:-2], pod('es-1', cpu='1500m', topologySpreadConstraints=constraint)]
    check(any(c['kind'] == 'topology' and ' chooses us-west-2b' in c['text'] for c in asked('explain', 'pod', 'shop/es-1', objects=free)['causes']), 'without one the spread does')
    lost = asked('whatif', '--lose-zone', 'us-west-2c', objects=[pool(SIZES), STORAGE, volume('data', 'us-west-2c'), pod('db-0', volume='data')])
    detail = lost['unschedulable'][0]['pools'][0]['detail']
    check('none is offered with topology.kubernetes.io/zone In [us-west-2c], where its volumes are' in detail, detail)


def skews():
    """maxSkew bounds a difference: nothing bounds the number on a node."""
    for skew, means in ((1, 'two such pods may share one'), (2, 'only a required pod anti-affinity bounds it, to one')):
        pods = [pod(f'web-{i}', cpu='300m', topologySpreadConstraints=spread('web', 'kubernetes.io/hostname', maxSkew=skew)) for i in range(4)]
        text = ' '.join(c['text'] for c in asked('explain', 'pod', 'shop/web-0', objects=[pool(SIZES), *pods])['causes'] if c['kind'] == 'apart')
        check(means in text and ('share one' in text) == (skew == 1), text)


def limits_and_replacements():
    """Small nodes that fill a limit are not replaced by larger ones either."""
    nodes = [node(f'n{i}') for i in range(4)]
    for size, either in (('m6i.xlarge', True), ('m6i.large', False)):
        there = [pool(term(TYPE, size), limits={'cpu': '8'}), *nodes, *(claim(n) for n in nodes), *(pod(f'web-{i}', f'n{i}', cpu='1500m') for i in range(4)), pod('new-0', cpu='1500m')]
        text = ' '.join(c['text'] for c in asked('explain', 'pod', 'shop/new-0', objects=there)['causes'] if c['kind'] == 'limits')
        equal('has no room in the place of one of its nodes either' in text, either, text)


def left_pending():
    """lint does not say that nothing is wrong where the plan leaves pods."""
    def found(*objects):
        return [(f['object'], f['remedy']) for f in asked('lint', objects=objects)['findings'] if f['rule'] == 'not-placed']
    far = [STORAGE, volume('da', 'us-west-2a'), volume('db', 'us-west-2b')]
    apart = pod('db-0')
    apart['spec']['volumes'] = [{'name': v, 'persistentVolumeClaim': {'claimName': v}} for v in ('da', 'db')]
    equal(found(pool(SIZES), *far, apart), [('shop/db-0', 'karp explain pod shop/db-0 says why, and what would place it')], 'volumes in two zones')
    equal(found(pool(SIZES), *far, pod('db-0', volume='da')), [], 'it is placed')
    equal(found(pool(SIZES), pod('a-0', cpu='40')), [('shop/a-0', 'karp explain pod shop/a-0 says why, and what would place it')], 'too large')
    equal(found(pool(SIZES), pod('a-0', nodeSelector={'team': 'x'})), [], 'another rule says it')
    equal(found(pod('a-0')), [], 'nothing could be launched')


def room_for_daemon_sets():
    """A type that looks large enough, and is not because of DaemonSets."""
    daemons = {'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': 'agent', 'namespace': 'shop'},
               'spec': {'selector': {'matchLabels': {'app': 'agent'}}, 'template': {'metadata': {'labels': {'app': 'agent'}}, 'spec': {'containers': [
                   {'name': 'c', 'resources': {'requests': {'cpu': '900m', 'memory': '4Gi'}}}]}}}}
    for extra, means in (([daemons], 'cpu (2400m requested, 900m of it by DaemonSets, 1930m there) and memory (7Gi requested, 4Gi of it by DaemonSets, 6903Mi there)'), ([], None)):
        causes = asked('explain', 'pod', 'shop/web-0', objects=[pool(SIZES), *extra, pod('web-0', cpu='1500m', memory='3Gi')])['causes']
        text = ' '.join(c['text'] for c in causes if c['kind'] == 'type')
        equal(means in text if means else 'DaemonSets' not in text, True, text)


def two_for_one():
    """One node would take the pods of two at the price of both: Karpenter does not replace them."""
    nodes = [node('n0'), node('n1')]
    there = [*nodes, *(claim(n, Consolidatable='True') for n in nodes), *(pod(f'w-{i}', f'n{i % 2}', cpu='800m') for i in range(4))]
    for name in ('n0', 'n1'):
        notes = asked('explain', 'node', name, *NOW, objects=[pool(SIZES, disruption=FREE), *there]).get('warnings', [])
        check(any(n.startswith('one m6i.xlarge would take the pods of') and 'costs as much as both' in n for n in notes), notes)
    notes = asked('explain', 'node', 'n0', *NOW, objects=[pool(LARGE, disruption=FREE), *there]).get('warnings', [])
    equal([n for n in notes if 'as much as both' in n], [], 'no such type')


def savings_beside_pending_pods():
    """A node whose pods would take the room of a node that goes, or of a pending pod, saves nothing."""
    idle, busy = node('idle'), node('busy')
    there = [pool(LARGE, disruption=FREE), idle, claim(idle, Consolidatable='True'), busy, claim(busy, Consolidatable='True'), pod('run-0', 'busy', cpu='1800m'), pod('new-0')]
    told = asked('blockers', *NOW, objects=there)
    equal((told['now'], told['together'], [(b['kind'], b['savings']) for b in told['blockers']]), (0.096, 0, [('several-nodes', 0)]), told)
    equal(asked('explain', 'node', 'busy', *NOW, objects=there)['bestRejectedMove']['savings'], '0', 'as explain node says')


limits_that_bind()
offerings_that_are_gone()
drifted_nodes()
leaving_node()
reasons_of_budgets()
only_empty_nodes()
nominated_nodes()
what_is_unavailable()
volumes_choose()
skews()
limits_and_replacements()
left_pending()
room_for_daemon_sets()
two_for_one()
savings_beside_pending_pods()
finish()
