# SPDX-License-Identifier: Apache-2.0
"""Phrases that nobody in the field says, each with what is said instead: in the program, the headers, the docs and the bindings."""
import pathlib
import re
import sys

import tree

INSTEAD = {
    'which nodes may go': 'which nodes would be removed',
    'pods that wait': 'pending pods',
    'without surroundings': 'self-contained',
    'start and stop, from files alone': 'launch and terminate, offline',
    'whatever else bears on the decision': 'other objects that affect scheduling',
    'fill nothing in': 'add no defaults',
    "facts in place of the provider's own": 'override built-in instance data',
    "the provider's; of aws": 'region of types and prices',
    'when nodes would start or go': 'if nodes would be launched or removed',
    'what the pass before has left': 'state of the previous pass',
    'more may go now': 'disruptions allowed',
    'keep (receives': 'existing nodes that receive pods',
    'no dynamic nodepools found': 'no usable NodePool in the input',
    'is no EC2NodeClass': 'nodeClassRef.group should be karpenter.k8s.aws',
    'Mi with daemons': 'DaemonSets included',
    'best rejected move': 'if it could be disrupted',
    'types are cheaper': 'at least 15 cheaper spot types exist',
    'it is not read': 'ignored',
    'likewise any others': 'further unknown fields are not listed',
    'may go': 'can be removed, can be placed',
    'nodes could go': 'nodes can be removed',
    'pool said': 'why the NodePool does not take the pod',
    'tells commands': 'a pass whose result is only commands',
    'object waits': 'the object is deferred',
    'object that waits': 'deferred object',
    'public room': 'the size of the public buffer',
    'how to report what must not happen': 'how to report a vulnerability',
    'answers with commands': 'returns commands',
    'yields a command': 'finds a command',
    'the dearest first': 'the most expensive first',
    'whatever its pods need': 'as many nodes as its pods need',
    'for what they disturb': 'savings per disruption cost',
    'use up nothing': 'do not count as disrupted',
    'lifts what pods say': 'overrides annotations and PodDisruptionBudgets',
    'held by a PodDisruptionBudget': 'protected by a PodDisruptionBudget',
    'carrying a command out': 'executing a command',
    'carrying a plan out': 'executing a plan',
    'everything is taken back': 'the command is rolled back',
    'need a new stamp': 'need a new hash annotation',
    'goes without a simulation': 'is removed without a simulation',
    'could not be had': 'was unavailable',
    'gives up a preference': 'loses a preference',
    'the clock of whoever': 'lets a caller stop by a clock',
    'nobody loses by it': 'no pod becomes unschedulable',
    'hosts apart': 'one pod per host',
    'the truth lies between': 'the optimum lies between',
    'holds them against': 'compares them with',
    'buy for themselves': 'each step launches its own nodes',
    'lets it happen again': 'replays it',
    'cut and go on': 'dump and resume',
    "kube-scheduler's stand-in": 'simulated kube-scheduler',
    'only take room': 'only use resources',
    'parted from': 'differed from',
    'since mended': 'fixed since',
    "caller's patience": 'cancellation',
    'how soon a stop is heard': 'cancellation latency',
    'has been worked on': 'was used to improve the tests',
    'apart from itself': 'self anti-affinity',
    'would rather be apart': 'preferred anti-affinity',
    'what is not quick': 'slow suites',
    'lie anywhere': 'random placement',
    'come to rest': 'finds nothing more',
    '§': 'the rule itself, or its id in docs/behaviours: readers do not have the text with the section',
}
# Karpenter's own words, where its log is quoted or its answers are compared.
QUOTED = {'lib/schedule/report.c', 'docs/conformance.md', 'tests/conformance/differences.md'}


def main():
    problems, counted = [], 0
    phrases = [(re.compile(re.escape(phrase).replace(r'\ ', r'\s+(?:\*\s+|//+\s+)?'), re.IGNORECASE), phrase) for phrase in INSTEAD]
    for folder in ('lib', 'include', 'docs', 'bindings', 'examples', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'NEWS.md',
                   'pyproject.toml'):
        for path in [pathlib.Path(folder)] if '.' in folder else tree.files('.c', '.h', '.md', '.py', '.go', '.rs', '.toml', '.1', '.3', under=folder):
            if str(path) in QUOTED:
                continue
            counted += 1
            text = tree.text(path)
            for pattern, phrase in phrases:
                for match in pattern.finditer(text):
                    problems.append(f'{path}:{text.count(chr(10), 0, match.start()) + 1}: "{phrase}": say "{INSTEAD[phrase]}"')
    return tree.report(problems, counted)


if __name__ == '__main__':
    sys.exit(main())
