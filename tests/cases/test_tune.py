# SPDX-License-Identifier: Apache-2.0
"""karp tune: every design costs what karp plan --settle or karp replay says of its manifests, and the best is the cheapest of all of them."""
import itertools
import json
import pathlib
import re
import tempfile
import xml.etree.ElementTree

from stories import check, document, equal, finish, run

TYPES = {'small.one': (2, 0.10), 'small.two': (4, 0.22), 'large.one': (8, 0.36), 'large.two': (16, 0.70)}
FAMILY = 'karpenter.k8s.aws/instance-family'


def instance_type(name, cpus, price):
    at = lambda kind, cost: {'requirements': [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': [kind]},
                                              {'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': ['z1']}], 'price': cost, 'available': True}
    labels = {'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux', FAMILY: name.split('.')[0]}
    return {'name': name, 'requirements': [{'key': k, 'operator': 'In', 'values': [v]} for k, v in labels.items()],
            'capacity': {'cpu': str(cpus), 'memory': f'{cpus * 4}Gi', 'pods': '30', 'ephemeral-storage': '20Gi'},
            'offerings': [at('on-demand', price), at('spot', price / 2)]}


def pool(name='web', kinds=('on-demand',), families=('small',), **changes):
    """The NodePool of a design, written by hand."""
    requirements = [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': list(kinds)}]
    if families:
        requirements.append({'key': FAMILY, 'operator': 'In', 'values': list(families)})
    disruption = {'consolidateAfter': changes.get('after', '0s'), 'consolidationPolicy': changes.get('policy', 'WhenEmptyOrUnderutilized'),
                  'budgets': [{'nodes': '100%'}]}
    spec = {'template': {'spec': {'requirements': requirements, 'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'x'}}},
            'disruption': disruption}
    if 'limit' in changes:
        spec['limits'] = {'cpu': changes['limit']}
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name, 'annotations': {'team': 'a: b'}}, 'spec': spec}


def app(name, replicas, cpu):
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': name},
            'spec': {'replicas': replicas, 'selector': {'matchLabels': {'app': name}},
                     'template': {'metadata': {'labels': {'app': name}}, 'spec': {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': cpu}}}]}}}}


def save(folder, name, *objects):
    path = pathlib.Path(folder, name)
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def changes_of(design):
    return {c['name']: c['value'] for c in design['changes']}


folder = tempfile.mkdtemp()
types = pathlib.Path(folder, 'types.json')
types.write_text(json.dumps([instance_type(name, *of) for name, of in TYPES.items()]))
words = ('--catalogue', types)
apps = app('a', 3, '1500m'), app('b', 2, '900m')
now = save(folder, 'now.json', pool(), *apps)

# Every design of the grid, settled, is what its manifests come to; the best is the minimum of all of them.
axes = {'capacity-type': ('', 'spot+on-demand'), 'instance-family': ('', 'small+large', 'any'), 'consolidationPolicy': ('', 'WhenEmpty')}
grid = [word for name, values in axes.items() for word in ('--axis', f'{name}={",".join(values[1:])}')]
found = document('tune', now, *words, *grid)
equal((found['kind'], found['method'], found['grid'], len(found['designs'])), ('Tuning', 'settle', 12, 12), 'the whole grid')
equal([a['now'] for a in found['axes']], ['on-demand', 'small', 'WhenEmptyOrUnderutilized'], 'what the input has')
equal(sorted(sorted(changes_of(d).items()) for d in found['designs']),
      sorted(sorted((k, v) for k, v in zip(axes, values) if v) for values in itertools.product(*axes.values())), 'each design once')
equal([len(d['changes']) for d in found['designs'][:5]], [0, 1, 1, 1, 1], 'first as it is, then each change by itself')
costs = []
for design in found['designs']:
    chosen = changes_of(design)
    families = {'': ('small',), 'small+large': ('small', 'large'), 'any': ()}[chosen.get('instance-family', '')]
    own = pool(kinds=chosen.get('capacity-type', 'on-demand').split('+'), families=families, policy=chosen.get('consolidationPolicy', 'WhenEmptyOrUnderutilized'))
    plan = document('plan', '--settle', save(folder, 'design.json', own, *apps), *words)
    settled = plan['designs'][1]
    equal((design['perHour'], design['podsLeft'], design['nodes'], design['spotPerHour'], design['nodesRemoved']),
          (settled['cost']['perHour'], settled['podsLeft'], settled['nodes'], settled['cost']['spot'], sum(r['nodesRemoved'] for r in plan['rounds'])), f'{chosen}')
    costs.append(settled['cost']['perHour'])
best = found['designs'][found['best']]
equal(best['perHour'], min(costs), 'the least of all')
check(best['best'] and best['onFront'] and sum(d['best'] for d in found['designs']) == 1, best)
check(len(set(costs)) > 2 and min(costs) < costs[0], 'the grid has something to find')
check(0 < found['floorPerHour'] <= min(costs) + 1e-9, f'{found["floorPerHour"]} is below {costs}')


def figures(design):
    return design['perHour'], design['nodesRemoved'], design['spotPerHour'], design['podsLeft']


for design in found['designs']:
    beaten = any(all(a <= b for a, b in zip(figures(o), figures(design))) and figures(o) != figures(design) for o in found['designs'])
    equal(design['onFront'] and beaten, False, f'the front: {design}')
    check(beaten or any(o['onFront'] and figures(o) == figures(design) for o in found['designs']), f'the front: {design}')
for row in found['alone']:
    equal(round(row['perHour'], 9), round(costs[row['design']] - costs[0], 9), f'alone: {row}')
equal(document('tune', now, *words, *grid), found, 'the same again')
for threads in ('1', '5'):
    equal(document('tune', now, *words, *grid, '--threads', threads), found, f'{threads} threads')

# The NodePools that it writes come to what it says, and what is no part of the design stays.
written = run('tune', now, *words, *grid, '-o', 'yaml')[0]
patch = pathlib.Path(folder, 'best.yaml')
patch.write_text(written)
check('team: "a: b"' in written and 'status' not in written and written.startswith(f'# Design {found["best"]}: '), written)
equal(document('plan', '--settle', now, '--replace', patch, *words)['designs'][1]['cost']['perHour'], min(costs), 'what is written')
check('as it is' in run('tune', patch, save(folder, 'apps.json', *apps), *words, *grid, '-o', 'yaml')[0], 'nothing is left to change')
text = run('tune', now, *words, *grid)[0]
check(f'The best is design {found["best"]}: ' in text and '12 of 12 designs, each settled.' in text and 'No values of these fields can be below' in text, text)
run('tune', now, *words, *grid, '--detailed-exitcode', status=2)

# Caps: the best is the cheapest of those within them, and there may be none.
cap = min(d['spotPerHour'] for d in found['designs'] if d['spotPerHour'])
capped = document('tune', now, *words, *grid, '--cap', f'spot={cap / 2}')
equal(capped['designs'][capped['best']]['perHour'], min(d['perHour'] for d in found['designs'] if d['spotPerHour'] <= cap / 2), 'without much spot')
equal([d['beyondCap'] for d in capped['designs']], [d['spotPerHour'] > cap / 2 for d in found['designs']], 'beyond it')
equal([d['onFront'] for d in capped['designs']], [d['onFront'] for d in found['designs']], 'the front is the same')
spot = save(folder, 'spot.json', pool(kinds=('spot',)), *apps)
check('No design that was tried is within the caps.' in run('tune', spot, *words, '--axis', 'consolidationPolicy=WhenEmpty', '--cap', 'spot=0')[0], 'none within')

# The share of a workload on one spot offering: spread over two zones it is half of it; a workload of one pod has none.
zones = pathlib.Path(folder, 'zones.json')
both = instance_type('small.one', 2, 0.10)
both['offerings'] += [{**o, 'requirements': [r if r['key'] != 'topology.kubernetes.io/zone' else {**r, 'values': ['z2']} for r in o['requirements']]} for o in both['offerings']]
both['requirements'].append({'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': ['z1', 'z2']})
zones.write_text(json.dumps([both]))
spread = app('s', 4, '1500m')
spread['spec']['template']['spec']['topologySpreadConstraints'] = [{'maxSkew': 1, 'topologyKey': 'topology.kubernetes.io/zone', 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {'matchLabels': {'app': 's'}}}]
for which, shares in (((spread,), [0, 0.5]), ((spread, app('one', 1, '1500m')), [0, 0.5]), ((spread, app('t', 2, '1500m')), [0, 1]), ((app('one', 1, '1'),), [0, 0])):
    shared = document('tune', save(folder, 'shares.json', pool(), *which), '--catalogue', zones, '--axis', 'capacity-type=spot')
    equal([d['spotShare'] for d in shared['designs']], shares, [o['metadata']['name'] for o in which])
spread_file = save(folder, 'shares.json', pool(), spread)
for most, best in (('0.5', 1), ('0.49', 0)):
    shared = document('tune', spread_file, '--catalogue', zones, '--axis', 'capacity-type=spot', '--cap', f'spot-share={most}')
    equal((shared['best'], shared['designs'][1]['beyondCap']), (best, best == 0), most)

# Loads: what each design costs with so many times the pods, in the mean, as --scale says it; at least one pod stays.
for factors, scales in (('1,2', ((3, 2), (6, 4))), ('0.5,1.25', ((2, 1), (4, 3))), ('0.1', ((1, 1),)), ('1', ((3, 2),))):
    loaded = document('tune', now, *words, '--axis', 'capacity-type=spot', '--load', factors)
    for design, kinds in zip(loaded['designs'], (('on-demand',), ('spot',))):
        own = save(folder, 'design.json', pool(kinds=kinds), *apps)
        plans = [document('plan', '--settle', own, *words, '--scale', f'a={a}', '--scale', f'b={b}')['designs'][1] for a, b in scales]
        equal((round(design['perHour'], 9), design['nodes'], design['podsLeft']),
              (round(sum(p['cost']['perHour'] for p in plans) / len(plans), 9), sum(p['nodes'] for p in plans), sum(p['podsLeft'] for p in plans)), f'load {factors}, {kinds}')
    equal(loaded['loads'], [float(f) for f in factors.split(',')], 'loads')
    check(0 < loaded['floorPerHour'] <= min(d['perHour'] for d in loaded['designs']) + 1e-9, 'the floor of the loads')
both_loads = document('tune', now, *words, *grid, '--load', '0.5,1,2')
equal(document('tune', now, *words, *grid, '--load', '0.5,1,2', '--threads', '3'), both_loads, 'loads on threads')
check('Each with 0.5,2 times the pods' in run('tune', now, *words, *grid, '--load', '0.5,2')[0], 'text')

# A part of a grid: the same designs for a seed, none twice; with all changes that help, the search still finds the best.
some = document('tune', now, *words, *grid, '--designs', '9', '--seed', '3')
equal(document('tune', now, *words, *grid, '--designs', '9', '--seed', '3'), some, 'the same again')
equal(len({json.dumps(d['changes']) for d in some['designs']}), 9, 'no design twice')
equal(some['designs'][some['best']]['perHour'], min(costs), 'the best of a part')

# One NodePool of several, limits that leave pods (which cannot be the best), weights, and what a search begins with by itself.
two = save(folder, 'two.json', pool(), pool('other', families=('large',)), *apps)
limits = document('tune', two, *words, '--axis', 'web:limits.cpu=1,100', '--axis', 'other:limits.cpu=1', '--axis', 'other:weight=10')
equal([(a['nodePool'], a['now']) for a in limits['axes']], [('web', 'none'), ('other', 'none'), ('other', 'none')], 'two NodePools')
none = [d for d in limits['designs'] if [c['value'] for c in d['changes']][:2] == ['1', '1']]
check(none and all(d['podsLeft'] == 5 and d['leavesMore'] and not d['onFront'] and not d['best'] for d in none), none)
one = run('tune', two, *words, '--axis', 'other:weight=10', '-o', 'yaml', '--pick', '1')[0]
check('weight: 10' in one and 'name: other' in one and 'name: web' not in one, one)
usual = document('tune', save(folder, 'one.json', pool(), app('a', 1, '1')), *words)
equal({a['name']: a['values'] for a in usual['axes']}, {'capacity-type': ['spot+on-demand'], 'instance-family': ['any'], 'consolidationPolicy': ['WhenEmpty']}, 'its own axes')

# Architectures: as far as a table says that all images are made for them; what it lacks, and pods of traces, are made for nothing else.
arm = instance_type('small.arm', 2, 0.05)
for r in arm['requirements']:
    r['values'] = ['arm64'] if r['key'] == 'kubernetes.io/arch' else r['values']
mixed = pathlib.Path(folder, 'mixed.json')
mixed.write_text(json.dumps([instance_type('small.one', 2, 0.10), arm]))
amd = pool(families=())
amd['spec']['template']['spec']['requirements'].append({'key': 'kubernetes.io/arch', 'operator': 'In', 'values': ['amd64']})


def images(*rows):
    path = pathlib.Path(folder, 'images.csv')
    path.write_text('\n'.join(['# made by hand', 'image,architectures', *rows, '']))
    return '--image-architectures', path


def arch_axis(found):
    return [a['values'] for a in found['axes'] if a['name'] == 'arch']


agent = {'apiVersion': 'apps/v1', 'kind': 'DaemonSet', 'metadata': {'name': 'agent'}, 'spec': {'selector': {'matchLabels': {'app': 'agent'}}, 'template': {
    'metadata': {'labels': {'app': 'agent'}}, 'spec': {'initContainers': [{'name': 'i', 'image': 'shop/init:1'}], 'containers': [{'name': 'c', 'image': 'agent:2'}]}}}}
cluster = save(folder, 'cluster.json', amd, app('a', 1, '1'), agent)
equal(arch_axis(document('tune', cluster, '--catalogue', mixed)), [], 'nobody knows')
free = document('tune', cluster, '--catalogue', mixed, *images('x,amd64+arm64', 'agent*,arm64+amd64', 'shop/*,amd64+arm64'))
equal((arch_axis(free), 'imagesKept' in free, free['designs'][free['best']]['perHour']), ([['arm64', 'amd64+arm64']], False, 0.025), 'all of them')
for rows, kept in ((('x,amd64+arm64', 'agent:2,amd64', 'agent*,amd64+arm64', '*,amd64+arm64'), ['agent:2']), (('x,amd64+arm64', '*,amd64'), ['agent:2', 'shop/init:1']),
                   (('*,amd64+arm64', 'shop/*,amd64', 'shop/init*,amd64+arm64', 'x,amd64'), ['x']), (('agent:2,amd64+arm64', 'shop/init:1,amd64+arm64'), ['x'])):
    found_images = document('tune', cluster, '--catalogue', mixed, *images(*rows))
    equal((arch_axis(found_images), sorted(found_images['imagesKept'])), ([], kept), rows)
check('Architectures are kept by agent:2 and 1 other image' in run('tune', cluster, '--catalogue', mixed, *images('x,amd64+arm64', '*,amd64'))[0], 'text')
check('the image x is not made for it' in run('tune', cluster, '--catalogue', mixed, '--axis', 'arch=amd64+arm64', *images('*,amd64+arm64', 'x,amd64'), status=1)[1], 'an axis')
equal(arch_axis(document('tune', cluster, '--catalogue', mixed, '--axis', 'arch=arm64', *images('*,amd64+arm64'))), [['arm64']], 'an axis that all allow')
for rows, said in ((('x',), 'line 3: expected image,architectures'), (('x,sparc',), 'line 3: an architecture is'), ((',amd64',), 'line 3: expected image,architectures')):
    check(said in run('tune', cluster, '--catalogue', mixed, *images(*rows), status=1)[1], rows)
check('none.csv: No such file' in run('tune', cluster, '--catalogue', mixed, '--image-architectures', f'{folder}/none.csv', status=1)[1], 'no file')

# Replays.
story = pathlib.Path(folder, 'story.json')
story.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': [app('a', 0, '1500m')],
                             'steps': [step for count in (8, 3, 6, 1) for step in ({'scale': {'deployment': 'a', 'replicas': count}}, {'wait': '20m'})]}))
pools = save(folder, 'pools.json', pool())
times = ('--axis', 'consolidateAfter=5m,1h', '--axis', 'consolidationPolicy=WhenEmpty')
replayed = document('tune', pools, '--trace', story, *words, *times)
equal((replayed['method'], len(replayed['designs'])), ('replay', 6), 'replayed')
dollars = []
for design in replayed['designs']:
    chosen = changes_of(design)
    own = pool(after=chosen.get('consolidateAfter', '0s'), policy=chosen.get('consolidationPolicy', 'WhenEmptyOrUnderutilized'))
    replay = document('replay', story, '--nodepools', save(folder, 'design.json', own), *words)['policies'][0]
    equal((design['dollars'], design['evictions'], design['pendingSecondsP99'], design['nodesMost'], design['podsLeft']),
          (replay['dollars'], replay['evictions'], replay['pendingSeconds']['p99'], replay['nodesMost'], replay['podsUnplaced']), f'{chosen}')
    dollars.append(replay['dollars'])
    again = document('replay', story, '--nodepools', pools, '--replace', save(folder, 'design.json', own), *words)['policies'][0]
    equal(again, replay, '--replace')
equal(replayed['designs'][replayed['best']]['dollars'], min(dollars), 'the least of all replays')
check(len(set(dollars)) > 1, dollars)
equal(document('tune', pools, '--trace', story, *words, *times, '--threads', '4'), replayed, 'replayed by four threads')
check('6 of 6 designs, each replayed.' in run('tune', pools, '--trace', story, *words, *times)[0], 'text')

# The page: each design that leaves no more pods is a dot of each picture, with its changes; days are bars. Names stay text.
for words_of, designs in (((now, *grid), found['designs']), ((pools, '--trace', story, *times), replayed['designs'])):
    page = run('tune', *words_of, *words, '-o', 'html')[0]
    pictures = page.count('<svg')
    check(pictures == (designs is found['designs']) and page.count('<circle') == len(designs) * (pictures - page.count('aria-label="cost by day"')), f'{pictures} pictures: {page.count("<circle")} dots')
    check(len(re.findall('<tr><td>design', page)) == sum(d['onFront'] or not d['design'] for d in designs) and '(best)' in page, 'rows')
    check('<script' not in page and 'http' not in page.replace('http-equiv', ''), 'nothing runs or is loaded')
    xml.etree.ElementTree.fromstring(page[page.index('<body>'):page.index('</html>')])  # well formed
    check(page == run('tune', *words_of, *words, '-o', 'html')[0], 'the same again')
long = pathlib.Path(folder, 'days.json')
long.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'start': '2026-03-02T00:00:00Z', 'objects': [app('a', 3, '1500m')], 'steps': [{'wait': '72h'}]}))
page = run('tune', pools, '--trace', long, *words, '--axis', 'capacity-type=spot', '-o', 'html')[0]
equal((page.count('<rect'), page.count('>03-0')), (6, 3), 'bars of the input as it is and of the best, for three days')
unsafe = run('tune', save(folder, '<b>.json', pool(), *apps), *words, '--axis', 'weight=3', '-o', 'html')[0]
check('<b>.json' not in unsafe and unsafe.count('&lt;b&gt;.json') == 2, 'names')

# Interruptions that are to be expected: the hours of spot nodes times their rate, however many there were.
spots = save(folder, 'spots.json', pool(kinds=('spot',)))
for rate in (0.5, 2):
    one = document('replay', story, '--nodepools', spots, *words, '--interruptions', f'small.one={rate},small.two={rate}')['policies'][0]
    check(abs(one['expectedInterruptions'] - one['nodeHours'] * rate) < 1e-5 and one['nodeHours'] > 1, one)
    hours = one['series']['time'][-1] / 3600 - one['series']['time'][0] / 3600
    risky = document('tune', pools, '--trace', story, *words, '--axis', 'capacity-type=spot', '--interruptions', f'{rate}', '--cap', f'interruptions-per-hour={one["nodeHours"] * rate / hours - 1e-4}')
    equal([(d['interruptionsPerHour'] > 0, d['beyondCap'], d['best']) for d in risky['designs']], [(False, False, True), (True, True, False)], 'capped')
check(document('replay', story, '--nodepools', pools, *words, '--interruptions', '3')['policies'][0]['expectedInterruptions'] == 0, 'on demand')

for rows, kept in ((('x,amd64+arm64',), ['pods of the trace']), (('*,amd64+arm64',), None)):
    played = document('tune', save(folder, 'amd.json', amd), '--trace', story, '--catalogue', mixed, '--designs', '1', *images(*rows))
    equal((arch_axis(played) != [], played.get('imagesKept')), (kept is None, kept), rows)

# What a replay does not plan is missing in every cost, and each answer says so.
refused = app('b', 1, '1')
del refused['spec']['selector']
partly = pathlib.Path(folder, 'partly.json')
partly.write_text(json.dumps({**json.loads(story.read_text()), 'objects': [app('a', 0, '1500m'), refused]}))
lacks = document('tune', pools, '--trace', partly, *words, *times)['replayProblems']
equal(lacks, document('replay', partly, '--nodepools', pools, *words)['problems'], 'the problems of the replay')
check(len(lacks) == 1 and 'Deployment b' in lacks[0] and 'replayProblems' not in replayed, lacks)
for form, sign in (('text', '\nINCOMPLETE: '), ('yaml', '\n# INCOMPLETE: ')):
    out = run('tune', pools, '--trace', partly, *words, *times, '-o', form)[0]
    check(f'{sign}Deployment b is not planned' in out, out)

# What restarts lose is part of the cost: the work of a pod, at the price of all of it.
lossy = document('tune', pools, '--trace', story, *words, *times, '--restart-loss', '30m')
for free, dear in zip(replayed['designs'], lossy['designs']):
    equal(round(dear['dollars'] - dear['restartDollars'], 6), round(free['dollars'], 6), 'the rest is the cost')
check('restartDollars' not in replayed['designs'][0], 'only if it is asked for')

check('costs include what pods lose' in run('tune', pools, '--trace', story, *words, *times, '--restart-loss', '30m')[0], 'text')
check('is for --trace FILE' in run('tune', now, *words, '--restart-loss', '30m', status=1)[1], 'settled')
check('not a duration' in run('tune', pools, '--trace', story, *words, '--restart-loss', 'long', status=1)[1], 'no duration')

# What cannot be varied is an error that says what can.
for given, said in ((('--axis', 'consolidateAfer=5m'), 'did you mean consolidateAfter?'), (('--axis', 'consolidateAfter=soon'), 'a duration such as 5m, or Never'),
                    (('--axis', 'budget=ten'), 'a percentage such as 10%'), (('--axis', 'wb:weight=3'), 'no NodePool has the name wb'), (('--axis', 'weight=3,,4'), 'an empty value'),
                    (('--axis', 'instance-family=c5+'), 'words such as'), (('--axis', 'weight'), 'expected NAME=VALUE'), (('--axis', 'limits.cpu=many'), 'a quantity, or none'),
                    (('--axis', 'weight=3', '--axis', 'web:weight=4'), 'two axes'), (('--cap', 'evictions=3'), 'removed (nodes), spot'), (('--cap', 'spot='), 'is not a cap'), (('--designs', '0'), 'from 1 to 10000'), (('--until', '2h'), 'is for --trace FILE'),
                    (('--load', '0'), 'factors above 0'), (('--load', '1,,2'), 'factors above 0'), (('--load', '2000'), 'at most 100'), (('--pick', '1'), 'is for -o yaml'), (('--pick', '50', '-o', 'yaml', '--designs', '1'), 'no design of that number')):
    out, error = run('tune', now, *words, *given, status=1)
    check(out == '' and said in error, f'{given}: {error}')
check('has no effect with --trace' in run('tune', pools, '--trace', story, '--scale', 'a=3', *words, status=1)[1], 'options of a settled search')
check('the input has no NodePool' in run('tune', save(folder, 'apps.json', *apps), *words, status=1)[1], 'no NodePool')
finish()
