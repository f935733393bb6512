# SPDX-License-Identifier: Apache-2.0
"""karp facts: the commands for a region, one file of what they print, and what is said of files that are missing or wrong."""
import json
import pathlib
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


check_commands()
with tempfile.TemporaryDirectory() as name:
    check_file(pathlib.Path(name))
_, told = run('catalogue', '--catalogue', 'x', '--export-facts', status=1)
check('facts are the provider' in told, told)
sys.exit(finish())
