#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs what the aws provider knows of the devices of its types into devices.txt, which the build embeds.

    pack_devices.py PROVIDER-SOURCE > devices.txt

PROVIDER-SOURCE is a copy of aws/karpenter-provider-aws; its tables are pkg/providers/drametadata/zz_generated_*_metadata.go.
"""
import os
import re
import sys

ROOT = 'resource.kubernetes.io/pcieRoot'
KINDS = {'String': 's', 'Bool': 'b', 'Int': 'i', 'Version': 'v'}
HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# The devices of EC2's instance types. A model has the attributes of a device (s: string, v: version, i: int, b: bool) and its
# capacities (c); a row has a type, what devices these are, and for each of them its model and its PCIe root. Made by pack_devices.py.
source aws/karpenter-provider-aws v1.15.2 (Apache-2.0): pkg/providers/drametadata
"""


def devices_by_type(path):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    out, devices, device = {}, None, None
    for line in text.splitlines():
        if m := re.match(r'\t"([a-z0-9.-]+)": \{$', line):
            devices = out.setdefault(m[1], [])
        elif re.match(r'\t\t\t\{$', line):
            device = []
            devices.append(device)
        elif m := re.match(r'\s+"([^"]+)":\s+\{(\w+)Value: \w+Ptr\("?(.*?)"?\)\},$', line):
            device.append((m[1], KINDS[m[2]], {'true': '1', 'false': '0'}.get(m[3], m[3])))
        elif m := re.match(r'\s+"([^"]+)":\s+\{Value: resource\.MustParse\("([^"]+)"\)\},$', line):
            device.append((m[1], 'c', m[2]))
        elif re.search(r'"[^"]+":\s+\{\w', line):
            raise SystemExit(f'{path}: {line.strip()} is not understood')
    return out


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = os.path.join(sys.argv[1], 'pkg', 'providers', 'drametadata')
    models, rows = {}, []
    for kind in ('gpu', 'efa'):
        for name, devices in devices_by_type(os.path.join(folder, f'zz_generated_{kind}_metadata.go')).items():
            cells = []
            for device in devices:
                root = next((v for k, _, v in device if k == ROOT), '')
                model = '|'.join(f'{k}={t}:{v}' for k, t, v in device if k != ROOT)
                cells.append(f'{models.setdefault(model, len(models) + 1)}' + (f'@{root}' if root else ''))
            rows.append((name, kind, ','.join(cells)))
    sys.stdout.write(HEADER)
    for model, number in models.items():
        sys.stdout.write(f'model {number}|{model}\n')
    for row in sorted(rows):
        sys.stdout.write('|'.join(row) + '\n')
    sys.stdout.write(f'end {len(rows)}\n')


if __name__ == '__main__':
    main()
