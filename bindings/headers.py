# SPDX-License-Identifier: Apache-2.0
"""The structs of the public headers, from which the bindings' are made. No C parser: the headers keep to one plain style."""
import dataclasses
import pathlib
import re

INCLUDE = pathlib.Path(__file__).resolve().parent.parent / 'include/karp'
TEXT = re.compile(r'/\*.*?\*/', re.S)


@dataclasses.dataclass
class Member:
    name: str
    base: str  # the type without const and stars: karp_str, uint32_t …; '' = a pointer to a function
    pointer: bool
    array: str  # the number of elements, or ''
    comment: str


def comment_of(text):
    """Of a member: what stands behind it (/**< … */) or before it."""
    said = ' '.join(re.sub(r'^/\*+<?|\*/$', '', part).strip() for part in TEXT.findall(text))
    return re.sub(r'\s*\n\s*\*\s*|\s+', ' ', said).strip()


def member(text, comment):
    declared = ' '.join(TEXT.sub(' ', text).split())
    function = re.match(r'.*?\(\s*\*\s*(\w+)\s*\)\s*\(', declared)
    if function:
        return Member(function[1], '', True, '', comment)
    base, stars, name, array = re.match(r'(.*?)([\s*]+(?:const\b[\s*]*)*)(\w+)\s*(?:\[(\w+)\])?$', declared).groups()
    base = re.sub(r'\b(const|struct)\b', '', base).strip()
    return Member(name, base, '*' in stars, array or '', comment)


def members(body):
    found, at = [], 0
    while True:
        part = re.compile(r'((?:/\*.*?\*/|[^;/]|/(?!\*))*);((?:[ \t]*\n?[ \t]*/\*\*<.*?\*/)?)', re.S).match(body, at)
        if part is None:
            return found
        found.append(member(part[1], comment_of(part[1] + part[2])))
        at = part.end()


def structs():
    """{name: [Member]}, headers by name, structs in their order."""
    found = {}
    for header in sorted(INCLUDE.glob('*.h')):
        for name, body in re.findall(r'typedef\s+struct\s+(karp_\w+)\s*\{(.*?)\n\}\s*karp_\w+\s*;', header.read_text(encoding='utf-8'), re.S):
            found[name] = members(body)
    return found
