# SPDX-License-Identifier: Apache-2.0
"""Every public function that takes or fills a struct that begins with `size` has a row for it in test_callers*.c, or a reason here why not."""
import pathlib
import re
import sys

import headers

HERE = pathlib.Path(__file__).resolve().parent
TESTS = ('test_callers.c', 'test_callers_more.c', 'test_callers_rest.c', 'test_callers_compare.c')
# These have tests with rules of their own there.
OWN_RULES = {'karp_error', 'karp_digest'}
OWN_CALLS = {('karp_provider_settings', 'karp_settings')}
# The library takes none of these from a caller and fills none for one, so their sizes are not checked.
NOT_CALLERS = {
    'karp_provider_document': 'the library makes it for plugins, which borrow it',
    'karp_provider_memory': 'karp_provider_memory_new() makes it, and callers pass it on to plugins',
    'karp_provider_problem': 'the library makes it, and plugins fill it in',
    'karp_replay_progress': 'the library makes it for the function `progress`, which borrows it',
}


def sized():
    """The structs whose first member is `size`."""
    return {name for header in headers.public_headers(HERE.parent.parent) for name, fields in headers.structs(header) if fields[:1] == ['size']}


def passed():
    """Each public function with a struct that begins with `size`."""
    kinds, pairs = sized(), set()
    for header in headers.public_headers(HERE.parent.parent):
        text = headers.without_comments(header.read_text())
        for name, arguments in re.findall(r'\bKARP_API\b[^;({]*?\b(karp_\w+)\s*\(([^;]*?)\)\s*;', text, flags=re.S):
            pairs |= {(name, kind) for kind in re.findall(r'(karp_\w+) \*\w+ *(?=,|$)', arguments) if kind in kinds and not name.endswith('_init')}
    return pairs


def tested(text):
    """The functions that the rows' calls call, each with the struct of the row."""
    types = {value: kind for kind, value in re.findall(r'^static (?:const )?(karp_\w+) (\w+)\b', text, flags=re.M)}
    bodies = dict(re.findall(r'^static karp_status (\w+)\(.*?\)\s*(\{.*?\})\n(?=\n|static|\}|[A-Z])', text, flags=re.M | re.S))
    bodies.update(re.findall(r'^(?:GIVE|WRITES)\((\w+),\s*(.*?)\)$', text, flags=re.M | re.S))

    def calls(name):
        words = re.findall(r'\b(?:karp|give|ask)_\w+', bodies.get(name, ''))
        return set(words).union(*(calls(word) for word in words if word in bodies and word != name))

    rows = [(types.get(value), name) for value, name in re.findall(r'\b(?:IN|GROWN)\((\w+), (\w+)', text)]
    rows += re.findall(r'\bOUT\((karp_\w+), \w+, (\w+)\)', text)
    return {(call, kind) for kind, name in rows for call in calls(name)} | {(None, kind) for kind, _ in rows}


def main():
    wanted, found = sized(), set().union(*(tested(headers.without_comments((HERE / name).read_text())) for name in TESTS))
    kinds, excused = {kind for _, kind in found}, OWN_RULES | set(NOT_CALLERS)
    places = {(name, kind) for name, kind in passed() if kind not in excused}
    problems = [f'{name} begins with size, but has no row in {", ".join(TESTS)}' for name in sorted(wanted - kinds - excused)]
    problems += [f'{name} takes or fills a {kind}, but no row of that struct calls it' for name, kind in sorted(places - found - OWN_CALLS)]
    problems += [f'{name} is tested, but listed as a struct that no caller passes' for name in sorted(kinds & set(NOT_CALLERS))]
    problems += [f'{name} is listed here, but no such struct begins with size' for name in sorted(excused - wanted)]
    print('\n'.join(problems) or f'{len(wanted)} structs begin with size; functions take or fill them in {len(places)} places, and rows test them')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
