# SPDX-License-Identifier: Apache-2.0
"""Options, formats, exit statuses and errors of the program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from stories import SOURCE, STORIES, check, equal, files, finish, run

WORKSHOP = files('workshop', 'cluster.yaml')
QUICKSTART = ('-f', SOURCE / 'examples' / 'quickstart')


def check_help():
    out, _ = run('--help')
    for verb in ('plan', 'disrupt', 'explain', 'verify', 'whatif', 'simulate', 'replay', 'catalogue', 'dump', 'bench', 'diff', 'repack', 'lint', 'blockers', 'facts'):
        check(f'\n  {verb}' in out, f'--help does not name {verb}')
        helped, _ = run(verb, '--help')
        check(helped.startswith(f'Usage: karp {verb}'), f'karp {verb} --help: {helped[:60]}')
        equal(run('help', verb)[0], helped, f'karp help {verb}')
    out, _ = run('--version')
    check(out.startswith('karp 1.') and 'Decides as Karpenter 1.15 does, or 1.14 (--profile karpenter-1.14).' in out, f'--version: {out}')
    for part in ('\naws: us-east-1, ', '\nazure: eastus, ', '\ngcp: us-central1, ', '  source '):
        check(part in out, f'--version: {out}')
    _, error = run(status=1)
    check('Usage' in error, 'no arguments')


def check_wrong_calls():
    for arguments, part in (
            (['fly'], "unknown command 'fly'"),
            (['plan'], 'no input'),
            (['plan', *WORKSHOP, '-o', 'xml'], 'the formats are'),
            (['plan', *WORKSHOP, '-o'], 'needs a value'),
            (['plan', *WORKSHOP, '--colour'], 'no such option'),
            (['plan', *WORKSHOP, '--method', 'Drift'], 'not an option of this command'),
            (['plan', *WORKSHOP, '--now', 'yesterday'], '--now'),
            (['plan', *WORKSHOP, '--profile', 'x'], '--profile'),
            (['plan', *WORKSHOP, '--explain', 'x'], '--explain'),
            (['plan', *WORKSHOP, '--width', '5'], '--width'),
            (['plan', *WORKSHOP, '--max-steps', '99999999999999999999999'], '--max-steps'),
            (['plan', *WORKSHOP, '--max-memory', 'much'], 'a size like'),
            (['plan', *WORKSHOP, '--max-memory', '20k'], 'more memory is needed than the 20000 bytes'),
            (['plan', *WORKSHOP, '--max-memory=100Ki', '--max-memory', '64Gi', '--width', '5'], '--width'),
            (['plan', *WORKSHOP, '--provider', 'moon'], 'aws'),
            (['plan', *WORKSHOP, '--fail-on', 'x'], '--fail-on'),
            (['disrupt', *WORKSHOP, '--method', 'X'], 'no such method'),
            (['blockers', *WORKSHOP, '--fail-on', 'unschedulable'], 'not an option of this command'),
            (['simulate', WORKSHOP[1]], str(WORKSHOP[1])),
            (['explain', 'pod'], 'expected'),
            (['explain', 'pool', 'x', *WORKSHOP], 'or a node can be explained'),
            (['explain', 'pod', 'no/such', *WORKSHOP], 'no/such'),
            (['catalogue', 'file.yaml'], 'not expected'),
            (['catalogue', '--region', 'mars-1'], 'mars-1'),
            (['plan', '-f', 'no-such-file.yaml'], 'no-such-file.yaml'),
            (['plan', *WORKSHOP, '--catalogue', 'no-such-file.json'], 'no-such-file.json')):
        out, error = run(*arguments, status=1)
        equal(out, '', f'output of {arguments}')
        check(error.startswith('karp') and part in error, f'{arguments}: {error}')


def check_statuses():
    run('plan', *WORKSHOP, '--detailed-exitcode', status=2)
    run('plan', *WORKSHOP, '--fail-on', 'unschedulable')
    run('disrupt', *WORKSHOP, '--fail-on', 'unschedulable')
    run('plan', *QUICKSTART)
    run('plan', *QUICKSTART, '--fail-on', 'unschedulable', status=3)
    run('plan', *QUICKSTART, '--detailed-exitcode', '--fail-on', 'unschedulable', status=3)
    step = files('spot-and-on-demand', 'nodepool.yaml', 'cluster.yaml', '4-ten-replicas.yaml')
    run('plan', *step, '--detailed-exitcode')


def check_width():
    out, _ = run('explain', 'pod', 'ml/train-0', *QUICKSTART, '--width', '80')
    remedy = out[out.index('Smallest change'):]
    check(all(len(line) <= 80 for line in remedy.splitlines()) and '\n' + ' ' * 28 + '->  ' in remedy, f'80 columns: {remedy}')


def check_errors():
    text = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - resources: {requests: {cpu: lots}}\n'
    _, error = run('plan', '-f', '-', status=1, text=text)
    for part in ('karp: ', 'Pod default/p', 'cpu'):
        check(part in error, f'{part!r} is not in {error!r}')
    _, error = run('plan', '-f', '-', status=1, text='{"kind": "Pod", ')
    check(error.count(':') >= 2, f'no position: {error}')
    text = ('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a\\u001b[31m", "namespace": "x\\n\\u009b"}, "spec": {"containers": '
            '[{"name": "c", "resources": {"requests": {"cpu": "-1"}}}]}}')
    _, error = run('plan', '-f', '-', status=1, text=text)
    check('Pod x??/a?[31m: ' in error, f'control characters of a name: {error!r}')
    _, error = run('plan', '-f', '-', status=1, text='apiVersion: v1\nkind: Pod\nmetadata: {namespace: x}\n')
    check('Pod x/: metadata.name: is missing' in error, f'a pod without a name: {error}')
    out, _ = run('plan', '-f', '-', text='')
    check('- is empty' in out, f'nothing is not noted: {out}')
    with tempfile.TemporaryDirectory() as empty:
        out, _ = run('plan', '-f', empty, '--width', '1000')
        check(f'{empty} has no *.yaml' in out, f'an empty directory is not noted: {out}')


def check_formats():
    first, _ = run('plan', *QUICKSTART, '-o', 'json')
    second, _ = run('plan', *QUICKSTART, '-o', 'json', '--compact')
    equal(json.loads(first), json.loads(second), 'laid out and compact')
    equal(second.count('\n'), 1, 'lines of compact JSON')
    equal(len(json.loads(first)['input'].get('sha256', '')), 64, 'sha256')
    plain, _ = run('plan', *QUICKSTART)
    check('\033' not in plain, 'colours without a terminal')
    coloured, _ = run('plan', *QUICKSTART, '--color', 'always')
    check('\033[' in coloured, 'no colours')
    for line in plain.splitlines():
        check(len(line) <= 100 or line.startswith(('Plan:', 'Cost:')), f'{len(line)} columns: {line}')
    out, _ = run('explain', 'pod', 'ml/train-0', *QUICKSTART)
    check(out.startswith('karp explain  quickstart  ·  profile karpenter-') and 'catalogue aws us-west-2, prices ' in out.split('\n')[0], out)
    check('\n\nml/train-0 cannot be placed' in out, out)
    out, _ = run('explain', 'pod', 'ml/train-0', *QUICKSTART, '-o', 'json')
    equal(json.loads(out)['outcome'], 'unschedulable', 'outcome')


def check_dump():
    """What is dumped says the same as what was read, and its digest is that of the plan."""
    with tempfile.TemporaryDirectory() as folder:
        snapshot = pathlib.Path(folder) / 'snapshot.json'
        snapshot.write_text(run('dump', *QUICKSTART)[0])
        equal(json.loads(snapshot.read_text())['kind'], 'Snapshot', 'kind')
        equal(run('dump', '-f', snapshot)[0], snapshot.read_text(), 'dumped again')
        first, again = json.loads(run('plan', *QUICKSTART, '-o', 'json')[0]), json.loads(run('plan', '-f', snapshot, '-o', 'json')[0])
        del first['input']['catalogue'], first['input']['clouds'] # a Snapshot has the types, not where they are from
        equal(again, first, 'planned again')


def check_catalogue():
    with tempfile.TemporaryDirectory() as folder:
        types = pathlib.Path(folder) / 'types.json'
        types.write_text(run('catalogue', '--region', 'us-west-2', '-o', 'json')[0])
        listed = json.loads(types.read_text())
        names = [entry['name'] for entry in listed]
        equal(names, sorted(names), 'order of types')
        check(len(names) > 1000, f'{len(names)} types')
        equal(run('catalogue', '--catalogue', types, '-o', 'json')[0], types.read_text(), 'read back')
        mine = json.loads(run('plan', *WORKSHOP, '--catalogue', types, '-o', 'json')[0])['launches']
        own = json.loads(run('plan', *WORKSHOP, '-o', 'json')[0])['launches']
        equal(mine, own, 'the same plan from the catalogue as it was written')
    out, _ = run('catalogue', '-o', 'csv')
    check('m5.large,amd64,us-west-2a,on-demand,0.096,true,1930m,6903Mi,17Gi,29\n' in out, 'm5.large in CSV')
    out, _ = run('catalogue')
    check('m5.large' in out and '1930m' in out and '$0.096' in out, 'm5.large in text')


def check_output_failure():
    if os.path.exists('/dev/full'):
        for words in (['plan', *map(str, WORKSHOP)], ['--help'], ['--version'], ['plan', '--help'], ['help', 'plan'], ['bench', '--list'],
                      ['facts', '--region', 'eu-south-2'], ['plan', '--settle', *map(str, WORKSHOP)]):
            with open('/dev/full', 'w', encoding='utf-8') as device:
                done = subprocess.run([os.environ['KARP'], *words], stdout=device, stderr=subprocess.PIPE, text=True, timeout=100)
            equal(done.returncode, 1, f'{words} with a full disk')
            equal(done.stderr.count('standard output'), 1, f'{words}: {done.stderr}')


def check_kinds_of_files():
    """Nothing waits for a FIFO or reads a device; what the program was handed open is read; links are not written through."""
    with tempfile.TemporaryDirectory() as folder:
        fifo, link, file = (os.path.join(folder, name) for name in ('pods.yaml', 'link', 'memory.json'))
        os.mkfifo(fifo)
        for words in (['plan', '-f', fifo], ['plan', '-f', '/dev/zero'], ['plan', '-f', folder], ['catalogue', '--catalogue', fifo],
                      ['catalogue', '-f', fifo], ['catalogue', '--provider', 'gcp', '--facts', fifo],
                      ['verify', fifo, *WORKSHOP], ['disrupt', *WORKSHOP, '--memory-in', fifo]):
            _, error = run(*words, status=1)
            check('is not a regular file' in error, f'{words}: {error}')
        out, _ = run('plan', '-f', '/dev/stdin', text=(STORIES / 'workshop' / 'cluster.yaml').read_text())
        check('Launch' in out, 'standard input by its name')
        pathlib.Path(file).write_text('before')
        os.symlink(file, link)
        _, error = run('disrupt', *WORKSHOP, '--memory-out', link, status=1)
        check('is a symbolic link' in error and pathlib.Path(file).read_text() == 'before', error)
        _, error = run('disrupt', *WORKSHOP, '--memory-out', fifo, status=1)
        check('is not a regular file' in error, error)
        os.symlink(link, file + '.new')  # what somebody put beside it is not written through either
        run('disrupt', *WORKSHOP, '--memory-out', file)
        check(json.loads(pathlib.Path(file).read_text()) and sorted(os.listdir(folder)) == ['link', 'memory.json', 'pods.yaml'],
              os.listdir(folder))


def check_neutral():
    """Names that a terminal or a spreadsheet would obey."""
    row = '{},2,4Gi,110,desk,0.1\n'
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, 'machines.csv')
        pathlib.Path(file).write_text('name,cpu,memory,pods,zones,price\n' + row.format('=1+1') + row.format('a\u202eb\x1b[2J\u200b') +
                                      row.format('"x,z"'))
        out, _ = run('catalogue', '--catalogue', file, '-o', 'csv')
        equal([line.split(',amd64')[0] for line in out.splitlines()[1:]], ["'=1+1", 'a?b?[2J?', '"x,z"'], 'CSV')
        out, _ = run('catalogue', '--catalogue', file)
        check('a?b?[2J?' in out and '\u202e' not in out and '\x1b' not in out, out)
        _, error = run('plan', '-f', os.path.join(folder, 'a\u202eb\x1b'), status=1)
        check('a?b?' in error and '\u202e' not in error, error)


check(STORIES.is_dir(), 'stories')
check_help()
check_kinds_of_files()
check_neutral()
check_wrong_calls()
check_statuses()
check_width()
check_errors()
check_formats()
check_dump()
check_catalogue()
check_output_failure()
sys.exit(finish())
