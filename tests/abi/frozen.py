# SPDX-License-Identifier: Apache-2.0
"""What the headers of a release declare is declared the same now: nothing but additions.

For each folder of previous/: functions have the same declarations, structs the same members at the same places (with `size` in front they may
have more at their end), constants the same values. No struct that may grow is inside another. What the headers of before call unstable is left out.
Unlike `dump`, it needs no other tool.
"""
import re
import sys

import headers
import previous

HERE = previous.HERE
JANSSON = previous.SOURCE / 'include/jansson/karp'


def declarations(folder):
    """{function: its declaration} of the headers in a folder, without those that are unstable."""
    found = {}
    for header in sorted(folder.glob('*.h')):
        loose = headers.unstable(header)
        for text in re.findall(r'\bKARP_API\b([^;{]*);', headers.without_comments(header.read_text())):
            name = re.search(r'\b(karp_\w+)\s*\(', text)
            if name and name[1] not in loose:
                found[name[1]] = re.sub(r'\s*([(),*])\s*', r'\1', ' '.join(text.split()))
    return found


def is_loose(header):
    return re.search(r'@file.*?Unstable:.*?\*/', header.read_text(), flags=re.S)


def members(folder, also_loose=False):
    """{struct: declarations of its members} of the stable headers, or of all."""
    found = {}
    for header in sorted(folder.glob('*.h')):
        if also_loose or not is_loose(header):
            for name, body in re.findall(r'typedef\s+struct\s+(karp_\w+)\s*\{(.*?)\}\s*karp_\w+\s*;', headers.without_comments(header.read_text()), flags=re.S):
                found[name] = [' '.join(member.split()) for member in body.split(';') if member.strip()]
    return found


def grows(declared):
    """Whether a struct may have more members; a plugin's table has its size third."""
    return any(re.fullmatch(r'size_t size', member) for member in declared[:3])


def same(old, new):
    """A reserved member may get a meaning."""
    return old == new or re.fullmatch(r'(\w+) reserved\w*', old) and old.split()[0] == new.split()[0]


def values(path):
    return dict(line.split() for line in path.read_text().splitlines())


# They end with a struct that may grow; whatever follows later is found by the size of that.
ENDS_WITH_SIZED = {'karp_daemon_set', 'karp_json_document'}


def embedded(folders):
    """Structs with `size` inside others: they could not grow."""
    found = {name: listed for folder in folders for name, listed in members(folder, also_loose=True).items()}
    sized = {name for name, listed in found.items() if listed[0] == 'size_t size'}
    for name, listed in found.items():
        inside = [i for i, member in enumerate(listed) if member.split()[0] in sized and '*' not in member and '(' not in member]
        if inside and not (name in ENDS_WITH_SIZED and inside == [len(listed) - 1]):
            yield f'{name} has a struct inside that begins with size: {listed[inside[0]]}'


def changes(before):
    """What is not as it was."""
    old, new = before / 'include/karp', previous.SOURCE / 'include/karp'
    now = {**declarations(new), **declarations(JANSSON)}
    for name, text in declarations(old).items():
        if now.get(name) != text:
            yield f'{name}() of {before.name} was declared as\n  {text}\nand is now\n  {now.get(name, "not declared")}'
    structs, present = members(old), {**members(new), **members(JANSSON)}
    for name, listed in structs.items():
        there = present.get(name, [])
        if len(there) < len(listed) or not all(map(same, listed, there)) or (len(there) > len(listed) and not grows(listed)):
            yield f'{name} of {before.name} has other members: {listed}\nand now {there}'
    loose = {name for header in old.glob('*.h') if is_loose(header) for name in headers.constants(header)}
    here = values(HERE / 'layout.txt')
    for name, value in values(before / 'layout.txt').items():
        struct, _, member = name.partition('.')
        if (struct.startswith('karp_') and struct not in structs) or name in loose or member.startswith('reserved'):
            continue
        larger = not member and struct in structs and grows(structs[struct]) and int(here.get(name, 0)) > int(value)
        if here.get(name) != value and not larger:
            yield f'{name} of {before.name} was {value} and is now {here.get(name, "gone")}'


def main():
    sets = previous.header_sets()
    problems = [problem for before in sets for problem in changes(before)] + list(embedded([previous.SOURCE / 'include/karp', JANSSON]))
    checked = sum(len(declarations(before / 'include/karp')) for before in sets)
    if not checked:
        problems.append('there is nothing to compare with')
    print('\n'.join(problems) or f'{checked} functions of {len(sets)} sets of headers are as they were')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
