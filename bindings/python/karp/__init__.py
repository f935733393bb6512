# SPDX-License-Identifier: Apache-2.0
"""Which nodes should this cluster start, and which may go? Karpenter's decisions, from Python.

    import karp

    snapshot = karp.load('examples/quickstart')
    plan = snapshot.plan()
    print(plan)
    for launch in plan.launches:
        print(launch.choice.instance_type, launch.pods)
"""
from ._catalogue import Catalogue, InstanceType, Offering, catalogue
from ._decision import (Candidate, Choice, Command, Cost, DisruptionPlan, Funnel, Ignored, Kept, Launch, MethodError,
                        NodeUse, Placement, Plan, PoolRefusal, TargetRefusal, Unschedulable)
from ._errors import (CanceledError, ClosedError, Error, FileError, InputError, LibraryError, LimitError, NotFoundError,
                      OutOfMemoryError)
from ._explain import Blocker, Finding, Move, NodeExplanation, PodExplanation, Remedy, Verification
from ._native import library_path, quantity
from ._read import Requirement, Taint
from ._snapshot import Counts, Snapshot, load, verify
from ._version import __version__

__all__ = [
    'Blocker', 'CanceledError', 'Candidate', 'Catalogue', 'Choice', 'ClosedError', 'Command', 'Cost', 'Counts',
    'DisruptionPlan', 'Error', 'FileError', 'Finding', 'Funnel', 'Ignored', 'InputError', 'InstanceType', 'Kept', 'Launch',
    'LibraryError', 'LimitError', 'MethodError', 'Move', 'NodeExplanation', 'NodeUse', 'NotFoundError', 'Offering',
    'OutOfMemoryError', 'Placement', 'Plan', 'PodExplanation', 'PoolRefusal', 'Remedy', 'Requirement', 'Snapshot', 'Taint',
    'TargetRefusal', 'Unschedulable', 'Verification', '__version__', 'catalogue', 'library_path', 'load', 'quantity',
    'verify',
]
