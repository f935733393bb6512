#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what a run of .ci/test did, as its last line:   count.py STEPS LOG...

STEPS has a line "passed|failed|skipped NAME" per step, each LOG is a testlog.json of meson's. A test that speaks TAP
counts as its parts. Exit status 1 when something failed or nothing ran.
"""
import collections
import json
import re
import sys

RESULTS = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}
PART = re.compile(r'^(not )?ok\b[^#\n]*(#\s*skip)?', flags=re.M | re.I)


def parts(test):
    """How many parts of one test ended how."""
    ended = RESULTS.get(test['result'], 'failed')
    counts = collections.Counter()
    for negative, skipped in PART.findall(test.get('stdout') or ''):
        counts['skipped' if skipped else 'failed' if negative else 'passed'] += 1
    if not counts or (ended == 'failed' and not counts['failed']):
        counts[ended] += 1
    return ended, counts


def main():
    total = collections.Counter()
    failed = []
    with open(sys.argv[1]) as steps:
        for line in steps:
            ended, name = line.rstrip('\n').split(' ', 1)
            total[ended] += 1
            if ended == 'failed':
                failed.append(name)
    for path in sys.argv[2:]:
        log = path.rsplit('/', 1)[-1].removesuffix('.json')
        with open(path) as lines:
            for line in lines:
                test = json.loads(line)
                ended, counts = parts(test)
                total += counts
                if ended == 'failed':
                    failed.append(f"{log}: {test['name']} ({test['result']})")
    for name in failed:
        print(f'failed: {name}')
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total['failed'] or not total['passed'] else 0


if __name__ == '__main__':
    sys.exit(main())
