# SPDX-License-Identifier: Apache-2.0
"""Refused memory, whoever asks for it: libyaml and the C library as well as libkarp. Each verb of the program is run with its N-th request
refused, and from there on; it answers as it does with memory, or says that there is none, and never ends by a signal. How many of the
requests are tried is an argument: 150 of each verb, spread evenly, where nothing is said; 0 = all. The last are tried one by one: there
the answer is written."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
KARP = os.environ['KARP']
TRIED = int(sys.argv[1]) if len(sys.argv) > 1 else 150
LAST = 30
QUICKSTART = SOURCE / 'examples' / 'quickstart'
GIVEN = [word for path in sorted(QUICKSTART.glob('*.yaml')) for word in ('-f', str(path))]


def simkube():
    """A SimKube trace of one Deployment that grows and goes."""
    def web(replicas):
        return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web', 'namespace': 'default'}, 'spec': {
            'replicas': replicas, 'selector': {'matchLabels': {'app': 'web'}}, 'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': {
                'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}}}}

    at = 1772409600
    return {'version': 2, 'config': {'trackedObjects': {'apps/v1.Deployment': {'podSpecTemplatePath': '/spec/template'}}}, 'index': {},
            'pod_lifecycles': {}, 'events': [{'ts': at, 'applied_objs': [web(2)], 'deleted_objs': []},
                                             {'ts': at + 600, 'applied_objs': [web(3)], 'deleted_objs': []},
                                             {'ts': at + 1200, 'applied_objs': [], 'deleted_objs': [web(3)]}]}


def queue():
    """What Kueue has of a queue: two flavours with a topology of two levels, a Job with slices and a JobSet, a ProvisioningRequest."""
    def one(kind, name, spec, group='kueue.x-k8s.io/v1beta2', **metadata):
        return {'apiVersion': group, 'kind': kind, 'metadata': {'name': name, **metadata}, 'spec': spec}
    template = {'metadata': {'annotations': {'kueue.x-k8s.io/podset-slice-required-topology': 'rack', 'kueue.x-k8s.io/podset-slice-size': '2'}},
                'spec': {'restartPolicy': 'Never', 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}}
    flavors = [one('ResourceFlavor', n, {'nodeLabels': {'flavor': n}, 'topologyName': 'racks', 'tolerations': [{'operator': 'Exists'}]}) for n in 'ab']
    amounts = {'cpu': '4', 'memory': '8Gi', 'pods': '10'}
    nodes = [{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': f'n{i}', 'labels': {'flavor': 'ab'[i % 2], 'block': 'x', 'rack': f'r{i}'}},
              'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}} for i in range(4)]
    groups = [{'coveredResources': ['cpu'], 'flavors': [{'name': n} for n in 'ab']}]
    ready = {'labels': {'kueue.x-k8s.io/queue-name': 'q'}}
    return {'apiVersion': 'v1', 'kind': 'List', 'items': [
        *nodes, *flavors, one('Topology', 'racks', {'levels': [{'nodeLabel': 'block'}, {'nodeLabel': 'rack'}]}), one('ClusterQueue', 'all', {'resourceGroups': groups}),
        one('LocalQueue', 'q', {'clusterQueue': 'all'}, namespace='default'),
        one('Job', 'j', {'parallelism': 6, 'completions': 6, 'template': template}, 'batch/v1', **ready),
        one('JobSet', 's', {'replicatedJobs': [{'name': n, 'replicas': 2, 'template': {'spec': {'parallelism': 3, 'completions': 3, 'template': template}}} for n in 'vw']},
            'jobset.x-k8s.io/v1alpha2', **ready),
        {'apiVersion': 'v1', 'kind': 'PodTemplate', 'metadata': {'name': 't'}, 'template': template},
        one('ProvisioningRequest', 'r', {'provisioningClassName': 'check-capacity.autoscaling.x-k8s.io', 'podSets': [{'podTemplateRef': {'name': 't'}, 'count': 3}]},
            'autoscaling.x-k8s.io/v1')]}


def verbs_of_files(folder):
    """Those that read documents of their own: certificates, prices, loads and traces, what a cloud's tools print."""
    proof, trace, sizes, prices, queued = (str(folder / name) for name in ('proof.json', 'trace.json', 'sizes.json', 'prices.json', 'queue.json'))
    pathlib.Path(queued).write_text(json.dumps(queue()), encoding='utf-8')
    subprocess.run([KARP, 'plan', *GIVEN, '--objective', 'cost', '--certificate', proof], capture_output=True, check=True)
    pathlib.Path(trace).write_text(json.dumps(simkube()), encoding='utf-8')
    amounts = (('vCPUs', '2'), ('MemoryGB', '8'), ('HyperVGenerations', 'V1,V2'), ('PremiumIO', 'True'))
    pathlib.Path(sizes).write_text(json.dumps([{'resourceType': 'virtualMachines', 'name': 'Standard_D2s_v9', 'family': 'standardDSv9Family',
        'locationInfo': [{'location': 'japaneast', 'zones': ['1']}], 'capabilities': [{'name': n, 'value': v} for n, v in amounts]}]), encoding='utf-8')
    pathlib.Path(prices).write_text(json.dumps([{'Items': [{'armRegionName': 'japaneast', 'armSkuName': 'Standard_D2s_v9', 'productName': 'D',
        'meterName': 'D2s', 'type': 'Consumption', 'skuName': 'D2s v9', 'retailPrice': 0.125}]}]), encoding='utf-8')
    replayed = ['--region', 'us-west-2', '--until', '30m', '-o', 'json']
    return {'admit': ['admit', queued, '-o', 'json'],
            'verify --certificate': ['verify', '--certificate', proof, *GIVEN],
            'plan --prices': ['plan', *GIVEN, '--prices', str(SOURCE / 'examples' / 'quickstart-prices.yaml'), '-o', 'json'],
            'replay of a Load': ['replay', str(SOURCE / 'examples' / 'replay' / 'load.yaml'), *replayed],
            'replay of a SimKube trace': ['replay', trace, '--nodepools', str(QUICKSTART / 'nodepool.yaml'), *replayed],
            'facts': ['facts', '--provider', 'azure', '--region', 'japaneast', '--facts', f'sizes={sizes}', '--facts', f'prices={prices}']}


def verbs(folder):
    plan = folder / 'plan.json'
    plan.write_bytes(subprocess.run([KARP, 'plan', *GIVEN, '-o', 'json'], capture_output=True, check=True).stdout)
    pod = json.loads(plan.read_text(encoding='utf-8'))['launches'][0]['pods'][0]
    return {'plan -o json': ['plan', *GIVEN, '-o', 'json'], 'plan -o yaml': ['plan', *GIVEN, '-o', 'yaml'], 'plan': ['plan', *GIVEN],
            'plan -o html': ['plan', *GIVEN, '-o', 'html'], 'plan -o markdown': ['plan', *GIVEN, '-o', 'markdown'],
            'plan --settle': ['plan', *GIVEN, '--settle'], 'plan --objective cost': ['plan', *GIVEN, '--objective', 'cost', '-o', 'json'],
            'disrupt': ['disrupt', *GIVEN, '-o', 'json'], 'explain': ['explain', 'pod', pod, *GIVEN], 'lint': ['lint', *GIVEN, '-o', 'json'],
            'blockers': ['blockers', *GIVEN], 'repack': ['repack', *GIVEN, '-o', 'json'], 'dump': ['dump', *GIVEN],
            'whatif': ['whatif', *GIVEN, '--price-factor', 'spot=2'], 'verify': ['verify', str(plan), *GIVEN],
            'diff': ['diff', *GIVEN, '--', *GIVEN], 'catalogue': ['catalogue', '-o', 'csv'], **verbs_of_files(folder)}


def run(shim, command, **how):
    said = [f'{name}={value}' for name, value in {'LD_PRELOAD': shim, 'NO_COLOR': '1', **how}.items()]
    return subprocess.run(['sh', '-c', 'exec 9>&2; exec env "$@"', 'sh', *said, KARP, *command], capture_output=True, timeout=300, check=False)


def wrong_with(done, base):
    if done.returncode < 0:
        return f'signal {-done.returncode}'
    if done.returncode == base.returncode and done.stdout != base.stdout:
        return 'another answer'
    if done.returncode not in (base.returncode, 1, 127): # 127: the loader had none
        return f'exit status {done.returncode}'
    return 'nothing said' if done.returncode == 1 and base.returncode != 1 and not done.stderr else None


def check_verb(shim, name, command):
    """What went wrong, and how many runs there were."""
    base = run(shim, command)
    requests = int(run(shim, command, REFUSE_COUNT='1').stderr.split()[-1])
    step = max(1, requests // TRIED) if TRIED else 1
    wrong, runs = [], 0
    for at in sorted({*range(1, requests + 1, step), *range(max(1, requests - LAST), requests + 1)}):
        for more in ({}, {'REFUSE_ON': '1'}) if at % (3 * step) == 1 else ({},):
            why, runs = wrong_with(run(shim, command, REFUSE_AT=str(at), **more), base), runs + 1
            wrong += [f'{name}: request {at} of {requests}{" and later ones" if more else ""}: {why}'] if why else []
    if base.returncode not in (0, 3):
        wrong.append(f'{name}: exit status {base.returncode} with all memory: {base.stderr[:200]}')
    return wrong, runs


def main():
    with tempfile.TemporaryDirectory() as at, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(at)
        shim = folder / 'refuse_malloc.so'
        built = subprocess.run(['cc', '-shared', '-fPIC', '-O1', '-o', shim, SOURCE / 'tests/long/refuse_malloc.c'], capture_output=True, check=False)
        if built.returncode or run(shim, ['--version']).returncode:
            print('skipped: this C library does not let malloc be replaced')
            return 77
        found = [pool.submit(check_verb, shim, name, command) for name, command in verbs(folder).items()]
        results = [f.result() for f in found]
    wrong = [line for lines, _ in results for line in lines]
    print('\n'.join(wrong))
    print(f'{len(results)} commands, {sum(runs for _, runs in results)} runs, {len(wrong)} wrong')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
