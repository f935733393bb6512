# SPDX-License-Identifier: Apache-2.0
"""The errors that a public function lists are those that it can return.

What it can return is read from the sources: the KARP_E_* of its body and of all that it calls, by name or through a table, and the call of a
provider counts as "the plugin's". HANDLED says which of them do not leave a function. Lists are those of the comments in the headers:
"Errors: NOMEM, INVALID", "as karp_x()", "those of karp_x()", "Also: IO" after the function before. What every function may return is said in
base.h, what every writer may return in io.h, what a plugin may return in provider.h, and is not asked for here.
"""
import os
import pathlib
import re
import sys

import headers

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE') or pathlib.Path(__file__).resolve().parents[2])
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
FUNCTION = re.compile(r'^(static\b[^\n;{}]*?|[A-Za-z_][^\n;{}]*?)\b(\w+)\s*\([^;{}]*\)(?:\n\{\n(.*?)^\}| (\{[^\n]*\})$)', re.S | re.M)
TABLE = re.compile(r'^static const [^;{}()\n]*?\b(\w+)\s*(?:\[[^\]\n]*\])*\s*=\s*\{(.*?)\};', re.S | re.M)
CODES = ('NOT_FOUND', 'INTERNAL', 'NOMEM', 'INVALID', 'SYNTAX', 'LIMIT', 'RANGE', 'CANCELED', 'DUPLICATE', 'STATE', 'ABI_SIZE', 'ABI_OLD', 'ABI_NEW', 'IO', 'UNSUPPORTED',
         'PROVIDER')
EVERY = {'INTERNAL', 'INVALID', 'ABI_SIZE', 'ABI_OLD', 'ABI_NEW'}  # of every function
WITH_ERROR = EVERY | {'NOMEM', 'LIMIT', 'CANCELED'}  # of every function that has a karp_error
PLUGIN = {'NOT_FOUND', 'UNSUPPORTED', 'PROVIDER'}

OUTSIDE = ('advise', 'compare', 'io', 'jansson', 'json', 'providers', 'replay')  # what libkarp does not have, and so cannot call

# Which codes do not leave a function, because it makes something else of them, or never calls so that they come.
HANDLED = {
    'in_use_begin': {'STATE'},  # base.h says it of all builders and readers
    'karp_admit': {'UNSUPPORTED'}, 'karp_find_preferences': {'UNSUPPORTED'}, 'decide': {'UNSUPPORTED'},  # they have no objective
    'check_room': {'NOT_FOUND'},  # it asks about the whole queue
    'add_replacement': {'NOT_FOUND'}, 'move_savings': {'NOT_FOUND'},  # the names are those of the snapshot
    'write_cost': {'NOT_FOUND'}, 'write_objective': {'NOT_FOUND'}, 'get_disruption': {'NOT_FOUND'}, 'open_tables': {'NOT_FOUND'}, 'write_saving': {'NOT_FOUND'},  # only when there is one
    # An empty catalogue, and a registry that is empty before.
    'provider_open': {'RANGE'}, 'karp_provider_memory_new': {'RANGE'}, 'karp_provider_registry_new': {'RANGE', 'DUPLICATE'},
    # Its reader takes a catalogue, and nothing else.
    'karp_catalogue_read': {'DUPLICATE', 'IO', 'NOT_FOUND', 'PROVIDER', 'STATE', 'UNSUPPORTED'},
    # Texts and amounts that the library wrote, or has read before.
    'compare_pair': {'RANGE', 'SYNTAX'}, 'put_catalogue': {'UNSUPPORTED'}, 'resource_amount': {'RANGE'}, 'note_scarce': {'RANGE'}, 'write_amount': {'RANGE'},
    'put_amounts': {'RANGE'}, 'share_of': {'RANGE'}, 'count_in': {'RANGE'},
    'io_size_rule_read': {'RANGE'}, 'io_kind_find': {'RANGE'},  # a rule that is not read, a table of kinds
    'read_nodes': {'NOT_FOUND'}, 'design_as_json': {'NOT_FOUND'},  # columns that are there, a cost only when there is one
    'input_as_json': {'IO', 'NOT_FOUND', 'PROVIDER', 'UNSUPPORTED'},  # the reader is finished: its clouds were opened
    'values_json': {'RANGE', 'SYNTAX'}, 'node_claim': {'RANGE', 'SYNTAX'},  # JSON that the library wrote
    'version_words': {'NOT_FOUND'},  # of the version after the last
}


def outside(path):
    return path.relative_to(SOURCE / 'lib').parts[0] in OUTSIDE


class Sources:
    """What calls what."""

    def __init__(self):
        self.bodies, self.shared, self.tables = {}, {}, set()
        for path in sorted((SOURCE / 'lib').rglob('*.c')):
            if 'cli' not in path.parts:
                self.read(path)
        self.calls = {}
        self.getters = {name for header in headers.public_headers(SOURCE) for name in re.findall(r'\b(karp_\w+)\([^;()]*\bsize_t index\b', header.read_text())}

    def read(self, path):
        text = NOISE.sub(' ', path.read_text(encoding='utf-8'))
        for head, name, body, short in FUNCTION.findall(text):
            self.bodies[path, name] = body or short
            if not head.startswith('static'):
                self.shared[name] = path, name
        for name, body in TABLE.findall(text):
            if 'builtin_plugin' not in body and name != 'builtins':  # they are called through provider_answer()
                self.bodies[path, name] = body
                self.tables.add((path, name))

    def below(self, place):
        if place not in self.calls:
            path, name = place
            body = self.bodies[place]
            called = {(path, word) for word in set(re.findall(r'(?<![.>\w])[a-z_]\w+', body)) if (path, word) in self.bodies}
            words = re.findall(r'(?:(?<![.>\w])|\] = )([a-z_]\w+)\s*[(,]' if place not in self.tables else r'\b([a-z_]\w+)\b', body)
            called |= {self.shared[word] for word in words if word in self.shared and (outside(path) or not outside(self.shared[word][0]))}
            codes = set(re.findall(r'(?<![=!]=)(?<!case) KARP_E_(\w+)', ' ' + body.replace('(KARP_E_', '( KARP_E_')))
            self.calls[place] = codes, called - {place}
        return self.calls[place]

    def reached(self, name):
        """{code: the way to it} of what the function can return."""
        if name not in self.shared:
            return None
        found, seen, todo = {}, set(), [(self.shared[name], (), frozenset())]
        while todo:
            place, way, without = todo.pop(0)
            without = without | HANDLED.get(place[1], frozenset())
            if (place, without) in seen:
                continue
            seen.add((place, without))
            codes, called = self.below(place)
            way = *way, place[1]
            for code in codes - without:
                found.setdefault(code, way)
            # Who calls a getter by index knows how many there are.
            todo += [(other, way, without | {'NOT_FOUND'} if other[1] in self.getters else without) for other in called]
        return found


def lists():
    """{function: (header, errors that its comment names, functions that it points to, whether it has a karp_error)}"""
    found = {}
    for header in [*headers.public_headers(SOURCE), SOURCE / 'include/jansson/karp/jansson.h']:
        before = None
        for comment, kind, name, arguments in re.findall(r'/\*\*((?:(?!\*/).)*?)\*/\s*KARP_API\b([^;{]*?)\b(karp_\w+)\s*\(([^;]*?)\);', header.read_text(), flags=re.S):
            if not re.search(r'\bkarp_status\s*$', kind):
                continue
            text = ' '.join(re.sub(r'^\s*\*', ' ', comment, flags=re.M).split())
            said = re.search(r'(Errors(?: of all of them)?:|Also:)(.*?)(?:\.(?= [A-Z])|$)', text) or ['', '', '']
            errors = set(re.findall(r'\b(' + '|'.join(CODES) + r')\b', said[2].replace('ABI_*', '')))
            others = set(re.findall(r'(karp_\w+)\(\)', ' '.join(re.findall(r'\b(?:as|those of) ((?:(?:, | and |)karp_\w+\(\))+)', said[2]))))
            if said[1] == 'Also:' or re.search(r'\bas above\b', said[2]):
                others.add(before)
            if "the plugin's" in said[2]:
                errors |= PLUGIN
            if name.startswith('karp_write_'):
                errors.add('UNSUPPORTED')
            found[name] = header.name, errors, others, 'karp_error' in arguments
            before = name
    return found


def listed_errors(listed, name):
    """With those of the functions that it points to."""
    _, errors, others, _ = listed[name]
    return errors.union(*(listed_errors(listed, other) for other in others))


def main():
    sources, problems, listed = Sources(), [], lists()
    for name, (header, _, _, has_error) in listed.items():
        errors = listed_errors(listed, name)
        reached = sources.reached(name)
        if reached is None:
            problems.append(f'{header}: {name}() is not in lib/')
            continue
        for code in sorted(reached.keys() - errors - (WITH_ERROR if has_error else EVERY)):
            problems.append(f'{header}: {name}() does not list {code}: {" > ".join(reached[code])}')
        for code in sorted(listed[name][1] - reached.keys() - WITH_ERROR):
            problems.append(f'{header}: {name}() lists {code}, which it never returns')
    print('\n'.join(problems) or f'{len(listed)} functions list their errors')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
