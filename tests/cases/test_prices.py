# SPDX-License-Identifier: Apache-2.0
"""--prices: plans, consolidation and cost plans decide by what is paid, not by the list (docs/prices.md)."""
import json
import pathlib
import sys
import tempfile

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
POOL, APP, DUMP = ASKS / 'pool.yaml', ASKS / 'app.yaml', ASKS / 'dump.json'
CAPACITY_TYPE = 'karpenter.sh/capacity-type'


def close(a, b):
    return abs(float(a) - float(b)) < 1e-9


def choice(plan):
    return plan['launches'][0]['choice']


with tempfile.TemporaryDirectory() as folder:
    def prices(name='prices.json', **spec):
        path = pathlib.Path(folder, name)
        path.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Prices', 'metadata': {'name': 'contract'}, 'spec': spec}))
        return path

    def plan(*files, **spec):
        return document('plan', *files, '--prices', prices(**spec))

    def match(key, *values, operator='In'):
        return [{'key': key, 'operator': operator, **({'values': values} if values else {})}]

    listed = document('plan', POOL, APP)
    before = choice(listed)
    cpus = int(before['nodeLabels']['karpenter.k8s.aws/instance-cpu'])
    # Factors multiply, amounts are added after them, in any order of rules; a rule about something else changes nothing.
    halved = [{'factor': 0.5}, {'name': 'fee', 'perNode': 0.01, 'perVCPU': '0.001'}, {'factor': '0.5'},
              {'requirements': match(CAPACITY_TYPE, 'none-such'), 'factor': 100}]
    for rules in (halved, halved[::-1]):
        got = choice(plan(POOL, APP, rules=rules))
        equal(got['instanceType'], before['instanceType'], 'the cheapest stays the cheapest')
        check(close(got['price'], float(before['price']) * 0.25 + 0.01 + cpus * 0.001), got['price'])
    # Another type becomes the cheapest: by family, by name, by what is not, by size.
    other = choice(plan(POOL, APP, rules=[{'requirements': match('karpenter.k8s.aws/instance-family', before['instanceType'].split('.')[0]), 'factor': 3}]))
    check(other['instanceType'].split('.')[0] != before['instanceType'].split('.')[0], other)
    for requirements in (match('node.kubernetes.io/instance-type', before['instanceType'], operator='NotIn'),
                         match('karpenter.k8s.aws/instance-cpu', '2', operator='Gt'), match('karpenter.k8s.aws/instance-cpu', '3', operator='Lt'),
                         match('karpenter.k8s.aws/instance-gpu-name', operator='DoesNotExist'), match(CAPACITY_TYPE, operator='Exists')):
        plan(POOL, APP, rules=[{'requirements': requirements, 'factor': 1.5}])
    # Volumes of the node class: without a class 20 GiB of gp3.
    check(close(choice(plan(POOL, APP, blockDevices={'gp3': 0.073}))['price'], float(before['price']) + 20 * 0.073 / 730), 'volumes')
    node_class = pathlib.Path(folder, 'class.json')
    node_class.write_text(json.dumps({'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'}, 'spec': {
        'amiFamily': 'AL2023', 'blockDeviceMappings': [{'deviceName': '/dev/xvda', 'ebs': {'volumeSize': '100Gi', 'volumeType': 'io2'}},
                                                       {'deviceName': '/dev/xvdb', 'ebs': {'volumeSize': '10Gi'}}]}}))
    with_class = choice(document('plan', POOL, APP, '--replace', node_class))
    got = choice(plan(POOL, APP, '--replace', node_class, blockDevices={'io2': 0.146, 'default': 0.0073}))
    check(close(got['price'], float(with_class['price']) + (100 * 0.146 + 10 * 0.0073) / 730), got)
    # Existing nodes cost what they are priced at, too; the same file by -f; a dump has the prices in it.
    factor = prices(rules=[{'factor': 2}])
    cluster = document('plan', DUMP)['cost']['before']
    check(close(document('plan', DUMP, '--prices', factor)['cost']['before'], 2 * float(cluster)), 'existing nodes')
    equal(document('plan', DUMP, factor)['cost'], document('plan', DUMP, '--prices', factor)['cost'], '-f')
    dump = pathlib.Path(folder, 'dump.json')
    dump.write_text(run('dump', DUMP, '--prices', factor)[0])
    check(close(document('plan', dump)['cost']['before'], 2 * float(cluster)), 'a dump')
    check('"Prices"' not in dump.read_text(), 'prices are laid over once')
    # Consolidation and cost plans follow.
    check(close(document('disrupt', DUMP, '--prices', factor)['cost']['before'], 2 * float(document('disrupt', DUMP)['cost']['before'])), 'disrupt')
    cheapest = document('plan', POOL, APP, '--objective', 'cost')['cost']['after']
    check(close(document('plan', POOL, APP, '--objective', 'cost', '--prices', factor)['cost']['after'], 2 * float(cheapest)), 'cost plans')
    # What is wrong.
    for spec, message in (({}, 'spec: needs rules or blockDevices'), ({'rules': [{'factor': -1}]}, 'spec.rules[0].factor: must be a number'),
                          ({'rules': [{'faktor': 1}]}, 'spec.rules[0]: a rule has name, requirements, factor'),
                          ({'rules': [{'requirements': match('a', 'x', operator='Gt'), 'factor': 1}]}, 'Gt and Lt need one number'),
                          ({'blockDevices': {'gp3': 'much'}}, 'spec.blockDevices.gp3: must be a number'), ({'rules': {}}, 'spec.rules: must be a list')):
        _, error = run('plan', POOL, APP, '--prices', prices(**spec), status=1)
        check('Prices contract' in error and message in error, f'{message}: {error}')
sys.exit(finish())
