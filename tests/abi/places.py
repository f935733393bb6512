# SPDX-License-Identifier: Apache-2.0
"""In how few places something new is added: a member of karp_launch, a field of a pod; a version of Karpenter, a method, a cloud.

    places.py    needs $KARP_BUILD, which makes the libraries' one files

One copy of both libraries gets all of it, and each part looks for its own.
"""
import os
import shutil
import sys

import grown
import member
import one_row
import pod_field

PARTS = {'member': (member, member.PLACES), 'pod field': (pod_field, pod_field.PLACES | pod_field.NO_PLACE), 'row': (one_row, one_row.PLACES)}


def main():
    if not os.environ.get('KARP') or not (grown.BUILD / 'lib' / 'libkarp-io.so').exists() or not shutil.which('ninja'):
        print('there is no program, no libkarp-io, or no ninja')
        return 77
    grown.write_changed(member.FOLDER, {f'{part}, {place}': change for part, (_, places) in PARTS.items() for place, change in places.items()})
    grown.make_libraries(member.FOLDER)
    problems = [f'{part}: {problem}' for part, (module, _) in PARTS.items() for problem in module.problems_found()]
    print('\n'.join(problems) or ', '.join(f'{part}: {len(module.PLACES)} places' for part, (module, _) in PARTS.items()))
    return bool(problems)


if __name__ == '__main__':
    sys.exit(main())
