# SPDX-License-Identifier: Apache-2.0
"""The pods and the offerings of a certificate are those of its snapshot."""
import collections
import math
from fractions import Fraction

from bounds.groups import choosers
from bounds.labels import ZONE, agree, one_of, prefers, terms_of, tolerated
from bounds.numbers import need
from bounds.world import requests_of


def check_pods(c, world, names, units):
    have, said = collections.Counter(), collections.Counter()
    for spec in world.pods.values():
        asked = requests_of(spec)
        have[tuple(asked[n] / u for n, u in zip(names, units))] += 1
    for class_ in c['classes']:
        need(class_['pod'] in world.pods, f'{class_["pod"]} is no pod of the snapshot')
        asked = requests_of(world.pods[class_['pod']])
        key = tuple(asked[n] / u for n, u in zip(names, units))
        need(key == tuple(class_['requests']), f'{class_["pod"]} asks for something else')
        said[key] += class_['count']
    for key, count in said.items():
        need(count <= have[key], 'it counts more pods than there are')


def fillable(c, row, left):
    """What is left of a node, rounded down to what whole pods of the row can fill."""
    fit = [c['classes'][n]['requests'] for n in row['classes'] if all(r <= max(x, 0) for r, x in zip(c['classes'][n]['requests'], left))]
    units = [math.gcd(*(r[d] for r in fit)) for d in range(len(left))]
    return [x - x % unit if x > 0 and unit > 0 else x for x, unit in zip(left, units)]


def check_offerings(c, world, names, units):
    listed = {}
    for o in c['offerings']:
        key = (o['nodePool'], o['instanceType'], o['zone'], o['capacityType'])
        if key not in listed or o['cost'] < listed[key]['cost']:
            listed[key] = o
    asks = [(terms_of(s), s.get('tolerations') or [], prefers(s)) for s in (world.pods[k['pod']] for k in c['classes'])]
    for pool, type_, labels, taints, space, offering in world.offerings():
        key = (pool, type_, one_of(labels, ZONE), one_of(labels, 'karpenter.sh/capacity-type'))
        o = listed.get(key)
        need(o is not None, f'it leaves out {"/".join(key)}')
        factor = Fraction(str(c.get('spotFactor', 1))) if key[3] == 'spot' else 1
        cost = (Fraction(str(offering['price'])) * factor + Fraction(str(c.get('nodeCost', 0)))) * 10**12
        need(o['cost'] <= cost, f'{"/".join(key)} costs less than it says')
        row = c['rows'][o['row']]
        left = [space.get(n, 0) - world.daemons_take(labels, taints, n) for n in names]
        if any(x < 0 for x in left):
            continue
        need(all(has >= x for has, x in zip(row['capacity'], fillable(c, row, [x // u for x, u in zip(left, units)]))),
             f'{"/".join(key)} has more space than it says')
        goes = set(row['classes']) | choosers(c)
        for i, (terms, tolerations, open_) in enumerate(asks):
            if c['classes'][i].get('zone', key[2]) == key[2] and i not in goes and not open_ and tolerated(tolerations, taints):
                need(not any(agree(t, labels) for t in terms), f'class {i} may go to {"/".join(key)}')
