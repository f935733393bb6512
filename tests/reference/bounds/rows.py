# SPDX-License-Identifier: Apache-2.0
"""What a row pays for the pods that a node can hold."""
import collections
import math
from fractions import Fraction

from bounds.numbers import need, whole


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
