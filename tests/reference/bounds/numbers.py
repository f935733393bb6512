# SPDX-License-Identifier: Apache-2.0
"""Amounts, and what a certificate that does not hold is refused with."""
from fractions import Fraction


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
