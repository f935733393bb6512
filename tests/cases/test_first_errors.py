# SPDX-License-Identifier: Apache-2.0
"""What a new user may do wrong: each answer says what to do next."""
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
    check('did you mean karp explain pod web-0?' in answer('explain', 'web-0', '-', text=text, status=1), 'a pod without its kind')
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


for step in (near_names, zone_as_region, no_pool, duplicates, gated):
    step()
sys.exit(finish())
