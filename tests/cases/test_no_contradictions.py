# SPDX-License-Identifier: Apache-2.0
"""What an answer says in one sentence it does not take back in another: nodes that go anyway, pods without a place, pods of DaemonSets."""
import sys

from situations import STORAGE, TYPE, asked, claim, node, pod, pool, spread, term, volume
from stories import check, equal, finish

NOW = ('--now', '2026-01-01T12:00:00Z')
LARGE, SIZES = term(TYPE, 'm6i.large'), term(TYPE, 'm6i.large', 'm6i.xlarge')
FREE = {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}


def three(expire=None):
    """Three nodes whose pods fit on one of them."""
    objects = [pool(LARGE, disruption=FREE)]
    for i in range(3):
        one = node(f'n{i}')
        its = claim(one, Consolidatable='True')
        if expire:
            its['spec']['expireAfter'] = expire
        objects += [one, its, pod(f'a-{i}', f'n{i}', cpu='200m'), pod(f'b-{i}', f'n{i}', cpu='200m')]
    return objects


def expired_nodes():
    """A pass that counts on nodes which have expired saves nothing that lasts, and a plan does not rely on them silently."""
    told = asked('disrupt', *NOW, objects=three('1h'))
    equal([(c['nodes'], c.get('expired')) for c in told['commands']], [(['n0', 'n1'], True)], 'its nodes and the one that receives pods go')
    equal([c.get('expired') for c in asked('disrupt', *NOW, objects=three('720h'))['commands']], [None], 'weeks away')
    said = asked('disrupt', *NOW, objects=three('1h'), output='text')
    check('counts on nodes that have expired and go anyway' in said and 'saves $' not in said and 'Cost if no node had expired: $0.288/h' in said, said)
    for name in ('n0', 'n2'):
        said = asked('explain', 'node', name, *NOW, objects=three('1h'), output='text')
        check(f'{name} is expired: Karpenter deletes it' in said and 'save $' not in said and 'saves $' not in said, said)
    only = three('1h')
    told = asked('plan', *NOW, objects=[*only, pod('new-0')])
    check(any(w.startswith('n0 has expired, and Karpenter deletes it: 1 pod that this plan puts there needs another node') for w in told['warnings']), told['warnings'])
    check(not any('expired' in w for w in asked('plan', *NOW, objects=[*three('720h'), pod('new-0')]).get('warnings', [])), 'weeks away')


def beside_a_command():
    """A node to which the pods of a command go could not be removed with them."""
    told = asked('explain', 'node', 'n2', *NOW, objects=three())
    equal([b['code'] for b in told['blockers']], ['NOT_REACHED_IN_PASS'], told['blockers'])
    detail = told['blockers'][0]['detail']
    check('MultiNodeConsolidation of n0, n1' in detail and 'with this node as well: the replacement would be of a type that is being removed' in detail, detail)
    equal(float(told['bestRejectedMove']['savings']), 0.0, 'the two others are gone then')
    check('Eligible' not in asked('explain', 'node', 'n2', *NOW, objects=three(), output='text'), 'no pass takes it')


def without_dynamic_pools():
    """Pods that no NodePool can launch for have no place: their node is not free to go."""
    fixed = pool(LARGE, replicas=1)
    one = node('n1')
    objects = [fixed, one, claim(one), pod('w-0', 'n1', cpu='1800m')]
    told = asked('explain', 'node', 'n1', *NOW, '--feature-gates', 'StaticCapacity=true', objects=objects)
    equal(told.get('bestRejectedMove'), None, 'its pod has no place elsewhere')
    said = asked('explain', 'pod', 'shop/w-0', *NOW, objects=objects, output='text')
    check('would not be considered' in said and 'the pod would have no node' in said, said)


def pods_of_daemon_sets():
    daemons = {'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': 'logs', 'namespace': 'shop'},
               'spec': {'selector': {'matchLabels': {'app': 'logs'}}, 'template': {'metadata': {'labels': {'app': 'logs'}}, 'spec': {'containers': [
                   {'name': 'c', 'resources': {'requests': {'cpu': '400m'}}}]}}}}
    one = node('n1')
    full = [pool(LARGE), daemons, one, claim(one), pod('run-0', 'n1', cpu='1700m'), pod('logs-x', cpu='400m', owner='DaemonSet')]
    notes = asked('plan', *NOW, objects=full)['warnings']
    check(any(n.startswith('shop/logs-x: there is no room on n1: it requests cpu 400m, and other pods leave 230m;') for n in notes), notes)
    said = asked('plan', *NOW, objects=full, output='text')
    check('No pod to place' in said and '0 of 0' not in said, said)
    waiting = [pod(f'logs-{i}', cpu='400m', owner='DaemonSet') for i in range(120)]
    notes = asked('plan', *NOW, objects=[*full[:-1], *waiting])['warnings']
    check(any('(at least 99 more pods are like it)' in n for n in notes), f'a hundred are looked at: {notes}')
    roomy = [pool(LARGE), daemons, one, claim(one), pod('run-0', 'n1', cpu='500m'), pod('logs-x', cpu='400m', owner='DaemonSet')]
    equal([n for n in asked('plan', *NOW, objects=roomy).get('warnings', []) if 'no room' in n], [], 'kube-scheduler has not bound it yet')
    there = [*full[:-1], pod('logs-y', 'n1', cpu='200m', owner='DaemonSet'), full[-1]]
    equal([n for n in asked('plan', *NOW, objects=there).get('warnings', []) if 'no room' in n], [], 'the node has its pod')
    said = asked('explain', 'pod', 'shop/logs-y', *NOW, objects=there, output='text')
    check('the pod would end with it' in said and 'another existing node' not in said, said)


def leaving_node():
    one = node('n1')
    its = claim(one)
    its['metadata']['deletionTimestamp'] = '2026-01-01T11:00:00Z'
    told = asked('explain', 'pod', 'shop/w-0', *NOW, objects=[pool(LARGE), one, its, pod('w-0', 'n1', annotations={'karpenter.sh/do-not-disrupt': 'true'})])
    text = ' '.join(c['text'] for c in told['causes'] if c['kind'] == 'running')
    check('the node is being deleted, but karpenter.sh/do-not-disrupt of the pod holds its drain' in text and 'does not move it' not in text, text)


def own_volumes():
    """Two pods of one class: each is explained with its own claim."""
    constraint = spread('es', minDomains=2)
    objects = [pool(LARGE), STORAGE, pod('es-0', 'na', cpu='1500m', topologySpreadConstraints=constraint), node('na'), pod('es-1', 'nb', cpu='1500m', topologySpreadConstraints=constraint),
               node('nb', zone='us-west-2b')]
    for i in (2, 3):
        objects += [volume(f'd{i}', 'us-west-2a'), pod(f'es-{i}', cpu='1500m', volume=f'd{i}', topologySpreadConstraints=constraint)]
    for i in (2, 3):
        told = asked('explain', 'pod', f'shop/es-{i}', *NOW, objects=objects)
        cause = told['unschedulable']['topology'][0]['cause']
        check(f'claim shop/d{i} has its volume in us-west-2a' in cause, cause)


def exact_room():
    """The largest request that is offered is what the cause says is left."""
    daemons = {'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': 'agents', 'namespace': 'shop'},
               'spec': {'selector': {'matchLabels': {'app': 'agents'}}, 'template': {'metadata': {'labels': {'app': 'agents'}}, 'spec': {'containers': [
                   {'name': 'c', 'resources': {'requests': {'cpu': '2440m', 'memory': '12102Mi'}}}]}}}}
    told = asked('explain', 'pod', 'shop/prom-0', objects=[pool(term(TYPE, 'r5.12xlarge')), daemons, pod('prom-0', cpu='40', memory='350Gi')])
    said = ' '.join(c['text'] for c in told['causes'])
    check('have at most 348693Mi memory for pods' in said, said)
    equal([r['text'] for r in told['remedies']], ['request at most 348693Mi memory'], 'not one Mi less')


def memory_by_limits():
    """Pods are placed by requests: their limits may come to more memory than there is."""
    def limited(name, limit, on=None):
        one = pod(name, on, cpu='400m')
        one['spec']['containers'][0]['resources']['limits'] = {'memory': limit}
        return one
    pending = [limited(f'web-{i}', '3Gi') for i in range(4)]
    causes = {c['kind']: c['text'] for c in asked('explain', 'pod', 'shop/web-0', objects=[pool(LARGE), *pending])['causes']}
    check('the limits of its 4 pods come to 12Gi memory, of 6903Mi' in causes['overcommit'] and 'by their requests alone' in causes['overcommit'], causes)
    few = asked('explain', 'pod', 'shop/web-0', objects=[pool(LARGE), *(limited(f'web-{i}', '1Gi') for i in range(4))])
    equal([c['text'] for c in few['causes'] if c['kind'] == 'overcommit'], [], 'they fit')
    one = node('n1')
    there = [pool(LARGE), one, claim(one), *(limited(f'web-{i}', '3Gi', 'n1') for i in range(4))]
    notes = asked('explain', 'node', 'n1', *NOW, objects=there)['warnings']
    check(any('the limits of its 4 pods come to 12Gi memory, of 6887Mi' in n for n in notes), notes)
    found = [f for f in asked('lint', objects=there)['findings'] if f['rule'] == 'memory-overcommit']
    equal([(f['kind'], f['object']) for f in found], [('Node', 'n1')], 'lint names the node')


def domains_that_are_chosen():
    """The value of a topology key that a spread chooses is a cause of the NodePool, type and zone."""
    spot, od = pool(SIZES, term('split', '2', '3'), name='cheap'), pool(SIZES, term('split', '1'), name='dear')
    pods = [pod(f'mix-{i}', topologySpreadConstraints=spread('mix', 'split')) for i in range(3)]
    told = {i: asked('explain', 'pod', f'shop/mix-{i}', objects=[spot, od, *pods]) for i in range(3)}
    texts = [' '.join(c['text'] for c in told[i]['causes'] if c['kind'] == 'topology') for i in range(3)]
    check(all('its topology spread by split chooses ' in t for t in texts) and len(set(texts)) == 3, texts)
    alone = asked('explain', 'pod', 'shop/mix-0', objects=[pool(SIZES, term('split', '1')), *pods])
    equal([c for c in alone['causes'] if c['kind'] == 'topology'], [], 'there is no other value')


def two_obstacles():
    """A requirement that nothing meets does not hide a request that nothing is large enough for."""
    told = asked('explain', 'pod', 'shop/a-0', objects=[pool(SIZES), pod('a-0', cpu='40', nodeSelector={'team': 'x'})])
    check(any('have at most 3920m cpu for pods, and the pod requests 40' in c['text'] for c in told['causes']), told['causes'])


def requirements_without_a_type():
    told = asked('explain', 'pod', 'shop/a-0', objects=[pool(term(TYPE, 'm6i.lrage')), pod('a-0')])
    equal([r['text'] for r in told['remedies']], ['drop or correct the requirement on node.kubernetes.io/instance-type of NodePool std, without which it has types'], 'as lint says')


def equal_prices():
    one = node('n1')
    told = asked('explain', 'node', 'n1', *NOW, objects=[pool(LARGE, disruption=FREE), one, claim(one, Consolidatable='True'), pod('a-0', 'n1', cpu='1500m')])
    check(any('it costs as much as the node, and a replacement has to be cheaper' in b['detail'] for b in told['blockers']), told['blockers'])


memory_by_limits()
domains_that_are_chosen()
two_obstacles()
requirements_without_a_type()
equal_prices()
expired_nodes()
beside_a_command()
without_dynamic_pools()
pods_of_daemon_sets()
leaving_node()
own_volumes()
exact_room()
sys.exit(finish())
