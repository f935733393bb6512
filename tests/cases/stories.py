# SPDX-License-Identifier: Apache-2.0
"""Runs the program on the stories, and says what differs from what they should tell."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).parents[2]))
STORIES = SOURCE / 'examples' / 'stories'
failures = []
count = 0

if 'KARP' not in os.environ:
    print('KARP does not name the program')
    sys.exit(77)


def run(*arguments, status=0, text=None, patience=100):
    """Standard output and standard error of karp with these arguments; status None = whatever it is."""
    done = subprocess.run([os.environ['KARP'], *map(str, arguments)], capture_output=True, text=True, input=text,
                          env={**os.environ, 'NO_COLOR': '1'}, timeout=patience)
    check(status in (None, done.returncode), f'karp {" ".join(map(str, arguments))}: exit {done.returncode}, not {status}: '
                                     f'{done.stderr.strip()}')
    return done.stdout, done.stderr


def types_of(folder, region, *names):
    """--catalogue FILE with these types of EC2 alone: reading all of them takes most of the time of a small question."""
    found = json.loads(run('catalogue', '--provider', 'aws', '--region', region, '-o', 'json')[0])
    path = pathlib.Path(folder, 'types.json')
    path.write_text(json.dumps([t for t in found if t['name'] in names]))
    return '--catalogue', path


def document(verb, *arguments, patience=100):
    out, _ = run(verb, *arguments, '-o', 'json', patience=patience)
    try:
        return json.loads(out)
    except ValueError as error:
        check(False, f'karp {verb} {arguments}: {error}')
        return {}


def files(story, *names):
    return [word for name in names for word in ('-f', STORIES / story / name)]


def progress(pattern, *words):
    """What the command says on a terminal, until it has said that; then it is ended."""
    leader, follower = pty.openpty()
    with subprocess.Popen([os.environ['KARP'], *map(str, words)], stdout=subprocess.DEVNULL, stderr=follower) as child:
        os.close(follower)
        said = b''
        while not re.search(pattern, said):
            try:
                piece = os.read(leader, 4096)
            except OSError: # the other end is closed
                break
            said += piece
        child.kill()
    os.close(leader)
    check(re.search(pattern, said) is not None, said)


def check(good, what):
    global count
    count += 1
    if not good:
        failures.append(what)


def equal(got, wanted, what):
    check(got == wanted, f'{what}: {got!r}, not {wanted!r}')


ONE_TYPE_POOL = '''apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: node.kubernetes.io/instance-type, operator: In, values: [TYPE]}
  disruption: {consolidateAfter: 1m, budgets: [{nodes: "100%"}]}
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec: {amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}], role: r}
'''


def one_type_pool(instance_type):
    """A NodePool of this EC2 type, on demand, which lets all nodes go a minute after their last pod, and its node class."""
    return ONE_TYPE_POOL.replace('TYPE', instance_type)


def pods(name, numbers, namespace='default'):
    return sorted(f'{namespace}/{name}-{i}' for i in numbers)


def placed(plan):
    return {p['node']: p['pods'] for p in plan.get('placements', [])}


def label(launch, key):
    return launch['choice']['nodeLabels'].get(key)


def finish():
    """Ends the program, which fails if a check did."""
    for line in failures:
        print(line)
    print(f'{count} checks, {len(failures)} failures')
    sys.exit(1 if failures else 0)
