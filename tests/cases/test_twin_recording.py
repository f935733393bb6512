# SPDX-License-Identifier: Apache-2.0
"""karp twin compares the decisions of a recording with those that are made for the recorded cluster."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from stories import check, equal, finish, run

REAL = pathlib.Path(__file__).parents[1] / 'real'
TYPES = ('--catalogue', REAL / 'recordings/types.json')


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def written(name, lines):
    path = pathlib.Path(folder, name)
    path.write_text(''.join(json.dumps(line) + '\n' for line in lines))
    return path


def twin(*paths, words=(), status=0):
    return json.loads(run('twin', *paths, *TYPES, '-o', 'json', *words, status=status)[0])


def first_claims(lines):
    """The first line in which NodeClaims appear."""
    return next(line for line in lines[1:] if any(o['kind'] == 'NodeClaim' for o in line.get('changed', [])))


def differing(lines):
    # Another type was launched than the plan's.
    changed = json.loads(json.dumps(lines))
    for line in changed:
        for one in line.get('changed', []) + line.get('objects', []):
            if one['kind'] in ('NodeClaim', 'Node') and one['metadata']['labels']['node.kubernetes.io/instance-type'] == 'm5.4xlarge':
                one['metadata']['labels']['node.kubernetes.io/instance-type'] = 'r5.4xlarge'
    got = twin(written('other.jsonl', changed))
    first = got['decisions'][0]
    equal((first['decision'], first['verdict'], [n['instanceType'] for n in first['recorded']['launched']], [n['instanceType'] for n in first['predicted']['launched']]),
          ('launch', 'different', ['r5.4xlarge'] * 2, ['m5.4xlarge'] * 2), 'another type')
    said = run('twin', written('other.jsonl', changed), *TYPES)[0]
    for word in ('The first that differs, at 2026-11-29T', 'recorded   launches r5.4xlarge on-demand', 'predicted  launches m5.4xlarge on-demand'):
        check(word in said, said)
    run('twin', written('other.jsonl', changed), *TYPES, '--detailed-exitcode', status=2)
    # A NodePool that changed at that time is named.
    pool = next(o for o in lines[0]['objects'] if o['kind'] == 'NodePool')
    first_claims(changed)['changed'].append({**pool, 'spec': {**pool['spec'], 'weight': 5}})
    equal(twin(written('pool.jsonl', changed))['decisions'][0]['why'], 'NodePool general changed at that time', 'what explains it')
    # A node that nobody says why it left.
    cut = next(i for i, line in enumerate(lines) if 'DisruptionReason' in json.dumps(line))
    gone = json.loads(json.dumps(lines[:cut]))
    node = next(o for line in gone for o in line.get('changed', []) if o['kind'] == 'Node')['metadata']['name']
    gone.append({'now': lines[cut]['now'], 'changed': [], 'gone': [f'Node/default/{node}', f'NodeClaim/default/{node}']})
    last = twin(written('gone.jsonl', gone))['decisions'][-1]
    equal((last['decision'], last['verdict'], last['recorded']['removed']), ('remove', 'different', [node]), 'a node that was deleted')
    check('somebody may have deleted' in last['why'], last)
    # Its expiry needs no decision.
    for line in gone:
        for one in line.get('changed', []):
            if one['kind'] == 'NodeClaim' and one['metadata']['name'] == node:
                one['spec']['expireAfter'] = '20s'
    equal([(d['decision'], d['verdict']) for d in twin(written('gone.jsonl', gone))['decisions']][-1], ('expiry', 'equal'), 'an expiry')


def parts_and_errors(text, lines):
    half = len(lines) // 2
    equal(twin(written('a', lines[:half]), written('b', lines[half:])), twin(written('whole', lines)), 'parts')
    path = pathlib.Path(folder, 'cut')
    path.write_text(text[:-30])
    equal(twin(path)['skippedLines'], 1, 'an incomplete last line')
    for broken, why in ((lines[1:], 'begins with a line of kind Recording'), ([lines[0], lines[0]], 'time goes back'), ([lines[0], {'now': 'x'}], 'not a time'),
                        ([], 'without a line')):
        error = run('twin', written('broken', broken), *TYPES, status=1)[1]
        check(why in error, error)
    check('none.jsonl' in run('twin', pathlib.Path(folder, 'none.jsonl'), status=1)[1], 'a file that is not there')


def main():
    try:
        import yaml  # noqa: F401  # stories are YAML
    except ImportError:
        sys.exit(77)
    done = subprocess.run([sys.executable, REAL / 'convert.py', REAL / 'recordings/plain.yaml', REAL / 'recordings/plain.1.json'],
                          capture_output=True, text=True, check=True, env=os.environ, timeout=100)
    lines = lines_of(done.stdout)
    whole = twin(written('recording', lines))
    equal([whole[key] for key in ('equal', 'inKind', 'different')], [8, 0, 0], 'a real control plane')
    equal([d['decision'] for d in whole['decisions']], ['launch', 'replace', 'launch', 'remove', 'replace', 'launch', 'remove', 'replace'], 'its decisions')
    equal(run('twin', pathlib.Path(folder, 'recording'), *TYPES)[0],
          f'8 decisions of Karpenter in {len(lines)} looks: 8 equal, 0 equal in kind, 0 different\n', 'in words')
    differing(lines)
    parts_and_errors(done.stdout, lines)


with tempfile.TemporaryDirectory() as folder:
    main()
finish()
