# SPDX-License-Identifier: Apache-2.0
"""Situations that people reported in public (tests/cases/reports): the answer names the cause on which a person would act."""
import json
import pathlib
import sys

from stories import check, equal, finish, run

FOLDER = pathlib.Path(__file__).with_name('reports')
REGION = ('--region', 'us-west-2')


def ask(verb, name, *more, status=0):
    """The document and the text, in one line, that the command answers for the input."""
    first, rest = (verb, ()) if isinstance(verb, str) else (verb[0], verb[1:])
    given = (first, *rest, '-f', FOLDER / f'{name}.yaml', *REGION, *more)
    document, _ = run(*given, '-o', 'json', status=status)
    text, _ = run(*given, status=status)
    return json.loads(document), ' '.join(text.split())


def lint(name, rule, *wanted, more=()):
    """The one finding of the rule has these words."""
    found = [f for f in ask('lint', name, *more)[0]['findings'] if f['rule'] == rule]
    equal(len(found), 1, f'{name}: {rule}')
    for word in wanted:
        check(found and word in found[0]['text'] + found[0]['remedy'], f'{name}: {rule}: {word}: {found}')


def limit_of_nodes():
    told, _ = ask('plan', '01-limit-of-nodes')
    check(any('6 nodes' in w and 'limits.nodes 3' in w and 'frozen' in w for w in told['warnings']), told['warnings'])
    lint('01-limit-of-nodes', 'nodes-limit-exceeded', '6 nodes', 'limit of 3')


def rules_of_consolidation():
    told, said = ask('blockers', '06-spot-few-cheaper-types', '--feature-gates', 'SpotToSpotConsolidation=true')
    equal([(b['kind'], b['object'], b['nodes']) for b in told['blockers']], [('spot-types', 'workers', ['w1'])], 'few cheaper types')
    check(float(told['blockers'][0]['savings']) > 0 and 'w1' in said, said)
    told, said = ask('blockers', '10-two-pools-small-first')
    equal([(b['kind'], b['object'], b['nodes']) for b in told['blockers']], [('several-nodes', 'large', ['big'])], 'several nodes')
    told, said = ask('blockers', '50-two-budgets-one-pod')
    row = next(b for b in told['blockers'] if b['kind'] == 'pdb')
    equal((row['pods'], row['podNames']), (1, ['shop/q-0']), 'the pod by name')
    check('pods: shop/q-0' in ask('blockers', '50-two-budgets-one-pod', '--width', '1000')[1], 'and in wide text')


def rules_of_lint():
    lint('16-timer-never-runs-out', 'consolidation-never-starts', 'shop/tick-0', '4 of 4 nodes', more=('--now', '2026-01-05T12:00:00Z'))
    lint('17-cni-taint-not-declared', 'undeclared-taint', 'startupTaints', 'std')
    lint('22-reservation-not-asked-for', 'reservation-excluded', '3 free instances of m6i.2xlarge', 'reserved')
    lint('25-many-volumes', 'too-many-volumes', '40 volumes of ebs.csi.aws.com', 'm6i.4xlarge', 'at most 28')
    lint('34-soft-anti-affinity', 'costly-preference', '$841', '$140', '12 pods')
    lint('39-small-pods-pod-limit', 'pod-limit-binds', 'm6i.large with 29 pods')
    lint('50-two-budgets-one-pod', 'pdb-overlap', 'by-chart', 'shop/q-0')
    lint('51-overlays-of-equal-weight', 'overlay-void', 'weight 10', 'such as b', more=('--feature-gates', 'NodeOverlay=true'))


limit_of_nodes()
rules_of_consolidation()
rules_of_lint()
sys.exit(finish())
