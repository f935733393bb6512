# SPDX-License-Identifier: Apache-2.0
"""Form of the files: licence line, no tabs in C, no white space at line ends, length, nothing left to do."""
import re
import sys

import tree

LENGTH = 800  # lines of a source file; generated ones say "Generated" in their first lines
LEFT = re.compile(r'\b(TO' r'DO|FIX' r'ME|X' r'XX|HA' r'CK)\b')
SPDX = 'SPDX-License-Identifier: Apache-2.0'


def faults(path):
    content = tree.text(path)
    lines = content.split('\n')
    head = '\n'.join(lines[:3])
    generated = 'enerated' in '\n'.join(lines[:5])
    if SPDX not in head:
        yield f'{path}:1: no licence line ({SPDX})'
    if content and not content.endswith('\n'):
        yield f'{path}: no newline at the end'
    if path.parts[0] == 'lib' and not generated and len(lines) > LENGTH + 1:
        yield f'{path}: {len(lines) - 1} lines: cut it'
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield f'{path}:{number}: white space at the end'
        if '\t' in line and path.suffix in ('.c', '.h', '.py', '.build'):
            yield f'{path}:{number}: tab'
        if LEFT.search(line):
            yield f'{path}:{number}: {LEFT.search(line).group()}'


def main():
    paths = tree.files('.c', '.h', '.py', '.sh', '.map', '.go', 'meson.build')
    return tree.report([fault for path in paths for fault in faults(path)], len(paths))


if __name__ == '__main__':
    sys.exit(main())
