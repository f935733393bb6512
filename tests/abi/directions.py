# SPDX-License-Identifier: Apache-2.0
"""What the linker sees points one way, too: no module refers to a function or object of a module that it may not use, by the table in
docs/architecture.md. Public functions count, except for modules that may use the "public headers".   directions.py NM ARCHIVE...
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE']) / 'tests' / 'lint'))
import tree  # noqa: E402

PUBLIC = set(re.findall(r'^    (\w+);', tree.text('lib/libkarp.map') + tree.text('lib/libkarp-io.map'), re.M))


def objects(nm, archive):
    """[(module, file, defined, undefined)] of an archive's objects."""
    found = []
    for line in subprocess.run([nm, archive], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if line.endswith(':'):
            file = re.sub(r'(\.c)?\.o(bj)?$', '', line[:-1].split('/')[-1])
            found.append((file.split('_')[0], file, set(), set()))
        elif len(words) == 2 and words[0] in 'Uw':
            found[-1][3].add(words[1])
        elif len(words) == 3 and words[1] in 'TDBRCVWS':
            found[-1][2].add(words[2])
    return found


def main():
    problems, counted = [], 0
    for archive in sys.argv[2:]:
        known = [one for one in objects(sys.argv[1], archive) if one[0] in tree.BELOW]
        home = {name: module for module, _, defined, _ in known for name in defined}
        for module, file, _, undefined in known:
            uses = tree.BELOW[module]
            for name in sorted(undefined & set(home)):
                counted += 1
                if home[name] not in uses | {module} and not ('public headers' in uses and name in PUBLIC):
                    problems.append(f'lib/{file.replace("_", "/", 1)}.c: {name} is in lib/{home[name]}, which {module} does not use')
    if counted < 1000 and not problems:
        print(f'only {counted} references were found: the archive is made of one file, or nm prints something else')
        return 77
    return tree.report(problems, counted)


if __name__ == '__main__':
    sys.exit(main())
