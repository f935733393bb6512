# SPDX-License-Identifier: Apache-2.0
"""Worlds with groups of pods about which kube-scheduler itself was asked (tests/oracle/scheduler): what it starts, a plan starts, and
where a plan starts more, a note says that kube-scheduler may not find these places."""
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'reference'))
import gang_questions # noqa: E402
import scheduler_gangs # noqa: E402

if 'KARP' not in os.environ:
    print('KARP does not name the program')
    sys.exit(77)


def main():
    rows = [json.loads(line) for line in (HERE / 'scheduler_gangs.jsonl').read_text().splitlines()]
    wrong, starts = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for number, row in enumerate(rows, 1):
            ours, notes = scheduler_gangs.plan(row['world'], pathlib.Path(folder))
            fault = gang_questions.difference(row['world'], row['bound'], ours, notes)
            wrong += [f'world {number}: {fault}'] if fault else []
            starts += bool(row['bound'])
    print(*wrong, f'{len(rows)} worlds, {starts} with a group that kube-scheduler starts; {len(wrong)} differ', sep='\n')
    return 1 if wrong or not starts else 0


if __name__ == '__main__':
    sys.exit(main())
