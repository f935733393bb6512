# SPDX-License-Identifier: Apache-2.0
"""Each NodePool has the instance types and prices of its own cloud, and the first line says which clouds they are."""
import json
import pathlib
import sys
import tempfile
from os import environ

from stories import check, document, equal, finish, run

FAMILY = {'azure': 'karpenter.azure.com/sku-family', 'gcp': 'karpenter.k8s.gcp/instance-family', 'aws': 'karpenter.k8s.aws/instance-family'}
CLASSES = {'aws': ('karpenter.k8s.aws', 'EC2NodeClass', 'v1'), 'azure': ('karpenter.azure.com', 'AKSNodeClass', 'v1beta1'),
           'gcp': ('karpenter.k8s.gcp', 'GCENodeClass', 'v1alpha1')}
ON_DEMAND = '      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n'


def pool(cloud, name='general', families='', more='', reference=None):
    group, kind, _ = CLASSES[cloud]
    if reference is None:
        reference = f'      nodeClassRef: {{group: {group}, kind: {kind}, name: default}}\n'
    required = f'      - {{key: {FAMILY[cloud]}, operator: In, values: [{families}]}}\n' if families else ''
    return ('---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: ' + name + '}\nspec:\n  template:\n    spec:\n' + reference +
            '      requirements:\n' + ON_DEMAND + required + more)


def node_class(cloud, spec='{}'):
    group, kind, version = CLASSES[cloud]
    return f'---\napiVersion: {group}/{version}\nkind: {kind}\nmetadata: {{name: default}}\nspec: {spec}\n'


AKS, GCE = node_class('azure', '{imageFamily: Ubuntu}'), node_class('gcp', '{imageSelectorTerms: [{alias: ContainerOptimizedOS@latest}]}')


def pod(name='web', cpu='6', selector='{}'):
    return (f'---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{nodeSelector: {selector}, '
            f'containers: [{{name: c, image: x, resources: {{requests: {{cpu: {cpu}}}}}}}]}}\n')


def node(name, kind, provider_id, zone, region, pool_name='general'):
    labels = {'karpenter.sh/nodepool': pool_name, 'karpenter.sh/capacity-type': 'on-demand', 'node.kubernetes.io/instance-type': kind,
              'topology.kubernetes.io/zone': zone, 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux'}
    if region:
        labels['topology.kubernetes.io/region'] = region
    return '---\n' + json.dumps({'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': name, 'labels': labels},
                                 'spec': {'providerID': provider_id} if provider_id else {}}) + '\n'


def plan(text, *options):
    return json.loads(run('plan', '-f', '-', '-o', 'json', *options, text=text)[0])


def first_lines(text, *options, verb='plan'):
    return ' '.join(run(verb, '-f', '-', *options, text=text)[0].split('\n\n')[0].split())


def clouds(answer):
    return [tuple(cloud.values()) for cloud in answer['input']['clouds']]


def types(answer):
    return sorted((launch['nodePool'], launch['choice']['instanceType'], launch['choice']['zone']) for launch in answer['launches'])


def the_group_decides():
    azure = pool('azure', families='D') + AKS + pod()
    answer = plan(azure)
    equal(types(answer), [('general', 'Standard_D8pls_v6', '0')], 'AKS')
    equal(answer['cost']['after'], '0.248', 'at the price of its region')
    equal(clouds(answer), [('azure', 'eastus', '2026-08')], 'clouds')
    equal(answer['input']['catalogue'], {'name': 'eastus', 'prices': '2026-08'}, 'catalogue')
    equal(answer['warnings'], [], 'nothing is said of another cloud')
    check('catalogue azure eastus, prices 2026-08' in first_lines(azure), 'the first line')
    for verb in ('disrupt', 'blockers', 'repack'):
        check('catalogue azure eastus, prices 2026-08' in first_lines(azure, verb=verb), verb)
    answer = plan(pool('gcp', families='n2, e2') + GCE + pod(cpu='2'))
    equal(types(answer), [('general', 'e2-highcpu-4', 'us-central1-a')], 'GKE')
    equal(clouds(answer), [('gcp', 'us-central1', '2026-08-06')], 'clouds')
    equal(clouds(plan(pool('aws') + pod())), [('aws', 'us-west-2', '2026-07-20')], 'EKS')
    # spot, for which a named provider gave no header
    spot = (pool('azure', more='      - {key: node.kubernetes.io/instance-type, operator: In, values: [Standard_D4ds_v4]}\n').replace('on-demand', 'spot')
            + node_class('azure', '{osDiskSizeGB: 128}') + pod(cpu='2'))
    equal(types(plan(spot)), [('general', 'Standard_D4ds_v4', '0')], 'spot')
    check('catalogue azure eastus, prices 2026-08' in first_lines(spot, '--provider', 'azure'), 'a provider that is named')


def the_region_follows():
    base = pool('azure', families='D') + AKS + pod()
    ids = 'azure:///subscriptions/s/resourceGroups/mc/providers/Microsoft.Compute/virtualMachines/n1'
    for text, region in ((base + node('n1', 'Standard_D4s_v5', ids, 'westeurope-1', 'westeurope'), 'westeurope'),
                         (base + node('n1', 'Standard_D4s_v5', ids, 'westus2-1', ''), 'westus2'),
                         (pool('azure', more='      - {key: topology.kubernetes.io/zone, operator: In, values: [westus2-2]}\n') + AKS + pod(), 'westus2')):
        equal([cloud[1] for cloud in clouds(plan(text))], [region], 'region')
    gcp = pool('gcp', more='      - {key: topology.kubernetes.io/zone, operator: In, values: [europe-west1-b]}\n') + GCE + pod(cpu='2')
    answer = plan(gcp)
    equal((clouds(answer)[0][:2], answer['launches'][0]['choice']['zone']), (('gcp', 'europe-west1'), 'europe-west1-b'), 'zones')
    equal(clouds(plan(base, '--region', 'westeurope'))[0][:2], ('azure', 'westeurope'), '--region')
    error = run('plan', '-f', '-', text=base + node('n1', 'Standard_D4s_v5', ids, 'japaneast-1', 'japaneast'), status=1)[1]
    for part in ('no instance types of azure are built in for japaneast, which the input names (built in: eastus, westus2, westeurope)',
                 'az vm list-skus --location japaneast', '--provider azure --region japaneast', '--region eastus'):
        check(part in error, f'{part}: {error}')


def signs():
    """NodePools that name no node class."""
    for text, cloud in ((AKS, 'azure'), (GCE, 'gcp'), (node('n1', 'e2-standard-4', 'gce://project/us-east1-b/n1', 'us-east1-b', ''), 'gcp'),
                        (node('n1', 'Standard_D4s_v5', 'azure:///subscriptions/s', 'eastus-1', ''), 'azure'),
                        (node('n1', 'Standard_D4s_v5', '', 'eastus-1', 'eastus').replace('"karpenter.sh/nodepool"', '"kubernetes.azure.com/agentpool": "a", "karpenter.sh/nodepool"'), 'azure'),
                        ('', 'aws')):
        answer = plan(pool('aws', reference='') + text + pod())
        equal([one[0] for one in clouds(answer)], [cloud], text)
        group = CLASSES[cloud][0]
        check(any(requirement['key'].startswith(group + '/') for requirement in answer['launches'][0]['requirements']), 'its node class')
    answer = plan(pool('gcp', families='n2', reference='') + pod(cpu='2'))
    equal(clouds(answer)[0][:2], ('gcp', 'us-central1'), 'a label that is required')
    equal(clouds(plan(pool('aws', reference='') + pod(), '--region', 'westus2'))[0][:2], ('azure', 'westus2'), 'the name of the region')


def other_clouds():
    """Nodes of a cloud that is not built in, where nothing names one that is: never another cloud's types."""
    for provider_id, name in (('hcloud://1', 'Hetzner Cloud'), ('digitalocean://1', 'DigitalOcean'), ('linode://1', 'Linode'), ('oci://1', 'Oracle Cloud'),
                              ('ibm://1', 'IBM Cloud'), ('ovh://1', 'OVHcloud'), ('scaleway://1', 'Scaleway'), ('alicloud://1', 'Alibaba Cloud')):
        error = run('plan', '-f', '-', text=node('n1', 'large', provider_id, 'us-east-1a', 'us-east-1') + pod(), status=1)[1]
        check(f'Node n1: spec.providerID: {name} ({provider_id}) is not built in: give its instance types with --catalogue FILE' in error and '--provider FILE.so' in error, error)
    hetzner = node('n1', 'cpx31', 'hcloud://1', 'fsn1-dc14', 'fsn1')
    run('plan', '-f', '-', text=pool('aws', reference='') + hetzner + pod(), status=1)
    run('plan', '-f', '-', '--provider', 'aws', '--region', 'us-west-2', text=pool('aws', reference='') + hetzner + pod())
    equal(clouds(plan(pool('aws') + node('n1', 'cpx31', 'hcloud://1', '', '') + pod()))[0][0], 'aws', 'a NodePool of a cloud')


def two_clouds():
    two = pool('aws', 'ec2') + pool('gcp', 'gce', families='n2') + GCE
    both = two + pod('a', '2', '{karpenter.sh/nodepool: ec2}') + pod('g', '2', '{karpenter.sh/nodepool: gce}')
    answer = plan(both)
    equal(clouds(answer), [('aws', 'us-west-2', '2026-07-20'), ('gcp', 'us-central1', '2026-08-06')], 'clouds')
    check('of several clouds (aws for NodePool ec2, gcp for NodePool gce): they are planned as one cluster' in str(answer['warnings']), answer['warnings'])
    check('several clouds' not in str(plan(pool('aws', 'a') + pool('aws', 'b') + pod())['warnings']), 'one cloud')
    check('catalogue' not in answer['input'], 'not one catalogue')
    equal(types(answer), [('ec2', 't4g.xlarge', 'us-west-2a'), ('gce', 'n2-highcpu-4', 'us-central1-a')], 'each has its own')
    check('catalogue aws us-west-2, prices 2026-07-20; gcp us-central1, prices 2026-08-06' in first_lines(both), 'the first line')
    # the labels of one cloud are none of the other's
    answer = plan(two + pod('g', '2', '{karpenter.k8s.gcp/instance-family: n2}') + pod('a', '2', '{karpenter.k8s.aws/instance-family: m7i}'))
    equal([(launch['nodePool'], launch['pods']) for launch in sorted(answer['launches'], key=lambda launch: launch['nodePool'])],
          [('ec2', ['default/a']), ('gce', ['default/g'])], 'labels')
    equal([one[:2] for one in clouds(plan(both, '--region', 'us-east1'))], [('aws', 'us-west-2'), ('gcp', 'us-east1')], 'a region is that of its cloud')
    error = run('plan', '-f', '-', '--region', 'eastus', text=both, status=1)[1]
    check("none of the input's clouds has a region eastus" in error, error)
    error = run('plan', '-f', '-', '--set', 'prices=initial', text=both, status=1)[1]
    check('--provider' in error, error)
    equal([one[0] for one in clouds(plan(both, '--provider', 'aws'))], ['aws'], '--provider is for all')


def unknown():
    text = pool('aws').replace('karpenter.k8s.aws, kind: EC2NodeClass', 'acme.example, kind: AcmeNodeClass') + pod()
    for verb in ('plan', 'lint', 'disrupt'):
        out, error = run(verb, '-f', '-', text=text, status=1)
        check(out == '' and ':2:1: NodePool general: spec.template.spec.nodeClassRef: ' in error, error)
        check('acme.example, kind AcmeNodeClass' in error and '--catalogue' in error and '--provider' in error, error)
        check('EC2' not in error and 'karpenter.k8s.aws' not in error, error)
    with tempfile.TemporaryDirectory() as folder:
        machines = pathlib.Path(folder, 'machines.csv')
        machines.write_text('name,cpu,memory,pods,zones,price\nr640,32,192Gi,250,rack-1,0.61\n')
        equal(types(plan(text, '--catalogue', machines)), [('general', 'r640', 'rack-1')], '--catalogue')
    foreign = plan(pool('azure') + pod(), '--provider', 'aws')
    check(any('its nodeClassRef is of kind AKSNodeClass, not EC2NodeClass' in note for note in foreign['warnings']), foreign['warnings'])
    check(not any('should be' in note for note in foreign['warnings']), 'no advice to change the cloud')


def auto_mode():
    text = pool('aws', reference='      nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass, name: default}\n') + pod()
    answer = plan(text)
    equal(clouds(answer)[0][0], 'aws', 'EKS Auto Mode')
    check(not any('EC2NodeClass' in note or 'nodeClassRef' in note for note in answer['warnings']), answer['warnings'])


def elsewhere():
    """Other commands follow as well."""
    text = pool('azure', families='D') + AKS + pod()
    with tempfile.TemporaryDirectory() as folder:
        aks, facts, story = pathlib.Path(folder, 'class.yaml'), pathlib.Path(folder, 'eastus.facts'), pathlib.Path(folder, 'story.yaml')
        cluster = pathlib.Path(folder, 'cluster.yaml')
        aks.write_text(AKS)
        check('Standard_D4s_v5' in run('catalogue', '-f', aks)[0], 'karp catalogue')
        check('e2-standard-4' in run('catalogue', '--region', 'us-east1')[0], 'karp catalogue --region')
        check('az vm list-skus --location westus3' in run('facts', '--region', 'westus3')[0], 'karp facts')
        facts.write_text(run('catalogue', '--provider', 'azure', '--region', 'westeurope', '--export-facts')[0].replace('prices 2026-08 ', 'prices 2026-09 '))
        here = text + node('n1', 'Standard_D4s_v5', 'azure:///subscriptions/s', 'westeurope-1', 'westeurope')
        equal(clouds(plan(here, '--facts', facts)), [('azure', 'westeurope', '2026-09')], 'facts of the cloud of the input, with their date')
        cluster.write_text(text)
        story.write_text('apiVersion: karp/v1\nkind: Story\nfiles: [cluster.yaml]\nsteps:\n- wait: 1m\n')
        check('catalogue azure eastus' in run('simulate', story)[0].split('\n\n')[0], 'karp simulate')
    log = [json.loads(line) for line in run('plan', '-f', '-', '-o', 'json-log', text=text + pool('aws', 'ec2') + pod('a', '2', '{karpenter.sh/nodepool: ec2}'))[0].splitlines()]
    equal({line['nodepool']: line.get('provider-id', '')[:10] for line in log}, {'general': '', 'ec2': 'aws:///us-'}, 'providerIDs')



def regions_that_no_cloud_has():
    """A word is no region of Azure."""
    check('no facts of region "mars" are built in, but of us-east-1' in run('catalogue', '--region', 'mars', status=1)[1], 'mars')
    # A misspelt region, but not one that is only not built in.
    for provider, wrong, meant in (('aws', 'useast1', 'us-east-1'), ('aws', 'us-esat-1', 'us-east-1'), ('aws', 'eu-wes-1', 'eu-west-1'), ('aws', 'US_WEST_2', 'us-west-2'),
                                   ('azure', 'eastsu', 'eastus'), ('azure', 'westeurop', 'westeurope'), ('gcp', 'us-cental1', 'us-central1'), ('gcp', 'europe-west-1', 'europe-west1')):
        error = run('catalogue', '--provider', provider, '--region', wrong, status=1)[1]
        check(f'did you mean {meant}?' in error, (wrong, error))
    for provider, real in (('aws', 'us-west-1'), ('aws', 'eu-west-2'), ('aws', 'sa-east-1'), ('azure', 'westus'), ('azure', 'eastus2'), ('gcp', 'us-west1'), ('gcp', 'europe-west4')):
        check('did you mean' not in run('catalogue', '--provider', provider, '--region', real, status=1)[1], real)
    for region in ('swedencentral', 'uaenorth', 'southafricanorth', 'newzealandnorth', 'jioindiawest', 'usgovvirginia'):
        check(f'{region} is not built in (eastus, westus2, westeurope are)' in run('catalogue', '--region', region, status=1)[1], region)


def zones_without_status():
    """A node class without a status has the zones that the input names, besides the usual ones."""
    named = pool('aws', more='      - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1d, us-east-1f]}\n')
    whole = named + node_class('aws', '{role: r, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}')
    equal([zone for _, _, zone in types(plan(whole + pod()))], ['us-east-1d'], 'zone')
    check('Nothing found' in run('lint', '-f', '-', text=whole + pod())[0], 'lint')
    asks = pod('d', selector='{topology.kubernetes.io/zone: us-west-2d}')
    equal(types(plan(pool('aws') + asks)), [], 'a pod that asks for a zone does not show that the cluster has it')
    told = lambda *words: [note for note in plan(*words)['warnings'] if 'which is not assumed to be one of the cluster' in note]
    note, = told(pool('aws') + asks)
    check('us-west-2d' in note and '--set zones=us-west-2d' in note, note)
    check('us-west-2a may be meant' not in run('lint', '-f', '-', text=pool('aws') + asks)[0], 'another zone is not meant')
    there = node_class('aws', '{role: r, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}') + 'status: {subnets: [{id: subnet-1, zone: us-west-2a}]}\n'
    for words in ((pool('aws') + asks + there,), (pool('aws') + asks, '--set', 'zones=us-west-2d'), (pool('aws') + pod('d', selector='{topology.kubernetes.io/zone: us-west-2b}'),)):
        equal(told(*words), [], 'the zones are known')
    has = node('n1', 'm5.large', '', 'us-west-2d', 'us-west-2')
    equal([zone for _, _, zone in types(plan(pool('aws') + has + asks))], ['us-west-2d'], 'a node does')
    equal([zone for _, _, zone in types(plan(pool('aws') + pod(), '--set', 'zones=us-west-2d'))], ['us-west-2d'], 'zones of the caller')
    error = run('plan', '-f', '-', '--set', 'zones=us-west-2q', text=pool('aws') + pod(), status=1)[1]
    check('us-west-2q is no zone of us-west-2' in error, error)


def every_total(folder, file, text, words):
    """Each command that adds costs up says which licences they lack."""
    story = pathlib.Path(folder, 'story.yaml')
    web = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'}, 'spec': {
        'replicas': 1, 'selector': {'matchLabels': {'app': 'web'}},
        'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}}}
    story.write_text(json.dumps({'apiVersion': 'karp/v1', 'kind': 'Story', 'region': 'us-west-2', 'files': [file.name], 'objects': [web], 'steps': [{'wait': '1m'}]}))
    where = {('whatif', file): ['cost'], ('repack', file): [], ('nodes', file): ['total'], ('top', file): ['total'],
             ('simulate', story): ['totals'], ('replay', story): []}
    for command, members in where.items():
        found = json.loads(run(*command, '-o', 'json')[0])
        for member in members:
            found = found[member]
        equal(found.get('withoutLicences'), words, f'{command[0]}, JSON')
        formats = {'simulate': ('text', 'html'), 'replay': ('text', 'html')}.get(command[0], ('text', 'markdown') if command[0] != 'repack' else ('text',))
        for format in formats:
            shown = run(*command, '-o', format)[0]
            equal(f'Without licences of {words}.' in shown if words else 'ithout licences' in shown, words is not None, f'{command[0]}, {format}')


def licences():
    """Operating systems whose price the tables do not have."""
    def noted(text, *options):
        return [note for note in plan(text, *options)['warnings'] if 'licences' in note]
    os = '      - {key: kubernetes.io/os, operator: In, values: [windows]}\n'
    windows = pool('aws', 'win', more=os) + node_class('aws', '{role: r, amiSelectorTerms: [{alias: windows2022@latest}]}')
    said = 'costs are without licences of Windows, since the built-in prices are those of Linux; Prices may add them (--prices)'
    equal(noted(windows + pod()), [f'NodePool win and 1 more: {said}'], 'a NodePool and its class')
    red_hat = pool('aws') + node_class('aws', '{role: r, amiFamily: Custom, amiSelectorTerms: [{name: "RHEL-9*"}], userData: x}')
    check('EC2NodeClass default: costs are without licences of Red Hat Enterprise Linux' in noted(red_hat + pod())[0], 'an image')
    running = json.loads(node('n1', 'm5.large', '', 'us-west-2a', 'us-west-2')[4:])
    for image, licensed in (('SUSE Linux Enterprise Server 15 SP5', True), ('Amazon Linux 2023', False), ('Red Hat Enterprise Linux CoreOS 418', False)):
        running['status'] = {'nodeInfo': {'osImage': image}}
        equal(len(noted(pool('aws') + '---\n' + json.dumps(running) + '\n')), int(licensed), image)
    equal(noted(pool('aws') + pod()), [], 'Linux')
    own = '---\napiVersion: karp/v1\nkind: Prices\nmetadata: {name: own}\nspec: {rules: [{requirements: [{key: kubernetes.io/os, operator: In, values: [windows]}], factor: 1.9}]}\n'
    equal(noted(windows + own + pod()), [], 'own prices')
    types_of_ours = pathlib.Path(environ['KARP_SOURCE'], 'tests/cases/disruption/types.yaml')
    # The totals say it, in every format; those of Linux and of the caller's own prices do not.
    for text, words in ((windows + pod(), 'Windows'), (windows + red_hat.replace('name: default', 'name: other') + pod(), 'Windows, Red Hat Enterprise Linux'),
                        (windows + own + pod(), None), (pool('aws') + pod(), None)):
        said = words and f'Without licences of {words}.'
        equal(plan(text)['cost'].get('withoutLicences'), words, 'JSON')
        for options in ([], ['--settle'], ['-o', 'markdown'], ['--settle', '-o', 'markdown']):
            shown = run('plan', '-f', '-', *options, text=text)[0]
            equal(said in shown.splitlines() if words else 'Without licences' in shown, words is not None, options)
        equal(f'without licences of {words}' in run('plan', '-f', '-', '-o', 'html', text=text)[0], words is not None, 'HTML')
        equal(json.loads(run('plan', '-f', '-', '--settle', '-o', 'json', text=text)[0]).get('withoutLicences'), words, 'settled, JSON')
        with tempfile.TemporaryDirectory() as folder:
            file, more = pathlib.Path(folder, 'input.yaml'), pathlib.Path(folder, 'more.yaml')
            file.write_text(text)
            more.write_text(text + pod('b'))
            dump = pathlib.Path(folder, 'dump.json')
            dump.write_text(run('dump', file)[0])
            equal(document('plan', dump)['cost'].get('withoutLicences'), words, 'a dump has the prices, so it says what they lack')
            equal(run('dump', dump)[0], dump.read_text(), 'dumped again')
            equal('withoutLicences' in document('plan', dump, '--catalogue', types_of_ours)['cost'], False, 'own types')
            equal([d['cost'].get('withoutLicences') for d in json.loads(run('diff', '-o', 'json', file, '--', more)[0])['designs']], [words] * 2, 'designs')
            equal('without licences of' in run('diff', file, '--', more)[0], words is not None, 'a table')
            equal(document('disrupt', file)['cost'].get('withoutLicences'), words, 'disruption')
            every_total(folder, file, text, words)
    check('licences' not in run('lint', '-f', '-', text=windows)[0], 'the manifests are right')


def dumped():
    """What is dumped has the types of each cloud."""
    text = pool('aws', 'ec2') + pool('gcp', 'gce', families='n2') + GCE + pod('a', '2')
    with tempfile.TemporaryDirectory() as folder:
        dump = pathlib.Path(folder, 'dump.json')
        dump.write_text(run('dump', '-f', '-', text=text)[0])
        equal(types(document('plan', dump)), types(plan(text)), 'planned again')


KWOK = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec: {template: {spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: [%s]}}}
---
apiVersion: karpenter.kwok.sh/v1alpha1
kind: KWOKNodeClass
metadata: {name: default}
spec: {%s}
"""


def kwok_generates_its_types():
    answer = plan(KWOK % ('', 'nodeRegistrationDelay: 10s') + pod(cpu='3'))
    equal(types(answer), [('general', 'c-4x-amd64-linux', 'test-zone-a')], 'kwok')
    # 4 vCPUs at 0.025, 8 GiB at 0.001 per 10^9 bytes, and spot at seven tenths, as Karpenter's own list has it
    equal(answer['cost']['after'], '0.07601295421439999', 'the price of the formula')
    equal(clouds(answer), [('kwok', '', 'invented')], 'clouds')
    equal(answer['input']['catalogue'], {'name': 'kwok', 'prices': 'invented'}, 'catalogue')
    equal((answer['warnings'], answer.get('problems')), ([], None), 'all is understood')
    check('catalogue kwok, prices invented' in first_lines(KWOK % ('', '') + pod()), 'the first line')
    answer = plan(KWOK % ('{key: karpenter.kwok.sh/instance-family, operator: In, values: [m]}, {key: karpenter.sh/capacity-type, operator: In, '
                          'values: [on-demand]}', '') + pod(selector='{karpenter.kwok.sh/instance-size: "16", topology.kubernetes.io/zone: test-zone-c}'))
    equal(types(answer), [('general', 'm-16x-amd64-linux', 'test-zone-c')], 'its labels and zones')
    two = plan(KWOK % ('', '') + pool('aws', 'ec2') + pod(cpu='3'))
    equal([one[0] for one in clouds(two)], ['aws', 'kwok'], 'beside another cloud')
    equal(len(json.loads(run('catalogue', '--provider', 'kwok', '-o', 'json')[0])), 144, 'types')
    misspelt = plan(KWOK % ('', 'nodeRegistrationDely: 10s') + pod())
    check('did you mean nodeRegistrationDelay?' in str(misspelt['problems']), misspelt['problems'])
    check('kwok has no regions' in run('plan', '-f', '-', '--region', 'us-east-1', text=KWOK % ('', ''), status=1)[1], 'a region')
    check('kwok has no facts to fetch' in run('facts', '--provider', 'kwok', status=1)[1], 'facts')



def labels_of_others():
    """A requirement by a label of another cloud restricts nothing, and a note says so, whichever the two clouds are."""
    told = lambda text, *words: [w for w in plan(text, *words)['warnings'] if 'restricts nothing' in w]
    for own in CLASSES:
        for other, key in FAMILY.items():
            if other == own:
                continue
            for operator, notes in (('In, values: [m]', 1), ('Exists', 1), ('NotIn, values: [m]', 0), ('DoesNotExist', 0)):
                found = told(pool(own, more=f'      - {{key: {key}, operator: {operator}}}\n') + pod())
                equal(len(found), notes, f'{own}, {key} {operator}')
                check(all(f'its requirement {key} restricts nothing: it is a label of the provider {other}' in w for w in found), found)
        equal(told(pool(own, families='m') + pod()), [], own)
    check('which no instance type of kwok has' in str(told(KWOK % (f'{{key: {FAMILY["aws"]}, operator: In, values: [m5]}}', '') + pod())), 'kwok')


for step in (labels_of_others, kwok_generates_its_types, the_group_decides, the_region_follows, signs, other_clouds, two_clouds, unknown, auto_mode, elsewhere, regions_that_no_cloud_has, zones_without_status, licences, dumped):
    step()
sys.exit(finish())
