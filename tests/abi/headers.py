# SPDX-License-Identifier: Apache-2.0
"""What the public headers declare, for the checks beside this file. No C parser: the headers keep to one plain style."""
import pathlib
import re

IO_HEADERS = {'compare.h', 'document.h', 'io.h', 'provider.h', 'recording.h', 'replay.h', 'requests.h', 'tune.h'}


def public_headers(source):
    return sorted((pathlib.Path(source) / 'include' / 'karp').glob('*.h'))


def without_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.S)


def functions(path):
    """Names of the functions that a header exports."""
    return set(re.findall(r'\bKARP_API\b[^;({]*?\b(karp_\w+)\s*\(', without_comments(path.read_text())))


def unstable(path):
    """Those of them that a minor version may change: of a file, or of a comment, that says "Unstable"."""
    text = path.read_text()
    begins = re.search(r'@file.*?\*/', text, flags=re.S)
    if begins and 'Unstable:' in begins.group(0):
        return functions(path)
    return set(re.findall(r'\bUnstable\.\s*\*/\s*KARP_API\b[^;({]*?\b(karp_\w+)\s*\(', text))


def structs(path):
    """(struct, [fields]) of every struct a header defines, in its order."""
    text = without_comments(path.read_text())
    found = []
    for name, body in re.findall(r'typedef\s+struct\s+(karp_\w+)\s*\{(.*?)\}\s*karp_\w+\s*;', text, flags=re.S):
        fields = []
        for member in body.split(';'):
            member = member.strip()
            if not member:
                continue
            pointer = re.match(r'.*?\(\s*\*\s*(\w+)\s*\)\s*\(', member, flags=re.S)
            plain = re.search(r'(\w+)\s*(?:\[[^\]]*\])?$', member)
            fields.append((pointer or plain).group(1))
        found.append((name, fields))
    return found


def texts(path):
    """{struct: [members that are a karp_str]} of a header."""
    text = without_comments(path.read_text())
    bodies = re.findall(r'typedef\s+struct\s+(karp_\w+)\s*\{(.*?)\}\s*karp_\w+\s*;', text, flags=re.S)
    return {name: [word.strip() for names in re.findall(r'(?:^|;)\s*karp_str\s+([\w\s,]+)(?=;)', body) for word in names.split(',')]
            for name, body in bodies}


def constants(path):
    """Names of the enumerators and of the object-like macros with a number for a value."""
    text = without_comments(path.read_text())
    names = []
    for body in re.findall(r'\benum\s*\w*\s*\{(.*?)\}', text, flags=re.S):
        names += [entry.split('=')[0].strip() for entry in body.split(',') if entry.strip()]
    for name, value in re.findall(r'^#define[ \t]+(KARP_\w+)[ \t]+(\S.*)$', text, flags=re.M):
        if name != 'KARP_API' and not name.startswith('KARP_VERSION') and not value.startswith('"'):
            names.append(name)
    return names
