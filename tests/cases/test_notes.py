# SPDX-License-Identifier: Apache-2.0
"""Never silent: what the input has and the decision does not use is noted with the reason; --fail-on makes it a failure."""
import json
import pathlib
import re
import sys
import tempfile

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
POOL, APP = ASKS / 'pool.yaml', ASKS / 'app.yaml'


def notes(verb, *arguments, words=()):
    return document(verb, *words, *[f if str(f).startswith('-') or '=' in str(f) else ASKS / f for f in arguments])['warnings']


# A pool that is not ready, in the plan and in explanations.
wanted = 'NodePool spot: not ready, so nothing is launched from it: NodeClassReady is False (SubnetsNotFound)'
equal(notes('plan', 'pool.yaml', 'pool-not-ready.yaml', 'app-wants-spot.yaml'), [wanted], 'plan')
equal(notes('explain', 'pool.yaml', 'pool-not-ready.yaml', 'app-wants-spot.yaml', words=('pod', 'inflate-0')), [wanted], 'explain')
out, _ = run('explain', 'pod', 'inflate-0', POOL, ASKS / 'pool-not-ready.yaml', ASKS / 'app-wants-spot.yaml')
check('Notes\n' in out and 'SubnetsNotFound' in out, out)
out, _ = run('explain', 'pod', 'inflate-0', POOL, ASKS / 'pool-not-ready.yaml', APP)
check('SubnetsNotFound' in out, out)

# A node of a NodePool that the catalogue has no price of is in no total.
with tempfile.TemporaryDirectory() as folder:
    strange = pathlib.Path(folder) / 'strange.json'
    strange.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'n', 'labels': {
        'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': 'zz9.large', 'topology.kubernetes.io/zone': 'us-west-2a'}}}))
    equal(notes('plan', 'pool.yaml', strange), ['1 node of a NodePool has no price in the catalogue and counts as $0 in every cost (zz9.large in zone us-west-2a, '
                                                'on-demand); --facts or --catalogue can state it'], 'a node without a price')

# A pool that validation refuses is not used.
plan = document('plan', ASKS / 'pool-restricted-label.yaml', APP)
equal((plan['launches'], len(plan['ignored'])), ([], 5), 'restricted label')
check(any('instance-categroy is restricted' in note for note in plan['warnings']), plan['warnings'])

# Values that no type has are named.
with tempfile.TemporaryDirectory() as folder:
    gone = pathlib.Path(folder) / 'gone.yaml'
    gone.write_text(POOL.read_text().replace('key: kubernetes.io/arch, operator: In, values: [amd64]',
                                             'key: node.kubernetes.io/instance-type, operator: In, values: [p3dn.8xlarge, p4d.xlarge]'))
    equal(notes('plan', gone, 'app.yaml'), ['NodePool default: no available instance type meets its requirements '
                                            '(node.kubernetes.io/instance-type In [p3dn.8xlarge, p4d.xlarge])'], 'values that no type has')

# Those of a list that has others too are named once, by every command, with what is most like them: of instance types first one of the family.
POOLS = POOL.read_text().replace('key: kubernetes.io/arch, operator: In, values: [amd64]', 'key: KEY, operator: OPERATOR, values: [VALUES]')
TYPE, ZONE, CAPACITY = 'node.kubernetes.io/instance-type', 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type'


def asking(values, key, operator):
    return POOLS.replace('KEY', key).replace('OPERATOR', operator).replace('VALUES', values)


def of_values(values, key=TYPE, operator='In', pools=1):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'some.yaml'
        text = asking(values, key, operator)
        more = [text.split('---')[0].replace('name: default}', f'name: more-{n}}}', 1) for n in range(1, pools)]
        path.write_text('\n---\n'.join([text, *more]))
        return notes('plan', path, 'app.yaml')


def absent(values, key=TYPE, meant='', pools='default'):
    return [f'NodePool {pools}: no instance type or offering has {values} as {key}' + (f'; did you mean {meant}?' if meant else '')]


check('values: [VALUES]' in POOLS, POOLS)
for wrong, meant in (('p3dn.24xlargee', 'p3dn.24xlarge'), ('p3dn.8xlarge', 'p3dn.24xlarge'), ('m5.larg', 'm5.large'), ('m5.3xlarge', 'm5.2xlarge'), ('m55.large', 'm5.large'),
                     ('c5.largr', 'c5.large'), ('mm5.large', 'm5.large'), ('qq9.gigantic', '')):
    equal(of_values(f'm5.large, {wrong}'), absent(wrong, meant=meant), wrong)
equal(of_values('us-west-2a, us-west-2x', ZONE), absent('us-west-2x', ZONE), 'no other zone is meant')
equal(of_values('us-west-2a, us-wset-2b', ZONE), absent('us-wset-2b', ZONE, 'us-west-2b'), 'a zone')
equal(of_values('on-demand, spott', CAPACITY), absent('spott', CAPACITY, 'spot'), 'a capacity type')
equal(of_values('m5.large, a1, b2, c3, d4, e5, f6'), absent('a1, b2, c3, d4 and 2 more'), 'many values')
equal(of_values('m5.large, p3dn.24xlargee', pools=3), absent('p3dn.24xlargee', pools='default and 2 more', meant='p3dn.24xlarge'), 'several pools')
equal(of_values('m5.large, qq9.x, qq9.x'), absent('qq9.x'), 'one value twice')
equal(of_values('on-demand, spot, reserved', CAPACITY), [], 'what is listed by custom')
equal(of_values('p3dn.24xlargee, p4.x', operator='NotIn'), [], 'without what is not there')
equal(of_values('a, b', 'example.com/team'), [], "a pool's own label")
with tempfile.TemporaryDirectory() as folder:
    many = pathlib.Path(folder) / 'many.yaml'
    pools = [asking(f'm5.large, qq9.x{n}', TYPE, 'In').replace('name: default}', f'name: p{n}}}', 1).split('---') for n in range(45)]
    many.write_text('\n---\n'.join([pool[0] for pool in pools] + pools[0][1:]))
    told = notes('plan', many, 'app.yaml')
    equal((len(told), told[-1]), (41, 'further values of NodePools that no instance type or offering has are not listed'), 'very many')
with tempfile.TemporaryDirectory() as folder:
    some = pathlib.Path(folder) / 'some.yaml'
    some.write_text(asking('m5.large, p3dn.24xlargee', TYPE, 'In'))
    wanted = absent('p3dn.24xlargee', meant='p3dn.24xlarge')
    snapshot = pathlib.Path(folder) / 'dump.json'
    snapshot.write_text(run('dump', some, APP)[0])
    for words in (['plan'], ['plan', '--settle'], ['disrupt'], ['blockers'], ['explain', 'pod', 'inflate-0'], ['whatif', '--scale', 'inflate=5']):
        for given in ([some, APP], [snapshot]):
            equal(document(*words, *given)['warnings'], wanted, f'{words} {given}')
        out, error = run(*words, some, APP)
        check(' '.join((out + error).split()).count(wanted[0]) == 1, f'{words}: {out}{error}')
    check('p3dn.24xlargee as ' in run('plan', some, APP, '-o', 'markdown')[0], 'markdown')
    # Replays and stories say what they do not use, too, but not what is theirs to do.
    web = APP.read_text().replace('replicas: 5', 'replicas: 0')
    typo = some.read_text().replace('spec:\n', 'spec:\n  weigth: 5\n', 1)
    static = (ASKS / 'gates-off.yaml').read_text()
    (pathlib.Path(folder) / 'all.yaml').write_text('\n---\n'.join([typo, static, web]))
    story = pathlib.Path(folder) / 'story.yaml'
    story.write_text('apiVersion: karp/v1\nkind: Story\nstart: "2026-03-02T00:00:00Z"\nfiles: [all.yaml]\nsteps:\n'
                     '- scale: {deployment: inflate, replicas: 2}\n- wait: 10m\n')
    off = ['NodeOverlay ri: not used', 'CapacityBuffer buf: not used', 'NodePool static: static (replicas: 3): pending pods do not make it larger']
    for verb in ('simulate', 'replay'):
        answer = document(verb, story)
        told = answer['warnings']
        equal([note.split(',')[0] for note in told], [wanted[0].split(',')[0]] + [note.split(',')[0] for note in off], verb)
        equal(len([note for note in answer['problems'] if 'a NodePool has no field spec.weigth: ignored; did you mean weight?' in note]), 1, f'{verb}: a field')
        check(run(verb, story)[0].endswith('\nINCOMPLETE: 1 part of the input is not understood\n'), f'{verb}: the last line')
        out = ' '.join(run(verb, story)[0].split())
        check(' Notes * ' in out and wanted[0] in out, out)
    line = next(i for i, text in enumerate((pathlib.Path(folder) / 'all.yaml').read_text().splitlines(), 1) if 'weigth' in text)
    fields = lambda verb, path: [note.split(': ')[1] for note in document(verb, path)['problems'] if 'no field' in note]
    equal(fields('simulate', story), [f'{folder}/all.yaml:{line}'], 'simulate: its file and line')
    inside = pathlib.Path(folder) / 'inside.yaml'
    inside.write_text('apiVersion: karp/v1\nkind: Story\nregion: us-west-2\nobjects:\n- {apiVersion: v1, kind: List, items: []}\n- apiVersion: karpenter.sh/v1\n  kind: NodePool\n'
                      '  metadata: {name: p}\n  spec:\n    weigth: 5\n'
                      '    template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}}\nsteps:\n- wait: 1m\n')
    equal(fields('simulate', inside), [f'{inside}:10'], 'simulate: an object in the story')
    equal(fields('replay', inside), [f'{inside}:6'], 'replay: the file and the line of the object')
    listed = pathlib.Path(folder) / 'all.json'
    listed.write_text('{"apiVersion": "v1", "kind": "List", "items": [\n{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},\n"spec": {"replicsa": 1, "template": {"spec": {"containers": []}}}}\n]}\n')
    inside.write_text(inside.read_text().replace('objects:\n', f'files: [{some}, all.json]\nobjects:\n').replace('name: p}', 'name: other}'))
    equal(fields('simulate', inside), [f'{inside}:11', f'{listed}:3'], 'simulate: several files')
    told = document('replay', story, '--feature-gates', 'StaticCapacity=true')['warnings']
    equal([note for note in told if 'static' in note], [], 'a static pool that is used')
    (pathlib.Path(folder) / 'all.yaml').write_text('\n---\n'.join([POOL.read_text(), web]))
    equal([document(verb, story).get('warnings') for verb in ('simulate', 'replay')], [None, None], 'nothing to say')
    found = [f['rule'] for f in document('lint', some, APP)['findings']]
    equal([rule for rule in found if rule in ('unknown-value', 'input-note')], ['unknown-value'], 'karp lint names it once')
    run('lint', some, APP, '--fail-on', 'warning', status=3)

# EKS Auto Mode.
plan = document('plan', ASKS / 'pool-auto-mode.yaml', APP)
equal(plan['launches'][0]['choice']['instanceType'][0], 'c', 'instance-category In [c]')
check(plan['warnings'][0].startswith('EKS Auto Mode: '), plan['warnings'])

# Older versions: every value that changes is named.
told = notes('plan', 'pool-v1beta1.yaml', 'app.yaml')
check(any('"WhenUnderutilized" is read as v1\'s WhenEmptyOrUnderutilized' in note for note in told), told)
check(any('"720h" is read as v1\'s spec.template.spec.expireAfter' in note for note in told), told)

# A region without types: an error with the commands that make them, for every command.
for words in (['plan'], ['explain', 'pod', 'inflate-0']):
    out, error = run(*words, ASKS / 'pool-eu-central-1.yaml', APP, status=1)
    for part in ('no instance types of aws are built in for eu-central-1', 'us-east-1, us-west-2, eu-west-1',
                 'aws ec2 describe-instance-types --region eu-central-1', '--facts types=types.json'):
        check(out == '' and part in error, f'{part}: {error}')
equal(len(document('plan', ASKS / 'pool-eu-central-1.yaml', APP, '--region', 'us-west-2')['unschedulable']), 5, '--region')

# Kinds and versions that are not read.
for name, kind in (('app-wrong-version.yaml', 'Deployment of v1'), ('app-wrong-kind.yaml', 'Deploymnet of apps/v1')):
    problem, = document('plan', POOL, ASKS / name)['problems']
    check(problem.endswith(f': {kind} is not read; did you mean Deployment of apps/v1?'), problem)
    run('plan', POOL, ASKS / name, '--fail-on', 'notes', status=3)

# Feature gates that are off, and on.
off = notes('plan', 'pool.yaml', 'gates-off.yaml')
equal(off, ['NodeOverlay ri: not used, as karp assumes that the feature gate NodeOverlay is off (its default; --feature-gates NodeOverlay=true if it is on)',
            'CapacityBuffer buf: not used, as karp assumes that the feature gate CapacityBuffer is off (its default; --feature-gates CapacityBuffer=true if it is on)',
            'NodePool static: static (replicas: 3): pending pods do not make it larger, and it is not kept at its replicas, as '
            'karp assumes that the feature gate StaticCapacity is off (its default; --feature-gates StaticCapacity=true if it is on)'], 'gates off')
stated = 'NodePool static: static (replicas: 3): pending pods do not make it larger, and it is not kept at its replicas, as the feature gate StaticCapacity is off (--feature-gates StaticCapacity=true)'
equal([n for n in notes('plan', '--feature-gates', 'StaticCapacity=false', 'pool.yaml', 'gates-off.yaml') if 'static' in n], [stated], 'no assumption where the options say it')
told = ['NodePool static: static, with 0 of its 3 nodes; whatever pods are pending, Karpenter launches 3; '
        'karp plan leaves these nodes out, karp plan --settle launches them']
equal(notes('plan', 'gates.json', 'pool.yaml', 'gates-off.yaml'), told, 'gates on in a Snapshot')
gates = 'StaticCapacity=true,CapacityBuffer=true,NodeOverlay=true'
equal(notes('plan', 'pool.yaml', 'gates-off.yaml', '--feature-gates', gates), told, 'gates on')
equal(len(document('plan', POOL, ASKS / 'gates-off.yaml', '--feature-gates', gates)['launches'][0]['pods']), 4, 'the buffer')
equal(len(notes('plan', 'gates.json', 'pool.yaml', 'gates-off.yaml', '--feature-gates', 'NodeOverlay=false')), 2, 'over a Snapshot')
dump = json.loads(run('dump', POOL, '--feature-gates', 'NodeOverlay=true')[0])
equal(dump['settings'], {'featureGates': {'NodeOverlay': True}}, 'the dump states them')
for wrong in ('Foo=true', 'NodeOverlay', 'NodeOverlay=yes', ','):
    out, error = run('plan', POOL, '--feature-gates', wrong, status=1)
    check(out == '' and 'StaticCapacity' in error, f'{wrong}: {error}')

# Nodes without a price, in the dump of a cluster.
told = notes('plan', 'dump.json')
equal([note for note in told if 'belong to no NodePool' in note],
      ['2 nodes belong to no NodePool and are not in the cost (ip-10-0-32-10.us-west-2.compute.internal, ...); '
       'by the catalogue they cost $0.192/h'], 'unmanaged nodes')

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    none = folder / 'none.yaml'
    none.write_text(APP.read_text().replace('replicas: 5', 'replicas: 0'))
    equal(notes('plan', 'pool.yaml', none), ['inflate has 0 replicas, so no pods (--scale inflate=N)'], 'no replicas')
    equal(notes('plan', 'pool.yaml', 'app.yaml', '--scale', 'inflate=0'), [], 'no advice to whoever has chosen it')
    elsewhere = folder / 'elsewhere.yaml'
    elsewhere.write_text(none.read_text().replace('metadata: {name: inflate}', 'metadata: {name: inflate, namespace: other}', 1))
    equal(notes('plan', 'pool.yaml', 'app.yaml', elsewhere, '--scale', 'default/inflate=0'),
          ['inflate has 0 replicas, so no pods (--scale inflate=N)'], 'one of the name in another namespace')
    leaving = folder / 'leaving.yaml'
    leaving.write_text((ASKS / 'pool.yaml').read_text().replace('name: default}\nspec:\n', 'name: leaving, deletionTimestamp: '
                                                                '"2026-01-01T00:00:00Z"}\nspec:\n', 1).split('---')[0])
    equal(notes('plan', 'pool.yaml', leaving, 'app.yaml'), ['NodePool leaving: it is being deleted, so nothing is launched from it'], 'leaving')

    # --fail-on, one or several, against the cost today or a plan of before.
    base = folder / 'base.json'
    base.write_text(run('plan', ASKS / 'dump.json', '-o', 'json')[0])
    for words, status in ((['cost=+5%'], 0), (['cost=+3%'], 3), (['cost=+$45'], 0), (['cost=+$44'], 3), (['cost=$1200'], 0),
                          (['cost=$1100'], 3), (['notes'], 3), (['unschedulable'], 3), (['cost=+5%,notes'], 3),
                          (['cost=+0%', '--baseline', base], 0), (['cost=+0%', '--baseline', base, '--scale', 'report=10'], 3)):
        _, error = run('plan', ASKS / 'dump.json', '--fail-on', *words, status=status)
        check(('--fail-on' in error) == (status == 3 and words != ['unschedulable']), f'{words}: {error}')
    for wrong in ('cost=10', 'cost=10%', 'cost', 'cost=+$x', '', 'all', 'notes,', 'cost=$60,00', 'cost=$,600', 'cost=$6000.5,000', 'cost=+1,5%', 'cost=$6,0000'):
        run('plan', POOL, '--fail-on', wrong, status=1)
    # Amounts are compared as they are printed, to the cent, and may have the commas that they are printed with.
    cost = run('plan', ASKS / 'dump.json', '--fail-on', 'cost=$1', status=3)[1].split('--fail-on cost: ')[1].split('/month')[0]
    check(re.fullmatch(r'\$1,[0-9]{3}\.[0-9]{2}', cost), cost)
    cent = f'{float(cost[1:].replace(",", "")) - 0.01:,.2f}'
    for words, status in ((f'cost={cost}', 0), (f'cost={cost.replace(",", "")}', 0), (f'cost=${cent}', 3), (f'cost=${cent},notes', 3), ('cost=$1,000,000,unschedulable', 3),
                          ('cost=+$1,000', 0)):
        run('plan', ASKS / 'dump.json', '--fail-on', words, status=status)
    # Options that would do nothing.
    for words, message in ((['--baseline', base], '--baseline: is what --fail-on cost=+10%'), (['--baseline', base, '--fail-on', 'notes'], '--baseline: is what'),
                           (['--no-disrupt'], '--no-disrupt: is for --settle')):
        _, error = run('plan', ASKS / 'dump.json', *words, status=1)
        check(f'karp plan: {message}' in error, error)
    run('plan', POOL, APP, '--fail-on', 'cost=+5%', '--baseline', folder / 'nowhere.json', status=1)
    run('plan', POOL, APP, '--fail-on', 'notes', status=0)
sys.exit(finish())
