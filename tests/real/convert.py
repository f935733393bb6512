#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a recorded run of a folder of tests/real as karp record would have: a look every two seconds.

    KARP=build/karp python3 tests/real/convert.py FOLDER/STORY.yaml FOLDER/STORY.N.json > recording.jsonl
"""
import json
import os
import pathlib
import subprocess
import sys

import yaml

import decisions

EVERY = 2
AHEAD = 45  # a node that is removed within so many seconds was consolidatable: Karpenter has not noticed that pods left it


def key(one):
    return f"{one['kind']}/{one['metadata'].get('namespace', 'default')}/{one['metadata']['name']}"


def lines(run):
    """Pods and NodeClaims say when they came, so that looks need not be closer than these of the recorder."""
    before, begins, leaves = {}, run.recorded['begins'], {}
    for at, _, removed, _ in decisions.decisions(run):
        leaves.update({claim: at for claim in removed})
    for look in range(0, int(run.recorded['seconds']) + EVERY, EVERY):
        at = begins + look
        missed = [claim for claim, then in leaves.items() if at <= then <= at + AHEAD]
        now = {key(one): one for one in run.cluster(at, missed=missed)['items']}
        for claim, then in leaves.items():  # Karpenter states why it disrupts a node, when it launches what replaces it
            if f'NodeClaim/default/{claim}' in now and then <= at:
                now[f'NodeClaim/default/{claim}']['status']['conditions'].append(decisions.condition('DisruptionReason', then))
        changed = [one for name, one in now.items() if before.get(name) != one]
        gone = [name for name in before if name not in now]
        if not before:
            yield {'apiVersion': 'karp/v1', 'kind': 'Recording', 'now': decisions.instant(at), 'objects': changed}
        elif changed or gone:
            yield {'now': decisions.instant(at), 'changed': changed, 'gone': gone}
        before = now


def main():
    story, path = map(pathlib.Path, sys.argv[1:3])
    listed = json.loads(subprocess.run([os.environ['KARP'], 'catalogue', '--catalogue', story.parent / 'types.json', '-o', 'json'],
                                       capture_output=True, text=True, check=True).stdout)
    for line in lines(decisions.Run(yaml.safe_load(story.read_text()), path, {t['name']: t for t in listed})):
        print(json.dumps(line, separators=(',', ':')))


if __name__ == '__main__':
    main()
