# SPDX-License-Identifier: Apache-2.0
"""Input made to hurt: what grows too fast is refused by a limit, and what is read costs about as much as it is long.

Each trap is set with SIZE elements (100; the long suite says 5,000) and with twice as many. Without a SIZE every second trap of a plan is set. What these cost more than one element is compared: twice as much may cost 2.3 times the instructions and memory, which leaves room for sorting and none for
a square. Instructions are counted, so other load on the machine changes nothing. SECURITY.md says what does grow faster, and so do
PRODUCTS here.
"""
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

import growth
from stories import check, equal, finish, run
from traps import LINEAR, MAP, OTHERS, PLAN, POOL, PRODUCT, PRODUCTS, TRAPS, instance_type, lines, pod

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 100


def write(trap, n, folder):
    text = trap(n)
    text, types = text if isinstance(text, tuple) else (text, json.dumps([instance_type(i) for i in range(1, 6)]))
    for name, content in (('in', text), ('types', types), ('pool', json.dumps(POOL))):
        pathlib.Path(folder, name).write_text(content)


def cost(trap, n, folder, command):
    """Of one run of the program."""
    # A program is taken to use as much memory as the one that starts it: the traps are written by another.
    writer = multiprocessing.get_context('fork').Process(target=write, args=(trap, n, folder))
    writer.start()
    writer.join()
    arguments = [a.replace('@', f'{folder}/') for a in command]
    if f'{folder}/plan' in arguments:
        with open(f'{folder}/plan', 'wb') as plan:
            subprocess.run([os.environ['KARP'], *(a.replace('@', f'{folder}/') for a in PLAN)], stdout=plan, check=True)
    return growth.cost(arguments)


def grown(trap, command, size):
    """What `size` elements and twice as many cost more than one."""
    with tempfile.TemporaryDirectory() as folder:
        least, few, many = (cost(trap, n, folder, command) for n in (1, size, 2 * size))
    return growth.beyond(few, least), growth.beyond(many, least)


def check_trap(name, few, many, instructions, memory):
    equal([(c.status, c.error) for c in (few, many) if c.status != 0], [], f'{name}: exit statuses')
    more, larger = growth.ratios(few, many)
    if 'KARP_HOSTILE_SHOW' in os.environ:
        print(f'{name:50} {many.instructions / 1e6:9.1f} M instructions {more:5.2f} {many.megabytes:7.1f} MB {larger:5.2f}', flush=True)
    check(more <= instructions and larger <= memory,
          f'{name}: twice as many cost {more:.2f} times the instructions (at most {instructions}) and {larger:.2f} times the memory ({memory})')


def check_growth():
    traps = [(name, PLAN, trap, SIZE, LINEAR, LINEAR) for name, trap in list(TRAPS.items())[::1 if len(sys.argv) > 1 else 2]]
    traps += [(name, command, trap, SIZE, LINEAR, LINEAR) for name, (command, trap) in OTHERS.items()]
    traps += [(name, command, trap, SIZE // 4, PRODUCT, memory) for name, (command, memory, trap) in PRODUCTS.items()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        costs = [pool.submit(grown, trap, command, size) for _, command, trap, size, _, _ in traps]
        for (name, _, _, _, instructions, memory), found in zip(traps, costs):
            check_trap(name, *found.result(), instructions, memory)


def check_limits():
    bomb = MAP + '  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n' + ''.join(
        f'  a{i}: &a{i} [{", ".join([f"*a{i - 1}"] * 10)}]\n' for i in range(1, 12))
    for text, part in ((bomb, 'aliases expand'), ('a: ' + '[' * 100000, 'nested deeper'), ('{"a":' + '[' * 100000, 'nested deeper'),
                       ('{"a":' * 100000, 'nested deeper'), (MAP + '  a: &a ' + 'y' * 1000000 + '\n' + ''.join(f'  k{i}: *a\n' for i in range(100)),
                                                             'expand to more than 67108864 bytes'), (MAP + '  a: &a [*a]\n', '')):
        _, error = run('plan', '-f', '-', text=text, status=1)
        check(error.startswith('karp: -:') and part in error, f'{part}: {error[:100]}')


def check_numbers():
    """The ends of the integers are errors that name the field, or mean what they say."""
    def workload(replicas):
        return f'apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec: {{replicas: {replicas}, template: {{spec: {{containers: []}}}}}}\n'

    def asking(amount):
        return json.dumps(pod('p', {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': amount}}}]}))

    for text, part in ((workload(2147483647), 'limit'), (workload(2147483648), 'spec.replicas'), (workload(-1), 'spec.replicas'),
                       (workload('99999999999999999999'), 'spec.replicas'), (asking('1e40'), 'requests'), (asking('-1n'), 'requests'),
                       (json.dumps(pod('p', {'priority': 2 ** 31})), 'priority'),
                       (json.dumps(pod('p', {'terminationGracePeriodSeconds': 2 ** 63 - 1})), None)):
        if part is None:
            run('plan', '-f', '-', text=text)
        else:
            _, error = run('plan', '-f', '-', text=text, status=1)
            check(part in error, f'{text[:120]}: {error}')
    for amount in ('0', '1n', '0.000000001'):
        run('plan', '-f', '-', text=asking(amount))
    for amount in ('9223372036854775807', '9223372036854775807m', '8Ei'): # beside the catalogue's millionths of a core
        output, _ = run('plan', '-f', '-', '--provider', 'aws', '-o', 'json', text=lines(json.loads(asking(amount))))
        equal([u['pod'] for u in json.loads(output)['unschedulable']], ['default/p'], amount)
    budgets = [{'nodes': n} for n in ('2147483648%', '-2147483649%', '9223372036854775807', '-9223372036854775808')]
    run('disrupt', '-f', '-', '--provider', 'aws', text=json.dumps({**POOL, 'spec': {**POOL['spec'], 'disruption': {'budgets': budgets}}}))


if not growth.available():
    print('skipped: there is no valgrind')
    sys.exit(77)
check_growth()
check_limits()
check_numbers()
sys.exit(finish())
