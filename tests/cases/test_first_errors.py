# SPDX-License-Identifier: Apache-2.0
"""What a new user may do wrong: each answer says what to do next."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run

POOL = '''---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: std}
spec: {template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: []}}}
'''


def pod(name='web-0', spec=''):
    return f'---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{{spec}containers: [{{name: c, image: x, resources: {{requests: {{cpu: 1}}}}}}]}}\n'


def answer(*words, text=None, status=0):
    out, error = run(*words, text=text, status=status)
    return ' '.join((error if status else out).split())


DEPLOYMENT = '''---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {SPECcontainers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}
'''
SCALER = '''---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: other}, maxReplicas: 3}
'''
JOB = '''---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}
'''


def outside_the_plan():
    """A workload whose pods no plan places: one of them is explained, and no other object is taken for it."""
    def said(*words, text, status=0):
        out, error = run('explain', *words, '-', text=text, status=status)
        return ' '.join((out + error).split())
    refused = POOL.replace('requirements: []', 'requirements: [{key: karpenter.sh/nodepool, operator: Exists}]') + DEPLOYMENT.replace('SPEC', '')
    shown = said('deployment', 'web', text=refused)
    check('default/web-0 was not considered. no dynamic nodepools found NO_NODEPOOLS' in shown, shown)
    check('2 pods, of which the plan places none; shown is default/web-0' in shown, shown)
    wrong = POOL + DEPLOYMENT.replace('SPEC', 'nodeSelector: {karpenter.sh/capacity-type: Spot}, ')
    for text in (wrong, wrong + SCALER):
        shown = said('deployment', 'web', text=text)
        check('default/web-0 was not considered. node selector label karpenter.sh/capacity-type' in shown, shown)
    shown = said('deployment', 'web', text=POOL + SCALER, status=1)
    check('no pending pod of a workload of that name' in shown and 'it scales' not in shown, shown)
    cluster = pathlib.Path(__file__).parent / 'asks/dump.json'
    bound = next(i for i in json.loads(cluster.read_text())['items'] if i['kind'] == 'Pod' and i['spec'].get('nodeName')
                 and (i['metadata'].get('ownerReferences') or [{}])[0].get('kind') == 'ReplicaSet')
    space, name = bound['metadata']['namespace'], bound['metadata']['name'].rsplit('-', 2)[0]
    out, error = run('explain', 'deployment', f'{space}/{name}', cluster)
    check(' runs. ' in out and 'of which the plan places none; shown is' in error, (out, error))
    shown = said('job', 'ml/train', text=POOL + JOB, status=1)
    check('Job train: suspended (spec.suspend)' in shown and 'karp explain group ml/train' in shown, shown)


def near_names():
    check("unknown command 'pln'; did you mean karp plan?" in answer('pln', status=1), 'a command')
    check('the commands are plan, ' in answer('frobnicate', status=1), 'no command is near')
    text = POOL + pod()
    goes = answer('explain', 'pod', 'web-0', '-f', '-', text=text)
    check('default/web-0 goes to a new node' in goes, goes)
    for name in ('pod/web-0', 'pod/default/web-0', 'po/web-0'):
        equal(answer('explain', name, '-', text=text), goes, 'kubectl writes it so')
    check('no pod of that name (NAMESPACE/NAME); did you mean default/web-0?' in answer('explain', 'pod', 'web', '-', text=text, status=1), 'a workload')
    check('did you mean default/web-0?' in answer('explain', 'pod', 'wbe-0', '-', text=text, status=1), 'a misspelt pod')
    away = text.replace('name: web-0', 'name: web-0, namespace: shop')
    check('did you mean shop/web-0?' in answer('explain', 'pod', 'web', '-', text=away, status=1), 'a workload of another namespace')
    check('did you mean karp explain pod web-0?' in answer('explain', 'web-0', '-', text=text, status=1), 'a pod without its kind')
    check('did you mean web?' in answer('explain', 'deployment', 'wbe', '-', text=text, status=1), 'a misspelt workload')
    cluster = pathlib.Path(__file__).parent / 'asks/dump.json'
    for words in (['explain', 'node', 'ip-10-0-32-25', cluster], ['whatif', '--remove', 'ip-10-0-32-25', cluster]):
        check('no node has the name ip-10-0-32-25; did you mean ip-10-0-32-24?' in answer(*words, status=1), words)
    claims = [i for i in json.loads(cluster.read_text())['items'] if i['kind'] == 'NodeClaim' and i['status'].get('nodeName')]
    name, its = claims[0]['metadata']['name'], claims[0]['status']['nodeName']
    check(name != its and f' {its} ' in answer('explain', 'node', name, cluster), "a NodeClaim's name")
    for words in (['explain', 'node', 'new-1'], ['whatif', '--remove', 'new-1']):
        check('a plan would launch it: karp explain pod NAME' in answer(*words, '-f', '-', text=text, status=1), words)
    check('the input has no nodes; kubectl get nodes,nodeclaims -o json' in answer('whatif', '--remove', 'web', '-f', '-', text=text, status=1), 'no nodes')
    gated = POOL + pod(spec='schedulingGates: [{name: example.com/later}], ')
    for name in ('web-0', 'default/web-0'):
        error = answer('explain', 'pod', name, '-f', '-', text=gated, status=1)
        check('gated: Karpenter launches no node for it before its scheduling gates are removed' in error, error)
    check('karp plan reads manifests, and a story names them in files' in answer('simulate', cluster, status=1), 'no story')
    said = answer('explain', 'raycluster/train', '-', text=text, status=1)
    check('Of another workload, name one of its pods, which karp plan lists' in said, said)
    said = answer('whatif', '--lose-node', 'n1', '-f', '-', text=text, status=1)
    check('no such option; did you mean --remove?' in said, said)
    said = answer('plan', '--feature-gates', 'X=true', '-f', '-', text=text, status=1)
    check(said.rstrip().endswith('TerminateFirstRepair, ...'), said)
    empty = 'affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}, topologyKey: ""}]}}, '
    said = answer('explain', 'pod', 'web-0', '-f', '-', text=POOL + pod(spec=empty), status=1)
    check('Pod web-0 is not planned, as the API server refuses it' in said and 'topologyKey is missing (--lenient plans it)' in said, said)
    said = answer('explain', 'pod', 'web-0', '--lenient', '-f', '-', text=POOL + pod(spec=empty))
    check('topologyKey is empty' in ' '.join(said.split()) and 'the label ,' not in said, said)
    check('did you mean karp explain deployment web?' in answer('explain', 'Deployment/web', '-', text=text, status=1), 'a misspelt kind')


def zone_as_region():
    for zone, region in (('us-east-1a', 'us-east-1'), ('us-east-1-bos-1a', 'us-east-1')):
        for words in (('plan', '-f', '-'), ('catalogue',)):
            error = answer(*words, '--region', zone, text=POOL if words[0] == 'plan' else None, status=1)
            check(f'{zone} is a zone: use its region, --region {region}' in error, error)
    error = answer('catalogue', '--provider', 'gcp', '--region', 'us-central1-b', status=1)
    check('us-central1-b is a zone: use its region, --region us-central1' in error, error)
    error = answer('catalogue', '--provider', 'azure', '--region', 'eastus-1', status=1)
    check('eastus-1 is a zone: use its region, --region eastus' in error, error)


def no_pool():
    said = answer('plan', '-f', '-', '--width', '1000', text=pod())
    check('the input has no NodePool, so nothing can be launched; those of a cluster: kubectl get nodepools,ec2nodeclasses -o yaml' in said, said)
    azure = '---\napiVersion: karpenter.azure.com/v1beta1\nkind: AKSNodeClass\nmetadata: {name: default}\nspec: {}\n'
    check('kubectl get nodepools,aksnodeclasses -o yaml' in answer('plan', '-f', '-', '--width', '1000', text=azure + pod()), 'the node class of the cloud')
    check('no NodePool' not in answer('plan', '-f', '-', text=POOL + pod()), 'there is one')
    check('has no NodePool' not in answer('plan', '-f', '-', text=azure), 'no pod waits')


def duplicates():
    with tempfile.TemporaryDirectory() as folder:
        one, two = pathlib.Path(folder, 'one.yaml'), pathlib.Path(folder, 'two.yaml')
        deployment = ('apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {a: b}}, '
                      'template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}\n')
        for text, line in ((POOL, 2), (pod(), 2), (deployment, 1)):
            one.write_text(text)
            two.write_text('# second\n' + text)
            error = answer('plan', one, two, status=1)
            check(f'{two}:' in error and f'the object is in the input already: {one}:{line}' in error, error)
            check(f'use --replace {two} instead' in error, error)
            two.write_text(text + '---\n' + text)
            error = answer('plan', two, status=1)
            check(f'the object is in the input already: {two}:{line}' in error and '--replace' not in error, error)


def gated():
    gate = 'schedulingGates: [{name: example.com/wait}], '
    said = answer('plan', '-f', '-', '--width', '1000', text=POOL + pod(spec=gate))
    check('Pod default/web-0: gated: Karpenter launches no node for it before its scheduling gates are removed (example.com/wait)' in said, said)
    check('0 to launch' in said, said)
    said = answer('plan', '-f', '-', '--width', '1000', text=POOL + pod(spec=gate) + pod('web-1', spec=gate) + pod('free'))
    check('Pod default/web-0 and 1 more: gated' in said and '1 to launch' in said, said)
    check('gated' not in answer('plan', '-f', '-', text=POOL + pod(spec=gate + 'nodeName: n1, ')), 'it has a node')
    check('scheduling gates' in answer('explain', 'pod', 'web-0', '-', text=POOL + pod(spec=gate), status=1), 'explain')


HELM = '; this is a template of Helm, not rendered: helm template CHART | karp plan -f -'
LIST_BODIES = "jq -r '.. | .yaml_body? // empty | \"---\", .'"


def foreign():
    """Texts of other programs: the answer names the command that makes objects of them."""
    template = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ include "web.name" . }}\n'
    whole = '{{- if .Values.web }}\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\n{{- end }}\n'
    quoted = 'apiVersion: v1\nkind: Pod\nmetadata: {name: "{{ .Release.Name }}-web"}\nspec: {containers: [{name: c, image: x}]}\n'
    alert = ('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: alerts}\ndata: {text: "{{ if .Alerts }}{{ $labels.pod }}{{ end }}"}\n---\n'
             'apiVersion: v1\nkind: Pod\nmetadata: {name: Wrong}\nspec: {containers: [{name: c, image: x}]}\n')
    # The braces are looked for in many bytes at once.
    cases = (('a.yaml', template, HELM), ('a.yaml', whole, HELM), ('a.yaml', quoted, HELM),
             *(('a.yaml', f'#{"x" * n}\n{whole}', HELM) for n in (60, 61, 62, 125)),
             ('Chart.yaml', 'apiVersion: v2\nname: web\nversion: 1.0.0\n', '; this is a chart of Helm: helm template FOLDER | karp plan -f -'),
             ('kustomization.yaml', 'resources: [a.yaml]\n', '; this is a kustomization, whose changes are not applied: kubectl kustomize FOLDER | karp plan -f -'),
             ('x.yaml', 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n', 'kubectl kustomize FOLDER | karp plan -f -'),
             ('main.tf', 'resource "kubectl_manifest" "pool" {\n  yaml_body = <<-Y\n    kind: NodePool\n  Y\n}\n',
              f'; this is a configuration of Terraform: terraform show -json | {LIST_BODIES} | karp plan -f -'),
             ('plan.json', '{"format_version": "1.2", "terraform_version": "1.9.0"}', f'{LIST_BODIES} FOLDER/plan.json | karp plan -f -'),
             ('a.json5', "// a pod\n{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'a',},\n}\n", 'JSON5 or JSON with comments: npx json5 FOLDER/a.json5 | karp plan -f -'),
             ('a.json', '{\n // a pod\n "kind": "Pod"}\n', 'JSON5 or JSON with comments'),
             ('a.json', "{kind: 'Pod'}\n", 'JSON5 or JSON with comments'),
             ('values.yaml', 'replicas: 1\n', 'kind: is missing: this is not a Kubernetes object (--skip-unknown leaves it out)'),
             ('list.yaml', '- 1\n', 'a document must be an object (--skip-unknown leaves it out)'))
    for name, text, wanted in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.write_text(text)
            error = answer('plan', path, status=1)
            check(error.count('; this is ') <= 1 and wanted.replace('FOLDER', folder) in error, f'{name}: {error}')
            said = answer('plan', path, '--skip-unknown', '--width', '1000')
            check(f'{path}:' in said and ': left out: ' in said, f'{name}: {said}')
    check('Helm' not in answer('plan', '-f', '-', text=alert, status=1), "templates of other programs are objects' texts")
    later = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n---\n'
    for text in (template, 'kind: Secret\nstringData:\n  t: {{TOKEN}}\n'):
        check(HELM in answer('plan', '-f', '-', text=later + text, status=1), 'after objects that can be read')
    unclosed = 'kind: Secret\nstringData: {t: "{{TOKEN}}"}\nmetadata: {name: [}\n'
    check('Helm' not in answer('plan', '-f', '-', text=later + unclosed, status=1), 'an error in another line')
    check('JSON5' not in answer('plan', '-f', '-', text='{"kind": ', status=1), 'JSON that ends early')


def skipping():
    """--skip-unknown lists what it leaves out."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (('a.yaml', POOL + pod()), ('b.yaml', '{{ .Values.x }}\n'), ('package.json', '{"name": "web"}'),
                           ('two.yaml', 'replicas: 1\n' + pod('web-1'))):
            pathlib.Path(folder, name).write_text(text)
        check('b.yaml:' in answer('plan', folder, status=1), 'without it, it stops')
        said = answer('plan', folder, '--skip-unknown', '--width', '1000')
        check('2 of 2 pods placed' in said, said)
        for note in ('b.yaml:2: left out: a template of Helm, not rendered', 'package.json:1: left out: this is not a Kubernetes object',
                     'two.yaml:1: left out: this is not a Kubernetes object'):
            check(f'{folder}/{note}' in said, f'{note}: {said}')
        equal(said.count('left out'), 3, 'all of them')
        pathlib.Path(folder, 'c.yaml').write_text(pod('web-2') + '---\na: {{ b }}\n')
        check('c.yaml:' in answer('plan', folder, '--skip-unknown', status=1), 'a part of a file is not left out')
    with tempfile.TemporaryDirectory() as folder:
        values = pod('web-0').replace('web-0', '"{{ .Release.Name }}-web"')
        rules = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {chart: "{{ .Values.x }}"}\n'
        for name, text in (('broken.yaml', pod('bad').replace('{', '{[', 1)), ('chart.yaml', values), ('pool.yaml', POOL), ('rules.yaml', rules)):
            pathlib.Path(folder, name).write_text(text)
        told = json.loads(answer('plan', folder, '--skip-unknown', '-o', 'json'))
        broken, chart = told['problems']
        check(broken.startswith(f'{folder}/broken.yaml:') and 'left out: this cannot be parsed: not YAML: ' in broken, broken)
        check(chart.startswith(f'{folder}/chart.yaml:') and 'is of a template of Helm, not rendered: helm template CHART' in chart, chart)
        answer('plan', folder, '--skip-unknown', '--fail-on', 'unschedulable', status=3)
    for wrong in ('apiVersion: karp/v1\nkind: Snapshot\nobjects: [5]\n', 'apiVersion: karp/v1\nkind: Snapshot\nstate: {method: Guess}\n',
                  'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\n' * 2):
        answer('plan', '-f', '-', '--skip-unknown', text=wrong, status=1)


# Objects with a wrong value, and what is said of it.
WRONG = [
    ("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: 5}\n", 'Pod p: spec.containers: must be a list'),
    ("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: -3, selector: {}, template: {spec: {containers: [{name: c, image: x}]}}}\n",
     'Deployment d: spec.replicas: must be between 0 and'),
    (pod('q').replace('cpu: 1', 'cpu: 1X').lstrip('-'), 'Pod q: spec.containers[0].resources.requests.cpu: "1X" is not a quantity'),
    (pod('Upper_Case').lstrip('-'), 'Pod Upper_Case: metadata.name: a name is a DNS subdomain'),
    ("apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: other}\nspec: {role: r, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}], amiFamily: 5}\n", 'EC2NodeClass other: spec.amiFamily: '),
    ("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1, selector: 5}\n", 'PodDisruptionBudget b: spec.selector: '),
]


def wrong_values():
    """One wrong value does not stop the whole input with --skip-unknown, and no gate passes."""
    text = '---\n'.join(one.lstrip('\n') for one, _ in WRONG) + POOL + pod()
    chart = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {chart: "{{ .Values.x }}"}\n---\n'
    check('Helm' not in answer('plan', '-f', '-', text=chart + WRONG[1][0], status=1), 'the template is another object')
    check('--skip-unknown leaves it out' in answer('plan', '-f', '-', text=text, status=1), 'the hint')
    told = json.loads(answer('plan', '-f', '-', '--skip-unknown', '-o', 'json', text=text))
    equal(len(told['problems']), len(WRONG), str(told['problems']))
    for _, wanted in WRONG:
        check(any(f'left out: {wanted}' in one for one in told['problems']), f'{wanted}: {told["problems"]}')
    equal([launch['pods'] for launch in told['launches']], [['default/web-0']], 'the others are planned')
    answer('plan', '-f', '-', '--skip-unknown', '--fail-on', 'unschedulable', text=text, status=3)


def storage():
    """A StorageClass or claim that manifests name and the input lacks."""
    claims = '{metadata: {name: data}, spec: {storageClassName: CLASS, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}'
    of_set = ('---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec: {replicas: 2, podManagementPolicy: Parallel, serviceName: db, selector: {matchLabels: {a: b}}, '
              'template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}}, '
              f'volumeClaimTemplates: [{claims}]}}\n')
    named = pod(spec='volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], ')
    storage_class = '---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: other}\nprovisioner: x\nvolumeBindingMode: WaitForFirstConsumer\n'
    start, end = 'the input has no StorageClass: ', ' (--strict-storage assumes nothing)'
    for text, wanted, count in ((of_set.replace('CLASS', 'gp3'), 'gp3 is assumed to wait for its first consumer, in any zone', 2),
                                (of_set.replace('storageClassName: CLASS, ', ''), 'default is assumed to wait for its first consumer, in any zone', 2),
                                (named, 'default is assumed to wait for its first consumer, in any zone, PersistentVolumeClaim default/data too', 1)):
        said = answer('plan', '-f', '-', '--width', '1000', text=POOL + text)
        check(start + wanted + end in said and f'{count} of {count} pod' in said, said)
        equal(said.count('no StorageClass'), 1, 'one note')
        for refused in (answer('plan', '-f', '-', '--strict-storage', '--width', '1000', text=POOL + text),
                        answer('plan', '-f', '-', '--width', '1000', text=POOL + storage_class + text)):
            check('no StorageClass' not in refused and f'{count} not considered' in refused, refused)
    said = answer('plan', '-f', '-', '--width', '1000', text=POOL + of_set.replace('CLASS', '""'))
    check('names no storage class' in said and 'no StorageClass' not in said, 'volumes without a class are not created')
    check('no StorageClass' not in answer('plan', '-f', '-', text=POOL + pod()), 'no claim')
    bound = ('---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {volumeName: v, storageClassName: gp3}\nstatus: {phase: Bound}\n---\n'
             'apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: {storageClassName: gp3}\n')
    said = answer('plan', '-f', '-', '--width', '1000', text=POOL + bound + named)
    check('persistent volume claim data has a volumeName but not the annotation pv.kubernetes.io/bind-completed' in said, said)


def zones_of_the_class():
    zones = '{key: topology.kubernetes.io/zone, operator: In, values: [ZONES]}'
    own = POOL.replace('requirements: []', f'requirements: [{zones}]')
    node_class = ('---\napiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: default}\nspec: {amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}\n'
                  'status: {subnets: [{id: a, zone: us-west-2a}, {id: b, zone: us-west-2b}, {id: c, zone: us-west-2b}], conditions: [{type: Ready, status: "True"}]}\n')
    for listed, lacking in (('us-west-2b, us-west-2c', 'us-west-2c'), ('us-west-2c, us-west-2d', 'us-west-2c, us-west-2d'), ('us-west-2a', '')):
        said = answer('plan', '-f', '-', '--width', '1000', text=own.replace('ZONES', listed) + node_class + pod())
        note = (f'NodePool std: launches nothing in {lacking}: the subnets of EC2NodeClass default are in us-west-2a, us-west-2b; '
                'remove the zones from the NodePool or select subnets there, as topology spreads count them as domains without pods')
        equal(note in said, bool(lacking), f'{listed}: {said}')
    check('launches nothing' not in answer('plan', '-f', '-', text=own.replace('ZONES', 'us-west-2c') + pod()), 'the class is unknown')


for step in (near_names, outside_the_plan, zone_as_region, no_pool, duplicates, gated, foreign, skipping, wrong_values, storage, zones_of_the_class):
    step()
sys.exit(finish())
