# SPDX-License-Identifier: Apache-2.0
"""A header of lib/ declares functions for others: each is called outside the file that has it, by lib/ or by the tests. Others are static."""
import collections
import re
import sys

import tree

DECLARED = re.compile(r'^(?!static|typedef|#)(?:extern )?[A-Za-z_][\w *]*?\b(\w+)\s*\(', flags=re.M)


def main():
    words = {}
    for folder in ('lib', 'tests', 'fuzz', 'bindings', 'examples'):
        for path in tree.files('.c', '.h', under=folder):
            words[path] = collections.Counter(re.findall(r'\b\w+\b', tree.code(tree.text(path))))
    headers = [path for path in words if path.parts[0] == 'lib' and path.suffix == '.h']
    problems = []
    for header in headers:
        for name in DECLARED.findall(tree.code(tree.text(header))):
            inline = words[header][name] > 1  # called by an inline function of the header
            users = [path for path in words if path != header and words[path][name]]
            if not inline and len(users) < 2 and not name.startswith('__'):
                problems.append(f'{header}: {name}() is used in {users[0] if users else "no file"} alone')
    return tree.report(problems, len(headers))


if __name__ == '__main__':
    sys.exit(main())
