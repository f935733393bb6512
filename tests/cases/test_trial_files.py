# SPDX-License-Identifier: Apache-2.0
"""Every manifest that was tried (tests/cases/ux) and every situation that was reported (tests/cases/reports) has its right answer here."""
import json
import os
import pathlib
import sys
import tempfile

from stories import check, document, equal, finish, run

HERE = pathlib.Path(__file__).parent
UX, REPORTS = HERE / 'ux', HERE / 'reports'
SHARED = pathlib.Path(os.environ.get('KARP_SHARED', '/nowhere'), 'trials/2026-11')
POOL = UX / 'pool.yaml'
WEST = ('--region', 'us-west-2')

# Of a file: the command, and what its text has to say, in one line. Those that are text alone are planned beside the pool of the folder.
MANIFESTS = {
    'admission': ['6 pods shop/noreq-{0..5} why pool default; cpu 6, memory 12Gi', 'shop/sandboxed-{0,1} node selector or node affinity cannot be met',
                  'label "katacontainers.io/kata-runtime" does not have known values', 'ResourceQuota shop/q refuses 5 of the 8 pods'],
    'anti-affinity-zones': ['All rounds: $0.000/h -> $0.154/h', '1 pod left', 'takes all 3 domains'],
    'helm-hooks': ['1 pod default/app-0', 'Before the release, Helm\'s hooks + pre-install, pre-upgrade: 1 pod on 1 × c6a.2xlarge',
                   'Pod app-test: a Helm hook (test), which an install does not run: left out', 'Job predel: a Helm hook (pre-delete)'],
    'hpa': ['10 pods shop/api-{0..9}', 'by minReplicas 10 of HorizontalPodAutoscaler api', 'VerticalPodAutoscaler api: recommends cpu 50m, memory 128Mi'],
    'job-completions': ['2 pods default/a-{0,1}', '2 of 2 pods placed'],
    'jobs': ['9 pods default/j1-{0..2} default/j3-1-0 default/rc-{0..2} default/rs-{0,1}', 'Job j2: suspended', 'CronJob cj: it has no pods before its time, then 4 a run'],
    'knative': ['5 pods default/hello-{0..4}', 'cpu 5125m', 'queue-proxy that requests cpu 25m by default'],
    'labels-mismatch': ['Deployment web is not planned, as the API server refuses it', 'do not have app=web of its selector', 'No pod to place', 'INCOMPLETE: 1 object'],
    'memory-512m': ['container c has memory 512m, which is 0.512 bytes; 512Mi may be meant'],
    'rc': ['3 pods default/rc-{0..2}'],
    'rollout': ['20 pods default/checkout-{0..19}'],
    'spread-typo-selector': ['Deployment web is not planned, as the API server refuses it', 'have two constraints of topology.kubernetes.io/zone', 'INCOMPLETE: 1 object'],
    'spread-zone': ['1 pod default/pinned-0', 'minDomains is 6, and the pod\'s requirements leave 1 domain'],
    'sts': ['1 pod default/db-0', 'default/db-{1,2} its StatefulSet creates it when the pod before it is ready', 'gp3 is assumed to wait for its first consumer, in any zone',
            'All rounds: $0.000/h -> $0.516/h', '0 pods left'],
}
# Files with NodePools of their own.
WHOLE = {
    'aks-nonode': (['plan'], ['catalogue azure eastus', 'Standard_D']),
    'aks': (['plan'], ['catalogue azure eastus', 'Standard_D']),
    'double-costs-nothing': (['plan'], ['$124.10/month']),
    'windows': (['plan'], ['Without licences of Windows.']),
    'zone-d-without-status': (['plan', POOL.with_name('rc.yaml')], ['us-east-1d', '3 of 3 pods placed']),
}
SITUATIONS = {
    '02-zone-label-empty': (['plan', *WEST], ['"" has the fewest pods, 0', "the empty value of a node's label", 'us-west-2a has 2, us-west-2b has 1, us-west-2c has 1']),
    '07-affinity-with-bound-volume': (['plan', *WEST], ['the pod has to join shop/front-0 in us-west-2b', 'claim shop/d-store-0 has its volume in us-west-2c']),
    '09-heavy-daemonset-small-nodes': (['plan', *WEST], ['c6i.large', 'cpu 1700m', 'DaemonSets included']),
    '11b-overlay-for-slices': (['plan', *WEST], ['NodeOverlay slices: not used, as karp assumes that the feature gate NodeOverlay is off']),
    '19-grace-period-and-do-not-disrupt': (['disrupt', *WEST], ['n0 a pod carries karpenter.sh/do-not-disrupt: shop/keep-0']),
    '20-new-requirement-drift': (['disrupt', '--replace', REPORTS / '20b-pool-after.yaml', *WEST],
                                 ['3 nodes drift, 1 at a time by budget, replaced after 3m0s', '(n0, ...: RequirementsDrifted)', 'replace, Drifted (Drift)']),
    '20b-pool-after': (['diff', REPORTS / '20-new-requirement-drift.yaml', *WEST, '--', '--replace'], ['Drift of B: 3 nodes drift, 1 at a time by budget']),
    '21-pending-pod-elsewhere': (['disrupt', *WEST], ['1 to delete, 0 to replace by SingleNodeConsolidation']),
    '23-one-replica-pdb': (['disrupt', *WEST], ['shop/pg-1 (pdb shop/pg-primary)', '1 node drifts; none is replaced']),
    '26-azure-spot-os-disk': (['plan'], ['catalogue azure eastus, prices', 'Standard_D4ds_v4 0 spot']),
    '28b-limitrange-for-pods': (['plan', *WEST], ['cpu 7500m, memory 3840Mi', '20 of 20 pods placed']),
    '28c-daemon-pod-with-defaults': (['plan', *WEST], ['m6i.4xlarge', 'cpu 8, memory 4352Mi, DaemonSets included']),
    '29-rolling-update-spread': (['plan', *WEST], ['~ na', '~ nb', '~ nc', '0 to launch, 3 nodes receive pods']),
    '31-expired-with-do-not-disrupt': (['disrupt', *WEST], ['budgets[0] allows 1 of 2 nodes; in use: old (being deleted)']),
    '33-spread-and-bound-volumes': (['plan', *WEST], ['claim shop/data-es-2 has its volume in us-west-2a', 'us-west-2a has 1, us-west-2b has 1, us-west-2c has 0']),
    '40-spot-on-demand-split': (['plan', *WEST], ['8 pods shop/mix-{0..3,5..8}', '2 pods shop/mix-{4,9}']),
    '45-gcp-without-provider': (['plan'], ['catalogue gcp us-central1', 'e2-highcpu-4 us-central1-a spot']),
    '48-budget-eaten-by-unready-node': (['disrupt', *WEST], ['budgets[0] allows 1 of 4 nodes; in use: n0 (not ready)']),
}
# Asked about in a way of their own, below.
APART = {'unrendered-helm', 'story41', 'pool'}


def says(path, command, wanted):
    words = command if command[-1] == '--replace' else [command[0], '-f']
    more = [] if command[-1] == '--replace' else [w for w in command[1:]]
    said = ' '.join(run(*words, path, *more)[0].split())
    for part in wanted:
        check(part in said, f'{path.name}: {part}: {said}')


def every_file_is_asked():
    others = (HERE / 'test_reports.py').read_text()
    for path in sorted(UX.iterdir()):
        check(path.stem in {*MANIFESTS, *WHOLE, *APART}, f'{path.name} has no answer')
    for path in sorted(REPORTS.iterdir()):
        check(path.stem in {*SITUATIONS, *APART} or f"'{path.stem}'" in others, f'{path.name} has no answer')
    # What was handed over is here; pref.yaml is the setting that --preferences replaces.
    for folder, own in (('ux', UX), ('reports', REPORTS)):
        for path in sorted(SHARED.joinpath(folder).glob('*.yaml')):
            check(own.joinpath(path.name).exists() or path.name == 'pref.yaml', f'{path.name} is not here')


def errors():
    error = run('plan', POOL, UX / 'unrendered-helm.yaml', status=1)[1]
    check('a template of Helm, not rendered: helm template CHART | karp plan -f -' in error, error)


def lenient():
    said = ' '.join(run('plan', POOL, UX / 'spread-typo-selector.yaml', '--lenient')[0].split())
    check('its selector app=spreed does not select the pod itself' in said, said)


def doubled():
    """Twice the pods cost twice as much, after all rounds."""
    pods = UX / 'double-costs-nothing.yaml'
    sides = json.loads(run('diff', pods, '-o', 'json', '--', '--scale', 'web=10')[0])['designs']
    equal([float(side['cost']['perHour']) for side in sides], [0.17, 0.34], 'settled')
    run('diff', pods, '--fail-on', 'cost=+10%', '--', '--scale', 'web=10', status=3)


def lint():
    found = {f['rule']: f['text'] for f in document('lint', POOL, UX / 'anti-affinity-zones.yaml')['findings']}
    check('4' in found['anti-affinity-cannot-hold'] and '3' in found['anti-affinity-cannot-hold'], found)
    found = {f['rule']: f['text'] for f in document('lint', POOL, UX / 'spread-zone.yaml')['findings']}
    check('the plan leaves 4 of 5 pods pending' in found['spread-cannot-hold'], found)
    check('unplanned' in {f['rule'] for f in document('lint', POOL, UX / 'labels-mismatch.yaml')['findings']}, 'what the API server refuses')


def drift_together():
    """All nodes drift, and the budget allows all: the story replaces them at the same time."""
    with tempfile.TemporaryDirectory() as folder:
        cluster = (REPORTS / '20-new-requirement-drift.yaml').read_text()
        cluster = cluster.replace('{type: Consolidatable, status: "True"}', '{type: Consolidatable, status: "True"}, {type: Drifted, status: "True", reason: NodePoolDrifted}')
        cluster = cluster.replace('spec:\n  template:\n', 'spec:\n  disruption: {consolidateAfter: Never, budgets: [{nodes: 100%}]}\n  template:\n', 1)
        pathlib.Path(folder, '41-drift-one-at-a-time.yaml').write_text(cluster)
        story = pathlib.Path(folder, 'story41.yaml')
        story.write_text((REPORTS / 'story41.yaml').read_text())
        events = [e for step in document('simulate', story, *WEST)['steps'] for e in step['events']]
        launched = [e['time'] for e in events if e['event'] == 'launched']
        equal((len(launched), len(set(launched))), (3, 1), 'three replacements at once')
        equal(len({e['time'] for e in events if e['event'] == 'deleted' and e['node'] in ('n0', 'n1', 'n2')}), 1, 'and the nodes go together')


every_file_is_asked()
for name, wanted in MANIFESTS.items():
    says(UX / f'{name}.yaml', ['plan', POOL], wanted)
for name, (command, wanted) in WHOLE.items():
    says(UX / f'{name}.yaml', command, wanted)
for name, (command, wanted) in SITUATIONS.items():
    says(REPORTS / f'{name}.yaml', command, wanted)
errors()
lenient()
doubled()
lint()
drift_together()
sys.exit(finish())
