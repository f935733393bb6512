# SPDX-License-Identifier: Apache-2.0
"""Generated clusters and what Karpenter decides for each method (the peer's plan-vectors.jsonl), asked of karp.

The peer leaves some orders open: nodes of one command are compared as sets, and where several pools take turns a single
node may be another one.
"""
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

KARP = os.environ.get('KARP', '')
VECTORS = pathlib.Path(os.environ.get('KARP_SHARED', '')) / 'spec/golden/plan-vectors.jsonl'
METHODS = {'emptiness': 'Emptiness', 'drift': 'Drift', 'multi': 'MultiNodeConsolidation', 'single': 'SingleNodeConsolidation'}
NOW, STARTED = '2026-01-05T12:00:00Z', '2026-01-05T00:00:00Z'
CLASS = {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}


def condition(kind, since=STARTED, status='True'):
    return {'type': kind, 'status': status, 'reason': kind, 'lastTransitionTime': since}


def catalogue(types):
    out = []
    for t in types:
        offerings = [{'zone': o['zone'], 'capacityType': o['ct'], 'price': o['price'], 'available': o['available']} for o in t['offerings']]
        out.append({'name': t['name'], 'capacity': {'cpu': f"{t['cpu_m']}m", 'memory': f"{t['mem_mi']}Mi", 'pods': str(t['pods'])},
                    'overhead': {'kubeReserved': {'cpu': f"{t['overhead_cpu_m']}m", 'memory': f"{t['overhead_mem_mi']}Mi"}},
                    'labels': {'node.kubernetes.io/instance-type': [t['name']], 'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux']},
                    'offerings': offerings})
    return out


def pool(p):
    requirement = {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': p['capacity_types']}
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': p['name']},
            'spec': {'template': {'spec': {'nodeClassRef': CLASS, 'requirements': [requirement], 'expireAfter': 'Never'}},
                     'disruption': {'consolidateAfter': '0s', 'consolidationPolicy': p['policy'], 'budgets': [{'nodes': p['budget']}]}},
            'status': {'conditions': [condition(c) for c in ('ValidationSucceeded', 'NodeClassReady', 'Ready')]}}


def utc(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def node(n, types):
    t = types[n['type']]
    capacity = {'cpu': f"{t['cpu_m']}m", 'memory': f"{t['mem_mi']}Mi", 'pods': str(t['pods'])}
    allocatable = {'cpu': f"{t['cpu_m'] - t['overhead_cpu_m']}m", 'memory': f"{t['mem_mi'] - t['overhead_mem_mi']}Mi", 'pods': str(t['pods'])}
    labels = {'karpenter.sh/nodepool': n['pool'], 'node.kubernetes.io/instance-type': n['type'], 'topology.kubernetes.io/zone': n['zone'],
              'karpenter.sh/capacity-type': n['ct'], 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux'}
    conditions = [condition(k) for k in ('Launched', 'Registered', 'Initialized')]
    if not n.get('not_consolidatable'):
        conditions.append(condition('Consolidatable'))
    if n.get('drifted_unix'):
        conditions.append(condition('Drifted', utc(n['drifted_unix'])))
    # The vectors were made without a record of what claims cost: only the candidates' prices count in pool totals.
    claim = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim',
             'metadata': {'name': n['name'] + '-claim', 'labels': {'karpenter.sh/nodepool': n['pool']}, 'creationTimestamp': STARTED},
             'spec': {'nodeClassRef': CLASS, 'requirements': [], 'expireAfter': 'Never'},
             'status': {'providerID': 'fake:///' + n['name'], 'capacity': capacity, 'allocatable': allocatable, 'conditions': conditions}}
    own = dict(labels, **{'kubernetes.io/hostname': n['name'], 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'})
    ready = condition('Ready', status='False' if n.get('not_ready') else 'True')
    return [claim, {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': n['name'], 'labels': own, 'creationTimestamp': STARTED},
                    'spec': {'providerID': 'fake:///' + n['name']},
                    'status': {'capacity': capacity, 'allocatable': allocatable, 'conditions': [ready]}}]


def pod(p, on):
    meta = {'name': p['name'], 'namespace': 'default', 'creationTimestamp': STARTED, 'uid': p['name'], 'annotations': {}, 'labels': {'app': 'x'}}
    if p.get('deletion_cost') is not None:
        meta['annotations']['controller.kubernetes.io/pod-deletion-cost'] = p['deletion_cost']
    if p.get('do_not_disrupt') is not None:
        meta['annotations']['karpenter.sh/do-not-disrupt'] = p['do_not_disrupt']
    if p.get('pdb_blocked'):
        meta['labels'] = {'app': 'blocked'}
    kind = 'DaemonSet' if p.get('daemonset') else 'ReplicaSet'
    meta['ownerReferences'] = [{'apiVersion': 'apps/v1', 'kind': kind, 'name': 'owner', 'uid': 'owner-' + kind, 'controller': True}]
    spec = {'nodeName': on, 'containers': [{'name': 'main', 'resources': {'requests': {'cpu': f"{p['cpu_m']}m", 'memory': f"{p['mem_mi']}Mi"}}}]}
    if p.get('priority') is not None:
        spec['priority'] = p['priority']
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': meta, 'spec': spec,
            'status': {'phase': 'Running', 'conditions': [condition('PodScheduled')]}}


def snapshot(v):
    types = {t['name']: t for t in v['types']}
    objects = [{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'default'}}]
    objects += [pool(p) for p in v['pools']]
    objects.append({'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'blocked', 'namespace': 'default'},
                    'spec': {'selector': {'matchLabels': {'app': 'blocked'}}, 'maxUnavailable': 1}, 'status': {'disruptionsAllowed': 0}})
    for n in v['nodes']:
        objects += node(n, types)
        objects += [pod(p, n['name']) for p in n.get('pods') or []]
    return {'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': NOW,
            'settings': {'featureGates': {'SpotToSpotConsolidation': v['spot_to_spot']}},
            'catalogues': [{'instanceTypes': catalogue(v['types'])}], 'objects': objects}


def close(a, b):
    return abs(float(a) - float(b)) <= 1e-9 * max(abs(float(a)), abs(float(b)), 1e-3)


def capacity_types(launch):
    return next((tuple(sorted(r['values'])) for r in launch['requirements'] if r['key'] == 'karpenter.sh/capacity-type'), ())


def command(c):
    """What a command of karp says, in the words of the vectors."""
    launches = c['replacements']
    return (c['decision'], frozenset(c['nodes']), sorted((l['nodePool'], tuple(sorted(l['instanceTypes'])), capacity_types(l)) for l in launches))


def wanted(c):
    launches = zip(c.get('replacement_pools') or [], c.get('replacement_types') or [], c.get('replacement_capacity_types') or [])
    return (c['decision'], frozenset(c['candidates']), sorted((p, tuple(sorted(t)), tuple(sorted(k or ()))) for p, t, k in launches))


def differences(v, method, got):
    out = []
    nodes = sorted(c['node'] for c in got['candidates'])
    if nodes != sorted(v['eligible'].get(method) or []):
        out.append(f"candidates {nodes}, not {v['eligible'].get(method)}")
    if got['budgets'] != v['remaining_budgets'][method]:
        out.append(f"budgets {got['budgets']}, not {v['remaining_budgets'][method]}")
    for c in got['candidates']:
        if not close(c['rescheduleDisruptionCost'], v['resched_cost'][c['node']]) or not close(c['price'], v['candidate_price'][c['node']]):
            out.append(f"cost or price of {c['node']}")
    want = v['result'].get(method) or []
    if len(want) != len(got['commands']):
        out.append(f"{len(got['commands'])} commands, not {len(want)}")
    for w, g in zip(want, got['commands']):
        if method == 'single' and len(v['pools']) > 1 and frozenset(w['candidates']) != frozenset(g['nodes']):
            continue  # the pools took other turns
        if command(g) != wanted(w):
            out.append(f'{command(g)}, not {wanted(w)}')
        elif not close(g['savings'], w['savings']):
            out.append(f"savings {g['savings']}, not {w['savings']}")
    return out


def run(v):
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        json.dump(snapshot(v), f)
        f.flush()
        out = []
        for method, name in METHODS.items():
            p = subprocess.run([KARP, 'disrupt', '-f', f.name, '--method', name, '-o', 'json'], capture_output=True, text=True)
            diff = [p.stderr.strip()] if p.returncode else differences(v, method, json.loads(p.stdout))
            out += [f"seed {v['seed']} {method}: {d}" for d in diff]
        return out


def main():
    if not KARP or not VECTORS.exists():
        print('no karp, or no vectors: skipped')
        return 77
    vectors = [json.loads(line) for line in VECTORS.read_text().splitlines()]
    if len(sys.argv) < 2:
        vectors = vectors[::4]
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        bad = [d for found in threads.map(run, vectors) for d in found]
    print('\n'.join(bad))
    print(f'{len(vectors)} clusters, {len(bad)} differences')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
