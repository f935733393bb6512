# SPDX-License-Identifier: Apache-2.0
"""The nodes of a certificate of repacking are those of its snapshot."""
import collections
from fractions import Fraction

from bounds.groups import choosers
from bounds.labels import ZONE, agree, prefers, terms_of, tolerated
from bounds.numbers import need, quantity
from bounds.offerings import fillable
from bounds.world import requests_of


def owned_by_daemon(pod):
    return any(o['kind'] == 'DaemonSet' for o in pod['metadata'].get('ownerReferences') or [])


def held_back(world, node):
    """Whether anything is there that could keep the node from going."""
    labels, held = node['metadata'].get('labels') or {}, 'karpenter.sh/do-not-disrupt'
    ready = all(labels.get(f'karpenter.sh/{k}') == 'true' for k in ('registered', 'initialized'))
    marked = [o for o in [node] + world.on[node['metadata']['name']] if held in (o['metadata'].get('annotations') or {})]
    return bool(world.budgets or marked or not ready or labels.get('karpenter.sh/nodepool') not in world.pools or
                node['metadata'].get('deletionTimestamp'))


def price_of(world, labels):
    """What the node's offering costs, $/h; 0 = it is not in the catalogue."""
    wanted = tuple(labels.get(k) for k in ('karpenter.sh/nodepool', 'node.kubernetes.io/instance-type', 'topology.kubernetes.io/zone',
                                           'karpenter.sh/capacity-type'))
    for catalogue in world.catalogues:
        for t in catalogue['instanceTypes']:
            for o in t['offerings'] if t['name'] == wanted[1] and wanted[0] in world.pools else []:
                have = {r['key']: r['values'] for r in o['requirements']}
                if wanted[2] in have['topology.kubernetes.io/zone'] and wanted[3] in have['karpenter.sh/capacity-type']:
                    return Fraction(str(o['price']))
    return Fraction(0)


def check_space(c, world, member, node, names, units):
    """The node's row has all that is free there, for all that may go there."""
    labels = {k: {v} for k, v in node['metadata']['labels'].items()}
    taints, pods = node['spec'].get('taints') or [], world.on[member['name']]
    if 'node' not in member:
        leaves = node['metadata'].get('deletionTimestamp') or any(t['key'] == 'karpenter.sh/disrupted' for t in taints)
        need(leaves, f'node {member["name"]} has no row')
        return
    listed = c['nodes'][member['node']]
    row = c['rows'][listed['row']]
    need(listed['name'] == member['name'], f'node {member["name"]} has the row of another')
    left = []
    for n, unit in zip(names, units):
        free = quantity(node['status']['allocatable'].get(n, 0)) - sum(requests_of(p['spec'])[n] for p in pods)
        if not any(owned_by_daemon(p) for p in pods):
            free -= world.daemons_take(labels, taints, n)
        left.append(free // unit)
    need(all(has >= x for has, x in zip(row['capacity'], fillable(c, row, left))), f'node {member["name"]} has more space than it says')
    for i, class_ in enumerate(c['classes']):
        spec = world.pods[class_['pod']]
        here = class_.get('zone') in (None, node['metadata']['labels'].get(ZONE))
        if here and i not in row['classes'] and i not in choosers(c) and not prefers(spec) and tolerated(spec.get('tolerations') or [], taints):
            need(not any(agree(t, labels) for t in terms_of(spec)), f'class {i} may go to node {member["name"]}')


def check_cluster(c, world, names, units):
    need(sorted(m['name'] for m in c['cluster']) == sorted(world.nodes), 'the cluster has other nodes')
    for member in c['cluster']:
        node = world.nodes[member['name']]
        price = price_of(world, node['metadata']['labels']) + Fraction(str(c.get('nodeCost', 0)))
        need(member['cost'] <= price * 10**12, f'node {member["name"]} costs less than it says')
        check_space(c, world, member, node, names, units)
        if 'pods' not in member:
            need(held_back(world, node), f'node {member["name"]} may go')
            continue
        need(all(c['classes'][n].get('zone') in (None, node['metadata']['labels'].get(ZONE)) for n, _ in member['pods']),
             f'node {member["name"]} is in another zone than its pods')
        have, said = collections.Counter(), collections.Counter()
        for pod in world.on[member['name']]:
            if not owned_by_daemon(pod):
                asked = requests_of(pod['spec'])
                have[tuple(asked[n] / u for n, u in zip(names, units))] += 1
        for number, count in member['pods']:
            said[tuple(c['classes'][number]['requests'])] += count
        need(have == said, f'node {member["name"]} has other pods')
