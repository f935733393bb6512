# SPDX-License-Identifier: Apache-2.0
"""Groups of pods that go to one domain, or choose different ones."""
import itertools

from bounds.numbers import need, whole


def choosers(c):
    """Classes of pods that choose different zones. They go nowhere: their pods have classes in the zones."""
    return {g['class'] for g in c.get('groups', []) if 'group' not in g and g['domains']}


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
