# SPDX-License-Identifier: Apache-2.0
"""Cases of a row: together they are all contents that a node can have, and none is worth more than the node costs."""
from fractions import Fraction

from bounds.numbers import need, whole
from bounds.rows import copies


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
