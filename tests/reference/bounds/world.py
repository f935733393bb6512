# SPDX-License-Identifier: Apache-2.0
"""What a snapshot has: pods, nodes, NodePools, and what each of these could launch."""
import collections
from fractions import Fraction

from bounds.labels import agree, narrowed, terms_of, tolerated
from bounds.numbers import quantity


def requests_of(spec):
    """Requests of a pod: the sum of its containers, or what one of its init containers needs beside the sidecars before it."""
    total, sidecars, first = collections.Counter(), collections.Counter(), collections.Counter()
    def of(container):
        asked = (container.get('resources') or {})
        both = dict(asked.get('limits') or {}) | dict(asked.get('requests') or {})
        return {k: quantity(v) for k, v in both.items()}
    for container in spec.get('initContainers') or []:
        own = of(container)
        if container.get('restartPolicy') == 'Always':
            for k, v in own.items():
                sidecars[k] += v
            own = {}
        for k in set(own) | set(sidecars):
            first[k] = max(first[k], own.get(k, 0) + sidecars[k])
    for container in spec.get('containers') or []:
        for k, v in of(container).items():
            total[k] += v
    total.update(sidecars)
    for k, v in first.items():
        total[k] = max(total[k], v)
    for k, v in (spec.get('overhead') or {}).items():
        total[k] += quantity(v)
    total['pods'] = 1
    return total


class World:
    def __init__(self, snapshot):
        self.pools = {}
        self.labels = {}
        self.pods, self.daemons, self.nodes, self.on, self.budgets = {}, [], {}, collections.defaultdict(list), []
        for o in snapshot.get('objects') or []:
            name = o['metadata']['name']
            if o['kind'] == 'NodePool':
                template = o['spec']['template']
                labels = {k: {v} for k, v in ((template.get('metadata') or {}).get('labels') or {}).items()}
                labels['karpenter.sh/nodepool'] = {name}
                self.pools[name] = (labels, template['spec'].get('requirements') or [], template['spec'].get('taints') or [])
            elif o['kind'] == 'Pod':
                self.pods[f'{o["metadata"].get("namespace") or "default"}/{name}'] = o['spec']
                self.labels[f'{o["metadata"].get("namespace") or "default"}/{name}'] = o['metadata'].get('labels') or {}
                self.on[o['spec'].get('nodeName')].append(o)
            elif o['kind'] == 'Node':
                self.nodes[name] = o
            elif o['kind'] == 'PodDisruptionBudget':
                self.budgets.append(o)
            elif o['kind'] == 'DaemonSet':
                self.daemons.append(o['spec']['template']['spec'])
        self.catalogues = [c for c in snapshot.get('catalogues') or []]

    def offerings(self):
        """What each pool could launch: its name, the labels it may have, allocatable and price."""
        for pool, (labels, requirements, taints) in self.pools.items():
            for catalogue in self.catalogues:
                if catalogue.get('nodePools') and pool not in catalogue['nodePools']:
                    continue
                for t in catalogue['instanceTypes']:
                    of_type = narrowed(labels, t['requirements'])
                    if not agree(requirements, of_type):
                        continue
                    of_type = narrowed(of_type, requirements)
                    space = {k: quantity(v) for k, v in t['capacity'].items()}
                    for part in (t.get('overhead') or {}).values():
                        for k, v in part.items():
                            space[k] = space.get(k, 0) - quantity(v)
                    for o in t['offerings']:
                        if o.get('available', True) and agree(o['requirements'], of_type):
                            yield pool, t['name'], narrowed(of_type, o['requirements']), taints, space, o

    def daemons_take(self, labels, taints, resource):
        return sum((requests_of(d)[resource] for d in self.daemons if tolerated(d.get('tolerations') or [], taints) and
                    any(agree(t, labels) for t in terms_of(d))), Fraction(0))
