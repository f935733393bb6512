# SPDX-License-Identifier: Apache-2.0
"""How drifted nodes are replaced: how many at a time, until when and at which cost, the same in every command."""
import json
import pathlib
import tempfile

import situations
from stories import check, equal, finish, run, types_of


def pool(kind, budget, **more):
    wanted = {'karpenter.sh/capacity-type': 'on-demand', 'topology.kubernetes.io/zone': 'us-west-2a', 'node.kubernetes.io/instance-type': kind}
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
        'template': {'spec': {
            'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'},
            'requirements': [{'key': key, 'operator': 'In', 'values': [value]} for key, value in wanted.items()]}},
        'disruption': {'consolidateAfter': 'Never', 'budgets': [{'nodes': budget}]}, **more}}


CLASS = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'},
         'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}], 'role': 'r'}}


def web(replicas):
    return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'}, 'spec': {
        'replicas': replicas, 'selector': {'matchLabels': {'app': 'web'}},
        'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}}}}


def write(name, content):
    path = pathlib.Path(folder, name)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def story(*steps, replicas=4):
    return write('story.yaml', {'apiVersion': 'karp/v1', 'kind': 'Story', 'region': 'us-west-2', 'steps': list(steps),
                                'objects': [pool('m6i.large', '10%'), CLASS, web(replicas)]})


def cluster(replicas=4):
    """A cluster of so many nodes, each with a pod, ten minutes old: the first pod on the first node and so on. Otherwise the pod of a node that
    drifts may take the place that is being launched for another one, and its command waits for that, as Karpenter's would."""
    words = ('--scheduler', 'simple', '--dump-at', '10m')
    return write(f'cluster-{replicas}.json', run('replay', story({'wait': '20m'}, replicas=replicas), *TYPES, *words)[0])


def course(verb, *words):
    return json.loads(run(verb, *words, '-o', 'json')[0])


def number(value):
    return round(float(value), 6)


def figures(found):
    cost = {k: number(v) for k, v in found['cost'].items()}
    return (found['nodes'], found['left'], found['atOnce'], found['seconds'], cost['before'], cost['during'], cost['after'])


M6I, M7I = 0.096, 0.1008


def every_command():
    dump = cluster()
    for budget, at_once in (('1', 1), ('2', 2), ('3', 3), ('100%', 4), ('10%', 1)):
        new = write('new.json', pool('m7i.large', budget))
        waves = -(-4 // at_once)
        most = max((4 - w * at_once) * M6I + w * at_once * M7I + min(at_once, 4 - w * at_once) * M7I for w in range(waves))
        wanted = (4, 0, at_once, waves * 60, number(4 * M6I), number(most), number(4 * M7I))
        for verb, words in (('plan', ['--settle']), ('disrupt', []), ('whatif', []), ('explain', ['node', 'default-2'])):
            equal(figures(course(verb, *words, dump, '--replace', new)['driftCourse']), wanted, f'{verb} {words}, budget {budget}')
        settled = course('plan', '--settle', dump, '--replace', new)['rounds']
        equal([sum(r['time'] == t for r in settled) for t in sorted({r['time'] for r in settled})],
              [min(at_once, 4 - w * at_once) for w in range(waves)], f'commands that begin together, budget {budget}')
        sides = json.loads(run('diff', '-o', 'json', dump, '--', '--replace', new)[0])['designs']
        equal(([figures(s['driftCourse']) for s in sides if 'driftCourse' in s], len(sides)), ([wanted], 2), f'diff, budget {budget}')
        told = json.loads(run('whatif', dump, '--design', new, '-o', 'json')[0])['designs']
        equal([figures(s['driftCourse']) for s in told if 'driftCourse' in s], [wanted], f'whatif --design, budget {budget}')
        # A story's passes follow each other at once, as Karpenter's; a replay has its own times.
        steps = [{'wait': '10m'}, {'replace': pool('m7i.large', budget)}, {'wait': '20m'}]
        played = course('simulate', story(*steps), *TYPES)['totals']['driftCourse']
        equal(figures(played), wanted, f'simulate, budget {budget}')
        again = course('replay', story(*steps), *TYPES, '--scheduler', 'simple')['policies'][0]['driftCourse']
        equal((again['nodes'], again['left'], again['atOnce'], number(again['cost']['before']), number(again['cost']['after'])),
              (4, 0, at_once, number(4 * M6I), number(4 * M7I)), f'replay, budget {budget}')
        check(number(again['cost']['during']) > number(4 * M6I) and again['seconds'] >= 60 * waves, again)


def gates():
    """Costs are judged, added up and compared after the nodes have been replaced."""
    dump = cluster()
    new = write('new.json', pool('m7i.large', '1'))
    base = folder + '/base.json'
    pathlib.Path(base).write_text(run('plan', '-o', 'json', dump)[0])
    after, rise = number(4 * M7I), ['--fail-on', 'cost=+1%']
    plan = course('plan', dump, '--replace', new)
    equal((number(plan['cost']['after']), number(plan['settledCost']['after']), plan['settledCost']['rounds']), (number(4 * M6I), after, 4), 'plan')
    equal(figures(plan['driftCourse'])[:4], (4, 0, 1, 240), 'plan')
    for words in (['diff', dump, '--', '--replace', new], ['whatif', dump, '--design', new]):
        sides = json.loads(run(words[0], '-o', 'json', *words[1:])[0])['designs']
        equal([(number(s['cost']['perHour']), s['nodes'], s['launches'], s['instanceTypes'][0]['name']) for s in sides],
              [(number(4 * M6I), 4, 0, 'm6i.large'), (after, 4, 4, 'm7i.large')], words)
    asked = (['plan', dump, '--replace', new], ['plan', dump, '--replace', new, '--baseline', base], ['whatif', dump, '--replace', new],
             ['whatif', dump, '--replace', new, '--remove', 'default-1'], ['whatif', dump, '--design', new],
             ['diff', dump, '--', '--replace', new], ['disrupt', dump, '--replace', new])
    for verb, *words in asked:
        run(verb, *rise, *words, status=3)
        run(verb, '--fail-on', 'cost=+6%', *words)
        if verb != 'disrupt':
            run(verb, *rise, '--first-round', *words, status=3 if '--remove' in words else 0)
    # A cost that is not known does not pass.
    run('whatif', '--fail-on', 'cost=+900%', dump, '--replace', new, '--price-factor', 'spot=2', status=3)
    # A gate asks for the course of many nodes, too.
    run('plan', *rise, cluster(101), '--replace', write('new.json', pool('m7i.large', '50%')), status=3)


def words():
    dump = cluster()
    new = write('new.json', pool('m7i.large', '2'))
    said = 'Drift: 4 nodes drift, 2 at a time by budget, replaced after 2m0s: $0.384/h before, up to $0.595/h meanwhile, $0.403/h after.'
    for words in (['plan', '--settle'], ['disrupt'], ['whatif'], ['explain', 'node', 'default-1'], ['explain', 'node', 'default-3'], ['disrupt', '-o', 'markdown'],
                  ['plan', '--settle', '-o', 'markdown'], ['whatif', '-o', 'markdown']):
        shown = ' '.join(run(*words, dump, '--replace', new)[0].split())
        check(said.replace('$0.595/h', '$0.5952/h').replace('$0.403/h', '$0.4032/h') in shown, f'{words}: {shown}')
    for format in ('text', 'markdown', 'html'):
        shown = ' '.join(run('diff', '-o', format, dump, '--', '--replace', new)[0].split())
        check('Drift of B: 4 nodes drift, 2 at a time by budget' in shown and 'Drift of A' not in shown, shown)
    for verb in (['disrupt'], ['plan', '--settle'], ['whatif'], ['explain', 'node', 'default-1']):
        check('Drift:' not in run(*verb, dump)[0].replace('Drift: no', '').split('\n  Drift:')[0], f'{verb}: nothing drifts')
        check('driftCourse' not in course(verb[0], *verb[1:], dump), f'{verb}: nothing drifts, JSON')


def with_deletions():
    """What else the command line takes out of the input changes nothing for the nodes that are left."""
    dump = cluster()
    new = write('new.json', pool('m7i.large', '1'))
    for gone in ('node/default-1', 'nodeclaim/default-2', 'node/default-4'):
        found = course('disrupt', dump, '--replace', new, '--delete', gone).get('driftCourse', {})
        equal((found.get('nodes'), found.get('left')), (3, 0), gone)
    found = course('disrupt', dump, '--delete', 'node/default-1', '--replace', new).get('driftCourse', {})
    equal((found.get('nodes'), found.get('left')), (3, 0), 'the other order of options')


    # Pods that go leave their nodes, which drift all the same.
    for change, after in ((['--scale', 'web=2'], 2), (['--delete', 'replicaset/web'], 0)):
        for verb in ('disrupt', 'whatif'):
            found = course(verb, dump, '--replace', new, *change).get('driftCourse', {})
            equal((found.get('nodes'), found.get('left'), number(found['cost']['after'])), (4, 0, number(after * M7I)), f'{verb} {change}')


def with_changes():
    """whatif shows the course of the nodes that its changes leave."""
    dump = cluster()
    new = write('new.json', pool('m7i.large', '1'))
    for words in (['--remove', 'default-1'], ['--remove', 'default-1,default-3'], ['--delete', 'node/default-2', '--remove', 'default-4']):
        left = 4 - sum('default' in part for word in words for part in word.split(','))
        wanted = (left, 0, 1, 60 + left * 60)  # the pods of removed nodes get theirs first
        plan = course('whatif', dump, '--replace', new, *words)
        equal(figures(plan['driftCourse'])[:4], wanted, words)
        # The removed nodes' pods get new nodes, which are of the new type already.
        equal(number(plan['driftCourse']['cost']['after']), number(4 * M7I), words)
        check(f'{left} nodes drift, 1 at a time by budget' in ' '.join(run('whatif', dump, '--replace', new, *words)[0].split()), f'{words}: text')
    told = json.loads(run('whatif', dump, '--design', new, '--remove', 'default-1', '-o', 'json')[0])['designs']
    equal([figures(s['driftCourse'])[:4] for s in told if 'driftCourse' in s], [(3, 0, 1, 240)], 'a design')
    # Other prices or zones are not carried on to later rounds: only the number is known.
    equal(course('whatif', dump, '--replace', new, '--price-factor', 'spot=2')['driftCourse'], {'nodes': 4}, 'prices')
    check('driftCourse' not in course('whatif', dump, '--replace', new, '--remove', 'default-1,default-2,default-3,default-4'), 'no node is left')
    check('driftCourse' not in course('whatif', dump, '--remove', 'default-1'), 'nothing is replaced')


def stuck():
    """What no budget allows stays, and so does what a pod blocks."""
    dump = cluster()
    none = write('none.json', pool('m7i.large', '0'))
    found = course('disrupt', dump, '--replace', none)['driftCourse']
    equal((found['nodes'], found['left'], found['atOnce'], 'seconds' in found), (4, 4, 0, False), 'a budget of 0')
    check('4 nodes drift; none is replaced (karp explain node NAME says why)' in ' '.join(run('disrupt', dump, '--replace', none)[0].split()), 'words')
    held = json.loads(dump.read_text())
    pods = [o for o in held['objects'] if o['kind'] == 'Pod']
    pods[0]['metadata'].setdefault('annotations', {})['karpenter.sh/do-not-disrupt'] = 'true'
    path = write('held.json', held)
    found = course('disrupt', path, '--replace', write('new.json', pool('m7i.large', '100%')))['driftCourse']
    equal((found['nodes'], found['left'], found['atOnce'], found['seconds']), (4, 1, 3, 60), 'a pod that must not be disrupted')
    check('4 nodes drift; 3 are replaced at once, after 1m0s, 1 stays' in ' '.join(run('disrupt', path, '--replace', folder + '/new.json')[0].split()), 'words')


def figures_of_drift():
    """What is told of drift is of drift: nodes that only go are not replaced, limits.nodes is no budget, and nodes of pods that wait are no cost of it."""
    large, free = situations.pool(situations.term(situations.TYPE, 'm6i.large'), disruption={'consolidateAfter': 'Never', 'budgets': [{'nodes': '100%'}]}), situations.node
    nodes = [free(f'n{i}') for i in range(3)]
    drifted = [o for n in nodes for o in (n, situations.claim(n, Drifted='True'))]

    def told(*objects, more=()):
        said = situations.asked('disrupt', *more, objects=objects, output='text')
        return said[said.index('Drift: '):], situations.asked('disrupt', *more, objects=objects)['driftCourse']

    said, found = told(large, *drifted)
    check('3 nodes drift, all at once, gone after 15s' in said and 'replaced' not in said, said)
    said, _ = told(large, *drifted, *(situations.pod(f'w-{i}', f'n{i}', cpu='1500m') for i in range(3)))
    check('3 nodes drift, all at once, replaced after 1m0s' in said, said)
    fixed = situations.pool(situations.term(situations.TYPE, 'm6i.large'), replicas=3, limits={'nodes': '4'}, disruption=large['spec']['disruption'])
    said, _ = told(fixed, *drifted, more=('--feature-gates', 'StaticCapacity=true'))
    check('3 nodes drift, 1 at a time by limits.nodes, replaced after' in said, said)
    said, found = told(large, *drifted[:2], situations.pod('w-0', 'n0', cpu='1500m'), situations.pod('new-0', cpu='1500m'))
    equal({k: number(v) for k, v in found['cost'].items()}, {'before': 2 * M6I, 'during': number(3 * M6I), 'after': 2 * M6I}, 'a pod that waits')
    check('$0.192/h before, up to $0.288/h meanwhile, $0.192/h after' in said, said)


def rows_of_commands():
    """A pod that cannot be evicted does not move, and nodes of pods that waited are told as such."""
    large, one = situations.pool(situations.term(situations.TYPE, 'm6i.large'), disruption={'consolidateAfter': 'Never'}), situations.node('n1')
    own = situations.claim(one, Drifted='True')
    own['spec']['terminationGracePeriod'] = '2h'
    kept = situations.pod('a-0', 'n1', annotations={'karpenter.sh/do-not-disrupt': 'true'})
    said = situations.asked('disrupt', objects=[large, one, own, kept], output='text')
    check('1 pod stays until the drain ends' in said and 'pod moves' not in said, said)
    said = situations.asked('disrupt', objects=[large, one, own, kept, situations.pod('b-0', 'n1')], output='text')
    check('1 pod moves  1 pod stays'.replace('  ', ' ') in said, said)
    for waits in ([], [situations.pod('new-0', cpu='1500m')]):
        said = situations.asked('disrupt', objects=[large, one, own, situations.pod('c-0', 'n1', cpu='1500m'), *waits], output='text')
        equal(('nodes for 1 pod that was pending included' in said, '1 pod moves' in said), (bool(waits), True), said)


def held():
    """A drain that a pod holds lasts until terminationGracePeriod is over, and the next one waits for the budget."""
    dump = cluster()
    content = json.loads(dump.read_text())
    pods = [o for o in content['objects'] if o['kind'] == 'Pod']
    pods[0]['metadata'].setdefault('annotations', {})['karpenter.sh/do-not-disrupt'] = 'true'
    for claim in (o for o in content['objects'] if o['kind'] == 'NodeClaim'):
        claim['spec']['terminationGracePeriod'] = '1h'
    path = write('held.json', content)
    for budget, waves in (('1', 4), ('100%', 1)):
        found = course('disrupt', path, '--replace', write('new.json', pool('m7i.large', budget)))['driftCourse']
        # Its pod needs a node only when it was deleted, another minute later.
        equal((found['nodes'], found['left'], found['held']), (4, 0, 1), budget)
        equal(3600 + (waves - 1) * 60 <= found['seconds'] <= 3600 + (waves + 1) * 60, True, f'budget {budget}: {found["seconds"]}')
        shown = ' '.join(run('disrupt', path, '--replace', folder + '/new.json')[0].split())
        check('gone after at most 1h' in shown and 'hold 1 of them until terminationGracePeriod is over' in shown, shown)
    plain = course('disrupt', cluster(), '--replace', folder + '/new.json')['driftCourse']
    check('held' not in plain and plain['seconds'] == 60, plain)


def seconds():
    """Times are whole seconds, as documents have them: here it begins a quarter of a second late, and a budget waits for half past."""
    new = pool('m7i.large', '1')
    new['spec']['disruption']['budgets'].append({'nodes': '0', 'schedule': '0 * * * *', 'duration': '30m'})
    shown = run('whatif', cluster(2), '--replace', write('new.json', new), '--now', '2026-01-01T00:10:00.25Z')[0]
    check('replaced after 21m59s:' in ' '.join(shown.split()), shown)


def many():
    dump = cluster(101)
    new = write('new.json', pool('m7i.large', '10%'))
    found = course('disrupt', dump, '--replace', new)['driftCourse']
    equal(found, {'nodes': 101}, 'more than are played beside another answer')
    check('101 nodes drift; karp plan --settle plays their replacement' in ' '.join(run('disrupt', dump, '--replace', new)[0].split()), 'words')
    found = course('plan', '--settle', dump, '--replace', new)['driftCourse']
    equal((found['nodes'], found['left'], found['atOnce'], found['seconds']), (101, 0, 11, 600), 'all of them')


with tempfile.TemporaryDirectory() as folder:
    TYPES = types_of(folder, 'us-west-2', 'm6i.large', 'm7i.large')
    every_command()
    gates()
    seconds()
    words()
    with_deletions()
    with_changes()
    stuck()
    held()
    figures_of_drift()
    rows_of_commands()
    many()
finish()
