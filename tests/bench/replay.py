# SPDX-License-Identifier: Apache-2.0
"""How long weeks take: stories of forty Deployments that follow the day, replayed. Seconds of processor, MiB, and what was done.

    KARP=build/karp python3 tests/bench/replay.py [NAME...]
    KARP=build/karp python3 tests/bench/replay.py tune     # 64 designs for week-thousand
    python3 tests/bench/replay.py write NAME               # the story itself
"""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

# Days, replicas of a Deployment at most, by what share the replicas vary from step to step, consolidationPolicy. consolidateAfter is 5m.
INPUTS = {
    'week-empty': (7, 165, .07, 'WhenEmpty'),
    'week-small': (7, 8, .07, 'WhenEmptyOrUnderutilized'),
    'week-thousand': (7, 117, .11, 'WhenEmptyOrUnderutilized'),  # 1,000 nodes and 200,000 pods
    'week-underutilized': (7, 165, .07, 'WhenEmptyOrUnderutilized'),
    'day-underutilized': (1, 165, .07, 'WhenEmptyOrUnderutilized'),
}
SHORT = {'two-hours': (2 / 24, 40, .11, 'WhenEmptyOrUnderutilized')}  # for instructions.sh
DEPLOYMENTS, STEP = 40, 300
HEAD = '''apiVersion: karp/v1
kind: Story
start: "2026-03-02T00:00:00Z"
nodeReadyAfter: 60s
region: us-west-2
objects:
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {{name: default}}
  spec:
    template:
      spec:
        nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}
        requirements:
        - {{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}}
        - {{key: karpenter.k8s.aws/instance-family, operator: In, values: [m5, c5, r5]}}
        - {{key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ["9"]}}
    disruption: {{consolidationPolicy: {policy}, consolidateAfter: 5m}}
- {{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {{name: default}}, spec: {{amiSelectorTerms: [{{alias: al2023@latest}}], role: r}}}}
'''
DEPLOYMENT = ('- {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d{0}}}, spec: {{replicas: 0, selector: {{matchLabels: {{app: d{0}}}}}, template: {{metadata: {{labels: {{app: d{0}}}}}, '
              'spec: {{containers: [{{name: c, resources: {{requests: {{cpu: {1}m, memory: {2}Mi}}}}}}]}}}}}}}}\n')


def story(days, most, varies, policy):
    draw = random.Random(1)
    text, workloads, replicas = HEAD.format(policy=policy), [], {}
    for i in range(DEPLOYMENTS):
        cpu = draw.choice((250, 500, 1000, 1500, 2000))
        text += DEPLOYMENT.format(i, cpu, cpu * draw.choice((2, 4, 8)))
        workloads.append((f'd{i}', draw.uniform(.5, 1.5) * most, draw.uniform(0, 3)))
    lines = [text + 'steps:']
    for step in range(round(days * 86400) // STEP):
        hour = step * STEP / 3600
        for name, size, late in workloads:
            wanted = int(size * (.35 + .65 * max(0, math.sin((hour + late - 7) / 24 * 2 * math.pi))) * draw.uniform(1 - varies, 1 + varies))
            if replicas.get(name) != wanted:
                lines.append(f'- scale: {{deployment: {name}, replicas: {wanted}}}')
            replicas[name] = wanted
        lines.append(f'- wait: {STEP}s')
    return '\n'.join(lines) + '\n'


def measure(*words):
    process = subprocess.Popen([os.environ['KARP'], *words, '-o', 'json'], stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        sys.exit(f'karp {words[0]} failed')
    return json.loads(out), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def tune(folder):
    """The story without its objects, which are what is varied."""
    head, objects = HEAD.format(policy='WhenEmptyOrUnderutilized').split('objects:\n')
    pools, trace = pathlib.Path(folder, 'pools.yaml'), pathlib.Path(folder, 'trace.yaml')
    pools.write_text('apiVersion: v1\nkind: List\nitems:\n' + objects)
    trace.write_text(story(*INPUTS['week-thousand']).replace(objects, ''))
    result, seconds, peak = measure('tune', pools, '--trace', trace, '--threads', '2')
    cost = [d['dollars'] for d in result['designs']]
    print(f'{len(cost)} designs: ${cost[0]:,.2f} as it is, ${cost[result["best"]]:,.2f} the best; {seconds:.0f} s of processor, {peak:.0f} MiB')


def main():
    if sys.argv[1:2] == ['write']:
        print(story(*(INPUTS | SHORT)[sys.argv[2]]), end='')
        return
    if sys.argv[1:] == ['tune']:
        with tempfile.TemporaryDirectory() as folder:
            tune(folder)
        return
    print('| input | days | pods | nodes at most | launches | decisions | passes | seconds | MiB |\n|---|---|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or INPUTS:
            path = pathlib.Path(folder, f'{name}.yaml')
            path.write_text(story(*INPUTS[name]))
            result, seconds, peak = measure('replay', path)
            one = result['policies'][0]
            print(f'| {name} | {INPUTS[name][0]} | {result["pods"]:,} | {one["nodesMost"]:,} | {one["launches"]:,} | {one["launchDecisions"]:,} '
                  f'| {one["disruptionPasses"]:,} | {seconds:.1f} | {peak:.0f} |', flush=True)


if __name__ == '__main__':
    main()
