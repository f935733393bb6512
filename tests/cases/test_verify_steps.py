# SPDX-License-Identifier: Apache-2.0
"""karp verify of disruption and repack plans: those of karp hold, and changed ones are refused with the rule they break."""
import copy
import json
import pathlib
import sys
import tempfile

from small_clusters import catalogue, node, pod
from stories import check, equal, finish, run

def cluster(budget='100%', allowed=None):
    """Four small nodes, each with a pod of half a core and one of these two, and a large one that is nearly empty."""
    items = [{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
              'spec': {'disruption': {'consolidateAfter': '0s', 'budgets': [{'nodes': budget}]},
                       'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}}}}}]
    for n in range(4):
        items += node(f'n{n}', 'small', 2) + [pod(f'web-{n}', f'n{n}', '500m')]
    if allowed is not None:
        items.append({'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'web', 'namespace': 'default'},
                      'spec': {'maxUnavailable': allowed, 'selector': {'matchLabels': {'app': 'web'}}},
                      'status': {'disruptionsAllowed': allowed}})
    return {'apiVersion': 'v1', 'kind': 'List', 'items': items}


class World:
    """A cluster in files, and the plans of karp for it."""

    def __init__(self, folder, given):
        self.folder = pathlib.Path(folder)
        self.folder.joinpath('types.json').write_text(json.dumps(catalogue()))
        self.folder.joinpath('cluster.json').write_text(json.dumps(given))
        self.input = ('-f', self.folder / 'cluster.json', '--catalogue', self.folder / 'types.json')

    def plan(self, verb, *arguments):
        return json.loads(run(verb, *self.input, '-o', 'json', *arguments)[0])

    def findings(self, plan, *arguments):
        path = self.folder / 'plan.json'
        path.write_text(json.dumps(plan))
        good = run('verify', path, *self.input, *arguments, status=None)[0]
        return [f['code'] for f in json.loads(good)['errors']]

    def refused(self, plan, code, what):
        found = self.findings(plan)
        check(code in found, f'{what}: {found}')


def changed(plan, change):
    other = copy.deepcopy(plan)
    change(other)
    return other


def check_repack(folder):
    world = World(folder, cluster())
    plan = world.plan('repack')
    check(len(plan['steps']) > 0 and plan['costAfter'] < plan['costBefore'], str(plan['steps']))
    equal(world.findings(plan), [], 'the plan of karp')
    step = next(i for i, s in enumerate(plan['steps']) if s['placements'])

    def lose(p):
        p['steps'][step]['placements'][0]['pods'].pop()

    def cost(p):
        p['steps'][step]['costAfter'] = p['costBefore'] + 1

    def saving(p):
        p['steps'][step]['saving'] += 1

    def unknown(p):
        p['steps'][step]['nodes'][0] = 'nowhere'

    def twice(p):
        p['steps'].append(copy.deepcopy(p['steps'][step]))

    def back(p):
        p['steps'][step]['placements'][0]['node'] = p['steps'][step]['nodes'][0]

    for code, change in (('POD_MISSING', lose), ('COST', cost), ('COST', saving), ('NODE_UNKNOWN', unknown), ('NODE_UNUSABLE', twice),
                         ('NODE_UNUSABLE', back)):
        world.refused(changed(plan, change), code, change.__name__)


def check_budgets(folder):
    world = World(folder, cluster())
    steps = [{'nodes': ['n0', 'n1', 'n2'], 'launches': [], 'placements': [{'node': 'n3', 'pods': [f'default/web-{n}' for n in range(3)]}],
              'saving': 0.3, 'costAfter': 0.1}]
    plan = {'kind': 'RepackPlan', 'costBefore': 0.4, 'steps': steps}
    equal(world.findings(plan), [], 'three nodes at once')
    world = World(folder, cluster(budget='50%'))
    world.refused(plan, 'BUDGET', 'a budget of half the nodes')
    equal(world.findings(plan, '--ignore-budgets'), [], 'budgets are ignored')
    world = World(folder, cluster(allowed=2))
    equal(world.findings(plan), ['PDB'], 'three pods of two')
    kept = cluster()
    next(i for i in kept['items'] if i['kind'] == 'Node')['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
    World(folder, kept).refused(plan, 'NODE_STAYS', 'a node that says so')
    full = changed(plan, lambda p: p['steps'][0]['placements'].append({'node': 'n3', 'pods': ['default/web-0']}))
    World(folder, cluster()).refused(full, 'POD_TWICE', 'a pod in two places')


def check_buffer(folder):
    """The pods of a CapacityBuffer that fits nowhere stay pending, whatever is disrupted."""
    given = cluster()
    big = {'containers': [{'name': 'c', 'image': 'x', 'resources': {'requests': {'cpu': '64'}}}]}
    given['items'] += [{'apiVersion': 'v1', 'kind': 'PodTemplate', 'metadata': {'name': 'spare', 'namespace': 'default'}, 'template': {'spec': big}},
                       {'apiVersion': 'autoscaling.x-k8s.io/v1beta1', 'kind': 'CapacityBuffer', 'metadata': {'name': 'spare', 'namespace': 'default'},
                        'spec': {'podTemplateRef': {'name': 'spare'}, 'replicas': 2}}]
    world = World(folder, given)
    for verb, steps in (('repack', 'steps'), ('disrupt', 'commands')):
        plan = world.plan(verb, '--feature-gates', 'CapacityBuffer=true')
        check(plan[steps], f'{verb} {plan}')
        equal(world.findings(plan, '--feature-gates', 'CapacityBuffer=true'), [], verb)


def check_own_steps(folder):
    """The planner's own steps move no more pods of a PodDisruptionBudget than it allows."""
    most = {}
    for allowed in (1, 2, None):
        world = World(folder, cluster(allowed=allowed))
        plan = world.plan('repack')
        equal(world.findings(plan), [], f'{allowed} at once')
        most[allowed] = max(s['evictions'] for s in plan['steps'])
        equal(round(plan['costAfter'], 9), 0.1, f'{allowed} at once: what is left')
    check(most[1] == 1 and most[2] <= 2, str(most))


def check_chain(folder):
    """A launch of the first step takes pods of the second, whose node it replaces."""
    world = World(folder, cluster())
    launch = {'id': 'new-1', 'nodePool': 'default', 'pods': ['default/web-0', 'default/web-1'], 'instanceTypes': ['small']}
    steps = [{'nodes': ['n0', 'n1'], 'launches': [launch], 'placements': [], 'saving': 0.1, 'costAfter': 0.3},
             {'nodes': ['n2'], 'launches': [], 'placements': [{'node': 'new-1', 'pods': ['default/web-2']}], 'saving': 0.1, 'costAfter': 0.2}]
    plan = {'kind': 'RepackPlan', 'costBefore': 0.4, 'steps': steps}
    equal(world.findings(plan), [], 'a chain')
    last = changed(plan, lambda p: p['steps'].reverse())
    world.refused(last, 'NODE_UNKNOWN', 'before the launch')
    many = changed(plan, lambda p: p['steps'][1]['placements'][0]['pods'].append('default/web-9'))
    world.refused(many, 'POD_UNKNOWN', 'a pod that is not there')


def check_disruption(folder):
    world = World(folder, cluster())
    plan = world.plan('disrupt')
    check(plan['commands'] and plan['commands'][0]['method'].endswith('Consolidation'), str(plan['commands']))
    equal(world.findings(plan), [], 'the command of karp')

    def lose(p):
        command = p['commands'][0]
        (command['placements'] or command['replacements'])[0]['pods'].pop()

    world.refused(changed(plan, lose), 'POD_MISSING', 'a pod that is forgotten')
    nothing = {'kind': 'DisruptionPlan', 'commands': []}
    equal(world.findings(nothing), [], 'no command')
    path = world.folder / 'plan.json'
    path.write_text(json.dumps({'kind': 'RepackPlan', 'steps': [{'nodes': 3}]}))
    _, error = run('verify', path, *world.input, status=1)
    check('steps[0].nodes' in error, error)


for look in (check_repack, check_budgets, check_buffer, check_own_steps, check_chain, check_disruption):
    with tempfile.TemporaryDirectory() as at:
        look(at)
sys.exit(finish())
