# SPDX-License-Identifier: Apache-2.0
"""kubectl-karp: the program under that name reads a cluster through kubectl. A stub stands in for kubectl."""
import calendar
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from stories import SOURCE, check, equal, finish, run

HERE = pathlib.Path(__file__).resolve().parent
NOW = '2026-11-21T10:00:00Z'

UNMANAGED = '1 node belongs to no NodePool and is not in the cost (system); by the catalogue it costs $0.096/h'


class Cluster:
    def __init__(self, folder, **behaviour):
        self.folder = folder
        self.bin = folder / 'bin'
        self.calls = []
        if not self.bin.exists():
            self.bin.mkdir()
            stub = self.bin / 'kubectl'
            stub.write_text(f'#!{sys.executable} -IS\n' + (HERE / 'stub_kubectl.py').read_text())
            stub.chmod(0o755)
            (self.bin / 'kubectl-karp').symlink_to(os.environ['KARP'])
            (folder / 'cluster.json').write_text(run('dump', '-f', SOURCE / 'examples/quickstart', '--now', NOW)[0])
        (folder / 'behaviour.json').write_text(json.dumps(behaviour))

    def karp(self, *arguments, status=0, path=None):
        calls = self.folder / 'calls.jsonl'
        calls.unlink(missing_ok=True)
        done = subprocess.run([self.bin / 'kubectl-karp', *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              env={**os.environ, 'NO_COLOR': '1', 'STUB': str(self.folder),
                                   'PATH': path or f'{self.bin}:{os.environ["PATH"]}'}, input='not for kubectl')
        check(done.returncode == status, f'kubectl karp {arguments}: exit {done.returncode}, not {status}: {done.stderr}')
        self.calls = [json.loads(line) for line in calls.read_text().splitlines()] if calls.exists() else []
        return done.stdout, done.stderr

    def plan(self, *arguments, **options):
        out, error = self.karp('plan', '--now', NOW, '-o', 'json', *arguments, **options)
        return json.loads(out or '{}'), error



def without_input(plan):
    return {key: value for key, value in plan.items() if key not in ('input', 'warnings')}


def check_the_same_decision(folder):
    """What comes through kubectl is decided on as what comes from a file."""
    cluster = Cluster(folder)
    plan, error = cluster.plan()
    equal(error, '', 'standard error')
    from_file = json.loads(run('plan', '-f', folder / 'cluster.json', '-o', 'json')[0])
    check(len(plan['launches']) == 3, 'three launches')
    equal(without_input(plan), without_input(from_file), 'plan')
    equal(plan.get('warnings', []), [UNMANAGED], 'warnings')
    equal([call[0] for call in cluster.calls], ['api-resources', 'get', 'get'], 'calls')
    wanted = set(cluster.calls[1][1].split(','))
    check({'nodes', 'nodepools.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws', 'persistentvolumes'} <= wanted, f'{wanted}')
    check(not wanted & {'secrets', 'deployments.apps', 'pods'} and not any(name.startswith('-') for name in wanted),
          f'what has no place in a command, or in decisions: {wanted}')
    equal(cluster.calls[2][1:5], ['pods', '--all-namespaces', '-o', 'json'], 'the pods')
    check(all(call[-2:] == ['--request-timeout', '60s'] for call in cluster.calls), f'{cluster.calls}')
    # Every verb that reads input.
    check('ml/train-0 cannot be placed' in cluster.karp('explain', 'pod', 'ml/train-0')[0], 'explain')
    check('candidates' in cluster.karp('disrupt', '-o', 'json')[0], 'disrupt')
    check(cluster.karp('whatif', '--remove', 'system')[0], 'whatif')
    equal(json.loads(cluster.karp('dump')[0])['kind'], 'Snapshot', 'dump')
    (folder / 'plan.json').write_text(json.dumps(plan))
    cluster.karp('verify', folder / 'plan.json', '--now', NOW)
    cluster.karp('plan', '--fail-on', 'unschedulable', status=3)


def check_options(folder):
    cluster = Cluster(folder)
    odd = 'a b; touch "$HOME" `x`'
    cluster.plan('--context', odd, '--kubeconfig=other', '--user', 'u', '--cluster', 'c', '--as', 'jane', '--request-timeout', '5s')
    for call in cluster.calls:
        equal(call[-12:], ['--context', odd, '--kubeconfig', 'other', '--cluster', 'c', '--user', 'u', '--as', 'jane',
                           '--request-timeout', '5s'], 'what is passed on')
    # They may come before the command, as kubectl's own may.
    out, _ = cluster.karp('--context', 'plan', '--as=jane', 'plan', '--now', NOW, '-o', 'json')
    equal(json.loads(out)['launches'], cluster.plan()[0]['launches'], 'options before the command')
    cluster.karp('--context', 'plan', '--as=jane', 'dump')
    for call in cluster.calls:
        equal(call[-6:], ['--context', 'plan', '--as', 'jane', '--request-timeout', '60s'], 'what is passed on')
    check('ml/train-0 cannot be placed' in cluster.karp('-n', 'ml', 'explain', 'pod', 'train-0', '--context', 'x')[0], '-n')
    check('ml/train-0 cannot be placed' in cluster.karp('explain', 'pod', 'train-0', '--namespace=ml')[0], '--namespace')
    check('ml/train-0 cannot be placed' in cluster.karp('explain', 'pod', 'ml/train-0', '-n', 'other')[0], 'a name with its namespace')
    check('train-0 is in the namespace ml' in cluster.karp('explain', 'pod', 'train-0')[1], 'the only namespace that has it')
    # Without a clock it is that of the computer.
    began = int(time.time())
    out, _ = cluster.karp('dump')
    now = calendar.timegm(time.strptime(json.loads(out)['now'], '%Y-%m-%dT%H:%M:%SZ'))
    check(began - 600 <= now <= time.time() + 600, f'now is {now}, not {began}')
    # Files are read after it.
    more = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'later'}, 'spec': {'containers': [{'name': 'c'}]}}
    (folder / 'more.json').write_text(json.dumps(more))
    plan, _ = cluster.plan('-f', folder / 'more.json')
    placed = [pod for row in plan['launches'] + plan['placements'] for pod in row['pods']]
    check('default/later' in placed and 'default/web-0' in placed, f'{placed}')
    # The plain program knows nothing of it, the help of the plugin does.
    _, error = run('plan', '--context', 'x', status=1)
    check('not an option of this command' in error, error)
    check('no input' in run('plan', status=1)[1], 'karp plan reads no cluster')
    out, _ = cluster.karp('--help')
    check(out.startswith('Usage: kubectl karp COMMAND'), out)
    out, _ = cluster.karp('plan', '--help')
    check(out.startswith('Usage: kubectl karp plan') and '--context NAME' in out, out)
    out, _ = cluster.karp('catalogue', '--help')
    check('--context' not in out, out)
    check(cluster.karp('--context', 'x', '--help')[0].startswith('Usage: kubectl karp COMMAND'), 'help after options')
    equal(cluster.calls, [], 'help needs no kubectl')
    for words, named in ((['fly'], 'fly'), (['--context', 'x', 'fly'], 'fly'), (['--context', 'x', '--fly', 'plan'], '--fly'),
                         (['--context', 'x'], '--context'), (['--context'], '--context'), (['-qn', 'x'], '-qn')):
        _, error = cluster.karp(*words, status=1)
        check(f"unknown command '{named}'" in error, f'{words}: {error}')
    _, error = cluster.karp('-n', 'ml', 'plan', status=1)
    check('not an option of this command' in error, error)


def check_what_is_missing(folder):
    cluster = Cluster(folder, absent=['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh'])
    plan, _ = cluster.plan()
    check(plan['launches'] == [] and 'is Karpenter installed' in plan['warnings'][0], f'{plan["warnings"]}')
    cluster = Cluster(folder, forbidden=['poddisruptionbudgets.policy', 'persistentvolumes'])
    plan, error = cluster.plan()
    equal(len(plan['launches']), 3, 'launches without budgets and volumes')
    equal(plan['warnings'], [f'{name}: not read, decided as if there were none: Error from server (Forbidden): {name} is forbidden: '
                             'User "jane" cannot list resource' for name in ('poddisruptionbudgets.policy', 'persistentvolumes')] + [UNMANAGED],
          'warnings')
    out, error = cluster.karp('plan', '-o', 'yaml')
    check(error.count('karp: note: ') == 3 and 'Forbidden' in error, error)
    for name in ('pods', 'nodepools.karpenter.sh'):
        out, error = Cluster(folder, forbidden=[name]).karp('plan', status=1)
        equal(out, '', 'output')
        equal(error, f'karp: kubectl get {name}: Error from server (Forbidden): {name} is forbidden: User "jane" cannot list resource\n',
              'refused')
    plan, _ = Cluster(folder, partial=True).plan()
    check(len(plan['launches']) == 3 and plan['warnings'] == [
        'kubectl api-resources: error: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is down', UNMANAGED],
        f'{plan["warnings"]}')


def check_watch(folder):
    """karp nodes --watch reads the cluster again for each answer, and shows what has changed since."""
    cluster = Cluster(folder)
    (folder / 'calls.jsonl').unlink(missing_ok=True)
    with subprocess.Popen([cluster.bin / 'kubectl-karp', 'nodes', '--watch', '--no-losses'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, 'NO_COLOR': '1', 'STUB': str(folder), 'PATH': f'{cluster.bin}:{os.environ["PATH"]}'}) as child:
        heads, shown = 0, ''
        for line in child.stdout:
            heads += line.startswith('karp nodes')
            if heads == 1 and line.startswith('karp nodes'):
                whole = (folder / 'cluster.json').read_text()
                (folder / 'cluster.json').write_text(whole.replace('"system"', '"renamed"'))
            shown += line if heads == 2 else ''
            if 'renamed' in shown:
                break
        child.kill()
    (folder / 'cluster.json').write_text(whole)
    equal(heads, 2, 'the second answer')
    check('renamed' in shown, shown)


def check_failures(folder):
    refused = 'The connection to the server localhost:8080 was refused - did you specify the right host or port?'
    _, error = Cluster(folder, **{'api-resources': {'says': ['E1121 memcache.go:265] "Unhandled Error"', refused, ' ']}}).karp('plan', status=1)
    equal(error, f'karp: kubectl api-resources: {refused}\n', 'no server')
    _, error = Cluster(folder, get={'says': []}).karp('plan', status=1)
    equal(error, 'karp: kubectl get nodes: it failed without a message\n', 'silence')
    _, error = Cluster(folder, get={'says': ['\033[31mred\033[0m']}).karp('plan', status=1)
    equal(error, 'karp: kubectl get nodes: ?[31mred?[0m\n', 'control characters')
    _, error = Cluster(folder, get={'dies': True}).karp('plan', status=1)
    equal(error, 'karp: kubectl get: it was ended by signal 9\n', 'killed')
    _, error = Cluster(folder, absent=['pods']).karp('plan', status=1)
    equal(error, 'karp: kubectl api-resources: it lists no pods or no nodes\n', 'no pods')
    _, error = Cluster(folder, get={'bytes': 200}).karp('plan', status=1)
    check(error.startswith('karp: kubectl get:') and error.count(':') > 3, f'half a document: {error}')
    _, error = Cluster(folder).karp('plan', status=1, path=str(folder))
    equal(error, 'karp: kubectl: is not on the PATH\n', 'no kubectl')


def check_that_nothing_hangs(folder):
    cluster = Cluster(folder, get={'hangs': True})
    _, error = cluster.karp('plan', '--request-timeout', '100ms', status=1)
    equal(error, 'karp: kubectl get: it was silent for too long and has been ended\n', 'silent')
    for where, called in (('get', 'kubectl get'), ('api-resources', 'kubectl')):
        _, error = Cluster(folder, **{where: {'warns_without_end': True}}).karp('plan', status=1)
        equal(error, f'karp: {called}: its messages on standard error do not end\n', 'warnings without end')
    _, error = Cluster(folder, get={'bytes_of_error': [*b'no\x1b]0;', 0x9b, *'b\u0085\u202e'.encode(), 0xff]}).karp('plan', status=1)
    equal(error, 'karp: kubectl get nodes: no?]0;?b???\n', 'bytes that a terminal interprets')
    # What kubectl has started keeps its output open; it is still there when the plan is.
    plan, _ = Cluster(folder, get={'leaves_a_child': True}).plan()
    equal(len(plan['launches']), 3, 'launches')
    for child in (folder / 'children').read_text().split():
        os.kill(int(child), signal.SIGKILL)
    # More than a pipe holds, on both.
    plan, _ = Cluster(folder, get={'warns': True, 'pods': 3000}).plan()
    placed = sum(len(row['pods']) for row in plan['launches'] + plan['placements'])
    equal(placed + len(plan['unschedulable']), 3000, 'pods of a large cluster')


with tempfile.TemporaryDirectory() as name:
    check_the_same_decision(pathlib.Path(name))
    check_options(pathlib.Path(name))
    check_what_is_missing(pathlib.Path(name))
    check_failures(pathlib.Path(name))
    check_watch(pathlib.Path(name))
    check_that_nothing_hangs(pathlib.Path(name))
sys.exit(finish())
