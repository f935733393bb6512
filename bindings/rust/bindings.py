# SPDX-License-Identifier: Apache-2.0
"""Prints the public headers as Rust declarations, with their comments:   bindings.py HEADER... > bindings.rs

Knows the plain style that the headers keep to, no other C. Arrow's structs are left out.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import headers  # noqa: E402

TYPES = {'void': 'c_void', 'char': 'c_char', 'unsigned char': 'u8', 'int': 'c_int', 'double': 'f64', 'float': 'f32', 'size_t': 'usize',
         **{f'uint{n}_t': f'u{n}' for n in (8, 16, 32, 64)}, **{f'int{n}_t': f'i{n}' for n in (8, 16, 32, 64)}}
KEYWORDS = {'type', 'ref', 'match', 'move', 'in', 'fn', 'use', 'box', 'where', 'dyn'}
POINTER = re.compile(r'(?P<result>[\w\s*]+?)\(\s*\*\s*(?P<name>\w+)\s*\)\s*\((?P<given>.*)\)$', re.S)


def markdown(line):
    """Names are code, and nothing else is markup."""
    line = re.sub(r'[#@](?:p )?(?=\w)', '', line).replace('`', '')
    parts = re.split(r'(\b(?:karp_|KARP_)\w+(?:\(\)|\*)?|"[^"]*")', line)
    return ''.join(f'`{part}`' if i % 2 else re.sub(r'([\[\]*_<>])', r'\\\1', part) for i, part in enumerate(parts))


def documentation(comment, indent=''):
    """As rustdoc reads it: a paragraph stays one."""
    paragraphs = re.split(r'\n\s*\*[ \t]*(?=\n)', comment)
    lines = [' '.join(re.sub(r'^\s*\*', ' ', part, flags=re.M).split()) for part in paragraphs]
    lines = [markdown(line) for line in lines if line]
    return f'\n{indent}///\n'.join(f'{indent}/// {line}' for line in lines) + '\n' if lines else ''


def comments(texts):
    """{function or struct: what its comment says}"""
    found = {}
    for text in texts:
        for said, function, struct in re.findall(r'/\*\*((?:(?!\*/).)*?)\*/\s*(?:KARP_API\b[^;{]*?\b(karp_\w+)\s*\(|typedef\s+struct\s+(karp_\w+)\b)', text, re.S):
            found[function or struct] = said
    return found


def plain(text):
    """Without comments, C++ and lines of the preprocessor, which `macros` has seen before."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.S)
    text = re.sub(r'#ifdef __cplusplus.*?#endif', ' ', text, flags=re.S)
    return re.sub(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', ' ', text, flags=re.M)


def macros(text, values):
    text = re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.S)
    for name, value in re.findall(r'^#define[ \t]+(KARP_\w+)[ \t]+(\S.*)$', text, re.M):
        kind = 'i32' if name == 'KARP_OK' or name.startswith('KARP_E_') else 'u64' if 'UINT64' in value else 'i64' if 'INT64' in value else 'usize' if 'SIZE' in value else 'u32'
        value = value.replace('UINT64_MAX', str(2**64 - 1)).replace('INT64_MAX', str(2**63 - 1)).replace('INT64_MIN', str(-2**63))
        value = re.sub(r'U?INT64_C\(([^)]*)\)', r'\1', value)
        value = re.sub(r'\b(\d+|0x[0-9a-fA-F]+)[uUlL]+\b', r'\1', value)
        try:
            number = eval(value, {'__builtins__': {}}, values)  # the headers are our own
        except (SyntaxError, NameError, TypeError):
            continue
        if isinstance(number, int):
            values[name] = number
            yield f'pub const {name}: {kind} = {number};'


def enums(text, values):
    for body in re.findall(r'\benum\s*\w*\s*\{(.*?)\}', text, re.S):
        following = 0
        for entry in filter(None, map(str.strip, body.split(','))):
            name, _, value = map(str.strip, entry.partition('='))
            number = eval(re.sub(r'\b(\d+)[uU]\b', r'\1', value), {'__builtins__': {}}, values) if value else following
            values[name], following = number, number + 1
            yield f'pub const {name}: {"i32" if number < 0 else "u32"} = {number};'


def split(given):
    """Parameters, by the commas that stand in no parenthesis."""
    parts, depth, start = [], 0, 0
    for i, sign in enumerate(given):
        depth += (sign == '(') - (sign == ')')
        if sign == ',' and depth == 0:
            parts.append(given[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, given[start:]] if part.strip()]


def type_of(text):
    """`const karp_str *const *` and the like."""
    text = re.sub(r'\bstruct\s+', '', text).strip()
    base, *stars = re.split(r'(\*)', text)
    const = 'const' in base.split()
    name = ' '.join(word for word in base.split() if word != 'const')
    made = TYPES.get(name, name)
    for part in stars:
        if part == '*':
            made, const = f'*{"const" if const else "mut"} {made}', False
        elif part.strip() == 'const':
            const = True
    return made


def declared(text, number=0):
    """(name, type) of a member or a parameter."""
    text = text.strip()
    found = POINTER.match(text)
    if found:
        return escaped(found['name']), function_type(found['result'], found['given'])
    array = re.match(r'(.*?)(\w+)\s*\[(\w+)\]$', text, re.S)
    if array:
        return escaped(array[2]), f'[{type_of(array[1])}; {array[3]}{" as usize" if not array[3].isdigit() else ""}]'
    named = re.match(r'(.*?[\s*])(\w+)$', text, re.S)
    if named and named[2] not in TYPES and not named[2].startswith('karp_') and named[1].strip() not in ('const', 'struct', 'const struct'):
        return escaped(named[2]), type_of(named[1])
    return f'_{number}', type_of(text)


def escaped(name):
    return f'{name}_' if name in KEYWORDS else name


def result_of(text):
    kind = type_of(text)
    return '' if kind == 'c_void' else f' -> {kind}'


def function_type(result, given):
    parameters = [] if given.strip() == 'void' else [declared(part, i) for i, part in enumerate(split(given))]
    return f'Option<unsafe extern "C" fn({", ".join(f"{name}: {kind}" for name, kind in parameters)}){result_of(result)}>'


def members(body):
    """Each by itself: `karp_str a, b` is two."""
    for member in filter(None, (' '.join(part.split()) for part in body.split(';'))):
        first, *others = [member] if '(' in member else member.split(',')
        yield declared(first)
        for other in others:
            yield declared(f'{first.rsplit(" ", 1)[0]} {other.strip()}')


def structs(text, said, of_members):
    for name, body in re.findall(r'typedef\s+struct\s+(karp_\w+)\s*\{(.*?)\}\s*karp_\w+\s*;', text, re.S):
        lines = ''.join(f'{documentation(of_members.get((name, member), ""), "    ")}    pub {member}: {kind},\n' for member, kind in members(body))
        yield f'{documentation(said.get(name, ""))}#[repr(C)]\n#[derive(Clone, Copy)]\npub struct {name} {{\n{lines}}}'


def opaque(text, said):
    for name in re.findall(r'typedef\s+struct\s+(karp_\w+)\s+karp_\w+\s*;', text):
        yield f'{documentation(said.get(name, ""))}#[repr(C)]\npub struct {name} {{\n    _private: [u8; 0],\n}}'


def aliases(text):
    for result, name, given in re.findall(r'typedef\s+((?:const\s+)?\w+\s*\**)\s*\(\s*\*\s*(karp_\w+)\s*\)\s*\(([^)]*)\)\s*;', text):
        yield f'pub type {name} = {function_type(result, given)};'
    # `typedef void name(…)`: a pointer to it is what Rust calls a function.
    for result, name, given in re.findall(r'typedef\s+((?:const\s+)?\w+[\s*]+)(karp_\w+)\s*\(([^()]*)\)\s*;', text):
        yield f'pub type {name} = {function_type(result, given)[7:-1]};'
    for kind, name in re.findall(r'typedef\s+(\w+)\s+(karp_\w+)\s*;', text):
        if kind != 'struct':
            yield f'pub type {name} = {TYPES[kind]};'


def functions(text, said):
    for declaration in re.findall(r'\bKARP_API\b([^;{]*);', text):
        found = re.match(r'(.*?)(\bkarp_\w+)\s*\((.*)\)\s*$', ' '.join(declaration.split()), re.S)
        if found is None or 'Arrow' in declaration:
            continue
        parameters = [] if found[3].strip() == 'void' else [declared(part, i) for i, part in enumerate(split(found[3]))]
        parameters = [(name, re.sub(r'^\[(\w+);.*\]$', r'*mut \1', kind)) for name, kind in parameters]  # arrays are pointers here
        yield f'{documentation(said.get(found[2], ""), "    ")}    pub fn {found[2]}({", ".join(f"{name}: {kind}" for name, kind in parameters)}){result_of(found[1])};'


def camel(name):
    """KARP_METHOD_MULTI_NODE: MultiNode."""
    return ''.join(word.capitalize() for word in name.split('_')[2:])


def main():
    values, out = {}, []
    texts = [pathlib.Path(path).read_text(encoding='utf-8') for path in sys.argv[1:]]
    for text in texts:
        out += macros(text, values)
        out += enums(plain(text), values)
    said = comments(texts)
    of_members = {(struct, member.name): member.comment for struct, listed in headers.structs().items() for member in listed}
    for text in map(plain, texts):
        text = re.sub(r'struct\s+Arrow\w+\s*\{.*?\}\s*;', '', text, flags=re.S)
        out += [*aliases(text), *opaque(text, said), *structs(text, said, of_members)]
    methods = {camel(name): number for name, number in values.items() if re.match(r'KARP_METHOD_(?!FLAG)', name)}
    out.append('/// Methods of disruption; `Any` is the first that finds something.\n#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]\n#[repr(u32)]\n'
               'pub enum Method {\n    #[default]\n' + ''.join(f'    {name} = {number},\n' for name, number in methods.items()) + '}')
    out.append('extern "C" {\n' + '\n'.join(line for text in texts for line in functions(plain(text), said)) + '\n}')
    print('// SPDX-License-Identifier: Apache-2.0\n// Generated by bindings/rust/bindings.py from include/karp.\n\nuse core::ffi::{c_char, c_void};\n')
    declarations = '\n'.join(dict.fromkeys(out))
    for name in re.findall(r'pub type (\w+) = unsafe extern', declarations):
        declarations = re.sub(rf'\*(?:mut|const) {name}\b', f'Option<{name}>', declarations)
    print(declarations)


if __name__ == '__main__':
    main()
