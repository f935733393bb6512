#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns devices.txt into the C tables of ../ec2_devices.h.

    embed_devices.py devices.txt ec2_devices.c
"""
import sys

from embed import Strings, c_text, strings_of, wrapped

KINDS = {'s': 'KARP_ATTRIBUTE_STRING', 'v': 'KARP_ATTRIBUTE_VERSION', 'i': 'KARP_ATTRIBUTE_INT', 'b': 'KARP_ATTRIBUTE_BOOL'}


def model(line, strings, attributes):
    """The model's row; its attributes are appended."""
    first, memory = len(attributes), 0
    for cell in line.split('|')[1:]:
        name, _, value = cell.partition('=')
        kind, _, text = value.partition(':')
        if kind == 'c':
            if name != 'memory':
                raise SystemExit(f'{line}: memory is the only capacity')
            memory = strings.add(text)
        elif kind in 'ib':
            attributes.append(f'{{{strings.add(name)}, 0, {int(text)}, {KINDS[kind]}}}')
        else:
            attributes.append(f'{{{strings.add(name)}, {strings.add(text)}, 0, {KINDS[kind]}}}')
    return f'{{{first}, {len(attributes) - first}, {memory}}}'


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding='ascii') as f:
        lines = [line.rstrip('\n') for line in f if not line.startswith('#')]
    source, body, end = lines[0], lines[1:-1], lines[-1]
    strings, attributes, models, units, rows, numbers = Strings(), [], [], [], [], {}
    strings.add('')
    for line in body:
        if line.startswith('model '):
            numbers[line.split('|')[0].split(' ')[1]] = len(models)
            models.append(model(line, strings, attributes))
            continue
        name, kind, cells = line.split('|')
        first = len(units)
        for cell in cells.split(','):
            number, _, root = cell.partition('@')
            units.append(f'{{{numbers[number]}, {strings.add(root)}}}')
        rows.append(f'{{{strings.add(name)}, {first}, {len(units) - first}, EC2_DEVICES_{kind.upper()}}}')
    if end != f'end {len(rows)}' or len(strings.text) >= 2**16:
        raise SystemExit(f'{sys.argv[1]}: it is cut off, or too large')
    out = ['/* Made by embed_devices.py from devices.txt. */', '#include <providers/aws/ec2_devices.h>', '',
           f'const char ec2_devices_source[] = {c_text(source + chr(10))};']
    for kind, name, items in (('ec2_model_attribute', 'ec2_model_attributes', attributes), ('ec2_model', 'ec2_models', models),
                              ('ec2_unit', 'ec2_units', units), ('ec2_devices_row', 'ec2_devices_rows', rows)):
        out += [f'const {kind} {name}[] = {{'] + wrapped(items, 4) + ['};']
    out += [f'const size_t ec2_devices_count = {len(rows)};'] + strings_of('ec2_devices_text', strings.text)
    with open(sys.argv[2], 'w', encoding='ascii') as f:
        f.write('\n'.join(out))


if __name__ == '__main__':
    main()
