# SPDX-License-Identifier: Apache-2.0
"""Capacity reservations have so many instances: launches of earlier rounds have taken theirs, nodes that end return them."""
import json
import pathlib
import tempfile

from stories import check, document, equal, finish, run

PRICES = [0, 0.192, 0.384, 0.576, 0.768]  # of so many m5.xlarge on demand
CLASS = '''
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: %s}
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{id: subnet-1}]
  securityGroupSelectorTerms: [{id: sg-1}]
  capacityReservationSelectorTerms: [{id: cr-0123456789abcdef0}]
status:
  subnets: [{id: subnet-1, zone: us-east-1a, zoneID: use1-az1}]
  securityGroups: [{id: sg-1}]
  amis: [{id: ami-1, name: al2023, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}]
  capacityReservations:
  - {id: cr-0123456789abcdef0, availabilityZone: us-east-1a, instanceMatchCriteria: targeted, instanceType: m5.xlarge, ownerID: "123456789012",
     reservationType: default, state: active, availableInstanceCount: %d}
  conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: Ready, message: ""}]
---
'''
POOL = '''
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %s}
spec:
  %s
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: %s}
      expireAfter: Never
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: %s}
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}
---
'''
WORKLOAD = '''
apiVersion: apps/v1
kind: %s
metadata: {name: %s}
spec:
  replicas: %d
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec:
      nodeSelector: {%s}
      containers: [{name: c, image: x, resources: {requests: {cpu: "3", memory: 1Gi}}}]
---
'''
NODE = '''
apiVersion: v1
kind: Node
metadata:
  name: held
  labels: &labels {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m5.xlarge, topology.kubernetes.io/zone: us-east-1a,
    karpenter.sh/capacity-type: reserved, karpenter.k8s.aws/capacity-reservation-id: cr-0123456789abcdef0, kubernetes.io/arch: amd64,
    kubernetes.io/os: linux, kubernetes.io/hostname: held, karpenter.sh/registered: "true", karpenter.sh/initialized: "true"}
spec: {providerID: "aws:///us-east-1a/i-1"}
status: &status
  capacity: {cpu: "4", memory: 16Gi, pods: "58"}
  allocatable: {cpu: 3920m, memory: 14Gi, pods: "58"}
  conditions: [{type: Ready, status: "True", lastTransitionTime: "2025-12-31T00:00:00Z"}]
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: held-1, creationTimestamp: "2025-12-31T00:00:00Z", %s
  labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m5.xlarge, topology.kubernetes.io/zone: us-east-1a,
    karpenter.sh/capacity-type: reserved, karpenter.k8s.aws/capacity-reservation-id: cr-0123456789abcdef0}}
spec:
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: reserved}
  requirements: []
status:
  nodeName: held
  providerID: aws:///us-east-1a/i-1
  capacity: {cpu: "4", memory: 16Gi, pods: "58"}
  allocatable: {cpu: 3920m, memory: 14Gi, pods: "58"}
  conditions:
  - {type: Launched, status: "True", lastTransitionTime: "2025-12-31T00:00:00Z"}
  - {type: Registered, status: "True", lastTransitionTime: "2025-12-31T00:00:00Z"}
  - {type: Initialized, status: "True", lastTransitionTime: "2025-12-31T00:00:00Z"}
---
'''
BOTH, ONLY = '[reserved, on-demand]', '[reserved]'
folder = pathlib.Path(tempfile.mkdtemp())


def written(*parts, name='input.yaml'):
    (folder / name).write_text(''.join(parts))
    return folder / name


def pool(name='default', node_class='reserved', types=BOTH, spec=''):
    return POOL % (name, spec, node_class, types)


def workload(kind, count, name='db', selector=''):
    return WORKLOAD % (kind, name, count, name, name, selector)


def settled(path, *more):
    """$/h in the end, and how many nodes are reserved then."""
    found = document('plan', '--settle', '--no-disrupt', path, *more)['designs'][1]
    reserved = next((c['nodes'] for c in found['capacityTypes'] if c['name'] == 'reserved'), 0)
    return round(found['cost']['perHour'], 3), reserved, found['podsLeft']


BASE = CLASS % ('reserved', 2)
for kind in ('Deployment', 'StatefulSet'):
    path = written(BASE, pool(), workload(kind, 5))
    for profile in ('karpenter', 'karpenter-1.14', 'karp'):
        equal(settled(path, '--profile', profile), (PRICES[3], 2, 0), f'five pods of a {kind} and two instances, {profile}')
    cost = document('plan', path)['settledCost']['after']
    equal(round(float(cost), 3), PRICES[3], f'the settled cost of a {kind}')
    run('plan', path, '--fail-on', 'cost=$100', status=3)
    equal(settled(written(BASE, pool(types=ONLY), workload(kind, 5))), (0.0, 2, 3), 'nothing else is allowed')

# Two NodePools, each with a class of its own, that name one reservation share its instances.
path = written(BASE, CLASS % ('again', 2), pool(), pool('again', 'again'), workload('StatefulSet', 3, 'one', 'karpenter.sh/nodepool: default'),
               workload('StatefulSet', 3, 'two', 'karpenter.sh/nodepool: again'))
equal(settled(path), (PRICES[4], 2, 0), 'two NodePools and one reservation')

# A node that is being deleted returns its instance: the second pod gets it.
full = CLASS % ('reserved', 0)
gone = NODE % 'deletionTimestamp: "2026-01-01T00:00:00Z",'
for profile in ('karpenter', 'karpenter-1.14'):
    path = written(full, pool(), gone, workload('StatefulSet', 3))
    equal(settled(path, '--profile', profile), (PRICES[2], 1, 0), f'an instance is returned, {profile}')
    path = written(full, pool(), NODE % '', workload('StatefulSet', 3))
    equal(settled(path, '--profile', profile), (PRICES[2], 1, 0), f'a node with an instance takes a pod and keeps it, {profile}')

# The nodes of a static NodePool are launched one after the other: those that find no free instance are others.
GATE = ('--feature-gates', 'StaticCapacity=true')
equal(settled(written(BASE, pool(spec='replicas: 5')), *GATE), (PRICES[3], 2, 0), 'a static NodePool')
equal(settled(written(BASE, pool(types=ONLY, spec='replicas: 5')), *GATE), (0.0, 2, 0), 'a static NodePool of the reservation alone')
path = written(BASE, pool(spec='replicas: 1'), pool('more'), workload('StatefulSet', 3, 'db', 'karpenter.sh/nodepool: more'))
equal(settled(path, *GATE), (PRICES[2], 2, 0), 'a static NodePool takes an instance before pods do')

# What a change costs: one more pod, of a cluster whose reservation is used up by then.
path = written(BASE, pool(), workload('StatefulSet', 2))
more = written(workload('StatefulSet', 4), name='more.yaml')
diff = json.loads(run('diff', '-o', 'json', path, '--', '--replace', more)[0])
equal([round(d['cost']['perHour'], 3) for d in diff['designs']], [0.0, PRICES[2]], 'diff')

# A share of what is shown as $0.000 says nothing, so it is not written.
for words in (('plan', '--settle', path), ('diff', path, '--', '--scale', 'db=4')):
    said = run(*words)[0]
    check('$0.00' in said and '00.0%' not in said, said)
check('$0.00 ' in run('diff', path, '--', '--scale', 'db=4')[0] and '(+$280.32)' in run('diff', path, '--', '--scale', 'db=4')[0], 'the sum instead')

# Over time: a story, the same as a replay, and a replay that goes on from a dump.
written(BASE, pool(), workload('Deployment', 0), name='base.yaml')
story = folder / 'story.yaml'
story.write_text('''apiVersion: karp/v1
kind: Story
files: [base.yaml]
steps:
- scale: {deployment: db, replicas: 5}
- wait: 10m
- scale: {deployment: db, replicas: 0}
- wait: 10m
- scale: {deployment: db, replicas: 3}
- wait: 10m
''')
told = run('simulate', story)[0]
equal(told.count('reserved  cpu'), 4, 'launches of the reservation: two, and two when the instances are free again')
equal(told.count('on-demand  cpu'), 4 + 4, 'launches on demand, three and one, and these nodes as they receive their pods')
finish()
