# SPDX-License-Identifier: Apache-2.0
"""The examples in C do what their comments say."""
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
PROGRAMS = pathlib.Path(os.environ['KARP_BUILD'], 'examples')

# program, arguments, what it prints
EXAMPLES = [
    ('controller', [], '''\
round 0, 1 pods
  start node-0: four in b for 1 pods, $0.20/h
round 1, 3 pods
  node-0 receives 1
  start node-1: four in b for 1 pods, $0.20/h
round 2, 5 pods
  node-1 receives 1
  start node-2: four in b for 1 pods, $0.20/h
round 3, 5 pods
'''),
    ('incremental', [], '''\
120 rounds, 12000 pods placed on 5000 nodes, built anew 6 times
memory is flat
'''),
    ('fit', [], '''\
start 0 small
start 8 accelerated
2 x accelerated: 1 of demand 0 8 of demand 1
1 x accelerated: 1 of demand 0 4 of demand 1
5 x accelerated: 1 of demand 0
left over: 4 of demand 2, FULL
left over: 1 of demand 3, TOO_LARGE, for good
20.00 per hour
'''),
    ('whatif', ['system', 'us-west-2a', 'examples/quickstart'], '''\
as it is                 3 to start, 1 pods fit nowhere, $0.6145/h
without the node         3 to start, 1 pods fit nowhere, $0.6910/h
without the zone         1 to start, 7 pods fit nowhere, $0.4520/h
on-demand at half price  3 to start, 1 pods fit nowhere, $0.3073/h
'''),
    ('memory', ['examples/quickstart', 'tests/examples/many.yaml'], '''\
with 16 KiB more: KARP_E_NOMEM
stopped at the first question: KARP_E_CANCELED
2,500 steps, and what there is by then: 3 to start
with all it wants: 6 to start
left behind: 0 bytes
in use at the end: 0 bytes
'''),
    ('threads', [f'examples/stories/spot-and-on-demand/{name}.yaml' for name in ('nodepool', '4-ten-replicas')], '''\
without node1    KARP_OK, 0 to start, 0 pods fit nowhere, $0.1089/h
without node2    KARP_OK, 1 to start, 0 pods fit nowhere, $0.0886/h
'''),
    ('cost', ['examples/quickstart'], re.compile(r'''launch r5a\.xlarge in us-west-2c, on-demand: \$0\.2260/h for 3 pods, listed types: 1
(launch .*\n)+\$0\.5285/h, Karpenter's own plan \$0\.6145/h, no plan below \$0\.\d{4}/h; it is at most \d+\.\d% above that; \d+ steps
the proof holds
a dollar more is refused: the certificate claims (\d+) and proves \d+ \(10\^-12 \$/h\)
''')),
    ('json', [], '''\
default/web-0 -> t2.medium
default/web-1 -> t2.medium
default/web-2 -> t2.medium
'''),
    ('plan', ['examples/quickstart'], None),
    ('hash', ['examples/quickstart'], None),
]


def main():
    problems, ran = [], set()
    for name, arguments, wanted in EXAMPLES:
        program = PROGRAMS / f'example-{name}'
        if not program.exists():  # built without libkarp-io
            continue
        ran.add(name)
        done = subprocess.run([program, *arguments], cwd=SOURCE, capture_output=True, text=True)
        as_wanted = wanted.fullmatch(done.stdout) if isinstance(wanted, re.Pattern) else wanted in (None, done.stdout)
        if done.returncode or done.stderr or not done.stdout or not as_wanted:
            problems.append(f'{name} {" ".join(arguments)}: status {done.returncode}\n{done.stdout}{done.stderr}')
    for name in ('whatif', 'cost', 'hash', 'plan', 'memory', 'threads'):
        program = PROGRAMS / f'example-{name}'
        if program.exists():
            done = subprocess.run([program, 'n', 'z', 'no-such-file.yaml'], cwd=SOURCE, capture_output=True, text=True)
            if done.returncode != 1 or not done.stderr:
                problems.append(f'{name}: a file that is not there: status {done.returncode}, {done.stderr}')
    sources = {path.stem for path in (SOURCE / 'examples' / 'c').glob('*.c')}
    untested = sources - {name for name, _, _ in EXAMPLES}
    problems += [f'examples/c/{name}.c is not run' for name in sorted(untested)]
    not_built = [name for name in sources if not re.search(rf"'{name}'", (SOURCE / 'examples/meson.build').read_text())]
    problems += [f'examples/c/{name}.c is not built' for name in not_built]
    print('\n'.join(problems) or f'{len(ran)} examples')
    return 1 if problems or not ran else 0


if __name__ == '__main__':
    sys.exit(main())
