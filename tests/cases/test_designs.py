# SPDX-License-Identifier: Apache-2.0
"""Designs side by side: karp diff A -- B, karp whatif --design, in every format."""
import json
import os
import pathlib
import sys
import tempfile

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
DUMP, THREE = ASKS / 'dump.json', ASKS / 'three-tier'


def by_name(rows):
    return {row['name']: row for row in rows}


# The totals are those of the plans.
got = json.loads(run('diff', DUMP, '-o', 'json', '--', '--scale', 'report=10', '--', '--delete', 'nodepool/spot')[0])
equal(got['kind'], 'Comparison', 'kind')
for late in (['-o', 'html'], ['--width', '80'], ['--fail-on', 'notes'], ['--detailed-exitcode'], ['--max-memory', '1G'], ['--deadline', '1m']):
    _, error = run('diff', DUMP, '--', DUMP, *late, status=1)
    check('put it before the first --' in error, f'{late}: {error}')
designs = got['designs']
equal([d['name'] for d in designs], ['A', 'B', 'C'], 'names')
for design, way in zip(designs, ([], ['--scale', 'report=10'], ['--delete', 'nodepool/spot'])):
    plan = document('plan', DUMP, *way)
    check(abs(design['cost']['perHour'] - float(plan['cost']['after'])) < 1e-9, f'{way}: {design["cost"]}, {plan["cost"]}')
    equal(design['launches'], len(plan['launches']), f'{way}: launches')
    equal(design['podsLeft'], len(plan['unschedulable']), f'{way}: pods left')
    equal(design['podsPlaced'], sum(len(p['pods']) for p in plan['launches'] + plan['placements']), f'{way}: pods placed')
    equal(design['sha256'], plan['input']['sha256'], f'{way}: digest')
    for groups in ('nodePools', 'zones'):
        equal(sum(g['nodes'] for g in design[groups]), design['nodes'], f'{way}: {groups}')
        check(abs(sum(g['perHour'] for g in design[groups]) - design['cost']['perHour']) < 1e-8, f'{way}: {groups}')
equal(designs[0]['nodes'], 14, '13 nodes and a new one')
equal(by_name(designs[0]['nodePools'])['']['nodes'], 2, 'nodes of no pool')
check('spot' not in by_name(designs[2]['nodePools']), designs[2])
equal(designs[2]['cost']['spot'], 0, 'no spot')

# What differs, and which pods move.
b, c = got['differences']
equal(b['fields'], [{'object': 'Deployment batch/report', 'field': '', 'before': None, 'after': b['fields'][0]['after']}], 'one Deployment more')
equal([row['object'] for row in c['fields']], ['NodePool spot'], 'one pool less')
moves = {row['pod']: (row['before'], row['after']) for row in b['moves']}
equal(moves['batch/report-6d4f8b9c7-jh2v6'], ('new m5.xlarge us-west-2b spot of pool spot', 'new c6i.8xlarge us-west-2a spot of pool spot'), 'moved')
equal(moves['batch/report-0'][0], None, 'new')
equal({row['pod']: row['change'] for row in b['moves'] if row['pod'] in ('batch/report-0', 'batch/report-6d4f8b9c7-jh2v6')},
      {'batch/report-0': 'new', 'batch/report-6d4f8b9c7-jh2v6': 'moved'}, 'what becomes of pods')

# Pods that run and disappear are told, and what --scale does to a workload that is not in the input is not called new.
gone = json.loads(run('diff', DUMP, '-o', 'json', '--', '--scale', 'api=0')[0])['differences'][0]['moves']
deleted = {row['pod']: row['before'] for row in gone if row['change'] == 'deleted'}
equal((len(deleted), deleted['shop/api-6d4f8b9c7-gcr57']), (6, 'node ip-10-0-64-73.us-west-2.compute.internal'), 'pods that ran')
for form in ('text', 'markdown'):
    told = run('diff', DUMP, '-o', form, '--', '--scale', 'api=0')[0]
    for said in ('is scaled to 0', 'api-6d4f8b9c7-gcr57: node ip-10-0-64-73.us-west-2.compute.internal → deleted'):
        check(said in told, f'{form}: {told}')
    check('is new' not in told and 'not pending' not in told, f'{form}: {told}')

# karp whatif without designs tells them among its changes, which are no notes on the input.
changes = ['--scale', 'api=0', '--scale', 'report=1', '--delete', 'deployment/shop/checkout']
noted = [note for note in json.loads(run('whatif', DUMP, *changes, '-o', 'json')[0])['warnings'] if note.startswith('what if: ')]
compared = json.loads(run('diff', DUMP, '-o', 'json', '--', *changes)[0])['differences'][0]['moves']
equal(sorted(note for note in noted if 'node ip' in note),
      [f'what if: {row["pod"]}: {row["before"]} → deleted' for row in compared if row['change'] == 'deleted' and row['pod'].startswith('shop/')], 'as karp diff')
equal(sorted(note for note in noted if 'pending' in note), [f'what if: batch/report-6d4f8b9c7-{pod}: pending → deleted' for pod in ('chqs5', 'jh2v6')], 'pending pods')
equal(len(noted), 6 + 3 + 2, 'no other')
quickstart = os.path.join(os.environ['KARP_SOURCE'], 'examples/quickstart')
for form in ('text', 'markdown'):
    told = run('whatif', quickstart, '--scale', 'web=0', '-o', form)[0]
    check('what if: Deployment default/web: spec.replicas 6 → 0' in told, f'{form}: {told}')
for form in ('text', 'markdown'):
    told = ' '.join(run('whatif', DUMP, *changes, '-o', form)[0].replace('\\', '').split())
    check('what if: shop/api-6d4f8b9c7-gcr57: node ip-10-0-64-73.us-west-2.compute.internal → deleted' in told, f'{form}: {told}')
check('what if' not in run('plan', DUMP, *changes)[0], 'karp plan has no such notes')
many = json.loads(json.dumps(json.load(open(DUMP))))
api = next(item for item in many['items'] if item['metadata']['name'] == 'api-6d4f8b9c7-gcr57')
many['items'] = [{**api, 'metadata': {**api['metadata'], 'name': f'api-6d4f8b9c7-{n}', 'uid': f'u{n}'}} for n in range(45)]
noted = json.loads(run('whatif', '-f', '-', '--scale', 'api=0', '-o', 'json', text=json.dumps(many))[0])['warnings']
equal((len([note for note in noted if '/api-' in note]), [note for note in noted if 'more pods' in note]), (40, ['what if: 5 more pods → deleted']), 'many')
pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'alone', 'namespace': 'default'}, 'spec': {'containers': [{'name': 'c'}]}}
pool = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'std'}, 'spec': {'template': {'spec': {
    'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'std'}, 'requirements': []}}}}
node_class = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'std'},
              'spec': {'role': 'r', 'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}]}}
both = [pool, node_class, pod, {**pod, 'metadata': {'name': 'other', 'namespace': 'default'}}]
run('whatif', '-f', '-', '--delete', 'pod/alone', '--price-factor', 'spot=2', '--fail-on', 'notes', text='\n'.join(map(json.dumps, both)), status=0)

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    other = folder / 'other.yaml'
    other.write_text((THREE / 'nodepools.yaml').read_text().replace('cpu: "400"', 'cpu: "4000"').replace('weight: 50', 'weight: 5'))
    same = json.loads(run('diff', THREE, '-o', 'json', '--', '--replace', other)[0])
    equal([(row['object'], row['field'], row['before'], row['after']) for row in same['differences'][0]['fields']],
          [('NodePool spot', 'spec.limits.cpu', '400', '4000'), ('NodePool spot', 'spec.weight', 50, 5)], 'fields')
    equal(json.loads(run('whatif', THREE, '-o', 'json', '--design', other)[0])['differences'][0]['fields'],
          same['differences'][0]['fields'], '--design')
    key = folder / 'key.yaml'
    key.write_text((THREE / 'nodepools.yaml').read_text().replace('values: [spot]', 'values: [spot, on-demand]'))
    field = json.loads(run('diff', THREE, '-o', 'json', '--', '--replace', key)[0])['differences'][0]['fields']
    equal([row['field'] for row in field], ['spec.template.spec.requirements[karpenter.sh/capacity-type].values'], 'by key')

    # What each of them makes by itself is what it makes by itself.
    def alone(**changes):
        one = folder / 'one.yaml'
        text = (THREE / 'nodepools.yaml').read_text()
        for before, after in changes.values():
            text = text.replace(before, after)
        one.write_text(text)
        return document('plan', THREE, '--replace', one)['cost']['after']
    fields = same['differences'][0]['fields']
    equal([row['alone'] for row in fields],
          [{'perHour': float(alone(limit=('cpu: "400"', 'cpu: "4000"'))), 'podsLeft': 0},
           {'perHour': float(alone(weight=('weight: 50', 'weight: 5'))), 'podsLeft': 0}], 'each by itself')
    check('alone' not in got['differences'][0]['fields'][0], 'one difference is not asked again')
    # Requirements by key, whole objects, and fields of workloads.
    mixed = folder / 'mixed.yaml'
    mixed.write_text((THREE / 'nodepools.yaml').read_text().replace('weight: 50', 'weight: 5').replace('values: [spot]', 'values: [spot, on-demand]'))
    row = json.loads(run('diff', THREE, '-o', 'json', '--', '--replace', mixed, '--scale', 'shop/api=4', '--delete', 'nodepool/gpu')[0])
    rows = {(r['object'], r['field']): r['alone'] for r in row['differences'][0]['fields']}
    equal(rows['Deployment shop/api', 'spec.replicas'],
          {'perHour': float(document('plan', THREE, '--scale', 'shop/api=4')['cost']['after']), 'podsLeft': 0}, 'replicas alone')
    without = document('plan', THREE, '--delete', 'nodepool/gpu')
    equal(rows['NodePool gpu', ''], {'perHour': float(without['settledCost']['after']), 'podsLeft': without['settledCost']['podsLeft']}, 'a pool less')
    check(rows['NodePool gpu', '']['podsLeft'] > 0, rows)
    equal(rows['NodePool spot', 'spec.template.spec.requirements[karpenter.sh/capacity-type].values']['perHour'],
          float(alone(key=('values: [spot]', 'values: [spot, on-demand]'))), 'values alone')
    shown, _ = run('diff', THREE, '--', '--replace', mixed, '--delete', 'nodepool/gpu')
    check(' more pods left pending)' in ' '.join(shown.split()), shown)

    # --fail-on judges every side but the first; the first is the baseline.
    run('diff', THREE, '--fail-on', 'cost=+1%', '--', '--scale', 'shop/api=4', status=0)
    _, error = run('diff', THREE, '--fail-on', 'cost=+1%', '--', '--scale', 'shop/api=40', status=3)
    check('is more than' in error and '(A $5,892.34/month)' in error, error)
    run('diff', THREE, '--fail-on', 'cost=+1%,unschedulable', '--', '--delete', 'nodepool/gpu', status=3)
    run('whatif', THREE, '--fail-on', 'cost=$5', '--design', other, status=3)
    _, error = run('diff', THREE, '--profile', 'karpenter-1.14', '--profile', 'karpenter-1.15', '--fail-on', 'notes', status=1)
    check('--fail-on: it applies to A -- B only' in error, error)

    # Options that differ are differences.
    shown, _ = run('diff', THREE, '--region', 'us-west-2', '--width', '80', '--', '--region', 'us-east-1', '--profile', 'karp')
    check('  option --profile  karpenter-1.15 \u2192 karp\n  option --region  us-west-2 \u2192 us-east-1\n' in shown, shown)

    # Text and markdown.
    text, _ = run('whatif', THREE, '--design', other, '--width', '80')
    for part in ('$/month (730 h)', 'as it is', 'other.yaml', 'What differs in other.yaml\n',
                 '  NodePool spot  spec.limits.cpu: "400" \u2192 "4000"  (alone +$0.00/month)\n', 'Pods that differ in other.yaml\n'):
        check(part in text, f'{part}: {text}')
    check(max(map(len, text.splitlines())) <= 80, text)
    marked, _ = run('whatif', THREE, '--design', other, '-o', 'markdown')
    for part in ('# Designs side by side\n', '| $/month (730 h) | $', '|---|--:|--:|\n', '- **NodePool spot** spec.weight: 50 \u2192 5  (alone '):
        check(part in marked, f'{part}: {marked}')
    # Changes of whatif hold for every design.
    lost = json.loads(run('whatif', THREE, '-o', 'json', '--design', other, '--lose-zone', 'us-west-2a')[0])
    check(all('us-west-2a' not in by_name(d['zones']) for d in lost['designs']), lost['designs'])
    change = 'without zone us-west-2a, which topology spread still counts as a domain'
    equal((lost['changes'], [d['name'] for d in lost['designs']]), ([f'what if: {change}'], ['no design', 'other.yaml']), 'which changes hold')
    check('changes' not in json.loads(run('whatif', THREE, '-o', 'json', '--design', other)[0]), 'none')
    for form, sentence in (('text', f'\n\nIn every design: {change}\n\n'), ('markdown', f'\n\nIn every design: {change}\n\n'),
                           ('html', f'<p>In every design: {change}</p>')):
        written = run('whatif', THREE, '--design', other, '--lose-zone', 'us-west-2a', '-o', form)[0]
        check(sentence in written and 'as it is' not in written, f'{form}: {written[:600]}')

    # A side has its own options, and those of the first where it has none.
    two = json.loads(run('diff', THREE, '-o', 'json', '--region', 'us-west-2', '--', '--profile', 'karp', '--', other, THREE / 'app.yaml')[0])
    equal(len(two['designs']), 3, 'three sides')

# Notes on the input: those of the first side once, those that another side has alone under its name.
NOTE = '2 nodes belong to no NodePool and are not in the cost (ip-10-0-32-10.us-west-2.compute.internal, ...); by the catalogue they cost $0.192/h'
with tempfile.TemporaryDirectory() as name:
    extra = pathlib.Path(name, 'extra.yaml')
    extra.write_text('apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n')
    sides = json.loads(run('diff', DUMP, '-o', 'json', '--', extra, DUMP)[0])['designs']
    equal(sides[0]['warnings'], [NOTE], 'notes of A')
    apart = [w for w in sides[1]['warnings'] if w != NOTE]
    check(len(apart) == 1 and 'Secret' in apart[0] and NOTE in sides[1]['warnings'], sides[1]['warnings'])
    marked, error = run('diff', DUMP, '-o', 'markdown', '--', extra, DUMP)
    check(marked.endswith(f'\n## Notes on A\n\n- {NOTE}\n\n## Notes on B\n\n- {apart[0]}\n'), marked)
    check(error.count(NOTE) == 1 and f'A: {NOTE}' in error and f'B: {apart[0][:40]}' in error, error)

text, _ = run('diff', THREE, '--', THREE)
check(text.endswith('\nNothing differs.\n'), text)
run('diff', THREE, '--detailed-exitcode', '--', THREE, status=0)
run('diff', DUMP, '--detailed-exitcode', '--', '--scale', 'report=4', status=2)
for wrong, part in ((['diff', THREE, '--', 'nowhere.yaml'], 'nowhere.yaml'), (['diff', THREE, '--', '--nonsense'], 'no such option (karp diff --help)'),
                    (['diff', THREE] + ['--'] * 8, 'at most 8'), (['diff', '--', THREE], 'no input'), (['diff', THREE], '--profile'),
                    (['whatif', THREE, '-o', 'yaml', '--design', THREE], 'its formats are')):
    out, error = run(*wrong, status=1)
    check(out == '' and part in error, f'{wrong}: {error}')
# Names of files are shown as text, whatever is in them.
with tempfile.TemporaryDirectory() as folder:
    for name, shown, quoted in ((b'[a](b)|c.json', '| \\[a\\](b)\\|c.json |', '[a](b)|c.json'), (b'a\x9b\xff"b.json', '| a??"b.json |', 'a\ufffd\ufffd"b.json')):
        path = os.path.join(os.fsencode(folder), name)
        with open(path, 'wb') as file:
            file.write(DUMP.read_bytes())
        check(shown in run('whatif', DUMP, '--design', os.fsdecode(path), '-o', 'markdown')[0], f'{name}: a heading of Markdown')
        equal([d['name'] for d in json.loads(run('whatif', DUMP, '--design', os.fsdecode(path), '-o', 'json')[0])['designs']][1], quoted, f'{name}: JSON')
# A long requirement is cut between its values, and its brackets are closed.
with tempfile.TemporaryDirectory() as folder:
    many = pathlib.Path(folder) / 'many.yaml'
    many.write_text('apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: spot}\nspec: {template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: ['
                    '{key: karpenter.k8s.aws/instance-family, operator: In, values: [c5, c5a, c5d, c6a, c6i, c6id, c7a, c7i, m5, m5a, m5d, m6a, m6i, m6id, m7a, m7i, r5, r5a]}]}}}\n')
    said = run('whatif', DUMP, '--design', many, '--width', '60')[0]
    check(',…]}' in said and '"' not in said.split(',…]}')[1].split('\n')[0], said)
# A backslash before the end of a text does not make its quote one of the text.
with tempfile.TemporaryDirectory() as folder:
    many = pathlib.Path(folder) / 'many.yaml'
    many.write_text("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: spot}\nspec: {template: {metadata: {annotations: {a: 'C:\\', "
                    f"b: {'b' * 40}, c: {'c' * 40}, d: {'d' * 40}}}}}, spec: {{nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}}}}}}}\n")
    said = run('whatif', DUMP, '--design', many, '--width', '60')[0]
    check('{"a":"C:\\\\","b":"' in said and f'"{"c" * 40}",…}}' in said, said)
sys.exit(finish())
