# SPDX-License-Identifier: Apache-2.0
"""Prints the plan for the files and directories named on the command line, and the hash of the decision:

    python3 examples/python/plan.py examples/quickstart
"""
import sys

import karp


def main() -> int:
    try:
        plan = karp.load(sys.argv[1:]).plan()
    except karp.Error as error:
        print(error, file=sys.stderr)
        return 1
    for launch in plan.launches:
        print(launch.id, launch.choice.instance_type if launch.choice else 'any type', *launch.pods)
    for placement in plan.placements:
        print(placement.node, *placement.pods)
    for pod in plan.unschedulable:
        print('nowhere:', pod.pod, pod.code)
    print(plan.hash)
    return 0


if __name__ == '__main__':
    sys.exit(main())
