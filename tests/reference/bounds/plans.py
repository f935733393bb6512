# SPDX-License-Identifier: Apache-2.0
"""What whole nodes for all pods cost at least, found by visiting the plans."""
import heapq

from bounds.groups import counts_by_choice
from bounds.rows import copies


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
