# SPDX-License-Identifier: Apache-2.0
"""What somebody stumbles over who writes the input by hand: each time the program says what it makes of it."""
import json
import pathlib
import sys
import tempfile

from stories import SOURCE, check, equal, finish, run

QUICKSTART = ('-f', SOURCE / 'examples' / 'quickstart')
POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n'
POOL = '''apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: pool}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
'''


def plan(text, *more, status=0):
    """The text of a plan, without line breaks."""
    out, _ = run('plan', '-f', '-', '--width', '1000', *more, text=text, status=status)
    return out


def check_left_pods():
    """--fail-on looks at every pod that Karpenter is meant to start a node for."""
    plan(POD, '--fail-on', 'unschedulable', status=3)
    check('p  no usable NodePool in the input' in plan(POD), 'no pool')
    foreign = POD.replace('spec: {', 'spec: {nodeSelector: {karpenter.sh/nodepool: other}, ')
    plan(f'{POOL}---\n{foreign}', '--fail-on', 'unschedulable', status=3)
    no_node = 'affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: ' \
              '[{key: karpenter.sh/nodepool, operator: DoesNotExist}]}]}}}, '
    own = POD.replace('spec: {', f'spec: {{{no_node}')
    check('not run on a Karpenter' in plan(f'{POOL}---\n{own}', '--fail-on', 'unschedulable'), 'one that wants no node of Karpenter')
    plan(f'{POOL}---\n{POD}', '--fail-on', 'unschedulable')


def check_strict():
    """What --strict leaves alone is not left out without a word."""
    told = plan(f'{POOL}---\n{POD}---\n{POD.replace("{name: p}", "{name: q}")}', '--strict')
    check('Pod default/p and 1 more: they have no node and no condition PodScheduled: Karpenter does not provision for them' in told, told)
    check('Pod default/p: it has no node' in plan(f'{POOL}---\n{POD}', '--strict'), 'one pod')
    said = POD + 'status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}\n'
    check('PodScheduled' not in plan(f'{POOL}---\n{said}', '--strict'), 'it says so')


def check_unknown_fields():
    typo = POD.replace('{name: c}', '{name: c, resources: {request: {cpu: 1}, limit: {cpu: 2}}}')
    told = plan(typo)
    for word in ('request', 'limit'):
        check(f'-:4: Pod p: a Pod has no field spec.containers[0].resources.{word}: ignored; did you mean {word}s?' in told, told)
    twice = plan(typo + '---\n' + typo.replace('{name: p}', '{name: q}'))
    equal(twice.count('resources.limit'), 1, 'one note for all')
    workload = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replica: 3\n  template: {spec: {nodeselector: {a: b}, containers: []}}\n'
    told = plan(workload)
    check('-:5: Deployment d: a Deployment has no field spec.replica' in told and 'spec.template.spec.nodeselector' in told, told)
    told = plan(POOL.replace('requirements: []', 'requirement: []') + '  disruption: {consolidateafter: 1h, budgets: [{node: 1}]}\n')
    for field in ('spec.template.spec.requirement', 'spec.disruption.consolidateafter', 'spec.disruption.budgets[0].node'):
        check(f'no field {field}:' in told, f'{field}: {told}')
    # An API server has dropped such fields: what comes from one is not looked at.
    check('no field' not in plan(typo.replace('{name: p}', '{name: p, uid: u}')), 'with a uid')
    out, _ = run('plan', *QUICKSTART)
    check('no field' not in out and 'is read as' not in out, out)


# Every field there is, in the order of nothing in particular: none of them is unknown.
EVERYTHING = '''
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: space, labels: {}, annotations: {}, generateName: p-, finalizers: [], ownerReferences: []}
spec:
  volumes: []
  initContainers: [{name: i, image: x, restartPolicy: Always}]
  containers:
  - {name: c, image: x, command: [], args: [], workingDir: /, ports: [{containerPort: 80, hostPort: 80, hostIP: 1.2.3.4, protocol: TCP, name: h}],
     env: [], envFrom: [], resources: {requests: {}, limits: {}, claims: []}, resizePolicy: [], volumeMounts: [], volumeDevices: [],
     livenessProbe: {}, readinessProbe: {}, startupProbe: {}, lifecycle: {}, terminationMessagePath: x, terminationMessagePolicy: File,
     imagePullPolicy: Always, securityContext: {}, stdin: false, stdinOnce: false, tty: false}
  ephemeralContainers: []
  restartPolicy: Always
  terminationGracePeriodSeconds: 30
  activeDeadlineSeconds: 5
  dnsPolicy: ClusterFirst
  nodeSelector: {}
  serviceAccountName: x
  serviceAccount: x
  automountServiceAccountToken: true
  hostNetwork: false
  hostPID: false
  hostIPC: false
  shareProcessNamespace: false
  securityContext: {}
  imagePullSecrets: []
  hostname: h
  subdomain: s
  schedulerName: default-scheduler
  hostAliases: []
  priorityClassName: ""
  priority: 0
  dnsConfig: {}
  readinessGates: []
  runtimeClassName: x
  enableServiceLinks: true
  preemptionPolicy: Never
  overhead: {}
  setHostnameAsFQDN: false
  os: {name: linux}
  hostUsers: true
  schedulingGates: []
  resourceClaims: []
  tolerations: [{key: a, operator: Equal, value: b, effect: NoExecute, tolerationSeconds: 3}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {}, matchExpressions: [{key: a, operator: In, values: [b]}]},
     minDomains: 1, nodeAffinityPolicy: Honor, nodeTaintsPolicy: Honor, matchLabelKeys: []}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}], matchFields: []}]}
      preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}]
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: z, labelSelector: {}, namespaces: [], namespaceSelector: {}, matchLabelKeys: [], mismatchLabelKeys: []}
      preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: z, labelSelector: {}}}]
    podAntiAffinity: {}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: pool}
spec:
  weight: 1
  limits: {cpu: 1000}
  disruption: {consolidateAfter: 0s, consolidationPolicy: WhenEmpty, budgets: [{nodes: "1", reasons: [Empty], schedule: "@daily", duration: 1h}]}
  template:
    metadata: {labels: {}, annotations: {}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64], minValues: 1}]
      taints: [{key: a, value: b, effect: NoSchedule}]
      startupTaints: []
      expireAfter: 720h
      terminationGracePeriod: 1h
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b}
spec: {selector: {}, minAvailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: s}
spec: {replicas: 0, selector: {}, template: {metadata: {}, spec: {containers: []}}, volumeClaimTemplates: [], serviceName: s, podManagementPolicy: Parallel,
       updateStrategy: {}, revisionHistoryLimit: 1, minReadySeconds: 1, persistentVolumeClaimRetentionPolicy: {}, ordinals: {}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {replicas: 0, selector: {}, template: {spec: {containers: []}}, strategy: {}, minReadySeconds: 1, revisionHistoryLimit: 1, paused: true,
       progressDeadlineSeconds: 1}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec: {parallelism: 0, completions: 1, activeDeadlineSeconds: 1, podFailurePolicy: {}, successPolicy: {}, backoffLimit: 1, backoffLimitPerIndex: 1,
       maxFailedIndexes: 1, selector: {}, manualSelector: true, template: {spec: {containers: []}}, ttlSecondsAfterFinished: 1, completionMode: Indexed,
       suspend: true, podReplacementPolicy: Failed, managedBy: x}
'''


def check_all_fields():
    told = plan(EVERYTHING)
    check('no field' not in told, told)


def check_left_alone():
    """Pods that are left alone for one reason are one row; a name of another namespace and a word that is not known are told."""
    pods = '---\n'.join(f'apiVersion: v1\nkind: Pod\nmetadata: {{name: web-{i}, namespace: shop}}\nspec: {{containers: [{{name: c}}]}}\n'
                        for i in range(3))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'pods.yaml'
        path.write_text(pods)
        out, _ = run('plan', path)
        check('\n      shop/web-{0..2}  no usable NodePool in the input\n' in out, out)
        out, note = run('explain', 'pod', 'web-1', path)
        check('shop/web-1 was not considered' in out and 'web-1 is in the namespace shop' in note, out + note)
        path.write_text(pods + '---\n' + pods.replace('shop', 'other'))
        _, error = run('explain', 'pod', 'web-1', path, status=1)
        check('did you mean' in error, f'in two namespaces: {error}')
        for words, meant in ((['shop/web-1'], 'karp explain pod shop/web-1?'), (['nodepool', 'std'], 'of each NodePool why it takes the pod or not')):
            check(meant in run('explain', *words, path, status=1)[1], words)
        path.write_text(POOL + '  disruption: {consolidationPolicy: WhenUnderutilised}\n')
        _, error = run('plan', path, status=1)
        check('"WhenUnderutilised" is not one of WhenEmpty' in error.replace('WhenEmptyOrUnderutilized, ', ''), error)


def check_versions():
    told = plan(POOL.replace('/v1\n', '/v1beta1\n') + '---\napiVersion: apps/v2\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: []}}}\n')
    check('NodePool of karpenter.sh/v1beta1 is read as one of karpenter.sh/v1' in told, told)
    check('Deployment of apps/v2 is no known version: it is read as one of apps/v1' in told, told)


def check_requirement_keys():
    """A typing mistake in a domain of the provider's makes a pool that Karpenter would not use."""
    told = plan(POOL.replace('[]', '[{key: karpenter.k8s.aws/instance-famly, operator: In, values: [m5]}]'))
    check('NodePool pool: Karpenter would not use it: its requirement karpenter.k8s.aws/instance-famly is restricted' in told, told)
    for key in ('karpenter.k8s.aws/instance-family', 'example.com/team'):
        told = plan(POOL.replace('[]', f'[{{key: {key}, operator: In, values: [m5]}}]'))
        check('would not use' not in told, told)


def check_explain():
    out, _ = run('explain', 'pod', 'web-0', *QUICKSTART)
    equal(out, run('explain', 'pod', 'default/web-0', *QUICKSTART)[0], 'in the namespace default')
    for name, part in (('web-77', 'there is no pod of that name'),):
        _, error = run('explain', 'pod', name, *QUICKSTART, status=1)
        check(error.startswith(f'karp: {name}: {part}'), error)
    running, _ = run('explain', 'pod', 'kube-system/dns-0', *QUICKSTART)
    check('kube-system/dns-0 runs. If it were evicted now, it would get ' in running and 'it runs on node system' in running, running)
    ended = POD + 'status: {phase: Succeeded}\n'
    _, error = run('explain', 'pod', 'p', '-f', '-', text=ended, status=1)
    check('the pod has ended' in error, error)
    gated = POD.replace('spec: {', 'spec: {schedulingGates: [{name: g}], ')
    _, error = run('explain', 'pod', 'p', '-f', '-', text=gated, status=1)
    check('its scheduling gates are removed (g)' in error, error)


def check_header():
    """The clock and the region are shown, also where nobody named them."""
    check('  ·  catalogue aws us-west-2, prices 2026-07-20  ·  now 2026-01-01T00:00:00Z\n' in plan(POOL), 'by default')
    check('now 2026-01-01T00:00:00Z  ·  input sha256:' in plan(POOL, '--digest'), 'with the digest of the input')
    told = plan(POOL.replace('[]', '[{key: topology.kubernetes.io/zone, operator: In, values: [eu-west-1a]}]'), '--now', '2026-05-01T00:00:00Z')
    check('catalogue aws eu-west-1, prices 2025-03-02  ·  now 2026-05-01T00:00:00Z' in told, told)
    out, _ = run('plan', *QUICKSTART, '--width', '60')
    check(all(len(line) <= 60 for line in out.splitlines()[:4]), out[:300])
    for arguments in (['plan', *QUICKSTART], ['catalogue']):
        _, error = run(*arguments, '--region', 'mars-1', status=1)
        check('"mars-1"' in error and 'us-east-1' in error and 'us-west-2' in error and 'eu-west-1' in error, error)


def check_error_lines():
    """Errors stand at the line of the field."""
    template = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers: []\n'
    spread = template + '      topologySpreadConstraints:\n      - topologyKey: zone\n        maxSkew: 0\n        whenUnsatisfiable: DoNotSchedule\n'
    for text, line, part in (
            (template.replace('replicas: 1', 'replicas: -1'), 5, 'spec.replicas: must be between'),
            (spread, 11, 'maxSkew: must be between 1 and'),
            (spread.replace('        maxSkew: 0\n', ''), 10, 'maxSkew: must be at least 1'),
            (spread.replace('maxSkew: 0', 'maxSkew: 1\n        minDomains: -2'), 12, 'minDomains: must be between'),
            (POOL.replace('[]', '\n      - key: a\n        operator: Like'), 10, 'operator: is none of In')):
        _, error = run('plan', '-f', '-', text=f'# a comment\n{text}', status=1)
        check(error.startswith(f'karp: -:{line + 1}:') and part in error, f'line {line + 1}: {error}')
    stated = 'apiVersion: karp/v1\nkind: Snapshot\nobjects:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: p}\n  spec:\n' \
             '    containers:\n    - name: c\n      resources:\n        requests:\n          cpu: -5\n'
    _, error = run('plan', '-f', '-', text=stated, status=1)
    check(error.startswith('karp: -:12:') and 'requests["cpu"]' in error, error)
    _, error = run('plan', '-f', '-', text=json.dumps({'apiVersion': 'karp/v1', 'kind': 'Snapshot', 'objects': [
        {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'p'}, 'spec': {'containers': [
            {'name': 'c', 'resources': {'requests': {'a.b/c': '-5'}}}]}}]}, indent=1), status=1)
    check(error.startswith('karp: -:17:') and 'requests["a.b/c"]' in error, error)


def check_whatif():
    out, _ = run('whatif', '--lose-zone', 'us-west-2a', *QUICKSTART)
    check(out.startswith('karp whatif  quickstart'), out[:60])
    check('what if: without zone us-west-2a, which topology spread still counts as a domain' in out, out)
    check('  !   default/web-{0..5}\n      no instance type that is large enough has an offering  RESOURCES_AND_OFFERING\n' in out, 'they wait for the zone, not for ever')
    check('none is\n                    offered with topology.kubernetes.io/zone In [us-west-2a]' in out, out)
    check('ml/train-0  no instance type is large enough  TYPE_RESOURCES, permanent' in out, 'what never fits never will')
    helped, _ = run('whatif', '--help')
    check('stays a domain of topology spread' in helped, helped)
    check(run('whatif', '--price-factor', 'spot=1', *QUICKSTART)[0].startswith('karp whatif'), 'a price')


def check_other_input():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'plan.json')
        path.write_text(run('plan', *QUICKSTART, '-o', 'json')[0])
        _, error = run('verify', path, *QUICKSTART)
        check('another input' not in error, f'its own input: {error}')
        _, error = run('verify', path, *QUICKSTART, '--now', '2026-02-01T00:00:00Z')
        check('was made for a different input' in error, f'another input: {error}')
        stripped = json.loads(path.read_text())
        del stripped['input']
        path.write_text(json.dumps(stripped))
        _, error = run('verify', path, *QUICKSTART, '--now', '2026-02-01T00:00:00Z')
        check('another input' not in error, f'a plan that says nothing of its input: {error}')


def check_unknown_zone():
    elsewhere = POD.replace('spec: {', 'spec: {nodeSelector: {topology.kubernetes.io/zone: us-west-2z}, ')
    told = plan(f'{POOL}---\n{elsewhere}')
    check('; none has topology.kubernetes.io/zone In [us-west-2z], resources' in told, told)
    out, _ = run('explain', 'pod', 'p', '-f', '-', '--width', '200', text=f'{POOL}---\n{elsewhere}')
    check('none has topology.kubernetes.io/zone In [us-west-2z]' in out, out)
    check('drop the node selector topology.kubernetes.io/zone=us-west-2z' in out, out)


for part in (check_left_pods, check_strict, check_unknown_fields, check_all_fields, check_left_alone, check_versions, check_requirement_keys, check_explain,
             check_header, check_error_lines, check_whatif, check_other_input, check_unknown_zone):
    part()
sys.exit(finish())
