# SPDX-License-Identifier: Apache-2.0
"""The peers beside Karpenter that compare.py --others asks: cluster-autoscaler's bin packing, kube-scheduler's scheduling cycle, and HiGHS on
the integer programs of which bounds are made. One row for each input: what both decided, and seconds of processor time."""
import importlib.util
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
CLUSTER_AUTOSCALER = 'sigs.k8s.io/cluster-autoscaler'
COLUMNS = [('peer', '<20'), ('input', '<30'), ('ours', '>16'), ('theirs', '>16'), ('karp s', '>9'), ('theirs s', '>10'), ('ratio', '>8')]
ESTIMATED = ['b2-plain-1000', 'b2-anti-1000']
SCHEDULED = [(500, 1000, 'plain'), (500, 1000, 'zone'), (500, 1000, 'anti')]
PROGRAMS = 20 # random inputs of at most 60 pods


def rows(folder, checkout, replaced, write, ours):
    """Those of the peers that are here; `write` makes the inputs of names, and `ours` measures one."""
    program, missing = build(checkout, folder, replaced) if checkout else (None, 'no checkout of cluster-autoscaler is named')
    if program:
        yield from estimates(program, ESTIMATED, write(ESTIMATED, folder), ours)
    if program and os.environ.get('KARP_KUBE_ANSWERS'):
        yield from schedules(program, folder)
    if not program:
        print(missing)
    if importlib.util.find_spec('highspy'):
        yield from programs(folder)


def build(checkout, folder, replaced):
    """The Go program, with the modules that the checkout takes; `replaced`: MODULE=FOLDER."""
    mod = folder / 'go.mod'
    lines = [re.sub(r'=> (\.\.?/\S*)', lambda found: f'=> {(checkout / found[1]).resolve()}', line)
             for line in re.findall(r'^replace .*', (checkout / 'go.mod').read_text(), flags=re.M)]
    lines += [f'replace {CLUSTER_AUTOSCALER} => {checkout}', *(f'replace {r.replace("=", " => ", 1)}' for r in replaced)]
    mod.write_text('\n'.join([(HERE / 'kube/go.mod').read_text(), *lines, '']))
    mod.with_suffix('.sum').write_text((checkout / 'go.sum').read_text())
    program = folder / 'kube'
    done = subprocess.run(['go', 'build', '-o', program, '.'], cwd=HERE / 'kube', capture_output=True, text=True, check=False,
                          env={**os.environ, 'GOFLAGS': f'-buildvcs=false -mod=mod -modfile={mod}'})
    return (program, None) if done.returncode == 0 else (None, f'cluster-autoscaler cannot be built here: {done.stderr.strip().splitlines()[-1:]}')


def ask(*words):
    return json.loads(subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True).stdout)


def row(peer, what, mine, peers, own, other):
    return [peer, what, mine, peers, f'{own:.4f}', f'{other:.3f}', f'{other / own:.{0 if other > 9 * own else 1}f}' if own > 0 else '']


def estimates(program, names, paths, ours):
    for name, path in zip(names, paths):
        mine, peer = ours(path), ask(program, 'estimate', path)
        yield row('cluster-autoscaler', f'{name}, {peer["groups"]} groups', f'{mine["launches"]} for {mine.get("price", 0):.2f} $',
                  f'{peer["nodes"]} for {peer["price"]:.2f} $', mine['solve_ms'] / 1000, peer['solve_s'])


def cluster(nodes, pods, kind):
    """Nodes in three zones, and pods of ten Deployments: plain, spread over zones, or one of a Deployment on a node."""
    for i in range(nodes):
        amounts = {'cpu': '16', 'memory': '64Gi', 'pods': '110'}
        labels = {'kubernetes.io/hostname': f'n{i:05}', 'topology.kubernetes.io/zone': f'z{i % 3}'}
        yield {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': f'n{i:05}', 'labels': labels},
               'status': {'capacity': amounts, 'allocatable': amounts}}
    for i in range(pods):
        labels = {'app': f'a{i % 10}'}
        own = {'labelSelector': {'matchLabels': labels}}
        more = {'plain': {}, 'zone': {'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey': 'topology.kubernetes.io/zone',
                                                                     'whenUnsatisfiable': 'DoNotSchedule', **own}]},
                'anti': {'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [
                    {'topologyKey': 'kubernetes.io/hostname', **own}]}}}}[kind]
        requests = {'cpu': f'{100 + i % 10 * 50}m', 'memory': f'{128 + i % 10 * 100}Mi'}
        yield {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'p{i:05}', 'namespace': 'default', 'uid': f'u{i}', 'labels': labels},
               'spec': {'schedulerName': 'default-scheduler', **more,
                        'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': requests}}]}}


def schedules(program, folder):
    for nodes, pods, kind in SCHEDULED:
        path = folder / 'cluster.json'
        path.write_text(json.dumps({'objects': list(cluster(nodes, pods, kind))}))
        mine, peer = ask(os.environ['KARP_KUBE_ANSWERS'], path, '--time'), ask(program, 'schedule', path)
        what = f'{nodes} nodes, {pods} pods, {kind}'
        yield row('kube-scheduler', what, f'{mine["placed"]} placed', f'{peer["placed"]} placed', mine['solve_s'], peer['solve_s'])


def programs(folder):
    """Plans for the least cost with a proof, and the same inputs as integer programs: tests/long/test_cost_oracle.py has both."""
    words, sys.argv = sys.argv, sys.argv[:1]
    spec = importlib.util.spec_from_file_location('oracle', HERE.parents[1] / 'long/test_cost_oracle.py')
    oracle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(oracle)
    sys.argv = words
    own, other, optimal, proven, solved = 0, 0, 0, 0, 0
    for seed in range(1, PROGRAMS + 1):
        types, classes = oracle.world(random.Random(seed))
        classes = [c for c in classes if any(oracle.goes(c, t) for t in types)]
        before = os.times()
        made = oracle.plan(types, classes, folder)['objective']
        after = os.times()
        own += after.children_user + after.children_system - before.children_user - before.children_system
        before = time.process_time()
        least = oracle.optimum(types, classes)
        other += time.process_time() - before
        if least is not None:
            solved += 1
            optimal += made['cost'] <= least + 1e-6
            proven += made['provenOptimal']
    yield row('HiGHS', f'{PROGRAMS} inputs of at most 60 pods', f'{optimal} ({proven} proven)', f'{solved} optimal', own, other)
