# SPDX-License-Identifier: Apache-2.0
"""Nodes that fail in stories and replays: when pods are deleted, as the models of the controllers say, which equal the real ones
(test_kube_controllers.py); and what becomes of the nodes and of pods that wait."""
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile

from stories import check, equal, finish, run

KEYS = ('node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable')
BEGINS = '2026-03-02T00:00:00Z'
CLASS = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'}, 'spec': {
    'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}], 'role': 'r'}}


def pool(name='default', zone='us-west-2a', after='Never', **spec):
    needs = {'karpenter.sh/capacity-type': 'on-demand', 'node.kubernetes.io/instance-type': 'm5.xlarge', 'topology.kubernetes.io/zone': zone}
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name}, 'spec': {**spec, 'template': {'spec': {
        'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
        'requirements': [{'key': key, 'operator': 'In', 'values': [value]} for key, value in needs.items()]}},
        'disruption': {'consolidationPolicy': 'WhenEmpty', 'consolidateAfter': after, 'budgets': [{'nodes': '100%'}]}}}


def workload(name, kind='Deployment', replicas=1, cpu=3, **spec):
    more = {'serviceName': name} if kind == 'StatefulSet' else {}
    return {'apiVersion': 'apps/v1', 'kind': kind, 'metadata': {'name': name}, 'spec': {**more, 'replicas': replicas, 'selector': {'matchLabels': {'app': name}}, 'template': {
        'metadata': {'labels': {'app': name}}, 'spec': {**spec, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': cpu, 'memory': '128Mi'}}}]}}}}


def tolerating(seconds):
    """Tolerations of both taints for so long; None = for ever."""
    return [{'key': key, 'operator': 'Exists', 'effect': 'NoExecute', **({} if seconds is None else {'tolerationSeconds': seconds})} for key in KEYS]


def played(verb, objects, steps, *words, status=0):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'story.yaml')
        path.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': BEGINS, 'nodeReadyAfter': '20s', 'region': 'us-west-2',
                                    'objects': [CLASS, *objects], 'steps': steps}))
        return run(verb, path, *words, status=status)


def figures(objects, steps, *words):
    return json.loads(played('replay', objects, steps, '-o', 'json', '--step', '1s', *words)[0])['policies'][0]


def deleted_at(one):
    """The seconds at which pods stopped to run, each for itself."""
    series = one['series']
    pods = series['pods']
    return [series['time'][i] - series['time'][0] for i in range(1, len(pods)) for _ in range(pods[i - 1] - pods[i])]


# ---- beside the models ----------------------------------------------------------------------------------------------------------


def world(draw):
    """Nodes of two zones, one pod each; when each fails, and for how long."""
    nodes, pods = [], []
    for i in range(draw.randint(2, 7)):
        node = {'name': f'n{i}', 'zone': draw.choice('aab')}
        if draw.random() < .7:
            node['dies'] = draw.randint(60, 200)
            if draw.random() < .4:
                node['returns'] = node['dies'] + draw.choice((30, 61, 90, 200, 400))
        nodes.append(node)
        pods.append({'name': f'w{i}', 'node': f'n{i}', 'tolerations': [{**t} for t in tolerating(draw.choice((300, 300, 40, 7, None)))], 'phase': 'Running'})
    return {'nodes': nodes, 'pods': pods, 'terminationSeconds': 5, 'until': 900}


def of_model(worlds):
    """When each pod begins to terminate, as the models say."""
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        json.dump({'cases': [{'kind': 'podgarbage', 'in': one} for one in worlds]}, f)
        f.flush()
        done = subprocess.run([os.environ['KARP_KUBE_ANSWERS'], f.name], capture_output=True, text=True, check=True, timeout=60)
    for line in done.stdout.splitlines():
        found = {}
        for second, state in json.loads(line):
            for name, said in state['pods'].items():
                if 'terminating' in said:
                    found.setdefault(name, second)
        yield found


def of_story(one):
    """Likewise, of a story in which each node has a NodePool that allows no other one: a deleted pod is unschedulable from then on."""
    objects, steps, now = [], [], 0
    for node, pod in zip(one['nodes'], one['pods'], strict=True):
        limits = {'limits': {'cpu': '4'}}
        objects += [pool(node['name'], f"us-west-2{node['zone']}", **limits),
                    workload(pod['name'], nodeSelector={'karpenter.sh/nodepool': node['name']}, tolerations=pod['tolerations'])]
    for dies, node in sorted((n['dies'], n['name']) for n in one['nodes'] if 'dies' in n):
        back = next(n.get('returns') for n in one['nodes'] if n['name'] == node)
        if dies > now:
            steps.append({'wait': f'{dies - now}s'})
        steps.append({'fail': {'selector': {'karpenter.sh/nodepool': node}, **({'for': f'{back - dies}s'} if back else {})}})
        now = dies
    text = played('simulate', objects, [*steps, {'wait': f"{one['until'] - now}s"}])[0]
    found, at = {}, 0
    for line in text.splitlines():
        time = re.search(r'karp plan .* now 2026-03-02T00:(\d\d):(\d\d)Z', line)
        at = int(time[1]) * 60 + int(time[2]) if time else at
        for name in re.findall(r'default/(w\d+)-0', line) if at >= 60 else ():
            found.setdefault(name, at)
    return found


def beside_models():
    draw = random.Random(54)
    worlds = [world(draw) for _ in range(25)]
    evicted = 0
    for one, model in zip(worlds, of_model(worlds), strict=True):
        equal(of_story(one), model, f'pods deleted on {one["nodes"]}')
        evicted += len(model)
    check(evicted >= 20, f'only {evicted} pods were deleted')


# ---- replays --------------------------------------------------------------------------------------------------------------------


def in_time():
    """A kubelet has renewed its lease in the last 10 s; unreachable is 50 s after the controller saw that, at a look of every 5 s."""
    fail = [{'wait': '2m'}, {'fail': {'nodes': 1}}, {'wait': '15m'}]
    for seconds in (300, 10, 0):
        least, most = 120 - 10 + 50 + seconds, 120 + 5 + 55 + seconds + 1
        for seed in ('1', '2', '3', '4'):
            one = figures([pool(), workload('web', replicas=2, tolerations=tolerating(seconds) if seconds != 300 else [])], fail, '--seed', seed)
            gone = deleted_at(one)
            check(len(gone) == 1 and least <= gone[0] <= most, f'deleted at {gone}, not from {least} to {most}')
            equal((one['nodeFailures'], one['taintEvictions'], one['evictions'], one['launches']), (1, 1, 0, 3), 'figures')
    one = figures([pool(), workload('web', replicas=2, tolerations=tolerating(None))], fail)
    equal((deleted_at(one), one.get('taintEvictions', 0)), ([], 0), 'tolerated for ever')
    back = [{'wait': '2m'}, {'fail': {'nodes': 1, 'for': '3m'}}, {'wait': '15m'}]
    equal(figures([pool(), workload('web', replicas=2)], back).get('taintEvictions', 0), 0, 'back before')


def stateful():
    """Its pod is made anew when the old one is gone: when the node is back, or 40 to 60 s after it has ended."""
    objects = [pool(after='10s'), workload('web'), workload('db', 'StatefulSet', cpu='3500m')]  # the node of the larger pod is launched first
    one = figures(objects, [{'wait': '2m'}, {'fail': {'nodes': 1, 'for': '6m'}}, {'wait': '20m'}])
    pods = one['series']['pods']
    equal((pods[119], min(pods[60:479]), pods[481], pods[-1], one['launches']), (2, 1, 2, 2, 2), 'made anew when its node is back')
    gone = figures(objects, [{'wait': '2m'}, {'fail': {'nodes': 1}}, {'wait': '20m'}])
    equal((gone['launches'], gone['endedNodes'], gone['podsRunning']), (3, 1, 2), 'the node ends as an empty one')
    nodes, deleted = gone['series']['nodes'], deleted_at(gone)[0]
    ends = next(i for i in range(300, len(nodes)) if nodes[i] == 1)
    again = next(i for i in range(ends, len(nodes)) if nodes[i] == 2)
    check(40 <= again - ends <= 61 + 11, f'the pod is there again {again - ends} s after its node ended')
    # Drains wait for a pod that cannot end: a minute after its grace period of 30 s.
    check(deleted + 90 <= ends <= deleted + 92, f'the pod was deleted at {deleted}, and the node ended at {ends}')


def unhealthy():
    """A pod on a node that is unreachable is not healthy: the budget allows no eviction of the other one."""
    budget = {'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'web'}, 'spec': {'maxUnavailable': 1, 'selector': {'matchLabels': {'app': 'web'}}}}
    drift = {**pool(), 'spec': {**pool()['spec'], 'template': {**pool()['spec']['template'], 'metadata': {'labels': {'new': 'yes'}}}}}
    for fails, evicted in (({}, 1), ({'fail': {'nodes': 1}}, 0)):
        steps = [{'wait': '2m'}, *([fails] if fails else []), {'wait': '90s'}, {'apply': drift}, {'wait': '60s'}]
        one = figures([pool(), budget, workload('web', replicas=2, tolerations=tolerating(None))], steps)
        check((one['evictions'] > 0) == bool(evicted), f"{fails}: {one['evictions']} evictions")


def repaired():
    """With the gate, Karpenter replaces a node that AWS' provider calls unhealthy after 30 minutes, of a pool of which at most a fifth is."""
    objects = [pool(), workload('web', replicas=6, tolerations=tolerating(None))]
    steps = [{'wait': '2m'}, {'fail': {'nodes': 1}}, {'wait': '40m'}]
    equal(figures(objects, steps)['disruptions'], {}, 'without the gate')
    one = figures(objects, steps, '--feature-gates', 'NodeRepair=true')
    equal((one['disruptions'], one['launches'], one['podsRunning']), ({'Repair': 1}, 7, 6), 'repaired')
    launched = next(i for i, count in enumerate(one['series']['nodes']) if count == 7)
    check(120 + 40 + 1800 <= launched <= 120 + 65 + 1800 + 10, f'repaired at {launched}')


def refusals():
    objects = [pool(), workload('web')]
    for step, said in (({'fail': 'default-2'}, 'no node is named default-2; did you mean default-1?'), ({'fail': {'zone': 'a'}}, 'fail.zone: expected nodes, selector, for'),
                       ({'fail': {'for': 'a while'}}, 'fail.for: not a duration like 10m'), ({'fail': {'nodes': 0}}, 'fail.nodes: not a number from 1 on'),
                       ({'fail': {'selector': {'a': 1}}}, 'fail.selector')):
        for verb in ('replay', 'simulate'):
            told = played(verb, objects, [{'wait': '1m'}, step], status=1)[1]
            check(said in told, f'{verb} {step}: {told}')
    told = played('replay', objects, [{'wait': '2m'}, {'fail': 'default-1'}, {'wait': '10m'}], '--dump-at', '4m', status=1)[1]
    check('a node has failed' in told, told)
    note = played('replay', objects, [{'wait': '2m'}, {'fail': {'nodes': 3}}, {'wait': '1m'}])[0]
    check('fail: 3 nodes were asked for, and only 1 failed: no other node that runs has these labels' in ' '.join(note.split()), note)


def main():
    beside_models()
    in_time()
    stateful()
    unhealthy()
    repaired()
    refusals()
    finish()


if __name__ == "__main__":
    main()
