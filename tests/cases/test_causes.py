# SPDX-License-Identifier: Apache-2.0
"""Further kinds of public threads: the answer to one question names the cause on which the thread ended."""
import sys

import situations
from situations import CAPACITY, STORAGE, TYPE, asked, claim, node, pod, pool, term, volume
from stories import check, equal, finish

NOW = ('--now', '2026-01-01T12:00:00Z')
LARGE, SIZES = term(TYPE, 'm6i.large'), term(TYPE, 'm6i.large', 'm6i.xlarge')
FREE = {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}


def why(kind, name, *objects):
    told = asked('explain', 'pod', f'shop/{name}', objects=objects)
    return ' | '.join(c['text'] for c in told.get('causes', []) if c['kind'] == kind)


def stays(name, *objects):
    return asked('explain', 'node', name, *NOW, objects=objects)['blockers']


def joined(name, kind='m6i.xlarge', **conditions):
    """A node and its NodeClaim."""
    one = node(name, kind=kind)
    return one, claim(one, Consolidatable='True', **conditions)


def volumes():
    several = pod('es-0')
    several['spec']['volumes'] = [{'name': v, 'persistentVolumeClaim': {'claimName': v}} for v in ('va', 'vb')]
    said = why('volumes', 'es-0', pool(LARGE), STORAGE, several, volume('va', 'us-west-2a'), volume('vb', 'us-west-2b'))
    check('shop/va has its volume in us-west-2a' in said and 'shop/vb has its volume in us-west-2b' in said and 'no node is in all' in said, said)
    both = why('volumes', 'es-0', pool(LARGE), STORAGE, several, volume('va', 'us-west-2a'), volume('vb', 'us-west-2a'))
    check('shop/vb has its volume in us-west-2a, and the pod can run nowhere else' in both, both)
    away = why('volumes', 'db-0', pool(LARGE, term(situations.ZONE, 'us-west-2b')), STORAGE, pod('db-0', volume='d'), volume('d', 'us-west-2a'))
    check('claim shop/d has its volume in us-west-2a' in away and 'no node' not in away, f'no NodePool there: {away}')
    disk = pod('big-0')
    disk['spec']['containers'][0]['resources']['requests']['ephemeral-storage'] = '100G'
    said = why('type', 'big-0', pool(LARGE), disk)
    check('at most 17Gi' in said and 'EC2NodeClass std can set a larger one in blockDeviceMappings' in said and 'instanceStorePolicy' in said, said)


def what_nothing_says():
    """What no rule of the pod says: replicas that share a node, a volume's requirement on another label, and a reservation that is taken."""
    large = pool(LARGE)
    alone = [pod(f'web-{i}', cpu='300m') for i in range(3)]
    said = why('apart', 'web-0', large, *alone)
    check('all 3 pods like it share the node: no topology spread and no pod anti-affinity' in said, said)
    equal(why('apart', 'web-0', large, alone[0]), '', 'one pod')
    equal(why('apart', 'web-0', large, pod('web-9', 'n1', cpu='300m'), node('n1'), *(pod(f'web-{i}', cpu='700m') for i in range(3))), '', 'not all of them')
    disk = volume('d', 'us-west-2a')
    narrow = {**situations.NODE_CLASS, 'metadata': {'name': 'narrow'}, 'status': {'subnets': [{'id': 'subnet-b', 'zone': 'us-west-2b'}]}}
    there = pool(LARGE)
    there['spec']['template']['spec']['nodeClassRef']['name'] = 'narrow'
    said = why('volumes', 'db-0', narrow, there, STORAGE, pod('db-0', volume='d'), disk)
    check(said.startswith('claim shop/d has its volume in us-west-2a, where no NodePool can launch a node: node classes and catalogue have us-west-2b'), said)
    for value, more in (('', ', the empty value, which no new node has'), ('rack-7', '')):
        disk[1]['spec']['nodeAffinity']['required']['nodeSelectorTerms'][0]['matchExpressions'] = [term('example.com/rack', value)]
        said = why('volumes', 'db-0', large, STORAGE, pod('db-0', volume='d'), disk)
        equal(said, 'claim shop/d has a volume that requires example.com/rack In [' + (value or '""') + ']' + more, 'another label')
    reserved = {**situations.NODE_CLASS, 'metadata': {'name': 'own'}, 'spec': {**situations.NODE_CLASS['spec'], 'capacityReservationSelectorTerms': [{'id': 'cr-0123456789abcdef0'}]},
                'status': {'capacityReservations': [{'id': 'cr-0123456789abcdef0', 'availabilityZone': 'us-west-2a', 'availableInstanceCount': 1, 'instanceType': 'm6i.large', 'ownerID': '111122223333',
                                                     'instanceMatchCriteria': 'targeted', 'reservationType': 'default', 'state': 'active'}]}}
    own = pool(LARGE, term(CAPACITY, 'reserved', 'on-demand'))
    own['spec']['template']['spec']['nodeClassRef']['name'] = 'own'
    for allowed, wanted in ((('reserved', 'on-demand'), 'launches what else the requirements allow'), (('reserved',), 'the requirements allow nothing else')):
        own['spec']['template']['spec']['requirements'][1]['values'] = list(allowed)
        two = [reserved, own, *(pod(f'job-{i}', cpu='1500m') for i in range(2))]
        told = asked('explain', 'pod', 'shop/job-1', objects=two)
        check(f'a later round finds them full, and {wanted}' in str(told['unschedulable']), told)
        found = [f for f in asked('lint', objects=two)['findings'] if f['rule'] == 'not-placed']
        check('in its first round, for which reservations have too few free instances' in found[0]['text'] and 'karp plan --settle' in found[0]['remedy'], found)


def full_nodes_before_spot():
    """A node that many pods fill is on-demand where no type for all of them has spot; alone they would get it."""
    both = pool(term(TYPE, 'm6i.12xlarge', 'm6i.24xlarge'), term(CAPACITY, 'spot', 'on-demand'))
    pods = [pod(f'infer-{i}', cpu='45') for i in range(2)]
    for lost, count, wanted in (('m6i.24xlarge/*/spot', 2, 'm6i.12xlarge has for fewer of them'), ('*/*/spot', 2, ''), ('m6i.24xlarge/*/spot', 1, ''), ('m6i.24xlarge/*/on-demand', 2, '')):
        told = asked('whatif', '--unavailable', lost, objects=[both, *pods[:count]])
        notes = [w for w in told['warnings'] if 'is on-demand, though NodePool std allows spot' in w]
        equal([wanted in n for n in notes], [True] if wanted else [], f'{lost}, {count}: {told["warnings"]}')


def nodes_that_start():
    waiting, its = joined('n1')
    its['status']['conditions'][2]['status'] = 'Unknown'
    del waiting['metadata']['labels']['karpenter.sh/initialized']
    for key, wanted in (('example.com/starts', 'Karpenter removes none: the component that it waits for'),
                        ('node.cloudprovider.kubernetes.io/uninitialized', 'which the cloud controller has to remove')):
        waiting['spec']['taints'] = [{'key': key, 'effect': 'NoSchedule'}]
        its['spec']['startupTaints'] = waiting['spec']['taints'][:1] if 'example' in key else []
        said = stays('n1', pool(SIZES, disruption=FREE), waiting, its)[0]['detail']
        check(f'{key}:NoSchedule is still there' in said and wanted in said, said)
        said = why('order', 'web-0', pool(SIZES), waiting, its, pod('web-0'))
        check('n1 is not initialized yet' in said and key in said and 'launches no other node' in said, said)
    equal('not initialized' in why('order', 'web-0', pool(SIZES), *joined('n1'), pod('web-0')), False, 'it has started')
    fresh = node('n1')
    fresh['spec']['taints'] = [{'key': 'example.com/cni', 'effect': 'NoSchedule'}]
    said = why('existingNodes', 'web-0', pool(LARGE), fresh, pod('web-0'))
    check('example.com/cni:NoSchedule, which NodePool std does not declare, is not tolerated' in said, said)
    said = why('existingNodes', 'web-0', pool(LARGE, taints=fresh['spec']['taints'], name='std'), pool(LARGE, name='b'), fresh, pod('web-0'))
    check('is not tolerated (n1)' in said, f'declared: {said}')


def nodes_that_stay():
    quiet = {'consolidationPolicy': 'WhenEmpty', 'consolidateAfter': '30s'}
    agent = pod('agent-1', 'n1', owner='DaemonSet')
    said = stays('n1', pool(SIZES, disruption=quiet), *joined('n1'), agent, pod('typha-1', 'n1'), pod('typha-2', 'n1'))[0]['detail']
    check('shop/typha-1 and 1 more of its pods are not pods of a DaemonSet' in said, said)
    late = claim(node('n2'))
    late['status']['lastPodEventTime'] = '2026-01-01T11:59:00Z'
    slow = pool(SIZES, disruption={'consolidateAfter': '10m', 'budgets': [{'nodes': '100%'}]})
    row = stays('n1', slow, *joined('n1', 'm6i.large'), node('n2'), late, pod('a-0', 'n1'), pod('b-0', 'n2'))[0]
    check('consolidateAfter' in row['detail'] and 'n2 (until 2026-01-01T12:09:00Z)' in row['detail'], row)
    equal(row['until'], '2026-01-01T12:09:00Z', 'when it ends')
    budgets = [{'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': n, 'namespace': 'shop'},
                'spec': {'selector': {'matchLabels': {'app': 'gw'}}, 'minAvailable': 1}, 'status': {'disruptionsAllowed': 1, 'expectedPods': 2}} for n in 'ab']
    gone, its = joined('n1')
    its['metadata'].update(deletionTimestamp='2026-01-01T00:00:00Z', finalizers=['karpenter.sh/termination'])
    said = stays('n1', pool(SIZES), gone, its, pod('gw-0', 'n1'), budgets)[0]['detail']
    check('shop/gw-0 (more than one PodDisruptionBudget' in said, said)
    drifted, its = joined('n1', Drifted='True')
    its['spec']['terminationGracePeriod'] = '1h'
    held = pod('job-0', 'n1', annotations={'karpenter.sh/do-not-disrupt': 'true'})
    told = asked('explain', 'node', 'n1', *NOW, objects=[pool(SIZES, disruption=FREE), drifted, its, held])
    check(any('shop/job-0 (karpenter.sh/do-not-disrupt) cannot be evicted' in w and 'terminationGracePeriod of 1h' in w for w in told['warnings']), told)


def pools():
    cpu = term('karpenter.k8s.aws/instance-cpu', '40', how='Gt')
    family = term('karpenter.k8s.aws/instance-family', 'm6id')
    said = why('pool', 'web-0', pool(family, cpu), pod('web-0'))
    check('karpenter.k8s.aws/instance-cpu Gt 40 of NodePool std keeps out types' in said and 'm6id.large' in said, said)
    own = why('pool', 'web-0', pool(family), pod('web-0', nodeSelector={'karpenter.k8s.aws/instance-size': '16xlarge'}))
    check('karpenter.k8s.aws/instance-size In 16xlarge of the pod keeps out' in own, own)
    equal(why('pool', 'web-0', pool(family), pod('web-0', cpu='1500m')), '', 'nothing is kept out')
    open_ = pool(term('example.com/gpu', how='Exists'), LARGE)
    said = why('pool', 'web-0', open_, pod('web-0'))
    check('example.com/gpu with any value (Exists), which keeps no pod away: only a taint does' in said, said)
    said = why('pool', 'web-0', open_, pod('web-0', nodeSelector={'example.com/gpu': 'a'}))
    check('gets the label example.com/gpu=a because the pod selects it' in said, said)
    said = why('pool', 'web-0', pool(LARGE, taints=[{'key': 'batch', 'effect': 'PreferNoSchedule'}]), pod('web-0'))
    check('does not tolerate batch:PreferNoSchedule of NodePool std, which is only a preference' in said, said)
    spot = term(situations.CAPACITY, 'spot')
    said = why('pool', 'web-0', pool(SIZES, spot), pod('web-0'))
    check('of the 2 types that Karpenter sends, EC2 chooses by price and spot capacity' in said, said)
    equal(why('pool', 'web-0', pool(LARGE, spot), pod('web-0')), '', 'a single type')
    said = asked('explain', 'pod', 'shop/web-0', objects=[pool(LARGE, name='common'), pool(LARGE, name='common-3'), pod('web-0')], output='text')
    check('this one, common-3, has weight 0' in said and 'of equal weights the last name is tried first' in said, said)
    full, its = joined('f1')
    full['metadata']['labels']['karpenter.sh/nodepool'] = its['metadata']['labels']['karpenter.sh/nodepool'] = 'first'
    told = asked('explain', 'pod', 'shop/web-0', objects=[pool(SIZES, name='first', weight=9, limits={'cpu': '5'}), pool(SIZES, name='second'),
                                                          full, its, pod('r-0', 'f1', cpu='3500m'), pod('web-0')])
    equal(told['alternatives'][0]['detail'], 'limit cpu 5, in use cpu 4', 'what is in use of the limit')


def topology():
    apart = situations.affinity('podAntiAffinity', {'app': 'web'}, 'topology.kubernetes.io/hostname')
    said = asked('plan', objects=[pool(LARGE), pod('web-0', affinity=apart)], output='text')
    check('no node has the label topology.kubernetes.io/hostname' in said and 'the label is kubernetes.io/hostname' in said, said)
    never = {'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [
        {'matchExpressions': [term('karpenter.sh/nodepool', how='DoesNotExist')]}]}}}
    said = asked('explain', 'pod', 'shop/own-0', objects=[pool(LARGE), pod('own-0', affinity=never)], output='text')
    check('required node affinity on karpenter.sh/nodepool: only other nodes can take it' in said, said)


def changes(name, *objects):
    told = asked('explain', 'pod', f'shop/{name}', objects=objects)
    return told, [(r['kind'], r['text']) for r in told['remedies']]


def changes_of_topology():
    """The key that was meant; domains in which two constraints can hold; domains that hold the minimum down; a selector of other pods."""
    apart = situations.affinity('podAntiAffinity', {'app': 'web'}, 'topology.kubernetes.io/hostname')
    cluster = [pool(LARGE), pod('web-0', affinity=apart), pod('web-1', affinity=apart)]
    first = changes('web-0', *cluster)[1][0]
    equal(first, ('CORRECT_KEY', 'use kubernetes.io/hostname instead of topology.kubernetes.io/hostname in the pod anti-affinity'), 'the key')
    found, = [f for f in asked('lint', objects=cluster)['findings'] if f['rule'] == 'anti-affinity-cannot-hold']
    check('has the label topology.kubernetes.io/hostname' in found['text'] and found['remedy'] == 'use kubernetes.io/hostname', found)
    full = [node(f'k{z}', f'us-west-2{z}') for z in 'bc']
    join = situations.affinity('podAffinity', {'app': 'kafka'})
    told, found = changes('user-0', pool(LARGE), *full, *(pod(f'kafka-{z}', f'k{z}', cpu='1500m') for z in 'bc'),
                          pod('user-0', cpu='1', affinity=join, topologySpreadConstraints=situations.spread('user', maxSkew=5)))
    equal(found[0], ('REQUIRE_DOMAINS', 'require topology.kubernetes.io/zone In us-west-2b,us-west-2c, where the pods to join are'), 'both hold')
    said = ' | '.join(t['cause'] for t in told['unschedulable']['topology'])
    check('its pod affinity on topology.kubernetes.io/zone rules it out' in said and 'shop/kafka-b in us-west-2b, or a pod in us-west-2c' in said, said)
    mine = term('example.com/pool', 'a')
    lanes = [pool(LARGE, mine, term('example.com/lane', '1'), name='a'), pool(LARGE, term('example.com/lane', '2', '3'), name='b')]
    test = [pod(f'test-{i}', cpu='1500m', nodeSelector={'example.com/pool': 'a'}, topologySpreadConstraints=situations.spread('test', 'example.com/lane')) for i in range(2)]
    equal(changes('test-1', *lanes, *test)[1][0], ('REQUIRE_DOMAINS', 'require example.com/lane In 1, so that the spread counts no other domains'), 'the minimum')
    stray = [pod(f'web-{i}', topologySpreadConstraints=situations.spread('other')) for i in range(2)]
    notes = asked('plan', objects=[pool(LARGE), *stray, pod('own-0', topologySpreadConstraints=situations.spread('own'))])['warnings']
    equal([n for n in notes if 'spread' in n], ['Pod shop/web-0 and 1 more pod like it: the topology spread by topology.kubernetes.io/zone does not spread such '
                                                'pods, as its labelSelector asks for app=other, which they do not have'], 'a selector of other pods')


def behind_limits():
    """What refuses the pod besides a limit, which Karpenter looks at first, is named before it; the change is of both."""
    def asked_of(**pod_spec):
        told, found = changes('web-0', pool(SIZES, limits={'cpu': '1'}), pod('web-0', cpu='1', **pod_spec))
        return [c['kind'] for c in told['causes']], ' | '.join(c['text'] for c in told['causes'] if c['kind'] == 'behindLimits'), found
    kinds, said, found = asked_of(nodeSelector={'disk': 'ssdd'})
    equal(kinds, ['behindLimits', 'limits'], 'in the order in which one acts')
    check('label "disk" does not have known values' in said, said)
    equal(found[0], ('ADD_LABEL', 'add the label disk=ssdd to the template of NodePool std, and raise the limits of NodePool std'), 'both')
    check('us-west-2q' in asked_of(nodeSelector={situations.ZONE: 'us-west-2q'})[1], 'a zone that there is not')
    kinds, said, found = asked_of()
    equal((kinds, found[0][0]), (['limits'], 'RAISE_LIMIT'), 'nothing but the limit')
    text = asked('explain', 'pod', 'shop/web-0', objects=[pool(SIZES, limits={'cpu': '1'}), pod('web-0', nodeSelector={'disk': 'ssdd'})], output='text')
    check(text.index('does not have known values') < text.index('exceed limits for nodepool'), text)
    planned = lambda of_pool, **spec: asked('plan', objects=[of_pool, pod('web-0', cpu='1', **spec)])['unschedulable'][0]['pools'][0]['detail']
    limited = pool(SIZES, limits={'cpu': '1'})
    equal(planned(limited), 'all available instance types exceed limits for nodepool (cpu)', 'a plan: nothing but the limit')
    check('; raising them is not enough: incompatible requirements, label "disk"' in planned(limited, nodeSelector={'disk': 'ssdd'}), 'a plan: both')
    limited['spec']['template']['spec']['taints'] = [{'key': 'team', 'effect': 'NoSchedule'}]
    check('; raising them is not enough: did not tolerate taint' in planned(limited), 'a plan: a taint')


def unknown_prices():
    """A price that is not known is no $0."""
    odd = node('odd', labels={TYPE: 'acme.large'})
    cluster = [pool(SIZES, disruption=FREE), odd, claim(odd, Consolidatable='True'), *joined('known'), pod('b-0', 'known'),
               pod('c-0', 'odd', annotations={'karpenter.sh/do-not-disrupt': 'true'})]
    told = asked('explain', 'node', 'odd', *NOW, objects=cluster)['bestRejectedMove']
    equal(('price' in told, 'savings' in told), (False, False), told)
    said = asked('explain', 'node', 'odd', *NOW, objects=cluster, output='text')
    check("What that saves is unknown, as the node's price is." in said and '$0.000' not in said, said)
    said = asked('top', objects=cluster, output='text')
    check('shop/c 1 0.5 0.5Gi unknown unknown unknown' in said and '1 pod on a node whose price is unknown' in said, said)
    rows = {w['name']: w.get('podsWithoutPrice', 0) for w in asked('top', objects=cluster)['workloads']}
    equal(rows, {'b': 0, 'c': 1}, 'pods without a price')
    row, = [b for b in asked('blockers', *NOW, objects=cluster)['blockers'] if b['kind'] == 'pod-annotation']
    equal(row['nodesWithoutPrice'], 1, row)
    said = asked('blockers', *NOW, objects=cluster, output='text')
    check('pod-annotation shop 1 1 unknown' in said, said)


def types():
    """What a requirement does not exclude, and what leaves no room for one pod more."""
    category = term('karpenter.k8s.aws/instance-category', 'm', 'r')
    amd = term('kubernetes.io/arch', 'amd64')
    not_in = term('karpenter.k8s.aws/instance-family', 'm4', 'm5', 'r4', 'r5', how='NotIn')
    said = why('type', 'web-0', pool(category, amd, not_in, term('karpenter.k8s.aws/instance-cpu', '16')), pod('web-0', cpu='12', memory='40Gi'))
    check('karpenter.k8s.aws/instance-family NotIn m5 in NodePool std does not exclude m5a; karpenter.k8s.aws/instance-generation Gt' in said, said)
    check('cpu 12000m of 15890m' in why('fullest', 'web-0', pool(term(TYPE, 'm5a.4xlarge')), pod('web-0', cpu='12')), 'one unit for both')
    spot = pool(term(situations.CAPACITY, 'spot'), category, amd)
    old = why('type', 'web-0', spot, pod('web-0', cpu='500m', memory='1Gi'))
    check('m1.small is of generation 1: nothing in NodePool std keeps old generations out' in old, old)
    floor = pool(term(situations.CAPACITY, 'spot'), category, amd, term('karpenter.k8s.aws/instance-generation', '0', how='Gt'))
    equal('generation' in why('type', 'web-0', floor, pod('web-0', cpu='500m', memory='1Gi')), False, 'a requirement on generations')
    four = [pod(f'cache-{i}', cpu='31', memory='240954Mi') for i in range(4)]
    said = why('fullest', 'cache-0', pool(term(TYPE, 'i4i.32xlarge')), *four)
    check('one more pod like it does not fit there: memory 963816Mi of 961470Mi' in said and 'VM_MEMORY_OVERHEAD_PERCENT' in said, said)
    equal('one more' in why('fullest', 'cache-0', pool(term(TYPE, 'i4i.32xlarge')), *four[:2]), False, 'all of them fit')
    # What a full node leaves unused, not that the last one has fewer pods.
    for cpu, count, wanted in (('600m', 4, ''), ('500m', 4, 'm6i.large with 3 pods, leaves 22% of its cpu unused'),
                               ('10m', 60, 'm6i.large with 29 pods, leaves 85% of its cpu unused'), ('10m', 4, '')):
        alike = [pod(f'web-{i}', cpu=cpu, memory='16Mi') for i in range(count)]
        told = [f['text'] for f in asked('lint', objects=[pool(LARGE), *alike])['findings'] if 'unused' in f['text']]
        equal((len(told), all(wanted in t for t in told)), (wanted != '', True), f'{count} pods of {cpu}: {told}')
        if count == 60:
            said = why('fullest', 'web-0', pool(LARGE), *alike)
            check('pods 30 of 29' in said, said)
    agents = [pod(f'agent-{i}', f'n{i}', cpu='1900m', owner='DaemonSet') for i in range(2)]
    told = asked('explain', 'pod', 'shop/doc-0', objects=[pool(LARGE), node('n0'), node('n1'), *agents,
                                                         pod('doc-0', affinity=situations.affinity('podAffinity', {'app': 'agent'}, situations.HOST))])
    check('a new node has no such pod' in told['unschedulable']['topology'][0]['cause'], told)


def limits_and_ends():
    """Limits remove no nodes, and stop before they are used up; expiration asks no budget."""
    three = [x for i in range(3) for x in (*joined(f'w{i}'), pod(f'a{i}-0', f'w{i}', cpu='3200m'))]
    tight = pool(SIZES, limits={'cpu': '8'}, disruption={'consolidateAfter': '0s'})
    said = why('limits', 'late-0', tight, *three, pod('late-0', cpu='1'))
    check('limit 8, in use 12 (limits only stop launches, and remove no nodes)' in said, said)
    notes = asked('explain', 'node', 'w2', *NOW, objects=[tight, *three])['warnings']
    check(any('limits only stop launches, and no node goes because of them' in n for n in notes), notes)
    said = why('limits', 'crunch-2', pool(term(TYPE, 'r6a.8xlarge'), limits={'cpu': '79'}), *[pod(f'crunch-{i}', cpu='30') for i in range(3)])
    check('limit 79, in use 0 before 2 launches of this round; a node for the pod has at least 32 (r6a.8xlarge)' in said, said)
    near = [pool(SIZES, limits={'cpu': '10'}), *[x for i in range(2) for x in (*joined(f'w{i}'), pod(f'a{i}-0', f'w{i}', cpu='3200m'))]]
    said = why('limits', 'job-0', *near, pod('job-0', cpu='3500m'))
    check('limit 10, in use 8; a node for the pod has at least 4 (m6i.xlarge)' in said, said)
    for budgets in ([], [{'nodes': '0'}]):
        one, its = joined('n1')
        its['spec']['expireAfter'] = '19m'
        its['metadata']['creationTimestamp'] = '2026-01-01T11:30:00Z'
        expired = [pool(SIZES, disruption={'consolidateAfter': '0s', 'budgets': budgets}), one, its, pod('web-0', 'n1')]
        told = asked('explain', 'node', 'n1', *NOW, objects=expired)
        notes = told['warnings']
        check(any('its expireAfter of 19m was over at 2026-01-01T11:49:00Z' in n and 'whatever disruption budgets' in n for n in notes), notes)
        check(any('hold the drain without an end: it has no terminationGracePeriod' in n for n in notes), notes)
        its['spec']['terminationGracePeriod'] = '1h'
        notes = asked('explain', 'node', 'n1', *NOW, objects=expired)['warnings']
        check(any('until its terminationGracePeriod is over: 1h' in n for n in notes), notes)
        del its['spec']['terminationGracePeriod']
        equal(told.get('expired'), True, 'the JSON says so')
        check(any(n.startswith('1 NodeClaim has expired (') for n in asked('disrupt', *NOW, objects=expired)['warnings']), 'a pass says so')
        said = asked('explain', 'node', 'n1', *NOW, objects=expired, output='text')
        check('n1 is expired: Karpenter deletes it' in said and 'Eligible' not in said, said)
    its['spec']['expireAfter'] = '720h'
    told = asked('explain', 'node', 'n1', *NOW, objects=[pool(SIZES), one, its, pod('web-0', 'n1')])
    equal([n for n in told.get('warnings', []) if 'expireAfter' in n], [], 'weeks away')
    equal(told.get('expired'), None, 'weeks away')


def drains_without_an_end():
    """A node that pods hold while it is being deleted costs on; with a terminationGracePeriod it does not."""
    def asks(verb, guard, grace=None):
        one, its = joined('n1', 'm6i.large')
        for it in (one, its):
            it['metadata'].update(deletionTimestamp='2026-01-01T10:00:00Z', finalizers=['karpenter.sh/termination'])
        its['spec'].update({'terminationGracePeriod': grace} if grace else {})
        held = pod('db-0', 'n1', annotations={'karpenter.sh/do-not-disrupt': guard})
        return asked(verb, *NOW, objects=[pool(SIZES, disruption=FREE), one, its, held, *joined('n2', 'm6i.large'), pod('web-0', 'n2')])
    words = 'n1 is being deleted, but shop/db-0 cannot be evicted and holds its drain without an end'
    for verb in ('plan', 'disrupt'):
        for guard, grace, holds in (('true', None, True), ('false', None, False), ('true', '1h', False)):
            told = asks(verb, guard, grace)
            equal((told['cost']['after'] == told['cost']['before'], any(w.startswith(words) for w in told.get('warnings', []))), (holds, holds),
                  f'{verb} {guard} {grace}: {told["cost"]} {told.get("warnings")}')


def drains_with_an_end():
    """A command on a node that pods hold until terminationGracePeriod is over saves nothing before."""
    one, its = joined('n1', Drifted='True')
    its['spec']['terminationGracePeriod'] = '24h'
    for guard in ('true', 'false'):
        held = pod('db-0', 'n1', annotations={'karpenter.sh/do-not-disrupt': guard})
        told = asked('disrupt', *NOW, objects=[pool(SIZES, disruption=FREE), one, its, held])
        equal(len(told['commands']), 1, told)
        words = 'n1: pods that cannot be evicted stay until terminationGracePeriod is over (24h)'
        equal(any(w.startswith(words) for w in told.get('warnings', [])), guard == 'true', told.get('warnings'))


def budgets_of_a_reason():
    """What budgets allow is told of the reason of the pass: others may have other budgets."""
    drifted = [{'nodes': '0', 'reasons': ['Drifted']}]
    said = asked('disrupt', *NOW, objects=[pool(SIZES, disruption={'consolidateAfter': '0s', 'budgets': drifted}), *joined('n1'), pod('web-0', 'n1')],
                 output='text')
    check('Budgets for Underutilized std none applies now' in said, said)


def behind_a_gate():
    """A gate and a rule behind it keep a spot node: neither alone saves anything, both together what the move of its pods saves."""
    one, its = joined('s1')
    for it in (one, its):
        it['metadata']['labels'][CAPACITY] = 'spot'
    objects = [pool(term(CAPACITY, 'spot'), SIZES, disruption=FREE), one, its, pod('web-0', 's1')]
    told = asked('blockers', *NOW, objects=objects)
    equal([(b['kind'], float(b['savings'])) for b in told['blockers']], [('spot-to-spot', 0), ('spot-types', 0)], 'each alone')
    move = asked('explain', 'node', 's1', *NOW, objects=objects)['bestRejectedMove']
    equal(round(float(told['together']), 6), round(float(move['savings']), 6), 'together')
    check(float(move['savings']) > 0, move)


def sick_pods():
    sick = pod('bad-0', 'n1', cpu='1')
    sick['status']['conditions'] = [{'type': 'Ready', 'status': 'False'}]
    budget = {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'bad', 'namespace': 'shop'},
              'spec': {'selector': {'matchLabels': {'app': 'bad'}}, 'minAvailable': 1},
              'status': {'disruptionsAllowed': 0, 'expectedPods': 1, 'currentHealthy': 0, 'desiredHealthy': 1}}
    said = stays('n1', pool(SIZES, disruption=FREE), *joined('n1'), sick, budget)[0]['detail']
    check('0 of 1 pod is healthy (shop/bad-0 is not): with unhealthyPodEvictionPolicy AlwaysAllow' in said, said)
    budget['spec'] = {'selector': {'matchLabels': {'app': 'bad'}}, 'maxUnavailable': 0}
    def remedy(*pods, of=budget):
        return [f for f in asked('lint', objects=[pool(SIZES), *joined('n1'), *pods, of])['findings'] if f['rule'] == 'pdb-never-allows'][0]
    only = 'set unhealthyPodEvictionPolicy AlwaysAllow: then pods that are not ready may be evicted'
    for its in (budget, {**budget, 'spec': {**budget['spec'], 'maxUnavailable': None, 'minAvailable': 1}}):
        equal(remedy(sick, of=its)['remedy'], only, 'one more pod does not free the one that is not ready')
    both = remedy(sick, pod('bad-1', 'n1', cpu='1'))
    check(both['remedy'].startswith(only + '; for those that are ready, allow one pod to be unavailable') and '1 is not ready' in both['text'], both)
    free = {**budget, 'spec': {**budget['spec'], 'unhealthyPodEvictionPolicy': 'AlwaysAllow'}}
    equal(remedy(sick, of=free)['text'], 'none of its 1 pod may be evicted while it is ready, so its node stays', 'the policy is set')
    sick['metadata']['ownerReferences'][0].update(apiVersion='batch/v1', kind='Job')
    found = remedy(sick)
    check('pods of Jobs: use karpenter.sh/do-not-disrupt' in found['remedy'], found)


def labels():
    """A key of another domain, and values that nothing has."""
    def found(rule, *requirements):
        return [f['text'] + ' -> ' + f.get('remedy', '') for f in asked('lint', objects=[pool(*requirements)])['findings'] if f['rule'] == rule]
    said, = found('unknown-label', term('node.kubernetes.io/instance-family', 'm5'))
    check('karpenter.k8s.aws/instance-family may be meant' in said, said)
    equal(found('unknown-label', term('example.com/team', 'a')), [], 'a label of its own')
    said, = found('unknown-value', term(situations.ZONE, '1'))
    check('its values are us-west-2a, us-west-2b, us-west-2c' in said, said)
    said, = found('unknown-value', term(situations.ZONE, 'us-west-2-phx-9z'))
    check('a local zone: the catalogue has no type that is offered there' in said, said)
    said, = found('unknown-value', term(TYPE, 'n2-custom-8-24576'))
    check('a custom machine type' in said, said)


def changes_of_nodes():
    """What would let a node go is tried: each reason alone, else all together, with the node that replaces it."""
    def tried(pool_of, *objects):
        told = asked('explain', 'node', 'n1', *NOW, objects=[pool_of, *joined('n1'), *objects])
        return [(r.get('code', ''), r['text'], r.get('instanceType', '')) for r in told.get('remedies', [])]
    held = pod('job-0', 'n1', annotations={'karpenter.sh/do-not-disrupt': 'true'})
    budget = {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'web', 'namespace': 'shop'},
              'spec': {'selector': {'matchLabels': {'app': 'web'}}, 'maxUnavailable': 0}, 'status': {'disruptionsAllowed': 0, 'expectedPods': 1, 'currentHealthy': 1}}
    open_ = pool(SIZES, disruption=FREE)
    pods, web = 'remove karpenter.sh/do-not-disrupt from shop/job-0', 'let PodDisruptionBudgets allow the eviction of shop/web-0'
    equal(tried(open_, held), [('POD_DO_NOT_DISRUPT', pods, 'm6i.large')], 'one pod')
    equal(tried(open_, held, pod('web-0', 'n1'), budget), [('', f'{pods}, and {web}', 'm6i.large')], 'both are needed')
    quiet = pool(SIZES, disruption={**FREE, 'consolidationPolicy': 'WhenEmpty'})
    equal(tried(quiet, pod('web-0', 'n1')), [('POLICY_WHEN_EMPTY', 'set consolidationPolicy WhenEmptyOrUnderutilized in NodePool std', 'm6i.large')], 'the policy')
    equal(tried(pool(SIZES, disruption=FREE, limits={'cpu': '1'}), pod('web-0', 'n1')), [('', 'raise the limits of NodePools', 'm6i.large')], 'limits')
    equal(tried(open_, pod('web-0', 'n1', cpu='3')), [], 'nothing that was tried helps')
    # A time that is over is no shorter for being set to less: then the controller has not set the condition.
    for after, row, said in [('1m', [], 'that time is over, but the condition is not set'),
                             ('72h', [('NOT_CONSOLIDATABLE', 'shorten consolidateAfter in NodePool std', 'm6i.large')], '')]:
        one = node('n1', kind='m6i.xlarge')
        objects = [pool(SIZES, disruption={**FREE, 'consolidateAfter': after}), one, claim(one), pod('web-0', 'n1')]
        told = asked('explain', 'node', 'n1', *NOW, objects=objects)
        equal([(r.get('code', ''), r['text'], r.get('instanceType', '')) for r in told.get('remedies', [])], row, after)
        detail = next(b['detail'] for b in told['blockers'] if b['code'] == 'NOT_CONSOLIDATABLE')
        check(said in detail and (said or 'over' not in detail), detail)


def spreads_that_spread_nothing():
    """A spread whose selector misses its own pods: the label, every such constraint, and no word that it chose a zone."""
    here = term(situations.ZONE, 'us-west-2a', 'us-west-2b')
    both = [rule for key in (situations.ZONE, situations.HOST) for rule in situations.spread('blah', key, 'ScheduleAnyway')]
    pods = [pod(f'web-{i}', topologySpreadConstraints=both) for i in range(2)]
    told = asked('explain', 'pod', 'shop/web-0', objects=[pool(LARGE, here), *pods])
    check('topology spread by topology.kubernetes.io/zone and by kubernetes.io/hostname does not spread such pods, as its labelSelector asks for app=blah' in str(told['warnings']), told['warnings'])
    equal([c['text'] for c in told['causes'] if c['kind'] == 'topology'], [], 'it chooses nothing')
    said = asked('plan', objects=[pool(LARGE, here), *pods], output='text')
    check('of app=blah, which counts none of them: kept for all 2 pods' in said, said)


def zones_without_a_rule():
    """What decides about the zones of several nodes: a zone that nothing can be launched in, or nothing at all."""
    stale = {**situations.NODE_CLASS, 'metadata': {'name': 'own'}, 'status': {'subnets': [{'id': f'subnet-{z}', 'zone': f'us-west-2{z}'} for z in 'ab']}}
    pools = [pool(LARGE), pool(LARGE, term(situations.ZONE, 'us-west-2a', 'us-west-2d'), name='stale')]
    for one in pools:
        one['spec']['template']['spec']['nodeClassRef']['name'] = 'own'
    pods = [pod(f'web-{i}', cpu='1500m', topologySpreadConstraints=situations.spread('web', how='ScheduleAnyway')) for i in range(4)]
    for name in ('web-0', 'web-3'):
        said = why('topology', name, stale, *pools, *pods)
        check('by topology.kubernetes.io/zone was given up for 2 such pods: us-west-2d has the fewest pods, 0' in said and 'only NodePool stale names it' in said, f'{name}: {said}')
    equal('given up' in why('topology', 'web-0', stale, pools[0], *pods), False, 'without that NodePool')
    later = [pool(LARGE, term(situations.ZONE, zone), name=name) for name, zone in (('a', 'us-west-2a'), ('b', 'us-west-2b'))]
    spread = [pod(f'web-{i}', cpu='1500m', topologySpreadConstraints=situations.spread('web', how='ScheduleAnyway')) for i in range(2)]
    told = [asked('explain', 'pod', f'shop/web-{i}', objects=[*later, *spread], output='text') for i in range(2)]
    equal([('was tried before, and did not take it at its turn' in said, 'of equal weights the last name is tried first' in said) for said in told],
          [(False, True), (True, False)], told)
    free = [pod(f'web-{i}', cpu='1500m') for i in range(3)]
    said = why('topology', 'web-1', pool(LARGE), *free)
    check('the 3 new nodes for such pods may be in one zone' in said and 'balances nothing' in said, said)
    for objects in ([pool(LARGE, term(situations.ZONE, 'us-west-2a')), *free], [pool(LARGE), free[0]], [pool(LARGE), *pods]):
        equal('balances nothing' in why('topology', 'web-0', *objects), False, 'one zone, one node, or a spread')


def rules_of_domains():
    """Which rule keeps a pod off the existing nodes."""
    apart, join = situations.affinity('podAntiAffinity', {'app': 'web'}, situations.HOST), situations.affinity('podAffinity', {'app': 'web'})
    for rules, there, wanted in (({'affinity': apart}, {}, 'its pod anti-affinity by kubernetes.io/hostname does not allow it'),
                                 ({'topologySpreadConstraints': situations.spread('web', situations.HOST)}, {}, 'its topology spread by kubernetes.io/hostname does not allow it'),
                                 ({'affinity': join, 'topologySpreadConstraints': situations.spread('web', situations.HOST)}, {}, 'its topology spread by kubernetes.io/hostname or its pod affinity by topology.kubernetes.io/zone'),
                                 ({}, {'affinity': apart}, 'the pod anti-affinity of other pods does not allow it')):
        said = asked('explain', 'pod', 'shop/web-1', objects=[pool(LARGE), *joined('n1', 'm6i.large'), pod('web-0', 'n1', **there), pod('web-1', **rules)])
        check(wanted in str(said), f'{wanted}: {said}')
    both = {**apart, **situations.affinity('podAffinity', {'app': 'web'}, situations.HOST)}
    said = str(asked('explain', 'pod', 'shop/web-1', objects=[pool(LARGE), *joined('n1', 'm6i.large'), pod('web-0', 'n1'), pod('web-1', affinity=both)]))
    check('another of its topology rules, or a rule of a pod there, excludes it' in said and 'would take the pod' not in said, said)


def who_chooses():
    """A plan says who chooses among the types of a spot launch; on-demand, and with one type, nobody does."""
    for types, capacity, wanted in ((('m6i.large', 'm6i.xlarge'), 'spot', True), (('m6i.large',), 'spot', False), (('m6i.large', 'm6i.xlarge'), 'on-demand', False)):
        said = asked('plan', objects=[pool(term(TYPE, *types), term(CAPACITY, capacity)), pod('web-0')], output='text')
        equal('EC2 chooses among the types of a spot launch by price and spare capacity' in said, wanted, said)
    for zones, count, wanted in (((), 2, True), ((), 1, False), (('us-west-2a',), 2, False), (('us-west-2a', 'us-west-2b'), 2, True)):
        said = asked('plan', objects=[pool(LARGE, *([term(situations.ZONE, *zones)] if zones else [])), *(pod(f'web-{i}', cpu='1500m') for i in range(count))], output='text')
        equal('EC2 chooses the zone of launches that no rule ties to one' in said, wanted, said)


def pods_without_requests():
    idle = [pod(f'site-{i}') for i in range(3)]
    for one in idle:
        del one['spec']['containers'][0]['resources']
    wanted = 'requests neither cpu nor memory'
    for on in ([], [*joined('n1')]):
        check(wanted in why('fullest', 'site-0', pool(LARGE), *on, *idle), 'a new node and an existing one')
    check('nothing is requested: only the number of pods counts' in asked('plan', objects=[pool(LARGE), *idle], output='text'), 'the plan')
    equal(wanted in why('fullest', 'web-0', pool(LARGE), pod('web-0')), False, 'it has requests')


def pods_of_nodes_that_go():
    """A pod of a node that is being deleted keeps all others, if it has no place: it is named with its node."""
    old = node('old', of='gone')
    its = claim(old)
    for one in (old, its):
        one['metadata'].update(deletionTimestamp='2026-01-01T00:00:00Z', finalizers=['karpenter.sh/termination'])
    stuck = pod('report-0', 'old', owner='StatefulSet', nodeSelector={'karpenter.sh/nodepool': 'gone'})
    objects = [pool(SIZES, disruption=FREE), *joined('n1'), pod('web-0', 'n1'), old, its, stuck]
    rows = stays('n1', *objects)
    equal([r['code'] for r in rows], ['PODS_WOULD_NOT_SCHEDULE'], 'the only reason')
    check('shop/report-0 is on old, which is being deleted, and has no other place; until it has, no node with pods is' in rows[0]['detail'] and 'karpenter.sh/nodepool In [gone]' in rows[0]['detail'], rows)
    said = asked('disrupt', *NOW, objects=objects, output='text')
    check('not all pods that would have to move fit elsewhere: shop/report-0' in said and '1 candidate, 1 node stays in this pass' in said, said)
    its['spec'].update(expireAfter='24h', terminationGracePeriod='48h')
    guard = {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'all', 'namespace': 'shop'},
             'spec': {'selector': {}, 'minAvailable': '100%'}, 'status': {'disruptionsAllowed': 0, 'expectedPods': 2}}
    said = stays('old', *objects, guard)[0]['detail']
    check('as its expireAfter 24h was over' in said and 'shop/report-0 (PodDisruptionBudget all allows no eviction) until' in said, said)
    its['spec']['expireAfter'] = '12h'
    check('expireAfter' not in stays('old', *objects, guard)[0]['detail'], 'it was deleted later')


def budgets_at_a_time():
    """A budget bounds what goes at a time, and is no rate; the default is named for nodes that drift."""
    fleet = [one for i in range(12) for one in joined(f'n{i:02d}', 'm6i.large', Drifted='True')]
    wanted = 'has the budget that is Karpenter\'s default, 10% of its nodes at a time'
    for disruption, default in ((None, True), ({'budgets': [{'nodes': '2'}]}, False)):
        said = asked('explain', 'node', 'n05', *NOW, objects=[pool(SIZES, disruption=disruption), *fleet, *(pod(f'web-{i}', f'n{i:02d}', cpu='1') for i in range(12))], output='text')
        equal((wanted in said, 'allow 2 disruptions at a time now: when so many are under way, the next node may follow when one of them is done' in said), (default, True), said)
        check('by a cheaper one only' not in said, f'prices have no part in drift: {said}')
    for one in fleet[-6::2]:
        one['status']['conditions'] = [{'type': 'Ready', 'status': 'False', 'lastTransitionTime': '2025-12-31T00:00:00Z'}]
    told = asked('explain', 'node', 'n00', *NOW, objects=[pool(SIZES, disruption={'budgets': [{'nodes': '2'}]}), *fleet, pod('web-0', 'n00', cpu='1')])
    equal([r['text'] for r in told['remedies'] if r.get('code') == 'BUDGET'], ['let the disruption budgets allow 4 nodes at a time in NodePool std'], told)


def images_that_follow():
    """An alias of the latest image is named where nodes drift by their image; a version is none."""
    one, its = joined('n1', Drifted='True')
    next(c for c in its['status']['conditions'] if c['type'] == 'Drifted')['reason'] = 'AMIDrift'
    for alias, wanted in (('bottlerocket@latest', True), ('bottlerocket@v1.44.0', False)):
        own = {**situations.NODE_CLASS, 'metadata': {'name': 'own'}, 'spec': {**situations.NODE_CLASS['spec'], 'amiSelectorTerms': [{'alias': alias}]}}
        there = pool(LARGE)
        there['spec']['template']['spec']['nodeClassRef']['name'] = 'own'
        said = asked('explain', 'node', 'n1', *NOW, objects=[own, there, one, its, pod('web-0', 'n1')], output='text')
        equal(('EC2NodeClass own selects an alias that ends in @latest' in said, 'AMIDrift: the node' in said), (wanted, True), said)
    for policy, wanted in (('WhenEmpty', True), ('WhenEmptyOrUnderutilized', False)):
        said = asked('explain', 'node', 'n1', *NOW, objects=[pool(LARGE, disruption={'consolidationPolicy': policy, 'consolidateAfter': '1m'}), one, its, pod('web-0', 'n1')], output='text')
        equal('consolidationPolicy WhenEmpty of NodePool std does not hold it' in said, wanted, said)


volumes()
what_nothing_says()
images_that_follow()
spreads_that_spread_nothing()
zones_without_a_rule()
rules_of_domains()
who_chooses()
pods_without_requests()
pods_of_nodes_that_go()
budgets_at_a_time()
full_nodes_before_spot()
types()
changes_of_nodes()
limits_and_ends()
sick_pods()
behind_a_gate()
drains_without_an_end()
budgets_of_a_reason()
drains_with_an_end()
labels()
nodes_that_start()
changes_of_topology()
behind_limits()
unknown_prices()
nodes_that_stay()
pools()
topology()
sys.exit(finish())
