# SPDX-License-Identifier: Apache-2.0
"""lib/meson.build names every source file of the modules, and no other."""
import re
import sys

import tree


def main():
    listed = re.findall(r"'((?:%s)/[\w/]+\.c)'" % '|'.join(tree.CORE + tree.OUTSIDE), tree.text('lib/meson.build'))
    if not listed:
        print('the build finds the files by itself')
        return 77
    there = {str(path.relative_to('lib')) for path in tree.files('.c', under='lib')}
    problems = [f'lib/{name}: not in lib/meson.build' for name in sorted(there - set(listed))]
    problems += [f'lib/meson.build: {name} does not exist' for name in sorted(set(listed) - there)]
    problems += [f'lib/meson.build: {name} is listed twice' for name in sorted(set(listed)) if listed.count(name) > 1]
    return tree.report(problems, len(there))


if __name__ == '__main__':
    sys.exit(main())
