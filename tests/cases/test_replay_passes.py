# SPDX-License-Identifier: Apache-2.0
"""When Karpenter disrupts in a replay: its loop and its memory, nominations, pods that are gone before they are noticed, drains."""
import json
import pathlib
import tempfile

from stories import check, equal, finish, run

HEAD = '''apiVersion: karp/v1
kind: Story
start: "2026-03-02T00:00:00Z"
nodeReadyAfter: 24s
region: us-west-2
objects:
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: default}
  spec:
    template:
      spec:
        nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
        requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
        - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge, m5.2xlarge]}
    disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 1m, budgets: [{nodes: "100%"}]}
- {apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: {amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}], role: r}}
'''
SMALL, LARGE = ('nodeSelector: {node.kubernetes.io/instance-type: %s}, ' % t for t in ('m5.xlarge', 'm5.2xlarge'))


def deployment(name, cpu, more=''):
    return (f'- {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}}}, spec: {{replicas: 0, selector: {{matchLabels: {{app: {name}}}}}, template: {{metadata: {{labels: {{app: {name}}}}}, '
            f'spec: {{{more}containers: [{{name: c, resources: {{requests: {{cpu: {cpu}m, memory: 128Mi}}}}}}]}}}}}}}}\n')


def replay(deployments, steps, *words):
    lines = [f'- wait: {s}\n' if isinstance(s, str) else f'- scale: {{deployment: {s[0]}, replicas: {s[1]}}}\n' for s in steps]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'story.yaml')
        path.write_text(HEAD + ''.join(deployments) + 'steps:\n' + ''.join(lines))
        return json.loads(run('replay', path, '--boot-jitter', '0s', *words)[0])


def initialized_late():
    """Karpenter initialises a node so long after it takes pods: until then it is no replacement, and consolidateAfter begins."""
    deployments = [deployment('web', 1000, SMALL)]
    steps = [('web', 1), '10s', ('web', 0), '5m']
    at_once, late = ends(deployments, steps), ends(deployments, steps, 1, '--initialization', '20s')
    equal([b - a for a, b in zip(at_once, late)], [20], 'a node that was initialised 20 s later')
    figures = [replay(deployments, steps[:1] + ['5m'], '-o', 'json', *words)['policies'][0]['pendingSeconds'] for words in ((), ('--initialization', '20s'))]
    equal(figures[0], figures[1], 'pods do not wait for it')
    with tempfile.TemporaryDirectory() as folder:  # it goes on from a dump in between: the node takes pods from 25 s on
        path, then = pathlib.Path(folder, 'story.yaml'), pathlib.Path(folder, 'then.json')
        path.write_text(HEAD + deployments[0] + 'steps:\n- scale: {deployment: web, replicas: 1}\n- wait: 5m\n- scale: {deployment: web, replicas: 0}\n- wait: 5m\n')
        words = ('--boot-jitter', '0s', '--initialization', '20s')
        then.write_text(run('replay', path, *words, '--dump-at', '30s')[0])
        equal(run('replay', path, *words, '-o', 'json', '--nodepools', then)[0], run('replay', path, *words, '-o', 'json')[0], 'resumed')


def ends(deployments, steps, seed=1, *words):
    """The seconds at which nodes had ended, each node for itself."""
    series = replay(deployments, steps, '--step', '1s', '-o', 'json', '--seed', str(seed), *words)['policies'][0]['series']
    nodes = series['nodes']
    return [series['time'][i] - series['time'][0] for i in range(1, len(nodes)) for _ in range(nodes[i - 1] - nodes[i])]


def main():
    # One node is empty, and of two others each has one pod left. A pass follows the start of a command at once, but two methods do not
    # find commands in one pass.
    half = {'all': 3000, 'first': 2000, 'second': 2000, 'left': 1700, 'right': 1700}
    steps = [(name, 1) for name in half] + ['5m'] + [(name, 0) for name in ('all', 'first', 'second')] + ['5m']
    gone = ends([deployment(name, cpu, SMALL) for name, cpu in half.items()], steps)
    equal([b - a for a, b in zip(gone, gone[1:])], [15], 'the next command 15 s later')
    # The small pod may not go to the large node for a minute after its pod was bound. That this minute is over is no change, so that
    # consolidation looks again five minutes after the last one.
    steps = [('a', 2), '5m', ('a', 1), '30s', ('b', 1), '10m']
    gone = ends([deployment('a', 1700, ''), deployment('b', 1000, LARGE)], steps)
    bound = 330 + 1 + 24
    check(len(gone) == 1 and bound + 300 + 15 <= gone[0] <= bound + 300 + 10 + 15 + 5 + 1, f'five minutes after the last change: {gone}')
    # Of two pods without a grace period that are deleted together, the second one is mostly gone before Karpenter notices it, and the
    # first one seldom: a node whose pod is not noticed is consolidatable all the time. Both nodes drain for 5 s.
    steps, early = [('web', 2), '5m', ('web', 0), '3m'], 0
    for grace, seeds in (('', 1), ('terminationGracePeriodSeconds: 0, ', 20)):
        for seed in range(1, seeds + 1):
            gone = ends([deployment('web', 3000, SMALL + grace)], steps, seed=seed)
            check(len(gone) == 2 and all(at >= 300 + 15 + 5 for at in gone) and (grace or min(gone) >= 360), f'noticed: {gone}')
            early += sum(at < 360 for at in gone)
    check(10 <= early <= 32, f'not noticed: {early} of 40')
    # A pod that waits from 60 s to 85 s is planned again every 10 s: its node is nominated for 20 s after the last time.
    state = replay([deployment('b', 1000, LARGE), deployment('web', 1000, SMALL)], [('b', 1), '1m', ('web', 1), '1m'], '--dump-at', '90s')['replay']
    equal((state['nodes'][1].get('nominatedUntil', 0) - state['begins']) / 1e9, 101, 'nominated')
    initialized_late()
    finish()


main()
