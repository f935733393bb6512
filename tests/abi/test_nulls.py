# SPDX-License-Identifier: Apache-2.0
"""NULL in every place of every public function that takes a pointer.

The calls are generated from the headers, so that no function can be left out: each of its pointers is NULL once while all
else is valid, and all of them are together; each of its texts, and of those in its structs, is once five bytes at NULL. What takes a karp_error answers with a status, KARP_E_INVALID where it has
nowhere to put what it makes; freeing, holding and initialising take NULL. Getters do not look: with instrumented libraries
("Checked calls" of docs/memory-and-threads.md) they stop with a diagnosis.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import headers

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
HERE = SOURCE / 'tests/abi/nulls'
INVALID = -3
# Members that a call does not read: the library fills them in, or a template has none of its pods' own.
UNREAD = {'karp_provider_launch': {'capacity_type', 'tenancy'},
          'karp_builder_add_pod_template': {'node_name', 'nominated_node_name', 'priority_class_name', 'group_name'}}
NUMBERS = ('uint32_t', 'int32_t', 'int64_t', 'double', 'char')


def functions():
    """(return type, name, [(type, name, array?)]) of everything that is exported."""
    found = []
    for header in headers.public_headers(SOURCE):
        text = headers.without_comments(header.read_text())
        for returns, name, words in re.findall(r'\bKARP_API\b\s*([^;({]*?)\b(karp_\w+)\s*\(([^;]*?)\)\s*;', text, flags=re.S):
            arguments = []
            for word in [] if words.strip() == 'void' else words.split(','):
                kind, argument, array = re.fullmatch(r'(.*?)(\w+)(\[\w*\])?', ' '.join(word.split())).groups()
                arguments.append((kind.strip(), argument, array))
            found.append((' '.join(returns.split()), name, arguments))
    return found


def plain(kind):
    return kind.replace('const ', '').replace('struct ', '').rstrip('* ').strip()


def is_pointer(argument):
    return argument[0].endswith('*') or argument[2] is not None


def value(argument, structs, members):
    """A valid value in C."""
    kind, _, array = argument
    of = plain(kind)
    if array or kind.startswith('struct Arrow'):
        return 'room(256, 0)'
    if kind.endswith('**') or kind in ('size_t *', 'uint32_t *', 'int32_t *', 'int64_t *', 'uint64_t *', 'double *', 'const double *', 'karp_str *', 'void *', 'const void *'):
        return 'room(64, 0)'
    if kind == 'const char *':
        return '"x"'
    if kind == 'karp_error *':
        return '&w.error'
    if kind.endswith('*'):
        if of.removeprefix('karp_') in members and of not in structs:
            return f'w.{of.removeprefix("karp_")}'
        if of == 'karp_provider_memory':
            return 'w.provider_memory'
        if of in structs:
            return f'room(sizeof({of}), {int(structs[of][:1] == ["size"])})'
        sys.exit(f'{kind}: tests/abi/nulls/world.h has none of these')
    if of == 'karp_str':
        return 'S("x")'
    if of in structs:
        return f'*({of} *)room(sizeof({of}), 0)'
    return '1' if of == 'size_t' else '0'


def program(instrumented):
    structs = {name: fields for header in headers.public_headers(SOURCE) for name, fields in headers.structs(header)}
    texts = {of: names for header in headers.public_headers(SOURCE) for of, names in headers.texts(header).items()}
    members = set(re.findall(r'^    karp_\w+ \*(\w+);', (HERE / 'world.h').read_text(), flags=re.M))
    lines, table = ['#include "world.h"', ''], []
    for returns, name, arguments in functions():
        # Texts, and what calls without a karp_error fill: INVALID, and nothing else.
        told = any(argument[0] == 'karp_error *' for argument in arguments)
        strict = [i for i, argument in enumerate(arguments) if argument[0] == 'karp_str']
        if strict and not told:
            strict += [i for i, argument in enumerate(arguments) if is_pointer(argument) and plain(argument[0]) in NUMBERS]
        for absent in strict if returns == 'karp_status' else []:
            empty = '(karp_str){ NULL, 5 }' if arguments[absent][0] == 'karp_str' else 'NULL'
            values = [empty if i == absent else value(argument, structs, members) for i, argument in enumerate(arguments)]
            lines.append(f'static int call_{len(table)}(void) {{ return (int){name}({", ".join(values)}); }}')
            table.append((INVALID, False, name, [arguments[absent]]))
        for i, argument in enumerate(arguments) if told and returns == 'karp_status' else []:
            of = plain(argument[0])
            for member in sorted(set(texts.get(of, [])) - UNREAD.get(of, set()) - UNREAD.get(name, set())) if re.fullmatch(r'const \w+ \*', argument[0]) and structs.get(of, [''])[0] == 'size' else []:
                values = [f'&({of}){{ .size = sizeof({of}), .{member} = {{ NULL, 5 }} }}' if k == i else value(other, structs, members)
                          for k, other in enumerate(arguments)]
                lines.append(f'static int call_{len(table)}(void) {{ return (int){name}({", ".join(values)}); }}')
                table.append((INVALID, False, f'{name}, {of}.{member}', [argument]))
        pointers = [i for i, argument in enumerate(arguments) if is_pointer(argument) and argument[0] != 'karp_error *']
        works = returns == 'karp_status' and any(argument[0] == 'karp_error *' for argument in arguments)
        harmless = re.search(r'_(free|unref|ref|init)$', name) is not None
        if not pointers or not (works or harmless or instrumented):
            continue
        for absent in [[i] for i in pointers] + ([pointers] if len(pointers) > 1 else []):
            if harmless and not instrumented and len(pointers) > 1:
                continue
            values = ['NULL' if i in absent else value(argument, structs, members) for i, argument in enumerate(arguments)]
            call = f'{name}({", ".join(values)})'
            number = len(table)
            body = f'return (int){call};' if returns == 'karp_status' else f'(void){call}; return 0;' if returns != 'void' else f'{call}; return 0;'
            lines.append(f'static int call_{number}(void) {{ {body} }}')
            table.append((works, harmless, name, [arguments[i] for i in absent]))
    lines += ['', 'static int (*const calls[])(void) = {', *(f'    call_{i},' for i in range(len(table))), '};', '',
              'int main(void)', '{', '    make_world();', '    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {',
              '        fprintf(stderr, "call %zu\\n", i);', '        int answer, how = apart(calls[i], &answer);',
              '        printf("%zu %d %d\\n", i, how, answer);', '    }', '    return 0;', '}', '']
    return '\n'.join(lines), table


def sanitizers():
    options = json.loads((BUILD / 'meson-info/intro-buildoptions.json').read_text())
    return next((option['value'] for option in options if option['name'] == 'b_sanitize'), 'none')


def wrong(entry, how, answer, said):
    works, harmless, _, absent = entry
    if how != 0 and (works or harmless):
        return f'ended by signal {how}' if how < 256 else f'ended with status {how - 256}'
    if how != 0 and not re.search(r'runtime error|Sanitizer', said):
        return 'ended without a diagnosis'
    if not works:
        return None
    if works == INVALID:
        return None if answer == INVALID or answer < 0 and '.' in entry[2] else f'answered {answer}, not INVALID'
    if answer > 0:
        return f'answered {answer}, which is no status'
    out = [argument for argument in absent if argument[0].endswith('**') and not argument[0].startswith('const')]
    if out and answer != INVALID:
        return f'answered {answer} without a place for what it makes'
    return None


def main():
    libraries = BUILD / 'lib'
    if not list(libraries.glob('libkarp-io.so*')):
        print('there are no shared libraries to link')
        return 77
    kind = sanitizers()
    instrumented = kind != 'none'
    text, table = program(instrumented)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'nulls.c').write_text(text)
        subprocess.run([*os.environ['KARP_CC'].split(), '-std=gnu11', '-w', '-O0', *([f'-fsanitize={kind}'] if instrumented else []),
                        f'-I{SOURCE}/include', f'-I{HERE}', 'nulls.c', '-o', 'nulls', f'-L{libraries}', '-lkarp-io', '-lkarp'], cwd=folder, check=True)
        done = subprocess.run(['./nulls'], cwd=folder, capture_output=True, text=True, errors='replace',
                              env={**os.environ, 'LD_LIBRARY_PATH': str(libraries), 'ASAN_OPTIONS': 'detect_leaks=0'})
    answers = [list(map(int, line.split())) for line in done.stdout.splitlines() if re.fullmatch(r'\d+ \d+ -?\d+', line)]
    if done.returncode or len(answers) != len(table):
        print(done.stdout[-2000:], done.stderr[-2000:])
        return 1
    said = re.split(r'^call \d+$', done.stderr, flags=re.M)[1:]
    failures = 0
    for (_, how, answer), entry, words in zip(answers, table, said, strict=True):
        problem = wrong(entry, how, answer, words)
        if problem:
            failures += 1
            print(f'{entry[2]}({", ".join(argument[1] for argument in entry[3])} = NULL): {problem}')
    print(f'{len(table)} calls of {len({entry[2] for entry in table})} functions, {failures} not as they should be')
    return 1 if failures or len(table) < 100 else 0


if __name__ == '__main__':
    sys.path.insert(0, str(SOURCE / 'tests/abi'))
    sys.exit(main())
