# SPDX-License-Identifier: Apache-2.0
"""All is there that says what the numbers of a certificate are of."""
import re

from bounds.numbers import need, quantity


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
