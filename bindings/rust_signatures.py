# SPDX-License-Identifier: Apache-2.0
"""The section "Signatures" of docs/rust.md, from the sources of the crate karp."""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / 'docs/rust.md'
ORDER = ('snapshot', 'objects', 'decision', 'results', 'compare', 'cost', 'fit', 'error', 'lib')  # as a program meets them
DECLARED = re.compile(r'^(?:impl (\w+) \{|    pub fn ([^{]*?)\s*\{|pub (fn|struct|enum|trait|type) (\w+)([^{;=]*))', re.M | re.S)


def table():
    methods, functions, data = {}, [], []
    for name in ORDER:
        within = None
        for of, method, kind, own, rest in DECLARED.findall((HERE / f'rust/karp/src/{name}.rs').read_text(encoding='utf-8')):
            if of:
                within = of
            elif method and within in data:
                methods.setdefault(within, []).append(' '.join(method.split()))
            elif kind == 'fn':
                functions.append(' '.join(f'{"objects::" if name == "objects" else ""}{own}{rest}'.split()))
            elif kind:
                data.append(own)
    rows = [f'| `{name}` | {" · ".join(f"`{each}`" for each in listed)} |' for name, listed in methods.items()]
    rows.append(f'| functions | {" · ".join(f"`{each}`" for each in functions)} |')
    rows.append(f'| plain data | {" ".join(f"`{name}`" for name in data if name not in methods)} |')
    return '| of | |\n|---|---|\n' + '\n'.join(rows) + '\n'


def page():
    """docs/rust.md with the table of now."""
    return re.sub(r'^\| of \| \|\n(?:\|.*\n)+', lambda _: table(), PAGE.read_text(encoding='utf-8'), flags=re.M)
