# SPDX-License-Identifier: Apache-2.0
"""Random numbers are drawn in an order that C fixes: of the arguments of one call, and of the operands of one operator, at most one
draws. Else a seed would make another world with each compiler."""
import re
import sys

import tree

FUNCTION = re.compile(r'^(?P<static>static )?[\w *]*?\b(?P<name>\w+)\((?P<arguments>[^;{}]*)\)\n\{\n(?P<body>.*?)^\}', flags=re.M | re.S)
INLINE = re.compile(r'^(?P<static>static )?[\w *]*?\b(?P<name>\w+)\((?P<arguments>[^;{}]*)\) \{(?P<body>.*)\}$', flags=re.M)
CALL = re.compile(r'\b(\w+)\s*\(')
SOURCES = {'random_next', 'random_below', 'random_width'}
OWN = re.compile(r'->random = |->next\+\+')  # draws from a struct, of numbers or of bytes
# Where C says what comes first. (A comma parts arguments or declarations; in an initializer, where it fixes nothing, it parts items.)
ORDERED = re.compile(r'&&|\|\||[?:;]')


def functions(content):
    found = {}
    for pattern in (FUNCTION, INLINE):
        for match in pattern.finditer(content):
            found[match['name']] = (match['static'] is not None, match['body'], match.start('body'))
    return found


def drawing(files):
    """By file, the names that draw when they are called in it: of its functions, of those of other files that it can see, of the sources."""
    shared, own = set(SOURCES), {path: set() for path in files}
    while True:
        before = len(shared) + sum(map(len, own.values()))
        for path, defined in files.items():
            known = own[path] | (shared - set(defined))
            for name, (static, body, _) in defined.items():
                if OWN.search(body) or any(call in known for call in CALL.findall(body)):
                    own[path].add(name)
                    shared |= set() if static else {name}
        if before == len(shared) + sum(map(len, own.values())):
            return {path: own[path] | (shared - set(defined)) for path, defined in files.items()}


def parts(text):
    """The pieces of an expression between commas that no bracket holds, with their places."""
    depth, start = 0, 0
    for place, letter in enumerate(text):
        if letter in '([{':
            depth += 1
        elif letter in ')]}':
            depth -= 1
        elif letter == ',' and depth == 0:
            yield start, text[start:place]
            start = place + 1
    yield start, text[start:]


def closing(text, start):
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in '([{') - (text[place] in ')]}')
        if depth == 0:
            return place
    return len(text)


def draws(text, names):
    """How many draws an expression may make that no bracket of its own parts or orders: the most between two ordered places."""
    most = here = place = 0
    while place < len(text):
        match = ORDERED.match(text, place)
        if match:
            most, here, place = max(most, here), 0, match.end()
        elif text[place] in '([{':
            end = closing(text, place)
            inside = any(draws(part, names) for _, part in parts(text[place + 1:end]))
            called = re.search(r'(\w+)\s*$', text[:place])
            here += bool(inside or (called and called[1] in names))
            place = end + 1
        else:
            place += 1
    return max(most, here)


def unordered(text, names, offset=0):
    """Places of bracketed lists in which more than one item draws, and of items that draw more than once."""
    place = 0
    while place < len(text):
        if text[place] not in '([{':
            place += 1
            continue
        end = closing(text, place)
        inside = text[place + 1:end]
        if ';' not in inside:  # not a block, not the head of a loop
            counts = [draws(part, names) for _, part in parts(inside)]
            if sum(count > 0 for count in counts) > 1 or max(counts) > 1:
                yield offset + place
        yield from unordered(inside, names, offset + place + 1)
        place = end + 1


def statements(body):
    start = 0
    for place, letter in enumerate(body):
        if letter in ';{}':
            yield start, body[start:place]
            start = place + 1


def problems_of(path, content, own, names):
    for _, body, at in own.values():
        if names.isdisjoint(CALL.findall(body)):
            continue
        places = set(unordered(body, names, at))
        for start, text in statements(body):
            if any(draws(part, names) > 1 for _, part in parts(text)):
                places.add(at + start + len(text) - len(text.lstrip()))
        for line in sorted({content.count('\n', 0, place) + 1 for place in places}):
            yield f'{path}:{line}: which of these is drawn first?'


def main():
    problems = []
    contents = {path: tree.code(tree.text(path)) for path in [*tree.files('.c', '.h', under='tests'), *tree.files('.c', '.h', under='fuzz')]}
    for folder in sorted({path.parent for path in contents}):
        files = {path: functions(content) for path, content in contents.items() if path.parent == folder}
        for path, names in drawing(files).items():
            problems += problems_of(path, contents[path], files[path], names)
    return tree.report(problems, len(contents))


if __name__ == '__main__':
    sys.exit(main())
