# SPDX-License-Identifier: Apache-2.0
"""Versions of Karpenter are named by the table in lib/model/peer.c alone: no other text of the library, the program or a binding lists them."""
import re
import sys

import tree

TABLE = 'lib/model/peer.c'
NAMED = re.compile(r"""["'](?:[^"'\n]*\bkarpenter-)?1\.\d\d["',) ]""")


def main():
    problems, counted = [], 0
    for folder in ('lib', 'bindings', 'examples'):
        for path in tree.files('.c', '.h', '.go', '.py', '.rs', under=folder):
            if str(path) == TABLE or 'test' in str(path):
                continue
            counted += 1
            for number, line in enumerate(tree.text(path).splitlines(), 1):
                code = re.sub(r'^ *""".*|/\*.*|//.*|^ *\*.*|\s#.*', '', line)
                if NAMED.search(code):
                    problems.append(f'{path}:{number}: {line.strip()}: names of versions come from karp_profile_at()')
    return tree.report(problems, counted)


if __name__ == '__main__':
    sys.exit(main())
