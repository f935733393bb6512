# SPDX-License-Identifier: Apache-2.0
"""What all pods cost by the prices of a certificate, and what each row is charged at most."""
import collections
import math

from bounds.cases import check_cases
from bounds.groups import check_group, choosers
from bounds.numbers import need, whole
from bounds.rows import charge_of, copies


def own_pods(c):
    """How many pods of each kind removing a node moves: by node that takes pods."""
    own = {'zones': {}}
    for node in c.get('cluster', []):
        if 'node' in node and 'pods' in node:
            zones = {c['classes'][number]['zone'] for number, _ in node['pods'] if 'zone' in c['classes'][whole(number)]}
            need(len(zones) < 2, f'node {node["name"]} is in several zones')
            own['zones'][node['node']] = min(zones, default=None)
            own[whole(node['node'])] = collections.Counter()
            for number, count in node['pods']:
                own[node['node']][c['classes'][whole(number)]['pod']] += whole(count)
    return own


def moved_there(c, row, own):
    """The certificate as the row sees it, and the classes that fit: a node that takes pods keeps its own, so it takes only others. Where no
    more pods of a spread constraint run than may be there in the end, its own keep their places."""
    number = row['of'] - len(c['offerings'])
    here = own.get(number)
    if here is None:
        return {**c, 'fit': row['classes']}
    all_, classes, zone = collections.Counter(), [], own['zones'].get(number)
    choosing = [g for g in c.get('groups', []) if 'group' not in g and g['domains']]
    places = {}
    for i, class_ in enumerate(c['classes']):
        all_[class_['pod']] += whole(class_['count'])
        if class_.get('zone', '') == zone and not class_.get('surplus'):
            chosen = sum(g['groups'] for g in choosing if any(i in d['classes'] for d in g['domains']))
            free = sum(k['count'] for n, k in enumerate(c['classes']) if k['pod'] == class_['pod'] and 'zone' not in k and
                       n not in choosers(c))
            places[class_['pod']] = class_['count'] + chosen + free
    for class_ in c['classes']:
        most = min(all_[class_['pod']], places.get(class_['pod'], math.inf)) - here[class_['pod']]
        classes.append({**class_, 'limit': max(min(class_.get('limit') or most, most), 0)})
    return {**c, 'classes': classes, 'fit': [n for n in row['classes'] if classes[n]['limit'] > 0]}


def spaces_of(c):
    """What the contents of each node that takes pods are worth at most."""
    own, spaces = own_pods(c), {}
    for row in c['rows']:
        if row['of'] >= len(c['offerings']):
            told = moved_there(c, row, own)
            spaces[row['of'] - len(c['offerings'])] = charge_of({**row, 'classes': told['fit']}, told)
    return spaces


def check_prices(c):
    """What all pods cost by the prices of the certificate, and what each row is charged at most, by the number of its offering. No row
    pays less for a pod than its class costs."""
    classes, offers, spent, held = c['classes'], c['offerings'], {}, set()
    stay = own_pods(c)
    for row in c['rows']:
        need(len(row['shares']) == len(c['resources']), 'a row of another width')
        told = moved_there(c, row, stay)
        row = {**row, 'classes': told['fit']}
        charge = charge_of(row, told)
        if row.get('cases'):
            check_cases(row, told['classes'], charge)
        if row['of'] < len(offers):
            need(charge <= offers[row['of']]['cost'], f'row of offering {row["of"]} spends more than it costs')
            held |= {n for n in row['classes'] if copies(classes[n], row['capacity']) != 0}
        spent[row['of']] = charge
    own = {g['class'] for g in c.get('groups', []) if g['domains']}
    for i, class_ in enumerate(classes):
        need(class_['price'] == 0 or i in held or i in own, f'class {i} has a price and goes to no offering')
    for g in c.get('groups', []):
        check_group(g, classes)
    return sum(k['price'] * k['count'] for k in classes), spent
