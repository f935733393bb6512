# SPDX-License-Identifier: Apache-2.0
"""A new field of a pod that decisions read needs five places in C: the struct, its row, the member of shape with its own row, and where it is read. CONTRIBUTING.md
says the same, and names two more in Go.

Run by places.py. Copies of both libraries get spec.schedulerName in exactly these places. Pods that differ in it alone must then be of two classes, pods that
are equal in it of one, in whatever way they are read; and a field that is misspelt is still noticed.
"""
import json
import os
import pathlib
import subprocess

import grown

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = grown.BUILD / 'tests' / 'places'
PLACES = {
    'struct': (r'\} karp_pod;', '    karp_str scheduler_name;\n} karp_pod;', 1),
    'row': (r'\{(TEXT\w*)\("priorityClassName",karp_pod,priority_class_name\)\}', r'\g<0>,{\1("schedulerName",karp_pod,scheduler_name)}', 1),
    'shape': (r'uint32_t rules;(?=\s*int32_t priority;)', r'\g<0> uint32_t scheduler_name;', 1),
    'layout': (r'(IDS\w*)\(shape, ?rules, ?rules, ?REF_RULES\)', r'\g<0>, \1(shape, scheduler_name, scheduler_name, REF_TEXT)', 1),
    'read': (r's->grace_seconds *= *given->termination_grace_seconds[^;]*;', r'\g<0> s->scheduler_name = copy_text(c, given->scheduler_name);', 1),
}
NO_PLACE = {'known': (r'runtimeClassName schedulerName ', 'runtimeClassName ', 1)}


def pod(name, scheduler):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name},
            'spec': {'schedulerName': scheduler, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}}


def classes(documents, form):
    """As karp -v counts them; `form` is how the pods stand in the file."""
    file = FOLDER / 'pods.json'
    file.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': documents}) if form == 'List' else '\n'.join(map(json.dumps, documents)))
    done = subprocess.run([os.environ['KARP'], 'plan', '-v', file, SOURCE / 'examples/quickstart'], env=dict(os.environ, LD_LIBRARY_PATH=str(FOLDER)),
                          capture_output=True, text=True)
    assert done.returncode == 0 and 'schedulerName' not in done.stderr, done.stderr
    return int(done.stderr.split(' kinds)')[0].split()[-1])


def problems_found():
    other = classes([], 'List')
    for form in ('List', 'lines'):
        for count in (2, 9):
            equal = classes([pod(f'a-{i}', 'x') for i in range(count)], form)
            different = classes([pod(f'a-{i}', f'x-{i % 2}') for i in range(count)], form)
            if (equal - other, different - other) != (1, 2):
                return [f'{form}, {count} pods: {other} kinds, {equal} with those that are equal, {different} with those that differ']
    contributing = (SOURCE / 'CONTRIBUTING.md').read_text()
    return [] if 'is added in five places in C' in contributing and len(PLACES) == 5 else ['CONTRIBUTING.md says another number of places']
