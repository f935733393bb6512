# SPDX-License-Identifier: Apache-2.0
"""What to start for plain demands, for callers that have no Kubernetes objects."""
from __future__ import annotations

import ctypes as C
import decimal
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, Hashable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as native
from . import _read as read
from . import _structs as S
from ._decision import Objective, objective_of
from ._options import OBJECTIVES, Run, one_of, steps_of

Amount = Union[int, float, str, decimal.Decimal]
Amounts = Mapping[str, Amount]
Selector = Mapping[str, Union[str, Sequence[str]]]


@dataclass(frozen=True)
class Demand:
    """Equal demands: `count` copies of `requests`. `selector`: labels a node needs, each with a value or some. `max_per_node`:
    copies on one node. `group`: demands of equal groups are placed all or none. Higher `priority` first."""
    requests: Amounts
    count: int = 1
    selector: Optional[Selector] = None
    max_per_node: Optional[int] = None
    group: Optional[Hashable] = None
    priority: int = 0


@dataclass(frozen=True)
class NodeType:
    """A type of node that can be started: at least `min`, at most `max` of them."""
    resources: Amounts
    price: float = 0.0
    labels: Mapping[str, str] = field(default_factory=dict)
    min: int = 0
    max: Optional[int] = None


@dataclass(frozen=True)
class Node:
    """Nodes that are there already, `count` equal ones, and what is free on each."""
    free: Amounts
    labels: Mapping[str, str] = field(default_factory=dict)
    count: int = 1


class Left(NamedTuple):
    """Copies that found no place. `demand` is the index of the demand among those given (of the first of equal ones); `reason`
    SELECTOR, TOO_LARGE, FULL or GROUP."""
    demand: int
    copies: int
    reason: str
    permanent: bool


class Load(NamedTuple):
    """`nodes` nodes that are loaded alike: new ones of a `type`, or existing ones (`node`, their index). `shares`: the index of a
    demand and how many copies of it each of them receives."""
    type: Optional[str]
    node: Optional[int]
    nodes: int
    shares: Tuple[Tuple[int, int], ...]


class Fitting(NamedTuple):
    """`launch`: how many nodes of each type. `permanent`: something can never be placed. True when everything has a place.
    `idle`: how many of the nodes that are there receive nothing, by their index. Those can be removed, when `free` was what they
    have without the demands that run on them, and these were among the demands. `objective`: the figures of objective='cost'."""
    launch: Dict[str, int]
    cost_per_hour: float
    left: Tuple[Left, ...]
    loads: Tuple[Load, ...]
    idle: Dict[int, int] = {}
    objective: Optional[Objective] = None

    @property
    def permanent(self) -> bool:
        return any(each.permanent for each in self.left)

    def __bool__(self) -> bool:
        return not self.left


class _Request:
    """The structs of one call, and everything they point to."""

    def __init__(self) -> None:
        self.kept: List[Any] = []

    def text(self, value: str) -> S.Str:
        lent, data = native.lend(value)
        self.kept.append(data)
        return lent

    def array(self, kind: Any, items: List[Any]) -> Tuple[Optional[int], int]:
        if not items:
            return None, 0
        made = (kind * len(items))(*items)
        self.kept.append(made)
        return C.addressof(made), len(items)

    def amounts(self, given: Amounts) -> Tuple[Optional[int], int]:
        return self.array(S.Resource, [S.Resource(self.text(name), self.text(str(amount)))
                                       for name, amount in given.items()])

    def labels(self, given: Mapping[str, str]) -> Tuple[Optional[int], int]:
        return self.array(S.Label, [S.Label(self.text(key), self.text(value)) for key, value in given.items()])

    def selector(self, given: Optional[Selector]) -> Optional[int]:
        if given is None:
            return None
        wanted = []
        for key, value in given.items():
            values = [self.text(each) for each in ([value] if isinstance(value, str) else value)]
            wanted.append(S.Requirement(self.text(key), read.OPERATORS.index('In'), 0, *self.array(S.Str, values)))
        made = S.Selector(None, 0, *self.array(S.Requirement, wanted))
        self.kept.append(made)
        return C.addressof(made)


def _merged(demands: Sequence[Union[Demand, Amounts]], groups: Union[None, str, Sequence[Hashable]]
            ) -> List[Tuple[Demand, int]]:
    """Neighbours that are equal become one demand with a count; with the index of the first."""
    if isinstance(groups, str) and groups != 'all-or-nothing':
        raise ValueError(f'groups={groups!r}: "all-or-nothing", or a group for each demand is wanted')
    if groups is not None and not isinstance(groups, str) and len(groups) != len(demands):
        raise ValueError(f'{len(demands)} demands, but {len(groups)} groups')
    merged: List[Tuple[Demand, int]] = []
    last: Any = None
    last_group: Optional[Hashable] = None
    count = 0

    def end(index: int) -> None:
        if count and isinstance(last, Demand):
            again = replace(last, count=last.count * count, group=last.group if last_group is None else last_group)
            merged.append((again, index - count))
        elif count:
            merged.append((Demand(last, count, group=last_group), index - count))
    for index, given in enumerate(demands):
        group = groups if groups is None or isinstance(groups, str) else groups[index]
        if count and (given is last or given == last) and group == last_group:
            count += 1
            continue
        end(index)
        last, last_group, count = given, group, 1
    end(len(demands))
    return merged


def fit(demands: Sequence[Union[Demand, Amounts]], node_types: Mapping[str, NodeType], *,
        nodes: Sequence[Node] = (), groups: Union[None, str, Sequence[Hashable]] = None, max_launches: Optional[int] = None,
        should_stop: Optional[Callable[[], object]] = None, objective: str = 'compatible', effort: Union[int, str] = '100ms') -> Fitting:
    """Which nodes to start for demands, by the rules of karp/fit.h.

    `demands`: amounts, {'CPU': 16, 'GPU': 1}, or Demands; equal ones that stand together cost as much as one. `node_types`: by
    name. `nodes`: those that are there already. `groups`: 'all-or-nothing', or a group for each demand (None: by itself).
    `max_launches`: at most so many nodes of all types together. `objective`: 'cost' launches the cheapest nodes that a search of so
    much `effort` finds for the same demands, and tells how cheap it could be at most (Fitting.objective).
    Amounts are numbers or quantities ("1500m", "16Gi"), and exact: a float is the decimal that Python shows for it.
    """
    made = _Request()
    merged = _merged(demands, groups)
    numbers: Dict[Hashable, int] = {}
    rows = []
    for demand, _ in merged:
        group = 0 if demand.group is None else numbers.setdefault(demand.group, len(numbers) + 1)
        if demand.count < 0 or (demand.max_per_node is not None and demand.max_per_node < 1):
            raise ValueError(f'{demand}: a count of at least 0, max_per_node of at least 1 are wanted')
        rows.append(S.FitDemand(*made.amounts(demand.requests), made.selector(demand.selector), demand.count,
                                demand.max_per_node or 0, group, demand.priority))
    # max=0 means none to the caller, any number to the library.
    if max_launches is not None and max_launches < 0:
        raise ValueError(f'max_launches={max_launches}: at least 0 is wanted')
    names = [name for name, each in node_types.items() if (each.max is None or each.max > 0) and max_launches != 0]
    for name in names:
        each = node_types[name]
        if each.min < 0 or (each.max is not None and each.max < each.min):
            raise ValueError(f'{name}: 0 <= min <= max is wanted')
    types = [S.FitType(made.text(name), *made.amounts(node_types[name].resources), *made.labels(node_types[name].labels),
                       node_types[name].price, node_types[name].max or 0, node_types[name].min) for name in names]
    there = [S.FitNode(made.text(''), *made.amounts(node.free), *made.labels(node.labels), node.count)
             for node in nodes if node.count > 0]
    there_index = [index for index, node in enumerate(nodes) if node.count > 0]
    request = S.FitRequest()
    native.core.karp_fit_request_init(C.byref(request), C.sizeof(request))
    request.max_launches = max_launches or 0
    request.objective, request.effort = one_of(objective, OBJECTIVES, 'objective'), steps_of(effort)
    request.types, request.type_count = made.array(S.FitType, types)
    request.nodes, request.node_count = made.array(S.FitNode, there)
    request.demands, request.demand_count = made.array(S.FitDemand, rows)
    with Run(should_stop=should_stop) as run, native.Context() as context:
        request.should_stop = run.options.should_stop
        answer = native.make(native.core.karp_fit, native.core.karp_fitting_free, context.address, C.byref(request))
    fitting = _answer(answer, names, there_index, [index for _, index in merged])
    idle = {index: nodes[index].count for index in there_index}
    for load in fitting.loads:
        if load.node is not None and load.shares:
            idle[load.node] -= load.nodes
    return fitting._replace(idle={index: count for index, count in idle.items() if count})


def _answer(answer: native.Handle, names: List[str], nodes: List[int], demands: List[int]) -> Fitting:
    core, address = native.core, answer.address
    launches = {name: int(core.karp_fitting_launches(address, i)) for i, name in enumerate(names)}
    left = []
    for i in range(core.karp_fitting_left_count(address)):
        row = read.row(S.FitLeft, core.karp_fitting_left, address, i)
        reason = (core.karp_fit_reason_name(row.reason) or b'').decode('ascii')
        left.append(Left(demands[row.demand], int(row.copies), reason, bool(row.permanent)))
    loads = []
    for i in range(core.karp_fitting_load_count(address)):
        load = read.row(S.FitLoad, core.karp_fitting_load, address, i)
        shares = tuple((demands[share.demand], int(share.copies))
                       for share in read.array(S.FitShare, load.shares, load.share_count))
        loads.append(Load(names[load.index] if load.launched else None, None if load.launched else nodes[load.index],
                          int(load.nodes), shares))
    return Fitting({name: count for name, count in launches.items() if count}, float(core.karp_fitting_cost(address)),
                   tuple(left), tuple(loads), objective=objective_of(core.karp_fitting_objective, address))
