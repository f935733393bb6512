# SPDX-License-Identifier: Apache-2.0
"""karp replay --scheduler-config: profiles of kube-scheduler. Its scores under five configurations are those of kube-scheduler 1.36.3; pods get
the profile that they name; what is not modelled is an error that names it."""
import json
import pathlib
import sys
import tempfile

import test_kube_scheduler
from stories import check, equal, finish, run, types_of
from test_replay_scheduler import HEAD, deployment, places, replay

HEADER = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n'
MOST = ("{schedulerName: NAME, pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu}, {name: memory}]}}}]"
        ", plugins: {score: {disabled: [{name: PodTopologySpread}]}}}")


def golden(folder):
    world = test_kube_scheduler.read(test_kube_scheduler.CONFIGURATIONS)
    for case in world['cases']:
        path = folder / f'{case["name"]}.json'
        path.write_text(json.dumps(case['config']))
        ours, _ = test_kube_scheduler.ask(world, str(path))
        check(not isinstance(ours, str), f'{case["name"]}: {ours}')
        equal([p['pod'] for p in ours], [p['pod'] for p in case['pods']], case['name'])
        for a, b in zip(ours, case['pods']):
            equal(test_kube_scheduler.differs(a, b), [], f'{case["name"]} {a["pod"]}')


# A configuration (its part after the header), the part of the message, and its line.
REFUSED = (
    ('extenders: [{urlPrefix: "http://gpu.example"}]\n', 'extender http://gpu.example cannot be modelled', 3),
    ('profiles:\n- plugins: {multiPoint: {enabled: [{name: Coscheduling}]}}\n', 'Coscheduling is not one of the default plugins', 4),
    ('profiles:\n- plugins:\n    filter: {enabled: [{name: ImageLocality}]}\n', 'ImageLocality does not extend filter', 5),
    ('profiles:\n- plugins: {score: {enabled: [{name: NodeResourceFit}]}}\n', 'kube-scheduler; did you mean NodeResourcesFit?', 4),
    ('profiles:\n- plugins: {score: {disabled: [{name: NodeResourceFit}]}}\n', 'kube-scheduler; did you mean NodeResourcesFit?', 4),
    ('profiles:\n- plugns: {}\n', 'is not modelled; did you mean plugins?', 4),
    ('profiles:\n- pluginConfig: [{name: NodeResourceFit, args: {}}]\n', 'arguments of NodeResourceFit are not modelled; did you mean NodeResourcesFit?', 4),
    ('profiles:\n- plugins: {filter: {disabled: [{name: NodeAffinity}]}}\n', 'NodeAffinity is off at filter only, which is not modelled', 4),
    ('profiles:\n- plugins: {multiPoint: {disabled: [{name: VolumeBinding}]}}\n', 'a profile without VolumeBinding is not modelled', 4),
    ('profiles:\n- plugins: {preScore: {disabled: [{name: "*"}]}}\n', 'TaintToleration cannot score, since it is off at preScore', 4),
    ('profiles:\n- plugins: {filter: {enabled: [{name: NodePorts}, {name: NodeName}]}}\n', 'another order of filters', 4),
    ('profiles:\n- plugins: {score: {enabled: [{name: ImageLocality}, {name: ImageLocality}]}}\n', 'ImageLocality is listed twice', 4),
    ('profiles:\n- {schedulerName: a}\n- {schedulerName: a}\n', 'another profile has this name', 5),
    ('profiles:\n- {schedulerName: a}\n- {}\n', 'is missing: with several profiles each has one', 5),
    ('profiles:\n- pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: Random}}}]\n', 'LeastAllocated', 4),
    ('profiles:\n- pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: RequestedToCapacityRatio}}}]\n', 'at least one point is needed', 4),
    ('profiles:\n- pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}}]\n',
     'defaultConstraints go with List', 4),
    ('profiles:\n- pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}]\n', 'hardPodAffinityWeight', 4),
    ('profiles:\n- pluginConfig: [{name: Trimaran, args: {}}]\n', 'arguments of Trimaran are not modelled', 4),
    ('profiles:\n- pluginConfig: [{name: DefaultPreemption, args: {minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}}]\n',
     'cannot be 0 together with minCandidateNodesPercentage', 4),
    ('profiles:\n- pluginConfig: [{name: VolumeBinding, args: {shape: []}}]\n', 'is not modelled; known: apiVersion kind bindTimeoutSeconds', 4),
    ('podMaxBackoffSeconds: 2\npodInitialBackoffSeconds: 5\n', 'is less than podInitialBackoffSeconds', 3),
    ('nodes: 3\n', 'is not modelled', 3),
    ('profiles:\n- {schedulerName: other}\n',
     'pods have the schedulerName default-scheduler; the configuration has no profile of that name (it has other): add one\n', None),
    ('profiles:\n- {schedulerName: other}\n- {schedulerName: default-schedular}\n',
     '(it has other, default-schedular): add one; did you mean default-schedular?', None),
)


def main():
    steps = ('steps:\n- scale: {deployment: big, replicas: 2}\n- wait: 1m\n- scale: {deployment: spread, replicas: 4}\n- wait: 1m\n'
             '- scale: {deployment: packed, replicas: 4}\n- wait: 5m\n')
    story = HEAD + deployment('big', 2500) + deployment('spread', 100) + deployment('packed', 100, 'schedulerName: packer, ') + steps
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        types = types_of(folder, 'us-west-2', 'm5.xlarge')
        golden(folder)
        config = folder / 'scheduler.yaml'
        config.write_text(HEADER + 'profiles:\n- {schedulerName: default-scheduler}\n- ' + MOST.replace('NAME', 'packer') + '\n')
        equal(places(story, *types, '--scheduler-config', config), {'big': [1, 1], 'packed': [4], 'spread': [2, 2]}, 'each pod has its profile')
        # --most-allocated is short for this.
        config.write_text(HEADER + 'profiles: [' + MOST[:MOST.index(', plugins')].replace('schedulerName: NAME, ', '') + '}]\n')
        steps = 'steps:\n- scale: {deployment: big, replicas: 1}\n- wait: 1m\n- scale: {deployment: bigger, replicas: 1}\n- wait: 1m\n- scale: {deployment: one, replicas: 1}\n- wait: 5m\n'
        plain = HEAD + deployment('big', 2500) + deployment('bigger', 3000) + deployment('one', 100) + steps
        equal(replay(plain, *types, '--scheduler-config', config, '--dump-at', '5m'), replay(plain, *types, '--most-allocated', '--dump-at', '5m'), 'most allocated')
        check(replay(plain, *types, '--most-allocated', '--dump-at', '5m') != replay(plain, *types, '--dump-at', '5m'), 'most allocated changes something')
        # The simple scheduler has no configuration, and fills nodes up as well.
        simple = [replay(plain, *types, '--scheduler', 'simple', *words, '--dump-at', '5m')[0] for words in ((), ('--most-allocated',))]
        nodes = [next(o['spec']['nodeName'] for o in json.loads(out)['objects'] if o['metadata']['name'] == 'one-0') for out in simple]
        equal(nodes, ['default-1', 'default-2'], 'simple: on the emptier node, on the fuller one')
        # Nothing is said: everything is as without a configuration.
        config.write_text(HEADER)
        equal(replay(plain, *types, '--scheduler-config', config, '--dump-at', '5m'), replay(plain, *types, '--dump-at', '5m'), 'the default profile')
        # All that is said is read, and changes nothing here.
        config.write_text(HEADER + 'parallelism: 4\nleaderElection: {leaderElect: true}\nclientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf}\n'
                          'percentageOfNodesToScore: 60\npodInitialBackoffSeconds: 2\npodMaxBackoffSeconds: 20\nprofiles:\n- schedulerName: default-scheduler\n'
                          '  percentageOfNodesToScore: 70\n  plugins: {multiPoint: {disabled: [{name: NodePreferAvoidPods}]}}\n'
                          '  pluginConfig: [{name: DefaultPreemption, args: {minCandidateNodesPercentage: 20, minCandidateNodesAbsolute: 50}}]\n')
        equal(places(plain, *types, '--scheduler-config', config), places(plain, *types), 'read')
        for text, message, line in REFUSED:
            config.write_text(HEADER + text)
            error = replay(plain, *types, '--scheduler-config', config, status=1)[1]
            check(message in error and (line is None or f'scheduler.yaml:{line}:' in error), f'{text}: {error}')
        for text, message in (('kind: Pod\n', 'KubeSchedulerConfiguration'), ('', 'the document is empty'),
                              (HEADER.replace('/v1', '/v1beta3'), 'expected kubescheduler.config.k8s.io/v1'), (HEADER + '---\n' + HEADER, 'is one document')):
            config.write_text(text)
            error = replay(plain, *types, '--scheduler-config', config, status=1)[1]
            check(message in error, f'{text}: {error}')
        config.write_text(HEADER)
        for words, message in ((('--most-allocated',), 'most allocated stands for a configuration'), (('--scheduler', 'simple'), 'not for the scheduler simple')):
            error = replay(plain, *types, '--scheduler-config', config, *words, status=1)[1]
            check(message in error, f'{words}: {error}')
        error = run('replay', '--scheduler-config', folder / 'absent.yaml', folder / 'none.yaml', status=1)[1]
        check('absent.yaml' in error or 'none.yaml' in error, error)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
