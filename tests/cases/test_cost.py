# SPDX-License-Identifier: Apache-2.0
"""Plans for the least cost as a user meets them: text, JSON, HTML, NodeClaims, certificates, sides, wrong options (docs/cost.md)."""
import json
import pathlib
import re
import sys
import tempfile

from stories import SOURCE, check, document, equal, finish, run

sys.path.insert(0, str(SOURCE / 'tests' / 'reference'))
from certificate import refusal  # noqa: E402

COST = ('--objective', 'cost', '--effort', '10000')
QUICKSTART = SOURCE / 'examples' / 'quickstart'
READY = {'conditions': [{'type': each, 'status': 'True'} for each in ('Ready', 'ValidationSucceeded', 'NodeClassReady')]}
TYPE, ZONE, CAPACITY = 'node.kubernetes.io/instance-type', 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type'


def instance_type(name, cpu, price, kind='on-demand', zones=('a',), memory='64Gi'):
    return {'name': name, 'capacity': {'cpu': str(cpu), 'memory': memory, 'pods': '110'}, 'labels': {TYPE: [name], ZONE: list(zones), CAPACITY: [kind]},
            'offerings': [{'zone': zone, 'capacityType': kind, 'price': price} for zone in zones]}


def pool(*requirements):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'p'}, 'status': READY,
            'spec': {'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': list(requirements)}}}}


def pod(name, cpu, **spec):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'namespace': 'default', 'uid': f'u-{name}'},
            'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': str(cpu)}}}], **spec},
            'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}}


def snapshot(folder, name, types, objects):
    path = pathlib.Path(folder, name)
    path.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'now': '2026-06-01T00:00:00Z',
                                'catalogues': [{'instanceTypes': types}], 'objects': objects}))
    return path


def claims_of(text):
    """Values of the requirements of each NodeClaim that was written, by key, and its minValues."""
    claims = []
    for part in text.split('\n---\n'):
        values, key, taken = {}, None, False
        for line in part.splitlines():
            if match := re.match(r'  - key: (.*)', line):
                key, taken = match.group(1), False
            elif line.strip() == 'values:':
                taken = True
            elif taken and (match := re.match(r'    - "?([^"]*)"?$', line)):
                values.setdefault(key, []).append(match.group(1))
            elif not line.startswith('    '):
                taken = False
        claims.append(values)
    return claims


with tempfile.TemporaryDirectory() as folder:
    # C-14, section 7: what the decision gives.
    plan = document('plan', '-f', QUICKSTART, *COST)
    figures = plan['objective']
    equal(sorted(figures), ['bound', 'compatibleCost', 'cost', 'effort', 'gap', 'launchesCompatible', 'name', 'preferences', 'provenOptimal', 'steps', 'stopped'],
          'the figures')
    check(figures['bound'] <= figures['cost'] <= figures['compatibleCost'] and figures['effort'] == 10000, figures)
    check(abs(figures['gap'] - (figures['cost'] / figures['bound'] - 1)) < 1e-9, figures)
    equal(document('plan', '-f', QUICKSTART).get('objective'), None, 'a plan of Karpenter has no objective')
    equal(document('plan', '-f', QUICKSTART, '--objective', 'cost', '--effort', '0')['launches'], document('plan', '-f', QUICKSTART)['launches'], 'effort 0')
    # The last line of the text, of Markdown, and the page.
    check(figures['provenOptimal'] is True, 'the few pods and nodes are looked at in all ways')
    equal(document('plan', '-f', QUICKSTART, '--objective', 'cost', '--effort', '10s')['objective']['steps'], figures['steps'], 'nothing is left to look for')
    said = "Cost of launches: $0.5285/h. Karpenter's own plan: $0.6145/h (-14.0%). No plan can cost less (proven)."
    check(' '.join(run('plan', '-f', QUICKSTART, *COST)[0].split()).endswith(said), 'the last line')
    check(said in run('plan', '-f', QUICKSTART, *COST, '-o', 'markdown')[0], 'Markdown')
    check(said.replace("'", '&#39;') in run('plan', '-f', QUICKSTART, *COST, '-o', 'html')[0] or said in run('plan', '-f', QUICKSTART, *COST, '-o', 'html')[0], 'HTML')
    # Questions and sides.
    lost = document('whatif', '-f', QUICKSTART, '--lose-zone', 'us-west-2a', *COST)['objective']
    check(lost['bound'] <= lost['cost'] <= lost['compatibleCost'], lost)
    sides = json.loads(run('diff', '-o', 'json', QUICKSTART, '--', *COST)[0])['designs']
    check('objective' not in sides[0] and sides[1]['objective']['cost'] == figures['cost'], sides)
    equal(sides[1]['objective']['compatibleCost'], figures['compatibleCost'], 'the side of least cost')
    both = json.loads(run('diff', '-o', 'json', QUICKSTART, *COST, '--', '--node-cost', '0.1')[0])['designs']
    check(both[0]['objective']['cost'] < both[1]['objective']['cost'], 'each side has its own objective')
    table = run('diff', QUICKSTART, '--', *COST)[0]
    check("launches, Karpenter's plan" in table and 'lower bound for launches' in table and 'can still be saved, at most' in table, table)
    check('at most left' not in run('diff', QUICKSTART, '--', '--scale', 'default/web=3', status=None)[0], 'no figures without the objective')
    check(document('diff', QUICKSTART, '--profile', 'karpenter', '--profile', 'karp', *COST)['kind'], 'two profiles')

    # C-8: the NodeClaim lists what holds its pods and costs as much, spot 15 % more, and what minValues asks for.
    types = [instance_type('big', 16, 9), instance_type('small', 4, 1), instance_type('same', 4, 1), instance_type('thin', 4, 1, memory='1Gi'),
             instance_type('near', 4, 1.1), instance_type('far', 4, 1.3)]
    pods = [pod(name, 2) for name in 'abcd']
    for each in pods:
        each['spec']['containers'][0]['resources']['requests']['memory'] = '2Gi'
    spot = [{**instance_type(t['name'], t['capacity']['cpu'], t['offerings'][0]['price'], 'spot', memory=t['capacity']['memory'])} for t in types]
    for name, entries, options, expected in (('on-demand', types, (), ['same', 'small']), ('spot', spot, (), ['near', 'same', 'small']),
                                             ('on-demand', types, ('--price-slack', '0.2'), ['near', 'same', 'small']),
                                             ('spot', spot, ('--price-slack', '0'), ['same', 'small'])):
        world = snapshot(folder, 'claims.json', entries, [pool(), *pods])
        claims = claims_of(run('plan', '-f', world, *COST, *options, '-o', 'yaml')[0])
        equal([sorted(claim[TYPE]) for claim in claims], [expected] * 2, f'types of {name} {options}')
    world = snapshot(folder, 'min.json', types, [pool({'key': TYPE, 'operator': 'Exists', 'minValues': 3}), *pods])
    for claim in claims_of(run('plan', '-f', world, *COST, '-o', 'yaml')[0]):
        check(len(claim[TYPE]) >= 3 and 'thin' not in claim[TYPE], claim)
    # Every listed type holds the pods within every rule: of two zones only the one that the pods ask for.
    zoned = [instance_type('small', 4, 1, zones=('a', 'b')), instance_type('other', 4, 1, zones=('b',)), instance_type('big', 16, 9, zones=('a', 'b'))]
    world = snapshot(folder, 'zoned.json', zoned, [pool(), *[pod(name, 2, nodeSelector={ZONE: 'a'}) for name in 'abcd']])
    for claim in claims_of(run('plan', '-f', world, *COST, '-o', 'yaml')[0]):
        equal((claim[TYPE], claim[ZONE]), (['small'], ['a']), 'a zone')
    # What the factor of spot decides is in the NodeClaim.
    mixed = [{**instance_type('t', 4, 0.6, 'spot'), 'labels': {TYPE: ['t'], ZONE: ['a'], CAPACITY: ['on-demand', 'spot']},
              'offerings': [{'zone': 'a', 'capacityType': 'spot', 'price': 0.6}, {'zone': 'a', 'capacityType': 'on-demand', 'price': 1}]}]
    world = snapshot(folder, 'mixed.json', mixed, [pool(), pod('a', 2)])
    for factor, kind in (('1', 'spot'), ('2', 'on-demand')):
        claim = claims_of(run('plan', '-f', world, *COST, '--spot-factor', factor, '-o', 'yaml')[0])[0]
        check(kind in claim.get(CAPACITY, [kind]) and (factor == '1' or claim[CAPACITY] == [kind]), claim)

    # C-10: what a commitment covers costs its price, in plan and bound.
    world = snapshot(folder, 'commitments.json', [instance_type('paid', 4, 2), instance_type('cheap', 4, 1)], [pool(), pod('a', 2)])
    commitments = pathlib.Path(folder, 'prices.yaml')
    commitments.write_text('apiVersion: karp/v1\nkind: Prices\nmetadata: {name: c}\nspec: {commitments: [{name: r, nodes: 3, price: 1, '
                           f'requirements: [{{key: {TYPE}, operator: In, values: [paid]}}]}}]}}\n')
    before, after = document('plan', '-f', world, *COST), document('plan', '-f', world, *COST, '--commitments', commitments)
    equal((before['launches'][0]['choice']['instanceType'], after['launches'][0]['choice']['instanceType']), ('cheap', 'paid'), 'commitments')
    check(after['objective']['bound'] <= after['objective']['cost'] < 0.01 < before['objective']['bound'], after['objective'])

    # C-12: a certificate is written, holds, and is of that input alone; what claims more is refused.
    proof, doubt = pathlib.Path(folder, 'proof.json'), pathlib.Path(folder, 'doubt.json')
    run('plan', '-f', QUICKSTART, *COST, '--spot-factor', '1.5', '--preferences', 'ignore', '--certificate', proof)
    checked = document('verify', '--certificate', proof, '-f', QUICKSTART)
    equal((checked['spotFactor'], checked['preferences']), (1.5, 'ignore'), 'what the bound is of')
    check('prices of spot count 1.5 times, whatever they prefer.' in ' '.join(run('verify', '--certificate', proof, '-f', QUICKSTART, '-o', 'text')[0].split()), 'in words')
    check(checked['holds'] and abs(checked['bound'] - figures['bound']) < 1e-9, checked)
    certificate = json.loads(proof.read_text())
    equal((certificate['spotFactor'], certificate['preferences']), (1.5, 'ignore'), 'what the certificate is of')
    doubt.write_text(json.dumps({**certificate, 'value': certificate['value'] + 1}))
    run('verify', '--certificate', doubt, '-f', QUICKSTART, status=1)
    why, _ = run('verify', '--certificate', proof, '-f', world, status=1)
    check('is of a different input' in why and 'sha256' in why, why)
    for field, value in (('spotFactor', -1), ('nodeCost', -1), ('preferences', 'some')):
        doubt.write_text(json.dumps({**certificate, field: value}))
        run('verify', '--certificate', doubt, '-f', QUICKSTART, status=1)
    # What it is of, and counted in, has to be there, for both checkers.
    equal(refusal(certificate), None, 'the other checker')
    for field in ('apiVersion', 'input', 'unit', 'value', 'nodeCost', 'resources', 'classes', 'rows', 'offerings', 'nodes'):
        for spoiled in ({k: v for k, v in certificate.items() if k != field}, {**certificate, field: None}):
            doubt.write_text(json.dumps(spoiled))
            why, said = run('verify', '--certificate', doubt, '-f', QUICKSTART, status=1)
            check(field in why + said, (field, why, said))
            check(refusal(spoiled), field)
    row = {**certificate['rows'][0], 'extras': None}
    for field, value, what in (('unit', '0.001 $/h', 'unit: has to be'), ('input', {'sha256': ''}, 'input.sha256 is missing'),
                               ('input', {'sha256': None}, 'input.sha256: may not be null'), ('rows', [row, *certificate['rows'][1:]], 'rows[0].extras: may not be null')):
        doubt.write_text(json.dumps({**certificate, field: value}))
        why, said = run('verify', '--certificate', doubt, '-f', QUICKSTART, status=1)
        check(what in why + said and refusal({**certificate, field: value}), (what, why, said))

    # Capacity is rounded down to what pods can fill. A certificate from before that has all of it, and still holds.
    world = snapshot(folder, 'units.json', [instance_type('t', 4.5, 1)], [pool(), *[pod(name, 1) for name in 'abcde']])
    run('plan', '-f', world, *COST, '--certificate', proof)
    certificate = json.loads(proof.read_text())
    equal(certificate['rows'][0]['capacity'], [8, 1, 110], 'capacity in units of 500m')
    for capacity, holds in ((8, True), (9, True), (10, False), (7, False)):
        certificate['rows'][0]['capacity'][0] = capacity
        doubt.write_text(json.dumps(certificate))
        run('verify', '--certificate', doubt, '-f', world, status=not holds)
        equal(refusal(certificate) is None, capacity < 10, 'the other checker, which here knows only the certificate')

    # Nodes are whole, however many there are: 301 pods, of which four fit a node, need 76 of them, and not 75 and a quarter.
    world = snapshot(folder, 'whole.json', [instance_type('t', 4, 1)], [pool(), *[pod(f'p{i}', 1) for i in range(301)]])
    objective = document('plan', '-f', world, *COST, '--certificate', proof)['objective']
    certificate = json.loads(proof.read_text())
    equal((objective['cost'], objective['provenOptimal'], certificate['value']), (76, True, 76 * 10**12), 'whole nodes')
    check(sum(k['price'] * k['count'] for k in certificate['classes']) < 75.3 * 10**12, 'prices alone prove less')
    for value, holds in ((certificate['value'], True), (certificate['value'] + 1, False)):
        doubt.write_text(json.dumps({**certificate, 'value': value}))
        run('verify', '--certificate', doubt, '-f', world, status=not holds)
        equal(refusal({**certificate, 'value': value}) is None, holds, 'the other checker')

    # Pods that are spread over zones pay for each zone: two of the four have to be in the expensive one.
    both = {'name': 't', 'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '110'}, 'overhead': {},
            'requirements': [{'key': key, 'operator': 'In', 'values': values} for key, values in ((TYPE, ['t']), (ZONE, ['a', 'b']), (CAPACITY, ['on-demand']))],
            'offerings': [{'requirements': [{'key': key, 'operator': 'In', 'values': [value]} for key, value in ((ZONE, zone), (CAPACITY, 'on-demand'))], 'price': price}
                          for zone, price in (('a', 1), ('b', 3))]}
    spread = [{'maxSkew': 1, 'topologyKey': ZONE, 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {'matchLabels': {'app': 'x'}}}]
    pods = [pod(name, 2, topologySpreadConstraints=spread) for name in 'abcd']
    for each in pods:
        each['metadata']['labels'] = {'app': 'x'}
    world = snapshot(folder, 'spread.json', [both], [pool(), *pods])
    objective = document('plan', '-f', world, *COST, '--certificate', proof)['objective']
    equal((round(objective['cost'], 9), round(objective['bound'], 9)), (8, 8), 'the cost of both zones')
    certificate, of = json.loads(proof.read_text()), json.loads(world.read_text())
    equal(sorted((c['zone'], c['count']) for c in certificate['classes'] if 'zone' in c), [('a', 2), ('b', 2)], 'pods of each zone')
    equal(refusal(certificate, of), None, 'the other checker')
    dear = next(c for c in certificate['classes'] if c.get('zone') == 'b')
    for change in ({'count': 3}, {'zone': 'a'}):
        before = dict(dear)
        dear.update(change)
        doubt.write_text(json.dumps(certificate))
        run('verify', '--certificate', doubt, '-f', world, status=1)
        check(refusal(certificate, of), change)
        dear.update(before)
    # Of five pods in three zones, each has one, and the other two are in different zones.
    three = {**both, 'requirements': [{**r, 'values': ['a', 'b', 'c'] if r['key'] == ZONE else r['values']} for r in both['requirements']],
             'offerings': [{'requirements': [{'key': key, 'operator': 'In', 'values': [value]} for key, value in ((ZONE, zone), (CAPACITY, 'on-demand'))],
                            'price': price} for zone, price in (('a', 1), ('b', 3), ('c', 6))]}
    five = pods + [{**pods[0], 'metadata': {**pods[0]['metadata'], 'name': 'e'}}]
    world = snapshot(folder, 'five.json', [three], [pool(), *five])
    objective = document('plan', '-f', world, *COST, '--certificate', proof)['objective']
    equal((round(objective['cost'], 9), round(objective['bound'], 9)), (14, 14), 'two different zones')
    certificate, of = json.loads(proof.read_text()), json.loads(world.read_text())
    equal([d['domain'] for d in certificate['groups'][0]['domains']], ['a,b', 'a,c', 'b,c'], 'sets of zones')
    equal(refusal(certificate, of), None, 'the other checker')
    document('verify', '--certificate', proof, '-f', world)
    for change in ({'domains': certificate['groups'][0]['domains'][1:]}, {'groups': 2}):
        doubt.write_text(json.dumps({**certificate, 'groups': [{**certificate['groups'][0], **change}]}))
        run('verify', '--certificate', doubt, '-f', world, status=1)
        check(refusal(json.loads(doubt.read_text()), of), change)
    # Ten pods of which three fit the small node and seven the large one: prices prove 2.8, and all sets of whole nodes show that 3 are needed.
    world = snapshot(folder, 'few.json', [instance_type('s', 7, 0.95), instance_type('l', 15, 2)], [pool(), *[pod(f'p{i}', 2) for i in range(10)]])
    objective = document('plan', '-f', world, *COST, '--certificate', proof)['objective']
    certificate = json.loads(proof.read_text())
    proven = sum(c['price'] * c['count'] for c in certificate['classes']) / 1e12
    check(objective['provenOptimal'] and proven < objective['cost'] - 0.01, (objective, proven))
    equal(refusal(certificate), None, 'the other checker looks at all plans')
    document('verify', '--certificate', proof, '-f', world)
    doubt.write_text(json.dumps({**certificate, 'value': certificate['value'] + 1}))
    run('verify', '--certificate', doubt, '-f', world, status=1)
    check(refusal(json.loads(doubt.read_text())), 'more than the cheapest plan')
    world = snapshot(folder, 'spread.json', [both], [pool(), *pods])
    document('plan', '-f', world, *COST, '--certificate', proof)
    certificate = json.loads(proof.read_text())
    # A pod that is counted, but not spread, may be anywhere, and so may the others be then. A certificate without zones is as good.
    plain = snapshot(folder, 'plain.json', [both], [pool(), *[{**p, 'spec': {k: v for k, v in p['spec'].items() if k[0] != 't'}} for p in pods]])
    run('plan', '-f', plain, *COST, '--certificate', doubt)
    doubt.write_text(json.dumps({**json.loads(doubt.read_text()), 'input': certificate['input']}))
    check(document('verify', '--certificate', doubt, '-f', world)['bound'] < 4.1, 'a certificate from before')
    world = snapshot(folder, 'counted.json', [both], [pool(), *pods[:3], {**pods[3], 'spec': {k: v for k, v in pods[3]['spec'].items() if k[0] != 't'}}])
    document('plan', '-f', world, *COST, '--certificate', proof)
    check(not any('zone' in c for c in json.loads(proof.read_text())['classes']), 'pods that are not spread')

    # Section 8: what makes no sense is named.
    for option, values in (('--node-cost', ('-1', 'nan', 'inf', 'x')), ('--spot-factor', ('-1', '0', 'nan', 'inf')), ('--price-slack', ('-0.1', 'nan', 'inf')),
                           ('--preferences', ('maybe',)), ('--deadline', ('-1s', 'soon')), ('--effort', ('-1', '1.5', 'lots'))):
        for value in values:
            _, said = run('plan', '-f', QUICKSTART, '--objective', 'cost', f'{option}={value}', status=1)
            check(option in said, said)
    free = snapshot(folder, 'free.json', [instance_type('t', 4, 0)], [pool(), pod('a', 2)])
    plan = document('plan', '-f', free, *COST)
    check(plan['objective']['bound'] == 0 and len(plan['launches']) == 1 and any('has a price' in text for text in plan['warnings']), plan['warnings'])
    # A deadline that is over: what there is by then, marked as incomplete; one that is far off changes nothing.
    equal(document('plan', '-f', QUICKSTART, *COST, '--deadline', '0s')['complete'], False, 'no time at all')
    relaxed = document('plan', '-f', QUICKSTART, *COST, '--deadline', '1h')
    equal((relaxed['objective'], relaxed['complete']), (figures, True), 'time enough')
    _, said = run('repack', '-f', QUICKSTART, '--spot-factor', '2', status=1)
    check('spot-factor' in said, said)

sys.exit(finish())
