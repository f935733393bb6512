# SPDX-License-Identifier: Apache-2.0
"""Plans and disruption plans as Markdown."""
import json
import pathlib
import sys
import tempfile

from small_clusters import catalogue, node, pod
from stories import check, equal, finish, run

POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'a-b'},
        'spec': {'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]},
                 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}


def written(verb, items, *arguments):
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        folder.joinpath('types.json').write_text(json.dumps(catalogue()).replace('"small"', '"sm|all"'))
        folder.joinpath('c.json').write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': items}))
        return run(verb, folder / 'c.json', '--catalogue', folder / 'types.json', '-o', 'markdown', *arguments)[0]


def pending(name, cpu):
    made = pod(name, '', cpu)
    del made['spec']['nodeName']
    made['spec']['affinity'] = {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
        {'labelSelector': {'matchLabels': {'app': 'web'}}, 'topologyKey': 'kubernetes.io/hostname'}]}}
    made['status'] = {'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}
    return made


text = written('plan', [POOL, *(pending(f'web-{i}', '1') for i in range(3)), pending('huge', '64')])
check('| 3 × sm\\|all | a-b | a | on-demand | 3 | $0.300 |' in text or '| 3 × sm\\|all | a-b | b | on-demand | 3 | $0.300 |' in text, text)
check('| default/huge | ' in text and '**$0.000/h → $0.300/h** (+$219.00/month (730 h))' in text, text)
nodes = [part for n in range(2) for part in node(f'n{n}', 'sm|all', 2)]
for part in nodes:
    part['metadata']['labels']['karpenter.sh/nodepool'] = 'a-b'
cluster = [POOL, *nodes, pod('web-0', 'n0', '500m'), pod('web-1', 'n1', '500m')]
text = written('disrupt', cluster)
check('| delete | Underutilized | n' in text and '|  | $0.100 |' in text and '**$0.200/h → $0.100/h**' in text, text)
check(text in written('plan', cluster, '--disrupt').replace('Nothing to launch.\n\n', '') or '| delete | Underutilized' in
      written('plan', cluster, '--disrupt'), 'both in one')
equal(written('disrupt', [POOL])[:22], 'No node is disrupted.\n', 'nothing to do')
sys.exit(finish())
