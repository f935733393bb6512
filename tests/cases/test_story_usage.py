# SPDX-License-Identifier: Apache-2.0
"""Steps of stories about the load and the cloud, replayed and simulated: usage, by which a HorizontalPodAutoscaler scales, and interrupt. Steps
at one time."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run, types_of
from test_replay_scheduler import HEAD, deployment

AUTOSCALER = ('- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {minReplicas: 2, maxReplicas: 9, scaleTargetRef: '
              '{apiVersion: apps/v1, kind: Deployment, name: web}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, '
              'averageUtilization: 50}}}]MORE}}\n')
TYPES = ()


def karp(verb, path, *words, status=0):
    return run(verb, path, *TYPES, *words, status=status)


def story(folder, text):
    path = pathlib.Path(folder, 'story.yaml')
    path.write_text(text)
    return path


def pods(path, at, *words):
    """How many pods there are, and on nodes."""
    objects = json.loads(karp('replay', path, '--boot-jitter', '0s', '--dump-at', at, *words)[0])['objects']
    found = [o for o in objects if o['kind'] == 'Pod']
    return len(found), sum(1 for o in found if o['spec'].get('nodeName'))


def usage(folder):
    # 2 pods of 500m use 1 core, twice their target: 4 pods, then 2 when they use nothing for five minutes.
    head = HEAD + deployment('web', 500) + AUTOSCALER
    text = head.replace('MORE', '') + ('steps:\n- scale: {deployment: web, replicas: 2}\n- wait: 2m\n- usage: {deployment: web, cpu: "1"}\n- wait: 3m\n'
                                       '- usage: {deployment: web, cpu: 100m}\n- wait: 10m\n')
    path = story(folder, text)
    equal([pods(path, at) for at in ('2m', '2m16s', '5m', '9m', '14m')], [(2, 2), (4, 4), (4, 4), (4, 4), (2, 2)], 'twice the target, then little')
    equal([pods(path, at, '--scheduler', 'simple')[0] for at in ('5m', '14m')], [4, 2], 'simple')
    # As from one replay, wherever it is cut.
    whole = karp('replay', path, '-o', 'json')[0]
    for at in ('2m5s', '3m', '6m30s'):
        dump = pathlib.Path(folder, 'dump.json')
        dump.write_text(karp('replay', path, '--dump-at', at)[0])
        equal(karp('replay', path, '--nodepools', dump, '-o', 'json')[0], whole, f'cut at {at}')
    steps = json.loads(karp('simulate', path, '-o', 'json')[0])
    equal(steps['steps'][2]['step'], 'usage of default/web', 'the step')
    check(steps['totals'].get('podsPending', 0) == 0, steps['totals'])
    # A behavior: at most one pod in a minute.
    slow = text.replace('MORE', '')
    slow = head.replace('MORE', ', behavior: {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}}') + text[text.index('steps:'):]
    path = story(folder, slow)
    equal([pods(path, at)[0] for at in ('2m16s', '2m46s', '3m16s')], [3, 3, 4], 'one pod a minute')
    # As much as can be stated ends at the most replicas.
    path = story(folder, text.replace('cpu: "1"', 'cpu: 999T, memory: 999T').replace('cpu: 100m', 'cpu: 999T'))
    equal(pods(path, '14m')[0], 9, 'the most replicas')
    for old, new, message in (('deployment: web, cpu: "1"', 'deployment: none', 'no such Deployment'),
                              ('cpu: "1"', 'cpu: much', 'steps[2].usage.cpu: not a quantity'),
                              (', cpu: "1"', '', 'steps[2].usage: cpu, memory or both are needed'),
                              ('cpu: "1"', 'gpu: 1', 'expected deployment, namespace, cpu, memory'),
                              (AUTOSCALER.replace('MORE', ''), '', 'no HorizontalPodAutoscaler among the objects scales this Deployment'),
                              ('maxReplicas: 9', 'maxReplicas: 2000000', 'maxReplicas: more than 1000000 replicas'),
                              ('type: Resource,', 'type: External,', 'only metrics of type Resource are modelled'),
                              ('- wait: 10m', '- scale: {deployment: web, replicas: 1}', 'its HorizontalPodAutoscaler scales it')):
        check(old in text, old)
        for verb in ('replay', 'simulate'):
            error = karp(verb, story(folder, text.replace(old, new)), status=1)[1]
            check(message in error and 'story.yaml:' in error, f'{verb} {new}: {error}')


def templates(folder):
    """The pods that an autoscaler adds are as the others: as the API server admits them, and of the template that a step applied."""
    plain = deployment('web', 500).replace('cpu: 500m, ', '')
    ranged = '- {apiVersion: v1, kind: LimitRange, metadata: {name: usual}, spec: {limits: [{type: Container, defaultRequest: {cpu: 400m}}]}}\n'
    steps = ('steps:\n- scale: {deployment: web, replicas: 2}\n- wait: 1m\nAPPLY- usage: {deployment: web, cpu: "1"}\n- wait: 3m\n')
    new = '- apply: ' + deployment('web', 300)[2:].replace('replicas: 0, ', '') + '- wait: 1m\n'
    for workload, apply, cpu, count in ((plain, '', '400m', 5), (deployment('web', 500), new, '300m', 7)):
        path = story(folder, HEAD + workload + (ranged if workload == plain else '') + AUTOSCALER.replace('MORE', '') + steps.replace('APPLY', apply))
        objects = json.loads(karp('replay', path, '--boot-jitter', '0s', '--dump-at', '4m')[0])['objects']
        found = [o['spec']['containers'][0]['resources']['requests'].get('cpu') for o in objects if o['kind'] == 'Pod']
        equal(found, [cpu] * count, cpu)
        totals = json.loads(karp('simulate', path, '-o', 'json')[0])['totals']
        equal(totals['podsRunning'], count, 'simulated')


def first_version(folder):
    """autoscaling/v1 has one target, 80 % without one."""
    scaler = AUTOSCALER.replace('MORE', '').replace('autoscaling/v2', 'autoscaling/v1')
    metrics = scaler[scaler.index(', metrics'):scaler.rindex('}}')]
    steps = 'steps:\n- scale: {deployment: web, replicas: 2}\n- wait: 1m\n- usage: {deployment: web, cpu: "1"}\n- wait: 1m\n'
    old = HEAD + deployment('web', 500) + scaler.replace(metrics, ', targetCPUUtilizationPercentage: 50') + steps
    for target, count in (('50', 4), ('25', 8), ('null', 3)):
        equal(pods(story(folder, old.replace('Percentage: 50', 'Percentage: ' + target)), '2m')[0], count, target)
    for have, given, message in (('autoscaling/v1', 'autoscaling/v2', 'targetCPUUtilizationPercentage: is a member of autoscaling/v1: state metrics'),
                                 (', targetCPU', metrics + ', targetCPU', 'spec.metrics: autoscaling/v1 has no such member'),
                                 ('HorizontalPodAutoscaler, metadata: {', 'HorizontalPodAutoscaler, metadata: {annotations: {autoscaling.alpha.kubernetes.io/metrics: "[]"}, ',
                                  'the annotation autoscaling.alpha.kubernetes.io/metrics is not read')):
        check(have in old, have)
        error = karp('replay', story(folder, old.replace(have, given)), status=1)[1]
        check(message in error, error)


def targets(folder):
    """Targets and usage count exactly, in thousandths rounded up; a tolerance may be 0."""
    exact = ', behavior: {scaleUp: {tolerance: 0}, scaleDown: {tolerance: 0}}'
    steps = 'steps:\n- scale: {deployment: web, replicas: 2}\n- wait: 1m\n- usage: {deployment: web, cpu: CPU}\n- wait: 1m\n'
    average = '{type: AverageValue, averageValue: TARGET}'
    for target, cpu, count in (('1001m', '2002m', 2), ('1001m', '2004m', 3), ('100u', '2m', 2), ('100u', '1100u', 2), ('100u', '4m', 4), ('"0.0011e3"', '2200m', 2)):
        scaler = AUTOSCALER.replace('MORE', exact).replace('{type: Utilization, averageUtilization: 50}', average.replace('TARGET', target))
        path = story(folder, HEAD + deployment('web', 500) + scaler + steps.replace('CPU', cpu))
        equal(pods(path, '2m')[0], count, f'{cpu} of {target} each')
    good = HEAD + deployment('web', 500) + scaler + steps.replace('CPU', '1')
    for old, new, message in (('"0.0011e3"', '0', 'averageValue: not a positive quantity of at most 1P'), ('"0.0011e3"', '2P', 'averageValue: not a positive quantity'),
                              ('scaleUp: {tolerance: 0}', 'scaleUp: {tolerance: -1m}', 'behavior.scaleUp.tolerance: not a quantity from 0 on')):
        check(old in good, old)
        error = karp('replay', story(folder, good.replace(old, new)), status=1)[1]
        check(message in error, error)


def interrupt(folder):
    spot = HEAD.replace('[on-demand]', '[spot]') + deployment('web', 3000)
    steps = 'steps:\n- scale: {deployment: web, replicas: 2}\n- wait: 5m\n- interrupt: {nodes: 1}\n- wait: 5m\n- interrupt: {selector: {karpenter.sh/nodepool: default}}\n- wait: 5m\n'
    path = story(folder, spot + steps)
    figures = json.loads(karp('replay', path, '--boot-jitter', '0s', '-o', 'json')[0])['policies'][0]
    equal([figures[k] for k in ('interruptions', 'launches', 'podsRunning')], [3, 5, 2], 'one, then both')
    told = json.loads(karp('simulate', path, '-o', 'json')[0])
    equal([len([e for e in step['events'] if e['event'] == 'interrupted']) for step in told['steps']], [0, 0, 1, 0, 2, 0], 'events')
    equal([told['totals'][k] for k in ('launches', 'podsPending')], [5, 0], 'totals')
    one = story(folder, spot + steps.replace('{nodes: 1}', 'default-2').replace('{selector: {karpenter.sh/nodepool: default}}', '{nodes: 1}'))
    figures = json.loads(karp('replay', one, '--boot-jitter', '0s', '-o', 'json')[0])['policies'][0]
    equal([figures[k] for k in ('interruptions', 'launches', 'podsRunning')], [2, 4, 2], 'by name, then the oldest')
    told = json.loads(karp('simulate', one, '-o', 'json')[0])['steps']
    equal([e['node'] for step in told for e in step['events'] if e['event'] == 'interrupted'], ['default-2', 'default-1'], 'by name, then the oldest')
    for text, message in ((spot + steps.replace('nodepool: default', 'nodepool: none'), 'no spot node that runs has these labels'),
                          (spot + steps.replace('nodes: 1', 'nodes: 0'), 'steps[2].interrupt.nodes: not a number from 1 on'),
                          (spot + steps.replace('nodes: 1', 'node: a'), 'expected nodes, selector')):
        error = karp('simulate', story(folder, text), status=1)[1]
        check(message in error, error)

    # A name that no spot node has, and fewer nodes than the step states.
    for name, words in (('default-3', 'no node is named default-3; did you mean default-1?'), ('nonode', 'no node is named nonode; spot nodes that run: default-1, default-2')):
        for verb in ('simulate', 'replay'):
            error = karp(verb, story(folder, spot + steps.replace('{nodes: 1}', name)), status=1)[1]
            check(words in error and 'story.yaml:' in error, f'{verb} {name}: {error}')
    for verb in ('simulate', 'replay'):
        path = story(folder, spot + steps.replace('{nodes: 1}', '{nodes: 3}'))
        notes = json.loads(karp(verb, path, '-o', 'json')[0])['warnings']
        equal(sum('interrupt: 3 nodes were asked for, and only 2 were interrupted' in note for note in notes), 1, notes)
        notes = json.loads(karp(verb, story(folder, spot + steps), '-o', 'json')[0]).get('warnings', [])
        check(not any('interrupt' in note for note in notes), notes)
    notes = json.loads(karp('replay', story(folder, spot + steps.replace('{nodes: 1}', '{selector: {a: b}}')), '-o', 'json')[0])['warnings']
    check(any('no spot node that runs has these labels, so none was interrupted' in note for note in notes), notes)


def together(folder):
    """Steps at one time are decided on together: two halves of a node are one node."""
    steps = 'steps:\n- scale: {deployment: a, replicas: 1}\nWAIT- scale: {deployment: b, replicas: 1}\n- wait: 5m\n'
    text = HEAD.replace('[m5.xlarge]', '[m5.xlarge, m5.large]') + deployment('a', 1500) + deployment('b', 1500) + steps
    for wait, plans, launches in (('', [0, 1], 1), ('- wait: 1s\n', [1, 0, 1], 2)):
        told = json.loads(karp('simulate', story(folder, text.replace('WAIT', wait)), '-o', 'json')[0])
        made = [sum(len(plan.get('launches', [])) for plan in step['decisions']) for step in told['steps']]
        equal((made[:len(plans)], told['totals']['launches']), (plans, launches), wait)


def main():
    global TYPES
    with tempfile.TemporaryDirectory() as folder:
        TYPES = types_of(folder, 'us-west-2', 'm5.xlarge', 'm5.large')
        usage(folder)
        templates(folder)
        first_version(folder)
        targets(folder)
        interrupt(folder)
        together(folder)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
