# SPDX-License-Identifier: Apache-2.0
"""What the library plans in a world of tests/reference/gang_questions.py."""
import json
import os
import pathlib
import subprocess

import gang_questions

KARP = os.environ.get('KARP') or pathlib.Path(__file__).parents[2] / 'build' / 'karp'
POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'pool'},
        'spec': {'limits': {'cpu': '0'}, 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}
TYPES = [{'name': 'small', 'labels': {'node.kubernetes.io/instance-type': ['small'], 'kubernetes.io/os': ['linux']},
          'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '20'},
          'offerings': [{'zone': 'other', 'capacityType': 'on-demand', 'price': 1, 'available': True}]}]


def plan(world, folder):
    """The pods of groups that are placed, and the notes."""
    (folder / 'cluster.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [*gang_questions.objects(world), POOL]}))
    (folder / 'types.json').write_text(json.dumps(TYPES))
    done = subprocess.run([KARP, 'plan', '-f', folder / 'cluster.json', '--catalogue', folder / 'types.json', '--profile', 'karp', '-o', 'json'],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 3), done.stderr
    out = json.loads(done.stdout)
    return sorted(p.split('/')[-1] for row in out['placements'] for p in row['pods']), out.get('warnings', [])
