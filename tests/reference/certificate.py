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
"""
import collections
import heapq
import itertools
import json
import math
import re
import sys
from fractions import Fraction


MOST_SUMS = 1 << 13  # of costs of nodes


class Refused(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Refused(why)


SUFFIXES = {'n': Fraction(1, 10**9), 'u': Fraction(1, 10**6), 'm': Fraction(1, 1000), '': 1}
SUFFIXES |= {s: 1000**(i + 1) for i, s in enumerate(['k', 'M', 'G', 'T', 'P', 'E'])}
SUFFIXES |= {s + 'i': 1024**(i + 1) for i, s in enumerate(['K', 'M', 'G', 'T', 'P', 'E'])}


def quantity(value):
    text = str(value)
    digits = text.rstrip('numkKMGTPEi')
    if digits != text and text[len(digits):] in SUFFIXES:
        return Fraction(digits) * SUFFIXES[text[len(digits):]]
    return Fraction(text)


def whole(value, least=0):
    need(type(value) is int and value >= least, f'{value!r} is no whole number of at least {least}')
    return value


# ---- what a certificate says of itself ----------------------------------------------------------------------------------------


def copies(class_, capacity):
    """How many of the class one node holds; None = any number."""
    most = class_.get('limit') or None
    for request, has in zip(class_['requests'], capacity):
        if request > 0:
            most = has // request if most is None else min(most, has // request)
    return most if most is None else max(most, 0)


def row_spends(row, classes):
    """What a row spends, if it pays for all that it holds."""
    extras = collections.defaultdict(int)
    for number, amount in row['extras']:
        extras[whole(number)] = whole(amount)
    spent = sum(whole(share) for share in row['shares'])
    for number in row['classes']:
        class_ = classes[whole(number)]
        most = copies(class_, row['capacity'])
        if most == 0:
            continue
        paid = Fraction(extras[number])
        for request, has, share in zip(class_['requests'], row['capacity'], row['shares']):
            if request > 0:
                paid += Fraction(share * request, has)
        need(class_['price'] <= paid, f'class {number} costs more than the row of {row["of"]} pays')
        need(most is not None or extras[number] == 0, f'an extra for a class without limit on the row of {row["of"]}')
        spent += extras[number] * (most or 0)
    return spent


def charge_of(row, c):
    """What no content of the row is worth more than. With cases, its shares only say how much that is; for an offering it is its cost at
    most, and if they say nothing."""
    if not row.get('cases'):
        return row_spends(row, c['classes'])
    said = sum(map(whole, row['shares']))
    return said if row['of'] >= len(c['offerings']) else min(said or math.inf, whole(c['offerings'][row['of']]['cost']))


def leaves(cases):
    """The boxes that the cases leave: {class: (least, most)}. With the shares of each, and whether its contents are looked at."""
    waiting, cases = [{}], list(cases)
    while cases:
        case = cases.pop(0)
        need(waiting, 'cases after the last one')
        box = waiting.pop()
        if 'contents' in case:
            more = whole(case['contents'], 1) - 1
            others, cases = cases[:more], cases[more:]
            need(len(others) == more and all(x.get('contents') == 0 for x in others), 'contents without all their shares')
            yield box, [x['shares'] for x in [case] + others], True
            continue
        if 'class' not in case:
            yield box, [case['shares']], False
            continue
        number, split = whole(case['class']), whole(case['copies'])
        least, most = box.get(number, (0, None))
        waiting.append({**box, number: (max(least, split + 1), most)})
        waiting.append({**box, number: (least, split if most is None else min(most, split))})
    need(not waiting, 'cases that are not all there are')


def worth_at_most(row, classes, box, shares):
    """What a content within the box is worth at most, by the shares; None = there is none."""
    least = {n: low for n, (low, _) in box.items()}
    need(all(0 <= n < len(classes) for n in box), 'a case of no class')
    if any(low > 0 and n not in row['classes'] for n, low in least.items()):
        return None
    left = [max(has, 0) - sum(classes[n]['requests'][d] * low for n, low in least.items()) for d, has in enumerate(row['capacity'])]
    if min(left, default=0) < 0:
        return None
    total = Fraction(sum(whole(share) for share in shares))
    for number in row['classes']:
        class_, (low, high) = classes[number], box.get(number, (0, None))
        tops = [t for t in (high, class_.get('limit') or None, copies(class_, row['capacity'])) if t is not None]
        tops += [low + rest // request for request, rest in zip(class_['requests'], left) if request > 0]
        most = min(tops, default=None)
        if most is not None and most < low:
            return None
        above = class_['price'] - sum((Fraction(share * request, has) for request, has, share in
                                       zip(class_['requests'], row['capacity'], shares) if request > 0 and has > 0), Fraction(0))
        need(above <= 0 or most is not None, f'class {number} is worth something, and a node holds any number')
        total += above * (most if above > 0 else low)
    return total


def gains(row, classes, items, shares):
    """What a pod of each class is worth beyond its charge by the shares, each part of which is rounded down."""
    return {n: classes[n]['price'] - sum(share * request // has for request, has, share in
                                         zip(classes[n]['requests'], row['capacity'], shares) if request > 0) for n in items}


def needed_resources(row, classes, items):
    """Resources without those by which everything fits that fits by another one."""
    def follows(d, by):
        return all(classes[n]['requests'][d] * row['capacity'][by] <= classes[n]['requests'][by] * row['capacity'][d] for n in items)
    have = [d for d, has in enumerate(row['capacity']) if has > 0]
    return [d for d in have if not any(by != d and follows(d, by) and (by < d or not follows(by, d)) for by in have)]


def contents_worth(row, classes, box, vectors, cost):
    """The most that whole contents within the box are worth; None = no more than the cost. All are looked at but those that cannot be
    worth more, by some of the vectors of shares."""
    least = {n: low for n, (low, _) in box.items() if low > 0}
    if worth_at_most(row, classes, box, vectors[0]) is None:
        return None
    items, room = [], {}
    for number in row['classes']:
        class_, (low, high) = classes[number], box.get(number, (0, None))
        tops = [t for t in (high, class_.get('limit') or None, copies(class_, row['capacity'])) if t is not None]
        need(tops or class_['price'] == 0, f'class {number} is worth something, and a node holds any number')
        if class_['price'] > 0 and min(tops) > low:
            items.append(number)
            room[number] = min(tops) - low
    few = [d for d, has in enumerate(row['capacity']) if 0 < has <= 64 and any(classes[n]['requests'][d] for n in items)]
    items.sort(key=lambda n: (-max([classes[n]['requests'][d] > 0 for d in few], default=0),
                              -sum(r / has for r, has in zip(classes[n]['requests'], row['capacity']) if has > 0)))
    dims = needed_resources(row, classes, items)
    full = [row['capacity'][d] - sum(classes[n]['requests'][d] * low for n, low in least.items()) for d in dims]
    beyond = [gains(row, classes, set(items) | set(least), shares) for shares in vectors]
    base = sum(classes[n]['price'] * low for n, low in least.items())
    tops = [sum(shares) + sum(gain[n] * low for n, low in least.items()) + sum(max(gain[n], 0) * room[n] for n in items)
            for shares, gain in zip(vectors, beyond)]
    now = {tuple(0 for _ in dims): (base, tops)}
    for n in items:
        price, request, then = classes[n]['price'], [classes[n]['requests'][d] for d in dims], {}
        for load, (worth, tops) in now.items():
            for k in range(room[n] + 1):
                loaded = tuple(l + r * k for l, r in zip(load, request))
                if any(l > f for l, f in zip(loaded, full)):
                    break
                bounds = [top + gain[n] * k - max(gain[n], 0) * room[n] for top, gain in zip(tops, beyond)]
                if min(bounds) > cost and (loaded not in then or then[loaded][0] < worth + price * k):
                    then[loaded] = (worth + price * k, bounds)
        now = then
    return max((worth for worth, _ in now.values()), default=None)


def check_cases(row, classes, cost):
    for box, vectors, looked_at in leaves(row['cases']):
        need(all(len(shares) == len(row['capacity']) and min(map(whole, shares), default=0) >= 0 for shares in vectors),
             'a case of another width')
        worth = contents_worth(row, classes, box, vectors, cost) if looked_at else worth_at_most(row, classes, box, vectors[0])
        need(worth is None or worth <= cost, f'a case of the row of {row["of"]} is worth more than its offering costs')


def no_nulls(value, path):
    need(value is not None, f'{path} is null')
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        no_nulls(item, f'{path}.{key}' if path else str(key))


def some_text(object_, *names):
    for name in names:
        need(isinstance(object_[name], str) and object_[name], f'{name} is no text')


def check_form(c):
    """All is there that says what the numbers are of."""
    no_nulls(c, '')
    need(c.get('apiVersion') == 'karp/v1', 'apiVersion is not karp/v1')
    need(c.get('unit') == '0.000000000001 $/h', 'unit is not 0.000000000001 $/h')
    digest = (c.get('input') or {}).get('sha256') if isinstance(c.get('input', {}), dict) else None
    need(isinstance(digest, str) and re.fullmatch('[0-9a-f]{64}', digest), 'input.sha256 is no digest')
    need(type(c.get('nodeCost')) in (int, float) and c['nodeCost'] >= 0, 'nodeCost is no number')
    for name in ('resources', 'classes', 'rows', 'offerings', 'nodes'):
        need(isinstance(c.get(name), list), f'{name} is no list')
    for resource in c['resources']:
        some_text(resource, 'name', 'unit')
        need(quantity(resource['unit']) > 0, f'the unit of {resource["name"]} is no amount')
    for class_ in c['classes']:
        some_text(class_, 'pod')
    for row in c['rows']:
        need(isinstance(row['classes'], list) and all(type(n) is int for n in row['classes'] + row['capacity']), 'a row of something else than numbers')
    for offer in c['offerings']:
        some_text(offer, 'nodePool', 'instanceType')
        need(isinstance(offer['zone'], str) and isinstance(offer['capacityType'], str), 'a zone or capacityType is no text')
    for node in c['nodes']:
        some_text(node, 'name')


def full_nodes(row, classes, order, left, bought):
    """Contents of a node of the row to which none of the pods that are left can be added; if it is bought, with some of the first class
    that has any."""
    first = next(i for i, n in enumerate(left) if n) if bought else None
    most = [min(n, copies(classes[c], row['capacity']) or 0) if c in row['classes'] else 0 for c, n in zip(order, left)]

    def more(i, taken, space):
        fits = [s // r for s, r in zip(space, classes[order[i]]['requests']) if r > 0]
        return max(min([most[i] - taken, *fits]), 0)

    def fill(i, taken, space):
        if i == len(order):
            if not any(more(k, n, space) for k, n in enumerate(taken)):
                yield taken
            return
        for n in range(more(i, 0, space), -1 if i != first else 0, -1):
            yield from fill(i + 1, [*taken, n], [s - r * n for s, r in zip(space, classes[order[i]]['requests'])])

    yield from fill(0, [], [max(s, 0) for s in row['capacity']])


def counts_by_choice(c):
    """How many pods of each class there are, for all choices of domains of the groups."""
    free = [k['count'] for k in c['classes']]
    for g in c.get('groups', []):
        if g['domains']:
            free[g['class']] = 0
    ways = [itertools.combinations_with_replacement(g['domains'], g['groups']) for g in c.get('groups', []) if g['domains']]
    groups = [g for g in c.get('groups', []) if g['domains']]
    for way in itertools.product(*ways):
        counts = list(free)
        for g, domains in zip(groups, way):
            for domain in domains:
                for number, (_, copies) in zip(domain['classes'], g['pods']):
                    counts[number] += copies
        yield counts


def least_plan(c, spaces, enough):
    """The least that whole nodes for all pods cost, or `enough`, whatever domains the groups choose."""
    for counts in counts_by_choice(c):
        enough = least_of(c, counts, spaces, enough)
    return enough


def least_of(c, counts, spaces, enough):
    """The same for these pods. Existing nodes are filled one after another. What is left to place is visited in the order of what plans by
    way of it cost at least: what was bought, and the prices of the pods that are left, less what they are worth on nodes that exist."""
    classes, offers = c['classes'], c['offerings']
    order = sorted((i for i, n in enumerate(counts) if n), key=lambda i: -classes[i]['price'])
    nodes = sorted((row for row in c['rows'] if row['of'] >= len(offers)), key=lambda row: row['of'])
    free = [sum(spaces[row['of'] - len(offers)] for row in nodes[i:]) for i in range(len(nodes) + 1)]

    def total(left, seen, paid):
        return paid + sum(classes[i]['price'] * n for i, n in zip(order, left)) - free[seen]

    begin = tuple(counts[i] for i in order)
    waiting, least, done = [(total(begin, 0, 0), 0, begin, 0)], {}, set()
    while waiting:
        at, cost, left, seen = heapq.heappop(waiting)
        if at >= enough:
            break
        if not any(left):
            return cost
        if (left, seen) in done:
            continue
        done.add((left, seen))
        for row in [nodes[seen]] if seen < len(nodes) else [row for row in c['rows'] if row['of'] < len(offers)]:
            for taken in full_nodes(row, classes, order, left, seen == len(nodes)):
                after = tuple(n - t for n, t in zip(left, taken)), min(seen + 1, len(nodes))
                paid = cost + (offers[row['of']]['cost'] if seen == len(nodes) else 0)
                if total(*after, paid) < enough and paid < least.get(after, enough):
                    least[after] = paid
                    heapq.heappush(waiting, (total(*after, paid), paid, *after))
    return enough


def sums_of_nodes(nodes, slack):
    """Sums of some of the nodes, each there once, as (cost, -worth): those that cost less than others that are worth as much, if what can be
    added to them may suffice. None = there are too many."""
    gain, sums = sum(max(0, worth - cost) for cost, worth in nodes), [(0, 0)]
    for cost, worth in nodes:
        gain -= max(0, worth - cost)
        kept = []
        for x in sorted(sums + [(a + cost, b - worth) for a, b in sums]):
            if x[0] + x[1] - gain < slack and (not kept or x[1] < kept[-1][1]):
                kept.append(x)
        if len(kept) > MOST_SUMS:
            return None
        sums = kept
    return sums


def least_nodes(c, needed, enough, nodes=()):
    """The least that so many nodes cost as are charged what is needed, or `enough` if that is less. Sums of costs are visited in their order;
    one is kept if it is charged more than all before it, and what is still needed is not too much. Of `nodes` (cost, worth) there is one
    each. 0 = there are too many."""
    kinds, most, kept = [], 0, 0
    for cost, charge in sorted(((c['offerings'][row['of']]['cost'], -charge_of(row, c)) for row in c['rows'] if row['of'] < len(c['offerings']))):
        if -charge > most:
            most = -charge
            kinds.append((cost, most))
    waiting, most = sums_of_nodes(nodes, enough - needed), -1
    if waiting is None:
        return 0
    while waiting:
        cost, charge = heapq.heappop(waiting)
        if cost >= enough:
            break
        if -charge >= needed:
            return cost
        if -charge > most and cost + needed + charge < enough:
            most = -charge
            kept += 1
            if kept > MOST_SUMS:
                return 0
            for more, worth in kinds:
                heapq.heappush(waiting, (cost + more, charge - worth))
    return enough


def further(c, prices):
    """The certificate with further prices instead of its own."""
    need(len(prices['classes']) == len(c['classes']) and len(prices['rows']) == len(c['rows']), 'prices of another width')
    rows = [{**{k: v for k, v in row.items() if k in ('of', 'capacity', 'classes')}, **own} for row, own in zip(c['rows'], prices['rows'])]
    need(all('of' not in own and 'capacity' not in own and 'classes' not in own for own in prices['rows']), 'prices of rows of their own')
    return {**c, 'classes': [{**k, 'price': whole(y)} for k, y in zip(c['classes'], prices['classes'])], 'rows': rows}


def least_by_tree(c):
    """What whole nodes cost at least by the tree over their numbers, or what is claimed if that is less. For each of its prices, the nodes
    of a plan are charged at least what all pods cost beyond what existing nodes are charged. A leaf adds up these inequalities by its
    weights; what nodes of a row cost beyond that counts for the least or the most of them in the leaf."""
    enough, inequalities = c['value'], []
    for prices in [c] + [further(c, x) for x in c['prices']]:
        value, spent = check_prices(prices)
        inequalities.append((value - sum(spent[row['of']] for row in c['rows'] if row['of'] >= len(c['offerings'])), spent))
    costs = {i: c['offerings'][row['of']]['cost'] for i, row in enumerate(c['rows']) if row['of'] < len(c['offerings'])}
    waiting, least = [{}], enough
    for branch in c['branches']:
        need(waiting, 'branches after the last one')
        box = waiting.pop()
        if 'row' in branch:
            row, split = whole(branch['row']), whole(branch['nodes'])
            need(row in costs, f'a branch of row {row}, which is of no offering')
            low, high = box.get(row, (0, None))
            waiting.append({**box, row: (max(low, split + 1), high)})
            waiting.append({**box, row: (low, split if high is None else min(high, split))})
            continue
        weights = [(whole(k), Fraction(whole(w), 10**12)) for k, w in branch['weights']]
        need(all(k < len(inequalities) for k, _ in weights), 'a weight of no prices')
        total, some = sum(w * inequalities[k][0] for k, w in weights), True
        for i, cost in costs.items():
            low, high = box.get(i, (0, None))
            high = min([x for x in (high, enough // cost if cost else None) if x is not None], default=None)
            beyond = cost - sum(w * inequalities[k][1][c['rows'][i]['of']] for k, w in weights)
            need(beyond >= 0 or high is not None, f'any number of nodes of row {i} proves nothing')
            some = some and (high is None or low <= high)
            total += beyond * (low if beyond >= 0 else high)
        least = min(least, total) if some else least
    need(not waiting, 'branches that are not all there are')
    return least


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


def check_group(g, classes):
    """A group of pods is a class that goes nowhere. It costs no more than its pods do in each of the domains."""
    name = g.get('group', 'a spread constraint')
    pods = sum(whole(n, 1) for _, n in g['pods'])
    own = classes[whole(g['class'])]
    whole(g['groups'], 1)
    if not g['domains']:
        need(own['count'] == g['groups'], f'the class of {name} is not as many as there are groups')
        asked = [sum(classes[number]['requests'][d] * n for number, n in g['pods']) for d in range(len(own['requests']))]
        need(asked == own['requests'], f'{name} asks for something else than its pods')
        return
    need(own['count'] == pods * g['groups'], f'the class of {name} has other pods')
    for domain in g['domains']:
        need(len(domain['classes']) == len(g['pods']), f'{name} has other pods in {domain["domain"]}')
        for number, (anywhere, _) in zip(domain['classes'], g['pods']):
            need(classes[whole(number)]['requests'] == classes[whole(anywhere)]['requests'] and ('group' not in g or classes[number]['count'] == 0),
                 f'class {number} is not of the pods of {name}')
        if 'group' not in g:  # pods of a spread constraint that choose different zones
            zones = [classes[n].get('zone') for n in domain['classes']]
            need(zones == domain['domain'].split(',') and len(set(zones)) == len(zones) and all(n == 1 for _, n in g['pods']),
                 f'the zones of {domain["domain"]} are not those of its classes')
        price = sum(classes[number]['price'] * n for number, (_, n) in zip(domain['classes'], g['pods']))
        need(own['price'] * pods <= price, f'{name} costs more than its pods in {domain["domain"]}')


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
    need('cluster' not in c or not c.get('branches'), 'branches of a repack plan')
    if 'cluster' not in c:
        if whole(c['value']) > max(value, 0) and least_nodes(c, max(value, 0), c['value']) < c['value']:  # more than prices and whole nodes prove
            least = least_by_tree(c) if c.get('branches') else least_plan(c, spaces, c['value'])
            need(c['value'] <= least, f'claims {c["value"]}, but a plan costs {float(least)}')
        return
    for point in c['points']:
        proven = point_proves(c, point, spaces)
        need(whole(point['value']) <= max(proven, 0) or point['value'] <= whole_nodes_prove(c, point, spaces), f'a point claims {point["value"]}, and proves {proven}')
    need(whole(c['value']) <= c['points'][-1]['value'], 'it claims more than its last point')


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


def whole_nodes_prove(c, point, spaces):
    """The same where nodes are whole, up to what the point claims, at all prices of pods. 0 = nothing."""
    if point['part'] != 10**6:
        return 0
    worth, needed = worth_of_staying(c)
    saved, nodes = -point['evictionPrice'] * point['evictions'], []
    for node in c['cluster']:
        space = spaces[node['node']] if 'node' in node else 0
        if 'pods' not in node:
            needed, saved = needed - space, saved + node['cost']
            continue
        evicted = point['evictionPrice'] * sum(count for _, count in node['pods'])
        own = sum(worth[n] * count for n, count in node['pods'])
        needed, saved = needed + own, saved + evicted
        nodes.append((node['cost'] - evicted, own + space))
    return least_nodes(c, needed, point['value'] - saved, nodes) + saved if needed > 0 else 0


# ---- what it says of a snapshot --------------------------------------------------------------------------------------------------


def matches(r, have):
    """Whether a requirement and the values that a label may have (None = not defined) have something in common."""
    operator, values = r['operator'], set(r.get('values') or [])
    if operator == 'In':
        return have is None or bool(values & have)
    if operator == 'NotIn':
        return have is None or bool(have - values)
    if operator == 'Exists':
        return True
    if operator == 'DoesNotExist':
        return have is None or not have
    if have is None:
        return True
    bound = int(r['values'][0])
    return any((int(v) > bound) if operator == 'Gt' else (int(v) < bound) for v in have if v.lstrip('-').isdigit())


def agree(requirements, labels):
    return all(matches(r, labels.get(r['key'])) for r in requirements)


def narrowed(labels, requirements):
    """The values that are left of each label; what a requirement alone defines is open."""
    out = dict(labels)
    for r in requirements:
        if r['operator'] == 'In':
            values = set(r['values'])
            out[r['key']] = values & out[r['key']] if out.get(r['key']) is not None else values
        elif r['operator'] == 'DoesNotExist':
            out[r['key']] = set()
    return out


def tolerated(tolerations, taints):
    def one(toleration, taint):
        return ((not toleration.get('effect') or toleration['effect'] == taint.get('effect')) and
                (not toleration.get('key') or toleration['key'] == taint['key']) and
                (toleration.get('operator') == 'Exists' or (toleration.get('value') or '') == (taint.get('value') or '')))
    return all(t.get('effect') == 'PreferNoSchedule' or any(one(x, t) for x in tolerations) for t in taints)


def terms_of(spec):
    """What a pod asks of a node, as alternatives."""
    selector = [{'key': k, 'operator': 'In', 'values': [v]} for k, v in (spec.get('nodeSelector') or {}).items()]
    affinity = (spec.get('affinity') or {}).get('nodeAffinity') or {}
    required = (affinity.get('requiredDuringSchedulingIgnoredDuringExecution') or {}).get('nodeSelectorTerms') or [{}]
    return [selector + (t.get('matchExpressions') or []) for t in required]


def prefers(spec):
    affinity = (spec.get('affinity') or {}).get('nodeAffinity') or {}
    return bool(affinity.get('preferredDuringSchedulingIgnoredDuringExecution'))


def requests_of(spec):
    """Requests of a pod: the sum of its containers, or what one of its init containers needs beside the sidecars before it."""
    total, sidecars, first = collections.Counter(), collections.Counter(), collections.Counter()
    def of(container):
        asked = (container.get('resources') or {})
        both = dict(asked.get('limits') or {}) | dict(asked.get('requests') or {})
        return {k: quantity(v) for k, v in both.items()}
    for container in spec.get('initContainers') or []:
        own = of(container)
        if container.get('restartPolicy') == 'Always':
            for k, v in own.items():
                sidecars[k] += v
            own = {}
        for k in set(own) | set(sidecars):
            first[k] = max(first[k], own.get(k, 0) + sidecars[k])
    for container in spec.get('containers') or []:
        for k, v in of(container).items():
            total[k] += v
    total.update(sidecars)
    for k, v in first.items():
        total[k] = max(total[k], v)
    for k, v in (spec.get('overhead') or {}).items():
        total[k] += quantity(v)
    total['pods'] = 1
    return total


ZONE = 'topology.kubernetes.io/zone'


class World:
    def __init__(self, snapshot):
        self.pools = {}
        self.labels = {}
        self.pods, self.daemons, self.nodes, self.on, self.budgets = {}, [], {}, collections.defaultdict(list), []
        for o in snapshot.get('objects') or []:
            name = o['metadata']['name']
            if o['kind'] == 'NodePool':
                template = o['spec']['template']
                labels = {k: {v} for k, v in ((template.get('metadata') or {}).get('labels') or {}).items()}
                labels['karpenter.sh/nodepool'] = {name}
                self.pools[name] = (labels, template['spec'].get('requirements') or [], template['spec'].get('taints') or [])
            elif o['kind'] == 'Pod':
                self.pods[f'{o["metadata"].get("namespace") or "default"}/{name}'] = o['spec']
                self.labels[f'{o["metadata"].get("namespace") or "default"}/{name}'] = o['metadata'].get('labels') or {}
                self.on[o['spec'].get('nodeName')].append(o)
            elif o['kind'] == 'Node':
                self.nodes[name] = o
            elif o['kind'] == 'PodDisruptionBudget':
                self.budgets.append(o)
            elif o['kind'] == 'DaemonSet':
                self.daemons.append(o['spec']['template']['spec'])
        self.catalogues = [c for c in snapshot.get('catalogues') or []]

    def offerings(self):
        """What each pool could launch: its name, the labels it may have, allocatable and price."""
        for pool, (labels, requirements, taints) in self.pools.items():
            for catalogue in self.catalogues:
                if catalogue.get('nodePools') and pool not in catalogue['nodePools']:
                    continue
                for t in catalogue['instanceTypes']:
                    of_type = narrowed(labels, t['requirements'])
                    if not agree(requirements, of_type):
                        continue
                    of_type = narrowed(of_type, requirements)
                    space = {k: quantity(v) for k, v in t['capacity'].items()}
                    for part in (t.get('overhead') or {}).values():
                        for k, v in part.items():
                            space[k] = space.get(k, 0) - quantity(v)
                    for o in t['offerings']:
                        if o.get('available', True) and agree(o['requirements'], of_type):
                            yield pool, t['name'], narrowed(of_type, o['requirements']), taints, space, o

    def daemons_take(self, labels, taints, resource):
        return sum((requests_of(d)[resource] for d in self.daemons if tolerated(d.get('tolerations') or [], taints) and
                    any(agree(t, labels) for t in terms_of(d))), Fraction(0))


def one_of(labels, key):
    values = labels.get(key)
    return next(iter(values)) if values and len(values) == 1 else ''


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


def selects(selector, labels):
    listed = [{'key': k, 'operator': 'In', 'values': [v]} for k, v in (selector.get('matchLabels') or {}).items()]
    have = collections.defaultdict(set, {k: {v} for k, v in labels.items()})
    return all(r['operator'] == 'NotIn' and not have[r['key']] or matches(r, have[r['key']])
               for r in listed + (selector.get('matchExpressions') or []))


def alike_in(zone, spec):
    """A key of pods that can go to the same nodes there."""
    affinity = spec.get('affinity') or {}
    others = [affinity.get('nodeAffinity'), 'podAntiAffinity' in affinity]
    return json.dumps([zone, others, [c.get('resources') for c in spec['containers']], spec.get('nodeSelector'), spec.get('tolerations')], sort_keys=True)


def least_in_zones(c, world, names, units):
    """How many pods with these requests are in a zone at least, because they are spread: by requests and zone. For pods of a group alike in
    all else, too: of those that run there, which part is more than may stay at most. And how many groups have so many more pods, which are
    in different zones. If running pods are moved in any order, that holds for a maxSkew of 1."""
    may_go = {m['name'] for m in c.get('cluster', []) if 'pods' in m}
    zones = {one_of(labels, ZONE) for _, _, labels, _, _, _ in world.offerings()}
    zones |= {n['metadata'].get('labels', {}).get(ZONE) for n in world.nodes.values()} - {None}
    groups = collections.defaultdict(list)
    for pod, spec in world.pods.items():
        for x in spec.get('topologySpreadConstraints') or []:
            if x['topologyKey'] == ZONE:
                keys = [(k, world.labels[pod].get(k)) for k in x.get('matchLabelKeys') or []]
                groups[json.dumps([pod.split('/')[0], x.get('labelSelector'), keys, x['maxSkew']], sort_keys=True)].append(pod)
    least, surplus, rests = collections.Counter(), collections.defaultdict(Fraction), collections.Counter()
    for text, members in groups.items():
        namespace, selector, keys, skew = json.loads(text)
        counted = [p for p in world.pods if p.split('/')[0] == namespace and selects(selector or {}, world.labels[p]) and
                   all(world.labels[p].get(k) == v for k, v in keys)]
        asked = [requests_of(world.pods[p]) for p in members]
        sizes = {tuple(x[n] / u for n, u in zip(names, units)) for x in asked}
        if not selector or sorted(counted) != sorted(members) or len(sizes) > 1 or any(world.pods[p].get('nodeName', '') not in {'', *may_go} for p in members):
            continue
        if skew > 1 and 'cluster' in c:
            continue
        own = [z for z in zones if any(agree(t, {ZONE: {z}}) for t in terms_of(world.pods[members[0]]))]
        so_many = max(0, -(-(len(members) - (len(own) - 1) * skew) // len(own)))
        rest = len(members) - so_many * len(own) if skew == 1 else 0
        rests[sizes.copy().pop(), rest, tuple(sorted(own))] += 1
        at = [world.nodes[world.pods[p]['nodeName']]['metadata'].get('labels', {}).get(ZONE) if 'nodeName' in world.pods[p] else None for p in members]
        crowded = sum(at.count(z) > so_many for z in zones)
        for zone in own:
            least[sizes.copy().pop(), zone] += so_many
            alike, last = alike_in(zone, world.pods[members[0]]), so_many + (crowded <= rest and rest > 0)
            surplus[alike] = max(surplus[alike], Fraction(max(at.count(zone) - last, 0), max(at.count(zone), 1)))
    return least, surplus, rests


def check_zones(c, world, names, units):
    said = collections.Counter()
    for class_ in c['classes']:
        if 'zone' in class_:
            said[tuple(map(Fraction, class_['requests'])), class_['zone']] += class_['count']
    least, surplus, rests = least_in_zones(c, world, names, units) if said else ({}, {}, {})
    for g in c.get('groups', []):
        if 'group' in g or not g['domains']:
            continue
        rest, ways = len(g['pods']), sorted(tuple(sorted(d['domain'].split(','))) for d in g['domains'])
        own = tuple(sorted({z for way in ways for z in way}))
        key = tuple(map(Fraction, c['classes'][g['class']]['requests'])), rest, own
        need(ways == sorted(itertools.combinations(own, rest)), f'the class {g["class"]} does not choose among all sets of zones')
        need(g['topologyKey'] == ZONE and g['groups'] <= rests[key], f'more pods of class {g["class"]} choose zones than have to')
        rests[key] -= g['groups']
    for key, count in said.items():
        need(count <= least[key], f'it has more pods in {key[1]} than need be there')
    for i, class_ in enumerate(c['classes']):
        most = surplus.get(alike_in(class_['zone'], world.pods[class_['pod']]), 0) if 'cluster' in c and 'zone' in class_ else 0
        need(Fraction(class_.get('surplus', 0), 10**6) >= most, f'more pods of class {i} run in their zone')


def choosers(c):
    """Classes of pods that choose different zones. They go nowhere: their pods have classes in the zones."""
    return {g['class'] for g in c.get('groups', []) if 'group' not in g and g['domains']}


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
