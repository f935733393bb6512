# SPDX-License-Identifier: Apache-2.0
"""karp record writes what changes of a cluster, and karp replay reads it. A stub stands in for kubectl."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from stories import check, equal, finish, run, types_of

# Shows one state of the cluster after another: each list of pods is the last question of a look but for the events.
STUB = '''
import json, pathlib, sys
folder = pathlib.Path(FOLDER)
looks = json.loads((folder / 'states.json').read_text())
count = folder / 'count'
if '--watch-only' in sys.argv:
    import os, time
    (folder / f'watch-{os.getpid()}').touch()
    events = folder / f'watched-{sys.argv[2]}'
    if events.exists():
        text = events.read_text()
        if text.startswith('error'):
            sys.exit(text)
        print(text)  # and the server ends this watch
        sys.exit()
    while True:
        time.sleep(1)
n = int(count.read_text()) if count.exists() else 0
state = looks[min(n, len(looks) - 1)]
names = sys.argv[2].split(',') if sys.argv[1] == 'get' else []
if sys.argv[1] == 'api-resources':
    print('pods', 'nodes', 'nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws', 'secrets', sep='\\n')
    sys.exit()
if names == ['pods'] or (state is None and len(names) > 1):
    count.write_text(str(n + 1))
if names == ['events']:
    if 'events' not in looks[0]:
        sys.exit('Error from server (Forbidden): events is forbidden')
    state = looks[n - 1]
if state is None:
    sys.exit('The connection to the server was refused')
kinds = {'Pod': 'pods', 'Event': 'events', 'Secret': 'secrets'}
items = [o for o in state['objects'] + state.get('events', []) if kinds.get(o['kind'], 'others') in names or ('nodes' in names and o['kind'] not in kinds)]
print(json.dumps({'kind': 'List', 'items': items}))
'''


def pod(name, node=None, cpu='1', **status):
    spec = {'containers': [{'name': 'c', 'image': 'c:1', 'env': [{'name': 'TOKEN', 'value': 'secret'}], 'command': ['c'],
                            'resources': {'requests': {'cpu': cpu}}}]}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'namespace': 'shop', 'resourceVersion': str(len(name)), 'managedFields': [{}],
                                                             'creationTimestamp': '2026-11-20T10:00:00Z'},
            'spec': {**spec, **({'nodeName': node} if node else {})}, 'status': {'phase': 'Running' if node else 'Pending', **status}}


def node(beat):
    return {'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'n', 'labels': {'a': 'b'}}, 'status': {
        'allocatable': {'cpu': '4', 'memory': '8Gi', 'pods': '10'}, 'images': [{'names': ['c']}],
        'conditions': [{'type': 'Ready', 'status': 'True', 'lastHeartbeatTime': beat}]}}


POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'a', 'annotations': {
    'kubectl.kubernetes.io/last-applied-configuration': 'x'}}, 'spec': {'template': {'spec': {
        'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'a'},
        'requirements': [{'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}]}}}}
CLASS = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'a'},
         'spec': {'role': 'r', 'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}]}}


def event(name, by):
    return {'apiVersion': 'v1', 'kind': 'Event', 'metadata': {'name': name, 'namespace': 'shop'}, 'reason': 'Nominated', 'source': {'component': by}}


def record(path, *words, states=None, status=0, how=('--poll', '--every', '1ms')):
    if states is not None:
        (folder / 'states.json').write_text(json.dumps(states))
        (folder / 'count').unlink(missing_ok=True)
    done = subprocess.run([os.environ['KARP'], 'record', str(path), *how, *words], capture_output=True, text=True, timeout=100,
                          env={**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}', 'NO_COLOR': '1'})
    check(done.returncode == status, f'{words}: exit {done.returncode}, not {status}: {done.stderr}')
    return done.stderr


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def names(objects):
    return sorted(f'{o["kind"]}/{o["metadata"]["name"]}' for o in objects)


def changes():
    path = folder / 'a.jsonl'
    said = record(path, '--looks', '6', states=[
        {'objects': [pod('a'), node('2026-11-20T10:00:00Z'), POOL, CLASS], 'events': [event('e', 'karpenter'), event('f', 'kubelet')]},
        {'objects': [pod('a'), node('2026-11-20T10:00:05Z'), POOL, CLASS], 'events': [event('e', 'karpenter')]},  # only a heartbeat
        {'objects': [pod('a', 'n'), pod('b'), node('2026-11-20T10:00:10Z'), POOL, CLASS], 'events': [event('e', 'karpenter')]},
        None,  # the server does not answer
        {'objects': [pod('a', 'n'), pod('b'), node('2026-11-20T10:00:10Z'), POOL, CLASS], 'events': []},
        {'objects': [pod('b', 'n'), node('2026-11-20T10:00:15Z'), POOL, CLASS], 'events': []}])
    check('kubectl get' in said and 'was refused' in said and 'this look is left out' in said, said)
    whole, *rest = lines(path)
    equal((whole['apiVersion'], whole['kind'], names(whole['objects'])),
          ('karp/v1', 'Recording', ['EC2NodeClass/a', 'Event/e', 'Node/n', 'NodePool/a', 'Pod/a']), 'the first line')
    equal([(names(one.get('changed', [])), one.get('gone', [])) for one in rest],
          [(['Pod/a', 'Pod/b'], []), ([], ['Event/shop/e']), (['Pod/b'], ['Pod/shop/a'])], 'what has changed')
    check(all(a['now'] < b['now'] for a, b in zip([whole, *rest], rest)), 'times go on')
    text = path.read_text()
    for word in ('secret', 'managedFields', 'resourceVersion', 'lastHeartbeatTime', 'last-applied', 'command', 'image'):
        check(word not in text, f'{word} is recorded')
    return path


def goes_on(path):
    """A line that was interrupted does not spoil those after it, and old parts are kept."""
    before = path.read_text()
    path.write_text(before + '{"now":"2026-')
    state = {'objects': [pod('b', 'n'), node('2026-11-20T10:00:15Z'), POOL, CLASS]}
    check('the recording has no events' in record(path, '--looks', '1', states=[state]), 'events may not be read')
    after = path.read_text().splitlines()
    equal((len(after), after[-2], json.loads(after[-1])['kind']), (len(before.splitlines()) + 2, '{"now":"2026-', 'Recording'), 'a line follows')
    path.write_text(before)
    record(path, '--looks', '1', states=[state])
    small = folder / 'small.jsonl'
    record(small, '--looks', '3', '--rotate', '500', states=[{'objects': [pod(name), POOL, CLASS]} for name in ('a', 'b', 'c')])
    equal(sorted(p.name for p in folder.glob('small.jsonl*')), ['small.jsonl.1', 'small.jsonl.2', 'small.jsonl.3'], 'the parts')
    for part, name in zip(('1', '2', '3'), 'abc'):
        equal([names(one['objects'])[-1] for one in lines(folder / f'small.jsonl.{part}')], [f'Pod/{name}'], f'part {part} is complete')
    return small


def replayed(path, parts):
    words = (*types_of(folder, 'us-west-2', 'm5.large'), '--region', 'us-west-2', '-o', 'json')
    one = json.loads(run('replay', path, *words, '--until', '10m')[0])  # the looks were within a second
    equal((one['pods'], one['policies'][0]['podsPending'], one['policies'][0]['launches'] > 0), (2, 0, True), 'the pods of a recording')
    one = json.loads(run('replay', *(f'{parts}.{n}' for n in (1, 2, 3)), *words)[0])
    equal(one['pods'], 3, 'parts are one trace')
    broken = folder / 'broken.jsonl'
    good = path.read_text().splitlines()
    broken.write_text('\n'.join(good)[:-20])
    equal(json.loads(run('replay', broken, *words)[0])['notes'], 1, 'an incomplete last line is noted')
    for line, why in ((good[0], 'time goes back'), ('{"now":"x"}', 'not a time'), ('{]', 'not JSON'),
                      ('{"now":"2030-01-01T00:00:00Z","gone":["Pod/a"]}', 'not a key like')):
        broken.write_text(f'{good[0]}\n{line}\n{good[1]}\n')
        error = run('replay', broken, *words, status=1)[1]
        check(why in error and 'broken.jsonl:2' in error, f'{why}: {error}')
    broken.write_text(good[1] + '\n')
    error = run('replay', broken, '--format', 'recording', *words, status=1)[1]
    check('begins with a line of kind Recording' in error, error)


def watched():
    """A list, and then what the watches say: here that of pods ends, so a line is written. Events older than the list, as it says, change nothing."""
    path, file = folder / 'watched.jsonl', folder / 'watched-pods'

    def event(what, one, version):
        return json.dumps({'type': what, 'object': {**one, 'metadata': {**one['metadata'], 'resourceVersion': str(version)}}}, indent=4)

    state = {'objects': [pod('a'), pod('b'), POOL, CLASS], 'events': []}  # both have version 1
    file.write_text('\n'.join([event('MODIFIED', pod('b', 'old'), 1), event('ADDED', pod('c{"}'), 5), event('MODIFIED', pod('c{"}', 'n'), 6), event('DELETED', pod('a'), 7),
                               event('ADDED', pod('d'), 8), event('DELETED', pod('d'), 9), '{"type": "BOOKMARK", "object": {"kind": "Pod"}}']))
    how = ('--every', '1h')
    record(path, '--looks', '2', states=[state], how=how)
    whole, line = lines(path)
    equal((names(whole['objects'])[-2:], names(line['changed']), line['changed'][0]['spec'].get('nodeName'), line['gone']), (['Pod/a', 'Pod/b'], ['Pod/c{"}'], 'n', ['Pod/shop/a']), 'watched')
    file.write_text(json.dumps({'type': 'ERROR', 'object': {'kind': 'Status', 'message': 'too old'}}))
    said = record(folder / 'bad.jsonl', '--looks', '2', states=[state], how=how)
    check('an event of a watch that is none of' in said, said)
    # Beyond its size a new part begins, with all objects.
    file.write_text(event('ADDED', pod('c'), 5))
    record(folder / 'part.jsonl', '--looks', '2', '--rotate', '500', states=[state], how=how)
    equal([names(lines(folder / f'part.jsonl.{n}')[0]['objects'])[-2:] for n in (1, 2)], [['Pod/a', 'Pod/b'], ['Pod/b', 'Pod/c']], 'each part is complete')
    file.write_text('error: refused')
    said = record(folder / 'failed.jsonl', '--for', '1ms', states=[state], how=how)
    equal((len(lines(folder / 'failed.jsonl')), said.count('error')), (1, 0), 'for so long')
    # A signal ends all of kubectl, too.
    file.unlink()
    for left in folder.glob('watch-*'):
        left.unlink()
    (folder / 'count').unlink(missing_ok=True)
    running = subprocess.Popen([os.environ['KARP'], 'record', str(folder / 'ended.jsonl'), *how], env={**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}'})
    for _ in range(2000):
        if (folder / 'ended.jsonl').exists() and len(list(folder.glob('watch-*'))) == 6:
            break
        time.sleep(.05)
    equal(len(lines(folder / 'ended.jsonl')), 1, 'one list')
    running.terminate()
    equal(running.wait(60), -15, 'ended by the signal')
    left = [int(one.name[6:]) for one in folder.glob('watch-*')]
    equal((len(left), [pid for pid in left if pathlib.Path(f'/proc/{pid}').exists()]), (6, []), 'kubectl that still runs')


def wrong():
    for words, said in ((('--every', '0s'), '--every'), (('--rotate', 'x'), '--rotate'), (('--looks', '0'), '--looks'), (('--for', '-1s'), '--for')):
        check(said in record(folder / 'x', *words, states=[None], status=1), words)
    error = record(folder / 'x', '--looks', '1', states=[None], status=1)
    check('nothing is recorded' in error and not (folder / 'x').exists(), error)
    error = record(folder / 'none/x', '--looks', '1', states=[{'objects': [POOL]}], status=1)
    check('none/x' in error and 'written' in error, error)


def stub(at):
    (at / 'kubectl').write_text(f'#!{sys.executable} -IS\n' + STUB.replace('FOLDER', repr(str(at))))
    (at / 'kubectl').chmod(0o755)


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stub(folder)
        recording = changes()
        replayed(recording, goes_on(recording))
        wrong()
        watched()
    finish()
