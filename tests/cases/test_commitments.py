# SPDX-License-Identifier: Apache-2.0
"""karp replay --commitment-offers: the best savings plans and reserved instances for what ran, found by plain search as well, and NodeOverlays of them."""
import itertools
import json
import pathlib
import tempfile

from stories import check, equal, finish, run

folder = pathlib.Path(tempfile.mkdtemp())
PRICES = {'m5.large': 0.1, 'c5.large': 0.08}


def file(name, text):
    path = folder / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def instance(name):
    family = name.split('.')[0]
    return {'name': name, 'labels': {'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux'], 'node.kubernetes.io/instance-type': [name],
                                     'karpenter.k8s.aws/instance-family': [family]},
            'capacity': {'cpu': '2', 'memory': '8Gi', 'pods': '110'},
            'offerings': [{'zone': 'us-west-2a', 'capacityType': 'on-demand', 'price': PRICES[name], 'available': True}]}


TYPES = file('types.json', [instance(n) for n in PRICES])


def pool(family, name):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name}, 'spec': {
        'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': '100%'}]}, 'template': {'metadata': {'labels': {'team': name}}, 'spec': {
            'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, 'taints': [{'key': name, 'effect': 'NoSchedule'}],
            'requirements': [{'key': 'karpenter.k8s.aws/instance-family', 'operator': 'In', 'values': [family]}]}}}}


def story():
    """c5 nodes throughout, m5 nodes for some hours."""
    def deployment(name, replicas):
        return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': name}, 'spec': {
            'replicas': replicas, 'selector': {'matchLabels': {'app': name}}, 'template': {'metadata': {'labels': {'app': name}}, 'spec': {
                'tolerations': [{'operator': 'Exists'}], 'nodeSelector': {'team': name}, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1500m'}}}]}}}}
    steps = [{'wait': '4h'}, {'scale': {'deployment': 'm', 'replicas': 3}}, {'wait': '5h'}, {'scale': {'deployment': 'm', 'replicas': 1}}, {'wait': '3h'}]
    return file('story.json', {'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'steps': steps,
                               'objects': [pool('m5', 'm'), pool('c5', 'c'), deployment('m', 0), deployment('c', 2)]})


STORY = story()
WORDS = ['replay', STORY, '--catalogue', TYPES, '--boot', '0s', '--boot-jitter', '0s']


def commitments(offers, *words):
    return json.loads(run(*WORDS, '--commitment-offers', file('offers.csv', offers), '-o', 'json', *words)[0])['policies'][0]['commitments']


def bought(found, term=0):
    return {p['name']: p.get('instances', p.get('spendPerHour')) for p in found['terms'][term]['plans']}


def break_even():
    """A plan pays for what runs in more of the hours than its factor."""
    found = commitments('name,family,factor\nm5 plan,m5,0.66\nc5 plan,c5,0.66\n')
    equal(found['hours'], 12, 'whole hours')
    uses = {u['instanceType']: u for u in found['onDemand']}
    equal((uses['c5.large']['nodesLeast'] >= 1, uses['m5.large']['nodesLeast'], uses['m5.large']['nodesMost']), (True, 0, 3), 'nodes')
    plans = bought(found)
    check('c5 plan' in plans, plans)
    check(abs(plans['c5 plan'] - 2 * 0.08 * 0.66) < 1e-6, plans)
    equal(commitments('name,family,factor\nm5 plan,m5,0.7\n')['terms'][0], {'term': '', 'dollars': found['onDemandDollars'], 'plans': []}, '8 of 12 hours are too few')
    check(abs(bought(commitments('name,family,factor\nm5 plan,m5,0.6\n'))['m5 plan'] - 0.1 * 0.6) < 0.01, 'but not for 0.6')


def terms():
    found = commitments('# as of 2026-07-20\nname,term,factor\none,1y,0.8\nthree,3y,0.5\n')
    equal([t['term'] for t in found['terms']], ['1y', '3y'], 'terms')
    check(found['terms'][1]['dollars'] < found['terms'][0]['dollars'] < found['onDemandDollars'], found['terms'])


def searched():
    """No amounts on a fine grid are better, whatever the offers."""
    for offers in ([('m5', '', 0.66), ('', '', 0.75)], [('m5', '', 0.5), ('c5', '', 0.6), ('', '', 0.7)], [('', 'c5.large', 0.55), ('', '', 0.6)],
                   [('', 'm5.large', 0.4), ('m5', '', 0.45), ('', '', 0.65)]):
        found = commitments('name,family,instance_type,factor\n' + ''.join(f'o{i},{f},{t},{x}\n' for i, (f, t, x) in enumerate(offers)))
        series = json.loads(run(*WORDS, '-o', 'json', '--commitment-offers', folder / 'offers.csv', '--step', '1h')[0])['policies'][0]
        check(found['terms'][0]['dollars'] <= found['onDemandDollars'] + 1e-9, 'never worse than nothing')
        equal(series['commitments'], found, 'the same again')
        alone = [commitments(f'name,family,instance_type,factor\no,{f},{t},{x}\n')['terms'][0]['dollars'] for f, t, x in offers]
        check(found['terms'][0]['dollars'] <= min(alone) + 1e-6, f'{offers}: {found["terms"]}, alone {alone}')
        for some in itertools.combinations(offers, 2):
            two = commitments('name,family,instance_type,factor\n' + ''.join(f'o{i},{f},{t},{x}\n' for i, (f, t, x) in enumerate(some)))
            check(found['terms'][0]['dollars'] <= two['terms'][0]['dollars'] + 1e-6, f'{offers}: {some} is better')


def overlays():
    offers = file('offers.csv', 'name,family,instance_type,factor\nc5 plan,c5,,0.6\nany,,,0.75\nreserved,,m5.large,0.5\n')
    text = run(*WORDS, '--commitment-offers', offers, '-o', 'yaml')[0]
    check('kind: NodeOverlay' in text and 'priceAdjustment: "-40%"' in text, text)
    again = json.loads(run(*WORDS, '--nodepools', file('overlays.yaml', text), '--feature-gates', 'NodeOverlay=true', '--commitment-offers', offers, '-o', 'json')[0])
    first = json.loads(run(*WORDS, '--commitment-offers', offers, '-o', 'json')[0])
    check(again['policies'][0]['dollars'] < first['policies'][0]['dollars'], 'at the prices of the overlays')
    equal(again['policies'][0]['commitments']['onDemandDollars'], first['policies'][0]['commitments']['onDemandDollars'], 'at list prices')


def text():
    said = run(*WORDS, '--commitment-offers', file('offers.csv', 'name,family,factor\nc5 plan,c5,0.6\n'))[0]
    check('Commitments for what ran on demand under karpenter, in 12 hours' in said and '/h for c5, c5 plan: 100% used' in said, said)
    check('c5.large: 1 in every hour' in said or 'c5.large: 2 in every hour' in said, said)


def errors():
    for bad, why in (('name\nx\n', 'a table of offers has'), ('name,factor\nx,1\n', 'less than 1'), ('name,factor\nx,0\n', 'more than 0'), ('name,factor\n,0.5\n', 'without a name'),
                     ('name,family,instance_type,factor\nx,m5,m5.large,0.5\n', 'not both'), ('name,factor\nx,0.5,3\n', 'more cells'), ('', 'a table of offers has')):
        said = run(*WORDS, '--commitment-offers', file('bad.csv', bad), status=1)[1]
        check(why in said and 'bad.csv' in said, f'{bad!r}: {said}')
    check('state the offers' in run(*WORDS, '-o', 'yaml', status=1)[1], 'YAML alone')


for case in (break_even, terms, searched, overlays, text, errors):
    case()
finish()
