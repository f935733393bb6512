# SPDX-License-Identifier: Apache-2.0
"""Makes one C file of many:   one_file.py --header OUT.h HEADER... --source OUT.c SOURCE... [--include FOLDER]...

OUT.h is the public headers in the order in which they need each other (a program has none: --below names what it includes), OUT.c
the sources with the internal headers in front of their first user. In OUT.c every function of an internal header is static, and what two files call by one name has two names, so
that nothing but the public functions is visible outside: the file links beside anything.

The C read here is the project's own: one declaration a statement, no macro that opens a brace or declares at file scope.
"""
import argparse
import itertools
import os
import pathlib
import re
import sys

TOKEN = re.compile(r'''
    (?P<pp>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*) | (?P<comment>/\*.*?\*/|//[^\n]*) | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<word>[A-Za-z_]\w*) | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*) | (?P<space>\s+) | (?P<sign>->|\.\.\.|.)''', re.S | re.M | re.X)
PART = re.compile(TOKEN.pattern.replace(r'(?P<pp>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*) | ', ''), re.S | re.M | re.X)
INCLUDE = re.compile(r'#\s*include\s*[<"]([^>"]+)[>"]')
DEFINE = re.compile(r'#\s*define\s+(\w+)')
TAGS = 'struct', 'union', 'enum'
# What system headers declare beside the C standard, on one system or another. No internal function keeps such a name.
SYSTEM = frozenset('''access accept bind bcmp bcopy bzero cabs chdir chgsign chmod chsize close connect creat cwait daylight dup dup2 environ eof
    execl execv exit fcloseall fcvt fgetchar fileno filelength flushall fork gcvt getcwd getch getpid getw heapwalk index isatty itoa j0 j1 jn kbhit
    labs lfind link listen locking lsearch lseek ltoa matherr memccpy memicmp mkdir mktemp nice onexit open pause pipe poll putch putenv putw
    read recv remove rename rindex rmdir rmtmp select send setmode shutdown sleep socket sopen spawnl spawnv stat strdup stricmp strlwr strnicmp strnset
    strrev strset strupr swab sync system tell tempnam timezone truncate tzname tzset umask ungetch unlink utime wait write y0 y1 yn'''.split())
OPERATORS = tuple('=<>?:|&+-*/%')
SECOND_IS_A_MEMBER = 'offsetof', 'SIZE_THROUGH' # macros whose second argument names one


class File:
    """A source or an internal header: its tokens, what it declares at file scope, what it includes."""

    def __init__(self, path):
        self.path = path
        self.tokens = [(match.lastgroup, match.group()) for match in TOKEN.finditer(path.read_text(encoding='utf-8'))]
        self.includes = [found.group(1) for kind, text in self.tokens if kind == 'pp' and (found := INCLUDE.search(text))]
        self.declared = {}  # (space, name) -> text, space being 'tag' or 'name'
        self.prototypes = {}  # where a statement that declares a function begins -> its name
        self.defined = set()  # functions that have a body here
        self.externs = set()  # where a statement that declares objects of another file begins
        self.inlines = set()  # where a function that is static inline begins
        self.objects = set()  # names declared extern
        self.made = set()  # objects that are here
        self.tags = set()  # those that have a body here
        self.pasted = set()  # names that a macro declares, which may make others of them
        self.seen = set()  # files whose declarations can be seen here
        for statement in statements(self.tokens):
            self.read(statement)

    def read(self, statement):
        if len(statement) == 1 and self.tokens[statement[0]][0] == 'pp':
            found = DEFINE.search(self.tokens[statement[0]][1])
            if found:
                self.declared[('name', found.group(1))] = None
            return
        words = [self.tokens[i][1] for i in statement]
        text = ' '.join(words)
        for space, name in inner(words):
            self.declared[(space, name)] = text
        self.tags.update(name for tag, name, brace in zip(words, words[1:], words[2:]) if tag in TAGS and brace == '{')
        if words[:2] == ['static', 'inline']:
            self.inlines.add(statement[0])
        # Behind a tag without a name stands no tag: `struct { … } list[]` declares list.
        named = ['int' if w in TAGS and words[i + 1:i + 2] == ['{'] else w for i, w in enumerate(words)]
        outer = flat(without_attributes(named))
        if not outer or outer[0] in ('_Static_assert', 'static_assert', ';') or outer[0] == 'extern' and '{' in outer:
            return
        if outer == ['int', '{', ';']:
            return  # `enum { … };` declares only what is inside
        if outer[0] == 'typedef':
            pointer = [outer[i + 2] for i in range(len(outer) - 2) if outer[i:i + 2] == ['(', '*']]
            names = pointer[:1] or [[w for w in outer if re.match(r'[A-Za-z_]', w)][-1]]
            self.declared[('name', names[0])] = text
            return
        call = next((i for i, w in enumerate(outer) if w == '('), None)
        assigned = next((i for i, w in enumerate(outer) if w == '='), len(outer))
        if call == 1 and outer[0].isupper():
            self.declared[('name', outer[2])] = text
            self.pasted.add(outer[2])
            end = behind_parentheses(words)
            if words[0] == outer[0] and end < len(words):
                self.read(statement[end:])
            return
        if call is not None and call < assigned and re.match(r'[A-Za-z_]', outer[call - 1]):
            self.declared[('name', outer[call - 1])] = text
            if words[-1] == ';' and not {'static', 'extern'} & set(outer):
                self.prototypes[statement[0]] = outer[call - 1]
            elif words[-1] == '}':
                self.defined.add(outer[call - 1])
            return
        for name in declarators(outer):
            self.declared[('name', name)] = text
            (self.objects if outer[0] == 'extern' else self.made).add(name)
            if outer[0] == 'extern':
                self.externs.add(statement[0])
            if outer[0] not in ('static', 'extern'):
                self.prototypes.setdefault(statement[0], name)  # `callback a, b;` declares functions


def behind_parentheses(words):
    """The index behind the first parentheses, which close what they open."""
    depth = 0
    for i, word in enumerate(words):
        depth += (word == '(') - (word == ')')
        if word == ')' and depth == 0:
            return i + 1
    return len(words)


def statements(tokens):
    """Lists of the indices of tokens that count, one list a statement at file scope."""
    statement, braces, parentheses = [], 0, 0
    for i, (kind, text) in enumerate(tokens):
        if kind in ('space', 'comment'):
            continue
        if kind == 'pp':
            yield [i]
            continue
        statement.append(i)
        if kind == 'text':
            continue
        parentheses += (text == '(') - (text == ')')
        braces += (text == '{') - (text == '}')
        body = text == '}' and braces == 0 and is_function(tokens, statement)
        linkage = text == '{' and braces == 1 and [tokens[k][1] for k in statement[:2]] == ['extern', '"C"']
        if linkage:
            braces, statement = 0, []
        elif text == '}' and braces < 0:
            braces, statement = 0, []
        elif body or text == ';' and braces == 0 and parentheses == 0:
            yield statement
            statement = []


def is_function(tokens, statement):
    words = [tokens[i][1] for i in statement]
    return words[words.index('{') - 1] == ')' and words[0] != 'typedef'


def without_attributes(words):
    left, depth, inside = [], 0, False
    for word in words:
        inside = inside or word == '__attribute__'
        if not inside:
            left.append(word)
        elif word in ('(', ')'):
            depth += 1 if word == '(' else -1
            inside = depth > 0
    return left


def flat(words):
    """A statement without what is in braces and brackets."""
    depth, left = 0, []
    for word in words:
        depth -= word in ('}', ']')
        if depth == 0 and word not in ('}', ']'):
            left.append(word)
        depth += word in ('{', '[')
    return left


def declarators(outer):
    """The names that a statement without functions declares, of `const T a[] = { … }, *b;` a and b."""
    names, depth, last, value = [], 0, None, False
    for word in outer:
        depth += (word == '(') - (word == ')')
        if depth:
            continue
        if word in (',', ';', '='):
            if not value and last not in (None, *TAGS):
                names.append(last)
            value = word == '='
            last = None
        elif re.match(r'[A-Za-z_]', word) and not value:
            previous, last = last, word
            if previous in TAGS:
                last = None
    return names


def inner(words):
    """Tags, and constants of enumerations, at any depth."""
    for i, word in enumerate(words):
        if word in TAGS and i + 1 < len(words) and words[i + 1] != '{':
            yield 'tag', words[i + 1]
        if word == 'enum' and '{' in words[i:i + 3]:
            start = words.index('{', i)
            expected, depth = True, 0
            for later in words[start + 1:]:
                if later == '}' and depth == 0:
                    break
                depth += (later == '(') - (later == ')')
                if expected:
                    yield 'name', later
                expected = later == ',' and depth == 0


def by_header(path):
    return path.suffix != '.h', path


class Program:
    def __init__(self, folders, public):
        self.folders, self.public = folders, public
        self.files, self.bodies = {}, None

    def find(self, name, beside):
        for folder in (beside.parent, *self.folders):
            if (folder / name).is_file():
                return (folder / name).resolve()
        return None

    def load(self, path):
        """The file and all it includes; a file sees what those see."""
        if path in self.files:
            return self.files[path]
        file = self.files[path] = File(path)
        for name in file.includes:
            found = self.find(name, path)
            if found is not None:
                file.seen |= {found} | self.load(found).seen
        return file

    @property
    def defined(self):
        """Functions that have a body somewhere: no other may be declared static."""
        if self.bodies is None:
            self.bodies = set().union(*(file.defined for file in self.files.values()))
        return self.bodies

    def rename(self):
        """Gives a name of its own to each thing of those that share one: self.new is (file, space, name) -> new name.

        What is declared in two files is one thing when some source sees both.
        """
        owners = {}
        for path, file in sorted(self.files.items()):
            for key in file.declared:
                owners.setdefault(key, []).append(path)
        sources = [(path, file.seen | {path}) for path, file in self.files.items() if path.suffix == '.c']
        tags, made, objects = (set().union(*(getattr(file, of) for file in self.files.values())) for of in ('tags', 'made', 'objects'))
        self.new = {}
        for (space, name), where in owners.items():
            if space == 'tag' and name not in tags or space == 'name' and name in objects - made:
                continue  # it is the system's
            if space == 'name' and name in SYSTEM and not self.public & set(where):
                self.new.update({(path, space, name): f'{name}__karp' for path in where})
            if len(where) < 2:
                continue
            things = Joined(where)
            for path, seen in sources:
                things.join([other for other in where if other in seen])
            if len(things.groups()) < 2:
                continue
            # One keeps the name: what is public, or made by a macro, else what a header declares.
            kept = None if name in SYSTEM else min(things.groups(), key=lambda group: self.rank(group, name))
            others = sorted((group for group in things.groups() if group is not kept), key=min)
            for number, group in enumerate(others, 2):
                self.new.update({(path, space, name): f'{name}__{number}' for path in group})
        for path, file in self.files.items():
            if path not in self.public:
                self.new.update({(path, 'name', name): f'KARP_OBJECT({name})' for name in file.objects & made})

    def rank(self, group, name):
        return (not self.public & set(group), not any(name in self.files[path].pasted for path in group), min(map(by_header, group)))

    def names_in(self, file):
        """(space, name) -> new name, as this file sees them."""
        return {key[1:]: new for key, new in self.new.items() if key[0] in file.seen or key[0] == file.path}


class Joined:
    """Sets that become one."""

    def __init__(self, members):
        self.group = {member: [member] for member in members}

    def join(self, members):
        for member in members[1:]:
            ours, others = self.group[members[0]], self.group[member]
            if ours is not others:
                ours += others
                self.group.update({other: ours for other in others})

    def groups(self):
        return list({id(group): group for group in self.group.values()}.values())


def members(words):
    """The places of names of members among the tokens that count."""
    found, stack = set(), []
    for i, word in enumerate(words):
        if word == '{':
            tagged = i > 0 and words[i - 1] in TAGS[:2] or i > 1 and words[i - 2] in TAGS[:2]
            stack.append(tagged)
        elif word == '}' and stack:
            stack.pop()
        elif stack and stack[-1] and re.match(r'[A-Za-z_]', word) and i + 1 < len(words) and words[i + 1] in (';', ',', '[', ':', ')'):
            # `int a, b[2]; T (*call)(…);` but not the argument of a macro
            if words[i - 1] not in TAGS and (words[i + 1] != ')' or words[i - 2:i] == ['(', '*']):
                found.add(i)
    return found


def renamed(tokens, known):
    """The tokens as text, with new names where the old ones mean what `known` says."""
    counted = [i for i, (kind, _) in enumerate(tokens) if kind not in ('space', 'comment', 'pp')]
    words = [tokens[i][1] for i in counted]
    kept = members(words)
    place = {i: k for k, i in enumerate(counted)}
    for i, (kind, text) in enumerate(tokens):
        if kind == 'pp':
            head = re.match(r'\s*#\s*\w+\s*', text).group()
            parts = [(m.lastgroup, m.group()) for m in PART.finditer(text[len(head):])]
            yield head + ''.join(renamed(parts, known)) if 'include' not in head else text
            continue
        k = place.get(i)
        if kind != 'word' or k in kept or k > 0 and words[k - 1] in ('.', '->') or k > 3 and words[k - 2] == ',' and words[k - 4] in SECOND_IS_A_MEMBER:
            yield text
        elif k > 3 and words[k - 1] == ',' and SECOND_IS_A_MEMBER.count(words[max(0, k - 4)]) + SECOND_IS_A_MEMBER.count(words[max(0, k - 5)]):
            yield text
        else:
            space = 'tag' if k > 0 and words[k - 1] in TAGS else 'name'
            yield known.get((space, text), text)


class Writer:
    def __init__(self, program, first=(), left_out=()):
        self.program, self.done, self.parts, self.system, self.left_out = program, set(first), [], set(), left_out

    def guard(self, path):
        """The condition under which a file is there: for a header, while some source that sees it is. '' = always."""
        if path.suffix == '.c':
            return self.switch_of(path)
        if path in self.program.public:
            return ''
        users = {self.switch_of(other) for other in self.program.files if other.suffix == '.c' and path in self.program.files[other].seen}
        return '' if '' in users else ' || '.join(sorted(users))

    def switch_of(self, source):
        place = '/'.join(source.parts[-2:])
        return next((f'!defined({switch})' for switch, start in self.left_out if place.startswith(start)), '')

    def before(self, file, i):
        """What stands before the statement of an internal header that begins with this token."""
        if file.prototypes.get(i) in self.program.defined:
            return 'KARP_LOCAL '
        return 'KARP_UNUSED ' if i in file.inlines else 'KARP_TABLE ' if i in file.externs else ''

    def add(self, path):
        if path in self.done:
            return
        self.done.add(path)
        file = self.program.load(path)
        known = self.program.names_in(file)
        internal = path.suffix == '.h' and path not in self.program.public
        pieces, depth, own, condition = [], 0, [], self.guard(path)
        guarded = path.suffix == '.h' and not internal  # internal headers say #pragma once
        for (kind, old), new in zip(file.tokens, [*renamed(file.tokens, known)]):
            pieces.append((kind, old, new))
        for name in file.includes:  # they stand in front, with the system's headers that they need
            local = self.program.find(name, path)
            if local is not None:
                self.add(local)
        out = []
        for i, (kind, old, new) in enumerate(pieces):
            if kind != 'pp':
                out.append(self.before(file, i) + new if internal else new)
                continue
            directive = old.strip()
            if directive == '#pragma once':
                continue
            depth += directive.startswith(('#if',)) - directive.startswith('#endif')
            found = INCLUDE.search(old)
            defined = DEFINE.search(old)
            if found:
                if self.program.find(found.group(1), path) is not None:
                    continue
                if depth == guarded:
                    if found.group(1) in self.system:
                        continue
                    if not condition:  # what is under one is not there for others
                        self.system.add(found.group(1))
            if defined and path.suffix == '.c':
                own.append(known.get(('name', defined.group(1)), defined.group(1)))
            if directive.startswith('#undef') and directive.split()[1] in own:
                own.remove(directive.split()[1])
            out.append(new)
        text = re.sub(r'\n{3,}', '\n\n', ''.join(out).strip().replace('/* SPDX-License-Identifier: Apache-2.0 */\n', '', 1))
        text += '\n' + ''.join(f'#undef {macro}\n' for macro in dict.fromkeys(own))
        name = '/'.join(path.parts[-2:])
        self.parts.append((condition, f'/* ==== {name} */\n{text}'))

    @property
    def text(self):
        """The files one below another, those under one condition in one #if."""
        out = []
        for condition, group in itertools.groupby(self.parts, key=lambda part: part[0]):
            text = '\n'.join(text for _, text in group)
            out.append(f'#if {condition}\n{text}#endif\n' if condition else text)
        return '\n'.join(out)


def short(text):
    """Without indentation, statements on one line, a function's first brace behind its head and last braces behind what they end, without
    empty lines and the spaces that part nothing, and of the comments only the names of files: a third less."""
    tokens, open_brackets = [], 0
    for match in TOKEN.finditer(text):
        kind, part = match.lastgroup, match.group()
        if kind == 'sign':
            open_brackets += (part in '([') - (part in ')]')
        if kind == 'comment' and not part.startswith('/* ====') or kind == 'space' and open_brackets > 0:
            kind, part = 'space', ' '
        if part != ' ' or tokens[-1:] != [('space', ' ')]:
            tokens.append((kind, part))
    text = ''.join(part for i, (_, part) in enumerate(tokens) if part != ' ' or not needless(tokens, i))
    text = re.sub(r'[ \t]+$', '', text, flags=re.M)
    text = re.sub(r'\n\n+', '\n', text)
    text = re.sub(r'^(?: {4})+', '\t', text, flags=re.M)
    joined = 1
    while joined:
        text, joined = re.subn(r'^(\t.*[;}])\n\t\}', r'\1}', text, flags=re.M)
    text = re.sub(r'^(?!#)(.*\))\n\{$', r'\1{', text, flags=re.M)
    text = re.sub(r'^(\t.*[;}])\n\}$', r'\1}', text, flags=re.M)
    text = re.sub(r'^\t', '', text, flags=re.M)
    return re.sub(r' +\\$', r' \\', text, flags=re.M)


def needless(tokens, i):
    """Whether what stands on both sides of the space at i is read as two without it."""
    (kind, left), (next_kind, right) = (tokens[k] if 0 <= k < len(tokens) else ('space', '') for k in (i - 1, i + 1))
    if kind == 'sign' and next_kind == 'sign':
        return left != right and left + right != '/*' or left not in OPERATORS
    if 'sign' not in (kind, next_kind) or kind == 'comment' or next_kind == 'comment':
        return False
    return kind != 'number' or left[-1] not in 'eEpP' and right != '.'


HEAD = '''/* SPDX-License-Identifier: Apache-2.0 */
/* Generated by lib/one_file.py from the sources of libkarp {version}; change those. */
'''
LOCAL = '''#if defined(__GNUC__)
#define KARP_UNUSED __attribute__((unused))
#else
#define KARP_UNUSED
#endif
#if !defined(KARP_LOCAL) /* a build that tests what is inside sets this and the next two */
#define KARP_LOCAL KARP_UNUSED static
#endif
#if !defined(KARP_TABLE)
#define KARP_TABLE
#endif
#if !defined(KARP_OBJECT)
#define KARP_OBJECT(name) {prefix}__##name /* each library's own: both have some tables, and may be linked into one program */
#endif
'''


def write(path, text):
    """At once: who reads it meanwhile finds the old one or the new one."""
    path = pathlib.Path(path)
    new = path.with_name(f'.{path.name}.{os.getpid()}')
    new.write_text(text, encoding='utf-8')
    new.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--version', default='')
    parser.add_argument('--include', action='append', default=[], type=pathlib.Path)
    parser.add_argument('--header', nargs='+', default=[], metavar='FILE')
    parser.add_argument('--below', nargs='*', default=[], metavar='FILE', help='public headers that the first one includes')
    parser.add_argument('--source', nargs='+', default=[], metavar='FILE')
    parser.add_argument('--define', action='append', default=[], metavar='NAME=VALUE')
    parser.add_argument('--implies', action='append', default=[], metavar='NAME=OTHER', help='a switch that needs another')
    parser.add_argument('--switch', action='append', default=[], metavar='NAME=START', help='sources that a macro leaves out, by folder/start of the name')
    given = parser.parse_args()
    paths = [pathlib.Path(p).resolve() for p in given.header[1:]]
    below = {pathlib.Path(p).resolve() for p in given.below[1:]}
    sources = [pathlib.Path(p).resolve() for p in given.source[1:]]
    program = Program([folder.resolve() for folder in given.include], set(paths) | below)
    for path in (*sorted(below), *paths, *sources):
        program.load(path)
    program.rename()
    head = HEAD.format(version=given.version)

    included = pathlib.Path((given.header or given.below)[0]).name
    if given.header:
        header = Writer(program, below)
        for path in paths:
            header.add(path)
        guard = re.sub(r'\W', '_', included.upper()) + '_ONE'
        lower = f'#include "{given.below[0]}"\n\n' if given.below else ''
        write(given.header[0], f'{head}#ifndef {guard}\n#define {guard}\n\n{lower}{header.text}\n#endif\n')

    source = Writer(program, set(paths) | below, [tuple(switch.split('=')) for switch in given.switch])
    for path in sources:
        source.add(path)
    defines = ''.join(f'#define {d.replace("=", " ")}\n' for d in given.define)
    for switch, other in (pair.split('=') for pair in given.implies):
        defines += f'#if defined({switch}) && !defined({other})\n#define {other}\n#endif\n'
    local = LOCAL.replace('{prefix}', pathlib.Path(given.source[0]).stem.replace('-', '_'))
    write(given.source[0], head + short(f'{defines}#include "{included}"\n{local}\n{source.text}'))


if __name__ == '__main__':
    sys.exit(main())
