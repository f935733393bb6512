# SPDX-License-Identifier: Apache-2.0
"""Cases as text: documents in, the expected decision in the comments at their head. See scheduling/README.md.

    test_text_cases.py [GLOB]    the files below tests/cases/scheduling whose path matches; all without GLOB
"""
import re
import sys

from text_case import Wrong, compare_launches, long_names, main, split_facets


class Run:
    """One command line of a case and what has to come out."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.launches, self.placements, self.failed, self.ignored = [], {}, {}, {}

    def expect(self, line):
        match = re.fullmatch(r'(launch|place|fail|ignore) ([^\s:]+):?\s*(.*)', line)
        if not match:
            raise Wrong(f'not understood: {line}')
        verb, name, rest = match.groups()
        if verb == 'launch':
            self.launches.append((name, *split_facets(rest)))
        elif verb == 'place':
            self.placements[name] = long_names(rest.split())
        else:
            (self.failed if verb == 'fail' else self.ignored)[long_names([name])[0]] = rest.strip()

    def compare(self, plan):
        yield from compare_launches(self.launches, plan['launches'])
        placed = {p['node']: p['pods'] for p in plan['placements']}
        if placed != self.placements:
            yield f'placements are {placed}'
        for member, wanted in (('unschedulable', self.failed), ('ignored', self.ignored)):
            got = {row['pod']: row['code'] for row in plan[member]}
            if got != wanted and (set(got) != set(wanted) or any(code and got[pod] != code for pod, code in wanted.items())):
                yield f'{member} is {got}'


sys.exit(main('scheduling', 'plan', Run))
