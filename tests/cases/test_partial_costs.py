# SPDX-License-Identifier: Apache-2.0
"""Costs that are not all of the cost: nodes without a known price, and fees that the prices lack. No gate passes on them."""
import csv
import io
import json
import pathlib
import sys

import manifests
from manifests import ONE_TYPE, POOL, manifest, thing
from stories import check, document, equal, finish, run


def node(name, kind, **more):
    labels = {'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'on-demand', 'node.kubernetes.io/instance-type': kind,
              'topology.kubernetes.io/zone': 'us-east-1a', 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux'}
    amounts = {'cpu': '4', 'memory': '8Gi', 'pods': '50'}
    return thing('v1', 'Node', name, {'labels': labels, **more}, spec={'providerID': f'aws:///us-east-1a/i-{name}'},
                 status={'capacity': amounts, 'allocatable': amounts})


def pod(name='p', cpu='3', **spec):
    return thing('v1', 'Pod', name, spec={'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': cpu}}}], **spec})


def unknown_prices():
    words = [POOL, manifest(node('n1', 'm5.huge'), pod('a', '100m', nodeName='n1')), *ONE_TYPE]
    least = 'At least: 1 node has no known price and counts as $0.'
    equal(document('plan', *words)['cost'], {'before': '0', 'after': '0', 'delta': '0', 'nodesWithoutPrice': 1}, 'plan, JSON')
    for verb in ('plan', 'disrupt'):
        check(least in run(verb, *words)[0].splitlines(), verb)
    check(least in run('plan', *words, '-o', 'markdown')[0].splitlines(), 'Markdown')
    for words_of_gate in (['plan', *words], ['plan', '--settle', *words], ['disrupt', *words]):
        said = run(*words_of_gate, '--fail-on', 'cost=$500', status=3)[1]
        check('--fail-on cost: 1 node has no known price and counts as $0: --catalogue or --facts can state it' in said, said)
    equal([d['cost'].get('nodesWithoutPrice') for d in json.loads(run('diff', '-o', 'json', *words, '--', *words)[0])['designs']], [1, 1], 'designs')
    check('nodes without a price' in run('diff', *words, '--', *words)[0], 'a table')
    tuned, tuned_text = json.loads(run('tune', *words, '-o', 'json')[0]), run('tune', *words)[0]
    equal(tuned['designs'][0]['nodesWithoutPrice'], 1, 'tune')
    check('At least: 1 of its nodes, and 1 of the input as it is, have no known price' in tuned_text, 'tune, text')
    check('not all of its prices are known' in tuned_text or 'a lower bound' not in tuned_text, 'compared with the floor')
    # The list of nodes.
    row = next(csv.DictReader(io.StringIO(run('nodes', *words, '-o', 'csv')[0])))
    equal((row['price'], row['idle']), ('', ''), 'CSV')
    check('created' not in document('nodes', *words)['nodes'][0], 'an age that the manifest does not state')
    dated = manifest(node('n1', 'm5.huge', creationTimestamp='2025-12-30T00:00:00Z'))
    equal(document('nodes', POOL, dated, *ONE_TYPE)['nodes'][0]['created'], '2025-12-30T00:00:00Z', 'one that it states')
    known = [POOL, manifest(node('n1', 'c6a.large')), *ONE_TYPE]
    equal('nodesWithoutPrice' in document('plan', *known)['cost'], False, 'a known price')
    run('plan', *known, '--fail-on', 'cost=$500')


def no_candidates():
    """What keeps a node from being a candidate is in the table as in its explanation."""
    words = [POOL, manifest(node('n1', 'm5.huge'), pod('a', '100m', nodeName='n1')), *ONE_TYPE]
    equal([(b['kind'], b['object'], b['nodes'], b['nodesWithoutPrice']) for b in document('blockers', *words)['blockers']],
          [('unknown-type', 'default', ['n1'], 1)], 'a type that is not in the catalogue')
    check('INSTANCE_TYPE_NOT_FOUND' in run('explain', 'node', 'n1', *words)[0], 'explain')


def fees():
    auto = thing('karpenter.sh/v1', 'NodePool', 'general', spec={'template': {'spec': {
        'nodeClassRef': {'group': 'eks.amazonaws.com', 'kind': 'NodeClass', 'name': 'default'},
        'requirements': [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}]}}})
    words = [manifest(auto, pod())]
    equal(document('plan', *words)['cost']['withoutLicences'], 'EKS Auto Mode', 'JSON')
    check('Without the fee of EKS Auto Mode.' in run('plan', *words)[0].splitlines(), 'text')
    said = run('plan', *words, '--fail-on', 'cost=$5000', status=3)[1]
    check('the cost is without the fee of EKS Auto Mode: --prices FILE adds' in said, said)
    with_fee = pathlib.Path(manifests.folder.name) / 'prices.yaml'
    with_fee.write_text('apiVersion: karp/v1\nkind: Prices\nmetadata: {name: auto}\nspec: {rules: [{factor: 1.12}]}\n')
    run('plan', *words, '--prices', with_fee, '--fail-on', 'cost=$5000')


def nominated():
    """A node that gets a pod in the same plan is nominated, and not removed as empty."""
    words = [POOL, manifest(node('n1', 'c6a.large'), node('n2', 'c6a.large'), pod('p', '100m')), *ONE_TYPE]
    plan = document('plan', '--disrupt', *words)
    receives = [row['node'] for row in plan['placements']]
    removed = [name for command in plan['disruptions'] for name in command['nodes']]
    equal((len(receives), sorted(receives + removed)), (1, ['n1', 'n2']), 'what is removed')


unknown_prices()
no_candidates()
fees()
nominated()
sys.exit(finish())
