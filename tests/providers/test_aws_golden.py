#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What karp answers for every EC2 type, held to the sums of what karpenter-provider-aws 1.15.2 answered (tests/oracle/aws/ask.py): labels,
amounts, overhead, and which types fit which node class."""
import os
import sys

import aws_golden


def read():
    with open(aws_golden.golden_path(), encoding='utf-8') as f:
        rows = [line.split() for line in f if not line.startswith('#')]
    return {family: sums for family, *sums in rows}


def main():
    program = os.path.join(os.environ.get('KARP_BUILD', 'build'), 'tests', 'test_providers_aws')
    if not os.path.exists(program):
        print('no libkarp-io')
        return 77
    golden, bad, compared = read(), 0, 0
    for column, (setting, answers) in enumerate(zip(aws_golden.SETTINGS, aws_golden.karp_answers(program), strict=True)):
        compared += len(answers)
        ours = aws_golden.sums(answers)
        for family in sorted(golden.keys() | ours.keys()):
            want = golden.get(family, ['-'] * len(aws_golden.SETTINGS))[column]
            if ours.get(family, '-') != want:
                bad += 1
                print(f'{setting["name"]}: {family}: the provider answers otherwise; tests/oracle/aws/ask.py says what')
    print(f'{compared} answers in {len(aws_golden.SETTINGS)} settings, {bad} families differ')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
