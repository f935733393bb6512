# SPDX-License-Identifier: Apache-2.0
"""What the documentation of Kueue, LeaderWorkerSet and JobSet says about its samples, decided by karp admit and karp plan.

Each test names the page, and states in a line what it promises. The objects are small variants of the samples of kueue
ff69552, lws 060ab4d and jobset 08dfbdf.
"""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

BLOCK, RACK, HOST, GROUP = 'cloud.provider.com/topology-block', 'cloud.provider.com/topology-rack', 'kubernetes.io/hostname', 'cloud.provider.com/node-group'
KUEUE = 'kueue.x-k8s.io/'


def node(name, cpu=5, gpu=0, taints=(), **labels):
    amounts = {'cpu': str(cpu), 'memory': '64Gi', 'pods': '110', **({'nvidia.com/gpu': str(gpu)} if gpu else {})}
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': {HOST: name, **labels}}, 'spec': {'taints': list(taints)},
            'status': {'capacity': amounts, 'allocatable': amounts, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def racks(**how):
    """Two blocks with two racks each, of two nodes: racks of both blocks have the same names."""
    return [node(f'{b}-{r}-{i}', **how, **{GROUP: 'tas-group', BLOCK: b, RACK: r}) for b in ('b1', 'b2') for r in ('r1', 'r2') for i in (0, 1)]


def kueue(kind, name, spec, **metadata):
    return {'apiVersion': KUEUE + 'v1beta2', 'kind': kind, 'metadata': {'name': name, **metadata}, 'spec': spec}


def queues(flavors, resources=('cpu', 'memory', 'nvidia.com/gpu'), **spec):
    group = {'coveredResources': list(resources), 'flavors': [{'name': f, 'resources': [{'name': r, 'nominalQuota': 100} for r in resources]} for f in flavors]}
    return [kueue('ClusterQueue', 'all', {'namespaceSelector': {}, 'resourceGroups': [group], **spec}),
            kueue('LocalQueue', 'team', {'clusterQueue': 'all'}, namespace='default')]


def tas(levels=(BLOCK, RACK, HOST), **flavor):
    return [kueue('Topology', 'default', {'levels': [{'nodeLabel': l} for l in levels]}),
            kueue('ResourceFlavor', 'tas-flavor', {'nodeLabels': {GROUP: 'tas-group'}, 'topologyName': 'default', **flavor}), *queues(['tas-flavor'])]


def template(cpu=1, annotations=None, **spec):
    requests = {k: str(v) for k, v in {'cpu': cpu, 'nvidia.com/gpu': spec.pop('gpu', 0)}.items() if v}
    amounts = {'requests': requests, 'limits': {k: v for k, v in requests.items() if k != 'cpu'}}
    return {'metadata': {'annotations': {KUEUE + k: v for k, v in (annotations or {}).items()}},
            'spec': {'containers': [{'name': 'c', 'resources': amounts}], **spec}}


def managed(kind, api, name, spec, queue='team'):
    return {'apiVersion': api, 'kind': kind, 'metadata': {'name': name, **({'labels': {KUEUE + 'queue-name': queue}} if queue else {})}, 'spec': spec}


def job(name, pods, annotations=None, cpu=1, **spec):
    return managed('Job', 'batch/v1', name, {'parallelism': pods, 'completions': pods, 'completionMode': 'Indexed',
                                             'template': template(cpu, annotations, restartPolicy='Never', **spec)})


def job_set(name, *jobs, queue='team', annotations=None):
    made = managed('JobSet', 'jobset.x-k8s.io/v1alpha2', name, {'replicatedJobs': [
        {'name': n, 'replicas': r, 'template': {'spec': {'parallelism': p, 'completions': p, 'backoffLimit': 0, 'template': t}}} for n, r, p, t in jobs]}, queue)
    made['metadata']['annotations'] = annotations or {}
    return made


def leader_worker(name, replicas, size, worker, leader=None, queue='team', annotations=None, **spec):
    made = managed('LeaderWorkerSet', 'leaderworkerset.x-k8s.io/v1', name, {'replicas': replicas, **spec, 'leaderWorkerTemplate': {
        'size': size, 'workerTemplate': worker, **({'leaderTemplate': leader} if leader else {})}}, queue)
    made['metadata']['annotations'] = annotations or {}
    return made


def types(folder):
    path = folder / 'types.json'
    path.write_text(json.dumps([{'name': 'small', 'labels': {'node.kubernetes.io/instance-type': ['small'], 'kubernetes.io/os': ['linux'], 'karpenter.sh/capacity-type': ['spot', 'on-demand']},
                                 'capacity': {'cpu': '4', 'memory': '8Gi', 'pods': '20'},
                                 'offerings': [{'zone': 'a', 'capacityType': c, 'price': p, 'available': True} for c, p in (('on-demand', 1), ('spot', 0.4))]}]))
    return '--catalogue', path


def listed(folder, objects):
    path = folder / 'input.json'
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))
    return path


def admit(folder, *objects, flavours='none'):
    out = run('admit', listed(folder, objects), '-o', 'json', '--changes', '0', '--flavours', flavours)[0]
    return json.loads(out)['workloads']


def answers(folder, *objects):
    return {w['workload'].split('/')[1]: w['answer'] for w in admit(folder, *objects)}


def plan(folder, *objects):
    """On the nodes that exist: the only NodePool launches nothing."""
    none = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'none'},
            'spec': {'limits': {'cpu': '0'}, 'template': {'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': [
                {'key': k, 'operator': 'In', 'values': ['p1', 'p2', 'p3']} for k in ('rack', 'cloud.google.com/gke-nodepool')]}}}}
    objects = (none, *objects)
    return json.loads(run('plan', '-f', listed(folder, objects), *types(folder), '--profile', 'karp', '-o', 'json', status=None)[0])


def places(made):
    return {p.split('/')[-1]: row['node'] for row in made['placements'] for p in row['pods']}


def domain(name):
    return name.rsplit('-', 1)[0]


# ---- Kueue: concepts/topology_aware_scheduling, tasks/run/topology_aware_scheduling ----------------------------------------------

def required(folder):
    """"requires scheduling all pods on nodes within the same topology domain"; a rack of one block is not that of another."""
    asked = {'podset-required-topology': RACK}
    one, = admit(folder, *racks(), *tas(), job('ten', 10, asked))
    equal((one['answer'], one['domain'], {domain(n) for n in one['nodes']}), ('now', 'b1/r1', {'b1-r1'}), 'ten pods in a rack of ten CPUs')
    eleven, = admit(folder, *racks(), *tas(), job('eleven', 11, asked))
    equal((eleven['answer'], eleven['placed']), ('never', 0), 'rack r1 has twenty CPUs only if its two blocks are taken for one')
    check('10 of 11 fit' in eleven['reason'], eleven['reason'])
    in_block, = admit(folder, *racks(), *tas(), job('twenty', 20, {'podset-required-topology': BLOCK}))
    equal((in_block['answer'], in_block['domain'], {n[:2] for n in in_block['nodes']}), ('now', 'b1', {'b1'}), 'a block has twenty')
    on_host = answers(folder, *racks(), *tas(), job('five', 5, {'podset-required-topology': HOST}), job('six', 6, {'podset-required-topology': HOST}))
    equal(on_host, {'five': 'now', 'six': 'never'}, 'one node')


def preferred(folder):
    """"If the PodSet cannot fit at the highest topology level, then it gets admitted as distributed among multiple domains." """
    asked = {'podset-preferred-topology': BLOCK}
    equal(answers(folder, *racks(), *tas(), job('forty', 40, asked)), {'forty': 'now'}, 'forty pods on all blocks')
    equal(answers(folder, *racks(), *tas(), job('more', 41, asked)), {'more': 'never'}, 'there is no more room')


def unconstrained(folder):
    """"requires scheduling all pods on any nodes without topology considerations" """
    asked = {'podset-unconstrained-topology': 'true'}
    equal(answers(folder, *racks(cpu=1), *tas(), job('six', 6, asked)), {'six': 'now'}, 'six pods on nodes of one CPU')
    equal(answers(folder, *racks(cpu=1), *tas(), job('nine', 9, asked)), {'nine': 'never'}, 'and not nine')


def setup(folder):
    """Only nodes with the flavour's labels and with every level's label take part; the troubleshooting of the page."""
    asked = {'podset-required-topology': RACK}
    other = [node('other', 50, **{BLOCK: 'b9', RACK: 'r9'})]
    equal(answers(folder, *other, *tas(), job('ten', 10, asked)), {'ten': 'never'}, 'a node of another group')
    bare = [node('bare', 50, **{GROUP: 'tas-group', BLOCK: 'b9'})]
    equal(answers(folder, *bare, *tas(), job('ten', 10, {'podset-unconstrained-topology': 'true'})), {'ten': 'never'}, 'a node without the label of a level')
    one, = admit(folder, *racks(), *tas(levels=(BLOCK, HOST)), job('ten', 10, asked))
    equal((one['answer'], one['code'], 'flavor tas-flavor does not contain the requested level' in one['reason']), ('never', 'GROUP_REFUSED', True), 'a level that is none')
    plain = [kueue('ResourceFlavor', 'plain', {'nodeLabels': {GROUP: 'tas-group'}}), *queues(['plain'])]
    one, = admit(folder, *racks(), *plain, job('ten', 10, asked))
    equal((one['answer'], 'flavor plain does not support TopologyAwareScheduling' in one['reason']), ('never', True), 'a flavour without topologyName')
    both = [*tas(), kueue('ResourceFlavor', 'plain', {'nodeLabels': {GROUP: 'tas-group'}})][:2] + [kueue('ResourceFlavor', 'plain', {'nodeLabels': {GROUP: 'tas-group'}}), *queues(['tas-flavor', 'plain'])]
    one, = admit(folder, *racks(), *both, job('plain', 3), flavours='resource-flavor')
    equal([(f['resourceFlavor'], f['answer']) for f in one['flavours']], [('tas-flavor', 'never'), ('plain', 'now')], 'TAS only for those that ask for it')
    check('supports only TopologyAwareScheduling' in one['flavours'][0]['reason'], one['flavours'])


def job_sets(folder):
    """tasks/run/jobsets: same-domain, sliced and combined placement."""
    at_once = job_set('required', ('workers', 1, 4, template(1, {'podset-required-topology': RACK})))
    one, = admit(folder, *racks(cpu=2), *tas(), at_once)
    equal((one['answer'], one['pods'], one['domain']), ('now', 4, 'b1/r1'), '"Force the entire ReplicatedJob to be scheduled in a single topology domain"')
    sliced = job_set('sliced', ('workers', 1, 8, template(1, {'podset-slice-required-topology': RACK, 'podset-slice-size': '4'})))
    one, = admit(folder, *racks(cpu=2), *tas(), sliced)
    equal((one['answer'], len({domain(n) for n in one['nodes']})), ('now', 2), '"each slice must fit in a single topology domain, but different slices can be in different domains"')
    equal(answers(folder, *racks(cpu=1), *tas(), sliced), {'sliced': 'never'}, 'racks of two CPUs hold no slice of four')
    combined = job_set('combined', ('workers', 1, 8, template(1, {'podset-required-topology': BLOCK, 'podset-slice-required-topology': RACK, 'podset-slice-size': '4'})))
    one, = admit(folder, *racks(cpu=2), *tas(), combined)
    equal((one['answer'], {n[:2] for n in one['nodes']}), ('now', {'b1'}), '"the entire ReplicatedJob into a larger domain, sliced across smaller domains within that block"')
    one_rack_each = [n for n in racks(cpu=2) if n['metadata']['name'][:5] in ('b1-r1', 'b2-r1')]
    equal(answers(folder, *one_rack_each, *tas(), combined), {'combined': 'never'}, 'not across blocks')
    equal(answers(folder, *one_rack_each, *tas(), sliced), {'sliced': 'now'}, 'slices alone may be')


def leader_workers(folder):
    """tasks/run/leaderworkerset: "the topology constraints apply to each replica individually" and "Leader and all Workers are
    scheduled within the same rack"."""
    asked = {'podset-required-topology': RACK, 'podset-group-name': 'lws-group'}
    gpus = [node(f'{r}-{i}', gpu=1, taints=[{'key': 'nvidia.com/gpu', 'effect': 'NoSchedule'}], **{GROUP: 'tas-group', BLOCK: 'b1', RACK: r})
            for r in ('r1', 'r2') for i in (0, 1)]
    lws = leader_worker('nginx', 2, 3, template(0.2, asked, gpu=1), template(0.1, asked))
    tolerant = tas(tolerations=[{'key': 'nvidia.com/gpu', 'operator': 'Exists', 'effect': 'NoSchedule'}])
    got = admit(folder, *gpus, *tolerant, lws)
    equal([(w['workload'], w['kind'], w['answer'], w['pods'], {domain(n) for n in w['nodes']}) for w in got],
          [('default/nginx-0', 'Workload', 'now', 3, {'r1'}), ('default/nginx-1', 'Workload', 'now', 3, {'r2'})], 'a rack for each replica')
    equal(set(answers(folder, *gpus, *tas(), lws).values()), {'never'}, 'without the toleration of the flavour the taints keep the pods away')
    three = leader_worker('three', 1, 4, template(0.2, asked, gpu=1), template(0.1, asked))
    equal(answers(folder, *gpus, *tolerant, three), {'three-0': 'never'}, 'three GPUs are in no rack')


# ---- Kueue: concepts/resource_flavor, concepts/cluster_queue ---------------------------------------------------------------------

def flavors(folder):
    """"Kueue assigns the first flavor in the ClusterQueue's .spec.resourceGroups[*].flavors list that has enough" room; here it is
    that of nodes. The rows show them side by side."""
    spot, steady = kueue('ResourceFlavor', 'spot', {'nodeLabels': {'pool': 'spot'}}), kueue('ResourceFlavor', 'on-demand', {'nodeLabels': {'pool': 'steady'}})
    nodes = [node('s', 2, pool='spot'), node('o', 4, pool='steady'), node('x', 50)]
    q = queues(['spot', 'on-demand'])
    one, = admit(folder, *nodes, spot, steady, *q, job('two', 2), flavours='resource-flavor')
    equal((one['answer'], one['pods'], one['nodes'], [(f['resourceFlavor'], f['answer'], f['placed']) for f in one['flavours']]),
          ('now', 2, ['s'], [('spot', 'now', 2), ('on-demand', 'now', 2)]), 'the first one')
    one, = admit(folder, *nodes, spot, steady, *q, job('three', 3), flavours='resource-flavor')
    equal((one['answer'], one['nodes'], [f['answer'] for f in one['flavours']]), ('now', ['o'], ['never', 'now']), 'the next one, where the first has no room')
    check('2 of 3 fit' in one['flavours'][0]['reason'], one['flavours'])
    one, = admit(folder, *nodes, spot, steady, *q, job('five', 5))
    equal((one['answer'], one['placed']), ('never', 0), 'a pod set is on one flavour, and nodes of no flavour are not used')
    one, = admit(folder, *nodes, spot, steady, *q, job('five', 5), flavours='resource-flavor')
    check(one['reason'].startswith('ResourceFlavor spot: 2 of 5 fit') and '; ResourceFlavor on-demand: 4 of 5 fit' in one['reason'], f'why: {one["reason"]}')
    two_sets = job_set('pair', ('a', 1, 2, template(1)), ('b', 1, 4, template(1)))
    one, = admit(folder, *nodes, spot, steady, *q, two_sets)
    equal((one['answer'], one['nodes']), ('now', ['o', 's']), 'each pod set has a flavour of its own')
    got = answers(folder, *nodes, spot, steady, *q, job('a', 2), job('b', 2), job('c', 2), job('d', 2))
    equal(got, {'a': 'now', 'b': 'now', 'c': 'now', 'd': 'never'}, 'in the order of the queue')
    one, = admit(folder, *nodes, spot, steady, *q, job('pinned', 1, nodeSelector={'pool': 'steady'}), flavours='resource-flavor')
    equal(([f['answer'] for f in one['flavours']], one['nodes']), (['never', 'now'], ['o']), '"flavors that don\'t match the node affinity cannot be assigned"')
    equal(one['flavours'][0]['reason'], "flavor spot doesn't match node affinity", 'and why')


def taints(folder):
    """"the PodSpecs in the Workload should have a toleration"; "when the ResourceFlavor has also set the matching tolerations, then the
    taints are not considered"; PreferNoSchedule is ignored."""
    taint = {'key': 'spot', 'value': 'true', 'effect': 'NoSchedule'}
    nodes = [node('s', 4, taints=[taint], pool='spot')]

    def asked(flavor, **spec):
        one, = admit(folder, *nodes, kueue('ResourceFlavor', 'spot', {'nodeLabels': {'pool': 'spot'}, **flavor}), *queues(['spot']), job('j', 2, **spec))
        return one['answer'], one.get('reason', '')
    own = [{'key': 'spot', 'operator': 'Exists'}]
    equal(asked({'nodeTaints': [taint]}), ('never', 'untolerated taint spot in flavor spot'), 'a taint of the flavour')
    equal(asked({'nodeTaints': [taint]}, tolerations=own)[0], 'now', 'tolerated by the pods')
    equal(asked({'nodeTaints': [taint], 'tolerations': own})[0], 'now', 'tolerated by the flavour')
    equal(asked({'nodeTaints': [{**taint, 'effect': 'PreferNoSchedule'}], 'tolerations': own})[0], 'now', 'a preference')


def queue_states(folder):
    flavor = kueue('ResourceFlavor', 'any', {})
    for spec, why in (({'stopPolicy': 'Hold'}, 'ClusterQueue all is stopped (stopPolicy Hold)'), ({'stopPolicy': 'None'}, None)):
        one, = admit(folder, node('n'), flavor, *queues(['any'], **spec), job('j', 2))
        equal((one['answer'], one.get('reason')), ('never' if why else 'now', why), f'{spec}')
    one, = admit(folder, node('n', gpu=2), flavor, *queues(['any'], resources=('cpu',)), job('j', 2, gpu=1))
    equal(one.get('reason'), 'resource nvidia.com/gpu unavailable in ClusterQueue', 'a resource that the queue does not cover')
    one, = admit(folder, node('n'), *queues(['gone']), job('j', 2))
    equal(one.get('reason'), 'flavor gone not found', 'a flavour that is not there')
    out = json.loads(run('admit', listed(folder, [node('n'), job('j', 2)]), '-o', 'json', '--flavours', 'none')[0])
    check(any('LocalQueue team of Kueue is not in the input' in w for w in out['warnings']), f'a queue that is not in the input: {out}')
    licensed = queues(['any'], resources=('cpu',))
    licensed[0]['spec']['resourceGroups'].append({'coveredResources': ['bar.com/license'], 'flavors': [{'name': f, 'resources': []} for f in ('pool1', 'pool2')]})
    pools = [kueue('ResourceFlavor', f, {}) for f in ('pool1', 'pool2')]
    needs = job('j', 1)
    for amounts in needs['spec']['template']['spec']['containers'][0]['resources'].values():
        amounts['bar.com/license'] = '1'
    with_license = node('n')
    for amounts in ('capacity', 'allocatable'):
        with_license['status'][amounts]['bar.com/license'] = '1'
    one, = admit(folder, with_license, flavor, *pools, *licensed, needs, flavours='resource-flavor')
    equal([(f['resourceFlavor'], f['answer']) for f in one['flavours']], [('any+pool1', 'now'), ('any+pool2', 'now')], 'two resource groups')


def launches(folder):
    """A flavour of nodes that do not exist yet: what its launches cost."""
    def pool(name, kind):
        return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name}, 'spec': {'template': {
            'metadata': {'labels': {'pool': name}}, 'spec': {'nodeClassRef': {'group': 'g', 'kind': 'K', 'name': 'd'}, 'requirements': [
                {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': [kind]}]}}}}
    objects = [pool('spot', 'spot'), pool('steady', 'on-demand'), kueue('ResourceFlavor', 'dear', {'nodeLabels': {'pool': 'steady'}}),
               kueue('ResourceFlavor', 'cheap', {'nodeLabels': {'pool': 'spot'}}), *queues(['dear', 'cheap']), job('j', 3)]
    for objects, wanted in ((objects, ('launch', 1)), (objects[::-1], ('launch', 1))):
        out = json.loads(run('admit', listed(folder, objects), '-o', 'json', *types(folder), '--flavours', 'all', '--changes', '0')[0])
        one, = out['workloads']
        equal((one['answer'], one['cost']), wanted, 'the first flavour of the queue, whatever it costs')
        equal([(f['resourceFlavor'], f['launches'], f['cost']) for f in one['flavours'] if 'resourceFlavor' in f], [('dear', 1, 1), ('cheap', 1, 0.4)], 'side by side')
        check(any(f.get('nodePool') == 'spot' for f in one['flavours']), 'and the NodePools')
    text = run('admit', listed(folder, objects), *types(folder), '--changes', '0')[0]
    check(any(l.split()[:4] == ['ResourceFlavor', 'cheap', 'launch', '3'] for l in text.splitlines()), text)


# ---- LeaderWorkerSet: concepts, examples/sample ----------------------------------------------------------------------------------

def exclusive_sets(folder):
    """concepts: "defines a 1:1 LWS replica to topology placement"."""
    pools = [node(f'{p}-{i}', 4, **{'rack': p}) for p in ('p1', 'p2', 'p3') for i in (0, 1)]
    made = plan(folder, *pools, leader_worker('set', 3, 4, template(1), queue=None, annotations={'leaderworkerset.sigs.k8s.io/exclusive-topology': 'rack'}))
    by_group = {}
    for pod, at in places(made).items():
        by_group.setdefault(pod.split('-')[1], set()).add(domain(at))
    equal(sorted(len(v) for v in by_group.values()), [1, 1, 1], 'all of a replica in one')
    equal(len(set.union(*by_group.values())), 3, 'and each in one of its own')
    made = plan(folder, *pools[:4], leader_worker('set', 3, 4, template(1), queue=None, annotations={'leaderworkerset.sigs.k8s.io/exclusive-topology': 'rack'}))
    equal(len(places(made)), 8, 'a third replica has no domain of its own')


def volcano_sets(folder):
    """gang-scheduling/README: LeaderCreated: "All pods in the replica must be scheduled together"; LeaderReady: "the leader pod can be
    scheduled immediately"."""
    worker = template(1, schedulerName='volcano')
    made = plan(folder, node('n', 6), leader_worker('gang', 2, 4, worker, queue=None))
    equal((len(places(made)), {g['group']: (g['starts'], g['minCount']) for g in made['groups']}),
          (4, {'default/gang-0': (True, 4), 'default/gang-1': (False, 4)}), 'the second replica does not fit as a whole')
    made = plan(folder, node('n', 6), leader_worker('gang', 2, 4, worker, queue=None, startupPolicy='LeaderReady'))
    equal((len(places(made)), {g['minCount'] for g in made['groups']}), (6, {1}), 'leaders may go ahead')
    check(any('PodGroup of Volcano' in w for w in made['warnings']), f'what that assumes: {made["warnings"]}')


# ---- JobSet: concepts, workload-aware-scheduling ---------------------------------------------------------------------------------

def exclusive_jobs(folder):
    """"all the pods belonging to a child job will be colocated in the same topology domain, while pods from other jobs will not be
    allowed to run within this domain"."""
    key = 'cloud.google.com/gke-nodepool'
    pools = [node(f'{p}-{i}', 3, **{key: p}) for p in ('p1', 'p2', 'p3') for i in (0, 1)]
    made = plan(folder, *pools, job_set('js', ('workers', 3, 3, template(1)), queue=None, annotations={'alpha.jobset.sigs.k8s.io/exclusive-topology': key}))
    by_job = {}
    for pod, at in places(made).items():
        by_job.setdefault(pod.rsplit('-', 1)[0], set()).add(domain(at))
    equal((len(by_job), sorted(len(v) for v in by_job.values()), len(set.union(*by_job.values()))), (3, [1, 1, 1], 3), 'one job for each pool')


def group(least, name='js-abc-workers-def', version='v1alpha2', **spec):
    return {'apiVersion': f'scheduling.k8s.io/{version}', 'kind': 'PodGroup', 'metadata': {'name': name, 'namespace': 'default'},
            'spec': {'podGroupTemplateRef': {'workload': {'workloadName': 'js-abc', 'podGroupTemplateName': 'workers'}}, 'schedulingPolicy': {'gang': {'minCount': least}}, **spec}}


def in_group(name, replicas, pods, cpu, of='js-abc-workers-def', **spec):
    return job_set(name, ('rj', replicas, pods, template(cpu, schedulingGroup={'podGroupName': of}, **spec)), queue=None)


def workload_aware(folder):
    """workload-aware-scheduling/gang_scheduling and tas, with the API of Kubernetes 1.36."""
    gang = [group(6), in_group('js', 3, 2, 4)]
    made = plan(folder, *[node(f'n{i}', 8) for i in range(3)], *gang)
    equal(len(places(made)), 6, '"all 6 pods can be placed"')
    made = plan(folder, *[node(f'n{i}', 8) for i in range(2)], node('small', 4), *gang)
    equal((len(places(made)), made['groups'][0]['starts']), (0, False), '"If the cluster cannot accommodate all pods simultaneously, none will be scheduled"')
    rack = 'topology.example.com/rack'
    constrained = [group(4, schedulingConstraints={'topology': [{'key': rack}]}), in_group('js', 2, 2, 0.5)]
    made = plan(folder, node('a', 1, **{rack: 'rack-1'}), node('b', 2, **{rack: 'rack-2'}), node('c', 1, **{rack: 'rack-1'}), node('d', 9), *constrained)
    equal((len(places(made)), made['groups'][0]['domain'] in ('rack-1', 'rack-2'), len({at in ('a', 'c') for at in places(made).values()})), (4, True, 1), '"all pods in the gang land on nodes within the same rack"')
    made = plan(folder, node('a', 1, **{rack: 'rack-1'}), node('d', 9), *constrained)
    equal(len(places(made)), 0, '"Every node that should participate must have the topology label"')


def as_one(folder):
    """workload-aware-scheduling/preemption: "disruptionMode: PodGroup: Ensures the entire gang is preempted together". A node with a part of
    such a gang is not taken away for itself."""
    classes = [{'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'PriorityClass', 'metadata': {'name': 'low-priority'}, 'value': 1000}]
    whole = group(4, priorityClassName='low-priority', disruptionMode='PodGroup')
    single = group(4, priorityClassName='low-priority', disruptionMode='Pod')
    for given, wanted in ((whole, True), (single, False), (group(4, priorityClassName='low-priority'), False)):
        made = plan(folder, node('n', 20), *classes, given, in_group('lp', 2, 2, 3, priorityClassName='low-priority'))
        equal((len(places(made)), made['groups'][0]['starts'], made.get('problems', [])), (4, True, []), f'disruptionMode {given["spec"].get("disruptionMode")}')


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for test in (required, preferred, unconstrained, setup, job_sets, leader_workers, flavors, taints, queue_states, launches,
                     exclusive_sets, volcano_sets, exclusive_jobs, workload_aware, as_one):
            test(folder)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
