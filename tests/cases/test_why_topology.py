# SPDX-License-Identifier: Apache-2.0
"""A pod that topology refuses: the domains with their counts, where they come from, why each is not allowed, and what to change first."""
import json
import pathlib

from situations import STORAGE, ZONE, HOST, TYPE, affinity, asked, claim, node, pod, pool, spread, term, volume
from stories import check, equal, finish, run


def explained(name, *objects):
    """(the topologies of the pod, by kind and selector; its remedies as pairs of kind and text)"""
    told = asked('explain', 'pod', f'shop/{name}', objects=objects)
    rows = told['unschedulable'].get('topology', [])
    equal(told['unschedulable']['permanent'], False, 'counts change')
    return rows, [(r['kind'], r['text']) for r in told['remedies']]


def domains(row):
    return {d['value']: (d['pods'], d['code']) for d in row['domains']}


def domain(row, value):
    return next(d for d in row['domains'] if d['value'] == value)


def chance():
    """Which of several domains with as few pods is tried is Karpenter's chance, and no certain choice."""
    folder = pathlib.Path(__file__).with_name('scheduling')
    words = ('-f', next(folder.glob('**/unlucky-domain.yaml')), '-f', next(folder.glob('**/reserved-or-spot-pool.yaml')),
             '--catalogue', next(folder.glob('**/spot-types.yaml')))
    out, err = run('explain', 'pod', 'default/spread', *words, status=None)
    check('reserved is tried, one of those with the fewest pods; where several have as few, Karpenter takes any of them at random'
          in ' '.join(out.split()), out + err)


def empty_zone():
    """A node with an empty zone is a domain of its own, which nothing can fill."""
    constraint = spread('cart')
    tiny = node('gateway', labels={ZONE: ''})
    tiny['status']['allocatable'] = {'cpu': '200m', 'memory': '500Mi', 'pods': '20'}
    del tiny['metadata']['labels']['karpenter.sh/nodepool']
    cluster = [pool(term(TYPE, 'm6i.large')), *(node(f'{z}1', f'us-west-2{z}') for z in 'abc'), tiny,
               *(pod(f'cart-{z}', f'{z}1', topologySpreadConstraints=constraint) for z in 'abc'),
               pod('cart-new', cpu='1500m', topologySpreadConstraints=constraint)]
    rows, remedies = explained('cart-new', *cluster)
    row, = rows
    equal(domains(row), {'': (0, 'NO_NODE'), **{f'us-west-2{z}': (1, 'SKEW') for z in 'abc'}}, 'counts with an empty zone')
    equal((domain(row, '')['node'], domain(row, '').get('nodePool'), domain(row, '')['minimum']), ('gateway', None, True), 'where it comes from')
    equal((row['minimum'], row['maxSkew']), (0, 1), 'the minimum')
    check('gateway' in row['cause'], row['cause'])
    equal([k for k, _ in remedies], ['REMOVE_LABEL', 'DROP_TOPOLOGY'], remedies)
    check('gateway' in remedies[0][1] and ZONE in remedies[0][1], remedies)
    said = asked('plan', objects=cluster, output='text')
    check('"" has 0, us-west-2a has 1, us-west-2b has 1, us-west-2c has 1' in said and 'gateway' in said, said)


def stale_zone():
    """A zone that only the requirements of an unrelated NodePool name."""
    cluster = [pool(term(TYPE, 'm6i.large'), name='web'), pool(term(ZONE, 'us-west-2q'), name='leftover'),
               *(pod(f'hard-{i}', cpu='1500m', topologySpreadConstraints=spread('hard')) for i in range(4))]
    rows, remedies = explained('hard-3', *cluster)
    row, = rows
    stale = domain(row, 'us-west-2q')
    equal((stale['pods'], stale['code'], stale['nodePool'], stale['named']), (0, 'NO_NODE', 'leftover', True), stale)
    equal({v for v, (_, code) in domains(row).items() if code == 'SKEW'}, {f'us-west-2{z}' for z in 'abc'}, 'the others')
    check('leftover' in row['cause'] and 'us-west-2q' in row['cause'], row['cause'])
    equal(remedies[0][0], 'REMOVE_VALUE', remedies)
    check(remedies[0][1].startswith('remove us-west-2q from the requirements of NodePool leftover, with the requirement, which has no other value'), remedies)
    equal(remedies[-1][0], 'DROP_TOPOLOGY', remedies)


def bound_volumes():
    """Volumes pin the pods to two zones; a NodePool makes a third one known."""
    constraint = spread('es', minDomains=2)
    cluster = [pool(term(TYPE, 'm6i.large')), STORAGE, node('na'), node('nb', 'us-west-2b'),
               *(pod(f'es-{i}', on, cpu='1500m', volume=f'es-{i}', owner='StatefulSet', topologySpreadConstraints=constraint)
                 for i, on in enumerate(['na', 'nb', None])),
               volume('es-0', 'us-west-2a'), volume('es-1', 'us-west-2b'), volume('es-2', 'us-west-2a')]
    rows, remedies = explained('es-2', *cluster)
    row, = rows
    equal(domains(row), {'us-west-2a': (1, 'SKEW'), 'us-west-2b': (1, 'VOLUME'), 'us-west-2c': (0, 'VOLUME')}, 'counts with volumes')
    equal(domain(row, 'us-west-2c')['volume'], 'shop/es-2', 'which volume pins it')
    check('us-west-2c' in row['cause'] and 'shop/es-2' in row['cause'] and 'us-west-2a' in row['cause'], row['cause'])
    equal([k for k, _ in remedies], ['EXCLUDE_VALUE', 'DROP_TOPOLOGY'], remedies)
    check('us-west-2c' in remedies[0][1] and 'std' in remedies[0][1], remedies)


def anchor_of_affinity():
    """The first pod of a pair starts where the volume of the second is not."""
    pair = affinity('podAffinity', {'group': 'pair'})
    cluster = [pool(term(TYPE, 'm6i.large')), STORAGE, node('idle', 'us-west-2b', 'm6i.xlarge'),
               pod('front-0', labels={'group': 'pair'}, affinity=pair),
               pod('store-0', labels={'group': 'pair'}, affinity=pair, volume='d-store'), volume('d-store', 'us-west-2c')]
    rows, remedies = explained('store-0', *cluster)
    row, = rows
    equal((row['kind'], domains(row)['us-west-2b'], domains(row)['us-west-2c']), ('affinity', (1, 'VOLUME'), (0, 'NO_POD')), row)
    equal((domain(row, 'us-west-2b')['pod'], domain(row, 'us-west-2b')['volume']), ('shop/front-0', 'shop/d-store'), 'anchor and volume')
    check(all(word in row['cause'] for word in ('shop/front-0', 'us-west-2b', 'shop/d-store', 'us-west-2c')), row['cause'])
    equal([k for k, _ in remedies], ['PIN_PARTNER', 'DROP_TOPOLOGY'], remedies)
    check('shop/front-0' in remedies[0][1] and f'{ZONE}=us-west-2c' in remedies[0][1], remedies)


def anchor_on_full_node():
    """An affinity by host name to a pod whose node is full."""
    cluster = [pool(term(TYPE, 'm6i.large')), node('n1'), pod('db-0', 'n1', cpu='1500m'),
               pod('web-0', cpu='1', affinity=affinity('podAffinity', {'app': 'db'}, HOST))]
    rows, _ = explained('web-0', *cluster)
    row, = rows
    equal((row['kind'], row['domains'][0]['value'], row['domains'][0]['pod'], row['domains'][0]['code']),
          ('affinity', 'n1', 'shop/db-0', 'NO_NODE'), row)
    check('shop/db-0' in row['cause'] and 'n1' in row['cause'] and 'resources' in row['cause'], row['cause'])


def nobody_to_join():
    """A selector that selects nothing, and one that selects an unschedulable pod."""
    alone = [pool(term(TYPE, 'm6i.large')), pod('web-0', affinity=affinity('podAffinity', {'app': 'dbx'}))]
    rows, _ = explained('web-0', *alone)
    check('app=dbx' in rows[0]['cause'] and all(code == 'NO_POD' for _, code in domains(rows[0]).values()), rows)
    both = [pool(term(TYPE, 'm6i.large')), pod('db-0', cpu='900'), pod('web-0', affinity=affinity('podAffinity', {'app': 'db'}))]
    rows, _ = explained('web-0', *both)
    check('shop/db-0' in rows[0]['cause'] and 'unschedulable' in rows[0]['cause'], rows)


def zonal_anti_affinity():
    """A new node can be in any zone, so the first pod takes them all; running pods take one each."""
    wish = affinity('podAntiAffinity', {'app': 'z'})
    pods = [pod(f'z-{i}', affinity=wish) for i in range(4)]
    rows, remedies = explained('z-1', pool(term(TYPE, 'm6i.large')), *pods)
    row, = rows
    equal(set(domains(row).values()), {(1, 'TAKEN')}, row)
    equal({d['pod'] for d in row['domains']}, {'shop/z-0'}, 'who takes them')
    check('all 3 domains' in row['cause'] and 'shop/z-0' in row['cause'], row['cause'])
    equal(remedies[-1][0], 'DROP_TOPOLOGY', remedies)
    running = [x for i, z in enumerate('abc') for x in (node(f'n{z}', f'us-west-2{z}'), pod(f'z-{i}', f'n{z}', affinity=wish))]
    rows, _ = explained('z-3', pool(term(TYPE, 'm6i.large')), *running, pods[3])
    equal([(d['value'], d['pod']) for d in rows[0]['domains']], [(f'us-west-2{z}', f'shop/z-{i}') for i, z in enumerate('abc')], rows)
    rows, _ = explained('other-0', pool(term(TYPE, 'm6i.large')), *running, pod('other-0', app='z'))
    equal((len(rows), rows[0]['kind'], rows[0]['selectsItself']), (1, 'antiAffinityOfOthers', False), rows)


def selector_misses():
    """A constraint whose selector has a typing error makes two constraints choose different zones."""
    pods = [pod(f'web-{i}', topologySpreadConstraints=[*spread('web', nodeTaintsPolicy='Honor'), *spread('wed')]) for i in range(3)]
    rows, remedies = explained('web-1', pool(term(TYPE, 'm6i.large')), *pods)
    by = {r['selector']: r for r in rows}
    equal((by['app=web']['selectsItself'], by['app=wed']['selectsItself']), (True, False), rows)
    check('app=wed' in by['app=wed']['cause'], by['app=wed']['cause'])
    equal(remedies[0][0], 'CORRECT_SELECTOR', remedies)
    check('app=web' in remedies[0][1] and 'wed' in remedies[0][1], remedies)
    equal(len({text for _, text in remedies}), len(remedies), 'no text twice')


def too_few_domains():
    """minDomains above the number of domains that a node selector leaves."""
    pods = [pod(f'pinned-{i}', nodeSelector={ZONE: 'us-west-2a'}, topologySpreadConstraints=spread('pinned', minDomains=6)) for i in range(2)]
    rows, remedies = explained('pinned-1', pool(term(TYPE, 'm6i.large')), *pods)
    row, = rows
    equal(domains(row), {'us-west-2a': (1, 'SKEW'), 'us-west-2b': (0, 'SELECTOR'), 'us-west-2c': (0, 'SELECTOR')}, 'one domain is left')
    check('minDomains is 6' in row['cause'], row['cause'])
    equal(remedies[0][0], 'DROP_MIN_DOMAINS', remedies)


def no_domain():
    """A label that nothing has, and domains that the pod itself excludes: no number stands for a minimum that does not exist."""
    rack = [pod(f'web-{i}', topologySpreadConstraints=spread('web', 'example.com/rack', minDomains=2)) for i in range(2)]
    rows, _ = explained('web-1', pool(term(TYPE, 'm6i.large')), *rack)
    row, = rows
    equal((row['domains'], row['minimum']), ([], 0), row)
    check('no node has the label example.com/rack' in row['cause'] and 'no NodePool' in row['cause'], row['cause'])
    rack = [pod(f'web-{i}', topologySpreadConstraints=spread('web', 'example.com/rack')) for i in range(2)]
    equal(explained('web-1', pool(term(TYPE, 'm6i.large')), *rack)[0][0]['cause'], row['cause'], 'with or without minDomains')
    labelled = node('n1', labels={'example.com/rack': 'r1'})
    shut = [pod('web-0', topologySpreadConstraints=spread('web', 'example.com/rack'), nodeSelector={'example.com/rack': 'r9'})]
    told = asked('explain', 'pod', 'shop/web-0', objects=[pool(term(TYPE, 'm6i.large')), labelled, *shut])
    check('2147483647' not in json.dumps(told), told)


def removed_nodes():
    """A node that karp whatif removes takes no pod, and is no reason."""
    held = [pod('web-0', 'n1', cpu='1500m', topologySpreadConstraints=spread('web')), pod('web-1', 'n2', cpu='1500m', topologySpreadConstraints=spread('web'))]
    cluster = [pool(term(TYPE, 'm6i.large')), node('n1'), node('n2', 'us-west-2b'), *held]
    lost = asked('whatif', '--lose-zone', 'us-west-2a', objects=cluster)
    row, = lost['unschedulable']
    check('n1' not in json.dumps(row) and 'excludes it' not in json.dumps(row), row)
    equal([(d['value'], d['code'], d['nodes']) for d in row['topology'][0]['domains'] if d['value'] == 'us-west-2a'], [('us-west-2a', 'NO_NODE', 0)], row)


def not_to_blame():
    """Topology is not named where the pod fits nowhere anyway."""
    told = asked('explain', 'pod', 'shop/big-0', objects=[pool(term(TYPE, 'm6i.large')), pod('big-0', cpu='900', topologySpreadConstraints=spread('big'))])
    check('topology' not in told['unschedulable'] and told['unschedulable']['permanent'], told)


def limit_not_to_blame():
    """A NodePool at its limit is not what sends pods elsewhere whose spread asks for a domain that it does not have."""
    split, large = 'capacity-spread', term(TYPE, 'm6i.large')
    notes = {}
    for key in (split, ZONE):
        first = pool(large, term(split, '1'), name='od', weight=50, limits={'cpu': '2'})
        pods = [pod(f'web-{i}', cpu='1500m', topologySpreadConstraints=spread('web', key)) for i in range(6)]
        told = asked('plan', objects=[first, pool(large, term(split, '2', '3'), name='more'), *pods])
        notes[key] = [w for w in told.get('warnings', []) if 'limit cpu 2' in w]
        check({i['nodePool'] for i in told['launches']} == {'od', 'more'}, told['launches'])
    equal((notes[split], len(notes[ZONE])), ([], 1), 'a zone is where both may launch')


for one in (limit_not_to_blame, chance, empty_zone, stale_zone, bound_volumes, anchor_of_affinity, anchor_on_full_node, nobody_to_join, zonal_anti_affinity, selector_misses,
            too_few_domains, no_domain, removed_nodes, not_to_blame):
    one()
raise SystemExit(finish())
