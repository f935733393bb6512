# SPDX-License-Identifier: Apache-2.0
"""A plain reference for groups of pods: which plans are possible, found by trying everything.

It knows nodes with CPUs, a largest number of pods and labels, one instance type, NodePools that launch it up to a limit, node
selectors, anti-affinity by host name, priorities, gates, topology keys. Nothing here is shared with the library.
"""


class Bin:
    """A node, or one that could be launched."""

    def __init__(self, cpu, pods, labels, free=True):
        self.cpu, self.pods, self.labels, self.tags = cpu, pods, labels, set()
        self.launched = not free

    def takes(self, pod, domain):
        if pod['cpu'] > self.cpu or self.pods < 1:
            return False
        if any(self.labels.get(k) != v for k, v in pod['selector'].items()):
            return False
        if pod['apart'] and pod['app'] in self.tags:
            return False
        return domain is None or self.labels.get(domain[0]) == domain[1]

    def put(self, pod):
        self.cpu -= pod['cpu']
        self.pods -= 1
        if pod['apart']:
            self.tags.add(pod['app'])

    def take_back(self, pod):
        self.cpu += pod['cpu']
        self.pods += 1
        self.tags.discard(pod['app']) if pod['apart'] else None


def most(pods, bins, pools, domain):
    """The largest number of these pods that can be placed together in the domain."""
    best = 0

    def place(at, placed):
        nonlocal best
        best = max(best, placed)
        if at == len(pods) or placed + len(pods) - at <= best:
            return
        pod, tried = pods[at], set()
        for b in bins:
            like = (b.cpu, b.pods, tuple(sorted(b.labels.items())), tuple(sorted(b.tags)))
            if like in tried or not b.takes(pod, domain):
                continue
            tried.add(like)
            b.put(pod)
            place(at + 1, placed + 1)
            b.take_back(pod)
        for pool in pools:
            for labels in pool['labels']:
                new = Bin(pool['cpu'], pool['pods'], {**labels, 'kubernetes.io/hostname': object()})
                if pool['left'] < pool['cpu'] or not new.takes(pod, domain and domain[0] != 'kubernetes.io/hostname' and domain or None):
                    continue
                if domain and domain[0] == 'kubernetes.io/hostname' and (domain[1] is not None or any(b.launched for b in bins)):
                    continue
                if domain and domain[0] == 'kubernetes.io/hostname':
                    new.labels['kubernetes.io/hostname'] = None
                new.launched = True
                pool['left'] -= pool['cpu']
                bins.append(new)
                new.put(pod)
                place(at + 1, placed + 1)
                bins.pop()
                pool['left'] += pool['cpu']
        place(at + 1, placed)

    place(0, 0)
    return best


def domains(key, bins, pools):
    if key is None:
        return [None]
    values = {b.labels.get(key) for b in bins} | {labels.get(key) for p in pools for labels in p['labels']}
    found = [(key, v) for v in sorted(v for v in values if isinstance(v, str) and v)]
    return found + [(key, None)] if key == 'kubernetes.io/hostname' else found


def refusal(group, members):
    """Why the group starts nowhere; None = it may start."""
    if any(p['gated'] and not p['node'] for p in members):
        return 'GROUP_GATED'
    if len(members) < group['least']:
        return 'GROUP_INCOMPLETE'
    if any(p['priority'] != group['priority'] for p in members):
        return 'GROUP_PRIORITY'
    return None


def can_start(group, members, bins, pools):
    """Whether the minimum can be reached with its members in the places that are left."""
    bound = [p for p in members if p['node']]
    waiting = [p for p in members if not p['node']]
    places = {b.labels['kubernetes.io/hostname']: b for b in bins}
    fixed = {places[p['node']].labels.get(group['key'], '') for p in bound} if group['key'] else set()
    if len(fixed) > 1 or '' in fixed:
        return False
    need = max(group['least'] - len(bound), 1)
    for domain in domains(group['key'], bins, pools):
        if fixed and domain[1] not in fixed:
            continue
        if most(waiting, bins, pools, domain) >= need:
            return True
    return False
