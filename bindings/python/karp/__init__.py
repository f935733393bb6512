# SPDX-License-Identifier: Apache-2.0
"""Which nodes should this cluster launch, and which can be removed? Karpenter's decisions, from Python.

    import karp

    snapshot = karp.load('examples/quickstart')
    plan = snapshot.plan()
    print(plan)
    for launch in plan.launches:
        print(launch.choice.instance_type, launch.pods)
"""
import pathlib as _pathlib

from . import objects
from ._admit import Admission, Flavour, Workload
from ._catalogue import Catalogue, InstanceType, PriceRule, catalogue
from ._command import Action, CommandNode, CommandStep, Observation, Replacement
from ._compare import Comparison, Diff, Settlement, compare
from ._decision import Candidate, Choice, Command, Cost, CurvePoint, DisruptionPlan, Launch, MethodError, NodeUse, Objective, Placement, Plan, RepackPlan, Step, Unschedulable
from ._errors import (CanceledError, ClosedError, Error, FileError, InputError, LibraryError, LimitError, NotFoundError,
                      OutOfMemoryError)
from ._explain import Blocker, Finding, Move, NodeChange, NodeExplanation, PodExplanation, Remedy, Verification
from ._fit import Demand, Fitting, Left, Load, Node, NodeType, fit
from ._frames import Column, Table
from ._native import library_path, quantity
from ._provider import Provider
from ._read import Offering, Requirement, Taint
from ._replay import Frame, Progress, Replay, replay
from ._results import CandidateRepair, Funnel, Ignored, Kept, NodeClassRef, PoolRefusal, TargetRefusal, Topology, TopologyDomain
from ._snapshot import Counts, Snapshot, load, verify
from ._sweep import Point, sweep
from ._tune import Tuning, tune
from ._version import __version__



def example() -> _pathlib.Path:
    """A small cluster to try things on: karp.load(karp.example())."""
    here = _pathlib.Path(__file__).resolve().parent
    for folder in (here / '_example', here.parents[2] / 'examples/quickstart'):
        if folder.is_dir():
            return folder
    raise FileError('this package was installed without its example')


__all__ = [
    'Action', 'Admission', 'Blocker', 'CanceledError', 'Candidate', 'CandidateRepair', 'Catalogue', 'Choice', 'ClosedError', 'Column', 'Command', 'CommandNode', 'CommandStep', 'Comparison', 'Cost',
    'Counts', 'CurvePoint', 'Demand', 'Diff', 'DisruptionPlan', 'Error', 'FileError', 'Finding', 'Fitting', 'Flavour', 'Frame',
    'Funnel', 'Ignored', 'InputError', 'InstanceType', 'Kept', 'Launch', 'Left', 'LibraryError', 'LimitError',
    'Load', 'MethodError', 'Move', 'Node', 'NodeChange', 'NodeClassRef', 'NodeExplanation', 'NodeType', 'NodeUse', 'NotFoundError',
    'Observation', 'Offering', 'OutOfMemoryError', 'Placement', 'Plan', 'PodExplanation', 'Point', 'PoolRefusal', 'PriceRule', 'Progress', 'Provider',
    'Remedy', 'RepackPlan', 'Replacement', 'Replay', 'Requirement', 'Settlement', 'Snapshot', 'Step', 'Table', 'Taint', 'TargetRefusal', 'Topology', 'TopologyDomain',
    'Tuning', 'Unschedulable', 'Verification', 'Workload', '__version__', 'catalogue', 'compare', 'example', 'fit', 'library_path', 'load',
    'objects', 'quantity', 'replay', 'sweep', 'tune', 'verify',
]
