# SPDX-License-Identifier: Apache-2.0
"""What the pending pods of some files need, what the cheapest nodes would cost, and what would be removed."""
import sys

import karp


def main() -> int:
    try:
        snapshot = karp.load(sys.argv[1:])
        plan = snapshot.plan()
        cheapest = snapshot.plan(objective='cost')
        removals = snapshot.disrupt()
    except karp.Error as error:
        print(error, file=sys.stderr)
        return 1
    print(f'{len(plan.launches)} nodes to launch')
    for pod in plan.unschedulable:
        print('pending', pod.pod, pod.code)
    figures = cheapest.objective
    print(f'${figures.compatible_cost:.4f}/h, the cheapest ${figures.cost:.4f}/h')
    print(f'{len(removals.commands)} commands')
    print(plan.hash)
    return 0


if __name__ == '__main__':
    sys.exit(main())
