# SPDX-License-Identifier: Apache-2.0
"""karp tune, without any axis, on NodePools of Karpenter's documentation: each has a field that costs its users money for a load such as theirs, and it finds which."""
import json
import pathlib
import tempfile

from stories import check, document, equal, finish, run, types_of

CLASS = {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}
AWS, CAPACITY = 'karpenter.k8s.aws/instance-', 'karpenter.sh/capacity-type'
folder = tempfile.mkdtemp()
SIZES = ('medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge')
words = types_of(folder, 'us-west-2', *(f'{family}.{size}' for family in ('c4', 'r4', 'm5', 'm5d', 'c5', 'c5d', 'r5', 'c6a', 'm6a', 'r6a', 't3a') for size in SIZES))


def node_pool(name, disruption, *requirements, **spec):
    required = [{'key': key, 'operator': operator, 'values': values, **least} for key, operator, values, *rest in requirements for least in (rest or [{}])]
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name},
            'spec': {'template': {'spec': {'nodeClassRef': CLASS, 'requirements': required, 'expireAfter': '168h'}}, 'disruption': disruption, **spec}}


def inflate(replicas, cpu='1'):
    """The Deployment of its first steps."""
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'inflate'}, 'spec': {
        'replicas': replicas, 'selector': {'matchLabels': {'app': 'inflate'}}, 'template': {'metadata': {'labels': {'app': 'inflate'}}, 'spec': {
            'containers': [{'name': 'inflate', 'image': 'pause', 'resources': {'requests': {'cpu': cpu}}}]}}}}


def save(name, *objects):
    path = pathlib.Path(folder, name)
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def found(what, costs, field, *arguments):
    """The best design has the change, which helps by itself, too."""
    tuning = document('tune', *arguments, *words)
    best, own = tuning['designs'][tuning['best']], tuning['designs'][0]
    changes = {c['name']: c['value'] for c in best['changes']}
    check(changes.items() >= field.items(), f'{what}: {changes}')
    for name, value in field.items():
        alone = [d for d in tuning['designs'] if [(c['name'], c['value']) for c in d['changes']] == [(name, value)]]
        check(len(alone) == 1 and (alone[0]['podsLeft'], alone[0][costs]) < (own['podsLeft'], own[costs]), f'{what}: {name} alone: {alone}')
    text = run('tune', *arguments, *words)[0]
    check(f'The best is design {tuning["best"]}: ' in text and all(f'{name} {value}' in ' '.join(text.split()) for name, value in field.items()), f'{what}: {text}')
    print(f'{what}: {changes}, {own[costs]} as it is, {best[costs]} at best')
    return own, best, text


# examples/v1/node-ttls.yaml of karpenter-provider-aws: nodes go when they are empty, after a minute. Where pods come and go by and by, few ever are.
ttls = node_pool('default', {'consolidationPolicy': 'WhenEmpty', 'consolidateAfter': '60s'},
                 ('kubernetes.io/arch', 'In', ['amd64']), ('kubernetes.io/os', 'In', ['linux']), (CAPACITY, 'In', ['on-demand']),
                 (f'{AWS}category', 'In', ['c', 'm', 'r']), (f'{AWS}generation', 'Gt', ['2']))
load = pathlib.Path(folder, 'day.json')
load.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Load', 'start': '2026-03-02T00:00:00Z', 'length': '24h', 'seed': 1, 'objects': [], 'deployments': [
    {'name': 'inflate', 'replicas': {'least': 3, 'most': 20, 'peak': '10:00', 'noise': 0.1}, 'cpu': '1', 'memory': '512Mi'}]}))
own, best, _ = found('node-ttls.yaml, a day', 'dollars', {'consolidationPolicy': 'WhenEmptyOrUnderutilized'}, save('ttls.json', ttls, {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'}, 'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'role': 'r'}}), '--trace', load)

# examples/v1/large-instances.yaml: no instances of less than 4 CPUs, where the pods need one.
large = node_pool('large-instances', {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s'},
                  (f'{AWS}cpu', 'Gt', ['3']), (f'{AWS}memory', 'Gt', ['8191']))
check(best['dollars'] < own['dollars'] * 0.8, f'a day: {best}')
own, best, _ = found('large-instances.yaml, one pod', 'perHour', {'instance-cpu': 'any'}, save('large.json', large, inflate(1)))

check(best['perHour'] < own['perHour'] * 0.8, f'one pod: {best}')

# The example of the page on NodePools, without its taints: of its six families only four have the hypervisor that it requires, and it asks for five, so
# that it never launches a node.
page = node_pool('default', {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '1m'},
                 (f'{AWS}category', 'In', ['c', 'm', 'r'], {'minValues': 2}), (f'{AWS}family', 'In', ['m5', 'm5d', 'c5', 'c5d', 'c4', 'r4'], {'minValues': 5}),
                 (f'{AWS}cpu', 'In', ['4', '8', '16', '32']), (f'{AWS}hypervisor', 'In', ['nitro']), (f'{AWS}generation', 'Gte', ['3']),
                 ('topology.kubernetes.io/zone', 'In', ['us-west-2a', 'us-west-2b']), ('kubernetes.io/arch', 'In', ['arm64', 'amd64']),
                 (CAPACITY, 'In', ['spot', 'on-demand']), limits={'cpu': '1000', 'memory': '1000Gi'}, weight=10)
own, best, text = found('the page on NodePools, inflate', 'perHour', {'instance-family': 'any'}, save('page.json', page, inflate(5)))
equal((own['podsLeft'], own['perHour'], best['podsLeft']), (5, 0, 0), 'its pods')
check('It has nodes for 5 pods that the input as it is has none for.' in text, text)
finish()
