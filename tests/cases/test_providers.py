# SPDX-License-Identifier: Apache-2.0
"""Providers on the command line: built in or from a shared object, with facts and settings; what they print can be read."""
import json
import os
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

BUILD, SOURCE = pathlib.Path(os.environ['KARP_BUILD']), pathlib.Path(os.environ['KARP_SOURCE'])
TINY = BUILD / 'examples' / 'tiny.so'
EXAMPLE = SOURCE / 'examples' / 'provider'

POOL = '''\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: default}
      requirements:
      - {key: karpenter.azure.com/sku-family, operator: In, values: [D, E]}
      - {key: karpenter.azure.com/sku-version, operator: In, values: ["5"]}
      - {key: topology.kubernetes.io/zone, operator: In, values: [eastus-1, eastus-2, eastus-3]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
---
apiVersion: karpenter.azure.com/v1beta1
kind: AKSNodeClass
metadata: {name: default}
spec:
  maxPods: 30
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web, resources: {requests: {cpu: "1", memory: 5Gi}}}]
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
'''


def check_round_trip(*options):
    """What is printed can be read, and is the same again."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, 'types.json')
        first, _ = run('catalogue', *options, '-o', 'json')
        file.write_text(first)
        again, _ = run('catalogue', '--catalogue', file, '-o', 'json')
        equal(again == first, True, f'round trip of {options}')
        text, _ = run('catalogue', *options)
        equal(run('catalogue', '--catalogue', file)[0] == text, True, f'text of {options}')
        csv, _ = run('catalogue', *options, '-o', 'csv')
        equal(run('catalogue', '--catalogue', file, '-o', 'csv')[0] == csv, True, f'csv of {options}')
        types = json.loads(first)
        equal(json.loads(run('catalogue', '--provider', 'file', '--facts', f'types={file}', '-o', 'json')[0]), types, 'the file provider')
    return types


def check_azure():
    out, _ = run('plan', '-f', '-', '--provider', 'azure', '-o', 'json', text=POOL)
    plan = json.loads(out)
    equal(plan['unschedulable'], [], 'unschedulable')
    choices = sorted((launch['choice']['instanceType'], launch['choice']['zone'], len(launch['pods'])) for launch in plan['launches'])
    # one zone gets two of the pods: 10Gi, for which a D4as is cheaper than any E
    equal(choices, [('Standard_D4as_v5', 'eastus-1', 2), ('Standard_E2as_v5', 'eastus-2', 1), ('Standard_E2as_v5', 'eastus-3', 1)], 'choices')
    for launch in plan['launches']:
        equal(launch['choice']['allocatable']['pods'], '30', 'the node class')
    error = run('plan', '-f', '-', '--provider', 'azure', status=1, text=POOL.replace('maxPods: 30', 'maxPods: 3000'))[1]
    check(':19:' in error, f'line of the field: {error}')
    check('AKSNodeClass default: spec.maxPods' in error, error)
    # where the provider is another one, the pool's class means nothing to it
    out, _ = run('plan', '-f', '-', '--provider', 'aws', '-o', 'json', text=POOL)
    check('AKSNodeClass' in '\n'.join(json.loads(out)['warnings']), 'a foreign class is told of')


def check_three_clouds():
    """The story: one workload, a pool for each cloud."""
    story = SOURCE / 'examples' / 'stories' / 'three-clouds'
    columns, told = set(), (SOURCE / 'docs' / 'providers.md').read_text()
    for cloud, region, wanted in (('aws', 'us-east-1', 'm6a.4xlarge'), ('gcp', 'us-east1', 'n2d-standard-16'), ('azure', 'eastus', 'Standard_D16as_v5')):
        options = ('--provider', cloud, '--region', region)
        plan = json.loads(run('plan', story / f'{cloud}.yaml', story / 'workload.yaml', *options, '-o', 'json')[0])
        equal(plan['unschedulable'], [], f'{cloud}: unschedulable')
        equal([(l['choice']['instanceType'], len(l['pods'])) for l in plan['launches']], [(wanted, 8)], f'{cloud}: launches')
        check(plan['launches'][0]['choice']['zone'] != '0', 'a zone')
        text = run('plan', story / f'{cloud}.yaml', story / 'workload.yaml', *options)[0]
        check(cloud == 'aws' or text[text.index('Launch\n'):] in told, f'docs/providers.md shows another plan of {cloud}: {text}')
        spot = json.loads(run('plan', story / f'{cloud}.yaml', story / 'workload.yaml', *options, '--scale', 'cache=0', '-o', 'json')[0])
        equal({l['choice']['capacityType'] for l in spot['launches']}, {'spot'}, f'{cloud}: without the caches')
        columns.add(run('catalogue', *options, '-o', 'csv')[0].splitlines()[0])
    equal(len(columns), 1, 'columns of the lists')


def check_price_list():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, 'machines.csv')
        file.write_text('name,cpu,memory,pods,zones,price\nr640,32,192Gi,250,rack-1;rack-2,0.61\npi,4,8Gi,110,desk,0.01\n')
        first = json.loads(run('catalogue', '--catalogue', file, '-o', 'json')[0])
        equal(sorted(t['name'] for t in first), ['pi', 'r640'], 'machines')
        equal(json.loads(run('catalogue', '--provider', 'file', '--facts', f'types={file}', '-o', 'json')[0]), first, 'the file provider')


def check_settings():
    def pods(*options):
        out, _ = run('catalogue', *options, '-o', 'json')
        return {t['name']: t['capacity']['pods'] for t in json.loads(out)}
    equal(pods('--provider', 'azure', '--set', 'networkPlugin=kubenet')['Standard_D2s_v5'], '110', 'networkPlugin')
    equal(pods('--reserved-enis', '1')['m5.large'], '20', '--reserved-enis')
    equal(pods('--set', 'reservedENIs=1')['m5.large'], '20', 'reservedENIs')
    everything = pods('--set', 'allTypes=true')
    equal(everything, pods('--all-types'), 'allTypes')
    check(len(everything) == 1386, f'{len(everything)} types')
    for options, word in ((('--provider', 'azure', '--set', 'speed=9'), 'networkPlugin'), (('--set', 'speed'), 'NAME=VALUE'),
                          (('--provider', 'moon'), 'azure'), (('--provider', './gcp.so'), 'gcp.so'), (('--facts', 'types=/nowhere'), '/nowhere'),
                          (('--provider', 'file'), 'no file'), (('--provider', 'file', '--set', 'a=b'), 'settings'),
                          (('--catalogue', '/dev/null', '--set', 'a=b'), '--set')):
        error = run('catalogue', *options, status=1)[1]
        check(word in error and error.startswith('karp: '), f'{options}: {error}')


def check_example():
    facts = f'machines={EXAMPLE / "machines.txt"}'
    plan = json.loads(run('plan', '--provider', TINY, '--facts', facts, '-f', EXAMPLE / 'pods.yaml', '-o', 'json')[0])
    equal([(l['choice']['instanceType'], len(l['pods'])) for l in plan['launches']], [('medium', 3)], 'the example')
    types = json.loads(run('catalogue', '--provider', TINY, '--facts', facts, '-o', 'json')[0])
    equal([t['name'] for t in types], ['large', 'medium', 'small'], 'its types')
    with tempfile.TemporaryDirectory() as folder:
        bad = pathlib.Path(folder, 'bad.txt')
        bad.write_text('a 1 1024 0.1\nb 2 -2048 0.2\n')
        error = run('catalogue', '--provider', TINY, '--facts', f'machines={bad}', status=1)[1]
        check(f'{bad}:2' in error and 'provider tiny' in error, error)


def main():
    if not TINY.exists():
        return 77
    check_round_trip('--provider', 'azure')
    check_round_trip('--provider', 'gcp', '--region', 'europe-west1')
    check_round_trip('--provider', 'aws', '--region', 'eu-west-1')
    check_azure()
    check_three_clouds()
    check_price_list()
    check_settings()
    check_example()
    return finish()


if __name__ == '__main__':
    sys.exit(main())
