# SPDX-License-Identifier: Apache-2.0
"""Ten questions of someone who has just installed karp: one command each, as README and --help name them, answers each of them."""
import sys

import situations
from situations import TYPE, asked, claim, node, pod, pool, term
from stories import check, finish

FREE = {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}
SIZES = term(TYPE, 'm6i.large', 'm6i.xlarge')


def joined(name, zone='us-west-2a', **conditions):
    one = node(name, zone, 'm6i.xlarge')
    return [one, claim(one, Consolidatable='True', **conditions)]


def answers(question, words, *wanted, objects):
    said = asked(*words.split(), objects=objects, output='text')
    for part in wanted:
        check(part in said, f'{question}: {words}: {part}: {said}')


apart = {'podAntiAffinity': {'preferredDuringSchedulingIgnoredDuringExecution': [
    {'weight': 1, 'podAffinityTerm': {'topologyKey': situations.HOST, 'labelSelector': {'matchLabels': {'app': 'web'}}}}]}}
closed = {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'db', 'namespace': 'shop'},
          'spec': {'selector': {'matchLabels': {'app': 'db'}}, 'maxUnavailable': 0}, 'status': {'disruptionsAllowed': 0, 'expectedPods': 1}}
nightly = {'consolidateAfter': '0s', 'budgets': [{'nodes': '0', 'schedule': '0 9 * * *', 'duration': '8h'}]}
agent = [{'key': 'example.com/agent', 'effect': 'NoSchedule'}]
fresh = node('fresh', taints=agent)

answers('why is my pod pending', 'explain pod web-0', 'team=ml:NoSchedule', 'works: tolerate team=ml:NoSchedule',
        objects=[pool(SIZES, taints=[{'key': 'team', 'value': 'ml', 'effect': 'NoSchedule'}]), pod('web-0')])
answers('why is this node still here', 'explain node n1', 'pdb shop/db allows 0 disruptions (shop/db-0)', 'when pdb shop/db allows 1',
        objects=[pool(SIZES, disruption=FREE), joined('n1'), pod('db-0', 'n1'), closed])
answers('why does nothing happen by day', 'disrupt --now 2026-01-01T12:00:00Z', "budgets[0] allows 0 of 1 node, schedule '0 9 * * *' for 8h", 'changes at 2026-01-01T17:00:00Z',
        objects=[pool(SIZES, disruption=nightly), joined('n1')])
use = asked('disrupt', '--now', '2026-01-01T12:00:00Z', objects=[pool(SIZES, disruption=nightly), joined('n1')])['budgetUse']['std']
check((use['schedule'], use['duration']) == ('0 9 * * *', '8h0m0s'), use)
answers('why this type', 'explain pod api-0', 'm6i.large, lacks cpu (2500m requested, 1930m there)', objects=[pool(SIZES), pod('api-0', cpu='2500m')])
answers('why a second node for the same pods', 'explain pod web-0', 'example.com/agent:NoSchedule, which NodePool std does not declare',
        objects=[pool(SIZES), fresh, pod('web-0')])
answers('which nodes block savings', 'blockers', 'pod-annotation shop 1 1 +$140.16/month a1',
        objects=[pool(SIZES, disruption=FREE), joined('a1'), joined('a2'), joined('a3'), pod('x-0', 'a1', annotations={'karpenter.sh/do-not-disrupt': 'true'}), pod('y-0', 'a2')])
answers('what do soft preferences cost me', 'plan', '$420.48/month (730 h); without preferences $70.08/month',
        objects=[pool(SIZES), *(pod(f'web-{i}', cpu='200m', affinity=apart) for i in range(6))])
answers('whose pods cost most', 'top', 'shop/api 3', 'total 4', objects=[pool(SIZES), joined('c1'), joined('c2'), *(pod(f'api-{i}', 'c1', cpu='900m') for i in range(3)), pod('batch-0', 'c2', cpu='1')])
answers('what if a zone is lost', 'whatif --lose-zone us-west-2a', 'z2 m6i.xlarge us-west-2b', '3 of 3 pods placed',
        objects=[pool(SIZES), joined('z1'), joined('z2', 'us-west-2b'), *(pod(f'api-{i}', 'z1', cpu='900m') for i in range(3))])
answers('what is wrong with my NodePools', 'lint', 'the limit of 0 is less than the smallest type', 'raise it to at least 2',
        objects=[pool(SIZES, limits={'cpu': '0'}), pod('web-0')])
sys.exit(finish())
