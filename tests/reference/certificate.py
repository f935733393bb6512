#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a Certificate (docs/formats.md): certificate.py CERTIFICATE.json [SNAPSHOT.json]

Written from the specification of bounds alone, in fractions, without the library. What the certificate says of itself
has to hold: no row pays less for a pod than its class costs, no row spends more than its offering costs (or, in each of its cases, no whole
pods are worth more than the offering costs; where a case says `contents`, all of them are looked at), and the value is no more than all pods cost less what existing nodes hold. With a Snapshot that has its catalogue, what it says of pods, prices and space has
to be so, too: nothing that could be bought is missing, dearer or smaller. Kept preferences are not looked at: a class that has
some is taken to go where the certificate says. The certificate of a repack plan has besides what each node of the cluster costs
and whose pods move when it goes: each node costs the lesser of what it does when it stays and when it goes. Why a node may not go, or takes no
pods, is not found out: there only has to be something that could be the reason. Exit status: 0 it holds, 1 it does not (the first reason is printed), 2 trouble.
Each idea has a file in bounds/.
"""
import json
import sys

from bounds.cluster import check_cluster
from bounds.form import check_form
from bounds.numbers import Refused, need, quantity, whole
from bounds.offerings import check_offerings, check_pods
from bounds.plans import least_plan
from bounds.prices import check_prices
from bounds.repacking import point_proves, whole_nodes_prove
from bounds.tree import least_by_tree
from bounds.whole_nodes import least_nodes
from bounds.world import World
from bounds.zones import check_zones


def check_itself(c):
    classes, rows, offers, nodes = c['classes'], c['rows'], c['offerings'], c['nodes']
    width = len(c['resources'])
    for class_ in classes:
        whole(class_['price']), whole(class_['count']), whole(class_.get('limit', 0))
        need(len(class_['requests']) == width and all(whole(r) >= 0 for r in class_['requests']), 'requests')
    for row in rows:
        need(len(row['shares']) == width and len(row['capacity']) == width, 'a row of another width')
        need(whole(row['of']) < len(offers) + len(nodes), 'a row of nothing')
    value, spent = check_prices(c)
    spaces = {of - len(offers): charge for of, charge in spent.items() if of >= len(offers)}
    value -= sum(spaces.values())
    for i, offer in enumerate(offers):
        base = rows[whole(offer['row'])]['of']
        need(base < len(offers) and offers[base]['cost'] <= whole(offer['cost']), f'the row of offering {i} is of a dearer one')
    for i, node in enumerate(nodes):
        need(rows[whole(node['row'])]['of'] == len(offers) + i, f'the row of node {i} is not its own')
    if 'cluster' not in c:
        if whole(c['value']) > max(value, 0) and least_nodes(c, max(value, 0), c['value']) < c['value']:  # more than prices and whole nodes prove
            least = least_by_tree(c, c['value']) if c.get('branches') else least_plan(c, spaces, c['value'])
            need(c['value'] <= least, f'claims {c["value"]}, but a plan costs {float(least)}')
        return
    by_tree = least_by_tree(c, max(whole(point['value']) for point in c['points'])) if c.get('branches') else 0
    for point in c['points']:
        proven = max(point_proves(c, point, spaces), by_tree)
        need(whole(point['value']) <= max(proven, 0) or point['value'] <= whole_nodes_prove(c, point, spaces), f'a point claims {point["value"]}, and proves {proven}')
    need(whole(c['value']) <= c['points'][-1]['value'], 'it claims more than its last point')


def check_snapshot(c, snapshot):
    names, units = [r['name'] for r in c['resources']], [quantity(r['unit']) for r in c['resources']]
    world = World(snapshot)
    check_pods(c, world, names, units)
    check_zones(c, world, names, units)
    check_offerings(c, world, names, units)
    if 'cluster' in c:
        check_cluster(c, world, names, units)


def refusal(certificate, snapshot=None):
    """Why the certificate does not hold; None when it does."""
    try:
        need(certificate.get('kind') == 'Certificate', 'this is no Certificate')
        check_form(certificate)
        if snapshot is not None:
            check_snapshot(certificate, snapshot)
        check_itself(certificate)  # last, because it may look at many plans
    except Refused as reason:
        return str(reason)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as reason:
        return f'it is not made as it should be: {reason!r}'
    return None


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    documents = [json.load(open(path, encoding='utf-8')) for path in sys.argv[1:]]
    why = refusal(*documents)
    print('holds' if why is None else f'refused: {why}')
    return why is not None


if __name__ == '__main__':
    sys.exit(main())
