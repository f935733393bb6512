# SPDX-License-Identifier: Apache-2.0
"""Every public struct that begins with `size` has a row in test_callers.c or test_callers_more.c, or a reason here why not."""
import pathlib
import re
import sys

import headers

HERE = pathlib.Path(__file__).resolve().parent
TESTS = ('test_callers.c', 'test_callers_more.c')
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


def tested(text):
    """Structs that come out, and those of the values that go in."""
    values = set(re.findall(r'\b(?:IN|GROWN)\((\w+)', text))
    given = {kind for kind, value in re.findall(r'^static (?:const )?(karp_\w+) (\w+)\b', text, flags=re.M) if value in values}
    return given | set(re.findall(r'\b(?:OUT|THROUGH)\((karp_\w+)', text))


def main():
    wanted, found = sized(), set().union(*(tested(headers.without_comments((HERE / name).read_text())) for name in TESTS))
    problems = [f'{name} begins with size, but has no row in {" or ".join(TESTS)}' for name in sorted(wanted - found - set(NOT_CALLERS))]
    problems += [f'{name} is tested, but listed as a struct that no caller passes' for name in sorted(found & set(NOT_CALLERS))]
    problems += [f'{name} is listed here, but no such struct begins with size' for name in sorted(set(NOT_CALLERS) - wanted)]
    print('\n'.join(problems) or f'{len(wanted)} structs begin with size, {len(wanted & found)} of them are tested')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
