# SPDX-License-Identifier: Apache-2.0
"""What no repack plan with so many evictions ends below."""
import collections
from fractions import Fraction

from bounds.groups import choosers
from bounds.numbers import need, whole
from bounds.whole_nodes import least_nodes


def worth_of_staying(c):
    """By class: what a pod of it that stays is worth, and what all places for pods are worth beside so many pods that stay. Pods of one sample
    are spread over zones: each class of a zone is so many places there. Where more run in a zone than have to, that part of them may
    keep a place empty in any zone."""
    classes, worth, places = c['classes'], {}, 0
    groups, listed = collections.defaultdict(list), collections.Counter()
    for number, class_ in enumerate(classes):
        groups[class_['pod']].append(number)
    for node in c['cluster']:
        for number, count in node.get('pods', []):
            listed[whole(number)] += whole(count)
    choosing = choosers(c)
    for group in groups.values():
        zoned = any('zone' in classes[n] for n in group)
        anywhere = max((classes[n]['price'] for n in group if 'zone' not in classes[n] and n not in choosing and (classes[n]['count'] or not zoned)),
                       default=0)
        top = max([anywhere] + [classes[n]['price'] for n in group if 'zone' in classes[n]])
        for n in group:
            own, surplus = max(classes[n]['price'], anywhere), Fraction(whole(classes[n].get('surplus', 0)), 10**6)
            worth[n] = own + (top - own) * surplus if 'zone' in classes[n] else top
            places += classes[n]['count'] * (classes[n]['price'] - top) + listed[n] * (top - worth[n])
    return worth, places


def point_proves(c, point, spaces):
    """What no plan with so many evictions ends below."""
    part, price = Fraction(whole(point['part']), 10**6), whole(point['evictionPrice'])
    need(part <= 1, 'a part of more than all')
    worth, places = worth_of_staying(c)
    total = part * places - price * whole(point['evictions'])
    for node in c['cluster']:
        stays = goes = whole(node['cost']) - part * (spaces[whole(node['node'])] if 'node' in node else 0)
        if 'pods' in node:
            goes = sum((part * worth[n] + price) * count for n, count in node['pods'])
        total += min(stays, goes)
    return total


def nodes_that_may_go(c, spaces, eviction_price):
    """What all nodes are worth at least, what those cost that stay in any case and all evictions, and of each other node what it costs
    beyond the evictions that it saves, and what it is worth."""
    worth, needed = worth_of_staying(c)
    saved, nodes = 0, []
    for node in c['cluster']:
        space = spaces[node['node']] if 'node' in node else 0
        if 'pods' not in node:
            needed, saved = needed - space, saved + node['cost']
            continue
        evicted = eviction_price * sum(count for _, count in node['pods'])
        own = sum(worth[n] * count for n, count in node['pods'])
        needed, saved = needed + own, saved + evicted
        nodes.append((node['cost'] - evicted, own + space))
    return needed, saved, nodes


def whole_nodes_prove(c, point, spaces):
    """The same where nodes are whole, up to what the point claims, at all prices of pods. 0 = nothing."""
    if point['part'] != 10**6:
        return 0
    needed, saved, nodes = nodes_that_may_go(c, spaces, point['evictionPrice'])
    saved -= point['evictionPrice'] * point['evictions']
    return least_nodes(c, needed, point['value'] - saved, nodes) + saved if needed > 0 else 0
