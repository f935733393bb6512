# SPDX-License-Identifier: Apache-2.0
"""What the aws provider answers for every instance type, as comparable text: settings to ask under, what karp answers, and short sums by
family. tests/oracle/aws asks the real provider the same."""
import collections
import functools
import hashlib
import json
import os
import re
import subprocess
from fractions import Fraction

RELEASE = '1.15.2'
UNITS = {'': 1, 'n': Fraction(1, 10**9), 'u': Fraction(1, 10**6), 'm': Fraction(1, 1000), 'k': 10**3, 'M': 10**6, 'G': 10**9,
         'T': 10**12, 'P': 10**15, 'E': 10**18, 'Ki': 2**10, 'Mi': 2**20, 'Gi': 2**30, 'Ti': 2**40, 'Pi': 2**50}
AMOUNTS = ('capacity', 'kubeReserved', 'systemReserved', 'evictionThreshold', 'allocatable')
REGION = 'us-east-1'
SUBNETS = [{'id': f'subnet-{letter}', 'zone': f'us-east-1{letter}', 'zoneID': f'use1-az{number}'} for letter, number in (('a', 2), ('e', 3), ('f', 5))]


def setting(family, name='', enis=0, group=None, kubelet=None, **spec):
    """What a node class states, and the setting of the controller."""
    status = {'subnets': SUBNETS}
    if group:
        status['placementGroup'] = {'id': 'pg-1', 'strategy': group, **({'partitionCount': 3} if group == 'partition' else {})}
    spec = {'amiFamily': family, **({'kubelet': kubelet} if kubelet else {}), **spec}
    return {'name': f'{family}{" " if name else ""}{name}', 'reservedENIs': enis, 'placementGroup': group or '', 'class': {'spec': spec, 'status': status}}


def interfaces(*cards):
    return [{'networkCardIndex': card, 'deviceIndex': device, 'interfaceType': kind} for card, device, kind in cards]


def volume(device, size, **more):
    return {'deviceName': device, 'ebs': {'volumeSize': size}, **more}


SETTINGS = [
    setting('Custom'),
    setting('AL2023'),
    setting('AL2023', 'reserved interface', enis=1),
    setting('AL2023', 'maxPods', kubelet={'maxPods': 110}),
    setting('AL2023', 'podsPerCore', kubelet={'podsPerCore': 10}),
    setting('AL2023', 'local disks, eviction by percent', instanceStorePolicy='RAID0',
            kubelet={'evictionHard': {'memory.available': '5%', 'nodefs.available': '15%'}}),
    setting('AL2023', 'reserved amounts', kubelet={'kubeReserved': {'cpu': '150m', 'memory': '1Gi'}, 'systemReserved': {'cpu': '100m', 'ephemeral-storage': '2Gi'}}),
    setting('AL2023', 'root volume', blockDeviceMappings=[volume('/dev/xvdb', '300Gi'), volume('/dev/sdz', '77Gi', rootVolume=True)]),
    setting('AL2023', 'tracked connections', connectionTracking={'tcpEstablishedTimeout': 350}),
    setting('AL2023', 'EFA only', networkInterfaces=interfaces((0, 0, 'interface'), (0, 1, 'efa-only'))),
    setting('AL2023', 'two cards', networkInterfaces=interfaces((0, 0, 'interface'), (1, 1, 'efa-only'))),
    setting('AL2023', 'nested virtualisation', cpuOptions={'nestedVirtualization': 'enabled'}),
    setting('AL2023', 'enclaves', enclaveOptions={'enabled': True}),
    setting('AL2023', 'cluster group', group='cluster'),
    setting('AL2023', 'partition group', group='partition'),
    setting('AL2023', 'spread group', group='spread'),
    setting('AL2'),
    setting('Bottlerocket', 'reserved interfaces, eviction', enis=2, kubelet={'evictionHard': {'memory.available': '200Mi', 'nodefs.available': '7%'}}),
    setting('Windows2019'),
    setting('Windows2022', 'maxPods', kubelet={'maxPods': 30}),
    setting('Windows2025'),
]


@functools.lru_cache(maxsize=None)
def exact(text):
    number, unit = re.fullmatch(r'(-?[0-9.]+)([A-Za-z]*)', text).groups()
    return str(Fraction(number) * UNITS[unit])


def lines(answer):
    """One type's answer, line by line. Labels of a placement group are those of its offerings."""
    for part in AMOUNTS:
        for name, text in sorted(answer[part].items()):
            if exact(text) != '0':
                yield f'{part} {name} {exact(text)}'
    for key, values in sorted(answer['labels'].items()):
        if values and 'placement-group' not in key:
            yield f'label {key} {" ".join(sorted(values))}'
    if 'fits' in answer:
        yield f'fits {answer["fits"]}'


def karp_answers(program):
    """For each setting, by type. Whether a type fits a class is known of those that the first class could launch, which all types fit."""
    launched = None
    for s in SETTINGS:
        argv = [program, REGION, str(s['reservedENIs']), '0.075', json.dumps(s['class'])]
        out = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout
        answers = {a['name']: a for a in map(json.loads, out.splitlines())}
        available = {name for name, a in answers.items() if any(o['available'] for o in a['offerings'])}
        launched = available if launched is None else launched
        for name in launched:
            answers[name]['fits'] = name in available
        yield answers


def sums(answers):
    """By family: the first digits of a hash of all answers."""
    hashes = collections.defaultdict(hashlib.sha256)
    for name in sorted(answers):
        text = ''.join(f'{line}\n' for line in lines(answers[name]))
        hashes[name.split('.')[0]].update(f'{name}\n{text}'.encode())
    return {family: h.hexdigest()[:6] for family, h in hashes.items()}


def table(columns):
    """The sums of every setting, one family a line."""
    families = sorted(set().union(*columns))
    return ''.join(f'{family} {" ".join(c.get(family, "-") for c in columns)}\n' for family in families)


def golden_path():
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), 'golden', f'aws-{RELEASE}.txt')
