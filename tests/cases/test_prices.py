# SPDX-License-Identifier: Apache-2.0
"""--prices: plans, consolidation and cost plans decide by what is paid, not by the list (docs/prices.md)."""
import json
import pathlib
import sys
import tempfile

import small_clusters
from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
POOL, APP, DUMP = ASKS / 'pool.yaml', ASKS / 'app.yaml', ASKS / 'dump.json'
CAPACITY_TYPE = 'karpenter.sh/capacity-type'
FAMILY = 'karpenter.k8s.aws/instance-family'


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
              {'requirements': match(FAMILY, 'none-such'), 'factor': 100}]
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
    # Commitments: existing nodes use them up, new nodes get what is left, fees are not covered, and the note says what is paid anyway.
    on_demand = match(CAPACITY_TYPE, 'on-demand')
    m6a = {'name': 'm6a plan', 'requirements': on_demand + match('karpenter.k8s.aws/instance-family', 'm6a'), 'price': '0.03'}
    equal(before['instanceType'].split('.')[0] != 'm6a', True, 'another family is the cheapest')
    for vcpus, share in ((1000, 1e-7), (2.5, 1 - 2.5 / 8)):
        got = plan(POOL, APP, commitments=[{**m6a, 'vCPUs': vcpus}])
        equal(choice(got)['instanceType'], 'm6a.2xlarge', 'what is paid already is the cheapest')
        check(close(choice(got)['price'], 0.3456 * share), f'{vcpus}: {choice(got)["price"]}')
    note, = plan(POOL, APP, commitments=[{**m6a, 'vCPUs': 64}])['warnings']
    check(note.startswith('commitment m6a plan: $1.920/h ($1,401.60/month (730 h)), used or not') and note.endswith('use 0 of 64 vCPUs'), note)
    note, = plan(POOL, APP, commitments=[{'name': 'much', 'nodes': 20, 'price': 10000.5}])['warnings']
    check(note.startswith('commitment much: $200,010.000/h ($146,007,300.00/month (730 h)), used or not'), note)
    # 40 CPUs of pods and 20 left: half of the price is covered; a fee comes on top, a discount is on the rest.
    many = '--scale', 'inflate=40'
    half = document('plan', POOL, APP, *many, '--prices', prices(
        commitments=[{**m6a, 'vCPUs': 20}], rules=[{'factor': 0.5}, {'perNode': 0.01}]))
    for launch in half['launches']:
        size = float(launch['choice']['nodeLabels']['karpenter.k8s.aws/instance-cpu'])
        check(close(launch['choice']['price'], 0.0432 * size * (1 - 20 / max(size, 40)) * 0.5 + 0.01), launch['choice']['price'])
    # Dollars an hour: at 0.5 of the list $0.1728 cover a whole m6a.2xlarge. What is about nothing changes nothing but the note.
    spend = {'name': 'plan', 'requirements': m6a['requirements'], 'spend': 0.1728, 'factor': 0.5}
    check(close(choice(plan(POOL, APP, commitments=[spend]))['price'], 0.3456e-7), 'spend')
    none = plan(POOL, APP, commitments=[{**m6a, 'nodes': 3, 'requirements': match(FAMILY, 'none-such')}])
    equal(none['launches'], listed['launches'], 'about nothing')
    # Existing nodes cost nothing while there is enough, else all share it evenly; a dump has it in its catalogue.
    running = [('large', 8, '1500m'), ('large', 8, '7'), ('small', 2, '1900m')]
    pathlib.Path(folder, 'types.json').write_text(json.dumps(small_clusters.catalogue()))
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
        'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]},
        'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': []}}}}
    objects = [pool, {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'metadata': {'name': 'web'}, 'spec': {'replicas': 3, 'selector': {
        'matchLabels': {'app': 'web'}}}}]
    for i, (kind, cpu, wanted) in enumerate(running):
        objects += small_clusters.node(f'n{i}', kind, cpu) + [small_clusters.pod(f'p{i}', f'n{i}', wanted)]
    cluster_file = pathlib.Path(folder, 'cluster.json')
    cluster_file.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    large = {'name': 'large', 'requirements': match('node.kubernetes.io/instance-type', 'large'), 'price': 0.2}

    def consolidated(*words):
        done = document('disrupt', cluster_file, '--catalogue', f'{folder}/types.json', *words)
        return float(done['cost']['before']), [c['nodes'] for c in done['commands']]
    equal(consolidated()[1], [['n0']], 'a large node of a small pod')
    for amount, expected, goes in (({'nodes': 2}, 0.1 + 0.72e-7, [['n2']]), ({'vCPUs': 16}, 0.1 + 0.72e-7, [['n2']]), ({'nodes': 1}, 0.46, [['n0']])):
        path = prices(commitments=[{**large, **amount}])
        cost, commands = consolidated('--prices', path)
        check(close(cost, expected) and commands == goes, f'{amount}: {cost} {commands}')
        dump.write_text(run('dump', cluster_file, '--catalogue', f'{folder}/types.json', '--prices', path)[0])
        check(close(document('disrupt', dump)['cost']['before'], expected), 'a dump with commitments')
    # A NodeOverlay changes what is decided by; the launch says what the list has.
    overlay = pathlib.Path(folder, 'overlay.json')
    overlay.write_text(json.dumps({'apiVersion': 'karpenter.sh/v1alpha1', 'kind': 'NodeOverlay', 'metadata': {'name': 'dear'}, 'spec': {
        'requirements': [{'key': CAPACITY_TYPE, 'operator': 'In', 'values': ['on-demand']}], 'priceAdjustment': '+50%'}}))
    listed, gate = choice(document('plan', POOL, APP)), ['--feature-gates', 'NodeOverlay=true']
    dear = choice(document('plan', POOL, APP, overlay, *gate))
    check(close(dear['price'], 1.5 * float(listed['price'])) and close(dear['listPrice'], listed['price']) and 'listPrice' not in listed, f'{listed} {dear}')
    check(f'by a NodeOverlay; list ${listed["price"]}/h' in run('plan', POOL, APP, overlay, *gate)[0], 'text')
    # Rules that are about nothing here are noted, with what is not there.
    def notes(*requirements, **more):
        return plan(POOL, APP, rules=[{'factor': 0.5, 'requirements': [r for part in requirements for r in part]}], **more).get('warnings', [])
    equal(notes(match(FAMILY, 'm6a', 'c7i')), [], 'all of it is there')
    equal(notes(match('example.com/x', operator='DoesNotExist')), [], 'as it says')
    path = pathlib.Path(folder, 'prices.json')
    missing = f'{path}: spec.rules[0].requirements[0].values: no instance type or offering of this catalogue has '
    equal(notes(match(FAMILY, 'm6a', 'c7x', 'qq1')), [f'{missing}c7x, qq1 as {FAMILY}'], 'values')
    equal(notes(match('node.kubernetes.io/instance-type', 'm6a.large', 'c7i.largee')),
          [f'{missing}c7i.largee as node.kubernetes.io/instance-type; did you mean c7i.large?'], 'an instance type')
    nothing = f'{path}: spec.rules[0] matches no offering of this catalogue and has no effect'
    equal(notes(match('topology.kubernetes.io/zone', 'us-west-2aa')), [f'{missing}us-west-2aa as topology.kubernetes.io/zone; did you mean us-west-2a?', nothing], 'a zone')
    equal(notes(match(FAMILY, 'm6a'), match('node.kubernetes.io/instance-type', 'c7i.large')), [nothing], 'values that do not go together')
    equal(notes(match('karpenter.azure.com/sku-cpu', '2')),
          [f'{path}: spec.rules[0].requirements[0].key: no instance type or offering of this catalogue has karpenter.azure.com/sku-cpu', nothing], 'another cloud')
    # What can never be met, and what holds no prices, is an error.
    for requirements, message in (
            (match('karpenter.sh/capacity-typ', 'spot'), 'requirements[0].key: karpenter.sh/capacity-typ is no label of instance types or offerings; did you mean karpenter.sh/capacity-type?'),
            (match(CAPACITY_TYPE, 'spot', 'ondemand'), 'requirements[0].values[1]: ondemand is no capacity type: these are on-demand, spot and reserved'),
            (match('karpenter.k8s.aws/instance-famly', 'm6a'), 'requirements[0].key: karpenter.k8s.aws/instance-famly is no label of instance types or offerings; did you mean karpenter.k8s.aws/instance-family?')):
        for spec, place in ({'rules': [{'requirements': requirements, 'factor': 0.5}]}, 'rules'), ({'commitments': [{**m6a, 'vCPUs': 1, 'requirements': requirements}]}, 'commitments'):
            _, error = run('plan', POOL, APP, '--prices', prices(**spec), status=1)
            check(error.startswith(f'karp: {path}:1:') and f'Prices contract: spec.{place}[0].{message}' in error, error)
    text = pathlib.Path(folder, 'text.yaml')
    for content, message in (('rules: []', 'text.yaml:1:1: kind: prices are an object of kind Prices (apiVersion: karp/v1); this is none: it has no kind'),
                             ('', 'text.yaml: has no object of kind Prices'), ('kind: Prices\nspec: {}', 'this is a Prices without an apiVersion'),
                             (POOL.read_text(), 'kind: prices are an object of kind Prices (apiVersion: karp/v1); this is a NodePool'),
                             ('apiVersion: karp/v1\nkind: Snapshot', 'this is a Snapshot')):
        text.write_text(content)
        _, error = run('plan', POOL, APP, '--prices', text, status=1)
        check(message in error, f'{message}: {error}')
    dump.write_text(run('dump', POOL, APP)[0])
    check('this is a' in run('plan', POOL, APP, '--prices', dump, status=1)[1], 'a Snapshot')
    # What is wrong.
    commitment_fields = 'a commitment has a name and one of nodes, vCPUs and spend'
    for one, message in (({'name': 'x'}, commitment_fields), ({'name': 'x', 'nodes': 0}, commitment_fields), ({'nodes': 2}, commitment_fields),
                         ({'name': 'x', 'nodes': 2, 'spend': 1}, commitment_fields), ({'name': 'x', 'nodes': 2, 'cost': 1}, 'no other field'),
                         ({'name': 'x', 'spend': 1, 'price': 1}, 'a commitment of spend has a factor, no price'),
                         ({'name': 'x', 'vCPUs': 1, 'factor': 1}, 'a commitment of vCPUs has a price, no factor'),
                         ({'name': 'x', 'vCPUs': -1}, 'spec.commitments[0].vCPUs: must be a number'),
                         ({'name': 'x', 'vCPUs': 1, 'requirements': match('a', 'x', operator='Gt')}, 'spec.commitments[0]: Gt and Lt need one integer')):
        _, error = run('plan', POOL, APP, '--prices', prices(commitments=[one]), status=1)
        check(message in error, f'{message}: {error}')
    for spec, message in (({}, 'spec: needs rules, blockDevices or commitments'), ({'rules': [{'factor': -1}]}, 'spec.rules[0].factor: must be a number'),
                          ({'rules': [{'faktor': 1}]}, 'spec.rules[0].faktor: a rule has name, requirements, factor'),
                          ({'rule': [{'factor': 1}]}, 'spec.rule: a Prices object has rules, blockDevices and commitments'), ({'blockDevices': {'gp4': 1}}, 'spec.blockDevices.gp4: is no volume type'),
                          ({'rules': [{'requirements': match('a', 'x', operator='Gt'), 'factor': 1}]}, 'Gt and Lt need one integer'),
                          ({'blockDevices': {'gp3': 'much'}}, 'spec.blockDevices.gp3: must be a number'), ({'rules': {}}, 'spec.rules: must be a list')):
        _, error = run('plan', POOL, APP, '--prices', prices(**spec), status=1)
        check('Prices contract' in error and message in error, f'{message}: {error}')
sys.exit(finish())
