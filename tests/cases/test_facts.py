# SPDX-License-Identifier: Apache-2.0
"""karp facts: the commands for a region, one file of what they print, and what is said of files that are missing or wrong."""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from stories import check, equal, finish, run

SIZE = {'resourceType': 'virtualMachines', 'name': 'Standard_D2s_v9', 'family': 'standardDSv9Family',
        'locationInfo': [{'location': 'japaneast', 'zones': ['1', '3']}],
        'capabilities': [{'name': n, 'value': v} for n, v in (('vCPUs', '2'), ('MemoryGB', '8'), ('HyperVGenerations', 'V1,V2'),
                                                              ('PremiumIO', 'True'), ('LowPriorityCapable', 'True'))]}
PRICE = {'armRegionName': 'japaneast', 'armSkuName': 'Standard_D2s_v9', 'productName': 'Virtual Machines Dsv9 Series', 'meterName': 'D2s', 'type': 'Consumption'}
PAGES = [{'Items': [{**PRICE, 'skuName': 'D2s v9', 'retailPrice': 0.125}, {**PRICE, 'skuName': 'D2s v9 Spot', 'retailPrice': 0.025}]},
         {'Items': []}]
AZURE = ('facts', '--provider', 'azure', '--region', 'japaneast')


def check_commands():
    for provider, region, kinds, tool in (('aws', 'eu-central-1', ['types', 'offerings', 'on-demand-prices', 'spot-prices'], 'aws'),
                                          ('azure', 'japaneast', ['sizes', 'prices'], 'az'),
                                          ('gcp', 'asia-east1', ['machine-types', 'prices'], 'gcloud')):
        out, _ = run('facts', '--provider', provider, '--region', region)
        equal(subprocess.run(['sh', '-n'], input=out, text=True, capture_output=True).stderr, '', f'{provider}: the shell')
        lines = [line for line in out.splitlines() if not line.startswith('#')]
        check(any(f'{tool} ' in line and region in line for line in lines[:-1]), out)
        words = shlex.split(lines[-1])
        equal(words[:6], ['karp', 'facts', '--provider', provider, '--region', region], 'the last command')
        equal([word.split('=')[0] for word in words[7::2][:len(kinds)]], kinds, f'{provider}: kinds')
    _, error = run('facts', '--region', 'x;rm', status=1)
    check('region: must be the name of a region' in error, error)


def check_file(folder):
    sizes, prices, bad, table = (str(folder / name) for name in ('sizes.json', 'prices.json', 'bad.json', 'japaneast.facts'))
    pathlib.Path(sizes).write_text(json.dumps([SIZE]))
    pathlib.Path(prices).write_text(json.dumps(PAGES))
    out, error = run(*AZURE, '--facts', f'sizes={sizes}', status=1)
    check(out == '' and 'karp: --facts prices=FILE: no VM size of japaneast has a price; ' in error and 'az rest' in error, error)
    _, error = run(*AZURE, '--facts', f'prices={prices}', status=1)
    check('must come after the sizes' in error, error)
    pathlib.Path(bad).write_text(json.dumps([{'Items': [{**PRICE, 'retailPrice': -1}]}]))
    _, error = run(*AZURE, '--facts', f'sizes={sizes}', '--facts', f'prices={bad}', status=1)
    check(f'{bad}' in error and 'Items[0].retailPrice: must be a price' in error, error)
    out, _ = run(*AZURE, '--facts', f'sizes={sizes}', '--facts', f'prices={prices}')
    equal(out.splitlines()[-3:], ['regions japaneast:13', 'Standard_D2s_v9|standardDSv9Family|2|8|p12|||//.125/.025', 'end 1'],
          'the table')
    pathlib.Path(table).write_text(out)
    again, _ = run('catalogue', '--provider', 'azure', '--region', 'japaneast', '--facts', table, '--export-facts')
    equal(again, out, 'the table, exported')
    text, _ = run('catalogue', '--provider', 'azure', '--region', 'japaneast', '--facts', table, '-o', 'csv')
    check('Standard_D2s_v9,amd64,japaneast-1,spot,0.025' in text, text)
    for other, part in (('gcp', 'must be "karp-facts gcp 1"'), ('aws', 'must be "karp-facts aws 1"')):
        _, error = run('catalogue', '--provider', other, '--facts', table, status=1)
        check(f'{table}:1: is no table of facts of {other}' in error and part in error, error)
    pathlib.Path(table).write_text(out.replace('/.125/', '/-.125/'))
    _, error = run('catalogue', '--provider', 'azure', '--region', 'japaneast', '--facts', table, status=1)
    check(f'{table}:{out.count(chr(10)) - 1}: InstanceType Standard_D2s_v9: on-demand price: must be' in error, error)
    pathlib.Path(table).write_text(out[:-6])
    _, error = run('catalogue', '--provider', 'azure', '--region', 'japaneast', '--facts', table, status=1)
    check('it is cut' in error, error)


def check_zones_without_types(folder):
    """A zone that offers none of the known types is not in the file, which is read again."""
    offerings, table = folder / 'offerings.json', folder / 'us-west-2.facts'
    for known in ('m5.large', 'm0.large'):
        offerings.write_text(json.dumps({'InstanceTypeOfferings': [
            {'InstanceType': known, 'LocationType': 'availability-zone', 'Location': 'us-west-2b'},
            {'InstanceType': 'm6.large', 'LocationType': 'availability-zone', 'Location': 'us-west-2-lax-1a'}]}))
        out, _ = run('facts', '--region', 'us-west-2', '--facts', f'offerings={offerings}')
        check('us-west-2-lax-1a' not in out, out[:2000])
        table.write_text(out)
        again, _ = run('facts', '--region', 'us-west-2', '--facts', str(table))
        equal(again, out, 'the table, written again')


SKYPILOT = """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,Arch
g5.xlarge,A10G,1.0,4.0,16.0,"{'Gpus': [{'Name': 'A10G', 'Count': 1.0}], 'Total': 24576}",1.459,,ap-northeast-1,apne1-az4,x86_64
m5.large,,,2.0,8.0,,0.124,0.0442,ap-northeast-1,apne1-az1,x86_64
m5.large,,,2.0,8.0,,0.124,0.0431,ap-northeast-1,apne1-az4,x86_64
m5.large,,,2.0,8.0,,0.121,0.05,us-gov-west-1,usgw1-az1,x86_64
m5.large,,,2.0,8.0,,0.2,0.05,cn-north-1,cn-north-1a,x86_64
m5.large,,,2.0,8.0,,0.12,0.05,us-west-2,usw2-lax1-az1,x86_64
x9.unheard,,,2.0,8.0,,0.12,0.05,eu-north-1,eun1-az2,x86_64
"""


def check_skypilot(folder):
    """The form of skypilot-catalog, catalogs/v8/aws/vms.csv: zones are ids. Any region, and no date."""
    path, table, world = folder / 'vms.csv', folder / 'apne1.facts', folder / 'world.json'
    path.write_bytes(SKYPILOT.replace('\n', '\r\n').encode())

    def rows(region, *words):
        out, _ = run('catalogue', '--provider', 'aws', '--region', region, '--facts', f'skypilot={path}', *words, '-o', 'csv')
        lines = [line.split(',') for line in out.splitlines()]
        return [','.join(line[i] for i in (0, 2, 3, 4)) for line in lines[1:] if line[lines[0].index('available')] == 'true']

    header = rows('cn-north-1')
    equal(header, ['m5.large,cn-north-1a,on-demand,0.2', 'm5.large,cn-north-1a,spot,0.05'], 'a zone by its name')
    equal([r for r in rows('us-gov-west-1') if 'on-demand' in r], ['m5.large,us-gov-west-1a,on-demand,0.121'], 'us-gov')
    tokyo = rows('ap-northeast-1')
    equal(tokyo, ['g5.xlarge,ap-northeast-1d,on-demand,1.459', 'm5.large,ap-northeast-1a,on-demand,0.124', 'm5.large,ap-northeast-1a,spot,0.0442',
                  'm5.large,ap-northeast-1d,on-demand,0.124', 'm5.large,ap-northeast-1d,spot,0.0431'], 'zones are named by their number')
    equal(rows('eu-north-1'), [], 'a type that nothing is known of')
    out, _ = run('facts', '--provider', 'aws', '--region', 'ap-northeast-1', '--facts', f'skypilot={path}')
    table.write_text(out)
    check('\nas-of types 2026, prices undated, spot undated\n' in out and 'source a file of skypilot' in out and '\nm5.large|' in out, out)
    again, _ = run('catalogue', '--provider', 'aws', '--region', 'ap-northeast-1', '--facts', table, '-o', 'csv')
    equal(again, run('catalogue', '--provider', 'aws', '--region', 'ap-northeast-1', '--facts', f'skypilot={path}', '-o', 'csv')[0], 'the table')
    pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {'template': {'spec': {
        'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, 'requirements': [
            {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['spot']}]}}}}
    subnets = [{'id': 'subnet-1', 'zone': 'ap-northeast-1a', 'zoneID': 'apne1-az4'}, {'id': 'subnet-2', 'zone': 'ap-northeast-1c', 'zoneID': 'apne1-az1'}]
    node_class = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'}, 'spec': {
        'role': 'r', 'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}]}, 'status': {'subnets': subnets}}
    pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'a'}, 'spec': {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}}
    world.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [pool, node_class, pod]}))
    words = ('plan', '-f', world, '--region', 'ap-northeast-1', '--facts', f'skypilot={path}')
    plan = json.loads(run(*words, '-o', 'json')[0])
    equal([(launch['choice']['zone'], launch['choice']['price']) for launch in plan['launches']], [('ap-northeast-1a', '0.0431')], 'zones go by their ids')
    check('catalogue aws ap-northeast-1, prices undated' in run(*words)[0].splitlines()[0], 'the first line')
    equal(re.findall('(?m)^zone .*', table.read_text()), ['zone ap-northeast-1:a apne1-az1', 'zone ap-northeast-1:d apne1-az4'], 'the table has the ids')
    equal(json.loads(run(*words[:-1], table, '-o', 'json')[0])['launches'], plan['launches'], 'the plan by the table')
    equal(run('facts', '--provider', 'aws', '--region', 'ap-northeast-1', '--facts', table)[0], table.read_text(), 'the table of the table')
    offerings = folder / 'offerings.json'
    offerings.write_text(json.dumps({'InstanceTypeOfferings': [
        {'InstanceType': 'm5.large', 'LocationType': 'availability-zone', 'Location': f'ap-northeast-1{zone}'} for zone in 'da']}))
    equal([line.split(' ', 1)[1] for line in run('facts', '--provider', 'aws', '--region', 'ap-northeast-1', '--facts', table, '--facts', f'offerings={offerings}')[0].splitlines()
           if line.startswith('zone ')], ['ap-northeast-1:a apne1-az1', 'ap-northeast-1:d apne1-az4'], 'ids stay with their zones')
    good = table.read_text()
    for line, message in (('zone ap-northeast-1:d', 'must be REGION:LETTER ID'), ('zone ap-northeast-1:b apne1-az2', 'b is no zone that the region has'),
                          ('zone ap-northeast-1:a apne1-az2', 'is stated before'), ('zone ap-northeast-1:a apne1-az2 x', 'is stated before'), ('zone ap-northeast-1:a a b c', 'must be REGION:LETTER ID')):
        table.write_text(good.replace('regions ', line + '\nregions '))
        _, error = run('catalogue', '--provider', 'aws', '--region', 'ap-northeast-1', '--facts', table, status=1)
        check(message in error, error)

    def refused(text, message, region='ap-northeast-1'):
        path.write_text(text)
        _, error = run('catalogue', '--provider', 'aws', '--region', region, '--facts', f'skypilot={path}', status=1)
        check(message in error, error)

    refused(SKYPILOT, 'no row is of a zone of us-east-2; the file has ap-northeast-1, us-gov-west-1, cn-north-1, us-west-2, eu-north-1', 'us-east-2')
    refused(SKYPILOT.replace('SpotPrice', 'Spot'), 'line 1, SpotPrice: is no column of the file')
    refused(SKYPILOT.replace('0.0442', '-1'), 'line 3, SpotPrice: must be a price that is not negative')
    refused(SKYPILOT.replace('0.0442', 'nan'), 'line 3, SpotPrice: must be a price that is not negative')
    refused(SKYPILOT.replace('0.0442', '0,0442'), 'line 3, cells: must be as many as the first line has')
    refused('', 'is no column of the file')
    refused('"' * 3 + SKYPILOT, 'is no column of the file')


LOCAL = """InstanceType,Price,SpotPrice,Region,AvailabilityZone
c5.large,0.085,,us-west-2,usw2-az2
c5.large,0.102,0.0306,us-west-2,usw2-lax1-az1
c5.large,0.104,,us-west-2,us-west-2-den-1a
m5.large,0.096,0.02,us-west-2,usw2-az1
r5.large,0.151,,us-west-2,usw2-lax1-az1
r5.large,0.01,,us-west-2,usw2-wl1-sea-wlz1
t3.medium,0.05,,us-west-2,usw2-lax1-az2
"""


def check_local_zones(folder):
    """A local zone has its own types and prices; nothing is launched there that names none of its zones and has no subnet there."""
    path, table, world = folder / 'local.csv', folder / 'local.facts', folder / 'local.json'
    path.write_text(LOCAL)
    everything = 'us-west-2a,us-west-2b,us-west-2-lax-1a,us-west-2-lax-1b,us-west-2-den-1a'

    def rows(facts, zones):
        out, _ = run('catalogue', '--provider', 'aws', '--region', 'us-west-2', '--facts', facts, *(['--set', f'zones={zones}'] if zones else []), '-o', 'csv')
        lines = [line.split(',') for line in out.splitlines()]
        return [','.join(line[i] for i in (0, 2, 3, 4)) for line in lines[1:] if line[lines[0].index('available')] == 'true']

    plain = ['c5.large,us-west-2b,on-demand,0.085', 'm5.large,us-west-2a,on-demand,0.096', 'm5.large,us-west-2a,spot,0.02']
    local = ['c5.large,us-west-2-lax-1a,on-demand,0.102', 'c5.large,us-west-2-lax-1a,spot,0.0306', 'r5.large,us-west-2-lax-1a,on-demand,0.151']
    table.write_text(run('facts', '--provider', 'aws', '--region', 'us-west-2', '--facts', f'skypilot={path}')[0])
    check('zone us-west-2:i usw2-lax1-az1 us-west-2-lax-1a\n' in table.read_text() and 'zone us-west-2:j - us-west-2-den-1a\n' in table.read_text(), table.read_text())
    for facts in (f'skypilot={path}', table):
        equal(rows(facts, None), plain, 'no local zone is among the first three')
        equal(rows(facts, 'us-west-2-lax-1a'), local, 'types and prices of one local zone')
        equal(rows(facts, everything), [plain[0], *local[:2], 'c5.large,us-west-2-den-1a,on-demand,0.104', *plain[1:], local[2],
                                        't3.medium,us-west-2-lax-1b,on-demand,0.05'], 'all zones')
    equal(run('facts', '--provider', 'aws', '--region', 'us-west-2', '--facts', table)[0], table.read_text(), 'the table of the table')

    def plan(facts, pool_zone=None, subnets=(), pod_zone=None):
        requirements = [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}]
        if pool_zone:
            requirements.append({'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': [pool_zone]})
        pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {'template': {'spec': {
            'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, 'requirements': requirements}}}}
        node_class = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'}, 'spec': {
            'role': 'r', 'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}]}}
        if subnets:
            node_class['status'] = {'subnets': [{'id': f'subnet-{i}', 'zone': zone, 'zoneID': zone_id} for i, (zone, zone_id) in enumerate(subnets)]}
        pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'a'}, 'spec': {
            'nodeSelector': {'topology.kubernetes.io/zone': pod_zone} if pod_zone else {}, 'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '1'}}}]}}
        world.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [pool, node_class, pod]}))
        launches = json.loads(run('plan', '-f', world, '--region', 'us-west-2', '--facts', facts, '-o', 'json', status=None)[0])['launches']
        return [(sorted(each['instanceTypes']), each['choice']['zone'], each['choice']['price']) for each in launches]

    for facts in (f'skypilot={path}', table):
        equal(plan(facts), [(['c5.large', 'm5.large'], 'us-west-2b', '0.085')], 'a pool that names no zone')
        equal(plan(facts, 'us-west-2-lax-1a'), [(['c5.large', 'r5.large'], 'us-west-2-lax-1a', '0.102')], 'a pool that names the zone')
        equal(plan(facts, subnets=[('us-west-2-lax-1b', 'usw2-lax1-az1')]), [(['c5.large', 'r5.large'], 'us-west-2-lax-1b', '0.102')], 'a subnet, whose id counts')
        equal(plan(facts, 'us-west-2-lax-1a', [('us-west-2a', 'usw2-az1')]), [], 'no subnet in the zone that the pool names')
        equal(plan(facts, subnets=[('us-west-2a', 'usw2-az1'), ('us-west-2-den-1a', 'usw2-den1-az1')], pod_zone='us-west-2-den-1a'),
              [(['c5.large'], 'us-west-2-den-1a', '0.104')], 'a pod that names the zone')
    good = table.read_text()
    for before, after, message in ((',i=.102', ',h=.102', 'i=PRICE in local zones'), (',i=.102', ',i=-1', 'i=PRICE in local zones'),
                                   ('lax1-az1 us-west-2-lax-1a', 'lax1-az1 us-east-1-lax-1a', 'i has a name that is no local zone of the region'),
                                   ('us-west-2-lax-1b', 'us-west-2-lax-1a', 'has the name of another zone')):
        check(before in good, before)
        table.write_text(good.replace(before, after, 1))
        _, error = run('catalogue', '--provider', 'aws', '--region', 'us-west-2', '--facts', table, status=1)
        check(message in error, error)
    path.write_text(LOCAL + ''.join(f'c5.large,1,,us-west-2,us-west-2-x-{i}a\n' for i in range(30)))
    _, error = run('catalogue', '--provider', 'aws', '--region', 'us-west-2', '--facts', f'skypilot={path}', status=1)
    check('line 30, AvailabilityZone: is one local zone more than' in error, error)


def check_dates(folder):
    """The price list says when it was published."""
    attributes = {'instanceType': 'm5.large', 'regionCode': 'us-east-1', 'operatingSystem': 'Linux', 'preInstalledSw': 'NA', 'capacitystatus': 'Used',
                  'operation': 'RunInstances', 'tenancy': 'Shared'}
    terms = {'OnDemand': {'T': {'priceDimensions': {'D': {'pricePerUnit': {'USD': '0.5'}}}}}}
    product = {'product': {'attributes': attributes}, 'terms': terms, 'publicationDate': '2026-11-20T10:00:00Z'}
    bulk = {'publicationDate': '2026-11-21T00:00:00Z', 'products': {'S': {'attributes': attributes}}, 'terms': {'OnDemand': {'S': terms['OnDemand']}}}
    undated = {**product}
    del undated['publicationDate']
    path, pod = folder / 'prices.json', folder / 'pod.yaml'
    pod.write_text('{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeSelector: {node.kubernetes.io/instance-type: m5.large}, containers: [{name: c}]}}\n---\n'
                   '{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: {nodeClassRef: '
                   '{group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}}}}}\n')
    for prices, date in (({'PriceList': [product]}, '2026-11-20'), ({'PriceList': [json.dumps(product, separators=(',', ':'))]}, '2026-11-20'),
                         (bulk, '2026-11-21'), ({'PriceList': [undated]}, 'undated')):
        path.write_text(json.dumps(prices))
        first = run('plan', '-f', pod, '--region', 'us-east-1', '--facts', f'on-demand-prices={path}')[0].splitlines()[0]
        check(f'catalogue aws us-east-1, prices {date}' in first, first)
    spot = folder / 'spot.json'
    spot.write_text(json.dumps({'SpotPriceHistory': [{'AvailabilityZone': 'us-east-1a', 'InstanceType': 'm5.large', 'SpotPrice': '0.03', 'Timestamp': f'2026-11-{day}T10:00:00Z'}
                                                     for day in (18, 19, 17)]}))
    out, _ = run('facts', '--provider', 'aws', '--region', 'us-east-1', '--facts', f'spot-prices={spot}', '--facts', f'on-demand-prices={path}')
    check('\nas-of types 2026, prices undated, spot 2026-11-19\n' in out, out[:200])
    table = folder / 'dated.facts'
    table.write_text(out)
    check('\nas-of types 2026, prices undated, spot 2026-11-19\n' in run('facts', '--provider', 'aws', '--region', 'us-east-1', '--facts', table)[0], 'the table')
    for provider, region, dates in (('aws', 'us-east-1', 'types 2026, prices 2026-07-20 (eu-west-1: 2025-03-02), spot savings 2025-06-28'),
                                    ('aws', 'eu-central-1', 'types 2026'), ('gcp', 'us-central1', 'types 2026-08-17, prices 2026-08-06')):
        out, _ = run('facts', '--provider', provider, '--region', region)
        check(f'\n# Dates of what is used: {dates}.\n' in out, out[:300])


check_commands()
with tempfile.TemporaryDirectory() as name:
    check_file(pathlib.Path(name))
    check_skypilot(pathlib.Path(name))
    check_local_zones(pathlib.Path(name))
    check_zones_without_types(pathlib.Path(name))
    check_dates(pathlib.Path(name))
_, told = run('catalogue', '--catalogue', 'x', '--export-facts', status=1)
check('facts are the provider' in told, told)
sys.exit(finish())
