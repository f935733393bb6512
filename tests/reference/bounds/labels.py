# SPDX-License-Identifier: Apache-2.0
"""Requirements, labels, taints, selectors, and what a pod asks of a node."""
import collections

ZONE = 'topology.kubernetes.io/zone'


def matches(r, have):
    """Whether a requirement and the values that a label may have (None = not defined) have something in common."""
    operator, values = r['operator'], set(r.get('values') or [])
    if operator == 'In':
        return have is None or bool(values & have)
    if operator == 'NotIn':
        return have is None or bool(have - values)
    if operator == 'Exists':
        return True
    if operator == 'DoesNotExist':
        return have is None or not have
    if have is None:
        return True
    bound = int(r['values'][0])
    return any((int(v) > bound) if operator == 'Gt' else (int(v) < bound) for v in have if v.lstrip('-').isdigit())


def agree(requirements, labels):
    return all(matches(r, labels.get(r['key'])) for r in requirements)


def narrowed(labels, requirements):
    """The values that are left of each label; what a requirement alone defines is open."""
    out = dict(labels)
    for r in requirements:
        if r['operator'] == 'In':
            values = set(r['values'])
            out[r['key']] = values & out[r['key']] if out.get(r['key']) is not None else values
        elif r['operator'] == 'DoesNotExist':
            out[r['key']] = set()
    return out


def tolerated(tolerations, taints):
    def one(toleration, taint):
        return ((not toleration.get('effect') or toleration['effect'] == taint.get('effect')) and
                (not toleration.get('key') or toleration['key'] == taint['key']) and
                (toleration.get('operator') == 'Exists' or (toleration.get('value') or '') == (taint.get('value') or '')))
    return all(t.get('effect') == 'PreferNoSchedule' or any(one(x, t) for x in tolerations) for t in taints)


def terms_of(spec):
    """What a pod asks of a node, as alternatives."""
    selector = [{'key': k, 'operator': 'In', 'values': [v]} for k, v in (spec.get('nodeSelector') or {}).items()]
    affinity = (spec.get('affinity') or {}).get('nodeAffinity') or {}
    required = (affinity.get('requiredDuringSchedulingIgnoredDuringExecution') or {}).get('nodeSelectorTerms') or [{}]
    return [selector + (t.get('matchExpressions') or []) for t in required]


def prefers(spec):
    affinity = (spec.get('affinity') or {}).get('nodeAffinity') or {}
    return bool(affinity.get('preferredDuringSchedulingIgnoredDuringExecution'))


def selects(selector, labels):
    listed = [{'key': k, 'operator': 'In', 'values': [v]} for k, v in (selector.get('matchLabels') or {}).items()]
    have = collections.defaultdict(set, {k: {v} for k, v in labels.items()})
    return all(r['operator'] == 'NotIn' and not have[r['key']] or matches(r, have[r['key']])
               for r in listed + (selector.get('matchExpressions') or []))


def one_of(labels, key):
    values = labels.get(key)
    return next(iter(values)) if values and len(values) == 1 else ''
