# SPDX-License-Identifier: Apache-2.0
"""Where there are many PodDisruptionBudgets, those of a pod are found by its labels: the same ones as among few."""
import json
import pathlib

from manifests import folder, manifest
from stories import document, equal, finish
from traps import bound, budget_of, instance_type, own_node, pool_named

SELECTORS = [
    {'matchLabels': {'app': 'a'}},
    {'matchLabels': {'app': 'a', 'tier': 'x'}},
    {'matchExpressions': [{'key': 'app', 'operator': 'In', 'values': ['b', 'c', 'b']}]},
    {'matchExpressions': [{'key': 'tier', 'operator': 'NotIn', 'values': ['x']}, {'key': 'app', 'operator': 'In', 'values': ['d', 'a']}]},
    {'matchExpressions': [{'key': 'tier', 'operator': 'NotIn', 'values': ['x', 'y', '']}, {'key': 'app', 'operator': 'Exists'}]},
    {'matchExpressions': [{'key': 'other', 'operator': 'Exists'}]},
    {'matchLabels': {'tier': 'y'}, 'matchExpressions': [{'key': 'app', 'operator': 'NotIn', 'values': ['b']}]},
]
LABELS = [{'app': app, **({'tier': tier} if tier else {})} for app in 'abcd' for tier in ('', 'x', 'y', 'z')] + [{}, {'other': 'o'}]


def budgets(count):
    """Those that cover pods here, between `count` that cover none: of other labels, and of another namespace."""
    found = [{**budget_of(i, selector), 'status': {'disruptionsAllowed': i % 2}} for i, selector in enumerate(SELECTORS)]
    for i in range(count):
        strange = budget_of(100 + i, {'matchLabels': {'app': f'v{i}'}} if i % 2 else {'matchLabels': {'app': 'a'}})
        if i % 2 == 0:
            strange['metadata']['namespace'] = 'elsewhere'
        found.insert(i % len(found), strange)
    return found


def asked(count):
    pool = pool_named('pool', {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s'})
    file = manifest(pool, *[own_node(i) for i in range(len(LABELS))], *[bound(i, i, labels=labels) for i, labels in enumerate(LABELS)], *budgets(count))
    words = file, '--catalogue', TYPES
    kept, steps, findings = (document(verb, *words)[member] for verb, member in (('disrupt', 'kept'), ('repack', 'steps'), ('lint', 'findings')))
    return kept, steps, [f for f in findings if f['kind'] == 'PodDisruptionBudget' and len(f['object']) == len('default/b0')]


TYPES = pathlib.Path(folder.name) / 'types.json'
TYPES.write_text(json.dumps([instance_type(i) for i in range(1, 6)]))
few, many = asked(0), asked(40)
codes = {one['code'] for one in few[0]}
assert {'PDB_BLOCKED', 'PDB_MULTIPLE'} <= codes, codes
equal(many[0], few[0], 'nodes that stay')
equal(many[1], few[1], 'steps of a repack plan')
equal(many[2], few[2], 'findings about budgets')
assert len(few[2]) > 1, few[2]
finish()
