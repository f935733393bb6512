# SPDX-License-Identifier: Apache-2.0
"""Random requests to Ray's scheduler interface as plain values, and stand-ins for Ray's messages made of them."""
import random
from types import SimpleNamespace as Message

IN, NOT_IN = 1, 2
IMPLICIT = 'node:__internal_implicit_resource_abc'


def some_resources(r, largest):
    made = {'CPU': r.choice([0.5, 1, 2, 3, 4, 8]), 'memory': r.choice([0, 1, 2, 4]) * 2.0**30}
    if r.random() < 0.2:
        made['GPU'] = r.choice([0.25, 1, 2])
    if r.random() < 0.1:
        made['CPU'] = 1000.0
    if r.random() < 0.1:
        made[IMPLICIT] = 0.5
    return {name: value for name, value in made.items() if value <= largest or r.random() < 0.3}


def some_types(r, tight):
    types = {}
    for i in range(r.randint(1, 4)):
        cpu = r.choice([4, 8, 16])
        resources = {'CPU': float(cpu), 'memory': cpu * 2.0 * 2**30}
        if r.random() < 0.3:
            resources['GPU'] = float(r.choice([1, 4]))
        most = r.randint(0, 4) if tight else 1000
        types[f'type-{i}'] = {'min': r.randint(0, min(2, most)), 'max': most, 'resources': resources, 'priority': r.randint(0, 2),
                              'labels': {'zone': r.choice('ab')} if r.random() < 0.7 else {}}
    return types


def some_selectors(r):
    if r.random() < 0.7:
        return []
    return [[('zone', r.choice([IN, NOT_IN]), r.sample(['a', 'b', 'c'], r.randint(1, 2)))] for _ in range(r.randint(1, 2))]


def some_gang(r):
    kind = r.choice(['pack', 'spread', None])
    return {'kind': kind, 'bundles': [some_resources(r, 8) for _ in range(r.randint(1, 4))]}


def some_nodes(r, types):
    nodes = []
    for name, each in types.items():
        for _ in range(r.randint(0, min(2, each['max']))):
            free = {resource: value * r.choice([0, 0.25, 1]) for resource, value in each['resources'].items()}
            nodes.append({'type': name, 'total': each['resources'], 'free': free, 'labels': each['labels']})
    return nodes


def world(seed, tight):
    """`tight`: limits matter. Otherwise whatever fits an empty node has a place."""
    r = random.Random(seed)
    types = some_types(r, tight)
    return {'types': types, 'max_nodes': r.randint(1, 8) if tight and r.random() < 0.5 else None, 'nodes': some_nodes(r, types),
            'demands': [(some_resources(r, 8), r.randint(1, 12), some_selectors(r)) for _ in range(r.randint(0, 6))],
            'gangs': [some_gang(r) for _ in range(r.randint(0, 3))],
            'constraint': [(some_resources(r, 4), r.randint(1, 6)) for _ in range(r.randint(1, 3))] if r.random() < 0.3 else None}


# ---- stand-ins -------------------------------------------------------------------------------------------------------


class Constraint:
    def __init__(self, **which):
        for name, value in which.items():
            setattr(self, name, Message(label_name=value[0], label_value=value[1]))

    def HasField(self, name):
        return hasattr(self, name)


def message(resources, selectors=(), constraints=()):
    return Message(resources_bundle=resources, placement_constraints=list(constraints), label_selectors=[
        Message(label_constraints=[Message(label_key=key, operator=operator, label_values=values) for key, operator, values in each])
        for each in selectors])


def gang_message(number, gang):
    name = {'pack': 'affinity', 'spread': 'anti_affinity'}.get(gang['kind'])
    constraints = [Constraint(**{name: (f'group-{number}', 'x')})] if name else []
    requests = [message(each, (), constraints) for each in gang['bundles']]
    for each in requests:
        each.gang = number  # for tests to tell them apart
    return Message(requests=requests, bundle_selectors=[])


def counted(request, count):
    return Message(request=request, count=count)


def request_message(given):
    constraint = given['constraint']
    return Message(
        node_type_configs={name: Message(name=name, min_worker_nodes=each['min'], max_worker_nodes=each['max'], priority=each['priority'],
                                         resources=each['resources'], labels=each['labels']) for name, each in given['types'].items()},
        max_num_nodes=given['max_nodes'], cloud_resource_availabilities={}, recoverable_resource_availabilities={},
        resource_requests=[counted(message(resources, selectors), count) for resources, count, selectors in given['demands']],
        gang_resource_requests=[gang_message(i, each) for i, each in enumerate(given['gangs'])],
        cluster_resource_constraints=[] if constraint is None else [
            Message(resource_requests=[counted(message(resources), count) for resources, count in constraint])])
