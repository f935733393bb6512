# SPDX-License-Identifier: Apache-2.0
"""What whole nodes cost at least by the tree over their numbers, whose leaves add up proofs."""
from fractions import Fraction

from bounds.numbers import need, whole
from bounds.prices import check_prices
from bounds.repacking import nodes_that_may_go


def further(c, prices):
    """The certificate with further prices instead of its own."""
    need(len(prices['classes']) == len(c['classes']) and len(prices['rows']) == len(c['rows']), 'prices of another width')
    rows = [{**{k: v for k, v in row.items() if k in ('of', 'capacity', 'classes')}, **own} for row, own in zip(c['rows'], prices['rows'])]
    need(all('of' not in own and 'capacity' not in own and 'classes' not in own for own in prices['rows']), 'prices of rows of their own')
    return {**c, 'classes': [{**k, 'price': whole(y)} for k, y in zip(c['classes'], prices['classes'])], 'rows': rows}


def items_that_stay(costs, inequalities, items):
    """Of nodes that a plan may have or not (cost, worth by each inequality), those that no launch can replace. If one costs no more and is
    charged as much, a plan without the node costs no more. It may be charged a little less: then that much less is needed."""
    stay = []
    for cost, worth in items:
        def lacks(row):
            return [max(w - spent[row], 0) for w, (_, spent) in zip(worth, inequalities)]
        good = [row for row, price in costs if price <= cost and all(64 * x <= cost for x in lacks(row))]
        if not good:
            stay.append((cost, worth))
            continue
        for i, less in enumerate(lacks(min(good, key=lambda row: sum(lacks(row))))):
            inequalities[i] = (inequalities[i][0] - less, inequalities[i][1])
    return stay


def least_by_tree(c, enough):
    """What whole nodes cost at least by the tree over their numbers, or `enough` if that is less. For each of its prices, the nodes of a plan
    are charged at least what all pods cost beyond what existing nodes are charged. A leaf adds up these inequalities by its weights; what
    nodes of a row cost beyond that counts for the least or the most of them in the leaf. Of the nodes of a repack plan there is one each
    or none, if they can be removed."""
    inequalities, items, saved = [], [], 0
    for prices in [c] + [further(c, x) for x in c['prices']]:
        value, spent = check_prices(prices)
        if 'cluster' in c:
            value, saved, nodes = nodes_that_may_go(prices, {of - len(c['offerings']): x for of, x in spent.items()}, 0)
            items.append(nodes)
        else:
            value -= sum(spent[row['of']] for row in c['rows'] if row['of'] >= len(c['offerings']))
        inequalities.append((value, spent))
    enough -= saved
    items = [(same[0][0], [worth for _, worth in same]) for same in zip(*items)]
    items = items_that_stay([(row['of'], c['offerings'][row['of']]['cost']) for row in c['rows'] if row['of'] < len(c['offerings'])], inequalities, items)
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
        total += sum(min(cost - sum(w * worth[k] for k, w in weights), 0) for cost, worth in items)
        least = min(least, total) if some else least
    need(not waiting, 'branches that are not all there are')
    return least + saved
