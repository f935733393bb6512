#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every EC2 instance type before karpenter-provider-aws 1.15.2 itself, and before the library: labels, amounts, overhead, and whether it fits
the node class, under the settings of tests/providers/aws_golden.py.

    ask.py [--write] [MOTO]

MOTO is the unpacked wheel of moto 5.2.5, which has what EC2 says of the types; without it, pip fetches it. --write keeps the sums of the
provider's answers in tests/providers/golden, where a quick test compares them with the library's. Exit status: 0 equal, 1 different, 77 Go
or a package cannot be had.
"""
import glob
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / 'providers'))
import aws_golden  # noqa: E402

BUILD = pathlib.Path(os.environ.get('KARP_BUILD', HERE.parents[2] / 'build'))
MOST_SHOWN = 40


def skip(why):
    print('aws oracle:', why)
    sys.exit(77)


def moto(folder):
    asked = subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '-d', folder, 'moto==5.2.5'], capture_output=True)
    if asked.returncode != 0:
        skip('moto cannot be had')
    with zipfile.ZipFile(glob.glob(os.path.join(folder, 'moto-*.whl'))[0]) as wheel:
        wheel.extractall(folder)
    return folder


def load(path):
    with gzip.open(path) as f:
        return json.load(f)


def question(where):
    folder = pathlib.Path(where, 'moto', 'ec2', 'resources')
    zones = {}
    for offer in load(folder / 'instance_type_offerings' / 'availability-zone' / f'{aws_golden.REGION}.json.gz'):
        zones.setdefault(offer['InstanceType'], []).append(offer['Location'])
    settings = json.loads(json.dumps(aws_golden.SETTINGS))
    for s in settings:
        s['class']['status'].pop('placementGroup', None)
    return {'region': aws_golden.REGION, 'types': load(folder / 'instance_types.json.gz'), 'zones': zones, 'settings': settings}


def provider_answers(folder, where):
    program = os.path.join(folder, 'aws')
    built = subprocess.run(['go', 'build', '-o', program, '.'], cwd=HERE, capture_output=True, text=True, env=os.environ | {'GOTOOLCHAIN': 'auto'})
    if built.returncode != 0:
        skip(built.stderr.strip()[-500:])
    asked = pathlib.Path(folder, 'question.json')
    asked.write_text(json.dumps(question(where)))
    out = subprocess.run([program, asked], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in out.stdout.splitlines()]


def differences(want, got):
    for name in sorted(want.keys() ^ got.keys()):
        yield f'{name}: only {"the provider" if name in want else "karp"} has it'
    for name in sorted(want.keys() & got.keys()):
        if 'fits' not in got[name]:
            del want[name]['fits']
        a, b = set(aws_golden.lines(want[name])), set(aws_golden.lines(got[name]))
        yield from (f'{name}: karp says {line}' for line in sorted(b - a))
        yield from (f'{name}: the provider says {line}' for line in sorted(a - b))


def main():
    arguments = [a for a in sys.argv[1:] if a != '--write']
    bad = values = 0
    with tempfile.TemporaryDirectory() as folder:
        answers = provider_answers(folder, arguments[0] if arguments else moto(folder))
    ours = aws_golden.karp_answers(BUILD / 'tests' / 'test_providers_aws')
    for s, want, got in zip(aws_golden.SETTINGS, answers, ours, strict=True):
        for line in differences(want, got):
            bad += 1
            if bad <= MOST_SHOWN:
                print(f'{s["name"]}: {line}')
        values += sum(1 for a in want.values() for _ in aws_golden.lines(a))
    print(f'{values} values of {len(answers[0])} types in {len(answers)} settings, {bad} differences')
    if '--write' in sys.argv:
        head = ('# SPDX-License-Identifier: Apache-2.0\n'
                f'# Sums of what karpenter-provider-aws {aws_golden.RELEASE} answers: a line for each family, a column for each setting of\n'
                '# tests/providers/aws_golden.py. Written by tests/oracle/aws/ask.py --write.\n')
        pathlib.Path(aws_golden.golden_path()).write_text(head + aws_golden.table([aws_golden.sums(a) for a in answers]))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
