# SPDX-License-Identifier: Apache-2.0
"""Every member of a store's structs that is an id or refers to memory has a row in lib/model/layout.c, by which compaction moves it. A member
of type uint32_t that is no id is listed here."""
import pathlib
import re
import sys

MODEL = pathlib.Path(__file__).resolve().parents[2] / 'lib' / 'model'
# Numbers, flags and counts: of no table.
NUMBERS = {'any', 'controller_kind', 'group_source', 'gated', 'has_count', 'has_seconds', 'ip_known', 'kind of device_attribute', 'kind of selecting', 'min_values', 'op',
           'phase', 'policy', 'priority of node_repair', 'action', 'reasons', 'source', 'binding_mode', 'flags', 'touched',
           'catalogue of catalogue_use'} # the last is referenced
# What is moved in another way, or made again.
OTHERS = {'store', 'store_memory', 'device_template', 'attribute_binding', 'device_id', 'type_devices', 'pod_volume', 'removed_object'}


def structs():
    """The members of each struct, in order: (name, type)."""
    text = re.sub(r'/\*.*?\*/', '', ''.join((MODEL / f).read_text() for f in ('store.h', 'devices.h')), flags=re.S)
    found = {}
    for name, body in re.findall(r'struct (\w+) \{\n(.*?)\n\}', text, re.S):
        members = []
        for kind, names in re.findall(r'^    ((?:const )?(?:struct )?\w+) ([^;]+);', body, re.M):
            members += [(re.sub(r'[*\s]|\[.*', '', one), kind + ('*' if '*' in one else '')) for one in names.split(',')]
        found[name] = members
    return found


def rows(found):
    """The members with a row, and the counts that the rows name."""
    have = {name: set() for name in found}
    for macro, struct, rest in re.findall(r'\b(\w+)\((\w+), ([\w., ]+)\)', re.sub(r'\s+', ' ', (MODEL / 'layout.c').read_text())):
        if struct not in have:
            continue
        named = [one.strip().split('.')[0] for one in rest.split(',')]
        if macro in ('TEXTS', 'NAMES', 'IDS'):
            order = [member for member, _ in found[struct]]
            have[struct] |= set(order[order.index(named[0]):order.index(named[1]) + 1])
        else:
            have[struct] |= set(named)
    text = (MODEL / 'layout.c').read_text()
    for struct in re.findall(r'META\((\w+)\)', text):
        have.get(struct, set()).add('meta')
    for struct, *members in re.findall(r'offsetof\((\w+), (\w+)\), offsetof\(\1, (\w+)\)', text):
        have.get(struct, set()).update(members)
    return have


def main():
    found = structs()
    have = rows(found)
    plain = {'int32_t', 'int64_t', 'bool', 'uint16_t', 'uint8_t', 'amount', 'some_amount', 'size_t'}
    missing = [f'{struct}.{member} ({kind}) has no row in lib/model/layout.c' for struct, members in found.items()
               if struct not in OTHERS and not struct.endswith('_list') and struct not in ('named_amounts', 'counter_sets') for member, kind in members
               if kind not in plain and member not in have[struct] and member not in NUMBERS and f'{member} of {struct}' not in NUMBERS]
    print('\n'.join(missing) or f'{sum(map(len, have.values()))} members of {len(found)} structs have rows')
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
