# SPDX-License-Identifier: Apache-2.0
"""The meson.build of each module names every source file of it, and no other."""
import re
import sys

import tree


def main():
    problems = []
    counted = 0
    for module in tree.CORE + tree.OUTSIDE:
        build = f'lib/{module}/meson.build'
        listed = re.findall(r"'([\w/]+\.c)'", tree.text(build))
        there = {str(path.relative_to(f'lib/{module}')) for path in tree.files('.c', under=f'lib/{module}')}
        problems += [f'lib/{module}/{name}: not in {build}' for name in sorted(there - set(listed))]
        problems += [f'{build}: {name} does not exist' for name in sorted(set(listed) - there)]
        problems += [f'{build}: {name} is listed twice' for name in sorted(set(listed)) if listed.count(name) > 1]
        counted += len(there)
    return tree.report(problems, counted)


if __name__ == '__main__':
    sys.exit(main())
