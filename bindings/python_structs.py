# SPDX-License-Identifier: Apache-2.0
"""python/karp/_structs.py: of the structs of the headers those that the package names, with what lies in them."""
import pathlib
import re
import textwrap

PACKAGE = pathlib.Path(__file__).resolve().parent / 'python/karp'
TYPES = {'size_t': 'C.c_size_t', 'double': 'C.c_double', 'char': 'C.c_char', 'karp_status': 'C.c_int32',
         **{f'{sign}int{bits}_t': f'C.c_{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)}}
# Functions that the package passes; other pointers are read by address and count.
CALLBACKS = {'Log': ('None, C.c_uint32, Str, C.c_void_p', {'karp_context_options.log'}),
             'ParallelFor': ('None, C.c_size_t, C.c_void_p, C.c_void_p, C.c_void_p', {'karp_context_options.parallel_for'}),
             'ShouldStop': ('C.c_int32, C.c_void_p', {'karp_options.should_stop', 'karp_fit_request.should_stop'}),
             'ReplayReport': ('None, C.POINTER(ReplayProgress), C.c_void_p', {'karp_replay_options.progress'})}
HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Made by bindings/generate.py from the headers; not edited by hand.
"""The structs of the public headers that this package reads or fills, field for field."""
from __future__ import annotations

import ctypes as C  # arrays are pointers without a type: they are read by address and count
'''


def class_name(name):
    return ''.join(part.capitalize() for part in name.split('_')[1:])


def kind(struct, member):
    callback = next((name for name, (_, users) in CALLBACKS.items() if f'{struct}.{member.name}' in users), None)
    if callback or member.pointer:
        return callback or 'C.c_void_p'
    plain = TYPES.get(member.base) or class_name(member.base)
    return f'{plain} * {member.array}' if member.array else plain


def text(structs):
    names = {class_name(name): name for name in structs}
    said = ' '.join(path.read_text(encoding='utf-8') for path in PACKAGE.glob('*.py') if path.name != '_structs.py')
    written, out = set(), [HEAD]

    def write(name):
        if name in written:
            return
        written.add(name)
        if name in CALLBACKS:
            for needed in re.findall(r'\b[A-Z]\w+', CALLBACKS[name][0].replace('C.POINTER', '')):
                if needed in names:
                    write(needed)
            out.append(f'\n\n{name} = C.CFUNCTYPE({CALLBACKS[name][0]})\n')
            return
        struct = names[name]
        for member in structs[struct]:
            needed = kind(struct, member)
            if needed in names or needed in CALLBACKS:
                write(needed)
        fields = [f"('{member.name}', {kind(struct, member)})" for member in structs[struct]]
        wrapped = textwrap.wrap(', '.join(field.replace(' ', '\0') for field in fields), 103)
        out.append(f'\n\nclass {name}(C.Structure):\n    _fields_ = [' + '\n                '.join(wrapped).replace('\0', ' ') + ']\n')

    for name in sorted(set(re.findall(r'\bS\.([A-Z]\w*)', said))):
        if name in names or name in CALLBACKS:
            write(name)
    return ''.join(out)
