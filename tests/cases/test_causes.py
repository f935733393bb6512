# SPDX-License-Identifier: Apache-2.0
"""Further kinds of public threads: the answer to one question names the cause on which the thread ended."""
import sys

import situations
from situations import STORAGE, TYPE, asked, claim, node, pod, pool, term, volume
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
    equal(both, '', 'a zone for both')
    away = why('volumes', 'db-0', pool(LARGE, term(situations.ZONE, 'us-west-2b')), STORAGE, pod('db-0', volume='d'), volume('d', 'us-west-2a'))
    check('claim shop/d has its volume in us-west-2a' in away and 'no node' not in away, f'no NodePool there: {away}')
    disk = pod('big-0')
    disk['spec']['containers'][0]['resources']['requests']['ephemeral-storage'] = '100G'
    said = why('type', 'big-0', pool(LARGE), disk)
    check('at most 17Gi' in said and 'EC2NodeClass std may set in blockDeviceMappings' in said and 'instanceStorePolicy' in said, said)


def nodes_that_start():
    waiting, its = joined('n1')
    its['status']['conditions'][2]['status'] = 'Unknown'
    del waiting['metadata']['labels']['karpenter.sh/initialized']
    for key, wanted in (('example.com/starts', 'which Karpenter does not remove'),
                        ('node.cloudprovider.kubernetes.io/uninitialized', 'the kubelet or the cloud controller')):
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
    check('example.com/cni:NoSchedule is not tolerated, which NodePool std does not declare' in said, said)
    said = why('existingNodes', 'web-0', pool(LARGE, taints=fresh['spec']['taints'], name='std'), pool(LARGE, name='b'), fresh, pod('web-0'))
    check('is not tolerated (n1)' in said, f'declared: {said}')


def nodes_that_stay():
    quiet = {'consolidationPolicy': 'WhenEmpty', 'consolidateAfter': '30s'}
    agent = pod('agent-1', 'n1', owner='DaemonSet')
    said = stays('n1', pool(SIZES, disruption=quiet), *joined('n1'), agent, pod('typha-1', 'n1'), pod('typha-2', 'n1'))[0]['detail']
    check('no DaemonSet owns shop/typha-1 and 1 more of its pods' in said, said)
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


volumes()
nodes_that_start()
nodes_that_stay()
pools()
topology()
sys.exit(finish())
