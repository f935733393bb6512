# SPDX-License-Identifier: Apache-2.0
"""The same requests to the scheduler of Ray's autoscaler and to that of examples/ray, in one process."""
import collections
import copy
import functools
import inspect
import logging
import sys
import time

import ray_worlds as worlds
import scheduler as ours
from ray.autoscaler.v2 import autoscaler
from ray.autoscaler.v2.instance_manager.config import NodeTypeConfig
from ray.autoscaler.v2.scheduler import IResourceScheduler, ResourceDemandScheduler, SchedulingRequest
from ray.autoscaler.v2.schema import AutoscalerInstance
from ray.autoscaler.v2.utils import ResourceRequestUtil
from ray.core.generated.autoscaler_pb2 import ClusterResourceConstraint, GangResourceRequest, NodeState, NodeStatus, ResourceRequestByCount
from ray.core.generated.instance_manager_pb2 import Instance, NodeKind, TerminationRequest

Kind = ResourceRequestUtil.PlacementConstraintType


def by_count(requests):
    return [ResourceRequestByCount(request=request, count=count) for request, count in requests]


def gang(number, given):
    constraint = {'pack': Kind.AFFINITY, 'spread': Kind.ANTI_AFFINITY}.get(given['kind'])
    constraints = [(constraint, f'group-{number}', 'x')] if constraint else None
    return GangResourceRequest(requests=[ResourceRequestUtil.make(each, constraints) for each in given['bundles']])


def instance(number, given, idle=0, config='1'):
    state = NodeState(node_id=b'%d' % number, ray_node_type_name=given['type'], total_resources=given['total'],
                      available_resources=given['free'], labels=given['labels'], status=NodeStatus.RUNNING, idle_duration_ms=idle)
    return AutoscalerInstance(
        cloud_instance_id=f'c{number}', ray_node=state,
        im_instance=Instance(instance_id=f'i{number}', instance_type=given['type'], status=Instance.RAY_RUNNING, node_kind=NodeKind.WORKER,
                             node_id=f'n{number}', cloud_instance_id=f'c{number}', launch_config_hash=config))


def request_of(given, **others):
    constraint = given['constraint']
    return SchedulingRequest(
        disable_launch_config_check=True, max_num_nodes=given['max_nodes'],
        node_type_configs={name: NodeTypeConfig(name=name, min_worker_nodes=each['min'], max_worker_nodes=each['max'],
                                                priority=each['priority'], resources=each['resources'], labels=each['labels'],
                                                launch_config_hash='1') for name, each in given['types'].items()},
        resource_requests=by_count((ResourceRequestUtil.make(resources, None, selectors), count)
                                   for resources, count, selectors in given['demands']),
        gang_resource_requests=[gang(i, each) for i, each in enumerate(given['gangs'])],
        cluster_resource_constraints=[] if constraint is None else [ClusterResourceConstraint(
            resource_requests=by_count((ResourceRequestUtil.make(resources), count) for resources, count in constraint))],
        current_instances=[instance(i, each) for i, each in enumerate(given['nodes'])], **others)


def launches(reply):
    return {each.instance_type: each.count for each in reply.to_launch}


def infeasible(reply):
    return [collections.Counter(each.SerializeToString(deterministic=True) for each in part) for part in (
        reply.infeasible_resource_requests, reply.infeasible_gang_resource_requests, reply.infeasible_cluster_resource_constraints)]


def check_limits(given, reply):
    there = collections.Counter(each['type'] for each in given['nodes'])
    for name, count in launches(reply).items():
        assert there[name] + count <= given['types'][name]['max'], (name, count)
    if given['max_nodes'] is not None:
        assert len(given['nodes']) + sum(launches(reply).values()) <= max(given['max_nodes'], len(given['nodes']))


def compare_random():
    """With room for everything that fits at all, what is infeasible is the same; with none, one shape at a time is."""
    left = same = fewer = more = 0
    for seed in range(200):
        given = worlds.world(seed, tight=False)
        theirs, mine = ResourceDemandScheduler().schedule(request_of(given)), ours.KarpScheduler().schedule(request_of(given))
        check_limits(given, mine)
        assert infeasible(mine) == infeasible(theirs), seed
        left += any(map(len, infeasible(mine)))
        same += launches(mine) == launches(theirs)
        fewer += sum(launches(mine).values()) < sum(launches(theirs).values())
        more += sum(launches(mine).values()) > sum(launches(theirs).values())
    print(f'200 requests: the same is infeasible in all, something in {left}; the same launches in {same}, '
          f'fewer nodes in {fewer}, more in {more}')
    assert left > 20
    short = 0
    for seed in range(200):
        given = worlds.world(seed, tight=True)
        mine = ours.KarpScheduler().schedule(request_of(given))
        check_limits(given, mine)
        # One type, one shape: how many have no place leaves no choice.
        name = sorted(given['types'])[0]
        one = {**given, 'types': {name: given['types'][name]}, 'gangs': [], 'constraint': None, 'demands': given['demands'][:1],
               'nodes': [each for each in given['nodes'] if each['type'] == name]}
        # (Ray puts demands on nodes that it lets go because there are too many.)
        least = max(one['types'][name]['min'], len(one['nodes']))
        if one['max_nodes'] is not None and one['max_nodes'] < least:
            continue
        theirs, mine = ResourceDemandScheduler().schedule(request_of(one)), ours.KarpScheduler().schedule(request_of(one))
        assert infeasible(mine) == infeasible(theirs) and launches(mine) == launches(theirs), seed
        short += bool(mine.infeasible_resource_requests)
    assert short > 20, short


def compare_terminations():
    types = {'a': {'min': 0, 'max': 9, 'priority': 0, 'resources': {'CPU': 4.0}, 'labels': {}}}
    node = {'type': 'a', 'total': {'CPU': 4.0}, 'free': {'CPU': 4.0}, 'labels': {}}
    given = {'types': types, 'max_nodes': None, 'nodes': [], 'gangs': [], 'constraint': None, 'demands': []}
    request = request_of(given, idle_timeout_s=60)
    request.disable_launch_config_check = False
    request.current_instances = [instance(0, node, idle=100_000), instance(1, node, idle=100_000), instance(2, node, config='old')]

    def gone(reply):
        return {each.instance_id: TerminationRequest.Cause.Name(each.cause) for each in reply.to_terminate}
    theirs, mine = ResourceDemandScheduler().schedule(copy.deepcopy(request)), ours.KarpScheduler().schedule(copy.deepcopy(request))
    assert gone(mine) == gone(theirs) == {'i0': 'IDLE', 'i1': 'IDLE', 'i2': 'OUTDATED'}, (gone(mine), gone(theirs))
    request.resource_requests = by_count([(ResourceRequestUtil.make({'CPU': 3.0}), 1)])
    mine = ours.KarpScheduler().schedule(request)
    assert gone(mine) == {'i1': 'IDLE', 'i2': 'OUTDATED'} and not mine.to_launch, gone(mine)
    assert mine.cluster_resources == {'CPU': 4.0}, mine.cluster_resources


def compare_speed():
    types = {name: {'min': 0, 'max': 100_000, 'priority': 0, 'resources': {'CPU': 16.0, 'GPU': float(gpu), 'memory': 64.0 * 2**30},
                    'labels': {}} for name, gpu in (('cpu', 0), ('gpu', 1))}
    times = {}
    for who, count, rounds in ((ours.KarpScheduler, 9838, 5), (ours.KarpScheduler, 1000, 1), (ResourceDemandScheduler, 1000, 1)):
        given = {'types': types, 'max_nodes': 200_000, 'nodes': [], 'gangs': [], 'constraint': None,
                 'demands': [({'CPU': 16.0, 'GPU': 1.0}, count, [])]}
        request = request_of(given)
        took = []
        for _ in range(rounds):
            began = time.process_time()
            reply = who(None).schedule(request)
            took.append(time.process_time() - began)
            assert launches(reply) == {'gpu': count} and not reply.infeasible_resource_requests
        times[who, count] = min(took)
        print(f'{count} bundles, {who.__module__}: {min(took) * 1e3:.2f} ms')
    assert times[ours.KarpScheduler, 9838] < 0.010
    if '--all' in sys.argv:
        request.resource_requests = by_count([(ResourceRequestUtil.make({'CPU': 16.0, 'GPU': 1.0}), 9838)])
        began = time.process_time()
        ResourceDemandScheduler(None).schedule(request)
        print(f'9838 bundles, Ray: {time.process_time() - began:.1f} s')


def check_installed():
    assert 'ResourceDemandScheduler' in autoscaler.Autoscaler.__init__.__code__.co_names, inspect.getsource(autoscaler.Autoscaler.__init__)
    ours.install(prices={'cpu': 1.0})
    made = autoscaler.ResourceDemandScheduler(None)
    assert isinstance(autoscaler.ResourceDemandScheduler, functools.partial) and isinstance(made, IResourceScheduler)
    assert made._prices == {'cpu': 1.0}


logging.disable(logging.WARNING)
compare_random()
compare_terminations()
compare_speed()
check_installed()
