# SPDX-License-Identifier: Apache-2.0
"""karp.h stays small: at most 40 functions, listed on one page of docs/embedding.md, which also names every other header. docs/first-hour.md lists 15
functions, and its programs call these and no other. Comments say since which version something is there."""
import os
import pathlib
import re
import sys

import headers

MOST = 40
FIRST = 15
SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
FOLDER = SOURCE / 'include' / 'karp'


def included(header):
    """Names of the public headers that are seen by who includes this one, itself first."""
    found = [header]
    for name in found:
        found += [other for other in re.findall(r'#include <karp/([\w.]+)>', (FOLDER / name).read_text()) if other not in found]
    return found


def section(title):
    """A section of the page, without what follows it."""
    text = (SOURCE / 'docs' / 'embedding.md').read_text()
    found = re.search(rf'^## {re.escape(title)}\n(.*?)(?=^## |\Z)', text, flags=re.M | re.S)
    return found.group(1) if found else ''


def ages():
    """Comments that name a version which was not released, or is later than this one; what says nothing is of 1.0."""
    now = tuple(map(int, re.findall(r'KARP_VERSION_(?:MAJOR|MINOR) (\d+)', (FOLDER / 'version.h').read_text())))
    for header in [*headers.public_headers(SOURCE), SOURCE / 'include/jansson/karp/jansson.h']:
        text = re.sub(r'\s*\n\s*\*\s*', ' ', header.read_text())
        yield from (f'{header.name}: "Since {since}"' for since in re.findall(r'[Ss]ince (\d+\.\d+)\b', text) if not (1, 0) <= tuple(map(int, since.split('.'))) <= now)


def first_hour():
    """What is wrong with the page of the first hour."""
    text = (SOURCE / 'docs' / 'first-hour.md').read_text()
    listed = re.findall(r'`(karp_\w+)\(\)`', re.search(r'^## The fifteen functions\n(.*?)(?=^## )', text, flags=re.M | re.S).group(1))
    called = set(re.findall(r'\b(karp_\w+)\(', ''.join(re.findall(r'^```c\n(.*?)^```$', text, flags=re.M | re.S))))
    if len(listed) != FIRST or len(set(listed)) != FIRST:
        yield f'docs/first-hour.md lists {len(set(listed))} functions, not {FIRST}'
    yield from (f'docs/first-hour.md: {name}() is listed, or called, alone' for name in sorted(set(listed) ^ called))


def main():
    small = included('karp.h')
    functions = set().union(*(headers.functions(FOLDER / name) for name in small))
    listed = re.findall(r'`(karp_\w+)\(\)`', section('The functions of karp.h'))
    by_name = {header.name for header in headers.public_headers(SOURCE)} - set(small)
    named = set(re.findall(r'^\| `karp/(\w+\.h)` \|', section('Headers that are included by name'), flags=re.M))
    problems = [f'karp.h has {len(functions)} functions, more than {MOST}'] if len(functions) > MOST else []
    problems += [f'docs/embedding.md lists {name}() {listed.count(name)} times' for name in sorted(set(listed)) if listed.count(name) > 1]
    problems += [f'{name}() is not in the table of docs/embedding.md' for name in sorted(functions - set(listed))]
    problems += [f'{name}() of the table in docs/embedding.md is not in karp.h' for name in sorted(set(listed) - functions)]
    problems += [f'docs/embedding.md does not name karp/{name}' for name in sorted(by_name - named)]
    problems += [f'docs/embedding.md names karp/{name}, which is part of karp.h or not there' for name in sorted(named - by_name)]
    problems += [*first_hour(), *ages()]
    print('\n'.join(problems) or f'{len(functions)} functions in karp.h, {len(by_name)} headers by name')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
