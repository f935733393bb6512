# SPDX-License-Identifier: Apache-2.0
"""karp_decision_hash() is what docs/decision-hash.md says, computed here from the documents that the program prints."""
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
HASH = pathlib.Path(os.environ['KARP_BUILD'], 'examples', 'example-hash')

INPUTS = [
    ['examples/quickstart'],
    ['examples/stories/zones/nodepool.yaml', 'examples/stories/zones/nodes.yaml', 'examples/stories/zones/affinity.yaml'],
    ['examples/stories/spot-and-on-demand/nodepool.yaml', 'examples/stories/spot-and-on-demand/4-ten-replicas.yaml'],
    ['examples/stories/workshop/cluster.yaml'],
    ['tests/examples/many.yaml', 'examples/quickstart'],
]
OPERATORS = ['', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']


def reason_codes():
    text = (SOURCE / 'include/karp/reasons.h').read_text()
    return {name: int(value) for name, value in re.findall(r'KARP_REASON_(\w+) = (\d+)', text)}


def number(value):
    return struct.pack('<Q', value)


def text(value):
    data = value.encode()
    return number(len(data)) + data


def listed(values, each=text):
    return number(len(values)) + b''.join(each(value) for value in values)


def requirement(entry):
    return (text(entry['key']) + number(OPERATORS.index(entry['operator'])) + number(entry.get('minValues', 0)) +
            listed(entry.get('values', [])))


def launch(entry):
    choice = entry['choice']
    return (text(entry['nodePool']) + listed(entry['pods']) + listed(entry['instanceTypes']) + text(choice['instanceType']) +
            text(choice['zone']) + text(choice['capacityType']) + struct.pack('<d', float(choice['price'])) +
            listed(entry['requirements'], requirement))


def computed(plan):
    codes = reason_codes()

    def refused(entry):
        return text(entry['pod']) + number(codes[entry['code']])
    data = b'karp decision 1\n' + number(1 if plan['complete'] else 0)
    data += listed(plan['launches'], launch)
    data += listed(plan['placements'], lambda entry: text(entry['node']) + listed(entry['pods']))
    data += listed(plan['unschedulable'], refused)
    data += listed(plan['ignored'], refused)
    data += number(0)  # a launch decision has no commands
    if plan['profile'] == 'karpenter' and plan['peerVersion'] != '1.14':
        major, minor = plan['peerVersion'].split('.')
        data += number(int(major) * 1000 + int(minor))
    return hashlib.sha256(data).hexdigest()


def main():
    program = os.environ.get('KARP')
    if not program or not HASH.exists():
        print('built without the program')
        return 77
    problems, seen = [], set()
    for files in INPUTS:
        arguments = [word for name in files for word in ('-f', name)]
        plan = subprocess.run([program, 'plan', '-o', 'json', *arguments], cwd=SOURCE, capture_output=True, text=True)
        printed = subprocess.run([HASH, *files], cwd=SOURCE, capture_output=True, text=True).stdout.strip()
        wanted = computed(json.loads(plan.stdout))
        seen.add(printed)
        if printed != wanted:
            problems.append(f'{" ".join(files)}: {printed}, by the page {wanted}')
    if len(seen) != len(INPUTS):
        problems.append('different decisions have equal hashes')
    print('\n'.join(problems) or f'{len(seen)} hashes')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
