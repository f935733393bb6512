# SPDX-License-Identifier: Apache-2.0
"""What people asked of karp when they tried it, one row after another: the answer that each of them wanted."""
import json
import pathlib
import tempfile

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
DUMP, POOL, APP, TIERS = ASKS / 'dump.json', ASKS / 'pool.yaml', ASKS / 'app.yaml', ASKS / 'three-tier'
NODE = 'ip-10-0-32-24.us-west-2.compute.internal'


def text(*words, status=0):
    """Standard output in one line, however it is broken."""
    return ' '.join(run(*words, status=status)[0].split())


def story(folder, files, steps, start=''):
    path = folder / 'story.yaml'
    names = [str(pathlib.Path(f).resolve()) for f in files]
    path.write_text(f'apiVersion: karp/v1\nkind: Story\nsemantics: v1\nregion: us-west-2\n{start}files: {json.dumps(names)}\n'
                    f'steps: {json.dumps(steps)}\n')
    return path


def played(path):
    return json.loads(run('simulate', path, '-o', 'json')[0])


def per_hour(simulation):
    """What the cluster costs in the end."""
    return [float(d['cost']['after']) for step in simulation['steps'] for d in step['decisions']][-1]


def limits():
    said = text('plan', ASKS / 'limits-one-round.yaml', '--fail-on', 'unschedulable')
    check('4 pods are beyond the limits of NodePools in this round' in said and 'karp plan --settle plays the rounds' in said, said)
    settled = document('plan', '--settle', ASKS / 'limits-one-round.yaml')['designs'][1]
    equal((settled['nodes'], settled['cost']['perHour']), (6, 0.408), 'limits')


def first_wait():
    waits, scales = (played(ASKS / f'{name}.yaml') for name in ('story-begins-with-wait', 'limits-story'))
    launched = [sum(e['event'] == 'launched' for step in s['steps'] for e in step['events']) for s in (waits, scales)]
    equal(launched, [6, 6], 'a story that begins with a wait')
    equal([per_hour(s) for s in (waits, scales)], [0.408, 0.408], 'its cost')


def not_ready():
    said = text('explain', 'pod', 'inflate-0', POOL, ASKS / 'pool-not-ready.yaml', ASKS / 'app-wants-spot.yaml')
    check('NodePool spot: not ready, so nothing is launched from it: NodeClassReady is False (SubnetsNotFound)' in said, said)


def edited_pool():
    pools = TIERS / 'nodepools.yaml'
    out, error = run('plan', '-f', DUMP, '-f', pools, status=1)
    check(out == '' and f'hint: use --replace {pools} instead of -f' in error, error)
    equal(document('plan', '-f', DUMP, '--replace', pools)['cost'], document('plan', DUMP)['cost'], 'pools as they were')
    with tempfile.TemporaryDirectory() as folder:
        changed = pathlib.Path(folder) / 'pools.yaml'
        changed.write_text(pools.read_text().replace('weight: 50', 'weight: 5'))
        launch, = document('plan', '-f', DUMP, '--replace', changed)['launches']
        equal(launch['nodePool'], 'on-demand', 'the pools of the file')


def workload_beside_dump():
    def pods(*words):
        plan = document('plan', DUMP, *words)
        found = [p for key in ('launches', 'placements') for n in plan[key] for p in n['pods']]
        return sorted(p for p in found if p.startswith('batch/report'))
    equal([len(pods(*words)) for words in ((), (ASKS / 'report-scaled.yaml',), ('--scale', 'batch/report=10'), ('--scale', 'report=2'))],
          [3, 10, 10, 2], 'pods of a Deployment')


def pending_blocks(folder):
    said = text('explain', 'node', NODE, DUMP, '--now', '2026-03-02T22:00:00Z')
    check('pending pod batch/report-6d4f8b9c7-' in said and 'needs a new node' in said, said)
    calm = json.loads(DUMP.read_text())
    calm['items'] = [o for o in calm['items'] if o['kind'] != 'Pod' or o['status']['phase'] != 'Pending']
    path = folder / 'calm.json'
    path.write_text(json.dumps(calm))
    check(f'Z {NODE} is removed.' in text('explain', 'node', NODE, path, '--now', '2026-03-02T22:00:00Z'), 'without pending pods')
    return path


def restricted_label():
    plan = document('plan', ASKS / 'pool-restricted-label.yaml', APP)
    equal((plan['launches'], len(plan['ignored'])), ([], 5), 'a pool that Karpenter would not use')
    check(any('instance-categroy is restricted' in note for note in plan['warnings']), plan['warnings'])


def auto_mode():
    plan = document('plan', ASKS / 'pool-auto-mode.yaml', APP)
    equal([launch['choice']['instanceType'][0] for launch in plan['launches']], ['c'], 'instance-category In [c]')
    check(plan['warnings'][0].startswith('EKS Auto Mode: '), plan['warnings'])


def beta():
    plan = document('plan', ASKS / 'pool-v1beta1.yaml', APP)
    equal(len(plan['launches']), 1, 'a pool of v1beta1')
    check(any('"WhenUnderutilized" is read as v1\'s WhenEmptyOrUnderutilized' in note for note in plan['warnings']), plan['warnings'])


def region():
    for words in (['plan'], ['explain', 'pod', 'inflate-0']):
        out, error = run(*words, ASKS / 'pool-eu-central-1.yaml', APP, status=1)
        check(out == '' and 'no instance types of aws are built in for eu-central-1' in error, error)
        check('aws ec2 describe-instance-types --region eu-central-1' in error, error)


def versions_and_kinds():
    for name, kind in (('app-wrong-version', 'Deployment of v1'), ('app-wrong-kind', 'Deploymnet of apps/v1')):
        path = ASKS / f'{name}.yaml'
        check(f'{kind} is not read; did you mean Deployment of apps/v1?' in text('plan', POOL, path), kind)
        run('plan', POOL, path, '--fail-on', 'unschedulable,notes', status=3)


def gates():
    off = text('plan', POOL, ASKS / 'gates-off.yaml')
    for gate in ('NodeOverlay', 'CapacityBuffer', 'StaticCapacity'):
        check(f'--feature-gates {gate}=true if it is on' in off, f'{gate}: {off}')
    on = text('plan', ASKS / 'gates.json', POOL, ASKS / 'gates-off.yaml')
    check('NodePool static: static, with 0 of its 3 nodes; whatever pods are pending, Karpenter launches 3' in on, on)


def story_from_dump(folder, calm):
    """It goes on from the dump's nodes, at its time, and comes to what --settle comes to."""
    told = played(story(folder, [calm], [{'wait': '10h'}]))
    gone = [e['node'] for step in told['steps'] for e in step['events'] if e['event'] == 'deleted']
    settled = document('plan', '--settle', calm)
    equal((told['steps'][0]['time'], per_hour(told)), ('2026-03-02T09:00:00Z', settled['designs'][1]['cost']['perHour']), 'a dump as a story')
    equal(sorted(gone), sorted(' '.join(r['removed'] for r in settled['rounds']).split()), 'nodes that go')
    equal((told['totals']['evictions'], told['totals']['podsPending']), (11, 0), 'evictions')
    # Without consolidation before its end: a Deployment that owns pods of the dump is scaled from where it is.
    scaled = folder / 'report.yaml'
    scaled.write_text((ASKS / 'report-scaled.yaml').read_text().replace('replicas: 10', 'replicas: 5'))
    for replicas in (0, 2, 4, 7):
        told = played(story(folder, [DUMP, scaled], [{'scale': {'deployment': 'report', 'namespace': 'batch', 'replicas': replicas}}]))
        placed = {p for d in told['steps'][0]['decisions'] if d['kind'] == 'Plan'
                  for key in ('launches', 'placements') for n in d[key] for p in n['pods'] if p.startswith('batch/')}
        equal(len(placed), replicas, f'report scaled to {replicas}')


def unmanaged():
    check('2 nodes belong to no NodePool and are not in the cost' in text('plan', DUMP), 'nodes of a node group')
    check('by the catalogue they cost $0.192/h' in text('plan', DUMP), 'what they cost')


def three_tiers(folder):
    note = 'NodePool spot: limit cpu 400, memory 1600Gi reached in this round, so that other NodePools launch for pods that it would take'
    check(f'{note}, first shop/api-13 (on-demand)' in text('plan', TIERS), 'why on-demand')
    said = text('explain', 'pod', 'shop/api-3', TIERS)
    check('spot (weight 50) limit cpu 400, memory 1600Gi reached in this round by new-15, new-16' in said, said)
    # Pods that consolidation evicts are placed anew: what is settled has all of them. A story plans pods once more when their nodes are
    # ready, launches for four of them again, and ends cheaper by the consolidation that follows.
    first, settled = document('plan', '--settle', TIERS)['designs']
    equal((first['cost']['perHour'], settled['cost']['perHour']), (8.0717, 7.1265), 'three tiers')
    equal((settled['podsLeft'], settled['cpu']['requested']), (0, 50), 'all pods are there')
    equal(per_hour(played(story(folder, sorted(TIERS.iterdir()), [{'wait': '2h'}]))), 6.559, 'as a story')
    equal(document('plan', '--settle', TIERS, '--now', '2026-01-01T00:00:00Z')['designs'][1]['cost'], settled['cost'], 'the same, with its clock stated')
    night = document('plan', '--settle', TIERS, '--scale', 'shop/frontend=8', '--scale', 'shop/api=10')['designs'][1]
    equal(night['cost']['perHour'], 6.7008, 'with the pods of the night')


def a_day():
    said = run('simulate', ASKS / 'day-story.yaml')[0].split('== totals\n')[1]
    for line in ('cost  ', 'node-hours  ', 'launches  ', 'evictions  ', 'pending p99  '):
        check(line in said, f'{line}: {said}')
    first_hour = json.loads(run('simulate', ASKS / 'day-story.yaml', '-o', 'json')[0])['steps'][2]
    equal(float(first_hour['decisions'][-1]['cost']['after']), 6.7008, 'the first hour, with the pods of the night, as if settled')
    curve = run('simulate', ASKS / 'day-story.yaml', '-o', 'csv')[0].splitlines()
    check(len(curve) > 24 and 'nodes' in curve[0], curve[:2])


with tempfile.TemporaryDirectory() as name:
    room = pathlib.Path(name)
    limits()
    first_wait()
    not_ready()
    edited_pool()
    workload_beside_dump()
    without_pending = pending_blocks(room)
    restricted_label()
    auto_mode()
    beta()
    region()
    versions_and_kinds()
    gates()
    story_from_dump(room, without_pending)
    unmanaged()
    three_tiers(room)
    a_day()
raise SystemExit(finish())
