# SPDX-License-Identifier: Apache-2.0
"""libkarp as the scheduler of Ray's autoscaler v2."""
from __future__ import annotations

import dataclasses
import functools
import logging
import time
import uuid
from collections import Counter
from typing import Dict, List, Mapping, Optional

import ray.autoscaler.v2.autoscaler
from ray.autoscaler.v2.event_logger import AutoscalerEventLogger
from ray.autoscaler.v2.scheduler import (IResourceScheduler, ResourceDemandScheduler, ResourceRequestSource, SchedulingNode,
                                         SchedulingNodeStatus, SchedulingReply, SchedulingRequest)
from ray.core.generated.instance_manager_pb2 import LaunchRequest, TerminationRequest

from demands import Answer, Present, decide

logger = logging.getLogger(__name__)


class KarpScheduler(IResourceScheduler):
    """Launches are libkarp's. Ray still decides which nodes are terminated: instances of another configuration, more than a
    maximum, idle ones. But an idle node that takes something here stays."""

    def __init__(self, event_logger: Optional[AutoscalerEventLogger] = None, prices: Optional[Mapping[str, float]] = None) -> None:
        self._event_logger = event_logger
        self._prices = prices
        self._of_ray = ResourceDemandScheduler()

    def schedule(self, request: SchedulingRequest) -> SchedulingReply:
        found = [SchedulingNode.new(each, request.node_type_configs, request.disable_launch_config_check)
                 for each in request.current_instances]
        nodes = [node for node in found if node is not None]
        leaving = {each.instance_id: each for each in self._terminations(request)}
        present = []
        for node in nodes:
            going = leaving.get(node.im_instance_id)
            forced = going is not None and going.cause != TerminationRequest.Cause.IDLE
            present.append(Present(node.node_type, node.total_resources,
                                   node.get_available_resources(ResourceRequestSource.PENDING_DEMAND), node.labels,
                                   forced or node.status == SchedulingNodeStatus.TO_TERMINATE))
        answer = decide(request, present, self._prices)
        for index in answer.needed:
            leaving.pop(nodes[index].im_instance_id, None)
        staying = [node for node in nodes if node.im_instance_id not in leaving]
        reply = SchedulingReply(
            to_launch=[LaunchRequest(instance_type=name, count=count, id=str(uuid.uuid4()), request_ts_ms=time.time_ns() // 1000)
                       for name, count in answer.launch.items()],
            to_terminate=list(leaving.values()), cluster_resources=_sum(request, answer, staying),
            infeasible_resource_requests=answer.infeasible, infeasible_gang_resource_requests=answer.infeasible_gangs,
            infeasible_cluster_resource_constraints=answer.infeasible_constraints)
        self._log(reply)
        return reply

    def _terminations(self, request: SchedulingRequest) -> List[TerminationRequest]:
        """Ray's answer to the same cluster without demands."""
        if not request.current_instances:
            return []
        quiet = dataclasses.replace(request, resource_requests=[], gang_resource_requests=[], cluster_resource_constraints=[],
                                    pending_idle_timeout_s=None, ippr_specs=None, ippr_statuses={})
        return list(self._of_ray.schedule(quiet).to_terminate)

    def _log(self, reply: SchedulingReply) -> None:
        if self._event_logger is None:
            return
        try:
            self._event_logger.log_cluster_scheduling_update(
                launch_requests=reply.to_launch, terminate_requests=reply.to_terminate,
                infeasible_requests=reply.infeasible_resource_requests,
                infeasible_gang_requests=reply.infeasible_gang_resource_requests,
                infeasible_cluster_resource_constraints=reply.infeasible_cluster_resource_constraints,
                cluster_resources=reply.cluster_resources)
        except Exception:  # as Ray's own scheduler: what cannot be logged is still decided
            logger.exception('the decision was not logged')


def _sum(request: SchedulingRequest, answer: Answer, staying: List[SchedulingNode]) -> Dict[str, float]:
    total: 'Counter[str]' = Counter()
    for node in staying:
        total.update(node.total_resources)
    for name, count in answer.launch.items():
        total.update({resource: value * count for resource, value in request.node_type_configs[name].resources.items()})
    return dict(total)


def install(prices: Optional[Mapping[str, float]] = None) -> None:
    """Autoscalers that are made in this process from now on decide by libkarp. Ray has no setting for it: its autoscaler makes
    what its module calls ResourceDemandScheduler."""
    ray.autoscaler.v2.autoscaler.ResourceDemandScheduler = functools.partial(KarpScheduler, prices=prices)
