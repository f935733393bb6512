# SPDX-License-Identifier: Apache-2.0
"""What Ray's autoscaler asks of a scheduler, put to karp.fit(), and the answer back.

Ray's messages are seen by their members alone, so that this file needs no Ray.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence, Set, Tuple

import karp

# Of these every node has one, unless it says otherwise.
IMPLICIT = 'node:__internal_implicit_resource_'
IN, NOT_IN = 1, 2  # LabelSelectorOperator


@dataclass
class Present:
    """A node that runs Ray, or soon will. One that is leaving counts, but takes nothing."""
    type: str
    total: Mapping[str, float]
    free: Mapping[str, float]
    labels: Mapping[str, str] = field(default_factory=dict)
    leaving: bool = False


@dataclass
class Load:
    """Nodes that are loaded alike: `present` of those that are there (None: the `nodes` are launched), with requests and how
    many copies of each."""
    type: str
    present: Optional[int]
    nodes: int
    shares: List[Tuple[Any, int]]


@dataclass
class Answer:
    launch: Dict[str, int]
    loads: List[Load]
    needed: Set[int]  # of the nodes that are there: those that receive something
    infeasible: List[Any]
    infeasible_gangs: List[Any]
    infeasible_constraints: List[Any]


@dataclass
class _Bundle:
    """A request as karp.fit() takes it. `places`: "spread" resources, of which a node has one each."""
    request: Any
    count: int
    amounts: Dict[str, float]
    selectors: Tuple[Hashable, ...]
    spread: List[Tuple[str, str]]


def _amount(value: float) -> float:
    """Ray counts in ten-thousandths."""
    return max(0.0, round(value, 4))


def _bundle(request: Any, count: int) -> _Bundle:
    selectors = tuple(tuple((each.label_key, each.operator, tuple(each.label_values)) for each in selector.label_constraints)
                      for selector in request.label_selectors)
    spread = [(each.anti_affinity.label_name, each.anti_affinity.label_value) for each in request.placement_constraints
              if each.HasField('anti_affinity')]
    return _Bundle(request, count, {name: _amount(value) for name, value in request.resources_bundle.items()}, selectors, spread)


def _together(requests: Sequence[Any]) -> List[_Bundle]:
    """The requests of a gang; those with the same affinity, which go to one node, as one."""
    bundles: List[_Bundle] = []
    joined: Dict[Hashable, _Bundle] = {}
    for request in requests:
        bundle = _bundle(request, 1)
        affinity = next((each.affinity for each in request.placement_constraints if each.HasField('affinity')), None)
        if affinity is not None:
            key = (affinity.label_name, affinity.label_value, bundle.selectors)
            if key in joined:
                amounts = joined[key].amounts
                for name, value in bundle.amounts.items():
                    amounts[name] = _amount(amounts.get(name, 0) + value)
                continue
            joined[key] = bundle
        bundles.append(bundle)
    return bundles


def _matches(selectors: Tuple[Any, ...], labels: Mapping[str, str]) -> bool:
    """One of them is enough."""
    def holds(key: str, operator: int, values: Sequence[str]) -> bool:
        return {IN: labels.get(key) in values, NOT_IN: labels.get(key) not in values}.get(operator, False)
    return any(all(holds(*each) for each in selector) for selector in selectors)


class _Question:
    """One call of karp.fit()."""

    def __init__(self, bundles: Sequence[_Bundle]) -> None:
        self.bundles = bundles
        self.selectors = {each.selectors: f'selector-{i}' for i, each in enumerate(bundles) if each.selectors}
        self.spread = {pair for each in bundles for pair in each.spread}
        self.implicit = {name for each in bundles for name in each.amounts if name.startswith(IMPLICIT)}

    def demand(self, bundle: _Bundle, group: Optional[int], priority: int) -> karp.Demand:
        amounts = {name: value for name, value in bundle.amounts.items() if value > 0}
        amounts.update({f'spread {name}={value}': 1 for name, value in bundle.spread})
        selector = {self.selectors[bundle.selectors]: 'yes'} if bundle.selectors else None
        return karp.Demand(amounts, bundle.count, selector, group=group, priority=priority)

    def amounts(self, resources: Mapping[str, float], labels: Mapping[str, str]) -> Dict[str, float]:
        made = {name: 1.0 for name in self.implicit}
        made.update({name: _amount(value) for name, value in resources.items()})
        made.update({f'spread {name}={value}': 0.0 if labels.get(name) == value else 1.0 for name, value in self.spread})
        return made

    def labels(self, labels: Mapping[str, str]) -> Dict[str, str]:
        """Which selectors they meet: Ray's own meaning of them, whatever it is."""
        return {name: 'yes' for selectors, name in self.selectors.items() if _matches(selectors, labels)}


def default_prices(configs: Mapping[str, Any]) -> Dict[str, float]:
    """Ray knows no prices. Without any, a node costs what it has, each resource as a part of the most that any type has: so
    demands go to small nodes, and those without GPU to nodes without."""
    most: Dict[str, float] = {}
    for config in configs.values():
        for name, value in config.resources.items():
            most[name] = max(most.get(name, 0), value)
    return {name: sum(value / most[resource] for resource, value in config.resources.items() if value > 0)
            for name, config in configs.items()}


class _Decision:
    def __init__(self, request: Any, present: Sequence[Present], prices: Optional[Mapping[str, float]]) -> None:
        self.present = present
        # Among equal prices the type that stands first is taken.
        self.configs = dict(sorted(request.node_type_configs.items(), key=lambda item: -item[1].priority))
        own = default_prices(self.configs)
        self.prices = {name: (prices or {}).get(name, own[name]) * (2 - request.cloud_resource_availabilities.get(name, 1.0)) *
                       (2 - request.recoverable_resource_availabilities.get(name, 1.0)) for name in self.configs}
        there = Counter(each.type for each in present)
        self.may = {name: max(0, config.max_worker_nodes - there[name]) for name, config in self.configs.items()}
        self.room = None if request.max_num_nodes is None else max(0, request.max_num_nodes - len(present))
        self.started: 'Counter[str]' = Counter()
        self.needed: Set[int] = set()
        for name, config in self.configs.items():
            self.start(name, max(0, config.min_worker_nodes - there[name]))

    def start(self, name: str, count: int) -> None:
        count = min(count, self.may[name], count if self.room is None else self.room)
        self.started[name] += count
        self.may[name] -= count
        if self.room is not None:
            self.room -= count

    def ask(self, question: _Question, demands: Sequence[karp.Demand], totals: bool) -> Tuple[karp.Fitting, List[Load]]:
        """What is there takes first, then what has been started; `totals`: as if nothing ran yet."""
        staying = [i for i, each in enumerate(self.present) if not each.leaving]
        starting = [name for name, count in self.started.items() if count > 0]
        nodes = [karp.Node(question.amounts(each.total if totals else each.free, each.labels), question.labels(each.labels))
                 for each in (self.present[i] for i in staying)]
        nodes += [karp.Node(question.amounts(self.configs[name].resources, self.configs[name].labels),
                            question.labels(self.configs[name].labels), self.started[name]) for name in starting]
        types = {name: karp.NodeType(question.amounts(config.resources, config.labels), self.prices[name],
                                     question.labels(config.labels), max=self.may[name]) for name, config in self.configs.items()}
        found = karp.fit(demands, types, nodes=nodes, max_launches=self.room)
        loads = []
        for load in found.loads:
            shares = [(question.bundles[demand].request, copies) for demand, copies in load.shares]
            if load.node is not None and load.node < len(staying):
                index = staying[load.node]
                loads.append(Load(self.present[index].type, index, load.nodes, shares))
            else:
                name = load.type if load.node is None else starting[load.node - len(staying)]
                loads.append(Load(str(name), None, load.nodes, shares))
        return found, loads

    def commit(self, found: karp.Fitting, loads: Sequence[Load]) -> None:
        for name, count in found.launch.items():
            self.start(name, count)
        self.needed |= {load.present for load in loads if load.present is not None}

    def constraint(self, constraint: Any) -> bool:
        """request_resources(): the cluster is to be large enough for all of it, whatever runs on it."""
        question = _Question([_bundle(each.request, each.count) for each in constraint.resource_requests])
        found, loads = self.ask(question, [question.demand(each, 1, 0) for each in question.bundles], totals=True)
        if found:
            self.commit(found, loads)
        return bool(found)


def _gang_requests(gang: Any) -> Sequence[Any]:
    chosen: Sequence[Any] = gang.bundle_selectors[0].resource_requests if gang.bundle_selectors else gang.requests
    return chosen


def _gang_order(gang: Any) -> Tuple[int, int]:
    """Ray's: those with more constraints first, then the larger ones."""
    return sum(len(each.placement_constraints) for each in gang.requests), len(gang.requests)


def decide(request: Any, present: Sequence[Present] = (), prices: Optional[Mapping[str, float]] = None) -> Answer:
    """What to launch for a SchedulingRequest of ray.autoscaler.v2, and what fits nowhere. `prices`: of node types, per hour."""
    decision = _Decision(request, present, prices)
    infeasible_constraints = [each for each in request.cluster_resource_constraints if not decision.constraint(each)]
    gangs = sorted(request.gang_resource_requests, key=_gang_order, reverse=True)
    bundles: List[_Bundle] = []
    of_gang: List[int] = []  # by bundle: 0 = none
    for number, gang in enumerate(gangs, 1):
        for bundle in _together(_gang_requests(gang)):
            bundles.append(bundle)
            of_gang.append(number)
    for each in request.resource_requests:
        bundles.append(_bundle(each.request, each.count))
        of_gang.append(0)
    question = _Question(bundles)
    demands = [question.demand(bundle, number or None, len(gangs) + 1 - number if number else 0)
               for bundle, number in zip(bundles, of_gang)]
    found, loads = decision.ask(question, demands, totals=False)
    decision.commit(found, loads)
    infeasible = [bundles[left.demand].request for left in found.left if not of_gang[left.demand] for _ in range(left.copies)]
    failed = {of_gang[left.demand] for left in found.left}
    return Answer({name: count for name, count in decision.started.items() if count > 0}, loads, decision.needed, infeasible,
                  [gang for number, gang in enumerate(gangs, 1) if number in failed], infeasible_constraints)
