# SPDX-License-Identifier: Apache-2.0
"""Headers, version map and library name the same functions.   symbols.py NM LIBRARY MAP core|io"""
import os
import re
import subprocess
import sys

import headers


def mapped(path):
    """{function: version node} of a map; nodes later in the file add to the earlier ones."""
    found = {}
    text = headers.without_comments(open(path).read())
    for node, body in re.findall(r'(KARP\w*[\w.]*)\s*\{(.*?)\}', text, flags=re.S):
        section = 'global'
        for word in re.findall(r'[\w*]+[:;]', body):
            if word.endswith(':'):
                section = word[:-1]
            elif section == 'global':
                if word[:-1] in found:
                    sys.exit(f'{path}: {word[:-1]} is listed twice')
                found[word[:-1]] = node
    return found


def exported(nm, library):
    """{function: version node} of the dynamic symbols that a library defines."""
    lines = subprocess.run([nm, '-D', '--defined-only', '--with-symbol-versions', library],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    for line in lines:
        kind, symbol = line.split()[-2:]
        if kind != 'A':
            name, _, node = symbol.partition('@')
            found[name] = node.lstrip('@')
    return found


def main():
    nm, library, map_path, part = sys.argv[1:]
    declared, unstable = set(), set()
    for header in headers.public_headers(os.environ['KARP_SOURCE']):
        if (header.name in headers.IO_HEADERS) == (part == 'io'):
            declared |= headers.functions(header)
            unstable |= headers.unstable(header)
    in_map, in_library = mapped(map_path), exported(nm, library)
    # Sanitizers and fuzzing instrumentation add symbols of their own.
    foreign = {name for name in in_library if name.startswith('__')}

    problems = []
    for title, names in (
            ('declared in a header, not in the map', declared - set(in_map)),
            ('in the map, not declared in a header', set(in_map) - declared),
            ('declared, not in the library', declared - set(in_library)),
            ('in the library, not declared', set(in_library) - declared - foreign),
            ('unstable by its header, in a stable version node', {n for n in unstable if '_UNSTABLE_' not in in_map.get(n, '_UNSTABLE_')}),
            ('stable by its header, in an unstable version node', {n for n in in_map if '_UNSTABLE_' in in_map[n]} - unstable),
            ('in another version node than the map says',
             {n for n in in_map if n in in_library and in_library[n] != in_map[n]})):
        problems += [f'{title}: {name}' for name in sorted(names)]
    if not declared:
        problems.append('no function was found in the headers')
    print('\n'.join(problems) or f'{len(declared)} functions agree')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
