# SPDX-License-Identifier: Apache-2.0
"""Replays place pods as kube-scheduler does: spread by zone, near others, before pods of lower priority; --scheduler simple looks at
resources only."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

HEAD = '''apiVersion: karp/v1
kind: Story
start: "2026-03-02T00:00:00Z"
nodeReadyAfter: 20s
region: us-west-2
objects:
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: default}
  spec:
    limits: {cpu: "8"}
    template:
      spec:
        nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
        requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
        - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}
    disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: Never}
- {apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, spec: {amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}], role: r}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 100}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: patient}, value: 50, preemptionPolicy: Never}
'''


def deployment(name, cpu, more=''):
    return (f'- {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}}}, spec: {{replicas: 0, selector: {{matchLabels: {{app: {name}}}}}, template: {{metadata: {{labels: {{app: {name}}}}}, '
            f'spec: {{{more}containers: [{{name: c, resources: {{requests: {{cpu: {cpu}m, memory: 128Mi}}}}}}]}}}}}}}}\n')


def replay(text, *words, status=0):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'story.yaml')
        path.write_text(text)
        return run('replay', path, '--boot-jitter', '0s', *words, status=status)


def figures(text, *words):
    return json.loads(replay(text, '-o', 'json', *words)[0])['policies'][0]


def places(text, *words):
    """How many pods of each Deployment run on how many nodes after the story."""
    nodes = {}
    for o in json.loads(replay(text, '--dump-at', '5m', *words)[0])['objects']:
        if o['kind'] == 'Pod' and o['spec'].get('nodeName'):
            nodes.setdefault(o['metadata']['labels']['app'], []).append(o['spec']['nodeName'])
    return {app: sorted(list_.count(n) for n in set(list_)) for app, list_ in sorted(nodes.items())}


def main():
    # Two nodes are full of low, and the limit allows no other. high preempts, patient does not.
    steps = 'steps:\n- scale: {deployment: low, replicas: 6}\n- wait: 1m\n- scale: {deployment: high, replicas: 2}\n- wait: 1m\n'
    full = HEAD + deployment('low', 1000) + deployment('high', 1000, 'priorityClassName: urgent, ') + steps
    first = figures(full)
    equal(first['preemptions'], 2, 'preempted')
    equal(first['podsPending'], 2, 'pods that wait')
    equal(figures(full, '--scheduler', 'simple').get('preemptions', 0), 0, 'simple')
    equal(figures(full.replace('urgent, ', 'patient, ')).get('preemptions', 0), 0, 'preemptionPolicy Never')
    # Of two nodes one is emptier. The controller of the pods selects them, so they are spread by host nevertheless.
    steps = 'steps:\n- scale: {deployment: big, replicas: 2}\n- wait: 1m\n- scale: {deployment: small, replicas: 8}\n- wait: 5m\n'
    even = HEAD + deployment('big', 2500) + deployment('small', 100) + steps
    equal(places(even), {'big': [1, 1], 'small': [4, 4]}, 'spread by host')
    # A preference for another pod is only kept by kube-scheduler.
    near = ('affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: {topologyKey: kubernetes.io/hostname, '
            'labelSelector: {matchLabels: {app: one}}}}]}}, ')
    steps = ('steps:\n- scale: {deployment: big, replicas: 2}\n- wait: 1m\n- scale: {deployment: one, replicas: 1}\n- wait: 10s\n'
             '- scale: {deployment: friend, replicas: 3}\n- wait: 5m\n')
    friends = HEAD + deployment('big', 2500) + deployment('one', 100) + deployment('friend', 100, near) + steps
    equal(places(friends)['friend'], [3], 'near each other')
    equal(places(friends, '--scheduler', 'simple')['friend'], [1, 2], 'simple spreads them')
    # A ReplicaSet with too many pods deletes those of the fullest node first.
    steps = ('steps:\n- scale: {deployment: big, replicas: 1}\n- scale: {deployment: small, replicas: 6}\n- wait: 1m\n- scale: {deployment: big, replicas: 2}\n'
             '- wait: 1m\n- scale: {deployment: small, replicas: 8}\n- wait: 1m\n- scale: {deployment: small, replicas: 4}\n- wait: 5m\n')
    surplus = HEAD + deployment('big', 2500) + deployment('small', 100) + steps
    equal(places(surplus)['small'], [2, 2], 'the fullest node first')
    equal(places(surplus, '--scheduler', 'simple')['small'], [4], 'simple deletes the newest ones')
    # Two nodes are launched at once for pods that had better be apart. Without a node so far, both have joined before a pod is bound.
    apart = ('topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, '
             'labelSelector: {matchLabels: {app: web}}}], ')
    joins = HEAD + deployment('web', 100, apart) + 'steps:\n- scale: {deployment: web, replicas: 2}\n- wait: 5m\n'
    equal(figures(joins)['launches'], 2, 'two nodes')
    equal(places(joins), {'web': [1, 1]}, 'both nodes')
    # With a node, the first one to join gets all of them.
    joins = (HEAD.replace('cpu: "8"', 'cpu: "12"') + deployment('big', 2500) + deployment('web', 1500, apart) +
             'steps:\n- scale: {deployment: big, replicas: 1}\n- wait: 1m\n- scale: {deployment: web, replicas: 2}\n- wait: 4m\n')
    equal(figures(joins)['launches'], 3, 'two nodes more')
    equal(places(joins), {'big': [1], 'web': [2]}, 'the first node')
    equal(places(joins, '--scheduler', 'simple')['web'], [1, 1], 'simple')
    # A budget counts the pods that controllers should have: without a controller a pod is one more than expected, and a Job has no scale.
    budget = ('- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}}\n'
              '- {apiVersion: v1, kind: Pod, metadata: {name: alone, labels: {app: web}OWNER}, spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}\n')
    expires = HEAD.replace('    template:\n      spec:\n', '    template:\n      spec:\n        expireAfter: 10m\n') + deployment('web', 100) + budget
    steps = 'steps:\n- scale: {deployment: web, replicas: 1}\n- wait: 30m\n'
    job = ', ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}]'
    check(figures(expires.replace('OWNER', '') + steps)['evictions'] > 0, 'one more than expected')
    equal(figures(expires.replace('OWNER', job).replace('maxUnavailable: 0', 'maxUnavailable: 1') + steps)['evictions'], 0, 'a Job has no scale')
    for words, message in ((('--scheduler', 'other'), 'unknown scheduler: other; known: kube-scheduler, simple'),
                           (('--scheduler-version', '1.20'), 'versions 1.34 to 1.37 of kube-scheduler are known'),
                           (('--scheduler-version', 'new'), 'not a version like 1.36')):
        error = replay(full, *words, status=1)[1]
        check(message in error, f'{words}: {error}')
    for version in ('1.34', '1.35', 'v1.37.0'):
        equal(figures(full, '--scheduler-version', version)['preemptions'], 2, version)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
